"""``fieldwise diff``: two runs on the same documents, and whether the candidate is really better."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from fieldwise.cli.console import print_view, write_file
from fieldwise.cli.ending import DIFFERS, EPILOG, GOOD, NOT_ENOUGH
from fieldwise.cli.options import allow_rules_option, html_option, metric_option, quiet_option, run_cluster_option
from fieldwise.cli.settings import Command
from fieldwise.render.studio import difference_page
from fieldwise.render.terminal import make_console
from fieldwise.results.difference import RunDifference
from fieldwise.results.rates import RATIOS, Metric
from fieldwise.runs.difference import compare_metrics, compare_runs
from fieldwise.runs.folder_run import open_run
from fieldwise.runs.pairing import pair_runs
from fieldwise.runs.rules import check_rules
from fieldwise.runs.run import Run
from fieldwise.text import terminal_safe
from fieldwise.views.difference import difference_view, unpaired_view

_EXAMPLES = f"""
\b
Examples:
  fieldwise diff results/v1 results/v2
  fieldwise diff results/v1 results/v2 --html difference.html
  fieldwise diff results/v1 results/v2 --json | jq .fields.total.delta
  fieldwise diff v1/metrics.json v2/metrics.json

{EPILOG}
"""
_MAX_FIELDS = 40
_MAX_FLIPS = 10


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("base")
@click.argument("candidate")
@metric_option
@run_cluster_option
@html_option
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, for machines.")
@allow_rules_option
@click.option("--flips", default=_MAX_FLIPS, show_default=True, type=click.IntRange(0), help="How many values to list.")
@click.option("--all", "show_all", is_flag=True, help=f"List every field, not only {_MAX_FIELDS}.")
@quiet_option
def diff(
    base: str,
    candidate: str,
    metric: Metric,
    cluster_by: str | None,
    page: Path | None,
    as_json: bool,
    allow_different_rules: bool,
    flips: int,
    show_all: bool,
    quiet: bool,
) -> None:
    """Compare two runs: is the candidate really better?

    Both are --out folders of fieldwise evaluate. Documents are paired by id, so that small real differences
    are found and noise is not taken for one. Metrics files alone give differences that are not paired, without a
    verdict.

    Exits with 1 where the candidate is worse, clearly worse in some field, or better in one way and worse in another;
    with 4 where fewer than six documents can be compared.
    """
    runs = open_run(base), open_run(candidate)
    rules = check_rules(*runs, allow_different=allow_different_rules)
    if not (runs[0].has_rows and runs[1].has_rows):
        _unpaired(*runs, metric=metric, rules=rules, as_json=as_json, page=page, quiet=quiet)
        return
    with make_console(stderr=True).status("comparing the runs"):
        found = compare_runs(pair_runs(*runs, "A paired comparison", cluster_by), metric=metric, rules=rules)
    if page is not None:
        write_file(page, difference_page(found))
    if as_json:
        click.echo(found.to_json())
    elif not quiet:
        print_view(difference_view(found, fields=None if show_all else _MAX_FIELDS, flips=flips))
        _say_where(page)
    sys.exit(_exit_code(found))


def _unpaired(
    base: Run, candidate: Run, *, metric: Metric, rules: tuple[str, ...], as_json: bool, page: Path | None, quiet: bool
) -> None:
    if metric not in RATIOS:
        raise click.UsageError(f"--metric {metric} needs two --out folders: metrics files alone hold no documents.")
    found = compare_metrics(base, candidate, ratio=metric, rules=rules)
    if page is not None:
        write_file(page, difference_page(found))
    if as_json:
        click.echo(found.to_json())
    elif not quiet:
        print_view(unpaired_view(found))
        _say_where(page)


def _say_where(page: Path | None) -> None:
    if page is not None:
        click.secho(terminal_safe(f"Page: {page}"), dim=True)


def _exit_code(difference: RunDifference) -> int:
    if difference.finding in ("too_few", "undefined"):
        return NOT_ENOUGH
    return DIFFERS if difference.finding in ("worse", "mixed") else GOOD
