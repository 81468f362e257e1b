"""Runs, and questions about their values, documents and sections, that the page and Python answer alike.

``python -m tests.runs.questions`` makes the runs, puts each into a page, has the page answer the questions, and writes
all of it into ``tests/recorded/questions.json.gz`` (needs Node, in ``web/``).
"""

from __future__ import annotations

import gzip
import itertools
import json
import os
import random
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from examples.generate_invoices import generate

from fieldwise import Spec, evaluate_pairs
from fieldwise.api import Evaluation
from fieldwise.readers.pairs import open_pairs
from fieldwise.results import Metrics
from tests.page_answers import page_of
from tests.sections import EXPECTED, PREDICTED, section, write_sections

Json = Any
Question = dict[str, Json]
Made = dict[str, Json]
"""What a run is made of: lines of pairs or both sides in sections, a schema, and options of the evaluation."""
RECORDED = Path(__file__).parents[1] / "recorded" / "questions.json.gz"
_WEB = Path(__file__).parents[2] / "web"
_ALL = 10_000
SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "x-aws-stickler-comparator": "LevenshteinComparator", "x-aws-stickler-weight": 3},
        "code": {"type": "string", "x-aws-stickler-comparator": "ExactComparator"},
        "rows": {
            "type": "array",
            "items": {
                "type": "object",
                "x-fieldwise-match-threshold": 0.5,
                "properties": {"sku": {"type": "string"}, "price": {"type": "number"}, "unit": {"type": "string"}},
            },
        },
    },
}


def _line(name: str, expected: Json, predicted: Json, **more: Json) -> dict[str, Json]:
    return {"id": name, "expected": expected, **({} if predicted is None else {"predicted": predicted}), **more}


def _flat() -> Made:
    """Documents of three fields; ids whose numbers have one, two and three digits, and letters of both cases."""
    rng, lines = random.Random(3), []
    for k in range(120):
        expected = {"name": f"Lumen {k}", "code": f"C{k % 7}", "total": k + 0.5}
        predicted: dict[str, Json] = dict(expected)
        for field, wrong in (("name", f"Lumem {k}"), ("code", "C9"), ("total", str(k + 0.5)), ("total", k + 0.6)):
            predicted[field] = wrong if rng.random() < 0.2 else predicted[field]
        if rng.random() < 0.1:
            del predicted["code"]
        lines.append(_line(f"{'dE'[k % 2]}{k * 3}", expected, None if k % 40 == 9 else predicted))
    rng.shuffle(lines)
    return {"lines": lines}


def _lists() -> Made:
    """Invoices with rows in another order, accepted matches, documents that cannot be read or have no truth."""
    lines = [_line(made.id, made.expected, made.predicted) for made in generate(14, 5)]
    lines[4]["predicted"] = "no document"
    del lines[7]["predicted"], lines[9]["expected"]
    return {"lines": lines, "options": {"page_rows": _ALL}}


def _rejected() -> Made:
    """A schema with weights and a list whose rows are rejected, lost and invented; keys that nobody declares."""
    rng, lines = random.Random(8), []
    for k in range(40):
        rows = [{"sku": f"S{k}{n}", "price": n + 0.5, "unit": "kg"} for n in range(rng.randint(0, 4))]
        predicted: dict[str, Json] = {"name": f"name {k}"[: rng.randint(4, 7)], "code": "Q", "rows": rows[::-1]}
        if rng.random() < 0.4:
            predicted["rows"] = [{**row, "price": 9, "unit": "m"} for row in predicted["rows"]]
        if rng.random() < 0.3:
            predicted["rows"] = predicted["rows"][1:]
        if rng.random() < 0.3:
            predicted["rows"] = [*predicted["rows"], {"sku": "ghost", "price": 1}]
        if rng.random() < 0.2:
            predicted["Note"] = "who said so?"
        lines.append(_line(f"doc {k}", {"name": f"name {k}", "code": "Q" if k % 3 else "R", "rows": rows}, predicted))
    return {"lines": lines, "schema": SCHEMA}


def _trials() -> Made:
    """Three predictions of each document, some of them missing."""
    rng, lines = random.Random(1), []
    for _, k in itertools.product(range(3), range(12)):
        expected = {"name": f"trial of {k}", "rows": [{"sku": f"{k}-{n}", "n": n} for n in range(k % 3)]}
        predicted: dict[str, Json] = json.loads(json.dumps(expected))
        if rng.random() < 0.5:
            predicted["name"] = f"tril of {k}"
        if rng.random() < 0.3:
            predicted["rows"] = predicted["rows"][1:]
        lines.append(_line(f"t{k}", expected, None if rng.random() < 0.1 else predicted))
    return {"lines": lines}


def _slices() -> Made:
    """Documents with metadata, whose ids, keys and values have marks of paths, other letters and nothing in them."""
    rng, lines = random.Random(6), []
    for k in range(60):
        vendor = rng.choice(["Acme", "acme & sons", "Öl GmbH", "a=b", None])
        metadata = {"vendor": vendor, "month": rng.choice(["1", "2", "10"])}
        expected = {"a.b": k, "a": {"b": f"x{k}"}, "": "no name", "list [old]": ["p", "q"], "naïve": f"é{k}"}
        predicted: dict[str, Json] = json.loads(json.dumps(expected))
        if rng.random() < 0.3:
            predicted["a.b"] = -1
        if rng.random() < 0.3:
            predicted["a"] = {"b": f"X{k}"}
        if rng.random() < 0.3:
            predicted["list [old]"] = ["q", "z", "p"]
        if rng.random() < 0.2:
            predicted[""] = None
        if rng.random() < 0.2:
            predicted["naïve"] = f"e{k}"
        if rng.random() < 0.2:
            predicted["constructor"] = "invented"
        lines.append(_line(f"ä/{k}", expected, predicted, metadata=metadata))
    return {"lines": lines, "options": {"slices": ["vendor", "month"]}}


def _mixed() -> Made:
    """Values of another shape than their field: an object or a list in place of a text, and the other way round."""
    shapes: Sequence[Json] = ("text", {"inner": "value", "other": 2}, [{"inner": "a"}, {"inner": "b"}], ["x", "y"], 7)
    pairs = itertools.product(shapes, shapes)
    lines = [_line(f"m{k}", {"it": one, "same": k}, {"it": other, "same": k}) for k, (one, other) in enumerate(pairs)]
    return {"lines": lines}


def _sections() -> Made:
    """Documents in sections of three classes: some of the wrong class, lost, or invented; letter case aside."""
    expected: dict[str, Json] = dict(EXPECTED)
    predicted: dict[str, Json] = dict(PREDICTED)
    for k in range(14):
        name = f"packet-{k}.pdf"
        expected[name] = {
            "2": section("Invoice", {"number": f"N{k}", "total": k}, [0]),
            "10": section("Receipt", {"shop": f"Shop {k}", "total": 5.5}, [1, 2]),
        }
        predicted[name] = {
            "2": section("invoice" if k % 5 == 3 else "Invoice", {"number": f"N{k % 4}", "total": k}, [0]),
            "10": section("Memo" if k % 4 == 2 else "Receipt", {"shop": f"Shop{k}", "total": 5.5}, [1, 2]),
        }
        if k % 6 == 1:
            del predicted[name]["10"]
    return {"expected": expected, "predicted": predicted}


def _few() -> Made:
    """The same lists, of which the page holds fewer errors than there are."""
    return {**_lists(), "options": {"page_rows": 30}}


def _sums() -> Made:
    """Slices again, without compared values."""
    return {**_slices(), "options": {"slices": ["vendor", "month"], "values": False}}


_MAKERS = (_flat, _lists, _rejected, _trials, _slices, _mixed, _sections, _few, _sums)
RUNS: Mapping[str, Callable[[], Made]] = {make.__name__.removeprefix("_"): make for make in _MAKERS}


def evaluated(made: Made, folder: Path) -> Evaluation:
    """Evaluate what a run is made of; ``folder`` then has its results in ``results``."""
    spec = Spec.from_json_schema(made["schema"]) if "schema" in made else None
    options = {"out": folder / "results", **made.get("options", {})}
    if "lines" not in made:
        sides = [write_sections(folder / side, made[side]) for side in ("expected", "predicted")]
        return evaluate_pairs(open_pairs(*map(str, sides)), spec, **options)
    folder.mkdir(parents=True, exist_ok=True)
    pairs = folder / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(line) + "\n" for line in made["lines"]), encoding="utf-8")
    return evaluate_pairs(open_pairs(str(pairs)), spec, **options)


def questions(page: Json, metrics: Metrics, seed: int) -> Iterator[Question]:
    """Yield questions about a run: each filter alone and in each order, and some that are narrowed by several."""
    run, rng = page["run"], random.Random(seed)
    values = [*run.get("errors", ()), *run.get("accepted", ()), *run.get("values", ())]
    ids = list(dict.fromkeys(row["document"] for row in run.get("documents", ())))
    groups: list[Question] = [{"classes": [name]} for name in metrics.classes or {}]
    for key, held in (metrics.slices or {}).items():
        groups += [{"slices": [{"key": key, "value": value}]} for value in held.values]
        groups += [{"slices": [{"key": key, "value": None}]}] if held.missing is not None else []
    seen = [str(row.get("expected") or row.get("path"))[:4] for row in rng.sample(values, min(len(values), 3))]
    outcomes = (["mismatch"], ["missed"], ["spurious"], ["mismatch", "spurious"])
    filters: dict[str, list[Question]] = {
        "field": [{"fields": [name]} for name in rng.sample(list(metrics.fields), min(len(metrics.fields), 7))],
        "outcome": [{"outcomes": names} for names in outcomes],
        "kind": [{"kinds": [name]} for name in sorted({row["kind"] for row in values if row.get("kind")})],
        "document": [{"documents": [name]} for name in rng.sample(ids, min(len(ids), 4))],
        "trial": [{"documents": [rng.choice(ids)], "trial": trial} for trial in (1, 2)],
        "section": [{"sections": [name]} for name in sorted({row["section"] for row in values if "section" in row})],
        "group": groups,
        "find": [{"find": text} for text in ("a", "É", "1", *seen)],
    }
    accepted = [{"kinds": ["similar"]}, {"kinds": ["written_differently"]}]
    orders: list[Question] = [{}, {"order": "worst"}, {"order": "path"}, {"order": "document"}]
    for kind in ("wrong", "accepted"):
        has = {**filters, "outcome": [], "kind": accepted} if kind == "accepted" else filters
        asked = [{}, *itertools.chain.from_iterable(has.values())]
        narrowed = [names for names in has.values() if names]
        for _ in range(10):
            several = rng.sample(narrowed, min(len(narrowed), rng.choice([2, 2, 3])))
            asked.append(dict(itertools.chain.from_iterable(rng.choice(names).items() for names in several)))
        for number, narrow in enumerate(asked):
            order = orders[number % len(orders)] if number else {}
            yield {"ask": "values", "set": kind, **narrow, **order, "first": rng.choice([7, 50, _ALL, _ALL])}
        for order in orders[1:]:
            yield {"ask": "values", "set": kind, **order, "first": 20}
    for narrow in ({}, *filters["group"], {"find": "1"}, {"find": "PACKET-1"}, {"find": ids[0], **(groups or [{}])[0]}):
        for order in ({}, {"order": "best"}, {"order": "id"}):
            yield {"ask": "documents", **narrow, **order, "first": rng.choice([2, 10, _ALL])}
    for row in rng.sample(run.get("documents", []), min(len(ids), 5)):
        yield {"ask": "document", "document": row["document"], "trial": row.get("trial", 1)}
    if metrics.sections is not None and metrics.sections.confusion is not None:
        names = [*metrics.sections.confusion.labels[:-1], None]
        sides: list[Question] = [{"expected": one, "predicted": other} for one in names for other in names]
        for cell in ({}, *sides, *({"expected": name} for name in names), *({"predicted": name} for name in names)):
            yield {"ask": "sections", **cell, "first": rng.choice([2, _ALL])}


def main() -> None:
    """Record what the page answers."""
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for seed, (name, make) in enumerate(RUNS.items()):
            made = make()
            metrics = evaluated(made, Path(folder) / name).metrics
            page = json.loads(page_of(Path(folder) / name / "results").to_json())
            asked = [{"question": question} for question in questions(page, metrics, seed)]
            runs.append({"name": name, "made": made, "page": page, "asked": asked})
        RECORDED.write_bytes(_packed({"runs": runs}))
        command = ["npx", "vitest", "run", "tests/questions.test.ts"]
        answers = Path(folder) / "answers.json"
        subprocess.run(command, cwd=_WEB, env={**os.environ, "FIELDWISE_RECORD": str(answers)}, check=True)
        for run, answered in zip(runs, json.loads(answers.read_bytes()), strict=True):
            for each, answer in zip(run["asked"], answered, strict=True):
                each["answer"] = answer
    RECORDED.write_bytes(_packed({"runs": runs}))


def _packed(recorded: Json) -> bytes:
    return gzip.compress(json.dumps(recorded, separators=(",", ":")).encode("ascii"), 9, mtime=0)


if __name__ == "__main__":
    main()
