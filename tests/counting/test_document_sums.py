"""What is said of whole documents: the recorded values, and what is left out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.counting.metrics import document_metrics, field_macro, field_metrics, seed_row
from fieldwise.counting.sums import DocumentSums
from fieldwise.results import FieldMacro, FieldMean
from fieldwise.stats.histograms import CountHistogram
from tests.stats.examples import VECTORS, Document, anything, documents


def sums_of(counts: list[Document]) -> DocumentSums:
    sums = DocumentSums()
    for document in counts:
        sums.add_equal(1, document)
    return sums


@pytest.mark.parametrize("run", ["A", "B"])
def test_the_document_macro_of_example_e(run: str) -> None:
    """The mean of the documents' own strict F1 is the recorded one, with an interval over its ten documents."""
    mean = document_metrics(sums_of(documents(run))).macro_strict_f1
    assert mean.value == pytest.approx(VECTORS[f"point_{run}"]["doc_macro_f1"], abs=1e-11)
    assert mean.interval is not None
    assert mean.interval[0] < (mean.value or 0) < mean.interval[1]
    assert (mean.n, mean.skipped) == (10, 0)


def test_documents_without_a_value_are_left_out_of_the_mean_and_counted() -> None:
    """0/0 is no score; such a document has no error, so it is an exact one."""
    metrics = document_metrics(sums_of([(1, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 2), (0, 0, 0, 0)]))
    macro, exact = metrics.macro_strict_f1, metrics.exact_rate
    assert (macro.value, macro.n, macro.skipped) == (0.5, 2, 2)
    assert (exact.value, exact.n) == (0.75, 4)


def test_no_documents_have_no_rates() -> None:
    """Nothing is not zero."""
    metrics = document_metrics(DocumentSums())
    for rate in (metrics.macro_strict_f1, metrics.exact_rate, metrics.weighted_score):
        assert (rate.value, rate.low, rate.high, rate.n) == (None, None, None, 0)


@given(st.lists(anything(), max_size=12), st.integers(0, 12))
def test_parts_give_the_same_as_the_whole(counts: list[Document], split: int) -> None:
    """Sums that were sent as JSON and merged are those of all documents."""
    merged = DocumentSums()
    for part in (counts[split:], counts[:split]):
        merged.merge(DocumentSums.from_state(json.loads(json.dumps(sums_of(part).to_state()))))
    assert merged.to_state() == sums_of(counts).to_state()


@given(anything(), st.integers(0, 9))
def test_equal_documents_may_come_at_once(document: Document, times: int) -> None:
    """Several documents with the same counts add what each of them adds."""
    at_once = DocumentSums()
    at_once.add_equal(times, document)
    assert at_once.to_state() == sums_of([document] * times).to_state()


def test_fields_without_a_value_are_left_out_of_the_mean_and_counted() -> None:
    """A field that nobody filled, or of which wrong values are not told apart, has no strict F1."""
    counts = {"a": (3, 1, 0, 0), "b": (1, 3, 0, 0), "empty": (0, 0, 0, 0)}
    rows = {}
    for path, (tp, fd, fa, fn) in counts.items():
        histogram = CountHistogram()
        histogram.add((tp, fd, fa, fn))
        rows[path] = field_metrics(seed_row((tp, fd, fa, fn, 0)), histogram)
    macro = field_macro([*rows.values()])
    assert macro == FieldMacro(FieldMean(0.5, 2, 1))
