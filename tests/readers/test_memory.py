"""Documents in memory: every form gives the numbers that files with the same documents give."""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pydantic import BaseModel

from fieldwise import Spec, evaluate_pairs, open_pairs
from fieldwise.errors import InputError, SettingError
from fieldwise.readers.pairs import MISSING, PairSource
from fieldwise.readers.source import Pair
from fieldwise.results import Metrics
from fieldwise.results.notes import Note
from tests.readers.files import write_lines

EXPECTED = [
    {"invoice": "ä-1", "total": 10.5, "due": "2024-01-15", "seller": {"name": "Müller"}},
    {"invoice": "請求-2", "total": 20.0, "due": "2024-02-15", "seller": {"name": "田中"}},
    {"invoice": "c-3", "total": 30.0, "due": None, "seller": {"name": "O'Brien"}},
]
PREDICTED = [
    {"invoice": "ä-1", "total": 10.5, "due": "2024-01-15", "seller": {"name": "Müller"}},
    {"invoice": "請求-2", "total": 2.0, "due": "2024-02-15", "seller": {"name": "田中"}},
    {"invoice": "d-4", "total": 40.0, "due": None, "seller": {"name": "O'Brien"}},
]


class Seller(BaseModel):
    name: str


class Model(BaseModel):
    invoice: str
    total: float
    due: dt.date | None
    seller: Seller


@dataclass
class Person:
    name: str


@dataclass
class Record:
    invoice: str
    total: float
    due: dt.date | None
    seller: Person


def record(document: dict[str, Any]) -> Record:
    """Return a document as a dataclass."""
    due = document["due"] and dt.date.fromisoformat(document["due"])
    return Record(document["invoice"], document["total"], due, Person(document["seller"]["name"]))


def read(*inputs: Any, **settings: Any) -> list[Pair]:
    """Return all pairs of an input, in order."""
    source: PairSource = open_pairs(*inputs, **settings)
    return [pair for shard in source.shards(1000) for pair in shard.read()]


def sides(*inputs: Any, **settings: Any) -> list[tuple[Any, ...]]:
    """Return id and both documents of all pairs."""
    return [pair[:3] for pair in read(*inputs, **settings)]


def by_id(documents: list[dict[str, Any]]) -> dict[str, Any]:
    return {document["invoice"]: document for document in documents}


def flat(documents: list[dict[str, Any]]) -> pd.DataFrame:
    """Return documents as a frame of pandas, nested names with dots, dates as timestamps."""
    frame = pd.json_normalize(documents)
    frame["due"] = pd.to_datetime(frame["due"])
    return frame


FORMS: list[Callable[[list[dict[str, Any]]], Any]] = [
    lambda given: given,
    tuple,
    iter,
    lambda given: [Model.model_validate(document) for document in given],
    lambda given: [record(document) for document in given],
    lambda given: [json.dumps(document) for document in given],
    pd.Series,
    pd.DataFrame,
    flat,
    lambda given: flat(given).convert_dtypes(),
    lambda given: flat(given).set_index("invoice", drop=False),
    pa.Table.from_pylist,
    pa.RecordBatch.from_pylist,
]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_numbers_of_files(form: Callable[[Any], Any], tmp_path: Path) -> None:
    """Lists, models, dataclasses, JSON texts, series and frames, matched by a key, count as JSON Lines with ids do."""
    files = [
        write_lines(tmp_path / f"{name}.jsonl", [{"id": d["invoice"], "document": d} for d in documents])
        for name, documents in (("expected", EXPECTED), ("predicted", PREDICTED))
    ]
    spec = Spec.from_json_schema(
        {
            "type": "object",
            "properties": {
                "total": {"type": "number"},
                "due": {"type": "string", "format": "date"},
                "seller": {"type": "object", "properties": {"name": {"type": "string"}}},
            },
        }
    )
    written = evaluate_pairs(open_pairs(*files), spec).metrics
    found = evaluate_pairs(form(EXPECTED), spec, predicted=form(PREDICTED), id_column="invoice").metrics
    assert found.fields == written.fields
    assert found.documents == written.documents == {"scored": 2, "no_prediction": 1, "no_expected": 1}
    assert [failure.doc_id for failure in found.errors] == ["c-3", "d-4"]


def test_two_dicts_are_matched_by_key() -> None:
    """In the order of the expected documents; then come those that were only predicted."""
    assert sides(by_id(EXPECTED), by_id(PREDICTED)) == [
        ("ä-1", EXPECTED[0], PREDICTED[0]),
        ("請求-2", EXPECTED[1], PREDICTED[1]),
        ("c-3", EXPECTED[2], MISSING),
        ("d-4", MISSING, PREDICTED[2]),
    ]


def test_lists_are_matched_by_position() -> None:
    """The position is the id; a null is a document, not a missing one."""
    assert sides([{"a": 1}, None, {"a": 3}], [{"a": 1}, {"a": 2}, None]) == [
        ("0", {"a": 1}, {"a": 1}),
        ("1", None, {"a": 2}),
        ("2", {"a": 3}, None),
    ]


def test_an_id_that_repeats_is_a_document_with_trials() -> None:
    """The first goes with the first; a trial without an expected document takes that of the others."""
    expected = [{"id": "a", "x": 1}]
    predicted = [{"id": "a", "x": 1}, {"id": "a", "x": 2}]
    metrics = evaluate_pairs(expected, predicted=predicted, id_column="id").metrics
    assert (metrics.document_count, metrics.trial_count) == (1, 2)
    assert (metrics.fields["x"].tp, metrics.fields["x"].fd) == (1, 1)


def test_the_key_that_matches_documents_is_no_value_unless_it_is_declared() -> None:
    """It is always right, as the id of files is."""
    assert list(evaluate_pairs(EXPECTED, predicted=PREDICTED, id_column="invoice").metrics.fields) == [
        "due",
        "seller",
        "seller.name",
        "total",
    ]
    spec = Spec.from_json_schema({"type": "object", "properties": {"invoice": {"type": "string"}}})
    declared = evaluate_pairs(EXPECTED, spec, predicted=PREDICTED, id_column="invoice").metrics
    assert declared.fields["invoice"].tp == 2


ROWS = [{"doc_id": 1, "x": "a"}, {"doc_id": 2, "x": "b"}, {"doc_id": 3, "x": "c"}]
AGAIN = [{"doc_id": 3.0, "x": "c"}, {"doc_id": 1.0, "x": "other"}]


@pytest.mark.parametrize("form", [list, pd.DataFrame, lambda given: pd.DataFrame(given)[::-1], pa.Table.from_pylist])
def test_a_key_that_is_called_an_id_matches_by_itself(form: Callable[[Any], Any]) -> None:
    """As in files: where every document of both sides has an id of its own, it is no value, and a note says so."""
    found = evaluate_pairs(form(ROWS), predicted=form(AGAIN)).metrics
    assert list(found.fields) == ["x"]
    assert (found.fields["x"].tp, found.fields["x"].fd, found.fields["x"].fn) == (1, 1, 1)
    assert found.documents == {"scored": 2, "no_prediction": 1}
    assert found.notes == (Note.of("input.matched_by_key", key="doc_id"),)
    named = evaluate_pairs(form(ROWS), predicted=form(AGAIN), id_column="doc_id").metrics
    assert (named.fields, named.notes) == (found.fields, ())


PRODUCTS = [{"price": float(k), "sku": f"{'ABCDEFGH'[k]}{k}", "name": "same"} for k in range(8)]


@pytest.mark.parametrize("form", [list, pd.DataFrame, pa.Table.from_pylist, lambda d: map(json.dumps, d)])
@pytest.mark.parametrize("count", [8, 6])
def test_a_column_of_ids_in_another_order_matches(form: Callable[[Any], Any], count: int) -> None:
    """As the first column of a table does: positions say nothing where both sides have the same texts elsewhere."""
    found = evaluate_pairs(form(PRODUCTS), predicted=form(PRODUCTS[:count][::-1])).metrics
    assert found.documents.get("no_prediction", 0) == 8 - count
    assert (found.aggregate.tp, found.aggregate.fd, found.aggregate.fn) == (2 * count, 0, 2 * (8 - count))
    assert found.notes[0] == Note.of("input.matched_by_key", key="sku")


def test_positions_match_where_they_agree() -> None:
    """A text that is wrong in a few rows is a wrong value, and no other document."""
    wrong = [{**product, "sku": "X9"} if k == 3 else product for k, product in enumerate(PRODUCTS)]
    found = evaluate_pairs(PRODUCTS, predicted=wrong).metrics
    assert (found.fields["sku"].tp, found.fields["sku"].fd, found.notes) == (7, 1, ())


@pytest.mark.parametrize("kind", ["float32", "float16", "Float32", "float[pyarrow]"])
def test_numbers_of_fewer_bits_are_those_that_are_written_alike(kind: Any) -> None:
    """0.1 is 0.1, in frames, in arrays and as scalars."""
    frame = pd.DataFrame({"x": [0.1, 0.2, 3.3]})
    assert evaluate_pairs(frame, predicted=frame.astype(kind)).metrics.aggregate.tp == 3
    expected = [{"x": 0.1, "y": [0.1, 0.7]}]
    assert (
        evaluate_pairs(
            expected, predicted=[{"x": np.float32(0.1), "y": np.array([0.1, 0.7], np.float32)}]
        ).metrics.aggregate.tp
        == 3
    )


def test_an_id_that_the_spec_declares_is_a_value_too() -> None:
    """It is matched by all the same."""
    spec = Spec.from_json_schema({"type": "object", "properties": {"doc_id": {"type": "integer"}}})
    assert evaluate_pairs(ROWS, spec, predicted=AGAIN).metrics.fields["doc_id"].tp == 2


@pytest.mark.parametrize(
    ("expected", "predicted"),
    [
        ([{"id": 1, "x": "a"}, {"id": 1, "x": "b"}], [{"id": 1, "x": "a"}, {"id": 1, "x": "b"}]),
        ([{"id": 1, "x": "a"}, {"id": 2, "x": "b"}], [{"id": 8, "x": "a"}, {"id": 9, "x": "b"}]),
        ([{"id": 1, "x": "a"}, {"x": "b"}], [{"id": 1, "x": "a"}, {"x": "b"}]),
        ([{"id": 1, "x": "a"}, {"id": 2, "x": "b"}], [{"x": "a"}, {"x": "b"}]),
        ([{"id": {}, "x": "a"}, {"id": {}, "x": "b"}], [{"id": {}, "x": "a"}, {"id": {}, "x": "b"}]),
    ],
)
def test_what_is_no_id_is_a_value(expected: list[Any], predicted: list[Any]) -> None:
    """One that repeats, that both sides have none of in common, or that a document lacks: positions match then."""
    assert [pair[0] for pair in sides(expected, predicted)] == ["0", "1"]
    found = evaluate_pairs(expected, predicted=predicted).metrics
    assert (found.fields["x"].tp, found.notes) == (2, ())


def test_an_index_with_a_name_is_more_than_a_column() -> None:
    """Somebody made it; the column is a value then."""
    expected, predicted = (
        pd.DataFrame({"id": [1, 2], "x": ["a", "b"]}, index=pd.Index(list(labels), name="scan"))
        for labels in ("pq", "qp")
    )
    assert [pair[0] for pair in sides(expected, predicted)] == ["p", "q"]


def test_frames_are_matched_by_their_index() -> None:
    """In whatever order the rows are; a whole number is one id in integers and floats."""
    expected = pd.DataFrame({"x": ["a", "b"]}, index=[7, 8])
    predicted = pd.DataFrame({"x": ["b", "a", "c"]}, index=[8.0, 7.0, 9.5])
    assert sides(expected, predicted) == [
        ("7", {"x": "a"}, {"x": "a"}),
        ("8", {"x": "b"}, {"x": "b"}),
        ("9.5", MISSING, {"x": "c"}),
    ]


def test_a_frame_that_lost_rows_keeps_their_numbers() -> None:
    """The other one is matched by the numbers of its rows, in whatever order they are left."""
    expected = pd.DataFrame({"x": ["a", "b", "c"]})
    predicted = expected.drop(index=1)[::-1]
    assert sides(expected, predicted) == [
        ("0", {"x": "a"}, {"x": "a"}),
        ("1", {"x": "b"}, MISSING),
        ("2", {"x": "c"}, {"x": "c"}),
    ]
    assert sides(predicted["x"], expected["x"])[2] == ("1", MISSING, "b")
    assert sides(predicted, {"0": {"x": "a"}})[1] == ("0", {"x": "a"}, {"x": "a"})


def test_an_expected_text_that_is_broken_json_is_a_failure() -> None:
    """It is not compared as a text; a prediction is missed, as in files."""
    found = evaluate_pairs(['{"x": 1}', '{"x":', '{"x": 3}'], predicted=['{"x": 1}', '{"x": 2}', '{"x":']).metrics
    assert found.documents == {"scored": 1, "unreadable_expected": 1, "unreadable_prediction": 1}
    assert [failure.doc_id for failure in found.errors] == ["1", "2"]
    assert (found.fields["x"].tp, found.fields["x"].fn) == (1, 1)


def test_cells_without_a_value_are_absent_and_others_are_their_json() -> None:
    """NaN, NaT, NA and None are left out; scalars of numpy, timestamps, lists and dicts stay what they are."""
    frame = pd.DataFrame(
        {
            "n": pd.array([1, None], dtype="Int64"),
            "f": [np.float32(0.5), math.nan],
            "t": [pd.Timestamp("2024-01-15 10:30"), pd.NaT],
            "s": pd.array(["ü", None], dtype="string"),
            "c": pd.Categorical(["x", None]),
            "o": [[1, {"a": np.int8(2)}], None],
            "m": ["text", 5],
        }
    )
    [first, second] = sides(frame, frame)
    assert first[1] == {
        "n": 1,
        "f": 0.5,
        "t": "2024-01-15T10:30:00",
        "s": "ü",
        "c": "x",
        "o": [1, {"a": 2}],
        "m": "text",
    }
    assert second[1] == {"m": 5}


def test_a_frame_may_hold_a_pair_in_each_row() -> None:
    """The names of both sides are those of files; an empty cell is a document that is not there, JSON text is read."""
    frame = pd.DataFrame(
        {
            "doc_id": ["a", "b", "c"],
            "truth": [{"x": 1}, '{"x": 2}', {"x": 3}],
            "prediction": [{"x": 1}, '```json\n{"x": 2}\n```', None],
        }
    )
    texts = {
        str(name): [cell if isinstance(cell, str | None) else json.dumps(cell) for cell in frame[name]]
        for name in frame
    }
    for given in (frame, pa.table(texts)):
        metrics: Metrics = evaluate_pairs(given).metrics
        assert metrics.documents == {"no_prediction": 1, "scored": 2}
        assert metrics.errors[0].doc_id == "c"
        assert (metrics.fields["x"].tp, metrics.fields["x"].fn) == (2, 1)


def test_a_row_with_neither_document_is_a_failure() -> None:
    """It is not lost silently."""
    frame = pd.DataFrame({"expected": [{"x": 1}, None], "predicted": [{"x": 1}, None]}, index=["a", "b"])
    assert evaluate_pairs(frame).metrics.documents == {"scored": 1, "unreadable_expected": 1}


def test_pairs_without_an_id_are_known_by_their_numbers() -> None:
    """Others keep theirs, wherever the first one without an id is."""
    pairs: list[Any] = [(math.nan, {"x": 1}, {"x": 1}), ("b", {"x": 1}, {"x": 1}), (None, {"x": 1}, {"x": 1})]
    assert [pair.id for pair in read(pairs)] == ["line-000001", "b", "line-000003"]


@pytest.mark.parametrize(
    ("inputs", "settings", "message"),
    [
        (([{"a": 1}], [{"a": 1}, {"a": 2}]), {}, "as many predicted documents as expected ones, got 2 and 1; name the"),
        ((pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [1, 2]})), {}, "got 2 and 1; name the key or column"),
        (([], []), {}, "both sides are empty"),
        ((pd.DataFrame(), pd.DataFrame()), {}, "both sides are empty"),
        ((pd.DataFrame({"expected": [], "predicted": []}),), {}, "Expected pairs of documents, got none"),
        (({"a": {"x": 1}},), {}, "got a dict alone; give the expected documents, and the predicted ones as predicted="),
        (([{"x": 1}],), {}, r"got the keys 'x' - at pairs\[0\]; give expected and predicted documents apart"),
        ((5,), {}, "Expected pairs of documents, got an int alone"),
        (({"a": {"x": 1}}, [{"x": 1}]), {}, "got a dict with ids and a list without; name the key"),
        (([{"x": 1}], {"a": {"x": 1}}), {}, "got a dict with ids and a list without; name the key"),
        (([{"x": 1}], 5), {}, "or a data frame, got an int - as predicted"),
        ((Model.model_validate(EXPECTED[0]), [{}]), {}, "or a data frame, got a Model - as expected"),
        (([Path("a.json")], [Path("b.json")]), {}, "Expected a document, got the path a.json; open_pairs reads files"),
        (([{"x": 1}], "b.json"), {}, "got the path b.json as predicted and documents on the other side"),
        (("a.json", [{"x": 1}]), {}, "got the path a.json as expected and documents on the other side"),
        ((EXPECTED, PREDICTED), {"id_column": "invoce"}, r"at expected\[0\]; did you mean 'invoice'\?"),
        ((EXPECTED, ["text"] * 3), {"id_column": "invoice"}, r"'invoice', got a str - at predicted\[0\]"),
        ((pd.DataFrame(EXPECTED), pd.DataFrame(PREDICTED)), {"id_column": "Invoice"}, "did you mean 'invoice'"),
        (
            (pd.DataFrame({"id": [1.0, math.nan]}), pd.DataFrame({"id": [1, 2]})),
            {"id_column": "id"},
            "Expected a text or a number as the id, got nan - in row 1 of the column 'id'; leave out",
        ),
        (([{"id": True}], [{"id": "a"}]), {"id_column": "id"}, r"the id, got True - at expected\[0\].id"),
        (([{"id": " "}], [{"id": "a"}]), {"id_column": "id"}, r"the id, got ' ' - at expected\[0\].id"),
        (({None: {}}, {"a": {}}), {}, "the id, got None - in the keys of expected"),
        (
            ([{"id": 1}, {"id": 2}, {"id": 2}], [{"id": 2}, {"id": 2}, {"id": 1}]),
            {},
            "another order on the other side; match by them: id_",
        ),
        (
            (pd.DataFrame({"expectd": [{}], "predicted": [{}]}),),
            {},
            "got 'expectd', 'predicted'; rename 'expectd', or give predicted documents",
        ),
        ((pd.DataFrame({"total": [1], "name": ["a"]}),), {}, "give predicted documents as predicted=… where"),
        (([({"x": 1}, {"x": 2})],), {}, r"got a tuple of 2 - at pairs\[0\]"),
        ((["a.json"], ["b.json"]), {}, "Expected a document, got the path a.json; open_pairs reads files"),
        ((pd.DataFrame({("a", "b"): [1]}),) * 2, {}, r"the name of every column of a data frame, got \('a', 'b'\)"),
        (
            (pd.DataFrame({"x": [1, 2]}, index=pd.Index([1, 2], name="id")), pd.DataFrame({"x": [1, 2]})),
            {},
            "got a DataFrame with ids and a DataFrame without",
        ),
        ((pd.DataFrame([[1, 2]], columns=["a", "a"]),) * 2, {}, "every column of a data frame once, got 'a' twice"),
        ((pd.DataFrame([[1, 2]], columns=["a", "a.b"]),) * 2, {}, "the columns 'a' and 'a.b', which cannot both be"),
        ((pd.DataFrame({"a[0]": [1]}),) * 2, {}, r"such as seller.name as the name of a column, got 'a\[0\]'"),
    ],
)
def test_what_cannot_be_matched_is_refused(inputs: tuple[Any, ...], settings: dict[str, Any], message: str) -> None:
    """With what was expected, what came, where, and the nearest valid name."""
    with pytest.raises(InputError, match=message):
        open_pairs(*inputs, **settings)


def test_an_id_column_is_for_documents_in_memory(tmp_path: Path) -> None:
    """Files and sources that are open already have their own ids."""
    path = write_lines(tmp_path / "pairs.jsonl", [{"id": "a", "expected": {}, "predicted": {}}])
    with pytest.raises(SettingError, match="files say by themselves what their ids are"):
        open_pairs(path, id_column="id")
    with pytest.raises(InputError, match="leave out predicted and id_column"):
        evaluate_pairs(open_pairs(path), id_column="id")


def test_predicted_documents_in_the_place_of_the_spec_are_refused() -> None:
    """The second argument has always been the spec."""
    documents: Any = [{"x": 1}]
    with pytest.raises(SettingError, match="got a list; give predicted documents as predicted="):
        evaluate_pairs(documents, documents)
