"""Documents in sections: ``<document>/sections/<n>/result.json``, one file for each part with a class of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from fieldwise.readers.envelopes import Document, merged_metadata, section_of
from fieldwise.readers.source import MISSING, Missing, Pair, Section, Sections, Unreadable
from fieldwise.values import Json

SECTIONS: Final = "sections"
_FILE: Final = "result.json"
_ROOT: Final = "document"
"""The id of a document whose sections are in the root of an input."""
_ADDED: Final = ("pages", "latency_ms")
Named = tuple[str, int]
"""The path of a file, and the sides that have it."""


class SectionPath(NamedTuple):
    """The document and the section that a file is of."""

    document: str
    section: str


def section_path(path: str) -> SectionPath | None:
    """Return of what section a file is; None where it is a document by itself.

    >>> section_path("a/loan.pdf/sections/2/result.json")
    SectionPath(document='a/loan.pdf', section='2')
    >>> section_path("a/sections/result.json")
    """
    if not path.endswith(_FILE):
        return None
    parts = path.rsplit("/", 4 - 1)
    if len(parts) < 4:
        parts = ["", *path.split("/")]
    if len(parts) != 4 or parts[1] != SECTIONS or parts[3] != _FILE:
        return None
    return SectionPath(parts[0] or _ROOT, parts[2])


def grouped(files: Iterable[Named]) -> Iterator[tuple[str | None, list[Named]]]:
    """Yield files that follow each other: the sections of one document under its name, any other file under None."""
    for document, held in groupby(files, lambda file: _document_of(file[0])):
        if document is not None:
            yield document, list(held)
        else:
            yield from ((None, [file]) for file in held)


def _document_of(path: str) -> str | None:
    found = section_path(path)
    return None if found is None else found.document


def documents_with_sections(names: Iterable[str]) -> set[str]:
    """Return the documents that are in sections."""
    return {found.document for found in map(section_path, names) if found is not None}


def is_beside_sections(path: str, documents: set[str]) -> bool:
    """Tell whether a file is in the folder of a document in sections, and is none of these: a page, a result."""
    if section_path(path) is not None:
        return False
    parts = path.split("/")
    return any("/".join(parts[:at]) in documents for at in range(1, len(parts)))


def is_in_sections(path: str, documents: set[str]) -> bool:
    """Tell whether a file is in the folder in which the sections of a document are."""
    parts = path.split("/")
    return any(part == SECTIONS and "/".join(parts[:at]) in documents for at, part in enumerate(parts[:-1]))


def natural(name: str) -> tuple[int, str]:
    """Return by what section ids are sorted: 2 is before 10."""
    return (len(name) if name.isascii() and name.isdecimal() else 1 << 30), name


def sectioned_pair(
    name: str, files: Sequence[Named], read: Callable[[str, int], Document], sides: tuple[int, int]
) -> Pair:
    """Return a document of which ``files`` are the sections; ``read`` returns one, given its path and its side."""
    expected, predicted = (_read_side(files, read, side) for side in sides)
    metadata = merged_metadata(_metadata(expected.values()), _metadata(predicted.values()))
    sections = Sections(_sections(expected), _sections(predicted))
    whole = tuple(_whole(side) for side in sections)
    return Pair(name, whole[0], whole[1], True, None, metadata, sections=sections)


def _read_side(files: Sequence[Named], read: Callable[[str, int], Document], side: int) -> dict[str, Document]:
    held: dict[str, Document] = {}
    for path, sides in files:
        found = section_path(path)
        if found is not None and sides & side:
            held[found.section] = read(path, side)
    return {name: held[name] for name in sorted(held, key=natural)}


def _sections(documents: Mapping[str, Document]) -> tuple[Section, ...]:
    return tuple(section_of(name, document) for name, document in documents.items())


def _whole(sections: Sequence[Section]) -> Json | Unreadable | Missing:
    """Return what stands for a document as such: its first section that can be read, or why the first cannot be."""
    for section in sections:
        if not isinstance(section.content, Unreadable):
            return section.content
    unread = [s.content._replace(reason=f"section {s.id}: {s.content.reason}") for s in sections[:1]]
    return unread[0] if unread else MISSING


def _metadata(documents: Iterable[Document]) -> Mapping[str, Json] | None:
    """Return the metadata of all sections together: pages, latencies and metering are added, of all else the last."""
    merged: dict[str, Json] = {}
    for document in documents:
        for key, value in (document.metadata or {}).items():
            before = merged.get(key)
            if key in _ADDED and _is_number(value) and _is_number(before):
                merged[key] = before + value
            elif key == "metering" and isinstance(value, dict) and isinstance(before, dict):
                merged[key] = _added(before, value)
            else:
                merged[key] = value
    return merged or None


def _added(before: Mapping[str, Json], more: Mapping[str, Json]) -> dict[str, Json]:
    """Return the units of all services; quantities of the same unit are added."""
    total: dict[str, Json] = dict(before)
    for service, units in more.items():
        held = total.get(service)
        if not (isinstance(units, dict) and isinstance(held, dict)):
            total[service] = units
            continue
        total[service] = dict(held)
        for unit, value in units.items():
            known = held.get(unit)
            total[service][unit] = known + value if _is_number(known) and _is_number(value) else value
    return total


def _is_number(value: Json) -> bool:
    return type(value) in (int, float)
