"""The items of a list that have a value, and their order by content, which decides wherever position must not."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

import orjson

from fieldwise.compare.matching import Pairing
from fieldwise.compare.results import AnyOf, Result
from fieldwise.values import Json, canonical, children, is_scalar, plain, written

if TYPE_CHECKING:
    from fieldwise.compare.nodes import PlanNode


View = Literal["identical", "declared", "whole"]
"""What of a value shows in its content.

``identical``: the text is the same for values that are identical, however they are written. ``declared``: as it came,
without undeclared keys and what rich values say of themselves. ``whole``: with them.
"""

Text = TypeVar("Text", str, bytes)
_SINGLE = frozenset({str, int, float, bool, type(None)})
_MAX_DUMPED = 10_000
"""Rows beyond which Python writes them: where memory ends it says so, and orjson ends the process."""


@dataclass(slots=True)
class Items:
    """Some items of a list; ``at`` are their positions in it as it came."""

    plan: PlanNode[Result]
    whole: Json
    at: Sequence[int]
    values: Sequence[Json]

    def __len__(self) -> int:
        return len(self.values)

    def some(self, places: Sequence[int]) -> Items:
        """Return the items at some places among these."""
        return Items(self.plan, self.whole, [self.at[k] for k in places], [self.values[k] for k in places])

    def in_order(self) -> list[int]:
        """Return the places of the items in the order of their content, as they came.

        What is declared decides; what is not, and what rich values say of themselves, only where that is the same.
        """
        came = self.plan.work.now.as_came.get(id(self.whole))
        values = self.values if came is None else [came[at] for at in self.at]
        rows = _texts_of_rows(self.plan, values)
        if rows is not None:
            return self._sorted(rows, values)
        return self._sorted([content_of(self.plan, value, "declared") for value in values], values)

    def _sorted(self, texts: Sequence[Text], values: Sequence[Json]) -> list[int]:
        """Return the places of texts in their order; where they are the same, that of the whole values decides."""
        times = Counter(texts)
        if len(times) == len(texts):
            return sorted(range(len(texts)), key=texts.__getitem__)
        keys = [
            (text, content_of(self.plan, value, "whole") if times[text] > 1 else "")
            for text, value in zip(texts, values, strict=True)
        ]
        return sorted(range(len(keys)), key=keys.__getitem__)

    def texts(self, places: Sequence[int]) -> list[str]:
        """Return texts that are equal for identical items."""
        return [content_of(self.plan, self.values[k], "identical") for k in places]


def _texts_of_rows(plan: PlanNode[Result], values: Sequence[Json]) -> list[bytes] | None:
    """Return the content of rows whose declared fields are single values, as most rows are; None where one is not."""
    fields = getattr(plan, "fields", None)
    if fields is None:
        return None
    rows = []
    for value in values:
        if type(value) is not dict:
            return None
        row = value if fields.keys() >= value.keys() else {name: value[name] for name in value if name in fields}
        if not _SINGLE.issuperset(map(type, row.values())):
            return None
        rows.append(row)
    if len(rows) > _MAX_DUMPED:
        return [repr(sorted(row.items())).encode("utf-8", "surrogatepass") for row in rows]
    try:
        return [orjson.dumps(row, option=orjson.OPT_SORT_KEYS) for row in rows]
    except TypeError:  # an integer of more than 64 bits, half of a surrogate pair
        return None


def content_of_single(value: Json, view: View) -> str:
    """Return the content of a value that has no inner plan."""
    if view == "identical":
        return canonical(value)
    if type(value) is str:
        try:
            return orjson.dumps(value).decode()
        except TypeError:  # half of a surrogate pair
            pass
    return written(value)


def content_of(plan: PlanNode[Result], value: Json, view: View) -> str:
    """Return the content of a value as its plan says it; a rich value is what it holds, and what it says of that."""
    if type(value) is AnyOf:
        return " | ".join([content_of(plan, one, view) for one in value.values])
    inner = None if view == "identical" else rich_key(value, getattr(plan, "fields", None))
    if inner is not None:
        text = content_of(plan, value[inner], view)
        said = {name: value[name] for name in value if name != inner}
        return text if view == "declared" else f"{text} {written(said)}"
    return plan.content(value, view)


def rich_key(value: Json, fields: Container[str] | None = None) -> str | None:
    """Return the key under which a rich value holds its value; None for a plain value.

    Where there is an object, ``fields`` are its own: none of them is such a key, and ``value`` beside ``confidence``
    holds the object itself or is data.
    """
    if type(value) is not dict:
        return None
    if "_value" in value:
        return "_value" if fields is None or "_value" not in fields else None
    if not ("value" in value and "confidence" in value):
        return None
    is_data = fields is not None and ("value" in fields or type(value["value"]) is not dict)
    return None if is_data else "value"


def undeclared_content(value: Json) -> str:
    """Return the single values under an undeclared key in an order of their own, each with a number for its keys."""
    found = []
    todo = [(plain(value), 0)]  # what may go on for ever does not as plain JSON
    while todo:
        inner, way = todo.pop()
        if is_scalar(inner):
            found.append((way, written(inner)))
            continue
        for key, child in children(inner) or ():
            step = key if isinstance(key, str) else "[]"
            todo.append((child, zlib.crc32(step.encode("utf-8", "surrogatepass"), way)))
    return str(sorted(found))


def pair_equal(e: Sequence[str | None], p: Sequence[str | None]) -> Pairing:
    """Pair equal texts in order, each once; None equals nothing."""
    waiting: dict[str, list[int]] = {}
    for j in range(len(p) - 1, -1, -1):
        text = p[j]
        if text is not None:
            waiting.setdefault(text, []).append(j)
    return [(i, waiting[text].pop()) for i, text in enumerate(e) if text is not None and waiting.get(text)]


def places_by_text(texts: Sequence[str | None]) -> dict[str, list[int]]:
    """Return where each text stands."""
    places: dict[str, list[int]] = {}
    for at, text in enumerate(texts):
        if text is not None:
            places.setdefault(text, []).append(at)
    return places


def same_places(e: Items, p: Items) -> Pairing:
    """Pair items that have the same position."""
    places = {at: j for j, at in enumerate(p.at)}
    return [(i, places[at]) for i, at in enumerate(e.at) if at in places]


def left_of(places: Sequence[int] | int, taken: Sequence[int]) -> list[int]:
    """Return the places that are not taken; a number means all places below it."""
    gone = set(taken)
    return [place for place in (range(places) if isinstance(places, int) else places) if place not in gone]
