"""What form the documents of a side have, decided once from the first of both sides, and alike for both.

A key leads to the documents of a side where nine in ten have it with nothing but the words of envelopes beside it, and
where the other side does not hold it beside data: an optional field is no envelope, nor is what both sides hold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from fieldwise.readers.envelopes import (
    ID_KEYS,
    INNER,
    SAID,
    SIDE_KEYS,
    SIDES,
    WORDS,
    WRAPPERS,
    Opening,
    Side,
    find_id_key,
    id_text,
    inside_fence,
    is_one_form,
    may_hold_json,
)
from fieldwise.readers.json_text import quick_value
from fieldwise.readers.source import Missing, Unreadable
from fieldwise.results.notes import Note
from fieldwise.values import Json

FIRST: Final = 1000
"""So many lines or documents of a side decide its form."""
_MOST: Final = 0.9
_HALF: Final = 0.5
_MAX_NAMED: Final = 5
_IDS: Final = frozenset(ID_KEYS)
_MAY_BE_WRAPPED: Final = re.compile(rb'"(?:%b)"|\\u' % b"|".join(word.encode() for word in WRAPPERS))
_NOWHERE: Final[Opening] = ("",)
_NULLS: Final = frozenset({"document", INNER, "expected", "predicted"})
"""Keys that hold a document even where it is always null."""


class Look:
    """What the first documents of a side have: under which keys they may be, beside what, and which key is an id."""

    def __init__(self, keys: Iterable[str] = WRAPPERS) -> None:
        self._keys = frozenset(keys)
        self.total = 0
        self.alone, self.documents, self.nulls = Counter[Opening](), Counter[Opening](), Counter[Opening]()
        self.beside: dict[Opening, dict[str, None]] = {}
        """The keys of data that stand beside a wrapper."""
        self.ids = Counter[str]()
        self.decomposed = 0
        """How many ids are not written in composed characters (NFC)."""

    def add(self, value: Json) -> None:
        """Take a document, as it is read; what is no object has no form."""
        if type(value) is dict:
            self.total += 1
            for key in () if _IDS.isdisjoint(value) else _IDS & value.keys():
                found = value[key]
                self.ids[key] += id_text(found) is not None
                self.decomposed += type(found) is str and not is_one_form(found)
            if not self._keys.isdisjoint(value):
                self._add(value, (), self._keys)

    def add_bytes(self, content: bytes) -> None:
        """Take a document; it is parsed where it may be in an envelope, and left out where it is broken or cut off."""
        if _MAY_BE_WRAPPED.search(content) is None:
            self.total += content.lstrip()[:1] == b"{" and content.rstrip()[-1:] == b"}"
        else:
            self.add(quick_value(content) or quick_value(inside_fence(content) or b""))

    def _add(self, value: Mapping[str, Json], above: Opening, keys: frozenset[str]) -> None:
        for key in keys & value.keys():
            path, inner = (*above, key), value[key]
            data = value.keys() - WORDS
            if data:
                self.beside.setdefault(path, {}).update(dict.fromkeys(sorted(data)))
            if data and not (key == INNER and SAID & value.keys()):
                continue
            self.alone[path] += 1
            self.nulls[path] += inner is None
            self.documents[path] += _is_document(key, value)
            if type(inner) is dict and key != INNER and INNER in inner:
                self._add(inner, path, frozenset({INNER}))

    def has_data_beside(self, path: Opening) -> bool:
        """Tell whether a document has a key beside data, and is thus no envelope."""
        return path in self.beside and not (path[-1] == INNER and self.alone[path])

    def share(self, path: Opening) -> float:
        """Return how many of those that could have a key have it, with the words of envelopes alone."""
        total = self.alone[path[:-1]] if path[:-1] else self.total
        return self.alone[path] / total if total else 0.0

    def is_usual(self, path: Opening) -> bool:
        """Tell whether nine in ten have a key as an envelope has it, and what is under it are documents."""
        values = self.alone[path] - self.nulls[path]
        holds = self.documents[path] >= _HALF * values if values else path[-1] in _NULLS
        return holds and self.share(path) >= _MOST


def _is_document(key: str, envelope: Mapping[str, Json]) -> bool:
    inner = envelope[key]
    if type(inner) is dict or (key == INNER and not SAID.isdisjoint(envelope)):
        return True
    if type(inner) is str and may_hold_json(inner):
        return True
    # Beside metadata of its own it is the document, whatever it is; a document may have a text called document, too.
    return type(envelope.get("metadata")) is dict and (key != "document" or find_id_key(envelope) is not None)


def look_at(contents: Iterable[bytes | Unreadable | Missing]) -> Look:
    """Look at the documents that files hold."""
    look = Look()
    for content in contents:
        if isinstance(content, bytes):
            look.add_bytes(content)
    return look


def look_at_values(values: Iterable[Json], keys: Iterable[str] = WRAPPERS) -> Look:
    """Look at documents that are read already."""
    look = Look(keys)
    for value in values:
        look.add(value)
    return look


class Decided(NamedTuple):
    """Where the documents of both sides are, and what people should know of that."""

    expected: Opening = ()
    predicted: Opening = ()
    notes: tuple[Note, ...] = ()


def decide(of_sides: Iterable[Look], keys: Iterable[str] = WRAPPERS) -> Decided:
    """Decide where the documents of both sides are, the expected one first."""
    expected, predicted = of_sides
    looks = expected, predicted
    first = _openings(looks, {key: ((key,), (key,)) for key in keys})
    # An envelope may hold the result of a model, which is one again.
    second = _openings(looks, {INNER: ((*(first[0] or _NOWHERE), INNER), (*(first[1] or _NOWHERE), INNER))})
    openings = second[0] or first[0], second[1] or first[1]
    notes = [_notes(look, side, opening) for look, side, opening in zip(looks, SIDES, openings, strict=True)]
    if not any(openings):
        notes += [_advice(look, side, other) for look, side, other in zip(looks, SIDES, looks[::-1], strict=True)]
    return Decided(*openings, tuple(chain.from_iterable(notes)))


def decide_by_files(contents: Callable[[Side, int], Iterable[bytes | Unreadable | Missing]]) -> Decided:
    """Decide where the documents of both sides are, given a function that returns what the first files of a side hold.

    Where none of a hundred and one is in an envelope, nine in ten of the first thousand cannot be.
    """
    for count in (FIRST - int(_MOST * FIRST) + 1, FIRST):
        looks = [look_at(contents(side, count)) for side in SIDES]
        if not any(look.alone or look.total < count for look in looks):
            return Decided()
    return decide(looks)


def _openings(looks: tuple[Look, Look], paths: Mapping[str, tuple[Opening, Opening]]) -> tuple[Opening, Opening]:
    sides = {key: _sides_with(looks, both) for key, both in paths.items()}
    first, second = ([key for key in paths if sides[key][side]] for side in (0, 1))
    if first != second:  # where every document has both sides, each takes its own
        first.sort(key=lambda key: key in SIDE_KEYS["predicted"])
        second.sort(key=lambda key: key in SIDE_KEYS["expected"])
    return paths[first[0]][0] if first else (), paths[second[0]][1] if second else ()


def _sides_with(looks: tuple[Look, Look], paths: tuple[Opening, Opening]) -> tuple[bool, bool]:
    """Return which sides have their documents under a key: one of them, both, or none where it is data."""
    usual = [look.is_usual(path) for look, path in zip(looks, paths, strict=True)]
    if not any(usual):
        return False, False
    beside = [look.has_data_beside(path) for look, path in zip(looks, paths, strict=True)]
    one = usual.index(True)
    other = 1 - one
    share = looks[other].share(paths[other])
    if beside[other] or (share and beside[one]):
        return False, False
    if all(usual) or (other and share >= _HALF):  # predictions without it are then unreadable
        return True, True
    is_optional = share >= _HALF
    return (not is_optional and one == 0, not is_optional and one == 1)


def _notes(look: Look, side: str, opening: Opening) -> Iterator[Note]:
    """Yield what stands beside documents and is not read."""
    for at in range(1, len(opening) + 1):
        names = [*look.beside.get(opening[:at], {})]
        if names:
            key, some = opening[at - 1], names[:_MAX_NAMED]
            yield Note.of("input.beside_documents", side=side, key=key, names=some, count=len(names))


def _advice(look: Look, side: str, other: Look) -> Iterator[Note]:
    """Yield that many documents are under a key, but not so many that it is the form of their side."""
    for key in WRAPPERS:
        path = (key,)
        if look.share(path) >= _HALF and look.documents[path] and not other.alone[path] and path not in other.beside:
            yield Note.of("input.often_under_key", side=side, key=key)


def shared_id_key(expected: Look, predicted: Look) -> tuple[str | None, str | None]:
    """Return the key under which the documents of each side have their ids: one that both have, else its commonest."""
    both = {key: min(expected.ids[key], predicted.ids[key]) for key in ID_KEYS}
    common = max(ID_KEYS, key=both.__getitem__)
    return (common, common) if both[common] else (commonest(expected.ids, ID_KEYS), commonest(predicted.ids, ID_KEYS))


def id_notes(
    names: tuple[str, str], looks: tuple[Look, Look], keys: Sequence[str | None], *, is_table: bool
) -> Iterator[Note]:
    """Yield that documents are matched by line, and that ids are written in two forms of Unicode."""
    if not all(keys):
        without = [name for name, key in zip(names, keys, strict=True) if key is None]
        yield Note.of("input.matched_by_position", unit="rows" if is_table else "lines", without=without)
    elif any(look.decomposed for look in looks):
        yield Note.of("input.ids_in_two_forms")


def commonest(counts: Mapping[str, int], keys: Iterable[str]) -> str | None:
    """Return the key that most have, the first of several; None where none has any.

    >>> commonest({"doc_id": 2, "_id": 2}, ID_KEYS)
    'doc_id'
    """
    found = max(keys, key=lambda key: counts.get(key, 0))
    return found if counts.get(found) else None
