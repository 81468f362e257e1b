"""Verdicts put together from pair, pairing and errors: what `Comparison.verdicts` says, without a comparison."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings

from fieldwise import Comparison, Plan, Spec
from fieldwise.compare import Outcome
from fieldwise.compare.rich_values import unwrap
from fieldwise.tables.columns import LONGEST
from tests.counting.test_tally import runs
from tests.rows import verdicts_of
from tests.strategies import examples

INVOICE = {
    "type": "object",
    "properties": {
        "id": {"type": "string"},
        "total": {"type": "number"},
        "rows": {
            "type": "array",
            "items": {"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "integer"}}},
        },
    },
}


def table_of(plan: Plan, comparisons: list[Comparison]) -> list[dict[str, Any]]:
    return verdicts_of(plan, comparisons)


def value_of(row: dict[str, Any], side: str) -> Any:
    return json.loads(row[side]) if row[f"{side}_is_json"] else row[side]


def by_place(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Sort rows by document and both paths, which no two have in common."""
    return sorted(rows, key=lambda row: repr(row[:2]))


@settings(deadline=None, max_examples=examples(60))
@given(runs())
def test_rows_are_the_verdicts(run: tuple[Plan, list[Comparison]]) -> None:
    """Each verdict that is there is one row, with the same paths, field, outcome, scores, weight and row of a list."""
    plan, comparisons = run
    found = by_place(
        (
            row["document"],
            (row["path"], row["predicted_path"]),
            row["field"],
            row["outcome"],
            row["score"],
            row["raw_score"],
            pytest.approx(row["weight"]),
            row["pair_score"],
            row["pair_accepted"],
            row["alternate_index"],
        )
        for row in table_of(plan, comparisons)
    )
    expected = by_place(
        (
            f"doc-{number}",
            (
                None if v.outcome is Outcome.SPURIOUS else v.path,
                None if v.outcome is Outcome.MISSED else v.predicted_path,
            ),
            v.field,
            v.outcome.word,
            v.score,
            v.raw_score,
            v.weight,
            v.pair_score,
            v.pair_accepted,
            v.alternate_index,
        )
        for number, comparison in enumerate(comparisons)
        for v in comparison.verdicts
        if v.outcome is not Outcome.ABSENT
    )
    assert [row[:6] for row in found] == [row[:6] for row in expected]
    assert [row[7:] for row in found] == [row[7:] for row in expected]
    assert all(a[6] == b[6] for a, b in zip(found, expected, strict=True))


@settings(deadline=None, max_examples=examples(60))
@given(runs())
def test_rows_are_known_by_document_trial_section_and_both_paths(run: tuple[Plan, list[Comparison]]) -> None:
    """No two rows have the same key; what was expected has one row at its path, what was predicted one at its own."""
    plan, comparisons = run
    numbers = range(len(comparisons))
    ids, trials = [f"doc-{number // 2}" for number in numbers], {number: number % 2 + 1 for number in numbers}
    found = verdicts_of(plan, comparisons, ids=ids, trials=trials)
    keys = [tuple(row[name] for name in ("document", "trial", "section", "path", "predicted_path")) for row in found]
    assert len(set(keys)) == len(keys)
    assert {key[:2] for key in keys} <= {(f"doc-{n // 2}", n % 2 + 1) for n in range(len(comparisons))}
    for at in (3, 4):
        places = [(*key[:2], key[at]) for key in keys if key[at] is not None]
        assert len(set(places)) == len(places)


def test_both_paths_of_rows_that_moved() -> None:
    """A predicted row has its own position, inside of rows too; a missed value has no predicted path and an invented
    one no expected path."""
    inner = {"type": "object", "properties": {"n": {"type": "string"}}}
    row = {"type": "object", "properties": {"a": {"type": "string"}, "inner": {"type": "array", "items": inner}}}
    schema = {"type": "object", "properties": {"x": {"type": "string"}, "rows": {"type": "array", "items": row}}}
    plan = Plan.compile(Spec.from_json_schema(schema))
    first = {"a": "first words", "inner": [{"n": "one"}, {"n": "two"}]}
    second = {"a": "second words", "inner": []}
    turned = {"a": "first words", "inner": [{"n": "two"}, {"n": "one"}]}
    comparison = plan.compare({"rows": [first, second]}, {"x": "y", "rows": [{**second, "more": 1}, turned]})
    found = {(row["path"], row["predicted_path"]): row["outcome"] for row in table_of(plan, [comparison])}
    assert found == {
        ("rows[0].a", "rows[1].a"): "match",
        ("rows[0].inner[0].n", "rows[1].inner[1].n"): "match",
        ("rows[0].inner[1].n", "rows[1].inner[0].n"): "match",
        ("rows[1].a", "rows[0].a"): "match",
        (None, "rows[0].more"): "spurious",
        (None, "x"): "spurious",
    }
    missed = table_of(plan, [plan.compare({"rows": [first]}, {"rows": []})])
    assert {(row["path"], row["predicted_path"]) for row in missed if row["outcome"] == "missed"} == {
        ("rows[0].a", None),
        ("rows[0].inner[0].n", None),
        ("rows[0].inner[1].n", None),
    }


ODD_NAMES = ("x.y", "y", "a]b", "k[0]", "", "back\\slash")


def test_names_with_dots_and_brackets_keep_their_places() -> None:
    """Whether a document is written column by column or, for an undeclared key, row by row, its paths are the same."""
    inner = {"type": "object", "properties": {name: {"type": "string"} for name in ODD_NAMES}}
    row = {"type": "object", "properties": {name: {"type": "array", "items": inner} for name in ODD_NAMES}}
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": row}}}
    plan = Plan.compile(Spec.from_json_schema(schema))
    document = {"rows": [{name: [dict.fromkeys(ODD_NAMES, "word")] for name in ODD_NAMES}]}
    comparisons = [plan.compare(document, document), plan.compare(document, {**document, "other": 1})]
    found = table_of(plan, comparisons)
    paths = [{row["path"] for row in found if row["document"] == name} for name in ("doc-0", "doc-1")]
    assert paths[0] == {verdict.path for verdict in comparisons[0].verdicts} == paths[1] - {None}
    assert len(paths[0]) == len(ODD_NAMES) ** 2


def test_confidences_find_their_values_whatever_the_names() -> None:
    """A name with a dot is not taken for a way into an object."""
    schema = {
        "type": "object",
        "properties": {
            "c.d": {"type": "string"},
            "c": {"type": "object", "properties": {"d": {"type": "string"}}},
            "a\\b": {"type": "string"},
        },
    }
    plan = Plan.compile(Spec.from_json_schema(schema))
    rich = {
        "c.d": {"_value": "x", "_confidence": 0.92},
        "c": {"d": {"_value": "x", "_confidence": 0.93}},
        "a\\b": {"_value": "x", "_confidence": 0.94},
    }
    opened = unwrap(rich, plan.root, escaped=True)
    comparison = plan.compare(opened.document, opened.document)
    rows = verdicts_of(plan, [comparison], confidences=opened.confidences)
    found = {row["path"]: row["confidence"] for row in rows}
    assert found == {r"c\.d": 0.92, "c.d": 0.93, r"a\\b": 0.94}


def test_missed_values_have_no_confidence() -> None:
    """The first of three rows is missed: it takes no confidence from the predicted row that stands at its place."""
    plan = Plan.compile(Spec.from_json_schema(INVOICE))
    expected = [{"a": name * 8, "n": k} for k, name in enumerate("ABC")]
    predicted = [
        {key: {"_value": value, "_confidence": sure} for key, value in row.items()}
        for row, sure in zip(expected[1:], (0.11, 0.22), strict=True)
    ]
    opened = unwrap({"id": {"_value": None, "_confidence": 0.9}, "rows": predicted}, plan.root, escaped=True)
    comparison = plan.compare({"id": "1", "rows": expected}, opened.document)
    rows = verdicts_of(plan, [comparison], confidences=opened.confidences)
    found = {row["path"]: (row["outcome"], row["confidence"]) for row in rows}
    assert found["id"] == found["rows[0].a"] == found["rows[0].n"] == ("missed", None)
    assert found["rows[1].a"] == found["rows[1].n"] == ("match", 0.11)
    assert found["rows[2].a"] == found["rows[2].n"] == ("match", 0.22)


def test_values_come_back() -> None:
    """Text is kept as it is, any other value as JSON that reads back the same."""
    plan = Plan.compile(Spec.from_json_schema(INVOICE))
    document = {"id": "5", "total": 12345678901234567890, "rows": [{"a": 'say "x"', "n": 3}, {"a": "é\n", "n": 4}]}
    other = {"id": 5, "total": 1.5, "rows": [{"a": True, "n": [1, {"b": None}]}]}
    rows = {row["path"]: row for row in table_of(plan, [plan.compare(document, other)]) if row["path"]}
    assert value_of(rows["id"], "expected") == "5"
    assert value_of(rows["id"], "predicted") == 5
    assert value_of(rows["total"], "expected") == 12345678901234567890
    assert value_of(rows["rows[0].a"], "expected") == 'say "x"'
    assert {value_of(row, "predicted") for row in rows.values() if row["path"].endswith(".a")} >= {True}
    assert rows["rows[1].a"]["predicted"] is None or rows["rows[0].a"]["predicted"] is None


@pytest.mark.parametrize("value", [10**30, -(10**30), {"a": 10**30}, [1.5, 10**30], 0.1, 1e300, -0.0, 2**63])
def test_numbers_of_any_size_come_back(value: Any) -> None:
    """A number is kept as JSON that reads back the same, alone, inside of others and beside others in its column."""
    plan = Plan.compile(Spec.from_json_schema(INVOICE))
    documents = [({"total": value}, {"total": 7}), ({"total": 2.5}, {"total": value}), ({"total": 3}, {"total": 4.0})]
    rows = table_of(plan, [plan.compare(one, other) for one, other in documents])
    found = [(value_of(row, "expected"), value_of(row, "predicted")) for row in rows if row["path"] == "total"]
    assert str(found) == str([(value, 7), (2.5, value), (3, 4.0)])


def test_long_values_are_cut_and_marked() -> None:
    """A value beyond the limit keeps its beginning, its length and its hash."""
    plan = Plan.compile(Spec.from_json_schema(INVOICE))
    row = table_of(plan, [plan.compare({"id": "x" * 10_000}, {"id": "y"})])[0]
    assert (len(row["expected"]), row["expected_length"], len(row["expected_sha256"])) == (LONGEST, 10_000, 64)
    assert row["predicted_length"] is None


def test_half_surrogates_are_kept_readable() -> None:
    """Text that no UTF-8 can hold does not stop the table."""
    plan = Plan.compile(Spec.from_json_schema(INVOICE))
    row = table_of(plan, [plan.compare({"id": "a\ud800b"}, {"id": "a"})])[0]
    assert row["expected"] == "a\\ud800b"


def test_reasons_tell_rows_apart() -> None:
    """Values of rejected, unpaired and undeclared places say so."""
    plan = Plan.compile(Spec.from_json_schema(INVOICE))
    expected = {"id": "1", "rows": [{"a": "abcdef", "n": 1}, {"a": "ghi", "n": 2}]}
    predicted = {"id": "1", "rows": [{"a": "uvwxyz", "n": 9}], "extra": 1}
    rows = table_of(plan, [plan.compare(expected, predicted)])
    reasons = {row["path"] or row["predicted_path"]: row["reason"] for row in rows}
    assert reasons["id"] == ""
    assert reasons["extra"] == "undeclared"
    assert sorted(reasons[path] for path in reasons if path.endswith(".a")) == ["alone", "row"]
