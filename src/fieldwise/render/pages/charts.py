"""Plots as SVG for pages: a frame with axes, and lines, bands, marks and columns in it. Colours come from the page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from fieldwise.render.pages.markup import plain
from fieldwise.views.numbers import fixed, short_count, tick

_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 22, 12, 44
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Frame:
    """A plot area of a size in pixels, whose axes run from 0 to ``x_top`` and from ``y_low`` to ``y_top``."""

    width: int = 300
    height: int = 236
    x_top: float = 1.0
    y_top: float = 1.0
    y_low: float = 0.0
    below: int = 0
    """Room below the axis, for a strip of columns."""

    def x(self, value: float) -> float:
        return _LEFT + self.width * value / self.x_top

    def y(self, value: float) -> float:
        return _TOP + self.height * (self.y_top - min(max(value, self.y_low), self.y_top)) / (self.y_top - self.y_low)

    def svg(self, label: str, x_title: str, y_title: str, *content: str) -> str:
        """Return the whole drawing; ``label`` says in words what it shows."""
        size = f"0 0 {_LEFT + self.width + _RIGHT} {_TOP + self.height + self.below + _BOTTOM}"
        middle, bottom = _LEFT + self.width / 2, _TOP + self.height + self.below + 38
        titles = (
            f'<text class="title" x="{middle:.0f}" y="{bottom}">{x_title}</text>'
            f'<text class="title" transform="translate(13 {_TOP + self.height // 2}) rotate(-90)">{y_title}</text>'
        )
        return (
            f'<svg class="chart" viewBox="{size}" role="img" aria-label="{plain(label)}">'
            f"{''.join(content)}{titles}</svg>"
        )

    def grid(
        self, *, y_ticks: Sequence[float] = _TICKS, names: Sequence[str] | None = None, percent: bool = False
    ) -> str:
        """Return horizontal lines with their numbers or names, and the numbers of the horizontal axis."""
        right, drawn = _LEFT + self.width, []
        for place, name in zip(y_ticks, names or [tick(t, as_percent=percent) for t in y_ticks], strict=True):
            y = self.y(place)
            drawn.append(f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
            drawn.append(f'<text class="left" x="{_LEFT - 7}" y="{y + 4:.1f}">{name}</text>')
        bottom = _TOP + self.height + self.below
        across = [share * self.x_top for share in _TICKS]
        drawn += [f'<text x="{self.x(x):.1f}" y="{bottom + 17}">{tick(x, as_percent=percent)}</text>' for x in across]
        return "".join(drawn)

    def at(self, x: float, y: float) -> str:
        """Return the place of a point, as lines need it."""
        return f"{fixed(self.x(x), 1)},{fixed(self.y(y), 1)}"

    def line(self, points: Iterable[tuple[float, float]], look: str) -> str:
        """Return a line through points."""
        places = " ".join(self.at(x, y) for x, y in points)
        return f'<polyline class="{look}" points="{places}"/>'

    def band(self, points: Sequence[tuple[float, float, float]], look: str) -> str:
        """Return the area between the low and the high line of points (x, low, high)."""
        around = [(x, low) for x, low, _ in points] + [(x, high) for x, _, high in reversed(points)]
        places = " ".join(self.at(x, y) for x, y in around)
        return f'<polygon class="{look}" points="{places}"/>'

    def upright(self, x: float, look: str, *, low: float = -math.inf, high: float = math.inf) -> str:
        """Return a vertical line."""
        at, bottom, top = self.x(x), self.y(low), self.y(high)
        return f'<line class="{look}" x1="{at:.1f}" x2="{at:.1f}" y1="{bottom:.1f}" y2="{top:.1f}"/>'

    def mark(self, x: float, y: float, words: str, *, look: str = "mark") -> str:
        """Return a dot that tells what it stands for when pointed at."""
        at = f'cx="{self.x(x):.1f}" cy="{self.y(y):.1f}"'
        return (
            f'<g><circle class="{look}" {at} r="4"/><circle class="area" {at} r="11"/><title>{plain(words)}</title></g>'
        )

    def label(self, x: float, y: float, words: str, *, look: str = "") -> str:
        """Return a text at a point."""
        return f'<text class="{look}" x="{self.x(x):.1f}" y="{self.y(y):.1f}">{plain(words)}</text>'

    def column(self, low: float, high: float, y: float, *, words: str, look: str) -> str:
        """Return a column that tells what it stands for when pointed at."""
        x, wide, top = self.x(low) + 1, max(self.x(high) - self.x(low) - 2, 1.0), self.y(y)
        filled = f'<rect class="{look}" x="{x:.1f}" y="{top:.1f}" width="{wide:.1f}" height="{self.y(0) - top:.1f}"/>'
        return f"<g>{filled}<title>{plain(words)}</title></g>"

    def strip(self, columns: Iterable[tuple[float, float, int]]) -> str:
        """Return columns below the axis, from low to high, with their numbers above them."""
        shown = list(columns)
        most, bottom, room = max((n for *_, n in shown), default=1), _TOP + self.height + self.below, self.below - 24
        drawn = ""
        for low, high, number in shown:
            height = max(room * number / most, 1.5)
            x, wide = self.x(low) + 1, self.x(high) - self.x(low) - 2
            drawn += (
                f'<rect class="column" x="{x:.1f}" y="{bottom - height:.1f}" width="{wide:.1f}" height="{height:.1f}"/>'
            )
            name = short_count(number)
            drawn += f'<text class="small" x="{x + wide / 2:.1f}" y="{bottom - height - 4:.1f}">{name}</text>'
        return drawn


def round_up(value: float) -> float:
    """Return a round number that is not much larger.

    >>> round_up(0.031), round_up(0.4), round_up(0.9)
    (0.04, 0.4, 1.0)
    """
    if value <= 0:
        return 0.01
    power = 10.0 ** math.floor(math.log10(value))
    steps = (1, 2, 4, 6, 8, 10)
    return round(min(1.0, next(step * power for step in steps if step * power >= value - 1e-12)), 9)
