"""Sums over documents from which intervals of ratios are computed: exact integers that merge by adding.

A document enters with its four counts of one field; its sections and trials are summed before.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, get_args

from fieldwise.errors import InputError
from fieldwise.states import MOST, listed, refuse, whole

Ratio: TypeAlias = Literal["precision", "recall", "strict_recall", "f1", "strict_f1"]
"""The ratios of counts that have an interval."""

RATIOS: tuple[Ratio, ...] = get_args(Ratio)

DocumentMetric: TypeAlias = Literal["document_macro_f1", "exact_documents"]
"""Figures of whole documents: the mean of their own strict F1, and the share of those without any error."""

Metric: TypeAlias = Ratio | DocumentMetric
"""By what two runs can be compared."""

METRICS: tuple[Metric, ...] = (*RATIOS, *get_args(DocumentMetric))

Weights: TypeAlias = tuple[int, int, int, int]
"""A whole number for each of tp, fd, fa and fn."""

NUMERATORS: dict[Ratio, Weights] = {
    "precision": (1, 0, 0, 0),
    "recall": (1, 0, 0, 0),
    "strict_recall": (1, 0, 0, 0),
    "f1": (2, 0, 0, 0),
    "strict_f1": (2, 0, 0, 0),
}
"""The numerator of a ratio is the sum of counts times weights."""

DENOMINATORS: dict[Ratio, Weights] = {
    "precision": (1, 1, 1, 0),
    "recall": (1, 0, 0, 1),
    "strict_recall": (1, 1, 0, 1),
    "f1": (2, 1, 1, 1),
    "strict_f1": (2, 2, 1, 1),
}
"""And so is its denominator."""

_PAIRS = tuple((i, j) for i in range(4) for j in range(i, 4))
_PRODUCT_AT = {(i, j): 5 + k for k, (i, j) in enumerate(_PAIRS)} | {(j, i): 5 + k for k, (i, j) in enumerate(_PAIRS)}
_LENGTH = 5 + len(_PAIRS) + len(RATIOS)
_SINGLE_MATCH = (1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1)
"""What a document with one match and nothing else adds."""


class Moments:
    """Sums of one field over documents: of tp, fd, fa and fn, of their ten products, and documents per ratio.

    The documents of a ratio are those in which its denominator is not 0.

    >>> moments = Moments()
    >>> moments.add(4, 1, 0, 1)
    >>> moments.add(0, 0, 0, 0)
    >>> moments.documents, moments.n("precision"), moments.total(NUMERATORS["f1"]), moments.total(DENOMINATORS["f1"])
    (2, 1, 8, 10)
    """

    __slots__ = ("_empty", "_single", "_sums")

    def __init__(self) -> None:
        self._single = 0
        self._empty = 0
        self._sums = [0] * _LENGTH

    def add(self, tp: int, fd: int, fa: int, fn: int) -> None:
        """Add one document with its counts, whole numbers from 0, which are not checked."""
        if not (fd or fa or fn):
            if tp == 1:  # most scalar fields of most documents
                self._single += 1
                return
            if not tp:
                self._empty += 1
                return
        sums = self._sums
        sums[0] += 1
        sums[1] += tp
        sums[2] += fd
        sums[3] += fa
        sums[4] += fn
        if tp:
            sums[5] += tp * tp
            sums[6] += tp * fd
            sums[7] += tp * fa
            sums[8] += tp * fn
        sums[9] += fd * fd
        sums[10] += fd * fa
        sums[11] += fd * fn
        sums[12] += fa * fa
        sums[13] += fa * fn
        sums[14] += fn * fn
        if tp or fd or fa:
            sums[15] += 1
        if tp or fn:
            sums[16] += 1
        if tp or fd or fn:
            sums[17] += 1
        sums[18] += 1
        sums[19] += 1

    def add_equal(self, documents: int, counts: Weights) -> None:
        """Add several documents that have the same counts."""
        if documents:
            one = Moments()
            one.add(*counts)
            self._sums = [held + documents * own for held, own in zip(self._sums, one.to_state(), strict=True)]

    def add_sum(self, parts: Moments) -> None:
        """Add one document, given the moments of its parts; nothing where it has none.

        >>> trials, moments = Moments(), Moments()
        >>> trials.add(4, 1, 0, 1)
        >>> trials.add(5, 0, 0, 1)
        >>> moments.add_sum(trials)
        >>> moments
        Moments(documents=1, tp=9, fd=1, fa=0, fn=2)
        """
        if not parts.is_zero():
            self.add(*parts.to_state()[1:5])

    def merge(self, other: Moments) -> None:
        """Add the sums of other documents."""
        self._single += other._single
        self._empty += other._empty
        self._sums = [mine + theirs for mine, theirs in zip(self._sums, other._sums, strict=True)]

    def is_zero(self) -> bool:
        """Whether no document was added."""
        return not self.documents

    @property
    def documents(self) -> int:
        """The number of documents, with those in which nothing was counted."""
        return self._sums[0] + self._single + self._empty

    def n(self, ratio: Ratio) -> int:
        """Return the number of documents in which the denominator of the ratio is not 0."""
        return self.to_state()[15 + RATIOS.index(ratio)]

    def total(self, weights: Weights) -> int:
        """Return the sum, over documents, of the weighted counts."""
        sums = self.to_state()
        return sum(weight * sums[1 + i] for i, weight in enumerate(weights))

    def product(self, first: Weights, second: Weights) -> int:
        """Return the sum, over documents, of the product of two weighted counts."""
        sums = self.to_state()
        return sum(a * b * sums[_PRODUCT_AT[i, j]] for i, a in enumerate(first) for j, b in enumerate(second))

    def to_state(self) -> list[int]:
        """Return 20 integers: documents, four sums, ten products, documents of the five ratios."""
        single = self._single
        state = [held + single * one for held, one in zip(self._sums, _SINGLE_MATCH, strict=True)]
        state[0] += self._empty
        return state

    @classmethod
    def from_state(cls, state: Any) -> Moments:
        """Return the moments that gave this state."""
        check_moments(state, "")
        moments = cls()
        moments._sums = list(state)
        return moments

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Moments) and self.to_state() == other.to_state()

    __hash__ = None  # type: ignore[assignment]  # sums change

    def __repr__(self) -> str:
        tp, fd, fa, fn = self.to_state()[1:5]
        return f"Moments(documents={self.documents}, tp={tp}, fd={fd}, fa={fa}, fn={fn})"


_ARE_NUMBERS = listed(whole(MOST * MOST), _LENGTH)


def check_moments(state: Any, path: str) -> None:
    """Check that a state of moments can be one of documents: no sum is larger or smaller than the others allow."""
    _ARE_NUMBERS(state, path)
    documents, sums = state[0], state[1:5]
    if max(documents, *sums) > MOST:
        raise refuse("whole numbers that are counts", max(documents, *sums), path)
    squares = [state[_PRODUCT_AT[i, i]] for i in range(4)]
    fits = all(
        total <= square and total * total <= documents * square for total, square in zip(sums, squares, strict=True)
    )
    fits &= all(state[_PRODUCT_AT[i, j]] ** 2 <= squares[i] * squares[j] for i, j in _PAIRS)
    if not fits or max(state[15:]) > documents:
        raise InputError(
            f"Expected sums that fit each other, got others - at {path or 'the root'} of the state",
            code="state.damaged",
            facts={"path": path},
        )
