"""Pairs from files of lines: one whose lines have both documents, or two, matched by id, or by line without ids.

Files with the same ids in the same order are read side by side. Where the order differs or ids repeat, an index on
disk finds the partners: documents come in the order of the expected file, then those that were only predicted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, zip_longest
from typing import BinaryIO, Literal, NamedTuple

import orjson

from fieldwise.readers.blocks import Line, joined, read_line, split_lines
from fieldwise.readers.envelopes import Document, make_pair, merged_metadata, one_form
from fieldwise.readers.ids import Place, Row, Run, Scan, SeenIds, matched_rows, read_runs, scan_ids, smallest_ids
from fieldwise.readers.lines import (
    LineDocument,
    LinesFile,
    Span,
    number_id,
    read_lines,
    read_pair,
    read_side,
    read_span,
)
from fieldwise.readers.source import MISSING, Missing, Origin, Pair, ReadRules, Shard, Unreadable
from fieldwise.readers.trials import batches, by_id, have_trials, number_trials, whole_documents
from fieldwise.spec.inference import SAMPLE_SIZE
from fieldwise.values import Json

_STEP = 1000
"""Lines between two places that one pass over a file remembers."""


NumberedLines = Iterable[tuple[int, Line]]


@dataclass(frozen=True)
class PairLinesShard:
    """Lines that follow each other, each with both documents of an id of its own."""

    index: int
    file: LinesFile
    span: Span

    @property
    def size(self) -> int:
        return self.span.end - self.span.start

    def read(self) -> Iterator[Pair]:
        return chain.from_iterable(self._blocks())

    def _blocks(self) -> Iterator[Iterator[Pair]]:
        number = self.span.number
        for block in self.file.blocks(self.span.start, self.span.end):
            lines = split_lines(block)
            yield _read_block(self.file, block, enumerate(lines, number))
            number += len(lines)


class LineAt(NamedTuple):
    """A line with an id, its number, where it begins and how long it is."""

    id: bytes
    number: int
    start: int
    size: int


@dataclass(frozen=True)
class TrialLinesShard:
    """Lines with both documents, wherever in the file they are; those with the same id are trials of a document."""

    index: int
    file: LinesFile
    lines: Sequence[LineAt]

    @property
    def size(self) -> int:
        return sum(line.size for line in self.lines)

    def read(self) -> Iterator[Pair]:
        return number_trials(chain.from_iterable(self._batches()))

    def _batches(self) -> Iterator[Iterator[Pair]]:
        return _read_batches(self.file, self.lines)


def _read_batches(held: LinesFile, lines: Iterable[LineAt]) -> Iterator[Iterator[Pair]]:
    """Yield the pairs of lines wherever they are, in batches of some megabytes."""
    with open(held.path, "rb") as file:
        for batch in batches(lines, lambda line: line.size):
            read = [_line_at(file, line, held) for line in batch]
            yield _read_block(held, joined(read), zip([line.number for line in batch], read, strict=True))


def _line_at(file: BinaryIO, line: LineAt, held: LinesFile) -> Line:
    if file.tell() != line.start:
        file.seek(line.start)
    return read_line(file, line.start, line.size, held.rules.limits.max_bytes)


def _read_block(file: LinesFile, block: Line, lines: NumberedLines) -> Iterator[Pair]:
    if isinstance(block, bytes) and all(len(opening) == 1 for opening in file.layout.openings) and file.is_quick(block):
        return _read_quickly(file, lines, is_ascii=block.isascii())
    return _read_each(file, lines)


def _read_quickly(file: LinesFile, lines: NumberedLines, *, is_ascii: bool) -> Iterator[Pair]:
    """Read lines about as fast as they can be parsed; a line that is unusual is read with care."""
    id_key, ((expected_key,), (predicted_key,)) = file.layout.id_key, file.layout.openings
    loads, make = orjson.loads, tuple.__new__
    for at, line in lines:
        pair = None
        try:
            value = loads(line)  # type: ignore[arg-type]  # a quick block has no other lines
            found, expected, predicted = value[id_key], value[expected_key], value[predicted_key]
            if found and type(found) is str and len(value) == 3 and type(expected) is dict is type(predicted):
                found = found if is_ascii else one_form(found)
                pair = make(Pair, (found, expected, predicted, False, None, None, 1, 1, None, None, None))
        except (ValueError, KeyError, TypeError):
            pass  # reading it with care says what it is
        if pair is not None:
            yield pair
        else:
            yield from _read_each(file, [(at, line)])


def _read_each(file: LinesFile, lines: NumberedLines) -> Iterator[Pair]:
    for at, line in lines:
        pair = read_pair(file, line, at)
        if pair is not None:
            yield pair


@dataclass(frozen=True)
class PairLines:
    """A file of lines with both documents."""

    file: LinesFile
    origin: Origin
    unit: Literal["documents", "bytes"] = "bytes"

    @property
    def rules(self) -> ReadRules:
        return self.file.rules

    @property
    def total(self) -> int:
        return self.file.end - self.file.start

    def shards(self, documents: int) -> Iterator[Shard]:
        scan = self._scan if documents % _STEP == 0 else scan_ids(self.file, 0, documents)
        if scan.seen.any_repeated():
            yield from self._trials(documents)
            return
        marks = scan.marks[:: max(documents // _STEP, 1)] if scan is self._scan else scan.marks
        ends = [start for start, _ in marks[1:]] + [scan.end]
        for index, ((start, number), end) in enumerate(zip(marks, ends, strict=True)):
            yield PairLinesShard(index, self.file, Span(start, end, number))

    @cached_property
    def _scan(self) -> Scan:
        """What the sample and the shards need, read once."""
        return scan_ids(self.file, SAMPLE_SIZE, _STEP)

    def _trials(self, documents: int) -> Iterator[Shard]:
        spans = (span for run in read_runs(self.file, 4096) for span in run.spans())
        rows = (LineAt(*row) for row in by_id(spans))
        for index, lines in enumerate(whole_documents(rows, documents)):
            yield TrialLinesShard(index, self.file, lines)

    def sample(self, count: int) -> list[Json]:
        first = self._scan.smallest[:count] if count <= SAMPLE_SIZE else smallest_ids(self.file, count)
        pairs = list(read_pairs_at(self.file, first))
        known = {pair.id: pair.expected for pair in pairs if not isinstance(pair.expected, Unreadable | Missing)}
        for pair in self._other_trials({pair.id for pair in pairs} - known.keys()):
            if not isinstance(pair.expected, Unreadable | Missing):
                known.setdefault(pair.id, pair.expected)
        return [known[name] for name in sorted(known)]

    def _other_trials(self, ids: set[str]) -> Iterator[Pair]:
        """Yield the pairs of ids whose first line has no expected document."""
        wanted = {name.encode() for name in ids}
        spans = (span for run in read_runs(self.file, 4096) for span in run.spans() if span[0] in wanted)
        return read_pairs_at(self.file, spans if wanted else ())

    def describe(self) -> str:
        keys = " and ".join(opening[0] for opening in self.file.layout.openings if opening)
        return f"{self.origin.describe()} of pairs ({keys})"

    def fingerprint(self) -> str:
        return self.origin.fingerprint()


def read_pairs_at(file: LinesFile, spans: Iterable[tuple[bytes, int, int, int]]) -> Iterator[Pair]:
    """Yield the pairs of single lines."""
    return chain.from_iterable(_read_batches(file, (LineAt(*span) for span in spans)))


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
