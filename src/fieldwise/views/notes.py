"""The words of notes, for whoever reads them: an option on the command line is an argument in Python."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

from fieldwise.bulk_aggregator import Json
from fieldwise.errors import quoted
from fieldwise.results.metrics import NOTHING_OUTSIDE, OutsideCount
from fieldwise.results.notes import Note, NoteCode
from fieldwise.views.numbers import count, counted, in_units
from fieldwise.views.words import WORDS

Medium: TypeAlias = Literal["command_line", "python", "page"]
"""Where words are read, and thus what a reader can do: give options, give arguments, or look and evaluate again."""
More: TypeAlias = Literal["fields", "calibrated_fields", "flips", "rows", "verdicts", "schema", "failures", "errors"]
"""What a view may leave out."""
Facts: TypeAlias = Mapping[str, Json]

_MAX_PATHS = 5
_MAX_EXAMPLE = 40


def worded(note: Note, medium: Medium = "python") -> str:
    """Return a note in words.

    >>> note = Note.of("input.under_key", side="predicted", key="a b")
    >>> worded(note).partition("; ")[2], worded(note, "command_line").partition("; ")[2]
    ("predicted_at='a b' compares what is there.", "--predicted-at 'a b' compares what is there.")
    """
    return _WORDS[note.code](note.facts, medium)


def outside_words(
    paths: Mapping[str, OutsideCount], rest: OutsideCount = NOTHING_OUTSIDE, *, ignored: bool = False
) -> str:
    """Say how many values lie under keys that no field declares and count nowhere; nothing where there are none.

    They are by path; ``rest`` are those of paths that are not listed.
    """
    expected = sum(counts.expected for counts in paths.values()) + rest.expected
    predicted = sum(counts.predicted for counts in paths.values()) + rest.predicted
    if not expected + predicted:
        return ""
    most = sorted(paths, key=lambda path: (-paths[path].expected - paths[path].predicted, path))[:_MAX_PATHS]
    more = ", …" if len(paths) > len(most) or rest.expected or rest.predicted else ""
    why = "undeclared keys are ignored" if ignored else "expected documents have these keys and the spec does not"
    values = f"{count(expected)} expected and {counted(predicted, 'predicted value')}"
    return f"Outside the spec, counted nowhere: {values} under {', '.join(most)}{more} ({why})."


def rest_words(more: More, medium: Medium) -> str:
    """Say behind a sentence how a medium shows the rest of what a view leaves out; often nothing."""
    return f"; {_MORE[more]}" if medium == "command_line" else ""


_MORE: Mapping[More, str] = {
    "fields": "--all lists them",
    "calibrated_fields": "--field or --json shows them",
    "flips": "--flips N lists more",
    "rows": "--limit 0 for all",
    "verdicts": "--all lists them",
    "schema": "--schema FILE declares it",
    "failures": "failures.jsonl of --out lists them all",
    "errors": "--limit 0 for all, --outcome wrong for errors only",
}
"""The option that shows the rest."""


def _option(name: str, medium: Medium) -> str:
    return name if medium == "python" else f"--{name.replace('_', '-')}"


def _setting(name: str, medium: Medium, value: str | None = None) -> str:
    """Return what sets something, with its value if one is proposed; from a page, only another evaluation can."""
    option = _option(name, medium)
    if value is not None:
        option += f"={value!r}" if medium == "python" else f" {shlex.quote(value)}"
    return f"an evaluation with {option}" if medium == "page" else option


def _are(number: int, one: str = "is", many: str = "are") -> str:
    return one if number == 1 else many


def _listed(names: Sequence[str], total: int) -> str:
    """List names; dots say that there are more."""
    return ", ".join(names) + ", …" * (total > len(names))


# How documents were read


def _files_not_read(facts: Facts, medium: Medium) -> str:
    number = facts["count"]
    files = f"{counted(number, 'file')} {_are(number, 'was', 'were')}"
    return f"{files} not read, such as {quoted(facts['example'])}; only {' and '.join(facts['read'])} files are."


def _sections_not_read(facts: Facts, medium: Medium) -> str:
    number = facts["count"]
    they_are = _are(number, "was not read: it is", "were not read: they are")
    where = f"no <document>/sections/<n>/result.json, such as {quoted(facts['example'])}"
    return f"{counted(number, 'file')} in folders of sections {they_are} {where}."


def _beside_documents(facts: Facts, medium: Medium) -> str:
    names, number = facts["names"], facts["count"]
    listed = ", ".join(map(quoted, names)) + (f" and {number - len(names)} more" if number > len(names) else "")
    what = f"The {facts['side']} documents are under {quoted(facts['key'])}"
    return f"{what}; what is beside it is not read: {listed}."


def _often_under_key(facts: Facts, medium: Medium) -> str:
    what = f"Half or more of the {facts['side']} documents are under {quoted(facts['key'])}"
    option = _setting(f"{facts['side']}_at", medium, facts["key"])
    return f"{what}, but fewer than nine in ten; {option} compares what is there."


def _under_key(facts: Facts, medium: Medium) -> str:
    is_predicted = facts["side"] == "predicted"
    what = "predictions" if is_predicted else "expected documents"
    none = "no expected document" if is_predicted else "no prediction"
    option = _setting(f"{facts['side']}_at", medium, facts["key"])
    return f"The {what} are under {quoted(facts['key'])}, which {none} has; {option} compares what is there."


def _matched_by_position(facts: Facts, medium: Medium) -> str:
    what = "Rows were matched by their numbers" if facts["unit"] == "rows" else "Documents were matched by line"
    without = facts["without"]
    has = "has" if len(without) == 1 else "have"
    return f"{what}: {' and '.join(without)} {has} no ids (a column called id would hold them)."


def _ids_in_two_forms(facts: Facts, medium: Medium) -> str:
    return (
        "Some ids are written with accents as characters of their own (NFD); they are the same as those written in one "
        "(NFC), and are matched."
    )


def _matched_by_key(facts: Facts, medium: Medium) -> str:
    return f"Documents were matched by {quoted(facts['key'])}, which is no field unless the spec declares it."


def _matched_by_column(facts: Facts, medium: Medium) -> str:
    return f"Rows were matched by the column {quoted(facts['column'])}, the first one."


def _short_rows(facts: Facts, medium: Medium) -> str:
    number = facts["count"]
    have = f"{counted(number, 'row')} {_are(number, 'has', 'have')}"
    return (
        f"{have} fewer cells than the header of {facts['file']}, first row {facts['first']}; what is not there is "
        "absent."
    )


def _read_from_text(facts: Facts, medium: Medium) -> str:
    words = {"fence": "read from a code fence (```json)", "text": "a text that holds JSON"}
    parts = [f"{counted(n, 'prediction')} {_are(n, 'was', 'were')} {words[form]}" for form, n in facts.items()]
    return "; ".join(parts) + "."


def _few_matched(facts: Facts, medium: Medium) -> str:
    of = f"{counted(facts['expected'], 'expected document')} and {counted(facts['predicted'], 'prediction')}"
    listed = ", ".join(map(quoted, facts["examples"]))
    return f"Only {count(facts['matched'])} of {of} match; ids without a partner: {listed} …"


def _ids_alike(facts: Facts, medium: Medium) -> str:
    least = "at least " if facts["at_least"] else ""
    more = f", and {least}{count(facts['more'])} more like this" if facts["more"] else ""
    pair = f"{quoted(facts['expected'])} is expected and {quoted(facts['predicted'])} predicted"
    return f"{pair}{more}: ids that differ in leading zeros, case or punctuation are different documents"


# Values


def _odd_values(facts: Facts, medium: Medium) -> str:
    from fieldwise.spec.choices import KIND_WORDS  # slow to import, and metrics are printed without a spec

    odd, (one, many) = facts["count"], KIND_WORDS[facts["kind"]]
    shown = repr(facts["example"]) if facts["is_text"] else facts["example"]
    shown = shown if len(shown) <= _MAX_EXAMPLE else f"{shown[:_MAX_EXAMPLE]}…"
    as_text = "; all are compared as text" if facts["as_text"] else ""
    words = _are(odd, f"is not {one}", f"are not {many}")
    values = f"{count(odd)} of {count(facts['values'])} expected values"
    return f"{facts['field']}: {values} {words}, for example {shown}{as_text}"


def _of_another_shape(facts: Facts, medium: Medium) -> str:
    number, shape = facts["count"], facts["expected"]
    are = _are(number, f"is not {'an' if shape == 'object' else 'a'} {shape}", f"are not {shape}s")
    return (
        f"{facts['field']}: {counted(number, 'prediction')} {are}, for example {facts['example']}; what is expected "
        "there counts as missed"
    )


def _more_of_another_shape(facts: Facts, medium: Medium) -> str:
    return f"The same holds for {counted(facts['fields'], 'more field')}."


def _absent_texts(facts: Facts, medium: Medium) -> str:
    sides = [f"{count(facts[side])} {side}" for side in ("expected", "predicted") if facts[side]]
    is_one = facts["expected"] + facts["predicted"] == 1
    stand, count_as = ("text stands", "counts") if is_one else ("texts stand", "count")
    listed = f"for no value ({', '.join(facts['words'])}) and {count_as} as absent"
    return f"{' and '.join(sides)} {stand} {listed}; {_setting('absent', medium, '')} counts them as values"


def _perhaps_absent(facts: Facts, medium: Medium) -> str:
    words = dict.fromkeys([*facts["words"], *(text["text"] for text in facts["texts"])])
    parts = ", and ".join(map(_lone, facts["texts"]))
    return f"{parts}; {_setting('absent', medium, ','.join(words))} counts such texts as absent"


def _lone(text: Facts) -> str:
    other = "predicted" if text["side"] == "expected" else "expected"
    return f"{quoted(text['text'])} is {text['side']} {counted(text['count'], 'time')} where nothing is {other}"


def _undeclared(facts: Facts, medium: Medium) -> str:
    number, alike = facts["count"], facts["in_other_form"]
    are = _are(number, "is under a key that no field declares", "are under keys that no field declares")
    listed = _listed(facts["paths"], facts["path_count"])
    values = f"{counted(number, 'predicted value')} {are} ({listed}) and {_are(number, 'counts', 'count')} as spurious"
    form = (
        ""
        if alike is None
        else f"; the accents of {alike} are written in another form (NFC, NFD) than in the field of this name"
    )
    return f"{values}; {_setting('extras', medium, 'ignore')} leaves such keys out{form}"


def _in_rejected_rows(facts: Facts, medium: Medium) -> str:
    number = facts["count"]
    counts, whose = ("value counts", "its") if number == 1 else ("values count", "their")
    sets = f"{_setting('match_threshold', medium)} sets how alike two rows must be"
    return f"{count(number)} right {counts} as wrong because {whose} row was rejected; {sets}"


def _not_identical(facts: Facts, medium: Medium) -> str:
    parts = (facts["written_differently"], "written differently"), (facts["similar"], "similar")
    listed = ", ".join(f"{count(n)} {word}" for n, word in parts if n)
    number = facts["written_differently"] + facts["similar"]
    matches = f"{counted(number, 'match', 'matches')} {_are(number)} of values that are not identical ({listed})"
    return f"{matches}; {_LISTS[medium][bool(facts['rows_kept'])]}"


_LISTS: Mapping[Medium, tuple[str, str]] = {
    "command_line": (
        "fieldwise show lists them after an evaluation with --out",
        "fieldwise show RESULTS --accepted lists them",
    ),
    "python": ("an evaluation with out, or with rows=True, lists them", "errors(field, outcome='match') lists them"),
    "page": ("an evaluation with --out lists them", "Errors lists them, as accepted"),
}
"""How to see matches that are not identical, where no rows were kept, and where they were."""


def _in_blocks(facts: Facts, medium: Medium) -> str:
    named = [
        f"{each['path']} in {counted(each['documents'], 'document')} ({_listed(each['first'], each['documents'])})"
        for each in facts["lists"]
    ]
    more = f" and {count(facts['count'] - len(named))} more" if facts["count"] > len(named) else ""
    return (
        f"Lists too long to compare every row with every other: {', '.join(named)}{more}; rows that are the same were "
        f"paired first, the others in blocks ({_max_cells(facts, medium)}; with more, fewer blocks)."
    )


def _paired_in_blocks(facts: Facts, medium: Medium) -> str:
    items = f"{count(facts['expected'])} × {count(facts['predicted'])} items"
    how = f"the same ones paired first, the others in blocks ({_max_cells(facts, medium)})"
    return f"{facts['path']}: {items}: {how}"


def _max_cells(facts: Facts, medium: Medium) -> str:
    return f"{_option('max_cells', medium)}{'=' if medium == 'python' else ' '}{count(facts['max_cells'])}"


# Sections, classes, clusters


def _not_paired(facts: Facts, medium: Medium) -> str:
    words = {"wrong_class": "of the wrong class", "lost": "without a prediction", "extra": "extra"}
    listed = ", ".join(f"{count(facts[key])} {what}" for key, what in words.items() if facts[key])
    whose = _are(sum(facts[key] for key in words), "its", "their")
    return f"Sections: {listed}; {whose} values count as missed or invented."


def _confidences_divided(facts: Facts, medium: Medium) -> str:
    number = facts["count"]
    have = _are(number, "has", "have")
    return f"{counted(number, 'prediction')} {have} confidences from 0 to 100; these were divided by 100."


def _confidences_left_out(facts: Facts, medium: Medium) -> str:
    number = facts["count"]
    return f"{counted(number, 'confidence')} not from 0 to 1 {_are(number, 'was', 'were')} left out."


def _pages_left_out(facts: Facts, medium: Medium) -> str:
    number = facts["count"]
    name = _are(number, "names", "name")
    return f"{counted(number, 'section')} {name} pages that are no page numbers; these were left out."


def _excluded(facts: Facts, medium: Medium) -> str:
    sections, documents = facts["sections"], facts["documents"]
    if not sections:
        return f"{counted(documents, 'document')} of excluded classes {_are(documents, 'was', 'were')} not scored."
    words = f"{counted(sections, 'section')} of excluded classes {_are(sections, 'was', 'were')} not scored"
    others = f"; {counted(documents, 'document')} {_are(documents, 'has', 'have')} no others" if documents else ""
    return f"{words}{others}."


def _not_declared(facts: Facts, medium: Medium) -> str:
    number, listed = facts["count"], _listed([*map(quoted, facts["classes"])], facts["count"])
    what = f"{counted(number, 'class', 'classes')} {_are(number)} not in the config ({listed})"
    if facts["inferred"]:
        return f"{what}; how {_are(number, 'it is', 'they are')} compared was inferred."
    return f"{what}; documents and sections of {_are(number, 'it', 'them')} are not scored."


def _too_many_classes(facts: Facts, medium: Medium) -> str:
    return f"Documents have more than {count(facts['limit'])} classes; none is counted apart."


def _without_cluster(facts: Facts, medium: Medium) -> str:
    number = facts["documents"]
    have, each = _are(number, "has", "have"), _are(number, "it is", "each is")
    return f"{counted(number, 'document')} {have} no {quoted(facts['key'])}; {each} a cluster of its own."


# Two runs


def _documents(facts: Facts, words: str) -> str:
    return f"{counted(facts['count'], 'document')} {words} ({_listed(facts['first'], facts['count'])})"


def _run_trials(facts: Facts, medium: Medium) -> str:
    documents = counted(facts["documents"], "document")
    trials = " and ".join(f"{counted(facts[run], 'trial')} in the {run}" for run in ("base", "candidate"))
    return f"{documents}, {trials}; a document's counts are divided by its trials"


def _only_in_one(facts: Facts, medium: Medium) -> str:
    return _documents(facts, f"only in the {facts['run']}, left out")


def _failed(facts: Facts, medium: Medium) -> str:
    return _documents(facts, f"failed in the {facts['run']}, counted there as missed")


def _without_prediction(facts: Facts, medium: Medium) -> str:
    return _documents(facts, f"without a usable prediction in the {facts['run']}, counted there as missed")


def _not_compared(facts: Facts, medium: Medium) -> str:
    return _documents(facts, "at which both runs failed, or which one of them does not score, left out")


def _other_expected_values(facts: Facts, medium: Medium) -> str:
    words = "with other expected values in the two runs: what differs there is not the prediction alone"
    return _documents(facts, words)


def _without_expected(facts: Facts, medium: Medium) -> str:
    some = _listed(facts["first"], facts["count"])
    return f"{counted(facts['count'], 'prediction')} that no expected document asks for, left out ({some})"


def _counted_one_by_one(facts: Facts, medium: Medium) -> str:
    how = f"{_option('unmatched', medium)}{'=' if medium == 'python' else ' '}objects"
    return f"Values are counted one by one here; metrics.json counts rows of lists ({how})"


def _different_rules(facts: Facts, medium: Medium) -> str:
    return f"Made under different rules: {' and '.join(facts['rules'])}"


def _different_versions(facts: Facts, medium: Medium) -> str:
    base, candidate = (facts[run] or "unknown" for run in ("base", "candidate"))
    return f"Compared by different versions: {base} and {candidate} of fieldwise"


def _few_differ(facts: Facts, medium: Medium) -> str:
    differ, of = facts["count"], in_units(facts["of"], facts["unit"])
    seen = f"Only {count(differ)} of {of} {_are(differ, 'differs', 'differ')}" if differ else f"None of {of} differs"
    return f"{seen}: losses that are rare may not be among them"


def _one_loss_undoes(facts: Facts, medium: Medium) -> str:
    unit = WORDS.units[facts["unit"]]
    return (
        f"One more lost {unit.one} of mean size, counted half, would undo this answer: losses of whole {unit.many} "
        "that are rare decide it"
    )


# Results that are added up


def _several_specs(facts: Facts, medium: Medium) -> str:
    without = facts["without"]
    others = f", and {counted(without, 'result')} name none" if without else ""
    specs = counted(facts["specs"], "spec")
    return f"The results were made under {specs}{others}: their values were compared by different rules."


def _mixed_counts(facts: Facts, medium: Medium) -> str:
    return "Some results count the values of unpaired list items, others the items: their sums mix both."


def _unknown_formats(facts: Facts, medium: Medium) -> str:
    number, listed = facts["count"], ", ".join(map(quoted, facts["formats"]))
    of = f"of a format that this version does not know ({listed})"
    return f"{counted(number, 'result')} {_are(number)} {of}."


_WORDS: Mapping[NoteCode, Callable[[Facts, Medium], str]] = {
    "classes.excluded": _excluded,
    "classes.not_declared": _not_declared,
    "classes.too_many": _too_many_classes,
    "clusters.missing": _without_cluster,
    "fields.odd_values": _odd_values,
    "input.beside_documents": _beside_documents,
    "input.few_matched": _few_matched,
    "input.files_not_read": _files_not_read,
    "input.ids_alike": _ids_alike,
    "input.ids_in_two_forms": _ids_in_two_forms,
    "input.matched_by_column": _matched_by_column,
    "input.matched_by_key": _matched_by_key,
    "input.matched_by_position": _matched_by_position,
    "input.often_under_key": _often_under_key,
    "input.read_from_text": _read_from_text,
    "input.sections_not_read": _sections_not_read,
    "input.short_rows": _short_rows,
    "input.under_key": _under_key,
    "lists.in_blocks": _in_blocks,
    "lists.paired_in_blocks": _paired_in_blocks,
    "results.mixed_counts": _mixed_counts,
    "results.several_specs": _several_specs,
    "results.unknown_formats": _unknown_formats,
    "runs.counted_one_by_one": _counted_one_by_one,
    "runs.different_rules": _different_rules,
    "runs.different_versions": _different_versions,
    "runs.failed": _failed,
    "runs.few_differ": _few_differ,
    "runs.not_compared": _not_compared,
    "runs.one_loss_undoes": _one_loss_undoes,
    "runs.only_in_one": _only_in_one,
    "runs.other_expected_values": _other_expected_values,
    "runs.trials": _run_trials,
    "runs.without_expected": _without_expected,
    "runs.without_prediction": _without_prediction,
    "sections.confidences_divided": _confidences_divided,
    "sections.confidences_left_out": _confidences_left_out,
    "sections.not_paired": _not_paired,
    "sections.pages_left_out": _pages_left_out,
    "values.absent_texts": _absent_texts,
    "values.in_rejected_rows": _in_rejected_rows,
    "values.more_of_another_shape": _more_of_another_shape,
    "values.not_identical": _not_identical,
    "values.of_another_shape": _of_another_shape,
    "values.perhaps_absent": _perhaps_absent,
    "values.undeclared": _undeclared,
}
