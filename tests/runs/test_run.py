"""A run opened again: its metrics alone at first, its rows by question."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import fieldwise
from fieldwise.errors import InputError, SettingError
from fieldwise.readers.pairs import MISSING
from fieldwise.runs import Run, open_run
from tests.folders import stored_rows
from tests.runs.results import answer, difference, document, write_run

HEAVY = ("numpy", "pyarrow", "scipy", "pandas", "pydantic", "rich")
OPEN = """
import sys
from fieldwise.runs import open_run
print(open_run(sys.argv[1]).metrics.document_count, *sorted(set(sys.argv[2:]) & set(sys.modules)))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 12 documents, some values of which are wrong, and a prediction that nobody expected."""
    pairs = {f"d{number:02d}": document(number, wrong=["name"] if number % 3 else ["items"]) for number in range(12)}
    return write_run(tmp_path_factory.mktemp("run"), {**pairs, "more": (MISSING, {"name": "a"})})


@pytest.fixture(scope="module")
def run(folder: Path) -> Run:
    """The same, opened."""
    return open_run(folder)


def test_metrics_are_read_without_anything_heavy(folder: Path) -> None:
    """In a new process neither numpy nor Arrow nor scipy is loaded to open a run and look at its metrics."""
    done = subprocess.run(
        [sys.executable, "-c", OPEN, folder, *HEAVY], capture_output=True, text=True, encoding="utf-8", check=True
    )
    assert done.stdout.split() == ["12"]


def test_damaged_rows_don_t_matter_to_metrics(folder: Path, tmp_path: Path) -> None:
    """Opening reads no table; what is wrong with one is told when it is asked for."""
    shutil.copytree(folder, tmp_path / "copy")
    for path in (tmp_path / "copy").glob("*/*.parquet"):
        path.write_bytes(b"no table")
    damaged = open_run(tmp_path / "copy")
    assert damaged.metrics.document_count == 12
    for ask in (damaged.documents, damaged.fields, lambda: list(damaged.verdicts())):
        with pytest.raises(InputError, match="it is not as the evaluation wrote it"):
            ask()


def test_verdicts_of_a_field_and_of_a_document(folder: Path, run: Run) -> None:
    """Each question has the rows that a filter of the whole table has."""
    whole = stored_rows(folder, "verdicts")
    asked: tuple[dict[str, Any], ...] = ({}, {"field": "items.sku"}, {"document": "d03"})
    for question in (*asked, {"field": "name", "document": "d01"}):
        found = [row for table in run.verdicts(**question) for row in table.to_pylist()]
        assert found == [row for row in whole if all(row[name] == value for name, value in question.items())]
    chosen = [table.to_pylist() for table in run.verdicts(where={"outcome": ["missed"]}, columns=["path"])]
    assert chosen == [[{"path": row["path"]} for row in whole if row["outcome"] == "missed"]]


def test_counts_and_errors_of_a_field(folder: Path, run: Run) -> None:
    """They are those of the files, without the field; errors can be asked for by outcome, a page at a time."""
    counts = stored_rows(folder, "counts")
    assert run.fields() == tuple(sorted({row["field"] for row in counts}))
    for field in run.fields():
        own = [{k: v for k, v in row.items() if k != "field"} for row in counts if row["field"] == field]
        assert run.counts(field).to_pylist() == own
    errors = [row for row in stored_rows(folder, "errors") if row["field"] == "items.sku"]
    missed = [row["path"] for row in errors if row["outcome"] == "missed"]
    assert run.errors("items.sku")["path"].to_pylist() == [row["path"] for row in errors]
    assert run.errors("items.sku", outcome="missed", first=2, after=1)["path"].to_pylist() == missed[1:3]
    assert run.errors("items.sku", columns=["kind"])["kind"].to_pylist() == [row["kind"] for row in errors]


def test_an_outcome_that_nothing_has_is_an_empty_table(run: Run) -> None:
    """It has the columns and types of one with rows; the word wrong is every outcome but match."""
    whole = run.errors("items.sku")
    none = run.errors("items.sku", outcome="spurious")
    assert (len(none), none.schema) == (0, whole.schema)
    assert whole.schema.field("id").type == "string"
    assert run.errors("name", outcome="wrong")["outcome"].to_pylist() == ["mismatch"] * 8
    with pytest.raises(SettingError, match="No outcome is called 'mismtach'; did you mean 'mismatch'"):
        run.errors("name", outcome="mismtach")


def test_a_list_stands_for_the_fields_below_it(folder: Path, run: Run) -> None:
    """Errors and verdicts are those of ``show --field items``; counts are of one field, and the names are said."""
    errors = run.errors("items")
    below = [row for row in stored_rows(folder, "errors") if row["field"].startswith("items.")]
    assert errors.select(["field", "path"]).to_pylist() == [{k: row[k] for k in ("field", "path")} for row in below]
    rows = [row for row in stored_rows(folder, "verdicts") if row["field"].startswith("items.")]
    assert run.verdicts(field="items").to_arrow().to_pylist() == rows
    with pytest.raises(SettingError, match=r"the fields below it are items\.price, items\.sku"):
        run.counts("items")


@pytest.mark.parametrize("ask", ["errors", "counts", "verdicts"])
def test_a_misspelt_field_is_refused_with_the_nearest_name(run: Run, ask: str) -> None:
    """As on the command line; nothing is empty because of a typing error."""
    with pytest.raises(SettingError, match=r"is called 'items\.skv'; did you mean 'items\.sku'") as no:
        run.verdicts(field="items.skv") if ask == "verdicts" else getattr(run, ask)("items.skv")
    assert (no.value.code, no.value.facts) == ("field.unknown", {"field": "items.skv", "nearest": "items.sku"})


def test_an_id_that_no_document_has_is_refused(run: Run) -> None:
    """With the nearest id, before anything is read of the verdicts."""
    with pytest.raises(SettingError, match="has the id 'd99'; did you mean 'd09'") as no:
        run.verdicts(document="d99")
    assert no.value.code == "run.unknown_document"


def test_runs_with_other_fields_are_compared(tmp_path: Path) -> None:
    """A field that one run alone has counts nowhere in the other."""
    less = {f"d{k:02d}": ({"name": f"n{k}"}, {"name": f"n{k}"}) for k in range(6)}
    more = {name: (expected, predicted | {"tag": "x"}) for name, (expected, predicted) in less.items()}
    base, other = write_run(tmp_path / "less", less), open_run(write_run(tmp_path / "more", more))
    found = open_run(base).diff(other)
    assert (found.fields["tag"].delta, {flip.field for flip in found.flips.shown}) == (None, {"tag"})


def test_failures_and_spec(folder: Path, run: Run) -> None:
    """What needs a look is there with its kind, and the spec as JSON Schema."""
    assert [(one.doc_id, one.kind) for one in run.failures()] == [("more", "no_expected")]
    assert run.spec() == json.loads((folder / "spec.json").read_bytes())
    assert run.spec_name == str(folder / "spec.json")


def test_metrics_alone_have_no_rows(folder: Path) -> None:
    """What to do to get them is said."""
    alone = open_run(folder / "metrics.json")
    assert not alone.has_rows
    for ask in (lambda: alone.need_rows("This"), lambda: list(alone.verdicts()), alone.documents, alone.fields):
        with pytest.raises(InputError, match="evaluate"):
            ask()


def test_a_run_is_asked_what_the_commands_say(tmp_path: Path) -> None:
    """``diff``, ``gate``, ``calibrate`` and ``sweep`` of an opened run give the figures that the commands print."""
    base = write_run(tmp_path / "base", {f"d{k:02d}": document(k) for k in range(12)})
    worse = {f"d{k:02d}": document(k, wrong=["name"] if k % 3 == 0 else []) for k in range(12)}
    other = write_run(tmp_path / "other", worse)
    run = fieldwise.open_run(base)
    found = run.diff(other)
    assert found.finding == run.diff(fieldwise.open_run(other)).finding == difference(base, other)["finding"]
    decision = answer("--baseline", base, other)["decision"]
    assert run.gate(other).decision == run.gate(fieldwise.open_run(other)).decision == decision
    same = run.gate(base, {"margin": 0.01}, margin=0.03, metric="precision")
    assert same.passed
    assert (same.decision, same.policy.margin, same.metric) == ("pass", 0.03, "precision")
    assert run.gate(other).passed == (decision == "pass")
    with pytest.raises(InputError, match="is 0 or 1"):
        run.sweep("name")
    with pytest.raises(InputError, match="confidence"):
        run.calibrate()
