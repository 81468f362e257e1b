"""Predictions that a model wrote as text: JSON in a Markdown code fence, or as a string inside JSON."""

from __future__ import annotations

import re
from typing import Final

from fieldwise.errors import InputError
from fieldwise.readers.json_text import MAX_DEPTH, parse_json
from fieldwise.readers.source import FromText, Unreadable, unreadable

_FENCE: Final = b"```"
_NAME: Final = "the text of the prediction"
_LANGUAGE: Final = re.compile(rb"[A-Za-z0-9_+-]*[ \t]*\r?\n?")


def inside_fence(content: bytes) -> bytes | None:
    """Return what is between the first code fence and the last one, or None without a fence.

    Text before and after the fence is left out; a fence that is not closed reaches to the end.

    >>> inside_fence(b'Here it is: ```json {"total": 5} ``` Anything else?')
    b'{"total": 5} '
    """
    start = content.find(_FENCE)
    if start < 0:
        return None
    end = content.rfind(_FENCE)
    body = content[start + len(_FENCE) : end if end > start else None]
    return _LANGUAGE.sub(b"", body, count=1)


def may_hold_json(text: str) -> bool:
    """Tell whether a text looks like a JSON object or a code fence.

    >>> [may_hold_json(text) for text in (' {"total": 5}', "Sure! ```json", "Acme Ltd")]
    [True, True, False]
    """
    return text.lstrip().startswith("{") or _FENCE.decode() in text


def read_text(text: str, max_depth: int = MAX_DEPTH) -> FromText | Unreadable:
    """Return the document that a predicted text holds, or why it holds none."""
    content = text.encode("utf-8", "surrogatepass")
    try:
        return FromText(parse_json(content, _NAME, max_depth), "text")
    except InputError as error:
        body = inside_fence(content)
        if body is None:
            return unreadable(error)
    try:
        return FromText(parse_json(body, f"{_NAME}, inside its code fence,", max_depth), "fence")
    except InputError as error:
        return unreadable(error)
