"""Documents that come in no file: from standard input, or as Python objects. They are written to a temporary file."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from fieldwise.errors import InputError
from fieldwise.readers.envelopes import SIDE_KEYS, first_key
from fieldwise.readers.scratch import Scratch
from fieldwise.values import Json, plain, written

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


def receive_pairs(pairs: Iterable[PairLike], scratch: Scratch) -> Path:
    """Write pairs of Python objects to a file of lines."""
    target = scratch.file("documents in memory")
    with target.open("w", encoding="utf-8", errors="surrogatepass") as file:
        for number, pair in enumerate(pairs):
            file.write(_line(plain(_envelope(pair, number))) + "\n")
    _stamp(target)
    return target


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
    raise InputError(f"Expected (id, expected, predicted), or a dict with these keys, got {shape} - at pairs[{number}]")


def _stamp(path: Path) -> None:
    """Make the state of a file one of its content: the same documents can be resumed, others can't."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").digest()
    stamp = int.from_bytes(digest[:7])
    os.utime(path, ns=(stamp, stamp))
