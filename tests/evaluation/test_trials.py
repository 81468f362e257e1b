"""Repeated ids are trials of one document: its counts add up, and it is one unit of every interval."""

from __future__ import annotations

import json
import random
import statistics
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from click.testing import CliRunner, Result
from examples.generate_invoices import generate

from fieldwise.api import Evaluation, evaluate_pairs
from fieldwise.cli import cli
from fieldwise.readers.pairs import open_pairs
from fieldwise.render.text import to_text
from fieldwise.stats.histograms import CountHistogram
from fieldwise.stats.intervals import rate_intervals
from fieldwise.views.evaluation import evaluation_view
from tests.folders import stored_rows
from tests.page_answers import run_of

DOCUMENTS, TRIALS = 30, 3
COUNTS = ("tp", "fp", "fn", "tn", "fd", "fa", "written_differently", "similar", "row_rejected")
Pairs = list[dict[str, Any]]


def command(*arguments: str | Path, columns: int = 150) -> Result:
    return CliRunner().invoke(cli, ["evaluate", *map(str, arguments)], env={"COLUMNS": str(columns)})


def write_lines(path: Path, lines: Iterable[Any]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def trials() -> Pairs:
    """Invoices with three predictions each, one run after the other; every eighth prediction is not there."""
    made, others = list(generate(DOCUMENTS, 5)), list(generate(DOCUMENTS, 8))
    pairs = []
    for trial in range(TRIALS):
        for number in range(DOCUMENTS):
            expected = made[number].expected
            predicted = made[number].predicted if trial == number % TRIALS else dict(expected)
            if trial == 2 and number % 5 == 0:
                predicted = others[number].predicted
            pair = {"id": f"inv-{number:03d}", "expected": expected, "predicted": predicted}
            if (number + trial) % 8 == 0:
                del pair["predicted"]
            pairs.append(pair)
    return pairs


def evaluated(folder: Path, lines: Pairs, **options: Any) -> Evaluation:
    folder.mkdir(parents=True, exist_ok=True)
    return evaluate_pairs(open_pairs(write_lines(folder / "pairs.jsonl", lines)), out=folder / "results", **options)


def rows_in(folder: Path, name: str) -> list[dict[str, Any]]:
    return stored_rows(folder / "results", name)


@pytest.mark.parametrize("unmatched", ["leaves", "objects"])
def test_copies_of_the_same_predictions_change_counts_only(
    unmatched: Literal["leaves", "objects"], trials: Pairs, tmp_path: Path
) -> None:
    """Four copies give the same rates and intervals of as many documents, and four times the counts."""
    once = evaluated(tmp_path / "once", trials[:DOCUMENTS], unmatched=unmatched).metrics
    four = evaluated(tmp_path / "four", trials[:DOCUMENTS] * 4, unmatched=unmatched).metrics
    assert (four.document_count, four.trial_count) == (DOCUMENTS, 4 * DOCUMENTS)
    assert (once.document_count, once.trial_count) == (DOCUMENTS, DOCUMENTS)
    assert four.documents == {status: 4 * count for status, count in once.documents.items()}
    assert four.document_metrics == once.document_metrics
    assert four.field_macro == once.field_macro
    assert four.fields.keys() == once.fields.keys()
    for row, copied in zip(rows_of(once.to_dict()), rows_of(four.to_dict()), strict=True):
        assert [copied.get(name, 0) for name in COUNTS] == [4 * row.get(name, 0) for name in COUNTS]
        assert numbers_in(copied) == pytest.approx(numbers_in(row), rel=1e-12)
        assert [bounds["n"] for bounds in copied["rates"].values()] == [bounds["n"] for bounds in row["rates"].values()]


def rows_of(metrics: Any) -> Iterator[Any]:
    yield metrics["aggregate"]
    yield from metrics["fields"].values()


def numbers_in(row: Any) -> dict[str, float]:
    """Return the rates of a row and their bounds."""
    rates = {name: value for name, value in row.items() if name not in (*COUNTS, "rates", "scope")}
    bounds = {f"{name} {b}": held[b] for name, held in row["rates"].items() for b in ("low", "high")}
    return {name: value for name, value in (rates | bounds).items() if value is not None}


def test_a_document_is_the_sum_and_the_mean_of_its_trials(trials: Pairs, tmp_path: Path) -> None:
    """Intervals are those of the summed counts of documents; its score, F1 and exactness are means over trials."""
    metrics = evaluated(tmp_path, trials).metrics
    rows = rows_in(tmp_path, "documents")
    assert sorted((row["document"], row["trial"]) for row in rows) == [
        (f"inv-{number:03d}", trial) for number in range(DOCUMENTS) for trial in range(1, TRIALS + 1)
    ]
    histogram, f1s, exact, scores = CountHistogram(), [], [], []
    for number in range(DOCUMENTS):
        own = [row for row in rows if row["document"] == f"inv-{number:03d}"]
        tp, fd, fa, fn = (sum(row[name] for row in own) for name in ("tp", "fd", "fa", "fn"))
        histogram.add((tp, fd, fa, fn))
        f1s.append(statistics.fmean(strict_f1(row) for row in own))
        exact.append(statistics.fmean(not (row["fd"] or row["fa"] or row["fn"]) for row in own))
        scores.append(statistics.fmean(row["score"] for row in own))
    for ratio, rate in rate_intervals(histogram).items():
        of_run = metrics.aggregate.rates.of(ratio)
        assert (rate.low, rate.high, rate.n) == (of_run.low, of_run.high, of_run.n)
    of_documents = metrics.document_metrics
    for name, values in (("macro_strict_f1", f1s), ("exact_rate", exact), ("weighted_score", scores)):
        mean = getattr(of_documents, name)
        assert mean.value == pytest.approx(statistics.fmean(values), abs=1e-11)
        assert mean.n == DOCUMENTS
    assert metrics.document_metrics.exact_documents == sum(value == 1 for value in exact)
    assert sum(metrics.document_metrics.score_histogram) == DOCUMENTS


def strict_f1(row: dict[str, Any]) -> float:
    return float(2 * row["tp"]) / float(2 * row["tp"] + 2 * row["fd"] + row["fa"] + row["fn"])


def test_order_and_shards_change_no_byte(trials: Pairs, tmp_path: Path) -> None:
    """Trials may be anywhere in the file, as pairs or as one truth with several predictions."""
    first = evaluated(tmp_path / "first", trials)
    mixed = trials[:]
    random.Random(3).shuffle(mixed)
    in_order = {pair["id"]: iter([p for p in trials if p["id"] == pair["id"]]) for pair in trials}
    shuffled = [next(in_order[pair["id"]]) for pair in mixed]
    evaluated(tmp_path / "shuffled", shuffled, shard_documents=7)
    evaluated(tmp_path / "together", sorted(trials, key=lambda pair: str(pair["id"])), shard_documents=1, workers=2)
    whole = (tmp_path / "first" / "results" / "metrics.json").read_bytes()
    for name in ("shuffled", "together"):
        assert (tmp_path / name / "results" / "metrics.json").read_bytes() == whole
        assert sorted_rows(tmp_path / name) == sorted_rows(tmp_path / "first")
    truths = {pair["id"]: pair["expected"] for pair in trials}
    everywhere = [pair for pair in trials if "predicted" in pair]
    expected = write_lines(tmp_path / "e.jsonl", ({"id": name, "document": truth} for name, truth in truths.items()))
    predicted = write_lines(
        tmp_path / "p.jsonl", ({"id": pair["id"], "document": pair["predicted"]} for pair in everywhere)
    )
    two_files = evaluate_pairs(open_pairs(expected, predicted)).metrics
    kept = evaluated(tmp_path / "kept", everywhere).metrics
    assert two_files.aggregate == kept.aggregate
    assert two_files.trial_count == kept.trial_count == first.metrics.documents["scored"]


def sorted_rows(folder: Path) -> list[tuple[Any, ...]]:
    keys = ("document", "trial", "field", "path", "predicted_path", "outcome", "score", "expected", "predicted")
    return sorted(tuple(str(row[key]) for key in keys) for row in rows_in(folder, "verdicts"))


def test_expected_documents_that_differ_are_a_failure(tmp_path: Path) -> None:
    """The id is named, none of its trials counts, and the others do."""
    lines = [
        {"id": "d1", "expected": {"total": 1}, "predicted": {"total": 1}},
        {"id": "d2", "expected": {"total": 2}, "predicted": {"total": 2}},
        {"id": "d1", "expected": {"total": 3}, "predicted": {"total": 3}},
        {"id": "d2", "expected": {"total": 2.0}, "predicted": {"total": 5}},
    ]
    done = command(write_lines(tmp_path / "pairs.jsonl", lines), "--out", tmp_path / "results")
    assert done.exit_code == 3
    assert "1 document, 2 trials, 2 values" in done.stdout
    assert "id 'd1' occurs twice, and its expected documents differ" in done.stdout
    (failure,) = map(json.loads, (tmp_path / "results" / "failures.jsonl").read_text().splitlines())
    assert (failure["document"], failure["kind"]) == ("d1", "failed")
    metrics = json.loads((tmp_path / "results" / "metrics.json").read_text())
    assert (metrics["document_count"], metrics["trial_count"], metrics["aggregate"]["tp"]) == (1, 2, 1)


def test_an_expected_document_too_many_is_called_that(tmp_path: Path) -> None:
    """A trial without a prediction says that its id repeats; no id is made up for it."""
    lines = [{"id": "d1", "total": 1}, {"id": "d2", "total": 2}, {"id": "d1", "total": 1}]
    expected = write_lines(tmp_path / "e.jsonl", lines)
    done = command(expected, write_lines(tmp_path / "p.jsonl", lines[:2]), "--out", tmp_path / "results")
    assert done.exit_code == 3
    assert "d1 (trial 2): id 'd1' occurs twice, and trial 2 has no prediction" in done.stdout
    assert "#2" not in done.stdout
    page = run_of(tmp_path / "results")
    assert (page.metrics.document_count, page.metrics.trial_count) == (2, 3)
    assert {(row.document, row.trial) for row in page.documents} == {("d1", 1), ("d1", 2), ("d2", 1)}


def test_without_repeated_ids_nothing_speaks_of_trials(trials: Pairs, tmp_path: Path) -> None:
    """Every document is its first trial."""
    found = evaluated(tmp_path, trials[:DOCUMENTS])
    assert "trial" not in to_text(evaluation_view(found.metrics))
    page = run_of(tmp_path / "results")
    assert {row.trial for row in page.documents} == {row.trial for row in page.values} == {1}
    assert {row["trial"] for name in ("documents", "verdicts") for row in rows_in(tmp_path, name)} == {1}


def test_trials_don_t_decide_how_fields_are_compared(tmp_path: Path) -> None:
    """A spec is inferred from the documents, each once, also where its first line has no expected document."""
    lines: Pairs = []
    for number in range(20):
        lines += [{"id": f"d{number}", "predicted": {"total": "n/a"}}]
        lines += [{"id": f"d{number}", "expected": {"total": "12.50"}, "predicted": {"total": "12.5"}}]
    lines += [{"id": "e", "expected": {"total": "none"}, "predicted": {"total": "none"}}] * 40
    once = evaluated(tmp_path / "once", [*lines[1:40:2], lines[40]])
    assert evaluated(tmp_path / "trials", lines).spec.to_json_schema() == once.spec.to_json_schema()
