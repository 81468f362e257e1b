"""AUROC with documents as clusters: DeLong's where they are single values, the cluster bootstrap as oracle."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]  # it has no types

from fieldwise.stats.confidence_values import Confidences
from fieldwise.stats.discrimination import Discrimination, DocumentSpread, Placements, clustered_discrimination

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
pairs = st.lists(st.tuples(st.booleans(), st.integers(0, 20).map(lambda k: k / 20)), min_size=2, max_size=40)


def confidences(confidence: Floats, right: Bools) -> Confidences:
    return Confidences(confidence, right.astype(np.int64), (~right).astype(np.int64))


def clustered(confidence: Floats, right: Bools, documents: Ints) -> Discrimination:
    placed = Placements.of(confidences(confidence, right))
    assert placed is not None
    return clustered_discrimination(placed, placed.spread(confidence, right, documents))


def delong(confidence: Floats, right: Bools) -> tuple[float, float | None] | None:
    """Return AUROC and its error as DeLong et al. (1988) have them, by every pair of a right and a wrong value."""
    above, below = confidence[right][:, None], confidence[~right][None, :]
    wins = (above > below) + (above == below) / 2
    if not wins.size:
        return None
    if min(wins.shape) < 2:
        return float(wins.mean()), None
    parts = [wins.mean(axis=1 - at).var(ddof=1) / wins.shape[at] for at in (0, 1)]
    return float(wins.mean()), math.sqrt(sum(parts))


def drawn(rng: np.random.Generator, documents: int) -> tuple[Floats, Bools, Ints]:
    """Draw documents of several values that are right and confident together."""
    sizes = 1 + rng.poisson(6, documents)
    number = np.repeat(np.arange(documents), sizes)
    ease = np.repeat(rng.normal(0, 1.2, documents), sizes)
    right = rng.random(len(number)) < 1 / (1 + np.exp(-(0.8 + ease)))
    mood = np.repeat(rng.normal(0, 2, documents), sizes)
    confidence = 1 / (1 + np.exp(-(1.2 * right + mood + rng.normal(0, 0.5, len(number)))))
    return confidence.round(4), right, number


@given(pairs)
def test_single_values_give_delongs_error(made: list[tuple[bool, float]]) -> None:
    """With one value in each document, area and error are DeLong's."""
    right, confidence = np.array([y for y, _ in made]), np.array([c for _, c in made])
    independent = delong(confidence, right)
    if independent is None:
        assert Placements.of(confidences(confidence, right)) is None
        return
    found = clustered(confidence, right, np.arange(len(made)))
    assert found.auroc == pytest.approx(independent[0], abs=1e-12)
    if independent[1] is None:
        assert found.se is None
    else:
        assert found.se == pytest.approx(independent[1], abs=1e-9)


@given(pairs, st.integers(2, 5))
def test_repeated_values_tell_nothing_new(made: list[tuple[bool, float]], times: int) -> None:
    """Documents with the same value several times have the error of single values, not a smaller one."""
    right, confidence = np.array([y for y, _ in made]), np.array([c for _, c in made])
    single = delong(confidence, right)
    if single is None or single[1] is None:
        return
    found = clustered(
        np.repeat(confidence, times), np.repeat(right, times), np.repeat(np.arange(len(made), dtype=np.int64), times)
    )
    assert found.se == pytest.approx(single[1], abs=1e-9)


def test_the_error_is_that_of_the_cluster_bootstrap() -> None:
    """Documents drawn again 1,000 times spread as the closed form says; values taken as independent spread less."""
    confidence, right, number = drawn(np.random.default_rng(3), 120)
    rng, rows = np.random.default_rng(4), [np.flatnonzero(number == k) for k in range(120)]
    areas = []
    for _ in range(1000):
        at = np.concatenate([rows[k] for k in rng.integers(0, 120, 120)])
        areas.append(roc_auc_score(right[at], confidence[at]))
    found, naive = clustered(confidence, right, number), delong(confidence, right)
    assert found.se == pytest.approx(float(np.std(areas)), rel=0.1)
    assert naive is not None
    assert naive[1] is not None
    assert found.se is not None
    assert naive[1] < 0.9 * found.se
    assert found.low is not None
    assert found.high is not None
    assert [found.low, found.high] == pytest.approx(np.quantile(areas, [0.025, 0.975]).tolist(), abs=0.01)


def test_spreads_add_up() -> None:
    """Documents in two parts give what they give together."""
    confidence, right, number = drawn(np.random.default_rng(5), 40)
    placed = Placements.of(confidences(confidence, right))
    assert placed is not None
    whole = placed.spread(confidence, right, number)
    parts = [placed.spread(confidence[rows], right[rows], number[rows]) for rows in (number < 17, number >= 17)]
    together = parts[0] + parts[1] + DocumentSpread()
    for name in ("documents", "with_right", "with_wrong", "right", "wrong", "both"):
        assert getattr(together, name) == pytest.approx(getattr(whole, name))


def test_errors_in_one_document_have_no_interval() -> None:
    """What one document shows cannot be told from that document."""
    confidence, right = np.array([0.9, 0.8, 0.3, 0.7, 0.6]), np.array([True, True, False, False, True])
    found = clustered(confidence, right, np.array([0, 1, 2, 2, 3]))
    assert (found.se, found.low, found.high) == (None, None, None)
    apart = clustered(np.array([0.9, 0.8, 0.3, 0.2]), np.array([True, True, False, False]), np.arange(4))
    assert (apart.auroc, apart.se, apart.low) == (1.0, 0.0, None)
