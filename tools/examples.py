"""Run the commands that pages show, and keep what they print: ``python -m tools.examples``.

A ``console`` block has commands after ``$`` and their output; a line with ``…`` leaves some out. On a page with an
empty folder of its own, ``python`` blocks are run too, and a block with a file name behind its language is that file.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from difflib import SequenceMatcher
from pathlib import Path

ROOT = Path(__file__).parents[1]
WIDTH = 112
PAGES = {"README.md": "invoices", "docs/show.md": "baseline", "docs/ten-minutes.md": "empty"}
"""Pages whose commands are run, and where: beside the demo's invoices, also its baseline, or in an empty folder."""
_INVOICES = tuple(f"python examples/generate_{name}.py" for name in ("invoices", "confidences", "candidate"))
_PREPARED = {"empty": (), "invoices": _INVOICES, "baseline": (*_INVOICES, "fieldwise evaluate")}
"""The beginnings of the commands of ``make demo`` that are run before a page."""
_BLOCK = re.compile(r"^```(\w+)( [\w./-]+)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ANSWERS = (0, 1, 3, 4)
"""Exit codes with which a command has answered; others are a mistake of the page."""


class Place:
    """A folder in which the commands of a page are run."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.folder, self.runs_python = folder, kind == "empty"
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        self.environment = {**os.environ, "PATH": path, "COLUMNS": str(WIDTH), "NO_COLOR": "1"}
        if kind != "empty":
            (folder / "examples").symlink_to(ROOT / "examples")
        for command in _PREPARED[kind]:
            self.run(next(line for line in demo_commands() if line.startswith(command)))

    def run(self, command: str) -> list[str]:
        """Return the lines that a command prints."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        if done.returncode not in _ANSWERS:
            raise RuntimeError(f"{command} ended with {done.returncode}: {done.stdout}")
        return "\n".join(line.rstrip() for line in done.stdout.splitlines()).strip("\n").splitlines()

    def run_python(self, code: str) -> list[str]:
        """Return the lines that a program prints."""
        (self.folder / "example.py").write_text(code, encoding="utf-8")
        return self.run("python example.py")


def demo_commands() -> list[str]:
    """Return what ``make demo`` runs, without its headings."""
    made = (ROOT / "Makefile").read_text(encoding="utf-8").split("\ndemo: ")[1].split("\n\n")[0]
    lines = [line.strip().lstrip("@") for line in made.replace("\\\n", " ").splitlines()[1:]]
    plain = [line.replace("$(DEMO)", "demo/invoices").replace("$(BIN)/", "").replace("$$", "$") for line in lines]
    return [line for line in plain if not line.startswith("printf")]


def rewritten(text: str, place: Place) -> str:
    """Return a page with what its commands print now."""
    printed: list[str] | None = None

    def block(found: re.Match[str]) -> str:
        nonlocal printed
        language, name, body = found.groups()
        if name:
            path = place.folder / name.strip()
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(body, encoding="utf-8")
        elif language == "console":
            body = _session(body, place)
        elif language == "python" and place.runs_python:
            printed = place.run_python(body)
        elif language == "text" and printed is not None:
            body, printed = _joined(fitted(body.splitlines(), printed)), None
        return f"```{language}{name or ''}\n{body}```"

    return _BLOCK.sub(block, text)


def fitted(shown: list[str], printed: list[str]) -> list[str]:
    """Return what is printed, with the same parts left out as in what was shown.

    >>> fitted(["a 1", "…", "c 1"], ["a 2", "b 2", "c 2"])
    ['a 2', '…', 'c 2']
    """
    made: list[str] = []
    at, searching = 0, False
    for line in shown:
        if line.strip() == "…":
            made.append(line)
            searching = True
            continue
        if searching:
            at = max(range(at, len(printed)), key=lambda k: _likeness(line, printed[k]), default=at)
        made += printed[at : at + 1]
        at, searching = at + 1, False
    return made if searching else made + printed[at:]


def _likeness(old: str, new: str) -> tuple[bool, float]:
    return old.split()[:1] == new.split()[:1], SequenceMatcher(None, old, new, autojunk=False).ratio()


def _session(body: str, place: Place) -> str:
    parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", body, flags=re.MULTILINE)[1:]
    made = []
    for command, output in zip(parts[::2], parts[1::2], strict=True):
        shown = output.strip("\n").splitlines()
        made.append(f"$ {command}\n{_joined(fitted(shown, place.run(command)))}")
    return "\n".join(made)


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def main() -> None:
    """Write what commands print now into all pages."""
    for name, kind in PAGES.items():
        page = ROOT / name
        with tempfile.TemporaryDirectory() as folder:
            page.write_text(rewritten(page.read_text(encoding="utf-8"), Place(Path(folder), kind)), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
