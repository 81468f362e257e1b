"""Every form of input gives the same pairs."""

from __future__ import annotations

import datetime as dt
import gzip
import json
import pickle
import zipfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fieldwise import InputError
from fieldwise.readers.pairs import MISSING, Conflicting, Pair, open_pairs, without_ids
from tests.readers.files import read_all, write_folder, write_lines, write_zip

EXPECTED = {f"inv-{i:02d}": {"number": f"A-{i}", "total": i * 1.5} for i in range(7)}
PREDICTED = {name: {**document, "total": 1.5} for name, document in EXPECTED.items()}
PAIRS = [Pair(name, EXPECTED[name], PREDICTED[name], False) for name in EXPECTED]


def envelopes(documents: dict[str, Any], key: str = "document") -> list[dict[str, Any]]:
    return [{"id": name, key: document} for name, document in documents.items()]


def pair_lines(*names: str) -> list[dict[str, Any]]:
    return [dict(zip(names, pair[:3], strict=True)) for pair in PAIRS]


def two_folders(tmp_path: Path) -> list[Path]:
    return [write_folder(tmp_path / "e", EXPECTED), write_folder(tmp_path / "p", PREDICTED)]


def one_folder(tmp_path: Path) -> list[Path]:
    write_folder(tmp_path / "set" / "expected", EXPECTED)
    write_folder(tmp_path / "set" / "predictions", PREDICTED)
    return [tmp_path / "set"]


def two_jsonl(tmp_path: Path) -> list[Path]:
    return [
        write_lines(tmp_path / "e.jsonl", envelopes(EXPECTED)),
        write_lines(tmp_path / "p.ndjson", envelopes(PREDICTED, "inference_result")),
    ]


def two_jsonl_in_other_order(tmp_path: Path) -> list[Path]:
    predicted = envelopes(PREDICTED, "predicted")[::-1]
    return [
        write_lines(tmp_path / "e.jsonl", envelopes(EXPECTED, "expected")),
        write_lines(tmp_path / "p.jsonl", predicted),
    ]


def two_gzip(tmp_path: Path) -> list[Path]:
    paths = []
    for name, documents in (("e", EXPECTED), ("p", PREDICTED)):
        lines = write_lines(tmp_path / name, envelopes(documents)).read_bytes()
        paths.append(tmp_path / f"{name}.jsonl.gz")
        paths[-1].write_bytes(gzip.compress(lines))
    return paths


def jsonl_of_pairs(tmp_path: Path) -> list[Path]:
    return [write_lines(tmp_path / "pairs.jsonl", pair_lines("id", "expected", "predicted"))]


def jsonl_of_pairs_with_other_names(tmp_path: Path) -> list[Path]:
    return [write_lines(tmp_path / "pairs.jsonl", pair_lines("doc_id", "ground_truth", "prediction"))]


def lines_named_json(tmp_path: Path) -> list[Path]:
    return [write_lines(tmp_path / "pairs.json", pair_lines("documentId", "gold", "pred"))]


def csv_of_paths(tmp_path: Path) -> list[Path]:
    two_folders(tmp_path)
    rows = [f"{name},e/{name}.json,p/{name}.json" for name in EXPECTED]
    (tmp_path / "files.csv").write_text("\n".join(["id,expected,predicted", *rows]), encoding="utf-8-sig")
    return [tmp_path / "files.csv"]


def one_zip(tmp_path: Path) -> list[Path]:
    expected = {f"set/expected/{name}.json": document for name, document in EXPECTED.items()}
    predicted = {f"set/predicted/{name}.json": document for name, document in PREDICTED.items()}
    return [write_zip(tmp_path / "set.zip", {**predicted, **expected})]


def two_zips(tmp_path: Path) -> list[Path]:
    return [
        write_zip(tmp_path / "e.zip", {f"{name}.json": document for name, document in EXPECTED.items()}),
        write_zip(tmp_path / "p.zip", {f"{name}.json": document for name, document in PREDICTED.items()}),
    ]


def folder_and_zip(tmp_path: Path) -> list[Path]:
    return [two_folders(tmp_path)[0], two_zips(tmp_path)[1]]


def json_lists(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "e.json", tmp_path / "p.json"]
    for path, documents in zip(paths, (EXPECTED, PREDICTED), strict=True):
        path.write_text(json.dumps(envelopes(documents), indent=2))
    return paths


def parquet_of_texts(tmp_path: Path) -> list[Path]:
    texts = {
        "id": list(EXPECTED),
        "expected": [json.dumps(document, indent=1) for document in EXPECTED.values()],
        "predicted": [json.dumps(document) for document in PREDICTED.values()],
    }
    pq.write_table(pa.table(texts), tmp_path / "pairs.parquet")
    return [tmp_path / "pairs.parquet"]


def parquet_folder_of_structs(tmp_path: Path) -> list[Path]:
    (tmp_path / "parts").mkdir()
    for i, part in enumerate((PAIRS[:3], PAIRS[3:])):
        rows = [{"id": pair.id, "expected": pair.expected, "predicted": pair.predicted} for pair in part]
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "parts" / f"{i}.parquet")
    return [tmp_path / "parts"]


def two_parquets(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / "e.parquet", tmp_path / "p.parquet"]
    pq.write_table(pa.Table.from_pylist(envelopes(EXPECTED)), paths[0])
    pq.write_table(pa.Table.from_pylist(envelopes(PREDICTED)[::-1]), paths[1])
    return paths


FORMS = [
    two_folders,
    one_folder,
    two_jsonl,
    two_jsonl_in_other_order,
    two_gzip,
    jsonl_of_pairs,
    jsonl_of_pairs_with_other_names,
    lines_named_json,
    csv_of_paths,
    one_zip,
    two_zips,
    folder_and_zip,
    json_lists,
    parquet_of_texts,
    parquet_folder_of_structs,
    two_parquets,
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("documents", [1, 3, 100])
def test_every_form_gives_the_same_pairs(form: Any, documents: int, tmp_path: Path) -> None:
    """Whatever the form and the size of shards, the pairs are the same, in the order of the expected documents."""
    assert read_all(*form(tmp_path), documents=documents) == PAIRS


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_a_sample(form: Any, tmp_path: Path) -> None:
    """The sample is the expected documents with the first ids, and no more than there are."""
    source = open_pairs(*form(tmp_path))
    assert source.sample(2) == list(EXPECTED.values())[:2]
    assert source.sample(100) == list(EXPECTED.values())


@pytest.mark.parametrize("form", FORMS)
def test_sizes_of_shards_add_up(form: Any, tmp_path: Path) -> None:
    """Progress ends at the total."""
    source = open_pairs(*form(tmp_path))
    assert sum(shard.size for shard in source.shards(2)) == source.total
    assert source.unit in ("documents", "bytes")


@pytest.mark.parametrize("form", FORMS)
def test_the_fingerprint_changes_with_the_input(form: Any, tmp_path: Path) -> None:
    """An input has the same fingerprint until one of its files changes."""
    paths = form(tmp_path)
    before = open_pairs(*paths).fingerprint()
    assert open_pairs(*paths).fingerprint() == before
    changed = paths[-1] if paths[-1].is_file() else next(file for file in sorted(paths[-1].rglob("*.*")))
    with changed.open("ab") as file:
        file.write(b"\n")
    if changed.suffix not in (".zip", ".parquet", ".gz"):
        assert open_pairs(*paths).fingerprint() != before


@pytest.mark.parametrize(
    ("form", "text"),
    [
        (two_folders, "2 folders, 7 documents"),
        (two_jsonl, "2 JSON Lines files, 924 bytes, matched by id"),
        (csv_of_paths, "CSV table of files, 7 documents"),
        (two_zips, "2 zips, 7 documents"),
        (folder_and_zip, "a folder and a zip, 7 documents"),
    ],
)
def test_a_source_describes_itself(form: Any, text: str, tmp_path: Path) -> None:
    """People are told what was found."""
    assert open_pairs(*form(tmp_path)).describe() == text


def test_two_json_files_are_one_pair(tmp_path: Path) -> None:
    """The id is the name of the expected file."""
    write_folder(tmp_path, {"a": {"x": 1}, "b": {"x": 2}})
    assert read_all(tmp_path / "a.json", tmp_path / "b.json") == [Pair("a", {"x": 1}, {"x": 2}, False)]


def test_one_json_file_holds_a_pair(tmp_path: Path) -> None:
    """A JSON file with both documents is read, pretty-printed or not."""
    (tmp_path / "pair.json").write_text(json.dumps({"truth": {"x": 1}, "pred": {"x": 2}}, indent=2))
    assert read_all(tmp_path / "pair.json") == [Pair("line-000001", {"x": 1}, {"x": 2}, False)]


def test_folders_are_matched_by_relative_path(tmp_path: Path) -> None:
    """Ids are paths without the suffix; what only one side has is there, with MISSING on the other."""
    expected = write_folder(tmp_path / "e", {"a/x": 1, "a": 2, "b/c/y": 3})
    predicted = write_folder(tmp_path / "p", {"a/x": 4, "a": 5, "a/z": 6})
    assert [pair[:3] for pair in read_all(expected, predicted)] == [
        ("a/x", 1, 4),
        ("a/z", MISSING, 6),
        ("a", 2, 5),
        ("b/c/y", 3, MISSING),
    ]


def test_hidden_files_are_ignored_and_that_is_said(tmp_path: Path) -> None:
    """What programs leave behind is no document."""
    expected = write_folder(tmp_path / "e", {"a": 1, ".b": 2, "__MACOSX/a": 3, ".git/c": 4})
    (expected / "notes.txt").write_text("")
    source = open_pairs(expected, write_folder(tmp_path / "p", {"a": 1}))
    assert [pair.id for shard in source.shards(9) for pair in shard.read()] == ["a"]
    assert source.describe() == "2 folders, 1 document; ignored: 1 .txt file, 3 hidden files"


def test_missing_is_one_object_in_all_processes() -> None:
    """A pickled MISSING is MISSING."""
    assert pickle.loads(pickle.dumps(MISSING)) is MISSING
    assert repr(MISSING) == "MISSING"


@pytest.mark.parametrize("key", ["id", "doc_id", "document_id", "documentId", "_id"])
def test_ids_have_several_names(key: str, tmp_path: Path) -> None:
    """The usual names of an id are known, and a number is an id too."""
    expected = write_lines(tmp_path / "e.jsonl", [{key: i, "x": i} for i in range(3)])
    predicted = write_lines(tmp_path / "p.jsonl", [{"id": str(i), "x": i} for i in range(3)])
    assert [pair.id for pair in read_all(expected, predicted)] == ["0", "1", "2"]


def test_lines_without_ids_are_matched_by_line(tmp_path: Path) -> None:
    """Where either file has no ids the number of the line decides; a blank line is no document."""
    expected = write_lines(tmp_path / "e.jsonl", [{"x": 1}, b"", {"x": 3}, {"x": 4}, b" "])
    predicted = write_lines(tmp_path / "p.jsonl", [{"id": "a", "x": 5}, {"x": 6}, b""])
    for documents in (1, 2, 9):
        assert [pair[:3] for pair in read_all(expected, predicted, documents=documents)] == [
            ("line-000001", {"x": 1}, {"id": "a", "x": 5}),
            ("line-000002", MISSING, {"x": 6}),
            ("line-000003", {"x": 3}, MISSING),
            ("line-000004", {"x": 4}, MISSING),
        ]


def test_a_line_without_id_among_others_has_that_of_its_number(tmp_path: Path) -> None:
    """Nothing is dropped for want of an id."""
    lines = [{"id": "a", "expected": 1, "predicted": 1}, {"expected": 2, "predicted": 2}]
    assert [pair.id for pair in read_all(write_lines(tmp_path / "p.jsonl", lines))] == ["a", "line-000002"]


@pytest.mark.parametrize("other_order", [False, True])
def test_what_only_one_file_has_is_there(other_order: bool, tmp_path: Path) -> None:
    """Expected without predicted and predicted without expected are pairs with MISSING."""
    expected = write_lines(tmp_path / "e.jsonl", [{"id": "a"}, {"id": "b"}])
    lines = [{"id": "a"}, {"id": "c"}]
    predicted = write_lines(tmp_path / "p.jsonl", lines[::-1] if other_order else lines)
    assert [pair[:3] for pair in read_all(expected, predicted)] == [
        ("a", {"id": "a"}, {"id": "a"}),
        ("b", {"id": "b"}, MISSING),
        ("c", MISSING, {"id": "c"}),
    ]


Trial = tuple[str, int, int, Any, Any]


def trials(pairs: list[Pair]) -> list[Trial]:
    """Return of each pair its id, which trial of how many it is, and both documents."""
    return [(pair.id, pair.trial, pair.trials, pair.expected, pair.predicted) for pair in pairs]


@pytest.mark.parametrize("other_order", [False, True])
@pytest.mark.parametrize("documents", [1, 2, 100])
def test_lines_with_the_same_id_are_trials(other_order: bool, documents: int, tmp_path: Path) -> None:
    """Where both files repeat an id, its lines are paired in their order and follow each other, whatever the order."""
    ids = ["x", "y", "x", "x#2", "x"]
    expected = write_lines(tmp_path / "e.jsonl", [{"id": name, "document": {"of": name}} for name in ids])
    lines = [{"id": name, "document": {"n": i}} for i, name in enumerate(ids)]
    predicted = write_lines(tmp_path / "p.jsonl", [lines[1], lines[0], *lines[2:]] if other_order else lines)
    shards = [list(shard.read()) for shard in open_pairs(expected, predicted).shards(documents)]
    assert trials([pair for shard in shards for pair in shard]) == [
        ("x", 1, 3, {"of": "x"}, {"n": 0}),
        ("x", 2, 3, {"of": "x"}, {"n": 2}),
        ("x", 3, 3, {"of": "x"}, {"n": 4}),
        ("y", 1, 1, {"of": "y"}, {"n": 1}),
        ("x#2", 1, 1, {"of": "x#2"}, {"n": 3}),
    ]
    assert all(len({pair.trial for pair in shard if pair.id == "x"}) in (0, 3) for shard in shards)


def test_one_truth_has_several_predictions(tmp_path: Path) -> None:
    """Every prediction of an id is compared with the one expected document; a missing one is missing in its trial."""
    expected = write_lines(tmp_path / "e.jsonl", [{"id": "a", "x": 1}, {"id": "b", "x": 2}, {"id": "b", "x": 2}])
    predicted = write_lines(tmp_path / "p.jsonl", [{"id": name, "x": x} for name, x in ("c3", "a4", "b5", "a6", "c7")])
    assert trials(without_ids_read(expected, predicted)) == [
        ("a", 1, 2, {"x": 1}, {"x": "4"}),
        ("a", 2, 2, {"x": 1}, {"x": "6"}),
        ("b", 1, 2, {"x": 2}, {"x": "5"}),
        ("b", 2, 2, {"x": 2}, MISSING),
        ("c", 1, 2, MISSING, {"x": "3"}),
        ("c", 2, 2, MISSING, {"x": "7"}),
    ]


def without_ids_read(*paths: Path) -> list[Pair]:
    """Return the pairs of two files of lines without the ids that match them."""
    source = without_ids(open_pairs(*paths))
    return [pair for shard in source.shards(2) for pair in shard.read()]


def test_expected_documents_of_one_id_that_differ_are_one_pair(tmp_path: Path) -> None:
    """It says so and names the id; a null and a missing key, 1 and 1.0 are no difference."""
    truths = [{"id": "a", "x": 1}, {"id": "b", "x": 1}, {"id": "a", "x": 2}, {"id": "b", "x": 1.0, "y": None}]
    predicted = write_lines(tmp_path / "p.jsonl", truths)
    pairs = read_all(write_lines(tmp_path / "e.jsonl", truths), predicted, documents=1)
    assert pairs[0] == Pair("a", Conflicting("id 'a' occurs twice, and its expected documents differ"), MISSING, False)
    assert [(pair.id, pair.trial, pair.trials) for pair in pairs[1:]] == [("b", 1, 2), ("b", 2, 2)]


@pytest.mark.parametrize("documents", [1, 2, 100])
def test_pairs_with_the_same_id_are_trials(documents: int, tmp_path: Path) -> None:
    """They are brought together from wherever in the file they are; the expected document may be in one of them."""
    lines = [{"id": name, "expected": 1, "predicted": i} for i, name in enumerate("abcabca")]
    del lines[3]["expected"]
    pairs = read_all(write_lines(tmp_path / "p.jsonl", lines), documents=documents)
    assert trials(pairs) == [
        ("a", 1, 3, 1, 0),
        ("a", 2, 3, 1, 3),
        ("a", 3, 3, 1, 6),
        ("b", 1, 2, 1, 1),
        ("b", 2, 2, 1, 4),
        ("c", 1, 2, 1, 2),
        ("c", 2, 2, 1, 5),
    ]


def test_rows_of_a_table_with_the_same_id_are_trials(tmp_path: Path) -> None:
    """The path of the expected document is the id where a table has no ids."""
    write_folder(tmp_path, {"a": 1, "b": 2, "c": 3})
    (tmp_path / "t.csv").write_text("ground_truth_path;predicted_path\na.json;b.json\n;b.json\na.json;c.json\n\n;\n")
    for documents in (1, 100):
        assert trials(read_all(tmp_path / "t.csv", documents=documents)) == [
            ("a", 1, 2, 1, 2),
            ("a", 2, 2, 1, 3),
            ("b", 1, 1, MISSING, 2),
        ]
    assert open_pairs(tmp_path / "t.csv").describe() == "CSV table of files, 2 documents"


def test_members_of_a_zip_with_the_same_path_are_trials(tmp_path: Path) -> None:
    """Each prediction of a path is compared with its one expected document."""
    expected = write_zip(tmp_path / "e.zip", {"a.json": 1, "b.json": 2})
    predicted = write_zip(tmp_path / "p.zip", {"a.json": 3, "b.json": 4})
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(predicted, "a") as archive:
        archive.writestr("a.json", "5")
    for documents in (1, 100):
        assert trials(read_all(expected, predicted, documents=documents)) == [
            ("a", 1, 2, 1, 3),
            ("a", 2, 2, 1, 5),
            ("b", 1, 1, 2, 4),
        ]
    assert open_pairs(expected, predicted).describe() == "2 zips, 2 documents"


def test_the_sample_has_each_document_once(tmp_path: Path) -> None:
    """Trials don't crowd out other documents of which a spec is inferred."""
    lines = [{"id": f"{i % 5}", "expected": {"x": i % 5}, "predicted": {}} for i in range(40)]
    assert open_pairs(write_lines(tmp_path / "p.jsonl", lines)).sample(3) == [{"x": 0}, {"x": 1}, {"x": 2}]


ENVELOPES: list[tuple[Any, Any]] = [
    ({"id": "a", "document": {"x": 1}}, {"x": 1}),
    ({"id": "a", "document": None}, None),
    ({"id": "a", "inference_result": {"x": 1}}, {"x": 1}),
    ({"id": "a", "expected": {"x": 1}, "predicted": {"x": 2}}, {"x": 1}),
    ({"id": "a", "document_class": {"type": "W2"}, "inference_result": {"x": 1}}, {"x": 1}),
    ({"id": "a", "document": {"document_class": "W2", "inference_result": {"x": 1}}}, {"x": 1}),
    ({"id": "a", "inference\u005fresult": {"x": 1}}, {"x": 1}),
    ({"id": "a", "document": {"pages": 2}, "total": 5}, {"id": "a", "document": {"pages": 2}, "total": 5}),
    ({"id": "a", "label": "cat"}, {"id": "a", "label": "cat"}),
    ({"id": "a", "x": 1}, {"id": "a", "x": 1}),
]


@pytest.mark.parametrize(("line", "document"), ENVELOPES)
def test_envelopes_are_opened(line: Any, document: Any, tmp_path: Path) -> None:
    """A document is taken out of its envelope in lines, folders and lists alike; other objects stay whole."""
    lines = write_lines(tmp_path / "e.jsonl", [line])
    folder = write_folder(tmp_path / "e", {"a": line})
    (tmp_path / "list.json").write_text(json.dumps([line]))
    for path in (lines, folder, tmp_path / "list.json"):
        assert [pair.expected for pair in read_all(path, path)] == [document]


def test_inference_results_are_opened_in_pairs(tmp_path: Path) -> None:
    """Both sides of a pair may be wrapped; the metadata of a prediction and the class are passed on."""
    wrapped = {"inference_result": {"x": 1}, "document_class": "W2"}
    line = {"id": "a", "expected": wrapped, "predicted": {**wrapped, "metadata": {"pages": 2}}}
    pairs = read_all(write_lines(tmp_path / "p.jsonl", [line, {**line, "id": "b", "predicted": None}]))
    assert pairs == [
        Pair("a", {"x": 1}, {"x": 1}, False, None, {"pages": 2}, document_class="W2"),
        Pair("b", {"x": 1}, None, False, None, None, document_class="W2"),
    ]


def test_alternates_and_metadata_are_passed_on(tmp_path: Path) -> None:
    """What stands beside the expected document comes with the pair, in every form."""
    alternates, metadata = {"x": [1, 2]}, {"pages": 3}
    expected = {"id": "a", "document": {"x": 1}, "alternates": alternates}
    predicted = {"id": "a", "document": {"x": 2}, "metadata": metadata}
    pair = [Pair("a", {"x": 1}, {"x": 2}, False, alternates, metadata)]
    both: dict[str, Any] = {
        "id": "a",
        "expected": {"x": 1},
        "predicted": {"x": 2},
        "alternates": alternates,
        "metadata": metadata,
    }
    assert read_all(write_lines(tmp_path / "p.jsonl", [both])) == pair
    sides = write_lines(tmp_path / "e.jsonl", [expected]), write_lines(tmp_path / "q.jsonl", [predicted])
    assert read_all(*sides) == pair
    assert (
        read_all(write_folder(tmp_path / "e", {"a": expected}), write_folder(tmp_path / "p", {"a": predicted})) == pair
    )
    pq.write_table(pa.Table.from_pylist([both]), tmp_path / "p.parquet")
    assert read_all(tmp_path / "p.parquet") == pair


@pytest.mark.parametrize(
    ("document", "rich"),
    [
        (b'{"x": {"_value": 1}}', True),
        (b'{"x": {"value": 1, "confidence": 0.5}}', True),
        (b'{"x": {"\\u005fvalue": 1}}', True),
        (b'{"x": {"value": 1}}', False),
        (b'{"confidence": 1}', False),
        (b'{"blue": 1}', False),
    ],
)
def test_rich_values_are_announced(document: bytes, rich: bool, tmp_path: Path) -> None:
    """``rich`` is true for a pair that may hold rich values, and for no other pair beside it."""
    lines = [b'{"id": "a", "expected": 1, "predicted": %b}' % document, b'{"id": "b", "expected": 1, "predicted": 2}']
    assert [pair.rich for pair in read_all(write_lines(tmp_path / "p.jsonl", lines))] == [rich, False]
    sides = [b'{"id": "a", "document": %b}' % document, b'{"id": "b", "document": {}}']
    path = write_lines(tmp_path / "e.jsonl", sides)
    assert [pair.rich for pair in read_all(path, path)] == [rich, False]
    folder = write_folder(tmp_path / "e", {"a": document, "b": {}})
    assert [pair.rich for pair in read_all(folder, folder)] == [rich, False]


def test_parquet_values_become_json(tmp_path: Path) -> None:
    """Dates become texts, decimals exact numbers; a null document is a missing one."""
    rows: list[dict[str, Any]] = [
        {"id": 1, "expected": {"day": dt.date(2024, 1, 5), "sum": Decimal("12345678901234567.50")}, "predicted": None},
        {"id": 2, "expected": None, "predicted": {"day": dt.date(2024, 1, 6), "sum": None}},
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "p.parquet")
    assert [pair[:3] for pair in read_all(tmp_path / "p.parquet")] == [
        ("1", {"day": "2024-01-05", "sum": 12345678901234567.5}, MISSING),
        ("2", MISSING, {"day": "2024-01-06", "sum": None}),
    ]


def test_parquet_rows_may_be_documents(tmp_path: Path) -> None:
    """Without a column for the document the whole row is it."""
    pq.write_table(pa.table({"id": ["a", "b"], "x": [1, 2]}), tmp_path / "e.parquet")
    pq.write_table(pa.table({"id": ["b", "a"], "x": [3, 4]}), tmp_path / "p.parquet")
    pairs = read_all(tmp_path / "e.parquet", tmp_path / "p.parquet")
    assert [(p.id, p.expected["x"], p.predicted["x"]) for p in pairs] == [("a", 1, 4), ("b", 2, 3)]


def test_temporary_files_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is left behind when a source is no longer used."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    for form in (two_jsonl_in_other_order, two_gzip, parquet_of_texts, json_lists):
        (tmp_path / form.__name__).mkdir()
        assert read_all(*form(tmp_path / form.__name__)) == PAIRS
    assert list(scratch.iterdir()) == []


def test_parquet_is_only_loaded_for_parquet() -> None:
    """Other forms don't pay for its import."""
    import subprocess
    import sys

    code = "import fieldwise.readers.pairs, sys; print('pyarrow' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_forms_that_do_not_match_are_refused(tmp_path: Path) -> None:
    """A folder has no partner in a file of lines."""
    with pytest.raises(InputError, match=r"Cannot match .* \(folder\) with .* \(JSON Lines\)"):
        open_pairs(two_folders(tmp_path)[0], two_jsonl(tmp_path)[0])
