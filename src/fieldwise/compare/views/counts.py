"""Counts as the dicts of ``compare_with`` show them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from fieldwise.bulk_aggregator import derived_metrics
from fieldwise.checks import checked_choice

Unmatched = Literal["objects", "leaves"]
Extras = Literal["root", "leaves", "ignore"]

Counts = Sequence[int]
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
    _known: dict[tuple[int, ...], dict[str, Any]] = field(init=False, repr=False, default_factory=dict)

    @classmethod
    @lru_cache(maxsize=64)
    def of(cls, unmatched: Unmatched, extras: Extras, derived: bool, recall_with_fd: bool) -> MatrixOptions:
        """Return the one object for these options."""
        return cls(unmatched, extras, derived, recall_with_fd)

    def __post_init__(self) -> None:
        checked_choice("unmatched", self.unmatched, ("objects", "leaves"))
        checked_choice("extras", self.extras, ("root", "leaves", "ignore"))
        object.__setattr__(self, "is_usual", self.unmatched == "objects" and self.extras != "leaves")

    def counts(self, counts: Counts) -> dict[str, Any]:
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

    def copied(self, shown: dict[str, Any]) -> dict[str, Any]:
        """Return counts that may be changed without changing others."""
        out = shown.copy()
        if self.derived:
            out["derived"] = out["derived"].copy()
        return out

    def _computed(self, tp: int, fd: int, fa: int, fn: int, tn: int) -> dict[str, Any]:
        out: dict[str, Any] = {"tp": tp, "fa": fa, "fd": fd, "fp": fa + fd, "tn": tn, "fn": fn}
        if self.derived:
            out["derived"] = derived_metrics(tp, fd, fa, fn, tn, recall_with_fd=self.recall_with_fd)
        return out

    def overall(self, counts: Counts, score: float, matched: bool) -> dict[str, Any]:
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

    shown: dict[str, Any]
    overall: Counts
    aggregate: Counts
    clean: bool
