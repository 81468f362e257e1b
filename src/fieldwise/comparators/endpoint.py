"""An OpenAI-compatible service that a judge asks over HTTP: its address, its patience, and what it must not give away.

A timeout is for the whole answer. Keys and credentials are cut out of every message and every setting that is written.
"""

from __future__ import annotations

import asyncio
import base64
import os
import time
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from fieldwise.errors import JudgeError, MissingExtraError

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
