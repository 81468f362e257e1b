"""Results are frozen, and JSON in and out; their schemas are the committed ones."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tools.schemas import FILES, FOLDER, texts

from fieldwise import evaluate_pairs, open_run
from fieldwise.bulk_aggregator import metrics_of
from fieldwise.cli import cli
from fieldwise.errors import InputError
from fieldwise.results import RATIOS, Counts, GateReport, Metrics, Rate, RunDifference

COUNTS = st.tuples(*[st.integers(0, 30)] * 5)


def evaluated() -> Metrics:
    """Return the metrics of a few documents: lists, an odd name, an undeclared key, a failure."""
    expected = {"total": 1.5, "tags": ["a", "b"], "rows": [{"sku": "x", "n": 1}], "odd.name": "\ud800"}
    pairs = [
        ("a", expected, expected),
        ("b", expected, {"total": 2, "tags": ["b"], "rows": [], "odd.name": "é", "later": 1}),
        ("c", expected, None),
    ]
    return evaluate_pairs(pairs).metrics


def test_metrics_come_back_as_they_were() -> None:
    """What ``to_json`` wrote is read back equal; unknown keys are no matter."""
    metrics = evaluated()
    assert Metrics.from_json(metrics.to_json()) == metrics
    assert Metrics.from_json(json.dumps({**metrics.to_dict(), "later": [1]})) == metrics


def written(folder: Path) -> dict[str, str]:
    """Return what the commands write about two runs: a field worse, a document lost, values flipped, a policy."""
    runs = []
    for name, wrong in (("base", 7), ("candidate", 2)):
        pairs = [(f"d{k:02d}", {"total": k, "rows": [{"n": k}]}, {"total": k if k % wrong else -1}) for k in range(40)]
        evaluate_pairs(pairs[: -1 if wrong == 2 else None], out=folder / name)
        runs.append(str(folder / name))
    policy = folder / "gate.yaml"
    policy.write_text("groups: {all: {fields: [total]}}\nbudgets: {missed: 1, broken_values: 1%}\n", encoding="utf-8")
    files = [str(Path(run) / "metrics.json") for run in runs]
    given = {
        "difference": ["diff", *runs],
        "unpaired_difference": ["diff", *files],
        "gate": ["gate", "--baseline", *runs, "--policy", str(policy)],
    }
    return {name: CliRunner().invoke(cli, [*call, "--json"]).stdout for name, call in given.items()}


def test_what_commands_print_is_the_result(tmp_path: Path) -> None:
    """It fits its schema, and read back and written again it is the same; the facade returns an equal one."""
    printed = written(tmp_path)
    for name, text in printed.items():
        jsonschema.validate(json.loads(text), json.loads((FOLDER / f"{name}.schema.json").read_bytes()))
        result = FILES[name].from_json(text)
        assert FILES[name].from_json(result.to_json()) == result
        assert json.loads(result.to_json()) == json.loads(text)
    base, candidate = open_run(tmp_path / "base"), open_run(tmp_path / "candidate")
    assert base.diff(candidate) == RunDifference.from_json(printed["difference"])
    assert base.gate(candidate, tmp_path / "gate.yaml") == GateReport.from_json(printed["gate"])


def test_the_committed_schemas_are_those_of_the_types() -> None:
    """``python -m tools.schemas`` writes them; nothing else is in the folder."""
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()} == {
        f"{name}.schema.json": text for name, text in texts().items()
    }


def test_what_is_written_fits_its_schema() -> None:
    """The schema takes what an evaluation writes, and refuses a rate above 1."""
    schema = json.loads((FOLDER / "metrics.schema.json").read_bytes())
    jsonschema.Draft202012Validator.check_schema(schema)
    value = json.loads(evaluated().to_json())
    jsonschema.validate(value, schema)
    value["fields"]["total"]["rates"]["f1"]["value"] = 1.5
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(value, schema)


@given(COUNTS)
def test_ratios_are_those_of_the_definition(five: tuple[int, int, int, int, int]) -> None:
    """Each ratio is the fraction that the docs state, undefined for 0/0; the seeds' number agrees."""
    tp, fd, fa, fn, tn = five
    counts = Counts.of(tp, fd, fa, fn, tn)
    fractions = {
        "precision": (tp, tp + fd + fa),
        "recall": (tp, tp + fn),
        "strict_recall": (tp, tp + fd + fn),
        "f1": (2 * tp, 2 * tp + fd + fa + fn),
        "strict_f1": (2 * tp, 2 * tp + 2 * fd + fa + fn),
    }
    seeds = metrics_of({"tp": tp, "fp": fd + fa, "tn": tn, "fn": fn, "fd": fd, "fa": fa})
    for ratio in RATIOS:
        top, bottom = fractions[ratio]
        rate = counts.rate(ratio)
        assert rate == (float(Fraction(top, bottom)) if bottom else None)
        assert seeds[ratio] == pytest.approx(rate or 0.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"value": 2}', "Expected `float` <= 1.0, got 2 - at $.value"),
        ('{"value": 0.5, "n": "many"}', 'Expected `int`, got "many" - at $.n'),
        ('{"n": 1}', "Object missing required field `value` - at $"),
        ("[1]", "Expected `object`, got a list - at $"),
        ("{", "Input data was truncated"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, said: str) -> None:
    """The message says what was expected, what came and where."""
    with pytest.raises(InputError) as error:
        Rate.from_json(text)
    assert str(error.value) == said


def test_keys_of_any_text_are_named() -> None:
    """A wrong value under a key that may be any text is found by its key, also one with dots."""
    value = evaluated().to_dict()
    value["fields"]["rows.sku"]["rates"]["recall"]["n"] = -1
    with pytest.raises(InputError, match=r"Expected `int` >= 0, got -1 - at \$\.fields\.rows\.sku\.rates\.recall\.n$"):
        Metrics.from_json(json.dumps(value))


def test_results_need_no_arrays() -> None:
    """Reading results imports neither numpy nor pyarrow, scipy or pydantic."""
    code = "import sys, fieldwise.results; print({'numpy', 'scipy', 'pyarrow', 'pydantic'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
