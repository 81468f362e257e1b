"""Documents over a limit: a prediction counts as missed, a truth as a failure, and nothing stops the others."""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from fieldwise import InputError, SettingError, evaluate_pairs, open_pairs
from fieldwise.readers.pairs import Unreadable
from tests.attacks.forms import FORMS, Texts, Write, evaluated, pair_lines
from tests.evaluation.conftest import Call, call
from tests.readers.files import read_all, write_folder, write_lines, write_zip

__all__ = ["call"]

GOOD = '{"x": 1, "y": "z"}'
LARGE = json.dumps({"x": 1, "y": "z" * 5000})
DEEP = '{"x": 1, "y": ' + "[" * 20_000 + "]" * 20_000 + "}"
OVER = {"max_bytes": (LARGE, {"max_bytes": 2000}), "max_depth": (DEEP, {})}


def texts_with(expected: str, predicted: str) -> Texts:
    """Three pairs, the second of which is another one."""
    return {"a": (GOOD, GOOD), "b": (expected, predicted), "c": (GOOD, GOOD)}


@pytest.mark.parametrize("limit", OVER)
@pytest.mark.parametrize("write", FORMS)
def test_a_prediction_over_a_limit_counts_as_missed(write: Write, limit: str, tmp_path: Path) -> None:
    """In every form its truth is read, every value of it is missed, and the limit that was met is counted."""
    document, limits = OVER[limit]
    metrics = evaluated(write, tmp_path, texts_with(GOOD, document), **limits).metrics
    assert metrics.documents == {"scored": 2, "unreadable_prediction": 1}
    assert (metrics.aggregate.tp, metrics.aggregate.fn) == (4, 2)
    assert metrics.limits.met == {limit: 1}
    assert limit in metrics.errors[0].error


@pytest.mark.parametrize("limit", OVER)
@pytest.mark.parametrize("write", FORMS)
def test_a_truth_over_a_limit_is_a_failure(write: Write, limit: str, tmp_path: Path) -> None:
    """In every form it is listed and counted nowhere."""
    document, limits = OVER[limit]
    metrics = evaluated(write, tmp_path, texts_with(document, GOOD), **limits).metrics
    assert metrics.documents == {"scored": 2, "unreadable_expected": 1}
    assert (metrics.aggregate.tp, metrics.aggregate.fn) == (4, 0)
    assert metrics.limits.met == {limit: 1}


@pytest.mark.parametrize("write", FORMS)
def test_what_is_just_within_a_limit_is_read(write: Write, tmp_path: Path) -> None:
    """A limit is the largest that is read; a line may be longer by what is around its document."""
    held = '{"x": 1, "y": ' + "[" * 2499 + "]" * 2499 + "}"
    metrics = evaluated(write, tmp_path, texts_with(held, held), max_bytes=len(held), max_depth=2500).metrics
    assert metrics.documents == {"scored": 3}
    (tmp_path / "less").mkdir()
    less = evaluated(write, tmp_path / "less", texts_with(held, held), max_bytes=len(held) - 1, max_depth=2500).metrics
    assert less.limits.met == {"max_bytes": 1}
    (tmp_path / "flat").mkdir()
    flat = evaluated(write, tmp_path / "flat", texts_with(held, held), max_depth=2499).metrics
    assert flat.limits.met == {"max_depth": 1}


@pytest.mark.parametrize("depth", [3, 200, 1500])
def test_limits_below_those_of_the_quick_reader_hold(depth: int, tmp_path: Path) -> None:
    """A server that allows few levels gets few."""
    held, over = ('{"x": ' + "[" * (depth - 1 + k) + "1" + "]" * (depth - 1 + k) + "}" for k in (0, 1))
    found = read_all(*pair_lines(tmp_path, {"a": (held, over)}), max_depth=depth)
    assert type(found[0].expected) is dict
    assert found[0].predicted.limit == "max_depth"


def test_brackets_in_strings_are_no_levels(tmp_path: Path) -> None:
    """Neither brackets nor escaped quotes inside a text make a document deep."""
    text = json.dumps({"x": '[{"\\' * 30_000 + "\\\\"})
    assert evaluated(pair_lines, tmp_path, {"a": (text, text)}).metrics.documents == {"scored": 1}


def test_pairs_with_repeated_ids_keep_their_limits(tmp_path: Path) -> None:
    """Lines that are looked up one by one, as trials are, are measured too."""
    lines = [f'{{"id": "a", "expected": {GOOD}, "predicted": {one}}}'.encode() for one in (GOOD, LARGE, DEEP)]
    source = open_pairs(write_lines(tmp_path / "p.jsonl", lines), max_bytes=3000)
    metrics = evaluate_pairs(source).metrics
    assert metrics.limits.met == {"max_bytes": 2}
    assert metrics.documents == {"scored": 1, "unreadable_prediction": 2}


def test_ids_of_lines_over_a_limit_are_found_wherever_they_are(tmp_path: Path) -> None:
    """A line that is not read whole still has its id, also where it is the last member and lines are in any order."""
    documents = {"a": GOOD, "b": LARGE, "c": GOOD}
    lines = [f'{{"document": {one}, "id": "{name}"}}'.encode() for name, one in documents.items()]
    expected = write_lines(tmp_path / "e.jsonl", [f'{{"id": "{name}", "document": {GOOD}}}'.encode() for name in "abc"])
    predicted = write_lines(tmp_path / "p.jsonl", lines[::-1])
    pairs = read_all(expected, predicted, max_bytes=2000)
    assert [(pair.id, isinstance(pair.predicted, Unreadable)) for pair in pairs] == [
        ("a", False),
        ("b", True),
        ("c", False),
    ]


def test_limits_are_part_of_the_fingerprint(tmp_path: Path) -> None:
    """Other limits may give other numbers; the default ones, given or not, are the same rules."""
    path = pair_lines(tmp_path, texts_with(GOOD, GOOD))[0]
    given: list[dict[str, Any]] = [{}, {"max_bytes": 64 << 20}, {"max_bytes": 1000}, {"max_depth": 1000}]
    prints = [evaluate_pairs(open_pairs(path, **limits)).metrics.spec_fingerprint for limits in given]
    assert prints[0] == prints[1]
    assert len(set(prints)) == 3


def test_limits_reach_workers_and_folders(tmp_path: Path, call: Call) -> None:
    """The command has the same limits, in one process or two, and says what to know."""
    path = pair_lines(tmp_path, texts_with(GOOD, LARGE))[0]
    for workers in "12":
        out = tmp_path / workers
        done = call("evaluate", path, "--max-bytes", "2kB", "--max-depth", "50", "--out", out, "--workers", workers)
        assert done.code == 3
        metrics = json.loads((out / "metrics.json").read_text())
        assert metrics["limits"] | {"max_cells": 0, "max_unpacked": 0} == {
            "max_bytes": 2000,
            "max_unpacked": 0,
            "max_depth": 50,
            "max_cells": 0,
            "met": {"max_bytes": 1},
        }
        assert "max_bytes allows" in (out / "failures.jsonl").read_text()


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("64MiB", 64 << 20),
        ("64 MiB", 64 << 20),
        ("64MB", 64_000_000),
        ("1_000_000", 10**6),
        ("1.5k", 1536),
        ("2gb", 2 * 10**9),
    ],
)
def test_sizes_are_written_as_people_do(text: str, size: int, tmp_path: Path, call: Call) -> None:
    """Bytes, decimal and binary units, with or without a blank."""
    done = call("evaluate", *pair_lines(tmp_path, texts_with(GOOD, GOOD)), "--max-bytes", text, "--json")
    assert json.loads(done.out)["limits"]["max_bytes"] == size


@pytest.mark.parametrize("text", ["", "0", "-1", "64 Mio", "MiB", "1e9", "1__0", "0.1", "9" * 40, "\u0663MB", "NaN"])
def test_what_is_no_size_is_refused_with_an_example(text: str, call: Call) -> None:
    """Before anything is read."""
    done = call("evaluate", "nowhere.jsonl", f"--max-unpacked={text}")
    assert done.code == 2
    assert "Expected a size such as 64MiB, 64MB or 1_000_000" in done.err


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "64MiB"])
def test_a_limit_in_python_is_a_whole_number(value: object, tmp_path: Path) -> None:
    """Anything else is a wrong setting."""
    path = pair_lines(tmp_path, texts_with(GOOD, GOOD))[0]
    with pytest.raises(SettingError, match="whole number of 1 or more for `max_depth`"):
        open_pairs(path, max_depth=value)  # type: ignore[arg-type]


def test_compare_refuses_what_is_over_a_limit(tmp_path: Path, call: Call) -> None:
    """Two documents are read within the same limits, from files and from standard input."""
    good, deep, large = (tmp_path / f"{name}.json" for name in ("good", "deep", "large"))
    for path, text in ((good, GOOD), (deep, "[" * 10**6 + "]" * 10**6), (large, LARGE)):
        path.write_text(text)
    for sides in ((good, deep), (deep, good)):
        done = call("compare", *sides)
        assert (done.code, "max_depth allows" in done.err) == (2, True)
    for pair in ((good, large), (large, good), (good, "-")):
        done = call("compare", *pair, "--max-bytes", "2kB", stdin=LARGE.encode())
        assert (done.code, "max_bytes allows" in done.err) == (2, True)
    assert call("compare", deep, good, "--max-depth", "10").code == 2


def in_little_memory(*arguments: str | Path, data: int = 1 << 30) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own that may take a gigabyte, or as much as is said."""

    def confine() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        resource.setrlimit(resource.RLIMIT_DATA, (data, data))

    command = [sys.executable, "-m", "fieldwise", *map(str, arguments)]
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=confine, env=env)


@pytest.mark.parametrize("side", ["declared leaf", "undeclared key", "truth"])
def test_a_million_levels_take_little(side: str, tmp_path: Path) -> None:
    """A document of two megabytes that is a million levels deep is told from its brackets alone."""
    deep = "[" * 10**6 + "]" * 10**6
    expected, predicted = {
        "declared leaf": (GOOD, f'{{"x": {deep}}}'),
        "undeclared key": (GOOD, f'{{"x": 1, "other": {deep}}}'),
        "truth": (f'{{"x": {deep}}}', GOOD),
    }[side]
    path = pair_lines(tmp_path, texts_with(expected, predicted))[0]
    done = in_little_memory("evaluate", path, "--out", tmp_path / "out")
    assert done.returncode == 3, done.stderr
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_text())
    assert metrics["limits"]["met"] == {"max_depth": 1}
    assert metrics["documents"]["scored"] == 2


def test_where_memory_ends_a_line_says_so(tmp_path: Path) -> None:
    """A document that is larger than memory ends the command with a sentence, not with a signal."""
    rows = [{"name": f"row {k}", "amount": k} for k in range(500_000)]
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({"id": "a", "expected": {"rows": rows}, "predicted": {"rows": []}}))
    done = in_little_memory("evaluate", path, data=1 << 28)
    assert (done.returncode, "memory" in done.stderr) == (2, True)


def test_a_zip_bomb_is_one_bad_document(tmp_path: Path) -> None:
    """By default 0.6 MB that unpack to 600 MB are one prediction that counts as missed, in little memory."""
    with zipfile.ZipFile(tmp_path / "p.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("b.json", GOOD)
        with archive.open("a.json", "w") as member:
            for _ in range(600):
                member.write(b" " * 1_000_000)
    expected = write_zip(tmp_path / "e.zip", {"a.json": {"x": 1}, "b.json": {"x": 1}})
    code = (
        "import sys, tracemalloc\n"
        "from fieldwise import evaluate_pairs, open_pairs\n"
        "tracemalloc.start()\n"
        "found = evaluate_pairs(open_pairs(*sys.argv[1:]))\n"
        "most = tracemalloc.get_traced_memory()[1]\n"  # the process itself may seem as large as the one that began it
        "print(found.metrics.documents, found.metrics.limits.met, most < 200_000_000)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(expected), str(tmp_path / "p.zip")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "{'scored': 1, 'unreadable_prediction': 1} {'max_bytes': 1} True"


def test_headers_of_a_zip_are_not_trusted(tmp_path: Path) -> None:
    """A member that says to be small gives no more than it says, and that is no document."""
    path = write_zip(tmp_path / "e.zip", {"a.json": {"x": "y" * 100_000}})
    content = path.read_bytes().replace((100_009).to_bytes(4, "little"), (1000).to_bytes(4, "little"))
    path.write_bytes(content)
    (pair,) = read_all(path, path)
    assert isinstance(pair.expected, Unreadable)


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of temporary files."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_archives_that_unpack_to_too_much_are_refused(tmp_path: Path, scratch: Path, call: Call) -> None:
    """The input as a whole is refused with what to do, and nothing of it stays."""
    lines = tmp_path / "p.jsonl.gz"
    lines.write_bytes(gzip.compress(b'{"id": 1, "expected": 1, "predicted": 1}\n' * 100_000))
    members = {f"{side}/{k}.json": "y" * 9000 for k in range(99) for side in ("expected", "predicted")}
    archive = write_zip(tmp_path / "e.zip", members)
    for path in (lines, archive):
        done = call("evaluate", path, "--max-unpacked", "1MB")
        assert done.code == 2
        assert "unpacks to more than the 1.0 MB that max_unpacked allows" in done.err
        assert "--max-unpacked" in done.err
        assert not list(scratch.iterdir())
    assert [call("evaluate", path).code for path in (lines, archive)] == [0, 0]


def test_members_over_the_limit_of_documents_are_not_unpacked(tmp_path: Path) -> None:
    """They count for themselves, not for the archive."""
    path = write_zip(tmp_path / "e.zip", {"a.json": {"x": "y" * 100_000}, "b.json": {"x": 1}})
    pairs = read_all(path, path, max_bytes=1000, max_unpacked=1000)
    assert [isinstance(pair.expected, Unreadable) for pair in pairs] == [True, False]


def test_an_archive_that_is_mostly_air_is_refused(tmp_path: Path, scratch: Path) -> None:
    """More than 200 times its size, above 64 MiB, is no archive of documents."""
    bomb = tmp_path / "bomb.jsonl.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as packed:
        for _ in range(100):
            packed.write(b" " * 1_000_000)
    with pytest.raises(InputError, match=r"more than 200 times its size.*unpack it"):
        open_pairs(bomb)
    members = {f"{k}.json": b" " * 60_000_000 for k in range(2)}
    with pytest.raises(InputError, match="more than 200 times its size"):
        open_pairs(write_zip(tmp_path / "e.zip", members), write_folder(tmp_path / "p", {"0": 1}))
    assert not list(scratch.iterdir())


def test_a_line_that_is_far_too_long_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a line over the limit no more is held than its envelope, wherever in a file it is."""
    path = tmp_path / "p.jsonl"
    with path.open("w") as file:
        for name in "ab":
            file.write(f'{{"id": "{name}", "expected": {GOOD}, "predicted": {GOOD}}}\n')
            file.write(f'{{"expected": {GOOD}, "id": "{name}2", "predicted": {{"y": "')
            file.writelines("z" * 1_000_000 for _ in range(3))
            file.write('"}}\n')
    for documents in (1, 2, 9):
        pairs = read_all(path, documents=documents, max_bytes=100_000)
        assert [pair.id for pair in pairs] == ["a", "a2", "b", "b2"]
        assert [pair.expected for pair in pairs] == [json.loads(GOOD)] * 4
        assert [isinstance(pair.predicted, Unreadable) for pair in pairs] == [False, True, False, True]


def test_text_inside_predictions_has_the_same_limits(tmp_path: Path) -> None:
    """A prediction that is a text which holds JSON may not be deeper either."""
    text = json.dumps('{"x": ' + "[" * 300 + "]" * 300 + "}")
    metrics = evaluated(pair_lines, tmp_path, {"a": (GOOD, text)}, max_depth=200).metrics
    assert metrics.limits.met == {"max_depth": 1}


def test_documents_in_memory_have_the_same_limits() -> None:
    """Python objects are measured as the JSON that they are."""
    deep: list[object] = []
    for _ in range(20_000):
        deep = [deep]
    metrics = evaluate_pairs([("a", {"x": 1}, {"x": 1}), ("b", {"x": 1}, {"x": deep})]).metrics
    assert metrics.limits.met == {"max_depth": 1}
    assert metrics.documents == {"scored": 1, "unreadable_prediction": 1}
