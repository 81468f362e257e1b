"""``fieldwise classify`` as people use it: files, exit codes, what is printed and written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fieldwise.classify import ClassReport
from fieldwise.cli.classify import classify
from fieldwise.errors import FieldwiseError, InputError, SettingError
from tests.classify.rows import flags, row, rows

SOME = rows([("click", "click")] * 3 + [("type", "click"), ("type", "type"), ("click", "scroll")])


def run(*arguments: str | Path, stdin: bytes | None = None) -> Result:
    """Run the command in this process; errors come out as they are raised."""
    return CliRunner().invoke(classify, [str(a) for a in arguments], input=stdin, catch_exceptions=False)


def written(folder: Path, lines: Iterable[Any], name: str = "results.jsonl") -> Path:
    path = folder / name
    texts = [line if isinstance(line, str) else json.dumps(line.to_dict()) for line in lines]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def as_json(result: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_the_report_is_printed(tmp_path: Path) -> None:
    """Classes, averages, the keys that were found, and what was taken for what."""
    done = run(written(tmp_path, SOME))
    assert done.exit_code == 0
    report = ClassReport()
    report.update(SOME)
    assert report.to_text(digits=3) in done.output
    assert "golden 'event', predicted 'tool'" in done.output
    assert ["type", "click", "1", "50.0%"] in [line.split() for line in done.output.splitlines()]


def test_json_has_the_seeds_shape_and_the_report(tmp_path: Path) -> None:
    """- prints nothing else; a file is written beside the printed table; both are the same."""
    path = written(tmp_path, SOME)
    printed = as_json(run(path, "--json"))
    assert printed["metrics"]["accuracy"] == {"accuracy": 4 / 6}
    assert printed["metrics"]["precision"] == {"click": 0.75, "scroll": 0.0, "type": 1.0}
    assert printed["report"]["averages"]["macro"]["precision"] == pytest.approx(1.75 / 3)
    assert [c["label"] for c in printed["report"]["classes"]] == ["click", "scroll", "type"]
    run(path, "--out", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text()) == printed


def test_labels_that_look_alike_are_members_of_their_own(tmp_path: Path) -> None:
    """1 and "1" don't become one member of the JSON."""
    found = as_json(run(written(tmp_path, [row(1, 1), row("1", "2")]), "--json"))
    assert found["metrics"]["recall"] == {"1 (number)": 1.0, "1": 0.0, "2": 0.0}


def test_yaml_chooses_the_metrics(tmp_path: Path) -> None:
    """Parameters included."""
    config = tmp_path / "graph_config.yaml"
    config.write_text(
        "graph_properties:\n  metrics:\n    - recall\n    - {name: pass@k, params: {k: 2, task_key: task}}\n"
    )
    lines = [row("a", "a", task=1), row("a", "b", task=1), row("a", "a", task=2)]
    found = as_json(run(written(tmp_path, lines), "--config", config, "--json"))
    assert found["metrics"] == {"recall": {"a": 2 / 3, "b": 0.0}, "pass@k": {"pass@1": 0.75, "pass@2": 1.0}}
    assert "pass@1 0.750" in run(written(tmp_path, lines), "--config", config).output


def test_metrics_without_labels_need_no_keys(tmp_path: Path) -> None:
    """Attempts have flags only; a page of classes cannot be made of them."""
    config = tmp_path / "c.yaml"
    config.write_text("graph_properties: {metrics: [accuracy, {name: pass^k, params: {k: 2}}]}\n")
    path = written(tmp_path, flags("110"))
    found = as_json(run(path, "--config", config, "--json"))
    assert found["metrics"]["pass^k"] == {"success_rate": 2 / 3, "pass^1": 2 / 3, "pass^2": pytest.approx(1 / 3)}
    assert found["report"] is None
    assert "accuracy 0.667" in run(path, "--config", config).output
    with pytest.raises(InputError, match="--golden-key"):
        run(path, "--config", config, "--html", tmp_path / "x.html")


def test_rows_stream_where_keys_are_given(tmp_path: Path) -> None:
    """With the same numbers; standard input is a file too."""
    path = written(tmp_path, SOME)
    keys = ("--golden-key", "event", "--predicted-key", "tool", "--json")
    assert as_json(run(path, *keys)) == as_json(run(path, "--json"))
    assert as_json(run("-", *keys, stdin=path.read_bytes())) == as_json(run(path, "--json"))


def test_lines_that_are_no_rows_are_skipped_counted_and_said(tmp_path: Path) -> None:
    """The exit code is 3; blank lines are nothing."""
    bad = ["{broken", "[]", '{"golden": {}, "predicted": {}}', '{"correct": "false", "golden": {}, "predicted": {}}']
    done = run(written(tmp_path, [*SOME, "", *bad]), "--json")
    assert done.exit_code == 3
    found = as_json(done)
    assert found["about"]["rows"]["total"] == 6
    assert [entry["line"] for entry in found["about"]["unusable"]] == [8, 9, 10, 11]
    reasons = " ".join(entry["reason"] for entry in found["about"]["unusable"])
    for words in ("not JSON", "got list", "the key 'correct'", "got 'false'"):
        assert words in reasons
    assert "4 lines could not be used" in run(written(tmp_path, [*SOME, *bad])).stderr


def test_missing_labels(tmp_path: Path) -> None:
    """Wrong by default, left out or refused on demand."""
    path = written(tmp_path, [*SOME, '{"correct": false, "golden": {"event": "type"}, "predicted": {}}'])
    assert "1 row without a label, counted as wrong" in run(path).output
    assert as_json(run(path, "--json", "--missing", "skip"))["report"]["rows"]["used"] == 6
    with pytest.raises(InputError, match="label"):
        run(path, "--missing", "error")


@pytest.mark.parametrize("label", ["null", "NaN"])
def test_null_is_a_missing_label(tmp_path: Path, label: str) -> None:
    """A label that is null is missing, as one without a key is, and no class of its own."""
    line = '{"correct": false, "golden": {"event": "type"}, "predicted": {%s}}'
    with_null = run(written(tmp_path, [*SOME, line % f'"tool": {label}']), "--json")
    without = run(written(tmp_path, [*SOME, line % ""]), "--json")
    assert as_json(with_null)["report"] == as_json(without)["report"]
    assert "null" not in as_json(with_null)["report"]["classes"]


def test_flags_and_labels_disagree(tmp_path: Path) -> None:
    """The report says so; --judge chooses for report and metrics."""
    path = written(tmp_path, [row("a", "b", correct=True)])
    assert "1 row where the flag `correct` and the labels disagree" in run(path).output
    assert as_json(run(path, "--json", "--judge", "correct"))["report"]["accuracy"]["value"] == 1.0
    assert as_json(run(path, "--json", "--judge", "labels"))["metrics"]["accuracy"] == {"accuracy": 0.0}


@pytest.mark.parametrize(("value", "macro"), [("0", 0.25), ("1", 0.75), ("null", 0.5)])
def test_zero_division(tmp_path: Path, value: str, macro: float) -> None:
    """What the precision of a class is that was never predicted."""
    path = written(tmp_path, rows([("a", "a"), ("b", "a")]))
    found = as_json(run(path, "--json", "--zero-division", value))
    assert found["report"]["averages"]["macro"]["precision"] == macro


@pytest.mark.parametrize(
    ("lines", "options", "error", "words"),
    [
        ([], [], InputError, "it is empty"),
        (["", " "], [], InputError, "it is empty"),
        (["{broken"], [], InputError, "not JSON"),
        (SOME, ["--golden-key", "evnt"], SettingError, "did you mean 'event'"),
        (SOME, ["--golden-key", "evnt", "--predicted-key", "tool"], SettingError, "no row has 'evnt'"),
        (SOME, ["--cluster-key", "document"], InputError, "'document' in the metadata"),
        (['{"correct": true, "golden": {"a": 1, "b": 2}, "predicted": {"c": 1}}'], [], SettingError, "'a', 'b'"),
    ],
)
def test_bad_input_is_refused(
    tmp_path: Path, lines: list[Any], options: list[str], error: type[FieldwiseError], words: str
) -> None:
    """With a sentence that says what to do; the exit code of these is 2."""
    with pytest.raises(error, match=words):
        run(written(tmp_path, lines), *options)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """By name."""
    with pytest.raises(InputError, match=r"nowhere\.jsonl"):
        run(tmp_path / "nowhere.jsonl")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    """Results of evaluations are folders, rows with labels are files."""
    with pytest.raises(InputError, match="Expected a file of rows with labels, got the folder"):
        run(tmp_path)
    (tmp_path / "metrics.json").write_text("{}")
    with pytest.raises(InputError, match=r"the classes of an evaluation are in its report\.html"):
        run(tmp_path)


def test_clusters_give_an_interval_of_macro_f1(tmp_path: Path) -> None:
    """Documents are left out, not rows."""
    lines = [row("ab"[i % 2], "ab"[(i // 3) % 2], document=f"d{i // 4}") for i in range(40)]
    found = as_json(run(written(tmp_path, lines), "--json", "--cluster-key", "document"))
    assert found["report"]["clusters"] == 10
    assert (found["report"]["macro_f1"]["unit"], found["report"]["macro_f1"]["n"]) == ("clusters", 10)


def test_help_shows_examples() -> None:
    """--help shows how to call it, what a line looks like, and the exit codes."""
    shown = run("--help").output
    assert "fieldwise classify results.jsonl --config graph_config.yaml" in shown
    assert '"golden": {"event": "click"}' in shown
    assert "Exit codes" in shown
