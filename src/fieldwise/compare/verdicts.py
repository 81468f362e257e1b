"""A verdict: one compared place with both values, its score, its outcome and the reason in words."""

from __future__ import annotations

from dataclasses import dataclass

from fieldwise.compare.leaves import LeafPlan, inline_alternates
from fieldwise.compare.places import Place
from fieldwise.compare.results import ABSENT, MATCH, MISSED, SPURIOUS, AnyOf, Outcome
from fieldwise.values import Json, plain, same


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was decided about one leaf.

    ``score`` is what the leaf keeps after threshold and clipping, ``raw_score`` what its comparator said.
    ``pair_score`` and ``pair_accepted`` tell of the list row around it, None outside of lists.
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
    alternate_index: int | None
    declared: bool


def chosen(expected: Json, alternate: int) -> Json:
    """Return the acceptable value that counted, where there were several."""
    if isinstance(expected, AnyOf):
        return expected.values[max(alternate, 0)]
    return (inline_alternates(expected) or (expected,))[alternate] if alternate >= 0 else expected


def verdict_of(place: Place) -> Verdict:
    """Return a place as a verdict."""
    result, plan = place.result, place.plan
    leaf = plan if isinstance(plan, LeafPlan) else None
    alternate = result.alternate if result.alternate >= 0 else None
    expected = chosen(place.expected, result.alternate)
    rejected = place.row is not None and not place.row.accepted
    return Verdict(
        path=place.path,
        field=place.field,
        expected=plain(expected),
        predicted=plain(place.predicted),
        outcome=place.outcome,
        score=0.0 if rejected else result.kept,
        raw_score=result.share,
        reason=_reason(place, leaf),
        comparator=leaf.comparator.describe() if leaf else "",
        threshold=leaf.threshold if leaf else None,
        weight=place.weight,
        predicted_path=place.predicted_path,
        pair_score=place.row.similarity if place.row else None,
        pair_accepted=place.row.accepted if place.row else None,
        alternate_index=alternate,
        declared=plan is not None,
    )


def _reason(place: Place, leaf: LeafPlan | None) -> str:
    outcome, result = place.outcome, place.result
    if outcome is ABSENT:
        return "absent on both sides"
    if outcome is SPURIOUS:
        return "predicted, but no field of this name is declared" if place.plan is None else "predicted, not expected"
    if outcome is MISSED:
        return "expected, not predicted"
    if place.row is not None and not place.row.accepted:
        return f"row: its items are too unlike to be a pair ({place.row.similarity or 0.0:.3f})"
    if result.note and result.note != "type":
        return result.note
    if result.note == "type":
        return (
            "type: of another type than declared, the same on both sides"
            if outcome is MATCH
            else "type: of another type than declared"
        )
    assert leaf is not None
    equal = same(chosen(place.expected, result.alternate), place.predicted)
    return _scored(outcome, result.share, leaf, leaf.comparator.notes(place.expected, place.predicted), equal=equal)


def _scored(outcome: Outcome, score: float, leaf: LeafPlan, note: str, *, equal: bool) -> str:
    """Say what the comparator scored; *the same* only of equal values."""
    sign = "≥" if outcome is MATCH else "<"
    words = f"{leaf.comparator.describe()}: {score:.3f} {sign} {leaf.threshold:g}"
    if outcome is MATCH and score == 1.0 and equal:
        words = f"{leaf.comparator.describe()}: the same"
    return f"{words}; {note}" if note else words
