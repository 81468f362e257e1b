"""The kinds of error on the page: how often each occurs and where most, and the filter of non-matches by kind."""

from __future__ import annotations

from collections import Counter

from fieldwise.error_kinds import KINDS, Kind
from fieldwise.render.pages.markup import PATH_BREAKS, Cell, Column, block, table
from fieldwise.results import ErrorKindCounts
from fieldwise.views.numbers import count, counted, share
from fieldwise.views.report import EvaluationReport, NonMatchRow
from fieldwise.views.words import WORDS, kind_word

_MOST_FIELDS = 4
_MORE_FIELDS = 40


def kind_section(report: EvaluationReport) -> str:
    """Return the section with the kinds, the commonest first; nothing where no rows were written."""
    if report.error_kinds is None or not report.error_kinds.total:
        return ""
    kinds = report.error_kinds
    listed = {row.kind for row in report.non_matches}
    ranked = sorted(kinds.total, key=lambda kind: (-kinds.total[kind], KINDS.index(kind)))
    shown = table("kind-table", _columns(kinds, listed), ranked, caption="Kinds of error, the commonest first")
    number = counted(sum(kinds.total.values()), "error")
    return (
        '<section id="kinds" aria-labelledby="kinds-title">\n<div class="heading"><h2 id="kinds-title">'
        f'What kinds of error</h2><p class="status">{number} of {counted(len(ranked), "kind")}</p></div>\n'
        f"{shown}\n</section>"
    )


def kind_choices(report: EvaluationReport) -> str:
    """Return the filter by kind, with how many are listed; nothing where the listed errors have no kinds."""
    listed = Counter(row.kind for row in report.non_matches if row.kind)
    if not listed:
        return ""
    options = "".join(
        f'<option value="{kind}">{kind_word(kind)} ({count(listed[kind])})</option>' for kind in KINDS if listed[kind]
    )
    label = 'aria-label="Filter non-matches by kind of error"'
    return f'<select name="kind" {label}><option value="">all kinds</option>{options}</select>'


def kind_column() -> Column[NonMatchRow]:
    """Return the column of the non-matches that names the kind."""
    return Column("kind", lambda row: Cell(_words(row.kind) if row.kind else "", None))


def _words(kind: Kind) -> str:
    return f'<span title="{WORDS.error_kinds[kind].meaning}">{kind_word(kind)}</span>'


def _columns(kinds: ErrorKindCounts, listed: set[Kind | None]) -> list[Column[Kind]]:
    whole, most = sum(kinds.total.values()), max(kinds.total.values())

    def name(kind: Kind) -> Cell:
        words = _words(kind)
        return Cell(f'<a href="#non-matches" data-kind="{kind}">{words}</a>' if kind in listed else words, None)

    def share_cell(kind: Kind) -> Cell:
        n = kinds.total[kind]
        return Cell(f'<span class="share">{_bar(n / most)}<b>{share(n, whole)}</b></span>', n)

    return [
        Column("kind", name),
        Column("errors", lambda kind: Cell(count(kinds.total[kind]), kinds.total[kind]), "number"),
        Column("share", share_cell, "rate", "of all errors"),
        Column("where most", lambda kind: Cell(_where(kind, kinds), None), hint="the fields with most of them"),
    ]


def _bar(length: float) -> str:
    return (
        '<svg class="bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="track" width="100" height="6"/><rect class="fill" width="{100 * length:.2f}" height="6"/></svg>'
    )


def _where(kind: Kind, kinds: ErrorKindCounts) -> str:
    counts = {field: held[kind] for field, held in kinds.fields.items() if kind in held}
    fields = sorted(counts, key=lambda field: (-counts[field], field))
    items = [
        f'<li>{block(field, breaks=PATH_BREAKS)} <span class="quiet">{count(counts[field])}</span></li>'
        for field in fields
    ]
    first, rest = items[:_MOST_FIELDS], items[_MOST_FIELDS:_MORE_FIELDS]
    shown = f'<ul class="where">{"".join(first)}</ul>'
    if not rest:
        return shown
    left = len(items) - _MOST_FIELDS
    return (
        f'{shown}<details><summary class="quiet">{counted(left, "more field")}</summary>'
        f'<ul class="where">{"".join(rest)}</ul></details>'
    )
