"""Cases as JUnit XML, which pipelines show as tests."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from fieldwise.render.text import table_lines, to_text
from fieldwise.text import well_formed
from fieldwise.views.gate import Case
from fieldwise.views.parts import View

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_junit(name: str, cases: Sequence[Case], view: View) -> str:
    """Return cases in one suite, with the view as its output.

    Not enough documents is an `error`, which to JUnit is a test that could not be carried out, as against a `failure`.
    `skipped` would be shown as harmless, and a pipeline would look green though nothing is known.
    """
    decisions = [case.decision for case in cases]
    numbers = {
        "name": name,
        "tests": str(len(decisions)),
        "failures": str(decisions.count("fail")),
        "errors": str(decisions.count("not_enough_documents")),
        "time": "0",
    }
    root = ElementTree.Element("testsuites", numbers)
    suite = ElementTree.SubElement(root, "testsuite", {**numbers, "skipped": "0"})
    for case in cases:
        _add(suite, name.replace(" ", "."), case)
    ElementTree.SubElement(suite, "system-out").text = _xml(to_text(view))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add(suite: ElementTree.Element, name: str, case: Case) -> None:
    element = ElementTree.SubElement(suite, "testcase", {"classname": name, "name": _xml(case.name), "time": "0"})
    if case.decision == "pass":
        return
    tag = "failure" if case.decision == "fail" else "error"
    answer = ElementTree.SubElement(element, tag, {"message": _xml(case.reason), "type": case.decision})
    details = "\n".join(table_lines(case.details)) if case.details else ""
    answer.text = _xml(f"{case.reason}\n{details}".strip())


def _xml(text: str) -> str:
    """Leave out what XML cannot hold; half of a surrogate pair becomes its escape."""
    return _NO_XML.sub("", well_formed(text))
