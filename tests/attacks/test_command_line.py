"""Every command with hostile arguments and hostile files: a documented exit code, one sentence, never a traceback.

Arguments come from the commands themselves, so that a new option is attacked as soon as it is there.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldwise.cli import cli
from fieldwise.cli.commands import SUMMARIES
from tests.attacks.commands import BAD_INPUT, GOOD_CODES, Done, build, check, copied, run
from tests.attacks.files import tampered
from tests.folders import part_of
from tests.strategies import examples

FEW = settings(max_examples=examples(40), suppress_health_check=list(HealthCheck))
FILES = [
    "expected.json", "predicted.json", "schema.json", "comparison.json", "list.json", "pairs.jsonl", "units.jsonl",
    "policy.yaml", "config.yaml", "bytes", "empty", "expected", "predicted", "inside", "base", "candidate",
    "base/metrics.json", "base/spec.json", "base/manifest.json", "candidate/fields.csv",
]  # fmt: skip
STEERING = "\x1b[31m\x07\u202e\x9b"
ODD = [
    "", " ", "-", "--", "-1", "0", "1", "0.5", "1.5", "50%", "nan", "-inf", "1e999", "9" * 30, "0,5", "0.1,0.9", ",",
    "name", "items", "items.price", "*.price", "[", "a=b", "strict_f1=0.5", "name:recall=2", "strict_f1=", "=", "match",
    "nothing.json", "nothing/at/all", "expected.json/x", "inside/new/x", "/dev/null", ".", "inside/..", "*.json", "**",
    "x" * 300, "x/" * 3000, "\udcff\udc80", STEERING, "💥", "%s{}\\", "\r\n", "null", "{}",
]  # fmt: skip
WORKERS = ["0", "1", "-1", "many", "", "1.5"]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one file of every kind."""
    return build(tmp_path_factory.mktemp("world") / "world")


RIGHT = {
    "aggregate": ["comparison.json"],
    "calibrate": ["base"],
    "classify": ["units.jsonl"],
    "compare": ["expected.json", "predicted.json"],
    "completion": ["bash"],
    "diff": ["base", "candidate"],
    "evaluate": ["expected", "predicted"],
    "gate": ["candidate", "--baseline", "base"],
    "show": ["base"],
    "sweep": ["base", "name"],
    "vendor-lambda": ["inside"],
}
"""Arguments with which each command runs to its end."""


def words(option: click.Option) -> list[str]:
    """Return what may be given for an option, right and wrong."""
    if "--workers" in option.opts:
        return WORKERS
    choices = option.type.choices if isinstance(option.type, click.Choice) else ()
    return [*FILES, *ODD, *map(str, choices)]


@st.composite
def options(draw: st.DrawFn, command: click.Command) -> list[str]:
    """Draw some options of a command: repeated, contradictory, unknown or without their value."""
    found: list[str] = []
    if not draw(st.integers(0, 9)):
        found.append(draw(st.sampled_from(["--unknown", "-x", "--=", "--json=1", "-oo", "--out="])))
    known = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    for option in draw(st.lists(st.sampled_from(known), max_size=4)) if known else []:
        found.append(draw(st.sampled_from(option.opts)))
        if not option.is_flag:
            found.append(draw(st.sampled_from(words(option))))
    return found[: len(found) - (not draw(st.integers(0, 19)))]


@st.composite
def calls(draw: st.DrawFn, name: str) -> list[str]:
    """Draw the arguments of a command: right ones, of which some are replaced, left out or too many, and options."""
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    odd = st.sampled_from([*FILES, *ODD])
    given_words = [word if draw(st.integers(0, 3)) else draw(odd) for word in RIGHT[name]]
    if not draw(st.integers(0, 9)):
        given_words = draw(st.lists(odd, max_size=4))
    return [name, *given_words, *draw(options(command))]


@pytest.mark.parametrize("name", SUMMARIES)
@FEW
@given(data=st.data())
def test_arguments(world: Path, name: str, data: st.DataObject) -> None:
    """Unknown, empty, endless, undecodable, out of range, repeated, contradictory: never more than a refusal."""
    arguments = data.draw(calls(name))
    stdin = data.draw(st.sampled_from([b"", b"{}", b"[1", b"\xff\x00"]))
    with copied(world):
        check(run(*arguments, stdin=stdin))


@pytest.mark.parametrize("name", SUMMARIES)
def test_right_arguments(world: Path, name: str) -> None:
    """The attacks begin from calls that are answered."""
    with copied(world):
        done = run(name, *RIGHT[name])
    check(done)
    assert done.code in GOOD_CODES, done.err


READING = {
    "expected.json": [["compare", "expected.json", "predicted.json"], ["evaluate", "expected.json", "predicted.json"]],
    "predicted.json": [["compare", "expected.json", "predicted.json"], ["evaluate", "expected.json", "predicted.json"]],
    "schema.json": [
        ["compare", "expected.json", "predicted.json", "--schema", "schema.json"],
        ["evaluate", "pairs.jsonl", "--schema", "schema.json"],
    ],
    "pairs.jsonl": [["evaluate", "pairs.jsonl", "--out", "inside/new"]],
    "comparison.json": [["aggregate", "comparison.json", "--out", "inside/new"], ["aggregate", "comparison.json"]],
    "units.jsonl": [["classify", "units.jsonl"], ["classify", "units.jsonl", "--html", "inside/page.html"]],
    "config.yaml": [["classify", "units.jsonl", "--config", "config.yaml"]],
    "policy.yaml": [["gate", "candidate", "--baseline", "base", "--policy", "policy.yaml"]],
}
"""The commands that read a file."""
RESULTS = ["metrics.json", "spec.json", "manifest.json", "failures.jsonl", "documents", "pairs", "errors", "counts"]
READING_RESULTS = [
    ["diff", "base", "candidate"],
    ["diff", "base/metrics.json", "candidate/metrics.json"],
    ["gate", "candidate", "--baseline", "base"],
    ["show", "base"],
    ["show", "base", "--csv", "--outcome", "wrong"],
    ["calibrate", "base"],
    ["sweep", "base", "name"],
    ["evaluate", "pairs.jsonl", "--like", "base"],
]


NAMES = {name: ["expected", "predicted"] for name in ("expected.json", "predicted.json", "pairs.jsonl")} | {
    "units.jsonl": ["units.jsonl", "golden", "predicted"]
}
"""What a refusal may name instead of a file of which there is only one: the side of it."""


def perhaps_json(arguments: list[str]) -> st.SearchStrategy[list[str]]:
    """Return a call as it is, or with its answer as JSON."""
    return st.sampled_from([arguments, arguments if "--csv" in arguments else [*arguments, "--json"]])


@pytest.mark.parametrize("name", READING)
@FEW
@given(data=st.data())
def test_files(world: Path, name: str, data: st.DataObject) -> None:
    """Whatever is in a file, a command answers or names the file."""
    content = data.draw(tampered(world / name))
    arguments = data.draw(st.sampled_from(READING[name]).flatmap(perhaps_json))
    with copied(world) as folder:
        (folder / name).write_bytes(content)
        check(run(*arguments), names=NAMES.get(name, [name]))


@pytest.mark.parametrize("name", RESULTS)
@FEW
@given(data=st.data())
def test_results_from_outside(world: Path, name: str, data: st.DataObject) -> None:
    """Damaged results are refused by every command that reads them, with the file or the folder."""
    path = part_of(world / "base", name) if (world / "base" / name).is_dir() else world / "base" / name
    content = data.draw(tampered(path))
    arguments = data.draw(st.sampled_from(READING_RESULTS).flatmap(perhaps_json))
    with copied(world) as folder:
        (folder / path.relative_to(world)).write_bytes(content)
        check(run(*arguments), names=["base"])


@pytest.mark.parametrize("start", range(4))
def test_flipped_bits(world: Path, start: int) -> None:
    """A table in which a bit is another one is refused, or read as it was."""
    with copied(world) as folder:
        table = part_of(folder / "base", "errors")
        whole = table.read_bytes()
        for place in range(80 + start, 160, 4):
            table.write_bytes(whole[:place] + bytes([whole[place] ^ 8]) + whole[place + 1 :])
            check(run("diff", "base", "candidate"), names=["base"])


@pytest.mark.parametrize("name", ["schema.json", "config.yaml"])
def test_wrong_settings_name_their_file(world: Path, name: str) -> None:
    """Also where nothing in it is right."""
    with copied(world) as folder:
        (folder / name).write_text('{"x": 1}', "utf-8")
        done = run(*READING[name][0])
    assert done.code == BAD_INPUT
    assert done.err.endswith(f" in {name}\n")


def test_what_is_refused_does_not_steer_the_terminal(world: Path) -> None:
    """Arguments that a command does not take are shown, not obeyed."""
    with copied(world):
        for arguments in (["classify", "units.jsonl", STEERING], ["show", "base", f"--{STEERING}"], [STEERING]):
            done = run(*arguments)
            check(done)
            assert done.code == BAD_INPUT


def test_a_process_of_its_own_ends_the_same(world: Path) -> None:
    """Also with arguments that are no text, and with workers."""
    words: list[list[str | bytes]] = [
        ["compare", b"\xff\xfe", "predicted.json"],
        [b"\x1b]0;x\x07"],
        ["evaluate", "pairs.jsonl", "--workers", "2", "--out", "inside/new"],
    ]
    with copied(world) as folder:
        (folder / "pairs.jsonl").write_bytes(b'{"id": 1, "expected": {"a": 1}, "predicted": {"a": 2}}\n{"id"\n\xff\n')
        for arguments in words:
            command = [sys.executable, "-m", "fieldwise", *arguments]
            done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
            check(Done(tuple(map(str, arguments)), done.returncode, done.stdout, done.stderr.decode("utf-8")))
            assert done.returncode in (BAD_INPUT, 3)


@pytest.mark.parametrize("arguments", [["diff", "/dev/null", "/dev/null"], ["gate", "--baseline"], ["show", "base"]])
def test_devices_half_options_and_damage_are_refused(world: Path, arguments: list[str]) -> None:
    """With the code of a bad input."""
    with copied(world) as folder:
        part_of(folder / "base", "pairs").write_bytes(b"PAR1PAR1")
        done = run(*arguments)
    check(done)
    assert done.code == BAD_INPUT
