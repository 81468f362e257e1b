"""Counts and errors by field: what the verdicts say, whatever the shards, trials and failures."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from examples.generate_invoices import generate

from fieldwise import InputError, evaluate_pairs, open_pairs, open_run
from fieldwise.tables.compared import ComparedRows
from fieldwise.tables.documents import DocumentRows, truth_of
from fieldwise.tables.verdict_columns import VALUE_COLUMNS
from tests.folders import part_of, stored_rows

Row = dict[str, Any]
COLUMNS = {"match": "tp", "mismatch": "fd", "spurious": "fa", "missed": "fn"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Invoices by the size of their shards: some have two trials, one cannot be read, one has alternates."""
    root = tmp_path_factory.mktemp("derived")
    made = list(generate(50, 3))
    lines = [{"id": f"d{n}", "expected": one.expected, "predicted": one.predicted} for n, one in enumerate(made)]
    again = [{**line, "predicted": made[(n + 1) % 50].predicted} for n, line in enumerate(lines) if n % 5 == 0]
    lines[2]["alternates"] = {"invoice_number": [made[2].predicted.get("invoice_number"), "other"]}
    texts = [json.dumps(line) for line in [*lines, *again]]
    texts[7] = texts[7][:-3]
    (root / "pairs.jsonl").write_text("\n".join(texts) + "\n", encoding="utf-8")
    for size in (7, 1000):
        evaluate_pairs(open_pairs(root / "pairs.jsonl"), out=root / str(size), shard_documents=size)
    return {size: root / str(size) for size in (7, 1000)}


def numbered(folder: Path) -> list[tuple[int, Row]]:
    """Return the verdict rows, each with the number of its document: its row among documents."""
    numbers = {(row["document"], row["trial"]): number for number, row in enumerate(stored_rows(folder, "documents"))}
    return [(numbers[row["document"], row["trial"]], row) for row in stored_rows(folder, "verdicts")]


def test_counts_are_those_of_the_verdicts(runs: dict[int, Path]) -> None:
    """Every field of every document has its values counted by outcome; what is absent has no row."""
    wanted: dict[tuple[str, int], Counter[str]] = {}
    in_list: set[str] = set()
    for number, row in numbered(runs[7]):
        wanted.setdefault((row["field"], number), Counter())[COLUMNS[row["outcome"]]] += 1
        if (row["path"] or row["predicted_path"]) != row["field"]:
            in_list.add(row["field"])
    found = stored_rows(runs[7], "counts")
    assert {(row["field"], row["document"]): +Counter({k: row[k] for k in COLUMNS.values()}) for row in found} == wanted
    assert [(row["field"], row["document"]) for row in found] == sorted(wanted)
    run = open_run(runs[7])
    assert {field for field in run.fields() if run.is_listed(field)} == in_list
    assert 0 < len(in_list) < len(run.fields())


def test_errors_are_the_rows_that_are_not_plainly_right(runs: dict[int, Path]) -> None:
    """Wrong rows and matches that are not identical, with their columns, by field, outcome, document and path."""
    wanted = [
        (row["field"], row["outcome"], number, row["path"] or row["predicted_path"], row)
        for number, row in numbered(runs[7])
        if row["outcome"] in ("mismatch", "missed", "spurious")
        or (row["outcome"] == "match" and (row["accepted"] is not None or row["alternate_index"] is not None))
    ]
    found = stored_rows(runs[7], "errors")
    assert {row["outcome"] for row in found} == {"match", "mismatch", "missed", "spurious"}
    assert len(found) == len(wanted)
    for row, (_, _, number, _, verdict) in zip(found, sorted(wanted, key=lambda one: one[:4]), strict=True):
        assert row.pop("document") == number
        assert row == {name: verdict[name] for name in row}


@pytest.mark.parametrize("name", ["counts", "errors", "scores"])
def test_a_group_of_rows_ends_with_a_field(runs: dict[int, Path], name: str) -> None:
    """So one field is read without most others, and its name is plain text."""
    file = pq.ParquetFile(part_of(runs[7], name))
    groups: list[Any] = [
        file.read_row_group(k, columns=["field"])["field"].to_pylist() for k in range(file.num_row_groups)
    ]
    assert all(one[-1] != other[0] for one, other in pairwise(groups))
    assert [field for group in groups for field in group] == sorted(field for group in groups for field in group)
    assert file.schema_arrow.field("field").type == pa.string()


@pytest.mark.parametrize("name", ["counts", "errors", "documents", "verdicts"])
def test_shards_don_t_show(runs: dict[int, Path], name: str) -> None:
    """The same rows, however the documents were divided."""
    assert stored_rows(runs[7], name) == stored_rows(runs[1000], name)


def test_nothing_is_kept_of_nothing() -> None:
    """A shard without a document that could be compared has no counts, no errors and no scores."""
    found = ComparedRows().to_tables(DocumentRows(), with_values=True)
    assert [len(table) for table in (found.counts, found.errors, found.scores)] == [0, 0, 0]


def test_the_truth_is_what_the_document_holds(tmp_path: Path) -> None:
    """The order of keys, predictions, confidences and alternates beside the document don't change it; values do."""
    lines: list[Row] = [
        {"id": "a", "expected": {"x": 1, "y": "b"}, "predicted": {"x": 1}},
        {"id": "b", "expected": {"y": "b", "x": 1}, "predicted": {"x": 2}},
        {"id": "c", "expected": {"x": 1, "y": "b"}, "predicted": {"x": {"_value": 2, "_confidence": 0.5}}},
        {"id": "d", "expected": {"x": 1, "y": "b"}, "predicted": {"x": 2}, "alternates": {"x": [2]}},
        {"id": "e", "expected": {"x": 1, "y": "c"}, "predicted": {"x": 1}},
        {"id": "f", "expected": {"x": 10**30, "y": "b"}, "predicted": {"x": 1}},
        {"id": "g", "predicted": {"x": 1}},
    ]
    evaluate_pairs(lines, out=tmp_path / "out")
    truths = {row["document"]: row["truth"] for row in stored_rows(tmp_path / "out", "documents")}
    assert truths["a"] == truths["b"] == truths["c"] == truths["d"] == truth_of({"x": 1, "y": "b"})
    assert len({truths["a"], truths["e"], truths["f"]}) == 3
    assert truths["g"] is None


def test_without_values_there_is_no_value(tmp_path: Path) -> None:
    """There are no pairs, and errors say where and what they are, not what stands there; all else is the same."""
    pairs = [("a", {"x": "one"}, {"x": "another"})]
    evaluate_pairs(pairs, out=tmp_path / "out", values=False)
    evaluate_pairs(pairs, out=tmp_path / "whole")
    assert not (tmp_path / "out" / "pairs").exists()
    (row,), (whole,) = (stored_rows(tmp_path / name, "errors") for name in ("out", "whole"))
    without = dict.fromkeys(VALUE_COLUMNS)
    assert row == {**whole, **without}
    assert stored_rows(tmp_path / "out", "counts") == stored_rows(tmp_path / "whole", "counts")
    with pytest.raises(InputError, match="which were not kept"):
        open_run(tmp_path / "out").verdicts()
