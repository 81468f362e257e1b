"""The order of list items never matters: generated pairs, compared as they are and with the items of every list moved.

Run as ``python -m tests.attacks.permutations --count 100000 --seed 1``. Counts of every view, scores and verdicts
must be the same up to the places of items. Ends with 1 where they differ, and prints the smallest such case.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import product
from typing import Any

from fieldwise import Comparison, Plan, Spec
from fieldwise.compare.rich_values import unwrap
from fieldwise.values import Json

WORDS = ("bolt", "bolts", "nut", "M4", "red", "", None, "a longer text with words", "a longer text with wordz")
NUMBERS = (1, 1.0, 2, 2.5, None)
LIMITS: tuple[dict[str, int], ...] = (
    {},
    {},
    {"max_cells": 4},
    {"max_cells": 20},
    {"max_cells": 1},
    {"max_cells": 300},
)
VIEWS = tuple(product(("objects", "leaves"), ("root", "leaves", "ignore")))
_INDEX = re.compile(r"\[\d+\]")
PART = 500


@dataclass
class Case:
    """A schema, two documents and what is acceptable besides, by path; ``rich``: values may stand in wrappings."""

    schema: Json
    expected: Json
    predicted: Json
    limits: dict[str, int]
    alternates: dict[str, list[Json]]

    def size(self) -> int:
        """Return how much there is to read of it."""
        return len(json.dumps([self.schema, self.expected, self.predicted, self.alternates]))

    def __str__(self) -> str:
        parts = {"schema": self.schema, "expected": self.expected, "predicted": self.predicted}
        lines = [f"{name}: {json.dumps(value)}" for name, value in parts.items()]
        return "\n".join([*lines, f"limits: {self.limits}", f"alternates: {json.dumps(self.alternates)}"])


class Maker:
    """Makes cases with many equal values, and so with many ties."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def case(self) -> Case:
        """Make one."""
        rng = self.rng
        fields = {"rows": self.list_of(2), "tags": {"type": "array", "items": self.leaf()}, "total": self.leaf()}
        schema = {"type": "object", "properties": fields}
        expected = self.object(fields)
        predicted = self.noisy(schema, expected) if rng.random() < 0.6 else self.object(fields)
        if rng.random() < 0.3:
            predicted = self.rich(predicted)
        return Case(schema, expected, predicted, rng.choice(LIMITS), self.alternates(schema, expected))

    def leaf(self) -> dict[str, Json]:
        rng = self.rng
        if rng.random() < 0.3:
            return {"type": "number"}
        out: dict[str, Json] = {"type": "string"}
        if rng.random() < 0.6:
            out["x-fieldwise-comparator"] = rng.choice(["Levenshtein", "Exact", "Fuzzy", "Text", "Contains"])
            out["x-fieldwise-threshold"] = rng.choice([0.5, 0.8, 1.0])
        if rng.random() < 0.2:
            out["x-fieldwise-weight"] = rng.choice([0.1, 2.0])
        return out

    def list_of(self, depth: int) -> dict[str, Json]:
        rng = self.rng
        fields: dict[str, Json] = {name: self.leaf() for name in ("sku", "qty")[: rng.randint(1, 2)]}
        if depth and rng.random() < 0.5:
            inner = {"type": "array", "items": self.leaf()}
            fields["in"] = self.list_of(depth - 1) if rng.random() < 0.6 else inner
        if rng.random() < 0.15:
            fields["place"] = {"type": "object", "properties": {"city": self.leaf()}}
        out: dict[str, Json] = {"type": "array", "items": {"type": "object", "properties": fields}}
        if rng.random() < 0.2:
            out["x-fieldwise-key"] = "sku"
        if rng.random() < 0.3:
            out["items"]["x-fieldwise-match-threshold"] = rng.choice([0.0, 0.3, 0.5, 1.0])
        return out

    def value(self, schema: Json) -> Json:
        rng = self.rng
        if "properties" in schema:
            return self.object(schema["properties"]) if rng.random() < 0.95 else rng.choice([None, "stray"])
        if schema["type"] == "array":
            if rng.random() < 0.04:
                return rng.choice([None, "stray"])
            return [self.value(schema["items"]) for _ in range(rng.choice([0, 1, 2, 2, 3, 3, 4, 6]))]
        if rng.random() < 0.05:
            return rng.choice([True, "7", [1]])
        return rng.choice(WORDS if schema["type"] == "string" else NUMBERS)

    def object(self, fields: Mapping[str, Json]) -> dict[str, Json]:
        rng = self.rng
        out = {name: self.value(sub) for name, sub in fields.items() if rng.random() < 0.9}
        if rng.random() < 0.15:
            out[rng.choice(["extra", "more"])] = rng.choice(["x", 1, {"a": "b"}, None])
        return out

    def noisy(self, schema: Json, value: Json) -> Json:
        """Return a value with a part of it changed."""
        rng = self.rng
        if rng.random() < 0.12:
            return self.value(schema)
        if isinstance(value, dict) and "properties" in schema:
            known = schema["properties"]
            return {name: self.noisy(known[name], v) if name in known else v for name, v in value.items()}
        if isinstance(value, list) and "items" in schema:
            out = [self.noisy(schema["items"], v) for v in value if rng.random() < 0.9]
            if out and rng.random() < 0.3:
                out.append(rng.choice(out))
            rng.shuffle(out)
            return out
        return value

    def rich(self, value: Json) -> Json:
        """Return a value with confidences beside some values in it."""
        rng = self.rng
        if isinstance(value, dict):
            return {name: self.rich(v) for name, v in value.items()}
        if isinstance(value, list):
            return [self.rich(v) for v in value]
        return {"_value": value, "_confidence": rng.choice([0.2, 0.9])} if rng.random() < 0.5 else value

    def alternates(self, schema: Json, expected: Json) -> dict[str, list[Json]]:
        rng = self.rng
        rows = expected.get("rows")
        if rng.random() < 0.7 or not isinstance(rows, list):
            return {}
        places = [f"rows[{i}].sku" for i, row in enumerate(rows) if isinstance(row, dict) and "sku" in row]
        return {place: [rng.choice(WORDS[:5])] for place in places if rng.random() < 0.5}

    def permuted(self, case: Case) -> Case:
        """Return a case with the items of every list moved, and the alternates with them."""
        alternates: dict[str, list[Json]] = {}
        expected = self._moved(case.expected, case.alternates, alternates, "", "")
        predicted = self._moved(case.predicted, {}, {}, "", "")
        return Case(case.schema, expected, predicted, case.limits, alternates)

    def _moved(self, value: Json, old: Mapping[str, list[Json]], new: dict[str, list[Json]], at: str, to: str) -> Json:
        if at in old:
            new[to] = old[at]
        if isinstance(value, dict):
            dot = "." if at else ""
            return {k: self._moved(v, old, new, f"{at}{dot}{k}", f"{to}{dot}{k}") for k, v in value.items()}
        if isinstance(value, list):
            places = self.rng.sample(range(len(value)), len(value))
            return [self._moved(value[i], old, new, f"{at}[{i}]", f"{to}[{k}]") for k, i in enumerate(places)]
        return value


def compared(case: Case) -> tuple[Comparison, dict[str, Json]]:
    """Return the comparison of a case, and the confidences of its predicted values."""
    plan = Plan.compile(Spec.from_json_schema(case.schema), **case.limits)  # type: ignore[arg-type]  # only whole numbers
    left, right = (unwrap(side, plan.root, escaped=True) for side in (case.expected, case.predicted))
    as_came = {**left.as_came, **right.as_came}
    alternates = case.alternates or None
    return plan.compare(left.document, right.document, alternates=alternates, as_came=as_came), right.confidences


def nodes(node: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every node of a matrix with its path."""
    yield path, node
    for name, child in node["fields"].items():
        yield from nodes(child, f"{path}.{name}")


def told(case: Case) -> dict[str, Any]:
    """Return everything that must not change: counts of all views, scores, verdicts without places, notes."""
    comparison, confidences = compared(case)
    found: dict[str, Any] = {"counts": comparison.counts(), "outside": comparison.outside}
    scores = comparison.score, comparison.raw_score, comparison.weighted_score or 0.0
    found["scores"] = [round(score, 9) + 0.0 for score in scores]
    for unmatched, extras in VIEWS:
        matrix = comparison.to_dict(include_confusion_matrix=True, unmatched=unmatched, extras=extras)[  # type: ignore[arg-type]  # both are of the names
            "confusion_matrix"
        ]
        found[f"{unmatched} {extras}"] = {
            (path, which): tuple(node[which][key] for key in ("tp", "fd", "fa", "fn", "tn", "fp"))
            for path, node in nodes(matrix)
            for which in ("overall", "aggregate")
        }
    found["verdicts"] = Counter(
        (
            verdict.field,
            _INDEX.sub("[]", verdict.path),
            _INDEX.sub("[]", verdict.predicted_path),
            f"{_in_order(verdict.expected)} {_in_order(verdict.predicted)}",
            verdict.outcome.value,
            round(verdict.score, 9),
            round(verdict.pair_score or 0.0, 9),
            verdict.pair_accepted,
            verdict.reason,
            str(confidences.get(verdict.to_json()["predicted_path"])),
        )
        for verdict in comparison.verdicts
    )
    found["notes"] = Counter(note.to_json() for note in comparison.notes)
    return found


def _in_order(value: Json) -> str:
    """Return a value as text, the items of all lists in it in order: a list may stand in a verdict as a whole."""
    if isinstance(value, dict):
        return str({name: _in_order(value[name]) for name in sorted(value)})
    return str(sorted(map(_in_order, value))) if isinstance(value, list) else json.dumps(value)


def difference(case: Case, other: Case) -> str | None:
    """Say in what two cases differ that must not; None where they don't."""
    here, there = told(case), told(other)
    for name in here:
        if here[name] != there[name]:
            return f"{name}: {_shown(here[name], there[name])}"
    return None


def _shown(here: Any, there: Any) -> str:
    if isinstance(here, Counter):
        return f"only here {dict(here - there)}, only there {dict(there - here)}"
    if isinstance(here, dict):
        return str({key: (here.get(key), there.get(key)) for key in here | there if here.get(key) != there.get(key)})
    return f"{here} and {there}"


Failing = tuple[int, str]


def part(seed: int, count: int) -> tuple[int, Failing | None]:
    """Try a number of cases; return how many, and the smallest that fails with its size."""
    maker = Maker(seed)
    worst: Failing | None = None
    for _ in range(count):
        case = maker.case()
        other = maker.permuted(case)
        found = difference(case, other)
        if found is not None and (worst is None or case.size() < worst[0]):
            worst = case.size(), f"{case}\n-- moved\n{other}\n-- {found}"
    return count, worst


def run(count: int, seed: int, workers: int) -> Failing | None:
    """Try all cases in some processes, and say how far it is."""
    start, done = time.monotonic(), 0
    worst: Failing | None = None
    sizes = [min(PART, count - at) for at in range(0, count, PART)]
    with ProcessPoolExecutor(workers) as pool:
        parts = [pool.submit(part, seed * 1_000_003 + number, size) for number, size in enumerate(sizes)]
        for future in as_completed(parts):
            tried, failing = future.result()
            done += tried
            if failing is not None and (worst is None or failing[0] < worst[0]):
                worst = failing
            left = (time.monotonic() - start) / done * (count - done)
            print(f"\r{done:,} of {count:,}, {left:,.0f} s left", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return worst


def main() -> None:
    """Run and end with 1 where the order of items mattered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    worst = run(options.count, options.seed, options.workers)
    if worst is not None:
        print(worst[1])
        sys.exit(1)
    print(f"{options.count:,} pairs with their items moved: no count, score or verdict changed (seed {options.seed})")


if __name__ == "__main__":
    main()
