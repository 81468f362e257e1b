"""How results show themselves in a shell and a notebook: who draws them says so here, and results ask.

Views are made of results, so that no result imports what draws it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Renderers(Protocol):
    """What draws a result; ``name`` is what it is called, where it does not know that."""

    def as_text(self, value: object, name: str = "") -> str:
        """Return the lines that a shell prints."""
        ...

    def as_html(self, value: object, name: str = "") -> str:
        """Return the fragment that a notebook shows."""
        ...


_LOADERS: list[Callable[[], Renderers]] = []


def draw_with(load: Callable[[], Renderers]) -> None:
    """Draw results with what a function loads when the first is shown."""
    _LOADERS[:] = [load]


def shown_text(value: object, name: str = "") -> str:
    """Return a result as text."""
    return _LOADERS[0]().as_text(value, name)


def shown_html(value: object, name: str = "") -> str:
    """Return a result as HTML for a notebook."""
    return _LOADERS[0]().as_html(value, name)
