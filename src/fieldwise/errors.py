"""The exceptions of fieldwise.

FieldwiseError
├── SettingError (ValueError)      a setting that is wrong, with its path: schema, threshold, comparator, weight
│   ├── ComparatorError              a comparator of one's own that answers with no score; it ends an evaluation
│   └── SliceError                   a slice key with too many values to be counted by; it ends an evaluation
├── InputError (ValueError)        input that cannot be read at all: no file, not JSON
│   ├── CycleError                   a Python object that contains itself
│   └── LimitError                   a document over a limit of reading, which it names
├── CancelledError                 an evaluation that was asked to stop, and did so between two shards
├── LostLeaseError (RuntimeError)  an evaluation that may write no longer: another one has taken its place
├── MissingExtraError (ImportError)  an optional package that a setting asks for is not installed
├── NotServedError (ImportError)   a module or name of stickler-eval that has no counterpart here
└── JudgeError (RuntimeError)      a judge or embedding model that could not answer; it ends an evaluation
    └── BudgetError                  a judge that may ask no further question

Two more belong to class metrics: ``classify.RowTypeError`` (InputError, TypeError), a row that is no result, and
``classify.UnknownMetricError`` (SettingError, KeyError), a metric that nobody registered.

A document that is merely wrong raises none of these: it is compared, or recorded as a failure.

Every error has a ``code`` for machines and ``facts``, which hold as JSON what its message names; docs/errors.md lists
the codes. Each class has a code of its own for what no other code tells apart.
"""

from __future__ import annotations

import difflib
import math
import os
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from typing import Any

_MAX_TEXT = 2_000
_MAX_ITEMS = 100
_MAX_LEVELS = 4
_MAX_BITS = 64


class FieldwiseError(Exception):
    """Everything that fieldwise raises on purpose.

    ``code`` says what is wrong and never changes its meaning; ``facts`` is what the message names, as JSON: ``file`` a
    file or folder, ``path`` the place of a setting or value, ``setting``, ``field``, ``document``, ``expected``,
    ``got``, ``nearest`` and others. The message is the ``statement`` of what is wrong and, where there is something to
    say, the ``advice`` on what to do, in the words of this library; a program with words of its own leaves it out.
    """

    code = "error"

    def __init__(
        self, message: str = "", *, code: str | None = None, facts: Mapping[str, object] | None = None, advice: str = ""
    ) -> None:
        super().__init__(_joined(message, advice))
        self.statement, self.advice = message, advice
        self.facts: dict[str, Any] = {name: _as_json(value) for name, value in (facts or {}).items()}
        if code is not None:
            self.code = code

    def restate(self, statement: str) -> None:
        """Say in other words what is wrong."""
        self.statement = statement
        self.args = (_joined(statement, self.advice),)

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (type(self), str(self.args[0])), self.__dict__


def _restored(kind: type[FieldwiseError], text: str) -> FieldwiseError:
    """Make an error again that was pickled; its other attributes follow."""
    error = kind.__new__(kind, text)
    FieldwiseError.__init__(error, text)
    return error


def _joined(statement: str, advice: str) -> str:
    return f"{statement}; {advice}" if advice else statement


def _as_json(value: Any, levels: int = _MAX_LEVELS) -> Any:
    """Return a value as JSON of a modest size, whatever it is: facts name it, they don't hold it."""
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is int:
        return value if value.bit_length() <= _MAX_BITS else f"an integer of {value.bit_length()} bits"
    if kind is float:
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, (str, PathLike)):
        text = str(os.fspath(value))
        return text if len(text) <= _MAX_TEXT else f"{text[:_MAX_TEXT]}…"
    if levels and isinstance(value, Mapping):
        return {str(_as_json(key, 0)): _as_json(value[key], levels - 1) for key in list(value)[:_MAX_ITEMS]}
    if levels and isinstance(value, (list, tuple, set, frozenset)):
        return [_as_json(item, levels - 1) for item in list(value)[:_MAX_ITEMS]]
    return reprlib.repr(value)


class SettingError(FieldwiseError, ValueError):
    """A setting is wrong; found before anything is compared."""

    code = "setting.invalid"

    def __init__(
        self,
        message: str,
        *,
        path: str = "",
        code: str | None = None,
        facts: Mapping[str, object] | None = None,
        advice: str = "",
    ) -> None:
        placed, named = (f"{message} - at {path}", {"path": path}) if path else (message, {})
        super().__init__(placed, code=code, facts={**named, **(facts or {})}, advice=advice)
        self.path = path


class ComparatorError(SettingError):
    """A comparator of one's own answers with something that is no score, or raises on every value."""

    code = "comparator.no_score"


class SliceError(SettingError):
    """A slice key has too many values to be counted by."""

    code = "slice.too_many_values"


class InputError(FieldwiseError, ValueError):
    """An input cannot be read at all."""

    code = "input.invalid"


class CycleError(InputError):
    """A Python object contains itself, which no JSON can."""

    code = "input.cycle"


class LimitError(InputError):
    """A document is over a limit of reading; ``limit`` names it."""

    code = "input.over_limit"

    def __init__(self, message: str, *, limit: str, facts: Mapping[str, object] | None = None) -> None:
        super().__init__(message, facts={"limit": limit, **(facts or {})})
        self.limit = limit


class CancelledError(FieldwiseError):
    """An evaluation was asked to stop; the shards that were finished are kept where its sink keeps them."""

    code = "run.cancelled"


class LostLeaseError(FieldwiseError, RuntimeError):
    """An evaluation may write no longer: another one has taken its place. What it was about to commit is not kept."""

    code = "run.lost_lease"


class MissingExtraError(FieldwiseError, ImportError):
    """A setting asks for a package that is not installed."""

    code = "extra.missing"


class NotServedError(FieldwiseError, ImportError):
    """A module or name of stickler-eval is not served here; the message says what to use."""

    code = "import.not_served"


class JudgeError(FieldwiseError, RuntimeError):
    """A model that was asked for an answer gave none."""

    code = "judge.failed"


class BudgetError(JudgeError):
    """A judge may ask no further question."""

    code = "judge.budget_spent"


ENDS_ALL = (ComparatorError, SliceError, JudgeError, MissingExtraError, MemoryError, OSError)
"""What concerns all documents, not only the one at which it was seen: settings, judges, and what the machine lacks."""


@contextmanager
def settings_in(file: str | PathLike[str]) -> Iterator[None]:
    """Add the file to what is said about settings that are read from it."""
    try:
        yield
    except SettingError as error:
        error.facts.setdefault("file", str(file))
        if str(file) not in str(error):
            error.restate(f"{error.statement} in {file}")
        raise


def cannot_read(file: str | PathLike[str], error: OSError, *, verb: str = "read") -> InputError:
    """Return the error for a file or folder that the system does not let one read."""
    facts = {"file": file, "reason": error.strerror}
    return InputError(f"Cannot {verb} {file}: {error.strerror or error}", code="input.unreadable", facts=facts)


def nearest(word: str, valid: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the valid word closest to ``word``, or an empty text.

    >>> nearest("weigth", ["weight", "threshold"])
    "; did you mean 'weight'?"
    """
    found = closest(word, valid)
    return "" if found is None else f"; did you mean {quoted(found)}?"


def closest(word: str, valid: Iterable[str]) -> str | None:
    """Return the valid word closest to ``word``; None where none is near. The last part of a path is near to the path.

    >>> closest("vat_id", ["vat", "supplier.vat_id"])
    'supplier.vat_id'
    """
    known = list(valid)
    folded = word.casefold()
    same = [name for name in known if name.casefold() == folded]
    paths = [name for name in known if name.casefold().endswith(f".{folded}")]
    similar = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return next(iter([*same, *paths, *similar]), None)


def quoted(name: str) -> str:
    r"""Return a name between quotes, as it is written and can be copied; one that cannot be printed as Python does.

    >>> print(quoted(r"x\[0]"))
    'x\[0]'
    """
    return f"'{name}'" if name.isprintable() else repr(name)


def at_path(error: Exception, path: str) -> SettingError:
    """Return an error as that of the setting at a path; one of a setting keeps its code and facts."""
    if isinstance(error, SettingError):
        return SettingError(error.statement, path=path, code=error.code, facts=error.facts, advice=error.advice)
    return SettingError(str(error), path=path)
