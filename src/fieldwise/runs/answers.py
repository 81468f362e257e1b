"""What a run answers to the questions of `results.questions`: all of it, a page at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, overload

import msgspec
import numpy as np
import pyarrow as pa

from fieldwise.errors import SettingError
from fieldwise.readers.sections import natural as natural_section
from fieldwise.results import PageDocument, PageSection, PageValue
from fieldwise.results.questions import (
    DocumentAnswer,
    DocumentKey,
    DocumentPage,
    DocumentQuestion,
    SectionPage,
    SectionQuestion,
    SectionRow,
    ValuePage,
    ValueQuestion,
)
from fieldwise.runs.names import check_ids, in_slices, refuse_unknown
from fieldwise.runs.row_list import ListedRow
from fieldwise.runs.run import Run
from fieldwise.runs.value_list import contains, total_of, unknown_cursor, value_list
from fieldwise.tables.documents import SLICE
from fieldwise.tables.stored import Ints, Mask, dicts_of
from fieldwise.text import natural
from fieldwise.values import Json

_MADE_HERE = ("opened", "sections", "slices")
OF_A_DOCUMENT = [name for name in PageDocument.__struct_fields__ if name not in _MADE_HERE]
"""The columns of documents that an answer has."""


@overload
def answer(run: Run, question: ValueQuestion) -> ValuePage: ...
@overload
def answer(run: Run, question: DocumentQuestion) -> DocumentPage: ...
@overload
def answer(run: Run, question: DocumentKey) -> DocumentAnswer: ...
@overload
def answer(run: Run, question: SectionQuestion) -> SectionPage: ...
def answer(
    run: Run, question: ValueQuestion | DocumentQuestion | DocumentKey | SectionQuestion
) -> ValuePage | DocumentPage | DocumentAnswer | SectionPage:
    """Return what a run answers; a name or a cursor that it does not know is refused."""
    match question:
        case ValueQuestion():
            return _values(run, question)
        case DocumentQuestion():
            return _documents(run, question)
        case DocumentKey():
            return _document(run, question)
        case SectionQuestion():
            return _sections(run, question)


def _values(run: Run, question: ValueQuestion) -> ValuePage:
    if not run.has_values:
        return ValuePage(None, 0, total_of(run, question), ())
    listed = value_list(run, question)
    start = listed.start_of(question.after)
    rows, slices = listed.rows(start, start + question.first), Slices.of(run)
    values = tuple(value_of(row, slices) for row in rows)
    return ValuePage(listed.cursor_at(start + question.first), len(listed), len(listed), values)


def value_of(row: ListedRow, slices: Slices) -> PageValue:
    """Return a compared value as it is answered."""
    columns = row.columns
    return PageValue(
        document=columns["document"],
        field=columns["field"],
        outcome=columns["outcome"],
        path=columns["path"],
        predicted_path=columns["predicted_path"],
        expected=columns["expected"],
        predicted=columns["predicted"],
        expected_length=columns["expected_length"],
        predicted_length=columns["predicted_length"],
        text_side=_text_side(columns),
        accepted=columns["accepted"],
        kind=columns["kind"],
        raw_score=round(columns["raw_score"], 4),
        reason=row.reason if columns["reason"] else "",
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


def _documents(run: Run, question: DocumentQuestion) -> DocumentPage:
    order = _document_order(run, question.order)
    chosen = order[_is_meant(run, question)[order]]
    part, following = _part(list(map(str, chosen.tolist())), question)
    return DocumentPage(following, len(chosen), len(chosen), documents_at(run, chosen[part]))


def _part(cursors: Sequence[str], question: DocumentQuestion | SectionQuestion) -> tuple[slice, str | None]:
    """Return which part of a list is asked for, given the cursor of each row, and the cursor of what follows."""
    if question.after is not None and question.after not in cursors:
        raise unknown_cursor(question.after)
    start = 0 if question.after is None else cursors.index(question.after)
    end = start + question.first
    return slice(start, end), cursors[end] if end < len(cursors) else None


def _document_order(run: Run, order: Literal["worst", "best", "id"]) -> Ints:
    """Return the numbers of all documents by their scores, of which those without one come last, or by their ids."""
    documents = run.documents()
    scores = documents.to_arrow(["score"])
    if order == "id":
        keys = list(zip(map(natural, documents.ids.to_pylist()), documents.trials.tolist(), strict=True))
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    numbers = worst_first(scores)
    if order == "worst":
        return numbers
    has_none = np.asarray(scores["score"].is_null())[numbers[::-1]]
    return numbers[::-1][np.argsort(has_none, kind="stable")]


def _is_meant(run: Run, question: DocumentQuestion) -> Mask:
    documents = run.documents()
    is_meant = contains(documents.ids, question.find)
    in_slice = in_slices(run, question.slices)
    if in_slice is not None:
        is_meant = is_meant & in_slice
    if not question.classes:
        return is_meant
    is_of = np.array([name in question.classes for name in documents.texts("document_class")], bool)
    sections = sections_of(run)
    for number, key in enumerate(zip(documents.ids.to_pylist(), documents.trials.tolist(), strict=True)):
        is_of[number] |= any(section.document_class in question.classes for section in sections.get(key, ()))
    found: Mask = np.logical_and(is_meant, is_of)
    return found


def worst_first(documents: pa.Table) -> Ints:
    """Return the numbers of documents by their scores; those without a score come last."""
    scores: Any = documents["score"]
    order: Ints = np.argsort(np.asarray(scores.fill_null(2.0)), kind="stable")
    return order


def documents_at(run: Run, numbers: Ints) -> tuple[PageDocument, ...]:
    """Return what became of the documents with these numbers, in their order."""
    sections, slices, opened = sections_of(run), Slices.of(run), run.has_values
    listed = []
    for row in dicts_of(run.documents().rows(numbers, OF_A_DOCUMENT)):
        name = row["document"]
        row["reason"] = row["reason"] or ""
        held = sections.get((name, row["trial"]), ())
        listed.append(PageDocument(opened=opened, slices=slices(name), sections=held, **row))
    return tuple(listed)


def _document(run: Run, key: DocumentKey) -> DocumentAnswer:
    check_ids(run, [key.document])
    documents, order = run.documents(), _document_order(run, "worst")
    ids, trials = documents.ids.to_pylist(), documents.trials.tolist()
    number = next((at for at, of in enumerate(zip(ids, trials, strict=True)) if of == (key.document, key.trial)), None)
    if number is None:
        raise SettingError(
            f"{key.document} has no trial {key.trial} in {run.name}",
            code="run.unknown_document",
            facts={"file": run.name, "document": key.document, "trial": key.trial},
        )
    wrong = documents.counts[:, 1:4].sum(axis=1) > 0
    listed = [at for at in order.tolist() if wrong[at] or at == number]
    place = listed.index(number)
    beside = listed[place - 1] if place else None, listed[place + 1] if place + 1 < len(listed) else None
    values = None
    if run.has_values:
        slices = Slices.of(run)
        rows = value_list(run, ValueQuestion(set="all", documents=(key.document,), trial=key.trial)).rows()
        values = tuple(value_of(row, slices) for row in rows)
    keys = (None if at is None else DocumentKey(ids[at], trials[at]) for at in beside)
    return DocumentAnswer(documents_at(run, np.array([number]))[0], values, *keys)


def _sections(run: Run, question: SectionQuestion) -> SectionPage:
    rows = list(_section_rows(run, question))
    part, following = _part([str(at) for at in range(len(rows))], question)
    return SectionPage(following, len(rows), _section_total(run, question), tuple(rows[part]))


def _section_rows(run: Run, question: SectionQuestion) -> Iterator[SectionRow]:
    """Yield the sections of a cell: those that are right from the documents, others from the classification errors."""
    sums, asked = run.metrics.sections, (question.expected, question.predicted)
    if isinstance(asked[0], str) and asked[0] == asked[1]:
        documents, sections = run.documents(), sections_of(run)
        ids, trials = documents.ids.to_pylist(), documents.trials.tolist()
        for number in _document_order(run, "worst").tolist():
            for section in sections.get((ids[number], trials[number]), ()):
                if section.paired and _is_same(section.document_class, asked[0]):
                    yield SectionRow(ids[number], section.section, trials[number])
        return
    for error in sums.classification_errors if sums is not None else ():
        sides = (error.expected_class, "extra"), (error.predicted_class, "lost")
        if all(
            wanted is msgspec.UNSET or (error.kind == none if wanted is None else _is_same(name, str(wanted)))
            for wanted, (name, none) in zip(asked, sides, strict=True)
        ):
            yield SectionRow(error.doc_id, error.section_id, None, error)


def _is_same(name: str | None, other: str) -> bool:
    """Tell whether two names are of one class: letter case does not matter."""
    return name is not None and name.lower() == other.lower()


def _section_total(run: Run, question: SectionQuestion) -> int | None:
    """Return how many sections a cell has, or a row or a column of the matrix beside those that are right."""
    sums = run.metrics.sections
    if sums is None or sums.confusion is None:
        return None
    *names, _ = sums.confusion.labels
    counts = np.array(sums.confusion.counts)

    def place(name: str | None) -> int:
        refuse_unknown([] if name is None else [name], names, "class")
        return len(names) if name is None else names.index(name)

    expected, predicted = question.expected, question.predicted
    if isinstance(expected, msgspec.UnsetType):
        if isinstance(predicted, msgspec.UnsetType):
            return sums.wrong_class + sums.lost + sums.extra
        at = place(predicted)
        return int(counts[:, at].sum() - counts[at, at])
    at = place(expected)
    if isinstance(predicted, msgspec.UnsetType):
        return int(counts[at].sum() - counts[at, at])
    return int(counts[at, place(predicted)])


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
    for row in run.documents().to_arrow(["document", "trial", "sections"]).to_pylist():
        for section, name, has_both in json.loads(row["sections"] or "[]"):
            key = row["document"], row["trial"], section, name
            found[key] = found.get(key, False) or has_both
    sections: dict[tuple[str, int], list[PageSection]] = {}
    for (document, trial, section, name), has_both in sorted(found.items(), key=_section_order):
        paired = has_both or (all_listed and (document, section) not in listed)
        sections.setdefault((document, trial), []).append(PageSection(section, name, paired=paired))
    return {key: tuple(held) for key, held in sections.items()}


def _section_order(item: tuple[tuple[str, int, str, str | None], bool]) -> tuple[Any, ...]:
    document, trial, section, name = item[0]
    return document, trial, natural_section(section), name or ""
