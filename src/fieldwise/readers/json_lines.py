"""Pairs from one file of lines, each with both documents: ``{"id": …, "expected": …, "predicted": …}``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import BinaryIO, Literal, NamedTuple

import orjson

from fieldwise.readers.blocks import Line, joined, read_line, split_lines
from fieldwise.readers.envelopes import one_form
from fieldwise.readers.ids import Scan, read_runs, scan_ids, smallest_ids
from fieldwise.readers.lines import LinesFile, Span, read_pair
from fieldwise.readers.source import Missing, Origin, Pair, ReadRules, Shard, Unreadable
from fieldwise.readers.trials import batches, by_id, number_trials, whole_documents
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
    quick = all(len(opening) == 1 for opening in file.layout.openings) and file.is_quick(block)
    return _read_quickly(file, lines) if quick else _read_each(file, lines)


def _read_quickly(file: LinesFile, lines: NumberedLines) -> Iterator[Pair]:
    """Read lines about as fast as they can be parsed; a line that is unusual is read with care."""
    id_key, ((expected_key,), (predicted_key,)) = file.layout.id_key, file.layout.openings
    loads, make = orjson.loads, tuple.__new__
    for at, line in lines:
        pair = None
        try:
            value = loads(line)  # type: ignore[arg-type]  # a quick block has no other lines
            found, expected, predicted = value[id_key], value[expected_key], value[predicted_key]
            if found and type(found) is str and len(value) == 3 and type(expected) is dict is type(predicted):
                found = found if found.isascii() else one_form(found)
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
