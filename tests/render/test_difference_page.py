"""The page of two runs in a real browser: silent, alone, readable, filtered by field and direction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.runs.results import command, document, write_run

pytest.importorskip("playwright")
from playwright.sync_api import Page

from tests.render.test_browser import _WEAK_CONTRASTS, CHROMIUM, Scheme, Seen, chromium

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path"),
]
ODD = '<img src=x onerror=alert(1)> "quoted" \u202e'


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A candidate that is better in one field and worse in another, with odd names and documents on one side only."""
    root = tmp_path_factory.mktemp("page")
    base = {f"d{k}": document(k, wrong=["code"] if k % 2 else []) for k in range(40)}
    candidate = {f"d{k}": document(k, wrong=["name"] if k % 3 else []) for k in range(3, 43)}
    candidate["d3"][1]["name"] = ODD
    page = root / "page.html"
    done = command("diff", write_run(root / "a", base), write_run(root / "b", candidate), "--html", page)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return page


@pytest.fixture(scope="module")
def page(address: Path) -> Iterator[Page]:
    with chromium() as browser:
        opened = browser.new_page(viewport={"width": 1280, "height": 900})
        seen = Seen(opened)
        opened.goto(address.as_uri())
        yield opened
        assert seen.problems == []
        assert {request.split("#")[0] for request in seen.requests} == {address.as_uri()}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_has_contrast(page: Page, scheme: Scheme) -> None:
    """Findings, intervals and flips can be read in light and dark."""
    page.emulate_media(color_scheme=scheme)
    weak: list[Any] = page.evaluate(_WEAK_CONTRASTS)
    assert weak == []


def test_a_field_opens_to_its_flips(page: Page) -> None:
    """A click on a field lists its flips only; a direction narrows them; clearing shows all again."""
    shown = page.locator("#non-match-table tbody tr:visible")
    every = shown.count()
    page.locator("#field-table a", has_text="name").click()
    paths = page.locator("#non-match-table tbody tr:visible td:nth-child(2)").all_inner_texts()
    assert set(paths) == {"name"}
    assert shown.count() < every
    page.locator(".choices label.fixed").click()
    assert shown.count() == 0
    page.get_by_role("button", name="Clear filters").click()
    assert shown.count() == every


def test_the_verdict_and_what_was_left_out_are_told(page: Page) -> None:
    """The verdict stands first; documents of one run only are named; what a value contains stays text."""
    summary = page.locator("#summary").inner_text()
    assert "F1 (strict)" in summary
    assert "3 documents only in the base, left out (d0, d1, d2)" in summary
    assert page.locator("#non-match-table", has_text="<img src=x").count() == 1
    assert page.locator("main img").count() == 0


def test_nothing_is_cut_off_on_a_narrow_screen(page: Page) -> None:
    """On a phone the page does not scroll sideways; its tables do."""
    page.set_viewport_size({"width": 390, "height": 800})
    wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    page.set_viewport_size({"width": 1280, "height": 900})
    assert not wide
