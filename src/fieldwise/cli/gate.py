"""``fieldwise gate``: may the candidate replace the baseline?"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from fieldwise.cli.console import print_view, write_file
from fieldwise.cli.ending import DIFFERS, EPILOG, GOOD, NOT_ENOUGH
from fieldwise.cli.options import ShareType, allow_rules_option, policy_metric_option, quiet_option, run_cluster_option
from fieldwise.cli.settings import Command
from fieldwise.render.junit import to_junit
from fieldwise.render.markdown import to_markdown
from fieldwise.results.gate import Decision, GateReport
from fieldwise.results.rates import Metric
from fieldwise.runs.gate import gate_runs
from fieldwise.runs.policy import MARGIN, as_policy, with_settings
from fieldwise.views.gate import gate_cases, gate_view

_EXAMPLES = f"""
\b
Examples:
  fieldwise gate --baseline main-results candidate-results
  fieldwise gate --baseline main-results candidate-results --policy gate.yaml --junit gate.xml
  fieldwise gate --baseline main-results candidate-results --margin 1% --markdown comment.md
  fieldwise gate --baseline main-results candidate-results --json | jq .decision

{EPILOG}
"""
_NAME = "fieldwise gate"
_CODES: dict[Decision, int] = {"pass": GOOD, "fail": DIFFERS, "not_enough_documents": NOT_ENOUGH}


@click.command(cls=Command, epilog=_EXAMPLES, options_metavar="--baseline FOLDER [OPTIONS]")
@click.argument("candidate")
@click.option(
    "--baseline",
    required=True,
    metavar="FOLDER",
    help="Results of the accepted system.",
)
@click.option("--policy", "policy_file", metavar="FILE", help="Margins, critical fields and budgets, as YAML.")
@click.option(
    "--margin",
    type=ShareType(),
    help=f"How much all values together may lose, such as 0.01 or 1%.  [default: the policy's, or {MARGIN}]",
)
@policy_metric_option
@run_cluster_option
@click.option("--junit", type=click.Path(dir_okay=False, path_type=Path), help="Write the checks as JUnit XML.")
@click.option("--markdown", metavar="FILE", help="Write the answer as Markdown, for a pull request; - prints it.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, for machines.")
@allow_rules_option
@quiet_option
def gate(
    candidate: str,
    baseline: str,
    policy_file: str | None,
    margin: float | None,
    metric: Metric | None,
    cluster_by: str | None,
    junit: Path | None,
    markdown: str | None,
    as_json: bool,
    allow_different_rules: bool,
    quiet: bool,
) -> None:
    """Decide whether a candidate may replace the baseline.

    Both are folders that `fieldwise evaluate --out` wrote, of the same documents. Pass: among documents like these a
    loss as large as the margin is ruled out. Fail: the loss is larger than the margin, and real, or a field is clearly
    worse by more than 5 points (any_field in the policy). Otherwise there are not enough documents to decide, and the
    answer says about how many are needed; the same where the candidate has fewer than half of the baseline's documents
    (common_documents).
    """
    if as_json and markdown == "-":
        raise click.UsageError("Only one of --json and --markdown - can be printed.")
    policy = with_settings(as_policy(policy_file), margin=margin, metric=metric)
    report = gate_runs(baseline, candidate, policy, allow_different_rules=allow_different_rules, cluster_by=cluster_by)
    _print(report, as_json=as_json, as_markdown=markdown == "-", quiet=quiet)
    if junit is not None:
        write_file(junit, to_junit(_NAME, gate_cases(report), gate_view(report)))
    if markdown not in (None, "-"):
        write_file(Path(markdown), to_markdown(gate_view(report, about=_NAME), "command_line"))
    sys.exit(_CODES[report.decision])


def _print(report: GateReport, *, as_json: bool, as_markdown: bool, quiet: bool) -> None:
    if as_markdown:
        click.echo(to_markdown(gate_view(report, about=_NAME), "command_line"), nl=False)
    elif as_json:
        click.echo(report.to_json(indent=2))
    elif not quiet:
        print_view(gate_view(report))
