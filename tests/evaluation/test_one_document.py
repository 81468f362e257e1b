"""One document, however it came: plain, in sections, in trials, with a side missing or unreadable."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fieldwise import evaluate_pairs
from fieldwise.evaluation.document import evaluate_document
from fieldwise.evaluation.run import metrics_of
from fieldwise.evaluation.settings import Settings
from fieldwise.evaluation.shard import evaluate_shard
from fieldwise.evaluation.sums import Sums
from fieldwise.readers.about import Confidences
from fieldwise.readers.pairs import MISSING, Conflicting, Missing, Pair, Unreadable
from fieldwise.readers.source import FromText, Nameless, Section, Sections
from fieldwise.results import GroupMetrics, Metrics
from fieldwise.spec import Spec
from tests.sections import section as section_file
from tests.strategies import examples

CLASSES = ("Invoice", "receipt", "Other", None)


@dataclass(frozen=True)
class Listed:
    """A shard of documents that are at hand."""

    pairs: Sequence[Pair]
    index: int = 0
    size: int = 0

    def read(self) -> Iterator[Pair]:
        return iter(self.pairs)


def values(rng: random.Random) -> dict[str, Any]:
    made: dict[str, Any] = {"total": rng.randrange(9), "name": rng.choice(["Acme", "Bolt", None, "n/a"])}
    if rng.random() < 0.5:
        made["rows"] = [{"sku": f"s{rng.randrange(5)}", "price": k + 0.5} for k in range(rng.randrange(4))]
    if rng.random() < 0.2:
        made["vendor"] = {"city": "Rome"} if rng.random() < 0.8 else "Rome"
    return made


def spoiled(rng: random.Random, document: dict[str, Any]) -> Any:
    made = json.loads(json.dumps(document))
    for key in list(made):
        if rng.random() < 0.25:
            made[key] = rng.choice([None, "wrong", 3, [{"sku": "s1", "price": 9}], [{"sku": "s1"}, 4]])
        elif rng.random() < 0.1:
            del made[key]
    if rng.random() < 0.15:
        made["more"] = rng.choice([1, {"x": 2}])
    if rng.random() < 0.15:
        made["total"] = {"value": made.get("total"), "confidence": rng.choice([0.5, 98, "high"])}
    return rng.choices([made, None, "no JSON", '{"total":', [made], Unreadable("cut off")], [12, 1, 1, 1, 1, 1])[0]


def section(rng: random.Random, name: str, content: Any, document_class: str | None) -> Section:
    pages = (int(name), int(name) + 10) if rng.random() < 0.7 else None
    sure = Confidences({"total": rng.choice([0.3, 70])}, {}) if rng.random() < 0.3 else None
    wrong_pages = int(rng.random() < 0.1 and not isinstance(content, Unreadable))
    return Section(name, content, document_class, pages, True, None, sure, wrong_pages)


def in_sections(rng: random.Random) -> tuple[Any, Any, Sections]:
    expected, predicted = [], []
    for number in range(rng.randrange(1, 4)):
        document_class, truth = rng.choice(CLASSES), values(rng)
        if rng.random() < 0.95:
            content = truth if rng.random() < 0.97 else Unreadable("cut off")
            expected.append(section(rng, str(number), content, document_class))
        if rng.random() < 0.8:
            guessed = document_class if rng.random() < 0.7 else rng.choice(CLASSES)
            predicted.append(section(rng, str(number + (rng.random() < 0.2)), spoiled(rng, truth), guessed))
    firsts = [next((s.content for s in side), MISSING) for side in (expected, predicted)]
    return firsts[0], firsts[1], Sections(tuple(expected), tuple({s.id: s for s in predicted}.values()))


def documents(seed: int, count: int = 40) -> list[Pair]:
    """Return documents of every kind."""
    rng, made = random.Random(seed), []
    for number in range(count):
        trials = rng.choice([2, 3]) if rng.random() < 0.15 else 1
        metadata = {"vendor": rng.choice(["A", "B", None]), "month": rng.choice([1, 2])}
        document_class = rng.choice(CLASSES) if rng.random() < 0.4 else None
        truth: Any = values(rng)
        expected = rng.choices(
            [truth, MISSING, Unreadable("cut off", "max_depth"), Conflicting("they differ"), [truth]], [30, 1, 1, 1, 1]
        )[0]
        divided = trials == 1 and rng.random() < 0.3
        for trial in range(1, trials + 1):
            predicted: Any = spoiled(rng, truth)
            if rng.random() < 0.08:
                predicted = MISSING
            elif expected is truth and document_class != "Other" and rng.random() < 0.08:
                predicted = rng.choice([FromText(predicted, "fence"), json.dumps(truth)])
            elif expected is MISSING:
                predicted = rng.choice([truth, Nameless("line 3 has no id"), Unreadable("cut off")])
            rich = rng.random() < 0.9 or "confidence" in str(predicted)
            alternates = {"name": ["Other"]} if rng.random() < 0.1 else None
            pair = Pair(f"d{number}", expected, predicted, rich, alternates, metadata, trial, trials, document_class)
            if divided:
                one, other, sections = in_sections(rng)
                pair = pair._replace(
                    expected=one, predicted=other, rich=True, alternates=None, document_class=None, sections=sections
                )
            made.append(pair)
    return made


SPECS = {
    "one": Spec.infer([{"total": 1, "name": "Acme", "rows": [{"sku": "s", "price": 1.5}], "vendor": {"city": "R"}}]),
    "classes": Spec.of_classes(
        {"Invoice": Spec.infer([{"total": 1, "name": "Acme"}]), "Receipt": Spec.infer([{"total": 1, "rows": [1]}])},
        {"Other": "it is left out"},
    ),
}


def state(pairs: Sequence[Pair], settings: Settings) -> dict[str, Any]:
    return Sums.of(evaluate_shard(Listed(pairs), settings, keep_rows=True)).to_state()


def settings_of(spec: str, unmatched: Any = "leaves", *, grouped: bool = False) -> Settings:
    keys: dict[str, Any] = {"slices": ("month",), "cluster_by": "vendor"} if grouped else {}
    return Settings(SPECS[spec].well_formed().closed(), unmatched, **keys)


def divided(pair: Pair) -> Pair:
    """Return a plain document as one that has one section."""
    expected = Section("1", pair.expected, pair.document_class, None, pair.rich, pair.alternates)
    predicted = () if pair.predicted is MISSING else (Section("1", pair.predicted, pair.document_class),)
    return pair._replace(rich=True, sections=Sections((expected,), predicted))


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("unmatched", ["leaves", "objects"])
@pytest.mark.parametrize("grouped", [False, True])
@hypothesis_settings(deadline=None, max_examples=examples(3))
@given(seed=st.integers(0, 10**6))
def test_a_plain_document_is_one_with_one_section(spec: str, unmatched: Any, grouped: bool, seed: int) -> None:
    """The same counts, statuses, failures and trials, by class, slice and cluster; sections are counted beside."""
    settings = settings_of(spec, unmatched, grouped=grouped)
    plain = [pair for pair in documents(seed) if pair.sections is None and not isinstance(pair.expected, Missing)]
    found, expected = state([*map(divided, plain)], settings), state(plain, settings)
    for part in ("cells", "kinds", "in_blocks", "texts"):
        assert found[part] == expected[part], part
    assert [failure[:2] for failure in found["errors"]] == [failure[:2] for failure in expected["errors"]]


@pytest.mark.parametrize("unmatched", ["leaves", "objects"])
@hypothesis_settings(deadline=None, max_examples=examples(3))
@given(seed=st.integers(0, 10**6))
def test_classes_of_sections_add_up_to_the_whole(unmatched: Any, seed: int) -> None:
    """Every value is in one class, that of its section; also where the two sides of a document are of two classes."""
    pairs = [pair for pair in documents(seed) if None not in classes_of(pair)]
    held = settings_of("one", unmatched)
    sums = Sums.of(evaluate_shard(Listed(pairs), held, keep_rows=False))
    metrics = metrics_of(sums, held, ())
    groups = [counts(group) for group in (metrics.classes or {}).values()]
    assert counts(metrics) == tuple(sum(column) for column in zip(*groups, strict=True))


def counts(group: Metrics | GroupMetrics) -> tuple[int, ...]:
    row = group.aggregate
    return (0, 0, 0, 0) if row is None else (row.tp, row.fd, row.fa, row.fn)


def classes_of(pair: Pair) -> set[str | None]:
    if pair.sections is None:
        return {pair.document_class}
    return {section.document_class for side in pair.sections for section in side}


@pytest.mark.parametrize("trials", [1, 2])
def test_a_value_of_an_envelope_of_another_class_counts_once(trials: int) -> None:
    """What was expected of one class and predicted of another counts in each of the two, and once in all."""
    pair = {"id": "a", "expected": section_file("A", {"t": 1}), "predicted": section_file("B", {"t": 1})}
    metrics = evaluate_pairs([pair] * trials).metrics
    classes = {name: counts(group) for name, group in (metrics.classes or {}).items()}
    assert classes == {"A": (0, 0, 0, trials), "B": (0, 0, trials, 0)}
    assert counts(metrics) == (0, 0, trials, trials)


def test_every_document_has_its_cells_to_itself() -> None:
    """However many documents with long lists there are: no list is paired in blocks that fits alone."""
    rng = random.Random(3)
    truth = {"v": 1, "rows": [{"sku": f"S{rng.randrange(20)}", "n": rng.randrange(99)} for _ in range(150)]}
    predicted = {"v": 1, "rows": [{**row, "n": rng.randrange(99)} for row in truth["rows"]]}  # type: ignore[attr-defined]
    pairs = [(f"d{number}", truth, predicted) for number in range(4)]
    for cells, met in ((150 * 150, {}), (75 * 75, {"max_cells": 4})):
        limits = evaluate_pairs(pairs, max_cells=cells).metrics.limits
        assert limits is not None
        assert limits.met == met


UNREAD = Unreadable("cut off")
TRUTH = {"total": 1, "name": "Acme"}


@pytest.mark.parametrize(
    ("pair", "status", "reason"),
    [
        pytest.param(
            Pair("a", UNREAD, TRUTH, False, document_class="Other"), "excluded_class", "it is left out", id="a"
        ),
        pytest.param(Pair("a", MISSING, Nameless("no id"), False), "failed", "no id; it belongs", id="b"),
        pytest.param(Pair("a", MISSING, TRUTH, False, document_class="Other"), "no_expected", "a prediction", id="c"),
        pytest.param(Pair("a", Conflicting("they differ"), MISSING, False), "failed", "they differ", id="d"),
        pytest.param(Pair("a", UNREAD, MISSING, False), "unreadable_expected", "cut off", id="e"),
        pytest.param(Pair("a", TRUTH, MISSING, False), "no_prediction", "no prediction; every", id="f"),
        pytest.param(Pair("a", TRUTH, UNREAD, False), "unreadable_prediction", "cut off", id="g"),
        pytest.param(Pair("a", TRUTH, '{"total": ', False), "unreadable_prediction", "", id="j"),
        pytest.param(Pair("a", TRUTH, [1], False), "wrong_prediction", "the prediction is a list", id="h"),
        pytest.param(Pair("a", TRUTH, FromText(TRUTH, "fence"), False), "scored", "the prediction was read", id="i"),
    ],
)
@pytest.mark.parametrize("in_section", [False, True])
def test_what_becomes_of_a_document_is_asked_in_one_order(
    pair: Pair, status: str, reason: str, in_section: bool
) -> None:
    """A document in sections is asked what a plain one is; its reason names the section."""
    given = divided(pair) if in_section and pair.expected is not MISSING else pair
    found = evaluate_document(given, settings_of("classes"))
    assert found.status == status
    assert reason in found.reason
    assert bool(found.compared) == (status not in ("excluded_class", "failed", "no_expected", "unreadable_expected"))


def test_a_document_whose_scored_section_is_nothing_is_excluded() -> None:
    """An extra section that nobody can read is nothing; where all others are of excluded classes, none is left."""
    sections = Sections((Section("1", TRUTH, "Other"),), (Section("2", UNREAD, "Invoice", (9,)),))
    found = evaluate_document(Pair("a", TRUTH, UNREAD, True, sections=sections), settings_of("classes"))
    assert (found.status, found.compared) == ("excluded_class", ())
