"""Results printed as tables, under the names of stickler's printing functions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from rich.console import Console

from fieldwise.bulk import ProcessEvaluation, aggregate_from_comparisons
from fieldwise.errors import SettingError
from fieldwise.render.notebook import to_html
from fieldwise.render.terminal import draw, make_console
from fieldwise.values import Json
from fieldwise.views.numbers import counted
from fieldwise.views.parts import Cell, Row, Sentence, Table, View, marked
from fieldwise.views.words import columns

_SORTED_BY = {"name": "", "precision": "cm_precision", "recall": "cm_recall", "f1": "cm_f1"}
_COUNTS = ("tp", "fp", "fd", "fa", "fn", "tn")
_RATES = ("strict_f1", "cm_f1", "cm_precision", "cm_recall", "mean_score")


def print_confusion_matrix(
    results: Json,
    field_filter: str | None = None,
    sort_by: Literal["name", "precision", "recall", "f1"] = "name",
    show_details: bool = True,
    use_color: bool = True,
    output_file: str | None = None,
    nested_detail: str = "standard",
) -> None:
    """Print the counts and rates of all values and of each field."""
    view = _matrix(results, field_filter, sort_by, show_details=show_details)
    _print(view, use_color=use_color, output_file=output_file)


def print_non_matches(
    results: Json,
    group_by: str = "type",
    field_filter: str | None = None,
    show_summary: bool = True,
    use_color: bool = True,
    max_items: int | None = None,
    output_file: str | None = None,
) -> None:
    """Print the values that do not match."""
    view = _non_matches(results, field_filter, show_summary=show_summary, max_items=max_items)
    _print(view, use_color=use_color, output_file=output_file)


def print_evaluation_results(
    results: Json,
    show_confusion_matrix: bool = True,
    show_non_matches: bool = True,
    show_aggregates: bool = True,
    use_color: bool = True,
    output_file: str | None = None,
) -> None:
    """Print the matrix, and the values that do not match."""
    shown = [_matrix(results, None, "name", show_details=True)] if show_confusion_matrix else []
    shown += [_non_matches(results, None, show_summary=True, max_items=None)] if show_non_matches else []
    parts = tuple(part for view in shown for part in view.parts)
    _print(View(parts), use_color=use_color, output_file=output_file)


def print_confusion_matrix_html(results: Json, field_filter: str | None = None, nested_detail: str = "standard") -> str:
    """Return the matrix as HTML."""
    return str(to_html(_matrix(results, field_filter, "name", show_details=True)))


def _matrix(results: Json, field_filter: str | None, sort_by: str, *, show_details: bool) -> View:
    if sort_by not in _SORTED_BY:
        raise SettingError(f"Expected one of {', '.join(_SORTED_BY)} for `sort_by`, got {sort_by!r}")
    evaluation = _evaluation(results)
    rows = {"all values": evaluation.metrics}
    if show_details:
        rows |= dict(sorted(_chosen(evaluation.field_metrics, field_filter), key=lambda row: _rank(sort_by, row[1])))
    return View((Table(columns("bulk_fields"), tuple(_row(name, row) for name, row in rows.items())),))


def _chosen(fields: Mapping[str, Json], field_filter: str | None) -> list[tuple[str, Json]]:
    return [(path, row) for path, row in fields.items() if field_filter is None or re.search(field_filter, path)]


def _rank(sort_by: str, row: Mapping[str, Json]) -> float:
    return -float(row[_SORTED_BY[sort_by]]) if _SORTED_BY[sort_by] else 0.0


def _row(name: str, row: Mapping[str, Json]) -> Row:
    return Row((Cell(name), *(Cell(row.get(key)) for key in (*_RATES, *_COUNTS))))


def _evaluation(results: Json) -> ProcessEvaluation:
    """Return what a result says: one of many documents, or that of a comparison with its matrix."""
    return results if isinstance(results, ProcessEvaluation) else aggregate_from_comparisons([results], strict=True)


def _non_matches(results: Json, field_filter: str | None, *, show_summary: bool, max_items: int | None) -> View:
    given = results.non_matches if isinstance(results, ProcessEvaluation) else results.get("non_matches")
    entries = [e for e in given or [] if field_filter is None or re.search(field_filter, str(e["field_path"]))]
    kinds = Counter(_kind(entry) for entry in entries)
    said = ", ".join(f"{count:,} {kind}" for kind, count in sorted(kinds.items())) or "none"
    parts = [Sentence(f"{counted(len(entries), 'value')} without a match: {said}")] if show_summary else []
    for entry in entries[:max_items]:
        values = f"expected {entry.get('ground_truth_value')!r}, predicted {entry.get('prediction_value')!r}"
        parts.append(Sentence(f"{marked(str(entry['field_path']))}: {_kind(entry)}, {values}", bullet="✗"))
    return View(tuple(parts))


def _kind(entry: Mapping[str, Json]) -> str:
    kind = entry["non_match_type"]
    return str(getattr(kind, "value", kind)).replace("_", " ")


def _print(view: View, *, use_color: bool, output_file: str | None) -> None:
    if output_file is not None:
        with Path(output_file).open("w", encoding="utf-8") as file:
            draw(Console(file=file, width=150, color_system=None), view)
        return
    console = make_console()
    console.no_color = not use_color
    draw(console, view)
