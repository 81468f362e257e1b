"""How the path of a field or of a value is written, and taken apart again: ``line_items[3].price``."""

from __future__ import annotations

import re
from functools import lru_cache

from fieldwise.errors import SettingError

_STEP = re.compile(r"((?:\\.|[^.\[\\])+)|\[([0-9]+)\]|(\.)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NO_NAME = "\\0"


def escape(name: str) -> str:
    """Write a field name as a step of a path: dots and brackets in it are escaped, no name is ``\\0``.

    >>> escape("a.b[0]")
    'a\\\\.b\\\\[0]'
    """
    if not name:
        return _NO_NAME
    if "." in name or "[" in name or "\\" in name:
        return name.replace("\\", "\\\\").replace(".", "\\.").replace("[", "\\[")
    return name


def below(path: str, name: str) -> str:
    """Return the path of a field in the object at a path, which is empty at the top.

    >>> below("seller", "a.b"), below("", "total")
    ('seller.a\\\\.b', 'total')
    """
    return f"{path}.{escape(name)}" if path else escape(name)


@lru_cache(maxsize=4096)
def steps_of(path: str) -> tuple[str | int, ...]:
    """Return the names and list positions of a path; SettingError for what is no path.

    >>> steps_of(r"line_items[3].a\\.b")
    ('line_items', 3, 'a.b')
    """
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            raise SettingError(
                f"Cannot read the path {path!r}; write it like items[3].price", path=path, facts={"got": path}
            )
        if found[1] is not None:
            steps.append("" if found[1] == _NO_NAME else _ESCAPED.sub(r"\1", found[1]))
        elif found[2] is not None:
            steps.append(int(found[2]))
        at = found.end()
    return tuple(steps)


def parent_of(path: str) -> str:
    """Return the path of the object in which a field stands, empty at the top.

    >>> parent_of(r"seller.a\\.b"), parent_of(r"a\\.b")
    ('seller', '')
    """
    return path[: max((found.start() for found in _STEP.finditer(path) if found[3]), default=0)]


def row_of(path: str) -> str:
    """Return the path of the innermost list item on a path, empty where there is none.

    >>> row_of("line_items[3].price"), row_of(r"line_items[3].a\\[1]"), row_of("a]b")
    ('line_items[3]', 'line_items[3]', '')
    """
    if "\\" not in path and path.count("[") == path.count("]"):
        return path[: path.rfind("]") + 1]
    return path[: max((found.end() for found in _STEP.finditer(path) if found[2]), default=0)]


def positions_of(path: str) -> str:
    """Return the positions of the list items on a path, outermost first.

    >>> positions_of("line_items[3].price"), positions_of(r"rows[0].inner[12].a\\[1]"), positions_of("total")
    ('[3]', '[0][12]', '')
    """
    return "".join(f"[{found[2]}]" for found in _STEP.finditer(path) if found[2])
