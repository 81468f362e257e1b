"""Hostile values and specs, drawn by a plain random generator, so that a million of them take minutes."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import enum
import math
import pathlib
import random
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from fieldwise.values import Json
from tests.strategies import ABSENT, CHOICES, COMPARATORS, DATES, JUNK, NUMBERS, PREFIX, TEXTS, UUIDS

NAMES = ("a", "b", "total", "name", "line items", "x.y", "k[0]", "", ".", "[", "]", "\\", "_id", "value", "\ud800", "é")
STRANGE = (
    "\x00",
    "\ud800",
    "\udfff\ud800",
    "\u202egnp.exe",
    "\u200b",
    "e\u0301",
    "ﬁ",
    "🧾" * 3,
    "İstanbul",
    "ǆ",
    "１２３",
    "-",
    "NaN",
    "Infinity",
    "1e999",
    "1" * 400,
    "0x10",
    "=1+1",
    "{",
    '{"a": 1}',
    "```json\n{}\n```",
    "\r\n",
    "9999-99-99",
    "0000-00-00",
    "$1,2.3,4",
    "+1 (555) 010-0000 ext. 5",
    "null",
)


ODD_NUMBERS = (math.nan, math.inf, -math.inf, -0.0, 5e-324, 1e308, 10**400, -(10**5000), 2**63, 2**53 + 1, True)


class Colour(enum.Enum):
    RED = "red"
    PAIR = ("a", {"b": 1})


class Text(str):
    __slots__ = ()

    def __str__(self) -> str:
        raise ValueError("no text")


class Whole(int):
    def __int__(self) -> int:
        raise ValueError("no int")


class Real(float):
    def __float__(self) -> float:
        raise ValueError("no float")


class Raises:
    """Raises whatever it is asked."""

    def _raise(self, *_: object) -> NoReturn:
        raise RuntimeError("no")

    __str__ = __repr__ = __eq__ = __ne__ = __hash__ = __len__ = __iter__ = __bool__ = __getitem__ = _raise
    __float__ = __int__ = __lt__ = __contains__ = items = keys = item = tolist = _raise


class RaisingMapping(Mapping[str, Json]):
    def __getitem__(self, key: str) -> Json:
        raise RuntimeError("no")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no")

    def __len__(self) -> int:
        raise RuntimeError("no")


class Endless(Sequence[Json]):
    """Holds another like itself, for ever."""

    def __getitem__(self, at: Any) -> Json:
        if at:
            raise IndexError(at)
        return Endless()

    def __len__(self) -> int:
        return 1


class RaisingKey:
    def __str__(self) -> str:
        raise RuntimeError("no")


@dataclasses.dataclass
class Point:
    x: int
    inner: Json


Pair = collections.namedtuple("Pair", "left right")  # as people write it

OBJECTS: tuple[Callable[[], Json], ...] = (
    lambda: np.float64(1.5),
    lambda: np.float32("nan"),
    lambda: np.float64("inf"),
    lambda: np.longdouble(1.5),
    lambda: np.int64(7),
    lambda: np.uint64(2**64 - 1),
    lambda: np.bool_(True),
    lambda: np.str_("text"),
    lambda: np.bytes_(b"bytes"),
    lambda: np.complex128(1 + 2j),
    lambda: np.datetime64("2024-01-15"),
    lambda: np.datetime64("2024-01-15T12:30:00.123456789"),
    lambda: np.datetime64("NaT"),
    lambda: np.timedelta64(5, "D"),
    lambda: np.timedelta64(5, "Y"),
    lambda: np.timedelta64("NaT"),
    lambda: np.array([]),
    lambda: np.array(3),
    lambda: np.array([1.0, math.nan, math.inf]),
    lambda: np.zeros((2, 0, 3)),
    lambda: np.arange(6).reshape(2, 3),
    lambda: np.array(["a", "b"]),
    lambda: np.array([None, {"a": 1}, "x"], dtype=object),
    lambda: np.array([(1, "x")], dtype=[("n", "i4"), ("t", "U4")]),
    lambda: np.array([(1, "x")], dtype=[("n", "i4"), ("t", "U4")])[0],
    lambda: np.array(["2024-01-15", "NaT"], dtype="datetime64[D]"),
    lambda: np.array([[1, 2], [3, 4]]).view(np.matrix),
    lambda: np.ma.masked_array([1, 2], mask=[False, True]),
    lambda: np.ma.masked,
    lambda: np.void(b"abc"),
    lambda: Decimal("12.50"),
    lambda: Decimal("NaN"),
    lambda: Decimal("sNaN"),
    lambda: Decimal("-Infinity"),
    lambda: Decimal("1E+999999"),
    lambda: Decimal("1E-999999"),
    lambda: Fraction(1, 3),
    lambda: Fraction(10**400, 3),
    lambda: 1 + 2j,
    lambda: range(3),
    lambda: range(10**15),
    lambda: (n for n in range(3)),
    lambda: iter([1, 2]),
    {"a": 1, "b": 2}.keys,
    {"a": 1, "b": [2]}.values,
    {"a": 1}.items,
    lambda: collections.deque(["a", {"b": 1}]),
    lambda: collections.OrderedDict(a=1, b="x"),
    lambda: collections.ChainMap({"a": 1}, {"b": 2}),
    lambda: collections.UserString("text"),
    lambda: collections.UserDict({"a": 1}),
    lambda: Point(1, {"a": [2]}),
    lambda: Pair("a", 1),
    lambda: Colour.RED,
    lambda: Colour.PAIR,
    lambda: uuid.UUID(int=5),
    lambda: pathlib.PurePosixPath("/a/b"),
    lambda: b"bytes",
    lambda: b"\xff\xfe",
    lambda: bytearray(b"abc"),
    lambda: memoryview(b"abc"),
    lambda: dt.date(2024, 1, 15),
    lambda: dt.datetime(2024, 1, 15, 12, tzinfo=dt.UTC),
    lambda: dt.time(12),
    lambda: dt.timedelta(days=1),
    lambda: {"a", 1, None, (2, 3)},
    lambda: frozenset({1.5, "x"}),
    lambda: {1: "a", "1": "b", None: "c", (1, 2): "d", 1.5: "e"},
    lambda: {RaisingKey(): "a"},
    lambda: Text("text"),
    lambda: Whole(5),
    lambda: Real(2.5),
    object,
    lambda: object,
    lambda: len,
    Raises,
    RaisingMapping,
    Endless,
    lambda: (),
    lambda: ("a", ("b",)),
)


def cycle() -> Json:
    value: dict[str, Json] = {"a": 1}
    value["self"] = [value]
    return value


def shared(levels: int) -> Json:
    value: Json = "end"
    for _ in range(levels):
        value = [value, value]
    return value


def deep(levels: int, end: Json = "end") -> Json:
    for at in range(levels):
        end = {"a": end} if at % 2 else [end]
    return end


_LEAVES: dict[str, dict[str, Any]] = {
    "date": {"type": "string", "format": "date"},
    "free": {"type": "object"},
    "choice": {"enum": ["red", 3, None, "true"]},
}


class Maker:
    """Makes values at random; most are small, a few are huge."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.has_cycle = False

    def scalar(self) -> Json:
        pick, kind = self.random.choice, self.random.randrange(24)
        if kind < 6:
            return pick(TEXTS)
        if kind < 9:
            return pick(NUMBERS)
        if kind < 11:
            return pick(DATES)
        if kind < 13:
            return pick(STRANGE)
        if kind < 15:
            return pick(ABSENT)
        if kind < 17:
            return pick(
                (math.nan, math.inf, -math.inf, -0.0, 5e-324, 1e308, 10**400, -(10**5000), 2**63, 2**53 + 1, True)
            )
        if kind < 18:
            return pick((*CHOICES, *UUIDS))
        if kind < 19:
            return self._long_text()
        return pick(JUNK) if kind < 21 else pick(TEXTS)

    def _long_text(self) -> str:
        size = self.random.choice((10, 50, 300, 300, 5000)) if self.random.random() < 0.1 else 8
        letters = self.random.choice(("ab ", "0123456789.,-", "aé\u0301🧾\ud800 ", "\u200b\n\t x"))
        return "".join(self.random.choices(letters, k=size))

    def value(self, levels: int = 3) -> Json:
        """Return anything at all."""
        dice = self.random.random()
        if dice < 0.5 or levels <= 0:
            return self.scalar()
        if dice < 0.7:
            return [self.value(levels - 1) for _ in range(self.random.choice((0, 1, 2, 3)))]
        if dice < 0.9:
            return {self.name(): self.value(levels - 1) for _ in range(self.random.choice((0, 1, 2, 3)))}
        return self.rare()

    def rare(self) -> Json:
        """Return what is rarely met: an object of Python, something deep, huge, shared or cyclic."""
        dice = self.random.random()
        if dice < 0.9:
            return self.random.choice(OBJECTS)()
        if dice < 0.94:
            return deep(self.random.choice((5, 5, 30, 250)), self.scalar())
        if dice < 0.96:
            return shared(self.random.choice((2, 5, 9)))
        if dice < 0.98:
            return [self.scalar() for _ in range(self.random.choice((10, 30, 100)))]
        if dice < 0.99:
            return {"_value": self.scalar(), "_confidence": self.scalar()}
        if dice < 0.9995:
            self.has_cycle = True
            return cycle()
        return shared(self.random.choice((12, 40))) if dice < 0.9999 else deep(20_000)

    def name(self) -> str:
        return self.random.choice(NAMES) if self.random.random() < 0.9 else self._long_text()

    def schema(self, levels: int | None = None) -> dict[str, Any]:
        """Return the schema of an object; most are small."""
        if levels is None:
            levels = self.random.choice((0, 1, 1, 1, 1, 2))
        names = self.random.sample(NAMES, self.random.choice((1, 2, 2, 3, 5)))
        return {"type": "object", "properties": {name: self._field(levels) for name in names}}

    def _field(self, levels: int) -> dict[str, Any]:
        dice = self.random.random()
        if levels and dice < 0.15:
            return self.schema(levels - 1)
        if levels and dice < 0.4:
            items = self.schema(levels - 1) if self.random.random() < 0.6 else self._field(levels - 1)
            field = {"type": "array", "items": items}
            if self.random.random() < 0.3:
                field["x-fieldwise-order"] = self.random.choice(("any", "sequence", "position"))
            return field
        if levels and dice < 0.45:
            return {"anyOf": [{"type": "string"}, self.schema(0), {"type": "array", "items": {"type": "number"}}]}
        return self._leaf()

    def _leaf(self) -> dict[str, Any]:
        kind = self.random.choice(("string", "number", "integer", "boolean", "date", "free", "choice"))
        leaf = dict(_LEAVES.get(kind, {"type": kind}))
        known = COMPARATORS.get({"integer": "number"}.get(kind, kind))
        if known and self.random.random() < 0.6:
            name, config = self.random.choice(known)
            leaf = {**leaf, f"{PREFIX}comparator": name, **({f"{PREFIX}comparator-config": config} if config else {})}
        if self.random.random() < 0.2:
            leaf = {**leaf, f"{PREFIX}threshold": self.random.choice((0.0, 0.5, 1.0))}
        return leaf

    def document(self, schema: Mapping[str, Any]) -> Json:
        """Return a document, which fits the schema here and there."""
        if self.random.random() < 0.03:
            return self.value()
        return self._fitting(schema, 3)

    def _fitting(self, schema: Mapping[str, Any], levels: int) -> Json:
        dice = self.random.random()
        if dice < 0.15:
            return self.value(1)
        if "properties" in schema and levels:
            out = {name: self._fitting(field, levels - 1) for name, field in schema["properties"].items()}
            if self.random.random() < 0.1:
                out[self.name()] = self.value(2)
            return out
        if schema.get("type") == "array" and levels:
            size = self.random.choice((0, 1, 2, 2)) if self.random.random() < 0.995 else 20
            return [self._fitting(schema["items"], levels - 1) for _ in range(size)]
        return self.scalar()
