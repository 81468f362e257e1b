"""Intervals for rows that come in clusters: the documents or tasks are drawn again, not the rows."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fieldwise.classify.counts import CountTable
from fieldwise.results.classes import Judge
from fieldwise.stats.intervals import REPLICATES, Floats, resample

SEED = 20_240_601
"""The same table gives the same interval."""


class Replicates(NamedTuple):
    """The number of clusters, and accuracy and macro F1 of each resampled set of them."""

    clusters: int
    accuracy: list[float]
    macro_f1: list[float]


def resample_clusters(table: CountTable, judge: Judge, replicates: int = REPLICATES) -> Replicates:
    """Draw as many clusters as there are, with replacement, and score what was drawn; again and again.

    In each draw macro F1 is the mean over the classes that occur in it.
    """
    sums, classes = _cluster_sums(table, judge)
    drawn = resample(sums, seed=SEED, replicates=replicates)
    accuracy = drawn[:, -2] / np.maximum(drawn[:, -1], 1)
    macro = _macro_f1(drawn[:, : 4 * classes].reshape(-1, 4, classes))
    return Replicates(len(sums), accuracy.tolist(), macro.tolist())


def _cluster_sums(table: CountTable, judge: Judge) -> tuple[Floats, int]:
    """Return a row for each cluster, and the number of classes.

    A row has for each class the rows right among those predicted as it, those predicted, right among those expected,
    and expected; then all that are right, and all.
    """
    place = {key: i for i, key in enumerate(table.classes())}
    classes = len(place)
    sums = np.zeros((len(table.groups), 4 * classes + 2))
    for row, name in zip(sums, sorted(table.groups, key=str), strict=True):
        for cell, n in table.groups[name].items():
            right = n if (cell.correct if judge == "correct" else cell.same) else 0
            if cell.predicted in place:
                at = place[cell.predicted]
                row[at] += right
                row[classes + at] += n
            if cell.golden in place:
                at = place[cell.golden]
                row[2 * classes + at] += right
                row[3 * classes + at] += n
            row[-2] += right
            row[-1] += n
    return sums, classes


def _macro_f1(counts: Floats) -> Floats:
    right_predicted, predicted, right_expected, support = (counts[:, part] for part in range(4))
    precision = right_predicted / np.maximum(predicted, 1)
    recall = right_expected / np.maximum(support, 1)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0)
    present = (predicted + support) > 0
    mean: Floats = (f1 * present).sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    return mean
