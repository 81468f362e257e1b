"""Confidences: example C as recorded, scikit-learn as oracle, histograms that merge."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta
from sklearn.calibration import calibration_curve  # type: ignore[import-untyped]  # it has no types
from sklearn.metrics import (  # type: ignore[import-untyped]  # it has no types
    average_precision_score,
    brier_score_loss,
    roc_auc_score,
)
from sklearn.metrics import log_loss as sk_log_loss
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]  # it has no types

from fieldwise.errors import InputError, SettingError
from fieldwise.stats.calibration import (
    brier,
    calibration_error,
    equal_mass_bins,
    equal_width_bins,
    log_loss,
    maximum_calibration_error,
    spiegelhalter_z,
)
from fieldwise.stats.confidence import auroc, brier_score, error_capture, expected_calibration_error
from fieldwise.stats.confidence_values import ConfidenceHistogram, Confidences
from fieldwise.stats.discrimination import Discrimination, Placements, average_precision, clustered_discrimination
from fieldwise.stats.review import (
    THRESHOLDS,
    accept_at,
    accept_threshold,
    area_of_review,
    area_of_risk,
    errors_caught,
    review_curve,
    risk_coverage,
    upper_error_bound,
)

from .examples import VECTORS

RECORDED, REVIEW = VECTORS["calibration"], VECTORS["review_curve"]
CONF, CORRECT = np.array(RECORDED["conf"]), np.array(RECORDED["correct"])
Pair = tuple[bool, float]
PAIRS: list[Pair] = [(bool(y), float(c)) for c, y in zip(CONF, CORRECT, strict=True)]
C = Confidences.from_pairs(PAIRS)
steps = st.integers(0, 10_000).map(lambda step: step / 10_000)
some_pairs = st.lists(st.tuples(st.booleans(), steps | st.sampled_from([0.1, 0.5, 0.9])), max_size=40)


def histogram_of(pairs: list[Pair]) -> ConfidenceHistogram:
    histogram = ConfidenceHistogram()
    for right, confidence in pairs:
        histogram.add(right, confidence)
    return histogram


def of_single_values(pairs: list[Pair]) -> Discrimination | None:
    """Return AUROC with its error where each value is a document of its own."""
    placed = Placements.of(Confidences.from_pairs(pairs))
    if placed is None:
        return None
    right, confidence = np.array([y for y, _ in pairs]), np.array([c for _, c in pairs])
    return clustered_discrimination(placed, placed.spread(confidence, right, np.arange(len(pairs))))


def area(values: Confidences) -> float | None:
    placed = Placements.of(values)
    return None if placed is None else placed.auroc


def test_calibration_errors_of_example_c() -> None:
    """ECE by both edges, five bins, equal mass and the largest error are the recorded ones."""
    right_closed = equal_width_bins(C, closed="right")
    assert calibration_error(right_closed) == pytest.approx(RECORDED["ece_10_equal_width_right_closed"])
    assert calibration_error(equal_width_bins(C)) == pytest.approx(RECORDED["ece_10_equal_width_left_closed"])
    assert calibration_error(equal_width_bins(C, 5)) == pytest.approx(RECORDED["ece_5_equal_width"])
    assert calibration_error(equal_mass_bins(C, 5)) == pytest.approx(RECORDED["ece_5_equal_mass"])
    assert maximum_calibration_error(right_closed) == pytest.approx(RECORDED["mce_10"])
    rows = [[b.count, b.confidence, b.right] for b in right_closed]
    assert np.array(rows) == pytest.approx(np.array(RECORDED["bins_10_right_closed"]))


def test_bins_are_those_of_scikit_learn() -> None:
    """Five bins of equal width and of equal mass have the accuracies and confidences of its calibration curve."""
    wide = equal_width_bins(C, 5, "right")
    for bins, strategy in [(wide, "uniform"), (equal_mass_bins(C, 5), "quantile")]:
        accuracy, confidence = calibration_curve(CORRECT, CONF, n_bins=5, strategy=strategy)
        assert [b.right for b in bins] == pytest.approx(list(accuracy))
        assert [b.confidence for b in bins] == pytest.approx(list(confidence))
        assert [list(accuracy), list(confidence)] == [
            pytest.approx(row) for row in RECORDED[f"sklearn_calibration_curve_{strategy}5"]
        ]


def test_bins_have_wilson_bars() -> None:
    """The accuracy of a bin has Wilson's interval."""
    for b in equal_width_bins(C):
        oracle = proportion_confint(round(b.right * b.count), b.count, method="wilson")
        assert b.bounds == pytest.approx(oracle)


def test_brier_and_its_parts_of_example_c() -> None:
    """Score and parts are the recorded ones."""
    found = brier(C, equal_width_bins(C, closed="right"))
    assert found is not None
    assert found.score == pytest.approx(RECORDED["brier"])
    assert found.score == pytest.approx(brier_score_loss(CORRECT, CONF))
    parts = found.reliability, found.resolution, found.uncertainty
    assert parts == pytest.approx(tuple(RECORDED[f"brier_{p}"] for p in ("reliability", "resolution", "uncertainty")))
    assert parts[0] - parts[1] + parts[2] == pytest.approx(RECORDED["rel_minus_res_plus_unc"])


def test_log_loss_and_spiegelhalter_of_example_c() -> None:
    """Both are the recorded ones, the first scikit-learn's."""
    assert log_loss(C) == pytest.approx(RECORDED["log_loss"])
    assert log_loss(C) == pytest.approx(sk_log_loss(CORRECT, CONF))
    assert spiegelhalter_z(C) == pytest.approx(RECORDED["spiegelhalter_z"], rel=1e-12)


def test_discrimination_of_example_c() -> None:
    """AUROC and, of single values, DeLong's error are the recorded ones."""
    found = of_single_values(PAIRS)
    assert found is not None
    assert found.auroc == pytest.approx(RECORDED["auroc"])
    assert found.se == pytest.approx(RECORDED["auroc_delong_se"], rel=1e-12)


def test_average_precisions_of_example_c() -> None:
    """.8232 for right values, .7705 for errors; scikit-learn computes the same."""
    assert average_precision(C) == pytest.approx(RECORDED["average_precision"])
    assert average_precision(C, "wrong") == pytest.approx(0.7705, abs=5e-5)
    assert average_precision(C, "wrong") == pytest.approx(average_precision_score(1 - CORRECT, 1 - CONF))


def test_review_of_example_c() -> None:
    """The errors caught, the area and the risk are the recorded ones; ties keep their order."""
    assert REVIEW["total_errors"] == C.errors
    for reviewed, caught in REVIEW["errors_caught_when_reviewing_lowest_k"].items():
        assert errors_caught(C, int(reviewed)) == caught
    assert area_of_review(C) == pytest.approx(REVIEW["area_error_capture"])
    assert area_of_risk(C) == pytest.approx(REVIEW["risk_coverage_AURC"])
    risks = np.cumsum(1 - CORRECT) / np.arange(1, 21)
    assert [point.figure for point in risk_coverage(C)] == pytest.approx(list(risks))
    assert area_of_risk(C) == pytest.approx(risks.mean())


def test_accepting_from_0_9_in_example_c() -> None:
    """8 accepted, 2 errors, and the recorded bound."""
    recorded, found = REVIEW["accept_at_0_9"], accept_at(C, 0.9)
    assert (found.accepted, found.errors, found.coverage) == (recorded["accepted"], recorded["errors"], 0.4)
    assert found.upper == pytest.approx(recorded["cp_upper_95_one_sided"])
    assert found.upper == pytest.approx(float(beta.ppf(0.95, 3, 6)))


def test_no_errors_in_291() -> None:
    """The one-sided bound is about 3/n."""
    recorded = VECTORS["binomial"]["rule_of_three_one_sided_upper_0/291"]
    assert upper_error_bound(0, 291) == pytest.approx(recorded)


@settings(deadline=None)
@given(some_pairs)
def test_scikit_learn_agrees(pairs: list[Pair]) -> None:
    """AUROC, average precisions and Brier on any pairs, with ties; and the metrics of models are the same."""
    values = Confidences.from_pairs(pairs)
    right, conf = np.array([y for y, _ in pairs], dtype=int), np.array([c for _, c in pairs])
    found = area(values)
    assert (found is None) == (len(set(right.tolist())) < 2)
    if found is not None:
        assert found == pytest.approx(auroc(pairs)["value"])
        assert found == pytest.approx(roc_auc_score(right, conf))
        assert average_precision(values) == pytest.approx(average_precision_score(right, conf))
        errors = average_precision_score(1 - right, -conf)
        assert average_precision(values, "wrong") == pytest.approx(errors)
    parts = brier(values, equal_width_bins(values))
    assert (parts.score if parts else None) == pytest.approx(brier_score(pairs)["value"])


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 100).map(lambda k: k / 100)), max_size=40))
def test_equal_width_errors_are_those_of_models(pairs: list[Pair]) -> None:
    """The left-closed error of ten bins is the one that models report."""
    bins = equal_width_bins(Confidences.from_pairs(pairs))
    assert calibration_error(bins) == pytest.approx(expected_calibration_error(pairs)["value"])


@pytest.mark.parametrize("bins", [3, 7, 10, 20, 50, 100, 1000])
def test_a_confidence_on_an_edge_has_the_bin_above_it(bins: int) -> None:
    """Every edge k/bins begins bin k, 1 ends the last one; both ways of computing bins agree, as 0.29 of 100."""
    pairs = [(True, k / bins) for k in range(bins + 1)]
    of_models = expected_calibration_error(pairs, bins)["bins"]
    assert [b["count"] for b in of_models] == [1] * (bins - 1) + [2]
    assert [b.count for b in equal_width_bins(Confidences.from_pairs(pairs), bins)] == [1] * (bins - 1) + [2]
    right_closed = equal_width_bins(Confidences.from_pairs(pairs), bins, "right")
    assert [b.count for b in right_closed] == [2] + [1] * (bins - 1)


@given(some_pairs, st.integers(1, 120))
def test_bins_of_models_are_bins_of_runs(pairs: list[Pair], bins: int) -> None:
    """Numbers of values, accuracies and confidences agree in every bin, whatever the number of bins."""
    of_models = [b for b in expected_calibration_error(pairs, bins)["bins"] if b["count"]]
    of_runs = equal_width_bins(Confidences.from_pairs(pairs), bins)
    assert [(b["range"], b["count"]) for b in of_models] == [([b.low, b.high], b.count) for b in of_runs]
    assert [b["accuracy"] for b in of_models] == pytest.approx([b.right for b in of_runs])
    assert [b["mean_confidence"] for b in of_models] == pytest.approx([b.confidence for b in of_runs])


@given(some_pairs, st.sampled_from([0.1, 0.3, 0.5, 1.0]))
def test_errors_caught_are_those_of_models(pairs: list[Pair], budget: float) -> None:
    """Reviewing as many of the same pairs finds as many errors; values of equal confidence keep their order in both."""
    found = error_capture(pairs, [budget])["budgets"]
    values = Confidences.from_pairs(pairs)
    assert bool(found) == bool(values.errors)
    for reviewed in found.values():
        assert reviewed["errors_found"] == errors_caught(values, reviewed["fields_reviewed"])


@settings(max_examples=50, deadline=None)
@given(some_pairs, st.integers(1, 4))
def test_histograms_merge(pairs: list[Pair], shards: int) -> None:
    """Sharded equals whole, through JSON; what is computed from it does not depend on the order of ties."""
    merged = ConfidenceHistogram()
    for k in range(shards):
        merged.merge(ConfidenceHistogram.from_state(json.loads(json.dumps(histogram_of(pairs[k::shards]).to_state()))))
    assert merged.to_state() == histogram_of(pairs).to_state()
    held, values = merged.values(), Confidences.from_pairs(pairs)
    assert (held.n, held.errors) == (values.n, values.errors)
    for compute in (area, spiegelhalter_z, log_loss, average_precision):
        assert_close(compute(held), compute(values))
    for closed in ("left", "right"):
        ours, theirs = equal_width_bins(held, closed=closed), equal_width_bins(values, closed=closed)
        assert_close(calibration_error(ours), calibration_error(theirs))


def assert_close(one: Any, other: Any) -> None:
    """Both are undefined, or the same number, or records of the same numbers."""
    if one is None or other is None:
        assert one is other
    elif isinstance(one, float):
        assert math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    else:
        for name in ("auroc", "se", "low", "high"):
            assert_close(getattr(one, name), getattr(other, name))


@given(some_pairs)
def test_ties_in_a_row_are_mixed(pairs: list[Pair]) -> None:
    """A histogram's risk and review lie between those of the best and the worst order of ties."""
    held = histogram_of(pairs).values()
    orders = [Confidences.from_pairs(sorted(pairs, key=lambda pair: pair[0] == best)) for best in (False, True)]
    for compute in (area_of_risk, area_of_review):
        found, ends = compute(held), [compute(order) for order in orders]
        if found is None:
            assert ends == [None, None]
        else:
            low, high = sorted(end for end in ends if end is not None)
            assert low - 1e-9 <= found <= high + 1e-9


@given(some_pairs)
def test_curves_rise_to_1(pairs: list[Pair]) -> None:
    """Reviewing everything catches everything; accepting everything has the error rate of all."""
    values = Confidences.from_pairs(pairs)
    caught = [point.figure for point in review_curve(values)]
    assert caught == sorted(caught)
    if values.errors:
        assert caught[-1] == 1.0
    if values.n:
        assert risk_coverage(values)[-1].figure == pytest.approx(values.errors / values.n)
        assert errors_caught(values, values.n) == values.errors


@given(some_pairs, st.integers(1, 12))
def test_bins_hold_every_value_once(pairs: list[Pair], count: int) -> None:
    """By width or by mass, whatever the number of bins."""
    values = Confidences.from_pairs(pairs)
    for bins in (equal_width_bins(values, count), equal_mass_bins(values, count)):
        assert sum(b.count for b in bins) == len(pairs)
        assert all(0 <= b.bounds[0] <= b.right <= b.bounds[1] <= 1 for b in bins)
    if pairs:
        masses = [b.count for b in equal_mass_bins(values, count)]
        assert max(masses) - min(masses) <= 1


def test_a_threshold_with_a_guarantee() -> None:
    """The smallest candidate whose bound holds; a fixed sequence needs less evidence, and stops where it fails."""
    rng = np.random.default_rng(0)
    conf = rng.random(4000)
    values = Confidences.from_pairs([(bool(rng.random() < c), float(c)) for c in conf])
    careful = accept_threshold(values, 0.1)
    direct = accept_threshold(values, 0.1, method="fixed_sequence")
    assert careful is not None
    assert direct is not None
    assert 0.8 <= careful.threshold <= 0.9
    assert direct.threshold <= careful.threshold
    assert accept_at(values, direct.threshold - 0.01).upper > 0.1
    assert max(careful.upper, direct.upper) <= 0.1
    assert careful.errors / careful.accepted < 0.1
    smaller = accept_at(values, careful.threshold - 0.01, 1 - 0.05 / len(THRESHOLDS))
    assert smaller.upper > 0.1


def test_the_guarantee_holds() -> None:
    """In at most 5 % of 200 draws the chosen threshold has more errors than the target."""
    rng, broken = np.random.default_rng(1), 0
    for _ in range(200):
        conf = rng.random(500)
        found = accept_threshold(Confidences(conf, *_drawn(rng, conf)), 0.1, method="fixed_sequence")
        broken += found is not None and (1 - found.threshold) / 2 > 0.1
    assert broken <= 10


def _drawn(rng: np.random.Generator, conf: Any) -> tuple[Any, Any]:
    right = (rng.random(len(conf)) < conf).astype(np.int64)
    return right, 1 - right


def test_no_threshold_is_good_enough() -> None:
    """Twenty values cannot show one error in a hundred."""
    assert accept_threshold(C, 0.01) is None
    assert accept_threshold(C, 0.01, method="fixed_sequence") is None


def test_no_values() -> None:
    """Without confidences there is nothing to say, and nothing breaks."""
    values = ConfidenceHistogram().values()
    assert [equal_width_bins(values), equal_mass_bins(values)] == [[], []]
    assert [review_curve(values), risk_coverage(values)] == [[], []]
    assert calibration_error([]) is maximum_calibration_error([]) is None
    for compute in (area, average_precision, spiegelhalter_z, log_loss, area_of_risk, area_of_review):
        assert compute(values) is None
    assert brier(values, []) is None
    assert accept_threshold(values, 0.1) is None
    assert Confidences.from_pairs([]).n == 0


def test_one_of_a_kind() -> None:
    """One wrong value has no spread; a sure mistake has no logarithm; all right have no errors to catch."""
    pairs = [(True, 1.0), (True, 0.5), (False, 1.0)]
    few, found = Confidences.from_pairs(pairs), of_single_values(pairs)
    assert found is not None
    assert (found.auroc, found.se, found.low) == (0.25, None, None)
    assert log_loss(few) is None
    right = Confidences.from_pairs([(True, 0.5)] * 3)
    assert (area_of_review(right), area_of_risk(right), average_precision(right, "wrong")) == (None, 0.0, None)
    assert spiegelhalter_z(right) is None


@pytest.mark.parametrize("state", [None, {}, [[1, 2]], [[10_001, 1, 0]], [[1, -1, 0]], [[1, 1.0, 0]], [1, 1, 0]])
def test_a_malformed_state_is_refused(state: Any) -> None:
    """A state has rows of three whole numbers."""
    with pytest.raises(InputError, match="of the state"):
        ConfidenceHistogram.from_state(state)


@pytest.mark.parametrize("confidence", [-0.1, 1.1, math.nan, math.inf])
def test_what_is_no_confidence_is_refused(confidence: float) -> None:
    """Confidences are from 0 to 1."""
    with pytest.raises(InputError, match="from 0 to 1"):
        ConfidenceHistogram().add(True, confidence)
    with pytest.raises(InputError, match="from 0 to 1"):
        Confidences.from_pairs([(True, confidence)])


def test_settings_that_make_no_sense_are_refused() -> None:
    """Bins, targets, confidences and reviews have limits."""
    with pytest.raises(SettingError, match="1 bin or more"):
        equal_width_bins(C, 0)
    with pytest.raises(SettingError, match="target between 0 and 1"):
        accept_threshold(C, 5.0)
    with pytest.raises(SettingError, match=r"above 0\.5"):
        upper_error_bound(1, 5, 0.4)
    with pytest.raises(InputError, match="review from 0 to 20"):
        errors_caught(C, 21)
