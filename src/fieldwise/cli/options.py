"""Options that several commands share."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import click

from fieldwise.errors import nearest
from fieldwise.limits import MAX_CELLS, ReadLimits
from fieldwise.results.rates import METRICS
from fieldwise.text import percentage
from fieldwise.values.absent_words import DEFAULT_WORDS


class NameType(click.Choice[str]):
    """One of some names; for another one, the nearest is proposed."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            self.fail(
                f"Expected {', '.join(self.choices)}, got {value!r}{nearest(str(value), self.choices)}", param, ctx
            )
        return str(value)


class ShareType(click.ParamType[float]):
    """A share above 0 and below 1, which may be written as a percentage."""

    name = "share"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        text = str(value).strip()
        share = percentage(text)
        number = _number(text) if share is None else share
        if number is None or not 0 < number < 1:
            self.fail(f"Expected a share above 0 and below 1{_as_share(text)}, got {text!r}", param, ctx)
        return number


class SizeType(click.ParamType[int]):
    """A number of bytes, which may be written with a unit."""

    name = "size"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = _SIZE.fullmatch(str(value).strip())
        unit = None if found is None else _UNITS.get(found[2].lower())
        size = 0 if found is None or unit is None else int(Decimal(found[1].replace("_", "")) * unit)
        if size < 1:
            self.fail(f"Expected a size such as 64MiB, 64MB or 1_000_000, got {str(value)!r}", param, ctx)
        return size


_SIZE = re.compile(r"(\d{1,15}(?:_\d{3})*(?:\.\d{1,9})?)\s*([A-Za-z]{0,3})", re.ASCII)
_UNITS: dict[str, int] = {"": 1, "b": 1} | {
    name: base**power
    for power, letter in enumerate("kmgt", 1)
    for name, base in ((letter, 1024), (f"{letter}ib", 1024), (f"{letter}b", 1000))
}


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _as_share(text: str) -> str:
    number = _number(text.rstrip("% "))
    if number is None or not 1 <= number < 100:
        return ", such as 0.05 or 5%"
    return f": {number / 100:g} or {number:g}% for {number:g} per cent"


out_option = click.option(
    "--out",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for metrics, rows and report; a new or an empty one.",
)
quiet_option = click.option(
    "--quiet", "-q", is_flag=True, help="Print no table; errors, files and the exit code remain."
)
overwrite_option = click.option("--overwrite", is_flag=True, help="Replace what an earlier run left in its folders.")
slice_option = click.option(
    "--slice",
    "slices",
    multiple=True,
    metavar="KEY",
    help="Count apart by a key of the documents' metadata, such as vendor. Can be repeated.",
)
cluster_option = click.option(
    "--cluster-by",
    metavar="KEY",
    help="Documents with the same value of this key belong together: intervals take them as one.",
)
run_cluster_option = click.option(
    "--cluster-by",
    metavar="KEY",
    help="Take documents with the same value of this key as one: a key of their metadata, or that of the evaluation, "
    "which is the default.",
)
html_option = click.option(
    "--html",
    "page",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the page to a file.",
)
title_option = click.option("--title", help="What the report is called.  [default: the names of the inputs]")
expected_at_option = click.option(
    "--expected-at", metavar="PATH", help="Where the expected documents are in what is read, such as result.document."
)
predicted_at_option = click.option(
    "--predicted-at", metavar="PATH", help="Where the predicted documents are, such as choices[0].message.content."
)
_Command = TypeVar("_Command", bound=Callable[..., Any])
max_bytes_option = click.option(
    "--max-bytes",
    type=SizeType(),
    default=ReadLimits.max_bytes,
    help="The largest document that is read. A larger prediction counts as missed, an expected document as failed.  "
    "[default: 64MiB]",
)
max_depth_option = click.option(
    "--max-depth",
    type=click.IntRange(1),
    default=ReadLimits.max_depth,
    show_default=True,
    help="The most levels that a document may have; a deeper one counts as one that is larger than --max-bytes.",
)
_max_unpacked_option = click.option(
    "--max-unpacked",
    type=SizeType(),
    default=ReadLimits.max_unpacked,
    help="The most that an archive may unpack to; a larger one is refused.  [default: 8GiB]",
)


def read_limit_options(command: _Command) -> _Command:
    """Add the limits within which documents are read."""
    return max_bytes_option(_max_unpacked_option(max_depth_option(command)))


follow_symlinks_option = click.option(
    "--follow-symlinks",
    is_flag=True,
    help="Also read files outside of the input folder that links in it lead to.",
)
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
    help="How similar two rows of a list must be to be a pair, where the schema does not say; 0.3 by default.",
)
absent_option = click.option(
    "--absent",
    metavar="WORDS",
    help=f"Texts that stand for no value, with commas between them; '' for none.  [default: {','.join(DEFAULT_WORDS)}]",
)


def _for_judges(option: str, variable: str, what: str) -> Callable[[_Command], _Command]:
    """Return an option that sets a variable of the environment, from which judges read it, while the command runs."""

    def hold(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if value is not None:
            before = os.environ.get(variable)
            os.environ[variable] = value
            ctx.call_on_close(lambda: os.environ.pop(variable) if before is None else _set(variable, before))

    return click.option(option, envvar=variable, expose_value=False, callback=hold, metavar="TEXT", help=what)


def _set(variable: str, value: str) -> None:
    os.environ[variable] = value


def judge_options(command: _Command) -> _Command:
    """Add the model and the endpoint of judges that declare none."""
    model = _for_judges("--judge-model", "FIELDWISE_JUDGE_MODEL", "The model of LLM comparators that declare none.")
    service = "The base URL of the OpenAI-compatible service that they ask."
    endpoint = _for_judges("--judge-endpoint", "FIELDWISE_JUDGE_ENDPOINT", service)
    return model(endpoint(command))


extras_option = click.option(
    "--extras",
    type=click.Choice(["leaves", "ignore", "infer"]),
    help="What predicted values under undeclared keys count as: spurious unless expected documents have the key "
    "(leaves, the default), or nothing (ignore); or infer how to compare what expected documents have there. "
    "The schema key x-fieldwise-extras sets the same.",
)
fail_under_option = click.option(
    "--fail-under",
    "limits",
    multiple=True,
    metavar="METRIC=VALUE",
    help="Exit with 1 where a metric is below a value; FIELD:METRIC=VALUE for one field. Can be given several times.",
)


class CountType(click.ParamType[int]):
    """A whole number of 1 or more, which may be written as 5e7, 50_000_000 or 50,000,000."""

    name = "number"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value).strip()
        plain = text.replace("_", "").replace(",", "")
        number = Decimal(plain) if _COUNT.fullmatch(plain) else Decimal(0)
        if number < 1 or number != number.to_integral_value():
            self.fail(f"Expected a whole number of 1 or more, such as 5e7 or 50_000_000, got {text!r}", param, ctx)
        return int(number)


_COUNT = re.compile(r"\d{1,30}(\.\d{1,30})?([eE]\+?\d{1,2})?", re.ASCII)
max_cells_option = click.option(
    "--max-cells",
    type=CountType(),
    default=MAX_CELLS,
    metavar="CELLS",
    help="The pairs of list rows that one document may take before what is left of long lists is paired in blocks; "
    "25,000,000 by default.",
)
_METRIC = "What the runs are compared by: a rate of all values, or a figure of whole documents."
metric_option = click.option("--metric", type=NameType(METRICS), default="strict_f1", show_default=True, help=_METRIC)
policy_metric_option = click.option(
    "--metric", type=NameType(METRICS), help=f"{_METRIC}  [default: the policy's, or strict_f1]"
)
allow_rules_option = click.option(
    "--allow-different-rules",
    is_flag=True,
    help="Compare runs that were made with different specs; their differences say little about the predictions.",
)
class_key_option = click.option(
    "--class-key",
    metavar="KEY",
    help="A key of expected documents, or of their metadata, that names the class of each.",
)
other_classes_option = click.option(
    "--other-classes",
    type=NameType(["infer", "exclude"]),
    help="What becomes of classes that --config does not have: compared as inferred, or not scored.  [default: infer]",
)
results_json_option = click.option(
    "--results-json",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write results.json and report.md of every document into a new folder, each under its id.",
)
