"""Questions to an OpenAI-compatible endpoint over HTTP, with retries."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fieldwise.errors import JudgeError, MissingExtraError

if TYPE_CHECKING:
    import httpx

PAUSES = (0.5, 1.0, 2.0)
"""Seconds before each further attempt after a busy, broken or silent answer."""


@dataclass(frozen=True)
class Endpoint:
    """Asks a named model at ``{url}/chat/completions``."""

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
        raise JudgeError(
            f"{self.model} at {self.url} did not answer after {len(PAUSES) + 1} attempts: {reason}",
            code="judge.unreachable",
            facts={"model": self.model, "url": self.url},
        )

    def _attempt(self, prompt: str) -> tuple[httpx.Response | None, str]:
        """Return the response, or None and why it is worth another attempt."""
        client = require_httpx()
        body = {"model": self.model, "messages": [{"role": "user", "content": prompt}], "temperature": 0}
        address = f"{self.url.rstrip('/')}/chat/completions"
        try:
            response = client.post(address, json=body, headers=self._headers(), timeout=self.timeout)
        except client.TransportError as error:
            return None, f"{type(error).__name__} {error}".strip()
        except (client.InvalidURL, client.HTTPError) as error:
            raise JudgeError(
                f"{self.model} at {self.url} cannot be asked: {error}",
                code="judge.unreachable",
                facts={"model": self.model, "url": self.url},
            ) from error
        if response.status_code == 429 or response.status_code >= 500:
            return None, f"HTTP {response.status_code}"
        return response, ""

    def _headers(self) -> dict[str, str]:
        key = os.environ.get(self.api_key_env)
        return {"Authorization": f"Bearer {key}"} if key else {}

    def _reply(self, response: httpx.Response) -> str:
        if response.status_code != 200:
            raise JudgeError(
                f"{self.model} at {self.url} refused: HTTP {response.status_code} {response.text[:200]}",
                code="judge.refused",
                facts={"model": self.model, "url": self.url, "status": response.status_code},
            )
        try:
            content = response.json()["choices"][0]["message"]["content"]
        except (ValueError, LookupError, TypeError):
            content = None
        if not isinstance(content, str):
            raise JudgeError(
                f"Expected a chat completion from {self.url}, got {response.text[:200]!r}",
                code="judge.bad_answer",
                facts={"url": self.url},
            )
        return content


def require_httpx() -> Any:
    """Return httpx, or say what to install."""
    try:
        import httpx
    except ImportError:
        raise MissingExtraError(
            "LLMComparator needs httpx for `endpoint`: pip install 'fieldwise[judge]'",
            facts={"package": "httpx", "extra": "judge"},
        ) from None
    return httpx
