"""The answers that a page about a run holds: all its sums, its worst documents, and as many rows as there is room for.

Time and size are bounded: one field is read after the other, and what a page holds does not grow with the documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import compress
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.compare import Plan
from fieldwise.compare.explain import plan_notes, plan_rows
from fieldwise.errors import FieldwiseError, InputError
from fieldwise.readers.sections import natural
from fieldwise.results import (
    ConfidencePage,
    Metrics,
    PageDocument,
    PageSection,
    PageValue,
    Rule,
    RunPage,
    ThresholdCurve,
)
from fieldwise.runs.calibration import calibrate_run
from fieldwise.runs.fields import run_plan
from fieldwise.runs.row_list import ListedRow, RowFilter, listed_rows
from fieldwise.runs.run import Run
from fieldwise.runs.sweep import threshold_curve
from fieldwise.stats.room import Group, share_room
from fieldwise.tables.documents import SLICE
from fieldwise.tables.stored import dicts_of
from fieldwise.tables.worst import MAX_OPENED, sizes_of, worst_first
from fieldwise.values import Json
from fieldwise.views.calibration import confidence_answers

PAGE_ROWS = 1_000
"""How many errors a page holds, and how many matches that are not identical."""
MAX_DOCUMENTS = 20_000
MAX_CHARACTERS = 1_000_000
_BY = ("document", "trial", "section", "class", "outcome")
_BOTH_SIDES = ("match", "mismatch", "absent")
"""The outcomes of values whose section has a partner."""
_CURVE_POINTS = 50
"""Of curves of confidences; what people read of these is exact."""
_VALUE_LENGTHS = (1_000, 300, 100)
"""Values are cut to the first of these lengths by which all of them together have no more than `MAX_CHARACTERS`."""
Wrong = Literal["mismatch", "missed", "spurious"]
_COUNTS: dict[Wrong, Literal["fd", "fn", "fa"]] = {"mismatch": "fd", "missed": "fn", "spurious": "fa"}
_SIDES = tuple(f"{side}{what}" for side in ("expected", "predicted") for what in ("", "_is_json", "_length"))
_MADE_HERE = ("opened", "sections", "slices")
_OF_A_DOCUMENT = [name for name in PageDocument.__struct_fields__ if name not in _MADE_HERE]
_READ = (
    *("section", "class", "accepted", "kind", "raw_score", "confidence", "pair_score", "pair_threshold"),
    *(*_SIDES, "reason"),
)
_OF_A_VALUE = ["document", "trial", "field", "outcome", "path", "predicted_path", *_READ]


def run_page(
    run: Run,
    plan: Plan | None = None,
    *,
    page_rows: int = PAGE_ROWS,
    class_plans: Mapping[str, Plan] = MappingProxyType({}),
    worst: pa.Table | None = None,
) -> RunPage:
    """Return what the page of a run holds: ``page_rows`` errors, and as many matches that are not identical.

    ``plan`` is the one by which it compared, where somebody has it: it knows better than a file where each setting
    came from. ``class_plans`` are those of classes that have their own. ``worst`` are the rows of some of the worst
    documents, where somebody has them.
    """
    metrics = run.metrics
    plan = _plan(run) if plan is None else plan
    own = (rule for name, held in class_plans.items() for rule in _rules(held, name))
    rules = (*(_rules(plan) if plan is not None else ()), *own)
    weights = {rule.path: rule.weight for rule in reversed(rules)}
    fields = [name for name in run.fields() if metrics.values_at(name) is not None] if run.has_rows else []
    errors, accepted = _examples(run, _shares(metrics, fields, weights, page_rows))
    slices = Slices.of(run)
    documents, opened = _documents(run, slices)
    values = _values(run, opened, worst)
    length = _length([*errors, *accepted, *values])
    return RunPage(
        metrics=metrics,
        rules=rules,
        rule_notes=tuple(plan_notes(plan.root)) if plan is not None else (),
        documents=documents,
        document_total=len(run.documents().ids),
        errors=tuple(_value(row, length, slices) for row in errors),
        accepted=tuple(_value(row, length, slices) for row in accepted),
        values=tuple(_value(row, length, slices) for row in values),
        curves=tuple(_curves(run, plan, fields)),
        has_rows=run.has_rows,
    )


def run_confidence(run: Run) -> ConfidencePage | None:
    """Return what the page of a run shows of its confidences; None where no value carries one that counts."""
    if not run.has_rows or not any(_has_confidences(block) for block in run.verdicts(columns=["confidence"])):
        return None
    try:
        return confidence_answers(calibrate_run(run, curve_points=_CURVE_POINTS))
    except InputError as error:
        if error.code == "run.no_confidences":
            return None
        raise


def _has_confidences(block: pa.Table) -> bool:
    return block["confidence"].null_count < len(block)


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


class _Shares(NamedTuple):
    """How many values of each field and outcome are shown, and how many matches that are not identical."""

    errors: Mapping[tuple[str, Wrong], int]
    accepted: Mapping[str, int]


def _shares(metrics: Metrics, fields: Sequence[str], weights: Mapping[str, float], room: int) -> _Shares:
    wrong, near = dict[tuple[str, Wrong], Group](), dict[str, Group]()
    for field in fields:
        row, weight = metrics.values_at(field), weights.get(field, 1.0)
        if row is None:
            continue
        for outcome, name in _COUNTS.items():
            count: int = getattr(row, name)
            wrong[field, outcome] = Group(count, count * weight)
        near[field] = Group(row.near, row.near * weight)
    return _Shares(share_room(wrong, room), share_room(near, room))


Row = tuple[str, dict[str, Json]]
"""A field and the columns of one of its values."""


def _examples(run: Run, shares: _Shares) -> tuple[list[Row], list[Row]]:
    errors = list[Row]()
    for (field, outcome), most in shares.errors.items():
        errors += _rows(run, field, run.errors(field, outcome=outcome, first=most, columns=_READ))
    accepted = [row for field, most in shares.accepted.items() for row in _rows(run, field, _near(run, field, most))]
    return errors, accepted


def _near(run: Run, field: str, most: int) -> pa.Table:
    """Return the first matches of a field that are not identical; others stand among them, of one of several values."""
    parts, after, first = list[pa.Table](), 0, most
    while sum(map(len, parts)) < most:
        matches = run.errors(field, outcome="match", first=first, after=after, columns=_READ)
        parts.append(matches.filter(matches["accepted"].is_valid()))
        if len(matches) < first:
            break
        after, first = after + first, 2 * first
    return pa.concat_tables(parts).slice(0, most)


def _rows(run: Run, field: str, chosen: pa.Table) -> Iterator[Row]:
    documents, numbers = run.documents(), chosen["document"].to_numpy()
    ids, trials = documents.ids.take(numbers).to_pylist(), documents.trials[numbers].tolist()
    for document, trial, columns in zip(ids, trials, dicts_of(chosen), strict=True):
        yield field, columns | {"document": document, "trial": trial}


def _documents(run: Run, slices: Slices) -> tuple[tuple[PageDocument, ...], dict[str, int]]:
    """Return documents, worst first, and the ids of those that are opened, with their numbers."""
    documents = run.documents()
    order = worst_first(documents.to_arrow(["score"]))[:MAX_DOCUMENTS]
    shown = documents.rows(order, _OF_A_DOCUMENT)
    room = MAX_OPENED if run.has_rows else -1
    is_opened = sizes_of(shown).cumsum() <= room
    ids: list[str] = shown["document"].to_pylist()  # type: ignore[assignment]  # never null
    opened = dict(zip(compress(ids, is_opened), order[is_opened].tolist(), strict=True))
    sections = sections_of(run)
    listed = []
    for row in dicts_of(shown):
        name = row["document"]
        row["reason"] = row["reason"] or ""
        held = sections.get((name, row["trial"]), ())
        listed.append(PageDocument(opened=name in opened, slices=slices(name), sections=held, **row))
    return tuple(listed), opened


def _values(run: Run, documents: Mapping[str, int], worst: pa.Table | None) -> list[Row]:
    """Return the values of documents, which are given with their numbers; those of the ``worst`` need not be read."""
    rows = [] if worst is None else list(dicts_of(_rows_of(worst.select(_OF_A_VALUE), documents)))
    others = documents.keys() - {row["document"] for row in rows}
    if others:
        rows += [row.columns for row in listed_rows(run, RowFilter(documents=frozenset(others)))]
    rows.sort(key=lambda row: documents[row["document"]])
    return [(row["field"], row) for row in rows]


def _rows_of(rows: Any, documents: Iterable[str]) -> pa.Table:
    chosen: pa.Table = rows.filter(pc.is_in(rows["document"], value_set=pa.array(documents, pa.string())))
    return chosen


def _length(rows: Iterable[Row]) -> int:
    texts = [len(columns[side] or "") for _, columns in rows for side in ("expected", "predicted")]
    lengths = np.array(texts, np.int64)
    fits = (length for length in _VALUE_LENGTHS if int(np.minimum(lengths, length).sum()) <= MAX_CHARACTERS)
    return next(fits, _VALUE_LENGTHS[-1])


def _value(row: Row, length: int, slices: Slices) -> PageValue:
    field, columns = row
    expected, expected_length = _shortened(columns["expected"], columns["expected_length"], length)
    predicted, predicted_length = _shortened(columns["predicted"], columns["predicted_length"], length)
    return PageValue(
        document=columns["document"],
        field=field,
        outcome=columns["outcome"],
        path=columns["path"],
        predicted_path=columns["predicted_path"],
        expected=expected,
        predicted=predicted,
        expected_length=expected_length,
        predicted_length=predicted_length,
        text_side=_text_side(columns),
        accepted=columns["accepted"],
        kind=columns["kind"],
        raw_score=round(columns["raw_score"], 4),
        reason=ListedRow(columns).reason if columns["reason"] else "",
        confidence=columns["confidence"],
        pair_score=columns["pair_score"],
        trial=columns["trial"],
        section=columns["section"],
        document_class=columns["class"],
        slices=slices(columns["document"]),
    )


def _text_side(columns: Mapping[str, Json]) -> Literal["expected", "predicted"] | None:
    """Return the side that is a text, where the other side is none and looks the same."""
    is_json = columns["expected_is_json"], columns["predicted_is_json"]
    if columns["expected"] != columns["predicted"] or is_json[0] == is_json[1]:
        return None
    return "predicted" if is_json[0] else "expected"


def _shortened(text: str | None, whole: int | None, length: int) -> tuple[str | None, int | None]:
    """Return a text of no more than a length, and how long it was where that is more."""
    if text is None or len(text) <= length:
        return text, whole
    return text[:length], whole or len(text)


class Slices(NamedTuple):
    """The values of documents by slice key."""

    keys: tuple[str, ...]
    of_document: Mapping[str, Sequence[str | None]]

    @classmethod
    def of(cls, run: Run) -> Slices:
        """Read those of a run."""
        keys, documents = tuple(run.metrics.slices or ()), run.documents()
        columns = [documents.texts(f"{SLICE}{key}") for key in keys]
        return cls(keys, dict(zip(documents.ids.to_pylist(), zip(*columns, strict=True), strict=True)) if keys else {})

    def __call__(self, document: str) -> dict[str, str]:
        """Return those of a document, without keys that it does not have."""
        if not self.keys:
            return {}
        held = self.of_document.get(document, ())
        return {key: value for key, value in zip(self.keys, held, strict=bool(held)) if value is not None}


def sections_of(run: Run) -> dict[tuple[str, int], tuple[PageSection, ...]]:
    """Return the sections of each document and trial that have rows, and whether they have a partner."""
    sums = run.metrics.sections
    if sums is None or not run.has_rows:
        return {}
    listed = {(error.doc_id, error.section_id) for error in sums.classification_errors}
    all_listed = sums.wrong_class + sums.lost + sums.extra == len(sums.classification_errors)
    found: dict[tuple[str, int, str, str | None], bool] = {}
    for table in run.verdicts(columns=_BY):
        seen: Any = table.group_by(list(_BY)).aggregate([])
        for row in seen.to_pylist():
            if row["section"] is not None:
                key = row["document"], row["trial"], row["section"], row["class"]
                found[key] = found.get(key, False) or row["outcome"] in _BOTH_SIDES
    sections: dict[tuple[str, int], list[PageSection]] = {}
    for (document, trial, section, name), has_both in sorted(found.items(), key=_section_order):
        paired = has_both or (all_listed and (document, section) not in listed)
        sections.setdefault((document, trial), []).append(PageSection(section, name, paired=paired))
    return {key: tuple(held) for key, held in sections.items()}


def _section_order(item: tuple[tuple[str, int, str, str | None], bool]) -> tuple[Any, ...]:
    document, trial, section, name = item[0]
    return document, trial, natural(section), name or ""
