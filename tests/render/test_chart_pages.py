"""The pages of confidences and sweeps in a real browser: whole, silent, readable, harmless."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from examples.generate_confidences import confident
from examples.generate_invoices import generate

from fieldwise.render.pages.calibration_page import html_calibration
from fieldwise.render.pages.sweep_page import html_sweep
from fieldwise.results import Calibration, Sweep
from fieldwise.runs.calibration import calibrate_run
from fieldwise.runs.run import open_run
from fieldwise.runs.sweep import sweep_field
from tests.runs.results import write_run

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Page

from tests.render.browser import CHROMIUM, WEAK_CONTRASTS, Scheme, Seen, chromium

needs_browser = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")]
HOSTILE = "</script><img src=x onerror=alert(1)>"
TEXT = {"type": "string", "x-aws-stickler-comparator": "LevenshteinComparator", "x-aws-stickler-threshold": 0.7}
SCHEMA = {
    "type": "object",
    "properties": {"name": TEXT, "street": TEXT, HOSTILE: TEXT, "a_rather_long_name_of_a_field_" * 4: TEXT},
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Invoices with confidences, in which a field has a hostile name and a hostile value."""
    made = {}
    for document in generate(120, 5):
        expected, predicted = (
            {
                "name": side["vendor"]["name"],
                "street": side["vendor"]["address"].get("street"),
                HOSTILE: side["customer_name"],
                "a_rather_long_name_of_a_field_" * 4: HOSTILE if side["currency"] == "EUR" else HOSTILE[:-3],
            }
            for side in (document.expected, {**document.expected, **_whole(document.predicted)})
        )
        made[document.id] = expected, confident(expected, predicted, random.Random(document.id))
    made["odd"] = ({"name": "abcdefghij"}, {"name": {"_value": "abcdefgxyz", "_confidence": 0.4}})
    return write_run(tmp_path_factory.mktemp("plots"), made, schema=SCHEMA)


def _whole(predicted: dict[str, Any]) -> dict[str, Any]:
    """Return a prediction in which every part is there."""
    vendor = predicted.get("vendor") or {}
    address = vendor.get("address") or {}
    names = {"customer_name": predicted.get("customer_name"), "currency": predicted.get("currency")}
    return {**names, "vendor": {"name": vendor.get("name"), "address": address}}


@pytest.fixture(scope="module")
def calibration(results: Path) -> Calibration:
    return calibrate_run(open_run(results), target_error=0.1)


@pytest.fixture(scope="module")
def sweep(results: Path) -> Sweep:
    return sweep_field(open_run(results), "name")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture(params=["calibration", "sweep"])
def page(
    request: pytest.FixtureRequest, browser: Browser, calibration: Calibration, sweep: Sweep, tmp_path: Path
) -> Iterator[Page]:
    """Open a page; the console stays silent and it asks for nothing but itself, whatever a test does."""
    path = tmp_path / f"{request.param}.html"
    made = html_calibration(calibration, "results") if request.param == "calibration" else html_sweep(sweep)
    path.write_text(made, encoding="utf-8")
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    seen = Seen(opened)
    opened.goto(path.as_uri())
    yield opened
    assert seen.problems == []
    assert {asked.split("#")[0] for asked in seen.requests} == {path.as_uri()}
    context.close()


class TestPages:
    """Both pages."""

    pytestmark = needs_browser

    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_text_has_contrast(self, page: Page, scheme: Scheme) -> None:
        """Every text stands out from what is behind it, also inside plots and what is folded."""
        page.emulate_media(color_scheme=scheme)
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        weak: list[Any] = page.evaluate(WEAK_CONTRASTS)
        assert weak == []

    @pytest.mark.parametrize("width", [1280, 960, 600, 380])
    def test_the_body_never_scrolls_sideways(self, page: Page, width: int) -> None:
        """Whatever the width, only tables scroll, inside their frame."""
        page.set_viewport_size({"width": width, "height": 800})
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    def test_plots_stay_inside_their_frames(self, page: Page) -> None:
        """No text and no mark of a plot is cut off at its edge."""
        cut: list[str] = page.evaluate(_OUTSIDE)
        assert page.locator("svg.chart").count() >= 2
        assert cut == []

    def test_tables_sort(self, page: Page) -> None:
        """Every header of every table sorts."""
        for heading in page.locator("th").all():
            heading.get_by_role("button").click()
            assert heading.get_attribute("aria-sort") in ("ascending", "descending")

    def test_it_prints(self, page: Page) -> None:
        """Paper is white and nothing is cut off."""
        page.emulate_media(media="print", color_scheme="dark")
        page.set_viewport_size({"width": 680, "height": 1000})
        assert page.evaluate("document.documentElement.scrollWidth") <= 680
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


_OUTSIDE = """() => [...document.querySelectorAll("svg.chart")].filter(svg => svg.checkVisibility()).flatMap(svg => {
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text, .mark, rect")].filter(part => {
        const box = part.getBoundingClientRect();
        return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1
            || box.bottom > frame.bottom + 1;
    }).map(part => part.outerHTML);
})"""


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")
def test_a_field_leads_to_its_plots(browser: Browser, calibration: Calibration, tmp_path: Path) -> None:
    """A link in the table opens the plots of the field."""
    path = tmp_path / "calibration.html"
    path.write_text(html_calibration(calibration, "results"), encoding="utf-8")
    opened = browser.new_page()
    Seen(opened)
    opened.goto(path.as_uri())
    last = len(calibration.fields) - 1
    assert not opened.locator(f"#field-{last} svg").first.is_visible()
    opened.locator(f'a[href="#field-{last}"]').click()
    opened.locator(f"#field-{last} svg").first.wait_for(state="visible")
    opened.close()


def test_names_and_values_are_text(calibration: Calibration, sweep: Sweep) -> None:
    """Markup in names and values arrives as text, and the same results give the same page."""
    for made in (html_calibration(calibration, HOSTILE), html_sweep(sweep)):
        assert "<img" not in made
        assert made.count("<script") == 1
    assert HOSTILE.replace("<", "&lt;").replace(">", "&gt;") in html_calibration(calibration, "results")
    assert html_calibration(calibration, "results") == html_calibration(calibration, "results")


def test_plots_tell_themselves_in_words(calibration: Calibration, sweep: Sweep) -> None:
    """Each plot has a label for those who do not see it."""
    labels = re.findall(r'role="img" aria-label="([^"]+)"', html_calibration(calibration, "r") + html_sweep(sweep))
    assert len(labels) >= 5
    assert all(re.search(r"\d", label) for label in labels)
