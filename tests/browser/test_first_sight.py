"""What a reader sees without scrolling, sorting or asking: the numbers that matter, the worst first, whole names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Locator, Page, expect

from fieldwise import evaluate_pairs
from tests.browser.studio import CHROMIUM, PATIENCE, SETTLED, Seen
from tests.browser.test_studio import pairs
from tests.runs.results import command
from tests.sections import section, write_sections

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")]
expect.set_options(timeout=PATIENCE)
PHONE, DESKTOP = 390, 1440
LONG = "Donaudampfschifffahrtsgesellschaftshauptverwaltungsgebäude" * 2
LONG_SENTENCE = "_".join(["a_name_that_somebody_made_of_the_heading_of_a_form"] * 3)
IN_SIGHT = """cell => {
    const [box, frame] = [cell.getBoundingClientRect(), cell.closest('.scroll').getBoundingClientRect()];
    return box.left >= frame.left - 1 && box.right <= frame.right + 1;
}"""
OVERLAPPING = """() => [...document.querySelectorAll('.data tbody th .name')].filter(name => {
    const row = name.closest('tr').getBoundingClientRect(), cell = name.closest('th').getBoundingClientRect();
    return [...name.getClientRects()].some(box => box.right > cell.right + 1 || box.bottom > row.bottom + 1);
}).map(name => name.textContent)"""


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Write a run, its comparison with another, one with names without a place to break, and one of many classes."""
    folder = tmp_path_factory.mktemp("sight")
    evaluate_pairs(pairs(wrong=3), out=folder / "run")
    evaluate_pairs(pairs(wrong=2), out=folder / "candidate")
    command("diff", folder / "run", folder / "candidate", "--html", folder / "compare.html")
    evaluate_pairs([_long_names(k) for k in range(8)], out=folder / "long")
    _write_packets(folder / "packets", classes=30)
    packets = folder / "packets"
    evaluate_pairs(packets / "expected", predicted=packets / "predicted", out=folder / "classes")
    evaluate_pairs(
        [(f"d{k:03}", {"a": k, "b": k}, {"a": -k - 1, "b": -k - 1}) for k in range(60)], out=folder / "packed"
    )
    pages = {name: folder / name / "report.html" for name in ("run", "long", "classes", "packed")}
    return {name: path.as_uri() for name, path in (pages | {"compare": folder / "compare.html"}).items()}


def _long_names(k: int) -> tuple[str, Any, Any]:
    expected = {LONG: k, LONG_SENTENCE: k, "a.b": "dot", "a": {"b": "nested"}, "rows": [{LONG: k}]}
    predicted = {**expected, LONG: k + 1, LONG_SENTENCE: k + 1, "a.b": "d0t"} if k % 2 else expected
    return f"d{k}", expected, predicted


def _write_packets(folder: Path, classes: int) -> None:
    sides: tuple[dict[str, Any], dict[str, Any]] = {}, {}
    for k in range(classes):
        for side, shift in zip(sides, (0, k % 3), strict=True):
            name = f"Statement of class {(k + shift) % classes:02}"
            side[f"p{k:02}.pdf"] = {"1": section(name, {"total": k}, [0])}
    for name, side in zip(("expected", "predicted"), sides, strict=True):
        write_sections(folder / name, side)


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    yield from opened(browser, PHONE)


@pytest.fixture
def desktop(browser: Browser) -> Iterator[Page]:
    yield from opened(browser, DESKTOP)


def opened(browser: Browser, width: int) -> Iterator[Page]:
    """Open a page; whatever a test does, the console stays silent."""
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    seen = Seen(page)
    yield page
    assert seen.problems == []
    context.close()


def in_sight(table: Locator, title: str) -> bool:
    """Return whether all cells of a column are within what the table shows before anybody scrolls."""
    expect(table.locator("tbody tr").first).to_be_visible()
    titles = [text.strip("▼▲ \n") for text in table.locator("thead th").all_inner_texts()]
    cells = table.locator(f"tr > :nth-child({titles.index(title) + 1})").all()
    return all(cell.evaluate(IN_SIGHT) for cell in cells)


@pytest.mark.parametrize(
    ("view", "table", "titles"),
    [
        ("run#summary", "Worst fields", ["field", "F1 (strict)", "lost", "FP", "FN"]),
        ("run#fields", "Fields, worst first", ["field", "F1 (strict)", "lost"]),
        ("run#fields?as=tree", "Fields, worst first", ["field", "F1 (strict)", "lost"]),
        ("long#fields", "Fields, worst first", ["field", "F1 (strict)", "lost"]),
        ("run#documents", "Documents", ["document", "score", "match"]),
        ("classes#documents", "Documents", ["document", "score", "match"]),
        ("classes#classes", "Classes by the errors in their fields", ["class", "F1 (strict)", "precision"]),
        ("compare#fields", "Fields of both runs", ["field", "finding", "points"]),
    ],
)
def test_what_matters_is_in_sight_on_a_phone(
    phone: Page, addresses: dict[str, str], view: str, table: str, titles: list[str]
) -> None:
    """The name and the numbers by which a reader decides where to look need no scrolling."""
    name, place = view.split("#")
    phone.goto(f"{addresses[name]}#{place}")
    found = phone.get_by_role("table", name=re.compile(table))
    assert [title for title in titles if not in_sight(found, title)] == []


def test_a_name_stays_in_sight_while_its_numbers_scroll(phone: Page, addresses: dict[str, str]) -> None:
    """At the far end of a wide table each row still says whose it is."""
    phone.goto(f"{addresses['run']}#fields?all=1")
    table = phone.get_by_role("table", name="Fields, worst first")
    expect(table).to_be_visible()
    table.locator("xpath=..").evaluate("section => { section.scrollLeft = section.scrollWidth; }")
    head = table.locator("tbody th").first
    assert head.evaluate(IN_SIGHT)
    box = head.bounding_box()
    assert box is not None
    at_its_place = "([x, y]) => document.elementFromPoint(x, y).closest('th') !== null"
    head.scroll_into_view_if_needed()
    assert phone.evaluate(at_its_place, [box["x"] + 8, (head.bounding_box() or box)["y"] + 12])


@pytest.mark.parametrize("tab", ["summary", "fields", "fields?as=tree", "errors", "document?id=d1", "spec"])
def test_a_long_name_keeps_to_its_place(phone: Page, addresses: dict[str, str], tab: str) -> None:
    """One without a place to break runs into no number, and pushes none out of sight."""
    phone.goto(f"{addresses['long']}#{tab}")
    phone.wait_for_selector(".data tbody tr")
    assert phone.evaluate(OVERLAPPING) == []
    phone.set_viewport_size({"width": DESKTOP, "height": 844})
    phone.evaluate(SETTLED)
    assert phone.evaluate(OVERLAPPING) == []
    frames = phone.locator(".scroll").all()
    assert all(frame.evaluate("frame => frame.scrollWidth <= frame.clientWidth + 1") for frame in frames)


def test_a_dot_in_a_key_makes_no_object(desktop: Page, addresses: dict[str, str]) -> None:
    """The key ``a.b`` is a row of its own beside the object ``a``, in the document and in the tree of fields."""
    desktop.goto(f"{addresses['long']}#document?id=d1")
    tree = desktop.get_by_role("table", name="Values of the document")
    expect(tree.locator("tbody tr", has_text="d0t").locator("th")).to_have_text("a.b")
    desktop.goto(f"{addresses['long']}#fields?as=tree")
    fields = desktop.get_by_role("table", name="Fields, worst first")
    expect(fields.get_by_role("link", name="a.b", exact=True)).to_be_visible()


def test_errors_are_listed_worst_first(desktop: Page, addresses: dict[str, str]) -> None:
    """Those of the field that loses most come first; by path and by document is one click away and in the address."""
    desktop.goto(f"{addresses['run']}#fields")
    worst = desktop.get_by_role("table", name="Fields, worst first").locator("tbody th").first.inner_text()
    desktop.goto(f"{addresses['run']}#errors")
    table = desktop.get_by_role("table", name="Errors")
    expect(table.locator("tbody th").first).to_have_text(worst)
    lost = table.locator("tbody th").all_inner_texts()
    assert lost != sorted(lost)
    desktop.get_by_role("button", name="Path", exact=True).click()
    expect(desktop).to_have_url(re.compile("order=path"))
    expect(table.locator("tbody th").first).to_have_text("name")
    assert table.locator("tbody th").all_inner_texts() == sorted(lost)
    desktop.get_by_role("button", name="Document", exact=True).click()
    expect(desktop).to_have_url(re.compile("order=document"))
    desktop.reload()
    expect(table.locator("tbody td:first-child a").first).to_have_text("d00")
    documents = table.locator("tbody td:first-child a").all_inner_texts()
    assert documents == sorted(documents)


def test_accepted_values_are_listed_least_alike_first(desktop: Page, addresses: dict[str, str]) -> None:
    """A comparator that is too lenient shows at the top."""
    desktop.goto(f"{addresses['run']}#errors?set=accepted")
    expect(desktop.get_by_role("button", name="Least alike")).to_have_attribute("aria-pressed", "true")


def test_copying_says_that_it_is_done(desktop: Page, addresses: dict[str, str]) -> None:
    """A button that copies has no other way to show it; where a browser refuses, it says that."""
    desktop.goto(f"{addresses['run']}#errors")
    desktop.evaluate("() => { navigator.clipboard.writeText = async text => { window.copied = text; }; }")
    desktop.get_by_role("button", name="Copy").click()
    expect(desktop.get_by_role("button", name="Copied")).to_be_visible()
    assert desktop.evaluate("window.copied").startswith("document,trial,")
    desktop.evaluate("() => { navigator.clipboard.writeText = async () => { throw new Error('no'); }; }")
    desktop.get_by_role("button", name=re.compile("^Cop(y|ied)$")).click()
    expect(desktop.get_by_role("button", name="Not copied")).to_be_visible()


def test_back_returns_to_the_place_in_a_list(desktop: Page, addresses: dict[str, str]) -> None:
    """After a look at a document the list is as long as it was, and as far down; all of it is exported."""
    desktop.goto(f"{addresses['packed']}#errors")
    rows = desktop.get_by_role("table", name="Errors").locator("tbody tr")
    expect(rows).to_have_count(50)
    desktop.get_by_role("button", name="Show more").click()
    expect(rows).to_have_count(100)
    rows.nth(90).scroll_into_view_if_needed()
    before = desktop.evaluate("window.scrollY")
    assert before > 1000
    rows.nth(90).get_by_role("link").first.click()
    expect(desktop.get_by_role("table", name="Values of the document")).to_be_visible()
    desktop.go_back()
    expect(rows).to_have_count(100)
    desktop.wait_for_function("height => Math.abs(window.scrollY - height) < 50", arg=before)
    with desktop.expect_download() as saved:
        desktop.get_by_role("button", name="CSV").click()
    assert len(saved.value.path().read_text(encoding="utf-8-sig").splitlines()) == 1 + 120


def test_a_print_has_no_buttons_and_keeps_to_the_paper(desktop: Page, addresses: dict[str, str]) -> None:
    """Tabs, filters and buttons are of no use on paper, and no column is beyond its edge."""
    desktop.set_viewport_size({"width": 720, "height": 1000})
    desktop.goto(f"{addresses['run']}#errors")
    expect(desktop.get_by_role("table", name="Errors").locator("tbody tr").first).to_be_visible()
    desktop.emulate_media(media="print")
    for hidden in (
        desktop.get_by_role("tablist"),
        desktop.get_by_role("button", name="CSV"),
        desktop.locator(".filters"),
    ):
        expect(hidden).to_be_hidden()
    assert desktop.evaluate("document.documentElement.scrollWidth") <= 720


def test_a_large_matrix_has_the_whole_width(desktop: Page, addresses: dict[str, str]) -> None:
    """Beside a list it would show a third of thirty classes."""
    desktop.goto(f"{addresses['classes']}#classes")
    matrix = desktop.locator("table.matrix")
    expect(matrix).to_be_visible()
    frame = desktop.locator(".scroll", has=matrix)
    assert (frame.bounding_box() or {"width": 0})["width"] > 0.8 * DESKTOP


@pytest.mark.parametrize("table", ["Worst fields", "Kinds of error, the commonest first"])
def test_tables_of_the_summary_need_no_scrolling_on_a_phone(
    browser: Browser, addresses: dict[str, str], table: str
) -> None:
    """What can be told from its neighbours, such as the share of a kind, is left out where there is no room."""
    page = browser.new_page(viewport={"width": PHONE, "height": 900})
    page.goto(addresses["run"])
    frame = page.get_by_role("region", name=table)
    expect(frame).to_be_visible()
    assert frame.evaluate("region => region.scrollWidth <= region.clientWidth")
    page.close()
