"""Bulk evaluation against the floor of parsing, with one and two processes, in memory, and against stickler-eval.

Run as ``python -m benchmarks.bulk`` (with the extra ``peers`` for the last table). ``--write FILE`` keeps the tables;
``--quick`` measures on fewer documents.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from benchmarks import documents, machine
from fieldwise import Spec, StructuredModel
from fieldwise.api import evaluate_pairs
from fieldwise.bulk import aggregate_from_comparisons
from fieldwise.bulk_aggregator import BulkEvaluationAggregator
from fieldwise.readers.pairs import open_pairs

SPEC = Spec.from_json_schema(documents.FLAT, defaults="stickler")
"""Rules that every version has: text by edits, numbers by value."""


def write_pairs(path: Path, count: int) -> None:
    """Write flat documents as one JSONL of pairs."""
    rng = random.Random(11)
    with path.open("wb") as file:
        for number in range(count):
            expected, predicted = documents.flat(rng)
            pair = {"id": f"doc-{number:07d}", "expected": expected, "predicted": predicted}
            file.write(orjson.dumps(pair) + b"\n")


def wall(work: Callable[[], object], rounds: int) -> float:
    """Return the least seconds of several rounds."""
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def floor_table(folder: Path, count: int) -> list[str]:
    """Measure one process against parsing alone."""
    path = folder / "pairs.jsonl"
    write_pairs(path, count)
    lines = path.read_bytes().splitlines()
    parsing = machine.cpu_seconds(lambda: [orjson.loads(line) and None for line in lines], 5)
    plain = machine.cpu_seconds(lambda: evaluate_pairs(open_pairs(path), SPEC), 5)
    rows = machine.cpu_seconds(lambda: evaluate_pairs(open_pairs(path), SPEC, rows=True), 5)
    page = machine.cpu_seconds(lambda: evaluate_pairs(open_pairs(path), SPEC, out=folder / "out", overwrite=True), 5)
    each = 1e6 / count
    return [
        f"{count:,} flat documents of 10 fields, one process, histograms for intervals kept:",
        "",
        "| | µs of CPU a document | times parsing | goal |",
        "|---|---:|---:|---:|",
        f"| orjson parses the same bytes | {parsing * each:.2f} | 1.0 | – |",
        f"| `evaluate` without rows | {plain * each:.2f} | {plain / parsing:.1f} | ≤ 5 |",
        f"| with verdict rows, counts, errors and truth hashes | {rows * each:.2f} | {rows / parsing:.1f} | ≤ 14 |",
        f"| `evaluate --out`, with all of these and the page | {page * each:.2f} | {page / parsing:.1f} | ≤ 14 |",
    ]


def _spin(_: int) -> int:
    total = 0
    for k in range(6_000_000):
        total += k * k
    return total


def workers_table(folder: Path, count: int) -> list[str]:
    """Measure two workers against one, beside what a plain loop gains from two processes."""
    path = folder / "many.jsonl"
    write_pairs(path, count)
    one = wall(lambda: evaluate_pairs(open_pairs(path), SPEC), 3)
    two = wall(lambda: evaluate_pairs(open_pairs(path), SPEC, workers=2), 3)
    alone = wall(lambda: [_spin(k) for k in range(8)], 2)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        pool.map(_spin, range(2))
        both = wall(lambda: pool.map(_spin, range(8), chunksize=1), 2)
    gain, plain_gain = one / two, alone / both
    return [
        f"{count:,} documents: 1 worker {one:.1f} s, 2 workers {two:.1f} s, {gain:.2f} times as fast. "
        f"A plain loop gains {plain_gain:.2f} from two processes here; {gain / plain_gain:.2f} of it is reached "
        "(goal: 0.85).",
    ]


def peak_memory(path: Path) -> float:
    """Return the peak memory in MB of evaluating a file with rows in a process of its own."""
    code = (
        "import sys\n"
        "from benchmarks.bulk import SPEC, evaluate_pairs, machine, open_pairs\n"
        "evaluate_pairs(open_pairs(sys.argv[1]), SPEC, out=sys.argv[2])\n"
        "print(machine.peak_memory())"
    )
    with tempfile.TemporaryDirectory() as out:
        command = [sys.executable, "-c", code, str(path), out]
        return float(subprocess.run(command, check=True, capture_output=True).stdout)


def memory_table(folder: Path, small: int, large: int) -> list[str]:
    """Measure the peak memory of few and of many documents."""
    peaks = []
    for count in (small, large):
        path = folder / f"{count}.jsonl"
        write_pairs(path, count)
        peaks.append(peak_memory(path))
        path.unlink()
    return [
        f"Peak memory with rows: {peaks[0]:.0f} MB for {small:,} documents, {peaks[1]:.0f} MB for {large:,}: "
        f"{peaks[1] - peaks[0]:+.0f} MB (goal: within 50 MB)."
    ]


def peer_table(count: int) -> list[str]:
    """Measure adding up results against stickler-eval."""
    rng = random.Random(3)
    model = StructuredModel.from_json_schema(documents.FLAT)
    results: list[Any] = []
    for _ in range(count):
        expected, predicted = documents.flat(rng)
        results.append(
            model(**expected).compare_with(model(**predicted), include_confusion_matrix=True, document_non_matches=True)
        )
    ours = machine.cpu_seconds(lambda: aggregate_from_comparisons(results), 15)
    single = machine.cpu_seconds(lambda: _aggregated(results), 15)
    lines = ["| adding up results | µs a document | ratio | goal |", "|---|---:|---:|---:|"]
    try:
        from stickler import aggregate_from_comparisons as peer_function
    except ImportError:
        peer = None
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            peer = machine.cpu_seconds(lambda: peer_function(results), 15)
        lines.append(f"| stickler-eval `aggregate_from_comparisons` | {peer / count * 1e6:.1f} | 1 | – |")
    for name, seconds in (("`aggregate_from_comparisons`", ours), ("`BulkEvaluationAggregator`", single)):
        ratio = f"{peer / seconds:.1f}×" if peer else "–"
        lines.append(f"| {name} | {seconds / count * 1e6:.1f} | {ratio} | ≥ 1.5× |")
    return lines


def _aggregated(results: list[Any]) -> dict[str, Any]:
    aggregator = BulkEvaluationAggregator()
    for result in results:
        aggregator.update(result)
    return aggregator.compute()


def main() -> None:
    """Print the tables; keep them where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="a Markdown file whose section 'Bulk evaluation' is replaced")
    parser.add_argument("--quick", action="store_true", help="fewer documents")
    options = parser.parse_args()
    scale = 10 if options.quick else 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = [
            floor_table(folder, 200_000 // scale),
            workers_table(folder, 500_000 // scale),
            peer_table(2_000),
            memory_table(folder, 100_000 // scale, 1_000_000 // scale),
        ]
    text = "\n\n".join("\n".join(part) for part in parts)
    print(text)
    if options.write:
        machine.write_section(options.write, "Bulk evaluation", "python -m benchmarks.bulk", text)


if __name__ == "__main__":
    main()
