"""What a person does on the page, from one number to the next: by mouse, by keys alone, on paper, in a large run."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Download, Locator, Page, expect

from fieldwise import evaluate_pairs
from tests.browser.class_samples import pages
from tests.browser.studio import CHROMIUM, PATIENCE, opened, rows_of, show
from tests.browser.test_studio import pairs
from tests.runs.results import EXACT, command, document, write_run

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")]
expect.set_options(timeout=PATIENCE)
Json = Any
PAPER = 720
LARGE = 20_500
DIFFERENT = ("--allow-different-rules", "--html")
LONG = "the same beginning of a clause, " * 40
VIEWS = {
    "run": [
        *("summary", "fields", "fields?as=tree&all=1", "errors", "errors?set=accepted", "documents"),
        *("document?id=d03", "threshold?field=name", "spec"),
    ],
    "compare": ["verdict", "fields", "fields?all=1", "flips"],
    "failed": ["summary", "documents"],
    "sections": ["classes", "fields?class=Invoice", "errors?class=Invoice"],
    "labels": ["classes", "rows", "metrics"],
    "sweep": [""],
    "calibration": [""],
}
REACHABLE = """() => {
    const seen = e => e.getClientRects().length && !e.disabled && getComputedStyle(e).visibility !== 'hidden';
    const kinds = 'main a[href], main button, main input, main summary, main [role=slider]';
    // Of tabs and of choices beside each other one is reached by Tab, and the others by arrows.
    window.left = new Set([...document.querySelectorAll(kinds)].filter(e => seen(e) && e.tabIndex >= 0));
    return window.left.size;
}"""
FOCUSED = """() => {
    const focused = document.activeElement;
    if (focused === document.body) return null;
    window.left.delete(focused);
    const ringed = style => (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0)
        || style.boxShadow !== 'none';
    // What a browser draws around the handle of a slider is in no style that a script can read.
    if (focused.type === 'range') return '';
    for (let e = focused; e && e.tagName !== 'MAIN'; e = e.parentElement) {
        const drawn = ['::before', '::after'].map(name => getComputedStyle(e, name));
        if (ringed(getComputedStyle(e)) || drawn.some(style => style.content !== 'none' && ringed(style))) return '';
    }
    return focused.outerHTML.slice(0, 160);
}"""


class Made(NamedTuple):
    """Addresses of pages, and the folder of the run."""

    addresses: dict[str, str]
    run: Path


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Write a page of each kind: runs, one with failures, comparisons, sections, labels, a sweep and confidences."""
    folder = tmp_path_factory.mktemp("journeys")
    evaluate_pairs(pairs(wrong=3), out=folder / "base", title="The base")
    evaluate_pairs(pairs(wrong=2), out=folder / "candidate", title="The candidate")
    write_failed(folder)
    loose = json.loads(json.dumps(EXACT))
    loose["properties"]["total"]["x-aws-stickler-weight"] = 2.0
    documents = {f"d{k}": document(k, wrong=["name"] if k % 3 else []) for k in range(30)}
    write_run(folder / "strict", documents)
    write_run(folder / "loose", documents, schema=loose)
    command("diff", folder / "base", folder / "candidate", "--html", folder / "compare.html")
    command("diff", folder / "strict" / "results", folder / "loose" / "results", *DIFFERENT, folder / "rules.html")
    command("sweep", folder / "base", "name", "--out", folder / "sweep")
    sure = [(name, one, {k: {"_value": v, "_confidence": 0.5} for k, v in other.items()}) for name, one, other in few()]
    evaluate_pairs(sure, out=folder / "sure")
    command("calibrate", folder / "sure", "--out", folder / "calibration")
    files = {
        "run": folder / "base" / "report.html",
        "failed": folder / "failed" / "report.html",
        "compare": folder / "compare.html",
        "rules": folder / "rules.html",
        "sweep": folder / "sweep" / "sweep.html",
        "calibration": folder / "calibration" / "calibration.html",
        **pages(folder / "classes"),
    }
    return Made({name: path.as_uri() for name, path in files.items()}, folder / "base")


def few() -> list[tuple[str, Json, Json]]:
    """Make documents with one field that is sometimes wrong."""
    return [(f"d{k:02}", {"total": k}, {"total": k if k % 4 else -1}) for k in range(40)]


def write_failed(folder: Path) -> None:
    """Write a run with predictions that are no JSON, no object, or missing, and values that differ late."""
    rows: list[Json] = [{"id": f"d{k}", "expected": {"total": k}, "predicted": {"total": k}} for k in range(30)]
    rows += [{"id": f"text {k}", "expected": {"total": k}, "predicted": "{broken "} for k in range(3)]
    rows += [{"id": "list", "expected": {"total": 1}, "predicted": [1]}, {"id": "none", "expected": {"total": 1}}]
    rows.append({"id": "late", "expected": {"clause": f"{LONG}A"}, "predicted": {"clause": f"{LONG}B"}})
    name = "Lumen Systems Holding"
    near = enumerate((name.upper(), f"{name}."))
    rows += [{"id": f"near {k}", "expected": {"name": name}, "predicted": {"name": written}} for k, written in near]
    path = folder / "failed.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    command("evaluate", path, "--out", folder / "failed")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    yield from opened(browser)


def test_the_slider_shows_what_the_command_finds(page: Page, made: Made) -> None:
    """Counts and F1 at every tenth are those of ``sweep --json``, whether an address or the slider leads there."""
    steps = ",".join(str(k / 10) for k in range(11))
    points = json.loads(command("sweep", made.run, "name", "--thresholds", steps, "--json").stdout)["points"]
    points = {round(100 * point["threshold"]): point for point in points}
    assert len({point["tp"] for point in points.values()}) > 3
    for at, point in points.items():
        page.goto(f"{made.addresses['run']}#threshold?at={at}&field=name")
        expect(page.get_by_role("slider")).to_have_attribute("aria-valuetext", re.compile(rf"^{at / 100:g}$"))
        assert at_the_threshold(page) == figures(point)
    page.get_by_role("slider").focus()
    for key, at in (("Home", 0), ("End", 100)):
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(rf"at={at}&"))
        assert at_the_threshold(page) == figures(points[at])


def at_the_threshold(page: Page) -> dict[str, str]:
    """Return what the table beside the slider shows, by the name of the figure."""
    lines = page.get_by_role("table", name="Counts and rates at the threshold").locator("tbody tr")
    expect(lines.first).to_be_visible()
    texts = [line.locator("th, td").all_inner_texts()[:2] for line in lines.all()]
    return {name.strip(): text.split()[-1] for name, text in texts}


def figures(point: Json) -> dict[str, str]:
    """Return what a point of a sweep is on the page."""
    rates = {"F1 (strict)": "strict_f1", "precision": "precision", "strict recall": "strict_recall"}
    rates["detection recall"] = "recall"
    shown = {name: f"{point['rates'][key]['value']:.3f}" for name, key in rates.items()}
    return shown | {key.upper(): str(point[key]) for key in ("tp", "fd", "fa", "fn")}


@pytest.mark.parametrize("at", ["x", "-5", "1e9", "37.5", ""])
def test_a_threshold_that_is_none_is_that_of_the_run(page: Page, made: Made, at: str) -> None:
    """An address that somebody shortened or made up still shows numbers of this run."""
    show(page, f"{made.addresses['run']}#threshold?field=name&at={at}")
    metrics = json.loads((made.run / "metrics.json").read_text(encoding="utf-8"))
    assert at_the_threshold(page)["TP"] == str(metrics["fields"]["name"]["tp"])


def test_the_summary_opens_matches_that_are_not_identical(page: Page, made: Made) -> None:
    """Also what counts as right can be looked at, and Back returns."""
    show(page, made.addresses["failed"])
    page.get_by_role("link", name="2 not identical").click()
    expect(page.get_by_role("heading", name="Accepted, not identical")).to_be_visible()
    expect(rows_of(page, "Accepted values").first).to_contain_text("written differently")
    page.go_back()
    expect(page.get_by_role("heading", name="Where most is lost")).to_be_visible()


def test_a_failure_opens_to_its_document(page: Page, made: Made) -> None:
    """Its reason is said once, in the list of documents and on its own page."""
    show(page, made.addresses["failed"])
    failures = rows_of(page, "Failures")
    expect(failures).to_have_count(5)
    failures.get_by_role("link", name="none", exact=True).click()
    expect(page.get_by_role("heading", name="none")).to_be_visible()
    expect(page.locator("main")).to_contain_text("no prediction: every expected value counts as missed")
    page.get_by_role("button", name="All documents").click()
    row = rows_of(page, "Documents").filter(has=page.get_by_role("link", name="none", exact=True))
    assert row.inner_text().count("no prediction") == 1


def test_a_value_that_differs_late_says_so(page: Page, made: Made) -> None:
    """Where both beginnings that the page holds are the same, nobody has to look for the difference."""
    show(page, f"{made.addresses['failed']}#document?id=late")
    row = rows_of(page, "Values of the document").filter(has_text="clause")
    expect(row).to_contain_text(f"the first 1,000 of {len(LONG) + 1:,} characters")
    expect(row).to_contain_text("differs further on")


def test_what_is_exported_is_what_is_listed(page: Page, made: Made) -> None:
    """After filters: the same documents, paths and values in the same order, in CSV and in what is copied."""
    show(page, f"{made.addresses['run']}#errors?outcome=mismatch&order=document")
    page.get_by_role("searchbox", name="Find values by any text").fill("of durham")
    listed = rows_of(page, "Errors")
    expect(listed).to_have_count(4)
    shown = [[listed.nth(k).locator("td, th").nth(at).inner_text() for at in range(4)] for k in range(4)]
    with page.expect_download() as saved:
        page.get_by_role("button", name="CSV").click()
    page.evaluate("() => { navigator.clipboard.writeText = async text => { window.copied = text; }; }")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    for text in (text_of(saved.value), page.evaluate("window.copied")):
        exported = list(csv.DictReader(io.StringIO(text)))
        assert [[row[key] for key in ("document", "path", "expected", "predicted")] for row in exported] == shown
        assert {row["outcome"] for row in exported} == {"mismatch"}
        assert all(row["reason"] for row in exported)


def text_of(download: Download) -> str:
    return Path(download.path()).read_bytes().decode("utf-8-sig")


def test_one_goes_from_document_to_document(page: Page, made: Made) -> None:
    """To the next with something wrong and back, with all of its values or only those; a reload keeps it."""
    show(page, f"{made.addresses['run']}#documents")
    rows_of(page, "Documents").first.get_by_role("link").first.click()
    expect(page.get_by_role("button", name="Previous")).to_be_disabled()
    first = page.get_by_role("heading", level=2).inner_text()
    page.get_by_text("only what is wrong").click()
    values = rows_of(page, "Values of the document").filter(has=page.locator(".outcome"))
    expect(values.filter(has_text="✓")).to_have_count(0)
    page.reload()
    expect(values.first).to_be_visible()
    expect(values.filter(has_text="✓")).to_have_count(0)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", level=2)).not_to_have_text(first)
    expect(values.filter(has_text="✓")).to_have_count(0)
    page.get_by_role("button", name="Previous").click()
    expect(page.get_by_role("heading", level=2)).to_have_text(first)


def test_an_object_folds_in_the_tree_of_fields(page: Page, made: Made) -> None:
    """Its row has the sums of its fields; what is folded is in the address."""
    show(page, f"{made.addresses['run']}#fields?as=tree")
    table = rows_of(page, "Fields, worst first")
    expect(table.filter(has_text="sku")).to_have_count(1)
    page.get_by_role("button", name="fields of rows").click()
    expect(table.filter(has_text="sku")).to_have_count(0)
    expect(table.filter(has_text="sum of 2")).to_have_count(1)
    page.reload()
    expect(table.filter(has_text="sum of 2")).to_have_count(1)
    expect(table.filter(has_text="sku")).to_have_count(0)
    page.go_back()
    expect(table.filter(has_text="sku")).to_have_count(1)


def test_the_spec_says_how_a_field_was_compared_and_why(page: Page, made: Made) -> None:
    """Found by the name of a field or of a comparator."""
    show(page, f"{made.addresses['run']}#spec")
    page.get_by_role("searchbox", name="Find fields or comparators").fill("total")
    rows = rows_of(page, "How fields are compared")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("inferred")


def test_a_comparison_by_different_rules_says_which(page: Page, made: Made) -> None:
    """Before any number of it."""
    show(page, made.addresses["rules"])
    warning = page.get_by_text("The runs compared by different rules")
    expect(warning).to_be_visible()
    expect(page.locator("main")).to_contain_text("total")
    top = warning.bounding_box()
    verdict = page.locator(".verdict").bounding_box()
    assert top is not None
    assert verdict is not None
    assert top["y"] < verdict["y"]


@pytest.mark.parametrize("name", list(VIEWS))
def test_everything_is_reached_by_keys(page: Page, made: Made, name: str) -> None:
    """Tab comes to every link, button and field of a view, and one sees where it is."""
    for view in VIEWS[name]:
        show(page, f"{made.addresses[name]}#{view}")
        count = page.evaluate(REACHABLE)
        assert count > 0
        unseen = set()
        for _ in range(count + 40):
            page.keyboard.press("Tab")
            found = page.evaluate(FOCUSED)
            if found is None:
                break
            unseen |= {found} - {""}
        assert unseen == set(), view
        assert page.evaluate("() => [...window.left].map(e => e.outerHTML.slice(0, 160))") == [], view


def test_a_journey_by_keys_alone(page: Page, made: Made) -> None:
    """From the summary to the errors of the worst field, to one document and the next, and back."""
    show(page, made.addresses["run"])
    press_at(page, page.get_by_role("tab", name="Summary"), "ArrowRight", "Enter")
    press_at(page, page.get_by_role("link", name="14 mismatch and spurious of name"), "Enter")
    expect(rows_of(page, "Errors")).to_have_count(14)
    press_at(page, page.get_by_role("button", name=re.compile("^Outcome")), "Enter", "Home", "Enter")
    expect(page).to_have_url(re.compile(r"#errors\?field=name$"))
    press_at(page, page.get_by_role("link", name="d03"), "Enter")
    press_at(page, page.get_by_role("button", name="Next"), "Enter")
    expect(page.get_by_role("heading", level=2)).not_to_have_text("d03")
    page.go_back()
    expect(page.get_by_role("heading", name="d03")).to_be_visible()


def press_at(page: Page, target: Locator, *keys: str) -> None:
    """Go to something by Tab, as often as that takes, and press keys there."""
    expect(target).to_be_visible()
    for _ in range(150):
        if target.evaluate("e => e === document.activeElement"):
            break
        page.keyboard.press("Tab")
    else:
        pytest.fail(f"Tab does not come to {target}")
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.parametrize("name", list(VIEWS))
def test_every_view_prints(page: Page, made: Made, name: str) -> None:
    """On paper there are no buttons, tabs and filters, nothing is beyond the edge, and the numbers are there."""
    page.set_viewport_size({"width": PAPER, "height": 1000})
    page.emulate_media(media="print")
    for view in VIEWS[name]:
        show(page, f"{made.addresses[name]}#{view}")
        assert page.evaluate("document.documentElement.scrollWidth") <= PAPER, view
        for hidden in (page.get_by_role("tablist"), page.locator(".filters"), page.get_by_role("button", name="CSV")):
            assert not any(found.is_visible() for found in hidden.all()), view
        assert re.search(r"\d", page.locator("main").inner_text()), view


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Evaluate more documents than a page lists, a third of them wrong in one of two fields."""
    folder = tmp_path_factory.mktemp("large")
    made = ((f"d{k:05}", {"a": k, "b": f"x{k}"}, {"a": -1 if k % 3 == 0 else k, "b": f"x{k}"}) for k in range(LARGE))
    evaluate_pairs(made, out=folder / "run")
    return folder / "run" / "report.html"


def test_a_large_run_is_bounded(page: Page, large: Path) -> None:
    """Counts are of all documents, lists of those inside; what is not inside says which command shows it."""
    assert large.stat().st_size < 4_000_000
    show(page, f"{large.as_uri()}#errors?field=a")
    expect(page.get_by_role("tab", name="Documents (20,500)")).to_be_visible()
    expect(page.locator("main")).to_contain_text(re.compile(r"50 of 6,834 values; 1,000 are in this file"))
    expect(page.locator("code")).to_have_text("fieldwise show RESULTS --outcome wrong --field a --limit 0")
    show(page, f"{large.as_uri()}#documents")
    expect(page.locator("main")).to_contain_text(re.compile(r"25 of 20,500 documents; 20,000 are in this file"))
    page.get_by_role("searchbox", name="Find documents by id").fill("d20499")
    expect(rows_of(page, "Documents")).to_have_count(1)
    show(page, f"{large.as_uri()}#document?id=d10000")
    expect(page.locator("code")).to_contain_text("fieldwise show RESULTS --document d10000")
