"""Two runs as tables on a terminal: the verdict, the figures, the fields, the values that flipped."""

from __future__ import annotations

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fieldwise.cli.advice import with_options
from fieldwise.cli.console import NameText, least_width
from fieldwise.numbers import DASH, METRIC_NAMES, ROUGH, chance, count, counted, points, points_interval, rate, rough
from fieldwise.report.difference_words import (
    CLEARLY_WORSE,
    FINDINGS,
    MEASURES,
    MIXED,
    UNPAIRED_ROW,
    finding_words,
    reason_text,
)
from fieldwise.results.difference import (
    Difference,
    Direction,
    FieldDifference,
    Finding,
    Flip,
    RunDifference,
    UnpairedDifference,
    UnpairedRow,
)
from fieldwise.runs.sentences import detectable
from fieldwise.text import one_line

_STYLES: dict[Finding, str] = {
    "better": "green",
    "worse": "red",
    "mixed": "yellow",
    "not_shown": "default",
    "equal": "dim",
    "undefined": "yellow",
    "too_few": "yellow",
}
_DOCUMENTS = ("documents ▲", "▼", "=")
_SIDES = ("expected", "base", "candidate")
_NARROWEST = 84
_LONGEST = 40


def print_difference(console: Console, found: RunDifference, *, fields: int | None, flips: int) -> None:
    """Print the verdict first, then what it rests on."""
    symbol = FINDINGS[found.finding][0]
    console.print(Text(f"{symbol} {found.verdict}", style=f"bold {_STYLES[found.finding]}"))
    for remark in found.remarks:
        console.print(Text(f"! {one_line(with_options(remark))}", style="yellow"))
    console.print(_figures(found, narrow=console.width < _NARROWEST))
    if found.total.finding in ("better", "worse"):
        console.print(Text(detectable(found.total), style="dim"))
    changed = [field for field in found.fields.values() if field.finding != "equal"]
    shown = changed if fields is None else changed[:fields]
    if shown:
        console.print(_fields(console, shown, METRIC_NAMES[found.metric]))
    differences = [found.total, *found.headlines.values(), *shown]
    if any(rough(difference.low, difference.n) for difference in differences):
        console.print(f"[dim]{ROUGH}[/]")
    _unlisted(console, found, hidden=len(changed) - len(shown))
    _flips(console, found, flips)


def _figures(found: RunDifference, *, narrow: bool) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("all values")
    for name in ("base", "candidate", "points", "95 %", "p", *_DOCUMENTS)[: 4 if narrow else None]:
        table.add_column(name, justify="right")
    rows: list[tuple[str, Difference]] = [(METRIC_NAMES[found.metric], found.total)]
    rows += [(MEASURES[measure], difference) for measure, difference in found.headlines.items()]
    for name, difference in rows:
        table.add_row(name, *[*_cells(difference), *_documents(difference)][: 4 if narrow else None])
    return table


def _cells(difference: Difference) -> list[Text | str]:
    return [
        rate(difference.base.value),
        rate(difference.candidate.value),
        Text(points(difference.delta), style=_STYLES[difference.finding]),
        Text(_interval(difference), style="dim"),
        chance(difference.p),
    ]


def _interval(difference: Difference) -> str:
    return points_interval(difference.low, difference.high) + (rough(difference.low, difference.n) or " ")


def _documents(difference: Difference) -> list[str]:
    return [count(difference.improved), count(difference.regressed), count(difference.tied)]


def _fields(console: Console, fields: Sequence[FieldDifference], metric: str) -> Table:
    """Return the widest table of the fields for which the terminal has room, without a word broken."""
    if console.width >= _NARROWEST:
        for documents, words in ((True, True), (True, False), (False, False)):
            table = _full_fields(fields, metric, documents=documents, words=words)
            if least_width(console, table, [NameText.of(field.path) for field in fields]) <= console.width:
                return table
    return _brief_fields(fields)


def _full_fields(fields: Sequence[FieldDifference], metric: str, *, documents: bool, words: bool) -> Table:
    """Return the fields, on request with numbers of documents; ``words``: for fields without a clear change too."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("field, worst first", overflow="fold")
    table.add_column("finding", no_wrap=True)
    for name in ("base", "candidate", "points", "95 %", "p", "q", *(_DOCUMENTS if documents else ())):
        table.add_column(metric if name == "base" and documents else name, justify="right", no_wrap=True)
    for field in fields:
        symbol, word = finding_words(field)
        unclear = field.finding == "not_shown" and not words
        finding = Text(symbol if unclear else f"{symbol} {word}", style=_STYLES[field.finding])
        rest = _documents(field) if documents else []
        table.add_row(NameText.of(field.path), finding, *_cells(field), chance(field.q), *rest)
    return table


def _brief_fields(fields: Sequence[FieldDifference]) -> Table:
    table = Table("field, worst first", box=SIMPLE_HEAD, pad_edge=False)
    for name in ("", "points", "95 %"):
        table.add_column(name, justify="right", no_wrap=True)
    for field in fields:
        symbol = Text(FINDINGS[field.finding][0], style=_STYLES[field.finding])
        table.add_row(NameText.of(field.path), symbol, *_cells(field)[2:4])
    return table


def _unlisted(console: Console, found: RunDifference, *, hidden: int) -> None:
    if hidden:
        console.print(f"[dim]{counted(hidden, 'more field')} not listed; --all lists them[/]")
    same = sum(field.finding == "equal" for field in found.fields.values())
    if same:
        console.print(f"[dim]{counted(same, 'field')} the same in every document[/]")
    if any(field.finding == "mixed" for field in found.fields.values()):
        console.print(Text(MIXED, style="dim"))
    if found.worse_fields:
        console.print(Text(CLEARLY_WORSE, style="dim"))
    if found.tested_fields > 1:
        console.print(
            f"[dim]q counts that {found.tested_fields} fields were looked at (Benjamini and Hochberg); "
            "a field is better or worse where q < 0.05[/]"
        )


def _flips(console: Console, found: RunDifference, most: int) -> None:
    flips = found.flips
    console.print(f"[bold]{counted(flips.broken, 'value')} broken, {count(flips.fixed)} fixed[/]")
    shown = _some(found, most)
    if not shown:
        return
    narrow = console.width < _NARROWEST
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("", "document, path, values") if narrow else ("", "document", "path", *_SIDES):
        table.add_column(name, overflow="fold")
    for flip in shown:
        style = "red" if flip.direction == "broken" else "green"
        cells: list[Text] = [NameText.of(flip.document), NameText.of(flip.path), *_sides(flip)]
        table.add_row(Text(flip.direction, style=style), *([_below(cells)] if narrow else cells))
    console.print(table)
    hidden = flips.broken + flips.fixed - len(shown)
    if hidden > 0:
        console.print(f"[dim]{counted(hidden, 'more value')} not listed; --flips N lists more[/]")
    if any(flip.in_unpaired_row for flip in shown):
        console.print(f"[dim]{UNPAIRED_ROW}[/]")


def _sides(flip: Flip) -> list[Text]:
    return [
        _value(flip.expected),
        _value(flip.base, reason_text(flip.base_reason, flip.base_share)),
        _value(flip.candidate, reason_text(flip.candidate_reason, flip.candidate_share)),
    ]


def _below(cells: Sequence[Text]) -> Text:
    """Put a flip into lines: where it is, then each value with its name."""
    where, path, *sides = cells
    lines = [where.append("  ").append(path)]
    lines += [Text(f"{name:9}  ", style="dim").append(side) for name, side in zip(_SIDES, sides, strict=True)]
    return Text("\n").join(lines)


def _some(found: RunDifference, most: int) -> list[Flip]:
    """Take broken values first and leave room for fixed ones; of every field one, the worst field first, then more."""
    ranks = {path: rank for rank, path in enumerate(found.fields)}
    turns: dict[tuple[Direction, str], int] = {}
    order: dict[Direction, list[tuple[int, int, Flip]]] = {"broken": [], "fixed": []}
    for flip in found.flips.shown:
        turn = turns[flip.direction, flip.field] = turns.get((flip.direction, flip.field), 0) + 1
        order[flip.direction].append((turn, ranks[flip.field], flip))
    broken, fixed = ([flip for *_, flip in sorted(order[one], key=lambda row: row[:2])] for one in ("broken", "fixed"))
    chosen = broken[: max(most - len(fixed), (most + 1) // 2)]
    return chosen + fixed[: most - len(chosen)]


def _value(text: str | None, why: str = "") -> Text:
    shown = Text(DASH, style="dim") if text is None else Text(_cut(one_line(text)))
    return shown.append(f" {why}", style="dim") if why else shown


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def print_unpaired(console: Console, found: UnpairedDifference) -> None:
    """Print what two metrics files say, and what they can't."""
    console.print(
        Text(
            f"Not paired: {found.without_rows} has no verdicts, which say which documents rose and fell.",
            style="bold yellow",
        )
    )
    console.print("[dim]Intervals take the documents of the two runs for different ones; no verdict is given. ")
    console.print("[dim]Give the two --out folders of fieldwise evaluate for a paired comparison.[/]")
    if found.different_rules:
        remark = f"Made under different rules: {' and '.join(found.different_rules)}"
        console.print(Text(f"! {with_options(remark)}", style="yellow"))
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column(f"{METRIC_NAMES[found.metric]}, not paired", overflow="fold")
    for name in ("base", "candidate", "points", "95 %", "n base", "n candidate"):
        table.add_column(name, justify="right")
    _row(table, "all values", found.total)
    table.add_section()
    for row in found.fields.values():
        _row(table, row.path, row)
    console.print(table)


def _row(table: Table, name: str, row: UnpairedRow) -> None:
    delta = points(row.delta), Text(points_interval(row.low, row.high), style="dim")
    table.add_row(
        NameText.of(name),
        rate(row.base.value),
        rate(row.candidate.value),
        *delta,
        count(row.base.n),
        count(row.candidate.n),
    )
