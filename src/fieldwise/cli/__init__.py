"""The command line: one small file a command, each parses, calls one function and prints."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

import click

from fieldwise import __version__
from fieldwise.cli.aggregate import aggregate
from fieldwise.cli.calibrate import calibrate
from fieldwise.cli.classify import classify
from fieldwise.cli.compare import compare
from fieldwise.cli.console import harmless
from fieldwise.cli.diff import diff
from fieldwise.cli.evaluate import evaluate
from fieldwise.cli.exit_codes import BAD_INPUT, EPILOG, PIPE_CLOSED
from fieldwise.cli.gate import gate
from fieldwise.cli.show import show
from fieldwise.cli.sweep import sweep
from fieldwise.cli.vendor_lambda import vendor_lambda
from fieldwise.errors import FieldwiseError


class _Commands(click.Group):
    """The commands; where nobody reads what they print any more, they end quietly, with a code of its own."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            found = super().invoke(ctx)
            if sys.stdout is not None:
                sys.stdout.flush()
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            ctx.exit(PIPE_CLOSED)
        return found


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)
@click.version_option(__version__, prog_name="fieldwise")
def cli() -> None:
    """How good is your extracted data? Field by field, expected against predicted."""


for command in (compare, evaluate, show, diff, gate, calibrate, sweep, aggregate, classify, vendor_lambda):
    cli.add_command(command)


def main() -> None:
    """Run the command line; what is wrong with input or settings is said in one line.

    Where the output cannot hold a sign, as on terminals that don't take UTF-8, another one stands for it.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        cli(standalone_mode=True)
    except FieldwiseError as error:
        click.secho(harmless(f"Error: {error}"), fg="red", err=True)
        sys.exit(BAD_INPUT)
    except OSError as error:
        place = f" - at {error.filename}" if error.filename else ""
        click.secho(harmless(f"Error: {error.strerror or error}{place}"), fg="red", err=True)
        sys.exit(BAD_INPUT)
