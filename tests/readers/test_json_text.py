"""Reading JSON: fast, exact, deep, and clear about what is wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise import InputError
from fieldwise.readers.json_text import has_long_digits, parse_deep, parse_json, read_json

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(ANY_JSON)
def test_what_json_writes_is_read_back(value: Any) -> None:
    """Both readers, the quick one and the one for deep nesting, agree with the standard library."""
    text = json.dumps(value)
    assert parse_json(text.encode(), "x") == value
    assert parse_deep(text, "x") == value


def test_long_digits_are_kept() -> None:
    """Ids of more than fifteen digits do not merge."""
    assert parse_json(b'{"a": 12345678901234567890, "b": 9007199254740993}', "x") == {
        "a": 12345678901234567890,
        "b": 9007199254740993,
    }


@pytest.mark.parametrize("at", range(8))
@pytest.mark.parametrize("digits", ["1234567890123456789", "18446744073709551617", "0.1234567890123456789"])
def test_long_digits_are_kept_wherever_they_are(at: int, digits: str) -> None:
    """Nineteen digits in a row are seen at any place in the text, and eighteen are not."""
    content = b" " * at + digits.encode()
    assert has_long_digits(content)
    assert parse_json(content, "x") == json.loads(digits)
    assert not has_long_digits(b" " * at + b"123456789012345678.123456789012345678")


@given(
    st.integers(-(10**19), 10**19).map(str)
    | st.from_regex(r"-?(0|[1-9][0-9]{0,17})\.[0-9]{1,18}(e-?[0-9]{1,3})?", fullmatch=True)
)
def test_no_number_changes_by_the_quick_reader(text: str) -> None:
    """Every number is read as the standard library reads it, integers exactly; what is beyond floats stays text."""
    value = json.loads(text)
    assert parse_json(text.encode(), "x") == (text if isinstance(value, float) and math.isinf(value) else value)


@pytest.mark.parametrize("text", ["1e999", "-1E+400", "1.5e309", "9" * 309, "9" * 400, "-" + "9" * 5000])
def test_a_number_too_large_for_a_float_is_kept_as_its_text(text: str) -> None:
    """It neither becomes infinite nor null, by any of the readers."""
    assert parse_json(f'{{"a": [{text}]}}'.encode(), "x") == {"a": [text]}
    assert parse_deep(f'{{"a": [{text}]}}', "x") == {"a": [text]}
    assert parse_json(b"1" + b"0" * 308, "x") == 10**308


def test_a_byte_order_mark_is_accepted() -> None:
    """Files that Windows programs write are read."""
    assert parse_json(b'\xef\xbb\xbf{"a": 1}', "x") == {"a": 1}


def test_nan_and_infinity_are_absent() -> None:
    """What JSON cannot say is absent."""
    assert parse_deep("[NaN, -Infinity]", "x") == [None, None]
    assert parse_json(b'{"a": NaN, "b": [Infinity, -Infinity]}', "x") == {"a": None, "b": [None, None]}


def test_the_last_of_duplicate_keys_wins() -> None:
    """Duplicate keys are no error."""
    assert parse_json(b'{"a": 1, "a": 2}', "x") == {"a": 2}


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_documents_are_read(opening: str, closing: str) -> None:
    """Nesting of depth 5,000 is read."""
    value = parse_json((opening * 5000 + "1" + closing * 5000).encode(), "x")
    for _ in range(5000):
        value = value["a"] if isinstance(value, dict) else value[0]
    assert value == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1,",
        b'{"a" 1}',
        b"nope",
        b"[1] x",
        b"\xff",
        b'"open',
        b"[" * 6000,
        b"[" * 6000 + b"]" * 5999,
        b"[" * 6000 + b'"open',
    ],
)
def test_what_is_not_json_is_an_input_error(content: bytes) -> None:
    """Bytes that are no JSON raise one kind of error, which names the source."""
    with pytest.raises(InputError, match="my file"):
        parse_json(content, "my file")


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    """A path that cannot be read raises the same kind of error."""
    with pytest.raises(InputError, match="nowhere"):
        read_json(tmp_path / "nowhere.json")
