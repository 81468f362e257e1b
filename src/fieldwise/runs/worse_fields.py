"""Which fields are clearly worse: a better total must not hide them, and chance must not name one.

A field is clearly worse where the chance of so large a loss, by swaps of its documents and adjusted by Holm over all
fields that can show one, is below what is left for false alarms; the interval of its difference lies below 0; and the
loss is large enough to matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from fieldwise.results.rates import Metric
from fieldwise.runs.measures import CONFIDENCE, FEWEST
from fieldwise.runs.pairing import Tables, differing, values_of
from fieldwise.stats.multiple import holm
from fieldwise.stats.paired import paired_delta
from fieldwise.stats.permutation import chance_of_loss

LEFT = 0.025
"""The chance of a false alarm among the fields; as much is left for all values together, which makes 5 in 100."""
DOCUMENTS = 20
"""Fields that fewer documents have are not looked at."""
SLIGHT = 0.01
"""A comparison does not name a field that lost no more than this, a point."""


@dataclass(frozen=True)
class FieldLoss:
    """How much the rate of a field fell, negative where it rose, and the lower bound of its loss."""

    path: str
    loss: float
    least: float
    p: float
    """The chance of such a loss without a change, after Holm's adjustment; 1 where the rate did not fall."""

    def is_clear(self, more_than: float, left: float = LEFT) -> bool:
        """Tell whether the field lost more than so much, and not by chance.

        A test that swaps documents calls a tiny change of denominators no chance, so the interval must say so too.
        """
        return self.loss > more_than and self.least > 0 and self.p < left


def field_losses(
    fields: Mapping[str, Tables], metric: Metric, *, confidence: float = CONFIDENCE
) -> dict[str, FieldLoss]:
    """Test each field that at least 20 documents have and 6 differ in; others cannot show anything."""
    return adjusted_losses(field_loss(path, tables, metric, confidence) for path, tables in fields.items())


def adjusted_losses(found: Iterable[FieldLoss | None]) -> dict[str, FieldLoss]:
    """Adjust the chances of fields that were tested alone by Holm, over those that can show a loss."""
    losses = [loss for loss in found if loss is not None]
    adjusted = holm([loss.p for loss in losses])
    return {loss.path: replace(loss, p=p) for loss, p in zip(losses, adjusted, strict=True)}


def _can_show(tables: Tables) -> bool:
    there = int(np.count_nonzero(values_of(tables[0]) + values_of(tables[1])))
    return there >= DOCUMENTS and differing(tables) >= FEWEST


def field_loss(path: str, tables: Tables, metric: Metric, confidence: float = CONFIDENCE) -> FieldLoss | None:
    """Measure and test a field alone, None where it cannot show anything; chances of half or more are 1, as Holm's
    rule does not ask for them.
    """
    if not _can_show(tables):
        return None
    found = paired_delta(*tables, metric, confidence=confidence)
    if found.delta is None or found.high is None:
        return None
    chance = chance_of_loss(*tables, metric) if found.delta < 0 else 1.0
    return FieldLoss(path, -found.delta, -found.high, 1.0 if chance is None else chance)
