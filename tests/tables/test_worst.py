"""The rows of the worst documents of many shards: those that a page opens are all there."""

from __future__ import annotations

from itertools import accumulate

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.tables.worst import WorstRows

MOST = 12
DOCUMENTS = st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, None]), st.integers(0, 5)), max_size=8)
"""Of each document its score and how many rows it has."""


@given(st.lists(DOCUMENTS, max_size=12))
def test_the_worst_documents_of_all_shards_are_kept(shards: list[list[tuple[float | None, int]]]) -> None:
    """Documents rank by score, then by their order; those whose rows fit on a page together are kept whole."""
    kept, ranked = WorstRows(MOST), []
    for number, documents in enumerate(shards):
        names = [f"{number}-{at}" for at in range(len(documents))]
        rows = [name for name, (_, size) in zip(names, documents, strict=True) for _ in range(size)]
        scores = [score for score, _ in documents]
        kept.add(
            pa.table({"document": pa.array(rows, pa.string())}),
            pa.table({"document": pa.array(names, pa.string()), "score": pa.array(scores, pa.float64())}),
        )
        ranked += [(2.0 if score is None else score, f"{number}-{at}", n) for at, (score, n) in enumerate(documents)]
    if not shards:
        assert len(kept.table()) == 0
        return
    ranked.sort(key=lambda document: document[0])
    found = kept.table()["document"].to_pylist()
    ends = accumulate(size for *_, size in ranked)
    opened = [document for document, end in zip(ranked, ends, strict=True) if end <= MOST]
    assert all(found.count(name) == size for _, name, size in opened)
    assert all(found.count(name) in (0, size) for _, name, size in ranked)
    assert len(found) <= 2 * MOST
