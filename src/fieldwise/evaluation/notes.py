"""What people should know of an evaluation: how its input was read, and what its counts don't show."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from fieldwise.counting.cells import MAX_CELLS, CellCounts, Cells
from fieldwise.counting.sums import Misfits
from fieldwise.evaluation.checks import path_of, shared_path
from fieldwise.evaluation.outcome import MAX_ERRORS, BlockedLists, Failure, SectionCounts
from fieldwise.readers.envelopes import SIDES, one_form
from fieldwise.readers.file_list import FilePairs
from fieldwise.readers.inside import InsidePairs
from fieldwise.readers.join import LinesJoin, PairLines
from fieldwise.readers.pairs import PairSource
from fieldwise.readers.peek import PEEK, first_documents
from fieldwise.readers.received import ReceivedPairs
from fieldwise.readers.trees import TreePairs
from fieldwise.results.metrics import FieldMetrics, Scope
from fieldwise.results.notes import Note, NoteCode
from fieldwise.results.statuses import NO_EXPECTED, NO_PREDICTION
from fieldwise.values import AbsentWords, Json


def input_notes(source: PairSource) -> Iterator[Note]:
    """Yield what people should know of how documents are matched, where they are, and which files are none."""
    inner = source.source if isinstance(source, InsidePairs) else source
    if isinstance(inner, TreePairs):
        yield from inner.listing.passed.notes(".json")
        if any(inner.listing.spelled):
            yield Note.of("input.ids_in_two_forms")
        yield from _once(note for decided in inner.decided.values() for note in decided.notes)
    if isinstance(inner, FilePairs):
        yield from inner.decided.notes
    if isinstance(inner, ReceivedPairs):
        if inner.note is not None:
            yield inner.note
        inner = inner.source
    if isinstance(inner, LinesJoin | PairLines):
        yield from inner.origin.notes
    yield from _path_advice(source)


def _once(notes: Iterable[Note]) -> Iterator[Note]:
    seen: list[Note] = []
    for note in notes:
        if note not in seen:
            seen.append(note)
            yield note


def _path_advice(source: PairSource) -> Iterator[Note]:
    """Yield a note where the documents of one side are all under a key that the other side has nowhere."""
    documents = {side: first_documents(source, side, PEEK) for side in SIDES}
    for side, other in (SIDES[::-1], SIDES):
        names = {name for document in documents[other] if isinstance(document, dict) for name in document}
        path = shared_path(documents[side], names) if names and not path_of(source, side) else None
        if path is not None:
            yield Note.of("input.under_key", side=side, key=path)


def match_notes(kinds: Mapping[str, int], failures: Sequence[Failure], more_trials: int) -> Iterator[Note]:
    """Yield that fewer than half of the documents of a side have a partner, where it is so.

    ``kinds`` counts trials, of which ``more_trials`` are not the first of their document.
    """
    alone = {NO_PREDICTION: kinds.get(NO_PREDICTION, 0), NO_EXPECTED: kinds.get(NO_EXPECTED, 0)}
    matched = sum(kinds.values()) - sum(alone.values()) - more_trials
    if matched >= max(alone.values()):
        return
    expected, predicted = matched + alone[NO_PREDICTION], matched + alone[NO_EXPECTED]
    first = (next((f.document for f in failures if f.kind == kind), None) for kind in alone)
    examples = [name for name in first if name is not None]
    yield Note.of("input.few_matched", matched=matched, expected=expected, predicted=predicted, examples=examples)


def id_notes(failures: Sequence[Failure]) -> Iterator[Note]:
    """Yield which ids without a partner would meet if they were written alike, where there are any.

    >>> [note] = id_notes([Failure("0012", "no_prediction", ""), Failure("12", "no_expected", "")])
    >>> note.facts
    {'expected': '0012', 'predicted': '12', 'more': 0, 'at_least': False}
    """
    sides: dict[str, dict[str, list[str]]] = {NO_PREDICTION: {}, NO_EXPECTED: {}}
    for failure in failures:
        if failure.kind in sides:
            sides[failure.kind].setdefault(_loosely(failure.document), []).append(failure.document)
    expected, predicted = sides[NO_PREDICTION], sides[NO_EXPECTED]
    alike = [key for key, names in expected.items() if key and len(names) == len(predicted.get(key, ())) == 1]
    if alike:
        pair = {"expected": expected[alike[0]][0], "predicted": predicted[alike[0]][0]}
        yield Note.of("input.ids_alike", **pair, more=len(alike) - 1, at_least=len(failures) >= MAX_ERRORS)


_LEADING_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")


def _loosely(name: str) -> str:
    """Return an id without what is lost where a table is edited or a name is written by hand."""
    return "".join(c for c in _LEADING_ZEROS.sub("", name.casefold()) if c.isalnum())


MAX_NAMED = 5
"""How many paths, lists and fields are named."""


def undeclared_notes(fields: Mapping[str, FieldMetrics]) -> Iterator[Note]:
    """Yield how many predicted values are under keys that no field declares, and count as spurious."""
    values = {path: row.fa for path, row in fields.items() if row.scope == "undeclared" and row.fa}
    if not values:
        return
    most = sorted(values, key=lambda path: (-values[path], path))[:MAX_NAMED]
    declared = {one_form(path) for path, row in fields.items() if row.scope != "undeclared"} - values.keys()
    alike = next((path for path in most if one_form(path) in declared), None)
    number = sum(values.values())
    yield Note.of("values.undeclared", count=number, paths=most, path_count=len(values), in_other_form=alike)


def absent_notes(texts: Mapping[str, int], words: AbsentWords) -> Iterator[Note]:
    """Yield how many texts on which side stand for no value, where any do.

    >>> [note] = absent_notes({"predicted": 12, "expected": 1}, AbsentWords(["n/a", "-"]))
    >>> note.facts
    {'expected': 1, 'predicted': 12, 'words': ['n/a', '-']}
    """
    sides = {side: texts.get(side, 0) for side in SIDES}
    if any(sides.values()):
        yield Note.of("values.absent_texts", **sides, words=list(words))


OFTEN = 20
OFTEN_SHARE = 0.01
"""How often a text that may stand for no value is named: so many times, or several and this share of all values."""


def lone_notes(texts: Mapping[str, int], words: AbsentWords, values: int) -> Iterator[Note]:
    """Yield which other texts often stand where the other side has nothing, where any do.

    >>> [note] = lone_notes({"predicted none": 25, "expected tbd": 1}, AbsentWords(["n/a"]), 500)
    >>> note.facts
    {'texts': [{'side': 'predicted', 'text': 'none', 'count': 25}], 'words': ['n/a']}
    """
    often: list[dict[str, Json]] = [
        {"side": side, "text": text, "count": times}
        for (side, _, text), times in ((name.partition(" "), times) for name, times in texts.items())
        if (times >= OFTEN or (times > 1 and times >= OFTEN_SHARE * values)) and text not in words
    ]
    if often:
        often.sort(key=lambda text: (-text["count"], text["side"], text["text"]))
        yield Note.of("values.perhaps_absent", texts=often, words=list(words))


def text_notes(texts: Mapping[str, int]) -> Iterator[Note]:
    """Yield how many predictions were read from text, by its form, where there are any."""
    if texts:
        yield Note("input.read_from_text", dict(texts))


def block_notes(lists: BlockedLists, max_cells: int) -> Iterator[Note]:
    """Yield which lists of which documents were paired in blocks, where any were."""
    if lists:
        named = [
            {"path": path, "documents": lists[path].documents, "first": sorted(lists[path].names)}
            for path in sorted(lists)[:MAX_NAMED]
        ]
        yield Note.of("lists.in_blocks", lists=named, count=len(lists), max_cells=max_cells)


def class_notes(cells: Cells) -> Iterator[Note]:
    """Yield that documents have too many classes to be counted by them, where they have."""
    if cells.without_classes:
        yield Note.of("classes.too_many", limit=MAX_CELLS)


def section_notes(counts: SectionCounts) -> Iterator[Note]:
    """Yield how sections were classified, and what is odd about confidences and pages."""
    statuses: dict[str, Json] = {status: counts.statuses.get(status, 0) for status in ("wrong_class", "lost", "extra")}
    if any(statuses.values()):
        yield Note("sections.not_paired", statuses)
    for remark, code in _REMARKS.items():
        if number := counts.remarks.get(remark, 0):
            yield Note.of(code, count=number)


_REMARKS: Mapping[str, NoteCode] = {
    "percentages": "sections.confidences_divided",
    "unusable_confidences": "sections.confidences_left_out",
    "wrong_pages": "sections.pages_left_out",
}


def excluded_notes(sections: int, documents: int) -> Iterator[Note]:
    """Yield what is not scored because of its class, where something is not."""
    if sections or documents:
        yield Note.of("classes.excluded", sections=sections, documents=documents)


def cluster_notes(counts: CellCounts, key: str | None) -> Iterator[Note]:
    """Yield how many documents have no cluster, where some have none."""
    if counts.clusters is not None and counts.clusters.documents_alone:
        yield Note.of("clusters.missing", documents=counts.clusters.documents_alone, key=key)


def misfit_notes(misfits: Mapping[str, Misfits], scopes: Mapping[str, Collection[Scope]]) -> Iterator[Note]:
    """Yield a note for each field in which something else is predicted in place of an object or a list."""
    named = {path: odd for path, odd in misfits.items() if path}
    most = sorted(named, key=lambda path: (-named[path].documents, path))
    for path in most[:MAX_NAMED]:
        documents, example = named[path]
        shape = "object" if "object" in scopes.get(path, ()) else "list"
        yield Note.of("values.of_another_shape", field=path, expected=shape, count=documents, example=example)
    if len(most) > MAX_NAMED:
        yield Note.of("values.more_of_another_shape", fields=len(most) - MAX_NAMED)


def count_notes(rejected: int, written: int = 0, similar: int = 0, *, has_rows: bool = False) -> Iterator[Note]:
    """Yield what the counts of all values alone don't show, and whether rows were kept that do."""
    if rejected:
        yield Note.of("values.in_rejected_rows", count=rejected)
    if written or similar:
        yield Note.of("values.not_identical", written_differently=written, similar=similar, rows_kept=has_rows)
