"""Values that are right in one of two runs only, with what was expected and what each run predicted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pyarrow.parquet as pq

from fieldwise.runs.blocks import read_group, row_groups
from fieldwise.runs.outcomes import MATCH, MISSED, WORDS, Ints, Mask, OutcomeRows, times_before
from fieldwise.runs.pairing import PairedRuns
from fieldwise.stats.count_tables import Floats

Direction: TypeAlias = Literal["fixed", "broken"]
Reason: TypeAlias = Literal["type", "row", "alone", "undeclared", "comparator"]
MOST_FLIPS = 1000
_NOTHING = -1
_ANY = -(1 << 63)
_SLACK = 1e-9
_VALUES = ("expected", "predicted", "reason")


@dataclass(frozen=True)
class Flip:
    """A value that the candidate has right and the base has not (fixed), or the other way round (broken).

    Values are texts, or JSON where they are no texts; an outcome is None where that run has no such place, a reason
    where the values alone decided.
    """

    direction: Direction
    document: str
    path: str
    field: str
    expected: str | None
    base: str | None
    candidate: str | None
    base_outcome: str | None
    candidate_outcome: str | None
    base_reason: Reason | None
    candidate_reason: Reason | None
    base_share: float | None = None
    candidate_share: float | None = None
    """In what share of its trials each run has the value right; None where no document has several."""

    @property
    def in_unpaired_row(self) -> bool:
        """Whether it stands in a row of a list that is not paired in one of the runs."""
        return not {"row", "alone"}.isdisjoint((self.base_reason, self.candidate_reason))


@dataclass(frozen=True)
class Flips:
    """How many values flipped, and some of them: as many of each field as there is room for."""

    fixed: int
    broken: int
    shown: tuple[Flip, ...]
    other_truth: tuple[str, ...]
    """Documents that have other expected values in the two runs."""


@dataclass(frozen=True)
class _Found:
    """Flips as numbers: the places of their rows in the two runs, -1 where there is none."""

    base: Ints
    candidate: Ints
    fixed: Mask
    shares: tuple[Floats, Floats] | None = None
    """In what share of trials each run has the value right."""

    def taken(self, which: Ints) -> _Found:
        shares = None if self.shares is None else (self.shares[0][which], self.shares[1][which])
        return _Found(self.base[which], self.candidate[which], self.fixed[which], shares)


def find_flips(runs: PairedRuns, most: int = MOST_FLIPS) -> Flips:
    """Match the places of two runs and return those whose value is right in one of them only.

    A place is a path of the expected document. What was invented is known by its field and value, wherever it is, and
    flips where one run has it more often than the other. Where documents have several trials, a value flips where the
    share of trials in which it is right changed by half or more.
    """
    keys = _keys(runs)
    places = None if runs.trials is None else [_places(key, rows) for key, rows in zip(keys, runs.rows, strict=True)]
    distinct = keys if places is None else [place.keys for place in places]
    both, at_base, at_candidate = np.intersect1d(distinct[0], distinct[1], assume_unique=True, return_indices=True)
    alone = [np.flatnonzero(~np.isin(key, both, assume_unique=True)) for key in distinct]
    if places is None:
        found = _found(runs, (at_base, at_candidate), alone)
    else:
        found = _found_in_trials(runs, places, (at_base, at_candidate), alone)
        at_base, at_candidate = places[0].first[at_base], places[1].first[at_candidate]
        alone = [place.first[at] for place, at in zip(places, alone, strict=True)]
    fixed = int(found.fixed.sum())
    return Flips(
        fixed=fixed,
        broken=len(found.fixed) - fixed,
        shown=tuple(_shown(runs, found, most)),
        other_truth=_other_truth(runs, (at_base, at_candidate), alone),
    )


def _keys(runs: PairedRuns) -> list[Ints]:
    """Return a number for each row: of its document and path where something was expected, else negative ones."""
    keys = [rows.documents * len(runs.names.paths) + rows.paths for rows in runs.rows]
    invented = [np.flatnonzero(~rows.has_expected) for rows in runs.rows]
    values = [
        _value_hashes(path, rows.rows[at], "predicted")
        for path, rows, at in zip(_paths(runs), runs.rows, invented, strict=True)
    ]
    columns = [
        np.column_stack([rows.documents[at], rows.fields[at], hashes])
        for rows, at, hashes in zip(runs.rows, invented, values, strict=True)
    ]
    numbers = np.unique(np.concatenate(columns), axis=0, return_inverse=True)[1].ravel()
    size = len(numbers) + 1
    parts = np.split(numbers, [len(invented[0])])
    for key, at, own, rows in zip(keys, invented, parts, runs.rows, strict=True):
        in_trial = own if runs.trials is None else rows.trials[at].astype(np.int64) * size + own
        key[at] = -1 - (own * size + times_before(in_trial))
    return keys


class _Places(NamedTuple):
    """The places of a run over all trials: their keys, their first rows, also those right or wrong, and how often."""

    keys: Ints
    first: Ints
    right: Ints
    wrong: Ints
    """The first row in which a value is right, and in which it is wrong; the first of all where there is none."""
    rows: Ints
    times_right: Ints


def _places(keys: Ints, rows: OutcomeRows) -> _Places:
    found, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    inverse = inverse.ravel()
    is_right = rows.outcomes == MATCH
    right, wrong = (_first_of(inverse, which, first) for which in (is_right, ~is_right))
    return _Places(found, first, right, wrong, counts, np.bincount(inverse[is_right], minlength=len(found)))


def _first_of(inverse: Ints, which: Mask, first: Ints) -> Ints:
    found = first.copy()
    at = np.flatnonzero(which)[::-1]
    found[inverse[at]] = at
    return found


def _found_in_trials(
    runs: PairedRuns, places: Sequence[_Places], both: tuple[Ints, Ints], alone: Sequence[Ints]
) -> _Found:
    """Return the values whose share of right trials changed by half or more."""
    shares = [_shares(runs, run, place) for run, place in enumerate(places)]
    parts = [(both[0], both[1], shares[0][both[0]], shares[1][both[1]])]
    for run, at in enumerate(alone):
        rows, first = runs.rows[run], places[run].first[at]
        failed = np.isin(rows.documents[first], _failed(runs, 1 - run))
        invented = ~rows.has_expected[first]
        kept = failed != invented
        nowhere = np.full(int(kept.sum()), _NOTHING)
        other = invented[kept].astype(float)
        mine = at[kept], shares[run][at[kept]]
        parts.append((mine[0], nowhere, mine[1], other) if run == 0 else (nowhere, mine[0], other, mine[1]))
    base, candidate, before, after = (np.concatenate(column) for column in zip(*parts, strict=True))
    changed = np.flatnonzero(np.abs(after - before) >= 0.5 - _SLACK)
    fixed = (after > before)[changed]
    chosen = [np.where(fixed, places[0].wrong[base[changed]], places[0].right[base[changed]])]
    chosen.append(np.where(fixed, places[1].right[candidate[changed]], places[1].wrong[candidate[changed]]))
    at_base, at_candidate = (
        np.where(at[changed] == _NOTHING, _NOTHING, rows) for at, rows in zip((base, candidate), chosen, strict=True)
    )
    return _Found(at_base, at_candidate, fixed, (before[changed], after[changed]))


def _shares(runs: PairedRuns, run: int, places: _Places) -> Floats:
    """Return in what share of its document's trials each place is right; what was invented is so where it is not."""
    assert runs.trials is not None
    rows = runs.rows[run]
    trials = runs.trials[run][rows.documents[places.first]]
    shares: Floats = np.where(rows.has_expected[places.first], places.times_right, trials - places.rows) / trials
    return shares


def _found(runs: PairedRuns, both: tuple[Ints, Ints], alone: Sequence[Ints]) -> _Found:
    base, candidate = runs.rows
    right, now_right = base.outcomes[both[0]] == MATCH, candidate.outcomes[both[1]] == MATCH
    flipped = right != now_right
    lost, won = _alone(runs, 0, alone[0]), _alone(runs, 1, alone[1])
    return _Found(
        np.concatenate([both[0][flipped], lost[0], np.full(len(won[0]), _NOTHING)]),
        np.concatenate([both[1][flipped], np.full(len(lost[0]), _NOTHING), won[0]]),
        np.concatenate([now_right[flipped], lost[1], won[1]]),
    )


def _alone(runs: PairedRuns, run: int, places: Ints) -> tuple[Ints, Mask]:
    """Return those of a run's places that flipped though the other run lacks them, and which of these are fixed.

    What was invented in one run only; and what is right in one run where the other failed at the document.
    """
    rows = runs.rows[run]
    failed = np.isin(rows.documents[places], _failed(runs, 1 - run))
    invented = ~rows.has_expected[places] & ~failed
    lost = failed & (rows.outcomes[places] == MATCH)
    fixed = invented if run == 0 else lost
    kept = invented | lost
    return places[kept], fixed[kept]


def _failed(runs: PairedRuns, run: int) -> Ints:
    names = runs.pairing.candidate_failed if run else runs.pairing.base_failed
    return runs.names.documents.of(names)


def _other_truth(runs: PairedRuns, both: tuple[Ints, Ints], alone: Sequence[Ints]) -> tuple[str, ...]:
    """Return the documents of which an expected value differs, or is there in one run only."""
    sides = [_expected_hashes(path, rows) for path, rows in zip(_paths(runs), runs.rows, strict=True)]
    same = (sides[0][both[0]] == sides[1][both[1]]) | (sides[0][both[0]] == _ANY) | (sides[1][both[1]] == _ANY)
    documents = {*runs.rows[0].documents[both[0]][~same].tolist()}
    for run, (rows, places) in enumerate(zip(runs.rows, alone, strict=True)):
        kept = places[rows.has_expected[places]]
        documents |= set(rows.documents[kept].tolist()) - set(_failed(runs, 1 - run).tolist())
    return tuple(runs.names.documents.names[number] for number in sorted(documents))


def _expected_hashes(path: Path, rows: OutcomeRows) -> Ints:
    """Return a number for each row's expected value; one for all where any of several acceptable ones may stand."""
    hashes = _value_hashes(path, rows.rows, "expected")
    chosen: Any = [table["alternate_index"].is_valid() for table in row_groups(path, ["alternate_index"])]
    if chosen:
        hashes[np.concatenate([np.asarray(part) for part in chosen])[rows.rows]] = _ANY
    return hashes


def _value_hashes(path: Path, rows: Ints, side: str) -> Ints:
    """Return a number for the value that one side has in each of some rows, which rise."""
    hashes = [np.zeros(0, np.int64)]
    start = 0
    table: Any
    for table in row_groups(path, [side, f"{side}_sha256", f"{side}_is_json"]):
        end = start + len(table)
        own = rows[np.searchsorted(rows, start) : np.searchsorted(rows, end)] - start
        table, start = table.take(own), end
        found = np.fromiter(map(hash, table[side].to_pylist()), np.int64, len(table))
        cut = np.flatnonzero(table[f"{side}_sha256"].is_valid())
        found[cut] = [hash(whole) for whole in table[f"{side}_sha256"].take(cut).to_pylist()]
        found[np.asarray(table[f"{side}_is_json"])] ^= 1
        hashes.append(found)
    return np.concatenate(hashes)


def _paths(runs: PairedRuns) -> tuple[Path, Path]:
    return runs.base.verdict_rows("flips"), runs.candidate.verdict_rows("flips")


def _shown(runs: PairedRuns, found: _Found, most: int) -> list[Flip]:
    base, candidate = runs.rows
    fields = np.maximum(_picked(base.fields, found.base), _picked(candidate.fields, found.candidate))
    chosen = _shared(fields, found.fixed, most)
    kept = found.taken(chosen)
    before, after = (
        _values(path, rows, places)
        for path, rows, places in zip(_paths(runs), runs.rows, (kept.base, kept.candidate), strict=True)
    )
    flips = [_flip(runs, kept, k, before=before[k], after=after[k]) for k in range(len(chosen))]
    return sorted(flips, key=lambda flip: (flip.field, flip.direction, flip.document, flip.path))


def _picked(column: Ints, places: Ints) -> Ints:
    """Return what stands at some places; -1 where there is none."""
    return np.append(column, _NOTHING)[places]


def _shared(fields: Ints, fixed: Mask, most: int) -> Ints:
    """Share the room among fields and directions, the rarest first."""
    groups = fields * 2 + fixed
    parts = sorted((np.flatnonzero(groups == group) for group in np.unique(groups)), key=len)
    chosen: list[Ints] = []
    room = most
    for k, part in enumerate(parts):
        taken = part[: room // (len(parts) - k)]
        chosen.append(taken)
        room -= len(taken)
    return np.concatenate(chosen) if chosen else np.zeros(0, np.int64)


def _values(path: Path, rows: OutcomeRows, places: Ints) -> list[Mapping[str, Any]]:
    """Return the values of some rows and the reasons of their outcomes; of a place that is not there, nothing."""
    file = pq.ParquetFile(path)
    wanted = _picked(rows.rows, places)
    values: list[Mapping[str, Any]] = [{}] * len(places)
    start = 0
    for group in range(file.num_row_groups):
        end = start + file.metadata.row_group(group).num_rows
        here = np.flatnonzero((wanted >= start) & (wanted < end))
        if len(here):
            table: Any = read_group(file, path, group, _VALUES).take(wanted[here] - start)
            for at, row in zip(here.tolist(), table.to_pylist(), strict=True):
                values[at] = row
        start = end
    return values


def _flip(runs: PairedRuns, found: _Found, k: int, *, before: Mapping[str, Any], after: Mapping[str, Any]) -> Flip:
    base, candidate = int(found.base[k]), int(found.candidate[k])
    rows, at = (runs.rows[0], base) if base >= 0 else (runs.rows[1], candidate)
    document = runs.names.documents.names[rows.documents[at]]
    outcomes = [_outcome(runs, run, place, document) for run, place in enumerate((base, candidate))]
    shares = (None, None) if found.shares is None else (float(found.shares[0][k]), float(found.shares[1][k]))
    return Flip(
        direction="fixed" if found.fixed[k] else "broken",
        document=document,
        path=runs.names.paths.names[rows.paths[at]],
        field=runs.names.fields.names[rows.fields[at]],
        expected=_expected(before, after),
        base=before.get("predicted"),
        candidate=after.get("predicted"),
        base_outcome=outcomes[0],
        candidate_outcome=outcomes[1],
        base_reason=_reason(before, outcomes[0]),
        candidate_reason=_reason(after, outcomes[1]),
        base_share=shares[0],
        candidate_share=shares[1],
    )


def _reason(row: Mapping[str, Any], outcome: str | None) -> Reason | None:
    """Return why a value counts as it does; one that is right needs no reason."""
    return None if outcome == WORDS[MATCH] else row.get("reason") or None


def _expected(before: Mapping[str, Any], after: Mapping[str, Any]) -> str | None:
    """Return what was expected; where the truth itself changed between the runs, both."""
    if not before or not after or before["expected"] == after["expected"]:
        return (before or after).get("expected")
    return f"{before['expected']} in the base, {after['expected']} in the candidate"


def _outcome(runs: PairedRuns, run: int, place: int, document: str) -> str | None:
    if place >= 0:
        return WORDS[runs.rows[run].outcomes[place]]
    failed = runs.pairing.candidate_failed if run else runs.pairing.base_failed
    return WORDS[MISSED] if document in failed else None
