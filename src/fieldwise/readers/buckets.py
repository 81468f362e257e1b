"""Objects under an S3 address: listed once, fetched concurrently into one temporary file, and read from there.

What the network or the service does wrong ends the evaluation before its first document; it is never a count.
"""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, BinaryIO, Final, NamedTuple

import orjson

from fieldwise.errors import InputError, MissingExtraError, SettingError, quoted
from fieldwise.limits import ReadLimits
from fieldwise.readers.envelopes import SIDE_KEYS, SIDES, Side
from fieldwise.readers.files import too_large
from fieldwise.readers.source import Unreadable, hash_of
from fieldwise.readers.temporary import Scratch
from fieldwise.readers.trees import (
    Passed,
    Tree,
    TreePairs,
    file_path,
    is_document,
    is_hidden,
    listed_path,
    repeated_path,
)
from fieldwise.text import size_text

if TYPE_CHECKING:  # an optional extra
    from obstore.store import S3Store

_SCHEME: Final = "s3://"
_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,254}")
_CONCURRENT: Final = 32
_ATTEMPTS: Final = 3
"""How often an object is asked for whose content breaks off; single requests are repeated beneath that."""
_RETRIES: Final = 6
_RETRY_FOR: Final = timedelta(seconds=60)
_CHUNK: Final = 1 << 20
_CREDENTIALS: Final = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
_CODE: Final = re.compile(r"<Code>(\w+)</Code>")
_STATUS: Final = re.compile(r"status code: (\d{3}[ A-Za-z]*)")


class Address(NamedTuple):
    """A bucket, and the key of an object or the part that keys begin with; an empty one is the whole bucket."""

    bucket: str
    key: str

    def __str__(self) -> str:
        return f"{_SCHEME}{self.bucket}/{self.key}".rstrip("/")


def is_address(path: object) -> bool:
    """Tell whether an input is named by an S3 address."""
    return isinstance(path, str) and path.startswith(_SCHEME)


def parse_address(text: str) -> Address:
    """Return the parts of an S3 address.

    >>> parse_address("s3://bucket/runs/expected/")
    Address(bucket='bucket', key='runs/expected')
    """
    bucket, _, key = text.removeprefix(_SCHEME).partition("/")
    if not _BUCKET.fullmatch(bucket):
        raise InputError(
            f"Expected s3://bucket/prefix, got {quoted(text)}", code="input.not_found", facts={"file": text}
        )
    return Address(bucket, key.strip("/"))


class StoredObject(NamedTuple):
    """An object as it was listed; ``tag`` changes when its content does."""

    key: str
    size: int
    tag: str


@dataclass(frozen=True)
class ListedObjects:
    """The documents under an address, by their paths below it; nothing of them has been fetched yet."""

    store: S3Store
    name: str
    objects: Mapping[str, StoredObject]
    passed: Sequence[str]
    limits: ReadLimits
    kind: str = "bucket folder"

    def names(self, passed: Passed) -> Iterator[str]:
        for path in self.passed:
            passed.add(path)
        return iter(sorted(self.objects, key=lambda path: path.split("/")))

    def read(self, path: str) -> bytes | Unreadable:
        """Documents are read by `FetchedObjects`."""
        raise NotImplementedError

    def states(self) -> Iterator[str]:
        yield hash_of(_state(name, self.objects[name]) for name in self.names(Passed()))

    def below(self, folder: str) -> ListedObjects:
        """Return what is in a folder."""
        start = f"{folder}/"
        objects = {name.removeprefix(start): held for name, held in self.objects.items() if name.startswith(start)}
        passed = [path.removeprefix(start) for path in self.passed if path.startswith(start)]
        return replace(self, name=f"{self.name}/{folder}", objects=objects, passed=passed)

    def folders(self) -> set[str]:
        """Return the names of the folders right below the address."""
        return {name.partition("/")[0] for name in self.objects if "/" in name}


@dataclass(frozen=True)
class FetchedObjects:
    """Documents that were fetched: their bytes are in one file, and where each of them is, in another beside it."""

    path: str
    name: str
    state: str
    max_bytes: int
    kind: str = "bucket folder"

    def names(self, passed: Passed) -> Iterator[str]:
        del passed  # counted when the objects were listed
        return iter(_places(self.path, self.state))

    def read(self, path: str) -> bytes | Unreadable:
        offset, size = _places(self.path, self.state)[path]
        name = f"{self.name}/{file_path(path)}"
        if size > self.max_bytes:
            return Unreadable(too_large(name, self.max_bytes, size), "max_bytes")
        try:
            with open(self.path, "rb") as file:
                file.seek(offset)
                return file.read(size)
        except OSError as error:
            return Unreadable(f"the copy of {name} cannot be read: {error.strerror or error}")

    def states(self) -> Iterator[str]:
        yield self.state


@lru_cache(maxsize=2)
def _places(path: str, state: str) -> dict[str, tuple[int, int]]:
    """Return where each document is in a file of fetched objects; ``state`` tells files of one path apart."""
    del state
    found: dict[str, tuple[int, int]] = orjson.loads(Path(f"{path}.places").read_bytes())
    return found


def open_address(
    text: str, side: Side, scratch: Scratch, limits: ReadLimits, suffixes: Collection[str]
) -> Path | ListedObjects:
    """Return what an address stands for: an object whose suffix is that of a file of documents is fetched, and its
    copy returned; anything else is a prefix, whose objects are listed.
    """
    address = parse_address(text)
    store = _open_store(address)
    if Path(address.key).suffix.lower() in suffixes:
        found = _head(store, address)
        if found is not None:
            return _fetch_file(store, found, scratch.file(side), limits)
    return _list(store, address, limits)


def fetch_pairs(pairs: TreePairs, scratch: Scratch) -> TreePairs:
    """Fetch the documents that pairs of listed objects are read from, and nothing else of what was listed."""
    trees: list[Tree] = []
    for at, tree in enumerate((pairs.expected, pairs.predicted)):
        if isinstance(tree, ListedObjects):
            having = (name for name, sides in zip(*pairs.listing[:2], strict=True) if sides & (1 << at))
            trees.append(_fetch_tree(tree, list(having), scratch.file(f"{SIDES[at]} objects")))
        else:
            trees.append(tree)
    return replace(pairs, expected=trees[0], predicted=trees[1], scratch=scratch)


def side_prefixes(listed: ListedObjects) -> tuple[ListedObjects, ListedObjects]:
    """Return the folders of both sides, such as ``expected`` and ``predicted``, below one address."""
    folders = listed.folders()
    names = [[name for key in SIDE_KEYS[side] for name in (key, f"{key}s") if name in folders] for side in SIDES]
    if not all(names):
        inside = ", ".join(sorted(folders)[:5]) or "no folder"
        raise InputError(
            f"{listed.name} has no folders expected and predicted, and no second input was given; found {inside}",
            code="input.no_pairs",
            facts={"file": listed.name},
        )
    return listed.below(names[0][0]), listed.below(names[1][0])


def _open_store(address: Address) -> S3Store:
    try:
        from obstore.exceptions import BaseError
        from obstore.store import S3Store
    except ImportError:
        raise MissingExtraError(
            "An s3:// address needs obstore: pip install 'fieldwise[s3]'", facts={"package": "obstore", "extra": "s3"}
        ) from None
    _require_credentials(address)
    endpoint = _endpoint()
    try:
        return S3Store(
            address.bucket,
            endpoint=endpoint,
            client_options={
                "allow_http": _allows_http(endpoint),
                "connect_timeout": timedelta(seconds=10),
                "read_timeout": timedelta(seconds=30),
                "timeout": timedelta(hours=1),
            },
            retry_config={"max_retries": _RETRIES, "retry_timeout": _RETRY_FOR},
        )
    except (BaseError, ValueError) as error:
        reason = _text(error)
        raise InputError(
            f"Cannot read {address} with the AWS_… variables of the environment: {reason}",
            code="input.unreadable",
            facts={"file": str(address), "reason": reason},
        ) from error


def _endpoint() -> str | None:
    name = next((name for name in ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL") if os.environ.get(name)), None)
    if name is None:
        return None
    endpoint = os.environ[name].rstrip("/")
    if not endpoint.startswith(("http://", "https://")):
        raise SettingError(
            f"Expected an address with http:// or https:// in {name}, got {quoted(endpoint)}",
            facts={"setting": name, "got": endpoint},
        )
    return endpoint


def _allows_http(endpoint: str | None) -> bool:
    """An endpoint without encryption is used where its address says so, unless AWS_ALLOW_HTTP forbids it."""
    return _is_true(os.environ.get("AWS_ALLOW_HTTP", str((endpoint or "").startswith("http://"))))


def _is_true(text: str) -> bool:
    return text.strip().lower() in ("1", "true", "yes", "on")


def _require_credentials(address: Address) -> None:
    """Without credentials in the environment obstore would ask the network for some, for minutes."""
    if not any(os.environ.get(name) for name in _CREDENTIALS) and not _is_true(
        os.environ.get("AWS_SKIP_SIGNATURE", "")
    ):
        raise InputError(
            f"There are no credentials for {address}",
            code="input.no_credentials",
            facts={"file": str(address)},
            advice="set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_SKIP_SIGNATURE=true for a public bucket",
        )


def _list(store: S3Store, address: Address, limits: ReadLimits) -> ListedObjects:
    import obstore  # an optional extra, which is there: the store is one of its own
    from obstore.exceptions import BaseError

    start = f"{address.key}/" if address.key else ""
    found: list[StoredObject] = []
    try:
        for batch in obstore.list(store, address.key or None, chunk_size=1000):
            found += [StoredObject(item["path"], item["size"], _tag(item)) for item in batch]
    except (BaseError, OSError, ValueError) as error:
        raise _failed(address, error) from error
    if not found:
        raise InputError(f"There is nothing at {address}", code="input.not_found", facts={"file": str(address)})
    found.sort()
    objects: dict[str, StoredObject] = {}
    passed: list[str] = []
    turns = Counter[str]()
    for item in found:
        path = item.key.removeprefix(start)
        if not is_document(path) or any(map(is_hidden, path.split("/"))):
            if item.size:  # an empty object stands for a folder
                passed.append(path)
            continue
        listed = listed_path(path)
        turns[listed] += 1
        objects[listed if turns[listed] == 1 else repeated_path(listed, turns[listed])] = item
    return ListedObjects(store, str(address), objects, passed, limits)


def _tag(item: Mapping[str, object]) -> str:
    return str(item["e_tag"] or item["last_modified"])


def _state(name: str, item: StoredObject) -> str:
    return f"{name}\0{item.size}\0{item.tag}"


def _head(store: S3Store, address: Address) -> StoredObject | None:
    import obstore
    from obstore.exceptions import BaseError

    try:
        found = obstore.head(store, address.key)
    except FileNotFoundError:
        return None
    except (BaseError, OSError, ValueError) as error:
        raise _failed(address, error) from error
    return StoredObject(address.key, found["size"], _tag(found))


def _fetch_file(store: S3Store, item: StoredObject, folder: Path, limits: ReadLimits) -> Path:
    address = Address(store.config.get("bucket", ""), item.key)
    _check_size(str(address), item.size, limits)
    folder.mkdir()
    target = folder / item.key.rpartition("/")[2][-100:]
    with target.open("wb") as file:
        _Fetching(store, address.bucket, file).fetch(item, 0)
    stamp = int(hash_of([_state(target.name, item)])[:14], 16)
    os.utime(target, ns=(stamp, stamp))  # what a resumed evaluation knows a file by
    return target


def _fetch_tree(tree: ListedObjects, names: list[str], target: Path) -> FetchedObjects:
    limits, end = tree.limits, 0
    places: dict[str, tuple[int, int]] = {}
    wanted: list[tuple[StoredObject, int]] = []
    for name in names:
        item = tree.objects[name]
        places[name] = end, item.size
        if item.size <= limits.max_bytes:
            wanted.append((item, end))
            end += item.size
    _check_size(tree.name, end, limits)
    with target.open("wb") as file:
        _Fetching(tree.store, parse_address(tree.name).bucket, file).fetch_all(wanted)
    Path(f"{target}.places").write_bytes(orjson.dumps(places))
    state = hash_of(_state(name, tree.objects[name]) for name in names)
    return FetchedObjects(str(target), tree.name, state, limits.max_bytes)


def _check_size(name: str, size: int, limits: ReadLimits) -> None:
    if size > limits.max_unpacked:
        raise InputError(
            f"{name} has {size_text(size)} to fetch, more than the {size_text(limits.max_unpacked)} "
            "that max_unpacked allows",
            code="input.unpacked_limit",
            facts={"file": name, "limit": "max_unpacked", "expected": limits.max_unpacked},
            advice="if it is what you expect, allow more",
        )


class _Fetching:
    """Objects on their way into a file, each to its place; the first that cannot be fetched stops all others."""

    def __init__(self, store: S3Store, bucket: str, file: BinaryIO) -> None:
        self._store, self._bucket, self._file = store, bucket, file
        self._writing, self._stopped = Lock(), Event()

    def fetch_all(self, wanted: Sequence[tuple[StoredObject, int]]) -> None:
        lanes = [wanted[at::_CONCURRENT] for at in range(min(_CONCURRENT, len(wanted)))]
        if not lanes:
            return
        with ThreadPoolExecutor(len(lanes)) as pool:
            try:
                for job in [pool.submit(self._fetch_lane, lane) for lane in lanes]:
                    job.result()
            finally:
                self._stopped.set()

    def _fetch_lane(self, lane: Sequence[tuple[StoredObject, int]]) -> None:
        try:
            for item, offset in lane:
                if self._stopped.is_set():
                    return
                self.fetch(item, offset)
        except BaseException:
            self._stopped.set()
            raise

    def fetch(self, item: StoredObject, offset: int) -> None:
        """Write an object to its place, in the version that was listed."""
        from obstore.exceptions import BaseError, GenericError, PreconditionError

        address = Address(self._bucket, item.key)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                if self._copy(item, offset) != item.size:
                    raise _changed(address)
                return
            except (FileNotFoundError, PreconditionError) as error:
                raise _changed(address) from error
            except GenericError as error:
                if attempt == _ATTEMPTS or _is_refusal(str(error)):
                    raise _failed(address, error) from error
                time.sleep(0.2 * 2**attempt)
            except BaseError as error:
                raise _failed(address, error) from error

    def _copy(self, item: StoredObject, offset: int) -> int:
        import obstore

        at = offset
        is_tag = item.tag.startswith(('"', "W/"))
        answer = obstore.get(self._store, item.key, options={"if_match": item.tag} if is_tag else {})
        for chunk in answer.stream(min_chunk_size=_CHUNK):
            if at + len(chunk) > offset + item.size:
                return at + len(chunk) - offset
            with self._writing:
                self._file.seek(at)
                self._file.write(chunk)
            at += len(chunk)
        return at - offset


def _changed(address: Address) -> InputError:
    return InputError(
        f"{address} was changed or removed after it was listed",
        code="input.changed",
        facts={"file": str(address)},
        advice="evaluate when nobody writes to the bucket",
    )


def _is_refusal(text: str) -> bool:
    return "status code: 4" in text


def _text(error: Exception) -> str:
    return str(error).partition("\n\nDebug source")[0]


def _failed(address: Address, error: Exception) -> InputError:
    """Return the error for an address that cannot be listed or fetched, in words for people."""
    text = _text(error)
    code, status = _CODE.search(text), _STATUS.search(text)
    reason = " ".join(found[1].strip() for found in (status, code) if found) or text
    facts = {"file": str(address), "reason": reason}
    if "NoSuchBucket" in text:
        return InputError(f"There is no bucket {quoted(address.bucket)}", code="input.not_found", facts=facts)
    if status and status[1].startswith(("401", "403")):
        return InputError(
            f"No permission to read {address}: {reason}",
            code="input.unreadable",
            facts=facts,
            advice="check the credentials and the policy of the bucket",
        )
    if type(error).__name__ == "InvalidPathError" or (status and status[1].startswith(("3", "4"))):
        return InputError(f"Cannot read {address}: {reason}", code="input.unreadable", facts=facts)
    return InputError(
        f"Cannot reach {address}: {reason}",
        code="input.unreachable",
        facts=facts,
        advice="nothing was evaluated; try again later",
    )
