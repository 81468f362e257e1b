"""Notes: what a reader of a result should know beside its numbers, as a code with facts. `views` puts it in words.

The codes and their facts are listed in docs/notes.md.
"""

from __future__ import annotations

from typing import Literal, Self, TypeAlias

import msgspec

from fieldwise.bulk_aggregator import Json
from fieldwise.results.core import Result

NoteCode: TypeAlias = Literal[
    "classes.excluded",
    "classes.not_declared",
    "classes.too_many",
    "clusters.missing",
    "fields.odd_values",
    "input.beside_documents",
    "input.few_matched",
    "input.files_not_read",
    "input.ids_alike",
    "input.ids_in_two_forms",
    "input.matched_by_column",
    "input.matched_by_key",
    "input.matched_by_position",
    "input.often_under_key",
    "input.read_from_text",
    "input.sections_not_read",
    "input.short_rows",
    "input.under_key",
    "lists.in_blocks",
    "lists.paired_in_blocks",
    "results.mixed_counts",
    "results.several_specs",
    "results.unknown_formats",
    "runs.counted_one_by_one",
    "runs.different_rules",
    "runs.different_versions",
    "runs.failed",
    "runs.few_differ",
    "runs.not_compared",
    "runs.one_loss_undoes",
    "runs.only_in_one",
    "runs.other_expected_values",
    "runs.trials",
    "runs.without_expected",
    "runs.without_prediction",
    "sections.confidences_divided",
    "sections.confidences_left_out",
    "sections.not_paired",
    "sections.pages_left_out",
    "values.absent_texts",
    "values.in_rejected_rows",
    "values.more_of_another_shape",
    "values.not_identical",
    "values.of_another_shape",
    "values.perhaps_absent",
    "values.undeclared",
]


class Note(Result, frozen=True):
    """What a reader should know: which of the codes, and what it is about, as JSON."""

    code: NoteCode
    facts: dict[str, Json] = msgspec.field(default_factory=dict)

    @classmethod
    def of(cls, code: NoteCode, **facts: Json) -> Self:
        """Return a note of a code with its facts."""
        return cls(code, facts)
