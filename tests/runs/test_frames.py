"""Results as Arrow tables and data frames: the numbers of metrics.json and the rows of the files."""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import fieldwise
from fieldwise import Evaluation, InputError, MissingExtraError
from fieldwise.results import RATIOS
from fieldwise.runs.folder_run import FolderRun

EXPECTED = {
    f"d{k:02}": {"name": f"name {k}", "total": 10.0 + k, "note": None, "items": [{"sku": k}]} for k in range(25)
}
PREDICTED: dict[str, Any] = {
    **{name: {**document, "total": 1.0 if name > "d20" else document["total"]} for name, document in EXPECTED.items()},
    "d03": {"name": "<b>other</b>", "items": []},
    "more": {"name": "nobody expects it"},
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    """An evaluation that keeps rows."""
    return fieldwise.evaluate_pairs(EXPECTED, predicted=PREDICTED, out=tmp_path_factory.mktemp("run") / "results")


@pytest.fixture(scope="module")
def run(found: Evaluation) -> FolderRun:
    """The same, opened."""
    assert found.folder is not None
    return fieldwise.open_run(found.folder)


def test_the_field_table_has_the_numbers_of_the_metrics(found: Evaluation, run: FolderRun) -> None:
    """One row a field, worst first as in fields.csv, with counts, rates and intervals; what is undefined is NaN."""
    table, metrics = found.to_pandas(), found.metrics
    pd.testing.assert_frame_equal(run.to_pandas(), table)
    pd.testing.assert_frame_equal(metrics.to_pandas(), table)
    assert found.folder is not None
    with (found.folder / "fields.csv").open(encoding="utf-8", newline="") as file:
        assert list(table["field"]) == [row["field"] for row in csv.DictReader(file)]
    for row in table.to_dict("records"):
        field = metrics.fields[row["field"]]
        assert row["scope"] == field.scope
        for name in ("tp", "fd", "fa", "fn", "tn", "fp", "written_differently", "similar", "row_rejected"):
            assert row[name] == getattr(field, name)
        for ratio in RATIOS:
            rate = field.rates.of(ratio)
            said = (row[ratio], row[f"{ratio}_low"], row[f"{ratio}_high"])
            assert [None if pd.isna(number) else number for number in said] == [rate.value, rate.low, rate.high]
            assert row[f"{ratio}_n"] == rate.n


def test_an_empty_table_has_the_same_columns(found: Evaluation) -> None:
    """Numbers stay numbers where there is no field and where nothing is defined."""
    empty = fieldwise.evaluate_pairs([("a", {"x": None}, {"x": None})]).to_arrow()
    assert empty.schema == found.to_arrow().schema


def test_rows_of_verdicts_come_in_parts_or_whole(found: Evaluation, run: FolderRun) -> None:
    """Whole they are those of all parts; of a question that nothing answers there are none, with the same columns."""
    assert found.folder is not None
    parts = [row for table in run.verdicts() for row in table.to_pylist()]
    assert run.verdicts().to_arrow().to_pylist() == parts
    assert len(parts) == sum(run.metrics.aggregate.to_dict()[cell] for cell in ("tp", "fd", "fa", "fn"))
    rows = found.verdicts(field="total", document="d03")
    assert rows.to_pandas()["outcome"].to_list() == ["missed"]
    assert [len(part) for part in rows] == [len(part) for part in rows] == [1]
    none = run.verdicts(where={"kind": ["ocr"]}, columns=["path", "score"])
    assert none.to_arrow().column_names == list(none.to_pandas()) == ["path", "score"]


def test_errors_name_their_documents(found: Evaluation, run: FolderRun) -> None:
    """Without columns there is what people look at; with columns, only these beside the place."""
    table = found.errors("total", outcome="mismatch").to_pandas()
    assert table["id"].to_list() == ["d21", "d22", "d23", "d24"]
    assert table["expected"].to_list() == ["31.0", "32.0", "33.0", "34.0"]
    assert set(table["predicted"]) == {"1.0"}
    assert run.errors("total", first=2, columns=["id"]).column_names == [
        *("id", "document", "outcome", "path", "predicted_path")
    ]
    assert "id" not in run.errors("total", columns=[]).column_names


def test_documents_as_a_table(found: Evaluation, run: FolderRun) -> None:
    """A row for each document, with its status, score, counts and what there is to know."""
    table = found.documents().to_pandas().set_index("document")
    assert len(table) == 26
    assert table.loc["more", "status"] == "no_expected"
    assert (table.loc["d03", "fd"], table.loc["d03", "fn"]) == (1, 2)
    assert isinstance(run.documents().to_arrow(), pa.Table)
    assert str(run.documents()).startswith("Documents that to_pandas() or to_arrow() reads, a row for each: ")


def test_an_evaluation_in_memory_says_how_to_get_rows() -> None:
    """It has its numbers, and keeps no rows."""
    found = fieldwise.evaluate_pairs(EXPECTED, predicted=PREDICTED)
    assert len(found.to_pandas()) == len(found.metrics.fields)
    for ask in (found.documents, found.verdicts, lambda: found.errors("total")):
        with pytest.raises(InputError, match="keeps its metrics, and no rows; evaluate with rows=True") as no:
            ask()
        assert no.value.code == "run.no_rows"


def test_without_pandas_the_extra_is_named(found: Evaluation, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what can be used in its place."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    for make in (found.to_pandas, found.verdicts().to_pandas, found.documents().to_pandas):
        with pytest.raises(MissingExtraError, match=r"fieldwise\[notebook\]', or use to_arrow\(\)"):
            make()
    assert len(found.to_arrow()) == len(found.metrics.fields)


def test_a_run_is_opened_by_path_or_text(found: Evaluation, tmp_path: Path) -> None:
    """The facade compares two runs without any other import."""
    found_again = fieldwise.evaluate_pairs(EXPECTED, found.spec, predicted=EXPECTED, out=tmp_path / "candidate")
    difference = found.run.diff(found_again.run)
    assert difference == found.run.diff(str(tmp_path / "candidate"))
