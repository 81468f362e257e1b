"""Files that become files of lines before they are read: compressed ones, and JSON files that hold a list."""

from __future__ import annotations

import gzip
import json
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from fieldwise.errors import InputError
from fieldwise.readers.lines import quick_value

_SPACE = " \t\n\r"
_HEAD = 1 << 16
_UNCLOSED = "the list is not closed"
"""Ends the line of what is left of a list; with it the line is no JSON, whatever is left."""


def unpack_gzip(path: Path, target: Path) -> None:
    """Write what a gzip file holds."""
    try:
        with gzip.open(path, "rb") as packed, target.open("wb") as file:
            shutil.copyfileobj(packed, file, 1 << 20)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be unpacked: {error}") from error


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
            return file.read(_HEAD).removeprefix(b"\xef\xbb\xbf")
    except OSError:
        return b""  # reading the document says why


def write_items(path: Path, target: Path) -> None:
    """Write each item of a list in a line of its own, as it is; what is no list becomes one line.

    Where the list breaks off, the rest is one line that cannot be read.
    """
    try:
        text = path.read_bytes().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}") from error
    with target.open("wb") as file:
        for item in _items(text):
            _write_line(item, file)


def _write_line(item: str, file: BinaryIO) -> None:
    line = item.encode("utf-8", "surrogateescape").replace(b"\n", b" ").replace(b"\r", b" ")
    file.write(line + b"\n")


def _items(text: str) -> Iterator[str]:
    at = _skip_space(text, 0)
    if text[at : at + 1] != "[":
        yield text
        return
    decode = json.JSONDecoder().raw_decode
    mark = ","
    while mark == ",":
        at = _skip_space(text, at + 1)
        try:
            _, end = decode(text, at)
        except (ValueError, RecursionError):
            yield f"{text[at:]} {_UNCLOSED}"
            return
        yield text[at:end]
        at = _skip_space(text, end)
        mark = text[at : at + 1]
    if mark != "]" or _skip_space(text, at + 1) < len(text):
        yield f"{text[at:]} {_UNCLOSED}"


def _skip_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at
