"""The three plots of confidences: are they true, what does review catch, what does accepting risk."""

from __future__ import annotations

from fieldwise.render.pages.charts import Frame, round_up
from fieldwise.results.calibration import CurvePoint, FieldCalibration
from fieldwise.views.numbers import count, counted, number, percent, rate, whole_percent

_STRIP = 60
_TALL = 236 + _STRIP
_FROM_SHARE = 0.02
"""The error rate of fewer accepted values is noise, and is not drawn."""


def reliability_chart(field: FieldCalibration) -> str:
    """Draw the share that is right against the confidence, bin by bin, with Wilson bars and the number of values."""
    frame = Frame(below=_STRIP)
    drawn = [frame.grid(), frame.line([(0, 0), (1, 1)], "even")]
    drawn += [frame.upright(b.confidence, "whisker", low=b.bounds[0], high=b.bounds[1]) for b in field.bins]
    drawn.append(frame.line([(b.confidence, b.right) for b in field.bins], "line thin"))
    for b in field.bins:
        bounds = " to ".join(rate(bound) for bound in b.bounds)
        words = f"{counted(b.count, 'value')}, mean confidence {rate(b.confidence)}, right {rate(b.right)} ({bounds})"
        drawn.append(frame.mark(b.confidence, b.right, words))
    drawn.append(frame.strip((b.low, b.high, b.count) for b in field.bins))
    told = "; ".join(f"{rate(b.confidence)}: {rate(b.right)} of {count(b.count)}" for b in field.bins)
    return frame.svg(
        f"Share right by confidence. {told}", "confidence, and values with it", "share that is right", *drawn
    )


def review_chart(field: FieldCalibration) -> str:
    """Draw the share of errors caught by the share reviewed; a dashed line shows review by chance."""
    if not field.review:
        return '<p class="nothing">No errors to catch.</p>'
    frame = Frame(height=_TALL)
    drawn = [frame.grid(percent=True), frame.line([(0, 0), (1, 1)], "even")]
    drawn.append(frame.line([(0, 0), *((point.share, point.figure) for point in field.review_curve)], "line"))
    for point in field.review:
        words = f"reviewing {whole_percent(point.share)} catches {percent(point.caught)} of the errors"
        drawn.append(frame.mark(point.share, point.caught, words))
    told = "; ".join(f"{whole_percent(point.share)}: {percent(point.caught)}" for point in field.review)
    return frame.svg(
        f"Errors caught by share reviewed. {told}", "values reviewed, least confident first", "errors caught", *drawn
    )


def risk_chart(field: FieldCalibration, target: float) -> str:
    """Draw the error rate among accepted values by the share accepted, with the target as a line."""
    curve = shown_risk(field)
    if not curve:
        return '<p class="nothing">No values to accept.</p>'
    top = risk_top(curve, target)
    frame = Frame(height=_TALL, y_top=top)
    drawn = [frame.grid(y_ticks=[top * k / 4 for k in range(5)], percent=True)]
    drawn.append(frame.line([(0, target), (1, target)], "even"))
    drawn.append(frame.label(0, target + top * 0.02, f"target {whole_percent(target)}", look="start"))
    drawn.append(frame.line([(point.share, point.figure) for point in curve], "line"))
    if field.acceptance is not None:
        chosen = field.acceptance.chosen
        words = f"accept from {number(chosen.threshold)}: {percent(chosen.coverage)} of values"
        drawn.append(frame.mark(chosen.coverage, chosen.errors / chosen.accepted, words))
    last = curve[-1]
    told = f"Accepting all {rate(last.figure)}. " + "; ".join(
        f"{percent(point.share)}: {percent(point.figure)}" for point in curve[:: max(1, len(curve) // 5)]
    )
    return frame.svg(
        f"Errors among accepted values. {told}", "values accepted, most confident first", "errors among them", *drawn
    )


def shown_risk(field: FieldCalibration) -> list[CurvePoint]:
    """Return the part of the risk curve that is drawn."""
    return [point for point in field.risk_curve if point.share >= _FROM_SHARE]


def risk_top(curve: list[CurvePoint], target: float) -> float:
    """Return where the axis of the error rate ends."""
    return round_up(max(target * 1.25, *(point.figure for point in curve)))
