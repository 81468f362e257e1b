"""Whatever names and values hold, every medium shows it as text: nothing comes alive, no line or cell is added."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

import fieldwise
from fieldwise.render.junit import to_junit
from fieldwise.render.markdown import to_markdown
from fieldwise.render.notebook import to_html
from fieldwise.render.terminal import draw, make_console
from fieldwise.render.text import to_text
from fieldwise.text import csv_text
from fieldwise.views.gate import Case
from fieldwise.views.parts import Beside, Cell, Headline, Row, Sentence, Table, View, marked
from fieldwise.views.words import Column
from tests.render.hostile import HOSTILE

TEXTS = [*HOSTILE, "=cmd|' /C calc'!A0", "@someone #17 https://example.org www.example.org", "a\x02b\x03c", ""]
_BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")


def view(text: str) -> View:
    """Return a view with a text in every place that can hold one from documents."""
    columns = (
        Column("name", "name", format="name"),
        Column("value", "value", format="value"),
        Column("n", "n", format="count"),
    )
    row = Row((Cell(text, aside=text), Cell(text, before="", aside=text), Cell(3)))
    table = Table(columns, (row, row), "Title")
    return View(
        (
            Headline(Sentence(f"Answer for {marked(text)}"), Sentence(f"because of {text}")),
            table,
            Table(columns, (row,), "Stacked", stack_below=10_000),
            Table(columns, (row,), "Folded", folded=True),
            Beside((Table(columns, (row,), is_ruled=False),)),
            Sentence(f"{text} and {marked(text)}", "warning", "!"),
        )
    )


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
@pytest.mark.parametrize("width", [40, 200])
def test_a_terminal_is_not_steered(text: str, width: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Only letters and line ends are printed, and nothing that turns the direction of writing."""
    console = make_console()
    console.width = width
    draw(console, view(text))
    printed = capsys.readouterr().out
    assert not _BIDI.search(printed)
    assert all(character.isprintable() or character == "\n" for character in printed)
    printed.encode()


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_plain_text_keeps_its_lines(text: str) -> None:
    """A text adds no line."""
    assert len(to_text(view(text)).splitlines()) == len(to_text(view("harmless")).splitlines())


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_markdown_keeps_its_shape(text: str) -> None:
    """No line, cell, element, mention or link is added."""
    made, harmless = to_markdown(view(text)), to_markdown(view("harmless"))
    made.encode()
    assert len(made.splitlines()) == len(harmless.splitlines())
    assert [line.count("|") for line in made.splitlines()] == [line.count("|") for line in harmless.splitlines()]
    assert set(re.findall(r"</?([^ >]+)", made)) <= {"code", "details", "summary"}
    bare = re.sub(r"&#?\w+;|\*\*\w+\*\*", "", made)
    assert not re.search(r"[`*]|https?://|www\.|\]\(", bare)
    assert not re.search(r"@|#\w", re.sub("^#+ |<code>.*?</code>", "", bare, flags=re.MULTILINE))


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_junit_stays_xml(text: str) -> None:
    """The file parses, with as many elements as any other."""
    cases = [Case(text, "fail", text, view(text).tables[0])]
    root = ElementTree.fromstring(to_junit("fieldwise gate", cases, view(text)))
    assert [element.tag for element in root.iter()] == ["testsuites", "testsuite", "testcase", "failure", "system-out"]


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_csv_keeps_its_cells_and_runs_nothing(text: str) -> None:
    """As many rows and cells, and none that a spreadsheet takes for a formula."""
    made = csv_text(["a", "b"], [[text, 1.5], ["end", None]])
    rows = list(csv.reader(io.StringIO(made)))
    assert [len(row) for row in rows] == [2, 2, 2]
    assert not rows[1][0].startswith(("=", "+", "-", "@"))
    assert made.count("\n") == 3


class Tags(HTMLParser):
    """The tags of a fragment, and whether any has an attribute."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        assert not attrs


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_a_notebook_gets_text(text: str) -> None:
    """No element and no attribute is added."""
    made = to_html(view(text))
    made.encode()
    assert Tags(made).tags == Tags(to_html(view("harmless"))).tags


@pytest.mark.parametrize("text", [text for text in TEXTS if text], ids=range(len(TEXTS) - 1))
def test_an_evaluation_shows_names_as_text(text: str) -> None:
    """Documents and fields with such names are evaluated, printed and shown in a notebook."""
    found = fieldwise.evaluate_pairs({text: {text: "a", "b": text}}, predicted={text: {text: "b", "b": "x"}})
    out = io.StringIO()
    Console(file=out).print(str(found), markup=False)
    assert len(str(found).splitlines()) == 4
    assert set(Tags(found._repr_html_()).tags) == {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}
