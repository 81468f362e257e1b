"""What the name of a field stands for where somebody gives one: in a policy, to a command, in a test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase

from fieldwise.errors import SettingError, nearest, quoted
from fieldwise.spec import parent_of

_MOST_KNOWN = 20


def stands_for(name: str, field: str) -> bool:
    """Say whether a name stands for a field: its own, one above it, or a pattern in which * is any part of a name.

    >>> [stands_for(name, "items.price") for name in ("items.price", "items", "*.price", "item")]
    [True, True, True, False]
    """
    return name == field or name in _above(field) or fnmatchcase(field, name.replace("[", "[[]"))


def _above(field: str) -> Iterator[str]:
    while field := parent_of(field):
        yield field


def chosen_fields(names: Sequence[str], known: Iterable[str], *, path: str = "", among: str = "") -> list[str]:
    """Return the fields that some names stand for; a name that stands for none is refused.

    ``path`` is where the names are given, ``among`` says whose fields are known.
    """
    fields = list(known)
    chosen: dict[str, None] = {}
    for name in names:
        found = [field for field in fields if stands_for(name, field)]
        if not found:
            hint = nearest(name, fields) or _listed(fields)
            raise SettingError(
                f"No field{among and f' of {among}'} is called {quoted(name)}{hint}",
                path=path,
                code="field.unknown",
                facts={"field": name},
            )
        chosen |= dict.fromkeys(found)
    return list(chosen)


def _listed(fields: Sequence[str]) -> str:
    return f"; known are {', '.join(fields[:_MOST_KNOWN])}" + (", …" if len(fields) > _MOST_KNOWN else "")
