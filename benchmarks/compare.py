"""fieldwise and stickler-eval side by side, in one process: from constructed models to the full dict.

Run as ``python -m benchmarks.compare`` where the extra ``peers`` is installed. ``--write FILE`` keeps the tables.
"""

from __future__ import annotations

import argparse
import gc
import random
import subprocess
import sys
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import documents, machine
from fieldwise import StructuredModel


class Case(NamedTuple):
    """A shape to measure, how often, and the ratio to reach."""

    name: str
    schema: dict[str, Any]
    make: Callable[[random.Random], tuple[dict[str, Any], dict[str, Any]]]
    documents: int
    peer_documents: int
    goal: int | None


_MANY = 100

CASES = (
    Case("flat, 10 fields, all right", documents.FLAT, lambda r: documents.flat(r, errors=0.0), 400, 100, 50),
    Case("flat, 10 fields, 10 % wrong", documents.FLAT, documents.flat, 400, 100, 50),
    Case("flat, 10 fields, 20 % wrong", documents.FLAT, lambda r: documents.flat(r, errors=0.2), 400, 100, 45),
    Case("10 items of 5 fields", documents.ITEMS, lambda r: documents.with_items(r, 10), 100, 10, 250),
    Case("30 items", documents.ITEMS, lambda r: documents.with_items(r, 30), 60, 3, 800),
    Case("100 items", documents.ITEMS, lambda r: documents.with_items(r, 100), 20, 1, 2500),
    Case("lists in lists, 6 × 6", documents.GROUPS, lambda r: documents.with_groups(r, 6, 6), 40, 1, None),
    Case(
        "chain of depth 12",
        documents.chain_schema(12),
        lambda r: (documents.chain(12, documents.text(r)), documents.chain(12, documents.text(r))),
        100,
        2,
        None,
    ),
)


def cpu_per_document(model: Any, pairs: list[tuple[dict[str, Any], dict[str, Any]]], rounds: int = 3) -> float:
    """Return the best mean CPU seconds of a comparison with matrix and non-matches."""
    models = [(model(**expected), model(**predicted)) for expected, predicted in pairs]
    models[0][0].compare_with(models[0][1], include_confusion_matrix=True, document_non_matches=True)
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        for expected, predicted in models:
            expected.compare_with(predicted, include_confusion_matrix=True, document_non_matches=True)
        best = min(best, (time.process_time() - start) / len(models))
    return best


def measure(case: Case, peer: Any) -> tuple[float, float | None]:
    """Return the times of both engines on the same documents."""
    rng = random.Random(7)
    pairs = [case.make(rng) for _ in range(case.documents)]
    ours = cpu_per_document(StructuredModel.from_json_schema(case.schema), pairs)
    if peer is None:
        return ours, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer_model = peer.from_json_schema(case.schema)
        rounds = 3 if case.peer_documents >= _MANY else 1  # of a few that take long, one is enough
        theirs = cpu_per_document(peer_model, pairs[: case.peer_documents], rounds=rounds)
    return ours, theirs


def large_list(count: int) -> tuple[float, float]:
    """Return seconds and megabytes of comparing two lists of ``count`` items."""
    model = StructuredModel.from_json_schema(documents.ITEMS)
    expected, predicted = documents.with_items(random.Random(7), count)
    left, right = model(**expected), model(**predicted)
    start = time.process_time()
    left.compare_with(right, include_confusion_matrix=True, document_non_matches=True)
    seconds = time.process_time() - start
    tracemalloc.start()
    left.compare_with(right, include_confusion_matrix=True, document_non_matches=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, peak / 1e6


def import_seconds(module: str) -> float:
    """Return the best time of importing a module in a new process, less that of starting Python."""

    def run(code: str) -> float:
        best = float("inf")
        for _ in range(7):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            best = min(best, time.perf_counter() - start)
        return best

    return run(f"import {module}") - run("pass")


def report(peer: Any) -> str:
    """Measure everything and return it as Markdown tables."""
    lines = [
        "| shape | fieldwise, ms | stickler-eval 1.0.0, ms | ratio | goal |",
        "|---|---:|---:|---:|---:|",
    ]
    for case in CASES:
        ours, theirs = measure(case, peer)
        ratio = f"{theirs / ours:,.0f}×" if theirs else "–"
        shown = f"{theirs * 1e3:,.2f}" if theirs else "–"
        lines.append(
            f"| {case.name} | {ours * 1e3:.3f} | {shown} | {ratio} | {f'{case.goal:,}×' if case.goal else '–'} |"
        )
        print(lines[-1], flush=True)
    lines += ["", "| chain of objects, depth | fieldwise, ms |", "|---:|---:|"]
    for depth in (3, 6, 12, 24, 48):
        chain = Case(
            "",
            documents.chain_schema(depth),
            lambda r, d=depth: (documents.chain(d, documents.text(r)), documents.chain(d, documents.text(r))),  # type: ignore[misc]
            50,
            0,
            None,
        )
        lines.append(f"| {depth} | {measure(chain, None)[0] * 1e3:.3f} |")
    seconds, megabytes = large_list(1000)
    lines += ["", f"1,000 × 1,000 items of 5 fields: {seconds:.2f} s of CPU, peak of {megabytes:.0f} MB.", ""]
    ours_import = import_seconds("fieldwise")
    full_import = import_seconds("fieldwise.model")
    lines.append(
        f"`import fieldwise`: {ours_import * 1e3:.0f} ms; with all that comparing needs: {full_import * 1e3:.0f} ms"
    )
    if peer is not None:
        theirs_import = import_seconds("stickler")
        lines[-1] += f"; `import stickler`: {theirs_import * 1e3:.0f} ms"
    lines[-1] += "."
    return "\n".join(lines)


def main() -> None:
    """Print the tables; keep them where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--write", type=Path, help="a Markdown file whose section 'Comparing two documents' is replaced"
    )
    options = parser.parse_args()
    try:
        import stickler

        peer = stickler.StructuredModel
    except ImportError:
        print("stickler-eval is not installed (extra `peers`): fieldwise alone is measured")
        peer = None
    text = report(peer)
    print(text)
    if options.write:
        machine.write_section(options.write, "Comparing two documents", "python -m benchmarks.compare", text)


if __name__ == "__main__":
    main()
