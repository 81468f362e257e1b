"""Sinks: where shards go. They are cancelled, lose their lease and are resumed without a wrong byte."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from fieldwise import evaluate_pairs, open_pairs
from fieldwise.errors import CancelledError, ComparatorError, LostLeaseError
from fieldwise.evaluation.checkpoint import FOLDER, LOCK
from fieldwise.evaluation.outcome import ShardOutcome
from fieldwise.evaluation.run import Progress, run_evaluation
from fieldwise.evaluation.settings import Settings, closed_spec
from fieldwise.evaluation.sinks import FolderSink, MemorySink, RunDescription, Sink
from fieldwise.evaluation.sums import Sums
from fieldwise.evaluation.work import Done, Work, never
from fieldwise.readers.pairs import Shard
from fieldwise.results import Metrics
from tests.attacks.conftest import SHARD, SHARDS, write_pairs
from tests.folders import files_of

TOKEN = "mine"


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Invoices in several shards."""
    return write_pairs(tmp_path_factory.mktemp("pairs") / "pairs.jsonl")


def run(
    pairs: Path,
    sink: Sink,
    *,
    workers: int = 1,
    resume: bool = False,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] = never,
) -> Metrics:
    """Evaluate invoices into a sink, as `evaluate_pairs` does."""
    source = open_pairs(pairs)
    spec, wrapped = closed_spec(source)
    settings = Settings(spec, wrapped=wrapped)
    return run_evaluation(
        source,
        settings,
        sink,
        workers=workers,
        shard_documents=SHARD,
        resume=resume,
        progress=progress,
        should_stop=should_stop,
    )


def states(folder: Path) -> list[str]:
    return sorted(path.name[:6] for path in (folder / FOLDER).glob("*.state.json"))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_memory_sink_and_a_folder_sink_give_the_same_metrics(workers: int, pairs: Path, tmp_path: Path) -> None:
    """Where rows are kept, kinds of errors are counted; every other number is the same."""
    alone = json.loads(run(pairs, MemorySink(), workers=workers).to_json())
    kept = json.loads(run(pairs, FolderSink(tmp_path / "out"), workers=workers).to_json())
    assert json.loads((tmp_path / "out" / "metrics.json").read_text()) == kept
    del alone["error_kinds"], kept["error_kinds"]
    assert alone == kept


def test_a_sink_writes_the_run_and_no_page(pairs: Path, tmp_path: Path) -> None:
    """What is rendered is added by whoever completes the run; the rest is what an evaluation into a folder writes."""
    run(pairs, FolderSink(tmp_path / "plain"))
    evaluate_pairs(open_pairs(pairs), out=tmp_path / "whole", shard_documents=SHARD)
    whole = files_of(tmp_path / "whole")
    assert whole.keys() - {"report.html", "fields.csv"} == files_of(tmp_path / "plain").keys()
    for name, content in files_of(tmp_path / "plain").items():
        assert content == whole[name], name


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("asked", [0, 1, 3])
def test_cancelled_and_resumed_the_bytes_are_the_same(asked: int, workers: int, pairs: Path, tmp_path: Path) -> None:
    """A cancelled evaluation keeps the shards that were in hand; resumed, it gives the files of an undisturbed one."""
    out, whole = tmp_path / "out", tmp_path / "whole"
    times = count()
    with pytest.raises(CancelledError) as stopped:
        run(pairs, FolderSink(out), workers=workers, should_stop=lambda: next(times) >= asked)
    assert stopped.value.facts == {"kept": True}
    assert not (out / "metrics.json").exists()
    assert not (out / LOCK).exists()
    committed = states(out)
    if workers == 1:
        assert committed == [f"{index:06d}" for index in range(asked)]
    known: list[int] = []
    evaluate_pairs(
        open_pairs(pairs),
        out=out,
        shard_documents=SHARD,
        resume=True,
        workers=workers,
        progress=lambda _, earlier: known.append(earlier),
    )
    evaluate_pairs(open_pairs(pairs), out=whole, shard_documents=SHARD)
    assert bool(max(known)) == bool(committed)
    assert files_of(out) == files_of(whole)


def test_a_folder_that_another_run_took_is_left_to_it(pairs: Path, tmp_path: Path) -> None:
    """An evaluation whose run was replaced commits nothing more and publishes nothing."""
    described = tmp_path / FOLDER / "run.json"

    def replace(done: int, earlier: int) -> None:
        described.write_text(json.dumps({**json.loads(described.read_text()), "run": "another"}))

    with pytest.raises(LostLeaseError, match="Another evaluation has begun"):
        run(pairs, FolderSink(tmp_path), progress=replace)
    assert states(tmp_path) == ["000000"]
    assert not (tmp_path / "metrics.json").exists()
    assert not (tmp_path / LOCK).exists()


class LeasedSink(MemorySink):
    """A sink as a database would have one: shards are kept only under the token that the lease names."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder, self.released = folder, list[bool]()

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "folder": self.folder}

    def commit(self, index: int, outcome: ShardOutcome) -> Sums:
        if (self.folder / "lease").read_text() != TOKEN:
            raise LostLeaseError("The lease is of another worker")
        (self.folder / f"{index}.shard").touch()
        return super().commit(index, outcome)

    def release(self, *, discard: bool) -> None:
        self.released.append(discard)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_sink_that_lost_its_lease_commits_nothing(workers: int, pairs: Path, tmp_path: Path) -> None:
    """The evaluation ends where a commit is refused, in whichever process; what is held is given back."""
    sink = LeasedSink(tmp_path)
    (tmp_path / "lease").write_text(TOKEN)
    assert run(pairs, sink, workers=workers) == run(pairs, MemorySink())
    assert len(list(tmp_path.glob("*.shard"))) == SHARDS
    for path in tmp_path.glob("*.shard"):
        path.unlink()
    (tmp_path / "lease").write_text("of another")
    with pytest.raises(LostLeaseError, match="of another worker"):
        run(pairs, sink, workers=workers)
    assert not list(tmp_path.glob("*.shard"))
    assert sink.released == [False, False]


@pytest.mark.parametrize(
    ("error", "discard"), [(ComparatorError("no score"), True), (KeyboardInterrupt(), False), (OSError(), False)]
)
def test_a_sink_is_released_on_every_way_out(error: BaseException, discard: bool, pairs: Path, tmp_path: Path) -> None:
    """Only a comparator that cannot be used leaves nothing that is worth resuming."""
    (tmp_path / "lease").write_text(TOKEN)
    sink = LeasedSink(tmp_path)

    def stop(done: int, earlier: int) -> None:
        raise error

    with pytest.raises(type(error)):
        run(pairs, sink, progress=stop)
    assert sink.released == [discard]


def test_a_sink_that_cannot_begin_is_released(pairs: Path, tmp_path: Path) -> None:
    """What a sink took before it refused is given back."""

    class Refusing(LeasedSink):
        def begin(self, description: RunDescription, *, resume: bool) -> None:
            raise LostLeaseError("no lease")

    sink = Refusing(tmp_path)
    with pytest.raises(LostLeaseError, match="no lease"):
        run(pairs, sink)
    assert sink.released == [False]


def many_errors() -> Iterator[tuple[str, object, object]]:
    for number in range(60):
        items = [{"sku": f"A{number}-{item}", "price": item + 0.5} for item in range(12)]
        wrong = [{**item, "sku": f"B{at}"} if at % 2 else item for at, item in enumerate(items)]
        yield f"d{number}", {"items": items, "total": number}, {"items": wrong[: 12 - number % 3], "total": 7}


def test_the_examples_on_the_page_do_not_depend_on_shards(tmp_path: Path) -> None:
    """Where a field has more wrong values than the page has room for, those of the first documents are shown."""
    for size in (7, 100):
        evaluate_pairs(many_errors(), out=tmp_path / str(size), shard_documents=size, title="Errors")
    pages = [(tmp_path / str(size) / "report.html").read_bytes() for size in (7, 100)]
    assert pages[0] == pages[1]


def test_documents_without_errors_have_a_page(tmp_path: Path) -> None:
    """Where nothing is wrong there is nothing to list, and the files are all there."""
    evaluate_pairs([("a", {"total": 1}, {"total": 1})], out=tmp_path)
    assert (tmp_path / "report.html").exists()
    assert (tmp_path / "metrics.json").exists()


def test_metadata_of_documents_reach_their_rows(tmp_path: Path) -> None:
    """What is said of a document beside its values is in its row as JSON, whatever became of the document."""
    metadata = {"vendor": "Müller", "pages": [1, 2]}
    pairs: list[dict[str, Any]] = [
        {"id": "a", "expected": {"total": 1}, "predicted": {"total": 1}, "metadata": metadata},
        {"id": "b", "expected": {"total": 2}, "predicted": {"total": 3}},
        {"id": "c", "expected": {"total": 2}, "predicted": None, "metadata": {"vendor": None}},
        {"id": "d", "expected": {"total": 2}, "predicted": {"total": "x", "more": {}}, "metadata": {}},
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
    for name, source in (("file", open_pairs(path)), ("memory", open_pairs(pairs))):
        evaluate_pairs(source, out=tmp_path / name, shard_documents=2)
        table = pq.read_table(tmp_path / name / "documents", columns=["document", "metadata"])
        rows = {row["document"]: row["metadata"] for row in table.to_pylist()}
        assert rows["b"] is None
        assert {name: text and json.loads(text) for name, text in rows.items()} == {
            pair["id"]: pair.get("metadata") for pair in pairs
        }


class Backwards:
    """An executor as a cluster might be one: shards are evaluated in another order, and yielded in theirs."""

    is_here = False

    def run(self, shards: Iterable[Shard], work: Work) -> Iterator[Done]:
        return reversed([work(shard) for shard in [*shards][::-1]])


def test_another_executor_gives_the_same_bytes(pairs: Path, tmp_path: Path) -> None:
    """What evaluates shards decides no number and no row."""
    source = open_pairs(pairs)
    spec, wrapped = closed_spec(source)
    settings = Settings(spec, wrapped=wrapped)
    for name, executor in (("local", None), ("backwards", Backwards())):
        run_evaluation(source, settings, FolderSink(tmp_path / name), executor=executor, shard_documents=SHARD)
    assert files_of(tmp_path / "backwards") == files_of(tmp_path / "local")
