"""A cheap look at a source before anything is compared: the first documents of each side, and whether ids meet."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from itertools import chain, islice
from operator import or_
from typing import NamedTuple

import numpy as np

from fieldwise.readers.envelopes import SIDES, Side
from fieldwise.readers.ids import BLANK, read_runs
from fieldwise.readers.inside import InsidePairs, document_at
from fieldwise.readers.join import LinesJoin, PairLines, read_pairs_at
from fieldwise.readers.lines import LinesFile, Span, is_blank, read_span
from fieldwise.readers.sections import grouped
from fieldwise.readers.source import MISSING, FromText, Missing, Pair, PairSource, Unreadable
from fieldwise.readers.trees import TreePairs, path_id
from fieldwise.readers.trials import Smallest
from fieldwise.values import Json

PEEK = 100
"""So many documents say what kind of documents an input holds."""
_FEW = 100
_MANY = 4096
_AT_ONCE = 4000


class Strangers(NamedTuple):
    """Two sides without an id in common: an id of each, None where the side has no document, and what to call it."""

    expected: str | None
    predicted: str | None
    names: tuple[str, str]


def first_documents(source: PairSource, side: Side, count: int) -> list[Json]:
    """Return the first documents of a side that can be read, of about ``count`` pairs."""
    contents = (_plain(content) for content in islice(_contents(source, side, count), count))
    return [content for content in contents if not isinstance(content, Unreadable | Missing)]


def first_classes(source: PairSource, count: int) -> Iterator[tuple[str | None, Json]]:
    """Yield the class and the content of the expected documents, or sections, of about so many first pairs."""
    for pair in islice(_first_pairs(source, count), count):
        yield from _classed(pair)


def class_samples(source: PairSource, count: int) -> dict[str | None, list[Json]]:
    """Return of each class the expected documents, or sections, with the first ids that can be read.

    Letter case does not tell classes apart; of several spellings, the first in the order of texts is taken.
    """
    held: dict[str | None, Smallest[tuple[bytes, Json]]] = {}
    spellings: dict[str | None, str] = {}
    for shard in source.shards(_AT_ONCE):
        for pair in shard.read():
            for number, (name, content) in enumerate(_classed(pair)):
                if not isinstance(content, Unreadable | Missing):
                    key = f"{pair.id}\0{number:09d}".encode("utf-8", "backslashreplace")
                    own = None if name is None else name.casefold()
                    if name is not None:
                        spellings[own] = min(name, spellings.get(own, name))
                    first = held.setdefault(own, Smallest[tuple[bytes, Json]](count))
                    if first.may_take(key):
                        first.add([(key, content)])
    return {spellings.get(own): [content for _, content in first.rows()] for own, first in held.items()}


def _classed(pair: Pair) -> Iterator[tuple[str | None, Json]]:
    if pair.sections is None:
        yield pair.document_class, pair.expected
    else:
        yield from ((section.document_class, section.content) for section in pair.sections.expected)


def first_reason(source: PairSource, side: Side) -> str | None:
    """Return why the first document of a side that cannot be read cannot be; None where all of the first can."""
    contents = islice(_contents(source, side, _FEW), _FEW)
    return next((content.reason for content in contents if isinstance(content, Unreadable)), None)


def _plain(content: Json) -> Json:
    return content.document if isinstance(content, FromText) else content


def _contents(source: PairSource, side: Side, count: int) -> Iterator[Json | Unreadable | Missing]:
    match source:
        case InsidePairs():
            path = source.expected_at if side == "expected" else source.predicted_at
            return (document_at(content, path, side) for content in _contents(source.source, side, count))
        case TreePairs():
            return source.documents(side, source.listing.of_side(side))
        case LinesJoin():
            file = source.files[SIDES.index(side)]
            return (document[1] for document in read_span(file, _first_span(file, count), side))
        case _:
            return (getattr(pair, side) for pair in _first_pairs(source, count))


def _first_span(file: LinesFile, count: int) -> Span:
    run = next(read_runs(file, count), None)
    return Span(file.start, file.start, 1) if run is None else Span(run.start, run.end, run.number)


def _first_pairs(source: PairSource, count: int) -> Iterator[Pair]:
    if isinstance(source, PairLines):
        runs = islice(read_runs(source.file, count), 1)
        return read_pairs_at(source.file, [span for run in runs for span in run.spans()])
    return chain.from_iterable(shard.read() for shard in source.shards(count))


def find_strangers(source: PairSource) -> Strangers | None:
    """Return ids of both sides where no document is there on both sides; None where one is."""
    match source:
        case InsidePairs():
            return find_strangers(source.source)
        case TreePairs():
            return _strange_trees(source)
        case LinesJoin():
            return _strange_lines(source)
        case _:
            return _strange_pairs(source)


def _strange_trees(source: TreePairs) -> Strangers | None:
    if 3 in source.listing.sides or _share_documents(source):
        return None
    first = [next(map(path_id, source.listing.of_side(side)), None) for side in SIDES]
    names = [f"{tree.name}/" if tree.kind == "folder" else tree.name for tree in (source.expected, source.predicted)]
    return Strangers(first[0], first[1], (names[0], names[1]))


def _share_documents(source: TreePairs) -> bool:
    """Tell whether both sides have sections of one document, be they others."""
    if not source.has_sections:
        return False
    files = zip(source.listing.names, source.listing.sides, strict=True)
    held = (sides for document, sides in grouped(files) if document is not None)
    return any(reduce(or_, (side for _, side in sides)) == 3 for sides in held)


def _strange_lines(source: LinesJoin) -> Strangers | None:
    left, right = source.files
    if is_blank(left) or is_blank(right):
        return _strangers(left, right)
    if left.layout.id_key is None or _meet(left, right):
        return None
    return _strangers(left, right)


def _meet(left: LinesFile, right: LinesFile) -> bool:
    """Tell whether two files have an id in common; most have one among their first lines."""
    few = [set(next(read_runs(file, _MANY)).ids) - {BLANK} for file in (left, right)]
    if not few[0].isdisjoint(few[1]):
        return True
    hashes = [
        np.fromiter((hash(i) for run in read_runs(file, _MANY) for i in run.ids if i), np.int64)
        for file in (left, right)
    ]
    return bool(np.isin(hashes[0], hashes[1]).any())


def _strangers(left: LinesFile, right: LinesFile) -> Strangers:
    ids = [next((i.decode() for run in read_runs(file, _FEW) for i in run.ids if i), None) for file in (left, right)]
    return Strangers(ids[0], ids[1], (left.name, right.name))


def _strange_pairs(source: PairSource) -> Strangers | None:
    expected = predicted = None
    pairs = chain(_first_pairs(source, _FEW), (pair for shard in source.shards(_MANY) for pair in shard.read()))
    for pair in pairs:
        if pair.expected is not MISSING and pair.predicted is not MISSING:
            return None
        expected = expected or (pair.id if pair.expected is not MISSING else None)
        predicted = predicted or (pair.id if pair.predicted is not MISSING else None)
    return Strangers(expected, predicted, (source.describe(), source.describe()))
