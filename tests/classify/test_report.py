"""The class report: labels keep their type, tables merge, states return, rows are accounted for."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fieldwise.classify import ClassReport, UnitMetricResult
from fieldwise.classify.labels import MISSING, display_names, key_of
from fieldwise.errors import InputError, SettingError
from fieldwise.results import UndefinedRates
from fieldwise.stats.histograms import CountHistogram
from fieldwise.stats.intervals import rate_interval
from tests.classify.rows import ANY_PAIRS, PAIRS, row, rows
from tests.stats import oracles
from tests.strategies import examples

Pairs = list[tuple[Any, Any]]


def counted(pairs: Pairs, clusters: list[str] | None = None) -> ClassReport:
    report = ClassReport()
    report.update_labels([a for a, _ in pairs], [b for _, b in pairs], clusters=clusters)
    return report


def together(*reports: ClassReport) -> ClassReport:
    total = ClassReport()
    for report in reports:
        total.merge(report)
    return total


# Labels


def test_labels_keep_their_type() -> None:
    """1, True and "1" are three classes, in the list, in the matrix and by name; 1.0 is 1."""
    report = counted([(1, 1), (True, True), ("1", "1"), (1.0, 1)])
    listed = [(found["label"], found["type"], found["name"], found["support"]) for found in report.to_dict()["classes"]]
    assert listed == [(True, "boolean", "true", 1), (1, "number", "1 (number)", 2), ("1", "string", "1", 1)]
    assert report.compute().accuracy.value == 1.0


@given(ANY_PAIRS)
def test_every_class_has_a_name_of_its_own(pairs: Pairs) -> None:
    """Two classes never look the same."""
    found = counted(pairs).compute()
    assert len({c.name for c in found.classes}) == len(found.classes)
    assert len({(c.type, json.dumps(c.label, sort_keys=True)) for c in found.classes}) == len(found.classes)


def test_names_that_look_like_other_names_are_kept_apart() -> None:
    """Even a text that is written like the name of another class."""
    values = {key_of(value): value for value in (1, "1", "1 (number)")}
    assert len(set(display_names(values).values())) == 3


@given(ANY_PAIRS)
def test_lists_and_streams_count_the_same(pairs: Pairs) -> None:
    """Labels that can be hashed or not, from lists, from generators, from rows."""
    report = counted(pairs)
    streamed = ClassReport()
    streamed.update_labels((a for a, _ in pairs), (b for _, b in pairs))
    by_rows = ClassReport(golden_key="event", predicted_key="tool")
    by_rows.update(UnitMetricResult(key_of(a) == key_of(b) != MISSING, {"event": a}, {"tool": b}) for a, b in pairs)
    assert streamed.to_state() == report.to_state()
    assert by_rows.to_state()["table"] == report.to_state()["table"]


# Merging


@given(ANY_PAIRS, ANY_PAIRS, ANY_PAIRS)
def test_merging_has_no_order(one: Pairs, two: Pairs, three: Pairs) -> None:
    """Parts give what the whole gives, in any order and grouping; a new report is the zero."""
    whole = counted(one + two + three).to_dict()
    a, b, c = counted(one), counted(two), counted(three)
    assert together(a, b, c).to_dict() == whole
    assert together(c, together(b, a)).to_dict() == whole
    assert together(together(a, b), c, ClassReport()).to_dict() == whole


@given(ANY_PAIRS, ANY_PAIRS)
@example([("click", {"a": 0, "b": 1})], [("click", {"a": 0}), ({"b": 1, "a": 0}, None)])
def test_a_state_is_json_and_returns(one: Pairs, two: Pairs) -> None:
    """What is loaded goes on as if it had never been stored."""
    report = counted(one)
    loaded = ClassReport()
    loaded.load_state(json.loads(json.dumps(report.to_state())))
    assert loaded.to_dict() == report.to_dict()
    loaded.update_labels([a for a, _ in two], [b for _, b in two])
    assert loaded.to_state() == counted(one + two).to_state()


def test_reset_forgets_rows_and_keeps_settings() -> None:
    """The zero of merging."""
    report = ClassReport(judge="correct")
    report.update(rows([("a", "b")]))
    report.reset()
    assert report.table.groups == {}
    assert report.judge == "correct"


@pytest.mark.parametrize("state", [None, {}, {"version": 2}, {"version": 1}, {"version": 1, "cells": [[1]]}])
def test_a_broken_state_is_refused(state: Any) -> None:
    """Nothing is half loaded."""
    report = ClassReport()
    with pytest.raises(InputError, match=r"a state|of the state"):
        report.load_state(state)
    assert report.table.groups == {}


def test_reports_of_other_keys_don_t_merge() -> None:
    """Labels of different meaning are not added."""
    with pytest.raises(SettingError, match="golden_key"):
        ClassReport(golden_key="a").merge(ClassReport(golden_key="b"))


# Rows


def test_the_only_key_of_each_side_is_found() -> None:
    """Several keys are listed; none is said."""
    report = ClassReport()
    report.update(rows([("a", "a")]))
    assert (report.golden_key, report.predicted_key) == ("event", "tool")
    with pytest.raises(SettingError, match="'event', 'x'; name it with golden_key"):
        ClassReport().update([UnitMetricResult(True, {"event": 1, "x": 2}, {"tool": 1})])
    with pytest.raises(SettingError, match="predicted side to hold the class, there is none"):
        ClassReport().update([UnitMetricResult(True, {"event": 1}, {})])


LOST = [
    *rows([("a", "a"), ("b", "a")]),
    UnitMetricResult(False, {"event": "a"}, {}),
    UnitMetricResult(True, {}, {"tool": "b"}),
    UnitMetricResult(True, {}, {}),
]


def test_an_absent_answer_is_a_wrong_answer() -> None:
    """It counts for the expected class, is shown in the matrix, and is no class; not even twice missing is right."""
    report = ClassReport()
    report.update(LOST)
    scores = report.compute()
    assert scores.accuracy.value == 1 / 5
    assert [(c.name, c.support, c.predicted, c.fn) for c in scores.classes] == [("a", 2, 2, 1), ("b", 1, 1, 1)]
    assert scores.confusion.labels == ("a", "b", "(missing)")
    assert scores.rows.missing == {"golden": 1, "predicted": 1, "both": 1}
    assert scores.rows.disagree == 2


def test_rows_without_a_label_can_be_left_out_and_are_counted() -> None:
    """The reasons are in the answer."""
    report = ClassReport(missing="skip")
    report.update(LOST)
    found = report.compute().rows
    assert (found.total, found.used) == (5, 2)
    assert found.skipped == {"no golden label": 1, "no predicted label": 1, "no label on either side": 1}


def test_rows_without_a_label_can_be_refused() -> None:
    """Nothing of the update is kept."""
    report = ClassReport(missing="error")
    with pytest.raises(InputError, match="'event' and 'tool'"):
        report.update(LOST)
    assert report.table.groups == {}


def test_flags_or_labels_decide() -> None:
    """The report tells how many rows the two disagree on."""
    contradicting = [row("A", "B", correct=True)]
    scores = {}
    for judge in ("labels", "correct"):
        report = ClassReport(judge=judge)
        report.update(contradicting)
        scores[judge] = report.compute()
    assert (scores["labels"].accuracy.value, scores["correct"].accuracy.value) == (0.0, 1.0)
    assert scores["labels"].rows.disagree == scores["correct"].rows.disagree == 1
    assert [c.recall.value for c in scores["correct"].classes] == [1.0, None]


def test_undefined_rates_are_shown_and_counted() -> None:
    """A class never predicted has no precision; the average takes it as 0 and says so; null leaves it out."""
    pairs = [("A", "A"), ("B", "A"), ("B", "A")]
    shown = counted(pairs).compute()
    assert shown.classes[1].precision.value is None
    assert (shown.macro.precision, shown.macro.undefined) == (1 / 6, UndefinedRates(1, 0, 0))
    left_out = ClassReport(zero_division=None)
    left_out.merge(counted(pairs))
    assert left_out.compute().macro.precision == 1 / 3


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (lambda: ClassReport(judge="flags"), "judge"),  # type: ignore[arg-type]
        (lambda: ClassReport(missing="skipp"), "did you mean 'skip'"),  # type: ignore[arg-type]
        (lambda: ClassReport(zero_division=0.5), "zero_division"),
        (lambda: ClassReport(zero_division=True), "zero_division"),
        (lambda: ClassReport(confidence=95), "confidence"),
    ],
)
def test_wrong_settings_are_refused(wrong: Callable[[], ClassReport], word: str) -> None:
    """Before the first row."""
    with pytest.raises(SettingError, match=word):
        wrong()


@pytest.mark.parametrize(
    ("golden", "predicted", "word"),
    [(["a"], [], "1 and 0"), ("ab", ["a", "b"], "got str"), (["a"], 5, "got int"), (iter("ab"), iter("a"), "2 and 1")],
)
def test_columns_must_fit(golden: Any, predicted: Any, word: str) -> None:
    """Lists of labels, of one length; else nothing is counted."""
    report = ClassReport()
    with pytest.raises(InputError, match=word):
        report.update_labels(golden, predicted)
    assert report.table.groups == {}


def test_rows_must_be_records() -> None:
    """Dicts are named as what they are."""
    with pytest.raises(TypeError, match="got dict"):
        ClassReport(golden_key="event", predicted_key="tool").update([{"correct": True}])  # type: ignore[list-item]


@pytest.mark.parametrize("flag", ["false", "", None, [0], 2.5, 2, 1.0])
def test_correct_is_true_or_false(flag: Any) -> None:
    """Text is not taken for true; 0 and 1 are read."""
    with pytest.raises(ValueError, match="correct must be true or false"):
        UnitMetricResult(flag, {}, {})
    assert UnitMetricResult(1, {}, {}).correct is True  # type: ignore[arg-type]


def test_a_report_of_nothing_is_refused() -> None:
    """No row to judge is an error, also where all were left out."""
    with pytest.raises(InputError, match="none to count"):
        ClassReport().compute()
    report = ClassReport(missing="skip", golden_key="event", predicted_key="tool")
    report.update([UnitMetricResult(True, {}, {})])
    with pytest.raises(InputError, match="none to count"):
        report.compute()


# Intervals


def test_single_rows_are_units() -> None:
    """The reference of three classes: micro 0.85, macro F1 0.853974; its intervals leave one row out at a time."""
    pairs = [(0, 0)] * 25 + [(0, 1)] * 5 + [(1, 1)] * 36 + [(1, 0)] * 2 + [(1, 2)] * 2 + [(2, 2)] * 24 + [(2, 1)] * 6
    scores = counted(pairs).compute()
    assert scores.accuracy.value == 0.85
    assert scores.macro.f1 == pytest.approx(0.853974, abs=1e-6)
    assert scores.accuracy.interval is not None
    assert scores.accuracy.interval[0] < 0.85 < scores.accuracy.interval[1]
    histogram = CountHistogram()
    histogram.add((1, 0, 0, 0), 85)
    histogram.add((0, 1, 0, 0), 15)
    assert scores.accuracy.interval == rate_interval(histogram, "precision").interval
    assert (scores.accuracy.unit, scores.macro_f1.unit, scores.macro_f1.n) == ("values", "values", 100)
    each = [("abc"[one], "abc"[other]) for one, other in pairs]
    expected = oracles.macro_f1(each, range(100))
    assert scores.macro_f1.interval == pytest.approx(expected)


@settings(deadline=None, max_examples=examples(60))
@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"), st.integers(0, 5)), min_size=2, max_size=25),
    st.sampled_from([0.8, 0.95]),
)
def test_macro_f1_leaves_clusters_out(rows: list[tuple[str, str, int]], confidence: float) -> None:
    """Cluster by cluster by scikit-learn, with half of one more that is wholly wrong, or right."""
    golden, predicted, clusters = (list(column) for column in zip(*rows, strict=True))
    pairs = [(one, other) for one, other, _ in rows]
    report = ClassReport(confidence=confidence)
    report.update_labels(golden, predicted, clusters=clusters)
    found = report.compute().macro_f1
    if len(set(clusters)) < 2:
        assert found.interval is None
    else:
        assert found.interval == pytest.approx(
            oracles.macro_f1(pairs, [own for *_, own in rows], confidence), abs=1e-12
        )


@given(PAIRS)
def test_clusters_of_one_row_are_rows(pairs: Pairs) -> None:
    """Accuracy and macro F1 have the same bounds; only the unit has another name."""
    alone, own = counted(pairs).compute(), counted(pairs, [str(at) for at in range(len(pairs))]).compute()
    for one, other in ((alone.accuracy, own.accuracy), (alone.macro_f1, own.macro_f1)):
        assert (one.n, one.unit, other.unit) == (other.n, "values", "clusters")
        assert (one.low, one.high) == pytest.approx((other.low, other.high))


@given(PAIRS, st.randoms())
def test_the_order_of_rows_changes_no_interval(pairs: Pairs, rng: random.Random) -> None:
    """Nor do shards: parts are counted apart and merged."""
    names = [str(at % 4) for at in range(len(pairs))]
    mixed = rng.sample(list(zip(pairs, names, strict=True)), len(pairs))
    half = len(mixed) // 2
    parts = [counted([pair for pair, _ in part], [name for _, name in part]) for part in (mixed[:half], mixed[half:])]
    parts[0].merge(parts[1])
    one, other = counted(pairs, names).compute(), parts[0].compute()
    assert one.accuracy == other.accuracy
    assert one.macro_f1.interval == pytest.approx(other.macro_f1.interval)


def test_clusters_widen_the_interval() -> None:
    """Rows that stand or fall together say less than their number; equal rows give equal intervals each time."""
    pairs = ([("a", "a")] * 10 + [("b", "a")] * 10 + [("b", "b")] * 10) * 10
    clusters = [f"document {i // 10}" for i in range(len(pairs))]
    alone, grouped = counted(pairs).compute(), counted(pairs, clusters).compute()
    assert grouped.clusters == 30
    assert grouped.macro == alone.macro
    assert alone.accuracy.interval is not None
    assert grouped.accuracy.interval is not None
    assert grouped.macro_f1.interval is not None
    narrow = alone.accuracy.interval[1] - alone.accuracy.interval[0]
    assert grouped.accuracy.interval[1] - grouped.accuracy.interval[0] > 2 * narrow
    assert grouped.macro_f1.interval[0] < (grouped.macro.f1 or 0) < grouped.macro_f1.interval[1]
    assert counted(pairs, clusters).compute().macro_f1 == grouped.macro_f1


def test_intervals_of_classes_are_by_cluster() -> None:
    """Each is that of the ratio of sums over the clusters that have the class, computed here cluster by cluster."""
    rng = random.Random(5)
    held = [(f"document {at}", rng.randint(1, 9), rng.choice([0.2, 0.95])) for at in range(40)]
    rows = [(name, rng.choice("ab"), chance) for name, size, chance in held for _ in range(size)]
    pairs = [(label, label if rng.random() < chance else rng.choice("abc")) for _, label, chance in rows]
    clusters = [name for name, _, _ in rows]
    scores = counted(pairs, clusters).compute()
    for found in scores.classes:
        for side, rate in ((1, found.precision), (0, found.recall)):
            by_cluster: dict[str, list[int]] = {}
            for name, pair in zip(clusters, pairs, strict=True):
                if pair[side] == found.label:
                    by_cluster.setdefault(name, []).append(int(pair[0] == pair[1]))
            histogram = CountHistogram()
            for right in by_cluster.values():
                histogram.add((sum(right), len(right) - sum(right), 0, 0))
            expected = rate_interval(histogram, "precision")
            assert (rate.low, rate.high, rate.n, rate.unit) == (
                expected.low,
                expected.high,
                len(by_cluster),
                "clusters",
            )


def test_intervals_of_classes_hold_what_they_promise() -> None:
    """In 300 draws of 40 clusters whose rows stand or fall together the truth is inside; Wilson's often misses it."""
    rng, inside, naive = random.Random(1), 0, 0
    for _ in range(300):
        pairs, clusters = [], []
        for at in range(40):
            chance = rng.betavariate(3.2, 0.8)
            size = rng.randint(1, 20)
            pairs += [("a", "a" if rng.random() < chance else "b") for _ in range(size)]
            clusters += [str(at)] * size
        grouped, alone = (counted(pairs, given).compute().classes[0].recall for given in (clusters, None))
        inside += (grouped.low or 0) <= 0.8 <= (grouped.high or 0)
        naive += (alone.low or 0) <= 0.8 <= (alone.high or 0)
    assert inside >= 0.93 * 300
    assert naive < 0.8 * 300


def test_perfect_clusters_are_not_certain() -> None:
    """Where clusters have no spread, the exact interval of as many trials does; macro F1 has the added cluster."""
    scores = counted([("a", "a"), ("b", "b")] * 5, [str(i) for i in range(10)]).compute()
    assert scores.accuracy.interval is not None
    assert scores.accuracy.interval[0] < 0.8
    assert scores.macro_f1.interval is not None
    assert scores.macro_f1.interval[0] < 0.8
    assert scores.macro_f1.interval[1] == 1.0


@given(PAIRS, st.data())
def test_clusters_change_no_number(pairs: Pairs, data: st.DataObject) -> None:
    """Only intervals know of them, and they merge as rows do."""
    names = data.draw(st.lists(st.sampled_from("xyz"), min_size=len(pairs), max_size=len(pairs)))
    grouped, alone = counted(pairs, names), counted(pairs)
    one, other = grouped.compute(), alone.compute()
    assert (one.accuracy.value, one.macro_f1.value) == (other.accuracy.value, other.macro_f1.value)
    plain = zip(one.classes, other.classes, strict=True)
    classes = tuple(replace(mine, precision=theirs.precision, recall=theirs.recall) for mine, theirs in plain)
    for mine, theirs in zip(one.classes, other.classes, strict=True):
        assert (mine.precision.value, mine.recall.value) == (theirs.precision.value, theirs.recall.value)
    own = {"accuracy": other.accuracy, "macro_f1": other.macro_f1, "clusters": None}
    assert replace(one, **own, classes=classes) == other
    half = len(pairs) // 2
    parts = [counted(pairs[:half], names[:half]), counted(pairs[half:], names[half:])]
    assert together(*parts).to_state() == grouped.to_state()


def test_clusters_without_any_label_are_all_wrong() -> None:
    """Rows that lack both labels are wrong answers, in clusters as alone; there is no class to average over."""
    alone, clustered = ClassReport(), ClassReport()
    alone.update_labels([None] * 4, [None] * 4)
    clustered.update_labels([None] * 4, [None] * 4, clusters=["a", "a", "b", "b"])
    assert clustered.compute().accuracy.value == alone.compute().accuracy.value == 0.0
    assert clustered.compute().macro_f1.value == alone.compute().macro_f1.value


def test_a_row_without_its_cluster_is_refused() -> None:
    """It cannot be told what it belongs to."""
    report = ClassReport(cluster_key="document")
    with pytest.raises(InputError, match="'document' in the metadata"):
        report.update([row("a", "a", document="d"), row("a", "a", page=1)])


# Views


def test_the_report_as_a_data_frame() -> None:
    """One row for each class, by name."""
    frame = counted([("a", "a"), ("a", "b")]).to_pandas()
    assert list(frame.index) == ["a", "b"]
    assert frame.loc["a", "recall"] == 0.5
    assert {"support", "precision_low", "recall_high", "tp", "tn"} <= set(frame.columns)


def test_odd_labels_are_counted_or_refused() -> None:
    """Integers of any size are labels; what is nested without end is none."""
    report = counted([(10**5000, 10**5000), (float("inf"), -0.0), ([], [None])])
    assert report.compute().accuracy.value == pytest.approx(1 / 3)
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InputError, match="nested"):
        counted([(deep, 1)])


def test_names_do_nothing_on_a_terminal() -> None:
    """Escape codes are printed as text, and an empty label can be seen."""
    text = counted([("\x1b[31mred", "")]).to_text()
    assert "\x1b" not in text
    assert '""' in text


def test_the_report_is_json() -> None:
    """Whatever the labels are."""
    report = counted([([1], {"a": 2}), (None, float("nan")), (1, True)])
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False)) == report.to_dict()
