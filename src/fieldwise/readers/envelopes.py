"""Envelopes: what stands around a document, such as an id, alternates or metadata.

Every name that is guessed is in the tables here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from fieldwise.readers.fences import may_hold_json
from fieldwise.readers.source import FromText, Missing, Unreadable
from fieldwise.values import Json

Side = Literal["expected", "predicted"]
SIDES: Final[tuple[Side, Side]] = ("expected", "predicted")

ID_KEYS: Final = ("id", "doc_id", "document_id", "documentId", "_id")
SIDE_KEYS: Final[Mapping[Side, tuple[str, ...]]] = {
    "expected": ("expected", "ground_truth", "groundTruth", "truth", "gold", "label", "reference", "target"),
    "predicted": ("predicted", "prediction", "pred", "output", "extracted"),
}
INNER: Final = "inference_result"
_WRAPPERS: Final[Mapping[Side, tuple[str, ...]]] = {s: ("document", *keys) for s, keys in SIDE_KEYS.items()}
_NULL_WRAPPERS: Final = frozenset({"document", "expected", "predicted"})
_BESIDE: Final = ("alternates", "metadata", "document_class", "source", "file", "filename", "path", "split")
WORDS: Final = frozenset({*ID_KEYS, *_BESIDE, *_WRAPPERS["expected"], *_WRAPPERS["predicted"]})
WRAPPER_WORDS: Final[Mapping[Side, frozenset[str]]] = {s: frozenset({*k, INNER}) for s, k in _WRAPPERS.items()}


class Document(NamedTuple):
    """One side of a pair, and what stood beside it."""

    content: Json | Unreadable | Missing
    rich: bool = False
    alternates: Mapping[str, Sequence[Json]] | None = None
    metadata: Mapping[str, Json] | None = None


def first_key(value: Mapping[str, Json], keys: Iterable[str]) -> str | None:
    """Return the first of the keys that the value has.

    >>> first_key({"truth": {}, "pred": {}}, SIDE_KEYS["expected"])
    'truth'
    """
    return next((key for key in keys if key in value), None)


def id_text(value: Json) -> str | None:
    """Return an id as text, or None where the value is no id: only texts and numbers are.

    >>> [id_text(v) for v in ("a", 17, "", None, True, ["a"])]
    ['a', '17', None, None, None, None]
    """
    if type(value) is str:
        return value.encode("utf-8", "backslashreplace").decode() or None
    return str(value) if type(value) in (int, float) else None


def find_id_key(value: Json) -> str | None:
    """Return the key under which an envelope or a document has its id."""
    if type(value) is not dict:
        return None
    return next((key for key in ID_KEYS if id_text(value.get(key)) is not None), None)


def open_document(value: Json, side: Side, *, rich: bool) -> Document:
    """Take a document out of what is around it.

    An envelope has nothing but known words beside the document; else the whole object is the document, so that
    nothing is lost. ``inference_result`` is opened whatever stands beside it.

    >>> open_document({"id": 7, "document": {"total": 5}}, "expected", rich=False).content
    {'total': 5}
    >>> open_document({"document_class": "W2", "inference_result": {"total": 5}}, "expected", rich=False).content
    {'total': 5}
    >>> open_document({"document": {"pages": 2}, "total": 5}, "expected", rich=False).content
    {'document': {'pages': 2}, 'total': 5}
    """
    key = _wrapper(value, side)
    return open_member(value, key, rich=rich) if key is not None else Document(value, rich)


def from_fence(document: Document) -> Document | None:
    """Return a document with the note that it was in a code fence, or None where the fence holds none."""
    if isinstance(document.content, Unreadable | Missing):
        return None
    return document._replace(content=FromText(document.content, "fence"))


def open_member(envelope: Mapping[str, Json], key: str, *, rich: bool) -> Document:
    """Return the document under a key of an envelope, with the alternates and metadata beside it.

    Alternates of a wrong shape make the document unreadable.
    """
    value: Json = envelope
    opening: str | None = key
    beside: dict[str, Json] = {}
    while opening is not None:
        beside = {k: value[k] for k in ("alternates", "metadata") if k in value} | beside
        value = value[opening]
        opening = _inner(value)
    alternates, metadata = beside.get("alternates"), beside.get("metadata")
    if not (alternates is None or _are_alternates(alternates)):
        wrong = Unreadable("alternates are not an object of lists, {path: [values]}")
        value, alternates = alternates if isinstance(alternates, Unreadable) else wrong, None
    return Document(value, rich, alternates, metadata if type(metadata) is dict else None)


def merged_metadata(first: Mapping[str, Json] | None, second: Mapping[str, Json] | None) -> Mapping[str, Json] | None:
    """Return the metadata of both sides; where both name a thing, what the second says."""
    return {**first, **second} if first and second else first or second


def _wrapper(value: Json, side: Side) -> str | None:
    if type(value) is not dict or WRAPPER_WORDS[side].isdisjoint(value):
        return None
    if not value.keys() <= WORDS:
        return _inner(value)
    return next((key for key in _WRAPPERS[side] if key in value and _opens(side, key, value[key])), _inner(value))


def _opens(side: Side, key: str, inner: Json) -> bool:
    if type(inner) is str:
        return side == "predicted" and may_hold_json(inner)
    return type(inner) is dict or (inner is None and key in _NULL_WRAPPERS)


def _inner(value: Json) -> str | None:
    found = type(value) is dict and INNER in value and (value[INNER] is None or type(value[INNER]) is dict)
    return INNER if found else None


def _are_alternates(value: Json) -> bool:
    return type(value) is dict and all(type(values) is list for values in value.values())
