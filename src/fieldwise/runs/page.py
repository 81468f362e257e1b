"""The answers that a page about a run holds: all its sums, its worst documents, and as many rows as there is room for.

Time and size are bounded: one field is read after the other, and what a page holds does not grow with the documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from types import MappingProxyType

import msgspec
import numpy as np
import pyarrow as pa

from fieldwise.compare import Plan
from fieldwise.compare.explain import plan_notes, plan_rows
from fieldwise.errors import FieldwiseError, InputError
from fieldwise.results import Calibration, Metrics, PageDocument, PageValue, Rule, RunPage, ThresholdCurve
from fieldwise.results.questions import ValueQuestion
from fieldwise.runs.answers import Slices, documents_at, value_of, worst_first
from fieldwise.runs.calibration import calibrate_run
from fieldwise.runs.fields import run_plan
from fieldwise.runs.names import COUNTS, WRONG
from fieldwise.runs.row_list import READ, ListedRow, in_order
from fieldwise.runs.run import Run
from fieldwise.runs.sweep import threshold_curve
from fieldwise.runs.value_list import Cell, errors_of
from fieldwise.stats.room import Group, share_room
from fieldwise.tables.counts import CELLS
from fieldwise.tables.stored import Ints, dicts_of

PAGE_ROWS = 1_000
"""How many errors a page holds, and how many matches that are not identical."""
MAX_DOCUMENTS = 20_000
MAX_OPENED = 20_000
"""Documents are opened, the worst first, until a page holds so many of their values."""
MAX_CHARACTERS = 1_000_000
_CURVE_POINTS = 50
"""Of curves of confidences; what people read of these is exact."""
_VALUE_LENGTHS = (1_000, 300, 100)
"""Values are cut to the first of these lengths by which all of them together have no more than `MAX_CHARACTERS`."""


def run_page(
    run: Run,
    plan: Plan | None = None,
    *,
    page_rows: int = PAGE_ROWS,
    class_plans: Mapping[str, Plan] = MappingProxyType({}),
) -> RunPage:
    """Return what the page of a run holds: ``page_rows`` errors, and as many matches that are not identical.

    ``plan`` is the one by which it compared, where somebody has it: it knows better than a file where each setting
    came from. ``class_plans`` are those of classes that have their own.
    """
    metrics = run.metrics
    plan = _plan(run) if plan is None else plan
    own = (rule for name, held in class_plans.items() for rule in _rules(held, name))
    rules = (*(_rules(plan) if plan is not None else ()), *own)
    weights = {rule.path: rule.weight for rule in reversed(rules)}
    fields = [name for name in run.fields() if metrics.values_at(name) is not None] if run.has_values else []
    errors, accepted = _examples(run, metrics, fields, weights, page_rows)
    documents, opened = _documents(run)
    values = _values(run, opened)
    slices, length = Slices.of(run), _length([*errors, *accepted, *values])
    shown = [[_cut(value_of(row, slices), length) for row in rows] for rows in (errors, accepted, values)]
    return RunPage(
        metrics=metrics,
        rules=rules,
        rule_notes=tuple(plan_notes(plan.root)) if plan is not None else (),
        documents=documents,
        document_total=len(run.documents().ids),
        errors=tuple(shown[0]),
        accepted=tuple(shown[1]),
        values=tuple(shown[2]),
        curves=tuple(_curves(run, plan, fields)),
        has_rows=run.has_values,
    )


def run_confidence(run: Run) -> Calibration | None:
    """Return what the page of a run shows of its confidences; None where no value carries one that counts."""
    if not run.has_rows or not len(run.confidences()):
        return None
    try:
        return calibrate_run(run, curve_points=_CURVE_POINTS)
    except InputError as error:
        if error.code == "run.no_confidences":
            return None
        raise


def _plan(run: Run) -> Plan | None:
    """Return how the run compared; None where it does not say so, as results made elsewhere don't."""
    try:
        return run_plan(run)
    except FieldwiseError:
        return None


def _rules(plan: Plan, name: str | None = None) -> Iterator[Rule]:
    for row in plan_rows(plan.root):
        threshold = float(row.threshold) if row.threshold else None
        yield Rule(row.path, row.how, threshold, float(row.weight), row.why, name)


def _curves(run: Run, plan: Plan | None, fields: Sequence[str]) -> Iterator[ThresholdCurve]:
    if plan is None:
        return
    for field in fields:
        if (curve := threshold_curve(run, plan, field)) is not None:
            yield curve


def _examples(
    run: Run, metrics: Metrics, fields: Sequence[str], weights: Mapping[str, float], room: int
) -> tuple[list[ListedRow], list[ListedRow]]:
    """Return errors and matches that are not identical, of which fields and outcomes share the room by lost points."""
    wrong, near = dict[Cell, Group](), dict[Cell, Group]()
    for field in fields:
        row, weight = metrics.values_at(field), weights.get(field, 1.0)
        if row is None:
            continue
        for outcome in WRONG:
            count: int = getattr(row, COUNTS[outcome])
            wrong[field, outcome] = Group(count, count * weight)
        near[field, "match"] = Group(row.near, row.near * weight)
    return _first(run, ValueQuestion(order="field"), share_room(wrong, room)), _first(
        run, ValueQuestion(set="accepted", order="field"), share_room(near, room)
    )


def _first(run: Run, question: ValueQuestion, shares: Mapping[Cell, int]) -> list[ListedRow]:
    """Return the first values that a question means, as many of each field and outcome as there is room for."""
    return list(errors_of(run, question, first=shares).rows()) if shares else []


def _documents(run: Run) -> tuple[tuple[PageDocument, ...], dict[str, int]]:
    """Return documents, worst first, and the ids of those that are opened, with their numbers."""
    documents = run.documents()
    order = worst_first(documents.to_arrow(["score"]))[:MAX_DOCUMENTS]
    room = MAX_OPENED if run.has_values else -1
    is_opened = sizes_of(documents.rows(order, CELLS)).cumsum() <= room
    listed = documents_at(run, order)
    opened = {
        row.document: number for row, number in zip(compress(listed, is_opened), order[is_opened].tolist(), strict=True)
    }
    return tuple(msgspec.structs.replace(row, opened=row.document in opened) for row in listed), opened


def sizes_of(documents: pa.Table) -> Ints:
    """Return how many values each document has, on one side or both."""
    sizes: Ints = np.sum([documents[name].to_numpy() for name in CELLS], axis=0)
    return sizes


def _values(run: Run, documents: Mapping[str, int]) -> list[ListedRow]:
    """Return the values of documents, which come with their numbers."""
    if not documents:
        return []
    tables = run.verdicts(where={"document": documents.keys()}, columns=READ)
    rows = [ListedRow(columns) for table in tables for columns in dicts_of(table.take(in_order(table)))]
    return sorted(rows, key=lambda row: documents[row.columns["document"]])


def _length(rows: Iterable[ListedRow]) -> int:
    texts = [len(row.columns[side] or "") for row in rows for side in ("expected", "predicted")]
    lengths = np.array(texts, np.int64)
    fits = (length for length in _VALUE_LENGTHS if int(np.minimum(lengths, length).sum()) <= MAX_CHARACTERS)
    return next(fits, _VALUE_LENGTHS[-1])


def _cut(value: PageValue, length: int) -> PageValue:
    """Return a value whose texts have no more than a length."""
    expected, expected_length = _shortened(value.expected, value.expected_length, length)
    predicted, predicted_length = _shortened(value.predicted, value.predicted_length, length)
    return msgspec.structs.replace(
        value,
        expected=expected,
        predicted=predicted,
        expected_length=expected_length,
        predicted_length=predicted_length,
    )


def _shortened(text: str | None, whole: int | None, length: int) -> tuple[str | None, int | None]:
    """Return a text of no more than a length, and how long it was where that is more."""
    if text is None or len(text) <= length:
        return text, whole
    return text[:length], whole or len(text)
