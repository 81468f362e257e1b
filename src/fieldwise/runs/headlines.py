"""What two runs show of all values together and of whole documents: the figures above the table of fields."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.runs.measures import CONFIDENCE, Difference, difference_of, tested, untested, with_bounds
from fieldwise.runs.outcomes import Counts
from fieldwise.stats.clustered import RateInterval, mean_interval, share_interval, t_quantile
from fieldwise.stats.count_tables import parts_of
from fieldwise.stats.mcnemar import mcnemar
from fieldwise.stats.moments import Ratio
from fieldwise.stats.permutation import sign_flip_test

Floats: TypeAlias = npt.NDArray[np.float64]
Measure: TypeAlias = Literal["precision", "strict_recall", "document_macro", "exact_documents"]
_UNIT = 10**12


@dataclass(frozen=True)
class Headline:
    """One figure of two runs. ``document_macro`` is the mean of documents' own rates, ``exact_documents`` the share of
    documents without any wrong, missed or invented value."""

    measure: Measure
    difference: Difference


def headlines_of(tables: tuple[Counts, Counts], ratio: Ratio) -> tuple[Headline, ...]:
    """Compare two runs by precision, strict recall, document macro and documents without error."""
    ratios: tuple[Literal["precision", "strict_recall"], ...] = ("precision", "strict_recall")
    return (
        *(Headline(name, difference_of(tables, name)) for name in ratios if name != ratio),
        Headline("document_macro", _macro(tables, ratio)),
        Headline("exact_documents", _exact(tables)),
    )


def _macro(tables: tuple[Counts, Counts], ratio: Ratio) -> Difference:
    """Compare the means of documents' own rates; one without anything to divide by has 1, as nothing in it is wrong.

    Documents that have nothing in either run are left out. The test flips the signs of the documents' differences.
    """
    tops, bottoms = parts_of(*tables, ratio)
    rated = (bottoms > 0).any(axis=0)
    undefined = bottoms == 0
    without_error = np.stack([table[:, 1:].sum(axis=1) == 0 for table in tables])
    rates = np.where(undefined, without_error, tops / np.maximum(bottoms, 1))[:, rated]
    sides = [_mean(side) for side in rates]
    found = _of_documents((sides[0], sides[1]), rates[1] - rates[0])
    return found if found.n < 2 else tested(found, "sign_flip", sign_flip_test(rates[1] - rates[0]).p)


def _exact(tables: tuple[Counts, Counts]) -> Difference:
    """Compare the shares of documents without error; a document that neither run has values in counts as right."""
    right = np.stack([table[:, 1:].sum(axis=1) == 0 for table in tables]).astype(float)
    n = right.shape[1]
    sides = [share_interval(int(side.sum()), n, CONFIDENCE) for side in right]
    gained = right[1] - right[0]
    found = _of_documents((sides[0], sides[1]), gained)
    if found.n < 2:
        return found
    return tested(found, "mcnemar", mcnemar(int((gained < 0).sum()), int((gained > 0).sum()), n).p)


def _mean(rates: Floats) -> RateInterval:
    units = [round(rate * _UNIT) for rate in rates.tolist()]
    squares = sum(unit * unit for unit in units)
    return mean_interval(sum(units), squares, len(units), unit=_UNIT, confidence=CONFIDENCE)


def _of_documents(sides: tuple[RateInterval, RateInterval], gained: Floats) -> Difference:
    n = len(gained)
    improved, regressed = int((gained > 0).sum()), int((gained < 0).sum())
    found = untested(sides, improved=improved, regressed=regressed, n=n, equal=not (improved or regressed))
    if n < 2:
        return found if not n else replace(found, delta=float(gained.mean()))
    delta, sd = float(gained.mean()), float(gained.std(ddof=1))
    se = sd / math.sqrt(n)
    half = t_quantile(n - 1, CONFIDENCE) * se
    return with_bounds(replace(found, delta=delta, se=se), delta - half, delta + half)
