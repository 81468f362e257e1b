"""How often diff and gate name a field that did not change, and how often they find one that did.

Run as ``python -m benchmarks.false_alarms``. ``--write FILE`` keeps the table; ``--quick`` draws fewer runs.

A document has one value of each field. A tenth of the values is wrong, in every fifth document a fifth. In three
quarters of the documents the candidate has a value right or wrong as the base does, in the others anew, with the same
chance: that is a field *without a change*. In a field that is better some of its wrong values become right, in one that
is worse some of its right values become wrong.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from benchmarks import machine
from fieldwise.runs.gate import Question, judge, worse_fields
from fieldwise.runs.measures import SLIGHT, difference_of, field_losses
from fieldwise.runs.pairing import Tables
from fieldwise.runs.policy import Policy
from fieldwise.stats.differences import benjamini_hochberg
from fieldwise.stats.permutation import permutation_test

DOCUMENTS = 300
WRONG = 0.1
ANEW = 0.25
Counts = npt.NDArray[np.int32]


@dataclass(frozen=True)
class World:
    """What is true: how many fields there are, and how many points the candidate is better or worse in some."""

    name: str
    fields: int
    better: int = 0
    gain: float = 0.05
    worse: int = 0
    loss: float = 0.1


WORLDS = (
    World("no field changes, 20 fields", 20),
    World("no field changes, 50 fields", 50),
    World("20 of 50 fields are 5 points better", 50, better=20),
    World("one of 20 fields is 10 points worse, the others 3 better", 20, better=19, gain=0.03, worse=1),
)


@dataclass(frozen=True)
class Answer:
    """What diff and gate said of one candidate, by fields without a change, and of the fields that are worse."""

    named: bool
    by_q: bool
    failed: bool
    total_worse: bool
    found: bool
    failed_for_it: bool


def draw(rng: np.random.Generator, world: World) -> dict[str, Tables]:
    """Draw two runs on the same documents, field by field."""
    chance = np.where(np.arange(DOCUMENTS) % 5 == 0, 2 * WRONG, 0.75 * WRONG)
    runs = {}
    for number in range(world.fields):
        wrong, other = rng.random((2, DOCUMENTS)) < chance
        now = np.where(rng.random(DOCUMENTS) < ANEW, other, wrong)
        moved = rng.random(DOCUMENTS)
        if number < world.better:
            now = now & (moved >= world.gain / WRONG)
        elif number >= world.fields - world.worse:
            now = now | (moved < world.loss / (1 - WRONG))
        runs[f"field {number}"] = counts(wrong), counts(now)
    return runs


def counts(wrong: npt.NDArray[np.bool_]) -> Counts:
    """Return tp, fd, fa, fn of each document."""
    nothing = np.zeros_like(wrong)
    return np.column_stack([~wrong, wrong, nothing, nothing]).astype(np.int32)


def judged(runs: Mapping[str, Tables], world: World) -> Answer:
    """Ask diff and gate, without a policy, about one candidate."""
    fallen = {f"field {number}" for number in range(world.fields - world.worse, world.fields)}
    risen = {f"field {number}" for number in range(world.better)}
    still = runs.keys() - fallen - risen
    named = {path for path, loss in field_losses(runs, "strict_f1").items() if loss.is_clear(SLIGHT)}
    policy = Policy()
    failed = {check.name for check in worse_fields(runs, policy)}
    total: Tables = (sum_of(runs, 0), sum_of(runs, 1))
    overall = judge([Question("overall", "all values", policy.margin, tuple(runs))], [total], policy)[0]
    return Answer(
        named=bool(named & still),
        by_q=bool(worse_by_q(runs) & still),
        failed=bool(failed & still) or overall.decision == "fail",
        total_worse=bool(named & still) or difference_of(total, "strict_f1").finding == "worse",
        found=bool(fallen) and fallen <= named,
        failed_for_it=bool(fallen) and fallen <= failed,
    )


def worse_by_q(runs: Mapping[str, Tables]) -> set[str]:
    """Return the fields that q < 0.05 alone would name: fewer false alarms among the named, and not any at all."""
    tests = {path: permutation_test(*tables, "strict_f1", replicates=1000) for path, tables in runs.items()}
    found = {path: test.p for path, test in tests.items() if test is not None}
    q_values = benjamini_hochberg(list(found.values()))
    lost = {path for path, tables in runs.items() if tables[1][:, 0].sum() < tables[0][:, 0].sum()}
    return {path for path, q in zip(found, q_values, strict=True) if q < 0.05 and path in lost}


def sum_of(runs: Mapping[str, Tables], side: int) -> Counts:
    """Add up the tables of all fields."""
    total: Counts = np.stack([tables[side] for tables in runs.values()]).sum(axis=0).astype(np.int32)
    return total


def measure(draws: int) -> list[str]:
    """Return the lines of the table."""
    rows = [
        f"{DOCUMENTS} documents, one value of each field in a document, {draws:,} draws each. *Named*: diff calls a "
        "field clearly worse that did not change; *or the total*: or it calls all values worse. *Gate fails*: without "
        "a policy, for such a field or for all values. *By q*: q < 0.05, the rule for *worse* in the table of fields, "
        "names such a field.",
        "",
        "| candidate | named | or the total | gate fails | by q | worse field named | gate fails for it | goal |",
        "|---|---:|---:|---:|---:|---:|---:|---|",
    ]
    for seed, world in enumerate(WORLDS):
        rng = np.random.default_rng(seed)
        rows.append(_row(world, [judged(draw(rng, world), world) for _ in range(draws)]))
    return rows


def _row(world: World, answers: list[Answer]) -> str:
    def share(name: str) -> str:
        return f"{sum(getattr(answer, name) for answer in answers) / len(answers):.1%}"

    found = [share("found"), share("failed_for_it")] if world.worse else ["–", "–"]
    goal = "found ≥ 80 %" if world.worse else "alarms ≤ 5 %, but by q"
    alarms = [share(name) for name in ("named", "total_worse", "failed", "by_q")]
    return f"| {world.name} | {' | '.join([*alarms, *found])} | {goal} |"


def main() -> None:
    """Print the table; keep it where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="a Markdown file whose section 'False alarms' is replaced")
    parser.add_argument("--quick", action="store_true", help="fewer draws")
    options = parser.parse_args()
    text = "\n".join(measure(50 if options.quick else 1_000))
    print(text)
    if options.write:
        machine.write_section(options.write, "False alarms", "python -m benchmarks.false_alarms", text)


if __name__ == "__main__":
    main()
