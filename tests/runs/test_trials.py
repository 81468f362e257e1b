"""Runs whose documents have several trials: a document stays one unit, and its counts are those of a mean trial."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fieldwise import Spec
from fieldwise.api import evaluate_pairs
from fieldwise.readers.pairs import open_pairs
from tests.runs.results import EXACT, answer, command, difference, document, policy_file

SIZE = 40
Trials = Mapping[int, Sequence[Sequence[str]]]
"""Of each document the trials, and which fields are wrong in each."""


def write_trials(folder: Path, trials: Trials) -> Path:
    """Evaluate the trials, the first ones of all documents before the second ones."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for turn in range(max(map(len, trials.values()))):
        for number, wrong in trials.items():
            if turn < len(wrong):
                expected, predicted = document(number, wrong=wrong[turn])
                lines.append(json.dumps({"id": f"d{number:02d}", "expected": expected, "predicted": predicted}))
    (folder / "pairs.jsonl").write_text("\n".join(lines))
    source = open_pairs(folder / "pairs.jsonl")
    evaluate_pairs(source, Spec.from_json_schema(EXACT), out=folder / "results")
    return folder / "results"


def some_wrong(seed: int, trials: int) -> Trials:
    """Return trials in which fields are wrong now and then."""
    fields = ("name", "total", "sku", "items", "code")
    return {
        number: [
            [field for k, field in enumerate(fields) if (number * 7 + turn * 3 + k * 5 + seed) % 6 == 0]
            for turn in range(trials)
        ]
        for number in range(SIZE)
    }


def test_more_trials_of_the_same_predictions_are_no_difference(tmp_path: Path) -> None:
    """One trial of each document and three that are like it: nothing differs, nothing flips."""
    once = some_wrong(0, 1)
    base = write_trials(tmp_path / "base", once)
    candidate = write_trials(tmp_path / "candidate", {number: [*wrong] * 3 for number, wrong in once.items()})
    found = difference(base, candidate)
    assert found["finding"] == "equal"
    assert found["total"]["delta"] == 0
    assert found["documents"]["trials"] == {"base": SIZE, "candidate": 3 * SIZE}
    assert (found["flips"]["fixed"], found["flips"]["broken"]) == (0, 0)
    for row in found["headlines"].values():
        assert (row["delta"], row["improved"], row["regressed"]) == (0, 0, 0)
    facts = {"documents": SIZE, "base": SIZE, "candidate": 3 * SIZE}
    assert found["notes"][0] == {"code": "runs.trials", "facts": facts}


@pytest.mark.parametrize("trials", [(1, 3), (2, 3), (4, 1)])
def test_rates_are_those_of_mean_trials(trials: tuple[int, int], tmp_path: Path) -> None:
    """Each document's counts are divided by its trials; its own F1 and exactness are means over them."""
    runs = [write_trials(tmp_path / f"run{k}", some_wrong(k, count)) for k, count in enumerate(trials)]
    found = difference(runs[0], runs[1])
    rows = found["headlines"] | {"strict_f1": found["total"]}
    for side, folder in zip(("base", "candidate"), runs, strict=True):
        metrics = json.loads((folder / "metrics.json").read_text())
        assert rows["strict_f1"][side]["value"] == pytest.approx(metrics["aggregate"]["strict_f1"])
        assert rows["strict_f1"][side]["low"] == pytest.approx(metrics["aggregate"]["rates"]["strict_f1"]["low"])
        for name, own in (("document_macro", "macro_strict_f1"), ("exact_documents", "exact_rate")):
            for bound in ("value", "low", "high"):
                assert rows[name][side][bound] == pytest.approx(metrics["document_metrics"][own][bound], abs=1e-9)
    assert found["total"]["n"] == SIZE
    assert {row["test"] for row in found["fields"].values()} <= {"permutation", "sign_flip", None}
    assert found["fields"]["name"]["test"] == "permutation"


def test_documents_with_more_trials_don_t_weigh_more(tmp_path: Path) -> None:
    """A document that is always wrong counts as one, whether it was tried once or ten times."""
    base: Trials = {number: [[]] for number in range(SIZE)}
    candidate: dict[int, list[list[str]]] = {number: [[]] for number in range(SIZE)}
    candidate[0] = [["name"]] * 10
    found = difference(write_trials(tmp_path / "base", base), write_trials(tmp_path / "candidate", candidate))
    assert found["fields"]["name"]["candidate"]["value"] == pytest.approx(1 - 1 / SIZE)
    assert found["fields"]["name"]["right_values"]["lost"] == 1


def test_values_flip_where_half_of_the_trials_changed(tmp_path: Path) -> None:
    """The share of right trials decides; both shares are told, and a value of each side."""
    base: Trials = {0: [[], []], 1: [["name"], []], 2: [[], []], 3: [["total"], ["total"]], 4: [["name"], ["name"]]}
    candidate: Trials = {
        0: [["name"], [], [], []],  # 1 to 3/4: no flip
        1: [["name"], ["name"], ["name"], ["name"]],  # 1/2 to 0: broken
        2: [["total"], ["total"], [], []],  # 1 to 1/2: broken
        3: [[], [], [], ["total"]],  # 0 to 3/4: fixed
        4: [[], ["name"], ["name"], ["name"]],  # 0 to 1/4: no flip
    }
    found = difference(write_trials(tmp_path / "base", base), write_trials(tmp_path / "candidate", candidate))
    flips = [
        (flip["direction"], flip["document"], flip["path"], flip["base_share"], flip["candidate_share"])
        for flip in found["flips"]["shown"]
    ]
    assert flips == [
        ("broken", "d01", "name", 0.5, 0.0),
        ("broken", "d02", "total", 1.0, 0.5),
        ("fixed", "d03", "total", 0.0, 0.75),
    ]
    broken = found["flips"]["shown"][1]
    assert (broken["expected"], broken["base"], broken["candidate"]) == ("102.0", "102.0", "1.0")
    assert (broken["base_outcome"], broken["candidate_outcome"]) == ("match", "mismatch")


def test_shares_are_of_documents_with_several_trials(tmp_path: Path) -> None:
    """A document that each run tried once has none, whatever others have."""
    base: Trials = {0: [[], []], 1: [[]], 2: [[]]}
    candidate: Trials = {0: [["name"], ["name"]], 1: [["name"]], 2: [["name"], ["name"]]}
    found = difference(write_trials(tmp_path / "base", base), write_trials(tmp_path / "candidate", candidate))
    shares = {flip["document"]: (flip["base_share"], flip["candidate_share"]) for flip in found["flips"]["shown"]}
    assert shares == {"d00": (1.0, 0.0), "d01": (None, None), "d02": (1.0, 0.0)}


@pytest.mark.parametrize("read", [(None, "other"), ("other", None), ("some", "other")])
def test_of_several_wrong_values_the_first_trials_is_shown(read: tuple[str | None, str | None], tmp_path: Path) -> None:
    """Whether it is another value or none: what the candidate read the first time is beside what was expected."""
    runs = []
    for side, names in (("base", ["right", "right"]), ("candidate", read)):
        lines = [json.dumps({"id": "d", "expected": {"name": "right"}, "predicted": {"name": name}}) for name in names]
        (tmp_path / f"{side}.jsonl").write_text("\n".join(lines))
        evaluate_pairs(open_pairs(tmp_path / f"{side}.jsonl"), Spec.from_json_schema(EXACT), out=tmp_path / side)
        runs.append(tmp_path / side)
    (flip,) = difference(runs[0], runs[1])["flips"]["shown"]
    assert (flip["expected"], flip["base"], flip["candidate"]) == ("right", "right", read[0])
    assert flip["candidate_outcome"] == ("missed" if read[0] is None else "mismatch")


def test_a_field_that_got_worse_in_most_trials_fails_the_gate(tmp_path: Path) -> None:
    """The gate decides over documents; its budgets count the values of a mean trial."""
    whole: Trials = {number: [[], []] for number in range(SIZE)}
    base = write_trials(tmp_path / "base", whole)
    spoilt: Trials = {number: [["name"], ["name"], []] if number % 2 else [[], [], []] for number in range(SIZE)}
    candidate = write_trials(tmp_path / "candidate", spoilt)
    assert answer(base, "--baseline", base)["exit_code"] == 0
    policy = policy_file(tmp_path, "margin: 0.2\nbudgets: {mismatch: 13, broken_values: 20}\n")
    found = answer(candidate, "--baseline", base, "--policy", policy)
    assert found["exit_code"] == 1
    assert [(check["name"], check["decision"]) for check in found["checks"]] == [
        ("all values", "pass"),
        ("name", "fail"),
    ]
    assert [(b["name"], b["used"], b["decision"]) for b in found["budgets"]] == [
        ("mismatch", 13, "pass"),
        ("broken_values", 20, "pass"),
    ]


def test_calibration_takes_documents_as_units(tmp_path: Path) -> None:
    """Copies of all trials leave the number of documents as it is, and the interval that has them as units."""
    lines = [
        {
            "id": f"d{number:02d}",
            "expected": {"name": f"name {number}"},
            "predicted": {"name": {"_value": f"name {number % 7}", "_confidence": 0.5 + number % 5 / 10}},
        }
        for number in range(SIZE)
    ]
    found: list[Any] = []
    for copies in (1, 3):
        pairs = tmp_path / f"{copies}.jsonl"
        pairs.write_text("\n".join(json.dumps(line) for line in lines * copies))
        evaluate_pairs(open_pairs(pairs), Spec.from_json_schema(EXACT), out=tmp_path / f"run{copies}")
        done = command("calibrate", tmp_path / f"run{copies}", "--json")
        found.append(json.loads(done.stdout))
    once, three = (one["pooled"] for one in found)
    assert (once["documents"], three["documents"]) == (SIZE, SIZE)
    assert (once["n"], three["n"]) == (SIZE, 3 * SIZE)
    assert three["auroc"] == pytest.approx(once["auroc"])


def test_a_document_whose_truths_differ_counts_as_missed_in_that_run(tmp_path: Path) -> None:
    """It failed there: every value that the other run shows to be expected is missed, in each run's own trials."""
    whole: Trials = {number: [[], []] for number in range(SIZE)}
    base = write_trials(tmp_path / "base", whole)
    lines = (tmp_path / "base" / "pairs.jsonl").read_text().splitlines()
    other = json.loads(lines[0])
    other["expected"]["name"] = "somebody else"
    (tmp_path / "pairs.jsonl").write_text("\n".join([*lines, json.dumps(other)]))
    evaluate_pairs(open_pairs(tmp_path / "pairs.jsonl"), Spec.from_json_schema(EXACT), out=tmp_path / "candidate")
    found = difference(base, tmp_path / "candidate")
    assert found["documents"]["candidate_failed"] == {"count": 1, "first": ["d00"]}
    assert found["fields"]["name"]["candidate"]["value"] == pytest.approx(2 * (SIZE - 1) / (2 * SIZE - 1))
    assert (found["flips"]["broken"], found["flips"]["fixed"]) == (9, 0)
