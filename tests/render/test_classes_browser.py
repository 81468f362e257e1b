"""The page of classes in a real browser: silent, alone, readable in light and dark, sortable."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from fieldwise.classify import ClassReport
from fieldwise.render.pages.classes import html_classes

pytest.importorskip("playwright")
from playwright.sync_api import Page

from tests.render.test_browser import _WEAK_CONTRASTS, CHROMIUM, Scheme, Seen, chromium

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path"),
]
SHARES = [100, 60, 30, 12, 5, 1]


def sample() -> ClassReport:
    """Make a report whose cells have every strength of colour, and of which labels are missing."""
    report = ClassReport()
    for k, share in enumerate(SHARES):
        golden = [f"class {k}"] * 100
        predicted = [f"class {k}"] * share + [f"class {(k + 1) % 6}"] * (100 - share)
        report.update_labels(golden, predicted)
    report.update_labels(["class 1", float("nan")], [float("nan"), 7])
    return report


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    path = tmp_path_factory.mktemp("classes") / "classes.html"
    path.write_text(html_classes(sample().compute()), encoding="utf-8")
    with chromium() as browser:
        opened = browser.new_page(viewport={"width": 1280, "height": 900})
        seen = Seen(opened)
        opened.goto(path.as_uri())
        yield opened
        assert seen.problems == []
        assert seen.requests == [path.as_uri()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(page: Page, scheme: Scheme) -> None:
    """Also the numbers in the heat map, whatever their colour."""
    page.emulate_media(color_scheme=scheme)
    assert {f"h{k}" for k in range(1, 7)} <= set(
        page.locator(".scale i").evaluate_all("all => all.map(i => i.className)")
    )
    weak: list[Any] = page.evaluate(_WEAK_CONTRASTS)
    assert weak == []


@pytest.mark.parametrize("width", [1280, 600, 380])
def test_the_body_never_scrolls_sideways(page: Page, width: int) -> None:
    """Only the matrix scrolls, inside its frame."""
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_classes_sort(page: Page) -> None:
    """Worst first, then by what is clicked."""
    page.set_viewport_size({"width": 1280, "height": 900})
    names = page.locator("#class-table tbody td:first-child")
    page.locator("#class-table th", has_text="support").get_by_role("button").click()
    assert names.first.inner_text().startswith("class")
    assert names.last.inner_text().startswith("7")
