"""Bad input: what cannot be read is a reason beside the rest, and an input without documents an error that helps."""

from __future__ import annotations

import gzip
import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fieldwise import InputError, Metrics, evaluate_pairs
from fieldwise.readers.pairs import MISSING, Conflicting, Pair, Unreadable, open_pairs
from fieldwise.readers.source import Nameless
from tests.command_line import run
from tests.readers.files import read_all, write_folder, write_lines, write_zip

BROKEN = {
    b"": "is empty",
    b" \n": "is empty",
    b"nope": "is not JSON",
    b'{"a": ': "is not JSON",
    b'{"a": "\xff"}': "is not UTF-8",
    '{"a": 1}'.encode("utf-16"): "is UTF-16, not UTF-8; convert it: iconv -f UTF-16 -t UTF-8",
    '{"a": 1}'.encode("utf-16-be"): "is UTF-16",
    '{"a": 1}'.encode("utf-32"): "is UTF-32",
    b"[" * 5000: "is not JSON",
    b"[" * 5000 + b'"open': "is not JSON",
}


@pytest.mark.parametrize("content", BROKEN)
def test_a_broken_file_is_unreadable(content: bytes, tmp_path: Path) -> None:
    """The side with the broken file says why and which; the other side and other files are read."""
    expected = write_folder(tmp_path / "e", {"a": {"x": 1}, "b": {"x": 2}})
    predicted = write_folder(tmp_path / "p", {"a": content, "b": {"x": 2}})
    first, second = read_all(expected, predicted)
    assert first.expected == {"x": 1}
    assert isinstance(first.predicted, Unreadable)
    assert first.predicted.reason.startswith("p/a.json ")
    assert BROKEN[content] in first.predicted.reason
    assert second == Pair("b", {"x": 2}, {"x": 2}, False)
    assert open_pairs(predicted, expected).sample(9) == [{"x": 2}]


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    """Files and lines that Windows programs write are read, with and without an order of their own."""
    mark = b"\xef\xbb\xbf"
    folder = write_folder(tmp_path / "e", {"a": mark + b'{"x": 1}'})
    lines = write_lines(tmp_path / "e.jsonl", [mark + b'{"id": "a"}\r', b'{"id": "b"}\r'])
    other = write_lines(tmp_path / "p.jsonl", [{"id": "b"}, {"id": "a"}])
    assert read_all(folder, folder) == [Pair("a", {"x": 1}, {"x": 1}, False)]
    pairs = [Pair(name, {"id": name}, {"id": name}, False) for name in "ab"]
    assert read_all(lines, lines) == read_all(lines, other) == pairs
    both = write_lines(tmp_path / "both.jsonl", [mark + b'{"id": "a", "expected": 1, "predicted": 2}'])
    assert read_all(both) == [Pair("a", 1, 2, False)]
    (tmp_path / "list.json").write_bytes(mark + b'[{"id": "a"}, {"id": "b"}]')
    assert read_all(tmp_path / "list.json", lines) == pairs


@pytest.mark.parametrize("name", ["fifo", "folder", "dangling link", "link to itself"])
def test_what_is_no_file_is_unreadable(name: str, tmp_path: Path) -> None:
    """A pipe, a folder or a bad link that is named as a document neither hangs nor goes missing."""
    expected = write_folder(tmp_path / "e", {"b": 1})
    path = expected / "a.json"
    if name == "fifo":
        os.mkfifo(path)
    elif name == "folder":
        path.mkdir()
    else:
        path.symlink_to("a.json" if name == "link to itself" else "nowhere")
    pairs = read_all(expected, write_folder(tmp_path / "p", {"a": 1, "b": 1}))
    assert [pair.id for pair in pairs] == ["a", "b"]
    assert isinstance(pairs[0].expected, Unreadable)
    assert pairs[0].expected.reason.startswith("e/a.json ")
    assert open_pairs(expected, expected).fingerprint()


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_what_may_not_be_read_is_unreadable(tmp_path: Path) -> None:
    """A file and a folder without permission are reported, each under its own name."""
    expected = write_folder(tmp_path / "e", {"a": 1, "c/d": 1})
    (expected / "a.json").chmod(0)
    (expected / "c").chmod(0)
    try:
        pairs = read_all(expected, write_folder(tmp_path / "p", {"a": 1}))
    finally:
        (expected / "c").chmod(0o700)
    assert [pair.id for pair in pairs] == ["a", "c/"]
    assert all(isinstance(pair.expected, Unreadable) for pair in pairs)


def test_links_inside_a_folder_are_followed_and_loops_end(tmp_path: Path) -> None:
    """A linked file is read under its own name; a link to a folder that is read anyway is passed over and counted."""
    expected = write_folder(tmp_path / "e", {"a/x": 1, "b": 2})
    (expected / "a" / "up").symlink_to(expected)
    (expected / "0").symlink_to(expected / "a")
    (expected / "c.json").symlink_to("b.json")
    source = open_pairs(expected, expected)
    assert [pair.id for shard in source.shards(9) for pair in shard.read()] == ["a/x", "b", "c"]
    assert "ignored: 4 linked folders" in source.describe()


def test_deep_folders_are_walked(tmp_path: Path) -> None:
    """Folders may be nested deeper than the interpreter's stack."""
    folders = [str(tmp_path / "e") + "/d" * depth for depth in range(1200)]
    for folder in folders:
        os.mkdir(folder)
    document = Path(folders[-1], "x.json")
    document.write_text("1")
    try:
        assert [pair.expected for pair in read_all(tmp_path / "e", tmp_path / "e")] == [1]
    finally:
        document.unlink()
        for folder in reversed(folders):  # what removes temporary folders may be recursive
            os.rmdir(folder)


def test_names_that_are_not_text_are_read(tmp_path: Path) -> None:
    """A file name of any bytes is read, and its id can be written anywhere."""
    expected = write_folder(tmp_path / "e", {})
    with open(os.fsencode(expected) + b"/\xff\n.json", "wb") as file:
        file.write(b"1")
    assert read_all(expected, expected) == [Pair("\\xff\n", 1, 1, False)]
    assert open_pairs(expected, expected).fingerprint()


LINES = [
    b'{"id": "a", "document": {"x": 1}}',
    b'{"id": "b", "document": {"x": ',
    b"nope",
    b'{"id": "d", "document": {"x": "\xff"}}',
    b"[1, 2]",
    b'{"id": "f", "document": {"x": 12345678901234567890123}}',
]


def test_broken_lines_are_unreadable(tmp_path: Path) -> None:
    """A broken line has the id that can still be seen, else that of its number; the rest is read."""
    pairs = read_all(write_lines(tmp_path / "e.jsonl", LINES), write_lines(tmp_path / "p.jsonl", LINES[:1]))
    assert [pair.id for pair in pairs] == ["a", "b", "line-000003", "d", "line-000005", "f"]
    reasons = [pair.expected.reason if isinstance(pair.expected, Unreadable) else "" for pair in pairs]
    assert reasons[1].startswith("line 2 of e.jsonl is not JSON")
    assert reasons[2].startswith("line 3 of e.jsonl is not JSON")
    assert reasons[3].startswith("line 4 of e.jsonl is not UTF-8")
    assert pairs[4].expected == Nameless("line 5 of e.jsonl has no 'id', which others have")
    assert pairs[5].expected == {"x": 12345678901234567890123}
    assert [pair.predicted for pair in pairs] == [{"x": 1}, *[MISSING] * 5]


def test_broken_lines_meet_by_what_can_be_seen_of_their_ids(tmp_path: Path) -> None:
    """One without an id on either side belongs to no document of the other side."""
    path = write_lines(tmp_path / "e.jsonl", LINES)
    pairs = read_all(path, path)
    both = {pair.id: pair for pair in pairs if MISSING not in (pair.expected, pair.predicted)}
    assert list(both) == ["a", "b", "d", "f"]
    assert all(type(pair.expected) is type(pair.predicted) for pair in both.values())
    alone = [pair.id for pair in pairs if pair.id not in both]
    assert alone == ["line-000003", "line-000005", "line-000003 (predicted)", "line-000005 (predicted)"]


def test_broken_pairs_are_unreadable_on_both_sides(tmp_path: Path) -> None:
    """A line that is no pair is there; a side that it does not have is missing."""
    lines = [
        b'{"id": "a", "expected": 1, "predicted": 2}',
        b'{"id": "b", "expected": 1',
        b"7",
        b'{"id": "d"}',
        b'{"id": "e", "expected": 1}',
        b'{"id": "f", "predicted": 1}',
        b'{"id": "g", "expected": 1, "predicted": null}',
        b'{"id": "h", "expected": 1, "predicted": 1, "alternates": 5}',
    ]
    pairs = read_all(write_lines(tmp_path / "p.jsonl", lines))
    assert [pair.id for pair in pairs] == ["a", "b", "line-000003", "d", "e", "f", "g", "h"]
    for pair in pairs[1:4]:
        assert isinstance(pair.expected, Unreadable)
        assert pair.expected == pair.predicted
    assert [pair[1:3] for pair in pairs[4:7]] == [(1, MISSING), (MISSING, 1), (1, None)]
    assert pairs[7].expected == Unreadable("alternates are not an object of lists, {path: [values]}")


def test_long_digits_in_one_line_are_kept(tmp_path: Path) -> None:
    """Ids of many digits do not merge, wherever in a block they are."""
    numbers = [10**15, 123456789012345678901, 123456789012345678902, 1]
    lines = [{"id": number, "expected": {"n": number}, "predicted": {"n": number}} for number in numbers]
    pairs = read_all(write_lines(tmp_path / "p.jsonl", lines))
    assert [pair.expected["n"] for pair in pairs] == numbers
    assert [pair.id for pair in pairs] == [str(number) for number in numbers]
    sides = [{"id": number, "document": {"n": number}} for number in numbers]
    expected, predicted = write_lines(tmp_path / "a.jsonl", sides), write_lines(tmp_path / "b.jsonl", sides[::-1])
    assert [(pair.id, pair.predicted["n"]) for pair in read_all(expected, predicted)] == [(str(n), n) for n in numbers]


def test_ids_with_escapes_and_lone_surrogates_are_ids(tmp_path: Path) -> None:
    """An id is compared as what it says, not as it is written; one that no encoding has is made writable."""
    expected = write_lines(tmp_path / "e.jsonl", [b'{"id": "\\u0061"}', b'{"id": "\\ud800"}', '{"id": "é"}'.encode()])
    predicted = write_lines(tmp_path / "p.jsonl", [b'{"id": "a"}', b'{"id": "\\ud800"}', b'{"id": "\\u00e9"}'])
    pairs = read_all(expected, predicted)
    assert [pair.id for pair in pairs] == ["a", "\\ud800", "é"]
    assert all(pair.predicted is not MISSING for pair in pairs)


def test_strict_json_refuses_duplicate_keys(tmp_path: Path) -> None:
    """The side with a duplicate key is unreadable, with the path of the key; without strictness the last one wins."""
    document = b'{"x": 1, "rows": [{}, {"y": 1, "y": 2}]}'
    folder = write_folder(tmp_path / "e", {"a": document})
    assert read_all(folder, folder)[0].expected == {"x": 1, "rows": [{}, {"y": 2}]}
    reason = "e/a.json has the key 'y' twice - at $.rows[1].y"
    assert read_all(folder, folder, strict=True) == [Pair("a", Unreadable(reason), Unreadable(reason), False)]
    both = write_lines(tmp_path / "p.jsonl", [b'{"id": "a", "expected": {"x": 1}, "predicted": %b}' % document])
    (pair,) = read_all(both, strict=True)
    assert pair.expected == {"x": 1}
    assert pair.predicted == Unreadable("line 1 of p.jsonl has the key 'y' twice - at $.predicted.rows[1].y")
    twice = write_lines(tmp_path / "q.jsonl", [b'{"id": "a", "id": "a", "expected": 1, "predicted": 1}'])
    assert all(isinstance(side, Unreadable) for side in read_all(twice, strict=True)[0][1:3])
    sides = write_lines(tmp_path / "s.jsonl", [b'{"id": "a", "x": 1, "x": 2}', b'{"id": "b", "x": 1}'])
    assert [isinstance(pair.expected, Unreadable) for pair in read_all(sides, sides, strict=True)] == [True, False]


@pytest.mark.parametrize(
    "end", ["", ",", ",]", ",,]", "]]", "] x", ' {"id": "c"}]', ' {"id": "c"}', ',{"id": "c", "x"', ",nope]"]
)
def test_a_list_that_breaks_off_is_read_to_there(end: str, tmp_path: Path) -> None:
    """The documents before the break are read, and the rest is one unreadable document, never silence."""
    path = tmp_path / "e.json"
    path.write_text('[{"id": "a"},\n {"id": "b"}' + end)
    pairs = read_all(path, path)
    assert [pair.expected for pair in pairs[:2]] == [{"id": "a"}, {"id": "b"}]
    rest = [pair.expected if pair.predicted is MISSING else pair.predicted for pair in pairs[2:]]
    assert len(rest) in (1, 2)
    assert all(isinstance(side, Unreadable) for side in rest)


def test_broken_cells_of_parquet_are_unreadable(tmp_path: Path) -> None:
    """A cell that is no JSON spoils its own side only, however it would fit into its surroundings."""
    cells = ["{}", "", "{", "{}}", '{}, "alternates": {}', '"open']
    pq.write_table(pa.table({"id": list("abcdef"), "expected": ["{}"] * 6, "predicted": cells}), tmp_path / "p.parquet")
    pairs = read_all(tmp_path / "p.parquet")
    assert [pair.expected for pair in pairs] == [{}] * 6
    assert [isinstance(pair.predicted, Unreadable) for pair in pairs] == [False, *[True] * 5]
    assert pairs[2].predicted.reason.startswith("row 3 of p.parquet is not JSON")


def parquet(path: Path, columns: dict[str, Any]) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    """As merged tables have them; which one is meant is unknown."""
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], names=["id", "x", "x"])
    pq.write_table(table, tmp_path / "e.parquet")
    done = run("evaluate", tmp_path / "e.parquet", tmp_path / "e.parquet")
    assert done.returncode == 2
    assert "once, got 'x' twice" in done.stderr


def test_floats_of_parquet_are_those_that_are_written_alike(tmp_path: Path) -> None:
    """Of 16, 32 and 64 bits, in lists and structs too."""
    nested = pa.list_(pa.struct([("v", pa.float32())]))
    narrow = {"x": pa.array([0.1, 0.2, None], pa.float32()), "h": pa.array(np.array([0.1, 0.2, 0.3], np.float16))}
    held = [[{"v": 0.1}], None, [{"v": 0.7}, None]]
    left = parquet(tmp_path / "e.parquet", {"id": [1, 2, 3], "x": [0.1, 0.2, None], "h": [0.1, 0.2, 0.3], "n": held})
    right = parquet(tmp_path / "p.parquet", {"id": [1, 2, 3], **narrow, "n": pa.array(held, nested)})
    found = evaluate_pairs(left, predicted=right).metrics
    assert (found.aggregate.tp, found.aggregate.fd, found.aggregate.fn) == (7, 0, 0)


def test_times_that_python_has_none_for_are_read(tmp_path: Path) -> None:
    """In a zone that is unknown here, and after the year 9999."""
    odd = pa.array([0, 1_700_000_000], pa.timestamp("s", "Mars/Olympus"))
    late = pa.array([300_000_000_000, None], pa.timestamp("s"))
    path = parquet(tmp_path / "e.parquet", {"id": ["a", "b"], "odd": odd, "late": late})
    first, second = read_all(path, path)
    assert (first.expected["odd"], second.expected["odd"]) == ("1970-01-01T00:00:00.000Z", "2023-11-14T22:13:20.000Z")
    assert first.expected["late"].startswith("11476-")


def test_members_of_a_zip_outside_of_it_are_listed(tmp_path: Path) -> None:
    """They are unreadable, whoever made the archive; nothing is passed over without a word."""
    names = ["a.json", "../b.json", "x/../../c.json", "./d/./e.json"]
    path = write_zip(tmp_path / "e.zip", {name: {"x": 1} for name in names})
    done = run("evaluate", path, path, "--json")
    found = Metrics.from_json(done.stdout)
    assert done.returncode == 3
    assert found.documents == {"scored": 2, "unreadable_expected": 2}
    assert [failure.error for failure in found.errors] == [
        f"e.zip/{name} is named as if it lay outside" for name in ("../b.json", "x/../../c.json")
    ]


def test_broken_members_of_a_zip_are_unreadable(tmp_path: Path) -> None:
    """A member that cannot be unpacked is reported; two members of one name are read, and differ."""
    path = write_zip(tmp_path / "e.zip", {"a.json": {"x": "y" * 100}, "b.json": {"x": 1}, "__MACOSX/a.json": 1})
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("b.json", "2")
    content = bytearray(path.read_bytes())
    content[40:44] = b"\xff\xff\xff\xff"
    path.write_bytes(content)
    pairs = read_all(path, write_zip(tmp_path / "p.zip", {"b.json": 1}))
    assert [pair.id for pair in pairs] == ["a", "b"]
    assert isinstance(pairs[0].expected, Unreadable)
    assert pairs[1].expected == Conflicting("id 'b' occurs twice, and its expected documents differ")


def test_a_table_names_files_that_are_not_there(tmp_path: Path) -> None:
    """The row is a pair whose side says what is wrong."""
    write_folder(tmp_path, {"a": 1})
    (tmp_path / "t.csv").write_text("id,expected,predicted\nx,a.json,nowhere.json\ny,,\n")
    first, second = read_all(tmp_path / "t.csv")
    assert first == Pair("x", 1, Unreadable("nowhere.json cannot be read: No such file or directory"), False)
    assert second == Pair("y", Unreadable("the row of y names no file"), MISSING, False)


def test_an_empty_prediction_file_is_a_set_of_misses(tmp_path: Path) -> None:
    """No prediction at all is MISSING for each expected document."""
    expected = write_lines(tmp_path / "e.jsonl", [{"id": "a"}, {"id": "b"}])
    (tmp_path / "p.jsonl").write_text("\n")
    pairs = read_all(expected, tmp_path / "p.jsonl")
    assert [(pair.id, pair.predicted) for pair in pairs] == [("a", MISSING), ("b", MISSING)]


def nothing(tmp_path: Path) -> list[Path]:
    write_folder(tmp_path / "e", {})
    for name in "abc":
        (tmp_path / "e" / f"{name}.txt").write_text("")
    return [tmp_path / "e", write_folder(tmp_path / "p", {})]


def written(name: str, content: bytes, times: int = 1) -> Any:
    def write(tmp_path: Path) -> list[Path]:
        (tmp_path / name).write_bytes(content)
        return [tmp_path / name] * times

    return write


def parquet_without_pairs(tmp_path: Path) -> list[Path]:
    pq.write_table(pa.table({"id": ["a"], "document": ["{}"]}), tmp_path / "d.parquet")
    return [tmp_path / "d.parquet"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (nothing, r"No documents in e and p: looked for \*\.json, found 3 \.txt files"),
        (lambda tmp_path: [tmp_path], "has no folders expected and predicted.*found nothing"),
        (lambda tmp_path: [*written("predicted.jsonl", b"")(tmp_path), tmp_path / "predictd.jsonl"], "did you mean"),
        (written("e.jsonl", b"", 2), "both are empty"),
        (written("e.jsonl", b" \n\n"), "e.jsonl is empty; expected pairs of documents"),
        (written("e.jsonl", b'{"x": 1}'), "holds no pairs.*second input"),
        (written("e.docx", b""), "has the suffix '.docx'; expected a folder, .json"),
        (written("e.csv", b""), "has no column 'expected'; its header has nothing"),
        (written("e.csv", b"id,expectd,predicted\n"), "has no column 'expected'.*did you mean 'expectd'"),
        (written("e.csv", b"id,expected,predicted\n"), "has no rows"),
        (written("e.csv", b"id,expected,predicted\n\xff,a,b\n"), "cannot be read as a table"),
        (written("e.zip", b"no zip"), "cannot be read as a zip"),
        (written("e.parquet", b"no parquet"), "cannot be read as Parquet"),
        (written("e.jsonl.gz", b"no gzip", 2), "cannot be unpacked"),
        (written("e.jsonl.gz", gzip.compress(b'{"id": 1}\n' * 1000)[:-20]), "cannot be unpacked"),
        (parquet_without_pairs, "has no columns 'expected' and 'predicted'; its columns are id, document"),
        (
            lambda tmp_path: [write_zip(tmp_path / "e.zip", {"a/x.json": 1})],
            "no folders expected and predicted; found a",
        ),
    ],
)
def test_an_input_without_pairs_is_an_error(make: Any, message: str, tmp_path: Path) -> None:
    """The error says what was looked for and what was found."""
    with pytest.raises(InputError, match=message):
        open_pairs(*make(tmp_path))


@pytest.mark.parametrize("names", ["abc", "aba"])
def test_a_file_that_shrinks_is_an_error(names: str, tmp_path: Path) -> None:
    """Lines that are gone when their shard is read are no silent loss, also where ids repeat."""
    path = write_lines(tmp_path / "p.jsonl", [{"id": name, "expected": 1, "predicted": 1} for name in names])
    (shard,) = open_pairs(path).shards(9)
    path.write_bytes(b"")
    with pytest.raises(InputError, match="became shorter"):
        list(shard.read())


def test_a_line_of_many_megabytes_is_read(tmp_path: Path) -> None:
    """A document may be longer than any block, between short ones."""
    text = "x" * 5_000_000
    lines = [{"id": str(i), "expected": {"t": text if i == 1 else "y"}, "predicted": None} for i in range(3)]
    path = write_lines(tmp_path / "p.jsonl", lines)
    for documents in (1, 2, 5):
        assert [len(pair.expected["t"]) for pair in read_all(path, documents=documents)] == [1, 5_000_000, 1]


def test_wrong_roots_are_documents(tmp_path: Path) -> None:
    """Null, a list or a text in place of a document is read; comparing decides what it means."""
    roots: list[Any] = [None, [1], "x", 5, True, {}]
    folder = write_folder(tmp_path / "e", {f"d{i}": root for i, root in enumerate(roots)})
    assert [pair.expected for pair in read_all(folder, folder)] == roots
    lines = [{"id": f"d{i}", "expected": root, "predicted": root} for i, root in enumerate(roots)]
    path = write_lines(tmp_path / "p.jsonl", lines)
    assert [json.dumps(pair.predicted) for pair in read_all(path)] == [json.dumps(root) for root in roots]
