"""Counts and ratios of comparisons, and their totals over many documents. One file, standard library only.

Counts have six keys: ``tp`` (match), ``fd`` (mismatch), ``fa`` (spurious), ``fn`` (missed), ``tn`` (absent) and
``fp = fd + fa``. Ratios here give 0.0 where their denominator is 0.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

Json: TypeAlias = Any
"""JSON as it arrives."""

METRIC_KEYS = ("tp", "fp", "tn", "fn", "fd", "fa")
"""The six counts, in the order in which they are stored and shown."""

MAX_DEPTH = 200
"""Fields may be nested so deep; what goes deeper contains itself, or nobody made it on purpose."""
MAX_NODES = 100_000
"""One matrix may have so many fields; a few shared dicts can stand for more than any memory holds."""
_MAX_BITS = 53
"""A count is below 2**53: every JSON reader keeps it exact."""

Counts: TypeAlias = tuple[int, int, int, int, int, int, int]
"""The six counts and, last, 1 where ``fd`` was not said."""

_MAX_SHAPES = 1_000
_NOTHING: dict[str, Json] = {}
_MATRIX_KEYS = frozenset((*METRIC_KEYS, "overall", "aggregate", "fields", "nested_fields"))
_TOO_LARGE = f"Expected at most {MAX_DEPTH} levels and {MAX_NODES} fields; does the matrix contain itself?"
_is_usual = frozenset((*METRIC_KEYS, "nested_fields")).isdisjoint
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


def metrics_of(counts: Mapping[str, int], *, strict: bool = True) -> dict[str, Any]:
    """Return the six counts, a missing one being 0, and the ratios of their sums (micro-averages).

    precision = tp/(tp+fp), recall = tp/(tp+fn), f1 = 2PR/(P+R), accuracy = (tp+tn)/(tp+tn+fp+fn).
    A wrong value lowers the strict ones too: strict_recall = tp/(tp+fn+fd), strict_f1 = 2tp/(2tp+2fd+fa+fn).
    They are None with ``strict=False``, for counts in which ``fd`` is not known.

    >>> row = metrics_of({"tp": 3, "fp": 1, "fd": 1, "fn": 1})
    >>> row["precision"], row["recall"], row["strict_recall"]
    (0.75, 0.75, 0.6)
    """
    row: dict[str, Any] = {key: int(counts.get(key, 0)) for key in METRIC_KEYS}
    tp, fp, tn, fn, fd, fa = row.values()
    precision, recall = ratio(tp, tp + fp), ratio(tp, tp + fn)
    row["precision"] = precision
    row["recall"] = recall
    row["f1"] = ratio(2 * precision * recall, precision + recall)
    row["accuracy"] = ratio(tp + tn, tp + tn + fp + fn)
    row["strict_recall"] = ratio(tp, tp + fn + fd) if strict else None
    row["strict_f1"] = ratio(2 * tp, 2 * tp + 2 * fd + fa + fn) if strict else None
    return row


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
        self._overall = _Total()
        self._aggregate = _Total()
        self._fields: dict[str | None, FieldTotals] = {None: FieldTotals()}
        self._errors: list[dict[str, str | None]] = []

    def update(self, confusion_matrix: Json, doc_id: str | None = None, *, group: str | None = None) -> None:
        """Add one confusion matrix, or that of one comparison result, to the totals.

        Updates in a row with the same ``doc_id`` are one document, an update without one is a document. With a
        ``group``, such as the class of the document, the fields are also shown for that group. None and ``{}`` are
        skipped. A matrix that is malformed anywhere adds nothing at all but a record to ``errors``.
        """
        try:
            _check_group(group)
            matrix = matrix_of(confusion_matrix)
            if matrix is None:
                self._skipped += 1
                return
            fields = self._fields.get(group) or FieldTotals()
            reading = fields.read(matrix)
        except MalformedMatrixError as error:
            self._errors.append({"doc_id": None if doc_id is None else str(doc_id), **error.record()})
            return
        self._fields[group] = fields
        fields.add(reading)
        self._count(reading, doc_id)

    def _count(self, reading: Reading, doc_id: str | None) -> None:
        """Add a matrix, whose fields are added already, to the document that it belongs to."""
        self._overall.add(reading.overall)
        self._aggregate.add(reading.aggregate)
        if doc_id is None or doc_id != self._last_id:
            self._documents += 1
        self._last_id = doc_id

    def compute(self) -> dict[str, Any]:
        """Return the totals with their metrics.

        ``overall`` sums the matrices' own ``overall``; ``aggregate`` sums single values, the leaves. ``fields`` has
        a row for every path that has counts, parents and children, sorted. Strict metrics are None where a matrix
        did not say ``fd``. ``classes`` is there if a group was given.
        """
        everything = FieldTotals()
        for fields in self._fields.values():
            everything.merge(fields)
        result: dict[str, Any] = {
            "document_count": self._documents,
            "overall": self._overall.metrics(),
            "fields": everything.metrics(),
            "errors": self._sorted_errors(),
            "aggregate": self._aggregate.metrics(),
            "skipped_count": self._skipped,
        }
        if groups := self._groups():
            result["classes"] = {group: {"fields": fields.metrics()} for group, fields in groups}
        return result

    def merge(self, other: BulkEvaluationAggregator) -> None:
        """Add the totals of another aggregator, which has seen other documents."""
        self._documents += other._documents
        self._skipped += other._skipped
        self._overall.add(other._overall.row())
        self._aggregate.add(other._aggregate.row())
        for group, fields in other._fields.items():
            self._fields.setdefault(group, FieldTotals()).merge(fields)
        self._errors.extend(other._errors)

    def to_state(self) -> dict[str, Json]:
        """Return the sums as JSON. The last document ends here: the next update after ``from_state`` is a new one."""
        return {
            "version": self.STATE_VERSION,
            "document_count": self._documents,
            "skipped_count": self._skipped,
            "overall": self._overall.row(),
            "aggregate": self._aggregate.row(),
            "fields": self._fields[None].rows(),
            "groups": {group: fields.rows() for group, fields in self._groups()},
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
        self._overall.add(_row(state["overall"]))
        self._aggregate.add(_row(state["aggregate"]))
        for group, rows in [(None, state["fields"]), *state["groups"].items()]:
            self._fields[group] = fields = FieldTotals()
            for path, row in rows.items():
                fields.total_of(path).add(_row(row))
        self._errors = [_error(error) for error in state["errors"]]

    def _groups(self) -> list[tuple[str, FieldTotals]]:
        return sorted((group, fields) for group, fields in self._fields.items() if group is not None)

    def _sorted_errors(self) -> list[dict[str, str | None]]:
        # An order that does not depend on which part came first.
        return sorted(map(dict, self._errors), key=lambda e: (e["doc_id"] is not None, *map(str, e.values())))


class _Total:
    """The sum of a path's counts; ``unsaid`` is the number of summands without ``fd``.

    It also remembers the fields below the nodes of its path.
    """

    __slots__ = ("below", "fa", "fd", "fn", "fp", "path", "shape", "tn", "tp", "unsaid")

    def __init__(self, path: str = "") -> None:
        self.path = path
        self.tp = self.fp = self.tn = self.fn = self.fd = self.fa = self.unsaid = 0
        self.below: dict[str, _Total] = {}
        self.shape = Shape({})

    def add(self, counts: Sequence[int]) -> None:
        """Add counts in the order of METRIC_KEYS, and whether ``fd`` was unsaid; an empty sequence is nothing."""
        if not counts:
            return
        tp, fp, tn, fn, fd, fa, unsaid = counts
        self.tp += tp
        self.fp += fp
        self.tn += tn
        self.fn += fn
        self.fd += fd
        self.fa += fa
        self.unsaid += unsaid

    def row(self) -> list[int]:
        """Return the sums in the order in which ``add`` takes them."""
        return [self.tp, self.fp, self.tn, self.fn, self.fd, self.fa, self.unsaid]

    def metrics(self) -> dict[str, Any]:
        """Return the sums with their ratios."""
        return metrics_of(dict(zip(METRIC_KEYS, self.row(), strict=False)), strict=not self.unsaid)

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


class Reading(NamedTuple):
    """Everything that one matrix counts; what it does not count is an empty tuple.

    Each field of a shape in ``shapes`` has one match, to which ``others`` adds; in a field without a match ``tp`` is
    -1 there. Nodes that were read with care are in ``nodes`` and have all their counts in ``others``.
    """

    overall: Sequence[int]
    aggregate: Sequence[int]
    shapes: list[tuple[Shape, dict[str, Json]]]
    others: list[tuple[_Total, Counts]]
    nodes: Sequence[Node] = ()

    def rows(self) -> dict[str, list[int]]:
        """Return the counts of every path."""
        rows = {total.path: [1, 0, 0, 0, 0, 0, 0] for shape, _ in self.shapes for total in shape.totals}
        for total, counts in self.others:
            held = rows.get(total.path)
            rows[total.path] = [a + b for a, b in zip(held, counts, strict=True)] if held else [*counts]
        return rows


class FieldTotals:
    """The totals of all paths. Matrices that look like earlier ones are read without making a path."""

    __slots__ = ("_by_path", "_root", "_shapes")

    def __init__(self) -> None:
        self._by_path: dict[str, _Total] = {}
        self._root = _Total()
        self._shapes: list[Shape] = []

    def read(self, matrix: dict[str, Json], *, with_aggregate: bool = True) -> Reading:
        """Return what a matrix counts, without adding it; MalformedMatrixError where it cannot be counted."""
        return self._read_usual(matrix, with_aggregate=with_aggregate) or self._read_with_care(matrix)

    def _read_usual(self, matrix: dict[str, Json], *, with_aggregate: bool) -> Reading | None:
        """Return what a usual matrix counts, None where it must be read with care.

        In a usual matrix, such as the engine makes, every node has ``fields`` and an ``overall`` with six integers,
        and every field is known. Most leaves are single matches. They are told by the identity of 0 and 1, which
        Python may but need not share; where it does not, they are among the others. This loop is the cost of counting
        a document, so it calls little.
        """
        zero, one, is_usual = 0, 1, _is_usual
        shapes: list[tuple[Shape, dict[str, Json]]] = []
        others: list[tuple[_Total, Counts]] = []
        try:
            overall = _usual_counts(matrix["overall"])
            aggregate = _usual_counts(matrix["aggregate"]) if with_aggregate else ()
            pending = [(matrix["fields"], self._root)]
            for nodes, above in pending:
                if type(nodes) is not dict:
                    return None
                shape = above.shape
                if [*nodes] != shape.names:
                    shape = above.shape_of(nodes)
                shapes.append((shape, nodes))
                for total, node in zip(shape.totals, nodes.values(), strict=True):
                    if type(node) is not dict or not is_usual(node):
                        return None
                    source, inner = node["overall"], node["fields"]
                    if type(source) is not dict:
                        return None
                    if not (
                        source["tp"] is one
                        and source["fp"] is zero
                        and source["fd"] is zero
                        and source["fn"] is zero
                        and source["tn"] is zero
                        and source["fa"] is zero
                    ):
                        tp, fp, tn, fn, fd, fa, _ = _usual_counts(source)
                        others.append((total, (tp - 1, fp, tn, fn, fd, fa, 0)))
                    if inner or type(inner) is not dict:
                        pending.append((inner, total))
            return Reading(overall, aggregate, shapes, others) if is_usual(matrix) else None
        except (KeyError, TypeError):
            return None

    def _read_with_care(self, matrix: dict[str, Json]) -> Reading:
        overall, aggregate, nodes = _read(matrix)
        others: list[tuple[_Total, Counts]] = []
        for node in nodes:
            if not node.counts:
                continue
            total = self.total_of(node.path)
            others.append((total, node.counts))
            above = self._by_path.get(node.parent) if node.parent else self._root
            if above:
                above.below[node.name] = total
        return Reading(overall, aggregate, [], others, nodes)

    def add(self, reading: Reading) -> None:
        """Add what these totals have read."""
        for shape, _ in reading.shapes:
            if not shape.times:
                self._shapes.append(shape)
            shape.times += 1
        for total, counts in reading.others:
            total.add(counts)
        if len(self._shapes) > _MAX_SHAPES:
            self._settle()

    def _settle(self) -> None:
        for shape in self._shapes:
            for total in shape.totals:
                total.tp += shape.times
            shape.times = 0
        self._shapes = []

    def merge(self, other: FieldTotals) -> None:
        """Add the totals of other fields."""
        for path, total in other.totals().items():
            self.total_of(path).add(total.row())

    def total_of(self, path: str) -> _Total:
        """Return the total of a path, which is nothing yet where the path is new."""
        total = self._by_path.get(path)
        if total is None:
            total = self._by_path[path] = _Total(path)
        return total

    def totals(self) -> dict[str, _Total]:
        """Return the totals by path, sorted."""
        self._settle()
        return dict(sorted(self._by_path.items()))

    def metrics(self) -> dict[str, dict[str, Any]]:
        """Return the rows of all paths, sorted."""
        return {path: total.metrics() for path, total in self.totals().items()}

    def rows(self) -> dict[str, list[int]]:
        """Return the sums of all paths, sorted."""
        return {path: total.row() for path, total in self.totals().items()}


def _usual_counts(source: Json) -> Counts:
    """Return the counts of an object that has all six as integers; KeyError or TypeError for any other."""
    if type(source) is not dict:
        raise TypeError("counts are an object")
    tp, fp, tn, fn, fd, fa = _six_of(source)
    integers = type(tp) is type(fp) is type(tn) is type(fn) is type(fd) is type(fa) is int
    if not integers or (tp | fp | tn | fn | fd | fa) >> _MAX_BITS:
        raise TypeError("counts are integers")
    return tp, fp, tn, fn, fd, fa, 0


class MalformedMatrixError(Exception):
    """A matrix cannot be counted; says where and why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason

    def record(self) -> dict[str, str]:
        """Return place and reason as they stand in ``errors``."""
        return {"path": self.path, "error": self.reason}


class Node(NamedTuple):
    """A node below the root, with its place and what it counts; an empty tuple is nothing."""

    path: str
    parent: str
    name: str
    counts: Counts | tuple[()]
    held: dict[str, Json]
    is_leaf: bool


def matrix_of(given: Json) -> dict[str, Json] | None:
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


def _read(matrix: dict[str, Json]) -> tuple[Sequence[int], Sequence[int], list[Node]]:
    """Validate a whole matrix and return the counts of its root, those of its leaves, and its nodes, each once."""
    if _MATRIX_KEYS.isdisjoint(matrix):
        raise MalformedMatrixError("", "Expected counts, 'overall' or 'fields', found none of them")
    overall = _counts_of(matrix, "")
    top = _children_of(matrix, "")
    nodes = _walk(top)
    aggregate: Sequence[int] = _counts_in(matrix.get("aggregate", _NOTHING), "")
    if not aggregate:
        leaves = [node.counts for node in nodes if node.is_leaf and node.counts]
        aggregate = [sum(column) for column in zip(*leaves, strict=True)] if top else overall
    return overall, aggregate, nodes


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
            found.append(Node(path, parent, name, counts, node, not inner))
            if inner:
                pending.append((path, inner, depth + 1))
    return found


def _counts_of(node: Json, path: str) -> Counts | tuple[()]:
    """Return what a node counts: its own counts if it has any, else those of its ``overall``."""
    own = _counts_in(node, path)
    return own or _counts_in(node.get("overall", _NOTHING), path)


def _counts_in(given: Json, path: str) -> Counts | tuple[()]:
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
    if group is not None and not isinstance(group, str):
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


def _row(values: Json) -> list[int]:
    if not isinstance(values, list) or len(values) != len(METRIC_KEYS) + 1:
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
        matrix = held or section.get("stickler_comparison_result")
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
