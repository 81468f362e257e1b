"""`Plan`: a spec compiled. Every default is resolved and every rule decided here, before the first document."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from fieldwise.checks import checked_count
from fieldwise.comparators import FunctionComparator, LLMComparator
from fieldwise.compare.comparison import Comparison, cycle_in
from fieldwise.compare.explain import plan_notes, plan_table
from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan
from fieldwise.compare.nodes import PlanNode, Work, field_path
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.own_comparators import RaisedErrors, is_built_in
from fieldwise.compare.results import AnyOf, Result
from fieldwise.compare.shapes import RefPlan, ShapePlan
from fieldwise.compare.undeclared import undeclared_paths
from fieldwise.depth import MAX_LEVEL, allow_levels
from fieldwise.errors import CycleError, SettingError, closest, nearest
from fieldwise.limits import MAX_CELLS
from fieldwise.spec import Leaf, ListOf, Node, Object, OneOf, Ref, Spec, steps_of
from fieldwise.spec.defaults import LIST_THRESHOLD, MATCH_THRESHOLD
from fieldwise.spec.inference import ROW_THRESHOLD
from fieldwise.spec.nodes import SpecExtras, inner_nodes
from fieldwise.values import ONLY_BLANK, AbsentWords, Json, plain, within_bounds

_LIST_SLACK = 1e-10


@dataclass(frozen=True)
class Plan:
    """A compiled spec. ``plan.compare(expected, predicted)`` compares two documents."""

    root: ObjectPlan
    spec: Spec
    errors: RaisedErrors = field(default_factory=RaisedErrors, compare=False, repr=False)
    """What comparators that are not built in raised; where they do, the value is a mismatch."""
    work: Work = field(default_factory=Work, compare=False, repr=False)
    """How many cells the document that is being compared has taken."""

    @classmethod
    def compile(
        cls,
        spec: Spec,
        *,
        extras: SpecExtras | None = None,
        max_cells: int = MAX_CELLS,
        stickler: bool = False,
        beside: Plan | None = None,
    ) -> Plan:
        """Resolve every setting of a spec; a wrong one is refused here, with its path.

        ``extras`` says how predicted keys that no field declares count, in place of what the spec says: ``"leaves"``,
        each value as spurious unless its path is outside the spec, or ``"ignore"``. Identical values are alike before
        a comparator is asked. ``stickler``: as stickler-eval has it, the comparator is asked about these too, what it
        raises is passed on, and an object under a comparator of text scores 0. ``max_cells`` is how many pairs of items
        of lists one document may take before lists are paired in blocks. What is noted of errors and cells goes to the
        plan that this one is ``beside``.
        """
        checked_count("max_cells", max_cells)
        allow_levels(spec.levels())
        full = spec.with_settings(extras=extras).resolved()
        if full.extras == "infer":  # from no documents there is nothing to infer
            full = replace(full, extras="leaves")
        for node in (full.root, *full.definitions.values()):
            _refuse_judges_in_lists(node, "", in_list=False)
        errors = RaisedErrors(strict=stickler) if beside is None else beside.errors
        work = Work(max_cells) if beside is None else beside.work
        root = _Compiler(full, stickler, errors, work).node(full.root, "", 0)
        assert isinstance(root, ObjectPlan)
        return cls(root, full, errors, work)

    def compare(
        self,
        expected: Json,
        predicted: Json,
        *,
        alternates: Mapping[str, Sequence[Json]] | None = None,
        as_came: Mapping[int, Sequence[Json]] | None = None,
    ) -> Comparison:
        """Compare two documents, any JSON or models. ``alternates``: other acceptable values, by path.

        ``as_came`` are lists as they were before rich values in them were unwrapped, by id; what they said beside a
        value decides between items that are otherwise the same.
        """
        count = self.work.now
        if count.spent:
            count.begin()
        if as_came:
            count.as_came = as_came
        try:
            if self._unfolds:
                expected, predicted = within_bounds(expected), within_bounds(predicted)
            if alternates:
                expected = with_alternates(expected, alternates, self.root)
            return Comparison(self.root.pair(expected, predicted))
        except CycleError as error:
            raise cycle_in(expected, predicted) from error
        finally:
            if as_came:
                count.as_came = {}

    def undeclared_paths(self, documents: Iterable[Json]) -> frozenset[str]:
        """Return the paths of the keys of some documents that no field declares, without list positions."""
        return frozenset[str]().union(*[undeclared_paths(self.root, document) for document in documents])

    @cached_property
    def has_own_comparators(self) -> bool:
        """Whether a field has a comparator that is not built in."""
        specs = [self.spec, *self.spec.classes.values()]
        todo: list[Node] = [node for spec in specs for node in (spec.root, *spec.definitions.values())]
        while todo:
            node = todo.pop()
            leaf = node.otherwise if isinstance(node, OneOf) else node
            if isinstance(leaf, Leaf) and leaf.comparator is not None and not is_built_in(leaf.comparator):
                return True
            todo += inner_nodes(node)
        return False

    @cached_property
    def _unfolds(self) -> bool:
        """Whether lists lie in lists or definitions hold themselves, so that what is shared is met many times."""
        todo: list[PlanNode[Result]] = [self.root]
        while todo:
            node = todo.pop()
            if isinstance(node, (RefPlan, ShapePlan)) or (isinstance(node, ListPlan) and node.item.holds_lists):
                return True
            if isinstance(node, ObjectPlan):
                todo += node.fields.values()
        return False

    def fields(self) -> Iterator[PlanNode[Result]]:
        """Yield every compiled node in document order, parents first, recursive definitions not unfolded."""
        yield from _unfolded(self.root)

    def fingerprint(
        self,
        unmatched: Literal["objects", "leaves"] = "leaves",
        extras: Literal["root", "leaves", "ignore"] | None = None,
        limits: Mapping[str, int] | None = None,
    ) -> str:
        """Return the SHA-256 of everything that decides a number: the spec's settings and the two views.

        ``extras`` are those of the plan, unless others are given; ``limits`` those that are not the default ones.
        """
        schema = self.spec.to_json_schema()
        schema.pop("x-fieldwise-extras", None)
        if not self.spec.outside:
            schema.pop("x-fieldwise-outside", None)
        if not self.spec.absent:
            schema.pop("x-fieldwise-absent", None)
        rules = {"spec": schema, "unmatched": unmatched, "extras": extras or self.spec.extras or "leaves"}
        if limits:
            rules["limits"] = dict(limits)
        text = json.dumps(_rules_only(rules), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def __str__(self) -> str:
        return "\n".join([plan_table(self.root), *plan_notes(self.root)])


_COSTS_ONLY = frozenset({"budget", "concurrency", "timeout"})
"""Settings of a judge that decide what asking costs, and no number."""
_WORDS_ONLY = frozenset(
    {"description", "examples", "default", "required", "x-fieldwise-why", "x-aws-stickler-model-name"}
)


def _rules_only(value: Json, *, names: bool = False) -> Json:
    """Return a schema without what decides no number; ``names``: the keys of a value are names of fields."""
    if isinstance(value, dict):
        inside = {
            k: _rules_only(v, names=not names and k in ("properties", "$defs", "x-fieldwise-classes"))
            for k, v in value.items()
            if names or k not in _WORDS_ONLY
        }
        if not names:
            inside = _without_costs(inside)
        if not names and isinstance(inside.get("type"), list):
            inside["type"] = inside["type"][0]
        return inside
    return [_rules_only(v) for v in value] if isinstance(value, list) else plain(value)


def _without_costs(keys: dict[str, Json]) -> dict[str, Json]:
    for prefix in ("x-aws-stickler-", "x-fieldwise-"):
        if keys.get(f"{prefix}comparator") == "LLMComparator":
            name = f"{prefix}comparator-config"
            config = {k: v for k, v in keys.get(name, {}).items() if k not in _COSTS_ONLY}
            keys = {**{k: v for k, v in keys.items() if k != name}, **({name: config} if config else {})}
    return keys


def _unfolded(node: PlanNode[Result]) -> Iterator[PlanNode[Result]]:
    yield node
    if isinstance(node, ObjectPlan):
        for child in node.fields.values():
            yield from _unfolded(child)
    elif isinstance(node, ListPlan) and isinstance(node.item, ObjectPlan):
        for child in node.item.fields.values():
            yield from _unfolded(child)


@dataclass(frozen=True)
class _Compiler:
    spec: Spec
    stickler: bool
    errors: RaisedErrors
    work: Work

    @property
    def absent(self) -> AbsentWords:
        """Texts that stand for no value, where a leaf does not say otherwise."""
        return self.spec.absent or ONLY_BLANK

    def node(self, node: Node, path: str, level: int, *, slack: float = 0.0) -> PlanNode[Result]:
        if level > MAX_LEVEL:
            return self._end(path, node.weight)
        match node:
            case Leaf():
                return self._leaf(node, path, slack)
            case Object():
                return self._object(node, path, level)
            case ListOf():
                return self._list(node, path, level)
            case OneOf():
                arms = [self.node(arm, path, level + 1, slack=slack) for arm in node.arms]
                return ShapePlan(path=path, arms=arms, otherwise=self._leaf(node.otherwise, path, slack))
            case Ref():
                return self._ref(node, path, level)

    def _leaf(self, leaf: Leaf, path: str, slack: float) -> LeafPlan:
        assert leaf.comparator is not None
        assert leaf.threshold is not None
        assert leaf.weight is not None
        return LeafPlan(
            path=path,
            kind=leaf.kind,
            comparator=leaf.comparator,
            threshold=leaf.threshold,
            weight=leaf.weight,
            clip=bool(leaf.clip),
            slack=slack,
            alternates=leaf.alternates,
            absent=self.absent if leaf.absent is None else leaf.absent,
            stickler=self.stickler,
            errors=self.errors,
            sources=leaf.sources,
            work=self.work,
        )

    def _object(self, node: Object, path: str, level: int) -> ObjectPlan:
        assert node.threshold is not None
        assert node.match_threshold is not None
        assert node.weight is not None
        fields = {name: self.node(child, field_path(path, name), level + 1) for name, child in node.fields.items()}
        return ObjectPlan(
            path=path,
            name=node.name,
            fields=fields,
            threshold=node.threshold,
            match_threshold=node.match_threshold,
            weight=node.weight,
            clip=bool(node.clip),
            sources=node.sources,
            extras="ignore" if self.spec.extras == "ignore" else self.spec.extras and "leaves",
            outside=self.spec.outside or frozenset(),
            absent=self.absent,
            identical_first=not self.stickler,
            work=self.work,
        )

    def _list(self, node: ListOf, path: str, level: int) -> ListPlan:
        assert node.weight is not None
        return ListPlan(
            path=path,
            item=self.node(node.item, path, level + 1, slack=_LIST_SLACK),
            weight=node.weight,
            order=node.order,
            key=node.key,
            threshold=LIST_THRESHOLD[node.origin],
            accept=ROW_THRESHOLD if node.origin == "open" else MATCH_THRESHOLD,
            absent=self.absent,
            sources=node.sources,
            work=self.work,
            by_position=self.stickler,
        )

    def _ref(self, node: Ref, path: str, level: int) -> RefPlan:
        target = self.spec.root if node.name == "#" else self.spec.definitions[node.name]
        assert node.weight is not None
        if isinstance(target, Object):
            threshold = target.threshold if node.threshold is None else node.threshold
            target = replace(target, threshold=threshold, clip=target.clip if node.clip is None else node.clip)
        return RefPlan(
            end=self._end(path, node.weight),
            weight=node.weight,
            compile_=lambda: self.node(target, path, level + 1),
        )

    def _end(self, path: str, weight: float | None) -> LeafPlan:
        return LeafPlan(
            path=path,
            kind="any",
            comparator=FunctionComparator(_differ, "same value"),
            threshold=1.0,
            weight=1.0 if weight is None else weight,
            clip=True,
            absent=self.absent,
            sources={"comparator": f"below level {MAX_LEVEL} equality decides"},
            work=self.work,
        )


def _refuse_judges_in_lists(node: Node, path: str, *, in_list: bool) -> None:
    """Refuse a judge where pairing would ask it about every item with every other, unless it allows that."""
    if isinstance(node, (Leaf, OneOf)):
        leaf = node if isinstance(node, Leaf) else node.otherwise
        if in_list and isinstance(leaf.comparator, LLMComparator) and not leaf.comparator.allow_grid:
            raise SettingError(
                "A judge in a list is asked about every pair of items; set allow_grid=True",
                path=path,
                code="judge.pairs_of_list",
            )
    in_list = in_list or isinstance(node, ListOf)
    if isinstance(node, Object):
        for name, child in node.fields.items():
            _refuse_judges_in_lists(child, field_path(path, name), in_list=in_list)
    else:
        for inner in inner_nodes(node):
            _refuse_judges_in_lists(inner, path, in_list=in_list)


def _differ(_expected: Json, _predicted: Json) -> float:
    """Score values that are not identical, which are all that a comparator is asked about here."""
    return 0.0


def with_alternates(
    expected: Json, alternates: Mapping[str, Sequence[Json]], plan: PlanNode[Result] | None = None
) -> Json:
    """Return the expected document with every named value widened to what is acceptable there.

    A path that the plan does not declare is refused.

    >>> with_alternates({"city": "Köln"}, {"city": ["Cologne"]})
    {'city': AnyOf(values=('Köln', 'Cologne'))}
    """
    root: list[Json] = [plain(expected)]
    for path, values in alternates.items():
        if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
            raise SettingError(
                f"Expected a list of acceptable values, got {values!r}", path=path, facts={"got": values}
            )
        steps = steps_of(path)
        _check_declared(plan, steps, path)
        _widen(root, [0, *steps], values, path)
    return root[0]


def _check_declared(plan: PlanNode[Result] | None, steps: Sequence[str | int], path: str) -> None:
    nodes = [] if plan is None else [plan]
    for step in steps:
        nodes = [shape for node in nodes for shape in _shapes(node)]
        if isinstance(step, int):
            nodes = [node.item for node in nodes if isinstance(node, ListPlan)]
            continue
        named = {name: field for node in nodes if isinstance(node, ObjectPlan) for name, field in node.fields.items()}
        if nodes and step not in named and not any(isinstance(node, ListPlan) for node in nodes):
            raise SettingError(
                f"No field {step!r} to give alternates for{nearest(step, named)}",
                path=path,
                code="field.unknown",
                facts={"field": step, "nearest": closest(step, named)},
            )
        nodes = [node.fields[step] for node in nodes if isinstance(node, ObjectPlan) and step in node.fields]


def _shapes(node: PlanNode[Result]) -> Sequence[PlanNode[Result]]:
    """Return the nodes that may compare a value in place of a node."""
    if isinstance(node, RefPlan):
        return _shapes(node.target)
    return [*node.arms, node.otherwise] if isinstance(node, ShapePlan) else [node]


def _widen(holder: Json, steps: Sequence[str | int], values: Sequence[Json], path: str) -> None:
    *way, last = steps
    for step in way:
        holder = _inside(holder, step, path)
    old = _inside(holder, last, path)
    known = old.values if isinstance(old, AnyOf) else (old,)
    holder[last] = AnyOf((*known, *values))


def _inside(holder: Json, step: str | int, path: str) -> Json:
    if isinstance(holder, dict) and isinstance(step, str):
        return holder.get(step)
    if isinstance(holder, list) and isinstance(step, int) and step < len(holder):
        return holder[step]
    raise SettingError(
        f"The expected document has nothing at {path!r} to give alternates for",
        path=path,
        code="field.no_value",
        facts={"field": path},
    )
