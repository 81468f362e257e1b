"""What an evaluation shows: all values together, the fields worst first, each rate with its interval; and in brief."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import structs

from fieldwise.results import Failure, FieldMetrics, Metrics
from fieldwise.results.metrics import GroupMetrics, Scope, SliceMetrics, path_of
from fieldwise.results.rates import UNKNOWN, Rate, Rates, Ratio
from fieldwise.results.sections import ClassificationError, SplitMetrics
from fieldwise.results.statuses import SCORED, STATUSES
from fieldwise.text import cut, one_line
from fieldwise.views.notes import outside_words
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
from fieldwise.views.words import WORDS, Column, columns, kind_word

_MAX_KINDS = 5
_MAX_FAILURES = 10
_MAX_OVERVIEW = 10
_MAX_NAME = 60
_MAX_SECTIONS = 5
_KEYS = ("field", "strict_f1", "precision", "strict_recall", "recall", "documents", "values", "fd", "fa", "fn", "near")

_COUNTS = "FD: mismatch · FA: spurious · FN: missed"
_AS_ONE_OBJECT = "as one object: right where the mean score of its fields reaches its threshold"


_NEED_NO_LOOK = frozenset(name for name, status in STATUSES.items() if not status.needs_look)
_MODES = {
    "leaves": "counted one by one (unmatched=leaves)",
    "objects": "counted as rows only (unmatched=objects)",
}
_EXTRAS = {
    "leaves": "spurious, unless expected documents have the key (extras=leaves)",
    "ignore": "not counted (extras=ignore)",
}


def facts_of(metrics: Metrics, described: str) -> dict[str, str]:
    """Return what a page says of an evaluation beside its numbers; ``described`` is its input in words."""
    return {
        "input": described,
        "spec fingerprint": metrics.spec_fingerprint or "",
        "fieldwise": metrics.scorer_version or "",
        "values of unpaired rows": _MODES[metrics.unmatched],
        "values under undeclared keys": _EXTRAS[metrics.extras or "leaves"],
    }


def evaluation_view(metrics: Metrics, *, most: int | None = None) -> View:
    """Return the summary, the field table and what could not be read; ``most`` limits the fields."""
    fields = metrics.worst_first()
    seen = [(path, row) for path, row in fields if row.seen]
    shown = seen if most is None else seen[:most]
    parts: list[Part] = [*_summary(metrics), *_kinds(metrics)]
    if shown:
        parts.append(_field_table(shown))
    parts += _notes(metrics, shown)
    hidden, never = len(seen) - len(shown), len(fields) - len(seen)
    if hidden:
        parts.append(Sentence(f"{counted(hidden, 'better field')} not listed", "quiet", more="fields"))
    if never:
        parts.append(_quiet(f"{counted(never, 'field')} without a value on either side in any document"))
    if words := outside_words(metrics.outside, metrics.outside_not_listed, ignored=metrics.extras == "ignore"):
        parts.append(_quiet(words))
    parts += _failures(metrics)
    return View((*parts, *(Sentence(note, "warning") for note in metrics.notes)))


def _quiet(words: str) -> Sentence:
    return Sentence(words, "quiet")


def _trials(metrics: Metrics) -> int | None:
    """Return the trials of all documents; None where no document has several."""
    trials = metrics.trial_count
    return trials if trials is not None and trials > metrics.document_count else None


def _summary(metrics: Metrics) -> Iterator[Part]:
    total = metrics.aggregate
    documents = documents_and_trials(metrics.document_count, _trials(metrics))
    yield Headline(Sentence(f"{documents}, {counted(total.seen, 'value')}"))
    yield _outcomes(total)
    yield Beside((_of_values(total.rates), _of_documents(metrics)))


def _outcomes(row: FieldMetrics) -> Sentence:
    counts = (("match", row.tp), ("mismatch", row.fd), ("missed", row.fn), ("spurious", row.fa))
    words = [f"{count(number)} {word}" for word, number in counts]
    return _quiet(" · ".join([*words, f"{count(row.tn)} {WORDS.outcomes['absent'].past}"]))


def _total_columns(title: str) -> tuple[Column, ...]:
    first, *others = columns("totals")
    return structs.replace(first, title=title), *others


def _of_values(rates: Rates) -> Table:
    shown: tuple[Ratio, ...] = ("strict_f1", "precision", "strict_recall", "recall")
    rows = [_total_row(WORDS.metrics[name], rates.of(name), graded=name == "strict_f1") for name in shown]
    return Table(columns("totals"), tuple(rows), is_ruled=False)


def _of_documents(metrics: Metrics) -> Table:
    in_trials = "" if _trials(metrics) is None else " in every trial"
    of_documents, mean = metrics.document_metrics, metrics.field_macro.strict_f1
    elsewhere = of_documents.mean_overall_score
    name, value, around, n = _total_row(
        f"{WORDS.measures['exact_documents']} ({count(of_documents.exact_documents)}{in_trials})",
        of_documents.exact_rate,
    ).cells
    exact = (name, structs.replace(value, format="percent"), structs.replace(around, format="percent_interval"), n)
    rows = [Row(exact)]
    if elsewhere is None or of_documents.weighted_score.value is not None:
        rows.append(_total_row("weighted score", of_documents.weighted_score))
    if elsewhere is not None:
        rows.append(_total_row("mean overall score", elsewhere))
    if mean.n or mean.skipped:  # unknown of results that are added up, as is the next
        of_fields = f"field macro F1 (strict), {counted(mean.n, 'field')}"
        rows.insert(1, _total_row("document macro F1 (strict)", of_documents.macro_strict_f1))
        rows.append(Row((Cell(of_fields), Cell(mean.value), Cell(format="text"), Cell(format="text"))))
    return Table(_total_columns("documents"), tuple(rows), is_ruled=False)


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
    return WORDS.few_documents.mark if of.is_of_few and of.interval is not None else ""


def bounds(of: Rate) -> str:
    """Write the interval of a rate with its mark; nothing where nobody knows it."""
    return "" if of.value is None or not of.n else interval(of.interval) + few_mark(of)


def _kinds(metrics: Metrics) -> Iterator[Part]:
    """Yield the commonest kinds of error in one line."""
    if metrics.error_kinds is None or not metrics.error_kinds.total:
        return
    total = metrics.error_kinds.total
    commonest = sorted(total.items(), key=lambda kind: -kind[1])[:_MAX_KINDS]
    shown = " · ".join(f"{kind_word(kind)} {share(n, sum(total.values()))}" for kind, n in commonest)
    yield _quiet(f"kinds of error: {shown}")


def _field_table(rows: Sequence[tuple[str, FieldMetrics]]) -> Table:
    """Return fields: strict F1 with its interval, the other rates and the counts."""
    units = WORDS.units[rows[0][1].rates.strict_f1.unit].many
    titled = [_titled(column) for column in columns("fields", *_KEYS, units=units)]
    return Table.of(titled, [_field(path, row) for path, row in rows])


def _titled(column: Column) -> Column:
    if column.key == "field":
        return structs.replace(column, title="field, worst first")
    return structs.replace(column, title=f"{column.title}  95%") if column.format == "rate" else column


def _field(path: str, row: FieldMetrics) -> Row:
    rates = row.rates
    counts = (row.fd, row.fa, row.fn, row.near)
    return Row(
        (
            _field_name(path, row.scope),
            graded_cell(rates.strict_f1.value, bounds(rates.strict_f1)),
            *(Cell(of.value, aside=bounds(of)) for of in (rates.precision, rates.strict_recall, rates.recall)),
            Cell(rates.strict_f1.n or None),
            Cell(row.seen),
            # What became of the rows of a list is said in words below the table.
            *(Cell(format="text") if row.scope == "rows" else Cell(number) for number in counts),
        )
    )


def _field_name(path: str, scope: Scope) -> Cell:
    """Return the name of a field, with what it counts where that is not values."""
    if scope == "rows":
        return Cell(path_of(path), before=WORDS.scopes["rows"])
    what = "other_kind" if scope == "values" and path_of(path) != path else scope
    return Cell(path_of(path), aside=f" {WORDS.scopes[what]}" if what in WORDS.scopes else "")


def _notes(metrics: Metrics, rows: Sequence[tuple[str, FieldMetrics]]) -> Iterator[Part]:
    unit = metrics.aggregate.rates.strict_f1.unit
    if rows:
        yield _quiet(WORDS.notes["interval"].format(units=WORDS.units[unit].many))
    for path, row in rows:
        if row.scope == "rows":
            yield _quiet(f"{WORDS.scopes['rows']}{one_line(path_of(path))}: {_row_counts(row)}")
    if any(row.scope == "object" for _, row in rows):
        yield _quiet(_AS_ONE_OBJECT)
    if rows:
        yield Sentence(_COUNTS, "quiet", column="fd")
    if any(row.near for _, row in rows):
        yield Sentence(WORDS.notes["near"], "quiet", column="near")
    rates = [row.rates for row in (metrics.aggregate, *(row for _, row in rows))]
    if any(few_mark(rate) for of in rates for rate in (of.strict_f1, of.precision, of.strict_recall)):
        yield _quiet(rough_note(unit))


def _row_counts(row: FieldMetrics) -> str:
    """Say what became of the rows of a list."""
    named = ((row.tp, "paired"), (row.fd, "rejected"), (row.fn, "missed"), (row.fa, "extra"))
    return " · ".join(f"{number:,} {word}" for number, word in named)


def _failures(metrics: Metrics) -> Iterator[Part]:
    number, has_trials = _failure_count(metrics), _trials(metrics) is not None
    if not number:
        return
    yield Sentence(f"{counted(number, 'trial' if has_trials else 'document')} {_needs(number)} a look:", "warning")
    for failure in _some_of_each(_failures_of(metrics)):
        of_trial = f" (trial {failure.trial})" if has_trials and failure.trial is not None else ""
        yield Sentence(f"  {one_line((failure.doc_id or '') + of_trial)}: {one_line(failure.error)}")
    if number > _MAX_FAILURES:
        yield Sentence(f"  and {count(number - _MAX_FAILURES)} more", "quiet", more="failures")


def _some_of_each(failures: Sequence[Failure]) -> list[Failure]:
    """Return the first few in their order, of every kind as many as there is room for."""
    kinds = Counter(failure.kind for failure in failures)
    room: Counter[str | None] = Counter()
    while sum(room.values()) < min(_MAX_FAILURES, len(failures)):
        for kind in sorted(kinds, key=str):
            if room[kind] < kinds[kind] and sum(room.values()) < _MAX_FAILURES:
                room[kind] += 1
    shown = []
    for failure in failures:
        if room[failure.kind]:
            room[failure.kind] -= 1
            shown.append(failure)
    return shown


def _failures_of(metrics: Metrics) -> list[Failure]:
    """Return the documents that need a look; those of excluded classes are left out on purpose, and don't."""
    return [failure for failure in metrics.errors if failure.kind not in _NEED_NO_LOOK]


def _failure_count(metrics: Metrics) -> int:
    return metrics.error_count - sum(metrics.documents.get(status, 0) for status in _NEED_NO_LOOK - {SCORED})


def _needs(number: int) -> str:
    return "needs" if number == 1 else "need"


def _groups_of(metrics: Metrics) -> dict[str, SliceMetrics]:
    """Return the groups of documents by what divides them: their class, then each slice key."""
    classes = {"class": SliceMetrics(metrics.classes)} if metrics.classes else {}
    return classes | (metrics.slices or {})


def groups_view(metrics: Metrics) -> View:
    """Return a small table for the classes of documents and for each slice key, and what the units are, if clusters."""
    parts: list[Part] = []
    if metrics.cluster_by is not None:
        units = in_units(metrics.cluster_count or 0, "clusters")
        parts.append(_quiet(f"n counts clusters, not documents: {units} by {marked(metrics.cluster_by)}"))
    for key, held in _groups_of(metrics).items():
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


def field_view(field: FieldMetrics) -> View:
    """Return what the metrics of one field, or of all values, show: what became of the values, and the rates."""
    title = "all values" if field.scope == "total" else "this field"
    return View((_outcomes(field), structs.replace(_of_values(field.rates), columns=_total_columns(title))))


def overview(metrics: Metrics, name: str) -> View:
    """Return what metrics show in a shell or a notebook: the headline with its interval, and the worst fields."""
    seen = [(path, field) for path, field in metrics.worst_first() if field.seen]
    rows = [_overview_row(path, field) for path, field in seen[:_MAX_OVERVIEW]]
    parts: list[Part] = [Headline(Sentence(_short(name)), Sentence(_overview_words(metrics)))]
    if rows:
        parts.append(Table(columns("overview"), tuple(rows), is_ruled=False))
    if (more := len(seen) - _MAX_OVERVIEW) > 0:
        parts.append(Sentence(f"{counted(more, 'better field')} not listed"))
    if number := _failure_count(metrics):
        failures = _failures_of(metrics)
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
    name = _field_name(_short(path), field.scope)
    return Row((name, Cell(found.value), Cell(found.interval), *map(Cell, counts)))


def _short(name: str) -> str:
    return cut(one_line(name), _MAX_NAME)
