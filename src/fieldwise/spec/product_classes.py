"""Classes as the product ships them, made valid JSON Schema: what its own reader takes as it means it.

Numbers may be text, keywords null, objects without properties; a judge has the model of the whole config.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fieldwise.spec.product_keys import EVALUATION, METHOD, as_number
from fieldwise.spec.schema_walk import INNER, INNER_LISTS, INNER_MAPS
from fieldwise.values import Json

_NUMBERS: Final = frozenset(
    {
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
        *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
    }
)
_VALUES: Final = frozenset({"const", "default", "enum", "examples"})
_CONFIG: Final = f"{EVALUATION}method-config"


def judge_model(declared: Json) -> str | None:
    """Return the model that a whole config gives to judges which declare none."""
    for key in ("evaluation", "llm_method", "model"):
        declared = declared.get(key) if isinstance(declared, Mapping) else None
    return declared if isinstance(declared, str) and declared.strip() else None


def as_schema(declared: Mapping[str, Json], model: str | None = None) -> dict[str, Json]:
    """Return a class as valid JSON Schema; ``model`` is that of judges that declare none."""
    made = {
        key: as_number(value) if key in _NUMBERS else value
        for key, value in declared.items()
        if value is not None or key in _VALUES
    }
    for key in INNER:
        if isinstance(made.get(key), Mapping):
            made[key] = as_schema(made[key], model)
    for key in INNER_LISTS:
        if isinstance(made.get(key), list):
            made[key] = [as_schema(part, model) if isinstance(part, Mapping) else part for part in made[key]]
    for key in INNER_MAPS:
        if isinstance(made.get(key), Mapping):
            made[key] = {
                name: as_schema(part, model) if isinstance(part, Mapping) else part
                for name, part in made[key].items()
                if not _is_empty(part)
            }
    if model is not None and str(made.get(METHOD)).strip().upper() == "LLM":
        config = made.get(_CONFIG) or {}
        made[_CONFIG] = {"model": model, **config} if isinstance(config, Mapping) else config
    return made


def _is_empty(schema: Json) -> bool:
    """Return whether a property is an object, or a list of objects, in which nothing is declared."""
    if not isinstance(schema, Mapping):
        return False
    if "items" in schema and "properties" not in schema:
        return _is_empty(schema["items"])
    return schema.get("properties") in ({}, None) and "properties" in schema and "$ref" not in schema
