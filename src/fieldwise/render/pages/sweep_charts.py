"""The two plots of a sweep: rates by threshold, and the distribution of the scores."""

from __future__ import annotations

import math

from fieldwise.render.pages.charts import Frame, short
from fieldwise.results.sweep import Sweep
from fieldwise.views.numbers import count, number, rate
from fieldwise.views.sweep import RATES

_WIDTH, _HEIGHT = 420, 250


def rates_chart(sweep: Sweep) -> str:
    """Draw every rate by threshold, strict F1 with its interval; an upright line stands at the current threshold."""
    low = lowest_rate(sweep)
    frame = Frame(width=_WIDTH, height=_HEIGHT, y_low=low)
    drawn = [frame.grid(y_ticks=[low + (1 - low) * k / 4 for k in range(5)])]
    drawn.append(frame.band(interval_of_strict_f1(sweep), "band"))
    drawn += [frame.upright(sweep.threshold, "current"), _current(frame, sweep, low + (1 - low) * 0.04)]
    for name, _ in reversed(RATES):
        line = [(p.threshold, value) for p in sweep.points if (value := p.rates.of(name).value) is not None]
        drawn.append(frame.line(line, f"line {name}"))
    told = "; ".join(f"{number(point.threshold)}: {rate(point.strict_f1)}" for point in sweep.points)
    return frame.svg(f"F1 (strict) by threshold. {told}", "threshold", "rate", *drawn)


def scores_chart(sweep: Sweep) -> str:
    """Draw how many values have which score, matches and mismatches at the current threshold, on a scale of logs."""
    most = max(1, *(b.matches + b.mismatches for b in sweep.scores))
    top = math.log10(1 + most)
    frame = Frame(width=_WIDTH, height=_HEIGHT, y_top=top * 1.15)
    marks = [0, *(10**k for k in range(math.floor(math.log10(most)) + 1))]
    drawn = [frame.grid(y_ticks=[math.log10(1 + mark) for mark in marks], names=[short(mark) for mark in marks])]
    for b in sweep.scores:
        size, kind = (b.matches, "match") if b.matches else (b.mismatches, "mismatch")
        words = f"score {number(b.low)} to {number(b.high)}: {count(b.matches)} match, {count(b.mismatches)} mismatch"
        if size:
            drawn.append(frame.column(b.low, b.high, math.log10(1 + size), words=words, look=kind))
    drawn += [frame.upright(sweep.threshold, "current"), _current(frame, sweep, top * 1.1)]
    filled = [b for b in sweep.scores if b.matches + b.mismatches]
    told = "; ".join(f"{number(b.low)}: {count(b.matches + b.mismatches)}" for b in filled)
    return frame.svg(f"Values by score. {told}", "score", "values (log scale)", *drawn)


def lowest_rate(sweep: Sweep) -> float:
    """Return where the axis of rates begins: a round number below all of them."""
    values = [
        value for point in sweep.points for ratio, _ in RATES if (value := point.rates.of(ratio).value) is not None
    ]
    lows = [low for _, low, _ in interval_of_strict_f1(sweep)]
    return max(0.0, math.floor(min([*values, *lows, 0.96]) * 5) / 5)


def interval_of_strict_f1(sweep: Sweep) -> list[tuple[float, float, float]]:
    """Return the thresholds at which strict F1 has an interval, with its ends."""
    banded = [(point.threshold, point.rates.strict_f1) for point in sweep.points]
    return [(x, rate.low, rate.high) for x, rate in banded if rate.low is not None and rate.high is not None]


def _current(frame: Frame, sweep: Sweep, y: float) -> str:
    """Write the current threshold beside its line, on the side that has room."""
    right = sweep.threshold < 0.5
    x = sweep.threshold + (0.012 if right else -0.012)
    return frame.label(x, y, f"current {number(sweep.threshold)}", look="start" if right else "left")
