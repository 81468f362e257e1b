"""Names that somebody gives for what a run has: outcomes, kinds, documents, slices. What is unknown is refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow.compute as pc

from fieldwise.compare.results import Outcome
from fieldwise.errors import SettingError, nearest, quoted
from fieldwise.results.questions import Slice
from fieldwise.runs.fields import chosen_fields
from fieldwise.runs.run import Run
from fieldwise.tables.documents import SLICE
from fieldwise.tables.stored import Mask
from fieldwise.tables.verdict_columns import OUTCOMES

WRONG: tuple[str, ...] = ("mismatch", "missed", "spurious")
"""The outcomes that the word *wrong* stands for, in the order in which the errors of a field have them."""
COUNTS: Mapping[str, str] = {outcome.word: outcome.value for outcome in Outcome}
"""Where the counts of metrics have each outcome."""
_MAX_NEAREST = 10_000
"""Among more documents than this, no name is looked up that is nearest to one that is unknown."""


def checked_outcomes(names: Iterable[str]) -> list[str]:
    """Return outcomes, of which ``wrong`` stands for all of `WRONG`; one that is not known is refused."""
    outcomes = [name for word in names for name in (WRONG if word == "wrong" else (word,))]
    refuse_unknown(outcomes, OUTCOMES, "outcome")
    return outcomes


def refuse_unknown(names: Iterable[str], known: Sequence[str], what: str) -> None:
    """Refuse a name that is not among the known ones, with the nearest of these."""
    for name in names:
        if name not in known:
            words = known if what != "outcome" else (*known, "wrong")
            hint = nearest(name, words) or f"; known are {', '.join(words)}"
            raise SettingError(f"No {what} is called {quoted(name)}{hint}", facts={"expected": words, "got": name})


def check_ids(run: Run, documents: Sequence[str]) -> None:
    """Refuse an id that no document of a run has."""
    ids = run.documents().ids
    for name in (name for name in documents if pc.index(ids, name).as_py() < 0):
        hint = nearest(name, ids.to_pylist()) if len(ids) <= _MAX_NEAREST else ""
        raise SettingError(
            f"No document of {run.name} has the id {quoted(name)}{hint}",
            code="run.unknown_document",
            facts={"file": run.name, "document": name},
        )


def named_slice(run: Run, text: str) -> Slice:
    """Return the slice that a text names: ``KEY=VALUE``, or ``KEY`` for documents without a value."""
    known = run.metrics.slices or {}
    key = max((name for name in known if text == name or text.startswith(f"{name}=")), key=len, default=None)
    if key is None:
        key = text.partition("=")[0]
    return Slice(key, None if text == key else text[len(key) + 1 :])


def in_slices(run: Run, slices: Sequence[Slice]) -> Mask | None:
    """Tell of each document of a run whether it is in one of the slices; None where none is named."""
    if not slices:
        return None
    known, documents = run.metrics.slices or {}, run.documents()
    is_in = np.zeros(len(documents.ids), bool)
    for key, value in ((slice_.key, slice_.value) for slice_ in slices):
        if key not in known:
            hint = nearest(key, known) or f"; it has {', '.join(known) or 'none'}"
            raise SettingError(f"No slice of {run.name} is called {quoted(key)}{hint}")
        if value is not None and value not in known[key].values:
            hint = nearest(value, known[key].values)
            raise SettingError(f"No document of {run.name} has the {key} {quoted(value)}{hint}")
        is_in |= np.array([text == value for text in documents.texts(f"{SLICE}{key}")], bool)
    return is_in


def named_rows(run: Run, field: str | None, document: str | None) -> dict[str, list[str]]:
    """Return the names that rows of a field, of a document or of both have in their columns; others are refused."""
    names: dict[str, list[str]] = {}
    if field is not None:
        names["field"] = chosen_fields([field], run.metrics.fields, among=run.name)
    if document is not None:
        check_ids(run, [document])
        names["document"] = [document]
    return names
