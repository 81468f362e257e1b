"""What is known of documents once they are counted: histograms and sums that add up in any order, as JSON too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Self, TypeAlias

from fieldwise.compare.results import AbsentText, LeafNote, LoneText
from fieldwise.counting.document_sums import UNIT, DocumentSums, check_sums
from fieldwise.errors import InputError
from fieldwise.results import OutsideCount
from fieldwise.states import MAX_UNITS, by_name, listed, named, only, refuse, row, text, whole
from fieldwise.stats.histograms import CountHistogram, check_histogram
from fieldwise.values import Json

STATE_VERSION = 6
"""The shape of a state; sums of another shape are refused."""

MAX_PATHS = 2_000
"""As many paths are counted one by one, the first by name; the values of all others are added up."""

_Pair: TypeAlias = list[int]


class OutsideCounts:
    """How many expected and predicted values lie under each path outside the spec.

    The first paths by name of all documents are among the first of every part of them, so what is listed and what is
    added up does not depend on how documents were divided.
    """

    def __init__(self) -> None:
        self._paths: dict[str, _Pair] = {}
        self._others: _Pair = [0, 0]

    def add(self, expected: Mapping[str, int], predicted: Mapping[str, int]) -> None:
        """Add the values of a document, by path."""
        for side, counts in enumerate((expected, predicted)):
            for path, count in counts.items():
                (self._paths.get(path) or self._paths.setdefault(path, [0, 0]))[side] += count
        if len(self._paths) > 2 * MAX_PATHS:
            self._fold()

    def merge(self, other: OutsideCounts) -> None:
        """Add what another has counted."""
        expected, predicted = ({path: pair[side] for path, pair in other._paths.items()} for side in (0, 1))
        self.add(expected, predicted)
        self._others = [mine + theirs for mine, theirs in zip(self._others, other._others, strict=True)]

    def _fold(self) -> None:
        for path in sorted(self._paths)[MAX_PATHS:]:
            for side, count in enumerate(self._paths.pop(path)):
                self._others[side] += count

    def to_state(self) -> dict[str, Json]:
        """Return everything as JSON."""
        self._fold()
        return {"paths": {path: list(self._paths[path]) for path in sorted(self._paths)}, "others": list(self._others)}

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> OutsideCounts:
        """Return what a state was made of; InputError for what is no state."""
        check_outside(state, "")
        counts = cls()
        counts._paths = {path: list(pair) for path, pair in state["paths"].items()}
        counts._others = list(state["others"])
        return counts

    def counts(self) -> tuple[dict[str, OutsideCount], OutsideCount]:
        """Return the counts of each listed path, and those of all others together."""
        self._fold()
        return {path: OutsideCount(*self._paths[path]) for path in sorted(self._paths)}, OutsideCount(*self._others)


check_outside = named({"paths": by_name(listed(whole(), 2)), "others": listed(whole(), 2)})
"""Checks a state of these counts."""


class Misfits(NamedTuple):
    """In how many documents something else is predicted in place of an object or a list, and the first by its text."""

    documents: int
    example: str

    def joined(self, other: Misfits) -> Misfits:
        """Return this with what other documents have."""
        return Misfits(self.documents + other.documents, min(self.example, other.example))


class Sums:
    """Counts by leaf path, by object and list path, and of whole documents.

    Merging is associative and commutative, and empty sums change nothing.
    """

    def __init__(self) -> None:
        self.wholes = DocumentSums()
        """What is known of documents as wholes."""
        self.fields: dict[str, CountHistogram] = {}
        """By leaf path."""
        self.nodes: dict[str, CountHistogram] = {}
        """Of objects, and of lists by their rows, by the key of `WholeAt`."""
        self.total = CountHistogram()
        """All leaves of a document together."""
        self.scores: dict[str, int] = {}
        """The sum of the scores of each leaf path, in units of 10⁻¹²."""
        self.near: dict[str, list[int]] = {}
        """How many matches of each leaf path are of values that are not identical: written differently, similar."""
        self.row_rejected: dict[str, int] = {}
        """How many values of each leaf path are right, and count as wrong because their row was rejected."""
        self.misfits: dict[str, Misfits] = {}
        """What is predicted in place of objects and lists, by their paths."""
        self.undeclared: set[str] = set()
        self.outside = OutsideCounts()
        self.absent_texts: dict[str, int] = {}
        """How many texts stand for no value, by side."""
        self.lone_texts: dict[str, int] = {}
        """How many texts that may stand for none have nothing on the other side, by side and text."""

    def settle(self) -> None:
        """Bring to these sums what is counted elsewhere; a tally does that with its short cuts."""

    @property
    def leaves(self) -> dict[str, list[int]]:
        """The counts tp, fd, fa, fn and tn of every leaf path."""
        self.settle()
        return {path: counts_of(histogram) for path, histogram in self.fields.items()}

    def total_counts(self) -> list[int]:
        """Return the counts of all leaves together."""
        self.settle()
        return counts_of(self.total)

    def merge(self, other: Sums) -> None:
        """Add the sums of other documents."""
        self.settle()
        self.add_remarks(other)
        self.wholes.merge(other.wholes)
        for held, added in ((self.fields, other.fields), (self.nodes, other.nodes)):
            for path, histogram in added.items():
                histogram_in(held, path).merge(histogram)
        self.total.merge(other.total)

    def add_remarks(self, other: Sums) -> None:
        """Add the sums that don't depend on what a document is."""
        other.settle()
        for sums, added in (
            (self.scores, other.scores),
            (self.row_rejected, other.row_rejected),
            (self.absent_texts, other.absent_texts),
            (self.lone_texts, other.lone_texts),
        ):
            for name, number in added.items():
                sums[name] = sums.get(name, 0) + number
        for path, near in other.near.items():
            add_in(self.near, path, near)
        for path, misfits in other.misfits.items():
            self.add_misfits(path, misfits)
        self.undeclared |= other.undeclared
        self.outside.merge(other.outside)

    def add_misfits(self, path: str, misfits: Misfits) -> None:
        """Add what other documents have in place of an object or a list."""
        held = self.misfits.get(path)
        self.misfits[path] = misfits if held is None else held.joined(misfits)

    def add_texts(self, note: LeafNote, times: int = 1) -> None:
        """Count what the result of a leaf notes of texts that stand for no value, or may do so."""
        if isinstance(note, AbsentText):
            self.add_absent("expected", note.expected * times)
            self.add_absent("predicted", note.predicted * times)
        elif isinstance(note, LoneText):
            text = f"{note.side} {note.text}"
            self.lone_texts[text] = self.lone_texts.get(text, 0) + times

    def add_absent(self, side: str, texts: int) -> None:
        """Count texts of a side that stand for no value."""
        if texts:
            self.absent_texts[side] = self.absent_texts.get(side, 0) + texts

    def to_state(self) -> dict[str, Json]:
        """Return everything as JSON, in one order whatever the order of the documents."""
        self.settle()
        return {
            "version": STATE_VERSION,
            "wholes": self.wholes.to_state(),
            "fields": {path: self.fields[path].to_state() for path in sorted(self.fields)},
            "nodes": {path: self.nodes[path].to_state() for path in sorted(self.nodes)},
            "total": self.total.to_state(),
            "scores": {path: self.scores[path] for path in sorted(self.scores)},
            "near": {path: list(self.near[path]) for path in sorted(self.near)},
            "row_rejected": {path: self.row_rejected[path] for path in sorted(self.row_rejected)},
            "misfits": {path: list(self.misfits[path]) for path in sorted(self.misfits)},
            "absent_texts": dict(sorted(self.absent_texts.items())),
            "lone_texts": dict(sorted(self.lone_texts.items())),
            "undeclared": sorted(self.undeclared),
            "outside": self.outside.to_state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> Self:
        """Return the sums that a state was made of; one of another version has other sums and is refused."""
        if not isinstance(state, Mapping):
            raise refuse("an object", state, "")
        if state.get("version") != STATE_VERSION:
            raise InputError(
                f"Expected sums of version {STATE_VERSION}, got version {state.get('version', 1)}: another version of "
                "fieldwise has begun this evaluation",
                code="run.cannot_resume",
                facts={"expected": STATE_VERSION, "got": state.get("version", 1)},
                advice="start it anew",
            )
        _LOOKS_LIKE(state, "")
        made = cls()
        made.wholes = DocumentSums.from_state(state["wholes"])
        made.fields = {path: CountHistogram.from_checked(held) for path, held in state["fields"].items()}
        made.nodes = {path: CountHistogram.from_checked(held) for path, held in state["nodes"].items()}
        made.total = CountHistogram.from_checked(state["total"])
        made.scores = dict(state["scores"])
        made.near = {path: list(counts) for path, counts in state["near"].items()}
        made.row_rejected = dict(state["row_rejected"])
        made.misfits = {path: Misfits(*held) for path, held in state["misfits"].items()}
        made.absent_texts, made.lone_texts = dict(state["absent_texts"]), dict(state["lone_texts"])
        made.undeclared = set(state["undeclared"])
        made.outside = OutsideCounts.from_state(state["outside"])
        _refuse_unfit(made)
        return made


_LOOKS_LIKE = named(
    {
        "version": only(STATE_VERSION),
        "wholes": check_sums,
        "fields": by_name(check_histogram),
        "nodes": by_name(check_histogram),
        "total": check_histogram,
        "scores": by_name(whole(MAX_UNITS)),
        "near": by_name(listed(whole(), 2)),
        "row_rejected": by_name(whole()),
        "misfits": by_name(row(whole(), text)),
        "absent_texts": by_name(whole()),
        "lone_texts": by_name(whole()),
        "undeclared": listed(text),
        "outside": check_outside,
    }
)


def _refuse_unfit(sums: Sums) -> None:
    """Refuse sums that no documents can have: those of all values, of fields and of scores are of the same values."""
    leaves, documents = sums.leaves, sums.wholes.documents
    of_leaves: dict[str, Iterable[str]] = {
        "scores": sums.scores,
        "near": sums.near,
        "row_rejected": sums.row_rejected,
        "undeclared": sums.undeclared,
    }
    for name, paths in of_leaves.items():
        unknown = next((path for path in paths if path not in leaves), None)
        if unknown is not None:
            raise InputError(
                f"Expected paths of leaves, got {unknown[:80]!r} - at {name} of the state", code="state.damaged"
            )
    too_many = next((path for path, held in (sums.fields | sums.nodes).items() if held.documents > documents), None)
    if too_many is not None:
        raise InputError(
            f"Expected at most {documents} documents of {too_many[:80]!r}, got more - in the state",
            code="state.damaged",
        )
    for path, score in sums.scores.items():
        if score > UNIT * sum(leaves[path][:4]) or sum(sums.near.get(path, ())) > leaves[path][0]:
            raise InputError(
                f"Expected scores and matches that its counts allow, got more of {path[:80]!r}", code="state.damaged"
            )
    summed = [sum(counts[at] for counts in leaves.values()) for at in range(5)]
    if sums.total_counts() != summed or sums.total.documents != documents:
        raise InputError(
            "Expected sums of all values that are those of the fields, got others - at total of the state",
            code="state.damaged",
        )


def counts_of(histogram: CountHistogram) -> list[int]:
    """Return the counts tp, fd, fa, fn and tn."""
    return [*histogram.totals(), histogram.tn]


def histogram_in(held: dict[str, CountHistogram], path: str) -> CountHistogram:
    """Return the histogram of a path, a new one where there is none."""
    histogram = held.get(path)
    if histogram is None:
        histogram = held[path] = CountHistogram()
    return histogram


def add_in(held: dict[str, list[int]], path: str, counts: Sequence[int]) -> None:
    """Add counts to those of a path."""
    held[path] = [a + b for a, b in zip(held.get(path, (0,) * len(counts)), counts, strict=True)]
