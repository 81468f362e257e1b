"""Documents in S3: fetched concurrently into one temporary file, and read from there."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, BinaryIO, Final

import orjson

from fieldwise.errors import InputError
from fieldwise.limits import ReadLimits
from fieldwise.readers.buckets import (
    Address,
    ListedObjects,
    StoredObject,
    failed,
    find_object,
    list_objects,
    open_store,
    parse_address,
)
from fieldwise.readers.envelopes import Side
from fieldwise.readers.files import too_large
from fieldwise.readers.source import Unreadable, hash_of
from fieldwise.readers.temporary import Scratch
from fieldwise.readers.trees import Listing, Passed, Tree, file_path, leads_out
from fieldwise.text import size_text

if TYPE_CHECKING:  # an optional extra
    from obstore.store import S3Store

_CONCURRENT: Final = 32
_ATTEMPTS: Final = 3
"""How often an object is asked for whose content breaks off; single requests are repeated beneath that."""
_CHUNK: Final = 1 << 20
_NOWHERE: Final = -1
"""Where what cannot be fetched is."""


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
        if offset == _NOWHERE:
            return Unreadable(f"{name} has a key with an empty part, a dot or a control character; it is not fetched")
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
    store = open_store(address)
    if Path(address.key).suffix.lower() in suffixes:
        found = find_object(store, address)
        if found is not None:
            return _fetch_file(store, found, scratch.file(side), limits)
    return list_objects(store, address, limits)


def fetch_documents(tree: Tree | ListedObjects, listing: Listing, side: Side, scratch: Scratch) -> Tree:
    """Return a tree that can be read: of listed objects, those documents are fetched that a listing has of a side."""
    if not isinstance(tree, ListedObjects):
        return tree
    return _fetch_tree(tree, list(listing.of_side(side)), scratch.file(f"{side} objects"))


def _fetch_file(store: S3Store, item: StoredObject, folder: Path, limits: ReadLimits) -> Path:
    address = Address(store.config.get("bucket", ""), item.key)
    _check_size(str(address), item.size, limits)
    folder.mkdir()
    target = folder / item.key.rpartition("/")[2][-100:]
    with target.open("wb") as file:
        _Fetching(store, address.bucket, file).fetch(item, 0)
    stamp = int(hash_of([item.state(target.name)])[:14], 16)
    os.utime(target, ns=(stamp, stamp))  # what a resumed evaluation knows a file by
    return target


def _fetch_tree(tree: ListedObjects, names: list[str], target: Path) -> FetchedObjects:
    limits, end = tree.limits, 0
    places: dict[str, tuple[int, int]] = {}
    wanted: list[tuple[StoredObject, int]] = []
    for name in names:
        item = tree.objects[name]
        places[name] = (end if item.is_fetchable else _NOWHERE), item.size
        if leads_out(name) or not item.is_fetchable:
            continue
        if item.size <= limits.max_bytes:
            wanted.append((item, end))
            end += item.size
    _check_size(tree.name, end, limits)
    with target.open("wb") as file:
        _Fetching(tree.store, parse_address(tree.name).bucket, file).fetch_all(wanted)
    Path(f"{target}.places").write_bytes(orjson.dumps(places))
    state = hash_of(tree.objects[name].state(name) for name in names)
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
                    raise failed(address, error) from error
                time.sleep(0.2 * 2**attempt)
            except BaseError as error:
                raise failed(address, error) from error

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
