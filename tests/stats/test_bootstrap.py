"""The cluster bootstrap against its exact enumeration and scipy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fieldwise.errors import InputError, SettingError
from fieldwise.stats.bootstrap import BootstrapMethod, Floats, bootstrap_interval, jackknife_se, resample
from fieldwise.stats.rates import DENOMINATORS, NUMERATORS

from .examples import VECTORS, documents

A, B = np.array(documents("A")), np.array(documents("B"))
EXACT = VECTORS["exact_cluster_bootstrap"]
REPLICATES = 40_000


def f1(sums: Any) -> Any:
    with np.errstate(invalid="ignore"):
        return (sums @ NUMERATORS["f1"]) / (sums @ DENOMINATORS["f1"])


def share(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return sums[:, 0] / sums[:, 1]


@pytest.mark.parametrize(("run", "rows"), [("A", A), ("B", B)])
def test_exact_enumeration(run: str, rows: Any) -> None:
    """Mean, error and quantiles of drawn replicates approach those of all 92,378 multisets."""
    recorded, drawn = EXACT[f"f1_{run}"], f1(resample(rows, seed=1, replicates=REPLICATES))
    found = bootstrap_interval(rows, f1, seed=1, replicates=REPLICATES)
    assert drawn.mean() == pytest.approx(recorded["mean"], abs=5 * recorded["se"] / math.sqrt(REPLICATES))
    assert found.se == pytest.approx(recorded["se"], abs=5 * recorded["se"] / math.sqrt(2 * REPLICATES))
    assert [found.low, found.high] == pytest.approx(recorded["q025_q975"], abs=0.003)
    assert (found.n, found.undefined, found.method) == (10, 0, "percentile")


def test_paired_enumeration() -> None:
    """Both runs side by side are drawn together: error, interval and the chance of no gain are the recorded ones."""
    recorded, both = EXACT["diff_B_minus_A"], np.hstack([A, B])

    def gain(sums: Floats) -> Any:
        return f1(sums[:, 4:]) - f1(sums[:, :4])

    found = bootstrap_interval(both, gain, seed=2, replicates=REPLICATES)
    assert found.value == pytest.approx(VECTORS["paired_permutation_micro_f1"]["diff_B_minus_A"])
    assert found.se == pytest.approx(recorded["se"], rel=0.02)
    assert [found.low, found.high] == pytest.approx(recorded["q025_q975"], abs=0.004)
    drawn = gain(resample(both, seed=2, replicates=REPLICATES))
    assert (drawn <= 1e-12).mean() == pytest.approx(EXACT["prob_diff_le_0"], abs=0.008)


@pytest.mark.parametrize(("method", "name"), [("percentile", "percentile"), ("bca", "BCa")])
def test_scipy_agrees(method: BootstrapMethod, name: str) -> None:
    """Percentile and BCa intervals are those that scipy draws, and the recorded ones."""
    found = bootstrap_interval(A, f1, seed=3, replicates=REPLICATES, method=method)
    oracle = stats.bootstrap(
        tuple(A.T),
        lambda tp, fd, fa, fn, axis: f1(np.stack([x.sum(axis=axis) for x in (tp, fd, fa, fn)], axis=-1)),
        paired=True,
        vectorized=True,
        n_resamples=9_999,
        method="percentile" if method == "percentile" else "BCa",
        rng=np.random.default_rng(0),
    )
    assert [found.low, found.high] == pytest.approx(list(oracle.confidence_interval), abs=0.008)
    assert [found.low, found.high] == pytest.approx(VECTORS["scipy_bootstrap_f1_A"][name]["ci"], abs=0.004)


@pytest.mark.parametrize(("run", "rows"), [("A", A), ("B", B)])
def test_jackknife(run: str, rows: Any) -> None:
    """Leaving out one document at a time gives the recorded errors."""
    assert jackknife_se(rows, f1) == pytest.approx(VECTORS["jackknife_se"][run], rel=1e-12)


def test_a_mean_of_documents() -> None:
    """Scores with a column of ones give the mean over documents."""
    scores = np.array(VECTORS["point_A"]["per_doc_f1"])
    found = bootstrap_interval(np.column_stack([scores, np.ones(10)]), share)
    assert found.value == pytest.approx(VECTORS["point_A"]["doc_macro_f1"])
    assert found.se == pytest.approx(scores.std() / math.sqrt(10), rel=0.06)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=15), st.sampled_from(["percentile", "bca"]))
def test_intervals_of_a_share_lie_in_0_to_1(parts: list[tuple[int, int]], method: BootstrapMethod) -> None:
    """Whatever the documents, by seed and without warnings."""
    rows = [(right, right + wrong) for right, wrong in parts]
    found, again = (bootstrap_interval(rows, share, replicates=200, method=method) for _ in range(2))
    assert found == again
    if found.low is not None and found.high is not None:
        assert 0 <= found.low <= found.high <= 1
    assert (found.low is None) == (found.se is None)


def test_blocks_do_not_lose_replicates() -> None:
    """Many documents are drawn in blocks."""
    sums = resample(np.ones((50_000, 1)), replicates=170)
    assert sums.shape == (170, 1)
    assert set(sums[:, 0]) == {50_000.0}


@pytest.mark.parametrize("rows", [[], [(3, 4)]])
def test_none_and_one_document(rows: Any) -> None:
    """There is nothing to draw from."""
    found = bootstrap_interval(rows, share)
    assert (found.value, found.low, found.se, found.n) == (0.75 if rows else None, None, None, len(rows))
    assert jackknife_se(rows, share) is None


def test_equal_documents() -> None:
    """Equal documents have no spread, by either method."""
    for method in ("percentile", "bca"):
        found = bootstrap_interval([(1, 2)] * 6, share, replicates=50, method=method)
        assert (found.low, found.high, found.se) == (0.5, 0.5, 0.0)


def test_an_undefined_figure() -> None:
    """A figure that cannot be computed has no interval; replicates without one are counted and left out."""
    assert bootstrap_interval([(0, 0)] * 3, share).value is None
    found = bootstrap_interval([(1, 1), (0, 0), (0, 0), (0, 0)], share, replicates=400)
    assert found.value == found.low == found.high == 1.0
    assert 60 < found.undefined < 200


def test_what_cannot_be_drawn_is_refused() -> None:
    """Rows are numbers, and there is at least one replicate."""
    with pytest.raises(InputError, match="row of numbers"):
        bootstrap_interval([(math.nan, 1.0)], share)
    with pytest.raises(InputError, match="documents to draw from"):
        resample([])
    with pytest.raises(SettingError, match="1 replicate or more"):
        resample([(1, 2)], replicates=0)
    with pytest.raises(SettingError, match="confidence between"):
        bootstrap_interval([(1, 2)] * 3, share, confidence=95)
