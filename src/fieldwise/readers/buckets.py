"""S3 addresses, and the objects that are listed under one.

What the network or the service does wrong ends the evaluation before its first document; it is never a count.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final, NamedTuple

from fieldwise.errors import InputError, MissingExtraError, SettingError, quoted
from fieldwise.limits import ReadLimits
from fieldwise.readers.envelopes import SIDE_KEYS, SIDES
from fieldwise.readers.trees import (
    Passed,
    is_document,
    is_hidden,
    listed_path,
    repeated_path,
)

if TYPE_CHECKING:  # an optional extra
    from obstore.store import S3Store

_SCHEME: Final = "s3://"
_BUCKET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{1,254}")
_RETRIES: Final = 6
_RETRY_FOR: Final = timedelta(seconds=60)
_CREDENTIALS: Final = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
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

    @property
    def is_fetchable(self) -> bool:
        """Whether obstore asks for it: not with an empty part, a dot alone or a control character in its key."""
        parts = self.key.split("/")
        return _CONTROL.search(self.key) is None and not any(part in ("", ".", "..") for part in parts)

    def state(self, name: str) -> str:
        """Return what changes when the object under a name does."""
        return f"{name}\0{self.size}\0{self.tag}"


@dataclass(frozen=True)
class ListedObjects:
    """The documents under an address, by their paths below it; nothing of them has been fetched yet."""

    store: S3Store
    name: str
    objects: Mapping[str, StoredObject]
    passed: Sequence[str]
    limits: ReadLimits

    def names(self, passed: Passed) -> Iterator[str]:
        for path in self.passed:
            passed.add(path)
        return iter(sorted(self.objects, key=lambda path: path.split("/")))

    def below(self, folder: str) -> ListedObjects:
        """Return what is in a folder."""
        start = f"{folder}/"
        objects = {name.removeprefix(start): held for name, held in self.objects.items() if name.startswith(start)}
        passed = [path.removeprefix(start) for path in self.passed if path.startswith(start)]
        return replace(self, name=f"{self.name}/{folder}", objects=objects, passed=passed)

    def folders(self) -> set[str]:
        """Return the names of the folders right below the address."""
        return {name.partition("/")[0] for name in self.objects if "/" in name}


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


def open_store(address: Address) -> S3Store:
    """Open the bucket of an address with what the environment says of credentials and endpoint."""
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


def list_objects(store: S3Store, address: Address, limits: ReadLimits) -> ListedObjects:
    """List the documents under an address; without any object there is nothing to do."""
    import obstore  # an optional extra, which is there: the store is one of its own
    from obstore.exceptions import BaseError, InvalidPathError

    start = f"{address.key}/" if address.key else ""
    found: list[StoredObject] = []
    try:
        for batch in obstore.list(store, address.key or None, chunk_size=1000):
            found += [StoredObject(item["path"], item["size"], _tag(item)) for item in batch]
    except (BaseError, OSError, ValueError) as error:
        if not isinstance(error, InvalidPathError):
            raise failed(address, error) from error
        found = _list_any_keys(address, start, error)
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


def _list_any_keys(address: Address, start: str, error: Exception) -> list[StoredObject]:
    """List objects of which one has a key that obstore does not list, so that it can be said which it is."""
    try:
        import boto3  # an optional extra
        from botocore import UNSIGNED
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError, ClientError
    except ImportError:
        raise failed(address, error) from error
    signature = UNSIGNED if _is_true(os.environ.get("AWS_SKIP_SIGNATURE", "")) else "s3v4"
    try:
        client = boto3.client(
            "s3",
            endpoint_url=_endpoint(),
            config=Config(signature_version=signature, retries={"max_attempts": _RETRIES}),
        )
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=address.bucket, Prefix=start)
        items = [item for page in pages for item in page.get("Contents", ())]
    except (BotoCoreError, ClientError) as other:
        raise failed(address, other) from other
    return [StoredObject(item["Key"], item["Size"], item["ETag"]) for item in items]


def _tag(item: Mapping[str, object]) -> str:
    return str(item["e_tag"] or item["last_modified"])


def find_object(store: S3Store, address: Address) -> StoredObject | None:
    """Return the object of exactly this address, None where there is none."""
    import obstore
    from obstore.exceptions import BaseError

    try:
        found = obstore.head(store, address.key)
    except FileNotFoundError:
        return None
    except (BaseError, OSError, ValueError) as error:
        raise failed(address, error) from error
    return StoredObject(address.key, found["size"], _tag(found))


def _text(error: Exception) -> str:
    return str(error).partition("\n\nDebug source")[0]


def failed(address: Address, error: Exception) -> InputError:
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
