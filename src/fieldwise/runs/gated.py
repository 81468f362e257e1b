"""What a gate says of two runs, gathered for its views: the answer, what was left out, and values that broke."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path

from fieldwise.runs.flips import Flip, Flips, find_flips
from fieldwise.runs.gate import GateResult, MarginCheck, run_gate
from fieldwise.runs.pairing import pair_runs
from fieldwise.runs.policy import Policy
from fieldwise.runs.rules import check_rules
from fieldwise.runs.run import Run, as_run

PURPOSE = "fieldwise gate"
MOST_VALUES = 5
"""So many values that broke are shown for a check that failed."""
_OF_BROKEN = ("broken_values", "regressed_documents")


@dataclass(frozen=True)
class GateReport:
    """The answer of a gate with everything that its views show."""

    base: Run
    candidate: Run
    result: GateResult
    differing_rules: tuple[str, ...]
    flips: Flips

    def broken(self, check: MarginCheck) -> tuple[Flip, ...]:
        """Return some values of a check that only the baseline has right, of each field in turn."""
        return _some(flip for flip in self.flips.shown if flip.direction == "broken" and flip.field in check.fields)

    def all_broken(self) -> tuple[Flip, ...]:
        """Return those values for every check that failed, and for budgets of such values, each once."""
        failed = (check for check in self.result.checks if check.decision == "fail")
        found = [flip for check in failed for flip in self.broken(check)]
        if any(check.decision == "fail" and check.name in _OF_BROKEN for check in self.result.budgets):
            found += _some(flip for flip in self.flips.shown if flip.direction == "broken")
        return tuple(dict.fromkeys(found))


def _some(flips: Iterable[Flip]) -> tuple[Flip, ...]:
    by_field: dict[str, list[Flip]] = {}
    for flip in flips:
        by_field.setdefault(flip.field, []).append(flip)
    return tuple(islice(_in_turn(by_field), MOST_VALUES))


def _in_turn(by_field: Mapping[str, list[Flip]]) -> Iterable[Flip]:
    return (flip for row in zip_longest(*by_field.values()) for flip in row if flip is not None)


def gate_runs(
    base: Run | str | Path, candidate: Run | str | Path, policy: Policy, *, allow_different_rules: bool = False
) -> GateReport:
    """Pair the documents of two runs, opened or where they are, and judge the candidate by a policy."""
    before, after = as_run(base), as_run(candidate)
    for run in (before, after):
        run.need_rows(PURPOSE)
    differing = check_rules(before, after, allow_different=allow_different_rules)
    runs = pair_runs(before, after, PURPOSE)
    flips = find_flips(runs)
    return GateReport(before, after, run_gate(runs, policy, flips), differing, flips)
