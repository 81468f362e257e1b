"""Kinds of error on the page: a table of them, and a filter of the non-matches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fieldwise.error_kinds import KINDS
from fieldwise.render.pages.html import html_report
from fieldwise.results import ErrorKindCounts
from fieldwise.results.metrics import ErrorKind
from fieldwise.views.report import EvaluationReport
from fieldwise.views.words import kind_word
from tests.render.sample import invoices
from tests.render.test_browser import CHROMIUM, Seen, chromium, column, status

pytest.importorskip("playwright")
from playwright.sync_api import Page


def with_kinds() -> EvaluationReport:
    """Return the sample with kinds, dealt out in turn."""
    report = invoices()
    rows = [replace(row, kind=KINDS[k % len(KINDS)]) for k, row in enumerate(report.non_matches)]
    fields: dict[str, dict[ErrorKind, int]] = {}
    for row in rows:
        if row.kind:
            counts = fields.setdefault(row.field, {})
            counts[row.kind] = counts.get(row.kind, 0) + 1
    total = Counter(row.kind for row in rows if row.kind)
    return replace(report, non_matches=rows, error_kinds=ErrorKindCounts(dict(total), fields))


def test_without_kinds_the_page_says_nothing_of_them() -> None:
    """Results that were added up have no kinds: no table, no filter, no column, no link."""
    page = html_report(replace(invoices(), error_kinds=None))
    for mark in ('id="kinds"', 'href="#kinds"', 'name="kind"', "data-kind="):
        assert mark not in page.partition("<script>")[0]


def test_names_of_fields_are_shown_as_text() -> None:
    """A field whose name is markup is no markup on the page."""
    kinds = ErrorKindCounts({"ocr": 1}, {"<b>x</b>": {"ocr": 1}})
    assert "<b>x</b>" not in html_report(replace(invoices(), error_kinds=kinds))


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    path = tmp_path / "report.html"
    path.write_text(html_report(with_kinds()), encoding="utf-8")
    with chromium() as browser:
        opened = browser.new_page()
        seen = Seen(opened)
        opened.goto(path.as_uri())
        yield opened
        assert seen.problems == []


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")
def test_a_kind_leads_to_its_values(page: Page) -> None:
    """The table has every kind with its count; a click on one lists its values, and the filter can be cleared."""
    assert sorted(column(page, "kind-table", "kind")) == sorted(map(kind_word, KINDS))
    counts = [int(n.replace(",", "")) for n in column(page, "kind-table", "errors")]
    assert counts == sorted(counts, reverse=True)
    page.locator("#kinds").get_by_role("link", name="OCR-like").click()
    assert set(column(page, "non-match-table", "kind")) == {"OCR-like"}
    listed = sum(row.kind == "ocr" for row in with_kinds().non_matches)
    assert status(page, "non-match-table").startswith(f"{listed} of the ")
    page.get_by_role("button", name="Clear filters").click()
    assert len(set(column(page, "non-match-table", "kind"))) == len(KINDS)


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")
def test_kind_and_outcome_filter_together(page: Page) -> None:
    """The chosen kind is kept when an outcome is chosen as well."""
    page.get_by_label("Filter non-matches by kind of error").select_option("scale")
    page.locator('input[name="outcome"][value="missed"]').check(force=True)
    assert set(column(page, "non-match-table", "kind")) <= {kind_word("scale")}
    assert {words.lstrip("− ") for words in column(page, "non-match-table", "outcome")} <= {"missed"}
