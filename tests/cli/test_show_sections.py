"""``fieldwise show`` on a run whose documents are in sections."""

from __future__ import annotations

import json
from pathlib import Path

from tests.command_line import run
from tests.sections import EXPECTED, PREDICTED, write_sections


def test_rows_name_their_section_and_are_chosen_by_it(tmp_path: Path) -> None:
    """The table has section and class behind the document; --section and --class list the values of one."""
    sides = [write_sections(tmp_path / "e", EXPECTED), write_sections(tmp_path / "p", PREDICTED)]
    run("evaluate", *sides, "--out", tmp_path / "out")
    every = json.loads(run("show", tmp_path / "out", "--json").stdout)
    for option, column, name in (("--section", "section", "1"), ("--class", "class", "Receipt")):
        listed = json.loads(run("show", tmp_path / "out", option, name, "--json").stdout)
        assert listed == [row for row in every if row[column] == name]
        assert 0 < len(listed) < len(every)
    chosen = ("--document", "loan.pdf", "--section", "2")
    shown = run("show", tmp_path / "out", *chosen, COLUMNS="200")
    assert shown.stdout.count("loan.pdf (section 2, Receipt)") == 2
    order = [row["section"] for row in every if row["document"] == "loan.pdf"]
    assert order == sorted(order)
    nothing = run("show", tmp_path / "out", "--section", "77")
    assert "has the section 77" in nothing.stdout
