"""Counts and ratios of comparisons, and their totals over many documents. One file, standard library only.

Counts have six keys: ``tp`` (match), ``fd`` (mismatch), ``fa`` (spurious), ``fn`` (missed), ``tn`` (absent) and
``fp = fd + fa``. Ratios here give 0.0 where their denominator is 0.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self, TypeAlias

Json: TypeAlias = Any
"""JSON as it arrives."""

METRIC_KEYS = ("tp", "fp", "tn", "fn", "fd", "fa")
"""The six counts, in the order in which they are stored and shown."""

STATE_VERSION = 1
MAX_DEPTH = 200
"""Fields may be nested so deep; what goes deeper contains itself, or nobody made it on purpose."""
MAX_NODES = 100_000
"""One matrix may have so many fields; a few shared dicts can stand for more than any memory holds."""
_MAX_BITS = 53
"""A count is below 2**53: every JSON reader keeps it exact."""

_Counts: TypeAlias = tuple[int, int, int, int, int, int, int]
"""The six counts and, last, 1 where ``fd`` was not said."""

_NOTHING: dict[str, Json] = {}
_MATRIX_KEYS = frozenset((*METRIC_KEYS, "overall", "aggregate", "fields", "nested_fields"))
_TOO_LARGE = f"Expected at most {MAX_DEPTH} levels and {MAX_NODES} fields; does the matrix contain itself?"
_UNUSUAL_KEYS = frozenset((*METRIC_KEYS, "nested_fields"))
"""The usual node has its counts in ``overall`` and its children in ``fields``."""


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

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._documents = 0
        self._skipped = 0
        self._last_id: str | None = None
        self._overall = _Total()
        self._aggregate = _Total()
        self._fields: dict[str | None, _Fields] = {None: _Fields()}
        self._errors: list[dict[str, str | None]] = []

    def update(self, confusion_matrix: Json, doc_id: str | None = None, *, group: str | None = None) -> None:
        """Add one confusion matrix, or that of one comparison result, to the totals.

        Updates in a row with the same ``doc_id`` are one document, an update without one is a document. With a
        ``group``, such as the class of the document, the fields are also shown for that group. None and ``{}`` are
        skipped. A matrix that is malformed anywhere adds nothing at all but a record to ``errors``.
        """
        try:
            _check_group(group)
            matrix = _matrix_of(confusion_matrix)
            if matrix is None:
                self._skipped += 1
                return
            fields = self._fields.get(group) or _Fields()
            overall, aggregate = fields.add(matrix)
        except _MalformedError as error:
            self._errors.append({"doc_id": None if doc_id is None else str(doc_id), **error.record()})
            return
        self._fields[group] = fields
        self._overall.add(overall)
        self._aggregate.add(aggregate)
        if doc_id is None or doc_id != self._last_id:
            self._documents += 1
        self._last_id = doc_id

    def compute(self) -> dict[str, Any]:
        """Return the totals with their metrics.

        ``overall`` sums the matrices' own ``overall``; ``aggregate`` sums single values, the leaves. ``fields`` has
        a row for every path that has counts, parents and children, sorted. Strict metrics are None where a matrix
        did not say ``fd``. ``classes`` is there if a group was given.
        """
        everything = _Fields()
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
            self._fields.setdefault(group, _Fields()).merge(fields)
        self._errors.extend(other._errors)

    def to_state(self) -> dict[str, Json]:
        """Return the sums as JSON. The last document ends here: the next update after ``from_state`` is a new one."""
        return {
            "version": STATE_VERSION,
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
        if not isinstance(state, Mapping) or state.get("version") != STATE_VERSION:
            raise ValueError(f"Expected a state of version {STATE_VERSION}, as to_state makes it")
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
            self._fields[group] = fields = _Fields()
            for path, row in rows.items():
                fields.total_of(path).add(_row(row))
        self._errors = [_error(error) for error in state["errors"]]

    def _groups(self) -> list[tuple[str, _Fields]]:
        return sorted((group, fields) for group, fields in self._fields.items() if group is not None)

    def _sorted_errors(self) -> list[dict[str, str | None]]:
        # An order that does not depend on which part came first.
        return sorted(map(dict, self._errors), key=lambda e: (e["doc_id"] is not None, *map(str, e.values())))


class _Total:
    """A sum of counts; ``unsaid`` is the number of summands without ``fd``, ``inner`` the totals one level below."""

    __slots__ = ("fa", "fd", "fn", "fp", "inner", "tn", "tp", "unsaid")

    def __init__(self) -> None:
        self.tp = self.fp = self.tn = self.fn = self.fd = self.fa = self.unsaid = 0
        self.inner: dict[str, _Total] = {}

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


class _Fields:
    """The totals of all paths.

    ``_by_path`` is what was counted. ``_known`` finds the same totals by the names of fields, level by level, and
    holds only what a matrix has shown: the short way of ``add`` never makes a path.
    """

    __slots__ = ("_by_path", "_known")

    def __init__(self) -> None:
        self._by_path: dict[str, _Total] = {}
        self._known: dict[str, _Total] = {}

    def add(self, matrix: dict[str, Json]) -> tuple[Sequence[int], Sequence[int]]:
        """Add the nodes of a matrix, all or none of them, and return the counts of the root and of the leaves."""
        heads = _add_usual(matrix, self._known)
        if heads:
            return heads
        read = _read(matrix)
        for node in read.nodes:
            total = self.total_of(node.path)
            total.add(node.counts)
            above = self._by_path.get(node.parent)
            if above:
                above.inner[node.name] = total
            elif not node.parent:
                self._known[node.name] = total
        return read.overall, read.aggregate

    def merge(self, other: _Fields) -> None:
        """Add the totals of other fields."""
        for path, total in other._by_path.items():
            self.total_of(path).add(total.row())

    def total_of(self, path: str) -> _Total:
        """Return the total of a path, which is nothing yet where the path is new."""
        total = self._by_path.get(path)
        if total is None:
            total = self._by_path[path] = _Total()
        return total

    def metrics(self) -> dict[str, dict[str, Any]]:
        """Return the rows of all paths, sorted."""
        return {path: total.metrics() for path, total in sorted(self._by_path.items())}

    def rows(self) -> dict[str, list[int]]:
        """Return the sums of all paths, sorted."""
        return {path: total.row() for path, total in sorted(self._by_path.items())}


def _add_usual(matrix: dict[str, Json], known: dict[str, _Total]) -> tuple[_Counts, _Counts] | None:
    """Add the nodes of a usual matrix and return the counts of root and leaves; None where it must be read with care.

    In a usual matrix, such as the engine makes, every node has ``fields`` and an ``overall`` with six integers, and
    every field is known. Nothing is added before everything has been looked at.
    """
    if not _UNUSUAL_KEYS.isdisjoint(matrix):
        return None
    try:
        overall, aggregate = _usual_counts(matrix["overall"]), _usual_counts(matrix["aggregate"])
        found = _find_usual(matrix["fields"], known)
    except KeyError:
        return None
    if overall is None or aggregate is None or found is None:
        return None
    matches, others = found
    for total in matches:
        total.tp += 1
    for total, counts in others:
        total.add(counts)
    return overall, aggregate


def _find_usual(top: Json, known: dict[str, _Total]) -> tuple[list[_Total], list[tuple[_Total, _Counts]]] | None:
    """Return the totals of nodes with a single match, and those of all others with their counts.

    Most leaves are single matches. They are told by the identity of 0 and 1, which Python may but need not share;
    where it does not, they are among the others. KeyError: something is not known or not there. This loop is the cost
    of counting a document, so it calls little.
    """
    zero, one, none_of = 0, 1, _UNUSUAL_KEYS.isdisjoint
    matches: list[_Total] = []
    others: list[tuple[_Total, _Counts]] = []
    pending = [(top, known)]
    while pending:
        nodes, totals = pending.pop()
        if type(nodes) is not dict:
            return None
        for name, node in nodes.items():
            if type(node) is not dict or not none_of(node):
                return None
            source, inner = node["overall"], node["fields"]
            if type(source) is not dict:
                return None
            if (
                source["tp"] is one
                and source["fp"] is zero
                and source["fd"] is zero
                and source["fn"] is zero
                and source["tn"] is zero
                and source["fa"] is zero
            ):
                matches.append(totals[name])
            elif counts := _usual_counts(source):
                others.append((totals[name], counts))
            else:
                return None
            if inner or type(inner) is not dict:
                pending.append((inner, totals[name].inner))
    return matches, others


def _usual_counts(source: Json) -> _Counts | None:
    """Return the counts of an object that has all six as integers; KeyError where one is missing."""
    if type(source) is not dict:
        return None
    tp, fp, tn = source["tp"], source["fp"], source["tn"]
    fn, fd, fa = source["fn"], source["fd"], source["fa"]
    integers = type(tp) is type(fp) is type(tn) is type(fn) is type(fd) is type(fa) is int
    if not integers or (tp | fp | tn | fn | fd | fa) >> _MAX_BITS:
        return None
    return tp, fp, tn, fn, fd, fa, 0


class _MalformedError(Exception):
    """A matrix cannot be counted; says where and why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason

    def record(self) -> dict[str, str]:
        """Return place and reason as they stand in ``errors``."""
        return {"path": self.path, "error": self.reason}


class _Node(NamedTuple):
    """A node that counts, with its place."""

    path: str
    parent: str
    name: str
    counts: _Counts
    is_leaf: bool


class _Matrix(NamedTuple):
    """Everything that a matrix counts; what it does not count is an empty tuple."""

    overall: Sequence[int]
    aggregate: Sequence[int]
    nodes: list[_Node]


def _matrix_of(given: Json) -> dict[str, Json] | None:
    """Return the matrix to count, None where there is nothing to count."""
    if given is None:
        return None
    if isinstance(given, dict) and "confusion_matrix" in given:
        given = given["confusion_matrix"]
        if given is None:
            raise _MalformedError("", "confusion_matrix is null")
    if not isinstance(given, dict):
        raise _MalformedError("", f"Expected a confusion matrix, got {_kind(given)}")
    return given or None


def _read(matrix: dict[str, Json]) -> _Matrix:
    """Validate a whole matrix and return what it counts, each node once."""
    if _MATRIX_KEYS.isdisjoint(matrix):
        raise _MalformedError("", "Expected counts, 'overall' or 'fields', found none of them")
    overall = _counts_of(matrix, "")
    top = _children_of(matrix, "")
    nodes = _walk(top)
    aggregate: Sequence[int] = _counts_in(matrix.get("aggregate", _NOTHING), "")
    if not aggregate:
        leaves = [node.counts for node in nodes if node.is_leaf]
        aggregate = [sum(column) for column in zip(*leaves, strict=True)] if top else overall
    return _Matrix(overall, aggregate, nodes)


def _walk(top: dict[str, Json]) -> list[_Node]:
    """Return the nodes below the root that count, parents before their children."""
    found: list[_Node] = []
    pending = [("", top, 1)]
    seen = 0
    while pending:
        parent, children, depth = pending.pop()
        seen += len(children)
        if depth > MAX_DEPTH or seen > MAX_NODES:
            raise _MalformedError(parent, _TOO_LARGE)
        for name, node in children.items():
            path = f"{parent}.{_step(name, parent)}" if parent else _step(name, parent)
            counts, inner = _counts_of(node, path), _children_of(node, path)
            if counts:
                found.append(_Node(path, parent, name, counts, not inner))
            if inner:
                pending.append((path, inner, depth + 1))
    return found


def _counts_of(node: Json, path: str) -> _Counts | tuple[()]:
    """Return what a node counts: its own counts if it has any, else those of its ``overall``."""
    own = _counts_in(node, path)
    return own or _counts_in(node.get("overall", _NOTHING), path)


def _counts_in(given: Json, path: str) -> _Counts | tuple[()]:
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
        raise _MalformedError(path, f"Expected a count for '{key}', got {_kind(value)}")
    if isinstance(value, float) and not value.is_integer():
        raise _MalformedError(path, f"Expected a whole number for '{key}', got {value}")
    if value < 0:
        raise _MalformedError(path, f"Expected a count for '{key}', got a number below 0")
    if value >= 1 << _MAX_BITS:
        raise _MalformedError(path, f"Expected a count for '{key}' below 2**{_MAX_BITS}, got a larger number")
    return int(value)


def _children_of(node: dict[str, Json], path: str) -> dict[str, Json]:
    """Return the nodes below a node; one that stands in both places is taken from ``fields``."""
    fields, nested = node.get("fields", _NOTHING), node.get("nested_fields", _NOTHING)
    _check_object(fields, path)
    _check_object(nested, path)
    return {**nested, **fields}


def _check_group(group: Json) -> None:
    if group is not None and not isinstance(group, str):
        raise _MalformedError("", f"Expected the class of a document to be text, got {_kind(group)}")


def _check_object(value: Json, path: str) -> None:
    if not isinstance(value, dict):
        raise _MalformedError(path, f"Expected an object, got {_kind(value)}")


def _step(name: Json, parent: str) -> str:
    """Write a name as a step of a path: dots, brackets and backslashes are escaped, no name is ``\\0``."""
    if not isinstance(name, str):
        raise _MalformedError(parent, f"Expected names of fields to be text, got {_kind(name)}")
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
