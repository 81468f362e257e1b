"""What a value is: absent or present, equal or not, as plain JSON, as text.

One answer for the whole package. Everything here is iterative, so that documents of any depth are fine,
and knows nothing of fields, comparators or settings.
"""

from __future__ import annotations

import base64
import datetime as dt
import enum
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence, Set
from decimal import Decimal
from typing import Any, TypeAlias

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from fieldwise.errors import CycleError

Json: TypeAlias = Any
"""JSON as it arrives, and the Python values that typed models hold in its place."""

_JSON_SCALARS = frozenset({str, int, float, bool, type(None)})
_MAX_DEPTH = 100_000


def is_absent(value: Json) -> bool:
    """Tell whether a value says nothing: None, blank text, NaN, or a container of nothing else.

    >>> [is_absent(v) for v in (None, " ", float("nan"), [], {"a": [None, ""]}, 0, False)]
    [True, True, True, True, True, False, False]
    """
    kind = type(value)
    if kind is str:
        return not value or value.isspace()
    if kind is int or kind is bool:
        return False
    if value is None:
        return True
    if kind is float:
        return bool(value != value)
    return _nothing_inside(value)


def _nothing_inside(value: Json) -> bool:
    todo, seen = [value], set[int]()
    while todo:
        item = todo.pop()
        if type(item) in _JSON_SCALARS:
            if not is_absent(item):
                return False
            continue
        inner = children(item)
        if inner is None:
            if not _scalar_absent(item):
                return False
        elif id(item) not in seen:
            seen.add(id(item))
            todo.extend(child for _, child in inner)
    return True


def _scalar_absent(value: Json) -> bool:
    if isinstance(value, enum.Enum):
        return is_absent(value.value)
    if isinstance(value, (str, bytes)):
        return not value.strip()
    if isinstance(value, (float, Decimal)):
        return math.isnan(value)
    return False


def children(value: Json) -> Iterator[tuple[str | int, Json]] | None:
    """Yield the keyed parts of a container; None where the value is not one."""
    if isinstance(value, Mapping):
        return ((str(k), v) for k, v in value.items())
    if isinstance(value, BaseModel):
        return iter(model_items(value).items())
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        return enumerate(value)
    if isinstance(value, Set):
        return enumerate(sorted(value, key=repr))
    return None


def model_items(model: BaseModel) -> dict[str, Json]:
    """Return a pydantic model's values under their JSON names, unknown keys included."""
    fields = type(model).model_fields
    items = {json_name(k, fields[k]) if k in fields else k: v for k, v in model.__dict__.items()}
    if model.__pydantic_extra__:
        items.update(model.__pydantic_extra__)
    return items


def json_name(name: str, info: FieldInfo) -> str:
    """Return the key under which a pydantic field stands in JSON: its alias, which may be empty, else its name."""
    return name if info.alias is None else info.alias


def is_object(value: Json) -> bool:
    """Tell whether a value is a JSON object or stands for one."""
    return isinstance(value, (Mapping, BaseModel))


def is_list(value: Json) -> bool:
    """Tell whether a value is a JSON array or stands for one (tuple, set)."""
    return isinstance(value, (Sequence, Set)) and not isinstance(value, (str, bytes, bytearray))


def is_scalar(value: Json) -> bool:
    """Tell whether a value is neither an object nor an array."""
    return type(value) in _JSON_SCALARS or not (is_object(value) or is_list(value))


def plain(value: Json) -> Json:
    """Return a value as plain JSON types: models as dicts, dates as ISO text, sets as lists.

    >>> plain({"due": dt.date(2024, 1, 15), "tags": ("a", "b")})
    {'due': '2024-01-15', 'tags': ['a', 'b']}
    """
    if type(value) in _JSON_SCALARS:
        return value
    root: list[Json] = [None]
    todo: list[tuple[Json, Any, str | int, int]] = [(value, root, 0, 0)]
    while todo:
        item, into, at, depth = todo.pop()
        inner = None if type(item) in _JSON_SCALARS else children(item)
        if inner is None:
            into[at] = item if type(item) in _JSON_SCALARS else _plain_scalar(item)
            continue
        if depth > _MAX_DEPTH:
            raise CycleError(f"The value contains itself - at {cycle_path(value)}; pass a tree")
        parts = list(inner)
        out: Any = dict.fromkeys(k for k, _ in parts) if is_object(item) else [None] * len(parts)
        into[at] = out
        todo.extend((child, out, key, depth + 1) for key, child in reversed(parts))
    return root[0]


def _plain_scalar(value: Json) -> Json:
    if isinstance(value, enum.Enum):
        return plain(value.value)
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() and abs(value) < 10**15 else float(value)
    if isinstance(value, (bytes, bytearray)):
        return _bytes_text(bytes(value))
    if hasattr(value, "item") and callable(value.item):
        return value.item()  # a numpy scalar
    for base in (bool, int, float, str):
        if isinstance(value, base):
            return base(value)
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    return str(value)


def _bytes_text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(value).decode("ascii")


def cycle_path(value: Json) -> str | None:
    """Return the way to the first place where a value contains itself, such as ``$.rows[2].self``; None for a tree."""
    on_way: dict[int, str] = {id(value): "$"}
    todo = [(value, "$", children(value) or iter(()))]
    while todo:
        holder, path, rest = todo[-1]
        for key, child in rest:
            if is_scalar(child):
                continue
            at = f"{path}.{key}" if isinstance(key, str) else f"{path}[{key}]"
            if id(child) in on_way:
                return at
            on_way[id(child)] = at
            todo.append((child, at, children(child) or iter(())))
            break
        else:
            todo.pop()
            del on_way[id(holder)]
    return None


def json_text(value: Json) -> str:
    """Return a scalar as the text that JSON writes for it, without quotes around strings.

    >>> json_text(True), json_text(5), json_text("a")
    ('true', '5', 'a')
    """
    if type(value) is str:
        return value
    value = plain(value)
    if type(value) is str:
        return value
    if type(value) is int:
        return _int_text(value)
    return json.dumps(value)


def canonical(value: Json) -> str:
    """Return text that is equal for equal values: keys sorted, 1.0 as 1, absent parts left out.

    >>> canonical({"b": 1.0, "a": None}) == canonical({"b": 1})
    True
    """
    root = _Frame("", None)
    frames = [_frame(plain([value]))]
    while frames:
        frame = frames[-1]
        for key, child in frame.todo:
            if type(child) in (dict, list):
                frames.append(_frame(child, key))
                break
            if not is_absent(child):
                frame.add(key, _canonical_scalar(child))
        else:
            frames.pop()
            if frame.done:
                (frames[-1] if frames else root).add(frame.key, frame.text())
    return "".join(root.done)


class _Frame:
    """A container whose canonical text is being put together."""

    def __init__(self, brackets: str, key: str | int | None) -> None:
        self.brackets, self.key = brackets, key
        self.todo: Iterator[tuple[str | int, Json]] = iter(())
        self.done: list[str] = []

    def add(self, key: str | int | None, text: str) -> None:
        self.done.append(f"{json.dumps(key)}:{text}" if isinstance(key, str) else text)

    def text(self) -> str:
        return self.brackets[0] + ",".join(self.done) + self.brackets[1]


def _frame(value: Json, key: str | int | None = None) -> _Frame:
    frame = _Frame("{}" if type(value) is dict else "[]", key)
    frame.todo = iter(sorted(value.items(), key=lambda item: item[0])) if type(value) is dict else enumerate(value)
    return frame


def _canonical_scalar(value: Json) -> str:
    if type(value) is float:
        if math.isfinite(value) and value.is_integer():
            return _int_text(int(value))
        return repr(value)
    if type(value) is int:
        return _int_text(value)
    return json.dumps(value)


def _int_text(value: int) -> str:
    if value.bit_length() < 10_000:
        return str(value)
    return hex(value)  # str() of huge integers is quadratic and limited by the interpreter


def float_or_text(text: str) -> float | str:
    """Return a number of a JSON text; one too large for a float stays the text that it is.

    >>> float_or_text("1e3"), float_or_text("1e999")
    (1000.0, '1e999')
    """
    value = float(text)
    return value if math.isfinite(value) else text


def integer_or_text(digits: str) -> int | str:
    """Return an integer of a JSON text; one too large for a float stays the text that it is.

    >>> integer_or_text("12"), integer_or_text("9" * 400) == "9" * 400
    (12, True)
    """
    return int(digits) if len(digits) <= sys.float_info.max_10_exp or math.isfinite(float(digits)) else digits


def same(expected: Json, predicted: Json) -> bool:
    """Tell whether two values are the same JSON value.

    >>> same({"a": 1}, {"a": 1.0}), same(True, 1), same("1", 1)
    (True, False, False)
    """
    if type(expected) is str and type(predicted) is str:
        return expected == predicted
    return canonical(expected) == canonical(predicted)
