"""What a page holds: its answers, taken out of the file as a browser does."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

from fieldwise.results import PageAnswers, PageValue, RunDifference, RunPage

_ANSWERS = re.compile(r'<script id="answers" type="application/json">(.*?)</script>')


def answers_in(page: str) -> PageAnswers:
    """Return the answers inside the text of a page."""
    found = _ANSWERS.search(page)
    assert found is not None
    return PageAnswers.from_json(gzip.decompress(base64.b64decode(json.loads(found[1]))))


def page_of(folder: Path) -> PageAnswers:
    """Return those of the page in a folder of results."""
    return answers_in((folder / "report.html").read_text(encoding="utf-8"))


def run_of(folder: Path) -> RunPage:
    """Return what that page says of its run."""
    run = page_of(folder).run
    assert run is not None
    return run


def difference_in(page: Path) -> RunDifference:
    """Return what the page of two runs says of them."""
    difference = answers_in(page.read_text(encoding="utf-8")).difference
    assert difference is not None
    return difference


def shown(row: PageValue) -> tuple[str | None, ...]:
    """Return where a value is and what both sides have."""
    return row.document, row.path, row.expected, row.predicted
