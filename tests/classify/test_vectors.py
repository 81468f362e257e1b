"""Recorded results of the framework that the seed describes: ours agree to 1e-9 but for what is listed here by id."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import pytest

from fieldwise.classify import (
    AggregatorMetricRegistry,
    F1ScoreMetric,
    PassAtKMetric,
    PassPowerKMetric,
    PrecisionMetric,
    RecallMetric,
    UnitMetricRegistry,
    UnitMetricResult,
)
from tests.conformance.agreement import differences, matches
from tests.recorded import recorded

RECORDED = recorded("classification")
CASES: list[dict[str, Any]] = RECORDED["vectors"]
UNIT_CASES: list[dict[str, Any]] = RECORDED["unit_vectors"]
DOORS: dict[str, Any] = {"precision": PrecisionMetric, "recall": RecallMetric, "f1_score": F1ScoreMetric}


class Exemption(NamedTuple):
    """Cases on which we differ, in which keys (none: ours refuses), and why."""

    ids: str
    keys: tuple[str, ...]
    reason: str


EXEMPTIONS = [
    Exemption("0025 0029", ("/average_precision",), "averages go over the labels of both sides"),
    Exemption("0034 0042 0050 0062 0090 0094 0106", ("/average_recall",), "averages go over the labels of both sides"),
    Exemption(
        "0043 0051 0091 0095 0103 0107 0111 0123 0127 0131 0139",
        ("/average_f1_score",),
        "macro F1 is the mean of the classes' F1, not the harmonic mean of macro precision and macro recall",
    ),
    Exemption("0070", ("/average_recall", "/recall_per_class/*"), "null is a missing label, not a class"),
    Exemption("0082", ("/average_recall", "/recall_per_class/*"), "labels don't become text: 1 is not '1'"),
    Exemption("0113 0429 0431 0432", (), "correct is a bool: the text 'false' is refused, not counted as true"),
    Exemption("0168 0287", (), "an unknown parameter is refused"),
    Exemption("0264 0265 0272 0273", (), "k is at least 1"),
    Exemption(
        "0204 0205 0206 0216 0218 0236 0238 0246 0254 0255 0257 0260 0261", ("/pass@*",), "null where k > n, not 0"
    ),
    Exemption("0215 0219 0237 0239 0243", ("/pass^*",), "null where k > n"),
    Exemption(
        "0225 0227 0229 0233 0245 0247 0249 0253 0291",
        ("/pass^*",),
        "pass^k is the unbiased C(c,k)/C(n,k), not the power of a rate",
    ),
    Exemption(
        "0325",
        ("/step_efficiency", "/total_steps", "/never_correct"),
        "steps are told by mission and step, not by both names joined",
    ),
]
EXEMPT = {number: exemption for exemption in EXEMPTIONS for number in exemption.ids.split()}
BOTH_MISSING = "a key that is missing on both sides is a wrong answer"
UNIT_EXEMPTIONS = {
    5: (("/0/correct",), BOTH_MISSING),
    14: (("/0/correct",), BOTH_MISSING),
    27: (("/0/correct", "/0/metadata/is_valid"), BOTH_MISSING),
    33: (("/0/correct",), BOTH_MISSING),
    16: ((), "an unknown parameter is refused"),
    22: ((), "an unknown parameter is refused"),
}


def calculated(case: dict[str, Any]) -> Any:
    """Run a case: one class through the constructor, all classes through ``per_class``."""
    results = [UnitMetricResult(**given) for given in case["results"]]
    if case["generation"] == "head" and case["metric"] in DOORS:
        return DOORS[case["metric"]].per_class(**case["params"]).calculate(results)
    return AggregatorMetricRegistry.get_metric(case["metric"], **case["params"]).calculate(results)


def told(value: Any) -> Any:
    """Return JSON with labels as text, and infinities as both sides can be compared."""
    if isinstance(value, dict):
        return str(value["$float"]) if set(value) == {"$float"} else {str(k): told(v) for k, v in value.items()}
    if isinstance(value, float) and math.isinf(value):
        return str(value)
    return [told(item) for item in value] if isinstance(value, list) else value


def check(theirs: Any, ours: Any, exempt: tuple[str, ...]) -> None:
    found = list(differences(told(theirs), told(ours)))
    assert [d for d in found if not any(matches(key, d.path) for key in exempt)] == []
    assert [key for key in exempt if not any(matches(key, d.path) for d in found)] == [], "exemptions without a need"


def refusal(expect: dict[str, Any]) -> type[Exception]:
    names = {"ValueError": ValueError, "TypeError": TypeError, "KeyError": KeyError, "LookupError": LookupError}
    found = [names[name] for name in (expect["type"], *expect["bases"]) if name in names]
    return found[0]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_the_recorded_result(case: dict[str, Any]) -> None:
    """Every recorded number agrees or is exempt, every recorded refusal is one, and every exemption is needed."""
    exemption = EXEMPT.get(case["id"].split("-")[1])
    if "raises" in case["expect"]:
        assert exemption is None
        with pytest.raises(refusal(case["expect"]["raises"])):
            calculated(case)
    elif exemption and not exemption.keys:
        with pytest.raises((ValueError, TypeError)):
            calculated(case)
    else:
        ours = calculated(case)
        check(case["expect"]["output"], ours, exemption.keys if exemption else ())
        assert ours.keys() == case["expect"]["output"].keys()


def test_only_the_flag_that_is_none_separates_us_from_the_seed() -> None:
    """Of the generation of the seed all agree, except where the contract refuses flags that are no bool."""
    differing = [case["id"] for case in CASES if case["generation"] == "seed" and case["id"].split("-")[1] in EXEMPT]
    assert all(name.endswith("truthy_correct") for name in differing)
    assert len(differing) == 3


def test_every_exemption_names_a_recorded_case() -> None:
    """None is written twice, none is for nothing."""
    known = {case["id"].split("-")[1] for case in CASES}
    named = [number for exemption in EXEMPTIONS for number in exemption.ids.split()]
    assert set(named) <= known
    assert len(named) == len(set(named))


@pytest.mark.parametrize("case", RECORDED["static_calls"], ids=lambda case: f"{case['function']}{case['args']}")
def test_the_static_estimators(case: dict[str, Any]) -> None:
    """The estimators as functions of numbers are as recorded."""
    owner = PassAtKMetric if case["metric"] == "pass@k" else PassPowerKMetric
    estimate = getattr(owner, case["function"])
    if "raises" in case["expect"]:
        with pytest.raises(ValueError) as caught:  # noqa: PT011  # the message is compared below
            estimate(*case["args"])
        assert str(caught.value).startswith(case["expect"]["raises"]["message_head"])
    else:
        assert estimate(*case["args"]) == pytest.approx(case["expect"]["output"], abs=1e-9)


@pytest.mark.parametrize(
    ("number", "case"), list(enumerate(UNIT_CASES)), ids=lambda x: x if isinstance(x, int) else x["metric"]
)
def test_the_recorded_records(number: int, case: dict[str, Any]) -> None:
    """Unit metrics give the recorded records, with all of their metadata."""
    keys, reason = UNIT_EXEMPTIONS.get(number, ((), ""))

    def evaluated() -> list[dict[str, Any]]:
        metric = UnitMetricRegistry.get_metric(case["metric"], **case["params"])
        return [record.to_dict() for record in metric.evaluate(case["golden"], case["predicted"])]

    if "raises" in case["expect"]:
        with pytest.raises(refusal(case["expect"]["raises"])):
            evaluated()
    elif reason and not keys:
        with pytest.raises(TypeError):
            evaluated()
    else:
        check(case["expect"]["output"], evaluated(), keys)
