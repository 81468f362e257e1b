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

from fieldwise.evaluation import earlier_shard, shard
from fieldwise.evaluation.outcome import ShardOutcome
from fieldwise.evaluation.settings import Settings
from fieldwise.evaluation.sums import Sums
from fieldwise.readers.about import Confidences
from fieldwise.readers.pairs import MISSING, Conflicting, Pair, Unreadable
from fieldwise.readers.source import FromText, Nameless, Section, Sections, Seen
from fieldwise.spec import Spec
from tests.strategies import examples

CLASSES = ("Invoice", "receipt", "Other", None)


@dataclass(frozen=True)
class Listed:
    """A shard of documents that are at hand."""

    pairs: Sequence[Pair]
    index: int = 0
    size: int = 0

    def read(self, seen: Seen | None = None) -> Iterator[Pair]:
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
    return rng.choices([made, None, "no JSON", [made], Unreadable("cut off")], [12, 1, 1, 1, 1])[0]


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


def state(outcome: ShardOutcome) -> Any:
    return json.loads(json.dumps(Sums.of(outcome).to_state()))


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("unmatched", ["leaves", "objects"])
@pytest.mark.parametrize("grouped", [False, True])
@hypothesis_settings(deadline=None, max_examples=examples(5))
@given(seed=st.integers(0, 10**6))
def test_the_path_until_now_gives_the_same_bytes(spec: str, unmatched: Any, grouped: bool, seed: int) -> None:
    """States and tables of generated documents: plain, in sections, in trials, by class, slice and cluster."""
    settings = Settings(
        SPECS[spec].well_formed().closed(),
        unmatched,
        slices=("month",) if grouped else (),
        cluster_by="vendor" if grouped else None,
    )
    held = Listed(documents(seed))
    new, old = (module.evaluate_shard(held, settings, keep_rows=True) for module in (shard, earlier_shard))
    assert state(new) == state(old)
    assert new.failures == old.failures
    for (name, table), (_, other) in zip(
        [*new.tables(), ("verdicts", new.verdict_table)], [*old.tables(), ("verdicts", old.verdict_table)], strict=True
    ):
        assert table is not None
        assert table.equals(other), name
