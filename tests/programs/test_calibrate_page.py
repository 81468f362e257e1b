"""The page about confidences and thresholds shows what its commands print."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.programs
ROOT = Path(__file__).parents[2]
_SHOWN = re.compile(r"^```bash\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run(line: str, folder: Path) -> str:
    """Run a line of the page in a folder that has the examples, and return what it prints."""
    program, *rest = shlex.split(line)
    command = [sys.executable, *(rest if program == "python" else ["-m", program, *rest])]
    plain = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "FORCE_COLOR")}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True, encoding="utf-8", env=plain)
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("page")
    (made / "examples").symlink_to(ROOT / "examples")
    return made


def test_the_page_shows_what_is_printed(folder: Path) -> None:
    """Each block of commands prints the text below it, blanks at the ends of lines aside."""
    shown = _SHOWN.findall((ROOT / "docs" / "calibrate.md").read_text(encoding="utf-8"))
    assert len(shown) == 2
    for commands, text in shown:
        printed = [run(line, folder) for line in commands.splitlines()][-1]
        assert [line.rstrip() for line in printed.rstrip().splitlines()] == text.rstrip().splitlines()


def test_the_same_seed_gives_the_same_confidences(folder: Path) -> None:
    """Confidences are the same bytes again, other ones under another seed, and no prediction is changed."""
    run("python examples/generate_invoices.py few --documents 5", folder)
    files = []
    for seed in ("1", "1", "2"):
        run(f"python examples/generate_confidences.py few --seed {seed}", folder)
        files.append([path.read_bytes() for path in sorted((folder / "few" / "confident").iterdir())])
    assert files[0] == files[1] != files[2]
    assert len(files[0]) == 5
