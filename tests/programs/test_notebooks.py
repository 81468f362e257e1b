"""Every notebook runs from its first cell to its last."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.programs
NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))

# In a process of its own: the client's event loop and sockets are not this project's warnings.
_EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
place = {"metadata": {"path": sys.argv[2]}}
NotebookClient(notebook, timeout=None, startup_timeout=3600, kernel_name="here", resources=place).execute()
nbformat.write(notebook, sys.argv[3])
"""


@pytest.fixture
def kernel(tmp_path: Path) -> dict[str, str]:
    """Return the environment of a kernel that runs this very Python, and keeps its files in the test's folder."""
    spec = tmp_path / "jupyter" / "kernels" / "here"
    spec.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (spec / "kernel.json").write_text(json.dumps({"argv": command, "display_name": "here", "language": "python"}))
    folders = {name: str(tmp_path) for name in ("HOME", "IPYTHONDIR", "MPLCONFIGDIR", "JUPYTER_RUNTIME_DIR")}
    return {**os.environ, **folders, "JUPYTER_PATH": str(tmp_path / "jupyter"), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs(notebook: Path, tmp_path: Path, kernel: dict[str, str]) -> None:
    """No cell raises, its assertions among them, and nothing is written to the error stream of a cell."""
    done = tmp_path / "done.ipynb"
    command = [sys.executable, "-c", _EXECUTE, str(notebook), str(notebook.parent), str(done)]
    run = subprocess.run(command, env=kernel, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=3600)
    assert run.returncode == 0, run.stderr
    cells = json.loads(done.read_text())["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert [output["text"] for output in outputs if output.get("name") == "stderr"] == []
    assert any("image/png" in output.get("data", {}) for output in outputs)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_is_kept_without_outputs(notebook: Path) -> None:
    """What is stored is text that people wrote; a run makes the rest."""
    for cell in json.loads(notebook.read_text())["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
