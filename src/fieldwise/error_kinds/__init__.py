"""What kind of error a mistake is: a function for each kind, and the order in which they are asked."""

from fieldwise.error_kinds.amounts import is_scale
from fieldwise.error_kinds.decide import KINDS, Kind, kind_of, mismatch_kinds
from fieldwise.error_kinds.ocr import is_ocr
from fieldwise.error_kinds.places import Document, Mistake, is_swapped_fields, is_wrong_row
from fieldwise.error_kinds.text import is_invented, is_missing, is_truncated
from fieldwise.error_kinds.written import is_case_or_spacing, is_format

__all__ = [
    "KINDS",
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
