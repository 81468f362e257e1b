"""What a gate asks of a candidate: margins, critical fields and budgets, from YAML, checked as a whole.

.. code-block:: yaml

    metric: strict_f1
    margin: 2%                  # all values together may lose less than so much
    any_field: 5%               # a field that is clearly worse by more fails, whatever the total; or off
    common_documents: 50%       # with fewer of the baseline's documents in the candidate it does not pass; or off
    fields:
      total: 0.01               # and these fields each; a name stands for all below it, * for any part of a name
      "line_items.*": 0.05
    groups:
      money: {fields: [total, tax], margin: 0.01}
      heavy: {weight: 2, margin: 0.01}
    critical: [invoice_number]  # none of them may be worse
    lost_documents: {drop: 0.5, at_most: 2%}   # documents whose own rate falls by half or more
    budgets:
      failures: 0               # a whole number of documents or values, or a share such as 1% or 0.01
      regressed_documents: 5%
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, TypeAlias, get_args

import yaml
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    PrivateAttr,
    ValidationError,
    model_validator,
)

from fieldwise.errors import SettingError, cannot_read, closest, nearest, quoted
from fieldwise.results.gate import BudgetName, GroupSettings, Limit, LostSettings, PolicySettings
from fieldwise.results.rates import METRICS, Metric
from fieldwise.text import percentage
from fieldwise.values import Json

MARGIN = 0.02
ANY_FIELD = 0.05
COMMON_DOCUMENTS = 0.5
DROP = 0.5
"""A document is lost whose own rate fell by so much, unless a policy says otherwise."""
OFF: Literal["off"] = "off"
BUDGETS: tuple[BudgetName, ...] = get_args(BudgetName)
_MAX_SHOWN = 80
_EXPECTED = {
    "dict_type": "names, with a setting for each",
    "list_type": "a list of names",
    "string_type": "a name, in quotes where it could be read as a number, a date or a truth value",
    "invalid_key": "the name of a setting",
    "too_short": "at least one name",
}
"""What was expected, where the words of pydantic would speak of Python."""


def _between(low: float, high: float, expected: str) -> BeforeValidator:
    """Take numbers between two others, and no text that could be read as one."""

    def check(value: Json) -> Json:
        if isinstance(value, int | float) and not isinstance(value, bool) and low < value < high:
            return value
        raise ValueError(f"expected {expected}, got {_found(value)}")

    return BeforeValidator(check)


def _share(expected: str, value: Json) -> float:
    """Take a share above 0 and below 1, also as a percentage."""
    share = percentage(value) if isinstance(value, str) else value
    if isinstance(share, int | float) and not isinstance(share, bool) and 0 < share < 1:
        return share
    raise ValueError(f"expected {expected}, got {_found(value)}")


def _share_or_off(expected: str, value: Json) -> Json:
    """Take a share, or off, which YAML reads as false."""
    return OFF if value is False or value == OFF else _share(expected, value)


_MARGIN = "a margin above 0 and below 1, such as 0.02 or 2% for 2 points"
Margin: TypeAlias = Annotated[float, BeforeValidator(partial(_share, _MARGIN))]
_LOSS = "a loss above 0 and below 1, such as 0.05 or 5% for 5 points, or off"
AnyField: TypeAlias = Annotated[float | Literal["off"], BeforeValidator(partial(_share_or_off, _LOSS))]
_COMMON = "a share above 0 and below 1, such as 0.5 or 50%, or off"
Common: TypeAlias = Annotated[float | Literal["off"], BeforeValidator(partial(_share_or_off, _COMMON))]
_DROP = "a fall above 0 and up to 1, such as 0.5 or 50% for half of a document"
Drop: TypeAlias = Annotated[float, BeforeValidator(partial(_share, _DROP))]
_AT_MOST = "a share of documents above 0 and below 1, such as 0.02 or 2%"
AtMost: TypeAlias = Annotated[float, BeforeValidator(partial(_share, _AT_MOST))]
Confidence: TypeAlias = Annotated[float, _between(0.5, 1, "a confidence above 0.5 and below 1, such as 0.95")]
Weight: TypeAlias = Annotated[float, _between(0, math.inf, "a weight above 0")]
Names: TypeAlias = Annotated[list[str], Field(min_length=1)]


def _found(value: Json) -> str:
    """Write what was found as a policy has it; lists and objects by their kind, as aliases may make them huge."""
    if isinstance(value, list | tuple | set):
        return "a list" if value else "an empty list"
    if isinstance(value, dict):
        return "an object"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    text = quoted(value) if isinstance(value, str) else str(value)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


def _limit(value: Json) -> Json:
    if isinstance(value, Limit):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return Limit(most=float(value), is_share=False)
    if isinstance(value, float) and 0 <= value <= 1:
        return Limit(most=value, is_share=True)
    if isinstance(value, str) and value.strip().endswith("%"):
        share = percentage(value)
        if share is not None and 0 <= share <= 1:
            return Limit(most=share, is_share=True)
    raise ValueError(
        f"expected a whole number, a share from 0.0 to 1.0 or a percentage such as 5%, got {_found(value)}"
    )


def _plain_margin(value: Json) -> Json:
    """Take ``{margin: 0.01}`` for 0.01, as it is written in groups."""
    return value["margin"] if isinstance(value, dict) and set(value) == {"margin"} else value


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Group(_Part):
    """Fields that are judged together: named ones, or all whose weight is at least so much."""

    fields: Names | None = None
    weight: Weight | None = None
    margin: Margin | None = None

    @model_validator(mode="after")
    def _one_way(self) -> Group:
        if (self.fields is None) == (self.weight is None):
            raise ValueError("expected either fields or weight")
        return self


class LostDocuments(_Part):
    """The share of documents that may be lost, and how far the own rate of a lost one falls."""

    at_most: AtMost
    drop: Drop = DROP


class Policy(_Part):
    """What a gate asks."""

    metric: Metric = "strict_f1"
    margin: Margin = MARGIN
    any_field: AnyField = ANY_FIELD
    common_documents: Common = COMMON_DOCUMENTS
    confidence: Confidence = 0.95
    fields: dict[str, Annotated[Margin, BeforeValidator(_plain_margin)]] = {}
    groups: dict[str, Group] = {}
    critical: list[str] = []
    lost_documents: LostDocuments | None = None
    budgets: dict[BudgetName, Annotated[Limit, PlainValidator(_limit)]] = {}
    _source: str = PrivateAttr("")
    """The file that it was read from."""

    def place(self, *steps: str) -> str:
        """Return where a setting is, and in which file, if there is one."""
        return _place(steps, self._source)

    def settings(self) -> PolicySettings:
        """Return it as part of a result."""
        return PolicySettings(
            metric=self.metric,
            margin=self.margin,
            any_field=self.any_field,
            common_documents=self.common_documents,
            confidence=self.confidence,
            fields=self.fields,
            groups={name: _group_settings(group) for name, group in self.groups.items()},
            critical=tuple(self.critical),
            budgets={name: str(limit).replace(" ", "") for name, limit in self.budgets.items()},
            lost_documents=None if (lost := self.lost_documents) is None else LostSettings(lost.drop, lost.at_most),
        )


def _group_settings(group: Group) -> GroupSettings:
    return GroupSettings(None if group.fields is None else tuple(group.fields), group.weight, group.margin)


class _UniqueKeys(yaml.SafeLoader):
    """Refuses a key that is given twice: one of the two would be lost."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Json, Json]:
        seen: set[Json] = set()
        for key_node, _ in node.value:
            key = key_node.value if isinstance(key_node, yaml.ScalarNode) else None
            if key in seen:
                raise ValueError(f"{_found(key)} is given a second time in line {key_node.start_mark.line + 1}")
            seen |= set() if key is None else {key}
        return super().construct_mapping(node, deep)


def read_policy(path: str | Path) -> Policy:
    """Read a policy from a YAML file; SettingError says what is wrong and where, and so for a file without any."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise cannot_read(path, error) from error
    try:
        content = yaml.load(text, _UniqueKeys)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SettingError(
            f"Expected YAML in {path}: {_yaml_fault(error)}", code="setting.not_yaml", facts={"file": path}
        ) from error
    if content is None:
        advice = "leave the policy out for the defaults"
        raise SettingError(f"{path} is empty", code="setting.empty_policy", facts={"file": path}, advice=advice)
    return policy_of(content, source=str(path))


def _yaml_fault(error: Exception) -> str:
    """Say where the file is broken, or what else is wrong with it."""
    mark = error.problem_mark if isinstance(error, yaml.MarkedYAMLError) else None
    where = "" if mark is None else f"it cannot be read from line {mark.line + 1}, column {mark.column + 1} on"
    return where or " ".join(str(error).split())


def policy_of(content: Json, *, source: str = "") -> Policy:
    """Check a policy that has been read; errors name the file it comes from.

    >>> policy_of({"margin": 0.01, "critical": ["total"]}).critical
    ['total']
    """
    if not isinstance(content, dict):
        raise SettingError(
            f"Expected an object of settings, got {_found(content)}", path=_place((), source), facts={"got": content}
        )
    try:
        made = Policy.model_validate(content)
    except ValidationError as error:
        raise _explained(error, source) from error
    made._source = source  # the file, which later errors name
    return made


def as_policy(given: Policy | Mapping[str, Json] | str | Path | None) -> Policy:
    """Return a policy that is one already, or is given by its settings, by a file or not at all."""
    if given is None or isinstance(given, Policy):
        return given or Policy()
    return read_policy(given) if isinstance(given, str | Path) else policy_of(dict(given))


def with_settings(policy: Policy, *, margin: float | str | None = None, metric: str | None = None) -> Policy:
    """Return the policy with another margin for all values and for groups without one, or metric; None keeps it."""
    given = {name: value for name, value in (("margin", margin), ("metric", metric)) if value is not None}
    return policy_of({**dict(policy), **given}, source=policy._source) if given else policy


def _explained(error: ValidationError, source: str) -> SettingError:
    """Tell the first thing that is wrong: where, what was expected, and the nearest valid name."""
    found = error.errors()
    misspelt = [one for one in found if one["type"] == "extra_forbidden"]
    first = misspelt[0] if found[0]["type"] == "missing" and misspelt else found[0]
    kind, given = first["type"], first["input"]
    steps = [step for step in first["loc"] if step != "[key]"]
    if kind == "extra_forbidden":
        *steps, given = steps
        return _unknown(given, _settings_at(steps), _place(steps, source))
    if kind == "literal_error":
        in_budgets = steps[0] == "budgets"
        return _unknown(given, BUDGETS if in_budgets else METRICS, _place(steps[:1], source))
    if kind in ("model_type", "missing"):
        return _incomplete(given, steps, source)
    if kind in _EXPECTED:
        return SettingError(
            f"Expected {_EXPECTED[kind]}, got {_found(given)}",
            path=_place(steps, source),
            facts={"expected": _EXPECTED[kind], "got": given},
        )
    message = first["msg"].removeprefix("Value error, ")
    return SettingError(f"{message[:1].upper()}{message[1:]}", path=_place(steps, source))


def _incomplete(given: Json, steps: Sequence[str | int], source: str) -> SettingError:
    """Return the error for a group, or the rule of lost documents, that is no object or lacks a setting."""
    in_lost = steps[0] == "lost_documents"
    expected = "an object with at_most, such as {at_most: 2%}" if in_lost else "an object with fields or weight"
    place = steps[:1] if in_lost else steps
    return SettingError(
        f"Expected {expected}, got {_found(given)}",
        path=_place(place, source),
        facts={"expected": expected, "got": given},
    )


def _settings_at(steps: Sequence[str | int]) -> Iterable[str]:
    if not steps:
        return Policy.model_fields
    return LostDocuments.model_fields if steps[0] == "lost_documents" else Group.model_fields


def _unknown(given: Json, known: Iterable[str], place: str) -> SettingError:
    *most, last = names = list(known)
    listed = f"{', '.join(most)} or {last}"
    return SettingError(
        f"Expected {listed}, got {_found(given)}{nearest(str(given), names)}",
        path=place,
        code="setting.unknown_key",
        facts={"expected": names, "got": given, "nearest": closest(str(given), names)},
    )


def _place(steps: Iterable[str | int], source: str) -> str:
    path = "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return f"{path} in {source}" if source else path
