"""Kinds of error in an evaluation: every mistake has one, and they add up whatever the shards and the workers."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fieldwise.api import evaluate_pairs
from fieldwise.cli import cli
from fieldwise.error_kinds import KINDS
from fieldwise.evaluation.checkpoint import FOLDER
from fieldwise.readers.pairs import open_pairs
from fieldwise.views.words import kind_word
from tests.folders import stored_rows
from tests.page_answers import run_of


@pytest.fixture(scope="module")
def whole(pairs_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of an evaluation in one go."""
    out = tmp_path_factory.mktemp("whole")
    evaluate_pairs(open_pairs(pairs_file), out=out)
    return out


def metrics_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "metrics.json").read_bytes())  # type: ignore[no-any-return]  # an object


def kinds_of(folder: Path) -> list[tuple[str, str, str, str | None]]:
    rows = stored_rows(folder, "verdicts")
    return sorted(
        (row["document"], row["path"] or row["predicted_path"], row["outcome"], row["kind"] or "") for row in rows
    )


def test_every_mistake_has_a_kind_and_nothing_else_has(whole: Path) -> None:
    """Missed values are missing, spurious ones invented, mismatches any other kind."""
    for _, path, outcome, kind in kinds_of(whole):
        if outcome in ("match", "absent"):
            assert not kind, path
        elif outcome == "mismatch":
            assert kind in set(KINDS) - {"missing", "invented"}
        else:
            assert kind == {"missed": "missing", "spurious": "invented"}[outcome]


def test_kinds_add_up_to_the_errors_of_each_field(whole: Path) -> None:
    """Over all kinds the sum is fd + fa + fn, and the total is the sum over fields."""
    metrics = metrics_of(whole)
    found = metrics["error_kinds"]
    for path, row in metrics["fields"].items():
        if path not in ("line_items", "vendor", "vendor.address"):  # counted as objects
            assert sum(found["fields"].get(path, {}).values()) == row["fd"] + row["fa"] + row["fn"], path
    total: Counter[str] = sum((Counter(kinds) for kinds in found["fields"].values()), Counter())
    assert found["total"] == dict(total)
    assert list(found["total"]) == [kind for kind in KINDS if kind in total]
    assert len(total) >= 6


@pytest.mark.parametrize(("size", "workers"), [(1, 1), (7, 2)])
def test_shards_and_workers_change_no_kind(
    pairs_file: Path, whole: Path, tmp_path: Path, size: int, workers: int
) -> None:
    """One document a shard, or two processes: the same kinds of the same values."""
    evaluate_pairs(open_pairs(pairs_file), out=tmp_path, shard_documents=size, workers=workers)
    assert metrics_of(tmp_path)["error_kinds"] == metrics_of(whole)["error_kinds"]
    assert kinds_of(tmp_path) == kinds_of(whole)


def test_kinds_survive_an_interruption(pairs_file: Path, whole: Path, tmp_path: Path) -> None:
    """Shards that were finished before a stop are counted when the evaluation goes on."""

    def stop(done: int, _: int) -> None:
        if done > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_pairs(open_pairs(pairs_file), out=tmp_path, shard_documents=4, progress=stop)
    assert list((tmp_path / FOLDER).glob("*.state.json"))
    evaluate_pairs(open_pairs(pairs_file), out=tmp_path, shard_documents=4, resume=True)
    assert metrics_of(tmp_path)["error_kinds"] == metrics_of(whole)["error_kinds"]
    assert kinds_of(tmp_path) == kinds_of(whole)


def test_without_rows_there_are_no_kinds(pairs_file: Path) -> None:
    """Where nothing is written, the metrics say null, not zero."""
    assert evaluate_pairs(open_pairs(pairs_file)).metrics.error_kinds is None


def test_kinds_don_t_need_values(pairs_file: Path, whole: Path, tmp_path: Path) -> None:
    """Where values are not kept, the metrics are the same to the last byte."""
    evaluate_pairs(open_pairs(pairs_file), out=tmp_path, values=False)
    assert (tmp_path / "metrics.json").read_bytes() == (whole / "metrics.json").read_bytes()


def test_the_command_names_the_commonest_kinds(pairs_file: Path, whole: Path, tmp_path: Path) -> None:
    """The metrics hold the totals, and the page the kind of each listed value."""
    found = evaluate_pairs(open_pairs(pairs_file), out=tmp_path)
    assert found.metrics.error_kinds is not None
    assert dict(found.metrics.error_kinds.total) == metrics_of(whole)["error_kinds"]["total"]
    kinds = {row.kind for row in run_of(tmp_path).errors}
    assert kinds <= set(KINDS)
    assert len(kinds) > 5


def test_the_terminal_names_the_commonest_kinds(pairs_file: Path, whole: Path, tmp_path: Path) -> None:
    """One line has the five commonest kinds in words, each with its share of all errors; without rows there is none."""
    total = Counter(metrics_of(whole)["error_kinds"]["total"])
    shares = [f"{kind_word(kind)} {100 * n / total.total():.1f}%" for kind, n in total.most_common(5)]
    shown = (
        CliRunner()
        .invoke(cli, ["evaluate", str(pairs_file), "--out", str(tmp_path / "a")], env={"COLUMNS": "150"})
        .output
    )
    assert f"kinds of error: {' · '.join(shares)}\n" in shown
    shown = CliRunner().invoke(cli, ["evaluate", str(pairs_file), "--out", str(tmp_path / "b"), "--no-values"]).output
    assert "60 documents" in shown
    assert "kinds of error" in shown
    assert "kinds of error" not in CliRunner().invoke(cli, ["evaluate", str(pairs_file)]).output
