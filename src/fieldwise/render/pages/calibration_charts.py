"""The three figures of confidences as drawings."""

from __future__ import annotations

from fieldwise.render.pages.charts import Frame, round_up
from fieldwise.results.calibration import FieldCalibration
from fieldwise.views.figures import reliability, review, risk
from fieldwise.views.numbers import whole_percent
from fieldwise.views.parts import Curve, Figure

_STRIP = 60
_TALL = 236 + _STRIP


def calibration_charts(field: FieldCalibration, target: float) -> list[tuple[str, str]]:
    """Return the figures of a field with their titles."""
    figures = reliability(field), review(field), risk(field)
    drawn = _reliability(figures[0], field), _review(figures[1]), _risk(figures[2], target)
    return [(figure.title, svg) for figure, svg in zip(figures, drawn, strict=True)]


def _svg(frame: Frame, figure: Figure, *drawn: str) -> str:
    return frame.svg(figure.summary, figure.x_title, figure.y_title, *drawn)


def _marks(frame: Frame, curve: Curve) -> list[str]:
    return [frame.mark(x, y, words) for (x, y), words in zip(curve.points, curve.words, strict=True)]


def _reliability(figure: Figure, field: FieldCalibration) -> str:
    (right,) = figure.curves
    frame = Frame(below=_STRIP)
    bounds = zip(right.points, right.low, right.high, strict=True)
    drawn = [frame.grid(), frame.line([(0, 0), (1, 1)], "even")]
    drawn += [frame.upright(x, "whisker", low=low, high=high) for (x, _), low, high in bounds]
    drawn += [frame.line(right.points, "line thin"), *_marks(frame, right)]
    drawn.append(frame.strip((b.low, b.high, b.count) for b in field.bins))
    return _svg(frame, figure, *drawn)


def _review(figure: Figure) -> str:
    caught, marks = figure.curves
    if not marks.points:
        return '<p class="nothing">No errors to catch.</p>'
    frame = Frame(height=_TALL)
    drawn = [frame.grid(percent=True), frame.line([(0, 0), (1, 1)], "even"), frame.line(caught.points, "line")]
    return _svg(frame, figure, *drawn, *_marks(frame, marks))


def _risk(figure: Figure, target: float) -> str:
    errors, *chosen = figure.curves
    if not errors.points:
        return '<p class="nothing">No values to accept.</p>'
    top = round_up(max(target * 1.25, *(y for _, y in errors.points)))
    frame = Frame(height=_TALL, y_top=top)
    drawn = [frame.grid(y_ticks=[top * k / 4 for k in range(5)], percent=True)]
    drawn.append(frame.line([(0, target), (1, target)], "even"))
    drawn.append(frame.label(0, target + top * 0.02, f"target {whole_percent(target)}", look="start"))
    drawn.append(frame.line(errors.points, "line"))
    return _svg(frame, figure, *drawn, *(mark for curve in chosen for mark in _marks(frame, curve)))
