"""The cluster bootstrap against its exact enumeration and scipy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from fieldwise.errors import InputError, SettingError
from fieldwise.results.rates import DENOMINATORS, NUMERATORS
from fieldwise.stats.intervals import Floats, percentile_interval, resample

from .examples import VECTORS, documents

A, B = np.array(documents("A")), np.array(documents("B"))
EXACT = VECTORS["exact_cluster_bootstrap"]
REPLICATES = 40_000


def f1(sums: Any) -> Any:
    return (sums @ NUMERATORS["f1"]) / (sums @ DENOMINATORS["f1"])


@pytest.mark.parametrize(("run", "rows"), [("A", A), ("B", B)])
def test_exact_enumeration(run: str, rows: Any) -> None:
    """Mean, error and quantiles of drawn replicates approach those of all 92,378 multisets."""
    recorded, drawn = EXACT[f"f1_{run}"], f1(resample(rows, seed=1, replicates=REPLICATES))
    assert drawn.mean() == pytest.approx(recorded["mean"], abs=5 * recorded["se"] / math.sqrt(REPLICATES))
    assert drawn.std() == pytest.approx(recorded["se"], abs=5 * recorded["se"] / math.sqrt(2 * REPLICATES))
    assert percentile_interval(drawn) == pytest.approx(tuple(recorded["q025_q975"]), abs=0.003)


def test_paired_enumeration() -> None:
    """Both runs side by side are drawn together: error, interval and the chance of no gain are the recorded ones."""
    recorded, both = EXACT["diff_B_minus_A"], np.hstack([A, B])

    def gain(sums: Floats) -> Any:
        return f1(sums[:, 4:]) - f1(sums[:, :4])

    drawn = gain(resample(both, seed=2, replicates=REPLICATES))
    assert drawn.std() == pytest.approx(recorded["se"], rel=0.02)
    assert percentile_interval(drawn) == pytest.approx(tuple(recorded["q025_q975"]), abs=0.004)
    assert (drawn <= 1e-12).mean() == pytest.approx(EXACT["prob_diff_le_0"], abs=0.008)


def test_scipy_agrees() -> None:
    """The middle part of the replicates is the percentile interval that scipy draws, and the recorded one."""
    found = percentile_interval(f1(resample(A, seed=3, replicates=REPLICATES)))
    oracle = stats.bootstrap(
        tuple(A.T),
        lambda tp, fd, fa, fn, axis: f1(np.stack([x.sum(axis=axis) for x in (tp, fd, fa, fn)], axis=-1)),
        paired=True,
        vectorized=True,
        n_resamples=9_999,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    assert found == pytest.approx(tuple(oracle.confidence_interval), abs=0.008)
    assert found == pytest.approx(tuple(VECTORS["scipy_bootstrap_f1_A"]["percentile"]["ci"]), abs=0.004)


def test_the_same_seed_draws_the_same() -> None:
    """Replicates depend on the seed alone."""
    assert (resample(A, seed=5) == resample(A, seed=5)).all()
    assert not (resample(A, seed=5) == resample(A, seed=6)).all()


def test_blocks_do_not_lose_replicates() -> None:
    """Many documents are drawn in blocks."""
    sums = resample(np.ones((50_000, 1)), replicates=170)
    assert sums.shape == (170, 1)
    assert set(sums[:, 0]) == {50_000.0}


def test_what_cannot_be_drawn_is_refused() -> None:
    """Rows are numbers, and there is at least one replicate."""
    with pytest.raises(InputError, match="row of numbers"):
        resample([(math.nan, 1.0)])
    with pytest.raises(InputError, match="documents to draw from"):
        resample([])
    with pytest.raises(SettingError, match="1 replicate or more"):
        resample([(1, 2)], replicates=0)
