"""Folders of JSON files, at any depth."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from fieldwise.errors import cannot_read
from fieldwise.readers.envelopes import read_bytes
from fieldwise.readers.files import LEADS_OUT, path_inside
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
