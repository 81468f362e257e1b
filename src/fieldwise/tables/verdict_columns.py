"""The columns of verdicts, and the words in them.

A verdict is known by (document, trial, section, path, predicted_path). ``path`` is where the expected document has the
value, ``predicted_path`` where the predicted one has it: null where a value was invented or missed.
"""

from __future__ import annotations

from typing import Any, get_args

import pyarrow as pa

from fieldwise.compare.results import ABSENT, WRITTEN, LeafNote, Outcome, Raised
from fieldwise.compare.verdicts import Accepted

SCHEMA_VERSION = 4
OUTCOMES = tuple(outcome.word for outcome in Outcome if outcome is not ABSENT)
"""Those of values that are there, in the order of `Outcome`."""
REASONS = ("", "type", "row", "alone", "undeclared", "comparator")
"""Why a place counts as it does: its score; a value of another kind; a rejected or unpaired row; no such field; a
comparator that raised.
"""

ACCEPTED: tuple[Accepted, ...] = get_args(Accepted)
WRITTEN_CODE = len(REASONS)
"""In place of a reason: the values match in full and are written differently."""
_NOTES: dict[LeafNote, int] = {"": 0, "type": REASONS.index("type"), WRITTEN: WRITTEN_CODE}
_COMPARATOR = REASONS.index("comparator")


def note_code(note: LeafNote) -> int:
    """Return what the note of a leaf's result says about its reason: a number of `REASONS`, or that it is written
    differently.
    """
    return _COMPARATOR if isinstance(note, Raised) else _NOTES.get(note, 0)


_NAMES = pa.dictionary(pa.int32(), pa.string())
_FEW_NAMES = pa.dictionary(pa.int8(), pa.string())
_COLUMNS: list[tuple[str, Any]] = [
    ("document", _NAMES),
    ("trial", pa.int32()),
    ("section", _NAMES),
    ("class", _NAMES),
    ("path", _NAMES),
    ("predicted_path", _NAMES),
    ("field", _NAMES),
    ("outcome", _FEW_NAMES),
    ("accepted", _FEW_NAMES),
    ("kind", _FEW_NAMES),
    ("score", pa.float64()),
    ("raw_score", pa.float64()),
    ("expected", pa.string()),
    ("predicted", pa.string()),
    ("expected_is_json", pa.bool_()),
    ("predicted_is_json", pa.bool_()),
    ("expected_length", pa.int64()),
    ("predicted_length", pa.int64()),
    ("expected_sha256", pa.string()),
    ("predicted_sha256", pa.string()),
    ("weight", pa.float64()),
    ("confidence", pa.float64()),
    ("pair_score", pa.float64()),
    ("pair_threshold", pa.float64()),
    ("pair_accepted", pa.bool_()),
    ("alternate_index", pa.int32()),
    ("reason", _FEW_NAMES),
]
VERDICTS = pa.schema(_COLUMNS)

_KEPT = (
    *("section", "class", "path", "predicted_path", "accepted", "kind", "score", "raw_score"),
    *("expected", "predicted", "expected_is_json", "predicted_is_json"),
    *("expected_length", "predicted_length", "expected_sha256", "predicted_sha256"),
    *("confidence", "pair_score", "pair_threshold", "pair_accepted", "alternate_index", "reason"),
)
"""The columns that errors have in common with verdicts, beside field and outcome."""
_ERROR_COLUMNS: list[tuple[str, Any]] = [
    ("field", pa.string()),
    ("outcome", pa.string()),
    ("document", pa.int32()),
    *((name, getattr(VERDICTS.field(name).type, "value_type", VERDICTS.field(name).type)) for name in _KEPT),
]
ERRORS = pa.schema(_ERROR_COLUMNS)
"""A document is known by its number, its row among the documents."""
VALUE_COLUMNS = tuple(
    f"{side}{what}" for side in ("expected", "predicted") for what in ("", "_is_json", "_length", "_sha256")
)
"""What says what a value is."""
