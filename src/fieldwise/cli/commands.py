"""The group of commands: each is loaded when it is called; it ends quietly where nobody reads any more."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from fieldwise.cli.ending import PIPE_CLOSED, forget_output
from fieldwise.cli.settings import describe_settings, write_note
from fieldwise.errors import closest, nearest
from fieldwise.text import terminal_safe

_ARGUMENTS = "fieldwise.arguments"
SUMMARIES = {
    "aggregate": "Add up evaluation results that exist already.",
    "calibrate": "Check how far the confidences can be trusted.",
    "classify": "Measure predicted classes against the right ones.",
    "compare": "Compare two JSON documents, field by field.",
    "completion": "Print the script for completion in a shell.",
    "diff": "Compare two runs: is the candidate really better?",
    "evaluate": "Evaluate a set of documents, field by field.",
    "gate": "Decide whether a candidate may replace the baseline.",
    "show": "List the compared values of a run.",
    "sweep": "Show the rates of a field at other thresholds.",
    "vendor-lambda": "Copy the aggregator into a folder, as one file.",
}
"""Each command with the first sentence of its help, so that listing them loads none of them."""


class Commands(click.Group):
    """The commands, which know how they were called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load a command: the function of its name, in the module of its name."""
        if cmd_name not in SUMMARIES:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"fieldwise.cli.{name}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that arguments begin with; for a misspelt one, the nearest is proposed."""
        if args and args[0] not in SUMMARIES and not args[0].startswith("-"):
            ctx.fail(f"No such command {args[0]!r}{nearest(args[0], SUMMARIES) or '.'}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with their summaries."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write which settings are in effect, and what exit codes mean."""
        write_note(formatter, describe_settings())
        super().format_epilog(ctx, formatter)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a command's name, or what may come before one."""
        names = [CompletionItem(name, help=text) for name, text in SUMMARIES.items() if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the arguments as they were written."""
        ctx.meta[_ARGUMENTS] = tuple(args)
        with _safe_refusals():
            return super().parse_args(ctx, args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the arguments, which may print help."""
        with _noticing_closed_pipes():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _noticing_closed_pipes(), _safe_refusals():
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


@contextmanager
def _safe_refusals() -> Iterator[None]:
    """Keep arguments that are refused from steering the terminal on which they are shown."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        raise click.UsageError(terminal_safe(_refusal(error)), error.ctx) from error


def _field_hint(error: click.UsageError) -> str:
    """Say how a field is given to a command that takes it as an option, where one argument too many came."""
    extra = re.fullmatch(r"Got unexpected extra argument \((.+)\)", error.message)
    options = [] if error.ctx is None else [name for each in error.ctx.command.params for name in each.opts]
    return f"; a field is given as --field {extra[1]}" if extra and "--field" in options else ""


def _refusal(error: click.UsageError) -> str:
    """Say what is wrong with arguments; for an unknown option also what was meant, where that can be told."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error.format_message() + _field_hint(error)
    name, command = error.option_name.lstrip("-"), error.ctx.command
    if any(isinstance(each, click.Argument) and each.name == name for each in command.params):
        usage = " ".join([error.ctx.command_path, *command.collect_usage_pieces(error.ctx)])
        return f"No such option '{error.option_name}'; {name.upper()} is given without one: {usage}"
    known = {option.lstrip("-"): option for each in command.get_params(error.ctx) for option in each.opts}
    meant = _SAME_AIM.get(name)
    if meant not in known:
        meant = closest(name, (option for option, given in known.items() if given.startswith("--")))
    return f"No such option '{error.option_name}'" + ("." if meant is None else f"; did you mean '{known[meant]}'?")


_SAME_AIM = {"out": "html", "output": "html"}
"""Options that other commands have, and what does the same where a command has it instead."""


def resuming_command() -> str:
    """Return the command that continues the one that is running, ready to be copied."""
    given = click.get_current_context().meta.get(_ARGUMENTS, ())
    kept = [argument for argument in given if argument not in ("--overwrite", "--resume")]
    return shlex.join(["fieldwise", *kept, "--resume"])
