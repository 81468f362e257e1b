"""What ``fieldwise diff`` says of chance: p-values, and what difference could be detected; scipy as oracle."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as sm_mcnemar  # type: ignore[import-untyped]  # no types

from fieldwise.results.rates import Metric
from fieldwise.runs.measures import difference_of, mean_difference
from tests.stats import oracles

from .results import command, difference, document, tables, write_run

Json = Any
Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
DOCUMENTS = 14
WORTH = stats.norm.ppf(0.975) + stats.norm.ppf(0.8)
"""A difference of so many standard errors shows four times out of five."""
PARTS: dict[str, tuple[Sequence[int], Sequence[int]]] = {
    "strict_f1": ((2, 0, 0, 0), (2, 2, 1, 1)),
    "precision": ((1, 0, 0, 0), (1, 1, 1, 0)),
    "strict_recall": ((1, 0, 0, 0), (1, 1, 0, 1)),
}
"""How often a match, a mismatch, an invented and a missed value count above the line and below it."""


def wrong_in(side: int, number: int) -> list[str]:
    """Return the fields that a run has wrong: the base more names and codes, the candidate more of the items."""
    rules = [
        {"name": number % 2 == 1, "code": number % 3 == 0, "sku": number == 4},
        {"name": number % 6 == 0, "sku": number % 5 == 0, "items": number == 7, "total": number == 9},
    ]
    return [field for field, is_wrong in rules[side].items() if is_wrong]


def two_runs(folder: Path, documents: int) -> tuple[Path, Path]:
    """Evaluate the documents of both runs."""
    sides = [{f"d{k:02d}": document(k, wrong=wrong_in(side, k)) for k in range(documents)} for side in (0, 1)]
    return write_run(folder / "base", sides[0]), write_run(folder / "candidate", sides[1])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two runs on so few documents that all ways to swap them can be tried."""
    return two_runs(tmp_path_factory.mktemp("few"), DOCUMENTS)


def counts_of(runs: Sequence[Path], field: str | None = None) -> list[Numbers]:
    """Return the counts of the documents of each run, a row for each."""

    def row(counts: Counter[str]) -> list[int]:
        return [counts[outcome] for outcome in ("match", "mismatch", "spurious", "missed")]

    found = [tables(folder, field) for folder in runs]
    return [np.array([row(side[name]) for name in sorted(found[0])]) for side in found]


def by_swaps(sides: Sequence[Numbers], figure: Callable[[Numbers], Floats]) -> float:
    """Let scipy swap the two runs in all ways, document by document; ``figure`` is of documents along the last axis."""
    rows, documents = np.concatenate(sides), len(sides[0])

    def statistic(base: Numbers, candidate: Numbers, axis: int) -> Floats:
        assert axis in (-1, np.ndim(base) - 1)
        return figure(rows[candidate.astype(int)]) - figure(rows[base.astype(int)])

    numbers = np.arange(documents), documents + np.arange(documents)
    done = stats.permutation_test(numbers, statistic, permutation_type="samples", vectorized=True, n_resamples=2**20)
    assert len(done.null_distribution) == 2**documents
    return float(done.pvalue)


def rate(metric: str) -> Callable[[Numbers], Floats]:
    """Return the rate of all documents together."""
    above, below = (np.array(part) for part in PARTS[metric])
    return lambda rows: (rows @ above).sum(axis=-1) / (rows @ below).sum(axis=-1)


def mean_rate(rows: Numbers) -> Floats:
    """Return the mean of the documents' own strict F1."""
    above, below = (np.array(part) for part in PARTS["strict_f1"])
    return np.asarray(((rows @ above) / (rows @ below)).mean(axis=-1))


def net_right(rows: Numbers) -> Floats:
    """Return how many values are right, less those invented."""
    return np.asarray((rows[..., 0] - rows[..., 2]).sum(axis=-1), float)


def test_all_values_are_tested_by_all_swaps(runs: tuple[Path, Path]) -> None:
    """The chance of the verdict, of precision and of strict recall is scipy's over all swaps of documents."""
    found, sides = difference(*runs), counts_of(runs)
    rows = {"strict_f1": found["total"], **{name: found["headlines"][name] for name in ("precision", "strict_recall")}}
    for metric, row in rows.items():
        assert row["test"] == "permutation"
        assert row["p"] == pytest.approx(by_swaps(sides, rate(metric))), metric
        assert 0.001 < row["p"] < 0.999


@pytest.mark.parametrize("metric", ["precision", "strict_recall"])
def test_the_chosen_rate_is_tested(runs: tuple[Path, Path], metric: str) -> None:
    """``--metric`` decides what is tested."""
    found = difference(*runs, "--metric", metric)
    assert found["total"]["p"] == pytest.approx(by_swaps(counts_of(runs), rate(metric)))


def test_the_mean_of_documents_is_tested_by_all_swaps(runs: tuple[Path, Path]) -> None:
    """Its chance is scipy's over all swaps of the documents' own rates."""
    found = difference(*runs)["headlines"]["document_macro"]
    assert found["test"] == "sign_flip"
    assert found["p"] == pytest.approx(by_swaps(counts_of(runs), mean_rate))
    assert found["p"] != pytest.approx(0.5)


def test_a_field_in_a_list_is_tested_by_all_swaps(tmp_path: Path) -> None:
    """Where no item is lost or invented, its chance is scipy's over all swaps of the documents' net gains."""
    sides: list[dict[str, tuple[Json, Json]]] = [{}, {}]
    for number in range(DOCUMENTS):
        for side, wrong in enumerate((number % 4, number * number % 3)):
            expected, predicted = document(number)
            for item in predicted["items"][:wrong]:
                item["sku"] = "other"
            sides[side][f"d{number:02d}"] = expected, predicted
    runs = write_run(tmp_path / "base", sides[0]), write_run(tmp_path / "candidate", sides[1])
    found = difference(*runs)["fields"]["items.sku"]
    assert found["test"] == "sign_flip"
    assert found["p"] == pytest.approx(by_swaps(counts_of(runs, "items.sku"), net_right))
    assert 0.001 < found["p"] < 0.999


@pytest.mark.parametrize(("documents", "exact"), [(DOCUMENTS, True), (90, False)])
def test_documents_without_error_are_tested_as_statsmodels_does(tmp_path: Path, documents: int, exact: bool) -> None:
    """McNemar's test of the documents that one run alone has without error, exact below 25 of them."""
    runs = two_runs(tmp_path, documents)
    right = list(zip(*((side[:, 1:].sum(axis=1) == 0).tolist() for side in counts_of(runs)), strict=True))
    square = [[right.count((a, b)) for b in (True, False)] for a in (True, False)]
    assert (square[0][1] + square[1][0] < 25) is exact
    found = difference(*runs)["headlines"]["exact_documents"]
    assert found["test"] == "mcnemar"
    assert found["p"] == pytest.approx(sm_mcnemar(square, exact=exact, correction=True).pvalue)
    assert found["p"] != pytest.approx(0.5)
    assert (found["improved"], found["regressed"]) == (square[1][0], square[0][1])


def worth(sides: Sequence[Numbers], metric: Metric) -> float:
    """Return the difference that is seen in four of five sets: that many standard errors, and the added document."""
    above, below = (np.array(part) for part in PARTS[metric])
    parts = [list(zip((side @ above).tolist(), (side @ below).tolist(), strict=True)) for side in sides]
    return with_added(oracles.paired(parts, metric).se, len(sides[0]), 0.25)


def with_added(error: float, n: int, added: float) -> float:
    return WORTH * math.hypot(error, added / n) + added / n


def test_the_difference_that_would_show_is_that_of_the_spread(runs: tuple[Path, Path]) -> None:
    """(z(0.975) + z(0.8)) standard errors, with the document that bounds allow for: half of a lost one, by F1."""
    found = difference(*runs)
    assert found["total"]["detectable"] == pytest.approx(worth(counts_of(runs), "strict_f1"))
    for name in ("code", "items.sku"):
        expected = worth(counts_of(runs, name), "strict_f1")
        assert found["fields"][name]["detectable"] == pytest.approx(expected), name
    base, candidate = (mean_rate(side[:, None, :]) for side in counts_of(runs))
    sides = [[(float(one), 1) for one in side] for side in (base, candidate)]
    expected = with_added(oracles.paired(sides, "document_macro_f1").se, len(base), 0.5)
    assert found["headlines"]["document_macro"]["detectable"] == pytest.approx(expected)


def test_the_difference_that_could_be_detected_is_told(runs: tuple[Path, Path]) -> None:
    """It stands beside the verdict that none is shown."""
    points = 100 * worth(counts_of(runs), "strict_f1")
    assert difference(*runs)["finding"] == "not_shown"
    said = f"With these {DOCUMENTS} documents a difference of {points:.2f} points or more could be detected."
    assert said in " ".join(command("diff", *runs).output.split())


def test_unpaired_bounds_add_the_squares_of_both_distances(runs: tuple[Path, Path]) -> None:
    """Below: the candidate's way down and the base's way up; above: the other two (Newcombe 1998)."""
    files = [folder / "metrics.json" for folder in runs]
    found = difference(files[0], files[1])
    metrics = [json.loads(file.read_bytes()) for file in files]
    bounded = 0
    for name, row in {"": found["total"], **found["fields"]}.items():
        base, candidate = (side["fields"][name] if name else side["aggregate"] for side in metrics)
        (p, low_p, high_p), (q, low_q, high_q) = (
            (side["strict_f1"], side["rates"]["strict_f1"]["low"], side["rates"]["strict_f1"]["high"])
            for side in (base, candidate)
        )
        assert row["delta"] == pytest.approx(q - p)
        assert row["low"] == pytest.approx(q - p - math.sqrt((q - low_q) ** 2 + (high_p - p) ** 2)), name
        assert row["high"] == pytest.approx(q - p + math.sqrt((high_q - q) ** 2 + (p - low_p) ** 2)), name
        bounded += low_p < p < high_p and low_q < q < high_q
    assert bounded >= 3


def many(differing: int) -> tuple[Numbers, Numbers]:
    """Return the counts of two runs that differ in so many of their documents."""
    rng = np.random.default_rng(3)
    base = rng.integers(0, 9, (differing + 500, 4))
    candidate = base.copy()
    candidate[:differing, 0] += rng.choice([-1, 1, 2], differing, p=[0.5, 0.4, 0.1])
    candidate[:differing, 3] += candidate[:differing, 0] < 0
    candidate[:, 0] = np.maximum(candidate[:, 0], 0)
    return base, candidate


@pytest.mark.parametrize("metric", ["strict_f1", "precision"])
def test_where_many_documents_differ_p_is_that_of_a_paired_t_test(metric: Metric) -> None:
    """Above 20,000 the test is scipy's t of one sample: each document's share of the difference, against 0."""
    found, swapped = difference_of(many(20_001), metric), difference_of(many(20_000), metric)
    assert (found.test, swapped.test) == ("paired_t", "permutation")
    weights = [np.array(part) for part in PARTS[metric]]
    residuals = []
    for table in many(20_001):
        top, bottom = table @ weights[0], table @ weights[1]
        residuals.append((top - top.sum() / bottom.sum() * bottom) / bottom.sum())
    there = (many(20_001)[0] @ weights[1] > 0) | (many(20_001)[1] @ weights[1] > 0)
    own = (residuals[1] - residuals[0])[there]
    expected = stats.ttest_1samp(len(own) * own + (found.delta or 0.0), 0.0)
    assert found.p == pytest.approx(float(expected.pvalue), rel=1e-9)
    assert swapped.p == pytest.approx(found.p, abs=0.03)


def test_the_mean_of_many_documents_is_tested_by_the_paired_t_test() -> None:
    """Above 20,000 documents that differ the test of their own rates is scipy's of related samples."""
    tables_of = many(20_001)
    found = mean_difference(tables_of, "precision")
    rates = [table[:, 0] / table[:, :3].sum(axis=1).clip(1) for table in tables_of]
    both = (tables_of[0][:, :3].sum(axis=1) > 0) & (tables_of[1][:, :3].sum(axis=1) > 0)
    assert both.sum() == pytest.approx(found.n, rel=0.01)
    assert found.test == "paired_t"
    assert found.p == pytest.approx(float(stats.ttest_rel(rates[1][both], rates[0][both]).pvalue), abs=0.05)
