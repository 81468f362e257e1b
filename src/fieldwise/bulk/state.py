"""What an evaluation has gathered: sums and records that merge in any order, and their way to and from a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from fieldwise.bulk.files import StrPath, read_json_file
from fieldwise.counting.matrix_sums import MatrixSums, Measures, check_matrix_sums, check_scores, mean_of
from fieldwise.errors import InputError
from fieldwise.states import by_name, checked, listed, maybe, named, only, text, truth, whole
from fieldwise.values import Json, plain, written

VERSION = 1

_MOST_SUM = 10**400
_LOOKS_LIKE = named(
    {
        "version": only(VERSION),
        "fingerprint": maybe(text),
        "target_schema": maybe(text),
        "accumulators": by_name(named({}, others=True)),
        "processed_count": whole(),
        "overall_score": named({"sum": whole(_MOST_SUM, -_MOST_SUM), "count": whole()}),
        "confusion_matrix": check_matrix_sums,
        "errors": listed(named({"doc_id": text, "error": text}, {"counted": truth, "accumulator": text}, others=True)),
        "non_matches": maybe(listed(named({"doc_id": text}, others=True))),
        "accumulator_errors": by_name(whole()),
    }
)

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

    def metrics(self) -> Measures:
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
        scores = state["overall_score"]
        check_scores(scores["sum"], scores["count"], "overall_score")
        return cls(
            documents=state["processed_count"],
            score_sum=scores["sum"],
            score_count=scores["count"],
            sums=MatrixSums.from_state(state["confusion_matrix"]),
            errors=[dict(error) for error in state["errors"]],
            non_matches=[dict(entry) for entry in state["non_matches"] or ()],
            accumulator_errors=Counter(state["accumulator_errors"]),
        )

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
    return written(record)


def read_state(given: Mapping[str, Json] | StrPath) -> Mapping[str, Json]:
    """Return a state, read from a file where a path is given; InputError for what is none."""
    state = given if isinstance(given, Mapping) else read_json_file(given)
    if not isinstance(state, Mapping) or state.get("version") != VERSION:
        raise InputError(
            f"Expected a state of version {VERSION}, as get_state() gives it",
            code="state.version",
            facts={"expected": VERSION},
        )
    return checked(state, _LOOKS_LIKE)  # type: ignore[no-any-return]  # what the check has looked at
