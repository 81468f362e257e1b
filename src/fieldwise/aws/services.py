"""What the resolver is told by its environment, and the clients that it talks through."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any, Self, TypeAlias

import boto3
from botocore.config import Config

Client: TypeAlias = Any
"""A client or table of boto3, which makes them from descriptions of the services; it has no types."""

KEYS_BY_LISTING, KEYS_BY_ATHENA = "listing", "athena"
_CONNECT_SECONDS, _READ_SECONDS = 5, 30


class SettingsError(ValueError):
    """The environment of the function is wrong or incomplete."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Where things are and how they are read; docs/aws.md lists the variables."""

    tracking_table: str
    output_bucket: str | None = None
    document_keys: str = KEYS_BY_LISTING
    athena_database: str | None = None
    athena_workgroup: str | None = None
    athena_output_location: str | None = None
    athena_seconds: int = 60
    queue_url: str | None = None
    readers: int = 32
    cache_days: int = 90

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> Self:
        """Read the settings; SettingsError names the variable that is missing or wrong."""
        found = {name: value for name, value in environment.items() if value}
        if "TRACKING_TABLE" not in found:
            raise SettingsError("Expected the name of the DynamoDB table in TRACKING_TABLE, which is not set")
        keys = found.get("DOCUMENT_KEYS", KEYS_BY_LISTING)
        if keys not in (KEYS_BY_LISTING, KEYS_BY_ATHENA):
            raise SettingsError(f"Expected listing or athena in DOCUMENT_KEYS, got {keys!r}")
        if keys == KEYS_BY_ATHENA and "ATHENA_DATABASE" not in found:
            raise SettingsError("DOCUMENT_KEYS is athena, but ATHENA_DATABASE is not set")
        return cls(
            tracking_table=found["TRACKING_TABLE"],
            output_bucket=found.get("OUTPUT_BUCKET"),
            document_keys=keys,
            athena_database=found.get("ATHENA_DATABASE"),
            athena_workgroup=found.get("ATHENA_WORKGROUP"),
            athena_output_location=found.get("ATHENA_OUTPUT_LOCATION"),
            athena_seconds=_whole_number(found, "ATHENA_SECONDS", cls.athena_seconds),
            queue_url=found.get("TEST_RESULT_CACHE_UPDATE_QUEUE_URL"),
            readers=_whole_number(found, "RESULT_READERS", cls.readers),
            cache_days=_whole_number(found, "CACHE_DAYS", cls.cache_days),
        )


def _whole_number(variables: Mapping[str, str], name: str, default: int) -> int:
    value = variables.get(name, str(default))
    if not (value.isascii() and value.isdigit() and 0 < int(value) <= 100_000):
        raise SettingsError(f"Expected a whole number above 0 in {name}, got {value!r}")
    return int(value)


class Services:
    """One client for each service, made when it is first needed and kept as long as the function's process lives.

    Regions, keys and addresses come from where boto3 takes them.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._session = boto3.session.Session()
        self._making = Lock()
        """Threads may share a client, but not the session that makes it."""

    @cached_property
    def s3(self) -> Client:
        """Return the client of S3; documents.py repeats what fails, bodies included, so the client need not."""
        return self._client("s3", attempts=1, max_pool_connections=self.settings.readers)

    @cached_property
    def athena(self) -> Client:
        """Return the client of Athena."""
        return self._client("athena", attempts=6)

    @cached_property
    def sqs(self) -> Client:
        """Return the client of SQS."""
        return self._client("sqs", attempts=6)

    @cached_property
    def dynamodb(self) -> Client:
        """Return DynamoDB as a resource, which takes and gives Python's values; for one thread only."""
        with self._making:
            return self._session.resource("dynamodb", config=_config(attempts=6))

    @cached_property
    def table(self) -> Client:
        """Return the table of runs, documents and cached results; for one thread only."""
        return self.dynamodb.Table(self.settings.tracking_table)

    def _client(self, name: str, *, attempts: int, **more: int) -> Client:
        with self._making:
            return self._session.client(name, config=_config(attempts=attempts, **more))


def _config(*, attempts: int, **more: int) -> Config:
    retries = {"mode": "standard", "total_max_attempts": attempts}
    return Config(connect_timeout=_CONNECT_SECONDS, read_timeout=_READ_SECONDS, retries=retries, **more)
