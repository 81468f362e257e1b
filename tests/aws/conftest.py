"""One S3 and DynamoDB for all test processes, an Athena for each; and for each test a bucket and a table of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest

from fieldwise.aws import resolver
from tests.aws.services import (
    ACCESS_KEY,
    PATIENCE,
    ROOT,
    SECRET_KEY,
    NotStartedError,
    athena_server,
    lock_of,
    missing_programs,
)
from tests.aws.world import Json, World, create_table

REGION = "us-east-1"


@pytest.fixture(scope="session")
def addresses() -> Iterator[dict[str, str]]:
    """Yield where S3, DynamoDB and Athena are; the first process that asks starts them, the last one ends them."""
    if absent := missing_programs():
        pytest.skip(f"make services installs what is missing: {', '.join(absent)}")
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    folder = Path(tempfile.gettempdir(), f"fieldwise-services-{run}")
    user = folder / "users" / str(os.getpid())
    with lock_of(folder):
        user.parent.mkdir(parents=True, exist_ok=True)
        user.touch()
        if not (folder / "addresses.json").exists():
            _start(folder)
        found: dict[str, str] = json.loads((folder / "addresses.json").read_text())
    # What queries give is preset one query after the other, so that test processes need an Athena each.
    with athena_server(folder / f"athena-{os.getpid()}") as athena:
        yield {**found, "athena": athena}
    user.unlink()


def _start(folder: Path) -> None:
    log = folder / "servers.out"
    with log.open("wb") as output:
        command = [sys.executable, "-m", "tests.aws.services", str(folder)]
        # Not a child of this process's group: what ends this one must not end them while others use them.
        servers = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=output, start_new_session=True)
    limit = time.monotonic() + 2 * PATIENCE
    while not (folder / "addresses.json").exists():
        if servers.poll() is not None or time.monotonic() > limit:
            raise NotStartedError(log.read_text() if log.exists() else "the servers ended at once")
        time.sleep(0.1)
    servers.returncode = 0  # nobody waits for it: it ends when the last process that uses it has ended


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Yield an environment without settings of anybody's own account; the resolver's clients are made anew."""
    for name in [name for name in os.environ if name.startswith(("AWS_", "ATHENA_"))]:
        monkeypatch.delenv(name)
    values = {
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    resolver.services.cache_clear()
    yield monkeypatch
    resolver.services.cache_clear()


@pytest.fixture(scope="session")
def clients(addresses: dict[str, str]) -> tuple[Json, Json]:
    """Return the tests' own clients of S3 and DynamoDB."""
    session = boto3.session.Session(ACCESS_KEY, SECRET_KEY, region_name=REGION)
    s3 = session.client("s3", endpoint_url=addresses["s3"])
    return s3, session.resource("dynamodb", endpoint_url=addresses["dynamodb"])


@pytest.fixture
def world(addresses: dict[str, str], clients: tuple[Json, Json], environment: pytest.MonkeyPatch) -> Iterator[World]:
    """Yield a bucket and a table of their own, in an environment in which the resolver finds them."""
    name = f"test-{uuid.uuid4().hex}"
    for service, server in {"S3": "s3", "DYNAMODB": "dynamodb", "ATHENA": "athena", "SQS": "athena"}.items():
        environment.setenv(f"AWS_ENDPOINT_URL_{service}", addresses[server])
    environment.setenv("OUTPUT_BUCKET", name)
    environment.setenv("TRACKING_TABLE", name)
    environment.setenv("ATHENA_OUTPUT_LOCATION", "s3://answers/")
    s3, dynamodb = clients
    s3.create_bucket(Bucket=name)
    table = create_table(dynamodb, name)
    yield World(s3, table, bucket=name, addresses=addresses, environment=environment)
    table.delete()
