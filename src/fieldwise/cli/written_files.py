"""What a command found as files: one that somebody named, or JSON, a page and a picture in a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from fieldwise.errors import MissingExtraError, SettingError
from fieldwise.files import write_whole
from fieldwise.results import Result
from fieldwise.text import terminal_safe


def write_file(path: Path, text: str) -> None:
    """Write a file that somebody named, and the folders above it that are not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def check_files(out: Path, name: str, *, overwrite: bool) -> None:
    """Refuse a folder in which an earlier run left NAME.json, NAME.html or NAME.png, unless they may be replaced."""
    there = [path for suffix in ("json", "html", "png") if (path := out / f"{name}.{suffix}").exists()]
    if there and not overwrite:
        raise SettingError(f"{there[0]} exists already; --overwrite replaces it")


def write_files(out: Path, name: str, result: Result, *, page: str, draw: Callable[[], bytes]) -> None:
    """Write NAME.json, NAME.html and NAME.png, and say where they are; without matplotlib there is no picture."""
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / f"{name}.json", (result.to_json(indent=1) + "\n").encode())
    write_whole(out / f"{name}.html", page.encode("utf-8", "backslashreplace"))
    try:
        write_whole(out / f"{name}.png", draw())
    except MissingExtraError as error:
        click.secho(terminal_safe(f"No {name}.png: {error}"), fg="yellow", err=True)
    click.echo(terminal_safe(f"Page: {out / f'{name}.html'}"), err=True)
