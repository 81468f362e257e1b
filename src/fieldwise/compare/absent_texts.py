"""Texts that stand for no value, or seem to: what the result of a leaf notes of them, and how many there are."""

from __future__ import annotations

from functools import lru_cache

from fieldwise.compare.results import MISSED, SPURIOUS, AbsentText, LeafNote, LeafResult, LoneText, Outcome
from fieldwise.values import PLACEHOLDERS, Json, children, folded_word, is_scalar


def with_texts(result: LeafResult, expected: Json, predicted: Json) -> LeafResult:
    """Return the result of two values, one of them absent, with what is to be noted of texts."""
    if type(expected) is not str and type(predicted) is not str:
        return result
    outcome = result.outcome
    is_word = AbsentText(
        outcome is not MISSED and _is_written(expected), outcome is not SPURIOUS and _is_written(predicted)
    )
    if any(is_word):
        return _noted(outcome, is_word)
    alone = expected if outcome is MISSED else predicted
    if type(alone) is str and outcome in (MISSED, SPURIOUS) and alone in PLACEHOLDERS and _is_written(alone):
        return _noted(outcome, LoneText("expected" if outcome is MISSED else "predicted", folded_word(alone)))
    return result


def _is_written(value: Json) -> bool:
    return type(value) is str and bool(value) and not value.isspace()


@lru_cache(maxsize=1_000)
def _noted(outcome: Outcome, note: LeafNote) -> LeafResult:
    score = float(outcome not in (MISSED, SPURIOUS))
    return LeafResult(outcome, score, score, note)


def absent_texts(value: Json) -> int:
    """Return how many texts there are in a value that is absent as a whole."""
    todo, count = [value], 0
    while todo:
        inner = todo.pop()
        if is_scalar(inner):
            count += _is_written(inner)
        else:
            todo += [child for _, child in children(inner) or ()]
    return count
