"""Compare generated hostile pairs by every way in and look at every view; nothing may be raised.

    python -m tests.attacks.hostile_pairs --count 1000000 --seed 1
    python -m tests.attacks.hostile_pairs --only 1234567

Pairs come in batches under one spec each. A batch is known by its seed; a failing one is printed with it.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from fieldwise import InputError, Plan, SettingError, Spec, evaluate_pairs
from fieldwise.errors import CycleError
from fieldwise.tables.compared import ComparedRows
from fieldwise.tables.documents import DocumentRows
from fieldwise.values import Json, plain
from tests.attacks.hostile_values import Maker

BATCH = 250
"""Pairs under one spec."""
_EVALUATED = 8
"""Every so many batches are evaluated into a folder too, with a report."""
_WRITTEN = 4
"""Every so many pairs are compared once more as they would be read, and written as rows."""
_MEMORY = 6 << 30


def compare_all(plan: Plan, expected: Json, predicted: Json) -> None:
    """Compare a pair and make every view of it."""
    comparison = plan.compare(expected, predicted)
    counts = comparison.counts()
    assert sum(counts.values()) == len(comparison.verdicts)
    assert 0.0 <= comparison.score <= 1.0
    views = [
        comparison.to_dict(
            include_confusion_matrix=True, document_non_matches=True, document_field_comparisons=True, extras="root"
        ),
        comparison.to_dict(include_confusion_matrix=True, unmatched="leaves", extras="leaves"),
        comparison.to_dict(document_non_matches=True, evaluator_format=True),
        [verdict.to_json() for verdict in comparison.verdicts],
        comparison.outside,
    ]
    json.dumps(views, allow_nan=False)


def run_batch(seed: int, size: int = BATCH) -> None:
    """Compare one batch; what it raises is a defect."""
    maker = Maker(seed)
    schema = maker.schema()
    try:
        plan = Plan.compile(Spec.from_json_schema(schema))
    except SettingError:
        return
    rows, written, pairs = ComparedRows(), DocumentRows(), []
    for number in range(size):
        expected, predicted = maker.document(schema), maker.document(schema)
        pairs.append((f"d{number}", expected, predicted))
        written.begin(f"d{number}")
        try:
            compare_all(plan, expected, predicted)
            if number % _WRITTEN == 0:
                rows.add(number, plan.root, plan.compare(plain(expected), plain(predicted)).result)
        except CycleError:
            if not maker.has_cycle:
                raise
    rows.to_tables(written, with_values=True)
    if seed % _EVALUATED == 0:
        evaluate(pairs, schema, seed)


def evaluate(pairs: Sequence[tuple[str, Json, Json]], schema: Json, seed: int) -> None:
    """Evaluate a batch into a folder, with its report; by a spec, or by one that is inferred."""
    spec = Spec.from_json_schema(schema) if seed % (2 * _EVALUATED) == 0 else None
    with tempfile.TemporaryDirectory() as folder:
        try:
            evaluate_pairs(pairs, spec, out=Path(folder) / "out")
        except InputError:
            if spec is not None:
                raise  # else there was nothing to infer from
            return
        for name in ("metrics.json", "report.html", "failures.jsonl"):
            assert (Path(folder) / "out" / name).exists(), name


def attempt(seed: int) -> tuple[int, str]:
    """Return what a batch raised, or an empty text."""
    try:
        run_batch(seed)
    except Exception:  # noqa: BLE001  # what is looked for
        return seed, traceback.format_exc(limit=-6)
    return seed, ""


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def attempts(seeds: Sequence[int], processes: int) -> Iterator[tuple[int, str]]:
    """Run batches in some processes."""
    with multiprocessing.get_context("spawn").Pool(processes, _limit_memory) as pool:
        yield from pool.imap_unordered(attempt, seeds)


def main() -> int:
    """Run as many pairs as are asked for; 1 where one raised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000, help="pairs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", type=int, help="repeat the batch of this seed, with its trace")
    options = parser.parse_args()
    if options.only is not None:
        run_batch(options.only)
        return 0
    batches = max(options.count // BATCH, 1)
    first = options.seed * 100_000_000
    began, failed = time.monotonic(), 0
    found = attempts(range(first, first + batches), options.processes)
    for done, (seed, trace) in enumerate(found, 1):
        if trace:
            failed += 1
            sys.stdout.write(f"\nfailed: --only {seed}\n{trace}")
        if done % 20 == 0 or done == batches:
            passed = time.monotonic() - began
            left = passed / done * (batches - done)
            sys.stdout.write(
                f"\r{done * BATCH:,} pairs, {done * BATCH / passed:,.0f} a second, {failed} failed, {left:,.0f} s left "
            )
            sys.stdout.flush()
    sys.stdout.write("\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
