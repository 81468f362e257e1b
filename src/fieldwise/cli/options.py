"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

from fieldwise.stats.moments import RATIOS

out_option = click.option(
    "--out",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for metrics, rows and report; a new or an empty one.",
)
overwrite_option = click.option("--overwrite", is_flag=True, help="Replace what an earlier run left in --out.")
title_option = click.option("--title", default="Evaluation", show_default=True, help="What the report is called.")
expected_at_option = click.option(
    "--expected-at", metavar="PATH", help="Where the expected documents are in what is read, such as result.document."
)
predicted_at_option = click.option(
    "--predicted-at", metavar="PATH", help="Where the predicted documents are, such as choices[0].message.content."
)
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
