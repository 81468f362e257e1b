"""Review by confidence: example C as recorded, curves, and thresholds with a guarantee."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import beta

from fieldwise.errors import InputError, SettingError
from fieldwise.stats.confidences import Confidences
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

from .examples import CORRECT, REVIEW, VECTORS, C, Pair, confidence_histogram, some_pairs


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


@given(some_pairs)
def test_ties_in_a_row_are_mixed(pairs: list[Pair]) -> None:
    """A histogram's risk and review lie between those of the best and the worst order of ties."""
    held = confidence_histogram(pairs).values()
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


def test_no_values_and_no_errors() -> None:
    """Without confidences there is nothing to review, without errors nothing to catch."""
    nothing, right = Confidences.from_pairs([]), Confidences.from_pairs([(True, 0.5)] * 3)
    assert [review_curve(nothing), risk_coverage(nothing)] == [[], []]
    assert (area_of_review(nothing), area_of_risk(nothing), accept_threshold(nothing, 0.1)) == (None, None, None)
    assert (area_of_review(right), area_of_risk(right)) == (None, 0.0)


def test_settings_that_make_no_sense_are_refused() -> None:
    """Targets, confidences and reviews have limits."""
    with pytest.raises(SettingError, match="target between 0 and 1"):
        accept_threshold(C, 5.0)
    with pytest.raises(SettingError, match=r"above 0\.5"):
        upper_error_bound(1, 5, 0.4)
    with pytest.raises(InputError, match="review from 0 to 20"):
        errors_caught(C, 21)
