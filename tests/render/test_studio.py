"""The page as text: its data comes out as it went in, and a browser runs nothing but the build."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.render.studio import studio_page
from fieldwise.results import PageAnswers
from tests.page_answers import answers_in

ROOT = Path(__file__).parents[2]
MAX_BUILD = 3_500_000


@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_out_as_it_went_in(title: str, fact: str) -> None:
    """Whatever the texts are, the page is the build with one more title and other data."""
    page = studio_page(PageAnswers(title, {"input": fact}))
    assert answers_in(page) == PageAnswers(title, {"input": fact})
    assert page.count("<script") == studio_page(PageAnswers("harmless")).count("<script")


def test_the_policy_names_script_and_style_and_allows_nothing_else() -> None:
    """Their hashes are those of what is in the page."""
    page = studio_page(PageAnswers("A title"))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy[1]
    for content in re.findall(r"<(?:script type=\"module\"|style)[^>]*>(.*?)</(?:script|style)>", page, re.DOTALL):
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy[1]


def test_the_build_is_small_and_asks_nobody() -> None:
    """One file, in which nothing is loaded from elsewhere."""
    page = studio_page(PageAnswers("A title"))
    assert len(page) < MAX_BUILD
    assert re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="(?!data:)', page) == []


@pytest.mark.skipif(
    shutil.which("npm") is None or not (ROOT / "web" / "node_modules").exists(), reason="no npm, or no npm ci in web/"
)
def test_the_committed_build_is_that_of_the_sources(tmp_path: Path) -> None:
    """``make web`` makes it."""
    command = ["npx", "vite", "build", "--outDir", str(tmp_path)]
    subprocess.run(command, cwd=ROOT / "web", check=True, capture_output=True)
    committed = ROOT / "src" / "fieldwise" / "render" / "static" / "studio.html"
    assert (tmp_path / "studio.html").read_bytes() == committed.read_bytes()
