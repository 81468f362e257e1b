"""How deep a document is compared field by field, and the room on the stack that this takes."""

from __future__ import annotations

import sys
from typing import Final

MAX_LEVEL: Final = 200
"""Below this level a subtree is one leaf, compared by equality."""

_ORDINARY_LEVELS = 30
_FRAMES_PER_LEVEL = 30


def allow_levels(levels: int) -> None:
    """Let Python calls nest deep enough for documents of so many levels.

    Python's limit is made for mistakes; a comparison goes down one level of the document at a time and no further
    than MAX_LEVEL. The limit is raised where a plan needs it, and never lowered: other threads may need it too.
    """
    if levels > _ORDINARY_LEVELS:
        needed = 1_000 + min(levels, MAX_LEVEL + 1) * _FRAMES_PER_LEVEL
        if sys.getrecursionlimit() < needed:
            sys.setrecursionlimit(needed)
