"""The comparators by name: built in, registered by a program, or offered by installed packages.

Builds them from configurations; a name or key that does not exist is an error with its path.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from importlib.metadata import entry_points

from fieldwise.checks import shown
from fieldwise.comparators.base import BaseComparator, FunctionComparator
from fieldwise.errors import SettingError, at_path, closest, nearest
from fieldwise.values import Json

HOMES = {
    "ANLSStarComparator": "anls",
    "AmountComparator": "amount",
    "BBoxIoUComparator": "box",
    "BooleanComparator": "choice",
    "CodeComparator": "text",
    "ContainsComparator": "text",
    "CurrencyComparator": "currency",
    "DateComparator": "date",
    "EnumComparator": "choice",
    "ExactComparator": "text",
    "FormulaComparator": "formula",
    "FuzzyComparator": "similar_text",
    "LLMComparator": "judge",
    "LevenshteinComparator": "similar_text",
    "NormalizedComparator": "text",
    "NumericComparator": "number",
    "PhoneComparator": "phone",
    "SemanticComparator": "semantic",
    "StructuredModelComparator": "base",
    "TextComparator": "plain_text",
}
"""The module of each built-in comparator, so that it is imported only when asked for."""

ENTRY_POINTS = "fieldwise.comparators"
_BUILT_IN = {name.lower().removesuffix("comparator"): name for name in HOMES}
_registered: dict[str, tuple[str, type[BaseComparator]]] = {}


def get_comparator_class(name: str, path: str = "") -> type[BaseComparator]:
    """Return the class of a comparator name, in any case, with or without the suffix ``Comparator``.

    >>> get_comparator_class("levenshtein").__name__
    'LevenshteinComparator'
    """
    if not isinstance(name, str):
        raise SettingError(f"Expected the name of a comparator, got {shown(name)}", path=path, facts={"got": name})
    key = _key(name)
    if key in _BUILT_IN:
        return _built_in(_BUILT_IN[key])
    if key not in _registered:
        _load_entry_points()
    if key in _registered:
        return _registered[key][1]
    found, suggestion = _suggestion(key)
    facts = {"comparator": name, "nearest": found}
    message = f"Expected the name of a comparator, got {name!r}{suggestion}"
    raise SettingError(message, path=path, code="spec.unknown_comparator", facts=facts)


def comparator_names() -> list[str]:
    """Return every name that can be asked for, sorted."""
    _load_entry_points()
    return sorted([*HOMES, *(name for name, _ in _registered.values())])


def build(name: str, config: Mapping[str, Json] | None = None, path: str = "") -> BaseComparator:
    """Make a comparator from its name and its settings.

    >>> build("fuzzy", {"method": "token_sort_ratio"})
    FuzzyComparator(method='token_sort_ratio')
    """
    cls = get_comparator_class(name, path)
    settings = {} if config is None else config
    if not isinstance(settings, Mapping):
        raise SettingError(
            f"Expected an object of settings for {cls.__name__}, got {shown(settings)}",
            path=path,
            facts={"comparator": cls.__name__, "got": settings},
        )
    _check_keys(cls, settings, path)
    try:
        return cls(**settings)
    except (TypeError, ValueError) as error:
        raise at_path(error, path) from error


def register_comparator(name: str, comparator: type[BaseComparator] | Callable[[Json, Json], float]) -> None:
    """Make a comparator class, or a function of two values, known under a name.

    Registering the same thing again changes nothing; a built-in name is refused.
    """
    if not isinstance(name, str) or not _key(name):
        raise SettingError(f"Expected a name for the comparator, got {shown(name)}", facts={"got": name})
    key = _key(name)
    if key in _BUILT_IN:
        raise SettingError(
            f"Expected a name that is not built in, got {name!r}; choose another",
            code="setting.name_taken",
            facts={"name": name},
        )
    _registered[key] = (name, _as_class(name, comparator))


def _as_class(name: str, comparator: object) -> type[BaseComparator]:
    if not isinstance(comparator, type):
        if callable(comparator):
            return _class_of(comparator, name)
    elif issubclass(comparator, BaseComparator):
        if inspect.isabstract(comparator):
            raise SettingError(
                f"Expected a comparator with `_compare`, got {comparator.__name__} without it",
                code="comparator.unusable",
                facts={"comparator": name},
            )
        return comparator
    raise SettingError(
        f"Expected a BaseComparator class or a function for {name!r}, got {shown(comparator)}",
        code="comparator.unusable",
        facts={"comparator": name},
    )


def _class_of(function: Callable[[Json, Json], float], name: str) -> type[BaseComparator]:
    class Registered(FunctionComparator):
        """A registered function."""

        def __init__(self, threshold: float | None = None) -> None:
            super().__init__(function, name, threshold=threshold)

        def __reduce__(self) -> tuple[object, ...]:
            return (build, (name, {"threshold": self.given_threshold}))

    Registered.__name__ = Registered.__qualname__ = name
    return Registered


def _key(name: str) -> str:
    return name.strip().lower().removesuffix("comparator")


def _built_in(name: str) -> type[BaseComparator]:
    module = importlib.import_module(f"{__package__}.{HOMES[name]}")
    found: type[BaseComparator] = getattr(module, name)
    return found


def _load_entry_points() -> None:
    for entry in entry_points(group=ENTRY_POINTS):
        if _key(entry.name) not in _BUILT_IN and _key(entry.name) not in _registered:
            register_comparator(entry.name, entry.load())


def _suggestion(key: str) -> tuple[str | None, str]:
    """Return the name closest to a key, and what is said of it."""
    known = {**_BUILT_IN, **{k: name for k, (name, _) in _registered.items()}}
    word = closest(key, known)
    if word is None:
        return None, f"; known are {', '.join(sorted(known.values()))}"
    return known[word], f"; did you mean '{known[word]}'?"


def _check_keys(cls: type[BaseComparator], settings: Mapping[str, Json], path: str) -> None:
    parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return
    valid = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    for key in settings:
        if key not in valid:
            hint = nearest(str(key), valid) or f"; it has {', '.join(valid)}"
            raise SettingError(
                f"{cls.__name__} has no setting {key!r}{hint}",
                path=path,
                code="setting.unknown_key",
                facts={"key": key, "comparator": cls.__name__},
            )
