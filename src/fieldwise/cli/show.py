"""``fieldwise show``: the compared values of a run, chosen by field, document, outcome or kind of error."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import islice

import click

from fieldwise.cli.console import print_view
from fieldwise.cli.ending import EPILOG
from fieldwise.cli.settings import Command
from fieldwise.errors import SettingError, nearest, quoted
from fieldwise.results.questions import ValueOrder, ValueQuestion, ValueSet
from fieldwise.runs.folder_run import open_run
from fieldwise.runs.names import WRONG, checked_outcomes, named_slice
from fieldwise.runs.row_list import COLUMNS, ListedRow
from fieldwise.runs.value_list import value_list
from fieldwise.tables.verdict_columns import ACCEPTED
from fieldwise.text import csv_line
from fieldwise.views.comparison import listed_words, row_table
from fieldwise.views.parts import Sentence, View
from fieldwise.writing import dump_json

_EXAMPLES = f"""
\b
Examples:
  fieldwise show results --outcome wrong
  fieldwise show results --outcome missed --field total
  fieldwise show results --field line_items.price --kind row_rejected
  fieldwise show results --document inv-0017 --limit 0
  fieldwise show results --document loan.pdf --section 2
  fieldwise show results --accepted similar
  fieldwise show results --outcome wrong --order worst --limit 20
  fieldwise show results --outcome mismatch --csv > mismatches.csv
  fieldwise show results --field vendor --json | jq '.[] | [.document, .expected, .predicted]'

{EPILOG}
"""
_LIMIT = 50
_ANY = "any"
_ROWS_AT_ONCE = 1000
"""So many rows make one table: where all are listed, memory does not grow with their number."""


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("results", required=False, metavar="RESULTS")
@click.option(
    "--field", "fields", multiple=True, metavar="NAME", help="A field, an object or a pattern such as *.price."
)
@click.option("--document", "documents", multiple=True, metavar="ID", help="The id of a document.")
@click.option("--section", "sections", multiple=True, metavar="ID", help="The id of a section of a document.")
@click.option("--class", "classes", multiple=True, metavar="NAME", help="The class of a document or section.")
@click.option(
    "--slice",
    "slices",
    multiple=True,
    metavar="KEY=VALUE",
    help="Documents with this value of a slice key; KEY alone: those without.",
)
@click.option(
    "--outcome",
    "outcomes",
    multiple=True,
    metavar="O",
    help="match, mismatch, spurious or missed; wrong: mismatch, spurious and missed.",
)
@click.option("--kind", "kinds", multiple=True, metavar="K", help="A kind of error, such as ocr or row_rejected.")
@click.option(
    "--accepted",
    is_flag=False,
    flag_value=_ANY,
    metavar="[HOW]",
    help="Matches of values that are not identical; HOW is written_differently or similar.",
)
@click.option(
    "--order",
    type=click.Choice(["worst", "path", "document", "field"]),
    help="By document by default; worst: the field that loses most points first, or what is least alike.",
)
@click.option("--after", metavar="PLACE", help="Begin at a place in the list, as the end of a table names it.")
@click.option("--limit", type=click.IntRange(0), help=f"How many rows, 0 for all; {_LIMIT} for the table, else all.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, for machines.")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, for spreadsheets.")
def show(
    results: str | None,
    fields: tuple[str, ...],
    documents: tuple[str, ...],
    sections: tuple[str, ...],
    classes: tuple[str, ...],
    slices: tuple[str, ...],
    outcomes: tuple[str, ...],
    kinds: tuple[str, ...],
    accepted: str | None,
    order: ValueOrder | None,
    after: str | None,
    limit: int | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """List the compared values of a run.

    RESULTS is a folder of `fieldwise evaluate --out`.

    Options can be given several times: a value is listed if it has one of the fields, one of the outcomes and so on.
    What is absent on both sides is no value and is not listed. Where a row is at another position in
    the predicted list, that position follows the path: line_items[3].price ← [0].
    """
    if as_json and as_csv:
        raise click.UsageError("Choose one of --json and --csv.")
    if results is None and accepted not in (None, _ANY, *ACCEPTED):
        results, accepted = accepted, _ANY  # RESULTS came right behind --accepted
    if results is None:
        raise click.UsageError("Missing argument 'RESULTS', a folder of fieldwise evaluate --out.")
    run = open_run(results)
    chosen = _set_of(outcomes, kinds, accepted)
    question = ValueQuestion(
        set=chosen,
        fields=fields,
        outcomes=tuple(checked_outcomes(outcomes)),
        kinds=kinds or _accepted(accepted),
        documents=documents,
        sections=sections,
        classes=classes,
        slices=tuple(named_slice(run, text) for text in slices),
        order=order or "document",
    )
    listed = value_list(run, question)
    most = _LIMIT if limit is None and not (as_json or as_csv) else limit or None
    start = listed.start_of(after)
    stop = len(listed) if most is None else start + most
    rows = listed.rows(start, stop)
    if as_json:
        _print_json(rows)
    elif as_csv:
        _print_csv(rows)
    else:
        _print_rows(rows)
        end = listed_words(
            len(listed), stop, listed.cursor_at(stop), of_all_outcomes=not (outcomes or kinds or accepted)
        )
        nothing = Sentence(f"No value of {results} has {_asked(question) or 'been compared'}.")
        print_view(View((end if len(listed) else nothing,)))


def _set_of(outcomes: Sequence[str], kinds: Sequence[str], accepted: str | None) -> ValueSet:
    """Return the smallest set that has all values which are asked for."""
    if accepted is not None:
        return "accepted"
    return "wrong" if kinds or (outcomes and {"wrong", *WRONG}.issuperset(outcomes)) else "all"


def _accepted(how: str | None) -> tuple[str, ...]:
    if how is None or how == _ANY:
        return () if how is None else ACCEPTED
    if how not in ACCEPTED:
        expected = f"Expected {' or '.join(ACCEPTED)} after --accepted, or nothing"
        raise SettingError(f"{expected}, got {quoted(how)}{nearest(how, ACCEPTED)}")
    return (how,)


def _print_json(rows: Iterator[ListedRow]) -> None:
    before = "["
    for row in rows:
        click.echo(before + dump_json(row.to_json()), nl=False)
        before = ",\n"
    click.echo("[]" if before == "[" else "]")


def _print_csv(rows: Iterator[ListedRow]) -> None:
    sys.stdout.write(csv_line(COLUMNS))
    sys.stdout.writelines(csv_line(row.to_cells().values()) for row in rows)


def _asked(question: ValueQuestion) -> str:
    columns = {
        "document": question.documents,
        "field": question.fields,
        "outcome": question.outcomes,
        "kind": question.kinds if question.set == "wrong" else (),
        "accepted": question.kinds or ACCEPTED if question.set == "accepted" else (),
        "section": question.sections,
        "class": question.classes,
    }
    return " and ".join(f"the {column} {' or '.join(sorted(names))}" for column, names in columns.items() if names)


def _print_rows(rows: Iterator[ListedRow]) -> None:
    """Print rows as tables."""
    while part := [(row.columns, row.reason) for row in islice(rows, _ROWS_AT_ONCE)]:
        print_view(View((row_table(part),)))
