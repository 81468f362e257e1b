"""What readers give: pairs of documents, in shards that any process can read."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, Protocol

from fieldwise.errors import InputError, LimitError
from fieldwise.limits import ReadLimits
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


class Pair(NamedTuple):
    """One document as it is expected and as it was predicted.

    ``rich`` False promises that neither side holds a rich value (``_value``, or ``value`` with ``confidence``).
    ``alternates`` stand beside the expected document; ``metadata`` is that of an envelope around the documents.
    ``predicted`` is a `FromText` where the document had to be taken out of a text.
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


Seen = Callable[[bytes], object]
"""Called with the bytes that pairs are read from, block by block, the same for the same input."""


class Shard(Protocol):
    """A part of a source: small, picklable, read where it is needed. ``size`` is in the source's unit."""

    @property
    def index(self) -> int: ...
    @property
    def size(self) -> int: ...
    def read(self, seen: Seen | None = None) -> Iterator[Pair]:
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
