"""Comparators of closed choices: true or false, one of several values."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import ClassVar

import numpy as np

from fieldwise.checks import checked_flag, refusal
from fieldwise.comparators.as_text import bare, plain_form, text_of
from fieldwise.comparators.base import KeyedComparator
from fieldwise.errors import SettingError
from fieldwise.values import Json, canonical

_JOINTS = re.compile(r"[\s_]|(?<=[^\W\d_])-(?=[^\W\d_])")
"""What stands between the words of a choice: blanks, underscores, hyphens between letters."""


class BooleanComparator(KeyedComparator):
    """Scores 1 where both values are the same boolean; the text "true" is none.

    >>> BooleanComparator().compare(True, True), BooleanComparator().compare(True, "true")
    (1.0, 0.0)
    """

    takes: ClassVar[frozenset[str]] = frozenset({"boolean"})

    def key(self, value: Json) -> Hashable:
        """Return a boolean as it is and anything else as JSON: true, 1 and "true" are three things."""
        value = bare(value)
        return bool(value) if isinstance(value, (bool, np.bool_)) else canonical(value)


class EnumComparator(KeyedComparator):
    """Scores 1 where both values name the same choice.

    ``aliases`` maps a choice to its other spellings. With ``values`` a text that is no choice is alike
    only to itself. ``fold_joints``: blanks, underscores and hyphens between letters don't count.

    >>> EnumComparator(aliases={"USD": ["US$", "dollar"]}).compare("USD", "Dollar")
    1.0
    >>> EnumComparator(fold_joints=True).compare("PRE_ORDER", "pre-order")
    1.0
    """

    takes: ClassVar[frozenset[str]] = frozenset({"text", "number", "boolean"})

    def __init__(
        self,
        threshold: float | None = None,
        values: list[Json] | None = None,
        case_sensitive: bool = False,
        aliases: dict[str, Json] | None = None,
        fold_joints: bool = False,
    ) -> None:
        super().__init__(threshold)
        self.case_sensitive = checked_flag("case_sensitive", case_sensitive)
        self.fold_joints = checked_flag("fold_joints", fold_joints)
        self.values = None if values is None else _checked_values(values)
        self.aliases = None if aliases is None else _checked_aliases(aliases)
        self._choices = self._spellings()

    def _spellings(self) -> dict[str, str]:
        known = {self._folded(v): self._folded(v) for v in self.values or ()}
        for choice, spellings in (self.aliases or {}).items():
            if self.values is not None and self._folded(choice) not in known:
                raise SettingError(
                    f"Expected `aliases` of one of `values`, got {choice!r}",
                    facts={"setting": "aliases", "got": choice},
                )
            for spelling in (choice, *spellings):
                if known.setdefault(self._folded(spelling), self._folded(choice)) != self._folded(choice):
                    raise SettingError(
                        f"Expected each alias for one choice only, got {spelling!r} for two",
                        code="setting.conflict",
                        facts={"setting": "aliases", "got": spelling},
                    )
        return known

    def _folded(self, value: Json) -> str:
        text = " ".join((text_of(value) or "").split())
        if self.fold_joints:
            text = plain_form(text)
            text = _JOINTS.sub("", text) or text
        return text if self.case_sensitive else text.casefold()

    def key(self, value: Json) -> Hashable:
        """Return the choice that a value names, else its text; outer and doubled blanks do not count."""
        if text_of(value) is None:
            return ("value", canonical(value))
        folded = self._folded(value)
        if folded in self._choices:
            return ("choice", self._choices[folded])
        return ("text", folded if self.values is None else text_of(value))

    def describe(self) -> str:
        """Return ``enum`` and how many choices there are."""
        return "enum" if self.values is None else f"enum of {len(self.values)}"


def _checked_values(values: Json) -> list[Json]:
    if not isinstance(values, (list, tuple)) or not values or any(text_of(v) is None for v in values):
        raise refusal("a list of texts or numbers", "values", values)
    return list(values)


def _checked_aliases(aliases: Json) -> dict[str, list[str]]:
    if not isinstance(aliases, dict):
        raise refusal("an object of choice: [other spellings]", "aliases", aliases)
    found = {name: [given] if isinstance(given, str) else given for name, given in aliases.items()}
    for name, given in found.items():
        fits = isinstance(name, str) and isinstance(given, (list, tuple)) and all(isinstance(s, str) for s in given)
        if not fits:
            raise refusal("a list of texts", f"aliases[{name!r}]", given)
    return {name: list(given) for name, given in found.items()}
