"""The comparator that asks a language model whether two values mean the same, by an OpenAI-compatible service.

Every question costs: answers are kept, a budget is never exceeded, grids are refused unless allowed. A judge that gives
no answer is an error, never a score. A timeout is for the whole answer. Keys and credentials are cut out of every
message and every setting that is written.
"""

from __future__ import annotations

import asyncio
import base64
import html
import os
import re
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

import numpy as np

from fieldwise.checks import checked_count, checked_flag, checked_number, checked_text, refusal
from fieldwise.comparators.as_text import text_of
from fieldwise.comparators.base import ANY_KIND, BaseComparator, Grid
from fieldwise.errors import BudgetError, FieldwiseError, JudgeError, MissingExtraError, SettingError
from fieldwise.values import Json, written

if TYPE_CHECKING:
    import httpx


PAUSES = (0.5, 1.0, 2.0)
"""Seconds before each further attempt after a busy, broken or silent answer."""
CUT = "***"
"""What stands where a key or a credential was."""
_PLAIN_PARAMETERS = frozenset({"api-version"})
"""Parameters of an address that are no secret, so that an address which is written remains of use."""
_MAX_SHOWN = 200
_MIN_SECRET = 4
"""Shorter texts are in many words, and no secret."""
_Answer = TypeVar("_Answer")


def without_secrets(url: str) -> str:
    """Return an address without user, password and the values of its query.

    >>> without_secrets("https://me:pw@host/v1?key=abc&api-version=2")
    'https://***@host/v1?key=***&api-version=2'
    """
    parts = urlsplit(url)
    _, at, host = parts.netloc.rpartition("@")
    query = [(name, value if name in _PLAIN_PARAMETERS else CUT) for name, value in _query(parts)]
    return parts._replace(netloc=f"{CUT}@{host}" if at else host, query=urlencode(query, safe="*")).geturl()


def _query(parts: SplitResult) -> list[tuple[str, str]]:
    return parse_qsl(parts.query, keep_blank_values=True)


@dataclass(frozen=True)
class Endpoint:
    """Asks a named model at ``{url}/chat/completions``; a query stays behind that."""

    url: str
    model: str
    api_key_env: str
    timeout: float

    def __call__(self, prompt: str) -> str:
        """Return the model's reply; raise JudgeError where there is none after all attempts."""
        reason = ""
        for pause in (*PAUSES, None):
            response, reason = self._attempt(prompt)
            if response is not None:
                return self._reply(response)
            if pause is not None:
                time.sleep(pause)
        what = f"did not answer after {len(PAUSES) + 1} attempts: {reason}"
        raise JudgeError(self._said(what), code="judge.unreachable", facts=self._facts())

    def _attempt(self, prompt: str) -> tuple[httpx.Response | None, str]:
        """Return the response, or None and why it is worth another attempt."""
        client = require_httpx()
        try:
            response = _finished(self._post(client, prompt))
        except TimeoutError:
            return None, f"no whole answer within {self.timeout:g} s"
        except client.TransportError as error:
            return None, f"{type(error).__name__} {error}".strip()
        except (client.InvalidURL, client.HTTPError) as error:
            what = f"cannot be asked: {error}"
            raise JudgeError(self._said(what), code="judge.unreachable", facts=self._facts()) from None
        if response.status_code == 429 or response.status_code >= 500:
            return None, f"HTTP {response.status_code}"
        return response, ""

    async def _post(self, client: ModuleType, prompt: str) -> httpx.Response:
        body = {"model": self.model, "messages": [{"role": "user", "content": prompt}], "temperature": 0}
        async with client.AsyncClient(timeout=None) as service, asyncio.timeout(self.timeout):
            response: httpx.Response = await service.post(self._address, json=body, headers=self._headers())
            return response

    @property
    def _address(self) -> str:
        parts = urlsplit(self.url)
        return parts._replace(path=f"{parts.path.rstrip('/')}/chat/completions").geturl()

    def _headers(self) -> dict[str, str]:
        key = os.environ.get(self.api_key_env)
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _reply(self, response: httpx.Response) -> str:
        status = response.status_code
        if status != 200:
            what = f"refused: HTTP {status} {response.text}"
            raise JudgeError(self._said(what), code="judge.refused", facts={**self._facts(), "status": status})
        try:
            content = response.json()["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError):
            content = None
        if not isinstance(content, str):
            what = f"answered with no chat completion: {response.text!r}"
            raise JudgeError(self._said(what), code="judge.bad_answer", facts=self._facts())
        return self.cut(content)

    def _said(self, what: str) -> str:
        return f"{self.model} at {without_secrets(self.url)} {self.cut(what)[:_MAX_SHOWN]}"

    def _facts(self) -> dict[str, object]:
        return {"model": self.model, "url": without_secrets(self.url)}

    def cut(self, text: str) -> str:
        """Return a text without the key and the credentials that are sent with every question."""
        for secret in self._secrets():
            text = text.replace(secret, CUT)
        return text

    def _secrets(self) -> list[str]:
        """Return what must not be shown, the longest first."""
        parts = urlsplit(self.url)
        user, _, password = (unquote(part) for part in parts.netloc.rpartition("@")[0].partition(":"))
        basic = base64.b64encode(f"{user}:{password}".encode()).decode() if user or password else ""
        values = [value for name, value in _query(parts) if name not in _PLAIN_PARAMETERS]
        secrets = {os.environ.get(self.api_key_env, ""), user, password, basic, parts.query if values else "", *values}
        written = {form for secret in secrets for form in (secret, repr(secret)[1:-1], urlencode({"": secret})[1:])}
        return sorted((form for form in written if len(form) >= _MIN_SECRET), key=len, reverse=True)


def _finished(answer: Coroutine[object, object, _Answer]) -> _Answer:
    """Return what is awaited, also where this thread has an event loop of its own, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(answer)
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, answer).result()


def require_httpx() -> ModuleType:
    """Return httpx, or say what to install."""
    try:
        import httpx
    except ImportError:
        raise MissingExtraError(
            "LLMComparator needs httpx for `endpoint`: pip install 'fieldwise[judge]'",
            facts={"package": "httpx", "extra": "judge"},
        ) from None
    return httpx


MODEL_VARIABLE, ENDPOINT_VARIABLE = "FIELDWISE_JUDGE_MODEL", "FIELDWISE_JUDGE_ENDPOINT"
"""Variables of the environment that hold the model and the endpoint of judges that declare none."""

PROMPT = """You compare two values that were read from the same place of a document.
{guidelines}Answer with one word: TRUE if both values mean the same, FALSE if they do not.

<expected>{expected}</expected>
<predicted>{predicted}</predicted>
"""
_ANSWER = re.compile(r"\b(true|false)\b", re.IGNORECASE)


class Ledger(Protocol):
    """Where a judge that is asked in several processes counts its questions and keeps the answers."""

    def spend(self, budget: int | None) -> bool:
        """Count one more question; False where the budget allows none."""

    def keep(self, pair: tuple[str, str], score: float) -> None:
        """Keep an answer."""

    def answers(self) -> dict[tuple[str, str], float]:
        """Return the answers that were kept."""


class LLMComparator(BaseComparator):
    """Scores 1 where a language model says that both values mean the same, else 0.

    ``model`` is a function from prompt to reply, or with ``endpoint`` (the base URL of an OpenAI-compatible
    service) the name of a model; what is left out of both is that of the environment, ``FIELDWISE_JUDGE_MODEL`` and
    ``FIELDWISE_JUDGE_ENDPOINT``. The same text is 1 without asking; ``budget`` is the most questions it asks, in an
    evaluation of all workers together.

    >>> LLMComparator(lambda prompt: "TRUE").compare("12 Main St", "12 Main Street")
    1.0
    """

    binary: ClassVar[bool] = True
    is_costly: ClassVar[bool] = True
    takes: ClassVar[frozenset[str]] = ANY_KIND

    def __init__(
        self,
        model: str | Callable[[str], str] | None = None,
        eval_guidelines: str | None = None,
        *,
        endpoint: str | None = None,
        api_key_env: str = "OPENAI_API_KEY",
        budget: int | None = None,
        concurrency: int = 4,
        allow_grid: bool = False,
        timeout: float = 60.0,
        threshold: float | None = None,
    ) -> None:
        super().__init__(threshold)
        if callable(model) and endpoint is not None:
            raise SettingError(
                "Expected the name of a model beside `endpoint`, got a function",
                code="setting.conflict",
                facts={"setting": "model"},
            )
        self.model = model if callable(model) else _text_or_variable("model", model, MODEL_VARIABLE)
        self.eval_guidelines = None if eval_guidelines is None else checked_text("eval_guidelines", eval_guidelines)
        self.endpoint = None if callable(model) else _text_or_variable("endpoint", endpoint, ENDPOINT_VARIABLE)
        if self.endpoint is not None and not self.endpoint.startswith(("http://", "https://")):
            shown = self.endpoint.rpartition("@")[2].partition("?")[0]
            raise refusal("an address with http:// or https://", "endpoint", shown)
        self.api_key_env = checked_text("api_key_env", api_key_env)
        self.budget = None if budget is None else checked_count("budget", budget, low=0)
        self.concurrency = checked_count("concurrency", concurrency)
        self.allow_grid = checked_flag("allow_grid", allow_grid)
        self.timeout = checked_number("timeout", timeout)
        self._ask = self._source()
        self._forget()

    def _source(self) -> Callable[[str], str]:
        if callable(self.model):
            return self.model
        if self.model is None or self.endpoint is None or CUT in self.endpoint:
            return self._refuse
        require_httpx()
        return Endpoint(self.endpoint, self.model, self.api_key_env, self.timeout)

    def _refuse(self, prompt: str) -> str:
        lacks = [name for name in ("model", "endpoint") if getattr(self, name) is None]
        what = f"no {' and no '.join(lacks)}" if lacks else "an endpoint from which credentials were cut"
        raise JudgeError(
            f"A judge is to be asked that has {what}; declare `model` and `endpoint` in its settings, or set"
            f" {MODEL_VARIABLE} and {ENDPOINT_VARIABLE} in the environment",
            code="judge.not_set",
            facts={"settings": lacks or ["endpoint"]},
        )

    def _forget(self) -> None:
        self._answers: dict[tuple[str, str], float] = {}
        self._lock = Lock()
        self._ledger: Ledger | None = None
        self.questions = 0

    def use_ledger(self, ledger: Ledger | None) -> None:
        """Count questions in a ledger that other processes use too, and begin with its answers; None ends that."""
        self._ledger = ledger
        if ledger is not None:
            self._answers.update(ledger.answers())

    def _compare(self, expected: Json, predicted: Json) -> float:
        return self._answer((_text(expected), _text(predicted)))

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Ask about every pair of different texts once, several at a time; refused unless ``allow_grid``."""
        if not self.allow_grid:
            raise JudgeError(
                f"LLMComparator is asked for {len(expected)} × {len(predicted)} pairs of a list;"
                " pass allow_grid=True to pay for that, or use another comparator to match the list",
                code="judge.pairs_of_list",
                facts={"expected": len(expected), "predicted": len(predicted)},
            )
        rows, columns = [_text(v) for v in expected], [_text(v) for v in predicted]
        self._answer_all(list(dict.fromkeys((row, column) for row in rows for column in columns)))
        cells = [[self._answer((row, column)) for column in columns] for row in rows]
        return np.array(cells, dtype=np.float64).reshape(len(rows), len(columns))

    def _answer_all(self, pairs: list[tuple[str, str]]) -> None:
        with ThreadPoolExecutor(max_workers=self.concurrency) as pool:
            try:
                for future in [pool.submit(self._answer, pair) for pair in pairs]:
                    future.result()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _answer(self, pair: tuple[str, str]) -> float:
        if pair[0] == pair[1]:
            return 1.0
        if pair not in self._answers:
            self._spend()
            self._answers[pair] = self._verdict(pair)
            if self._ledger is not None:
                self._ledger.keep(pair, self._answers[pair])
        return self._answers[pair]

    def _spend(self) -> None:
        with self._lock:
            if self._ledger is not None:
                spent = not self._ledger.spend(self.budget)
            else:
                spent = self.budget is not None and self.questions >= self.budget
            if spent:
                raise BudgetError(
                    f"The budget of {self.budget} questions is spent; raise `budget` to go on",
                    facts={"budget": self.budget},
                )
            self.questions += 1

    def _verdict(self, pair: tuple[str, str]) -> float:
        reply = self._reply(self._prompt(*pair))
        words = {word.lower() for word in _ANSWER.findall(reply)} if isinstance(reply, str) else set()
        if len(words) != 1:
            raise JudgeError(
                f"Expected TRUE or FALSE from {self.describe()}, got {reply!r:.200}",
                code="judge.bad_answer",
                facts={"judge": self.describe(), "got": reply},
            )
        return 1.0 if words == {"true"} else 0.0

    def _reply(self, prompt: str) -> object:
        try:
            return self._ask(prompt)
        except FieldwiseError:
            raise
        except Exception as error:
            raise JudgeError(
                f"{self.describe()} failed: {type(error).__name__}: {error}", facts={"judge": self.describe()}
            ) from error

    def _prompt(self, expected: str, predicted: str) -> str:
        guidelines = f"{self.eval_guidelines}\n" if self.eval_guidelines else ""
        return PROMPT.format(guidelines=guidelines, expected=html.escape(expected), predicted=html.escape(predicted))

    @property
    def config(self) -> dict[str, Json]:
        """The settings that are JSON, which a function as model is not; the endpoint without its credentials."""
        settings = {name: value for name, value in super().config.items() if not callable(value)}
        return settings if self.endpoint is None else {**settings, "endpoint": without_secrets(self.endpoint)}

    def describe(self) -> str:
        """Return ``judge`` and the model."""
        named = getattr(self.model, "__name__", "function") if callable(self.model) else self.model
        return "judge" if named is None else f"judge, {named}"

    def _identity(self) -> tuple[object, ...]:
        return (*super()._identity(), self.model, self.endpoint)

    def __getstate__(self) -> dict[str, object]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_lock", "_answers", "_ledger", "questions")}

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self._forget()


def _text_or_variable(name: str, value: object, variable: str) -> str | None:
    """Return a text, or that of the environment where none is given or its credentials were cut; None without both."""
    is_whole = value is not None and CUT not in str(value)
    given = value if is_whole else os.environ.get(variable) or value
    return None if given is None else checked_text(name, given)


def _text(value: Json) -> str:
    text = text_of(value)
    return written(value) if text is None else text
