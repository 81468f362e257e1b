"""The pairs that were compared, as text, with what cannot be seen from them: which items of lists belong together.

A list is paired place by place, each pair alike and accepted, unless its pairing is kept. Other acceptable values stand
beside the document, and one that was taken in place of an object or a list under ``chosen``. A document in sections has
a list of them on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.compare.lists import items_of
from fieldwise.compare.nodes import mapping_of
from fieldwise.compare.results import AnyOf, ListResult, ObjectResult, Result
from fieldwise.spec import escape
from fieldwise.values import Json, canonical, is_scalar, opened, within_bounds

PAIRS = pa.schema([("expected", pa.string()), ("predicted", pa.string()), ("beside", pa.string())])
"""A row for each document and trial; nothing where it was not compared."""
MOST_DOCUMENTS, MOST_BYTES = 500, 8 << 20
"""A group of rows ends where it has as many documents or bytes."""
_CONTAINERS = frozenset({dict, list, tuple})
Pairing = list[tuple[int, int, float, bool]]
"""Both places of each pair of items, how alike they are, and whether they are a pair."""


class Texts(NamedTuple):
    """A pair as text; ``beside`` is what else there is to know, None where that is nothing."""

    expected: str | bytes
    predicted: str | bytes
    beside: str | bytes | None = None


class PairRows:
    """Collects the pairs of a shard."""

    def __init__(self) -> None:
        self._texts: dict[int, Texts] = {}
        self._sections: dict[int, list[Texts]] = {}

    def add(
        self,
        number: int,
        result: ObjectResult,
        confidences: Mapping[str, Json],
        section: tuple[str, str | None] | None,
    ) -> None:
        """Keep a document, or a section of one with its id and class."""
        said: dict[str, Json] = {} if section is None else {"section": section[0], "class": section[1]}
        if confidences:
            said["confidences"] = dict(confidences)
        said |= _inside(result)
        expected: str | bytes | None = _json(result.expected)
        if expected is None:
            alternates: dict[str, Json] = {}
            expected = json_text(_without_alternates(result.expected, alternates))
            said |= {"alternates": alternates} if alternates else {}
        texts = Texts(expected, json_text(result.predicted), json_text(said) if said else None)
        if section is None:
            self._texts[number] = texts
        else:
            self._sections.setdefault(number, []).append(texts)

    def add_flat(
        self, numbers: Sequence[int], expected: Sequence[dict[str, Json]], predicted: Sequence[dict[str, Json]]
    ) -> None:
        """Keep documents of declared leaves only."""
        texts = map(Texts, map(_flat_text, expected), map(_flat_text, predicted))
        self._texts.update(zip(numbers, texts, strict=True))

    def to_table(self, size: int) -> pa.Table:
        """Return a row for each of so many documents."""
        nothing: tuple[None, None, None] = (None, None, None)
        for number, held in self._sections.items():
            self._texts[number] = Texts(
                *(b"[" + b",".join(map(_bytes, side)) + b"]" for side in zip(*held, strict=True))
            )
        rows = [self._texts.get(number, nothing) for number in range(size)]
        columns = zip(*rows, strict=True) if rows else ((), (), ())
        return pa.table([pa.array(column, pa.string()) for column in columns], schema=PAIRS)


def _bytes(text: str | bytes | None) -> bytes:
    return b"null" if text is None else text.encode() if isinstance(text, str) else text


def json_text(value: Json) -> str | bytes:
    """Return any value as JSON."""
    text = _json(value)
    return canonical(value)[1:-1] if text is None else text


def _flat_text(value: dict[str, Json]) -> str | bytes:
    """Return an object as JSON, quickly where there is nothing below its values."""
    if _CONTAINERS.isdisjoint(map(type, value.values())):
        with suppress(TypeError):
            return orjson.dumps(value)
    return json_text(value)


def _json(value: Json) -> bytes | None:
    try:
        return orjson.dumps(within_bounds(value))
    except TypeError:  # an integer of more than 64 bits, a value nested too deep, alternatives
        return None


def _without_alternates(document: Json, alternates: dict[str, Json]) -> Json:
    """Return a document with its own values, and the others by their paths."""
    whole: list[Json] = [None]
    todo: list[tuple[Any, str | int, Json, str]] = [(whole, 0, document, "")]
    while todo:
        holder, key, value, path = todo.pop()
        if type(value) is AnyOf:
            value, *alternates[path] = value.values
        parts = None if is_scalar(value) else opened(value)
        if isinstance(parts, dict):
            holder[key] = made = dict.fromkeys(parts)
            todo += [(made, name, v, f"{path}.{escape(str(name))}".removeprefix(".")) for name, v in parts.items()]
        elif parts is not None:
            holder[key] = items = [None] * len(parts)
            todo += [(items, at, inner, f"{path}[{at}]") for at, inner in enumerate(parts)]
        else:
            holder[key] = value
    return whole[0]


def _inside(result: ObjectResult) -> dict[str, Json]:
    """Return the pairings that cannot be seen from the documents, and what was chosen of several lists or objects."""
    found: dict[str, dict[str, Json]] = {"pairing": {}, "chosen": {}}
    if result.plan.inner and result.children is not result.plan.all_same:
        for kind, path, value in _of_object(result, ""):
            found[kind][path] = value
    return {kind: held for kind, held in found.items() if held}


def _of_object(result: ObjectResult, path: str) -> Iterator[tuple[str, str, Json]]:
    expected = mapping_of(result.expected) or {}
    for (name, _), child in zip(result.plan.fields.items(), result.children, strict=True):
        if isinstance(child, (ObjectResult, ListResult)):
            yield from _of(child, expected.get(name), f"{path}.{escape(name)}" if path else escape(name))


def _of(result: Result, expected: Json, path: str) -> Iterator[tuple[str, str, Json]]:
    if isinstance(result, ObjectResult | ListResult) and type(expected) is AnyOf:
        yield "chosen", path, result.expected
    if isinstance(result, ObjectResult):
        yield from _of_object(result, path)
    elif isinstance(result, ListResult):
        e, p = items_of(result.expected, result.plan.absent) or (), items_of(result.predicted, result.plan.absent) or ()
        if not _is_by_place(result, min(len(e), len(p))):
            yield "pairing", path, [(pair[0], pair[1], pair[2], pair[3]) for pair in result.pairs]
        for pair in result.pairs:
            if isinstance(pair.result, (ObjectResult, ListResult)):
                yield from _of(pair.result, e[pair.expected_index], f"{path}[{pair.expected_index}]")


def _is_by_place(result: ListResult, size: int) -> bool:
    """Tell whether the items of a list are paired in their order, all of them alike."""
    if len(result.pairs) != size:
        return False
    for at, (i, j, similarity, accepted, _) in enumerate(result.pairs):  # all() of a generator is slower
        if not (i == j == at and similarity == 1.0 and accepted):
            return False
    return True


def group_sizes(table: pa.Table) -> list[int]:
    """Return how many pairs are in each group of rows."""
    lengths: Any = np.zeros(len(table), np.int64)
    for name in PAIRS.names:
        lengths += np.asarray(pc.fill_null(pc.binary_length(table[name]), 0))
    sizes, start, held = [], 0, 0
    for at, length in enumerate(lengths.tolist()):
        if at > start and (at - start == MOST_DOCUMENTS or held + length > MOST_BYTES):
            sizes.append(at - start)
            start, held = at, 0
        held += length
    return [*sizes, len(table) - start] if len(table) else []
