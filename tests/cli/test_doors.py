"""What all commands do alike: pages, folders that are replaced, JSON that steers no terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fieldwise import Plan, Spec
from fieldwise.api import evaluate_pairs
from tests.command_line import run

RIGHT_TO_LEFT = "\u202e"


@pytest.fixture
def inputs(tmp_path: Path) -> tuple[Path, Path]:
    """Eight documents with confidences, two of them wrong and one nearly right."""
    expected, predicted = tmp_path / "e.jsonl", tmp_path / "p.jsonl"
    names = [f"Ada Lovelace {'abcdefgh'[n]}x" for n in range(8)]
    others = [name.upper() if n == 2 else "nobody" if n < 2 else name for n, name in enumerate(names)]
    expected.write_text("".join(json.dumps({"id": str(n), "name": name}) + "\n" for n, name in enumerate(names)))
    rich = ({"_value": name, "_confidence": 0.9 - n / 100} for n, name in enumerate(others))
    predicted.write_text("".join(json.dumps({"id": str(n), "name": name}) + "\n" for n, name in enumerate(rich)))
    return expected, predicted


def test_every_command_with_a_page_writes_it_to_a_file(tmp_path: Path, inputs: tuple[Path, Path]) -> None:
    """``--html FILE``, with and without a folder for the rest, also where folders above it are not there."""
    out, documents = tmp_path / "out", tmp_path / "documents"
    assert run("evaluate", *inputs, "--out", out, "--results-json", documents).returncode == 0
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"correct": true, "golden": {"a": "x"}, "predicted": {"a": "x"}}\n')
    commands: dict[str, tuple[str | Path, ...]] = {
        "evaluate": inputs,
        "calibrate": (out,),
        "sweep": (out, "name"),
        "aggregate": (documents,),
        "diff": (out, out),
        "classify": (rows,),
    }
    for name, arguments in commands.items():
        page = tmp_path / "pages" / f"{name}.html"
        done = run(name, *arguments, "--html", page)
        assert done.returncode in (0, 4), (name, done.stderr)
        assert 'id="answers"' in page.read_text("utf-8"), name
        assert str(page) in "".join((done.stdout + done.stderr).split("\n")), name
    assert not list(tmp_path.glob("fieldwise-*"))


def test_diff_says_how_a_page_is_asked_for(tmp_path: Path) -> None:
    """Where other commands have ``--out``."""
    done = run("diff", tmp_path, tmp_path, "--out", tmp_path / "x")
    assert done.returncode == 2
    assert "No such option '--out'; did you mean '--html'?" in done.stderr


def test_overwrite_replaces_the_results_of_documents(tmp_path: Path, inputs: tuple[Path, Path]) -> None:
    """The same command runs again; what is no longer there goes, and a folder with anything else is refused."""
    folder = tmp_path / "documents"
    command = ("evaluate", *inputs, "--results-json", folder, "--quiet")
    assert run(*command).returncode == 0
    again = run(*command)
    assert again.returncode == 2
    assert "holds the results of an earlier evaluation; --overwrite replaces it" in again.stderr
    (folder / "gone" / "evaluation").mkdir(parents=True)
    (folder / "gone" / "evaluation" / "results.2.json").write_text("{}")
    assert run(*command, "--overwrite").returncode == 0
    assert not (folder / "gone" / "evaluation" / "results.2.json").exists()
    assert len(list(folder.rglob("results.json"))) == 8
    (folder / "0" / "evaluation" / "mine.txt").write_text("x")
    refused = run(*command, "--overwrite")
    assert refused.returncode == 2
    assert "it holds 0/evaluation/mine.txt" in refused.stderr
    assert (folder / "0" / "evaluation" / "mine.txt").exists()


def test_labels_alone_judge_rows_without_a_flag(tmp_path: Path) -> None:
    """With ``--judge labels`` a row needs no ``correct``; metrics and report are those of equal labels."""
    rows = tmp_path / "rows.jsonl"
    labels = [("click", "click"), ("click", "type"), ("type", "type"), ("type", None)]
    lines = [{"golden": {"e": one}, "predicted": {} if other is None else {"t": other}} for one, other in labels]
    rows.write_text("".join(json.dumps(line) + "\n" for line in lines))
    without = run("classify", rows)
    assert without.returncode == 2
    assert "Expected the key 'correct'" in without.stderr
    for keys in ((), ("--golden-key", "e", "--predicted-key", "t")):
        done = run("classify", rows, "--judge", "labels", "--json", *keys)
        assert done.returncode == 0, done.stderr
        found = json.loads(done.stdout)
        assert found["metrics"]["accuracy"] == {"accuracy": 0.5}
        assert found["report"]["rows"]["disagree"] == 0


def test_errors_are_errors(inputs: tuple[Path, Path]) -> None:
    """Values that match but are not identical are listed on request."""
    done = evaluate_pairs(inputs[0], predicted=inputs[1], rows=True)
    assert done.errors("name")["outcome"].to_pylist() == ["mismatch", "mismatch"]
    assert done.run.errors("name").equals(done.errors("name"))
    assert done.errors("name", outcome="match")["id"].to_pylist() == ["2"]
    assert len(done.errors("name", outcome=None)) == 3


def test_a_comparison_shows_itself_as_a_table() -> None:
    """In a shell as lines, in a notebook as HTML in which every value is text."""
    plan = Plan.compile(Spec.infer([{"name": "Ada", "total": 10.0}]))
    comparison = plan.compare({"name": "<b>Ada</b>", "total": 10.0}, {"name": "Bob", "total": 10.0})
    lines = str(comparison).splitlines()
    assert any(line.split()[:3] == ["name", "<b>Ada</b>", "Bob"] for line in lines)
    assert "ObjectResult" not in str(comparison)
    html = comparison._repr_html_()
    assert "&lt;b&gt;Ada&lt;/b&gt;" in html
    assert "<table>" in html


def test_json_turns_no_text_around(tmp_path: Path) -> None:
    """Marks of direction are escaped in what every command prints as JSON."""
    name = f"na{RIGHT_TO_LEFT}me"
    for side, value in (("e", "x"), ("p", "y")):
        lines = [{"id": f"{n}{RIGHT_TO_LEFT}", name: {"_value": value, "_confidence": 0.5}} for n in range(8)]
        (tmp_path / f"{side}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    out, documents = tmp_path / "out", tmp_path / "documents"
    inputs = (tmp_path / "e.jsonl", tmp_path / "p.jsonl")
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"correct": True, "golden": {"a": name}, "predicted": {"a": name}}) + "\n")
    printed = [
        run("evaluate", *inputs, "--out", out, "--results-json", documents, "--json"),
        run("show", out, "--json"),
        run("diff", out, out, "--json"),
        run("gate", "--baseline", out, out, "--json"),
        run("calibrate", out, "--json"),
        run("aggregate", documents, "--json"),
        run("classify", rows, "--json"),
    ]
    for done in printed:
        assert json.loads(done.stdout), done.stderr
        assert RIGHT_TO_LEFT not in done.stdout


@pytest.mark.parametrize("key", ["x-fieldwise-weight", "x-aws-stickler-weight", "x-aws-idp-evaluation-weight"])
def test_a_weight_that_leaves_no_room_for_others_is_refused(
    tmp_path: Path, inputs: tuple[Path, Path], key: str
) -> None:
    """With three of 1e308 one wrong value of three would cost nothing."""
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"type": "object", "properties": {"name": {"type": "string", key: 1e308}}}))
    done = run("evaluate", *inputs, "--schema", schema)
    assert done.returncode == 2
    assert "Expected a weight of at most 1,000,000,000 for `weight`, got 1e+308 - at $.name" in done.stderr
