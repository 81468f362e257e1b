"""Intervals of ratios over documents and of shares: the reference values, statsmodels, and the borders."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
import statsmodels.api as sm  # type: ignore[import-untyped]  # it has no types
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import beta, t
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]  # it has no types

from fieldwise.errors import SettingError
from fieldwise.results.rates import DENOMINATORS, NUMERATORS, RATIOS, Rate, Ratio
from fieldwise.stats.histograms import CountHistogram
from fieldwise.stats.intervals import (
    clopper_pearson,
    logit_interval,
    mean_interval,
    rate_interval,
    rate_intervals,
    share_interval,
    wilson,
)

from .examples import VECTORS, Document, anything, documents, histogram_by_document

runs = st.lists(anything(), max_size=25)
PUBLISHED: tuple[Ratio, ...] = ("precision", "recall", "f1")
SIDES = ((0, -1), (1, 1))
"""Whether the added document is right, and the direction, for the lower and for the upper bound."""


def parts_of(counts: list[Document], ratio: Ratio) -> list[tuple[int, int]]:
    """Return numerator and denominator of each document that has one."""
    weights = NUMERATORS[ratio], DENOMINATORS[ratio]
    parts = [tuple(sum(c * w for c, w in zip(d, of, strict=True)) for of in weights) for d in counts]
    return [(top, bottom) for top, bottom in parts if bottom]


def has_spread(rate: Rate, parts: list[tuple[int, int]]) -> bool:
    """Say whether the bounds come from how documents differ, and not from their number alone."""
    return len({Fraction(top, bottom) for top, bottom in parts}) > 1 and rate.low is not None


def ratio_without(parts: list[tuple[Fraction, Fraction]], left_out: int) -> Fraction:
    kept = [part for k, part in enumerate(parts) if k != left_out]
    return sum((top for top, _ in kept), Fraction()) / sum((bottom for _, bottom in kept), Fraction())


def bound_by_leaving_out(
    parts: list[tuple[int, int]], right: int, direction: int, confidence: float, times: int | None = None
) -> float:
    """Add half of a mean document, take the ratio without each document, and go out on the scale of logits."""
    size = Fraction(sum(bottom for _, bottom in parts), times or 2 * len(parts))
    rows = [*((Fraction(top), Fraction(bottom)) for top, bottom in parts), (right * size, size)]
    rate = ratio_without(rows, -1)
    error = sum((ratio_without(rows, k) - rate) ** 2 for k in range(len(rows)))
    kish = sum(bottom for _, bottom in rows) ** 2 / sum(bottom * bottom for _, bottom in rows)
    half = t.ppf((1 + confidence) / 2, float(kish - 1)) * math.sqrt(error) / float(rate * (1 - rate))
    return float(expit(math.log(rate / (1 - rate)) + direction * half))


def se_by_statsmodels(parts: Sequence[tuple[float, float]]) -> float:
    """Regress N/D on a constant with weights D, and take the robust error HC3, which leaves one document out."""
    tops, bottoms = (np.array(column, float) for column in zip(*parts, strict=True))
    fit = sm.WLS(tops / bottoms, np.ones(len(tops)), weights=bottoms).fit(cov_type="HC3")
    return float(fit.bse[0])


@settings(deadline=None)
@given(st.lists(anything() | anything(300), min_size=2, max_size=25), st.sampled_from([0.8, 0.95, 0.99]))
def test_bounds_are_those_of_leaving_documents_out(counts: list[Document], confidence: float) -> None:
    """Document by document, in fractions: the ratio without each document, Kish's degrees, half of a document."""
    for ratio, rate in rate_intervals(histogram_by_document(counts), confidence).items():
        parts = parts_of(counts, ratio)
        if has_spread(rate, parts):
            found = [bound_by_leaving_out(parts, right, direction, confidence) for right, direction in SIDES]
            assert [rate.low, rate.high] == pytest.approx(found, rel=1e-9, abs=1e-12)


@settings(deadline=None)
@given(st.lists(anything(), min_size=2, max_size=25))
def test_statsmodels_agrees(counts: list[Document]) -> None:
    """On any documents the standard error of a bound is statsmodels' robust one, with the added document."""
    for ratio, rate in rate_intervals(histogram_by_document(counts)).items():
        parts = parts_of(counts, ratio)
        if not has_spread(rate, parts) or rate.low is None or rate.high is None:
            continue
        size = sum(bottom for _, bottom in parts) / (2 * len(parts))
        bottoms = np.array([*(bottom for _, bottom in parts), size])
        for bound, (right, direction) in zip((rate.low, rate.high), SIDES, strict=True):
            rows = [*parts, (right * size, size)]
            value = sum(top for top, _ in rows) / bottoms.sum()
            half = logit(bound) - logit(value)
            se = half * direction * value * (1 - value) / t.ppf(0.975, bottoms.sum() ** 2 / (bottoms**2).sum() - 1)
            assert math.isclose(se, se_by_statsmodels(rows), rel_tol=1e-6, abs_tol=1e-9)


@pytest.mark.parametrize("run", ["A", "B"])
@pytest.mark.parametrize("ratio", PUBLISHED)
def test_example_e(run: str, ratio: Ratio) -> None:
    """The estimate is the recorded one, of ten documents."""
    recorded = VECTORS[f"delta_{run}"][ratio]
    rate = rate_interval(histogram_by_document(documents(run)), ratio)
    assert rate.value == pytest.approx(recorded["estimate"], rel=1e-14)
    assert (rate.n, rate.effective_n) == (10, None)


@pytest.mark.parametrize("run", ["A", "B"])
@pytest.mark.parametrize("ratio", ["f1", "strict_f1"])
def test_the_interval_of_example_e_holds_the_recorded_one(run: str, ratio: Ratio) -> None:
    """The recorded interval takes ten documents for ten of equal size, and allows for no other."""
    rate = rate_interval(histogram_by_document(documents(run)), ratio)
    low, high = VECTORS[f"delta_{run}"]["f1"]["ci_logit_t_df9"]
    assert rate.low is not None
    assert rate.high is not None
    assert low - 0.15 < rate.low < low < high < rate.high < high + 0.15


@settings(deadline=None)
@given(
    st.lists(st.lists(anything(), min_size=1, max_size=4), min_size=2, max_size=12),
    st.sampled_from(["f1", "precision"]),
)
def test_bounds_of_clusters_allow_for_a_mean_document_at_most(clusters: list[list[Document]], ratio: Ratio) -> None:
    """Half of a mean cluster, but no more than one document of mean size; of single documents it is half of one."""
    within = histogram_by_document([document for cluster in clusters for document in cluster])
    sums = [tuple(map(sum, zip(*cluster, strict=True))) for cluster in clusters]
    histogram = histogram_by_document(sums)  # type: ignore[arg-type]  # four sums each
    histogram.of_documents = within
    rate, parts = rate_interval(histogram, ratio), parts_of(sums, ratio)  # type: ignore[arg-type]
    if has_spread(rate, parts):
        documents = sum(part.documents for part in within.parts(ratio))
        times = max(2 * len(parts), documents)
        found = [bound_by_leaving_out(parts, *side, 0.95, times) for side in SIDES]
        assert [rate.low, rate.high] == pytest.approx(found, rel=1e-9, abs=1e-12)


def test_effective_documents_are_told_where_few_decide() -> None:
    """Nine documents of one value and one of ninety-one: Kish's number is (ΣD)²/ΣD², below half of ten."""
    counts = [*[(1, 0, 0, 0)] * 8, (0, 1, 0, 0), (80, 11, 0, 0)]
    rate = rate_interval(histogram_by_document(counts), "precision")
    assert rate.effective_n == pytest.approx(100 * 100 / (9 + 91 * 91))
    assert (rate.n, rate.low, rate.high) == (10, None, None)
    equal = rate_interval(histogram_by_document([(3, 1, 0, 0)] * 9 + [(1, 3, 0, 0)]), "precision")
    assert equal.effective_n is None


@given(st.lists(anything() | anything(300), max_size=25))
def test_an_interval_needs_a_degree_of_freedom(counts: list[Document]) -> None:
    """Where documents spread there is an interval, unless with the added one they are worth fewer than two."""
    for ratio, rate in rate_intervals(histogram_by_document(counts)).items():
        parts = parts_of(counts, ratio)
        if len({Fraction(top, bottom) for top, bottom in parts}) < 2:
            continue
        sizes = [float(bottom) for _, bottom in parts]
        kish = sum(sizes) ** 2 / sum(size * size for size in sizes)
        assert (rate.effective_n is None) == (kish >= len(sizes) / 2)
        sizes = [*sizes, sum(sizes) / (2 * len(sizes))]
        worth = sum(sizes) ** 2 / sum(size * size for size in sizes)
        if abs(worth - 2) > 1e-9:
            assert (rate.low is None) == (worth < 2)


@given(runs)
def test_intervals_lie_in_0_to_1_and_hold_the_value(counts: list[Document]) -> None:
    """0 ≤ low ≤ value ≤ high ≤ 1, wherever there are two documents."""
    for ratio, rate in rate_intervals(histogram_by_document(counts)).items():
        if rate.n < 2:
            assert (rate.low, rate.high) == (None, None)
        if rate.value is None:
            assert not any(np.array(counts).reshape(-1, 4) @ DENOMINATORS[ratio])
        if rate.low is not None and rate.high is not None and rate.value is not None:
            assert 0 <= rate.low <= rate.value + 1e-12
            assert rate.value - 1e-12 <= rate.high <= 1


@given(st.lists(anything(), min_size=2, max_size=25))
def test_more_confidence_is_a_wider_interval(counts: list[Document]) -> None:
    """An interval of 80 % lies in that of 95%, and that in the one of 99 %."""
    histogram = histogram_by_document(counts)
    for ratio in RATIOS:
        rates = [rate_interval(histogram, ratio, confidence) for confidence in (0.8, 0.95, 0.99)]
        for narrow, wide in itertools.pairwise(rates):
            if narrow.low is None or wide.low is None or narrow.high is None or wide.high is None:
                continue
            assert wide.low <= narrow.low + 1e-12
            assert narrow.high <= wide.high + 1e-12


@given(runs)
def test_a_document_without_the_field_changes_nothing(counts: list[Document]) -> None:
    """Documents without a denominator are not in n."""
    assert rate_intervals(histogram_by_document(counts)) == rate_intervals(
        histogram_by_document([*counts, (0, 0, 0, 0)])
    )


@pytest.mark.parametrize("n", [2, 5, 12, 291])
def test_the_borders_are_clopper_and_pearsons(n: int) -> None:
    """At exactly 0 or 1 the interval counts documents, however many values they have."""
    perfect, hopeless = (
        rate_interval(histogram_by_document([(7, 0, 0, 0)] * n), "f1"),
        rate_interval(histogram_by_document([(0, 3, 0, 0)] * n), "precision"),
    )
    assert (perfect.low, perfect.high) == pytest.approx(proportion_confint(n, n, method="beta"))
    assert (hopeless.low, hopeless.high) == pytest.approx(proportion_confint(0, n, method="beta"))


def test_recorded_borders() -> None:
    """0 of 12 and 5 of 5 documents have the recorded intervals."""
    none_right = rate_interval(histogram_by_document([(0, 1, 0, 0)] * 12), "strict_f1")
    all_right = rate_interval(histogram_by_document([(1, 0, 0, 0)] * 5), "strict_f1")
    assert [none_right.low, none_right.high] == pytest.approx(VECTORS["binomial"]["0/12"]["beta"])
    assert [all_right.low, all_right.high] == pytest.approx(VECTORS["binomial"]["5/5"]["beta"])


def test_nothing_and_one_document() -> None:
    """Without documents there is no rate, with one there is no interval."""
    assert {rate.value for rate in rate_intervals(CountHistogram()).values()} == {None}
    rate = rate_interval(histogram_by_document([(3, 1, 0, 0)]), "precision")
    assert (rate.value, rate.low, rate.high, rate.n) == (0.75, None, None, 1)


@given(document=anything(), n=st.integers(2, 400), confidence=st.sampled_from([0.8, 0.95, 0.99]))
def test_documents_that_are_all_alike_have_clopper_and_pearsons_interval(
    document: Document, n: int, confidence: float
) -> None:
    """Where every document has the same ratio R, the bounds are beta quantiles for R·n of n documents (scipy)."""
    for ratio, rate in rate_intervals(histogram_by_document([document] * n), confidence).items():
        if rate.value is None:
            continue
        right, tail = rate.value * n, (1 - confidence) / 2
        low = beta.ppf(tail, right, n - right + 1) if right else 0.0
        high = beta.ppf(1 - tail, right + 1, n - right) if right < n else 1.0
        assert (rate.low, rate.high) == pytest.approx((low, high), rel=1e-9), ratio


def test_an_interval_of_documents_that_are_alike_has_a_width() -> None:
    """Eight documents with one of two values right tell little of others, although none differs from the rest."""
    rate = rate_interval(histogram_by_document([(1, 0, 0, 1)] * 8), "recall")
    assert (rate.low, rate.high) == pytest.approx(proportion_confint(4, 8, method="beta"))


@pytest.mark.parametrize("n", [2, 10, 200])
def test_bounds_near_the_borders_are_near_those_at_the_borders(n: int) -> None:
    """A ratio of one in a million, or all but one, has almost the interval of 0 or of 1."""
    million = 1_000_000
    for near, at in [((1, 0, 0, million), (0, 0, 0, 1)), ((million, 0, 0, 1), (1, 0, 0, 0))]:
        beside, border = (rate_interval(histogram_by_document([counts] * n), "recall") for counts in (near, at))
        assert (beside.low, beside.high) == pytest.approx((border.low, border.high), abs=1e-3)


UNIT = 10**12
SCORES = st.lists(st.integers(0, UNIT), min_size=2, max_size=30)


def mean_of(scores: list[int]) -> Rate:
    return mean_interval(sum(scores), sum(score * score for score in scores), len(scores), unit=UNIT)


@pytest.mark.parametrize("run", ["A", "B"])
def test_the_document_macro_of_example_e(run: str) -> None:
    """The mean of the documents' own F1 is the recorded one."""
    scores = [round(2 * tp * UNIT / (2 * tp + 2 * fd + fa + fn)) for tp, fd, fa, fn in documents(run)]
    assert mean_of(scores).value == pytest.approx(VECTORS[f"point_{run}"]["doc_macro_f1"], abs=1e-11)


@given(SCORES)
def test_a_mean_is_that_of_its_scores_and_lies_in_its_interval(scores: list[int]) -> None:
    """Two documents or more have bounds, from 0 to 1."""
    rate, shares = mean_of(scores), np.array(scores) / UNIT
    assert rate.value == pytest.approx(float(shares.mean()), rel=1e-12)
    assert rate.low is not None
    assert rate.high is not None
    assert 0 <= rate.low <= shares.mean() + 1e-12
    assert shares.mean() - 1e-12 <= rate.high <= 1


@given(SCORES)
def test_bounds_of_a_mean_are_those_of_leaving_documents_out(scores: list[int]) -> None:
    """Every document weighs the same, and half of one more is allowed for."""
    rate, parts = mean_of(scores), [(score, UNIT) for score in scores]
    if has_spread(rate, parts):
        found = [bound_by_leaving_out(parts, *side, 0.95) for side in SIDES]
        assert [rate.low, rate.high] == pytest.approx(found, rel=1e-9, abs=1e-12)


@given(st.lists(st.booleans(), min_size=2, max_size=60))
def test_a_mean_of_scores_is_a_ratio_of_counts(right: list[bool]) -> None:
    """Documents that are all right or all wrong have the interval of a ratio whose denominator is 1 in each."""
    counts = [(1, 0, 0, 0) if every else (0, 0, 0, 1) for every in right]
    by_counts = rate_interval(histogram_by_document(counts), "recall")
    by_scores = mean_of([UNIT if every else 0 for every in right])
    assert (by_scores.low, by_scores.high) == pytest.approx((by_counts.low, by_counts.high))


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
    assert (rate.value, rate.n) == (part / n, n)


def test_wrong_values_lower_the_strict_ratios() -> None:
    """80 right, 15 wrong, 5 missing: the two conventions of the recorded table."""
    histogram = histogram_by_document([(1, 0, 0, 0)] * 80 + [(0, 1, 0, 0)] * 15 + [(0, 0, 0, 1)] * 5)
    recorded = VECTORS["fd_conventions"]
    names: dict[Ratio, str] = {
        "precision": "precision",
        "recall": "recall_without_fd",
        "strict_recall": "recall_with_fd",
        "f1": "f1_without_fd",
        "strict_f1": "f1_with_fd",
    }
    for ratio, name in names.items():
        assert rate_interval(histogram, ratio).value == pytest.approx(recorded[name])


def test_an_extreme_spread_stays_in_range() -> None:
    """A spread that no number holds on the logit scale ends at 0 and 1."""
    assert logit_interval(0.5, 1e4, 12.7) == pytest.approx((0.0, 1.0))


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0, float("nan")])
def test_a_confidence_is_a_share(confidence: float) -> None:
    """95 is not 0.95."""
    with pytest.raises(SettingError, match="confidence between 0 and 1"):
        rate_interval(histogram_by_document(documents("A")), "f1", confidence)


METHODS = {"wilson": wilson, "beta": clopper_pearson}
COUNTS = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS, st.sampled_from([0.8, 0.95, 0.99]), st.sampled_from(sorted(METHODS)))
def test_shares_are_statsmodels(counts: tuple[int, int], confidence: float, method: str) -> None:
    """For any share and confidence."""
    theirs = proportion_confint(*counts, alpha=1 - confidence, method=method)
    assert METHODS[method](*counts, confidence) == pytest.approx([float(x) for x in theirs], abs=1e-9)


def test_recorded_intervals_of_shares() -> None:
    """Both methods, at the edges too."""
    shares = {share: expected for share, expected in VECTORS["binomial"].items() if re.fullmatch(r"\d+/\d+", share)}
    assert len(shares) > 2
    for share, expected in shares.items():
        successes, trials = map(int, share.split("/"))
        for method, interval in METHODS.items():
            assert interval(successes, trials) == pytest.approx(expected[method], abs=1e-9)


def test_without_trials_there_is_no_interval() -> None:
    """Nothing is known, which is not 0 to 1 of something."""
    assert wilson(0, 0) is None
    assert clopper_pearson(0, 0) is None


@pytest.mark.parametrize(("successes", "trials", "confidence"), [(2, 1, 0.95), (-1, 1, 0.95), (1, 1, 1.0)])
def test_impossible_shares_are_refused(successes: int, trials: int, confidence: float) -> None:
    """As are confidences of 0 and 1."""
    for interval in METHODS.values():
        with pytest.raises(ValueError, match="Expected"):
            interval(successes, trials, confidence)


@pytest.mark.parametrize("n", [50, 100, 200, 500, 1000])
def test_half_widths_of_a_share_are_as_recorded(n: int) -> None:
    """So many documents pin a share of 0.9 down to the recorded half-width."""
    low, high = wilson(n * 9 // 10, n) or (0.0, 1.0)
    assert (high - low) / 2 == pytest.approx(VECTORS["power"]["wilson_half_width_p09"][str(n)], rel=1e-12)
