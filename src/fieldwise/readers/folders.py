"""Folders of JSON files, at any depth."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from fieldwise.errors import InputError
from fieldwise.readers.documents import read_bytes
from fieldwise.readers.scratch import file_state
from fieldwise.readers.source import Unreadable
from fieldwise.readers.trees import SUFFIX, is_hidden, kind_passed

Identity = tuple[int, int]
_FOLDER = "\0"
"""Ends the names of folders while they are listed: no name has it, and it sorts before all else."""


class _Loop(Exception):
    """A link leads into a folder that it is in."""


@dataclass(frozen=True)
class Folder:
    """A folder. Links are followed, but not into a folder that they are in."""

    path: str
    name: str
    kind: str = "folder"

    def names(self, passed: Counter[str]) -> Iterator[str]:
        return _walk(self.path, passed)

    def read(self, path: str) -> bytes | Unreadable:
        if path.endswith("/"):
            return Unreadable(f"the folder {self.name}/{path} cannot be listed")
        return read_bytes(f"{self.path}/{path}", f"{self.name}/{path}")

    def states(self) -> Iterator[str]:
        for path in self.names(Counter()):
            try:
                yield file_state(path, os.stat(f"{self.path}/{path}"))
            except OSError:
                yield path


class _Level(NamedTuple):
    """A folder that is being walked: its path with a slash at the end, what is left of it, it and those above it."""

    folder: str
    left: Iterator[str]
    above: frozenset[Identity]


def _walk(root: str, passed: Counter[str]) -> Iterator[str]:
    """Yield the paths of documents; a folder that cannot be listed is yielded itself, with a slash at its end."""
    try:
        levels = [_listed(root, "", frozenset())]
    except OSError as error:
        raise InputError(f"Cannot list {root}: {error.strerror or error}") from error
    while levels:
        folder, left, above = levels[-1]
        entry = next(left, None)
        if entry is None:
            levels.pop()
            continue
        name, is_folder, _ = entry.partition(_FOLDER)
        if is_hidden(name):
            passed["hidden file"] += 1
        elif name.endswith(SUFFIX):
            yield folder + name
        elif not is_folder:
            passed[kind_passed(name)] += 1
        else:
            try:
                levels.append(_listed(root, f"{folder}{name}/", above))
            except _Loop:
                passed["looping link"] += 1
            except OSError:
                yield f"{folder}{name}/"


def _listed(root: str, folder: str, above: frozenset[Identity]) -> _Level:
    status = os.stat(f"{root}/{folder}")
    here = (status.st_dev, status.st_ino)
    if here in above:
        raise _Loop
    with os.scandir(f"{root}/{folder}") as entries:
        names = [entry.name + _FOLDER if _is_folder(entry) else entry.name for entry in entries]
    names.sort()
    return _Level(folder, _packed(names), above | {here})


def _packed(names: list[str]) -> Iterator[str]:
    """Yield names that take a third of the memory until it is their turn; none of them has a slash."""
    parts = ["/".join(names[at : at + 1000]) for at in range(0, len(names), 1000)]
    return (name for part in parts for name in part.split("/"))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False
