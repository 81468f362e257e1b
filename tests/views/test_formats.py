"""One module writes numbers, by one table of rules, and one file holds the words: Python is held to both."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import pytest

import fieldwise
from fieldwise.error_kinds import KINDS
from fieldwise.results.rates import FEW_UNITS, METRICS
from fieldwise.views.numbers import written
from fieldwise.views.words import WORDS, Format, Grade, Outcome, columns

SOURCE = Path(fieldwise.__file__).parent
CASES: list[Any] = json.loads((files("fieldwise.views") / "formats.json").read_text(encoding="utf-8"))
ENGINE = {"comparators", "compare", "model", "stats"}
"""These say in a comparison's own reasons what a comparator scored; nobody shows results there."""
NO_RATES = {"results/gate.py": "a limit, as it was given", "text.py": "sizes of files"}
_DECIMALS = re.compile(r"\.\d+[f%]|\.\{.*\}f|^f?'?%|\d%")
_GEOMETRY = re.compile(r'\w="$')
"""A number in an attribute of a drawing is a place, and nobody reads it."""


@pytest.mark.parametrize(("how", "value", "text"), CASES, ids=[f"{how} {value}" for how, value, _ in CASES])
def test_the_table_of_formats_holds(how: Format, value: Any, text: str) -> None:
    """Every format writes the numbers of the table as it says; TypeScript is held to the same table."""
    assert written(how, tuple(value) if isinstance(value, list) else value) == text


def test_every_format_has_cases() -> None:
    """No format is left out of the table but free words."""
    assert {how for how, *_ in CASES} == set(get_args(Format)) - {"words"}


def test_only_one_module_formats_rates() -> None:
    """Outside of views/numbers.py no text is made of a number with a fixed number of decimals, or as a percentage."""
    found = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).parts[0] not in ENGINE and path != SOURCE / "views" / "numbers.py"
        for line in _formatted(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert {place.partition(":")[0] for place in found} == set(NO_RATES)


def _formatted(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield from _in_f_string(node)
        elif _is_formatting(node):
            yield node.lineno  # type: ignore[attr-defined]  # calls and operations have one


def _is_formatting(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) == "format" and _is_spec(node)
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and _is_text(node.left)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _in_f_string(text: ast.JoinedStr) -> Iterator[int]:
    before = ""
    for part in text.values:
        if isinstance(part, ast.Constant):
            before = str(part.value)
        elif isinstance(part, ast.FormattedValue):
            spec = "" if part.format_spec is None else ast.unparse(part.format_spec)[2:-1]
            if _DECIMALS.search(spec) and not _GEOMETRY.search(before):
                yield part.lineno
            before = ""


def _is_spec(call: ast.Call) -> bool:
    texts = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    return any(_DECIMALS.search(text) for text in texts)


def test_the_words_are_complete() -> None:
    """Every metric, outcome, kind of error and grade has its words, and the numbers in them are the real ones."""
    assert set(WORDS.metrics) == set(METRICS)
    assert set(WORDS.outcomes) == set(get_args(Outcome))
    assert set(WORDS.error_kinds) == set(KINDS)
    assert set(WORDS.grades.symbols) == set(get_args(Grade))
    assert WORDS.few_documents.below == FEW_UNITS
    assert str(FEW_UNITS) in WORDS.few_documents.note
    assert str(WORDS.few_values.below) in WORDS.few_values.note


def test_every_column_is_declared_once() -> None:
    """Keys are unique in a table, and a column that always stays is there for narrow screens."""
    for name, table in WORDS.tables.items():
        keys = [column.key for column in table]
        assert len(keys) == len(set(keys)), name
        assert any(column.priority == 1 for column in table), name
    assert [column.key for column in columns("fields", "values", "field")] == ["values", "field"]
