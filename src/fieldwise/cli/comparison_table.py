"""A comparison and a plan as tables on a terminal."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fieldwise.cli.advice import with_options
from fieldwise.cli.console import NameText
from fieldwise.compare import Comparison, Outcome, Plan, Verdict
from fieldwise.compare.explain import plan_rows, undeclared_lines
from fieldwise.evaluation.notes import notes_on
from fieldwise.report.content import OutsideSpec
from fieldwise.results import OutsideCount
from fieldwise.spec import positions_of
from fieldwise.text import one_line
from fieldwise.values import Json
from fieldwise.writing import dump_json

LOOKS: dict[Outcome, tuple[str, str]] = {
    Outcome.MISMATCH: ("✗ mismatch", "red"),
    Outcome.MISSED: ("− missed", "magenta"),
    Outcome.SPURIOUS: ("+ spurious", "yellow"),
    Outcome.MATCH: ("✓ match", "green"),
    Outcome.ABSENT: ("· absent", "dim"),
}
_WORST_FIRST = list(LOOKS)
_VALUE_WIDTH = 40
_MOST_ROWS = 200
_TABLE_WIDTH = 110


def print_plan(console: Console, plan: Plan, *, inferred: bool) -> None:
    """Print how every field is compared and where each setting came from."""
    how = "inferred from expected values; --schema FILE declares it" if inferred else "what is open is inferred"
    title = f"Compared as ({how})"
    if console.width < _TABLE_WIDTH:
        _print_plan_stacked(console, plan, title)
        return
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for name, justify in (
        ("path", "left"),
        ("compared as", "left"),
        ("threshold", "right"),
        ("weight", "right"),
        ("because", "left"),
    ):
        table.add_column(name, justify="right" if justify == "right" else "left", overflow="fold")
    for row in plan_rows(plan.root):
        table.add_row(NameText.of(row.path), Text(row.how), row.threshold, row.weight, Text(row.why, style="dim"))
    console.print(table)
    _print_notes(console, plan)


def _print_notes(console: Console, plan: Plan) -> None:
    for note in plan.spec.notes:
        console.print(Text(one_line(str(note)), style="yellow"))
    for line in undeclared_lines(plan.root):
        console.print(Text(one_line(line), style="dim"))


def _print_plan_stacked(console: Console, plan: Plan, title: str) -> None:
    console.print(Text(title, style="bold"))
    for row in plan_rows(plan.root):
        console.print(NameText.of(row.path))
        console.print(Text(f"    {row.how}, threshold {row.threshold or '–'}, weight {row.weight}"))
        console.print(Text(f"    {row.why}", style="dim"))
    _print_notes(console, plan)
    console.print()


def print_comparison(console: Console, comparison: Comparison, *, show_all: bool, explain: bool) -> None:
    """Print a row for every compared leaf, worst first, and a summary."""
    verdicts = sorted(comparison.verdicts, key=lambda v: (_WORST_FIRST.index(v.outcome), v.score))
    shown = verdicts if show_all else [v for v in verdicts if v.outcome is not Outcome.ABSENT][:_MOST_ROWS]
    if console.width >= _TABLE_WIDTH:
        console.print(_table(shown, explain=explain))
    else:
        for verdict in shown:
            _print_stacked(console, verdict, explain=explain)
    _summary(console, comparison, hidden=len(verdicts) - len(shown))


def _table(verdicts: list[Verdict], *, explain: bool) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("path", "expected", "predicted", "outcome"):
        table.add_column(name, overflow="fold")
    table.add_column("score", justify="right")
    table.add_column("reason", overflow="fold")
    for verdict in verdicts:
        _add(table, verdict, explain=explain)
    return table


def _print_stacked(console: Console, verdict: Verdict, *, explain: bool) -> None:
    """Print a verdict over several lines, for narrow terminals; a match takes one."""
    words, style = LOOKS[verdict.outcome]
    console.print(
        Text(f"{words:<11}", style=style),
        f"{verdict.score:.3f} ",
        path_text(verdict.path, verdict.predicted_path),
        sep="",
    )
    if verdict.outcome is Outcome.MATCH and not explain:
        return
    for label, text in (
        ("expected", _shown(verdict.expected)),
        ("predicted", _shown(verdict.predicted)),
        ("because", _reason(verdict, explain=explain)),
    ):
        console.print(Text(f"            {label:<10}", style="dim"), Text(text), sep="")


def _add(table: Table, verdict: Verdict, *, explain: bool) -> None:
    words, style = LOOKS[verdict.outcome]
    reason = _reason(verdict, explain=explain)
    table.add_row(
        path_text(verdict.path, verdict.predicted_path),
        Text(_shown(verdict.expected)),
        Text(_shown(verdict.predicted)),
        Text(words, style=style),
        f"{verdict.score:.3f}",
        Text(reason, style="dim"),
    )


def path_text(path: str, predicted_path: str) -> Text:
    """Return where a value is, with the positions that its rows have in the predicted document, if they differ."""
    text = NameText(path)
    return text if predicted_path == path else text.append(f" ← {positions_of(predicted_path)}", style="dim")


def _reason(verdict: Verdict, *, explain: bool) -> str:
    if explain and verdict.comparator and verdict.comparator not in verdict.reason:
        return f"{verdict.reason} ({verdict.comparator})"
    return verdict.reason


def _shown(value: Json) -> str:
    if value is None:
        return "–"
    text = value if isinstance(value, str) else dump_json(value, ascii_only=False, default=str)
    text = text.replace("\n", "⏎")
    return text if len(text) <= _VALUE_WIDTH else f"{text[: _VALUE_WIDTH - 1]}…"


def _summary(console: Console, comparison: Comparison, *, hidden: int) -> None:
    counts = comparison.counts()
    parts = [Text(f"{counts[outcome.value]} {LOOKS[outcome][0]}", style=LOOKS[outcome][1]) for outcome in _WORST_FIRST]
    console.print(Text("  ").join(parts))
    weighted = comparison.weighted_score
    score = "–" if weighted is None else f"{weighted:.3f}"
    console.print(f"score [bold]{score}[/] over the values that either side has")
    console.print(f"[dim]overall_score {comparison.score:.3f}: fields absent on both sides count as matches there[/]")
    for note in notes_on(sum(verdict.row_rejected for verdict in comparison.verdicts)):
        console.print(Text(with_options(note), style="dim"))
    counts_outside = {path: OutsideCount(**sides) for path, sides in comparison.outside.items()}
    outside = OutsideSpec.of(counts_outside, ignored=comparison.extras == "ignore").sentence
    if outside:
        console.print(Text(one_line(outside), style="dim"))
    if hidden:
        rows = "row is" if hidden == 1 else "rows are"
        console.print(
            f"[dim]{hidden:,} {rows} not listed (absent on both sides, or past {_MOST_ROWS}); --all lists them[/]"
        )
