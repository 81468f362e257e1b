"""On sets in the manner of public ones, what is right without settings is what a careful reader calls right."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import zip_longest
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from fieldwise import evaluate_pairs
from fieldwise.cli import cli
from fieldwise.values import Json
from tests.evaluation.public_shapes import SETS, Fields

POINT = 0.01


def judged(fields: Fields) -> list[list[tuple[str, Json, Json, bool]]]:
    """The values of each document: field, expected, predicted, whether a reader calls it right."""
    columns = [
        [(name, expected, given, True) for expected, alike, _ in cases for given in (expected, *alike)]
        + [(name, expected, given, False) for expected, _, others in cases for given in others]
        for name, cases in fields.items()
    ]
    return [[value for value in row if value is not None] for row in zip_longest(*columns)]


def right_values(folder: Path, documents: list[list[tuple[str, Json, Json, bool]]]) -> set[tuple[int, str]]:
    """The document and field of each match that `show` lists after a run without settings."""
    for side, at in (("expected", 1), ("predicted", 2)):
        lines = [{"id": f"{n}", **{value[0]: value[at] for value in row}} for n, row in enumerate(documents)]
        text = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        (folder / f"{side}.jsonl").write_text(text, "utf-8")
    sides = [str(folder / f"{side}.jsonl") for side in ("expected", "predicted")]
    run = CliRunner().invoke(cli, ["evaluate", *sides, "--out", str(folder / "results"), "--quiet"])
    assert run.exit_code == 0, run.output
    shown = CliRunner().invoke(cli, ["show", str(folder / "results"), "--json", "--limit", "0"])
    rows = json.loads(shown.stdout)
    return {(int(row["document"]), row["path"]) for row in rows if row["outcome"] == "match"}


@pytest.mark.parametrize("name", SETS)
def test_a_set_is_judged_as_by_a_careful_reader(name: str, tmp_path: Path) -> None:
    """Of a hundred values at most one counts otherwise than a careful reader of both sides counts it."""
    documents = judged(SETS[name])
    found = right_values(tmp_path, documents)
    values = [(at, *value) for at, row in enumerate(documents) for value in row]
    off = [value for value in values if ((value[0], value[1]) in found) != value[4]]
    assert len(off) <= POINT * len(values), off


def packets() -> Iterator[tuple[dict[str, Json], dict[str, Json], int]]:
    """Twelve packets of 208 rows: expected, predicted in another order and writing, how many values are right."""
    random = Random(7)
    for packet in range(12):
        days = [date(2024, 1, 1) + timedelta(days=random.randrange(360)) for _ in range(208)]
        rows = [(f"K-{packet:02}{at:04}", day, random.randrange(1_000, 90_000)) for at, day in enumerate(days)]
        expected = [
            {"ref": ref, "booked": f"{day:%d.%m.%Y}", "amount": f"{n:,}.-".replace(",", "'")} for ref, day, n in rows
        ]
        wrong = [at % 10 == 9 for at in range(208)]
        predicted = [
            {"ref": ref.lower(), "booked": f"{day:%Y-%m-%d}", "amount": f"CHF {n + 10 * is_wrong:,}.00"}
            for (ref, day, n), is_wrong in zip(rows, wrong, strict=True)
        ]
        random.shuffle(predicted)
        yield {"rows": expected}, {"rows": predicted}, 3 * 208 - sum(wrong)


def test_packets_of_rows_are_judged_as_by_a_careful_reader() -> None:
    """Of 2,496 rows in another order, each value written otherwise, exactly the wrong ones are wrong."""
    expected, predicted, right = zip(*packets(), strict=True)
    counts = evaluate_pairs(list(expected), predicted=list(predicted)).metrics.aggregate
    assert (counts.tp, counts.fd, counts.fa, counts.fn) == (sum(right), 12 * 3 * 208 - sum(right), 0, 0)
