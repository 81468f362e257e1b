"""``fieldwise completion``: the script that lets a shell complete commands and options."""

from __future__ import annotations

import os
from pathlib import PurePath

import click
from click.shell_completion import get_completion_class

_SHELLS = ("bash", "zsh", "fish")
_EXAMPLES = """
\b
Examples:
  eval "$(fieldwise completion bash)"                                      in ~/.bashrc
  eval "$(fieldwise completion zsh)"                                       in ~/.zshrc
  fieldwise completion fish > ~/.config/fish/completions/fieldwise.fish    once
"""


@click.command(epilog=_EXAMPLES)
@click.argument("shell", type=click.Choice(_SHELLS), required=False)
@click.pass_context
def completion(ctx: click.Context, shell: str | None) -> None:
    """Print the script for completion in a shell.

    Without an argument the shell is the one that the environment variable SHELL names.
    """
    chosen = shell or PurePath(os.environ.get("SHELL", "")).name
    script = get_completion_class(chosen) if chosen in _SHELLS else None
    if script is None:
        raise click.UsageError(f"Expected one of {', '.join(_SHELLS)}, as in: fieldwise completion bash")
    click.echo(script(ctx.find_root().command, {}, "fieldwise", "_FIELDWISE_COMPLETE").source())
