"""The pages of classify and aggregate hold what their commands say, and rows as there is room."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fieldwise.classify import ClassReport, UnitMetricResult
from fieldwise.classify.sample import RowSample
from fieldwise.results import ClassesPage, Classification, RunPage
from tests.browser.class_samples import label_file, result_files
from tests.page_answers import answers_in, run_of
from tests.runs.results import command


def page_of(path: Path, *options: str | Path) -> ClassesPage:
    page = path.parent / "page.html"
    command("classify", path, "--html", page, *options)
    found = answers_in(page.read_text(encoding="utf-8")).classes
    assert found is not None
    return found


def test_the_page_holds_what_the_command_says(tmp_path: Path) -> None:
    """Metrics, report and lines that are no rows are those of ``--json``; a line of the file is where a row says."""
    file = label_file(tmp_path)
    page = page_of(file)
    said = Classification.from_json(command("classify", file, "--json").stdout)
    assert page.classification == said
    assert said.report is not None
    lines = file.read_text(encoding="utf-8").splitlines()
    labels = said.report.confusion.labels
    for row in page.rows:
        held = json.loads(lines[row.line - 1])
        assert held["correct"] == row.is_right
        if isinstance(held["golden"]["event"], str) and held["golden"]["event"]:
            assert labels[row.expected] == held["golden"]["event"]


def test_every_cell_has_rows_and_wrong_ones_have_more(tmp_path: Path) -> None:
    """At least five of each cell, as far as it has them; none of rows that were left out."""
    page = page_of(label_file(tmp_path))
    report = page.classification.report
    assert report is not None
    counts = report.confusion.counts
    held = [[0] * len(counts) for _ in counts]
    for row in page.rows:
        held[row.expected][row.predicted] += 1
    for have, all_ in zip(held, counts, strict=True):
        assert all(min(5, n) <= k <= n for k, n in zip(have, all_, strict=True))
    skipped = page_of(label_file(tmp_path), "--missing", "skip")
    assert max(row.predicted for row in skipped.rows) < len(report.classes)


def test_rows_of_streams_are_kept_without_keeping_all() -> None:
    """However many rows a cell has, a bounded number is remembered; the first come first."""
    sample, report = RowSample("a", "b"), ClassReport(golden_key="a", predicted_key="b")
    rows: Any = ((k, UnitMetricResult(True, {"a": 1, "more": "x" * 900}, {"b": 1.0})) for k in range(1, 3001))
    report.update(sample.watch(rows))
    shown = sample.shown(report.table, "labels", "class")
    assert [row.line for row in shown] == list(range(1, 201))
    assert {len(row.golden) for row in shown} == {300}
    assert {row.answer for row in shown} == {""}


def test_the_notes_say_what_the_numbers_rest_on(tmp_path: Path) -> None:
    """Missing labels, rows that disagree, how intervals were found."""
    path = tmp_path / "rows.jsonl"
    rows = [("a", "a", True), ("a", None, False), ("b", "b", False)]
    lines = [json.dumps({"correct": c, "golden": {"x": g}, "predicted": {"y": p}}) for g, p, c in rows]
    path.write_text("\n".join(lines))
    assert page_of(path).notes == (
        "1 row without a label on one side or both: counted as wrong.",
        "In 1 row the flag correct and the labels disagree; the labels decide here.",
        "Intervals are 95% intervals, which take rows as independent: Wilson's of classes, of accuracy and macro F1 by "
        "leaving rows out.",
    )


def aggregated(tmp_path: Path, *, name_values: bool) -> RunPage:
    results = result_files(tmp_path / "results", name_values=name_values)
    done = command("aggregate", results, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    return run_of(tmp_path / "out")


def test_the_page_of_added_up_results_has_their_counts(tmp_path: Path) -> None:
    """Its metrics are metrics.json; documents with an error are listed; there are no values where nobody names any."""
    page = aggregated(tmp_path, name_values=False)
    assert page.metrics.to_json() == json.dumps(json.loads((tmp_path / "out" / "metrics.json").read_text()))
    assert (page.counts_only, page.has_rows, page.errors) == (True, False, ())
    worst = page.documents[0]
    assert (Path(worst.document).name, worst.score, worst.fd) == ("doc-00.json", 0.5, 1)
    assert (len(page.documents), page.document_total) == (4, 12)


def test_values_that_results_name_are_on_the_page(tmp_path: Path) -> None:
    """With both sides and their score."""
    page = aggregated(tmp_path, name_values=True)
    assert page.has_rows
    first = page.errors[0]
    assert (first.field, first.expected, first.predicted, first.raw_score) == ("total", "0.00", "0.80", 0.2)
