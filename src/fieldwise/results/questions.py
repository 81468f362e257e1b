"""What a run can be asked, and how it answers: the same types in Python, inside the page and over the wire.

A list is answered a page at a time. ``next`` is the cursor of the page after it, a text that means nothing to others,
null at the end. ``held`` is how many rows the one that answers can list, ``total`` how many the run has, null where
nobody knows without looking at all of them. A run with its rows lists all of them; the page as a file lists some, and
knows the total from its sums.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from fieldwise.results.core import Number, Result
from fieldwise.results.page import LabelRow, PageDocument, PageValue
from fieldwise.results.sections import ClassificationError

FIRST = 50
"""How many rows a page has by default."""
ValueSet: TypeAlias = Literal["wrong", "accepted", "all"]
ValueOrder: TypeAlias = Literal["worst", "path", "document", "field"]


class Slice(Result, frozen=True):
    """A slice key and one of its values; null are the documents that have none."""

    key: str
    value: str | None


class ValueQuestion(Result, frozen=True, omit_defaults=True):
    """Compared values: those that have one of the fields, one of the outcomes and so on.

    The set is those that are wrong, matches that are *accepted* though not identical, or all. A field may be an object
    or a list, whose fields are meant then, and a kind is one of errors or a way of being accepted. ``find`` is a text
    in the path, the document or a value, whatever its letter case.
    The order is worst first by default: values of the field that loses most points, or accepted ones that are least
    alike; ``field`` is by field, outcome, document and path. All values stand as the run has its documents.
    """

    set: ValueSet = "wrong"
    fields: tuple[str, ...] = ()
    outcomes: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    trial: Number | None = None
    sections: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    slices: tuple[Slice, ...] = ()
    find: str = ""
    order: ValueOrder | None = None
    first: Number = FIRST
    after: str | None = None


class DocumentQuestion(Result, frozen=True, omit_defaults=True):
    """Documents by a part of their ids, by classes, which may be those of their sections, and by slices."""

    find: str = ""
    classes: tuple[str, ...] = ()
    slices: tuple[Slice, ...] = ()
    order: Literal["worst", "best", "id"] = "worst"
    first: Number = FIRST
    after: str | None = None


class DocumentKey(Result, frozen=True):
    """One document, or one trial of it."""

    document: str
    trial: Number = 1


class SectionQuestion(Result, frozen=True, omit_defaults=True):
    """Sections by their classes, as the matrix names them; null is no section. Without both classes, wrong ones."""

    expected: str | msgspec.UnsetType | None = msgspec.UNSET
    predicted: str | msgspec.UnsetType | None = msgspec.UNSET
    first: Number = FIRST
    after: str | None = None


class LabelQuestion(Result, frozen=True, omit_defaults=True):
    """Rows of labels by the places of both in the matrix."""

    expected: Number | None = None
    predicted: Number | None = None
    right: bool | None = None
    find: str = ""
    first: Number = FIRST
    after: str | None = None


class ListPage(Result, frozen=True):
    """Some rows of a list."""

    next: str | None
    held: Number
    total: Number | None


class ValuePage(ListPage, frozen=True):
    """Some of the values that are asked for."""

    rows: tuple[PageValue, ...]


class DocumentPage(ListPage, frozen=True):
    """Some of the documents that are asked for."""

    rows: tuple[PageDocument, ...]


class DocumentAnswer(Result, frozen=True):
    """A document with all its values, null where they are not at hand.

    ``previous`` and ``next`` are its neighbours among the documents that have something wrong, worst first.
    """

    document: PageDocument
    values: tuple[PageValue, ...] | None
    previous: DocumentKey | None
    next: DocumentKey | None


class SectionRow(Result, frozen=True, omit_defaults=True):
    """A section; one whose class is right has no more to say than where it is."""

    document: str
    section: str
    trial: Number | None = None
    """None where nobody says which trial it is of."""
    error: ClassificationError | None = None


class SectionPage(ListPage, frozen=True):
    """Some of the sections that are asked for."""

    rows: tuple[SectionRow, ...]


class LabelPage(ListPage, frozen=True):
    """Some of the rows of labels that are asked for."""

    rows: tuple[LabelRow, ...]


Question: TypeAlias = ValueQuestion | DocumentQuestion | DocumentKey | SectionQuestion | LabelQuestion
Answer: TypeAlias = ValuePage | DocumentPage | DocumentAnswer | SectionPage | LabelPage
