"""What ``calibrate``, ``sweep`` and ``classify`` write is their result: it fits its schema and comes back equal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
from click.testing import CliRunner
from tools.schemas import FOLDER

from fieldwise import Spec, evaluate_pairs, open_run
from fieldwise.classify import ClassReport
from fieldwise.cli.calibrate import calibrate
from fieldwise.cli.classify import classify
from fieldwise.cli.ending import GOOD, SOME_FAILED
from fieldwise.cli.sweep import sweep
from fieldwise.errors import InputError
from fieldwise.results import Calibration, Classification, ClassScores, Sweep

LABELS: list[tuple[Any, Any]] = [
    ("a", "a"),
    ("a", 1),
    (True, True),
    ([1, {"x": None}], "a"),
    (None, "\x9b"),
    (float("inf"), 10**400),
    (1.5, 1.5),
]

TEXT = {"type": "string", "x-aws-stickler-comparator": "LevenshteinComparator", "x-aws-stickler-threshold": 0.7}
SPEC = Spec.from_json_schema({"type": "object", "properties": {"name": TEXT, "total": {"type": "integer"}}})


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an evaluation with confidences, scores between 0 and 1 and an odd id."""
    pairs: list[tuple[str, Any, Any]] = []
    for number in range(40):
        name = {"_value": "abcdefghij"[: number % 11] + "xyz"[: number % 3], "_confidence": number / 40}
        total = {"_value": number % 7, "_confidence": 0.9} if number % 5 else None
        pairs.append((f"d\x9b{number}", {"name": "abcdefghij", "total": number % 6}, {"name": name, "total": total}))
    folder = tmp_path_factory.mktemp("run") / "results"
    evaluate_pairs(pairs, SPEC, out=folder)
    return folder


def checked(command: click.Command, *arguments: str) -> str:
    """Return what a command prints, which fits its committed schema."""
    done = CliRunner().invoke(command, [*arguments, "--json"])
    assert done.exit_code in (GOOD, SOME_FAILED), done.output
    name = {"calibrate": "calibration", "sweep": "sweep", "classify": "classes"}[str(command.name)]
    schema = json.loads((FOLDER / f"{name}.schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(done.stdout), schema)
    return done.stdout


def test_a_calibration_is_what_its_command_prints(results: Path, tmp_path: Path) -> None:
    """JSON, the file and ``run.calibrate()`` are one result."""
    calibration = open_run(results).calibrate()
    assert Calibration.from_json(calibration.to_json()) == calibration
    assert Calibration.from_json(checked(calibrate, str(results), "--out", str(tmp_path))) == calibration
    assert Calibration.from_json((tmp_path / "calibration.json").read_bytes()) == calibration
    assert calibration.pooled.auroc is not None
    assert list(calibration.fields) == [field.name for field in calibration.fields.values()]


def test_a_sweep_is_what_its_command_prints(results: Path, tmp_path: Path) -> None:
    """JSON, the file and ``run.sweep(field)`` are one result."""
    swept = open_run(results).sweep("name")
    assert Sweep.from_json(swept.to_json()) == swept
    assert Sweep.from_json(checked(sweep, str(results), "name", "--out", str(tmp_path))) == swept
    assert Sweep.from_json((tmp_path / "sweep.json").read_bytes()) == swept
    assert (swept.current, swept.at(0.7).threshold) == (0.7, 0.7)
    assert swept.at(swept.best).strict_f1 == max(point.strict_f1 or 0.0 for point in swept.points)
    with pytest.raises(KeyError):
        swept.at(0.123)


@pytest.mark.parametrize("clusters", [None, list("xxyyzzz")])
def test_class_scores_come_back_as_they_were(clusters: list[str] | None) -> None:
    """Whatever the labels are, alone or in clusters."""
    report = ClassReport()
    report.update_labels(*zip(*LABELS, strict=True), clusters=clusters)
    scores = report.compute()
    assert ClassScores.from_json(scores.to_json()) == scores
    assert scores.to_dict() == report.to_dict()
    assert scores.accuracy.unit == ("clusters" if clusters else "values")


def test_classes_are_what_their_command_prints(tmp_path: Path) -> None:
    """Metrics, what they rest on and the report; lines that are no row are listed."""
    rows = [{"correct": a == b, "golden": {"e": a}, "predicted": {"t": b}, "metadata": {}} for a, b in LABELS[:5]]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join([*map(json.dumps, rows), "no row"]), encoding="utf-8")
    found = Classification.from_json(checked(classify, str(path)))
    assert Classification.from_json(found.to_json()) == found
    assert found.report is not None
    assert (found.about.rows.total, found.report.rows.total, len(found.about.unusable)) == (5, 5, 1)
    assert set(found.metrics) == {"accuracy", "precision", "recall", "f1_score"}


def test_a_damaged_result_is_refused_with_its_place(results: Path) -> None:
    """A rate above 1 is none."""
    said = open_run(results).calibrate().to_dict()
    said["fields"]["name"]["bins"][0]["accuracy"]["value"] = 1.5
    with pytest.raises(
        InputError, match=r"Expected `float` <= 1.0, got 1.5 - at \$.fields.name.bins\[0\].accuracy.value"
    ):
        Calibration.from_json(json.dumps(said))
