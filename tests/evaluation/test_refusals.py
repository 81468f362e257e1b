"""What an evaluation refuses before its first document, and what it says of its input."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from fieldwise import InputError, SettingError, Spec, evaluate_pairs, open_pairs
from fieldwise.evaluation.checkpoint import FOLDER
from tests.evaluation.conftest import Call
from tests.folders import files_of
from tests.readers.files import write_folder, write_lines

INVOICES = {f"d{k}": {"number": f"INV-{k}", "total": k + 0.5} for k in range(10)}


def lines_of(documents: Mapping[str, Any]) -> list[Any]:
    return [{"id": name, **document} for name, document in documents.items()]


@pytest.fixture
def sides(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders of the same documents."""
    return write_folder(tmp_path / "expected", INVOICES), write_folder(tmp_path / "predicted", INVOICES)


@pytest.mark.parametrize("form", ["folders", "lines", "pairs"])
def test_inputs_without_an_id_in_common_are_refused(form: str, tmp_path: Path, call: Call) -> None:
    """Nothing could be compared: exit 2, with an id of each side."""
    others = {f"{name}.pdf": document for name, document in INVOICES.items()}
    if form == "folders":
        inputs = [write_folder(tmp_path / "expected", INVOICES), write_folder(tmp_path / "predicted", others)]
    elif form == "lines":
        inputs = [
            write_lines(tmp_path / f"{k}.jsonl", lines_of(documents)) for k, documents in enumerate([INVOICES, others])
        ]
    else:
        apart = [{"id": name, "expected": document} for name, document in INVOICES.items()]
        apart += [{"id": name, "predicted": document} for name, document in others.items()]
        inputs = [write_lines(tmp_path / "pairs.jsonl", apart)]
    done = call("evaluate", *inputs)
    assert done.code == 2
    assert "No prediction was matched; expected ids look like 'd0', predicted ones like 'd0.pdf'" in done.err
    assert not done.out


def test_one_id_in_common_far_into_the_files_is_enough(tmp_path: Path) -> None:
    """Ids are looked for in all lines before an input is refused."""
    left = write_lines(tmp_path / "e.jsonl", [{"id": f"e{k}", "x": 1} for k in range(5000)] + [{"id": "z", "x": 1}])
    right = write_lines(tmp_path / "p.jsonl", [{"id": f"p{k}", "x": 1} for k in range(5000)] + [{"id": "z", "x": 1}])
    found = evaluate_pairs(open_pairs(left, right))
    assert found.metrics.documents == {"no_expected": 5000, "no_prediction": 5000, "scored": 1}
    facts = found.metrics.notes[0].facts
    assert (facts["matched"], facts["expected"], facts["predicted"]) == (1, 5_001, 5_001)


@pytest.mark.parametrize("side", [0, 1])
def test_an_empty_folder_is_named(side: int, sides: tuple[Path, Path], tmp_path: Path, call: Call) -> None:
    """A folder without documents is the first thing to know."""
    (tmp_path / "empty").mkdir()
    inputs = [*sides]
    inputs[side] = tmp_path / "empty"
    done = call("evaluate", *inputs)
    assert (done.code, done.err.strip()) == (2, "Error: empty/ holds no .json file")


def test_a_set_without_predictions_is_refused(tmp_path: Path) -> None:
    """Zero would be a number about nothing."""
    empty = write_lines(tmp_path / "predicted.jsonl", [])
    expected = write_lines(tmp_path / "expected.jsonl", lines_of(INVOICES))
    with pytest.raises(InputError, match=r"predicted\.jsonl: no predicted document"):
        evaluate_pairs(open_pairs(expected, empty))
    with pytest.raises(InputError, match="no predicted document"):
        evaluate_pairs({"id": name, "expected": document} for name, document in INVOICES.items())


@pytest.mark.parametrize(("kept", "said"), [(4, True), (5, False)])
def test_fewer_than_half_in_common_is_said(kept: int, said: bool, sides: tuple[Path, Path], call: Call) -> None:
    """A sentence in the footer names ids without a partner."""
    for path in sorted(sides[1].iterdir())[kept:]:
        path.rename(path.with_suffix(".pdf.json"))
    done = call("evaluate", *sides)
    sentence = f"Only {kept} of 10 expected documents and 10 predictions match; ids without a partner: 'd4', 'd4.pdf' …"
    assert (sentence in done.out) == said


def test_a_schema_that_fits_nothing_is_refused(sides: tuple[Path, Path], tmp_path: Path, call: Call) -> None:
    """Some declared names and some of those in the documents are listed."""
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"type": "object", "properties": {"name": {"type": "string"}}}))
    done = call("evaluate", *sides, "--schema", schema)
    assert done.code == 2
    assert "the spec declares 'name', the documents have 'number', 'total'" in done.err


def test_one_declared_field_in_one_document_is_enough() -> None:
    """A field that is rare is no wrong schema, wherever its document is."""
    pairs = [(f"d{k:04}", {"rare" if k == 900 else "x": 1}, {"x": 1}) for k in range(901)]
    spec = Spec.from_json_schema({"type": "object", "properties": {"rare": {"type": "integer"}}})
    assert evaluate_pairs(pairs, spec).metrics.fields["rare"].fn == 1
    with pytest.raises(SettingError, match="declares 'rare'"):
        evaluate_pairs(pairs[:900], spec)


def test_a_schema_is_told_where_the_documents_are(sides: tuple[Path, Path], tmp_path: Path) -> None:
    """Where the declared fields are one level deeper, the path is proposed."""
    wrapped = write_folder(tmp_path / "wrapped", {name: {"result": d} for name, d in INVOICES.items()})
    spec = Spec.from_json_schema({"type": "object", "properties": {"total": {"type": "number"}}})
    with pytest.raises(SettingError, match="read them with expected_at='result'"):
        evaluate_pairs(open_pairs(wrapped, sides[1]), spec)


WRAPPED: dict[str, Callable[[Any], Any]] = {
    "result": lambda d: {"result": d},
    "data.document": lambda d: {"data": {"document": d}, "model": "m"},
    "choices[0].message.content": lambda d: {"choices": [{"message": {"content": json.dumps(d)}}]},
}


@pytest.mark.parametrize(
    ("side", "path"),
    [*(("predicted", path) for path in WRAPPED), ("expected", "result"), ("expected", "data.document")],
)
def test_a_wrapper_is_noticed_and_opened(side: str, path: str, tmp_path: Path, call: Call) -> None:
    """The sentence proposes the path, and with it every value is right."""
    inputs = {}
    for name in ("expected", "predicted"):
        documents = {k: WRAPPED[path](d) if name == side else d for k, d in INVOICES.items()}
        inputs[name] = write_folder(tmp_path / name, documents)
    plain = call("evaluate", *inputs.values(), "--json")
    note = {"code": "input.under_key", "facts": {"side": side, "key": path}}
    assert json.loads(plain.out)["notes"][0] == note
    quoted = f"'{path}'" if "[" in path else path
    assert f"; --{side}-at {quoted} compares what is there." in call("evaluate", *inputs.values()).out
    opened = json.loads(call("evaluate", *inputs.values(), "--json", f"--{side}-at", path).out)
    assert opened["aggregate"]["strict_f1"] == 1.0
    assert note not in opened["notes"]
    one = [folder / "d3.json" for folder in inputs.values()]
    assert call("compare", *one, f"--{side}-at", path).code == 0


def test_documents_of_one_shape_need_no_path(sides: tuple[Path, Path], call: Call) -> None:
    """Nested objects that both sides have are no wrappers."""
    assert json.loads(call("evaluate", *sides, "--json").out)["notes"] == []


def test_a_prediction_without_the_path_counts_as_missed(sides: tuple[Path, Path], tmp_path: Path, call: Call) -> None:
    """It is listed with what it has instead; an expected document without the path is a failure."""
    documents = {name: {"result": d} for name, d in INVOICES.items()} | {"d3": {"error": "timeout"}}
    wrapped = write_folder(tmp_path / "wrapped", documents)
    done = call("evaluate", sides[0], wrapped, "--predicted-at", "result", "--out", tmp_path / "out")
    assert done.code == 3
    assert "d3: the predicted document has nothing at 'result'; it has 'error'" in done.out
    metrics = json.loads((tmp_path / "out" / "metrics.json").read_bytes())
    assert (metrics["aggregate"]["fn"], metrics["aggregate"]["tp"]) == (2, 18)
    other = evaluate_pairs(open_pairs(wrapped, sides[1], expected_at="result"))
    assert other.metrics.documents == {"scored": 9, "unreadable_expected": 1}


def test_a_path_that_is_nowhere_is_refused(sides: tuple[Path, Path], call: Call) -> None:
    """A misspelt path is a wrong setting, and no set of bad predictions."""
    done = call("evaluate", *sides, "--predicted-at", "totel")
    assert done.code == 2
    assert "No predicted document has anything at 'totel' for --predicted-at" in done.err
    assert "did you mean 'total'?" in done.err


def test_another_path_is_not_resumed(tmp_path: Path) -> None:
    """Where documents were taken from belongs to what is resumed."""
    pairs = [(f"d{k}", {"a": {"x": 1}, "b": {"x": 1}}, {"a": {"x": 1}, "b": {"x": 2}}) for k in range(9)]

    def stop(done: int, earlier: int) -> None:
        raise KeyboardInterrupt

    def evaluate(path: str, **settings: Any) -> Any:
        source = open_pairs(pairs, expected_at=path, predicted_at=path)
        return evaluate_pairs(source, out=tmp_path / "out", shard_documents=3, **settings)

    with pytest.raises(KeyboardInterrupt):
        evaluate("a", progress=stop)
    with pytest.raises(SettingError, match="Cannot resume: expected_at, predicted_at changed"):
        evaluate("b", resume=True)
    assert evaluate("a", resume=True).metrics.aggregate.tp == 9


@pytest.mark.parametrize("place", ["expected", "predicted", "expected/results"])
def test_results_are_not_written_into_inputs(place: str, sides: tuple[Path, Path], tmp_path: Path, call: Call) -> None:
    """They would be read as documents the next time."""
    done = call("evaluate", *sides, "-o", tmp_path / place)
    assert done.code == 2
    assert "it would be part of the input" in done.err
    assert sorted(path.name for path in (tmp_path / place).glob("*")) == (
        [] if "/" in place else sorted(f"{name}.json" for name in INVOICES)
    )


def test_a_folder_of_something_else_is_refused(sides: tuple[Path, Path], tmp_path: Path, call: Call) -> None:
    """Also with --overwrite, and also where only a report of somebody is there."""
    for name in ("report.html", "thesis.txt"):
        other = tmp_path / name.replace(".", "_")
        other.mkdir()
        (other / name).write_text("mine")
        for options in ((), ("--overwrite",)):
            done = call("evaluate", *sides, "--out", other, *options)
            assert done.code == 2
            assert f"it holds '{name}'" in done.err
        assert (other / name).read_text() == "mine"


def test_a_result_is_replaced_only_where_that_is_asked(sides: tuple[Path, Path], tmp_path: Path, call: Call) -> None:
    """--overwrite replaces it; without, and with --resume, nothing is touched."""
    out = tmp_path / "out"
    out.mkdir()
    (out / ".gitkeep").touch()
    assert call("evaluate", *sides, "--out", out, "--title", "The first").code == 0
    assert "The first" in (out / "report.html").read_text()
    before = files_of(out)
    assert "--overwrite replaces it" in call("evaluate", *sides, "--out", out).err
    assert "nothing to resume" in call("evaluate", *sides, "--out", out, "--resume").err
    assert "give one of them" in call("evaluate", *sides, "--out", out, "--resume", "--overwrite").err
    assert files_of(out) == before
    assert call("evaluate", *sides, "--out", out, "--overwrite", "--title", "The second").code == 0
    assert "The second" in (out / "report.html").read_text()


def test_what_was_stopped_is_continued_or_replaced(sides: tuple[Path, Path], tmp_path: Path, call: Call) -> None:
    """Neither happens by accident."""
    (tmp_path / "out" / FOLDER).mkdir(parents=True)
    done = call("evaluate", *sides, "--out", tmp_path / "out")
    assert done.code == 2
    assert "--resume continues it, --overwrite replaces it" in done.err
    assert call("evaluate", *sides, "--out", tmp_path / "out", "--overwrite").code == 0


def test_other_commands_replace_files_only_where_that_is_asked(
    sides: tuple[Path, Path], tmp_path: Path, call: Call
) -> None:
    """Sweeps and sums ask for --overwrite, too; results to add up are no place for their sum."""
    out = tmp_path / "out"
    pairs = [(f"d{k}", {"note": f"words about it {'x' * k}"}, {"note": "words about it"}) for k in range(9)]
    schema = {
        "type": "object",
        "properties": {"note": {"type": "string", "x-aws-stickler-comparator": "LevenshteinComparator"}},
    }
    evaluate_pairs(pairs, Spec.from_json_schema(schema), out=out)
    assert call("sweep", out, "note", "-o", out).code == 0
    assert "sweep.json exists already; --overwrite replaces it" in call("sweep", out, "note", "-o", out).err
    assert call("sweep", out, "note", "-o", out, "--overwrite").code == 0
    assert call("evaluate", *sides, "--out", out, "--overwrite").code == 0
    assert "part of the input" in call("aggregate", sides[0], "--out", sides[0] / "sum").err


def test_unknown_fields_of_limits_are_refused_before_the_first_document(
    sides: tuple[Path, Path], tmp_path: Path, call: Call
) -> None:
    """Nothing is evaluated, printed or written."""
    done = call("evaluate", *sides, "--out", tmp_path / "out", "--fail-under", "totl:f1=0.9")
    assert (done.code, done.out) == (2, "")
    assert "No field 'totl' for --fail-under; did you mean 'total'?" in done.err
    assert not (tmp_path / "out").exists()


def test_two_folders_are_evaluated_and_not_compared(sides: tuple[Path, Path], call: Call) -> None:
    """The right command is there to copy."""
    done = call("compare", *sides)
    assert done.code == 2
    assert f"fieldwise evaluate {sides[0]} {sides[1]}" in done.err


def test_an_unreadable_prediction_without_partner_says_both(tmp_path: Path, call: Call) -> None:
    """That nobody expects it, and that it is not JSON."""
    left = write_lines(tmp_path / "e.jsonl", [{"id": "a", "x": 1}])
    right = write_lines(tmp_path / "p.jsonl", [{"id": "a", "x": 1}, b'{"id": "b", "x": '])
    done = call("evaluate", left, right)
    assert "b: a prediction without an expected document; it is not scored; line 2 of p.jsonl is not JSON" in done.out


def test_progress_goes_to_terminals_only(sides: tuple[Path, Path], call: Call) -> None:
    """A log holds no progress."""
    assert call("evaluate", *sides).err == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete(shell: str, call: Call) -> None:
    """The script asks fieldwise itself."""
    done = call("completion", shell)
    assert done.code == 0
    assert f"_FIELDWISE_COMPLETE={shell}_complete" in done.out


def test_summaries_of_commands_are_whole(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """No summary in the list of commands is cut, on a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    commands = call("--help").out.partition("Commands:")[2]
    assert "evaluate" in commands
    assert "..." not in commands
    assert call("-V").out.startswith("fieldwise, version")
