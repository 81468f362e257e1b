"""What a run answers in Python is what the page answers, which is recorded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from fieldwise import open_run
from fieldwise.results import PageValue
from fieldwise.results.questions import (
    DocumentKey,
    DocumentQuestion,
    SectionQuestion,
    ValueQuestion,
)
from fieldwise.runs.answers import answer
from fieldwise.runs.run import Run
from tests.recorded import recorded
from tests.runs.questions import evaluated

Json = Any
RUNS = {run["name"]: run for run in recorded("questions")["runs"]}


@pytest.fixture(scope="module", params=RUNS)
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Json]:
    """A run, made again, and what was recorded of its page."""
    made = RUNS[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    evaluated(made["made"], folder)
    return open_run(folder / "results"), made


def key_of(row: PageValue) -> Json:
    """By what a value is known."""
    place = row.section, row.document_class, row.path, row.predicted_path, row.field, row.outcome
    return [row.document, row.trial, *place]


def listed(run: Run, question: Any, key: Callable[[Any], Json]) -> Json:
    """All pages of a list, from one cursor to the next."""
    pages, page = [], answer(run, question)
    held, total = page.held, page.total
    while True:
        pages.append([key(row) for row in page.rows])
        if page.next is None:
            return {"pages": pages, "held": held, "total": total}
        page = answer(run, msgspec.structs.replace(question, after=page.next))


def answered(run: Run, question: Json) -> Json:
    """What a run answers, as it was recorded."""
    asked = {key: value for key, value in question.items() if key != "ask"}
    match question["ask"]:
        case "values":
            return listed(run, msgspec.convert(asked, ValueQuestion), key_of)
        case "documents":
            return listed(run, msgspec.convert(asked, DocumentQuestion), lambda row: [row.document, row.trial])
        case "sections":
            return listed(
                run,
                msgspec.convert(asked, SectionQuestion),
                lambda row: [row.document, row.section, row.trial, row.error and row.error.kind],
            )
    said = answer(run, msgspec.convert(asked, DocumentKey))
    return {
        "document": [said.document.document, said.document.trial],
        "values": None if said.values is None else [key_of(row) for row in said.values],
        "previous": msgspec.to_builtins(said.previous),
        "next": msgspec.to_builtins(said.next),
    }


def test_a_run_answers_as_its_page(asked: tuple[Run, Json]) -> None:
    """All that the page lists stands on the same pages in the same order; its totals are how many values the run has.

    Where the page has room for some of the values only, the run lists all, as many as the page says that there are;
    where the sums of the page do not tell how many there are, those that it lists are all.
    """
    run, made = asked
    for each in made["asked"]:
        answer, said = answered(run, each["question"]), each["answer"]
        if said.get("total", 0) is None:
            said = {**said, "total": answer["total"]}
            assert not run.has_rows or answer["total"] == answer["held"]
        if made["name"] == "few" and answer != said:
            assert answer["total"] == said["total"]
            assert answer["held"] >= said["held"]
            some = [row for page in said["pages"] for row in page]
            assert [row for page in answer["pages"] for row in page if row in some] == some
        else:
            assert answer == said, each["question"]
