"""What an evaluation has gathered: sums and records that merge in any order, and their way to and from a file."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from fieldwise.bulk.files import StrPath, read_json_file
from fieldwise.bulk.matrix_sums import MatrixSums, mean_of
from fieldwise.errors import InputError
from fieldwise.values import Json, plain

VERSION = 1

_KEYS = frozenset(("fingerprint", "target_schema", "non_matches", "accumulators"))

Record = dict[str, Json]
"""What is known of a document that failed, or of one value that did not match; has a ``doc_id``."""


@dataclass
class EvaluationState:
    """Everything that was gathered of documents, other than what accumulators hold."""

    documents: int = 0
    score_sum: int = 0
    score_count: int = 0
    sums: MatrixSums = field(default_factory=MatrixSums)
    errors: list[Record] = field(default_factory=list)
    non_matches: list[Record] = field(default_factory=list)
    accumulator_errors: Counter[str] = field(default_factory=Counter)

    def merge(self, other: EvaluationState) -> None:
        """Add what another has gathered."""
        self.documents += other.documents
        self.score_sum += other.score_sum
        self.score_count += other.score_count
        self.sums.merge(other.sums)
        self.errors += other.errors
        self.non_matches += other.non_matches
        self.accumulator_errors += other.accumulator_errors

    def metrics(self) -> dict[str, Any]:
        """Return the metrics of all documents, and the mean of their overall scores."""
        return {**self.sums.metrics(), "weighted_overall_score": mean_of(self.score_sum, self.score_count)}

    def to_json(self) -> dict[str, Json]:
        """Return everything as JSON, in an order that does not depend on which document came first."""
        return {
            "processed_count": self.documents,
            "overall_score": {"sum": self.score_sum, "count": self.score_count},
            "confusion_matrix": self.sums.to_state(),
            "errors": in_order(plain(self.errors)),
            "non_matches": in_order(plain(self.non_matches)),
            "accumulator_errors": dict(sorted(self.accumulator_errors.items())),
        }

    @classmethod
    def from_json(cls, state: Mapping[str, Json]) -> EvaluationState:
        """Return what ``to_json`` gave; InputError for anything else."""
        try:
            return cls(
                documents=int(state["processed_count"]),
                score_sum=int(state["overall_score"]["sum"]),
                score_count=int(state["overall_score"]["count"]),
                sums=MatrixSums.from_state(state["confusion_matrix"]),
                errors=[dict(error) for error in state["errors"]],
                non_matches=[dict(entry) for entry in state["non_matches"] or ()],
                accumulator_errors=Counter(state["accumulator_errors"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"Expected a state as get_state() gives it, got one that is broken: {error!r}") from error

    @property
    def seen(self) -> int:
        """How many documents came, those that failed included."""
        return self.documents + len(failures(self.errors))


def failures(errors: Sequence[Record]) -> list[Record]:
    """Return the records of documents that count nowhere."""
    return [error for error in errors if "accumulator" not in error and not error.get("counted")]


def in_order(records: Sequence[Record]) -> list[Record]:
    """Return records sorted by document and path, those of one place by all they say."""
    places = [(str(record["doc_id"]), str(record.get("field_path", ""))) for record in records]
    out: list[Record] = []
    for _, same in groupby(sorted(range(len(records)), key=places.__getitem__), key=places.__getitem__):
        group = [records[at] for at in same]
        out += sorted(group, key=_text) if len(group) > 1 else group
    return out


def _text(record: Record) -> str:
    return json.dumps(plain(record), sort_keys=True)


def read_state(given: Mapping[str, Json] | StrPath) -> Mapping[str, Json]:
    """Return a state, read from a file where a path is given; InputError for what is none."""
    state = given if isinstance(given, Mapping) else read_json_file(given)
    if not isinstance(state, Mapping) or state.get("version") != VERSION or not state.keys() >= _KEYS:
        raise InputError(f"Expected a state of version {VERSION}, as get_state() gives it")
    return state
