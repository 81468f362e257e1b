"""Counts as the dicts of ``compare_with`` show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple, NotRequired, TypedDict

from fieldwise.bulk_aggregator import derived_metrics
from fieldwise.checks import checked_choice
from fieldwise.compare.views.non_matches import NonMatch
from fieldwise.compare.wholes import Scope

Unmatched = Literal["objects", "leaves"]
Extras = Literal["root", "leaves", "ignore"]

Counts = Sequence[int]


class ShownCounts(TypedDict):
    """Counts under their keys; ``overall`` of a node also says how similar it is and whether all of it matched."""

    tp: int
    fa: int
    fd: int
    fp: int
    tn: int
    fn: int
    derived: NotRequired[dict[str, float]]
    similarity_score: NotRequired[float]
    all_fields_matched: NotRequired[bool]


class MatrixNode(TypedDict):
    """A node of the matrix, for a field or the whole document; ``compare_recursive`` leaves its ``aggregate`` out."""

    overall: ShownCounts
    fields: dict[str, MatrixNode]
    aggregate: NotRequired[ShownCounts]
    raw_similarity_score: NotRequired[float]
    similarity_score: NotRequired[float]
    threshold_applied_score: NotRequired[float]
    weight: NotRequired[float]
    non_matches: NotRequired[list[NonMatch]]
    scopes: NotRequired[dict[str, Scope]]
    """Of the document: which paths are objects or lists of rows."""
    beside: NotRequired[dict[str, ShownCounts]]
    """Of the document: what is counted beside nodes of the same path, as ``path[values]`` or ``path[rows]``."""


_MAX_KNOWN = 4096


@dataclass(frozen=True, eq=False)
class MatrixOptions:
    """What a confusion matrix shows; chooses between views and changes nothing that was compared.

    Made by ``of``, so that equal ones are one.
    """

    unmatched: Unmatched = "objects"
    extras: Extras = "root"
    derived: bool = True
    recall_with_fd: bool = False
    is_usual: bool = field(init=False)
    """Whether a tree of objects is shown, and no values under undeclared keys in it."""
    _known: dict[tuple[int, ...], ShownCounts] = field(init=False, repr=False, default_factory=dict)

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, unmatched: Unmatched, extras: Extras, derived: bool, recall_with_fd: bool) -> MatrixOptions:
        """Return the one object for these options."""
        return cls(unmatched, extras, derived, recall_with_fd)

    def __post_init__(self) -> None:
        checked_choice("unmatched", self.unmatched, ("objects", "leaves"))
        checked_choice("extras", self.extras, ("root", "leaves", "ignore"))
        object.__setattr__(self, "is_usual", self.unmatched == "objects" and self.extras != "leaves")

    def counts(self, counts: Counts) -> ShownCounts:
        """Return six counts and, where asked for, the ratios that follow from them."""
        key = tuple(counts)
        known = self._known.get(key)
        if known is None:  # the same counts come again and again
            if len(self._known) >= _MAX_KNOWN:
                self._known.clear()
            known = self._known[key] = self._computed(*key)
        out = known.copy()  # `copied`, without the call
        if self.derived:
            out["derived"] = out["derived"].copy()
        return out

    def copied(self, shown: ShownCounts) -> ShownCounts:
        """Return counts that may be changed without changing others."""
        out = shown.copy()
        if self.derived:
            out["derived"] = out["derived"].copy()
        return out

    def _computed(self, tp: int, fd: int, fa: int, fn: int, tn: int) -> ShownCounts:
        out: ShownCounts = {"tp": tp, "fa": fa, "fd": fd, "fp": fa + fd, "tn": tn, "fn": fn}
        if self.derived:
            out["derived"] = derived_metrics(tp, fd, fa, fn, tn, recall_with_fd=self.recall_with_fd)
        return out

    def overall(self, counts: Counts, score: float, matched: bool) -> ShownCounts:
        """Return what stands under ``overall`` of a node."""
        out = self.counts(counts)
        out["similarity_score"], out["all_fields_matched"] = score, matched
        return out


def added(many: Sequence[Counts]) -> list[int]:
    """Return the sum of several counts."""
    tp = fd = fa = fn = tn = 0
    for counts in many:
        tp += counts[0]
        fd += counts[1]
        fa += counts[2]
        fn += counts[3]
        tn += counts[4]
    return [tp, fd, fa, fn, tn]


def has_no_errors(counts: Counts) -> bool:
    """Return whether nothing was wrong, missed or invented."""
    return not (counts[1] or counts[2] or counts[3])


class Node(NamedTuple):
    """One node of the matrix with the numbers that its parent adds up."""

    shown: MatrixNode
    overall: Counts
    aggregate: Counts
    clean: bool

    @classmethod
    def of(cls, shown: MatrixNode) -> Node:
        """Return a node with the numbers that it shows."""
        overall, aggregate = (
            [part["tp"], part["fd"], part["fa"], part["fn"], part["tn"]]
            for part in (shown["overall"], shown["aggregate"])
        )
        return cls(shown, overall, aggregate, shown["overall"]["all_fields_matched"])
