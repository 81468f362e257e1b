"""The terminal that commands print to, and the progress of long work on it."""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Literal, Self

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, JustifyMethod, OverflowMethod, RenderableType
from rich.containers import Lines
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from fieldwise.numbers import count
from fieldwise.text import one_line, terminal_safe

_FILE_WIDTH = 150
_UNBOUNDED = 1000


class _Console(Console):
    """One that prints nothing which steers a terminal but styles of its own.

    It leaves a closed pipe to `cli.main`, which decides what commands exit with.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is to be printed."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control or text.isprintable() else Segment(terminal_safe(text), style)

    def on_broken_pipe(self) -> None:
        """Let the error pass."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def make_console(*, stderr: bool = False) -> Console:
    """Return the console to print to; files and pipes, which have no width of their own, get a wide one."""
    console = _Console(highlight=False, stderr=stderr)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        return _Console(highlight=False, stderr=stderr, width=_FILE_WIDTH)
    return console


class NameText(Text):
    """The name of a field or document in a table, which is broken after dots, underscores, dashes and blanks only.

    A part that is wider than its column is broken before its capitals, and elsewhere only where that is not enough.
    """

    @classmethod
    def of(cls, name: str, style: str = "") -> Self:
        """Return a name on one line."""
        return cls(one_line(name), style=style)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(max(map(cell_len, _parts(self.plain)), default=0), cell_len(self.plain))

    def wrap(
        self,
        console: Console,
        width: int,
        *,
        justify: JustifyMethod | None = None,
        overflow: OverflowMethod | None = None,
        tab_size: int = 8,
        no_wrap: bool | None = None,
    ) -> Lines:
        """Return the name in lines of a width."""
        ends: list[int] = []
        at = used = 0
        for part in _fitting(self.plain, width):
            if used and used + cell_len(part.rstrip()) > width:
                ends.append(at)
                used = 0
            at, used = at + len(part), used + cell_len(part)
        lines = self.divide(ends)
        for line in lines:
            line.rstrip_end(width)
        if justify:
            lines.justify(console, width, justify=justify, overflow=overflow or "fold")
        return lines


def least_width(console: Console, table: Table, names: Sequence[Text]) -> int:
    """Return the width that a table takes at least where the names in its first column are broken between words."""
    options = console.options.update(max_width=_UNBOUNDED)
    sizes = [console.measure(name, options=options) for name in names]
    spare = max((size.maximum for size in sizes), default=0) - max((size.minimum for size in sizes), default=0)
    return console.measure(table, options=options).maximum - spare


def _parts(name: str) -> list[str]:
    return re.findall(r"[^._\-/\s]*[._\-/\s]+|[^._\-/\s]+", name)


def _fitting(name: str, width: int) -> Iterable[str]:
    """Yield the parts of a name, the wide ones cut before capitals, and where they must be."""
    for part in _parts(name):
        pieces = [part] if cell_len(part) <= width else re.split(r"(?<=[^A-Z])(?=[A-Z])", part)
        for piece in pieces:
            yield from [piece] if cell_len(piece) <= width else chop_cells(piece, max(width, 1))


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
        amount = MofNCompleteColumn() if self.unit == "documents" else TextColumn("{task.percentage:>3.0f} %")
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
        return f"{count(round(speed))} documents/s" if self.unit == "documents" else f"{speed / 1e6:,.1f} MB/s"
