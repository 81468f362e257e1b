"""The exceptions of fieldwise.

FieldwiseError
├── SettingError (ValueError)      a setting that is wrong, with its path: schema, threshold, comparator, weight
│   └── ComparatorError              a comparator of one's own that answers with no score; it ends an evaluation
├── InputError (ValueError)        input that cannot be read at all: no file, not JSON
│   ├── CycleError                   a Python object that contains itself
│   └── LimitError                   a document over a limit of reading, which it names
├── MissingExtraError (ImportError)  an optional package that a setting asks for is not installed
└── JudgeError (RuntimeError)      a judge or embedding model that could not answer
    └── BudgetError                  a judge that may ask no further question; it ends an evaluation

Two more belong to class metrics: ``classify.RowTypeError`` (InputError, TypeError), a row that is no result, and
``classify.UnknownMetricError`` (SettingError, KeyError), a metric that nobody registered.

A document that is merely wrong raises none of these: it is compared, or recorded as a failure.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from os import PathLike


class FieldwiseError(Exception):
    """Everything that fieldwise raises on purpose."""


class SettingError(FieldwiseError, ValueError):
    """A setting is wrong; found before anything is compared."""

    def __init__(self, message: str, *, path: str = "") -> None:
        super().__init__(f"{message} - at {path}" if path else message)
        self.path = path


class ComparatorError(SettingError):
    """A comparator of one's own answers with something that is no score, or raises on every value."""


class InputError(FieldwiseError, ValueError):
    """An input cannot be read at all."""


class CycleError(InputError):
    """A Python object contains itself, which no JSON can."""


class LimitError(InputError):
    """A document is over a limit of reading; ``limit`` names it."""

    def __init__(self, message: str, *, limit: str) -> None:
        super().__init__(message)
        self.limit = limit


class MissingExtraError(FieldwiseError, ImportError):
    """A setting asks for a package that is not installed."""


class JudgeError(FieldwiseError, RuntimeError):
    """A model that was asked for an answer gave none."""


class BudgetError(JudgeError):
    """A judge may ask no further question."""


@contextmanager
def settings_in(file: str | PathLike[str]) -> Iterator[None]:
    """Add the file to what is said about settings that are read from it."""
    try:
        yield
    except SettingError as error:
        if str(file) not in str(error):
            error.args = (f"{error} in {file}",)
        raise


def nearest(word: str, valid: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the valid word closest to ``word``, or an empty text.

    >>> nearest("weigth", ["weight", "threshold"])
    "; did you mean 'weight'?"
    """
    found = difflib.get_close_matches(word, list(valid), n=1, cutoff=0.5)
    return f"; did you mean {quoted(found[0])}?" if found else ""


def quoted(name: str) -> str:
    r"""Return a name between quotes, as it is written and can be copied; one that cannot be printed as Python does.

    >>> print(quoted(r"x\[0]"))
    'x\[0]'
    """
    return f"'{name}'" if name.isprintable() else repr(name)
