"""Where an input comes from, and the temporary files that stand in for it while it is read."""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
import weakref
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
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
        self._remove = weakref.finalize(self, _remove, self.path, os.getpid(), lock)

    def file(self, name: str) -> Path:
        """Return a path in the folder."""
        return self.path / name

    def remove(self) -> None:
        """Remove the folder now."""
        self._remove()


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


@dataclass(frozen=True)
class Origin:
    """The files that an input was opened from, and the scratch folder that must live as long as it is read."""

    what: str
    paths: tuple[Path, ...]
    scratch: Scratch | None = field(default=None, compare=False)
    note: str = ""
    """A sentence for people about how documents were matched, where that had to be guessed."""

    def describe(self) -> str:
        """Return for example ``JSON Lines file, 12.5 MB``."""
        return f"{self.what}, {size_text(sum(path.stat().st_size for path in self.paths))}"

    def fingerprint(self) -> str:
        return hash_of(file_state(path.name, path.stat()) for path in self.paths)


def file_state(name: str, status: os.stat_result) -> str:
    """Return what of a file changes when its content does."""
    return f"{name}\0{status.st_size}\0{status.st_mtime_ns}"


def hash_of(texts: Iterable[str]) -> str:
    """Return the SHA-256 of texts, in hexadecimal digits."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogateescape") + b"\n")
    return digest.hexdigest()


def size_text(size: int) -> str:
    """Return a size for people.

    >>> [size_text(n) for n in (1, 999, 1200, 12_500_000)]
    ['1 byte', '999 bytes', '1.2 kB', '12.5 MB']
    """
    if size < 1000:
        return f"{size} byte{'' if size == 1 else 's'}"
    units = ["kB", "MB", "GB", "TB"]
    scaled = size / 1000
    while scaled >= 1000 and len(units) > 1:
        scaled /= 1000
        units.pop(0)
    return f"{scaled:.1f} {units[0]}"
