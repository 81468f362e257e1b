"""The kinds of error, by name and in words."""

from __future__ import annotations

from typing import TypeAlias, get_args

from fieldwise.results.metrics import ErrorKind

Kind: TypeAlias = ErrorKind
KINDS: tuple[Kind, ...] = get_args(Kind)
WORDS: dict[Kind, str] = {
    "missing": "missing",
    "invented": "invented",
    "format": "format only",
    "case_or_spacing": "case or spacing",
    "ocr": "OCR-like",
    "truncated": "truncated",
    "wrong_row": "wrong row",
    "row_rejected": "row rejected",
    "swapped_fields": "swapped fields",
    "scale": "scale, unit or sign",
    "other": "other",
}
MEANINGS: dict[Kind, str] = {
    "missing": "expected and not predicted",
    "invented": "predicted where nothing was expected",
    "format": "the same date, amount, yes or no, or code, written otherwise",
    "case_or_spacing": "the same letters in other case or with other blanks",
    "ocr": "one or two characters misread, or look-alikes throughout",
    "truncated": "a part of the expected value",
    "wrong_row": "the value of another row of the list",
    "row_rejected": "a right value in a row that as a whole is too unlike the expected one",
    "swapped_fields": "the value of another field of the document",
    "scale": "the number is right but for a power of ten, the unit or the sign",
    "other": "none of these",
}
