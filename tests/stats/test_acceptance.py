"""Thresholds to accept values from: the bound by documents, the fixed sequence, and conformal risk control."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.errors import SettingError
from fieldwise.results.calibration import Guarantee
from fieldwise.stats.acceptance import (
    CANDIDATES,
    AcceptedCounts,
    accept_threshold,
    fewest_units,
    step_counts,
)

from . import oracles

Values = list[tuple[int, bool, float]]
"""Document, right, confidence."""
CHANCES = st.sampled_from([0.4, 0.6, 0.85, 0.95, 0.992, 1.0])
small = st.lists(st.lists(st.tuples(st.booleans(), CHANCES), min_size=1, max_size=6), min_size=1, max_size=30)


def counts_of(values: Values, guarantee: Guarantee = "error") -> AcceptedCounts:
    """Count what each candidate accepts."""
    counts, documents = AcceptedCounts(guarantee), sorted({document for document, _, _ in values})
    units = np.array([documents.index(document) for document, _, _ in values], np.int64)
    right, confidence = np.array([of for _, of, _ in values], bool), np.array([of for _, _, of in values], float)
    counts.add(step_counts(right, confidence, units, len(documents)))
    return counts


def documents_of(seed: int, documents: int, wrong: float, size: int = 5) -> Values:
    """Draw documents whose confidences mean something: the less sure a value, the more often it is wrong."""
    rng = random.Random(seed)
    made: Values = []
    for document in range(documents):
        for _ in range(rng.randint(1, size)):
            confidence = rng.choice([0.55, 0.7, 0.9, 0.97, 0.999])
            made.append((document, rng.random() > wrong * (1 - confidence) * 4, confidence))
    return made


@settings(deadline=None)
@given(st.integers(0, 10_000), st.integers(100, 180), st.sampled_from([0.02, 0.1, 0.4]), st.sampled_from([0.05, 0.1]))
def test_a_threshold_is_that_of_the_fixed_sequence(seed: int, documents: int, wrong: float, target: float) -> None:
    """From the highest candidate with enough documents down, while the bound by documents is within the target."""
    values = documents_of(seed, documents, wrong)
    found = accept_threshold(counts_of(values), target)
    assert (found and found.threshold) == oracles.accept(values, CANDIDATES, target)
    if found is not None:
        accepted = [(right, document) for document, right, confidence in values if confidence >= found.threshold]
        assert (found.accepted, found.errors) == (len(accepted), sum(not right for right, _ in accepted))
        assert found.n == len({document for _, document in accepted})
        assert found.coverage == pytest.approx(found.accepted / len(values))
        sizes = [[own for own, whose in accepted if whose == document] for document in {d for _, d in accepted}]
        upper = oracles.upper_error([len(own) for own in sizes], [own.count(False) for own in sizes])
        assert found.upper == pytest.approx(upper, rel=1e-9)


@pytest.mark.parametrize(("target", "fewest"), [(0.05, 88), (0.03, 148), (0.02, 223)])
def test_fewer_documents_show_nothing(target: float, fewest: int) -> None:
    """Without an error: no answer below 88, 148 and 223 documents for 5, 3 and 2 %, however many values they have."""
    assert fewest_units(target) == fewest
    for documents in (fewest - 1, fewest):
        values = [(document, True, 1.0) for document in range(documents) for _ in range(7)]
        assert (accept_threshold(counts_of(values), target) is not None) == (documents == fewest)


def test_a_candidate_that_few_documents_reach_does_not_end_the_sequence() -> None:
    """Above .99 there are a few documents, all wrong: the sequence starts below, where half of all documents are."""
    values = [(document, True, 0.9) for document in range(300)] + [(document, False, 1.0) for document in range(8)]
    found = accept_threshold(counts_of(values), 0.1)
    assert found is not None
    assert found.threshold == 0.5


def test_errors_of_whole_documents_count_as_documents() -> None:
    """As many errors: in one document of 200 they say little of others, spread over forty much."""
    spread = [(d, not (d < 40 and k == 0), 0.9) for d in range(200) for k in range(40)]
    together = [(d, d != 0, 0.9) for d in range(200) for _ in range(40)]
    bounds = [accept_threshold(counts_of(values), 0.05) for values in (spread, together)]
    assert bounds[0] is not None
    assert bounds[1] is not None
    assert (bounds[0].errors, bounds[1].errors) == (40, 40)
    assert bounds[0].upper < 0.02 < bounds[1].upper


@settings(deadline=None)
@given(small, st.sampled_from([0.05, 0.2, 0.5]))
def test_conformal_risk_control_bounds_the_mean_loss(documents: list[list[tuple[bool, float]]], target: float) -> None:
    """The lowest candidate with n/(n+1) · R + 1/(n+1) ≤ target, R the mean share of values wrong and accepted."""
    values = [(at, *value) for at, own in enumerate(documents) for value in own]
    found, n = accept_threshold(counts_of(values, "expectation"), target), len(documents)

    def bound(candidate: float) -> Fraction:
        losses = [Fraction(sum(not r and c >= candidate for r, c in own), len(own)) for own in documents]
        return (sum(losses, Fraction()) + 1) / (n + 1)

    holds = [candidate for candidate in CANDIDATES if float(bound(candidate)) <= target]
    assert (None if found is None else found.threshold) == min(holds, default=None)
    if found is not None:
        assert found.upper == pytest.approx(float(bound(found.threshold)))


@given(small, st.integers(1, 20), st.sampled_from(["error", "expectation"]), st.randoms())
def test_parts_add_up_in_any_order(
    documents: list[list[tuple[bool, float]]], cut: int, guarantee: Guarantee, rng: random.Random
) -> None:
    """Counts of some documents and of the others are those of all."""
    values = [(at, *value) for at, own in enumerate(documents) for value in own]
    whole, order = counts_of(values, guarantee), rng.sample(range(len(documents)), len(documents))
    merged = AcceptedCounts(guarantee)
    for chosen in (order[:cut], order[cut:]):
        if own := [value for value in values if value[0] in chosen]:
            merged.merge(counts_of(own, guarantee))
    assert (merged.units, merged.values) == (whole.units, whole.values)
    assert (merged.accepted == whole.accepted).all()
    assert all(merged.parts(at) == whole.parts(at) for at in range(len(CANDIDATES)))


def test_a_target_is_a_share() -> None:
    """Nothing else is taken for one."""
    with pytest.raises(SettingError, match="target between 0 and 1"):
        accept_threshold(AcceptedCounts(), 5.0)
