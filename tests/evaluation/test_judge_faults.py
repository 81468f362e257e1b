"""A judge that cannot answer: the evaluation ends, nothing is scored, nothing asked twice, no key written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fieldwise.comparators import judge
from tests.command_line import Ended, run
from tests.comparators.test_judge import Service, served
from tests.folders import files_of

WRONG = (0, 2, 4)
KEY, USER, PASSWORD, PARAMETER = "sk-sesame-1", "ali-baba", "sesame-2", "sesame-3"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setattr(judge, "PAUSES", (0.0, 0.0, 0.0))
    with served(monkeypatch) as running:
        yield running


def evaluated(folder: Path, url: str, *options: str, **settings: Any) -> Ended:
    """Evaluate six documents, three of them with another title, under a judge at an address."""
    lines: dict[str, list[str]] = {"expected": [], "predicted": []}
    for n in range(6):
        titles = (f"t{n}", f"{n}t" if n in WRONG else f"t{n}")
        for side, title in zip(lines, titles, strict=True):
            lines[side].append(json.dumps({"id": str(n), "title": title}))
    for side, held in lines.items():
        if not (folder / f"{side}.jsonl").exists():  # one that is written again has changed
            (folder / f"{side}.jsonl").write_text("\n".join(held))
    judge = {"model": "tiny", "endpoint": url, "api_key_env": "MY_KEY", **settings}
    field: dict[str, Any] = {"type": "string", "x-fieldwise-comparator": "LLM", "x-fieldwise-comparator-config": judge}
    (folder / "schema.json").write_text(json.dumps({"type": "object", "properties": {"title": field}}))
    inputs = (folder / "expected.jsonl", folder / "predicted.jsonl", "--schema", folder / "schema.json")
    return run("evaluate", *inputs, "--out", folder / "out", *options, MY_KEY=KEY)


FAULTS: dict[str, tuple[list[int], bytes | None, str]] = {
    "payment required": ([402] * 9, None, "refused: HTTP 402"),
    "bad JSON": ([], b"<html>", "no chat completion"),
    "no verdict": ([], b'{"choices": [{"message": {"content": "Perhaps."}}]}', "Expected TRUE or FALSE"),
}


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_judge_that_does_not_answer_ends_the_evaluation(
    tmp_path: Path, service: Service, fault: str, workers: str
) -> None:
    """Exit code 2 and one sentence, no metrics, one question; the right documents alone are no result."""
    service.failures, service.body, words = list(FAULTS[fault][0]), *FAULTS[fault][1:]
    done = evaluated(tmp_path, service.url, "--workers", workers)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert words in done.stderr
    assert "what was answered is kept for --resume" in done.stderr
    assert len(service.requests) == 1
    assert not (tmp_path / "out" / "metrics.json").exists()


def test_an_endpoint_that_is_not_there_ends_the_evaluation(
    tmp_path: Path, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tried for one question, as often as for any, and not for every document."""
    attempts: list[float] = []
    monkeypatch.setattr("time.sleep", attempts.append)
    done = evaluated(tmp_path, "http://127.0.0.1:9/v1")
    assert done.returncode == 2
    assert "did not answer after 4 attempts" in done.stderr
    assert len(attempts) == 3


def test_what_was_answered_is_not_asked_again(tmp_path: Path, service: Service) -> None:
    """A resumed evaluation goes on behind the last answer, and ends with all documents."""
    service.failures = [200, 402]
    assert evaluated(tmp_path, service.url).returncode == 2
    done = evaluated(tmp_path, service.url, "--resume", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["document_count"] == 6
    prompts = [request["messages"][0]["content"] for request in service.requests]
    assert (len(prompts), len(set(prompts))) == (len(WRONG) + 1, len(WRONG))


def test_no_file_and_no_line_holds_a_key(tmp_path: Path, service: Service) -> None:
    """Neither after a refusal that sends the key back, nor after a good evaluation; only the schema that was given."""
    url = f"http://{USER}:{PASSWORD}@127.0.0.1:{service.server_port}/v1?key={PARAMETER}"
    service.failures, service.body = [401], f"{KEY} {USER}:{PASSWORD} {PARAMETER}".encode()
    failed = evaluated(tmp_path, url)
    service.body = None
    kept = files_of(tmp_path / "out") if (tmp_path / "out").exists() else {}
    beside = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path.name != "schema.json"]
    done = evaluated(tmp_path, url, "--overwrite", "--json")
    assert (failed.returncode, done.returncode) == (2, 0)
    written = [*kept.values(), *beside, *files_of(tmp_path / "out").values()]
    said = [text.encode() for ended in (failed, done) for text in (ended.stdout, ended.stderr)]
    for secret in (KEY, USER, PASSWORD, PARAMETER):
        assert not any(secret.encode() in content for content in [*written, *said]), secret
    spec = json.loads((tmp_path / "out" / "spec.json").read_bytes())
    assert f"http://***@127.0.0.1:{service.server_port}/v1?key=***" in json.dumps(spec)
