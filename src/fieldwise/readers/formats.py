"""Which form an input has, judged by what the path is, its suffix, and for JSON by how it begins."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, Literal

from fieldwise.errors import InputError, cannot_read, closest, nearest
from fieldwise.readers.files import refuse_special
from fieldwise.readers.received import is_received
from fieldwise.readers.unpack import holds_lines, holds_list

Form = Literal["folder", "zip", "JSON Lines", "gzip", "list", "JSON", "CSV", "Parquet"]

_FORMS: Final[dict[str, Form]] = {
    ".zip": "zip",
    ".jsonl": "JSON Lines",
    ".ndjson": "JSON Lines",
    ".gz": "gzip",
    ".json": "JSON",
    ".csv": "CSV",
    ".tsv": "CSV",
    ".parquet": "Parquet",
    ".pq": "Parquet",
}
LINES: Final[frozenset[Form]] = frozenset({"JSON Lines", "gzip", "list", "Parquet", "CSV"})
TREES: Final[frozenset[Form]] = frozenset({"folder", "zip"})


def find_form(path: Path) -> Form:
    """Return the form of an input that exists."""
    if is_received(path):
        return _json_form(path)
    if path.is_dir():
        return "Parquet" if _has_parquet(path) else "folder"
    form = _FORMS.get(path.suffix.lower())
    if form is None or (form == "gzip" and Path(path.stem).suffix.lower() not in (".jsonl", ".ndjson")):
        known = "a folder, .json, .jsonl, .ndjson, .jsonl.gz, .csv, .tsv, .zip or .parquet"
        raise InputError(
            f"{path} has the suffix {path.suffix!r}; expected {known}",
            code="input.wrong_format",
            facts={"file": path, "got": path.suffix},
        )
    return _json_form(path) if form == "JSON" else form


def _has_parquet(path: Path) -> bool:
    try:
        return bool(parquet_files(path))
    except OSError as error:
        raise cannot_read(path, error, verb="list") from error


def _json_form(path: Path) -> Form:
    if holds_list(path):
        return "list"
    return "JSON Lines" if holds_lines(path) else "JSON"


def parquet_files(path: Path) -> list[Path]:
    """Return the Parquet files of a folder that has no JSON files, or the file itself."""
    if not path.is_dir():
        return [path]
    found = []
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.name.lower().endswith(".json"):
                return []
            if entry.name.lower().endswith(".parquet") and not entry.name.startswith((".", "_")):
                found.append(path / entry.name)
    return sorted(found)


def existing(path: str | Path) -> Path:
    """Return a path that exists; one that does not is an error that names the nearest sibling."""
    found = Path(path)
    try:
        if found.exists():
            refuse_special(found)
            return found
        siblings = [sibling.name for sibling in found.parent.iterdir()] if found.parent.is_dir() else []
    except OSError as error:
        raise cannot_read(path, error) from error
    raise InputError(
        f"There is no {path}{nearest(found.name, siblings)}",
        code="input.not_found",
        facts={"file": path, "nearest": closest(found.name, siblings)},
    )
