"""Verdicts of a language model, from a function and over HTTP."""

from __future__ import annotations

import asyncio
import base64
import json
import pickle
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from fieldwise.comparators import LLMComparator, build, judge
from fieldwise.errors import JudgeError, SettingError

from .samples import same_letters


class Judge:
    """Answers by a function and remembers the prompts."""

    def __init__(self, reply: Any = None) -> None:
        self.reply = reply
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> Any:
        self.prompts.append(prompt)
        if isinstance(self.reply, Exception):
            raise self.reply
        return same_letters(prompt) if self.reply is None else self.reply


HANGING = 600.0
"""Seconds after which a test hangs."""


class Service(ThreadingHTTPServer):
    """A local service that speaks the chat protocol, after as many failures as it is told."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.failures: list[int] = []
        self.answering = threading.Event()
        self.answering.set()
        self.waits_for_company = False
        self.body: bytes | None = None
        self.drips = False
        self.dripping = threading.Event()
        self.most_at_once = 0
        self.at_once = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1/"


class Handler(BaseHTTPRequestHandler):
    server: Service

    def do_POST(self) -> None:
        service = self.server
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with service.lock:
            service.requests.append({"path": self.path, "key": self.headers["Authorization"], **asked})
            status = service.failures.pop(0) if service.failures else 200
            service.at_once += 1
            service.most_at_once = max(service.most_at_once, service.at_once)
            if service.waits_for_company and service.at_once > 1:
                service.answering.set()
        service.answering.wait(HANGING)
        with service.lock:
            service.at_once -= 1
        reply = {"choices": [{"message": {"content": same_letters(asked["messages"][0]["content"])}}]}
        self.respond(status, service.body if service.body is not None else json.dumps(reply).encode())

    def respond(self, status: int, body: bytes) -> None:
        try:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            for byte in body if self.server.drips else ():
                self.wfile.write(bytes([byte]))
                if self.server.dripping.wait(0.02):
                    return
            self.wfile.write(body)
        except OSError:
            self.close_connection = True  # the client did not wait

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the overridden method
        """Print nothing."""


@contextmanager
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """Run a service."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Service() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.answering.set()
        running.dripping.set()
        running.shutdown()
        thread.join()


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    monkeypatch.setattr(judge, "PAUSES", (0.0, 0.0, 0.0))
    with served(monkeypatch) as running:
        yield running


@pytest.mark.parametrize(
    ("reply", "score"), [("TRUE", 1.0), ("false", 0.0), ("The answer is: True.", 1.0), ("**False**\n", 0.0)]
)
def test_replies(reply: str, score: float) -> None:
    """A reply that says true is 1, one that says false is 0."""
    assert LLMComparator(Judge(reply)).compare("a", "b") == score


@pytest.mark.parametrize("reply", ["yes", "", "untrue", "true or false", None, 1])
def test_unclear_replies(reply: Any) -> None:
    """Any other reply is an error."""
    with pytest.raises(JudgeError, match="Expected TRUE or FALSE"):
        LLMComparator(lambda prompt: reply).compare("a", "b")


def test_failing_model() -> None:
    """What a model raises is an error with its cause."""
    with pytest.raises(JudgeError, match="OSError: no socket") as caught:
        LLMComparator(Judge(OSError("no socket"))).compare("a", "b")
    assert isinstance(caught.value.__cause__, OSError)


def test_prompt() -> None:
    """The prompt holds the guidelines and both values, escaped."""
    judge = Judge("TRUE")
    LLMComparator(judge, "Ignore abbreviations.").compare("<b>&</b>", {"b": 1, "a": [True]})
    assert "Ignore abbreviations." in judge.prompts[0]
    assert "<expected>&lt;b&gt;&amp;&lt;/b&gt;</expected>" in judge.prompts[0]
    assert "<predicted>{&quot;a&quot;:[true],&quot;b&quot;:1}</predicted>" in judge.prompts[0]


def test_asks_once() -> None:
    """The same question is asked once, and none about equal texts."""
    judge = Judge()
    comparator = LLMComparator(judge)
    assert [comparator.compare("ab", "ba") for _ in range(3)] == [1.0, 1.0, 1.0]
    assert comparator.compare("x", "x") == 1.0
    assert comparator.questions == len(judge.prompts) == 1


def test_budget() -> None:
    """Beyond its budget a judge asks nothing; remembered answers stay free."""
    judge = Judge()
    comparator = LLMComparator(judge, budget=1)
    assert comparator.compare("ab", "ba") == 1.0
    with pytest.raises(JudgeError, match="budget of 1 questions is spent"):
        comparator.compare("ab", "cd")
    assert comparator.compare("ab", "ba") == 1.0
    assert len(judge.prompts) == 1


def test_grids_are_refused() -> None:
    """A grid is refused unless it is allowed."""
    with pytest.raises(JudgeError, match=r"2 × 3 pairs.*allow_grid=True"):
        LLMComparator(Judge()).grid(["a", "b"], ["a", "b", "c"])


def test_allowed_grid() -> None:
    """An allowed grid asks about each pair of different texts once."""
    judge = Judge()
    comparator = LLMComparator(judge, allow_grid=True)
    assert comparator.grid(["ab", "c", "ab"], ["ba", "c"]).tolist() == [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    assert len(judge.prompts) == 3


def test_grid_stops_at_the_budget() -> None:
    """A grid that exceeds the budget stops asking."""
    judge = Judge()
    with pytest.raises(JudgeError, match="budget"):
        LLMComparator(judge, allow_grid=True, budget=5).grid(["a", "b", "c"], ["x", "y", "z"])
    assert len(judge.prompts) == 5


def test_endpoint(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model at an endpoint is asked over HTTP, with the key of the environment."""
    monkeypatch.setenv("MY_KEY", "secret")
    comparator = build("LLM", {"model": "tiny", "endpoint": service.url, "api_key_env": "MY_KEY"})
    assert comparator.compare("ab", "ba") == 1.0
    assert comparator.compare("ab", "cd") == 0.0
    asked = service.requests[0]
    assert (asked["path"], asked["key"], asked["model"]) == ("/v1/chat/completions", "Bearer secret", "tiny")
    assert asked["messages"][0]["role"] == "user"


def test_endpoint_without_key(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a key none is sent."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert LLMComparator("tiny", endpoint=service.url).compare("ab", "ba") == 1.0
    assert service.requests[0]["key"] is None


def test_busy_endpoint_is_asked_again(service: Service) -> None:
    """Busy and broken answers are tried again, a few times."""
    service.failures = [429, 500, 503]
    assert LLMComparator("tiny", endpoint=service.url).compare("ab", "ba") == 1.0
    assert len(service.requests) == 4


def test_broken_endpoint(service: Service) -> None:
    """An endpoint that stays broken is an error with the last status."""
    service.failures = [500] * 9
    with pytest.raises(JudgeError, match="4 attempts: HTTP 500"):
        LLMComparator("tiny", endpoint=service.url).compare("ab", "ba")


def test_refusing_endpoint(service: Service) -> None:
    """A refusal is not tried again."""
    service.failures = [401]
    with pytest.raises(JudgeError, match="HTTP 401"):
        LLMComparator("tiny", endpoint=service.url).compare("ab", "ba")
    assert len(service.requests) == 1


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b'{"choices": []}', b'{"choices":[{"message":{"content":null}}]}']
)
def test_strange_endpoint(service: Service, body: bytes) -> None:
    """An answer in another protocol is an error that shows it."""
    service.body = body
    with pytest.raises(JudgeError, match="no chat completion"):
        LLMComparator("tiny", endpoint=service.url).compare("ab", "ba")


def test_slow_endpoint(service: Service) -> None:
    """An endpoint that does not answer in time is an error after all attempts."""
    service.answering.clear()
    with pytest.raises(JudgeError, match=r"4 attempts: no whole answer within 0.05 s"):
        LLMComparator("tiny", endpoint=service.url, timeout=0.05).compare("ab", "ba")


def test_no_endpoint_there() -> None:
    """An address where nobody listens is an error."""
    with Service() as closed:
        url = closed.url
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judge, "PAUSES", (0.0,))
        patch.setenv("NO_PROXY", "127.0.0.1")
        with pytest.raises(JudgeError, match="2 attempts: ConnectError"):
            LLMComparator("tiny", endpoint=url).compare("ab", "ba")


def test_a_timeout_is_for_the_whole_answer(service: Service) -> None:
    """An endpoint that sends a byte now and then does not hold a judge up."""
    service.drips = True
    with pytest.raises(JudgeError, match=r"4 attempts: no whole answer within 0.2 s"):
        LLMComparator("tiny", endpoint=service.url, timeout=0.2).compare("ab", "ba")
    service.dripping.set()


@pytest.mark.parametrize(
    ("address", "asked"),
    [
        ("http://{at}/v1?key=abcd&api-version=3", "/v1/chat/completions?key=abcd&api-version=3"),
        ("http://{at}/", "/chat/completions"),
        ("http://{at}?a=b", "/chat/completions?a=b"),
    ],
)
def test_a_query_stays_behind_the_path(service: Service, address: str, asked: str) -> None:
    """The path of chat completions goes before the query of the endpoint."""
    url = address.format(at=f"127.0.0.1:{service.server_port}")
    assert LLMComparator("tiny", endpoint=url).compare("ab", "ba") == 1.0
    assert service.requests[0]["path"] == asked


def test_an_endpoint_is_asked_inside_an_event_loop(service: Service) -> None:
    """As in a notebook, whose cells run in one."""

    async def cell() -> float:
        return LLMComparator("tiny", endpoint=service.url).compare("ab", "ba")

    assert asyncio.run(cell()) == 1.0


def test_model_and_endpoint_of_the_environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A judge that declares neither has those of the environment, and its settings say so."""
    monkeypatch.setenv("FIELDWISE_JUDGE_MODEL", "tiny")
    monkeypatch.setenv("FIELDWISE_JUDGE_ENDPOINT", service.url)
    comparator = build("LLM")
    assert comparator.compare("ab", "ba") == 1.0
    assert comparator.config == {"model": "tiny", "endpoint": service.url}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "no model and no endpoint"),
        ({"model": "tiny"}, "no endpoint"),
        ({"endpoint": "http://127.0.0.1:9"}, "no model"),
        ({"model": "tiny", "endpoint": "http://***@127.0.0.1:9"}, "from which credentials were cut"),
    ],
)
def test_a_judge_without_model_says_how_to_set_it(settings: dict[str, Any], words: str) -> None:
    """One sentence, when there is something to ask; equal texts need no judge."""
    comparator = LLMComparator(**settings)
    assert comparator.compare("a", "a") == 1.0
    with pytest.raises(JudgeError, match=f"{words}; declare `model` and `endpoint`.* FIELDWISE_JUDGE_MODEL and"):
        comparator.compare("a", "b")


ECHOES = (
    (401, "you sent {key} as {basic}"),
    (401, "x" * 195 + "{key}"),
    (200, '{{"nothing": "{key} {basic}"}}'),
    (200, '{{"choices": [{{"message": {{"content": "{key} {basic}"}}}}]}}'),
)


@pytest.mark.parametrize(("status", "echo"), ECHOES)
def test_keys_and_credentials_are_in_no_message(
    service: Service, monkeypatch: pytest.MonkeyPatch, status: int, echo: str
) -> None:
    """Not where an endpoint sends them back, and not where its address holds them."""
    monkeypatch.setenv("MY_KEY", "sk-sesame")
    basic = base64.b64encode(b"ali-baba:sesam me").decode()
    service.failures, service.body = [status], echo.format(key="sk-sesame", basic=basic).encode()
    url = f"http://ali-baba:sesam%20me@127.0.0.1:{service.server_port}/v1?key=sesame-2"
    comparator = LLMComparator("tiny", endpoint=url, api_key_env="MY_KEY")
    with pytest.raises(JudgeError) as refused:
        comparator.compare("ab", "cd")
    said = f"{refused.value} {refused.value.facts} {comparator!r} {comparator.config}"
    assert [word for word in ("sesam", "ali-baba", basic) if word in said] == []
    assert service.requests[0]["path"] == "/v1/chat/completions?key=sesame-2"


def test_concurrency(service: Service) -> None:
    """Questions of a grid are asked several at a time, never more than allowed."""
    service.answering.clear()
    service.waits_for_company = True
    comparator = LLMComparator("tiny", endpoint=service.url, allow_grid=True, concurrency=3)
    assert comparator.grid(list("abcd"), list("wxyz")).sum() == 0.0
    assert len(service.requests) == comparator.questions == 16
    assert 1 < service.most_at_once <= 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": same_letters, "endpoint": "http://x"}, "got a function"),
        ({"model": "tiny", "endpoint": "localhost:80"}, "http:// or https://"),
        ({"model": 5}, "for `model`"),
        ({"model": same_letters, "budget": -1}, "for `budget`"),
        ({"model": same_letters, "concurrency": 0}, "for `concurrency`"),
        ({"model": same_letters, "allow_grid": "yes"}, "for `allow_grid`"),
        ({"model": same_letters, "timeout": "1"}, "for `timeout`"),
    ],
)
def test_wrong_settings(arguments: dict[str, Any], message: str) -> None:
    """Settings that make no sense are refused."""
    with pytest.raises(SettingError, match=message):
        LLMComparator(**arguments)


def test_travels() -> None:
    """A judge can be sent to another process; answers and spending stay behind."""
    comparator = LLMComparator("tiny", endpoint="http://127.0.0.1:9", budget=3)
    copy = pickle.loads(pickle.dumps(comparator))
    assert copy == comparator
    assert copy.questions == 0
    assert comparator.config == {"model": "tiny", "endpoint": "http://127.0.0.1:9", "budget": 3}
    assert comparator.describe() == "judge, tiny"
    assert LLMComparator().describe() == "judge"
