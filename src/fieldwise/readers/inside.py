"""Documents that are deeper in what is read, at a path that somebody named: ``result``, ``choices[0].message``."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from fieldwise.errors import InputError, SettingError, quoted
from fieldwise.limits import ReadLimits
from fieldwise.readers.about import class_name
from fieldwise.readers.envelopes import Side, inside_fence, may_hold_json, read_text
from fieldwise.readers.files import read_source, source_name
from fieldwise.readers.json_text import parse_json
from fieldwise.readers.source import (
    FromText,
    Missing,
    Pair,
    PairsAround,
    PairSource,
    Sections,
    Shard,
    ShardAround,
    Unreadable,
)
from fieldwise.spec.paths import steps_of
from fieldwise.values import Json

_MAX_KEYS = 5


def document_at(content: Json, path: str | None, side: Side) -> Json | Unreadable | Missing:
    """Return what a document has at a path, or why it has nothing there; without a path the document itself.

    >>> document_at({"result": {"total": 5}}, "result", "predicted")
    {'total': 5}
    >>> document_at({"error": "timeout"}, "result", "predicted").reason
    "the predicted document has nothing at 'result'; it has 'error'"
    """
    if path is None or isinstance(content, Unreadable | Missing):
        return content
    if isinstance(content, FromText):
        inner = document_at(content.document, path, side)
        return inner if isinstance(inner, Unreadable) else content._replace(document=inner)
    value = content
    for step in steps_of(path):
        if not _has(value, step):
            return Unreadable(f"the {side} document has nothing at {quoted(path)}; it {_holds(content)}")
        value = value[step]
    return value


def _has(value: Json, step: str | int) -> bool:
    if isinstance(step, int):
        return type(value) is list and step < len(value)
    return type(value) is dict and step in value


def _holds(content: Json) -> str:
    if type(content) is not dict:
        return "is null" if content is None else f"is a {type(content).__name__}"
    return f"has {name_some(content)}" if content else "is empty"


def name_some(names: Collection[str]) -> str:
    """List the first of some names.

    >>> name_some("abcdefg")
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    shown = [quoted(name) for name in list(names)[:_MAX_KEYS]]
    more = f" and {len(names) - _MAX_KEYS} more" if len(names) > _MAX_KEYS else ""
    return ", ".join(shown) + more


@dataclass(frozen=True)
class InsideShard(ShardAround):
    """A shard whose documents are taken from a path, or have their class in a key."""

    expected_at: str | None
    predicted_at: str | None
    class_key: str | None = None

    def changed(self, pair: Pair) -> Pair:
        expected = document_at(pair.expected, self.expected_at, "expected")
        predicted = document_at(pair.predicted, self.predicted_at, "predicted")
        changed = pair._replace(expected=expected, predicted=predicted, sections=self._sections(pair.sections))
        return changed if self.class_key is None else changed._replace(document_class=class_at(changed, self.class_key))

    def _sections(self, sections: Sections | None) -> Sections | None:
        if sections is None:
            return None
        paths: list[tuple[Side, str | None]] = [("expected", self.expected_at), ("predicted", self.predicted_at)]
        sides = [
            tuple(section._replace(content=document_at(section.content, path, side)) for section in held)
            for (side, path), held in zip(paths, sections, strict=True)
        ]
        return Sections(*sides)


@dataclass(frozen=True)
class InsidePairs(PairsAround):
    """A source whose documents are taken from a path: of the expected side, of the predicted one, or of both."""

    expected_at: str | None = None
    predicted_at: str | None = None
    class_key: str | None = None
    """The key of expected documents, or of their metadata, that names their class."""

    def around(self, shard: Shard) -> Shard:
        return InsideShard(shard, self.expected_at, self.predicted_at, self.class_key)

    def sample(self, count: int) -> list[Json]:
        documents = (document_at(held, self.expected_at, "expected") for held in self.source.sample(count))
        return [document for document in documents if not isinstance(document, Unreadable)]

    def describe(self) -> str:
        places = {"expected": self.expected_at, "predicted": self.predicted_at}
        named = [f"{side} documents at {quoted(path)}" for side, path in places.items() if path is not None]
        return ", ".join([self.source.describe(), *named])


def read_one(source: str | Path, side: Side, path: str | None = None, limits: ReadLimits | None = None) -> Json:
    """Read one document, from standard input where the source is ``-``; raise InputError where that cannot be.

    A prediction may be in a Markdown code fence, or be a text that holds JSON.
    """
    name, limits = source_name(source), limits or ReadLimits()
    content = document_at(_read_content(source, side, limits), path, side)
    if side == "predicted" and type(content) is str and may_hold_json(content):
        content = read_text(content, limits.max_depth)
    if isinstance(content, Unreadable):
        raise InputError(f"{name}: {content.reason}", code="input.nothing_at", facts={"file": name})
    return content.document if isinstance(content, FromText) else content


def _read_content(source: str | Path, side: Side, limits: ReadLimits) -> Json:
    content, name = read_source(source, limits.max_bytes), source_name(source)
    try:
        return parse_json(content, name, limits.max_depth)
    except InputError:
        body = inside_fence(content) if side == "predicted" else None
        if body is None:
            raise
        return parse_json(body, f"{name}, inside its code fence,", limits.max_depth)


def paths_of(source: PairSource) -> dict[str, str | None]:
    """Return where in what is read the documents of a source are."""
    inside = source if isinstance(source, InsidePairs) else InsidePairs(source)
    places = {"expected_at": inside.expected_at, "predicted_at": inside.predicted_at}
    return places if inside.class_key is None else {**places, "class_key": inside.class_key}


def class_at(pair: Pair, key: str) -> str | None:
    """Return the class that a key of the expected document names, or one of the metadata."""
    for value in (pair.expected, pair.metadata):
        found = document_at(value, key, "expected") if isinstance(value, Mapping) else None
        name = class_name(str(found) if type(found) is int else found)
        if name is not None:
            return name
    return pair.document_class


def take_inside(
    source: PairSource, expected_at: str | None, predicted_at: str | None, class_key: str | None = None
) -> PairSource:
    """Return the source with its documents taken from paths, and their class from a key, where any is given."""
    for name, path in (("expected_at", expected_at), ("predicted_at", predicted_at), ("class_key", class_key)):
        if path is not None and not steps_of(path):
            raise SettingError(
                f"Expected a path such as result.document for {name}, got {path!r}",
                facts={"setting": name, "got": path},
            )
    is_plain = expected_at is None and predicted_at is None and class_key is None
    return source if is_plain else InsidePairs(source, expected_at, predicted_at, class_key)
