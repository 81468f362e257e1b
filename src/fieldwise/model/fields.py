"""`ComparableField`: a pydantic field that says how its values are compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from fieldwise.comparators import BaseComparator, FunctionComparator
from fieldwise.errors import SettingError
from fieldwise.spec import FieldSettings
from fieldwise.spec.nodes import Order, check_order, check_unit, check_weight

_WHERE = "ComparableField"


def ComparableField(  # noqa: N802  # the seed's public name
    comparator: BaseComparator | Any | None = None,
    threshold: float | None = None,
    weight: float | None = None,
    default: Any = None,
    *,
    clip_under_threshold: bool | None = None,
    order: Order = "any",
    key: str | Sequence[str] = (),
    alternates: bool = False,
    **field_keywords: Any,
) -> Any:
    """Declare a field of a `StructuredModel` and how to compare it.

    ``comparator`` may also be any function ``(expected, predicted) -> float``. ``order`` and ``key`` say how the
    items of a list pair; ``alternates`` allows ``{"any_of": [...]}`` in expected values. Other keywords go to
    pydantic's ``Field``. The default is None, so nothing is required.
    """
    if "aggregate" in field_keywords:
        raise TypeError("ComparableField has no parameter 'aggregate': every node has its aggregate counts")
    extra = field_keywords.pop("json_schema_extra", None)
    settings = FieldSettings(
        comparator=_comparator(comparator),
        threshold=None if threshold is None else check_unit(threshold, "threshold", _WHERE),
        weight=None if weight is None else check_weight(weight, _WHERE),
        clip=clip_under_threshold,
        order=check_order(order, _WHERE),
        key=(key,) if isinstance(key, str) else tuple(key),
        alternates=alternates,
        extra=dict(extra) if isinstance(extra, Mapping) else {},
    )
    return Field(default=default, json_schema_extra=settings, **field_keywords)


def _comparator(given: Any) -> BaseComparator | None:
    if given is None or isinstance(given, BaseComparator):
        return given
    if isinstance(given, type) and issubclass(given, BaseComparator):
        raise SettingError(
            f"Expected a comparator, got the class {given.__name__}; write {given.__name__}()", path=_WHERE
        )
    if callable(given):
        return FunctionComparator(given)
    raise SettingError(f"Expected a comparator or a function, got {given!r}", path=_WHERE)
