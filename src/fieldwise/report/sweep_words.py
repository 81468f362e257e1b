"""What a sweep shows, in words."""

from __future__ import annotations

from fieldwise.report.numbers import DASH, count, counted, rate
from fieldwise.runs.sweep import Sweep, SweepPoint
from fieldwise.stats.clustered import RateInterval
from fieldwise.stats.moments import Ratio

RATES: tuple[tuple[Ratio, str], ...] = (
    ("strict_f1", "F1 (strict)"),
    ("precision", "precision"),
    ("recall", "recall"),
    ("strict_recall", "strict recall"),
    ("f1", "F1"),
)
"""The rates of a sweep with their names, the first one being the headline."""
PAIRING = "The pairing of list items is held fixed: another threshold might pair them otherwise."
MEANING = (
    "A threshold says what counts as right: a lower one never lowers a rate, it only accepts more. "
    "Choose it by the values between, not by the rate."
)


def bounds(found: RateInterval) -> str:
    """Write an interval.

    >>> bounds(RateInterval(0.5, 0.25, 0.75, 9, 0.1, "logit"))
    '0.250–0.750'
    """
    return DASH if found.low is None or found.high is None else f"{rate(found.low)}–{rate(found.high)}"


def change(found: Sweep, point: SweepPoint) -> str:
    """Say how many more or fewer values match than at the current threshold."""
    more = point.tp - found.current.tp
    return "0" if not more else f"{'+' if more > 0 else '−'}{count(abs(more))}"


def best_words(found: Sweep) -> str:
    """Say where strict F1 is highest, and whether the difference to the current threshold is more than chance."""
    if found.best is found.current:
        return f"No other of these thresholds has a higher F1 (strict) than the current one, {found.threshold:g}."
    delta = found.difference
    more = counted(found.best.tp - found.current.tp, "more value")
    around = ""
    if delta.low is not None and delta.high is not None:
        around = f" (95% interval {delta.low:+.3f} to {delta.high:+.3f}, paired by document)"
        around += "" if delta.low > 0 else ": no more than chance"
    return (
        f"F1 (strict) is highest from {found.best.threshold:g} down: {rate(found.best.strict_f1)}, "
        f"{delta.delta or 0.0:+.3f} against the current {found.threshold:g}{around}. It calls {more} right."
    )


def fixed_words(found: Sweep) -> str:
    """Say which values no threshold changes."""
    parts = [counted(found.current.fn, "missed value"), counted(found.current.fa, "spurious one")]
    if found.rejected:
        parts.append(f"{found.rejected:,} in rejected list rows")
    if found.mistyped:
        parts.append(f"{found.mistyped:,} of another type")
    fixed = f"{', '.join(parts[:-1])} and {parts[-1]}"
    return f"{counted(found.swept, 'value')} with a score are judged again; {fixed} stay as they are."
