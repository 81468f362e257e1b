"""The three plots of confidences: are they true, what does review catch, what does accepting risk."""

from __future__ import annotations

from fieldwise.numbers import count, counted, percent, rate
from fieldwise.report.charts import Frame, round_up
from fieldwise.runs.calibration import Calibration
from fieldwise.stats.review import CurvePoint

_STRIP = 60
_TALL = 236 + _STRIP
_FROM_SHARE = 0.02
"""The error rate of fewer accepted values is noise, and is not drawn."""


def reliability_chart(found: Calibration) -> str:
    """Draw the share that is right against the confidence, bin by bin, with Wilson bars and the number of values."""
    frame = Frame(below=_STRIP)
    drawn = [frame.grid(), frame.line([(0, 0), (1, 1)], "even")]
    drawn += [frame.upright(b.confidence, "whisker", low=b.accuracy_low, high=b.accuracy_high) for b in found.bins]
    drawn.append(frame.line([(b.confidence, b.accuracy) for b in found.bins], "line thin"))
    for b in found.bins:
        bounds = f"{rate(b.accuracy_low)} to {rate(b.accuracy_high)}"
        words = (
            f"{counted(b.count, 'value')}, mean confidence {rate(b.confidence)}, right {rate(b.accuracy)} ({bounds})"
        )
        drawn.append(frame.mark(b.confidence, b.accuracy, words))
    drawn.append(frame.strip((b.low, b.high, b.count) for b in found.bins))
    told = "; ".join(f"{rate(b.confidence)}: {rate(b.accuracy)} of {count(b.count)}" for b in found.bins)
    return frame.svg(
        f"Share right by confidence. {told}", "confidence, and values with it", "share that is right", *drawn
    )


def review_chart(found: Calibration) -> str:
    """Draw the share of errors caught by the share reviewed; a dashed line shows review by chance."""
    if not found.review:
        return '<p class="nothing">No errors to catch.</p>'
    frame = Frame(height=_TALL)
    drawn = [frame.grid(percent=True), frame.line([(0, 0), (1, 1)], "even")]
    drawn.append(frame.line([(0, 0), *((point.share, point.figure) for point in found.review_curve)], "line"))
    for point in found.review:
        words = f"reviewing {point.share:.0%} catches {percent(point.caught)} of the errors"
        drawn.append(frame.mark(point.share, point.caught, words))
    told = "; ".join(f"{point.share:.0%}: {percent(point.caught)}" for point in found.review)
    return frame.svg(
        f"Errors caught by share reviewed. {told}", "values reviewed, least confident first", "errors caught", *drawn
    )


def risk_chart(found: Calibration, target: float) -> str:
    """Draw the error rate among accepted values by the share accepted, with the target as a line."""
    curve = shown_risk(found)
    if not curve:
        return '<p class="nothing">No values to accept.</p>'
    top = risk_top(curve, target)
    frame = Frame(height=_TALL, y_top=top)
    drawn = [frame.grid(y_ticks=[top * k / 4 for k in range(5)], percent=True)]
    drawn.append(frame.line([(0, target), (1, target)], "even"))
    drawn.append(frame.label(0, target + top * 0.02, f"target {target * 100:g}%", look="start"))
    drawn.append(frame.line([(point.share, point.figure) for point in curve], "line"))
    if found.acceptance is not None:
        chosen = found.acceptance.chosen
        words = f"accept from {chosen.threshold:g}: {percent(chosen.coverage)} of values"
        drawn.append(frame.mark(chosen.coverage, chosen.errors / chosen.accepted, words))
    last = curve[-1]
    told = f"Accepting all {rate(last.figure)}. " + "; ".join(
        f"{percent(point.share)}: {percent(point.figure)}" for point in curve[:: max(1, len(curve) // 5)]
    )
    return frame.svg(
        f"Errors among accepted values. {told}", "values accepted, most confident first", "errors among them", *drawn
    )


def shown_risk(found: Calibration) -> list[CurvePoint]:
    """Return the part of the risk curve that is drawn."""
    return [point for point in found.risk_curve if point.share >= _FROM_SHARE]


def risk_top(curve: list[CurvePoint], target: float) -> float:
    """Return where the axis of the error rate ends."""
    return round_up(max(target * 1.25, *(point.figure for point in curve)))
