"""What readers give: pairs of documents, in shards that any process can read."""

from __future__ import annotations

import enum
import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NamedTuple, Protocol

from fieldwise.errors import InputError, LimitError
from fieldwise.limits import ReadLimits
from fieldwise.readers.about import Confidences
from fieldwise.readers.temporary import Scratch
from fieldwise.results.notes import Note
from fieldwise.text import size_text
from fieldwise.values import Json


@dataclass(frozen=True)
class ReadRules:
    """How documents are read: within which limits, whether a duplicate key is refused, and whether files outside of
    the folder of an input are read.
    """

    limits: ReadLimits = field(default_factory=ReadLimits)
    strict: bool = False
    follow_symlinks: bool = False


class Missing(enum.Enum):
    """The type of ``MISSING``: an enum, so that a copy from another process is the same object."""

    MISSING = "missing"

    def __repr__(self) -> str:
        return self.name


MISSING: Final = Missing.MISSING
"""There is no such document. A document that is null is None instead."""


class Unreadable(NamedTuple):
    """A document that is there and cannot be read; ``limit`` names the limit that it is over, if that is why."""

    reason: str
    limit: str = ""


class Nameless(Unreadable):
    """A document without an id where others have one: nobody knows whose it is."""


class Conflicting(Unreadable):
    """Expected documents of one id that differ: nobody knows which of them is right."""


def unreadable(error: InputError) -> Unreadable:
    """Return the document that an error is about."""
    return Unreadable(str(error), error.limit if isinstance(error, LimitError) else "")


TextForm = Literal["fence", "text"]


class FromText(NamedTuple):
    """A predicted document that was read from a Markdown code fence, or from a text that holds JSON."""

    document: Json
    form: TextForm


class Section(NamedTuple):
    """A part of a document that has a class of its own, as one side has it.

    ``pages`` are the numbers of its pages in their order; None where nobody says.
    """

    id: str
    content: Json | Unreadable
    document_class: str | None = None
    pages: tuple[int, ...] | None = None
    rich: bool = False
    alternates: Mapping[str, Sequence[Json]] | None = None
    confidences: Confidences | None = None
    wrong_pages: int = 0


class Sections(NamedTuple):
    """The sections of both sides of a document, each in the order of their ids."""

    expected: tuple[Section, ...]
    predicted: tuple[Section, ...]


class Pair(NamedTuple):
    """One document as it is expected and as it was predicted.

    ``rich`` False promises that neither side holds a rich value (``_value``, or ``value`` with ``confidence``).
    ``alternates`` stand beside the expected document; ``metadata`` is that of an envelope around the documents.
    ``predicted`` is a `FromText` where the document had to be taken out of a text.
    ``document_class`` is what an envelope says that the document is.
    ``confidences`` are those beside the prediction. A document with ``sections`` is compared by these; its sides are
    then the first section of each, for what asks about documents as such, and it is always ``rich``.
    A document with several ``trials`` is as many pairs of one id, which follow each other: ``trial`` 1, 2 …
    """

    id: str
    expected: Json | Unreadable | Missing
    predicted: Json | Unreadable | Missing
    rich: bool
    alternates: Mapping[str, Sequence[Json]] | None = None
    metadata: Mapping[str, Json] | None = None
    trial: int = 1
    trials: int = 1
    document_class: str | None = None
    confidences: Confidences | None = None
    sections: Sections | None = None


class Shard(Protocol):
    """A part of a source: small, picklable, read where it is needed. ``size`` is in the source's unit."""

    @property
    def index(self) -> int: ...
    @property
    def size(self) -> int: ...
    def read(self) -> Iterator[Pair]:
        """Yield the pairs, always the same in the same order."""
        ...


class PairSource(Protocol):
    """All pairs of an input. The same input gives the same shards; pairs with the same id are trials of one document.

    Shards can be read as long as their source is held: it keeps the temporary files that some forms need.
    """

    @property
    def rules(self) -> ReadRules: ...
    @property
    def unit(self) -> Literal["documents", "bytes"]: ...
    @property
    def total(self) -> int: ...
    def shards(self, documents: int) -> Iterator[Shard]:
        """Yield shards of about so many documents, in order; none splits a document."""
        ...

    def sample(self, count: int) -> list[Json]:
        """Return the expected documents with the first ids, without those that cannot be read."""
        ...

    def describe(self) -> str:
        """Say for people what the input is, and what in it is ignored."""
        ...

    def fingerprint(self) -> str:
        """Return a text that changes when a file's name, size or time changes."""
        ...


@dataclass(frozen=True)
class ShardAround(ABC):
    """A shard whose pairs are changed as they are read."""

    shard: Shard

    @property
    def index(self) -> int:
        return self.shard.index

    @property
    def size(self) -> int:
        return self.shard.size

    @abstractmethod
    def changed(self, pair: Pair) -> Pair:
        """Return a pair as it is to be read."""

    def read(self) -> Iterator[Pair]:
        return map(self.changed, self.shard.read())


@dataclass(frozen=True)
class PairsAround(ABC):
    """A source whose pairs are changed as they are read; all else is as in the source that it is around."""

    source: PairSource

    @property
    def rules(self) -> ReadRules:
        return self.source.rules

    @property
    def unit(self) -> Literal["documents", "bytes"]:
        return self.source.unit

    @property
    def total(self) -> int:
        return self.source.total

    @abstractmethod
    def around(self, shard: Shard) -> Shard:
        """Return a shard whose pairs are changed."""

    def shards(self, documents: int) -> Iterator[Shard]:
        return map(self.around, self.source.shards(documents))

    @abstractmethod
    def sample(self, count: int) -> list[Json]:
        """Return the expected documents with the first ids, changed, without those that cannot be read."""

    def describe(self) -> str:
        return self.source.describe()

    def fingerprint(self) -> str:
        return self.source.fingerprint()


@dataclass(frozen=True)
class Origin:
    """The files that an input was opened from, and the scratch folder that must live as long as it is read."""

    what: str
    paths: tuple[Path, ...]
    scratch: Scratch | None = field(default=None, compare=False)
    notes: tuple[Note, ...] = ()
    """How documents were matched, and where they were."""

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
