"""The tables of the page: fields, groups, documents, non-matches, failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from fieldwise.render.pages.html_kinds import kind_column
from fieldwise.render.pages.html_summary import badge, bar, bounds
from fieldwise.render.pages.markup import NAME_BREAKS, PATH_BREAKS, Cell, Column, block, listed_columns, plain, table
from fieldwise.render.pages.text_diff import both_sides
from fieldwise.results import Rate
from fieldwise.results.metrics import GroupMetrics, SliceMetrics
from fieldwise.results.rates import UNKNOWN, Unit
from fieldwise.spec import positions_of
from fieldwise.views.numbers import count, counted, interval, rate
from fieldwise.views.report import (
    DocumentRow,
    EvaluationReport,
    FailureRow,
    FieldRow,
    NonMatchRow,
    RowKind,
    name_of,
)
from fieldwise.views.words import DASH, WORDS, columns

_WRONG: tuple[Literal["mismatch", "missed", "spurious"], ...] = ("mismatch", "missed", "spurious")
_NOTHING = f'<span class="quiet" title="no value">{DASH}</span>'


@dataclass(frozen=True)
class Links:
    """Which listed non-matches a field or a document leads to, by numbers that the page filters by."""

    fields: Sequence[tuple[FieldRow | str, frozenset[str]]]
    """A row of the field table, or a name that has none, and the fields of the non-matches that it covers."""
    documents: dict[str, int]

    @classmethod
    def of(cls, report: EvaluationReport) -> Links:
        listed = dict.fromkeys(row.field for row in report.non_matches)
        covered = [(row, _covered(row, listed)) for row in report.fields]
        known = {name for row, names in covered for name in names if row.kind == "leaf" or name == row.path}
        strangers = [(name, frozenset([name])) for name in listed if name not in known]
        found: list[tuple[FieldRow | str, frozenset[str]]] = [*covered, *strangers]
        in_list = {row.document for row in report.non_matches}
        worst = dict.fromkeys(row.document for row in report.worst_documents if row.document in in_list)
        return cls([(row, names) for row, names in found if names], {name: i for i, name in enumerate(worst)})

    def of_field(self, row: FieldRow) -> int | None:
        return next((i for i, (other, _) in enumerate(self.fields) if other == row), None)

    def of_non_match(self, row: NonMatchRow) -> str:
        return " ".join(str(i) for i, (_, names) in enumerate(self.fields) if row.field in names)


def field_table(report: EvaluationReport, links: Links) -> str:
    """Return the fields, worst first, and folded below them those of which neither side has a value."""
    seen, unseen = ([row for row in report.fields if bool(row.n) == wanted] for wanted in (True, False))
    if not report.fields:
        return '<p class="nothing">No fields were compared.</p>'
    found = (
        table("field-table", _field_columns(links, report.total.strict_f1.unit), seen, caption="Fields, worst first")
        if seen
        else '<p class="nothing">No field has a value on either side.</p>'
    )
    return found + _unseen(unseen)


def document_table(report: EvaluationReport, links: Links) -> str:
    """Return the worst documents in the order in which they come."""
    if not report.worst_documents:
        words = "No documents were compared." if not report.document_count else "No document has an error."
        return f'<p class="nothing">{words}</p>'
    columns = _document_columns(links)
    if not any(row.note for row in report.worst_documents):
        columns = columns[:-1]
    return table("document-table", columns, report.worst_documents, caption="Worst documents")


def non_match_table(report: EvaluationReport, links: Links) -> str:
    """Return the values that are wrong, missed or invented, each beside what was expected."""
    if not report.non_matches:
        return f'<p class="nothing">{_no_non_matches(report)}</p>'

    def attributes(row: NonMatchRow) -> str:
        document = links.documents.get(row.document)
        of_document = "" if document is None else f' data-document="{document}"'
        kind = f' data-kind="{row.kind}"' if row.kind else ""
        return f' data-outcome="{row.outcome}"{kind} data-fields="{links.of_non_match(row)}"{of_document}'

    has_kinds = any(row.kind for row in report.non_matches)
    columns = [*_NON_MATCH_COLUMNS, kind_column()] if has_kinds else [*_NON_MATCH_COLUMNS]
    if any(row.reason for row in report.non_matches):
        columns.append(Column("because", lambda row: Cell(block(row.reason) if row.reason else "", None)))
    return table("non-match-table", columns, report.non_matches, caption="Non-matches", attributes=attributes)


def failure_table(report: EvaluationReport) -> str:
    """Return the documents that could not be compared as they should, with reasons."""
    if not report.failures:
        words = f"{counted(report.failure_total, 'failure')}, none listed here." if report.failure_total else "None."
        return f'<p class="nothing">{words}</p>'
    return table("failure-table", _FAILURE_COLUMNS, report.failures, caption="Failures")


def field_choices(report: EvaluationReport, links: Links) -> str:
    """Return the options of the filter by field, in the order of the names, with how many are listed."""
    listed = Counter(row.field for row in report.non_matches)
    options = [
        (row if isinstance(row, str) else _label(row), i, sum(listed[name] for name in names))
        for i, (row, names) in enumerate(links.fields)
    ]
    return "".join(
        f'<option value="{i}">{plain(label)} ({count(n)})</option>'
        for label, i, n in sorted(options, key=lambda option: option[0])
    )


def outcome_choices(report: EvaluationReport) -> str:
    """Return the buttons of the filter by outcome, with how many are listed."""
    listed = Counter(row.outcome for row in report.non_matches)
    choices = [("", "all", len(report.non_matches))]
    choices += [
        (outcome, f'<i aria-hidden="true">{WORDS.outcomes[outcome].symbol}</i> {outcome}', listed[outcome])
        for outcome in _WRONG
    ]
    return "".join(
        f'<label class="{value}"><input type="radio" name="outcome" value="{value}"{"" if value else " checked"}>'
        f"<span>{label} <b>{count(n)}</b></span></label>"
        for value, label, n in choices
    )


def how_many(listed: int, total: int, noun: str, plural: str = "") -> str:
    """Say how many there are, and how many of them are listed where the list is cut."""
    if listed < total:
        return f"first {count(listed)} of {counted(total, noun, plural)}"
    return counted(total, noun, plural)


def _covered(row: FieldRow, names: Sequence[str] | dict[str, None]) -> frozenset[str]:
    """Return the names of non-matches that belong to a row; rows of a list and objects cover what is inside them."""
    if row.kind in ("rows", "object"):
        inside = (f"{row.path}.", f"{row.path}[")
        return frozenset(name for name in names if name == row.path or name.startswith(inside))
    return frozenset([row.path]) & frozenset(names)


def _label(row: FieldRow) -> str:
    return f"rows of {row.path}" if row.kind == "rows" else row.path


def _field_columns(links: Links, unit: Unit) -> list[Column[FieldRow]]:
    rates = ("precision", "strict_recall", "recall")
    counts = {"tp": "tp", "fp": "fp", "fd": "fd", "fa": "fa", "fn": "fn", "tn": "tn", "values": "n"}
    cells: dict[str, Callable[[FieldRow], Cell]] = {
        "field": lambda row: _field_cell(row, links.of_field(row)),
        "strict_f1": lambda row: _f1_cell(row.strict_f1),
        **{key: partial(_own_rate, key) for key in rates},
        **{key: partial(_own_count, name) for key, name in counts.items()},
        "documents": lambda row: _documents_cell(row.strict_f1),
    }
    keys = ("field", "strict_f1", *rates, *counts, "documents")
    return listed_columns(
        columns("fields", *keys, units=WORDS.units[unit].many), cells, extra=("fd", "fa", "tn"), sorted_by="strict_f1"
    )


def group_section(report: EvaluationReport) -> str:
    """Return a table for the classes of the documents and for each slice key; nothing where there is neither."""
    if not report.groups:
        return ""
    tables = "\n".join(_group_table(at, key, held) for at, (key, held) in enumerate(report.groups.items()))
    return (
        f'<section id="groups" aria-labelledby="groups-title">\n<h2 id="groups-title">Groups</h2>\n{tables}\n</section>'
    )


def _group_table(at: int, key: str, held: SliceMetrics) -> str:
    rows = [(block(value, breaks=NAME_BREAKS), group) for value, group in held.values.items()]
    if held.missing is not None:
        rows.append(('<span class="quiet">none</span>', held.missing))
    cells: dict[str, Callable[[tuple[str, GroupMetrics]], Cell]] = {
        "group": lambda row: Cell(row[0], None),
        "strict_f1": lambda row: _f1_cell(_group_f1(row[1])),
        "documents": lambda row: _count_cell(row[1].document_count or 0),
    }
    listed = listed_columns(columns("groups", key=key), cells)
    return table(f"group-table-{at}", listed, rows, caption=f"Documents by {plain(key)}")


def _group_f1(group: GroupMetrics) -> Rate:
    return UNKNOWN if group.aggregate is None else group.aggregate.rates.strict_f1


def _own_rate(name: str, row: FieldRow) -> Cell:
    return _rate_cell(getattr(row, name))


def _own_count(name: str, row: FieldRow | DocumentRow) -> Cell:
    return _count_cell(getattr(row, name))


_TAGS: dict[RowKind, str] = {
    "leaf": "",
    "rows": "",
    "object": ' <span class="tag" title="counted as one, not part of the totals">object</span>',
    "undeclared": ' <span class="tag odd" title="predicted, and no field declares it">undeclared</span>',
}


def _field_cell(row: FieldRow, link: int | None) -> Cell:
    name = block(row.path, breaks=PATH_BREAKS)
    if row.kind == "rows":
        name = f'<span title="counted as whole rows, not part of the totals">rows of {name}</span>'
    if link is not None:
        name = f'<a href="#non-matches" data-field="{link}">{name}</a>'
    elif row.fp + row.fn:
        name = f'<span title="none of its non-matches is among those listed">{name}</span>'
    rows = f' <small class="quiet">{row.row_counts}</small>' if row.kind == "rows" and row.n else ""
    return Cell(name + _TAGS[row.kind] + rows, row.path)


def _f1_cell(found: Rate) -> Cell:
    figure = f'<span class="f1">{badge(found.value)}{bar(found.value, found.interval)}</span>'
    return Cell(figure + bounds(found, interval(found.interval)), found.value)


def _rate_cell(found: Rate) -> Cell:
    return Cell(rate(found.value) + bounds(found, interval(found.interval)), found.value)


def _documents_cell(found: Rate) -> Cell:
    return Cell(DASH, None) if not found.n else _count_cell(found.n)


def _count_cell(value: int) -> Cell:
    return Cell(count(value) if value else '<span class="quiet">0</span>', value)


def _unseen(rows: Sequence[FieldRow]) -> str:
    if not rows:
        return ""
    names = "".join(f"<li>{_field_cell(row, None).html}</li>" for row in rows)
    return (
        f'<details class="fold"><summary>not in this set: {counted(len(rows), "field")} '
        f"without a value on either side</summary><ul>{names}</ul></details>"
    )


def _document_columns(links: Links) -> list[Column[DocumentRow]]:
    def name(row: DocumentRow) -> Cell:
        link, text = links.documents.get(row.document), block(name_of(row), breaks=NAME_BREAKS)
        return Cell(text if link is None else f'<a href="#non-matches" data-document="{link}">{text}</a>', None)

    counts = {key: partial(_own_count, key) for key in ("tp", "fd", "fn", "fa")}
    return listed_columns(
        columns("documents"),
        {
            "document": name,
            "score": lambda row: Cell(rate(row.score), row.score),
            **counts,
            "note": lambda row: Cell(block(row.note) if row.note else "", None),
        },
    )


def _path_cell(row: NonMatchRow) -> Cell:
    """Return where a value is, and which predicted row it was paired with, where that is another one."""
    path = block(row.path, breaks=PATH_BREAKS)
    if row.predicted_path is None:
        return Cell(path, None)
    place = block(positions_of(row.predicted_path))
    return Cell(f'{path} <small class="quiet" title="the row of the predicted list">← {place}</small>', None)


def _outcome_cell(row: NonMatchRow) -> Cell:
    symbol = WORDS.outcomes[row.outcome].symbol
    return Cell(f'<span class="outcome {row.outcome}"><i aria-hidden="true">{symbol}</i> {row.outcome}</span>', None)


def _sides(row: NonMatchRow) -> tuple[str, str]:
    if row.expected is not None and row.predicted is not None:
        return both_sides(row.expected, row.predicted)
    expected = _NOTHING if row.expected is None else block(row.expected)
    predicted = _NOTHING if row.predicted is None else block(row.predicted)
    return expected, predicted


_NON_MATCH_COLUMNS: list[Column[NonMatchRow]] = listed_columns(
    columns("rows", "document", "path", "outcome", "expected", "predicted", "score"),
    {
        "document": lambda row: Cell(block(name_of(row), breaks=NAME_BREAKS), None),
        "path": _path_cell,
        "outcome": _outcome_cell,
        "expected": lambda row: Cell(_sides(row)[0], None),
        "predicted": lambda row: Cell(_sides(row)[1], None),
        "score": lambda row: Cell(rate(row.score), row.score),
    },
)

_FAILURE_COLUMNS: list[Column[FailureRow]] = [
    Column("document", lambda row: Cell(block(name_of(row), breaks=NAME_BREAKS), None)),
    Column("kind", lambda row: Cell(block(row.kind), None)),
    Column("reason", lambda row: Cell(block(row.reason), None)),
]


def _no_non_matches(report: EvaluationReport) -> str:
    if report.non_match_total:
        return f"{counted(report.non_match_total, 'non-match', 'non-matches')}, none listed here."
    if not report.document_count:
        return "No documents were compared."
    if report.failure_total:
        return 'Nothing wrong found in what could be compared; see the <a href="#failures">failures</a>.'
    return '<b class="good">✓</b> Nothing wrong found.'
