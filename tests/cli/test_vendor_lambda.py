"""``fieldwise vendor-lambda`` copies the aggregator, byte for byte, and never overwrites by accident."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fieldwise import bulk_aggregator
from fieldwise.cli.vendor_lambda import vendor_lambda
from fieldwise.errors import InputError

ORIGINAL = Path(bulk_aggregator.__file__).read_bytes()


def run(*arguments: str) -> Result:
    """Run the command in this process; errors come out as they are raised."""
    return CliRunner().invoke(vendor_lambda, list(arguments), catch_exceptions=False)


def test_the_copy_has_the_same_bytes(tmp_path: Path) -> None:
    """The folder is created, the file is the original, and the output says what to import."""
    done = run(str(tmp_path / "new" / "lambda"))
    assert done.exit_code == 0
    assert (tmp_path / "new" / "lambda" / "bulk_aggregator.py").read_bytes() == ORIGINAL
    assert "from bulk_aggregator import BulkEvaluationAggregator" in done.output
    assert [path.name for path in (tmp_path / "new" / "lambda").iterdir()] == ["bulk_aggregator.py"]


def test_the_copy_works_without_the_package(tmp_path: Path) -> None:
    """A Python without site packages aggregates with the copy."""
    run(str(tmp_path))
    result = tmp_path / "result.json"
    result.write_text(json.dumps({"confusion_matrix": {"fields": {"total": {"tp": 1}}}}))
    command = [sys.executable, "-I", "-S", str(tmp_path / "bulk_aggregator.py"), str(result)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["fields"]["total"]["tp"] == 1


def test_an_equal_file_is_left_alone(tmp_path: Path) -> None:
    """A second run changes nothing and succeeds."""
    run(str(tmp_path))
    before = (tmp_path / "bulk_aggregator.py").stat().st_mtime_ns
    done = run(str(tmp_path))
    assert done.exit_code == 0
    assert "Unchanged" in done.output
    assert (tmp_path / "bulk_aggregator.py").stat().st_mtime_ns == before


def test_a_different_file_is_refused_and_replaced_by_force(tmp_path: Path) -> None:
    """Somebody's own file stays, unless --force is given."""
    target = tmp_path / "bulk_aggregator.py"
    target.write_text("mine")
    with pytest.raises(InputError, match="--force"):
        run(str(tmp_path))
    assert target.read_text() == "mine"
    assert run(str(tmp_path), "--force").exit_code == 0
    assert target.read_bytes() == ORIGINAL


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    """Where DIR lies under a file, the message names the target."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Cannot write"):
        run(str(tmp_path / "file" / "lambda"))


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    """DIR is a folder; a file in its place is a usage error."""
    (tmp_path / "file").write_text("")
    assert run(str(tmp_path / "file")).exit_code == 2
