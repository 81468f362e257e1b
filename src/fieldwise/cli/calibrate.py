"""``fieldwise calibrate``: how far the confidences of predicted values can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import click

from fieldwise.cli.console import check_files, print_view, say_pages, write_pages
from fieldwise.cli.ending import EPILOG
from fieldwise.cli.options import ShareType, html_option, overwrite_option, run_cluster_option
from fieldwise.cli.settings import Command
from fieldwise.render.studio import calibration_page
from fieldwise.results.calibration import Guarantee
from fieldwise.runs.calibration import calibrate_run
from fieldwise.runs.folder_run import open_run
from fieldwise.runs.run import Run
from fieldwise.views.calibration import calibration_view

_EXAMPLES = f"""
\b
Examples:
  fieldwise calibrate results
  fieldwise calibrate results --target-error 1% --out confidences
  fieldwise calibrate results --field total --field line_items
  fieldwise calibrate results --json | jq .pooled.ece

\b
Confidences come with predicted values:
  {{"total": {{"_value": 119.0, "_confidence": 0.93}}}}

{EPILOG}
"""
_MAX_FIELDS = 40


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("results")
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="PATH",
    help="Only this field and what is below it, or what a pattern such as '*.price' matches. Can be repeated.",
)
@click.option("--bins", type=click.IntRange(1, 1000), default=10, show_default=True, help="Bins of confidence.")
@click.option(
    "--target-error",
    type=ShareType(),
    default=0.05,
    show_default=True,
    help="The share of errors that accepted values may have, such as 0.01 or 1%.",
)
@click.option(
    "--guarantee",
    type=click.Choice(get_args(Guarantee)),
    default="error",
    show_default=True,
    help="What a threshold to accept from promises: at most that share of wrong values among the accepted ones, with "
    "97.5% confidence; or conformal risk control, that share of a document's values on average.",
)
@run_cluster_option
@click.option(
    "--out", "-o", type=click.Path(file_okay=False, path_type=Path), help="Folder for calibration.json and .html."
)
@overwrite_option
@html_option
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, for machines.")
def calibrate(
    results: str,
    fields: tuple[str, ...],
    bins: int,
    target_error: float,
    guarantee: Guarantee,
    cluster_by: str | None,
    out: Path | None,
    overwrite: bool,
    page: Path | None,
    as_json: bool,
) -> None:
    """Check how far the confidences can be trusted.

    RESULTS is a folder that `fieldwise evaluate --out` wrote. Answers four questions: are its confidences true; are
    right values more confident than wrong ones; how many errors does reviewing the least confident values catch; and
    from which confidence on can values be accepted without review. A value is right if it matches.
    """
    if out is not None:
        check_files(out, "calibration", overwrite=overwrite)
    run = open_run(results)
    found = calibrate_run(
        run, fields=fields, bins=bins, target_error=target_error, guarantee=guarantee, cluster_by=cluster_by
    )
    if out is not None or page is not None:
        title = Path(run.name).resolve().name
        html = calibration_page(found, title, {"results": run.name, **_rules(run)})
        write_pages(html, found, name="calibration", out=out, file=page)
    if as_json:
        click.echo(found.to_json())
    else:
        print_view(calibration_view(found, most=None if fields else _MAX_FIELDS))
    say_pages(page, out and out / "calibration.html")


def _rules(run: Run) -> dict[str, str]:
    return {"spec": run.metrics.spec_fingerprint} if run.metrics.spec_fingerprint else {}
