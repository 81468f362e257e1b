"""The two figures of a sweep as drawings."""

from __future__ import annotations

import math

from fieldwise.render.pages.charts import Frame
from fieldwise.results.sweep import Sweep
from fieldwise.views.figures import rates, scores
from fieldwise.views.numbers import number, short_count
from fieldwise.views.parts import Figure

_WIDTH, _HEIGHT = 420, 250


def sweep_charts(sweep: Sweep) -> list[tuple[str, str]]:
    """Return the figures of a sweep with their titles."""
    figures = rates(sweep), scores(sweep)
    drawn = _rates(figures[0], sweep), _scores(figures[1], sweep)
    return [(figure.title, svg) for figure, svg in zip(figures, drawn, strict=True)]


def _rates(figure: Figure, sweep: Sweep) -> str:
    *lines, interval = figure.curves
    values = [y for curve in lines for _, y in curve.points]
    low = max(0.0, math.floor(min([*values, *interval.low, 0.96]) * 5) / 5)
    frame = Frame(width=_WIDTH, height=_HEIGHT, y_low=low)
    drawn = [frame.grid(y_ticks=[low + (1 - low) * k / 4 for k in range(5)])]
    places = [x for x, _ in interval.points]
    drawn.append(frame.band([*zip(places, interval.low, interval.high, strict=True)], "band"))
    drawn += [frame.upright(sweep.threshold, "current"), _current(frame, sweep, low + (1 - low) * 0.04)]
    drawn += [frame.line(curve.points, f"line {curve.name}") for curve in reversed(lines)]
    return frame.svg(figure.summary, figure.x_title, figure.y_title, *drawn)


def _scores(figure: Figure, sweep: Sweep) -> str:
    most = max(1, *(b.matches + b.mismatches for b in sweep.scores))
    top = math.log10(1 + most)
    frame = Frame(width=_WIDTH, height=_HEIGHT, y_top=top * 1.15)
    marks = [0, *(10**k for k in range(math.floor(math.log10(most)) + 1))]
    drawn = [frame.grid(y_ticks=[math.log10(1 + mark) for mark in marks], names=[short_count(mark) for mark in marks])]
    for curve in figure.curves:
        columns = zip(curve.points, curve.low, curve.high, curve.words, strict=True)
        drawn += [
            frame.column(low, high, math.log10(1 + n), words=words, look=curve.name)
            for (_, n), low, high, words in columns
            if n
        ]
    drawn += [frame.upright(sweep.threshold, "current"), _current(frame, sweep, top * 1.1)]
    return frame.svg(figure.summary, figure.x_title, figure.y_title, *drawn)


def _current(frame: Frame, sweep: Sweep, y: float) -> str:
    """Write the current threshold beside its line, on the side that has room."""
    right = sweep.threshold < 0.5
    x = sweep.threshold + (0.012 if right else -0.012)
    return frame.label(x, y, f"current {number(sweep.threshold)}", look="start" if right else "left")
