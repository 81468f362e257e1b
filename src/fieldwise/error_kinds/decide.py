"""The kinds of error in words, and which kind a mistake is: the one place that decides in which order they are asked.

The order, and why:

1. ``missing`` and ``invented``: one side has no value, nothing else is to be told.
2. ``row_rejected``: a value that is right and counts as wrong only because its row was rejected.
3. ``case_or_spacing``, then ``format``: the value itself is right, whatever else it may look like; what differs least
   is asked first, so that ``1 234`` for ``1234`` is a matter of blanks.
4. ``wrong_row`` and ``swapped_fields``, where two values changed places or a telling value stands elsewhere: that five
   characters or three digits agree by chance is rarer than that a number looks like ten times another, or a word like
   a part of a text.
5. ``scale`` before ``truncated``: 100 for 1000 is a power of ten, and also its beginning.
6. ``truncated`` before ``ocr``: of ``Station Roa`` one character is lost, at the end.
7. ``ocr``.
8. ``wrong_row`` again, for a value that tells little, such as a quantity of 3, and stands in another row: only where
   nothing else explains it, and never where most rows have it.
9. ``other``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, get_args

from fieldwise.error_kinds.amounts import is_rescaled, is_scale
from fieldwise.error_kinds.ocr import is_number_misread, is_ocr
from fieldwise.error_kinds.places import (
    SCALARS,
    Document,
    Mistake,
    is_of_other_row,
    is_swapped_fields,
    is_telling,
    is_wrong_row,
    stands_in,
)
from fieldwise.error_kinds.text import is_invented, is_missing, is_no_part, is_truncated
from fieldwise.error_kinds.written import is_case_or_spacing, is_format
from fieldwise.results.metrics import ErrorKind
from fieldwise.values import Json

Kind: TypeAlias = ErrorKind
KINDS: tuple[Kind, ...] = get_args(Kind)


def kind_of(expected: Json, predicted: Json) -> Kind:
    """Return the kind of a mistake from its two values alone.

    >>> kind_of("2024-03-05", "5 March 2024"), kind_of(12.5, 125), kind_of("Mill Lane", None)
    ('format', 'scale', 'missing')
    """
    if is_missing(expected, predicted):
        return "missing"
    if is_invented(expected, predicted):
        return "invented"
    return mismatch_kinds(None, [Mistake("", expected, predicted)])[0]


def mismatch_kinds(document: Json, mistakes: Sequence[Mistake]) -> list[Kind]:
    """Return the kind of each mismatch of an expected document; ``mistakes`` are all that it has."""
    if len(mistakes) == 1:
        _, expected, predicted, row, _ = mistakes[0]
        if type(expected) is float is type(predicted) and not row and expected != predicted:
            return [_lone_number_kind(document, expected, predicted)]
    around = Document(document, mistakes)
    return [_kind(mistake, around) for mistake in mistakes]


def _lone_number_kind(document: Json, expected: float, predicted: float) -> Kind:
    """Return what `_kind` does for two numbers outside of lists that are the only mistake: in most documents with
    mistakes there is one, and in most of these it is of numbers."""
    if is_telling(predicted) and stands_in(document, predicted):
        return "swapped_fields"
    return _number_likeness(expected, predicted) or "other"


def _kind(mistake: Mistake, document: Document) -> Kind:
    expected, predicted = mistake[1], mistake[2]
    if mistake[4]:
        return "row_rejected"
    if type(expected) not in SCALARS or type(predicted) not in SCALARS or expected == predicted:
        return _format_or_other(mistake)
    if type(expected) is str or type(predicted) is str:
        if is_case_or_spacing(expected, predicted):
            return "case_or_spacing"
        if is_format(expected, predicted):
            return "format"
    if mistake[3] and is_wrong_row(mistake, document):
        return "wrong_row"
    if is_swapped_fields(mistake, document):
        return "swapped_fields"
    likeness = _number_likeness if type(expected) is float is type(predicted) else _likeness
    return likeness(expected, predicted) or (
        "wrong_row" if mistake[3] and is_of_other_row(mistake, document) else "other"
    )


def _number_likeness(expected: float, predicted: float) -> Kind | None:
    """Ask as `_likeness` does, without looking up again what the values are: most mistakes are of two numbers."""
    if is_rescaled(expected, predicted):
        return "scale"
    if not is_no_part(expected, predicted) and is_truncated(expected, predicted):
        return "truncated"
    return "ocr" if is_number_misread(expected, predicted) else None


def _likeness(expected: Json, predicted: Json) -> Kind | None:
    if is_scale(expected, predicted):
        return "scale"
    if is_truncated(expected, predicted):
        return "truncated"
    return "ocr" if is_ocr(expected, predicted) else None


def _format_or_other(mistake: Mistake) -> Kind:
    """Return the kind where the values are the same, or one is neither a text nor a number."""
    return "format" if is_format(mistake.expected, mistake.predicted) else "other"
