"""Documents in memory as pairs: tuples, dicts, lists, models, data frames; the only place that knows data frames.

No library of data frames is imported: a frame is known by what it can do.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from fieldwise.errors import InputError, SettingError, closest, nearest, quoted
from fieldwise.readers.envelopes import ID_KEYS, SIDE_KEYS, SIDES, Side, first_key, id_text
from fieldwise.readers.json_text import parse_json
from fieldwise.spec.paths import steps_of
from fieldwise.values import Json, is_object, opened, plain, scalar

PairLike = tuple[str, Json, Json] | Mapping[str, Json]
"""``(id, expected, predicted)``, or a mapping with these keys, and ``alternates`` or ``metadata`` if there are any."""


class FrameLike(Protocol):
    """A data frame of pandas or polars, or a table of Arrow."""

    @property
    def columns(self) -> Any: ...


InMemory = Iterable[Json] | FrameLike
"""Pairs, or the documents of one side: a mapping by id, a list, a series, a data frame."""
Envelope = Mapping[str, Json]
"""An id, and what there is of the two documents."""
_MAX_NAMES = 8


@dataclass(frozen=True)
class Frame:
    """A data frame: the names of its columns, its rows, and a label for each row where it has more than numbers."""

    columns: list[str]
    rows: list[tuple[Json, ...]]
    labels: list[Json] | None

    def column(self, name: str) -> list[Json]:
        """Return the cells of a column."""
        at = self.columns.index(name)
        return [row[at] for row in self.rows]


@dataclass(frozen=True)
class Documents:
    """One side: its documents, and an id for each; None where they are known by their positions."""

    documents: Sequence[Json]
    ids: Sequence[str] | None


def one_input(given: InMemory, id_column: str | None) -> Iterator[Envelope]:
    """Return the pairs of an iterable of pairs, or of a data frame with a column for each side."""
    frame = _frame(given)
    if frame is not None:
        return _frame_pairs(frame, id_column)
    if isinstance(given, Mapping) or _has_labels(given) or not isinstance(given, Iterable):
        raise InputError(
            f"Expected pairs of documents, got {_named(given)} alone",
            code="input.no_pairs",
            facts={"got": _named(given)},
            advice="give the expected documents, and the predicted ones as predicted=…",
        )
    return (_envelope(pair, number, id_column) for number, pair in enumerate(given))


def two_inputs(expected: InMemory, predicted: InMemory, id_column: str | None) -> Iterator[Envelope]:
    """Return the pairs of two dicts by id, or of two lists or data frames, matched by an id or by position.

    Documents with the same id are trials: the first of one side goes with the first of the other, and so on.
    """
    left, right = _side(expected, "expected", id_column), _side(predicted, "predicted", id_column)
    if left.ids is None or right.ids is None:
        _check_positions(left, right, (_named(expected), _named(predicted)))
    if not left.documents and not right.documents:
        raise InputError("No documents: both sides are empty", code="input.no_documents")
    return _joined(left, right)


def _frame(given: Any) -> Frame | None:
    """Return a data frame of pandas, of polars, or a table of Arrow, as rows of Python values."""
    columns = getattr(given, "column_names", None) or getattr(given, "columns", None)
    if columns is None or callable(columns):
        return None
    if hasattr(given, "itertuples"):  # pandas
        return _checked_frame(columns, given.itertuples(index=False, name=None), _labels(given.index))
    if hasattr(given, "iter_rows"):  # polars
        return _checked_frame(columns, given.iter_rows(), None)
    if hasattr(given, "to_pylist"):  # Arrow
        return _checked_frame(columns, zip(*(column.to_pylist() for column in given.itercolumns()), strict=True), None)
    return None


def _checked_frame(columns: Iterable[Any], rows: Iterable[tuple[Json, ...]], labels: list[Json] | None) -> Frame:
    names = [str(name) for name in columns]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise InputError(
                f"Expected every column of a data frame once, got {quoted(name)} twice",
                code="input.wrong_format",
                facts={"columns": names, "got": name},
            )
    return Frame(names, list(rows), labels)


def _labels(index: Any) -> list[Json] | None:
    """Return the labels of an index; None of one that only counts the rows from 0 on."""
    counts = type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)
    return None if counts else list(index)


def _has_labels(given: Any) -> bool:
    """Tell whether an object is a series: values with an index."""
    return hasattr(given, "index") and not callable(given.index) and hasattr(given, "dtype")


def _named(given: Any) -> str:
    return f"a {type(given).__name__}"


# Pairs in one input


def _envelope(pair: Any, number: int, id_column: str | None) -> Envelope:
    if isinstance(pair, Mapping) and any(first_key(pair, keys) for keys in SIDE_KEYS.values()):
        if id_column is None:
            return pair
        beside = {key: value for key, value in pair.items() if key != "id"}
        return {"id": _id_in(pair, id_column, f"pairs[{number}]")} | beside
    if isinstance(pair, tuple | list) and len(pair) == 3 and id_column is None:
        return dict(zip(("id", *SIDES), pair, strict=True))
    shape = f"the keys {_some(pair)}" if isinstance(pair, Mapping) else _named(pair)
    raise InputError(
        f"Expected (id, expected, predicted), or a dict with these keys, got {shape} - at pairs[{number}]",
        code="input.no_pairs",
        facts={"pair": number, "got": shape},
        advice="give expected and predicted documents apart, the second ones as predicted=…"
        * isinstance(pair, Mapping),
    )


def _frame_pairs(frame: Frame, id_column: str | None) -> Iterator[Envelope]:
    named = {str(side): _side_column(frame, side) for side in SIDES}
    named |= {name: name for name in ("alternates", "metadata") if name in frame.columns}
    ids = _frame_ids(frame, id_column or first_key(dict.fromkeys(frame.columns), ID_KEYS), "the data frame")
    names = ids if ids is not None else [str(number) for number in range(len(frame.rows))]
    cells = {key: frame.column(name) for key, name in named.items()}
    return (
        {"id": name} | {key: _document(column[at]) for key, column in cells.items() if not _is_empty(column[at])}
        for at, name in enumerate(names)
    )


def _side_column(frame: Frame, side: Side) -> str:
    found = first_key(dict.fromkeys(frame.columns), SIDE_KEYS[side])
    if found is not None:
        return found
    near = closest(side, frame.columns)
    raise InputError(
        f"Expected the columns 'expected' and 'predicted' in the data frame, got {_some(frame.columns)}",
        code="input.missing_column",
        facts={"columns": frame.columns, "expected": side, "nearest": near},
        advice=f"call {quoted(near)} {side}"
        if near is not None
        else "where its columns are fields, give the predicted ones as predicted=…",
    )


# The two sides apart


def _side(given: Any, side: Side, id_column: str | None) -> Documents:
    frame = _frame(given)
    if frame is not None:
        return Documents(_rows(frame, id_column), _frame_ids(frame, id_column, f"the {side} data frame"))
    if _has_labels(given):
        labels, documents = _labels(given.index), [None if _is_empty(cell) else _document(cell) for cell in given]
    elif isinstance(given, Mapping):
        labels, documents = list(given), list(map(_document, given.values()))
    elif isinstance(given, Iterable) and not (isinstance(given, str | bytes) or is_object(given)):
        labels, documents = None, list(map(_document, given))
    else:
        raise InputError(
            f"Expected a dict of documents by id, a list of documents or a data frame, got {_named(given)} - as {side}",
            code="input.wrong_type",
            facts={"got": _named(given), "side": side},
        )
    if id_column is not None:
        ids = [_id_in(document, id_column, f"{side}[{at}]") for at, document in enumerate(documents)]
        return Documents(documents, ids)
    return Documents(documents, None if labels is None else [_id(label, f"in the keys of {side}") for label in labels])


def _rows(frame: Frame, id_column: str | None) -> list[Json]:
    """Return rows as documents; ``seller.name`` is a column of nested values, a cell without a value is left out."""
    names = [(name,) if name == id_column else _steps(name) for name in frame.columns]
    _check_nesting(frame.columns, names)
    return [_nested(names, row) for row in frame.rows]


def _steps(column: str) -> tuple[str, ...]:
    try:
        steps = steps_of(column)
    except SettingError:
        steps = ()
    names = tuple(step for step in steps if isinstance(step, str))
    if not names or len(names) < len(steps):
        raise InputError(
            f"Expected the path of a field such as seller.name as the name of a column, got {quoted(column)}",
            code="input.wrong_format",
            facts={"got": column},
        )
    return names


def _check_nesting(columns: Sequence[str], names: Sequence[tuple[str, ...]]) -> None:
    whole = dict(zip(names, columns, strict=True))
    for steps, column in zip(names, columns, strict=True):
        for length in range(1, len(steps)):
            if steps[:length] in whole:
                raise InputError(
                    f"The data frame has the columns {quoted(whole[steps[:length]])} and {quoted(column)},"
                    " which cannot both be",
                    code="input.wrong_format",
                    facts={"columns": [whole[steps[:length]], column]},
                )


def _nested(names: Sequence[tuple[str, ...]], row: tuple[Json, ...]) -> dict[str, Json]:
    document: dict[str, Json] = {}
    for steps, cell in zip(names, row, strict=True):
        if not _is_empty(cell):
            into = document
            for step in steps[:-1]:
                into = into.setdefault(step, {})
            into[steps[-1]] = cell
    return document


def _is_empty(cell: Json) -> bool:
    """Tell whether a cell of a data frame has no value: None, NaN, NaT or NA."""
    return opened(cell) is None and scalar(cell) is None


def _document(given: Json) -> Json:
    """Return a document; an object or a list that is given as JSON text is read."""
    if type(given) is str and given.lstrip()[:1] in ("{", "["):
        try:
            return parse_json(given.encode("utf-8", "surrogatepass"), "a document")
        except InputError:
            return given  # a prediction in which there is JSON is read later, and noted
    if isinstance(given, Path):
        raise InputError(
            f"Expected a document, got the path {given}",
            code="input.wrong_type",
            facts={"file": given},
            advice="open_pairs reads files",
        )
    return given


# Ids


def _frame_ids(frame: Frame, column: str | None, what: str) -> list[str] | None:
    if column is None:
        return None if frame.labels is None else [_id(label, f"in the index of {what}") for label in frame.labels]
    if column not in frame.columns:
        raise InputError(
            f"Expected the column {quoted(column)} in {what}, got {_some(frame.columns)}"
            + nearest(column, frame.columns),
            code="input.missing_column",
            facts={"columns": frame.columns, "expected": column, "nearest": closest(column, frame.columns)},
        )
    return [_id(cell, f"in row {at} of the column {quoted(column)}") for at, cell in enumerate(frame.column(column))]


def _id_in(document: Json, key: str, place: str) -> str:
    parts = opened(document)
    if not isinstance(parts, dict):
        raise InputError(
            f"Expected a document with the key {quoted(key)}, got {_named(document)} - at {place}",
            code="input.no_id",
            facts={"expected": key, "got": _named(document), "place": place},
        )
    if key not in parts:
        raise InputError(
            f"Expected the key {quoted(key)} in every document, got {_some(parts)} - at {place}{nearest(key, parts)}",
            code="input.no_id",
            facts={"expected": key, "got": list(parts), "nearest": closest(key, parts), "place": place},
        )
    return _id(parts[key], f"at {place}.{key}")


def _id(value: Json, place: str) -> str:
    """Return an id as text. A whole number is the same id in a column of integers and in one of floats."""
    made = plain(value)
    text = id_text(int(made) if type(made) is float and made.is_integer() else made)
    if text is None or text.isspace():
        raise InputError(
            f"Expected a text or a number as the id, got {value!r} - {place}",
            code="input.no_id",
            facts={"got": value, "place": place},
            advice="leave out what has no id, or name another column or key as id_column",
        )
    return text


def _some(names: Iterable[Any]) -> str:
    listed = [quoted(str(name)) for name in names]
    more = f" and {len(listed) - _MAX_NAMES} more" if len(listed) > _MAX_NAMES else ""
    return ", ".join(listed[:_MAX_NAMES]) + more if listed else "none"


# Matching


def _check_positions(left: Documents, right: Documents, forms: tuple[str, str]) -> None:
    """Refuse what cannot be matched by position: ids on one side, other lengths, the same ids in another order."""
    if left.ids is not None or right.ids is not None:
        has_ids, has_none = forms if right.ids is None else forms[::-1]
        raise InputError(
            f"Expected ids on both sides or on neither, got {has_ids} with ids and {has_none} without",
            code="input.different_formats",
            facts={"expected": forms[0], "predicted": forms[1]},
            advice="name the key or column that holds them as id_column",
        )
    counts = len(left.documents), len(right.documents)
    if counts[0] != counts[1]:
        raise InputError(
            f"Expected as many predicted documents as expected ones, got {counts[1]:,} and {counts[0]:,}",
            code="input.different_lengths",
            facts={"expected": counts[0], "predicted": counts[1]},
            advice="name the key or column that holds their ids as id_column, or give dicts of documents by id",
        )
    for key in ID_KEYS:
        ids = [[_visible_id(document, key) for document in side.documents] for side in (left, right)]
        if None not in ids[0] and ids[0] != ids[1] and sorted(map(str, ids[0])) == sorted(map(str, ids[1])):
            raise InputError(
                f"Documents have the same values under {quoted(key)} in another order on the other side",
                code="input.different_formats",
                facts={"key": key},
                advice=f"match by them: id_column={key!r}",
            )


def _visible_id(document: Json, key: str) -> str | None:
    return id_text(document.get(key)) if isinstance(document, dict) else None


def _joined(left: Documents, right: Documents) -> Iterator[Envelope]:
    waiting: dict[str, deque[Json]] = {}
    for name, document in zip(_ids(right), right.documents, strict=True):
        waiting.setdefault(name, deque()).append(document)
    for name, document in zip(_ids(left), left.documents, strict=True):
        partners = waiting.get(name)
        yield {"id": name, "expected": document} | ({"predicted": partners.popleft()} if partners else {})
    for name, rest in waiting.items():
        yield from ({"id": name, "predicted": document} for document in rest)


def _ids(side: Documents) -> Sequence[str]:
    return [str(number) for number in range(len(side.documents))] if side.ids is None else side.ids
