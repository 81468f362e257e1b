"""The fields of a section with their values, and how each was compared."""

from __future__ import annotations

from collections.abc import Mapping

from fieldwise.compare.verdicts import Verdict
from fieldwise.evaluation.sectioned import ComparedUnit
from fieldwise.results.document_result import AttributeResult
from fieldwise.spec import escape, steps_of
from fieldwise.values import Json, plain

_GOOD = ("match", "absent")


def attributes_of(compared: ComparedUnit) -> tuple[AttributeResult, ...]:
    """Return every top-level field that a section declares, then what else was predicted."""
    comparison = compared.found.comparison
    held: dict[str, list[Verdict]] = {name: [] for name in comparison.plan.names}
    for verdict in comparison.verdicts:
        held.setdefault(str(steps_of(verdict.field)[0]), []).append(verdict)
    return tuple(_attribute(name, verdicts, compared) for name, verdicts in held.items())


def _attribute(name: str, verdicts: list[Verdict], compared: ComparedUnit) -> AttributeResult:
    comparison = compared.found.comparison
    expected, predicted = (_value(side, name) for side in (comparison.expected, comparison.predicted))
    alone = verdicts[0] if len(verdicts) == 1 and verdicts[0].field == escape(name) else None
    wrong = [verdict for verdict in verdicts if verdict.outcome.word not in _GOOD]
    weight = sum(verdict.weight for verdict in verdicts if verdict.declared)
    score = sum(verdict.weight * verdict.score for verdict in verdicts if verdict.declared)
    path = escape(name)
    return AttributeResult(
        name,
        expected,
        predicted,
        not wrong,
        min(max(score / weight, 0.0), 1.0) if weight else float(not wrong),
        alone.reason if alone is not None else f"{len(wrong)} of {len(verdicts)} values are wrong" if wrong else "",
        _method(alone),
        None if alone is None else alone.threshold,
        None if alone is None else alone.comparator,
        compared.found.confidences.get(path),
        _threshold(compared, path),
        alone.weight if alone is not None else 1.0,
        () if alone is not None else tuple(_detail(verdict, compared) for verdict in verdicts),
    )


def _value(side: Json, name: str) -> Json:
    return plain(side.get(name)) if isinstance(side, Mapping) else None


def _method(verdict: Verdict | None) -> str | None:
    if verdict is None or not verdict.comparator:
        return None
    threshold = "" if verdict.threshold is None else f" (threshold {verdict.threshold:g})"
    return f"{verdict.comparator}{threshold}"


def _threshold(compared: ComparedUnit, path: str) -> float | None:
    given = compared.unit.pair.confidences
    value = None if given is None else given.thresholds.get(path)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _detail(verdict: Verdict, compared: ComparedUnit) -> dict[str, Json]:
    """Return one value of a list or object, and how sure the prediction is of it."""
    sure = compared.found.confidences.get(verdict.predicted_path)
    return {**verdict.to_json(), "weight": verdict.weight, "confidence": sure}
