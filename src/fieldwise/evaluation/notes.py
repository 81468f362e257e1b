"""What people should know of an evaluation, in sentences: how its input was read, and what its counts don't show."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from fieldwise.counting.cells import MAX_CELLS, CellCounts, Cells
from fieldwise.counting.sums import Misfits
from fieldwise.errors import quoted
from fieldwise.evaluation.checks import path_of, shared_path
from fieldwise.evaluation.outcome import MAX_ERRORS, BlockedLists, Failure, SectionCounts
from fieldwise.readers.envelopes import SIDES, one_form
from fieldwise.readers.file_list import FilePairs
from fieldwise.readers.inside import InsidePairs
from fieldwise.readers.join import LinesJoin, PairLines
from fieldwise.readers.pairs import PairSource
from fieldwise.readers.peek import PEEK, first_documents
from fieldwise.readers.received import ReceivedPairs
from fieldwise.readers.sides import OTHER_FORM
from fieldwise.readers.trees import TreePairs
from fieldwise.results.metrics import FieldMetrics, Scope
from fieldwise.tables.documents import NO_EXPECTED, NO_PREDICTION
from fieldwise.values import AbsentWords
from fieldwise.views.numbers import count, counted

_LISTED = {
    True: "fieldwise show, or errors(field, outcome='match') in Python, lists them",
    False: "an evaluation with out, or with rows=True, lists them",
}
"""How to see matches of values that are not identical, by whether rows were kept."""


def input_notes(source: PairSource) -> Iterator[str]:
    """Yield what people should know of how documents are matched, where they are, and which files are none."""
    inner = source.source if isinstance(source, InsidePairs) else source
    if isinstance(inner, TreePairs):
        passed = inner.listing.passed
        spelled = OTHER_FORM * any(inner.listing.spelled)
        yield from filter(None, [passed.sentence(".json"), passed.stray_sentence(), spelled])
        yield from dict.fromkeys(note for found in inner.decided.values() for note in found.notes)
    if isinstance(inner, FilePairs):
        yield from inner.decided.notes
    if isinstance(inner, ReceivedPairs):
        yield from filter(None, [inner.note])
        inner = inner.source
    if isinstance(inner, LinesJoin | PairLines):
        yield from inner.origin.notes
    yield from _path_advice(source)


def _path_advice(source: PairSource) -> Iterator[str]:
    """Yield a sentence where the documents of one side are all under a key that the other side has nowhere."""
    documents = {side: first_documents(source, side, PEEK) for side in SIDES}
    for side, other in (SIDES[::-1], SIDES):
        names = {name for document in documents[other] if isinstance(document, dict) for name in document}
        path = shared_path(documents[side], names) if names and not path_of(source, side) else None
        if path is not None:
            what = "predictions" if side == "predicted" else "expected documents"
            none = "no expected document" if side == "predicted" else "no prediction"
            yield f"The {what} are under {quoted(path)}, which {none} has; {side}_at={path!r} compares what is there."


def match_note(kinds: Mapping[str, int], failures: Sequence[Failure], more_trials: int) -> str | None:
    """Say in one sentence that fewer than half of the documents of a side have a partner; None where it is not so.

    ``kinds`` counts trials, of which ``more_trials`` are not the first of their document.
    """
    alone = {NO_PREDICTION: kinds.get(NO_PREDICTION, 0), NO_EXPECTED: kinds.get(NO_EXPECTED, 0)}
    matched = sum(kinds.values()) - sum(alone.values()) - more_trials
    if matched >= max(alone.values()):
        return None
    expected, predicted = matched + alone[NO_PREDICTION], matched + alone[NO_EXPECTED]
    examples = {kind: next((f.document for f in failures if f.kind == kind), None) for kind in alone}
    shown = [quoted(name) for name in examples.values() if name is not None]
    return (
        f"Only {count(matched)} of {counted(expected, 'expected document')} and {counted(predicted, 'prediction')} "
        f"match; ids without a partner: {', '.join(shown)} …"
    )


def id_note(failures: Sequence[Failure]) -> str | None:
    """Say in one sentence which ids without a partner would meet if they were written alike; None where none would.

    >>> print(id_note([Failure("0012", "no_prediction", ""), Failure("12", "no_expected", "")]))
    '0012' is expected and '12' predicted: ids that differ in leading zeros, case or punctuation are different documents
    """
    sides: dict[str, dict[str, list[str]]] = {NO_PREDICTION: {}, NO_EXPECTED: {}}
    for failure in failures:
        if failure.kind in sides:
            sides[failure.kind].setdefault(_loosely(failure.document), []).append(failure.document)
    expected, predicted = sides[NO_PREDICTION], sides[NO_EXPECTED]
    alike = [key for key, names in expected.items() if key and len(names) == len(predicted.get(key, ())) == 1]
    if not alike:
        return None
    first, other = quoted(expected[alike[0]][0]), quoted(predicted[alike[0]][0])
    least = "at least " if len(failures) >= MAX_ERRORS else ""
    more = f", and {least}{count(len(alike) - 1)} more like this" if len(alike) > 1 else ""
    why = "ids that differ in leading zeros, case or punctuation are different documents"
    return f"{first} is expected and {other} predicted{more}: {why}"


_LEADING_ZEROS = re.compile(r"(?<![0-9])0+(?=[0-9])")


def _loosely(name: str) -> str:
    """Return an id without what is lost where a table is edited or a name is written by hand."""
    return "".join(c for c in _LEADING_ZEROS.sub("", name.casefold()) if c.isalnum())


MAX_UNDECLARED = 5
"""So many paths of undeclared keys are named."""


def undeclared_note(fields: Mapping[str, FieldMetrics]) -> str | None:
    """Say in one sentence how many predicted values are under keys that no field declares, and count as spurious."""
    values = {path: row.fa for path, row in fields.items() if row.scope == "undeclared" and row.fa}
    if not values:
        return None
    most = sorted(values, key=lambda path: (-values[path], path))[:MAX_UNDECLARED]
    dots = ", …" if len(values) > len(most) else ""
    is_one = sum(values.values()) == 1
    are = "is under a key that no field declares" if is_one else "are under keys that no field declares"
    counts = "counts" if is_one else "count"
    declared = {one_form(path) for path, row in fields.items() if row.scope != "undeclared"} - values.keys()
    alike = [path for path in most if one_form(path) in declared]
    form = (
        f"; the accents of {''.join(alike[:1])} are written in another form (NFC, NFD) than in the field of this name"
    )
    return (
        f"{counted(sum(values.values()), 'predicted value')} {are} ({', '.join(most)}{dots}) and {counts} as spurious; "
        f"extras='ignore' leaves such keys out{form * bool(alike)}"
    )


def absent_note(texts: Mapping[str, int], words: AbsentWords) -> str | None:
    """Say in one sentence how many texts on which side stand for no value; None where none do.

    >>> print(absent_note({"predicted": 12, "expected": 1}, AbsentWords(["n/a", "-"])))
    1 expected and 12 predicted texts stand for no value (n/a, -) and count as absent; absent='' counts them as values
    """
    sides = [f"{count(texts[side])} {side}" for side in SIDES if texts.get(side)]
    if not sides:
        return None
    stand, count_as = ("text stands", "counts") if sum(texts.values()) == 1 else ("texts stand", "count")
    listed = f"for no value ({', '.join(words)}) and {count_as} as absent"
    return f"{' and '.join(sides)} {stand} {listed}; absent='' counts them as values"


OFTEN = 20
OFTEN_SHARE = 0.01
"""How often a text that may stand for no value is named: so many times, or several and this share of all values."""


def lone_note(texts: Mapping[str, int], words: AbsentWords, values: int) -> str | None:
    """Say in one sentence which other texts often stand where the other side has nothing; None where none do.

    >>> print(lone_note({"predicted none": 25, "expected tbd": 1}, AbsentWords(["n/a"]), 500))
    'none' is predicted 25 times where nothing is expected; absent='n/a,none' counts such texts as absent
    """
    often = {
        name: times
        for name, times in texts.items()
        if (times >= OFTEN or (times > 1 and times >= OFTEN_SHARE * values)) and name.partition(" ")[2] not in words
    }
    if not often:
        return None
    parts = [_lone(name, often[name]) for name in sorted(often, key=lambda name: (-often[name], name))]
    more = dict.fromkeys(name.partition(" ")[2] for name in often)
    return f"{', and '.join(parts)}; absent={quoted(','.join([*words, *more]))} counts such texts as absent"


def _lone(name: str, times: int) -> str:
    side, _, text = name.partition(" ")
    other = "predicted" if side == "expected" else "expected"
    return f"{quoted(text)} is {side} {counted(times, 'time')} where nothing is {other}"


def text_note(texts: Mapping[str, int]) -> str | None:
    """Say in one sentence how many predictions were read from text; None where there are none."""
    words = {"fence": "read from a code fence (```json)", "text": "a text that holds JSON"}
    parts = [f"{counted(n, 'prediction')} {'was' if n == 1 else 'were'} {words[form]}" for form, n in texts.items()]
    return "; ".join(parts) + "." if parts else None


def block_note(lists: BlockedLists, max_cells: int) -> str | None:
    """Say in one sentence which lists of which documents were paired in blocks; None where none were."""
    if not lists:
        return None
    named = [f"{path} in {_documents(*lists[path])}" for path in sorted(lists)[:MAX_UNDECLARED]]
    more = f" and {count(len(lists) - len(named))} more" if len(lists) > len(named) else ""
    return (
        f"Lists too long to compare every row with every other: {', '.join(named)}{more}; rows that are the same were "
        f"paired first, the others in blocks (max_cells={max_cells:,}; with more, fewer blocks)."
    )


def _documents(number: int, names: Sequence[str]) -> str:
    dots = ", …" if number > len(names) else ""
    return f"{counted(number, 'document')} ({', '.join(names)}{dots})"


def class_note(cells: Cells) -> str | None:
    """Say in one sentence that documents have too many classes to be counted by them; None where they have not."""
    return f"Documents have more than {MAX_CELLS:,} classes; none is counted apart." if cells.without_classes else None


def section_notes(counts: SectionCounts) -> Iterator[str]:
    """Say in sentences how sections were classified, and what is odd about confidences and pages."""
    wrong, lost, extra = (counts.statuses.get(status, 0) for status in ("wrong_class", "lost", "extra"))
    if wrong or lost or extra:
        words = [f"{count(wrong)} of the wrong class", f"{count(lost)} without a prediction", f"{count(extra)} extra"]
        held = [part for part, n in zip(words, (wrong, lost, extra), strict=True) if n]
        whose = "its" if wrong + lost + extra == 1 else "their"
        yield f"Sections: {', '.join(held)}; {whose} values count as missed or invented."
    remarks = counts.remarks
    if percentages := remarks.get("percentages", 0):
        have = "has" if percentages == 1 else "have"
        yield f"{counted(percentages, 'prediction')} {have} confidences from 0 to 100; these were divided by 100."
    if unusable := remarks.get("unusable_confidences", 0):
        were = "was" if unusable == 1 else "were"
        yield f"{counted(unusable, 'confidence')} not from 0 to 1 {were} left out."
    if wrong_pages := remarks.get("wrong_pages", 0):
        name = "names" if wrong_pages == 1 else "name"
        yield f"{counted(wrong_pages, 'section')} {name} pages that are no page numbers; these were left out."


def excluded_note(sections: int, documents: int) -> str | None:
    """Say in one sentence what is not scored because of its class; None where all is.

    >>> excluded_note(0, 1)
    '1 document of excluded classes was not scored.'
    >>> excluded_note(3, 1)
    '3 sections of excluded classes were not scored; 1 document has no others.'
    """
    if not sections:
        were = "was" if documents == 1 else "were"
        return f"{counted(documents, 'document')} of excluded classes {were} not scored." if documents else None
    words = f"{counted(sections, 'section')} of excluded classes {'was' if sections == 1 else 'were'} not scored"
    have = "has" if documents == 1 else "have"
    return f"{words}; {counted(documents, 'document')} {have} no others." if documents else f"{words}."


def cluster_note(counts: CellCounts, key: str | None) -> str | None:
    """Say in one sentence how many documents have no cluster; None where all have one."""
    alone = 0 if counts.clusters is None else counts.clusters.documents_alone
    if not alone:
        return None
    have, each = ("has", "it is") if alone == 1 else ("have", "each is")
    return f"{counted(alone, 'document')} {have} no {quoted(str(key))}; {each} a cluster of its own."


MAX_MISFITS = 5
"""So many fields are named one by one in which something else is predicted in place of an object or a list."""


def misfit_notes(misfits: Mapping[str, Misfits], scopes: Mapping[str, Collection[Scope]]) -> Iterator[str]:
    """Yield a sentence for each field in which something else is predicted in place of an object or a list."""
    named = {path: held for path, held in misfits.items() if path}
    most = sorted(named, key=lambda path: (-named[path].documents, path))
    for path in most[:MAX_MISFITS]:
        documents, example = named[path]
        is_one = documents == 1
        what = "an object" if "object" in scopes.get(path, ()) else "a list"
        are = f"is not {what}" if is_one else f"are not {what.removeprefix('a ').removeprefix('an ')}s"
        yield (
            f"{path}: {counted(documents, 'prediction')} {are}, for example {example}; what is expected there counts "
            "as missed"
        )
    if len(most) > MAX_MISFITS:
        yield f"The same holds for {counted(len(most) - MAX_MISFITS, 'more field')}."


def notes_on(rejected: int, written: int = 0, similar: int = 0, *, has_rows: bool = False) -> list[str]:
    """Say in sentences what the counts of all values alone don't show, and where rows were kept, how to list them.

    >>> notes_on(1)
    ['1 right value counts as wrong because its row was rejected; match_threshold sets how alike two rows must be']
    """
    notes = []
    if rejected:
        whose = ("value counts", "its") if rejected == 1 else ("values count", "their")
        words = f"right {whose[0]} as wrong because {whose[1]} row was rejected"
        notes.append(f"{count(rejected)} {words}; match_threshold sets how alike two rows must be")
    if written or similar:
        which = "match is of values" if written + similar == 1 else "matches are of values"
        parts = [f"{count(n)} {word}" for n, word in ((written, "written differently"), (similar, "similar")) if n]
        notes.append(
            f"{count(written + similar)} {which} that are not identical ({', '.join(parts)}); {_LISTED[has_rows]}"
        )
    return notes
