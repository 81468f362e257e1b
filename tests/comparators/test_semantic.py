"""Meanings, by embeddings."""

from __future__ import annotations

import importlib.util
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.comparators import SemanticComparator
from fieldwise.errors import JudgeError, MissingExtraError, SettingError

from .samples import letters


class Recorder:
    """Embeds texts and remembers what it was asked."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def __call__(self, texts: list[str]) -> list[list[float]]:
        self.batches.append(list(texts))
        return [letters(text) for text in texts]


def broken(text: str) -> list[float]:
    raise OSError("model file is gone")


@given(a=st.text("abcdef01", max_size=8), b=st.text("abcdef01", max_size=8))
def test_cosine(a: str, b: str) -> None:
    """The score is the cosine of both embeddings, by the definition."""
    x, y = letters(a), letters(b)
    wanted = sum(p * q for p, q in zip(x, y, strict=True)) / (math.hypot(*x) * math.hypot(*y))
    assert SemanticComparator(embedding_function=letters).compare(a, b) == pytest.approx(wanted, abs=1e-9)


@given(
    rows=st.lists(st.text("abcdef01", max_size=5), max_size=4),
    columns=st.lists(st.text("abcdef01", max_size=5), max_size=4),
    size=st.sampled_from([3, 8, 129, 384]),
)
def test_grid_equals_pairs(rows: list[str], columns: list[str], size: int) -> None:
    """Grids equal pairs to the last bit, for vectors of any length."""

    def embed(text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        return np.random.default_rng(len(text) + 7 * text.count("a")).normal(size=size).astype(np.float32)

    grid = SemanticComparator(embedding_function=embed).grid(rows, columns)
    pairs = [[SemanticComparator(embedding_function=embed).compare(a, b) for b in columns] for a in rows]
    assert grid.tolist() == pairs


def test_opposite_vectors_score_0() -> None:
    """A negative cosine is no similarity."""
    comparator = SemanticComparator(embedding_function=lambda text: [1.0 if text == "up" else -1.0])
    assert comparator.compare("up", "down") == 0.0


def test_each_text_is_asked_once() -> None:
    """A grid asks one batch of distinct texts; later questions use what is remembered."""
    recorder = Recorder()
    comparator = SemanticComparator(batch_embedding_function=recorder)
    comparator.grid(["a", "b", "a"], ["b", "c"])
    assert recorder.batches == [["a", "b", "c"]]
    comparator.compare("a", "c")
    comparator.compare("a", "d")
    assert recorder.batches == [["a", "b", "c"], ["d"]]


def test_equal_text_is_not_asked() -> None:
    """The same text is alike without an embedding; objects are alike where they are the same."""
    recorder = Recorder()
    comparator = SemanticComparator(batch_embedding_function=recorder)
    assert comparator.compare("a", "a") == 1.0
    assert comparator.grid(["a"], ["a", "a"]).tolist() == [[1.0, 1.0]]
    assert comparator.compare({"a": 1}, {"a": 1}) == 1.0
    assert comparator.compare({"a": 1}, "a") == 0.0
    assert recorder.batches == []


def test_cache_is_bounded() -> None:
    """The texts used last are remembered, as many as allowed."""
    recorder = Recorder()
    comparator = SemanticComparator(batch_embedding_function=recorder, cache_size=2)
    comparator.compare("a", "b")
    comparator.compare("b", "c")
    comparator.compare("b", "a")
    assert recorder.batches == [["a", "b"], ["c"], ["a"]]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (broken, "model file is gone"),
        (lambda text: [0.0, 0.0], "not all 0"),
        (lambda text: [float("nan")], "not all 0"),
        (lambda text: 5, "list of numbers"),
        (lambda text: [[1.0]], "list of numbers"),
        (lambda text: [1.0] * len(text), "of one length"),
        (lambda text: ["x"], "list of numbers"),
    ],
)
def test_failures_are_errors(function: Any, message: str) -> None:
    """A model that fails, or gives no vector, is an error and not a score."""
    with pytest.raises(JudgeError, match=message):
        SemanticComparator(embedding_function=function).compare("a", "bb")


def test_missing_vectors_are_an_error() -> None:
    """A batch must give as many vectors as it got texts."""
    with pytest.raises(JudgeError, match="Expected 2 embeddings"):
        SemanticComparator(batch_embedding_function=lambda texts: [[1.0]]).compare("a", "b")


def test_without_a_source_of_embeddings_it_says_how_to_set_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where texts are to be compared; the same text needs none. The environment may name a model."""
    comparator = SemanticComparator()
    assert comparator.compare("a", "a") == 1.0
    with pytest.raises(JudgeError, match=r"declare `model_id` or a function.* set FIELDWISE_EMBEDDING_MODEL"):
        comparator.compare("a", "b")
    monkeypatch.setenv("FIELDWISE_EMBEDDING_MODEL", "some/model")
    assert SemanticComparator().config == {"model_id": "some/model"}


@pytest.mark.parametrize(
    "settings",
    [
        {"embedding_function": letters, "batch_embedding_function": Recorder()},
        {"embedding_function": "letters"},
        {"model_id": ""},
        {"model_id": "m", "sim_function": "dot"},
        {"model_id": "m", "cache_size": -1},
    ],
)
def test_wrong_settings(settings: dict[str, Any]) -> None:
    """There is one source of embeddings at most."""
    with pytest.raises(SettingError, match="Expected"):
        SemanticComparator(**settings)


@pytest.mark.skipif(importlib.util.find_spec("sentence_transformers") is not None, reason="the extra is installed")
def test_missing_extra() -> None:
    """A model by name needs the extra, and the error says what to install."""
    with pytest.raises(MissingExtraError, match=r"fieldwise\[semantic\]"):
        SemanticComparator("some/model").compare("a", "b")


def test_travels_without_its_cache() -> None:
    """Remembered vectors stay behind when a comparator is sent to another process."""
    comparator = SemanticComparator(embedding_function=letters, threshold=0.8)
    comparator.compare("a", "b")
    copy = pickle.loads(pickle.dumps(comparator))
    assert copy == comparator
    assert not copy._cache


def test_describes_itself() -> None:
    """A plan shows the model or the function."""
    assert SemanticComparator("mini").describe() == "semantic, mini"
    assert SemanticComparator(embedding_function=letters).describe() == "semantic, letters"
    assert SemanticComparator("mini", cache_size=5).config == {"model_id": "mini", "cache_size": 5}
