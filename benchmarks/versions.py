"""This version against an earlier one: the CPU time of the same work, by two processes that take turns.

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
BULK_DOCUMENTS = 200_000
"""As many as `benchmarks.bulk` has: of few documents, reading the sample and making the page weigh more."""


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


def serve(folder: Path) -> None:
    """Measure the workload of each name that comes in, once; the parent takes turns between two such processes."""
    works = dict(workloads(folder))
    for work in works.values():
        work()  # warms up
    print(json.dumps(list(works)), flush=True)
    for name in sys.stdin:
        print(machine.cpu_seconds(works[json.loads(name)], 1), flush=True)


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


class Version:
    """A process that has imported one of the versions and waits for work."""

    def __init__(self, source: Path, folder: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{ROOT}"}
        command = [sys.executable, "-m", "benchmarks.versions", "--serve", str(folder)]
        self.process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.works: list[str] = json.loads(self._answer())

    def _answer(self) -> str:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"a version ended with {self.process.wait()}")
        return line

    def seconds(self, work: str) -> float:
        """Return the CPU seconds that a piece of work takes once."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(work) + "\n")
        self.process.stdin.flush()
        return float(self._answer())

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def report(revision: str, rounds: int) -> str:
    """Measure each piece of work by both versions, one directly after the other, and return the table.

    What slows the machine for a while slows both of them.
    """
    ratios: dict[str, list[float]] = {}
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder)
        now, earlier = Version(ROOT / "src", folder), Version(checkout(revision, folder / "earlier"), folder)
        for number in range(rounds):
            for work in now.works:
                order = (earlier, now) if number % 2 else (now, earlier)
                seconds = {version: version.seconds(work) for version in order}
                ratios.setdefault(work, []).append(seconds[now] / seconds[earlier])
                times.setdefault(work, []).append(seconds[now])
        now.close()
        earlier.close()
    lines = [
        f"This version and {revision}, {rounds} rounds in turn; the ratio is of CPU times, above 1 is slower.",
        "",
        "| work | median seconds now | median ratio | quartiles | goal |",
        "|---|---:|---:|---:|---:|",
    ]
    for work, found_ratios in ratios.items():
        low, middle, high = statistics.quantiles(found_ratios, n=4, method="inclusive")
        typical = statistics.median(times[work])
        goal = "–" if "own defaults" in work else "≤ 1.03"
        lines.append(f"| {work} | {typical:.3f} | {middle:.3f} | {low:.3f}–{high:.3f} | {goal} |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision", nargs="?", default="HEAD")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    text = report(options.revision, options.rounds)
    print(text)
    if options.write:
        command = f"python -m benchmarks.versions {options.revision}"
        machine.write_section(options.write, "Against an earlier version", command, text)


if __name__ == "__main__":
    main()
