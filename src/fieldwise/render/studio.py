"""The Test Studio as one file: its build, with the answers to its questions inside; no request, nothing else needed."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from functools import cache
from html import escape
from importlib.resources import files

from fieldwise.results import PageAnswers

_INLINE = re.compile(r"<(script|style)\b[^>]*>(.*?)</\1>", re.DOTALL)
_POLICY = "<!--policy-->"
_TITLE = "<title>fieldwise</title>"
_ANSWERS = '<script id="answers" type="application/json"></script>'


def studio_page(answers: PageAnswers) -> str:
    """Return the page; the same answers give the same text."""
    data = base64.b64encode(gzip.compress(answers.to_json().encode(), 9, mtime=0)).decode()
    page = _build().replace(_TITLE, f"<title>{escape(answers.title)}</title>", 1)
    return page.replace(_ANSWERS, _ANSWERS.replace("></", f'>"{data}"</'), 1)


@cache
def _build() -> str:
    """Return the build with a policy under which a browser loads nothing and runs only what is in the file."""
    page = (files("fieldwise.render") / "static" / "studio.html").read_text(encoding="utf-8")
    hashes: dict[str, list[str]] = {"script": [], "style": []}
    for element, content in _INLINE.findall(page):
        hashes[element].append(f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'")
    policy = (
        f"default-src 'none'; script-src {' '.join(hashes['script'])}; style-src {' '.join(hashes['style'])}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return page.replace(_POLICY, f'<meta http-equiv="Content-Security-Policy" content="{policy}">', 1)
