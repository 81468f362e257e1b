"""Zip archives of JSON files: two zips, or one with a folder for each side."""

from __future__ import annotations

import lzma
import os
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from fieldwise.errors import InputError
from fieldwise.limits import ReadLimits
from fieldwise.readers.envelopes import SIDE_KEYS, SIDES, Side
from fieldwise.readers.files import too_large
from fieldwise.readers.formats import check_unpacked
from fieldwise.readers.source import Unreadable, file_state
from fieldwise.readers.trees import SUFFIX, Passed, file_path, is_document, is_hidden, listed_path, repeated_path

_BROKEN: Final = (OSError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, NotImplementedError)


@dataclass(frozen=True)
class ZipFolder:
    """A folder in a zip, or with an empty ``folder`` the whole of it. ``state`` is that of the file when opened."""

    path: str
    name: str
    folder: str
    state: str
    max_bytes: int
    kind: str = "zip"

    def names(self, passed: Passed) -> Iterator[str]:
        inside = []
        for path in _members(self.path, self.state)[1]:
            if not path.startswith(self.folder):
                continue
            if is_member(path):
                inside.append(path.removeprefix(self.folder))
            else:
                passed.add(file_path(path))
        return iter(sorted(inside, key=lambda path: path.split("/")))

    def read(self, path: str) -> bytes | Unreadable:
        name = f"{self.name}/{file_path(path)}"
        try:
            archive, members = _members(self.path, self.state)
            info = members[self.folder + path]
            if info.file_size > self.max_bytes:
                return Unreadable(too_large(name, self.max_bytes, info.file_size), "max_bytes")
            with archive.open(info) as member:
                content = member.read(self.max_bytes + 1)
        except _BROKEN as error:
            return Unreadable(f"{name} cannot be unpacked: {error}")
        return Unreadable(too_large(name, self.max_bytes), "max_bytes") if len(content) > self.max_bytes else content

    def states(self) -> Iterator[str]:
        yield self.folder + self.state


def is_member(path: str) -> bool:
    """Tell whether a member of a zip is a document."""
    return file_path(path).endswith(SUFFIX) and not any(map(is_hidden, path.split("/")))


def open_zip(path: Path, limits: ReadLimits, folder: str = "") -> ZipFolder:
    """Open a zip or a folder in it; one that would unpack to too much is refused."""
    status = path.stat()
    state = file_state(path.name, status)
    try:
        members = _members(str(path), state)[1]
    except _BROKEN as error:
        raise InputError(
            f"{path} cannot be read as a zip: {error}",
            code="input.wrong_format",
            facts={"file": path, "expected": "zip"},
        ) from error
    sizes = (info.file_size for name, info in members.items() if is_member(name))
    check_unpacked(path, sum(size for size in sizes if size <= limits.max_bytes), status.st_size, limits)
    name = f"{path.name}/{folder}".rstrip("/")
    return ZipFolder(str(path.absolute()), name, folder, state, limits.max_bytes)


def open_sides(path: Path, limits: ReadLimits) -> tuple[ZipFolder, ZipFolder]:
    """Open the folders of a zip that are named as the sides are, such as ``expected`` and ``predicted``."""
    whole = open_zip(path, limits)
    members = _members(whole.path, whole.state)[1]
    folders = {parent for member in members for parent in _parents(member)}
    for top in sorted({folder.rpartition("/")[0] for folder in folders}, key=lambda top: (top.count("/"), top)):
        expected, predicted = (_side_folder(folders, top, side) for side in SIDES)
        if expected and predicted:
            return open_zip(path, limits, expected), open_zip(path, limits, predicted)
    found = ", ".join(sorted(folders)[:5]) or f"{len(members)} files and no folder"
    raise InputError(
        f"{path} has no folders expected and predicted; found {found}", code="input.no_pairs", facts={"file": path}
    )


def side_names(side: Side) -> list[str]:
    """Return what the folder of a side may be called."""
    return [name for key in SIDE_KEYS[side] for name in (key, f"{key}s")]


def _side_folder(folders: set[str], top: str, side: Side) -> str | None:
    paths = (f"{top}/{name}" if top else name for name in side_names(side))
    return next((f"{path}/" for path in paths if path in folders), None)


def _parents(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    if not any(map(is_hidden, parts)):
        yield from ("/".join(parts[: i + 1]) for i in range(len(parts)))


def _members(path: str, state: str) -> tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]:
    return _opened(path, state, os.getpid())


@lru_cache(maxsize=2)
def _opened(path: str, state: str, process: int) -> tuple[zipfile.ZipFile, dict[str, zipfile.ZipInfo]]:
    """Open a zip once in each process: a forked one would share the place in the file with its parent.

    Of several members with one path, the second and later ones are kept as its repetitions.
    """
    archive = zipfile.ZipFile(path)
    members: dict[str, zipfile.ZipInfo] = {}
    seen = Counter[str]()
    for info in archive.infolist():
        if info.is_dir():
            continue
        name = info.filename.replace("\\", "/").removeprefix("./")
        name = listed_path(name) if is_document(name) else name
        seen[name] += 1
        members[name if seen[name] == 1 else repeated_path(name, seen[name])] = info
    return archive, members
