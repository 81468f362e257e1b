"""Terminal, Markdown, plain text and notebook show the same numbers of the same run as its JSON."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from html import unescape
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import fieldwise
from fieldwise.render.markdown import to_markdown
from fieldwise.render.notebook import to_html
from fieldwise.render.terminal import draw
from fieldwise.render.text import to_text
from fieldwise.views.evaluation import evaluation_view
from tests.strategies import examples

RATIOS = ("strict_f1", "precision", "strict_recall", "recall")
COUNTS = ("values", "fd", "fa", "fn")
_RATE = re.compile(r"[01]\.\d{3}")
_NOTHING = "–"

documents = st.lists(
    st.fixed_dictionaries({f"field_{k}": st.sampled_from(["right", "wrong", "missed", "spurious"]) for k in range(3)}),
    min_size=1,
    max_size=40,
)


def evaluated(outcomes: list[dict[str, str]]) -> fieldwise.Evaluation:
    """Evaluate documents whose fields come out as told."""
    expected = {
        f"d{k}": {name: f"v{k}" for name, o in one.items() if o != "spurious"} for k, one in enumerate(outcomes)
    }
    predicted = {
        f"d{k}": {name: f"v{k}" if o == "right" else "another" for name, o in one.items() if o != "missed"}
        for k, one in enumerate(outcomes)
    }
    schema = {"type": "object", "properties": {f"field_{k}": {"type": "string"} for k in range(3)}}
    return fieldwise.evaluate_pairs(expected, fieldwise.Spec.from_json_schema(schema), predicted=predicted)


@settings(deadline=None, max_examples=examples(40))
@given(documents)
def test_every_medium_shows_the_numbers_of_the_json(outcomes: list[dict[str, str]]) -> None:
    """Of each field the four rates with their intervals and the counts, parsed back, are those of the JSON."""
    found = evaluated(outcomes)
    view = evaluation_view(found.metrics)
    told: dict[str, Any] = json.loads(found.metrics.to_json())["fields"]
    seen = {name: row for name, row in told.items() if row["tp"] + row["fp"] + row["fn"]}
    media = {
        "terminal": dict(_terminal(view)),
        "text": dict(_lines(to_text(view))),
        "markdown": dict(_markdown(to_markdown(view))),
        "notebook": dict(_cells(to_html(view))),
    }
    for medium, shown in media.items():
        assert set(shown) == set(seen), medium
        for name, row in seen.items():
            _compare(shown[name], row)


def _compare(shown: tuple[list[str], list[int]], row: dict[str, Any]) -> None:
    numbers, counts = shown
    rates = [row["rates"][ratio] for ratio in RATIOS]
    expected = [rate[key] for rate in rates for key in ("value", "low", "high") if rate[key] is not None]
    assert len(numbers) == len(expected)
    for text, value in zip(numbers, expected, strict=True):
        is_inside = 0 < value < 1
        assert abs(float(text) - value) <= (0.001 if is_inside else 0)
        assert (0 < float(text) < 1) == is_inside
    assert counts == [row["tp"] + row["fp"] + row["fn"], row["fd"], row["fa"], row["fn"]]


def _terminal(view: Any) -> Iterator[tuple[str, tuple[list[str], list[int]]]]:
    out = io.StringIO()
    draw(Console(file=out, width=180, highlight=False), view)
    yield from _lines(out.getvalue())


def _lines(text: str) -> Iterator[tuple[str, tuple[list[str], list[int]]]]:
    for line in text.splitlines():
        if line.strip().startswith("field_"):
            name, *rest = line.split()
            whole = [word for word in rest if re.fullmatch(r"\d+", word)]
            yield name, (_RATE.findall(line), [int(word) for word in whole[1:5]])


def _markdown(text: str) -> Iterator[tuple[str, tuple[list[str], list[int]]]]:
    for line in text.splitlines():
        if "<code>field&#95;" in line:
            cells = [unescape(re.sub("<[^>]*>", "", cell)).strip() for cell in line.strip("|").split(" | ")]
            yield cells[0], (_RATE.findall(" ".join(cells)), [int(cell) for cell in cells[6:10]])


def _cells(html: str) -> Iterator[tuple[str, tuple[list[str], list[int]]]]:
    for row in re.findall(r"<tr>(.*?)</tr>", html):
        cells = [unescape(cell) for cell in re.findall(r"<td>(.*?)</td>", row)]
        if cells and cells[0].startswith("field_"):
            yield cells[0], (_RATE.findall(" ".join(cells)), [int(cell) for cell in cells[6:10]])
