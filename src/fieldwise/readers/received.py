"""Documents that come in no file: from standard input, or as Python objects. They are written to a temporary file."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fieldwise.errors import CycleError, InputError
from fieldwise.readers.envelopes import SIDE_KEYS, first_key
from fieldwise.readers.source import Pair, PairsAround, Shard, ShardAround, Unreadable
from fieldwise.readers.temporary import Scratch
from fieldwise.values import Json, cycle_path, plain, written

STANDARD_INPUT: Final = "-"
_NAME: Final = "standard input"

PairLike = tuple[str, Json, Json] | Mapping[str, Json]
"""``(id, expected, predicted)``, or a mapping with these keys, and ``alternates`` or ``metadata`` if there are any."""


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


def receive_pairs(pairs: Iterable[PairLike], scratch: Scratch) -> tuple[Path, Refused]:
    """Write pairs of Python objects to a file of lines; what no JSON can say is refused."""
    target = scratch.file("documents in memory")
    refused: dict[str, Unreadable] = {}
    with target.open("w", encoding="utf-8", errors="surrogatepass") as file:
        for number, pair in enumerate(pairs):
            envelope = _envelope(pair, number)
            file.write(_line({str(key): _written(value, refused) for key, value in envelope.items()}) + "\n")
    _stamp(target)
    return target, refused


def _written(value: Json, refused: dict[str, Unreadable]) -> Json:
    try:
        return plain(value)
    except CycleError:
        reason = f"the document contains itself - at {cycle_path(value)}"
        place = f"\0{reason}"
        refused[place] = Unreadable(reason)
        return place


@dataclass(frozen=True)
class ReceivedShard(ShardAround):
    """A part of received pairs, some of which are refused."""

    refused: Refused

    def changed(self, pair: Pair) -> Pair:
        sides = [self.refused.get(s, s) if type(s) is str else s for s in (pair.expected, pair.predicted)]
        return pair._replace(expected=sides[0], predicted=sides[1])


@dataclass(frozen=True)
class ReceivedPairs(PairsAround):
    """Received pairs, some of which are refused."""

    refused: Refused

    def around(self, shard: Shard) -> Shard:
        return ReceivedShard(shard, self.refused)

    def sample(self, count: int) -> list[Json]:
        return [d for d in self.source.sample(count) if not (type(d) is str and d in self.refused)]


def _line(envelope: Json) -> str:
    try:
        return json.dumps(envelope, ensure_ascii=True)
    except (ValueError, RecursionError):  # integers and levels beyond what the standard library writes
        return written(envelope)


def _envelope(pair: PairLike, number: int) -> Mapping[str, Json]:
    if isinstance(pair, Mapping) and any(first_key(pair, keys) for keys in SIDE_KEYS.values()):
        return pair
    if isinstance(pair, tuple | list) and len(pair) == 3:
        return dict(zip(("id", "expected", "predicted"), pair, strict=True))
    shape = f"the keys {', '.join(map(repr, pair))}" if isinstance(pair, Mapping) else f"a {type(pair).__name__}"
    raise InputError(
        f"Expected (id, expected, predicted), or a dict with these keys, got {shape} - at pairs[{number}]",
        code="input.no_pairs",
        facts={"pair": number, "got": shape},
    )


def _stamp(path: Path) -> None:
    """Make the state of a file one of its content: the same documents can be resumed, others can't."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
    stamp = int.from_bytes(digest[:7])
    os.utime(path, ns=(stamp, stamp))
