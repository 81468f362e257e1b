"""A better total does not hide a worse field: diff and gate name it, and chance alone names none."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from fieldwise.pytest_plugin import Assertions
from fieldwise.results.notes import Note
from fieldwise.runs.measures import field_losses
from fieldwise.views.notes import worded
from tests.page_answers import answers_in, difference_in
from tests.runs.results import verdict_of

from .results import answer, command, difference, policy_file, write_run

Json = Any
DOCUMENTS = 300
FIELDS = [f"field_{k:02d}" for k in range(20)]
FALLEN = "field_07"
SCHEMA = {
    "type": "object",
    "properties": {name: {"type": "string", "x-aws-stickler-comparator": "ExactComparator"} for name in FIELDS},
}


def run_of(folder: Path, wrong: Callable[[str, float], bool], documents: int = DOCUMENTS) -> Path:
    """Evaluate documents of twenty values, of which some are wrong; the same random numbers for every run."""
    rng = random.Random(3)
    pairs = {}
    for number in range(documents):
        expected = {name: f"{name} of {number}" for name in FIELDS}
        chances = {name: rng.random() for name in FIELDS} | {FALLEN: number % 10 / 10}
        predicted = {name: "wrong" if wrong(name, chances[name]) else value for name, value in expected.items()}
        pairs[f"d{number:03d}"] = expected, predicted
    return write_run(folder, pairs, schema=SCHEMA)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tenth of the values is wrong; the candidate mends half of these, and breaks a tenth more of one field."""
    root = tmp_path_factory.mktemp("runs")
    base = run_of(root / "base", lambda name, chance: chance < 0.1)
    candidate = run_of(root / "candidate", lambda name, chance: chance < (0.2 if name == FALLEN else 0.05))
    return base, candidate


def test_diff_names_the_field_and_exits_with_1(runs: tuple[Path, Path], tmp_path: Path) -> None:
    """The headline of terminal, page and JSON names the field though all values together are better."""
    done = command("diff", *runs, "--html", tmp_path / "page.html", columns=300)
    assert done.exit_code == 1
    first = done.output.splitlines()[0]
    assert first.startswith(f"⇅ Clearly worse in 1 field: {FALLEN} (−10.00 points), though better on all values ")
    assert "though better on all values together: F1 (strict) is " in first
    (row,) = (line for line in done.output.splitlines() if line.strip().startswith(FALLEN))
    assert "▼ clearly worse" in " ".join(row.split())
    found = difference(*runs)
    page = difference_in(tmp_path / "page.html")
    assert answers_in((tmp_path / "page.html").read_text(encoding="utf-8")).verdict == verdict_of(found)
    assert page.fields[FALLEN].clearly_worse
    assert (found["finding"], found["total"]["finding"]) == ("mixed", "better")
    (worse,) = found["worse_fields"]
    assert (worse["path"], worse["delta"]) == (FALLEN, found["fields"][FALLEN]["delta"])
    assert worse["p"] == found["fields"][FALLEN]["p_worse"] < 0.025
    assert [path for path, field in found["fields"].items() if field["clearly_worse"]] == [FALLEN]
    assert {"p", "q", "p_holm"} <= found["fields"][FALLEN].keys()


def test_gate_without_a_policy_fails_and_names_the_field(runs: tuple[Path, Path], tmp_path: Path) -> None:
    """All values pass, and the field fails in terminal, Markdown, JUnit, JSON and the fixture of pytest."""
    paths = tmp_path / "gate.xml", tmp_path / "gate.md"
    done = command("gate", "--baseline", *runs, "--junit", paths[0], "--markdown", paths[1], columns=200)
    assert done.exit_code == 1
    assert done.output.startswith(f" ✗ FAIL   {FALLEN} (clearly worse): F1 (strict) 0.")
    assert "the margin is 5 points" in done.output.splitlines()[0]
    assert "fail: <code>field&#95;07</code> (clearly worse)" in paths[1].read_text(encoding="utf-8").splitlines()[0]
    cases = {case.get("name"): case.find("failure") for case in ElementTree.parse(paths[0]).iter("testcase")}
    assert cases["all values"] is None
    failure = cases[f"any field {FALLEN}"]
    assert failure is not None
    assert "no field may be clearly worse by more than 5 points (any_field)" in str(failure.get("message"))
    overall, worse = answer("--baseline", *runs)["checks"]
    assert (overall["decision"], worse["decision"], worse["kind"]) == ("pass", "fail", "any_field")
    assert all(flip["field"] == FALLEN for flip in worse["broken_values"])
    with pytest.raises(AssertionError, match=rf"✗ fail: {FALLEN} \(clearly worse\)"):
        Assertions().assert_not_worse(*runs)


@pytest.mark.parametrize(
    ("policy", "decision"),
    [
        ("any_field: off", "pass"),
        ("any_field: 20%", "pass"),
        ("any_field: 0.03", "fail"),
        ("margin: 2%", "fail"),
        (f"fields: {{{FALLEN}: 30%}}", "pass"),
        (f"groups: {{some: {{fields: [{FALLEN}, field_00, field_01], margin: 30%}}}}", "fail"),
    ],
)
def test_a_policy_says_how_much_any_field_may_lose(
    runs: tuple[Path, Path], tmp_path: Path, policy: str, decision: str
) -> None:
    """``any_field`` holds with every policy, but for fields with a margin of their own; off turns it off."""
    found = answer("--baseline", *runs, "--policy", policy_file(tmp_path, f"{policy}\n"))
    assert found["decision"] == decision
    assert found["policy"]["any_field"] == {"off": "off", "20%": 0.2, "0.03": 0.03}.get(policy.split(": ")[1], 0.05)


def test_a_slight_loss_is_not_named(tmp_path: Path) -> None:
    """Nine losses in a thousand documents are no chance, and less than a point."""
    base = run_of(tmp_path / "a", lambda name, chance: False, documents=1_000)
    hits = iter(range(10**6))
    slight = run_of(tmp_path / "b", lambda name, chance: name == FALLEN and next(hits) < 9, documents=1_000)
    field = difference(base, slight)["fields"][FALLEN]
    assert field["p_worse"] == pytest.approx(2**-9)
    assert not field["clearly_worse"]
    assert answer("--baseline", base, slight)["decision"] == "pass"


@pytest.mark.parametrize(("documents", "lost", "tested"), [(19, 8, False), (20, 5, False), (20, 6, True)])
def test_few_documents_are_not_looked_at(tmp_path: Path, documents: int, lost: int, tested: bool) -> None:
    """A field needs twenty documents, and six in which it differs."""
    base = run_of(tmp_path / "a", lambda name, chance: False, documents=documents)
    hits = iter(range(10**6))
    worse = run_of(tmp_path / "b", lambda name, chance: name == FALLEN and next(hits) < lost, documents=documents)
    field = difference(base, worse)["fields"][FALLEN]
    assert field["p_worse"] == (pytest.approx(2.0**-lost) if tested else None)
    assert field["clearly_worse"] is tested


def test_one_of_two_hundred_fields_is_found() -> None:
    """Chances far below one in ten thousand are told apart, so that Holm's rule leaves room for many fields."""
    rng = np.random.default_rng(8)

    def table(rights: Json) -> Json:
        sizes = np.full(len(rights), 6)
        return np.column_stack([rights, sizes - rights, rng.integers(0, 2, len(rights)), 0 * rights]).astype(np.int32)

    fields = {}
    for number in range(200):
        rights = rng.integers(3, 7, 300)
        lost = rng.random(300) < (0.4 if number == 77 else 0)
        fields[f"f{number}"] = table(rights), table(np.maximum(rights - lost, 0))
    losses = field_losses(fields, "strict_f1")
    assert [path for path, loss in losses.items() if loss.is_clear(0.01)] == ["f77"]
    assert 0 < losses["f77"].p < 1e-6


def test_many_fields_are_named_by_the_largest_losses(tmp_path: Path) -> None:
    """Five are named, worst first, and the number of the others is told."""
    base = run_of(tmp_path / "a", lambda name, chance: chance < 0.1, documents=100)
    worse = run_of(tmp_path / "b", lambda name, chance: chance < 0.3 + int(name[-2:]) / 50, documents=100)
    found = difference(base, worse)
    assert found["finding"] == "worse"
    named = found["worse_fields"]
    assert [one["delta"] for one in named] == sorted(one["delta"] for one in named)
    assert len(named) > 10
    assert f"Clearly worse in {len(named)} fields: {named[0]['path']} (−" in verdict_of(found)
    assert verdict_of(found).endswith(f" and {len(named) - 5} more.")
    assert json.dumps(found["worse_fields"])


def test_diff_has_the_note_about_losses_that_were_not_seen(tmp_path: Path) -> None:
    """Where hardly a document differs a comparison says so, as the gate does; and always what it cannot exclude."""
    base = run_of(tmp_path / "a", lambda name, chance: False, documents=50)
    facts = {"count": 0, "of": 50, "unit": "documents"}
    note = Note("runs.few_differ", facts)
    assert difference(base, base)["notes"] == [note.to_dict()]
    shown = " ".join(command("diff", base, base).output.split())
    assert f"! {worded(note)}" in shown
    assert "0 of 50 documents lost as a whole" in shown
    assert "a share of up to 7.1% cannot be excluded." in shown
    hits = iter(range(10**6))
    other = run_of(tmp_path / "b", lambda name, chance: next(hits) == 0, documents=50)
    assert difference(base, other)["notes"] == [{"code": "runs.few_differ", "facts": {**facts, "count": 1}}]
