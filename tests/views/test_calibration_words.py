"""What ``fieldwise calibrate`` says of values without a confidence, and of confidences exactly as they were given."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]  # no types

from tests.page_answers import answers_in
from tests.runs.results import command, write_run

Json = Any
HOW = "which is a number from 0 to 1 on the value itself, not around an object or a list."


def sure(value: Json, confidence: Json) -> Json:
    return {"_value": value, "_confidence": confidence}


def shown(*arguments: str | Path) -> str:
    done = command("calibrate", *arguments)
    assert done.exit_code == 0, done.output
    return " ".join(done.stdout.split())


def test_how_to_give_confidences_is_told_where_some_values_have_none(tmp_path: Path) -> None:
    """One around a list, one as text and one above 1 are none; the terminal and the page say how to give them."""
    expected = {"name": "a", "code": "b", "total": 1.0, "items": [{"sku": "c", "price": 2.0}]}
    predicted = {
        "name": sure("a", 0.9),
        "code": sure("b", "0.9"),
        "total": sure(1.0, 90),
        "items": sure([{"sku": "c", "price": sure(2.0, 0.8)}], 0.7),
    }
    results = write_run(tmp_path, {"one": (expected, predicted)})
    assert f"3 predicted values without a confidence, {HOW}" in shown(results, "--out", tmp_path / "made")
    page = answers_in((tmp_path / "made" / "calibration.html").read_text(encoding="utf-8")).confidence
    assert page is not None
    assert page.pooled.bare == f"3 predicted values without a confidence, {HOW}"


def test_nothing_is_told_where_all_values_have_one(tmp_path: Path) -> None:
    """A run whose values all carry a confidence has no such line."""
    results = write_run(tmp_path, {"one": ({"name": "a"}, {"name": sure("a", 0.9)})})
    assert HOW not in shown(results)


def test_confidences_of_a_run_are_not_rounded(tmp_path: Path) -> None:
    """0.99996 is not 1: a wrong value with it has a logarithm. With 1 it has none, and the reason is told."""
    for confidence, loss in ((0.99996, -(2 * math.log(0.99996) + math.log(1 - 0.99996)) / 3), (1, None)):
        documents = {f"d{k}": ({"name": "a"}, {"name": sure("a" if k else "b", confidence)}) for k in range(3)}
        results = write_run(tmp_path / str(confidence), documents)
        made = json.loads(command("calibrate", results, "--json").stdout)["pooled"]
        assert made["log_loss"] == (loss if loss is None else pytest.approx(loss, rel=1e-12))
        assert made["mean_confidence"] == pytest.approx(confidence, rel=1e-12)
    assert made["undefined"]["log_loss"] == "a wrong value has the confidence 1, or a right one 0"
    assert made["undefined"]["spiegelhalter_z"] == "every confidence is 0, 0.5 or 1"


def test_auroc_and_curves_are_those_of_exact_confidences(tmp_path: Path) -> None:
    """Confidences that agree in four digits still tell right from wrong; scikit-learn has the same area."""
    rng = np.random.default_rng(5)
    confidence = 1 - rng.random(120) * 1e-5
    right = rng.random(120) < 0.2 + 0.6 * (confidence - confidence.min()) / np.ptp(confidence)
    pairs = zip(right.tolist(), confidence.tolist(), strict=True)
    documents = {f"d{k}": ({"name": "a"}, {"name": sure("a" if good else "b", c)}) for k, (good, c) in enumerate(pairs)}
    made = json.loads(command("calibrate", write_run(tmp_path, documents), "--json").stdout)["pooled"]
    assert made["auroc"]["value"] == pytest.approx(roc_auc_score(right, confidence), rel=1e-12)
    assert len(made["review_curve"]) == len(made["risk_curve"]) == 120
    wrong = ~right[np.argsort(confidence)]
    assert [point["figure"] for point in made["review_curve"]] == pytest.approx(wrong.cumsum() / wrong.sum())


def test_a_calibrated_run_leans_nowhere(tmp_path: Path) -> None:
    """Three of four right at 0.75 is neither too much nor too little, whatever the rounding of sums."""
    documents = {f"d{k}": ({"name": "a"}, {"name": sure("a" if k % 4 else "b", 0.75)}) for k in range(28)}
    assert "Neither over- nor under-confident on average" in shown(write_run(tmp_path, documents))
