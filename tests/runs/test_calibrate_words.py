"""What ``fieldwise calibrate`` says of values without a confidence, and of figures that rounding makes undefined."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .results import command, write_run

Json = Any
HOW = "one counts if it stands on the value itself, not around an object or a list, and is a number from 0 to 1."


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
    assert f"3 predicted values without a confidence: {HOW}" in shown(results, "--out", tmp_path / "made")
    page = (tmp_path / "made" / "calibration.html").read_text(encoding="utf-8")
    assert f"3 predicted values without a confidence: {HOW}" in page


def test_nothing_is_told_where_all_values_have_one(tmp_path: Path) -> None:
    """A run whose values all carry a confidence has no such line."""
    results = write_run(tmp_path, {"one": ({"name": "a"}, {"name": sure("a", 0.9)})})
    assert HOW not in shown(results)


def test_rounding_is_named_where_it_makes_a_figure_undefined(tmp_path: Path) -> None:
    """0.99996 is kept as 1, so that a wrong value with it has no logarithm: the reason says that it was rounded."""
    documents = {f"d{k}": ({"name": "a"}, {"name": sure("a" if k else "b", 0.99996)}) for k in range(3)}
    made = json.loads(command("calibrate", write_run(tmp_path, documents), "--json").stdout)["pooled"]
    assert made["log_loss"] is made["spiegelhalter_z"] is None
    assert made["undefined"]["log_loss"].endswith("has the confidence 1, or a right one 0, rounded to 1/10,000")
    assert made["undefined"]["spiegelhalter_z"] == "every confidence is 0, 0.5 or 1, rounded to 1/10,000"


def test_a_calibrated_run_leans_nowhere(tmp_path: Path) -> None:
    """Three of four right at 0.75 is neither too much nor too little, whatever the rounding of sums."""
    documents = {f"d{k}": ({"name": "a"}, {"name": sure("a" if k % 4 else "b", 0.75)}) for k in range(28)}
    assert "Neither over- nor under-confident on average" in shown(write_run(tmp_path, documents))
