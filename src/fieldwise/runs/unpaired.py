"""Two metrics files without the documents behind them: differences that don't pair documents, and no verdict."""

from __future__ import annotations

import math

from fieldwise.results import FieldMetrics, Rate, Ratio, Result
from fieldwise.results.rates import UNKNOWN
from fieldwise.runs.run import Run


class UnpairedRow(Result, frozen=True):
    """A rate of two runs and their difference, with an interval that takes the documents for different ones."""

    path: str
    base: Rate
    candidate: Rate
    delta: float | None
    low: float | None
    high: float | None


class UnpairedDifference(Result, frozen=True):
    """What two metrics files say. Documents are not paired: a real difference is easily overlooked."""

    ratio: Ratio
    total: UnpairedRow
    fields: tuple[UnpairedRow, ...]
    without_rows: str
    """The run that has no rows to pair."""


def compare_metrics(base: Run, candidate: Run, *, ratio: Ratio = "strict_f1") -> UnpairedDifference:
    """Compare the rates of two runs by their metrics alone."""
    sides = base.metrics.fields, candidate.metrics.fields
    rows = [_row(path, sides[0].get(path), sides[1].get(path), ratio) for path in sorted({*sides[0], *sides[1]})]
    total = _row("", base.metrics.aggregate, candidate.metrics.aggregate, ratio)
    without_rows = next((run.name for run in (base, candidate) if not run.has_rows), "neither run")
    worst_first = sorted(rows, key=lambda row: (row.delta is None, row.delta or 0.0))
    return UnpairedDifference(ratio, total, tuple(worst_first), without_rows)


def _row(path: str, base: FieldMetrics | None, candidate: FieldMetrics | None, ratio: Ratio) -> UnpairedRow:
    before, after = _rate(base, ratio), _rate(candidate, ratio)
    if before.value is None or after.value is None:
        return UnpairedRow(path, before, after, None, None, None)
    delta = after.value - before.value
    if before.low is None or before.high is None or after.low is None or after.high is None:
        return UnpairedRow(path, before, after, delta, None, None)
    down = math.hypot(after.value - after.low, before.high - before.value)
    up = math.hypot(after.high - after.value, before.value - before.low)
    return UnpairedRow(path, before, after, delta, delta - down, delta + up)


def _rate(row: FieldMetrics | None, ratio: Ratio) -> Rate:
    return UNKNOWN if row is None else row.rates.of(ratio)
