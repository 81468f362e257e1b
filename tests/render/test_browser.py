"""The page in a real browser: it sorts, filters, opens what is folded, and asks nobody for anything."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest

from fieldwise.render.pages.html import html_report
from tests.render.sample import ODD, empty_report, invoices

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Locator, Page, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path"),
]
Scheme = Literal["light", "dark"]
PATIENCE = 600_000
"""Milliseconds after which a browser hangs; one on a busy machine only takes longer."""


@dataclass
class Seen:
    """What a page says to its console and asks for, gathered while a test runs."""

    page: Page
    problems: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", lambda message: self.problems.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run a browser that asks nobody for anything on its own."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, timeout=PATIENCE)
        yield running
        running.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(html_report(invoices()), encoding="utf-8")
    return path.as_uri()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Open the sample; the console stays silent and the page asks for nothing but itself, whatever a test does."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    seen = Seen(opened)
    opened.goto(address)
    yield opened
    assert seen.problems == []
    assert {request.split("#")[0] for request in seen.requests} == {address}
    context.close()


def column(page: Page, table: str, title: str) -> list[str]:
    """Return what the visible rows of a table show in a column."""
    shown: list[str] = page.locator(f"#{table}").evaluate(
        """(table, title) => {
            const i = [...table.tHead.rows[0].cells].findIndex(head => head.textContent.trim() === title);
            return [...table.tBodies[0].rows].filter(row => row.offsetParent).map(row => row.cells[i].innerText.trim());
        }""",
        title,
    )
    return shown


def numbers(texts: list[str]) -> list[float]:
    """Return the numbers that cells begin with; what stands beneath them is left out."""
    first = [text.splitlines()[0] for text in texts if text != "–"]
    return [float(text.strip("●◐○ ").replace(",", "")) for text in first]


def head(page: Page, table: str, title: str) -> Locator:
    return page.locator(f"#{table} th", has=page.get_by_role("button", name=title, exact=True))


def height(element: Locator) -> float:
    box = element.bounding_box()
    assert box is not None
    return box["height"]


def status(page: Page, table: str) -> str:
    return page.locator(f"[data-status={table}]").inner_text()


def test_a_header_sorts_numbers_as_numbers_in_both_directions(page: Page) -> None:
    """A click sorts by a column, the next one turns the order; large counts come after small ones."""
    values = head(page, "field-table", "values")
    values.get_by_role("button").click()
    down = numbers(column(page, "field-table", "values"))
    assert values.get_attribute("aria-sort") == "descending"
    assert down == sorted(down, reverse=True)
    assert down[0] >= 1000 > down[-1]
    values.get_by_role("button").click()
    assert values.get_attribute("aria-sort") == "ascending"
    assert numbers(column(page, "field-table", "values")) == sorted(down)
    assert page.locator("#field-table th[aria-sort]").count() == 1


def test_every_column_of_every_table_sorts(page: Page) -> None:
    """Each header is a button, and using it says in which direction the column is sorted."""
    page.get_by_label("all counts").check()
    for heading in page.locator("th").all():
        before = heading.get_attribute("aria-sort")
        heading.get_by_role("button").click()
        assert heading.get_attribute("aria-sort") in {"ascending", "descending"} - {before}


def test_rows_arrive_worst_first_and_undefined_rates_stay_last(page: Page) -> None:
    """The table begins with the lowest F1 (strict); dashes are last in either direction."""
    f1 = numbers(column(page, "field-table", "F1 (strict)"))
    assert f1 == sorted(f1)
    assert head(page, "field-table", "F1 (strict)").get_attribute("aria-sort") == "ascending"
    for _ in range(2):
        head(page, "field-table", "detection recall").get_by_role("button").click()
        assert column(page, "field-table", "detection recall")[-1] == "–"


def test_intervals_stand_beneath_their_rates(page: Page) -> None:
    """Every rate that is defined has its interval on a line of its own, and rates sort by their value."""
    for title in ("F1 (strict)", "precision", "strict recall", "detection recall"):
        shown = [text for text in column(page, "field-table", title) if text != "–"]
        assert shown
        assert all(re.fullmatch(r"(. )?[01]\.\d{3}\n+[01]\.\d{3}–[01]\.\d{3}( few)?", text) for text in shown), shown
    head(page, "field-table", "precision").get_by_role("button").click()
    assert numbers(column(page, "field-table", "precision")) == sorted(
        numbers(column(page, "field-table", "precision"))
    )


def test_few_documents_are_told_in_words(page: Page) -> None:
    """A rate of fewer than 20 documents is marked by a word, not by colour alone."""
    row = page.locator("#field-table tr", has_text="vendor.fax")
    assert row.locator(".few").first.inner_text().strip() == "few"
    assert page.locator("#field-table tr", has_text="vendor.email").locator(".few").count() == 0


def test_text_sorts_by_name(page: Page) -> None:
    """Names are sorted as people do, with numbers inside them by size."""
    head(page, "field-table", "field").get_by_role("button").click()
    names = column(page, "field-table", "field")
    assert names[0] == "bic"
    assert names[-1].startswith("vendor.tax_id")


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_headers_sort_by_keyboard(page: Page, key: str) -> None:
    """A header takes the focus and sorts with Enter and with the space bar."""
    heading = head(page, "field-table", "TP")
    page.get_by_label("all counts").focus()
    for _ in range(20):
        page.keyboard.press("Tab")
        if heading.get_by_role("button").evaluate("button => button === document.activeElement"):
            break
    page.keyboard.press(key)
    assert heading.get_attribute("aria-sort") == "descending"


def test_fields_are_filtered_by_name(page: Page) -> None:
    """The filter keeps the fields whose name contains the text; nothing found is said."""
    search = page.get_by_label("Filter fields by name")
    search.fill("ADDRESS")
    assert len(column(page, "field-table", "field")) == 8
    assert status(page, "field-table") == "8 of the 37 listed"
    search.press("Enter")
    search.fill("nothing like this")
    assert column(page, "field-table", "field") == []
    assert page.locator("#fields").get_by_text("Nothing fits the filters.").is_visible()
    search.fill("")
    assert len(column(page, "field-table", "field")) == 37


def test_all_counts_shows_the_other_counts(page: Page) -> None:
    """FD, FA and TN are there on demand."""
    fd = head(page, "field-table", "FD")
    assert fd.is_hidden()
    page.get_by_label("all counts").check()
    assert fd.is_visible()


def test_a_field_leads_to_its_non_matches_and_a_button_leads_back(page: Page) -> None:
    """A click on a field lists only its non-matches; clearing lists all again."""
    before = status(page, "non-match-table")
    assert before.startswith("first 800 of 1,")
    page.locator("#field-table").get_by_role("link", name="discount", exact=True).click()
    assert set(column(page, "non-match-table", "path")) == {"discount"}
    assert page.get_by_label("Filter non-matches by field").input_value()
    clear = page.get_by_role("button", name="Clear filters")
    clear.click()
    assert clear.is_hidden()
    assert status(page, "non-match-table") == before
    assert len(set(column(page, "non-match-table", "path"))) > 5


def test_the_rows_of_a_list_lead_to_what_is_wrong_inside_them(page: Page) -> None:
    """The row of a list covers all fields of its items."""
    page.locator("#field-table").get_by_role("link", name="rows of line_items").click()
    paths = column(page, "non-match-table", "path")
    assert paths
    assert all(path.startswith("line_items[") for path in paths)


ALL = "; the folder verdicts holds all, and fieldwise show lists them"
"""What the page says where it lists not all of them."""


def test_a_document_leads_to_its_non_matches(page: Page) -> None:
    """A click on a bad document lists what is wrong in it."""
    link = page.locator("#document-table a").first
    name = link.inner_text()
    link.click()
    assert set(column(page, "non-match-table", "document")) == {name}
    assert status(page, "non-match-table").endswith(f"listed in document {name}{ALL}")


def test_non_matches_are_filtered_by_text_field_and_outcome_together(page: Page) -> None:
    """All filters hold at once."""
    page.locator("#non-matches .choices label", has_text="missed").click()
    assert set(column(page, "non-match-table", "outcome")) == {"− missed"}
    page.get_by_label("Filter non-matches by text").fill("notes")
    paths = column(page, "non-match-table", "path")
    assert set(paths) == {"notes"}
    assert status(page, "non-match-table") == f"{len(paths)} of the 800 listed{ALL}"
    assert set(column(page, "non-match-table", "predicted")) == {"–"}


def test_outcomes_are_chosen_by_keyboard(page: Page) -> None:
    """The arrow keys move through the outcomes."""
    page.locator("#non-matches input[type=radio]").first.focus()
    page.keyboard.press("ArrowRight")
    assert set(column(page, "non-match-table", "outcome")) == {"✗ mismatch"}


def test_long_lists_are_shown_in_parts(page: Page) -> None:
    """A hundred rows are on the screen, more on demand, all in print."""
    assert len(column(page, "non-match-table", "path")) == 100
    page.get_by_role("button", name="Show 100 more of 700").click()
    assert len(column(page, "non-match-table", "path")) == 200
    page.emulate_media(media="print")
    assert len(column(page, "non-match-table", "path")) == 800


def test_long_values_are_folded_and_open(page: Page) -> None:
    """A long value takes three lines until its button opens it."""
    cell = page.locator("#non-match-table tr", has_text="odd/long").locator("td.value").first
    folded = height(cell)
    cell.get_by_role("button", name="show all 3,500 characters").click()
    assert folded < 100 < height(cell)
    cell.get_by_role("button", name="show less").click()
    assert height(cell) == folded


def test_fields_that_are_not_in_the_set_unfold(page: Page) -> None:
    """The fold opens by keyboard."""
    fold = page.locator("details.fold")
    inside = fold.get_by_text("legacy_reference")
    assert inside.is_hidden()
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    assert inside.is_visible()


def test_odd_values_are_shown_as_text(page: Page) -> None:
    """Markup, directions, unseen characters: what the page shows is what the value is."""
    for row in ODD:
        shown = page.locator("#non-match-table tr", has_text=row.document).locator("td.value bdi")
        texts = shown.evaluate_all(_TEXT_WITH_MARKS)
        assert texts == [value for value in (row.expected, row.predicted) if value]


def test_the_page_reads_without_script(browser: Browser, address: str) -> None:
    """Without scripts every row and every count is there, and no dead control."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 900})
    plain = context.new_page()
    plain.goto(address)
    assert plain.locator("#non-match-table tbody tr").last.is_visible()
    assert plain.locator("#field-table th", has_text="FD").is_visible()
    assert plain.locator("form.controls").first.is_hidden()
    context.close()


@pytest.mark.parametrize("width", [1280, 960, 600, 380])
def test_the_body_never_scrolls_sideways(page: Page, width: int) -> None:
    """Whatever the width, only wide tables scroll, inside their frame."""
    page.set_viewport_size({"width": width, "height": 800})
    page.get_by_label("all counts").check()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(page: Page, scheme: Scheme) -> None:
    """Every text stands out from what is behind it by 4.5 to 1, in both schemes."""
    page.emulate_media(color_scheme=scheme)
    page.locator("details.fold summary").click()
    page.get_by_label("all counts").check()
    lightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]")
    assert (int(lightness) > 128) == (scheme == "light")
    weak: list[Any] = page.evaluate(_WEAK_CONTRASTS)
    assert weak == []


def test_print_is_light_and_without_controls(page: Page) -> None:
    """Paper is white also for those who read in the dark, has no buttons, and nothing is cut off at its edge."""
    page.get_by_label("all counts").check()
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 680, "height": 1000})
    assert page.evaluate("document.documentElement.scrollWidth") <= 680
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("form.controls").first.is_hidden()
    assert page.locator("nav").is_hidden()
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_a_report_of_nothing_opens(browser: Browser, tmp_path: Path) -> None:
    """An empty report has no table to sort and no error."""
    path = tmp_path / "empty.html"
    path.write_text(html_report(empty_report()), encoding="utf-8")
    context = browser.new_context()
    opened = context.new_page()
    seen = Seen(opened)
    opened.goto(path.as_uri())
    assert opened.get_by_text("No fields were compared.").is_visible()
    assert opened.locator("form.controls:visible").count() == 0
    assert seen.problems == []
    assert seen.requests == [path.as_uri()]
    context.close()


_TEXT_WITH_MARKS = """values => values.map(value => {
    const copy = value.cloneNode(true);
    for (const mark of copy.querySelectorAll(".unseen"))
        mark.replaceWith(String.fromCodePoint(parseInt(mark.title.slice(2), 16)));
    return copy.textContent;
})"""

_WEAK_CONTRASTS = """() => {
    const parse = color => { const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number); return { r, g, b, a }; };
    const behind = element => {
        for (let e = element; e; e = e.parentElement) {
            const color = parse(getComputedStyle(e).backgroundColor);
            if (color.a === 1) return color;
        }
    };
    const part = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
    const luminance = ({ r, g, b }) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
    const weak = {};
    for (const element of document.querySelectorAll("body *")) {
        const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
        if (!own || !element.checkVisibility() || element.closest("script, .heard-only, option")) continue;
        const style = getComputedStyle(element);
        const color = parse(element instanceof SVGElement ? style.fill : style.color);
        const [high, low] = [luminance(color), luminance(behind(element))].sort((a, b) => b - a);
        const contrast = (high + 0.05) / (low + 0.05);
        if (contrast < 4.5) weak[`${element.tagName}.${element.getAttribute("class")}`] = contrast.toFixed(2);
    }
    return Object.entries(weak);
}"""
