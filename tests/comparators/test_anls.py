"""ANLS*: values of any shape."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.comparators import ANLSStarComparator, ScoreNode, anls_score
from fieldwise.comparators.anls import BLOCKS_NOTE, DEEP_NOTE
from fieldwise.errors import InputError, SettingError
from tests.strategies import examples

leaves = st.sampled_from(["alpha", "alphb", "beta", "x", "12", 12, 1.5, True, None, ""])
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)),
    max_leaves=6,
)


def similar(left: Any, right: Any) -> float:
    """Score two leaves by the definition."""
    a, b = str(left).lower(), str(right).lower()
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, row = row, [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
    score = 1 - row[-1] / max(len(a), len(b))
    return score if score >= 0.5 else 0.0


def pruned(value: Any) -> Any:
    """Leave out what is absent."""
    if isinstance(value, dict):
        value = {k: pruned(v) for k, v in value.items()}
        return {k: v for k, v in value.items() if v is not None} or None
    if isinstance(value, list):
        return [v for v in map(pruned, value) if v is not None] or None
    return None if value == "" else value


def size(value: Any) -> int:
    if isinstance(value, (dict, list)):
        return sum(map(size, value.values() if isinstance(value, dict) else value))
    return 0 if value is None else 1


def outcomes(left: Any, right: Any) -> set[tuple[float, int]]:
    """Return every (score, length) that a best pairing of the lists inside can give."""
    if isinstance(left, dict) and isinstance(right, dict):
        found = {(0.0, 0)}
        for key in left.keys() | right.keys():
            a, b = left.get(key), right.get(key)
            parts = {(0.0, size(a) + size(b))} if a is None or b is None else outcomes(a, b)
            found = {(round(s + x, 9), n + y) for s, n in found for x, y in parts}
        return found
    if isinstance(left, list) and isinstance(right, list):
        return paired(left, right)
    if isinstance(left, (dict, list)) or isinstance(right, (dict, list)):
        return {(0.0, max(size(left), size(right)))}
    return {(similar(left, right), 1)}


def paired(left: list[Any], right: list[Any]) -> set[tuple[float, int]]:
    if len(left) > len(right):
        left, right = right, left
    found: list[tuple[float, float, int]] = []
    for chosen in itertools.permutations(range(len(right)), len(left)):
        rest = sum(size(right[j]) for j in range(len(right)) if j not in chosen)
        cases = [(0.0, 0.0, rest)]
        for i, j in enumerate(chosen):
            parts = outcomes(left[i], right[j])
            cases = [(m + s / n, t + s, k + n) for m, t, k in cases for s, n in parts]
        found += cases
    best = max(m for m, _, _ in found)
    return {(round(t, 9), n) for m, t, n in found if m > best - 1e-6}


@given(a=trees, b=trees)
@settings(max_examples=examples(300), deadline=None)
def test_definition(a: Any, b: Any) -> None:
    """The score is that of a best pairing of all lists, found here by trying every one."""
    score = ANLSStarComparator().compare(a, b)
    x, y = pruned(a), pruned(b)
    if a is None or b is None or x is None or y is None:
        assert score == float(x is y if a is not None and b is not None else a is b)
    else:
        assert any(score == pytest.approx(s / n, abs=1e-6) for s, n in outcomes(x, y))


@given(a=trees, b=trees)
@settings(max_examples=examples(300), deadline=None)
def test_symmetric(a: Any, b: Any) -> None:
    """Exchanging the sides changes nothing, ties between pairings and nulls included."""
    comparator = ANLSStarComparator()
    assert comparator.compare(a, b) == comparator.compare(b, a)
    assert anls_score(a, a) == comparator.compare(a, a) == 1.0


@pytest.mark.parametrize(
    ("a", "b", "score"),
    [
        ({"a": "x", "b": "y"}, {"b": "y", "a": "x"}, 1.0),
        ({"a": "x"}, {"a": "x", "b": "y"}, 0.5),
        ({"a": "x"}, {"a": "x", "b": None}, 1.0),
        ({"a": "x", "b": ""}, {"a": "x"}, 1.0),
        ({"a": None, "b": "x"}, {"a": None, "b": "y"}, 0.0),
        (
            {"v": "Acme Corporation", "t": "1", "p": "2"},
            {"v": "Acme Corp", "t": "1", "p": "2"},
            (2 + 9 / 16) / 3,
        ),
        ({"l": [1, 2, 3]}, {"l": [3, 1]}, 2 / 3),
        ({"l": ["a", None]}, {"l": ["a"]}, 1.0),
        ({"a": {"b": {"c": "deep"}}}, {"a": {"b": {"c": "deed"}}}, 0.75),
        ({"a": {"b": 1, "c": 2}, "z": "q"}, {"a": 1, "z": "q"}, 1 / 3),
        ({"n": 1}, {"n": 1.0}, 0.0),
        ({"l": [{"a": 1}, {"b": 2}]}, {"l": [{"b": 2}, {"a": 1}]}, 1.0),
        ([["a", "b"], "c"], ["a", "b"], 0.0),
        ("Ab  c", "ab C", 1.0),
        (True, "true", 1.0),
        (("a", "b"), ["b", "a"], 1.0),
        ({1, 2}, [2, 1], 1.0),
    ],
)
def test_scores(a: Any, b: Any, score: float) -> None:
    """Leaves count alike wherever they stand; what is absent does not count."""
    assert ANLSStarComparator().compare(a, b) == pytest.approx(score, abs=1e-12)


def test_leaf_threshold() -> None:
    """A leaf below the threshold scores 0."""
    assert ANLSStarComparator(leaf_threshold=0.85).compare({"a": "deep"}, {"a": "deed"}) == 0.0
    assert ANLSStarComparator(leaf_threshold=0.85).describe() == "ANLS*, leaves from 0.85"
    with pytest.raises(SettingError, match="for `leaf_threshold`"):
        ANLSStarComparator(leaf_threshold=2)


def nested(depth: int, leaf: Any, *, key: str | None = None) -> Any:
    for _ in range(depth):
        leaf = [leaf] if key is None else {key: leaf}
    return leaf


@pytest.mark.parametrize("key", [None, "a"])
def test_depth(key: str | None) -> None:
    """Values nested thousands of levels deep are compared; below level 200 by equality, with a note."""
    comparator = ANLSStarComparator()
    a, b = nested(5_000, "alpha", key=key), nested(5_000, "alphb", key=key)
    assert comparator.compare(a, nested(5_000, "alpha", key=key)) == 1.0
    assert comparator.compare(a, b) == 0.0
    assert comparator.notes(a, b) == DEEP_NOTE
    shallow = nested(190, "alpha", key=key), nested(190, "alphb", key=key)
    assert comparator.compare(*shallow) == 0.8
    assert comparator.notes(*shallow) == ""


def test_long_lists_are_matched_in_blocks() -> None:
    """Beyond four million cells equal items are paired first, the rest by position, with a note."""
    a = [{"n": f"item {i}"} for i in range(2_100)]
    b = [*a[1_000:], {"n": "item x"}, *a[:1_000]]
    comparator = ANLSStarComparator()
    assert comparator.compare(a, b) == pytest.approx(2_100 / 2_101)
    assert comparator.compare(a, b) == comparator.compare(b, a)
    assert comparator.notes(a, b) == BLOCKS_NOTE
    assert comparator.notes(a[:10], b[:10]) == ""


def test_unequal_long_lists() -> None:
    """Blocks of unequal items find their partners nearby."""
    a = [f"row {i} of the first list" for i in range(2_500)]
    b = [f"row {i} of the other list" for i in range(2_500)]
    score = ANLSStarComparator().compare(a, b)
    assert score == ANLSStarComparator().compare(b, a)
    assert 0.7 < score < 0.9


def test_key_scores() -> None:
    """On request the nearest truth and a score per key come along, in that order."""
    truth = {"a": "x", "l": [1, 2], "o": {"p": "q"}, "e": None}
    guess = {"a": "y", "l": [2], "z": "1"}
    score, closest, keys = anls_score(truth, guess, return_gt=True, return_key_scores=True)  # type: ignore[misc]
    assert score == 0.2
    assert closest == {"a": "x", "l": [2, 1], "o": {"p": "q"}, "e": None, "z": None}
    assert keys == {
        "a": ScoreNode("a", 0.0),
        "l": ScoreNode("l", 0.5),
        "o": ScoreNode("o", 0.0),
        "e": ScoreNode("e", 1.0),
        "z": ScoreNode("z", 0.0),
    }
    assert anls_score(truth, guess, return_gt=True) == (score, closest)
    assert anls_score(truth, guess, return_key_scores=True) == (score, keys)
    assert truth == {"a": "x", "l": [1, 2], "o": {"p": "q"}, "e": None}


def test_key_scores_in_lists() -> None:
    """Keys of list items have the mean over the paired items."""
    truth, guess = {"l": [{"a": "x"}, {"a": {"b": "q"}}]}, {"l": [{"a": {"b": "q"}}, {"a": "zz"}]}
    score, keys = anls_score(truth, guess, return_key_scores=True)  # type: ignore[misc]
    assert score == 0.5
    inside = ScoreNode("a", 0.5, {"b": ScoreNode("b", 1.0)})
    assert keys == {"l": ScoreNode("l", 0.5, {"a": inside})}


@pytest.mark.parametrize(
    ("gt", "pred", "score", "closest"),
    [
        (("x", "yy"), "yy", 1.0, "yy"),
        (["x", "yy"], "yy", 1.0, "yy"),
        (["x", 1], "x", 0.0, ["x", 1]),
        ({"a": ("x", "yy")}, {"a": "yz"}, 0.5, {"a": "yy"}),
        ({"a": ("x", {"b": 1})}, {"a": {"b": 1}}, 1.0, {"a": {"b": 1}}),
        ([("x", "y"), "z"], ["z", "y"], 1.0, ["z", "y"]),
        (("aa", ["aa", "bb"]), ["bb", "aa"], 1.0, ["bb", "aa"]),
        ({"a": ("x", None), "b": "y"}, {"b": "y"}, 1.0, {"a": ("x", None), "b": "y"}),
        (None, None, 1.0, None),
        ("a", None, 0.0, "a"),
    ],
)
def test_several_acceptable_values(gt: Any, pred: Any, score: float, closest: Any) -> None:
    """A tuple in the truth holds acceptable values; the best one counts and is returned."""
    assert anls_score(gt, pred, return_gt=True) == (score, closest)


def test_no_acceptable_value() -> None:
    """An empty tuple in the truth accepts nothing and is refused."""
    with pytest.raises(InputError, match="at least one acceptable value"):
        anls_score({"a": ()}, {"a": "x"})
    with pytest.raises(SettingError, match="for `threshold`"):
        anls_score("a", "b", threshold=2)
