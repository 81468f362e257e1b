"""The page of a large run as a file, in a real browser: its size, when it is first painted, how fast a filter is.

Run as ``python -m benchmarks.page``; needs Chromium and the extra ``dev``. ``--documents`` and ``--fields`` set how
large the run is, ``--write FILE`` keeps the table.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from tests.browser.studio import chromium

from benchmarks import machine
from benchmarks.documents import text
from fieldwise.api import evaluate_pairs

DOCUMENTS, FIELDS, ROUNDS = 20_000, 150, 7
_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
_READY = "() => document.querySelector('main h1') !== null"
_BOX = "main input:not([role=combobox])"
_FILTER = """([box, letters]) => new Promise((done, failed) => {
    const [field, main] = [document.querySelector(box), document.querySelector('main')];
    const [begun, before] = [performance.now(), main.textContent];
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, letters);
    field.dispatchEvent(new Event('input', {bubbles: true}));
    const look = () => {
        if (main.textContent !== before) setTimeout(() => done(performance.now() - begun));
        else if (performance.now() - begun > 10000) failed(new Error('the filter changes nothing'));
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
})"""
"""From a key to the frame after which the list is another one."""


def pairs(documents: int, fields: int) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Make documents of texts and numbers, a tenth of the values wrong."""
    rng = random.Random(5)
    for number in range(documents):
        expected: dict[str, Any] = {f"text_{k:03d}": text(rng, 2) for k in range(fields // 2)}
        expected |= {f"number_{k:03d}": round(rng.uniform(1, 1000), 2) for k in range(fields - fields // 2)}
        wrong = {name: text(rng, 2) if name[0] == "t" else -1.5 for name in expected if rng.random() < 0.1}
        yield f"doc-{number:06d}", expected, {**expected, **wrong}


def first_paint(page: Page, address: str) -> tuple[float, float]:
    """Return after how many milliseconds something is painted, and after how many the run is there."""
    page.goto(address, wait_until="commit")
    page.wait_for_function(_READY)
    ready: float = page.evaluate("() => performance.now()")
    page.wait_for_function(_PAINT)
    return float(page.evaluate(_PAINT)), ready


def filtered(page: Page, address: str, box: str, letters: str) -> float:
    """Return how many milliseconds pass from letters in a filter to the list that they leave."""
    page.goto("about:blank")
    page.goto(address)
    page.wait_for_selector(box)
    page.wait_for_timeout(500)
    return float(page.evaluate(_FILTER, [box, letters]))


def report(documents: int, fields: int) -> str:
    """Write the page of such a run and measure it."""
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        evaluate_pairs(pairs(documents, fields), out=Path(folder) / "run")
        file = Path(folder) / "run" / "report.html"
        address, size = file.as_uri(), file.stat().st_size / 1e6
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(60_000)
        paints = [first_paint(page, f"{address}?{turn}") for turn in range(ROUNDS)]
        lists = {
            "fields": ("#fields", _BOX, "number_01"),
            "errors": ("#errors", _BOX, "doc-0001"),
            "documents": ("#documents", _BOX, "doc-0191"),
        }
        times = {
            name: [filtered(page, address + place, box, letters) for _ in range(ROUNDS)]
            for name, (place, box, letters) in lists.items()
        }
    painted, ready = (statistics.median(column) for column in zip(*paints, strict=True))
    lines = [
        f"The page of {documents:,} documents with {fields} fields, opened from a file; medians of {ROUNDS}:",
        "",
        "| | measured | goal |",
        "|---|---:|---:|",
        f"| size of the file | {size:.2f} MB | ≤ 4 MB |",
        f"| first paint | {painted:.0f} ms | < 1,000 ms |",
        f"| the run is there | {ready:.0f} ms | – |",
        *(f"| filter of {name} | {statistics.median(found):.0f} ms | < 200 ms |" for name, found in times.items()),
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--fields", type=int, default=FIELDS)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    found = report(options.documents, options.fields)
    print(found)
    if options.write:
        machine.write_section(options.write, "Page of a large run", "python -m benchmarks.page", found)


if __name__ == "__main__":
    main()
