"""Precision and recall of the kinds of error on invoices whose errors are labelled.

Run as ``python -m benchmarks.error_kinds``. ``--write FILE`` keeps the tables; ``--seeds 1 2`` takes other documents.
Every value is compared for equality, so that every labelled error is a mistake, also one that a comparator forgives.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from examples.generate_invoices import Labelled, generate

from benchmarks import machine
from fieldwise import Plan, Spec
from fieldwise.error_kinds import KINDS
from fieldwise.tables.compared import ComparedRows
from fieldwise.tables.documents import DocumentRows
from fieldwise.views.words import kind_word

DOCUMENTS = 2000
SEEDS = (9001, 9002, 9003)
"""No test and no tuning looked at the documents of these seeds."""
WRONG = ("mismatch", "missed", "spurious")
ROW_NAMES = ("description", "sku", "quantity", "unit_price", "amount")

EXACT = {"x-fieldwise-comparator": "exact", "x-fieldwise-threshold": 1.0}
TEXT, NUMBER = {"type": "string", **EXACT}, {"type": "number", **EXACT}


def _object(*texts: str, **others: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {**dict.fromkeys(texts, TEXT), **others}}


ROW = {**_object("description", "sku", quantity=NUMBER, unit_price=NUMBER, amount=NUMBER)}
ROW["x-fieldwise-match-threshold"] = 0.15
SCHEMA = _object(
    *("invoice_number", "invoice_date", "due_date", "customer_name", "currency", "notes", "payment_terms", "iban"),
    vendor=_object("name", address=_object("street", "city", "postcode")),
    line_items={"type": "array", "items": ROW},
    subtotal=NUMBER,
    tax=NUMBER,
    total=NUMBER,
)

Key = tuple[str, str, str]
"""Document, field and the value of one side as JSON: what a label and a verdict have in common."""


def leaves(documents: Iterable[Labelled]) -> Iterator[tuple[str, str, str, Any, Any, bool]]:
    """Yield each labelled error of one value: document, path, kind, both values, whether it is part of a whole row."""
    for made in documents:
        for label in made.labels:
            sides = label.expected, label.predicted
            if any(isinstance(value, dict) for value in sides):
                held = label.expected or label.predicted
                for name in held:
                    expected, predicted = (side[name] if side else None for side in sides)
                    yield made.id, f"{label.path}.{name}", label.kind, expected, predicted, True
            else:
                yield made.id, label.path, label.kind, *sides, False


def verdicts(documents: Sequence[Labelled]) -> list[dict[str, Any]]:
    """Return the rows of all mistakes."""
    plan, rows, written = Plan.compile(Spec.from_json_schema(SCHEMA)), ComparedRows(), DocumentRows()
    for number, made in enumerate(documents):
        written.begin(made.id)
        rows.add(number, plan.root, plan.compare(made.expected, made.predicted).result)
    errors = rows.to_tables(written, with_values=True).errors.to_pylist()
    return [{**row, "document": documents[row["document"]].id} for row in errors if row["outcome"] in WRONG]


class Matrix:
    """How often each label got each kind."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.in_rejected: Counter[tuple[str, str]] = Counter()
        self.lost = 0

    def add(self, documents: Sequence[Labelled]) -> None:
        """Join the labels with the verdicts: by path, or what was invented by its value."""
        by_path: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for row in verdicts(documents):
            key = (row["document"], row["path"] if row["outcome"] != "spurious" else row["field"])
            by_path.setdefault(key, []).append(row)
        for document, path, kind, _, predicted, _ in leaves(documents):
            place = path if kind != "invented" else _field(path)
            found = by_path.get((document, place), [])
            if kind == "invented":
                found = [row for row in found if _value(row, "predicted") == predicted]
            self._count(kind, found)
            if found:
                by_path[document, place].remove(found[0])
        for row in (row for rows in by_path.values() for row in rows):
            self.counts["no label", row["kind"]] += 1

    def _count(self, label: str, found: Sequence[dict[str, Any]]) -> None:
        if not found:
            self.lost += 1
        elif found[0]["reason"] == "row":
            self.in_rejected[label, found[0]["kind"]] += 1
        else:
            self.counts[label, found[0]["kind"]] += 1

    def rates(self) -> list[str]:
        """Return precision and recall of each kind as a table."""
        lines = ["| kind | labelled | found | right | precision | recall |", "|---|---:|---:|---:|---:|---:|"]
        for kind in KINDS:
            labelled = sum(n for (label, _), n in self.counts.items() if label == kind)
            found = sum(n for (_, given), n in self.counts.items() if given == kind)
            right = self.counts[kind, kind]
            rates = (f"{right / n:.3f}" if n else "–" for n in (found, labelled))
            lines.append(f"| {kind_word(kind)} | {labelled:,} | {found:,} | {right:,} | {' | '.join(rates)} |")
        return lines

    def confusion(self) -> list[str]:
        """Return what each label was taken for."""
        labels = [*KINDS, *(["no label"] if any(label == "no label" for label, _ in self.counts) else [])]
        heads = " | ".join(map(kind_word, KINDS))
        lines = [f"| label ↓ kind → | {heads} |", "|---|" + "---:|" * len(KINDS)]
        for label in labels:
            cells = (f"{self.counts[label, kind]:,}" if self.counts[label, kind] else "·" for kind in KINDS)
            name = next((kind_word(kind) for kind in KINDS if kind == label), label)
            lines.append(f"| {name} | {' | '.join(cells)} |")
        return lines

    def apart(self) -> str:
        """Tell of the labels that have no verdict of their own."""
        given: Counter[str] = Counter()
        for (_, kind), n in self.in_rejected.items():
            given[kind] += n
        kinds = ", ".join(f"{kind_word(kind)} {given[kind]:,}" for kind in KINDS if given[kind])
        return (
            f"Left out of the tables: {sum(given.values()):,} values of dropped rows that were paired with an invented "
            f"row and rejected, one verdict for two labels (their kinds: {kinds or 'none'}), and {self.lost:,} labels "
            "without a mistake of their own."
        )


def _field(path: str) -> str:
    return "".join(part.partition("]")[2] if k else part for k, part in enumerate(path.split("[")))


def _value(row: dict[str, Any], side: str) -> Any:
    return json.loads(row[side]) if row[f"{side}_is_json"] else row[side]


def measure(seeds: Sequence[int], count: int) -> Matrix:
    """Return the matrix of so many documents of each seed."""
    matrix = Matrix()
    for seed in seeds:
        matrix.add(list(generate(count, seed)))
    return matrix


def main() -> None:
    """Print the tables; keep them where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="a Markdown file whose section 'Measured' is replaced")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS, help="of the documents")
    parser.add_argument("--documents", type=int, default=DOCUMENTS, help="of each seed")
    options = parser.parse_args()
    matrix = measure(options.seeds, options.documents)
    seeds = ", ".join(map(str, options.seeds))
    said = f"{options.documents:,} invoices of `examples/generate_invoices.py` for each of the seeds {seeds}:"
    text = "\n".join([said, "", *matrix.rates(), "", *matrix.confusion(), "", matrix.apart()])
    print(text)
    if options.write:
        machine.write_section(options.write, "Measured", "python -m benchmarks.error_kinds", text)


if __name__ == "__main__":
    main()
