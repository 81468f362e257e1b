"""A judge's budget in an evaluation: it holds over all workers, and what was answered is never asked again."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fieldwise import LLMComparator, Spec
from fieldwise.api import Evaluation, evaluate_pairs
from fieldwise.errors import BudgetError
from fieldwise.readers.pairs import open_pairs
from fieldwise.spec.nodes import Leaf, Object
from tests.comparators.test_judge import Service

DOCUMENTS = 24


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Service() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """Documents of which every title asks a question of its own; half of the answers are TRUE."""
    path = tmp_path / "pairs.jsonl"
    lines = []
    for n in range(DOCUMENTS):
        expected, predicted = f"t{n:02d}", f"{n:02d}{'t' if n % 2 else 'x'}"
        lines.append({"id": f"{n:02d}", "expected": {"title": expected}, "predicted": {"title": predicted}})
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def evaluated(pairs: Path, service: Service, budget: int | None, **options: Any) -> Evaluation:
    judge = LLMComparator("tiny", endpoint=service.url, budget=budget)
    spec = Spec(Object(fields={"title": Leaf(kind="string", comparator=judge, threshold=1.0)}))
    return evaluate_pairs(open_pairs(pairs), spec, shard_documents=4, **options)


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("with_folder", [False, True])
def test_the_budget_holds_over_all_workers(
    pairs: Path, service: Service, tmp_path: Path, workers: int, with_folder: bool
) -> None:
    """No more questions are asked than the budget allows, and the evaluation stops."""
    out = tmp_path / "out" if with_folder else None
    with pytest.raises(BudgetError, match="budget of 10 questions is spent") as caught:
        evaluated(pairs, service, 10, workers=workers, out=out)
    assert len(service.requests) <= 10
    assert ("kept for resume=True" in str(caught.value)) == with_folder
    assert not (tmp_path / "out" / "metrics.json").exists()


@pytest.mark.parametrize("workers", [1, 3])
def test_a_larger_budget_goes_on(pairs: Path, service: Service, tmp_path: Path, workers: int) -> None:
    """A resumed evaluation asks only what was not answered, and its result is that of one without a budget."""
    for budget in (9, 17):
        with pytest.raises(BudgetError):
            evaluated(pairs, service, budget, workers=workers, out=tmp_path / "out", resume=True)
        assert len(service.requests) <= budget
    found = evaluated(pairs, service, DOCUMENTS + 2 * workers, workers=workers, out=tmp_path / "out", resume=True)
    prompts = [request["messages"][0]["content"] for request in service.requests]
    assert len(set(prompts)) == DOCUMENTS
    assert len(prompts) <= DOCUMENTS + 2 * workers  # a worker may be stopped between a question and its answer
    whole = evaluated(pairs, service, None, out=tmp_path / "whole")
    assert found.metrics == whole.metrics
    assert found.metrics.aggregate.tp == DOCUMENTS // 2
    resumed, at_once = ({path.name for path in (tmp_path / name).iterdir()} for name in ("out", "whole"))
    assert resumed == at_once


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("with_folder", [False, True])
def test_results_of_documents_ask_nothing_again(
    pairs: Path, service: Service, tmp_path: Path, workers: int, with_folder: bool
) -> None:
    """With results.json of every document each question is asked once, so that a budget of as many is enough."""
    out = tmp_path / "out" if with_folder else None
    evaluated(pairs, service, DOCUMENTS, workers=workers, out=out, results_json=tmp_path / "documents")
    prompts = [request["messages"][0]["content"] for request in service.requests]
    assert len(prompts) == len(set(prompts)) == DOCUMENTS
    results = [json.loads(path.read_bytes()) for path in (tmp_path / "documents").rglob("results.json")]
    assert sum(result["overall_metrics"]["precision"] == 1.0 for result in results) == DOCUMENTS // 2


def test_a_budget_is_of_one_evaluation(pairs: Path, service: Service) -> None:
    """A judge that was used in an evaluation counts for itself afterwards."""
    judge = LLMComparator("tiny", endpoint=service.url, budget=DOCUMENTS)
    spec = Spec(Object(fields={"title": Leaf(kind="string", comparator=judge, threshold=1.0)}))
    for _ in range(2):
        evaluate_pairs(open_pairs(pairs), spec, workers=2, shard_documents=4)
    assert len(service.requests) == 2 * DOCUMENTS
    assert judge.questions == 0
