"""Gives the predictions of made-up invoices confidences, as an extraction would. Standard library only.

``python examples/generate_confidences.py OUT --seed 7`` reads what generate_invoices.py wrote to OUT and writes
OUT/confident/*.json: every predicted value as ``{"_value": …, "_confidence": …}``. The same seed gives the same bytes.

The confidences are too high, as those of models often are, and tell right from wrong better in some fields than in
others: well in texts, hardly in amounts. A few values carry none.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

Json: TypeAlias = Any

SKILL = {"total": 0.3, "subtotal": 0.3, "tax": 0.2, "amount": 0.6, "unit_price": 0.6, "currency": 0.0}
"""How far the confidence of a right value lies above that of a wrong one, by field; others: 1.6."""
USUAL_SKILL = 1.6
TOO_HIGH = 4.2
"""So much is added to every confidence, on the scale of log odds."""
NONE = 0.02
"""The share of values without a confidence."""


def confident(expected: Json, predicted: Json, rng: random.Random, name: str = "") -> Json:
    """Return a predicted document in which every value carries a confidence."""
    if isinstance(predicted, dict):
        known = expected if isinstance(expected, dict) else {}
        return {key: confident(known.get(key), value, rng, key) for key, value in predicted.items()}
    if isinstance(predicted, list):
        return [confident(_closest(expected, item), item, rng, name) for item in predicted]
    if predicted is None or rng.random() < NONE:
        return predicted
    return {"_value": predicted, "_confidence": _confidence(_is_right(expected, predicted), name, rng)}


def _closest(expected: Json, item: Json) -> Json:
    """Return the expected row that shares the most values with a predicted one."""
    if not isinstance(item, dict) or not isinstance(expected, list):
        return None
    return max(expected, key=lambda row: sum(_is_right(row.get(k), v) for k, v in item.items()), default=None)


def _is_right(expected: Json, predicted: Json) -> bool:
    return "".join(str(expected).lower().split()) == "".join(str(predicted).lower().split())


def _confidence(is_right: bool, name: str, rng: random.Random) -> float:
    skill = SKILL.get(name, USUAL_SKILL)
    noise = sum(rng.random() for _ in range(12)) - 6  # nearly normal
    odds = TOO_HIGH + 1.3 * noise + (skill if is_right else -skill)
    return min(round(1 / (1 + math.exp(-odds)), 3), 0.999)


def write(folder: Path, seed: int) -> int:
    """Write OUT/confident beside OUT/expected and OUT/predicted; return how many documents."""
    (folder / "confident").mkdir(exist_ok=True)
    names = sorted(path.name for path in (folder / "predicted").glob("*.json"))
    for name in names:
        expected, predicted = (json.loads((folder / side / name).read_bytes()) for side in ("expected", "predicted"))
        made = confident(expected, predicted, random.Random(f"{seed}/{name}"))
        (folder / "confident" / name).write_bytes((json.dumps(made, ensure_ascii=False, indent=2) + "\n").encode())
    return len(names)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write confidences as the command line says."""
    parser = argparse.ArgumentParser(description="Write predictions with confidences for made-up invoices.")
    parser.add_argument("out", type=Path, help="folder that generate_invoices.py wrote to")
    parser.add_argument("--seed", type=int, default=7, help="same seed, same files (default: 7)")
    chosen = parser.parse_args(arguments)
    if not write(chosen.out, chosen.seed):
        parser.error(f"no predictions in {chosen.out / 'predicted'}; run generate_invoices.py first")


if __name__ == "__main__":
    main()
