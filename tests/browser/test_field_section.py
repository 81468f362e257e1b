"""The table of fields in a real browser: every column of it, in which order, and the numbers of the other media."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")
from examples.generate_invoices import generate
from playwright.sync_api import Browser, Page, expect

from tests.browser.studio import CHROMIUM, PATIENCE, opened
from tests.runs.results import command

pytestmark = [pytest.mark.browser, pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path")]
expect.set_options(timeout=PATIENCE)
RUNS = 10
MAIN = ["field", "F1 (strict)", "lost", "precision", "recall (strict)", "accuracy", "TP", "FP", "FN"]
MORE = ["detection recall", "F1", "FD", "FA", "TN", "values", "n", "near"]
RATES = {
    "precision": "precision",
    "recall (strict)": "strict_recall",
    "F1 (strict)": "strict_f1",
    "accuracy": "accuracy",
    "detection recall": "recall",
    "F1": "f1",
}
COUNTS = {"TP": "tp", "FP": "fp", "FN": "fn", "FD": "fd", "FA": "fa", "TN": "tn"}
IN_TERMINAL = ("strict_f1", "precision", "strict_recall", "recall")
_RATE = re.compile(r"\d\.\d{3}")
Json = Any


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    yield from opened(browser, 1600)


def write_pairs(path: Path, seed: int) -> None:
    """Write some generated invoices, more of them and with more that is lost the higher the seed is."""
    rows = []
    for number, made in enumerate(generate(4 + 7 * seed, seed)):
        predicted = None if seed % 3 == 2 and number % 11 == 5 else made.predicted
        rows.append(json.dumps({"id": f"i{number}", "expected": made.expected, "predicted": predicted}))
    path.write_text("\n".join(rows), encoding="utf-8")


def table_of(page: Page) -> dict[str, dict[str, str]]:
    """Return the cells of the table of fields by field and title."""
    table = page.get_by_role("table", name="Fields, worst first")
    expect(table).to_be_visible()
    found: dict[str, dict[str, str]] = table.evaluate(
        """table => Object.fromEntries([...table.tBodies[0].rows].map(row => [
            row.querySelector('th .name').textContent,
            Object.fromEntries([...row.querySelectorAll('td')].map(cell => [cell.dataset.title, cell.innerText])),
        ]))"""
    )
    return found


def order_of(page: Page) -> list[str]:
    """Return the fields as they are listed."""
    return list(table_of(page))


def leaves_of(metrics: Json) -> dict[str, Json]:
    """Return the fields with values that a table lists."""
    return {
        name: row
        for name, row in metrics["fields"].items()
        if row["tp"] + row["fp"] + row["fn"] and row.get("scope", "value") not in ("rows", "object")
    }


@pytest.mark.parametrize("seed", range(RUNS))
def test_page_terminal_and_file_show_the_same_numbers(page: Page, tmp_path: Path, seed: int) -> None:
    """Rates with their intervals and all counts of every field, read back from the page and from the terminal."""
    write_pairs(tmp_path / "pairs.jsonl", seed)
    said = command("evaluate", tmp_path / "pairs.jsonl", "--out", tmp_path / "run", columns=320).stdout
    metrics = json.loads((tmp_path / "run" / "metrics.json").read_text(encoding="utf-8"))
    page.goto(f"{(tmp_path / 'run' / 'report.html').as_uri()}#fields?all=1")
    shown, fields = table_of(page), leaves_of(metrics)
    assert fields
    assert fields.keys() <= shown.keys()
    for name, row in fields.items():
        cells = shown[name]
        for title, key in COUNTS.items():
            assert int(cells[title].replace(",", "")) == row[key], (name, title)
        for title, key in RATES.items():
            check_rate(_RATE.findall(cells[title]), row["rates"].get(key), row[key])
        told = [line for line in said.splitlines() if line.split()[:1] == [name]]
        assert len(told) == 1, name
        numbers = iter(_RATE.findall(told[0]))
        for key in IN_TERMINAL:
            rate = row["rates"][key]
            expected = [rate[part] for part in ("value", "low", "high") if rate[part] is not None]
            check_numbers([next(numbers) for _ in expected], expected)
    total = metrics["aggregate"]
    page.goto(f"{(tmp_path / 'run' / 'report.html').as_uri()}#summary")
    expect(page.get_by_text("What became of")).to_be_visible()
    words = page.locator("main").inner_text()
    assert re.search(rf"matched\s+{total['tp']:,}\b", words)
    assert re.search(rf"mismatched\s+{total['fd']:,}\b", words) or not total["fd"]


def check_rate(texts: list[str], rate: Json, value: float | None) -> None:
    """Hold what a cell shows to a rate; accuracy has no interval."""
    if value is None or (rate is not None and rate["value"] is None):
        assert texts == []
        return
    bounds = [] if rate is None or rate["low"] is None else [rate["low"], rate["high"]]
    check_numbers(texts, [value, *bounds])


def check_numbers(texts: list[str], expected: list[float]) -> None:
    """Hold numbers of three decimals to those that they stand for: only 0 and 1 themselves are shown as such."""
    assert len(texts) == len(expected)
    for text, value in zip(texts, expected, strict=True):
        assert abs(float(text) - value) <= 0.001
        assert (0 < float(text) < 1) == (0 < value < 1)


@pytest.fixture(scope="module")
def banded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a run with a field in each band, one that is never there, and few but worse values in another."""
    folder = tmp_path_factory.mktemp("bands")
    rows = []
    for k in range(40):
        expected = {"good": f"a{k}", "fair": f"b{k}", "poor": f"c{k}", "never": None}
        predicted = {**expected, "good": f"a{k}" if k % 20 else "x9", "fair": f"b{k}" if k % 3 else "y8"}
        predicted["poor"] = f"c{k}" if k % 4 == 0 else "z7"
        if k < 2:
            expected["rare"], predicted["rare"] = "d1", "d2"
        rows.append(json.dumps({"id": f"i{k}", "expected": expected, "predicted": predicted}))
    (folder / "pairs.jsonl").write_text("\n".join(rows))
    command("evaluate", folder / "pairs.jsonl", "--out", folder / "run")
    command("evaluate", folder / "pairs.jsonl", "--out", folder / "bare", "--no-values")
    return folder


def test_columns_order_bands_and_bars(page: Page, banded: Path) -> None:
    """What most is lost in comes first and the lowest F1 by one click; bands have a symbol, every rate a bar."""
    page.goto(f"{(banded / 'run' / 'report.html').as_uri()}#fields")
    table = page.get_by_role("table", name="Fields, worst first")
    expect(table).to_be_visible()
    expect(table.locator("thead th")).to_have_count(len(MAIN))
    titles = [text.strip("▼▲ \n") for text in table.locator("thead th").all_inner_texts()]
    assert titles == MAIN
    assert order_of(page) == ["poor", "fair", "good", "rare"]
    table.get_by_role("button", name="F1 (strict)").click()
    expect(table.locator("th[aria-sort=ascending]")).to_contain_text("F1 (strict)")
    assert order_of(page) == ["rare", "poor", "fair", "good"]
    looks = {
        name: table.locator("tbody tr", has=page.get_by_text(name, exact=True)).locator(".badge")
        for name in ("poor", "fair", "good")
    }
    symbols = {name: badge.locator("i").inner_text() for name, badge in looks.items()}
    assert len(set(symbols.values())) == 3
    expect(table.locator("tbody svg.bar")).to_have_count(4)
    lengths = {
        name: float(
            table.locator("tbody tr", has=page.get_by_text(name, exact=True)).locator(".fill").get_attribute("width")
            or 0
        )
        for name in looks
    }
    assert lengths["poor"] < 50 < lengths["fair"] < 80 < lengths["good"]
    page.goto(f"{(banded / 'run' / 'report.html').as_uri()}#fields?all=1")
    expect(table.locator("thead th")).to_have_count(len(MAIN) + len(MORE))
    assert [text.strip("▼▲ \n") for text in table.locator("thead th").all_inner_texts()] == [*MAIN, *MORE]


def test_what_was_never_seen_is_folded(page: Page, banded: Path) -> None:
    """A field without a value on either side is in no row, and named where one looks for it."""
    page.goto(f"{(banded / 'run' / 'report.html').as_uri()}#fields")
    assert "never" not in table_of(page)
    fold = page.get_by_role("button", name=re.compile("Not in this set: 1 field"))
    expect(fold).to_have_attribute("aria-expanded", "false")
    fold.click()
    expect(page.get_by_role("listitem").filter(has_text="never")).to_be_visible()


def test_a_run_without_rows_says_why_nothing_opens(page: Page, banded: Path) -> None:
    """Its numbers are there, none is a link, and a sentence gives the reason."""
    page.goto(f"{(banded / 'bare' / 'report.html').as_uri()}#fields")
    assert table_of(page)["poor"]["FN"] == "0"
    assert page.get_by_role("table", name="Fields, worst first").locator("tbody a").count() == 0
    expect(page.get_by_text("kept no compared values")).to_be_visible()
