"""One document from one file: its bytes, and what they hold."""

from __future__ import annotations

from fieldwise.errors import InputError
from fieldwise.readers.blocks import may_be_rich
from fieldwise.readers.duplicate_keys import refuse_duplicates
from fieldwise.readers.envelopes import Document, Side, from_fence, merged_metadata, open_document
from fieldwise.readers.fences import inside_fence
from fieldwise.readers.files import NotRegularError, read_file, too_large
from fieldwise.readers.json_text import parse_json
from fieldwise.readers.source import Missing, Pair, ReadRules, Unreadable, unreadable


def read_bytes(path: str, name: str, rules: ReadRules, root: str | None) -> bytes | Unreadable:
    """Return the content of a file, or why it cannot be read; one outside of ``root`` is read only where asked for."""
    limit = rules.limits.max_bytes
    try:
        content = read_file(path, limit, root=None if rules.follow_symlinks else root)
    except NotRegularError as error:
        return Unreadable(f"{name} is {error}")
    except (OSError, ValueError) as error:
        return Unreadable(f"{name} cannot be read: {getattr(error, 'strerror', None) or error}")
    return Unreadable(too_large(name, limit), "max_bytes") if len(content) > limit else content


def bytes_of(content: bytes | Unreadable | Missing) -> bytes:
    """Return what is known of a file's content, so that it changes when the content does."""
    return content if isinstance(content, bytes) else repr(content).encode("utf-8", "backslashreplace")


def read_document(content: bytes | Unreadable | Missing, name: str, side: Side, rules: ReadRules) -> Document:
    """Return the document that bytes hold, without what is around it."""
    if not isinstance(content, bytes):
        return Document(content)
    try:
        value = parse_json(content, name, rules.limits.max_depth)
    except InputError as error:
        body = inside_fence(content) if side == "predicted" else None
        fenced = None if body is None else from_fence(read_document(body, name, side, rules))
        return fenced or Document(unreadable(error))
    refused = refuse_duplicates(content, name) if rules.strict else None
    return Document(refused) if refused else open_document(value, side, rich=may_be_rich(content))


def make_pair(name: str, expected: Document, predicted: Document) -> Pair:
    """Put both sides together."""
    metadata = merged_metadata(expected.metadata, predicted.metadata)
    rich = expected.rich or predicted.rich
    return Pair(name, expected.content, predicted.content, rich, expected.alternates, metadata)
