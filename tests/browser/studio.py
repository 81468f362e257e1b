"""The page in a real browser, from a file: what tests share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import Browser, Locator, Page, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]
PATIENCE = 90_000
"""Milliseconds after which something is not there; on a busy machine a page takes tens of seconds."""
AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run a browser that asks nobody for anything on its own."""
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS, timeout=PATIENCE)
        yield running
        running.close()


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

    def check(self, address: str) -> None:
        """The console was silent, and the page asked for nothing but itself."""
        assert self.problems == []
        assert {request.split("#")[0] for request in self.requests} == {address}


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """Return what axe finds in an opened page, whose context bypasses the policy; in the dark it looks at colours."""
    page.add_script_tag(path=AXE)
    found: list[Any] = []
    looks: tuple[tuple[Literal["dark", "light"], list[str] | None], ...] = (
        ("dark", ["color-contrast"]),
        ("light", None),
    )
    for scheme, rules in looks:
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        dark = "dark => document.body.classList.contains('awsui-dark-mode') === dark"
        page.wait_for_function(dark, arg=scheme == "dark")
        page.evaluate(SETTLED)
        found += page.evaluate(_VIOLATIONS, rules)
    return [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]


_VIOLATIONS = """async rules => {
    const result = await axe.run({resultTypes: ['violations'], ...(rules ? {runOnly: rules} : {})});
    return result.violations;
}"""


def at_widths(page: Page) -> Iterator[int]:
    """Make the window of an opened page as wide as that of a phone, a tablet, and a small and a large screen."""
    for width in (390, 768, 1024, 1440, 2560):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(SETTLED)
        yield width


SETTLED = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def cut_off(page: Page) -> list[str]:
    """Return elements beyond the edges of the window, unless a table scrolls, and parts of drawings beyond theirs."""
    found: list[str] = page.evaluate(_OUTSIDE)
    return found


_OUTSIDE = """() => {
    const shown = [...document.querySelectorAll('main *')].filter(e => e.getClientRects().length);
    const wide = shown.filter(e => {
        if (e.closest('.scroll, .heard, [role=tablist], svg')) return false;
        const box = e.getBoundingClientRect();
        return box.width > 1 && box.height > 1 && (box.right > innerWidth + 1 || box.left < -1);
    });
    const drawn = shown.filter(e => e.matches('svg.plot text, svg.plot rect, svg.plot .mark')).filter(e => {
        const [box, frame] = [e.getBoundingClientRect(), e.closest('svg').getBoundingClientRect()];
        return box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1
            || box.bottom > frame.bottom + 1;
    });
    return [...wide, ...drawn].map(e => e.outerHTML.slice(0, 160));
}"""


def opened(browser: Browser, width: int = 1280) -> Iterator[Page]:
    """Open a window; whatever a test does, the console stays silent."""
    context = browser.new_context(viewport={"width": width, "height": 900})
    page = context.new_page()
    seen = Seen(page)
    yield page
    assert seen.problems == []
    context.close()


def show(page: Page, address: str) -> None:
    """Open a view anew, and wait until it is there."""
    page.goto("about:blank")
    page.goto(address)
    page.locator("main footer").wait_for()


def rows_of(page: Page, table: str) -> Locator:
    return page.get_by_role("table", name=table).locator("tbody tr")
