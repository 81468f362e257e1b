"""Where an input comes from, and the temporary files that stand in for it while it is read."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path


class Scratch:
    """A temporary folder that goes when nobody holds this object any more, or when the process ends."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="fieldwise-"))
        self._remove = weakref.finalize(self, _remove, self.path, os.getpid())

    def file(self, name: str) -> Path:
        """Return a path in the folder."""
        return self.path / name

    def remove(self) -> None:
        """Remove the folder now."""
        self._remove()


def _remove(path: Path, owner: int) -> None:
    if os.getpid() == owner:  # a forked process holds a copy of the object, not the folder
        shutil.rmtree(path, ignore_errors=True)


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
