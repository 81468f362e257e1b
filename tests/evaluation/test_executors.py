"""Shards are evaluated wherever they are sent to, as often as somebody likes: the same bytes."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fieldwise import InputError, evaluate_pairs, open_pairs
from fieldwise.evaluation.work import Done, Work, packed
from fieldwise.readers.pairs import Shard
from tests.folders import files_of
from tests.sections import EXPECTED, PREDICTED, write_sections

SHARD = 25


class Elsewhere:
    """Evaluates each shard in a process that has another working directory, and no temporary folder in common."""

    is_here = False

    def __init__(self, folder: Path, hidden: Path) -> None:
        self.folder, self.hidden = folder, hidden

    def run(self, shards: Iterable[Shard], work: Work) -> Iterator[Done]:
        sent = [packed(work, shard) for shard in shards]
        away = self.hidden.with_name("away")
        self.hidden.rename(away)
        try:
            return iter([self._evaluated(content) for content in sent])
        finally:
            away.rename(self.hidden)

    def _evaluated(self, content: bytes) -> Done:
        for place in ("working", "temporary"):
            (self.folder / place).mkdir(parents=True, exist_ok=True)
        for attempt in range(2):  # the first is lost, and another machine takes the shard over
            done = subprocess.run(
                [sys.executable, "-c", _ELSEWHERE],
                input=content,
                capture_output=True,
                check=False,
                cwd=self.folder / "working",
                env={**os.environ, "TMPDIR": str(self.folder / "temporary")},
            )
            assert done.returncode == 0, (attempt, done.stderr.decode()[-2000:])
        found = pickle.loads(done.stdout)
        if isinstance(found, BaseException):
            raise found
        assert isinstance(found, Done)
        return found


_ELSEWHERE = """
import pickle, sys
work, shard = pickle.loads(sys.stdin.buffer.read())
try:
    done = work(shard)
except Exception as error:
    done = error
sys.stdout.buffer.write(pickle.dumps(done))
"""


def _lines(folder: Path, pairs: Path) -> tuple[Any, ...]:
    return (pairs,)


def _two_files(folder: Path, pairs: Path) -> tuple[Any, ...]:
    held = [json.loads(line) for line in pairs.read_text().splitlines()]
    for side in ("expected", "predicted"):
        lines = "".join(json.dumps({"id": pair["id"], **pair[side]}) + "\n" for pair in held)
        (folder / f"{side}.jsonl").write_text(lines)
    return folder / "expected.jsonl", folder / "predicted.jsonl"


def _folders(folder: Path, pairs: Path) -> tuple[Any, ...]:
    for line in pairs.read_text().splitlines():
        pair = json.loads(line)
        for side in ("expected", "predicted"):
            path = folder / side / f"{pair['id']}.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(pair[side]))
    return folder / "expected", folder / "predicted"


def _zip(folder: Path, pairs: Path) -> tuple[Any, ...]:
    _folders(folder, pairs)
    for side in ("expected", "predicted"):
        shutil.make_archive(str(folder / f"{side}-z"), "zip", folder / side)
    return folder / "expected-z.zip", folder / "predicted-z.zip"


def _sections(folder: Path, pairs: Path) -> tuple[Any, ...]:
    return write_sections(folder / "e", EXPECTED), write_sections(folder / "p", PREDICTED)


def _gzip(folder: Path, pairs: Path) -> tuple[Any, ...]:
    path = folder / "pairs.jsonl.gz"
    path.write_bytes(gzip.compress(pairs.read_bytes()))
    return (path,)


def _in_memory(folder: Path, pairs: Path) -> tuple[Any, ...]:
    return ([json.loads(line) for line in pairs.read_text().splitlines()],)


@pytest.fixture
def hidden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary folder of this process, which no other one has."""
    path = tmp_path / "temporary"
    path.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(path))
    return path


Form = Callable[[Path, Path], tuple[Any, ...]]


@pytest.mark.parametrize("form", [_lines, _two_files, _folders, _zip, _sections])
def test_a_machine_that_shares_nothing_but_the_input_gives_the_same_bytes(
    form: Form, pairs_file: Path, hidden: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inputs named by relative paths too; every shard is evaluated twice, as where a machine is taken for lost."""
    made = form(tmp_path, pairs_file)
    monkeypatch.chdir(tmp_path)
    inputs = [os.path.relpath(path) for path in made]
    settings: dict[str, Any] = {"title": "x", "shard_documents": SHARD}
    evaluate_pairs(open_pairs(*inputs), out="here", results_json="here-r", **settings)
    elsewhere = Elsewhere(tmp_path / "elsewhere", hidden)
    evaluate_pairs(open_pairs(*inputs), out="there", results_json="there-r", executor=elsewhere, **settings)
    assert files_of(tmp_path / "here") == files_of(tmp_path / "there")
    assert files_of(tmp_path / "here-r") == files_of(tmp_path / "there-r")


@pytest.mark.parametrize("form", [_in_memory, _gzip])
def test_what_only_this_machine_has_is_refused_by_name(
    form: Form, pairs_file: Path, hidden: Path, tmp_path: Path
) -> None:
    """Documents in memory, and files that were unpacked here: the error says what to give instead."""
    source = open_pairs(*form(tmp_path, pairs_file))
    with pytest.raises(InputError) as caught:
        evaluate_pairs(source, out=tmp_path / "out", executor=Elsewhere(tmp_path / "elsewhere", hidden))
    assert caught.value.code == "input.only_here"
    assert "place that all machines have" in caught.value.advice
