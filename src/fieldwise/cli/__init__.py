"""The command line: one small file a command, each parses, calls one function and prints."""

from __future__ import annotations

import io
import sys

import click

from fieldwise import __version__
from fieldwise.cli.aggregate import aggregate
from fieldwise.cli.calibrate import calibrate
from fieldwise.cli.classify import classify
from fieldwise.cli.commands import Commands
from fieldwise.cli.compare import compare
from fieldwise.cli.completion import completion
from fieldwise.cli.diff import diff
from fieldwise.cli.ending import ended, stopping_on_signals
from fieldwise.cli.evaluate import evaluate
from fieldwise.cli.exit_codes import EPILOG
from fieldwise.cli.gate import gate
from fieldwise.cli.show import show
from fieldwise.cli.sweep import sweep
from fieldwise.cli.vendor_lambda import vendor_lambda


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EPILOG,
)
@click.version_option(__version__, "-V", "--version", prog_name="fieldwise")
def cli() -> None:
    """How good is your extracted data? Field by field, expected against predicted."""


for command in (compare, evaluate, show, diff, gate, calibrate, sweep, aggregate, classify, completion, vendor_lambda):
    cli.add_command(command)


def main() -> None:
    """Run the command line, which ends as `fieldwise.cli.ending` says.

    Where the output cannot hold a sign, as on terminals that don't take UTF-8, another one stands for it.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    with stopping_on_signals():
        sys.exit(ended(lambda: cli.main(standalone_mode=False)))
