"""The tables of the page: fields, documents, non-matches, failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from fieldwise.render.pages.html_kinds import kind_column
from fieldwise.render.pages.html_summary import badge, bar, bounds
from fieldwise.render.pages.markup import NAME_BREAKS, PATH_BREAKS, Cell, Column, block, plain, table
from fieldwise.render.pages.text_diff import both_sides
from fieldwise.results import Rate
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
from fieldwise.views.words import DASH, WORDS

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
        table("field-table", _field_columns(links), seen, caption="Fields, worst first")
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


def _field_columns(links: Links) -> list[Column[FieldRow]]:
    return [
        Column("field", lambda row: _field_cell(row, links.of_field(row))),
        Column(
            "F1 (strict)",
            lambda row: _f1_cell(row.strict_f1),
            "rate",
            "2·TP / (2·TP + 2·FD + FA + FN): a wrong value counts as a false alarm and as missed",
            sorted=True,
        ),
        _rate_column("precision", lambda row: row.precision, "TP / (TP + FP)"),
        _rate_column("strict recall", lambda row: row.strict_recall, "TP / (TP + FN + FD)"),
        _rate_column("detection recall", lambda row: row.recall, "TP / (TP + FN): a wrong value does not lower it"),
        _count_column("TP", lambda row: row.tp, "matches"),
        _count_column("FP", lambda row: row.fp, "predicted and not right: FD + FA"),
        _count_column(
            "FD", lambda row: row.fd, "mismatches: both have a value, the predicted one is wrong", extra=True
        ),
        _count_column("FA", lambda row: row.fa, "spurious: predicted where nothing was expected", extra=True),
        _count_column("FN", lambda row: row.fn, "missed: expected and not predicted"),
        _count_column("TN", lambda row: row.tn, "absent on both sides", extra=True),
        _count_column("values", lambda row: row.n, "values that either side has: TP + FD + FA + FN"),
        Column(
            "documents",
            lambda row: _documents_cell(row.strict_f1),
            "number",
            "documents in which either side has the field; they are the units of the intervals",
        ),
    ]


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


def _rate_column(title: str, of: Callable[[FieldRow], Rate], hint: str) -> Column[FieldRow]:
    return Column(title, lambda row: _rate_cell(of(row)), "rate", hint)


def _rate_cell(found: Rate) -> Cell:
    return Cell(rate(found.value) + bounds(found, interval(found.interval)), found.value)


def _documents_cell(found: Rate) -> Cell:
    return Cell(DASH, None) if not found.n else _count_cell(found.n)


def _count_column(title: str, of: Callable[[FieldRow], int], hint: str, *, extra: bool = False) -> Column[FieldRow]:
    return Column(title, lambda row: _count_cell(of(row)), "number", hint, extra=extra)


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

    return [
        Column("document", name),
        Column("score", lambda row: Cell(rate(row.score), row.score), "rate"),
        Column("match", lambda row: _count_cell(row.tp), "number", "TP"),
        Column("mismatch", lambda row: _count_cell(row.fd), "number", "FD"),
        Column("missed", lambda row: _count_cell(row.fn), "number", "FN"),
        Column("spurious", lambda row: _count_cell(row.fa), "number", "FA"),
        Column("note", lambda row: Cell(block(row.note) if row.note else "", None)),
    ]


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


_NON_MATCH_COLUMNS: list[Column[NonMatchRow]] = [
    Column("document", lambda row: Cell(block(name_of(row), breaks=NAME_BREAKS), None)),
    Column("path", _path_cell),
    Column("outcome", _outcome_cell),
    Column("expected", lambda row: Cell(_sides(row)[0], None), "value"),
    Column("predicted", lambda row: Cell(_sides(row)[1], None), "value"),
    Column("score", lambda row: Cell(rate(row.score), row.score), "rate"),
]

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
