"""Which values are right in one of two runs only.

They are found in the errors of both runs: what is wrong in one of them and not in the other. Where that does not say
enough, all values of the document are read: where a trial of it failed, and where the runs expect other values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.results.difference import Direction, Flip, FlipCounts, Flips
from fieldwise.runs.flip_values import EXPECTED_ROWS, Flipped, kept_errors, with_sections, with_values
from fieldwise.runs.pairing import EXPECTED, MATCH, MISMATCH, MISSED, PairedRuns, Side, Tables
from fieldwise.stats.count_tables import Floats, TrialCounts
from fieldwise.tables.stored import Ints, Mask, names_of, times_before

MAX_FLIPS = 1000
_NOTHING = -1
_SLACK = 1e-9
_VALUE = ("predicted", "predicted_sha256", "predicted_is_json")


class _Errors(NamedTuple):
    """The errors of a field in one run, of paired documents."""

    documents: Ints
    trials: Ints
    paths: Ints
    wrong: Mask
    """Which were expected, and are mismatched or missed."""
    invented: Mask
    values: Ints
    """A number for the predicted value."""


class _Places(NamedTuple):
    """Places in one run: a key for each, rising, its first row, and in what share of trials it is right."""

    keys: Ints
    rows: Ints
    right: Floats

    def at(self, which: Mask | Ints) -> _Places:
        return _Places(self.keys[which], self.rows[which], self.right[which])


class _Changed(NamedTuple):
    """Places whose share of right trials changed by half or more: their rows and shares in base and candidate."""

    direction: Direction
    keys: Ints
    rows: Ints
    shares: Floats

    def at(self, which: Ints | slice) -> _Changed:
        return _Changed(self.direction, self.keys[which], self.rows[which], self.shares[which])


_Make: TypeAlias = Callable[[int, tuple[int, int], tuple[float, float]], Flipped]
"""Makes a flip of a key, its rows and its shares."""


@dataclass
class _Group:
    """The flips of a field in one direction: how many, and the first of them, which are made when they are shown."""

    count: int = 0
    first: list[tuple[_Changed, _Make]] = field(default_factory=list)

    def flips(self) -> Iterator[Flipped]:
        for changed, make in self.first:
            columns = changed.keys.tolist(), changed.rows.tolist(), changed.shares.tolist()
            for key, (base, candidate), (before, after) in zip(*columns, strict=True):
                yield make(key, (base, candidate), (before, after))


def find_flips(runs: PairedRuns, most: int = MAX_FLIPS) -> Flips:
    """Return the values that are right in one run only.

    A place is a path of the expected document. What was invented is known by its field and value, wherever it is, and
    flips where one run has it more often than the other. Where documents have several trials, a value flips where the
    share of trials in which it is right changed by half or more.
    """
    finder = FlipFinder(runs, most)
    for path, tables in runs.fields.each():
        finder.add(path, tables)
    return finder.flips()


class FlipFinder:
    """Finds the flips of two runs, one field after the other."""

    def __init__(self, runs: PairedRuns, most: int = MAX_FLIPS) -> None:
        self._runs, self._most = runs, most
        self._trials = [side.trials.by_document for side in runs.sides]
        self._failed = runs.sides[0].failed | runs.sides[1].failed
        less = [side.trials.counted < trials for side, trials in zip(runs.sides, self._trials, strict=True)]
        self._partly = less[0] | less[1]
        """Documents of which a trial failed: errors don't say what is right in the others."""
        self._groups: dict[tuple[str, Direction], _Group] = {}
        self._waiting: dict[str, Ints] = {}
        """Of each field the documents whose values are all to be looked at."""

    def add(self, path: str, tables: Tables) -> None:
        """Look at the errors of a field, given its counts."""
        errors, paths = self._errors(path)
        is_open = self._partly | self._runs.other_truth | _expects_other(tables)
        self._add_expected(path, errors, paths, is_open)
        self._add_invented(path, errors, paths)
        touched = self._partly.copy()
        if touched.any():
            touched &= tables[0].any(axis=1) | tables[1].any(axis=1)
        for own in errors:
            touched[own.documents[own.wrong]] = True
        if (is_open & touched).any():
            self._waiting[path] = np.flatnonzero(is_open & touched)

    def _errors(self, path: str) -> tuple[list[_Errors], list[str]]:
        """Return the errors of both runs, in which a path and a value have the same number, and the paths."""
        tables = [kept_errors(side, path, _VALUE) for side in self._runs.sides]
        paths, path_names = _coded([pc.coalesce(table["path"], table["predicted_path"]) for table in tables])
        order = np.argsort(np.array(path_names, object), kind="stable")
        ranks = np.argsort(order)
        values, _ = _coded([pc.coalesce(table["predicted_sha256"], table["predicted"]) for table in tables])
        made = []
        for side, table, places, own in zip(self._runs.sides, tables, paths, values, strict=True):
            outcomes, numbers = names_of(table, "outcome"), table["document"].to_numpy()
            form = np.asarray(table["predicted_is_json"]) * 2 + np.asarray(table["predicted_sha256"].is_valid())
            wrong, invented = outcomes.is_any("mismatch", "missed"), outcomes.is_any("spurious")
            where = side.places[numbers], side.numbers[numbers], ranks[places]
            made.append(_Errors(*where, wrong, invented, own * 4 + form))
        return made, [path_names[at] for at in order.tolist()]

    def _add_expected(self, path: str, errors: Sequence[_Errors], paths: Sequence[str], is_open: Mask) -> None:
        size, sides = len(paths), []
        for own, trials in zip(errors, self._trials, strict=True):
            rows = np.flatnonzero(own.wrong & ~is_open[own.documents])
            keys = own.documents[rows] * size + own.paths[rows]
            found, first, times = np.unique(keys, return_index=True, return_counts=True)
            of = trials[found // size]
            sides.append(_Places(found, rows[first], (of - times) / of))
        for changed in _changed(sides, absent=1.0):
            self._note(path, changed, lambda key, _, shares: Flipped(key // size, paths[key % size], shares))

    def _add_invented(self, path: str, errors: Sequence[_Errors], paths: Sequence[str]) -> None:
        """Compare how often a document has a value: its k-th time in a trial of one run with that of the other."""
        size, last = (1 + max(int(own[at].max(initial=0)) for own in errors) for at in (5, 1))
        rows = [np.flatnonzero(own.invented & ~self._failed[own.documents]) for own in errors]
        pairs = [own.documents[at] * size + own.values[at] for own, at in zip(errors, rows, strict=True)]
        turns = [times_before(pair * last + own.trials[at]) for own, at, pair in zip(errors, rows, pairs, strict=True)]
        most, sides = 1 + max(int(turn.max(initial=0)) for turn in turns), []
        for at, pair, turn, trials in zip(rows, pairs, turns, self._trials, strict=True):
            found, first, times = np.unique(pair * most + turn, return_index=True, return_counts=True)
            of = trials[found // (most * size)]
            sides.append(_Places(found, at[first], (of - times) / of))
        own_paths = [own.paths for own in errors]

        def make(key: int, at: tuple[int, int], shares: tuple[float, float]) -> Flipped:
            run = 0 if at[0] >= 0 else 1
            return Flipped(key // (most * size), paths[own_paths[run][at[run]]], shares, at)

        for changed in _changed(sides, absent=1.0):
            self._note(path, changed, make)

    def _note(self, path: str, changed: _Changed, make: _Make) -> None:
        if len(changed.keys):
            group = self._groups.setdefault((path, changed.direction), _Group())
            group.count += len(changed.keys)
            group.first.append((changed.at(slice(self._most)), make))

    def flips(self) -> Flips:
        """Return what was found in all fields."""
        if self._waiting:
            self._look_at_waiting()
        counts = {key: group.count for key, group in self._groups.items()}
        fields = {
            path: FlipCounts(counts.get((path, "fixed"), 0), counts.get((path, "broken"), 0))
            for path in dict.fromkeys(path for path, _ in counts)
        }
        return Flips(
            fixed=sum(field.fixed for field in fields.values()),
            broken=sum(field.broken for field in fields.values()),
            shown=tuple(self._shown()),
            fields=fields,
        )

    def _look_at_waiting(self) -> None:
        """Compare all expected values of the documents of which errors don't say enough.

        A value that one run does not expect is no flip, unless that run failed at the document.
        """
        fields, paths, documents = list(self._waiting), dict[str, int](), len(self._failed)
        rows = [self._waiting_rows(side, fields, paths) for side in self._runs.sides]
        names, size, sides = list(paths), max(len(paths), 1), []
        for own, trials in zip(rows, self._trials, strict=True):
            keys, inverse = np.unique((own[:, 0] * documents + own[:, 1]) * size + own[:, 2], return_inverse=True)
            right = np.bincount(inverse.ravel()[own[:, 3] > 0], minlength=len(keys))
            sides.append(_Places(keys, np.full(len(keys), _NOTHING), right / trials[keys // size % documents]))
        both = np.intersect1d(sides[0].keys, sides[1].keys)
        for run, other in enumerate(self._runs.sides[::-1]):
            keys = sides[run].keys
            sides[run] = sides[run].at(np.isin(keys, both) | other.failed[keys // size % documents])

        def make(key: int, _: tuple[int, int], shares: tuple[float, float]) -> Flipped:
            return Flipped(key // size % documents, names[key % size], shares, None, True)

        for changed in _changed(sides, absent=0.0):
            of_field = changed.keys // (size * documents)
            for number in np.unique(of_field).tolist():
                self._note(fields[number], changed.at(np.flatnonzero(of_field == number)), make)

    def _waiting_rows(self, side: Side, fields: Sequence[str], paths: dict[str, int]) -> Ints:
        """Return field, document, path and whether it is right, of every expected value that is to be looked at."""
        names, of_field = self._runs.ids.compared, {name: number for number, name in enumerate(fields)}
        wanted = np.zeros((len(fields), len(names)), bool)
        for name, number in of_field.items():
            wanted[number, self._waiting[name]] = True
        documents = {names[at]: at for at in np.flatnonzero(wanted.any(axis=0)).tolist()}
        where = {"document": documents.keys(), "field": of_field.keys(), "outcome": EXPECTED_ROWS}
        parts = [np.zeros((0, 4), np.int64)]
        for table in side.run.verdicts(where=where, columns=("field", "document", "section", "path", "outcome")):
            table = with_sections(table)
            for name in names_of(table, "path").names:
                paths.setdefault(name, len(paths))
            columns = [
                _numbered(table, column, numbers)
                for column, numbers in (("field", of_field), ("document", documents), ("path", paths))
            ]
            rows = np.column_stack([*columns, names_of(table, "outcome").is_any("match")])
            parts.append(rows[wanted[rows[:, 0], rows[:, 1]]])
        return np.concatenate(parts)

    def _shown(self) -> list[Flip]:
        """Share the room among fields and directions, the rarest first."""
        chosen: dict[str, list[Flipped]] = {}
        groups = sorted(sorted(self._groups.items(), key=lambda group: group[0]), key=lambda group: group[1].count)
        room = self._most
        for k, ((path, _), group) in enumerate(groups):
            taken = list(islice(group.flips(), room // (len(groups) - k)))
            chosen.setdefault(path, []).extend(taken)
            room -= len(taken)
        shown = [flip for path, flips in chosen.items() if flips for flip in with_values(self._runs, path, flips)]
        return sorted(shown, key=lambda flip: (flip.field, flip.direction, flip.document, flip.path))


def _expects_other(tables: Tables) -> Mask:
    """Tell which documents have other numbers of expected values of a field in the two runs, or in two trials."""
    bounds = []
    for table in tables:
        if isinstance(table, TrialCounts) and table.of_trials is not None:
            values = table.of_trials[:, EXPECTED].sum(axis=1)
            bounds += [np.minimum.reduceat(values, table.starts), np.maximum.reduceat(values, table.starts)]
        else:
            bounds.append(table[:, MATCH] + table[:, MISMATCH] + table[:, MISSED])
    other: Mask = np.any([bound != bounds[0] for bound in bounds[1:]], axis=0)
    return other


def _coded(columns: Sequence[Any]) -> tuple[list[Ints], list[str]]:
    """Return numbers for the texts of several columns, the same for the same text, and the texts; 0 is no text."""
    whole: Any = pa.chunked_array([chunk for column in columns for chunk in column.chunks], pa.string())
    coded: Any = pa.concat_arrays([*whole.chunks, pa.array([], pa.string())]).dictionary_encode()
    codes = np.asarray(coded.indices.fill_null(-1)).astype(np.int64) + 1
    cuts = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(codes, cuts), ["", *coded.dictionary.to_pylist()]


def _numbered(table: pa.Table, column: str, numbers: Mapping[str, int]) -> Ints:
    found = names_of(table, column)
    return np.array([numbers.get(name, _NOTHING) for name in found.names], np.int64)[found.codes]


def _changed(sides: Sequence[_Places], *, absent: float) -> Iterator[_Changed]:
    """Yield the places whose share changed by half or more; ``absent`` is that of a place which a run does not have."""
    keys = np.union1d(sides[0].keys, sides[1].keys)
    rows, shares = np.full((len(keys), 2), _NOTHING), np.full((len(keys), 2), absent)
    for run, side in enumerate(sides):
        at = np.searchsorted(keys, side.keys)
        rows[at, run], shares[at, run] = side.rows, side.right
    change = shares[:, 1] - shares[:, 0]
    directions: tuple[tuple[Direction, int], ...] = (("fixed", 1), ("broken", -1))
    for direction, sign in directions:
        found = np.flatnonzero(change * sign >= 0.5 - _SLACK)
        yield _Changed(direction, keys[found], rows[found], shares[found])
