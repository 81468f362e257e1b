"""The kinds of the mistakes: gathered document by document, written field by field, counted by field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from fieldwise.compare.places import LeafAt
from fieldwise.compare.results import MISSED, SPURIOUS, Outcome
from fieldwise.error_kinds import KINDS, Kind, Mistake, mismatch_kinds
from fieldwise.spec import row_of
from fieldwise.states import COUNT, by_key
from fieldwise.values import Json

KindCounts = dict[str, dict[str, int]]
"""How often each kind occurs, by field."""
KIND_COUNTS = by_key(by_key(COUNT))

_CODES = {kind: code for code, kind in enumerate(KINDS)}
_NO_KIND = -1
ONE_SIDED: dict[Outcome, Kind] = {MISSED: "missing", SPURIOUS: "invented"}
"""The kinds that an outcome alone tells."""
_OF_OUTCOME = np.full(len(Outcome), _NO_KIND, np.int8)
for _outcome, _kind in ONE_SIDED.items():
    _OF_OUTCOME[_outcome.at] = _CODES[_kind]


class Mistakes:
    """The mismatches of the document that is being added; once all are known, their kinds go where they belong."""

    def __init__(self) -> None:
        self.found: list[Mistake] = []
        self._places: list[tuple[dict[int, int], int]] = []

    def add(self, mistake: Mistake, kinds: dict[int, int], at: int) -> None:
        """Note a mismatch whose kind is to be written to ``kinds[at]``."""
        self.found.append(mistake)
        self._places.append((kinds, at))

    def settle(self, document: Json) -> None:
        """Write the kinds of all mismatches of an expected document, and forget them."""
        for (kinds, at), code in zip(self._places, mismatch_codes(document, self.found), strict=True):
            kinds[at] = code
        self.found.clear()
        self._places.clear()


def mismatch_codes(document: Json, mistakes: Sequence[Mistake]) -> list[int]:
    """Return the kinds of all mismatches of an expected document, by their codes."""
    return [_CODES[kind] for kind in mismatch_kinds(document, mistakes)]


def mistake_at(place: LeafAt, expected: Json) -> Mistake:
    """Return the two values of a mismatch at a place."""
    if place.row is None:
        return Mistake(place.field, expected, place.predicted)
    return Mistake(place.field, expected, place.predicted, row_of(place.path), place.is_right_in_rejected_row)


def kind_codes(outcomes: Any) -> Any:
    """Return the kinds that outcomes alone tell, by their codes; -1 elsewhere."""
    return _OF_OUTCOME[outcomes]


def count_kinds(table: pa.Table) -> KindCounts:
    """Count the kinds of errors, by field."""
    columns: Any = table.combine_chunks()
    field, kind = (columns[name].chunk(0) for name in ("field", "kind"))
    codes = np.asarray(kind.indices.fill_null(_NO_KIND))
    wrong = codes >= 0
    width = len(KINDS)
    names = field.dictionary.to_pylist()
    numbers = np.asarray(field.indices)[wrong].astype(np.int64) * width + codes[wrong]
    counts = np.bincount(numbers, minlength=len(names) * width).reshape(len(names), width)
    return {name: _named(row) for name, row in zip(names, counts.tolist(), strict=True) if any(row)}


def kind_sums(counts: KindCounts) -> dict[str, Any]:
    """Return the counts of all values together and by field, kinds and fields in a fixed order.

    >>> kind_sums({"b": {"ocr": 1, "missing": 2}, "a": {"ocr": 3}})
    {'total': {'missing': 2, 'ocr': 4}, 'fields': {'a': {'ocr': 3}, 'b': {'missing': 2, 'ocr': 1}}}
    """
    total = [sum(kinds.get(kind, 0) for kinds in counts.values()) for kind in KINDS]
    fields = {field: _named([counts[field].get(kind, 0) for kind in KINDS]) for field in sorted(counts)}
    return {"total": _named(total), "fields": fields}


def _named(counts: list[int]) -> dict[str, int]:
    return {kind: count for kind, count in zip(KINDS, counts, strict=True) if count}
