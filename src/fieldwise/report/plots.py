"""The plots of confidences and sweeps as PNG files, drawn by matplotlib, without a display.

matplotlib is an extra: it is imported when something is drawn.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from fieldwise.errors import MissingExtraError
from fieldwise.numbers import count, counted, rate
from fieldwise.report.calibration_charts import risk_top, shown_risk
from fieldwise.report.calibration_words import leaning
from fieldwise.report.charts import short
from fieldwise.report.sweep_charts import interval_of_strict_f1, lowest_rate
from fieldwise.report.sweep_words import RATES
from fieldwise.results.calibration import Calibration, FieldCalibration
from fieldwise.results.rates import Ratio
from fieldwise.results.sweep import Sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_SMALL = 8
"""So many fields have a small plot of their own, the worst calibrated."""
_TEXT, _QUIET, _LINE, _EVEN = "#1b2129", "#5b6570", "#dfe3e8", "#8a94a0"
_MARK, _WHISKER, _COLUMN, _BAND = "#1f5fbf", "#7d9fd3", "#5b86c4", "#dbe6f6"
_MATCH, _MISMATCH = "#2e9e69", "#d64a41"
_STYLES: dict[Ratio, tuple[str, str, float]] = {
    "strict_f1": (_MARK, "-", 2.6),
    "precision": ("#b3540a", "-", 1.6),
    "recall": ("#2b9a6c", "--", 1.6),
    "strict_recall": ("#a05cb5", ":", 1.8),
    "f1": (_QUIET, "-", 1.2),
}
_WIDTH, _DPI = 12.6, 150


def png_calibration(calibration: Calibration, title: str) -> bytes:
    """Return the plots of all values together, and below them how true the confidences of the worst fields are."""
    small = [*calibration.fields.values()][:MOST_SMALL] if len(calibration.fields) > 1 else []
    rows = math.ceil(len(small) / 4)

    def draw(figure: Figure) -> None:
        grid = figure.add_gridspec(1 + rows, 12, height_ratios=[1.55, *[1.0] * rows])
        wide = [figure.add_subplot(grid[0, 4 * k : 4 * k + 4]) for k in range(3)]
        _reliability(wide[0], calibration.pooled, "Are the confidences true?")
        _review(wide[1], calibration.pooled)
        _risk(wide[2], calibration.pooled, calibration.target_error)
        for k, one in enumerate(small):
            at = 3 * (k % 4)
            _reliability(figure.add_subplot(grid[1 + k // 4, at : at + 3]), one, _shortened(one.name), small=True)

    return _png(draw, 4.9 + 2.9 * rows, title=f"Confidences of {title}", words=_about(calibration.pooled))


def png_sweep(sweep: Sweep) -> bytes:
    """Return the rates of a field by threshold, and how its scores lie."""

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2)
        _rates(left, sweep)
        _scores(right, sweep)

    words = f"{sweep.comparator}, {count(sweep.swept)} values with a score, pairing of list items held fixed"
    return _png(draw, 4.9, title=f"Thresholds of {sweep.field}", words=words)


def _png(draw: Callable[[Figure], None], height: float, *, title: str, words: str) -> bytes:
    """Draw below a title and a line of words, and return the picture as a file."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError as error:
        raise MissingExtraError(
            "Drawing PNG files needs matplotlib: pip install 'fieldwise[plots]'",
            facts={"package": "matplotlib", "extra": "plots"},
        ) from error
    with rc_context(
        {
            "font.size": 9,
            "font.family": "DejaVu Sans",
            "text.color": _TEXT,
            "text.parse_math": False,
            "axes.labelcolor": _QUIET,
            "xtick.color": _QUIET,
            "ytick.color": _QUIET,
        }
    ):
        room = ConstrainedLayoutEngine(rect=(0.006, 0.006, 0.988, 1 - 0.72 / height), w_pad=0.08, h_pad=0.06)
        figure = Figure(figsize=(_WIDTH, height), layout=room, dpi=_DPI)
        FigureCanvasAgg(figure)
        figure.text(0.012, 1 - 0.14 / height, title, ha="left", va="top", fontsize=13, fontweight="bold")
        figure.text(0.012, 1 - 0.42 / height, words, ha="left", va="top", color=_QUIET)
        draw(figure)
        written = io.BytesIO()
        figure.savefig(written, format="png", metadata={"Software": None})
    return written.getvalue()


def _about(field: FieldCalibration) -> str:
    return f"{counted(field.n, 'value')}, ECE {rate(field.ece)}, {leaning(field)}, AUROC {_auroc(field)}"


def _auroc(field: FieldCalibration) -> str:
    return rate(field.auroc.value if field.auroc else None)


def _shortened(name: str) -> str:
    return name if len(name) <= 34 else f"…{name[-33:]}"


def _framed(axes: Axes, title: str, x: str, y: str) -> None:
    axes.set_title(title, loc="left", fontsize=10, fontweight="bold")
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(axis="y", color=_LINE, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(_EVEN)
    axes.tick_params(length=0)


def _reliability(axes: Axes, field: FieldCalibration, title: str, *, small: bool = False) -> None:
    _framed(axes, title, "" if small else "confidence", "" if small else "share that is right")
    axes.plot([0, 1], [0, 1], color=_EVEN, linewidth=1, linestyle="--")
    most = max(b.count for b in field.bins)
    for b in field.bins:
        axes.bar((b.low + b.high) / 2, 0.16 * b.count / most, (b.high - b.low) * 0.9, bottom=-0.3, color=_COLUMN)
        label = -0.3 + 0.16 * b.count / most + 0.015
        axes.text((b.low + b.high) / 2, label, short(b.count), ha="center", va="bottom", fontsize=6.5, color=_QUIET)
        axes.vlines(b.confidence, *b.bounds, color=_WHISKER, linewidth=2.6)
    places = [b.confidence for b in field.bins], [b.right for b in field.bins]
    axes.plot(*places, color=_MARK, marker="o", markersize=4 if small else 5.5, linewidth=1, clip_on=False)
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.31, 1.03)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    if small:
        words = f"ECE {rate(field.ece)}, n = {count(field.n)}"
        axes.set_xlabel(words)


def _review(axes: Axes, field: FieldCalibration) -> None:
    _framed(axes, "What does review catch?", "values reviewed, least confident first", "errors caught")
    _percents(axes, 1.0)
    if not field.review:
        axes.text(0.5, 0.61, "no errors to catch", ha="center", color=_QUIET)
        return
    axes.plot([0, 1], [0, 1], color=_EVEN, linewidth=1, linestyle="--")
    curve = [(0.0, 0.0), *((point.share, point.figure) for point in field.review_curve)]
    axes.plot([x for x, _ in curve], [y for _, y in curve], color=_MARK, linewidth=2.2)
    shown = [point.share for point in field.review], [point.caught for point in field.review]
    axes.plot(*shown, color=_MARK, marker="o", linestyle="", markersize=5)
    for point in field.review:
        axes.annotate(
            f"{point.caught:.0%}", (point.share, point.caught), (6, -11), textcoords="offset points", fontsize=8
        )


def _risk(axes: Axes, field: FieldCalibration, target: float) -> None:
    _framed(axes, "What does accepting risk?", "values accepted, most confident first", "errors among them")
    curve = shown_risk(field)
    top = risk_top(curve, target)
    _percents(axes, top)
    axes.axhline(target, color=_EVEN, linewidth=1, linestyle="--")
    axes.text(0.0, target + top * 0.01, f"target {target * 100:g}%", color=_QUIET, fontsize=8, va="bottom")
    axes.plot([p.share for p in curve], [p.figure for p in curve], color=_MARK, linewidth=2.2)
    if field.acceptance is not None:
        chosen = field.acceptance.chosen
        axes.plot([chosen.coverage], [chosen.errors / chosen.accepted], color=_MARK, marker="o", markersize=6)


def _percents(axes: Axes, top: float) -> None:
    axes.set_xlim(0, 1)
    axes.set_ylim(0, top * 1.02)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    ticks = [top * k / 4 for k in range(5)]
    axes.set_yticks(ticks, [f"{round(tick * 100, 6):g}%" for tick in ticks])


def _rates(axes: Axes, sweep: Sweep) -> None:
    _framed(axes, "Rates by threshold", "threshold", "")
    band = interval_of_strict_f1(sweep)
    axes.fill_between([x for x, *_ in band], [low for _, low, _ in band], [high for *_, high in band], color=_BAND)
    for name, title in RATES:
        colour, line, width = _STYLES[name]
        known = [(p.threshold, value) for p in sweep.points if (value := p.rates.of(name).value) is not None]
        axes.plot(
            [x for x, _ in known], [y for _, y in known], color=colour, linestyle=line, linewidth=width, label=title
        )
    axes.set_xlim(0, 1)
    low = lowest_rate(sweep)
    axes.set_ylim(low, 1 + (1 - low) * 0.02)
    axes.legend(loc="lower left", frameon=False, fontsize=8, ncols=2)
    _current(axes, sweep)


def _scores(axes: Axes, sweep: Sweep) -> None:
    _framed(axes, "How the scores lie", "score", "values")
    for colour, label in ((_MISMATCH, "mismatch"), (_MATCH, "match")):
        numbers = [b.matches if label == "match" else b.mismatches for b in sweep.scores]
        lows, widths = [b.low for b in sweep.scores], [(b.high - b.low) * 0.92 for b in sweep.scores]
        axes.bar(lows, numbers, widths, align="edge", color=colour, label=f"{label} at {sweep.threshold:g}")
    axes.set_yscale("symlog", linthresh=1)
    most = max(b.matches + b.mismatches for b in sweep.scores)
    marks = [0, *(10**k for k in range(math.floor(math.log10(max(most, 1))) + 1))]
    axes.set_yticks(marks, [short(mark) for mark in marks])
    axes.minorticks_off()
    axes.set_xlim(0, 1.01)
    axes.legend(loc="upper left", frameon=False, fontsize=8)
    _current(axes, sweep)


def _current(axes: Axes, sweep: Sweep) -> None:
    axes.axvline(sweep.threshold, color=_TEXT, linewidth=1, linestyle=":")
    right = sweep.threshold < 0.5
    place, side = (4, "left") if right else (-4, "right")
    axes.annotate(
        f"current {sweep.threshold:g}",
        (sweep.threshold, 1.0),
        (place, -3),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        ha=side,
        va="top",
        fontsize=8,
        color=_QUIET,
    )
