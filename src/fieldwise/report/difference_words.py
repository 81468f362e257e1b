"""What a comparison of two runs says, in words and as JSON; the table and the page say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from msgspec import to_builtins

from fieldwise.numbers import METRIC_NAMES, chance, count, counted, percent, points, points_interval, size_of
from fieldwise.results.rates import Metric
from fieldwise.runs.difference import FieldDifference, RunDifference
from fieldwise.runs.flips import Reason
from fieldwise.runs.measures import CONFIDENCE, FEWEST, Difference, Finding, Measure, Test
from fieldwise.runs.pairing import Pairing
from fieldwise.runs.run import Run
from fieldwise.runs.unpaired import UnpairedDifference
from fieldwise.text import one_line

FINDINGS: dict[Finding, tuple[str, str]] = {
    "better": ("▲", "better"),
    "worse": ("▼", "worse"),
    "mixed": ("⇅", "mixed"),
    "not_shown": ("·", "no clear change"),
    "equal": ("=", "the same"),
    "undefined": ("–", "undefined"),
    "too_few": ("–", "too few documents"),
}
"""A symbol and a word for each finding."""
MIXED = "mixed: the rate went one way, and the number of right values, as a test shows, the other"
CLEARLY_WORSE = (
    "clearly worse: a loss of more than 1 point, where chance alone names any field in fewer than 1 of 40 comparisons"
)
MEASURES: dict[Measure, str] = {
    "strict_f1": METRIC_NAMES["strict_f1"],
    "precision": "precision",
    "strict_recall": "strict recall",
    "document_macro": "mean of documents",
    "exact_documents": "documents without error",
}
TESTS: dict[Test, str] = {
    "permutation": "documents swapped at random",
    "mcnemar": "McNemar's test of documents",
    "sign_flip": "signs of documents flipped",
}
REASON_WORDS: dict[Reason, str] = {
    "type": "not of the declared kind",
    "row": "row rejected",
    "alone": "row not paired",
    "undeclared": "field not declared",
    "comparator": "the comparator raised",
}
"""Why a value is wrong, missed or invented though it may look right: of another kind, in a row of a list that is too
unlike its partner or has none, under a key that no field declares, or of a field whose comparator raised."""
UNPAIRED_ROW = (
    "Row rejected: the row of the list is too unlike its partner, so none of its values is right. "
    "Row not paired: it has no partner."
)
MAX_NAMED = 5
"""So many fields that are clearly worse are named in a sentence, the worst first."""
_MOST_IDS = 1000


def verdict(found: RunDifference) -> str:
    """Say in a sentence or two what the two runs show; fields that are clearly worse are named, whatever the total."""
    of_all = _of_all_values(found)
    if not found.worse_fields:
        return of_all
    worse = f"Clearly worse in {_named(found.worse_fields)}"
    if found.total.finding == "better":
        return f"{worse}, though better on all values together: {of_all.partition(': ')[2]}"
    return f"{of_all} {worse}." if found.total.finding in ("worse", "mixed") else f"{worse}. {of_all}"


def _named(fields: Sequence[FieldDifference]) -> str:
    names = [f"{one_line(field.path)} ({points(field.difference.delta)} points)" for field in fields[:MAX_NAMED]]
    more = f" and {count(len(fields) - MAX_NAMED)} more" if len(fields) > MAX_NAMED else ""
    return f"{counted(len(fields), 'field')}: {', '.join(names)}{more}"


def finding_words(field: FieldDifference) -> tuple[str, str]:
    """Return the symbol and the words for the finding of a field."""
    symbol, word = FINDINGS[field.difference.finding]
    return symbol, f"clearly {word}" if field.clearly_worse and word == "worse" else word


def _of_all_values(found: RunDifference) -> str:
    total, name, finding = found.total, METRIC_NAMES[found.metric], found.total.finding
    documents = counted(total.n, "document")
    if finding == "too_few":
        few = f"Too few documents to tell: {documents}, and fewer than {FEWEST} cannot show a difference."
        return f"{few} {_so_far(total)}".strip()
    if finding == "undefined":
        return f"Cannot be told: {name} has nothing to divide by in the {_undefined(total)}."
    if finding == "equal":
        return _equal(total, found.metric)
    if finding == "not_shown":
        shown = f"No clear change: {name} differs by {points(total.delta)} points{_bounds(total)}."
        return f"{shown} {detectable(total)}".strip()
    moved = f"{name} is {size_of(total.delta)} {'higher' if (total.delta or 0.0) > 0 else 'lower'}{_bounds(total)}"
    if finding == "mixed":
        right = found.right
        more = "more" if right.gained > right.lost else "fewer"
        counts = f"{count(right.gained)} gained, {count(right.lost)} lost"
        return f"Mixed: {moved} in {documents}, and {more} values are right: {counts} ({_sure(right.p)})."
    return f"The candidate is {finding}: {moved} in {documents} ({_sure(total.p)})."


def _equal(total: Difference, metric: Metric) -> str:
    if not total.n:
        return "No difference: no document has a value on either side."
    where = "in the only document" if total.n == 1 else f"in each of {counted(total.n, 'document')}"
    if metric == "document_macro_f1":
        return f"No difference: {where} F1 (strict) is the same."
    if metric == "exact_documents":
        return f"No difference: the same documents of {count(total.n)} are without error."
    return f"No difference: {where} the same numbers of values are right, wrong, missed and invented."


def _sure(p: float | None) -> str:
    return f"p = {chance(p)}".replace("= <", "<")


def _so_far(total: Difference) -> str:
    if total.delta is None:
        return ""
    return f"There it is {points(total.delta)} points{_bounds(total)}."


def _undefined(total: Difference) -> str:
    sides = {"base": total.base.value, "candidate": total.candidate.value}
    return " and the ".join(side for side, value in sides.items() if value is None)


def _bounds(total: Difference) -> str:
    return "" if total.low is None else f" (95 %: {points_interval(total.low, total.high)})"


def detectable(found: Difference) -> str:
    """Say how large a difference could be detected with these documents."""
    if found.detectable is None:
        return ""
    documents = counted(found.n, "document")
    return f"With these {documents} a difference of {size_of(found.detectable)} or more could be detected."


def remarks(
    pairing: Pairing,
    other_truth: tuple[str, ...],
    different_rules: tuple[str, ...],
    *,
    base: str = "base",
    by_objects: bool = False,
) -> list[str]:
    """Say what was left out, and what else to know before believing the numbers; ``base`` is what it is called."""
    said = [
        (pairing.base_only, f"only in the {base}, left out"),
        (pairing.candidate_only, "only in the candidate, left out"),
        (pairing.base_failed, f"failed in the {base}, counted there as missed"),
        (pairing.candidate_failed, "failed in the candidate, counted there as missed"),
        (pairing.base_without_prediction, f"without a usable prediction in the {base}, counted there as missed"),
        (pairing.candidate_without_prediction, "without a usable prediction in the candidate, counted there as missed"),
        (pairing.excluded, "at which both runs failed, or of which one lacks a readable expected document, left out"),
        (other_truth, "with other expected values in the two runs: what differs there is not the prediction alone"),
    ]
    found = [f"{counted(len(names), 'document')} {words} ({_some(names)})" for names, words in said if names]
    if pairing.trials is not None:
        in_base, in_candidate = (counted(trials, "trial") for trials in pairing.trials)
        documents = counted(len(pairing.documents), "document")
        counts = "a document's counts are divided by its trials"
        found.insert(0, f"{documents}, {in_base} in the {base} and {in_candidate} in the candidate; {counts}")
    if by_objects:
        found.append("Values are counted one by one here; metrics.json counts rows of lists (unmatched=objects)")
    if different_rules:
        found.append(f"Made under different rules: {' and '.join(different_rules)}")
    if len(set(pairing.scorer_versions)) > 1:
        one, other = (version or "unknown" for version in pairing.scorer_versions)
        found.append(f"Compared by different versions: {one} and {other} of fieldwise")
    return found


def unseen_note(found: Difference, unseen: float | None) -> list[str]:
    """Say what stays open where hardly a document differs: losses of whole documents that are rare."""
    if unseen is None:
        return []
    differ, documents = found.improved + found.regressed, counted(found.n, "document")
    seen = f"No document of {count(found.n)} differs"
    if differ:
        seen = f"Only {count(differ)} of {documents} {'differs' if differ == 1 else 'differ'}"
        seen += f", {count(found.regressed)} for the worse"
    share = percent(unseen).replace("%", " %")
    return [f"{seen}; a loss in up to {share} of documents not seen is not ruled out by that"]


def difference_remarks(found: RunDifference, rules: tuple[str, ...]) -> list[str]:
    """Say what was left out of a comparison, and what it cannot rule out."""
    told = remarks(found.pairing, found.flips.other_truth, rules, by_objects=found.by_objects)
    return [*told, *unseen_note(found.total, found.unseen)]


def reason_text(reason: Reason | None, share: float | None) -> str:
    """Say behind a value why it counts as it does, and in what share of its trials it is right; often nothing.

    >>> reason_text("row", None), reason_text(None, 0.25), reason_text(None, None)
    ('(row rejected)', '(right in 25 % of trials)', '')
    """
    parts = [] if reason is None else [REASON_WORDS[reason]]
    if share is not None:
        parts.append(f"right in {100 * share:.0f} % of trials")
    return f"({', '.join(parts)})" if parts else ""


def _some(names: tuple[str, ...]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")


def difference_json(found: RunDifference, base: Run, candidate: Run, rules: tuple[str, ...]) -> dict[str, Any]:
    """Return everything as JSON; lists of documents are cut, their numbers are not."""
    return {
        "paired": True,
        "finding": found.finding,
        "verdict": verdict(found),
        "worse_fields": [
            {"path": field.path, "delta": field.difference.delta, "p": field.p_worse} for field in found.worse_fields
        ],
        "metric": found.metric,
        "confidence": CONFIDENCE,
        "different_rules": list(rules),
        "remarks": difference_remarks(found, rules),
        "base": run_json(base),
        "candidate": run_json(candidate),
        "documents": pairing_json(found.pairing) | {"other_expected_values": _ids(found.flips.other_truth)},
        "total": {**to_builtins(asdict(found.total)), "right_values": asdict(found.right)},
        "headlines": {headline.measure: to_builtins(asdict(headline.difference)) for headline in found.headlines},
        "tested_fields": found.tested_fields,
        "fields": {
            field.path: {
                "scalar": field.scalar,
                **to_builtins(asdict(field.difference)),
                "right_values": asdict(field.right),
                "differing": field.differing,
                "p_holm": field.p_holm,
                "q": field.q,
                "p_worse": field.p_worse,
                "clearly_worse": field.clearly_worse,
            }
            for field in found.fields
        },
        "flips": {
            "fixed": found.flips.fixed,
            "broken": found.flips.broken,
            "shown": [asdict(flip) for flip in found.flips.shown],
        },
    }


def unpaired_json(found: UnpairedDifference, base: Run, candidate: Run, rules: tuple[str, ...]) -> dict[str, Any]:
    """Return what two metrics files say, as JSON."""
    return {
        "paired": False,
        "finding": None,
        "metric": found.ratio,
        "different_rules": list(rules),
        "base": run_json(base),
        "candidate": run_json(candidate),
        "total": found.total.to_dict(),
        "fields": {row.path: row.to_dict() for row in found.fields},
    }


def run_json(run: Run) -> dict[str, Any]:
    """Return by what a run's numbers can be traced."""
    metrics = run.metrics
    return {
        "name": run.name,
        "document_count": metrics.document_count,
        "trial_count": metrics.document_count if metrics.trial_count is None else metrics.trial_count,
        "spec_fingerprint": run.metrics.spec_fingerprint,
        "scorer_version": run.metrics.scorer_version,
        "unmatched": run.metrics.unmatched,
    }


def pairing_json(pairing: Pairing) -> dict[str, Any]:
    """Return how many documents were compared, and which were not, or count as missed."""
    kinds: dict[str, tuple[str, ...]] = {
        "base_only": pairing.base_only,
        "candidate_only": pairing.candidate_only,
        "base_failed": pairing.base_failed,
        "candidate_failed": pairing.candidate_failed,
        "base_without_prediction": pairing.base_without_prediction,
        "candidate_without_prediction": pairing.candidate_without_prediction,
        "excluded": pairing.excluded,
    }
    trials = dict(zip(("base", "candidate"), pairing.trials, strict=True)) if pairing.trials else None
    return {
        "compared": len(pairing.documents),
        "trials": trials,
        **{kind: _ids(names) for kind, names in kinds.items()},
    }


def _ids(names: tuple[str, ...]) -> dict[str, Any]:
    return {"count": len(names), "first": list(names[:_MOST_IDS])}
