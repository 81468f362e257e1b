"""Flips are those of all rows of both runs, though they are found in the errors alone."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from fieldwise import Spec
from fieldwise.api import evaluate_pairs
from fieldwise.readers.pairs import open_pairs
from tests.folders import stored_rows
from tests.runs.results import EXACT, difference

Json = Any
DOCUMENTS = 60
SCHEMA = json.loads(json.dumps(EXACT))
SCHEMA["properties"]["name"] = {"type": "string", "x-aws-stickler-comparator": "NormalizedComparator"}
SCHEMA["properties"]["tags"] = {"type": "array", "items": {"type": "string"}}


def made(rng: random.Random, number: int) -> dict[str, Json]:
    """Return an expected document."""
    return {
        "name": f"name {number}",
        "code": rng.choice([f"code {number}", None]),
        "total": number,
        "tags": rng.choices("abc", k=rng.randint(0, 4)),
        "items": [{"sku": f"s{rng.randint(0, 9)}", "price": float(k)} for k in range(rng.randint(0, 4))],
    }


def spoilt(rng: random.Random, value: Json) -> Json:
    """Return a prediction: values and items are changed, lost, moved and invented now and then."""
    if isinstance(value, dict):
        found = {name: spoilt(rng, inner) for name, inner in value.items() if rng.random() > 0.03}
        return found | ({"extra": rng.choice([1, "x", [1, 1], "y" * 5000])} if rng.random() < 0.05 else {})
    if isinstance(value, list):
        kept = [spoilt(rng, item) for item in value if rng.random() > 0.1]
        rng.shuffle(kept)
        return kept + ([{"sku": "inv"}] if rng.random() < 0.1 else []) + (["inv"] if rng.random() < 0.1 else [])
    if rng.random() < 0.85:
        return value
    return rng.choice([None, "other", 7, {"odd": 1}, str(value).upper()])


def write(folder: Path, seed: int, *, trials: int, failing: float, other_truth: float, alternates: bool) -> Path:
    """Evaluate predictions of the same documents, each in up to so many trials."""
    rng, lines = random.Random(seed), []
    for number in range(DOCUMENTS):
        expected = made(random.Random(number), number)
        if rng.random() < other_truth:
            expected |= {"code": "changed", "items": expected["items"][1:]}
        acceptable = {"name": ["other", f"n{number}"]} if alternates and rng.random() < 0.5 else None
        for _ in range(rng.randint(1, trials)):
            line = {"id": f"d{number:02d}", "expected": expected, "predicted": spoilt(rng, expected)}
            if rng.random() < failing:
                lines.append(json.dumps(line | {"expected": {"name": "another truth"}}))
            lines.append(json.dumps(line | ({"alternates": acceptable} if acceptable else {})))
    folder.mkdir()
    (folder / "pairs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    spec = Spec.from_json_schema(SCHEMA)
    evaluate_pairs(open_pairs(folder / "pairs.jsonl"), spec, out=folder / "out", shard_documents=17)
    return folder / "out"


class Rows:
    """All that a run says of its places, straight from its rows."""

    def __init__(self, folder: Path) -> None:
        documents = stored_rows(folder, "documents")
        self.trials = Counter(row["document"] for row in documents if row["status"] != "no_expected")
        counted = {row["document"] for row in documents if row["status"] not in ("failed", "no_expected")}
        self.failed = self.trials.keys() - counted
        self.right: dict[tuple[str, str, str], int] = {}
        self.invented: dict[tuple[str, str, str, int], int] = {}
        seen: Counter[tuple[Json, ...]] = Counter()
        for row in stored_rows(folder, "verdicts"):
            document, field = row["document"], row["field"]
            if row["outcome"] in ("match", "mismatch", "missed"):
                place = document, field, row["path"]
                self.right[place] = self.right.get(place, 0) + (row["outcome"] == "match")
            elif row["outcome"] == "spurious":
                value = json.dumps([row["predicted_sha256"] or row["predicted"], row["predicted_is_json"]])
                at = document, field, value, seen[document, row["trial"], field, value]
                seen[document, row["trial"], field, value] += 1
                self.invented[at] = self.invented.get(at, 0) + 1


def flips_of(base: Rows, candidate: Rows) -> Counter[tuple[str, str, str, str | None]]:
    """Return direction, document, field and path of every flip; an invented one has no path."""
    found: Counter[tuple[str, str, str, str | None]] = Counter()

    def note(document: str, field: str, path: str | None, before: float, after: float) -> None:
        if abs(after - before) >= 0.5 - 1e-9:
            found["fixed" if after > before else "broken", document, field, path] += 1

    for place in {**base.right, **candidate.right}:
        document = place[0]
        shares = [run.right[place] / run.trials[document] if place in run.right else None for run in (base, candidate)]
        for k, run in enumerate((base, candidate)):
            if shares[k] is None and document in run.failed:
                shares[k] = 0.0
        if shares[0] is not None and shares[1] is not None and document in base.trials.keys() & candidate.trials:
            note(*place, shares[0], shares[1])
    for at in {**base.invented, **candidate.invented}:
        document, field = at[:2]
        if document not in base.failed | candidate.failed:
            of = base.trials[document], candidate.trials[document]
            before, after = base.invented.get(at, 0), candidate.invented.get(at, 0)
            note(document, field, None, 1 - before / of[0], 1 - after / of[1])
    return found


CASES: Mapping[str, dict[str, Any]] = {
    "plain": {"trials": 1, "failing": 0.0, "other_truth": 0.0, "alternates": False},
    "failing": {"trials": 1, "failing": 0.1, "other_truth": 0.0, "alternates": False},
    "trials": {"trials": 4, "failing": 0.0, "other_truth": 0.0, "alternates": False},
    "failing trials": {"trials": 3, "failing": 0.2, "other_truth": 0.0, "alternates": False},
    "alternates": {"trials": 1, "failing": 0.0, "other_truth": 0.0, "alternates": True},
    "everything": {"trials": 2, "failing": 0.1, "other_truth": 0.2, "alternates": True},
}


@pytest.mark.parametrize("case", CASES)
def test_flips_are_those_of_all_rows(tmp_path: Path, case: str) -> None:
    """Lists, trials, failures, other acceptable values and changed truths: what flipped is what all rows say."""
    folders = [write(tmp_path / side, seed, **CASES[case]) for side, seed in (("base", 1), ("candidate", 2))]
    wanted = flips_of(Rows(folders[0]), Rows(folders[1]))
    found = difference(folders[0], folders[1], "--allow-different-rules")["flips"]
    told = Counter(
        (flip["direction"], flip["document"], flip["field"], None if is_invented(flip) else flip["path"])
        for flip in found["shown"]
    )
    assert told == wanted
    counts = Counter(direction for direction, *_ in wanted.elements())
    assert (found["fixed"], found["broken"]) == (counts["fixed"], counts["broken"])
    assert min(counts["fixed"], counts["broken"]) > 10
    for flip in found["shown"]:
        sides = {"fixed": ("candidate", "base"), "broken": ("base", "candidate")}[flip["direction"]]
        if not is_invented(flip) and case in ("plain", "alternates"):
            assert [flip[f"{side}_outcome"] == "match" for side in sides] == [True, False]


def is_invented(flip: Json) -> bool:
    """Tell whether neither run expected the value."""
    return "spurious" in (flip["base_outcome"], flip["candidate_outcome"])


@pytest.mark.parametrize("case", ["plain", "alternates"])
def test_values_are_those_of_the_rows(tmp_path: Path, case: str) -> None:
    """What is shown of a flip is what the rows of both runs have at its place."""
    folders = [write(tmp_path / side, seed, **CASES[case]) for side, seed in (("base", 3), ("candidate", 4))]
    held = [{(row["document"], row["path"]): row for row in stored_rows(folder, "verdicts")} for folder in folders]
    shown = [flip for flip in difference(folders[0], folders[1])["flips"]["shown"] if not is_invented(flip)]
    for flip, (side, rows) in chain.from_iterable(
        ((flip, pair) for pair in zip(("base", "candidate"), held, strict=True)) for flip in shown
    ):
        row = rows[flip["document"], flip["path"]]
        assert (flip[side], flip[f"{side}_outcome"]) == (row["predicted"], row["outcome"])
        assert str(row["expected"]) in str(flip["expected"])
    assert len(shown) > 20
