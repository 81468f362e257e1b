"""Documents that come in no file: from standard input, or as Python objects. They are written to a temporary file."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from fieldwise.errors import CycleError
from fieldwise.readers.envelopes import find_id_key
from fieldwise.readers.lines import number_id
from fieldwise.readers.memory import Envelope
from fieldwise.readers.source import MISSING, Pair, PairsAround, Shard, ShardAround, Unreadable
from fieldwise.readers.temporary import Scratch
from fieldwise.results.notes import Note
from fieldwise.values import Json, cycle_path, plain, written

STANDARD_INPUT: Final = "-"
_NAME: Final = "standard input"


def receive_input(scratch: Scratch) -> Path:
    """Write what standard input holds to a file."""
    target = scratch.file(_NAME)
    with target.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
    _stamp(target)
    return target


def is_received(path: Path) -> bool:
    """Tell whether a path is that of received documents."""
    return path.name == _NAME


Refused = Mapping[str, Unreadable]
"""Why documents cannot be written, by the text that stands in their place."""


def receive_pairs(pairs: Iterable[Envelope], scratch: Scratch) -> tuple[Path, Refused]:
    """Write pairs of Python objects to a file of lines; what no JSON can say is refused."""
    target = scratch.file("documents in memory")
    refused: dict[str, Unreadable] = {}
    with target.open("w", encoding="utf-8", errors="surrogatepass") as file:
        for number, pair in enumerate(pairs, 1):
            there = {str(key): value for key, value in pair.items() if value is not MISSING}
            envelope = {key: _written(value, refused) for key, value in there.items()}
            if find_id_key(envelope) is None:
                envelope["id"] = number_id(number)
            file.write(_line(envelope) + "\n")
    _stamp(target)
    return target, refused


def _written(value: Json, refused: dict[str, Unreadable]) -> Json:
    try:
        wrong = value if isinstance(value, Unreadable) else None
        if wrong is None:
            return plain(value)
    except CycleError:
        wrong = Unreadable(f"the document contains itself - at {cycle_path(value)}")
    place = f"\0{wrong.reason}"
    refused[place] = wrong
    return place


@dataclass(frozen=True)
class ReceivedShard(ShardAround):
    """A part of received pairs."""

    refused: Refused
    without: str | None

    def changed(self, pair: Pair) -> Pair:
        return pair._replace(expected=self._read(pair.expected), predicted=self._read(pair.predicted))

    def _read(self, document: Json) -> Json:
        return _without(self.refused.get(document, document) if type(document) is str else document, self.without)


@dataclass(frozen=True)
class ReceivedPairs(PairsAround):
    """Received pairs: some are refused, and the key by which they were matched may be left out of documents."""

    refused: Refused
    id_key: str | None = None
    drops_id: bool = False
    note: Note | None = None
    """The key by which documents were matched, where nobody named it."""

    def without_ids(self, declared: Collection[str]) -> ReceivedPairs:
        """Return the same pairs without the ids that match them, unless they are declared as values."""
        return replace(self, drops_id=self.id_key not in (None, *declared))

    @property
    def _without(self) -> str | None:
        return self.id_key if self.drops_id else None

    def around(self, shard: Shard) -> Shard:
        return ReceivedShard(shard, self.refused, self._without)

    def sample(self, count: int) -> list[Json]:
        documents = [d for d in self.source.sample(count) if not (type(d) is str and d in self.refused)]
        return [_without(document, self._without) for document in documents]


def _without(document: Json, key: str | None) -> Json:
    if key is None or type(document) is not dict:
        return document
    return {name: value for name, value in document.items() if name != key}


def _line(envelope: Json) -> str:
    try:
        return json.dumps(envelope, ensure_ascii=True)
    except (ValueError, RecursionError):  # integers and levels beyond what the standard library writes
        return written(envelope)


def _stamp(path: Path) -> None:
    """Make the state of a file one of its content: the same documents can be resumed, others can't."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
    stamp = int.from_bytes(digest[:7])
    os.utime(path, ns=(stamp, stamp))
