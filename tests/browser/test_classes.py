"""Classes, sections and slices on the page, in a real browser: cells open, filters stay, numbers are the JSON's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Page, expect

from fieldwise.results import Metrics
from tests.browser.class_samples import HOSTILE_CLASS, pages
from tests.browser.studio import AXE, CHROMIUM, PATIENCE, Seen, at_widths, violations
from tests.runs.results import command

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")]
expect.set_options(timeout=PATIENCE)
VIEWS = {
    "sections": [
        *("classes", "classes?expected=1&predicted=2", "fields?class=Invoice", "fields?slice=vendor%3AAcme"),
        *("errors?class=Invoice&slice=vendor", "documents?class=Payslip", "document?id=loan-00.pdf", "spec"),
    ],
    "labels": ["classes", "rows", "rows?expected=0&predicted=1", "metrics"],
    "values": ["summary", "fields?all=1", "errors", "documents"],
    "counts": ["summary", "fields", "errors", "documents"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("classes")


@pytest.fixture(scope="module")
def addresses(folder: Path) -> dict[str, str]:
    return {name: path.as_uri() for name, path in pages(folder).items()}


@pytest.fixture
def page(browser: Browser, addresses: dict[str, str]) -> Iterator[Page]:
    """Open a window; the console stays silent, no dialog opens, and nothing is asked for, whatever a test does."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    opened = context.new_page()
    seen = Seen(opened)
    opened.on("dialog", lambda dialog: seen.problems.append(dialog.message))
    yield opened
    assert seen.problems == []
    assert {request.split("#")[0] for request in seen.requests} <= {*addresses.values()}
    context.close()


def test_a_cell_of_sections_opens_to_documents(page: Page, addresses: dict[str, str], folder: Path) -> None:
    """From the matrix to the sections of a cell, to a document with its sections apart, and back; reload keeps it."""
    sections = json.loads((folder / "run" / "metrics.json").read_text())["sections"]
    labels, counts = sections["confusion_matrix"]["labels"], sections["confusion_matrix"]["counts"]
    wrong = counts[labels.index("Invoice")][labels.index("Payslip")]
    page.goto(f"{addresses['sections']}#classes")
    page.get_by_role("link", name=re.compile(rf"^expected Invoice, predicted Payslip: {wrong},")).click()
    rows = page.get_by_role("table", name="Sections").locator("tbody tr")
    expect(rows).to_have_count(wrong)
    page.reload()
    expect(rows).to_have_count(wrong)
    rows.first.get_by_role("link").click()
    tree = page.get_by_role("table", name="Values of the document")
    expect(tree.locator("tr.parent", has_text="section").first).to_be_visible()
    expect(page.get_by_text("Invoice is expected, Payslip is predicted")).to_be_visible()
    page.go_back()
    expect(rows).to_have_count(wrong)


def test_the_table_of_classes_is_that_of_the_json(page: Page, addresses: dict[str, str], folder: Path) -> None:
    """Rates, intervals and counts of every class; what is right and what is wrong opens."""
    held = json.loads((folder / "run" / "metrics.json").read_text())["sections"]["classes"]
    page.goto(f"{addresses['sections']}#classes")
    table = page.get_by_role("table", name="Classes, worst first")
    expect(table).to_be_visible()
    for row in held:
        if row["name"] == HOSTILE_CLASS:
            continue
        cells = table.locator("tbody tr", has_text=row["name"]).locator("td").all_inner_texts()
        numbers = [f"{row[key]['value']:.3f}" for key in ("f1", "precision", "recall")]
        assert [re.findall(r"\d\.\d{3}", text)[0] for text in cells[:3]] == numbers
        bounds = [f"{row[key]['low']:.3f}–{row[key]['high']:.3f}" for key in ("f1", "precision", "recall")]
        assert all(bound in text for bound, text in zip(bounds, cells[:3], strict=True))
        sums = row["tp"] + row["fn"], row["tp"] + row["fp"], row["tp"], row["fp"], row["fn"]
        assert [int(text) for text in cells[3:]] == list(sums)
    page.get_by_role("link", name=re.compile("FN of Invoice")).click()
    missed = next(row["fn"] for row in held if row["name"] == "Invoice")
    expect(page.get_by_role("table", name="Sections").locator("tbody tr")).to_have_count(missed)


def test_fields_are_those_of_a_class_or_slice(page: Page, addresses: dict[str, str], folder: Path) -> None:
    """One choice takes the place of the other; counts open to the values of the class; reload and Back keep it."""
    metrics = Metrics.from_json((folder / "run" / "metrics.json").read_bytes())
    assert metrics.classes is not None
    assert metrics.slices is not None
    page.goto(f"{addresses['sections']}#fields")
    choose(page, "Class", "Invoice")
    check_counts(page, metrics.classes["Invoice"].fields)
    page.reload()
    check_counts(page, metrics.classes["Invoice"].fields)
    choose(page, "Slice", "vendor: Acme")
    check_counts(page, metrics.slices["vendor"].values["Acme"].fields)
    expect(page).to_have_url(re.compile(r"#fields\?slice=vendor%3AAcme$"))
    page.go_back()
    check_counts(page, metrics.classes["Invoice"].fields)
    total = metrics.classes["Invoice"].fields["total"]
    page.get_by_role("link", name=f"{total.fp} mismatch and spurious of total").click()
    rows = page.get_by_role("table", name="Errors").locator("tbody tr")
    expect(rows).to_have_count(total.fp)
    expect(rows.first).to_contain_text("Invoice")


def test_errors_are_filtered_by_class_and_slice_and_exported(page: Page, addresses: dict[str, str]) -> None:
    """Both at once narrow the list; what is seen is what is exported."""
    page.goto(f"{addresses['sections']}#errors?class=Invoice")
    rows = page.get_by_role("table", name="Errors").locator("tbody tr")
    expect(rows.first).to_be_visible()
    of_class = rows.count()
    choose(page, "Slice", "vendor: Bolt & Sons")
    expect(rows).not_to_have_count(of_class)
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8-sig").splitlines()
    assert len(lines) == rows.count() + 1
    at = lines[0].split(",").index("class")
    assert {line.split(",")[at] for line in lines[1:]} == {"Invoice"}


def test_a_cell_of_labels_opens_to_rows(page: Page, addresses: dict[str, str], folder: Path) -> None:
    """The matrix has the numbers of ``classify --json``; a cell opens to its rows, which can be exported."""
    done = command("classify", folder / "labels.jsonl", "--cluster-key", "document", "--json")
    report = json.loads(done.stdout)["report"]
    matrix = report["confusion_matrix"]
    page.goto(addresses["labels"])
    expect(page.locator("table.matrix")).to_be_visible()
    shown = page.locator("table.matrix tbody td:not(.total)").all_inner_texts()
    drawn = [n for row in matrix["counts"][:-1] for n in row]
    assert [0 if text == "·" else int(text) for text in shown] == drawn
    expect(page.locator(".headline .figure")).to_contain_text(f"{report['accuracy']['value']:.3f}")
    page.get_by_role("link", name=re.compile("^expected scroll, predicted wait: 40,")).click()
    rows = page.get_by_role("table", name="Rows").locator("tbody tr")
    expect(rows).to_have_count(40)
    expect(rows.first).to_contain_text("wrong")
    page.reload()
    expect(rows).to_have_count(40)
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    assert len(Path(download.value.path()).read_text(encoding="utf-8-sig").splitlines()) == 41
    page.go_back()
    expect(page.get_by_role("table", name="Classes, worst first")).to_be_visible()


def test_a_label_of_no_place_is_not_chosen(page: Page, addresses: dict[str, str]) -> None:
    """All rows are listed, and the filter says so, whatever the address asks for."""
    show(page, f"{addresses['labels']}#rows?expected=zzz&only=bogus")
    expect(page.get_by_role("button", name=re.compile("^Expected"))).to_contain_text("Any label")
    expect(page.get_by_role("button", name="All", exact=True)).to_have_attribute("aria-pressed", "true")


def test_classes_sort_and_hostile_names_are_text(page: Page, addresses: dict[str, str]) -> None:
    """No label becomes markup; unseen characters have names; the address keeps the order."""
    page.goto(addresses["labels"])
    names = page.get_by_role("table", name="Classes, worst first").locator("tbody th")
    expect(names.first).to_contain_text("7")
    page.get_by_role("button", name="precision").click()
    page.get_by_role("button", name="precision").click()
    expect(names.first).to_contain_text("type")
    page.reload()
    expect(names.first).to_contain_text("type")
    assert page.locator("main img, main script").count() == 0
    expect(page.locator(".unseen", has_text="RLO").first).to_be_visible()


def test_counts_alone_say_why_they_do_not_open(page: Page, addresses: dict[str, str], folder: Path) -> None:
    """The seed's section of fields, further columns, and fields never seen folded; no link to nowhere."""
    metrics = Metrics.from_json((folder / "counts" / "metrics.json").read_bytes())
    page.goto(f"{addresses['counts']}#fields?all=1")
    expect(page.get_by_role("table", name="Fields, worst first")).to_be_visible()
    heads = page.get_by_role("table", name="Fields, worst first").locator("thead th").all_inner_texts()
    titles = ["field", "F1 (strict)", "lost", "precision", "recall (strict)", "accuracy", "TP", "FP", "FN"]
    assert [head.strip("▲▼") for head in heads][: len(titles)] == titles
    assert {"detection recall", "F1"} <= {head.strip("▲▼") for head in heads}
    check_counts(page, {name: row for name, row in metrics.fields.items() if name != "fax"})
    expect(page.get_by_text("Not in this set: 1 field")).to_be_visible()
    expect(page.get_by_text("the results that were read name no values")).to_be_visible()
    assert page.locator("main table a").count() == 0
    page.goto(f"{addresses['counts']}#errors")
    expect(page.get_by_text("the results that were read name no values")).to_be_visible()
    page.goto(f"{addresses['counts']}#documents")
    rows = page.get_by_role("table", name="Documents").locator("tbody tr")
    expect(rows).to_have_count(4)
    rows.first.get_by_role("link").click()
    expect(page.get_by_text("The values of this document are not known")).to_be_visible()
    page.goto(f"{addresses['values']}#errors")
    expect(page.get_by_role("table", name="Errors").locator("tbody tr")).to_have_count(4)
    expect(page.locator("mark").first).to_be_visible()


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci in web/")
@pytest.mark.parametrize("name", list(VIEWS))
def test_axe_finds_nothing(browser: Browser, addresses: dict[str, str], name: str) -> None:
    """On every view, light and dark."""
    opened = browser.new_page(viewport={"width": 1280, "height": 900}, bypass_csp=True)
    found: list[Any] = []
    for view in VIEWS[name]:
        show(opened, f"{addresses[name]}#{view}")
        found += [(view, one) for one in violations(opened)]
    assert found == []
    opened.close()


OUTSIDE = """() => [...document.querySelectorAll('main *')].filter(e => {
    if (!e.getClientRects().length || e.closest('.heard, [role=tablist], svg')) return false;
    const box = e.getBoundingClientRect();
    const squeezed = e.matches('td, th') && e.innerText.length > 12 && box.width < 60;
    const isCut = !e.closest('.scroll') && (box.right > innerWidth + 1 || box.left < -1);
    return box.width > 1 && box.height > 1 && (isCut || (squeezed && !e.closest('.matrix')));
}).map(e => e.outerHTML.slice(0, 160))"""


@pytest.mark.parametrize("name", list(VIEWS))
def test_nothing_is_cut_off(browser: Browser, addresses: dict[str, str], name: str) -> None:
    """The page is never wider than its window, no text is outside of it unless its table scrolls, none is squeezed."""
    opened = browser.new_page()
    for view in VIEWS[name]:
        show(opened, f"{addresses[name]}#{view}")
        for width in at_widths(opened):
            assert opened.evaluate("document.documentElement.scrollWidth") <= width, (view, width)
            assert opened.evaluate(OUTSIDE) == [], (view, width)
    opened.close()


def show(opened: Page, address: str) -> None:
    opened.set_default_timeout(PATIENCE)
    opened.goto("about:blank")
    opened.goto(address)
    opened.wait_for_selector(".data, .more, [class*=awsui_alert]")


def choose(page: Page, label: str, option: str) -> None:
    """Choose in a list by its label."""
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=option).click()


def check_counts(page: Page, fields: Any) -> None:
    """The table of fields has TP, FP and FN of these fields."""
    table = page.get_by_role("table", name="Fields, worst first")
    expect(table.locator("tbody tr")).to_have_count(len(fields))
    for name, row in fields.items():
        if row.scope != "values":
            continue
        cells = table.locator("tbody tr").filter(has=page.get_by_role("rowheader", name=name, exact=True)).locator("td")
        expect(cells.nth(5)).to_have_text(str(row.tp))
        expect(cells.nth(6)).to_have_text(str(row.fp))
        expect(cells.nth(7)).to_have_text(str(row.fn))
