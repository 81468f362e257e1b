"""The resolver from a bare zip: Python, boto3 and the files that ``fieldwise vendor-lambda --resolver`` writes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from fieldwise import bulk_aggregator
from fieldwise.cli.vendor_lambda import vendor_lambda
from fieldwise.errors import InputError
from tests.aws.world import Json, World, matrix, result, section

SOURCES = Path(bulk_aggregator.__file__).parent
BROUGHT_BY_BOTO3 = ("boto3", "botocore", "s3transfer", "jmespath", "urllib3", "dateutil", "six")
CALL = """
import json, sys
sys.path[:0] = sys.argv[1:]
import index
answer = index.handler(json.load(sys.stdin), None)
print(json.dumps([answer, sorted(name for name in sys.modules if name.partition(".")[0] == "fieldwise")]))
"""


def vendor(folder: Path, *options: str) -> str:
    """Run the command in this process and return what it prints."""
    done = CliRunner().invoke(vendor_lambda, [str(folder), "--resolver", *options], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def only_boto3(folder: Path) -> Path:
    """Return a folder with boto3 and what it needs, and nothing else."""
    folder.mkdir()
    for name in BROUGHT_BY_BOTO3:
        spec = find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        source = origin.parent if origin.name == "__init__.py" else origin
        (folder / source.name).symlink_to(source)
    return folder


def call(event: Json, *path: Path) -> Json:
    """Call the handler in a Python without site packages, environment variables of its own, or this package."""
    command = [sys.executable, "-I", "-S", "-W", "error", "-c", CALL, *map(str, path)]
    text = json.dumps(event)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, env=dict(os.environ))
    assert done.returncode == 0, done.stderr
    answer, loaded = json.loads(done.stdout)
    assert loaded == []
    return answer


def test_the_files_are_copies(tmp_path: Path) -> None:
    """Byte for byte, in the same places to one another; a second time nothing is written."""
    assert "index.handler" in vendor(tmp_path)
    package = tmp_path / "fieldwise_resolver"
    copied = {path.relative_to(package) for path in package.rglob("*.py")}
    originals = {path.relative_to(SOURCES) for path in (SOURCES / "aws").glob("*.py")}
    assert copied == originals | {Path("bulk_aggregator.py"), Path("__init__.py")}
    for name in copied - {Path("__init__.py")}:
        assert (package / name).read_bytes() == (SOURCES / name).read_bytes()
    assert "Wrote" not in vendor(tmp_path)


def test_a_file_that_differs_is_kept_unless_told(tmp_path: Path) -> None:
    """Somebody's own index.py stays."""
    (tmp_path / "index.py").write_text("mine")
    with pytest.raises(InputError, match="--force"):
        vendor(tmp_path)
    vendor(tmp_path, "--force")
    assert "handler" in (tmp_path / "index.py").read_text()


@pytest.mark.services
@pytest.mark.parametrize("is_zip", [False, True], ids=["folder", "zip"])
def test_the_copy_answers_with_boto3_alone(world: World, tmp_path: Path, is_zip: bool) -> None:
    """As the original does, and reads what the original cached."""
    vendor(tmp_path / "function")
    place = tmp_path / "function"
    if is_zip:
        place = Path(shutil.make_archive(str(tmp_path / "function"), "zip", place))
    boto3_only = only_boto3(tmp_path / "packages")
    world.put_run("run")
    world.put_result("run/a", result(section(matrix(1))))
    update = {"Records": [{"messageId": "1", "body": json.dumps({"testRunId": "run"})}]}
    assert call(update, place, boto3_only) == {"batchItemFailures": []}
    event = {"info": {"fieldName": "getTestRun"}, "arguments": {"testRunId": "run"}}
    world.set(OUTPUT_BUCKET="no-such-bucket")
    assert call(event, place, boto3_only) == world.query("getTestRun", testRunId="run")
    assert world.fields("run")["document_count"] == 1
