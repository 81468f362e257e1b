"""Comparators by name."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

import fieldwise.comparators as package
from fieldwise.comparators import (
    BaseComparator,
    LevenshteinComparator,
    build,
    catalogue,
    comparator_names,
    get_comparator_class,
    register_comparator,
)
from fieldwise.errors import SettingError


class Half(BaseComparator):
    """Finds everything half alike."""

    def __init__(self, share: float = 0.5, threshold: float | None = None) -> None:
        super().__init__(threshold)
        self.share = share

    def _compare(self, expected: Any, predicted: Any) -> float:
        return self.share


class Demanding(Half):
    """Refuses most settings in its own words."""

    def __init__(self, share: float = 0.5, threshold: float | None = None) -> None:
        super().__init__(share, threshold)
        if share != 0.5:
            raise ValueError("only a half will do")


def same_length(expected: Any, predicted: Any) -> float:
    return float(len(str(expected)) == len(str(predicted)))


@pytest.fixture(autouse=True)
def _own_names() -> Iterator[None]:
    before = dict(catalogue._registered)
    yield
    catalogue._registered.clear()
    catalogue._registered.update(before)


@pytest.mark.parametrize("name", sorted(catalogue.HOMES))
def test_names(name: str) -> None:
    """A comparator is found by its name, with and without the suffix, in any case."""
    cls = get_comparator_class(name)
    assert cls.__name__ == name
    assert get_comparator_class(name.removesuffix("Comparator")) is cls
    assert get_comparator_class(name.upper()) is cls
    assert name in comparator_names()


def test_build() -> None:
    """A comparator is made from its name and its settings."""
    assert build("levenshtein", {"normalize": False, "threshold": 0.8}) == LevenshteinComparator(False, 0.8)
    assert build("Levenshtein") == LevenshteinComparator()


def test_unknown_name() -> None:
    """A misspelt name is an error with the nearest name and the path."""
    with pytest.raises(SettingError, match="did you mean 'LevenshteinComparator'") as caught:
        build("LevenstheinComparator", {}, "$.vendor")
    assert caught.value.path == "$.vendor"
    assert "$.vendor" in str(caught.value)
    with pytest.raises(SettingError, match=r"known are .*NumericComparator"):
        get_comparator_class("zzzzzzz")
    with pytest.raises(SettingError, match="name of a comparator"):
        get_comparator_class(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "config", "message"),
    [
        ("Numeric", {"tolerence": 1}, "did you mean 'tolerance'"),
        ("Exact", {"zzz": 1}, "it has threshold, case_sensitive"),
        ("Exact", {"self": 1}, "no setting 'self'"),
        ("Numeric", {"tolerance": "1"}, "for `tolerance`"),
        ("Exact", ["a"], "object of settings"),
    ],
)
def test_wrong_settings(name: str, config: Any, message: str) -> None:
    """A wrong key or value is an error with the path."""
    with pytest.raises(SettingError, match=message) as caught:
        build(name, config, "$.total")
    assert str(caught.value).endswith("- at $.total")


def test_register_class() -> None:
    """A class is known under its name from then on."""
    register_comparator("HalfComparator", Half)
    assert build("half", {"share": 0.25}).compare("a", "b") == 0.25
    assert "HalfComparator" in comparator_names()
    with pytest.raises(SettingError, match="did you mean 'HalfComparator'"):
        build("halv")


def test_register_function() -> None:
    """A function of two values is enough."""
    register_comparator("same_length", same_length)
    comparator = build("same_length", {"threshold": 0.4})
    assert comparator.compare("abc", "xyz") == 1.0
    assert (comparator.name, comparator.threshold, comparator.config) == ("same_length", 0.4, {})
    assert pickle.loads(pickle.dumps(comparator)).compare("abc", "xyz") == 1.0


def test_errors_of_other_constructors_get_a_path() -> None:
    """What a registered class refuses is a wrong setting, too."""
    register_comparator("Demanding", Demanding)
    with pytest.raises(SettingError, match=r"only a half will do - at \$\.a"):
        build("Demanding", {"share": 1}, "$.a")


@pytest.mark.parametrize(
    ("name", "thing", "message"),
    [
        ("Levenshtein", Half, "not built in"),
        ("exactcomparator", same_length, "not built in"),
        ("", Half, "Expected a name"),
        ("mine", 5, "Expected a BaseComparator class or a function"),
        ("mine", dict, "Expected a BaseComparator class or a function"),
        ("mine", BaseComparator, "without it"),
    ],
)
def test_refused_registrations(name: str, thing: Any, message: str) -> None:
    """Built-in names stay what they are, and only comparators are registered."""
    with pytest.raises(SettingError, match=message):
        register_comparator(name, thing)


def test_entry_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Installed packages offer comparators through an entry point."""
    (tmp_path / "others.py").write_text("def alike(a, b):\n    return 1.0\n")
    info = tmp_path / "others-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: others\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[fieldwise.comparators]\nAlikeComparator = others:alike\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert EntryPoint("AlikeComparator", "others:alike", catalogue.ENTRY_POINTS).load()
    assert build("alike").compare("a", "b") == 1.0


def test_public_names() -> None:
    """Every public name can be imported, and nothing else is offered."""
    assert dir(package) == sorted(package.__all__)
    assert all(getattr(package, name) is not None for name in package.__all__)
    assert set(catalogue.HOMES) <= set(package.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = package.Nothing


def test_import_is_light() -> None:
    """Importing the package imports no solver, date parser, telephone data, HTTP client or model."""
    heavy = ["scipy", "dateutil", "phonenumbers", "rapidfuzz", "httpx", "sentence_transformers"]
    code = f"import sys, fieldwise.comparators; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"
