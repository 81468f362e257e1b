"""Files that are there as a whole or not at all, and locks that end with the process that holds them."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

if sys.platform == "win32":
    import msvcrt

    def try_lock(file: IO[Any]) -> bool:
        """Lock an open file for this process alone; False where another one has it."""
        file.seek(0)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def try_lock(file: IO[Any]) -> bool:
        """Lock an open file for this process alone; False where another one has it."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


_PATIENCE = 0.002


def wait_for_lock(file: IO[Any]) -> None:
    """Lock an open file, as soon as no other process has it."""
    while not try_lock(file):
        time.sleep(_PATIENCE)


def take_lock(path: Path) -> IO[bytes] | None:
    """Make a file and lock it; None where another process has it.

    Whoever had it may have removed the file between the two steps: a lock counts only where its file still is.
    """
    while True:
        file = path.open("ab")
        try:
            if not try_lock(file):
                file.close()
                return None
            if _is_at(file, path):
                return file
        except BaseException:
            file.close()
            raise
        file.close()


def drop_lock(file: IO[bytes], path: Path) -> None:
    """Give back a lock and remove its file: before others can have it where that is possible."""
    if sys.platform == "win32":
        file.close()
        with suppress(OSError):  # another process has opened it
            path.unlink()
        return
    with file, suppress(OSError):
        if _is_at(file, path):
            path.unlink()


def _is_at(file: IO[bytes], path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


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
