"""Recursion that does not use the interpreter's stack.

A recursive function is written as a generator that yields the calls it needs and returns its result.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias, TypeVar

T = TypeVar("T")

Steps: TypeAlias = Generator[Any, Any, T]
"""A call under way: it yields other such calls, is sent their results, and returns its own."""


def run(call: Steps[T]) -> T:
    """Run a call and all that it asks for, at any depth.

    >>> def depth(value):
    ...     return (1 + (yield depth(value[0]))) if value else 0
    >>> run(depth([[[[]]]]))
    3
    """
    stack: list[Steps[Any]] = [call]
    result: Any = None
    while stack:
        try:
            wanted = stack[-1].send(result)
        except StopIteration as done:
            stack.pop()
            result = done.value
        else:
            stack.append(wanted)
            result = None
    answer: T = result
    return answer
