"""Two runs by figures of whole documents: the mean of their own F1, and the share of those without error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

from tests.runs.results import verdict_of
from tests.stats import oracles

from .results import answer, command, difference, write_run

Json = Any
ROWS = 40
SMALL = 60
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "x-aws-stickler-comparator": "ExactComparator"},
        "codes": {"type": "array", "items": {"type": "string"}, "x-aws-stickler-comparator": "ExactComparator"},
    },
}


def pairs_of(wrong_small: set[int], wrong_large: int) -> dict[str, tuple[Json, Json]]:
    """Return many small documents, of which some names are wrong, and two large ones with many wrong codes."""
    pairs: dict[str, tuple[Json, Json]] = {}
    for number in range(SMALL):
        expected = {"name": f"name {number}"}
        pairs[f"s{number:02d}"] = expected, {"name": "wrong"} if number in wrong_small else expected
    for number in range(2):
        codes = [f"code {number} {k}" for k in range(ROWS)]
        read = ["wrong" if k < wrong_large else code for k, code in enumerate(codes)]
        pairs[f"l{number}"] = {"codes": codes}, {"codes": read}
    return pairs


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The candidate mends twelve small documents, and breaks as many values of the two large ones."""
    root = tmp_path_factory.mktemp("runs")
    base = write_run(root / "base", pairs_of(set(range(20)), 2), schema=SCHEMA)
    return base, write_run(root / "candidate", pairs_of(set(range(8)), 7), schema=SCHEMA)


def rates(wrong_small: int, wrong_large: int) -> Any:
    """Return the strict F1 of each document."""
    small = [0.0 if number < wrong_small else 1.0 for number in range(SMALL)]
    return np.array([*small, *[1 - wrong_large / ROWS] * 2])


def test_the_verdict_is_about_the_mean_of_documents(runs: tuple[Path, Path]) -> None:
    """All values together show no clear change while documents do; exit code 0."""
    assert difference(*runs)["total"]["finding"] == "not_shown"
    found = difference(*runs, "--metric", "document_macro_f1")
    assert (found["finding"], found["metric"]) == ("better", "document_macro_f1")
    before, after = rates(20, 2), rates(8, 7)
    oracle = oracles.paired([[(rate, 1) for rate in side] for side in (before, after)], "document_macro_f1")
    total = found["total"]
    assert total["delta"] == pytest.approx(after.mean() - before.mean())
    assert (total["low"], total["high"]) == pytest.approx((oracle.low, oracle.high))
    assert (total["base"]["value"], total["n"]) == (pytest.approx(before.mean()), SMALL + 2)
    assert (total["test"], total["improved"], total["regressed"]) == ("sign_flip", 12, 2)
    assert verdict_of(found).startswith("The candidate is better: mean F1 of documents is 18.95 points higher (95%: ")
    assert list(found["headlines"]) == ["strict_f1", "precision", "strict_recall", "exact_documents"]
    assert command("diff", *runs, "--metric", "document_macro_f1").exit_code == 0


def test_the_verdict_is_about_documents_without_error(runs: tuple[Path, Path]) -> None:
    """McNemar's test of documents that exactly one run has right."""
    found = difference(*runs, "--metric", "exact_documents")
    total = found["total"]
    assert (total["base"]["value"], total["candidate"]["value"]) == pytest.approx((40 / 62, 52 / 62))
    assert (total["test"], total["p"]) == ("mcnemar", pytest.approx(binomtest(0, 12).pvalue))
    assert found["finding"] == "better"
    assert "share of documents without error is 19.35 points higher" in verdict_of(found)
    assert list(found["headlines"]) == ["strict_f1", "precision", "strict_recall", "document_macro"]


def test_the_gate_takes_the_same_metrics(runs: tuple[Path, Path]) -> None:
    """Figures of documents are judged by their own intervals; the other way round they fail."""
    sides = [[(rate, 1) for rate in side] for side in (rates(20, 2), rates(8, 7))]
    for metric, low in (
        ("document_macro_f1", oracles.paired(sides, "document_macro_f1").low),
        ("exact_documents", None),
    ):
        found = answer("--baseline", *runs, "--metric", metric)
        assert (found["metric"], found["decision"]) == (metric, "pass")
        if low is not None:
            assert found["checks"][0]["difference"]["low"] == pytest.approx(low)
        back = answer("--baseline", *reversed(runs), "--metric", metric)
        assert (back["decision"], back["exit_code"]) == ("fail", 1)
    assert "mean F1 of documents" in command("gate", "--baseline", *runs, "--metric", "document_macro_f1").output


@pytest.mark.parametrize("metric", ["document_macro_f1", "exact_documents"])
def test_a_run_is_equal_to_itself(runs: tuple[Path, Path], metric: str) -> None:
    """No document rises or falls, and the sentence is about the metric."""
    found = difference(runs[0], runs[0], "--metric", metric)
    assert found["finding"] == "equal"
    words = {"document_macro_f1": "F1 (strict) is the same.", "exact_documents": "of 62 are without error."}
    assert verdict_of(found).endswith(words[metric])


@pytest.mark.parametrize("metric", ["strict_f1", "document_macro_f1", "exact_documents"])
def test_turning_the_runs_around_turns_the_signs(runs: tuple[Path, Path], metric: str) -> None:
    """Whatever the metric: the difference, its bounds and its documents change places, and p stays."""
    there, back = (difference(*sides, "--metric", metric)["total"] for sides in (runs, reversed(runs)))
    assert (there["delta"], there["low"], there["high"]) == pytest.approx((-back["delta"], -back["high"], -back["low"]))
    assert (there["improved"], there["regressed"], there["p"]) == (back["regressed"], back["improved"], back["p"])


@pytest.mark.parametrize("words", [("diff",), ("gate", "--baseline")])
def test_an_unknown_metric_is_refused_with_the_nearest(runs: tuple[Path, Path], words: tuple[str, ...]) -> None:
    """A misspelt metric is a wrong setting."""
    done = command(*words, *runs, "--metric", "exact_docs", columns=300)
    assert done.exit_code == 2
    assert "got 'exact_docs'; did you mean 'exact_documents'?" in done.output


def test_metrics_files_have_no_documents(runs: tuple[Path, Path]) -> None:
    """Without rows there is nothing to take the mean of; a page of a result is not a result."""
    done = command("diff", *(run / "metrics.json" for run in runs), "--metric", "exact_documents")
    assert done.exit_code == 2
    assert "--metric exact_documents needs two --out folders" in " ".join(done.output.split())
    done = command("gate", "--baseline", runs[0] / "report.html", runs[1])
    assert f"is one file of a result; give the folder that holds it: {runs[0]}" in str(done.exception)
