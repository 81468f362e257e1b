"""What class scores show beside the table of classes: accuracy with its interval, rows left out, confusions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fieldwise.results import Classification, ClassScores
from fieldwise.views.numbers import counted, percent, rate, whole_percent
from fieldwise.views.parts import Cell, Part, Row, Sentence, Table, View
from fieldwise.views.words import columns

_MAX_LISTED = 10


class Confused(NamedTuple):
    """Two labels that were taken for each other, and how often; the share is of the rows expected as the first."""

    expected: str
    predicted: str
    number: int
    share: float


def confusions(scores: ClassScores) -> list[Confused]:
    """Return the pairs of different labels, the most frequent first."""
    matrix = scores.confusion
    shares = matrix.normalized("true")
    found = [
        Confused(matrix.labels[i], matrix.labels[k], number, shares[i][k])
        for i, row in enumerate(matrix.counts)
        for k, number in enumerate(row)
        if number and (i != k or not matrix.is_class(i))
    ]
    return sorted(found, key=lambda pair: (-pair.number, pair.expected, pair.predicted))


def classes_view(scores: ClassScores) -> View:
    """Return what is said of class scores as a whole."""
    found = confusions(scores)[:_MAX_LISTED]
    parts: list[Part] = [*_sentences(scores)]
    if found:
        rows = tuple(Row((Cell(pair[0]), Cell(pair[1]), Cell(pair[2]), Cell(pair[3]))) for pair in found)
        parts.append(Table(columns("confusions"), rows, "Most frequent confusions"))
    return View(tuple(parts))


def _sentences(scores: ClassScores) -> Iterator[Sentence]:
    accuracy, rows = scores.accuracy, scores.rows
    around = ""
    if accuracy.interval is not None:
        around = f" ({percent(scores.confidence)} interval {rate(accuracy.low)} to {rate(accuracy.high)})"
    yield Sentence(
        f"accuracy {rate(accuracy.value)}{around}   Cohen's kappa {rate(scores.kappa)}   MCC {rate(scores.mcc)}"
    )
    yield Sentence(f"labels: golden {scores.keys.golden!r}, predicted {scores.keys.predicted!r}")
    if rows.missing and not rows.skipped:
        yield Sentence(f"{counted(sum(rows.missing.values()), 'row')} without a label, counted as wrong")
    for reason, number in rows.skipped.items():
        yield Sentence(f"{counted(number, 'row')} left out: {reason}")
    if rows.disagree:
        yield Sentence(f"{counted(rows.disagree, 'row')} where the flag `correct` and the labels disagree")


def class_notes(classification: Classification, *, counts_as_zero: bool) -> Iterator[str]:
    """Say in sentences what a reader of the numbers should know.

    ``counts_as_zero``: averages take an undefined rate as 0.
    """
    scores = classification.report
    if scores is None:
        return
    rows = scores.rows
    missing = sum(rows.missing.values())
    if missing and not rows.skipped:
        yield f"{counted(missing, 'row')} without a label on one side or both: counted as wrong."
    for reason, number in rows.skipped.items():
        yield f"{counted(number, 'row')} left out: {reason}."
    if rows.disagree:
        judge = "the labels decide here" if scores.judge == "labels" else "the flag decides here"
        yield f"In {counted(rows.disagree, 'row')} the flag correct and the labels disagree; {judge}."
    yield _interval_note(scores)
    if any(row.f1 is None or row.precision.value is None or row.recall.value is None for row in scores.classes):
        zero = " and counts as 0 in averages" if counts_as_zero else ""
        yield f"A rate without anything to divide by is a dash{zero}."


def _interval_note(scores: ClassScores) -> str:
    level = f"Intervals are {whole_percent(scores.confidence)} intervals"
    if scores.clusters:
        return f"{level}: of accuracy and macro F1 by leaving clusters out, of a class over the clusters that have it."
    return (
        f"{level}, which take rows as independent: Wilson's of classes, of accuracy and macro F1 by leaving rows out."
    )


def class_facts(classification: Classification) -> dict[str, str]:
    """Return by what the numbers of classes can be traced."""
    about, scores = classification.about, classification.report
    facts = {"golden key": about.golden_key or "", "predicted key": about.predicted_key or ""}
    if scores is None:
        return facts
    return facts | {
        "right is": "equal labels" if scores.judge == "labels" else "the flag correct",
        "missing labels": {"class": "wrong answers", "skip": "left out"}.get(scores.missing, "refused"),
    }
