"""The kinds of mistakes that only the rest of the document tells: the value of another row, or of another field."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise import Plan, Spec
from fieldwise.error_kinds import KINDS, Mistake, mismatch_kinds
from tests.rows import errors_of

ROW = {
    "type": "object",
    "properties": {
        "sku": {"type": "string", "x-fieldwise-comparator": "exact"},
        "quantity": {"type": "integer"},
        "price": {"type": "number"},
        "paid": {"type": "boolean"},
    },
    "x-fieldwise-match-threshold": 0.3,
}
TEXT = {"type": "string", "x-fieldwise-comparator": "exact"}
SCHEMA = {
    "type": "object",
    "properties": {
        "invoice_date": TEXT,
        "due_date": TEXT,
        "vendor": {"type": "object", "properties": {"name": TEXT}},
        "customer": TEXT,
        "total": {"type": "number"},
        "a\\.b[c": TEXT,
        "items": {"type": "array", "items": ROW, "x-fieldwise-order": "position"},
        "tags": {"type": "array", "items": TEXT, "x-fieldwise-order": "position"},
    },
}
PLAN = Plan.compile(Spec.from_json_schema(SCHEMA))


def kinds(expected: dict[str, Any], predicted: dict[str, Any]) -> dict[str, str]:
    """Return the kind of every mistake by its path, as the errors have it."""
    return {
        row["path"] or row["predicted_path"]: row["kind"]
        for row in errors_of(PLAN.root, PLAN.compare(expected, predicted).result)
        if row["kind"]
    }


def items(*rows: tuple[str, int, float]) -> list[dict[str, Any]]:
    return [{"sku": sku, "quantity": quantity, "price": price, "paid": True} for sku, quantity, price in rows]


GOODS = items(("PAP-0801", 1, 4.29), ("TON-1185", 3, 74.5), ("LMP-5520", 1, 38.95), ("BOO-4205", 1, 89.99))


def changed(at: int, **values: Any) -> dict[str, Any]:
    return {"items": [{**row, **values} if k == at else row for k, row in enumerate(GOODS)]}


@pytest.mark.parametrize("extra", [{}, {"undeclared": 1}])
def test_a_telling_value_of_another_row(extra: dict[str, Any]) -> None:
    """A price or a part number that another row has came from there, however the rows of the table are made."""
    expected = {"items": GOODS}
    for name, value in (("price", 74.5), ("sku", "TON-1185")):
        found = kinds(expected, changed(2, **{name: value}) | extra)
        assert found.pop("undeclared", "invented") == "invented"
        assert found == {f"items[2].{name}": "wrong_row"}


def test_a_value_that_most_rows_have_came_from_nowhere() -> None:
    """A quantity of 1 says nothing; a quantity that one other row has does, where nothing else explains it."""
    expected = {"items": GOODS}
    assert kinds(expected, changed(1, quantity=1)) == {"items[1].quantity": "other"}
    assert kinds(expected, changed(0, quantity=3)) == {"items[0].quantity": "wrong_row"}
    assert kinds(expected, changed(0, quantity=7)) == {"items[0].quantity": "ocr"}
    assert kinds(expected, changed(0, paid=False)) == {"items[0].paid": "other"}


def test_rows_that_have_each_others_values() -> None:
    """Even a value that tells little is from the other row where both rows have each other's."""
    expected = {"items": items(("PAP-0801", 1, 4.29), ("TON-1185", 10, 74.5))}
    predicted = {"items": items(("PAP-0801", 10, 4.29), ("TON-1185", 1, 74.5))}
    assert set(kinds(expected, predicted).values()) == {"wrong_row"}


def test_elements_of_a_list_in_each_others_places() -> None:
    """A list of texts that is compared by position: each stands in another item."""
    found = kinds({"tags": ["urgent", "domestic"]}, {"tags": ["domestic", "urgent"]})
    assert found == {"tags[0]": "wrong_row", "tags[1]": "wrong_row"}


def test_fields_that_have_each_others_values() -> None:
    """Two dates, or two names one of which stands in an object of its own, that changed places."""
    expected = {"invoice_date": "2024-03-05", "due_date": "2024-04-04", "vendor": {"name": "Li"}, "customer": "Bo"}
    predicted = {"invoice_date": "2024-04-04", "due_date": "2024-03-05", "vendor": {"name": "Bo"}, "customer": "Li"}
    assert set(kinds(expected, predicted).values()) == {"swapped_fields"}


def test_the_value_of_another_field() -> None:
    """A telling value that stands in another field was taken from there, though that one is right."""
    expected = {"vendor": {"name": "Brennan Tools"}, "customer": "Sorrel Labs", "total": 119.0, "a\\.b[c": "x"}
    assert kinds(expected, {**expected, "customer": "Brennan Tools"}) == {"customer": "swapped_fields"}
    row = {"items": GOODS, "total": 206.73}
    assert kinds(row, {"items": changed(0, price=206.73)["items"], "total": 206.73}) == {
        "items[0].price": "swapped_fields"
    }


def test_a_name_with_dots_and_brackets_is_found() -> None:
    """Paths with escaped names lead to their values."""
    mistake = Mistake(r"r\.s.a\[b", 8.95, 12.99, r"r\.s[1]")
    assert mismatch_kinds({"r.s": [{"a[b": 12.99}, {"a[b": 8.95}]}, [mistake]) == ["wrong_row"]


def test_rows_without_a_partner_are_missing_or_invented() -> None:
    """Each value of a dropped row is missing, of an added one invented."""
    assert set(kinds({"items": GOODS}, {"items": GOODS[:3]}).values()) == {"missing"}
    assert set(kinds({"items": GOODS[:3]}, {"items": GOODS}).values()) == {"invented"}


def test_a_right_value_in_a_rejected_row_has_a_kind_of_its_own() -> None:
    """A value that is the same on both sides counts as wrong only for its row; one that is wrong keeps its kind."""
    expected = {"items": [{"sku": "PAP-0801", "quantity": 2, "price": 5.5}]}
    predicted = {"items": [{"sku": "LMP-5520", "quantity": 2, "price": 93.1}]}
    plan = Plan.compile(
        Spec.from_json_schema(
            {
                "type": "object",
                "properties": {"items": {"type": "array", "items": {**ROW, "x-fieldwise-match-threshold": 0.9}}},
            }
        )
    )
    found = {
        row["path"] or row["predicted_path"]: (row["reason"], row["kind"])
        for row in errors_of(plan.root, plan.compare(expected, predicted).result)
        if row["kind"]
    }
    assert found["items[0].quantity"] == ("row", "row_rejected")
    assert found["items[0].price"] == ("row", "other")


scalars = st.one_of(st.none(), st.booleans(), st.integers(-3, 120), st.floats(), st.text("ab1 ", max_size=7))
documents = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner))
)
paths = st.sampled_from(
    ["", "a", "a.b", "a.b.c", "a[0]", "a[1].b", "a[0].b[2]", r"a\.b", "]", "a[9999999999999999999]"]
)


@given(documents, st.lists(st.builds(Mistake, paths, documents, documents, paths, st.booleans()), max_size=12))
def test_any_document_is_searched(document: Any, mistakes: list[Mistake]) -> None:
    """Whatever a document holds and wherever a mistake is said to be, each gets a kind."""
    found = mismatch_kinds(document, mistakes)
    assert len(found) == len(mistakes)
    assert set(found) <= set(KINDS) - {"missing", "invented"}


def test_thousands_of_mistakes_in_one_document() -> None:
    """Many mistakes are judged as few are."""
    rows = [{"sku": f"sku-{k:05}", "quantity": k, "price": k + 0.25} for k in range(3000)]
    shifted = [{**row, "sku": rows[k - 1]["sku"]} for k, row in enumerate(rows)]
    document = {"items": rows, **{f"field {k}": f"value {k}" for k in range(3000)}}
    mistakes = [Mistake("items.sku", rows[k]["sku"], shifted[k]["sku"], f"items[{k}]") for k in range(3000)]
    mistakes += [Mistake(f"field {k}", f"value {k}", f"value {(k + 1) % 3000}") for k in range(3000)]
    found = mismatch_kinds(document, mistakes)
    assert found == ["wrong_row"] * 3000 + ["swapped_fields"] * 3000


@given(
    st.floats(-1e6, 1e6).map(lambda number: round(number, 2)),
    st.floats(-1e6, 1e6).map(lambda number: round(number, 2)),
    st.dictionaries(st.sampled_from("abc"), st.floats(-1e4, 1e4) | st.text(max_size=3)),
)
def test_the_only_mistake_is_judged_like_any_other(expected: float, predicted: float, others: dict[str, Any]) -> None:
    """A number has the same kind whether it is the only mistake or another, of something else, stands beside it."""
    document = {**others, "n": expected, "other": "x"}
    mistakes = [Mistake("n", expected, predicted), Mistake("other", "x", "y")]
    for values in (document, {"inner": document}):
        assert mismatch_kinds(values, mistakes[:1])[0] == mismatch_kinds(values, mistakes)[0]
