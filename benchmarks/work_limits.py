"""Documents that were without bound: how long comparing each takes under the default ``--max-work``.

Run as ``python -m benchmarks.work_limits``; ``--write FILE`` keeps the table, ``--only TEXT`` runs the cases whose name
holds a text.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks import machine
from fieldwise import Plan, Spec
from fieldwise.values import Json

LETTERS = "abcdefghij klmnopqrst uvwxyz"
COMPARATORS = ("Levenshtein", "Fuzzy", "ANLSStar", "Contains", "Text", "Normalized", "Exact")
Case = tuple[str, Json, Json, Json]
"""A name, the schema of the field ``x``, and its two values."""


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


def wrapped(values: list[str]) -> list[Json]:
    """Return pages as objects."""
    return [{"language": "en", "text": value} for value in values]


def texts() -> Iterator[Case]:
    """Yield lists of long texts."""
    rng = random.Random(1)
    for count, size in ((20, 3_000), (20, 30_000), (40, 30_000), (80, 30_000)):
        left, right = pages(rng, count, size)
        yield f"{count} pages × {size:,} characters", list_of(STRING), left, right
        schema = rows_of(language={"type": "string"}, text=STRING)
        yield f"{count} pages × {size:,}, as objects", schema, wrapped(left), wrapped(right)
        yield f"{count} pages × {size:,}, of other documents", list_of(STRING), *others(rng, count, size)
    four = [text(rng, 3_000) for _ in range(4)]
    yield "500 rows × 3,000, 4 distinct", list_of(STRING), rng.choices(four, k=500), rng.choices(four, k=500)
    yield "1,000 × 1,000 texts of 1,000", list_of(STRING), *pages(rng, 1_000, 1_000)
    yield "1,000 × 1,000 texts of 1,000, other ones", list_of(STRING), *others(rng, 1_000, 1_000)


def ties() -> Iterator[Case]:
    """Yield lists of few distinct values, and very long ones."""
    rng = random.Random(2)
    schema = rows_of(colour={"type": "string"}, size={"type": "number"})
    for count in (500, 1_000, 1_500, 1_999):
        sides = [
            [{"colour": rng.choice(["red", "green", "blue"]), "size": rng.choice([1, 2, 3])} for _ in range(count)]
            for _ in range(2)
        ]
        yield f"{count:,} rows of few values", schema, *sides
    tags = [f"tag {rng.randrange(50_000)}" for _ in range(100_000)]
    yield (
        "100,000 × 100,000 tags",
        list_of({"type": "string"}),
        tags,
        [noisy(rng, tag, rng.choice([0, 0.2])) for tag in tags],
    )


def sums() -> Iterator[Case]:
    """Yield documents of many parts, each of which would be little alone."""
    rng = random.Random(3)
    flat = {"type": "object", "properties": {f"text_{n}": STRING for n in range(100)}}
    left, right = others(rng, 100, 60_000)
    names = list(flat["properties"])
    yield "100 texts of 60,000", flat, dict(zip(names, left, strict=True)), dict(zip(names, right, strict=True))
    many = {"type": "object", "properties": {f"list_{n}": list_of(STRING) for n in range(40)}}
    sides = [others(rng, 100, 1_000) for _ in range(40)]
    whole = [{f"list_{n}": both[k] for n, both in enumerate(sides)} for k in (0, 1)]
    yield "40 lists of 100 × 1,000", many, whole[0], whole[1]
    nest = rows_of(parts=rows_of(pages=list_of(STRING)))
    deep = [[{"parts": [{"pages": others(rng, 5, 2_000)[0]} for _ in range(5)]} for _ in range(5)] for _ in range(2)]
    yield "lists in lists in lists, 125 × 2,000", nest, *deep
    inside = rows_of(name={"type": "string"}, tags=list_of({"type": "string"}))
    rows = [[{"name": text(rng, 12), "tags": [text(rng, 8) for _ in range(4)]} for _ in range(1_000)] for _ in range(2)]
    yield "1,000 rows with 4 tags each", inside, *rows


def comparators() -> Iterator[Case]:
    """Yield the same long texts for every comparator that reads text."""
    rng = random.Random(4)
    few, many, short = pages(rng, 30, 20_000), others(rng, 400, 1_000), others(rng, 1_500, 30)
    for name in COMPARATORS:
        item: Json = {"type": "string", "x-fieldwise-comparator": name}
        yield f"{name}: 30 pages × 20,000", list_of(item), *few
        yield f"{name}: 400 × 1,000", list_of(item), *many
        yield f"{name}: 1,500 × 30", list_of(item), *short
    for method in ("token_sort_ratio", "token_set_ratio", "partial_ratio", "weighted_ratio"):
        item = {
            "type": "string",
            "x-fieldwise-comparator": "Fuzzy",
            "x-fieldwise-comparator-config": {"method": method},
        }
        yield f"Fuzzy {method}: 400 × 1,000", list_of(item), *many
        yield f"Fuzzy {method}: 1,500 × 30", list_of(item), *short
    free = {"type": "object", "additionalProperties": True}
    sides = [{"pages": side, "rows": [{"a": v[:200], "b": v[200:400]} for v in side]} for side in few]
    yield "free object with lists of pages (ANLS*)", free, sides[0], sides[1]


def measured(case: Case) -> tuple[float, str]:
    """Return the CPU seconds of one comparison, and in how many of its verdicts and notes the limit shows."""
    _, schema, left, right = case
    plan = Plan.compile(Spec.from_json_schema({"type": "object", "properties": {"x": schema}}))
    start = time.process_time()
    comparison = plan.compare({"x": left}, {"x": right})
    seconds = time.process_time() - start
    spent = plan.work.now.spent / plan.work.limit
    return seconds, f"{spent:.0%} | {'; '.join(comparison.notes)[:110] or '–'} | {comparison.counts()}"


def cases() -> Iterator[Case]:
    """Yield all of them."""
    parts: tuple[Callable[[], Iterator[Case]], ...] = (texts, ties, sums, comparators)
    for part in parts:
        yield from part()


def report(only: str) -> str:
    """Measure the cases and return a table."""
    plan = Plan.compile(Spec.from_json_schema({"type": "object", "properties": {"x": list_of({"type": "number"})}}))
    plan.compare({"x": [1, 1, 1, 1]}, {"x": [2, 2, 2, 2]})  # imports the solver
    lines = ["| document | CPU seconds | of the limit | note | counts |", "|---|---:|---:|---|---|"]
    for case in cases():
        if only in case[0]:
            seconds, rest = measured(case)
            lines.append(f"| {case[0]} | {seconds:.2f} | {rest} |")
            print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    found = report(options.only)
    if options.write:
        command = "python -m benchmarks.work_limits"
        machine.write_section(options.write, "Documents at the limit of work", command, found)


if __name__ == "__main__":
    main()
