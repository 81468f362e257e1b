"""Texts that stand for no value: which they are, where they are values after all, and what is said of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise import Plan, Spec, StructuredModel, evaluate_pairs
from fieldwise.api import Evaluation
from fieldwise.errors import SettingError
from fieldwise.results.notes import Note
from fieldwise.values import DEFAULT_WORDS
from tests.command_line import run

COUNTS = ("tp", "fd", "fa", "fn", "tn")


def evaluated(*pairs: tuple[Any, Any], spec: Spec | None = None, **settings: Any) -> Evaluation:
    """Evaluate pairs in memory."""
    expected = {f"d{at}": pair[0] for at, pair in enumerate(pairs)}
    predicted = {f"d{at}": pair[1] for at, pair in enumerate(pairs)}
    return evaluate_pairs(expected, spec, predicted=predicted, **settings)


def counts(*pairs: tuple[Any, Any], **settings: Any) -> tuple[int, ...]:
    """Return tp, fd, fa, fn and tn of all values."""
    aggregate = evaluated(*pairs, **settings).metrics.aggregate
    return tuple(getattr(aggregate, name) for name in COUNTS)


def field_counts(evaluation: Evaluation, field: str) -> tuple[int, ...]:
    return tuple(getattr(evaluation.metrics.fields[field], name) for name in COUNTS)


def test_a_predicted_word_for_nothing_is_no_invention(tmp_path: Path) -> None:
    """Where nothing is expected, ``n/a`` is right, and a sentence counts it."""
    line = {"id": "1", "expected": {"brand": "X", "color": None}, "predicted": {"brand": "X", "color": "n/a"}}
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(line))
    ended = run("evaluate", path)
    assert "1 match · 0 mismatch · 0 missed · 0 spurious · 1 absent on both sides" in ended.stdout
    assert "1 predicted text stands for no value" in " ".join(ended.stdout.split())
    assert "1 spurious" in run("evaluate", path, "--absent", "").stdout
    assert "1 spurious" in run("evaluate", path, "--absent", "-,none").stdout


def test_an_expected_word_for_nothing_is_not_missed() -> None:
    """Where nothing is predicted, an expected ``null`` as text is right."""
    assert counts(({"name": "Foo", "location": "null"}, {"name": "Foo", "location": None})) == (1, 0, 0, 0, 1)
    assert counts(({"name": "Foo", "location": "null"}, {"name": "Foo", "location": None}), absent="") == (
        1,
        0,
        0,
        1,
        0,
    )


def test_a_word_for_nothing_in_place_of_a_value_is_missed() -> None:
    """It is no wrong value: the expected one was not found, in fields of any kind."""
    expected = {"invoice_number": "RE-17", "date": "2024-03-01", "terms": "30 days net", "ok": True, "size": 4}
    predicted = {"invoice_number": "N/A", "date": "-", "terms": "n.a.", "ok": "null", "size": "—"}
    assert counts((expected, predicted)) == (0, 0, 0, 5, 0)


@pytest.mark.parametrize(
    "text",
    [
        *DEFAULT_WORDS,
        "N/A",
        "n/a ",
        "\tN.A.\n",
        "NULL",
        "NIL",
        "NaN",
        "–",
        "—",
        "––",
        "−",
        "ｎ／ａ",
        "－",
        "n / a",
        "n. a.",
        "- -",
    ],
)
def test_words_are_read_as_whole_texts_without_case(text: str) -> None:
    """Case, width, the kind of dash and blanks make no difference."""
    assert counts(({"a": "x", "b": None}, {"a": "x", "b": text})) == (1, 0, 0, 0, 1)


@pytest.mark.parametrize("text", ["Nil", "Nan", "Null", "NA", "(n/a)", "n/a.", "---", "none", "n/a yet", "-5"])
def test_anything_else_is_a_value(text: str) -> None:
    """Names in title case are names, and more than a word is more."""
    assert counts(({"a": "x", "b": None}, {"a": "x", "b": text})) == (1, 0, 1, 0, 0)


def test_a_word_in_place_of_an_object_or_a_list_is_absent() -> None:
    """All leaves that belong there are missed, and nothing is invented, on either side."""
    whole = {"a": "x", "o": {"b": "y", "c": 1}, "l": ["p", "q"], "r": [{"s": "u", "t": "v"}]}
    words = {"a": "x", "o": "n/a", "l": "N/A", "r": "-"}
    assert counts((whole, words)) == (1, 0, 0, 6, 0)
    assert counts((whole, whole), (words, whole)) == (8, 0, 6, 0, 0)
    assert counts((whole, whole), (words, {"a": "x"})) == (8, 0, 0, 0, 3)


def test_a_word_among_items_and_rows_is_no_item() -> None:
    """Items and rows of nothing but words are dropped, as null is, and are counted in the sentence."""
    expected = {"l": ["p", "n/a", "q"], "r": [{"s": "u"}, {"s": "-"}, {"s": "w"}]}
    predicted = {"l": ["q", "p"], "r": [{"s": "w"}, {"s": "u"}, {"s": None}, {"s": "n.a."}]}
    found = evaluated((expected, predicted))
    assert field_counts(found, "l") == (2, 0, 0, 0, 0)
    assert field_counts(found, "r") == (2, 0, 0, 0, 0)
    assert found.metrics.notes[0] == Note.of("values.absent_texts", expected=2, predicted=1, words=list(DEFAULT_WORDS))


def test_a_prediction_that_is_a_word_is_no_prediction() -> None:
    """Every expected value is missed, and the document is listed."""
    found = evaluated(({"a": "x"}, {"a": "x"}), ({"a": "y"}, "n/a"))
    assert field_counts(found, "a") == (1, 0, 0, 1, 0)
    assert len(found.metrics.errors) == 1


def test_an_undeclared_word_is_not_spurious() -> None:
    """What is absent counts under no key."""
    spec = Spec.from_json_schema({"type": "object", "properties": {"a": {"type": "string"}}})
    assert counts(({"a": "x"}, {"a": "x", "more": "n/a", "most": {"b": ["-"]}}), spec=spec) == (1, 0, 0, 0, 0)


def test_alternates_may_be_words() -> None:
    """Where no value is one of the acceptable ones, it is right to predict nothing."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "x-fieldwise-alternates": True}}}
    plan = Plan.compile(Spec.from_json_schema(schema))
    assert plan.compare({"a": {"any_of": ["x", "y"]}}, {"a": "n/a"}).counts()["fn"] == 1
    assert plan.compare({"a": "x"}, {"a": None}, alternates={"a": ["n/a"]}).counts()["tn"] == 1


def test_a_declared_choice_is_a_value() -> None:
    """A word of an enum or a const is what it says."""
    schema = {"type": "object", "properties": {"a": {"enum": ["yes", "no", "N/A"]}, "b": {"const": "-"}}}
    spec = Spec.from_json_schema(schema)
    assert counts(({"a": "N/A", "b": "-"}, {"a": "N/A", "b": "-"}), spec=spec) == (2, 0, 0, 0, 0)
    assert counts(({"a": "N/A", "b": "-"}, {"a": None, "b": "n/a"}), spec=spec) == (0, 0, 0, 2, 0)


def test_a_choice_of_other_values_makes_its_words_values() -> None:
    """Where other expected values are a few that repeat, a word among them is one; one only predicted is not."""
    pairs = [({"consent": value}, {"consent": value}) for value in ("given", "refused", "n/a") * 10]
    assert counts(*pairs) == (30, 0, 0, 0, 0)
    assert counts(*pairs, ({"consent": "given"}, {"consent": "-"})) == (30, 0, 0, 1, 0)


def test_a_dash_beside_a_plus_is_a_value() -> None:
    """Of a blood group or a test, minus is a result; other words still say nothing."""
    pairs = [({"rh": sign}, {"rh": sign}) for sign in ("+", "-", "+")]
    assert counts(*pairs, ({"rh": "-"}, {"rh": "+"}), ({"rh": "-"}, {"rh": "n/a"})) == (3, 1, 0, 1, 0)
    declared = {"type": "object", "properties": {"rh": {"type": "string", "x-fieldwise-comparator": "ExactComparator"}}}
    assert counts(*pairs, ({"rh": "-"}, {"rh": "+"}), spec=Spec.from_json_schema(declared)) == (3, 1, 0, 0, 0)


@pytest.mark.parametrize("zero", ["-", "—", "--", "nil", "NIL"])
def test_a_dash_in_an_amount_is_zero(zero: str) -> None:
    """It is 0 on either side, and no value is not 0; in a field of other numbers it stands for no value."""
    others = [({"price": "12.50", "age": "34"}, {"price": "12.50", "age": "34"})] * 3
    found = evaluated(*others, ({"price": "0.00", "age": "34"}, {"price": zero, "age": zero}))
    assert field_counts(found, "price") == (4, 0, 0, 0, 0)
    assert field_counts(found, "age") == (3, 0, 0, 1, 0)
    found = evaluated(*others, ({"price": zero, "age": zero}, {"price": None, "age": None}))
    assert field_counts(found, "price") == (3, 0, 0, 1, 0)
    assert field_counts(found, "age") == (3, 0, 0, 0, 1)
    found = evaluated(*others, ({"price": "0.00"}, {"price": zero}), absent="")
    assert field_counts(found, "price")[:2] == (3, 1)


def test_amounts_as_numbers_read_a_dash_too() -> None:
    """A JSON number of an amount equals the dash that stands for it; n/a stays no value."""
    others = [({"total": 12.5}, {"total": 12.5})] * 3
    assert counts(*others, ({"total": 0}, {"total": "-"}), ({"total": 5}, {"total": "n/a"})) == (4, 0, 0, 1, 0)


def test_ids_classes_and_slices_are_no_values(tmp_path: Path) -> None:
    """A document may be called n/a, be of the class nil and come from the vendor -."""
    pairs = tmp_path / "pairs.jsonl"
    lines = [
        {"id": name, "expected": {"kind": "nil", "a": "x"}, "predicted": {"a": "x"}, "metadata": {"vendor": "-"}}
        for name in ("n/a", "null")
    ]
    pairs.write_text("\n".join(map(json.dumps, lines)))
    found = evaluate_pairs(pairs, slices=["vendor"], rows=True)
    assert found.metrics.document_count == 2
    assert found.metrics.slices is not None
    assert list(found.metrics.slices["vendor"].values) == ["-"]


def test_other_words_that_stand_often_alone_are_named() -> None:
    """Twenty times, or several and one in a hundred values: the sentence proposes the option with all words."""
    usual = [({"a": "x", "b": "y"}, {"a": "x", "b": "y"})] * 600
    invented = [({"a": "x", "b": None}, {"a": "x", "b": "None"})]
    assert not evaluated(*usual, *invented * 11).metrics.notes
    (note,) = evaluated(*usual, *invented * 20).metrics.notes
    assert note.code == "values.perhaps_absent"
    assert note.facts["texts"] == [{"side": "predicted", "text": "none", "count": 20}]
    assert note.facts["words"] == ["n.a.", "n/a", "nan", "nil", "null", "-", "--"]
    missed = [({"a": "x", "b": "not found"}, {"a": "x", "b": None})] * 3
    (note,) = evaluated(*usual[:50], *missed).metrics.notes
    assert note.facts["texts"] == [{"side": "expected", "text": "not found", "count": 3}]
    assert counts(*missed, absent="not found") == (3, 0, 0, 0, 3)


def test_the_option_the_schema_and_python_say_the_same() -> None:
    """A list of texts, or one text with commas; a field may have a list of its own."""
    pair = ({"a": "x", "b": "y"}, {"a": "Missing", "b": "n/a"})
    schema: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    assert counts(pair, spec=Spec.from_json_schema({**schema, "x-fieldwise-absent": ["missing"]})) == (0, 1, 0, 1, 0)
    assert counts(pair, spec=Spec.from_json_schema({**schema, "x-fieldwise-absent": "missing, n/a"})) == (0, 0, 0, 2, 0)
    assert counts(pair, absent=["missing"]) == counts(pair, absent="missing") == (0, 1, 0, 1, 0)
    schema["properties"]["a"]["x-fieldwise-absent"] = ["missing"]
    assert counts(pair, spec=Spec.from_json_schema(schema)) == (0, 0, 0, 2, 0)
    assert counts(pair, spec=Spec.from_json_schema(schema), absent="") == (0, 2, 0, 0, 0)


@pytest.mark.parametrize("words", [5, [1], {"a": 1}, True])
def test_a_wrong_list_is_refused(words: Any) -> None:
    """What is no list of texts is refused with its place."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "x-fieldwise-absent": words}
    with pytest.raises(SettingError, match="Expected a list of texts"):
        Spec.from_json_schema(schema)
    with pytest.raises(SettingError, match="Expected a list of texts"):
        evaluated(({"a": "x"}, {"a": "x"}), absent=words)


def test_a_settings_file_sets_the_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key ``absent`` is what --absent would be."""
    (tmp_path / "fieldwise.toml").write_text('absent = "none"')
    (tmp_path / "e.json").write_text('{"a": null, "b": "y"}')
    (tmp_path / "p.json").write_text('{"a": "None", "b": "y"}')
    monkeypatch.chdir(tmp_path)
    assert run("compare", "e.json", "p.json").returncode == 0
    assert run("--no-settings", "compare", "e.json", "p.json").returncode == 1
    shown = run("compare", "e.json", "p.json", "--absent", "n/a")
    assert shown.returncode == 1


def test_the_closed_spec_has_the_words_and_those_of_fields(tmp_path: Path) -> None:
    """``spec.json`` evaluates other documents by the same rules, with the same fingerprint."""
    pairs = [({"rh": sign, "price": "1.50", "a": "x"}, {"rh": "-", "price": "-", "a": "n/a"}) for sign in "+-"]
    first = evaluated(*pairs, out=tmp_path / "first")
    spec = json.loads((tmp_path / "first" / "spec.json").read_text())
    assert spec["x-fieldwise-absent"] == list(DEFAULT_WORDS)
    assert spec["properties"]["rh"]["x-fieldwise-absent"] == ["n.a.", "n/a", "nan", "nil", "null"]
    assert spec["properties"]["price"]["x-fieldwise-absent"] == ["n.a.", "n/a", "nan", "null"]
    again = evaluated(*pairs[:1], spec=Spec.from_json_schema(spec))
    assert again.metrics.spec_fingerprint == first.metrics.spec_fingerprint
    without = evaluated(*pairs, absent="", out=tmp_path / "without")
    assert without.metrics.spec_fingerprint != first.metrics.spec_fingerprint
    assert json.loads((tmp_path / "without" / "spec.json").read_text())["x-fieldwise-absent"] == []


def test_configs_of_classes_and_doors_of_stickler_have_no_such_words(tmp_path: Path) -> None:
    """Their numbers are those of the products that they are of; --absent sets words for a config."""
    schema = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
    model = StructuredModel.from_json_schema(schema)
    result = model(a="x", b=None).compare_with(model(a="x", b="n/a"), include_confusion_matrix=True)
    assert result["confusion_matrix"]["aggregate"]["fa"] == 1
    config = tmp_path / "classes.json"
    config.write_text(json.dumps([{"x-aws-idp-document-type": "Invoice", **schema}]))
    pairs = tmp_path / "pairs.jsonl"
    line = {"id": "1", "expected": {"a": "x", "b": None}, "predicted": {"a": "x", "b": "n/a"}, "class": "Invoice"}
    pairs.write_text(json.dumps(line))
    assert "1 spurious" in run("evaluate", pairs, "--config", config).stdout
    assert "0 spurious" in run("evaluate", pairs, "--config", config, "--absent", "n/a").stdout


def test_every_form_of_input_has_the_same_words(tmp_path: Path) -> None:
    """CSV, JSON lines, data frames and documents in memory count alike."""
    pd = pytest.importorskip("pandas")
    expected = [{"id": "1", "a": "x", "b": "-"}, {"id": "2", "a": "y", "b": "z"}]
    predicted = [{"id": "1", "a": "x", "b": ""}, {"id": "2", "a": "N/A", "b": "z"}]
    for name, side in (("e", expected), ("p", predicted)):
        pd.DataFrame(side).to_csv(tmp_path / f"{name}.csv", index=False)
        pd.DataFrame(side).to_parquet(tmp_path / f"{name}.parquet")
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, side)))
    found = [
        evaluate_pairs(tmp_path / f"e.{ending}", predicted=tmp_path / f"p.{ending}").metrics.aggregate
        for ending in ("csv", "parquet", "jsonl")
    ]
    found.append(
        evaluate_pairs(pd.DataFrame(expected), predicted=pd.DataFrame(predicted), id_column="id").metrics.aggregate
    )
    assert {tuple(getattr(counted, name) for name in COUNTS) for counted in found} == {(2, 0, 0, 1, 1)}


def test_the_text_is_kept_for_show(tmp_path: Path) -> None:
    """What stands for no value is shown as it came, with what it stands for."""
    (tmp_path / "e.json").write_text('{"a": "x", "b": "y"}')
    (tmp_path / "p.json").write_text('{"a": "N/A", "b": "y"}')
    result = json.loads(run("compare", tmp_path / "e.json", tmp_path / "p.json", "--json").stdout)
    (missed,) = (verdict for verdict in result["verdicts"] if verdict["outcome"] == "missed")
    assert (missed["predicted"], missed["reason"]) == ("N/A", "expected, not predicted: 'N/A' stands for no value")


# Laws

WORDS = st.sampled_from(["n/a", "N/A", "n.a.", "null", "NaN", "NIL", "-", "–", "--", " — "])
TEXTS = st.sampled_from(["Ada Lovelace", "Berlin", "n", "Nina", "no", "-5", "x-y", "none", "Nil", "nilpotent"])
LEAVES = st.one_of(st.none(), TEXTS)
ROWS = st.fixed_dictionaries({"s": LEAVES, "t": LEAVES})
DOCUMENTS = st.fixed_dictionaries(
    {
        "a": LEAVES,
        "b": LEAVES,
        "o": st.one_of(st.none(), st.fixed_dictionaries({"c": LEAVES, "d": st.one_of(st.none(), ROWS)})),
        "l": st.one_of(st.none(), st.lists(LEAVES, max_size=4)),
        "r": st.one_of(st.none(), st.lists(st.one_of(st.none(), ROWS), max_size=4)),
    }
)
TEXT = {"type": "string", "x-fieldwise-comparator": "LevenshteinComparator", "x-fieldwise-threshold": 0.8}
ROW = {"type": "object", "properties": {"s": TEXT, "t": TEXT}}
PLAN_SCHEMA = {
    "type": "object",
    "properties": {
        "a": TEXT,
        "b": TEXT,
        "o": {"type": "object", "properties": {"c": TEXT, "d": ROW}},
        "l": {"type": "array", "items": TEXT},
        "r": {"type": "array", "items": ROW},
    },
}


def replaced(value: Any, words: st.DataObject | Any) -> Any:
    """Return a value with any words in place of its nulls."""
    if value is None:
        return words.draw(st.one_of(st.none(), WORDS))
    if isinstance(value, dict):
        return {name: replaced(child, words) for name, child in value.items()}
    return [replaced(child, words) for child in value] if isinstance(value, list) else value


@pytest.mark.parametrize("unmatched", ["leaves", "objects"])
def test_words_count_as_null_does(unmatched: Any) -> None:
    """Putting any of the words in place of nulls, on either side, changes no count, no score and no row."""
    plan = Plan.compile(Spec.from_json_schema(PLAN_SCHEMA))

    @given(DOCUMENTS, DOCUMENTS, st.data())
    def law(expected: Any, predicted: Any, data: st.DataObject) -> None:
        plain = plan.compare(expected, predicted)
        worded = plan.compare(replaced(expected, data), replaced(predicted, data))
        assert worded.counts() == plain.counts()
        assert worded.weighted_score == pytest.approx(plain.weighted_score)
        matrix = [
            one.to_dict(include_confusion_matrix=True, unmatched=unmatched)["confusion_matrix"]["aggregate"]
            for one in (worded, plain)
        ]
        assert matrix[0] == matrix[1]

    law()


@given(st.lists(st.tuples(DOCUMENTS, DOCUMENTS), min_size=1, max_size=6), st.data())
def test_words_count_as_null_does_over_documents(pairs: list[tuple[Any, Any]], data: st.DataObject) -> None:
    """The law holds for evaluations, flat or not: the same metrics but for the sentences."""
    for keep in (("a", "b"), ("a", "b", "o", "l", "r")):
        schema = {**PLAN_SCHEMA, "properties": {name: PLAN_SCHEMA["properties"][name] for name in keep}}  # type: ignore[index]
        spec = Spec.from_json_schema({**schema, "x-fieldwise-extras": "ignore"})
        plain = [({k: e[k] for k in keep}, {k: p[k] for k in keep}) for e, p in pairs]
        worded = [(replaced(e, data), replaced(p, data)) for e, p in plain]
        left, right = (evaluated(*some, spec=spec).metrics for some in (plain, worded))
        assert left.aggregate == right.aggregate
        assert dict(left.fields) == dict(right.fields)


@given(DOCUMENTS, st.data())
def test_a_document_with_words_has_no_error_against_itself(document: Any, data: st.DataObject) -> None:
    """Whatever the words are, the same on both sides is right or absent."""
    words = data.draw(st.lists(st.one_of(WORDS, TEXTS), max_size=4))
    plan = Plan.compile(Spec.from_json_schema(PLAN_SCHEMA).with_absent(words))
    worded = replaced(document, data)
    found = plan.compare(worded, worded).counts()
    assert (found["fd"], found["fa"], found["fn"]) == (0, 0, 0)


@given(DOCUMENTS, DOCUMENTS, st.data())
def test_turning_the_sides_swaps_missed_and_spurious(expected: Any, predicted: Any, data: st.DataObject) -> None:
    """Words are the same on either side."""
    plan = Plan.compile(
        Spec.from_json_schema({"type": "object", "properties": {"a": TEXT, "b": TEXT}}), extras="ignore"
    )
    e, p = ({k: replaced(side[k], data) for k in "ab"} for side in (expected, predicted))
    there, back = plan.compare(e, p).counts(), plan.compare(p, e).counts()
    assert (there["tp"], there["fd"], there["fa"], there["fn"]) == (back["tp"], back["fd"], back["fn"], back["fa"])
