"""What the next version of an extraction makes of made-up invoices: better, but for one field. Standard library only.

``python examples/generate_candidate.py OUT --seed 7`` reads what generate_invoices.py wrote to OUT and writes
OUT/candidate/*.json. The same seed gives the same bytes.

A third of the wrong values are mended, wherever they are. But the new version takes the date of an invoice for its due
date where it cannot find one, in one document of eight: a better total that hides a worse field.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path
from typing import Any, TypeAlias

Json: TypeAlias = Any

MENDED = 1 / 3
"""The share of wrong values that the next version has right."""
WORSE = 1 / 8
"""The share of documents in which it has another due date."""


def candidate(expected: Json, predicted: Json, rng: random.Random) -> Json:
    """Return a predicted document with some of its wrong values mended."""
    if isinstance(expected, dict) and isinstance(predicted, dict):
        keys = [*predicted, *(key for key in expected if key not in predicted)]
        both = {key: candidate(expected.get(key), predicted.get(key), rng) for key in keys}
        return {key: value for key, value in both.items() if key in predicted or value is not None}
    if isinstance(expected, list) and isinstance(predicted, list):
        return [candidate(_same_row(expected, at, row), row, rng) for at, row in enumerate(predicted)]
    is_mended = expected != predicted and rng.random() < MENDED
    return expected if is_mended else predicted


def _same_row(expected: list[Json], at: int, predicted: Json) -> Json:
    """Return the expected row at a place if half of its values are those of the predicted one, else the latter."""
    row = expected[at] if at < len(expected) else None
    if not isinstance(row, dict) or not isinstance(predicted, dict):
        return predicted
    return row if 2 * sum(predicted.get(key) == value for key, value in row.items()) >= len(row) else predicted


def main() -> None:
    """Write the candidate's predictions beside the others."""
    parser = argparse.ArgumentParser(description="Write the predictions of the next version of an extraction.")
    parser.add_argument("out", type=Path, help="the folder that generate_invoices.py wrote to")
    parser.add_argument("--seed", type=int, default=7, help="same seed, same files (default: 7)")
    options = parser.parse_args()
    folder = options.out / "candidate"
    folder.mkdir(exist_ok=True)
    for path in sorted((options.out / "predicted").glob("*.json")):
        expected = json.loads((options.out / "expected" / path.name).read_text(encoding="utf-8"))
        rng = random.Random(f"{options.seed}/{path.stem}")
        document = candidate(expected, json.loads(path.read_text(encoding="utf-8")), rng)
        if rng.random() < WORSE:
            document["due_date"] = expected["invoice_date"]
        (folder / path.name).write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
