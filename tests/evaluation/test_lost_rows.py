"""What lies above values is counted wherever it is lost, and one name has a row for each of its shapes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fieldwise import BulkEvaluationAggregator, Metrics, Plan, Spec, evaluate_pairs, open_pairs
from fieldwise.aggregated import add_up
from fieldwise.results import FieldMetrics
from tests.command_line import run
from tests.page_answers import run_of
from tests.sections import section, write_sections

LINES = [{"sku": "X1", "qty": 1}, {"sku": "Y2", "qty": 2}]
NESTED = {"invoice": {"no": "A1", "lines": LINES}}
FLAT = {"no": "A1", "lines": LINES}


def counts(row: FieldMetrics | Any) -> tuple[int, int, int, int]:
    return row.tp, row.fd, row.fa, row.fn


def rows(metrics: Metrics) -> dict[str, tuple[int, int, int, int]]:
    return {name: counts(row) for name, row in metrics.fields.items()}


def half_lost(folder: Path, document: dict[str, Any]) -> tuple[Path, Path]:
    """Write twenty expected documents, and predictions of ten."""
    sides = folder / "e.jsonl", folder / "p.jsonl"
    for side, count in zip(sides, (20, 10), strict=True):
        side.write_text("".join(json.dumps({"id": f"d{at}", **document}) + "\n" for at in range(count)))
    return sides


def test_rows_of_lost_documents_fail_a_limit_wherever_the_list_is(tmp_path: Path) -> None:
    """Ten of twenty predictions are missing: half of the rows are, in a list inside an object as at the top."""
    for name, document, field in (("flat", FLAT, "lines"), ("nested", NESTED, "invoice.lines")):
        (tmp_path / name).mkdir()
        sides = half_lost(tmp_path / name, document)
        code, text, _ = run("evaluate", *sides, "--fail-under", f"{field}:strict_f1=0.95")
        assert code == 1
        assert f"rows of {field}: 20 paired · 0 rejected · 20 missed · 0 extra" in text
        metrics = evaluate_pairs(sides[0], predicted=sides[1]).metrics
        assert metrics.fields[field].strict_f1 == metrics.fields[f"{field}.sku"].strict_f1
        assert metrics.fields[field].rates.strict_f1.n == 20


def test_rows_in_lost_rows_are_missed() -> None:
    """Discounts of a lost item are lost, those of an invented item are extra, those of a rejected one wrong."""
    item = {"name": "bolt", "size": 4, "rabatte": [{"prozent": 1}], "maker": {"name": "Ada"}}
    other = {"name": "wholly other", "size": 77, "rabatte": [{"prozent": 9}, {"prozent": 8}], "maker": {"name": "Bo"}}
    lost = evaluate_pairs([("d", {"items": [item, other]}, {"items": [item]})]).metrics.fields
    assert counts(lost["items"]) == counts(lost["items.maker"]) == (1, 0, 0, 1)
    assert counts(lost["items.rabatte"]) == counts(lost["items.rabatte.prozent"]) == (1, 0, 0, 2)
    extra = evaluate_pairs([("d", {"items": [item]}, {"items": [item, other]})]).metrics.fields
    assert counts(extra["items.rabatte"]) == counts(extra["items.rabatte.prozent"]) == (1, 0, 2, 0)
    rejected = evaluate_pairs([("d", {"items": [item]}, {"items": [other]})]).metrics.fields
    assert counts(rejected["items"]) == counts(rejected["items.maker"]) == (0, 1, 0, 0)
    assert counts(rejected["items.rabatte"]) == (0, 1, 1, 0)


@pytest.mark.parametrize("predicted", [{}, {"o": None}, {"o": "text"}, None, "text", [1]])
def test_a_list_in_a_lost_object_is_lost(predicted: Any) -> None:
    """Whatever stands in place of the object, or of the document, its two rows and their two values are missed."""
    expected = {"o": {"rows": [{"x": 1, "sub": [{"y": 1}]}, {"x": 2}]}}
    fields = evaluate_pairs([("a", expected, expected), ("b", expected, predicted)]).metrics.fields
    assert counts(fields["o.rows"]) == counts(fields["o.rows.x"]) == (2, 0, 0, 2)
    assert counts(fields["o.rows.sub"]) == (1, 0, 0, 1)


def test_a_list_predicted_as_text_loses_its_rows() -> None:
    """As it loses their values; a list where a text is expected has extra rows."""
    pairs = [("a", {"r": [{"x": 1}, {"x": 2}]}, {"r": "1, 2"}), ("b", {"r": [{"x": 1}]}, {"r": [{"x": 1}]})]
    fields = evaluate_pairs(pairs).metrics.fields
    assert counts(fields["r"]) == counts(fields["r.x"]) == (1, 0, 0, 2)


def test_rows_count_by_objects_as_in_other_systems() -> None:
    """In that mode a lost object is one, and nothing is said of what lies in it."""
    pairs = [("a", NESTED, NESTED), ("b", NESTED, {})]
    fields = evaluate_pairs(pairs, unmatched="objects").metrics.fields
    assert counts(fields["invoice"]) == (1, 0, 0, 1)
    assert counts(fields["invoice.lines"]) == (2, 0, 0, 0)


OBJECT = {"k": "A", "v": {"name": "Ada", "city": "Bern"}, "n": 1}
TEXT = {"k": "B", "v": "Ada", "n": 2}


def mixed(folder: Path, **settings: Any) -> Metrics:
    """Evaluate three documents in which ``v`` is an object and one in which it is a text; all is right."""
    return evaluate_pairs(by_class(folder, [OBJECT] * 3 + [TEXT]), **settings).metrics


def by_class(folder: Path, documents: list[dict[str, Any]]) -> Any:
    """Write documents of several classes, all predicted as they are expected."""
    pairs = [{"id": f"d{at}", "expected": held, "predicted": held} for at, held in enumerate(documents)]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    return open_pairs(folder / "pairs.jsonl", class_key="k")


@pytest.mark.parametrize("unmatched", ["leaves", "objects"])
def test_a_name_with_two_shapes_has_two_rows_everywhere(tmp_path: Path, unmatched: Any) -> None:
    """An object in one class and a value in another: evaluated, added up or on the page, and the top level has both."""
    found = mixed(tmp_path, out=tmp_path / "run", results_json=tmp_path / "results", unmatched=unmatched)
    added = add_up([tmp_path / "results"]).metrics()
    aggregator = BulkEvaluationAggregator()
    for path in sorted((tmp_path / "results").rglob("results.json")):
        [held] = json.loads(path.read_bytes())["section_results"]
        aggregator.update(held["metrics"]["confusion_matrix"], str(path), group=held["document_class"])
    computed = aggregator.compute()
    for metrics in (found, added, run_of(tmp_path / "run").metrics):
        assert counts(metrics.fields["v"]) == (3, 0, 0, 0)
        assert counts(metrics.fields["v[values]"]) == (1, 0, 0, 0)
        assert (metrics.fields["v"].scope, metrics.fields["v[values]"].scope) == ("object", "values")
        assert "v[object]" not in metrics.fields
        assert metrics.overall.tp == 12
    assert (computed["fields"]["v"]["tp"], computed["fields"]["v[values]"]["tp"]) == (3, 1)
    assert computed["overall"]["tp"] == 12
    assert {name: group["fields"]["v"]["tp"] for name, group in computed["classes"].items()} == {"A": 3, "B": 1}


def test_a_list_in_one_class_and_an_object_in_another_have_rows_of_their_own(tmp_path: Path) -> None:
    """An object is at the path, the rows of a list beside it."""
    documents: list[dict[str, Any]] = [
        {"k": "A", "v": {"x": 1}},
        {"k": "B", "v": [{"x": 1}, {"x": 2}]},
        {"k": "C", "v": "text"},
    ]
    found = evaluate_pairs(by_class(tmp_path, documents), results_json=tmp_path / "results").metrics
    assert {name: row[0] for name, row in rows(found).items()} == {
        "k": 3,
        "v": 1,
        "v[rows]": 2,
        "v[values]": 1,
        "v.x": 3,
    }
    assert rows(add_up([tmp_path / "results"]).metrics()) == rows(found)


def test_an_unreadable_section_is_of_no_class(tmp_path: Path) -> None:
    """It is no right class: what was expected is lost, in counts, in the matrix of classes and on the page."""
    held = {f"d{at}": {"1": section("Inv", {"no": f"A{at}", "net": at})} for at in range(2)}
    write_sections(tmp_path / "e", held)
    write_sections(tmp_path / "p", {**held, "d1": {"1": '{"document_class": {"type": "Inv'}})
    code, text, _ = run("evaluate", tmp_path / "e", tmp_path / "p", "--out", tmp_path / "run")
    assert code == 3
    assert "sections: 1 paired · 1 without" in text
    sections = run_of(tmp_path / "run").metrics.sections
    assert sections is not None
    assert (sections.paired, sections.lost, sections.without_class) == (1, 1, 0)
    assert sections.confusion is not None
    assert sections.confusion.counts == ((1, 1), (0, 0))
    metrics = run_of(tmp_path / "run").metrics
    assert metrics.documents == {"scored": 1, "unreadable_prediction": 1}
    assert "is not JSON" in metrics.errors[0].error


def test_an_invented_value_lowers_the_weighted_score(tmp_path: Path) -> None:
    """Each value under a key that nobody expects weighs 1, in a comparison, a document and what is added up."""
    expected, predicted = {"a": "x y", "b": 1}, {"a": "x y", "b": 1, "junk": 5, "junk2": 6}
    comparison = Plan.compile(Spec.infer([expected])).compare(expected, predicted)
    assert comparison.weighted_score == 0.5
    pairs = [("d", expected, predicted), ("e", expected, expected)]
    metrics = evaluate_pairs(pairs, results_json=tmp_path / "results").metrics
    assert metrics.document_metrics.weighted_score.value == 0.75
    added = add_up([tmp_path / "results"]).metrics()
    assert added.document_metrics.weighted_score == metrics.document_metrics.weighted_score
    assert added.document_metrics.mean_overall_score is None


def test_a_section_of_the_wrong_class_may_have_what_the_right_one_leaves_out(tmp_path: Path) -> None:
    """Its values under such a key count nowhere, as those that were expected there do."""
    document = {"1": section("Invoice", {"n": 1, "memo": "x"}), "2": section("Invoice", {"n": 2, "memo": "y"})}
    wrong = {**document, "2": section("Credit", {"n": 2, "memo": "y", "junk": 1})}
    write_sections(tmp_path / "e", {"d": document})
    write_sections(tmp_path / "p", {"d": wrong})
    (tmp_path / "c.json").write_text(json.dumps({"Invoice": {"attributes": [{"name": "n"}]}}))
    code, text, _ = run(
        "evaluate", tmp_path / "e", tmp_path / "p", "--config", tmp_path / "c.json", "--out", tmp_path / "run"
    )
    metrics = run_of(tmp_path / "run").metrics
    assert code == 0
    assert "2 expected and 2 predicted values under memo" in text
    assert metrics.undeclared_fields == ("junk",)
    assert rows(metrics) == {"junk": (0, 0, 1, 0), "n": (1, 0, 1, 1)}


def test_a_document_has_the_scores_of_its_fields_and_of_its_values(tmp_path: Path) -> None:
    """By fields as other systems have it, each by its weight; by values along their paths beside it."""
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "x-aws-stickler-weight": 2.0},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
        },
    }
    expected = {"id": "A", "lines": [{"sku": f"item {at}"} for at in "abcd"]}
    predicted = {"id": "A", "lines": [*expected["lines"][:3]]}
    evaluate_pairs([("d", expected, predicted)], Spec.from_json_schema(schema), results_json=tmp_path)
    rates = json.loads((tmp_path / "d" / "evaluation" / "results.json").read_bytes())["overall_metrics"]
    assert rates["weighted_overall_score"] == pytest.approx((2 * 1.0 + 1 * 0.75) / 3)
    assert rates["weighted_score"] == pytest.approx((2 + 3) / (2 + 4))
    assert rates["false_alarm_rate"] == 0.0
