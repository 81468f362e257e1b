"""The compared values that a question means, in its order: where each is, known from sums or from a few columns; rows
are read as they are asked for.

Wrong and accepted values come from the errors of fields, those of named documents from these, and all values from one
pass over the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.compare import Plan
from fieldwise.compare.explain import plan_rows
from fieldwise.error_kinds import KINDS
from fieldwise.errors import FieldwiseError, SettingError
from fieldwise.results import FieldMetrics, GroupMetrics, Metrics
from fieldwise.results.metrics import path_of
from fieldwise.results.questions import ValueQuestion
from fieldwise.runs.fields import chosen_fields, run_plan
from fieldwise.runs.names import COUNTS, WRONG, check_ids, checked_outcomes, in_slices, refuse_unknown
from fieldwise.runs.row_list import READ, ListedRow, in_order
from fieldwise.runs.run import Run
from fieldwise.tables.stored import Ints, Mask, dicts_of, names_of
from fieldwise.tables.stored_documents import DocumentTable
from fieldwise.tables.verdict_columns import ACCEPTED, OUTCOMES
from fieldwise.text import natural

Cell: TypeAlias = tuple[str, str]
"""A field and an outcome."""
_ROWS_AT_ONCE = 20_000
_DECIMALS = 4
"""Scores that people see the same are alike."""
_TEXTS = ("path", "predicted_path", "expected", "predicted")
"""What is searched for a text, beside the id of the document."""
_OUTCOMES: Mapping[str, Sequence[str]] = {
    "wrong": WRONG,
    "accepted": ("match",),
    "all": OUTCOMES,
}
"""The outcomes of each set of values, where none is named."""


@dataclass(frozen=True)
class _Chosen:
    """What a question names, where all names are known, and the fields and documents that they stand for."""

    question: ValueQuestion
    documents: DocumentTable
    fields: frozenset[str] | None
    """None are all."""
    outcomes: frozenset[str]
    in_slice: Mask | None
    """Of each document whether it is in one of the slices; None where none is named."""

    @classmethod
    def of(cls, run: Run, question: ValueQuestion) -> _Chosen:
        outcomes = frozenset(checked_outcomes(question.outcomes) or _OUTCOMES[question.set])
        kinds = ACCEPTED if question.set == "accepted" else KINDS
        refuse_unknown(question.kinds, kinds, "way of being accepted" if kinds is ACCEPTED else "kind")
        check_ids(run, question.documents)
        if run.metrics.classes:
            refuse_unknown(question.classes, tuple(run.metrics.classes), "class")
        names = chosen_fields(question.fields, run.metrics.fields, among=run.name)
        fields = frozenset(map(path_of, names)) if names else None
        return cls(question, run.documents(), fields, outcomes, in_slices(run, question.slices))

    @property
    def is_narrowed(self) -> bool:
        """Whether more than fields and outcomes are named."""
        asked = self.question
        return any((asked.kinds, asked.trial is not None, asked.sections, asked.classes, asked.slices, asked.find))

    @property
    def columns(self) -> list[str]:
        """The columns by which values are chosen, beside those that every reading of errors has."""
        asked = self.question
        by = {
            "kind": asked.kinds,
            "accepted": asked.kinds or asked.set == "accepted",
            "section": asked.sections,
            "class": asked.classes,
            "expected": asked.find,
            "predicted": asked.find,
        }
        return [column for column, is_asked in by.items() if is_asked]

    def rows(self, table: pa.Table, numbers: Ints) -> Ints:
        """Return the rows of a table that are meant, where each is of the document with its number."""
        asked, is_meant = self.question, names_of(table, "outcome").is_any(*self.outcomes)
        if self.fields is not None and "field" in table.column_names:
            is_meant &= names_of(table, "field").is_any(*self.fields)
        if asked.set == "accepted":
            is_meant &= np.asarray(table["accepted"].is_valid())
        if asked.kinds:
            is_meant &= names_of(table, "kind").is_any(*asked.kinds) | names_of(table, "accepted").is_any(*asked.kinds)
        if asked.sections:
            is_meant &= names_of(table, "section").is_any(*asked.sections)
        if asked.classes:
            is_meant &= names_of(table, "class").is_any(*asked.classes)
        if self.in_slice is not None:
            is_meant &= self.in_slice[numbers]
        if asked.trial is not None:
            is_meant &= self.documents.trials[numbers] == asked.trial
        if asked.find:
            says = contains(self.documents.ids, asked.find)[numbers]
            is_meant &= np.logical_or.reduce([says, *(contains(table[name], asked.find) for name in _TEXTS)])
        return np.flatnonzero(is_meant)


def contains(texts: Any, find: str) -> Mask:
    """Tell which texts contain one, whatever their letter case."""
    plain: Any = pc.utf8_lower(texts.cast(pa.string()))
    return np.asarray(pc.match_substring(plain, find.lower()).fill_null(False))


class ValueList:
    """Values in order. Each is a row of a group, the values of a field and outcome or of a document, read alone."""

    def __init__(self, groups: Ints, places: Ints, read: Callable[[int, int, int], pa.Table]) -> None:
        self._groups, self._places, self._read = groups, places, read

    def __len__(self) -> int:
        return len(self._groups)

    def start_of(self, cursor: str | None) -> int:
        """Return the place in the list at which a cursor stands."""
        if cursor is None:
            return 0
        group, _, place = cursor.partition(".")
        if group.isdecimal() and place.isdecimal():
            at = np.flatnonzero((self._groups == int(group)) & (self._places == int(place)))
            if len(at):
                return int(at[0])
        raise unknown_cursor(cursor)

    def cursor_at(self, place: int) -> str | None:
        """Return the cursor of a place in the list; None at its end."""
        return f"{self._groups[place]}.{self._places[place]}" if place < len(self) else None

    def rows(self, start: int = 0, stop: int | None = None) -> Iterator[ListedRow]:
        """Yield the rows from one place to another."""
        end = len(self) if stop is None else min(stop, len(self))
        for first in range(start, end, _ROWS_AT_ONCE):
            yield from map(ListedRow, dicts_of(self._table(slice(first, min(first + _ROWS_AT_ONCE, end)))))

    def _table(self, part: slice) -> pa.Table:
        groups, places = self._groups[part], self._places[part]
        tables, order = list[pa.Table](), list[Ints]()
        for group in np.unique(groups).tolist():
            rows = np.flatnonzero(groups == group)
            low, high = int(places[rows].min()), int(places[rows].max())
            tables.append(self._read(group, low, high + 1 - low).take(places[rows] - low))
            order.append(rows)
        whole: Any = pa.concat_tables(tables).unify_dictionaries()
        table: pa.Table = whole.take(np.argsort(np.concatenate(order)))
        return table


class AllValues:
    """All values of a run, one pass over its documents: nothing is known of a row before it is reached."""

    def __init__(self, run: Run, chosen: _Chosen) -> None:
        self._run, self._chosen = run, chosen
        self._size = _counted(run, chosen)

    def __len__(self) -> int:
        if self._size is None:
            columns = ["document", "field", "outcome", *self._chosen.columns]
            self._size = sum(len(table) for table in self._tables([*columns, *_TEXTS[:2]]))
        return self._size

    def start_of(self, cursor: str | None) -> int:
        """Return the place in the list at which a cursor stands."""
        if cursor is None or cursor.isdecimal():
            return int(cursor or 0)
        raise unknown_cursor(cursor)

    def cursor_at(self, place: int) -> str | None:
        """Return the cursor of a place in the list; None at its end."""
        return str(place) if place < len(self) else None

    def rows(self, start: int = 0, stop: int | None = None) -> Iterator[ListedRow]:
        """Yield the rows from one place to another."""
        tables = (table.take(in_order(table)) for table in self._tables(READ))
        parts = (table.slice(at, _ROWS_AT_ONCE) for table in tables for at in range(0, len(table), _ROWS_AT_ONCE))
        yield from islice((ListedRow(row) for part in parts for row in dicts_of(part)), start, stop)

    def _tables(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        for table in self._run.verdicts(columns=columns):
            yield table.take(self._chosen.rows(table, _numbers(table, self._chosen.documents)))


def _numbers(table: pa.Table, documents: DocumentTable) -> Ints:
    """Return the numbers of the documents of rows; of several trials, that of the first."""
    ids = pc.index_in(table["document"].cast(pa.string()), value_set=documents.ids.combine_chunks())
    numbers: Ints = np.asarray(ids).astype(np.int64)
    return numbers


def unknown_cursor(cursor: str) -> SettingError:
    """Return the refusal of a cursor that no page of a list gave."""
    return SettingError("This list has no such place", code="cursor.unknown", facts={"after": cursor})


def value_list(run: Run, question: ValueQuestion) -> ValueList | AllValues:
    """Return the values of a run that a question means, in its order; names that are not known are refused."""
    run.need_rows("Listing rows")
    if question.documents:
        return _of_documents(run, _Chosen.of(run, question))
    if question.set != "all":
        return errors_of(run, question)
    if question.order not in (None, "document"):
        raise SettingError(f"All values are listed by document, not by {question.order}")
    return AllValues(run, _Chosen.of(run, question))


def errors_of(run: Run, question: ValueQuestion, *, first: Mapping[Cell, int] | None = None) -> ValueList:
    """Return wrong or accepted values; ``first`` is how many of each field and outcome are wanted, all by default.

    Where fields and outcomes alone are named, sums say where the values are.
    """
    chosen, is_accepted = _Chosen.of(run, question), question.set == "accepted"
    sums = sums_by_path(run.metrics, question) or {}
    wanted = chosen.fields if first is None else frozenset(field for field, _ in first)
    fields = [name for name in run.fields() if (wanted is None or name in wanted) and sums.get(name) != 0]
    ranks = _ranks(run, chosen, fields)
    from_sums = not (is_accepted or chosen.is_narrowed or question.order in ("path", "document"))
    columns = [*chosen.columns, *(["raw_score"] if is_accepted else [])]
    cells, places, tables = list[Cell](), list[Ints](), list[pa.Table]()
    for field in sorted(fields, key=ranks.__getitem__) if from_sums else fields:
        counts, before = run.counts(field), 0
        whole = None if from_sums else run.errors(field, outcome="match" if is_accepted else "wrong", columns=columns)
        for outcome in _OUTCOMES[question.set]:
            size = len(whole) if is_accepted and whole is not None else _sum(counts, outcome)
            if size and outcome in chosen.outcomes and (first is None or (field, outcome) in first):
                most = size if first is None else first[field, outcome]
                rows = np.arange(min(size, most))
                if whole is not None:
                    part = whole.slice(before, size)
                    rows = chosen.rows(part, part["document"].to_numpy())[:most]
                    names = pa.DictionaryArray.from_arrays(np.zeros(len(rows), np.int32), pa.array([field]))
                    tables.append(part.take(rows).append_column("field", names))
                cells.append((field, outcome))
                places.append(rows)
            before += size
    groups = np.repeat(np.arange(len(cells)), [len(part) for part in places])
    rows = np.concatenate([np.zeros(0, np.int64), *places])
    if tables:
        table = pa.concat_tables(tables).unify_dictionaries()
        at = _in_order(chosen, table, table["document"].to_numpy(), ranks)
        groups, rows = groups[at], rows[at]

    def read(group: int, after: int, first: int) -> pa.Table:
        field, outcome = cells[group]
        columns = [name for name in READ if name not in ("document", "trial", "field")]
        rows = run.errors(field, outcome=outcome, first=first, after=after, columns=columns)
        numbers = rows["document"].to_numpy()
        listed = {
            "document": chosen.documents.ids.take(numbers),
            "trial": pa.array(chosen.documents.trials[numbers]),
            "field": pa.array([field] * len(rows), pa.string()),
        }
        whole: Any = {name: listed[name] if name in listed else rows[name] for name in READ}
        return pa.table(whole)

    return ValueList(groups, rows, read)


def _sum(counts: pa.Table, outcome: str) -> int:
    return int(counts[COUNTS[outcome]].to_numpy().sum())


def _counted(run: Run, chosen: _Chosen) -> int | None:
    """Return how many of all values are meant, from the counts of documents; None where these do not tell."""
    asked = chosen.question
    if asked.set == "accepted" or any((asked.kinds, asked.sections, asked.classes, asked.find)):
        return None
    of = np.ones(len(chosen.documents.ids), bool) if chosen.in_slice is None else chosen.in_slice
    if asked.trial is not None:
        of = of & (chosen.documents.trials == asked.trial)
    if asked.documents:
        of = of & np.asarray(pc.is_in(chosen.documents.ids, value_set=pa.array(asked.documents, pa.string())))
    if chosen.fields is None:
        cells = [OUTCOMES.index(outcome) for outcome in chosen.outcomes]
        return int(chosen.documents.counts[of][:, cells].sum())
    tables = [run.counts(field) for field in chosen.fields.intersection(run.fields())]
    meant = [table.filter(pa.array(of[table["document"].to_numpy()])) for table in tables]
    return sum(_sum(table, outcome) for table in meant for outcome in chosen.outcomes)


def _of_documents(run: Run, chosen: _Chosen) -> ValueList:
    """Return values of some documents, each of which is read whole."""
    documents, asked = chosen.documents, chosen.question
    ids = documents.ids.to_pylist()
    names = [name for name in dict.fromkeys(ids) if name in asked.documents]
    tables = [run.verdicts(document=name, columns=READ).to_arrow() for name in names]
    tables = [table.take(in_order(table)) for table in tables]
    places = []
    whole: list[pa.Table] = []
    numbers: list[Ints] = []
    for name, table in zip(names, tables, strict=True):
        trials = {int(documents.trials[number]): number for number, other in enumerate(ids) if other == name}
        of_rows = np.array([trials[trial] for trial in table["trial"].to_numpy().tolist()], np.int64)
        rows = chosen.rows(table, of_rows)
        places.append(rows)
        whole.append(table.take(rows))
        numbers.append(of_rows[rows])
    groups = np.repeat(np.arange(len(names)), [len(part) for part in places])
    found = np.concatenate(places)
    if asked.set != "all" or asked.order is not None:
        table = pa.concat_tables(whole).unify_dictionaries()
        ranks = _ranks(run, chosen, names_of(table, "field").names)
        at = _in_order(chosen, table, np.concatenate(numbers), ranks)
        groups, found = groups[at], found[at]
    return ValueList(groups, found, lambda group, after, first: tables[group].slice(after, first))


def _ranks(run: Run, chosen: _Chosen, fields: Iterable[str]) -> dict[str, int]:
    """Return the places of fields in the order that is asked for: those that lose most come first, or by name."""
    lost = lost_points(run, chosen.question) if (chosen.question.order or "worst") == "worst" else {}
    ordered = sorted(fields, key=lambda name: (-lost.get(name, 0.0), name))
    return {name: rank for rank, name in enumerate(ordered)}


def _in_order(chosen: _Chosen, table: pa.Table, numbers: Ints, ranks: Mapping[str, int]) -> Ints:
    """Return in which order the rows of a table stand; equals stay as they are."""
    order = chosen.question.order or "worst"
    if order == "document":
        documents = np.unique(numbers)
        ids, trials = chosen.documents.ids.take(documents).to_pylist(), chosen.documents.trials[documents].tolist()
        keys = [(natural(name), trial) for name, trial in zip(ids, trials, strict=True)]
        by_number = sorted(range(len(documents)), key=keys.__getitem__)
        return np.argsort(np.argsort(by_number)[np.searchsorted(documents, numbers)], kind="stable")
    if order == "path":
        places: Any = pc.coalesce(*(table[name].cast(pa.string()) for name in ("path", "predicted_path", "field")))
        return _by_name(places, natural)
    if order == "worst" and chosen.question.set == "accepted":
        scores = [round(score, _DECIMALS) for score in table["raw_score"].to_numpy().tolist()]
        return np.argsort(np.array(scores, np.float64), kind="stable")
    return _by_name(table["field"], ranks.__getitem__)


def _by_name(names: Any, key: Callable[[str], Any]) -> Ints:
    """Return the stable order of rows by what a key makes of their names."""
    coded = names_of(pa.table({"name": names}), "name")
    by_key = sorted(range(len(coded.names)), key=lambda code: key(coded.names[code]))
    return np.argsort(np.argsort(by_key)[coded.codes], kind="stable") if by_key else np.zeros(0, np.int64)


_WEIGHTS: WeakKeyDictionary[Run, dict[str | None, dict[str, float]]] = WeakKeyDictionary()
"""The weights of runs that were asked: reading a spec takes longer than a page of values."""


def weights_of(run: Run, document_class: str | None = None) -> dict[str, float]:
    """Return the weight of each path; those of a class come before those of all. Without a spec, none is known."""
    by_class = _WEIGHTS.setdefault(run, {})
    if document_class not in by_class:
        by_class[document_class] = _weights(run, document_class)
    return by_class[document_class]


def _weights(run: Run, document_class: str | None) -> dict[str, float]:
    try:
        plan = run_plan(run)
    except FieldwiseError:
        return {}
    spec = plan.spec.classes.get(document_class) if document_class is not None else None
    plans = [plan] if spec is None else [plan, Plan.compile(spec, extras=plan.spec.extras, beside=plan)]
    weights = [{row.path: float(row.weight) for row in reversed(list(plan_rows(each.root)))} for each in plans]
    return {path: weight for of in weights for path, weight in of.items()}


def lost_points(run: Run, question: ValueQuestion) -> dict[str, float]:
    """Return what errors cost at each path, weight times wrong values, in the class or slice that is meant."""
    is_one = len(question.classes) + len(question.slices) == 1
    weights = weights_of(run, question.classes[0] if is_one and question.classes else None)
    group = group_of(run.metrics, question)
    lost: dict[str, float] = {}
    for key, row in (run.metrics if group is None else group).fields.items():
        wrong = row.fd + row.fa + row.fn if is_leaf(row) else 0
        path = path_of(key)
        lost[path] = lost.get(path, 0.0) + weights.get(path, 1.0) * wrong
    return lost


def is_leaf(row: FieldMetrics) -> bool:
    """Tell whether a row counts values, not rows of a list or an object as one."""
    return row.scope in ("values", "undeclared")


def group_of(metrics: Metrics, question: ValueQuestion) -> Metrics | GroupMetrics | None:
    """Return what is counted of all documents, of the one class or of the one slice that is meant; None of others."""
    if len(question.classes) + len(question.slices) > 1:
        return None
    if question.classes:
        return (metrics.classes or {}).get(question.classes[0])
    if not question.slices:
        return metrics
    of = (metrics.slices or {}).get(question.slices[0].key)
    value = question.slices[0].value
    return None if of is None else of.missing if value is None else of.values.get(value)


def total_of(run: Run, question: ValueQuestion) -> int | None:
    """Return how many values are meant, from sums alone; None where these do not tell."""
    if question.documents:
        return None if question.fields else _counted(run, _Chosen.of(run, question))
    if question.find or question.sections or question.trial is not None:
        return None
    sums = sums_by_path(run.metrics, question)
    names = frozenset(map(path_of, chosen_fields(question.fields, run.metrics.fields, among=run.name)))
    return None if sums is None else sum(n for path, n in sums.items() if not names or path in names)


def sums_by_path(metrics: Metrics, question: ValueQuestion) -> dict[str, int] | None:
    """Return how many values of each path are of the set, outcomes, kinds, class and slice; None where sums don't tell.

    Of several trials each counts.
    """
    group = group_of(metrics, question)
    if group is None:
        return None
    rows = {path_of(key): row for key, row in group.fields.items() if is_leaf(row)}
    if question.kinds and question.set != "accepted":
        if metrics.error_kinds is None or group is not metrics or question.outcomes:
            return None
        by_kind: dict[str, dict[Any, int]] = {path: metrics.error_kinds.fields.get(path, {}) for path in rows}
        return {path: sum(of.get(kind, 0) for kind in question.kinds) for path, of in by_kind.items()}
    if question.set == "accepted":
        counts: Sequence[str] = question.kinds or ACCEPTED
    else:
        outcomes = checked_outcomes(question.outcomes) or _OUTCOMES[question.set]
        counts = [COUNTS[outcome] for outcome in dict.fromkeys(outcomes)]
    return {path: sum(int(getattr(row, count)) for count in counts) for path, row in rows.items()}
