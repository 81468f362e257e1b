"""How often an interval holds the truth: simulated test sets whose true rate is known.

Run as ``python -m benchmarks.coverage``. ``--write FILE`` keeps the table; ``--quick`` draws fewer test sets.

The documents are those of `benchmarks.gate`: line items, of which those of one document are right or wrong together.
Naive is Wilson's interval as if values were independent: for strict F1 on 2·tp of 2·tp + 2·fd + fa + fn trials, for the
accuracy of expected values on tp of tp + fd + fn.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from benchmarks import machine
from benchmarks.gate import Ints, outcomes
from fieldwise.stats.clustered import ratio_interval
from fieldwise.stats.count_tables import ratio_parts
from fieldwise.stats.intervals import wilson

SIZES = (20, 50, 100, 200)
ACCURACIES = (0.9, 0.98)
_MANY = 4_000_000


def documents(rng: np.random.Generator, number: int, accuracy: float) -> Ints:
    """Draw a test set: tp, fd, fa, fn of each document."""
    values = 1 + rng.negative_binomial(1.2, 1.2 / (1.2 + 11), number)
    return outcomes(rng, values, rng.beta(4 * accuracy, 4 * (1 - accuracy), number))


def parts(table: Ints) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return numerator and denominator of strict F1, and of the accuracy of expected values."""
    tp, fd, fa, fn = (int(total) for total in table.sum(axis=0))
    return (2 * tp, 2 * tp + 2 * fd + fa + fn), (tp, tp + fd + fn)


def coverage(size: int, accuracy: float, draws: int) -> tuple[float, float, float]:
    """Return how often the truth lies in the naive interval of strict F1, in that of accuracy, in the clustered one."""
    truths = [top / bottom for top, bottom in parts(documents(np.random.default_rng(1), _MANY, accuracy))]
    rng = np.random.default_rng(size)
    held = np.zeros(3)
    for _ in range(draws):
        table = documents(rng, size, accuracy)
        found = ratio_interval(ratio_parts(table, "strict_f1"))
        intervals = [*(wilson(*part) for part in parts(table)), (found.low, found.high)]
        held += [_holds(bounds, truth) for bounds, truth in zip(intervals, [*truths, truths[0]], strict=True)]
    f1, values, clustered = (held / draws).tolist()
    return f1, values, clustered


def _holds(bounds: tuple[float | None, float | None] | None, truth: float) -> bool:
    low, high = bounds or (None, None)
    return low is not None and high is not None and low <= truth <= high


def measure(draws: int) -> list[str]:
    """Return the lines of the table."""
    rows = [
        f"Share of {draws:,} test sets whose 95 % interval holds the truth:",
        "",
        "| documents | accuracy | strict F1, naive | accuracy of values, naive | strict F1, by documents | goal |",
        "|---:|---:|---:|---:|---:|---|",
    ]
    for accuracy in ACCURACIES:
        for size in SIZES if accuracy == ACCURACIES[0] else (50,):
            shares = " | ".join(f"{share:.3f}" for share in coverage(size, accuracy, draws))
            goal = "by documents ≥ 0.90" if size == 50 and accuracy == ACCURACIES[0] else "–"
            rows.append(f"| {size} | {accuracy:g} | {shares} | {goal} |")
    naive = "Naive: Wilson's interval as if values were independent, for strict F1 on 2·tp of 2·tp + 2·fd + fa + fn."
    return [*rows, "", naive]


def main() -> None:
    """Print the table; keep it where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="a Markdown file whose section 'Coverage of intervals' is replaced")
    parser.add_argument("--quick", action="store_true", help="fewer test sets")
    options = parser.parse_args()
    text = "\n".join(measure(200 if options.quick else 2_000))
    print(text)
    if options.write:
        machine.write_section(options.write, "Coverage of intervals", "python -m benchmarks.coverage", text)


if __name__ == "__main__":
    main()
