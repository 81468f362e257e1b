"""The top of the page: the headline, the cards, what became of the values, how the documents scored."""

from __future__ import annotations

from collections.abc import Sequence

from fieldwise.render.pages.markup import NAME_BREAKS, block
from fieldwise.results.rates import FEW_UNITS, Rate
from fieldwise.views.numbers import (
    GRADE_SYMBOLS,
    count,
    counted,
    documents_and_trials,
    grade,
    in_units,
    interval,
    percent,
    percent_interval,
    rate,
)
from fieldwise.views.report import EvaluationReport, FieldRow, RowKind
from fieldwise.views.words import DASH, WORDS, Outcome

_PLOT_WIDTH, _PLOT_HEIGHT = 460, 250
_LEFT, _TOP, _BOTTOM = 44, 12, 40


def header(report: EvaluationReport) -> str:
    """Return the title and a line that says how much was compared."""
    parts = [
        documents_and_trials(report.document_count, report.trial_count) + _clusters(report),
        counted(report.total.n, "value"),
        counted(fields_seen(report, "leaf"), "field"),
        counted(report.non_match_total, "non-match", "non-matches"),
        counted(report.failure_total, "failure"),
    ]
    line = "".join(f"<li>{part}</li>" for part in parts)
    return f'<h1>{block(report.title or "Evaluation", breaks=NAME_BREAKS)}</h1>\n<ul class="line">{line}</ul>'


def _clusters(report: EvaluationReport) -> str:
    if report.cluster_by is None:
        return ""
    return f" in {in_units(report.cluster_count or 0, 'clusters')} by {block(report.cluster_by, breaks=NAME_BREAKS)}"


def field_counts(report: EvaluationReport) -> str:
    """Say how many rows of which kind the field table has."""
    parts = [counted(fields_seen(report, "leaf"), "field")]
    others: list[tuple[RowKind, str]] = [
        ("rows", "list by rows|lists by rows"),
        ("object", "object"),
        ("undeclared", "undeclared key"),
    ]
    for kind, words in others:
        if number := fields_seen(report, kind):
            parts.append(counted(number, *words.split("|")))
    return ", ".join(parts)


def fields_seen(report: EvaluationReport, kind: RowKind) -> int:
    """Count the fields of a kind of which either side has a value."""
    return sum(row.kind == kind and row.n > 0 for row in report.fields)


_SCORE_NOTES = {"weighted score": "by the weights of the fields", "mean overall score": "of the documents’ results"}


def summary(report: EvaluationReport) -> str:
    """Return the headline, F1 (strict), the cards beside it and the bar of outcomes."""
    total = report.total
    cards = [
        _rate_card("Precision", total.precision, "of predicted values are right"),
        _rate_card("Strict recall", total.strict_recall, "of expected values are right"),
        _rate_card("Detection recall", total.recall, "wrong values don’t lower it"),
        _card("Failures", count(report.failure_total), _failure_note(report), alarm=report.failure_total > 0),
        _rate_card("Document macro F1", report.document_macro, _macro_note(report)),
        _exact_card(report),
        _rate_card(report.score_name.capitalize(), report.weighted_score, _SCORE_NOTES[report.score_name]),
        _card("Field macro F1", rate(report.field_macro.value), _field_macro_note(report)),
    ]
    top = f'<div class="top">{_headline(total)}<dl class="cards many">{"".join(cards)}</dl></div>'
    return f"{top}\n{_outcomes(total)}{_outside(report)}{_notes(report)}"


def _notes(report: EvaluationReport) -> str:
    items = "".join(f"<li>{block(note)}</li>" for note in report.notes)
    return f'\n<ul class="notes quiet">{items}</ul>' if items else ""


def _outside(report: EvaluationReport) -> str:
    """Say which values count nowhere."""
    sentence = report.outside.sentence
    return f'<p class="quiet">{block(sentence, breaks=NAME_BREAKS)}</p>' if sentence else ""


def bounds(of: Rate, shown: str) -> str:
    """Return an interval in small letters, and a mark where it is of few documents; nothing where nobody knows it."""
    if of.value is None or not of.n:
        return ""
    said = in_units(of.n, of.unit)
    if of.interval is None:
        return f'<small class="bounds" title="{said}: too few for an interval">no interval</small>'
    mark = f' <span class="few" title="{said}, fewer than {FEW_UNITS}: a rough interval">few</span>'
    flag = mark if of.is_of_few else ""
    return f'<small class="bounds" title="95% interval, {said}"><span>{shown}</span>{flag}</small>'


def badge(value: float | None) -> str:
    """Return a rate with the colour and the symbol of its grade."""
    look = grade(value)
    if look == "undefined":
        return f'<span class="quiet" title="nothing to divide by">{DASH}</span>'
    return f'<span class="badge {look}"><i aria-hidden="true">{GRADE_SYMBOLS[look]}</i> {rate(value)}</span>'


def bar(value: float | None, spread: tuple[float, float] | None = None) -> str:
    """Return a rate as the length of a bar; an interval is drawn on it as a line."""
    length = max(0.0, min(1.0, value or 0.0)) * 100
    line = ""
    if spread is not None:
        low, high = (100 * bound for bound in spread)
        line = f'<rect class="spread" x="{low:.2f}" y="2" width="{max(high - low, 0.5):.2f}" height="2"/>'
    return (
        f'<svg class="bar {grade(value)}" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="track" width="100" height="6"/><rect class="fill" width="{length:.2f}" height="6"/>{line}</svg>'
    )


def histogram(report: EvaluationReport) -> str:
    """Return how many documents have which score, as a drawing."""
    scored = sum(report.histogram)
    if not scored:
        return '<p class="nothing">No document has a score.</p>'
    unscored = report.document_count - scored
    note = f'<p class="quiet">{counted(unscored, "document")} without a score.</p>' if unscored > 0 else ""
    return f"<figure>{_plot(report.histogram)}</figure>{note}"


def _headline(total: FieldRow) -> str:
    found, lenient = total.strict_f1, total.f1.value
    differs = lenient is not None and lenient != found.value
    note = f"F1 is {rate(lenient)} if a wrong value is not also counted as missed." if differs else ""
    return (
        f'<div class="headline {grade(found.value)}"><h2>F1 (strict)</h2>'
        f'<p class="figure">{rate(found.value)}{_symbol(found.value)}</p>{bar(found.value, found.interval)}'
        f'{_said(found, f"95% interval {interval(found.interval)}")}<p class="quiet">{note}</p></div>'
    )


def _said(of: Rate, shown: str) -> str:
    """Say an interval and over how many documents it is, where both are known."""
    if of.value is None or not of.n:
        return ""
    n = f'<span class="n" title="{in_units(of.n, of.unit)}">n = {count(of.n)}</span>'
    return f'<p class="said">{bounds(of, shown)} {n}</p>'


def _symbol(value: float | None) -> str:
    return "" if value is None else f'<i title="{grade(value)}">{GRADE_SYMBOLS[grade(value)]}</i>'


def _card(title: str, number: str, note: str, *, said: str = "", alarm: bool = False) -> str:
    look = ' class="alarm"' if alarm else ""
    shown = f'<span class="figure">{number}</span>{said}<span class="note">{note}</span>'
    return f"<div{look}><dt>{title}</dt><dd>{shown}</dd></div>"


def _rate_card(title: str, of: Rate, note: str) -> str:
    return _card(title, rate(of.value), note, said=_said(of, interval(of.interval)))


def _macro_note(report: EvaluationReport) -> str:
    skipped = report.document_macro.skipped
    return f"strict, mean over documents{_left_out(skipped)}"


def _left_out(skipped: int) -> str:
    return f", {count(skipped)} without a value left out" if skipped else ""


def _field_macro_note(report: EvaluationReport) -> str:
    found = report.field_macro
    return f"strict, mean over {counted(found.n, 'field')}{_left_out(found.skipped)}" if found.n else "no fields"


def _exact_card(report: EvaluationReport) -> str:
    of = report.exact_rate
    said = _said(of, percent_interval(of.interval))
    return _card("Exact documents", percent(of.value), _exact_note(report), said=said)


def _exact_note(report: EvaluationReport) -> str:
    if not report.document_count:
        return "no documents"
    in_trials = "" if report.trial_count is None else " in every trial"
    return f"{count(report.exact_documents)} of {count(report.document_count)} without an error{in_trials}"


def _failure_note(report: EvaluationReport) -> str:
    return '<a href="#failures">documents, with reasons</a>' if report.failure_total else "every document was read"


def _outcomes(total: FieldRow) -> str:
    """Draw the four outcomes of the values that either side has as one bar; the key below names and counts them."""
    if not total.n:
        return ""
    counts: dict[Outcome, int] = {"match": total.tp, "mismatch": total.fd, "missed": total.fn, "spurious": total.fa}
    outcomes = [(look, WORDS.outcomes[look].symbol, WORDS.outcomes[look].past, n) for look, n in counts.items()]
    start, drawn, key = 0.0, "", ""
    for look, symbol, word, number in outcomes:
        width = 1000 * number / total.n
        drawn += f'<rect class="{look}" x="{start:.2f}" width="{width:.2f}" height="10"/>'
        key += (
            f'<li class="{look}"><i aria-hidden="true">{symbol}</i> {word} <b>{count(number)}</b> '
            f'<span class="quiet">{percent(number / total.n)}</span></li>'
        )
        start += width
    return (
        f'<div class="outcomes"><h2>What became of {counted(total.n, "value")}</h2>'
        f'<svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">{drawn}</svg>'
        f'<ul class="key">{key}</ul></div>'
    )


def _plot(counts: Sequence[int]) -> str:
    top = _round_up(max(counts))
    width, height = _LEFT + _PLOT_WIDTH + 10, _TOP + _PLOT_HEIGHT + _BOTTOM
    words = "; ".join(f"{_range(i, len(counts))}: {count(n)}" for i, n in enumerate(counts) if n)
    return (
        f'<svg class="plot" viewBox="0 0 {width} {height}" role="img" aria-label="Documents by score. {words}">'
        f"{_grid(top)}{''.join(_column(i, n, steps=len(counts), top=top) for i, n in enumerate(counts))}{_axis()}</svg>"
    )


def _column(i: int, number: int, *, steps: int, top: int) -> str:
    width = _PLOT_WIDTH / steps
    # A single document among thousands is still seen.
    height = max(_PLOT_HEIGHT * number / top, 2.0) if number else 0.0
    x, y = _LEFT + i * width, _TOP + _PLOT_HEIGHT - height
    label = f"score {_range(i, steps)}: {counted(number, 'document')}"
    filled = f'<rect class="column" x="{x + 1:.1f}" y="{y:.1f}" width="{width - 2:.1f}" height="{height:.1f}"/>'
    area = f'<rect class="area" x="{x:.1f}" y="{_TOP}" width="{width:.1f}" height="{_PLOT_HEIGHT}"/>'
    return f"<g>{area}{filled}<title>{label}</title></g>"


def _grid(top: int) -> str:
    lines = ""
    for mark in (0, top // 2, top):
        y = _TOP + _PLOT_HEIGHT * (1 - mark / top)
        lines += f'<line x1="{_LEFT}" x2="{_LEFT + _PLOT_WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>'
        lines += f'<text class="left" x="{_LEFT - 8}" y="{y + 4:.1f}">{count(mark)}</text>'
    return lines


def _axis() -> str:
    y = _TOP + _PLOT_HEIGHT
    ticks = "".join(
        f'<text x="{_LEFT + _PLOT_WIDTH * tick / 5:.1f}" y="{y + 17}">{tick / 5:g}</text>' for tick in range(6)
    )
    return f'{ticks}<text class="title" x="{_LEFT + _PLOT_WIDTH / 2}" y="{y + 35}">score of the document</text>'


def _range(i: int, steps: int) -> str:
    low, high = i / steps, (i + 1) / steps
    return f"{low:.4g} to {high:.4g}" if i + 1 == steps else f"{low:.4g} to below {high:.4g}"


def _round_up(number: int) -> int:
    """Return a round number that is not much larger, even if small, so that its half is one too."""
    if number < 10:
        return number + number % 2
    power: int = 10 ** (len(str(number)) - 2)
    return next(step * power for step in (10, 12, 16, 20, 24, 30, 40, 50, 60, 80, 100) if step * power >= number)
