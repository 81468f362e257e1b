"""From how many cells on a grid is quicker than comparing pair by pair: ``python -m benchmarks.crossover``."""

from __future__ import annotations

import random
import time

from benchmarks import documents
from fieldwise import StructuredModel
from fieldwise.compare import lists

SIZES = (2, 3, 4, 5, 6)


def seconds(items: int, few_cells: int) -> float:
    """Return the best mean CPU seconds of comparing two lists, with the crossover set to ``few_cells``."""
    before, lists.FEW_CELLS = lists.FEW_CELLS, few_cells
    try:
        rng = random.Random(7)
        model = StructuredModel.from_json_schema(documents.ITEMS)
        pairs = [documents.with_items(rng, items) for _ in range(100)]
        models = [(model(**expected), model(**predicted)) for expected, predicted in pairs]
        best = float("inf")
        for _ in range(7):
            start = time.process_time()
            for expected, predicted in models:
                model.plan().compare(expected, predicted)
            best = min(best, (time.process_time() - start) / len(models))
        return best
    finally:
        lists.FEW_CELLS = before


def main() -> None:
    """Print both ways for small lists."""
    print("items  cells  pair by pair, µs  grid, µs")
    for items in SIZES:
        by_pairs, by_grid = seconds(items, 10_000), seconds(items, 0)
        print(f"{items:5}  {items * items:5}  {by_pairs * 1e6:16.0f}  {by_grid * 1e6:8.0f}")


if __name__ == "__main__":
    main()
