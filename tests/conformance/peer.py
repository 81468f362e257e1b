"""Running the peer: quietly, and with its results as plain JSON."""

from __future__ import annotations

import contextlib
import enum
import importlib
import importlib.metadata
import io
import json
import logging
import warnings
from collections.abc import Iterator
from typing import Any

# By its distribution: the module of this name may be served by ``fieldwise.as_stickler``.
INSTALLED = any(importlib.metadata.distributions(name="stickler-eval"))


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep the peer's warnings, log lines and prints to itself."""
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(logging.NOTSET)


def module() -> Any:
    """Return the peer itself."""
    with quiet():
        return importlib.import_module("stickler")


def run(schema: dict[str, Any], expected: Any, predicted: Any, **options: Any) -> dict[str, Any]:
    """Return what ``compare_with`` and ``compare`` of the peer say of two documents."""
    with quiet():
        model = module().StructuredModel.from_json_schema(schema)
        return compared(model(**expected), model(**predicted), **options)


def compared(expected: Any, predicted: Any, **options: Any) -> dict[str, Any]:
    """Return the same of two instances, ours or the peer's."""
    with quiet():
        result = expected.compare_with(predicted, **options)
        raw = float(expected.compare(predicted))
    return {**as_json(result), "compare()": raw}


def as_json(value: Any) -> Any:
    """Return a result after a round trip through JSON; instances as their fields."""
    return json.loads(json.dumps(value, default=_plain))


def _plain(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    if hasattr(value, "model_dump"):
        return {name: getattr(value, name) for name in type(value).model_fields if name != "extra_fields"}
    if hasattr(value, "item"):
        return value.item()
    return str(value)
