"""Folders of results, looked at as files and as rows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from fieldwise import open_run
from fieldwise.tables.manifest import MANIFEST, Manifest, StoredFile
from fieldwise.tables.verdict_columns import ERRORS

_ATTEMPT = re.compile(r"-[0-9a-f]{8}\.parquet$")


def files_of(folder: Path) -> dict[str, bytes]:
    """Return everything that a folder and those inside it hold, by path.

    Tables are called as if they were of one attempt, and the manifest, which names the attempts, is left out.
    """
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST]
    found = {_ATTEMPT.sub(".parquet", str(path.relative_to(folder))): path.read_bytes() for path in files}
    assert len(found) == len(files)
    return found


def part_of(folder: Path, name: str, number: int = 0) -> Path:
    """Return the file of a table of a run that one of its shards wrote."""
    return sorted((folder / name).glob("*.parquet"))[number]


def sealed(folder: Path) -> None:
    """Write the manifest of a run anew, as whoever wrote its files as they are now would have."""
    manifest = Manifest.read(folder / MANIFEST)
    files = {name: StoredFile.of(name, (folder / name).read_bytes()) for name in manifest.files}
    (folder / MANIFEST).write_text(json.dumps(manifest._replace(files=files).to_json()), encoding="utf-8")


def stored_rows(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table of a run from all of its parts: documents, verdicts, errors or counts."""
    if name == "documents":
        return pq.read_table(folder / name).to_pylist()
    run = open_run(folder)
    if name == "verdicts":
        return run.verdicts().to_arrow().to_pylist()
    rows: list[dict[str, Any]] = []
    for field in run.fields():
        found = run.counts(field) if name == "counts" else run.errors(field, outcome=None, columns=ERRORS.names)
        rows += [{"field": field, **row} for row in found.to_pylist()]
    return rows
