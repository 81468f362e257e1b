"""``fieldwise classify``: classes expected against classes predicted, one row of a file for each decision."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import click

from fieldwise.classify import ClassReport, UnitMetricResult, check_metrics, read_config
from fieldwise.classify.class_metrics import Tabulated, tabulate
from fieldwise.classify.config import SEED_METRICS, MetricRequest
from fieldwise.classify.labels import MISSING, display_names, key_of
from fieldwise.classify.orchestration import (
    Settings,
    answer_requests,
    asked_key,
    asks_for_classes,
    needs_rows,
    with_keys,
)
from fieldwise.classify.report import printable
from fieldwise.classify.rows import Answer
from fieldwise.classify.sample import RowSample
from fieldwise.cli.console import print_view, write_file
from fieldwise.cli.ending import EPILOG, GOOD, SOME_FAILED
from fieldwise.cli.options import html_option
from fieldwise.cli.settings import Command
from fieldwise.errors import InputError, SettingError
from fieldwise.readers.rows import LabelKeys, Unusable, read_rows
from fieldwise.render.studio import studio_page
from fieldwise.results import (
    ClassesPage,
    Classification,
    ClassificationBasis,
    ClassScores,
    PageAnswers,
    RowCounts,
    UnusableRow,
)
from fieldwise.text import terminal_safe
from fieldwise.values import Json
from fieldwise.views.classes import class_facts, class_notes, classes_view
from fieldwise.views.numbers import counted, rate
from fieldwise.writing import well_formed_json

_EXAMPLES = f"""
\b
Examples:
  fieldwise classify results.jsonl
  fieldwise classify results.jsonl --golden-key event --predicted-key tool
  fieldwise classify results.jsonl --config graph_config.yaml --out metrics.json
  fieldwise classify results.jsonl --cluster-key document --html classes.html
  fieldwise classify results.jsonl --json | jq .report.averages.macro

\b
A line of RESULTS:
  {{"correct": true, "golden": {{"event": "click"}}, "predicted": {{"tool": "click"}}, "metadata": {{}}}}

{EPILOG}
"""
_MAX_LISTED = 10
_FILE = click.Path(dir_okay=False, path_type=Path)
_ZERO: dict[str, float | None] = {"0": 0.0, "1": 1.0, "null": None}


@dataclass
class _Reading:
    """The rows of a file, and what could not be used of it."""

    path: str
    by_labels: LabelKeys | None = None
    unusable: list[Unusable] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[int, UnitMetricResult]]:
        for row in read_rows(self.path, by_labels=self.by_labels):
            if isinstance(row, Unusable):
                self.unusable.append(row)
            else:
                yield row


@click.command(cls=Command, epilog=_EXAMPLES)
@click.argument("results")
@click.option("--config", metavar="FILE", help="YAML that lists metrics at graph_properties.metrics.")
@click.option("--golden-key", metavar="K", help="The key of `golden` that holds the class.")
@click.option("--predicted-key", metavar="K", help="The key of `predicted` that holds the class.")
@click.option("--cluster-key", metavar="K", help="The key of `metadata` whose rows belong together: document, task.")
@click.option(
    "--judge",
    type=click.Choice(["labels", "correct"]),
    help="What makes a row right: equal labels, or its flag. By default labels in the report, flags in the metrics.",
)
@click.option(
    "--missing",
    type=click.Choice(["class", "skip", "error"]),
    default="class",
    show_default=True,
    help="A row without a label: a wrong answer, left out and counted, or an error.",
)
@click.option(
    "--zero-division",
    type=click.Choice(list(_ZERO)),
    help="What an undefined rate is; null leaves it out of averages. By default it is shown as – and averaged as 0.",
)
@click.option("--json", "as_json", is_flag=True, help="Print metrics and report as JSON, for machines.")
@click.option("--out", "-o", metavar="FILE", type=_FILE, help="Write metrics and report as JSON.")
@html_option
@click.option("--title", help="What the page is called.  [default: the name of RESULTS]")
def classify(
    results: str,
    config: str | None,
    golden_key: str | None,
    predicted_key: str | None,
    cluster_key: str | None,
    judge: Literal["labels", "correct"] | None,
    missing: Literal["class", "skip", "error"],
    zero_division: str | None,
    as_json: bool,
    out: Path | None,
    page: Path | None,
    title: str | None,
) -> None:
    """Measure predicted classes against the right ones.

    Prints precision, recall and F1 of each class, averages and confusions.
    RESULTS is a JSONL file, or - for standard input; each line has golden and predicted, two objects, and correct,
    which may be missing with --judge labels.
    Without keys the single key that each side has is used. With both keys given, rows are not kept in memory.
    """
    requests = check_metrics(list(SEED_METRICS)) if config is None else read_config(config)
    settings = Settings(
        golden_key or asked_key(requests, "golden_key"),
        predicted_key or asked_key(requests, "predicted_key"),
        judge or "correct",
        missing,
        0.0 if zero_division is None else _ZERO[zero_division],
    )
    keys = (settings.golden_key, settings.predicted_key)
    reading = _Reading(results, keys if judge == "labels" else None)
    numbered = list(reading.rows()) if needs_rows(requests, settings) else None
    rows = None if numbered is None else [row for _, row in numbered]
    if rows is not None:
        _refuse_nothing(len(rows), reading)
        settings = _found(requests, settings, rows)
    report = ClassReport(
        golden_key=settings.golden_key,
        predicted_key=settings.predicted_key,
        judge=judge or "labels",
        missing=missing,
        zero_division="shown" if zero_division is None else _ZERO[zero_division],
        cluster_key=cluster_key,
    )
    sample = None if page is None else _sample(settings)
    given = reading.rows() if numbered is None else numbered
    table = _counted(report, settings, (row for _, row in given) if sample is None else sample.watch(given))
    _refuse_nothing(table.table.cells.total(), reading)
    answers = answer_requests(requests, table, settings, rows)
    shown = report if settings.golden_key else None
    found = _classification(shown, answers, reading.unusable)
    if page is not None and sample is not None:
        _write_page(page, found, report, sample, reading.path, title)
    _write(found, shown, answers, reading, as_json=as_json, out=out)
    if page is not None and not as_json:
        click.echo(terminal_safe(f"Report: {page}"))
    sys.exit(SOME_FAILED if reading.unusable or answers.about["errors"] else GOOD)


def _found(requests: Sequence[MetricRequest], settings: Settings, rows: Sequence[UnitMetricResult]) -> Settings:
    """Return settings with keys; without any where no metric asks for classes and none can be told."""
    try:
        return with_keys(settings, rows)
    except SettingError:
        if settings.golden_key or settings.predicted_key or asks_for_classes(requests):
            raise
        return settings


def _counted(report: ClassReport, settings: Settings, rows: Iterable[UnitMetricResult]) -> Tabulated:
    """Count the rows into the report, or where there are no keys into a table without labels."""
    keys = settings.golden_key, settings.predicted_key
    if None in keys:
        return tabulate(rows, None, None)
    report.update(rows)
    for side, key in enumerate(keys):
        if report.table.groups and all(cell[side] == MISSING for cell in report.table.cells):
            raise SettingError(f"Expected a key of the {('golden', 'predicted')[side]} side, no row has {key!r}")
    return Tabulated(report.table, *keys)


def _refuse_nothing(rows: int, reading: _Reading) -> None:
    if rows:
        return
    why = f": {reading.unusable[0].reason}" if reading.unusable else "; it is empty"
    raise InputError(f"Expected rows in {reading.path}, found none that can be used{why}")


def _sample(settings: Settings) -> RowSample:
    if settings.golden_key is None or settings.predicted_key is None:
        raise InputError("Expected labels for a page; name them with --golden-key and --predicted-key")
    return RowSample(settings.golden_key, settings.predicted_key)


def _write_page(
    page: Path, classification: Classification, report: ClassReport, sample: RowSample, results: str, title: str | None
) -> None:
    name = title or ("Classes" if results == "-" else Path(results).name)
    about = {"cluster key": report.cluster_key} if report.cluster_key else {}
    rows = sample.shown(report.table, report.judge, report.missing)
    answers = ClassesPage(
        classification,
        tuple(class_notes(classification, counts_as_zero=report.zero_division == "shown")),
        rows,
        "" if results == "-" else results,
    )
    write_file(
        page,
        studio_page(PageAnswers(name, {**class_facts(classification), **about, "input": results}, classes=answers)),
    )


def _write(
    classification: Classification,
    report: ClassReport | None,
    answers: Answer,
    reading: _Reading,
    *,
    as_json: bool,
    out: Path | None,
) -> None:
    if as_json or out is not None:
        text = classification.to_json()
        if out is not None:
            write_file(out, text + "\n")
        if as_json:
            click.echo(text)
    if not as_json:
        _print(classification, report, answers, reading.unusable)


def _classification(report: ClassReport | None, answers: Answer, unusable: Sequence[Unusable]) -> Classification:
    metrics = {name: _text_keys(answer) for name, answer in answers.items()}
    about = answers.about
    return Classification(
        metrics=well_formed_json(metrics),
        about=ClassificationBasis(
            golden_key=about["golden_key"],
            predicted_key=about["predicted_key"],
            judge=about["judge"],
            rows=RowCounts(**about["rows"]),
            errors=about["errors"],
            unusable=tuple(UnusableRow(row.line, row.reason) for row in unusable),
        ),
        report=None if report is None else report.compute(),
    )


def _text_keys(answer: dict[Json, Json]) -> dict[str, Json]:
    """Return labels as the names of JSON members, different for different labels."""
    names = display_names({key_of(label): label for label in answer})
    return {names[key_of(label)]: number for label, number in answer.items()}


def _print(
    classification: Classification, report: ClassReport | None, answers: Answer, unusable: Sequence[Unusable]
) -> None:
    if report is not None and classification.report is not None:
        _print_report(report, classification.report)
    for name, answer in answers.items():
        if report is None or name not in SEED_METRICS:
            numbers = "  ".join(f"{printable(str(key))} {_number(value)}" for key, value in answer.items())
            click.echo(f"{name}: {numbers}")
    for name, reason in answers.about["errors"].items():
        click.secho(f"The metric {name} failed: {printable(str(reason))}", fg="yellow", err=True)
    _print_unusable(unusable)


def _print_report(report: ClassReport, scores: ClassScores) -> None:
    click.echo(report.to_text(digits=3))
    print_view(classes_view(scores))


def _number(value: Json) -> str:
    return rate(value) if value is None or isinstance(value, float) else str(value)


def _print_unusable(unusable: Sequence[Unusable]) -> None:
    if not unusable:
        return
    click.secho(f"{counted(len(unusable), 'line')} could not be used:", fg="yellow", err=True)
    for row in unusable[:_MAX_LISTED]:
        click.secho(f"  line {row.line}: {printable(row.reason)}", fg="yellow", err=True)
