"""An evaluation as tables on a terminal: all values together, and the fields, worst first."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fieldwise.report.content import EvaluationReport, FieldRow
from fieldwise.report.numbers import GRADE_SYMBOLS, count, counted, grade, interval, rate, share

_STYLES = {"good": "green", "fair": "yellow", "poor": "red", "undefined": "dim"}
_NARROW = 100


def print_evaluation(console: Console, report: EvaluationReport, *, most: int | None = None) -> None:
    """Print the summary, the field table and what could not be read."""
    _summary(console, report)
    seen = [row for row in report.fields if row.n]
    shown = seen if most is None else seen[:most]
    if shown:
        console.print(_table(shown, narrow=console.width < _NARROW))
    hidden, never = len(seen) - len(shown), len(report.fields) - len(seen)
    if hidden:
        console.print(f"[dim]{counted(hidden, 'better field')} not listed; --all lists them[/]")
    if never:
        console.print(f"[dim]{counted(never, 'field')} without a value on either side in any document[/]")
    _failures(console, report)


def _summary(console: Console, report: EvaluationReport) -> None:
    total = report.total
    line = Text(f"{counted(report.document_count, 'document')}   ", style="bold")
    line.append("F1 (strict) ").append(_badge(total.strict_f1))
    if total.interval:
        line.append(f" (95 %: {interval(total.interval)})", style="dim")
    line.append(f"   precision {rate(total.precision)}   recall {rate(total.recall)}")
    line.append(f"   strict recall {rate(total.strict_recall)}   values n = {count(total.n)}", style="dim")
    console.print(line)
    exact = f"{share(report.exact_documents, report.document_count)} of documents without any error"
    console.print(
        f"{exact} ({count(report.exact_documents)} of {count(report.document_count)}), "
        f"weighted score {rate(report.weighted_score)}"
    )
    console.print(
        f"[dim]{count(total.tp)} match · {count(total.fd)} mismatch · {count(total.fn)} missed · "
        f"{count(total.fa)} spurious · {count(total.tn)} absent on both sides[/]"
    )


def _badge(value: float | None) -> Text:
    level = grade(value)
    return Text(f"{GRADE_SYMBOLS[level]} {rate(value)}", style=_STYLES[level])


def _table(rows: list[FieldRow], *, narrow: bool) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("field, worst first", overflow="fold")
    names = ["F1 (strict)", "precision", "recall"]
    names += ["n"] if narrow else ["strict recall", "TP", "FP", "FN", "FD", "FA", "n"]
    names.insert(1, "95 %")
    for name in names:
        table.add_column(name, justify="right")
    for row in rows:
        bounds = Text(interval(row.interval), style="dim")
        rates: list[Text | str] = [_badge(row.strict_f1), bounds, rate(row.precision), rate(row.recall)]
        counts = [row.n] if narrow else [row.tp, row.fp, row.fn, row.fd, row.fa, row.n]
        if not narrow:
            rates.append(rate(row.strict_recall))
        table.add_row(_name(row), *rates, *map(count, counts))
    return table


def _name(row: FieldRow) -> Text:
    if row.kind == "rows":
        return Text("rows of ", style="dim").append(row.path, style="default")
    text = Text(row.path)
    if row.kind != "leaf":
        text.append({"object": "  as one object", "undeclared": "  not declared"}[row.kind], style="dim")
    return text


def _failures(console: Console, report: EvaluationReport) -> None:
    if not report.failure_total:
        return
    console.print(Text(f"{counted(report.failure_total, 'document')} with something to know:", style="bold yellow"))
    for failure in report.failures[:10]:
        console.print(Text(f"  {failure.document}: ", style="yellow").append(failure.reason, style="default"))
    if report.failure_total > 10:
        console.print(f"[dim]  and {count(report.failure_total - 10)} more (failures.jsonl)[/]")
