"""Evaluating a set of documents: the same bytes whatever the shards, the workers and the interruptions."""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldwise import ComparableField, Plan, Spec, StructuredModel
from fieldwise.api import evaluate_pairs
from fieldwise.bulk_aggregator import BulkEvaluationAggregator
from fieldwise.errors import SettingError
from fieldwise.evaluation.checkpoint import FOLDER
from fieldwise.readers.pairs import open_pairs
from tests.folders import stored_rows

FILES = {
    "metrics.json",
    "fields.csv",
    "manifest.json",
    "documents",
    "pairs",
    "errors",
    "counts",
    "scores",
    "failures.jsonl",
    "spec.json",
    "report.html",
}

RATES = {"precision", "recall", "strict_recall", "f1", "strict_f1"}


def verdicts(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = stored_rows(folder, "verdicts")
    return sorted(rows, key=lambda row: (row["document"], row["path"] or "", row["predicted_path"] or ""))


@pytest.fixture(scope="module")
def whole(pairs_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an evaluation in one go."""
    out = tmp_path_factory.mktemp("whole")
    evaluate_pairs(open_pairs(pairs_file), out=out)
    return out


def test_everything_is_written(whole: Path) -> None:
    """All files are there, and nothing else."""
    assert {path.name for path in whole.iterdir()} == FILES


def test_the_sum_over_leaves_is_the_aggregate(whole: Path) -> None:
    """The verdicts add up to the counts of metrics.json, field by field; what is absent has none."""
    metrics = json.loads((whole / "metrics.json").read_bytes())
    keys = {"match": "tp", "mismatch": "fd", "spurious": "fa", "missed": "fn"}
    counted: dict[str, dict[str, int]] = {}
    for row in verdicts(whole):
        counts = counted.setdefault(row["field"], dict.fromkeys(keys.values(), 0))
        counts[keys[row["outcome"]]] += 1
    for path, counts in counted.items():
        assert {key: metrics["fields"][path][key] for key in counts} == counts, path
    for key in keys.values():
        assert metrics["aggregate"][key] == sum(counts[key] for counts in counted.values())


def test_every_rate_has_an_interval(whole: Path) -> None:
    """Each field, list and object, and all values together, tell the interval of each rate, and over how many
    documents."""
    metrics = json.loads((whole / "metrics.json").read_bytes())
    check_intervals(metrics)


def test_every_rate_has_an_interval_where_rows_count_as_objects(pairs_file: Path) -> None:
    """``--unmatched objects`` tells them, too, and any shards give the same."""
    found = evaluate_pairs(open_pairs(pairs_file), unmatched="objects").metrics
    check_intervals(found.to_dict())
    assert found.aggregate.rates.strict_f1.n == found.document_count
    sharded = evaluate_pairs(open_pairs(pairs_file), unmatched="objects", shard_documents=7, workers=2).metrics
    assert sharded.to_json() == found.to_json()


def check_intervals(metrics: Mapping[str, Any]) -> None:
    assert {"line_items", "line_items.sku", "vendor", "vendor.address", "total"} <= metrics["fields"].keys()
    for path, row in {"all values": metrics["aggregate"], **metrics["fields"]}.items():
        assert row["rates"].keys() == RATES, path
        for name, interval in row["rates"].items():
            assert 0 <= interval["n"] <= metrics["document_count"]
            if interval["n"] >= 2:
                assert interval["low"] <= row[name] <= interval["high"], (path, name)
                assert interval["low"] < interval["high"], (path, name)


def test_documents_as_wholes_have_rates_with_intervals(whole: Path) -> None:
    """What a run says of each document gives the rates of documents in metrics.json."""
    metrics = json.loads((whole / "metrics.json").read_bytes())
    rows = stored_rows(whole, "documents")
    own = [2 * row["tp"] / (2 * row["tp"] + 2 * row["fd"] + row["fa"] + row["fn"]) for row in rows]
    found = metrics["document_metrics"]
    assert found["macro_strict_f1"]["value"] == pytest.approx(statistics.fmean(own), abs=1e-11)
    assert found["exact_rate"]["value"] == found["exact_documents"] / len(rows)
    assert found["weighted_score"]["value"] == pytest.approx(statistics.fmean(row["score"] for row in rows), rel=1e-9)
    for rate in (found["macro_strict_f1"], found["exact_rate"], found["weighted_score"]):
        assert rate["low"] < rate["value"] < rate["high"]
        assert (rate["n"], rate.get("skipped", 0)) == (len(rows), 0)


def test_the_mean_over_fields_leaves_out_objects_lists_and_what_nobody_declared(whole: Path) -> None:
    """Declared leaf fields count alike; those without a value are skipped and counted."""
    metrics = json.loads((whole / "metrics.json").read_bytes())
    left_out = {"line_items", "vendor", "vendor.address", *metrics["undeclared_fields"]}
    own = [row["strict_f1"] for path, row in metrics["fields"].items() if path not in left_out]
    assert metrics["field_macro"]["strict_f1"] == {
        "value": pytest.approx(statistics.fmean(own)),
        "n": len(own),
        "skipped": 0,
    }


def test_counts_are_those_of_the_matrices(pairs_file: Path, whole: Path) -> None:
    """The same as adding up the confusion matrices of each document."""
    metrics = json.loads((whole / "metrics.json").read_bytes())
    plan = Plan.compile(Spec.from_json_schema(json.loads((whole / "spec.json").read_bytes())))
    aggregator = BulkEvaluationAggregator()
    for line in pairs_file.read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        compared = plan.compare(pair["expected"], pair["predicted"])
        aggregator.update(
            compared.to_dict(include_confusion_matrix=True, unmatched="leaves", extras="leaves")["confusion_matrix"]
        )
    computed = aggregator.compute()
    for path, row in computed["fields"].items():
        if any(row[key] for key in ("tp", "fp", "fn", "tn")):
            assert {key: metrics["fields"][path][key] for key in row} == row
    assert metrics["overall"] == computed["overall"]
    assert {key: metrics["aggregate"][key] for key in computed["aggregate"]} == computed["aggregate"]
    assert metrics["document_count"] == computed["document_count"]


@settings(
    deadline=None, max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(size=st.integers(1, 70))
def test_shards_change_no_byte(
    size: int, pairs_file: Path, whole: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Metrics are the same bytes for any size of shards, and so are the sorted rows."""
    out = tmp_path_factory.mktemp("sharded")
    evaluate_pairs(open_pairs(pairs_file), out=out, shard_documents=size)
    assert (out / "metrics.json").read_bytes() == (whole / "metrics.json").read_bytes()
    assert verdicts(out) == verdicts(whole)


def test_workers_change_no_byte(pairs_file: Path, whole: Path, tmp_path: Path) -> None:
    """Two processes give what one gives."""
    evaluate_pairs(open_pairs(pairs_file), out=tmp_path, shard_documents=7, workers=2)
    assert (tmp_path / "metrics.json").read_bytes() == (whole / "metrics.json").read_bytes()
    assert verdicts(tmp_path) == verdicts(whole)


def test_resuming_something_else_is_refused(pairs_file: Path, tmp_path: Path) -> None:
    """What was left by an evaluation of other documents or rules is not mixed in."""
    out, other = tmp_path / "out", tmp_path / "other.jsonl"
    (out / FOLDER).mkdir(parents=True)
    (out / FOLDER / "run.json").write_text('{"fingerprint": "x"}')
    other.write_text(pairs_file.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(SettingError, match="Cannot resume"):
        evaluate_pairs(open_pairs(other), out=out, resume=True)


def test_what_an_older_version_left_is_not_resumed(pairs_file: Path, tmp_path: Path) -> None:
    """What another version counted is not mixed in; evaluating anew works."""

    def stop(done: int, earlier: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_pairs(open_pairs(pairs_file), out=tmp_path, shard_documents=3, progress=stop)
    described = tmp_path / FOLDER / "run.json"
    run = json.loads(described.read_bytes())
    described.write_text(json.dumps({**run, "scorer_version": "0.0.9"}))
    with pytest.raises(SettingError, match=r"scorer_version changed.*without resume"):
        evaluate_pairs(open_pairs(pairs_file), out=tmp_path, shard_documents=3, resume=True)
    evaluate_pairs(open_pairs(pairs_file), out=tmp_path, shard_documents=3, overwrite=True)
    assert (tmp_path / "metrics.json").exists()


def test_objects_count_as_the_peer_does(pairs_file: Path, whole: Path) -> None:
    """Under ``objects`` the values of unpaired rows are not counted one by one."""
    spec = Spec.from_json_schema(json.loads((whole / "spec.json").read_bytes()))
    found = evaluate_pairs(open_pairs(pairs_file), spec, unmatched="objects").metrics.to_dict()
    plan, aggregator = Plan.compile(spec), BulkEvaluationAggregator()
    for line in pairs_file.read_text(encoding="utf-8").splitlines():
        pair = json.loads(line)
        compared = plan.compare(pair["expected"], pair["predicted"])
        aggregator.update(compared.to_dict(include_confusion_matrix=True, extras="leaves")["confusion_matrix"])
    computed = aggregator.compute()
    for path, row in computed["fields"].items():
        assert {key: found["fields"][path][key] for key in row} == row
    assert found["fields"].keys() == computed["fields"].keys()
    assert found["overall"] == computed["overall"]
    assert {key: found["aggregate"][key] for key in computed["aggregate"]} == computed["aggregate"]
    assert found["unmatched"] == "objects"


def test_nothing_is_written_without_a_folder(pairs_file: Path, whole: Path) -> None:
    """Without ``out`` the numbers are the same; kinds of error need the rows, and there are none to be listed."""
    found = evaluate_pairs(open_pairs(pairs_file))
    written = json.loads((whole / "metrics.json").read_bytes())
    [kept] = (note["facts"] for note in written["notes"] if note["code"] == "values.not_identical")
    assert kept["rows_kept"] is True
    kept["rows_kept"] = False
    assert json.loads(found.metrics.to_json()) == {**written, "error_kinds": None}
    assert found.folder is None


def test_the_garbage_collector_is_left_to_the_caller() -> None:
    """An evaluation in the caller's process neither stops the collector nor starts it."""
    seen = set[bool]()

    def note(expected: Any, predicted: Any) -> float:
        seen.add(gc.isenabled())
        return 1.0

    class Note(StructuredModel):
        name: str = ComparableField(comparator=note)

    pairs = [("a", {"name": "x"}, {"name": "y"})]
    assert gc.isenabled()
    evaluate_pairs(pairs, Spec.from_model(Note))
    assert seen == {True}
    gc.disable()
    try:
        evaluate_pairs(pairs, Spec.from_model(Note))
        assert seen == {True, False}
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_script_without_a_guard_says_what_is_missing(pairs_file: Path, tmp_path: Path) -> None:
    """Workers import the script that was started; where that would start an evaluation again, the error says so."""
    script = tmp_path / "script.py"
    script.write_text(
        f"import fieldwise\nfieldwise.evaluate_pairs({str(pairs_file)!r}, workers=2, shard_documents=7)\n"
    )
    ended = subprocess.run([sys.executable, script], check=False, capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.strip().endswith('put the call below `if __name__ == "__main__":`, or leave workers out')
    script.write_text(script.read_text().replace("\nfieldwise", '\nif __name__ == "__main__":\n    fieldwise'))
    assert subprocess.run([sys.executable, script], check=False).returncode == 0
    guarded, command = script.read_text(), [sys.executable, "-"]
    ended = subprocess.run(command, check=False, input=guarded, capture_output=True, text=True)
    assert ended.stderr.strip().endswith("put the script into a file, or leave workers out")
