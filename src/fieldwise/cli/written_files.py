"""What a command found as files: one that somebody named, or JSON and a page in a folder."""

from __future__ import annotations

from pathlib import Path

import click

from fieldwise.errors import SettingError
from fieldwise.files import write_whole
from fieldwise.results import Result
from fieldwise.text import terminal_safe


def write_file(path: Path, text: str) -> None:
    """Write a file that somebody named, and the folders above it that are not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def check_files(out: Path, name: str, *, overwrite: bool) -> None:
    """Refuse a folder in which an earlier run left NAME.json or NAME.html, unless they may be replaced."""
    there = [path for suffix in ("json", "html") if (path := out / f"{name}.{suffix}").exists()]
    if there and not overwrite:
        raise SettingError(f"{there[0]} exists already; --overwrite replaces it")


def write_files(out: Path, name: str, result: Result, *, page: str) -> None:
    """Write NAME.json and NAME.html: before anything is printed, which may end when its reader leaves."""
    out.mkdir(parents=True, exist_ok=True)
    write_whole(out / f"{name}.json", (result.to_json(indent=1) + "\n").encode())
    write_whole(out / f"{name}.html", page.encode("utf-8", "backslashreplace"))


def say_page(out: Path, name: str) -> None:
    """Say where the page is."""
    click.echo(terminal_safe(f"Page: {out / f'{name}.html'}"), err=True)
