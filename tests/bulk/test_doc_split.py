"""Splitting a packet: page classes, sections, groups and orders; scikit-learn and scipy compute the same."""

from __future__ import annotations

import csv
import html as html_text
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from scipy.stats import kendalltau
from sklearn.metrics import rand_score, v_measure_score  # type: ignore[import-untyped]  # has no types

from fieldwise.bulk import DocSplitClassificationMetrics, evaluate_packet
from fieldwise.bulk.packets import kendall_tau
from fieldwise.errors import InputError, SettingError
from tests.strategies import examples

EXPECTED = [
    {"section_id": "s1", "document_class": {"type": "invoice"}, "split_document": {"page_indices": [0, 1, 2]}},
    {"section_id": "s2", "document_class": "letter", "page_indices": [3, 4]},
    {"section_id": "s3", "document_class": "letter", "page_indices": [5]},
]
PREDICTED = [
    {"section_id": "p1", "document_class": "invoice", "page_indices": [0, 2, 1]},
    {"section_id": "p2", "document_class": "letter", "page_indices": [3]},
    {"section_id": "p3", "document_class": "letter", "page_indices": [4]},
    {"section_id": "p4", "document_class": "letter", "page_indices": [5]},
    {"section_id": "p9", "document_class": "x|y", "page_indices": [7]},
]


def split(expected: list[Any], predicted: list[Any]) -> dict[str, Any]:
    metrics = DocSplitClassificationMetrics()
    metrics.load_sections(expected, predicted)
    return metrics.calculate_all_metrics()


def test_pages_and_sections() -> None:
    """A page is right if its class is; a section is if its pages and class are, and in order if that is too."""
    found = split(EXPECTED, PREDICTED)
    page, loose, strict = (
        found[k] for k in ("page_level_accuracy", "split_accuracy_without_order", "split_accuracy_with_order")
    )
    assert (page["correct_pages"], page["total_pages"]) == (6, 7)
    assert page["page_details"][-1] == {
        "page_index": 7,
        "ground_truth_class": "Missing",
        "predicted_class": "x|y",
        "correct": False,
    }
    assert [d["matched"] for d in loose["section_details"]] == [True, False, True]
    assert [d["matched"] for d in strict["section_details"]] == [False, False, True]
    assert strict["section_details"][0]["matched_section_id"] == "p1"
    assert loose["accuracy"] == pytest.approx(2 / 3)


def test_extra_predicted_sections_are_reported() -> None:
    """Sections that nobody expected are listed, in the metrics and in the report."""
    found = split(EXPECTED, PREDICTED)
    assert [s["section_id"] for s in found["extra_sections"]] == ["p2", "p3", "p9"]
    report = DocSplitClassificationMetrics().generate_markdown_report(found)
    assert "| p9 | x\\|y | [7] |" in report
    assert "| Page class | 0.8571 | 6/7 pages |" in report


def test_nothing_is_null_not_zero() -> None:
    """Without pages and sections there is no accuracy."""
    found = split([], [])
    assert [found[k]["accuracy"] for k in found if "accuracy" in k] == [None] * 3
    assert "–" in DocSplitClassificationMetrics().generate_markdown_report(found)
    nothing = evaluate_packet([])
    assert {nothing[k] for k in nothing if k.endswith(("score", "measure", "index"))} == {None}


def test_what_cannot_be_read_is_listed() -> None:
    """Sections without page numbers, and pages in two sections, are told."""
    found = split([{"section_id": "a", "page_indices": "xy"}], [{"page_indices": [1]}, {"page_indices": [1]}])
    assert len(found["errors"]) == 2
    assert "section a" in found["errors"][0]


def rows(*pages: tuple[Any, Any, Any, Any]) -> list[dict[str, Any]]:
    names = ("group_id", "group_id_predicted", "page_number", "page_number_predicted")
    return [{**dict(zip(names, page, strict=True)), "class_label": "l", "class_label_predicted": "l"} for page in pages]


HOSTILE = ["<script>alert(1)</script>", "[a](javascript:alert(1))", "![a](b)", "a|b", "`a`", "**a**", "a\n# b", "a\\"]


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("pages", [[1], []], ids=["with pages", "without"])
def test_names_of_sections_are_text_in_the_report(name: str, pages: list[int]) -> None:
    """Ids and classes, in the table and below it, hold no HTML, no Markdown and no line of their own."""
    section = {"section_id": name, "document_class": name, "page_indices": pages}
    metrics = DocSplitClassificationMetrics()
    metrics.load_sections([section], [section])
    report = metrics.generate_markdown_report(metrics.calculate_all_metrics())
    html = MarkdownIt("commonmark").enable("table").render(report)
    allowed = {"h1", "h2", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "p"}
    assert set(re.findall(r"</?([a-z0-9]+)", html)) <= allowed
    assert len(re.findall(r"<h[1-6]", html)) == 2
    assert html.count("<tr>") == 4 + 2
    shown = html_text.unescape(re.sub(r"<[^>]*>", "\n", html))
    assert shown.count(" ".join(name.splitlines())) >= 3


PAGES = st.tuples(st.integers(0, 3), st.sampled_from("abc"), st.integers(1, 5), st.integers(1, 5))


@settings(deadline=None, max_examples=examples(150))
@given(st.lists(PAGES, min_size=1, max_size=12), st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_packet_scores_are_those_of_the_oracles(pages: list[Any], weight: float, alpha: float, beta: float) -> None:
    """V-measure and Rand index are scikit-learn's, tau-b is scipy's; undefined orders are 0, single pages 1."""
    found = evaluate_packet(rows(*pages), weight, alpha, beta)
    expected, predicted = [p[0] for p in pages], [p[1] for p in pages]
    assert math.isclose(found["v_measure"], v_measure_score(expected, predicted), abs_tol=1e-9)
    assert math.isclose(found["rand_index"], rand_score(expected, predicted), abs_tol=1e-9)
    orders = []
    for group, score in found["group_ordering_scores"].items():
        inside = [p for p in pages if p[0] == group]
        with np.errstate(all="ignore"):
            tau = 1.0 if len(inside) == 1 else kendalltau([p[2] for p in inside], [p[3] for p in inside]).statistic
        orders.append(0.0 if math.isnan(tau) else tau)
        assert math.isclose(score, orders[-1], abs_tol=1e-9)
    clustering = weight * found["v_measure"] + (1 - weight) * found["rand_index"]
    final = alpha * clustering + beta * sum(orders) / len(orders)
    assert math.isclose(found["final_score"], final, abs_tol=1e-9)


@settings(deadline=None, max_examples=examples(100))
@given(st.lists(st.tuples(st.floats(-5, 5), st.integers(0, 3)), min_size=2, max_size=20))
def test_kendall_tau(pairs: list[tuple[float, int]]) -> None:
    """Ties are left out as in scipy."""
    ours = kendall_tau([a for a, _ in pairs], [b for _, b in pairs])
    theirs = kendalltau([a for a, _ in pairs], [b for _, b in pairs]).statistic
    assert math.isclose(ours, 0.0 if math.isnan(theirs) else theirs, abs_tol=1e-9)


def test_strict_clustering_puts_wrong_classes_apart() -> None:
    """A page of a wrong class is in a group of its own."""
    pages = rows((1, "a", 1, 1), (1, "a", 2, 2), (2, "b", 1, 1))
    assert evaluate_packet(pages, strict_clustering=True)["clustering_score"] == 1.0
    pages[1]["class_label_predicted"] = "m"
    strict = evaluate_packet(pages, strict_clustering=True)
    assert strict["v_measure"] == pytest.approx(v_measure_score([1, 1, 2], ["a", "alone", "b"]))
    assert evaluate_packet(pages)["clustering_score"] == 1.0


def test_rows_may_come_from_a_file_or_a_data_frame(tmp_path: Path) -> None:
    """A CSV file, a data frame and a list of rows give the same."""
    pages = rows((1, "a", 1, 1), (1, "b", 2, 3), (2, "b", 1, 2))
    path = tmp_path / "pages.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(pages[0]))
        writer.writeheader()
        writer.writerows(pages)
    assert evaluate_packet(pages) == evaluate_packet(str(path)) == evaluate_packet(pd.DataFrame(pages))


def test_wrong_packets_are_refused() -> None:
    """Missing columns, pages that are no numbers and weights outside of 0 to 1."""
    with pytest.raises(InputError, match="group_id_predicted"):
        evaluate_packet([{"group_id": 1}])
    with pytest.raises(InputError, match="page number"):
        evaluate_packet(rows((1, "a", "x", 1), (1, "a", 2, 2)))
    with pytest.raises(SettingError, match="alpha"):
        evaluate_packet([], alpha=2)
