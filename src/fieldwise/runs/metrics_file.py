"""A metrics file, read back as `Metrics`: what is wrong in it is told with its place. Unknown keys may be there."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from fieldwise.bulk_aggregator import metrics_of
from fieldwise.errors import InputError, cannot_read
from fieldwise.results import RATIOS, Counts, FieldMetrics, Metrics, Rate, Rates, Ratio, Result, SeedRow
from fieldwise.results.core import Number, Share
from fieldwise.results.metrics import FORMAT

_NOTHING = msgspec.Raw()
_NEEDED = ("aggregate", "fields", "document_count")


def read_metrics(path: Path) -> Metrics:
    """Read a metrics file, also one of the first version, which did not name its format."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise cannot_read(path, error) from error
    try:
        return _read(content.removeprefix(b"\xef\xbb\xbf"))
    except InputError as error:
        error.restate(f"{error.statement} in {path}" if " - at " in error.statement else f"{path}: {error.statement}")
        error.facts["file"] = str(path)
        raise


class _Head(Result, frozen=True):
    """What is looked at before the rest is read."""

    format: str | None = None
    aggregate: msgspec.Raw = _NOTHING
    fields: msgspec.Raw = _NOTHING
    document_count: msgspec.Raw = _NOTHING


def _read(content: bytes) -> Metrics:
    head = _Head.from_json(content)
    missing = [key for key in _NEEDED if not bytes(getattr(head, key))]
    if missing:
        raise InputError(
            f"this is no metrics file of fieldwise: it has no {', '.join(missing)}",
            code="run.not_metrics",
            facts={"missing": missing},
        )
    if head.format is None:
        return _First.from_json(content).metrics()
    if head.format != FORMAT:
        raise InputError(
            f"Expected metrics of the format {FORMAT}, got {head.format!r}; they are of another version of fieldwise",
            code="run.newer_format",
            facts={"expected": FORMAT, "got": head.format},
        )
    return Metrics.from_json(content)


class _Bounds(Result, frozen=True):
    low: Share | None = None
    high: Share | None = None
    n: Number = 0


class _FirstRow(Result, frozen=True):
    """A row of the first version, or of an aggregator's ``compute()``."""

    tp: Number = 0
    fp: Number = 0
    tn: Number = 0
    fn: Number = 0
    fd: Number = 0
    fa: Number = 0
    precision: Share | None = None
    recall: Share | None = None
    f1: Share | None = None
    accuracy: Share | None = None
    strict_recall: Share | None = None
    strict_f1: Share | None = None
    intervals: dict[Ratio, _Bounds] = msgspec.field(default_factory=dict)

    def seed_row(self) -> SeedRow:
        counts = {"tp": self.tp, "fp": self.fp, "tn": self.tn, "fn": self.fn, "fd": self.fd, "fa": self.fa}
        return SeedRow(**metrics_of(counts, strict=self.strict_f1 is not None))

    def metrics(self) -> FieldMetrics:
        row = self.seed_row()
        return FieldMetrics(**msgspec.structs.asdict(row), rates=Rates(**{r: self._rate(row, r) for r in RATIOS}))

    def _rate(self, row: Counts, ratio: Ratio) -> Rate:
        bounds = self.intervals.get(ratio, _Bounds())
        is_known = getattr(self, ratio) is not None
        return Rate(row.rate(ratio) if is_known else None, bounds.low, bounds.high, bounds.n)


class _First(Result, frozen=True):
    """Metrics of the first version, as far as runs are compared by them."""

    document_count: Number
    aggregate: _FirstRow
    fields: dict[str, _FirstRow]
    overall: _FirstRow = msgspec.field(default_factory=_FirstRow)
    trial_count: Number | None = None
    documents: dict[str, Number] = msgspec.field(default_factory=dict)
    unmatched: Literal["leaves", "objects"] = "leaves"
    spec_fingerprint: str | None = None
    scorer_version: str | None = None

    def metrics(self) -> Metrics:
        return Metrics(
            aggregate=self.aggregate.metrics(),
            document_count=self.document_count,
            overall=self.overall.seed_row(),
            fields={path: row.metrics() for path, row in self.fields.items()},
            trial_count=self.trial_count,
            documents=self.documents,
            unmatched=self.unmatched,
            spec_fingerprint=self.spec_fingerprint,
            scorer_version=self.scorer_version,
        )
