"""A sweep of a field's threshold as one page that needs nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fieldwise.numbers import count, counted, interval, rate
from fieldwise.report.markup import NAME_BREAKS, PATH_BREAKS, Cell, Column, block, card, plain, table
from fieldwise.report.page import render
from fieldwise.report.sweep_charts import rates_chart, scores_chart
from fieldwise.report.sweep_words import JUDGED, MEANING, PAIRING, RATES, best_words, change, fixed_words
from fieldwise.results.rates import Ratio
from fieldwise.runs.field_scores import ScoredValue
from fieldwise.runs.sweep import Sweep, SweepPoint


def html_sweep(found: Sweep, facts: Mapping[str, str] | None = None) -> str:
    """Return the page of a sweep, complete in itself; the same sweep gives the same text."""
    parts = {
        "header": _header(found),
        "summary": _summary(found),
        "charts": _charts(found),
        "point_count": counted(len(found.points), "threshold"),
        "points": _point_table(found),
        "nearest": _nearest_table(found),
    }
    return render("sweep", parts, title=f"Thresholds of {found.field}", facts=facts or {}, style="charts.css")


def _header(found: Sweep) -> str:
    parts = [counted(found.documents, "document"), counted(found.swept, "value with a score", "values with a score")]
    line = "".join(f"<li>{part}</li>" for part in (*parts, plain(found.comparator)))
    return f'<h1>Thresholds of {block(found.field, breaks=PATH_BREAKS)}</h1>\n<ul class="line">{line}</ul>'


def _summary(found: Sweep) -> str:
    now, cards = found.current, ""
    for ratio, title in RATES[1:]:
        at = now.rates[ratio]
        name = f"{title[0].upper()}{title[1:]}"
        cards += card(name, rate(at.value), f"{interval(at.interval)}, {counted(at.n, 'document')}")
    headline = (
        f'<div class="headline"><h2>F1 (strict) at the current {found.threshold:g}</h2>'
        f'<p class="figure">{rate(now.strict_f1)}</p>'
        f'<p class="quiet">95% interval {interval(now.rates["strict_f1"].interval)}</p></div>'
    )
    told = "".join(f"<p>{words}</p>" for words in (best_words(found), MEANING, fixed_words(found), PAIRING))
    return (
        f'<div class="top">{headline}<dl class="cards two">{cards}</dl></div>\n<div class="outcomes told">{told}</div>'
    )


def _charts(found: Sweep) -> str:
    key = "".join(
        f'<li><svg viewBox="0 0 30 8" aria-hidden="true"><line class="{name}" x1="0" x2="30" y1="4" y2="4"/></svg>'
        f"{title}{', with its 95% interval' if name == 'strict_f1' else ''}</li>"
        for name, title in RATES
    )
    (match, good), (mismatch, bad) = JUDGED[True], JUDGED[False]
    scores = (
        f'<ul class="key"><li class="{match}"><i aria-hidden="true">{good}</i> {match} at the current threshold</li>'
        f'<li class="{mismatch}"><i aria-hidden="true">{bad}</i> {mismatch}</li></ul>'
    )
    return (
        f'<div class="wide-charts"><figure><figcaption>Rates by threshold</figcaption>{rates_chart(found)}'
        f'<ul class="key">{key}</ul></figure><figure><figcaption>How the scores lie</figcaption>{scores_chart(found)}'
        f"{scores}</figure></div>"
    )


def _point_table(found: Sweep) -> str:
    columns: list[Column[SweepPoint]] = [
        Column("threshold", lambda point: _threshold(found, point), "rate", sorted=True),
        *(_rate_column(name, title) for name, title in RATES),
        _count_column("TP", lambda point: point.tp),
        _count_column("FD", lambda point: point.fd),
        Column(
            "change",
            lambda p: Cell(change(found, p), p.tp - found.current.tp),
            "number",
            "matches, against the current",
        ),
    ]
    return table(
        "point-table",
        columns,
        found.points,
        caption="Thresholds, rising",
        attributes=lambda point: ' class="current"' if point is found.current else "",
    )


def _nearest_table(found: Sweep) -> str:
    if not found.nearest:
        return '<p class="nothing">No value has a score near it, other than the same on both sides.</p>'
    columns: list[Column[ScoredValue]] = [
        Column("score", lambda value: Cell(rate(value.score), value.score), "rate", sorted=True),
        Column("outcome", _outcome),
        Column("expected", lambda value: Cell(block(value.expected), value.expected), "value"),
        Column("predicted", lambda value: Cell(block(value.predicted), value.predicted), "value"),
        Column("document", lambda value: Cell(block(value.document, breaks=NAME_BREAKS), value.document)),
        Column("path", lambda value: Cell(block(value.path, breaks=PATH_BREAKS), value.path)),
    ]
    return table("nearest-table", columns, found.nearest, caption="Values next to the current threshold")


def _outcome(value: ScoredValue) -> Cell:
    word, sign = JUDGED[value.matches]
    return Cell(f'<span class="outcome {word}"><i aria-hidden="true">{sign}</i> {word}</span>', word)


def _threshold(found: Sweep, point: SweepPoint) -> Cell:
    tags = [name for name, one in (("current", found.current), ("highest", found.best)) if point is one]
    marks = "".join(f' <span class="tag">{tag}</span>' for tag in tags)
    return Cell(f"{marks} {point.threshold:g}", point.threshold)


def _rate_column(name: Ratio, title: str) -> Column[SweepPoint]:
    def cell(point: SweepPoint) -> Cell:
        found = point.rates[name]
        around = f' <span class="interval">{interval(found.interval)}</span>' if name == "strict_f1" else ""
        return Cell(rate(found.value) + around, found.value)

    return Column(title, cell, "rate")


def _count_column(title: str, of: Callable[[SweepPoint], int]) -> Column[SweepPoint]:
    return Column(title, lambda point: Cell(count(of(point)), of(point)), "number")
