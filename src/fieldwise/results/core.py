"""The base of all results: a frozen record that writes itself as JSON and reads itself back, checked."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from typing import Annotated, Self, TypeAlias

import msgspec

from fieldwise.bulk_aggregator import Json
from fieldwise.errors import InputError, MissingExtraError
from fieldwise.shown import shown_html, shown_text
from fieldwise.text import json_text

Share: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1)]
"""A number from 0 to 1."""
Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]
"""A whole number from 0 on."""

_STEP = re.compile(r"\.([^.\[`]+)|\[(\d+|\.\.\.)\]")
_ANY_KEY = "..."
"""How msgspec writes the key of an object whose keys can be any text."""
_MAX_SHOWN = 60


class Result(msgspec.Struct, frozen=True):
    """A result. Values are checked where JSON is read, not where a result is made."""

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the result as JSON that every parser takes and no terminal obeys."""
        text = json_text(msgspec.to_builtins(self))
        return text if indent is None else msgspec.json.format(text, indent=indent)

    def to_compact_json(self) -> bytes:
        """Return the same JSON without white space, for programs: many times as fast for large results."""
        try:
            return msgspec.json.encode(self)
        except UnicodeEncodeError:  # half of a surrogate pair, which UTF-8 has no bytes for
            return self.to_json().encode()

    def to_dict(self) -> dict[str, Json]:
        """Return the result as plain dicts, lists and single values."""
        made: dict[str, Json] = _with_lists(msgspec.to_builtins(self))
        return made

    @classmethod
    def from_json(cls, content: bytes | str) -> Self:
        """Read what ``to_json`` wrote; unknown keys are left out, anything else that is wrong is refused."""
        try:
            return msgspec.json.decode(content, type=cls)
        except msgspec.ValidationError as error:
            raise _refused(error, msgspec.json.decode(content), cls) from error
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(str(error), code="result.not_json") from error


class Shown(Result, frozen=True):
    """A result that shows itself as its view, in a shell and in a notebook."""

    def __repr__(self) -> str:
        return shown_text(self)

    def _repr_html_(self) -> str:
        return shown_html(self)


def _with_lists(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _with_lists(item) for key, item in value.items()}
    return [_with_lists(item) for item in value] if isinstance(value, list | tuple) else value


def need_pandas() -> None:
    """Refuse to make a data frame where pandas is not installed."""
    try:
        importlib.import_module("pandas")
    except ImportError as error:
        raise MissingExtraError(
            "Expected pandas for a data frame",
            facts={"package": "pandas", "extra": "notebook"},
            advice="pip install 'fieldwise[notebook]', or use to_arrow()",
        ) from error


def _refused(error: msgspec.ValidationError, value: Json, kind: type[Result]) -> InputError:
    """Say what is wrong, with the value and its place."""
    message, _, place = str(error).partition(" - at `")
    steps: list[str | int] = []
    for name, index in _STEP.findall(place):
        if index == _ANY_KEY:
            key, value = _first_wrong(value, steps, kind, str(error))
            steps.append(key)
        else:
            steps.append(int(index) if index else name)
    expected = message.partition(", got ")[0]
    if expected.startswith("Expected"):
        expected += f", got {_shown(_at(value, steps))}"
    at = "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return InputError(f"{expected} - at {at}", code="result.damaged", facts={"path": at})


def _first_wrong(value: Json, steps: Sequence[str | int], kind: type[Result], message: str) -> tuple[str, Json]:
    """Return the key of the object at a place whose value is wrong, and everything with that key alone there."""
    for key, inner in _at(value, steps).items():
        alone = _put(value, steps, {key: inner})
        try:
            msgspec.convert(alone, kind)
        except msgspec.ValidationError as error:
            if str(error) == message:
                return key, alone
    raise AssertionError("the same value is refused again")


def _at(value: Json, steps: Sequence[str | int]) -> Json:
    for step in steps:
        value = value[step]
    return value


def _put(value: Json, steps: Sequence[str | int], inner: Json) -> Json:
    if not steps:
        return inner
    return {**value, steps[0]: _put(value[steps[0]], steps[1:], inner)}


def _shown(value: Json) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = json_text(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"
