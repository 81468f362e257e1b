"""An evaluation as one page that needs nothing else: no network, no other file; its scripts are named by their hash."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from string import Template

from fieldwise.report.content import EvaluationReport
from fieldwise.report.html_kinds import kind_choices, kind_section
from fieldwise.report.html_summary import field_counts, header, histogram, summary
from fieldwise.report.html_tables import (
    Links,
    document_table,
    failure_table,
    field_choices,
    field_table,
    how_many,
    non_match_table,
    outcome_choices,
)
from fieldwise.report.markup import block, plain


def html_report(report: EvaluationReport) -> str:
    """Return the page of an evaluation, complete in itself; the same report gives the same text."""
    style, script = _asset("report.css"), _asset("report.js")
    links = Links.of(report)
    return Template(_asset("report.html")).substitute(
        policy=content_security_policy(style=style, script=script),
        style=style,
        script=script,
        page_title=plain(report.title or "Evaluation"),
        header=header(report),
        summary=summary(report),
        field_count=field_counts(report),
        fields=field_table(report, links),
        kinds=kind_section(report),
        kind_link='<a href="#kinds">Kinds of error</a>' if report.error_kinds else "",
        histogram=histogram(report),
        documents=document_table(report, links),
        failure_count=how_many(len(report.failures), report.failure_total, "failure"),
        failures=failure_table(report),
        non_match_count=how_many(len(report.non_matches), report.non_match_total, "non-match", "non-matches"),
        field_choices=field_choices(report, links),
        outcome_choices=outcome_choices(report),
        kind_choices=kind_choices(report),
        non_matches=non_match_table(report, links),
        facts=_facts(report),
    )


def content_security_policy(*, style: str, script: str) -> str:
    """Return a policy under which a browser loads nothing and runs only this style and this script."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _asset(name: str) -> str:
    return (files("fieldwise.report") / "assets" / name).read_text(encoding="utf-8")


def _facts(report: EvaluationReport) -> str:
    return "".join(f"<div><dt>{block(name)}</dt><dd>{block(fact)}</dd></div>" for name, fact in report.facts.items())
