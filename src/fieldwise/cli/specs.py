"""A spec from a file: a JSON Schema, or a config dict."""

from __future__ import annotations

from fieldwise.errors import SettingError
from fieldwise.readers.json_text import read_json
from fieldwise.spec import Spec


def read_spec(path: str) -> Spec:
    """Read a spec; settings of fields that have no comparison keys are inferred from names and types."""
    declared = read_json(path)
    if not isinstance(declared, dict):
        raise SettingError(f"Expected a JSON Schema or a config in {path}, got a {type(declared).__name__}")
    if "fields" in declared and "properties" not in declared:
        return Spec.from_config(declared)
    return Spec.from_json_schema(declared, infer=True)
