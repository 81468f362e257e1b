"""``fieldwise compare``: two documents, every field judged, the worst first."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from rich.text import Text

from fieldwise.cli.console import print_view
from fieldwise.cli.ending import DIFFERS, GOOD
from fieldwise.cli.options import (
    absent_option,
    expected_at_option,
    extras_option,
    judge_options,
    match_threshold_option,
    max_bytes_option,
    max_cells_option,
    max_depth_option,
    predicted_at_option,
    quiet_option,
    unmatched_option,
)
from fieldwise.cli.settings import Command
from fieldwise.compare import Comparison, Plan
from fieldwise.compare.rich_values import unwrap, unwrapped
from fieldwise.compare.views.counts import Unmatched
from fieldwise.counting.tally import Tally
from fieldwise.errors import InputError
from fieldwise.evaluation.notes import absent_notes, count_notes, lone_notes
from fieldwise.limits import ReadLimits, changed_limits
from fieldwise.readers.inside import read_one
from fieldwise.readers.specs import read_spec
from fieldwise.render.terminal import make_console
from fieldwise.results.notes import Note
from fieldwise.spec import Spec
from fieldwise.spec.nodes import SpecExtras
from fieldwise.values import Json, is_absent
from fieldwise.views.comparison import comparison_view, plan_view
from fieldwise.writing import dump_json

_EXAMPLES = """
\b
Examples:
  fieldwise compare expected.json predicted.json
  fieldwise compare expected.json predicted.json --schema invoice.schema.json
  fieldwise compare expected.json predicted.json --explain
  fieldwise compare expected.json answer.json --predicted-at result
  curl -s localhost/result | fieldwise compare expected.json - --json | jq .confusion_matrix.aggregate
"""

_OF_MANY = (".jsonl", ".ndjson", ".csv", ".tsv", ".parquet", ".zip", ".gz")
"""How the names of files end that hold many documents."""
_INFERRED = "The way to compare each field was inferred; --explain shows it, --schema FILE declares it."


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("expected")
@click.argument("predicted")
@click.option(
    "--schema",
    metavar="FILE",
    help="JSON Schema with x-aws-stickler-* or x-fieldwise-* keys, or a config dict.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the whole result as JSON, for machines.")
@click.option("--explain", is_flag=True, help="Show how every field is compared, and why.")
@click.option("--all", "show_all", is_flag=True, help="List every row, also those of fields absent on both sides.")
@match_threshold_option
@judge_options
@expected_at_option
@predicted_at_option
@unmatched_option
@extras_option
@absent_option
@max_bytes_option
@max_depth_option
@max_cells_option
@quiet_option
def compare(
    expected: str,
    predicted: str,
    schema: str | None,
    as_json: bool,
    explain: bool,
    show_all: bool,
    match_threshold: float | None,
    expected_at: str | None,
    predicted_at: str | None,
    unmatched: Unmatched,
    extras: SpecExtras | None,
    absent: str | None,
    max_bytes: int,
    max_depth: int,
    max_cells: int,
    quiet: bool,
) -> None:
    """Compare two JSON documents, field by field.

    Prints every field of EXPECTED and PREDICTED with both values, the outcome, its score and the reason, worst first;
    - reads standard input. Without --schema the way to compare each field is inferred from the expected document.
    Exit code 0: all match; 1: something differs; 2: bad input.
    """
    if expected == predicted == "-":
        raise click.UsageError("Only one of EXPECTED and PREDICTED can be read from standard input.")
    _refuse_folders(expected, predicted)
    limits = ReadLimits(max_bytes=max_bytes, max_depth=max_depth)
    try:
        truth = read_one(expected, "expected", expected_at, limits)
        guess = read_one(predicted, "predicted", predicted_at, limits)
    except InputError as error:
        if not all(name.lower().endswith(_OF_MANY) for name in (expected, predicted)):
            raise
        raise InputError(f"{error.statement}; {_together(expected, predicted)}", code=error.code) from error
    if schema is None:
        truth, guess = _as_objects(truth, guess)
    sample = unwrapped([guess if is_absent(truth) else truth])
    if schema is None:
        spec = Spec.infer(sample, match_threshold=match_threshold, absent=absent).with_settings(extras=extras)
    else:
        declared = read_spec(schema).with_settings(extras=extras, absent=absent)
        spec = declared.closed(sample, match_threshold=match_threshold)
    plan = Plan.compile(spec, max_cells=max_cells)
    left, right = unwrap(truth, plan.root), unwrap(guess, plan.root)
    comparison = plan.compare(left.document, right.document, as_came={**left.as_came, **right.as_came})
    if as_json:
        _print_json(
            comparison.to_dict(
                include_confusion_matrix=True,
                document_non_matches=True,
                document_field_comparisons=True,
                unmatched=unmatched,
                extras=comparison.extras,
            ),
            comparison,
            plan.fingerprint(limits=changed_limits(ReadLimits(), max_cells)),
        )
    elif not quiet:
        if explain:
            print_view(plan_view(plan, inferred=schema is None))
        rejected = sum(verdict.row_rejected for verdict in comparison.verdicts)
        notes = [*_text_notes(comparison, plan), *count_notes(rejected), *comparison.notes]
        print_view(comparison_view(comparison, notes=notes, show_all=show_all, explain=explain))
        if schema is None and not explain:
            make_console().print(Text(_INFERRED, style="dim"))
    wrong = any(verdict.outcome.value in ("fd", "fa", "fn") for verdict in comparison.verdicts)
    sys.exit(DIFFERS if wrong else GOOD)


def _refuse_folders(expected: str, predicted: str) -> None:
    if Path(expected).is_dir() or Path(predicted).is_dir():
        raise InputError(f"Expected two documents, got folders; {_together(expected, predicted)}")


def _together(expected: str, predicted: str) -> str:
    again = shlex.join(["fieldwise", "evaluate", expected, predicted])
    return f"to compare all documents in them: {again}"


def _as_objects(truth: Json, guess: Json) -> tuple[Json, Json]:
    """Put documents that are lists or single values under one name, so that they can be compared as fields."""
    roots = [root for root in (truth, guess) if not is_absent(root)]
    if any(isinstance(root, dict) for root in roots[:1]):
        return truth, guess
    return {"document": truth}, {"document": guess}


def _text_notes(comparison: Comparison, plan: Plan) -> Iterator[Note]:
    """Yield what is to be said of texts that stand for no value, or may do so."""
    tally, words = Tally(), plan.spec.absent_words
    tally.add(plan.root, comparison.result)
    values = sum(tally.total_counts()[:4])
    yield from absent_notes(tally.absent_texts, words)
    yield from lone_notes(tally.lone_texts, words, values)


def _print_json(result: dict[str, Json], comparison: Comparison, fingerprint: str) -> None:
    result["verdicts"] = [verdict.to_json() for verdict in comparison.verdicts]
    result["outside"] = comparison.outside
    result["spec_fingerprint"] = fingerprint
    click.echo(dump_json(result, indent=2, default=str))
