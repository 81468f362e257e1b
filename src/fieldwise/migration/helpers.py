"""Small functions and classes of stickler-eval, for which fieldwise has the rule in another form."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from fieldwise.bulk import AUROCMetric, ConfidenceMetric
from fieldwise.bulk import BulkStructuredModelEvaluator as _BulkEvaluator
from fieldwise.comparators import BaseComparator, catalogue
from fieldwise.model import StructuredModel
from fieldwise.values import Json

BERT_AVAILABLE = False
DEFAULT_REGION = "US"
LLM_AVAILABLE = RAPIDFUZZ_AVAILABLE = True
STRANDS_AVAILABLE = False

get_comparator_class = catalogue.get_comparator_class
register_comparator = catalogue.register_comparator


class BulkStructuredModelEvaluator(_BulkEvaluator):
    """The bulk evaluator, with the count that stickler's own examples read."""

    @property
    def _processed_count(self) -> int:
        return self._seen


class ComparatorRegistry:
    """The comparators by name; there is one registry, of which this is a view."""

    def register(self, name: str, comparator_class: type[BaseComparator]) -> None:
        """Make a comparator known."""
        catalogue.register_comparator(name, comparator_class)

    def get(self, name: str) -> type[BaseComparator]:
        """Return the class of a name; KeyError where nobody registered it."""
        if not self.is_registered(name):
            raise KeyError(f"No comparator is called {name!r}; there are {', '.join(self.list_available())}")
        return catalogue.get_comparator_class(name)

    def create_instance(self, name: str, config: Mapping[str, Json] | None = None) -> BaseComparator:
        """Make a comparator of a name."""
        return catalogue.build(name, config)

    def is_registered(self, name: str) -> bool:
        """Return whether there is such a comparator."""
        return name in self.list_available()

    def list_available(self) -> list[str]:
        """Return all names."""
        return catalogue.comparator_names()


def get_global_registry() -> ComparatorRegistry:
    """Return the registry."""
    return ComparatorRegistry()


def create_comparator(name: str, config: Mapping[str, Json] | None = None) -> BaseComparator:
    """Make a comparator of a name."""
    return catalogue.build(name, config)


def default_metrics() -> list[ConfidenceMetric]:
    """Return the metrics of confidences that are computed where none are named."""
    return [AUROCMetric()]


def structured_model_for(
    cls: type, *, weight_hints: bool = False, match_threshold: float = 0.7
) -> type[StructuredModel]:
    """Return the class by which documents of a pydantic class are compared."""
    return StructuredModel.from_pydantic(cls, weight_hints=weight_hints, match_threshold=match_threshold)


def lowercase(text: object) -> object:
    """Return a text in lower case; None and other values as they are."""
    return text.lower() if isinstance(text, str) else text


def strip_punctuation_space(text: object) -> object:
    """Return a text without ASCII punctuation and white space; None and other values as they are."""
    if not isinstance(text, str):
        return text
    return "".join(char for char in text if char not in string.punctuation and not char.isspace())


KeyScores = Mapping[tuple[str, ...], float]


@dataclass
class ScoreNode:
    """The score of a key, and of the keys inside its value."""

    name: str = ""
    score: float | None = None
    children: dict[str, ScoreNode] = field(default_factory=dict)

    @property
    def anls_score(self) -> float | None:
        """The score."""
        return self.score


def merge_and_calculate_mean(list_of_dicts: Sequence[KeyScores]) -> list[dict[tuple[str, ...], float]]:
    """Return the mean score of each path, in the order in which paths come."""
    scores: dict[tuple[str, ...], list[float]] = {}
    for held in list_of_dicts:
        for path, score in held.items():
            scores.setdefault(path, []).append(score)
    return [{path: sum(held) / len(held)} for path, held in scores.items()]


def construct_nested_dict(list_of_dicts: Sequence[KeyScores]) -> dict[str, ScoreNode]:
    """Return the scores of paths as a tree; of a path that comes again the last one counts."""
    root = ScoreNode()
    for held in list_of_dicts:
        for path, score in held.items():
            node = root
            for step in path:
                node = node.children.setdefault(step, ScoreNode(step))
            node.score = score
    return root.children
