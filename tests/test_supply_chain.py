"""What the project is made of: licences that are allowed, vulnerabilities that are checked or said to be unchecked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tools.licences import closure, ids, main
from tools.vulnerabilities import answer

ROOT = Path(__file__).parent.parent
PROJECT = ROOT / "pyproject.toml"
RICH = {"name": "rich", "version": "15.0.0", "vulns": []}
NUMPY = {"name": "numpy", "version": "1.0", "vulns": [{"id": "CVE-2000-1", "fix_versions": ["1.1"], "aliases": []}]}
CLICK = {"name": "click", "skip_reason": "Dependency not found and could not be audited: click (8.1)"}


def test_the_licences_of_all_run_time_dependencies_are_allowed(capsys: pytest.CaptureFixture[str]) -> None:
    """All packages that an installation brings, those of dependencies included, and no others."""
    assert main([]) == 0
    checked = closure(["rich", 'colorama; sys_platform == "nowhere"'])
    assert checked.keys() == {"rich", "markdown-it-py", "mdurl", "pygments"}
    assert capsys.readouterr().out.startswith("The licences of ")


def test_a_licence_that_is_not_allowed_names_its_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As does one that nobody can read."""
    changed = PROJECT.read_text("utf-8").replace('"MPL-2.0", ', "").replace('{ scipy = "BSD-3-Clause" }', "{}")
    (tmp_path / "pyproject.toml").write_text(changed, "utf-8")
    assert main(["--project", str(tmp_path / "pyproject.toml")]) == 1
    orjson, scipy = capsys.readouterr().err.splitlines()
    assert orjson.startswith("orjson ")
    assert orjson.endswith("not allowed: MPL-2.0")
    assert scipy.startswith("scipy ")
    assert "states no licence" in scipy


def test_both_sides_of_a_choice_are_read() -> None:
    """Exceptions too are ids that somebody has to allow."""
    assert ids("MPL-2.0 AND (Apache-2.0 WITH LLVM-exception OR MIT)") == [
        "MPL-2.0",
        "Apache-2.0",
        "LLVM-exception",
        "MIT",
    ]


def test_a_package_that_was_skipped_was_not_checked() -> None:
    """Only where every package was checked may the answer be 0; a finding is worth more than a gap."""
    assert answer({"dependencies": [RICH]}) == (0, ["1 of 1 packages were checked, 0 findings."])
    assert answer({"dependencies": [RICH, CLICK]}) == (
        4,
        ["1 of 2 packages were checked, 0 findings.", "NOT CHECKED: click"],
    )
    code, lines = answer({"dependencies": [NUMPY, CLICK]})
    assert (code, lines[0], lines[-1]) == (1, "numpy 1.0: CVE-2000-1, mended in 1.1", "NOT CHECKED: click")
    assert answer({"dependencies": []})[0] == 4


def test_without_a_scanner_nothing_is_called_safe() -> None:
    """The script says that nothing was checked, and exits with 4."""
    command = [sys.executable, "-S", "-m", "tools.vulnerabilities", "requirements.lock"]
    done = subprocess.run(command, cwd=ROOT, env={}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr.startswith("NOT CHECKED: pip-audit is not installed")


def test_files_hold_no_address_of_a_registry() -> None:
    """Where packages and answers come from is the machine's business."""
    files = [ROOT / "Makefile", PROJECT, *(ROOT / "tools").glob("*.py")]
    assert [str(path) for path in files if "://" in path.read_text("utf-8")] == []
