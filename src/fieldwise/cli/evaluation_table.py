"""An evaluation as tables on a terminal: all values together, and the fields, worst first, each rate with interval."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fieldwise.cli.advice import with_options
from fieldwise.cli.console import NameText, least_width
from fieldwise.error_kinds import WORDS
from fieldwise.numbers import (
    DASH,
    GRADE_SYMBOLS,
    count,
    counted,
    documents_and_trials,
    grade,
    interval,
    percent,
    percent_interval,
    rate,
    share,
)
from fieldwise.report.content import EvaluationReport, FieldRow, name_of
from fieldwise.results.metrics import Metrics, SliceMetrics
from fieldwise.results.rates import FEW_UNITS, UNKNOWN, Rate
from fieldwise.text import one_line

_STYLES = {"good": "green", "fair": "yellow", "poor": "red", "undefined": "dim"}
_WIDE, _WIDEST = 110, 146
_MARK = "*"
_NEAR = "near"
_MOST_KINDS = 5


def print_evaluation(console: Console, report: EvaluationReport, *, most: int | None = None) -> None:
    """Print the summary, the field table and what could not be read."""
    _summary(console, report)
    _kinds(console, report)
    seen = [row for row in report.fields if row.n]
    shown = seen if most is None else seen[:most]
    width = _fitting_width(console, shown)
    if shown:
        console.print(_table(shown, width))
    _notes(console, report, shown, width)
    hidden, never = len(seen) - len(shown), len(report.fields) - len(seen)
    if hidden:
        console.print(f"[dim]{counted(hidden, 'better field')} not listed; --all lists them[/]")
    if never:
        console.print(f"[dim]{counted(never, 'field')} without a value on either side in any document[/]")
    if report.outside.sentence:
        console.print(Text(one_line(report.outside.sentence), style="dim"))
    _failures(console, report)
    for note in report.notes:
        console.print(Text(one_line(with_options(note)), style="yellow"))


def print_slices(console: Console, metrics: Metrics) -> None:
    """Print a small table for the classes of documents and for each slice key, and what the units are, if clusters."""
    if metrics.cluster_by is not None:
        units = f"{counted(metrics.cluster_count or 0, 'cluster')} by {metrics.cluster_by}"
        console.print(Text(f"n counts clusters, not documents: {one_line(units)}", style="dim"))
    groups = {"class": SliceMetrics(metrics.classes)} if metrics.classes else {}
    for key, held in (groups | (metrics.slices or {})).items():
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        table.add_column(one_line(key), overflow="fold")
        table.add_column("F1 (strict)  95 %", no_wrap=True)
        table.add_column("documents", justify="right")
        named = [(NameText.of(value), group) for value, group in held.values.items()]
        for name, group in [*named, *([(Text("none", style="dim"), held.missing)] if held.missing else [])]:
            f1 = UNKNOWN if group.aggregate is None else group.aggregate.rates.strict_f1
            table.add_row(name, _with_bounds(_badge(f1.value), f1), count(group.document_count or 0))
        console.print(table)


def _summary(console: Console, report: EvaluationReport) -> None:
    total, documents = report.total, documents_and_trials(report.document_count, report.trial_count)
    console.print(Text(f"{documents}, {counted(total.n, 'value')}", style="bold"))
    console.print(
        f"[dim]{count(total.tp)} match · {count(total.fd)} mismatch · {count(total.fn)} missed · "
        f"{count(total.fa)} spurious · {count(total.tn)} absent on both sides[/]"
    )
    console.print(_rates(report, side_by_side=console.width >= _WIDE))


def _kinds(console: Console, report: EvaluationReport) -> None:
    """Print the commonest kinds of error in one line."""
    if report.error_kinds is None or not report.error_kinds.total:
        return
    total = report.error_kinds.total
    commonest = sorted(total.items(), key=lambda kind: -kind[1])
    shown = " · ".join(f"{WORDS[kind]} {share(n, sum(total.values()))}" for kind, n in commonest[:_MOST_KINDS])
    console.print(f"[dim]kinds of error: {shown}[/]")


def _rates(report: EvaluationReport, *, side_by_side: bool) -> Table:
    """Return the rates of all values, and those of documents as wholes beside or below them."""
    total, exact = report.total, report.exact_rate
    of_values = [
        _line("F1 (strict)", _badge(total.strict_f1.value), total.strict_f1),
        _line("precision", rate(total.precision.value), total.precision),
        _line("strict recall", rate(total.strict_recall.value), total.strict_recall),
        _line("detection recall", rate(total.recall.value), total.recall),
    ]
    in_trials = "" if report.trial_count is None else " in every trial"
    share = _line(f"documents without error ({count(report.exact_documents)}{in_trials})", percent(exact.value), exact)
    share[2] = Text(_marked(percent_interval(exact.interval), exact), style="dim")
    mean = report.field_macro
    of_documents = [
        share,
        _line("document macro F1 (strict)", rate(report.document_macro.value), report.document_macro),
        _line(report.score_name, rate(report.weighted_score.value), report.weighted_score),
        [Text(f"field macro F1 (strict), {counted(mean.n, 'field')}"), Text(rate(mean.value)), Text(""), Text("")],
    ]
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in ["all values", "documents"][: 2 if side_by_side else 1]:
        table.add_column(name)
        table.add_column(justify="right")
        table.add_column("95 %")
        table.add_column("n", justify="right")
    pairs = zip(of_values, of_documents, strict=True)
    for line in [[*left, *right] for left, right in pairs] if side_by_side else [*of_values, *of_documents]:
        table.add_row(*line)
    return table


def _line(name: str, value: Text | str, of: Rate) -> list[Text]:
    n = "" if not of.n else count(of.n)
    shown = value if isinstance(value, Text) else Text(value)
    return [Text(name), shown, Text(_marked(interval(of.interval), of), style="dim"), Text(n, style="dim")]


def _badge(value: float | None) -> Text:
    level = grade(value)
    return Text(f"{GRADE_SYMBOLS[level]} {rate(value):5}", style=_STYLES[level])


def _marked(shown: str, of: Rate) -> str:
    return shown + (_MARK if of.is_of_few else " ")


def _fitting_width(console: Console, rows: Sequence[FieldRow]) -> int:
    """Return the width whose columns leave room for the names without breaking a word, 0 for the fewest columns."""
    for width in (_WIDEST, _WIDE):
        if (
            console.width >= width
            and least_width(console, _table(rows, width), list(map(_name, rows))) <= console.width
        ):
            return width
    return 0


def _table(rows: Sequence[FieldRow], width: int) -> Table:
    """Return the fields: strict F1 wherever it is shown, the other rates and the counts where there is room."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("field, worst first", overflow="fold")
    rates = ["precision", "strict recall", "detection recall"][: 3 if width >= _WIDEST else 2 if width >= _WIDE else 0]
    counts = ["values", "FD", "FA", "FN"][: 4 if width >= _WIDEST else 1 if width >= _WIDE else 0]
    if counts and any(row.near for row in rows):
        counts.append(_NEAR)
    for name in ("F1 (strict)", *rates):
        table.add_column(f"{name}  95 %", no_wrap=True)
    for name in ("n", *counts):
        table.add_column(name, justify="right")
    for row in rows:
        others = [row.precision, row.strict_recall, row.recall][: len(rates)]
        numbers = _numbers(row, counts)
        n = DASH if not row.strict_f1.n else count(row.strict_f1.n)
        first = _with_bounds(_badge(row.strict_f1.value), row.strict_f1)
        cells = [_with_bounds(Text(f"{rate(of.value):5}"), of) for of in others]
        table.add_row(_name(row), first, *cells, n, *numbers)
    return table


def _numbers(row: FieldRow, columns: Sequence[str]) -> list[str]:
    """Return the counts of a field; what became of the rows of a list is said in words below the table."""
    found = {"values": row.n, "FD": row.fd, "FA": row.fa, "FN": row.fn, _NEAR: row.near}
    return [count(found[name]) if name == "values" or row.kind != "rows" else "" for name in columns]


def _with_bounds(value: Text, of: Rate) -> Text:
    """Return a rate and its interval, all of the same width."""
    shown = "" if of.value is None or not of.n else interval(of.interval)
    return value.append(_marked(f" {shown:11}", of), style="dim")


def _notes(console: Console, report: EvaluationReport, rows: Sequence[FieldRow], width: int) -> None:
    if rows:
        console.print("[dim]95 %: interval over the n documents that have the field[/]")
    for row in rows:
        if row.kind == "rows":
            console.print(_name(row).append(f": {row.row_counts}", style="dim"))
    if any(row.near for row in rows) and console.width >= _WIDE:
        console.print(f"[dim]{_NEAR}: matches of values that are not identical[/]")
    rated = [found for row in (report.total, *rows) for found in (row.strict_f1, row.precision, row.strict_recall)]
    if any(found.is_of_few for found in rated):
        console.print(f"[dim]{_MARK} fewer than {FEW_UNITS} documents: a rough interval[/]")
    if rows and width < _WIDEST:
        more = "detection recall and the counts" if width else "the other rates and the counts"
        console.print(f"[dim]a wider terminal shows {more}, too; --json has everything[/]")


def _name(row: FieldRow) -> Text:
    if row.kind == "rows":
        return NameText("rows of ", style="dim").append(one_line(row.path), style="default")
    text = NameText.of(row.path)
    if row.kind != "leaf":
        text.append({"object": "  as one object", "undeclared": "  not declared"}[row.kind], style="dim")
    return text


def _failures(console: Console, report: EvaluationReport) -> None:
    if not report.failure_total:
        return
    what = "document" if report.trial_count is None else "trial"
    console.print(Text(f"{counted(report.failure_total, what)} with something to know:", style="bold yellow"))
    for failure in report.failures[:10]:
        where = Text(f"  {one_line(name_of(failure))}: ", style="yellow")
        console.print(where.append(one_line(failure.reason), style="default"))
    if report.failure_total > 10:
        console.print(f"[dim]  and {count(report.failure_total - 10)} more (failures.jsonl)[/]")
