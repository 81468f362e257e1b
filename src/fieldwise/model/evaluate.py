"""Comparing without declaring anything: `evaluate` for two instances, `eval_for` for a class."""

from __future__ import annotations

import dataclasses
from functools import cached_property, lru_cache

from pydantic import BaseModel

from fieldwise.checks import checked_number
from fieldwise.compare import Comparison, Plan
from fieldwise.compare.explain import plan_rows
from fieldwise.compare.views.counts import MatrixNode
from fieldwise.compare.views.non_matches import NonMatch
from fieldwise.model.structured_model import StructuredModel
from fieldwise.spec import Spec
from fieldwise.spec.classes import is_structured
from fieldwise.values import Json, is_object


class EvalResult:
    """What one evaluation found: scores, precision, recall, F1, and the comparison behind them."""

    def __init__(self, comparison: Comparison, spec: EvalSpec) -> None:
        self.comparison, self.spec = comparison, spec

    @cached_property
    def raw(self) -> dict[str, Json]:
        """The dict of ``compare_with`` with its confusion matrix."""
        return self.comparison.to_dict(include_confusion_matrix=True, extras="root")

    @property
    def overall_score(self) -> float:
        return self.comparison.score

    @property
    def field_scores(self) -> dict[str, float]:
        scores: dict[str, float] = self.raw["field_scores"]
        return scores

    @property
    def confusion_matrix(self) -> MatrixNode:
        matrix: MatrixNode = self.raw["confusion_matrix"]
        return matrix

    def _derived(self, name: str) -> float:
        return float(self.confusion_matrix["overall"]["derived"][name])

    @property
    def precision(self) -> float:
        return self._derived("cm_precision")

    @property
    def recall(self) -> float:
        return self._derived("cm_recall")

    @property
    def f1(self) -> float:
        return self._derived("cm_f1")

    @property
    def accuracy(self) -> float:
        return self._derived("cm_accuracy")

    @property
    def matched(self) -> bool:
        """Whether the overall score reaches the match threshold."""
        return self.overall_score >= self.spec.match_threshold

    @cached_property
    def non_matches(self) -> list[NonMatch]:
        """What did not match."""
        entries: list[NonMatch] = self.comparison.to_dict(document_non_matches=True)["non_matches"]
        return entries

    def explain(self) -> dict[str, dict[str, str | float]]:
        """Return how each field was compared and why, with its score at the top level."""
        fields = self.confusion_matrix["fields"]
        explained = self.spec.explain()
        for name, node in fields.items():
            if name in explained:
                explained[name]["score"] = node["threshold_applied_score"]
                explained[name]["raw_similarity"] = node["raw_similarity_score"]
        return explained

    def __repr__(self) -> str:
        numbers = (f"{name}={getattr(self, name):.3f}" for name in ("overall_score", "precision", "recall", "f1"))
        return f"EvalResult({', '.join(numbers)}, matched={self.matched})"


class EvalSpec:
    """How the documents of one class are compared; made by `eval_for`."""

    def __init__(self, source_cls: type, *, weight_hints: bool = False, match_threshold: float | None = None) -> None:
        self.source_cls, self.weight_hints = source_cls, weight_hints
        declared = is_structured(source_cls)
        own = getattr(source_cls, "match_threshold", 0.7) if declared else 0.7
        self.match_threshold = (
            own if match_threshold is None else checked_number("match_threshold", match_threshold, high=1.0)
        )
        spec = (
            Spec.from_model(source_cls)
            if declared
            else Spec.from_pydantic(
                source_cls, match_threshold=self.match_threshold, weight_hints=weight_hints, defaults="stickler"
            )
        )
        self.plan = Plan.compile(spec, stickler=True)

    @cached_property
    def eval_model(self) -> type[StructuredModel]:
        """The StructuredModel class with the same settings."""
        if issubclass(self.source_cls, StructuredModel):
            return self.source_cls
        return StructuredModel.from_pydantic(
            self.source_cls, weight_hints=self.weight_hints, match_threshold=self.match_threshold
        )

    def evaluate(self, ground_truth: Json, prediction: Json) -> EvalResult:
        """Compare two instances of the class, or dicts."""
        return EvalResult(self.plan.compare(_as_document(ground_truth), _as_document(prediction)), self)

    def explain(self) -> dict[str, dict[str, str | float]]:
        """Return how each field is compared and why."""
        return {
            row.path: {
                "comparator": row.how,
                "threshold": row.threshold,
                "weight": row.weight,
                "why": row.why,
            }
            for row in plan_rows(self.plan.root)
        }


def _as_document(value: Json) -> Json:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    return value


@lru_cache(maxsize=256)
def eval_for(cls: type, *, weight_hints: bool = False, match_threshold: float | None = None) -> EvalSpec:
    """Return how to compare documents of a pydantic class or dataclass, settings inferred from names and types."""
    if not isinstance(cls, type) or not (issubclass(cls, BaseModel) or dataclasses.is_dataclass(cls)):
        raise TypeError(f"Expected a pydantic class or a dataclass, got {cls!r}")
    return EvalSpec(cls, weight_hints=weight_hints, match_threshold=match_threshold)


def evaluate(
    ground_truth: object, prediction: object, *, weight_hints: bool = False, match_threshold: float | None = None
) -> EvalResult:
    """Compare two instances of a pydantic class or dataclass without declaring anything."""
    cls: type = type(ground_truth)
    if (not is_object(ground_truth) and not dataclasses.is_dataclass(ground_truth)) or isinstance(ground_truth, dict):
        raise TypeError(f"Expected an instance of a pydantic class or dataclass, got {cls.__name__}; use eval_for(cls)")
    return eval_for(cls, weight_hints=weight_hints, match_threshold=match_threshold).evaluate(ground_truth, prediction)
