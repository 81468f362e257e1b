"""Rows, the answers made of them, and their keys.

A row says what was expected, what was predicted, and whether that counts as correct.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

from fieldwise.classify.labels import Label
from fieldwise.errors import InputError, SettingError, closest, nearest
from fieldwise.values import Json

Numbers: TypeAlias = Mapping[str, Json] | Mapping[Label, Json]
"""What a metric answers: numbers by their name, or by a label."""
_FIELDS = ("correct", "golden", "predicted", "metadata")


class RowTypeError(InputError, TypeError):
    """A row holds a value of the wrong type."""

    code = "row.wrong_type"


@dataclass(frozen=True, slots=True)
class UnitMetricResult:
    """One judged prediction; ``golden`` and ``predicted`` are dicts, ``correct`` is a bool (0 and 1 are read as one).

    >>> UnitMetricResult(correct=True, golden={"event": "click"}, predicted={"tool": "click"}).metadata
    {}
    """

    correct: bool
    golden: dict[str, Json]
    predicted: dict[str, Json]
    metadata: dict[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_dict("golden", self.golden)
        check_dict("predicted", self.predicted)
        correct: object = self.correct
        if type(correct) is not bool:
            object.__setattr__(self, "correct", read_flag(correct))
        metadata: object = self.metadata
        if not isinstance(metadata, dict):
            object.__setattr__(self, "metadata", {})

    def to_dict(self) -> dict[str, Json]:
        """Return the four fields, in their order."""
        return {name: getattr(self, name) for name in _FIELDS}

    @classmethod
    def from_dict(cls, row: Mapping[str, Json]) -> UnitMetricResult:
        """Return the record that ``to_dict`` wrote; InputError names what is missing or unknown."""
        if not isinstance(row, Mapping):
            raise InputError(
                f"Expected an object with correct, golden and predicted, got {type(row).__name__}",
                code="input.wrong_type",
                facts={"got": type(row).__name__},
            )
        for name in _FIELDS[:3]:
            if name not in row:
                others = [key for key in map(str, row) if key not in _FIELDS]
                raise InputError(
                    f"Expected the key {name!r} in a row{nearest(name, others)}",
                    code="row.no_key",
                    facts={"key": name, "nearest": closest(name, others)},
                )
        return cls(row["correct"], row["golden"], row["predicted"], row.get("metadata", {}))


def check_dict(name: str, value: object) -> None:
    """Refuse a side of a row that is no dict."""
    if not isinstance(value, dict):
        raise InputError(
            f"{name} must be a dictionary, got {type(value).__name__}",
            code="input.wrong_type",
            facts={"key": name, "got": type(value).__name__},
        )


def read_flag(value: object) -> bool:
    """Read 0, 1 and numpy's scalars of them; the text "false" is refused, not taken for true."""
    plain = value.item() if hasattr(value, "item") else value
    if isinstance(plain, int) and plain in (0, 1):
        return bool(plain)
    raise RowTypeError(f"correct must be true or false, got {value!r}", facts={"key": "correct", "got": value})


class Answer(dict[Label, Json]):
    """The numbers of a metric as a plain dict, and in ``about`` what they rest on: rows used and skipped, keys."""

    def __init__(self, numbers: Numbers, about: Mapping[str, Json]) -> None:
        super().__init__(numbers.items())
        self.about = dict(about)


def find_keys(results: Iterable[UnitMetricResult]) -> tuple[list[str], list[str]]:
    """Return the keys that the golden and the predicted sides of some rows have, in the order in which they come."""
    golden: dict[tuple[str, ...], None] = {}
    predicted: dict[tuple[str, ...], None] = {}
    for row in results:
        golden[tuple(row.golden)] = None
        predicted[tuple(row.predicted)] = None
    return list(dict.fromkeys(chain.from_iterable(golden))), list(dict.fromkeys(chain.from_iterable(predicted)))


def the_only_key(keys: Iterable[str], side: str) -> str:
    """Return the single key that a side has; SettingError lists them where there are several, or says there is none."""
    found = list(keys)
    if len(found) == 1:
        return found[0]
    has = f"there are {', '.join(map(repr, found[:20]))}" if found else "there is none"
    raise SettingError(
        f"Expected one key on the {side} side to hold the class, {has}; name it with {side}_key",
        code="setting.missing",
        facts={"setting": f"{side}_key"},
    )


def key_text(owner: str, name: str, value: Json) -> str:
    """Return the name of a key, which is a text and not empty; ``owner`` is the metric that takes it."""
    facts = {"setting": name, "metric": owner, "got": value}
    if not value:
        raise SettingError(f"{owner}: {name} cannot be empty", facts=facts)
    if not isinstance(value, str):
        raise SettingError(f"{owner}: {name} must be a text, got {value!r}", facts=facts)
    return value
