"""The class report as JSON, as text, as a data frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fieldwise.errors import MissingExtraError
from fieldwise.values import Json

if TYPE_CHECKING:
    import pandas as pd

    from fieldwise.classify.report import ClassRow, ClassScores
    from fieldwise.classify.scores import Average

_DASH = "–"
_RATES = ("precision", "recall", "f1")


def as_dict(scores: ClassScores, *, golden_key: str | None, predicted_key: str | None) -> dict[str, Json]:
    """Return the scores as JSON."""
    averages = {"micro": scores.micro, "macro": scores.macro, "weighted": scores.weighted}
    return {
        "rows": asdict(scores.rows),
        "keys": {"golden": golden_key, "predicted": predicted_key},
        "judge": scores.judge,
        "missing": scores.missing,
        "confidence": scores.confidence,
        "clusters": scores.clusters,
        "accuracy": scores.accuracy,
        "accuracy_interval": _interval(scores.accuracy_interval),
        "averages": {name: _average(average) for name, average in averages.items()},
        "macro_f1_interval": _interval(scores.macro_f1_interval),
        "kappa": scores.kappa,
        "mcc": scores.mcc,
        "classes": [_class(row) for row in scores.classes],
        "confusion_matrix": {"labels": list(scores.confusion.names), "counts": [*map(list, scores.confusion.counts)]},
    }


def _average(average: Average) -> dict[str, Json]:
    rates: dict[str, Json] = {name: getattr(average, name) for name in _RATES}
    return rates | {"undefined": dict(zip(_RATES, average.undefined, strict=True))}


def _class(row: ClassRow) -> dict[str, Json]:
    members = {name: getattr(row, name) for name in row.__dataclass_fields__}
    for name in ("precision_interval", "recall_interval"):
        members[name] = _interval(members[name])
    return members


def _interval(interval: Any) -> dict[str, Json] | None:
    return None if interval is None else interval._asdict()


def as_frame(scores: ClassScores) -> pd.DataFrame:
    """Return one row per class."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError(
            "Expected pandas for a data frame; pip install 'fieldwise[notebook]'",
            facts={"package": "pandas", "extra": "notebook"},
        ) from error
    rows = [_flat(row) for row in scores.classes]
    return pd.DataFrame(rows, index=pd.Index([row.name for row in scores.classes], name="class"))


def _flat(row: ClassRow) -> dict[str, Json]:
    members = _class(row)
    del members["name"]
    for name in ("precision", "recall"):
        interval = members.pop(f"{name}_interval") or {}
        members[f"{name}_low"], members[f"{name}_high"] = interval.get("low"), interval.get("high")
    return members


def as_text(scores: ClassScores, digits: int) -> str:
    """Return a table: the classes, then accuracy and the averages."""
    lines = list(_lines(scores, digits))
    width = max(len(line[0]) for line in lines if line)
    cells = max(9, digits + 3)
    head = " " * (width + 1) + "".join(f" {name:>{cells}}" for name in ("precision", "recall", "f1-score", "support"))
    body = [f"{name:>{width}} " + "".join(f" {cell:>{cells}}" for cell in row) if name else "" for name, *row in lines]
    return "\n".join([head, "", *body]) + "\n"


def _lines(scores: ClassScores, digits: int) -> Iterator[tuple[str, ...]]:
    def rate(value: float | None) -> str:
        return _DASH if value is None else f"{value:.{digits}f}"

    used = str(scores.rows.used)
    for row in scores.classes:
        yield printable(row.name), rate(row.precision), rate(row.recall), rate(row.f1), str(row.support)
    yield ("",)
    yield "accuracy", "", "", rate(scores.accuracy), used
    averages = {"micro avg": scores.micro, "macro avg": scores.macro, "weighted avg": scores.weighted}
    for name, average in averages.items():
        yield name, rate(average.precision), rate(average.recall), rate(average.f1), used


def printable(text: str) -> str:
    """Return a name as a terminal can show it: on one line, nothing in it a command.

    >>> printable("a\\x1b[31m")
    'a\\\\x1b[31m'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text) or '""'
