"""Class metrics of a million rows against a loop over classes, and against scikit-learn.

Run as ``python -m benchmarks.classify``. ``--write FILE`` keeps the table; ``--quick`` measures on fewer rows.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sklearn.metrics import classification_report  # type: ignore[import-untyped]  # it has no types

from benchmarks import machine
from fieldwise.classify import ClassReport, UnitMetricResult, run_evaluation

METRICS = ("accuracy", "precision", "recall", "f1_score")


def labels(rows: int, classes: int) -> tuple[list[str], list[str]]:
    """Return expected and predicted labels, four of five predicted right."""
    rng = random.Random(classes)
    names = [f"class_{i:03d}" for i in range(classes)]
    golden = rng.choices(names, k=rows)
    guesses = rng.choices(names, k=rows)
    predicted = [one if rng.random() < 0.8 else other for one, other in zip(golden, guesses, strict=True)]
    return golden, predicted


def share_of_right(results: Sequence[UnitMetricResult], side: str, key: str, label: str) -> float:
    """Return how many of the rows with a label are correct: one pass over all rows, as a metric of one class does."""
    chosen = [row for row in results if getattr(row, side).get(key) == label]
    return sum(1 for row in chosen if row.correct) / len(chosen) if chosen else 0.0


def loop_over_classes(results: Sequence[UnitMetricResult]) -> dict[str, Any]:
    """Answer all metrics by a plain loop: discover the classes, then ask each metric for each class."""
    found = {row.predicted["tool"] for row in results} | {row.golden["event"] for row in results}
    answer: dict[str, Any] = {"accuracy": {"accuracy": sum(row.correct for row in results) / len(results)}}
    precision = {label: share_of_right(results, "predicted", "tool", label) for label in found}
    recall = {label: share_of_right(results, "golden", "event", label) for label in found}
    f1 = {}
    for label in found:  # a metric of its own, which computes both again
        p = share_of_right(results, "predicted", "tool", label)
        r = share_of_right(results, "golden", "event", label)
        f1[label] = 2 * p * r / (p + r) if p + r else 0.0
    return {**answer, "precision": precision, "recall": recall, "f1_score": f1}


def report(golden: list[str], predicted: list[str]) -> dict[str, Any]:
    """Compute everything that the report says, from label lists."""
    made = ClassReport()
    made.update_labels(golden, predicted)
    return made.to_dict()


def measure(rows: int, classes: int, goal: int) -> list[str]:
    """Return the lines of one table."""
    golden, predicted = labels(rows, classes)
    ours = machine.cpu_seconds(lambda: report(golden, predicted), 3)
    theirs = machine.cpu_seconds(lambda: classification_report(golden, predicted), 1)
    results = [
        UnitMetricResult(one == other, {"event": one}, {"tool": other})
        for one, other in zip(golden, predicted, strict=True)
    ]
    by_rows = machine.cpu_seconds(lambda: run_evaluation(results, METRICS, golden_key="event", predicted_key="tool"), 3)
    loop = machine.cpu_seconds(lambda: loop_over_classes(results), 1)
    return [
        f"{rows:,} rows, {classes} classes:",
        "",
        "| | CPU seconds | times as fast as the loop | goal |",
        "|---|---:|---:|---:|",
        f"| loop over classes and metrics | {loop:.2f} | 1 | – |",
        f"| `run_evaluation` of the same rows | {by_rows:.2f} | {loop / by_rows:.0f} | – |",
        f"| scikit-learn `classification_report` of label lists | {theirs:.2f} | {loop / theirs:.0f} | – |",
        f"| `ClassReport` of label lists, with matrix and intervals | {ours:.2f} | {loop / ours:.0f} | ≥ {goal}, "
        "not slower than scikit-learn |",
    ]


def main() -> None:
    """Print the tables; keep them where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="a Markdown file whose section 'Class metrics' is replaced")
    parser.add_argument("--quick", action="store_true", help="fewer rows")
    options = parser.parse_args()
    rows = 100_000 if options.quick else 1_000_000
    parts = [measure(rows, 10, 20), measure(rows, 100, 200)]
    text = "\n\n".join("\n".join(part) for part in parts)
    print(text)
    if options.write:
        machine.write_section(options.write, "Class metrics", "python -m benchmarks.classify", text)


if __name__ == "__main__":
    main()
