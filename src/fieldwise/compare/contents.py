"""The items of a list that have a value, and their order by content, which decides wherever position must not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from fieldwise.comparators.work import Work
from fieldwise.compare.matching import Pairing
from fieldwise.values import Json, canonical, written


@dataclass(slots=True)
class Items:
    """Some items of a list; ``at`` are their positions in it as it came."""

    whole: Json
    at: Sequence[int]
    values: Sequence[Json]

    def __len__(self) -> int:
        return len(self.values)

    def some(self, places: Sequence[int]) -> Items:
        """Return the items at some places among these."""
        return Items(self.whole, [self.at[k] for k in places], [self.values[k] for k in places])

    def in_order(self, work: Work) -> list[int]:
        """Return the places of the items in the order of their JSON text, as they came."""
        came = work.as_came.get(id(self.whole))
        values = self.values if came is None else [came[at] for at in self.at]
        texts = [written(value) for value in values]
        return sorted(range(len(texts)), key=texts.__getitem__)


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


def equal_items(e: Items, p: Items, rows: Sequence[int], columns: Sequence[int]) -> Pairing:
    """Pair items that are the same JSON value, in the order in which they are given."""
    left, right = [canonical(e.values[i]) for i in rows], [canonical(p.values[j]) for j in columns]
    return [(rows[i], columns[j]) for i, j in pair_equal(left, right)]


def same_places(e: Items, p: Items) -> Pairing:
    """Pair items that have the same position."""
    places = {at: j for j, at in enumerate(p.at)}
    return [(i, places[at]) for i, at in enumerate(e.at) if at in places]


def left_of(places: Sequence[int] | int, taken: Sequence[int]) -> list[int]:
    """Return the places that are not taken; a number stands for so many."""
    gone = set(taken)
    return [place for place in (range(places) if isinstance(places, int) else places) if place not in gone]


def split(values: Sequence[int], parts: int) -> list[Sequence[int]]:
    edges = [round(k * len(values) / parts) for k in range(parts + 1)]
    return [values[a:b] for a, b in pairwise(edges)]
