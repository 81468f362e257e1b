"""Whether cost grows with values, in documents and in fields: function calls, wide documents and packets.

``python -m benchmarks.sparse [NAME …]`` evaluates each set into a folder, in a process of its own, and prints its CPU
seconds and peak memory. A call has 7 values of 1,500 fields; a packet has 900 rows in another order on each side.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Document = dict[str, Any]
FUNCTIONS, ARGUMENTS, WRONG = 220, 7, 0.1


def calls(count: int) -> Iterator[tuple[Document, Document]]:
    """Yield calls of many functions, each with arguments of its own."""
    draw = random.Random(1)
    for _ in range(count):
        function = draw.randrange(FUNCTIONS)
        call: Document = {f"f{function}_{k}": f"value {draw.randrange(1000)}" for k in range(ARGUMENTS)}
        yield call, spoiled(call, draw)


def wide(fields: int) -> Iterator[tuple[Document, Document]]:
    """Yield one document of many fields."""
    draw = random.Random(2)
    document: Document = {f"field_{k}": f"value {draw.randrange(1000)}" for k in range(fields)}
    yield document, spoiled(document, draw)


def packets(count: int) -> Iterator[tuple[Document, Document]]:
    """Yield long lists, in another order on each side."""
    draw = random.Random(3)
    for number in range(count):
        rows = [
            {"sku": f"S{number}-{k}", "name": f"item {draw.randrange(10**9)} {'x' * 200}", "price": draw.random()}
            for k in range(900)
        ]
        others = [spoiled(row, draw) for row in rows]
        draw.shuffle(others)
        yield {"rows": rows}, {"rows": others}


def spoiled(document: Document, draw: random.Random) -> Document:
    """Return a document with some other values."""
    return {name: "wrong" if draw.random() < WRONG else value for name, value in document.items()}


SETS: dict[str, tuple[Callable[[int], Iterator[tuple[Document, Document]]], int]] = {
    **{f"{count} calls": (calls, count) for count in (250, 1_000, 4_000)},
    **{f"{count} fields": (wide, count) for count in (500, 2_000, 10_000)},
    "32 packets": (packets, 32),
}


def evaluate(name: str) -> None:
    """Evaluate one set and print what it cost."""
    from fieldwise import evaluate_pairs  # not part of the driver

    make, count = SETS[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pairs.jsonl"
        with path.open("w") as file:
            for number, (expected, predicted) in enumerate(make(count)):
                file.write(json.dumps({"id": f"d{number}", "expected": expected, "predicted": predicted}) + "\n")
        begun = time.process_time()
        evaluate_pairs(path, out=Path(folder) / "out")
        spent = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{name:>12}  {spent:7.2f} s  {memory:6,} MB", flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--one":
        evaluate(sys.argv[2])
    else:
        for chosen in sys.argv[1:] or SETS:
            subprocess.run([sys.executable, "-m", "benchmarks.sparse", "--one", chosen], check=True)
