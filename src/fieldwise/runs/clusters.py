"""Documents of a run that belong together: by the key of its evaluation, or by another one of their metadata."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from fieldwise.errors import SettingError, quoted
from fieldwise.evaluation.groups import text_at
from fieldwise.runs.run import Run
from fieldwise.spec.paths import steps_of
from fieldwise.tables.stored import Ints
from fieldwise.tables.stored_documents import DocumentTable


@dataclass(frozen=True)
class Clusters:
    """The number of the cluster of each document; one without a cluster is one of its own."""

    key: str
    numbers: Ints
    count: int

    @classmethod
    def of(cls, key: str, names: Sequence[str | None]) -> Clusters:
        """Return the clusters of documents, given the name of each, None where it has none."""
        known: dict[str | tuple[int], int] = {}
        numbers = [known.setdefault((at,) if name is None else name, len(known)) for at, name in enumerate(names)]
        return cls(key, np.array(numbers, np.int64), len(known))


def cluster_key(runs: Sequence[Run], given: str | None) -> str | None:
    """Return the key that was given, or the one by which all runs were evaluated; None where there is none."""
    if given is not None:
        return given
    keys = {run.metrics.cluster_by for run in runs}
    return keys.pop() if len(keys) == 1 else None


def clusters_in(run: Run, documents: DocumentTable, key: str) -> list[str | None]:
    """Return the cluster of each row of documents, None where it has none."""
    if run.metrics.cluster_by == key:
        return documents.texts("cluster")
    steps = steps_of(key)
    return [None if text is None else text_at(json.loads(text), steps) for text in documents.texts("metadata")]


def check_clusters(run: Run, key: str, names: Iterable[str | None]) -> None:
    """Refuse a key that no document has."""
    if all(name is None for name in names):
        own = run.metrics.cluster_by
        known = f"; it was evaluated by {quoted(own)}" if own else ""
        raise SettingError(
            f"No document of {run.name} has {quoted(key)} in its metadata{known}",
            code="document.no_such_key",
            facts={"setting": "cluster_by", "got": key, "file": run.name, "nearest": own},
            advice="evaluate again by clusters of that key",
        )
