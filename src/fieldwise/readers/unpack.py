"""Files that become files of lines before they are read: compressed ones, and JSON files that hold a list."""

from __future__ import annotations

import codecs
import gzip
import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np

from fieldwise.errors import InputError
from fieldwise.limits import FREE_UNPACKED, MOST_EXPANSION, ReadLimits
from fieldwise.readers.brackets import BracketScan, Marks
from fieldwise.readers.json_text import quick_value
from fieldwise.readers.scratch import size_text

_HEAD = 1 << 16
_BLOCK = 1 << 18
_STEP = 1 << 20
_COMMA = ord(",")
_CONTROL = 1
"""A sign that no string may hold, in place of a newline, which none may hold either."""


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
        raise InputError(f"{path} cannot be unpacked: {error}") from error


def check_unpacked(path: Path, size: int, packed_size: int, limits: ReadLimits) -> None:
    """Refuse an archive that unpacks to more than is allowed, or that is larger by more than documents can be."""
    if size > limits.max_unpacked:
        raise InputError(
            f"{path} unpacks to more than the {size_text(limits.max_unpacked)} that max_unpacked allows; "
            "if it is what you expect, allow more (--max-unpacked)"
        )
    if size > FREE_UNPACKED and size > MOST_EXPANSION * packed_size:
        raise InputError(
            f"{path} unpacks to more than {MOST_EXPANSION} times its size, which documents hardly do; "
            "if it is what you expect, unpack it and give what it holds"
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
        raise InputError(f"Cannot read {path}: {error.strerror or error}") from error


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
        """End the last line; a list that is not closed says so."""
        if self._has_text and (self._is_closed or not self._is_list):
            self._end_item("text after the list" if self._is_closed else "")
        elif not self._is_closed and self._is_list and not (self._ended_badly and not self._has_text):
            self._end_item("the list is not closed")

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
