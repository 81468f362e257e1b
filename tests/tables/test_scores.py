"""The histogram of raw scores: what the verdict rows say, exactly or in steps, whatever the shards."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise import Spec, evaluate_pairs, open_run
from fieldwise.errors import InputError, SettingError
from fieldwise.results import ScoreCount, ScoreHistogram
from fieldwise.runs.folder_run import FolderRun
from fieldwise.tables.scores import MAX_SCORES, SCORES, join_scores, tally_scores
from tests.folders import part_of

TEXT = {"type": "string", "x-aws-stickler-comparator": "LevenshteinComparator", "x-aws-stickler-threshold": 0.7}
ROWS = {"type": "array", "items": {"type": "object", "properties": {"sku": TEXT, "n": {"type": "integer"}}}}
SPEC = Spec.from_json_schema({"type": "object", "properties": {"name": TEXT, "long": TEXT, "rows": ROWS}})
Tally = dict[tuple[float, bool], int]


def pairs() -> Iterator[tuple[str, Any, Any]]:
    """Yield documents: `long` has far more different scores than are kept, rows are rejected, types differ."""
    draw = random.Random(5)
    for number in range(1300):
        size = draw.randrange(200, 900)
        long = "x" * size, "x" * draw.randrange(1, size)
        name = draw.choice(["abcdefghij", "abcdefghix", "abcxyzuvwq", "abcdefgh", {"x": 1}, None])
        rows = [{"sku": "abc", "n": 1}], [{"sku": draw.choice(["abc", "abd", "xyz"]), "n": draw.randrange(3)}]
        expected = {"name": "abcdefghij", "long": long[0], "rows": rows[0]}
        yield f"d{number}", expected, {"name": name, "long": long[1], "rows": rows[1]}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Return the folders of the same documents in shards of different sizes."""
    root = tmp_path_factory.mktemp("scores")
    for size in (113, 1000):
        evaluate_pairs(list(pairs()), SPEC, out=root / str(size), shard_documents=size)
    return {size: root / str(size) for size in (113, 1000)}


@pytest.fixture(scope="module")
def run(runs: dict[int, Path]) -> FolderRun:
    return open_run(runs[113])


def rows_of(folder: Path, field: str) -> Tally:
    """Count the verdict rows of a field that both sides have by their score, and whether it decided."""
    table = open_run(folder).verdicts(columns=["field", "outcome", "raw_score", "reason"]).to_arrow()
    return Counter(
        (row["raw_score"], row["reason"] not in ("row", "type", "comparator"))
        for row in table.to_pylist()
        if row["field"] == field and row["outcome"] in ("match", "mismatch")
    )


def tally_of(histogram: ScoreHistogram) -> Tally:
    return {(score.raw_score, score.scored): score.values for score in histogram.scores}


def test_a_histogram_has_every_value_that_both_sides_have(runs: dict[int, Path], run: FolderRun) -> None:
    """Few scores are exact, with values that another rule decided told apart; many are rounded down to steps."""
    for field in ("name", "rows.sku"):
        assert run.score_histogram(field).exact
        assert tally_of(run.score_histogram(field)) == rows_of(runs[113], field)
        assert {scored for _, scored in tally_of(run.score_histogram(field))} == {True, False}
    rows = rows_of(runs[113], "long")
    assert len(rows) > MAX_SCORES
    long = run.score_histogram("long")
    rounded: Tally = Counter()
    for (raw, scored), values in rows.items():
        rounded[max(step / 1000 for step in range(1001) if step / 1000 <= raw), scored] += values
    assert (long.exact, long.values, tally_of(long)) == (False, sum(rows.values()), rounded)


def test_shards_leave_no_trace(runs: dict[int, Path]) -> None:
    """Nor do they decide whether scores are rounded."""
    one, other = (open_run(runs[size]) for size in (113, 1000))
    assert one.fields() == other.fields()
    assert all(one.score_histogram(field) == other.score_histogram(field) for field in one.fields())
    assert pq.read_schema(part_of(runs[113], "scores")) == SCORES


@pytest.mark.parametrize("field", ["name", "long", "rows.sku"])
def test_counts_at_a_threshold_are_those_of_a_sweep(run: FolderRun, field: str) -> None:
    """At every threshold of the sweep, without reading a verdict row."""
    thresholds = [step / 100 for step in range(101)]
    for point in run.sweep(field, thresholds).points:
        counts = run.counts_at(field, point.threshold)
        assert (counts.tp, counts.fd, counts.fa, counts.fn) == (point.tp, point.fd, point.fa, point.fn)
    with pytest.raises(SettingError, match="from 0 to 1"):
        run.counts_at(field, 1.5)


@given(st.lists(st.tuples(st.integers(0, 3000), st.booleans(), st.integers(0, 7)), max_size=60), st.data())
def test_dividing_values_changes_nothing(values: list[tuple[int, bool, int]], data: st.DataObject) -> None:
    """Any division into shards, in any order, gives the same bytes, be there few or many different scores."""
    many = data.draw(st.booleans())
    rows = [(number / 3000, scored, shard) for number, scored, shard in values]
    rows += [(k / 2999, True, data.draw(st.integers(0, 1)) * 7) for k in range(1200)] if many else []
    parts = [[row for row in rows if row[2] == shard] for shard in data.draw(st.permutations(range(8)))]
    tables = [_table(part) for part in parts if part]
    if rows:
        joined = join_scores("f", tables)
        assert joined.equals(join_scores("f", [_table(rows)]))
        assert joined["exact"][0].as_py() == (len({raw for raw, _, _ in rows}) <= MAX_SCORES)


def _table(rows: list[tuple[float, bool, int]]) -> pa.Table:
    raw, scored = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    return tally_scores(np.zeros(len(rows), np.int64), ["f"], raw, scored, np.zeros(1, np.int64))


def test_a_histogram_comes_back_as_it_was(run: FolderRun) -> None:
    """It is a result: JSON in and out."""
    histogram = run.score_histogram("name")
    assert ScoreHistogram.from_json(histogram.to_json()) == histogram
    assert isinstance(histogram.scores[0], ScoreCount)


def test_scores_of_another_run_are_refused(runs: dict[int, Path], tmp_path: Path) -> None:
    """So are those that are gone."""
    copy = tmp_path / "copy"
    evaluate_pairs(list(pairs())[:50], SPEC, out=copy)
    path = part_of(copy, "scores")
    path.write_bytes(part_of(runs[113], "scores").read_bytes())
    with pytest.raises(InputError, match=path.name):
        open_run(copy).score_histogram("name")
    path.unlink()
    with pytest.raises(InputError, match=path.name):
        open_run(copy).score_histogram("name")
