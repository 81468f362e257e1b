"""What a state that comes from outside must look like, said as data: types, ranges, lengths, keys.

A check takes a value and the path to it, and raises InputError that says what was expected, what came, and where.

>>> check = named({"documents": whole(), "rows": by_name(listed(whole(), 2))})
>>> checked({"documents": 3, "rows": {"a": [1, -1]}}, check)
Traceback (most recent call last):
    ...
fieldwise.errors.InputError: Expected a whole number from 0, got -1 - at rows.a[1] of the state
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from fieldwise.bulk_aggregator import Json
from fieldwise.errors import InputError

Check: TypeAlias = Callable[[Json, str], None]

MAX_COUNT: Final = 2**53
"""No count is larger."""
MAX_UNITS: Final = MAX_COUNT * 10**12
"""Nor a sum of scores, which are kept in units of 10⁻¹²."""
_MAX_LEVELS = 300
_SHOWN = 40


def checked(state: Json, check: Check) -> Json:
    """Return a state that is as it must be; InputError for any other."""
    check(state, "")
    return state


def refuse(expected: str, value: Json, path: str) -> InputError:
    """Return the error for a value that is not what a state has there."""
    return InputError(
        f"Expected {expected}, got {_shown(value)} - at {path or 'the root'} of the state",
        code="state.damaged",
        facts={"path": path, "expected": expected},
    )


def _shown(value: Json) -> str:
    if value is None or type(value) in (bool, float, str):
        text = repr(value)
    elif type(value) is int and value.bit_length() < _SHOWN:
        text = str(value)
    elif type(value) is int:
        return "a very large number"
    else:
        return f"a list of {len(value)}" if type(value) is list else f"a {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def whole(most: int = MAX_COUNT, least: int = 0) -> Check:
    """Check for a whole number in a range."""

    def check(value: Json, path: str) -> None:
        if type(value) is not int or not least <= value <= most:
            raise refuse(f"a whole number from {least}" if least == 0 else "a whole number", value, path)

    return check


def share(value: Json, path: str) -> None:
    """Check for a number from 0 to 1."""
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise refuse("a number from 0 to 1", value, path)


def text(value: Json, path: str) -> None:
    """Check for a text."""
    if type(value) is not str:
        raise refuse("a text", value, path)


def truth(value: Json, path: str) -> None:
    """Check for true or false."""
    if type(value) is not bool:
        raise refuse("true or false", value, path)


def only(wanted: Json) -> Check:
    """Check for one value."""

    def check(value: Json, path: str) -> None:
        if type(value) is not type(wanted) or value != wanted:
            raise refuse(repr(wanted), value, path)

    return check


def maybe(inner: Check) -> Check:
    """Check for null, or for something else."""

    def check(value: Json, path: str) -> None:
        if value is not None:
            inner(value, path)

    return check


def listed(item: Check, length: int | None = None) -> Check:
    """Check for a list, if told of so many items."""
    words = "a list" if length is None else f"a list of {length}"

    def check(value: Json, path: str) -> None:
        if not isinstance(value, (list, tuple)) or (length is not None and len(value) != length):
            raise refuse(words, value, path)
        for at, part in enumerate(value):
            item(part, f"{path}[{at}]")

    return check


def row(*items: Check) -> Check:
    """Check for a list of so many items, each of its own kind."""
    whole_list = listed(lambda _value, _path: None, len(items))

    def check(value: Json, path: str) -> None:
        whole_list(value, path)
        for at, (part, item) in enumerate(zip(value, items, strict=True)):
            item(part, f"{path}[{at}]")

    return check


def by_name(item: Check) -> Check:
    """Check for an object whose keys are data."""

    def check(value: Json, path: str) -> None:
        if not isinstance(value, Mapping) or any(type(key) is not str for key in value):
            raise refuse("an object", value, path)
        for key, part in value.items():
            item(part, _below(path, key))

    return check


def named(fields: Mapping[str, Check], optional: Mapping[str, Check] | None = None, *, others: bool = False) -> Check:
    """Check for an object with these keys; ``others``: with any other keys too."""
    known = {**fields, **(optional or {})}

    def check(value: Json, path: str) -> None:
        if not isinstance(value, Mapping) or any(type(key) is not str for key in value):
            raise refuse("an object", value, path)
        missing = [name for name in fields if name not in value]
        if missing:
            raise InputError(
                f"Expected the key {missing[0]!r}, found none - at {path or 'the root'} of the state",
                code="state.damaged",
                facts={"path": path, "key": missing[0]},
            )
        for key, part in value.items():
            if key in known:
                known[key](part, _below(path, key))
            elif others:
                json_value(part, _below(path, key))
            else:
                raise InputError(
                    f"Expected no key {key[:_SHOWN]!r} - at {path or 'the root'} of the state",
                    code="state.damaged",
                    facts={"path": path, "key": key},
                )

    return check


def json_value(value: Json, path: str) -> None:
    """Check for any JSON that is not nested too deep."""
    layer = [value]
    for _ in range(_MAX_LEVELS):
        layer = [inner for item in layer for inner in _inside(item, path)]
        if not layer:
            return
    raise refuse(f"a value of at most {_MAX_LEVELS} levels", value, path)


def _inside(value: Json, path: str) -> list[Json]:
    if value is None or type(value) in (str, int, float, bool):
        return []
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, (list, tuple)):
        return list(value)
    raise refuse("JSON", value, path)


def _below(path: str, key: str) -> str:
    shown = key if len(key) <= _SHOWN else f"{key[:_SHOWN]}…"
    return f"{path}.{shown}" if path else shown
