"""The comparator that asks a language model whether two values mean the same.

Every question costs: answers are kept, a budget is never exceeded, grids are refused unless allowed. A judge that gives
no answer is an error, never a score.
"""

from __future__ import annotations

import html
import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import ClassVar, Protocol

import numpy as np

from fieldwise.checks import checked_count, checked_flag, checked_number, checked_text, refusal
from fieldwise.comparators.as_text import text_of
from fieldwise.comparators.base import ANY_KIND, BaseComparator, Grid
from fieldwise.comparators.endpoint import CUT, Endpoint, require_httpx, without_secrets
from fieldwise.errors import BudgetError, FieldwiseError, JudgeError, SettingError
from fieldwise.values import Json, written

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
