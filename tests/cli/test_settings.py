"""Defaults of options in pyproject.toml or fieldwise.toml: found, checked, and beaten by the command line."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from fieldwise.cli import cli
from fieldwise.cli.commands import SUMMARIES
from fieldwise.cli.settings import SETTINGS
from tests.command_line import Ended, run

SCHEMA = {"type": "object", "properties": {"total": {"type": "number", "x-fieldwise-weight": 3}}}
PAIRS = [{"id": str(n), "expected": {"total": n + 1}, "predicted": {"total": n + 1}} for n in range(8)]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with documents and a schema, and work in a folder below it."""
    (tmp_path / "work").mkdir()
    (tmp_path / "total.schema.json").write_text(json.dumps(SCHEMA))
    (tmp_path / "work" / "pairs.jsonl").write_text("\n".join(map(json.dumps, PAIRS)))
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


def pyproject(folder: Path, settings: str) -> None:
    """Write settings into a pyproject.toml."""
    (folder / "pyproject.toml").write_text(f'[project]\nname = "x"\n\n[tool.fieldwise]\n{settings}\n')


def evaluated(*options: str) -> Ended:
    """Evaluate the pairs."""
    return run("evaluate", "pairs.jsonl", *options)


def test_the_nearest_file_sets_defaults(project: Path) -> None:
    """A file in a folder above counts; paths in it are relative to it, and a note names what was used."""
    pyproject(project, 'schema = "total.schema.json"\nfail-under = ["strict_f1=0.9"]')
    done = evaluated("--json")
    assert done.returncode == 0
    assert done.stderr == f"Settings of {Path('..', 'pyproject.toml')}: schema, fail-under\n"
    spec = run("evaluate", "pairs.jsonl", "--out", "out", "-q")
    assert spec.stderr == ""
    assert json.loads(Path("out", "spec.json").read_text())["properties"]["total"]["x-aws-stickler-weight"] == 3


def test_fieldwise_toml_comes_before_pyproject(project: Path) -> None:
    """In one folder fieldwise.toml counts; a folder nearer to the work counts before one above."""
    pyproject(project, "workers = 2")
    (project / "fieldwise.toml").write_text('unmatched = "objects"')
    assert "fieldwise.toml: unmatched" in evaluated("--json").stderr
    pyproject(project / "work", 'extras = "ignore"')
    assert evaluated("--json").stderr == "Settings of pyproject.toml: extras\n"


def test_a_pyproject_without_settings_is_passed_over(project: Path) -> None:
    """The project of others, or a file that is not TOML, hides no settings above it."""
    (project / "fieldwise.toml").write_text("workers = 1")
    for text in ("[tool.ruff]\nline-length = 88\n", "not = = toml"):
        (project / "work" / "pyproject.toml").write_text(text)
        assert "fieldwise.toml: workers" in evaluated("--json").stderr


def test_the_command_line_wins(project: Path) -> None:
    """An option that is given beats the file, and the note does not name it; --like beats a schema."""
    pyproject(project, 'schema = "total.schema.json"\nfail-under = "strict_f1=1"\nunmatched = "objects"')
    done = evaluated("--unmatched", "leaves", "--fail-under", "strict_f1=0.5", "--json")
    assert done.stderr.endswith(": schema\n")
    assert evaluated("--out", "first").returncode == 0
    assert evaluated("--like", "first").returncode == 0


def test_specs_of_classes_may_be_in_the_file(project: Path) -> None:
    """``config`` is what --config gives; --schema beats it, and both of them in one file are refused."""
    pyproject(project, 'config = "classes.json"')
    (project / "classes.json").write_text(json.dumps({"A": {"properties": {"x": {"type": "string"}}}}))
    assert evaluated("--json").stderr.endswith(": config\n")
    given = evaluated("--schema", str(project / "total.schema.json"), "--out", "by-schema")
    assert given.returncode == 0, given.stderr
    pyproject(project, 'config = "classes.json"\nschema = "total.schema.json"')
    both = evaluated("--json")
    assert both.returncode == 2
    assert "give one of them" in both.stderr


def test_a_required_option_may_be_in_the_file(project: Path) -> None:
    """A baseline that is set once need not be given to each gate."""
    evaluated("--out", "accepted", "-q")
    evaluated("--out", "next", "--like", "accepted", "-q")
    pyproject(project, 'baseline = "work/accepted"\nmargin = "5%"')
    done = run("gate", "next")
    assert done.returncode == 0, done.stderr
    assert done.stderr == f"Settings of {Path('..', 'pyproject.toml')}: baseline, margin\n"


def test_settings_can_be_ignored(project: Path) -> None:
    """--no-settings leaves the file unread, also one that is broken."""
    pyproject(project, "nonsense = 1")
    assert evaluated().returncode == 2
    assert run("--no-settings", "evaluate", "pairs.jsonl", "-q") == (0, "", "")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ("schem = 's.json'", "Unknown setting tool.fieldwise.schem in ../pyproject.toml; did you mean 'schema'?"),
        ("out = 'results'", "Unknown setting tool.fieldwise.out in ../pyproject.toml"),
        ("schema = 3", "Expected the name of a file or folder for schema, got 3 - at tool.fieldwise.schema in"),
        ("workers = [1]", "Expected a single value for workers, got [1] - at tool.fieldwise.workers in"),
        ("fail-under = [0.9]", "Expected a text or a list of texts for fail-under, got [0.9]"),
        ("match-threshold = 7", "- at tool.fieldwise.match-threshold in ../pyproject.toml"),
        ("max-bytes = 'many'", "Expected a size such as 64MiB, 64MB or 1_000_000, got 'many' - at"),
    ],
)
def test_a_wrong_setting_is_refused_with_its_place(project: Path, settings: str, words: str) -> None:
    """The file, the key and the nearest name are said, in one line, before anything is read."""
    pyproject(project, settings)
    done = run("evaluate", "nowhere.jsonl")
    assert done.returncode == 2
    assert words in done.stderr.replace("\\", "/")
    assert done.stderr.count("\n") == 1


def test_a_settings_table_that_is_none_is_refused(project: Path) -> None:
    """Where [tool.fieldwise] is a value, or fieldwise.toml is not TOML, that is said."""
    (project / "pyproject.toml").write_text("[tool]\nfieldwise = 3")
    assert "Expected a table at tool.fieldwise in" in evaluated().stderr
    (project / "fieldwise.toml").write_text("[tool.fieldwise]\nworkers = 2")
    assert "Expected settings without a table in" in evaluated().stderr
    (project / "fieldwise.toml").write_text("= 3")
    assert "fieldwise.toml is not TOML" in evaluated().stderr


def test_help_names_the_file(project: Path) -> None:
    """The help of a command names the settings in effect; that of fieldwise also where they are wrong."""
    assert "[tool.fieldwise]" in run("--help").stdout
    pyproject(project, "workers = 2\nbins = 5")
    assert "pyproject.toml: workers, bins." in run("--help").stdout
    assert "pyproject.toml: workers.\n" in run("evaluate", "--help").stdout
    pyproject(project, "wrkers = 2")
    assert "did you mean 'workers'?" in run("--help").stdout


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_an_option(name: str) -> None:
    """Settings are called as the options are, and the guide names each of them."""
    commands = [cli.get_command(click.Context(cli), command) for command in SUMMARIES]
    options = {option for command in commands if command for parameter in command.params for option in parameter.opts}
    assert f"--{name}" in options
    page = Path(__file__).parents[2] / "docs" / "settings.md"
    assert f"`{name}`" in page.read_text(encoding="utf-8")
