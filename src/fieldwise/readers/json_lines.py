"""Pairs from one file of lines, each with both documents: ``{"id": …, "expected": …, "predicted": …}``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Literal

import orjson

from fieldwise.readers.blocks import is_plain, read_blocks, split_lines
from fieldwise.readers.envelopes import INNER
from fieldwise.readers.line_documents import Span
from fieldwise.readers.line_ids import SeenIds, read_runs, rename_repeated, renamed_by_span, smallest_ids
from fieldwise.readers.lines import LinesFile, read_pair
from fieldwise.readers.scratch import Origin
from fieldwise.readers.source import Missing, Pair, Unreadable
from fieldwise.values import Json


@dataclass(frozen=True)
class PairLinesShard:
    """Lines with both documents. ``renamed`` has new ids for lines, by their number."""

    index: int
    file: LinesFile
    span: Span
    renamed: Mapping[int, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return self.span.end - self.span.start

    def read(self) -> Iterator[Pair]:
        return chain.from_iterable(self._blocks())

    def _blocks(self) -> Iterator[Iterator[Pair]]:
        layout, number = self.file.layout, self.span.number
        careful = self.file.strict or self.renamed or not (layout.id_key and layout.expected and layout.predicted)
        for block in read_blocks(self.file.path, self.span.start, self.span.end):
            lines = split_lines(block)
            quick = not careful and is_plain(block)
            yield self._read_quickly(lines, number) if quick else self._read_each(lines, number)
            number += len(lines)

    def _read_quickly(self, lines: list[bytes], number: int) -> Iterator[Pair]:
        """Read lines about as fast as they can be parsed; a line that is unusual is read with care."""
        layout = self.file.layout
        id_key, expected_key, predicted_key = layout.id_key, layout.expected, layout.predicted
        loads, make, inner = orjson.loads, tuple.__new__, INNER
        for at, line in enumerate(lines, number):
            pair = None
            try:
                value = loads(line)
                found, expected, predicted = value[id_key], value[expected_key], value[predicted_key]
                if (
                    found
                    and type(found) is str
                    and len(value) == 3
                    and inner not in expected
                    and inner not in predicted
                ):
                    pair = make(Pair, (found, expected, predicted, False, None, None))
            except (ValueError, KeyError, TypeError):
                pass  # reading it with care says what it is
            if pair is not None:
                yield pair
            else:
                yield from self._read_each([line], at)

    def _read_each(self, lines: list[bytes], number: int) -> Iterator[Pair]:
        for at, line in enumerate(lines, number):
            pair = read_pair(self.file, line, at)
            if pair is not None:
                yield pair._replace(id=self.renamed[at]) if at in self.renamed else pair


@dataclass(frozen=True)
class PairLines:
    """A file of lines with both documents."""

    file: LinesFile
    origin: Origin
    unit: Literal["documents", "bytes"] = "bytes"

    @property
    def total(self) -> int:
        return self.file.end - self.file.start

    def shards(self, documents: int) -> Iterator[PairLinesShard]:
        seen, spans = SeenIds(), list[Span]()
        for run in read_runs(self.file, documents):
            spans.append(Span(run.start, run.end, run.number))
            seen.add(run.ids)
        renamed = renamed_by_span(rename_repeated(self.file, seen), [span.number for span in spans])
        for index, span in enumerate(spans):
            yield PairLinesShard(index, self.file, span, renamed[index])

    def sample(self, count: int) -> list[Json]:
        pairs = read_pairs_at(self.file, smallest_ids(self.file, count))
        return [pair.expected for pair in pairs if not isinstance(pair.expected, Unreadable | Missing)]

    def describe(self) -> str:
        keys = " and ".join(key for key in (self.file.layout.expected, self.file.layout.predicted) if key)
        return f"{self.origin.describe()} of pairs ({keys})"

    def fingerprint(self) -> str:
        return self.origin.fingerprint()


def read_pairs_at(file: LinesFile, spans: list[tuple[bytes, int, int, int]]) -> Iterator[Pair]:
    """Yield the pairs of single lines."""
    with open(file.path, "rb") as lines:
        for _, number, start, size in spans:
            lines.seek(start)
            pair = read_pair(file, lines.read(size), number)
            if pair is not None:
                yield pair
