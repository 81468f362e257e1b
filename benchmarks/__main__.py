"""All benchmarks, one after the other, into one page: the same machine and the same day for every table.

Run as ``python -m benchmarks docs/benchmarks.md`` on a machine with nothing else to do, in an environment with the
extra ``peers``; it takes about an hour. ``--only bulk,compare`` measures some sections anew and keeps the others.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import machine

EARLIER = "beff81e"
"""The version with which this one is compared: the last one before defaults, guards and rows were built anew."""

SCRIPTS: dict[str, tuple[str, ...]] = {
    "compare": (),
    "versions": (EARLIER,),
    "bulk": (),
    "difference": (),
    "classify": (),
    "page": (),
    "resolver": (),
    "long_lists": (),
    "coverage": (),
    "gate": (),
    "false_alarms": (),
    "confidences": (),
}
"""The arguments of each script, in the order of the page."""


def main() -> None:
    """Run the scripts; one that fails is named at the end, and the others are kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", type=Path)
    parser.add_argument("--only", help="names of scripts, with commas between them")
    options = parser.parse_args()
    names = options.only.split(",") if options.only else list(SCRIPTS)
    unknown = sorted({*names} - {*SCRIPTS})
    if unknown:
        parser.error(f"no such script: {', '.join(unknown)}; there are {', '.join(SCRIPTS)}")
    if not options.only:
        machine.begin_page(options.page)
    failed = [name for name in names if not _ran(name, options.page)]
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def _ran(name: str, page: Path) -> bool:
    print(f"== {name}", flush=True)
    start = time.perf_counter()
    command = [sys.executable, "-m", f"benchmarks.{name}", *SCRIPTS[name], "--write", str(page)]
    done = subprocess.run(command, check=False)
    print(f"== {name}: {time.perf_counter() - start:.0f} s\n", flush=True)
    return done.returncode == 0


if __name__ == "__main__":
    main()
