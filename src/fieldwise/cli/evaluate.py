"""``fieldwise evaluate``: a set of documents, every field counted, the worst first."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import click
from rich.text import Text

from fieldwise.api import Evaluation, evaluate_pairs, named_after
from fieldwise.cli.commands import resuming_command
from fieldwise.cli.console import ProgressLine, print_view, say_reports, write_file
from fieldwise.cli.ending import DIFFERS, EPILOG, GOOD, SOME_FAILED, say, stop_code
from fieldwise.cli.limits import Limit, below, parse_limit
from fieldwise.cli.options import (
    absent_option,
    class_key_option,
    cluster_option,
    expected_at_option,
    extras_option,
    fail_under_option,
    follow_symlinks_option,
    html_option,
    judge_options,
    match_threshold_option,
    max_cells_option,
    other_classes_option,
    out_option,
    overwrite_option,
    predicted_at_option,
    quiet_option,
    read_limit_options,
    results_json_option,
    slice_option,
    title_option,
    unmatched_option,
)
from fieldwise.cli.settings import Command, from_file
from fieldwise.compare import Plan
from fieldwise.evaluation.settings import closed_spec
from fieldwise.readers.pairs import open_pairs
from fieldwise.readers.specs import read_classes, read_spec, spec_of_run
from fieldwise.render.terminal import make_console
from fieldwise.runs.page import PAGE_ROWS
from fieldwise.spec import Spec
from fieldwise.spec.nodes import OtherClasses, SpecExtras
from fieldwise.text import terminal_safe
from fieldwise.views.comparison import plan_view
from fieldwise.views.evaluation import evaluation_view, groups_view, sections_view
from fieldwise.views.numbers import counted

_EXAMPLES = f"""
\b
Examples:
  fieldwise evaluate expected/ predicted/
  fieldwise evaluate expected/ predicted/ --out results --workers 4
  fieldwise evaluate expected.jsonl predicted.jsonl --schema invoice.schema.json
  fieldwise evaluate pairs.jsonl --fail-under strict_f1=0.9 --fail-under total:f1=0.95
  fieldwise evaluate pairs.jsonl --json | jq .aggregate.strict_f1
  fieldwise evaluate expected.csv predicted.csv
  fieldwise evaluate baseline/ output/ --config classes.yaml --results-json documents
  fieldwise evaluate expected.jsonl answers.jsonl --predicted-at 'choices[0].message.content'
  fieldwise evaluate s3://bucket/expected s3://bucket/predicted
  zcat pairs.json.gz | fieldwise evaluate - --out results --overwrite

{EPILOG}
"""
_MAX_FIELDS = 40


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("expected")
@click.argument("predicted", required=False)
@click.option("--schema", metavar="FILE", help="JSON Schema or config; a spec.json of an earlier --out works too.")
@click.option(
    "--config",
    metavar="FILE",
    help="Specs of classes: JSON or YAML with a list or mapping of classes, or a folder with a schema for each.",
)
@click.option("--like", metavar="RESULTS", help="Compare as an earlier evaluation did: the spec.json in its folder.")
@match_threshold_option
@judge_options
@expected_at_option
@predicted_at_option
@class_key_option
@other_classes_option
@out_option
@results_json_option
@overwrite_option
@html_option
@title_option
@click.option("--workers", type=click.IntRange(1), default=1, show_default=True, help="Processes to use.")
@unmatched_option
@extras_option
@absent_option
@fail_under_option
@max_cells_option
@slice_option
@cluster_option
@click.option("--resume", is_flag=True, help="Continue an evaluation into the same --out that was stopped.")
@click.option("--no-values", is_flag=True, help="Keep no compared value: no pairs, and errors without values.")
@click.option(
    "--page-rows",
    type=click.IntRange(0),
    default=PAGE_ROWS,
    show_default=True,
    metavar="N",
    help="How many errors report.html holds, and matches that are not identical; show lists all.",
)
@click.option("--strict-json", is_flag=True, help="Refuse documents with duplicate keys.")
@read_limit_options
@follow_symlinks_option
@click.option("--json", "as_json", is_flag=True, help="Print the metrics as JSON, for machines.")
@click.option("--explain", is_flag=True, help="Show how every field is compared, and why.")
@click.option("--all", "show_all", is_flag=True, help=f"List every field, not only the {_MAX_FIELDS} worst.")
@quiet_option
def evaluate(
    expected: str,
    predicted: str | None,
    schema: str | None,
    config: str | None,
    like: str | None,
    match_threshold: float | None,
    expected_at: str | None,
    predicted_at: str | None,
    class_key: str | None,
    other_classes: OtherClasses | None,
    out: Path | None,
    results_json: Path | None,
    overwrite: bool,
    page: Path | None,
    title: str | None,
    workers: int,
    unmatched: Literal["leaves", "objects"],
    extras: SpecExtras | None,
    absent: str | None,
    limits: tuple[str, ...],
    max_cells: int,
    slices: tuple[str, ...],
    cluster_by: str | None,
    resume: bool,
    no_values: bool,
    page_rows: int,
    strict_json: bool,
    max_bytes: int,
    max_unpacked: int,
    max_depth: int,
    follow_symlinks: bool,
    as_json: bool,
    explain: bool,
    show_all: bool,
    quiet: bool,
) -> None:
    """Evaluate a set of documents, field by field.

    EXPECTED and PREDICTED are folders of JSON files, matched by relative path, or JSONL, CSV or Parquet files, matched
    by id, or zips; or EXPECTED alone is a file of pairs (JSONL, CSV of paths, zip, Parquet). - reads standard input,
    and s3://bucket/prefix is a folder in S3. Documents without a prediction count as missed; what cannot be read is
    listed. Without --schema the way to compare each field is inferred.
    """
    if resume and out is None:
        raise click.UsageError("--resume needs the --out folder of the evaluation that was stopped.")
    if resume and overwrite:
        raise click.UsageError("--resume continues what is in --out, --overwrite replaces it; give one of them.")
    asked = [parse_limit(text) for text in limits]
    spec = _spec({"schema": schema, "config": config, "like": like})
    source = open_pairs(
        expected,
        predicted,
        strict_json=strict_json,
        expected_at=expected_at,
        predicted_at=predicted_at,
        class_key=class_key,
        max_bytes=max_bytes,
        max_unpacked=max_unpacked,
        max_depth=max_depth,
        follow_symlinks=follow_symlinks,
    )
    if explain and not as_json and not quiet:
        chosen, _ = closed_spec(source, spec, match_threshold=match_threshold, extras=extras, absent=absent)
        print_view(plan_view(Plan.compile(chosen), inferred=spec is None))
    try:
        with (
            _folder_for(out, page) as folder,
            ProgressLine(source.total, source.unit, hidden=quiet) as progress,
        ):
            found = evaluate_pairs(
                source,
                spec,
                out=folder,
                workers=workers,
                unmatched=unmatched,
                match_threshold=match_threshold,
                extras=extras,
                absent=absent,
                max_cells=max_cells,
                other_classes=other_classes,
                slices=slices,
                cluster_by=cluster_by,
                values=not no_values,
                resume=resume,
                overwrite=overwrite,
                limited_fields=[limit.field for limit in asked if limit.field],
                progress=progress,
                title=title or named_after(expected, predicted),
                results_json=results_json,
                page_rows=page_rows,
            )
            if page is not None and folder is not None:
                write_file(page, (folder / "report.html").read_text("utf-8"))
                found = found if out else replace(found, folder=None)
    except KeyboardInterrupt as stopped:
        say(f"Stopped; go on with: {resuming_command()}" if out else "Stopped", colour="yellow")
        sys.exit(stop_code(stopped))
    if as_json or not quiet:
        _print(found, inferred=spec is None, as_json=as_json, show_all=show_all)
        say_reports(*(() if as_json else (page, out and out / "report.html")))
    if quiet and found.troubled:
        say(_troubled(found), colour="yellow")
    sys.exit(_exit_code(found, asked))


@contextmanager
def _folder_for(out: Path | None, page: Path | None) -> Iterator[Path | None]:
    """Yield the folder for results; a temporary one where only their page is wanted."""
    if out is not None or page is None:
        yield out
        return
    with TemporaryDirectory(prefix="fieldwise-") as folder:
        yield Path(folder) / "results"


_SPECS = {"schema": read_spec, "config": read_classes, "like": spec_of_run}


def _spec(options: Mapping[str, str | None]) -> Spec | None:
    """Return the spec that one of the options gives; what is given on the command line wins over a settings file."""
    given = {name: value for name, value in options.items() if value is not None}
    chosen = {name: value for name, value in given.items() if not from_file(name)} or given
    if len(chosen) > 1:
        raise click.UsageError("--schema, --config and --like say how to compare; give one of them.")
    return next((_SPECS[name](value) for name, value in chosen.items()), None)


def _print(evaluation: Evaluation, *, inferred: bool, as_json: bool, show_all: bool) -> None:
    if as_json:
        click.echo(evaluation.metrics.to_json())
        return
    print_view(evaluation_view(evaluation.metrics, most=None if show_all else _MAX_FIELDS))
    print_view(sections_view(evaluation.metrics))
    print_view(groups_view(evaluation.metrics))
    console = make_console()
    if inferred:
        kept = f"{evaluation.folder / 'spec.json'} holds it" if evaluation.folder else "--out DIR keeps it"
        words = f"The way to compare each field was inferred; --explain shows it, {kept}."
        console.print(Text(words, style="dim"))


def _troubled(evaluation: Evaluation) -> str:
    where = f"see {evaluation.folder / 'failures.jsonl'}" if evaluation.folder else "--out DIR keeps why"
    have = "has" if evaluation.troubled == 1 else "have"
    return f"{counted(evaluation.troubled, 'document')} failed or {have} no usable prediction; {where}"


def _exit_code(evaluation: Evaluation, limits: list[Limit]) -> int:
    broken = below(limits, evaluation.metrics)
    for words in broken:
        click.secho(terminal_safe(f"Below the limit: {words}"), fg="red", err=True)
    if broken:
        return DIFFERS
    return SOME_FAILED if evaluation.troubled else GOOD
