"""The form of input is decided for a whole side, and alike for both."""

from __future__ import annotations

import csv
import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise import Evaluation, InputError, Metrics, SettingError, Spec, evaluate_pairs
from fieldwise.results.notes import Note
from tests.command_line import run
from tests.readers.files import write_folder, write_lines, write_zip
from tests.strategies import examples

Documents = Sequence[Mapping[str, Any]]


def of_lines(expected: Sequence[Any], predicted: Sequence[Any], tmp_path: Path) -> Metrics:
    """Evaluate two files of lines."""
    paths = write_lines(tmp_path / "e.jsonl", expected), write_lines(tmp_path / "p.jsonl", predicted)
    return evaluate_pairs(paths[0], predicted=paths[1]).metrics


def as_folder(documents: Documents, path: Path) -> Any:
    return write_folder(path, {f"d{k}": d for k, d in enumerate(documents)})


def as_zip(documents: Documents, path: Path) -> Any:
    return write_zip(path.with_suffix(".zip"), {f"d{k}.json": d for k, d in enumerate(documents)})


def as_lines(documents: Documents, path: Path) -> Any:
    return write_lines(path.with_suffix(".jsonl"), documents)


def as_list(documents: Documents, path: Path) -> Any:
    path.with_suffix(".json").write_text(json.dumps(documents))
    return path.with_suffix(".json")


def as_csv(documents: Documents, path: Path) -> Any:
    columns = list(dict.fromkeys(key for d in documents for key in d))
    with path.with_suffix(".csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(columns)
        rows.writerows([json.dumps(d[key]) if key in d else "" for key in columns] for d in documents)
    return path.with_suffix(".csv")


def as_parquet(documents: Documents, path: Path) -> Any:
    columns = dict.fromkeys(key for d in documents for key in d)
    cells = {key: [json.dumps(d[key]) if key in d else None for d in documents] for key in columns}
    pq.write_table(pa.table(cells), path.with_suffix(".parquet"))
    return path.with_suffix(".parquet")


def as_dicts(documents: Documents, _: Path) -> Any:
    return {f"d{k}": d for k, d in enumerate(documents)}


def as_frame(documents: Documents, _: Path) -> Any:
    return pd.DataFrame([{"row": f"r{k}", **d} for k, d in enumerate(documents)])


def counts(metrics: Metrics) -> tuple[int, int, int, int]:
    """Return matches, mismatches, spurious and missed values."""
    total = metrics.aggregate
    return total.tp, total.fd, total.fa, total.fn


# Ids

INVOICES = [{"id": f"inv-{k}", "total": 10.0 + k} for k in range(50)]


@pytest.mark.parametrize("line", [0, 1, 10, 49])
@pytest.mark.parametrize("no_id", [{}, {"id": None}, {"id": ""}])
def test_one_line_without_an_id_is_one_line_without_an_id(line: int, no_id: dict[str, Any], tmp_path: Path) -> None:
    """Wherever it is, all others are matched by their ids; the prediction belongs to no document, and is listed."""
    predicted: list[Any] = [dict(d) for d in INVOICES[::-1]]
    lost = predicted[line].pop("id")
    predicted[line] |= no_id
    found = of_lines(INVOICES, predicted, tmp_path)
    assert counts(found) == (49, 0, 0, 1)
    assert found.documents == {"scored": 49, "no_prediction": 1, "failed": 1}
    reason = f"line {line + 1} of p.jsonl has no 'id', which others have; it belongs to no document"
    listed = {failure.doc_id: failure.error for failure in found.errors}
    assert listed[f"line-{line + 1:06d} (predicted)"] == reason
    assert lost in listed
    assert "id" not in found.fields
    assert run("evaluate", str(tmp_path / "e.jsonl"), str(tmp_path / "p.jsonl")).returncode == 3


def test_an_expected_line_without_an_id_is_a_failure(tmp_path: Path) -> None:
    """It is no truth of any prediction."""
    expected: list[Any] = [{"total": 5}, *INVOICES[1:]]
    found = of_lines(expected, INVOICES, tmp_path)
    assert found.documents == {"scored": 49, "unreadable_expected": 1, "no_expected": 1}
    assert "line 1 of e.jsonl has no 'id', which others have" in [failure.error for failure in found.errors]


def test_matching_by_line_is_said(tmp_path: Path) -> None:
    """Where one file has no ids at all, lines go with lines."""
    found = of_lines(INVOICES, [{"total": d["total"]} for d in INVOICES], tmp_path)
    assert found.aggregate.tp == 50
    assert found.notes[0] == Note.of("input.matched_by_position", unit="lines", without=["p.jsonl"])


def test_the_id_is_a_key_that_both_sides_have(tmp_path: Path) -> None:
    """What else is called so on one side is a field."""
    expected = [{"id": k, "document_id": f"D-{k}", "x": k} for k in range(9)]
    found = of_lines(expected, [{"document_id": f"D-{k}", "x": k} for k in range(9)[::-1]], tmp_path)
    assert (found.fields["x"].tp, found.fields["id"].fn) == (9, 9)


def test_a_whole_number_is_one_id_in_integers_and_floats(tmp_path: Path) -> None:
    """Pandas writes ids as floats where one is missing."""
    assert of_lines([{"id": 1, "x": 2}], [{"id": 1.0, "x": 2}], tmp_path).aggregate.tp == 1


@pytest.mark.parametrize("form", [as_lines, as_folder, as_zip, as_dicts])
def test_names_are_the_same_however_their_accents_are_written(form: Any, tmp_path: Path) -> None:
    """Composed on one side and decomposed on the other, as archives of some systems are; a note says so in files."""
    sides: list[Any] = []
    ways: list[tuple[str, Literal["NFC", "NFD"]]] = [("e", "NFC"), ("p", "NFD")]
    for side, way in ways:
        named = {unicodedata.normalize(way, name): {"x": k} for k, name in enumerate(("café", "über", "plain"))}
        (tmp_path / side).mkdir()
        if form is as_lines:
            sides.append(write_lines(tmp_path / side / "d.jsonl", [{"id": name, **d} for name, d in named.items()]))
        elif form is as_folder:
            sides.append(write_folder(tmp_path / side / "d", named))
        elif form is as_zip:
            sides.append(write_zip(tmp_path / side / "d.zip", {f"{name}.json": d for name, d in named.items()}))
        else:
            sides.append(named)
    found = evaluate_pairs(sides[0], predicted=sides[1]).metrics
    assert (found.documents, counts(found)) == ({"scored": 3}, (3, 0, 0, 0))
    assert form is as_dicts or found.notes[0].code == "input.ids_in_two_forms"


def test_a_side_may_have_a_name_in_both_forms(tmp_path: Path) -> None:
    """They are two documents; each meets the one that is written like it."""
    names = [unicodedata.normalize("NFC", "é"), unicodedata.normalize("NFD", "é")]
    folders = [write_folder(tmp_path / side, {name: {"x": len(name)} for name in names}) for side in "ep"]
    assert counts(evaluate_pairs(folders[0], predicted=folders[1]).metrics) == (2, 0, 0, 0)


def test_a_field_in_another_form_of_unicode_is_named(tmp_path: Path) -> None:
    """It is another key in JSON; a sentence says why two that look the same are missed and invented."""
    names = [unicodedata.normalize("NFC", "größe"), unicodedata.normalize("NFD", "größe")]
    found = of_lines([{"id": 1, names[0]: 5}], [{"id": 1, names[1]: 5}], tmp_path)
    assert counts(found) == (0, 0, 1, 1)
    assert [note.facts["in_other_form"] for note in found.notes] == [names[1]]


def test_printed_json_turns_no_text_around(tmp_path: Path) -> None:
    """Signs of direction are escaped, as control characters are."""
    of_lines([{"id": "a\u202eb", "x": 1}], [{"id": "a\u202eb", "x": "\u2066"}, {"id": "\u200f", "x": 1}], tmp_path)
    done = run("evaluate", tmp_path / "e.jsonl", tmp_path / "p.jsonl", "--json")
    assert Metrics.from_json(done.stdout).errors[0].doc_id == "\u200f"
    assert not set("\u202e\u2066\u200f").intersection(done.stdout)


# Envelopes


def test_an_optional_field_makes_no_envelope(tmp_path: Path) -> None:
    """Documents without a sender are not other documents, whatever the names of their fields."""
    for name in ("target", "output", "document", "label", "extracted"):
        documents = [{"id": k, "sender": f"s{k}", name: {"iban": f"DE{k}", "amount": k}} for k in range(40)]
        for document in documents[::4]:
            del document["sender"]
        found = of_lines(documents, documents, tmp_path)
        assert counts(found) == (110, 0, 0, 0)
        assert set(found.fields) == {"sender", name, f"{name}.amount", f"{name}.iban"}
        folders = [write_folder(tmp_path / name / side, {str(d["id"]): d for d in documents}) for side in "ep"]
        assert counts(evaluate_pairs(folders[0], predicted=folders[1]).metrics)[1:] == (0, 0, 0)


def test_an_envelope_is_one_on_either_side(tmp_path: Path) -> None:
    """One list of words holds for both sides; a side without the key has its documents as they are."""
    plain = [{"id": str(k), "iban": f"DE{k}", "amount": k} for k in range(20)]
    for word in ("document", "target", "output", "prediction", "truth", "inference_result"):
        wrapped = [{"id": d["id"], word: {k: v for k, v in d.items() if k != "id"}} for d in plain]
        for sides in ((plain, wrapped), (wrapped, plain), (wrapped, wrapped)):
            assert counts(of_lines(*sides, tmp_path)) == (40, 0, 0, 0), (word, sides[0][0], sides[1][0])


def test_a_key_that_the_other_side_has_beside_data_is_a_field(tmp_path: Path) -> None:
    """A field that one system never fills is missed, and the others are still where they were."""
    expected = [{"id": k, "target": {"iban": k}} for k in range(20)]
    predicted: list[Any] = [
        *({"id": k, "target": {"iban": k}} for k in range(19)),
        {"id": 19, "sender": "x", "target": {}},
    ]
    found = of_lines(expected, predicted, tmp_path)
    assert counts(found) == (19, 0, 1, 1)
    assert "target.iban" in found.fields


def test_a_document_outside_of_the_envelope_of_its_side_is_unreadable(tmp_path: Path) -> None:
    """It is listed with its reason, and scored as missed; an expected one is a failure."""
    wrapped: list[Any] = [{"id": k, "output": {"x": k}} for k in range(20)]
    plain: list[Any] = [{"id": k, "x": k} for k in range(20)]
    found = of_lines(plain, [*wrapped[:19], {"id": 19, "error": "timeout"}], tmp_path)
    assert found.documents == {"scored": 19, "unreadable_prediction": 1}
    assert counts(found) == (19, 0, 0, 1)
    assert found.errors[0].error == "there is no 'output', under which the other predicted documents are"
    turned = of_lines([*wrapped[:19], {"id": 19, "error": "timeout"}], plain, tmp_path)
    assert turned.documents == {"scored": 19, "unreadable_expected": 1}


def test_what_stands_beside_documents_is_named(tmp_path: Path) -> None:
    """A key that few envelopes have is not read, and that is said."""
    wrapped: list[Any] = [{"id": k, "output": {"x": k}} for k in range(20)]
    found = of_lines([{"id": k, "x": k} for k in range(20)], [*wrapped[:19], {**wrapped[19], "latency": 3}], tmp_path)
    assert counts(found) == (20, 0, 0, 0)
    assert found.notes == (
        Note.of("input.beside_documents", side="predicted", key="output", names=["latency"], count=1),
    )


def test_what_too_few_have_is_proposed(tmp_path: Path) -> None:
    """Nothing is opened where only some answers are wrapped; a sentence says how to."""
    plain = [{"id": k, "x": k} for k in range(20)]
    predicted = [{"id": k, "output": {"x": k}} if k < 16 else {"id": k, "error": "timeout"} for k in range(20)]
    found = of_lines(plain, predicted, tmp_path)
    assert found.aggregate.tp == 0
    assert found.notes[0] == Note.of("input.often_under_key", side="predicted", key="output")


@pytest.mark.parametrize("path", ["output", "result", "output.result", None])
def test_a_path_may_begin_at_the_envelope_or_in_it(path: str | None, tmp_path: Path) -> None:
    """Whoever names a place means the place that they see in their file."""
    inner = {"result": {"x": 1}} if path and "result" in path else {"x": 1}
    lines = [write_lines(tmp_path / "e.jsonl", [{"id": 1, "x": 1}]), tmp_path / "p.jsonl"]
    write_lines(lines[1], [{"id": 1, "output": inner}])
    at = ["--predicted-at", path] if path else []
    done = run("evaluate", *lines, *at, "--json")
    assert counts(Metrics.from_json(done.stdout)) == (1, 0, 0, 0)


@pytest.mark.parametrize("answer", ["I cannot help with that.", [], None, 5])
def test_a_refusal_under_the_key_of_documents_is_an_unreadable_prediction(answer: Any, tmp_path: Path) -> None:
    """As in a file of its own: every value is missed, the document is listed, and nothing is invented."""
    expected = [{"id": k, "x": k, "y": k} for k in range(12)]
    fenced = [{"id": k, "document": f"```json\n{json.dumps({'x': k, 'y': k})}\n```"} for k in range(11)]
    found = of_lines(expected, [*fenced, {"id": 11, "document": answer}], tmp_path)
    assert counts(found) == (22, 0, 0, 2)
    assert [failure.doc_id for failure in found.errors] == ["11"]
    assert run("evaluate", str(tmp_path / "e.jsonl"), str(tmp_path / "p.jsonl")).returncode == 3


def test_many_refusals_are_no_other_form(tmp_path: Path) -> None:
    """The key is there, whatever is under it."""
    expected = [{"id": k, "document": {"x": k}} for k in range(10)]
    predicted: list[Any] = [{"id": k, "document": {"x": k} if k < 4 else "sorry"} for k in range(10)]
    assert counts(of_lines(expected, predicted, tmp_path)) == (4, 0, 0, 6)


def test_texts_of_json_are_documents_on_both_sides(tmp_path: Path) -> None:
    """In pairs as in lines, whether all are texts or some."""
    documents = [{"x": k, "y": f"v{k}"} for k in range(40)]
    texts = [json.dumps(d) if k % 2 else d for k, d in enumerate(documents)]
    for sides in ((texts, documents), (documents, texts), (texts, texts)):
        pairs = [{"id": k, "expected": e, "predicted": p} for k, (e, p) in enumerate(zip(*sides, strict=True))]
        path = write_lines(tmp_path / "pairs.jsonl", pairs)
        assert counts(evaluate_pairs(path).metrics) == (80, 0, 0, 0)
        lines = [[{"id": k, "document": d} for k, d in enumerate(side)] for side in sides]
        assert counts(of_lines(lines[0], lines[1], tmp_path)) == (80, 0, 0, 0)


# Rich values


def of_pairs(expected: Documents, predicted: Documents) -> Metrics:
    pairs = [(str(k), e, p) for k, (e, p) in enumerate(zip(expected, predicted, strict=True))]
    return evaluate_pairs(pairs).metrics


def test_a_measurement_with_a_confidence_is_an_object() -> None:
    """What stands beside its value is compared where expected documents have it."""
    expected = [
        {"tests": [{"name": f"Hb{n}", "value": k + n, "unit": "g/dl", "confidence": 1} for n in range(2)]}
        for k in range(30)
    ]
    wrong = [{"tests": [{**t, "name": "other", "unit": "mmol"} for t in d["tests"]]} for d in expected]
    found = of_pairs(expected, wrong)
    assert (found.fields["tests.name"].tp, found.fields["tests.unit"].tp) == (0, 0)
    assert counts(of_pairs(expected, expected))[1:] == (0, 0, 0)


def test_a_value_beside_a_confidence_is_rich_where_a_value_is_expected() -> None:
    """Whatever else stands beside it; where the truth is written so too, both are unwrapped."""
    plain = [{"total": k} for k in range(9)]
    rich = [{"total": {"value": k, "confidence": 0.9, "page": 3}} for k in range(9)]
    bare = [{"total": {"value": k, "confidence": 0.1}} for k in range(9)]
    for sides in ((plain, rich), (plain, bare), (bare, bare), (bare, plain)):
        assert counts(of_pairs(*sides)) == (9, 0, 0, 0)
    nested = [{"s": {"unit": "g"}} for _ in range(9)]
    assert counts(of_pairs(nested, [{"s": {"value": d["s"], "confidence": 0.5}} for d in nested])) == (9, 0, 0, 0)


# The law

WORDS = ["id", "document", "target", "output", "expected", "label", "value", "confidence", "inference_result", "x", "y"]
LEAVES = st.one_of(st.integers(0, 3), st.sampled_from(["a", "b", '{"x": 1}', "[1]", "{"]))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.dictionaries(st.sampled_from(WORDS), inner, max_size=3) | st.lists(inner, max_size=2),
    max_leaves=5,
)
DOCUMENTS = st.lists(st.dictionaries(st.sampled_from(WORDS), VALUES, min_size=1, max_size=4), min_size=1, max_size=12)


FORMS: list[Callable[[Documents, Path], Any]] = [
    as_folder,
    as_zip,
    as_lines,
    as_list,
    as_csv,
    as_parquet,
    as_dicts,
    as_frame,
]


def evaluated(given: Any, predicted: Any) -> Evaluation | None:
    """Evaluate; None where it is refused that no document can be read or matched."""
    try:
        return evaluate_pairs(given, predicted=predicted)
    except InputError as error:
        if error.code not in ("spec.nothing_to_infer", "input.no_partner", "input.different_formats"):
            raise
        return None


@pytest.mark.parametrize("form", FORMS)
@settings(max_examples=examples(60), deadline=None)
@given(documents=DOCUMENTS)
def test_the_same_input_on_both_sides_has_no_error(form: Callable[[Documents, Path], Any], documents: Any) -> None:
    """In any form and with any keys; what is not counted is listed."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "p").mkdir()
        found = evaluated(form(documents, Path(folder) / "e"), form(documents, Path(folder) / "p" / "e"))
    assert found is None or counts(found.metrics)[1:] == (0, 0, 0), found.metrics.errors


@settings(max_examples=examples(60), deadline=None)
@given(documents=DOCUMENTS)
def test_the_same_documents_in_pairs_have_no_error(documents: Any) -> None:
    """In a file of pairs and in memory."""
    pairs = [{"id": f"d{k}", "expected": d, "predicted": d} for k, d in enumerate(documents)]
    with TemporaryDirectory() as folder:
        files = evaluated(write_lines(Path(folder) / "pairs.jsonl", pairs), None)
    memory = evaluated(pairs, None)
    for found in (files, memory):
        assert found is None or counts(found.metrics)[1:] == (0, 0, 0)


NAMED = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(WORDS[1:]), VALUES, max_size=3),
        st.dictionaries(st.sampled_from(WORDS[1:]), VALUES, max_size=3),
    ),
    min_size=2,
    max_size=8,
)


@settings(max_examples=examples(60), deadline=None)
@given(pairs=NAMED, data=st.data())
def test_moving_lines_changes_nothing(pairs: Any, data: st.DataObject) -> None:
    """Of either file; lines without an id are still lines without an id."""
    sides = [[{"id": f"d{k}", **pair[side]} for k, pair in enumerate(pairs)] for side in (0, 1)]
    del sides[1][data.draw(st.integers(0, len(pairs) - 1))]["id"]
    moved = [data.draw(st.permutations(side)) for side in sides]
    found = []
    for both in (sides, moved):
        with TemporaryDirectory() as folder:
            paths = [write_lines(Path(folder) / f"{k}.jsonl", side) for k, side in enumerate(both)]
            found.append(evaluated(*paths))
    assert (found[0] is None) == (found[1] is None)
    if found[0] is not None and found[1] is not None:
        assert counts(found[0].metrics) == counts(found[1].metrics)
        assert found[0].metrics.documents == found[1].metrics.documents


FLAT = st.dictionaries(st.sampled_from(WORDS[1:]), st.one_of(st.integers(0, 3), st.sampled_from("ab")), max_size=4)


@settings(max_examples=examples(60), deadline=None)
@given(
    pairs=st.lists(st.tuples(FLAT, FLAT), min_size=1, max_size=8), word=st.sampled_from([None, "document", "output"])
)
def test_turning_the_sides_changes_nothing_but_names(pairs: Any, word: str | None) -> None:
    """Of readable documents whose keys are all declared: what was missed is invented, and all else is as it was."""
    spec = Spec.from_json_schema(
        {"type": "object", "properties": {name: {"type": ["string", "number"]} for name in WORDS[1:]}}
    )
    sides = [
        [{"id": f"d{k}", **({word: pair[at]} if word else pair[at])} for k, pair in enumerate(pairs)] for at in (0, 1)
    ]
    found = []
    for both in (sides, sides[::-1]):
        with TemporaryDirectory() as folder:
            paths = [write_lines(Path(folder) / f"{k}.jsonl", side) for k, side in enumerate(both)]
            try:
                found.append(counts(evaluate_pairs(paths[0], spec, predicted=paths[1]).metrics))
            except (InputError, SettingError):
                found.append((0, 0, 0, 0))
    tp, fd, fa, fn = found[0]
    assert found[1] == (tp, fd, fn, fa)


def test_predictions_that_are_cut_off_say_nothing_of_the_form(tmp_path: Path) -> None:
    """Where most predictions are cut off before their document, the others are still taken out of what is around."""
    whole = {str(at): {"document_class": {"type": "A"}, "inference_result": {"total": at}} for at in range(5)}
    (tmp_path / "p").mkdir()
    write_folder(tmp_path / "e", whole)
    for name, document in whole.items():
        text = json.dumps(document) if name == "0" else '{"document_class": {"type": "A'
        (tmp_path / "p" / f"{name}.json").write_text(text)
    assert counts(evaluate_pairs(tmp_path / "e", predicted=tmp_path / "p").metrics) == (1, 0, 0, 4)
