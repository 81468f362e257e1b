"""Other acceptable values, given beside the expected document by path."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from fieldwise.compare.results import AnyOf
from fieldwise.errors import SettingError
from fieldwise.values import Json, plain

_STEP = re.compile(r"((?:\\.|[^.\[\\])+)|\[(\d+)\]|(\.)")


def with_alternates(expected: Json, alternates: Mapping[str, Sequence[Json]]) -> Json:
    """Return the expected document with every named value widened to what is acceptable there.

    >>> with_alternates({"city": "Köln"}, {"city": ["Cologne"]})
    {'city': AnyOf(values=('Köln', 'Cologne'))}
    """
    root: list[Json] = [plain(expected)]
    for path, values in alternates.items():
        if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
            raise SettingError(f"Expected a list of acceptable values, got {values!r}", path=path)
        _widen(root, [0, *_steps(path)], values, path)
    return root[0]


def _steps(path: str) -> list[str | int]:
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            raise SettingError(f"Cannot read the path {path!r}; write it like items[3].price", path=path)
        if found[1] is not None:
            steps.append(re.sub(r"\\(.)", r"\1", found[1]))
        elif found[2] is not None:
            steps.append(int(found[2]))
        at = found.end()
    return steps


def _widen(holder: Any, steps: Sequence[str | int], values: Sequence[Json], path: str) -> None:
    *way, last = steps
    for step in way:
        holder = _inside(holder, step, path)
    old = _inside(holder, last, path)
    known = old.values if isinstance(old, AnyOf) else (old,)
    holder[last] = AnyOf((*known, *values))


def _inside(holder: Any, step: str | int, path: str) -> Any:
    if isinstance(holder, dict) and isinstance(step, str):
        return holder.get(step)
    if isinstance(holder, list) and isinstance(step, int) and step < len(holder):
        return holder[step]
    raise SettingError(f"The expected document has nothing at {path!r} to give alternates for", path=path)
