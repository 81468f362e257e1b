"""How a page shares its room: some of every group, more of those that cost more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

MIN_OF_A_GROUP = 5
"""So many of each group are shown, where there is room."""
Key = TypeVar("Key")


class Group(NamedTuple):
    """Values that share the room of a page: how many there are, and how many points they cost."""

    size: int
    lost: float


def share_room(groups: Mapping[Key, Group], room: int) -> dict[Key, int]:
    """Say how many of each group are shown: at least five of each where there is room, the rest by what they cost.

    >>> share_room({"a": Group(100, 300.0), "b": Group(100, 100.0), "c": Group(2, 0.0)}, 42)
    {'a': 28, 'b': 12, 'c': 2}
    """
    costliest = sorted((key for key in groups if groups[key].size), key=lambda key: -groups[key].lost)
    least = min(MIN_OF_A_GROUP, max(1, room // max(len(costliest), 1)))
    shares = dict.fromkeys(costliest, 0)
    for key in costliest:
        shares[key] = min(groups[key].size, least, room)
        room -= shares[key]
    while room and (open_ := [key for key in costliest if shares[key] < groups[key].size]):
        lost, given = sum(groups[key].lost for key in open_), room
        for key in open_:
            part = max(1, int(given * groups[key].lost / lost) if lost else 1)
            more = min(part, groups[key].size - shares[key], room)
            shares[key] += more
            room -= more
    return {key: shares[key] for key in groups if shares.get(key)}
