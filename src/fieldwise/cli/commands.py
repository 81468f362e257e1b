"""The group of commands: it ends quietly where nobody reads any more, and knows how it was called."""

from __future__ import annotations

import os
import shlex
import sys
from typing import Any

import click

from fieldwise.cli.exit_codes import PIPE_CLOSED

_ARGUMENTS = "fieldwise.arguments"


class Commands(click.Group):
    """The commands; where nobody reads what they print any more, they end with a code of its own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments as they were written."""
        ctx.meta[_ARGUMENTS] = tuple(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            found = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(PIPE_CLOSED)
        return found


def resuming_command() -> str:
    """Return the command that continues the one that is running, ready to be copied."""
    given = click.get_current_context().meta.get(_ARGUMENTS, ())
    kept = [argument for argument in given if argument not in ("--overwrite", "--resume")]
    return shlex.join(["fieldwise", *kept, "--resume"])
