"""Histograms of counts: what documents add up to, in any number of parts, folded or not."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.errors import InputError
from fieldwise.results.rates import DENOMINATORS, NUMERATORS, RATIOS, Ratio
from fieldwise.stats.count_tables import histogram_of, ratio_parts
from fieldwise.stats.histograms import MAX_ENTRIES, CountHistogram
from fieldwise.stats.intervals import rate_intervals, ratio_interval

from .examples import LIMITS, Document, anything, folded_above, histogram_by_document

runs = st.lists(anything(2) | anything(3) | anything(10**6), max_size=30)


def weighed(document: Document, weights: tuple[int, int, int, int]) -> int:
    return sum(count * weight for count, weight in zip(document, weights, strict=True))


def parts_by_document(counts: list[Document], ratio: Ratio) -> list[tuple[int, int, int, int]]:
    """Group documents by denominator, and add up their numerators and the squares of these."""
    groups: dict[int, list[int]] = {}
    for document in counts:
        groups.setdefault(weighed(document, DENOMINATORS[ratio]), []).append(weighed(document, NUMERATORS[ratio]))
    return [
        (size, len(tops), sum(tops), sum(top * top for top in tops)) for size, tops in sorted(groups.items()) if size
    ]


@given(runs, LIMITS)
def test_figures_are_those_of_the_documents(counts: list[Document], limit: int) -> None:
    """Documents, sums and the parts of every ratio are what the documents add up to, also after folding."""
    with folded_above(limit):
        histogram = histogram_by_document(counts)
        assert histogram.documents == len(counts)
        assert histogram.totals() == tuple(sum(column) for column in zip((0, 0, 0, 0), *counts, strict=True))
        for ratio in RATIOS:
            assert histogram.parts(ratio) == parts_by_document(counts, ratio)


@given(runs, LIMITS)
def test_folding_changes_no_byte(counts: list[Document], limit: int) -> None:
    """Intervals of a histogram that was folded are those of one that was not, to the last digit."""
    with folded_above(limit):
        folded = rate_intervals(histogram_by_document(counts))
    assert repr(folded) == repr(rate_intervals(histogram_by_document(counts)))


@given(runs)
def test_a_table_has_the_figures_of_its_histogram(counts: list[Document]) -> None:
    """Parts of a table of documents, large counts or small ones, are those of its histogram."""
    assert histogram_of(counts) == histogram_by_document(counts)
    for ratio in RATIOS:
        assert ratio_parts(counts, ratio) == parts_by_document(counts, ratio)
        assert repr(ratio_interval(ratio_parts(counts, ratio))) == repr(
            rate_intervals(histogram_by_document(counts))[ratio]
        )


@given(runs, st.randoms(use_true_random=False), st.integers(1, 5), LIMITS)
def test_any_order_and_division_gives_the_same_bytes(counts: list[Document], rng: Any, shards: int, limit: int) -> None:
    """Merging is commutative and associative and has a zero: the state of all parts is that of the whole."""
    with folded_above(limit):
        whole = histogram_by_document(counts)
        mixed = rng.sample(counts, len(counts))
        parts = [histogram_by_document(mixed[k::shards]) for k in range(shards)]
        left, right = CountHistogram(), CountHistogram()
        for part in parts:
            left.merge(CountHistogram.from_state(json.loads(json.dumps(part.to_state()))))
        for part in reversed(parts):
            part.merge(right)
            right = part
        for merged in (left, right):
            assert json.dumps(merged.to_state()) == json.dumps(whole.to_state())


@given(runs, runs, runs, LIMITS)
def test_merging_is_associative(a: list[Document], b: list[Document], c: list[Document], limit: int) -> None:
    """(a + b) + c is a + (b + c)."""
    with folded_above(limit):
        first, second = histogram_by_document(a), histogram_by_document(b)
        first.merge(histogram_by_document(b))
        first.merge(histogram_by_document(c))
        second.merge(histogram_by_document(c))
        other = histogram_by_document(a)
        other.merge(second)
        assert json.dumps(first.to_state()) == json.dumps(other.to_state())


@settings(deadline=None, max_examples=20)
@given(runs, LIMITS)
def test_a_state_goes_on_as_before(counts: list[Document], limit: int) -> None:
    """A histogram that was written and read takes documents as the first one does."""
    with folded_above(limit):
        histogram = histogram_by_document(counts)
        again = CountHistogram.from_state(json.loads(json.dumps(histogram.to_state())))
        for one in (histogram, again):
            one.add((1, 2, 3, 4), documents=2)
        assert again == histogram


def test_more_than_ten_thousand_entries_are_folded() -> None:
    """The state of very many different documents grows with their sizes, not with their number."""
    counts = [(tp, fd, fa, 0) for tp in range(25) for fd in range(25) for fa in range(25)]
    assert len(counts) > MAX_ENTRIES
    at_most, more = histogram_by_document(counts[:MAX_ENTRIES]), histogram_by_document(counts)
    few: Any = at_most.to_state()
    assert len(few["documents"]) == MAX_ENTRIES
    state: Any = more.to_state()
    assert state["sums"] == [len(counts), *(sum(column) for column in zip(*counts, strict=True))]
    assert [row[0] for row in state["maps"]["precision"]] == list(range(1, 73))
    halves = histogram_by_document(counts[::2])
    halves.merge(histogram_by_document(counts[1::2]))
    assert json.dumps(halves.to_state()) == json.dumps(state)


def test_a_state_is_sorted_rows() -> None:
    """Counts with the number of their documents, and what is absent on both sides."""
    histogram = histogram_by_document([(1, 0, 0, 2), (0, 3, 0, 0), (1, 0, 0, 2)])
    histogram.tn += 7
    assert histogram.to_state() == {"tn": 7, "documents": [[0, 3, 0, 0, 1], [1, 0, 0, 2, 2]]}


def test_a_document_without_counts_is_a_document() -> None:
    """It has no denominator, so it is in no ratio's n."""
    histogram = histogram_by_document([(0, 0, 0, 0)])
    assert histogram.documents == 1
    assert all(histogram.parts(ratio) == [] for ratio in RATIOS)


ROW = [1, 0, 0, 2, 1]
BROKEN: list[Any] = [
    *(None, {}, [[1, 0, 0, 2]], [[1, 0, 0, 2, 0]], [[1, 0, 0, -2, 1]]),
    *([ROW, ROW], [ROW, [0, 0, 0, 0, 1]], [[2**53, 0, 0, 0, 2]]),
]


@pytest.mark.parametrize(
    "state",
    [
        *(None, [], {}, {"tn": 0}, {"documents": []}, {"tn": -1, "documents": []}, {"tn": 0.0, "documents": []}),
        {"tn": 0, "documents": [], "more": 1},
        *({"tn": 0, "documents": rows} for rows in BROKEN),
        {"tn": 0, "documents": [[0, 0, 0, at, 1] for at in range(MAX_ENTRIES + 1)]},
    ],
)
def test_a_malformed_state_is_refused(state: Any) -> None:
    """Rows are whole numbers from 0, rising, each of a document at least."""
    with pytest.raises(InputError, match="of the state"):
        CountHistogram.from_state(state)


def folded_state() -> Any:
    with folded_above(1):
        return json.loads(json.dumps(histogram_by_document([(3, 1, 0, 2), (1, 0, 0, 0), (0, 0, 4, 0)]).to_state()))


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("change", [-1, 1, 0.5, 10**40])
def test_a_folded_state_that_does_not_add_up_is_refused(place: int, change: float) -> None:
    """Sums of maps are those of the counts, and no sum of squares is larger or smaller than numbers can have."""
    CountHistogram.from_state(folded_state())
    state = folded_state()
    state["maps"]["f1"][-1][place] += change
    if place < 3 or change in (0.5, 10**40):
        with pytest.raises(InputError, match="of the state"):
            CountHistogram.from_state(state)
    state = folded_state()
    state["sums"][1 + place] += change
    with pytest.raises(InputError, match="of the state"):
        CountHistogram.from_state(state)


def test_histograms_are_shown_and_not_hashed() -> None:
    """They change, so they are no key."""
    histogram = histogram_by_document([(3, 1, 0, 2)])
    assert repr(histogram) == "CountHistogram(documents=1, tp=3, fd=1, fa=0, fn=2, tn=0)"
    assert histogram != "else"
    with pytest.raises(TypeError):
        hash(histogram)


@given(runs)
def test_equal_documents_may_come_at_once(counts: list[Document]) -> None:
    """Documents with the same counts add what each of them adds."""
    at_once = CountHistogram()
    for document, times in Counter(counts).items():
        at_once.add(document, times)
    assert at_once == histogram_by_document(counts)
