"""Review by confidence: example C as recorded, and curves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from fieldwise.errors import InputError
from fieldwise.stats.confidences import Confidences
from fieldwise.stats.review import (
    area_of_review,
    area_of_risk,
    errors_caught,
    review_curve,
    risk_coverage,
)

from .examples import CORRECT, REVIEW, C, Pair, confidence_histogram, some_pairs


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


def test_no_values_and_no_errors() -> None:
    """Without confidences there is nothing to review, without errors nothing to catch."""
    nothing, right = Confidences.from_pairs([]), Confidences.from_pairs([(True, 0.5)] * 3)
    assert [review_curve(nothing), risk_coverage(nothing)] == [[], []]
    assert (area_of_review(nothing), area_of_risk(nothing)) == (None, None)
    assert (area_of_review(right), area_of_risk(right)) == (None, 0.0)


def test_settings_that_make_no_sense_are_refused() -> None:
    """There are no more values to review than there are."""
    with pytest.raises(InputError, match="review from 0 to 20"):
        errors_caught(C, 21)
