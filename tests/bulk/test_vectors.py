"""Recorded results of the peer's ``aggregate_from_comparisons``: ours agree to 1e-9 but for what is listed here."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from fieldwise.bulk import aggregate_from_comparisons
from tests.conformance.agreement import differences, matches
from tests.recorded import recorded

CASES: list[dict[str, Any]] = recorded("bulk")["cases"]


class Exemption(NamedTuple):
    """Keys of one case on which we differ, and why."""

    id: str
    keys: tuple[str, ...]
    reason: str


_ORDER = ("/non_matches/order",)
_BY_DOCUMENT_AND_PATH = "non-matches are sorted by document and path"
EXEMPTIONS = [
    Exemption("cm-null", ("/metrics/fn",), "a document that failed counts nowhere"),
    Exemption("cm-null", ("/errors/0/error", "/errors/0/error_type"), "the record says what was expected"),
    Exemption("invoice-opts-0", _ORDER, _BY_DOCUMENT_AND_PATH),
    Exemption("invoice-opts-2", _ORDER, _BY_DOCUMENT_AND_PATH),
    Exemption("mixed-3", _ORDER, _BY_DOCUMENT_AND_PATH),
    Exemption("rich-confidence", _ORDER, _BY_DOCUMENT_AND_PATH),
    Exemption(
        "rich-confidence",
        ("/confidence_metrics/fields/*[*]*", "/accumulator_metrics/confidence_metrics/fields/*[*]*"),
        "confidences are measured by field, not by list position",
    ),
]


@pytest.mark.parametrize("case", [c for c in CASES if "result" in c], ids=lambda c: c["id"])
def test_the_recorded_result(case: dict[str, Any]) -> None:
    """Every recorded key agrees or is exempt, and every exemption is needed."""
    ours = json.loads(json.dumps(aggregate_from_comparisons(case["comparison_results"]).to_dict()))
    found = list(differences(case["result"], ours))
    exempt = [key for e in EXEMPTIONS if e.id == case["id"] for key in e.keys]
    assert [d for d in found if not any(matches(key, d.path) for key in exempt)] == []
    assert [key for key in exempt if not any(matches(key, d.path) for d in found)] == [], "exemptions without a need"


@pytest.mark.parametrize("case", [c for c in CASES if "error" in c], ids=lambda c: c["id"])
def test_what_the_peer_refuses_is_a_record(case: dict[str, Any]) -> None:
    """A result without a matrix is a record; in strict mode it raises what the peer raises."""
    found = aggregate_from_comparisons(case["comparison_results"])
    assert (found.document_count, len(found.errors)) == (0, 1)
    with pytest.raises(ValueError, match="confusion_matrix"):
        aggregate_from_comparisons(case["comparison_results"], strict=True)


def test_exemptions_name_recorded_cases() -> None:
    """An exemption belongs to a case that has a result."""
    assert {e.id for e in EXEMPTIONS} <= {c["id"] for c in CASES if "result" in c}
