"""What an envelope says about its document: its class, its pages, and how sure the prediction is of each value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from fieldwise.spec.paths import escape
from fieldwise.values import Json

CONFIDENCE_KEYS: Final = ("explainability_info", "confidence", "confidences")
ABOUT_KEYS: Final = ("document_class", "split_document", *CONFIDENCE_KEYS)
_OWN: Final = ("confidence", "_confidence")
_THRESHOLDS: Final = ("confidence_threshold", "_confidence_threshold")
_MAX_PAGE: Final = 1_000_000
_PERCENT: Final = 2.0


class Confidences(NamedTuple):
    """How sure a prediction is of its values, and from where on that is enough, by path; as they came."""

    values: Mapping[str, Json]
    thresholds: Mapping[str, Json] = {}  # never written to


class About(NamedTuple):
    """What is known of a document beside its values.

    ``pages`` are numbers of pages, in the order of the document; None where nobody says.
    """

    document_class: str | None = None
    pages: tuple[int, ...] | None = None
    confidences: Confidences | None = None
    wrong_pages: int = 0
    """How many pages are no page numbers."""


def about_of(envelope: Mapping[str, Json]) -> About | None:
    """Return what an envelope says; None where it says nothing.

    >>> about_of({"document_class": {"type": "W2"}, "split_document": {"page_indices": [2, 3]}})
    About(document_class='W2', pages=(2, 3), confidences=None, wrong_pages=0)
    """
    pages, wrong = _pages(envelope.get("split_document"))
    confidences = _confidences(envelope)
    document_class = class_name(envelope.get("document_class"))
    if document_class is None and pages is None and confidences is None and not wrong:
        return None
    return About(document_class, pages, confidences, wrong)


def class_name(value: Json) -> str | None:
    """Return the name of a class, given as text or as ``{"type": …}``; None where there is none.

    >>> [class_name(value) for value in ("W2", {"type": " W2 "}, "", None, 7)]
    ['W2', 'W2', None, None, None]
    """
    name = value.get("type") if isinstance(value, Mapping) else value
    if type(name) is not str:
        return None
    return name.strip().encode("utf-8", "backslashreplace").decode() or None


def same_class(one: str | None, other: str | None) -> bool:
    """Tell whether two classes may be the same: letter case does not matter, and no class is any class."""
    return one is None or other is None or one.casefold() == other.casefold()


def _pages(split: Json) -> tuple[tuple[int, ...] | None, int]:
    given = split.get("page_indices") if isinstance(split, Mapping) else None
    if type(given) is not list:
        return None, int(given is not None)
    pages = [int(page) for page in given if _is_page(page)]
    return tuple(dict.fromkeys(pages)), len(given) - len(pages)


def _is_page(page: Json) -> bool:
    is_text = type(page) is str and page.isascii() and page.isdecimal() and len(page) < len(str(_MAX_PAGE))
    return is_text or (type(page) is int and 0 <= page < _MAX_PAGE)


def _confidences(envelope: Mapping[str, Json]) -> Confidences | None:
    values: dict[str, Json] = {}
    thresholds: dict[str, Json] = {}
    for key in CONFIDENCE_KEYS:
        given = envelope.get(key)
        for part in given if type(given) is list else [given]:
            if type(part) is dict:
                for path, value, threshold in _flattened(part):
                    values[path] = value
                    if threshold is not None:
                        thresholds[path] = threshold
    return Confidences(values, thresholds) if values else None


def _flattened(parallel: Mapping[str, Json]) -> Iterator[tuple[str, Json, Json]]:
    """Yield the path, the confidence and its threshold of each value.

    A plain value at the top is under a path such as ``items[0].price``; below that, keys are names.
    """
    todo: list[tuple[str, Json]] = []
    for key, value in parallel.items():
        todo.append((escape(key) if type(value) in (dict, list) else key, value))
    while todo:
        path, node = todo.pop()
        if type(node) is list:
            todo.extend((f"{path}[{at}]", item) for at, item in enumerate(node))
        elif type(node) is not dict:
            if node is not None:
                yield path, node, None
        elif (own := _scalar(node, _OWN)) is not None:
            yield path, own, _scalar(node, _THRESHOLDS)
        else:
            todo.extend((f"{path}.{escape(key)}", value) for key, value in node.items())


def _scalar(node: Mapping[str, Json], keys: tuple[str, ...]) -> Json:
    found = (node[key] for key in keys if key in node)
    return next((value for value in found if type(value) not in (dict, list)), None)


class Scaled(NamedTuple):
    """Confidences from 0 to 1, whether they were percentages, and how many are no confidences."""

    values: dict[str, float]
    was_percent: bool
    unusable: int


def scaled(values: Mapping[str, Json]) -> Scaled:
    """Return the confidences of a document on the scale from 0 to 1.

    They are percentages where the largest of those up to 100 is 2 or more, and none lies between 0 and 1. What is then
    not from 0 to 1 is unusable.

    >>> scaled({"total": 98, "date": 50.5, "name": 0})
    Scaled(values={'total': 0.98, 'date': 0.505, 'name': 0.0}, was_percent=True, unusable=0)
    >>> scaled({"total": 101, "date": 50})
    Scaled(values={'date': 0.5}, was_percent=True, unusable=1)
    >>> scaled({"total": 98, "date": 0.5})
    Scaled(values={'date': 0.5}, was_percent=False, unusable=1)
    >>> scaled({"total": 1.2, "date": 0.5, "name": "high"})
    Scaled(values={'date': 0.5}, was_percent=False, unusable=2)
    """
    numbers = {path: float(value) for path, value in values.items() if type(value) in (int, float)}
    largest = max((value for value in numbers.values() if value <= 100.0), default=0.0)
    was_percent = largest >= _PERCENT and not any(0.0 < value < 1.0 for value in numbers.values())
    usable = {path: value / 100.0 if was_percent else value for path, value in numbers.items()}
    usable = {path: value for path, value in usable.items() if 0.0 <= value <= 1.0}
    return Scaled(usable, was_percent, len(values) - len(usable))


def threshold_of(value: Json) -> float | None:
    """Return a threshold of confidence on the scale from 0 to 1, None where it is none; from 2 on it is a percentage.

    >>> [threshold_of(value) for value in (0.8, 80, 1, 1.5, 101, "0.8", None)]
    [0.8, 0.8, 1.0, None, None, None, None]
    """
    if type(value) not in (int, float):
        return None
    if 0.0 <= value <= 1.0:
        return float(value)
    return value / 100.0 if _PERCENT <= value <= 100.0 else None
