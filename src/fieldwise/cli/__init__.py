"""The command line: one small file a command, each parses, calls one function and prints."""

from __future__ import annotations

import io
import sys

import click

from fieldwise import __version__
from fieldwise.cli.commands import Commands
from fieldwise.cli.ending import EPILOG, ended, stopping_on_signals
from fieldwise.cli.settings import IGNORED


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)
@click.version_option(__version__, "-V", "--version", prog_name="fieldwise")
@click.option("--no-settings", is_flag=True, help="Ignore the settings of pyproject.toml and fieldwise.toml.")
@click.pass_context
def cli(ctx: click.Context, no_settings: bool) -> None:
    """How good is your extracted data? Field by field, expected against predicted."""
    ctx.meta[IGNORED] = no_settings


def main() -> None:
    """Run the command line, which ends as `fieldwise.cli.ending` says.

    Where the output cannot hold a sign, as on terminals that don't take UTF-8, another one is printed in its place.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    with stopping_on_signals():
        sys.exit(ended(lambda: cli.main(prog_name="fieldwise", standalone_mode=False)))
