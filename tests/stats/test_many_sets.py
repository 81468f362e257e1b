"""The formulas of benchmarks, for many sets at once, are those of the product for one."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import candidates, worlds
from benchmarks.formulas import paired_bounds, ratio_bounds

from fieldwise.stats.count_tables import parts_of, ratio_parts
from fieldwise.stats.differences import delta_of_parts
from fieldwise.stats.intervals import ratio_interval


@pytest.mark.parametrize(
    "name", ["3 % lost, 1 % garbage", "1 % lost, else perfect", "Pareto lists", "8 flat fields, 90 %"]
)
def test_bounds_of_rates(name: str) -> None:
    """To 1e-12, also where a set has no error."""
    tables = worlds.KNOWN[name](np.random.default_rng(1), (40, 30))
    found = ratio_bounds(*worlds.f1_parts(tables))
    for at, table in enumerate(tables):
        rate = ratio_interval(ratio_parts(table, "strict_f1"))
        assert [found.low[at], found.high[at]] == pytest.approx([rate.low, rate.high], abs=1e-12)


@pytest.mark.parametrize("one_more", [False, True])
@pytest.mark.parametrize("name", ["heavy lists", "whole documents lost, else alike", "one field (fresh)"])
def test_bounds_of_differences(name: str, one_more: bool) -> None:
    """To 1e-12, also where both runs are equal."""
    base, candidate = candidates.WORLDS[name].draw(np.random.default_rng(1), (40, 30), 0.03)
    parts = zip(worlds.f1_parts(base), worlds.f1_parts(candidate), strict=True)
    found = paired_bounds(*parts, one_more=one_more)
    for at, tables in enumerate(zip(base, candidate, strict=True)):
        delta = delta_of_parts(parts_of(*tables, "strict_f1"), one_more=one_more)
        expected = [delta.delta, delta.low, delta.high]
        assert [found.delta[at], found.low[at], found.high[at]] == pytest.approx(expected, abs=1e-12)
