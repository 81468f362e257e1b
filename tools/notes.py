"""Write the page of notes, every code with an example and its words: ``python -m tools.notes``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fieldwise.results.notes import Note, NoteCode
from fieldwise.views.notes import Medium, worded

PAGE = Path(__file__).parents[1] / "docs" / "notes.md"
_MEDIA: dict[Medium, str] = {"command_line": "command line", "python": "Python", "page": "page"}
_BEGINNING = """# Notes for machines

What a reader should know beside the numbers is a note: a `code`, which never changes its meaning, and `facts` as JSON.
They are the `notes` of `metrics.json`, of `diff --json` and `gate --json`, and of a comparison in Python.

fieldwise puts them in words where people read: a terminal names options, Python names arguments, a page says what can
be done on it. `fieldwise.views.notes.worded(note, medium)` returns these words.

This page is written by `python -m tools.notes`. New codes and new facts may be added.
"""
_WORDS = ["n/a", "-"]
EXAMPLES: Mapping[NoteCode, Sequence[Mapping[str, Any]]] = {
    "classes.excluded": [
        {"sections": 3, "documents": 1},
        {"sections": 0, "documents": 1},
        {"sections": 1, "documents": 0},
    ],
    "classes.not_declared": [
        {"count": 1, "classes": ["Invoice"], "inferred": True},
        {"count": 6, "classes": ["a", "b", "c", "d", "e"], "inferred": False},
    ],
    "classes.too_many": [{"limit": 1000}],
    "clusters.missing": [{"documents": 1, "key": "vendor"}, {"documents": 2, "key": "vendor"}],
    "fields.odd_values": [
        {
            "field": "total",
            "kind": "number",
            "count": 1,
            "values": 100,
            "example": "none",
            "is_text": True,
            "as_text": False,
        },
        {"field": "due", "kind": "date", "count": 2, "values": 5, "example": "7", "is_text": False, "as_text": True},
    ],
    "input.beside_documents": [
        {"side": "predicted", "key": "output", "names": ["latency"], "count": 1},
        {"side": "expected", "key": "data", "names": ["a", "b"], "count": 7},
    ],
    "input.few_matched": [{"matched": 4, "expected": 10, "predicted": 1200, "examples": ["d4", "d4.pdf"]}],
    "input.files_not_read": [
        {"count": 1, "example": "notes.txt", "read": [".json"]},
        {"count": 2, "example": "notes.txt", "read": [".json", ".jsonl"]},
    ],
    "input.ids_alike": [
        {"expected": "0012", "predicted": "12", "more": 0, "at_least": False},
        {"expected": "0012", "predicted": "12", "more": 9, "at_least": True},
    ],
    "input.ids_in_two_forms": [{}],
    "input.matched_by_column": [{"column": "file"}],
    "input.matched_by_key": [{"key": "sku"}],
    "input.matched_by_position": [
        {"unit": "lines", "without": ["p.jsonl"]},
        {"unit": "rows", "without": ["e.csv", "p.csv"]},
    ],
    "input.often_under_key": [{"side": "predicted", "key": "output"}],
    "input.read_from_text": [{"fence": 1}, {"fence": 20, "text": 2}],
    "input.sections_not_read": [
        {"count": 1, "example": "a/sections/x.json"},
        {"count": 2, "example": "a/sections/x.json"},
    ],
    "input.short_rows": [{"file": "p.csv", "count": 1, "first": 2}, {"file": "p.csv", "count": 25, "first": 2}],
    "input.under_key": [{"side": "predicted", "key": "model output"}, {"side": "expected", "key": "data.document"}],
    "lists.in_blocks": [
        {
            "lists": [
                {"path": "x", "documents": 3, "first": ["a", "b"]},
                {"path": "y", "documents": 1, "first": ["a"]},
            ],
            "count": 7,
            "max_cells": 5000,
        }
    ],
    "lists.paired_in_blocks": [{"path": "x", "expected": 30, "predicted": 3000, "max_cells": 100}],
    "results.mixed_counts": [{}],
    "results.several_specs": [{"specs": 2, "without": 0}, {"specs": 2, "without": 1}],
    "results.unknown_formats": [{"count": 1, "formats": ["fieldwise.results/9"]}],
    "runs.counted_one_by_one": [{}],
    "runs.different_rules": [{"rules": ["1 field is compared differently: 'total' (threshold 0.8 → 0.9)"]}],
    "runs.different_versions": [{"base": "0.1.0", "candidate": None}],
    "runs.failed": [{"run": "base", "count": 1, "first": ["a"]}],
    "runs.few_differ": [
        {"count": 1, "of": 40, "unit": "documents"},
        {"count": 3, "of": 40, "unit": "documents"},
        {"count": 0, "of": 40, "unit": "clusters"},
    ],
    "runs.not_compared": [{"count": 2, "first": ["a", "b"]}],
    "runs.one_loss_undoes": [{"unit": "documents"}],
    "runs.only_in_one": [{"run": "candidate", "count": 5, "first": ["a", "b", "c"]}],
    "runs.other_expected_values": [{"count": 1, "first": ["a"]}],
    "runs.trials": [{"documents": 40, "base": 40, "candidate": 120}],
    "runs.without_expected": [{"count": 2, "first": ["a", "b"]}],
    "runs.without_prediction": [{"run": "candidate", "count": 1, "first": ["a"]}],
    "sections.confidences_divided": [{"count": 1}, {"count": 2}],
    "sections.confidences_left_out": [{"count": 1}, {"count": 2}],
    "sections.not_paired": [{"wrong_class": 1, "lost": 0, "extra": 0}, {"wrong_class": 0, "lost": 2, "extra": 1}],
    "sections.pages_left_out": [{"count": 1}, {"count": 2}],
    "values.absent_texts": [
        {"expected": 1, "predicted": 12, "words": _WORDS},
        {"expected": 0, "predicted": 1, "words": _WORDS},
    ],
    "values.in_rejected_rows": [{"count": 1}, {"count": 2}],
    "values.more_of_another_shape": [{"fields": 4}],
    "values.not_identical": [
        {"written_differently": 4, "similar": 2, "rows_kept": True},
        {"written_differently": 0, "similar": 1, "rows_kept": False},
    ],
    "values.of_another_shape": [
        {"field": "tags", "expected": "list", "count": 2, "example": "'blue, red'"},
        {"field": "seller", "expected": "object", "count": 1, "example": "7"},
    ],
    "values.perhaps_absent": [
        {
            "texts": [
                {"side": "predicted", "text": "none", "count": 25},
                {"side": "expected", "text": "not found", "count": 3},
            ],
            "words": _WORDS,
        }
    ],
    "values.undeclared": [
        {"count": 4, "paths": ["debug.tokens", "url"], "path_count": 2, "in_other_form": None},
        {"count": 1, "paths": ["url"], "path_count": 1, "in_other_form": "größe"},
    ],
}
"""For each code the facts of one note or two."""


def page_text() -> str:
    """Return the page."""
    return "\n".join([_BEGINNING, *_parts()]).rstrip() + "\n"


def _parts() -> Iterator[str]:
    for code, examples in EXAMPLES.items():
        yield f"## `{code}`\n"
        for facts in examples:
            yield f"```json\n{json.dumps(facts, ensure_ascii=False)}\n```"
            note = Note(code, dict(facts))
            words = {name: worded(note, medium) for medium, name in _MEDIA.items()}
            if len(set(words.values())) == 1:
                yield f"> {words['Python']}\n"
            else:
                yield "".join(f"> - {name}: {text}\n" for name, text in words.items())


def main() -> None:
    """Write it."""
    PAGE.write_text(page_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
