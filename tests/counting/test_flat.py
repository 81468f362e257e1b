"""Documents counted many at a time are counted as one by one, to the last bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fieldwise import Spec
from fieldwise.compare import Plan
from fieldwise.compare.quick import differing
from fieldwise.compare.results import LeafResult
from fieldwise.counting.flat import Differing, FlatCounts
from fieldwise.counting.tally import Tally

FIELDS: dict[str, dict[str, Any]] = {
    "name": {"type": "string", "x-fieldwise-comparator": "Levenshtein", "x-fieldwise-threshold": 0.7},
    "code": {"type": "string", "x-fieldwise-weight": 0.3},
    "total": {"type": "number", "x-fieldwise-weight": 2.5},
    "count": {"type": "integer", "x-fieldwise-weight": 0.0},
    "paid": {"type": "boolean", "x-fieldwise-weight": 1 / 3},
}
VALUES = st.sampled_from([None, "", " ", "ACME Inc", "Acme Inc.", "ACME lnc", "7", 7, 7.0, 7.5, -1, True, False, [7]])
DOCUMENTS = st.dictionaries(st.sampled_from(list(FIELDS)), VALUES)


@given(
    st.lists(st.tuples(DOCUMENTS, DOCUMENTS), min_size=1, max_size=12),
    st.sets(st.sampled_from(list(FIELDS)), min_size=1),
)
def test_many_at_a_time_as_one_by_one(pairs: list[tuple[dict[str, Any], dict[str, Any]]], names: set[str]) -> None:
    """Sums, counts of each document and scores are equal."""
    schema = {"type": "object", "properties": {name: FIELDS[name] for name in sorted(names)}}
    root = Plan.compile(Spec.from_json_schema(schema)).root
    known = [tuple({k: v for k, v in side.items() if k in names} for side in pair) for pair in pairs]
    one_by_one, together = Tally(), Tally()
    counts = [one_by_one.add(root, root.pair(expected, predicted)) for expected, predicted in known]
    sizes: list[int] = []
    places: list[int] = []
    leaves: list[LeafResult] = []
    for expected, predicted in known:
        before = len(leaves)
        differing(root.numbered, expected, predicted, places, leaves)
        sizes.append(len(leaves) - before)
    counted = together.add_flat(root, Differing.of(sizes, places, leaves))
    assert together.to_state() == one_by_one.to_state()
    assert counted.outcomes.tolist() == [list(document[:5]) for document in counts]
    scores = [math.nan if document.score is None else document.score for document in counts]
    assert np.array_equal(counted.scores, np.array(scores, np.float64), equal_nan=True)


def test_counts_of_any_size_are_told_apart() -> None:
    """Documents with the same counts are added together, also where four such counts fit into no machine word."""
    rows = [(10**6, 1, 0, 0, 0), (10**6, 0, 1, 0, 0), (10**6, 1, 0, 0, 7), (0, 0, 0, 0, 0)]
    found = FlatCounts(np.array(rows, np.int64), np.zeros(len(rows)))
    assert dict(found.histogram()) == {(10**6, 1, 0, 0): 2, (10**6, 0, 1, 0): 1, (0, 0, 0, 0): 1}
