"""The Test Studio as one file: its build, with the answers to its questions inside; no request, nothing else needed."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files

from msgspec import structs

from fieldwise.results import Calibration, PageAnswers, RunDifference, Sweep, UnpairedDifference
from fieldwise.views.calibration import confidence_answers
from fieldwise.views.notes import outside_words, worded
from fieldwise.views.numbers import counted, whole_percent
from fieldwise.views.sentences import run_names, verdict
from fieldwise.views.sweep import sweep_answers

_INLINE = re.compile(r"<(script|style)\b[^>]*>(.*?)</\1>", re.DOTALL)
_LEVEL = 6
"""How hard to compress: the highest level takes three times as long for 3 % less."""
_POLICY = "<!--policy-->"
_TITLE = "<title>fieldwise</title>"
_ANSWERS = '<script id="answers" type="application/json"></script>'


def studio_page(answers: PageAnswers) -> str:
    """Return the page; the same answers give the same text."""
    data = base64.b64encode(gzip.compress(_worded(answers).to_compact_json(), _LEVEL, mtime=0)).decode()
    page = _build().replace(_TITLE, f"<title>{escape(answers.title)}</title>", 1)
    return page.replace(_ANSWERS, _ANSWERS.replace("></", f'>"{data}"</'), 1)


def _worded(answers: PageAnswers) -> PageAnswers:
    """Return the answers with what a reader should know in the words of a page."""
    if answers.difference is not None:
        notes = tuple(worded(note, "page") for note in answers.difference.notes)
        return structs.replace(answers, verdict=verdict(answers.difference), notes=notes)
    if answers.run is None:
        return answers
    metrics = answers.run.metrics
    outside = outside_words(metrics.outside, metrics.outside_not_listed, ignored=metrics.extras == "ignore")
    notes = (*filter(None, [outside]), *(worded(note, "page") for note in metrics.notes))
    return structs.replace(answers, notes=notes)


def difference_page(difference: RunDifference | UnpairedDifference) -> str:
    """Return the page of two runs; without rows behind them, what their sums alone show."""
    title = " → ".join(run_names(difference.base.name, difference.candidate.name))
    facts = _facts_of_runs(difference)
    if isinstance(difference, RunDifference):
        return studio_page(PageAnswers(title, facts, difference=difference))
    return studio_page(PageAnswers(title, facts, unpaired=difference))


def calibration_page(calibration: Calibration, title: str, facts: Mapping[str, str]) -> str:
    """Return the page of a run's confidences."""
    own = {"bins": str(calibration.bins), "target error": whole_percent(calibration.target_error)}
    answers = PageAnswers(f"Confidences of {title}", {**facts, **own}, confidence=confidence_answers(calibration))
    return studio_page(answers)


def sweep_page(sweep: Sweep, facts: Mapping[str, str]) -> str:
    """Return the page of a field at many thresholds."""
    return studio_page(PageAnswers(f"Thresholds of {sweep.field}", dict(facts), sweep=sweep_answers(sweep)))


def _facts_of_runs(difference: RunDifference | UnpairedDifference) -> dict[str, str]:
    facts = {}
    for side, run in (("base", difference.base), ("candidate", difference.candidate)):
        facts[side] = f"{run.name}, {counted(run.document_count, 'document')}"
        facts[f"{side}: spec fingerprint"] = run.spec_fingerprint or "unknown"
        facts[f"{side}: fieldwise"] = run.scorer_version or "unknown"
    return facts


@cache
def _build() -> str:
    """Return the build with a policy under which a browser loads nothing and runs only what is in the file."""
    page = (files("fieldwise.render") / "static" / "studio.html").read_text(encoding="utf-8")
    hashes: dict[str, list[str]] = {"script": [], "style": []}
    for element, content in _INLINE.findall(page):
        hashes[element].append(f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'")
    policy = (
        f"default-src 'none'; script-src {' '.join(hashes['script'])}; style-src {' '.join(hashes['style'])}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return page.replace(_POLICY, f'<meta http-equiv="Content-Security-Policy" content="{policy}">', 1)
