"""`StructuredModel`: a pydantic model that carries its spec and compares itself with another.

A spec that came from JSON Schema, config or a plain class becomes such a class, too.
"""

from __future__ import annotations

import datetime as dt
import keyword
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import or_
from types import GenericAlias, NoneType
from typing import Any, ClassVar, NamedTuple, Self, TypedDict, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, create_model

from fieldwise.compare import Comparison, Plan
from fieldwise.compare.comparison import compared_dict
from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import ObjectResult, Result
from fieldwise.compare.rich_values import Unwrapped, unwrap
from fieldwise.compare.views.counts import Extras, MatrixNode, MatrixOptions, Unmatched
from fieldwise.compare.views.matrix import confusion_matrix
from fieldwise.errors import SettingError, closest, nearest
from fieldwise.model.attached import box_metrics, confidence_metrics_of
from fieldwise.spec import Leaf, ListOf, Node, Object, OneOf, Ref, Spec
from fieldwise.spec.nodes import Kind
from fieldwise.values import Json, json_name, plain


class Source(NamedTuple):
    """The JSON that an instance was made from, and what its wrappings said."""

    json: Json
    unwrapped: Unwrapped


class StructuredModel(BaseModel):
    """A pydantic model whose instances can be compared, field by field.

    Declare fields with `ComparableField`; ``match_threshold`` decides when two instances in a list are a pair.
    Constructing one is strict, as with pydantic; `from_json` takes any JSON and keeps what does not fit.
    """

    model_config = ConfigDict(
        extra="allow", arbitrary_types_allowed=True, validate_by_name=True, validate_by_alias=True
    )

    match_threshold: ClassVar[float] = 0.7
    __fieldwise_structured__: ClassVar[bool] = True
    __fieldwise_spec__: ClassVar[Spec | None] = None
    __fieldwise_plan__: ClassVar[Plan | None] = None

    _source: Source | None = PrivateAttr(default=None)

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: object) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls.__fieldwise_spec__ = cls.__fieldwise_plan__ = None
        if cls.__pydantic_complete__ and cls.model_fields:
            Spec.from_model(cls)  # a wrong setting is refused where the class is defined

    @classmethod
    def spec(cls) -> Spec:
        """Return what the class declares about its fields."""
        if cls.__fieldwise_spec__ is None:
            cls.__fieldwise_spec__ = Spec.from_model(cls)
        return cls.__fieldwise_spec__

    @classmethod
    def plan(cls) -> Plan:
        """Return the compiled plan of the class; ``print`` it to see every setting and its source."""
        if cls.__fieldwise_plan__ is None:
            cls.__fieldwise_plan__ = Plan.compile(cls.spec(), stickler=True)
        return cls.__fieldwise_plan__

    # Making instances and classes

    @classmethod
    def from_json(
        cls, json_data: Json, process_rich_values: bool | None = True, process_confidence: bool | None = None
    ) -> Self:
        """Make an instance from any JSON. Rich values are unwrapped; values of a wrong type are kept as they are."""
        rich = process_rich_values is not False and process_confidence is not False
        unwrapped = unwrap(json_data, cls.plan().root) if rich else Unwrapped(json_data, {}, {})
        made = _tolerant(cls, unwrapped.document)
        made._source = Source(json_data, unwrapped)
        return made

    @classmethod
    def from_json_schema(cls, schema: Mapping[str, Json]) -> type[StructuredModel]:
        """Make a class from a JSON Schema with comparison keys."""
        return make_class(Spec.from_json_schema(schema, defaults="stickler"), StructuredModel)

    @classmethod
    def model_from_json(cls, config: Mapping[str, Json]) -> type[StructuredModel]:
        """Make a class from a config dict."""
        return make_class(Spec.from_config(config, defaults="stickler"), StructuredModel)

    @classmethod
    def from_pydantic(
        cls, model_cls: type, *, weight_hints: bool = False, match_threshold: float = 0.7
    ) -> type[StructuredModel]:
        """Make a class from a plain pydantic class, settings inferred from its names and types."""
        spec = Spec.from_pydantic(
            model_cls, match_threshold=match_threshold, weight_hints=weight_hints, defaults="stickler"
        )
        return make_class(spec, StructuredModel)

    # Exports

    @classmethod
    def to_json_schema(cls) -> dict[str, Json]:
        """Return the class as JSON Schema with every comparison setting spelt out."""
        return cls.spec().to_json_schema()

    @classmethod
    def to_stickler_config(cls) -> dict[str, Json]:
        """Return the class as a config dict with every comparison setting spelt out."""
        return cls.spec().to_config()

    # Comparing

    def comparison(self, other: object) -> Comparison:
        """Compare with another instance, a mapping, or any object that has the fields as attributes."""
        return Comparison(self._compared(other))

    def _compared(self, other: object) -> ObjectResult:
        root, expected, predicted = self._sides(other)
        return root.pair(expected, predicted)

    def _sides(self, other: object) -> tuple[ObjectPlan, Json, Json]:
        """Return the plan with its count begun anew, and what it compares."""
        plan = self.__fieldwise_plan__ or self.plan()
        count = plan.work.now
        if count.spent:
            count.begin()
        return plan.root, self, other if type(other) is type(self) else self._readable(other)

    def _readable(self, other: object) -> Json:
        if isinstance(other, (BaseModel, Mapping, str, int, float, list, NoneType)):
            return other
        return {json_name(name, info): getattr(other, name, None) for name, info in type(self).model_fields.items()}

    def compare(self, other: object) -> float:
        """Return the similarity before thresholds, fields absent on both sides left out."""
        return self.comparison(other).raw_score

    def compare_with(
        self,
        other: object,
        include_confusion_matrix: bool = False,
        document_non_matches: bool = False,
        evaluator_format: bool = False,
        recall_with_fd: bool = False,
        add_derived_metrics: bool = True,
        document_field_comparisons: bool = False,
        add_confidence_metrics: bool = False,
        confidence_metrics: Sequence[object] | None = None,
        add_bbox_metrics: bool = False,
        bbox_iou_thresholds: float | Iterable[float] | None = None,
        *,
        unmatched: Unmatched = "objects",
        extras: Extras = "root",
    ) -> dict[str, Json]:
        """Compare with ``other``, which was predicted, and return scores and what else the options ask for."""
        attached = add_confidence_metrics or add_bbox_metrics
        options = MatrixOptions.of(unmatched, extras, add_derived_metrics, recall_with_fd)
        rows_too = document_field_comparisons or attached
        wanted = include_confusion_matrix, document_non_matches, rows_too, evaluator_format
        root, expected, predicted = self._sides(other)
        result = compared_dict(root, expected, predicted, options, wanted)
        if evaluator_format:
            return result
        mine: Source | None = (self.__pydantic_private__ or {}).get("_source")  # pydantic's own way is slow
        theirs = _came_with(other)
        if attached:
            rows = result["field_comparisons"]
            if add_confidence_metrics:
                sure = theirs.unwrapped.confidences if theirs else {}
                result |= confidence_metrics_of(rows, sure, confidence_metrics)
            if add_bbox_metrics:
                result["bbox_metrics"] = box_metrics(
                    rows, mine and mine.unwrapped, theirs and theirs.unwrapped, bbox_iou_thresholds
                )
        if mine or theirs:
            result |= _attachments(mine, theirs)
        return result

    def compare_recursive(self, other: object) -> dict[str, Json]:
        """Return the tree of counts and scores without aggregates and ratios."""
        options = MatrixOptions("objects", "root", derived=False)
        return _without_aggregates(confusion_matrix(self._compared(other), options))

    def compare_field_raw(self, field_name: str, other_value: Json) -> float:
        """Return the similarity of one field with another value, before its threshold."""
        fields = self.plan().root.fields
        declared = type(self).model_fields
        info = declared.get(field_name)
        name = json_name(field_name, info) if info else field_name
        if name not in fields:
            raise SettingError(
                f"No field {field_name!r}{nearest(field_name, fields)}",
                path=type(self).__name__,
                code="field.unknown",
                facts={"field": field_name, "nearest": closest(field_name, fields)},
            )
        attribute = next(n for n, info in declared.items() if json_name(n, info) == name)
        return float(fields[name].pair(getattr(self, attribute, None), other_value).raw_score)

    # What came with the values

    @property
    def extra_fields(self) -> dict[str, Json]:
        """The keys that no field declares."""
        return dict(self.__pydantic_extra__ or {})

    def get_field_confidence(self, path: str) -> Json:
        """Return the confidence that came with the value at a path; None where none came."""
        return self.get_all_confidences().get(path)

    def get_all_confidences(self) -> dict[str, Json]:
        """Return every confidence by path."""
        return dict(self._source.unwrapped.confidences) if self._source else {}

    def get_field_extras(self, path: str) -> dict[str, Json]:
        """Return what else came with the value at a path."""
        return dict(self.get_all_extras().get(path, {}))

    def get_all_extras(self) -> dict[str, dict[str, Json]]:
        """Return what else came with values, by path."""
        return dict(self._source.unwrapped.extras) if self._source else {}


def _came_with(value: object) -> Source | None:
    """Return where an instance came from."""
    private = getattr(value, "__pydantic_private__", None)
    return private["_source"] if private and "_source" in private else None


Model = TypeVar("Model", bound=StructuredModel)


def _tolerant(cls: type[Model], document: Json) -> Model:
    """Validate where possible, field by field; keep what does not fit its type."""
    if not isinstance(document, Mapping):
        return _empty(cls)
    try:
        made = cls.model_validate(document)
    except (ValidationError, RecursionError):
        made = _field_by_field(cls, document)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # the code of anybody's class that stands in the document
        document = plain(document)
        made = _field_by_field(cls, document)
    _keep_booleans(cls.plan().root, made, document)
    return made


def _keep_booleans(plan: PlanNode[Result], made: Json, document: Json) -> None:
    """Put back what pydantic read as a boolean, or a boolean that it read as a number: neither is free of loss."""
    if isinstance(plan, ListPlan) and isinstance(made, list) and isinstance(document, list):
        for item, value in zip(made, document, strict=False):
            _keep_booleans(plan.item, item, value)
    if not (isinstance(plan, ObjectPlan) and isinstance(made, BaseModel) and isinstance(document, Mapping)):
        return
    for name, info in type(made).model_fields.items():
        key = json_name(name, info)
        node, value = plan.fields.get(key), document.get(key)
        if isinstance(node, LeafPlan):
            if (node.kind == "boolean" or type(value) is bool) and value is not None:
                made.__dict__[name] = value
        elif node is not None and key in document:
            _keep_booleans(node, made.__dict__.get(name), value)


def _field_by_field(cls: type[Model], document: Mapping[str, Json]) -> Model:
    names = {json_name(name, info): name for name, info in cls.model_fields.items()}
    made = _empty(cls)
    for name in names.values():
        made.__dict__[name] = None
    made.__pydantic_extra__ = {str(k): v for k, v in document.items() if k not in names}
    for key, name in names.items():
        if key in document:
            made.__dict__[name] = _validated(cls, name, document[key])
            made.__pydantic_fields_set__.add(name)
    return made


def _empty(cls: type[Model]) -> Model:
    made: Model = cls.model_construct()  # type: ignore[assignment]  # the plugin knows the bound alone
    made.__pydantic_extra__ = {}
    return made


def _validated(cls: type[StructuredModel], name: str, value: Json) -> Json:
    try:
        return cls.__pydantic_validator__.validate_assignment(cls.model_construct(), name, value).__dict__[name]
    except (ValidationError, RecursionError):
        return value


def _attachments(mine: Source | None, theirs: Source | None) -> dict[str, Json]:
    out: dict[str, Json] = {}
    if theirs is not None:
        out["prediction_raw"] = theirs.json
        if theirs.unwrapped.confidences:
            out["prediction_confidences"] = dict(theirs.unwrapped.confidences)
    for key, side in (("ground_truth_bboxes", mine), ("prediction_bboxes", theirs)):
        if side is not None and (boxes := side.unwrapped.boxes()):
            out[key] = boxes
    return out


def _without_aggregates(node: MatrixNode) -> dict[str, Json]:
    out: dict[str, Json] = {key: value for key, value in node.items() if key != "aggregate"}
    out["fields"] = {name: _without_aggregates(child) for name, child in node["fields"].items()}
    return out


_TYPES: dict[Kind, object] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "decimal": float,
    "date": str | dt.datetime | dt.date,
    "datetime": str | dt.datetime | dt.date,
    "text_format": str,
    "choice": Json,
    "free": dict[str, Json],
    "any": Json,
    "box": list[Json],
}


class _Settings(TypedDict, total=False):
    alias: str
    description: str


def make_class(spec: Spec, base: type[StructuredModel]) -> type[StructuredModel]:
    """Return a StructuredModel class whose fields and comparison settings are those of the spec."""
    made = _class(spec.root, base)
    made.__fieldwise_spec__ = spec
    return made


def _class(node: Object, base: type[StructuredModel]) -> type[StructuredModel]:
    fields: dict[str, Any] = {}  # definitions in the form of create_model
    for name, child in node.fields.items():
        attribute = _attribute(name, base, {*fields, *node.fields} - {name})
        annotation = _annotation(child, base)
        about = child.about
        settings: _Settings = {} if attribute == name else {"alias": name}
        if about.description:
            settings["description"] = about.description
        if about.required:
            fields[attribute] = (annotation, Field(..., **settings))
        else:
            fields[attribute] = (or_(annotation, None), Field(default=None, **settings))
    name = node.name if node.name.isidentifier() else "DynamicModel"
    made = create_model(name, __base__=base, **fields)
    if node.match_threshold is not None:
        made.match_threshold = node.match_threshold
    made.__fieldwise_spec__ = Spec(node)
    return made


def _attribute(name: str, base: type, taken: set[str]) -> str:
    """Return an attribute name for a JSON key; keys that cannot be attributes get one that can and is no other's."""
    fits = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")
    if fits and not hasattr(base, name) and name not in taken and not name.startswith("model_"):
        return name
    text = "".join(c if c.isalnum() else "_" for c in name).strip("_") or "field"
    text = f"field_{text}" if text[0].isdigit() or text.startswith("model_") else text
    while hasattr(base, text) or keyword.iskeyword(text) or text in taken or not text.isidentifier():
        text = f"{text}_" if text.isidentifier() else f"field_{len(taken)}"
    return text


def _annotation(node: Node, base: type[StructuredModel]) -> object:
    match node:
        case Leaf():
            return _TYPES[node.kind]
        case Object():
            return _class(node, base)
        case ListOf():
            inner = _annotation(node.item, base)
            return GenericAlias(list, or_(inner, None) if node.item.about.nullable else inner)
        case OneOf():
            return reduce(or_, [_annotation(arm, base) for arm in node.arms])
        case Ref():
            return Json
