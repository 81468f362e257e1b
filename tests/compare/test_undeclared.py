"""Keys that no field declares: outside the spec where expected documents have them, spurious where none has."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldwise import ComparableField, Comparison, Plan, Spec, StructuredModel
from fieldwise.api import evaluate_pairs
from fieldwise.cli import cli
from fieldwise.comparators import BaseComparator, FunctionComparator
from fieldwise.counting.sums import MAX_PATHS, OutsideCounts
from fieldwise.counting.tally import Tally
from fieldwise.errors import SettingError
from fieldwise.readers.pairs import open_pairs
from fieldwise.results import OutsideCount
from fieldwise.spec import Leaf, ListOf, Node, Object
from fieldwise.spec.nodes import Kind
from fieldwise.values import Json
from tests.comparators.samples import EVERY
from tests.page_answers import page_of
from tests.reference import Reference
from tests.strategies import ANY_JSON, NAMES, Noise, chance, documents, examples, predictions, schemas

CAREFUL = settings(deadline=None, max_examples=examples(100), suppress_health_check=list(HealthCheck))
ERRORS = ("fd", "fa", "fn")
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "total": {"type": "number"},
        "vendor": {"type": "object", "properties": {"name": {"type": "string"}}},
        "rows": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
    },
}
PLAN = Plan.compile(Spec.from_json_schema(SCHEMA))


class NeverAlike(BaseComparator):
    """Scores everything 0."""

    def _compare(self, expected: Json, predicted: Json) -> float:
        return 0.0


def refuses(expected: Json, predicted: Json) -> float:
    raise AssertionError(f"asked about {expected!r} and {predicted!r}")


# The law: a document against itself


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    """Draw a spec of any built-in comparator, or of one that finds nothing alike, on any kind of value."""
    return Spec(draw(objects(depth=2)))


KINDS: tuple[Kind, ...] = ("string", "number", "integer", "boolean", "date", "any", "free", "choice", "decimal", "box")
COMPARED = st.sampled_from([*EVERY, NeverAlike(), FunctionComparator(lambda a, b: 0.0, "nothing")])
THRESHOLDS = st.sampled_from([0.0, 0.5, 0.9, 1.0])
WEIGHTS = st.sampled_from([0.0, 0.3, 1.0, 2.0])


@st.composite
def objects(draw: st.DrawFn, *, depth: int) -> Object:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    return Object(
        fields={name: draw(nodes(depth=depth)) for name in names},
        threshold=draw(THRESHOLDS),
        match_threshold=draw(THRESHOLDS),
        weight=draw(WEIGHTS),
        clip=draw(st.booleans()),
    )


@st.composite
def nodes(draw: st.DrawFn, *, depth: int) -> Node:
    shape = draw(st.integers(0, 5)) if depth else 0
    if shape >= 4:
        return draw(objects(depth=depth - 1))
    if shape >= 2:
        item = draw(objects(depth=depth - 1) if draw(st.booleans()) else leaves())
        order = draw(st.sampled_from(["any", "sequence", "position"]))
        return ListOf(item=item, order=order, weight=draw(WEIGHTS))  # type: ignore[arg-type]  # one of the three
    return draw(leaves())


@st.composite
def leaves(draw: st.DrawFn) -> Leaf:
    return Leaf(
        kind=draw(st.sampled_from(KINDS)),
        comparator=draw(COMPARED),
        threshold=draw(THRESHOLDS),
        weight=draw(WEIGHTS),
        alternates=draw(st.booleans()),
    )


@st.composite
def values_for(draw: st.DrawFn, node: Node) -> Json:
    """Draw what might be in a document at a node: of its shape mostly, with keys that are not declared."""
    if draw(chance(15)) or isinstance(node, Leaf):
        return draw(ANY_JSON | st.just({"any_of": ["a", "b"]}))
    if isinstance(node, Object):
        out = {name: draw(values_for(child)) for name, child in node.fields.items()}
        return out | draw(st.dictionaries(st.sampled_from(["zz", "x.y", "extra"]), ANY_JSON, max_size=1))
    assert isinstance(node, ListOf)
    return [draw(values_for(node.item)) for _ in range(draw(st.integers(0, 4)))]


@st.composite
def documents_with_their_spec(draw: st.DrawFn) -> tuple[Spec, Json]:
    spec = draw(specs())
    return spec, draw(values_for(spec.root))


def errors(node: Mapping[str, Any]) -> int:
    own: int = sum(node[which][key] for which in ("overall", "aggregate") for key in ERRORS)
    return own + sum(errors(child) for child in node["fields"].values())


def check_itself(plan: Plan, document: Json) -> None:
    comparison = plan.compare(document, copy.deepcopy(document))
    assert [comparison.counts()[key] for key in ERRORS] == [0, 0, 0]
    assert comparison.all_matched
    for unmatched in ("objects", "leaves"):
        for extras in ("leaves", "ignore"):
            options: Any = {"unmatched": unmatched, "extras": extras}
            shown = comparison.to_dict(include_confusion_matrix=True, **options)
            assert errors(shown["confusion_matrix"]) == 0, options
            assert shown["all_fields_matched"], options
    tally = Tally()
    assert tally.add(plan.root, comparison.result)[1:4] == (0, 0, 0)
    assert all(count["expected"] == count["predicted"] for count in comparison.outside.values())


@settings(CAREFUL, max_examples=examples(400))
@given(documents_with_their_spec(), st.sampled_from(["leaves", "ignore"]))
def test_a_document_against_itself_has_no_errors(case: tuple[Spec, Json], extras: Any) -> None:
    """Whatever the spec and its comparators, a document has no mismatch, missed or spurious value against itself."""
    spec, document = case
    check_itself(Plan.compile(spec, extras=extras), document)


@CAREFUL
@given(schemas(depth=2).flatmap(lambda schema: st.tuples(st.just(schema), documents(schema, Noise()))), st.data())
def test_a_document_against_itself_has_no_errors_under_a_part_of_its_schema(
    case: tuple[dict[str, Any], Json], data: st.DataObject
) -> None:
    """The same holds where a schema declares only some of the keys of its documents."""
    schema, document = case
    check_itself(Plan.compile(Spec.from_json_schema(data.draw(parts_of(schema)))), document)


@st.composite
def parts_of(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """Draw a schema without some of its properties, wherever these are."""
    if "properties" in schema:
        names = sorted(schema["properties"])
        kept = draw(st.lists(st.sampled_from(names), min_size=1, unique=True))
        return {**schema, "properties": {name: draw(parts_of(schema["properties"][name])) for name in kept}}
    return {**schema, "items": draw(parts_of(schema["items"]))} if "items" in schema else schema


@pytest.mark.parametrize("comparator", EVERY, ids=repr)
@pytest.mark.parametrize("value", ["no date at all", "", "1,00.0", True, 5, 2.5, [1, "a"], {"a": [1]}, [0, 0, 0, 0]])
def test_identical_values_are_alike_in_rows_too(comparator: BaseComparator, value: Json) -> None:
    """Every built-in comparator leaves identical values alike, alone and in lists that are compared as grids."""
    leaf = Leaf(kind="any", comparator=comparator, threshold=1.0)
    plan = Plan.compile(Spec(Object(fields={"v": leaf, "rows": ListOf(item=leaf)})))
    document = {"v": value, "rows": [value, "other", value, "third", 7]}
    counts = plan.compare(document, copy.deepcopy(document)).counts()
    assert [counts[key] for key in ERRORS] == [0, 0, 0]


@pytest.mark.parametrize("value", ["a", 1, True, 1.5, ["a"], {"b": 1}])
def test_no_comparator_is_asked_about_identical_values(value: Json) -> None:
    """A comparator that would fail is not asked, whatever the value is."""
    leaf = Leaf(kind="any", comparator=FunctionComparator(refuses), threshold=1.0)
    plan = Plan.compile(Spec(Object(fields={"v": leaf})))
    assert plan.compare({"v": value}, {"v": copy.deepcopy(value)}).counts()["tp"] == 1


def test_the_peers_door_asks_about_identical_values() -> None:
    """``compare_with`` asks a comparator of one's own about identical values, as stickler-eval does."""

    class Note(StructuredModel):
        text: str = ComparableField(comparator=NeverAlike())

    assert Note(text="a").compare_with(Note(text="a"))["overall_score"] == 0.0


def test_values_without_weight_are_still_alike() -> None:
    """Rows and objects none of whose values weighs anything agree where no value differs, and only there."""
    plan = Plan.compile(
        Spec(Object(fields={"rows": ListOf(item=Object(fields={"a": Leaf(weight=0.0), "b": Leaf(weight=0.0)}))}))
    )
    rows = [{"a": f"x{k}", "b": k} for k in range(5)]
    assert plan.compare({"rows": rows}, {"rows": rows[::-1]}).counts()["tp"] == 10
    wrong = [{**row, "b": 9} for row in rows]
    assert plan.compare({"rows": rows}, {"rows": wrong}).counts()["tp"] == 0


def test_a_wrong_value_without_weight_is_counted_in_bulk() -> None:
    """The sums over documents count a mismatch of a field that weighs nothing as what it is."""
    inner = Object(fields={"a": Leaf(weight=0.0), "b": Leaf()})
    plan = Plan.compile(Spec(Object(fields={"o": inner})))
    comparison = plan.compare({"o": {"a": "x", "b": "y"}}, {"o": {"a": "z", "b": "y"}})
    tally = Tally()
    assert tally.add(plan.root, comparison.result)[:2] == (1, 1) == (comparison.counts()["tp"], 1)


# What is outside


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, Any], Json, Json, frozenset[str]]:
    noise = Noise(unknown=40)
    schema = draw(schemas(depth=2))
    expected = draw(documents(schema, noise))
    sampled = draw(st.frozensets(st.sampled_from(["zz", "rows.zz", "zz.a", "zz.zz", "a.zz"])))
    return draw(parts_of(schema)), expected, draw(predictions(schema, expected, noise)), sampled


@CAREFUL
@given(cases())
def test_what_is_outside_is_as_defined(case: tuple[dict[str, Any], Json, Json, frozenset[str]]) -> None:
    """Verdicts and the counts of values outside the spec are those of the definition, one by one and in bulk."""
    schema, expected, predicted, sampled = case
    spec = Spec.from_json_schema({**schema, "x-fieldwise-outside": sorted(sampled)})
    comparison = Plan.compile(spec).compare(expected, predicted)
    reference = Reference.of(spec)
    leaves = reference.leaves(expected, predicted, extras=True)
    assert {(v.field, v.outcome.value) for v in comparison.verdicts} == set(leaves)
    outside = reference.outside_values(expected, predicted)
    assert {path: tuple(n.values()) for path, n in comparison.outside.items()} == outside
    tally = Tally()
    tally.add(comparison.plan, comparison.result)
    listed, _ = tally.outside.counts()
    assert {path: count.to_dict() for path, count in listed.items()} == comparison.outside
    assert sum(tally.total_counts()) == len(comparison.verdicts) == leaves.total()


def without_undeclared(node: dict[str, Any], value: Json) -> Json:
    """Return a document without the keys that a schema does not declare."""
    if "properties" in node and isinstance(value, dict):
        declared = node["properties"]
        return {name: without_undeclared(declared[name], v) for name, v in value.items() if name in declared}
    if "items" in node and isinstance(value, list):
        return [without_undeclared(node["items"], item) for item in value]
    return value


@CAREFUL
@given(cases())
def test_ignored_keys_might_as_well_not_be_there(case: tuple[dict[str, Any], Json, Json, frozenset[str]]) -> None:
    """Under ``ignore`` all numbers are those of a prediction from which undeclared keys were removed."""
    schema, expected, predicted, _ = case
    plan = Plan.compile(Spec.from_json_schema(schema), extras="ignore")
    found, bare = (plan.compare(expected, p) for p in (predicted, without_undeclared(schema, predicted)))
    assert numbers(plan, found) == numbers(plan, bare)


def numbers(plan: Plan, comparison: Comparison) -> list[Any]:
    tally = Tally()
    added = tally.add(plan.root, comparison.result)
    shown: list[Any] = [
        comparison.to_dict(include_confusion_matrix=True, unmatched=unmatched)["confusion_matrix"]
        for unmatched in ("objects", "leaves")
    ]
    rows = [(v.path, v.outcome, v.score) for v in comparison.verdicts]
    return [added, tally.leaves, tally.total_counts(), comparison.counts(), comparison.weighted_score, rows, *shown]


@pytest.mark.parametrize(
    ("expected", "predicted", "spurious"),
    [
        ({"note": "x"}, {"note": "y"}, []),
        ({"note": None}, {"note": "y"}, []),
        ({}, {"note": "y"}, ["note"]),
        ({"note": "x"}, {"note": {"text": "y"}}, ["note.text"]),
        ({"meta": {"a": 1}}, {"meta": {"a": 2, "b": 3}}, ["meta.b"]),
        ({"tags": ["a"]}, {"tags": ["a", "b", "c"]}, []),
        ({"tags": [{"k": 1}]}, {"tags": [{}, {"k": 2}, {"l": 3}]}, ["tags[2].l"]),
        ({"vendor": {"name": "A", "fax": None}}, {"vendor": {"name": "A", "fax": 1, "tel": 2}}, ["vendor.tel"]),
        ({"vendor": {"fax": 1}}, {"vendor": {"fax": 2}, "fax": 3}, ["fax"]),
        ({"rows": [{"sku": "1", "z": 5}]}, {"rows": [{"sku": "1"}, {"sku": "2", "z": 6}]}, ["rows[1].sku"]),
        ({"rows": [{"z": 5}]}, {"rows": [{"z": 6, "y": 7}]}, ["rows[0].y"]),
        ({"rows": [{"sku": "far", "z": 5}]}, {"rows": [{"sku": "no", "z": 6, "y": 7}]}, ["rows[0].y"]),
        ({"a.b": 1}, {"a.b": 2, "a": {"b": 3}}, ["a.b"]),
    ],
    ids=repr,
)
def test_outside_is_what_the_expected_document_has(expected: Json, predicted: Json, spurious: list[str]) -> None:
    """A key of the expected document is outside wherever it is, with any value or null; every other is spurious."""
    comparison = PLAN.compare(expected, predicted)
    assert [v.path for v in comparison.verdicts if v.outcome.value == "fa"] == spurious


def test_models_know_their_undeclared_keys() -> None:
    """Instances of a class that keeps further keys are compared like the documents they were made of."""
    model = StructuredModel.from_json_schema(SCHEMA)
    plan = Plan.compile(Spec.from_json_schema(SCHEMA))
    expected, predicted = model.from_json({"total": 1, "note": "x"}), model.from_json({"total": 1, "note": 5, "z": 1})
    comparison = plan.compare(expected, predicted)
    assert [v.path for v in comparison.verdicts if v.outcome.value == "fa"] == ["z"]
    assert comparison.outside == {"note": {"expected": 1, "predicted": 1}}


# Settings


def test_a_spec_keeps_what_is_outside() -> None:
    """Both settings come back from the schema that a spec writes; what is outside belongs to the fingerprint."""
    given = {**SCHEMA, "x-fieldwise-extras": "ignore", "x-fieldwise-outside": ["rows.z", r"a\.b"]}
    spec = Spec.from_json_schema(given)
    again = Spec.from_json_schema(spec.to_json_schema())
    assert (again.extras, again.outside) == ("ignore", frozenset(["rows.z", r"a\.b"]))
    plan, other = Plan.compile(spec), Plan.compile(Spec.from_json_schema(SCHEMA))
    assert plan.fingerprint() == Plan.compile(again).fingerprint()
    prints = {
        plan.fingerprint(),
        other.fingerprint(),
        plan.fingerprint(extras="leaves"),
        Plan.compile(Spec.from_json_schema(SCHEMA), extras="ignore").fingerprint(),
    }
    assert len(prints) == 4
    empty = Spec.from_json_schema({**SCHEMA, "x-fieldwise-extras": "leaves", "x-fieldwise-outside": []})
    assert Plan.compile(empty).fingerprint() == other.fingerprint()


def test_a_plan_says_what_is_outside() -> None:
    """The printed plan has a line for it, and one for keys that are ignored."""
    spec = Spec.from_json_schema({**SCHEMA, "x-fieldwise-outside": ["note", *(f"k{n}" for n in range(8))]})
    *_, outside, ignored, _ = str(Plan.compile(spec, extras="ignore")).splitlines()
    assert outside.endswith(": k0, k1, k2, k3, k4 and 4 more")
    assert "ignored" in ignored


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"x-fieldwise-extras": "leafs"}, "'leaves'"),
        ({"x-fieldwise-extras": "root"}, "one of leaves, ignore"),
        ({"x-fieldwise-outside": "note"}, "a list of paths"),
        ({"x-fieldwise-outside": ["rows[0].z"]}, "without list positions"),
        ({"x-aws-stickler-extras": "leaves"}, "Unknown schema key"),
    ],
)
def test_wrong_settings_are_refused(keys: dict[str, Json], words: str) -> None:
    """What is wrong with a setting is said with its place."""
    with pytest.raises(SettingError, match=words):
        Spec.from_json_schema({**SCHEMA, **keys})


def test_settings_of_the_root_have_no_meaning_elsewhere() -> None:
    """How undeclared keys count is said once, for the whole document."""
    vendor = {**SCHEMA["properties"]["vendor"], "x-fieldwise-extras": "ignore"}
    with pytest.raises(SettingError, match="no meaning on an object"):
        Spec.from_json_schema({"type": "object", "properties": {"vendor": vendor}})
    with pytest.raises(SettingError, match="did you mean 'leaves'"):
        Plan.compile(Spec.from_json_schema(SCHEMA), extras="leave")  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["note", "vendor.fax", "rows[0].z", "total.cents", "free.a", "either.z"])
def test_alternates_for_an_undeclared_path_are_refused(path: str) -> None:
    """Other acceptable values can be given for declared fields only; the path is in the message."""
    either = {"anyOf": [{"type": "string"}, SCHEMA["properties"]["vendor"]]}
    plan = Plan.compile(
        Spec.from_json_schema(
            {**SCHEMA, "properties": {**SCHEMA["properties"], "free": {"type": "object"}, "either": either}}
        )
    )
    expected = {
        "total": 1,
        "note": "x",
        "vendor": {"fax": 1},
        "rows": [{"sku": "a", "z": 1}],
        "free": {"a": 1},
        "either": {"name": "A", "z": 1},
    }
    with pytest.raises(SettingError, match="No field") as refused:
        plan.compare(expected, expected, alternates={path: ["y"]})
    assert path in str(refused.value)
    assert plan.compare(expected, expected, alternates={"either.name": ["B"], "rows[0].sku": ["b"]}).counts()["fd"] == 0


# Evaluations


def write(path: Path, lines: list[Json]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def inputs(tmp_path: Path) -> tuple[Path, Path, Path]:
    """Expected and predicted documents with undeclared keys, and the schema."""
    expected = [
        {"id": "a", "total": 5, "note": "x", "rows": [{"sku": "u", "z": 1}]},
        {"id": "b", "total": 6, "meta": {"k": [1, 2], "n": None}, "rows": [{"sku": "u"}]},
        {"id": "c", "total": 7},
    ]
    predicted = [
        {"id": "a", "total": 5, "note": "x", "meta": {"k": 7, "q": 1}, "rows": [{"sku": "u", "z": 1}, {"z": 4}]},
        {"id": "b", "total": 6, "note": "hm", "rows": [{"sku": "u", "z": 3, "y": 3}]},
        {"id": "c", "total": 7, "meta": {"n": 1}},
    ]
    schema = tmp_path / "schema.json"
    schema.write_text(json.dumps(SCHEMA))
    return write(tmp_path / "e.jsonl", expected), write(tmp_path / "p.jsonl", predicted), schema


OUTSIDE = {
    "meta.k": {"expected": 2, "predicted": 1},
    "meta.n": {"expected": 0, "predicted": 1},
    "note": {"expected": 1, "predicted": 2},
    "rows.z": {"expected": 1, "predicted": 3},
}


def run(*args: str | Path) -> Any:
    return CliRunner().invoke(cli, [str(arg) for arg in args])


@pytest.mark.parametrize("unmatched", ["leaves", "objects"])
def test_evaluate_lists_what_is_outside(inputs: tuple[Path, Path, Path], tmp_path: Path, unmatched: str) -> None:
    """A key of any expected document of the sample is outside in all documents; metrics, terminal and page say so."""
    expected, predicted, schema = inputs
    out = tmp_path / "out"
    result = run("evaluate", expected, predicted, "--schema", schema, "--out", out, "--unmatched", unmatched)
    assert result.exit_code == 0, result.output
    metrics = json.loads((out / "metrics.json").read_bytes())
    assert metrics["outside"] == OUTSIDE
    assert metrics["outside_not_listed"] == {"expected": 0, "predicted": 0}
    assert metrics["undeclared_fields"] == ["meta.q", "rows.y"]
    assert [metrics["aggregate"][key] for key in ERRORS] == [0, 2, 0]
    words = "4 expected and 7 predicted values under rows.z, meta.k, note, meta.n"
    assert words in " ".join(result.output.split())
    assert words in page_of(out).notes[0]
    spec = json.loads((out / "spec.json").read_bytes())
    assert spec["x-fieldwise-outside"] == ["meta", "meta.k", "meta.n", "note", "rows.z"]


def test_evaluate_ignores_undeclared_keys_where_it_should(inputs: tuple[Path, Path, Path], tmp_path: Path) -> None:
    """The option wins over the schema key; what was ignored is listed."""
    expected, predicted, schema = inputs
    keyed = tmp_path / "keyed.json"
    keyed.write_text(json.dumps({**SCHEMA, "x-fieldwise-extras": "ignore"}))
    ignored = [
        run("evaluate", expected, predicted, "--json", *options)
        for options in (("--schema", schema, "--extras", "ignore"), ("--schema", keyed))
    ]
    assert ignored[0].output == ignored[1].output
    metrics = json.loads(ignored[0].output)
    assert (metrics["extras"], metrics["aggregate"]["fp"], metrics["undeclared_fields"]) == ("ignore", 0, [])
    assert metrics["outside"] == OUTSIDE | {
        "meta.q": {"expected": 0, "predicted": 1},
        "rows.y": {"expected": 0, "predicted": 1},
    }
    counted = json.loads(run("evaluate", expected, predicted, "--json", "--schema", keyed, "--extras", "leaves").output)
    assert (counted["extras"], counted["aggregate"]["fp"]) == ("leaves", 2)
    assert counted["spec_fingerprint"] != metrics["spec_fingerprint"]


def test_the_spec_of_a_run_says_what_is_outside_in_the_next(inputs: tuple[Path, Path, Path], tmp_path: Path) -> None:
    """Another evaluation with spec.json of a first one has its rules, whatever its own documents hold."""
    expected, predicted, schema = inputs
    first, second = tmp_path / "first", tmp_path / "second"
    run("evaluate", expected, predicted, "--schema", schema, "--out", first)
    more = [{"id": "a", "total": 5, "other": 1}, {"id": "b", "total": 5}]
    guesses = [{"id": "a", "total": 5}, {"id": "b", "total": 5, "other": 1, "note": "x"}]
    sides = write(tmp_path / "e2.jsonl", more), write(tmp_path / "p2.jsonl", guesses)
    run("evaluate", *sides, "--schema", first / "spec.json", "--out", second)
    runs = [json.loads((folder / "metrics.json").read_bytes()) for folder in (first, second)]
    assert runs[0]["spec_fingerprint"] == runs[1]["spec_fingerprint"]
    assert runs[1]["undeclared_fields"] == ["other"]
    assert runs[1]["outside"].keys() == {"note", "other"}


def test_shards_and_workers_change_nothing(inputs: tuple[Path, Path, Path], tmp_path: Path) -> None:
    """What is outside is decided once, before the first document, and adds up over shards."""
    expected, predicted, schema = inputs
    spec = Spec.from_json_schema(json.loads(schema.read_bytes()))
    whole = evaluate_pairs(open_pairs(expected, predicted), spec).metrics
    sharded = evaluate_pairs(open_pairs(expected, predicted), spec, shard_documents=1, workers=2).metrics
    assert whole.to_json() == sharded.to_json()
    assert whole.to_dict()["outside"] == OUTSIDE


def test_many_paths_are_added_up() -> None:
    """Where keys are data, the first paths by name are listed, the others summed, however documents are divided."""
    names = [f"k{n:05d}" for n in range(3 * MAX_PATHS)]
    whole, parts = OutsideCounts(), [OutsideCounts() for _ in range(7)]
    for n, name in enumerate(names[::-1]):
        for counts in (whole, parts[n % 7]):
            counts.add({name: 2}, {name: 1, "k": 1})
    merged = OutsideCounts()
    for part in parts:
        merged.merge(OutsideCounts.from_state(json.loads(json.dumps(part.to_state()))))
    listed, others = merged.counts()
    assert (listed, others) == whole.counts()
    assert list(listed) == ["k", *names[: MAX_PATHS - 1]]
    assert listed["k"] == OutsideCount(expected=0, predicted=len(names))
    left = len(names) - MAX_PATHS + 1
    assert others == OutsideCount(expected=2 * left, predicted=left)


def test_compare_says_what_is_outside(tmp_path: Path) -> None:
    """Two identical documents are alike under any schema; the keys that it leaves out are named."""
    document = tmp_path / "d.json"
    document.write_text(json.dumps({"total": 5, "note": "x", "rows": [{"sku": "u", "z": 1}]}))
    schema = tmp_path / "s.json"
    schema.write_text(json.dumps(SCHEMA))
    shown = run("compare", document, document, "--schema", schema)
    assert shown.exit_code == 0
    assert "2 expected and 2 predicted values under note, rows.z" in " ".join(shown.output.split())
    result = json.loads(run("compare", document, document, "--schema", schema, "--json").output)
    assert result["outside"] == {path: {"expected": 1, "predicted": 1} for path in ("note", "rows.z")}
    assert result["all_fields_matched"] is True


def test_compare_ignores_undeclared_keys_where_it_should(tmp_path: Path) -> None:
    """``--extras ignore`` leaves out what only the prediction has, too."""
    expected, predicted = tmp_path / "e.json", tmp_path / "p.json"
    expected.write_text(json.dumps({"total": 5}))
    predicted.write_text(json.dumps({"total": 5, "extra": 1}))
    assert run("compare", expected, predicted).exit_code == 1
    ignored = run("compare", expected, predicted, "--extras", "ignore")
    assert ignored.exit_code == 0
    assert "0 expected and 1 predicted value under extra (undeclared keys are ignored)" in " ".join(
        ignored.output.split()
    )
