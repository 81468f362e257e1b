"""The fields of a section with their values, and how each was compared."""

from __future__ import annotations

from collections.abc import Mapping

from fieldwise.compare.verdicts import Verdict
from fieldwise.depth import MAX_LEVEL
from fieldwise.evaluation.document import ComparedSection
from fieldwise.readers.about import threshold_of
from fieldwise.results.document_result import AttributeResult
from fieldwise.spec import escape, steps_of
from fieldwise.values import Json, plain

_GOOD = ("match", "absent")
_WHOLE = ""


def attributes_of(compared: ComparedSection) -> tuple[AttributeResult, ...]:
    """Return every top-level field that a section declares, then what else was predicted.

    A document that is no object has no fields; it is itself under an empty name.
    """
    comparison = compared.comparison
    held: dict[str, list[Verdict]] = {name: [] for name in comparison.plan.names}
    for verdict in comparison.verdicts:
        steps = steps_of(verdict.field)
        held.setdefault(str(steps[0]) if steps else _WHOLE, []).append(verdict)
    return tuple(_attribute(name, verdicts, compared) for name, verdicts in held.items())


def _attribute(name: str, verdicts: list[Verdict], compared: ComparedSection) -> AttributeResult:
    comparison = compared.comparison
    expected, predicted = (_value(side, name) for side in (comparison.expected, comparison.predicted))
    path = escape(name)
    alone = verdicts[0] if len(verdicts) == 1 and verdicts[0].path == verdicts[0].predicted_path == path else None
    wrong = [verdict for verdict in verdicts if verdict.outcome.word not in _GOOD]
    weight = sum(verdict.weight for verdict in verdicts)
    score = sum(verdict.weight * verdict.score for verdict in verdicts)
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
        compared.confidences.values.get(path),
        _threshold(compared, path),
        alone.weight if alone is not None else 1.0,
        () if alone is not None else tuple(_detail(verdict, compared) for verdict in verdicts),
    )


def _value(side: Json, name: str) -> Json:
    if isinstance(side, Mapping):
        return _shown(side.get(name))
    return _shown(side) if name == _WHOLE else None


def _shown(value: Json) -> Json:
    """Return a value in which everything below the last level that is compared is JSON as text.

    Parsers refuse what is nested by thousands of levels, and with it the whole results.json.
    """
    return plain(value, MAX_LEVEL)


def _method(verdict: Verdict | None) -> str | None:
    if verdict is None or not verdict.comparator:
        return None
    threshold = "" if verdict.threshold is None else f" (threshold {verdict.threshold:g})"
    return f"{verdict.comparator}{threshold}"


def _threshold(compared: ComparedSection, path: str) -> float | None:
    given = compared.unit.pair.confidences
    return None if given is None else threshold_of(given.thresholds.get(path))


def _detail(verdict: Verdict, compared: ComparedSection) -> dict[str, Json]:
    """Return one value of a list or object, and how sure the prediction is of it."""
    held = verdict.to_json()
    values = {side: _shown(held[side]) for side in ("expected", "predicted")}
    sure = compared.confidences.values.get(verdict.predicted_path)
    threshold = _threshold(compared, verdict.predicted_path)
    return {**held, **values, "weight": verdict.weight, "confidence": sure, "confidence_threshold": threshold}
