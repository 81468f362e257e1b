"""How long the resolver for AWS takes to read the results of a run, and how long one read after the other takes.

S3 is a Ceph gateway on this machine (``make services`` installs it) behind a proxy that delays every request.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from tests.aws.faults import fault_proxy
from tests.aws.services import ACCESS_KEY, SECRET_KEY, s3_server
from tests.aws.world import matrix, result, section

from benchmarks import machine
from fieldwise import BulkEvaluationAggregator
from fieldwise.aws.documents import list_document_keys, read_documents
from fieldwise.aws.metrics import summarize

BUCKET, RUN = "results", "run"
READERS = 32


def client(address: str, connections: int) -> Any:
    """Return a client of S3, as boto3 makes it but for the number of connections."""
    session = boto3.session.Session(ACCESS_KEY, SECRET_KEY, region_name="us-east-1")
    return session.client("s3", endpoint_url=address, config=Config(max_pool_connections=connections))


def one_by_one(s3: Any) -> dict[str, Any]:
    """Read a run as a plain loop does."""
    aggregator = BulkEvaluationAggregator()
    for key in list_document_keys(s3, BUCKET, RUN):
        answer = s3.get_object(Bucket=BUCKET, Key=f"{key}/evaluation/results.json")
        for held in json.loads(answer["Body"].read())["section_results"]:
            aggregator.update(held["metrics"]["confusion_matrix"], key, group=held["document_class"])
    return aggregator.compute()


def concurrently(s3: Any) -> dict[str, Any]:
    """Read a run as the resolver does."""
    keys = list_document_keys(s3, BUCKET, RUN)
    found: dict[str, Any] = summarize(read_documents(s3, BUCKET, keys, readers=READERS))["field_level_metrics"]
    return found


def write_run(address: str, documents: int) -> int:
    """Write the results of a run and return the bytes of one."""
    s3 = client(address, 16)
    s3.create_bucket(Bucket=BUCKET)
    bodies = [json.dumps(result(section(matrix(number)))).encode() for number in range(105)]

    def put(number: int) -> None:
        name = f"{RUN}/document {number:05d}.pdf/evaluation/results.json"
        s3.put_object(Bucket=BUCKET, Key=name, Body=bodies[number % len(bodies)])

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(put, range(documents)))
    return len(bodies[0])


@contextmanager
def delayed(address: str, latency: float) -> Iterator[str]:
    """Run the proxy in a process of its own, where it takes no time from the reader, and yield its address."""
    command = [sys.executable, "-m", "benchmarks.resolver", "--proxy", address, "--latency", str(latency)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True) as proxy:
        assert proxy.stdout is not None
        assert proxy.stdin is not None
        yield proxy.stdout.readline().strip()
        proxy.stdin.close()


def run_proxy(address: str, latency: float) -> None:
    """Run a proxy until standard input ends."""
    with fault_proxy(address) as faults:
        faults.latency = latency
        print(faults.address, flush=True)
        sys.stdin.read()


def timed(read: Callable[[Any], dict[str, Any]], s3: Any) -> tuple[float, float, dict[str, Any]]:
    """Return the seconds and CPU seconds of a reading, and what it computed."""
    start, cpu = time.perf_counter(), time.process_time()
    found = read(s3)
    return time.perf_counter() - start, time.process_time() - cpu, found


def report(documents: int, latency: float) -> str:
    """Measure both ways and return a table."""
    with tempfile.TemporaryDirectory() as folder, s3_server(Path(folder, "s3")) as server:
        size = write_run(server, documents)
        with delayed(server, latency) as address:
            fast, fast_cpu, ours = timed(concurrently, client(address, READERS))
            slow, slow_cpu, theirs = timed(one_by_one, client(address, 1))
    assert ours == theirs
    return "\n".join(
        [
            f"{documents:,} results of about {size:,} bytes; every request is delayed by {latency * 1000:.0f} ms.",
            "",
            "| way of reading | seconds | CPU seconds | ms a document |",
            "|---|---:|---:|---:|",
            f"| one after the other | {slow:.1f} | {slow_cpu:.1f} | {1000 * slow / documents:.1f} |",
            f"| the resolver, {READERS} at a time | {fast:.1f} | {fast_cpu:.1f} | {1000 * fast / documents:.1f} |",
            "",
            f"The resolver is {slow / fast:.1f} times as fast and computes the same metrics.",
        ]
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=5000)
    parser.add_argument("--latency", type=float, default=0.02)
    parser.add_argument("--proxy", metavar="ADDRESS", help="Only run the proxy, until standard input ends.")
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    if options.proxy:
        run_proxy(options.proxy, options.latency)
        return
    found = report(options.documents, options.latency)
    print(found)
    if options.write:
        title = "Reading the results of a run from S3"
        machine.write_section(options.write, title, "python -m benchmarks.resolver", found)


if __name__ == "__main__":
    main()
