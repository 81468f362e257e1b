"""The answer of a gate for people and machines: plain text, Markdown for a pull request, JUnit XML.

Views only write down what `GateReport` holds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from xml.etree import ElementTree

from fieldwise.report.gate_words import (
    BROKEN,
    BUDGET_COLUMNS,
    FLIP_COLUMNS,
    SYMBOLS,
    budget_cells,
    check_table,
    flip_cells,
    method,
)
from fieldwise.report.markup import plain
from fieldwise.report.text_table import text_table
from fieldwise.results.gate import Decision, GateReport, MarginCheck
from fieldwise.runs.sentences import budget_reason, check_name, common_reason, headline, summary
from fieldwise.text import one_line, well_formed

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKS = str.maketrans({mark: f"&#{ord(mark)};" for mark in "&<>\"'|*_`[]~\\:."} | {"\n": "⏎", "\t": " "})
"""What Markdown or HTML would read as more than a letter."""
_CALLS = _MARKS | str.maketrans({"@": "<code>@</code>", "#": "<code>#</code>"})
"""Outside of code, pages that show Markdown read names and numbers after these as people and issues to tell."""


def to_text(report: GateReport) -> str:
    """Return the answer as plain text, for failures of tests and logs."""
    lines = [f"{SYMBOLS[report.decision]} {headline(report)}", summary(report), ""]
    lines += text_table(*check_table(report))
    if report.budgets:
        lines += ["", *text_table(BUDGET_COLUMNS, [budget_cells(check) for check in report.budgets])]
    if flips := report.broken_values:
        lines += ["", BROKEN, *text_table(FLIP_COLUMNS, [flip_cells(flip) for flip in flips])]
    return "\n".join([*lines, *(f"- {one_line(note)}" for note in report.notes)])


# Markdown


def to_markdown(report: GateReport) -> str:
    """Return the answer as Markdown for a pull request: headline and checks in sight, the rest folded."""
    title = f"### {SYMBOLS[report.decision]} fieldwise gate: {headline(report, _code)}"
    parts = [title, "", f"{summary(report, _code)}.", ""]
    columns, rows = check_table(report)
    parts += _md_table(columns, list(map(_md_check, report.checks, rows)), numbers=True)
    if report.budgets:
        parts += ["", *_md_table(BUDGET_COLUMNS, [budget_cells(check) for check in report.budgets], numbers=True)]
    if found := [_named(note).translate(_CALLS) for note in report.notes]:
        parts += ["", *(f"- {note}" for note in found)]
    if flips := report.broken_values:
        values = [[_code(cell) for cell in flip_cells(flip)] for flip in flips]
        parts += ["", *_folded(BROKEN, _md_table(FLIP_COLUMNS, values))]
    about = [
        method(report.policy),
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
    """Return the answer as JUnit XML: a test case for each check and budget, in one suite; and for the documents in
    both runs, where they are too few.

    Not enough documents is an `error`, which to JUnit is a test that could not be carried out, as against a `failure`.
    `skipped` would be shown as harmless, and a pipeline would look green though nothing is known.
    """
    common = report.common_documents
    cases: list[tuple[str, Decision, str, str]] = []
    if common.decision != "pass":
        cases.append(("common documents", common.decision, common_reason(common), ""))
    cases += [(_case_name(check), check.decision, check.reason, _details(check)) for check in report.checks]
    cases += [(f"budget {check.name}", check.decision, budget_reason(check), "") for check in report.budgets]
    decisions = [decision for _, decision, *_ in cases]
    numbers = {
        "name": "fieldwise gate",
        "tests": str(len(decisions)),
        "failures": str(decisions.count("fail")),
        "errors": str(decisions.count("not_enough_documents")),
        "time": "0",
    }
    root = ElementTree.Element("testsuites", numbers)
    suite = ElementTree.SubElement(root, "testsuite", {**numbers, "skipped": "0"})
    for case in cases:
        _case(suite, *case)
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


def _details(check: MarginCheck) -> str:
    flips = [flip_cells(flip) for flip in check.broken_values]
    return "\n".join(text_table(FLIP_COLUMNS, flips)) if flips else ""


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
