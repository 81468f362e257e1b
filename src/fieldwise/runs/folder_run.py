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
from fieldwise.tables.manifest import MANIFEST, TABLES, Manifest, StoredFile, damaged

if TYPE_CHECKING:  # slow to import, and not needed for metrics
    import pandas as pd
    import pyarrow as pa

    from fieldwise.results.calibration import Guarantee
    from fieldwise.results.difference import RunDifference
    from fieldwise.results.gate import GateReport
    from fieldwise.results.rates import Metric
    from fieldwise.runs.policy import Policy
    from fieldwise.tables.parts import RunFiles
    from fieldwise.tables.stored_documents import DocumentTable
    from fieldwise.tables.stored_fields import StoredFields
    from fieldwise.tables.stored_verdicts import StoredVerdicts, Where

METRICS, SPEC, FAILURES = "metrics.json", "spec.json", "failures.jsonl"
SHOWN_OF_ERRORS = ("id", "field", "kind", "accepted", "expected", "predicted", "score", "raw_score", "reason")
"""What people look at of an error, beside where it is."""


class FolderRun:
    """The folder that ``fieldwise evaluate --out`` wrote, or a metrics file alone, which has no rows.

    Its files are held to its manifest when they are read; a run with a ``manifest`` at hand was written just now.
    """

    def __init__(self, name: str, metrics: Path, folder: Path | None, manifest: Manifest | None = None) -> None:
        self.name, self.metrics = name, read_metrics(metrics)
        self._metrics_path, self._folder, self._is_new = metrics, folder, manifest is not None
        if manifest is None and metrics.name == METRICS and _has_tables(metrics.parent):
            manifest = Manifest.read(metrics.parent / MANIFEST)
            self._check(manifest, METRICS)
        self._manifest = manifest if folder is not None else None

    def _check(self, manifest: Manifest, name: str) -> bytes:
        """Return the content of a file beside the tables; one that is not as it was written is refused."""
        path = self._file(name)
        content = path.read_bytes()
        if StoredFile.of(name, content) != manifest.files.get(name):
            raise damaged(path)
        return content

    def _file(self, name: str) -> Path:
        return self._metrics_path.parent / name

    @property
    def has_rows(self) -> bool:
        """Whether there is anything of single documents and values, beside metrics."""
        return self._manifest is not None

    @property
    def has_values(self) -> bool:
        """Whether the compared values were kept."""
        return any("pairs" in part.files for part in self._manifest.parts) if self._manifest is not None else False

    @property
    def spec_name(self) -> str | None:
        """The path of its spec."""
        return str(self._file(SPEC)) if self._file(SPEC).exists() else None

    def spec(self) -> Json:
        """Return what spec.json holds; None where it is missing or no JSON."""
        with suppress(OSError, ValueError):
            held = self._file(SPEC).read_bytes() if self._manifest is None else self._check(self._manifest, SPEC)
            return json.loads(held)
        return None

    def need_rows(self, purpose: str) -> None:
        """Say what to do to get rows where there are none."""
        if not self.has_rows:
            raise InputError(
                f"{purpose} needs the documents of {self.name}, a folder with the tables of an evaluation",
                code="run.no_rows",
                facts={"file": self.name, "purpose": purpose},
                advice="evaluate into a folder",
            )

    def need_values(self, purpose: str) -> None:
        """Say what to do to get values where there are none."""
        self.need_rows(purpose)
        if not self.has_values:
            raise InputError(
                f"{purpose} needs the compared values of {self.name}, which were not kept",
                code="run.no_values",
                facts={"file": self.name, "purpose": purpose},
                advice="evaluate with values",
            )

    def documents(self) -> DocumentTable:
        """Return what became of each document."""
        return self._documents

    def fields(self) -> tuple[str, ...]:
        """Return the fields that were compared."""
        return self._by_field.fields

    def is_listed(self, field: str) -> bool:
        """Tell whether a value of a field lies in a list."""
        return self._by_field.is_listed(field)

    def confidences(self) -> pa.Table:
        """Return how sure predictions were of their values, by document."""
        return self._by_field.confidences()

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
        return self._by_field.scores(field)

    def verdicts(
        self,
        *,
        field: str | None = None,
        document: str | None = None,
        where: Where | None = None,
        columns: Sequence[str] | None = None,
    ) -> Rows:
        """Return verdicts, put together some documents at a time."""
        from pyarrow import schema  # slow to import

        from fieldwise.runs.names import named_rows
        from fieldwise.tables.verdict_columns import VERDICTS

        self.need_values("A list of values")
        own = named_rows(self, field, document)
        names = list(columns or VERDICTS.names)
        return Rows(
            schema([VERDICTS.field(name) for name in names]),
            lambda: self._verdicts.tables(names, {**(where or {}), **own}),
        )

    def failures(self) -> Iterator[Failure]:
        """Yield the lines of failures.jsonl."""
        for line in self._check(self._manifest, FAILURES).splitlines() if self._manifest is not None else ():
            said: Mapping[str, Json] = json.loads(line)
            yield Failure(said["document"], said["reason"], said["kind"], said.get("trial", 1))

    @cached_property
    def _files(self) -> RunFiles:
        from fieldwise.tables.parts import RunFiles  # slow to import

        if self._manifest is None or self._folder is None:
            self.need_rows("A look at documents")
        assert self._manifest is not None
        assert self._folder is not None
        return RunFiles(self._folder, self._manifest, self._is_new)

    @cached_property
    def _documents(self) -> DocumentTable:
        from fieldwise.tables.stored_documents import read_documents  # slow to import

        return read_documents(self._files)

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

    @cached_property
    def _by_field(self) -> StoredFields:
        from fieldwise.tables.stored_fields import StoredFields  # slow to import

        return StoredFields(self._files, self._documents)

    @cached_property
    def _verdicts(self) -> StoredVerdicts:
        from fieldwise.tables.stored_verdicts import StoredVerdicts  # slow to import
        from fieldwise.tables.together import Together

        schema = self.spec()
        if not isinstance(schema, dict):
            raise damaged(self._file(SPEC))
        return StoredVerdicts(self._files, self._documents, Together(schema))


def _has_tables(folder: Path) -> bool:
    """Tell whether a run was written there that has more than metrics."""
    return any((folder / name).exists() for name in (MANIFEST, *TABLES))


def as_run(given: Run | str | Path) -> Run:
    """Return a run that is one already, or open it where it is."""
    return open_run(given) if isinstance(given, str | Path) else given


def open_new_run(results: Path, folder: Path, manifest: Manifest) -> FolderRun:
    """Open a run whose files this process wrote just now: ``results`` are those beside the tables."""
    return FolderRun(str(folder), results / METRICS, folder, manifest)


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
    return file.parent.parent if file.parent.name in TABLES else file.parent


def _not_finished(place: Path) -> InputError:
    stopped = (place / ".fieldwise-work").exists()
    return InputError(
        f"{place} holds no finished evaluation: {'it was stopped' if stopped else f'it has no {METRICS}'}",
        code="run.not_finished",
        facts={"file": place, "stopped": stopped},
        advice="go on with resume=True and the same input" if stopped else "give the folder that an evaluation wrote",
    )
