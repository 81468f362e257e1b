"""A pydantic class that carries its spec, and the functions that compare such models."""

from __future__ import annotations

from pydantic import BaseModel, Field

from fieldwise.compare.views.non_matches import NonMatchType
from fieldwise.model.evaluate import EvalResult, EvalSpec, eval_for, evaluate
from fieldwise.model.fields import ComparableField
from fieldwise.model.structured_model import StructuredModel
from fieldwise.values import Json

__all__ = [
    "ComparableField",
    "EvalResult",
    "EvalSpec",
    "NonMatchField",
    "NonMatchType",
    "StructuredModel",
    "compare_json",
    "compare_structured_models",
    "eval_for",
    "evaluate",
]


class NonMatchField(BaseModel):
    """One entry of ``non_matches`` as a typed record."""

    field_path: str
    non_match_type: NonMatchType
    ground_truth_value: Json
    prediction_value: Json
    similarity_score: float | None = None
    details: dict[str, Json] = Field(default_factory=dict)
    document_id: str | None = None


def compare_structured_models(gt: StructuredModel, pred: object) -> dict[str, Json]:
    """Compare two models; the same as ``gt.compare_with(pred)``."""
    return gt.compare_with(pred)


def compare_json(gt_json: Json, pred_json: Json, model_cls: type[StructuredModel]) -> dict[str, Json]:
    """Compare two JSON documents as instances of a class; never raises for what is in them."""
    return model_cls.from_json(gt_json).compare_with(model_cls.from_json(pred_json))
