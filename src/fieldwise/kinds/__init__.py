"""What kind of error a mistake is: a function for each kind, and the order in which they are asked."""

from fieldwise.kinds.amounts import is_scale
from fieldwise.kinds.document import Document, Mistake, is_swapped_fields, is_wrong_row
from fieldwise.kinds.misread import is_ocr
from fieldwise.kinds.names import KINDS, MEANINGS, WORDS, Kind
from fieldwise.kinds.order import kind_of, mismatch_kinds
from fieldwise.kinds.partial import is_invented, is_missing, is_truncated
from fieldwise.kinds.written import is_case_or_spacing, is_format

__all__ = [
    "KINDS",
    "MEANINGS",
    "WORDS",
    "Document",
    "Kind",
    "Mistake",
    "is_case_or_spacing",
    "is_format",
    "is_invented",
    "is_missing",
    "is_ocr",
    "is_scale",
    "is_swapped_fields",
    "is_truncated",
    "is_wrong_row",
    "kind_of",
    "mismatch_kinds",
]
