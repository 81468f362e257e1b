"""Differences of two runs: reference values, statsmodels as oracle, and what cannot be compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]  # it has no types
from statsmodels.stats.power import TTestPower  # type: ignore[import-untyped]  # no types

from fieldwise.errors import InputError, SettingError
from fieldwise.results.rates import METRICS, RATIOS, Metric
from fieldwise.stats import count_tables
from fieldwise.stats.differences import (
    benjamini_hochberg,
    delta_of_parts,
    document_flips,
    documents_for_difference,
    holm,
    minimum_detectable_effect,
    paired_delta,
)
from fieldwise.stats.permutation import permutation_test
from tests.strategies import examples

from . import oracles
from .examples import VECTORS, Document, anything, documents

A, B = documents("A"), documents("B")
POWER = VECTORS["power"]
pairs = st.lists(st.tuples(anything(4), anything(4)), min_size=1, max_size=7)
Adjust = Callable[[Sequence[float]], list[float]]
each = pytest.mark.parametrize(("adjust", "name"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])


def test_paired_delta_of_example_e() -> None:
    """The difference is the recorded one; its interval, which leaves documents out and adds half of one, is wider."""
    recorded, found = VECTORS["paired_delta_micro_f1"], paired_delta(A, B, "f1")
    assert found.base == pytest.approx(VECTORS["point_A"]["micro_f1"])
    assert found.candidate == pytest.approx(VECTORS["point_B"]["micro_f1"])
    assert found.delta == pytest.approx(recorded["diff"], rel=1e-12)
    low, high = recorded["ci"]
    assert found.low is not None
    assert found.high is not None
    assert low - 0.06 < found.low < low < high < found.high < high + 0.06
    assert found.n == 10


def tables(both: Sequence[tuple[Document, Document]]) -> tuple[list[Document], list[Document]]:
    """Return the documents of base and candidate."""
    return [base for base, _ in both], [candidate for _, candidate in both]


documents_of_both = st.lists(st.tuples(anything(6), anything(6)), min_size=2, max_size=9)


@settings(max_examples=examples(150), deadline=None)
@given(documents_of_both, st.sampled_from(METRICS), st.sampled_from([0.8, 0.95]), st.booleans())
def test_bounds_are_those_of_leaving_documents_out(
    both: list[tuple[Document, Document]], metric: Metric, confidence: float, more: bool
) -> None:
    """In fractions, document by document, with half a document that one run has right, and with one more."""
    parts = count_tables.parts_of(*tables(both), metric)
    found = delta_of_parts(parts, confidence=confidence, one_more=more)
    if found.low is None or found.high is None or (parts.tops[0] == parts.tops[1]).all():
        return
    runs = [list(zip(top, bottom, strict=True)) for top, bottom in zip(*(of.tolist() for of in parts[:2]), strict=True)]
    if found.se is not None:
        expected = oracles.paired(runs, metric, confidence=confidence, one_more=more)
        assert [found.delta, found.se, found.low, found.high] == pytest.approx([*expected], rel=1e-7, abs=1e-9)


@given(documents_of_both, st.sampled_from(METRICS), st.randoms())
def test_the_order_of_documents_changes_nothing(
    both: list[tuple[Document, Document]], metric: Metric, random: Random
) -> None:
    """Neither the difference nor its bounds."""
    mixed = random.sample(both, len(both))
    one, other = (paired_delta(*tables(rows), metric) for rows in (both, mixed))
    assert [one.delta, one.low, one.high, one.p_loss] == pytest.approx(
        [other.delta, other.low, other.high, other.p_loss], nan_ok=True
    )


@given(documents_of_both, st.sampled_from(METRICS))
def test_the_chance_of_a_loss_is_that_of_the_upper_bound(both: list[tuple[Document, Document]], metric: Metric) -> None:
    """It is below half of what the confidence leaves where the upper bound lies below 0, and only there."""
    found = paired_delta(*tables(both), metric, confidence=0.9)
    if found.high is not None and found.p_loss is not None and abs(found.high) > 1e-9:
        assert (found.p_loss < 0.05) == (found.high < 0)


def test_documents_that_all_change_alike_have_a_spread() -> None:
    """Eight values lost in eight documents: the interval has a width, as one more document might not be lost."""
    found = paired_delta([(1, 0, 0, 0)] * 8, [(0, 1, 0, 0)] * 8, "strict_f1")
    assert (found.delta, found.se, found.low) == (-1.0, 0.0, -1.0)
    assert found.high is not None
    assert -0.9 < found.high < -0.5


@settings(max_examples=examples(50), deadline=None)
@given(pairs)
def test_the_other_way_round_is_the_opposite(documents_of_both: list[tuple[Document, Document]]) -> None:
    """Base and candidate exchanged: delta and interval change sign, p stays."""
    base, candidate = (list(run) for run in zip(*documents_of_both, strict=True))
    for ratio in RATIOS:
        there, back = paired_delta(base, candidate, ratio), paired_delta(candidate, base, ratio)
        flips, turned = document_flips(base, candidate, ratio), document_flips(candidate, base, ratio)
        assert (flips.improved, flips.regressed, flips.tied) == (turned.regressed, turned.improved, turned.tied)
        if there.delta is not None and back.delta is not None:
            assert there.delta == pytest.approx(-back.delta)
        if there.low is not None and back.high is not None:
            assert [there.low, there.high] == pytest.approx([-back.high, -(back.low or 0.0)])
            assert there.p == pytest.approx(back.p) if there.p is not None else back.p is None


def test_equal_runs() -> None:
    """A run against itself: no difference, no spread, no test."""
    found, swaps = paired_delta(A, A, "strict_f1"), permutation_test(A, A, "strict_f1")
    assert (found.delta, found.low, found.high, found.se, found.t, found.p) == (0.0, 0.0, 0.0, 0.0, None, None)
    assert swaps is not None
    assert (swaps.p, swaps.exact) == (1.0, True)
    assert document_flips(A, A, "strict_f1").tied == 10


def test_none_and_one_document() -> None:
    """Without documents there is no difference, with one no interval."""
    nothing, one = paired_delta([], [], "f1"), paired_delta([(1, 0, 0, 1)], [(2, 0, 0, 0)], "f1")
    assert (nothing.delta, nothing.n) == (None, 0)
    assert permutation_test([], [], "f1") is None
    assert one.delta == pytest.approx(1 / 3)
    assert (one.n, one.low, one.se, one.p) == (1, None, None, None)


def test_a_document_without_denominator_is_judged_by_its_errors() -> None:
    """An invention where nothing was expected is worse than nothing; a missed value has no precision to keep."""
    assert document_flips([(0, 0, 0, 0)], [(0, 0, 1, 0)], "strict_f1").regressed == 1
    assert document_flips([(1, 0, 0, 0)], [(0, 0, 0, 1)], "precision").regressed == 1
    assert document_flips([(0, 0, 0, 0), (1, 0, 0, 0)], [(0, 0, 0, 0), (1, 0, 0, 0)], "precision").tied == 1


@pytest.mark.parametrize(
    ("base", "candidate"),
    [([(1, 0, 0, 0)], []), ([(1, 0, 0)], [(1, 0, 0)]), ([(0.5, 0, 0, 0)], [(1, 0, 0, 0)]), ([(-1, 0, 0, 0)],) * 2],
)
def test_tables_that_do_not_fit_are_refused(base: Any, candidate: Any) -> None:
    """Both runs have the same documents, four whole numbers each."""
    with pytest.raises(InputError, match="Expected"):
        paired_delta(base, candidate, "f1")


def test_detectable_effects_are_as_recorded() -> None:
    """(z + z)·s/√n for the recorded numbers of documents, and the exact one of statsmodels."""
    for n, effect in POWER["mde_paired_n"].items():
        assert minimum_detectable_effect(0.15, int(n)) == pytest.approx(effect, rel=1e-12)
    exact = minimum_detectable_effect(0.15, 200, exact=True)
    assert exact == pytest.approx(POWER["mde_paired_n200_exact_t"], rel=2e-6)
    oracle = TTestPower().solve_power(effect_size=None, nobs=200, alpha=0.05, power=0.8)
    assert exact == pytest.approx(0.15 * float(np.squeeze(oracle)), rel=2e-6)  # it solves no closer


@pytest.mark.parametrize("difference", [0.01, 0.02, 0.1, 0.5])
def test_needed_documents_are_statsmodels(difference: float) -> None:
    """The number is statsmodels', rounded up; 0.02 with a spread of 0.15 needs 444."""
    oracle = TTestPower().solve_power(effect_size=difference / 0.15, nobs=None, alpha=0.05, power=0.8)
    assert documents_for_difference(0.15, difference) == math.ceil(float(np.squeeze(oracle)))
    assert math.ceil(POWER["paired_t_sd015_diff002"]) == documents_for_difference(0.15, 0.02) == 444


def test_the_added_document_needs_documents() -> None:
    """A spread of 0 still needs so many that half of a document is within the margin, and its own spread too."""
    needed = documents_for_difference(0.0, 0.02, added=0.5)
    assert minimum_detectable_effect(0.0, needed, exact=True, added=0.5) <= 0.02
    assert minimum_detectable_effect(0.0, needed - 1, exact=True, added=0.5) > 0.02


def test_pairing_narrows_the_difference() -> None:
    """Example E: the recorded error of the unpaired difference is far above the paired one."""
    assert (paired_delta(A, B, "f1").se or 1.0) < 0.7 * VECTORS["paired_delta_micro_f1"]["se_if_unpaired"]


def test_questions_without_answer_are_refused() -> None:
    """No difference cannot be shown by any number of documents, and settings are shares."""
    with pytest.raises(InputError):
        documents_for_difference(0.15, 0.0)
    with pytest.raises(InputError):
        minimum_detectable_effect(0.15, 1)
    with pytest.raises(SettingError):
        minimum_detectable_effect(0.15, 10, power=80)


@each
def test_adjusted_p_values_are_the_recorded_ones(adjust: Adjust, name: str) -> None:
    """Eight p-values have the recorded adjustments, in any order."""
    given_p, recorded = VECTORS["multiple"]["p"], VECTORS["multiple"][name]
    assert adjust(given_p) == pytest.approx(recorded, rel=1e-12)
    assert adjust(given_p[::-1]) == pytest.approx(recorded[::-1], rel=1e-12)


@each
@settings(deadline=None, max_examples=examples(30))
@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_adjusted_p_values_are_statsmodels(adjust: Adjust, name: str, p_values: list[float]) -> None:
    """On any p-values; adjusted ones are never smaller and keep their order."""
    found = adjust(p_values)
    assert found == pytest.approx(list(multipletests(p_values, method=name)[1]), rel=1e-9, abs=1e-300)
    assert all(p <= q * (1 + 1e-12) for p, q in zip(p_values, found, strict=True))
    assert [q for _, q in sorted(zip(p_values, found, strict=True))] == sorted(found)


@each
def test_no_question_and_one(adjust: Adjust, name: str) -> None:
    """No question has no answer, and a single one is left alone."""
    assert adjust([]) == []
    assert adjust([0.03]) == [0.03], name


@each
@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(adjust: Adjust, name: str, p: float) -> None:
    """p-values are from 0 to 1."""
    with pytest.raises(InputError, match="p-values from 0 to 1"):
        adjust([0.5, p])
