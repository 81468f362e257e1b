"""The comparator of meanings: the cosine of two embeddings, from any function or a local model.

Knows how to ask for vectors once per text; a model that fails is an error, never a score.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import ClassVar, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fieldwise.checks import checked_choice, checked_count, checked_text, refusal, shown
from fieldwise.comparators.as_text import text_of
from fieldwise.comparators.base import SCALARS, BaseComparator, Grid
from fieldwise.errors import FieldwiseError, JudgeError, MissingExtraError, SettingError
from fieldwise.values import Json, same

Vector: TypeAlias = NDArray[np.float64]
_DECIMALS = 12
"""Decimals of a cosine; beyond them is rounding noise."""

MODEL_VARIABLE = "FIELDWISE_EMBEDDING_MODEL"
"""The variable of the environment that holds the model of comparators that declare none."""
SIM_FUNCTIONS = ("cosine_similarity",)


class SemanticComparator(BaseComparator):
    """Scores two texts by the cosine of their embeddings, clamped to 0..1; the same text is 1 without asking.

    Embeddings come from ``embedding_function`` (a text to a vector), ``batch_embedding_function`` (texts to
    vectors), or the sentence-transformers model or folder ``model_id``; where none is given, the model is that of the
    environment, ``FIELDWISE_EMBEDDING_MODEL``.

    >>> SemanticComparator(embedding_function=lambda text: [len(text), 1]).compare("a", "b")
    1.0
    """

    takes: ClassVar[frozenset[str]] = SCALARS
    is_costly: ClassVar[bool] = True

    def __init__(
        self,
        model_id: str | None = None,
        sim_function: str = "cosine_similarity",
        embedding_function: Callable[[str], ArrayLike] | None = None,
        threshold: float | None = None,
        *,
        batch_embedding_function: Callable[[list[str]], Iterable[ArrayLike]] | None = None,
        cache_size: int = 10_000,
    ) -> None:
        super().__init__(threshold)
        functions = (embedding_function, batch_embedding_function)
        if model_id is None and functions == (None, None):
            model_id = os.environ.get(MODEL_VARIABLE) or None
        self.model_id = None if model_id is None else checked_text("model_id", model_id)
        self.sim_function = checked_choice("sim_function", sim_function, SIM_FUNCTIONS)
        self.embedding_function = embedding_function
        self.batch_embedding_function = batch_embedding_function
        self.cache_size = checked_count("cache_size", cache_size, low=0)
        self._cache: OrderedDict[str, Vector] = OrderedDict()
        self._check_source()

    def _check_source(self) -> None:
        given = [f for f in (self.embedding_function, self.batch_embedding_function) if f is not None]
        if len(given) > 1:
            raise SettingError(
                "Expected `embedding_function` or `batch_embedding_function`, got both",
                code="setting.conflict",
                facts={"setting": "embedding_function"},
            )
        if given and not callable(given[0]):
            raise refusal("a function", "embedding_function", given[0])

    def _compare(self, expected: Json, predicted: Json) -> float:
        left, right = text_of(expected), text_of(predicted)
        if left is None or right is None:
            return float(same(expected, predicted))
        if left == right:
            return 1.0
        vectors = self._vectors([left, right])
        return float(_cosines(vectors[left][None, :], vectors[right])[0])

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each text is embedded once, all of them in one batch."""
        rows, columns = [text_of(v) for v in expected], [text_of(v) for v in predicted]
        asked = _asked(rows, columns)
        vectors = self._vectors(asked) if asked else {}
        return np.array(
            [
                [self._cell(vectors, (row, column), (expected[i], predicted[j])) for j, column in enumerate(columns)]
                for i, row in enumerate(rows)
            ],
            dtype=np.float64,
        ).reshape(len(rows), len(columns))

    def _cell(
        self, vectors: dict[str, Vector], texts: tuple[str | None, str | None], values: tuple[Json, Json]
    ) -> float:
        left, right = texts
        if left is None or right is None:
            return float(same(*values))
        if left == right:
            return 1.0
        return float(_cosines(vectors[left][None, :], vectors[right])[0])

    def _vectors(self, texts: Iterable[str]) -> dict[str, Vector]:
        """Return a vector of length 1 for each text, asking only for those that are not remembered."""
        wanted = list(dict.fromkeys(texts))
        found = {text: self._cache[text] for text in wanted if text in self._cache}
        missing = [text for text in wanted if text not in found]
        if missing:
            found |= dict(zip(missing, map(_unit, self._embed(missing)), strict=True))
        for text in wanted:
            self._cache[text] = found[text]
            self._cache.move_to_end(text)
        while len(self._cache) > self.cache_size:
            self._cache.popitem(last=False)
        return found

    def _embed(self, texts: list[str]) -> list[ArrayLike]:
        try:
            vectors = list(self._ask(texts))
        except FieldwiseError:
            raise
        except Exception as error:
            raise JudgeError(
                f"The embedding of {len(texts)} texts by {self.describe()} failed: {error}",
                facts={"judge": self.describe()},
            ) from error
        if len(vectors) != len(texts):
            raise JudgeError(
                f"Expected {len(texts)} embeddings from {self.describe()}, got {len(vectors)}",
                code="judge.bad_answer",
                facts={"expected": len(texts), "got": len(vectors)},
            )
        return vectors

    def _ask(self, texts: list[str]) -> Iterable[ArrayLike]:
        if self.batch_embedding_function is not None:
            return self.batch_embedding_function(texts)
        if self.embedding_function is not None:
            return [self.embedding_function(text) for text in texts]
        if self.model_id is None:
            raise JudgeError(
                "Texts are to be compared by meaning, and no model is set; declare `model_id` or a function in the"
                f" comparator's settings, or set {MODEL_VARIABLE} in the environment",
                code="judge.not_set",
                facts={"settings": ["model_id"]},
            )
        return _model(self.model_id).encode(texts, convert_to_numpy=True, show_progress_bar=False)

    @property
    def config(self) -> dict[str, Json]:
        """The settings that are JSON; functions are not."""
        functions = ("embedding_function", "batch_embedding_function")
        return {name: value for name, value in super().config.items() if name not in functions}

    def describe(self) -> str:
        """Return ``semantic`` and the model or function."""
        function = self.embedding_function or self.batch_embedding_function
        named = self.model_id if function is None else getattr(function, "__name__", "function")
        return "semantic" if named is None else f"semantic, {named}"

    def _identity(self) -> tuple[object, ...]:
        return (*super()._identity(), self.embedding_function, self.batch_embedding_function)

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_cache": OrderedDict()}


def _asked(rows: list[str | None], columns: list[str | None]) -> list[str]:
    """Return the texts of those pairs whose texts differ."""
    left, right = {t for t in rows if t is not None}, {t for t in columns if t is not None}
    if len(left | right) < 2 or not left or not right:
        return []
    return [t for t in dict.fromkeys([*rows, *columns]) if t is not None]


def _unit(vector: ArrayLike) -> Vector:
    try:
        found = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise JudgeError(
            f"Expected an embedding as a list of numbers, got {shown(vector)}", code="judge.bad_answer"
        ) from error
    length = float(np.sqrt((found * found).sum())) if found.ndim == 1 else 0.0
    if not 0.0 < length < np.inf:
        raise JudgeError(
            f"Expected an embedding as a list of numbers that are not all 0, got shape {found.shape}",
            code="judge.bad_answer",
        )
    return found / length


def _cosines(many: NDArray[np.float64], one: Vector) -> Vector:
    """Return the cosine of each row with one vector; summed row by row, so that grids equal pairs."""
    if many.shape[1] != one.shape[0]:
        raise JudgeError(
            f"Expected embeddings of one length, got {many.shape[1]} and {one.shape[0]}", code="judge.bad_answer"
        )
    cosines: Vector = np.round((many * one).sum(axis=1), _DECIMALS)
    return np.clip(cosines, 0.0, 1.0)


class _Model(Protocol):
    """A model of sentence-transformers."""

    def encode(self, texts: list[str], *, convert_to_numpy: bool, show_progress_bar: bool) -> NDArray[np.float32]:
        """Return a row of numbers for each text."""


@lru_cache(maxsize=4)
def _model(model_id: str) -> _Model:
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise MissingExtraError(
            "SemanticComparator needs sentence-transformers for `model_id`:"
            " pip install 'fieldwise[semantic]', or pass an `embedding_function`",
            facts={"package": "sentence-transformers", "extra": "semantic"},
        ) from None
    model: _Model = SentenceTransformer(model_id)
    return model
