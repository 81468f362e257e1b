"""What is wrong with an evaluation before its first document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from fieldwise.compare import Plan
from fieldwise.errors import InputError, SettingError, closest, nearest, quoted
from fieldwise.readers.envelopes import SIDES, may_hold_json, read_text
from fieldwise.readers.inside import InsidePairs, name_some
from fieldwise.readers.pairs import PairSource
from fieldwise.readers.peek import PEEK, Strangers, find_strangers, first_documents
from fieldwise.readers.source import FromText
from fieldwise.spec import Object, Spec, escape
from fieldwise.spec.inference import SAMPLE_SIZE
from fieldwise.values import Json

_MOST_OF_THEM = 0.9
_MAX_LEVELS = 3


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
    if not declared or _any_has(first_documents(source, "expected", PEEK), declared):
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
        path = path_of(source, side)
        if path is None or first_documents(source, side, PEEK) or first_documents(source, side, SAMPLE_SIZE):
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


def path_of(source: PairSource, side: str) -> str | None:
    """Return where in what is read the documents of a side are; None where they are what is read."""
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
