"""Limits that an evaluation must keep, as written on the command line: ``strict_f1=0.9``, ``total:f1=0.95``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from fieldwise.errors import SettingError, nearest, quoted
from fieldwise.results import RATIOS, Metrics
from fieldwise.text import fixed
from fieldwise.views.numbers import number

_OF_DOCUMENTS = ("weighted_score", "mean_overall_score")
"""A mean over documents: the first of evaluate, the second of aggregate."""
METRICS = ("accuracy", *RATIOS, *_OF_DOCUMENTS)


class Limit(NamedTuple):
    """A metric that must not be below a value; of one field, or of all values where ``field`` is empty."""

    field: str
    metric: str
    least: float

    def __str__(self) -> str:
        return f"{self.field}:{self.metric}" if self.field else self.metric


def parse_limit(text: str) -> Limit:
    """Read a limit.

    >>> parse_limit("line_items.price:f1=0.9")
    Limit(field='line_items.price', metric='f1', least=0.9)
    """
    name, equals, number = text.rpartition("=")
    field, _, metric = name.rpartition(":")
    if not equals or metric not in METRICS:
        expected = f"Expected METRIC=VALUE such as strict_f1=0.9 for --fail-under, got {text!r}"
        hint = nearest(metric, METRICS) or ("" if field else f"; for a field it is {name}:strict_f1={number}")
        raise SettingError(f"{expected}{hint}" if equals else expected)
    try:
        least = float(number)
    except ValueError:
        least = math.nan
    if not 0 <= least <= 1:
        raise SettingError(f"Expected a number from 0 to 1 after {name}=, got {number!r}")
    if field and metric in _OF_DOCUMENTS:
        raise SettingError(f"Expected {metric}={number}: documents have one, the field {field!r} has none")
    return Limit(field, metric, least)


def below(limits: Sequence[Limit], metrics: Metrics) -> list[str]:
    """Say in words which limits are not kept; one that cannot be computed is not kept."""
    return [words for limit in limits if (words := _broken(limit, metrics))]


def _broken(limit: Limit, metrics: Metrics) -> str:
    if limit.field and limit.field not in metrics.fields:
        raise SettingError(f"No field {quoted(limit.field)} for --fail-under{nearest(limit.field, metrics.fields)}")
    value = _value(limit, metrics)
    if value is None:
        return f"{limit} cannot be computed here: there is nothing to divide by"
    return f"{limit} is {fixed(value, 4)}, below {number(limit.least)}" if value < limit.least else ""


def _value(limit: Limit, metrics: Metrics) -> float | None:
    if limit.metric in _OF_DOCUMENTS:
        return _of_documents(limit.metric, metrics)
    row = metrics.fields[limit.field] if limit.field else metrics.aggregate
    value: float | None = row.accuracy_rate if limit.metric == "accuracy" else getattr(row.rates, limit.metric).value
    return value


def _of_documents(metric: str, metrics: Metrics) -> float | None:
    means = metrics.document_metrics
    name, mean = (
        ("weighted_score", means.weighted_score)
        if means.mean_overall_score is None
        else ("mean_overall_score", means.mean_overall_score)
    )
    if metric != name:
        raise SettingError(f"There is no {metric} here for --fail-under; did you mean {name!r}?")
    return mean.value
