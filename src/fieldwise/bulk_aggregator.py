"""Counts and ratios of comparisons, and their totals over many documents. One file, standard library only.

Counts have six keys: ``tp`` (match), ``fd`` (mismatch), ``fa`` (spurious), ``fn`` (missed), ``tn`` (absent) and
``fp = fd + fa``. Ratios here give 0.0 where their denominator is 0.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from marshal import dumps
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self, TypeAlias

Json: TypeAlias = Any
"""JSON as it arrives, and the Python values that typed models hold in its place."""

METRIC_KEYS = ("tp", "fp", "tn", "fn", "fd", "fa")
"""The six counts, in the order in which they are stored and shown."""

MAX_DEPTH = 200
"""Fields may be nested so deep; what goes deeper contains itself, or nobody made it on purpose."""
MAX_NODES = 100_000
"""One matrix may have so many fields; a few shared dicts can stand for more than any memory holds."""
_MAX_BITS = 53
"""A count is below 2**53: every JSON reader keeps it exact."""

Counts: TypeAlias = tuple[int, ...]
"""The six counts, or these and how many of the counted did not say ``fd``; an empty tuple is nothing."""

Kind: TypeAlias = Literal["values", "object", "rows", "grid"]
"""What a path counts: values, objects, the rows of a list, or those of a list of lists, whose values have its path."""
_KINDS: tuple[Kind, ...] = ("object", "rows", "grid")
_BESIDE: dict[str, Kind] = {"[values]": "values", "[rows]": "grid"}

_SCORE = "threshold_applied_score"
_ROW = len(METRIC_KEYS) + 1
_MATCH = (1, 0, 0, 0, 0, 0)
_PLAIN = 2
"""The version of marshalled bytes in which equal values of the same types are equal bytes."""
_MATCH_BYTES = dumps(_MATCH, _PLAIN)
_MAX_WAITING = 10_000
_NOTHING: dict[str, Json] = {}
_MATRIX_KEYS = frozenset((*METRIC_KEYS, "overall", "aggregate", "fields", "nested_fields"))
_TOO_LARGE = f"Expected at most {MAX_DEPTH} levels and {MAX_NODES} fields; does the matrix contain itself?"
_is_usual = frozenset((*METRIC_KEYS, "nested_fields", "beside")).isdisjoint
"""The usual node has its counts in ``overall`` and its children in ``fields``."""
_six_of = itemgetter(*METRIC_KEYS)


def ratio(part: float, whole: float) -> float:
    """Return ``part / whole``, and 0.0 where there is nothing to divide by."""
    return part / whole if whole else 0.0


def derived_metrics(tp: int, fd: int, fa: int, fn: int, tn: int, *, recall_with_fd: bool = False) -> dict[str, float]:
    """Return precision, recall, F1 and accuracy of one set of counts.

    ``recall_with_fd`` counts a wrong value as missed too: tp / (tp + fn + fd).

    >>> derived_metrics(3, 1, 0, 1, 0)["cm_precision"]
    0.75
    """
    everything = tp + tn + fd + fa + fn
    accuracy = (tp + tn) / everything if everything else 0.0
    if not tp:
        return {"cm_precision": 0.0, "cm_recall": 0.0, "cm_f1": 0.0, "cm_accuracy": accuracy}
    precision = tp / (tp + fa + fd)
    recall = tp / (tp + fn + fd if recall_with_fd else tp + fn)
    f1 = 2 * precision * recall / (precision + recall)
    return {"cm_precision": precision, "cm_recall": recall, "cm_f1": f1, "cm_accuracy": accuracy}


def metrics_of(counts: Mapping[str, int], *, strict: bool = True) -> dict[str, Json]:
    """Return the six counts, a missing one being 0, and the ratios of their sums (micro-averages).

    precision = tp/(tp+fp), recall = tp/(tp+fn), f1 = 2PR/(P+R), accuracy = (tp+tn)/(tp+tn+fp+fn).
    A wrong value lowers the strict ones too: strict_recall = tp/(tp+fn+fd), strict_f1 = 2tp/(2tp+2fd+fa+fn).
    They are None with ``strict=False``, for counts in which ``fd`` is not known.

    >>> row = metrics_of({"tp": 3, "fp": 1, "fd": 1, "fn": 1})
    >>> row["precision"], row["recall"], row["strict_recall"]
    (0.75, 0.75, 0.6)
    """
    row: dict[str, Json] = {key: int(counts.get(key, 0)) for key in METRIC_KEYS}
    tp, fp, tn, fn, fd, fa = row.values()
    precision, recall = ratio(tp, tp + fp), ratio(tp, tp + fn)
    row["precision"] = precision
    row["recall"] = recall
    row["f1"] = ratio(2 * precision * recall, precision + recall)
    row["accuracy"] = ratio(tp + tn, tp + tn + fp + fn)
    row["strict_recall"] = ratio(tp, tp + fn + fd) if strict else None
    row["strict_f1"] = ratio(2 * tp, 2 * tp + 2 * fd + fa + fn) if strict else None
    return row


def kind_of_key(key: str) -> tuple[str, Kind]:
    """Return the path of a key, and what is counted under it: values, unless the key ends with something else."""
    for kind in _KINDS:
        if key.endswith(f"[{kind}]"):  # in the name of a field a bracket is escaped
            return key[: -len(kind) - 2], kind
    return key, "values"


def row_keys(keys: Iterable[str]) -> dict[str, str]:
    """Return under which name each key is shown.

    What an object or the rows of a list count is shown at their path; values in their place beside them, at
    ``path[values]``. A list of lists has its values at its path, and its rows at ``path[rows]``.

    >>> row_keys(["vendor", "vendor[object]", "grid", "grid[grid]"])
    {'grid': 'grid', 'grid[grid]': 'grid[rows]', 'vendor': 'vendor[values]', 'vendor[object]': 'vendor'}
    """
    known = {*keys}
    shown = {}
    for key in known:
        path, kind = kind_of_key(key)
        has_object, has_rows = f"{path}[object]" in known, f"{path}[rows]" in known
        beside = {
            "values": "[values]" if has_object or has_rows else "",
            "object": "",
            "rows": "[rows]" if has_object else "",
            "grid": "[grid]" if has_object and has_rows else "[rows]",
        }
        shown[key] = path + beside[kind]
    return {key: shown[key] for key in sorted(shown)}


class BulkEvaluationAggregator:
    """Sums confusion matrices of single documents, and computes metrics of the sums.

    State is integers that are only added, so matrices may come in any order and in any number of parts that are
    merged. The updates of one document come one after the other, and no part holds half of a document.

    >>> aggregator = BulkEvaluationAggregator()
    >>> aggregator.update({"fields": {"total": {"tp": 1}}}, "invoice-1")
    >>> aggregator.update({"fields": {"total": {"fd": 1}}}, "invoice-2")
    >>> aggregator.compute()["fields"]["total"]["precision"]
    0.5
    """

    METRIC_KEYS: ClassVar[tuple[str, ...]] = METRIC_KEYS
    STATE_VERSION: ClassVar[int] = 1
    READABLE_VERSIONS: ClassVar[tuple[int, ...]] = (1,)

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._documents = 0
        self._skipped = 0
        self._last_id: str | None = None
        self._totals: dict[str | None, FieldTotals] = {None: FieldTotals()}
        self._errors: list[dict[str, str | None]] = []

    def update(self, confusion_matrix: Json, doc_id: str | None = None, *, group: str | None = None) -> None:
        """Add one confusion matrix, or that of one comparison result, to the totals.

        Updates in a row with the same ``doc_id`` are one document, an update without one is a document. With a
        ``group``, such as the class of the document, the fields are also shown for that group. None and ``{}`` are
        skipped. A matrix that is malformed anywhere adds nothing at all but a record to ``errors``.
        """
        self._added(confusion_matrix, doc_id, group)

    def _added(self, confusion_matrix: Json, doc_id: str | None, group: str | None) -> Reading | None:
        """Add one matrix and return what it counts; None where it adds no count."""
        try:
            if group is not None:
                _check_group(group)
            totals = self._totals.get(group) or FieldTotals()
            reading = totals.count(confusion_matrix)
        except MalformedMatrixError as error:
            self._errors.append({"doc_id": None if doc_id is None else str(doc_id), **error.record()})
            return None
        if reading is None:
            self._skipped += 1
            return None
        self._totals[group] = totals
        if doc_id is None or doc_id != self._last_id:
            self._documents += 1
        self._last_id = doc_id
        return reading

    def compute(self) -> dict[str, Json]:
        """Return the totals with their metrics.

        ``overall`` sums the matrices' own ``overall``; ``aggregate`` sums single values, the leaves. ``fields`` has
        a row for every path that has counts, parents and children, sorted; where some matrices have an object or a
        list and others a value, each has its own row (`row_keys`). Strict metrics are None where a matrix did not say
        ``fd``. ``classes`` is there if a group was given.
        """
        everything = self._everything()
        result: dict[str, Json] = {
            "document_count": self._documents,
            "overall": _metrics(everything.overall.row()),
            "fields": _metrics_by_path(everything),
            "errors": self._sorted_errors(),
            "aggregate": _metrics(everything.aggregate.row()),
            "skipped_count": self._skipped,
        }
        if groups := self._groups():
            result["classes"] = {group: {"fields": _metrics_by_path(totals)} for group, totals in groups}
        return result

    def merge(self, other: BulkEvaluationAggregator) -> None:
        """Add the totals of another aggregator, which has seen other documents."""
        self._documents += other._documents
        self._skipped += other._skipped
        for group, totals in other._totals.items():
            self._totals.setdefault(group, FieldTotals()).merge(totals)
        self._errors.extend(other._errors)

    def to_state(self) -> dict[str, Json]:
        """Return the sums as JSON. The last document ends here: the next update after ``from_state`` is a new one."""
        everything = self._everything()
        return {
            "version": self.STATE_VERSION,
            "document_count": self._documents,
            "skipped_count": self._skipped,
            "overall": everything.overall.row(),
            "aggregate": everything.aggregate.row(),
            "fields": self._totals[None].rows(),
            "groups": {group: totals.rows() for group, totals in self._groups()},
            "errors": self._sorted_errors(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> Self:
        """Return an aggregator with the sums of ``to_state``; ValueError for anything else."""
        if not isinstance(state, Mapping) or state.get("version") not in cls.READABLE_VERSIONS:
            raise ValueError(f"Expected a state of version {cls.STATE_VERSION}, as to_state makes it")
        made = cls()
        try:
            made._load(state)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"Expected a state as to_state makes it, got one that is broken: {error!r}") from error
        return made

    def _load(self, state: Mapping[str, Json]) -> None:
        self._documents, self._skipped = _whole(state["document_count"]), _whole(state["skipped_count"])
        for group, rows in [(None, state["fields"]), *state["groups"].items()]:
            self._totals[group] = totals = FieldTotals()
            for path, row in rows.items():
                totals.total_of(path).add(_row(row))
        self._totals[None].overall.add(_row(state["overall"]))
        self._totals[None].aggregate.add(_row(state["aggregate"]))
        self._errors = [_error(error) for error in state["errors"]]

    def _everything(self) -> FieldTotals:
        everything = FieldTotals()
        for totals in self._totals.values():
            everything.merge(totals)
        return everything

    def _groups(self) -> list[tuple[str, FieldTotals]]:
        return sorted((group, totals) for group, totals in self._totals.items() if group is not None)

    def _sorted_errors(self) -> list[dict[str, str | None]]:
        # An order that does not depend on which part came first.
        return sorted(map(dict, self._errors), key=lambda e: (e["doc_id"] is not None, *map(str, e.values())))


class _Alike:
    """Nodes of one path that count the same, and how many they are."""

    __slots__ = ("counts", "path", "times")

    def __init__(self, path: str, counts: Counts) -> None:
        self.path, self.counts = path, counts
        self.times = 0


class _Total:
    """What the nodes of one path count: how many count the same, and the sums of earlier ones.

    It also remembers the fields below the nodes of its path.
    """

    __slots__ = ("below", "match", "ones", "path", "seen", "shape", "sums")

    def __init__(self, path: str = "") -> None:
        self.path = path
        self.sums = [0] * _ROW
        self.match = _Alike(path, _MATCH)
        self.seen = {_MATCH_BYTES: self.match}
        """By the bytes of their counts, which tell an integer from a truth value or a float that is equal to it."""
        self.ones = 0
        """How many nodes have the score 1.0 and are in no reading's scores."""
        self.below: dict[str, _Total] = {}
        self.shape = Shape({})

    def add(self, counts: Sequence[int]) -> None:
        """Add counts that need not be those of a single node."""
        for at, count in enumerate(counts):
            self.sums[at] += count

    def row(self) -> list[int]:
        """Return the sums: the six counts and, last, how many nodes did not say ``fd``."""
        for alike in self.seen.values():
            for at, count in enumerate(alike.counts):
                self.sums[at] += count * alike.times
        self.match.times = 0
        self.seen = {_MATCH_BYTES: self.match}
        return [*self.sums]

    def shape_of(self, nodes: dict[str, Json]) -> Shape:
        """Return the shape of nodes below this one, and expect it next time; KeyError where one is not known."""
        self.shape = Shape({name: self.below[name] for name in nodes})
        return self.shape


class Shape:
    """Fields that occurred together below one node, and how often they did since the totals were brought up to date."""

    __slots__ = ("names", "times", "totals")

    def __init__(self, totals: dict[str, _Total]) -> None:
        self.names, self.totals = [*totals], [*totals.values()]
        self.times = 0


class _Tree:
    """The totals of matrices in which the same paths are objects or lists of rows."""

    __slots__ = ("by_key", "root", "scopes")

    def __init__(self, scopes: dict[str, Json]) -> None:
        self.scopes, self.root = scopes, _Total()
        self.by_key: dict[str, _Total] = {}

    def key_of(self, path: str) -> str:
        """Return the key of the node at a path."""
        return f"{path}[{self.scopes[path]}]" if path in self.scopes else path

    def total_of(self, key: str) -> _Total:
        """Return the total of a key, which is nothing yet where the key is new."""
        total = self.by_key.get(key)
        if total is None:
            total = self.by_key[key] = _Total(key)
        return total


Reading: TypeAlias = tuple[Sequence[Shape], Sequence[_Alike], Sequence[tuple[str, Json]]]
"""Everything that one matrix counts: shapes, others, and scores by path.

The others begin with the counts of the matrix itself and of all its leaves. Each field of a shape is a single match,
unless it is among the others. Where nodes are scored, the leaves are left out, and each field of a shape has the score
1.0, unless it is among the scores.
"""


def leaves_of(reading: Reading) -> Counts:
    """Return what all leaves of a matrix count."""
    return reading[1][1].counts


def overall_of(reading: Reading) -> Counts:
    """Return what a matrix counts itself, rows and objects as one each."""
    return reading[1][0].counts


def rows_of(reading: Reading) -> dict[str, Counts]:
    """Return what every key of a matrix counts."""
    shapes, others, _ = reading
    matches = {total.path: _MATCH for shape in shapes for total in shape.totals}
    return matches | {other.path: other.counts for other in others[2:]}


class FieldTotals:
    """The totals of matrices: of their own counts, of all their leaves, and of all paths.

    Matrices that look like earlier ones are read without making a path. With ``scored``, readings have the scores of
    nodes, and ``aggregate`` is not read.
    """

    __slots__ = ("_grown", "_keys", "_scored", "_shapes", "_tree", "_trees", "aggregate", "overall")

    def __init__(self, *, scored: bool = False) -> None:
        self.overall, self.aggregate = _Total(), _Total()
        self._scored = scored
        self._tree = _Tree(_NOTHING)
        self._trees = [self._tree]
        self._keys: list[str] = []
        self._shapes: list[Shape] = []
        self._grown: list[_Total] = []
        """Totals that remember more counts than before."""

    def count(self, given: Json) -> Reading | None:
        """Add what a matrix counts, or that of a comparison result, and return it; None where there is nothing.

        A matrix that cannot be counted raises MalformedMatrixError and adds nothing.

        In a usual matrix, such as the engine makes, every node has ``fields`` and an ``overall`` with six integers,
        and every field is known; any other is read with care. Most leaves are single matches. They are told by the
        identity of 0 and 1, which Python may but need not share; where it does not, they are among the others. This
        loop is the cost of counting a document, so it calls little and looks at each node once.
        """
        zero, one, perfect, nothing = 0, 1, 1.0, _NOTHING
        scored, score_key, plain = self._scored, _SCORE, _PLAIN
        shapes: list[Shape] = []
        scores: list[tuple[str, Json]] = []
        try:
            if type(given) is not dict:
                raise _UnusualError
            matrix = given.get("confusion_matrix", given)
            if type(matrix) is not dict:
                raise _UnusualError
            others = [(self.overall, matrix["overall"])]
            if not scored:
                others.append((self.aggregate, matrix["aggregate"]))
            roots = len(others)
            tree, scopes = self._tree, matrix.get("scopes", nothing)
            if scopes != tree.scopes:
                tree = self._tree_of(scopes)
            pending = [(matrix["fields"], tree.root)]
            for nodes, above in pending:
                if type(nodes) is not dict:
                    raise _UnusualError
                shape = above.shape
                if [*nodes] != shape.names:
                    shape = above.shape_of(nodes)
                shapes.append(shape)
                for name, node in nodes.items():
                    if type(node) is not dict or (
                        "tp" in node
                        or "fp" in node
                        or "tn" in node
                        or "fn" in node
                        or "fd" in node
                        or "fa" in node
                        or "nested_fields" in node
                    ):
                        raise _UnusualError
                    source, inner = node["overall"], node["fields"]
                    if type(source) is not dict:
                        raise _UnusualError
                    if not (
                        source["tp"] is one
                        and source["fp"] is zero
                        and source["fd"] is zero
                        and source["fn"] is zero
                        and source["tn"] is zero
                        and source["fa"] is zero
                    ):
                        others.append((above.below[name], source))
                    if inner != nothing:
                        pending.append((inner, above.below[name]))
                    if scored:
                        score = node.get(score_key)
                        if score is not perfect:
                            if score == 1.0 and type(score) is float:
                                perfect = score
                            else:
                                scores.append((above.below[name].path, score))
            keys = [*matrix]
            if keys != self._keys:
                if not _is_usual(keys):
                    raise _UnusualError
                self._keys = keys
            alike: list[_Alike] = []
            for total, source in others:
                if type(source) is not dict:
                    raise _UnusualError
                counts = _six_of(source)
                same = total.seen.get(dumps(counts, plain))
                if same is None:
                    if not _are_counts(counts):
                        raise _UnusualError
                    same = self._alike(total, counts)
                alike.append(same)
        except (_UnusualError, KeyError, TypeError, ValueError):
            matrix = _matrix_of(given)
            if matrix is None:
                return None
            shapes, (alike, scores) = [], self._read_with_care(matrix)
        else:
            if len(others) > roots:
                for total, _ in others[roots:]:
                    total.match.times -= 1
            for path, _ in scores:
                tree.by_key[path].ones -= 1
        for same in alike:
            same.times += 1
        for shape in shapes:
            if not shape.times:
                self._shapes.append(shape)
            shape.times += 1
        if len(self._shapes) + len(self._grown) > _MAX_WAITING:
            self._settle()
        return shapes, alike, scores

    def _tree_of(self, scopes: Json) -> _Tree:
        """Return the totals of matrices in which these paths are objects or lists."""
        _check_scopes(scopes)
        for tree in self._trees:
            if tree.scopes == scopes:
                self._tree = tree
                return tree
        self._tree = _Tree({**scopes})
        self._trees.append(self._tree)
        return self._tree

    def _read_with_care(self, matrix: dict[str, Json]) -> tuple[list[_Alike], list[tuple[str, Json]]]:
        overall, nodes = _read(matrix)
        beside = _read_beside(matrix)
        tree = self._tree_of(matrix.get("scopes", _NOTHING))
        others = [self._alike(self.overall, overall)]
        if not self._scored:
            others.append(self._alike(self.aggregate, _read_leaves(matrix, overall, nodes, beside)))
        for node in nodes:
            if not node.counts:
                continue
            total = tree.total_of(tree.key_of(node.path))
            others.append(self._alike(total, node.counts))
            above = tree.by_key.get(tree.key_of(node.parent)) if node.parent else tree.root
            if above:
                above.below[node.name] = total
        others += [self._alike(tree.total_of(key), counts) for key, counts in beside.items()]
        return others, [(tree.key_of(node.path), node.score) for node in nodes] if self._scored else []

    def _alike(self, total: _Total, counts: Counts) -> _Alike:
        """Return the nodes of a path that count this, none yet where it is new."""
        key = dumps(counts, _PLAIN)
        if key not in total.seen:
            total.seen[key] = _Alike(total.path, counts)
            self._grown.append(total)
        return total.seen[key]

    def _settle(self) -> None:
        """Bring the sums up to date, so that what is remembered of single nodes stays small."""
        for shape in self._shapes:
            for total in shape.totals:
                total.match.times += shape.times
                total.ones += shape.times
            shape.times = 0
        for total in self._grown:
            total.row()
        self._shapes, self._grown = [], []

    def merge(self, other: FieldTotals) -> None:
        """Add the counts of other matrices."""
        self.overall.add(other.overall.row())
        self.aggregate.add(other.aggregate.row())
        for key, row in other.rows().items():
            self.total_of(key).add(row)

    def total_of(self, key: str) -> _Total:
        """Return the total of a key, which is nothing yet where the key is new."""
        return self._tree.total_of(key)

    def rows(self) -> dict[str, list[int]]:
        """Return the sums of all keys, sorted."""
        self._settle()
        sums: dict[str, list[int]] = {}
        for tree in self._trees:
            for key, total in tree.by_key.items():
                row = total.row()
                sums[key] = [a + b for a, b in zip(sums[key], row, strict=True)] if key in sums else row
        return dict(sorted(sums.items()))

    def ones(self) -> dict[str, int]:
        """Return how many nodes of each key have the score 1.0 and are in no reading's scores."""
        self._settle()
        ones: dict[str, int] = {}
        for tree in self._trees:
            for key, total in tree.by_key.items():
                if total.ones:
                    ones[key] = ones.get(key, 0) + total.ones
        return ones


def _are_counts(values: Sequence[Json]) -> bool:
    return all(type(value) is int and not value >> _MAX_BITS for value in values)


class MalformedMatrixError(Exception):
    """A matrix cannot be counted; says where and why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason

    def record(self) -> dict[str, str]:
        """Return place and reason as they stand in ``errors``."""
        return {"path": self.path, "error": self.reason}


class _UnusualError(Exception):
    """A matrix must be read with care."""


class Node(NamedTuple):
    """A node below the root, with its place and what it counts; an empty tuple is nothing."""

    path: str
    parent: str
    name: str
    counts: Counts
    score: Json
    is_leaf: bool


def _matrix_of(given: Json) -> dict[str, Json] | None:
    """Return the matrix to count, None where there is nothing to count."""
    if given is None:
        return None
    if isinstance(given, dict) and "confusion_matrix" in given:
        given = given["confusion_matrix"]
        if given is None:
            raise MalformedMatrixError("", "confusion_matrix is null")
    if not isinstance(given, dict):
        raise MalformedMatrixError("", f"Expected a confusion matrix, got {_kind(given)}")
    return given or None


def _read(matrix: dict[str, Json]) -> tuple[Counts, list[Node]]:
    """Validate a whole matrix and return the counts of its root and its nodes, each once."""
    if _MATRIX_KEYS.isdisjoint(matrix):
        raise MalformedMatrixError("", "Expected counts, 'overall' or 'fields', found none of them")
    return _counts_of(matrix, ""), _walk(_children_of(matrix, ""))


def _read_beside(matrix: dict[str, Json]) -> dict[str, Counts]:
    """Return what a matrix counts beside its nodes, by key: values in place of objects, rows of lists of lists."""
    given = matrix.get("beside", _NOTHING)
    _check_object(given, "")
    found = {}
    for name, counts in given.items():
        for suffix, kind in _BESIDE.items():
            if isinstance(name, str) and name.endswith(suffix):
                path = name.removesuffix(suffix)
                found[path if kind == "values" else f"{path}[{kind}]"] = _counts_in(counts, name)
                break
        else:
            raise MalformedMatrixError("", f"Expected names that end with {' or '.join(_BESIDE)} in 'beside'")
    return found


def _check_scopes(scopes: Json) -> None:
    _check_object(scopes, "")
    if not all(isinstance(path, str) and kind in ("object", "rows") for path, kind in scopes.items()):
        raise MalformedMatrixError("", "Expected 'object' or 'rows' for each path in 'scopes'")


def _read_leaves(
    matrix: dict[str, Json], overall: Counts, nodes: Sequence[Node], beside: Mapping[str, Counts]
) -> Counts:
    """Return what the leaves of a matrix count: its own ``aggregate``, else its childless nodes, else its root."""
    aggregate = _counts_in(matrix.get("aggregate", _NOTHING), "")
    leaves = [node.counts for node in nodes if node.is_leaf and node.counts]
    leaves += [counts for key, counts in beside.items() if counts and kind_of_key(key)[1] == "values"]
    return aggregate or (tuple(map(sum, zip(*leaves, strict=True))) if nodes else overall)


def _walk(top: dict[str, Json]) -> list[Node]:
    """Return the nodes below the root, parents before their children."""
    found: list[Node] = []
    pending = [("", top, 1)]
    while pending:
        parent, children, depth = pending.pop()
        if depth > MAX_DEPTH or len(found) + len(children) > MAX_NODES:
            raise MalformedMatrixError(parent, _TOO_LARGE)
        for name, node in children.items():
            path = f"{parent}.{_step(name, parent)}" if parent else _step(name, parent)
            counts, inner = _counts_of(node, path), _children_of(node, path)
            found.append(Node(path, parent, name, counts, node.get(_SCORE), not inner))
            if inner:
                pending.append((path, inner, depth + 1))
    return found


def _counts_of(node: Json, path: str) -> Counts:
    """Return what a node counts: its own counts if it has any, else those of its ``overall``."""
    own = _counts_in(node, path)
    return own or _counts_in(node.get("overall", _NOTHING), path)


def _counts_in(given: Json, path: str) -> Counts:
    """Return the counts that an object has; a missing ``fp`` is the sum of its parts."""
    _check_object(given, path)
    said = {key: _count(given[key], path, key) for key in METRIC_KEYS if key in given}
    if not said:
        return ()
    fd, fa = said.get("fd", 0), said.get("fa", 0)
    fp = said.get("fp", fd + fa)
    return said.get("tp", 0), fp, said.get("tn", 0), said.get("fn", 0), fd, fa, int("fd" not in said)


def _count(value: Json, path: str, key: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise MalformedMatrixError(path, f"Expected a count for '{key}', got {_kind(value)}")
    if isinstance(value, float) and not value.is_integer():
        raise MalformedMatrixError(path, f"Expected a whole number for '{key}', got {value}")
    if value < 0:
        raise MalformedMatrixError(path, f"Expected a count for '{key}', got a number below 0")
    if value >= 1 << _MAX_BITS:
        raise MalformedMatrixError(path, f"Expected a count for '{key}' below 2**{_MAX_BITS}, got a larger number")
    return int(value)


def _children_of(node: dict[str, Json], path: str) -> dict[str, Json]:
    """Return the nodes below a node; one that stands in both places is taken from ``fields``."""
    fields, nested = node.get("fields", _NOTHING), node.get("nested_fields", _NOTHING)
    _check_object(fields, path)
    _check_object(nested, path)
    return {**nested, **fields}


def _check_group(group: Json) -> None:
    if not isinstance(group, str):
        raise MalformedMatrixError("", f"Expected the class of a document to be text, got {_kind(group)}")


def _check_object(value: Json, path: str) -> None:
    if not isinstance(value, dict):
        raise MalformedMatrixError(path, f"Expected an object, got {_kind(value)}")


def _step(name: Json, parent: str) -> str:
    """Write a name as a step of a path: dots, brackets and backslashes are escaped, no name is ``\\0``."""
    if not isinstance(name, str):
        raise MalformedMatrixError(parent, f"Expected names of fields to be text, got {_kind(name)}")
    return name.replace("\\", "\\\\").replace(".", "\\.").replace("[", "\\[") or "\\0"


def _kind(value: Json) -> str:
    return "null" if value is None else type(value).__name__


def _metrics_by_path(totals: FieldTotals) -> dict[str, dict[str, Json]]:
    rows = totals.rows()
    shown = {name: _metrics(rows[key]) for key, name in row_keys(rows).items()}
    return {name: shown[name] for name in sorted(shown)}


def _metrics(row: Sequence[int]) -> dict[str, Json]:
    return metrics_of(dict(zip(METRIC_KEYS, row, strict=False)), strict=not row[-1])


def _row(values: Json) -> list[int]:
    if not isinstance(values, list) or len(values) != _ROW:
        raise TypeError("a row has seven integers")
    return [_whole(value) for value in values]


def _error(record: Json) -> dict[str, str | None]:
    found = {key: record[key] for key in ("doc_id", "path", "error")}
    if any(type(value) is not str and (key != "doc_id" or value is not None) for key, value in found.items()):
        raise TypeError("an error has texts")
    return found


def _whole(value: Json) -> int:
    if type(value) is not int or value < 0 or value >> 2 * _MAX_BITS:
        raise TypeError("totals are integers from 0, none of them larger than counts can add up to")
    return value


def matrices_in(result: Json) -> Iterator[tuple[Json, str | None]]:
    """Yield the matrices of one evaluation result with their classes: one for each section, or the result itself."""
    if not (isinstance(result, dict) and isinstance(result.get("section_results"), list)):
        yield result, None
        return
    for section in result["section_results"]:
        if not isinstance(section, dict):
            yield section, None
            continue
        metrics = section.get("metrics") or _NOTHING
        held = metrics.get("confusion_matrix") if isinstance(metrics, dict) else metrics
        raw = section.get("stickler_comparison_result")
        matrix = held or (raw.get("confusion_matrix") if isinstance(raw, dict) else raw)
        yield matrix, section.get("document_class")


def main(paths: Sequence[str]) -> int:
    """Print the totals of the evaluation results in JSON files."""
    if not paths:
        sys.stdout.write(
            "usage: bulk_aggregator.py RESULT.json ...  (prints the totals of evaluation results as JSON)\n"
        )
        return 0
    aggregator = BulkEvaluationAggregator()
    for path in paths:
        try:
            result = json.loads(Path(path).read_bytes())
        except (OSError, ValueError, RecursionError) as error:
            sys.stderr.write(f"Expected JSON in {path}: {error}\n")
            return 2
        for matrix, group in matrices_in(result):
            aggregator.update(matrix, path, group=group)
    sys.stdout.write(json.dumps(aggregator.compute(), indent=2, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
