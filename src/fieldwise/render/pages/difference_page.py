"""Two runs as one page that needs nothing else: the verdict, the fields with intervals, the values that flipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TypeVar

from fieldwise.render.pages.markup import NAME_BREAKS, PATH_BREAKS, Cell, Column, block, plain, table
from fieldwise.render.pages.page import render
from fieldwise.render.pages.text_diff import both_sides
from fieldwise.results import Rate
from fieldwise.results.difference import Difference, FieldDifference, Flip, RunDifference
from fieldwise.views.difference import finding_look, is_rough, reason_text
from fieldwise.views.numbers import (
    METRIC_NAMES,
    chance,
    count,
    counted,
    fixed,
    in_units,
    interval,
    points,
    points_interval,
    rate,
    rough,
    rough_note,
)
from fieldwise.views.sentences import run_names
from fieldwise.views.words import WORDS

Row = TypeVar("Row")

_WIDTH, _HEIGHT = 150, 18
_NOTHING = f'<span class="quiet" title="no value">{WORDS.dash}</span>'


def html_difference(found: RunDifference) -> str:
    """Return the page of two runs, complete in itself; the same runs give the same text."""
    listed = _listed(found)
    parts = {
        "header": _header(found),
        "verdict": _verdict(found),
        "figures": _figures(found),
        "field_count": _field_count(found),
        "fields": _field_table(found, listed),
        "same": _same(found),
        "flip_count": _flip_count(found),
        "field_choices": _field_choices(found, listed),
        "direction_choices": _direction_choices(found),
        "flips": _flip_table(found, listed),
        "unit": WORDS.units[found.total.unit].one,
        "units": _units(found),
        "metric": METRIC_NAMES[found.metric],
    }
    title = " → ".join(run_names(found.base.name, found.candidate.name))
    return render("difference", parts, title=title, facts=_facts(found), style="difference.css")


def _header(found: RunDifference) -> str:
    names = " → ".join(block(name, breaks=NAME_BREAKS) for name in run_names(found.base.name, found.candidate.name))
    parts = (
        f"{counted(found.documents.compared, 'document')} in both{_clusters(found)}",
        counted(len(found.fields), "field"),
        f"{counted(found.flips.broken, 'value')} broken, {count(found.flips.fixed)} fixed",
    )
    return f'<h1>{names}</h1>\n<ul class="line">{"".join(f"<li>{part}</li>" for part in parts)}</ul>'


def _clusters(found: RunDifference) -> str:
    if found.documents.cluster_by is None:
        return ""
    by = block(found.documents.cluster_by, breaks=NAME_BREAKS)
    return f", {in_units(found.documents.cluster_count or 0, 'clusters')} by {by}"


def _verdict(found: RunDifference) -> str:
    symbol = WORDS.findings[found.finding].symbol
    said = f'<p class="verdict {found.finding}"><i aria-hidden="true">{symbol}</i> {block(found.verdict)}</p>'
    notes = [f'<p class="remark"><i aria-hidden="true">!</i> {block(words)}</p>' for words in found.remarks]
    return said + "".join(notes)


def _figures(found: RunDifference) -> str:
    rows: list[tuple[str, Difference]] = [(f"{METRIC_NAMES[found.metric]}, all values", found.total)]
    rows += [(WORDS.measures[measure], difference) for measure, difference in found.headlines.items()]
    scale = _scale([difference for _, difference in rows])
    columns: list[Column[tuple[str, Difference]]] = [
        Column("all values", lambda row: Cell(plain(row[0]), None)),
        Column("base", lambda row: _rate_cell(row[1].base), "rate"),
        Column("candidate", lambda row: _rate_cell(row[1].candidate), "rate"),
        Column("points", lambda row: _points_cell(row[1]), "rate", "candidate less base, in hundredths"),
        Column("95% of the difference", lambda row: Cell(_forest(row[1], scale), None)),
        Column("p", lambda row: Cell(_chance(row[1]), row[1].p), "rate", "chance of so large a difference by luck"),
        *_unit_columns(lambda row: row[1], found),
    ]
    shown = table("figure-table", columns, rows, caption="All values together, and whole documents")
    return shown + _rough_note([difference for _, difference in rows])


def _listed(found: RunDifference) -> dict[str, int]:
    """Number the fields that have listed flips: the page filters by these numbers."""
    return {field: number for number, field in enumerate(sorted({flip.field for flip in found.flips.shown}))}


def _field_table(found: RunDifference, listed: dict[str, int]) -> str:
    changed = [field for field in found.fields.values() if field.finding != "equal"]
    if not changed:
        return '<p class="nothing">Every field is the same in every document.</p>'
    scale, units = _scale(changed), _units(found)
    columns: list[Column[FieldDifference]] = [
        Column("field", lambda field: _name_cell(field, listed)),
        Column("finding", lambda field: Cell(_finding(field), None)),
        Column("base", lambda field: _rate_cell(field.base), "rate"),
        Column("candidate", lambda field: _rate_cell(field.candidate), "rate"),
        Column("points", _points_cell, "rate", "candidate less base, in hundredths"),
        Column("95% of the difference", lambda field: Cell(_forest(field, scale), None)),
        Column("p", lambda field: Cell(_chance(field), field.p), "rate", "for this field alone"),
        Column("q", lambda field: Cell(chance(field.q), field.q), "rate", "p, counting how many fields were looked at"),
        Column(
            "worse?",
            lambda field: Cell(chance(field.p_worse), field.p_worse),
            "rate",
            f"chance of so large a loss without a change, by swaps of {units} and Holm's rule",
            extra=True,
        ),
        Column("Holm", lambda field: Cell(chance(field.p_holm), field.p_holm), "rate", "p by Holm's rule", extra=True),
        *_unit_columns(_own_difference, found),
        Column("n", lambda field: Cell(count(field.n), field.n), "number", f"{units} with it"),
        Column(
            "detectable",
            lambda field: Cell(points(field.detectable).lstrip("+"), field.detectable),
            "rate",
            f"the smallest difference, in points, that could be detected with so many {units} four times out of five",
            extra=True,
        ),
    ]
    shown = table("field-table", columns, changed, caption="Fields, worst first")
    return shown + _rough_note(changed)


def _units(found: RunDifference) -> str:
    return WORDS.units[found.total.unit].many


def _unit_columns(of: Callable[[Row], Difference], found: RunDifference) -> list[Column[Row]]:
    units = _units(found)
    short = "docs" if units == "documents" else units

    def column(title: str, part: Callable[[Difference], int], hint: str) -> Column[Row]:
        return Column(title, lambda row: Cell(count(part(of(row))), part(of(row))), "number", hint)

    return [
        column(f"{short} ▲", lambda difference: difference.improved, f"{units} in which it is higher"),
        column(f"{short} ▼", lambda difference: difference.regressed, f"{units} in which it is lower"),
    ]


def _own_difference(field: FieldDifference) -> Difference:
    return field


def _name_cell(field: FieldDifference, listed: dict[str, int]) -> Cell:
    name = block(field.path, breaks=PATH_BREAKS)
    if field.path in listed:
        name = f'<a href="#flips" data-field="{listed[field.path]}">{name}</a>'
    return Cell(name, field.path)


def _rough_note(differences: Sequence[Difference]) -> str:
    return f'<p class="quiet">{rough_note(differences[0].unit)}</p>' if is_rough(differences) else ""


def _rate_cell(side: Rate) -> Cell:
    return Cell(f'{rate(side.value)}<small class="quiet">{interval(side.interval)}</small>', side.value)


def _points_cell(difference: Difference) -> Cell:
    return Cell(f'<b class="{difference.finding}">{points(difference.delta)}</b>', difference.delta)


def _finding(field: FieldDifference) -> str:
    look = finding_look(field)
    return f'<span class="finding {field.finding}"><i aria-hidden="true">{look.symbol}</i> {look.word}</span>'


def _chance(difference: Difference) -> str:
    title = f' title="{WORDS.tests[difference.test]}"' if difference.test else ""
    return f"<span{title}>{chance(difference.p)}</span>"


def _scale(differences: Sequence[Difference]) -> float:
    """Return how far the widest interval reaches from 0, so that all are drawn alike."""
    ends = [abs(end) for one in differences for end in (one.low, one.high, one.delta) if end is not None]
    return max(ends, default=0.0) or 0.01


def _forest(difference: Difference, scale: float) -> str:
    """Draw an interval against 0: a line from bound to bound, a dot for the estimate."""
    if difference.delta is None or difference.low is None or difference.high is None:
        return WORDS.dash

    def x(value: float) -> str:
        return fixed(_WIDTH / 2 + (value / scale) * (_WIDTH / 2 - 6), 1)

    middle, said = _HEIGHT / 2, points_interval(difference.low, difference.high)
    return (
        f'<svg class="forest {difference.finding}" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
        f'height="{_HEIGHT}" role="img" aria-label="{said} points">'
        f'<line class="zero" x1="{_WIDTH / 2}" x2="{_WIDTH / 2}" y1="0" y2="{_HEIGHT}"/>'
        f'<line class="span" x1="{x(difference.low)}" x2="{x(difference.high)}" y1="{middle}" y2="{middle}"/>'
        f'<circle cx="{x(difference.delta)}" cy="{middle}" r="3.5"/></svg>'
        f'<small class="quiet">{said}{rough(difference.low, difference.n)}</small>'
    )


def _field_count(found: RunDifference) -> str:
    worse = sum(field.finding == "worse" for field in found.fields.values())
    better = sum(field.finding == "better" for field in found.fields.values())
    return f"{counted(len(found.fields), 'field')}: {worse} worse, {better} better; tested {found.tested_fields}"


def _same(found: RunDifference) -> str:
    same = [field.path for field in found.fields.values() if field.finding == "equal"]
    if not same or len(same) == len(found.fields):
        return ""
    names = "".join(f"<li>{block(path, breaks=PATH_BREAKS)}</li>" for path in same)
    words = f"{counted(len(same), 'field')} the same in every {WORDS.units[found.total.unit].one}"
    return f'<details class="fold"><summary>{words}</summary><ul>{names}</ul></details>'


def _flip_count(found: RunDifference) -> str:
    total = found.flips.broken + found.flips.fixed
    if len(found.flips.shown) < total:
        return f"{count(len(found.flips.shown))} of {counted(total, 'value')}"
    return counted(total, "value")


def _field_choices(found: RunDifference, listed: dict[str, int]) -> str:
    numbers = Counter(flip.field for flip in found.flips.shown)
    options = (f'<option value="{n}">{plain(path)} ({count(numbers[path])})</option>' for path, n in listed.items())
    return "".join(options)


def _direction_choices(found: RunDifference) -> str:
    numbers = Counter(flip.direction for flip in found.flips.shown)
    choices = [("", "all", len(found.flips.shown))]
    choices += [
        (direction, f'<i aria-hidden="true">{look.symbol}</i> {direction}', numbers[direction])
        for direction, look in WORDS.directions.items()
    ]
    return "".join(
        f'<label class="{value}"><input type="radio" name="outcome" value="{value}"{"" if value else " checked"}>'
        f"<span>{label} <b>{count(n)}</b></span></label>"
        for value, label, n in choices
    )


def _flip_table(found: RunDifference, listed: dict[str, int]) -> str:
    if not found.flips.shown:
        return '<p class="nothing">No value is right in one run and wrong in the other.</p>'

    def attributes(flip: Flip) -> str:
        return f' data-outcome="{flip.direction}" data-fields="{listed[flip.field]}"'

    note = (
        f'<p class="quiet">{WORDS.notes["unpaired_row"]}</p>'
        if any(flip.in_unpaired_row for flip in found.flips.shown)
        else ""
    )
    return note + table("non-match-table", _FLIP_COLUMNS, found.flips.shown, caption="Flips", attributes=attributes)


def _direction_cell(flip: Flip) -> Cell:
    symbol = WORDS.directions[flip.direction].symbol
    return Cell(
        f'<span class="outcome {flip.direction}"><i aria-hidden="true">{symbol}</i> {flip.direction}</span>', None
    )


def _predicted(flip: Flip, value: str | None, outcome: str | None, said: str) -> Cell:
    why = f'<small class="quiet">{said}</small>' if said else ""
    if value is None:
        return Cell(f'<span class="quiet">{WORDS.dash} {outcome or ""}</span>{why}', None)
    if flip.expected is None or value == flip.expected:
        return Cell(block(value) + why, None)
    return Cell(both_sides(flip.expected, value)[1] + why, None)


_FLIP_COLUMNS: list[Column[Flip]] = [
    Column("document", lambda flip: Cell(block(flip.document, breaks=NAME_BREAKS), None)),
    Column("path", lambda flip: Cell(block(flip.path, breaks=PATH_BREAKS), None)),
    Column("flip", _direction_cell),
    Column("expected", lambda flip: Cell(_NOTHING if flip.expected is None else block(flip.expected), None), "value"),
    Column(
        "base",
        lambda flip: _predicted(flip, flip.base, flip.base_outcome, reason_text(flip.base_reason, flip.base_share)),
        "value",
    ),
    Column(
        "candidate",
        lambda flip: _predicted(
            flip, flip.candidate, flip.candidate_outcome, reason_text(flip.candidate_reason, flip.candidate_share)
        ),
        "value",
    ),
]


def _facts(found: RunDifference) -> dict[str, str]:
    facts = {}
    for side, run in (("base", found.base), ("candidate", found.candidate)):
        facts[side] = f"{run.name}, {counted(run.document_count, 'document')}"
        facts[f"{side}: spec fingerprint"] = run.spec_fingerprint or "unknown"
        facts[f"{side}: fieldwise"] = run.scorer_version or "unknown"
    return facts
