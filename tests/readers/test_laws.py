"""Laws of reading, on generated files."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.readers import blocks
from fieldwise.readers.json_text import has_long_digits
from fieldwise.readers.pairs import MISSING, Conflicting, Pair
from tests.readers.files import read_all, write_folder, write_lines
from tests.strategies import examples

IDS = st.one_of(st.sampled_from(["a", "b", "c", "a#2", "é", '"', "\\"]), st.integers(0, 5), st.none(), st.just(""))
VALUES = st.one_of(
    st.none(),
    st.integers(),
    st.text(max_size=5),
    st.dictionaries(
        st.sampled_from(["x", "value", "confidence", "_value", "inference_result", "document", "expected", "id"]),
        st.one_of(st.none(), st.integers(0, 9), st.just({"inference_result": {"x": 1}}), st.just(10**20)),
        max_size=3,
    ),
)
BROKEN = st.sampled_from([b"", b" ", b"{", b"nope", b'{"id": "a", "expected":', b'{"id": "b', b"\xff", b"[]", b"5"])
PAIR = st.fixed_dictionaries(
    {"id": IDS, "expected": VALUES, "predicted": VALUES},
    optional={"alternates": st.just({"x": [1]}), "metadata": st.just({"pages": 1}), "note": st.just("n")},
)
TRUTH = st.builds(lambda name: {"id": name, "document": {"x": 1}}, IDS)
SIDE = st.one_of(
    st.fixed_dictionaries({"id": IDS, "document": VALUES}, optional={"metadata": st.just({"pages": 1})}),
    st.fixed_dictionaries({"id": IDS, "x": VALUES}),
)


def lines_of(element: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Return lines of which few are broken, some in compact JSON, the first with an id."""
    written = st.builds(_dump, element, st.booleans())
    return st.lists(st.one_of(written, written, written, BROKEN), min_size=1, max_size=12)


def _dump(value: Any, compact: bool) -> bytes:
    return json.dumps(value, separators=(",", ":") if compact else None, ensure_ascii=not compact).encode()


@pytest.fixture(params=[1 << 20, 40], ids=["one block", "small blocks"], autouse=True)
def block_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Read in blocks of the usual size, and in blocks of about a line."""
    monkeypatch.setattr(blocks, "_BLOCK", request.param)


FIRST = b'{"id": "first", "expected": {}, "predicted": {}}'


@settings(max_examples=examples(150), deadline=None)
@given(lines_of(PAIR), st.integers(1, 13))
def test_shards_of_any_size_hold_the_same_pairs(lines: list[bytes], documents: int) -> None:
    """Any split of a file of pairs yields the same pairs in the same order, the trials of each id together."""
    with TemporaryDirectory() as folder:
        path = write_lines(Path(folder) / "p.jsonl", [FIRST, *lines])
        pairs = read_all(path, documents=1000)
        assert read_all(path, documents=documents) == pairs
    assert sum(map(lines_in, pairs)) == 1 + sum(bool(line.strip()) for line in lines)
    assert_together(pairs)


def lines_in(pair: Pair) -> int:
    """Return how many lines of a file of pairs a pair is made of."""
    if not isinstance(pair.expected, Conflicting):
        return 1
    return {"twice": 2}.get(word := pair.expected.reason.partition("occurs ")[2].split()[0].strip(","), 0) or int(word)


def assert_together(pairs: list[Pair]) -> None:
    """The pairs of each id follow each other, and are numbered from 1 to as many as there are."""
    groups = [list(group) for _, group in groupby(pairs, lambda pair: pair.id)]
    assert len({group[0].id for group in groups}) == len(groups)
    for group in groups:
        assert [(pair.trial, pair.trials) for pair in group] == [(i + 1, len(group)) for i in range(len(group))]


@settings(max_examples=examples(150), deadline=None)
@given(lines_of(TRUTH), lines_of(SIDE), st.integers(1, 13))
def test_joins_lose_nothing(left: list[bytes], right: list[bytes], documents: int) -> None:
    """Any split of two files yields the same pairs; every predicted line is in exactly one, every expected in some."""
    with TemporaryDirectory() as folder:
        expected = write_lines(Path(folder) / "e.jsonl", [FIRST, *left])
        predicted = write_lines(Path(folder) / "p.jsonl", [*right, FIRST])
        pairs = read_all(expected, predicted, documents=1000)
        assert read_all(expected, predicted, documents=documents) == pairs
    assert sum(pair.expected is not MISSING for pair in pairs) >= 1 + sum(bool(line.strip()) for line in left)
    assert sum(pair.predicted is not MISSING for pair in pairs) == 1 + sum(bool(line.strip()) for line in right)
    assert_together(pairs)


@settings(max_examples=examples(100), deadline=None)
@given(st.text("abc", max_size=8))
def test_the_place_of_a_prediction_does_not_matter(names: str) -> None:
    """Predictions of different ids may come in any order; those of one id are its trials in their own order."""
    with TemporaryDirectory() as folder:
        expected = write_lines(Path(folder) / "e.jsonl", [FIRST, *({"id": name, "x": 1} for name in "abc")])
        named = [{"id": name, "n": i} for i, name in enumerate(names)]
        sorted_by_id = sorted(named, key=lambda line: str(line["id"]))
        pairs = read_all(expected, write_lines(Path(folder) / "p.jsonl", [FIRST, *named]))
        together = read_all(expected, write_lines(Path(folder) / "p.jsonl", [FIRST, *sorted_by_id]))
    assert pairs == together


@settings(max_examples=examples(150), deadline=None)
@given(lines_of(SIDE), st.integers(1, 13))
def test_both_ways_of_matching_agree(lines: list[bytes], documents: int) -> None:
    """Files in the same order are read side by side; where two lines change places, the index gives the same pairs."""
    another = FIRST.replace(b"first", b"another")
    with TemporaryDirectory() as folder:
        expected = write_lines(Path(folder) / "e.jsonl", [FIRST, *lines, another])
        (Path(folder) / "other").mkdir()
        moved = write_lines(Path(folder) / "other" / "e.jsonl", [another, *lines, FIRST])
        side_by_side = read_all(expected, expected, documents=documents)
        matched = read_all(expected, moved, documents=documents)
    assert matched == side_by_side


@settings(max_examples=examples(50), deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "a.json", "-", "é"]), min_size=1, max_size=3), max_size=6), st.data()
)
def test_folders_of_any_shape_are_matched(paths: list[list[str]], data: st.DataObject) -> None:
    """Each file of either folder is in exactly one pair, whatever the shards."""
    names = sorted(
        {"/".join([part.removesuffix("json") for part in path[:-1]] + [path[-1]]) for path in paths} | {"fx"}
    )
    left = {name: "left" for name in names if data.draw(st.booleans())} | {"fx": "left"}
    right = {name: "right" for name in names if data.draw(st.booleans())}
    with TemporaryDirectory() as folder:
        expected = write_folder(Path(folder) / "e", left)
        predicted = write_folder(Path(folder) / "p", right)
        pairs = read_all(expected, predicted, documents=data.draw(st.integers(1, 4)))
    assert {pair.id: pair.expected for pair in pairs if pair.expected is not MISSING} == left
    assert {pair.id: pair.predicted for pair in pairs if pair.predicted is not MISSING} == right
    assert len(pairs) == len(left | right)


@given(st.text(alphabet="0123456789a", max_size=60).map(str.encode))
def test_long_digits_are_found(content: bytes) -> None:
    """The quick look at every fourth byte misses no run of nineteen digits."""
    has_run = any(content[i : i + 19].isdigit() for i in range(len(content) - 18))
    assert has_long_digits(content) == has_run
    assert blocks._has_long_digits(content) == has_run


@given(st.binary(max_size=30), st.binary(max_size=30), st.booleans())
def test_value_keys_are_found(before: bytes, after: bytes, present: bool) -> None:
    """The look at four bytes at once misses no key that ends in ``value``."""
    content = before + b'value"' * present + after
    if b'lue"' in content:
        assert blocks._may_have_value_key(content)
