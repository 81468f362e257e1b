"""Pairs from two trees of files, folders or zips, matched by relative path."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, NamedTuple, Protocol

from fieldwise.errors import InputError, quoted
from fieldwise.readers.envelopes import Document, Side, bytes_of, make_pair, read_document
from fieldwise.readers.sections import (
    documents_with_sections,
    grouped,
    is_beside_sections,
    is_in_sections,
    section_path,
    sectioned_pair,
)
from fieldwise.readers.source import MISSING, Missing, Pair, ReadRules, Seen, Unreadable, hash_of
from fieldwise.readers.temporary import Scratch
from fieldwise.readers.trials import number_trials
from fieldwise.values import Json

SUFFIX = ".json"
HIDDEN, LINKED = "hidden file", "linked folder"
_BOTH = _EXPECTED, _PREDICTED = 1, 2
_REPEATED = "\0"
"""Between a path and its turn where a zip has several members of one path; no path has it, and it sorts first."""


class Passed(Counter[str]):
    """What of an input is not read, counted by what it is, and an example of it."""

    example: str = ""
    stray: str = ""
    """An example of the files that are in a folder of sections and are none; ``stray_count`` is how many there are."""
    stray_count: int = 0

    def add_stray(self, path: str) -> None:
        """Note a document that lies in a folder of sections and is none."""
        self.stray_count += 1
        self.stray = self.stray or file_path(path)

    def add(self, path: str) -> None:
        """Note a file.

        >>> passed = Passed()
        >>> for path in ("a/.DS_Store", "__MACOSX/a.json", "notes.txt", "README"):
        ...     passed.add(path)
        >>> passed.text()
        '1 .txt file, 2 hidden files, 1 suffixless file'
        >>> passed.sentence(".json")
        "2 files were not read, such as 'notes.txt'; only .json files are."
        """
        kind = _kind_passed(path)
        self[kind] += 1
        if kind != HIDDEN:
            self.example = self.example or path

    def text(self) -> str:
        """List what was passed over, by what it is."""
        return ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for what, n in sorted(self.items()))

    def sentence(self, read: str) -> str:
        """Say how many files that people can see were not read; empty where there is none."""
        count = sum(n for kind, n in self.items() if kind not in (HIDDEN, LINKED))
        words = f"{count:,} files were" if count > 1 else "1 file was"
        name = self.example.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        return f"{words} not read, such as {quoted(name)}; only {read} files are." if count else ""

    def stray_sentence(self) -> str:
        """Say how many documents in folders of sections were not read; empty where there is none."""
        words = f"{self.stray_count:,} files" if self.stray_count > 1 else "1 file"
        were = "were not read: they are" if self.stray_count > 1 else "was not read: it is"
        where = f"no <document>/sections/<n>/result.json, such as {quoted(readable_name(self.stray))}"
        return f"{words} in folders of sections {were} {where}." if self.stray_count else ""


class ListedTree(Protocol):
    """Files under a root, known by their relative paths."""

    @property
    def name(self) -> str: ...

    def names(self, passed: Passed) -> Iterator[str]:
        """Yield the paths of all documents, sorted by their parts; note what is passed over."""
        ...


class Tree(ListedTree, Protocol):
    """Files that can be read; small and picklable."""

    @property
    def kind(self) -> str:
        """What it is for people: folder, zip."""
        ...

    def read(self, path: str) -> bytes | Unreadable: ...
    def states(self) -> Iterator[str]:
        """Yield what changes when a file does."""
        ...


class Listing(NamedTuple):
    """The paths of both trees, each with the sides that have it, and what was passed over.

    ``further`` are the files that begin no document: sections after the first. ``renamed`` are the ids of files whose
    own is that of a document in sections.
    """

    names: list[str]
    sides: bytearray
    passed: Passed
    further: frozenset[int] = frozenset()
    renamed: Mapping[str, str] = {}  # never written to

    def of_side(self, side: Side) -> Iterator[str]:
        """Yield the paths that a side has."""
        which = _EXPECTED if side == "expected" else _PREDICTED
        return (name for name, sides in zip(self.names, self.sides, strict=True) if sides & which)


@dataclass(frozen=True)
class TreeShard:
    """Some documents of two trees."""

    index: int
    expected: Tree
    predicted: Tree
    names: Sequence[str]
    sides: bytes
    rules: ReadRules
    size: int
    has_sections: bool = False
    renamed: Mapping[str, str] = field(default_factory=dict)

    def read(self, seen: Seen | None = None) -> Iterator[Pair]:
        return number_trials(self._pairs(seen)) if any(map(is_repeated, self.names)) else self._pairs(seen)

    def _pairs(self, seen: Seen | None) -> Iterator[Pair]:
        files = zip(self.names, self.sides, strict=True)
        if not self.has_sections:
            yield from self._plain_pairs(files, seen)
            return
        for document, held in grouped(files):
            if document is None:
                yield from self._plain_pairs(held, seen)
            else:
                name = readable_name(document)
                yield sectioned_pair(name, held, lambda path, side: self._section(path, side, seen), _BOTH)

    def _section(self, path: str, side: int, seen: Seen | None) -> Document:
        if is_repeated(path):
            return Document(Unreadable(f"{file_path(path)} occurs several times; which one is meant is unknown"))
        return self._document(path, "expected" if side == _EXPECTED else "predicted", seen)

    def _plain_pairs(self, files: Iterable[tuple[str, int]], seen: Seen | None) -> Iterator[Pair]:
        for name, sides in files:
            expected = self._document(name, "expected", seen) if sides & _EXPECTED else Document(MISSING)
            predicted = self._document(name, "predicted", seen) if sides & _PREDICTED else Document(MISSING)
            yield make_pair(self.renamed.get(file_path(name)) or path_id(name), expected, predicted)

    def _document(self, name: str, side: Side, seen: Seen | None) -> Document:
        tree = self.expected if side == "expected" else self.predicted
        content = tree.read(name)
        if seen:
            seen(bytes_of(content))
        return read_document(content, f"{tree.name}/{file_path(name)}", side, self.rules)


@dataclass(frozen=True)
class TreePairs:
    """Two trees."""

    expected: Tree
    predicted: Tree
    listing: Listing
    rules: ReadRules = field(default_factory=ReadRules)
    unit: Literal["documents", "bytes"] = "documents"
    scratch: Scratch | None = field(default=None, compare=False)
    """The temporary folder that must live as long as documents are read from it."""

    @property
    def total(self) -> int:
        return len(self.listing.names) - len(self.listing.further)

    def shards(self, documents: int) -> Iterator[TreeShard]:
        names, sides, _, further, renamed = self.listing
        index = end = 0
        while end < len(names):
            at, end = end, self._end(end, documents)
            part = slice(at, end)
            trees = self.expected, self.predicted
            size = end - at - sum(place in further for place in range(at, end)) if further else end - at
            held = names[part], bytes(sides[part])
            yield TreeShard(index, *trees, *held, self.rules, size, self.has_sections, renamed)
            index += 1

    def _end(self, start: int, documents: int) -> int:
        """Return where a shard of so many documents ends."""
        names, _, _, further, _ = self.listing
        end = start + documents
        if further:
            end, begun = start, 0
            while end < len(names) and (begun < documents or end in further):
                begun += end not in further
                end += 1
        while end < len(names) and is_repeated(names[end]):
            end += 1
        return min(end, len(names))

    @cached_property
    def has_sections(self) -> bool:
        """Whether a document is in sections."""
        return any(section_path(file_path(name)) for name in self.listing.names)

    def sample(self, count: int) -> list[Json]:
        having = (name for name in self.listing.of_side("expected") if not is_repeated(name))
        first = heapq.nsmallest(count, having, path_id)
        read = (read_document(self.expected.read(n), n, "expected", self.rules).content for n in first)
        return [content for content in read if not isinstance(content, Unreadable | Missing)]

    def describe(self) -> str:
        kinds = {self.expected.kind, self.predicted.kind}
        what = f"2 {self.expected.kind}s" if len(kinds) == 1 else f"a {self.expected.kind} and a {self.predicted.kind}"
        passed = self.listing.passed.text()
        count = self.total - sum(map(is_repeated, self.listing.names))
        return f"{what}, {count} document{'' if count == 1 else 's'}" + f"; ignored: {passed}" * bool(passed)

    def fingerprint(self) -> str:
        return hash_of(f"{side}\0{state}" for side in ("expected", "predicted") for state in self._tree(side).states())

    def _tree(self, side: str) -> Tree:
        return self.expected if side == "expected" else self.predicted


def path_id(path: str) -> str:
    """Return the id of a document in a tree: its path without ``.json``, in whatever case that is.

    >>> path_id("2024/inv-1.json"), path_id("INV-2.JSON")
    ('2024/inv-1', 'INV-2')
    """
    name = file_path(path)
    name = listed_path(name).removesuffix(SUFFIX) if is_document(name) else name
    return readable_name(name)


def readable_name(name: str) -> str:
    """Return a name in which bytes that are no text are written out."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_document(name: str) -> bool:
    """Tell whether a file of this name is a document, in whatever case its suffix is.

    >>> is_document("a.json"), is_document("A.JSON"), is_document("a.json5")
    (True, True, False)
    """
    return name.endswith(SUFFIX) or name[-len(SUFFIX) :].lower() == SUFFIX


def listed_path(path: str) -> str:
    """Return the path under which a document is listed, whose suffix is in small letters."""
    return path[: -len(SUFFIX)] + SUFFIX


def repeated_path(path: str, turn: int) -> str:
    """Return what a further file of a path is listed as: right behind the first, in the order of turns."""
    return f"{path}{_REPEATED}{turn:09d}"


def is_repeated(path: str) -> bool:
    """Tell whether a listed path is that of a second or later file of one path."""
    return _REPEATED in path


def turn_of(path: str) -> int:
    """Return which file of its path a listed path is: 1, or what `repeated_path` was given."""
    turn = path.partition(_REPEATED)[2]
    return int(turn) if turn else 1


def file_path(path: str) -> str:
    """Return the path of a file as it was before ``repeated_path``."""
    return path.partition(_REPEATED)[0]


def list_trees(expected: ListedTree, predicted: ListedTree) -> Listing:
    """List both trees; without any document there is nothing to do."""
    passed = Passed()
    names, sides = list[str](), bytearray()
    for name, which in _merged(expected.names(passed), predicted.names(passed)):
        names.append(name)
        sides.append(which)
    if not names:
        found = passed.text() or "nothing"
        raise InputError(
            f"No documents in {expected.name} and {predicted.name}: looked for *.json, found {found}",
            code="input.no_documents",
            facts={"files": [expected.name, predicted.name]},
        )
    return _listing(names, sides, passed)


def _listing(names: list[str], sides: bytearray, passed: Passed) -> Listing:
    documents = documents_with_sections(map(file_path, names))
    if not documents:
        return Listing(names, sides, passed)
    kept = []
    for name, which in zip(names, sides, strict=True):
        if not is_beside_sections(name, documents):
            kept.append((name, which))
        elif is_in_sections(name, documents):
            passed.add_stray(name)
    further = set[int]()
    before = None
    for at, (name, _) in enumerate(kept):
        found = section_path(file_path(name))
        document = None if found is None else found.document
        if document is not None and document == before:
            further.add(at)
        before = document
    held = [name for name, _ in kept]
    renamed = _renamed(held, documents)
    return Listing(held, bytearray(which for _, which in kept), passed, frozenset(further), renamed)


def _renamed(names: Iterable[str], documents: Iterable[str]) -> dict[str, str]:
    """Return the ids of files such as ``loan.json`` beside sections of a document ``loan``: their names."""
    taken = set(map(readable_name, documents))
    files = dict.fromkeys(path for path in map(file_path, names) if section_path(path) is None)
    clashing = [path for path in files if path_id(path) in taken]
    if clashing:
        taken.update(path_id(path) for path in files)
    renamed = {}
    for path in clashing:
        name = readable_name(path)
        while name in taken:
            name += SUFFIX
        taken.add(name)
        renamed[path] = name
    return renamed


def _merged(expected: Iterator[str], predicted: Iterator[str]) -> Iterator[tuple[str, int]]:
    left, right = next(expected, None), next(predicted, None)
    while left is not None or right is not None:
        if left == right and left is not None:
            yield left, _EXPECTED | _PREDICTED
            left, right = next(expected, None), next(predicted, None)
        elif right is None or (left is not None and left.split("/") < right.split("/")):
            assert left is not None
            yield left, _EXPECTED
            left = next(expected, None)
        else:
            yield right, _PREDICTED
            right = next(predicted, None)


def _kind_passed(path: str) -> str:
    parts = path.split("/")
    if any(is_hidden(part) for part in parts):
        return HIDDEN
    _, dot, suffix = parts[-1].rpartition(".")
    return f".{suffix} file" if dot else "suffixless file"


def is_hidden(part: str) -> bool:
    """Tell whether a file or folder of this name is for programs, not for people."""
    return part.startswith(".") or part == "__MACOSX"
