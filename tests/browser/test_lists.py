"""Lists say what they list: which trial, which documents, which of the values that an address asks for."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Page, expect

from tests.browser.studio import AXE, CHROMIUM, PATIENCE, opened, rows_of, show, violations
from tests.runs.results import command

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")]
expect.set_options(timeout=PATIENCE)
Json = Any
IS_IN_SIGHT = """side => {
    const [mark, frame] = ['mark', '.value'].map(name => side.querySelector(name).getBoundingClientRect());
    return mark.bottom <= frame.bottom + 1 && mark.top >= frame.top - 1;
}"""


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write the pages of runs with trials, failures, long texts and odd names."""
    folder = tmp_path_factory.mktemp("lists")
    makers = {"trials": write_trials, "failed": write_failed, "texts": write_texts, "missing": write_missing}
    return {name: make(folder) for name, make in {**makers, "odd": write_odd, "beside": write_beside}.items()}


def write_trials(folder: Path) -> str:
    """Three predictions of each document; of trial k the first k - 1 fields are wrong."""
    rows = [
        {"id": f"t{k}", "expected": {"a": k, "b": k}, "predicted": {"a": -1 if t > 0 else k, "b": -1 if t > 1 else k}}
        for k in range(12)
        for t in range(3)
    ]
    return evaluated(folder / "trials", rows)


def write_texts(folder: Path) -> str:
    """Long texts that differ near their end, and in a blank line."""
    text = "One sentence of a paragraph. " * 15
    rows = [
        {"id": "late", "expected": {"note": f"{text}at the end"}, "predicted": {"note": f"{text}at the eXX"}},
        {"id": "blank", "expected": {"note": f"{text}\n\n{text}end"}, "predicted": {"note": f"{text}\n{text}end"}},
    ]
    rows.append({"id": "digits", "expected": {"n": 112.5}, "predicted": {"n": "112.5"}})
    return evaluated(folder / "texts", rows)


def write_missing(folder: Path) -> str:
    """Documents without a prediction, in an order that is not that of their numbers."""
    rows: list[Json] = [{"id": f"d{k}", "expected": {"total": k}} for k in (10, 2, 11, 1)]
    return evaluated(folder / "missing", [*rows, {"id": "d3", "expected": {"total": 3}, "predicted": {"total": 3}}])


def write_odd(folder: Path) -> str:
    """A field without a name, and letters beyond those of English."""
    rows = [
        {"id": f"d{k}", "expected": {"": f"Müller {k}", "a": {"": "أ"}}, "predicted": {"": "Muller", "a": {"": "ب"}}}
        for k in range(4)
    ]
    return evaluated(folder / "odd", rows)


def write_beside(folder: Path) -> str:
    """Grids of which one number is wrong, and two texts where other documents have an object."""
    rows: list[Json] = [
        {
            "id": f"d{k}",
            "expected": {"grid": [[1, 2], [3, 4]], "vendor": "ACME" if k < 2 else {"name": "ACME"}},
            "predicted": {"grid": [[1, 2], [3, 5]], "vendor": {"name": "ACME" if k != 5 else "Zenith"}},
        }
        for k in range(30)
    ]
    return evaluated(folder / "beside", rows)


def write_failed(folder: Path) -> str:
    """Ten documents, one whose expected side is no JSON, and a prediction that nobody expects."""
    expected, predicted = folder / "expected", folder / "predicted"
    for side in (expected, predicted):
        side.mkdir()
        for k in range(10):
            (side / f"d{k}.json").write_text(json.dumps({"total": k}), encoding="utf-8")
    (expected / "broken.json").write_text("{not json", encoding="utf-8")
    (predicted / "nobody.json").write_text('{"total": 1}', encoding="utf-8")
    command("evaluate", expected, predicted, "--out", folder / "failed")
    return (folder / "failed" / "report.html").as_uri()


def evaluated(path: Path, rows: list[Json]) -> str:
    """Evaluate rows, and return the address of the page."""
    lines = path.with_suffix(".jsonl")
    lines.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    command("evaluate", lines, "--out", path)
    return (path / "report.html").as_uri()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    yield from opened(browser)


def test_a_count_of_a_trial_opens_to_its_values(page: Page, addresses: dict[str, str]) -> None:
    """Each trial is named, also the first; its count lists its own values, and the filter widens it to all trials."""
    show(page, f"{addresses['trials']}#documents?order=id")
    expect(page.locator("main")).to_contain_text("25 of 36 trials of 12 documents")
    rows = rows_of(page, "Documents")
    expect(rows.filter(has_text="t0 (trial 1)")).to_have_count(1)
    rows.filter(has_text="t0 (trial 2)").get_by_role("link", name="1", exact=True).click()
    expect(page).to_have_url(re.compile(r"#errors\?document=t0&outcome=mismatch&trial=2$"))
    errors = rows_of(page, "Errors")
    expect(errors).to_have_count(1)
    expect(errors).to_contain_text("t0 (trial 2)")
    expect(page.get_by_text("1 value", exact=True)).to_be_visible()
    page.get_by_role("button", name=re.compile("^Trial")).click()
    page.get_by_role("option", name="All trials").click()
    expect(errors).to_have_count(3)
    errors.get_by_role("link", name="t0 (trial 3)").first.click()
    expect(page.get_by_role("heading", name="t0 (trial 3)")).to_be_visible()


@pytest.mark.parametrize(
    ("name", "why"),
    [("broken", "is not JSON"), ("nobody", "a prediction without an expected document")],
)
def test_a_document_that_was_not_compared_says_so(page: Page, addresses: dict[str, str], name: str, why: str) -> None:
    """In the list, which says how many there are, and on its own page; it never reads as one without an error."""
    show(page, f"{addresses['failed']}#documents")
    expect(page.get_by_text("12 documents, 2 of them not compared")).to_be_visible()
    row = rows_of(page, "Documents").filter(has_text=name)
    expect(row).not_to_contain_text("0")
    row.get_by_role("link", name=name).click()
    expect(page.get_by_text("This document was not compared")).to_be_visible()
    expect(page.locator("main")).to_contain_text(why)
    for claim in ("Nothing wrong", "0 errors", "0 matches"):
        expect(page.get_by_role("tabpanel")).not_to_contain_text(claim)


@pytest.mark.parametrize(("name", "marks"), [("late", ["nd", "XX"]), ("blank", ["↵\n", ""])])
def test_a_late_difference_is_in_sight(page: Page, addresses: dict[str, str], name: str, marks: list[str]) -> None:
    """Long texts are folded to what surrounds their first difference, which is marked; opened they are whole."""
    show(page, f"{addresses['texts']}#document?id={name}")
    sides = rows_of(page, "Values of the document").locator(".cell-value")
    expect(sides).to_have_count(2)
    for side, mark in zip(sides.all(), marks, strict=True):
        expect(side.locator(".value")).to_contain_text(re.compile("^…"))
        assert "".join(side.locator("mark").all_text_contents()) == mark
        if mark:
            assert side.evaluate(IS_IN_SIGHT)
        side.get_by_role("button", name="show all").click()
        expect(side.locator(".value")).to_contain_text(re.compile("^One sentence"))
        assert re.search(r"\nfold$", side.inner_text())


def test_a_number_as_a_text_says_so(page: Page, addresses: dict[str, str]) -> None:
    """Where both sides look the same, the words beside the match say how they differ."""
    show(page, f"{addresses['texts']}#errors?set=accepted")
    row = rows_of(page, "Accepted values").filter(has_text="digits")
    expect(row).to_contain_text("written differently")
    expect(row).to_contain_text("text instead of a number")


@pytest.mark.parametrize(
    ("name", "view", "words"),
    [
        ("trials", "errors?outcome=bogus", "0 values"),
        ("trials", "errors?field=__proto__&kind=constructor", "0 values"),
        ("trials", "errors?set=accepted&kind=bogus", "0 values"),
        ("trials", "documents?order=bogus", "25 of 36 trials of 12 documents"),
        ("texts", "threshold?field=constructor", "The field constructor has no threshold to move"),
    ],
)
def test_an_address_that_asks_for_nothing_there_is_says_so(
    page: Page, addresses: dict[str, str], name: str, view: str, words: str
) -> None:
    """A made-up name lists nothing, or the choice is visibly the default; no number is made up."""
    show(page, f"{addresses[name]}#{view}")
    expect(page.get_by_role("tabpanel")).to_contain_text(words)
    for defect in ("NaN", "function", "undefined"):
        expect(page.get_by_role("tabpanel")).not_to_contain_text(defect)
    if view.startswith("documents"):
        expect(page.get_by_role("button", name="Worst first")).to_have_attribute("aria-pressed", "true")


def test_each_option_counts_what_it_lists(page: Page, addresses: dict[str, str]) -> None:
    """With a field chosen, outcomes and kinds are those of this field."""
    show(page, f"{addresses['trials']}#errors?field=b")
    page.get_by_role("button", name=re.compile("^Outcome")).click()
    expect(page.get_by_role("option", name=re.compile("All errors"))).to_contain_text("12")
    page.get_by_role("option", name=re.compile("^✗ mismatch")).first.click()
    expect(page.get_by_text("12 values", exact=True)).to_be_visible()
    page.get_by_role("button", name=re.compile("^Field")).click()
    expect(page.get_by_role("option", name=re.compile("^a"))).to_contain_text("24")


def test_failures_are_ordered_as_documents_are(page: Page, addresses: dict[str, str]) -> None:
    """By the numbers in their ids: d2 comes before d10."""
    show(page, f"{addresses['missing']}#summary")
    names = rows_of(page, "Failures").locator("th")
    expect(names).to_have_text(["d1", "d2", "d10", "d11"])


def test_a_saved_table_says_its_encoding_and_a_copied_one_does_not(page: Page, addresses: dict[str, str]) -> None:
    """Spreadsheets read letters of all languages by a byte order mark, which pasted text would show."""
    show(page, f"{addresses['odd']}#errors")
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    data = Path(saved.value.path()).read_bytes()
    assert data.startswith(b"\xef\xbb\xbfdocument,")
    page.evaluate("() => { navigator.clipboard.writeText = async text => { window.copied = text; }; }")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("window.copied").encode() == data[3:]


def test_a_field_without_a_name_is_named_alike_everywhere(page: Page, addresses: dict[str, str]) -> None:
    """In the list of fields, in errors and their filter, and in the document."""
    for view in ("fields", "fields?as=tree", "errors", "document?id=d0", "spec"):
        show(page, f"{addresses['odd']}#{view}")
        expect(page.get_by_role("tabpanel").get_by_text("(empty name)", exact=True).first).to_be_visible()
        expect(page.get_by_role("tabpanel")).not_to_contain_text("\\0")


@pytest.mark.parametrize("width", [768, 1440])
def test_the_bubble_of_the_slider_covers_no_sentence(page: Page, addresses: dict[str, str], width: int) -> None:
    """What a threshold means can be read while it is moved."""
    page.set_viewport_size({"width": width, "height": 900})
    show(page, f"{addresses['texts']}#threshold")
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowLeft")
    sentence = page.get_by_text("A threshold says what counts as right")
    bubble = page.locator("[data-testid=slider-tooltip], [class*=awsui_tooltip]").first.bounding_box()
    said = sentence.bounding_box()
    assert bubble is not None
    assert said is not None
    assert bubble["y"] >= said["y"] + said["height"]


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci in web/")
@pytest.mark.parametrize("name", ["texts", "odd", "trials", "failed"])
def test_axe_finds_nothing(browser: Browser, addresses: dict[str, str], name: str) -> None:
    """On summaries with matches that are not identical, and in documents with odd names or none."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, bypass_csp=True)
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE)
    found = []
    for view in ("summary", "documents", "errors", "document?id=d0"):
        show(opened, f"{addresses[name]}#{view}")
        found += [(view, *found_here) for found_here in violations(opened)]
    assert found == []
    context.close()


@pytest.mark.parametrize(
    ("link", "listed"),
    [
        ("30 mismatch and spurious of grid", 30),
        ("2 missed of vendor", 2),
        ("3 mismatch and spurious of vendor.name", 3),
    ],
)
def test_values_beside_rows_and_objects_open(page: Page, addresses: dict[str, str], link: str, listed: int) -> None:
    """A count opens to its values and no others: of lists in lists, and of what is in place of an object."""
    show(page, f"{addresses['beside']}#fields")
    page.get_by_role("link", name=link, exact=True).click()
    expect(rows_of(page, "Errors")).to_have_count(listed)
    page.reload()
    expect(rows_of(page, "Errors")).to_have_count(listed)
