"""`ComparableField`: a pydantic field that says how its values are compared."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import Field

from fieldwise.checks import checked_number, checked_weight
from fieldwise.comparators import BaseComparator, FunctionComparator
from fieldwise.errors import SettingError
from fieldwise.spec import FieldSettings
from fieldwise.spec.nodes import Order, check_order
from fieldwise.values import Json

_WHERE = "ComparableField"


def ComparableField(  # noqa: N802  # its public name
    comparator: BaseComparator | type[BaseComparator] | Callable[[Json, Json], float] | None = None,
    threshold: float | None = None,
    weight: float | None = None,
    default: object = None,
    *,
    clip_under_threshold: bool | None = None,
    order: Order = "any",
    key: str | Sequence[str] = (),
    alternates: bool = False,
    aggregate: bool | None = None,
    **field_keywords: Any,
) -> Any:
    """Declare a field of a `StructuredModel` and how to compare it.

    ``comparator`` may also be a comparator class, or any function ``(expected, predicted) -> float``. ``order`` and
    ``key`` say how the items of a list pair; ``alternates`` allows ``{"any_of": [...]}`` in expected values.
    ``aggregate`` is accepted for older code and has no effect. Other keywords go to pydantic's ``Field``. The default
    is None, so nothing is required.
    """
    if aggregate is not None:
        warnings.warn(
            "ComparableField(aggregate=...) has no effect: every node has its `aggregate` counts; leave it out",
            DeprecationWarning,
            stacklevel=2,
        )
    extra = field_keywords.pop("json_schema_extra", None)
    settings = FieldSettings(
        comparator=_comparator(comparator),
        threshold=None if threshold is None else checked_number("threshold", threshold, high=1.0, path=_WHERE),
        weight=None if weight is None else checked_weight(weight, path=_WHERE),
        clip=clip_under_threshold,
        order=check_order(order, _WHERE),
        key=(key,) if isinstance(key, str) else tuple(key),
        alternates=alternates,
        extra=dict(extra) if isinstance(extra, Mapping) else {},
    )
    return Field(default=default, json_schema_extra=settings, **field_keywords)


def _comparator(given: object) -> BaseComparator | None:
    if given is None or isinstance(given, BaseComparator):
        return given
    if isinstance(given, type):
        return _made(given)
    if callable(given):
        return FunctionComparator(given)
    named = f"; build({given!r}) makes one from its name" if isinstance(given, str) else ""
    raise SettingError(
        f"Expected a comparator, its class or a function, got {given!r}{named}",
        path=_WHERE,
        code="comparator.unusable",
        facts={"got": given},
    )


def _made(cls: type) -> BaseComparator:
    """Return a comparator of a class, with its default settings."""
    if not issubclass(cls, BaseComparator):
        raise SettingError(
            f"Expected a comparator, its class or a function, got the class {cls.__name__}",
            path=_WHERE,
            code="comparator.unusable",
            facts={"got": cls.__name__},
        )
    if inspect.isabstract(cls):
        raise SettingError(
            f"Expected a comparator with `_compare`, got {cls.__name__} without it",
            path=_WHERE,
            code="comparator.unusable",
            facts={"got": cls.__name__},
        )
    try:
        return cls()
    except (TypeError, ValueError) as error:
        raise SettingError(
            f"Cannot make a comparator of the class {cls.__name__} without settings: {error};"
            f" write {cls.__name__}(...) with them",
            path=_WHERE,
            code="comparator.unusable",
            facts={"got": cls.__name__},
        ) from error
