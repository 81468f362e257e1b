"""The machine that numbers were measured on, and the page that keeps them."""

from __future__ import annotations

import datetime as dt
import gc
import os
import platform
import re
import time
from collections.abc import Callable
from pathlib import Path


def cpu_seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the least CPU seconds of several rounds."""
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def peak_memory() -> float:
    """Return the most memory in MB that this process has had; `getrusage` would begin with that of its parent."""
    found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    assert found, "Linux says so for every process"
    return int(found[1]) / 1024


def describe() -> str:
    """Return processor, cores, Python and date in one line."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = re.search(r"model name\s*:\s*(.+)", info.read_text())
        cpu = found[1] if found else cpu
    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    return f"{cpu}, {os.cpu_count()} cores, Python {platform.python_version()}, {today}"


_HEAD = """# Benchmarks

Speed is measured, never asserted in tests. Each section is written by the command that it names; ratios are taken in
one process, or by two that take turns, on the same documents, and vary by 10 to 20 % between runs. `make bench` writes
the whole page.

Measured on {machine}.
"""


def begin_page(path: Path) -> None:
    """Begin a page anew: its sections follow."""
    path.write_text(_HEAD.format(machine=describe()))


def write_section(path: Path, title: str, command: str, text: str) -> None:
    """Replace one section of a Markdown page, or add it; it names the machine where that is not the page's."""
    page = path.read_text() if path.exists() else "# Benchmarks\n"
    machine = describe()
    elsewhere = "" if f"Measured on {machine}.\n" in page else f" on {machine}"
    section = f"## {title}\n\n`{command}`{elsewhere}:\n\n{text}\n"
    pattern = re.compile(rf"## {re.escape(title)}\n.*?(?=\n## |\Z)", re.DOTALL)
    if pattern.search(page):
        page = pattern.sub(lambda _: section, page)
    else:
        page = f"{page.rstrip()}\n\n{section}"
    path.write_text(page)
