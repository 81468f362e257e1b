"""Documents in memory as pairs: tuples, dicts, lists, models, series, data frames, and how both sides are matched."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import eq
from pathlib import Path

from fieldwise.errors import InputError, closest, nearest, quoted
from fieldwise.readers.envelopes import ID_KEYS, SIDE_KEYS, SIDES, WRAPPERS, Side, first_key, id_text
from fieldwise.readers.frames import Frame, FrameLike, Index, as_frame, documents_in, index_of, is_empty, is_series
from fieldwise.readers.json_text import parse_json
from fieldwise.readers.source import MISSING, unreadable
from fieldwise.results.notes import Note
from fieldwise.values import Json, is_object, opened, plain

InMemory = Iterable[Json] | FrameLike
"""Pairs, each ``(id, expected, predicted)`` or a mapping with these keys, and ``alternates`` or ``metadata`` if there
are any; or the documents of one side: a mapping by id, a list, a series, a data frame."""
Envelope = Mapping[str, Json]
"""An id, and what there is of the two documents."""
_MAX_NAMES = 8
_MOST, _FEW = 0.5, 2
_WRAPPERS = frozenset(WRAPPERS)
"""Keys under which a document may be, beside its id."""


@dataclass(frozen=True)
class Documents:
    """One side: its documents, and an id for each; None where they are known by their positions."""

    documents: Sequence[Json]
    ids: Sequence[str] | None
    index: Index | None = None


@dataclass(frozen=True)
class MatchedPairs:
    """Pairs, the key in documents by which they were matched, if any, and a note where it was not asked for."""

    pairs: Iterable[Envelope]
    id_key: str | None = None
    note: Note | None = None


def one_input(given: InMemory, id_column: str | None) -> Iterator[Envelope]:
    """Return the pairs of an iterable of pairs, or of a data frame with a column for each side."""
    frame = as_frame(given)
    if frame is not None:
        return _frame_pairs(frame, id_column)
    if isinstance(given, Mapping) or is_series(given) or not isinstance(given, Iterable):
        raise InputError(
            f"Expected pairs of documents, got {_named(given)} alone",
            code="input.no_pairs",
            facts={"got": _named(given)},
            advice="give the expected documents, and the predicted ones as predicted=…",
        )
    return (_envelope(pair, number, id_column) for number, pair in enumerate(given))


def two_inputs(expected: InMemory, predicted: InMemory, id_column: str | None) -> MatchedPairs:
    """Return the pairs of two dicts by id, or of two lists or data frames, matched by an id or by position.

    A key of ids that both sides have in common matches lists and data frames whose rows are only counted.
    Documents with the same id are trials: the first of one side goes with the first of the other, and so on.
    """
    left, right = _side(expected, "expected", id_column), _side(predicted, "predicted", id_column)
    found = _shared_key(left, right) if id_column is None else None
    if found is None:
        return MatchedPairs(_matched(left, right, (_named(expected), _named(predicted))), id_column)
    sides = [Documents(side.documents, _visible_ids(side.documents, found)) for side in (left, right)]
    return MatchedPairs(_joined(*sides), found, Note.of("input.matched_by_key", key=found))


def _matched(left: Documents, right: Documents, forms: tuple[str, str]) -> Iterator[Envelope]:
    left, right = _numbered(left, right), _numbered(right, left)
    if left.ids is None or right.ids is None:
        _check_positions(left, right, forms)
    if not left.documents and not right.documents:
        raise InputError("No documents: both sides are empty", code="input.no_documents")
    return _joined(left, right)


def _named(given: Json) -> str:
    name = type(given).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


# Pairs in one input


def _envelope(pair: Json, number: int, id_column: str | None) -> Envelope:
    if isinstance(pair, Mapping) and any(first_key(pair, keys) for keys in SIDE_KEYS.values()):
        if id_column is None:
            return pair
        beside = {key: value for key, value in pair.items() if key != "id"}
        return {"id": _id_in(pair, id_column, f"pairs[{number}]")} | beside
    if isinstance(pair, tuple | list) and len(pair) == 3 and id_column is None:
        return dict(zip(("id", *SIDES), pair, strict=True))
    size = f" of {len(pair)}" if isinstance(pair, tuple | list) else ""
    shape = f"the keys {_some(pair)}" if isinstance(pair, Mapping) else _named(pair) + size
    raise InputError(
        f"Expected (id, expected, predicted), or a dict with these keys, got {shape} - at pairs[{number}]",
        code="input.no_pairs",
        facts={"pair": number, "got": shape},
        advice="give expected and predicted documents apart, the second ones as predicted=…"
        * isinstance(pair, Mapping),
    )


def _frame_pairs(frame: Frame, id_column: str | None) -> Iterator[Envelope]:
    columns = {side: frame.column(_side_column(frame, side)) for side in SIDES}
    beside = {name: frame.column(name) for name in ("alternates", "metadata") if name in frame.columns}
    name = id_column or first_key(dict.fromkeys(frame.columns), ID_KEYS)
    if name is not None:
        ids = _column_ids(frame, name, "the data frame")
    else:
        labels = range(len(frame.rows)) if frame.index is None else frame.index.labels
        ids = [_id(label, "in the index of the data frame") for label in labels]
    for at, found in enumerate(ids):
        pair = {str(side): _document(cells[at], side) for side, cells in columns.items() if not is_empty(cells[at])}
        yield {"id": found, **pair, **{key: cells[at] for key, cells in beside.items() if not is_empty(cells[at])}}


def _side_column(frame: Frame, side: Side) -> str:
    found = first_key(dict.fromkeys(frame.columns), SIDE_KEYS[side])
    if found is not None:
        return found
    near = closest(side, frame.columns)
    raise InputError(
        f"Expected the columns 'expected' and 'predicted' in the data frame, got {_some(frame.columns)}",
        code="input.missing_column",
        facts={"columns": frame.columns, "expected": side, "nearest": near},
        advice=(f"rename {quoted(near)}, or " if near is not None else "")
        + "give predicted documents as predicted=… where the columns are fields",
    )


# The two sides apart


def _side(given: Json, side: Side, id_column: str | None) -> Documents:
    frame = as_frame(given)
    if frame is not None:
        documents, index = documents_in(frame, id_column), frame.index
        ids = None if id_column is None else _column_ids(frame, id_column, f"the {side} data frame")
    else:
        documents, labels, index = _listed(given, side)
        ids = labels if id_column is None else _key_ids(documents, id_column, side)
    if ids is not None or index is None or index.is_count:
        return Documents(documents, ids, index)
    return Documents(documents, [_id(label, f"in the index of {side}") for label in index.labels], index)


def _listed(given: Json, side: Side) -> tuple[list[Json], list[str] | None, Index | None]:
    """Return the documents of a series, a dict or a list, with what each of these has: an index, ids, or nothing."""
    if is_series(given):
        cells = [MISSING if is_empty(cell) else _document(cell, side) for cell in given]
        return cells, None, index_of(given.index)
    if isinstance(given, Mapping):
        ids = [_id(label, f"in the keys of {side}") for label in given]
        return [_document(value, side) for value in given.values()], ids, None
    if isinstance(given, Iterable) and not (isinstance(given, str | bytes) or is_object(given)):
        return [_document(value, side) for value in given], None, None
    raise InputError(
        f"Expected a dict of documents by id, a list of documents or a data frame, got {_named(given)} - as {side}",
        code="input.wrong_type",
        facts={"got": _named(given), "side": side},
    )


def _numbered(side: Documents, other: Documents) -> Documents:
    """Return a side with the numbers of its rows as ids where the other one has numbers of which some are lost."""
    if side.ids is not None or side.index is None or other.ids is None or other.index is None or other.index.name:
        return side
    return Documents(side.documents, _ids(side))


def _document(given: Json, side: Side) -> Json:
    """Return a document; an object or a list that is given as JSON text is read."""
    if type(given) is str and given.lstrip()[:1] in ("{", "["):
        try:
            return parse_json(given.encode("utf-8", "surrogatepass"), "the text")
        except InputError as error:  # a prediction in which there is JSON is read later, and noted
            return unreadable(error) if side == "expected" else given
    if isinstance(given, Path) or (type(given) is str and given.endswith((".json", ".jsonl"))):
        raise InputError(
            f"Expected a document, got the path {given}",
            code="input.wrong_type",
            facts={"file": given},
            advice="open_pairs reads files",
        )
    return given


# Ids


def _column_ids(frame: Frame, column: str, what: str) -> list[str]:
    if column not in frame.columns:
        raise InputError(
            f"Expected the column {quoted(column)} in {what}, got {_some(frame.columns)}"
            + nearest(column, frame.columns),
            code="input.missing_column",
            facts={"columns": frame.columns, "expected": column, "nearest": closest(column, frame.columns)},
        )
    return [_id(cell, f"in row {at} of the column {quoted(column)}") for at, cell in enumerate(frame.column(column))]


def _key_ids(documents: Iterable[Json], key: str, side: Side) -> list[str]:
    return [_id_in(document, key, f"{side}[{at}]") for at, document in enumerate(documents)]


def _id_in(document: Json, key: str, place: str) -> str:
    parts = opened(document)
    if not isinstance(parts, dict):
        raise InputError(
            f"Expected a document with the key {quoted(key)}, got {_named(document)} - at {place}",
            code="input.no_id",
            facts={"expected": key, "got": _named(document), "place": place},
        )
    if key not in parts:
        raise InputError(
            f"Expected the key {quoted(key)} in every document, got {_some(parts)} - at {place}{nearest(key, parts)}",
            code="input.no_id",
            facts={"expected": key, "got": list(parts), "nearest": closest(key, parts), "place": place},
        )
    return _id(parts[key], f"at {place}.{key}")


def _id(value: Json, place: str) -> str:
    """Return an id as text. A whole number is the same id in a column of integers and in one of floats."""
    text = _id_text(value)
    if text is None:
        raise InputError(
            f"Expected a text or a number as the id, got {value!r} - {place}",
            code="input.no_id",
            facts={"got": value, "place": place},
            advice="leave out what has no id, or name another column or key as id_column",
        )
    return text


def _id_text(value: Json) -> str | None:
    made = plain(value)
    text = id_text(int(made) if type(made) is float and made.is_integer() else made)
    return None if text is None or text.isspace() else text


def _shared_key(left: Documents, right: Documents) -> str | None:
    """Return a key under which every document of both sides has an id, and none of them twice.

    It is called an id, and both sides have some in common; or most of what the side with fewer documents has is on the
    other side too, elsewhere than at the same positions, which hence say nothing. Of several the one with most in
    common is it, and the first of these. Ids of which both sides have none in common are values.
    """
    if not (_only_counts(left) and _only_counts(right)) or not left.documents or not right.documents:
        return None
    shared: dict[str, int] = {}
    for key in dict.fromkeys((*ID_KEYS, *_keys_of(left.documents[0]))):
        sides = [_visible_ids(side.documents, key) for side in (left, right)]
        if None in sides or any(len(set(ids)) < len(ids) for ids in sides if ids is not None):
            continue
        first, second = (ids or [] for ids in sides)
        common = len(set(first).intersection(second))
        if key in ID_KEYS and common:
            return key
        here = sum(map(eq, first, second))
        most = max(_MOST * min(len(first), len(second)), _FEW)
        if common > most and (here < common / 2 or len(first) != len(second)):
            shared[key] = common
    return max(shared, key=shared.__getitem__, default=None)


def _keys_of(document: Json) -> list[str]:
    """Return the keys of a document under which there are texts or whole numbers, where it has other values, too."""
    parts = opened(document)
    held = parts.items() if isinstance(parts, dict) and len(parts) > 1 else ()
    return [key for key, value in held if type(plain(value)) in (str, int)]


def _only_counts(side: Documents) -> bool:
    """Tell whether documents are known by their positions, or by the numbers of rows of which some were left out."""
    if side.index is None:
        return side.ids is None
    index = side.index
    return index.is_count or (index.name is None and all(type(plain(label)) is int for label in index.labels))


def _visible_ids(documents: Iterable[Json], key: str) -> list[str] | None:
    """Return the ids that documents have under a key; None where one has none, or is inside of something."""
    ids: list[str] = []
    for document in documents:
        parts = opened(document)
        text = _id_text(parts.get(key)) if isinstance(parts, dict) and _WRAPPERS.isdisjoint(parts) else None
        if text is None:
            return None
        ids.append(text)
    return ids


def _some(names: Iterable[Json]) -> str:
    listed = [quoted(str(name)) for name in names]
    more = f" and {len(listed) - _MAX_NAMES} more" if len(listed) > _MAX_NAMES else ""
    return ", ".join(listed[:_MAX_NAMES]) + more if listed else "none"


# Matching


def _check_positions(left: Documents, right: Documents, forms: tuple[str, str]) -> None:
    """Refuse what cannot be matched by position: ids on one side, other lengths, the same ids in another order."""
    if left.ids is not None or right.ids is not None:
        has_ids, has_none = forms if right.ids is None else forms[::-1]
        raise InputError(
            f"Expected ids on both sides or on neither, got {has_ids} with ids and {has_none} without",
            code="input.different_formats",
            facts={"expected": forms[0], "predicted": forms[1]},
            advice="name the key or column that holds them as id_column",
        )
    counts = len(left.documents), len(right.documents)
    if counts[0] != counts[1]:
        raise InputError(
            f"Expected as many predicted documents as expected ones, got {counts[1]:,} and {counts[0]:,}",
            code="input.different_lengths",
            facts={"expected": counts[0], "predicted": counts[1]},
            advice="name the key or column that holds their ids as id_column, or give dicts of documents by id",
        )
    for key in ID_KEYS:
        first, second = (_visible_ids(side.documents, key) for side in (left, right))
        if first is not None and second is not None and first != second and sorted(first) == sorted(second):
            raise InputError(
                f"Documents have the same values under {quoted(key)} in another order on the other side",
                code="input.different_formats",
                facts={"key": key},
                advice=f"match by them: id_column={key!r}",
            )


def _joined(left: Documents, right: Documents) -> Iterator[Envelope]:
    waiting: dict[str, deque[Json]] = {}
    for name, document in zip(_ids(right), right.documents, strict=True):
        waiting.setdefault(name, deque()).append(document)
    for name, document in zip(_ids(left), left.documents, strict=True):
        partners = waiting.get(name)
        yield {"id": name, "expected": document} | ({"predicted": partners.popleft()} if partners else {})
    for name, rest in waiting.items():
        yield from ({"id": name, "predicted": document} for document in rest)


def _ids(side: Documents) -> Sequence[str]:
    return [str(number) for number in range(len(side.documents))] if side.ids is None else side.ids
