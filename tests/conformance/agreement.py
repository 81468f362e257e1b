"""Where two results of ``compare_with`` disagree, as key paths that an exemption can name.

Entries of ``non_matches`` and rows of ``field_comparisons`` are found by what they speak of, not by their position,
so that one entry too many does not make all later ones differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

TOLERANCE = 1e-9


class Difference(NamedTuple):
    """One key on which the results disagree; ``...`` stands for nothing there."""

    path: str
    theirs: Any
    ours: Any


def differences(theirs: Any, ours: Any, path: str = "") -> Iterator[Difference]:
    """Yield every key of ``theirs`` that ``ours`` lacks or has with another value; more keys in ``ours`` are fine."""
    if isinstance(theirs, Mapping) and isinstance(ours, Mapping):
        for key, value in theirs.items():
            if key in ours:
                yield from differences(value, ours[key], f"{path}/{key}")
            else:
                yield Difference(f"{path}/{key}", value, ...)
    elif isinstance(theirs, list) and isinstance(ours, list):
        yield from _lists(theirs, ours, path)
    elif not _agree(theirs, ours):
        yield Difference(path, theirs, ours)


def _agree(theirs: Any, ours: Any) -> bool:
    if _is_number(theirs) and _is_number(ours):
        return bool(abs(theirs - ours) <= TOLERANCE)
    return type(theirs) is type(ours) and bool(theirs == ours)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _lists(theirs: Sequence[Any], ours: Sequence[Any], path: str) -> Iterator[Difference]:
    """Lists agree entry by entry: none missing, none too many, in the same order."""
    a, b = _keyed(theirs), _keyed(ours)
    yield from differences(a, b, path)
    for key in b.keys() - a.keys():
        yield Difference(f"{path}/{key}", ..., b[key])
    common = [key for key in a if key in b]
    if common != [key for key in b if key in a]:
        yield Difference(f"{path}/order", list(a), list(b))


def _keyed(entries: Sequence[Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for at, entry in enumerate(entries):
        name, again = _name(entry, at), 1
        while (key := name if again == 1 else f"{name} #{again}") in out:
            again += 1
        out[key] = entry
    return out


def _name(entry: Any, at: int) -> str:
    if isinstance(entry, Mapping) and "non_match_type" in entry:
        return f"{entry['field_path']} {entry['non_match_type']}"
    if isinstance(entry, Mapping) and "actual_key" in entry:
        return f"{entry['expected_key']} ~ {entry['actual_key']}"
    return str(at)


def matches(pattern: str, path: str) -> bool:
    """Tell whether a key path fits a pattern: ``*`` is any text within a step, ``**`` any number of steps.

    >>> matches("/fields/**", "/fields/a/tp"), matches("/fields/*", "/fields/a/tp"), matches("/a[0]", "/a[0]")
    (True, False, True)
    """
    parts = (re.escape(part).replace(r"\*", "[^/]*") for part in pattern.split("**"))
    return re.fullmatch(".*".join(parts), path, re.DOTALL) is not None
