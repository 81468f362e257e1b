"""Documents by class, slice and cluster: the groups are sums, whatever divides the documents."""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise import evaluate_pairs, open_pairs, open_run
from fieldwise.counting import cells
from fieldwise.errors import SettingError, SliceError
from fieldwise.readers.pairs import Pair, PairSource, Shard
from fieldwise.readers.source import PairsAround, ShardAround
from fieldwise.results import Counts, GroupMetrics, Metrics
from fieldwise.results.rates import RATIOS
from fieldwise.stats.count_tables import histogram_of
from fieldwise.stats.intervals import rate_interval
from tests.folders import files_of, stored_rows
from tests.runs.results import command, refused
from tests.strategies import examples

CELLS = ("tp", "fd", "fa", "fn")
Documents = list[dict[str, Any]]


def documents(seed: int, count: int = 40) -> Documents:
    """Invoices: flat ones, some with rows, some without a prediction, some in several trials."""
    rng, made = random.Random(seed), []
    for number in range(count):
        expected: dict[str, Any] = {"total": number, "name": f"supplier {number % 9}", "buyer": "b"}
        if rng.random() < 0.3:
            expected["rows"] = [{"sku": f"s{k}", "price": k + 0.5} for k in range(rng.randint(0, 4))]
        metadata = {"source": {"vendor": rng.choice(["A", "B", 7, None])}, "month": rng.choice(["1", "2"])}
        for trial in range(2 if rng.random() < 0.1 else 1):
            predicted = json.loads(json.dumps(expected))
            if rng.random() < 0.4:
                predicted["total"] = -trial
            if rng.random() < 0.2:
                del predicted["name"]
            if predicted.get("rows") and rng.random() < 0.5:
                predicted["rows"].pop()
            pair = {"id": f"d{number}", "expected": expected, "predicted": predicted, "metadata": metadata}
            made.append({**pair, "predicted": None} if rng.random() < 0.05 else pair)
    return made


def counts(row: Counts) -> list[int]:
    return [getattr(row, cell) for cell in (*CELLS, "tn")]


def added(groups: list[GroupMetrics]) -> list[int]:
    rows = [counts(group.aggregate) for group in groups if group.aggregate is not None]
    return [sum(column) for column in zip(*rows, strict=True)]


def groups_of(metrics: Metrics, key: str) -> list[GroupMetrics]:
    assert metrics.slices is not None
    held = metrics.slices[key]
    return [*held.values.values(), *([] if held.missing is None else [held.missing])]


def without_groups(metrics: Metrics) -> dict[str, Any]:
    return {**metrics.to_dict(), "slices": None, "classes": None, "notes": None}


@pytest.mark.parametrize("unmatched", ["leaves", "objects"])
@settings(deadline=None, max_examples=examples(3))
@given(seed=st.integers(0, 10**6))
def test_groups_are_sums_of_the_whole(unmatched: Any, seed: int) -> None:
    """The whole is what it is without slices, and each key divides it."""
    pairs = documents(seed)
    alone = evaluate_pairs(pairs, unmatched=unmatched).metrics
    sliced = evaluate_pairs(pairs, unmatched=unmatched, slices=["source.vendor", "month"], shard_documents=9).metrics
    assert without_groups(sliced) == without_groups(alone)
    for key in ("source.vendor", "month"):
        groups = groups_of(sliced, key)
        assert added(groups) == counts(alone.aggregate)
        assert sum(group.document_count or 0 for group in groups) == alone.document_count
    assert sliced.slices is not None
    assert set(sliced.slices["source.vendor"].values) <= {"A", "B", "7"}
    assert sliced.slices["month"].missing is None


@settings(deadline=None, max_examples=examples(3))
@given(seed=st.integers(0, 10**6))
def test_a_group_counts_what_its_documents_alone_count(seed: int) -> None:
    """Every number of a slice value is that of an evaluation of its documents alone."""
    pairs = documents(seed)
    spec = evaluate_pairs(pairs).spec
    sliced = evaluate_pairs(pairs, spec, slices=["month"]).metrics
    assert sliced.slices is not None
    for value, group in sliced.slices["month"].values.items():
        own = evaluate_pairs([pair for pair in pairs if pair["metadata"]["month"] == value], spec).metrics
        assert group == GroupMetrics(own.fields, own.aggregate, own.document_count, own.document_metrics)


@pytest.mark.parametrize("unmatched", ["leaves", "objects"])
@settings(deadline=None, max_examples=examples(3))
@given(seed=st.integers(0, 10**6))
def test_where_each_document_is_a_cluster_nothing_changes(unmatched: Any, seed: int) -> None:
    """Every rate and interval is the same; only the unit has another name."""
    pairs = [{**pair, "metadata": {"own": pair["id"]}} for pair in documents(seed)]
    alone = evaluate_pairs(pairs, unmatched=unmatched).metrics
    clustered = evaluate_pairs(pairs, unmatched=unmatched, cluster_by="own", shard_documents=7).metrics
    assert clustered.cluster_count == alone.document_count
    renamed = clustered.to_json().replace('"clusters"', '"documents"')
    assert {**json.loads(renamed), "cluster_by": None, "cluster_count": None} == alone.to_dict()


@settings(deadline=None, max_examples=examples(3))
@given(seed=st.integers(0, 10**6))
def test_clusters_are_summed_before_any_uncertainty(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Brute force: the counts of each document in the rows of the run, added up by its vendor, give every rate."""
    pairs, out = documents(seed), tmp_path_factory.mktemp("run") / "out"
    metrics = evaluate_pairs(pairs, out=out, cluster_by="source.vendor", slices=["month"], shard_documents=11).metrics
    vendors = {pair["id"]: pair["metadata"]["source"]["vendor"] for pair in pairs}
    months = {pair["id"]: pair["metadata"]["month"] for pair in pairs}
    run = open_run(out)
    ids = run.documents().ids.to_pylist()
    for month in (None, "1", "2"):
        held = metrics if month is None else (metrics.slices or {})["month"].values[month]
        for field in run.fields():
            sums: dict[Any, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
            within: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
            table = run.counts(field)
            for number, *row in zip(*(table[name].to_pylist() for name in ("document", *CELLS)), strict=True):
                document = ids[number]
                if month in (None, months[document]):
                    within[document] = [a + b for a, b in zip(within[document], row, strict=True)]
                    key = (document,) if vendors[document] is None else vendors[document]
                    sums[key] = [a + b for a, b in zip(sums[key], row, strict=True)]
            histogram = histogram_of(list(sums.values()))
            histogram.of_documents = histogram_of(list(within.values()))
            for ratio in RATIOS:
                rate, expected = held.fields[field].rates.of(ratio), rate_interval(histogram, ratio)
                assert (rate.value, rate.low, rate.high, rate.n) == (
                    expected.value,
                    expected.low,
                    expected.high,
                    expected.n,
                )
                assert rate.unit == "clusters"


def test_means_over_documents_take_clusters_as_units() -> None:
    """Two clusters: the share of documents without error is a ratio of sums over them."""
    pairs = [
        (f"d{k}", {"total": k, "vendor": "AB"[k % 2]}, {"total": k if k % 3 else -1, "vendor": "AB"[k % 2]})
        for k in range(12)
    ]
    metrics = evaluate_pairs(pairs, cluster_by="vendor").metrics
    found = metrics.document_metrics
    assert (found.exact_rate.n, found.exact_rate.unit, found.exact_rate.value) == (2, "clusters", 8 / 12)
    assert (found.macro_strict_f1.n, found.weighted_score.n, metrics.cluster_count) == (2, 2, 2)
    assert metrics.document_count == 12


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("shard", [3, 1000])
def test_shards_and_workers_change_no_byte(workers: int, shard: int, tmp_path: Path) -> None:
    """Also with slices and clusters."""
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(pair) + "\n" for pair in documents(5)))
    how: dict[str, Any] = {"slices": ["month", "source.vendor"], "cluster_by": "source.vendor"}
    evaluate_pairs(pairs, out=tmp_path / "one", **how)
    evaluate_pairs(pairs, out=tmp_path / "other", workers=workers, shard_documents=shard, **how)
    assert (tmp_path / "one" / "metrics.json").read_bytes() == (tmp_path / "other" / "metrics.json").read_bytes()
    for name in ("documents", "counts", "errors", "verdicts"):
        assert stored_rows(tmp_path / "one", name) == stored_rows(tmp_path / "other", name), name


@pytest.mark.parametrize("workers", [1, 2])
def test_stopped_and_resumed_the_bytes_are_the_same(workers: int, tmp_path: Path) -> None:
    """Also with slices and clusters, whose states are read back."""
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(pair) + "\n" for pair in documents(6)))
    how: dict[str, Any] = {"slices": ["month"], "cluster_by": "source.vendor", "shard_documents": 5, "workers": workers}

    def stop(done: int, earlier: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_pairs(pairs, out=tmp_path / "out", progress=stop, **how)
    with pytest.raises(SettingError, match="cluster_by changed"):
        evaluate_pairs(pairs, out=tmp_path / "out", resume=True, **{**how, "cluster_by": "month"})
    known: list[int] = []
    evaluate_pairs(pairs, out=tmp_path / "out", resume=True, progress=lambda _, earlier: known.append(earlier), **how)
    evaluate_pairs(pairs, out=tmp_path / "whole", **how)
    assert max(known)
    assert files_of(tmp_path / "out") == files_of(tmp_path / "whole")


def test_documents_name_their_groups(tmp_path: Path) -> None:
    """Slice values and the cluster are columns of the documents, null where there is none."""
    evaluate_pairs(documents(3), out=tmp_path / "out", slices=["source.vendor"], cluster_by="month")
    table = pq.read_table(tmp_path / "out" / "documents")
    for row in table.to_pylist():
        said = json.loads(row["metadata"])
        vendor = said["source"]["vendor"]
        assert row["slice.source.vendor"] == (None if vendor is None else str(vendor))
        assert (row["cluster"], row["document_class"]) == (said["month"], None)
    assert open_run(tmp_path / "out").documents().to_arrow().column_names[-1] == "slice.source.vendor"


def test_a_key_that_no_document_has_is_refused(tmp_path: Path) -> None:
    """With the nearest name; a cluster may also be named by the expected document."""
    pairs = [{"id": "a", "expected": {"buyer": 1}, "predicted": {"buyer": 1}, "metadata": {"vendor": "A"}}]
    with pytest.raises(SettingError, match=r"No document has 'vendr'.*'vendor'") as refused:
        evaluate_pairs(pairs, slices=["vendr"])
    assert refused.value.code == "document.no_such_key"
    with pytest.raises(SettingError, match=r"or in expected documents.*'buyer'"):
        evaluate_pairs(pairs, cluster_by="byer")
    assert evaluate_pairs(pairs, cluster_by="buyer").metrics.cluster_count == 1


def test_a_slice_key_with_too_many_values_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is left as it was."""
    monkeypatch.setattr(cells, "MAX_CELLS", 10)
    pairs = [{**pair, "metadata": {"number": pair["id"], "two": "ab"[at % 2]}} for at, pair in enumerate(documents(1))]
    with pytest.raises(SliceError, match="'number'") as refused:
        evaluate_pairs(pairs, slices=["two", "number"], out=tmp_path / "out", shard_documents=4)
    assert refused.value.facts["key"] == "number"
    assert not (tmp_path / "out").exists()
    evaluate_pairs(pairs, slices=["two"], out=tmp_path / "out")


@dataclass(frozen=True)
class ClassShard(ShardAround):
    """Documents with a class, as an envelope would say it."""

    def changed(self, pair: Pair) -> Pair:
        number = int(pair.id[1:])
        return pair._replace(document_class=f"class {number % 3}" if number % 4 else None)


@dataclass(frozen=True)
class ClassPairs(PairsAround):
    """A source of such documents."""

    def around(self, shard: Shard) -> Shard:
        return ClassShard(shard)

    def shards(self, documents: int) -> Iterator[Shard]:
        return map(self.around, self.source.shards(documents))

    def sample(self, count: int) -> list[Any]:
        return self.source.sample(count)


def classed(pairs: Documents) -> PairSource:
    return ClassPairs(open_pairs(pairs))


def test_documents_are_counted_by_class(tmp_path: Path) -> None:
    """Those without one are in the whole alone; a class is a column of the documents."""
    pairs = documents(8)
    metrics = evaluate_pairs(classed(pairs), out=tmp_path / "out", slices=["month"]).metrics
    alone = evaluate_pairs(pairs).metrics
    assert counts(metrics.aggregate) == counts(alone.aggregate)
    assert metrics.classes is not None
    rows = stored_rows(tmp_path / "out", "documents")
    for name, group in metrics.classes.items():
        own = [row for row in rows if row["document_class"] == name]
        assert len({row["document"] for row in own if row["tp"] is not None}) == group.document_count
        assert added([group]) == [sum(row[cell] for row in own) for cell in (*CELLS, "tn")]
    assert sum(group.document_count or 0 for group in metrics.classes.values()) < metrics.document_count
    assert open_run(tmp_path / "out").metrics == metrics


def test_too_many_classes_are_not_counted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes are data: they end no evaluation, whatever divides the documents."""
    monkeypatch.setattr(cells, "MAX_CELLS", 3)
    pairs = documents(8)
    found = [evaluate_pairs(classed(pairs), shard_documents=size).metrics for size in (5, 1000)]
    assert found[0].to_json() == found[1].to_json()
    assert found[0].classes is None
    assert "classes.too_many" in [note.code for note in found[0].notes]
    assert counts(found[0].aggregate) == counts(evaluate_pairs(pairs).metrics.aggregate)


def test_rows_can_be_kept_without_a_folder(tmp_path: Path) -> None:
    """They have the columns and the values of a run in a folder, and go with the evaluation."""
    pairs = documents(4)
    kept, out = evaluate_pairs(pairs, rows=True), evaluate_pairs(pairs, out=tmp_path / "out")
    assert kept.folder is None
    assert kept.metrics == out.metrics
    assert kept.verdicts().to_arrow().equals(out.verdicts().to_arrow())
    assert kept.errors("total").equals(out.errors("total"))
    assert kept.documents().to_arrow().equals(out.documents().to_arrow())
    folder = kept.run.documents().files.folder
    assert folder.exists()
    del kept
    assert not folder.exists()


def test_the_command_counts_by_slice_and_cluster(tmp_path: Path) -> None:
    """A small table for each key follows the fields."""
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("".join(json.dumps(pair) + "\n" for pair in documents(5)))
    shown = command("evaluate", pairs, "--slice", "month", "--cluster-by", "source.vendor", "--out", tmp_path / "out")
    assert " month" in shown.stdout or "month " in shown.stdout
    saved = open_run(tmp_path / "out").metrics
    assert saved.cluster_by == "source.vendor"
    assert list(saved.slices or {}) == ["month"]
    assert "did you mean 'month'?" in refused("evaluate", pairs, "--slice", "mnth")


def test_metadata_is_beside_the_document_in_files_and_lines(tmp_path: Path) -> None:
    """As docs/evaluate.md says; a key that is nowhere is refused with where it has to be."""
    for side in ("expected", "predicted"):
        (tmp_path / side).mkdir()
    for number in range(3):
        beside = {"metadata": {"lab": f"L{number}"}}
        inner = {"total": number}
        (tmp_path / "expected" / f"{number}.json").write_text(json.dumps({"expected": inner, **beside}), "utf-8")
        (tmp_path / "predicted" / f"{number}.json").write_text(json.dumps(inner), "utf-8")
        with (tmp_path / "expected.jsonl").open("a") as lines:
            lines.write(json.dumps({"id": f"{number}", "document": inner, **beside}) + "\n")
        with (tmp_path / "predicted.jsonl").open("a") as lines:
            lines.write(json.dumps({"id": f"{number}", **inner}) + "\n")
    for suffix in ("", ".jsonl"):
        sides = tmp_path / f"expected{suffix}", tmp_path / f"predicted{suffix}"
        found = json.loads(command("evaluate", *sides, "--slice", "lab", "--json").stdout)
        assert sorted(found["slices"]["lab"]["values"]) == ["L0", "L1", "L2"]
        assert '(under "metadata", beside the document)' in refused("evaluate", *sides, "--slice", "site")
