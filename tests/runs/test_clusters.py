"""Runs compared, gated and calibrated by clusters of documents: sums by cluster come before any uncertainty."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldwise import evaluate_pairs, open_run
from fieldwise.errors import SettingError
from fieldwise.results.rates import DENOMINATORS, METRICS, NUMERATORS, RATIOS
from tests.page_answers import difference_in, run_of
from tests.runs.results import command, reasons_of, summary_of
from tests.stats import oracles

VENDORS = 12


def pairs_of(seed: int, wrong: float) -> list[dict[str, Any]]:
    """Documents of some vendors, each with a share of errors of its own, and confidences."""
    rng, made = random.Random(seed), []
    for number in range(96):
        vendor = number % VENDORS
        expected = {"total": number, "name": f"n{number}", "tax": number / 2}
        bad = [name for name in expected if rng.random() < wrong * (vendor % 3)]
        sure = {name: round(rng.uniform(0.2, 0.7 if name in bad else 1), 2) for name in expected}
        predicted = {
            name: {"_value": "x" if name in bad else value, "_confidence": sure[name]}
            for name, value in expected.items()
        }
        metadata = {"vendor": f"v{vendor}", "own": f"d{number}"}
        made.append({"id": f"d{number}", "expected": expected, "predicted": predicted, "metadata": metadata})
    return made


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two runs, evaluated without clusters."""
    made = tmp_path_factory.mktemp("clusters")
    for name, seed, wrong in (("base", 1, 0.1), ("candidate", 2, 0.25)):
        evaluate_pairs(pairs_of(seed, wrong), out=made / name)
    return made / "base", made / "candidate"


def plain(result: Any) -> Any:
    return json.loads(result.to_json().replace('"clusters"', '"documents"').replace(" clusters", " documents"))


@pytest.mark.parametrize("metric", METRICS)
def test_where_each_document_is_a_cluster_a_comparison_is_the_same(metric: Any, folders: tuple[Path, Path]) -> None:
    """Bounds, tests and findings; only the unit has another name."""
    base, candidate = map(open_run, folders)
    alone, clustered = base.diff(candidate, metric=metric), base.diff(candidate, metric=metric, cluster_by="own")
    found = plain(clustered)
    assert (found["documents"].pop("cluster_by"), found["documents"].pop("cluster_count")) == ("own", 96)
    expected = plain(alone)
    del expected["documents"]["cluster_by"], expected["documents"]["cluster_count"]
    assert found == expected


@pytest.mark.parametrize("metric", RATIOS)
def test_a_comparison_sums_by_cluster_first(metric: Any, folders: tuple[Path, Path]) -> None:
    """Brute force: counts of documents added up by vendor, and the paired difference of these."""
    base, candidate = map(open_run, folders)
    found = base.diff(candidate, metric=metric, cluster_by="vendor")
    assert (found.documents.cluster_by, found.documents.cluster_count) == ("vendor", VENDORS)
    tables = []
    for run in (base, candidate):
        sums: dict[int, Any] = defaultdict(lambda: np.zeros(4, np.int64))
        documents = run.documents()
        for name, row in zip(documents.ids.to_pylist(), documents.counts[:, :4], strict=True):
            sums[int(name[1:]) % VENDORS] += row
        tables.append([sums[vendor].tolist() for vendor in range(VENDORS)])
    documents_with = [run.documents().counts[:, :4] @ np.array(DENOMINATORS[metric]) for run in (base, candidate)]
    times = max(2 * VENDORS, int(((documents_with[0] > 0) | (documents_with[1] > 0)).sum()))
    weights = np.array([NUMERATORS[metric], DENOMINATORS[metric]])
    sides = [[tuple((weights @ np.array(row)).tolist()) for row in table] for table in tables]
    expected = oracles.paired(sides, metric, times=times)
    assert (found.total.n, found.total.base.unit) == (VENDORS, "clusters")
    assert [found.total.delta, found.total.low] == pytest.approx([expected.delta, expected.low])
    assert {row.n for row in found.fields.values()} == {VENDORS}


def test_means_over_documents_are_ratios_over_clusters(folders: tuple[Path, Path]) -> None:
    """The share of documents without error: sums by vendor over their numbers of documents."""
    base, candidate = map(open_run, folders)
    found = base.diff(candidate, metric="exact_documents", cluster_by="vendor").total
    tops = np.zeros((2, VENDORS))
    for side, run in enumerate((base, candidate)):
        documents = run.documents()
        for name, row in zip(documents.ids.to_pylist(), documents.counts, strict=True):
            tops[side, int(name[1:]) % VENDORS] += not row[1:4].any()
    sides = [[(top, 96 / VENDORS) for top in run] for run in tops.tolist()]
    expected = oracles.paired(sides, "exact_documents", times=96)
    assert found.n == VENDORS
    assert [found.delta, found.low, found.high] == pytest.approx([expected.delta, expected.low, expected.high])


def test_a_run_that_was_evaluated_by_clusters_is_compared_by_them(tmp_path: Path) -> None:
    """Without a key, that of both evaluations; a key of the expected documents is known to the run."""
    for name, wrong in (("base", 0.1), ("candidate", 0.2)):
        pairs = [{**pair, "metadata": None} for pair in pairs_of(3, wrong)]
        pairs = [{**pair, "expected": {**pair["expected"], "vendor": at % 8}} for at, pair in enumerate(pairs)]
        evaluate_pairs(pairs, out=tmp_path / name, cluster_by="vendor")
    run = open_run(tmp_path / "base")
    assert run.diff(tmp_path / "candidate").documents.cluster_count == 8
    assert run.gate(tmp_path / "candidate").pairing.cluster_by == "vendor"
    assert run.calibrate().cluster_by == "vendor"
    with pytest.raises(SettingError, match=r"No document of .* has 'month'.*evaluated by 'vendor'"):
        run.diff(tmp_path / "candidate", cluster_by="month")


def test_a_gate_takes_clusters_as_units(folders: tuple[Path, Path]) -> None:
    """Each document its own cluster: the same answer; by vendor: fewer units, wider bounds."""
    base = open_run(folders[0])
    alone, own = base.gate(folders[1]), base.gate(folders[1], cluster_by="own")
    assert [plain(check) for check in own.checks] == [plain(check) for check in alone.checks]
    by_vendor = base.gate(folders[1], cluster_by="vendor").checks[0].difference
    assert by_vendor.n == VENDORS
    assert by_vendor.delta == pytest.approx(alone.checks[0].difference.delta)


def test_a_calibration_takes_clusters_as_units(folders: tuple[Path, Path]) -> None:
    """Each document its own cluster: the same figures; by vendor the interval of AUROC has vendors as units."""
    run = open_run(folders[1])
    alone, own = plain(run.calibrate(target_error=0.3)), plain(run.calibrate(target_error=0.3, cluster_by="own"))
    assert own.pop("cluster_by") == "own"
    assert alone.pop("cluster_by") is None
    areas = [found["pooled"].pop("auroc") for found in (own, alone)]
    assert areas[0] == pytest.approx(areas[1])
    for field in alone["fields"]:
        assert own["fields"][field].pop("auroc") == pytest.approx(alone["fields"][field].pop("auroc"))
    assert own == alone
    by_vendor = run.calibrate(cluster_by="vendor").pooled
    assert by_vendor.auroc is not None
    assert (by_vendor.auroc.unit, by_vendor.auroc.n) == ("clusters", VENDORS)
    assert by_vendor.documents == 96


@pytest.mark.parametrize("name", ["diff", "gate", "calibrate"])
def test_commands_take_the_key(name: str, folders: tuple[Path, Path]) -> None:
    """It is in their JSON."""
    given = {"diff": folders, "gate": ("--baseline", *folders), "calibrate": folders[:1]}[name]
    shown = json.loads(command(name, *given, "--cluster-by", "vendor", "--json").stdout)
    held = {"diff": shown.get("documents"), "gate": shown.get("pairing"), "calibrate": shown}[name]
    assert held["cluster_by"] == "vendor"


def test_intervals_over_clusters_are_never_said_to_be_over_documents(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    """Sentences, tables, reasons in JSON and pages name the unit; documents are counted beside it."""
    by = ("--cluster-by", "vendor")
    diff, gate = (command(*name, *folders, *by, columns=250).stdout for name in (("diff",), ("gate", "--baseline")))
    for shown in (diff, gate):
        assert f"{VENDORS} clusters" in shown
        assert f"{VENDORS} documents" not in shown
        assert f"96 documents in {VENDORS} clusters by vendor" in shown
    assert "clusters ▲" in diff
    assert "documents ▲" not in diff
    answer = json.loads(command("gate", "--baseline", *folders, *by, "--json").stdout)
    assert all(f"on {VENDORS} clusters" in words for words in (summary_of(answer), *reasons_of(answer)))
    page = tmp_path / "page.html"
    command("diff", *folders, *by, "--html", page)
    found = difference_in(page)
    assert (found.total.unit, found.documents.cluster_by, found.documents.cluster_count) == (
        "clusters",
        "vendor",
        VENDORS,
    )


def test_an_evaluation_by_clusters_names_them_wherever_it_is_shown(tmp_path: Path) -> None:
    """On the terminal, in the page with the slices, and in a shell."""
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("\n".join(map(json.dumps, pairs_of(1, 0.1))), "utf-8")
    out = tmp_path / "results"
    shown = command("evaluate", pairs, "--cluster-by", "vendor", "--slice", "vendor", "--out", out).stdout
    assert "interval over the n clusters that have the field" in shown
    assert "fewer than 20 clusters" in shown
    assert "n documents" not in shown
    page = run_of(out).metrics
    assert (page.document_count, page.cluster_count, page.cluster_by) == (96, VENDORS, "vendor")
    assert page.aggregate.rates.strict_f1.unit == "clusters"
    assert page.slices is not None
    assert "v11" in page.slices["vendor"].values
    found = evaluate_pairs(pairs_of(1, 0.1), cluster_by="vendor")
    assert f"96 documents in {VENDORS} clusters by vendor" in str(found)
