"""The seed's aggregator, ours over results, and the peer's: the same counts for every tree that the engine makes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldwise import StructuredModel
from fieldwise.bulk import BulkEvaluationAggregator, aggregate_from_comparisons
from tests.conformance import peer
from tests.conformance.documents import Case, cases
from tests.strategies import examples

from .results import EVERYTHING, KEYS, Result, engine_results

RATES = {"cm_precision": "precision", "cm_recall": "recall", "cm_f1": "f1", "cm_accuracy": "accuracy"}
STRICT = ("strict_recall", "strict_f1")


@settings(deadline=None, max_examples=examples(80))
@given(engine_results())
def test_the_aggregator_and_the_function_agree(results: list[Result]) -> None:
    """Counts, ratios, strict ratios and paths are the same, under the names of each."""
    aggregator = BulkEvaluationAggregator()
    for result in results:
        aggregator.update(result["confusion_matrix"])
    seed, ours = aggregator.compute(), aggregate_from_comparisons(results)
    assert ours.document_count == seed["document_count"] == len(results)
    for mine, theirs in [(ours.metrics, seed["overall"]), *_paired(ours.field_metrics, seed["fields"])]:
        assert [mine[k] for k in (*KEYS, *STRICT, *RATES)] == [theirs[k] for k in (*KEYS, *STRICT, *RATES.values())]


def _paired(ours: dict[str, Any], theirs: dict[str, Any]) -> list[tuple[Any, Any]]:
    assert list(ours) == list(theirs)
    return [(ours[path], theirs[path]) for path in ours]


@pytest.mark.peers
@pytest.mark.skipif(not peer.INSTALLED, reason="stickler-eval is not installed")
@settings(
    deadline=None, max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.lists(cases(), max_size=4))
def test_the_peer_agrees(drawn: list[Case]) -> None:
    """The peer adds up our results, and we add up its own, to the same counts, ratios, scores and non-matches."""
    for models in (StructuredModel, peer.module().StructuredModel):
        results = [_compared(models, case) for case in drawn]
        with peer.quiet():
            theirs = peer.as_json(peer.module().aggregate_from_comparisons(results).model_dump())
        ours = aggregate_from_comparisons(results)
        assert ours.document_count == theirs["document_count"]
        assert ours.field_metrics.keys() == theirs["field_metrics"].keys()
        _agree(ours.metrics, theirs["metrics"])
        for path, row in theirs["field_metrics"].items():
            _agree(ours.field_metrics[path], row)
        assert sorted(map(str, peer.as_json(ours.non_matches))) == sorted(map(str, theirs["non_matches"]))


def _compared(models: Any, case: Case) -> Any:
    with peer.quiet():
        model = models.from_json_schema(case.schema)
        return model(**case.expected).compare_with(model(**case.predicted), **EVERYTHING)


def _agree(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    assert {key: ours.get(key) for key in theirs} == pytest.approx(theirs, abs=1e-9)
