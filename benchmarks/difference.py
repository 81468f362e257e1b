"""Two runs of 10,000 documents with 50 fields, compared by document: from result folders to verdict, fields and flips.

Run as ``python -m benchmarks.difference``. ``--write FILE`` keeps the table; ``--documents`` measures on fewer.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.documents import smudged, text
from fieldwise.readers.pairs import open_pairs
from fieldwise.runner.evaluation import evaluate_pairs
from fieldwise.runs.difference import compare_runs
from fieldwise.runs.pairing import pair_runs
from fieldwise.runs.run import open_run

FIELDS = 50
ITEMS = 5
ROUNDS = 5


def flat(rng: random.Random) -> dict[str, Any]:
    """Return a document of 50 scalar fields."""
    texts = {f"text_{k:02d}": text(rng, 2) for k in range(FIELDS // 2)}
    return texts | {f"number_{k:02d}": round(rng.uniform(1, 1000), 2) for k in range(FIELDS - FIELDS // 2)}


def listed(rng: random.Random) -> dict[str, Any]:
    """Return a document of 40 scalar fields and a list of five items with 10 fields."""
    scalars = {name: value for name, value in flat(rng).items() if not name.endswith(("7", "9"))}
    items = [{f"part_{k}": text(rng, 2) for k in range(FIELDS - len(scalars))} for _ in range(ITEMS)]
    return scalars | {"items": items}


def noisy(rng: random.Random, document: dict[str, Any]) -> dict[str, Any]:
    """Return a document with a tenth of its values wrong."""
    made = {name: smudged(rng, value) for name, value in document.items() if name != "items"}
    if "items" in document:
        made["items"] = [{name: smudged(rng, value) for name, value in item.items()} for item in document["items"]]
    return made


def write_runs(folder: Path, make: Callable[[random.Random], dict[str, Any]], documents: int) -> tuple[Path, Path]:
    """Evaluate two noisy predictions of the same documents."""
    rng = random.Random(1)
    expected = [make(rng) for _ in range(documents)]
    runs = []
    for name in ("base", "candidate"):
        pairs = folder / f"{name}.jsonl"
        with pairs.open("w") as file:
            for number, document in enumerate(expected):
                row = {"id": f"doc-{number:06d}", "expected": document, "predicted": noisy(rng, document)}
                file.write(json.dumps(row) + "\n")
        evaluate_pairs(open_pairs(str(pairs)), out=folder / name, workers=2)
        runs.append(folder / name)
    return runs[0], runs[1]


def compared(base: Path, candidate: Path) -> int:
    """Do what ``fieldwise diff`` does before it prints."""
    found = compare_runs(pair_runs(open_run(base), open_run(candidate), "A comparison"))
    return len(found.fields)


def measure(shape: str, make: Callable[[random.Random], dict[str, Any]], documents: int) -> str:
    """Return a row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        base, candidate = write_runs(Path(folder), make, documents)
        fields = compared(base, candidate)
        walls = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            compared(base, candidate)
            walls.append(time.perf_counter() - start)
        cpu = machine.cpu_seconds(lambda: compared(base, candidate), 2)
    middle = sorted(walls)[ROUNDS // 2]
    return (
        f"| {shape} | {documents:,} | {fields} | {middle:.2f} | {min(walls):.2f}–{max(walls):.2f} | {cpu:.2f} | < 2 |"
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--write", type=Path, help="page to keep the table in")
    chosen = parser.parse_args(arguments)
    lines = [
        "Both folders of `evaluate --out` are read, documents paired, every field tested, flips listed. A tenth of the",
        f"values is wrong in each run, independently. Wall seconds, median and range of {ROUNDS}; CPU, the least.",
        "",
        "| documents with | documents | fields | seconds | range | CPU | goal |",
        "|---|---:|---:|---:|---:|---:|---:|",
        measure("50 scalar fields", flat, chosen.documents),
        measure("40 scalar fields, 5 items of 10 fields", listed, chosen.documents),
    ]
    report = "\n".join(lines)
    print(report)
    if chosen.write:
        machine.write_section(chosen.write, "Two runs compared", "python -m benchmarks.difference", report)


if __name__ == "__main__":
    main()
