"""Clustered intervals: the reference values, statsmodels, and the borders."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import statsmodels.api as sm  # type: ignore[import-untyped]  # it has no types
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, sem
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]  # it has no types

from fieldwise.errors import SettingError
from fieldwise.results.rates import DENOMINATORS, NUMERATORS, RATIOS, Ratio
from fieldwise.stats.clustered import (
    RateInterval,
    logit_interval,
    mean_interval,
    rate_interval,
    rate_intervals,
    share_interval,
)
from fieldwise.stats.moments import Moments

from .examples import VECTORS, Document, anything, documents, moments_of

runs = st.lists(anything(), max_size=25)
PUBLISHED: tuple[Ratio, ...] = ("precision", "recall", "f1")


def se_by_statsmodels(counts: list[Document], ratio: Ratio) -> float:
    """Regress N/D on a constant with weights D, and take the robust error HC1."""
    tops = np.array(counts) @ NUMERATORS[ratio]
    bottoms = np.array(counts) @ DENOMINATORS[ratio]
    tops, bottoms = tops[bottoms > 0], bottoms[bottoms > 0]
    fit = sm.WLS(tops / bottoms, np.ones(len(tops)), weights=bottoms).fit(cov_type="HC1")
    return float(fit.bse[0])


@pytest.mark.parametrize("run", ["A", "B"])
@pytest.mark.parametrize("ratio", PUBLISHED)
def test_example_e(run: str, ratio: Ratio) -> None:
    """Estimate and standard error are the recorded ones, and statsmodels'."""
    recorded = VECTORS[f"delta_{run}"][ratio]
    rate = rate_interval(moments_of(documents(run)), ratio)
    assert rate.value == pytest.approx(recorded["estimate"], rel=1e-14)
    assert rate.se == pytest.approx(recorded["se_n_over_n_minus_1"], rel=1e-12)
    assert rate.se == pytest.approx(se_by_statsmodels(documents(run), ratio), rel=1e-12)
    assert (rate.n, rate.method) == (10, "logit")


@pytest.mark.parametrize("run", ["A", "B"])
@pytest.mark.parametrize("ratio", ["f1", "strict_f1"])
def test_the_logit_interval_of_example_e(run: str, ratio: Ratio) -> None:
    """The interval of F1 on the logit scale is the recorded one; without wrong values strict F1 is F1."""
    rate = rate_interval(moments_of(documents(run)), ratio)
    assert [rate.low, rate.high] == pytest.approx(VECTORS[f"delta_{run}"]["f1"]["ci_logit_t_df9"], rel=1e-12)


def test_recall_is_the_clustered_regression_of_its_values() -> None:
    """Values as rows with documents as clusters give the same error (statsmodels, its own correction)."""
    counts = documents("A")
    right = [value for tp, _, _, fn in counts for value in [1.0] * tp + [0.0] * fn]
    groups = [k for k, (tp, _, _, fn) in enumerate(counts) for _ in range(tp + fn)]
    ols = sm.OLS(right, np.ones(len(right))).fit(cov_type="cluster", cov_kwds={"groups": np.array(groups)})
    rate = rate_interval(moments_of(counts), "recall")
    recorded = VECTORS["recall_A_leaf_OLS_cluster"]["se_statsmodels_default_correction"]
    assert rate.se == pytest.approx(recorded, rel=1e-9)
    assert rate.se == pytest.approx(float(ols.bse[0]), rel=1e-9)


@settings(deadline=None)
@given(st.lists(anything(), min_size=2, max_size=25))
def test_statsmodels_agrees(counts: list[Document]) -> None:
    """On any documents, every ratio strictly between 0 and 1 has statsmodels' robust error."""
    for ratio, rate in rate_intervals(moments_of(counts)).items():
        if rate.method == "logit" and rate.se is not None:
            assert math.isclose(rate.se, se_by_statsmodels(counts, ratio), rel_tol=1e-7, abs_tol=1e-9)


@given(runs)
def test_intervals_lie_in_0_to_1_and_hold_the_value(counts: list[Document]) -> None:
    """0 ≤ low ≤ value ≤ high ≤ 1, wherever there are two documents."""
    for ratio, rate in rate_intervals(moments_of(counts)).items():
        if rate.n < 2:
            assert (rate.low, rate.high, rate.se, rate.method) == (None, None, None, None)
        if rate.value is None:
            assert not any(np.array(counts).reshape(-1, 4) @ DENOMINATORS[ratio])
        if rate.low is not None and rate.high is not None and rate.value is not None:
            assert 0 <= rate.low <= rate.value + 1e-12
            assert rate.value - 1e-12 <= rate.high <= 1


@given(st.lists(anything(), min_size=2, max_size=25))
def test_more_confidence_is_a_wider_interval(counts: list[Document]) -> None:
    """An interval of 80 % lies in that of 95 %, and that in the one of 99 %."""
    moments = moments_of(counts)
    for ratio in RATIOS:
        rates = [rate_interval(moments, ratio, confidence) for confidence in (0.8, 0.95, 0.99)]
        for narrow, wide in itertools.pairwise(rates):
            if narrow.low is None or wide.low is None or narrow.high is None or wide.high is None:
                continue
            assert wide.low <= narrow.low + 1e-12
            assert narrow.high <= wide.high + 1e-12


@given(runs)
def test_a_document_without_the_field_changes_nothing(counts: list[Document]) -> None:
    """Documents without a denominator are not in n."""
    assert rate_intervals(moments_of(counts)) == rate_intervals(moments_of([*counts, (0, 0, 0, 0)]))


@pytest.mark.parametrize("n", [2, 5, 12, 291])
def test_the_borders_are_clopper_and_pearsons(n: int) -> None:
    """At exactly 0 or 1 the interval counts documents, however many values they have."""
    perfect, hopeless = (
        rate_interval(moments_of([(7, 0, 0, 0)] * n), "f1"),
        rate_interval(moments_of([(0, 3, 0, 0)] * n), "precision"),
    )
    assert (perfect.low, perfect.high) == pytest.approx(proportion_confint(n, n, method="beta"))
    assert (hopeless.low, hopeless.high) == pytest.approx(proportion_confint(0, n, method="beta"))
    assert perfect.method == hopeless.method == "clopper_pearson"
    assert perfect.se == hopeless.se == 0.0


def test_recorded_borders() -> None:
    """0 of 12 and 5 of 5 documents have the recorded intervals."""
    none_right = rate_interval(moments_of([(0, 1, 0, 0)] * 12), "strict_f1")
    all_right = rate_interval(moments_of([(1, 0, 0, 0)] * 5), "strict_f1")
    assert [none_right.low, none_right.high] == pytest.approx(VECTORS["binomial"]["0/12"]["beta"])
    assert [all_right.low, all_right.high] == pytest.approx(VECTORS["binomial"]["5/5"]["beta"])


def test_nothing_and_one_document() -> None:
    """Without documents there is no rate, with one there is no interval."""
    assert {rate.value for rate in rate_intervals(Moments()).values()} == {None}
    rate = rate_interval(moments_of([(3, 1, 0, 0)]), "precision")
    assert (rate.value, rate.low, rate.high, rate.n, rate.se, rate.method) == (0.75, None, None, 1, None, None)


@given(document=anything(), n=st.integers(2, 400), confidence=st.sampled_from([0.8, 0.95, 0.99]))
def test_documents_that_are_all_alike_have_clopper_and_pearsons_interval(
    document: Document, n: int, confidence: float
) -> None:
    """Where every document has the same ratio R, the bounds are beta quantiles for R·n of n documents (scipy)."""
    for ratio, rate in rate_intervals(moments_of([document] * n), confidence).items():
        if rate.value is None:
            continue
        right, tail = rate.value * n, (1 - confidence) / 2
        low = beta.ppf(tail, right, n - right + 1) if right else 0.0
        high = beta.ppf(1 - tail, right + 1, n - right) if right < n else 1.0
        assert (rate.low, rate.high) == pytest.approx((low, high), rel=1e-9), ratio
        assert (rate.se, rate.method) == (0.0, "clopper_pearson")


def test_an_interval_of_documents_that_are_alike_has_a_width() -> None:
    """Eight documents with one of two values right tell little of others, although none differs from the rest."""
    rate = rate_interval(moments_of([(1, 0, 0, 1)] * 8), "recall")
    assert (rate.low, rate.high) == pytest.approx(proportion_confint(4, 8, method="beta"))


@pytest.mark.parametrize("n", [2, 10, 200])
def test_bounds_near_the_borders_are_near_those_at_the_borders(n: int) -> None:
    """A ratio of one in a million, or all but one, has almost the interval of 0 or of 1."""
    million = 1_000_000
    for near, at in [((1, 0, 0, million), (0, 0, 0, 1)), ((million, 0, 0, 1), (1, 0, 0, 0))]:
        beside, border = (rate_interval(moments_of([counts] * n), "recall") for counts in (near, at))
        assert (beside.low, beside.high) == pytest.approx((border.low, border.high), abs=1e-3)


UNIT = 10**12
SCORES = st.lists(st.integers(0, UNIT), min_size=2, max_size=30)


def mean_of(scores: list[int]) -> RateInterval:
    return mean_interval(sum(scores), sum(score * score for score in scores), len(scores), unit=UNIT)


@pytest.mark.parametrize("run", ["A", "B"])
def test_the_document_macro_of_example_e(run: str) -> None:
    """The mean of the documents' own F1 is the recorded one."""
    scores = [round(2 * tp * UNIT / (2 * tp + 2 * fd + fa + fn)) for tp, fd, fa, fn in documents(run)]
    assert mean_of(scores).value == pytest.approx(VECTORS[f"point_{run}"]["doc_macro_f1"], abs=1e-11)


@given(SCORES)
def test_the_error_of_a_mean_is_that_of_its_scores(scores: list[int]) -> None:
    """SE is the standard error of the mean (scipy), and the mean is that of the scores."""
    rate, shares = mean_of(scores), np.array(scores) / UNIT
    assert rate.value == pytest.approx(float(shares.mean()), rel=1e-12)
    assert rate.se == pytest.approx(float(sem(shares)), rel=1e-6, abs=1e-12)
    assert rate.low is not None
    assert rate.high is not None
    assert 0 <= rate.low <= shares.mean() + 1e-12
    assert shares.mean() - 1e-12 <= rate.high <= 1


@given(st.lists(st.booleans(), min_size=2, max_size=60))
def test_a_mean_of_scores_is_a_ratio_of_counts(right: list[bool]) -> None:
    """Documents that are all right or all wrong have the interval of a ratio whose denominator is 1 in each."""
    counts = [(1, 0, 0, 0) if every else (0, 0, 0, 1) for every in right]
    by_counts = rate_interval(moments_of(counts), "recall")
    by_scores = mean_of([UNIT if every else 0 for every in right])
    assert (by_scores.low, by_scores.high) == pytest.approx((by_counts.low, by_counts.high))
    assert by_scores.se == pytest.approx(by_counts.se)
    assert by_scores.method == by_counts.method


def test_a_mean_beside_1_is_not_lost() -> None:
    """A mean that no floating number tells from 1 has an interval, too."""
    rate = mean_interval(10**7 * UNIT - 1, 10**7 * UNIT * UNIT - 2 * UNIT + 1, 10**7, unit=UNIT)
    assert (rate.value, rate.high) == (1.0, 1.0)
    assert rate.low is not None
    assert 0.9999 < rate.low < 1


def test_means_of_nothing_and_of_one() -> None:
    """Without documents there is no mean and no share, with one there is no interval."""
    for nothing in (mean_interval(0, 0, 0, unit=UNIT), share_interval(0, 0)):
        assert (nothing.value, nothing.low, nothing.high, nothing.n) == (None, None, None, 0)
    for one in (mean_interval(UNIT, UNIT * UNIT, 1, unit=UNIT), share_interval(1, 1)):
        assert (one.value, one.low, one.high, one.n) == (1.0, None, None, 1)


@given(st.integers(2, 500), st.data())
def test_a_share_of_documents_has_wilsons_interval(n: int, data: st.DataObject) -> None:
    """Documents are independent of each other, so that a share of them needs no more (statsmodels)."""
    part = data.draw(st.integers(0, n))
    rate = share_interval(part, n)
    assert (rate.low, rate.high) == pytest.approx(proportion_confint(part, n, method="wilson"), abs=1e-12)
    assert (rate.value, rate.n, rate.method) == (part / n, n, "wilson")


def test_wrong_values_lower_the_strict_ratios() -> None:
    """80 right, 15 wrong, 5 missing: the two conventions of the recorded table."""
    moments = moments_of([(1, 0, 0, 0)] * 80 + [(0, 1, 0, 0)] * 15 + [(0, 0, 0, 1)] * 5)
    recorded = VECTORS["fd_conventions"]
    names: dict[Ratio, str] = {
        "precision": "precision",
        "recall": "recall_without_fd",
        "strict_recall": "recall_with_fd",
        "f1": "f1_without_fd",
        "strict_f1": "f1_with_fd",
    }
    for ratio, name in names.items():
        assert rate_interval(moments, ratio).value == pytest.approx(recorded[name])


def test_an_extreme_spread_stays_in_range() -> None:
    """A spread that no number holds on the logit scale ends at 0 and 1."""
    assert logit_interval(0.5, 1e4, 12.7) == pytest.approx((0.0, 1.0))


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, float("nan")])
def test_a_confidence_is_a_share(confidence: float) -> None:
    """95 is not 0.95."""
    with pytest.raises(SettingError, match="confidence between 0 and 1"):
        rate_interval(moments_of(documents("A")), "f1", confidence)
