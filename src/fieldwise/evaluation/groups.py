"""To what a document belongs: its class, the values of slice keys in its metadata, and its cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from fieldwise.compare.rich_values import unwrap
from fieldwise.counting.cells import Cell, Group
from fieldwise.errors import SettingError, closest, nearest, quoted
from fieldwise.readers.envelopes import id_text
from fieldwise.readers.inside import InsidePairs
from fieldwise.readers.pairs import Pair, PairSource
from fieldwise.spec.paths import steps_of
from fieldwise.values import Json, written

_AT_ONCE = 1000
Grouping = Callable[[Pair], Group]


def grouping_by(slices: tuple[str, ...], cluster_by: str | None, class_named: Callable[[str], str] = str) -> Grouping:
    """Return a function that says to what a document belongs; ``class_named`` says how a class is spelt.

    A slice value is in the metadata; a cluster there or, where it has no such key, in the expected document. Null is no
    value. What is no text is written as JSON.
    """
    keys = [steps_of(key) for key in slices]
    cluster = None if cluster_by is None else steps_of(cluster_by)

    def group(pair: Pair) -> Group:
        values = tuple(text_at(pair.metadata, steps) for steps in keys)
        own = None if pair.document_class is None else class_named(pair.document_class)
        return Group(Cell(own, values), None if cluster is None else cluster_at(pair, cluster))

    return group


def cluster_at(pair: Pair, steps: tuple[str | int, ...]) -> str | None:
    """Return the cluster of a document, from its metadata or from what is expected in it."""
    found = text_at(pair.metadata, steps)
    if found is not None or not isinstance(pair.expected, dict):
        return found
    return text_at(unwrap(pair.expected).document if pair.rich else pair.expected, steps)


def text_at(value: Json, steps: tuple[str | int, ...]) -> str | None:
    """Return what is at a path as text; None where there is nothing, or null.

    >>> [text_at({"a": {"b": value}}, ("a", "b")) for value in ("x", 7, True, None, [1])]
    ['x', '7', 'true', None, '[1]']
    """
    for step in steps:
        if isinstance(step, int):
            value = value[step] if type(value) is list and step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, Mapping) else None
    if value is None:
        return None
    return (id_text(value) or "") if type(value) is str else written(value)


def check_keys(source: PairSource, slices: tuple[str, ...], cluster_by: str | None) -> None:
    """Refuse a key that no document has; reading ends with the first document by which all of them are known."""
    wanted = [("slices", key) for key in slices] + ([] if cluster_by is None else [("cluster_by", cluster_by)])
    names: dict[str, None] = {}
    for pair in _pairs(source) if wanted else ():
        wanted = [(setting, key) for setting, key in wanted if _value(pair, setting, key) is None]
        if not wanted:
            return
        names |= dict.fromkeys(_names(pair, wanted[0][0]))
    for setting, key in wanted:
        place = 'the metadata of documents (under "metadata", beside the document)' + ", or in expected documents" * (
            setting == "cluster_by"
        )
        raise SettingError(
            f"No document has {quoted(key)}; expected a key in {place}{nearest(key, names)}",
            code="document.no_such_key",
            facts={"setting": setting, "got": key, "nearest": closest(key, names)},
        )


def check_class_key(source: PairSource) -> None:
    """Refuse a key for classes that no document has; reading ends with the first that has it."""
    key = source.class_key if isinstance(source, InsidePairs) else None
    if key is None:
        return
    names: dict[str, None] = {}
    for pair in _pairs(source):
        if pair.document_class is not None:
            return
        names |= dict.fromkeys([*(pair.metadata or ()), *_names(pair, "cluster_by")])
    raise SettingError(
        f"No document has a class in {quoted(key)}; expected a key of expected documents, or of their metadata"
        f"{nearest(key, names)}",
        code="document.no_such_key",
        facts={"setting": "class_key", "got": key, "nearest": closest(key, names)},
    )


def _value(pair: Pair, setting: str, key: str) -> str | None:
    return cluster_at(pair, steps_of(key)) if setting == "cluster_by" else text_at(pair.metadata, steps_of(key))


def _names(pair: Pair, setting: str) -> Iterator[str]:
    yield from pair.metadata or ()
    if setting == "cluster_by" and isinstance(pair.expected, dict):
        yield from pair.expected


def _pairs(source: PairSource) -> Iterator[Pair]:
    for shard in source.shards(_AT_ONCE):
        yield from shard.read()
