"""This version against an earlier one: the CPU time of the same work, in alternating processes of one run.

Run as ``python -m benchmarks.versions REVISION`` in a checkout; ``--rounds`` sets how often each version is measured,
``--write FILE`` keeps the table. A ratio above 1 means that this version is slower.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks import documents, machine

ROOT = Path(__file__).parents[1]
ROUNDS = 15
BULK_DOCUMENTS = 50_000


def workloads(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield the work that is measured; it runs in a process that has imported one of the versions."""
    from fieldwise import StructuredModel

    for name, schema, make, count in (
        ("compare: flat, 10 fields", documents.FLAT, documents.flat, 16_000),
        ("compare: 10 items of 5 fields", documents.ITEMS, lambda r: documents.with_items(r, 10), 2_000),
        ("compare: 30 items", documents.ITEMS, lambda r: documents.with_items(r, 30), 1_000),
    ):
        rng, model = random.Random(7), StructuredModel.from_json_schema(schema)
        pairs = [(model(**expected), model(**predicted)) for expected, predicted in (make(rng) for _ in range(count))]
        yield name, lambda pairs=pairs: _compare(pairs)  # type: ignore[misc]  # bound now, called later
    yield from bulk_workloads(folder)


def bulk_workloads(folder: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Yield evaluations of a file of flat documents, by each version's own defaults and by the same rules."""
    from fieldwise import Spec, evaluate_pairs, open_pairs

    path = folder / "pairs.jsonl"
    own = Spec.from_json_schema(documents.FLAT)
    same = Spec.from_json_schema(json.loads((folder / "rules.json").read_text()))
    yield "bulk: same rules", lambda: evaluate_pairs(open_pairs(path), same)
    yield "bulk: each version's own defaults", lambda: evaluate_pairs(open_pairs(path), own)
    outs = iter(range(1_000_000))
    yield (
        "bulk: same rules, with rows and report",
        lambda: evaluate_pairs(open_pairs(path), same, out=folder / f"out-{os.getpid()}-{next(outs)}"),
    )


def _compare(pairs: list[tuple[Any, Any]]) -> None:
    for expected, predicted in pairs:
        expected.compare_with(predicted, include_confusion_matrix=True, document_non_matches=True)


def measure(folder: Path) -> dict[str, float]:
    """Return the least CPU seconds of three rounds of each workload, after one that warms up."""
    found = {}
    for name, work in workloads(folder):
        work()
        found[name] = machine.cpu_seconds(work, 3)
    return found


def checkout(revision: str, folder: Path) -> Path:
    """Unpack the sources of a revision."""
    archive = subprocess.run(["git", "archive", revision, "src"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(folder, filter="data")
    return folder / "src"


def write_inputs(folder: Path) -> None:
    """Write the documents, and rules that both versions read alike."""
    rng = random.Random(11)
    with (folder / "pairs.jsonl").open("w") as file:
        for number in range(BULK_DOCUMENTS):
            expected, predicted = documents.flat(rng)
            row = {"id": f"doc-{number:07d}", "expected": expected, "predicted": predicted}
            file.write(json.dumps(row) + "\n")
    rules = json.loads(json.dumps(documents.FLAT))
    for field in rules["properties"].values():
        text = field["type"] == "string"
        field["x-fieldwise-comparator"] = "Levenshtein" if text else "Numeric"
        field["x-fieldwise-threshold"] = 0.5
    (folder / "rules.json").write_text(json.dumps(rules))


def run_version(source: Path, folder: Path) -> dict[str, float]:
    """Measure the version whose sources are given, in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "benchmarks.versions", "--measure", str(folder)]
    done = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def report(revision: str, rounds: int) -> str:
    """Measure both versions in turn and return the table."""
    ratios: dict[str, list[float]] = {}
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder)
        earlier = checkout(revision, folder / "earlier")
        for number in range(rounds):
            order = [earlier, ROOT / "src"] if number % 2 else [ROOT / "src", earlier]
            found = {source: run_version(source, folder) for source in order}
            for work, seconds in found[ROOT / "src"].items():
                ratios.setdefault(work, []).append(seconds / found[earlier][work])
                times.setdefault(work, []).append(seconds)
    lines = [
        f"This version and {revision}, {rounds} rounds in turn; the ratio is of CPU times, above 1 is slower.",
        "",
        "| work | median seconds now | median ratio | quartiles | goal |",
        "|---|---:|---:|---:|---:|",
    ]
    for work, found_ratios in ratios.items():
        low, middle, high = statistics.quantiles(found_ratios, n=4, method="inclusive")
        seconds = statistics.median(times[work])
        goal = "–" if "own defaults" in work else "≤ 1.03"
        lines.append(f"| {work} | {seconds:.3f} | {middle:.3f} | {low:.3f}–{high:.3f} | {goal} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision", nargs="?", default="HEAD")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure)))
        return
    text = report(options.revision, options.rounds)
    print(text)
    if options.write:
        command = f"python -m benchmarks.versions {options.revision}"
        machine.write_section(options.write, "Against an earlier version", command, text)


if __name__ == "__main__":
    main()
