"""What the command line says to do about an error: its own options, where the library speaks of arguments."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from fieldwise import evaluate_pairs
from fieldwise.cli import cli
from fieldwise.cli.advice import _ADVICE, advised
from fieldwise.cli.commands import SUMMARIES
from fieldwise.errors import FieldwiseError, InputError, SettingError
from fieldwise.evaluation.checkpoint import FOLDER, only_writer
from tests.documents import write_pairs
from tests.evaluation.conftest import Call, call
from tests.folders import part_of
from tests.test_errors import documented_codes

__all__ = ["call"]

PAIRS = [(f"d{k}", {"name": f"N{k}", "total": k}, {"name": f"N{k}", "total": k}) for k in range(3)]
SCHEMA = {"type": "object", "properties": {"name": {"type": "string"}}}
Setting = Callable[[Path], list[str]]


def options() -> set[str]:
    """Return every option of every command."""
    context = click.Context(cli)
    found = set[str]()
    for name in SUMMARIES:
        command = cli.get_command(context, name)
        assert command is not None
        found.update(option for parameter in command.params for option in parameter.opts)
    return found


def made(at: Path, name: str = "run", **settings: object) -> Path:
    """Evaluate a few pairs into a folder."""
    evaluate_pairs(PAIRS, out=at / name, **settings)  # type: ignore[arg-type]  # whatever a test asks for
    return at / name


def pairs_file(at: Path) -> str:
    """Write the pairs as a file."""
    return str(write_pairs(at / "pairs.jsonl", PAIRS))


def schema_file(at: Path, schema: object) -> str:
    """Write a schema."""
    path = at / "schema.json"
    path.write_text(json.dumps(schema), encoding="utf-8")
    return str(path)


def stopped(at: Path) -> Path:
    """Return a folder in which an evaluation was stopped."""
    (at / "run" / FOLDER).mkdir(parents=True)
    return at / "run"


def damaged(at: Path) -> Path:
    """Return a run whose rows are no Parquet file."""
    run = made(at)
    part_of(run, "documents").write_bytes(b"PAR1")
    return run


def without_spec(run: Path) -> Path:
    """Return a run without its spec."""
    (run / "spec.json").unlink()
    return run


def folder_of_pairs(at: Path) -> Path:
    """Write one document of each side into a folder of its own, and return the folder above."""
    for side in ("expected", "predicted"):
        (at / "in" / side).mkdir(parents=True)
        (at / "in" / side / "a.json").write_text('{"x": 1}', encoding="utf-8")
    return at / "in"


def empty_policy(at: Path) -> str:
    """Write a policy that says nothing."""
    (at / "policy.yaml").write_text("# nothing\n", encoding="utf-8")
    return str(at / "policy.yaml")


def gate(at: Path, *more: str) -> list[str]:
    """Return the arguments that compare a run with itself."""
    run = made(at)
    return ["gate", "--baseline", str(run), str(run), *more]


REFUSED: dict[str, tuple[Setting, str]] = {
    "output.exists": (
        lambda at: ["evaluate", pairs_file(at), "--out", str(made(at))],
        "holds an earlier result; --overwrite replaces it",
    ),
    "output.unfinished": (
        lambda at: ["evaluate", pairs_file(at), "--out", str(stopped(at))],
        "was not finished; --resume continues it, --overwrite replaces it",
    ),
    "output.inside_input": (
        lambda at: [
            "evaluate",
            *(str(folder_of_pairs(at) / side) for side in ("expected",)),
            str(at / "in" / "predicted"),
            "--out",
            str(at / "in" / "expected" / "out"),
        ],
        "; choose another --out",
    ),
    "run.not_finished, stopped": (
        lambda at: ["show", str(stopped(at))],
        "it was stopped; go on with fieldwise evaluate --resume, the same input and the same --out",
    ),
    "run.not_finished": (
        lambda at: ["show", str(at)],
        "it has no metrics.json; give the --out folder of fieldwise evaluate",
    ),
    "run.no_rows": (
        lambda at: ["show", str(made(at) / "metrics.json")],
        "; run fieldwise evaluate with --out",
    ),
    "run.no_values": (
        lambda at: ["show", str(made(at, values=False))],
        "; run fieldwise evaluate without --no-values",
    ),
    "run.damaged": (lambda at: ["show", str(damaged(at))], "; evaluate again with --out"),
    "run.no_confidences": (
        lambda at: ["calibrate", str(made(at))],
        "; evaluate such predictions again with --out",
    ),
    "run.different_rules": (
        lambda at: ["diff", str(made(at)), str(made(at, "other", match_threshold=0.9, unmatched="objects"))],
        "; evaluate both with the same --unmatched and the same --schema, or give --allow-different-rules",
    ),
    "setting.empty_policy": (
        lambda at: gate(at, "--policy", empty_policy(at)),
        "policy.yaml is empty; leave --policy out for the defaults",
    ),
    "field.unknown": (
        lambda at: ["evaluate", pairs_file(at), "--fail-under", "totl:f1=0.5"],
        "No field 'totl' for --fail-under; did you mean 'total'?",
    ),
    "input.nothing_at": (
        lambda at: ["evaluate", pairs_file(at), "--predicted-at", "nam.x"],
        "for --predicted-at; they have",
    ),
    "spec.fits_no_document": (
        lambda at: ["evaluate", nested_file(at), "--schema", schema_file(at, SCHEMA)],
        "; if the documents are under 'the result', use --expected-at 'the result'",
    ),
    "input.unpacked_limit": (
        lambda at: ["evaluate", packed(at), "--max-unpacked", "100"],
        "; if it is what you expect, allow more (--max-unpacked)",
    ),
}


def nested_file(at: Path) -> str:
    """Write pairs whose documents are under a key."""
    path = at / "nested.jsonl"
    lines = [json.dumps({"id": name, "expected": {"the result": one}, "predicted": two}) for name, one, two in PAIRS]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def packed(at: Path) -> str:
    """Write the pairs as a zip."""
    folder_of_pairs(at)
    (at / "in" / "expected" / "a.json").write_text(json.dumps({"x": "a" * 500}), encoding="utf-8")
    return shutil.make_archive(str(at / "pairs"), "zip", at / "in")


@pytest.mark.parametrize("case", REFUSED)
def test_the_command_line_says_which_option_helps(case: str, tmp_path: Path, call: Call) -> None:
    """Where an option helps, it is named in the line that says what is wrong."""
    arguments, words = REFUSED[case]
    done = call(*arguments(tmp_path))
    assert done.code == 2, done
    assert done.err.count("\n") == 1
    assert words in done.err


def test_a_locked_folder_is_refused_with_what_to_do(tmp_path: Path, call: Call) -> None:
    """Whoever waits for another evaluation is told of --out."""
    (tmp_path / "out").mkdir()
    with only_writer(tmp_path / "out"):
        done = call("evaluate", pairs_file(tmp_path), "--out", tmp_path / "out")
    assert done.code == 2
    assert f"Another evaluation is writing to {tmp_path / 'out'}; wait for it or choose another --out" in done.err


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            FieldwiseError("Died", code="worker.died", facts={"kept": True}, advice="in other words"),
            "Died; what was finished is kept: run again with --resume, with fewer --workers",
        ),
        (FieldwiseError("Died", code="worker.died", facts={"kept": False}), "Died; run again with fewer --workers"),
        (
            FieldwiseError("Full", code="memory.exhausted", facts={"kept": True}),
            "Full; what was finished is kept: run again with --resume, with fewer --workers",
        ),
        (FieldwiseError("Full", code="memory.exhausted", facts={"kept": False}), "Full"),
        (
            FieldwiseError("Spent", code="judge.budget_spent", facts={"kept": True}),
            "Spent; what was answered is kept for --resume",
        ),
        (
            SettingError("Changed", code="run.cannot_resume", advice="start it anew with overwrite=True"),
            "Changed; start it anew with --overwrite, without --resume",
        ),
        (
            SettingError("Other", code="run.different_rules", facts={"spec": "a/spec.json"}),
            "Other; evaluate the candidate again with --like a, or give --allow-different-rules",
        ),
        (InputError("Wrong", advice="do this"), "Wrong; do this"),
    ],
    ids=str,
)
def test_advice_follows_the_facts(error: FieldwiseError, words: str) -> None:
    """Advice of the command line takes the place of the library's, which stays where there is no other."""
    assert advised(error) == words


def test_notes_of_an_evaluation_name_options(tmp_path: Path, call: Call) -> None:
    """Documents under a key are found with an option that can be copied, and in Python with an argument."""
    path = tmp_path / "pairs.jsonl"
    lines = [json.dumps({"id": name, "expected": one, "predicted": {"the result": two}}) for name, one, two in PAIRS]
    path.write_text("\n".join(lines), encoding="utf-8")
    done = call("evaluate", path)
    assert "; --predicted-at 'the result' compares what is there." in done.out
    assert json.loads(call("evaluate", path, "--json").out)["notes"][0]["facts"]["key"] == "the result"


def test_advice_names_options_that_there_are() -> None:
    """No advice leads to an option that no command has."""
    said = [advised(FieldwiseError("", code=code, facts=facts)) for code in _ADVICE for facts in FACTS]
    named = {option for words in said for option in re.findall(r"--[a-z][a-z-]*", words)}
    assert len(named) > 10
    assert named <= options()


FACTS: list[dict[str, object]] = [
    {},
    {"kept": True},
    {"stopped": True},
    {"unmatched": []},
    {"spec": "x"},
    {"under": "x"},
]


def test_advice_is_given_for_codes_that_there_are() -> None:
    """No advice waits for a code that nobody raises."""
    assert set(_ADVICE) <= set(documented_codes())
