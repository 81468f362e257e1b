"""What a run keeps of comparisons, in memory: errors as they are written, and verdicts put together from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from fieldwise import Comparison, Plan
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import ObjectResult
from fieldwise.counting.tally import DocumentCounts
from fieldwise.tables.compared import ComparedRows, ShardTables
from fieldwise.tables.documents import DocumentRows
from fieldwise.tables.together import Document, Together
from fieldwise.tables.verdict_columns import ERRORS, VERDICTS
from fieldwise.values import Json


def tables_of(
    root: ObjectPlan,
    results: Sequence[ObjectResult],
    *,
    ids: Sequence[str] | None = None,
    trials: Mapping[int, int] | None = None,
    confidences: Mapping[str, Json] | None = None,
) -> tuple[ShardTables, DocumentRows]:
    """Return the tables of some documents, all of them scored."""
    rows, documents = ComparedRows(), DocumentRows()
    for number, result in enumerate(results):
        documents.begin(f"doc-{number}" if ids is None else ids[number], (trials or {}).get(number, 1))
        rows.add(number, root, result, confidences)
        documents.add(number, DocumentCounts(0, 0, 0, 0, 0, None))
    return rows.to_tables(documents, with_values=True), documents


def errors_of(root: ObjectPlan, *results: ObjectResult) -> list[dict[str, Any]]:
    """Return the errors of some documents."""
    return tables_of(root, results)[0].errors.to_pylist()


def verdicts_of(
    plan: Plan,
    comparisons: Sequence[Comparison],
    *,
    ids: Sequence[str] | None = None,
    trials: Mapping[int, int] | None = None,
    confidences: Mapping[str, Json] | None = None,
) -> list[dict[str, Any]]:
    """Return the verdicts of some documents, put together from their pairs, pairings and errors."""
    results = [comparison.result for comparison in comparisons]
    tables, documents = tables_of(plan.root, results, ids=ids, trials=trials, confidences=confidences)
    assert tables.pairs is not None
    pairs = [
        Document(number, documents.ids[number], documents.trials.get(number, 1), None, **texts)
        for number, texts in enumerate(tables.pairs.to_pylist())
    ]
    table: pa.Table = Together(plan.spec.to_json_schema()).verdicts(pairs, tables.errors.cast(ERRORS))
    assert table.schema == VERDICTS
    return table.to_pylist()
