"""Defaults of options in a file: ``[tool.fieldwise]`` of a pyproject.toml, or a fieldwise.toml.

The nearest such file counts, in the working directory or a folder above it. Keys are called as options are; what is
given on the command line wins.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from fieldwise.bulk_aggregator import Json
from fieldwise.errors import FieldwiseError, SettingError, cannot_read, nearest
from fieldwise.text import terminal_safe

IGNORED = "fieldwise.ignored_settings"
"""Where the context of the command line says that no file counts."""
PATHS = ("schema", "config", "policy", "baseline")
"""Settings that are files or folders; relative to the folder of the file that names them."""
SETTINGS = (
    *PATHS,
    "absent",
    "bins",
    "expected-at",
    "extras",
    "fail-under",
    "judge-endpoint",
    "judge-model",
    "margin",
    "match-threshold",
    "max-bytes",
    "max-depth",
    "max-unpacked",
    "max-cells",
    "metric",
    "predicted-at",
    "strict-json",
    "target-error",
    "unmatched",
    "workers",
)
"""The options whose defaults a file may set: what a project decides once, not what one call asks for."""
_FILES = {"fieldwise.toml": (), "pyproject.toml": ("tool", "fieldwise")}
"""Files in the order in which a folder is searched, and the table that holds the settings."""


@dataclass(frozen=True)
class SettingsFile:
    """The settings of a file, by the names of options."""

    path: Path
    table: tuple[str, ...]
    values: Mapping[str, Json]

    def __str__(self) -> str:
        return _from_here(self.path)

    def defaults(self, command: click.Command) -> dict[str, Json]:
        """Return the defaults of a command's parameters, by their names."""
        named = {option: parameter for parameter in command.params for option in parameter.opts}
        chosen = {key: named[f"--{key}"] for key in self.values if f"--{key}" in named}
        return {str(parameter.name): self._default(key, parameter) for key, parameter in chosen.items()}

    def refusal(self, key: str, expected: str, got: object) -> SettingError:
        """Return the error that a setting is not what it should be."""
        facts = {"file": str(self), "setting": key, "expected": expected, "got": got}
        return SettingError(f"Expected {expected} for {key}, got {got!r} - at {self.place(key)}", facts=facts)

    def place(self, key: str) -> str:
        """Return where a setting is."""
        return f"{'.'.join((*self.table, key))} in {self}"

    def _default(self, key: str, parameter: click.Parameter) -> Json:
        value = self.values[key]
        if parameter.multiple:
            several = value if isinstance(value, list) else [value]
            if not all(isinstance(item, str) for item in several):
                raise self.refusal(key, "a text or a list of texts", value)
            return several
        if not isinstance(value, str | int | float):
            raise self.refusal(key, "a single value", value)
        return self._located(key, value) if key in PATHS else value

    def _located(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            raise self.refusal(key, "the name of a file or folder", value)
        return _from_here(self.path.parent / value)


def find_settings() -> SettingsFile | None:
    """Return the nearest settings, from the working directory upwards; None where there are none."""
    try:
        start = Path.cwd()
    except FileNotFoundError:
        return None
    for folder in (start, *start.parents):
        for name, table in _FILES.items():
            found = _read(folder / name, table)
            if found is not None:
                return found
    return None


def _read(path: Path, table: tuple[str, ...]) -> SettingsFile | None:
    if not path.is_file():
        return None
    try:
        content: Json = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise cannot_read(_from_here(path), error) from error
    except ValueError as error:
        if table:
            return None  # the pyproject.toml of others, which need not concern fieldwise
        raise SettingError(f"{_from_here(path)} is not TOML: {error}") from None
    for name in table:
        content = content.get(name) if isinstance(content, dict) else None
    if content is None:
        return None
    return _checked(SettingsFile(path, table, content))


def _checked(file: SettingsFile) -> SettingsFile:
    if not isinstance(file.values, dict):
        raise SettingError(f"Expected a table at {'.'.join(file.table)} in {file}, got {file.values!r}")
    if not file.table and isinstance(file.values.get("tool"), dict):
        raise SettingError(
            f"Expected settings without a table in {file}; [tool.fieldwise] is for pyproject.toml alone",
            facts={"file": str(file), "setting": "tool"},
        )
    for key in file.values:
        if key not in SETTINGS:
            facts = {"file": str(file), "setting": key}
            raise SettingError(f"Unknown setting {file.place(key)}{nearest(key, SETTINGS)}", facts=facts)
    return file


def _from_here(path: Path) -> str:
    try:
        return os.path.relpath(path)
    except ValueError:  # another drive of Windows
        return str(path)


class Command(click.Command):
    """A command whose options have the defaults that a file sets; it says which file that was."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments, and the settings where they are silent."""
        ignored = extra.get("resilient_parsing") or (parent is not None and parent.meta.get(IGNORED))
        found = None if ignored else find_settings()
        if found is None:
            return super().make_context(info_name, args, parent, **extra)
        try:
            return super().make_context(info_name, args, parent, obj=found, default_map=found.defaults(self), **extra)
        except click.BadParameter as error:
            raise _with_place(error, found) from error

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; say first which settings of a file it uses."""
        used = [_key(parameter) for parameter in self.params if _is_from_file(ctx, parameter)]
        if used and not ctx.params.get("quiet"):
            click.secho(terminal_safe(f"Settings of {ctx.obj}: {', '.join(used)}"), dim=True, err=True)
        return super().invoke(ctx)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write examples, and which settings are in effect."""
        super().format_epilog(ctx, formatter)
        if ctx.default_map:
            names = [_key(parameter) for parameter in self.params if parameter.name in ctx.default_map]
            write_note(formatter, f"Settings of {ctx.obj}: {', '.join(names)}.")


def write_note(formatter: click.HelpFormatter, note: str) -> None:
    """Write a paragraph at the end of a help text."""
    formatter.write_paragraph()
    with formatter.indentation():
        formatter.write_text(terminal_safe(note))


def describe_settings() -> str:
    """Return a sentence on the settings in effect, for the help of the whole command line."""
    try:
        found = find_settings()
    except FieldwiseError as error:
        return f"Settings that cannot be used: {error}"
    if found is None:
        return "Defaults of options can be set in [tool.fieldwise] of pyproject.toml, or in fieldwise.toml."
    return f"Settings of {found}: {', '.join(found.values) or 'none'}."


def from_file(name: str) -> bool:
    """Tell whether a parameter of the running command has its value from a file."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.DEFAULT_MAP


def _is_from_file(ctx: click.Context, parameter: click.Parameter) -> bool:
    return ctx.get_parameter_source(str(parameter.name)) is ParameterSource.DEFAULT_MAP


def _key(parameter: click.Parameter) -> str:
    return max(parameter.opts, key=len).removeprefix("--")


def _with_place(error: click.BadParameter, file: SettingsFile) -> Exception:
    if error.ctx is None or error.param is None or not _is_from_file(error.ctx, error.param):
        return error
    key = _key(error.param)
    return SettingError(
        f"{error.message.rstrip('.')} - at {file.place(key)}", facts={"file": str(file), "setting": key}
    )
