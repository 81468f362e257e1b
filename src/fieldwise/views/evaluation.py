"""What an evaluation shows: all values together, the fields worst first, each rate with its interval; and in brief."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import structs

from fieldwise.results import FieldMetrics, Metrics
from fieldwise.results.metrics import GroupMetrics
from fieldwise.results.rates import UNKNOWN, Rate
from fieldwise.results.sections import ClassificationError, SplitMetrics
from fieldwise.text import cut, one_line
from fieldwise.views.numbers import (
    GRADE_SYMBOLS,
    count,
    counted,
    documents_and_trials,
    grade,
    in_units,
    interval,
    rate,
    rough_note,
    share,
)
from fieldwise.views.parts import Beside, Cell, Headline, Part, Row, Sentence, Table, View, marked
from fieldwise.views.report import EvaluationReport, FieldRow, failure_count, failures_of, field_row, groups_of, name_of
from fieldwise.views.words import WORDS, Column, columns, kind_word

_MAX_KINDS = 5
_MAX_FAILURES = 10
_MAX_OVERVIEW = 10
_MAX_NAME = 60
_MAX_SECTIONS = 5
_KEYS = ("field", "strict_f1", "precision", "strict_recall", "recall", "documents", "values", "fd", "fa", "fn", "near")


def evaluation_view(report: EvaluationReport, *, most: int | None = None) -> View:
    """Return the summary, the field table and what could not be read; ``most`` limits the fields."""
    seen = [row for row in report.fields if row.n]
    shown = seen if most is None else seen[:most]
    parts: list[Part] = [*_summary(report), *_kinds(report)]
    if shown:
        parts.append(field_table(shown))
    parts += _notes(report, shown)
    hidden, never = len(seen) - len(shown), len(report.fields) - len(seen)
    if hidden:
        parts.append(Sentence(f"{counted(hidden, 'better field')} not listed", "quiet", more="fields"))
    if never:
        parts.append(_quiet(f"{counted(never, 'field')} without a value on either side in any document"))
    if report.outside.sentence:
        parts.append(_quiet(report.outside.sentence))
    parts += _failures(report)
    return View((*parts, *(Sentence(note, "warning") for note in report.notes)))


def _quiet(words: str) -> Sentence:
    return Sentence(words, "quiet")


def _summary(report: EvaluationReport) -> Iterator[Part]:
    total = report.total
    documents = documents_and_trials(report.document_count, report.trial_count)
    yield Headline(Sentence(f"{documents}, {counted(total.n, 'value')}"))
    counts = (("match", total.tp), ("mismatch", total.fd), ("missed", total.fn), ("spurious", total.fa))
    said = [f"{count(number)} {word}" for word, number in counts]
    yield _quiet(" · ".join([*said, f"{count(total.tn)} {WORDS.outcomes['absent'].past}"]))
    yield Beside((_of_values(total), _of_documents(report)))


def _of_values(total: FieldRow) -> Table:
    rates = (
        ("strict_f1", total.strict_f1),
        ("precision", total.precision),
        ("strict_recall", total.strict_recall),
        ("recall", total.recall),
    )
    rows = [_total_row(WORDS.metrics[name], found, graded=name == "strict_f1") for name, found in rates]  # type: ignore[index]
    return Table(columns("totals"), tuple(rows), is_ruled=False)


def _of_documents(report: EvaluationReport) -> Table:
    in_trials = "" if report.trial_count is None else " in every trial"
    exact, mean = report.exact_rate, report.field_macro
    name, value, around, n = _total_row(
        f"{WORDS.measures['exact_documents']} ({count(report.exact_documents)}{in_trials})", exact
    ).cells
    rows = [
        Row(
            (
                name,
                structs.replace(value, format="percent"),
                structs.replace(around, format="percent_interval"),
                n,
            )
        ),
        _total_row("document macro F1 (strict)", report.document_macro),
        _total_row(report.score_name, report.weighted_score),
        Row(
            (
                Cell(f"field macro F1 (strict), {counted(mean.n, 'field')}"),
                Cell(mean.value),
                Cell(format="text"),
                Cell(format="text"),
            )
        ),
    ]
    first, *others = columns("totals")
    return Table((structs.replace(first, title="documents"), *others), tuple(rows), is_ruled=False)


def _total_row(name: str, of: Rate, *, graded: bool = False) -> Row:
    number = Cell(of.n, "quiet") if of.n else Cell(format="text")
    return Row(
        (
            Cell(name),
            graded_cell(of.value) if graded else Cell(of.value),
            Cell(of.interval, "quiet", mark=few_mark(of)),
            number,
        )
    )


def graded_cell(value: float | None, aside: str = "") -> Cell:
    """Return a rate with the symbol and the tone of its grade."""
    level = grade(value)
    return Cell(value, level, "" if level == "undefined" else f"{GRADE_SYMBOLS[level]} ", aside)


def few_mark(of: Rate) -> str:
    """Return a mark where an interval is of so few documents that it is itself uncertain."""
    return WORDS.few_documents.mark if of.is_of_few else ""


def bounds(of: Rate) -> str:
    """Write the interval of a rate with its mark; nothing where nobody knows it."""
    return "" if of.value is None or not of.n else interval(of.interval) + few_mark(of)


def _kinds(report: EvaluationReport) -> Iterator[Part]:
    """Yield the commonest kinds of error in one line."""
    if report.error_kinds is None or not report.error_kinds.total:
        return
    total = report.error_kinds.total
    commonest = sorted(total.items(), key=lambda kind: -kind[1])[:_MAX_KINDS]
    shown = " · ".join(f"{kind_word(kind)} {share(n, sum(total.values()))}" for kind, n in commonest)
    yield _quiet(f"kinds of error: {shown}")


def field_table(rows: Sequence[FieldRow]) -> Table:
    """Return fields: strict F1 with its interval, the other rates and the counts."""
    units = WORDS.units[rows[0].strict_f1.unit].many if rows else ""
    titled = [_titled(column) for column in columns("fields", *_KEYS, units=units)]
    return Table.of(titled, [_field(row) for row in rows])


def _titled(column: Column) -> Column:
    if column.key == "field":
        return structs.replace(column, title="field, worst first")
    return structs.replace(column, title=f"{column.title}  95 %") if column.format == "rate" else column


def _field(row: FieldRow) -> Row:
    others = (row.precision, row.strict_recall, row.recall)
    counts = (row.fd, row.fa, row.fn, row.near)
    n = row.strict_f1.n
    return Row(
        (
            field_name(row),
            graded_cell(row.strict_f1.value, bounds(row.strict_f1)),
            *(Cell(of.value, aside=bounds(of)) for of in others),
            Cell(n or None),
            Cell(row.n),
            # What became of the rows of a list is said in words below the table.
            *(Cell(format="text") if row.kind == "rows" else Cell(number) for number in counts),
        )
    )


def field_name(row: FieldRow) -> Cell:
    """Return the name of a field, with what it counts where that is not values."""
    if row.kind == "rows":
        return Cell(row.path, before=WORDS.scopes["rows"])
    return Cell(row.path, aside="" if row.kind == "leaf" else f" {WORDS.scopes[row.kind]}")


def _notes(report: EvaluationReport, rows: Sequence[FieldRow]) -> Iterator[Part]:
    if rows:
        yield _quiet(WORDS.notes["interval"].format(units=WORDS.units[report.total.strict_f1.unit].many))
    for row in rows:
        if row.kind == "rows":
            yield _quiet(f"{WORDS.scopes['rows']}{one_line(row.path)}: {row.row_counts}")
    if any(row.near for row in rows):
        yield Sentence(WORDS.notes["near"], "quiet", column="near")
    rated = [found for row in (report.total, *rows) for found in (row.strict_f1, row.precision, row.strict_recall)]
    if any(found.is_of_few for found in rated):
        yield _quiet(rough_note(report.total.strict_f1.unit))


def _failures(report: EvaluationReport) -> Iterator[Part]:
    if not report.failure_total:
        return
    what = "document" if report.trial_count is None else "trial"
    yield Sentence(f"{counted(report.failure_total, what)} {_needs(report.failure_total)} a look:", "warning")
    for failure in report.failures[:_MAX_FAILURES]:
        yield Sentence(f"  {one_line(name_of(failure))}: {one_line(failure.reason)}")
    if report.failure_total > _MAX_FAILURES:
        yield _quiet(f"  and {count(report.failure_total - _MAX_FAILURES)} more (failures.jsonl)")


def _needs(number: int) -> str:
    return "needs" if number == 1 else "need"


def groups_view(metrics: Metrics) -> View:
    """Return a small table for the classes of documents and for each slice key, and what the units are, if clusters."""
    parts: list[Part] = []
    if metrics.cluster_by is not None:
        units = in_units(metrics.cluster_count or 0, "clusters")
        parts.append(_quiet(f"n counts clusters, not documents: {units} by {marked(metrics.cluster_by)}"))
    for key, held in groups_of(metrics).items():
        rows = [_group_row(Cell(value), group) for value, group in held.values.items()]
        if held.missing is not None:
            rows.append(_group_row(Cell("none", "quiet", format="text"), held.missing))
        parts.append(Table(columns("groups", key=one_line(key)), tuple(rows)))
    return View(tuple(parts))


def sections_view(metrics: Metrics) -> View:
    """Return how sections were paired, classified and split, and the first that have no partner of their class."""
    held = metrics.sections
    if held is None:
        return View(())
    counts = [(held.paired, "paired"), (held.wrong_class, "of the wrong class"), (held.lost, "without a prediction")]
    counts += [(held.extra, "extra"), (held.excluded, "not scored")]
    shown = " · ".join(f"{count(n)} {words}" for n, words in counts if n)
    parts: list[Part] = [_quiet(f"sections: {shown}")]
    parts += [_quiet(f"  {_classification(error)}") for error in held.classification_errors[:_MAX_SECTIONS]]
    if (more := held.wrong_class + held.lost + held.extra - _MAX_SECTIONS) > 0:
        parts.append(_quiet(f"  and {count(more)} more (classification_errors of metrics.json)"))
    return View((*parts, *map(_quiet, _splitting(held.splitting))))


def _splitting(split: SplitMetrics | None) -> Iterator[str]:
    if split is not None:
        pages = (
            f"{count(split.correctly_classified_pages)} of {counted(split.total_pages, 'page')} with the right class"
        )
        whole = f"{count(split.correctly_split_without_order)} of {counted(split.total_splits, 'expected section')}"
        order = f"{count(split.correctly_split_with_order)} in the right order"
        yield f"splitting: {pages} · {whole} with the right class and pages, {order}"


def _classification(error: ClassificationError) -> str:
    named = f"{marked(error.doc_id)}, section {marked(error.section_id)}"
    if error.kind == "wrong_class":
        return f"{named}: {marked(error.expected_class or '')} predicted as {marked(error.predicted_class or '')}"
    own = error.expected_class or error.predicted_class
    of = f" ({marked(own)})" if own else ""
    return f"{named}{of}: {'no prediction' if error.kind == 'lost' else 'nobody expects it'}"


def _group_row(name: Cell, group: GroupMetrics) -> Row:
    f1 = UNKNOWN if group.aggregate is None else group.aggregate.rates.strict_f1
    return Row((name, graded_cell(f1.value, bounds(f1)), Cell(group.document_count or 0)))


# In brief


def overview(metrics: Metrics, name: str) -> View:
    """Return what metrics show in a shell or a notebook: the headline with its interval, and the worst fields."""
    seen = [(path, field) for path, field in metrics.worst_first() if field.seen]
    rows = [_overview_row(path, field) for path, field in seen[:_MAX_OVERVIEW]]
    parts: list[Part] = [Headline(Sentence(_short(name)), Sentence(_overview_words(metrics)))]
    if rows:
        parts.append(Table(columns("overview"), tuple(rows), is_ruled=False))
    if (more := len(seen) - _MAX_OVERVIEW) > 0:
        parts.append(Sentence(f"{counted(more, 'better field')} not listed"))
    if number := failure_count(metrics):
        failures = failures_of(metrics)
        first = f", the first: {_short(failures[0].doc_id or '')}" if failures else ""
        parts.append(Sentence(f"{counted(number, 'document')} {_needs(number)} a look{first}"))
    return View((*parts, *map(Sentence, metrics.notes)))


def _overview_words(metrics: Metrics) -> str:
    total = metrics.aggregate
    found = total.rates.strict_f1
    around = "" if found.interval is None else f" ({interval(found.interval)})"
    documents = documents_and_trials(metrics.document_count, metrics.trial_count)
    if metrics.cluster_by is not None:
        clusters = in_units(metrics.cluster_count or 0, "clusters")
        documents += f" in {clusters} by {_short(metrics.cluster_by)}"
    return f"strict F1 {rate(found.value)}{around}, {documents}, {counted(total.seen, 'value')}"


def _overview_row(path: str, field: FieldMetrics) -> Row:
    found = field.rates.strict_f1
    counts = (field.tp, field.fd, field.fn, field.fa)
    name = field_name(field_row(_short(path), field))
    return Row((name, Cell(found.value), Cell(found.interval), *map(Cell, counts)))


def _short(name: str) -> str:
    return cut(one_line(name), _MAX_NAME)
