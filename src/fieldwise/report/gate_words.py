"""A gate in words for tables: columns, cells and symbols, the same for every view."""

from __future__ import annotations

from fieldwise.numbers import DASH, METRIC_NAMES, count, plain_points, points, points_interval, rate
from fieldwise.report.difference_words import reason_text
from fieldwise.results.difference import Flip
from fieldwise.results.gate import BudgetCheck, Decision, GateReport, MarginCheck, PolicySettings
from fieldwise.runs.sentences import BUDGET_WORDS, check_name, level, needed_words, undecided_words

SYMBOLS: dict[Decision, str] = {"pass": "✓", "fail": "✗", "not_enough_documents": "?"}
"""A symbol for each decision, so that colour never speaks alone."""
_SHORT: dict[Decision, str] = {"pass": "pass", "fail": "fail", "not_enough_documents": "not enough"}
BROKEN = "Values right in the baseline and no longer"
FLIP_COLUMNS = ("document", "path", "expected", "baseline", "candidate")
BUDGET_COLUMNS = ("budget", "used", "of", "limit", "decision")
_VALUE_WIDTH = 60


def check_table(report: GateReport) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the headings and rows of the checks; how many documents are needed only where a check is open."""
    metric, interval = METRIC_NAMES[report.policy.metric], f"{level(report.policy)} interval"
    columns = (metric, "baseline", "candidate", "points", interval, "margin", "documents", "decision", "needed")
    is_open = any(check.decision == "not_enough_documents" for check in report.checks)
    kept = len(columns) if is_open else len(columns) - 1
    return columns[:kept], [_cells(check)[:kept] for check in report.checks]


def _cells(check: MarginCheck) -> tuple[str, ...]:
    found = check.difference
    return (
        check_name(check),
        rate(found.base.value),
        rate(found.candidate.value),
        points(found.delta),
        points_interval(found.low, found.high),
        f"{100 * check.margin:.4g}",
        count(found.n),
        f"{SYMBOLS[check.decision]} {_SHORT[check.decision]}",
        "" if check.decision != "not_enough_documents" else _number_needed(check),
    )


def _number_needed(check: MarginCheck) -> str:
    return undecided_words(check) if check.needed is None else needed_words(check.needed).removesuffix(" needed")


def budget_cells(check: BudgetCheck) -> tuple[str, ...]:
    """Return a budget as cells of a table."""
    return (
        BUDGET_WORDS[check.name],
        count(check.used),
        count(check.of),
        f"at most {check.limit}",
        f"{SYMBOLS[check.decision]} {check.decision}",
    )


def flip_cells(flip: Flip) -> tuple[str, ...]:
    """Return a value that broke as cells of a table; long values are shortened."""
    candidate = f"{_shown(flip.candidate)} {reason_text(flip.candidate_reason, flip.candidate_share)}".rstrip()
    return flip.document, flip.path, _shown(flip.expected), _shown(flip.base), candidate


def _shown(value: str | None) -> str:
    if value is None:
        return DASH
    return value if len(value) <= _VALUE_WIDTH else f"{value[: _VALUE_WIDTH - 1]}…"


def method(policy: PolicySettings) -> str:
    """Return in a sentence what the decisions mean."""
    return (
        f"Documents are paired and are the units; intervals are at {level(policy)}. Pass: among documents like these "
        "a loss as large as the margin is ruled out. Fail: the loss is larger than the margin, and real. Else more "
        f"documents are needed.{_any_field(policy)}"
    )


def _any_field(policy: PolicySettings) -> str:
    if policy.any_field == "off":
        return ""
    return (
        " Whatever all values together do, a field without a check of its own fails where it is clearly worse: by more "
        f"than {plain_points(policy.any_field)}, and not by chance among so many fields (any_field)."
    )
