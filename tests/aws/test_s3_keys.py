"""Keys of objects that no path is: each is listed with its reason, and the others are evaluated."""

from __future__ import annotations

import json
from pathlib import Path

import boto3
import pytest

from fieldwise import evaluate_pairs
from tests.aws.services import athena_server


def test_odd_keys_are_listed_and_the_rest_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With an empty part, a dot, a control character, or as if they lay outside; none ends the evaluation."""
    names = ["a.json", "b/c.json", "..\\d.json", "x//e.json", "./f.json", "../g.json", "h\x01.json"]
    with athena_server(tmp_path / "moto") as address:  # moto answers for S3 as well
        for name, value in (
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_DEFAULT_REGION", "us-east-1"),
            ("AWS_ENDPOINT_URL", address),
        ):
            monkeypatch.setenv(name, value)
        s3 = boto3.client("s3")
        s3.create_bucket(Bucket="odd-keys")
        for side in ("expected", "predicted"):
            for name in names:
                s3.put_object(Bucket="odd-keys", Key=f"{side}/{name}", Body=json.dumps({"x": 1}).encode())
        found = evaluate_pairs("s3://odd-keys/expected", predicted="s3://odd-keys/predicted").metrics
    assert found.documents == {"scored": 2, "unreadable_expected": 5}
    assert found.aggregate.tp == 2
    assert {failure.doc_id for failure in found.errors} == {"..\\d", "x//e", "./f", "../g", "h\x01"}
