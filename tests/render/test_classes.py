"""The page of a class report is complete in itself, and shows every label as what it is."""

from __future__ import annotations

import re

import pytest

from fieldwise.classify import ClassReport
from fieldwise.render.pages.classes import MOST_IN_MATRIX, html_classes
from tests.classify.rows import rows
from tests.render.page_text import PageText
from tests.render.test_html import HOSTILE


def page_of(golden: list[object], predicted: list[object]) -> str:
    report = ClassReport()
    report.update_labels(golden, predicted)
    return html_classes(report.compute(), "Tools")


def test_every_count_of_the_matrix_is_on_the_page() -> None:
    """Cells say in words what they count."""
    page = page_of(["a", "a", "b"], ["a", "b", "b"])
    assert 'title="expected a, predicted b: 1, 50.0%"' in page
    assert page.count('<td class="none') == 1
    assert len(re.findall(r'class="h\d right"', page)) == 2


@pytest.mark.parametrize("text", HOSTILE)
def test_labels_are_text(text: str) -> None:
    """No label becomes markup, and each can be read."""
    safe = PageText(page_of(["plain"], ["plain"]))
    page = PageText(page_of([text], [text]))
    assert set(page.elements) <= {*safe.elements, "span", "wbr"}
    assert page.elements.count("script") == 1
    assert text in page.values
    assert not [name for name, _ in page.attributes if name.startswith("on")]


def test_many_classes_are_cut_to_the_largest() -> None:
    """The matrix stays a picture, and says what it leaves out; the table of classes has all."""
    labels: list[object] = [f"class {i}" for i in range(60)]
    page = page_of(labels * 2, labels * 2)
    assert f"the {MOST_IN_MATRIX} of 60 with the most rows" in page
    assert page.count('<th scope="row"') == MOST_IN_MATRIX
    assert "60 classes" in page


def test_what_the_numbers_rest_on_is_said() -> None:
    """Missing labels, rows that disagree, keys, who judges."""
    report = ClassReport()
    report.update([*rows([("a", "a")]), *rows([("a", "b")])])
    report.update_labels(["a", "b"], [float("nan"), "a"], correct=[False, True])
    page = html_classes(report.compute())
    assert "1 row without a label on one side or both: counted as wrong." in page
    assert "In 1 row the flag <i>correct</i> and the labels disagree" in page
    assert "(missing)" in page
    assert {"event", "tool", "equal labels"} <= set(PageText(page).values)


def test_no_confusions_are_said() -> None:
    """A perfect report has no empty table."""
    assert "No label was taken for another." in page_of(["a", "b"], ["a", "b"])
