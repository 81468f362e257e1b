"""The evaluator: documents and results in, sums, records and metrics out; the same bytes for any split and order."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise import ComparableField, ExactComparator, MissingExtraError, SettingError, StructuredModel
from fieldwise.bulk import (
    BulkStructuredModelEvaluator,
    ConfidenceAccumulator,
    PostComparisonAccumulator,
    ProcessEvaluation,
    aggregate_from_comparisons,
)
from fieldwise.errors import InputError
from fieldwise.values import Json
from tests.strategies import examples

from .results import KEYS, Result, broken_results, engine_results, trees

SOME = settings(deadline=None, max_examples=examples(40))


class Item(StructuredModel):
    sku: str | None = ComparableField(comparator=ExactComparator(), threshold=1.0)
    price: float | None = ComparableField(threshold=0.9)


class Invoice(StructuredModel):
    number: str | None = ComparableField(comparator=ExactComparator(), threshold=1.0)
    total: float | None = ComparableField(threshold=0.9)
    items: list[Item] | None = ComparableField(weight=1.0)


class Renamed(StructuredModel):
    number: str | None = ComparableField(comparator=ExactComparator(), threshold=1.0)
    total: float | None = ComparableField(threshold=0.9)
    items: list[Item] | None = ComparableField(weight=1.0)


class Receipt(StructuredModel):
    number: str | None = ComparableField(comparator=ExactComparator(), threshold=1.0)


EXPECTED = {"number": "A-1", "total": 5.0, "items": [{"sku": "x", "price": 1.0}, {"sku": "y", "price": 2.0}]}
WRONG = {"number": "A-2", "total": 5.0, "items": [{"sku": "x", "price": 9.0}]}
MATRIX = {"overall": dict.fromkeys(KEYS, 1), "fields": {}}


def state_text(evaluator: BulkStructuredModelEvaluator) -> str:
    return json.dumps(evaluator.get_state(), sort_keys=True)


def evaluated(results: list[tuple[str, Json]]) -> BulkStructuredModelEvaluator:
    evaluator = BulkStructuredModelEvaluator()
    for name, result in results:
        evaluator.update_from_comparison_result(result, name)
    return evaluator


def any_result() -> st.SearchStrategy[Json]:
    matrices = trees().map(lambda matrix: {"confusion_matrix": matrix, "overall_score": 0.3, "non_matches": []})
    return matrices | broken_results()


@st.composite
def runs(draw: st.DrawFn) -> list[tuple[str, Json]]:
    """Some results with the names of their documents, a name twice now and then."""
    results: list[Json] = [*draw(engine_results(most=4)), *draw(st.lists(any_result(), max_size=3))]
    return [(draw(st.sampled_from(["a", "b", "doc_10", "doc_2"])), result) for result in results]


# Laws


@SOME
@given(runs(), st.integers(0, 2**16), st.integers(1, 4))
def test_any_split_and_order_gives_the_same_bytes(run: list[tuple[str, Json]], seed: int, parts: int) -> None:
    """Shards of shuffled documents, merged, are the state of all documents in their order."""
    shuffled = random.Random(seed).sample(run, len(run))
    merged = BulkStructuredModelEvaluator()
    for k in range(parts):
        merged.merge_state(json.loads(state_text(evaluated(shuffled[k::parts]))))
    assert state_text(merged) == state_text(evaluated(run))


def test_a_state_may_hold_sums_that_are_larger_than_any_count() -> None:
    """A count is below 2**53; three large ones add up to more, and their state is read back."""
    matrix = {"overall": {"tp": 0, "fp": 1 << 52, "tn": 0, "fn": 0, "fd": 1 << 52, "fa": 0}}
    evaluator = evaluated([(name, {"confusion_matrix": matrix}) for name in ("a", "b", "c")])
    merged = BulkStructuredModelEvaluator()
    merged.merge_state(json.loads(state_text(evaluator)))
    assert state_text(merged) == state_text(evaluator)


@SOME
@given(st.tuples(runs(), runs(), runs()))
def test_merging_is_associative_and_commutative_and_has_a_zero(given_runs: Any) -> None:
    """(a + b) + c = a + (b + c) = c + b + a, and an empty state adds nothing."""
    a, b, c = (evaluated(run).get_state() for run in given_runs)

    def merged(*states: Any) -> BulkStructuredModelEvaluator:
        evaluator = BulkStructuredModelEvaluator()
        for state in states:
            evaluator.merge_state(state)
        return evaluator

    zero = BulkStructuredModelEvaluator().get_state()
    left, right = merged(merged(a, b).get_state(), c), merged(a, merged(b, c).get_state())
    assert state_text(left) == state_text(right) == state_text(merged(c, b, a)) == state_text(merged(a, zero, b, c))


@SOME
@given(st.lists(engine_results(most=3), max_size=2), st.lists(any_result(), max_size=2))
def test_many_results_at_once_are_as_many_one_by_one(good: list[list[Result]], odd: list[Json]) -> None:
    """Results in chunks give the state of results one by one, whatever is among them."""
    results = [*(result for some in good for result in some), *odd]
    at_once, one_by_one = BulkStructuredModelEvaluator(), BulkStructuredModelEvaluator()
    at_once.update_from_comparison_results(results)
    for result in results:
        one_by_one.update_from_comparison_result(result)
    assert state_text(at_once) == state_text(one_by_one)


@SOME
@given(runs())
def test_a_state_comes_back(run: list[tuple[str, Json]]) -> None:
    """What a state says is what was computed, before and after a way through JSON."""
    evaluator = evaluated(run)
    again = BulkStructuredModelEvaluator()
    again.load_state(json.loads(state_text(evaluator)))
    assert state_text(again) == state_text(evaluator)
    before, after = evaluator.compute().to_dict(), again.compute().to_dict()
    before.pop("total_time"), after.pop("total_time")
    assert json.dumps(before, sort_keys=True) == json.dumps(after, sort_keys=True)


@SOME
@given(engine_results(), st.lists(any_result(), max_size=2))
def test_a_failure_changes_nothing_but_the_records(results: list[Result], odd: list[Json]) -> None:
    """Documents that fail add no count, no score and no non-match."""
    good = [(f"g{k}", result) for k, result in enumerate(results)]
    bad = [(f"x{k}", result) for k, result in enumerate(odd)]
    failing = [pair for pair in bad if evaluated([pair]).compute().failed_count]
    with_failures, without = evaluated(good + failing).get_state(), evaluated(good).get_state()
    assert len(with_failures.pop("errors")) == len(failing)
    without.pop("errors")
    assert with_failures == without


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from([EXPECTED, WRONG, None, "text", {}, {"number": float("nan")}, 5]), max_size=5))
def test_replayed_lines_give_the_same_bytes(tmp_path_factory: pytest.TempPathFactory, predictions: list[Json]) -> None:
    """The file of results, read again, makes the same state, failures included."""
    path = tmp_path_factory.mktemp("lines") / "results.jsonl"
    evaluator = BulkStructuredModelEvaluator(Invoice, individual_results_jsonl=path)
    for k, prediction in enumerate(predictions):
        evaluator.update(EXPECTED, prediction, f"d{k}")
    evaluator.update(Receipt(number="1"), Receipt(number="1"), "another class")
    evaluator.close()
    replayed = BulkStructuredModelEvaluator(Invoice)
    replayed.replay(path)
    assert state_text(replayed) == state_text(evaluator)
    assert len(path.read_text().splitlines()) == len(predictions) + 1


# Documents


def test_models_and_json_are_the_same() -> None:
    """With a target schema, documents may be models or JSON."""
    models, documents = BulkStructuredModelEvaluator(Invoice), BulkStructuredModelEvaluator(Invoice)
    models.update(Invoice.from_json(EXPECTED), Invoice.from_json(WRONG), "d")
    documents.update(EXPECTED, WRONG, "d")
    assert state_text(models) == state_text(documents)
    assert documents.compute().document_count == 1


def test_update_batch_is_many_updates() -> None:
    """A batch is (expected, predicted, doc_id) of each document."""
    evaluator = BulkStructuredModelEvaluator(Invoice)
    evaluator.update_batch([(EXPECTED, WRONG, "a"), (EXPECTED, EXPECTED, None)])
    found = evaluator.compute()
    assert found.document_count == 2
    assert {entry["doc_id"] for entry in found.non_matches or ()} == {"a"}


def test_an_errored_document_is_a_record_and_adds_no_count() -> None:
    """What cannot be compared is listed with its reason, and nothing is counted of it."""
    evaluator = BulkStructuredModelEvaluator()
    evaluator.update({"not": "a model"}, None, "d-7")
    found = evaluator.compute()
    assert found.document_count == 0
    assert {key: found.metrics[key] for key in KEYS} == dict.fromkeys(KEYS, 0)
    assert [(e["doc_id"], e["error_type"]) for e in found.errors] == [("d-7", "InputError")]
    assert found.failed_count == 1


def test_a_prediction_that_is_no_object_is_scored() -> None:
    """A text in place of a document misses everything; it is a result, not a failure."""
    evaluator = BulkStructuredModelEvaluator(Invoice)
    evaluator.update(EXPECTED, "sorry", "d")
    found = evaluator.compute()
    assert (found.document_count, found.metrics["tp"], found.errors) == (1, 0, [])
    assert found.metrics["fn"] > 0


def test_another_class_is_refused() -> None:
    """A document of another spec than the target's is a record; one of an equal spec is welcome."""
    evaluator = BulkStructuredModelEvaluator(Invoice)
    evaluator.update(Receipt(number="1"), Receipt(number="1"))
    evaluator.update(Renamed.from_json(EXPECTED), Renamed.from_json(EXPECTED))
    found = evaluator.compute()
    assert (found.document_count, found.failed_count) == (1, 1)


def test_a_missing_matrix_is_a_record() -> None:
    """One bad result does not hide the others; strict mode raises ValueError."""
    results = [{"overall_score": 1.0}, {"confusion_matrix": MATRIX}]
    found = aggregate_from_comparisons(results)
    assert (found.document_count, [e["doc_id"] for e in found.errors]) == (1, ["doc_0"])
    with pytest.raises(ValueError, match="include_confusion_matrix"):
        aggregate_from_comparisons(results, strict=True)


def test_a_node_is_counted_once() -> None:
    """Direct counts come before those of ``overall``; a child in both places counts once."""
    node = {"tp": 1, "overall": {"tp": 1}, "fields": {"x": {"tp": 1}}, "nested_fields": {"x": {"tp": 1}}}
    found = aggregate_from_comparisons([{"confusion_matrix": {"overall": {"tp": 1}, "fields": {"a": node}}}])
    assert [found.field_metrics[path]["tp"] for path in ("a", "a.x")] == [1, 1]


def test_a_dot_in_a_name_is_no_nesting() -> None:
    """``c.d`` at the top and ``d`` inside ``c`` are two fields."""
    fields = {"c.d": {"overall": {"fd": 1}}, "c": {"fields": {"d": {"overall": {"tp": 1}}}}}
    found = aggregate_from_comparisons([{"confusion_matrix": {"overall": {"tp": 1}, "fields": fields}}])
    assert {path: row["tp"] for path, row in found.field_metrics.items()} == {"c.d": 1, "c\\.d": 0}


def test_all_counts_are_there_and_in_order() -> None:
    """All six counts stand in every row, also of no documents; paths are sorted."""
    assert [aggregate_from_comparisons([]).metrics[key] for key in KEYS] == [0] * 6
    fields = {name: {"overall": {"tp": 1}} for name in ("b", "a", "c")}
    found = aggregate_from_comparisons([{"confusion_matrix": {"overall": {}, "fields": fields}}])
    assert list(found.field_metrics) == ["a", "b", "c"]
    assert all(key in row for row in found.field_metrics.values() for key in KEYS)


def test_elided_errors_leave_no_record() -> None:
    """With elide_errors a failure is in no list."""
    evaluator = BulkStructuredModelEvaluator(elide_errors=True)
    evaluator.update_from_comparison_result(None)
    assert evaluator.compute().errors == []


def test_non_matches_are_optional() -> None:
    """Without document_non_matches there are none, and no state pretends so."""
    evaluator = BulkStructuredModelEvaluator(Invoice, document_non_matches=False)
    evaluator.update(EXPECTED, WRONG)
    assert evaluator.compute().non_matches is None
    with pytest.raises(SettingError, match="non-matches"):
        BulkStructuredModelEvaluator(Invoice).merge_state(evaluator.get_state())


def test_verbose_speaks_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Failures and batches are told, and standard output stays clean."""
    evaluator = BulkStructuredModelEvaluator(Invoice, verbose=True)
    evaluator.update_batch([(EXPECTED, EXPECTED, "a"), (Receipt(number="1"), None, "b")])
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0].startswith("b: Expected")


# Data frames


def test_rows_of_a_data_frame_are_not_lost() -> None:
    """A row whose truth is unreadable is a record; one whose prediction is unreadable is scored and recorded."""
    text = json.dumps(EXPECTED)
    frame = pd.DataFrame(
        {
            "doc_id": ["good", "no truth", "no prediction", "broken truth", "broken prediction"],
            "expected": [text, None, text, "{", text],
            "predicted": [text, text, None, text, "{"],
        }
    )
    found = BulkStructuredModelEvaluator(Invoice).evaluate_dataframe(frame)
    assert found.document_count == 3
    assert {e["doc_id"]: e.get("counted", False) for e in found.errors} == {
        "no truth": False,
        "broken truth": False,
        "broken prediction": True,
    }
    assert found.field_metrics["number"]["fn"] == 2
    with pytest.raises(SettingError, match="target_schema"):
        BulkStructuredModelEvaluator().evaluate_dataframe(frame)


# State


def test_different_specs_do_not_merge() -> None:
    """What decides is the fingerprint of the plan, not the name of the class."""
    invoices, others = BulkStructuredModelEvaluator(Invoice), BulkStructuredModelEvaluator(Renamed)
    invoices.merge_state(others.get_state())
    same_name = type("Invoice", (Receipt,), {})
    for other in (BulkStructuredModelEvaluator(same_name), BulkStructuredModelEvaluator()):
        with pytest.raises(SettingError, match="same spec"):
            invoices.merge_state(other.get_state())
        with pytest.raises(SettingError, match="same spec"):
            other.load_state(invoices.get_state())


def test_non_matches_survive_state_checkpoint_and_merge(tmp_path: Path) -> None:
    """What did not match is still listed after any of the three ways."""
    evaluator = BulkStructuredModelEvaluator(Invoice)
    evaluator.update(EXPECTED, WRONG, "d")
    wanted = evaluator.compute().non_matches
    evaluator.save_state(tmp_path / "state.json")
    loaded, merged = BulkStructuredModelEvaluator(Invoice), BulkStructuredModelEvaluator(Invoice)
    loaded.load_state(tmp_path / "state.json")
    merged.merge_state(evaluator.get_state())
    assert wanted
    assert loaded.compute().non_matches == merged.compute().non_matches == wanted


def test_default_names_go_on_after_a_checkpoint() -> None:
    """The first document after loading is not called as one that was there."""
    evaluator = BulkStructuredModelEvaluator(Invoice)
    evaluator.update(EXPECTED, EXPECTED)
    evaluator.update(Receipt(number="1"), None)
    again = BulkStructuredModelEvaluator(Invoice)
    again.load_state(evaluator.get_state())
    again.update(Receipt(number="1"), None)
    assert [e["doc_id"] for e in again.compute().errors] == ["doc_1", "doc_2"]


@pytest.mark.parametrize("broken", [[], {}, {"version": 9}, {"version": 1}])
def test_what_is_no_state_is_refused(broken: Json, tmp_path: Path) -> None:
    """InputError, from a dict and from a file, and nothing changes."""
    evaluator = BulkStructuredModelEvaluator(Invoice)
    evaluator.update(EXPECTED, WRONG, "d")
    before = state_text(evaluator)
    (tmp_path / "state.json").write_text(json.dumps(broken))
    with pytest.raises(InputError):
        evaluator.merge_state(tmp_path / "state.json")
    with pytest.raises(InputError):
        evaluator.load_state(tmp_path / "nothing.json")
    assert state_text(evaluator) == before


@pytest.mark.parametrize("part", ["matrices", "accumulators", "errors", "overall_score"])
def test_a_broken_state_changes_nothing(part: str) -> None:
    """A state that breaks half way leaves the evaluator as it was."""
    evaluator = BulkStructuredModelEvaluator(Invoice)
    evaluator.update(EXPECTED, WRONG, "d")
    before = state_text(evaluator)
    broken = {**json.loads(before), part: {"confidence_metrics": {}} if part == "accumulators" else 5}
    for take in (evaluator.merge_state, evaluator.load_state):
        with pytest.raises(InputError, match="of the state"):
            take(broken)
        assert state_text(evaluator) == before


class NoJson(PostComparisonAccumulator):
    """Has a state that JSON cannot hold."""

    name = "no_json"

    def reset(self) -> None:
        self.state: object = 1

    def accumulate(self, comparison_result: Mapping[str, Json], prediction_raw: Json) -> None:
        self.state = object()

    def compute(self) -> None:
        return None

    def get_state(self) -> dict[str, Json]:
        return {"state": self.state}

    def merge_state(self, other_state: Mapping[str, Json]) -> None:
        self.state = other_state["state"]


def test_a_file_is_never_half_written(tmp_path: Path) -> None:
    """When writing fails, the old file is there as it was, and nothing else."""
    target = tmp_path / "state.json"
    evaluator = BulkStructuredModelEvaluator(Invoice, accumulators=[NoJson()])
    evaluator.save_state(target)
    before = target.read_bytes()
    evaluator.update(EXPECTED, WRONG)
    with pytest.raises(TypeError):
        evaluator.save_state(target)
    assert target.read_bytes() == before
    assert os.listdir(tmp_path) == ["state.json"]


def test_state_is_the_same_in_every_process() -> None:
    """No order of a set or of a hash shows in the bytes."""
    code = """
import json
from tests.bulk.test_evaluator import EXPECTED, WRONG, BulkStructuredModelEvaluator, Invoice
evaluator = BulkStructuredModelEvaluator(Invoice)
evaluator.update(EXPECTED, WRONG, "d")
print(json.dumps(evaluator.get_state()), list(evaluator.compute().field_metrics))
"""
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=Path(__file__).parent.parent.parent,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


# Settings and accumulators


class Failing(PostComparisonAccumulator):
    """Fails on every document."""

    name = "failing"

    def reset(self) -> None: ...

    def accumulate(self, comparison_result: Any, prediction_raw: Any) -> None:
        raise RuntimeError("no")

    def compute(self) -> None:
        return None

    def get_state(self) -> dict[str, Json]:
        return {}

    def merge_state(self, other_state: Any) -> None: ...


def test_settings_are_refused_before_the_first_document() -> None:
    """Contradicting accumulators, unknown metrics and foreign classes raise ValueError."""
    with pytest.raises(ValueError, match="not both"):
        BulkStructuredModelEvaluator(confidence_metrics=["auroc"], accumulators=[])
    with pytest.raises(ValueError, match="Two accumulators"):
        BulkStructuredModelEvaluator(accumulators=[ConfidenceAccumulator(), ConfidenceAccumulator()])
    with pytest.raises(ValueError, match="did you mean 'auroc'"):
        BulkStructuredModelEvaluator(confidence_metrics=["aurok"])
    with pytest.raises(ValueError, match="StructuredModel class"):
        BulkStructuredModelEvaluator(dict)  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="accumulators"):
        BulkStructuredModelEvaluator(accumulators=[]).merge_state(BulkStructuredModelEvaluator().get_state())


def test_a_failing_accumulator_does_not_cost_the_document() -> None:
    """The document is counted; the failure is counted and recorded under the accumulator's name."""
    evaluator = BulkStructuredModelEvaluator(Invoice, accumulators=[Failing()])
    evaluator.update(EXPECTED, EXPECTED, "d")
    found = evaluator.compute()
    assert (found.document_count, found.failed_count, found.accumulator_errors) == (1, 0, {"failing": 1})
    assert found.errors[0]["accumulator"] == "failing"


# What is shown


def shown() -> ProcessEvaluation:
    evaluator = BulkStructuredModelEvaluator(Invoice)
    evaluator.update(EXPECTED, WRONG, "d")
    evaluator.update_from_comparison_result(None, "<b>bad | one</b>")
    return evaluator.compute()


def test_the_printed_table_has_the_worst_fields_first(capsys: pytest.CaptureFixture[str]) -> None:
    """One line a field, lowest F1 at the top, and the failures below."""
    shown().pretty_print_metrics()
    lines = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert [name for name in lines if name in shown().field_metrics] == [
        "items.price",
        "number",
        "items",
        "items.sku",
        "total",
    ]
    assert lines[0] == "1"
    assert "✗" in lines


def test_markdown_and_html_are_escaped() -> None:
    """Names of documents and fields cannot become markup."""
    assert "<code>&#60;b&#62;bad &#124; one&#60;/b&#62;</code>" in shown().to_md()
    fields = {"<script>": {"overall": {"tp": 1}}}
    found = aggregate_from_comparisons([{"confusion_matrix": {"overall": {"tp": 1}, "fields": fields}}])
    assert "<script>" not in found._repr_html_()
    assert "<script>" not in found.to_md()


def test_tables_have_a_row_for_each_field() -> None:
    """Arrow and pandas have the paths, counts, ratios and mean scores; a score that is not there is null."""
    found = shown()
    table = found.to_arrow()
    assert table.column("path").to_pylist() == list(found.field_metrics)
    assert table.column("fn").to_pylist() == [row["fn"] for row in found.field_metrics.values()]
    assert table.column("mean_score").null_count == sum("mean_score" not in row for row in found.field_metrics.values())
    pd.testing.assert_frame_equal(found.to_pandas(), table.to_pandas())
    assert aggregate_from_comparisons([]).to_arrow().num_rows == 0


def test_pandas_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pandas the error names the extra that brings it."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"fieldwise\[notebook\]"):
        shown().to_pandas()


def test_saved_metrics(tmp_path: Path) -> None:
    """The file has the peer's keys, and the metrics as they are computed."""
    evaluator = BulkStructuredModelEvaluator(Invoice)
    evaluator.update(EXPECTED, WRONG, "d")
    evaluator.update(Receipt(number="1"), None)
    evaluator.save_metrics(tmp_path / "metrics.json")
    saved = json.loads((tmp_path / "metrics.json").read_text())
    assert saved["overall_metrics"] == evaluator.compute().metrics
    assert saved["field_metrics"] == evaluator.compute().field_metrics
    assert saved["evaluation_summary"]["error_rate"] == 0.5
    assert saved["evaluation_summary"]["target_schema"] == "Invoice"
    assert saved["metadata"]["evaluator_config"]["document_non_matches"] is True
