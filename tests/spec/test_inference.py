"""How fields without settings are compared: by name, type and values, in Python and on the command line alike."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from fieldwise import (
    InputError,
    Plan,
    SettingError,
    Spec,
    evaluate_pairs,
    open_pairs,
)
from fieldwise.cli import cli
from fieldwise.pytest_plugin.extraction_check import check_extraction
from fieldwise.spec import Leaf, ListOf, Object
from fieldwise.spec.choices import KIND_WORDS
from fieldwise.values import DEFAULT_WORDS, Json
from fieldwise.views.notes import worded
from tests.spec.samples import Row, row_of

DOCS = Path(__file__).parents[2] / "docs" / "inference.md"
_ROW = re.compile(
    r"\| `(?P<name>.+?)` \| `(?P<values>.+?)(?: × (?P<times>\d+))?` \| (?P<how>.+?) \| (?P<at>\S+) \| (?P<why>.+) \|"
)
TABLE = [found.groupdict() for line in DOCS.read_text("utf-8").splitlines() if (found := _ROW.fullmatch(line))]


def leaf(spec: Spec, name: str) -> Leaf:
    node = spec.resolved().root.fields[name]
    node = node.item if isinstance(node, ListOf) else node
    assert isinstance(node, Leaf)
    return node


def ids(row: dict[str, Any]) -> str:
    return f"{row['name']} {row['values']}"[:60]


def test_the_table_is_long() -> None:
    """The page shows what becomes of two hundred and more names and values."""
    assert len(TABLE) >= 200


@pytest.mark.parametrize("row", TABLE, ids=ids)
def test_every_line_of_the_documented_table_holds(row: dict[str, Any]) -> None:
    """A field of that name and those expected values is compared as the page says, for that reason."""
    spec = Spec.infer(documents_of(row))
    field = leaf(spec, row["name"])
    assert field.comparator is not None
    assert (field.comparator.describe(), f"{field.threshold:g}") == (row["how"], row["at"])
    why, *notes = row["why"].split("; note: ")
    assert field.sources["comparator"] == f"inferred: {why}"
    assert [worded(note).split(", for example")[0].partition(": ")[2] for note in spec.notes] == notes


def documents_of(row: dict[str, Any]) -> list[dict[str, Json]]:
    return [{row["name"]: value} for value in json.loads(row["values"]) * int(row["times"] or 1)]


def is_text(row: dict[str, Any]) -> bool:
    return all(isinstance(value, str) and value for value in json.loads(row["values"]))


@pytest.mark.parametrize("row", [row for row in TABLE if is_text(row)], ids=ids)
def test_a_schema_of_types_says_the_same(row: dict[str, Any]) -> None:
    """A schema that only declares text, closed by the same values, compares as no schema does."""
    schema = {"type": "object", "properties": {row["name"]: {"type": "string"}}}
    declared, inferred = Spec.from_json_schema(schema).closed(documents_of(row)), Spec.infer(documents_of(row))
    assert leaf(declared, row["name"]).comparator == leaf(inferred, row["name"]).comparator


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("number", "code"),
        ("invoice_number", "code"),
        ("iban", "code"),
        ("isin", "code"),
        ("case_number", "code"),
        ("policy", "code"),
        ("account", "code"),
        ("reference", "code"),
        ("serial", "code"),
        ("tracking", "code"),
        ("order_status", "text"),
        ("total", "number"),
        ("date_of_birth", "date, with times"),
        ("due", "text"),
        ("vendor", "text, words in any order"),
        ("phone_number", "phone, US"),
        ("email_address", "normalized, links"),
        ("currency_code", "currency"),
    ],
)
def test_without_values_name_and_type_decide(name: str, how: str) -> None:
    """`Plan.compile` has no values to look at, and is careful with words that may mean several things."""
    schema = {"type": "object", "properties": {name: {"type": "string"}}}
    field = leaf(Spec.from_json_schema(schema), name)
    assert field.comparator is not None
    assert field.comparator.describe() == how


# Odd values


def amounts(odd: int, word: str) -> list[dict[str, Json]]:
    return [{"total": word if i < odd else f"{i * 7}.50"} for i in range(100)]


@pytest.mark.parametrize("odd", [0, 1, 5, 9])
@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("total", "{}.50", "numbers"),
        ("when", "2024-01-{:02}", "dates"),
        ("number", "INV-{}", "codes"),
        ("phone", "030 12345{:02}", "phone numbers"),
    ],
)
def test_a_few_odd_values_change_no_kind_and_are_named(name: str, value: str, kind: str, odd: int) -> None:
    """With up to nine odd values of a hundred the field is compared as with none, and one sentence names them."""
    whole = [{name: value.format(i % 28 + 1)} for i in range(100)]
    some = [{name: "see above"} if i < odd else document for i, document in enumerate(whole)]
    clean, dirty = Spec.infer(whole), Spec.infer(some)
    assert leaf(dirty, name).comparator == leaf(clean, name).comparator
    facts = [note.facts for note in dirty.notes]
    assert [(each["field"], each["count"], each["values"], each["example"]) for each in facts] == (
        [(name, odd, 100, "see above")] if odd else []
    )
    assert [KIND_WORDS[each["kind"]][1] for each in facts] == [kind] * bool(odd)


def test_with_many_odd_values_a_field_is_text_and_its_numbers_are_numbers() -> None:
    """With thirty odd values of a hundred it is text; 1234.50 and 1234.51 are still no match, 1,234.50 is."""
    plan = Plan.compile(Spec.infer(amounts(30, "see page 2")))
    assert "text" in str(plan)
    wrong, right = (plan.compare({"total": "1234.50"}, {"total": p}) for p in ("1234.51", "1,234.50"))
    assert [verdict.outcome.word for verdict in (*wrong.verdicts, *right.verdicts)] == ["mismatch", "match"]


@pytest.mark.parametrize("word", ["n/a", "N/A ", "-", "—", "None", "null", "unknown", "TBD", "not available", "なし"])
def test_texts_for_no_value_change_no_kind(word: str) -> None:
    """However many expected values stand for no value, the others say what the field is; one sentence counts those that
    are values all the same.
    """
    spec = Spec.infer(amounts(60, word))
    assert leaf(spec, "total").comparator == leaf(Spec.infer(amounts(0, word)), "total").comparator
    notes = [(note.facts["field"], note.facts["kind"], note.facts["count"]) for note in spec.notes]
    assert notes == ([] if word in DEFAULT_WORDS else [("total", "number", 60)])


def test_a_note_about_text_says_that_all_are_compared_as_text() -> None:
    """Where too many are odd, the sentence says what becomes of the field; *ongoing* alone makes no field of dates."""
    pages = Spec.infer([{"pages": pages} for pages in ("42", "68", "XI, 121", "375 - 468", "12")])
    [note] = pages.notes
    assert (note.facts["count"], note.facts["example"], note.facts["as_text"]) == (2, "XI, 121", True)
    status = ["ongoing", "ongoing", "settled", "ongoing", "closed", "ongoing", "settled"]
    assert Spec.infer([{"status": word} for word in status]).notes == ()


# Through the front door


def lines(path: Path, pairs: list[tuple[Json, Json]]) -> Path:
    rows = [{"id": f"d{i}", "expected": e, "predicted": p} for i, (e, p) in enumerate(pairs)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


def evaluated(*arguments: object) -> dict[str, Any]:
    result = CliRunner().invoke(cli, ["evaluate", *map(str, arguments), "--json"])
    assert result.exit_code in (0, 1, 3), result.output
    metrics: dict[str, Any] = json.loads(result.stdout)
    return metrics


def test_one_odd_total_hides_no_wrong_total(tmp_path: Path) -> None:
    """Of a hundred documents every total is off by one and one expected total is *none*: strict F1 is 0."""
    pairs: list[tuple[Json, Json]] = [({"total": f"{i + 100}.00"}, {"total": f"{i + 101}.00"}) for i in range(99)]
    file = lines(tmp_path / "pairs.jsonl", [*pairs, ({"total": "none"}, {"total": "12.00"})])
    metrics = evaluated(file)
    assert metrics["fields"]["total"]["strict_f1"] == 0
    [note] = metrics["notes"]
    assert (note["code"], note["facts"]["field"], note["facts"]["count"]) == ("fields.odd_values", "total", 1)
    shown = CliRunner().invoke(cli, ["evaluate", str(file), "--explain"]).output
    assert shown.count("1 of 100 expected values is not a number") == 2


def test_dates_are_read_in_the_order_that_expected_values_show(tmp_path: Path) -> None:
    """One day above 12 shows the order for all; without any, either order is accepted, unless one is declared."""
    swapped: list[tuple[Json, Json]] = [({"due_date": "2024-04-03"}, {"due_date": "04/03/2024"})]
    swapped += [({"due_date": "03/04/2024"}, {"due_date": "2024-03-04"})]
    file = lines(tmp_path / "open.jsonl", swapped)
    assert evaluated(file)["fields"]["due_date"]["tp"] == 2
    shown: tuple[Json, Json] = ({"due_date": "13/04/2024"}, {"due_date": "04/13/2024"})
    assert evaluated(lines(tmp_path / "shown.jsonl", [*swapped, shown]))["fields"]["due_date"]["tp"] == 1
    declared = {"x-fieldwise-comparator": "DateComparator", "x-fieldwise-comparator-config": {"dayfirst": True}}
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps({"type": "object", "properties": {"due_date": {"type": "string", **declared}}}))
    assert evaluated(file, "--schema", schema)["fields"]["due_date"]["tp"] == 0


def test_dates_with_dots_have_their_day_first_in_a_field_of_months_first(tmp_path: Path) -> None:
    """What slashes show says nothing of dots."""
    pairs: list[tuple[Json, Json]] = [({"due_date": "04/13/2024"}, {"due_date": "13.04.2024"})]
    pairs += [({"due_date": "04/03/2024"}, {"due_date": "03.04.2024"})]
    assert evaluated(lines(tmp_path / "pairs.jsonl", pairs))["fields"]["due_date"]["tp"] == 2


def test_a_schema_of_types_hides_no_wrong_number(tmp_path: Path) -> None:
    """Eight pairs INV-001 and INV-002 under a schema of types only: `number` is 0, in Python as on the command line."""
    file = lines(
        tmp_path / "pairs.jsonl", [({"number": "INV-001", "total": 1.0}, {"number": "INV-002", "total": 1.0})] * 8
    )
    properties = {"number": {"type": "string"}, "total": {"type": "number"}}
    schema = {"type": "object", "properties": properties}
    (tmp_path / "schema.json").write_text(json.dumps(schema), "utf-8")
    by_command = evaluated(file, "--schema", tmp_path / "schema.json")
    by_python = evaluate_pairs(open_pairs(str(file)), Spec.from_json_schema(schema)).metrics
    assert by_command["fields"]["number"]["strict_f1"] == by_python.fields["number"].strict_f1 == 0
    assert by_command["spec_fingerprint"] == by_python.spec_fingerprint
    assert by_command["fields"]["total"]["strict_f1"] == 1


def test_one_wrong_cell_of_a_row_is_one_error(tmp_path: Path) -> None:
    """Rows of sku, qty and price with one wrong cell each: exactly the wrong cells are errors."""
    rows = [{"sku": f"S{i}", "qty": i + 1, "price": 4.5 + i} for i in range(4)]
    broken = [{**row, ("sku", "qty", "price")[i % 3]: ["X9", 77, 0.25][i % 3]} for i, row in enumerate(rows)]
    metrics = evaluated(lines(tmp_path / "pairs.jsonl", [({"rows": rows}, {"rows": broken})]))
    counts = {name: metrics["fields"][f"rows.{name}"]["fd"] for name in ("sku", "qty", "price")}
    assert counts == {"sku": 2, "qty": 1, "price": 1}
    assert metrics["aggregate"]["tp"] == 8
    assert metrics["aggregate"]["fa"] == metrics["aggregate"]["fn"] == 0


def test_the_match_threshold_is_an_option_and_the_schema_key_wins(tmp_path: Path) -> None:
    """`--match-threshold` sets that of lists which declare none."""
    rows: list[tuple[Json, Json]] = [({"rows": [{"a": "x1", "b": "y"}]}, {"rows": [{"a": "x1", "b": "z"}]})]
    file = lines(tmp_path / "pairs.jsonl", rows)
    right = [evaluated(file, "--match-threshold", at)["aggregate"]["tp"] for at in (0.3, 0.9)]
    assert right == [1, 0]
    items = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "x-fieldwise-match-threshold": 0.1,
    }
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": items}}}
    (tmp_path / "schema.json").write_text(json.dumps(schema), "utf-8")
    assert evaluated(file, "--schema", tmp_path / "schema.json", "--match-threshold", 0.9)["aggregate"]["tp"] == 1


def test_a_second_set_can_be_compared_like_the_first(tmp_path: Path) -> None:
    """`--like` takes the closed spec of earlier results, whatever the new values look like."""
    first = lines(tmp_path / "first.jsonl", [({"code": "A-1", "x": "1.50"}, {"code": "A-1", "x": "1.5"})] * 3)
    second = lines(tmp_path / "second.jsonl", [({"code": "A-1", "x": "n/a"}, {"code": "A-1", "x": "n/a"})] * 3)
    evaluated(first, "--out", tmp_path / "v1")
    like, own = evaluated(second, "--like", tmp_path / "v1"), evaluated(second)
    base = json.loads((tmp_path / "v1" / "metrics.json").read_text("utf-8"))
    assert like["spec_fingerprint"] == base["spec_fingerprint"] != own["spec_fingerprint"]
    refused = CliRunner().invoke(cli, ["evaluate", str(second), "--like", str(tmp_path / "none")])
    assert isinstance(refused.exception, SettingError)
    assert "spec.json" in str(refused.exception)


def test_a_test_can_compare_like_a_baseline(tmp_path: Path) -> None:
    """The check of one extraction takes the folder of a baseline, whose values made `x` a number."""
    first = lines(tmp_path / "first.jsonl", [({"x": f"{i}.50"}, {"x": f"{i}.50"}) for i in range(12)])
    evaluated(first, "--out", tmp_path / "v1")
    like = check_extraction({"x": "12"}, {"x": "12.0"}, tmp_path / "v1")
    own = check_extraction({"x": "12"}, {"x": "12.0"})
    assert (len(like.wrong), len(own.wrong)) == (0, 1)


def test_keys_of_a_list_of_values_mean_the_same_on_its_items() -> None:
    """Comparator keys are read on the items and on the array, under both spellings; two that differ are refused."""
    exact = {"x-fieldwise-comparator": "ExactComparator", "x-fieldwise-threshold": 1.0}
    peer = {"x-aws-stickler-comparator": "Exact", "x-aws-stickler-threshold": 1.0}
    text = {"type": "string"}

    def plan(on_items: dict[str, Json], on_list: dict[str, Json]) -> Plan:
        tags = {"type": "array", "items": {**text, **on_items}, **on_list}
        return Plan.compile(Spec.from_json_schema({"type": "object", "properties": {"tags": tags}}))

    plans = [plan(exact, {}), plan({}, exact), plan(peer, {}), plan(exact, peer)]
    assert len({one.fingerprint() for one in plans}) == 1
    assert plans[0].compare({"tags": ["alpha one"]}, {"tags": ["alpha onx"]}).counts()["fd"] == 1
    with pytest.raises(SettingError, match=r"different settings for `threshold`.*at \$\.tags"):
        plan(exact, {"x-fieldwise-threshold": 0.5})


# Laws

names = st.sampled_from(["total", "date", "number", "name", "notes", "x", "id", "phone", "status", "price_per_unit"])
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3), max_leaves=12
)


@given(st.lists(st.dictionaries(names, values, min_size=1, max_size=4), min_size=1, max_size=6))
def test_a_closed_spec_stays_as_it_is(documents: list[dict[str, Json]]) -> None:
    """Closing twice changes nothing, and a spec read back from its JSON Schema makes the same plan."""
    spec = Spec.infer(documents)
    assert spec.closed([]) == spec.closed(documents) == spec
    plan = Plan.compile(spec)
    assert Plan.compile(Spec.from_json_schema(spec.to_json_schema())).fingerprint() == plan.fingerprint()


@given(st.lists(st.dictionaries(names, values, min_size=1, max_size=4), min_size=1, max_size=6), st.randoms())
def test_the_order_of_documents_does_not_matter(documents: list[dict[str, Json]], random: Any) -> None:
    """What is inferred from the same documents is the same, in whatever order they come."""
    shuffled = random.sample(documents, len(documents))
    one, other = (Spec.infer(sample) for sample in (documents, shuffled))

    def ways(spec: Spec) -> dict[str, Any]:
        plan = Plan.compile(spec)
        return {node.path: getattr(node, "comparator", None) for node in plan.fields()}

    assert ways(one) == ways(other)


def test_a_definition_that_holds_itself_is_closed_by_all_its_values() -> None:
    """Values of every level of a recursive schema decide together."""
    schema = {
        "type": "object",
        "properties": {"tree": {"$ref": "#/$defs/node"}},
        "$defs": {
            "node": {
                "type": "object",
                "properties": {"label": {"type": "string"}, "child": {"$ref": "#/$defs/node"}},
            }
        },
    }
    document = {"tree": {"label": "A-1", "child": {"label": "A-2", "child": {"label": "A-3"}}}}
    spec = Spec.from_json_schema(schema).closed([document])
    node = next(iter(spec.definitions.values()))
    assert isinstance(node, Object)
    field = node.fields["label"]
    assert isinstance(field, Leaf)
    assert field.comparator is not None
    assert field.comparator.describe() == "code"


@pytest.mark.parametrize(
    ("values", "row"),
    [
        ({"active": [True, False]}, ("Exact", 1.0, True, 1.0)),
        ({"age": [1, 2]}, ("Amount", 1.0, True, 1.0)),
        ({"ratio": [1, 2.5]}, ("Amount", 1.0, True, 1.0)),
        ({"title": ["alpha beta", "gamma"]}, ("Text", 0.9, True, 1.0)),
        ({"serial": ["AB-1", "AB-2"]}, ("Code", 1.0, True, 1.0)),
        ({"when": ["2024-01-15", "2024-02-01"]}, ("Date", 1.0, True, 1.0)),
        ({"seen": ["2024-01-15T10:00", "2024-01-15T10:00:05Z"]}, ("Date", 1.0, True, 1.0)),
        ({"due": ["Jan 15, 2024", "15.01.2024"]}, ("Date", 1.0, True, 1.0)),
        ({"total": ["$1,200.50", "3.10"]}, ("Amount", 1.0, True, 1.0)),
        ({"total": [10.5, None]}, ("Amount", 1.0, True, 1.0)),
        ({"box": [[0, 0, 1, 1]]}, ("BBoxIoU", 0.5, True, 1.0)),
        ({"sizes": [[1, 2], [3]]}, ("Amount", 1.0, True, 1.0)),
        ({"customer name": ["Ann"]}, ("Text", 0.9, True, 1.0)),
        ({"never": [None, ""]}, ("Exact", 1.0, True, 1.0)),
    ],
)
def test_what_is_inferred_from_samples(values: dict[str, list[Json]], row: Row) -> None:
    """Samples show what the values of a field are."""
    ((name, column),) = values.items()
    assert row_of(Spec.infer([{name: value} for value in column]), name) == row


@pytest.mark.parametrize("samples", [[], [None], [1, "x"], [[]], [{}]])
def test_nothing_can_be_inferred_from_no_object(samples: list[Json]) -> None:
    """Samples without a single field are refused, saying what came."""
    with pytest.raises(InputError, match="at least one JSON object"):
        Spec.infer(samples)
