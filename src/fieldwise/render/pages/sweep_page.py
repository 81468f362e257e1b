"""A sweep of a field's threshold as one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fieldwise.render.pages.markup import NAME_BREAKS, PATH_BREAKS, Cell, Column, block, card, plain, table
from fieldwise.render.pages.page import render
from fieldwise.render.pages.sweep_charts import sweep_charts
from fieldwise.results.rates import Ratio
from fieldwise.results.sweep import ScoredValue, Sweep, SweepPoint
from fieldwise.views.numbers import change as change_text
from fieldwise.views.numbers import count, counted, interval, number, rate
from fieldwise.views.sweep import MEANING, PAIRING, RATES, best_words, change, fixed_words
from fieldwise.views.words import WORDS


def html_sweep(sweep: Sweep, facts: Mapping[str, str] | None = None) -> str:
    """Return the page of a sweep, complete in itself; the same sweep gives the same text."""
    parts = {
        "header": _header(sweep),
        "summary": _summary(sweep),
        "charts": _charts(sweep),
        "point_count": counted(len(sweep.points), "threshold"),
        "points": _point_table(sweep),
        "nearest": _nearest_table(sweep),
    }
    return render("sweep", parts, title=f"Thresholds of {sweep.field}", facts=facts or {}, style="charts.css")


def _header(sweep: Sweep) -> str:
    parts = [counted(sweep.documents, "document"), counted(sweep.swept, "value with a score", "values with a score")]
    line = "".join(f"<li>{part}</li>" for part in (*parts, plain(sweep.comparator)))
    return f'<h1>Thresholds of {block(sweep.field, breaks=PATH_BREAKS)}</h1>\n<ul class="line">{line}</ul>'


def _summary(sweep: Sweep) -> str:
    now, cards = sweep.at(sweep.current), ""
    for ratio, title in RATES[1:]:
        at = now.rates.of(ratio)
        name = f"{title[0].upper()}{title[1:]}"
        cards += card(name, rate(at.value), f"{interval(at.interval)}, {counted(at.n, 'document')}")
    headline = (
        f'<div class="headline"><h2>F1 (strict) at the current {number(sweep.threshold)}</h2>'
        f'<p class="figure">{rate(now.strict_f1)}</p>'
        f'<p class="quiet">95% interval {interval(now.rates.strict_f1.interval)}</p></div>'
    )
    told = "".join(f"<p>{words}</p>" for words in (best_words(sweep), MEANING, fixed_words(sweep), PAIRING))
    return (
        f'<div class="top">{headline}<dl class="cards two">{cards}</dl></div>\n<div class="outcomes told">{told}</div>'
    )


def _charts(sweep: Sweep) -> str:
    key = "".join(
        f'<li><svg viewBox="0 0 30 8" aria-hidden="true"><line class="{name}" x1="0" x2="30" y1="4" y2="4"/></svg>'
        f"{title}{', with its 95% interval' if name == 'strict_f1' else ''}</li>"
        for name, title in RATES
    )
    match, mismatch = WORDS.outcomes["match"], WORDS.outcomes["mismatch"]
    scores = (
        f'<ul class="key"><li class="match"><i aria-hidden="true">{match.symbol}</i> {match.word} '
        "at the current threshold</li>"
        f'<li class="mismatch"><i aria-hidden="true">{mismatch.symbol}</i> {mismatch.word}</li></ul>'
    )
    (rates, rates_svg), (distribution, scores_svg) = sweep_charts(sweep)
    return (
        f'<div class="wide-charts"><figure><figcaption>{rates}</figcaption>{rates_svg}'
        f'<ul class="key">{key}</ul></figure><figure><figcaption>{distribution}</figcaption>{scores_svg}'
        f"{scores}</figure></div>"
    )


def _point_table(sweep: Sweep) -> str:
    now = sweep.at(sweep.current)
    columns: list[Column[SweepPoint]] = [
        Column("threshold", lambda point: _threshold(sweep, point), "rate", sorted=True),
        *(_rate_column(name, title) for name, title in RATES),
        _count_column("TP", lambda point: point.tp),
        _count_column("FD", lambda point: point.fd),
        Column(
            "change",
            lambda point: Cell(change_text(change(sweep, point)), change(sweep, point)),
            "number",
            "matches, against the current",
        ),
    ]
    return table(
        "point-table",
        columns,
        sweep.points,
        caption="Thresholds, rising",
        attributes=lambda point: ' class="current"' if point is now else "",
    )


def _nearest_table(sweep: Sweep) -> str:
    if not sweep.nearest:
        return '<p class="nothing">No value has a score near it, other than the same on both sides.</p>'
    columns: list[Column[ScoredValue]] = [
        Column("score", lambda value: Cell(rate(value.score), value.score), "rate", sorted=True),
        Column("outcome", _outcome),
        Column("expected", lambda value: Cell(block(value.expected), value.expected), "value"),
        Column("predicted", lambda value: Cell(block(value.predicted), value.predicted), "value"),
        Column("document", lambda value: Cell(block(value.document, breaks=NAME_BREAKS), value.document)),
        Column("path", lambda value: Cell(block(value.path, breaks=PATH_BREAKS), value.path)),
    ]
    return table(
        "nearest-table", columns, sweep.nearest, caption="The nearest values on each side of the current threshold"
    )


def _outcome(value: ScoredValue) -> Cell:
    look = WORDS.outcomes["match" if value.matches else "mismatch"]
    return Cell(
        f'<span class="outcome {look.word}"><i aria-hidden="true">{look.symbol}</i> {look.word}</span>', look.word
    )


def _threshold(sweep: Sweep, point: SweepPoint) -> Cell:
    tags = [name for name, one in (("current", sweep.current), ("highest", sweep.best)) if point.threshold == one]
    marks = "".join(f' <span class="tag">{tag}</span>' for tag in tags)
    return Cell(f"{marks} {number(point.threshold)}", point.threshold)


def _rate_column(name: Ratio, title: str) -> Column[SweepPoint]:
    def cell(point: SweepPoint) -> Cell:
        found = point.rates.of(name)
        around = f' <span class="interval">{interval(found.interval)}</span>' if name == "strict_f1" else ""
        return Cell(rate(found.value) + around, found.value)

    return Column(title, cell, "rate")


def _count_column(title: str, of: Callable[[SweepPoint], int]) -> Column[SweepPoint]:
    return Column(title, lambda point: Cell(count(of(point)), of(point)), "number")
