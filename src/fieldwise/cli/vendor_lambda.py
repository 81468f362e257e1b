"""``fieldwise vendor-lambda``: the aggregator or the results resolver, for places where nothing can be installed."""

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
  fieldwise vendor-lambda build/resolver --resolver
"""
_AGGREGATOR = Path(bulk_aggregator.__file__)
_PACKAGE = Path("fieldwise_resolver")
_ENTRY = b'''"""The entry point of the Lambda function: index.handler."""

from fieldwise_resolver.aws.resolver import handler

__all__ = ["handler"]
'''
_INIT = b'"""Files of fieldwise, as fieldwise vendor-lambda copied them; they need Python 3.11 and boto3."""\n'


@click.command(name="vendor-lambda", epilog=_EXAMPLES)
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--resolver", is_flag=True, help="Copy the results resolver for AWS, which needs boto3.")
@click.option("--force", is_flag=True, help="Replace files of these names that differ.")
def vendor_lambda(folder: Path, resolver: bool, force: bool) -> None:
    """Copy the aggregator into a folder, as one file.

    The file, bulk_aggregator.py, needs nothing but Python. With --resolver a whole Lambda function is copied: index.py
    and the folder fieldwise_resolver, which need Python and boto3 and run from a zip of DIR.
    DIR is created where it is missing. A file that is already the same is left alone; one that differs is replaced
    only with --force.
    """
    files = _resolver_files() if resolver else {Path(_AGGREGATOR.name): _AGGREGATOR.read_bytes()}
    for name, content in files.items():
        target = folder / name
        try:
            written = _write(target, content, force=force)
        except OSError as error:
            raise InputError(f"Cannot write {target}: {error.strerror}") from error
        click.echo(terminal_safe(f"{'Wrote' if written else 'Unchanged:'} {target}"))
    if resolver:
        click.echo("The function's handler is index.handler; docs/aws.md lists its settings")
    else:
        click.echo("Use it with: from bulk_aggregator import BulkEvaluationAggregator")


def _resolver_files() -> dict[Path, bytes]:
    """Return the files of the function; copies lie to one another as their originals do."""
    # Found beside the aggregator and not imported: that would need boto3.
    modules = sorted((_AGGREGATOR.parent / "aws").glob("*.py"))
    return {
        Path("index.py"): _ENTRY,
        _PACKAGE / "__init__.py": _INIT,
        _PACKAGE / _AGGREGATOR.name: _AGGREGATOR.read_bytes(),
        **{_PACKAGE / "aws" / path.name: path.read_bytes() for path in modules},
    }


def _write(target: Path, content: bytes, *, force: bool) -> bool:
    """Put the content there in one step, and tell whether anything changed."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        if target.read_bytes() == content:
            return False
        if not force:
            raise InputError(f"{target} exists and differs; --force replaces it")
    handle, draft = tempfile.mkstemp(dir=target.parent, prefix=f".{target.stem}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        # A draft is readable by its owner only; the copy is as readable as the original.
        os.chmod(draft, _AGGREGATOR.stat().st_mode & 0o777)
        os.replace(draft, target)
    except BaseException:
        os.unlink(draft)
        raise
    return True
