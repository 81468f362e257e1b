"""A verdict: one compared place with both values, its score, its outcome and the reason in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from fieldwise.compare.leaves import LeafPlan, inline_alternates
from fieldwise.compare.places import LeafAt
from fieldwise.compare.reading import understood
from fieldwise.compare.results import (
    ABSENT,
    MATCH,
    MISSED,
    SPURIOUS,
    WRITTEN,
    AbsentText,
    AnyOf,
    LeafResult,
    Outcome,
    Raised,
)
from fieldwise.depth import MAX_LEVEL
from fieldwise.errors import quoted
from fieldwise.values import Json, plain

Accepted: TypeAlias = Literal["written_differently", "similar"]
"""A match of two values that are not identical: with a score of 1, or with less."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was decided about one leaf.

    ``score`` is what the leaf keeps after threshold and clipping, ``raw_score`` what its comparator said.
    ``path`` is its place in the expected document, ``predicted_path`` that in the predicted one; what only one side has
    is given the place in the other where it would be. ``pair_score`` and ``pair_accepted`` are of the list row around
    it, the outermost one that was rejected, else the innermost one; None outside of lists. ``pair_threshold`` is what a
    rejected row does not reach. ``row_rejected``: it is right, and counts as wrong because its row was rejected.
    ``accepted`` says of a match of two values that are not identical what they are.
    """

    path: str
    field: str
    expected: Json
    predicted: Json
    outcome: Outcome
    score: float
    raw_score: float
    reason: str
    comparator: str
    threshold: float | None
    weight: float
    predicted_path: str
    pair_score: float | None
    pair_accepted: bool | None
    pair_threshold: float | None
    row_rejected: bool
    accepted: Accepted | None
    alternate_index: int | None
    declared: bool

    def to_json(self) -> dict[str, Json]:
        """Return it as JSON; as in tables, an invented value has no expected path, a missed one no predicted path."""
        return {
            "path": None if self.outcome is SPURIOUS else self.path,
            "predicted_path": None if self.outcome is MISSED else self.predicted_path,
            "field": self.field,
            "outcome": self.outcome.word,
            "accepted": self.accepted,
            "expected": self.expected,
            "predicted": self.predicted,
            "score": self.score,
            "raw_score": self.raw_score,
            "reason": self.reason,
            "pair_score": self.pair_score,
            "pair_accepted": self.pair_accepted,
            "pair_threshold": self.pair_threshold,
        }


def accepted_as(result: LeafResult) -> Accepted | None:
    """Say what the two values of a match are, where they are not identical as JSON."""
    if result.note == WRITTEN:
        return "written_differently"
    return "similar" if result.raw_score < 1.0 else None


def row_rejected(similarity: float, threshold: float) -> str:
    """Say why a row was rejected, with as many decimals as tell the two numbers apart.

    >>> row_rejected(0.2, 0.3), row_rejected(0.29999, 0.3)
    ('row rejected (0.20 < 0.30)', 'row rejected (0.29999 < 0.30000)')
    """
    places = next((n for n in range(2, 12) if f"{similarity:.{n}f}" != f"{threshold:.{n}f}"), 12)
    return f"row rejected ({similarity:.{places}f} < {threshold:.{places}f})"


def chosen(expected: Json, alternate: int) -> Json:
    """Return the acceptable value that counted, where there were several."""
    if isinstance(expected, AnyOf):
        return expected.values[max(alternate, 0)]
    return (inline_alternates(expected) or (expected,))[alternate] if alternate >= 0 else expected


def verdict_of(place: LeafAt) -> Verdict:
    """Return a place as a verdict."""
    result, plan = place.result, place.plan
    leaf = plan if isinstance(plan, LeafPlan) else None
    alternate = result.alternate if result.alternate >= 0 else None
    expected = chosen(place.expected, result.alternate)
    rejected = place.row is not None and not place.row.accepted
    return Verdict(
        path=place.path,
        field=place.field,
        expected=plain(expected, MAX_LEVEL),
        predicted=plain(place.predicted, MAX_LEVEL),
        outcome=place.outcome,
        score=0.0 if rejected else result.score,
        raw_score=result.raw_score,
        reason=_reason(place, leaf),
        comparator=leaf.comparator.describe() if leaf else "",
        threshold=leaf.threshold if leaf else None,
        weight=place.weight,
        predicted_path=place.predicted_path,
        pair_score=place.row.similarity if place.row else None,
        pair_accepted=place.row.accepted if place.row else None,
        pair_threshold=place.row.threshold if place.row else None,
        row_rejected=place.is_right_in_rejected_row,
        accepted=accepted_as(result) if place.outcome is MATCH else None,
        alternate_index=alternate,
        declared=plan is not None,
    )


def _reason(place: LeafAt, leaf: LeafPlan | None) -> str:
    """Say why a value counts as it does: its own reason, then that of its row; one that is right has the row's only."""
    row = place.row
    if row is None or row.similarity is None or row.threshold is None:
        return _own_reason(place, leaf)
    words = row_rejected(row.similarity, row.threshold)
    return words if place.is_right_in_rejected_row else f"{_own_reason(place, leaf)}; {words}"


def _own_reason(place: LeafAt, leaf: LeafPlan | None) -> str:
    outcome, result = place.outcome, place.result
    if outcome is ABSENT:
        return "absent on both sides"
    if outcome is SPURIOUS:
        words = "predicted, but no field of this name is declared" if place.plan is None else "predicted, not expected"
        return f"{words}{_absent_text(result, place.expected)}"
    if outcome is MISSED:
        words = "expected, not predicted" if place.misfit is None else f"type: {place.misfit}"
        return f"{words}{_absent_text(result, place.predicted)}"
    if isinstance(result.note, Raised):
        return result.note.reason
    if result.note == "type":
        words = "not true or false" if leaf is not None and leaf.kind == "boolean" else "not of the field's type"
        return f"type: {words}, the same on both sides" if outcome is MATCH else f"type: {words}"
    assert leaf is not None
    values = chosen(place.expected, result.alternate), place.predicted
    return _scored(result, leaf, leaf.comparator.notes(*(map(understood, values) if leaf.built_in else values)))


def _absent_text(result: LeafResult, value: Json) -> str:
    return f": {quoted(value)} stands for no value" if isinstance(result.note, AbsentText) else ""


def _scored(result: LeafResult, leaf: LeafPlan, note: str) -> str:
    sign = "≥" if result.outcome is MATCH else "<"
    words = f"{result.raw_score:.3f} {sign} {leaf.threshold:g}"
    if result.outcome is MATCH and result.raw_score == 1.0 and result.note != WRITTEN:
        words = "the same"
    return f"{leaf.comparator.describe()}: {words}{note and f'; {note}'}"
