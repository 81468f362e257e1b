"""What is wrong with an evaluation before its first document, and what people should know of its input."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from fieldwise.compare import Plan
from fieldwise.errors import InputError, SettingError, closest, nearest, quoted
from fieldwise.evaluation.checkpoint import FOLDER, LOCK, only_writer
from fieldwise.evaluation.outcome import Failure
from fieldwise.evaluation.outputs import RESULT_FILES
from fieldwise.files import is_draft
from fieldwise.numbers import count, counted
from fieldwise.readers.envelopes import SIDES, may_hold_json, read_text
from fieldwise.readers.folders import Folder
from fieldwise.readers.inside import InsidePairs, name_some
from fieldwise.readers.join import LinesJoin
from fieldwise.readers.pairs import PairSource
from fieldwise.readers.peek import Strangers, find_strangers, first_documents
from fieldwise.readers.source import FromText
from fieldwise.readers.trees import TreePairs
from fieldwise.spec import Object, Spec, escape
from fieldwise.spec.inference import SAMPLE_SIZE
from fieldwise.tables.documents import NO_EXPECTED, NO_PREDICTION
from fieldwise.values import Json

_PEEK = 100
_MOST_OF_THEM = 0.9
_MAX_LEVELS = 3
_HARMLESS = (".DS_Store", ".gitignore", ".gitkeep")


def check_partners(source: PairSource) -> None:
    """Refuse an input in which no document has both sides: nothing could be compared."""
    strangers = find_strangers(source)
    if strangers is not None:
        raise _no_partner(strangers)


def _no_partner(strangers: Strangers) -> InputError:
    for side, first, name in zip(SIDES, strangers, strangers.names, strict=False):
        if first is None:
            is_tree = name.endswith(("/", ".zip"))
            words = f"{name} holds no .json file" if is_tree else f"{name}: no {side} document"
            return InputError(words, code="input.no_documents", facts={"file": name, "side": side})
    expected, predicted = str(strangers.expected), str(strangers.predicted)
    look = f"expected ids look like {quoted(expected)}, predicted ones like {quoted(predicted)}"
    return InputError(
        f"No prediction was matched; {look}",
        code="input.no_partner",
        facts={"expected": expected, "predicted": predicted},
    )


def check_fields(source: PairSource, spec: Spec) -> None:
    """Refuse a spec of which no expected document has any field."""
    declared = spec.root.fields if isinstance(spec.root, Object) else {}
    if not declared or _any_has(first_documents(source, "expected", _PEEK), declared):
        return
    sample = source.sample(SAMPLE_SIZE)
    names = dict.fromkeys(name for document in sample if isinstance(document, dict) for name in document)
    if not names or _any_has(sample, declared):
        return
    key = shared_path(sample, declared)
    raise SettingError(
        f"No expected document has a declared field: the spec declares {name_some(declared)}, "
        f"the documents have {name_some(names)}",
        code="spec.fits_no_document",
        facts={"declared": list(declared), "got": list(names), "under": key},
        advice="" if key is None else f"if the documents are under {quoted(key)}, read them with expected_at={key!r}",
    )


def _any_has(documents: Sequence[Json], names: Collection[str]) -> bool:
    return any(isinstance(document, dict) and not document.keys().isdisjoint(names) for document in documents)


def check_paths(source: PairSource) -> None:
    """Refuse a path at which no document has anything."""
    if not isinstance(source, InsidePairs):
        return
    for side in SIDES:
        path = _at(source, side)
        if path is None or first_documents(source, side, _PEEK) or first_documents(source, side, SAMPLE_SIZE):
            continue
        held = [
            document for document in first_documents(source.source, side, SAMPLE_SIZE) if isinstance(document, dict)
        ]
        names = dict.fromkeys(name for document in held for name in document)
        if names:
            raise SettingError(
                f"No {side} document has anything at {quoted(path)} for {side}_at; they have {name_some(names)}"
                f"{nearest(path, names)}",
                code="input.nothing_at",
                facts={"setting": f"{side}_at", "got": path, "names": list(names), "nearest": closest(path, names)},
            )


def check_names(names: Collection[str], plan: Plan, setting: str) -> None:
    """Refuse names in a setting that are no fields of the spec."""
    fields = [node.path for node in plan.fields() if node.path]
    for name in names:
        if name not in fields:
            facts = {"field": name, "setting": setting, "nearest": closest(name, fields)}
            message = f"No field {quoted(name)} for {setting}{nearest(name, fields)}"
            raise SettingError(message, code="field.unknown", facts=facts)


def input_notes(source: PairSource) -> Iterator[str]:
    """Yield what people should know of how documents are matched, where they are, and which files are none."""
    inner = source.source if isinstance(source, InsidePairs) else source
    if isinstance(inner, TreePairs):
        yield from filter(None, [inner.listing.passed.sentence(".json")])
    if isinstance(inner, LinesJoin) and inner.origin.note:
        yield inner.origin.note
    yield from _path_advice(source)


def _path_advice(source: PairSource) -> Iterator[str]:
    """Yield a sentence where the documents of one side are all under a key that the other side has nowhere."""
    documents = {side: first_documents(source, side, _PEEK) for side in SIDES}
    for side, other in (SIDES[::-1], SIDES):
        names = {name for document in documents[other] if isinstance(document, dict) for name in document}
        path = shared_path(documents[side], names) if names and not _at(source, side) else None
        if path is not None:
            what = "predictions" if side == "predicted" else "expected documents"
            none = "no expected document" if side == "predicted" else "no prediction"
            yield f"The {what} are under {quoted(path)}, which {none} has; {side}_at={path!r} compares what is there."


def _at(source: PairSource, side: str) -> str | None:
    if not isinstance(source, InsidePairs):
        return None
    return source.expected_at if side == "expected" else source.predicted_at


def shared_path(documents: Sequence[Json], wanted: Collection[str]) -> str | None:
    """Return the path at which nine of ten documents have an object, where none of them has a wanted name itself.

    Of several the one with the most wanted names, and the shortest of those.
    """
    objects = [document for document in documents if isinstance(document, dict) and document]
    if not objects or _any_has(objects, wanted):
        return None
    held: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    for document in objects:
        for path, inner in _inner_objects(document, "", 1):
            held[path] += 1
            hits[path] += len(inner.keys() & set(wanted))
    common = [path for path, n in held.items() if n >= _MOST_OF_THEM * len(objects)]
    alone = all(len(document) == 1 for document in objects)
    common = [path for path in common if hits[path] or (alone and "." not in path)]
    return max(common, key=lambda path: (hits[path], -len(path)), default=None)


def _inner_objects(value: Mapping[str, Json], path: str, level: int) -> Iterator[tuple[str, Mapping[str, Json]]]:
    for name, inner in value.items():
        inside = f"{path}.{escape(name)}" if path else escape(name)
        if type(inner) is list and len(inner) == 1:
            inner, inside = inner[0], f"{inside}[0]"
        document = _as_object(inner)
        if document:
            yield inside, document
            if level < _MAX_LEVELS:
                yield from _inner_objects(document, inside, level + 1)


def _as_object(value: Json) -> Mapping[str, Json] | None:
    if type(value) is str and may_hold_json(value):
        held = read_text(value)
        value = held.document if isinstance(held, FromText) else None
    return value if isinstance(value, dict) else None


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


def text_note(texts: Mapping[str, int]) -> str | None:
    """Say in one sentence how many predictions were read from text; None where there are none."""
    words = {"fence": "read from a code fence (```json)", "text": "a text that holds JSON"}
    parts = [f"{counted(n, 'prediction')} {'was' if n == 1 else 'were'} {words[form]}" for form, n in texts.items()]
    return "; ".join(parts) + "." if parts else None


def work_note(limits_met: Mapping[str, int], max_work: int) -> str | None:
    """Say in one sentence how many documents met the limit of work; None where none did."""
    met = limits_met.get("max_work", 0)
    if not met:
        return None
    were, their = ("was", "its verdicts say") if met == 1 else ("were", "their verdicts say")
    return f"{counted(met, 'document')} {were} compared in cheaper ways (max_work={max_work:,}); {their} so."


def check_folder(folder: Path, source: PairSource, *, overwrite: bool, resume: bool) -> None:
    """Refuse a folder for results that is an input, holds something else, or holds results that nobody gave up."""
    check_outside(folder, input_folders(source))
    check_results(folder, overwrite=overwrite, resume=resume)


def check_outside(folder: Path, inputs: Sequence[Path]) -> None:
    """Refuse a folder for results in which, or above which, documents are looked for."""
    for root in inputs:
        if root.is_dir() and folder.resolve().is_relative_to(root.resolve()):
            raise SettingError(
                f"Cannot write results to {folder}: it would be part of the input {root}",
                code="output.inside_input",
                facts={"file": folder, "input": root},
                advice="choose another folder",
            )


def check_results(folder: Path, *, overwrite: bool, resume: bool = False) -> None:
    """Refuse a folder into which another evaluation writes, and what `check_contents` refuses."""
    if (folder / LOCK).exists():
        with only_writer(folder):  # a lock that is nobody's goes with this
            pass
    check_contents(folder, overwrite=overwrite, resume=resume)


def check_contents(folder: Path, *, overwrite: bool, resume: bool = False) -> None:
    """Refuse a folder that holds anything but results, and results unless they may be replaced or continued."""
    names = [name for name in _entries(folder) if name not in (*_HARMLESS, LOCK)]
    others = sorted(name for name in names if name not in RESULT_FILES and not _is_ours(name))
    is_result = FOLDER in names or "metrics.json" in names
    if others or (names and not is_result):
        held = name_some(others or sorted(names))
        raise SettingError(
            f"Cannot write results to {folder}: it holds {held}; choose an empty folder or a new one",
            code="output.not_empty",
            facts={"file": folder, "holds": others or sorted(names)},
        )
    if overwrite or not names:
        return
    if FOLDER not in names:
        nothing = " and nothing to resume" if resume else ""
        raise SettingError(
            f"{folder} holds an earlier result{nothing}",
            code="output.exists",
            facts={"file": folder},
            advice="overwrite=True replaces it",
        )
    if not resume:
        raise SettingError(
            f"{folder} holds an evaluation that was not finished",
            code="output.unfinished",
            facts={"file": folder},
            advice="resume=True continues it, overwrite=True replaces it",
        )


def _entries(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(
            f"Cannot write to {folder}: {error.strerror or error}", code="output.not_writable", facts={"file": folder}
        ) from error


def _is_ours(name: str) -> bool:
    return name == FOLDER or is_draft(name)


def input_folders(source: PairSource) -> list[Path]:
    """Return the folders in which a source looks for documents."""
    if isinstance(source, InsidePairs):
        return input_folders(source.source)
    trees = (source.expected, source.predicted) if isinstance(source, TreePairs) else ()
    return [Path(tree.path) for tree in trees if isinstance(tree, Folder)]
