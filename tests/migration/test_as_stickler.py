"""Code with stickler's own imports after ``import fieldwise.as_stickler``: in processes of their own, as it lasts."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fieldwise.migration.names import HOME_OF, MODULES, UNSERVED, why_unserved
from tests.conformance import peer
from tests.migration.scripts import REPORT, SCRIPTS

DOCS = Path(__file__).parents[2] / "docs" / "compatibility.md"
FIRST = "import fieldwise.as_stickler\n"
RECORDED = json.loads((Path(__file__).parent / "recorded.json").read_text("utf-8"))
"""What stickler-eval 1.0.0 prints for the scripts."""


def ran(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in a folder."""
    (folder / "script.py").write_text(script, "utf-8")
    return subprocess.run(
        [sys.executable, "-W", "ignore", "script.py"], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_prints_what_it_prints_with_stickler(name: str, tmp_path: Path) -> None:
    """The same lines, after one line before its own imports."""
    done = ran(FIRST + SCRIPTS[name], tmp_path)
    assert done.stdout.splitlines() == RECORDED[name], done.stderr


def test_the_reporter_writes_our_page(tmp_path: Path) -> None:
    """From the lines of an evaluator and from a single result; from sums alone their tables."""
    done = ran(FIRST + REPORT, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-3:] == [
        "reports/page.html 1 executive_summary,field_analysis,non_matches,confusion_matrix",
        "reports/sums.html 1 executive_summary,field_analysis,non_matches,confusion_matrix",
        "one.html 1 executive_summary,field_analysis,non_matches,confusion_matrix",
    ]
    assert 'id="answers"' in (tmp_path / "reports" / "page.html").read_text("utf-8")
    assert "lines.price" in (tmp_path / "reports" / "sums.html").read_text("utf-8")
    matrix = (tmp_path / "matrix.txt").read_text("utf-8")
    assert "lines.price" in matrix
    assert "vendor" not in matrix


def test_every_name_of_the_table_is_there(tmp_path: Path) -> None:
    """With ``from module import name``, ``from module import *`` and as an attribute of its package."""
    lines = [f"from {module} import {name}" for module, names in MODULES.items() for name in names]
    lines += [f"from {module} import *" for module in MODULES]
    lines += ["import stickler", *(f"{module}.{name}" for module, names in MODULES.items() for name in names)]
    done = ran(FIRST + "\n".join(lines), tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_table_has_no_name_that_comes_from_nowhere() -> None:
    """Each name that a module lists has a home, and each home is of a name that some module lists."""
    listed = {name for names in MODULES.values() for name in names}
    assert listed == set(HOME_OF)


def test_what_is_not_served_says_what_to_use(tmp_path: Path) -> None:
    """It is an ImportError in one sentence."""
    refused = {
        "from stickler.auto import infer_field_config": "EvalSpec.explain() says how each field is compared",
        "import stickler.structured_object_evaluator.trees.base": "fieldwise.Plan compares here",
        "from stickler.comparators.utils import generate_bedrock_embedding": "embedding_function",
        "from stickler.reporting.html import SectionGenerator": "EvaluationHTMLReporter writes",
        "from stickler import nothing": "cannot import name 'nothing'",
        "import stickler.nothing": "No module named 'stickler.nothing'",
    }
    tried = (f"try:\n    {statement}\nexcept ImportError as error:\n    print(error)\n" for statement in refused)
    done = ran(FIRST + "".join(tried), tmp_path)
    said = done.stdout.splitlines()
    assert len(said) == len(refused), done.stderr
    for words, line in zip(refused.values(), said, strict=True):
        assert words in line


def test_after_stickler_itself_it_is_refused(tmp_path: Path) -> None:
    """Two libraries of one name in a program would mix."""
    (tmp_path / "stickler.py").write_text("")
    done = ran(f"import stickler\ntry:\n    {FIRST}except ImportError as error:\n    print(error)\n", tmp_path)
    assert "stickler is imported already; put `import fieldwise.as_stickler` before" in done.stdout


def test_it_goes_before_an_installed_stickler(tmp_path: Path) -> None:
    """Where stickler is installed and not yet imported, its imports are served from here."""
    (tmp_path / "stickler.py").write_text("raise SystemExit('the other one')")
    done = ran(f"{FIRST}import stickler\nprint(stickler.ExactComparator.__module__)", tmp_path)
    assert done.stdout.strip() == "fieldwise.comparators.text", done.stderr


def documented() -> dict[str, str]:
    """Return the names that the page says are not served, each with its reason."""
    section = DOCS.read_text("utf-8").partition("## Module paths")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.+`) \| (.+?) \|$", section, re.MULTILINE)
    return {f"stickler.{name}": reason for names, reason in rows for name in re.findall(r"`([^`]+)`", names)}


def test_the_page_lists_what_is_not_served() -> None:
    """The same names, with the same reasons, as the module says them."""
    assert {path: reason.replace("`", "") for path, reason in documented().items()} == UNSERVED


@pytest.mark.peers
@pytest.mark.skipif(not peer.INSTALLED, reason="stickler-eval is not installed")
def test_every_public_name_of_stickler_is_served_or_listed(tmp_path: Path) -> None:
    """Of every module: its ``__all__``, and what it defines itself."""
    done = ran(_WALK, tmp_path)
    names = json.loads(done.stdout.splitlines()[-1])
    assert len(names) > 200, done.stderr
    served = {f"{module}.{name}" for module, listed in MODULES.items() for name in listed}
    missing = [path for path in names if path not in served and path not in MODULES and why_unserved(path) is None]
    assert missing == []


@pytest.mark.peers
@pytest.mark.skipif(not peer.INSTALLED, reason="stickler-eval is not installed")
@pytest.mark.parametrize("name", SCRIPTS)
def test_what_is_recorded_is_what_stickler_prints(name: str, tmp_path: Path) -> None:
    """The scripts run with stickler itself."""
    assert ran(SCRIPTS[name], tmp_path).stdout.splitlines() == RECORDED[name]


_WALK = """
import importlib, json, logging, pkgutil
logging.disable(logging.CRITICAL)
import stickler

names = set()
for info in [pkgutil.ModuleInfo(None, "stickler", True), *pkgutil.walk_packages(stickler.__path__, "stickler.")]:
    names.add(info.name)
    try:
        module = importlib.import_module(info.name)
    except ImportError:
        continue
    here = {name for name, value in vars(module).items() if getattr(value, "__module__", None) == info.name}
    constants = {name for name in vars(module) if name.isupper() and name not in ("ABC", "IO", "TYPE_CHECKING", "UUID")}
    public = {name for name in here if not name.startswith("_")} | set(getattr(module, "__all__", ()))
    own = public | {name for name in constants if "_" in name and not hasattr(module, "__all__")}
    names |= {f"{info.name}.{name}" for name in own if not name.startswith("_")}
print(json.dumps(sorted(names)))
"""
