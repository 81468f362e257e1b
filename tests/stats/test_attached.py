"""Metrics of confidences and boxes: by their definitions, and the same as those of runs."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.stats.attached import (
    METRICS,
    auroc,
    average_precision,
    brier_score,
    error_capture,
    expected_calibration_error,
)
from fieldwise.stats.calibration import calibration_error, equal_width_bins
from fieldwise.stats.confidences import Confidences
from fieldwise.stats.review import errors_caught

from .examples import Pair, some_pairs


def drawn_pairs(seed: int, size: int) -> list[Pair]:
    """Pairs with many equal confidences, as whole tenths and hundredths."""
    source = random.Random(seed)
    return [
        (source.random() < 0.6, source.choice([source.randrange(11) / 10, source.randrange(101) / 100]))
        for _ in range(size)
    ]


SAMPLES = [drawn_pairs(seed, size) for seed, size in enumerate([2, 3, 5, 10, 40, 200])]


@pytest.mark.parametrize("pairs", SAMPLES, ids=len)
def test_auroc_is_the_share_of_ordered_pairs(pairs: list[Pair]) -> None:
    """Counted pair by pair: a right value above a wrong one is 1, a tie one half."""
    right = [c for match, c in pairs if match]
    wrong = [c for match, c in pairs if not match]
    points = sum((r > w) + (r == w) / 2 for r, w in itertools.product(right, wrong))
    expected = points / (len(right) * len(wrong)) if right and wrong else None
    assert auroc(pairs)["value"] == (expected if expected is None else pytest.approx(expected))


@pytest.mark.parametrize("pairs", SAMPLES, ids=len)
def test_brier_score_is_the_mean_squared_distance(pairs: list[Pair]) -> None:
    """Computed in exact fractions."""
    exact = sum((Decimal(str(c)) - int(match)) ** 2 for match, c in pairs) / len(pairs)
    assert brier_score(pairs)["value"] == pytest.approx(float(exact))


@pytest.mark.parametrize("pairs", SAMPLES, ids=len)
def test_calibration_error_by_sorting_into_bins(pairs: list[Pair]) -> None:
    """Bins are right-open, the last one closed; empty bins add nothing."""
    total = 0.0
    for k in range(10):
        held = [(m, c) for m, c in pairs if k == min(int(Decimal(str(c)) * 10), 9)]
        if held:
            total += abs(sum(m for m, _ in held) - sum(c for _, c in held))
    found: Any = expected_calibration_error(pairs)
    assert found["value"] == pytest.approx(total / len(pairs))
    assert sum(b["count"] for b in found["bins"]) == len(pairs)
    assert [b["range"] for b in found["bins"]] == [[k / 10, (k + 1) / 10] for k in range(10)]


def test_error_capture_by_hand() -> None:
    """Ten values, two errors at the lowest and the fourth lowest confidence."""
    pairs = [(k not in (0, 3), k / 10) for k in range(10)]
    found: Any = error_capture(list(reversed(pairs)))
    assert found["budgets"]["0.10"] == {
        "fields_reviewed": 1,
        "errors_found": 1,
        "pct_errors_caught": 0.5,
        "pct_errors_random": 0.1,
        "gain": 5.0,
    }
    assert found["budgets"]["0.30"]["errors_found"] == 1
    assert found["budgets"]["0.50"]["pct_errors_caught"] == 1.0
    assert found["value"] == pytest.approx(0.5 / 0.3)
    assert error_capture([(True, 0.5)])["value"] is None
    small: Any = error_capture([(False, 0.5), (True, 0.9)], budgets=(0.01,))
    assert small["budgets"]["0.01"]["fields_reviewed"] == 1


@pytest.mark.parametrize("name", METRICS)
def test_metrics_of_nothing_are_undefined(name: str) -> None:
    """Without values no metric has a value."""
    assert METRICS[name]([])["value"] is None


def brute_average_precision(detections: Sequence[tuple[float, float]], expected: int, threshold: float) -> float:
    """For each of 101 recalls the best precision of any cut-off that reaches it."""
    ordered = sorted(detections, key=lambda d: -d[0])
    cuts = []
    for size in range(1, len(ordered) + 1):
        hits = sum(overlap >= threshold for _, overlap in ordered[:size])
        cuts.append((hits / expected, hits / size))
    best = [max((p for r, p in cuts if r >= k / 100), default=0.0) for k in range(101)]
    return sum(best) / 101


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("threshold", [0.5, 0.75, 0.95])
def test_average_precision_against_its_definition(seed: int, threshold: float) -> None:
    """The quick form equals the definition, read off cut-off by cut-off."""
    source = random.Random(seed)
    size = source.randrange(1, 20)
    confidences = source.sample(range(100), size)
    detections = [(c / 100, source.random()) for c in confidences]
    expected = max(1, sum(overlap >= threshold for _, overlap in detections)) + source.randrange(3)
    found = average_precision(detections, expected, threshold)
    assert found == pytest.approx(brute_average_precision(detections, expected, threshold))


@pytest.mark.parametrize(("detections", "expected"), [([], 3), ([(0.9, 1.0)], 0), ([], 0)])
def test_average_precision_of_nothing_is_zero(detections: list[tuple[float, float]], expected: int) -> None:
    """No box on either side is no precision."""
    assert average_precision(detections, expected, 0.5) == 0.0


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 100).map(lambda k: k / 100)), max_size=40))
def test_equal_width_errors_are_those_of_models(pairs: list[Pair]) -> None:
    """The left-closed error of ten bins is the one that models report."""
    bins = equal_width_bins(Confidences.from_pairs(pairs))
    assert calibration_error(bins) == pytest.approx(expected_calibration_error(pairs)["value"])


@pytest.mark.parametrize("bins", [3, 7, 10, 20, 50, 100, 1000])
def test_a_confidence_on_an_edge_has_the_bin_above_it(bins: int) -> None:
    """Every edge k/bins begins bin k, 1 ends the last one; both ways of computing bins agree, as 0.29 of 100."""
    pairs = [(True, k / bins) for k in range(bins + 1)]
    of_models: Any = expected_calibration_error(pairs, bins)["bins"]
    assert [b["count"] for b in of_models] == [1] * (bins - 1) + [2]
    assert [b.count for b in equal_width_bins(Confidences.from_pairs(pairs), bins)] == [1] * (bins - 1) + [2]
    right_closed = equal_width_bins(Confidences.from_pairs(pairs), bins, "right")
    assert [b.count for b in right_closed] == [2] + [1] * (bins - 1)


@given(some_pairs, st.integers(1, 120))
def test_bins_of_models_are_bins_of_runs(pairs: list[Pair], bins: int) -> None:
    """Numbers of values, accuracies and confidences agree in every bin, whatever the number of bins."""
    found: Any = expected_calibration_error(pairs, bins)
    of_models = [b for b in found["bins"] if b["count"]]
    of_runs = equal_width_bins(Confidences.from_pairs(pairs), bins)
    assert [(b["range"], b["count"]) for b in of_models] == [([b.low, b.high], b.count) for b in of_runs]
    assert [b["accuracy"] for b in of_models] == pytest.approx([b.right for b in of_runs])
    assert [b["mean_confidence"] for b in of_models] == pytest.approx([b.confidence for b in of_runs])


@given(some_pairs, st.sampled_from([0.1, 0.3, 0.5, 1.0]))
def test_errors_caught_are_those_of_models(pairs: list[Pair], budget: float) -> None:
    """Reviewing as many of the same pairs finds as many errors; values of equal confidence keep their order in both."""
    found: Any = error_capture(pairs, [budget])["budgets"]
    values = Confidences.from_pairs(pairs)
    assert bool(found) == bool(values.errors)
    for reviewed in found.values():
        assert reviewed["errors_found"] == errors_caught(values, reviewed["fields_reviewed"])
