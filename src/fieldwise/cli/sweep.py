"""``fieldwise sweep``: what a field's rates would be at other thresholds."""

from __future__ import annotations

from pathlib import Path

import click

from fieldwise.cli.console import check_files, print_view, say_pages, write_pages
from fieldwise.cli.ending import EPILOG
from fieldwise.cli.options import html_option, overwrite_option
from fieldwise.cli.settings import Command
from fieldwise.errors import SettingError
from fieldwise.render.studio import sweep_page
from fieldwise.runs.folder_run import open_run
from fieldwise.runs.sweep import THRESHOLDS, sweep_field
from fieldwise.views.sweep import sweep_view

_EXAMPLES = f"""
\b
Examples:
  fieldwise sweep results vendor.name
  fieldwise sweep results line_items.description --thresholds 0.5,0.6,0.7,0.8,0.9
  fieldwise sweep results vendor.name --out sweeps
  fieldwise sweep results vendor.name --json | jq '.points[] | [.threshold, .rates.strict_f1.value]'

{EPILOG}
"""


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("results")
@click.argument("field")
@click.option("--thresholds", metavar="T,T,…", help="Thresholds from 0 to 1; 0,0.05,…,1 by default.")
@click.option("--out", "-o", type=click.Path(file_okay=False, path_type=Path), help="Folder for sweep.json and .html.")
@overwrite_option
@html_option
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, for machines.")
def sweep(
    results: str,
    field: str,
    thresholds: str | None,
    out: Path | None,
    overwrite: bool,
    page: Path | None,
    as_json: bool,
) -> None:
    """Show the rates of a field at other thresholds.

    The rates of FIELD are computed from the scores in RESULTS, a folder that `fieldwise evaluate --out` wrote.
    Nothing is compared again: list items stay paired as they are, and values in rejected rows and values without a
    counterpart keep their outcomes.
    """
    if out is not None:
        check_files(out, "sweep", overwrite=overwrite)
    run = open_run(results)
    found = sweep_field(run, field, THRESHOLDS if thresholds is None else _parsed(thresholds))
    if out is not None or page is not None:
        html = sweep_page(found, {"results": run.name, "spec": run.metrics.spec_fingerprint or "–"})
        write_pages(html, found, name="sweep", out=out, file=page)
    if as_json:
        click.echo(found.to_json())
    else:
        print_view(sweep_view(found))
    say_pages(page, out and out / "sweep.html")


def _parsed(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise SettingError(f"Expected numbers with commas between for --thresholds, got {text!r}") from None
