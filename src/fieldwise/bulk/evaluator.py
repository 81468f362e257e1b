"""`BulkStructuredModelEvaluator`: documents one by one, sums that can be saved and merged, metrics at any time."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Mapping, Sequence

from fieldwise.bulk.accumulators import ConfidenceAccumulator, ConfidenceMetric, PostComparisonAccumulator, merge_states
from fieldwise.bulk.process_evaluation import ProcessEvaluation
from fieldwise.bulk.state import (
    EvaluationState,
    Frame,
    Record,
    ResultLines,
    StrPath,
    in_order,
    read_lines,
    read_rows,
    read_state,
    write_json,
)
from fieldwise.errors import ENDS_ALL, InputError, SettingError
from fieldwise.model import StructuredModel
from fieldwise.values import Json


class BulkStructuredModelEvaluator:
    """Compares documents or takes results of comparisons, and keeps sums and records of them.

    A document that cannot be compared is a record in ``errors`` and counts nowhere; with ``strict`` it raises, with
    ``elide_errors`` it leaves no record. State is the same bytes for any order and any split of the documents.
    """

    def __init__(
        self,
        target_schema: type[StructuredModel] | None = None,
        verbose: bool = False,
        document_non_matches: bool = True,
        elide_errors: bool = False,
        individual_results_jsonl: StrPath | None = None,
        confidence_metrics: Sequence[ConfidenceMetric | str] | None = None,
        accumulators: Sequence[PostComparisonAccumulator] | None = None,
        *,
        strict: bool = False,
    ) -> None:
        self.target_schema = target_schema
        self.fingerprint = None if target_schema is None else _fingerprint(target_schema)
        self.verbose, self.document_non_matches = verbose, document_non_matches
        self.elide_errors, self.strict = elide_errors, strict
        self.accumulators = _accumulators(accumulators, confidence_metrics)
        self._lines = None if individual_results_jsonl is None else ResultLines(individual_results_jsonl)
        self._fitting: dict[type, bool] = {}
        self.reset()

    def reset(self) -> None:
        """Forget all documents; lines that were written stay."""
        self._state = EvaluationState(
            self.fingerprint, self._schema_name, non_matches=[] if self.document_non_matches else None
        )
        self._seen = 0
        self._start = time.perf_counter()
        for accumulator in self.accumulators:
            accumulator.reset()

    # Documents

    def update(
        self, gt_model: StructuredModel | Json, pred_model: StructuredModel | Json, doc_id: str | None = None
    ) -> None:
        """Compare one document and add it. With a target schema, both sides may also be JSON."""
        self._seen += 1
        try:
            result = self._compared(gt_model, pred_model)
            self._add(result, doc_id)
        except ENDS_ALL:
            raise  # they concern every document
        except Exception as error:  # noqa: BLE001  # the evaluate loop: a failure is a record
            record = self._fail(doc_id, error)
            self._write({"comparison_result": None, **record})
        else:
            self._write({"doc_id": self._name(doc_id), "comparison_result": result})

    def _compared(self, expected: StructuredModel | Json, predicted: StructuredModel | Json) -> dict[str, Json]:
        schema = self.target_schema
        if schema is not None and not isinstance(expected, StructuredModel):
            expected = schema.from_json(expected)
            predicted = predicted if isinstance(predicted, StructuredModel) else schema.from_json(predicted)
        if not isinstance(expected, StructuredModel):
            raise InputError(
                f"Expected a model, got {type(expected).__name__}; documents need a target_schema",
                code="input.wrong_type",
                facts={"got": type(expected).__name__},
            )
        if not self._fits(type(expected)):
            raise InputError(
                f"Expected a document of the target schema, got one of {type(expected).__name__}",
                code="input.wrong_type",
                facts={"got": type(expected).__name__},
            )
        return expected.compare_with(
            predicted,
            include_confusion_matrix=True,
            document_non_matches=self.document_non_matches,
            document_field_comparisons=True,
        )

    def _fits(self, cls: type[StructuredModel]) -> bool:
        if self.fingerprint is None or cls is self.target_schema:
            return True
        if cls not in self._fitting:
            self._fitting[cls] = _fingerprint(cls) == self.fingerprint
        return self._fitting[cls]

    def update_batch(
        self, batch_data: Iterable[tuple[StructuredModel | Json, StructuredModel | Json, str | None]]
    ) -> None:
        """Compare and add many documents: (expected, predicted, doc_id) each."""
        for expected, predicted, doc_id in batch_data:
            self.update(expected, predicted, doc_id)
        self._say(f"{self._state.documents:,} documents")

    def update_from_comparison_result(self, comparison_result: Json, doc_id: str | None = None) -> None:
        """Add a result of ``compare_with`` that has its confusion matrix."""
        self._add_results([comparison_result], doc_id)

    def update_from_comparison_results(self, comparison_results: Iterable[Json]) -> None:
        """Add many results, which are called ``doc_0``, ``doc_1`` and so on."""
        self._add_results(comparison_results, None)

    def _add_results(self, results: Iterable[Json], doc_id: str | None) -> None:
        for result in results:
            self._seen += 1
            try:
                self._add(result, doc_id)
            except (InputError, TypeError) as error:
                self._fail(doc_id, error)

    def replay(self, path: StrPath) -> None:
        """Add the documents of a file that ``individual_results_jsonl`` named, failures included."""
        for line in read_lines(path):
            if "error" in line:
                self._seen += 1
                self._keep({key: line[key] for key in ("doc_id", "error", "error_type")})
            else:
                self.update_from_comparison_result(line["comparison_result"], line["doc_id"])

    def evaluate_dataframe(self, df: Frame) -> ProcessEvaluation:
        """Start anew with the rows of a data frame: columns expected and predicted, as JSON, and perhaps doc_id.

        A row whose expected side is no JSON is a record. One whose predicted side is none is compared as missing, and
        recorded with ``counted: true``.
        """
        if self.target_schema is None:
            raise SettingError(
                "evaluate_dataframe() compares JSON, which needs a target_schema",
                path="target_schema",
                code="setting.missing",
                facts={"setting": "target_schema"},
            )
        self.reset()
        for row in read_rows(df):
            if row.unreadable is not None and row.expected is None:
                self._seen += 1
                self._fail(row.doc_id, row.unreadable)
                continue
            if row.unreadable is not None:
                self._keep({**_record(row.doc_id, row.unreadable), "counted": True})
            self.update(row.expected, row.predicted, row.doc_id)
        return self.compute()

    # One result

    def _name(self, doc_id: object) -> str:
        """Return what the document that came last is called."""
        return f"doc_{self._seen - 1}" if doc_id is None else str(doc_id)

    def _add(self, result: Json, doc_id: object) -> None:
        """Add a result as a whole, or raise and add nothing."""
        if not isinstance(result, dict) or "confusion_matrix" not in result:
            raise InputError(
                "Expected a result with 'confusion_matrix'; compare with include_confusion_matrix=True",
                code="input.missing_key",
                facts={"key": "confusion_matrix"},
            )
        state, non_matches = self._state, result.get("non_matches")
        if non_matches:
            name = self._name(doc_id)
            non_matches = [{**entry, "doc_id": name} for entry in non_matches]
        state.add(result["confusion_matrix"], result.get("overall_score"))
        if non_matches and state.non_matches is not None:
            state.non_matches += non_matches
        for accumulator in self.accumulators:
            try:
                accumulator.accumulate(result, result.get("prediction_raw"))
            except Exception as error:  # noqa: BLE001  # anybody's code; the document counts all the same
                name = accumulator.name
                state.accumulator_errors[name] = state.accumulator_errors.get(name, 0) + 1
                self._keep({**_record(self._name(doc_id), error), "accumulator": name})

    def _fail(self, doc_id: object, error: Exception) -> Record:
        """Keep and return the record of a document that counts nowhere; with ``strict``, raise its error."""
        if self.strict:
            raise error
        record = _record(self._name(doc_id), error)
        self._keep(record)
        return record

    def _keep(self, record: Record) -> None:
        if not self.elide_errors:
            self._state.errors.append(record)
        self._say(f"{record['doc_id']}: {record['error']}")

    def _say(self, text: str) -> None:
        if self.verbose:
            sys.stderr.write(f"{text}\n")

    def _write(self, line: Mapping[str, Json]) -> None:
        if self._lines is not None:
            self._lines.write(line)

    # What was found

    def get_current_metrics(self) -> ProcessEvaluation:
        """Return what all documents so far say; more may come."""
        state = self._state
        computed = {accumulator.name: accumulator.compute() for accumulator in self.accumulators}
        found = {name: value for name, value in computed.items() if value is not None}
        return ProcessEvaluation.model_construct(  # its parts are ours; checking them all takes longer than counting
            document_count=state.documents,
            metrics=state.metrics(),
            field_metrics=state.field_metrics(),
            errors=in_order(state.errors),
            total_time=time.perf_counter() - self._start,
            non_matches=None if state.non_matches is None else in_order(state.non_matches),
            confidence_metrics=found.get(ConfidenceAccumulator.name),
            accumulator_metrics=found or None,
            accumulator_errors=dict(sorted(state.accumulator_errors.items())) or None,
        )

    def compute(self) -> ProcessEvaluation:
        """Return what all documents say, and close the file of results."""
        self.close()
        return self.get_current_metrics()

    def close(self) -> None:
        """Close the file of results; the next document opens it again."""
        if self._lines is not None:
            self._lines.close()

    def pretty_print_metrics(self) -> None:
        """Print the metrics so far, worst fields first."""
        self.get_current_metrics().pretty_print_metrics()

    def save_metrics(self, filepath: StrPath) -> None:
        """Write the metrics so far, and how they were made, as JSON."""
        settings = {
            "verbose": self.verbose,
            "document_non_matches": self.document_non_matches,
            "elide_errors": self.elide_errors,
            "individual_results_jsonl": None if self._lines is None else str(self._lines.path),
        }
        write_json(filepath, self.get_current_metrics().to_saved(self._schema_name, settings))

    @property
    def _schema_name(self) -> str | None:
        return None if self.target_schema is None else self.target_schema.__name__

    # State

    def get_state(self) -> dict[str, Json]:
        """Return everything that was gathered as JSON."""
        self._state.accumulators = {accumulator.name: accumulator.get_state() for accumulator in self.accumulators}
        return self._state.to_state()

    def save_state(self, path: StrPath) -> None:
        """Write the state to a file, which is never seen half written."""
        write_json(path, self.get_state())

    def load_state(self, state: Mapping[str, Json] | StrPath) -> None:
        """Become what a state says, given as it is or as a file; one that does not fit changes nothing."""
        given = self._accepted(state)
        merge_states(self.accumulators, given.accumulators, anew=True)
        self._state, self._seen = given, given.seen

    def merge_state(self, other_state: Mapping[str, Json] | StrPath) -> None:
        """Add a state, given as it is or as a file; one that does not fit changes nothing."""
        given = self._accepted(other_state)
        merge_states(self.accumulators, given.accumulators)
        self._state.merge(given)
        self._seen += given.seen

    def _accepted(self, state: Mapping[str, Json] | StrPath) -> EvaluationState:
        """Return a state that was gathered under the same spec and settings; SettingError for any other."""
        given = read_state(state)
        if given.fingerprint != self.fingerprint:
            ours, theirs = self._schema_name or "no schema", given.target_schema or "no schema"
            raise SettingError(
                f"Expected a state under the same spec ({ours}), got another ({theirs})",
                code="state.different_settings",
                facts={"expected": ours, "got": theirs},
            )
        if (given.non_matches is not None) != self.document_non_matches:
            raise SettingError(
                "One state documents non-matches and the other does not",
                path="document_non_matches",
                code="state.different_settings",
            )
        if given.accumulators.keys() != {accumulator.name for accumulator in self.accumulators}:
            raise SettingError(
                f"Expected a state of the same accumulators, got {sorted(given.accumulators)}",
                code="state.different_settings",
                facts={"got": sorted(given.accumulators)},
            )
        return given


def aggregate_from_comparisons(results: Iterable[Json], *, strict: bool = False) -> ProcessEvaluation:
    """Return what many results say together; each needs its confusion matrix.

    A result without one, or with one that is malformed, is a record in ``errors`` and counts nowhere; with ``strict``
    it raises ValueError. Documents are called ``doc_0``, ``doc_1`` and so on, by their place in ``results``.
    """
    evaluator = BulkStructuredModelEvaluator(strict=strict)
    evaluator.update_from_comparison_results(results)
    return evaluator.compute()


def _fingerprint(cls: type[StructuredModel]) -> str:
    if not (isinstance(cls, type) and issubclass(cls, StructuredModel)):
        raise SettingError(f"Expected a StructuredModel class, got {cls!r}", path="target_schema", facts={"got": cls})
    return cls.plan().fingerprint(unmatched="objects", extras="root")


def _accumulators(
    given: Sequence[PostComparisonAccumulator] | None, metrics: Sequence[ConfidenceMetric | str] | None
) -> list[PostComparisonAccumulator]:
    if given is None:
        return [ConfidenceAccumulator(metrics)]
    if metrics is not None:
        raise SettingError(
            "Give confidence_metrics or accumulators, not both", path="accumulators", code="setting.conflict"
        )
    names = [accumulator.name for accumulator in given]
    for name in names:
        if names.count(name) > 1:
            raise SettingError(
                f"Two accumulators have the name {name!r}",
                path="accumulators",
                code="setting.conflict",
                facts={"name": name},
            )
    return list(given)


def _record(name: str, error: Exception) -> Record:
    return {"doc_id": name, "error": str(error), "error_type": type(error).__name__}
