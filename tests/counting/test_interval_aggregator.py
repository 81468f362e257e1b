"""The aggregator with intervals: the sums of the plain one, and histograms document by document."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.bulk_aggregator import BulkEvaluationAggregator
from fieldwise.counting.interval_aggregator import IntervalAggregator
from fieldwise.errors import InputError
from fieldwise.results import Rate, SeedRow
from fieldwise.stats.histograms import CountHistogram
from fieldwise.stats.intervals import rate_intervals

KEYS = ("tp", "fd", "fa", "fn")
COUNTS = st.fixed_dictionaries(dict.fromkeys(KEYS, st.integers(0, 5)))
MATRICES = st.fixed_dictionaries(
    {"overall": COUNTS},
    optional={
        "fields": st.fixed_dictionaries(
            {}, optional={"total": COUNTS, "rows": st.fixed_dictionaries({"overall": COUNTS})}
        )
    },
)
DOCUMENTS = st.lists(st.lists(st.one_of(MATRICES, st.just({"fields": 3})), min_size=1, max_size=3), max_size=8)
"""Each document is one matrix or several; some are malformed."""


def aggregated(documents: list[list[Any]], first: int = 0, classes: int = 0) -> IntervalAggregator:
    aggregator = IntervalAggregator()
    for number, matrices in enumerate(documents, first):
        for matrix in matrices:
            aggregator.update(matrix, f"document-{number}", group=f"class-{number % classes}" if classes else None)
    return aggregator


@given(DOCUMENTS)
def test_the_sums_are_the_plain_ones(documents: list[list[Any]]) -> None:
    """Beside the intervals nothing differs from what the plain aggregator computes."""
    plain = BulkEvaluationAggregator()
    for number, matrices in enumerate(documents):
        for matrix in matrices:
            plain.update(matrix, f"document-{number}", group=f"class-{number % 2}")
    computed, metrics = plain.compute(), aggregated(documents, classes=2).metrics()

    def row(of: SeedRow) -> dict[str, Any]:
        return {name: getattr(of, name) for name in SeedRow.__struct_fields__}

    assert metrics.document_count == computed["document_count"]
    assert metrics.skipped_count == computed["skipped_count"]
    assert [(e.doc_id, e.error) for e in metrics.errors] == [(e["doc_id"], e["error"]) for e in computed["errors"]]
    assert (row(metrics.overall), row(metrics.aggregate)) == (computed["overall"], computed["aggregate"])
    assert {path: row(of) for path, of in metrics.fields.items()} == computed["fields"]
    classes = {name: group.fields for name, group in (metrics.classes or {}).items()}
    assert {name: {path: row(of) for path, of in fields.items()} for name, fields in classes.items()} == {
        name: held["fields"] for name, held in computed.get("classes", {}).items()
    }


@given(DOCUMENTS)
def test_matrices_of_one_document_are_added_before_they_enter(documents: list[list[Any]]) -> None:
    """The intervals of a path are those of its counts, document by document."""
    histogram = CountHistogram()
    for matrices in documents:
        own = [matrix["fields"]["total"] for matrix in matrices if "total" in _fields(matrix)]
        if own:
            tp, fd, fa, fn = (sum(counts[key] for counts in own) for key in KEYS)
            histogram.add((tp, fd, fa, fn))
    row = aggregated(documents).metrics().fields.get("total")
    assert (row is None) == (not histogram.documents)
    if row is not None:
        for ratio, rate in rate_intervals(histogram).items():
            assert row.rates.of(ratio) == Rate(rate.value, rate.low, rate.high, rate.n, effective_n=rate.effective_n)


def _fields(matrix: Any) -> Any:
    fields = matrix.get("fields")
    return fields if isinstance(fields, dict) else {}


@given(DOCUMENTS, st.integers(0, 8))
def test_parts_give_the_same_as_the_whole(documents: list[list[Any]], split: int) -> None:
    """Sent as JSON and merged, the parts compute the same bytes."""
    merged = IntervalAggregator()
    for part in (aggregated(documents[split:], split), aggregated(documents[:split])):
        merged.merge(IntervalAggregator.from_state(json.loads(json.dumps(part.to_state()))))
    whole = aggregated(documents)
    assert merged.metrics().to_json() == whole.metrics().to_json()
    assert json.dumps(merged.to_state()) == json.dumps(whole.to_state())


def test_computing_does_not_end_a_document() -> None:
    """A look at the numbers in between changes nothing."""
    counts = {"tp": 1, "fd": 0, "fa": 0, "fn": 1}
    looked_at, left_alone = IntervalAggregator(), IntervalAggregator()
    for document in ("a", "a", "b"):
        looked_at.update({"overall": counts}, document)
        looked_at.metrics()
        left_alone.update({"overall": counts}, document)
    assert looked_at.metrics() == left_alone.metrics()


def test_strict_rates_need_the_wrong_values_apart() -> None:
    """Where a matrix says only ``fp``, the other rates have intervals and the strict ones have neither."""
    aggregator = IntervalAggregator()
    for document in range(3):
        aggregator.update({"fields": {"total": {"tp": 2, "fp": 1, "fn": document}}})
    row = aggregator.metrics().fields["total"]
    assert row.strict_f1 is None
    assert row.rates.strict_f1 == row.rates.strict_recall == Rate(None)
    assert row.rates.precision.interval is not None
    assert row.rates.precision.interval[0] < row.precision < row.rates.precision.interval[1]


def test_counts_that_contradict_each_other_have_no_intervals() -> None:
    """Where ``fp`` is not the sum of its parts, nobody knows which of them to believe."""
    aggregator = IntervalAggregator()
    aggregator.update({"fields": {"total": {"tp": 2, "fp": 5, "fd": 1}}})
    row = aggregator.metrics().fields["total"]
    assert row.rates.precision == Rate(2 / 7)


def test_merging_needs_histograms() -> None:
    """An aggregator without histograms would make intervals that leave out its documents."""
    with pytest.raises(InputError, match="another IntervalAggregator to merge, got a BulkEvaluationAggregator"):
        IntervalAggregator().merge(BulkEvaluationAggregator())  # type: ignore[arg-type]  # what is refused


def test_a_malformed_matrix_ends_no_document() -> None:
    """The matrices around it are one document, in the count of documents and in the intervals."""
    aggregator = IntervalAggregator()
    for document, matrix in (
        ("a", {"fields": {"t": {"tp": 1}}}),
        ("b", {"fields": 3}),
        ("a", {"fields": {"t": {"tp": 1}}}),
    ):
        aggregator.update(matrix, document)
    metrics = aggregator.metrics()
    assert (metrics.document_count, metrics.fields["t"].rates.precision.n) == (1, 1)


def test_histograms_of_other_matrices_are_refused() -> None:
    """Intervals follow from the histograms of what the sums count, of the same paths, or the state is refused."""
    state = aggregated([[{"fields": {"total": {"tp": 1, "fd": 2}}}], [{"fields": {"total": {"tp": 3}}}]]).to_state()
    other = aggregated([[{"fields": {"total": {"tp": 1}}}]]).to_state()["histograms"]
    for histograms in ({}, {**state["histograms"], "more": other["total"]}, {**state["histograms"], **other}):
        with pytest.raises(InputError, match=r"histogram.*got other"):
            IntervalAggregator.from_state({**state, "histograms": histograms})
    assert IntervalAggregator.from_state(state).to_state() == state
