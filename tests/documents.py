"""Made-up documents, and the files in which pairs of them come: one home for the tests of all packages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

from examples.generate_invoices import generate

from fieldwise.readers.pairs import MISSING

Json = Any
Pair: TypeAlias = tuple[str, Json, Json]
"""The id of a document, what is expected of it, and what is predicted."""


def invoices(count: int, seed: int = 5, *, name: str = "inv-{:03d}") -> list[Pair]:
    """Make invoices with noisy predictions, the same ones for the same seed."""
    return [(name.format(number), made.expected, made.predicted) for number, made in enumerate(generate(count, seed))]


def lines_of(pairs: Iterable[Pair]) -> list[str]:
    """Return each pair as a line of JSON; a side that is MISSING is left out."""
    rows = ({"id": name, "expected": expected, "predicted": predicted} for name, expected, predicted in pairs)
    return [json.dumps({key: value for key, value in row.items() if value is not MISSING}) for row in rows]


def write_pairs(path: Path, pairs: Iterable[Pair]) -> Path:
    """Write pairs as a file of lines."""
    path.write_text("".join(f"{line}\n" for line in lines_of(pairs)), encoding="utf-8")
    return path


def write_sides(folder: Path, pairs: Iterable[Pair]) -> tuple[Path, Path]:
    """Write pairs as two folders of files; an id may have parts, which are folders inside."""
    sides = folder / "expected", folder / "predicted"
    for name, *documents in pairs:
        for side, document in zip(sides, documents, strict=True):
            path = side / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(document), encoding="utf-8")
    return sides
