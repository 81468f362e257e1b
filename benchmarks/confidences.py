"""How often promises about confidences hold: thresholds to accept from, AUROC, ECE beside chance.

Run as ``python -m benchmarks.confidences``. ``--write FILE`` keeps the tables; ``--quick`` draws fewer sets.

A world draws documents with some predicted values; each has a confidence and is right or wrong. Half of the worlds are
of the kind on which the rule of thresholds was chosen, the others were laid down before it was tried on them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit

from benchmarks import machine
from benchmarks.worlds import Bools, Floats, Ints, Random
from fieldwise.runs.confidence_rows import ConfidentValues, Gathered, Units
from fieldwise.stats.acceptance import CANDIDATES, AcceptedCounts, accept_threshold, fewest_units, step_counts
from fieldwise.stats.calibration import Placements, calibration_error, equal_width_bins
from fieldwise.stats.confidences import Confidences

BINS = 10
SIZES = (60, 100, 200, 500, 1_000)
TARGETS = (0.05, 0.03, 0.02)
_MANY = 100_000
"""So many documents show the true error rate of a threshold."""


class Values(NamedTuple):
    """The values of documents: whose they are, and what became of them."""

    documents: Ints
    right: Bools
    confidence: Floats


Draw: TypeAlias = Callable[[Random, int], Values]


def _values(rng: Random, sizes: Ints, score: Callable[[Ints], Floats], slope: float = 1.0) -> Values:
    """Draw values whose confidence is the chance of being right, or is too sure by a slope of logits."""
    documents = np.repeat(np.arange(len(sizes)), sizes)
    logits = score(documents)
    right = rng.random(len(documents)) < expit(logits)
    return Values(documents, right, expit(slope * logits))


def _sizes(rng: Random, n: int, mean: float = 11.0) -> Ints:
    return 1 + rng.negative_binomial(1.2, 1.2 / (1.2 + mean), n)


def independent(rng: Random, n: int) -> Values:
    """Values that do not depend on each other."""
    return _values(rng, np.full(n, 10), lambda documents: rng.normal(3.5, 1.5, len(documents)))


def shifted_rows(rng: Random, n: int) -> Values:
    """3 % of documents have a table one row off, with full confidence."""
    made = _values(rng, _sizes(rng, n), lambda documents: rng.normal(5, 1.5, len(documents)))
    off = (rng.random(n) < 0.03)[made.documents]
    return Values(made.documents, made.right & ~off, np.where(off, 0.995, made.confidence))


def heavy_lists(rng: Random, n: int) -> Values:
    """Documents of very different length and quality."""
    sizes, quality = 1 + np.floor(8 * rng.weibull(0.5, n)).astype(np.int64), rng.normal(3.5, 1.2, n)
    return _values(rng, sizes, lambda documents: quality[documents] + rng.normal(0, 1, len(documents)))


def photos(rng: Random, n: int) -> Values:
    """A tenth of documents is read much worse, and their confidences know half of it."""
    bad = rng.random(n) < 0.1
    sizes = _sizes(rng, n)
    documents = np.repeat(np.arange(n), sizes)
    logits = rng.normal(4, 1.2, len(documents)) - 2.5 * bad[documents]
    right = rng.random(len(documents)) < expit(logits)
    return Values(documents, right, expit(logits + 1.2 * bad[documents]))


def sure_model(rng: Random, n: int) -> Values:
    """A language model that is very sure of everything; 4 % of values are wrong."""
    sizes = _sizes(rng, n)
    documents, number = np.repeat(np.arange(n), sizes), int(sizes.sum())
    right = rng.random(number) < 0.96
    return Values(documents, right, np.where(rng.random(number) < 0.9, 1.0, np.where(right, 0.97, 0.93)))


def template(rng: Random, n: int) -> Values:
    """One document in 25 is of an unknown template: all of its values are half as likely right, and look sure."""
    unknown = rng.random(n) < 0.04
    documents = np.repeat(np.arange(n), 12)
    logits = rng.normal(4.5, 1.2, len(documents))
    chance = expit(logits) * np.where(unknown[documents], 0.6, 1.0)
    return Values(documents, rng.random(len(documents)) < chance, expit(logits))


def one_value(rng: Random, n: int) -> Values:
    """A field with one value in a document."""
    return _values(rng, np.ones(n, np.int64), lambda documents: rng.normal(3.5, 1.6, len(documents)))


def three_steps(rng: Random, n: int) -> Values:
    """Confidences of three sizes only: high, medium and low."""
    documents = np.repeat(np.arange(n), rng.poisson(8, n) + 1)
    step = rng.choice(3, len(documents), p=(0.6, 0.3, 0.1))
    quality = rng.normal(0, 0.8, n)[documents]
    right = rng.random(len(documents)) < expit(np.array((4.5, 3.0, 1.0))[step] + quality)
    return Values(documents, right, np.array((0.95, 0.8, 0.55))[step])


def too_sure(rng: Random, n: int) -> Values:
    """Confidences twice as sure as they should be, in documents that differ."""
    quality = rng.normal(2.5, 0.8, n)
    return _values(
        rng, _sizes(rng, n), lambda documents: quality[documents] + rng.normal(0, 1, len(documents)), slope=2.0
    )


def rare_garbage(rng: Random, n: int) -> Values:
    """One document in a hundred is wrong as a whole, and all of its values look as those of others."""
    made = _values(rng, rng.poisson(15, n) + 1, lambda documents: rng.normal(5, 1.2, len(documents)))
    return Values(made.documents, made.right & ~(rng.random(n) < 0.01)[made.documents], made.confidence)


KNOWN: dict[str, Draw] = {
    "independent values": independent,
    "shifted rows": shifted_rows,
    "heavy lists": heavy_lists,
    "photos": photos,
    "a sure model": sure_model,
}
FRESH: dict[str, Draw] = {
    "unknown templates": template,
    "one value a document": one_value,
    "three steps": three_steps,
    "twice too sure": too_sure,
    "1 % garbage": rare_garbage,
}


def counts_of(values: Values, n: int) -> AcceptedCounts:
    """Count what each candidate accepts."""
    counts = AcceptedCounts()
    counts.add(step_counts(values.right, values.confidence, values.documents, n))
    return counts


def true_errors(draw: Draw) -> Floats:
    """Return the error rate among the accepted of each candidate, from very many documents."""
    wrong, right = counts_of(draw(np.random.default_rng(1), _MANY), _MANY).accepted
    errors: Floats = wrong / np.maximum(wrong + right, 1)
    return errors


class Accepted(NamedTuple):
    """How often there is a threshold, how often it breaks its promise (of all sets), and what share it accepts."""

    answered: float
    failed: float
    share: float


def thresholds(draw: Draw, n: int, sets: int, targets: tuple[float, ...] = TARGETS) -> list[Accepted]:
    """Choose thresholds in many sets, for each target."""
    errors, rng = true_errors(draw), np.random.default_rng(n)
    found = np.zeros((sets, len(targets), 3))
    for at in range(sets):
        counts = counts_of(draw(rng, n), n)
        for place, target in enumerate(targets):
            chosen = accept_threshold(counts, target)
            if chosen is not None:
                fails = errors[CANDIDATES.index(chosen.threshold)] > target
                found[at, place] = 1, fails, chosen.coverage
    return [Accepted(*row) for row in found.mean(axis=0).tolist()]


def figures(values: Values, n: int) -> Gathered:
    """Gather the values of a set as a calibration does."""
    found = Gathered("all", BINS)
    units = Units.of([f"d{number}" for number in range(n)])
    own = ConfidentValues(values.documents, values.documents, values.documents * 0, values.right, values.confidence)
    found.count(own, units)
    found.close(0.05)
    found.spread_out(own, units)
    return found


def auroc_truth(draw: Draw) -> float:
    """Return AUROC of very many documents."""
    values = draw(np.random.default_rng(1), _MANY)
    right = values.right.astype(np.int64)
    found = Placements.of(Confidences(values.confidence, right, 1 - right))
    assert found is not None
    return found.auroc


class Area(NamedTuple):
    """How often an interval holds the true AUROC, how wide it is, and how often there is none."""

    held: float
    width: float
    missing: float


def areas(draw: Draw, n: int, sets: int) -> Area:
    """Compute the interval of AUROC in many sets."""
    truth, rng, held, widths = auroc_truth(draw), np.random.default_rng(n), 0, []
    for _ in range(sets):
        found = figures(draw(rng, n), n).discrimination()
        if found is not None and found.low is not None and found.high is not None:
            held += found.low <= truth <= found.high
            widths.append(found.high - found.low)
    return Area(held / max(len(widths), 1), float(np.mean(widths)), 1 - len(widths) / sets)


def tied(rng: Random, n: int, size: int, tie: float) -> Values:
    """Draw values whose confidences are true, in documents that share most of what decides whether they are right."""
    documents = np.repeat(np.arange(n), size)
    common, own = rng.random(n)[documents], rng.random(n * size)
    confidence = rng.beta(6, 1.5, n * size)
    return Values(documents, np.where(rng.random(n * size) < tie, common, own) < confidence, confidence)


class Chance(NamedTuple):
    """The mean of ECE of true confidences, what is said to be by chance, and how often the test finds p < 0.05."""

    true: float
    said: float
    alarms: float


def chances(n: int, size: int, tie: float, sets: int) -> Chance:
    """Compute ECE of true confidences in many sets."""
    rng, rows = np.random.default_rng(n), []
    for _ in range(sets):
        values = tied(rng, n, size, tie)
        found = figures(values, n)
        assert found.values is not None
        assert found.chance is not None
        ece = calibration_error(equal_width_bins(found.values, BINS)) or 0.0
        rows.append((ece, found.chance.mean(found.values.n), found.chance.p(ece, found.values.n) < 0.05))
    return Chance(*np.mean(rows, axis=0).tolist())


def measure(sets: int) -> Iterator[str]:
    """Yield the lines of the tables."""
    yield (
        f"Thresholds to accept from, {sets:,} sets a cell: in what share there is an answer, in what share of all sets "
        "it breaks its promise, what share of values it accepts where there is one. Goal: broken in ≤ 5 % everywhere. "
        f"Below {', '.join(str(fewest_units(target)) for target in TARGETS)} documents there is none by rule."
    )
    yield ""
    yield "| documents | target | " + " | ".join(str(n) for n in SIZES) + " |"
    yield "|---|---:|" + "---:|" * len(SIZES)
    worst = 0.0
    for name, draw in {**KNOWN, **FRESH}.items():
        cells = [thresholds(draw, n, sets) for n in SIZES]
        for place, target in enumerate(TARGETS):
            row = [cell[place] for cell in cells]
            worst = max(worst, *(one.failed for one in row))
            said = (
                f"{one.answered:.2f} / {one.failed:.3f} / {one.share / one.answered:.2f}" if one.answered else "0"
                for one in row
            )
            yield f"| {name}{' (fresh)' if name in FRESH else ''} | {target:.0%} | {' | '.join(said)} |"
    yield ""
    yield f"The worst cell breaks its promise in {worst:.1%} (± {2 * (worst * (1 - worst) / sets) ** 0.5:.1%})."
    yield ""
    yield from _measure_areas(sets)
    yield ""
    yield from _measure_chances(sets)


def _measure_areas(sets: int) -> Iterator[str]:
    yield f"AUROC, {sets:,} sets: how often its 95% interval holds the truth, and its mean width."
    yield ""
    yield "| documents | 20 | 50 | 200 |"
    yield "|---|---:|---:|---:|"
    for name in ("independent values", "shifted rows", "heavy lists", "photos", "unknown templates", "twice too sure"):
        cells = [areas((KNOWN | FRESH)[name], n, sets) for n in (20, 50, 200)]
        yield f"| {name} | {' | '.join(f'{cell.held:.3f} ({cell.width:.3f})' for cell in cells)} |"


def _measure_chances(sets: int) -> Iterator[str]:
    yield (
        f"ECE of true confidences, {sets:,} sets: its mean, what *by chance* says, and how often p < 0.05. *Tied*: the "
        "share of values that one number of their document decides."
    )
    yield ""
    yield "| documents × values | tied | mean ECE | by chance | p < 0.05 |"
    yield "|---|---:|---:|---:|---:|"
    for n, size, tie in ((50, 1, 0.0), (50, 10, 0.0), (50, 10, 0.4), (50, 10, 0.8), (200, 10, 0.8)):
        found = chances(n, size, tie, sets)
        yield f"| {n} × {size} | {tie:g} | {found.true:.4f} | {found.said:.4f} | {found.alarms:.3f} |"


def main() -> None:
    """Print the tables; keep them where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, help="a Markdown file whose section 'Confidences' is replaced")
    parser.add_argument("--quick", action="store_true", help="fewer sets")
    options = parser.parse_args()
    text = "\n".join(measure(40 if options.quick else 300))
    print(text)
    if options.write:
        machine.write_section(options.write, "Confidences", "python -m benchmarks.confidences", text)


if __name__ == "__main__":
    main()
