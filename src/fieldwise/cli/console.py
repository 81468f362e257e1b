"""What commands print and write: views in the words of the command line, the progress of long work, and files."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from fieldwise.errors import SettingError
from fieldwise.files import write_whole
from fieldwise.render.terminal import draw, make_console
from fieldwise.results import Result
from fieldwise.text import size_text, terminal_safe
from fieldwise.views.numbers import count
from fieldwise.views.parts import View


def print_view(view: View) -> None:
    """Print a view in the words of the command line."""
    draw(make_console(), view, "command_line")


class ProgressLine:
    """Shows on a terminal how far long work is, how fast it goes and what time is left; elsewhere nothing.

    Bytes are shown as a share, documents as numbers.
    """

    def __init__(self, total: int, unit: Literal["documents", "bytes"], *, hidden: bool = False) -> None:
        self.total, self.unit = total, unit
        self.console = make_console(stderr=True)
        self.start = time.monotonic()
        self.bar = self._bar() if self.console.is_terminal and not hidden else None
        self.task: TaskID | None = None

    def _bar(self) -> Progress:
        amount = MofNCompleteColumn() if self.unit == "documents" else TextColumn("{task.percentage:>3.0f}%")
        columns = (TextColumn("evaluating"), BarColumn(), amount, TextColumn("{task.fields[rate]}"))
        return Progress(*columns, TimeRemainingColumn(), console=self.console, transient=True)

    def __enter__(self) -> Self:
        if self.bar:
            self.bar.start()
            self.task = self.bar.add_task("", total=self.total or None, rate="")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.bar:
            self.bar.stop()

    def __call__(self, done: int, earlier: int) -> None:
        """Show how much is done in all, and how much of that an earlier run had done."""
        speed = (done - earlier) / max(time.monotonic() - self.start, 1e-9)
        if self.bar and self.task is not None:
            self.bar.update(self.task, completed=done, rate=self._rate(speed))

    def _rate(self, speed: float) -> str:
        return f"{count(round(speed))} documents/s" if self.unit == "documents" else f"{size_text(round(speed))}/s"


def write_file(path: Path, text: str) -> None:
    """Write a file that somebody named, and the folders above it that are not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def check_files(out: Path, name: str, *, overwrite: bool) -> None:
    """Refuse a folder in which an earlier run left NAME.json or NAME.html, unless they may be replaced."""
    there = [path for suffix in ("json", "html") if (path := out / f"{name}.{suffix}").exists()]
    if there and not overwrite:
        raise SettingError(f"{there[0]} exists already; --overwrite replaces it")


def write_pages(page: str, result: Result, *, name: str, out: Path | None, file: Path | None) -> None:
    """Write a page to a file, and NAME.json and NAME.html into a folder, where one is given: before anything is
    printed, which may end when its reader leaves.
    """
    if file is not None:
        write_file(file, page)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        write_whole(out / f"{name}.json", (result.to_json(indent=1) + "\n").encode())
        write_whole(out / f"{name}.html", page.encode("utf-8", "backslashreplace"))


def say_reports(*pages: Path | None) -> None:
    """Say below a printed result where its pages are."""
    for page in pages:
        if page is not None:
            make_console().print(Text(f"Report: {page}", style="dim"), soft_wrap=True)


def say_pages(*pages: Path | None) -> None:
    """Say where pages are."""
    for page in pages:
        if page is not None:
            click.echo(terminal_safe(f"Page: {page}"), err=True)
