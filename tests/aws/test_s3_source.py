"""Documents under S3 addresses, from a real gateway: read as folders are, and never counted where the service fails."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

import fieldwise
from fieldwise.errors import FieldwiseError
from fieldwise.limits import ReadLimits
from fieldwise.readers import buckets
from fieldwise.readers.fetched import fetch_documents
from fieldwise.readers.temporary import Scratch
from fieldwise.readers.trees import list_trees
from tests.aws.faults import Faults, fault_proxy
from tests.aws.world import Json
from tests.command_line import run
from tests.folders import files_of as stored_files

pytestmark = pytest.mark.services


@dataclass
class Bucket:
    """A bucket of its own, and the tests' client."""

    s3: Json
    name: str
    environment: pytest.MonkeyPatch

    def put(self, objects: Mapping[str, bytes]) -> None:
        def put(item: tuple[str, bytes]) -> None:
            self.s3.put_object(Bucket=self.name, Key=item[0], Body=item[1])

        with ThreadPoolExecutor(16) as pool:
            list(pool.map(put, objects.items()))

    def put_folder(self, folder: Path, prefix: str) -> None:
        files = (path for path in folder.rglob("*") if path.is_file())
        self.put({f"{prefix}/{path.relative_to(folder).as_posix()}": path.read_bytes() for path in files})

    def at(self, key: str) -> str:
        return f"s3://{self.name}/{key}"


@pytest.fixture
def bucket(addresses: dict[str, str], clients: tuple[Json, Json], environment: pytest.MonkeyPatch) -> Bucket:
    environment.setenv("AWS_ENDPOINT_URL", addresses["s3"])
    name = f"source-{uuid.uuid4().hex}"
    clients[0].create_bucket(Bucket=name)
    return Bucket(clients[0], name, environment)


@pytest.fixture
def faults(addresses: dict[str, str], bucket: Bucket) -> Iterator[Faults]:
    """Yield what goes wrong on the way to the bucket from now on."""
    with fault_proxy(addresses["s3"]) as found:
        bucket.environment.setenv("AWS_ENDPOINT_URL", found.address)
        yield found


def document(number: int, side: str) -> bytes:
    total = number if side == "expected" or number % 3 else number + 1
    return json.dumps({"number": f"INV-{number}", "total": total, "vendor": "Müller & Söhne"}).encode()


def write_folders(root: Path, count: int) -> None:
    for side in ("expected", "predicted"):
        for number in range(count):
            path = root / side / f"{number % 7}" / f"ü {number}+%20.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(document(number, side))
    (root / "predicted" / "notes.txt").write_text("not a document")
    (root / "expected" / "0" / "broken.json").write_text("{")
    (root / "expected" / "only.JSON").write_bytes(document(1, "expected"))


def files_of(folder: Path) -> dict[str, bytes]:
    """Return what a run is made of; the page holds the title and the description of the input."""
    return {name: content for name, content in stored_files(folder).items() if name != "report.html"}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_prefix_is_read_as_a_folder_is(bucket: Bucket, tmp_path: Path, workers: int) -> None:
    """The same documents in folders and under prefixes give the same files, byte for byte."""
    write_folders(tmp_path, 40)
    for side in ("expected", "predicted"):
        bucket.put_folder(tmp_path / side, side)
        bucket.put({f"{side}2/other.json": b"{}", f"{side}/folder/": b""})
    local = run("evaluate", tmp_path / "expected", tmp_path / "predicted", "--out", tmp_path / "local")
    ways = ("--out", tmp_path / "s3", "--workers", str(workers))
    fetched = run("evaluate", bucket.at("expected"), bucket.at("predicted/"), *ways)
    assert (fetched.returncode, fetched.stderr) == (local.returncode, local.stderr)
    held, same = files_of(tmp_path / "s3"), files_of(tmp_path / "local")
    for name in ("metrics.json", "failures.jsonl"):  # these list reasons, which name the object
        held[name] = held[name].replace(bucket.at("").encode(), b"")
    assert held.pop("documents/000000.parquet")
    assert same.pop("documents/000000.parquet")
    assert held == same


def test_reasons_name_the_address(bucket: Bucket, tmp_path: Path) -> None:
    """A document that cannot be read is listed with the address of its object."""
    bucket.put({"e/a.json": b'{"x": 1}', "e/b.json": b"{", "p/a.json": b'{"x": 1}', "p/b.json": b'{"x": 1}'})
    ended = run("evaluate", bucket.at("e"), bucket.at("p"), "--out", tmp_path / "out")
    assert ended.returncode == 3
    (failure,) = map(json.loads, (tmp_path / "out" / "failures.jsonl").read_text().splitlines())
    assert failure["document"] == "b"
    assert f"{bucket.at('e')}/b.json" in failure["reason"]


def test_sections_are_read_and_nothing_beside_them_is_fetched(bucket: Bucket, faults: Faults) -> None:
    """The layout of a pipeline is one document, and the pages beside its sections stay where they are."""
    section = json.dumps({"document_class": "Payslip", "inference_result": {"net": 12}}).encode()
    for side in ("expected", "predicted"):
        bucket.put({f"{side}/loan.pdf/sections/{n}/result.json": section for n in (1, 2)})
        bucket.put({f"{side}/loan.pdf/pages/{n}/result.json": b"{}" for n in range(50)})
    source = fieldwise.open_pairs(bucket.at("expected"), bucket.at("predicted"))
    assert faults.seen == 2 + 4
    (pair,) = [pair for shard in source.shards(10) for pair in shard.read()]
    assert pair.id == "loan.pdf"
    assert pair.sections is not None
    assert [section.id for section in pair.sections.predicted] == ["1", "2"]


def test_one_prefix_holds_both_sides(bucket: Bucket) -> None:
    """An address above expected/ and predicted/ is enough, as a folder with both is."""
    bucket.put({f"run/{side}/{n}.json": document(n, side) for side in ("expected", "predicted") for n in range(4)})
    assert fieldwise.evaluate_pairs(bucket.at("run")).metrics.documents["scored"] == 4


def test_a_prefix_and_a_folder_are_a_pair(bucket: Bucket, tmp_path: Path) -> None:
    """Truth may lie in a folder while predictions are in a bucket."""
    bucket.put({"predicted/1.json": document(1, "predicted")})
    (tmp_path / "1.json").write_bytes(document(1, "expected"))
    source = fieldwise.open_pairs(tmp_path, bucket.at("predicted"))
    assert source.describe() == "a folder and a bucket folder, 1 document"
    assert fieldwise.evaluate_pairs(source).metrics.documents["scored"] == 1


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "json"])
def test_an_object_is_read_as_a_file_is(bucket: Bucket, suffix: str) -> None:
    """An address of a single object with a known suffix stands for a file."""
    content = {
        "jsonl": b'{"id": "a", "x": 1}\n{"id": "b", "x": 2}\n',
        "csv": b"id,x\na,1\nb,2\n",
        "json": b'[{"id": "a", "x": 1}, {"id": "b", "x": 2}]',
    }[suffix]
    bucket.put({f"e/data.{suffix}": content, f"p/data.{suffix}": content})
    found = fieldwise.evaluate_pairs(bucket.at(f"e/data.{suffix}"), predicted=bucket.at(f"p/data.{suffix}"))
    assert found.metrics.documents["scored"] == 2
    assert found.metrics.aggregate.tp == 2


def test_thousands_of_objects_are_read_in_a_fixed_order_through_a_bad_connection(
    bucket: Bucket, faults: Faults
) -> None:
    """Refused, cut and dropped requests are repeated; ids, order and fingerprint are the same each time."""
    count = 3000
    bucket.put({f"e/{n}.json": document(n, "expected") for n in range(count)})
    bucket.put({f"p/{n}.json": document(n, "predicted") for n in range(count)})
    first = fieldwise.open_pairs(bucket.at("e"), bucket.at("p"))
    faults.throttled = range(faults.seen + 100, faults.seen + 160)
    faults.cut = range(faults.seen + 500, faults.seen + 530)
    faults.dropped = range(faults.seen + 1000, faults.seen + 1030)
    second = fieldwise.open_pairs(bucket.at("e"), bucket.at("p"))
    pairs = [[pair for shard in source.shards(500) for pair in shard.read()] for source in (first, second)]
    assert pairs[0] == pairs[1]
    assert [pair.id for pair in pairs[0]] == sorted(str(n) for n in range(count))
    assert first.fingerprint() == second.fingerprint()
    bucket.put({"p/7.json": document(8, "predicted")})
    assert fieldwise.open_pairs(bucket.at("e"), bucket.at("p")).fingerprint() != first.fingerprint()


def test_a_service_that_stays_away_ends_the_run(
    bucket: Bucket, faults: Faults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An object that cannot be fetched after all retries is no count: nothing is evaluated, and the error says why."""
    monkeypatch.setattr(buckets, "_RETRIES", 1)
    bucket.put({f"{side}/{n}.json": document(n, side) for side in ("e", "p") for n in range(100)})
    faults.throttled = range(faults.seen + 50, 10**9)
    ended = run("evaluate", bucket.at("e"), bucket.at("p"), "--out", tmp_path / "out")
    assert ended.returncode == 2
    assert f"Cannot reach {bucket.at('e')}/" in ended.stderr
    assert "503 Service Unavailable SlowDown" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("change", ["removed", "replaced"])
def test_an_object_that_changes_after_the_listing_ends_the_run(bucket: Bucket, change: str) -> None:
    """What is compared is what was listed; a prediction that vanished meanwhile does not count as missed."""
    bucket.put({"e/a.json": b'{"x": 1}', "p/a.json": b'{"x": 1}'})
    address = buckets.parse_address(bucket.at("p"))
    listed = buckets.list_objects(buckets.open_store(address), address, ReadLimits())
    listing = list_trees(listed, listed)
    if change == "removed":
        bucket.s3.delete_object(Bucket=bucket.name, Key="p/a.json")
    else:
        bucket.put({"p/a.json": b'{"x": 2}'})
    with pytest.raises(FieldwiseError, match="was changed or removed after it was listed") as caught:
        fetch_documents(listed, listing, "predicted", Scratch())
    assert caught.value.code == "input.changed"


def code_of(expected: str, predicted: str | None = None, *, max_unpacked: int = ReadLimits.max_unpacked) -> str:
    with pytest.raises(FieldwiseError) as caught:
        fieldwise.open_pairs(expected, predicted, max_unpacked=max_unpacked)
    return caught.value.code


def test_wrong_addresses_are_errors(bucket: Bucket) -> None:
    """A missing bucket or prefix, a name that is none, and inputs that cannot be matched are said before anything."""
    bucket.put({"e/a.json": b"{}", "e/a.jsonl": b"{}\n", "t.csv": b"expected,predicted\na,b\n"})
    assert code_of("s3://no-such-bucket-here/e", bucket.at("e")) == "input.not_found"
    assert code_of(bucket.at("e"), bucket.at("nowhere")) == "input.not_found"
    assert code_of("s3://a b/c", bucket.at("e")) == "input.not_found"
    assert code_of(bucket.at("e"), bucket.at("e/a.jsonl")) == "input.different_formats"
    assert code_of(bucket.at("t.csv")) == "input.different_formats"
    assert code_of(bucket.at("e")) == "input.no_pairs"


def test_missing_and_wrong_credentials_are_errors(bucket: Bucket) -> None:
    """Credentials come from the environment; without any, nobody on the network is asked for some."""
    bucket.put({"e/a.json": b"{}"})
    bucket.environment.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    assert code_of(bucket.at("e"), bucket.at("e")) == "input.unreadable"
    bucket.environment.delenv("AWS_SECRET_ACCESS_KEY")
    assert code_of(bucket.at("e"), bucket.at("e")) == "input.unreadable"
    bucket.environment.delenv("AWS_ACCESS_KEY_ID")
    assert code_of(bucket.at("e"), bucket.at("e")) == "input.no_credentials"
    bucket.environment.setenv("AWS_SKIP_SIGNATURE", "true")
    assert code_of(bucket.at("e"), bucket.at("e")) == "input.unreadable"
    bucket.environment.setenv("AWS_ENDPOINT_URL", "localhost:9000")
    assert code_of(bucket.at("e"), bucket.at("e")) == "setting.invalid"


def test_limits_hold_before_anything_is_fetched(bucket: Bucket, faults: Faults) -> None:
    """A document over max_bytes is recorded with its reason and not fetched; more than max_unpacked is refused."""
    large = json.dumps({"x": "y" * 5000}).encode()
    bucket.put({"e/a.json": b'{"x": 1}', "e/b.json": b'{"x": 1}', "p/a.json": b'{"x": 1}', "p/b.json": large})
    source = fieldwise.open_pairs(bucket.at("e"), bucket.at("p"), max_bytes=1000)
    assert faults.seen == 2 + 3
    found = fieldwise.evaluate_pairs(source)
    assert found.metrics.documents == {"scored": 1, "unreadable_prediction": 1}
    before = faults.seen
    assert code_of(bucket.at("e"), bucket.at("p"), max_unpacked=1000) == "input.unpacked_limit"
    assert faults.seen == before + 2 + 2
