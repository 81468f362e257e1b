"""``fieldwise vendor-lambda``: the aggregator as one file, for places where nothing can be installed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import click

from fieldwise import bulk_aggregator
from fieldwise.errors import InputError
from fieldwise.text import terminal_safe

_EXAMPLES = """
\b
Examples:
  fieldwise vendor-lambda src/lambda/test_results_resolver
  fieldwise vendor-lambda build --force
"""


@click.command(name="vendor-lambda", epilog=_EXAMPLES)
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace a file of that name that differs.")
def vendor_lambda(folder: Path, force: bool) -> None:
    """Copy the aggregator into a folder, as one file.

    The file, bulk_aggregator.py, needs nothing but Python.
    DIR is created where it is missing. A file that is already the same is left alone; one that differs is replaced
    only with --force.
    """
    content = Path(bulk_aggregator.__file__).read_bytes()
    target = folder / "bulk_aggregator.py"
    try:
        written = _write(target, content, force=force)
    except OSError as error:
        raise InputError(f"Cannot write {target}: {error.strerror}") from error
    click.echo(terminal_safe(f"{'Wrote' if written else 'Unchanged:'} {target}"))
    click.echo("Use it with: from bulk_aggregator import BulkEvaluationAggregator")


def _write(target: Path, content: bytes, *, force: bool) -> bool:
    """Put the content there in one step, and tell whether anything changed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        if target.read_bytes() == content:
            return False
        if not force:
            raise InputError(f"{target} exists and differs; --force replaces it")
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=".bulk_aggregator.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        # A draft is readable by its owner only; the copy is as readable as the original.
        os.chmod(draft, Path(bulk_aggregator.__file__).stat().st_mode & 0o777)
        os.replace(draft, target)
    except BaseException:
        os.unlink(draft)
        raise
    return True
