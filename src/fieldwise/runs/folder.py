"""What an evaluation left behind, opened again: the folder that it wrote, or its metrics file alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fieldwise.errors import InputError
from fieldwise.results import Metrics
from fieldwise.runs.agreement import check_files
from fieldwise.runs.document_table import DocumentTable, read_documents
from fieldwise.runs.metrics_file import read_metrics

METRICS = "metrics.json"


@dataclass(frozen=True)
class Run:
    """A finished evaluation. The tables are None where only metrics are at hand."""

    name: str
    metrics: Metrics
    verdicts: Path | None
    documents: DocumentTable | None

    @property
    def fingerprint(self) -> str | None:
        """By which rules values were compared; None where the metrics don't say."""
        return self.metrics.spec_fingerprint

    @property
    def scorer_version(self) -> str | None:
        """Which fieldwise compared them; None where the metrics don't say."""
        return self.metrics.scorer_version

    @property
    def unmatched(self) -> str:
        """How the values of unpaired list items were counted in the metrics."""
        return self.metrics.unmatched

    def verdict_rows(self, purpose: str) -> Path:
        """Return the table of verdicts, or say what to do to get one."""
        if self.verdicts is None:
            raise InputError(
                f"{purpose} needs the compared values of {self.name}, a folder with verdicts.parquet",
                code="run.no_rows",
                facts={"file": self.name, "purpose": purpose},
                advice="evaluate into a folder, with verdicts",
            )
        return self.verdicts


def open_run(path: str | Path) -> Run:
    """Open the folder that an evaluation wrote, or a metrics file; damaged ones are refused."""
    place = Path(path)
    if not place.exists():
        raise InputError(f"No such folder or file: {place}", code="run.not_found", facts={"file": place})
    if place.suffix.lower() in (".html", ".parquet", ".jsonl", ".csv") and not place.is_dir():
        raise InputError(
            f"{place} is one file of a result; give the folder that holds it: {place.parent}",
            code="run.one_file",
            facts={"file": place, "folder": place.parent},
        )
    if not place.is_dir():
        return Run(str(path), read_metrics(place), None, None)
    if not (place / METRICS).exists():
        raise _not_finished(place)
    metrics = read_metrics(place / METRICS)
    verdicts, documents = (_if_there(place / f"{name}.parquet") for name in ("verdicts", "documents"))
    table = None if documents is None else read_documents(documents)
    check_files(place / METRICS, metrics, table, verdicts)
    return Run(str(path), metrics, verdicts, table)


def _if_there(path: Path) -> Path | None:
    return path if path.exists() else None


def _not_finished(place: Path) -> InputError:
    stopped = (place / ".fieldwise-work").exists()
    return InputError(
        f"{place} holds no finished evaluation: {'it was stopped' if stopped else f'it has no {METRICS}'}",
        code="run.not_finished",
        facts={"file": place, "stopped": stopped},
        advice="go on with resume=True and the same input" if stopped else "give the folder that an evaluation wrote",
    )
