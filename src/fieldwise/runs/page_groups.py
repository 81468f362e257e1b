"""To what the documents of a page belong: their sections with the classes of these, and their slices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fieldwise.readers.sections import natural
from fieldwise.results import PageSection
from fieldwise.runs.run import Run
from fieldwise.tables.documents import SLICE

_BY = ("document", "trial", "section", "class", "outcome")
_BOTH_SIDES = ("match", "mismatch", "absent")
"""The outcomes of values whose section has a partner."""


class Slices(NamedTuple):
    """The values of documents by slice key."""

    keys: tuple[str, ...]
    of_document: Mapping[str, Sequence[str | None]]

    @classmethod
    def of(cls, run: Run) -> Slices:
        """Read those of a run."""
        keys, documents = tuple(run.metrics.slices or ()), run.documents()
        columns = [documents.texts(f"{SLICE}{key}") for key in keys]
        return cls(keys, dict(zip(documents.ids.to_pylist(), zip(*columns, strict=True), strict=True)) if keys else {})

    def __call__(self, document: str) -> dict[str, str]:
        """Return those of a document, without keys that it does not have."""
        held = self.of_document.get(document, ())
        return {key: value for key, value in zip(self.keys, held, strict=bool(held)) if value is not None}


def sections_of(run: Run) -> dict[tuple[str, int], tuple[PageSection, ...]]:
    """Return the sections of each document and trial that have rows, and whether they have a partner."""
    sums = run.metrics.sections
    if sums is None or not run.has_rows:
        return {}
    listed = {(error.doc_id, error.section_id) for error in sums.classification_errors}
    all_listed = sums.wrong_class + sums.lost + sums.extra == len(sums.classification_errors)
    found: dict[tuple[str, int, str, str | None], bool] = {}
    for table in run.verdicts(columns=_BY):
        seen: Any = table.group_by(list(_BY)).aggregate([])
        for row in seen.to_pylist():
            if row["section"] is not None:
                key = row["document"], row["trial"], row["section"], row["class"]
                found[key] = found.get(key, False) or row["outcome"] in _BOTH_SIDES
    sections: dict[tuple[str, int], list[PageSection]] = {}
    for (document, trial, section, name), has_both in sorted(found.items(), key=_section_order):
        paired = has_both or (all_listed and (document, section) not in listed)
        sections.setdefault((document, trial), []).append(PageSection(section, name, paired=paired))
    return {key: tuple(held) for key, held in sections.items()}


def _section_order(item: tuple[tuple[str, int, str, str | None], bool]) -> tuple[Any, ...]:
    document, trial, section, name = item[0]
    return document, trial, natural(section), name or ""
