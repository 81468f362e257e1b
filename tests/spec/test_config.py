"""The config dict in: what a field resolves to, and what is refused, with its path."""

from __future__ import annotations

import pytest

from fieldwise import (
    SettingError,
    Spec,
    StructuredModel,
)
from fieldwise.values import Json
from tests.spec.samples import EXACT, FIELD_CONFIGS, Row, Schema, config_of, leaf_of, object_of, row_of


@pytest.mark.parametrize(("config", "row"), FIELD_CONFIGS, ids=lambda v: str(v)[:60])
def test_what_a_config_field_resolves_to(config: Schema, row: Row) -> None:
    """Config: the threshold is 0.5 whatever the comparator, even where its settings name one."""
    assert row_of(Spec.from_config(config_of(f=config), defaults="stickler"), "f") == row


def test_what_config_models_resolve_to() -> None:
    """A structured model has the threshold 0.7, its class is named after the field, its items pair at 0.3."""
    inner = {"a": {"type": "str", "comparator": "Exact"}}
    spec = Spec.from_config(
        config_of(
            part={"type": "structured_model", "fields": inner},
            parts={"type": "list_structured_model", "fields": inner, "match_threshold": 0.3, "threshold": 0.9},
            maybe={"type": "optional_structured_model", "fields": inner, "threshold": 0.2, "weight": 2},
        )
    )
    fields = spec.resolved().root.fields
    part, parts, maybe = (object_of(fields[name]) for name in ("part", "parts", "maybe"))
    assert (part.threshold, part.clip, part.match_threshold, part.name) == (0.7, True, 0.3, "PartModel")
    assert (parts.match_threshold, parts.name) == (0.3, "PartsModel")
    assert (maybe.threshold, maybe.weight) == (0.2, 2.0)


def test_a_config_infers_what_is_not_specified_where_it_says_so() -> None:
    """`infer_unspecified_fields` makes the comparator optional."""
    config = config_of(
        total={"type": "float"}, rows={"type": "list_structured_model", "fields": {"sku": {"type": "str"}}}
    )
    spec = Spec.from_config({**config, "infer_unspecified_fields": True})
    assert row_of(spec, "total") == ("Numeric", 0.95, True, 1.0)
    assert leaf_of(object_of(spec.resolved().root.fields["rows"]).fields["sku"]).threshold == 1.0
    with pytest.raises(SettingError, match="comparator"):
        Spec.from_config(config)


REFUSED_CONFIGS: dict[str, tuple[Json, str, str]] = {
    "no fields": ({}, "$", "fields"),
    "empty fields": (config_of(), "$", "at least one field"),
    "no config": ([], "$", "config object"),
    "unknown model key": ({**config_of(a=EXACT), "match_treshold": 0.5}, "$", "did you mean 'match_threshold'"),
    "bad model name": ({**config_of(a=EXACT), "model_name": "two words"}, "$", "identifier"),
    "bad nested model name": (
        config_of(a={"type": "structured_model", "model_name": "two words", "fields": {"b": EXACT}}),
        "$.fields.a",
        "identifier",
    ),
    "bad match threshold": ({**config_of(a=EXACT), "match_threshold": 2}, "$", "0 to 1"),
    "field is no object": (config_of(a="str"), "$.fields.a", "Expected an object"),
    "no type": (config_of(a={"comparator": "Exact"}), "$.fields.a", "type"),
    "unknown type": (config_of(a={"type": "strr", "comparator": "Exact"}), "$.fields.a", "did you mean 'str'"),
    "unknown key": (config_of(a={**EXACT, "tresholdd": 0.5}), "$.fields.a", "did you mean 'threshold'"),
    "no comparator": (config_of(a={"type": "str"}), "$.fields.a", "comparator"),
    "unknown comparator": (config_of(a={"type": "str", "comparator": "Exakt"}), "$.fields.a", "ExactComparator"),
    "unknown comparator setting": (
        config_of(a={**EXACT, "comparator_config": {"cas": 1}}),
        "$.fields.a",
        "no setting 'cas'",
    ),
    "comparator of a model": (
        config_of(a={"type": "structured_model", "comparator": "Exact", "fields": {"b": EXACT}}),
        "$.fields.a",
        "no `comparator`",
    ),
    "model without fields": (config_of(a={"type": "structured_model"}), "$.fields.a", "fields"),
    "bad threshold": (config_of(a={**EXACT, "threshold": -0.1}), "$.fields.a", "0 to 1"),
    "negative weight": (config_of(a={**EXACT, "weight": -1}), "$.fields.a", "0 or more"),
    "bad clip": (config_of(a={**EXACT, "clip_under_threshold": 1}), "$.fields.a", "true or false"),
    "ill-fitting comparator": (
        config_of(a={"type": "dict", "comparator": "Phone"}),
        "$.fields.a",
        "cannot compare objects",
    ),
    "deep inside": (
        config_of(a={"type": "list_structured_model", "fields": {"b": {**EXACT, "threshold": 7}}}),
        "$.fields.a.fields.b",
        "0 to 1",
    ),
}


@pytest.mark.parametrize("name", REFUSED_CONFIGS)
def test_wrong_configs_are_refused_with_their_path(name: str) -> None:
    """A config that cannot be compared is a SettingError, which is a ValueError, and names the place."""
    config, path, words = REFUSED_CONFIGS[name]
    with pytest.raises(SettingError, match=words) as caught:
        Spec.from_config(config)
    assert caught.value.path == path
    with pytest.raises(ValueError, match=words):
        StructuredModel.model_from_json(config)
