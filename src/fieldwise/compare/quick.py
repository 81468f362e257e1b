"""Short cuts for what comes most often: values that are the same, and results made without their slow constructors.

All code that trades clarity for speed is here and in `fieldwise.compare.views.flat`; what each short cut is worth was
measured (ADR 25).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fieldwise.compare.results import BOTH_ABSENT, MATCH, SAME, LeafResult, ObjectResult, Outcome, Pair, Result
from fieldwise.values import AbsentWords, Json

if TYPE_CHECKING:
    from fieldwise.compare.objects import ObjectPlan

Field = tuple[int, str, type | None, Collection[str], Callable[[Json, Json], Any]]
"""A field of an object: its position and name, the type of which two equal present values are the same, for text the
characters with which an absent one may begin, and what compares any others.
"""

_new: Any = tuple.__new__  # half the time of calling the class
_SIMILARITY, _MEAN_SCORE = map(ObjectResult._fields.index, ("similarity", "mean_score"))


def compared(fields: Sequence[Field], expected: Mapping[str, Json], predicted: Mapping[str, Json]) -> list[Any] | None:
    """Return the results of all fields; None where every value is the same.

    Most values of most documents are: no call for these. The test is written out here and in `differing` alone.
    """
    e_get, p_get = expected.get, predicted.get
    results: list[Any] | None = None
    a: Any
    quick: Any
    for at, name, quick, starts, pair in fields:
        a, b = e_get(name), p_get(name)
        if (
            type(a) is not quick
            or type(b) is not quick
            or a != b
            or (not a or a[0] in starts if starts else a - a != 0.0)
        ):
            result = pair(a, b)
            if result is not SAME:
                if results is None:
                    results = [SAME] * len(fields)
                results[at] = result
    return results


def differing(
    fields: Sequence[Field],
    expected: Mapping[str, Json],
    predicted: Mapping[str, Json],
    places: list[int],
    leaves: list[LeafResult],
) -> bool:
    """Append the results of the leaves that are not the same, and their positions; for counting, without the others.

    Return whether both sides have every field, with a value that is not null.
    """
    e_get, p_get = expected.get, predicted.get
    has_all = True
    a: Any
    quick: Any
    for at, name, quick, starts, pair in fields:
        a, b = e_get(name), p_get(name)
        if (
            type(a) is not quick
            or type(b) is not quick
            or a != b
            or (not a or a[0] in starts if starts else a - a != 0.0)
        ):
            result = pair(a, b) if a is not None or b is not None else BOTH_ABSENT
            if result is not SAME:
                places.append(at)
                leaves.append(result)
            if a is None or b is None:
                has_all = False
    return has_all


def are_present(a: Json, b: Json, words: AbsentWords) -> bool:
    """Return whether two texts, or two numbers of one type, are present."""
    kind = type(a)
    if kind is str:
        if not a or not b:
            return False
        starts = words.starts
        return (a[0] not in starts or a not in words) and (b[0] not in starts or a == b or b not in words)
    return kind is not float or a - a == 0.0 == b - b


def scored_leaf(outcome: Outcome, raw_score: float, score: float) -> LeafResult:
    """Return the result of two values of which there is nothing more to say."""
    return _new(LeafResult, (outcome, raw_score, score, "", -1))  # type: ignore[no-any-return]


def matching_object(
    plan: ObjectPlan, similarity: float, mean: float, children: tuple[Result, ...], expected: Json, predicted: Json
) -> ObjectResult:
    """Return the result of two objects that match; ``mean`` is the mean score of their fields."""
    parts = (MATCH, mean, similarity, plan, similarity, mean, children, expected, predicted, False, "")
    return _new(ObjectResult, parts)  # type: ignore[no-any-return]


def paired_objects(
    matched: Sequence[tuple[int, int, Any]], e_at: Sequence[int], p_at: Sequence[int], accept: float, floor: float
) -> tuple[list[Pair], list[float]]:
    """Return the objects of two lists that were matched as pairs, and their mean scores, 0 below ``floor``.

    ``e_at`` and ``p_at`` are their positions.
    """
    pairs, scores = [], []
    similarity: Any
    for i, j, result in matched:
        similarity, score = result[_SIMILARITY], result[_MEAN_SCORE]
        pairs.append(_new(Pair, (e_at[i], p_at[j], similarity, similarity >= accept, result)))
        scores.append(score if score >= floor else 0.0)
    return pairs, scores
