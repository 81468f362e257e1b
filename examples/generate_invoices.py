"""Made-up invoices, what an extraction made of them, and a label for every error. Standard library only.

``python examples/generate_invoices.py OUT --documents 500 --seed 7`` writes OUT/expected/*.json,
OUT/predicted/*.json and OUT/labels.jsonl. The same seed gives the same bytes on every Python.

Errors come as they do in practice: some fields are harder than others, and most errors stand together in a few
documents that were scanned badly.
"""

from __future__ import annotations

import argparse
import copy
import datetime as dt
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

Json: TypeAlias = Any
Choice = TypeVar("Choice")
Kind = Literal[
    "missing",
    "invented",
    "format",
    "case_or_spacing",
    "ocr",
    "truncated",
    "wrong_row",
    "swapped_fields",
    "scale",
    "other",
]


@dataclass(frozen=True)
class Label:
    """One error: where the expected document has the value, what kind of error, and both values."""

    path: str
    kind: Kind
    expected: Json
    predicted: Json


@dataclass(frozen=True)
class Labelled:
    """An invoice, its extraction, and what is wrong with it."""

    id: str
    expected: dict[str, Json]
    predicted: dict[str, Json]
    labels: tuple[Label, ...]


VENDORS = (
    "Harbour & Finch Ltd.",
    "Brennan Tools",
    "Morrow Paper Company",
    "Lumen Systems GmbH",
    "Northern Alarm Services",
    "Tidewater Catering",
    "Carmine Print Works",
    "Bourne Removals",
)
CUSTOMERS = ("Alderney Clinic", "Summit School", "Corner Bakery", "Ironbridge Museum", "Fern Hill Farm", "Sorrel Labs")
STREETS = ("Mill Lane", "Station Road", "Harbour Street", "Turner Close", "Market Square", "Barn Hill")
CITIES = (("Bristol", "BS1"), ("Leeds", "LS2"), ("Cardiff", "CF10"), ("Norwich", "NR1"), ("Durham", "DH1"))
GOODS = (
    ("Copy paper A4, 80 g", "PAP-0801", 429),
    ("Toner cartridge, black", "TON-1185", 7_450),
    ("Desk lamp, warm light", "LMP-5520", 3_895),
    ("Safety boots, size 42", "BOO-4205", 8_999),
    ("Catering, per person", "CAT-0100", 1_850),
    ("Alarm system, yearly service", "ALM-8810", 24_000),
    ("Moving crate, returnable", "CRA-0318", 1_275),
    ("Business cards, 500 pieces", "CRD-0500", 5_610),
    ("Office chair, mesh back", "CHR-7001", 15_800),
    ("Hammer drill, 750 W", "DRL-0750", 11_240),
    ("Labour, per hour", "LAB-0001", 6_500),
    ("Shelf board, birch, 120 cm", "SHF-1201", 2_105),
    ("Whiteboard markers, set of 8", "MRK-0008", 895),
    ("Server rental, per month", "SRV-5150", 118_000),
)
TERMS = ("30 days net", "14 days net", "Due on receipt", "2 % discount within 10 days")
NOTES = (
    "Please quote the invoice number with your payment.",
    "Goods remain our property until paid in full.",
    "Thank you for your order.",
)
CURRENCIES = ("EUR", "GBP", "USD")
SIGNS = {"EUR": "€", "GBP": "£", "USD": "$"}


def generate(count: int, seed: int) -> Iterator[Labelled]:
    """Yield so many invoices. Each has a random stream of its own: a longer series begins with the shorter one."""
    for number in range(1, count + 1):
        rng = random.Random(f"{seed}/{number}")
        expected = invoice(rng, number)
        extraction = Extraction(expected, rng)
        yield Labelled(f"invoice-{number:05}", expected, extraction.predicted, tuple(extraction.labels))


def pick(rng: random.Random, values: Sequence[Choice]) -> Choice:
    """Return one of the values. ``random()`` is the one method whose stream Python promises to keep."""
    return values[int(rng.random() * len(values))]


def between(rng: random.Random, low: int, high: int) -> int:
    """Return an integer from low to high, both included."""
    return low + int(rng.random() * (high - low + 1))


def invoice(rng: random.Random, number: int) -> dict[str, Json]:
    """Return an invoice whose amounts add up."""
    date = dt.date(2024, 1, 1) + dt.timedelta(days=between(rng, 0, 364))
    days = pick(rng, (0, 14, 30, 60))
    city, area = pick(rng, CITIES)
    rows = [row(rng) for _ in range(pick(rng, (1, 1, 2, 2, 3, 3, 4, 5, 6, 8, 10, 12)))]
    subtotal = sum(round(item["amount"] * 100) for item in rows)
    tax = subtotal * pick(rng, (0, 7, 19, 20)) // 100
    return {
        "invoice_number": f"INV-{date.year}-{number:04}{between(rng, 10, 99)}",
        "invoice_date": date.isoformat(),
        "due_date": (date + dt.timedelta(days=days)).isoformat(),
        "vendor": {
            "name": pick(rng, VENDORS),
            "address": {
                "street": f"{between(rng, 1, 180)} {pick(rng, STREETS)}",
                "city": city,
                "postcode": f"{area} {between(rng, 1, 9)}{pick(rng, 'ABDEFGHJLN')}{pick(rng, 'PQRSTUWXYZ')}",
            },
        },
        "customer_name": pick(rng, CUSTOMERS),
        "currency": pick(rng, CURRENCIES),
        "line_items": rows,
        "subtotal": subtotal / 100,
        "tax": tax / 100,
        "total": (subtotal + tax) / 100,
        "notes": pick(rng, NOTES) if rng.random() < 0.35 else None,
        "payment_terms": pick(rng, TERMS),
        "iban": f"GB{between(rng, 10, 98)}NWBK{between(rng, 600000, 609999)}{between(rng, 10000000, 99999999)}",
    }


def row(rng: random.Random) -> dict[str, Json]:
    """Return one row of an invoice."""
    description, sku, cents = pick(rng, GOODS)
    quantity = pick(rng, (1, 1, 1, 2, 2, 3, 4, 5, 8, 10, 12, 25))
    return {
        "description": description,
        "sku": sku,
        "quantity": quantity,
        "unit_price": cents / 100,
        "amount": quantity * cents / 100,
    }


LOOK_ALIKES = (
    *(("0", "O"), ("O", "0"), ("1", "l"), ("l", "1"), ("I", "1"), ("5", "S"), ("S", "5"), ("8", "B"), ("B", "8")),
    *(("rn", "m"), ("m", "rn")),
)


def misread(text: str, rng: random.Random) -> str:
    """Return the text with one character, or two, taken for look-alikes."""
    found = [(at, a, b) for a, b in LOOK_ALIKES for at in range(len(text)) if text.startswith(a, at)]
    if not found:
        return text[:-1]
    at, old, new = pick(rng, found)
    return text[:at] + new + text[at + len(old) :]


def misread_number(value: float, rng: random.Random) -> Json:
    """Return the number with one digit misread as another."""
    text = f"{value:.2f}" if isinstance(value, float) else str(value)
    places = [at for at, char in enumerate(text) if char in "0135689"]
    if not places:
        return value + 1
    at = pick(rng, places)
    changed = (
        text[:at] + {"0": "8", "1": "7", "3": "8", "5": "6", "6": "5", "8": "3", "9": "4"}[text[at]] + text[at + 1 :]
    )
    return float(changed) if isinstance(value, float) else int(changed)


def truncated(text: str, rng: random.Random) -> str:
    """Return the beginning of a text."""
    return text[: max(1, len(text) * between(rng, 35, 75) // 100)].rstrip()


def respaced(text: str, rng: random.Random) -> str:
    """Return the text in other case or with other spacing."""
    return pick(rng, (text.upper(), text.lower(), text.replace(" ", "  ", 1) if " " in text else f" {text}"))


MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def other_date(text: str, rng: random.Random) -> str:
    """Return the same day in another way of writing."""
    day = dt.date.fromisoformat(text)
    return pick(
        rng,
        (
            f"{day.day:02}.{day.month:02}.{day.year}",
            f"{MONTHS[day.month - 1]} {day.day}, {day.year}",
            f"{day.day} {MONTHS[day.month - 1][:3]} {day.year}",
        ),
    )


def other_amount(value: float, sign: str, rng: random.Random) -> str:
    """Return the same amount as text, as invoices write it."""
    english = f"{value:,.2f}"
    european = english.replace(",", "_").replace(".", ",").replace("_", ".")
    return pick(rng, (english, f"{sign}{english}", f"{european} {sign}"))


@dataclass(frozen=True)
class Difficulty:
    """How often a field goes wrong in a good scan, and how: kinds with their shares."""

    rate: float
    kinds: tuple[tuple[Kind, int], ...]


TEXT: tuple[tuple[Kind, int], ...] = (("ocr", 4), ("case_or_spacing", 3), ("truncated", 2), ("missing", 1))
CODE: tuple[tuple[Kind, int], ...] = (("ocr", 6), ("truncated", 1), ("missing", 2), ("case_or_spacing", 1))
DATE: tuple[tuple[Kind, int], ...] = (("format", 6), ("ocr", 2), ("missing", 2))
AMOUNT: tuple[tuple[Kind, int], ...] = (("format", 4), ("ocr", 3), ("scale", 2), ("missing", 1))
FIELDS = {
    "invoice_number": Difficulty(0.015, CODE),
    "invoice_date": Difficulty(0.03, DATE),
    "due_date": Difficulty(0.06, DATE),
    "vendor.name": Difficulty(0.03, TEXT),
    "vendor.address.street": Difficulty(0.06, TEXT),
    "vendor.address.city": Difficulty(0.02, TEXT),
    "vendor.address.postcode": Difficulty(0.04, CODE),
    "customer_name": Difficulty(0.04, TEXT),
    "currency": Difficulty(0.015, (("missing", 3), ("case_or_spacing", 1), ("other", 1))),
    "subtotal": Difficulty(0.025, AMOUNT),
    "tax": Difficulty(0.04, AMOUNT),
    "total": Difficulty(0.02, AMOUNT),
    "notes": Difficulty(0.12, (("truncated", 3), ("missing", 4), ("ocr", 1))),
    "payment_terms": Difficulty(0.08, TEXT),
    "iban": Difficulty(0.05, CODE),
}
ROW_FIELDS = {
    "description": Difficulty(0.03, TEXT),
    "sku": Difficulty(0.035, CODE),
    "quantity": Difficulty(0.012, (("ocr", 3), ("missing", 1), ("wrong_row", 2))),
    "unit_price": Difficulty(0.02, (*AMOUNT, ("wrong_row", 3))),
    "amount": Difficulty(0.02, (*AMOUNT, ("wrong_row", 3))),
}
SCANS = ((0.68, 0.6), (0.20, 2.5), (0.12, 7.0))
"""Shares of good, fair and bad scans, and how much they multiply the rates of errors."""


class Extraction:
    """The prediction of one invoice while it is being made, with the label of every change."""

    def __init__(self, expected: dict[str, Json], rng: random.Random) -> None:
        self.predicted: dict[str, Json] = copy.deepcopy(expected)
        self.labels: list[Label] = []
        self._rng = rng
        self._sign = SIGNS[expected["currency"]]
        self._factor = self._scan()
        self._fields()
        self._swap_dates()
        self._rows(expected["line_items"])
        self._invent(expected)

    def _scan(self) -> float:
        drawn = self._rng.random()
        for share, factor in SCANS:
            if drawn < share:
                return factor
            drawn -= share
        return SCANS[-1][1]

    def _happens(self, rate: float) -> bool:
        return self._rng.random() < min(0.8, rate * self._factor)

    def _fields(self) -> None:
        for path, difficulty in FIELDS.items():
            *parents, name = path.split(".")
            holder = self.predicted
            for parent in parents:
                holder = holder[parent]
            if holder[name] is not None and self._happens(difficulty.rate):
                self._spoil(holder, name, path=path, kind=self._kind(difficulty))

    def _rows(self, expected: list[dict[str, Json]]) -> None:
        rows = self.predicted["line_items"]
        for at, item in enumerate(rows):
            for name, difficulty in ROW_FIELDS.items():
                if not self._happens(difficulty.rate):
                    continue
                kind, path = self._kind(difficulty), f"line_items[{at}].{name}"
                if kind == "wrong_row":
                    self._take_from_neighbour(item, name, path=path, rows=expected, at=at)
                else:
                    self._spoil(item, name, path=path, kind=kind)
        self._swap_neighbours(expected)
        kept = self._drop_rows(expected)
        # Order is no error where rows are paired by likeness, so it has no label.
        if len(kept) > 1 and self._happens(0.06):
            at = between(self._rng, 0, len(kept) - 2)
            kept[at], kept[at + 1] = kept[at + 1], kept[at]
        self.predicted["line_items"] = kept

    def _kind(self, difficulty: Difficulty) -> Kind:
        return pick(self._rng, [kind for kind, share in difficulty.kinds for _ in range(share)])

    def _spoil(self, holder: dict[str, Json], name: str, *, path: str, kind: Kind) -> None:
        before = holder[name]
        after = self._spoilt(before, kind)
        if after == before:
            return
        if after is None:
            del holder[name]
        else:
            holder[name] = after
        self.labels.append(Label(path, kind, before, after))

    def _spoilt(self, value: Json, kind: Kind) -> Json:
        if isinstance(value, str):
            ways: dict[str, Callable[[str, random.Random], str]] = {
                "ocr": misread,
                "truncated": truncated,
                "case_or_spacing": respaced,
                "format": other_date,
            }
            if kind == "other":
                return pick(self._rng, [currency for currency in CURRENCIES if currency != value])
            return ways[kind](value, self._rng) if kind in ways else None
        if kind == "format":
            return other_amount(value, self._sign, self._rng)
        if kind == "scale":
            return round(value * pick(self._rng, (100, 1000, 0.01)), 2)
        return misread_number(value, self._rng) if kind == "ocr" else None

    def _take_from_neighbour(
        self, item: dict[str, Json], name: str, *, path: str, rows: list[dict[str, Json]], at: int
    ) -> None:
        if len(rows) > 1:
            before, after = item[name], rows[at - 1 if at else 1][name]
            item[name] = after
            if after != before:
                self.labels.append(Label(path, "wrong_row", before, after))

    def _swap_neighbours(self, expected: list[dict[str, Json]]) -> None:
        """Let two rows change one value with each other."""
        rows = self.predicted["line_items"]
        if len(rows) < 2 or not self._happens(0.03):
            return
        at, name = between(self._rng, 0, len(rows) - 2), pick(self._rng, ("unit_price", "amount", "quantity"))
        pair = expected[at], expected[at + 1]
        untouched = all(rows[at + step].get(name) == pair[step][name] for step in (0, 1))
        if not untouched or pair[0][name] == pair[1][name]:
            return
        for step in (0, 1):
            rows[at + step][name] = pair[1 - step][name]
            path = f"line_items[{at + step}].{name}"
            self.labels.append(Label(path, "wrong_row", pair[step][name], pair[1 - step][name]))

    def _drop_rows(self, expected: list[dict[str, Json]]) -> list[dict[str, Json]]:
        kept = []
        for at, item in enumerate(self.predicted["line_items"]):
            path = f"line_items[{at}]"
            if len(expected) > 1 and self._happens(0.015):
                self.labels = [label for label in self.labels if not label.path.startswith(f"{path}.")]
                self.labels.append(Label(path, "missing", expected[at], None))
            else:
                kept.append(item)
        return kept

    def _swap_dates(self) -> None:
        dates = [self.predicted.get(name) for name in ("invoice_date", "due_date")]
        touched = any(label.path in ("invoice_date", "due_date") for label in self.labels)
        if touched or dates[0] == dates[1] or not self._happens(0.015):
            return
        for name, before, after in (("invoice_date", dates[0], dates[1]), ("due_date", dates[1], dates[0])):
            self.predicted[name] = after
            self.labels.append(Label(name, "swapped_fields", before, after))

    def _invent(self, expected: dict[str, Json]) -> None:
        if expected["notes"] is None and self._happens(0.06):
            self.predicted["notes"] = pick(self._rng, NOTES)
            self.labels.append(Label("notes", "invented", None, self.predicted["notes"]))
        if self._happens(0.015):
            self.predicted["discount"] = between(self._rng, 100, 5000) / 100
            self.labels.append(Label("discount", "invented", None, self.predicted["discount"]))
        if self._happens(0.02):
            total = {"description": "Subtotal", "amount": expected["subtotal"]}
            self.labels.append(Label(f"line_items[{len(expected['line_items'])}]", "invented", None, total))
            self.predicted["line_items"].append(total)


def write(documents: Iterator[Labelled], out: Path) -> int:
    """Write expected and predicted documents and the labels of their errors; return how many documents."""
    for side in ("expected", "predicted"):
        (out / side).mkdir(parents=True, exist_ok=True)
    count = 0
    with (out / "labels.jsonl").open("w", encoding="utf-8", newline="\n") as labels:
        for made in documents:
            count += 1
            _write_json(out / "expected" / f"{made.id}.json", made.expected)
            _write_json(out / "predicted" / f"{made.id}.json", made.predicted)
            for label in made.labels:
                labels.write(json.dumps({"document": made.id, **vars(label)}, ensure_ascii=False) + "\n")
    return count


def _write_json(path: Path, value: Json) -> None:
    path.write_bytes((json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode())


def main(arguments: Sequence[str] | None = None) -> None:
    """Write invoices as the command line says."""
    parser = argparse.ArgumentParser(description="Write made-up invoices, predictions with errors, and labels.")
    parser.add_argument("out", type=Path, help="folder to write to")
    parser.add_argument("--documents", type=int, default=500, help="how many (default: 500)")
    parser.add_argument("--seed", type=int, default=7, help="same seed, same files (default: 7)")
    chosen = parser.parse_args(arguments)
    write(generate(chosen.documents, chosen.seed), chosen.out)


if __name__ == "__main__":
    main()
