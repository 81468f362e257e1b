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
match_threshold_option = click.option(
    "--match-threshold",
    type=click.FloatRange(0, 1),
    help="The similarity from which two rows of a list are a pair, where the schema sets none; 0.3 by default.",
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
