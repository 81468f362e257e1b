"""Temporary files that stand in for an input while it is read."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import weakref
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final

from fieldwise.files import HeldLock, take_lock

_PREFIX: Final = "fieldwise-"
_LOCK: Final = ".lock"


class Scratch:
    """A temporary folder that goes when nobody holds this object any more, or when the process ends.

    Where a process was killed, the next one removes it: a lock in the folder says whether anybody still uses it.
    """

    def __init__(self) -> None:
        remove_abandoned()
        self.path, lock = _make_folder()
        _live.add(self)
        self._remove = weakref.finalize(self, _remove, self.path, os.getpid(), lock)

    def file(self, name: str) -> Path:
        """Return a path in the folder."""
        return self.path / name

    def remove(self) -> None:
        """Remove the folder now."""
        self._remove()


_live: weakref.WeakSet[Scratch] = weakref.WeakSet()


def live_folders() -> list[Path]:
    """Return the temporary folders of this process that are in use."""
    return [scratch.path for scratch in _live]


def _make_folder() -> tuple[Path, HeldLock]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        with suppress(FileNotFoundError):  # another process took it for abandoned before it was locked
            made = path.stat()
            lock = take_lock(path / _LOCK)
            if lock is not None and os.path.samestat(made, path.stat()):
                return path, lock


def _remove(path: Path, owner: int, lock: HeldLock) -> None:
    if os.getpid() != owner:  # a forked process holds a copy of the object, neither the folder nor the lock
        return
    if sys.platform == "win32":
        lock.release()  # an open file cannot be removed there
    shutil.rmtree(path, ignore_errors=True)
    lock.release()


@cache
def remove_abandoned() -> None:
    """Remove, once in each process, the temporary folders of processes that were killed."""
    with suppress(OSError):
        for entry in list(os.scandir(tempfile.gettempdir())):
            if entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(path: Path) -> None:
    if hasattr(os, "getuid") and path.lstat().st_uid != os.getuid():
        return
    if (path / _LOCK).is_file():
        lock = take_lock(path / _LOCK)
        if lock is not None:
            _remove(path, os.getpid(), lock)
