"""A spec as people give it: a JSON Schema or a config, in a file or read already."""

from __future__ import annotations

from pathlib import Path

import yaml

from fieldwise.errors import SettingError, cannot_read, closest, nearest, settings_in
from fieldwise.readers.files import read_source, source_name
from fieldwise.readers.json_text import duplicate_keys, parse_json, path_text
from fieldwise.spec import Spec
from fieldwise.spec.class_config import CLASS_NAME, is_class, is_class_config, spec_of_classes
from fieldwise.values import Json

_CONFIGS = (".json", ".yaml", ".yml")


def read_spec(path: str | Path) -> Spec:
    """Read a spec from a file; settings that it leaves out are open. A config of classes is a spec too."""
    with settings_in(path):
        return spec_of(_read_json(path))


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


def read_classes(path: str | Path) -> Spec:
    """Read the specs of classes: a file of JSON or YAML, or a folder of schemas, named by their classes or files."""
    place = Path(path)
    if not place.is_dir():
        with settings_in(path):
            declared = _read_config(place)
            return spec_of_classes(declared if is_class_config(declared) else [_named(_checked(declared), place)])
    files = sorted(inner for inner in place.iterdir() if inner.suffix.lower() in _CONFIGS and inner.is_file())
    if not files:
        raise SettingError(
            f"Expected a folder with schemas of classes, got {path} without any",
            code="input.empty",
            facts={"file": path},
        )
    return spec_of_classes([_read_class(inner) for inner in files])


def _read_class(path: Path) -> Json:
    with settings_in(path):
        return _named(_checked(_read_config(path)), path)


def _checked(declared: Json) -> Json:
    """Refuse what is neither classes nor one of them."""
    if not is_class(declared):
        keys = [str(key) for key in declared] if isinstance(declared, dict) else []
        near = next((key for key in keys if key != "classes" and closest(key, ["classes"])), "")
        raise SettingError(
            f"Expected a list of classes, classes by name, or one class with properties{nearest(near, ['classes'])}",
            path="$" if not near else f"$.{near}",
            code="spec.not_a_schema",
            facts={"got": type(declared).__name__},
        )
    return declared


def _named(declared: Json, path: Path) -> Json:
    """Return the declaration of a class with its name, that of its file where it says none."""
    if not isinstance(declared, dict) or CLASS_NAME in declared:
        return declared
    named = declared.get("name")
    return {**declared, CLASS_NAME: named if isinstance(named, str) and named else path.name.split(".")[0]}


def _read_json(path: str | Path) -> Json:
    """Read settings, in which a key that is there twice says two things."""
    content, name = read_source(path), source_name(path)
    value = parse_json(content, name)
    twice = duplicate_keys(content, name)
    if twice:
        raise SettingError(
            f"Expected the key {twice[0][-1]!r} once", path=path_text(twice[0]), facts={"key": str(twice[0][-1])}
        )
    return value


def _read_config(path: Path) -> Json:
    if path.suffix.lower() not in (".yaml", ".yml"):
        return _read_json(path)
    try:
        return yaml.safe_load(path.read_bytes())
    except OSError as error:
        raise cannot_read(path, error) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SettingError(
            f"Expected YAML in {path}: {' '.join(str(error).split())}", code="setting.not_yaml", facts={"file": path}
        ) from error


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
    if is_class_config(declared):
        return spec_of_classes(declared)
    return Spec.from_json_schema(declared)
