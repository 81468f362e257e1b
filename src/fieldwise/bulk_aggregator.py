"""Counts and ratios of comparisons, and their totals over many documents. One file, standard library only.

Counts have six keys: ``tp`` (match), ``fd`` (mismatch), ``fa`` (spurious), ``fn`` (missed), ``tn`` (absent) and
``fp = fd + fa``. Ratios here give 0.0 where their denominator is 0.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import zip_longest
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
"""The six counts, then 1 if ``fd`` was left unsaid; no counts are an empty tuple."""
Node: TypeAlias = tuple[str, Counts, float | None]
"""The key of a node, what it counts, and its score where it has one."""
Rows: TypeAlias = dict[str, list[int]]
"""Sums by key: the six counts and how many of the counted did not say ``fd``."""

Kind: TypeAlias = Literal["values", "object", "rows", "grid"]
"""What a path counts: values, objects, the rows of a list, or those of a list of lists, whose values have its path."""
_KINDS: tuple[Kind, ...] = ("object", "rows", "grid")
_BESIDE: dict[str, Kind] = {"[values]": "values", "[rows]": "grid"}

_SCORE = "threshold_applied_score"
ROW = len(METRIC_KEYS) + 1
"""The sums of a key: the six counts and, last, how many nodes did not say ``fd``."""
_NOTHING: dict[str, Json] = {}
_six_of = itemgetter(*METRIC_KEYS)
_COUNT_KEYS = frozenset(METRIC_KEYS)
MAX_WAITING = 1_000
"""Nodes wait to be added until they are so many: most are the same, and are added at once."""
_MATRIX_KEYS = frozenset((*METRIC_KEYS, "overall", "aggregate", "fields", "nested_fields"))
_TOO_LARGE = f"Expected at most {MAX_DEPTH} levels and {MAX_NODES} fields; does the matrix contain itself?"


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

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self._documents = 0
        self._skipped = 0
        self._last_id: str | None = None
        self._overall = [0] * ROW
        self._leaves = [0] * ROW
        self._rows: dict[str | None, Rows] = {None: {}}
        """By group; what belongs to none is under None."""
        self._waiting: dict[str | None, list[Node]] = {}
        """The nodes of the last matrices, by group."""
        self._errors: list[dict[str, str | None]] = []

    def update(self, confusion_matrix: Json, doc_id: str | None = None, *, group: str | None = None) -> None:
        """Add one confusion matrix, or that of one comparison result, to the totals.

        Updates in a row with the same ``doc_id`` are one document, an update without one is a document. With a
        ``group``, such as the class of the document, the fields are also shown for that group. None and ``{}`` are
        skipped. A matrix that is malformed anywhere adds nothing at all but a record to ``errors``.
        """
        try:
            if group is not None:
                check_group(group)
            reading = read_matrix(confusion_matrix)
        except MalformedMatrixError as error:
            self._errors.append({"doc_id": None if doc_id is None else str(doc_id), **error.record()})
            return
        if reading is None:
            self._skipped += 1
            return
        if doc_id is None or doc_id != self._last_id:
            self._documents += 1
        self._last_id = doc_id
        add_counts(self._overall, reading.overall)
        add_counts(self._leaves, reading.leaves)
        waiting = self._waiting.setdefault(group, [])
        waiting += reading.nodes
        if len(waiting) > MAX_WAITING:
            self._settle()

    def _settle(self) -> None:
        """Bring the sums up to date."""
        for group, waiting in self._waiting.items():
            add_nodes(self._rows.setdefault(group, {}), Counter(waiting))
        self._waiting = {}

    def compute(self) -> dict[str, Json]:
        """Return the totals with their metrics.

        ``overall`` sums the matrices' own ``overall``; ``aggregate`` sums single values, the leaves. ``fields`` has
        a row for every path that has counts, parents and children, sorted; where some matrices have an object or a
        list and others a value, each has its own row (`row_keys`). Strict metrics are None where a matrix did not say
        ``fd``. ``classes`` is there if a group was given.
        """
        self._settle()
        result: dict[str, Json] = {
            "document_count": self._documents,
            "overall": metrics_of_row(self._overall),
            "fields": _metrics_by_path(self._all_rows()),
            "errors": self._sorted_errors(),
            "aggregate": metrics_of_row(self._leaves),
            "skipped_count": self._skipped,
        }
        if groups := self._groups():
            result["classes"] = {group: {"fields": _metrics_by_path(rows)} for group, rows in groups}
        return result

    def merge(self, other: BulkEvaluationAggregator) -> None:
        """Add the totals of another aggregator, which has seen other documents."""
        self._documents += other._documents
        self._skipped += other._skipped
        add_counts(self._overall, other._overall)
        add_counts(self._leaves, other._leaves)
        other._settle()
        for group, rows in other._rows.items():
            add_rows(self._rows.setdefault(group, {}), rows)
        self._errors.extend(other._errors)

    def to_state(self) -> dict[str, Json]:
        """Return the sums as JSON. The last document ends here: the next update after ``from_state`` is a new one."""
        self._settle()
        return {
            "version": self.STATE_VERSION,
            "document_count": self._documents,
            "skipped_count": self._skipped,
            "overall": [*self._overall],
            "aggregate": [*self._leaves],
            "fields": _sorted_rows(self._rows[None]),
            "groups": {group: _sorted_rows(rows) for group, rows in self._groups()},
            "errors": self._sorted_errors(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> Self:
        """Return an aggregator with the sums of ``to_state``; ValueError for anything else."""
        if not isinstance(state, Mapping) or state.get("version") != cls.STATE_VERSION:
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
            self._rows[group] = {path: _row(row) for path, row in rows.items()}
        self._overall, self._leaves = _row(state["overall"]), _row(state["aggregate"])
        self._errors = [_error(error) for error in state["errors"]]

    def _all_rows(self) -> Rows:
        everything: Rows = {}
        for rows in self._rows.values():
            add_rows(everything, rows)
        return everything

    def _groups(self) -> list[tuple[str, Rows]]:
        return sorted((group, rows) for group, rows in self._rows.items() if group is not None)

    def _sorted_errors(self) -> list[dict[str, str | None]]:
        # An order that does not depend on which part came first.
        return sorted(map(dict, self._errors), key=lambda e: (e["doc_id"] is not None, *map(str, e.values())))


def add_counts(sums: list[int], counts: Sequence[int]) -> None:
    """Add counts to sums, place by place."""
    for at, count in enumerate(counts):
        if count:
            sums[at] += count


def add_rows(sums: Rows, rows: Mapping[str, Sequence[int]]) -> None:
    """Add counts to the sums of their keys."""
    for key, counts in rows.items():
        add_counts(sums.get(key) or sums.setdefault(key, [0] * ROW), counts)


def add_nodes(sums: Rows, nodes: Mapping[Node, int]) -> None:
    """Add nodes to the sums of their keys, given how many are the same: most are."""
    for (key, counts, _), times in nodes.items():
        if counts:
            add_counts(sums.get(key) or sums.setdefault(key, [0] * ROW), [count * times for count in counts])


def _sorted_rows(rows: Rows) -> Rows:
    return {key: [*rows[key]] for key in sorted(rows)}


class MalformedMatrixError(Exception):
    """A matrix cannot be counted; says where and why."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason

    def record(self) -> dict[str, str]:
        """Return place and reason as they stand in ``errors``."""
        return {"path": self.path, "error": self.reason}


class Reading(NamedTuple):
    """What one matrix counts: itself, all its leaves, and each of its nodes."""

    overall: Counts
    leaves: Counts
    nodes: Sequence[Node]


def read_matrix(given: Json) -> Reading | None:
    """Return what a matrix counts, or that of a comparison result; None where there is nothing to count.

    Every node is checked and read once, and counts once. A matrix that cannot be counted raises
    MalformedMatrixError.
    """
    matrix = _matrix_of(given)
    if matrix is None:
        return None
    overall = _counts_in(matrix.get("overall", _NOTHING) if _COUNT_KEYS.isdisjoint(matrix) else matrix, "")
    pending = [("", _children_of(matrix, ""), 1)]
    scopes = _scopes_of(matrix)
    found: list[Node] = []
    leaves: list[Counts] = []
    number = 0
    while pending:
        parent, nodes, depth = pending.pop()
        number += len(nodes)
        if depth > MAX_DEPTH or number > MAX_NODES:
            raise MalformedMatrixError(parent, _TOO_LARGE)
        for name, node in nodes.items():
            path = _path(parent, name)
            if not isinstance(node, dict):
                raise _no_object(node, path)
            counts = _counts_in(node.get("overall", _NOTHING) if _COUNT_KEYS.isdisjoint(node) else node, path)
            inner = node.get("fields", _NOTHING)
            if "nested_fields" in node or not isinstance(inner, dict):
                inner = _children_of(node, path)
            key = f"{path}[{scopes[path]}]" if path in scopes else path
            if inner:
                pending.append((path, inner, depth + 1))
            elif counts:
                leaves.append(counts)
            score = node.get(_SCORE)
            if type(score) is not float and (isinstance(score, bool) or not isinstance(score, (int, float))):
                score = None
            found.append((key, counts, score))
    if "beside" in matrix:
        for key, counts in _read_beside(matrix["beside"]):
            found.append((key, counts, None))
            if kind_of_key(key)[1] == "values":
                leaves.append(counts)
    # All leaves are the matrix's own aggregate, else its childless nodes, else its root.
    aggregate = _counts_in(matrix.get("aggregate", _NOTHING), "")
    if not aggregate:
        aggregate = tuple(map(sum, zip_longest(*leaves, fillvalue=0))) if number else overall
    return Reading(overall, aggregate, found)


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
    if given and _MATRIX_KEYS.isdisjoint(given):
        raise MalformedMatrixError("", "Expected counts, 'overall' or 'fields', found none of them")
    return given or None


def _read_beside(given: Json) -> Iterator[tuple[str, Counts]]:
    """Yield what a matrix counts beside its nodes, by key: values in place of objects, rows of lists of lists."""
    if not isinstance(given, dict):
        raise _no_object(given, "")
    for name, counts in given.items():
        for suffix, kind in _BESIDE.items():
            if isinstance(name, str) and name.endswith(suffix):
                path = name.removesuffix(suffix)
                # A key that stands here has a row, even of nothing.
                yield path if kind == "values" else f"{path}[{kind}]", _counts_in(counts, name) or (0,) * ROW
                break
        else:
            raise MalformedMatrixError("", f"Expected names that end with {' or '.join(_BESIDE)} in 'beside'")


def _scopes_of(matrix: dict[str, Json]) -> dict[str, Json]:
    """Return which paths are objects and which are lists of rows."""
    scopes = matrix.get("scopes", _NOTHING)
    if not isinstance(scopes, dict):
        raise _no_object(scopes, "")
    for path, kind in scopes.items():
        if not isinstance(path, str) or kind not in ("object", "rows"):
            raise MalformedMatrixError("", "Expected 'object' or 'rows' for each path in 'scopes'")
    return scopes


def _counts_in(given: Json, path: str) -> Counts:
    """Return the counts that an object has; a missing ``fp`` is the sum of its parts."""
    if type(given) is dict:
        try:
            six: Counts = _six_of(given)
        except KeyError:
            pass  # some are left out
        else:
            tp, fp, tn, fn, fd, fa = six
            are_whole = type(tp) is type(fp) is type(tn) is type(fn) is type(fd) is type(fa) is int
            if are_whole and not (tp | fp | tn | fn | fd | fa) >> _MAX_BITS:  # neither negative nor too large
                return six
    if not isinstance(given, dict):
        raise _no_object(given, path)
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
    fields = node.get("fields", _NOTHING)
    if not isinstance(fields, dict):
        raise _no_object(fields, path)
    if "nested_fields" not in node:
        return fields
    if not isinstance(node["nested_fields"], dict):
        raise _no_object(node["nested_fields"], path)
    return {**node["nested_fields"], **fields}


def check_group(group: Json) -> None:
    """Refuse a class of a document that is no text."""
    if not isinstance(group, str):
        raise MalformedMatrixError("", f"Expected the class of a document to be text, got {_kind(group)}")


def _no_object(value: Json, path: str) -> MalformedMatrixError:
    return MalformedMatrixError(path, f"Expected an object, got {_kind(value)}")


@lru_cache(maxsize=100_000)  # the same paths come with every document
def _path(parent: str, name: Json) -> str:
    """Return the path of a node: dots, brackets and backslashes of a name are escaped, no name is ``\\0``."""
    if not isinstance(name, str):
        raise MalformedMatrixError(parent, f"Expected names of fields to be text, got {_kind(name)}")
    step = name.replace("\\", "\\\\").replace(".", "\\.").replace("[", "\\[") or "\\0"
    return f"{parent}.{step}" if parent else step


def _kind(value: Json) -> str:
    return "null" if value is None else type(value).__name__


def _metrics_by_path(rows: Rows) -> dict[str, dict[str, Json]]:
    shown = {name: metrics_of_row(rows[key]) for key, name in row_keys(rows).items()}
    return {name: shown[name] for name in sorted(shown)}


def metrics_of_row(row: Sequence[int]) -> dict[str, Json]:
    """Return the counts and ratios of the sums of a key; strict ones are None where some did not say ``fd``."""
    return metrics_of(dict(zip(METRIC_KEYS, row, strict=False)), strict=not row[-1])


def _row(values: Json) -> list[int]:
    if not isinstance(values, list) or len(values) != ROW:
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
