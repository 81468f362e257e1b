"""Comparators of one's own in an evaluation: scores are checked, what they raise is recorded, whatever the workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rapidfuzz import fuzz

from fieldwise import BaseComparator, LevenshteinComparator, Plan, Spec, register_comparator
from fieldwise.api import evaluate_pairs
from fieldwise.comparators import catalogue
from fieldwise.errors import SettingError
from fieldwise.evaluation.checkpoint import FOLDER
from fieldwise.readers.pairs import open_pairs
from fieldwise.spec.nodes import Leaf, ListOf, Object
from tests import command_line
from tests.command_line import Ended
from tests.folders import files_of, stored_rows
from tests.own_comparators import known

ROOT = Path(__file__).parents[2]

DOCUMENTS = 250


class Percent(BaseComparator):
    """Scores from 0 to 100, in pairs and in grids."""

    def _compare(self, expected: Any, predicted: Any) -> float:
        return fuzz.ratio(expected, predicted)

    def grid(self, expected: Any, predicted: Any) -> Any:
        return np.array([[self._compare(e, p) for p in predicted] for e in expected])


class Nearly(BaseComparator):
    """Scores that rounding puts outside of 0 to 1."""

    def _compare(self, expected: Any, predicted: Any) -> float:
        return 1 + 5e-7 if expected == predicted else -5e-7


def schema(comparator: str, *, in_list: bool = False) -> dict[str, Any]:
    """Return a schema of a text and a list of texts, one of them under the comparator."""
    name, tags = ("exact", comparator) if in_list else (comparator, "exact")
    text = {"type": "string", "x-fieldwise-comparator": name, "x-fieldwise-threshold": 0.9}
    return {
        "type": "object",
        "properties": {
            "name": text,
            "tags": {"type": "array", "x-fieldwise-comparator": tags, "items": {"type": "string"}},
        },
    }


WAYS = pytest.mark.parametrize(("workers", "in_list"), [("1", False), ("1", True), ("2", True)])


@pytest.fixture(autouse=True)
def _own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "_registered", dict(catalogue._registered))


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file of pairs in which no name is right: of identical values a comparator is not asked."""
    path = tmp_path / "pairs.jsonl"
    lines = []
    for n in range(DOCUMENTS):
        expected = {"name": f"n{n}", "tags": [f"{letter}{n}" for letter in "abcd"]}
        predicted = {"name": f"m{n}", "tags": [f"{letter}{n}" for letter in "dcbx"]}
        lines.append(json.dumps({"id": f"{n:03d}", "expected": expected, "predicted": predicted}))
    path.write_text("\n".join(lines))
    return path


def evaluated(pairs: Path, comparator: str, workers: str = "1", *, in_list: bool = False) -> Ended:
    """Run the command with comparators of one's own: with workers as a script, which they import."""
    folder = pairs.parent
    (folder / "schema.json").write_text(json.dumps(schema(comparator, in_list=in_list)))
    arguments: list[str | Path]
    arguments = ["evaluate", pairs, "--schema", folder / "schema.json", "--out", folder / "out", "--workers", workers]
    if workers == "1":
        known()
        return command_line.run(*arguments)
    line = [sys.executable, "-m", "tests.own_comparators", *map(str, arguments)]
    environment = {**os.environ, "PYTHONUTF8": "1"}
    done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=ROOT, env=environment)
    return Ended(done.returncode, done.stdout, done.stderr)


def of(comparator: BaseComparator) -> Spec:
    """Return a spec of a text and a list of texts, both under the comparator."""
    leaf = Leaf(kind="string", comparator=comparator, threshold=0.9)
    return Spec(Object(fields={"name": leaf, "tags": ListOf(item=leaf)}))


@WAYS
def test_a_score_above_1_ends_the_evaluation(pairs: Path, workers: str, in_list: bool) -> None:
    """Exit code 2, with comparator, field, both values, score and advice; no folder is left."""
    done = evaluated(pairs, "ratio", workers, in_list=in_list)
    assert done.returncode == 2, done.stderr
    values = "'a0' and 'x0', got 50.0" if in_list else "'n0' and 'm0', got 50.0"
    place = "tags" if in_list else "name"
    expected = f"from the comparator `ratio` for {values}; divide it by 100 - at {place}"
    assert expected in done.stderr
    assert not (pairs.parent / "out").exists()


@pytest.mark.parametrize("in_list", [False, True])
def test_an_integer_beyond_all_floats_is_no_score(pairs: Path, in_list: bool) -> None:
    """It is refused as any other answer that is no score."""
    done = evaluated(pairs, "beyond_floats", in_list=in_list)
    assert done.returncode == 2, done.stderr
    assert "Expected a score from 0 to 1 from the comparator `beyond_floats`" in done.stderr


OF_THE_MACHINE = {
    "has_no_memory": "The memory of this machine is not enough",
    "has_no_network": "the comparator `has_no_network` of `{place}` raised ConnectionResetError: reset by peer",
}


@WAYS
@pytest.mark.parametrize("comparator", OF_THE_MACHINE)
def test_what_the_machine_lacks_is_no_mismatch(pairs: Path, comparator: str, in_list: bool, workers: str) -> None:
    """Memory, disk and network end the evaluation, and what was finished is kept."""
    done = evaluated(pairs, comparator, workers, in_list=in_list)
    assert done.returncode == 2, done.stderr
    assert OF_THE_MACHINE[comparator].format(place="tags" if in_list else "name") in done.stderr
    assert "kept" in done.stderr
    assert "--resume" in done.stderr
    assert not (pairs.parent / "out" / "metrics.json").exists()


def test_an_earlier_result_stays_where_a_score_is_refused(pairs: Path) -> None:
    """A folder that holds a result holds it still, and nothing else."""
    evaluated(pairs, "exact")
    before = files_of(pairs.parent / "out")
    with pytest.raises(SettingError, match="`Percent`"):
        evaluate_pairs(open_pairs(pairs), of(Percent()), out=pairs.parent / "out", overwrite=True)
    assert files_of(pairs.parent / "out") == before
    assert not (pairs.parent / "out" / FOLDER).exists()


@WAYS
def test_where_a_comparator_raises_the_value_is_a_mismatch(pairs: Path, workers: str, in_list: bool) -> None:
    """The document counts, is listed with comparator, field and exception, and the exit code is 3."""
    done = evaluated(pairs, "raises_sometimes", workers, in_list=in_list)
    assert done.returncode == 3, done.stderr
    out, place = pairs.parent / "out", "tags" if in_list else "name"
    metrics = json.loads((out / "metrics.json").read_bytes())
    assert metrics["documents"] == {"comparator_raised": 25, "scored": 225}
    assert metrics["document_count"] == DOCUMENTS
    failures = [json.loads(line) for line in (out / "failures.jsonl").read_text().splitlines()]
    assert {failure["document"] for failure in failures} == {f"{n:03d}" for n in range(7, DOCUMENTS, 10)}
    words = f"the comparator `raises_sometimes` of `{place}` raised ZeroDivisionError: division by zero"
    assert all(words in failure["reason"] for failure in failures)
    rows = stored_rows(out, "verdicts")
    raised = [row for row in rows if row["reason"] == "comparator"]
    assert raised
    assert {(row["field"], row["outcome"], row["score"]) for row in raised} == {(place, "mismatch", 0.0)}
    assert all(int(row["document"]) % 10 == 7 for row in raised)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_comparator_that_always_raises_is_a_wrong_setting(pairs: Path, workers: str) -> None:
    """After the first 100 values of the field the evaluation ends with exit code 2 and leaves nothing."""
    done = evaluated(pairs, "raises", workers)
    assert done.returncode == 2, done.stderr
    assert "On all of the first 100 values, the comparator `raises` of `name` raised KeyError: 'n0'" in done.stderr
    assert not (pairs.parent / "out").exists()


@pytest.mark.parametrize("answered", [None, 40, 99, 100, 200])
@pytest.mark.parametrize("size", [7, 1000])
def test_the_first_values_are_those_of_the_first_documents(pairs: Path, answered: int | None, size: int) -> None:
    """What is refused does not depend on shards: a field of which one of the first 100 values was answered is not."""

    def mostly(expected: str, predicted: str) -> float:
        if expected != f"n{answered}":
            raise RuntimeError("no answer")
        return 1.0

    register_comparator("mostly", mostly)
    spec = Spec.from_json_schema(schema("mostly"))
    if answered is not None and answered < 100:
        found = evaluate_pairs(open_pairs(pairs), spec, shard_documents=size)
        assert found.metrics.fields["name"].tp == 1
        assert found.metrics.documents == {"comparator_raised": DOCUMENTS - 1, "scored": 1}
    else:
        with pytest.raises(SettingError, match="first 100 values"):
            evaluate_pairs(open_pairs(pairs), spec, shard_documents=size)


def test_a_field_with_few_values_is_not_refused() -> None:
    """Two documents compare field by field, and the reason names comparator, field and exception."""

    class Fragile(BaseComparator):
        def _compare(self, expected: Any, predicted: Any) -> float:
            raise ValueError(f"cannot read\n{predicted}")

    verdict = Plan.compile(of(Fragile())).compare({"name": "a"}, {"name": "b"}).verdicts[0]
    assert (verdict.outcome.word, verdict.score) == ("mismatch", 0.0)
    assert verdict.reason == "the comparator `Fragile` of `name` raised ValueError: cannot read b"


def test_rounding_is_clipped() -> None:
    """Up to 1e-6 outside of 0 to 1 is rounding, in pairs and in lists that are compared as grids."""
    document = {"name": "a", "tags": list("abcdef")}
    plan = Plan.compile(of(Nearly()))
    assert [v.raw_score for v in plan.compare(document, document).verdicts] == [1.0] * 7
    other = {"name": "b", "tags": list("uvwxyz")}
    assert {v.raw_score for v in plan.compare(document, other).verdicts} == {0.0}


def test_a_grid_is_checked_as_pairs_are() -> None:
    """A class with a grid of its own is refused in a list as it is outside of one."""
    values, others = ([f"{letter}{end}" for letter in "acdefg"] for end in "bc")
    for expected, predicted in (({"name": "ab"}, {"name": "ac"}), ({"tags": values}, {"tags": others})):
        with pytest.raises(SettingError, match="`Percent`"):
            Plan.compile(of(Percent())).compare(expected, predicted)


def test_an_overridden_method_decides_in_lists_too() -> None:
    """A subclass that overrides one method of a built-in comparator is not asked through the other's grid."""

    class Never(LevenshteinComparator):
        def _compare(self, expected: Any, predicted: Any) -> float:
            return 0.0

    expected = {"tags": [letter * 20 for letter in "abcdef"]}
    predicted = {"tags": [letter * 19 for letter in "abcdef"]}
    for comparator, wrong in ((LevenshteinComparator(), 0), (Never(), 6)):
        assert Plan.compile(of(comparator)).compare(expected, predicted).counts()["fd"] == wrong
