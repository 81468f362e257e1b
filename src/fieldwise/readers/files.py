"""Files as bytes: only regular ones, never more of them than a limit, and none that a link leads to unasked."""

from __future__ import annotations

import codecs
import errno
import os
import stat
import sys
from io import FileIO
from pathlib import Path
from typing import Final

from fieldwise.errors import InputError, LimitError, cannot_read
from fieldwise.text import size_text

_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Opening a pipe that nobody writes to does not wait."""
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_STEP: Final = 1 << 20
_KINDS: Final = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_WIDE: Final = (
    ("UTF-32", (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)),
    ("UTF-16", (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)),
)


class NotRegularError(OSError):
    """What is to be read is no regular file; the text says what it is."""


def read_file(path: str, max_bytes: int, *, root: str | None = None) -> bytes:
    """Return the content of a regular file, or as much of it as shows that it is over the limit.

    With a ``root`` a link is followed only to what is inside of it.
    """
    with _opened(path, root) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularError(kind_of(status.st_mode))
        content = file.read(min(status.st_size, max_bytes) + 1)
        return content if len(content) == status.st_size > 0 else _read_on(file, content, max_bytes)


def _read_on(file: FileIO, content: bytes, max_bytes: int) -> bytes:
    """Go on with a file whose size is not what its status says, as it is growing or made by the system."""
    parts, size = [content], len(content)
    while size <= max_bytes and (part := file.read(min(_STEP, max_bytes + 1 - size))):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _opened(path: str, root: str | None) -> FileIO:
    try:
        return FileIO(os.open(path, _FLAGS | (_NO_LINK if root is not None else 0)))
    except OSError as error:
        if root is None or error.errno not in (errno.ELOOP, errno.EMLINK) or not os.path.islink(path):
            raise
    if path_inside(path, root) is None:
        raise NotRegularError(LEADS_OUT)
    return FileIO(os.open(path, _FLAGS))


LEADS_OUT: Final = "a link that leads out of its folder, and is only read with follow_symlinks"


def path_inside(path: str, root: str) -> str | None:
    """Return where in a folder something is, links followed; None where it is outside."""
    real, found = os.path.realpath(root), os.path.realpath(path)
    if found == real:
        return ""
    return found[len(real) :].lstrip(os.sep) if found.startswith(real.rstrip(os.sep) + os.sep) else None


def kind_of(mode: int) -> str:
    """Say what something is that is no regular file."""
    return _KINDS.get(stat.S_IFMT(mode), "no regular file")


def read_source(source: str | Path, max_bytes: int | None = None) -> bytes:
    """Return what a file holds, or standard input where the source is ``-``."""
    most = sys.maxsize if max_bytes is None else max_bytes
    try:
        content = _standard_input(most) if str(source) == "-" else _named(Path(source), most)
    except OSError as error:
        raise cannot_read(source, error) from error
    if len(content) > most:
        raise LimitError(
            too_large(source_name(source), most),
            limit="max_bytes",
            facts={"file": source_name(source), "expected": most},
        )
    return content


def _named(path: Path, most: int) -> bytes:
    refuse_special(path)
    if is_descriptor(path):
        with path.open("rb", buffering=0) as file:
            return _read_on(file, b"", most)
    return read_file(str(path), min(most, sys.maxsize - 1))


def _standard_input(most: int) -> bytes:
    return sys.stdin.buffer.read() if most == sys.maxsize else sys.stdin.buffer.read(most + 1)


def source_name(source: str | Path) -> str:
    """Return what a source is called in messages."""
    return "standard input" if str(source) == "-" else str(source)


def is_descriptor(path: Path) -> bool:
    """Tell whether a path stands for a descriptor that is open already, as a shell gives for ``<(command)``."""
    return str(path).startswith(("/dev/fd/", "/proc/self/fd/")) or str(path) == "/dev/stdin"


def refuse_special(path: Path) -> None:
    """Raise an error for what is neither a file nor a folder: opening it could wait for ever."""
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode) and not is_descriptor(path):
        raise InputError(
            f"{path} is {kind_of(mode)}; give a file or a folder, or - and the documents on standard input",
            code="input.special_file",
            facts={"file": path, "got": kind_of(mode)},
        )


def too_large(name: str, max_bytes: int, size: int | None = None) -> str:
    """Say that a document is over the limit of bytes."""
    held = "is larger" if size is None else f"has {size_text(size)}, more"
    return f"{name} {held} than the {size_text(max_bytes)} that max_bytes allows"


def wide_encoding(head: bytes) -> str | None:
    """Return which encoding of two or four bytes for a character a JSON or CSV file begins in; None for others.

    >>> wide_encoding('{"id": 1}'.encode("utf-16-be")), wide_encoding(b'{"id": 1}')
    ('UTF-16', None)
    """
    for encoding, marks in _WIDE:
        if head.startswith(marks):
            return encoding
    zeros = tuple(byte == 0 for byte in head[:4])
    if zeros in ((True, False, True, False), (False, True, False, True)):
        return "UTF-16"
    return "UTF-32" if zeros in ((True, True, True, False), (False, True, True, True)) else None


def convert_advice(name: str, encoding: str) -> str:
    """Say that a file is in another encoding, and what to do."""
    return f"{name} is {encoding}, not UTF-8; convert it: iconv -f {encoding} -t UTF-8"
