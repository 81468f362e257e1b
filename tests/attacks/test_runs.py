"""Runs cannot be lost or mixed: one writer, parts that are checked, input and scorer that are the same."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fieldwise import evaluate_pairs, open_pairs
from fieldwise.errors import InputError, SettingError
from fieldwise.evaluation.checkpoint import FOLDER, LOCK, Checkpoint
from fieldwise.files import take_lock
from tests.attacks.conftest import DOCUMENTS, SHARD, SHARDS, command, process, stop_after, write_pairs
from tests.documents import invoices, write_sides
from tests.folders import files_of

WAITING = """
import sys, time
from pathlib import Path
from fieldwise import evaluate_pairs, open_pairs

pairs, out, begun, go_on = map(Path, sys.argv[1:])
def wait(done, earlier):
    begun.touch()
    while not go_on.exists():
        time.sleep(0.01)
evaluate_pairs(open_pairs(pairs), out=out, shard_documents=6, progress=wait)
"""


def test_the_second_of_two_evaluations_is_refused(pairs: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    """While one evaluation writes, another one into the same folder is refused, however it is asked for."""
    out, begun, go_on = tmp_path / "out", tmp_path / "begun", tmp_path / "go-on"
    other = write_pairs(tmp_path / "other.jsonl", seed=9)
    first = subprocess.Popen([sys.executable, "-c", WAITING, pairs, out, begun, go_on])
    while not begun.exists() and first.poll() is None:
        time.sleep(0.01)
    for options in ((), ("--overwrite",), ("--resume",)):
        second = command("evaluate", other, "--out", out, *options)
        assert second.returncode == 2
        assert f"Another evaluation is writing to {out}" in second.stderr
    matrix = tmp_path / "result.json"
    matrix.write_text(json.dumps({"confusion_matrix": {"overall": {"tp": 1}, "fields": {}}}))
    assert command("aggregate", matrix, "--out", out, "--overwrite").returncode == 2
    go_on.touch()
    assert first.wait() == 0
    assert files_of(out) == whole


def test_a_lock_is_of_one_until_it_is_dropped(tmp_path: Path) -> None:
    """A lock that is held is not given again; one that was dropped leaves no file."""
    path = tmp_path / "lock"
    lock = take_lock(path)
    assert lock is not None
    assert take_lock(path) is None
    lock.drop()
    assert not path.exists()
    again = take_lock(path)
    assert again is not None
    path.unlink()
    again.drop()


def test_a_lock_that_nobody_holds_is_taken_and_goes(pairs: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    """What a killed evaluation left of its lock stands in nobody's way."""
    (tmp_path / LOCK).touch()
    evaluate_pairs(open_pairs(pairs), out=tmp_path, shard_documents=SHARD)
    assert files_of(tmp_path) == whole
    (tmp_path / LOCK).touch()
    with pytest.raises(SettingError, match="nothing to resume"):
        evaluate_pairs(open_pairs(pairs), out=tmp_path, shard_documents=SHARD, resume=True)
    assert files_of(tmp_path) == whole


@pytest.fixture(scope="module")
def stopped(pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two evaluations that stopped after their last shard: one of the invoices, one of others."""
    folder = tmp_path_factory.mktemp("stopped")
    stop_after(pairs, folder / "one", SHARDS)
    stop_after(write_pairs(folder / "other.jsonl", seed=9), folder / "other", SHARDS)
    return folder / "one", folder / "other"


def remove(part: Path, other: Path) -> None:
    part.unlink()


def cut_off(part: Path, other: Path) -> None:
    content = part.read_bytes()
    part.write_bytes(content[: len(content) // 2])


def blank_out(part: Path, other: Path) -> None:
    content = part.read_bytes()
    part.write_bytes(content[:-8] + bytes(8))


def replace(part: Path, other: Path) -> None:
    shutil.copy(other, part)


@pytest.mark.parametrize(
    "name",
    ["pairs", "documents", "counts", "errors", "failures.jsonl", "state.json"],
)
@pytest.mark.parametrize("damage", [remove, cut_off, blank_out, replace])
def test_a_damaged_part_is_made_again(
    damage: Callable[[Path, Path], None],
    name: str,
    pairs: Path,
    whole: dict[str, bytes],
    stopped: tuple[Path, Path],
    tmp_path: Path,
) -> None:
    """A part that is missing, cut off, blanked or of another run makes its shard be evaluated again, and only that."""
    out = shutil.copytree(stopped[0], tmp_path / "out")
    (part,), (foreign,) = (
        list(folder.glob(f"{name}/000003-*.parquet") if "." not in name else (folder / FOLDER).glob(f"000003.*.{name}"))
        for folder in (out, stopped[1])
    )
    damage(part, foreign)
    earlier: list[int] = []
    evaluate_pairs(
        open_pairs(pairs), out=out, shard_documents=SHARD, resume=True, progress=lambda _, known: earlier.append(known)
    )
    assert len(set(earlier)) == SHARDS - 1
    assert files_of(out) == whole


@pytest.mark.parametrize("left", [0, 3, 7])
def test_killed_while_it_cleaned_up(
    left: int, pairs: Path, whole: dict[str, bytes], stopped: tuple[Path, Path], tmp_path: Path
) -> None:
    """Results that were written, and a work folder of which something was removed already: resuming makes it right."""
    shutil.copytree(stopped[0], tmp_path, dirs_exist_ok=True)
    work = tmp_path / FOLDER
    (work / "run.json").unlink()
    for part in sorted(path for path in work.iterdir() if path.is_file())[left:]:
        part.unlink()
    for name, content in whole.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    evaluate_pairs(open_pairs(pairs), out=tmp_path, shard_documents=SHARD, resume=True)
    assert files_of(tmp_path) == whole


def test_a_description_that_is_cut_off_is_none(pairs: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    """Where nobody knows what the parts are of, none is used."""
    stop_after(pairs, tmp_path, 2)
    described = tmp_path / FOLDER / "run.json"
    described.write_bytes(described.read_bytes()[:20])
    evaluate_pairs(open_pairs(pairs), out=tmp_path, shard_documents=SHARD, resume=True)
    assert files_of(tmp_path) == whole


def test_what_killed_processes_began_is_removed(pairs: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    """Half-written files under temporary names go with the next run."""
    stop_after(pairs, tmp_path, 2)
    for name in (".verdicts.parquet.4711.part", ".failures.jsonl.1.part"):
        (tmp_path / name).write_bytes(b"half")
    evaluate_pairs(open_pairs(pairs), out=tmp_path, shard_documents=SHARD, resume=True)
    assert files_of(tmp_path) == whole


def test_temporary_folders_of_killed_processes_are_removed(pairs: Path, tmp_path: Path) -> None:
    """A folder that its process left goes with the next run; one that is in use, or is somebody else's, stays."""
    left, used, other = (tmp_path / name for name in ("fieldwise-left", "fieldwise-used", "fieldwise-other"))
    for folder in (left, used, other):
        folder.mkdir()
    (left / ".lock").touch()
    lock = take_lock(used / ".lock")
    assert lock is not None
    done = process("evaluate", pairs, "--out", tmp_path / "out", TMPDIR=str(tmp_path))
    lock.release()
    assert done.returncode == 3, done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"fieldwise-used", "fieldwise-other", "out"}


def as_lines(folder: Path) -> tuple[Path, ...]:
    sides = folder / "expected.jsonl", folder / "predicted.jsonl"
    for at, path in enumerate(sides, 1):
        lines = [json.dumps({"id": pair[0], "document": pair[at]}) for pair in invoices(DOCUMENTS, name="i{}")]
        path.write_text("\n".join(lines) + "\n")
    return sides


def as_folders(folder: Path) -> tuple[Path, ...]:
    return write_sides(folder, invoices(DOCUMENTS, name="i{:03d}"))


def as_pairs(folder: Path) -> tuple[Path, ...]:
    return (write_pairs(folder / "pairs.jsonl"),)


@pytest.mark.parametrize("form", [as_pairs, as_lines, as_folders])
def test_input_that_is_the_same_is_not_evaluated_again(
    form: Callable[[Path], tuple[Path, ...]], tmp_path: Path
) -> None:
    """What was finished is taken as it is."""
    inputs, done, earlier = form(tmp_path), list[int](), list[int]()

    def stop(units: int, known: int) -> None:
        done.append(units)
        if len(done) == SHARDS - 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_pairs(open_pairs(*inputs), out=tmp_path / "out", shard_documents=SHARD, progress=stop)
    evaluate_pairs(
        open_pairs(*inputs),
        out=tmp_path / "out",
        shard_documents=SHARD,
        resume=True,
        progress=lambda _, known: earlier.append(known),
    )
    assert max(earlier) == max(done)


@pytest.mark.parametrize("shown", ["size", "time"])
@pytest.mark.parametrize("form", [as_pairs, as_lines, as_folders])
def test_an_edit_that_size_or_time_shows_is_refused(
    form: Callable[[Path], tuple[Path, ...]], shown: str, tmp_path: Path
) -> None:
    """Inputs are known by names, sizes and times: nothing is read to see whether it is the same."""
    inputs = form(tmp_path)
    edited = inputs[-1] / "i001.json" if inputs[-1].is_dir() else inputs[-1]

    def stop(done: int, earlier: int) -> None:
        raise KeyboardInterrupt

    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        evaluate_pairs(open_pairs(*inputs), out=out, shard_documents=SHARD, progress=stop)
    status, content = edited.stat(), edited.read_bytes()
    at = content.index(b"INV-") + len("INV-2024-0")
    edited.write_bytes(content[:at] + b"7" * (2 if shown == "size" else 1) + content[at + 1 :])
    changed = status.st_mtime_ns + (0 if shown == "size" else 1_000_000)
    os.utime(edited, ns=(status.st_atime_ns, changed))
    with pytest.raises(SettingError, match="input changed since the evaluation was stopped"):
        evaluate_pairs(open_pairs(*inputs), out=out, shard_documents=SHARD, resume=True)


def test_a_run_of_another_folder_is_no_run(tmp_path: Path, pairs: Path) -> None:
    """A part of another run under the name of this one is never read."""
    stop_after(pairs, tmp_path / "out", 2)
    (state,) = (tmp_path / "out" / FOLDER).glob("000000.*.state.json")
    other = Checkpoint(state.parent, "0" * 16)
    shutil.copy(state, other.part(0, "state.json"))
    with pytest.raises(InputError, match="of the run 0000000000000000"):
        other.part_of(0)
