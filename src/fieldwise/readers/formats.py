"""Which form an input has, judged by what the path is, its suffix, and for JSON by how it begins.

Compressed files, and JSON files that hold a list, become files of lines before they are read.
"""

from __future__ import annotations

import codecs
import gzip
import os
import zlib
from pathlib import Path
from typing import BinaryIO, Final, Literal

import numpy as np

from fieldwise.errors import InputError, cannot_read, closest, nearest
from fieldwise.limits import FREE_UNPACKED, MAX_EXPANSION, ReadLimits
from fieldwise.readers.files import refuse_special
from fieldwise.readers.json_text import BracketScan, Marks, quick_value
from fieldwise.readers.received import is_received
from fieldwise.text import size_text

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
SUFFIXES: Final = frozenset(_FORMS)
LINES: Final[frozenset[Form]] = frozenset({"JSON Lines", "gzip", "list", "Parquet", "CSV"})
TREES: Final[frozenset[Form]] = frozenset({"folder", "zip"})

_HEAD = 1 << 16
_BLOCK = 1 << 18
_STEP = 1 << 20
_COMMA = ord(",")
_AFTER, _UNCLOSED = "text after the list", "the list is not closed"
_CONTROL = 1
"""A sign that no string may hold, in place of a newline, which none may hold either."""


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
        f"There is no file or folder {path}{nearest(found.name, siblings)}",
        code="input.not_found",
        facts={"file": path, "nearest": closest(found.name, siblings)},
    )


def unpack_gzip(path: Path, target: Path, limits: ReadLimits) -> None:
    """Write what a gzip file holds."""
    total = 0
    try:
        packed_size = path.stat().st_size
        with gzip.open(path, "rb") as packed, target.open("wb") as file:
            while block := packed.read(_STEP):
                total += len(block)
                check_unpacked(path, total, packed_size, limits)
                file.write(block)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(
            f"{path} cannot be unpacked: {error}", code="input.wrong_format", facts={"file": path, "expected": "gzip"}
        ) from error


def check_unpacked(path: Path, size: int, packed_size: int, limits: ReadLimits) -> None:
    """Refuse an archive that unpacks to more than is allowed, or that is larger by more than documents can be."""
    if size > limits.max_unpacked:
        raise InputError(
            f"{path} unpacks to more than the {size_text(limits.max_unpacked)} that max_unpacked allows",
            code="input.unpacked_limit",
            facts={"file": path, "limit": "max_unpacked", "expected": limits.max_unpacked},
            advice="if it is what you expect, allow more",
        )
    if size > FREE_UNPACKED and size > MAX_EXPANSION * packed_size:
        raise InputError(
            f"{path} unpacks to more than {MAX_EXPANSION} times its size, which documents hardly do; "
            "if it is what you expect, unpack it and give what it holds",
            code="input.unpacks_too_much",
            facts={"file": path, "times": MAX_EXPANSION},
        )


def holds_list(path: Path) -> bool:
    """Tell whether a JSON file is a list of objects."""
    return b"".join(_head(path)[:2000].split())[:2] == b"[{"


def holds_lines(path: Path) -> bool:
    """Tell whether a file that is named JSON has an object in each line, at least in the first two."""
    lines = [line for line in _head(path).split(b"\n") if line.strip()]
    return len(lines) > 1 and type(quick_value(lines[0])) is dict


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD).removeprefix(codecs.BOM_UTF8)
    except OSError:
        return b""  # reading the document says why


def write_items(path: Path, target: Path) -> None:
    """Write each item of a list in a line of its own, as it is; what is no list becomes one line.

    Items are told apart by brackets and strings, not by parsing: one that is no JSON is one line that is none.
    """
    try:
        with path.open("rb") as file, target.open("wb") as lines:
            head = file.read(_HEAD)
            text = head.removeprefix(codecs.BOM_UTF8).lstrip()
            is_list = text.startswith(b"[")
            file.seek(len(head) - len(text) + is_list)
            items, scan = _Items(lines, is_list=is_list), BracketScan(depth=int(is_list))
            while block := file.read(_BLOCK):
                items.add(block, scan.feed(block))
            items.finish()
    except OSError as error:
        raise cannot_read(path, error) from error


class _Items:
    """The items of a list on their way into lines. A line that must be no JSON ends with a word."""

    def __init__(self, lines: BinaryIO, *, is_list: bool) -> None:
        self._lines = lines
        self._is_list, self._is_closed = is_list, False
        self._has_text = False
        self._after_value = False
        self._after_comma = False
        self._ended_badly = False

    def add(self, block: bytes, marks: Marks) -> None:
        """Take the next part of the file."""
        text, at = _one_line(block, marks), 0
        for place, depth in self._ends(marks):
            if self._is_closed:
                break
            if block[place] == _COMMA:
                self._write(text[at:place])
                self._separate()
            elif depth == 1:
                self._write(text[at : place + 1])
                self._end_item()
                self._after_value = True
            else:
                self._write(text[at:place])
                self._close()
            at = place + 1
        self._write(text[at:])

    def _ends(self, marks: Marks) -> list[tuple[int, int]]:
        if not self._is_list or self._is_closed:
            return []
        outer = marks.depths <= 1
        return list(zip(marks.places[outer].tolist(), marks.depths[outer].tolist(), strict=True))

    def finish(self) -> None:
        """End the last line."""
        if not self._is_list:
            self._lines.write(b"\n")
        elif self._has_text or not (self._is_closed or self._ended_badly):
            self._end_item(_AFTER if self._is_closed else _UNCLOSED)

    def _write(self, text: bytes) -> None:
        text = text if self._has_text else text.lstrip()
        if text:
            self._lines.write(text)
            self._has_text = True

    def _end_item(self, wrong: str = "") -> None:
        if self._after_value and self._has_text:
            wrong = wrong or "no comma before it"
        self._lines.write(f" {wrong}\n".encode() if wrong else b"\n")
        self._ended_badly = bool(wrong)
        self._has_text = self._after_comma = False

    def _separate(self) -> None:
        if self._has_text or not self._after_value:
            self._end_item("" if self._has_text else "nothing before a comma")
        self._after_value, self._after_comma = False, True

    def _close(self) -> None:
        if self._has_text:
            self._end_item()
        elif self._after_comma and not self._ended_badly:
            self._end_item("nothing after a comma")
        self._is_closed, self._after_value = True, False


def _one_line(block: bytes, marks: Marks) -> bytes:
    """Return a block without newlines: between values they are blanks, and in a string they are errors."""
    if b"\n" not in block and b"\r" not in block:
        return block
    content = np.frombuffer(block, np.uint8)
    newlines = (content == ord("\n")) | (content == ord("\r"))
    return np.where(newlines, np.where(marks.in_string, _CONTROL, ord(" ")), content).astype(np.uint8).tobytes()
