"""Results as they show themselves in a shell and a notebook: the view of each, in brief."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from fieldwise.compare import Comparison
from fieldwise.render.notebook import to_html
from fieldwise.render.text import to_text
from fieldwise.results.calibration import Calibration
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
_VIEWS: Mapping[type[object], Callable[[Any], View]] = {
    Calibration: partial(calibration_view, most=_MAX_FIELDS),
    Comparison: comparison_view,
    FieldMetrics: field_view,
    GateReport: gate_view,
    RunDifference: partial(difference_view, fields=_MAX_FIELDS, flips=_MAX_FLIPS),
    Sweep: sweep_view,
    UnpairedDifference: unpaired_view,
}


def as_text(value: object, name: str = "") -> str:
    """Return the lines that a shell prints of a result; metrics may have a name."""
    return to_text(_view(value, name))


def as_html(value: object, name: str = "") -> str:
    """Return the fragment that a notebook shows of it."""
    return to_html(_view(value, name))


def _view(value: object, name: str) -> View:
    if isinstance(value, Metrics):
        return overview(value, name or "Metrics")
    return next(make(value) for kind, make in _VIEWS.items() if isinstance(value, kind))
