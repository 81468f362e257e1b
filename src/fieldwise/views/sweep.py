"""What a sweep shows: the rates of a field at each threshold, what they mean, and values next to the current one."""

from __future__ import annotations

from collections.abc import Sequence

from fieldwise.results.page import SweepPage
from fieldwise.results.rates import Ratio
from fieldwise.results.sweep import Sweep, SweepPoint
from fieldwise.text import one_line
from fieldwise.views.comparison import outcome_cell
from fieldwise.views.numbers import count, counted, number, points, points_interval, rate
from fieldwise.views.parts import Cell, Headline, Part, Row, Sentence, Table, View
from fieldwise.views.words import WORDS, columns

_ORDER: tuple[Ratio, ...] = ("strict_f1", "precision", "strict_recall", "recall", "f1")
_MEANING, _PAIRING = WORDS.notes["threshold"], WORDS.notes["pairing"]
_STACK_BELOW = 60


def sweep_view(sweep: Sweep) -> View:
    """Return the rates of a field at each threshold, and what they mean."""
    about = f"{sweep.comparator}, threshold {number(sweep.threshold)}"
    documents = counted(sweep.documents, "document")
    parts: list[Part] = [
        Headline(Sentence(one_line(sweep.field)), Sentence(f"{about}; {documents}, {fixed_words(sweep)}", "quiet")),
        Table(columns("points"), tuple(_point(sweep, point) for point in sweep.points)),
        Sentence(best_words(sweep)),
        Sentence(f"{_MEANING} {_PAIRING}", "quiet"),
    ]
    if sweep.nearest:
        keys = ("score", "outcome", "expected", "predicted", "document")
        rows = tuple(
            Row(
                (
                    Cell(value.score),
                    outcome_cell("match" if value.matches else "mismatch"),
                    *map(Cell, (value.expected, value.predicted, value.document)),
                )
            )
            for value in sweep.nearest
        )
        title = f"The nearest values on each side of the threshold {number(sweep.threshold)}"
        parts.append(Table(columns("nearest", *keys), rows, title, stack_below=_STACK_BELOW))
    return View(tuple(parts))


def sweep_answers(sweep: Sweep) -> SweepPage:
    """Return what a page shows of a sweep: the figures, and sentences about them."""
    return SweepPage(sweep, best_words(sweep), fixed_words(sweep))


def _point(sweep: Sweep, point: SweepPoint) -> Row:
    is_current = point.threshold == sweep.current
    mark = "◀ current" if is_current else "highest" if point.threshold == sweep.best else ""
    rates = [point.rates.of(ratio) for ratio in _ORDER]
    cells = (
        *(Cell(point.threshold), Cell(mark), Cell(rates[0].value), Cell(rates[0].interval)),
        *(Cell(found.value) for found in rates[1:]),
        *(Cell(point.tp), Cell(point.fd), Cell(change(sweep, point))),
    )
    return Row(cells, "strong" if is_current else "plain")


def change(sweep: Sweep, point: SweepPoint) -> int:
    """Return how many more or fewer values match than at the current threshold."""
    return point.tp - sweep.at(sweep.current).tp


def best_words(sweep: Sweep) -> str:
    """Say where strict F1 is highest among the thresholds, and whether that is more than chance."""
    if sweep.best == sweep.current:
        return f"No other of these thresholds has a higher F1 (strict) than the current one, {number(sweep.threshold)}."
    delta, best = sweep.difference, sweep.at(sweep.best)
    more = counted(best.tp - sweep.at(sweep.current).tp, "more value")
    around = ""
    if delta.low is not None and delta.high is not None:
        around = f" (95%: {points_interval(delta.low, delta.high)}, paired by document)"
        around += "" if delta.low > 0 else ": no more than chance"
    return (
        f"Of these thresholds F1 (strict) is highest {_at(sweep.highest)}: {rate(best.strict_f1)}, "
        f"{points(delta.delta or 0.0)} points against the current {number(sweep.threshold)}{around}. "
        f"It calls {more} right."
    )


def _at(thresholds: Sequence[float]) -> str:
    """Say at which thresholds; they follow each other, as a lower one never lowers a rate."""
    first, last = number(thresholds[0]), number(thresholds[-1])
    if len(thresholds) > 2:
        return f"from {first} to {last}"
    return f"at {first}" if len(thresholds) == 1 else f"at {first} and {last}"


def fixed_words(sweep: Sweep) -> str:
    """Say which values no threshold changes."""
    now = sweep.at(sweep.current)
    parts = [f"{count(now.fn)} missed", f"{count(now.fa)} spurious"]
    for n, words in (
        (sweep.rejected, "in rejected list rows"),
        (sweep.mistyped, "of another type"),
        (sweep.raised, "whose comparator raised"),
    ):
        parts += [f"{count(n)} {words}"] if n else []
    return f"re-scored: {counted(sweep.swept, 'value')}; unchanged: {', '.join(parts)}"
