"""What confidences are worth, on a terminal: sentences for all values together, and the fields, worst first."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fieldwise.cli.console import NameText
from fieldwise.numbers import DASH, count, counted, percent, rate
from fieldwise.report.calibration_words import (
    FEW,
    REVIEW_SHARE,
    accept_words,
    auroc_words,
    bare_words,
    caught,
    leaning,
    review_words,
    signed_error,
)
from fieldwise.results.calibration import Calibration, FieldCalibration
from fieldwise.text import one_line

_NARROW = 110


def print_calibration(console: Console, calibration: Calibration, *, most: int | None = None) -> None:
    """Print what confidences are worth."""
    _summary(console, calibration)
    shown = [*calibration.fields.values()][:most]
    console.print(_table(shown, calibration.target_error, narrow=console.width < _NARROW))
    hidden = len(calibration.fields) - len(shown)
    if hidden:
        console.print(f"[dim]{counted(hidden, 'better field')} not listed; --field or --json shows them[/]")
    if calibration.without_confidences:
        console.print(Text(f"Without confidences: {one_line(', '.join(calibration.without_confidences))}", style="dim"))
    if bare := bare_words(calibration.pooled):
        console.print(Text(bare, style="dim"))
    if any(one.n < FEW for one in shown):
        console.print(f"[dim]* fewer than {FEW} values: ECE is mostly chance[/]")


def _summary(console: Console, calibration: Calibration) -> None:
    total = calibration.pooled
    line = Text(f"{counted(total.documents, 'document')}   {counted(total.n, 'value')} with a confidence", style="bold")
    line.append(f" ({percent(total.coverage)} of {count(total.predicted)} predicted)", style="dim")
    line.append(f"   {counted(total.missed, 'missed value')} without one", style="dim")
    console.print(line)
    how = f"mean confidence {rate(total.mean_confidence)}, right {rate(total.accuracy)}"
    console.print(Text(leaning(total).capitalize(), style="bold").append(f": {how}.", style="not bold"))
    for words in (review_words(total), accept_words(total, calibration.target_error)):
        console.print(Text(words))
    console.print(
        Text(
            f"ECE {rate(total.ece)} ({calibration.bins} bins), of equal mass {rate(total.ece_equal_mass)}   "
            f"Brier {rate(total.brier.score if total.brier else None)}   log loss {rate(total.log_loss)}   "
            f"AUROC {rate(total.auroc.value if total.auroc else None)} ({auroc_words(total)})",
            style="dim",
        )
    )


def _table(rows: Sequence[FieldCalibration], target: float, *, narrow: bool) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("field, worst calibrated first", overflow="fold")
    names = ["ECE", "points", "right", "n", f"caught at {REVIEW_SHARE:.0%}", f"accept, ≤ {target * 100:g}% wrong"]
    if not narrow:
        names[3:3] = ["confidence", "coverage"]
        names.insert(-2, "AUROC")
    for name in names:
        table.add_column(name, justify="right")
    for one in rows:
        cells = [rate(one.ece), signed_error(one), rate(one.accuracy), count(one.n), percent(caught(one))]
        if not narrow:
            cells[3:3] = [rate(one.mean_confidence), percent(one.coverage)]
            cells.insert(-1, _auroc(one))
        table.add_row(_name(one), *cells, _accept(one))
    return table


def _name(field: FieldCalibration) -> Text:
    return NameText.of(field.name).append(" *" if field.n < FEW else "", style="dim")


def _auroc(field: FieldCalibration) -> str:
    ranking = field.auroc
    if ranking is None:
        return DASH
    bounds = DASH if ranking.low is None else f"{rate(ranking.low)}–{rate(ranking.high)}"
    return f"{rate(ranking.value)} ({bounds})"


def _accept(field: FieldCalibration) -> str:
    if field.acceptance is None:
        return DASH
    chosen = field.acceptance.chosen
    return f"from {chosen.threshold:g}: {percent(chosen.coverage)}"
