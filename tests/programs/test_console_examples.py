"""What pages show of the terminal is what the commands print, in a folder of their own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from tools.examples import PAGES, ROOT, Place, demo_commands, rewritten

pytestmark = pytest.mark.programs
PAGE_OF_STEPS = "docs/ten-minutes.md"


def read(page: str) -> str:
    """Return the text of a page."""
    return (ROOT / page).read_text(encoding="utf-8")


def test_commands_print_what_the_pages_say(tmp_path: Path) -> None:
    """Running the commands again changes nothing; ``python -m tools.examples`` writes what has changed."""
    place = Place(tmp_path, PAGES["README.md"])
    for page in ("README.md", "docs/show.md"):  # the second looks at what the first leaves
        assert rewritten(read(page), place) == read(page), page
    assert set(PAGES) == {"README.md", "docs/show.md", PAGE_OF_STEPS}


def test_the_ten_minutes_work_to_their_end(tmp_path: Path) -> None:
    """Every file, program and command of the guide works in an empty folder, and so do the steps of its workflow."""
    place = Place(tmp_path, PAGES[PAGE_OF_STEPS])
    assert rewritten(read(PAGE_OF_STEPS), place) == read(PAGE_OF_STEPS)
    workflow = yaml.safe_load((tmp_path / ".github" / "workflows" / "extraction.yml").read_text())
    steps = [step["run"] for step in workflow["jobs"]["gate"]["steps"] if "run" in step]
    for step in steps:
        if step.startswith(("fieldwise", "cat")):
            place.run(f"GITHUB_STEP_SUMMARY=summary.md; {step}")
    assert "fail: <code>date</code> (clearly worse)" in (tmp_path / "summary.md").read_text(encoding="utf-8")


def test_the_readme_shows_the_commands_of_the_demo() -> None:
    """Whoever runs ``make demo`` finds its commands, with the same folders, in the README."""
    shown = re.findall(r"^\$ fieldwise (evaluate|diff|gate|calibrate) (.*)$", read("README.md"), re.MULTILINE)
    made = [command.split() for command in demo_commands() if command.startswith("fieldwise")]
    for name, arguments in shown:
        words = [word for word in arguments.split() if word != "--quiet"]
        assert any(set(words) <= set(command) and command[1] == name for command in made), (name, arguments)
    assert {name for name, _ in shown} == {command[1] for command in made}
