"""The kinds of mistakes that two values tell."""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise import error_kinds
from fieldwise.error_kinds import KINDS, Kind, kind_of
from fieldwise.values import is_absent
from fieldwise.views.words import WORDS
from tests.error_kinds.examples import EXAMPLES

PAGE = (Path(__file__).parents[2] / "docs" / "error-kinds.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^\| (\w+) \| `(.+?)` \| `(.+?)` \|", PAGE, re.MULTILINE)
VALUE_KINDS = ("missing", "invented", "format", "case_or_spacing", "ocr", "truncated", "scale")


@pytest.mark.parametrize(("kind", "expected", "predicted"), EXAMPLES, ids=repr)
def test_examples_from_practice(kind: Kind, expected: Any, predicted: Any) -> None:
    """Two values have the kind that a person would give them."""
    assert kind_of(expected, predicted) == kind


@pytest.mark.parametrize(("kind", "expected", "predicted"), SHOWN)
def test_the_examples_of_the_page(kind: str, expected: str, predicted: str) -> None:
    """Each row of the table of examples in the documentation is true."""
    assert kind_of(json.loads(expected), json.loads(predicted)) == kind


def test_the_page_shows_and_explains_every_kind() -> None:
    """Kinds that values tell have examples, and every kind is explained, under the words that the report uses."""
    assert {row[0] for row in SHOWN} >= {*VALUE_KINDS, "other"}
    for kind in KINDS:
        assert f"| `{kind}` | {WORDS.error_kinds[kind].word} |" in PAGE
        assert WORDS.error_kinds[kind].meaning


def test_each_kind_has_examples_from_practice() -> None:
    """Of every kind that values tell there are several, and sixty in all."""
    for kind in (*VALUE_KINDS, "other"):
        assert sum(example[0] == kind for example in EXAMPLES) >= 2
    assert len(EXAMPLES) >= 60


texts = st.text(max_size=12)
numbers = st.one_of(st.integers(), st.floats(), st.integers(min_value=10**400, max_value=10**401))
values = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=5,
)
alike = st.text("0123456789OlIrnm.,- €%", max_size=14)


@given(st.one_of(values, alike), st.one_of(values, alike))
def test_any_two_values_have_a_kind(expected: Any, predicted: Any) -> None:
    """NaN, huge integers, objects, odd characters: always one of the ten; missing and invented as sides are absent."""
    kind = kind_of(expected, predicted)
    assert kind in KINDS
    if is_absent(predicted) != is_absent(expected):
        assert kind == ("missing" if is_absent(predicted) else "invented")
    else:
        assert kind not in ("missing", "invented")


@given(st.one_of(values, alike), st.one_of(values, alike))
def test_the_same_value_written_otherwise_is_so_both_ways(expected: Any, predicted: Any) -> None:
    """Format, case and spacing don't depend on which side is the expected one."""
    for same in (error_kinds.is_format, error_kinds.is_case_or_spacing):
        assert same(expected, predicted) == same(predicted, expected)


@given(st.integers(1, 10**9), st.integers(1, 6), st.sampled_from([1, -1]))
def test_a_power_of_ten_is_a_matter_of_scale(number: int, power: int, sign: int) -> None:
    """Both ways, whatever the sign."""
    assert error_kinds.is_scale(number, sign * number * 10**power)
    assert error_kinds.is_scale(sign * number * 10**power, number)


@given(st.text(st.characters(categories=["L", "N"]), min_size=4, max_size=60), st.data())
def test_a_beginning_of_three_characters_is_truncated(text: str, data: st.DataObject) -> None:
    """Wherever a text stops; but what is a part of the predicted value is not."""
    stop = data.draw(st.integers(3, len(text) - 1))
    assert error_kinds.is_truncated(text, text[:stop])
    assert not error_kinds.is_truncated(text[:stop], text)


@given(st.dates(dt.date(1970, 1, 1), dt.date(2060, 1, 1)))
def test_a_date_is_the_same_in_every_form(day: dt.date) -> None:
    """ISO, with points, in words."""
    for form in ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d %B %Y", "%b %d, %Y", "%Y%m%d"):
        assert error_kinds.is_format(day.isoformat(), day.strftime(form)), form


@pytest.mark.parametrize("size", [100_000, 1_000_000])
@pytest.mark.parametrize("make", ["ab", "a", "word ", "1", "rn", "1 2 ", "."], ids=repr)
def test_long_texts_have_a_kind(make: str, size: int) -> None:
    """A hundred thousand characters and more are looked at in a straight line, never letter against letter."""
    text = make * (size // len(make))
    for other in (text + "x", "x" + text, text[: size // 2], text[1:], text.upper() + "y", "z" + text[: size // 3]):
        assert kind_of(text, other) in KINDS


def test_odd_numbers_have_a_kind() -> None:
    """Infinities and integers of thousands of digits are compared with everything."""
    odd = [math.inf, -math.inf, 10**5000, -(10**5000), 0, -0.0, 5e-324, 1e308, "1e400", "9" * 5000, True]
    assert all(kind_of(a, b) in KINDS for a in odd for b in odd)
