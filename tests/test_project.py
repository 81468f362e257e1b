"""The project holds to its own rules: public names, import weight, no addresses, one exception tree."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import fieldwise
import fieldwise.comparators
from fieldwise import errors

ROOT = Path(__file__).parent.parent
NEIGHBOUR = re.compile(r"\.\./shar[e]d|([\"'])shar[e]d\1")

SEED_NAMES = [
    "StructuredModel",
    "ComparableField",
    "NonMatchField",
    "NonMatchType",
    "compare_json",
    "compare_structured_models",
    "anls_score",
    "evaluate",
    "eval_for",
    "EvalResult",
    "EvalSpec",
    "register_comparator",
    "Spec",
    "Plan",
    "Comparison",
    "BaseComparator",
    "ExactComparator",
    "LevenshteinComparator",
    "NumericComparator",
    "FuzzyComparator",
    "NormalizedComparator",
    "DateComparator",
    "PhoneComparator",
    "BBoxIoUComparator",
    "ANLSStarComparator",
    "SemanticComparator",
    "LLMComparator",
    "BooleanComparator",
    "ContainsComparator",
    "CurrencyComparator",
    "EnumComparator",
    "StructuredModelComparator",
]


@pytest.mark.parametrize("name", SEED_NAMES)
def test_promised_names_are_public(name: str) -> None:
    """Every name that the package promises can be imported from the package."""
    assert name in fieldwise.__all__
    assert getattr(fieldwise, name) is not None


def test_all_is_what_is_importable() -> None:
    """Each name in ``__all__`` exists, and ``dir`` shows nothing else."""
    assert dir(fieldwise) == sorted(fieldwise.__all__)
    for name in fieldwise.__all__:
        assert hasattr(fieldwise, name), name


def test_comparators_exports_the_same_comparators() -> None:
    """The comparators of the package and of ``fieldwise.comparators`` are the same objects."""
    for name in fieldwise.__all__:
        if name.endswith("Comparator"):
            assert getattr(fieldwise, name) is getattr(fieldwise.comparators, name)


def test_what_is_no_inner_loop_is_where_it_is_run() -> None:
    """`make test` runs two jobs: marked tests are in the folders of the second, and nothing else marks its tests."""
    made = dict(re.findall(r"^(BESIDE\w*) := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    marks, folders = made["BESIDE"].split(" or "), made["BESIDE_FOLDERS"].split()
    marking = re.compile(rf"\bmark\.({'|'.join(marks)})\b")
    marked = [path for path in (ROOT / "tests").rglob("*.py") if marking.search(path.read_text(encoding="utf-8"))]
    assert len(marked) > 10
    assert [path for path in marked if not any(path.is_relative_to(ROOT / folder) for folder in folders)] == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    """A misspelt name fails as on any module."""
    with pytest.raises(AttributeError, match="StructuredModle"):
        _ = fieldwise.StructuredModle


def test_importing_the_package_imports_nothing_heavy() -> None:
    """``import fieldwise`` loads neither numpy nor pydantic nor scipy; these come when they are needed."""
    code = "import fieldwise, sys; print([m for m in ('numpy', 'pydantic', 'scipy', 'rapidfuzz') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_comparing_does_not_load_the_assignment_solver_until_it_is_needed() -> None:
    """scipy.optimize is the slowest import; a comparison without contested list items does without it."""
    code = """
import sys, fieldwise
plan = fieldwise.Plan.compile(fieldwise.Spec.infer([{"a": "x", "l": ["p", "q"]}]))
plan.compare({"a": "x", "l": ["p", "q"]}, {"a": "x", "l": ["q", "p"]}).to_dict(include_confusion_matrix=True)
print("scipy.optimize" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_every_exception_is_in_the_drawn_tree() -> None:
    """The docstring of ``errors`` draws every exception, and all inherit FieldwiseError."""
    drawn = set(re.findall(r"\b([A-Z]\w+Error)\b", errors.__doc__ or ""))
    own = {name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)}
    assert own <= drawn
    for name in own - {"FieldwiseError"}:
        assert issubclass(getattr(errors, name), errors.FieldwiseError)
        assert len(getattr(errors, name).__mro__) > 3, f"{name} is also a built-in error"


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-peers.lock"])
def test_lock_files_pin_with_hashes_and_hold_no_address(name: str) -> None:
    """Lock files name packages, versions and hashes, nothing else."""
    text = (ROOT / name).read_text()
    assert "://" not in text
    pins = re.findall(r"^([\w.-]+)==\S+", text, re.MULTILINE)
    assert len(pins) > 20
    assert text.count("--hash=sha256:") >= len(pins)


def test_the_aggregator_file_needs_nothing_but_the_standard_library() -> None:
    """``bulk_aggregator.py`` runs isolated, without site packages."""
    path = ROOT / "src" / "fieldwise" / "bulk_aggregator.py"
    done = subprocess.run([sys.executable, "-I", "-S", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("folder", ["src", "tests", "benchmarks", "examples", "notebooks", "docs", "tools"])
def test_nothing_refers_to_a_folder_beside_the_repository(folder: str) -> None:
    """A clone alone runs every test, benchmark and example."""
    files = [path for path in (ROOT / folder).rglob("*") if path.suffix in {".py", ".md", ".json", ".ipynb"}]
    assert files
    assert [str(path) for path in files if NEIGHBOUR.search(path.read_text("utf-8"))] == []
