"""What the state of a tally looks like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fieldwise.bulk.document_sums import check_sums
from fieldwise.bulk.outside import check_outside
from fieldwise.errors import InputError
from fieldwise.states import MOST_UNITS, by_name, listed, named, only, text, whole
from fieldwise.stats.moments import check_moments

STATE_VERSION = 3
"""The shape of a tally's state; sums of another shape are refused."""

_LOOKS_LIKE = named(
    {
        "version": only(STATE_VERSION),
        "sums": check_sums,
        "leaves": by_name(listed(whole(), 5)),
        "scores": by_name(whole(MOST_UNITS)),
        "near": by_name(listed(whole(), 2)),
        "row_rejected": by_name(whole()),
        "nodes": by_name(listed(whole(), 5)),
        "moments": by_name(check_moments),
        "node_moments": by_name(check_moments),
        "total_moments": check_moments,
        "undeclared": listed(text),
        "outside": check_outside,
        "strays": listed(text),
    }
)


def check_tally(state: Mapping[str, Any]) -> None:
    """Refuse a state that no tally can have had: its counts, moments and scores are of the same values."""
    _LOOKS_LIKE(state, "")
    for counts, moments in (("leaves", "moments"), ("nodes", "node_moments")):
        if state[counts].keys() != state[moments].keys():
            raise InputError(
                f"Expected the same paths in {counts} and {moments} of the state, got others",
                code="state.damaged",
                facts={"path": counts},
            )
    for name in ("scores", "near", "row_rejected"):
        _refuse_unknown(state[name], state["leaves"], name)
    for name in ("undeclared", "strays"):
        _refuse_unknown(state[name], state["leaves"], name)


def _refuse_unknown(paths: Any, known: Any, name: str) -> None:
    unknown = next((path for path in paths if path not in known), None)
    if unknown is not None:
        raise InputError(
            f"Expected paths of leaves, got {unknown[:80]!r} - at {name} of the state",
            code="state.damaged",
            facts={"path": name},
        )
