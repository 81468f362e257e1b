"""What an evaluation or a run shows by itself, in a shell and in a notebook."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import fieldwise
from fieldwise.counting.interval_aggregator import IntervalAggregator
from fieldwise.render.text import to_text
from fieldwise.results.core import Shown
from fieldwise.views.evaluation import evaluation_view
from fieldwise.views.notes import worded

HOSTILE = "<img src=x onerror=alert(1)>&\x1b[31m\u202e\n\ud800"


class Tags(HTMLParser):
    """The names of all tags, and all text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        assert not attrs

    def handle_data(self, data: str) -> None:
        self.text += f"{data}\n"


def evaluated(fields: int, **settings: Any) -> fieldwise.Evaluation:
    """Return an evaluation of 30 documents with so many fields, the first of which is wrong in most documents."""
    expected = {f"d{k}": {f"f{n:02}": f"value {k} {n}" for n in range(fields)} for k in range(30)}
    predicted = {
        name: {key: f"other {key}" if key == "f00" and name != "d7" else value for key, value in document.items()}
        for name, document in expected.items()
    }
    del predicted["d9"]
    return fieldwise.evaluate_pairs(expected, predicted=predicted, **settings)


def test_metrics_alone_show_the_same() -> None:
    """`print(found.metrics)` has the lines of `print(found)` under its own name, in a notebook as HTML."""
    found = evaluated(3)
    assert str(found.metrics).splitlines()[0].startswith("Metrics: strict F1 0.")
    assert str(found.metrics).splitlines()[1:] == str(found).splitlines()[1:]
    assert "<table>" in found.metrics._repr_html_()


def test_one_field_shows_its_counts_and_rates() -> None:
    """`print` of a field, and of all values, has the outcomes and the rates with their intervals; a notebook too."""
    metrics = evaluated(3).metrics
    field = metrics.fields["f00"]
    lines = str(field).splitlines()
    assert lines[0] == "1 match · 28 mismatch · 1 missed · 0 spurious · 0 absent on both sides"
    assert lines[1].split() == ["this", "field", "95%", "n"]
    assert lines[2].startswith(f"F1 (strict)       ○ {field.strict_f1:.3f}")
    assert [line.split("  ")[0] for line in lines[3:]] == ["precision", "strict recall", "detection recall"]
    assert str(metrics.aggregate).splitlines()[1].startswith("all values")
    assert "<table>" in metrics.aggregate._repr_html_()
    assert repr(field).startswith("FieldMetrics(tp=1, ")


def test_rows_say_how_they_are_read(tmp_path: Path) -> None:
    """What `verdicts` returns names its columns and the ways to have them."""
    evaluated(3, out=tmp_path / "run")
    shown = repr(fieldwise.open_run(tmp_path / "run").verdicts(columns=["path", "outcome"]))
    assert shown == "Rows that to_pandas() or to_arrow() reads, with the columns path, outcome"


def test_the_headline_comes_first_and_then_the_worst_fields(tmp_path: Path) -> None:
    """With its interval and the number of documents; a run says the same under its own name."""
    found = evaluated(12, out=tmp_path / "run")
    rate = found.metrics.aggregate.rates.strict_f1
    assert rate.value is not None
    assert rate.low is not None
    lines = str(found).splitlines()
    assert lines[0].startswith(f"Evaluation: strict F1 {rate.value:.3f} ({rate.low:.3f}–")
    assert lines[0].endswith("), 30 documents, 360 values")
    assert lines[1].split()[0] == "field"
    assert lines[2].split()[0] == "f00"
    assert lines[2].split()[-4:] == ["1", "28", "1", "0"]
    assert len(lines) == 2 + 10 + 2
    assert lines[-2:] == ["2 better fields not listed", "1 document needs a look, the first: d9"]
    run = fieldwise.open_run(tmp_path / "run")
    assert str(run).splitlines()[1:] == lines[1:]
    assert str(run).startswith(f"{tmp_path / 'run'}"[:59])


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Shown]:
    """What a run answers about itself and another one, whose names and ids are hostile."""
    schema = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "x-aws-stickler-comparator": "LevenshteinComparator"},
            HOSTILE: {"type": "string"},
        },
    }
    spec = fieldwise.Spec.from_json_schema(schema)
    folder = tmp_path_factory.mktemp("asked")

    def made(name: str, wrong: int) -> fieldwise.Evaluation:
        pairs = [
            (
                f"{HOSTILE}{k}",
                {"name": "abcdefgh", HOSTILE: "x"},
                {
                    "name": {"_value": "abcdefg?" if k % 2 else "abcd????", "_confidence": 0.3 + 0.1 * (k % 7)},
                    HOSTILE: HOSTILE if k < wrong else "x",
                },
            )
            for k in range(20)
        ]
        return fieldwise.evaluate_pairs(pairs, spec, out=folder / name)

    base, other = made("base", 2).run, made("other", 12).run
    return {
        "diff": base.diff(other),
        "gate": base.gate(other),
        "calibrate": base.calibrate(),
        "sweep": base.sweep("name"),
    }


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("diff", "▼ The candidate is worse: "),
        ("gate", "✗ fail"),
        ("calibrate", "20 "),
        ("sweep", "name: "),
    ],
)
def test_answers_of_a_run_show_themselves(asked: dict[str, Shown], question: str, first: str) -> None:
    """As the commands do, in lines and as a table of a notebook; also where they were read back from JSON."""
    found = asked[question]
    text = str(found)
    assert text == repr(found) == str(type(found).from_json(found.to_json()))
    assert text.startswith(first)
    assert len(text.splitlines()) > 5
    assert all(line.isprintable() for line in text.split("\n"))
    page = Tags()
    page.feed(found._repr_html_())
    assert page.tags <= {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}
    assert "table" in page.tags


def test_objects_and_lists_are_marked() -> None:
    """Beside their own fields they are told apart, as on the terminal."""
    document = {"patient": {"name": "Anna"}, "results": [{"code": "a", "value": 1}]}
    found = fieldwise.evaluate_pairs([("a", document, document)])
    for shown in (str(found), found._repr_html_()):
        assert "patient  as one object" in shown
        assert "rows of results" in shown
        assert "rows of results." not in shown


def test_notes_are_shown() -> None:
    """What a reader of the numbers should know is there, in both forms."""
    found = fieldwise.evaluate_pairs([("a", {"x": "Müller"}, '```json\n{"x": "Müller"}\n```')])
    [note] = found.metrics.notes
    assert worded(note) in str(found)
    assert worded(note) in found._repr_html_()


def test_nothing_to_divide_by_is_a_dash() -> None:
    """A rate that is undefined is not 0, and no table is shown of fields without values."""
    found = fieldwise.evaluate_pairs([("a", {"x": None}, {"x": None})])
    assert str(found) == "Evaluation: strict F1 –, 1 document, 0 values"
    assert "<table>" not in found._repr_html_()


@pytest.mark.parametrize("name", [HOSTILE, "a" * 500])
def test_hostile_names_stay_text(name: str) -> None:
    """Names of fields, ids and titles are neither markup nor obeyed by a terminal, and long ones are cut."""
    pairs = [(name, {name: "x", "y": 1}, None), ("b", {name: "x", "y": 1}, {name: "other"})]
    found = fieldwise.evaluate_pairs(pairs, title=name)
    page = Tags()
    page.feed(found._repr_html_())
    assert page.tags <= {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}
    assert name[:20] in page.text
    text = str(found)
    assert all(line.isprintable() for line in text.split("\n"))
    assert max(map(len, text.split("\n"))) < 200
    text.encode()
    found._repr_html_().encode()


def test_values_that_are_false_positives_alone_are_counted() -> None:
    """Where a matrix states ``fp`` without its parts, the table has as many values as the metrics."""
    aggregator = IntervalAggregator()
    counts = {"tp": 1, "fp": 2, "fn": 1, "tn": 0}
    matrix = {"aggregate": counts, "overall": counts, "fields": {"a": {"overall": counts}}}
    aggregator.add_document([(matrix, None)], "a")
    metrics = aggregator.metrics()
    assert "1 document, 4 values" in to_text(evaluation_view(metrics))
    assert "1 document, 4 values" in str(metrics)
