"""Counts and ratios of comparisons. One file, standard library only.

Counts have six keys: ``tp`` (match), ``fd`` (mismatch), ``fa`` (spurious), ``fn`` (missed), ``tn`` (absent) and
``fp = fd + fa``. Ratios here give 0.0 where their denominator is 0.
"""

from __future__ import annotations


def ratio(part: float, whole: float) -> float:
    """Return ``part / whole``, and 0.0 where there is nothing to divide by."""
    return part / whole if whole else 0.0


def derived_metrics(tp: int, fd: int, fa: int, fn: int, tn: int, *, recall_with_fd: bool = False) -> dict[str, float]:
    """Return precision, recall, F1 and accuracy of one set of counts.

    ``recall_with_fd`` counts a wrong value as missed too: tp / (tp + fn + fd).

    >>> derived_metrics(3, 1, 0, 1, 0)["cm_precision"]
    0.75
    """
    everything = tp + tn + fd + fa + fn
    accuracy = (tp + tn) / everything if everything else 0.0
    if not tp:
        return {"cm_precision": 0.0, "cm_recall": 0.0, "cm_f1": 0.0, "cm_accuracy": accuracy}
    precision = tp / (tp + fa + fd)
    recall = tp / (tp + fn + fd if recall_with_fd else tp + fn)
    f1 = 2 * precision * recall / (precision + recall)
    return {"cm_precision": precision, "cm_recall": recall, "cm_f1": f1, "cm_accuracy": accuracy}
