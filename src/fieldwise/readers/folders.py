"""Folders of JSON files, at any depth, and zip archives of them: two, or one with a folder for each side."""

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
from typing import Final, NamedTuple

from fieldwise.errors import InputError, cannot_read
from fieldwise.limits import ReadLimits
from fieldwise.readers.envelopes import SIDE_KEYS, SIDES, Side, read_bytes
from fieldwise.readers.files import LEADS_OUT, path_inside, too_large
from fieldwise.readers.formats import check_unpacked
from fieldwise.readers.sections import SECTIONS
from fieldwise.readers.source import ReadRules, Unreadable, file_state
from fieldwise.readers.trees import (
    LINKED,
    SUFFIX,
    Passed,
    file_path,
    is_document,
    is_hidden,
    is_repeated,
    listed_path,
    repeated_path,
    turn_of,
)

_FOLDER = "\0"
"""Ends the names of folders while they are listed: no name has it, and it sorts before all else."""


class _KnownFolder(Exception):
    """A link leads into a folder that is walked anyway."""


@dataclass(frozen=True)
class Folder:
    """A folder. A link is followed where it leads to a file in the folder; one that leads out only where asked for.

    Each folder is read once: a link to one that is read anyway is passed over.
    """

    path: str
    name: str
    rules: ReadRules
    kind: str = "folder"

    def names(self, passed: Passed) -> Iterator[str]:
        return _Walk(self.path, self.rules.follow_symlinks, passed).names()

    def read(self, path: str) -> bytes | Unreadable:
        full, name = f"{self.path}/{path}", f"{self.name}/{file_path(path)}"
        if path.endswith("/"):
            is_link = os.path.islink(full.rstrip("/"))
            return Unreadable(f"{name} is {LEADS_OUT}" if is_link else f"the folder {name} cannot be listed")
        if not is_repeated(path):
            content = read_bytes(full, name, self.rules, self.path)
            if not isinstance(content, Unreadable) or os.path.lexists(full):
                return content
        return read_bytes(self._file(path), name, self.rules, self.path)

    def states(self) -> Iterator[str]:
        for path in self.names(Passed()):
            try:
                yield file_state(path, os.stat(self._file(path)))
            except OSError:
                yield path

    def _file(self, path: str) -> str:
        """Return where a listed document is: its suffix may be in other letters than it is listed with."""
        full, turn = file_path(f"{self.path}/{path}"), turn_of(path)
        if turn == 1 and os.path.lexists(full):
            return full
        folder, _, name = full.rpartition("/")
        try:
            alike = sorted(_alike(os.listdir(folder), name), key=lambda other: other != name)
        except OSError:
            return full
        return f"{folder}/{alike[turn - 1]}" if turn <= len(alike) else full


class _Level(NamedTuple):
    """A folder that is being walked: its path with a slash at the end, and what is left of it."""

    folder: str
    left: Iterator[str]


class _Walk:
    """One pass over all files of a folder. Each folder is listed once, however many links lead to it."""

    def __init__(self, root: str, follow: bool, passed: Passed) -> None:
        self._root, self._follow, self._passed = root, follow, passed
        self._listed = set[tuple[int, int]]()

    def names(self) -> Iterator[str]:
        """Yield the paths of documents; a folder that is not listed is yielded itself, with a slash at its end."""
        try:
            levels = [self._list("")]
        except OSError as error:
            raise cannot_read(self._root, error, verb="list") from error
        while levels:
            folder, left = levels[-1]
            entry = next(left, None)
            if entry is None:
                levels.pop()
                continue
            name, mark, turn = entry.partition(_FOLDER)
            if is_hidden(name):
                self._passed.add(name)
            elif name.endswith(SUFFIX) and not (mark and self._has_sections(folder + name)):
                yield folder + (entry if turn else name)
            elif not mark:
                self._passed.add(folder + name)
            else:
                try:
                    levels.append(self._list(f"{folder}{name}/"))
                except _KnownFolder:
                    self._passed[LINKED] += 1
                except OSError:
                    yield f"{folder}{name}/"

    def _has_sections(self, folder: str) -> bool:
        """Tell whether a folder is that of a document in sections, whatever its name is."""
        return os.path.isdir(f"{self._root}/{folder}/{SECTIONS}")

    def _list(self, folder: str) -> _Level:
        path = f"{self._root}/{folder}"
        self._check_link(path.rstrip("/"))
        status = os.stat(path)
        identity = (status.st_dev, status.st_ino)
        if identity in self._listed:
            raise _KnownFolder
        with os.scandir(path) as entries:
            names = [entry.name + _FOLDER if _is_folder(entry) else entry.name for entry in entries]
        self._listed.add(identity)
        return _Level(folder, _packed(_sorted(names)))

    def _check_link(self, path: str) -> None:
        """Refuse a link out of the folder, unless it is to be followed, and one to a folder that is walked anyway."""
        if path == self._root or not os.path.islink(path):
            return
        inside = path_inside(path, self._root)
        if inside is None and not self._follow:
            raise OSError(LEADS_OUT)
        if inside is not None and not any(map(is_hidden, inside.split("/"))):
            raise _KnownFolder


def _sorted(names: list[str]) -> list[str]:
    """Return the names in order, documents as they are listed; of those that are listed alike, later ones repeat."""
    odd = [name for name in names if not name.endswith((SUFFIX, _FOLDER)) and is_document(name)]
    if odd:
        names = sorted(set(names).difference(odd))
        turns = Counter(names)
        for name in sorted(odd):
            listed = listed_path(name)
            turns[listed] += 1
            names.append(listed if turns[listed] == 1 else repeated_path(listed, turns[listed]))
    names.sort()
    return names


def _alike(names: list[str], listed: str) -> list[str]:
    """Return the names of documents that are listed alike, sorted."""
    return sorted(name for name in names if is_document(name) and listed_path(name) == listed)


def _packed(names: list[str]) -> Iterator[str]:
    """Yield names that take a third of the memory until it is their turn; none of them has a slash."""
    parts = ["/".join(names[at : at + 1000]) for at in range(0, len(names), 1000)]
    return (name for part in parts for name in part.split("/"))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


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
