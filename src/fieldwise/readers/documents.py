"""One document from one file: its bytes, and what they hold."""

from __future__ import annotations

import os
import stat
from typing import Final

from fieldwise.errors import InputError
from fieldwise.readers.blocks import may_be_rich
from fieldwise.readers.envelopes import Document, Side, from_fence, merged_metadata, open_document
from fieldwise.readers.fences import inside_fence
from fieldwise.readers.json_text import parse_json
from fieldwise.readers.lines import refuse_duplicates
from fieldwise.readers.source import Missing, Pair, Unreadable

_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Opening a pipe that nobody writes to does not wait."""


def read_bytes(path: str, name: str) -> bytes | Unreadable:
    """Return the content of a file, or why it cannot be read."""
    try:
        with open(os.open(path, _FLAGS), "rb", buffering=0) as file:
            mode = os.fstat(file.fileno()).st_mode
            if not stat.S_ISREG(mode):
                return Unreadable(f"{name} is {'a folder' if stat.S_ISDIR(mode) else 'no regular file'}")
            return file.readall()
    except IsADirectoryError:
        return Unreadable(f"{name} is a folder")
    except (OSError, ValueError) as error:
        return Unreadable(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}")


def bytes_of(content: bytes | Unreadable | Missing) -> bytes:
    """Return what is known of a file's content, so that it changes when the content does."""
    return content if isinstance(content, bytes) else repr(content).encode("utf-8", "backslashreplace")


def read_document(content: bytes | Unreadable | Missing, name: str, side: Side, *, strict: bool) -> Document:
    """Return the document that bytes hold, without what is around it."""
    if not isinstance(content, bytes):
        return Document(content)
    try:
        value = parse_json(content, name)
    except InputError as error:
        body = inside_fence(content) if side == "predicted" else None
        fenced = None if body is None else from_fence(read_document(body, name, side, strict=strict))
        return fenced or Document(Unreadable(str(error)))
    refused = refuse_duplicates(content, name) if strict else None
    return Document(refused) if refused else open_document(value, side, rich=may_be_rich(content))


def make_pair(name: str, expected: Document, predicted: Document) -> Pair:
    """Put both sides together."""
    metadata = merged_metadata(expected.metadata, predicted.metadata)
    rich = expected.rich or predicted.rich
    return Pair(name, expected.content, predicted.content, rich, expected.alternates, metadata)
