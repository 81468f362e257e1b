"""``fieldwise evaluate``: a set of documents, every field counted, the worst first."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Literal

import click
from rich.text import Text

from fieldwise.cli.comparison_table import print_plan
from fieldwise.cli.console import ProgressLine, harmless, make_console
from fieldwise.cli.evaluation_table import print_evaluation
from fieldwise.cli.exit_codes import DIFFERS, EPILOG, GOOD, INTERRUPTED, SOME_FAILED
from fieldwise.cli.limits import Limit, below, parse_limit
from fieldwise.cli.options import extras_option, fail_under_option, unmatched_option
from fieldwise.compare import Plan
from fieldwise.readers.pairs import PairSource, open_pairs
from fieldwise.readers.specs import read_spec
from fieldwise.runner.evaluation import Evaluation, evaluate_pairs, inferred_spec, with_outside
from fieldwise.spec import Spec
from fieldwise.spec.nodes import SpecExtras

_EXAMPLES = f"""
\b
Examples:
  fieldwise evaluate expected/ predicted/
  fieldwise evaluate expected/ predicted/ --out results --workers 4
  fieldwise evaluate expected.jsonl predicted.jsonl --schema invoice.schema.json
  fieldwise evaluate pairs.jsonl --fail-under strict_f1=0.9 --fail-under total:f1=0.95
  fieldwise evaluate pairs.jsonl --json | jq .aggregate.strict_f1

{EPILOG}
"""
_MOST_FIELDS = 40


@click.command(epilog=_EXAMPLES)
@click.argument("expected")
@click.argument("predicted", required=False)
@click.option("--schema", metavar="FILE", help="JSON Schema or config; a spec.json of an earlier --out works too.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for metrics, rows and report.")
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes to use.")
@unmatched_option
@extras_option
@fail_under_option
@click.option("--resume", is_flag=True, help="Go on where an evaluation into the same --out was stopped.")
@click.option("--no-verdicts", is_flag=True, help="Don't write verdicts.parquet, one row for every compared value.")
@click.option("--strict-json", is_flag=True, help="Refuse documents with duplicate keys.")
@click.option("--json", "as_json", is_flag=True, help="Print the metrics as JSON, for machines.")
@click.option("--explain", is_flag=True, help="Say how every field is compared, and why.")
@click.option("--all", "show_all", is_flag=True, help=f"List every field, not only the {_MOST_FIELDS} worst.")
def evaluate(
    expected: str,
    predicted: str | None,
    schema: str | None,
    out: Path | None,
    workers: int,
    unmatched: Literal["leaves", "objects"],
    extras: SpecExtras | None,
    limits: tuple[str, ...],
    resume: bool,
    no_verdicts: bool,
    strict_json: bool,
    as_json: bool,
    explain: bool,
    show_all: bool,
) -> None:
    """Evaluate a set of documents: what was EXPECTED against what was PREDICTED.

    Both are folders of JSON files, matched by relative path, or JSONL files, matched by id, or zip or Parquet files;
    or EXPECTED alone is a file of pairs (JSONL, CSV of paths, zip, Parquet). Documents without a prediction count as
    missed; what cannot be read is listed. Without --schema the way to compare each field is inferred.
    """
    if resume and out is None:
        raise click.UsageError("--resume needs the --out folder of the evaluation that was stopped.")
    asked = [parse_limit(text) for text in limits]
    source = open_pairs(expected, predicted, strict_json=strict_json)
    spec = None if schema is None else read_spec(schema)
    if explain and not as_json:
        _explain(spec, source, extras)
    try:
        with ProgressLine(source.total, source.unit) as progress:
            found = evaluate_pairs(
                source,
                spec,
                out=out,
                workers=workers,
                unmatched=unmatched,
                extras=extras,
                verdicts=not no_verdicts,
                resume=resume,
                progress=progress,
            )
    except KeyboardInterrupt:
        again = f"; go on with: --resume --out {out}" if out else ""
        click.secho(f"Stopped{again}", fg="yellow", err=True)
        sys.exit(INTERRUPTED)
    _print(found, inferred=spec is None, as_json=as_json, show_all=show_all)
    sys.exit(_exit_code(found, asked))


def _explain(spec: Spec | None, source: PairSource, extras: SpecExtras | None) -> None:
    chosen = inferred_spec(source)[0] if spec is None else with_outside(spec, source)
    print_plan(make_console(), Plan.compile(chosen, extras=extras), inferred=spec is None)


def _print(found: Evaluation, *, inferred: bool, as_json: bool, show_all: bool) -> None:
    if as_json:
        click.echo(json.dumps(found.metrics, ensure_ascii=True))
        return
    console = make_console()
    print_evaluation(console, found.report, most=None if show_all else _MOST_FIELDS)
    if inferred:
        kept = f"{found.folder / 'spec.json'} holds it" if found.folder else "--out DIR keeps it"
        words = f"The way to compare each field was inferred; --explain shows it, {kept}."
        console.print(Text(words, style="dim"))
    if found.folder:
        console.print(Text(f"Report: {found.folder / 'report.html'}", style="dim"), soft_wrap=True)


def _exit_code(found: Evaluation, limits: list[Limit]) -> int:
    broken = below(limits, found.metrics)
    for words in broken:
        click.secho(harmless(f"Below the limit: {words}"), fg="red", err=True)
    if broken:
        return DIFFERS
    return SOME_FAILED if found.troubled else GOOD
