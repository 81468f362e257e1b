"""What a comparison of two runs claims: only what the rate, its interval and its test say together."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binomtest

from tests.runs.results import command, verdict_of, write_run

RIGHT, WRONG, EMPTY = "right", "wrong", None


def run_of(folder: Path, **fields: Sequence[str | None]) -> Path:
    """Write a run in which each field is read so in one document after the other; what is right is ``right``."""
    text = {"type": "string", "x-aws-stickler-comparator": "ExactComparator"}
    schema = {"type": "object", "properties": dict.fromkeys(fields, text)}
    documents = {
        f"d{k}": (dict.fromkeys(fields, RIGHT), {name: value for name, value in zip(fields, row, strict=True) if value})
        for k, row in enumerate(zip(*fields.values(), strict=True))
    }
    return write_run(folder, documents, schema=schema)


def compared(base: Path, candidate: Path, *options: str) -> dict[str, Any]:
    done = command("diff", base, candidate, "--json", *options)
    return {**json.loads(done.stdout), "exit_code": done.exit_code}


def test_guesses_that_raise_right_and_wrong_values_are_mixed(tmp_path: Path) -> None:
    """Of 50 empty values 12 are guessed right and 38 wrong: more is right, and F1 is lower. Neither is the verdict."""
    base = run_of(tmp_path / "a", vat=[RIGHT] * 50 + [EMPTY] * 50)
    candidate = run_of(tmp_path / "b", vat=[RIGHT] * 62 + [WRONG] * 38)
    row = compared(base, candidate)["fields"]["vat"]
    assert (row["right_values"]["lost"], row["right_values"]["gained"]) == (0, 12)
    assert row["right_values"]["p"] == pytest.approx(binomtest(0, 12).pvalue)
    assert row["delta"] < 0
    assert row["finding"] == "mixed"
    assert "mixed" in command("diff", base, candidate).output


def test_a_higher_rate_with_fewer_right_values_is_mixed(tmp_path: Path) -> None:
    """A hundred wrong values and ten right ones are left empty: F1 rises, and ten values are lost."""
    base = run_of(tmp_path / "a", code=[RIGHT] * 100 + [WRONG] * 100)
    candidate = run_of(tmp_path / "b", code=[RIGHT] * 90 + [EMPTY] * 110)
    row = compared(base, candidate)["fields"]["code"]
    assert row["low"] > 0
    assert (row["right_values"]["lost"], row["right_values"]["gained"]) == (10, 0)
    assert row["finding"] == "mixed"


@pytest.mark.parametrize("swapped", [False, True])
def test_all_values_together_are_mixed_as_a_field_is(tmp_path: Path, swapped: bool) -> None:
    """The verdict says both, and exits with 1: something got worse."""
    runs = [
        run_of(tmp_path / "a", code=[RIGHT] * 240 + [WRONG] * 160),
        run_of(tmp_path / "b", code=[RIGHT] * 225 + [EMPTY] * 175),
    ]
    base, candidate = reversed(runs) if swapped else runs
    found = compared(base, candidate)
    assert (found["finding"], found["exit_code"]) == ("mixed", 1)
    words = ("lower", "more", "15 gained, 0 lost") if swapped else ("higher", "fewer", "0 gained, 15 lost")
    assert verdict_of(found).startswith(f"Mixed: F1 (strict) is 12.00 points {words[0]} (95%: ")
    assert f"in 400 documents, and {words[1]} values are right: {words[2]} (p < 0.001)." in verdict_of(found)


def test_a_difference_that_is_not_shown_has_its_sign(tmp_path: Path) -> None:
    """The figure lies within its interval."""
    base = run_of(tmp_path / "a", code=[RIGHT] * 20)
    found = compared(base, run_of(tmp_path / "b", code=[RIGHT] * 18 + [WRONG] * 2))
    assert "differs by −10.00 points (95%: −25" in verdict_of(found)


def test_documents_without_values_are_equal(tmp_path: Path) -> None:
    """Nothing differs where nothing is there."""
    run = run_of(tmp_path / "a", code=[EMPTY] * 3)
    nothing = write_run(tmp_path / "b", {f"d{k}": ({"code": None}, {"code": None}) for k in range(3)})
    assert compared(run, run)["finding"] == "equal"
    found = compared(nothing, nothing)
    assert (verdict_of(found), found["exit_code"]) == ("No difference: no document has a value on either side.", 0)


def test_wrong_values_left_empty_are_better(tmp_path: Path) -> None:
    """No right value changes, so McNemar's test sees nothing; the test of the rate does."""
    base = run_of(tmp_path / "a", code=[RIGHT] * 140 + [WRONG] * 60)
    candidate = run_of(tmp_path / "b", code=[RIGHT] * 140 + [EMPTY] * 60)
    for metric in ("strict_f1", "precision"):
        row = compared(base, candidate, "--metric", metric)["fields"]["code"]
        assert row["right_values"]["p"] == 1.0
        assert (row["test"], row["finding"]) == ("permutation", "better")


def test_values_that_only_flip_are_tested_by_mcnemar(tmp_path: Path) -> None:
    """Right or wrong in every document: the rate moves with right values alone, and their exact test decides."""
    base = run_of(tmp_path / "a", code=[RIGHT] * 10 + [WRONG] * 90)
    candidate = run_of(tmp_path / "b", code=[WRONG] * 2 + [RIGHT] * 20 + [WRONG] * 78)
    row = compared(base, candidate)["fields"]["code"]
    assert (row["test"], row["finding"]) == ("mcnemar", "better")
    assert row["p"] == row["right_values"]["p"] == pytest.approx(binomtest(2, 14).pvalue)


def test_an_interval_that_holds_0_shows_nothing(tmp_path: Path) -> None:
    """Nine empty values and a wrong one lower precision a little; swapping the empty ones changes next to nothing.

    The test alone would call that no chance, as its largest differences are those of the denominators.
    """
    base = run_of(tmp_path / "a", code=[RIGHT] * 60)
    candidate = run_of(tmp_path / "b", code=[RIGHT] * 50 + [EMPTY] * 9 + [WRONG])
    found = compared(base, candidate, "--metric", "precision")
    assert found["total"]["p"] < 0.05
    assert found["total"]["low"] < 0 < found["total"]["high"]
    assert (found["finding"], found["exit_code"]) == ("not_shown", 0)


def test_fields_that_cannot_show_anything_leave_the_others_alone(tmp_path: Path) -> None:
    """Nine fields in which five documents differ have no say in how often was looked."""
    changed = [RIGHT] * 8 + [WRONG] * 12
    still = [WRONG] * 5 + [RIGHT] * 15
    others = {f"f{k}": still for k in range(9)}
    base = run_of(tmp_path / "a", code=[WRONG] * 20, **others)
    candidate = run_of(tmp_path / "b", code=changed, **dict.fromkeys(others, [RIGHT] * 20))
    found = compared(base, candidate)
    assert found["tested_fields"] == 1
    assert found["fields"]["code"]["q"] == found["fields"]["code"]["p"] == pytest.approx(2 / 2**8)
    assert found["fields"]["f0"]["q"] is None
    assert found["fields"]["f0"]["finding"] == "not_shown"


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_so_few_documents_decide_nothing(tmp_path: Path, count: int) -> None:
    """Five documents that all change give p = 0.0625 at the least: no verdict, exit code 4, and the difference told."""
    base, candidate = run_of(tmp_path / "a", code=[RIGHT] * count), run_of(tmp_path / "b", code=[WRONG] * count)
    found = compared(base, candidate)
    assert (found["finding"], found["exit_code"]) == ("too_few", 4)
    assert found["total"]["detectable"] is None
    shown = command("diff", base, candidate).output
    assert "fewer than 6 cannot show a difference" in shown
    assert "could be detected" not in shown


def test_six_documents_can(tmp_path: Path) -> None:
    """Where all six change, 2 of 64 ways to swap them give as much."""
    found = compared(run_of(tmp_path / "a", code=[RIGHT] * 6), run_of(tmp_path / "b", code=[WRONG] * 6))
    assert found["total"]["p"] == 2 / 64
    assert (found["finding"], found["exit_code"]) == ("worse", 1)


def test_equal_documents_are_equal_however_few(tmp_path: Path) -> None:
    """One document or five: nothing differs."""
    run = run_of(tmp_path / "a", code=[RIGHT])
    found = compared(run, run)
    assert (found["finding"], found["fields"]["code"]["finding"], found["exit_code"]) == ("equal", "equal", 0)


def test_no_difference_is_larger_than_all(tmp_path: Path) -> None:
    """The bounds of a difference of two rates stay within one hundred points."""
    base = run_of(tmp_path / "a", code=[RIGHT, WRONG])
    row = compared(base, run_of(tmp_path / "b", code=[RIGHT, RIGHT]))["total"]
    assert row["low"] == -1.0
    assert row["high"] == 1.0
