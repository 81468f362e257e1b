"""Values of other places of a document: kinds ``wrong_row`` and ``swapped_fields``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from fieldwise.spec import steps_of
from fieldwise.values import Json

_TELLING_LETTERS = 5
_FEW = 8
"""The mistakes up to which a document is searched anew for each; beyond, its values are gathered once."""
SCALARS = frozenset({str, int, float})


class Mistake(NamedTuple):
    """Two values that differ, and where: the path of the field, and that of the innermost list item around it.

    ``row`` is empty outside of lists. ``row_rejected``: the value is right, and its row as a whole was rejected.
    """

    field: str
    expected: Json
    predicted: Json
    row: str = ""
    row_rejected: bool = False


class Document:
    """An expected document and all mistakes in it; what they are asked for is gathered once, when it is asked for."""

    _exchanges: frozenset[Hashable] | None = None
    _outside: frozenset[Json] | None = None
    _columns: dict[str, Counter[Json]] | None = None

    def __init__(self, expected: Json, mistakes: Sequence[Mistake]) -> None:
        self._expected = expected
        self.mistakes = mistakes

    def has_opposite(self, mistake: Mistake, where: str) -> bool:
        """Return whether at a place, a row or a field, another mistake has the two values the other way round."""
        if type(mistake[1]) not in SCALARS or type(mistake[2]) not in SCALARS:
            return False
        if self._exchanges is None:
            scalar = [m for m in self.mistakes if type(m[1]) in SCALARS and type(m[2]) in SCALARS and not m[4]]
            in_rows = ((f"{m.field}[]", m.expected, m.predicted) for m in scalar if m.row)
            self._exchanges = frozenset([*((m.row, m.expected, m.predicted) for m in scalar), *in_rows])
        return (where, mistake.predicted, mistake.expected) in self._exchanges

    def holds(self, value: Json, row: str) -> bool:
        """Return whether a scalar stands outside of lists, or in a row."""
        if row and stands_in(_at(self._expected, row), value):
            return True
        if len(self.mistakes) <= _FEW:
            return stands_in(self._expected, value)
        if self._outside is None:
            values = (v for item in _objects(self._expected) for v in item.values())
            self._outside = frozenset(v for v in values if type(v) in SCALARS)
        return value in self._outside

    def column(self, field: str) -> Counter[Json]:
        """Return how often each value stands in a field of list items."""
        if self._columns is None:
            self._columns = {}
        if field not in self._columns:
            values = _values_at(self._expected, field)
            self._columns[field] = Counter(value for value in values if type(value) in SCALARS)
        return self._columns[field]


def is_wrong_row(mistake: Mistake, document: Document) -> bool:
    """Return whether the value is that of another row: two rows have each other's, or it is telling and is there."""
    if not mistake.row:
        return False
    if document.has_opposite(mistake, f"{mistake.field}[]"):
        return True
    return is_telling(mistake.predicted) and is_of_other_row(mistake, document)


def is_of_other_row(mistake: Mistake, document: Document) -> bool:
    """Return whether the predicted value stands in the same field of another row: in one, or in at most half of them.

    A value that most rows have, such as a quantity of 1 or a unit, says nothing about where it came from.
    """
    if not mistake.row or type(mistake.predicted) not in SCALARS:
        return False
    column = document.column(mistake.field)
    held = column.get(mistake.predicted, 0)
    return held == 1 or 0 < 2 * held < column.total()


def is_swapped_fields(mistake: Mistake, document: Document) -> bool:
    """Return whether the value is that of another field: two have each other's, or it is telling and stands there.

    The other field is one of the same row, or one outside of lists.
    """
    if len(document.mistakes) > 1 and document.has_opposite(mistake, mistake.row):
        return True
    return is_telling(mistake.predicted) and document.holds(mistake.predicted, mistake.row)


def is_telling(value: Json) -> bool:
    """Return whether a value is unlikely to stand in two places by chance: five characters, or three digits.

    >>> [is_telling(value) for value in ("PAP-0801", "EUR", 12.99, 240, 2.0, True)]
    [True, False, True, True, False, False]
    """
    kind = type(value)
    if kind is str:
        return len(value) >= _TELLING_LETTERS
    if kind is not float and kind is not int:
        return False
    if not -100 < value < 100:
        return bool(value == value)
    if kind is int:
        return False
    size = abs(value)
    return not (value if size >= 10 else value * 10 if size >= 1 else value * 100).is_integer()


def _at(document: Json, path: str) -> Json:
    for step in steps_of(path):
        if isinstance(step, int):
            document = document[step] if type(document) is list and step < len(document) else None
        else:
            document = document.get(step) if type(document) is dict else None
    return document


def stands_in(document: Json, value: Json) -> bool:
    """Return whether a scalar stands in an object or in those inside it, but for lists."""
    todo = [document] if type(document) is dict else []
    while todo:
        values = todo.pop().values()
        if value in values:
            return True
        if dict in map(type, values):
            todo.extend([inner for inner in values if type(inner) is dict])
    return False


def _objects(document: Json) -> Iterator[dict[str, Json]]:
    """Yield an object and those inside it, but for lists."""
    todo = [document] if type(document) is dict else []
    while todo:
        item = todo.pop()
        yield item
        todo.extend([value for value in item.values() if type(value) is dict])


def _values_at(document: Json, field: str) -> list[Json]:
    """Return the values of a field in all items of the lists on its way."""
    found = _flat([document])
    for step in steps_of(field):
        found = _flat([item[step] for item in found if type(item) is dict and step in item])
    return found


def _flat(values: list[Json]) -> list[Json]:
    """Return values with the items of lists in their place, in any order."""
    flat = []
    while values:
        value = values.pop()
        if type(value) is list:
            values.extend(value)
        else:
            flat.append(value)
    return flat
