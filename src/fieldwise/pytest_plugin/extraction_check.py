"""One extraction against what was expected of it, for tests: which values are wrong, as a text that can be read."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel

from fieldwise.compare import Comparison, Outcome, Plan, Verdict
from fieldwise.compare.explain import plan_rows
from fieldwise.compare.rich_values import unwrap, unwrapped
from fieldwise.error_kinds import Kind, Mistake, mismatch_kinds
from fieldwise.errors import InputError, SettingError
from fieldwise.readers.json_text import parse_json, read_json
from fieldwise.readers.specs import read_spec, spec_of, spec_of_run
from fieldwise.render.text import table_lines
from fieldwise.runs.fields import chosen_fields
from fieldwise.spec import Spec, row_of
from fieldwise.tables.mistakes import ONE_SIDED
from fieldwise.values import Json, is_absent
from fieldwise.views.comparison import outcome_cell, path_cell, value_text
from fieldwise.views.numbers import count, counted, rate
from fieldwise.views.parts import Cell, Row, Table
from fieldwise.views.words import columns, kind_word

SpecSource: TypeAlias = Spec | Mapping[str, Json] | type | str | Path | None
"""A spec, a JSON Schema or config, a class, a file with one of the two, the folder of an evaluation, or nothing."""
_KEYS = ("path", "outcome", "score", "kind", "expected", "predicted")
_MAX_ROWS = 40


@dataclass(frozen=True)
class Extraction:
    """What became of the values that were looked at: how many there are, which are wrong, and the score of all."""

    values: int
    wrong: tuple[tuple[Verdict, Kind], ...]
    score: float | None


def extraction_failure(
    expected: Json,
    predicted: Json,
    spec: SpecSource = None,
    *,
    min_score: float | None = None,
    fields: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
) -> str:
    """Return why an extraction is not good enough; an empty text where it is.

    Without ``min_score`` every value has to match; with it, the mean score of the declared values that either side
    has, weighted, has to be as high.
    """
    if min_score is not None and not 0 <= min_score <= 1:
        raise SettingError(
            f"Expected min_score from 0 to 1, got {min_score}", facts={"setting": "min_score", "got": min_score}
        )
    found = check_extraction(expected, predicted, spec, fields=fields, ignore=ignore)
    if not found.wrong or (min_score is not None and found.score is not None and found.score >= min_score):
        return ""
    wanted = "every value has to match" if min_score is None else f"at least {rate(min_score)} is asked for"
    wrong = f"{count(len(found.wrong))} of {counted(found.values, 'value')} not as expected"
    lines = [f"{wrong}; score {rate(found.score)}, {wanted}", ""]
    rows = tuple(_row(verdict, kind) for verdict, kind in found.wrong[:_MAX_ROWS])
    lines += table_lines(Table(columns("rows", *_KEYS), rows))
    hidden = len(found.wrong) - _MAX_ROWS
    return "\n".join(lines + ([f"and {count(hidden)} more"] if hidden > 0 else []))


def check_extraction(
    expected: Json,
    predicted: Json,
    spec: SpecSource = None,
    *,
    fields: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
) -> Extraction:
    """Compare two documents and look at the values of some fields, without others."""
    truth, guess = _document(expected), _document(predicted)
    if spec is None and is_absent(truth) and is_absent(guess):
        return Extraction(0, (), None)
    plan = Plan.compile(_spec(spec, guess if is_absent(truth) else truth))
    comparison = plan.compare(_opened(truth, plan), _opened(guess, plan))
    known = sorted({*(row.path for row in plan_rows(plan.root)), *(one.field for one in comparison.verdicts)})
    taken = set(known) if fields is None else _named(fields, known, "fields")
    taken -= _named(ignore, known, "ignore")
    chosen = [one for one in comparison.verdicts if one.outcome is not Outcome.ABSENT and one.field in taken]
    if not chosen and (fields is not None or ignore):
        raise SettingError(
            "Expected some value to be left to compare: fields and ignore leave none that either side has",
            code="field.none_left",
        )
    kinds = _kinds(comparison)
    wrong = tuple((one, kinds[id(one)]) for one in chosen if one.outcome is not Outcome.MATCH)
    return Extraction(len(chosen), wrong, _score(chosen))


def _document(given: Json) -> Json:
    """Return a document: a text is JSON where it begins like an object or a list, else the name of a file."""
    if isinstance(given, str) and not given.lstrip().startswith(("{", "[")):
        return read_json(given)
    if isinstance(given, str):
        return parse_json(given.encode("utf-8", "surrogatepass"), "The document")
    if isinstance(given, Path):
        return read_json(given)
    if dataclasses.is_dataclass(given) and not isinstance(given, type):
        return given
    if isinstance(given, Mapping | BaseModel) or given is None:
        return given
    kinds = "a dict, a JSON text, a path or an instance of a pydantic class"
    raise InputError(
        f"Expected a document as {kinds}, got {type(given).__name__}",
        code="input.wrong_type",
        facts={"got": type(given).__name__},
    )


def _opened(document: Json, plan: Plan) -> Json:
    if dataclasses.is_dataclass(document) and not isinstance(document, type):
        return dataclasses.asdict(document)
    return unwrap(document, plan.root).document if isinstance(document, dict) else document


def _spec(spec: SpecSource, sample: Json) -> Spec:
    """Return the spec that is given, with what it leaves open closed by the expected document."""
    declared = _declared(spec, sample)
    document = unwrapped([sample])[0] if isinstance(sample, dict) else sample
    return Spec.infer([document]) if declared is None else declared.closed([document])


def _declared(spec: SpecSource, sample: Json) -> Spec | None:
    if isinstance(spec, Spec):
        return spec
    if isinstance(spec, str | Path):
        return spec_of_run(spec) if Path(spec).is_dir() else read_spec(spec)
    if isinstance(spec, type):
        return _of_class(spec)
    if spec is not None:
        return spec_of(dict(spec) if isinstance(spec, Mapping) else spec)
    if isinstance(sample, BaseModel) or dataclasses.is_dataclass(sample):
        return _of_class(type(sample))
    return None


def _of_class(cls: type) -> Spec:
    return Spec.from_model(cls) if issubclass(cls, BaseModel) else Spec.from_pydantic(cls)


def _named(names: Sequence[str], known: Sequence[str], setting: str) -> set[str]:
    if isinstance(names, str):
        raise SettingError(
            f"Expected a list of names for {setting}, got the text {names!r}", facts={"setting": setting, "got": names}
        )
    return set(chosen_fields(names, known, path=setting))


def _kinds(comparison: Comparison) -> dict[int, Kind]:
    """Return the kind of each value that is wrong, by the identity of its verdict."""
    mismatched = [one for one in comparison.verdicts if one.outcome is Outcome.MISMATCH]
    mistakes = [
        Mistake(one.field, one.expected, one.predicted, row_of(one.path), one.row_rejected) for one in mismatched
    ]
    kinds = dict(zip(map(id, mismatched), mismatch_kinds(comparison.expected, mistakes), strict=True))
    return kinds | {id(one): ONE_SIDED[one.outcome] for one in comparison.verdicts if one.outcome in ONE_SIDED}


def _score(verdicts: Iterable[Verdict]) -> float | None:
    declared = [one for one in verdicts if one.declared]
    weights = sum(one.weight for one in declared)
    return sum(one.weight * one.score for one in declared) / weights if weights else None


def _row(verdict: Verdict, kind: Kind) -> Row:
    values = Cell(value_text(verdict.expected)), Cell(value_text(verdict.predicted))
    place = path_cell(verdict.path, verdict.predicted_path)
    return Row((place, outcome_cell(verdict.outcome.word), Cell(verdict.score), Cell(kind_word(kind)), *values))
