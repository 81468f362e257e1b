"""results.json and report.md say of each document what the run says of all."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fieldwise import Metrics, SettingError, Spec, evaluate_pairs
from fieldwise.results import SeedRow
from fieldwise.results.document_result import DocumentResult
from fieldwise.results.notes import Note
from fieldwise.service import EvaluationService
from fieldwise.service.report import report_of
from tests.command_line import run
from tests.documents import invoices, write_sides
from tests.folders import files_of
from tests.sections import EXPECTED, PREDICTED, section, write_sections

SEED_KEYS = ("tp", "fp", "tn", "fn", "fd", "fa", "precision", "recall", "f1", "accuracy")


def seed_row(row: SeedRow) -> tuple[Any, ...]:
    return tuple(getattr(row, key) for key in SEED_KEYS)


def seed_shape(metrics: Metrics) -> dict[str, Any]:
    """Return what the seed of the aggregator has: documents, overall, aggregate, and fields, by class too."""
    classes = {name: group.fields for name, group in (metrics.classes or {}).items()}
    return {
        "document_count": metrics.document_count,
        "overall": seed_row(metrics.overall),
        "aggregate": seed_row(metrics.aggregate),
        "fields": {path: seed_row(row) for path, row in metrics.fields.items()},
        "classes": {name: {path: seed_row(row) for path, row in fields.items()} for name, fields in classes.items()},
    }


def aggregated(folder: Path) -> Metrics:
    done = run("aggregate", str(folder / "**" / "results.json"), "--json")
    return Metrics.from_json(done.stdout)


@pytest.mark.parametrize("unmatched", ["leaves", "objects"])
@pytest.mark.parametrize("kind", ["sections", "invoices"])
def test_all_results_add_up_to_the_metrics(tmp_path: Path, kind: str, unmatched: Any) -> None:
    """``fieldwise aggregate`` of every results.json gives the numbers of metrics.json, with the same intervals."""
    sides = _written(tmp_path, kind)
    out, documents = tmp_path / "out", tmp_path / "documents"
    run("evaluate", *sides, "--out", out, "--results-json", documents, "--unmatched", unmatched)
    metrics = Metrics.from_json((out / "metrics.json").read_bytes())
    added = aggregated(documents)
    assert seed_shape(added) == seed_shape(metrics)
    assert added.unmatched == unmatched
    assert added.document_metrics.exact_rate == metrics.document_metrics.exact_rate
    assert {path: row.rates for path, row in added.fields.items()} == {
        path: row.rates for path, row in metrics.fields.items()
    }
    held = [DocumentResult.from_json(path.read_bytes()) for path in documents.rglob("results.json")]
    assert {found.scorer.spec_fingerprint for found in held} == {metrics.spec_fingerprint}
    assert {part.metrics.unmatched for found in held for part in found.section_results} == {unmatched}


def _written(folder: Path, kind: str) -> tuple[Path, Path]:
    if kind == "sections":
        return write_sections(folder / "e", EXPECTED), write_sections(folder / "p", PREDICTED)
    return write_sides(folder, invoices(120, seed=3))


def test_a_document_says_what_was_found_in_it(tmp_path: Path) -> None:
    """Rates, classification errors and splitting of the document; values, confidences and reasons of its fields."""
    expected, predicted = _written(tmp_path, "sections")
    evaluate_pairs(expected, predicted=predicted, results_json=tmp_path / "r")
    found = DocumentResult.from_json((tmp_path / "r" / "loan.pdf" / "evaluation" / "results.json").read_bytes())
    assert found.overall_metrics.precision == 0.75
    assert found.overall_metrics.false_discovery_rate == 0.25
    assert found.overall_metrics.false_alarm_rate == 0.0
    assert found.overall_metrics.weighted_overall_score == 0.75
    attribute = found.section_results[0].attributes[0]
    assert (attribute.name, attribute.expected, attribute.confidence, attribute.confidence_threshold) == (
        *("number", "A1", 0.9, 0.8),
    )
    assert found.doc_split_metrics is not None
    assert found.doc_split_metrics["page_level_accuracy"]["accuracy"] == 1.0
    assert found.doc_split_metrics["graded"]["final_score"] == 1.0
    other = DocumentResult.from_json((tmp_path / "r" / "second.pdf" / "evaluation" / "results.json").read_bytes())
    assert [(error.section_id, error.kind) for error in other.classification_errors] == [
        ("1", "wrong_class"),
        ("2", "lost"),
    ]
    assert [(part.document_class, part.status) for part in other.section_results] == [
        ("Invoice", "wrong_class"),
        ("Receipt", "wrong_class"),
        ("Receipt", "lost"),
    ]


def test_thresholds_have_the_scale_of_confidences() -> None:
    """Both may be percentages, or one of them; what is neither is none."""
    values = {"a": 1, "b": 1, "c": 1, "d": [1]}
    sure = {
        "a": {"confidence": 90, "confidence_threshold": 80},
        "b": {"confidence": 70, "confidence_threshold": 0.6},
        "c": {"confidence": 50, "confidence_threshold": 120},
        "d": [{"confidence": 40, "confidence_threshold": 30}],
    }
    predicted = section("A", values, explainability_info=[sure])
    found = EvaluationService(Spec.infer([values])).evaluate_document(
        "x", {"1": section("A", values)}, {"1": predicted}
    )
    *plain, listed = found.section_results[0].attributes
    assert [(held.confidence, held.confidence_threshold) for held in plain] == [(0.9, 0.8), (0.7, 0.6), (0.5, None)]
    inner = listed.field_comparison_details[0]
    assert (inner["confidence"], inner["confidence_threshold"]) == (0.4, 0.3)


def test_every_shape_of_document_has_results(tmp_path: Path) -> None:
    """Values nested by thousands of levels, and documents that are no objects: every parser takes their results."""
    deep = "[" * 3000 + "]" * 3000
    envelope = '{"inference_result": %s, "document_class": {"type": "A"}}'
    good = envelope % '{"t": 1}'
    expected = {"deep": good, "list": envelope % "[1]", "null": envelope % "null"}
    predicted = {"deep": envelope % f'{{"t": {deep}}}', "list": good, "null": good}
    for side, held in (("e", expected), ("p", predicted)):
        write_sections(tmp_path / side, {name: {"1": content} for name, content in held.items()})
    done = run("evaluate", tmp_path / "e", tmp_path / "p", "--json", "--results-json", tmp_path / "r")
    assert done.returncode == 0, done.stderr
    counts = {}
    for name in expected:
        result = json.loads((tmp_path / "r" / name / "evaluation" / "results.json").read_bytes())
        counts[name] = [(a["name"], a["matched"]) for a in result["section_results"][0]["attributes"]]
    assert counts == {"deep": [("t", False)], "list": [("t", False), ("", False)], "null": [("t", False)]}


def test_sections_may_have_numbers_as_ids() -> None:
    """An id is text or a number; sections are paired by what it says."""
    service = EvaluationService(Spec.infer([{"t": 1}]))
    found = service.evaluate_document("a", {10: {"t": 1}, 9: {"t": 2}}, {9: {"t": 2}, 10: {"t": 1}})  # type: ignore[dict-item]
    assert [part.section_id for part in found.section_results] == ["9", "10"]
    assert found.overall_metrics.accuracy == 1.0


def test_nothing_in_a_report_is_markup(tmp_path: Path) -> None:
    """Values, names and reasons that look like Markdown or HTML are shown as they are."""
    spec = Spec.infer([{"a|b": "x"}])
    found = EvaluationService(spec).evaluate_document("<b>*id*", {"1": {"a|b": "<script>|`"}}, {"1": {"a|b": "[x](y)"}})
    text = report_of(found)
    assert "<" not in text
    assert all(line.count("|") - line.count("\\|") in (0, 4, 10) for line in text.splitlines())


def test_one_section_can_be_evaluated_alone() -> None:
    """An envelope is opened, and the class chooses the spec."""
    service = EvaluationService(Spec.of_classes({"A": Spec.infer([{"t": 1}]), "B": Spec.infer([{"u": "x"}])}))
    found = service.evaluate_section("7", section("a", {"t": 1}), section("A", {"t": 1}))
    assert (found.section_id, found.document_class, found.metrics.accuracy) == ("7", "A", 1.0)
    assert [attribute.name for attribute in found.attributes] == ["t"]


def test_documents_that_are_not_scored_say_why(tmp_path: Path) -> None:
    """A truth that cannot be read, and one that is missing: no section, no rate, and a reason."""
    write_sections(tmp_path / "e", {"a": {"1": "{"}, "c": {"1": section("A", {"t": 1})}})
    write_sections(tmp_path / "p", {"b": {"1": section("A", {"t": 1})}, "c": {"1": section("A", {"t": 1})}})
    evaluate_pairs(tmp_path / "e", predicted=tmp_path / "p", results_json=tmp_path / "r")
    found = {path.parent.parent.name: json.loads(path.read_bytes()) for path in (tmp_path / "r").rglob("results.json")}
    assert {name: held["status"] for name, held in found.items()} == {
        "a": "unreadable_expected",
        "b": "no_expected",
        "c": "scored",
    }
    assert found["a"]["reason"].startswith("section 1: ")
    assert found["b"]["section_results"] == []


def test_ids_stay_inside_of_the_folder(tmp_path: Path) -> None:
    """An id is a path of folders; one that leads out, or that no file system has, is written out."""
    ids = ["../../out", "/etc/x", "a b (1)/ü.pdf", "x" * 400, "con:", "."]
    pairs = [{"id": name, "expected": {"t": 1}, "predicted": {"t": 1}} for name in ids]
    evaluate_pairs(pairs, results_json=tmp_path / "r")
    files = list((tmp_path / "r").rglob("results.json"))
    assert len(files) == len(ids)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r"]
    assert (tmp_path / "r" / "a b (1)" / "ü.pdf" / "evaluation" / "results.json").exists()


def test_each_trial_has_results_of_its_own(tmp_path: Path) -> None:
    """Those of the second are in results.2.json; no id of another document leads there, and none is hidden from **."""
    truth = {"t": 1, "u": "x"}
    pairs = [
        *({"id": "a", "expected": truth, "predicted": {"t": t, "u": "x"}} for t in (1, 2)),
        *({"id": name, "expected": truth, "predicted": {"t": 3, "u": "x"}} for name in ("a/trial-2", ".hidden", "./x")),
        *({"id": name, "expected": truth, "predicted": truth} for name in ("b", "b/evaluation")),
    ]
    metrics = evaluate_pairs(pairs, results_json=tmp_path / "r").metrics
    files = {path.relative_to(tmp_path / "r").as_posix() for path in (tmp_path / "r").rglob("results*.json")}
    assert {"a/evaluation/results.json", "a/evaluation/results.2.json"} <= files
    assert len(files) == len(pairs)
    for given in (tmp_path / "r", tmp_path / "r" / "**" / "results*.json"):
        added = Metrics.from_json(run("aggregate", given, "--json").stdout)
        assert seed_row(added.aggregate) == seed_row(metrics.aggregate)
        assert (added.document_count, added.trial_count, added.documents) == (6, 7, metrics.documents)
        assert added.document_metrics.exact_rate == metrics.document_metrics.exact_rate
        assert added.notes == ()


def test_results_that_do_not_go_together_are_added_up_and_told(tmp_path: Path) -> None:
    """Other rules, other units and other formats are said; nothing is mixed in silence."""
    pairs = [{"id": "a", "expected": {"t": 1}, "predicted": {"t": 1}}]
    for mode in ("leaves", "objects"):
        evaluate_pairs(pairs, unmatched=mode, results_json=tmp_path / mode)
    other = json.loads((tmp_path / "leaves" / "a" / "evaluation" / "results.json").read_bytes())
    del other["scorer"]
    (tmp_path / "results.json").write_text(json.dumps({**other, "format": "fieldwise.results/9"}))
    notes = Metrics.from_json(run("aggregate", tmp_path, "--json").stdout).notes
    assert notes == (
        Note.of("results.several_specs", specs=2, without=1),
        Note.of("results.mixed_counts"),
        Note.of("results.unknown_formats", count=1, formats=["fieldwise.results/9"]),
    )


def test_a_result_that_says_nothing_is_a_failure(tmp_path: Path) -> None:
    """``null`` and ``{}`` are listed beside a result, and the exit code is that of documents that failed."""
    result = json.dumps({"confusion_matrix": {"fields": {"a": {"overall": {"tp": 1}}}}})
    for name, content in (("a", "null"), ("b", "{}"), ("c", result)):
        (tmp_path / f"{name}.json").write_text(content)
    done = run("aggregate", tmp_path, "--json")
    assert done.returncode == 3
    assert [e.error for e in Metrics.from_json(done.stdout).errors] == [
        f"Expected an evaluation result, got {content}" for content in ("null", "{}")
    ]


def test_sections_apart_are_one_document_that_is_right_or_not(tmp_path: Path) -> None:
    """Results of one id that follow each other are its sections: without error where all of them are."""
    right, wrong = ({"fields": {"a": {"overall": {"tp": tp, "fd": 1 - tp, "fp": 1 - tp}}}} for tp in (1, 0))
    lines = [("a", right), ("a", right), ("b", right), ("b", wrong)]
    held = [{"doc_id": name, "comparison_result": {"confusion_matrix": matrix}} for name, matrix in lines]
    (tmp_path / "lines.jsonl").write_text("".join(json.dumps(line) + "\n" for line in held))
    found = Metrics.from_json(run("aggregate", tmp_path, "--json").stdout).document_metrics
    assert (found.exact_documents, found.exact_rate.value, found.exact_rate.n) == (1, 0.5, 2)


def _stopped_at(count: int) -> Callable[[int, int], None]:
    calls = iter(range(count))

    def stop(done: int, earlier: int) -> None:
        if next(calls, None) is None:
            raise KeyboardInterrupt

    return stop


@pytest.mark.parametrize("kind", ["invoices", "flat"])
def test_results_and_the_run_are_made_of_the_same_outcomes(tmp_path: Path, kind: str) -> None:
    """The run is the same with and without results of its documents, which are the same however it was evaluated: by
    several workers, or stopped and resumed."""
    pairs = [
        {"id": f"d{n}", "expected": {"t": n, "u": "x"}, "predicted": {"t": n % 3, "u": "x", "v": 1}} for n in range(40)
    ]
    sides: Any
    sides, predicted = (pairs, None) if kind == "flat" else _written(tmp_path, kind)
    settings: dict[str, Any] = {"predicted": predicted, "title": "x", "shard_documents": len(pairs) // 4}
    evaluate_pairs(sides, out=tmp_path / "without", **settings)
    for name, workers in (("one", 1), ("two", 2)):
        evaluate_pairs(sides, out=tmp_path / name, results_json=tmp_path / f"{name}-r", workers=workers, **settings)
    into = {"out": tmp_path / "again", "results_json": tmp_path / "again-r", **settings}
    if kind == "invoices":  # what was in memory cannot be resumed
        with pytest.raises(KeyboardInterrupt):
            evaluate_pairs(sides, progress=_stopped_at(2), **into)
        assert any((tmp_path / "again-r").rglob("results.json"))
        evaluate_pairs(sides, resume=True, **into)
        assert files_of(tmp_path / "again") == files_of(tmp_path / "without")
        assert files_of(tmp_path / "again-r") == files_of(tmp_path / "one-r")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two") == files_of(tmp_path / "without")
    assert files_of(tmp_path / "one-r") == files_of(tmp_path / "two-r")


def test_results_of_an_evaluation_that_cannot_go_on_are_removed(tmp_path: Path) -> None:
    """So that the same call can be made again; what can be resumed goes on in the same folder, and in no other."""
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(
        "".join(json.dumps({"id": n, "expected": {"t": n}, "predicted": {"t": 1}}) + "\n" for n in range(9))
    )
    results = tmp_path / "r"
    with pytest.raises(KeyboardInterrupt):
        evaluate_pairs(pairs, results_json=results, shard_documents=2, progress=_stopped_at(1))
    assert not any(results.rglob("results.json"))
    with pytest.raises(KeyboardInterrupt):
        evaluate_pairs(pairs, out=tmp_path / "out", results_json=results, shard_documents=2, progress=_stopped_at(1))
    with pytest.raises(SettingError, match="results_json changed"):
        evaluate_pairs(pairs, out=tmp_path / "out", results_json=tmp_path / "q", shard_documents=2, resume=True)
    evaluate_pairs(pairs, out=tmp_path / "out", results_json=results, shard_documents=2, resume=True)
    assert len(list(results.rglob("results.json"))) == 9


def test_a_folder_that_holds_anything_is_refused(tmp_path: Path) -> None:
    """Before anything is compared."""
    (tmp_path / "x").write_text("")
    with pytest.raises(SettingError, match="it holds x; choose an empty folder"):
        evaluate_pairs([("a", {"t": 1}, {"t": 1})], results_json=tmp_path)


def test_results_of_the_product_are_added_up(tmp_path: Path) -> None:
    """The matrix may be in the metrics of a section, or in the comparison that it keeps; sections that were skipped, or
    whose evaluation failed, have none. Scores are those of the documents."""
    matrix = {"overall": {"tp": 1}, "fields": {"total": {"overall": {"tp": 1}}}}
    counts = {"tp": 1, "fa": 0, "fd": 0, "fp": 0, "tn": 0, "fn": 0}
    failed = {"name": "__EVALUATION_FAILURE__", "matched": False, "score": 0.0}
    places: list[dict[str, Any]] = [
        {"metrics": {"confusion_matrix": matrix}},
        {
            "metrics": {"f1_score": 1.0, "weighted_overall_score": 1.0, "_stickler_counts": counts},
            "stickler_comparison_result": {"overall_score": 1.0, "confusion_matrix": matrix, "non_matches": []},
        },
        {"metrics": {"evaluation_skipped": True, "exclusion_reason": "no attributes"}, "attributes": []},
        {"metrics": {"evaluation_failed": True, "failure_type": "X"}, "attributes": [failed]},
    ]
    sections = [{"section_id": str(n), "document_class": "A", **place} for n, place in enumerate(places)]
    excluded = {"evaluation_excluded": True, "weighted_overall_score": None}
    for name, overall, held in (
        ("doc", {"weighted_overall_score": 0.5}, sections),
        ("next", {"weighted_overall_score": 1.0}, sections[1:2]),
        ("left out", excluded, []),
    ):
        path = tmp_path / name / "evaluation" / "results.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"document_id": name, "overall_metrics": overall, "section_results": held}))
    added = aggregated(tmp_path)
    assert (added.document_count, added.fields["total"].tp, added.errors) == (2, 3, ())
    assert added.classes is not None
    assert added.classes["A"].fields["total"].tp == 3
    assert added.document_metrics.mean_overall_score is not None
    assert added.document_metrics.mean_overall_score.value == 0.75
