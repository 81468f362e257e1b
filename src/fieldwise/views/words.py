"""Every word, title, hint and rule of rounding that people read, from words.json, which the web page reads too."""

from __future__ import annotations

from importlib.resources import files
from typing import Literal, TypeAlias

import msgspec

from fieldwise.results.difference import Direction, Finding, Measure, Reason, Test
from fieldwise.results.gate import BudgetName, Decision
from fieldwise.results.metrics import ErrorKind
from fieldwise.results.rates import Metric, Unit

Grade: TypeAlias = Literal["good", "fair", "poor", "undefined"]
Outcome: TypeAlias = Literal["match", "mismatch", "missed", "spurious", "absent"]
Tone: TypeAlias = Literal[
    "plain", "quiet", "strong", "good", "fair", "poor", "undefined", "bad", "warning", "mismatch", "missed", "spurious"
]
"""What a text means for its look; a symbol or a word always says the same, so that colour never speaks alone."""
Format: TypeAlias = Literal[
    "text", "words", "name", "value", "rate", "percent", "count", "change", "number", "interval", "percent_interval",
    "points", "tenths", "points_interval", "margin", "chance",
]  # fmt: skip
"""How a cell is written: ``name`` and ``value`` come from documents, ``words`` may break over lines."""
Stacked: TypeAlias = Literal["first", "head", "line", "same", "none"]
"""Where a cell stands when a row takes several lines: in the first line before or behind the numbers, in a line of its
own with its title, in the same line as the one before, or nowhere."""


class Look(msgspec.Struct, frozen=True):
    """A symbol, a word and a tone for one of a few cases."""

    symbol: str
    word: str
    tone: Tone

    @property
    def text(self) -> str:
        """Both, as people read them."""
        return f"{self.symbol} {self.word}"

    def of(self, unit: Unit) -> Look:
        """Return it with the unit that its word is about."""
        return Look(self.symbol, self.word.format(units=WORDS.units[unit].many), self.tone)


class OutcomeLook(Look, frozen=True):
    """An outcome, with what its values are called and the key of its count."""

    past: str
    count: Literal["tp", "fd", "fa", "fn", "tn"]


class Meaning(msgspec.Struct, frozen=True):
    """A word, and what it means."""

    word: str
    meaning: str


class Column(msgspec.Struct, frozen=True):
    """A column: its key, its heading and what that means, how cells are written, and how much it is needed.

    Where there is no room, columns with the highest ``priority`` number are left out first; those with 1 stay.
    """

    key: str
    title: str
    hint: str = ""
    format: Format = "text"
    priority: int = 1
    stacked: Stacked = "line"

    @property
    def is_number(self) -> bool:
        """Whether its cells are numbers, which stand under each other by their last digit."""
        return self.format not in ("text", "words", "name", "value")


class Noun(msgspec.Struct, frozen=True):
    """A word for one and for several."""

    one: str
    many: str


class Few(msgspec.Struct, frozen=True):
    """Below how many units a figure is uncertain, how it is marked, and what the mark means."""

    below: int
    mark: str
    note: str


class Grades(msgspec.Struct, frozen=True):
    """The bands of rates: poor below ``fair_from``, good above ``good_above``; the fuller the symbol, the better."""

    fair_from: float
    good_above: float
    symbols: dict[Grade, str]


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file as a whole."""

    dash: str
    decimals: dict[str, int]
    least_chance: float
    units: dict[Unit, Noun]
    """What an interval is over."""
    few_documents: Few
    few_values: Few
    grades: Grades
    metrics: dict[Metric, str]
    measures: dict[Measure, str]
    outcomes: dict[Outcome, OutcomeLook]
    """Worst first."""
    error_kinds: dict[ErrorKind, Meaning]
    accepted: dict[str, str]
    findings: dict[Finding, Look]
    directions: dict[Direction, Look]
    decisions: dict[Decision, Look]
    budgets: dict[BudgetName, str]
    tests: dict[Test, str]
    reasons: dict[Reason, str]
    scopes: dict[str, str]
    notes: dict[str, str]
    tables: dict[str, tuple[Column, ...]]


WORDS = msgspec.json.decode((files("fieldwise.views") / "words.json").read_bytes(), type=Words)
DASH = WORDS.dash
"""What stands where nothing was there to divide by; an undefined rate is not 0."""


def columns(table: str, *keys: str, **facts: str) -> tuple[Column, ...]:
    """Return the columns of a table, all or those with some keys; ``facts`` fill the braces of titles and hints.

    ``units`` are documents by default.
    """
    chosen = {column.key: column for column in WORDS.tables[table]}
    found = [chosen[key] for key in keys] if keys else [*chosen.values()]
    facts = {"units": WORDS.units["documents"].many} | facts
    return tuple(
        msgspec.structs.replace(column, title=column.title.format(**facts), hint=column.hint.format(**facts))
        for column in found
    )


def kind_word(kind: ErrorKind) -> str:
    """Return what a kind of error is called."""
    return WORDS.error_kinds[kind].word
