"""Files that are made to hurt: one bad item, names that repeat, pipes, links, other encodings, cells without end."""

from __future__ import annotations

import csv
import json
import os
import socket
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest

from fieldwise import Evaluation, InputError, evaluate_pairs, open_pairs
from fieldwise.readers.inside import read_one
from fieldwise.readers.json_text import duplicate_keys
from fieldwise.readers.pairs import MISSING, Unreadable
from tests.attacks.forms import FORMS, Write, evaluated, lists, pair_list
from tests.evaluation.conftest import Call, call
from tests.readers.files import read_all, write_folder, write_lines, write_zip

__all__ = ["call"]

GOOD = '{"x": 1, "y": "z"}'
ODD = {
    "5,000 digits": '{"x": ' + "7" * 5000 + "}",
    "3,000 levels": '{"x": ' + "[" * 3000 + "]" * 3000 + "}",
}
BAD = {
    "no value": '{"x": nope}',
    "a comma too many": '{"x": 1,}',
    "brackets in text": '{"x": "]}[{\\"", }',
    "a newline in text": '{"x": "a\nb"}',
    "an escape": '{"x": "\\q"}',
    "a lone word": "nope",
    "nothing": "",
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("write", FORMS)
def test_odd_documents_are_read_in_every_form(write: Write, name: str, tmp_path: Path) -> None:
    """Long integers and deep documents cost no later document."""
    texts = {f"d{k:02}": (GOOD, GOOD) for k in range(11)} | {"d03": (ODD[name], ODD[name])}
    metrics = evaluated(write, tmp_path, texts).metrics
    assert metrics.documents == {"scored": 11}
    assert metrics.aggregate.strict_f1 == 1


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("write", [lists, pair_list])
def test_a_bad_item_of_a_list_is_one_document(write: Write, name: str, tmp_path: Path) -> None:
    """The other items are read, and it says where it is."""
    texts = {f"d{k:02}": (GOOD, GOOD) for k in range(11)} | {"d03": (GOOD, BAD[name])}
    metrics = evaluated(write, tmp_path, texts).metrics
    assert metrics.documents["scored"] == 10
    assert sum(metrics.documents.values()) == 11
    assert "item 4 of p" in metrics.errors[0].error


UNPAIRED = {
    "a list not closed": '{"id": "d03", "x": [1, 2}',
    "an object not closed": '{"id": "d03", "x": {"y": 1}',
    "a text not closed": '{"id": "d03", "x": "open}',
    "a bracket too many": '{"id": "d03", "x": 1}]}',
    "another bracket": '{"id": "d03", "x": 1]',
}


ENDS_IN_TIME = {"another bracket"}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("name", UNPAIRED)
def test_items_after_brackets_that_do_not_pair_up_are_not_guessed(
    name: str, indent: int | None, tmp_path: Path
) -> None:
    """The items before are read; what follows is unreadable as a whole, unless the broken one ends before it."""
    items = [json.dumps({"id": f"d{k:02}", "x": ["a", {"y": "{"}]}, indent=indent) for k in range(11)]
    (tmp_path / "e.json").write_text(f"[{', '.join(items)}]")
    (tmp_path / "p.json").write_text("[\n" + ",\n".join([*items[:3], UNPAIRED[name], *items[4:]]) + "]")
    pairs = read_all(tmp_path / "e.json", tmp_path / "p.json")
    read = {pair.id for pair in pairs if pair.predicted == pair.expected}
    rest = {f"d{k:02}" for k in range(4, 11)}
    assert read == {"d00", "d01", "d02"} | (rest if name in ENDS_IN_TIME else set())
    assert sum(isinstance(pair.predicted, Unreadable) for pair in pairs) in (1, 2)  # the other: it is not closed


def test_rows_are_not_taken_for_items(tmp_path: Path) -> None:
    """Where objects inside the items begin as the items do, what follows a bad one is one document that is bad."""
    items = [json.dumps({"id": f"d{k}", "rows": [{"id": "r"}, {"id": "s"}]}) for k in range(5)]
    (tmp_path / "e.json").write_text(f"[{', '.join(items)}]")
    (tmp_path / "p.json").write_text(f"[{', '.join([*items[:2], items[2][:-1], *items[3:]])}]")
    pairs = read_all(tmp_path / "e.json", tmp_path / "p.json")
    assert [pair.predicted for pair in pairs if pair.id in ("d3", "d4")] == [MISSING] * 2
    assert {pair.id for pair in pairs}.isdisjoint({"r", "s"})


def test_items_are_told_apart_wherever_blocks_end(tmp_path: Path) -> None:
    """Quotes, escapes and brackets may be anywhere in a file of many blocks."""
    texts = ["\\" * k + '"' * (k % 3) + "[,{" * (k % 5) for k in range(700)]
    items = [{"id": f"{k:04}", "x": text * 20} for k, text in enumerate(texts)]
    path = tmp_path / "e.json"
    for indent in (None, 1):
        path.write_text(json.dumps(items, indent=indent))
        pairs = read_all(path, path, documents=200)
        assert [pair.expected for pair in pairs] == items


def test_a_list_of_lists_is_one_line_for_each(tmp_path: Path, call: Call) -> None:
    """Standard input that is no list of objects stays what it was."""
    expected = write_lines(tmp_path / "e.jsonl", [{"id": "a", "x": 1}])
    done = call("evaluate", expected, "-", "--json", stdin=b'\xef\xbb\xbf \n{"id": "a",\n"x": 1}')
    assert json.loads(done.out)["documents"] == {"scored": 1}


def test_members_of_one_name_are_read_in_one_pass(tmp_path: Path) -> None:
    """Sixteen thousand members of one name are trials of one document."""
    path = tmp_path / "e.zip"
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
        warnings.simplefilter("ignore")
        for _ in range(16_000):
            archive.writestr("a.json", GOOD)
    pairs = read_all(path, write_zip(tmp_path / "p.zip", {"a.json": {"x": 1}}))
    assert len(pairs) == 16_000
    assert {pair.trials for pair in pairs} == {16_000}


def test_duplicate_keys_among_many_are_found() -> None:
    """Forty thousand keys, one of them twice; and duplicates below thousands of levels."""
    keys = ", ".join(f'"k{i}": {i}' for i in range(40_000))
    assert duplicate_keys(f'{{{keys}, "k7": 1}}'.encode(), "x") == [("k7",)]
    depth = 5000
    deep = '{"a": [' * depth + '{"b": 1, "b": 2, "b": 3}' + "]}" * depth
    (found,) = duplicate_keys(deep.encode(), "x")
    assert found == (*("a", 0) * depth, "b")
    assert duplicate_keys(b"[" * depth + b"]" * depth, "x") == []


@pytest.mark.parametrize("kind", ["fifo", "socket", "device"])
def test_what_is_no_file_is_refused_at_once(kind: str, tmp_path: Path, call: Call) -> None:
    """An input that could be waited for without end is refused, with what to do instead."""
    good = write_lines(tmp_path / "e.jsonl", [{"id": "a", "x": 1}])
    path = special(kind, tmp_path / "p.jsonl")
    for command, *inputs in (("evaluate", good, path), ("evaluate", path), ("compare", good, path), ("classify", path)):
        done = call(str(command), *inputs)
        assert done.code == 2
        assert "give a file or a folder, or - and the documents on standard input" in done.err


def special(kind: str, path: Path) -> Path:
    """Make something that is no regular file."""
    if kind == "device":
        return Path("/dev/zero")
    if kind == "fifo":
        os.mkfifo(path)
    else:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(path))
    return path


def test_standard_input_by_its_path_is_read(tmp_path: Path) -> None:
    """A descriptor that a shell opened, as for ``<(command)``, is no pipe to wait for."""
    reading, writing = os.pipe()
    os.write(writing, b'{"x": 1}')
    os.close(writing)
    try:
        assert read_one(f"/dev/fd/{reading}", "expected") == {"x": 1}
    finally:
        os.close(reading)


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside those of an input."""
    return write_folder(tmp_path / "outside", {"secret": {"x": 1, "y": "z"}, "more/secret": {"x": 1}})


def sides(tmp_path: Path) -> tuple[Path, Path]:
    texts = {name: json.loads(GOOD) for name in "ab"}
    return write_folder(tmp_path / "e", texts), write_folder(tmp_path / "p", texts)


@pytest.mark.parametrize("side", [0, 1])
def test_links_that_leave_the_folder_are_followed_only_if_asked(side: int, tmp_path: Path, outside: Path) -> None:
    """A prediction behind such a link counts as missed, a truth as a failure; the reason says what to do."""
    folders = sides(tmp_path)
    (folders[side] / "b.json").unlink()
    (folders[side] / "b.json").symlink_to(outside / "secret.json")
    metrics = evaluate_pairs(open_pairs(*folders)).metrics
    status = ("unreadable_expected", "unreadable_prediction")[side]
    assert metrics.documents == {"scored": 1, status: 1}
    assert "a link that leads out of its folder, and is only read with follow_symlinks" in metrics.errors[0].error
    assert evaluate_pairs(open_pairs(*folders, follow_symlinks=True)).metrics.documents == {"scored": 2}


def test_linked_folders_outside_are_listed_as_unreadable(tmp_path: Path, outside: Path, call: Call) -> None:
    """Not a file in them is opened, unless it is asked for."""
    expected, predicted = sides(tmp_path)
    (predicted / "linked").symlink_to(outside)
    (expected / "linked").symlink_to("../outside")
    pairs = read_all(expected, predicted)
    assert [pair.id for pair in pairs] == ["a", "b", "linked/"]
    assert "leads out of its folder" in pairs[2].predicted.reason
    done = call("evaluate", expected, predicted, "--follow-symlinks", "--json")
    assert json.loads(done.out)["documents"] == {"scored": 4}


def test_links_inside_a_folder_and_folders_that_are_links_are_read(tmp_path: Path) -> None:
    """A link that stays inside needs no leave, nor does the folder itself where it is given as a link."""
    expected, predicted = sides(tmp_path)
    (predicted / "b.json").unlink()
    (predicted / "b.json").symlink_to(predicted / "a.json")
    (tmp_path / "link").symlink_to(predicted)
    assert [pair.predicted for pair in read_all(expected, tmp_path / "link")] == [json.loads(GOOD)] * 2


def test_links_that_fork_are_walked_once(tmp_path: Path, outside: Path) -> None:
    """Thirty folders with two links each to the next hold one document, and not a thousand million."""
    last = outside / "more"
    for level in range(30):
        folder = tmp_path / "chain" / f"{level:02}"
        folder.mkdir(parents=True)
        for name in ("left", "right"):
            (folder / name).symlink_to(last)
        last = folder
    expected, predicted = sides(tmp_path)
    for folder in (expected, predicted):
        (folder / "start").symlink_to(last)
    pairs = read_all(expected, predicted, follow_symlinks=True)
    assert [pair.id for pair in pairs] == ["a", "b", "start" + "/left" * 30 + "/secret"]


def test_names_in_a_zip_lead_nowhere(tmp_path: Path) -> None:
    """Members called as files elsewhere are members or unreadable, and nothing is written."""
    names = {"../../a.json": 1, "/etc/passwd.json": 2, "C:\\b.json": 3}
    path = write_zip(tmp_path / "e.zip", names)
    before = sorted(tmp_path.rglob("*"))
    pairs = read_all(path, path)
    held = {pair.id: pair.expected for pair in pairs}
    assert (held.pop("/etc/passwd"), held.pop("C:/b")) == (2, 3)
    assert held == {"../../a": Unreadable("e.zip/../../a.json is named as if it lay outside")}
    assert sorted(tmp_path.rglob("*")) == before


def test_a_table_names_files_wherever_they_lie(tmp_path: Path, outside: Path) -> None:
    """A file in a table is asked for by its name: absolute, with ``..`` or behind a link."""
    folder = write_folder(tmp_path / "t", {"a": {"x": 1}, "sub/b": {"x": 1}})
    (folder / "linked").symlink_to(outside)
    paths = ["a.json", "sub/../a.json", folder / "sub" / "b.json", outside / "secret.json", "../outside/secret.json"]
    rows = "".join(f"{k},a.json,{path}\n" for k, path in enumerate([*paths, "linked/secret.json"]))
    (folder / "t.csv").write_text(f"id,expected,predicted\n{rows}")
    assert not any(isinstance(pair.predicted, Unreadable) for pair in read_all(folder / "t.csv"))


def test_an_input_of_nothing_but_links_says_why(tmp_path: Path, outside: Path, call: Call) -> None:
    """Where no truth can be read, the first reason is part of the error."""
    for side in ("e", "p"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.json").symlink_to(outside / "secret.json")
    done = call("evaluate", tmp_path / "e", tmp_path / "p")
    assert done.code == 2
    assert "leads out of its folder" in done.err


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("name", ["e.jsonl", "e.json", "e.csv"])
def test_other_encodings_are_called_by_their_names(encoding: str, name: str, tmp_path: Path, call: Call) -> None:
    """With a byte order mark or without, with what to do."""
    text = "id,total\na,1\n" if name.endswith(".csv") else '{"id": "a", "expected": 1, "predicted": 1}\n'
    (tmp_path / name).write_bytes(text.encode(encoding))
    good = tmp_path / f"p{Path(name).suffix}"
    good.write_text(text)
    done = call("evaluate", tmp_path / name, good)
    assert done.code == 2
    wide = encoding[:6].upper()
    assert f"is {wide}, not UTF-8; convert it: iconv -f {wide} -t UTF-8" in done.err


def test_cells_may_be_of_any_length(tmp_path: Path) -> None:
    """A long cell refuses no table, and what other code allows in a cell stays as it was."""
    usual = csv.field_size_limit()
    long = "z" * 300_000
    for side in ("e", "p"):
        (tmp_path / f"{side}.csv").write_text(f'id,text,other\na,{long},1\nb,"x\n{long}",2\n')
    found = evaluate_pairs(open_pairs(tmp_path / "e.csv", tmp_path / "p.csv"))
    assert found.metrics.documents == {"scored": 2}
    assert csv.field_size_limit() == usual
    write_folder(tmp_path, {"a": 1})
    (tmp_path / "t.csv").write_text(f"id,note,expected,predicted\nx,{long},a.json,a.json\n")
    assert [pair.expected for pair in read_all(tmp_path / "t.csv")] == [1]
    assert csv.field_size_limit() == usual


def over_limit_rows(tmp_path: Path) -> Evaluation:
    truth = [[name, "x" * 10] for name in "abcd"]
    rows = [truth[0], ["b", "y" * 5000], ["c", 'a "quoted"\nlonger\n' * 500], truth[3]]
    for side, held in (("e", truth), ("p", rows)):
        with (tmp_path / f"{side}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([["id", "text"], *held])
    return evaluate_pairs(open_pairs(tmp_path / "e.csv", tmp_path / "p.csv", max_bytes=2000))


def test_rows_of_a_table_are_documents_with_a_limit(tmp_path: Path) -> None:
    """A row over the limit of bytes counts as missed; the rows after it are read."""
    metrics = over_limit_rows(tmp_path).metrics
    assert metrics.documents == {"scored": 2, "unreadable_prediction": 2}
    assert metrics.limits.met == {"max_bytes": 2}


def test_suffixes_in_capitals_are_documents(tmp_path: Path) -> None:
    """They are matched with those in small letters; two files that differ in nothing else are trials."""
    expected = write_folder(tmp_path / "e", {"b": 2, "d/c": 3})
    predicted = write_folder(tmp_path / "p", {"a": 1, "b": 2})
    (expected / "a.JSON").write_text("1")
    (predicted / "d").mkdir()
    (predicted / "d" / "c.Json").write_text("3")
    (predicted / "b.JSON").write_text("4")
    source = open_pairs(expected, predicted)
    pairs = [pair for shard in source.shards(9) for pair in shard.read()]
    assert [pair[:3] for pair in pairs] == [("a", 1, 1), ("b", 2, 2), ("b", 2, 4), ("d/c", 3, 3)]
    assert "ignored" not in source.describe()
    assert source.fingerprint() != open_pairs(predicted, expected).fingerprint()
    archive = write_zip(tmp_path / "e.zip", {"a.JSON": 1, "b.json": 2, "d/c.JSON": 3})
    assert [pair.id for pair in read_all(archive, expected)] == ["a", "b", "d/c"]


NUMBERS = {"1e999": "1e999", "-1e400": "-1e400", "9" * 400: "9" * 400, "NaN": None, "Infinity": None, "-Infinity": None}


@pytest.mark.parametrize("text", NUMBERS)
@pytest.mark.parametrize("write", FORMS)
def test_numbers_beyond_floats_are_texts_and_words_are_absent(write: Write, text: str, tmp_path: Path) -> None:
    """In every form alike."""
    pairs = read_all(*write(tmp_path, {"a": (f'{{"x": {text}}}', GOOD), "b": (GOOD, f'{{"x": {text}}}')}))
    assert pairs[0].expected == {"x": NUMBERS[text]}
    assert pairs[1].predicted == {"x": NUMBERS[text]}


@pytest.mark.parametrize("write", FORMS)
def test_a_million_digits_are_read(write: Write, tmp_path: Path) -> None:
    """As their text, as all integers that no float can hold."""
    digits = "9" * 10**6
    pairs = read_all(*write(tmp_path, {"a": (f'{{"x": {digits}}}', f'{{"x": {digits}}}')}))
    assert pairs[0].expected == pairs[0].predicted == {"x": digits}


@pytest.mark.parametrize("digits", [400, 5000, 400_000])
def test_long_integers_in_memory_are_compared(digits: int) -> None:
    """Python integers of any length are equal to themselves and to no other."""
    large = 10**digits
    pairs: list[Any] = [("a", {"x": large}, {"x": large}), ("b", {"x": large}, {"x": large + 1})]
    aggregate = evaluate_pairs(pairs).metrics.aggregate
    assert (aggregate.tp, aggregate.fd) == (1, 1)


def test_a_first_item_that_is_too_long_hides_no_layout(tmp_path: Path) -> None:
    """How lines are written is seen from the first one that can be read."""
    lines = [b"[" * 400_000, b'{"id": "a", "expected": {"x": 1}, "predicted": {"x": 1}}']
    metrics = evaluate_pairs(open_pairs(write_lines(tmp_path / "p.jsonl", lines))).metrics
    assert metrics.documents == {"scored": 1, "unreadable_expected": 1}


def test_an_input_that_is_too_large_in_all_lines_is_an_error(tmp_path: Path) -> None:
    """Without a line that can be read there is nothing to tell."""
    path = write_lines(tmp_path / "p.jsonl", [b"[" * 400_000])
    with pytest.raises(InputError, match="holds no pairs"):
        open_pairs(path, max_bytes=1000)
