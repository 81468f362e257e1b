"""Options that several commands share."""

from __future__ import annotations

import click

unmatched_option = click.option(
    "--unmatched",
    type=click.Choice(["leaves", "objects"]),
    default="leaves",
    show_default=True,
    help="Count the values of unpaired list items one by one, or the items only.",
)
fail_under_option = click.option(
    "--fail-under",
    "limits",
    multiple=True,
    metavar="METRIC=VALUE",
    help="Exit with 1 where a metric is below a value; FIELD:METRIC=VALUE for one field. Can be given several times.",
)
