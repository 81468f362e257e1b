"""What is said of the sections of documents: how they were paired, classified and split."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from fieldwise.results.classes import Confusion
from fieldwise.results.core import Number, Result, Share
from fieldwise.results.rates import Rate

ClassificationKind: TypeAlias = Literal["wrong_class", "lost", "extra"]
"""A section of another class than expected, one without a prediction, one that nobody expects."""


class ClassificationError(Result, frozen=True):
    """A section that has no partner of its class."""

    doc_id: str
    section_id: str
    kind: ClassificationKind
    expected_class: str | None = None
    predicted_class: str | None = None
    expected_pages: tuple[Number, ...] | None = None
    predicted_pages: tuple[Number, ...] | None = None


class SplitMetrics(Result, frozen=True):
    """How pages were classified and put together, over the pages and expected sections of all documents."""

    total_pages: Number = 0
    correctly_classified_pages: Number = 0
    total_splits: Number = 0
    correctly_split_without_order: Number = 0
    correctly_split_with_order: Number = 0
    page_level_accuracy: Share | None = None
    split_accuracy_without_order: Share | None = None
    split_accuracy_with_order: Share | None = None

    @classmethod
    def of(cls, counts: dict[str, int]) -> SplitMetrics:
        """Return the ratios of counts; None where there is nothing to divide by."""
        pages, splits = counts.get("total_pages", 0), counts.get("total_splits", 0)
        right = counts.get("correctly_split_without_order", 0), counts.get("correctly_split_with_order", 0)
        return cls(
            **counts,
            page_level_accuracy=counts.get("correctly_classified_pages", 0) / pages if pages else None,
            split_accuracy_without_order=right[0] / splits if splits else None,
            split_accuracy_with_order=right[1] / splits if splits else None,
        )


class SectionClass(Result, frozen=True):
    """How well the sections of one class were found. The units of the intervals are documents, or their clusters.

    ``tp`` sections have a partner of the class, ``fp`` are predicted as it and are not, ``fn`` are expected as it and
    were not found.
    """

    name: str
    precision: Rate
    recall: Rate
    f1: Rate
    tp: Number
    fp: Number
    fn: Number


class SectionMetrics(Result, frozen=True):
    """The sections of all documents by what became of them; ``paired`` ones have a partner of their class."""

    paired: Number = 0
    wrong_class: Number = 0
    lost: Number = 0
    extra: Number = 0
    excluded: Number = 0
    classification_errors: tuple[ClassificationError, ...] = ()
    """The first 1,000."""
    splitting: SplitMetrics | None = None
    """None where no section says which pages it has."""
    classes: tuple[SectionClass, ...] = ()
    """How well each class was found, sorted by name; sections without a class are in none."""
    confusion: Confusion | None = msgspec.field(name="confusion_matrix", default=None)
    """Which class met which; the last place is that of no section: extra ones in its row, lost ones in its column.
    None where no section has a class."""
    without_class: Number = 0
    """Sections of which one side names no class: they may be of any, and are in no cell."""
