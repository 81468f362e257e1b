"""The ``confidence`` of a policy: it decides on the intervals, on what fails and on how many documents are needed."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from fieldwise.runs.folder_run import open_run
from tests.stats import oracles

from .results import answer, command, document, policy_file, write_run
from .test_gate import power

Json = Any
DOCUMENTS = 60


def run_of(folder: Path, *, wrong: Collection[int]) -> Path:
    """Evaluate documents of which some have a wrong name."""
    pairs = {f"d{k:02d}": document(k, wrong=["name"] if k in wrong else []) for k in range(DOCUMENTS)}
    return write_run(folder, pairs)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A candidate that breaks eight names and mends two: worse for sure at some levels only."""
    root = tmp_path_factory.mktemp("levels")
    return run_of(root / "base", wrong=(1, 2)), run_of(root / "candidate", wrong=range(10, 18))


def parts_of_runs(runs: tuple[Path, Path]) -> list[list[tuple[int, int]]]:
    """Return numerator and denominator of strict F1 of each document of both runs."""
    tables = (open_run(run).documents().counts[:, :4].tolist() for run in runs)
    return [[(2 * tp, 2 * tp + 2 * fd + fa + fn) for tp, fd, fa, fn in table] for table in tables]


def checked(runs: tuple[Path, Path], folder: Path, settings: str) -> Json:
    """Return the check of all values under a policy."""
    path = policy_file(folder, f"any_field: off\n{settings}")
    (check,) = answer("--baseline", *runs, "--policy", path)["checks"]
    return check


@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.95, 0.99])
def test_intervals_are_at_the_level_of_the_policy(runs: tuple[Path, Path], tmp_path: Path, confidence: float) -> None:
    """The bounds are t of scipy at that level, and the table says which it is."""
    found = checked(runs, tmp_path, f"confidence: {confidence}\n")["difference"]
    expected = oracles.paired(parts_of_runs(runs), confidence=confidence)
    assert (found["low"], found["high"]) == pytest.approx((expected.low, expected.high))
    shown = command("gate", "--baseline", *runs, "--policy", tmp_path / "gate.yaml", columns=200).output
    assert f"({100 * confidence:.4g}%: " in shown.splitlines()[0] + shown.splitlines()[1]
    assert f"{100 * confidence:.4g}% interval" in shown


def test_the_level_decides_what_is_a_loss(runs: tuple[Path, Path], tmp_path: Path) -> None:
    """The same loss fails where its upper bound at that level lies below 0, and is open above."""
    decisions = {}
    for confidence in (0.6, 0.8, 0.95, 0.99):
        check = checked(runs, tmp_path, f"margin: 0.005\nconfidence: {confidence}\n")
        decisions[check["decision"]] = confidence
        worse = oracles.paired(parts_of_runs(runs), confidence=confidence).high < 0
        assert check["decision"] == ("fail" if worse else "not_enough_documents"), confidence
    assert decisions == {"fail": 0.6, "not_enough_documents": 0.99}


def test_the_level_decides_what_is_ruled_out(runs: tuple[Path, Path], tmp_path: Path) -> None:
    """A margin between the lower bounds at two levels passes at one of them and not at the other."""
    bounds = [checked(runs, tmp_path, f"confidence: {level}\n")["difference"]["low"] for level in (0.8, 0.99)]
    margin = -sum(bounds) / 2
    decided = [checked(runs, tmp_path, f"margin: {margin}\nconfidence: {level}\n")["decision"] for level in (0.8, 0.99)]
    assert decided == ["pass", "not_enough_documents"]


@pytest.mark.parametrize("confidence", [0.8, 0.99])
def test_the_level_decides_how_many_are_needed(runs: tuple[Path, Path], tmp_path: Path, confidence: float) -> None:
    """So many documents put the lower bound at that level above -margin in 80 % of draws, by scipy's noncentral t."""
    margin = 0.002
    as_good = runs[0], run_of(tmp_path / "as good", wrong=(10, 11))
    check = checked(as_good, tmp_path, f"margin: {margin}\nconfidence: {confidence}\n")
    spread = check["difference"]["se"] * DOCUMENTS**0.5
    found = [power(check["needed"] - less, margin, spread, confidence) for less in (0, 1)]
    assert found[0] >= 0.8 > found[1]
