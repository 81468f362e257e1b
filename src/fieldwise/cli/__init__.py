"""The command line: one small file a command, each parses, calls one function and prints."""

from __future__ import annotations

import io
import sys

import click

from fieldwise import __version__
from fieldwise.cli.commands import Commands
from fieldwise.cli.console import harmless
from fieldwise.cli.exit_codes import BAD_INPUT, EPILOG
from fieldwise.errors import FieldwiseError


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)
@click.version_option(__version__, "-V", "--version", prog_name="fieldwise")
def cli() -> None:
    """How good is your extracted data? Field by field, expected against predicted."""


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
