"""What can become of a document, and what follows: one table, which the web page reads too."""

from __future__ import annotations

from importlib.resources import files
from typing import Final, Literal, TypeAlias

import msgspec

from fieldwise.results.core import Result

SCORED: Final = "scored"
NO_PREDICTION: Final = "no_prediction"
UNREADABLE_PREDICTION: Final = "unreadable_prediction"
WRONG_PREDICTION: Final = "wrong_prediction"
COMPARATOR_RAISED: Final = "comparator_raised"
FAILED: Final = "failed"
NO_EXPECTED: Final = "no_expected"
UNREADABLE_EXPECTED: Final = "unreadable_expected"
EXCLUDED_CLASS: Final = "excluded_class"

Fate: TypeAlias = Literal["counted", "failed", "left_out"]
"""Its values count, as missed where the prediction is missing or unusable and as a mismatch where a comparator raised;
it could not be compared; or nobody wanted it to be scored."""


class Status(Result, frozen=True):
    """What a status means for the numbers, and whether people should look at such a document."""

    fate: Fate
    needs_look: bool


STATUSES: Final = msgspec.json.decode(
    (files("fieldwise.results") / "statuses.json").read_bytes(), type=dict[str, Status]
)
"""All statuses, the best first."""


def statuses_of(fate: Fate) -> tuple[str, ...]:
    """Return the statuses of documents with one fate."""
    return tuple(name for name, status in STATUSES.items() if status.fate == fate)


COUNTED: Final = statuses_of("counted")
LEFT_OUT: Final = statuses_of("left_out")
