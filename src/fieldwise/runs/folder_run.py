"""The folder of a finished evaluation, opened again.

Opening a run reads its metrics and nothing else. Rows are read, and checked, when they are first asked for; that is
when numpy and Arrow are loaded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from fieldwise.bulk_aggregator import Json
from fieldwise.errors import InputError, closest, nearest
from fieldwise.results import Calibration, Counts, Failure, ScoreHistogram, Sweep
from fieldwise.runs.metrics_file import read_metrics
from fieldwise.runs.rows import Rows
from fieldwise.runs.run import Run
from fieldwise.shown import shown_html, shown_text

if TYPE_CHECKING:  # slow to import, and not needed for metrics
    import pandas as pd
    import pyarrow as pa

    from fieldwise.results.calibration import Guarantee
    from fieldwise.results.difference import RunDifference
    from fieldwise.results.gate import GateReport
    from fieldwise.results.rates import Metric
    from fieldwise.runs.policy import Policy
    from fieldwise.tables.stored_documents import DocumentTable
    from fieldwise.tables.stored_fields import StoredFields
    from fieldwise.tables.stored_verdicts import Where

METRICS, SPEC, VERDICTS = "metrics.json", "spec.json", "verdicts"
DOCUMENTS, COUNTS, ERRORS, SCORES = (f"{name}.parquet" for name in ("documents", "counts", "errors", "scores"))
SHOWN_OF_ERRORS = ("id", "field", "kind", "accepted", "expected", "predicted", "score", "raw_score", "reason")
"""What people look at of an error, beside where it is."""


class FolderRun:
    """The folder that ``fieldwise evaluate --out`` wrote, or a metrics file alone, which has no rows.

    Its files are held to each other when they are read, unless it ``is_new``: this process wrote them just now.
    """

    def __init__(self, name: str, metrics: Path, folder: Path | None, *, is_new: bool = False) -> None:
        self.name, self.metrics = name, read_metrics(metrics)
        self._metrics_path, self._folder, self._is_new = metrics, folder, is_new

    def _file(self, name: str) -> Path:
        return self._metrics_path.parent / name

    def _is_there(self, name: str) -> bool:
        return self._folder is not None and self._file(name).exists()

    @property
    def has_rows(self) -> bool:
        """Whether there are verdicts."""
        return self._is_there(VERDICTS)

    @property
    def spec_name(self) -> str | None:
        """The path of its spec."""
        return str(self._file(SPEC)) if self._file(SPEC).exists() else None

    def spec(self) -> Json:
        """Return what spec.json holds; None where it is missing or no JSON."""
        with suppress(OSError, ValueError):
            return json.loads(self._file(SPEC).read_bytes())
        return None

    def need_rows(self, purpose: str) -> None:
        """Say what to do to get rows where there are none."""
        if not self.has_rows:
            raise InputError(
                f"{purpose} needs the compared values of {self.name}, a folder with verdicts",
                code="run.no_rows",
                facts={"file": self.name, "purpose": purpose},
                advice="evaluate into a folder, with verdicts",
            )

    def documents(self) -> DocumentTable:
        """Return documents.parquet, held to the metrics."""
        if not self._is_there(DOCUMENTS):
            raise InputError(
                f"{self.name} has no documents.parquet",
                code="run.damaged",
                facts={"file": self.name},
                advice="evaluate again",
            )
        return self._documents

    def fields(self) -> tuple[str, ...]:
        """Return the fields that counts.parquet has."""
        return self._by_field.fields

    def counts(self, field: str) -> pa.Table:
        """Return the counts of a field."""
        from fieldwise.runs.fields import refuse_several  # slow to import

        if field not in self._by_field:
            refuse_several(self, field)
        return self._by_field.counts(field)

    def errors(
        self,
        field: str,
        *,
        outcome: str | None = "wrong",
        first: int | None = None,
        after: int = 0,
        columns: Sequence[str] | None = None,
    ) -> pa.Table:
        """Return the errors of a field or of those below it, ``first`` of them ``after`` so many."""
        from fieldwise.runs.fields import fields_below  # slow to import
        from fieldwise.runs.names import checked_outcomes

        asked = SHOWN_OF_ERRORS if columns is None else columns
        outcomes = None if outcome is None else checked_outcomes([outcome])
        # A field that has no value anywhere has a table without rows.
        fields = [field] if field in self._by_field else fields_below(self, field) or [field]
        return self._by_field.page(fields, asked, outcomes=outcomes, first=first, after=after)

    def score_histogram(self, field: str) -> ScoreHistogram:
        """Return the raw scores of a field, which are as many as its counts say."""
        by_field = self._by_field
        self._need(SCORES)
        return by_field.scores(field, self._file(SCORES))

    def verdicts(
        self,
        *,
        field: str | None = None,
        document: str | None = None,
        where: Where | None = None,
        columns: Sequence[str] | None = None,
    ) -> Rows:
        """Return rows of the verdicts, which are held to documents and metrics first."""
        from pyarrow import schema  # slow to import

        from fieldwise.runs.names import named_rows
        from fieldwise.tables.stored_verdicts import row_groups
        from fieldwise.tables.verdict_columns import VERDICTS as SCHEMA

        self.need_rows("A list of values")
        own = named_rows(self, field, document)
        names = list(columns or SCHEMA.names)
        return Rows(
            schema([SCHEMA.field(name) for name in names]),
            lambda: row_groups(self._verdicts, names, {**(where or {}), **own}),
        )

    def failures(self) -> Iterator[Failure]:
        """Yield the lines of failures.jsonl."""
        for line in self._file("failures.jsonl").read_bytes().splitlines() if self._is_there("failures.jsonl") else ():
            said: Mapping[str, Json] = json.loads(line)
            yield Failure(said["document"], said["reason"], said["kind"], said.get("trial", 1))

    @cached_property
    def _documents(self) -> DocumentTable:
        from fieldwise.tables.agreement import check_documents  # slow to import
        from fieldwise.tables.stored_documents import read_documents

        table = read_documents(self._file(DOCUMENTS), check=not self._is_new)
        if not self._is_new:
            check_documents(self._metrics_path, self.metrics, table)
        return table

    def to_arrow(self) -> pa.Table:
        """Return the fields, worst first, with their counts, rates and intervals."""
        return self.metrics.to_arrow()

    def to_pandas(self) -> pd.DataFrame:
        """Return the same as a data frame."""
        return self.metrics.to_pandas()

    def __repr__(self) -> str:
        return shown_text(self.metrics, self.name)

    def _repr_html_(self) -> str:
        return shown_html(self.metrics, self.name)

    def diff(
        self,
        candidate: Run | str | Path,
        *,
        metric: Metric = "strict_f1",
        allow_different_rules: bool = False,
        cluster_by: str | None = None,
    ) -> RunDifference:
        """Compare this run, the base, with a candidate, document by document: is it really better?

        ``cluster_by`` is a key of the documents' metadata, or that of the evaluation: clusters are the units then.
        """
        from fieldwise.runs.difference import compare_runs  # slow to import
        from fieldwise.runs.pairing import pair_runs
        from fieldwise.runs.rules import check_rules

        other = as_run(candidate)
        rules = check_rules(self, other, allow_different=allow_different_rules)
        return compare_runs(pair_runs(self, other, "A paired comparison", cluster_by), metric=metric, rules=rules)

    def gate(
        self,
        candidate: Run | str | Path,
        policy: Policy | Mapping[str, Json] | str | Path | None = None,
        *,
        margin: float | None = None,
        metric: Metric | None = None,
        allow_different_rules: bool = False,
        cluster_by: str | None = None,
    ) -> GateReport:
        """Judge a candidate against this run, the base; ``policy`` is one, its settings or a file, or the default.

        ``margin`` and ``metric`` override those of the policy, as the options of the command do.
        """
        from fieldwise.runs.gate import gate_runs  # slow to import
        from fieldwise.runs.policy import as_policy, with_settings

        return gate_runs(
            self,
            candidate,
            with_settings(as_policy(policy), margin=margin, metric=metric),
            allow_different_rules=allow_different_rules,
            cluster_by=cluster_by,
        )

    def calibrate(
        self,
        *,
        fields: Sequence[str] = (),
        bins: int = 10,
        target_error: float = 0.05,
        guarantee: Guarantee = "error",
        cluster_by: str | None = None,
    ) -> Calibration:
        """Return what the confidences of the run are worth."""
        from fieldwise.runs.calibration import calibrate_run  # slow to import

        return calibrate_run(
            self, fields=fields, bins=bins, target_error=target_error, guarantee=guarantee, cluster_by=cluster_by
        )

    def sweep(self, field: str, thresholds: Sequence[float] | None = None) -> Sweep:
        """Return the rates of a field at other thresholds."""
        from fieldwise.runs.sweep import THRESHOLDS, sweep_field  # slow to import

        return sweep_field(self, field, THRESHOLDS if thresholds is None else thresholds)

    def counts_at(self, field: str, threshold: float) -> Counts:
        """Return the counts that a field would have at another threshold, from its histogram of raw scores alone."""
        from fieldwise.runs.sweep import threshold_counts  # slow to import

        return threshold_counts(self, field, threshold)

    def _need(self, *names: str) -> None:
        """Refuse a run that lacks files by field, which an earlier version did not write."""
        missing = [name for name in names if not self._is_there(name)]
        if missing:
            raise InputError(
                f"{self.name} has no {' and no '.join(missing)}: an earlier fieldwise wrote it",
                code="run.other_version",
                facts={"file": self.name, "missing": missing},
                advice="evaluate again",
            )

    @cached_property
    def _by_field(self) -> StoredFields:
        from fieldwise.tables.stored_fields import StoredFields  # slow to import

        self._need(COUNTS, ERRORS)
        return StoredFields(self._file(COUNTS), self._file(ERRORS), self.documents(), check=not self._is_new)

    @cached_property
    def _verdicts(self) -> Path:
        """Where the verdicts are, once they were held to documents and metrics."""
        from fieldwise.tables.agreement import check_verdicts  # slow to import

        if not self._is_new:
            documents = self._documents if self._is_there(DOCUMENTS) else None
            check_verdicts(self._file(VERDICTS), self._metrics_path, self.metrics, documents)
        return self._file(VERDICTS)


def as_run(given: Run | str | Path) -> Run:
    """Return a run that is one already, or open it where it is."""
    return open_run(given) if isinstance(given, str | Path) else given


def open_new_run(folder: Path) -> FolderRun:
    """Open a folder whose files this process wrote just now."""
    return FolderRun(str(folder), folder / METRICS, folder, is_new=True)


def open_run(path: str | Path) -> FolderRun:
    """Open the folder that ``fieldwise evaluate --out`` wrote, or a metrics file; a damaged one is refused.

    Only the metrics are read; rows are when they are asked for.
    """
    place = Path(path)
    if not place.exists():
        siblings = [sibling.name for sibling in place.parent.iterdir()] if place.parent.is_dir() else []
        raise InputError(
            f"There is no file or folder {place}{nearest(place.name, siblings)}",
            code="run.not_found",
            facts={"file": place, "nearest": closest(place.name, siblings)},
        )
    if place.suffix.lower() in (".html", ".parquet", ".jsonl", ".csv") and not place.is_dir():
        raise InputError(
            f"{place} is one file of a result; give the folder that holds it: {_folder_of(place)}",
            code="run.one_file",
            facts={"file": place, "folder": _folder_of(place)},
        )
    if not place.is_dir():
        return FolderRun(str(path), place, None)
    if not (place / METRICS).exists():
        raise _not_finished(place)
    return FolderRun(str(path), place / METRICS, place)


def _folder_of(file: Path) -> Path:
    return file.parent.parent if file.parent.name == VERDICTS else file.parent


def _not_finished(place: Path) -> InputError:
    stopped = (place / ".fieldwise-work").exists()
    return InputError(
        f"{place} holds no finished evaluation: {'it was stopped' if stopped else f'it has no {METRICS}'}",
        code="run.not_finished",
        facts={"file": place, "stopped": stopped},
        advice="go on with resume=True and the same input" if stopped else "give the folder that an evaluation wrote",
    )
