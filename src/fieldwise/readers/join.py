"""Pairs from two files of lines, matched by id, or by line where the lines have no ids.

Files with the same ids in the same order are read side by side. Where the order differs or ids repeat, an index on
disk finds the partners: documents come in the order of the expected file, then those that were only predicted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import BinaryIO, Literal

from fieldwise.readers.blocks import Line, read_line
from fieldwise.readers.envelopes import Document, make_pair, merged_metadata
from fieldwise.readers.ids import Place, Row, Run, SeenIds, matched_rows, read_runs, smallest_ids
from fieldwise.readers.lines import LineDocument, LinesFile, Span, number_id, read_lines, read_side, read_span
from fieldwise.readers.source import MISSING, Missing, Origin, Pair, ReadRules, Shard, Unreadable
from fieldwise.readers.trials import batches, have_trials, number_trials, whole_documents
from fieldwise.values import Json

Files = tuple[LinesFile, LinesFile]
_NOTHING: LineDocument = ("", MISSING, False, None, None, None)


@dataclass(frozen=True)
class SideBySide:
    """Lines of two files that have the same ids in the same order, none of them twice."""

    index: int
    files: Files
    spans: tuple[Span, Span]

    @property
    def size(self) -> int:
        return sum(span.end - span.start for span in self.spans)

    def read(self) -> Iterator[Pair]:
        left = read_span(self.files[0], self.spans[0], "expected")
        right = read_span(self.files[1], self.spans[1], "predicted")
        make = tuple.__new__
        lines = zip(left, right, strict=True)
        for left_line, right_line in lines:
            name, expected, rich, alternates, first, about = left_line
            _, predicted, also, _, second, other = right_line
            if expected is MISSING and predicted is MISSING:
                continue
            if about is not None or other is not None:
                yield _pair(name, left_line, right_line)
                continue
            metadata = merged_metadata(first, second) if first or second else None
            yield make(Pair, (name, expected, predicted, rich or also, alternates, metadata, 1, 1, None, None, None))


@dataclass(frozen=True)
class ByLine:
    """Lines of two files with the same numbers; where one file ends there may be more of the other."""

    index: int
    files: Files
    spans: tuple[Span | None, Span | None]

    @property
    def size(self) -> int:
        return sum(span.end - span.start for span in self.spans if span)

    def read(self) -> Iterator[Pair]:
        left = read_span(self.files[0], self.spans[0], "expected") if self.spans[0] else ()
        right = read_span(self.files[1], self.spans[1], "predicted") if self.spans[1] else ()
        number = next(span.number for span in self.spans if span)
        for at, (expected, predicted) in enumerate(zip_longest(left, right, fillvalue=_NOTHING), number):
            if expected[1] is not MISSING or predicted[1] is not MISSING:
                yield _pair(number_id(at), expected, predicted)


@dataclass(frozen=True)
class Matched:
    """Lines with the same ids, wherever in their files they are; rows with the same id are trials of a document."""

    index: int
    files: Files
    rows: Sequence[Row]

    @property
    def size(self) -> int:
        return sum(map(_size, self.rows))

    def read(self) -> Iterator[Pair]:
        return number_trials(self._pairs()) if have_trials(self.rows) else self._pairs()

    def _pairs(self) -> Iterator[Pair]:
        # Predicted lines may lie anywhere, where a buffer would be filled in vain.
        with open(self.files[0].path, "rb") as left, open(self.files[1].path, "rb", buffering=0) as right:
            for rows in batches(self.rows, _size):
                expected = _lines_at(left, [row.expected for row in rows], self.files[0])
                predicted = _lines_at(right, [row.predicted for row in rows], self.files[1])
                yield from map(
                    _pair,
                    (row.id for row in rows),
                    read_lines(self.files[0], expected, "expected"),
                    read_lines(self.files[1], predicted, "predicted"),
                )


def _size(row: Row) -> int:
    return sum(place[2] for place in row[1:] if place)


def _lines_at(file: BinaryIO, places: Sequence[Place | None], held: LinesFile) -> tuple[list[Line], list[int]]:
    """Return lines and their numbers; the line of no place is empty."""
    lines: list[Line] = []
    at = -1
    for _, start, size in filter(None, places):
        if start != at:
            file.seek(start)
        lines.append(read_line(file, start, size, held.rules.limits.max_bytes))
        at = start + size
    line = iter(lines)
    return [next(line) if place else b"" for place in places], [place[0] if place else 0 for place in places]


def _pair(name: str, expected: LineDocument, predicted: LineDocument) -> Pair:
    return make_pair(name, Document(*expected[1:]), Document(*predicted[1:]))


@dataclass(frozen=True)
class LinesJoin:
    """Two files of lines; either both have ids or neither has."""

    files: Files
    origin: Origin
    unit: Literal["documents", "bytes"] = "bytes"

    @property
    def rules(self) -> ReadRules:
        return self.files[0].rules

    @property
    def total(self) -> int:
        return sum(file.end - file.start for file in self.files)

    def shards(self, documents: int) -> Iterator[Shard]:
        if not self._has_ids():
            return self._by_line(documents)
        spans = self._same_order(documents)
        return self._side_by_side(spans) if spans is not None else self._matched(documents)

    def without_ids(self, declared: Collection[str]) -> LinesJoin:
        """Return the same pairs without the ids that match them, unless they are declared as values."""
        left, right = (replace(file, drops_id=file.layout.id_key not in (None, *declared)) for file in self.files)
        return replace(self, files=(left, right))

    def _has_ids(self) -> bool:
        return self.files[0].layout.id_key is not None

    def _by_line(self, documents: int) -> Iterator[Shard]:
        runs = zip_longest(*(read_runs(file, documents) for file in self.files))
        for index, (left, right) in enumerate(runs):
            yield ByLine(index, self.files, (left and _span(left), right and _span(right)))

    def _same_order(self, documents: int) -> list[tuple[Span, Span]] | None:
        """Return the spans of lines with the same ids, or None where the ids or their order differ, or one repeats."""
        spans, seen = list[tuple[Span, Span]](), SeenIds()
        for left, right in zip_longest(*(read_runs(file, documents) for file in self.files)):
            if left is None or right is None or left.ids != right.ids:
                return None
            spans.append((_span(left), _span(right)))
            seen.add(left.ids)
        return None if seen.any_repeated() else spans

    def _side_by_side(self, spans: list[tuple[Span, Span]]) -> Iterator[Shard]:
        for index, both in enumerate(spans):
            yield SideBySide(index, self.files, both)

    def _matched(self, documents: int) -> Iterator[Shard]:
        for index, rows in enumerate(whole_documents(matched_rows(*self.files), documents)):
            yield Matched(index, self.files, rows)

    def sample(self, count: int) -> list[Json]:
        documents = []
        with open(self.files[0].path, "rb") as lines:
            for _, number, start, size in smallest_ids(self.files[0], count):
                line, _ = _lines_at(lines, [(number, start, size)], self.files[0])
                documents.append(read_side(self.files[0], line[0], number, "expected")[1].content)
        return [document for document in documents if not isinstance(document, Unreadable | Missing)]

    def describe(self) -> str:
        return f"{self.origin.describe()}, matched by {'id' if self._has_ids() else 'line'}"

    def fingerprint(self) -> str:
        return self.origin.fingerprint()


def _span(run: Run) -> Span:
    return Span(run.start, run.end, run.number)
