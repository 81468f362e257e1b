"""What a gate asks of a candidate: margins, critical fields and budgets, from YAML, checked as a whole.

.. code-block:: yaml

    metric: strict_f1
    margin: 0.02                # all values together may lose less than so much
    fields:
      total: 0.01               # and these fields each; * stands for any part of a name
      "line_items.*": 0.05
    groups:
      money: {fields: [total, tax], margin: 0.01}
      heavy: {weight: 2, margin: 0.01}
    critical: [invoice_number]  # none of them may be worse
    budgets:
      failures: 0               # a whole number of documents or values, or a share such as 1% or 0.01
      regressed_documents: 5%
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, get_args

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from fieldwise.errors import InputError, SettingError, nearest
from fieldwise.stats.moments import RATIOS, Ratio
from fieldwise.values import Json

MARGIN = 0.02
BudgetName: TypeAlias = Literal["failures", "mismatch", "missed", "spurious", "regressed_documents", "broken_values"]
BUDGETS: tuple[BudgetName, ...] = get_args(BudgetName)


def _margin(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1:
        return value
    raise ValueError(f"expected a margin above 0 and below 1, such as 0.02 for 2 points, got {value!r}")


Margin: TypeAlias = Annotated[float, BeforeValidator(_margin)]
Names: TypeAlias = Annotated[list[str], Field(min_length=1)]


class Limit(BaseModel):
    """The most there may be: so many, or such a share of all."""

    model_config = ConfigDict(frozen=True)
    most: float
    is_share: bool

    def __str__(self) -> str:
        return f"{self.most:.4g}" if not self.is_share else f"{100 * self.most:.4g} %"


def _limit(value: Any) -> Any:
    if isinstance(value, Limit):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return Limit(most=value, is_share=False)
    if isinstance(value, float) and 0 <= value <= 1:
        return Limit(most=value, is_share=True)
    if isinstance(value, str) and value.strip().endswith("%"):
        share = _number(value.strip()[:-1])
        if share is not None and 0 <= share <= 100:
            return Limit(most=share / 100, is_share=True)
    raise ValueError(f"expected a whole number, a share from 0.0 to 1.0 or a percentage such as 5%, got {value!r}")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _plain_margin(value: Any) -> Any:
    """Take ``{margin: 0.01}`` for 0.01, as it is written in groups."""
    return value["margin"] if isinstance(value, dict) and set(value) == {"margin"} else value


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Group(_Part):
    """Fields that are judged together: named ones, or all whose weight is at least so much."""

    fields: Names | None = None
    weight: Annotated[float, Field(gt=0)] | None = None
    margin: Margin | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Group:
        if (self.fields is None) == (self.weight is None):
            raise ValueError("expected either fields or weight")
        return self


class Policy(_Part):
    """What a gate asks."""

    metric: Ratio = "strict_f1"
    margin: Margin = MARGIN
    confidence: Annotated[float, Field(gt=0.5, lt=1, strict=True)] = 0.95
    fields: dict[str, Annotated[Margin, BeforeValidator(_plain_margin)]] = {}
    groups: dict[str, Group] = {}
    critical: list[str] = []
    budgets: dict[BudgetName, Annotated[Limit, BeforeValidator(_limit)]] = {}


class _UniqueKeys(yaml.SafeLoader):
    """Refuses a key that is given twice: one of the two would be lost."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key in seen:
                raise ValueError(f"{key!r} is given a second time in line {key_node.start_mark.line + 1}")
            seen |= set() if key is None else {key}
        return super().construct_mapping(node, deep)


def read_policy(path: str | Path) -> Policy:
    """Read a policy from a YAML file; SettingError says what is wrong and where."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}") from error
    try:
        content = yaml.load(text, _UniqueKeys)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SettingError(f"Expected YAML in {path}: {' '.join(str(error).split())}") from error
    return policy_of({} if content is None else content)


def policy_of(content: Json) -> Policy:
    """Check a policy that has been read.

    >>> policy_of({"margin": 0.01, "critical": ["total"]}).critical
    ['total']
    """
    if not isinstance(content, dict):
        raise SettingError(f"Expected an object of settings, got {type(content).__name__}", path="$")
    try:
        return Policy.model_validate(content)
    except ValidationError as error:
        raise _explained(error) from error


def as_policy(given: Policy | Mapping[str, Any] | str | Path | None) -> Policy:
    """Return a policy that is one already, or is given by its settings, by a file or not at all."""
    if given is None or isinstance(given, Policy):
        return given or Policy()
    return read_policy(given) if isinstance(given, str | Path) else policy_of(dict(given))


def with_margin(policy: Policy, margin: float | None) -> Policy:
    """Return the policy with another margin for all values and for groups without one; None keeps it."""
    return policy if margin is None else policy_of({**dict(policy), "margin": margin})


def _explained(error: ValidationError) -> SettingError:
    """Tell the first thing that is wrong: where, what was expected, and the nearest valid name."""
    first = error.errors()[0]
    *above, last = first["loc"] or ("",)
    if first["type"] == "extra_forbidden":
        known = Group.model_fields if "groups" in above else Policy.model_fields
        return SettingError(f"Expected {_listed(known)}, got {last!r}{nearest(str(last), known)}", path=_path(above))
    if "budgets" in above and last == "[key]":
        name = str(first["input"])
        return SettingError(f"Expected {_listed(BUDGETS)}, got {name!r}{nearest(name, BUDGETS)}", path="$.budgets")
    message = first["msg"].removeprefix("Value error, ").replace("Input should be", "Expected")
    got = "" if ", got " in message or isinstance(first["input"], dict) else f", got {first['input']!r}"
    hint = nearest(str(first["input"]), RATIOS) if first["type"] == "literal_error" else ""
    return SettingError(f"{message[:1].upper()}{message[1:]}{got}{hint}", path=_path(first["loc"]))


def _path(steps: Iterable[Any]) -> str:
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}"


def chosen_fields(patterns: Sequence[str], known: Iterable[str], *, path: str) -> list[str]:
    """Return the fields that some names or patterns stand for; one that stands for none is refused."""
    fields = list(known)
    chosen: dict[str, None] = {}
    for pattern in patterns:
        found = [field for field in fields if field == pattern or fnmatchcase(field, pattern)]
        if not found:
            raise SettingError(
                f"No field of the two runs is called {pattern!r}{nearest(pattern, fields) or _known(fields)}", path=path
            )
        chosen |= dict.fromkeys(found)
    return list(chosen)


def _known(fields: Sequence[str]) -> str:
    return f"; known are {', '.join(fields[:20])}" + (", …" if len(fields) > 20 else "")
