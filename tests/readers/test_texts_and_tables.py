"""Documents that are text in a fence, rows of tables, lines of standard input, or Python objects."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from fieldwise import InputError, evaluate_pairs, open_pairs
from fieldwise.readers.envelopes import inside_fence
from fieldwise.readers.source import FromText, Unreadable
from fieldwise.results.notes import Note
from tests.command_line import run
from tests.readers.files import read_all, write_folder, write_lines

DOCUMENT = {"number": "INV-1", "total": 5}
FENCED = [
    "```json\n{}\n```",
    "```\n{}```",
    "Here it is:\n\n```JSON\r\n{}\r\n```\nAnything else?",
    "```json {} ```",
    "```json\n{}",
]


@pytest.mark.parametrize("text", FENCED)
def test_a_fenced_prediction_is_read(text: str, tmp_path: Path) -> None:
    """In a file, as a line, as a text in a pair and as one in an envelope; each is noted."""
    fenced = text.replace("{}", json.dumps(DOCUMENT))
    expected = write_folder(tmp_path / "expected", {"a": DOCUMENT})
    predicted = write_folder(tmp_path / "predicted", {"a": fenced.encode()})
    [pair] = read_all(expected, predicted)
    assert pair.predicted == FromText(DOCUMENT, "fence")
    sources = [open_pairs(expected, predicted), open_pairs([("a", DOCUMENT, fenced)])]
    lines = write_lines(tmp_path / "expected.jsonl", [{"id": "a", **DOCUMENT}])
    sources.append(open_pairs(lines, write_lines(tmp_path / "answers.jsonl", [{"id": "a", "output": fenced}])))
    if "\n" not in fenced:
        line = text.replace("{}", json.dumps({"id": "b", **DOCUMENT})).encode()
        sources.append(
            open_pairs(
                write_lines(tmp_path / "e.jsonl", [{"id": name, **DOCUMENT} for name in "ab"]),
                write_lines(tmp_path / "p.jsonl", [{"id": "a", **DOCUMENT}, line]),
            )
        )
    for source in sources:
        metrics = evaluate_pairs(source).metrics
        assert metrics.aggregate.strict_f1 == 1.0
        assert metrics.notes == (Note.of("input.read_from_text", fence=1),)


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text())))
def test_a_fence_changes_no_value(document: Any) -> None:
    """Whatever is in it comes out, also where it holds fences itself."""
    text = json.dumps({"held": document, "code": "```json\n```"})
    assert inside_fence(f"So:\n```json\n{text}\n```\nDone.".encode()) == f"{text}\n".encode()


def test_a_text_that_holds_json_is_read() -> None:
    """It is noted on its own; a text that holds none is still a wrong prediction."""
    pairs = [("a", DOCUMENT, json.dumps(DOCUMENT)), ("b", DOCUMENT, "sorry"), ("c", DOCUMENT, '{"number": ')]
    metrics = evaluate_pairs(pairs).metrics
    assert metrics.documents == {"scored": 1, "unreadable_prediction": 1, "wrong_prediction": 1}
    assert metrics.notes == (Note.of("input.read_from_text", text=1),)


def test_expected_documents_are_not_read_from_fences(tmp_path: Path) -> None:
    """The truth is JSON; a fenced one is a failure."""
    fenced = f"```json\n{json.dumps(DOCUMENT)}\n```".encode()
    [pair] = read_all(write_folder(tmp_path / "e", {"a": fenced}), write_folder(tmp_path / "p", {"a": fenced}))
    assert isinstance(pair.expected, Unreadable)
    assert isinstance(pair.predicted, FromText)


def test_workers_and_shards_count_the_same_texts(tmp_path: Path) -> None:
    """How many predictions were text is a sum as any other."""
    pairs = [(f"d{k}", DOCUMENT, f"```json\n{json.dumps(DOCUMENT)}\n```") for k in range(20)]
    one = evaluate_pairs(pairs, out=tmp_path / "one")
    many = evaluate_pairs(pairs, out=tmp_path / "many", shard_documents=3, workers=2)
    assert one.metrics == many.metrics
    assert one.metrics.notes == (Note.of("input.read_from_text", fence=20),)


def write_table(path: Path, rows: list[list[str]], delimiter: str = ",") -> Path:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8-sig")
    return path


def pairs_by_id(*paths: Path) -> dict[str, tuple[Any, Any]]:
    source = open_pairs(*paths)
    return {pair.id: (pair.expected, pair.predicted) for shard in source.shards(2) for pair in shard.read()}


@pytest.mark.parametrize(("suffix", "delimiter"), [("csv", ","), ("csv", ";"), ("tsv", "\t")])
def test_tables_of_values_are_read(suffix: str, delimiter: str, tmp_path: Path) -> None:
    """Headers are paths, an empty cell is absent, cells are text, rows and columns come in any order."""
    left = [["id", "seller.name", "total", r"a\.b"], ["x", "Acme, Ltd", "007", "u"], ["y", "", " ", "v\nw"]]
    right = [["total", "id", r"a\.b"], ["5", "y", ""], ["7", "x", "u"]]
    expected = write_table(tmp_path / f"e.{suffix}", left, delimiter)
    predicted = write_table(tmp_path / f"p.{suffix}", right, delimiter)
    assert pairs_by_id(expected, predicted) == {
        "x": (
            {"id": "x", "seller": {"name": "Acme, Ltd"}, "total": "007", "a.b": "u"},
            {"id": "x", "total": "7", "a.b": "u"},
        ),
        "y": ({"id": "y", "a.b": "v\nw"}, {"id": "y", "total": "5"}),
    }
    metrics = evaluate_pairs(open_pairs(expected, predicted)).metrics
    assert "id" not in metrics.fields
    assert metrics.notes == ()


@pytest.mark.parametrize(
    ("header", "names", "notes"),
    [
        ("file", ("a", "b"), [Note.of("input.matched_by_column", column="file")]),
        ("file", ("a", "a"), [Note.of("input.matched_by_position", unit="rows", without=["e.csv", "p.csv"])]),
        ("doc_id", ("a", "b"), []),
    ],
)
def test_the_column_that_identifies_is_found_and_said(
    header: str, names: tuple[str, str], notes: list[Note], tmp_path: Path
) -> None:
    """A column that is called an id, else the first one if nothing repeats in it, else the number of the row."""
    rows = [[header, "total"], [names[0], "1"], [names[1], "2"]]
    expected, predicted = write_table(tmp_path / "e.csv", rows), write_table(tmp_path / "p.csv", rows)
    found = evaluate_pairs(open_pairs(expected, predicted))
    assert list(found.metrics.notes) == notes
    assert (header in found.metrics.fields) == (names == ("a", "a"))
    assert found.metrics.document_count == 2


def test_a_table_meets_a_file_of_lines(tmp_path: Path) -> None:
    """Truth in a spreadsheet, predictions as JSON Lines."""
    table = write_table(tmp_path / "e.csv", [["id", "total"], ["a", "5.50"], ["b", "7"]])
    lines = write_lines(tmp_path / "p.jsonl", [{"id": "b", "total": 7}, {"id": "a", "total": 5.5}])
    assert evaluate_pairs(open_pairs(table, lines)).metrics.aggregate.strict_f1 == 1.0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "has no header"),
        ([["id", "a", "a.b"], ["1", "2", "3"]], "columns 'a' and 'a.b', which cannot both be"),
        ([["id", "a", "a"], ["1", "2", "3"]], "columns 'a' and 'a'"),
        ([["id", "a[0]"], ["1", "2"]], "Expected the path of a field"),
        ([["id", "a"], ["1", "2", "3"]], "Row 1 of .* has 3 cells, its header 2 names"),
    ],
)
def test_tables_that_cannot_be_meant_are_refused(rows: list[list[str]], message: str, tmp_path: Path) -> None:
    """With the file, and the row or the column."""
    good = write_table(tmp_path / "good.csv", [["id", "a"], ["1", "2"]])
    with pytest.raises(InputError, match=message):
        open_pairs(good, write_table(tmp_path / "bad.csv", rows))


ROWS = [["id", "name", "total"], *([str(k), f"name{k}", f"{k}.5"] for k in range(1, 51))]


def test_an_open_quote_is_refused_with_its_row(tmp_path: Path) -> None:
    """It would swallow all rows that follow, and their documents would be in no count."""
    good = write_table(tmp_path / "good.csv", ROWS)
    lines = good.read_text("utf-8-sig").splitlines()
    for cell, rest in (('"name21', lines[22:]), ('"name21', [*lines[22:30], '99,"x",1'])):
        bad = tmp_path / "bad.csv"
        bad.write_text("\n".join([*lines[:21], f"21,{cell},21.5", *rest]))
        for sides in ((bad, good), (good, bad)):
            done = run("evaluate", *sides)
            assert done.returncode == 2
            assert "bad.csv cannot be read as a table: row 21: a quoted cell is not closed" in done.stderr


def test_short_rows_are_named(tmp_path: Path) -> None:
    """What is not there is absent, as a short row says; nobody finds out by the numbers alone."""
    good = write_table(tmp_path / "good.csv", ROWS)
    short = write_table(tmp_path / "short.csv", [ROWS[0], *(row[: 3 - k % 2] for k, row in enumerate(ROWS[1:]))])
    note = Note.of("input.short_rows", file="short.csv", count=25, first=2)
    assert evaluate_pairs(short, predicted=good).metrics.notes[0] == note


@pytest.mark.parametrize(("before", "delimiter"), [("", "|"), ("sep=;\n", ";"), ("sep=~\r\n", "~")])
def test_other_separators_are_read(before: str, delimiter: str, tmp_path: Path) -> None:
    """A bar, and what a first line says, as spreadsheets write it."""
    good, other = write_table(tmp_path / "good.csv", ROWS), tmp_path / "other.csv"
    other.write_text(before + "\n".join(delimiter.join(row) for row in ROWS))
    assert evaluate_pairs(other, predicted=good).metrics.aggregate.tp == 100


def test_a_header_of_a_path_of_a_thousand_levels_is_refused(tmp_path: Path) -> None:
    """In one sentence, without all of the path."""
    deep = write_table(tmp_path / "deep.csv", [["id", ".".join("a" * 1500)], ["1", "2"]])
    done = run("evaluate", deep, deep)
    assert done.returncode == 2
    assert "Expected the path of a field such as seller.name in the header of" in done.stderr
    assert len(done.stderr) < 500


NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=5)
CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)


@given(st.dictionaries(NAMES, CELLS, min_size=1, max_size=4).filter(lambda d: "id" not in d))
def test_any_text_survives_a_table(tmp_path_factory: pytest.TempPathFactory, document: dict[str, str]) -> None:
    """A document of texts is the same from a table as from JSON."""
    folder = tmp_path_factory.mktemp("table")
    escaped = [name.replace("\\", "\\\\").replace(".", "\\.").replace("[", "\\[") for name in document]
    table = write_table(folder / "t.csv", [["id", *escaped], ["x", *document.values()]])
    held = {name: cell for name, cell in document.items() if cell.strip()}
    assert pairs_by_id(table, table)["x"][0] == {"id": "x", **held}


@pytest.mark.parametrize("form", ["lines", "list", "one"])
def test_standard_input_is_one_side(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As JSON Lines, as a list, or as a single document."""
    documents = [{"id": name, "total": k} for k, name in enumerate("abc")][: 1 if form == "one" else 3]
    text = json.dumps(documents) if form == "list" else "\n".join(map(json.dumps, documents))
    path = write_lines(tmp_path / "e.jsonl", documents)
    fingerprints = set()
    for sides in ((path, "-"), ("-", path), (path, "-")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        source = open_pairs(*sides)
        fingerprints.add(source.fingerprint())
        assert evaluate_pairs(source).metrics.aggregate.tp == len(documents)
    assert len(fingerprints) == 2


def test_pairs_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """One input alone may be ``-``; two may not."""
    text = json.dumps({"id": "a", "expected": DOCUMENT, "predicted": DOCUMENT})
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert evaluate_pairs(open_pairs("-")).metrics.aggregate.tp == 2
    with pytest.raises(InputError, match="Only one of the two sides"):
        open_pairs("-", "-")


class Invoice(BaseModel):
    number: str
    due: dt.date


def test_pairs_in_memory_are_evaluated_as_files_are(tmp_path: Path) -> None:
    """Tuples, dicts, models, a generator: the numbers are those of a file with the same documents."""
    expected = [{"number": f"INV-{k}", "due": f"2024-01-{k + 1:02}"} for k in range(9)]
    predicted = [{"number": f"INV-{k}", "due": f"2024-01-{k + k // 6 + 1:02}"} for k in range(9)]
    pairs = [(f"d{k}", *both) for k, both in enumerate(zip(expected, predicted, strict=True))]
    dicts = [dict(zip(("id", "expected", "predicted"), pair, strict=True)) for pair in pairs]
    models = ((name, Invoice(**e), Invoice(**p)) for name, e, p in pairs)
    file = evaluate_pairs(open_pairs(write_lines(tmp_path / "pairs.jsonl", dicts))).metrics
    for given_pairs in (pairs, dicts, models):
        assert evaluate_pairs(given_pairs).metrics == file
    assert file.aggregate.fd == 3


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "Expected pairs of documents, got none"),
        ([1], r"got an int - at pairs\[0\]"),
        ([("a", {}, {}), {"x": 1}], r"got the keys 'x' - at pairs\[1\]"),
    ],
)
def test_what_are_no_pairs_is_refused(pairs: Any, message: str) -> None:
    """With the place, and what was expected."""
    with pytest.raises(InputError, match=message):
        evaluate_pairs(pairs)


def test_a_number_beyond_floats_is_text_everywhere(tmp_path: Path) -> None:
    """It is compared as its text, and literal infinities are absent, in files, lines and data frames alike."""
    expected = write_folder(tmp_path / "e", {"a": b'{"x": 1e999, "y": Infinity}'})
    [pair] = read_all(expected, write_folder(tmp_path / "p", {"a": b'{"x": 1e999, "y": NaN}'}))
    assert pair[1:3] == ({"x": "1e999", "y": None}, {"x": "1e999", "y": None})
    lines = write_lines(tmp_path / "pairs.jsonl", [b'{"id": "a", "expected": {"x": 1e999}, "predicted": {"x": 1e400}}'])
    [pair] = read_all(lines)
    assert pair[1:3] == ({"x": "1e999"}, {"x": "1e400"})
