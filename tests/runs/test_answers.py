"""What a run answers in Python is what the page answers, which is recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from fieldwise import open_run
from fieldwise.errors import SettingError
from fieldwise.results import PageValue
from fieldwise.results.questions import (
    DocumentKey,
    DocumentQuestion,
    SectionQuestion,
    Slice,
    ValueQuestion,
)
from fieldwise.runs.answers import answer
from fieldwise.runs.folder_run import FolderRun
from fieldwise.runs.run import Run
from tests.recorded import recorded
from tests.runs.questions import evaluated
from tests.runs.results import command, write_run

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
            assert not run.has_values or answer["total"] == answer["held"]
        if made["name"] == "few" and answer != said:
            assert answer["total"] == said["total"]
            assert answer["held"] >= said["held"]
            some = [row for page in said["pages"] for row in page]
            assert [row for page in answer["pages"] for row in page if row in some] == some
        else:
            assert answer == said, each["question"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose names are wrong in twenty documents of forty, and whose codes in two."""
    sides = {f"d{k}": {"name": f"name {k}", "code": "a", "total": k} for k in range(40)}
    wrong = {k: {"name": "other"} if k < 20 else {"code": "b"} if k < 22 else {} for k in range(40)}
    pairs = {f"d{k}": (sides[f"d{k}"], sides[f"d{k}"] | wrong[k]) for k in range(40)}
    return write_run(tmp_path_factory.mktemp("asked"), pairs)


def test_a_page_of_errors_reads_its_own_rows_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No compared value that is right is read to list or to count wrong ones, and no field that is not on the page."""
    read: list[tuple[str, Any, int]] = []
    errors = FolderRun.errors

    def spied(run: FolderRun, field: str, **how: Any) -> Any:
        read.append((field, how.get("first"), how.get("after", 0)))
        return errors(run, field, **how)

    monkeypatch.setattr(FolderRun, "errors", spied)
    monkeypatch.setattr(FolderRun, "verdicts", None)
    page = answer(open_run(folder), ValueQuestion(first=5))
    assert (len(page.rows), page.held, page.total, read) == (5, 22, 22, [("name", 5, 0)])
    del read[:]
    answer(open_run(folder), ValueQuestion(first=5, after=page.next))
    assert read == [("name", 5, 5)]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (ValueQuestion(fields=("nam",)), "did you mean 'name'"),
        (ValueQuestion(outcomes=("mised",)), "did you mean 'missed'"),
        (ValueQuestion(kinds=("similar",)), "No kind is called 'similar'"),
        (ValueQuestion(set="accepted", kinds=("simlar",)), "did you mean 'similar'"),
        (ValueQuestion(documents=("d1x",)), "did you mean 'd1"),
        (ValueQuestion(slices=(Slice("vendor", None),)), "No slice of .* is called 'vendor'"),
        (ValueQuestion(set="all", order="path"), "listed by document"),
        (ValueQuestion(after="elsewhere"), "no such place"),
        (ValueQuestion(set="all", after="-1"), "no such place"),
        (DocumentQuestion(after="400"), "no such place"),
        (DocumentKey("d1", 2), "d1 has no trial 2"),
    ],
)
def test_what_a_run_does_not_have_is_refused(folder: Path, question: Any, said: str) -> None:
    """A name is refused with the nearest one, and a cursor that no page gave too."""
    with pytest.raises(SettingError, match=said):
        answer(open_run(folder), question)


@pytest.mark.parametrize("options", [["--outcome", "wrong"], ["--outcome", "wrong", "--order", "worst"], []])
def test_show_goes_on_where_a_table_ended(folder: Path, options: list[str]) -> None:
    """The last line of a table names the place from which ``--after`` lists the rest, in any order."""
    whole = json.loads(command("show", folder, "--json", *options).stdout)
    place = command("show", folder, "--limit", "7", *options).stdout.split(" more from ")[1].split(" ")[0]
    assert json.loads(command("show", folder, "--json", "--after", place, *options).stdout) == whole[7:]
