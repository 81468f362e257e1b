"""Figures as data: what confidences are worth, and the rates and scores of a sweep; renderers only draw them."""

from __future__ import annotations

from fieldwise.results.calibration import CurvePoint, FieldCalibration
from fieldwise.results.sweep import Sweep
from fieldwise.views.numbers import count, counted, number, percent, rate, whole_percent
from fieldwise.views.parts import Curve, Figure
from fieldwise.views.sweep import RATES

_FROM_SHARE = 0.02
"""The error rate of fewer accepted values is noise, and is not drawn."""


def reliability(field: FieldCalibration) -> Figure:
    """Return the share that is right by confidence, bin by bin, with Wilson's bounds and the number of values."""
    bins = field.bins
    words = [
        f"{counted(b.count, 'value')}, mean confidence {rate(b.confidence)}, right {rate(b.right)} "
        f"({' to '.join(map(rate, b.bounds))})"
        for b in bins
    ]
    right = Curve(
        "right",
        tuple((b.confidence, b.right) for b in bins),
        tuple(words),
        low=tuple(b.bounds[0] for b in bins),
        high=tuple(b.bounds[1] for b in bins),
    )
    told = "; ".join(f"{rate(b.confidence)}: {rate(b.right)} of {count(b.count)}" for b in bins)
    return Figure(
        "Are the confidences true?",
        "confidence, and values with it",
        "share that is right",
        (right,),
        f"Share right by confidence. {told}",
    )


def review(field: FieldCalibration) -> Figure:
    """Return the share of errors caught by the share reviewed, and the shares that sentences speak of."""
    curve = ((0.0, 0.0), *((point.share, point.figure) for point in field.review_curve))
    caught = [(whole_percent(point.share), percent(point.caught)) for point in field.review]
    words = [f"reviewing {share} catches {errors} of the errors" for share, errors in caught]
    marks = Curve("marks", tuple((point.share, point.caught) for point in field.review), tuple(words), is_line=False)
    told = "; ".join(f"{share}: {errors}" for share, errors in caught)
    return Figure(
        "What does review catch?",
        "values reviewed, least confident first",
        "errors caught",
        (Curve("caught", curve), marks),
        f"Errors caught by share reviewed. {told}",
    )


def risk(field: FieldCalibration) -> Figure:
    """Return the error rate among accepted values by the share accepted, and the threshold that was chosen."""
    curve = [point for point in field.risk_curve if point.share >= _FROM_SHARE]
    curves = [Curve("errors", tuple((point.share, point.figure) for point in curve))]
    if field.acceptance is not None:
        chosen = field.acceptance.chosen
        words = f"accept from {number(chosen.threshold)}: {percent(chosen.coverage)} of values"
        place = (chosen.coverage, chosen.errors / chosen.accepted)
        curves.append(Curve("chosen", (place,), (words,), is_line=False))
    return Figure(
        "What does accepting risk?",
        "values accepted, most confident first",
        "errors among them",
        tuple(curves),
        f"Errors among accepted values. {_risk_words(curve)}",
    )


def _risk_words(curve: list[CurvePoint]) -> str:
    if not curve:
        return "None are accepted."
    some = curve[:: max(1, len(curve) // 5)]
    told = "; ".join(f"{percent(point.share)}: {percent(point.figure)}" for point in some)
    return f"Accepting all {rate(curve[-1].figure)}. {told}"


def rates(sweep: Sweep) -> Figure:
    """Return every rate by threshold, strict F1 with its interval where it has one."""
    curves = []
    for ratio, _ in RATES:
        known = [(point.threshold, point.rates.of(ratio)) for point in sweep.points]
        line = tuple((x, found.value) for x, found in known if found.value is not None)
        curves.append(Curve(ratio, line))
    around = [(point.threshold, point.rates.strict_f1.interval) for point in sweep.points]
    band = [(x, bounds) for x, bounds in around if bounds is not None]
    curves.append(
        Curve(
            "interval",
            tuple((x, low) for x, (low, _) in band),
            low=tuple(low for _, (low, _) in band),
            high=tuple(high for _, (_, high) in band),
        )
    )
    told = "; ".join(f"{number(point.threshold)}: {rate(point.strict_f1)}" for point in sweep.points)
    return Figure("Rates by threshold", "threshold", "rate", tuple(curves), f"F1 (strict) by threshold. {told}")


def scores(sweep: Sweep) -> Figure:
    """Return how many values have which score, those that match and those that do not at the current threshold."""
    words = tuple(
        f"score {number(b.low)} to {number(b.high)}: {count(b.matches)} match, {count(b.mismatches)} mismatch"
        for b in sweep.scores
    )
    sides = {"match": [b.matches for b in sweep.scores], "mismatch": [b.mismatches for b in sweep.scores]}
    curves = [
        Curve(
            name,
            tuple((b.low, float(n)) for b, n in zip(sweep.scores, numbers, strict=True)),
            words,
            low=tuple(b.low for b in sweep.scores),
            high=tuple(b.high for b in sweep.scores),
            is_line=False,
        )
        for name, numbers in sides.items()
    ]
    filled = [b for b in sweep.scores if b.matches + b.mismatches]
    told = "; ".join(f"{number(b.low)}: {count(b.matches + b.mismatches)}" for b in filled)
    return Figure("Distribution of scores", "score", "values (log scale)", tuple(curves), f"Values by score. {told}")
