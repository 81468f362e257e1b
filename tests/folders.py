"""Folders of results, looked at as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq


def files_of(folder: Path) -> dict[str, bytes]:
    """Return everything that a folder and those inside it hold, by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def stored_rows(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table of a run: its one file, or for verdicts all of its parts."""
    return pq.read_table(folder / ("verdicts" if name == "verdicts" else f"{name}.parquet")).to_pylist()
