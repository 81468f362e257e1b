"""A spec as people give it: a JSON Schema or a config, in a file or read already."""

from __future__ import annotations

from pathlib import Path

from fieldwise.errors import SettingError, settings_in
from fieldwise.readers.json_text import read_json
from fieldwise.spec import Spec
from fieldwise.values import Json


def read_spec(path: str | Path) -> Spec:
    """Read a spec from a file; settings that it leaves out are open."""
    with settings_in(path):
        return spec_of(read_json(path))


def spec_of_run(folder: str | Path) -> Spec:
    """Read the spec by which an earlier evaluation compared, from the folder of its results."""
    path = Path(folder)
    path = path / "spec.json" if path.is_dir() else path
    if path.name != "spec.json" or not path.exists():
        raise SettingError(
            f"Expected the folder of an evaluation with its spec.json, got {folder}",
            code="run.no_spec",
            facts={"file": folder},
        )
    return read_spec(path)


def spec_of(declared: Json) -> Spec:
    """Return the spec that a JSON Schema or a config declares."""
    if not isinstance(declared, dict):
        raise SettingError(
            f"Expected a JSON Schema or a config, got a {type(declared).__name__}",
            code="spec.not_a_schema",
            facts={"got": type(declared).__name__},
        )
    if "fields" in declared and "properties" not in declared:
        return Spec.from_config(declared)
    return Spec.from_json_schema(declared)
