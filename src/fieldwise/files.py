"""Files that are there as a whole or not at all, and locks that end with the process that holds them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock

_POLL = 0.002


class HeldLock:
    """A lock on a file that this process alone holds, until it is given back or the process ends in whatever way."""

    def __init__(self, path: Path, lock: BaseFileLock) -> None:
        self.path, self._lock, self._file = path, lock, path.stat()

    def release(self) -> None:
        """Give the lock back; its file stays."""
        self._lock.release()

    def drop(self) -> None:
        """Give the lock back and remove its file: before others can have it where that is possible."""
        if sys.platform != "win32":  # where an open file cannot be removed
            self._unlink()
        self.release()
        if sys.platform == "win32":
            self._unlink()

    def _unlink(self) -> None:
        with suppress(OSError):  # gone already, or in the hands of another process
            if os.path.samestat(self._file, self.path.stat()):
                self.path.unlink()


def take_lock(path: Path) -> HeldLock | None:
    """Make a file and lock it; None where another process has it.

    Whoever had it may have removed the file between the two steps: then it is made and locked anew.
    """
    from filelock import FileLock, Timeout  # slow to import, and only what writes files needs it

    lock = FileLock(path, timeout=0, thread_local=False)
    while True:
        try:
            lock.acquire()
            return HeldLock(path, lock)
        except Timeout:
            if path.exists():
                return None
        except FileNotFoundError:
            lock.release()


@contextmanager
def waiting_lock(path: Path) -> Iterator[None]:
    """Hold a lock on a file, as soon as no other process has it; the file stays."""
    from filelock import FileLock  # slow to import, and only what writes files needs it

    with FileLock(path, thread_local=False).acquire(poll_interval=_POLL):
        yield


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there as a whole or not at all, also after a power cut."""
    part = draft_of(path)
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def draft_of(path: Path) -> Path:
    """Return where a file is written before it gets its name."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def is_draft(name: str) -> bool:
    """Tell whether a name is one of ``draft_of``, of any process.

    >>> is_draft(".metrics.json.4711.part"), is_draft(".hidden.part")
    (True, False)
    """
    parts = name.split(".")
    return len(parts) > 3 and not parts[0] and parts[-1] == "part" and parts[-2].isdigit()


def sync_file(path: Path) -> None:
    """Bring what was written to a file to the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk, where the system lets one."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
