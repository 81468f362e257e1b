"""Documents in sections: paired, compared by class, and counted as one document each."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from fieldwise import Metrics, evaluate_pairs, open_pairs, open_run
from fieldwise.evaluation.sections import pair_sections
from fieldwise.readers.source import Section, Sections
from fieldwise.readers.specs import read_classes
from fieldwise.results import FieldMetrics
from fieldwise.results.notes import Note
from fieldwise.stats.histograms import CountHistogram
from fieldwise.stats.intervals import rate_intervals
from tests.command_line import run
from tests.folders import stored_rows
from tests.page_answers import run_of
from tests.sections import EXPECTED, PREDICTED, section, write_sections


def evaluated(folder: Path, expected: Any = EXPECTED, predicted: Any = PREDICTED, **settings: Any) -> Metrics:
    write_sections(folder / "expected", expected)
    write_sections(folder / "predicted", predicted)
    return evaluate_pairs(folder / "expected", predicted=folder / "predicted", **settings).metrics


def counts(row: FieldMetrics | None) -> tuple[int, int, int, int, int]:
    assert row is not None
    return row.tp, row.fd, row.fa, row.fn, row.tn


def test_every_value_of_every_section_counts_once(tmp_path: Path) -> None:
    """Three documents with five expected sections: one of the wrong class, one lost, one that nobody expects."""
    metrics = evaluated(tmp_path)
    assert metrics.documents == {"scored": 3}
    assert metrics.document_count == 3
    assert counts(metrics.aggregate) == (5, 1, 3, 4, 1)
    assert {path: counts(row) for path, row in metrics.fields.items()} == {
        "number": (2, 0, 0, 1, 0),
        "shop": (1, 0, 2, 1, 0),
        "total": (2, 1, 1, 2, 1),
    }
    assert metrics.aggregate.rates.f1.n == 3


def test_fields_of_the_same_name_stay_apart_by_class(tmp_path: Path) -> None:
    """``total`` is a field of both classes: given for each of them, and merged."""
    metrics = evaluated(tmp_path)
    assert metrics.classes is not None
    assert {name: counts(group.fields["total"]) for name, group in metrics.classes.items()} == {
        "Invoice": (1, 1, 0, 1, 0),
        "Receipt": (1, 0, 1, 1, 1),
    }
    assert [group.document_count for group in metrics.classes.values()] == [3, 3]
    assert counts(metrics.fields["total"]) == (2, 1, 1, 2, 1)


def test_a_field_that_one_class_declares_is_declared(tmp_path: Path) -> None:
    """Predicted under another class it is spurious there, and still a field of the run: in its tag and in the mean."""
    shop = {"shop": "Acme", "items": [{"sku": "A"}]}
    expected = {"a.pdf": {"1": section("Invoice", {"number": "A1"}, [0]), "2": section("Receipt", shop, [1])}}
    predicted = {
        "a.pdf": {
            "1": section("Invoice", {"number": "A1", **shop, "colour": "red"}, [0]),
            "2": section("Receipt", shop, [1]),
        }
    }
    metrics = evaluated(tmp_path, expected, predicted)
    scopes = {"colour": "undeclared", "items": "rows", "items.sku": "values", "number": "values", "shop": "values"}
    assert {path: row.scope for path, row in metrics.fields.items()} == scopes
    assert metrics.undeclared_fields == ("colour",)
    own = [metrics.fields[path].strict_f1 for path in ("items.sku", "number", "shop")]
    mean = metrics.field_macro.strict_f1
    assert mean.value == pytest.approx(sum(filter(None, own)) / 3)
    assert (mean.n, mean.skipped) == (3, 0)
    invoices = (metrics.classes or {})["Invoice"].fields
    assert {path for path, row in invoices.items() if row.scope == "undeclared"} == {"colour", "items.sku", "shop"}


def test_classification_errors_are_counted_and_listed(tmp_path: Path) -> None:
    """A wrong class, a lost section and an extra one are told apart, with classes and pages."""
    sections = evaluated(tmp_path).sections
    assert sections is not None
    assert (sections.paired, sections.wrong_class, sections.lost, sections.extra, sections.excluded) == (3, 1, 1, 1, 0)
    assert [(error.doc_id, error.section_id, error.kind) for error in sections.classification_errors] == [
        ("second.pdf", "1", "wrong_class"),
        ("second.pdf", "2", "lost"),
        ("third.pdf", "2", "extra"),
    ]
    assert sections.splitting is not None
    assert (sections.splitting.total_pages, sections.splitting.correctly_classified_pages) == (7, 4)
    assert (sections.splitting.total_splits, sections.splitting.correctly_split_with_order) == (5, 3)


def test_the_matrix_has_every_section_once(tmp_path: Path) -> None:
    """Which class met which, with a place for no section; the counts of each class follow from it."""
    sections = evaluated(tmp_path).sections
    assert sections is not None
    assert sections.confusion is not None
    assert sections.confusion.labels == ("Invoice", "Receipt", "(no section)")
    assert sections.confusion.counts == ((2, 1, 0), (0, 1, 1), (0, 1, 0))
    assert [(row.name, row.tp, row.fp, row.fn) for row in sections.classes] == [
        ("Invoice", 2, 0, 1),
        ("Receipt", 1, 2, 1),
    ]
    invoice = sections.classes[0]
    assert (invoice.recall.value, invoice.recall.n, invoice.recall.unit) == (2 / 3, 3, "documents")
    assert invoice.recall.interval == rate_of([(1, 1), (0, 1), (1, 1)])


def rate_of(documents: list[tuple[int, int]]) -> tuple[float, float] | None:
    """Return the interval of a rate, given the right ones of all in each document."""
    histogram = CountHistogram()
    for right, all_ in documents:
        histogram.add((right, 0, 0, all_ - right))
    return rate_intervals(histogram)["recall"].interval


def test_classes_of_sections_do_not_depend_on_shards(tmp_path: Path) -> None:
    """The same bytes in one shard or in many; by cluster, clusters are the units."""
    whole = evaluated(tmp_path)
    predicted = tmp_path / "predicted"
    parts = evaluate_pairs(tmp_path / "expected", predicted=predicted, shard_documents=1).metrics
    assert parts.to_json() == whole.to_json()
    for path in (tmp_path / "expected").glob("*/sections/*/result.json"):
        content = json.loads(path.read_text()) | {"metadata": {"batch": "one"}}
        path.write_text(json.dumps(content))
    found = evaluate_pairs(tmp_path / "expected", predicted=predicted, cluster_by="batch", shard_documents=1)
    clustered = found.metrics
    assert clustered.sections is not None
    assert {(row.recall.unit, row.recall.n) for row in clustered.sections.classes} == {("clusters", 1)}


def test_a_section_without_a_class_is_in_no_cell(tmp_path: Path) -> None:
    """It may be of any class, and is counted as such; a class may be called as the place of no section."""
    expected = {"a": {"1": section("(no section)", {"x": 1}), "2": section("B", {"x": 1})}}
    predicted = {"a": {"1": section(None, {"x": 1})}}
    sections = evaluated(tmp_path, expected, predicted).sections
    assert sections is not None
    assert sections.without_class == 1
    assert sections.confusion is not None
    assert sections.confusion.labels == ("B", "(no section)")
    both = {"a": {"1": section("(no section)", {"x": 1}), "2": section("B", {"x": 1})}}
    named = evaluated(tmp_path / "named", expected, {"a": {"1": both["a"]["1"]}}).sections
    assert named is not None
    assert named.confusion is not None
    assert named.confusion.labels == ("(no section)", "B", "((no section))")


def test_a_run_with_excluded_documents_is_opened_again(tmp_path: Path) -> None:
    """They have no score and no values; the page says why."""
    config = tmp_path / "classes.yaml"
    config.write_text("classes:\n- x-aws-idp-document-type: B\n  x-aws-idp-exclude-from-processing: true\n")
    both = {"a": {"1": section("A", {"x": 1})}, "b": {"1": section("B", {"x": 1})}}
    evaluated(tmp_path, both, both, spec=read_classes(config), out=tmp_path / "out")
    assert open_run(tmp_path / "out").documents().kinds == {"scored": 1, "excluded_class": 1}
    assert "excluded" in {row.document: row.reason for row in run_of(tmp_path / "out").documents}["b"]


def test_the_page_names_sections_classes_and_slices(tmp_path: Path) -> None:
    """Of every value and of every document; a section that has a partner is told from one that has none."""
    predicted: Any = json.loads(json.dumps(PREDICTED))
    predicted["loan.pdf"]["2"]["metadata"]["vendor"] = "Acme"
    evaluated(tmp_path, predicted=predicted, out=tmp_path / "out", slices=["vendor"])
    page = run_of(tmp_path / "out")
    wrong = {(row.document, row.section, row.document_class, row.path or row.predicted_path) for row in page.errors}
    assert ("second.pdf", "1", "Receipt", "shop") in wrong
    assert ("loan.pdf", "1", "Invoice", "total") in wrong
    documents = {row.document: row for row in page.documents}
    assert documents["loan.pdf"].slices == {"vendor": "Acme"}
    assert documents["third.pdf"].slices == {}
    assert {row.slices.get("vendor") for row in page.values if row.document == "loan.pdf"} == {"Acme"}
    assert [(held.section, held.document_class, held.paired) for held in documents["second.pdf"].sections] == [
        ("1", "Invoice", False),
        ("1", "Receipt", False),
        ("2", "Receipt", False),
    ]
    assert [(held.section, held.paired) for held in documents["loan.pdf"].sections] == [("1", True), ("2", True)]


def test_values_of_a_slice_are_listed(tmp_path: Path) -> None:
    """``show --slice`` takes a key with its value, or alone for documents without one; other names are refused."""
    predicted: Any = json.loads(json.dumps(PREDICTED))
    predicted["loan.pdf"]["2"]["metadata"]["vendor"] = "Acme"
    evaluated(tmp_path, predicted=predicted, out=tmp_path / "out", slices=["vendor"])

    def listed(*options: str) -> set[str]:
        done = run("show", str(tmp_path / "out"), "--json", *options)
        return {row["document"] for row in json.loads(done.stdout)}

    assert listed("--slice", "vendor=Acme") == {"loan.pdf"}
    assert listed("--slice", "vendor") == {"second.pdf", "third.pdf"}
    assert listed("--slice", "vendor=Acme", "--slice", "vendor", "--document", "third.pdf") == {"third.pdf"}
    for wrong, words in (("vendor=Acne", "Acme"), ("vender=Acme", "vendor")):
        done = run("show", str(tmp_path / "out"), "--slice", wrong)
        assert done.returncode == 2
        assert words in done.stderr


def test_rows_carry_section_class_and_confidence(tmp_path: Path) -> None:
    """A verdict row says of which section and class it is, and how sure the prediction was."""
    evaluated(tmp_path, out=tmp_path / "out")
    rows = stored_rows(tmp_path / "out", "verdicts")
    assert len(rows) == 13  # one field of the receipt is absent on both sides
    sure = {(row["section"], row["class"], row["path"]): row["confidence"] for row in rows if row["confidence"]}
    assert sure == {
        ("1", "Invoice", "number"): 0.9,
        ("1", "Invoice", "total"): 0.4,
        ("2", "Receipt", "shop"): 0.8,
        ("2", "Receipt", "total"): 0.7,
    }
    wrong = [
        (row["class"], row["outcome"]) for row in rows if row["document"] == "second.pdf" and row["section"] == "1"
    ]
    assert sorted(wrong) == [
        ("Invoice", "missed"),
        ("Invoice", "missed"),
        ("Receipt", "spurious"),
        ("Receipt", "spurious"),
    ]


def test_documents_have_the_metadata_of_their_sections(tmp_path: Path) -> None:
    """Pages, latencies and metering are added over sections; slices are found in the metadata."""
    predicted: Any = json.loads(json.dumps(PREDICTED))
    predicted["loan.pdf"]["2"]["metadata"]["vendor"] = "Acme"
    metrics = evaluated(tmp_path, predicted=predicted, out=tmp_path / "out", slices=["vendor"])
    row = stored_rows(tmp_path / "out", "documents")[0]
    metering = {"Extraction/bedrock/m": {"inputTokens": 10}}
    assert json.loads(row["metadata"]) == {"pages": 3, "latency_ms": 150, "metering": metering, "vendor": "Acme"}
    assert row["slice.vendor"] == "Acme"
    assert metrics.slices is not None
    assert counts(metrics.slices["vendor"].values["Acme"].aggregate) == (3, 1, 0, 0, 0)


def test_confidences_of_sections_can_be_calibrated(tmp_path: Path) -> None:
    """``calibrate`` finds the confidences that stand beside the predictions of sections."""
    evaluated(tmp_path, out=tmp_path / "out")
    done = run("calibrate", str(tmp_path / "out"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pooled"]["n"] == 4


def test_a_class_is_compared_by_its_own_spec(tmp_path: Path) -> None:
    """NUMERIC_EXACT takes an absolute tolerance; another class with the same field is compared without it."""
    config = tmp_path / "classes.yaml"
    config.write_text(
        "classes:\n"
        "- x-aws-idp-document-type: invoice\n"
        "  type: object\n"
        "  properties:\n"
        "    number: {type: string, x-aws-idp-evaluation-method: EXACT}\n"
        "    total: {type: number, x-aws-idp-evaluation-method: NUMERIC_EXACT, x-aws-idp-evaluation-threshold: 1.5}\n"
        "- x-aws-idp-document-type: Receipt\n"
        "  x-aws-idp-exclude-from-processing: true\n"
    )
    metrics = evaluated(tmp_path, spec=read_classes(config), out=tmp_path / "out")
    assert metrics.classes is not None
    assert {name: counts(group.fields["total"]) for name, group in metrics.classes.items()} == {
        "invoice": (2, 0, 0, 1, 0)
    }
    assert metrics.sections is not None
    assert metrics.sections.excluded == 3
    assert metrics.documents == {"scored": 3}
    again = evaluate_pairs(
        tmp_path / "expected", read_classes(config), predicted=tmp_path / "predicted", out=tmp_path / "again"
    )
    assert again.metrics == metrics
    done = run(
        *(
            "evaluate",
            str(tmp_path / "expected"),
            str(tmp_path / "predicted"),
            "--like",
            str(tmp_path / "out"),
            "--json",
        )
    )
    assert json.loads(done.stdout)["spec_fingerprint"] == metrics.spec_fingerprint


def test_a_class_that_the_config_lacks_is_inferred(tmp_path: Path) -> None:
    """A note says so."""
    config = tmp_path / "classes.json"
    config.write_text(
        json.dumps({"Receipt": {"properties": {"shop": {"type": "string"}, "total": {"type": "number"}}}})
    )
    metrics = evaluated(tmp_path, spec=read_classes(config))
    assert counts(metrics.aggregate) == (5, 1, 3, 4, 1)
    assert Note.of("classes.not_declared", count=1, classes=["Invoice"], inferred=True) in metrics.notes


def test_a_document_of_excluded_classes_only_is_excluded(tmp_path: Path) -> None:
    """It is neither scored nor failed, and its reason is listed."""
    excluded = {"x-aws-idp-document-type": "Invoice", "x-aws-idp-exclude-from-processing": True}
    receipt = {"name": "Receipt", "attributes": [{"name": "shop"}, {"name": "total"}]}
    config = tmp_path / "classes.json"
    config.write_text(json.dumps([excluded, receipt]))
    expected = {"third.pdf": EXPECTED["third.pdf"]} | {"b": {"1": section("Receipt", {"shop": "A", "total": 1})}}
    metrics = evaluated(tmp_path, expected, expected, spec=read_classes(config))
    assert metrics.documents == {"excluded_class": 1, "scored": 1}


def test_workers_shards_and_archives_change_no_byte(tmp_path: Path) -> None:
    """One worker or two, one document in a shard or all, a folder or a zip: the same metrics and rows."""
    evaluated(tmp_path, out=tmp_path / "one")
    sides = tmp_path / "expected", tmp_path / "predicted"
    evaluate_pairs(sides[0], predicted=sides[1], out=tmp_path / "two", workers=2, shard_documents=1)
    zips = [_zipped(side) for side in sides]
    evaluate_pairs(zips[0], predicted=zips[1], out=tmp_path / "zip")
    first = (tmp_path / "one" / "metrics.json").read_bytes()
    assert (tmp_path / "two" / "metrics.json").read_bytes() == first
    assert (tmp_path / "zip" / "metrics.json").read_bytes() == first
    for name in ("documents", "counts", "errors", "verdicts"):
        assert stored_rows(tmp_path / "two", name) == stored_rows(tmp_path / "one", name)


def _zipped(folder: Path) -> Path:
    path = folder.with_suffix(".zip")
    with zipfile.ZipFile(path, "w") as archive:
        for file in folder.rglob("*.json"):
            archive.write(file, file.relative_to(folder).as_posix())
    return path


def test_bad_sections_are_scored_or_recorded(tmp_path: Path) -> None:
    """Truncated files, missing classes, pages and confidences out of range: nothing is lost, and nothing raises."""
    good = section("Invoice", {"total": 1}, [0])
    expected = {name: {"1": good} for name in ("truncated", "no_class", "pages", "sure", "null", "list")}
    expected["broken_truth"] = {"1": '{"inference_result": {"tot', "2": good}  # type: ignore[dict-item]
    odd = section("Invoice", {"total": 1}, metadata={"metering": "free"}, confidence=["x", {"total": "high"}])
    predicted = {
        "truncated": {"1": '{"inference_result": {"total": 1'},
        "no_class": {"1": section(None, {"total": 1})},
        "pages": {"1": section("Invoice", {"total": 1}, [-1, "x", 2.5, 10**9])},
        "sure": {"1": section("Invoice", {"total": 1}, confidence={"total": 250})},
        "null": {"1": section("Invoice", None)},
        "list": {"1": odd},
        "broken_truth": {"1": good},
    }
    metrics = evaluated(tmp_path, expected, predicted, out=tmp_path / "out")
    assert metrics.documents == {
        "scored": 4,
        "unreadable_expected": 1,
        "unreadable_prediction": 1,
        "wrong_prediction": 1,
    }
    assert counts(metrics.aggregate) == (4, 0, 0, 2, 0)
    assert {"sections.pages_left_out", "sections.confidences_left_out"} <= {note.code for note in metrics.notes}
    reasons = {failure.doc_id: failure.error for failure in metrics.errors}
    assert reasons["broken_truth"].startswith("section 1: ")


def test_confidences_from_0_to_100_are_divided(tmp_path: Path) -> None:
    """The scale is that of a document, and a note says so."""
    expected = {"a": {"1": section("Invoice", {"total": 1, "items": [{"sku": "x"}]})}}
    sure = {"total": 98, "items": [{"sku": {"confidence": 50}}]}
    predicted = {"a": {"1": section("Invoice", {"total": 1, "items": [{"sku": "x"}]}, explainability_info=[sure])}}
    metrics = evaluated(tmp_path, expected, predicted, out=tmp_path / "out")
    rows = stored_rows(tmp_path / "out", "verdicts")
    assert {row["path"]: row["confidence"] for row in rows} == {"total": 0.98, "items[0].sku": 0.5}
    assert Note.of("sections.confidences_divided", count=1) in metrics.notes


def test_ten_thousand_sections_are_one_document(tmp_path: Path) -> None:
    """All of them are compared, paired by their pages where ids are others."""
    expected = {"a": {str(n): section("Invoice", {"total": n}, [n]) for n in range(10_000)}}
    predicted = {"a": {f"p{n}": section("Invoice", {"total": n}, [n]) for n in range(10_000)}}
    write_sections(tmp_path / "expected", expected)
    write_sections(tmp_path / "predicted", predicted)
    metrics = evaluate_pairs(tmp_path / "expected", predicted=tmp_path / "predicted").metrics
    assert metrics.document_count == 1
    assert counts(metrics.aggregate) == (10_000, 0, 0, 0, 0)


@pytest.mark.parametrize("claimed", ["one page", "one page and another"])
def test_ten_thousand_sections_of_one_page_are_paired(claimed: str) -> None:
    """Their number does not make the work grow with its square; sections of the same pages find each other."""
    sides = []
    for first in (0, 5_000):
        pages = [(7,) if claimed == "one page" else (7, 10 + first + n) for n in range(10_000)]
        sides.append(tuple(Section(f"{first}-{n}", {}, "A", held) for n, held in enumerate(pages)))
    pairs = pair_sections(Sections(*sides))
    paired = [pair for pair in pairs if pair.status == "paired"]
    same = [pair for pair in paired if pair.expected and pair.predicted and pair.expected.pages == pair.predicted.pages]
    assert len(same) == (10_000 if claimed == "one page" else 5_000)
    assert (
        sum(pair.expected is not None for pair in pairs) == sum(pair.predicted is not None for pair in pairs) == 10_000
    )


def test_other_files_of_a_document_are_no_documents(tmp_path: Path) -> None:
    """What a pipeline writes beside the sections, such as results of an evaluation, is passed over."""
    write_sections(tmp_path / "e", EXPECTED)
    write_sections(tmp_path / "p", PREDICTED)
    (tmp_path / "p" / "loan.pdf" / "evaluation").mkdir()
    (tmp_path / "p" / "loan.pdf" / "evaluation" / "results.json").write_text("{}")
    assert open_pairs(tmp_path / "e", tmp_path / "p").total == 3


def test_a_key_of_plain_documents_names_their_class(tmp_path: Path) -> None:
    """Each class is inferred and counted by itself; a key that no document has is refused with the nearest one."""
    pairs = [
        {"id": "a", "expected": {"kind": "x", "total": 1}, "predicted": {"kind": "x", "total": 1}},
        {"id": "b", "expected": {"kind": "y", "sum": 1}, "predicted": {"kind": "y", "sum": 2}},
    ]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    done = run("evaluate", str(file), "--class-key", "kind", "--json")
    assert set(json.loads(done.stdout)["classes"]) == {"x", "y"}
    assert set(json.loads(done.stdout)["classes"]["y"]["fields"]) == {"kind", "sum"}
    wrong = run("evaluate", str(file), "--class-key", "kin", "--json")
    assert wrong.returncode == 2
    assert "kind" in wrong.stderr


def test_envelopes_of_different_classes_have_nothing_in_common(tmp_path: Path) -> None:
    """A plain document whose prediction is of another class is missed, and what was predicted is invented."""
    pair = {"id": "a", "expected": section("Invoice", {"total": 1}), "predicted": section("Receipt", {"total": 1})}
    same = {"id": "b", "expected": section("Invoice", {"total": 1}), "predicted": section("invoice", {"total": 1})}
    metrics = evaluate_pairs([pair, same]).metrics
    assert counts(metrics.aggregate) == (1, 0, 1, 1, 0)
    assert metrics.sections is not None
    assert metrics.sections.wrong_class == 1


def test_flips_are_found_in_each_section(tmp_path: Path) -> None:
    """Two sections of one class have the same paths; a value that is fixed in one is no flip of the other."""
    write_sections(tmp_path / "e", {"a": {str(n): section("A", {"t": n}, [n]) for n in range(3)}})
    for name, wrong in (("base", 1), ("candidate", 2)):
        predicted = {"a": {str(n): section("A", {"t": 99 if n == wrong else n}, [n]) for n in range(3)}}
        write_sections(tmp_path / f"p-{name}", predicted)
        evaluate_pairs(tmp_path / "e", predicted=tmp_path / f"p-{name}", out=tmp_path / name)
    done = run("diff", tmp_path / "base", tmp_path / "candidate", "--json")
    flips = json.loads(done.stdout)["flips"]
    assert [(flip["direction"], flip["path"]) for flip in flips["shown"]] == [("broken", "2: t"), ("fixed", "1: t")]


@pytest.mark.parametrize(
    ("expected", "predicted", "found"),
    [
        pytest.param([("1", "A", [0])], [("1", "A", [9])], [("paired", "1", "1")], id="the same id and class"),
        pytest.param(
            [("1", "A", [0]), ("2", "B", [1])],
            [("1", "C", [5]), ("2", "A", [0]), ("3", "B", [1])],
            [("paired", "1", "2"), ("paired", "2", "3"), ("extra", None, "1")],
            id="a split that is shifted",
        ),
        pytest.param([("1", "A", [0, 1])], [("7", "B", [1])], [("wrong_class", "1", "7")], id="the same pages"),
        pytest.param([("1", "A", None)], [("x", "a", None)], [("paired", "1", "x")], id="the same class, no pages"),
        pytest.param([("1", "A", [0])], [("2", "A", [5])], [("lost", "1", None), ("extra", None, "2")], id="apart"),
        pytest.param(
            [("1", "A", [0])],
            [("x", "A", [0, 1]), ("y", "A", [0])],
            [("paired", "1", "y"), ("extra", None, "x")],
            id="the same pages come before some of them",
        ),
        pytest.param([("1", None, None)], [("1", "A", None)], [("paired", "1", "1")], id="no class is any class"),
    ],
)
def test_sections_are_paired(expected: Any, predicted: Any, found: Any) -> None:
    """By id and class, then by class and pages; what is left of one id or page is of the wrong class."""
    sides = [
        tuple(Section(name, {}, own, None if pages is None else tuple(pages)) for name, own, pages in side)
        for side in (expected, predicted)
    ]
    pairs = pair_sections(Sections(*sides))
    assert [(p.status, p.expected and p.expected.id, p.predicted and p.predicted.id) for p in pairs] == found
