"""Rows of lists that are rejected: what their values count as, with which reason and kind, and where they were."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fieldwise import Comparison, Plan, Spec, Verdict
from fieldwise.cli import cli
from fieldwise.values import Json
from tests.rows import errors_of

EXACT = {"x-aws-stickler-comparator": "ExactComparator", "x-aws-stickler-threshold": 1.0}


def row(*names: str, threshold: float = 0.7, **more: Json) -> dict[str, Any]:
    """A row of exact texts that is accepted from a threshold on."""
    properties = {name: {"type": "string", **EXACT} for name in names} | more
    return {"type": "object", "x-fieldwise-match-threshold": threshold, "properties": properties}


def schema(item: Json, **keys: Json) -> dict[str, Any]:
    return {"type": "object", "properties": {"rows": {"type": "array", "items": item, **keys}}}


def compare(rules: Json, expected: Json, predicted: Json) -> Comparison:
    return Plan.compile(Spec.from_json_schema(rules)).compare({"rows": expected}, {"rows": predicted})


def by_path(comparison: Comparison) -> dict[str, Verdict]:
    return {verdict.path: verdict for verdict in comparison.verdicts}


def kinds(comparison: Comparison) -> dict[str, str]:
    rows = errors_of(comparison.plan, comparison.result)
    return {found["path"]: found["kind"] for found in rows if found["kind"]}


def test_a_right_value_in_a_rejected_row_says_so() -> None:
    """It is a mismatch with the row's reason; a wrong value keeps its own reason, with the row's behind it."""
    found = compare(
        schema(row("a", "b", "c", "d", "e", threshold=0.3)),
        [dict.fromkeys("abcde", "x")],
        [{"a": "x", **dict.fromkeys("bcde", "y")}],
    )
    verdicts = by_path(found)
    assert verdicts["rows[0].a"].reason == "row rejected (0.20 < 0.30)"
    assert verdicts["rows[0].b"].reason == "exact: 0.000 < 1; row rejected (0.20 < 0.30)"
    assert {verdict.outcome.word for verdict in found.verdicts} == {"mismatch"}
    assert [path for path, verdict in verdicts.items() if verdict.row_rejected] == ["rows[0].a"]
    assert kinds(found)["rows[0].a"] == "row_rejected"
    assert "row_rejected" not in {kind for path, kind in kinds(found).items() if path != "rows[0].a"}


def test_what_is_missed_or_invented_in_a_rejected_row_keeps_its_reason() -> None:
    """The row's reason is behind it."""
    found = compare(schema(row("a", "b", "c")), [{"a": "x", "b": "y"}], [{"a": "z", "c": "w"}])
    reasons = {verdict.field: verdict.reason for verdict in found.verdicts}
    assert reasons["rows.b"] == "expected, not predicted; row rejected (0.00 < 0.70)"
    assert reasons["rows.c"] == "predicted, not expected; row rejected (0.00 < 0.70)"


def test_a_value_that_is_similar_in_a_rejected_row_is_right_too() -> None:
    """What its comparator accepts is right; it is no near match, as it counts as wrong."""
    text = {"type": "string", "x-aws-stickler-comparator": "LevenshteinComparator"}
    item = row("a", "b", text=text)
    found = compare(
        schema(item), [{"a": "p", "b": "q", "text": "Acme Limited"}], [{"a": "r", "b": "s", "text": "Acme Limited."}]
    )
    verdict = by_path(found)["rows[0].text"]
    assert (verdict.row_rejected, verdict.accepted, verdict.score) == (True, None, 0.0)
    assert kinds(found)["rows[0].text"] == "row_rejected"


@pytest.mark.parametrize(("outer", "inner", "said"), [(0.9, 0.9, "0.50 < 0.90"), (0.4, 0.9, "0.50 < 0.90")])
def test_the_outermost_rejected_row_is_named(outer: float, inner: float, said: str) -> None:
    """Where rows lie in rows, the values of a rejected one have its reason, whatever the rows inside are."""
    inside = {"type": "array", "items": row("n", "m", threshold=inner)}
    item = row("a", "b", threshold=outer, inside=inside)
    expected = [{"a": "x", "b": "y", "inside": [{"n": "1", "m": "2"}]}]
    predicted = [{"a": "x", "b": "z", "inside": [{"n": "1", "m": "3"}]}]
    verdicts = by_path(compare(schema(item), expected, predicted))
    value = verdicts["rows[0].inside[0].n"]
    assert value.reason == f"row rejected ({said})"
    assert (value.pair_score, value.pair_threshold) == (0.5, 0.9)
    assert verdicts["rows[0].a"].row_rejected == (outer == 0.9)


def test_rows_with_the_same_key_are_accepted_whatever_their_similarity() -> None:
    """The key says that they are one row; other rows of the list are judged by their similarity."""
    item = row("id", "a", "b", "c")
    expected = [{"id": "1", "a": "x", "b": "y", "c": "z"}, {"id": "2", "a": "x", "b": "y", "c": "z"}]
    predicted = [{"id": "1", "a": "k", "b": "l", "c": "m"}, {"id": "3", "a": "x", "b": "n", "c": "o"}]
    found = by_path(compare(schema(item, **{"x-fieldwise-key": ["id"]}), expected, predicted))
    assert [found[f"rows[0].{name}"].outcome.word for name in ("id", "a")] == ["match", "mismatch"]
    assert found["rows[0].id"].pair_accepted is True
    assert found["rows[0].a"].reason == "exact: 0.000 < 1"
    assert found["rows[1].a"].row_rejected is True


@pytest.mark.parametrize("order", ["sequence", "position"])
def test_pairs_by_order_are_judged_as_others(order: str) -> None:
    """That two rows are at one place does not make them alike."""
    item = row("a", "b", "c")
    rules = schema(item, **{"x-fieldwise-order": order})
    found = by_path(compare(rules, [{"a": "1", "b": "2", "c": "3"}], [{"a": "1", "b": "x", "c": "y"}]))
    assert found["rows[0].a"].reason == "row rejected (0.33 < 0.70)"


def test_lists_of_values_have_no_rows() -> None:
    """A value of such a list that does not match is wrong for itself."""
    found = compare(schema({"type": "string"}, **EXACT), ["a", "b"], ["a", "x"])
    assert {verdict.path: verdict.row_rejected for verdict in found.verdicts} == {"rows[0]": False, "rows[1]": False}
    assert not any("row rejected" in verdict.reason for verdict in found.verdicts)


def test_numbers_that_look_alike_have_more_decimals() -> None:
    """A similarity just below the threshold is not shown as equal to it."""
    item = row(*"abcdefghijkl", threshold=0.9167)
    letters = dict.fromkeys("abcdefghijkl", "x")
    found = by_path(compare(schema(item), [letters], [{**letters, "a": "y"}]))
    assert found["rows[0].b"].reason == "row rejected (0.91667 < 0.91670)"


DOCUMENT = {
    "rows": [
        {"sku": "PAP-0801", "qty": 2, "price": 5.5},
        {"sku": "LMP-5520", "qty": 1, "price": 93.1},
    ]
}
TURNED = {
    "rows": [
        {"sku": "ZZZ-9999", "qty": 1, "price": 1234.5},
        {"sku": "PAP-0801", "qty": 2, "price": 5.5},
    ]
}


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    paths = [tmp_path / "expected.json", tmp_path / "predicted.json"]
    for path, content in zip(paths, (DOCUMENT, TURNED), strict=True):
        path.write_text(json.dumps(content))
    return [str(path) for path in paths]


def test_compare_shows_the_predicted_row(files: list[str]) -> None:
    """Beside the path is the position of the row in the predicted list, on wide and on narrow terminals."""
    for columns in ("150", "60"):
        shown = (
            CliRunner().invoke(cli, ["compare", *files, "--match-threshold", "0.7"], env={"COLUMNS": columns}).stdout
        )
        assert "rows[0].sku ← [1]" in shown
        assert "rows[1].qty ← [0]" in shown
        assert "1 right value counts as wrong because its row was rejected" in " ".join(shown.split())


def test_compare_gives_both_paths_as_json(files: list[str]) -> None:
    """Each verdict has both paths and the numbers of its row."""
    found = json.loads(CliRunner().invoke(cli, ["compare", *files, "--json", "--match-threshold", "0.7"]).stdout)[
        "verdicts"
    ]
    quantity = next(verdict for verdict in found if verdict["path"] == "rows[1].qty")
    assert (quantity["predicted_path"], quantity["outcome"]) == ("rows[0].qty", "mismatch")
    assert quantity["pair_score"] < quantity["pair_threshold"]
    assert quantity["reason"].startswith("row rejected (0.33 <")
