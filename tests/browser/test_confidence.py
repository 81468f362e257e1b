"""Confidences and sweeps in a real browser: their numbers are those of the commands, and every one can be reached."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote_plus

import pytest
from examples.generate_confidences import confident
from examples.generate_invoices import generate

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Locator, Page, expect

from fieldwise.views.numbers import count, interval, number, percent, points, rate, whole_percent
from tests.browser.studio import AXE, CHROMIUM, PATIENCE, Seen, at_widths, cut_off, violations
from tests.runs.results import command, document, write_run

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")]
expect.set_options(timeout=PATIENCE)
Json = Any
HOSTILE = "</script><img src=x onerror=alert(1)> \u202e"
LONG = "a_rather_long_name_of_a_field_" * 4
TEXT = {"type": "string", "x-aws-stickler-comparator": "LevenshteinComparator", "x-aws-stickler-threshold": 0.7}
SCHEMA = {"type": "object", "properties": dict.fromkeys(("name", "street", HOSTILE, LONG), TEXT)}
VIEWS = (
    ("calibration", ["", "confidence?field=name&review=0.3", f"confidence?field={quote_plus(HOSTILE)}"]),
    ("run", ["confidence", "confidence?sort=auroc", "errors"]),
    ("sweep", ["", "sweep?at=0.3"]),
)


class Made(NamedTuple):
    """Addresses of pages, and what the commands wrote beside them."""

    addresses: dict[str, str]
    calibration: Json
    sweep: Json


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Invoices with confidences, in which a field has a hostile name and a hostile value."""
    folder = tmp_path_factory.mktemp("confidence")
    results = write_run(folder, dict(_documents()), schema=SCHEMA)
    command("calibrate", results, "--target-error", "10%", "--out", folder)
    command("sweep", results, "name", "--out", folder)
    files = {"run": results / "report.html", "calibration": folder / "calibration.html", "sweep": folder / "sweep.html"}
    calibration, sweep = (json.loads((folder / f"{name}.json").read_bytes()) for name in ("calibration", "sweep"))
    return Made({name: path.as_uri() for name, path in files.items()}, calibration, sweep)


def _documents() -> Iterator[tuple[str, tuple[Json, Json]]]:
    for made in generate(120, 5):
        predicted = {**made.expected, **{key: value for key, value in made.predicted.items() if value}}
        expected, other = _fields(made.expected), _fields(predicted)
        yield made.id, (expected, confident(expected, other, random.Random(made.id)))
    yield "odd", ({"name": "abcdefghij"}, {"name": {"_value": "abcdefgxyz", "_confidence": 0.4}})


def _fields(invoice: Json) -> Json:
    vendor = invoice.get("vendor") or {}
    address = vendor.get("address") or {}
    long = HOSTILE if invoice.get("currency") == "EUR" else HOSTILE[:-5]
    return {
        "name": vendor.get("name"),
        "street": address.get("street"),
        HOSTILE: invoice.get("customer_name"),
        LONG: long,
    }


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open a page; the console stays silent, no dialog opens and nothing is asked for, whatever a test does."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    seen = Seen(opened)
    opened.on("dialog", lambda dialog: seen.problems.append(dialog.message))
    visited = set[str]()
    opened.on("framenavigated", lambda frame: visited.add(frame.url.split("#")[0]))
    yield opened
    assert seen.problems == []
    assert {request.split("#")[0] for request in seen.requests} <= visited
    context.close()


def cells(table: Locator) -> list[list[str]]:
    """Return the texts of a table that is shown, row by row, on one line each."""
    rows = table.locator("tbody tr")
    expect(rows.first).to_be_visible()
    texts = [row.locator("th, td").all_inner_texts() for row in rows.all()]
    return [[" ".join(text.split()) for text in row] for row in texts]


def test_the_numbers_behind_the_reliability_diagram_are_those_of_the_command(page: Page, made: Made) -> None:
    """Every bin with its number of values, confidence, share right and interval; the drawing says them in words."""
    page.goto(made.addresses["calibration"])
    page.get_by_role("button", name="Numbers of the chart: Are the confidences true?").click()
    bins = made.calibration["pooled"]["bins"]
    assert cells(page.get_by_role("table", name="Share right by confidence")) == [
        [
            f"{number(one['low'])} to {number(one['high'])}",
            *(count(one["count"]), rate(one["confidence"]), rate(one["accuracy"]["value"])),
            interval((one["accuracy"]["low"], one["accuracy"]["high"])),
        ]
        for one in bins
    ]
    drawn = page.get_by_role("img", name=re.compile("Share right by confidence"))
    said = [f"{rate(one['confidence'])}: {rate(one['accuracy']['value'])} of {count(one['count'])}" for one in bins]
    expect(drawn).to_have_attribute("aria-label", f"Share right by confidence. {'; '.join(said)}")


def test_fields_are_listed_worst_first_with_their_figures(page: Page, made: Made) -> None:
    """The table has what the command found, sorts by any figure and finds fields by name."""
    page.goto(made.addresses["calibration"])
    table = page.get_by_role("table", name="Fields, worst calibrated first")
    fields = list(made.calibration["fields"].values())
    listed = [[row[1].split()[0], *row[2:5], row[6]] for row in cells(table)]
    assert listed == [
        [
            *(rate(one["ece"]), points(one["signed_error"], decimals=1), rate(one["accuracy"])),
            *(rate(one["mean_confidence"]), count(one["n"])),
        ]
        for one in fields
    ]
    page.get_by_role("button", name="right", exact=True).click()
    expect(page).to_have_url(re.compile("sort=accuracy"))
    shares = [float(row[3]) for row in cells(table)]
    assert shares == sorted(shares)
    page.get_by_role("searchbox", name="Find fields").fill("STREET")
    expect(table.locator("tbody tr")).to_have_count(1)


def test_one_goes_from_field_to_field(page: Page, made: Made) -> None:
    """By the next one, by a name in the table; a reload shows the same field, and Back the one before."""
    page.goto(made.addresses["calibration"])
    worst = next(iter(made.calibration["fields"]))
    other = next(name for name in ("name", "street") if name != worst)
    heading = page.get_by_role("heading", level=2).first
    expect(heading).to_have_text("All fields together")
    headline = page.locator(".headline .figure")
    expect(headline).to_have_text(rate(made.calibration["pooled"]["ece"]))
    page.get_by_role("navigation", name="From field to field").get_by_role("link").last.click()
    expect(headline).to_have_text(rate(made.calibration["fields"][worst]["ece"]))
    fields = page.get_by_role("table", name="Fields, worst calibrated first")
    fields.get_by_role("link", name=other, exact=True).click()
    expect(heading).to_have_text(other)
    page.reload()
    expect(heading).to_have_text(other)
    expect(headline).to_have_text(rate(made.calibration["fields"][other]["ece"]))
    chance = rate(made.calibration["fields"][other]["ece_by_chance"])
    expect(page.locator(".headline")).to_contain_text(f"Chance alone gives {chance} with")
    page.go_back()
    expect(headline).to_have_text(rate(made.calibration["fields"][worst]["ece"]))


def test_what_review_catches_follows_the_chosen_share(page: Page, made: Made) -> None:
    """A share of review, chosen by keys, has its sentence, its figure and its place in the address."""
    page.goto(made.addresses["calibration"])
    expect(page.get_by_text("Share of values to review, least confident first")).to_be_visible()
    chosen = page.get_by_role("toolbar", name="Share of values to review").get_by_role("button", name="20%", exact=True)
    chosen.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    (caught,) = (one["caught"] for one in made.calibration["pooled"]["review"] if one["share"] == 0.3)
    words = f"Review the {whole_percent(0.3)} least confident values and you catch {percent(caught)} of the errors"
    expect(page.locator(".told")).to_contain_text(words)
    expect(page).to_have_url(re.compile("review=0.3"))
    expect(page.locator("svg.plot", has_text=f"30% → {percent(caught)}")).to_be_visible()


def test_what_can_be_accepted_is_told_as_the_terminal_tells_it(page: Page, made: Made) -> None:
    """With its threshold, its bound, and how that went on the other half."""
    page.goto(made.addresses["calibration"])
    chosen = made.calibration["pooled"]["acceptance"]["chosen"]
    expect(page.locator(".told")).to_contain_text(f"Accept from {number(chosen['threshold'])}: ")
    expect(page.locator(".told")).to_contain_text("Chosen on one half of the documents")
    card = page.locator(".cards > div", has_text="Accept from")
    expect(card).to_contain_text(f"{percent(chosen['coverage'])} of values, at most {percent(chosen['upper'])} wrong")


def test_the_page_of_a_run_has_its_confidences(page: Page, made: Made) -> None:
    """In a tab, from which wrong values of a field open, each with its confidence."""
    page.goto(made.addresses["run"])
    page.get_by_role("tab", name="Confidence").click()
    page.get_by_role("table", name="Fields, worst calibrated first").get_by_role(
        "link", name="name", exact=True
    ).click()
    field = made.calibration["fields"]["name"]
    wrong = field["n"] - field["right"]
    page.get_by_role("link", name=f"{count(wrong)} of {count(field['n'])} values wrong").click()
    expect(page).to_have_url(re.compile(r"#errors\?field=name&outcome=mismatch%2Cspurious$"))
    expect(page.get_by_role("table", name="Errors").locator("tbody tr").first).to_contain_text("confidence 0.")


def test_a_run_without_confidences_has_no_such_tab(page: Page, tmp_path: Path) -> None:
    """An address that asks for it shows the summary."""
    results = write_run(tmp_path, {f"d{k}": document(k) for k in range(3)})
    page.goto(f"{(results / 'report.html').as_uri()}#confidence")
    expect(page.get_by_role("tab", name="Summary")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tab", name="Confidence")).to_have_count(0)


def test_a_sweep_shows_every_threshold_of_the_command(page: Page, made: Made) -> None:
    """Counts and rates at each of them; the current and the highest are marked; one opens from the table."""
    page.goto(made.addresses["sweep"])
    table = page.get_by_role("table", name="Thresholds, rising")
    rates = ("strict_f1", "precision", "strict_recall", "recall", "f1")
    listed = [[row[0].split()[0], row[1], *row[3:9]] for row in cells(table)]
    assert listed == [
        [
            *(number(point["threshold"]), rate(point["rates"]["strict_f1"]["value"])),
            *(rate(point["rates"][name]["value"]) for name in rates[1:]),
            *(count(point["tp"]), count(point["fd"])),
        ]
        for point in made.sweep["points"]
    ]
    expect(table.locator("tr", has_text="current")).to_contain_text(number(made.sweep["current"]))
    expect(table.locator("tr", has_text="highest")).to_contain_text(number(made.sweep["best"]))
    table.get_by_role("link", name="0.3", exact=True).click()
    expect(page.get_by_role("columnheader", name="at 0.3")).to_be_visible()
    nearest = page.get_by_role("table", name=re.compile("The nearest values")).locator("tbody tr")
    expect(nearest).to_have_count(len(made.sweep["nearest"]))


def test_the_slider_of_a_sweep_moves_from_threshold_to_threshold(page: Page, made: Made) -> None:
    """Counts follow it, and a reload shows the same."""
    page.goto(made.addresses["sweep"])
    at = page.get_by_role("table", name="Counts and rates at the threshold")
    page.get_by_role("slider").focus()
    page.keyboard.press("Home")
    first = made.sweep["points"][0]
    matches = at.locator("tr", has_text="TP").locator("td").first
    expect(matches).to_have_text(count(first["tp"]))
    expect(page).to_have_url(re.compile(rf"at={number(first['threshold'])}$"))
    page.reload()
    expect(matches).to_have_text(count(first["tp"]))


def test_a_hostile_name_is_text(page: Page, made: Made) -> None:
    """In headings, choices, tables and drawings; what would not be seen has a name."""
    for name, views in VIEWS:
        for view in views:
            page.goto("about:blank")
            page.goto(f"{made.addresses[name]}#{view}")
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            expect(page.locator("main img")).to_have_count(0)
    page.goto(f"{made.addresses['calibration']}#confidence?field={quote_plus(HOSTILE)}")
    expect(page.get_by_role("heading", level=2).first).to_contain_text("<img src=x onerror=alert(1)>")
    expect(page.locator("h2 .unseen", has_text="RLO").first).to_be_visible()


def opened_views(page: Page, made: Made) -> Iterator[str]:
    """Open every view with all that is folded."""
    for name, views in VIEWS:
        for view in views:
            page.goto("about:blank")
            page.goto(f"{made.addresses[name]}#{view}")
            expect(page.locator(".data:visible").first).to_be_visible()
            for button in page.get_by_role("button", name=re.compile("^(Numbers of|How to read)")).all():
                button.click()
            yield f"{name} {view}"


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci in web/")
def test_axe_finds_nothing(browser: Browser, made: Made) -> None:
    """In every view, light and dark."""
    opened = browser.new_page(viewport={"width": 1280, "height": 900}, bypass_csp=True)
    opened.set_default_timeout(PATIENCE)
    assert [(view, one) for view in opened_views(opened, made) for one in violations(opened)] == []
    opened.close()


def test_nothing_is_cut_off(browser: Browser, made: Made) -> None:
    """The page is never wider than its window, and drawings hold all their parts."""
    opened = browser.new_page()
    opened.set_default_timeout(PATIENCE)
    for view in opened_views(opened, made):
        for width in at_widths(opened):
            assert opened.evaluate("document.documentElement.scrollWidth") <= width, (view, width)
            assert cut_off(opened) == [], (view, width)
    opened.close()


def test_lines_are_drawn_whole(page: Page, made: Made) -> None:
    """No style of the texts around a drawing cuts its lines."""
    page.goto(made.addresses["calibration"])
    expect(page.locator("svg.plot").first).to_be_visible()
    lines = page.locator("svg.plot :is(line, polyline, path)")
    assert lines.count() > 0
    assert lines.evaluate_all("all => all.every(line => getComputedStyle(line).clipPath === 'none')")


def test_drawings_print_on_white(page: Page, made: Made) -> None:
    """Paper is white, and nothing is wider than it."""
    page.emulate_media(media="print", color_scheme="dark")
    page.set_viewport_size({"width": 680, "height": 1000})
    for name in ("calibration", "sweep"):
        page.goto(made.addresses[name])
        expect(page.locator("svg.plot").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 680
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
