"""The frame that all pages share: complete in itself, no network, no other file; its script is named by its hash."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from string import Template

from fieldwise.render.pages.markup import block, plain
from fieldwise.views.words import DASH


def render(name: str, parts: Mapping[str, str], *, title: str, facts: Mapping[str, str], style: str = "") -> str:
    """Return a page: the asset ``name`` with its parts, and below it by what its numbers can be traced.

    ``style`` names a style sheet to add to the common one. The same parts give the same text.
    """
    sheets = _asset("report.css") + (_asset(style) if style else "")
    script = _asset("report.js")
    return Template(_asset("page.html")).substitute(
        policy=content_security_policy(style=sheets, script=script),
        style=sheets,
        script=script,
        title=plain(title),
        name=name,
        body=Template(_asset(f"{name}.html")).substitute(parts),
        facts="".join(
            f"<div><dt>{block(fact)}</dt><dd>{block(text or DASH)}</dd></div>" for fact, text in facts.items()
        ),
    )


def content_security_policy(*, style: str, script: str) -> str:
    """Return a policy under which a browser loads nothing and runs only this style and this script."""
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _asset(name: str) -> str:
    return (files("fieldwise.render.pages") / "assets" / name).read_text(encoding="utf-8")
