"""Errors for machines: codes and facts, and messages that speak of the library alone."""

from __future__ import annotations

import ast
import json
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import fieldwise
from fieldwise import errors
from fieldwise.classify import RowTypeError, UnknownMetricError
from fieldwise.errors import (
    BudgetError,
    CancelledError,
    ComparatorError,
    CycleError,
    FieldwiseError,
    InputError,
    JudgeError,
    LimitError,
    LostLeaseError,
    MissingExtraError,
    NotServedError,
    SettingError,
    SliceError,
)

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "fieldwise"
LIBRARY = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.relative_to(PACKAGE).parts[0] not in ("cli", "pytest_plugin.py", "__main__.py")
]
CLASSES: dict[type[FieldwiseError], type[Exception]] = {
    FieldwiseError: Exception,
    SettingError: ValueError,
    ComparatorError: ValueError,
    SliceError: ValueError,
    InputError: ValueError,
    CycleError: ValueError,
    LimitError: ValueError,
    CancelledError: Exception,
    LostLeaseError: RuntimeError,
    MissingExtraError: ImportError,
    NotServedError: ImportError,
    JudgeError: RuntimeError,
    BudgetError: RuntimeError,
    RowTypeError: TypeError,
    UnknownMetricError: KeyError,
}


def all_classes(kind: type[FieldwiseError] = FieldwiseError) -> Iterator[type[FieldwiseError]]:
    """Yield an error's class and those below it."""
    yield kind
    for below in kind.__subclasses__():
        yield from all_classes(below)


def given_codes(path: Path) -> Iterator[ast.expr]:
    """Yield what a module gives as a code."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("Error", "__init__")):
            yield from (keyword.value for keyword in node.keywords if keyword.arg == "code")


def code_constants() -> set[str]:
    """Return every code in the source: those of classes, and those that are given where something is raised."""
    given = {code.value for path in LIBRARY for code in given_codes(path) if isinstance(code, ast.Constant)}
    return {str(code) for code in given} | {kind.code for kind in all_classes()}


def documented_codes() -> list[str]:
    """Return the codes in the table of the page, in its order."""
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `([a-z_.]+)` \|", page, re.MULTILINE)


def test_the_page_lists_every_code_once() -> None:
    """No code is raised that the page does not explain, and none is explained that is never raised."""
    assert sorted(code_constants()) == sorted(documented_codes())


def test_codes_are_dotted_lowercase_text() -> None:
    """A code is what it is about and what is wrong, written so that it can be compared and searched for."""
    for code in code_constants() - {FieldwiseError.code}:
        assert re.fullmatch(r"[a-z]+\.[a-z]+(_[a-z]+)*", code), code


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_codes_are_written_where_they_are_raised(path: Path) -> None:
    """A code is a literal, or that of the error which is passed on; so the page can be held to the source."""
    for code in given_codes(path):
        is_passed_on = path.name == "errors.py" and ast.unparse(code) in ("code", "error.code")
        assert isinstance(code, ast.Constant) or is_passed_on, ast.unparse(code)


def test_every_class_has_a_code_of_its_own() -> None:
    """What is raised without a code can still be told by its class."""
    public = [kind for kind in all_classes() if not kind.__name__.startswith("_")]
    assert set(public) == set(CLASSES)
    assert len({kind.code for kind in public}) == len(public)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_errors_cross_processes_as_they_are(kind: type[FieldwiseError]) -> None:
    """Message, code, facts and the builtin that a class inherits survive pickling."""
    more: dict[str, Any] = {"limit": "max_depth"} if kind is LimitError else {"code": "a.b", "advice": "do this"}
    error = kind("What is wrong", facts={"file": Path("a/b"), "got": 3}, **more)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert isinstance(again, CLASSES[kind])
    assert str(again) == str(error)
    assert str(again) == ("What is wrong" if kind is LimitError else "What is wrong; do this")
    assert (again.code, again.statement, again.advice) == (error.code, error.statement, error.advice)
    assert again.facts == error.facts
    assert {"file": "a/b", "got": 3}.items() <= again.facts.items()
    assert vars(again) == vars(error)


class Odd:
    """A value that cannot even be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), 10**5000, -(2**70), Odd(), {1, 2}, (1, (2, (3, (4, (5, (6,)))))), {3: Odd()}, b"x"],
    ids=lambda value: type(value).__name__,
)
def test_facts_are_json_whatever_they_are_made_of(value: Any) -> None:
    """Facts can be sent on as they are: standard JSON of a modest size."""
    facts = InputError("x", facts={"got": value}).facts
    text = json.dumps(facts, allow_nan=False)
    assert json.loads(text) == facts
    assert len(text) < 200


def test_facts_name_values_and_do_not_hold_them() -> None:
    """A long text is cut, and so is a long list."""
    facts = InputError("x", facts={"text": "a" * 10_000, "many": list(range(10_000))}).facts
    assert facts["text"] == "a" * 2_000 + "…"
    assert facts["many"] == list(range(100))


def test_a_setting_read_from_a_file_names_it() -> None:
    """The file comes into the facts and behind the statement, before the advice."""
    with pytest.raises(SettingError) as caught, errors.settings_in("policy.yaml"):
        raise SettingError("Wrong", path="$.a", advice="do this")
    assert str(caught.value) == "Wrong - at $.a in policy.yaml; do this"
    assert caught.value.facts == {"path": "$.a", "file": "policy.yaml"}


def schema(**keys: Any) -> dict[str, Any]:
    """Return a schema of one field."""
    return {"type": "object", "properties": {"total": {"type": "number", **keys}}}


CASES: dict[str, tuple[Callable[[Path], Any], dict[str, Any]]] = {
    "input.not_found": (
        lambda at: fieldwise.open_pairs(at / "expectd", at / "predicted"),
        {"nearest": "expected"},
    ),
    "input.no_partner": (
        lambda at: fieldwise.evaluate_pairs([{"id": "a", "expected": {"x": 1}}, {"id": "b", "predicted": {"x": 1}}]),
        {"expected": "a", "predicted": "b"},
    ),
    "spec.unknown_comparator": (
        lambda at: fieldwise.Spec.from_json_schema(schema(**{"x-aws-stickler-comparator": "NumericComparatr"})),
        {"path": "$.total", "comparator": "NumericComparatr", "nearest": "NumericComparator"},
    ),
    "setting.unknown_key": (
        lambda at: fieldwise.Spec.from_json_schema(schema(**{"x-aws-stickler-weigth": 2})),
        {"path": "$.total", "key": "x-aws-stickler-weigth", "nearest": "x-aws-stickler-weight"},
    ),
    "setting.invalid": (
        lambda at: fieldwise.Spec.from_json_schema(schema(**{"x-aws-stickler-weight": -2})),
        {"path": "$.total", "setting": "weight", "expected": "a weight of 0 or more", "got": -2},
    ),
    "spec.fits_no_document": (
        lambda at: fieldwise.evaluate_pairs(
            [("a", {"result": {"total": 1}}, {"total": 1})], fieldwise.Spec.from_json_schema(schema())
        ),
        {"declared": ["total"], "got": ["result"], "under": "result"},
    ),
    "output.not_empty": (
        lambda at: fieldwise.evaluate_pairs([("a", {"x": 1}, {"x": 1})], out=at),
        {"holds": ["expected"]},
    ),
    "field.unknown": (
        lambda at: fieldwise.evaluate_pairs([("a", {"total": 1}, {"total": 1})], limited_fields=["totl"]),
        {"field": "totl", "setting": "limited_fields", "nearest": "total"},
    ),
}


@pytest.mark.parametrize("code", CASES)
def test_codes_and_facts_say_what_is_wrong(code: str, tmp_path: Path) -> None:
    """A program can tell what is wrong, where, and what was probably meant, without reading the message."""
    (tmp_path / "expected").mkdir()
    act, facts = CASES[code]
    with pytest.raises(FieldwiseError) as caught:
        act(tmp_path)
    assert caught.value.code == code
    assert facts.items() <= caught.value.facts.items()


_FLAG = re.compile(r"(?:^|[\s\[`'\"/]|(?<!var)\()--[a-z]|\s--(?![->])")


def literals(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the texts in a module that are no docstrings, with their lines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    explained = {
        id(statement.value)
        for node in ast.walk(tree)
        if isinstance(node, documented)
        for statement in node.body
        if isinstance(statement, ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explained:
            yield node.lineno, node.value


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_no_message_of_the_library_names_a_flag(path: Path) -> None:
    """Whoever imports fieldwise has no command line: its options are named by ``fieldwise.cli``, and by the words of
    notes for those who have one.
    """
    is_worded = path == PACKAGE / "views" / "notes.py"
    assert is_worded or [(line, text) for line, text in literals(path) if _FLAG.search(text)] == []


def test_flags_in_messages_would_be_found() -> None:
    """The rule sees what used to be written."""
    for text in ("choose another --out", "--overwrite replaces it", "allow more (--max-unpacked)", " -- "):
        assert _FLAG.search(text)
    for text in ("<!-- page -->", "var(--quiet)", "a-b", "---"):
        assert not _FLAG.search(text), text
