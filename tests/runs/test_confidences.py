"""``fieldwise calibrate``: scikit-learn as oracle on the values of a run, and whatever is odd about confidences."""

from __future__ import annotations

import json
import random
import re
import shutil
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from examples.generate_confidences import confident
from examples.generate_invoices import generate
from sklearn.calibration import calibration_curve  # type: ignore[import-untyped]  # it has no types
from sklearn.metrics import (  # type: ignore[import-untyped]  # it has no types
    average_precision_score,
    brier_score_loss,
    roc_auc_score,
)
from sklearn.metrics import log_loss as sk_log_loss

from fieldwise.api import evaluate_pairs
from fieldwise.cli.calibrate import calibrate
from fieldwise.errors import InputError, SettingError
from fieldwise.readers.pairs import open_pairs
from fieldwise.results import Calibration
from fieldwise.runs.calibration import calibrate_run
from fieldwise.runs.folder_run import open_run
from tests.command_line import run
from tests.documents import write_pairs
from tests.folders import part_of, stored_rows
from tests.page_answers import answers_in
from tests.stats import oracles

from .results import command, refused, write_run

Json = Any
DOCUMENTS = 80
PREDICTED = ("match", "mismatch", "spurious")
PAGE = Path(__file__).parents[2] / "docs" / "calibrate.md"


def sure(value: Json, confidence: Json) -> Json:
    return {"_value": value, "_confidence": confidence}


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of invoices with confidences."""
    made = (
        (one.id, one.expected, confident(one.expected, one.predicted, random.Random(one.id)))
        for one in generate(DOCUMENTS, 5)
    )
    return write_pairs(tmp_path_factory.mktemp("confident") / "pairs.jsonl", made)


@pytest.fixture(scope="module")
def results(pairs: Path) -> Path:
    evaluate_pairs(open_pairs(str(pairs)), out=pairs.parent / "results")
    return pairs.parent / "results"


@pytest.fixture(scope="module")
def found(results: Path) -> Calibration:
    return calibrate_run(open_run(results))


@pytest.fixture(scope="module")
def rows(results: Path) -> list[dict[str, Json]]:
    return stored_rows(results, "verdicts")


def arrays(rows: list[dict[str, Json]]) -> tuple[Any, Any]:
    """Return what is right and the confidences of the predicted values that carry one."""
    kept = [row for row in rows if row["outcome"] in PREDICTED and row["confidence"] is not None]
    return np.array([row["outcome"] == "match" for row in kept], int), np.array([row["confidence"] for row in kept])


def test_scikit_learn_agrees_on_the_pooled_values(found: Calibration, rows: list[dict[str, Json]]) -> None:
    """AUROC, Brier, log loss, average precision of errors and the bins of the run are those of its rows."""
    right, confidence = arrays(rows)
    total = found.pooled
    assert total.auroc is not None
    assert total.brier is not None
    assert total.auroc.value == pytest.approx(roc_auc_score(right, confidence))
    assert total.brier.score == pytest.approx(brier_score_loss(right, confidence))
    assert total.log_loss == pytest.approx(sk_log_loss(right, confidence))
    assert total.error_average_precision == pytest.approx(average_precision_score(1 - right, -confidence))
    shares, means = calibration_curve(right, np.nextafter(confidence, 1), n_bins=10)  # its bins are (a, b]
    assert [b.right for b in total.bins] == pytest.approx(list(shares))
    assert [b.confidence for b in total.bins] == pytest.approx(list(means))
    gaps = [b.count * abs(b.right - b.confidence) for b in total.bins]
    assert total.ece == pytest.approx(sum(gaps) / len(right))
    assert total.signed_error == pytest.approx(confidence.mean() - right.mean())


def test_every_field_has_the_figures_of_its_rows(found: Calibration, rows: list[dict[str, Json]]) -> None:
    """Counts, shares and AUROC are those of the field's rows; the fields' counts add up to the pooled ones."""
    for one in found.fields.values():
        own = [row for row in rows if row["field"] == one.name]
        right, confidence = arrays(own)
        assert one.n == len(right)
        assert one.right == right.sum()
        assert one.predicted == sum(row["outcome"] in PREDICTED for row in own)
        assert one.missed == sum(row["outcome"] == "missed" for row in own)
        assert one.documents == len(
            {row["document"] for row in own if row["confidence"] is not None and row["outcome"] in PREDICTED}
        )
        if one.auroc is not None:
            assert one.auroc.value == pytest.approx(roc_auc_score(right, confidence))
        else:
            assert "auroc" in one.undefined
    for name in ("n", "right", "predicted", "missed"):
        assert getattr(found.pooled, name) == sum(getattr(one, name) for one in found.fields.values())


def test_the_worst_calibrated_field_comes_first(found: Calibration) -> None:
    """Those whose error is shown to be more than chance, then others; each by what it is beyond chance."""
    errors = [(1.0 if one.ece_p is None else one.ece_p) < 0.05 for one in found.fields.values()]
    beyond = [one.ece_beyond_chance or 0.0 for one in found.fields.values()]
    keys = list(zip(errors, beyond, strict=True))
    assert keys == sorted(keys, reverse=True)
    assert len(errors) > 10
    for one in found.fields.values():
        assert one.ece_beyond_chance == max(0.0, (one.ece or 0.0) - (one.ece_by_chance or 0.0))


def test_review_catches_what_the_rows_say(found: Calibration, rows: list[dict[str, Json]]) -> None:
    """Half of the values, least confident first, hold the errors that sorting the rows gives, up to ties."""
    right, confidence = arrays(rows)
    for point in found.pooled.review:
        reviewed = round(point.share * len(right))
        best, worst = (np.lexsort((sign * right, confidence))[:reviewed] for sign in (1, -1))
        errors = (1 - right).sum()
        low, high = (1 - right[worst]).sum() / errors, (1 - right[best]).sum() / errors
        assert low - 1 / errors <= point.caught <= high + 1 / errors
    assert [point.share for point in found.pooled.review] == [0.05, 0.1, 0.2, 0.3, 0.5]


@pytest.mark.parametrize("size", [1, 7, 33])
def test_shards_change_nothing(pairs: Path, found: Calibration, tmp_path: Path, size: int) -> None:
    """Results in many row groups give the figures of results in one."""
    evaluate_pairs(open_pairs(str(pairs)), out=tmp_path, shard_documents=size)
    again = calibrate_run(open_run(tmp_path))
    close(again.pooled.to_dict(), found.pooled.to_dict())
    for one, other in zip(again.fields.values(), found.fields.values(), strict=True):
        close(one.to_dict(), other.to_dict())


def close(one: Json, other: Json) -> None:
    """Both are the same JSON, numbers up to rounding."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            close(one[key], other[key])
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(other)
        for mine, yours in zip(one, other, strict=True):
            close(mine, yours)
    elif isinstance(one, float):
        assert one == pytest.approx(other, abs=1e-12)
    else:
        assert one == other


def many(count: int, wrong: int) -> dict[str, tuple[Json, Json]]:
    """Make documents of one value, the first few wrong and less confident."""
    return {
        f"d{k}": ({"code": f"c{k}"}, {"code": sure("x" if k < wrong else f"c{k}", 0.6 if k < wrong else 0.98)})
        for k in range(count)
    }


def test_a_threshold_is_chosen_on_all_documents_and_checked_by_halves(tmp_path: Path) -> None:
    """It leaves out the unsure values; each half chooses one, which the other checks: all values are checked."""
    run = open_run(write_run(tmp_path, many(1000, 100)))
    found = calibrate_run(run, target_error=0.02).fields["code"]
    assert found.acceptance is not None
    chosen, held = found.acceptance.chosen, found.acceptance.held_out
    assert (chosen.threshold, chosen.accepted, chosen.n) == (0.61, 900, 900)
    assert chosen.upper == pytest.approx(oracles.upper_error([1] * 900, [0] * 900))
    assert held.thresholds == (0.61, 0.61)
    assert (held.values, held.accepted, held.errors, held.error_rate.value) == (1000, 900, 0, 0.0)
    assert held.error_rate.n == 900
    expected = calibrate_run(run, target_error=0.02, guarantee="expectation").fields["code"].acceptance
    assert expected is not None
    assert (expected.chosen.threshold, expected.chosen.n) == (0.61, 1000)
    assert expected.chosen.upper == pytest.approx(1 / 1001)
    assert expected.held_out.error_rate.n == 1000


def test_what_is_promised_on_average_is_called_so(tmp_path: Path) -> None:
    """Conformal risk control is named, and that it speaks of a document's values, wrong and accepted."""
    run = write_run(tmp_path, many(60, 10))
    shown = " ".join(command("calibrate", run, "--guarantee", "expectation").stdout.split())
    said = "on average over documents at most 5% of a document's values wrong and accepted (conformal risk control)"
    assert said in shown
    assert said not in " ".join(command("calibrate", run).stdout.split())


def test_a_threshold_is_checked_on_the_other_half(tmp_path: Path) -> None:
    """Two of 300 documents are wrong as a whole: the promise is kept, and the check says what became of it."""
    rows = [{"sku": f"s{k}", "price": 10.0 + k} for k in range(5)]
    read = {"items": [{**row, "sku": sure(row["sku"], 0.98)} for row in rows]}
    wrong = {"items": [{"sku": sure("x", 0.98), "price": row["price"]} for row in rows]}
    documents = {f"d{k:03d}": ({"items": rows}, wrong if k % 150 == 7 else read) for k in range(300)}
    shown = " ".join(command("calibrate", write_run(tmp_path, documents)).stdout.split())
    assert "of values, at most 5% wrong (97.5% confidence, by documents). " in shown
    assert re.search("Chosen on one half of the documents, it had [0-9]+ of [0-9,]+ accepted values wrong", shown)


def test_the_halves_do_not_depend_on_the_order(tmp_path: Path) -> None:
    """The same documents in another order have the same halves."""
    documents = many(400, 40)
    turned = dict(reversed(documents.items()))
    one, other = (
        calibrate_run(open_run(write_run(tmp_path / name, made)))
        for name, made in (("one", documents), ("other", turned))
    )
    close(one.pooled.to_dict(), other.pooled.to_dict())


def test_too_few_documents_have_no_threshold(tmp_path: Path) -> None:
    """The reason says how many documents it takes."""
    done = command("calibrate", write_run(tmp_path, many(30, 1)))
    assert done.exit_code == 0
    said = "at least 88 documents are needed to show it, without an error; 30 have such values"
    assert said in " ".join(done.stdout.split())


def test_signs_and_halves_follow_from_names_alone(tmp_path: Path) -> None:
    """The same documents in another order: the same chance of so large an ECE."""
    documents = many(60, 9)
    turned = dict(reversed(documents.items()))
    one, other = (
        calibrate_run(open_run(write_run(tmp_path / name, made))).pooled
        for name, made in (("one", documents), ("other", turned))
    )
    assert one.ece_p is not None
    assert one.ece_p == other.ece_p
    assert one.ece_by_chance == pytest.approx(other.ece_by_chance)


def test_missed_values_have_no_confidence(tmp_path: Path) -> None:
    """A null with a confidence is a missed value, counted apart."""
    documents = {"a": ({"code": "1", "name": "n"}, {"code": sure("1", 0.9), "name": sure(None, 0.2)})}
    total = calibrate_run(open_run(write_run(tmp_path, documents))).pooled
    assert (total.predicted, total.n, total.missed) == (1, 1, 1)


@pytest.mark.parametrize("confidence", [1.5, -0.1, 93, "high", True, None, [0.9]])
def test_what_is_no_confidence_counts_as_none(tmp_path: Path, confidence: Json) -> None:
    """Numbers outside of 0 to 1 and other values lower the coverage, nothing else."""
    documents = {"a": ({"code": "1", "name": "n"}, {"code": sure("1", confidence), "name": sure("n", 0.5)})}
    total = calibrate_run(open_run(write_run(tmp_path, documents))).pooled
    assert (total.predicted, total.n, total.coverage, total.mean_confidence) == (2, 1, 0.5, 0.5)


def test_results_without_confidences_are_refused(tmp_path: Path) -> None:
    """The message shows what a prediction with confidences looks like."""
    results = write_run(tmp_path, {"a": ({"code": "1"}, {"code": "1"})})
    words = refused("calibrate", results)
    assert "None of the 1 predicted values" in words
    assert '"_confidence": 0.93' in words
    done = run("calibrate", results)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: None of the")


ODD: dict[str, dict[str, tuple[Json, Json]]] = {
    "one value": {"a": ({"code": "1"}, {"code": sure("1", 0.7)})},
    "one wrong value": {"a": ({"code": "1"}, {"code": sure("2", 0.7)})},
    "all right": {f"d{k}": ({"code": "1"}, {"code": sure("1", 0.1 * k)}) for k in range(9)},
    "all wrong": {f"d{k}": ({"code": "1"}, {"code": sure("2", 0.1 * k)}) for k in range(9)},
    "one confidence": {f"d{k}": ({"code": "1"}, {"code": sure(str(k % 2), 0.5)}) for k in range(9)},
    "sure and wrong": {f"d{k}": ({"code": "1"}, {"code": sure(str(k % 2), k % 3 / 2)}) for k in range(9)},
    "one document": {"a": ({"name": "1", "code": "2"}, {"name": sure("1", 0.7), "code": sure("x", 0.9)})},
    "undeclared": {"a": ({"code": "1"}, {"code": sure("1", 0.9), "other": sure("x", 1.0)})},
    "a half only": {f"d{k}": ({"code": "1"}, {"code": sure("1", 1.0) if k else "1"}) for k in range(3)},
}


@pytest.mark.parametrize("name", ODD)
def test_odd_confidences_break_nothing(tmp_path: Path, name: str) -> None:
    """Table, JSON and page are made, with the same numbers; what is undefined has a reason and is no zero."""
    results = write_run(tmp_path, ODD[name])
    done = command("calibrate", results, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    made = json.loads((tmp_path / "out" / "calibration.json").read_text(encoding="utf-8"))
    page = answers_in((tmp_path / "out" / "calibration.html").read_text(encoding="utf-8")).confidence
    assert page is not None
    assert json.loads(page.calibration.to_json()) == made
    assert list(page.fields) == list(made["fields"])
    for one in (made["pooled"], *made["fields"].values()):
        for figure, reason in (("auroc", "auroc"), ("log_loss", "log_loss"), ("spiegelhalter_z", "spiegelhalter_z")):
            assert (one[figure] is None) == (reason in one["undefined"])
        assert one["acceptance"] is None
        assert "needed to show it" in one["undefined"]["acceptance"]
    assert "nan" not in done.stdout.lower()


def test_the_table_speaks_plainly(results: Path, found: Calibration) -> None:
    """Sentences tell on which side confidences err, what review catches and from where on to accept."""
    done = command("calibrate", results, "--target-error", "0.1")
    assert done.exit_code == 0, done.output
    assert "-confident by" in done.stdout
    assert "Review the 20% least confident values and you catch" in done.stdout
    assert "at most 10% wrong (97.5% confidence, by documents)" in " ".join(done.stdout.split())
    names = [line.split()[0] for line in done.stdout.splitlines() if line.startswith(" ") and "." in line]
    assert names[:3] == list(found.fields)[:3]


def test_machines_get_json(results: Path, found: Calibration) -> None:
    """``--json`` prints everything and nothing else."""
    made = json.loads(command("calibrate", results, "--json").stdout)
    assert made["pooled"]["n"] == found.pooled.n
    assert list(made["fields"]) == list(found.fields)
    assert made["pooled"]["review"][2]["share"] == 0.2


def test_some_fields_are_chosen(results: Path, found: Calibration) -> None:
    """``--field`` takes a field and what is below it, and pools only that."""
    made = json.loads(command("calibrate", results, "--field", "line_items", "--field", "total", "--json").stdout)
    assert set(made["fields"]) == {name for name in found.fields if name.startswith("line_items.") or name == "total"}
    assert made["pooled"]["n"] == sum(one["n"] for one in made["fields"].values())
    assert "did you mean 'total'" in refused("calibrate", results, "--field", "totl")


def test_bins_are_as_many_as_asked_for(results: Path) -> None:
    """``--bins`` decides on both calibration errors."""
    made = json.loads(command("calibrate", results, "--bins", "1", "--json").stdout)["pooled"]
    assert len(made["bins"]) == 1
    assert made["ece"] == pytest.approx(abs(made["signed_error"]))
    assert made["ece_equal_mass"] == pytest.approx(made["ece"])


def test_settings_that_make_no_sense_are_refused(results: Path) -> None:
    """Bins from 1, a target between 0 and 1, results that are there."""
    assert command("calibrate", results, "--bins", "0").exit_code == 2
    assert command("calibrate", results, "--target-error", "5").exit_code == 2
    with pytest.raises(SettingError, match="1 or more for `bins`"):
        calibrate_run(open_run(results), bins=0)
    with pytest.raises(SettingError, match="between 0 and 1"):
        calibrate_run(open_run(results), target_error=1.0)
    assert "a folder with the tables of an evaluation" in refused("calibrate", results / "metrics.json")


def test_confidences_that_cannot_be_read_are_refused(results: Path, tmp_path: Path) -> None:
    """A file that is no Parquet, or of another run, is named."""
    shutil.copytree(results, tmp_path / "copy")
    path = part_of(tmp_path / "copy", "confidences")
    for content in (b"hello", part_of(results, "scores").read_bytes()):
        path.write_bytes(content)
        with pytest.raises(InputError, match=path.name):
            calibrate_run(open_run(tmp_path / "copy"))


def test_the_fields_without_confidences_are_named(tmp_path: Path) -> None:
    """Other fields of the run may have some."""
    read = {"name": {"_value": "a", "_confidence": 0.9}, "code": "x"}
    run = write_run(tmp_path, {f"d{k}": ({"name": "a", "code": "x"}, read) for k in range(3)})
    with pytest.raises(InputError, match="None of the 3 predicted values of code in "):
        calibrate_run(open_run(run), fields=["code"])


@pytest.mark.parametrize("option", [o.opts[0] for o in calibrate.params if isinstance(o, click.Option)])
def test_every_option_is_explained(option: str) -> None:
    """The page about calibration names each option."""
    assert f"`{option}" in PAGE.read_text(encoding="utf-8")
