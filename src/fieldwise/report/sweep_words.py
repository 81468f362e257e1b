"""What a sweep shows, in words."""

from __future__ import annotations

from collections.abc import Sequence

from fieldwise.numbers import METRIC_NAMES, count, counted, rate
from fieldwise.results.rates import Ratio
from fieldwise.results.sweep import Sweep, SweepPoint

_ORDER: tuple[Ratio, ...] = ("strict_f1", "precision", "strict_recall", "recall", "f1")
RATES = tuple((ratio, METRIC_NAMES[ratio]) for ratio in _ORDER)
"""The rates of a sweep with their names, the first one being the headline."""
JUDGED = {True: ("match", "✓"), False: ("mismatch", "✗")}
"""A word and a sign for values that match at the current threshold, and for those that do not."""
PAIRING = "The pairing of list items is held fixed: another threshold might pair them otherwise."
MEANING = (
    "A threshold says what counts as right: a lower one never lowers a rate, it only accepts more. "
    "Choose it by the values between, not by the rate."
)


def change(sweep: Sweep, point: SweepPoint) -> str:
    """Say how many more or fewer values match than at the current threshold."""
    more = point.tp - sweep.at(sweep.current).tp
    return "0" if not more else f"{'+' if more > 0 else '−'}{count(abs(more))}"


def best_words(sweep: Sweep) -> str:
    """Say where strict F1 is highest among the thresholds, and whether that is more than chance."""
    if sweep.best == sweep.current:
        return f"No other of these thresholds has a higher F1 (strict) than the current one, {sweep.threshold:g}."
    delta, best = sweep.difference, sweep.at(sweep.best)
    more = counted(best.tp - sweep.at(sweep.current).tp, "more value")
    around = ""
    if delta.low is not None and delta.high is not None:
        around = f" (95% interval {delta.low:+.3f} to {delta.high:+.3f}, paired by document)"
        around += "" if delta.low > 0 else ": no more than chance"
    return (
        f"Of these thresholds F1 (strict) is highest {_at(sweep.highest)}: {rate(best.strict_f1)}, "
        f"{delta.delta or 0.0:+.3f} against the current {sweep.threshold:g}{around}. It calls {more} right."
    )


def _at(thresholds: Sequence[float]) -> str:
    """Say at which thresholds; they follow each other, as a lower one never lowers a rate."""
    first, last = (f"{threshold:g}" for threshold in (thresholds[0], thresholds[-1]))
    if len(thresholds) > 2:
        return f"from {first} to {last}"
    return f"at {first}" if len(thresholds) == 1 else f"at {first} and {last}"


def fixed_words(sweep: Sweep) -> str:
    """Say which values no threshold changes."""
    now = sweep.at(sweep.current)
    parts = [counted(now.fn, "missed value"), counted(now.fa, "spurious one")]
    if sweep.rejected:
        parts.append(f"{sweep.rejected:,} in rejected list rows")
    if sweep.mistyped:
        parts.append(f"{sweep.mistyped:,} of another type")
    if sweep.raised:
        parts.append(f"{sweep.raised:,} whose comparator raised")
    fixed = f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"judged again: {counted(sweep.swept, 'value')} with a score; as they are: {fixed}"
