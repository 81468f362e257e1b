"""The command line, tried as people use it: a process, files, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from fieldwise.cli import cli
from fieldwise.cli.commands import SUMMARIES
from fieldwise.spec import escape
from tests import command_line
from tests.command_line import Ended

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
INVOICE = [str(EXAMPLES / "invoice.expected.json"), str(EXAMPLES / "invoice.predicted.json")]
SCHEMA = str(EXAMPLES / "invoice.schema.json")


def run(*arguments: str, stdin: bytes = b"", columns: int = 160) -> Ended:
    """Run ``fieldwise``, so many columns wide."""
    return command_line.run(*arguments, stdin=stdin, COLUMNS=str(columns))


def written(folder: Path, name: str, value: Any) -> str:
    """Write a value as JSON and return the file's path."""
    path = folder / name
    path.write_text(json.dumps(value))
    return str(path)


def test_differences_come_first_and_exit_with_1() -> None:
    """The worst rows stand on top, with both values, outcome, score and reason; the exit code is 1."""
    done = run("compare", *INVOICE, "--schema", SCHEMA)
    assert done.returncode == 1, done.stderr
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    assert lines[2].split()[:2] == ["vendor.name", "Northwind"]
    assert "✗ mismatch" in lines[2]
    assert done.stdout.index("✗ mismatch") < done.stdout.index("− missed") < done.stdout.index("+ spurious")
    assert "line_items[2].sku" in done.stdout
    assert "3 ✗ mismatch  4 − missed  1 + spurious  10 ✓ match" in done.stdout


def test_narrow_terminals_get_lines_instead_of_a_table() -> None:
    """Where a table would not fit, each difference is printed over a few lines, and no line is too long."""
    done = run("compare", *INVOICE, "--schema", SCHEMA, "--explain", columns=80)
    assert "✗ mismatch  0.000  total_amount" in done.stdout
    assert "because    numeric ±0.01: 0.000 < 1" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


@pytest.mark.parametrize("arguments", [("compare", *INVOICE), ("compare", *INVOICE, "--json"), ("gate", "--help")])
def test_a_reader_that_leaves_is_told_apart(arguments: tuple[str, ...]) -> None:
    """Where nobody reads the output any more a command ends quietly, as if stopped by it, not as if it had differed."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        command = [sys.executable, "-m", "fieldwise", *arguments]
        done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    finally:
        os.close(writing)
    assert done.returncode == 141
    assert done.stderr == b""


HOSTILE = "[red]\x1b[31m\u202e"


@pytest.fixture(scope="module")
def hostile_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An evaluation whose ids, names, values and folder would change the colour or the direction of writing."""
    folder = tmp_path_factory.mktemp("hostile")
    pairs = folder / "pairs.jsonl"
    with pairs.open("w") as file:
        for k in range(4):
            read = {"_value": f"{HOSTILE} {'x' * k}", "_confidence": 0.5}
            sides = {"expected": {HOSTILE: f"{HOSTILE} right"}, "predicted": {HOSTILE: read, f"{HOSTILE}2": "more"}}
            file.write(json.dumps({"id": f"{HOSTILE} {k}", **sides}) + "\n")
        file.write(json.dumps({"id": f"{HOSTILE} null", "expected": {HOSTILE: "right"}, "predicted": None}) + "\n")
    schema = {"type": "object", "properties": {HOSTILE: {"type": "string"}}}
    done = run(
        "evaluate", str(pairs), "--schema", written(folder, "schema.json", schema), "--out", str(folder / "[/x]")
    )
    assert done.returncode == 3, done.stderr
    assert "[/x]/report.html" in done.stdout
    assert_is_harmless(done)
    return folder / "[/x]"


def assert_is_harmless(done: Ended) -> None:
    """Nothing printed steers a terminal, and names in brackets are no styles."""
    for shown in (done.stdout, done.stderr):
        assert "\x1b" not in shown
        assert "\u202e" not in shown
    assert "[red]" in done.stdout + done.stderr


@pytest.mark.parametrize("arguments", [("calibrate", "{}"), ("sweep", "{}", escape(HOSTILE))])
def test_names_and_values_cannot_steer_the_terminal(hostile_run: Path, arguments: tuple[str, ...]) -> None:
    """What documents hold is printed, not obeyed."""
    done = run(*(word.format(hostile_run) for word in arguments))
    assert done.returncode == 0, done.stderr
    assert_is_harmless(done)


def test_errors_cannot_steer_the_terminal() -> None:
    """Nor do messages."""
    done = run("compare", HOSTILE, HOSTILE)
    assert done.returncode == 2
    assert_is_harmless(done)


def test_equal_documents_exit_with_0() -> None:
    """A document against itself has no differences."""
    done = run("compare", INVOICE[0], INVOICE[0])
    assert done.returncode == 0, done.stderr
    assert "0 ✗ mismatch  0 − missed  0 + spurious" in done.stdout


def test_without_a_schema_the_inferred_spec_is_shown_on_request() -> None:
    """One line says that it was inferred; --explain prints the plan, with the reason of every setting."""
    done = run("compare", *INVOICE)
    assert "compared as" not in done.stdout
    assert done.stdout.endswith("was inferred; --explain shows it, --schema FILE declares it.\n")
    explained = run("compare", *INVOICE, "--explain").stdout
    assert "inferred from expected values" in explained
    assert "the values are numbers" in explained
    assert "the name contains 'number'" in explained
    assert "was inferred" not in run("compare", *INVOICE, "--schema", SCHEMA).stdout


def test_explain_says_where_settings_come_from() -> None:
    """--explain lists every path with its settings and their sources."""
    done = run("compare", *INVOICE, "--schema", SCHEMA, "--explain")
    assert "schema key comparator" in done.stdout
    assert "numeric ±0.01" in done.stdout


def test_json_is_for_machines() -> None:
    """--json prints one JSON document, the dict of compare_with, and nothing else."""
    done = run("compare", *INVOICE, "--schema", SCHEMA, "--json")
    result = json.loads(done.stdout)
    aggregate = result["confusion_matrix"]["aggregate"]
    assert {key: aggregate[key] for key in ("tp", "fd", "fa", "fn", "tn")} == {
        "tp": 10,
        "fd": 3,
        "fa": 1,
        "fn": 4,
        "tn": 1,
    }
    assert len(result["spec_fingerprint"]) == 64
    assert done.returncode == 1


def test_json_by_objects_counts_items() -> None:
    """--unmatched objects counts a missed list item as one."""
    done = run("compare", *INVOICE, "--schema", SCHEMA, "--json", "--unmatched", "objects")
    overall = json.loads(done.stdout)["confusion_matrix"]["fields"]["line_items"]["overall"]
    assert (overall["tp"], overall["fn"]) == (2, 1)


def test_dash_reads_standard_input() -> None:
    """``-`` stands for standard input, on either side, but not on both."""
    content = Path(INVOICE[0]).read_bytes()
    assert run("compare", INVOICE[0], "-", stdin=content).returncode == 0
    assert run("compare", "-", INVOICE[0], stdin=content).returncode == 0
    assert run("compare", "-", "-", stdin=content).returncode == 2


def test_rich_values_are_unwrapped(tmp_path: Path) -> None:
    """Values with a confidence are compared by their value."""
    expected = written(tmp_path, "e.json", {"total": 5.0})
    predicted = written(tmp_path, "p.json", {"total": {"_value": 5.0, "_confidence": 0.4}})
    assert run("compare", expected, predicted).returncode == 0


def test_a_config_file_is_read_as_one(tmp_path: Path) -> None:
    """--schema takes the config dict of model_from_json too."""
    config = {"fields": {"a": {"type": "str", "comparator": "ExactComparator"}}}
    schema = written(tmp_path, "config.json", config)
    expected, predicted = written(tmp_path, "e.json", {"a": "x"}), written(tmp_path, "p.json", {"a": "X"})
    assert run("compare", expected, predicted, "--schema", schema).returncode == 1


BAD = {
    "not JSON": (b"{nope", "not JSON"),
    "empty": (b"  ", "empty"),
    "not UTF-8": (b'{"a": "\xff"}', "not UTF-8"),
    "truncated": (b'{"a": [1, 2', "not JSON"),
}


@pytest.mark.parametrize("name", BAD)
def test_unreadable_input_exits_with_2_and_says_why(tmp_path: Path, name: str) -> None:
    """A file that cannot be read is named with the reason, in one line, without a traceback."""
    content, word = BAD[name]
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    done = run("compare", INVOICE[0], str(path))
    assert done.returncode == 2
    assert word in done.stderr
    assert "bad.json" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_missing_file_exits_with_2() -> None:
    """A file that is not there is said to be missing."""
    done = run("compare", INVOICE[0], "nowhere.json")
    assert done.returncode == 2
    assert "nowhere.json" in done.stderr


def test_a_wrong_schema_exits_with_2_naming_path_and_nearest_key(tmp_path: Path) -> None:
    """A misspelt setting is refused with its path and the nearest valid name."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "x-aws-stickler-treshold": 0.5}}}
    done = run("compare", *INVOICE, "--schema", written(tmp_path, "s.json", schema))
    assert done.returncode == 2
    assert "x-aws-stickler-threshold" in done.stderr
    assert "$.a" in done.stderr


def test_a_document_that_is_no_object_is_still_compared(tmp_path: Path) -> None:
    """A prediction that is a list, a text or null is scored: everything expected is missed."""
    values: list[Any] = [[], "text", None, 5]
    for value in values:
        predicted = written(tmp_path, "p.json", value)
        done = run("compare", INVOICE[0], predicted)
        assert done.returncode == 1, done.stderr
        assert "0 ✓ match" in done.stdout


def test_documents_that_are_lists_are_compared(tmp_path: Path) -> None:
    """Two lists of records are paired as lists are; two texts are compared as one value."""
    expected = written(tmp_path, "e.json", [{"id": "a", "n": 1}, {"id": "b", "n": 2}])
    predicted = written(tmp_path, "p.json", [{"id": "b", "n": 2}, {"id": "a", "n": 1}])
    assert run("compare", expected, predicted).returncode == 0
    assert run("compare", written(tmp_path, "t.json", "x"), written(tmp_path, "u.json", "y")).returncode == 1


def test_without_an_expected_document_everything_predicted_is_spurious(tmp_path: Path) -> None:
    """A null truth expects nothing; the shape of the prediction serves as spec."""
    done = run("compare", written(tmp_path, "e.json", None), INVOICE[1])
    assert done.returncode == 1, done.stderr
    assert "0 ✗ mismatch  0 − missed" in done.stdout


def test_hopelessly_nested_documents_are_compared(tmp_path: Path) -> None:
    """A document of depth 5,000 is read and compared."""
    deep = "[" * 5000 + "1" + "]" * 5000
    (tmp_path / "e.json").write_text(f'{{"a": "x", "deep": {deep}}}')
    done = run("compare", str(tmp_path / "e.json"), str(tmp_path / "e.json"))
    assert done.returncode == 0, done.stderr


def test_help_shows_examples() -> None:
    """--help of the command shows how to call it."""
    done = run("compare", "--help")
    assert done.returncode == 0
    assert "fieldwise compare expected.json predicted.json --schema" in done.stdout


def test_version_is_said() -> None:
    """--version prints the version."""
    assert run("--version").stdout.startswith("fieldwise, version ")


def test_listing_commands_loads_none_of_them() -> None:
    """Help, completion and a misspelt name answer without numpy, Arrow, rich, pydantic or the engine."""
    code = (
        "import sys\n"
        "from fieldwise.cli import cli\n"
        "for words in (['--help'], ['evalute'], ['completion', 'bash']):\n"
        "    try: cli(words)\n"
        "    except SystemExit: pass\n"
        "heavy = 'numpy', 'pyarrow', 'scipy', 'rich', 'pydantic', 'msgspec', 'fieldwise.compare'\n"
        "print([name for name in heavy if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]"
    assert "No such command 'evalute'; did you mean 'evaluate'?" in done.stderr


def test_yes_is_true_where_a_schema_says_so(tmp_path: Path) -> None:
    """The reason names what was expected; the schema that docs/inference.md shows accepts the words it lists."""
    page = (ROOT / "docs" / "inference.md").read_text(encoding="utf-8")
    schema = tmp_path / "approved.schema.json"
    schema.write_text(page.partition("## Yes for true")[2].partition("```json\n")[2].partition("```")[0])
    expected = written(tmp_path, "expected.json", {"approved": True})
    for word in ("yes", "Ja", "true"):
        predicted = written(tmp_path, "predicted.json", {"approved": word})
        assert run("compare", expected, predicted, "--schema", str(schema)).returncode == 0
    predicted = written(tmp_path, "predicted.json", {"approved": "yes"})
    assert "type: not true or false" in run("compare", expected, predicted).stdout


def test_the_command_alone_shows_its_help() -> None:
    """Without a command the list of commands is printed once, as help and not as an error."""
    done = run()
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: fieldwise")
    assert done.stderr.count("Usage: ") == 1
    assert "Error" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sweep", "results", "--field", "total"], "'--field'; FIELD is given without one: fieldwise sweep [OPTIONS]"),
        (["evaluate", "--expected", "a"], "'--expected'; EXPECTED is given without one: fieldwise evaluate [OPTIONS]"),
        (["evaluate", "--shcema", "a"], "No such option '--shcema'; did you mean '--schema'?"),
        (["diff", "a", "b", "--xyzzy"], "No such option '--xyzzy'.\n"),
        (["gate", "a", "b"], "Usage: fieldwise gate --baseline FOLDER [OPTIONS] CANDIDATE"),
    ],
)
def test_a_wrong_option_says_what_was_meant(arguments: list[str], words: str) -> None:
    """An argument that is given as an option, a misspelt option, and one that is like no other."""
    done = run(*arguments)
    assert done.returncode == 2
    assert words in done.stderr


@pytest.mark.parametrize(("name", "summary"), SUMMARIES.items())
def test_a_summary_is_the_first_sentence_of_the_help(name: str, summary: str) -> None:
    """What the list of commands says is what the command says."""
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert (command.name, command.get_short_help_str(100)) == (name, summary)


@pytest.mark.parametrize("summary", SUMMARIES.values())
def test_summaries_fit_on_a_line(summary: str) -> None:
    """None is cut in a terminal of 80 columns."""
    assert len(summary) < 60
    assert summary.endswith((".", "?"))


def test_quiet_prints_no_table() -> None:
    """-q leaves the exit code; what is asked for by --json is still printed."""
    assert run("compare", *INVOICE, "-q") == (1, "", "")
    assert json.loads(run("compare", *INVOICE, "-q", "--json").stdout)["verdicts"]


def test_absent_fields_are_mentioned_where_there_are_some(tmp_path: Path) -> None:
    """The overall score counts them as matches; without any it is the mean of the top-level fields."""
    one, other = str(tmp_path / "one.json"), str(tmp_path / "other.json")
    Path(one).write_text('{"name": "a", "total": 1}', "utf-8")
    assert "overall_score 1.000: the mean of the top-level fields" in run("compare", one, one).stdout
    Path(other).write_text('{"name": "a", "total": null}', "utf-8")
    assert "fields absent on both sides count as matches there" in run("compare", other, other).stdout


def test_command_names_are_completed() -> None:
    """Names come with their summaries, and options before a command are completed too."""
    context = click.Context(cli)
    assert [item.value for item in cli.shell_complete(context, "c")] == [
        "calibrate",
        "classify",
        "compare",
        "completion",
    ]
    assert "--version" in [item.value for item in cli.shell_complete(context, "--")]


def test_a_set_of_documents_given_to_compare_is_sent_to_evaluate(tmp_path: Path) -> None:
    """A file of lines is no document; one line of it is, whatever the file is called."""
    many, one = tmp_path / "many.jsonl", tmp_path / "one.jsonl"
    many.write_text('{"a": 1}\n{"a": 2}\n')
    one.write_text('{"a": 1}\n')
    done = run("compare", str(many), str(many), columns=1000)
    assert done.returncode == 2
    assert f"to compare all documents in them: fieldwise evaluate {many} {many}" in done.stderr
    assert run("compare", str(one), str(one)).returncode == 0


def test_a_table_of_values_alone_asks_for_the_other_one(tmp_path: Path) -> None:
    """A column that happens to sound like *predicted* is not what was meant."""
    table = tmp_path / "values.csv"
    table.write_text("gtin,released,price\n1,2024-01-01,5\n")
    done = run("evaluate", str(table))
    assert "its header has gtin, released, price; for a table of values give a second one" in done.stderr
    (tmp_path / "paths.csv").write_text("expected,predictd\na.json,b.json\n")
    assert "did you mean 'predictd'?" in run("evaluate", str(tmp_path / "paths.csv")).stderr


def test_documents_given_to_aggregate_are_refused(tmp_path: Path) -> None:
    """Where no file is a result there is nothing to add up, which is an error and no table of zeros."""
    documents = tmp_path / "documents"
    documents.mkdir()
    for number in range(3):
        written(documents, f"{number}.json", {"total": number})
    done = run("aggregate", str(documents), "--out", str(tmp_path / "out"), columns=1000)
    assert done.returncode == 2
    assert "None of 3 results can be added up, the first is" in done.stderr
    assert "fieldwise evaluate compares documents" in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["show", "calibrate"])
def test_a_field_given_as_an_argument_is_sent_to_its_option(name: str) -> None:
    """``sweep`` takes a field as its second argument; these two have an option for it."""
    done = run(name, "results", "total")
    assert done.returncode == 2
    assert "Got unexpected extra argument (total); a field is given as --field total" in done.stderr
