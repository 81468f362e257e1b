"""``fieldwise sweep``: the current threshold has the figures of the run, others those of a run at that threshold."""

from __future__ import annotations

import copy
import json
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldwise import LevenshteinComparator, Spec, evaluate_pairs, open_pairs
from fieldwise.cli.sweep import sweep
from fieldwise.errors import InputError, SettingError
from fieldwise.results import RATIOS, Sweep, SweepPoint
from fieldwise.runs.folder_run import open_run
from fieldwise.runs.sweep import sweep_field
from fieldwise.spec.class_config import spec_of_classes
from fieldwise.stats.differences import paired_delta
from tests.folders import sealed, stored_rows
from tests.page_answers import answers_in, run_of
from tests.strategies import examples

from .results import command, refused, write_run

Json = Any
PAGE = Path(__file__).parents[2] / "docs" / "calibrate.md"
COUNTS = ("tp", "fd", "fa", "fn")


LEVENSHTEIN = {"x-fieldwise-comparator": "levenshtein", "x-fieldwise-threshold": 0.8}


def schema(threshold: float, **more: Json) -> dict[str, Json]:
    """Return a schema whose texts have a threshold."""
    text = {
        "type": "string",
        "x-aws-stickler-comparator": "LevenshteinComparator",
        "x-aws-stickler-threshold": threshold,
    }
    rows = {"type": "array", "items": {"type": "object", "properties": {"sku": text, "note": text}}}
    tags = {**text, "type": "array", "items": {"type": "string"}}
    total = {"type": "number", "x-aws-stickler-comparator": "ExactComparator"}
    group = {"type": "object", "properties": {"name": text}}
    return {
        "type": "object",
        "properties": {"name": text, "tags": tags, "rows": rows, "total": total, "group": group, **more},
    }


words = st.text("abc", min_size=1, max_size=5)
texts = st.none() | words | st.just(7)
row = st.fixed_dictionaries({"sku": st.none() | words, "note": st.none() | words})
document = st.fixed_dictionaries(
    {
        "name": texts,
        "tags": st.none() | st.lists(words, max_size=3),
        "rows": st.lists(row, max_size=3),
        "total": st.none() | st.integers(0, 2),
        "group": st.none() | st.fixed_dictionaries({"name": st.none() | words}),
    }
)
documents = st.lists(st.tuples(document, document), min_size=1, max_size=8)
thresholds = st.sampled_from([0.0, 0.2, 1 / 3, 0.5, 0.6, 2 / 3, 0.75, 0.8, 1.0])
FIELDS = ("name", "tags", "rows.sku", "rows.note", "group.name")
lasting = settings(
    max_examples=examples(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def evaluated(folder: Path, pairs: list[tuple[Json, Json]], threshold: float) -> Path:
    named = {f"d{k}": pair for k, pair in enumerate(pairs)}
    return write_run(folder, named, schema=schema(threshold))


def swept(results: Path, field: str, *levels: float) -> Sweep | None:
    """Return a sweep; None where nothing of the field can be swept."""
    try:
        return sweep_field(open_run(results), field, levels or (0.0, 0.5, 1.0))
    except InputError:
        return None


def counts(point: SweepPoint) -> list[int]:
    return [getattr(point, name) for name in COUNTS]


@lasting
@given(pairs=documents, threshold=thresholds)
def test_the_current_threshold_has_the_figures_of_the_run(
    pairs: list[tuple[Json, Json]], threshold: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Counts, rates, intervals and numbers of documents are those of metrics.json, for every field."""
    results = evaluated(tmp_path_factory.mktemp("run"), pairs, threshold)
    metrics = open_run(results).metrics.fields
    for field in FIELDS:
        found = swept(results, field)
        if found is None:
            continue
        own = metrics[field]
        assert found.threshold == threshold
        assert counts(found.at(found.current)) == [getattr(own, name) for name in COUNTS]
        for ratio in RATIOS:
            rate, of_run = found.at(found.current).rates.of(ratio), own.rates.of(ratio)
            assert rate.value == pytest.approx(of_run.value)
            if rate.low is not None:
                assert [rate.low, rate.high, rate.n] == pytest.approx([of_run.low, of_run.high, of_run.n])


@lasting
@given(pairs=documents, threshold=thresholds, other=thresholds)
def test_another_threshold_has_the_figures_of_a_run_at_it(
    pairs: list[tuple[Json, Json]], threshold: float, other: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Outside of lists of objects nothing is paired by it: evaluating again at that threshold gives the same counts."""
    texts = [(_as_text(expected), _as_text(predicted)) for expected, predicted in pairs]
    one = evaluated(tmp_path_factory.mktemp("one"), texts, threshold)
    two = evaluated(tmp_path_factory.mktemp("two"), texts, other)
    metrics = open_run(two).metrics.fields
    for field in ("name", "group.name"):
        found = swept(one, field, other)
        if found is not None:
            point = next(point for point in found.points if point.threshold == other)
            assert counts(point) == [getattr(metrics[field], name) for name in COUNTS]


def _as_text(side: dict[str, Json]) -> dict[str, Json]:
    return {**side, "name": "7" if side["name"] == 7 else side["name"]}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents whose names are more and more unlike, with a rejected row, a missed and a spurious value."""
    made: dict[str, tuple[Json, Json]] = {}
    for k in range(11):
        expected, predicted = {"name": "x" * 10, "total": 1}, {"name": "x" * (10 - k) + "y" * k, "total": k % 2}
        made[f"d{k:02}"] = (expected, predicted)
    made["missed"] = ({"name": "abc"}, {"name": None})
    made["spurious"] = ({"name": None}, {"name": "abc"})
    made["mistyped"] = ({"name": "abc"}, {"name": ["abc"]})
    made["rows"] = (
        {"name": "abc", "rows": [{"sku": "aaaaaaaa", "note": "one"}, {"sku": "bbbbbbbb", "note": "two"}]},
        {"name": "abc", "rows": [{"sku": "aaaaaaab", "note": "one"}, {"sku": "zzzzzbbb", "note": "yyyyy"}]},
    )
    return write_run(tmp_path_factory.mktemp("sweep"), made, schema=schema(0.7, extra={"type": "string"}))


def test_counts_are_those_of_counting(results: Path) -> None:
    """At each threshold the names match whose score reaches it; what has no score counts as it did."""
    found = sweep_field(open_run(results), "name")
    compare = LevenshteinComparator().compare
    scores = [compare("x" * 10, "x" * (10 - k) + "y" * k) for k in range(11)] + [1.0]
    for point in found.points:
        tp = sum(score >= point.threshold for score in scores)
        assert counts(point) == [tp, 12 - tp + 1, 1, 1]
    assert (found.swept, found.mistyped, found.rejected) == (12, 1, 0)
    assert [point.threshold for point in found.points] == sorted({*(k / 20 for k in range(21)), 0.7})


def test_values_in_rejected_rows_stay_wrong(results: Path) -> None:
    """A row that is no pair is left out of the sweep, and its values stay mismatches at every threshold."""
    found = sweep_field(open_run(results), "rows.sku")
    assert (found.swept, found.rejected) == (1, 1)
    assert {point.fd + point.tp for point in found.points} == {2}
    assert min(point.fd for point in found.points) == 1
    rows = stored_rows(results, "verdicts")
    assert [row["outcome"] for row in rows if row["reason"] == "row" and row["field"] == "rows.sku"] == ["mismatch"]


def test_the_highest_is_shown_with_its_paired_difference(results: Path) -> None:
    """A lower threshold never lowers strict F1; the difference to the current one is that of documents in pairs."""
    found = sweep_field(open_run(results), "name")
    rates = [point.strict_f1 or 0.0 for point in found.points]
    assert rates == sorted(rates, reverse=True)
    assert found.best == 0.0
    base = [[int(k <= 3), int(k > 3), 0, 0] for k in range(11)]
    best = [[1, 0, 0, 0] for _ in range(11)]
    rest = [[0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]]
    delta = asdict(paired_delta([*base, *rest], [*best, *rest], "strict_f1"))
    assert found.difference.to_dict() == {name: delta[name] for name in found.difference.to_dict()}


def test_scores_are_counted_on_both_sides_of_the_threshold(results: Path) -> None:
    """The histogram holds every score once, with an edge at the threshold."""
    found = sweep_field(open_run(results), "name")
    assert sum(b.matches + b.mismatches for b in found.scores) == found.swept
    for b in found.scores:
        assert not b.matches or b.low >= found.threshold - 1e-9
        assert not b.mismatches or b.high <= found.threshold + 1e-9
    assert [b.matches for b in found.scores][-1] == 2


def test_the_nearest_values_are_shown(results: Path) -> None:
    """Six values next below the threshold and those from it on, but for equal ones, by score."""
    found = sweep_field(open_run(results), "name")
    assert [round(value.score, 9) for value in found.nearest] == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    assert [value.matches for value in found.nearest] == [False] * 6 + [True] * 3
    assert (found.nearest[0].document, found.nearest[0].predicted) == ("d09", "x" + "y" * 9)


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("total", "total is compared as 'exact', and every score of it in "),
        (
            "rows",
            "rows is a list of objects, with no threshold of its own for values; fields that can be swept: rows.sku",
        ),
        ("group", "group is an object, with no threshold of its own for values; no field there has scores"),
        ("nam", "No field 'nam' is declared; did you mean 'name'? Fields that can be swept: name, rows.sku"),
        ("extra", "No document in"),
        ("d00", "No field 'd00' is declared"),
    ],
)
def test_what_cannot_be_swept_is_refused_with_its_reason(results: Path, field: str, words: str) -> None:
    """Scores of 0 and 1 only, lists, objects, misspelt names and fields without values."""
    assert words in refused("sweep", results, field)


@pytest.mark.parametrize("given", ["a", "0.5;0.6", "1.5", "-0.1", ","])
def test_wrong_thresholds_are_refused(results: Path, given: str) -> None:
    """Thresholds are numbers from 0 to 1 with commas between."""
    assert "thresholds" in refused("sweep", results, "name", f"--thresholds={given}")


def test_another_spec_is_noticed(results: Path, tmp_path: Path) -> None:
    """Outcomes that the threshold of spec.json does not explain are refused, and so is a folder without it."""
    shutil.copytree(results, tmp_path, dirs_exist_ok=True)
    changed = json.loads((tmp_path / "spec.json").read_text())
    changed["properties"]["name"]["x-aws-stickler-threshold"] = 0.4
    (tmp_path / "spec.json").write_text(json.dumps(changed))
    sealed(tmp_path)
    assert "were not decided by the threshold 0.4" in refused("sweep", tmp_path, "name")
    (tmp_path / "spec.json").write_text("[]")
    sealed(tmp_path)
    assert "Expected a JSON Schema" in refused("sweep", tmp_path, "name")
    (tmp_path / "spec.json").unlink()
    assert "No spec.json" in refused("sweep", tmp_path, "name")


def test_fields_of_several_shapes_and_definitions_are_found(tmp_path: Path) -> None:
    """A text inside a definition that holds itself can be swept at any depth."""
    text = schema(0.7)["properties"]["name"]
    node = {"type": "object", "properties": {"name": text, "child": {"$ref": "#/$defs/node"}}}
    declared = {"type": "object", "properties": {"top": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    deep = {"top": {"name": "aaaa", "child": {"name": "aaaa", "child": {"name": "abcd"}}}}
    other = copy.deepcopy(deep)
    other["top"]["child"]["child"]["name"] = "abcx"  # type: ignore[index]  # objects all the way down
    results = write_run(tmp_path, {"a": (deep, other), "b": (deep, deep)}, schema=declared)
    found = sweep_field(open_run(results), "top.child.child.name")
    assert counts(found.at(found.current)) == [2, 0, 0, 0]
    assert counts(found.points[-1]) == [1, 1, 0, 0]


def test_matches_that_no_score_decides_stay(tmp_path: Path) -> None:
    """A list that is the same as another is a match at every threshold of a text, in each door alike."""
    pairs = [("alphabet", "alphabex"), ("beta", "beta"), ("gamma", "delta"), ([1], [1]), ([2], [3])]
    rows = [(f"d{at}", {"a": one}, {"a": other}) for at, (one, other) in enumerate(pairs)]
    spec = Spec.from_json_schema({"type": "object", "properties": {"a": {"type": "string", **LEVENSHTEIN}}})
    evaluate_pairs(rows, spec, out=tmp_path / "run")
    run = open_run(tmp_path / "run")
    point, found = run.sweep("a").at(0.8), run.counts_at("a", 0.8)
    assert (point.tp, point.fd) == (found.tp, found.fd) == (3, 2)
    (curve,) = run_of(tmp_path / "run").curves
    assert (curve.both, curve.matches[80], curve.matches[100]) == (5, 3, 2)


def test_thresholds_of_classes_have_no_curve(tmp_path: Path) -> None:
    """Where two classes have thresholds of their own, no single one gives the counts of the run."""
    texts = [("A", "abcdefgx", 0.9), ("B", "abcdefgx", 0.5), ("B", "abcdexyz", 0.5), ("A", "abcdefgh", 0.9)]
    config = {
        "classes": {
            name: {"properties": {"s": {"type": "string", **LEVENSHTEIN, "x-fieldwise-threshold": threshold}}}
            for name, _, threshold in texts[:2]
        }
    }
    rows = [
        (f"d{at}", *({"document_class": name, "inference_result": {"s": text}} for text in ("abcdefgh", predicted)))
        for at, (name, predicted, _) in enumerate(texts)
    ]
    lines = [{"id": name, "expected": expected, "predicted": predicted} for name, expected, predicted in rows]
    (tmp_path / "pairs.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    evaluate_pairs(open_pairs(tmp_path / "pairs.jsonl"), spec_of_classes(config), out=tmp_path / "run")
    run = open_run(tmp_path / "run")
    assert run.metrics.fields["s"].tp == 3
    for ask in (lambda: run.counts_at("s", 0.9), lambda: run.sweep("s")):
        with pytest.raises(InputError, match="classes may have thresholds of their own"):
            ask()
    assert run_of(tmp_path / "run").curves == ()


def test_the_command_prints_writes_and_answers_machines(results: Path, tmp_path: Path) -> None:
    """The table marks the current threshold and says that pairing is held fixed; two files are written."""
    done = command("sweep", results, "name", "--thresholds", "0.5,0.9", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    assert "0.7   ◀ current" in done.stdout
    assert "pairing of list items is held fixed" in " ".join(done.stdout.split())
    assert {path.name for path in tmp_path.iterdir()} == {"sweep.json", "sweep.html"}
    made = json.loads(command("sweep", results, "name", "--thresholds", "0.5,0.9", "--json").stdout)
    assert made == json.loads((tmp_path / "sweep.json").read_text(encoding="utf-8"))
    page = answers_in((tmp_path / "sweep.html").read_text(encoding="utf-8")).sweep
    assert page is not None
    assert json.loads(page.sweep.to_json()) == made
    assert [point["threshold"] for point in made["points"]] == [0.5, 0.7, 0.9]
    assert (made["current"], made["best"], made["pairing"]) == (0.7, 0.5, "held fixed")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("0.5,0.6", "Of these thresholds F1 (strict) is highest at 0.5: "),
        ("0.41,0.45,0.6", "Of these thresholds F1 (strict) is highest at 0.41 and 0.45: "),
        ("0.41,0.42,0.45,0.6", "Of these thresholds F1 (strict) is highest from 0.41 to 0.45: "),
        ("0.8,0.9", "No other of these thresholds has a higher F1 (strict) than the current one, 0.7."),
    ],
)
def test_nothing_is_said_of_thresholds_that_are_not_listed(
    results: Path, tmp_path: Path, given: str, words: str
) -> None:
    """0.2 would give more in each case: what is highest is so among these thresholds, on the terminal and the page."""
    shown = " ".join(command("sweep", results, "name", "--thresholds", given).stdout.split())
    assert words in shown
    command("sweep", results, "name", "--thresholds", given, "--out", tmp_path)
    page = answers_in((tmp_path / "sweep.html").read_text(encoding="utf-8")).sweep
    assert page is not None
    assert page.best.startswith(words)


@pytest.mark.parametrize("columns", [30, 40, 50, 60, 80, 100, 120])
def test_what_is_shown_is_whole(results: Path, columns: int) -> None:
    """On a narrow terminal columns are left out; the threshold and the headline stay, and nothing is cut."""
    shown = command("sweep", results, "name", columns=columns).stdout
    assert "…" not in shown
    assert max(map(len, shown.splitlines())) <= columns
    head = next(line for line in shown.splitlines() if line.startswith(" threshold"))
    assert "F1 (strict)" in head
    assert ("change" in head) is (columns >= 50)
    assert ("◀ current" in shown) is (columns >= 40)
    assert ("95%" in head) is (columns >= 60)


def test_thresholds_are_checked_before_anything_is_read(results: Path) -> None:
    """No thresholds at all are refused."""
    with pytest.raises(SettingError, match=r"got \[\]"):
        sweep_field(open_run(results), "name", [])


@pytest.mark.parametrize("option", [o.opts[0] for o in sweep.params if isinstance(o, click.Option)])
def test_every_option_is_explained(option: str) -> None:
    """The page about calibration and sweeps names each option."""
    assert f"`{option}" in PAGE.read_text(encoding="utf-8")
