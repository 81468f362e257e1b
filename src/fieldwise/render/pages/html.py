"""An evaluation as one page that needs nothing else: no network, no other file; its scripts are named by their hash."""

from __future__ import annotations

from fieldwise.render.pages.html_kinds import kind_choices, kind_section
from fieldwise.render.pages.html_summary import field_counts, header, histogram, summary
from fieldwise.render.pages.html_tables import (
    Links,
    document_table,
    failure_table,
    field_choices,
    field_table,
    group_section,
    how_many,
    non_match_table,
    outcome_choices,
)
from fieldwise.render.pages.page import render
from fieldwise.views.report import EvaluationReport
from fieldwise.views.words import WORDS


def html_report(report: EvaluationReport) -> str:
    """Return the page of an evaluation, complete in itself; the same report gives the same text."""
    links = Links.of(report)
    more = (
        "; the folder verdicts holds all, and fieldwise show lists them"
        if 0 < len(report.non_matches) < report.non_match_total
        else ""
    )
    parts = {
        "header": header(report),
        "summary": summary(report),
        "field_count": field_counts(report),
        "fields": field_table(report, links),
        "kinds": kind_section(report),
        "kind_link": '<a href="#kinds">Kinds of error</a>' if report.error_kinds else "",
        "units": WORDS.units[report.total.strict_f1.unit].many,
        "groups": group_section(report),
        "group_link": '<a href="#groups">Groups</a>' if report.groups else "",
        "histogram": histogram(report),
        "documents": document_table(report, links),
        "failure_count": how_many(len(report.failures), report.failure_total, "failure"),
        "failures": failure_table(report),
        "non_match_count": how_many(len(report.non_matches), report.non_match_total, "non-match", "non-matches") + more,
        "non_match_more": more,
        "field_choices": field_choices(report, links),
        "outcome_choices": outcome_choices(report),
        "kind_choices": kind_choices(report),
        "non_matches": non_match_table(report, links),
    }
    return render("report", parts, title=report.title or "Evaluation", facts=report.facts)
