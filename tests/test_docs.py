"""What the documentation shows is what happens: every Python block runs and prints what the page says."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import itertools
import re
from pathlib import Path
from typing import Any

import pytest

import fieldwise
from fieldwise import comparators

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "src").rglob("README.md")])
PUBLIC = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.md")])
SOURCES = sorted((ROOT / "src").rglob("*.py"))
INTERNAL = re.compile(
    r"RULINGS?\b|\bBULK \d|\bQ\d+\b(?! 20\d\d)|\b[Ss]eeds'|\b[Ss]eed's|\bthe seeds?\b(?! \d| gives)|\bgoals \d"
    r"|\b(?:our|the) contract\b|/work/|/tmp/"
)
"""Words that nothing in the repository explains."""
DIALECT = re.compile(
    r"\b(?:is|are) told\b|unless told|something to know|\b[Ss]o it is for\b|compare otherwise|good to a factor"
    r"|\bwould show\b|scale of logs|scores lie\b|is no accident|stands? in for"
)
"""Phrases that send a reader back to read them again."""
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return the code blocks of a page with their languages, in order."""
    return [(found[1], found[2]) for found in _BLOCK.finditer(page.read_text())]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.name != "ten-minutes.md"], ids=lambda p: str(p.relative_to(ROOT))
)
def test_examples_print_what_the_page_says(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python blocks of a page run one after the other; a text block after one is what it prints."""
    monkeypatch.chdir(ROOT)
    space: dict[str, Any] = {"__name__": "docs"}
    printed: str | None = None
    for language, code in blocks(page):
        if language == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(code, page.name, "exec"), space)
            printed = out.getvalue()
        elif language == "text" and printed is not None:
            assert printed.rstrip("\n") == code.rstrip("\n")
            printed = None


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_examples_need_the_public_names_only(page: Path) -> None:
    """What an example imports of the package comes from ``import fieldwise`` or ``from fieldwise import …``."""
    code = "\n".join(code for language, code in blocks(page) if language == "python")
    assert re.findall(r"^\s*(?:from|import) fieldwise\..*", code, re.MULTILINE) == []


@pytest.mark.parametrize("name", [name for name in comparators.__all__ if name.endswith("Comparator")])
def test_every_comparator_is_documented(name: str) -> None:
    """Each comparator that has a name in schemas has a row on its page, with every setting it takes."""
    if name in ("BaseComparator", "FunctionComparator"):
        return
    rows = [
        line for line in (ROOT / "docs" / "comparators.md").read_text().splitlines() if line.startswith(f"| `{name}`")
    ]
    assert len(rows) == 1
    taken = set(inspect.signature(getattr(comparators, name)).parameters) - {"threshold", "api_key_env", "sim_function"}
    for setting in taken:
        assert f"`{setting}`" in rows[0], setting


@pytest.mark.parametrize("page", PUBLIC, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """Relative links of a page exist."""
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PUBLIC, ids=lambda p: str(p.relative_to(ROOT)))
def test_pages_speak_plain_english(page: Path) -> None:
    """No page cites what a reader of the repository cannot look up, or says a thing in a private dialect."""
    text = page.read_text(encoding="utf-8")
    assert INTERNAL.findall(text) == []
    assert DIALECT.findall(text) == []


def test_docstrings_cite_nothing_that_readers_cannot_look_up() -> None:
    """What ``help()`` shows explains itself, or names a test or a decision."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = ast.get_docstring(node) if isinstance(node, documented) else None
            assert INTERNAL.findall(text or "") == [], path


def test_the_index_leads_to_every_page() -> None:
    """docs/README.md links to each page beside it and to the decisions."""
    linked = set(re.findall(r"\]\(([^)#:]+)", (ROOT / "docs" / "README.md").read_text(encoding="utf-8")))
    assert {page.name for page in PAGES if page.parent.name == "docs"} - {"README.md"} <= linked
    assert "adr/" in linked


def table(page: Path, heading: str) -> list[list[str]]:
    """Return the rows of the table whose first column has this heading."""
    lines = iter(page.read_text(encoding="utf-8").splitlines())
    next(line for line in lines if line.startswith(f"| {heading} |"))
    next(lines)
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in itertools.takewhile(lambda line: line.startswith("|"), lines)
    ]


def test_contributing_names_every_package() -> None:
    """CONTRIBUTING.md has a row for each package, and each package and module that it names exists."""
    package = ROOT / "src" / "fieldwise"
    named = {name for row in table(ROOT / "CONTRIBUTING.md", "package") for name in re.findall(r"`([^`]+)`", row[0])}
    assert {f"{path.parent.name}/" for path in package.glob("*/__init__.py")} <= named
    assert [name for name in named if not (package / name).exists()] == []


def test_a_word_has_one_meaning() -> None:
    """The glossary lists each word once, in order, with its name in code; the types among these are public."""
    rows = table(ROOT / "docs" / "glossary.md", "word")
    words = [row[0] for row in rows]
    assert words == sorted(set(words))
    assert all(meaning.endswith((".", "…")) for _, meaning, _ in rows)
    code = {name for row in rows for name in re.findall(r"`([^`]+)`", row[2])}
    assert {name for name in code if name[0].isupper()} <= set(fieldwise.__all__)
    assert {"tp", "fd", "fa", "fn", "tn"} <= code
    assert "docs/glossary.md" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_change_log_is_a_screen_a_release() -> None:
    """CHANGELOG.md begins with the version of the package, and no release takes more than 50 lines."""
    first, *releases = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")
    assert first.strip() == "# Changes"
    assert releases[0].startswith(fieldwise.__version__)
    assert max(len(release.splitlines()) for release in releases) <= 50


def test_pictures_are_those_that_the_guide_shows() -> None:
    """Each picture beside docs/pictures.md is shown there, can be taken again, and all of them stay small."""
    pictures = pytest.importorskip("tools.pictures")
    kept = sorted(pictures.FOLDER.glob("*.png"))
    assert [path.stem for path in kept] == sorted(picture.name for picture in pictures.chosen())
    assert sum(path.stat().st_size for path in kept) < 4_000_000
