"""Kinds in verdict rows: where they stand, and how they add up."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise import Comparison, Plan
from fieldwise.error_kinds import KINDS
from fieldwise.tables.mistakes import KIND_COUNTS, KindCounts, count_kinds, kind_sums
from tests.counting.test_tally import runs
from tests.rows import tables_of
from tests.strategies import examples

counts = st.dictionaries(st.sampled_from("abc"), st.dictionaries(st.sampled_from(KINDS), st.integers(1, 9), min_size=1))


@settings(deadline=None, max_examples=examples(60))
@given(runs())
def test_every_mistake_has_a_kind(run: tuple[Plan, list[Comparison]]) -> None:
    """Whatever the documents: mistakes have a kind, other rows have none, and the counts are those of the rows."""
    plan, comparisons = run
    tables, _ = tables_of(plan.root, [comparison.result for comparison in comparisons])
    table = tables.errors
    found: Counter[tuple[str, str]] = Counter()
    for row in table.to_pylist():
        assert (row["kind"] is not None) == (row["outcome"] not in ("match", "absent"))
        assert (row["kind"] == "missing") == (row["outcome"] == "missed")
        assert (row["kind"] == "invented") == (row["outcome"] == "spurious")
        if row["kind"]:
            found[row["field"], row["kind"]] += 1
    counted = count_kinds(table)
    assert {(field, kind): n for field, kinds in counted.items() for kind, n in kinds.items()} == found


@settings(deadline=None, max_examples=examples(60))
@given(runs())
def test_a_document_alone_has_the_kinds_that_it_has_among_others(run: tuple[Plan, list[Comparison]]) -> None:
    """Kinds of one document do not depend on which documents are in the same table."""
    plan, comparisons = run
    together: KindCounts = {}
    for comparison in comparisons:
        KIND_COUNTS.add(together, tables_of(plan.root, [comparison.result])[0].kinds)
    whole, _ = tables_of(plan.root, [comparison.result for comparison in comparisons])
    assert kind_sums(together) == kind_sums(whole.kinds)


@given(counts, counts, counts)
def test_counts_add_in_any_order(one: KindCounts, two: KindCounts, three: KindCounts) -> None:
    """Adding is associative and commutative, and nothing is its zero."""

    def added(*parts: KindCounts) -> KindCounts:
        total: KindCounts = {}
        for part in parts:
            KIND_COUNTS.add(total, part)
        return total

    assert kind_sums(added(one, added(two, three))) == kind_sums(added(added(three, one), two))
    assert kind_sums(added(one, {})) == kind_sums(one)
    assert sum(kind_sums(one)["total"].values()) == sum(sum(kinds.values()) for kinds in one.values())
