"""The answer of a gate for people and machines: plain text, Markdown for a pull request, JUnit XML, JSON.

Views only write down what `GateReport` holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from html import unescape
from typing import Any
from xml.etree import ElementTree

from fieldwise.report.difference_words import run_json
from fieldwise.report.gate_words import (
    BROKEN,
    BUDGET_COLUMNS,
    FLIP_COLUMNS,
    SYMBOLS,
    budget_cells,
    budget_reason,
    check_name,
    check_reason,
    check_table,
    flip_cells,
    headline,
    method,
    notes,
    summary,
)
from fieldwise.report.markup import plain
from fieldwise.report.text_table import text_table
from fieldwise.results import Rate
from fieldwise.runs.budgets import BudgetCheck, Decision
from fieldwise.runs.flips import Flip
from fieldwise.runs.gate import MarginCheck
from fieldwise.runs.gated import GateReport
from fieldwise.runs.pairing import Pairing
from fieldwise.text import one_line, well_formed
from fieldwise.writing import dump_json

_MOST_IDS = 20
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKS = str.maketrans({mark: f"&#{ord(mark)};" for mark in "&<>\"'|*_`[]~\\:."} | {"\n": "⏎", "\t": " "})
"""What Markdown or HTML would read as more than a letter."""
_CALLS = _MARKS | str.maketrans({"@": "<code>@</code>", "#": "<code>#</code>"})
"""Outside of code, pages that show Markdown read names and numbers after these as people and issues to tell."""


def to_text(report: GateReport) -> str:
    """Return the answer as plain text, for failures of tests and logs."""
    result = report.result
    lines = [f"{SYMBOLS[result.decision]} {headline(result)}", summary(result), ""]
    lines += text_table(*check_table(result))
    if result.budgets:
        lines += ["", *text_table(BUDGET_COLUMNS, [budget_cells(check) for check in result.budgets])]
    if flips := report.all_broken():
        lines += ["", BROKEN, *text_table(FLIP_COLUMNS, [flip_cells(flip) for flip in flips])]
    return "\n".join([*lines, *(f"- {one_line(note)}" for note in notes(report))])


# Markdown


def to_markdown(report: GateReport) -> str:
    """Return the answer as Markdown for a pull request: headline and checks in sight, the rest folded."""
    result = report.result
    title = f"### {SYMBOLS[result.decision]} fieldwise gate: {headline(result, _code)}"
    parts = [title, "", f"{summary(result, _code)}.", ""]
    columns, rows = check_table(result)
    parts += _md_table(columns, list(map(_md_check, result.checks, rows)), numbers=True)
    if result.budgets:
        parts += ["", *_md_table(BUDGET_COLUMNS, [budget_cells(check) for check in result.budgets], numbers=True)]
    if found := [_named(note).translate(_CALLS) for note in notes(report)]:
        parts += ["", *(f"- {note}" for note in found)]
    if flips := report.all_broken():
        values = [[_code(cell) for cell in flip_cells(flip)] for flip in flips]
        parts += ["", *_folded(BROKEN, _md_table(FLIP_COLUMNS, values))]
    about = [
        method(result.policy),
        "",
        f"Baseline {_code(report.base.name)}, candidate {_code(report.candidate.name)}.",
    ]
    return "\n".join([*parts, "", *_folded("What the decisions mean", about)]) + "\n"


def _md_check(check: MarginCheck, cells: Sequence[str]) -> list[str]:
    return [check_name(check, _code), *(number.replace(" ", "&nbsp;") for number in cells[1:])]


def _md_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: bool = False) -> list[str]:
    """Return a table; ``numbers`` stand in its columns, but for names and decisions."""
    texts = (columns[0], "decision", "needed")
    lines = ["---:" if numbers and name not in texts else "---" for name in columns]
    return [f"| {' | '.join(cells)} |" for cells in (columns, lines, *rows)]


def _folded(title: str, lines: Sequence[str]) -> list[str]:
    return ["<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>"]


def _code(text: str) -> str:
    """Return text from documents as code, in which no mark, mention or link comes alive."""
    return f"<code>{_named(text).translate(_MARKS)}</code>"


def _named(text: str) -> str:
    """Return text in which characters that would not be seen are named."""
    return unescape(plain(text))


# JUnit


def to_junit(report: GateReport) -> str:
    """Return the answer as JUnit XML: a test case for each check and budget, in one suite.

    Not enough documents is an `error`, which to JUnit is a test that could not be carried out, as against a `failure`.
    `skipped` would be shown as harmless, and a pipeline would look green though nothing is known.
    """
    result = report.result
    decisions = [*(check.decision for check in result.checks), *(check.decision for check in result.budgets)]
    numbers = {
        "name": "fieldwise gate",
        "tests": str(len(decisions)),
        "failures": str(decisions.count("fail")),
        "errors": str(decisions.count("not_enough")),
        "time": "0",
    }
    root = ElementTree.Element("testsuites", numbers)
    suite = ElementTree.SubElement(root, "testsuite", {**numbers, "skipped": "0"})
    for check in result.checks:
        _case(suite, _case_name(check), check.decision, check_reason(check, result.policy), _details(report, check))
    for budget in result.budgets:
        _case(suite, f"budget {budget.name}", budget.decision, budget_reason(budget), "")
    ElementTree.SubElement(suite, "system-out").text = _xml(to_text(report))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _case_name(check: MarginCheck) -> str:
    return {
        "overall": "",
        "field": "field ",
        "group": "group ",
        "critical": "critical field ",
        "any_field": "any field ",
    }[check.kind] + check.name


def _details(report: GateReport, check: MarginCheck) -> str:
    flips = report.broken(check) if check.decision == "fail" else ()
    return "\n".join(text_table(FLIP_COLUMNS, [flip_cells(flip) for flip in flips])) if flips else ""


def _case(suite: ElementTree.Element, name: str, decision: Decision, reason: str, details: str) -> None:
    case = ElementTree.SubElement(suite, "testcase", {"classname": "fieldwise.gate", "name": _xml(name), "time": "0"})
    if decision == "pass":
        return
    kind = "failure" if decision == "fail" else "error"
    answer = ElementTree.SubElement(case, kind, {"message": _xml(reason), "type": decision})
    answer.text = _xml(f"{reason}\n{details}".strip())


def _xml(text: str) -> str:
    """Leave out what XML cannot hold; half of a surrogate pair becomes its escape."""
    return _NO_XML.sub("", well_formed(text))


# JSON


def to_json(report: GateReport) -> str:
    """Return everything as JSON, for machines."""
    return dump_json(to_dict(report), indent=2)


def to_dict(report: GateReport) -> dict[str, Any]:
    """Return everything as plain values."""
    result = report.result
    return {
        "decision": result.decision,
        "reason": summary(result),
        "needed": result.needed,
        "metric": result.policy.metric,
        "policy": _policy(report),
        "baseline": run_json(report.base),
        "candidate": run_json(report.candidate),
        "differing_rules": list(report.differing_rules),
        "checks": [_check(report, check) for check in result.checks],
        "budgets": [_budget(check) for check in result.budgets],
        "notes": list(notes(report)),
        "pairing": _pairing(result.pairing),
        "values": {
            "fixed": report.flips.fixed,
            "broken": report.flips.broken,
            "other_expected_documents": _ids(report.flips.other_truth),
        },
    }


def _policy(report: GateReport) -> dict[str, Any]:
    policy = report.result.policy
    budgets = {name: str(limit).replace(" ", "") for name, limit in policy.budgets.items()}
    return {**policy.model_dump(exclude={"budgets"}, exclude_none=True), "budgets": budgets}


def _check(report: GateReport, check: MarginCheck) -> dict[str, Any]:
    found = check.difference
    failed = check.decision == "fail"
    return {
        "kind": check.kind,
        "name": check.name,
        "fields": list(check.fields),
        "margin": check.margin,
        "baseline": _rate(found.base),
        "candidate": _rate(found.candidate),
        "difference": {"value": found.delta, "low": found.low, "high": found.high, "standard_error": found.se},
        "documents": {"n": found.n, "improved": found.improved, "regressed": found.regressed, "tied": found.tied},
        "p_worse": check.p_worse,
        "decision": check.decision,
        "needed": check.needed,
        "reason": check_reason(check, report.result.policy),
        "broken_values": [_flip(flip) for flip in report.broken(check)] if failed else [],
    }


def _rate(interval: Rate) -> dict[str, Any]:
    return {"value": interval.value, "low": interval.low, "high": interval.high, "n": interval.n}


def _flip(flip: Flip) -> dict[str, Any]:
    return {key.replace("base", "baseline"): value for key, value in asdict(flip).items() if key != "direction"}


def _budget(check: BudgetCheck) -> dict[str, Any]:
    limit = {"most": check.limit.most, "is_share": check.limit.is_share}
    return {"name": check.name, "limit": limit, "used": check.found, "of": check.of, "decision": check.decision}


def _pairing(pairing: Pairing) -> dict[str, Any]:
    parts = {
        "documents": pairing.documents,
        "baseline_only": pairing.base_only,
        "candidate_only": pairing.candidate_only,
        "baseline_failed": pairing.base_failed,
        "candidate_failed": pairing.candidate_failed,
        "baseline_without_prediction": pairing.base_without_prediction,
        "candidate_without_prediction": pairing.candidate_without_prediction,
        "excluded": pairing.excluded,
    }
    return {name: _ids(ids) for name, ids in parts.items()}


def _ids(ids: Sequence[str]) -> dict[str, Any]:
    return {"count": len(ids), "first": list(ids[:_MOST_IDS])}
