"""Fields add up to all values, whatever the documents hold; rows of lists and whole objects stand beside them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fieldwise
from fieldwise import evaluate_pairs
from fieldwise.aggregated import add_up
from fieldwise.errors import InputError
from fieldwise.results import Metrics
from fieldwise.results.metrics import path_of
from tests.page_answers import run_of

OUTCOMES = ("tp", "fd", "fa", "fn", "tn")
NAMES = st.sampled_from(["a", "b", "c[]", "d.e"])
SCALARS = st.one_of(st.none(), st.integers(0, 3), st.sampled_from(["x", "y", ""]))
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=8,
)
DOCUMENTS = st.dictionaries(NAMES, VALUES, min_size=1, max_size=3)


def summed(metrics: Metrics) -> dict[str, int]:
    """Add up what counts values, field by field."""
    rows = [row for row in metrics.fields.values() if row.scope in ("values", "undeclared")]
    return {name: sum(getattr(row, name) for row in rows) for name in OUTCOMES}


def total(metrics: Metrics) -> dict[str, int]:
    return {name: getattr(metrics.aggregate, name) for name in OUTCOMES}


@example([({"a": [[1, 2], [3]]}, {"a": [[1, 2], [4]]})])
@example([({"a": {"b": 1}}, {"a": {"b": 1}}), ({"a": {"b": 1}}, {"a": {"b": 1}}), ({"a": "x"}, {"a": {"b": 1}})])
@example([({"a": None}, {"b": {"c": 0}}), ({"b": {"a": None, "c": {"a": 0}}}, {"a": None})])
@given(st.lists(st.tuples(DOCUMENTS, DOCUMENTS), min_size=1, max_size=4))
def test_fields_add_up_to_all_values(pairs: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    """Every value is in one field: also those of lists in lists, and values in place of objects and lists."""
    try:
        metrics = evaluate_pairs([(f"d{at}", *pair) for at, pair in enumerate(pairs)]).metrics
    except InputError:
        return  # nothing to infer a spec from
    assert summed(metrics) == total(metrics)


GRIDS = [(f"d{at}", {"grid": [[1, 2, 3], [4, 5, 6]]}, {"grid": [[1, 2, 3], [4, 5, 60 + at]]}) for at in range(10)]


def test_a_grid_has_its_values_and_its_rows() -> None:
    """The values of a list in a list are at its path, as in verdicts; rows of the outer list are beside them."""
    fields = evaluate_pairs(GRIDS).metrics.fields
    assert [(name, row.scope) for name, row in fields.items()] == [("grid", "values"), ("grid[rows]", "rows")]
    assert (fields["grid"].tp, fields["grid"].fd) == (50, 10)
    assert (fields["grid[rows]"].tp, fields["grid[rows]"].fd) == (20, 0)
    assert fields["grid"].mean_score == pytest.approx(50 / 60)


def test_every_question_calls_the_values_of_a_grid_the_same(tmp_path: Path) -> None:
    """Metrics, errors, a comparison and added-up results have the same field with the same counts."""
    evaluate_pairs(GRIDS, out=tmp_path / "run", results_json=tmp_path / "results")
    run = fieldwise.open_run(tmp_path / "run")
    assert run.metrics.fields["grid"].fd == len(run.errors("grid")) == 10
    assert run.diff(run).fields["grid"].base.value == run.metrics.fields["grid"].strict_f1
    added = add_up([tmp_path / "results" / "**" / "results.json"]).metrics()
    assert {name: getattr(added.fields["grid"], name) for name in OUTCOMES} == {
        name: getattr(run.metrics.fields["grid"], name) for name in OUTCOMES
    }


def test_the_terminal_names_rows_by_their_path(tmp_path: Path) -> None:
    """Nobody reads the mark by which the two rows of a path are told apart."""
    shown = str(evaluate_pairs(GRIDS).metrics)
    assert "rows of grid " in shown
    assert "[rows]" not in shown


OBJECTS = [(f"d{at}", {"vendor": {"name": f"n{at}"}}, {"vendor": {"name": f"n{at}"}}) for at in range(20)]
ODD = ("odd", {"vendor": "ACME"}, {"vendor": {"name": "ACME"}})


def test_a_value_in_place_of_an_object_is_seen(tmp_path: Path) -> None:
    """One text among objects is a missed value of another kind, beside the objects, which are counted as such."""
    metrics = evaluate_pairs([*OBJECTS, ODD], out=tmp_path / "run").metrics
    assert metrics.fields["vendor"].scope == "object"
    assert (metrics.fields["vendor[values]"].scope, metrics.fields["vendor[values]"].fn) == ("values", 1)
    assert metrics.values_at("vendor") == metrics.fields["vendor[values]"]
    assert metrics.worst_first()[0][0] == "vendor[values]"
    assert metrics.field_macro.strict_f1.n == 1  # what is declared or inferred is the name alone
    assert re.search(r"vendor +of another kind", str(metrics))
    listed = [error.field for error in run_of(tmp_path / "run").errors]
    assert sorted(listed) == ["vendor", "vendor.name"]


def test_a_result_says_which_rows_are_of_a_list(tmp_path: Path) -> None:
    """So `aggregate` calls them what the evaluation does."""
    pairs = [("d", {"lines": [{"t": 1}, {"t": 2}], "net": 1, "a": {"b": 1}}, {"lines": [{"t": 1}], "net": 1})]
    found = evaluate_pairs(pairs, out=tmp_path / "run", results_json=tmp_path / "results").metrics
    added = add_up([tmp_path / "results" / "**" / "results.json"]).metrics()
    scopes = {"a": "object", "a.b": "values", "lines": "rows", "lines.t": "values", "net": "values"}
    assert {name: row.scope for name, row in added.fields.items()} == scopes
    assert {name: row.scope for name, row in found.fields.items()} == scopes
    assert summed(added) == total(added)


WHOLE = {"n": 1, "a": {"b": {"c": 1}}, "r": [{"x": 1}, {"x": 2}], "g": [[1], [2]]}


@pytest.mark.parametrize("unmatched", ["leaves", "objects"])
@pytest.mark.parametrize("predicted", ["text", [1], 3, None, {}, {"n": 1, "a": "text", "r": "text", "g": "text"}])
def test_rows_and_objects_of_a_prediction_that_is_none_are_missed(
    tmp_path: Path, predicted: Any, unmatched: Literal["leaves", "objects"]
) -> None:
    """Rows, objects and the top level count as added-up results have them."""
    pairs = [("0", WHOLE, WHOLE), ("1", WHOLE, predicted)]
    found = evaluate_pairs(pairs, results_json=tmp_path / "results", unmatched=unmatched).metrics
    added = add_up([tmp_path / "results" / "**" / "results.json"]).metrics()
    counted = {name: [getattr(row, key) for key in OUTCOMES] for name, row in found.fields.items()}
    assert {name: [getattr(row, key) for key in OUTCOMES] for name, row in added.fields.items()} == counted
    assert found.overall == added.overall
    if type(predicted) is not dict:
        assert (found.fields["r"].fn, found.fields["a"].fn) == (2, 1)


@pytest.mark.parametrize("value", ["text", [1], [], 3, None])
@pytest.mark.parametrize("key", ["predicted", "document"])
def test_what_is_beside_metadata_is_the_document(tmp_path: Path, key: str, value: Any) -> None:
    """A prediction that is no object is missed, and its metadata are no fields, as in lines of pairs."""
    expected = {"a": 1, "b": 2}
    for name, document in (("0", expected), ("1", value)):
        for side, inside in (("expected", expected), ("predicted", document)):
            (tmp_path / side).mkdir(exist_ok=True)
            wrapper = key if side == "predicted" else side
            about = {"id": name, wrapper: inside, "metadata": {"vendor": "A"}}
            (tmp_path / side / f"{name}.json").write_text(json.dumps(about))
    metrics = evaluate_pairs(tmp_path / "expected", predicted=tmp_path / "predicted").metrics
    assert metrics.documents == {"scored": 1, "wrong_prediction": 1}
    assert total(metrics) == {"tp": 2, "fd": 0, "fa": 0, "fn": 2, "tn": 0}


def test_a_field_may_be_called_document(tmp_path: Path) -> None:
    """Without an id beside it, a text called document is a value."""
    for side in ("expected", "predicted"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "d.json").write_text(json.dumps({"document": "passport", "metadata": {"pages": 2}}))
    metrics = evaluate_pairs(tmp_path / "expected", predicted=tmp_path / "predicted").metrics
    assert [name for name, row in metrics.fields.items() if row.scope == "values"] == ["document", "metadata.pages"]


@pytest.mark.parametrize(
    ("key", "path"),
    [("grid[rows]", "grid"), ("a.price", "a.price"), (r"odd\[rows]", r"odd\[rows]"), ("a.b[values]", "a.b")],
)
def test_a_bracket_in_a_name_is_no_mark(key: str, path: str) -> None:
    """In the name of a field a bracket is escaped."""
    assert path_of(key) == path
