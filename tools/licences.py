"""Check the licences of everything that ``pip install fieldwise`` brings against the list in pyproject.toml.

Every SPDX id that a package's licence expression names must be allowed, on both sides of an OR too. A package that
states no expression is read by its classifiers; where these leave a doubt, pyproject.toml states the licence.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
SPDX_ID = re.compile(r"[A-Za-z0-9.+-]+")
OPERATORS = {"AND", "OR", "WITH"}
DENIED = 1


def closure(requirements: list[str]) -> dict[str, Distribution]:
    """Return the installed packages that the requirements bring on this machine, themselves included, by name."""
    found: dict[str, Distribution] = {}
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        if name not in found and (requirement.marker is None or requirement.marker.evaluate({"extra": ""})):
            found[name] = distribution(name)
            waiting += [Requirement(text) for text in found[name].requires or []]
    return dict(sorted(found.items()))


def expression(package: Distribution) -> str | None:
    """Return the licence that a package's metadata states, as an SPDX expression where that can be known."""
    metadata = package.metadata
    if stated := metadata["License-Expression"]:
        return str(stated)
    if (free := metadata["License"]) and SPDX_ID.fullmatch(free):
        return str(free)
    names = [line.rpartition(" :: ")[2] for line in metadata.get_all("Classifier") or [] if line.startswith("License")]
    known = [CLASSIFIERS[name] for name in names if name in CLASSIFIERS]
    return " AND ".join(known) if known and len(known) == len(names) else None


def ids(licence: str) -> list[str]:
    """Return the SPDX ids in an expression."""
    return [word for word in SPDX_ID.findall(licence) if word not in OPERATORS]


def objections(packages: Mapping[str, Distribution], rules: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for every package whose licence is unknown or not allowed."""
    for name, package in packages.items():
        licence = rules.get("stated", {}).get(name) or expression(package)
        if licence is None:
            yield f"{name} {package.version}: states no licence that can be read; state it in tool.licences"
        elif denied := [spdx for spdx in ids(licence) if spdx not in rules["allow"]]:
            yield f"{name} {package.version}: {licence}; not allowed: {', '.join(denied)}"


def main(arguments: list[str] | None = None) -> int:
    """Print what is not allowed, or how many packages were checked; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--project", type=Path, default=Path(__file__).parent.parent / "pyproject.toml")
    project = tomllib.loads(parser.parse_args(arguments).project.read_text("utf-8"))
    packages = closure(project["project"]["dependencies"])
    found = list(objections(packages, project["tool"]["licences"]))
    for line in found:
        print(line, file=sys.stderr)
    if not found:
        print(f"The licences of {len(packages)} packages are allowed.")
    return DENIED if found else 0


if __name__ == "__main__":
    sys.exit(main())
