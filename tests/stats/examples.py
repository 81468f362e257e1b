"""The recorded reference values, the examples they belong to, and how documents are made up."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from fieldwise.stats.histograms import CountHistogram
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
