"""Inputs of every form, written from the same pairs."""

from __future__ import annotations

import json
import pickle
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fieldwise.readers.pairs import open_pairs

Documents = Mapping[str, Any]


def write_folder(path: Path, documents: Documents) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, document in documents.items():
        target = path / f"{name}.json"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
    return path


def write_lines(path: Path, lines: Iterable[Any]) -> Path:
    path.write_bytes(b"".join((x if isinstance(x, bytes) else json.dumps(x).encode()) + b"\n" for x in lines))
    return path


def write_zip(path: Path, members: Mapping[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, document in members.items():
            archive.writestr(name, document if isinstance(document, bytes) else json.dumps(document))
    return path


def read_all(*paths: Path, documents: int = 3, strict: bool = False, **options: Any) -> list[Any]:
    """Read all pairs of an input, through shards that have been pickled."""
    source = open_pairs(*paths, strict_json=strict, **options)
    shards = [pickle.loads(pickle.dumps(shard)) for shard in source.shards(documents)]
    assert [shard.index for shard in shards] == list(range(len(shards)))
    return [pair for shard in shards for pair in shard.read()]
