"""What pipelines really write into sections: scored or recorded, nothing lost, and the same wherever it is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fieldwise import Metrics
from fieldwise.results.document_result import DocumentResult
from fieldwise.results.notes import Note
from tests.command_line import run
from tests.folders import stored_rows
from tests.sections import section, write_sections

VALUES = {"number": "X1", "total": 5}
GOOD = section("Invoice", VALUES, [0])
MISSED, RIGHT = (0, 0, 0, 2, 0), (2, 0, 0, 0, 0)


class Case(NamedTuple):
    """A prediction of one section, as it is in its file; what becomes of its document, and a part of the reason."""

    predicted: Any
    status: str
    counts: tuple[int, ...]
    reason: str = ""
    expected: Any = GOOD


CASES = {
    "truncated": Case(
        json.dumps(GOOD)[:40], "unreadable_prediction", MISSED, "section 1: p/truncated/sections/1/result"
    ),
    "empty": Case("", "unreadable_prediction", MISSED, "is empty"),
    "null": Case("null", "wrong_prediction", MISSED, "the prediction is null"),
    "a list": Case("[1]", "wrong_prediction", MISSED, "the prediction is a list"),
    "a null result": Case(section("Invoice", None, [0]), "wrong_prediction", MISSED, "the prediction is null"),
    "a list as result": Case(section("Invoice", [VALUES], [0]), "wrong_prediction", MISSED, "the prediction is a list"),
    "a text as result": Case(section("Invoice", "sorry", [0]), "wrong_prediction", MISSED, "the prediction is a text"),
    "no result": Case(
        {key: GOOD[key] for key in ("document_class", "split_document")}, "wrong_prediction", MISSED, "is null"
    ),
    "JSON in a text": Case(section("Invoice", f"```json\n{json.dumps(VALUES)}\n```", [0]), "scored", RIGHT),
    "an envelope in another": Case(section("Invoice", {"inference_result": VALUES}, [0]), "scored", (0, 0, 2, 2, 0)),
    "no class": Case(section(None, VALUES, [0]), "scored", RIGHT),
    "an empty class": Case({**GOOD, "document_class": {"type": " "}}, "scored", RIGHT),
    "a class as text": Case({**GOOD, "document_class": "invoice"}, "scored", RIGHT),
    "a class that is a number": Case({**GOOD, "document_class": 7}, "scored", RIGHT),
    "pages out of range": Case(section("Invoice", VALUES, [-1, 10**12, 0.5, "x", None]), "scored", RIGHT),
    "pages as text": Case(section("Invoice", VALUES, ["0"]), "scored", RIGHT),
    "pages that are no list": Case(section("Invoice", VALUES, "0-3"), "scored", RIGHT),  # type: ignore[arg-type]
    "confidences out of range": Case(
        section(
            "Invoice", VALUES, [0], explainability_info=[{"number": {"confidence": -1}, "total": {"confidence": 1e9}}]
        ),
        "scored",
        RIGHT,
    ),
    "a confidence of 101": Case(
        section(
            "Invoice", VALUES, [0], explainability_info=[{"number": {"confidence": 101}, "total": {"confidence": 55}}]
        ),
        "scored",
        RIGHT,
    ),
    "confidences that are none": Case(
        section("Invoice", VALUES, [0], explainability_info="high", confidence=[None, 3, {"number": True}]),
        "scored",
        RIGHT,
    ),
    "metering without a price": Case(
        section("Invoice", VALUES, [0], metadata={"pages": "two", "metering": {"a/b/c": {"tokens": 7}, "d": None}}),
        "scored",
        RIGHT,
    ),
    "metadata that is a list": Case(section("Invoice", VALUES, [0], metadata=[1]), "scored", RIGHT),
    "a truncated truth": Case(GOOD, "unreadable_expected", (), "section 1: ", expected='{"inference_result": {"num'),
    "ü 日本 (1) & 'x'": Case(GOOD, "scored", RIGHT),
}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the run of all cases, ``out``, and their results, ``documents``."""
    folder = tmp_path_factory.mktemp("dirty")
    write_sections(folder / "e", {name: {"1": case.expected} for name, case in CASES.items()})
    write_sections(folder / "p", {name: {"1": case.predicted} for name, case in CASES.items()})
    files = "--out", folder / "out", "--results-json", folder / "documents"
    done = run("evaluate", folder / "e", folder / "p", *files)
    assert done.returncode == 3, done.stderr
    assert "Traceback" not in done.stderr
    (folder / "said").write_text(done.stdout)
    return folder


@pytest.mark.parametrize("name", CASES)
def test_every_document_is_scored_or_recorded(evaluated: Path, name: str) -> None:
    """Its row, and its results.json, say the same: status, counts and reason."""
    case = CASES[name]
    rows = {row["document"]: row for row in stored_rows(evaluated / "out", "documents")}
    row = rows[name]
    assert (row["status"], case.reason in (row["reason"] or "")) == (case.status, True)
    assert tuple(row[key] or 0 for key in ("tp", "fd", "fa", "fn", "tn")) == (case.counts or (0,) * 5)
    found = DocumentResult.from_json((evaluated / "documents" / name / "evaluation" / "results.json").read_bytes())
    assert (found.status, found.reason) == (case.status, row["reason"] or "")


def test_all_documents_are_there(evaluated: Path) -> None:
    """Statuses add up to the documents, and every document that is not scored has its reason in the metrics."""
    metrics = Metrics.from_json((evaluated / "out" / "metrics.json").read_bytes())
    assert sum(metrics.documents.values()) == len(CASES)
    assert {error.doc_id for error in metrics.errors} == {n for n, case in CASES.items() if case.status != "scored"}
    assert metrics.document_count == len(CASES) - 1
    assert metrics.sections is not None
    # Of two predicted sections not even the class can be read.
    assert (metrics.sections.paired, metrics.sections.wrong_class, metrics.sections.lost) == (len(CASES) - 3, 0, 2)


def test_what_is_odd_is_said(evaluated: Path) -> None:
    """One sentence each; nothing that was left out is silent."""
    said = (evaluated / "said").read_text()
    for sentence in (
        "1 prediction has confidences from 0 to 100; these were divided by 100.",
        "4 confidences not from 0 to 1 were left out.",
        "2 sections name pages that are no page numbers; these were left out.",
        "1 prediction was read from a code fence (```json).",
        "Unterminated string starting at line 1",
    ):
        assert sentence in " ".join(said.split())


def test_confidences_that_can_be_used_are_in_the_rows(evaluated: Path) -> None:
    """That of 101 is left out alone."""
    rows = stored_rows(evaluated / "out", "verdicts")
    assert {(row["document"], row["path"]): row["confidence"] for row in rows if row["confidence"] is not None} == {
        ("a confidence of 101", "total"): 0.55
    }


def test_metering_is_kept_as_it_came(evaluated: Path) -> None:
    """Quantities without a price are in the row of their document."""
    rows = {row["document"]: row for row in stored_rows(evaluated / "out", "documents")}
    assert json.loads(rows["metering without a price"]["metadata"]) == {
        "pages": "two",
        "metering": {"a/b/c": {"tokens": 7}, "d": None},
    }
    assert rows["metadata that is a list"]["metadata"] is None


def test_aggregate_says_of_the_results_what_the_evaluation_said(evaluated: Path) -> None:
    """The same counts, statuses, failures and exit code."""
    metrics = Metrics.from_json((evaluated / "out" / "metrics.json").read_bytes())
    done = run("aggregate", evaluated / "documents" / "**" / "results.json", "--json")
    assert done.returncode == 3
    added = Metrics.from_json(done.stdout)
    assert (added.document_count, added.documents) == (metrics.document_count, metrics.documents)
    assert added.aggregate.rates == metrics.aggregate.rates
    assert added.spec_fingerprint == metrics.spec_fingerprint
    assert {(e.doc_id, e.kind, e.error) for e in added.errors} == {(e.doc_id, e.kind, e.error) for e in metrics.errors}
    assert added.document_metrics.weighted_score == metrics.document_metrics.weighted_score


@pytest.mark.parametrize("command", [["show"], ["calibrate"], ["gate", "--baseline"], ["diff"]])
def test_every_command_reads_such_a_run(evaluated: Path, command: list[str]) -> None:
    """None of them fails."""
    name, *options = command
    again = [evaluated / "out"] if name in ("gate", "diff") else []
    done = run(name, evaluated / "out", *options, *again)
    assert done.returncode in (0, 4), done.stderr


def test_letter_case_of_classes_does_not_matter_in_splitting(tmp_path: Path) -> None:
    """A page of an Invoice that is predicted as invoice has the right class."""
    write_sections(tmp_path / "e", {"a": {"1": section("Invoice", VALUES, [0, 1])}})
    write_sections(tmp_path / "p", {"a": {"1": section("INVOICE", VALUES, [1, 0])}})
    done = run("evaluate", tmp_path / "e", tmp_path / "p", "--json", "--results-json", tmp_path / "r")
    split = json.loads(done.stdout)["sections"]["splitting"]
    assert [
        split[key] for key in ("page_level_accuracy", "split_accuracy_without_order", "split_accuracy_with_order")
    ] == [
        *(1.0, 1.0, 0.0),
    ]
    result = json.loads((tmp_path / "r" / "a" / "evaluation" / "results.json").read_bytes())["doc_split_metrics"]
    assert {key: result[key] for key in split if key in result and not key.endswith(("accuracy", "order"))} == {
        key: split[key] for key in ("total_pages", "correctly_classified_pages", "total_splits")
    }


def test_sections_that_have_no_partner_are_listed(tmp_path: Path) -> None:
    """The terminal names the first five of them, and says how many more there are."""
    many = {str(n): section("A", {"t": n}, [n]) for n in range(8)}
    write_sections(tmp_path / "e", {"a": many})
    write_sections(tmp_path / "p", {"a": {"0": many["0"], "1": section("B", {"t": 1}, [1])}})
    said = run("evaluate", tmp_path / "e", tmp_path / "p").stdout
    assert "sections: 1 paired · 1 of the wrong class · 6 without a prediction" in said
    assert "a, section 1: A predicted as B" in said
    assert "a, section 5 (A): no prediction" in said
    assert "a, section 6 (A)" not in said
    assert "and 2 more (classification_errors of metrics.json)" in said
    assert "splitting: 1 of 8 pages with the right class · 1 of 8 expected sections" in said


def test_a_file_of_the_same_name_is_another_document(tmp_path: Path) -> None:
    """``loan.json`` beside the sections of ``loan`` keeps its suffix; files among sections that are none are told."""
    for side in ("e", "p"):
        write_sections(tmp_path / side, {"loan": {"1": GOOD}, "loan.json.json": {"1": GOOD}})
        for name in ("loan.json", "loan.json.json.json", "loan/sections/result.json", "loan/sections/1/other.json"):
            (tmp_path / side / name).write_text(json.dumps(VALUES))
        (tmp_path / side / "loan" / "evaluation").mkdir()
        (tmp_path / side / "loan" / "evaluation" / "results.json").write_text("{}")
    done = run("evaluate", tmp_path / "e", tmp_path / "p", "--out", tmp_path / "out", "--json")
    assert done.returncode == 0, done.stderr
    rows = stored_rows(tmp_path / "out", "documents")
    names = ["loan", "loan.json", "loan.json.json", "loan.json.json.json"]
    assert sorted((row["document"], row["tp"]) for row in rows) == [(name, 2) for name in names]
    [told] = (note for note in Metrics.from_json(done.stdout).notes if note.code == "input.sections_not_read")
    assert told.facts["count"] == 2


def test_classes_that_differ_by_case_are_inferred_together(tmp_path: Path) -> None:
    """A field that only one spelling has is compared, and is not outside of the spec."""
    expected = {"a": {"1": section("Invoice", VALUES)}, "b": {"1": section("INVOICE", {**VALUES, "vat": 7})}}
    write_sections(tmp_path / "e", expected)
    write_sections(tmp_path / "p", {"a": expected["a"], "b": {"1": section("invoice", {**VALUES, "vat": 8})}})
    metrics = Metrics.from_json(run("evaluate", tmp_path / "e", tmp_path / "p", "--json").stdout)
    assert (metrics.fields["vat"].fd, metrics.outside) == (1, {})
    assert list(metrics.classes or {}) == ["INVOICE"]


def test_pages_that_are_none_are_told_without_a_class(tmp_path: Path) -> None:
    """What else the envelope says does not matter."""
    write_sections(tmp_path / "e", {"a": {"1": {"inference_result": VALUES}}})
    write_sections(tmp_path / "p", {"a": {"1": {"inference_result": VALUES, "split_document": {"page_indices": "3"}}}})
    notes = Metrics.from_json(run("evaluate", tmp_path / "e", tmp_path / "p", "--json").stdout).notes
    assert Note.of("sections.pages_left_out", count=1) in notes
