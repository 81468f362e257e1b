"""Classes of documents, each with its own spec: a list or mapping of schemas, or of the older lists of attributes.

Classes as the product ships them are made valid JSON Schema: numbers may be text, keywords null, objects without
properties; a judge has the model of the whole config.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from typing import Final

from fieldwise.checks import checked_flag
from fieldwise.comparators.judge import MODEL_VARIABLE
from fieldwise.errors import SettingError
from fieldwise.spec.nodes import OtherClasses, check_other_classes, unknown_key
from fieldwise.spec.product_keys import (
    EVALUATION,
    INNER,
    INNER_LISTS,
    INNER_MAPS,
    METHOD,
    PRODUCT,
    as_number,
    schema_of_attributes,
)
from fieldwise.spec.schema_keys import OWN
from fieldwise.spec.spec import Spec
from fieldwise.values import ONLY_BLANK, Json

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


CLASS_NAME: Final = f"{PRODUCT}document-type"
_EXCLUDED: Final = f"{PRODUCT}exclude-from-processing"
_REASON: Final = f"{PRODUCT}exclusion-reason"
_INSTANCES: Final = f"{PRODUCT}multi-instance"
_CLASS_KEYS: Final = (CLASS_NAME, _EXCLUDED, _REASON, _INSTANCES)
_NEARLY: Final = 0.85
_NAMES: Final = (CLASS_NAME, "name", "title", "$id")
_LIST: Final = "classes"
_OTHERS: Final = f"{OWN}other-classes"


def is_class_config(declared: Json) -> bool:
    """Tell whether a config declares classes: a list, a key ``classes``, or schemas by name."""
    if isinstance(declared, list):
        return True
    if not isinstance(declared, Mapping) or "properties" in declared or "fields" in declared:
        return False
    return isinstance(declared.get(_LIST), list | Mapping) or (bool(declared) and all(map(is_class, declared.values())))


def spec_of_classes(declared: Json) -> Spec:
    """Return the spec with a spec for each class; SettingError says what is wrong, and where.

    A class is a JSON Schema, or a name with a list of attributes. One that is excluded from processing, or has no
    fields, is excluded.
    """
    classes: dict[str, Spec] = {}
    excluded: dict[str, str] = {}
    model = os.environ.get(MODEL_VARIABLE) or judge_model(declared)
    for name, schema, path in _declared(declared):
        if any(name.casefold() == other.casefold() for other in (*classes, *excluded)):
            raise SettingError(
                f"The class {name!r} is declared twice", path=path, code="setting.conflict", facts={"class": name}
            )
        with _inside(path):
            _refuse_misspelt(schema)
            reason = _why_excluded(schema)
            if reason is None:
                classes[name] = class_spec(schema, model)
            else:
                excluded[name] = reason
    if not classes and not excluded:
        raise SettingError("Expected at least one class, got none", code="spec.no_fields")
    whole = replace(Spec.of_classes(classes, excluded), other_classes=_other_classes(declared))
    return whole.inheriting(ONLY_BLANK)  # the product has no such texts


def _other_classes(declared: Json) -> OtherClasses | None:
    """Return what a config says of classes that it does not have, beside its list of those that it has."""
    if not isinstance(declared, Mapping) or _LIST not in declared:
        return None
    for key in declared:
        if isinstance(key, str) and key.startswith(OWN) and key != _OTHERS:
            raise unknown_key("key", key, [_OTHERS], path="$")
    return check_other_classes(declared[_OTHERS], f"$.{_OTHERS}") if _OTHERS in declared else None


def class_spec(schema: Mapping[str, Json], model: str | None = None) -> Spec:
    """Return the spec of one class, declared in either family of keys or as a list of attributes.

    ``model`` is that of judges that declare none.
    """
    if "fields" in schema and "properties" not in schema and "attributes" not in schema:
        return Spec.from_config(schema)
    made = as_schema(_schema_of(schema), model)
    if schema.get(_INSTANCES) is True:
        made = {"type": "object", "properties": {"instances": {"type": "array", "items": made}}}
    return Spec.from_json_schema(made)


def _schema_of(schema: Mapping[str, Json]) -> Mapping[str, Json]:
    if "attributes" in schema and "properties" not in schema:
        return schema_of_attributes(schema["attributes"], "$")
    return schema


def _declared(declared: Json) -> Iterator[tuple[str, Mapping[str, Json], str]]:
    """Yield the name, the declaration and the place of each class."""
    path = "$"
    if isinstance(declared, Mapping) and isinstance(declared.get(_LIST), list | Mapping):
        declared, path = declared[_LIST], f"$.{_LIST}"
    if isinstance(declared, list):
        for at, schema in enumerate(declared):
            place = f"{path}[{at}]"
            yield _name_of(_checked(schema, place), place), schema, place
    elif isinstance(declared, Mapping):
        for name, schema in declared.items():
            place = f"{path}.{name}"
            yield str(name).strip(), _checked(schema, place), place
    else:
        raise SettingError(
            f"Expected classes, got a {type(declared).__name__}",
            code="spec.not_a_schema",
            facts={"got": type(declared).__name__},
        )


def _checked(schema: Json, path: str) -> Mapping[str, Json]:
    if not isinstance(schema, Mapping):
        raise SettingError(
            f"Expected the schema of a class, got {schema!r}",
            path=path,
            code="spec.not_a_schema",
            facts={"got": schema},
        )
    return schema


def _name_of(schema: Mapping[str, Json], path: str) -> str:
    name = class_name_in(schema)
    if name is None:
        raise SettingError(
            f"Expected a class with a name, {CLASS_NAME!r} or 'name'",
            path=path,
            code="setting.missing",
            facts={"setting": CLASS_NAME},
        )
    return name


def class_name_in(schema: Mapping[str, Json]) -> str | None:
    """Return the class that a schema is of, as it says; None where it does not."""
    names = (schema.get(key) for key in _NAMES)
    return next((name.strip() for name in names if isinstance(name, str) and name.strip()), None)


def _refuse_misspelt(schema: Mapping[str, Json]) -> None:
    """Refuse a key that is nearly one of those that are read here; the product has others, which nobody reads."""
    own = [key.removeprefix(PRODUCT) for key in _CLASS_KEYS]
    for key in (key for key in schema if isinstance(key, str) and key.startswith(PRODUCT)):
        if key not in _CLASS_KEYS and get_close_matches(key.removeprefix(PRODUCT), own, n=1, cutoff=_NEARLY):
            raise unknown_key("schema key", key, _CLASS_KEYS, path="$")


def _why_excluded(schema: Mapping[str, Json]) -> str | None:
    if _EXCLUDED in schema and checked_flag(_EXCLUDED, schema[_EXCLUDED], path="$"):
        reason = schema.get(_REASON)
        return reason if isinstance(reason, str) and reason else "its class is excluded from processing"
    fields = schema.get("properties", schema.get("attributes", schema.get("fields")))
    return None if fields or "$ref" in schema or "allOf" in schema else "its class has no fields"


def is_class(schema: Json) -> bool:
    """Tell whether something declares a class: its fields, or that it is excluded."""
    return isinstance(schema, Mapping) and any(
        key in schema for key in ("properties", "attributes", "fields", "$ref", "allOf", CLASS_NAME, _EXCLUDED)
    )


@contextmanager
def _inside(path: str) -> Iterator[None]:
    """Add the place of a class to what is said about its settings."""
    try:
        yield
    except SettingError as error:
        whole = path + error.path.removeprefix("$") if error.path.startswith("$") else f"{path}.{error.path}".strip(".")
        statement = error.statement.removesuffix(f" - at {error.path}") if error.path else error.statement
        error.path, error.facts["path"] = whole, whole
        error.restate(f"{statement} - at {whole}")
        raise
