"""A report as an evaluation of 300 invoices with 40 fields gives it, made from a seed; and a report of nothing."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fieldwise.results import DocumentMean, FieldMean, Rate
from fieldwise.results.metrics import UNKNOWN_MEAN
from fieldwise.stats.histograms import CountHistogram
from fieldwise.stats.intervals import rate_intervals
from fieldwise.views.report import (
    DocumentRow,
    EvaluationReport,
    FailureRow,
    FieldRow,
    NonMatchRow,
    RowKind,
    worst_first,
)

_HEAD = [
    "invoice_number", "invoice_date", "due_date", "purchase_order", "currency", "language", "total_amount",
    "net_amount", "tax_amount", "tax_rate", "discount", "shipping_cost", "payment_terms", "payment_method", "iban",
    "bic", "vendor.name", "vendor.tax_id", "vendor.email", "vendor.phone", "vendor.address.street",
    "vendor.address.city", "vendor.address.postal_code", "vendor.address.country", "customer.name", "customer.tax_id",
    "customer.address.street", "customer.address.city", "customer.address.postal_code", "customer.address.country",
    "notes",
]  # fmt: skip
_ROWS = ["line_items.description", "line_items.quantity", "line_items.unit_price", "line_items.amount"]
_UNSEEN = ["customs.tariff_number", "customs.origin", "delivery.incoterm", "delivery.carrier", "legacy_reference"]
_WORDS = ["Acme", "Fjord", "Nordlicht", "Beta", "Kestrel", "Harbour", "Oak", "Meridian", "Atlas", "Vega", "Lumen"]
_ENDINGS = ["GmbH", "Ltd", "S.A.", "Oy", "&\N{NO-BREAK SPACE}Co"]
_SWAPS = {"0": "O", "1": "l", "5": "S", "8": "B", "e": "c", "m": "rn", "a": "o", "6": "G"}

ODD = [
    NonMatchRow(
        "odd/markup", "notes", "notes", "mismatch", '<b>3 < 4</b> & "so"', "</script><script>alert(1)</script>", 0.1
    ),
    NonMatchRow("odd/direction", "vendor.name", "vendor.name", "mismatch", "شركة النور 12", "\u202eشركة النور 21", 0.4),
    NonMatchRow("odd/emoji", "notes", "notes", "mismatch", "👩‍👩‍👧 thanks 🎉", "👩‍👩‍👦 thanks", 0.6),
    NonMatchRow("odd/unseen", "iban", "iban", "mismatch", "DE02 1203", "DE02\u00a01203\x00\r\u200b", 0.7),
    NonMatchRow("odd/empty", "bic", "bic", "mismatch", "COBADEFF", "", 0.0),
    NonMatchRow("odd/long", "notes", "notes", "mismatch", "word " * 700, "x" * 4000, 0.0),
]


def counts_row(path: str, counts: Mapping[str, int], *, kind: RowKind = "leaf") -> FieldRow:
    """Make a row with the rates that follow from its counts, each value in a document of its own."""
    singles = {"tp": (1, 0, 0, 0), "fd": (0, 1, 0, 0), "fa": (0, 0, 1, 0), "fn": (0, 0, 0, 1)}
    histogram = CountHistogram()
    for name, single in singles.items():
        if counts.get(name):
            histogram.add(single, counts[name])
    rates: dict[str, Any] = {
        ratio: Rate(found.value, found.low, found.high, found.n) for ratio, found in rate_intervals(histogram).items()
    }
    everything = sum(counts.values())
    accuracy = Rate((counts.get("tp", 0) + counts.get("tn", 0)) / everything if everything else None)
    own: dict[str, Any] = {name: counts.get(name, 0) for name in (*singles, "tn")}
    return FieldRow(path, kind, **own, **rates, accuracy=accuracy)


def empty_report(**changes: Any) -> EvaluationReport:
    """Make a report of nothing, with the given parts."""
    nothing = EvaluationReport(
        title="Nothing", document_count=0, total=counts_row("total", {}), fields=[], histogram=[0] * 20,
        exact_documents=0, exact_rate=Rate(None), weighted_score=UNKNOWN_MEAN, worst_documents=[], non_matches=[],
        non_match_total=0, failures=[], failure_total=0,
    )  # fmt: skip
    return replace(nothing, **changes)


def invoices(documents: int = 300, *, seed: int = 7) -> EvaluationReport:
    """Make the report of an evaluation of noisy invoices."""
    draw = random.Random(seed)
    error_rate = {path: 0.005 + 0.35 * draw.random() ** 4 for path in [*_HEAD, *_ROWS]}
    error_rate.update(notes=0.62, discount=0.34, iban=0.0, currency=0.0)
    counts: dict[str, Counter[str]] = {path: Counter() for path in [*_HEAD, *_ROWS]}
    rows, wrong = [], []
    for i in range(documents):
        row, found = _document(draw, f"invoices/2024/inv-{i + 1:04}.json", error_rate, counts)
        rows.append(row)
        wrong += found
    for odd in ODD:
        counts[odd.field]["fd"] += 1
    return _report(rows, wrong, counts)


def _document(
    draw: random.Random, name: str, error_rate: dict[str, float], counts: dict[str, Counter[str]]
) -> tuple[DocumentRow, list[NonMatchRow]]:
    own: Counter[str] = Counter()
    wrong = []
    quality = draw.choice([0.05, 0.2, 1, 1, 1, 1, 3.2, 7])
    places = [(path, path) for path in _HEAD]
    places += [(p, p.replace("line_items", f"line_items[{k}]")) for k in range(draw.randint(1, 6)) for p in _ROWS]
    for field, path in places:
        outcome = _outcome(draw, min(error_rate[field] * quality, 0.9))
        own[outcome] += 1
        counts[field][outcome] += 1
        if outcome in ("fd", "fn", "fa"):
            wrong.append(_non_match(draw, name, field, path, outcome))
    n = own["tp"] + own["fd"] + own["fn"] + own["fa"]
    note = "prediction is empty" if not own["tp"] else ""
    score = own["tp"] / n if n else None
    row = DocumentRow(name, score, tp=own["tp"], fd=own["fd"], fa=own["fa"], fn=own["fn"], tn=own["tn"], note=note)
    return row, wrong


def _outcome(draw: random.Random, error_rate: float) -> str:
    if draw.random() >= error_rate:
        return "tp" if draw.random() < 0.93 else "tn"
    return draw.choices(["fd", "fn", "fa"], [6, 3, 1])[0]


def _non_match(draw: random.Random, document: str, field: str, path: str, outcome: str) -> NonMatchRow:
    value = _value(draw, field)
    if outcome == "fn":
        return NonMatchRow(document, path, field, "missed", value, None, 0.0)
    if outcome == "fa":
        return NonMatchRow(document, path, field, "spurious", None, value, 0.0)
    return NonMatchRow(document, path, field, "mismatch", value, _damaged(draw, value), round(draw.random() * 0.8, 3))


def _value(draw: random.Random, field: str) -> str:
    if field == "notes":
        words = " ".join(draw.choices(_WORDS, k=draw.randint(6, 90)))
        return f"Please pay within 14 days. {words}."
    if "date" in field:
        return f"2024-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
    if any(word in field for word in ("amount", "price", "cost", "discount")):
        return f"{draw.randint(3, 9800)}.{draw.randint(0, 99):02}"
    if any(word in field for word in ("number", "tax_id", "postal", "phone", "order", "quantity", "rate")):
        return f"{draw.choice(['DE', 'INV-', '', '+49 '])}{draw.randint(1000, 99999999)}"
    return " ".join([draw.choice(_WORDS), draw.choice(_WORDS), draw.choice(_ENDINGS)])


def _damaged(draw: random.Random, value: str) -> str:
    places = [i for i, letter in enumerate(value) if letter in _SWAPS]
    if not places or draw.random() < 0.2:
        return value[: max(1, len(value) // 2)]
    i = draw.choice(places)
    return value[:i] + _SWAPS[value[i]] + value[i + 1 :]


def _report(rows: list[DocumentRow], wrong: list[NonMatchRow], counts: dict[str, Counter[str]]) -> EvaluationReport:
    fields = [counts_row(path, own) for path, own in counts.items()]
    fields += [counts_row(path, {"tn": len(rows)}) for path in _UNSEEN]
    fields += [
        counts_row("line_items", {"tp": 812, "fd": 120, "fa": 31, "fn": 44}, kind="rows"),
        counts_row("vendor.fax", {"fa": 12}, kind="undeclared"),
    ]
    scores = [row.score for row in rows if row.score is not None]
    steps = Counter(min(int(score * 20), 19) for score in scores)
    total: Counter[str] = sum(counts.values(), Counter())
    exact = sum(row.fd + row.fn + row.fa == 0 for row in rows)
    return EvaluationReport(
        title="Invoices, spring set: extractor v2",
        document_count=len(rows),
        total=counts_row("total", total),
        fields=sorted(fields, key=worst_first),
        histogram=[steps[i] for i in range(20)],
        exact_documents=exact,
        exact_rate=Rate(exact / len(rows), 0.1, 0.2, len(rows)),
        weighted_score=DocumentMean(sum(scores) / len(scores), 0.9, 0.95, len(scores), skipped=len(rows) - len(scores)),
        document_macro=DocumentMean(0.93, 0.91, 0.95, len(scores), skipped=len(rows) - len(scores)),
        field_macro=FieldMean(0.91, 35, 5),
        worst_documents=sorted(rows, key=lambda row: row.score or 0.0)[:10],
        non_matches=[*ODD, *wrong][:800],
        non_match_total=len(wrong) + len(ODD),
        failures=[
            FailureRow(
                "invoices/2024/inv-0301.json", "unreadable truth", "not JSON: unexpected end of data at line 14"
            ),
            FailureRow("invoices/2024/inv-0302.json", "unreadable prediction", "empty file; scored as missed"),
            FailureRow("invoices/2024/inv-0317.json", "no prediction", "no file of this name; scored as missed"),
        ],
        failure_total=3,
        facts={
            "fingerprint": "sha256:5b0f2b7c9d1e4a6f8c3d7e2a1b9f0c4d6e8a7b5c3d1f2e4a6b8c9d0e1f2a3b4c",
            "version": "0.1.0",
            "counting": "unmatched rows count their leaves",
            "expected": "truth",
            "predicted": "runs/extractor-v2",
        },
    )
