"""Which fields are clearly worse: a better total must not hide them, and chance must not name one.

A field is clearly worse where the chance of so large a loss, by swaps of its documents and adjusted by Holm over all
fields that can show one, is below what is left for false alarms, and the loss is large enough to matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from fieldwise.runs.measures import FEWEST
from fieldwise.runs.outcomes import Counts
from fieldwise.stats.count_tables import parts_of, rate_of
from fieldwise.stats.moments import Metric
from fieldwise.stats.multiple import holm
from fieldwise.stats.permutation import chance_of_loss

Tables: TypeAlias = tuple[Counts, Counts]
LEFT = 0.025
"""The chance of a false alarm among the fields; as much is left for all values together, which makes 5 in 100."""
DOCUMENTS = 20
"""Fields that fewer documents have are not looked at."""
SLIGHT = 0.01
"""A comparison does not name a field that lost no more than this, a point."""


@dataclass(frozen=True)
class FieldLoss:
    """How much the rate of a field fell; negative where it rose."""

    path: str
    loss: float
    p: float
    """The chance of such a loss without a change, after Holm's adjustment; 1 where the rate did not fall."""

    def is_clear(self, more_than: float, left: float = LEFT) -> bool:
        """Tell whether the field lost more than so much, and not by chance."""
        return self.loss > more_than and self.p < left


def field_losses(fields: Mapping[str, Tables], metric: Metric) -> dict[str, FieldLoss]:
    """Test each field that at least 20 documents have and 6 differ in; others cannot show anything."""
    tested = {path: tables for path, tables in fields.items() if _can_show(tables)}
    losses = {path: loss for path, tables in tested.items() if (loss := _loss(tables, metric)) is not None}
    chances = [_chance(tested[path], metric) if loss > 0 else 1.0 for path, loss in losses.items()]
    adjusted = holm(chances)
    return {path: FieldLoss(path, loss, p) for (path, loss), p in zip(losses.items(), adjusted, strict=True)}


def _can_show(tables: Tables) -> bool:
    there = int((tables[0].any(axis=1) | tables[1].any(axis=1)).sum())
    return there >= DOCUMENTS and int((tables[0] != tables[1]).any(axis=1).sum()) >= FEWEST


def _loss(tables: Tables, metric: Metric) -> float | None:
    tops, bottoms = parts_of(*tables, metric)
    base, candidate = (rate_of(tops[run], bottoms[run]) for run in (0, 1))
    return None if base is None or candidate is None else base - candidate


def _chance(tables: Tables, metric: Metric) -> float:
    """Return the chance of a loss; documents in which the field is the same change nothing when swapped."""
    chance = chance_of_loss(*tables, metric)
    return 1.0 if chance is None else chance
