"""Documents that one of two runs failed at: they stay in ``fieldwise diff`` and ``fieldwise gate``, as missed."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from fieldwise.readers.pairs import MISSING

from .results import answer, command, difference, document, policy_file, write_run

Json = Any
DOCUMENTS = 60
VALUES = 9
"""So many values are expected in each document."""


def run_of(folder: Path, *, failed: Collection[int] = (), odd: bool = False) -> Path:
    """Evaluate documents of which some fail; ``odd``: number 3 has a wrong code, and a value that was invented."""
    pairs = {f"d{k:02d}": document(k, wrong=["code"] if odd and k == 3 else []) for k in range(DOCUMENTS)}
    if odd:
        pairs["d03"][1]["extra"] = "invented"
    again = dict[str, tuple[Json, Json]]()
    for number in failed:  # two expected documents of one id are neither
        again[f"d{number:02d}"] = ({"name": "another truth"}, {})
    folder = write_run(folder, pairs, again=again)
    kinds = json.loads((folder / "metrics.json").read_bytes())["documents"]
    assert kinds.get("failed", 0) == len(failed)
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run without a failed document, in which document 3 has a wrong code and an invented value."""
    return run_of(tmp_path_factory.mktemp("whole"), odd=True)


@pytest.fixture(scope="module")
def failing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that failed at documents 3 and 4."""
    return run_of(tmp_path_factory.mktemp("failing"), failed=(3, 4))


def f1(*, tp: int, fd: int = 0, fa: int = 0, fn: int = 0) -> float:
    """Return strict F1 of some counts."""
    return 2 * tp / (2 * tp + 2 * fd + fa + fn)


def test_a_failed_document_counts_as_missed(whole: Path, failing: Path) -> None:
    """Every value that was expected of it is missed, whatever the base made of it; what the base invented is not."""
    found = difference(whole, failing)
    expected = DOCUMENTS * VALUES
    assert found["documents"]["compared"] == found["total"]["n"] == DOCUMENTS
    assert found["documents"]["candidate_failed"] == {"count": 2, "first": ["d03", "d04"]}
    assert found["total"]["base"]["value"] == pytest.approx(f1(tp=expected - 1, fd=1, fa=1))
    assert found["total"]["candidate"]["value"] == pytest.approx(f1(tp=expected - 2 * VALUES, fn=2 * VALUES))
    assert (found["total"]["improved"], found["total"]["regressed"]) == (0, 2)
    assert found["fields"]["name"]["candidate"]["value"] == pytest.approx(f1(tp=DOCUMENTS - 2, fn=2))
    assert found["fields"]["code"]["regressed"] == 1  # the code of document 3 was wrong before
    assert found["headlines"]["exact_documents"]["candidate"]["value"] == pytest.approx(1 - 2 / DOCUMENTS)


def test_right_values_of_a_failed_document_are_broken(whole: Path, failing: Path) -> None:
    """What was right before is a flip without a predicted value; what was wrong before is none."""
    flips = difference(whole, failing)["flips"]
    assert (flips["fixed"], flips["broken"]) == (0, 2 * VALUES - 1)
    places = {(flip["document"], flip["path"]): flip for flip in flips["shown"]}
    assert len(places) == 2 * VALUES - 1
    assert ("d03", "code") not in places
    lost = places["d04", "code"]
    assert (lost["direction"], lost["field"], lost["expected"]) == ("broken", "code", "code 4")
    assert (lost["base"], lost["base_outcome"]) == ("code 4", "match")
    assert (lost["candidate"], lost["candidate_outcome"]) == (None, "missed")


def test_a_base_that_failed_is_mirrored(whole: Path, failing: Path) -> None:
    """Turned around, the same values are missed in the base and fixed in the candidate."""
    there, back = difference(whole, failing), difference(failing, whole)
    assert back["documents"]["base_failed"] == {"count": 2, "first": ["d03", "d04"]}
    assert back["documents"]["candidate_failed"]["count"] == 0
    assert back["total"]["base"]["value"] == there["total"]["candidate"]["value"]
    assert back["total"]["delta"] == pytest.approx(-there["total"]["delta"])
    assert (back["flips"]["fixed"], back["flips"]["broken"]) == (2 * VALUES - 1, 0)
    assert {flip["base_outcome"] for flip in back["flips"]["shown"]} == {"missed"}


def test_failed_documents_are_told(whole: Path, failing: Path) -> None:
    """A remark says how many failed, in which run, and which; their truth is not taken for another."""
    shown = command("diff", whole, failing).output
    assert "2 documents failed in the candidate, counted there as missed (d03, d04)" in shown
    assert "failed in the base" not in shown
    assert "other expected values" not in shown
    assert (
        "2 documents failed in the base, counted there as missed (d03, d04)" in command("diff", failing, whole).output
    )
    for sides, name in (((whole, failing), "candidate"), ((failing, whole), "base")):
        shown = command("gate", "--baseline", *sides, columns=200).output
        assert f"2 documents failed in the {name}, counted there as missed (d03, d04)" in shown


def test_what_both_runs_failed_at_is_left_out(failing: Path, tmp_path: Path) -> None:
    """A document that neither run could compare is not paired; one that the other run failed at still is."""
    found = difference(failing, run_of(tmp_path, failed=(4, 5)))
    assert found["documents"]["compared"] == DOCUMENTS - 1
    assert found["documents"]["excluded"] == {"count": 1, "first": ["d04"]}
    assert [found["documents"][side]["first"] for side in ("base_failed", "candidate_failed")] == [["d03"], ["d05"]]
    assert (found["flips"]["fixed"], found["flips"]["broken"]) == (VALUES, VALUES)


def test_failed_documents_fail_the_gate(tmp_path: Path) -> None:
    """A candidate that fails at a third of the documents loses a third of every field, and its budgets are used up."""
    base, candidate = run_of(tmp_path / "a"), run_of(tmp_path / "b", failed=range(0, DOCUMENTS, 3))
    path = policy_file(tmp_path, "critical: [code]\nbudgets: {failures: 20, missed: 179, broken_values: 179}\n")
    found = answer("--baseline", base, candidate, "--policy", path)
    assert (found["decision"], found["exit_code"]) == ("fail", 1)
    assert found["pairing"]["compared"] == DOCUMENTS
    assert found["pairing"]["candidate_failed"]["count"] == 20
    kinds = [(check["kind"], check["decision"]) for check in found["checks"]]
    assert kinds == [("overall", "fail"), ("critical", "fail"), *[("any_field", "fail")] * 4]
    for check in found["checks"]:
        assert check["difference"]["candidate"]["value"] == pytest.approx(f1(tp=40, fn=20))
        counts = {name: check["difference"][name] for name in ("n", "improved", "regressed", "tied")}
        assert counts == {"n": DOCUMENTS, "improved": 0, "regressed": 20, "tied": 40}
    assert found["values"]["broken"] == 20 * VALUES
    used = {budget["name"]: (budget["used"], budget["decision"]) for budget in found["budgets"]}
    assert used == {"failures": (20, "pass"), "missed": (20 * VALUES, "fail"), "broken_values": (20 * VALUES, "fail")}


def test_documents_without_an_expected_one_are_no_failures(tmp_path: Path) -> None:
    """A prediction that nobody expected is neither a failure nor one of the documents that a share is of."""
    base = run_of(tmp_path / "base")
    pairs = {f"d{k:02d}": document(k) for k in range(DOCUMENTS)}
    pairs["d01"] = pairs["d01"][0], None
    more = {f"more {k}": (MISSING, document(k)[1]) for k in range(DOCUMENTS)}
    candidate = write_run(tmp_path / "candidate", {**pairs, **more})
    for limit, decision in (("0", "fail"), ("1", "pass"), ("1%", "fail"), ("2%", "pass")):
        path = policy_file(tmp_path, f"margin: 0.9\nbudgets: {{failures: {limit}}}\n")
        (budget,) = answer("--baseline", base, candidate, "--policy", path)["budgets"]
        assert (budget["used"], budget["of"], budget["decision"]) == (1, DOCUMENTS, decision)
