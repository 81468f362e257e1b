"""Swapping two runs document by document: the recorded p-values, brute force, scipy and statsmodels."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar as sm_mcnemar  # type: ignore[import-untyped]  # no types

from fieldwise.errors import InputError, SettingError
from fieldwise.results.rates import DENOMINATORS, NUMERATORS, RATIOS, Ratio
from fieldwise.stats.differences import document_flips, paired_delta
from fieldwise.stats.permutation import chance_of_loss, mcnemar, permutation_test, sign_flip_test, sign_test
from tests.strategies import examples

from .examples import VECTORS, Document, anything, documents

A, B = documents("A"), documents("B")
pairs = st.lists(st.tuples(anything(4), anything(4)), min_size=1, max_size=7)


def score(counts: Any, ratio: Ratio) -> float:
    table = np.array(counts)
    whole = (table @ DENOMINATORS[ratio]).sum()
    return float((table @ NUMERATORS[ratio]).sum() / whole) if whole else math.nan


def made_up(n: int, seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    base = rng.poisson([5, 1, 0.3, 1], (n, 4))
    return base, np.where(rng.random((n, 1)) < 0.3, rng.poisson([5, 1, 0.3, 1], (n, 4)), base)


def test_exact_permutation_of_example_e() -> None:
    """All 1,024 swaps give the recorded p-values, exactly."""
    recorded, found = VECTORS["paired_permutation_micro_f1"], permutation_test(A, B, "f1")
    assert found is not None
    assert (found.p, chance_of_loss(B, A, "f1")) == (recorded["p_two_sided"], recorded["p_one_sided_B_better"])
    assert found.exact


def test_document_scores_of_example_e() -> None:
    """The mean of document scores by sign flips, and the sign test, are as recorded; the first as in scipy."""
    recorded = VECTORS["paired_doc_macro_f1"]
    differences = np.subtract(VECTORS["point_B"]["per_doc_f1"], VECTORS["point_A"]["per_doc_f1"])
    assert sign_flip_test(differences).p == recorded["permutation_test_p"]
    oracle = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=10**6)
    assert sign_flip_test(differences).p == pytest.approx(float(oracle.pvalue))
    flips = document_flips(A, B, "f1")
    assert (flips.improved, flips.regressed, flips.tied) == (recorded["n_pos"], recorded["n_neg"], 2)
    assert flips.p == pytest.approx(recorded["sign_test_p"])


@settings(max_examples=examples(60), deadline=None)
@given(pairs)
def test_swaps_are_those_of_brute_force(documents_of_both: list[tuple[Document, Document]]) -> None:
    """The exact p is the share of all swaps with so large a difference; undefined ones count as such."""
    base, candidate = (np.array(run) for run in zip(*documents_of_both, strict=True))
    for ratio in RATIOS:
        found = permutation_test(base, candidate, ratio)
        observed = score(candidate, ratio) - score(base, ratio)
        if math.isnan(observed):
            assert found is None
            continue
        swaps = [np.array(swap)[:, None] for swap in itertools.product([False, True], repeat=len(base))]
        deltas = [
            score(np.where(swap, base, candidate), ratio) - score(np.where(swap, candidate, base), ratio)
            for swap in swaps
        ]
        extreme = [math.isnan(delta) or abs(delta) >= abs(observed) - 1e-12 for delta in deltas]
        assert found is not None
        assert found.p == pytest.approx(sum(extreme) / len(swaps))


def test_drawn_swaps_approach_the_exact_ones() -> None:
    """With more than 20 differing documents swaps are drawn, by seed, near the t-test of the paired error."""
    base, candidate = made_up(400, 1)
    found, same = (permutation_test(base, candidate, "strict_f1", seed=3) for _ in range(2))
    delta = paired_delta(base, candidate, "strict_f1")
    assert found is not None
    assert found == same
    assert not found.exact
    assert delta.p is not None
    assert found.p == pytest.approx(delta.p, abs=0.03)


def test_drawn_p_is_never_zero() -> None:
    """p = (1 + 0) / (1 + B) where no draw is as large."""
    found = permutation_test([(0, 1, 0, 0)] * 60, [(1, 0, 0, 0)] * 60, "strict_f1", replicates=999)
    assert found is not None
    assert found.p == 1 / 1000


def test_drawn_sign_flips_of_unequal_differences() -> None:
    """Differences that are all unlike each other are flipped one by one."""
    differences = np.random.default_rng(5).normal(0.2, 1.0, 120)
    found = sign_flip_test(differences, seed=1)
    assert found.p == pytest.approx(float(stats.ttest_1samp(differences, 0.0).pvalue), abs=0.02)


def test_equal_documents_do_not_decide() -> None:
    """Documents that do not differ leave the p-value alone, however many they are."""
    same = [(3, 1, 0, 1)] * 50
    few, many = permutation_test(A, B, "recall"), permutation_test(A + same, B + same, "recall")
    assert few is not None
    assert many is not None
    assert many.exact
    assert few.p != 1.0


def test_mcnemar_is_as_recorded() -> None:
    """The table 150/9/21/20 has the recorded tests: chi square with its correction, exact where it is asked for."""
    recorded = VECTORS["mcnemar_150_9_21_20"]
    assert mcnemar(9, 21) == pytest.approx(recorded["chi2_cc"][1], rel=1e-12)
    assert sign_test(9, 21) == pytest.approx(recorded["exact_p"], rel=1e-12)
    assert sign_test(9, 21) == pytest.approx(float(stats.binomtest(9, 30).pvalue), rel=1e-12)


@settings(deadline=None)
@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_statsmodels(b: int, c: int) -> None:
    """The test is exact below 25 documents that flipped, and by chi square with its correction from there."""
    table = [[50, b], [c, 150 - b - c]]
    if b + c < 25:
        assert mcnemar(b, c) == pytest.approx(sm_mcnemar(table, exact=True).pvalue)
    elif b != c:
        assert mcnemar(b, c) == pytest.approx(sm_mcnemar(table, exact=False, correction=True).pvalue)
    else:
        assert mcnemar(b, c) == 1.0


@pytest.mark.parametrize(("b", "c", "p"), [(12, 13, 1.0), (29, 5, 3.9e-5), (44, 11, 8.7e-6), (13, 7, 0.263)])
def test_published_flips_of_receipts(b: int, c: int, p: float) -> None:
    """Company, date, address and total of 347 receipts have the published exact p-values."""
    assert sign_test(b, c) == pytest.approx(p, rel=0.02)


def test_no_flips_decide_nothing() -> None:
    """Without flips every test says 1; there are no fewer than none."""
    assert mcnemar(0, 0) == sign_flip_test([0, 0]).p == 1.0
    with pytest.raises(InputError, match="Expected counts"):
        sign_test(-1, 2)


def test_sign_flips_of_several_values_in_a_document_are_as_recorded() -> None:
    """The exact flip of documents' signs, and the sign test that would take values for independent."""
    recorded = VECTORS["clustered_mcnemar"]
    assert sign_flip_test(np.subtract(recorded["c"], recorded["b"])).p == recorded["exact_sign_flip_p"]
    assert sign_test(sum(recorded["b"]), sum(recorded["c"])) == pytest.approx(recorded["naive_mcnemar_exact_p"])


def lattice(base: Any, candidate: Any) -> float:
    """Return the exact chance of a loss, by adding up one document after the other."""
    tops, bottoms = (
        np.array([[weight @ row for row in run] for run in (base, candidate)])
        for weight in (np.array([2, 0, 0, 0]), np.array([2, 2, 1, 1]))
    )
    ways: dict[tuple[int, int], Fraction] = {(0, 0): Fraction(1)}
    for top, bottom in zip((tops[1] - tops[0]).tolist(), (bottoms[1] - bottoms[0]).tolist(), strict=True):
        moved: dict[tuple[int, int], Fraction] = {}
        for (a, b), chance in ways.items():
            for sign in (1, -1):
                place = a + sign * top, b + sign * bottom
                moved[place] = moved.get(place, Fraction(0)) + chance / 2
        ways = moved
    top, bottom = int(tops.sum()), int(bottoms.sum())

    def difference(place: tuple[int, int]) -> Fraction:
        a, b = place
        return Fraction(top + a, bottom + b) - Fraction(top - a, bottom - b)

    seen = difference((int((tops[1] - tops[0]).sum()), int((bottoms[1] - bottoms[0]).sum())))
    return float(sum(chance for place, chance in ways.items() if difference(place) <= seen))


@pytest.mark.parametrize("seed", range(4))
def test_the_chance_of_a_loss_is_that_of_all_swaps(seed: int) -> None:
    """Few documents exactly; many by tilted draws, within some per cent also where it is far below one in the draws."""
    rng = np.random.default_rng(seed)
    for n, slack in ((14, 1e-9), (60, 0.1)):
        base = np.column_stack([rng.integers(2, 6, n), *rng.integers(0, 3, (3, n))])
        right = np.maximum(base[:, 0] - rng.integers(0, 3, n), 0)
        candidate = np.column_stack([right, *rng.integers(0, 3, (3, n))])
        assert chance_of_loss(base, candidate, "strict_f1") == pytest.approx(lattice(base, candidate), rel=slack)


def test_the_chance_of_lost_values_is_binomial() -> None:
    """A field that is right or wrong needs no draws: as many losses and gains are throws of a coin."""
    for lost, gained in ((30, 5), (400, 250), (50, 60)):
        base = [(1, 0, 0, 0)] * lost + [(0, 1, 0, 0)] * gained + [(1, 0, 0, 0)] * 9
        candidate = [(0, 1, 0, 0)] * lost + [(1, 0, 0, 0)] * gained + [(1, 0, 0, 0)] * 9
        expected = stats.binom.sf(lost - 1, lost + gained, 0.5)
        assert chance_of_loss(base, candidate, "strict_f1") == pytest.approx(expected, rel=1e-9)


def test_the_chance_of_a_loss_of_unlike_documents() -> None:
    """Where every document differs by another amount and all fall, the chance is tiny and not 0."""
    base = [(2 * k, 0, 0, 0) for k in range(1, 41)]
    candidate = [(k, k, 0, 0) for k in range(1, 41)]
    chance = chance_of_loss(base, candidate, "strict_f1")
    assert chance is not None
    assert 2**-41 < chance < 1e-9
    assert chance_of_loss([(0, 0, 0, 1)], [(0, 0, 0, 1)], "precision") is None


def test_what_cannot_be_swapped_is_refused() -> None:
    """Differences are numbers, and there is at least one replicate."""
    with pytest.raises(InputError):
        sign_flip_test([math.nan])
    with pytest.raises(SettingError):
        permutation_test(A, B, "f1", replicates=0)
