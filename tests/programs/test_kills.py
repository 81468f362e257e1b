"""A few cycles of the script that kills evaluations; ``make attacks`` runs a thousand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.programs
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("layout", ["lines", "sections"])
def test_killed_evaluations_are_resumed_to_the_same_bytes(layout: str) -> None:
    """Evaluations that are killed at random moments, with one and two workers, end with the files of undisturbed ones.

    Also those of folders of documents in sections, with specs of classes, slices, and all that is odd about sections.
    """
    cycles = ["--count", "8", "--workers", "1,2", "--seed", "3", "--layout", layout]
    command = [sys.executable, "-m", "tests.attacks.kills", *cycles]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 cycles" in done.stdout
