"""Ask pip-audit for known vulnerabilities of every pinned package, and say plainly which ones nobody could answer for.

pip-audit also succeeds, with *No known vulnerabilities found*, where its service knows none of the packages. So its
report is read here: a package that was skipped was not checked. Exit codes: 0 all were checked and nothing is known,
1 a vulnerability is known, 4 not all could be checked.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

VULNERABLE = 1
NOT_CHECKED = 4


def answer(report: Mapping[str, Any]) -> tuple[int, list[str]]:
    """Return the exit code and the lines for a report of ``pip-audit --format json``."""
    packages = report["dependencies"]
    skipped = [package for package in packages if "skip_reason" in package]
    known = [
        f"{package['name']} {package['version']}: {flaw['id']}, mended in {', '.join(flaw['fix_versions']) or 'none'}"
        for package in packages
        for flaw in package.get("vulns", [])
    ]
    lines = [*known, f"{len(packages) - len(skipped)} of {len(packages)} packages were checked, {len(known)} findings."]
    if skipped or not packages:
        lines.append(f"NOT CHECKED: {', '.join(package['name'] for package in skipped) or 'no package was named'}")
    if known:
        return VULNERABLE, lines
    return (NOT_CHECKED if skipped or not packages else 0), lines


def audit(lock: Path, service: str) -> tuple[int, list[str]]:
    """Run pip-audit on a lock file and return the exit code and the lines."""
    if importlib.util.find_spec("pip_audit") is None:
        return NOT_CHECKED, ["NOT CHECKED: pip-audit is not installed; `make audit` installs it beside the project."]
    options = ["--require-hashes", "--disable-pip", "--progress-spinner", "off", "--format", "json"]
    command = [sys.executable, "-m", "pip_audit", "-r", str(lock), "-s", service, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return answer(json.loads(done.stdout))
    except ValueError:
        reason = (done.stderr.strip().splitlines() or ["pip-audit said nothing"])[-1]
        return NOT_CHECKED, [f"NOT CHECKED: no answer from the service {service}: {reason}"]


def main(arguments: list[str] | None = None) -> int:
    """Print the findings and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lock", type=Path, help="a requirements file with pins and hashes")
    parser.add_argument("--service", choices=["pypi", "osv"], default="pypi", help="whom pip-audit asks")
    given = parser.parse_args(arguments)
    code, lines = audit(given.lock, given.service)
    print("\n".join(lines), file=sys.stderr if code else sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main())
