"""What a page holds of a run: sums in full, rows as there is room, the same however the run was made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise import evaluate_pairs, open_run
from fieldwise.errors import SettingError
from fieldwise.runs.calibration import calibrate_run
from fieldwise.runs.page import run_confidence, run_page
from fieldwise.runs.sweep import threshold_counts
from fieldwise.stats.room import MIN_OF_A_GROUP, Group, share_room
from tests.documents import write_pairs
from tests.page_answers import page_of, run_of
from tests.runs.results import command

WORDS = ("Holding", "Services", "and Sons", "of Durham")
GROUPS = st.dictionaries(st.text(max_size=3), st.builds(Group, st.integers(0, 50), st.floats(0, 1000)), max_size=30)


def sixty_documents() -> list[tuple[str, Any, Any]]:
    """Return pairs: a name misread in some, rows in another order, a value that nobody expected."""
    pairs: list[tuple[str, Any, Any]] = []
    for k in range(60):
        name = f"Lumen Systems {WORDS[k % len(WORDS)]}"
        expected = {"name": name, "rows": [{"sku": f"X{k}1", "n": 1}, {"sku": f"X{k}2", "n": 2}]}
        predicted = {"name": name[: 6 + k % 12], "rows": list(reversed(expected["rows"]))}
        pairs.append((f"d{k:02}", expected, predicted | ({"extra": k} if k % 10 == 0 else {})))
    return pairs


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Evaluate the sixty documents."""
    out = tmp_path_factory.mktemp("page") / "results"
    evaluate_pairs(sixty_documents(), out=out)
    return out


@given(GROUPS, st.integers(0, 300))
def test_room_is_shared_and_not_exceeded(groups: dict[str, Group], room: int) -> None:
    """Nobody gets more than there is, the room is used up, and every group has its least where all can."""
    shares = share_room(groups, room)
    assert all(0 < shares[key] <= groups[key].size for key in shares)
    assert sum(shares.values()) == min(room, sum(group.size for group in groups.values()))
    held = [key for key in groups if groups[key].size]
    if room >= MIN_OF_A_GROUP * len(held):
        assert all(shares[key] >= min(MIN_OF_A_GROUP, groups[key].size) for key in held)


def test_the_costlier_has_more_room() -> None:
    """What is left after the least of each is shared by lost points."""
    shares = share_room({"a": Group(900, 900.0), "b": Group(900, 90.0), "c": Group(3, 0.5)}, 100)
    assert shares["a"] > 5 * shares["b"]
    assert shares["c"] == 3


def test_a_page_has_all_sums_and_some_rows(folder: Path) -> None:
    """Metrics and rules are complete; errors are as many as asked for, of every field and outcome."""
    run = open_run(folder)
    page = run_page(run, page_rows=20)
    assert page.metrics == run.metrics
    assert len(page.errors) == 20
    assert {(row.field, row.outcome) for row in page.errors} == {("name", "mismatch"), ("extra", "spurious")}
    assert {rule.path for rule in page.rules} >= {"name", "rows", "rows.sku"}
    assert [row.score for row in page.documents] == sorted(row.score or 0 for row in page.documents)


def test_rows_say_where_the_prediction_has_them(folder: Path) -> None:
    """Rows in another order keep both places, and every value of an opened document is there."""
    page = run_of(folder)
    moved = [row for row in page.values if row.field == "rows.sku" and row.document == "d05"]
    assert {(row.path, row.predicted_path) for row in moved} == {
        ("rows[0].sku", "rows[1].sku"),
        ("rows[1].sku", "rows[0].sku"),
    }
    assert all(row.opened for row in page.documents)
    assert len(page.values) == page.metrics.aggregate.seen


@pytest.mark.parametrize("size", [1, 13])
def test_a_page_is_the_same_whatever_the_shards(folder: Path, tmp_path: Path, size: int) -> None:
    """The documents that are opened are put together from all parts, and are the same however these were divided."""
    evaluate_pairs(sixty_documents(), out=tmp_path / "results", shard_documents=size)
    assert run_of(tmp_path / "results").values == run_page(open_run(folder)).values


def test_a_curve_is_the_counts_at_each_threshold(folder: Path) -> None:
    """The slider shows what a sweep would; fields whose scores are 0 or 1 have no curve."""
    run, page = open_run(folder), run_of(folder)
    (curve,) = page.curves
    assert (curve.field, len(curve.matches)) == ("name", 101)
    for k in (0, 40, 85, 100):
        assert curve.matches[k] == threshold_counts(run, "name", k / 100).tp


def test_a_run_without_rows_has_its_sums(tmp_path: Path) -> None:
    """Without verdicts there is nothing to open, and the page says so."""
    evaluate_pairs([("a", {"x": 1}, {"x": 2})], out=tmp_path / "r", values=False)
    page = run_of(tmp_path / "r")
    assert (page.has_rows, page.errors, page.metrics.aggregate.fd) == (False, (), 1)
    assert [row.document for row in page.documents] == ["a"]


def test_long_values_are_cut_and_say_so(tmp_path: Path) -> None:
    """A page does not grow with the length of values."""
    pairs = [(str(k), {"x": "word " * 2000}, {"x": "other " * 2000}) for k in range(30)]
    evaluate_pairs(pairs, out=tmp_path / "r")
    page = run_of(tmp_path / "r")
    assert {len(row.expected or "") for row in page.errors} == {1000}
    assert {row.expected_length for row in page.errors} == {10_000}


def test_values_that_look_the_same_say_which_is_a_text(tmp_path: Path) -> None:
    """A number beside its own digits as a text: the page says which side the text is, and of others nothing."""
    pairs = [
        ("a", {"n": 112.5, "m": 1, "t": "x"}, {"n": "112.5", "m": 1, "t": "x"}),
        ("b", {"n": "7.5", "m": 1, "t": "y"}, {"n": 7.5, "m": "2", "t": "z"}),
    ]
    evaluate_pairs(pairs, out=tmp_path)
    page = run_of(tmp_path)
    assert {(row.document, row.field): row.text_side for row in page.values if row.text_side} == {
        ("a", "n"): "predicted",
        ("b", "n"): "expected",
    }


def test_a_page_has_what_calibrate_finds(tmp_path: Path) -> None:
    """Every figure of the confidences is that of the command; only curves have fewer points."""
    pairs = [
        (f"d{k}", {"code": "a"}, {"code": {"_value": "a" if k % 5 else "b", "_confidence": (k * 37 % 101) / 101}})
        for k in range(120)
    ]
    evaluate_pairs(pairs, out=tmp_path / "r")
    page, own = page_of(tmp_path / "r").confidence, calibrate_run(open_run(tmp_path / "r"))
    assert page is not None
    held_fields, found_fields = page.calibration.fields, own.fields
    assert list(held_fields) == list(found_fields)
    both = [(held_fields[name], found_fields[name]) for name in found_fields]
    for held, found in ((page.calibration.pooled, own.pooled), *both):
        curves = {"review_curve", "risk_curve"}
        for name in set(held.__struct_fields__) - curves:
            assert getattr(held, name) == getattr(found, name)
        for name in curves:
            assert set(getattr(held, name)) < set(getattr(found, name))
            assert len(getattr(held, name)) <= 52


@pytest.mark.parametrize("confidence", [None, 9300, "0.9"])
def test_a_run_without_confidences_that_count_has_none(tmp_path: Path, confidence: object) -> None:
    """None at all, or none from 0 to 1: its page has nothing of them."""
    value = "a" if confidence is None else {"_value": "a", "_confidence": confidence}
    evaluate_pairs([("d", {"code": "a"}, {"code": value})], out=tmp_path / "r")
    assert run_confidence(open_run(tmp_path / "r")) is None
    assert page_of(tmp_path / "r").confidence is None


def test_confidences_don_t_need_values(tmp_path: Path) -> None:
    """What they are worth is shown where no value was kept."""
    predicted = {"code": {"_value": "a", "_confidence": 0.9}}
    for name, values in (("r", False), ("whole", True)):
        evaluate_pairs([("d", {"code": "a"}, predicted)], out=tmp_path / name, values=values)
    assert page_of(tmp_path / "r").confidence == page_of(tmp_path / "whole").confidence is not None


def test_a_page_holds_as_many_rows_as_asked_for(tmp_path: Path) -> None:
    """``page_rows``, in Python and as an option, is how many errors it has; what is no whole number is refused."""
    pairs = [(f"d{k}", {"a": "left", "b": k}, {"a": "right", "b": k + 1}) for k in range(20)]
    evaluate_pairs(pairs, out=tmp_path / "few", page_rows=12)
    assert len(run_of(tmp_path / "few").errors) == 12
    write_pairs(tmp_path / "pairs.jsonl", pairs)
    done = command("evaluate", tmp_path / "pairs.jsonl", "--out", tmp_path / "none", "--page-rows", "0", "-q")
    assert done.exit_code == 0, done.output
    assert run_of(tmp_path / "none").errors == ()
    assert run_of(tmp_path / "none").metrics.aggregate.fd == 40
    with pytest.raises(SettingError, match="page_rows"):
        evaluate_pairs(pairs, out=tmp_path / "wrong", page_rows=-1)
    assert not (tmp_path / "wrong").exists()
