"""The group of commands: it ends quietly where nobody reads any more, and knows how it was called."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from fieldwise.cli.ending import forget_output
from fieldwise.cli.exit_codes import PIPE_CLOSED

_ARGUMENTS = "fieldwise.arguments"


class Commands(click.Group):
    """The commands, which know how they were called."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments as they were written."""
        ctx.meta[_ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments, which may print help."""
        with _noticing_closed_pipes():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _noticing_closed_pipes():
            return super().invoke(ctx)


@contextmanager
def _noticing_closed_pipes() -> Iterator[None]:
    """Say that nobody reads the output any more with a code of its own; click says it with that of a difference."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        forget_output()
        raise click.exceptions.Exit(PIPE_CLOSED) from None


def resuming_command() -> str:
    """Return the command that continues the one that is running, ready to be copied."""
    given = click.get_current_context().meta.get(_ARGUMENTS, ())
    kept = [argument for argument in given if argument not in ("--overwrite", "--resume")]
    return shlex.join(["fieldwise", *kept, "--resume"])
