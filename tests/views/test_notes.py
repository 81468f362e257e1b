"""Notes are codes with facts; the page of notes has every code with its words for each medium."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from tools.notes import EXAMPLES, PAGE, page_text

from fieldwise.compare.results import Outcome
from fieldwise.results.notes import Note, NoteCode
from fieldwise.views.notes import worded
from fieldwise.views.words import WORDS
from tests.cli.test_advice import options


def test_the_page_of_notes_has_every_code_with_its_words() -> None:
    """``python -m tools.notes`` writes it; a sentence is pinned there and nowhere else."""
    assert list(EXAMPLES) == list(get_args(NoteCode))
    assert PAGE.read_text(encoding="utf-8") == page_text()


@pytest.mark.parametrize("code", EXAMPLES)
def test_a_note_is_read_back_as_it_was(code: NoteCode) -> None:
    """Facts are JSON."""
    for facts in EXAMPLES[code]:
        note = Note(code, dict(facts))
        assert Note.from_json(note.to_json()) == note


def test_notes_name_options_that_there_are() -> None:
    """A terminal and a page name options, Python names none; a value that an option takes can be copied."""
    notes = [Note(code, dict(facts)) for code, examples in EXAMPLES.items() for facts in examples]
    named = {
        medium: {option for note in notes for option in re.findall(r"--[a-z][a-z-]*", worded(note, medium))}
        for medium in ("command_line", "page", "python")
    }
    assert len(named["command_line"]) > 5
    assert named["command_line"] | named["page"] <= options()
    assert named["python"] == set()
    it = Note.of("input.under_key", side="predicted", key="it's")
    assert "--predicted-at 'it'\"'\"'s' compares" in worded(it, "command_line")


def test_outcomes_have_the_keys_of_counts() -> None:
    """The words that every medium shares name the same count for an outcome as results do."""
    assert {name: look.count for name, look in WORDS.outcomes.items()} == {each.word: each.value for each in Outcome}
