"""The page of a run as a file, in a real browser: every number opens, the address says where, nobody is asked."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Page, expect

from fieldwise import evaluate_pairs
from tests.browser.studio import AXE, CHROMIUM, PATIENCE, Seen, at_widths, cut_off, violations
from tests.runs.results import command, document, write_run

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")]
expect.set_options(timeout=PATIENCE)
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"\' onmouseover="alert(1)" x=\'',
    "<!-- <![CDATA[ ]]> -->",
    "${script} $policy $$ {0} %s",
    "a\x00b\x07c\rd\x1be\x7ff\x85g",
    "\u202eright to left\u202c \u2066isolated\u2069 \u200b\ufeff\u2028\u2029",
    "شركة النور — חשבונית",
    "👩‍👩‍👧‍👦 e\u0301 🇩🇪 👍🏽",
    "lone \ud83d surrogate \udc00",
    " two  spaces \n\n lines \t tab ",
    "x" * 5000,
]
WORDS = ("Holding", "Services", "and Sons", "of Durham")
RUN_TABS = ["summary", "fields", "fields?as=tree", "fields?all=1", "errors", "errors?set=accepted", "documents"]
RUN_TABS += ["document?id=d03", "threshold", "spec"]
COMPARE_TABS = ["verdict", "fields", "fields?all=1", "flips"]
TABS = (("run", RUN_TABS), ("compare", COMPARE_TABS), ("unpaired", [""]))


def pairs(*, wrong: int) -> list[tuple[str, Any, Any]]:
    """Make forty documents: names cut short, a total that is often wrong, rows in another order, notes missed."""
    made = []
    for k in range(40):
        name = f"Lumen Systems {WORDS[k % len(WORDS)]}"
        expected: dict[str, Any] = {
            "name": name,
            "total": 100 + k,
            "note": "paid",
            "rows": [{"sku": f"AB-{k}{row}", "price": 1.5 + row} for row in range(3)],
        }
        predicted = {**expected, "rows": list(reversed(expected["rows"]))}
        if k % wrong == 0:
            predicted |= {"total": 900 + k, "name": name[: 4 + k % 12]}
        if k % 9 == 0:
            del predicted["note"]
            predicted["stray"] = "nobody asked"
        made.append((f"d{k:02}", expected, predicted))
    return made


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write the page of a run, and that of two runs that are compared."""
    folder = tmp_path_factory.mktemp("studio")
    evaluate_pairs(pairs(wrong=3), out=folder / "base", title="The base")
    evaluate_pairs(pairs(wrong=2), out=folder / "candidate", title="The candidate")
    compared, sums = folder / "difference.html", folder / "sums.html"
    runs = folder / "base", folder / "candidate"
    command("diff", *runs, "--html", compared)
    command("diff", *(run / "metrics.json" for run in runs), "--html", sums)
    return {
        "run": (folder / "base" / "report.html").as_uri(),
        "compare": compared.as_uri(),
        "unpaired": sums.as_uri(),
    }


@pytest.fixture
def page(browser: Browser, addresses: dict[str, str]) -> Iterator[Page]:
    """Open the run; the console stays silent and nothing is asked for, whatever a test does."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    seen = Seen(opened)
    opened.goto(addresses["run"])
    yield opened
    seen.check(addresses["run"])
    context.close()


def test_the_worst_field_opens_to_its_values_and_a_document(page: Page) -> None:
    """From the table of fields to the mismatches of the worst, to one document, and back again."""
    page.get_by_role("tab", name=re.compile("Fields")).click()
    first = page.get_by_role("table", name="Fields, worst first").locator("tbody tr").first
    expect(first.locator("th")).to_contain_text("name")
    first.get_by_role("link", name="14 mismatch and spurious of name").click()
    expect(page).to_have_url(re.compile(r"#errors\?field=name&outcome=mismatch%2Cspurious$"))
    errors = page.get_by_role("table", name="Errors")
    expect(errors.locator("tbody tr")).to_have_count(14)
    errors.get_by_role("link", name="d03").click()
    tree = page.get_by_role("table", name="Values of the document")
    expect(tree.locator("tr", has_text="total")).to_contain_text("mismatch")
    expect(tree).to_contain_text("← predicted [2]")
    page.go_back()
    expect(errors.locator("tbody tr")).to_have_count(14)
    page.go_back()
    expect(first.locator("th")).to_contain_text("name")


def test_a_reload_shows_the_same(page: Page) -> None:
    """Tab, order and filter are in the address."""
    page.get_by_role("tab", name=re.compile("Fields")).click()
    page.get_by_role("button", name="F1 ascending").click()
    page.get_by_role("searchbox", name="Find fields").fill("rows")
    expect(page).to_have_url(re.compile("find=rows"))
    before = page.locator("tbody tr").all_inner_texts()
    page.reload()
    expect(page.get_by_role("searchbox", name="Find fields")).to_have_value("rows")
    assert page.locator("tbody tr").all_inner_texts() == before


def test_a_link_opens_the_same_view_of_another_copy(page: Page, tmp_path: Path, addresses: dict[str, str]) -> None:
    """What is behind # says it all: pasted behind the address of a copy elsewhere, it shows the same values."""
    page.get_by_role("tab", name=re.compile("Errors")).click()
    page.get_by_role("searchbox", name="Find values by any text").fill("lumen")
    expect(page).to_have_url(re.compile("find=lumen"))
    rows = page.get_by_role("table", name="Errors").locator("tbody tr")
    expect(rows).to_have_count(14)
    before, link = rows.all_inner_texts(), page.url.split("#")[1]
    copy = tmp_path / "sent to a colleague.html"
    copy.write_bytes(Path(unquote(urlsplit(addresses["run"]).path)).read_bytes())
    assert page.context.browser is not None
    opened = page.context.browser.new_page()
    opened.goto(f"{copy.as_uri()}#{link}")
    found = opened.get_by_role("table", name="Errors").locator("tbody tr")
    expect(found).to_have_count(14)
    assert found.all_inner_texts() == before
    opened.close()


def test_f1_follows_the_slider(page: Page, addresses: dict[str, str]) -> None:
    """A lower threshold of names accepts more of them, at once."""
    page.goto(f"{addresses['run']}#threshold?field=name")
    table = page.get_by_role("table", name="Counts and rates at the threshold")
    f1 = table.locator("tr", has_text="F1 (strict)").locator("td").first
    before = f1.inner_text()
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    expect(f1).not_to_have_text(before)
    expect(page).to_have_url(re.compile("at=0"))
    assert float(f1.inner_text().split()[-1]) > float(before.split()[-1])


def test_filters_choose_kinds_and_say_how_many_there_are(page: Page) -> None:
    """A kind of error on the summary leads to its values."""
    page.get_by_role("table", name="Kinds of error, the commonest first").get_by_role("link", name="missing").click()
    expect(page.get_by_role("table", name="Errors").locator("tbody tr")).to_have_count(5)
    expect(page.get_by_text("5 values", exact=True)).to_be_visible()


def test_tabs_are_reached_by_keys(page: Page) -> None:
    """Arrow keys move between tabs."""
    page.get_by_role("tab", name="Summary").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Field-level metrics")).to_be_visible()


def test_documents_are_found_by_id(page: Page) -> None:
    """Also those without an error."""
    page.get_by_role("tab", name=re.compile("Documents")).click()
    page.get_by_role("searchbox", name="Find documents by id").fill("D01")
    page.get_by_role("link", name="d01").click()
    expect(page.get_by_role("heading", name="d01")).to_be_visible()
    expect(page.get_by_role("table", name="Values of the document")).to_contain_text("Lumen Systems Services")


def test_hostile_texts_run_nothing(browser: Browser, tmp_path: Path) -> None:
    """In names, ids and values: no script, no request, no message; what would not be seen has a name."""
    made = [
        (f"{k} {text}", {text: text, "x": text}, {text: "other", "x": f"{text}!"}) for k, text in enumerate(HOSTILE)
    ]
    evaluate_pairs(made, out=tmp_path / "r", title=HOSTILE[0])
    address = (tmp_path / "r" / "report.html").as_uri()
    context = browser.new_context()
    opened = context.new_page()
    seen = Seen(opened)
    opened.on("dialog", lambda dialog: seen.problems.append(dialog.message))
    for tab in ("summary", "fields?as=tree", "errors", "documents", "spec", "threshold"):
        opened.goto(f"{address}#{tab}")
        opened.wait_for_selector("h1")
    expect(opened).to_have_title(HOSTILE[0])
    opened.goto(f"{address}#errors?find=right+to+left")
    expect(opened.locator(".unseen", has_text="RLO").first).to_be_visible()
    seen.check(address)
    context.close()


def opened_tabs(page: Page, addresses: dict[str, str]) -> Iterator[str]:
    """Open every tab of every page."""
    page.set_default_timeout(PATIENCE)
    for name, tabs in TABS:
        for tab in tabs:
            page.goto("about:blank")
            page.goto(f"{addresses[name]}#{tab}")
            page.wait_for_selector(".data, .more, [class*=awsui_alert]")
            yield tab


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci in web/")
def test_axe_finds_nothing(browser: Browser, addresses: dict[str, str]) -> None:
    """On every tab, light and dark."""
    opened = browser.new_page(viewport={"width": 1280, "height": 900}, bypass_csp=True)
    assert [(tab, one) for tab in opened_tabs(opened, addresses) for one in violations(opened)] == []
    opened.close()


def test_nothing_is_cut_off(browser: Browser, addresses: dict[str, str]) -> None:
    """The page is never wider than its window, and no text is outside of it unless its table scrolls."""
    opened = browser.new_page()
    for tab in opened_tabs(opened, addresses):
        for width in at_widths(opened):
            assert opened.evaluate("document.documentElement.scrollWidth") <= width, (tab, width)
            assert cut_off(opened) == [], (tab, width)
    opened.close()


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A candidate that is better in one field and worse in another, with odd values and documents on one side only."""
    root = tmp_path_factory.mktemp("comparison")
    base = {f"d{k}": document(k, wrong=["code"] if k % 2 else []) for k in range(40)}
    candidate = {f"d{k}": document(k, wrong=["name"] if k % 3 else []) for k in range(3, 43)}
    candidate["d4"][1]["name"] = f"{HOSTILE[1]} \u202e"
    command("diff", write_run(root / "a", base), write_run(root / "b", candidate), "--html", root / "page.html")
    return (root / "page.html").as_uri()


@pytest.fixture
def compared(browser: Browser, comparison: str) -> Iterator[Page]:
    """Open the comparison; the console stays silent and nothing is asked for."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    seen = Seen(opened)
    opened.goto(comparison)
    yield opened
    seen.check(comparison)
    context.close()


def test_a_comparison_says_its_verdict_and_what_was_left_out(compared: Page) -> None:
    """The verdict comes first; better and worse fields are named; so are documents of one run only."""
    expect(compared.locator(".verdict")).to_contain_text("F1 (strict)")
    expect(compared.locator("main")).to_contain_text("3 documents only in the base, left out (d0, d1, d2)")
    expect(compared.locator(".changes").first).to_contain_text("name")
    expect(compared.locator(".changes").last).to_contain_text("code")


def test_a_changed_field_opens_to_its_flips(compared: Page) -> None:
    """A count of broken values lists these; the address keeps the choice; other filters narrow and widen it."""
    compared.get_by_role("tab", name=re.compile("Fields")).click()
    expect(compared.get_by_text("3 fields the same in every document")).to_be_visible()
    compared.get_by_role("link", name="24 broken of name").click()
    expect(compared).to_have_url(re.compile(r"#flips\?direction=broken&field=name$"))
    rows = compared.get_by_role("table", name="Values that flipped").locator("tbody tr")
    expect(rows).to_have_count(24)
    expect(rows.first).to_contain_text("broken")
    with compared.expect_download() as saved:
        compared.get_by_role("button", name="CSV").click()
    with Path(saved.value.path()).open(encoding="utf-8-sig", newline="") as file:
        flips = list(csv.DictReader(file))
    assert [flip["document"] for flip in flips] == [rows.nth(k).locator("td").nth(1).inner_text() for k in range(24)]
    assert {(flip["change"], flip["field"]) for flip in flips} == {("broken", "name")}
    expect(compared.get_by_role("button", name=re.compile("All 24"))).to_be_visible()
    compared.reload()
    expect(rows).to_have_count(24)
    compared.get_by_role("searchbox", name="Find flips").fill("onerror")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text(HOSTILE[1])
    expect(compared.locator("main img")).to_have_count(0)
    compared.get_by_role("button", name=re.compile("Fixed")).click()
    expect(compared.get_by_text("There is no such value.")).to_be_visible()
    compared.go_back()
    expect(rows).to_have_count(1)


def test_sums_alone_are_compared_without_a_verdict(browser: Browser, addresses: dict[str, str]) -> None:
    """Two metrics files have no documents to pair, and the page says so."""
    opened = browser.new_page()
    seen = Seen(opened)
    opened.goto(addresses["unpaired"])
    expect(opened.get_by_text("The documents are not paired")).to_be_visible()
    expect(opened.get_by_role("table")).to_contain_text("total")
    expect(opened.locator(".verdict")).to_have_count(0)
    seen.check(addresses["unpaired"])
    opened.close()


def test_lists_without_entries_say_why(browser: Browser, tmp_path: Path) -> None:
    """Where nothing is wrong and nothing flipped, the page says that, not that filters chose nothing."""
    evaluate_pairs([(f"d{k}", {"a": k}, {"a": k}) for k in range(3)], out=tmp_path / "run")
    command("diff", tmp_path / "run", tmp_path / "run", "--html", tmp_path / "same.html")
    page = browser.new_page()
    page.goto(f"{(tmp_path / 'run' / 'report.html').as_uri()}#errors")
    expect(page.get_by_text("No value is wrong, missed or invented.")).to_be_visible()
    page.goto(f"{(tmp_path / 'same.html').as_uri()}#flips")
    expect(page.get_by_text("No value is right in one run and wrong in the other.")).to_be_visible()
    page.close()
