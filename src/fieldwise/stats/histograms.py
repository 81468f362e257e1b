"""How many documents have which counts of a field: a histogram that adds, from which every ratio and interval follows.

A document enters with its four counts; its sections and trials are summed before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias, TypedDict, final

from fieldwise.results.rates import DENOMINATORS, NUMERATORS, RATIOS, Ratio
from fieldwise.states import MAX_COUNT, Kind, an_object, listed, no_other_keys, read_key, record, unfit, whole

MAX_ENTRIES = 10_000
"""A histogram with more entries is folded: by ratio and denominator, of which there are far fewer."""

Counts: TypeAlias = tuple[int, int, int, int]
"""The tp, fd, fa and fn of a document."""
RatioMap: TypeAlias = dict[int, list[int]]
"""By denominator: the documents that have it, the sum of their numerators, and the sum of the squares of these."""


@final
class EntriesState(TypedDict):
    """A histogram as JSON: sorted rows of tp, fd, fa, fn and the documents that have them."""

    tn: int
    documents: list[list[int]]


@final
class FoldedState(TypedDict):
    """A folded one: documents, tp, fd, fa and fn together, and for each ratio sorted rows of its parts."""

    tn: int
    sums: list[int]
    maps: dict[Ratio, list[list[int]]]


State: TypeAlias = EntriesState | FoldedState


class Part(NamedTuple):
    """The documents in which a ratio has the same denominator: how many, ΣN, and ΣN²."""

    denominator: int
    documents: int
    numerators: int
    squares: int


def by_denominator(parts: Iterable[Part]) -> list[Part]:
    """Return parts of other documents as one list, a part for each denominator, rising; none for 0.

    >>> [tuple(part) for part in by_denominator([Part(5, 1, 4, 16), Part(2, 1, 1, 1), Part(5, 2, 6, 18)])]
    [(2, 1, 1, 1), (5, 3, 10, 34)]
    """
    held: RatioMap = {}
    for denominator, *more in parts:
        if denominator:
            sums = held.get(denominator, (0, 0, 0))
            held[denominator] = [a + b for a, b in zip(sums, more, strict=True)]
    return [Part(denominator, *held[denominator]) for denominator in sorted(held)]


class CountHistogram:
    """Documents by their counts of one field, and the sum of what is absent on both sides in them.

    Figures are computed from parts by denominator, sorted, which are the same whether the histogram was folded or not.
    Whether it is folded depends on how many different counts its documents have, not on their order or division.

    >>> histogram = CountHistogram()
    >>> histogram.add((4, 1, 0, 1))
    >>> histogram.add((3, 1, 1, 0), documents=2)
    >>> histogram.documents, histogram.totals(), histogram.parts("precision")
    (3, (10, 3, 2, 1), [Part(denominator=5, documents=3, numerators=10, squares=34)])
    """

    __slots__ = ("_entries", "_folded", "_maps", "of_documents", "tn")

    def __init__(self) -> None:
        self.tn = 0
        """How many values are absent on both sides."""
        self.of_documents: CountHistogram | None = None
        """Where the units are clusters, the histogram of their documents; it is no part of the state."""
        self._entries: dict[Counts, int] = {}
        self._maps: dict[Ratio, RatioMap] | None = None
        """By ratio, once folded; entries then hold what came since."""
        self._folded = [0, 0, 0, 0, 0]
        """How many documents the maps hold, and their tp, fd, fa and fn."""

    def add(self, counts: Counts, documents: int = 1) -> None:
        """Add documents with the same counts, whole numbers from 0, which are not checked."""
        entries = self._entries
        entries[counts] = entries.get(counts, 0) + documents
        if len(entries) > MAX_ENTRIES:
            self._fold()

    def merge(self, other: CountHistogram) -> None:
        """Add the documents of another histogram."""
        self.tn += other.tn
        for counts, documents in other._entries.items():
            self.add(counts, documents)
        if other._maps is not None:
            self._add_maps(other._maps, other._folded)

    def _fold(self) -> None:
        entries, self._entries = self._entries, {}
        maps = {ratio: _map_of(entries.items(), ratio) for ratio in RATIOS}
        self._add_maps(maps, [sum(entries.values()), *_totals(entries.items())])

    def _add_maps(self, maps: Mapping[Ratio, RatioMap], folded: Iterable[int]) -> None:
        if self._maps is None:
            self._maps = {ratio: {} for ratio in RATIOS}
        for ratio, held in self._maps.items():
            for denominator, sums in maps[ratio].items():
                held[denominator] = [a + b for a, b in zip(held.get(denominator, (0, 0, 0)), sums, strict=True)]
        self._folded = [a + b for a, b in zip(self._folded, folded, strict=True)]

    @property
    def documents(self) -> int:
        """The number of documents, with those in which nothing was counted."""
        return self._folded[0] + sum(self._entries.values())

    def totals(self) -> Counts:
        """Return tp, fd, fa and fn of all documents together."""
        tp, fd, fa, fn = (a + b for a, b in zip(self._folded[1:], _totals(self._entries.items()), strict=True))
        return tp, fd, fa, fn

    def parts(self, ratio: Ratio) -> list[Part]:
        """Return the documents of a ratio by its denominator, rising; those in which it is 0 are left out."""
        if self._maps is not None and self._entries:
            self._fold()
        held = _map_of(self._entries.items(), ratio) if self._maps is None else self._maps[ratio]
        return [Part(denominator, *held[denominator]) for denominator in sorted(held)]

    def to_state(self) -> State:
        """Return ``tn`` and sorted rows of tp, fd, fa, fn, documents; once folded, ``sums`` and ``maps`` instead."""
        if self._maps is None:
            return {"tn": self.tn, "documents": [[*counts, self._entries[counts]] for counts in sorted(self._entries)]}
        maps = {ratio: [list(part) for part in self.parts(ratio)] for ratio in RATIOS}
        return {"tn": self.tn, "sums": list(self._folded), "maps": maps}

    @classmethod
    def from_state(cls, state: object, path: str = "") -> CountHistogram:
        """Return the histogram that gave this state; InputError for one that no documents can have.

        Rows rise, and no sum is larger or smaller than the others allow.
        """
        given = an_object(state, path)
        histogram = cls()
        if "maps" in given:
            sums, rows = read_key(given, "sums", _SUMS, path), read_key(given, "maps", _maps, path)
            fits = all(_fits(rows[ratio], sums, ratio) for ratio in RATIOS)
            histogram._add_maps({ratio: {part[0]: list(part[1:]) for part in rows[ratio]} for ratio in RATIOS}, sums)
        else:
            entries = read_key(given, "documents", _ENTRIES, path)
            histogram._entries = dict(entries)
            fits = _rises([counts for counts, _ in entries]) and len(entries) <= MAX_ENTRIES and _sum_fits(entries)
        histogram.tn = read_key(given, "tn", _COUNT, path)
        no_other_keys(given, ("tn", "sums", "maps") if "maps" in given else ("tn", "documents"), path)
        if not fits:
            raise unfit("sums that fit each other, got others", path)
        return histogram

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CountHistogram) and self.to_state() == other.to_state()

    __hash__ = None  # type: ignore[assignment]  # its counts change

    def __repr__(self) -> str:
        tp, fd, fa, fn = self.totals()
        return f"CountHistogram(documents={self.documents}, tp={tp}, fd={fd}, fa={fa}, fn={fn}, tn={self.tn})"


def _totals(entries: Iterable[tuple[Counts, int]]) -> list[int]:
    totals = [0, 0, 0, 0]
    for counts, documents in entries:
        for at, count in enumerate(counts):
            totals[at] += count * documents
    return totals


def _map_of(entries: Iterable[tuple[Counts, int]], ratio: Ratio) -> RatioMap:
    """Return the documents of a ratio by its denominator; the numerators of all ratios count matches only."""
    times = NUMERATORS[ratio][0]
    of_tp, of_fd, of_fa, of_fn = DENOMINATORS[ratio]
    found: RatioMap = {}
    for (tp, fd, fa, fn), documents in entries:
        denominator = of_tp * tp + of_fd * fd + of_fa * fa + of_fn * fn
        if denominator:
            numerator = times * tp
            sums = found.get(denominator) or found.setdefault(denominator, [0, 0, 0])
            sums[0] += documents
            sums[1] += documents * numerator
            sums[2] += documents * numerator * numerator
    return found


_COUNT = whole()
_ENTRIES = listed(
    record(
        lambda tp, fd, fa, fn, documents: ((tp, fd, fa, fn), documents), _COUNT, _COUNT, _COUNT, _COUNT, whole(least=1)
    )
)
_PARTS = listed(
    record(Part, whole(2 * MAX_COUNT, 1), whole(least=1), whole(2 * MAX_COUNT), whole(4 * MAX_COUNT * MAX_COUNT))
)
_SUMS = listed(_COUNT, 5)


def _maps(value: object, path: str) -> dict[Ratio, tuple[Part, ...]]:
    maps = an_object(value, path)
    return {ratio: read_key(maps, ratio, _PARTS, path) for ratio in RATIOS}


def _sum_fits(entries: Sequence[tuple[Counts, int]]) -> bool:
    return max(_totals(entries)) <= MAX_COUNT and sum(documents for _, documents in entries) <= MAX_COUNT


def _rises(rows: Sequence[tuple[int, ...]]) -> bool:
    return all(a < b for a, b in pairwise(rows))


def _fits(parts: Sequence[Part], sums: Sequence[int], ratio: Ratio) -> bool:
    """Tell whether the rows of a map can be those of documents with these sums."""
    tops, bottoms = (sum(a * b for a, b in zip(of[ratio], sums[1:], strict=True)) for of in (NUMERATORS, DENOMINATORS))
    return (
        _rises([(part.denominator,) for part in parts])
        and sum(part.documents for part in parts) <= sums[0]
        and sum(part.numerators for part in parts) == tops
        and sum(part.denominator * part.documents for part in parts) == bottoms
        and all(_are_documents(part) for part in parts)
    )


def _are_documents(part: Part) -> bool:
    size, documents, total, squares = part
    return total * total <= documents * squares and squares <= size * total and total <= size * documents


def _merged(mine: CountHistogram, theirs: CountHistogram) -> CountHistogram:
    mine.merge(theirs)
    return mine


HISTOGRAM = Kind(CountHistogram, _merged, CountHistogram.from_state, CountHistogram.to_state)
"""Histograms as sums of a state."""
