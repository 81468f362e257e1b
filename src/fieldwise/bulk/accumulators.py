"""What a metric over many documents offers, beyond counts: state that is added to, saved and merged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from fieldwise.errors import FieldwiseError, InputError
from fieldwise.values import Json


class PostComparisonAccumulator(ABC):
    """Sees the result of every comparison. Its state is JSON, and merging states adds them, in any order."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The key under which its metrics and its state stand."""

    @abstractmethod
    def reset(self) -> None:
        """Forget everything."""

    @abstractmethod
    def accumulate(self, comparison_result: Mapping[str, Json], prediction_raw: Json) -> None:
        """Add what one result holds; ``prediction_raw`` is the prediction as it came, None where not known."""

    @abstractmethod
    def compute(self) -> dict[str, Any] | None:
        """Return the metrics; None where nothing was seen."""

    @abstractmethod
    def get_state(self) -> dict[str, Json]:
        """Return everything as JSON."""

    @abstractmethod
    def merge_state(self, other_state: Mapping[str, Json]) -> None:
        """Add the state of another."""

    def load_state(self, state: Mapping[str, Json]) -> None:
        """Become what the state says."""
        self.reset()
        self.merge_state(state)


def merge_states(
    accumulators: Sequence[PostComparisonAccumulator], states: Mapping[str, Mapping[str, Json]], *, anew: bool = False
) -> None:
    """Add to each accumulator its state, ``anew``: in place of its own. A broken state changes none of them."""
    before = [accumulator.get_state() for accumulator in accumulators]
    try:
        for accumulator in accumulators:
            (accumulator.load_state if anew else accumulator.merge_state)(states[accumulator.name])
    except Exception as error:
        for accumulator, state in zip(accumulators, before, strict=True):
            accumulator.load_state(state)
        if isinstance(error, FieldwiseError):
            raise
        raise InputError(
            f"Expected the states of accumulators, got one that is broken: {error!r}", code="state.damaged"
        ) from error
