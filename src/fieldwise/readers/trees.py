"""Pairs from two trees of files, folders or zips, matched by relative path."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from typing import Literal, NamedTuple, Protocol

from fieldwise.errors import InputError
from fieldwise.readers.envelopes import (
    SIDES,
    Document,
    Opening,
    Side,
    is_one_form,
    make_pair,
    one_form,
    read_document,
)
from fieldwise.readers.sections import (
    documents_with_sections,
    grouped,
    is_beside_sections,
    is_in_sections,
    section_path,
    sectioned_pair,
)
from fieldwise.readers.sides import Decided, decide_by_files
from fieldwise.readers.source import MISSING, Missing, Pair, ReadRules, Unreadable, hash_of
from fieldwise.readers.temporary import Scratch
from fieldwise.readers.trials import number_trials
from fieldwise.results.notes import Note
from fieldwise.values import Json

SUFFIX = ".json"
HIDDEN, LINKED = "hidden file", "linked folder"
_BOTH = _EXPECTED, _PREDICTED = 1, 2
_REPEATED = "\0"
"""Between a path and its turn where a zip has several members of one path; no path has it, and it sorts first."""


Spelled = tuple[dict[str, str], dict[str, str]]
"""How each side writes the paths that it writes in another form of Unicode than the one in which they are listed."""
Openings = Mapping[bool, tuple[Opening, Opening]]
"""Where the documents of both sides are: under True in the files of sections, under False in others."""


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
        """
        kind = _kind_passed(path)
        self[kind] += 1
        if kind != HIDDEN:
            self.example = self.example or path

    def text(self) -> str:
        """List what was passed over, by what it is."""
        return ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for what, n in sorted(self.items()))

    def notes(self, *read: str) -> Iterator[Note]:
        """Yield how many files that people can see were not read, where only some suffixes are, and how many documents
        in folders of sections.
        """
        count = sum(n for kind, n in self.items() if kind not in (HIDDEN, LINKED))
        if count:
            name = self.example.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
            yield Note.of("input.files_not_read", count=count, example=name, read=list(read))
        if self.stray_count:
            name = readable_name(self.stray)
            yield Note.of("input.sections_not_read", count=self.stray_count, example=name)


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
    own is that of a document in sections. ``spelled`` are the names that files have on each side where these are not
    written in the form of Unicode in which they are listed.
    """

    names: list[str]
    sides: bytearray
    passed: Passed
    further: frozenset[int] = frozenset()
    renamed: Mapping[str, str] = {}  # never written to
    spelled: Spelled = ({}, {})

    def of_side(self, side: Side) -> Iterator[str]:
        """Yield the paths that a side has."""
        which, spelled = _BOTH[SIDES.index(side)], self.spelled[SIDES.index(side)]
        held = (name for name, sides in zip(self.names, self.sides, strict=True) if sides & which)
        return (spelled.get(name, name) for name in held) if spelled else held


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
    openings: Openings = field(default_factory=dict)
    spelled: Spelled = ({}, {})

    def read(self) -> Iterator[Pair]:
        return number_trials(self._pairs()) if any(map(is_repeated, self.names)) else self._pairs()

    def _pairs(self) -> Iterator[Pair]:
        files = zip(self.names, self.sides, strict=True)
        if not self.has_sections:
            yield from self._plain_pairs(files)
            return
        for document, held in grouped(files):
            if document is None:
                yield from self._plain_pairs(held)
            else:
                name = readable_name(document)
                yield sectioned_pair(name, held, self._section, _BOTH)

    def _section(self, path: str, side: int) -> Document:
        if is_repeated(path):
            return Document(Unreadable(f"{file_path(path)} occurs several times; which one is meant is unknown"))
        return self._document(path, "expected" if side == _EXPECTED else "predicted")

    def _plain_pairs(self, files: Iterable[tuple[str, int]]) -> Iterator[Pair]:
        for name, sides in files:
            expected = self._document(name, "expected") if sides & _EXPECTED else Document(MISSING)
            predicted = self._document(name, "predicted") if sides & _PREDICTED else Document(MISSING)
            yield make_pair(self.renamed.get(file_path(name)) or path_id(name), expected, predicted)

    def _document(self, name: str, side: Side) -> Document:
        tree = self.expected if side == "expected" else self.predicted
        content = _content(tree, self.spelled[SIDES.index(side)].get(name, name))
        opening = self.openings[self.has_sections and _is_section(name)]
        return read_document(content, f"{tree.name}/{file_path(name)}", side, self.rules, opening[SIDES.index(side)])


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
        names, sides, _, further, renamed, spelled = self.listing
        index = end = 0
        while end < len(names):
            at, end = end, self._end(end, documents)
            part = slice(at, end)
            trees = self.expected, self.predicted
            size = end - at - sum(place in further for place in range(at, end)) if further else end - at
            held = names[part], bytes(sides[part])
            openings = {kind: (found.expected, found.predicted) for kind, found in self.decided.items()}
            yield TreeShard(index, *trees, *held, self.rules, size, self.has_sections, renamed, openings, spelled)
            index += 1

    def _end(self, start: int, documents: int) -> int:
        """Return where a shard of so many documents ends."""
        names, further = self.listing.names, self.listing.further
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

    @cached_property
    def decided(self) -> Mapping[bool, Decided]:
        """Where the documents of both sides are, by the first of them; True: those of sections, which differ."""
        return {kind: decide_by_files(partial(self._first, kind)) for kind in {False, self.has_sections}}

    def _first(self, are_sections: bool, side: Side, count: int) -> Iterator[bytes | Unreadable]:
        names = (name for name in self.listing.of_side(side) if _is_section(name) == are_sections)
        return (_content(self._tree(side), name) for name in islice(names, count))

    def documents(self, side: Side, names: Iterable[str]) -> Iterator[Json | Unreadable | Missing]:
        """Yield the documents in files of a side."""
        for name in names:
            opening = self.decided[_is_section(name)][:2][SIDES.index(side)]
            yield read_document(_content(self._tree(side), name), name, side, self.rules, opening).content

    def sample(self, count: int) -> list[Json]:
        having = (name for name in self.listing.of_side("expected") if not is_repeated(name))
        read = self.documents("expected", heapq.nsmallest(count, having, path_id))
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


def _is_section(name: str) -> bool:
    return section_path(file_path(name)) is not None


def _content(tree: Tree, path: str) -> bytes | Unreadable:
    if leads_out(path):
        return Unreadable(f"{tree.name}/{file_path(path)} is named as if it lay outside")
    return tree.read(path)


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
    if all(map(is_one_form, names)):
        return _listing(names, sides, passed)
    names, sides, spelled = _in_one_form(names, sides)
    return _listing(names, sides, passed)._replace(spelled=spelled)


def _in_one_form(names: list[str], sides: bytearray) -> tuple[list[str], bytearray, Spelled]:
    """Return the paths in one form of Unicode, and how each side writes those that it writes in another.

    A path that a side has in two forms is that of two documents.
    """
    spelled: Spelled = ({}, {})
    held: dict[str, int] = {}
    for name, which in sorted(zip(names, sides, strict=True), key=lambda file: not is_one_form(file[0])):
        listed = name if held.get(one_form(name), 0) & which else one_form(name)
        held[listed] = held.get(listed, 0) | which
        for at, side in enumerate(_BOTH):
            if which & side and listed != name:
                spelled[at][listed] = name
    ordered = sorted(held, key=lambda path: path.split("/"))
    return ordered, bytearray(held[name] for name in ordered), spelled


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
    return (part.startswith(".") and part.lstrip(".")[:1] not in ("", "\\")) or part == "__MACOSX"


def leads_out(path: str) -> bool:
    """Tell whether a member of an archive, or the key of an object, is named as if it lay outside.

    >>> leads_out("../a.json"), leads_out("..\\\\a.json"), leads_out("a..json")
    (True, True, False)
    """
    return ".." in path and ".." in path.replace("\\", "/").split("/")
