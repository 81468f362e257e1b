"""This version against an earlier one: the same numbers from the same documents, but for changes that are declared.

Run as ``python -m benchmarks.same_numbers REVISION`` in a checkout. Both versions evaluate the demo set and ten
generated ones, and compare, judge, calibrate and sweep the runs; everything that they write for machines is compared.
What may differ is listed in `DECLARED`, each with its reason; exit code 1 where anything else does.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.versions import ROOT, checkout

DOCUMENTS = 60
Json = Any
Pair = dict[str, Json]

DECLARED: tuple[tuple[str, str | None, str], ...] = (
    (
        r"\.(low|high|effective_n)$",
        None,
        "intervals allow for half a document more (ADR 24), of differences too (ADR 47)",
    ),
    (
        r"^\$\.(total|fields\..*|worse_fields\[\d+\]|.*\.difference|headlines\..*)\.(se|p|p_holm|p_worse|q|detectable|finding)$",
        None,
        "one formula of paired differences leaves documents out (ADR 47)",
    ),
    (r"^\$\.(verdict|remarks|clearly_worse|worse_fields|lost_documents|policy\.lost_documents)\b", None, "the same"),
    (r"^\$\.checks\[\d+\]\.(p_worse|needed|decision|reason|at_margin)$|^\$\.(reason|decision)$", None, "the same"),
    (r"\.notes\[\d+\]$", None, "notes have other words"),
    (r"^\$\.limits\.", None, "cells are the one limit (ADR 42)"),
    (r"spec_fingerprint$", None, "it holds the words for no value (ADR 45) and the limit of cells"),
    (
        r"weighted_score\.value$|\.score_histogram\[\d+\]$|^\$\[\d+\]\.score$",
        None,
        "values under keys that nobody declares count in scores",
    ),
    (
        r"^\$\.(pooled|fields\..*)\.(ece_by_chance|ece_p|ece_beyond_chance|guarantee)$|\.acceptance\b|\.undefined\b",
        None,
        "accept thresholds and ECE by documents (ADR 48)",
    ),
)
"""What may differ: a pattern of paths in the JSON, what it is called now (None: not compared), and why."""

SIMILAR = {"x-aws-stickler-comparator": "LevenshteinComparator", "x-aws-stickler-comparator-config": {}}
"""How text is compared in both versions: what is done without settings has changed (ADR 39, 41)."""


def noisy(rng: random.Random, value: Json) -> Json:
    """Return a value, wrong with a chance of one in six; truths as text are read by later versions only."""
    if value is None or rng.random() > 1 / 6:
        return value
    if isinstance(value, bool):
        return rng.choice([not value, "perhaps", None])
    if isinstance(value, str):
        return rng.choice(["", value[:-1], value + "q", "other", None])
    return rng.choice([value + 1, -value, None, str(value)])


def flat(rng: random.Random) -> dict[str, Json]:
    """Return a document of single values."""
    return {
        "number": f"INV-{rng.randrange(10_000):05d}",
        "name": rng.choice(["Alpha Trading", "Beta Logistics Ltd", "Gamma & Sons"]),
        "total": round(rng.uniform(1, 5000), 2),
        "date": f"2024-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}",
        "paid": rng.random() < 0.5,
    }


def rows(rng: random.Random, size: int = 4) -> list[Json]:
    """Return rows of a list."""
    return [
        {"sku": f"S{rng.randrange(40)}", "n": rng.randrange(9), "price": rng.randrange(1, 900) / 4}
        for _ in range(rng.randrange(size + 1))
    ]


def spoiled(rng: random.Random, value: Json) -> Json:
    """Return a prediction: values wrong here and there, keys lost, rows lost, invented and moved."""
    if isinstance(value, dict):
        return {key: spoiled(rng, item) for key, item in value.items() if rng.random() > 0.03}
    if isinstance(value, list):
        kept = [spoiled(rng, item) for item in value if rng.random() > 0.1]
        if value and rng.random() < 0.15:
            kept.append(spoiled(rng, rng.choice(value)))
        rng.shuffle(kept)
        return kept
    return noisy(rng, value)


def pairs_of(make: Callable[[random.Random], Json], rng: random.Random) -> Iterator[Pair]:
    """Yield pairs of what a function makes."""
    for number in range(DOCUMENTS):
        expected = make(rng)
        yield {"id": f"d{number:04d}", "expected": expected, "predicted": spoiled(rng, expected)}


def with_alternates(rng: random.Random) -> Iterator[Pair]:
    """Yield pairs with other acceptable values."""
    for pair in pairs_of(flat, rng):
        yield {**pair, "alternates": {"total": [pair["expected"]["total"] + 1], "name": ["Alpha", "other"]}}


def with_rich_values(rng: random.Random) -> Iterator[Pair]:
    """Yield pairs whose predictions state confidences."""
    for pair in pairs_of(flat, rng):
        rich = {key: {"value": item, "confidence": round(rng.random(), 3)} for key, item in pair["predicted"].items()}
        yield {**pair, "predicted": rich}


def with_failures(rng: random.Random) -> Iterator[Pair]:
    """Yield pairs some of which lack a side."""
    for number, pair in enumerate(pairs_of(lambda rng: {**flat(rng), "rows": rows(rng)}, rng)):
        side = {3: "predicted", 5: "expected"}.get(number % 9)
        yield {key: value for key, value in pair.items() if key != side}


def with_trials(rng: random.Random) -> Iterator[Pair]:
    """Yield three predictions of each document."""
    for pair in pairs_of(lambda rng: {**flat(rng), "rows": rows(rng)}, rng):
        yield pair
        for _ in range(2):
            yield {**pair, "predicted": spoiled(rng, pair["expected"])}


def with_undeclared_keys(rng: random.Random) -> Iterator[Pair]:
    """Yield pairs with keys that no schema declares, on one side or on both."""
    for pair in pairs_of(lambda rng: {**flat(rng), "rows": rows(rng)}, rng):
        pair["predicted"]["later"] = {"a": 1, "b": [1, 2]}
        for row in pair["predicted"].get("rows") or []:
            row["remark"] = "x"
        yield pair


SETS: Mapping[str, Callable[[random.Random], Iterator[Pair]]] = {
    "flat": lambda rng: pairs_of(flat, rng),
    "lists": lambda rng: pairs_of(lambda r: {**flat(r), "rows": rows(r), "tags": r.sample("abcdefgh", 3)}, rng),
    "lists in lists": lambda rng: pairs_of(
        lambda r: {"number": f"N{r.randrange(99)}", "pages": [{"page": k, "rows": rows(r, 3)} for k in range(2)]}, rng
    ),
    "alternates": with_alternates,
    "rich values": with_rich_values,
    "failures": with_failures,
    "odd names": lambda rng: pairs_of(
        lambda r: {"a.b": flat(r)["number"], "x[0]": r.random(), "": "empty", "\\": "s", "rows": [{"c.d": 1}]}, rng
    ),
    "unicode": lambda rng: pairs_of(
        lambda r: {"имя": r.choice(["Żółć", "株式会社", "Ünal"]), "総額": r.randrange(9999), "é": "e\u0301"}, rng
    ),
    "trials": with_trials,
    "undeclared keys": with_undeclared_keys,
}


FIELDS = {"demo": "vendor.name", "odd names": r"a\.b", "unicode": "имя"}
"""The field whose threshold is swept, where it is not *number*."""


def write_sets(folder: Path) -> None:
    """Write the ten sets, each with the predictions of a base and of a candidate, and the demo set."""
    for name, make in SETS.items():
        base = list(make(random.Random(name)))
        rng = random.Random(f"{name}, candidate")
        candidate = [
            {**pair, "predicted": spoiled(rng, pair["predicted"])} if "predicted" in pair else pair for pair in base
        ]
        (folder / name).mkdir()
        for side, pairs in (("base", base), ("candidate", candidate)):
            text = "".join(json.dumps(pair) + "\n" for pair in pairs)
            (folder / name / f"{side}.jsonl").write_text(text, encoding="utf-8")
    for number, side in enumerate(("base", "candidate")):
        generate = [sys.executable, "examples/generate_invoices.py", str(folder / "demo" / side), "--documents", "120"]
        subprocess.run([*generate, "--seed", str(7 + number)], cwd=ROOT, check=True, capture_output=True)


def files_of(folder: Path, name: str, side: str) -> list[Path]:
    """Return the documents of one side of a set."""
    given = folder / name / side
    return [given / "expected", given / "predicted"] if name == "demo" else [given.with_suffix(".jsonl")]


def write_specs(source: Path, folder: Path, out: Path) -> None:
    """Write down how a version compares each set without settings; text is to be compared by similarity."""
    for name in (*SETS, "demo"):
        _command(source, "evaluate", *files_of(folder, name, "base"), "--out", out / name)
        spec = json.loads((out / name / "spec.json").read_bytes(), object_hook=_with_similar_text)
        (folder / name / "spec.json").write_text(json.dumps(spec), encoding="utf-8")


def _with_similar_text(node: dict[str, Json]) -> dict[str, Json]:
    return {**node, **SIMILAR} if node.get("x-aws-stickler-comparator") == "TextComparator" else node


def outputs(source: Path, folder: Path, out: Path) -> dict[str, Json]:
    """Return everything that one version says of the sets, by what it is of."""
    said: dict[str, Json] = {}
    for name in (*SETS, "demo"):
        results = [out / name / side for side in ("base", "candidate")]
        for side, result in zip(("base", "candidate"), results, strict=True):
            files = files_of(folder, name, side)
            _command(
                source, "evaluate", *files, "--schema", folder / name / "spec.json", "--out", result, "--overwrite"
            )
            said[f"{name}: {side} metrics.json"] = json.loads((result / "metrics.json").read_bytes())
            said[f"{name}: {side} verdicts"] = _json(_command(source, "show", result, "--json"))
            documents = result / "documents"  # one file in earlier versions
            said[f"{name}: {side} documents"] = _rows(documents if documents.is_dir() else result / "documents.parquet")
        if name != "demo":
            for command, runs in (("diff", results), ("gate", ["--baseline", *results])):
                said[f"{name}: {command}"] = _json(_command(source, command, *runs, "--json"))
        said[f"{name}: sweep"] = _json(_command(source, "sweep", results[0], FIELDS.get(name, "number"), "--json"))
        said[f"{name}: calibrate"] = _json(_command(source, "calibrate", results[0], "--json"))
    return said


def _rows(path: Path) -> list[Json]:
    parts = sorted(path.iterdir()) if path.is_dir() else [path]
    return [row for part in parts for row in pq.ParquetFile(part).read().to_pylist()]


def _command(source: Path, *arguments: object) -> str:
    environment = {**os.environ, "PYTHONPATH": str(source), "COLUMNS": "200"}
    command = [sys.executable, "-m", "fieldwise", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stdout


def _json(text: str) -> Json:
    return json.loads(text) if text.startswith("{") else text


def leaves(value: Json, path: str = "$") -> Iterator[tuple[str, Json]]:
    """Yield the single values of some JSON with their paths."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{number}]")
    else:
        yield path, value


def compared(value: Json) -> dict[str, Json]:
    """Return the single values that are compared, by what their paths are called now."""
    found = {}
    for path, inner in leaves(value):
        for pattern, now, _ in DECLARED:
            if re.search(pattern, path):
                path = "" if now is None else re.sub(pattern, now, path)
        if path:
            found[path] = inner
    return found


OF_SETS: tuple[tuple[str, str], ...] = ()
"""What may differ in one set only: a pattern of the line that would say so, and the reason."""


def differences(before: Mapping[str, Json], after: Mapping[str, Json]) -> list[str]:
    """Return what differs though nothing declares it."""
    found = []
    for name in before:
        old, new = compared(before[name]), compared(after[name])
        found += [
            f"{name} {path}: {old.get(path, 'nothing')!r} before, {new.get(path, 'nothing')!r} now"
            for path in sorted({*old, *new})
            if old.get(path, ...) != new.get(path, ...)
        ]
    return [line for line in found if not any(re.search(pattern, line) for pattern, _ in OF_SETS)]


def main() -> int:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("revision")
    parser.add_argument("--lines", type=int, default=40, help="how many differences are printed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        earlier = checkout(options.revision, folder / "earlier")
        write_sets(folder)
        write_specs(earlier, folder, folder / "specs")
        said = [outputs(source, folder, folder / "out") for source in (earlier, ROOT / "src")]
    found = differences(*said)
    for line in found[: options.lines]:
        print(line)
    numbers = sum(len(compared(value)) for value in said[0].values())
    print(f"{len(said[0])} outputs of {len(SETS) + 1} sets, {numbers:,} values compared, {len(found):,} differ")
    for pattern, now, reason in DECLARED:
        print(f"declared: {pattern} → {now or 'not compared'}: {reason}")
    for pattern, reason in OF_SETS:
        print(f"declared: {pattern} → not compared: {reason}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
