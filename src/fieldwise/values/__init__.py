"""What a value is: absent or present, equal or not, as plain JSON, as text.

One answer for the whole package. Everything here is iterative, so that documents of any depth are fine,
and knows nothing of fields, comparators or settings.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator

from fieldwise.depth import MAX_LEVEL
from fieldwise.values.absent_words import (
    DASHES,
    DEFAULT_WORDS,
    ONLY_BLANK,
    PLACEHOLDERS,
    ZEROS,
    AbsentWords,
    folded_word,
)
from fieldwise.values.objects import (
    JSON_SCALARS,
    MAX_INT_BITS,
    Json,
    form_of,
    int_text,
    json_name,
    key_text,
    keyed,
    model_items,
    opened,
    scalar,
    text_of_object,
)
from fieldwise.values.sharing import cycle_path, within_bounds
from fieldwise.values.trees import canonical, plain, same, written

__all__ = [
    "DASHES",
    "DEFAULT_WORDS",
    "MAX_INT_BITS",
    "ONLY_BLANK",
    "PLACEHOLDERS",
    "ZEROS",
    "AbsentWords",
    "Json",
    "canonical",
    "children",
    "cycle_path",
    "float_or_text",
    "folded_word",
    "int_text",
    "integer_or_text",
    "is_absent",
    "is_list",
    "is_object",
    "is_scalar",
    "json_name",
    "json_text",
    "key_text",
    "model_items",
    "opened",
    "plain",
    "same",
    "scalar",
    "text_of_object",
    "within_bounds",
    "written",
]


def is_absent(value: Json, words: AbsentWords = ONLY_BLANK) -> bool:
    """Return whether a value says nothing: None, blank text, NaN, infinity, or a container of nothing else.

    ``words`` are texts that say nothing either. What holds something deeper than documents are compared is there,
    whatever that is.

    >>> [is_absent(v) for v in (None, " ", float("nan"), [], {"a": [None, ""]}, 0, False)]
    [True, True, True, True, True, False, False]
    >>> is_absent("n/a"), is_absent("n/a", DEFAULT_WORDS), is_absent(["-", None], DEFAULT_WORDS)
    (False, True, True)
    """
    kind = type(value)
    if kind is str:
        return not value or (value[0] in words.starts and value in words)
    if kind is int or kind is bool:
        return False
    if value is None:
        return True
    if kind is float:
        return bool(value - value != 0.0)
    return _nothing_inside(value, words)


def _nothing_inside(value: Json, words: AbsentWords) -> bool:
    layer = [value]
    seen: dict[int, Json] = {}
    for _ in range(MAX_LEVEL + 1):
        below: list[Json] = []
        for item in layer:
            parts = None if type(item) in JSON_SCALARS else opened(item)
            if parts is None:
                if not is_absent(scalar(item), words):
                    return False
            elif id(item) not in seen:
                seen[id(item)] = item
                below += parts.values() if type(parts) is dict else parts
        if not below:
            return True
        layer = below
    return False


def children(value: Json) -> Iterator[tuple[str | int, Json]] | None:
    """Yield the keyed parts of a container; None where the value is not one."""
    parts = opened(value)
    return None if parts is None else keyed(parts)


def is_object(value: Json) -> bool:
    """Return whether a value is a JSON object or stands for one."""
    return form_of(value) is dict


def is_list(value: Json) -> bool:
    """Return whether a value is a JSON array or stands for one (tuple, set, numpy array)."""
    return form_of(value) is list


def is_scalar(value: Json) -> bool:
    """Return whether a value is neither an object nor an array."""
    return form_of(value) is None


def json_text(value: Json) -> str:
    """Return a scalar as the text that JSON writes for it, without quotes around strings.

    >>> json_text(True), json_text(5), json_text("a")
    ('true', '5', 'a')
    """
    if type(value) is str:
        return value
    value = plain(value)
    if type(value) is str:
        return value
    try:
        return json.dumps(value)
    except RecursionError:
        return written(value)


def float_or_text(text: str) -> float | str:
    """Return a number of a JSON text; one too large for a float stays the text that it is.

    >>> float_or_text("1e3"), float_or_text("1e999")
    (1000.0, '1e999')
    """
    value = float(text)
    return value if math.isfinite(value) else text


def integer_or_text(digits: str) -> int | str:
    """Return an integer of a JSON text; one too large for a float stays the text that it is.

    >>> integer_or_text("12"), integer_or_text("9" * 400) == "9" * 400
    (12, True)
    """
    return int(digits) if len(digits) <= sys.float_info.max_10_exp or math.isfinite(float(digits)) else digits
