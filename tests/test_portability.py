"""Nothing but what every system has: no module that only POSIX systems have is imported, and locks work elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import fieldwise

PACKAGE = Path(fieldwise.__file__).parent
POSIX_ONLY = ("fcntl", "resource", "pwd", "grp", "termios")

WATCH = f"""
import builtins, sys

posix_only, asked, plain_import = {POSIX_ONLY!r}, [], builtins.__import__

def watched(name, globals=None, *rest, **more):
    importer = (globals or {{}}).get("__name__", "")
    if name in posix_only and importer.split(".")[0] == "fieldwise":
        asked.append((name, importer))
    return plain_import(name, globals, *rest, **more)

builtins.__import__ = watched
"""
BLOCK = f"""
import sys, warnings

warnings.simplefilter("ignore")  # that only the weaker kind of lock is there
for name in {POSIX_ONLY!r}:
    sys.modules[name] = None
"""
IMPORT = """
import fieldwise
assert not set(posix_only) & set(sys.modules), set(posix_only) & set(sys.modules)
"""
EVERY_MODULE = """
import importlib, pkgutil, fieldwise

skipped = ("fieldwise.__main__", "fieldwise.pytest_plugin")
names = [found.name for found in pkgutil.walk_packages(fieldwise.__path__, "fieldwise.")]
for name in names:
    if name not in skipped:
        importlib.import_module(name)
print(len(names))
"""
WORK = """
import sys
from pathlib import Path
import fieldwise
from fieldwise.cli import cli

pairs = [(f"d{k}", {"a": k, "rows": [{"b": k}]}, {"a": k, "rows": [{"b": 1}]}) for k in range(30)]
fieldwise.evaluate_pairs(pairs)
out = Path(sys.argv[1])
for name in ("base", "candidate"):
    fieldwise.evaluate_pairs(pairs, out=out / name)
cli.main(["diff", str(out / "base"), str(out / "candidate")], standalone_mode=False)
"""


def run(code: str, *arguments: str) -> str:
    """Run Python in a process of its own, with the sources under test, and return what it prints."""
    path = os.pathsep.join([str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_fieldwise_loads_no_module_of_posix() -> None:
    """``import fieldwise`` alone loads none of them, not even through others."""
    run(WATCH + IMPORT)


def test_evaluating_and_comparing_asks_for_no_module_of_posix(tmp_path: Path) -> None:
    """On the way through an evaluation and a diff no module of ours imports one."""
    shown = run(WATCH + WORK + "\nassert not asked, asked", str(tmp_path))
    assert "No difference: in each of 30 documents" in shown


def test_every_module_is_importable_without_posix() -> None:
    """Where they are missing, as on Windows, everything can still be imported."""
    assert int(run(BLOCK + EVERY_MODULE)) > 100


def test_evaluating_and_comparing_works_without_posix(tmp_path: Path) -> None:
    """Where they are missing an evaluation still writes its folder, leaves no lock, and can be compared."""
    run(BLOCK + WORK, str(tmp_path))
    for name in ("base", "candidate"):
        assert (tmp_path / name / "metrics.json").exists()
        assert not list((tmp_path / name).glob("*lock*"))


HOLD = """
import sys, time
from pathlib import Path
from fieldwise.files import take_lock

held = take_lock(Path(sys.argv[1]))
print("held" if held else "refused", flush=True)
if len(sys.argv) > 2:
    time.sleep(600)
"""


@pytest.mark.parametrize("blocked", [False, True], ids=["hard lock", "soft lock"])
def test_a_lock_keeps_other_processes_out_and_ends_with_its_own(tmp_path: Path, blocked: bool) -> None:
    """While a process lives nobody else gets its lock; a file that a killed one left stands in nobody's way."""
    path, code = str(tmp_path / "lock"), (BLOCK if blocked else "") + HOLD
    sources = os.pathsep.join([str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    holder = subprocess.Popen(
        [sys.executable, "-c", code, path, "wait"],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": sources},
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert run(code, path) == "refused\n"
    finally:
        holder.kill()
        holder.communicate()
    assert Path(path).exists()
    assert run(code, path) == "held\n"
