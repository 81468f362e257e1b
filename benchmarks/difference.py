"""Two runs on the same documents, compared: from result folders to verdict, fields and flips.

Run as ``python -m benchmarks.difference``: 10,000 documents with 50 fields, then 100,000 in a new process, with its
peak of memory. ``--write FILE`` keeps the table, ``--documents`` and ``--many`` set the numbers of documents, and
``--fields`` the number of fields of the many. ``--runs FOLDER`` keeps the many runs, or uses those that are there.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks import machine
from benchmarks.documents import smudged, text
from fieldwise.api import evaluate_pairs
from fieldwise.readers.pairs import open_pairs
from fieldwise.runs.difference import compare_runs
from fieldwise.runs.folder_run import open_run
from fieldwise.runs.pairing import pair_runs

FIELDS = 50
ITEMS = 5
ROUNDS = 5


COMPARE = """
import sys, time
from benchmarks.difference import compared, machine
compared(*sys.argv[1:])
print(time.process_time(), machine.peak_memory())
"""
OPEN = """
import sys, time
from fieldwise.runs import open_run
open_run(sys.argv[1]).metrics
print(time.process_time())
"""


def flat(rng: random.Random, fields: int = FIELDS) -> dict[str, Any]:
    """Return a document of scalar fields."""
    texts = {f"text_{k:02d}": text(rng, 2) for k in range(fields // 2)}
    return texts | {f"number_{k:02d}": round(rng.uniform(1, 1000), 2) for k in range(fields - fields // 2)}


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
    """Evaluate two noisy predictions of the same documents; runs that are there already are left as they are."""
    runs = folder / "base", folder / "candidate"
    for seed, run in enumerate(runs):
        if (run / "metrics.json").exists():
            continue
        pairs, rng = folder / f"{run.name}.jsonl", random.Random(seed)
        with pairs.open("w") as file:
            for number in range(documents):
                document = make(random.Random(number))
                row = {"id": f"doc-{number:07d}", "expected": document, "predicted": noisy(rng, document)}
                file.write(json.dumps(row) + "\n")
        evaluate_pairs(open_pairs(str(pairs)), out=run, workers=2)
        pairs.unlink()
    return runs


def compared(base: str | Path, candidate: str | Path) -> int:
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


def measure_many(folder: Path, documents: int, fields: int) -> str:
    """Return a row of the second table: everything in a new process, imports included."""
    runs = write_runs(folder, lambda rng: flat(rng, fields), documents)
    opened = min(float(_printed(OPEN, runs[0])[0]) for _ in range(ROUNDS))
    found = [[float(part) for part in _printed(COMPARE, *runs)] for _ in range(2)]
    cpu, peak = min(row[0] for row in found), max(row[1] for row in found)
    return f"| {documents:,} | {fields} | {opened * 1000:.0f} | {cpu:.1f} | {peak:,.0f} |"


def _printed(program: str, *arguments: Path) -> list[str]:
    line = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout.split()


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--many", type=int, default=100_000)
    parser.add_argument("--fields", type=int, default=FIELDS)
    parser.add_argument("--runs", type=Path, help="folder for the many runs")
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
    with tempfile.TemporaryDirectory() as made:
        lines += [
            "",
            "Many documents with scalar fields, in a new process, imports included: CPU milliseconds to open a run and",
            "read its metrics, CPU seconds of the comparison, and the peak of memory. Goals for 100,000 documents",
            "with 50 fields: 100 ms, 5 s and 300 MB; for a million documents 1,000 MB.",
            "",
            "| documents | fields | open, ms | compare, s | peak, MB |",
            "|---:|---:|---:|---:|---:|",
            measure_many(chosen.runs or Path(made), chosen.many, chosen.fields),
        ]
    report = "\n".join(lines)
    print(report)
    if chosen.write:
        machine.write_section(chosen.write, "Two runs compared", "python -m benchmarks.difference", report)


if __name__ == "__main__":
    main()
