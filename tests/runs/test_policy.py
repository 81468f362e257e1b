"""The policy of a gate: every key is checked before anything is judged."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.errors import InputError, SettingError
from fieldwise.results.gate import Limit
from fieldwise.runs.fields import chosen_fields
from fieldwise.runs.policy import (
    BUDGETS,
    Group,
    Policy,
    as_policy,
    policy_of,
    read_policy,
    with_settings,
)

from .results import command, document, policy_file, write_run

PAGE = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")
FIELDS = ["total", "tax", "line_items.price", "line_items.sku"]


def example() -> str:
    """Return the policy that the page shows."""
    (found,) = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return str(found)


def test_the_example_of_the_page_is_a_policy(tmp_path: Path) -> None:
    """What the page shows is read, and means what it says."""
    path = tmp_path / "gate.yaml"
    path.write_text(example(), encoding="utf-8")
    policy = read_policy(path)
    assert policy.margin == 0.02
    assert policy.fields == {"vendor.name": 0.03, "line_items.*": 0.05}
    assert policy.groups["heavy"] == Group(weight=2)
    assert policy.critical == ["invoice_number", "total"]
    assert policy.budgets["failures"] == Limit(most=0, is_share=False)
    assert policy.budgets["missed"] == Limit(most=0.01, is_share=True)


def test_every_key_and_budget_is_explained() -> None:
    """The page has a row for each key of a policy, and names each budget."""
    for key in Policy.model_fields:
        assert f"| `{key}` |" in PAGE
        assert re.search(rf"^{key}:", example(), re.MULTILINE), key
    for budget in BUDGETS:
        assert f"`{budget}`" in PAGE


def test_nothing_asks_for_two_points_of_strict_f1() -> None:
    """No file and an empty object are the same policy."""
    assert policy_of({}) == as_policy(None) == Policy(metric="strict_f1", margin=0.02)


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "null\n", "---\n"])
def test_a_file_without_settings_is_refused(tmp_path: Path, text: str) -> None:
    """A file that lost its settings does not silently ask for the defaults."""
    path = tmp_path / "gate.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingError) as refused:
        read_policy(path)
    assert str(refused.value) == f"{path} is empty; leave the policy out for the defaults"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"margn": 0.1}, "got 'margn'; did you mean 'margin'? - at $"),
        ({"margin": 2}, "Expected a margin above 0 and below 1, such as 0.02 or 2% for 2 points, got 2 - at $.margin"),
        ({"margin": "200%"}, "such as 0.02 or 2% for 2 points, got '200%' - at $.margin"),
        ({"margin": "0.02"}, "got '0.02' - at $.margin"),
        ({"any_field": None}, "such as 0.05 or 5% for 5 points, or off, got nothing - at $.any_field"),
        ({"any_field": True}, "got true - at $.any_field"),
        ({"any_field": "none"}, "or off, got 'none' - at $.any_field"),
        ({"any_feld": "off"}, "got 'any_feld'; did you mean 'any_field'? - at $"),
        ({"metric": "exact_document"}, "got 'exact_document'; did you mean 'exact_documents'? - at $.metric"),
        ({"margin": 0}, "got 0 - at $.margin"),
        ({"margin": True}, "got true - at $.margin"),
        ({"margin": None}, "got nothing - at $.margin"),
        ({"margin": date(2024, 1, 1)}, "got 2024-01-01 - at $.margin"),
        ({"metric": "strictf1"}, "got 'strictf1'; did you mean 'strict_f1'? - at $.metric"),
        ({"confidence": 95}, "Expected a confidence above 0.5 and below 1, such as 0.95, got 95 - at $.confidence"),
        ({"confidence": "0.9"}, "got '0.9' - at $.confidence"),
        ({"fields": {"total": {"margin": 7}}}, "got 7 - at $.fields.total"),
        ({"fields": ["total"]}, "Expected names, with a setting for each, got a list - at $.fields"),
        ({"fields": {2024: 0.1}}, "Expected a name, in quotes where it could be read as a number"),
        ({"groups": {"money": 3}}, "Expected an object with fields or weight, got 3 - at $.groups.money"),
        ({"groups": {"money": {"weight": "2"}}}, "Expected a weight above 0, got '2' - at $.groups.money.weight"),
        ({"groups": {"money": {"weight": 0}}}, "Expected a weight above 0, got 0 - at $.groups.money.weight"),
        ({"groups": {"money": {}}}, "Expected either fields or weight - at $.groups.money"),
        ({"groups": {"money": {"fields": ["a"], "weight": 2}}}, "Expected either fields or weight"),
        ({"groups": {"money": {"feilds": ["a"]}}}, "got 'feilds'; did you mean 'fields'? - at $.groups.money"),
        ({"groups": {"money": {"fields": []}}}, "Expected at least one name, got an empty list - at $.groups.money"),
        ({"critical": "total"}, "Expected a list of names, got 'total' - at $.critical"),
        ({"critical": ["a", False]}, "got false - at $.critical[1]"),
        ({"budgets": {"failure": 1}}, "got 'failure'; did you mean 'failures'? - at $.budgets"),
        ({"budgets": {"failures": -1}}, "a percentage such as 5%, got -1 - at $.budgets.failures"),
        ({"budgets": {"failures": "150%"}}, "got '150%' - at $.budgets.failures"),
        ({"budgets": {"failures": 1.5}}, "got 1.5 - at $.budgets.failures"),
        ({r"x\[0": 1}, r"got 'x\[0' - at $"),
        ({7: 1}, "Expected the name of a setting, got 7"),
        ([], "Expected an object of settings, got an empty list - at $"),
    ],
)
def test_a_wrong_setting_is_refused_with_its_place(content: Any, message: str) -> None:
    """The error says what was expected, what came, where, and the nearest valid name."""
    with pytest.raises(SettingError) as refused:
        policy_of(content)
    assert message in str(refused.value)
    for word in ("dict", "instance", "Input", "datetime"):
        assert word not in str(refused.value)


def test_a_wrong_setting_is_told_with_its_file(tmp_path: Path) -> None:
    """The error names the file too, as a pipeline may have several."""
    path = policy_file(tmp_path, "margin: 7\n")
    with pytest.raises(SettingError, match=rf"got 7 - at \$\.margin in {re.escape(str(path))}$"):
        read_policy(path)


def test_what_was_found_is_told_shortly(tmp_path: Path) -> None:
    """Aliases that stand for a million values, or a long text, do not fill the screen."""
    lists = ["critical: &l0 [x]", *(f"k{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]" for n in range(1, 8))]
    bomb = yaml.safe_load("\n".join(lists))
    for value in (bomb["k7"], "x" * 5000):
        with pytest.raises(SettingError) as refused:
            policy_of({"margin": value})
        assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("limit", "written"), [(123456, "123456"), (0.05, "5%"), ("0.57%", "0.57%"), ("99.999%", "99.999%")]
)
def test_limits_are_written_as_they_were_given(limit: Any, written: str) -> None:
    """No digit of a budget is lost."""
    assert str(policy_of({"budgets": {"missed": limit}}).budgets["missed"]) == written


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("margin: [", "gate.yaml: it cannot be read from line 1, column 10 on"),
        ("margin: 1: 2", "gate.yaml: it cannot be read from line 1, column 10 on"),
        ("critical: [a]\nmargin: 0.1\ncritical: [b]\n", "'critical' is given a second time in line 3"),
        ("fields:\n  total: 0.1\n  total: 0.2\n", "'total' is given a second time in line 3"),
        ("- a\n", "Expected an object of settings, got a list"),
    ],
)
def test_a_file_that_is_no_policy_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """Broken YAML is refused, and so is a key that is given twice, of which one would be lost."""
    path = tmp_path / "gate.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingError) as refused:
        read_policy(path)
    assert message in str(refused.value)


def test_a_file_that_is_not_there_is_bad_input(tmp_path: Path) -> None:
    """The error names the file."""
    with pytest.raises(InputError, match=r"Cannot read .*nowhere\.yaml"):
        read_policy(tmp_path / "nowhere.yaml")


@pytest.mark.parametrize(
    ("patterns", "chosen"),
    [
        (["total"], ["total"]),
        (["line_items.*"], ["line_items.price", "line_items.sku"]),
        (["t*", "total"], ["total", "tax"]),
        (["*.sku", "tax"], ["line_items.sku", "tax"]),
        (["line_items"], ["line_items.price", "line_items.sku"]),
        (["line_items.price", "line_items"], ["line_items.price", "line_items.sku"]),
    ],
)
def test_patterns_stand_for_fields(patterns: list[str], chosen: list[str]) -> None:
    """A name stands for all below it, a star for any part of a name; a field that is named twice is taken once."""
    assert chosen_fields(patterns, FIELDS, path="$") == chosen


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("totl", "No field of the two runs is called 'totl'; did you mean 'total'? - at $.critical"),
        ("zzz*", "known are total, tax, line_items.price, line_items.sku - at $.critical"),
        ("line", "No field of the two runs is called 'line'"),
    ],
)
def test_a_pattern_that_stands_for_nothing_is_refused(pattern: str, message: str) -> None:
    """A misspelt field is no check that passes; the error has the nearest name, or all."""
    with pytest.raises(SettingError) as refused:
        chosen_fields([pattern], FIELDS, path="$.critical", among="the two runs")
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        (r"a\.b", [r"a\.b", r"a\.b.c"]),
        (r"x\[0]", [r"x\[0]", r"x\[0].y"]),
        (r"x\[0].*", [r"x\[0].y"]),
    ],
)
def test_names_with_dots_and_brackets_are_one_step(name: str, chosen: list[str]) -> None:
    """An escaped dot or bracket belongs to the name; above it stands only what an unescaped dot parts."""
    known = [r"a\.b", r"a\.b.c", r"x\[0]", r"x\[0].y", "x0.y"]
    assert chosen_fields([name], known) == chosen
    for unknown in ("a", "a\\", "x"):
        with pytest.raises(SettingError):
            chosen_fields([unknown], known)


def test_the_nearest_name_can_be_copied() -> None:
    """A backslash in it is not doubled."""
    with pytest.raises(SettingError) as refused:
        chosen_fields([r"x\[1]"], [r"x\[0]"])
    assert str(refused.value) == r"No field is called 'x\[1]'; did you mean 'x\[0]'?"


@given(st.integers(0, 1000), st.floats(0, 1), st.floats(0.001, 0.999))
def test_a_margin_changes_nothing_else(most: int, share: float, margin: float) -> None:
    """Another margin leaves all other settings as they are."""
    policy = policy_of({"budgets": {"failures": most, "missed": share}, "critical": ["a"], "fields": {"b": 0.1}})
    changed = with_settings(policy, margin=margin)
    assert changed.margin == margin
    assert with_settings(changed, margin=policy.margin) == policy
    assert with_settings(policy) is policy


def test_the_command_reads_the_example_of_the_page(tmp_path: Path) -> None:
    """On runs without the fields of the page's example the command refuses it, and names the first that is missing."""
    (tmp_path / "gate.yaml").write_text(example(), encoding="utf-8")
    run = write_run(tmp_path, {f"d{number}": document(number) for number in range(3)})
    error = command("gate", "--baseline", run, run, "--policy", tmp_path / "gate.yaml").exception
    assert isinstance(error, SettingError)
    assert "No field of the two runs is called 'vendor.name'" in str(error)
