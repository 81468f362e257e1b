"""May the candidate replace the baseline? Non-inferiority with a margin, critical fields and budgets.

A check passes when the lower bound of the difference is above -margin; it fails when the difference itself is below
-margin and its upper bound below 0, with Holm's adjustment over the checks of one kind; else the documents are not
enough to decide, and the number that would be is told. All values together need six documents. A field in which no
document differs passes; fields without a check of their own fail where they are clearly worse.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from fieldwise.errors import SettingError, quoted
from fieldwise.results.difference import FEWEST, Difference, Flip, FlipCounts, Flips, Pairing
from fieldwise.results.gate import (
    DECISIONS,
    BudgetCheck,
    BudgetName,
    CheckKind,
    CommonDocuments,
    Decision,
    GateReport,
    LostCheck,
    MarginCheck,
)
from fieldwise.results.metrics import path_of
from fieldwise.results.statuses import COUNTED, FAILED, SCORED
from fieldwise.runs.fields import chosen_fields
from fieldwise.runs.flips import find_flips
from fieldwise.runs.folder_run import as_run
from fieldwise.runs.lost_documents import check_lost_documents
from fieldwise.runs.measures import field_losses, measured
from fieldwise.runs.notes import pairing_notes, rare_loss_notes
from fieldwise.runs.pairing import (
    MATCH,
    MISMATCH,
    MISSED,
    SPURIOUS,
    PairedRuns,
    Tables,
    pair_runs,
    run_facts,
)
from fieldwise.runs.policy import OFF, Group, Policy
from fieldwise.runs.rules import check_rules
from fieldwise.runs.run import Run
from fieldwise.spec import parent_of
from fieldwise.stats.count_tables import documents_in
from fieldwise.stats.differences import (
    PairedDelta,
    documents_for_difference,
    holm,
    minimum_detectable_effect,
    paired_delta,
)
from fieldwise.tables.together import Together

PURPOSE = "fieldwise gate"
MAX_VALUES = 5
"""So many values that broke are shown for a check that failed."""
_AMONG = "the two runs"
AT_MARGIN = 20
"""Where more than so many times the documents were needed, the difference lies at the margin."""
_BUDGET_SLACK = 1e-6
"""Tolerance for ``0.29 * 100 < 29`` in floats."""
_BUDGETS_OF_BROKEN = ("broken_values", "regressed_documents")


@dataclass(frozen=True)
class Question:
    """Did some fields together lose less than a margin?"""

    kind: CheckKind
    name: str
    margin: float
    fields: tuple[str, ...]


def gate_runs(
    base: Run | str | Path,
    candidate: Run | str | Path,
    policy: Policy,
    *,
    allow_different_rules: bool = False,
    cluster_by: str | None = None,
) -> GateReport:
    """Pair the documents of two runs, opened or where they are, and judge the candidate by a policy."""
    before, after = as_run(base), as_run(candidate)
    for run in (before, after):
        run.need_rows(PURPOSE)
    rules = check_rules(before, after, allow_different=allow_different_rules)
    return run_gate(pair_runs(before, after, PURPOSE, cluster_by), policy, rules)


def run_gate(runs: PairedRuns, policy: Policy, rules: tuple[str, ...] = ()) -> GateReport:
    """Judge the candidate of two paired runs by a policy; ``rules`` says how the rules of the runs differ."""
    flips, documents = find_flips(runs), runs.documents()
    checks, budgets = _checks(runs, policy, flips), [_budget(runs, flips, policy, name) for name in policy.budgets]
    common = common_documents(documents, policy)
    lost = check_lost_documents(runs.units(runs.total), policy, passed=checks[0].decision == "pass")
    decisions = {common.decision, lost.decision, *(check.decision for check in checks)}
    decisions |= {check.decision for check in budgets}
    sides = run_facts(runs.base), run_facts(runs.candidate)
    losses = rare_loss_notes(checks[0].difference, lost) if checks[0].decision == "pass" else ()
    return GateReport(
        decision=next(decision for decision in DECISIONS if decision in decisions),
        needed=_needed_by_all((*checks, lost)),
        metric=policy.metric,
        policy=policy.settings(),
        base=sides[0],
        candidate=sides[1],
        different_rules=rules,
        common_documents=common,
        lost_documents=lost,
        checks=tuple(checks),
        budgets=tuple(budgets),
        notes=(*pairing_notes(documents, sides, rules), *losses),
        pairing=documents,
        values=FlipCounts(flips.fixed, flips.broken),
    )


def common_documents(documents: Pairing, policy: Policy) -> CommonDocuments:
    """Judge whether the candidate has enough of the documents of the base."""
    found, of = documents.in_both, documents.in_both + documents.base_only.count
    if policy.common_documents == OFF:
        return CommonDocuments(found, of, None, "pass")
    enough = found >= policy.common_documents * of - _BUDGET_SLACK
    return CommonDocuments(found, of, policy.common_documents, "pass" if enough else "not_enough_documents")


def _needed_by_all(checks: Iterable[MarginCheck | LostCheck]) -> int | None:
    """Return how many documents decide every open check; None where no number does, or none is known."""
    is_open = [check for check in checks if check.decision == "not_enough_documents"]
    if any(isinstance(check, MarginCheck) and check.at_margin for check in is_open):
        return None
    return max((check.needed for check in is_open if check.needed is not None), default=None)


def _checks(runs: PairedRuns, policy: Policy, flips: Flips) -> list[MarginCheck]:
    families: dict[CheckKind, list[Question]] = {}
    for one in _questions(runs, policy):
        families.setdefault(one.kind, []).append(one)
    checks = [check for family in families.values() for check in judge(family, _tables(runs, family), policy)]
    checks += worse_fields(_unasked(runs, checks), policy)
    return [
        replace(check, broken_values=_some_broken(flips, check.fields)) if check.decision == "fail" else check
        for check in checks
    ]


def _some_broken(flips: Flips, fields: Sequence[str] | None = None) -> tuple[Flip, ...]:
    """Return some values that only the base has right, of each field in turn."""
    by_field: dict[str, list[Flip]] = {}
    for flip in flips.shown:
        if flip.direction == "broken" and (fields is None or flip.field in fields):
            by_field.setdefault(flip.field, []).append(flip)
    in_turn = (flip for row in zip_longest(*by_field.values()) for flip in row if flip is not None)
    return tuple(islice(in_turn, MAX_VALUES))


def _budget(runs: PairedRuns, flips: Flips, policy: Policy, name: BudgetName) -> BudgetCheck:
    """Count what the candidate used of a budget of the policy."""
    limit, (used, of) = policy.budgets[name], _spent(runs, flips, policy, name)
    if used <= limit.allowed(of) + _BUDGET_SLACK:
        return BudgetCheck(name, limit, used, of, "pass")
    return BudgetCheck(name, limit, used, of, "fail", _some_broken(flips) if name in _BUDGETS_OF_BROKEN else ())


def _spent(runs: PairedRuns, flips: Flips, policy: Policy, name: BudgetName) -> tuple[int, int]:
    """Return how much of a budget the candidate used, and of how many; values are those of a mean trial."""
    table = runs.total[1]
    if name == "failures":
        return _failures(runs.statuses[1])
    if name == "regressed_documents":
        found = measured(runs.total, policy.metric, policy.confidence)
        return found.regressed, len(runs.ids.compared)
    if name == "broken_values":
        return flips.broken, round(runs.total[0][:, MATCH].sum() / runs.scale)
    column = {"mismatch": MISMATCH, "missed": MISSED, "spurious": SPURIOUS}[name]
    return round(table[:, column].sum() / runs.scale), round(table.sum() / runs.scale)


def _failures(statuses: Mapping[str, int]) -> tuple[int, int]:
    """Return the documents that failed or had no usable prediction, of all that have an expected document."""
    of = sum(statuses.get(status, 0) for status in (*COUNTED, FAILED))
    return of - statuses.get(SCORED, 0), of


def _unasked(runs: PairedRuns, checks: Iterable[MarginCheck]) -> Mapping[str, Tables]:
    """Return the fields without a check of their own: where there is one, its margin decides."""
    asked = [check.name for check in checks if check.kind in ("field", "critical")]
    return runs.fields.without(asked, runs.units)


def worse_fields(fields: Mapping[str, Tables], policy: Policy) -> list[MarginCheck]:
    """Return a failed check for each field that is clearly worse by more than the policy lets any field be."""
    margin = policy.any_field
    if margin == OFF:
        return []
    losses, left = field_losses(fields, policy.metric, confidence=policy.confidence), (1 - policy.confidence) / 2
    return [
        _answered(
            Question("any_field", loss.path, margin, (loss.path,)),
            measured(fields[loss.path], policy.metric, policy.confidence),
            policy,
            p=loss.p,
            decision="fail",
        )
        for loss in losses.values()
        if loss.is_clear(margin, left)
    ]


def _answered(
    question: Question,
    difference: Difference,
    policy: Policy,
    *,
    p: float | None,
    decision: Decision,
    needed: int | None = None,
    at_margin: bool = False,
) -> MarginCheck:
    kind, name, margin, fields = question.kind, question.name, question.margin, question.fields
    return MarginCheck(kind, name, fields, margin, difference, p, decision, needed, at_margin=at_margin)


def _tables(runs: PairedRuns, family: Sequence[Question]) -> list[Tables]:
    known = set(runs.fields)
    return [
        runs.units(
            runs.total if one.kind == "overall" else runs.sum_of(field for field in one.fields if field in known)
        )
        for one in family
    ]


def _questions(runs: PairedRuns, policy: Policy) -> list[Question]:
    """Return what the policy asks; a critical field that has a margin of its own is asked for once, as critical."""
    known = sorted({*runs.fields, *_declared(runs.base), *_declared(runs.candidate)})
    margins = _margins(policy, known)
    critical = chosen_fields(policy.critical, known, path=policy.place("critical"), among=_AMONG)
    return [
        Question("overall", "all values", policy.margin, tuple(runs.fields)),
        *(Question("field", field, margin, (field,)) for field, margin in margins.items() if field not in critical),
        *(_of_group(runs, name, group, known, policy) for name, group in policy.groups.items()),
        *(Question("critical", field, margins.get(field, policy.margin), (field,)) for field in critical),
    ]


def _margins(policy: Policy, known: Sequence[str]) -> dict[str, float]:
    """Return the margin of each field that has one: its own where it is named, else that on which the others agree."""
    givers: dict[str, str] = {}
    for name, margin in policy.fields.items():
        for field in chosen_fields([name], known, path=policy.place("fields"), among=_AMONG):
            giver = givers.setdefault(field, field if field in policy.fields else name)
            if giver != field and policy.fields[giver] != margin:
                both = f"{quoted(giver)} and {quoted(name)} give {quoted(field)} different margins"
                raise SettingError(f"{both}; give it one by its own name", path=policy.place("fields"))
    return {field: policy.fields[giver] for field, giver in givers.items()}


def _of_group(runs: PairedRuns, name: str, group: Group, known: Sequence[str], policy: Policy) -> Question:
    return Question("group", name, group.margin or policy.margin, tuple(_members(runs, name, policy, known)))


def _declared(run: Run) -> Iterable[str]:
    """Return the leaf fields that the metrics know, also those without a value in any document."""
    fields = run.metrics.fields
    inner = {parent_of(path) for path in fields}
    return (path for path in fields if path not in inner and path_of(path) == path)


def _members(runs: PairedRuns, name: str, policy: Policy, known: Sequence[str]) -> list[str]:
    group = policy.groups[name]
    if group.fields is not None:
        return chosen_fields(group.fields, known, path=policy.place("groups", name, "fields"), among=_AMONG)
    weights = _weights(runs.base) | _weights(runs.candidate)
    heavy = [field for field in known if weights.get(field, 0.0) >= (group.weight or 0.0)]
    if not heavy:
        most = max(weights.values(), default=0.0)
        raise SettingError(
            f"No field weighs {group.weight:g} or more; the heaviest {most:g}",
            path=policy.place("groups", name),
            code="field.none_left",
            facts={"group": name, "weight": group.weight},
        )
    return heavy


def _weights(run: Run) -> dict[str, float]:
    """Return the weight of each field, which is the same wherever it occurs."""
    schema = run.spec()
    return Together(schema).weights(run.fields()) if isinstance(schema, dict) else {}


def judge(family: Sequence[Question], tables: Sequence[Tables], policy: Policy) -> list[MarginCheck]:
    """Answer questions of one kind, each by the counts of its fields in both runs, adjusted for their number."""
    deltas = [paired_delta(*table, policy.metric, confidence=policy.confidence) for table in tables]
    adjusted = iter(holm([delta.p_loss for delta in deltas if delta.p_loss is not None]))
    tests = sum(delta.p_loss is not None for delta in deltas)
    return [
        _check(question, table, delta, None if delta.p_loss is None else next(adjusted), policy, tests=tests)
        for question, table, delta in zip(family, tables, deltas, strict=True)
    ]


def _check(
    question: Question, tables: Tables, delta: PairedDelta, p: float | None, policy: Policy, *, tests: int
) -> MarginCheck:
    difference = measured(tables, policy.metric, policy.confidence)
    documents, margin = documents_in(tables[0]), question.margin
    decision = decide(difference, margin=margin, p=p, confidence=policy.confidence)
    if question.kind != "overall" and documents > 1 and difference.delta is not None and np.array_equal(*tables):
        decision = "pass"  # also where one document alone has the field
    if decision != "not_enough_documents":
        return _answered(question, difference, policy, p=p, decision=decision)
    needed, at_margin = documents_needed(delta, margin=margin, confidence=policy.confidence, tests=tests)
    if needed is not None:  # counted in documents that have the field: as many more of all
        needed = math.ceil(needed * documents / difference.n)
    return _answered(question, difference, policy, p=p, decision=decision, needed=needed, at_margin=at_margin)


def decide(difference: Difference, *, margin: float, p: float | None, confidence: float) -> Decision:
    """Decide a check; ``p`` below half of what the confidence leaves stands for an upper bound below 0."""
    if difference.delta is None or difference.low is None or p is None or difference.n < FEWEST:
        return "not_enough_documents"
    if difference.low > -margin:
        return "pass"
    return "fail" if difference.delta < -margin and p < (1 - confidence) / 2 else "not_enough_documents"


def documents_needed(
    delta: PairedDelta, *, margin: float, confidence: float, tests: int = 1
) -> tuple[int | None, bool]:
    """Return with how many documents that have the field an equally good candidate passes four times out of five.

    Where there are so many already, the difference lies close to the margin: then the number is for a difference as
    large as the one found, which one of ``tests`` questions has to show. Where that is more than 20 times what there
    is, the difference lies at the margin: then there is no number, and that is true. No number either without a spread.
    """
    if delta.se is None or delta.delta is None:
        return None, False
    if not delta.delta and not delta.se:
        return FEWEST, False
    sd, added = delta.se * math.sqrt(delta.n), delta.added
    equal = documents_for_difference(sd, margin, confidence=confidence, added=added)
    if equal > delta.n:
        return max(equal, FEWEST), False
    effect = margin + delta.delta
    if delta.delta <= -margin:
        effect, confidence = delta.delta, 1 - (1 - confidence) / tests
    most = AT_MARGIN * delta.n
    if minimum_detectable_effect(sd, most, confidence=confidence, exact=True, added=added) > abs(effect):
        return None, True
    near = documents_for_difference(sd, effect, confidence=confidence, added=added)
    return max(near, delta.n + 1, FEWEST), False
