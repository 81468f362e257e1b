"""Options that several commands share."""

from __future__ import annotations

import click

from fieldwise.stats.moments import RATIOS

unmatched_option = click.option(
    "--unmatched",
    type=click.Choice(["leaves", "objects"]),
    default="leaves",
    show_default=True,
    help="Count the values of unpaired list items one by one, or the items only.",
)
extras_option = click.option(
    "--extras",
    type=click.Choice(["leaves", "ignore"]),
    help="Count predicted values under keys that no field declares as spurious unless expected documents have the key "
    "(leaves, the default), or ignore them; the schema key x-fieldwise-extras says the same.",
)
fail_under_option = click.option(
    "--fail-under",
    "limits",
    multiple=True,
    metavar="METRIC=VALUE",
    help="Exit with 1 where a metric is below a value; FIELD:METRIC=VALUE for one field. Can be given several times.",
)
metric_option = click.option(
    "--metric",
    type=click.Choice(RATIOS),
    default="strict_f1",
    show_default=True,
    help="The rate by which runs are compared.",
)
allow_rules_option = click.option(
    "--allow-different-rules",
    is_flag=True,
    help="Compare runs that were made with different specs; their differences say little about the predictions.",
)
