"""How well the pages of a packet were grouped and ordered: V-measure, Rand index and Kendall's tau-b."""

from __future__ import annotations

import csv
import math
from collections.abc import Hashable, Mapping, Sequence
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fieldwise.bulk.state import Frame
from fieldwise.bulk_aggregator import ratio
from fieldwise.checks import checked_number
from fieldwise.errors import InputError
from fieldwise.values import Json

_Row = Mapping[str, Json]
_COLUMNS = ("group_id", "group_id_predicted", "page_number", "page_number_predicted")
_CLASSES = ("class_label", "class_label_predicted")


def evaluate_packet(
    data: Sequence[_Row] | str | PathLike[str] | Frame,
    v_measure_weight: float = 0.5,
    alpha: float = 0.5,
    beta: float = 0.5,
    strict_clustering: bool = False,
) -> dict[str, Json]:
    """Return how well pages were grouped and ordered; every score is None where there are no pages.

    ``data`` has one row for each page, or is a CSV file of such rows. clustering = weight · V-measure +
    (1 - weight) · Rand index; ordering = mean over expected groups of Kendall's tau-b, 1 for a single page;
    final = alpha · clustering + beta · ordering. ``strict_clustering`` puts each page of a wrong class in a group of
    its own.
    """
    for name, value in (("v_measure_weight", v_measure_weight), ("alpha", alpha), ("beta", beta)):
        checked_number(name, value, high=1.0, path="evaluate_packet")
    rows = _rows(data)
    _check_columns(rows, (*_COLUMNS, *_CLASSES) if strict_clustering else _COLUMNS)
    if not rows:
        nothing = ("final_score", "clustering_score", "v_measure", "rand_index", "avg_ordering_score")
        return {**dict.fromkeys(nothing), "group_ordering_scores": {}, "strict_clustering": strict_clustering}
    table = _contingency([r["group_id"] for r in rows], _predicted_groups(rows, strict=strict_clustering))
    v, rand = v_measure(table), rand_index(table)
    clustering = v_measure_weight * v + (1 - v_measure_weight) * rand
    orders = _ordering_scores(rows)
    ordering = ratio(sum(orders.values()), len(orders))
    return {
        "final_score": alpha * clustering + beta * ordering,
        "clustering_score": clustering,
        "v_measure": v,
        "rand_index": rand,
        "avg_ordering_score": ordering,
        "group_ordering_scores": orders,
        "strict_clustering": strict_clustering,
    }


def _rows(data: Json) -> list[_Row]:
    if isinstance(data, (str, PathLike)):
        with Path(data).open(newline="", encoding="utf-8-sig") as file:
            return [{key: _typed(cell) for key, cell in row.items()} for row in csv.DictReader(file)]
    return list(data.to_dict("records") if hasattr(data, "to_dict") else data)


def _typed(cell: str | None) -> str | int | None:
    return int(cell) if cell and cell.strip().isdecimal() else cell


def _check_columns(rows: Sequence[_Row], wanted: Sequence[str]) -> None:
    for number, row in enumerate(rows):
        missing = [name for name in wanted if name not in row]
        if missing:
            raise InputError(
                f"Expected the columns {', '.join(wanted)}, row {number} lacks {', '.join(missing)}",
                code="input.missing_column",
                facts={"columns": missing, "row": number},
            )


def _predicted_groups(rows: Sequence[_Row], *, strict: bool) -> list[Hashable]:
    groups: list[Hashable] = []
    for number, row in enumerate(rows):
        wrong = strict and row["class_label"] != row["class_label_predicted"]
        groups.append(("alone", number) if wrong else ("group", row["group_id_predicted"]))
    return groups


def _contingency(expected: Sequence[Hashable], predicted: Sequence[Hashable]) -> NDArray[np.int64]:
    """Return how many pages each expected group shares with each predicted one."""
    sides = [{group: k for k, group in enumerate(dict.fromkeys(side))} for side in (expected, predicted)]
    table = np.zeros([len(side) for side in sides], dtype=np.int64)
    np.add.at(table, ([sides[0][e] for e in expected], [sides[1][p] for p in predicted]), 1)
    return table


def v_measure(table: NDArray[np.int64]) -> float:
    """Return the harmonic mean of homogeneity and completeness of a contingency table.

    >>> v_measure(np.array([[2, 0], [0, 3]]))
    1.0
    """
    rows, columns, both = (_entropy(counts) for counts in (table.sum(1), table.sum(0), table.ravel()))
    shared = rows + columns - both
    homogeneity = shared / rows if rows else 1.0
    completeness = shared / columns if columns else 1.0
    return max(ratio(2 * homogeneity * completeness, homogeneity + completeness), 0.0)


def _entropy(counts: NDArray[np.int64]) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log(shares)).sum())


def rand_index(table: NDArray[np.int64]) -> float:
    """Return the share of pairs of pages that both sides put together, or both apart; 1 for a single page.

    >>> rand_index(np.array([[1, 1]]))
    0.0
    """
    total = math.comb(int(table.sum()), 2)
    together, rows, columns = (int((c * (c - 1) // 2).sum()) for c in (table, table.sum(1), table.sum(0)))
    return ratio(total + 2 * together - rows - columns, total) if total else 1.0


def _ordering_scores(rows: Sequence[_Row]) -> dict[Json, float]:
    groups: dict[Json, list[_Row]] = {}
    for row in rows:
        groups.setdefault(row["group_id"], []).append(row)
    return {group: _ordering(pages) for group, pages in groups.items()}


def _ordering(pages: Sequence[_Row]) -> float:
    if len(pages) == 1:
        return 1.0
    return kendall_tau([_number(p["page_number"]) for p in pages], [_number(p["page_number_predicted"]) for p in pages])


def _number(page: Json) -> float:
    try:
        number = float(page)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"Expected a page number, got {page!r}", facts={"got": page})
    return number


def kendall_tau(expected: Sequence[float], predicted: Sequence[float]) -> float:
    """Return Kendall's tau-b: concordant less discordant pairs, ties left out; 0 where one side is all ties.

    >>> kendall_tau([1, 2, 3], [1, 3, 2])
    0.3333333333333333
    """
    e, p = np.asarray(expected), np.asarray(predicted)
    agree, e_apart, p_apart = 0.0, 0, 0
    for k in range(len(e) - 1):  # row by row, so that memory grows with the pages and not with their pairs
        e_signs, p_signs = np.sign(e[k + 1 :] - e[k]), np.sign(p[k + 1 :] - p[k])
        agree += float(e_signs @ p_signs)
        e_apart += int(np.count_nonzero(e_signs))
        p_apart += int(np.count_nonzero(p_signs))
    return ratio(agree, math.sqrt(e_apart * p_apart))
