"""Results as they show themselves in a shell and a notebook: the view of each, in brief."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from fieldwise.compare import Comparison
from fieldwise.render.notebook import to_html
from fieldwise.render.text import to_text
from fieldwise.results.calibration import Calibration
from fieldwise.results.core import Result
from fieldwise.results.difference import RunDifference, UnpairedDifference
from fieldwise.results.gate import GateReport
from fieldwise.results.metrics import FieldMetrics, Metrics
from fieldwise.results.sweep import Sweep
from fieldwise.views.calibration import calibration_view
from fieldwise.views.comparison import comparison_view
from fieldwise.views.difference import difference_view, unpaired_view
from fieldwise.views.evaluation import field_view, overview
from fieldwise.views.gate import gate_view
from fieldwise.views.parts import View
from fieldwise.views.sweep import sweep_view

_MAX_FIELDS, _MAX_FLIPS = 20, 5
_VIEWS: Mapping[type[Result], Callable[[Any], View]] = {
    Calibration: partial(calibration_view, most=_MAX_FIELDS),
    FieldMetrics: field_view,
    GateReport: gate_view,
    Metrics: partial(overview, name="Metrics"),
    RunDifference: partial(difference_view, fields=_MAX_FIELDS, flips=_MAX_FLIPS),
    Sweep: sweep_view,
    UnpairedDifference: unpaired_view,
}


def as_text(result: Result) -> str:
    """Return the lines that a shell prints of a result."""
    return to_text(_view(result))


def as_html(result: Result) -> str:
    """Return the fragment that a notebook shows of a result."""
    return to_html(_view(result))


def comparison_text(comparison: Comparison) -> str:
    """Return the lines that a shell prints of the comparison of two documents."""
    return to_text(comparison_view(comparison))


def comparison_html(comparison: Comparison) -> str:
    """Return the fragment that a notebook shows of it."""
    return to_html(comparison_view(comparison))


def _view(result: Result) -> View:
    return next(make(result) for kind, make in _VIEWS.items() if isinstance(result, kind))
