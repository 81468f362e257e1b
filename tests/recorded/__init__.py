"""Recorded results of other systems and libraries, which ours are held to; README.md says what each file holds."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any


def recorded(name: str) -> dict[str, Any]:
    """Return what one of the files holds: ``recorded("comparison")["cases"]``."""
    data = (Path(__file__).parent / f"{name}.json.gz").read_bytes()
    found: dict[str, Any] = json.loads(gzip.decompress(data))
    return found
