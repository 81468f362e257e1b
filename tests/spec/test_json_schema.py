"""JSON Schema in: what a property resolves to, references and alternatives, and what is refused, with its path."""

from __future__ import annotations

from pathlib import Path

import pytest

from fieldwise import (
    Plan,
    SettingError,
    Spec,
    StructuredModel,
)
from fieldwise.spec import Leaf, ListOf, Object, OneOf, Ref
from fieldwise.values import Json
from tests.command_line import run
from tests.spec.samples import (
    FIELD_SCHEMAS,
    KEY,
    RECURSIVE,
    STRING,
    PlainTree,
    Row,
    Schema,
    leaf_of,
    object_of,
    row_of,
    schema_of,
)


@pytest.mark.parametrize(("schema", "row"), FIELD_SCHEMAS, ids=lambda v: str(v)[:60])
def test_what_a_schema_property_resolves_to(schema: Schema, row: Row) -> None:
    """JSON Schema: the type chooses the comparator, keys win over it."""
    assert row_of(Spec.from_json_schema(schema_of(f=schema), defaults="stickler"), "f") == row


def test_what_schema_objects_resolve_to() -> None:
    """A nested object has the threshold 0.7 and clips; a list's items pair at 0.3 or as they say."""
    part = schema_of(a={"type": "string"})
    spec = Spec.from_json_schema(
        schema_of(
            one=part,
            strict={**part, f"{KEY}threshold": 0.2, f"{KEY}clip-under-threshold": False, f"{KEY}weight": 2},
            many={"type": "array", "items": {**part, f"{KEY}match-threshold": 0.4, f"{KEY}model-name": "Part"}},
        )
    )
    fields = spec.resolved().root.fields
    one, strict, many = (object_of(fields[name]) for name in ("one", "strict", "many"))
    assert (one.threshold, one.clip, one.weight, one.match_threshold, one.name) == (0.7, True, 1.0, 0.3, "OneModel")
    assert (strict.threshold, strict.clip, strict.weight) == (0.2, False, 2.0)
    assert (many.match_threshold, many.name) == (0.4, "Part")
    assert spec.root.name == "DynamicModel"


@pytest.mark.parametrize("infer", ["key", "auto"])
def test_a_schema_is_inferred_where_it_says_so(infer: str) -> None:
    """Inference as in stickler-eval is asked for by a key of the object, or field by field; explicit keys win."""
    schema = schema_of(total={"type": "number"}, kept={"type": "string", f"{KEY}comparator": "Exact"})
    if infer == "key":
        schema[f"{KEY}infer-unspecified"] = True
    if infer == "auto":
        schema["properties"]["total"][f"{KEY}comparator"] = "auto"
    spec = Spec.from_json_schema(schema, defaults="stickler")
    assert row_of(spec, "total") == ("Numeric", 0.95, True, 1.0)
    assert row_of(spec, "kept") == ("Exact", 0.5, True, 1.0)


def test_inference_is_inherited_and_can_be_switched_off_below() -> None:
    """`infer-unspecified` of an object holds for the objects in it that do not say otherwise."""
    inner = schema_of(total={"type": "number"})
    schema = {**schema_of(on=inner, off={**inner, f"{KEY}infer-unspecified": False}), f"{KEY}infer-unspecified": True}
    fields = Spec.from_json_schema(schema, defaults="stickler").resolved().root.fields
    assert leaf_of(object_of(fields["on"]).fields["total"]).threshold == 0.95
    assert leaf_of(object_of(fields["off"]).fields["total"]).threshold == 0.5


def kinds(spec: Spec) -> dict[str, str]:
    """The kinds of the top-level fields in words."""
    words: dict[str, str] = {}
    for name, node in spec.root.fields.items():
        match node:
            case Leaf():
                words[name] = node.kind
            case Object():
                words[name] = f"object of {', '.join(node.fields)}"
            case ListOf():
                words[name] = f"list of {node.item.kind if isinstance(node.item, Leaf) else 'objects'}"
            case OneOf():
                words[name] = f"one of {len(node.arms)}"
            case Ref():
                words[name] = "ref"
    return words


ADDRESS = schema_of(city={"type": "string"}, zip={"type": "string"})


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({**schema_of(a={"$ref": "#/$defs/A"}), "$defs": {"A": ADDRESS}}, "object of city, zip"),
        ({**schema_of(a={"$ref": "#/definitions/A"}), "definitions": {"A": ADDRESS}}, "object of city, zip"),
        ({**schema_of(a={"$ref": "#/$defs/A"}), "$defs": {"A": {"$ref": "#/$defs/B"}, "B": ADDRESS}}, "object of city"),
        ({**schema_of(a={"$ref": "#/properties/b"}, b={"type": "integer"})}, "integer"),
        (schema_of(a={"allOf": [ADDRESS, schema_of(country={"type": "string"})]}), "object of country, city, zip"),
        ({**schema_of(a={"allOf": [{"$ref": "#/$defs/A"}]}), "$defs": {"A": ADDRESS}}, "object of city, zip"),
        ({**schema_of(a={"allOf": [{"$ref": "#/$defs/S"}]}), "$defs": {"S": {"enum": ["x"]}}}, "choice"),
        (schema_of(a={"anyOf": [ADDRESS, {"type": "null"}]}), "object of city, zip"),
        ({**schema_of(a={"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}), "$defs": {"A": ADDRESS}}, "object of"),
        (schema_of(a={"oneOf": [ADDRESS, {"type": "string"}]}), "one of 2"),
        (schema_of(a={"type": ["array", "null"], "items": {"type": "string"}}), "list of string"),
        (schema_of(a={"type": ["object", "string"], "properties": {"x": {"type": "string"}}}), "one of 2"),
        (schema_of(a={"properties": {"x": {"type": "string"}}}), "object of x"),
        (schema_of(a={"type": "object", "additionalProperties": False}), "free"),
        (schema_of(a={"enum": [1, 2]}), "choice"),
        (schema_of(a={"const": "x"}), "choice"),
        (schema_of(a={"type": "string", "format": "date-time"}), "datetime"),
        (schema_of(a={"type": "string", "format": "uuid"}), "text_format"),
        (schema_of(a={"type": "array", "items": ADDRESS}), "list of objects"),
        (
            schema_of(a={"type": "array", "items": {"type": "number"}, f"{KEY}comparator": "BBoxIoU"}),
            "box",
        ),
        (
            schema_of(
                a={
                    "type": "array",
                    "items": {"type": "array", "items": {"type": "number"}},
                    f"{KEY}comparator": "BBoxIoU",
                }
            ),
            "list of box",
        ),
    ],
    ids=str,
)
def test_schema_features(schema: Schema, words: str) -> None:
    """References, combiners, choices and formats are read for what they hold."""
    assert kinds(Spec.from_json_schema(schema))["a"].startswith(words)


def test_a_root_may_be_a_reference_or_put_together() -> None:
    """pydantic writes recursive roots as a reference; allOf merges at the root too."""
    by_ref = {"$ref": "#/$defs/A", "$defs": {"A": ADDRESS}}
    merged = {"allOf": [ADDRESS, schema_of(name={"type": "string"})]}
    assert kinds(Spec.from_json_schema(by_ref)) == {"city": "string", "zip": "string"}
    assert set(kinds(Spec.from_json_schema(merged))) == {"city", "zip", "name"}


@pytest.mark.parametrize(
    "schema",
    [
        RECURSIVE,
        {
            **schema_of(twin={"$ref": "#/$defs/N"}),
            "$defs": {"N": schema_of(v={"type": "string"}, twin={"$ref": "#/$defs/N"})},
        },
        PlainTree.model_json_schema(),
    ],
    ids=["root", "definition", "pydantic"],
)
def test_recursive_schemas_are_compared_as_deep_as_documents_go(schema: Schema) -> None:
    """A definition that holds itself is followed wherever both documents go; a difference is found at its path."""
    plan = Plan.compile(Spec.from_json_schema(schema))
    kids = "kids" if "kids" in str(schema) else "twin" if "twin" in str(schema) else "children"
    many = kids != "twin"
    leaf = "name" if kids == "children" else "v"

    def chain(last: str) -> Json:
        document: Json = {leaf: last}
        for _ in range(5):
            document = {leaf: "node", kids: [document] if many else document}
        return document

    verdicts = plan.compare(chain("end"), chain("else")).verdicts
    wrong = [v.path for v in verdicts if v.outcome.value == "fd" and v.path.endswith(leaf)]
    step = f"{kids}[0]" if many else kids
    assert wrong == [".".join([step] * 5 + [leaf])]


def test_keys_beside_a_reference_win() -> None:
    """What stands beside `$ref` overrides what the definition says."""
    schema = {
        **schema_of(a={"$ref": "#/$defs/S", f"{KEY}threshold": 0.9}, b={"$ref": "#/$defs/S"}),
        "$defs": {"S": {"type": "string", f"{KEY}threshold": 0.3}},
    }
    spec = Spec.from_json_schema(schema)
    assert (row_of(spec, "a")[1], row_of(spec, "b")[1]) == (0.9, 0.3)


REFUSED_SCHEMAS: dict[str, tuple[Schema, str, str]] = {
    "patternProperties": (
        schema_of(a={"type": "object", "patternProperties": {"^x": STRING}}),
        "$.a",
        "patternProperties",
    ),
    "untyped property": (schema_of(a={"description": "x"}), "$.a", "no type"),
    "array without items": (schema_of(a={"type": "array"}), "$.a", "items"),
    "empty properties": (schema_of(a=schema_of()), "$.a", "no properties"),
    "empty root": (schema_of(), "$", "no properties"),
    "root is no object": ({"type": "string"}, "$", "root"),
    "remote reference": (schema_of(a={"$ref": "https://example.org/a.json"}), "$.a", "within the schema"),
    "dangling reference": (schema_of(a={"$ref": "#/$defs/none"}), "$.a", "leads nowhere"),
    "allOf in a circle": (
        {**schema_of(a={"allOf": [{"$ref": "#/$defs/A"}]}), "$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}]}}},
        "$.a",
        "refers to itself",
    ),
    "siblings of a combiner": (schema_of(a={"anyOf": [STRING, {"type": "null"}], "properties": {}}), "$.a", "beside"),
    "bad type": (schema_of(a={"type": "text"}), "$.properties.a.type", "Not a valid JSON Schema"),
    "bad model name": ({**schema_of(a=STRING), f"{KEY}model-name": "two words"}, "$", "identifier"),
    "bad match threshold": ({**schema_of(a=STRING), f"{KEY}match-threshold": 1.5}, "$", "0 to 1"),
    "threshold above 1": (schema_of(a={**STRING, f"{KEY}threshold": 2}), "$.a", "0 to 1"),
    "threshold as text": (schema_of(a={**STRING, f"{KEY}threshold": "0.5"}), "$.a", "0 to 1"),
    "threshold true": (schema_of(a={**STRING, f"{KEY}threshold": True}), "$.a", "0 to 1"),
    "weight 0": (schema_of(a={**STRING, f"{KEY}weight": 0}), "$.a", "above 0"),
    "negative weight": (schema_of(a={**STRING, f"{KEY}weight": -1}), "$.a", "0 or more"),
    "negative own weight": (schema_of(a={**STRING, "x-fieldwise-weight": -1}), "$.a", "0 or more"),
    "clip as text": (schema_of(a={**STRING, f"{KEY}clip-under-threshold": "yes"}), "$.a", "true or false"),
    "misspelt key": (schema_of(a={**STRING, f"{KEY}treshold": 0.5}), "$.a", "did you mean 'x-aws-stickler-threshold'"),
    "old prefix": (schema_of(a={**STRING, "x-stickler-weight": 1}), "$.a", "did you mean"),
    "our key under their prefix": (schema_of(a={**STRING, f"{KEY}alternates": True}), "$.a", "Unknown schema key"),
    "field key at the root": ({**schema_of(a=STRING), f"{KEY}threshold": 0.5}, "$", "no meaning on the root"),
    "object key on a value": (schema_of(a={**STRING, f"{KEY}match-threshold": 0.5}), "$.a", "no meaning on a value"),
    "key on list items": (
        schema_of(a={"type": "array", "items": {**STRING, f"{KEY}threshold": 0.5}}),
        "$.a[]",
        "no meaning on list items",
    ),
    "order on a value": (schema_of(a={**STRING, "x-fieldwise-order": "any"}), "$.a", "no meaning on a value"),
    "unknown order": (
        schema_of(a={"type": "array", "items": STRING, "x-fieldwise-order": "positon"}),
        "$.a",
        "did you mean 'position'",
    ),
    "unknown list key": (
        schema_of(a={"type": "array", "items": ADDRESS, "x-fieldwise-key": ["citty"]}),
        "$.a",
        "did you mean 'city'",
    ),
    "unknown kind": (schema_of(a={"x-fieldwise-kind": "strin"}), "$.a", "did you mean 'string'"),
    "ill-fitting comparator": (
        schema_of(a={"type": "object", f"{KEY}comparator": "Numeric"}),
        "$.a",
        "cannot compare objects",
    ),
    "ill-fitting list comparator": (
        schema_of(a={"type": "array", "items": {"type": "object"}, f"{KEY}comparator": "Date"}),
        "$.a",
        "cannot compare objects",
    ),
    "comparator of an object": (schema_of(a={**ADDRESS, f"{KEY}comparator": "Exact"}), "$.a", "field by field"),
    "comparator of a list of objects": (
        schema_of(a={"type": "array", "items": ADDRESS, f"{KEY}comparator": "Exact"}),
        "$.a",
        "field by field",
    ),
    "threshold of a list of objects": (
        schema_of(a={"type": "array", "items": ADDRESS, f"{KEY}threshold": 0.9}),
        "$.a",
        "match-threshold",
    ),
    "unknown comparator": (schema_of(a={**STRING, f"{KEY}comparator": "Levenstein"}), "$.a", "LevenshteinComparator"),
    "unknown comparator setting": (
        schema_of(a={**STRING, f"{KEY}comparator": "Exact", f"{KEY}comparator-config": {"case_sensitiv": True}}),
        "$.a",
        "did you mean 'case_sensitive'",
    ),
    "bad comparator setting": (
        schema_of(a={**STRING, f"{KEY}comparator": "Fuzzy", f"{KEY}comparator-config": {"method": "best"}}),
        "$.a",
        "method",
    ),
    "settings without comparator": (
        schema_of(a={**STRING, f"{KEY}comparator-config": {"normalize": False}}),
        "$.a",
        "without `comparator`",
    ),
    "deep inside": (
        schema_of(a={"type": "array", "items": schema_of(b={**STRING, f"{KEY}threshold": -1})}),
        "$.a[].b",
        "0 to 1",
    ),
}


REFUSED_BY_PEER = {"untyped property", "array without items", "key on list items"}
"""What only code written for stickler-eval is refused; elsewhere values decide, and a key may be on the items."""


@pytest.mark.parametrize("name", REFUSED_SCHEMAS)
def test_wrong_schemas_are_refused_with_their_path(name: str) -> None:
    """A schema that cannot be compared is a SettingError, which is a ValueError, and names the place."""
    schema, path, words = REFUSED_SCHEMAS[name]
    with pytest.raises(SettingError, match=words) as caught:
        Spec.from_json_schema(schema, defaults="stickler" if name in REFUSED_BY_PEER else "fieldwise")
    assert caught.value.path == path
    assert path in str(caught.value)
    with pytest.raises(ValueError, match=words):
        StructuredModel.from_json_schema(schema)


def test_foreign_keywords_pass() -> None:
    """JSON Schema keywords that say nothing about comparing are left alone."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema_of(a={"type": "string", "pattern": "^a", "x-other-tool": 1, "deprecated": True}),
        "additionalProperties": False,
    }
    assert kinds(Spec.from_json_schema(schema)) == {"a": "string"}


LOOPS = [
    {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}},
    {"a": {"$ref": "#/$defs/a"}},
    {"a": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "string"}]}},
]


@pytest.mark.parametrize("definitions", LOOPS)
def test_references_that_lead_to_themselves_are_refused(definitions: dict[str, Json]) -> None:
    """Without an object or a list between, nothing is declared; with one, it is a definition that holds itself."""
    schema = {"type": "object", "properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": definitions}
    with pytest.raises(SettingError, match=r"leads to itself, with no object or list between - at \$\.x"):
        Spec.from_json_schema(schema)
    rows = {"a": {"type": "array", "items": {"type": "object", "properties": {"y": {"$ref": "#/$defs/a"}}}}}
    Plan.compile(Spec.from_json_schema({**schema, "$defs": rows}))


def test_definitions_that_unfold_without_end_are_refused() -> None:
    """With the path, before they take memory: each refers to the next four times."""
    levels = {
        f"d{k}": {"type": "object", "properties": {name: {"$ref": f"#/$defs/d{k + 1}"} for name in "abcd"}}
        for k in range(12)
    }
    schema = {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/d0"}},
        "$defs": {**levels, "d12": {"type": "null"}},
    }
    with pytest.raises(SettingError, match=r"unfolds to more than 100,000 fields.* - at \$\.x\.a") as refused:
        Spec.from_json_schema(schema)
    assert refused.value.code == "spec.too_large"


def test_a_key_that_is_said_twice_is_refused(tmp_path: Path) -> None:
    """A schema in a file says one thing of each field."""
    schema = '{"type": "object", "properties": {"x": {"type": "string", "type": "number"}}}'
    (tmp_path / "schema.json").write_text(schema)
    (tmp_path / "p.jsonl").write_text('{"id": 1, "expected": {"x": 1}, "predicted": {"x": 1}}\n')
    done = run("evaluate", tmp_path / "p.jsonl", "--schema", tmp_path / "schema.json")
    assert done.returncode == 2
    assert "Expected the key 'type' once - at $.properties.x.type" in done.stderr
