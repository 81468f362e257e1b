"""Long lists: rows that are written differently beside the same rows written alike, and documents of any size.

Run as ``python -m benchmarks.long_lists``; ``--write FILE`` keeps the tables, ``--only TEXT`` runs the cases whose name
holds a text.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import machine
from fieldwise import Plan, Spec, evaluate_pairs, open_pairs
from fieldwise.values import Json
from fieldwise.views.notes import worded

LETTERS = "abcdefghij klmnopqrst uvwxyz"
SIZES = (1_000, 2_000, 5_000, 10_000)
PLACES = ("Café Zürich", "Gießen Hbf", "Łódź Fabryczna", "São Paulo", "Main Street Deli", "Hotel Élysée")
Row = dict[str, Any]
Case = tuple[str, Json, Callable[[random.Random], tuple[Json, Json]]]
"""A name, the schema of the field ``x``, and what makes its two values."""


def statement(rng: random.Random, count: int) -> list[Row]:
    """Return the rows of a bank statement."""
    return [
        {
            "date": f"20{rng.randrange(10, 26)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}",
            "description": f"{rng.choice(('Card payment', 'Transfer', 'Standing order'))} {rng.choice(PLACES)}",
            "reference": f"TX-{rng.randrange(10**6):06}",
            "amount": round(rng.uniform(-9_000, 9_000), 2),
            "booked": rng.random() < 0.5,
        }
        for _ in range(count)
    ]


def written_differently(rng: random.Random, row: Row) -> Row:
    """Return a row with the same values: another date format, thousands marks, case, blanks, decomposed letters."""
    year, month, day = row["date"].split("-")
    text = row["description"]
    forms = (
        text.upper() if "ß" not in text else text,
        f" {text.replace(' ', '  ')}",
        unicodedata.normalize("NFD", text),
    )
    return {
        **row,
        "date": f"{day}/{month}/{year}",
        "description": rng.choice(forms),
        "reference": row["reference"].lower(),
        "amount": f"{row['amount']:,.2f}",
    }


def row_schema() -> Json:
    """Return the schema of a statement: kinds and nothing else."""
    fields = {
        "date": {"type": "string", "format": "date"},
        "description": {"type": "string"},
        "reference": {"type": "string", "x-fieldwise-comparator": "Code"},
        "amount": {"type": "number"},
        "booked": {"type": "boolean"},
    }
    return {"type": "object", "properties": {"x": rows_of(**fields)}}


def compared(expected: list[Row], predicted: list[Row]) -> tuple[float, int]:
    """Return the CPU seconds of comparing two lists, the best of three, and how many values are not right."""
    plan = Plan.compile(Spec.from_json_schema(row_schema()))
    best, wrong = float("inf"), 0
    for _ in range(3):
        start = time.process_time()
        counts = plan.compare({"x": expected}, {"x": predicted}).counts()
        best = min(best, time.process_time() - start)
        wrong = counts["fd"] + counts["fa"] + counts["fn"]
    return best, wrong


def evaluated(expected: list[Row], predicted: list[Row]) -> tuple[float, int]:
    """Return the same of an evaluation without settings, with its files, of five documents."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.jsonl"
        size = len(expected) // 5
        lines = [
            {"id": str(k), **{side: {"x": rows[k * size :][:size]} for side, rows in sides.items()}}
            for sides in ({"expected": expected, "predicted": predicted},)
            for k in range(5)
        ]
        path.write_text("\n".join(map(json.dumps, lines)))
        start = time.process_time()
        total = evaluate_pairs(open_pairs(path), out=Path(folder) / "out").metrics.aggregate
        return time.process_time() - start, total.fd + total.fa + total.fn


def different_writing() -> Iterator[str]:
    """Yield a line for each size: seconds alike, seconds written differently, their ratio, values not right."""
    for count in SIZES:
        rng = random.Random(count)
        rows = statement(rng, count)
        others = [written_differently(rng, row) for row in rows]
        rng.shuffle(others)
        for name, measure, factor in (("compare", compared, 1), ("evaluate", evaluated, 5)):
            left, right = (side * factor for side in (rows, others))
            alike, _ = measure(left, left)
            seconds, wrong = measure(left, right)
            yield f"| {name} | {count:,} | {alike:.3f} | {seconds:.3f} | {seconds / alike:.2f}× | {wrong} |"


def text(rng: random.Random, size: int) -> str:
    """Return letters and blanks."""
    return "".join(rng.choices(LETTERS, k=size))


def noisy(rng: random.Random, value: str, share: float = 0.02) -> str:
    """Return a text with a share of its characters replaced, as optical recognition leaves it."""
    found = list(value)
    for at in rng.sample(range(len(found)), int(len(found) * share)):
        found[at] = rng.choice(LETTERS)
    return "".join(found)


def pages(rng: random.Random, count: int, size: int) -> tuple[list[str], list[str]]:
    """Return pages, and noisy copies of them in another order."""
    left = [text(rng, size) for _ in range(count)]
    right = [noisy(rng, page) for page in left]
    rng.shuffle(right)
    return left, right


def others(rng: random.Random, count: int, size: int) -> tuple[list[str], list[str]]:
    """Return pages, and as many that have nothing to do with them."""
    return [text(rng, size) for _ in range(count)], [text(rng, size) for _ in range(count)]


STRING: Json = {"type": "string", "x-fieldwise-comparator": "Levenshtein"}


def list_of(items: Json) -> Json:
    """Return the schema of a list."""
    return {"type": "array", "items": items}


def rows_of(**fields: Json) -> Json:
    """Return the schema of a list of objects."""
    return list_of({"type": "object", "properties": fields})


def texts() -> Iterator[Case]:
    """Yield long texts, and lists of them."""
    yield "one text of 10 MB", STRING, lambda rng: (text(rng, 10_000_000), text(rng, 10_000_000))
    for count, size in ((20, 3_000), (80, 3_000), (20, 30_000), (80, 30_000), (2_000, 10_000)):
        name = f"{count:,} pages × {size:,} characters"
        yield name, list_of(STRING), partial(pages, count=count, size=size)
        yield f"{name}, of other documents", list_of(STRING), partial(others, count=count, size=size)
    settings = {"x-fieldwise-comparator": "Fuzzy", "x-fieldwise-comparator-config": {"method": "partial_ratio"}}
    for count, size in ((1_500, 30), (400, 1_000)):
        name = f"partial ratio: {count:,} × {size:,}"
        yield name, list_of({"type": "string", **settings}), partial(others, count=count, size=size)


def lists() -> Iterator[Case]:
    """Yield lists of many rows that differ, of few distinct values, and lists in lists."""
    name: Json = {"type": "string"}
    for count in (2_000, 5_000):
        yield (
            f"{count:,} rows of few values",
            rows_of(colour=name, size={"type": "number"}),
            partial(colours, count=count),
        )
    statements = row_schema()["properties"]["x"]
    for count in (5_000, 10_000):
        yield f"{count:,} rows with one wrong value each", statements, partial(one_wrong, count=count)
    count = 100_000
    yield "100,000 × 100,000 other rows", statements, lambda rng: (statement(rng, count), statement(rng, count))
    yield "100,000 × 100,000 tags", list_of(name), partial(tags, count=count)
    yield "1,000 rows with 4 tags each", rows_of(name=name, tags=list_of(name)), partial(tagged, count=1_000)
    free: Json = {"type": "object", "additionalProperties": True}
    yield "free object with 1,000 rows (ANLS*)", free, partial(free_rows, count=1_000)


def colours(rng: random.Random, count: int) -> tuple[Json, Json]:
    """Return rows of which there are nine kinds."""
    rows = [{"colour": rng.choice(["red", "green", "blue"]), "size": rng.choice([1, 2, 3])} for _ in range(2 * count)]
    return rows[:count], rows[count:]


def one_wrong(rng: random.Random, count: int) -> tuple[Json, Json]:
    """Return rows, and copies in another order each of which has one wrong value."""
    rows = statement(rng, count)
    wrong = [{**row, rng.choice(list(row)): "?"} for row in rows]
    rng.shuffle(wrong)
    return rows, wrong


def tags(rng: random.Random, count: int) -> tuple[Json, Json]:
    """Return words, and copies half of which are noisy."""
    found = [f"tag {rng.randrange(50_000)}" for _ in range(count)]
    return found, [noisy(rng, tag, rng.choice([0, 0.2])) for tag in found]


def tagged(rng: random.Random, count: int) -> tuple[Json, Json]:
    """Return rows with lists in them that have nothing in common."""
    rows = [{"name": text(rng, 12), "tags": [text(rng, 8) for _ in range(4)]} for _ in range(2 * count)]
    return rows[:count], rows[count:]


def free_rows(rng: random.Random, count: int) -> tuple[Json, Json]:
    """Return objects with lists of rows that have nothing in common."""
    rows = [{"a": text(rng, 20), "b": text(rng, 20)} for _ in range(2 * count)]
    return {"rows": rows[:count]}, {"rows": rows[count:]}


def measured(case: Case) -> str:
    """Return the CPU seconds of one comparison, its peak of memory in a process of its own, notes and counts."""
    name, schema, make = case
    left, right = make(random.Random(1))
    plan = Plan.compile(Spec.from_json_schema({"type": "object", "properties": {"x": schema}}))
    start = time.process_time()
    comparison = plan.compare({"x": left}, {"x": right})
    seconds = time.process_time() - start
    notes = "; ".join(map(worded, comparison.notes)) or "–"
    return f"| {name} | {seconds:.2f} | {peak()} | {notes} | {comparison.counts()} |"


def peak() -> str:
    """Return the peak of this process's memory in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return f"{int(line.split()[1]) // 1024:,}"
    return "–"


def cases() -> Iterator[Case]:
    """Yield all of them."""
    parts: tuple[Callable[[], Iterator[Case]], ...] = (texts, lists)
    for part in parts:
        yield from part()


def one(name: str) -> None:
    """Measure one case in this process and print its line."""
    plan = Plan.compile(Spec.from_json_schema({"type": "object", "properties": {"x": list_of({"type": "number"})}}))
    plan.compare({"x": [1, 1, 1, 1, 1]}, {"x": [2, 2, 2, 3, 3]})  # imports the solver
    print(next(measured(case) for case in cases() if case[0] == name))


def report(only: str) -> str:
    """Measure the cases, each in a process of its own, and return two tables."""
    lines = [
        "| | rows | written alike, s | written differently, s | ratio | not right |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    if not only:
        for line in different_writing():
            lines.append(line)
            print(line, flush=True)
    lines += ["", "| document | CPU seconds | peak, MB | note | counts |", "|---|---:|---:|---|---|"]
    for name in [case[0] for case in cases() if only in case[0]]:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.long_lists", "--one", name], capture_output=True, text=True, check=True
        )
        lines.append(done.stdout.strip())
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    if options.one:
        one(options.one)
        return
    found = report(options.only)
    if options.write:
        machine.write_section(options.write, "Long lists", "python -m benchmarks.long_lists", found)


if __name__ == "__main__":
    main()
