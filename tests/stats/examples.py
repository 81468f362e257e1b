"""The recorded reference values, the examples they belong to, and how documents are made up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from fieldwise.stats import histograms
from fieldwise.stats.confidences import ConfidenceHistogram, Confidences
from fieldwise.stats.histograms import MAX_ENTRIES, CountHistogram
from tests.recorded import recorded

VECTORS: dict[str, Any] = recorded("statistics")

Document = tuple[int, int, int, int]
"""The counts tp, fd, fa, fn of one document."""


def documents(run: str) -> list[Document]:
    """Return the documents of example E; every false positive is an invention, so strict F1 is F1."""
    return [(tp, 0, fp, fn) for tp, fp, fn in VECTORS["example"][f"{run}_tp_fp_fn"]]


def histogram_by_document(counts: list[Document]) -> CountHistogram:
    """Return the histogram of some documents."""
    histogram = CountHistogram()
    for document in counts:
        histogram.add(document)
    return histogram


def anything(largest: int = 20) -> st.SearchStrategy[Document]:
    """Return documents of any counts."""
    count = st.integers(0, largest)
    return st.tuples(count, count, count, count)


LIMITS = st.sampled_from([0, 1, 2, 5, MAX_ENTRIES])
"""From how many entries on histograms are folded."""


@contextmanager
def folded_above(entries: int) -> Iterator[None]:
    """Fold histograms of more than so many entries, however many they may have otherwise."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(histograms, "MAX_ENTRIES", entries)
        yield


CALIBRATION, REVIEW = VECTORS["calibration"], VECTORS["review_curve"]
"""What is recorded of example C."""
CONF, CORRECT = np.array(CALIBRATION["conf"]), np.array(CALIBRATION["correct"])
Pair = tuple[bool, float]
"""Whether a value is right, and its confidence."""
PAIRS: list[Pair] = [(bool(y), float(c)) for c, y in zip(CONF, CORRECT, strict=True)]
C = Confidences.from_pairs(PAIRS)
steps = st.integers(0, 10_000).map(lambda step: step / 10_000)
some_pairs = st.lists(st.tuples(st.booleans(), steps | st.sampled_from([0.1, 0.5, 0.9])), max_size=40)


def confidence_histogram(pairs: list[Pair]) -> ConfidenceHistogram:
    """Return the histogram of some pairs."""
    histogram = ConfidenceHistogram()
    for right, confidence in pairs:
        histogram.add(right, confidence)
    return histogram
