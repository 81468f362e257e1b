"""The ``evaluation/results.json`` objects of a test run: which there are, and what they contain, read concurrently.

A document that cannot be read is a record with its key and reason. A read that fails for want of luck (throttling, a
connection that is cut) is repeated; only what stays unread is transient, and worth another try later.
"""

from __future__ import annotations

import json
import math
import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeGuard, TypeVar

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    FlexibleChecksumError,
    HTTPClientError,
    IncompleteReadError,
    ResponseStreamingError,
)

from ..bulk_aggregator import Json, matrices_in
from .services import Client

RESULTS = "/evaluation/results.json"
MAX_BYTES = 64 << 20
"""A larger object is no evaluation result."""
SPLIT_COUNTS = (
    "total_pages",
    "total_splits",
    "correctly_classified_pages",
    "correctly_split_without_order",
    "correctly_split_with_order",
)
MAX_PAGES = 1_000_000_000
"""A document has no more pages, and no more sections."""
_SCORE = "a weighted score"
_SLACK = 1e-6
"""So much beyond 0 or 1 is rounding."""
_ATTEMPTS = 6
_FIRST_PAUSE = 0.1
_BROKEN_TRANSFERS = (HTTPClientError, IncompleteReadError, ResponseStreamingError, FlexibleChecksumError)
_THROTTLED = {"SlowDown", "Throttling", "ThrottlingException", "RequestLimitExceeded", "RequestTimeout"}
_EXCLUDED = ("excluded_class", "no_expected")
_FAILED = ("unreadable_expected", "failed")
"""What fieldwise's own results say became of a document that is not scored."""
ErrorKind: TypeAlias = Literal["missing", "denied", "unreadable", "transient", "malformed_result"]
_T = TypeVar("_T")


class StoreError(RuntimeError):
    """The results cannot be read at all: the bucket does not exist, or it is out of reach."""


class MalformedResultError(Exception):
    """A result states a number that cannot be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentResult:
    """What the resolver needs of one evaluation result."""

    key: str
    matrices: Sequence[tuple[Json, str | None]]
    sections_without_matrix: int
    """Sections that were scored, and whose result has no matrix; a result that is no sections counts as one."""
    weighted_score: float | None
    is_excluded: bool
    failure: str | None
    """Why the evaluation itself could not score the document, where its result says so."""
    split_counts: Mapping[str, int] | None
    confidences: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadDocument:
    """A document whose result could not be read."""

    key: str
    kind: ErrorKind
    reason: str


def without_result(key: str) -> UnreadDocument:
    """Return a document that was evaluated, and whose result is not there."""
    return UnreadDocument(key=key, kind="missing", reason="The document was evaluated, and its result is not there")


def list_document_keys(s3: Client, bucket: str, test_run_id: str) -> list[str]:
    """Return the keys of the documents of a run that have an evaluation result, sorted."""
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=f"{test_run_id}/")
    try:
        listed = _repeated(lambda: [held["Key"] for page in pages for held in page.get("Contents", ())])
    except (ClientError, BotoCoreError) as error:
        raise StoreError(f"Cannot list the results in the bucket {bucket}: {_reason(error)}") from error
    return sorted(key.removesuffix(RESULTS) for key in listed if key.endswith(RESULTS))


def read_documents(
    s3: Client, bucket: str, keys: Iterable[str], *, readers: int
) -> Iterator[DocumentResult | UnreadDocument]:
    """Yield what the results of documents contain, in the order of the keys; ``readers`` are read at a time.

    StoreError is raised where the bucket does not exist, and where so many reads in a row fail that the rest would too.
    """
    failures = 0
    with ThreadPoolExecutor(readers, thread_name_prefix="results") as pool:
        try:
            for document in _in_order(pool, lambda key: _read_document(s3, bucket, key), keys, ahead=4 * readers):
                is_transient = isinstance(document, UnreadDocument) and document.kind == "transient"
                failures = failures + 1 if is_transient else 0
                if failures > 2 * readers and isinstance(document, UnreadDocument):
                    raise StoreError(f"The bucket {bucket} is out of reach: {document.reason}")
                yield document
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _in_order(pool: ThreadPoolExecutor, read: Callable[[str], _T], keys: Iterable[str], *, ahead: int) -> Iterator[_T]:
    """Yield what is read, in order; some are read ahead, but not all, which need not fit in memory."""
    waiting: deque[Future[_T]] = deque()
    for key in keys:
        waiting.append(pool.submit(read, key))
        if len(waiting) > ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _read_document(s3: Client, bucket: str, key: str) -> DocumentResult | UnreadDocument:
    try:
        content = json.loads(_repeated(lambda: _read_object(s3, bucket, key + RESULTS)))
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code == "NoSuchBucket":
            raise StoreError(f"There is no bucket {bucket}") from error
        return UnreadDocument(key=key, kind=_refusal_kind(error, code), reason=_reason(error))
    except BotoCoreError as error:
        return UnreadDocument(
            key=key, kind="transient" if _is_transient(error) else "unreadable", reason=_reason(error)
        )
    except (ValueError, RecursionError) as error:
        return UnreadDocument(key=key, kind="unreadable", reason=f"Expected JSON: {error}")
    if not content:
        return UnreadDocument(key=key, kind="unreadable", reason=f"Expected a result, got {json.dumps(content)}")
    return _result_of(key, content)


def _read_object(s3: Client, bucket: str, name: str) -> bytes:
    answer = s3.get_object(Bucket=bucket, Key=name)
    with closing(answer["Body"]) as body:
        if answer["ContentLength"] > MAX_BYTES:
            raise ValueError(f"an object of at most {MAX_BYTES} bytes, got {answer['ContentLength']}")
        content: bytes = body.read()
    return content


def _repeated(read: Callable[[], _T]) -> _T:
    """Read, and read again after a pause that grows, while only luck is missing."""
    for attempt in range(_ATTEMPTS - 1):
        try:
            return read()
        except (ClientError, BotoCoreError) as error:
            if not _is_transient(error):
                raise
        time.sleep(_FIRST_PAUSE * 2**attempt * (0.5 + random.random() / 2))
    return read()


def _is_transient(error: ClientError | BotoCoreError) -> bool:
    if not isinstance(error, ClientError):
        return isinstance(error, _BROKEN_TRANSFERS)
    status = _http_status(error)
    return error.response.get("Error", {}).get("Code") in _THROTTLED or status >= 500 or status == 429


def _refusal_kind(error: ClientError, code: str) -> ErrorKind:
    if _is_transient(error):
        return "transient"
    if code == "NoSuchKey":
        return "missing"
    return "denied" if _http_status(error) in (401, 403) else "unreadable"


def _http_status(error: ClientError) -> int:
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _reason(error: ClientError | BotoCoreError) -> str:
    if not isinstance(error, ClientError):
        return str(error)
    told = error.response.get("Error", {})
    return ": ".join(filter(None, [told.get("Code"), told.get("Message")])) or str(error)


def _result_of(key: str, content: Json) -> DocumentResult | UnreadDocument:
    """Return what a result contains; parts that are of the wrong shape are taken as absent, matrices as they are.

    A result with a number out of its range is malformed: none of its numbers is taken.
    """
    try:
        return _checked_result(key, content)
    except MalformedResultError as error:
        return UnreadDocument(key=key, kind="malformed_result", reason=str(error))


def _checked_result(key: str, content: Json) -> DocumentResult:
    result = _object(content)
    overall = _object(result.get("overall_metrics"))
    sections = [_object(section) for section in _list(result.get("section_results"))]
    attributes = [_object(held) for section in sections for held in _list(section.get("attributes"))]
    status, reason = result.get("status"), result.get("reason")
    is_excluded = overall.get("evaluation_excluded") is True or status in _EXCLUDED
    matrices = list(matrices_in(content))
    is_scored = not is_excluded and status not in _FAILED
    return DocumentResult(
        key=key,
        matrices=matrices,
        sections_without_matrix=_without_matrix(matrices, sections) if is_scored else 0,
        weighted_score=None if is_excluded else _weighted_score(overall, sections),
        is_excluded=is_excluded,
        failure=(reason if isinstance(reason, str) and reason else str(status)) if status in _FAILED else None,
        split_counts=_split_counts(result.get("doc_split_metrics")),
        confidences=[
            value for held in attributes if (value := _share(held.get("confidence"), "a confidence")) is not None
        ],
    )


def _without_matrix(matrices: Sequence[tuple[Json, str | None]], sections: Sequence[dict[str, Json]]) -> int:
    """Return how many sections were scored, and have no matrix."""
    if not matrices:
        return 1
    are_skipped = [_object(section.get("metrics")).get("evaluation_skipped") is True for section in sections]
    pairs = zip(matrices, are_skipped or [False], strict=True)
    return sum(not (matrix or is_skipped) for (matrix, _), is_skipped in pairs)


def _weighted_score(overall: dict[str, Json], sections: Sequence[dict[str, Json]]) -> float | None:
    """Return the document's own score, else the mean of its sections' scores."""
    if "weighted_overall_score" in overall:
        return _share(overall["weighted_overall_score"], _SCORE)
    scores = [score for section in sections if (score := _section_score(section)) is not None]
    return math.fsum(scores) / len(scores) if scores else None


def _section_score(section: dict[str, Json]) -> float | None:
    metrics = _object(section.get("metrics"))
    if "weighted_overall_score" in metrics:
        return _share(metrics["weighted_overall_score"], _SCORE)
    return _share(_object(section.get("stickler_comparison_result")).get("overall_score"), _SCORE)


def _split_counts(given: Json) -> dict[str, int] | None:
    """Return the counts of pages and sections; None where one is missing."""
    counts = {name: _object(given).get(name) for name in SPLIT_COUNTS}
    known = {name: _count(value, name) for name, value in counts.items() if _is_number(value)}
    if len(known) < len(SPLIT_COUNTS):
        return None
    for name in SPLIT_COUNTS:
        total = "total_pages" if name == "correctly_classified_pages" else "total_splits"
        if name.startswith("correctly") and known[name] > known[total]:
            raise MalformedResultError(f"Expected {name} of at most {total}, got {known[name]} of {known[total]}")
    return known


def _object(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _is_number(value: Json) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _share(value: Json, what: str) -> float | None:
    """Return a number from 0 to 1; None where there is no number, or NaN."""
    if not _is_number(value) or value != value:
        return None
    if not -_SLACK <= value <= 1 + _SLACK:
        raise MalformedResultError(f"Expected {what} from 0 to 1, got {_shown(value)}")
    return min(max(float(value), 0.0), 1.0)


def _count(value: int | float, name: str) -> int:
    if not 0 <= value <= MAX_PAGES or value != int(value):
        raise MalformedResultError(f"Expected a whole number from 0 to {MAX_PAGES} in {name}, got {_shown(value)}")
    return int(value)


def _shown(value: int | float) -> str:
    return f"{value:.6g}" if isinstance(value, float) or abs(value) < 10**15 else "a larger number"
