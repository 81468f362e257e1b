"""Classes that a config does not have: compared as inferred and said so, or not scored where that is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.command_line import run
from tests.folders import stored_rows
from tests.sections import EXPECTED, PREDICTED, section, write_sections

RECEIPTS = {"Receipt": {"properties": {"shop": {"type": "string"}, "total": {"type": "number"}}}}
PLAIN = [
    {"id": "a", "expected": {"kind": "x", "n": 1}, "predicted": {"kind": "x", "n": 1}},
    {"id": "b", "expected": {"kind": "y", "n": 1}, "predicted": {"kind": "y", "n": 2}},
]


def config(folder: Path, declared: Any = RECEIPTS) -> Path:
    path = folder / "classes.json"
    path.write_text(json.dumps(declared))
    return path


def sides(folder: Path) -> tuple[Path, Path]:
    """Return the five sections, and a document that has no section but one of a class that nobody declares."""
    cover = {"cover.pdf": {"1": section("Cover sheet", {"title": "Hello"}, [0])}}
    return write_sections(folder / "e", EXPECTED | cover), write_sections(folder / "p", PREDICTED | cover)


def evaluated(*arguments: Any) -> dict[str, Any]:
    done = run("evaluate", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def five(row: dict[str, Any]) -> list[int]:
    return [row[key] for key in ("tp", "fd", "fa", "fn", "tn")]


def test_sections_of_other_classes_are_not_scored(tmp_path: Path) -> None:
    """Three receipts are expected: one is right, one lost, one invented; invoices and the cover count nowhere.

    A section of the wrong class is excluded by the class that is expected of it.
    """
    found = evaluated(*sides(tmp_path), "--config", config(tmp_path), "--other-classes", "exclude")
    assert found["documents"] == {"excluded_class": 1, "scored": 3}
    assert five(found["aggregate"]) == [2, 0, 1, 2, 1]
    assert list(found["classes"]) == ["Receipt"]
    held = found["sections"]
    assert [held[key] for key in ("paired", "wrong_class", "lost", "extra", "excluded")] == [1, 0, 1, 1, 4]
    assert [note for note in found["notes"] if note["code"].startswith("classes.")] == [
        {
            "code": "classes.not_declared",
            "facts": {"count": 2, "classes": ["Cover sheet", "Invoice"], "inferred": False},
        },
        {"code": "classes.excluded", "facts": {"sections": 4, "documents": 1}},
    ]


def test_they_are_inferred_where_nobody_asks(tmp_path: Path) -> None:
    """All six sections count."""
    given = *sides(tmp_path), "--config", config(tmp_path)
    found = evaluated(*given)
    assert list(found["classes"]) == ["Cover sheet", "Invoice", "Receipt"]
    assert five(found["aggregate"]) == [6, 1, 3, 4, 1]
    assert evaluated(*given, "--other-classes", "infer") == found


def test_a_config_may_say_so_itself_and_the_option_wins(tmp_path: Path) -> None:
    """The key is part of spec.json and of the fingerprint, so that ``--like`` excludes the same."""
    given = sides(tmp_path)
    whole = {"classes": RECEIPTS, "x-fieldwise-other-classes": "exclude", "ocr": {"backend": "textract"}}
    said = evaluated(*given, "--config", config(tmp_path, whole), "--out", tmp_path / "out")
    asked = evaluated(*given, "--config", config(tmp_path), "--other-classes", "exclude")
    assert asked == said | {"error_kinds": None}
    assert evaluated(*given, "--like", tmp_path / "out") == asked
    other = evaluated(*given, "--config", config(tmp_path, whole), "--other-classes", "infer")
    assert other["documents"] == {"scored": 4}
    assert other["spec_fingerprint"] != said["spec_fingerprint"]


def test_what_is_excluded_is_a_row_with_its_reason(tmp_path: Path) -> None:
    """Rows, results.json, show and gate of such a run work; no document is said to need a look."""
    out, documents = tmp_path / "out", tmp_path / "documents"
    files = "--out", out, "--results-json", documents
    done = run("evaluate", *sides(tmp_path), "--config", config(tmp_path), "--other-classes", "exclude", *files)
    assert done.returncode == 0, done.stderr
    assert "need a look" not in done.stdout
    assert "sections: 1 paired · 1 without a prediction · 1 extra · 4 not scored" in done.stdout
    rows = {row["document"]: row for row in stored_rows(out, "documents")}
    assert rows["cover.pdf"]["status"] == "excluded_class"
    assert rows["cover.pdf"]["reason"] == "its class is not in the config; it is not scored"
    result = json.loads((documents / "cover.pdf" / "evaluation" / "results.json").read_bytes())
    assert result["excluded_sections"] == [{"section_id": "1", "reason": "its class is not in the config"}]
    assert run("show", out).returncode == 0
    assert run("gate", out, "--baseline", out, "--json").returncode in (0, 4)


def test_plain_documents_of_other_classes_are_not_scored(tmp_path: Path) -> None:
    """As sections are."""
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps(pair) + "\n" for pair in PLAIN))
    given = file, "--class-key", "kind", "--config", config(tmp_path, {"X": {"properties": {"n": {"type": "number"}}}})
    found = evaluated(*given, "--other-classes", "exclude")
    assert found["documents"] == {"excluded_class": 1, "scored": 1}
    assert five(found["aggregate"]) == [1, 0, 0, 0, 0]
    assert {"code": "classes.excluded", "facts": {"sections": 0, "documents": 1}} in found["notes"]


@pytest.mark.parametrize(
    ("declared", "options", "words"),
    [
        pytest.param(None, ["--other-classes", "exclude"], "give --config", id="no classes"),
        pytest.param(RECEIPTS, ["--other-classes", "exlude"], "did you mean 'exclude'?", id="misspelt"),
        pytest.param(
            {"classes": RECEIPTS, "x-fieldwise-other-classes": "drop"}, [], "x-fieldwise-other-classes", id="value"
        ),
        pytest.param(
            {"classes": RECEIPTS, "x-fieldwise-other-clases": "exclude"},
            [],
            "did you mean 'x-fieldwise-other-classes'?",
            id="key",
        ),
    ],
)
def test_a_wrong_setting_is_refused(tmp_path: Path, declared: Any, options: list[str], words: str) -> None:
    """Before anything is compared."""
    given: list[str | Path] = [] if declared is None else ["--config", config(tmp_path, declared)]
    done = run("evaluate", *sides(tmp_path), *given, *options)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.split())


def test_explain_shows_the_fields_of_each_class(tmp_path: Path) -> None:
    """Also of those that were inferred; what is excluded is named."""
    hidden = {"x-aws-idp-document-type": "Cover sheet", "x-aws-idp-exclude-from-processing": True}
    declared = [{**RECEIPTS["Receipt"], "name": "Receipt"}, hidden]
    said = run("evaluate", *sides(tmp_path), "--config", config(tmp_path, declared), "--explain", COLUMNS="200").stdout
    explained = said[: said.index("documents,")]
    assert explained.index("class Receipt") < explained.index("shop") < explained.index("class Invoice")
    assert "number" in explained[explained.index("class Invoice") :]
    assert "not scored: class Cover sheet, its class is excluded from processing" in explained
    assert "without a class" not in explained


def test_fields_that_are_compared_differently_are_named_with_their_class(tmp_path: Path) -> None:
    """Where two runs have other specs of a class."""
    for name, kind in (("base", "number"), ("candidate", "string")):
        declared = {"Receipt": {"properties": {"shop": {"type": "string"}, "total": {"type": kind}}}}
        evaluated(*sides(tmp_path), "--config", config(tmp_path, declared), "--out", tmp_path / name)
    done = run("diff", tmp_path / "base", tmp_path / "candidate")
    assert done.returncode == 2
    assert "'Receipt: total' (" in done.stderr
    assert "(classes {" not in done.stderr
