"""How much review do confidences save? Errors caught by review, and risk by coverage."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fieldwise.errors import InputError
from fieldwise.results.calibration import CurvePoint
from fieldwise.stats.confidences import Confidences, Floats


def review_curve(values: Confidences, *, most: int | None = None) -> list[CurvePoint]:
    """Return the share of errors caught by the share reviewed, least confident first; empty without errors.

    With ``most`` about so many points are kept, evenly by share.
    """
    rows = values.ascending()
    return _curve(rows.confidence, *_caught(rows), most) if values.errors else []


def _caught(rows: Confidences) -> tuple[Floats, Floats]:
    return rows.sizes.cumsum() / rows.n, rows.wrong.cumsum() / rows.errors


def errors_caught(values: Confidences, reviewed: float) -> float:
    """Return how many errors the given number of least confident values has, those of one row in proportion."""
    if not 0 <= reviewed <= values.n:
        raise InputError(f"Expected to review from 0 to {values.n} values, got {reviewed:g}")
    rows = values.ascending()
    sizes, wrong = np.append(0, rows.sizes.cumsum()), np.append(0, rows.wrong.cumsum())
    return float(np.interp(reviewed, sizes, wrong))


def area_of_review(values: Confidences) -> float | None:
    """Return the area under the review curve by trapezoids: 1/2 is chance; None without errors."""
    if not values.errors:
        return None
    shares, caught = (np.append(0.0, column) for column in _caught(values.ascending()))
    return float((np.diff(shares) * (caught[1:] + caught[:-1]) / 2).sum())


def risk_coverage(values: Confidences, *, most: int | None = None) -> list[CurvePoint]:
    """Return the error rate among the accepted by the share accepted, most confident first; ``most`` as above."""
    rows = values.descending()
    accepted = rows.sizes.cumsum()
    return _curve(rows.confidence, accepted / max(rows.n, 1), rows.wrong.cumsum() / accepted, most)


def area_of_risk(values: Confidences) -> float | None:
    """Return AURC: the mean, over k = 1 to n, of the error rate among the k most confident; None without values.

    Geifman and El-Yaniv 2017. The first k of a row's w values have e·k/w of its e errors: the mean over
    all orders of the row.
    """
    rows = values.descending()
    if not rows.n:
        return None
    harmonic = np.append(0.0, (1 / np.arange(1, rows.n + 1)).cumsum())
    after = rows.sizes.cumsum()
    before, errors = after - rows.sizes, rows.wrong.cumsum() - rows.wrong
    tilt = errors - rows.wrong * before / rows.sizes
    return float((rows.wrong + tilt * (harmonic[after] - harmonic[before])).sum()) / rows.n


def _curve(confidence: Floats, shares: Floats, figures: Floats, most: int | None) -> list[CurvePoint]:
    kept = slice(None) if most is None or len(shares) <= most else _evenly(shares, most)
    columns = confidence[kept].tolist(), shares[kept].tolist(), figures[kept].tolist()
    return [CurvePoint(*point) for point in zip(*columns, strict=True)]


def _evenly(shares: Floats, most: int) -> npt.NDArray[np.intp]:
    """Return the places of the first point in each of many equal parts, and of the last point of all."""
    _, first = np.unique(np.rint(shares * (most - 2)), return_index=True)
    return np.unique(np.append(first, len(shares) - 1))
