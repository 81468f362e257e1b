"""Calibration and discrimination: example C as recorded, scikit-learn and the cluster bootstrap as oracles."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve  # type: ignore[import-untyped]  # it has no types
from sklearn.metrics import (  # type: ignore[import-untyped]  # it has no types
    average_precision_score,
    brier_score_loss,
    roc_auc_score,
)
from sklearn.metrics import log_loss as sk_log_loss
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]  # it has no types

from fieldwise.errors import SettingError
from fieldwise.stats.attached import auroc, brier_score
from fieldwise.stats.calibration import (
    ChanceErrors,
    Discrimination,
    DocumentSpread,
    Placements,
    average_precision,
    bin_residuals,
    brier,
    calibration_error,
    clustered_discrimination,
    equal_mass_bins,
    equal_width_bins,
    log_loss,
    maximum_calibration_error,
    spiegelhalter_z,
)
from fieldwise.stats.confidences import ConfidenceHistogram, Confidences

from .examples import CALIBRATION, CONF, CORRECT, PAIRS, C, Pair, some_pairs

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
few_pairs = st.lists(st.tuples(st.booleans(), st.integers(0, 20).map(lambda k: k / 20)), min_size=2, max_size=40)


def confidences(confidence: Floats, right: Bools) -> Confidences:
    return Confidences(confidence, right.astype(np.int64), (~right).astype(np.int64))


def spread_of(placed: Placements, confidence: Floats, right: Bools, documents: Ints) -> DocumentSpread:
    return DocumentSpread.of(placed.unit_sums(confidence, right, documents, int(documents.max()) + 1))


def clustered(confidence: Floats, right: Bools, documents: Ints) -> Discrimination:
    placed = Placements.of(confidences(confidence, right))
    assert placed is not None
    return clustered_discrimination(placed, spread_of(placed, confidence, right, documents))


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


def of_single_values(pairs: list[Pair]) -> Discrimination | None:
    """Return AUROC with its error where each value is a document of its own."""
    placed = Placements.of(Confidences.from_pairs(pairs))
    if placed is None:
        return None
    right, confidence = np.array([y for y, _ in pairs]), np.array([c for _, c in pairs])
    return clustered_discrimination(placed, spread_of(placed, confidence, right, np.arange(len(pairs))))


def test_calibration_errors_of_example_c() -> None:
    """ECE by both edges, five bins, equal mass and the largest error are the recorded ones."""
    right_closed = equal_width_bins(C, closed="right")
    assert calibration_error(right_closed) == pytest.approx(CALIBRATION["ece_10_equal_width_right_closed"])
    assert calibration_error(equal_width_bins(C)) == pytest.approx(CALIBRATION["ece_10_equal_width_left_closed"])
    assert calibration_error(equal_width_bins(C, 5)) == pytest.approx(CALIBRATION["ece_5_equal_width"])
    assert calibration_error(equal_mass_bins(C, 5)) == pytest.approx(CALIBRATION["ece_5_equal_mass"])
    assert maximum_calibration_error(right_closed) == pytest.approx(CALIBRATION["mce_10"])
    rows = [[b.count, b.confidence, b.right] for b in right_closed]
    assert np.array(rows) == pytest.approx(np.array(CALIBRATION["bins_10_right_closed"]))


def test_bins_are_those_of_scikit_learn() -> None:
    """Five bins of equal width and of equal mass have the accuracies and confidences of its calibration curve."""
    wide = equal_width_bins(C, 5, "right")
    for bins, strategy in [(wide, "uniform"), (equal_mass_bins(C, 5), "quantile")]:
        accuracy, confidence = calibration_curve(CORRECT, CONF, n_bins=5, strategy=strategy)
        assert [b.right for b in bins] == pytest.approx(list(accuracy))
        assert [b.confidence for b in bins] == pytest.approx(list(confidence))
        assert [list(accuracy), list(confidence)] == [
            pytest.approx(row) for row in CALIBRATION[f"sklearn_calibration_curve_{strategy}5"]
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
    assert found.score == pytest.approx(CALIBRATION["brier"])
    assert found.score == pytest.approx(brier_score_loss(CORRECT, CONF))
    parts = found.reliability, found.resolution, found.uncertainty
    assert parts == pytest.approx(
        tuple(CALIBRATION[f"brier_{p}"] for p in ("reliability", "resolution", "uncertainty"))
    )
    assert parts[0] - parts[1] + parts[2] == pytest.approx(CALIBRATION["rel_minus_res_plus_unc"])


def test_log_loss_and_spiegelhalter_of_example_c() -> None:
    """Both are the recorded ones, the first scikit-learn's."""
    assert log_loss(C) == pytest.approx(CALIBRATION["log_loss"])
    assert log_loss(C) == pytest.approx(sk_log_loss(CORRECT, CONF))
    assert spiegelhalter_z(C) == pytest.approx(CALIBRATION["spiegelhalter_z"], rel=1e-12)


def test_discrimination_of_example_c() -> None:
    """AUROC and, of single values, DeLong's error are the recorded ones."""
    found = of_single_values(PAIRS)
    assert found is not None
    assert found.auroc == pytest.approx(CALIBRATION["auroc"])
    assert found.se == pytest.approx(CALIBRATION["auroc_delong_se"], rel=1e-12)


def test_average_precisions_of_example_c() -> None:
    """.8232 for right values, .7705 for errors; scikit-learn computes the same."""
    assert average_precision(C) == pytest.approx(CALIBRATION["average_precision"])
    assert average_precision(C, "wrong") == pytest.approx(0.7705, abs=5e-5)
    assert average_precision(C, "wrong") == pytest.approx(average_precision_score(1 - CORRECT, 1 - CONF))


@settings(deadline=None)
@given(some_pairs)
def test_scikit_learn_agrees(pairs: list[Pair]) -> None:
    """AUROC, average precisions and Brier on any pairs, with ties; and the metrics of models are the same."""
    values = Confidences.from_pairs(pairs)
    right, conf = np.array([y for y, _ in pairs], dtype=int), np.array([c for _, c in pairs])
    placed = Placements.of(values)
    assert (placed is None) == (len(set(right.tolist())) < 2)
    if placed is not None:
        assert placed.auroc == pytest.approx(auroc(pairs)["value"])
        assert placed.auroc == pytest.approx(roc_auc_score(right, conf))
        assert average_precision(values) == pytest.approx(average_precision_score(right, conf))
        errors = average_precision_score(1 - right, -conf)
        assert average_precision(values, "wrong") == pytest.approx(errors)
    parts = brier(values, equal_width_bins(values))
    assert (parts.score if parts else None) == pytest.approx(brier_score(pairs)["value"])


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


@given(few_pairs)
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


@given(few_pairs, st.integers(2, 5))
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
    whole = spread_of(placed, confidence, right, number)
    parts = [spread_of(placed, confidence[rows], right[rows], number[rows]) for rows in (number < 17, number >= 17)]
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


def test_one_of_a_kind() -> None:
    """One wrong value has no spread; a sure mistake has no logarithm; values that are all right have no errors."""
    pairs = [(True, 1.0), (True, 0.5), (False, 1.0)]
    few, found = Confidences.from_pairs(pairs), of_single_values(pairs)
    assert found is not None
    assert (found.auroc, found.se, found.low) == (0.25, None, None)
    assert log_loss(few) is None
    right = Confidences.from_pairs([(True, 0.5)] * 3)
    assert average_precision(right, "wrong") is None
    assert spiegelhalter_z(right) is None


def test_no_values() -> None:
    """Without confidences there is nothing to say, and nothing breaks."""
    values = ConfidenceHistogram().values()
    assert [equal_width_bins(values), equal_mass_bins(values)] == [[], []]
    assert calibration_error([]) is maximum_calibration_error([]) is None
    for compute in (Placements.of, average_precision, spiegelhalter_z, log_loss):
        assert compute(values) is None
    assert brier(values, []) is None
    assert Confidences.from_pairs([]).n == 0


def test_no_bins_are_refused() -> None:
    """There is 1 at least."""
    with pytest.raises(SettingError, match="1 bin or more"):
        equal_width_bins(C, 0)


def residuals_of(made: list[list[Pair]], bins: int) -> Floats:
    """Sum up right - confidence by document and bin, value by value."""
    table = np.zeros((len(made), bins))
    for document, values in enumerate(made):
        for right, confidence in values:
            table[document, min(math.floor(confidence * bins + 1e-9), bins - 1)] += right - confidence
    return table


some_documents = st.lists(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=1, max_size=5), min_size=1)


@given(some_documents, st.integers(1, 12))
def test_what_chance_makes_of_ece_is_by_document(made: list[list[Pair]], bins: int) -> None:
    """√(2/π) times the root of the documents' squared residuals, bin by bin; the test flips signs of documents."""
    table, n = residuals_of(made, bins), sum(map(len, made))
    units = np.repeat(np.arange(len(made)), [len(own) for own in made])
    right, confidence = (np.array(column) for column in zip(*(pair for own in made for pair in own), strict=True))
    assert bin_residuals(confidence, right, units, len(made), bins) == pytest.approx(table, abs=1e-12)
    signs = np.random.default_rng(1).choice(np.array([-1, 1], np.int8), (len(made), 60))
    found = ChanceErrors.of(table, signs)
    by_hand = sum(math.sqrt(2 / math.pi) * math.sqrt(sum(r * r for r in column)) for column in table.T) / n
    assert found.mean(n) == pytest.approx(by_hand)
    ece = calibration_error(equal_width_bins(Confidences.from_pairs([pair for own in made for pair in own]), bins))
    assert ece == pytest.approx(float(np.abs(table.sum(axis=0)).sum()) / n, abs=1e-12)
    drawn = [
        sum(abs(sum(s * r for s, r in zip(one, column, strict=True))) for column in table.T) / n for one in signs.T
    ]
    assert found.p(ece or 0.0, n) == (1 + sum(error >= (ece or 0.0) - 1e-9 for error in drawn)) / 61


@given(some_documents, st.integers(0, 20))
def test_chance_errors_add_up(made: list[list[Pair]], cut: int) -> None:
    """Those of some documents and of the others are those of all."""
    table = residuals_of(made, 10)
    signs = np.random.default_rng(1).choice(np.array([-1, 1], np.int8), (len(made), 20))
    whole = ChanceErrors.of(table, signs)
    parts = ChanceErrors.of(table[:cut], signs[:cut]) + ChanceErrors.of(table[cut:], signs[cut:])
    assert parts.squares == pytest.approx(whole.squares)
    assert parts.flipped == pytest.approx(whole.flipped, abs=1e-9)


@pytest.mark.parametrize(("n", "beta"), [(50, (8, 2)), (200, (1, 1)), (1000, (20, 1))])
def test_true_confidences_have_the_error_of_chance(n: int, beta: tuple[float, float]) -> None:
    """The mean ECE of many draws in which every confidence is true is what is said on average, within 9 %."""
    rng = np.random.default_rng(n)
    errors, said, units = [], [], np.arange(n)
    for _ in range(500):
        confidence = rng.beta(*beta, n)
        right = rng.random(n) < confidence
        errors.append(calibration_error(equal_width_bins(confidences(confidence, right))) or 0.0)
        residuals = bin_residuals(confidence, right, units, n, 10)
        said.append(ChanceErrors.of(residuals, np.ones((n, 1), np.int8)).mean(n))
    assert np.mean(said) == pytest.approx(np.mean(errors), rel=0.09)


def test_the_added_wrong_document_lowers_auroc() -> None:
    """Its values are spread as all confidences are: half of them lie above half of the right ones, ties half."""
    rng = np.random.default_rng(3)
    confidence, documents = np.round(rng.random(120), 2), np.repeat(np.arange(30), 4)
    right = rng.random(120) < confidence
    values, added = confidences(confidence, right), 2.0
    placed = Placements.of(values, wrong_added=added)
    assert placed is not None
    above, below = confidence[right][:, None], confidence[~right][None, :]
    wins = (above > below) + (above == below) / 2
    against_all = ((above > confidence) + (above == confidence) / 2).mean(axis=1)
    by_hand = (wins.sum(axis=1) + added * against_all).mean() / ((~right).sum() + added)
    assert placed.auroc == pytest.approx(by_hand)
    spread = spread_of(placed, confidence, right, documents)
    found = clustered_discrimination(placed, spread)
    shares = np.array([[(of > other) + (of == other) / 2 for other in confidence] for of in confidence[right]])
    moved = added * (float(shares.mean()) - placed.auroc)
    assert (placed.added.documents, placed.added.with_right, placed.added.with_wrong) == (1, 0, 1)
    assert placed.added.wrong == pytest.approx(moved**2)
    assert found.low is not None
    assert found.low < (clustered(confidence, right, documents).low or 0.0)
