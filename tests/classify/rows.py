"""Rows for tests, and random labels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from hypothesis import strategies as st

from fieldwise.classify import UnitMetricResult


def row(golden: Any, predicted: Any, correct: bool | None = None, **metadata: Any) -> UnitMetricResult:
    """Make a row of an event and a tool; by default it is correct where they are equal."""
    flag = golden == predicted if correct is None else correct
    return UnitMetricResult(flag, {"event": golden}, {"tool": predicted}, metadata)


def rows(pairs: Iterable[tuple[Any, Any]]) -> list[UnitMetricResult]:
    """Make rows of pairs."""
    return [row(golden, predicted) for golden, predicted in pairs]


def flags(text: str, **metadata: Any) -> list[UnitMetricResult]:
    """Make attempts: 1 is a success, 0 is none."""
    return [UnitMetricResult(flag == "1", {}, {}, dict(metadata)) for flag in text]


NAMES = st.sampled_from(["click", "type", "scroll", "wait", ""])
PAIRS = st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=40)
ANY_LABEL = st.one_of(
    NAMES,
    st.integers(-2, 3),
    st.booleans(),
    st.sampled_from([1.0, 1.5, -0.0, "1", "true"]),
    st.none(),
    st.lists(st.integers(0, 1), max_size=2),
    st.dictionaries(st.sampled_from("ab"), st.integers(0, 1), max_size=2),
)
ANY_PAIRS = st.lists(st.tuples(ANY_LABEL, ANY_LABEL), min_size=1, max_size=30)
