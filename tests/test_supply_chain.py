"""What the project is made of: licences that are allowed, vulnerabilities that are checked or said to be unchecked."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
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
    changed = PROJECT.read_text("utf-8").replace('"MPL-2.0", ', "").replace(', scipy = "BSD-3-Clause"', "")
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


RUNS_DATA = {
    "eval",
    "exec",
    "compile",
    "__import__",
    "pickle",
    "marshal",
    "shelve",
    "dill",
    "joblib",
    "popen",
    "system",
}
CONNECTS = {"socket", "ssl", "http", "urllib", "ftplib", "smtplib", "requests", "httpx", "aiohttp", "boto3", "botocore"}
MAY_CONNECT = {"comparators/judge.py", "readers/buckets.py"}
"""A judge, which asks its endpoint, and buckets that somebody gives as input."""
THROUGH_BOTO3 = {"aws/services.py", "aws/cache.py", "aws/documents.py", "aws/resolver.py", "aws/runs.py"}
"""The resolver, which runs in a Lambda function."""
RUNS_NOTHING = {("pickle", "dumps"), ("urllib.parse", "quote")}
"""Writing bytes runs nothing: an executor of somebody else carries them. Quoting a name connects nowhere."""
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def used(tree: ast.AST) -> Iterator[str]:
    """Yield the modules that are imported, and the functions and attributes that are called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if {(node.module, alias.name) for alias in node.names} - RUNS_NOTHING:
                yield (node.module or "").partition(".")[0]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
            yield f"{owner}.{node.func.attr}"
            yield from ["system"] if node.func.attr in ("system", "popen") else []
            yield from ["eval"] if any(word.arg == "shell" for word in node.keywords) else []


def test_nothing_runs_data_or_connects() -> None:
    """No module unpickles, evaluates or starts a shell; one asks a judge, one lists a bucket, the resolver asks AWS."""
    found = {
        path.relative_to(ROOT / "src" / "fieldwise").as_posix(): set(used(ast.parse(path.read_text("utf-8"))))
        for path in SOURCES
    }
    assert {name for name, names in found.items() if names & RUNS_DATA} == set()
    assert {name for name, names in found.items() if names & CONNECTS} == MAY_CONNECT | THROUGH_BOTO3
    assert {name for name, names in found.items() if "yaml.load" in names} == {"runs/policy.py"}


def test_every_test_that_the_security_policy_names_is_there() -> None:
    """A threat is dealt with where a test says so."""
    named = set(re.findall(r"`(tests/[\w/.]+)`", (ROOT / "SECURITY.md").read_text("utf-8")))
    assert len(named) > 10
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []
