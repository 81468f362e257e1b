"""scikit-learn computes the same numbers from the same labels."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.classify import ClassReport
from fieldwise.classify.scores import ZeroDivision
from fieldwise.results import Average
from tests.classify.rows import PAIRS

pytest.importorskip("sklearn")
from sklearn import metrics  # type: ignore[import-untyped]  # it has no types

Pairs = list[tuple[Any, Any]]
NUMBERS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), min_size=1, max_size=40)
ANY = st.one_of(PAIRS, NUMBERS)
ZERO: st.SearchStrategy[float | None] = st.sampled_from([0.0, 1.0, None])


def report_of(pairs: Pairs, zero_division: ZeroDivision = "shown") -> ClassReport:
    report = ClassReport(zero_division=zero_division)
    report.update_labels([golden for golden, _ in pairs], (predicted for _, predicted in pairs))
    return report


def sides(pairs: Pairs) -> tuple[list[Any], list[Any]]:
    return [golden for golden, _ in pairs], [predicted for _, predicted in pairs]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """scikit-learn warns of what it does not define."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def as_none(values: Any) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def rates(average: Average) -> list[float | None]:
    return [average.precision, average.recall, average.f1]


def close(ours: list[float | None], theirs: list[float | None]) -> bool:
    return [value is None for value in ours] == [value is None for value in theirs] and all(
        a == pytest.approx(b, abs=1e-12) for a, b in zip(ours, theirs, strict=True) if a is not None
    )


@given(ANY, ZERO)
def test_classes(pairs: Pairs, zero: float | None) -> None:
    """Precision, recall, F1 and support of every class, for every zero_division."""
    found = report_of(pairs, zero).compute()
    theirs = metrics.precision_recall_fscore_support(*sides(pairs), zero_division=np.nan if zero is None else zero)
    assert close([row.precision.value for row in found.classes], as_none(theirs[0]))
    assert close([row.recall.value for row in found.classes], as_none(theirs[1]))
    assert close([row.f1 for row in found.classes], as_none(theirs[2]))
    assert [row.support for row in found.classes] == list(theirs[3])


@given(ANY, ZERO, st.sampled_from(["micro", "macro", "weighted"]))
def test_averages(pairs: Pairs, zero: float | None, name: Literal["micro", "macro", "weighted"]) -> None:
    """Each average, for every zero_division."""
    found = getattr(report_of(pairs, zero).compute(), name)
    theirs = metrics.precision_recall_fscore_support(
        *sides(pairs), average=name, zero_division=np.nan if zero is None else zero
    )
    assert close(rates(found), as_none(theirs[:3]))


@given(ANY, st.sampled_from(["micro", "macro", "weighted"]))
def test_averages_by_default(pairs: Pairs, name: Literal["micro", "macro", "weighted"]) -> None:
    """Without a setting an undefined rate is averaged as 0, as there."""
    found = getattr(report_of(pairs).compute(), name)
    assert close(rates(found), as_none(metrics.precision_recall_fscore_support(*sides(pairs), average=name)[:3]))


@given(ANY)
def test_accuracy_kappa_and_mcc(pairs: Pairs) -> None:
    """One number for all classes; where it is undefined we say so."""
    found = report_of(pairs).compute()
    assert found.accuracy.value == pytest.approx(metrics.accuracy_score(*sides(pairs)))
    kappa = float(metrics.cohen_kappa_score(*sides(pairs)))
    assert (found.kappa is None) if np.isnan(kappa) else found.kappa == pytest.approx(kappa, abs=1e-12)
    assert (found.mcc or 0.0) == pytest.approx(metrics.matthews_corrcoef(*sides(pairs)), abs=1e-12)


@given(ANY, st.sampled_from(["true", "pred", "all"]))
def test_confusion_matrix(pairs: Pairs, by: Literal["true", "pred", "all"]) -> None:
    """Counts and shares."""
    found = report_of(pairs).compute().confusion
    assert np.array_equal(np.array(found.counts), metrics.confusion_matrix(*sides(pairs)))
    assert np.allclose(np.array(found.normalized(by)), metrics.confusion_matrix(*sides(pairs), normalize=by))


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), min_size=1, max_size=60))
def test_text(pairs: Pairs) -> None:
    """The printed table has the same rows and numbers."""
    theirs = metrics.classification_report(*sides(pairs), zero_division=0, digits=4).split("\n")
    ours = [line for line in report_of(pairs, 0.0).to_text(digits=4).split("\n") if "micro" not in line]
    assert [words(line) for line in ours] == [words(line) for line in theirs]
    for one, other in zip(ours[2:], theirs[2:], strict=True):
        assert numbers(one) == pytest.approx(numbers(other), abs=1.01e-4)


def words(line: str) -> list[str]:
    return [word for word in line.split() if not word[0].isdigit()]


def numbers(line: str) -> list[float]:
    return [float(word) for word in line.split() if word[0].isdigit()]


@given(PAIRS, st.data())
def test_missing_labels_are_wrong_and_no_class(pairs: Pairs, data: st.DataObject) -> None:
    """A row without an answer lowers the recall of its class as any wrong label does, and is averaged nowhere."""
    lost = data.draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    report = ClassReport()
    answers = [float("nan") if gone else predicted for (_, predicted), gone in zip(pairs, lost, strict=True)]
    golden = sides(pairs)[0]
    report.update_labels(golden, answers)
    shown = ["(gone)" if gone else predicted for (_, predicted), gone in zip(pairs, lost, strict=True)]
    labels = sorted({*golden, *shown} - {"(gone)"})
    for name in ("micro", "macro", "weighted"):
        theirs = metrics.precision_recall_fscore_support(golden, shown, labels=labels, average=name, zero_division=0)
        ours = getattr(report.compute(), name)
        assert close([value or 0.0 for value in rates(ours)], as_none(theirs[:3]))
    assert close([report.compute().kappa], as_none([metrics.cohen_kappa_score(golden, shown)]))
    assert (report.compute().mcc or 0.0) == pytest.approx(metrics.matthews_corrcoef(golden, shown), abs=1e-12)
