"""Flips say why a value counts as wrong that looks right, and rough intervals are marked."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from fieldwise.views.words import WORDS
from tests.page_answers import difference_in

from .results import EXACT, command, difference, document, write_run

Json = Any


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The candidate spoils rows, the kind of a value and a whole row; it also invents a key."""
    root = tmp_path_factory.mktemp("reasons")
    base = {f"d{k}": document(k) for k in range(4)}
    candidate = copy.deepcopy(base)
    candidate["d0"][1]["items"][0] |= {"sku": "unlike", "price": 0.0}
    candidate["d1"][1]["total"] = "one hundred"
    candidate["d2"][1]["items"].pop()
    candidate["d3"][1]["name"] = "wrong"
    candidate["d3"][1]["other"] = "invented"
    schema: Json = copy.deepcopy(EXACT)
    schema["properties"]["items"]["items"]["x-fieldwise-match-threshold"] = 0.7
    return write_run(root / "base", base, schema=schema), write_run(root / "candidate", candidate, schema=schema)


def flips(found: Json) -> dict[tuple[str, str], Json]:
    return {(flip["document"], flip["path"]): flip for flip in found["flips"]["shown"]}


def test_each_side_has_its_reason(runs: tuple[Path, Path]) -> None:
    """A rejected row, another kind of value, a row that is not there, an undeclared key; none where values decide."""
    found = flips(difference(*runs))
    assert {place: flip["candidate_reason"] for place, flip in found.items()} == {
        ("d0", "items[0].sku"): "row",
        ("d0", "items[0].price"): "row",
        ("d1", "total"): "type",
        ("d2", "items[2].sku"): "alone",
        ("d2", "items[2].price"): "alone",
        ("d3", "name"): None,
        ("d3", "other"): "undeclared",
    }
    assert {flip["base_reason"] for flip in found.values()} == {None}
    turned = flips(difference(runs[1], runs[0]))
    assert turned["d0", "items[0].price"]["base_reason"] == "row"
    assert turned["d0", "items[0].price"]["candidate_reason"] is None


def test_a_value_that_looks_right_says_why_it_is_not(runs: tuple[Path, Path]) -> None:
    """Expected, base and candidate are the same; the row of the candidate is rejected, and that is said."""
    flip = flips(difference(*runs))["d0", "items[0].price"]
    assert flip["expected"] == flip["base"] == flip["candidate"] == "0.0"
    shown = command("diff", *runs).stdout
    line = next(line for line in shown.splitlines() if "items[0].price" in line)
    assert line.split()[-3:] == ["0.0", "(row", "rejected)"]
    assert "one hundred (not of the declared kind)" in shown
    assert "invented (field not declared)" in shown
    assert "Row rejected: the row of the list is too unlike its partner" in shown


def test_flips_are_readable_on_a_narrow_terminal(runs: tuple[Path, Path]) -> None:
    """In 60 columns each value has a line of its own, with its name, and no word is broken."""
    shown = [line.strip() for line in command("diff", *runs, columns=60).stdout.splitlines()]
    assert max(map(len, shown)) <= 60
    at = shown.index("broken  d0  items[0].price")
    assert shown[at + 1 : at + 4] == ["expected   0.0", "base       0.0", "candidate  0.0 (row rejected)"]


def test_the_page_says_why(runs: tuple[Path, Path], tmp_path: Path) -> None:
    """The reason of each flip is in it."""
    command("diff", *runs, "--html", tmp_path / "page.html")
    shown = difference_in(tmp_path / "page.html").flips.shown
    (flip,) = (flip for flip in shown if (flip.document, flip.path) == ("d0", "items[0].price"))
    assert (flip.candidate, flip.candidate_reason) == ("0.0", "row")
    reasons = [reason for flip in shown for reason in (flip.base_reason, flip.candidate_reason)]
    assert reasons.count("row") == reasons.count("alone") == 2


@pytest.mark.parametrize(("documents", "marked"), [(19, True), (20, False)])
def test_intervals_of_few_documents_are_marked(tmp_path: Path, documents: int, marked: bool) -> None:
    """Below twenty documents an interval is rough: the terminal says so, and the page by the same number."""
    base = {f"d{k}": document(k, wrong=["name"] if k % 3 else []) for k in range(documents)}
    candidate = {f"d{k}": document(k, wrong=["name"] if k % 2 else []) for k in range(documents)}
    page = tmp_path / "page.html"
    runs = write_run(tmp_path / "a", base), write_run(tmp_path / "b", candidate)
    for columns in (60, 100, 150):
        shown = command("diff", *runs, "--html", page, columns=columns).stdout
        line = next(line for line in shown.splitlines() if line.startswith(" name "))
        assert ("*" in line) is marked
        assert ("* fewer than 20 documents: a rough interval" in shown) is marked
    assert (difference_in(page).fields["name"].n < WORDS.few_documents.below) is marked


def test_what_is_right_needs_no_reason(tmp_path: Path) -> None:
    """A text where a number is declared matches a text; that one of them is odd explains only what is wrong."""
    base = {f"d{k}": ({"total": "none"}, {"total": "none"}) for k in range(3)}
    candidate = {name: (expected, {"total": 0}) for name, (expected, _) in base.items()}
    found = difference(write_run(tmp_path / "a", base), write_run(tmp_path / "b", candidate))
    assert {(flip["base_outcome"], flip["base_reason"]) for flip in found["flips"]["shown"]} == {("match", None)}
