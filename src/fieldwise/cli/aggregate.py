"""``fieldwise aggregate``: evaluation results that exist already, added up, the worst fields first."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from fieldwise.aggregated import add_up, write_results
from fieldwise.api import named_after
from fieldwise.cli.console import print_view, say_reports, write_file
from fieldwise.cli.ending import DIFFERS, EPILOG, GOOD, SOME_FAILED
from fieldwise.cli.limits import below, parse_limit
from fieldwise.cli.options import (
    fail_under_option,
    html_option,
    out_option,
    overwrite_option,
    quiet_option,
    title_option,
)
from fieldwise.cli.settings import Command
from fieldwise.evaluation.folder import check_outside, check_results
from fieldwise.render.studio import studio_page
from fieldwise.results import PageAnswers
from fieldwise.text import terminal_safe
from fieldwise.views.evaluation import evaluation_view

_EXAMPLES = f"""
\b
Examples:
  fieldwise aggregate results/
  fieldwise aggregate 'results/**/*.json' --out summary
  fieldwise aggregate individual_results.jsonl --json | jq .fields

{EPILOG}
"""


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("results", nargs=-1, required=True)
@out_option
@overwrite_option
@html_option
@title_option
@fail_under_option
@click.option("--json", "as_json", is_flag=True, help="Print the metrics as JSON, for machines.")
@quiet_option
def aggregate(
    results: tuple[str, ...],
    out: Path | None,
    overwrite: bool,
    page: Path | None,
    title: str | None,
    limits: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Add up evaluation results that exist already.

    RESULTS are files, folders or patterns such as 'results/**/*.json'.
    A result is what compare_with returns with its confusion matrix, the matrix alone, a line of an evaluator's JSONL,
    or a results.json with sections.
    """
    asked = [parse_limit(text) for text in limits]
    if out is not None:
        check_outside(out, [Path(name) for name in results])
        check_results(out, overwrite=overwrite)
    added = add_up(results)
    metrics = added.metrics()
    name, facts = title or named_after(*results), {"input": ", ".join(results)}
    if out is not None:
        facts |= {"spec fingerprint": metrics.spec_fingerprint or "", "fieldwise": metrics.scorer_version or ""}
        write_results(out, metrics, PageAnswers(name, facts, added.page(metrics)))
    if page is not None:
        write_file(page, studio_page(PageAnswers(name, facts, added.page(metrics))))
    if as_json:
        click.echo(metrics.to_json())
    elif not quiet:
        print_view(evaluation_view(metrics))
        say_reports(page, out and out / "report.html")
    broken = below(asked, metrics)
    for words in broken:
        click.secho(terminal_safe(f"Below the limit: {words}"), fg="red", err=True)
    sys.exit(DIFFERS if broken else SOME_FAILED if metrics.error_count > added.left_out else GOOD)
