"""What compared values show: where each is, both values, its outcome, score and reason; and how fields are compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from fieldwise.compare import Comparison, Outcome, Plan, Verdict
from fieldwise.compare.explain import plan_notes, plan_rows
from fieldwise.results import OutsideCount
from fieldwise.results.notes import Note
from fieldwise.spec import Spec, positions_of
from fieldwise.text import one_line
from fieldwise.values import Json
from fieldwise.views.notes import outside_words
from fieldwise.views.numbers import count, counted, rate
from fieldwise.views.parts import Cell, Headline, Part, Row, Sentence, Table, View, marked
from fieldwise.views.words import WORDS, columns, kind_word
from fieldwise.writing import dump_json

_MAX_ROWS = 200
_STACK_BELOW = 110
_KEYS = ("path", "expected", "predicted", "outcome", "score", "because")
_WORST_FIRST: list[str] = [*WORDS.outcomes]


def plan_view(plan: Plan, *, inferred: bool) -> View:
    """Return how every field is compared and where each setting came from."""
    how = "as inferred from expected values" if inferred else "as declared; what is open is inferred"
    title = Sentence(f"Compared {how}", more="schema" if inferred else None)
    parts: list[Part] = []
    for name, spec in plan.spec.classes.items():
        own = Plan.compile(spec, extras=plan.spec.extras, beside=plan)
        parts += [Headline(Sentence(f"class {marked(name)}")), *_plan_parts(own)]
    if not parts or _has_own_fields(plan.spec):
        parts += [Headline(Sentence("without a class"))] * bool(parts)
        parts += _plan_parts(plan)
    parts += [_quiet(f"not scored: class {marked(name)}, {why}") for name, why in plan.spec.excluded.items()]
    notes = [Sentence(note, "warning") for note in plan.spec.notes]
    return View((Headline(title), *parts, *notes))


def _has_own_fields(spec: Spec) -> bool:
    """Tell whether documents without a class are compared in ways of their own."""
    declared = [inner.root.fields for inner in spec.classes.values()]
    return not all(any(fields.get(name) == node for fields in declared) for name, node in spec.root.fields.items())


def _plan_parts(plan: Plan) -> list[Part]:
    rows = tuple(
        Row(
            (
                Cell(row.path),
                Cell(row.how),
                Cell(row.threshold or None, format="value"),
                Cell(row.weight, format="value"),
                Cell(row.why, "quiet"),
            )
        )
        for row in plan_rows(plan.root)
    )
    table = Table(columns("plan"), rows, stack_below=_STACK_BELOW)
    return [table, *map(_quiet, plan_notes(plan.root))]


def _quiet(words: str) -> Sentence:
    return Sentence(words, "quiet")


def comparison_view(
    comparison: Comparison, *, notes: Sequence[Note] = (), show_all: bool = False, explain: bool = False
) -> View:
    """Return a row for every compared leaf, worst first, and a summary with ``notes``."""
    verdicts = sorted(comparison.verdicts, key=lambda v: (_WORST_FIRST.index(v.outcome.word), v.score))
    shown = verdicts if show_all else [v for v in verdicts if v.outcome is not Outcome.ABSENT][:_MAX_ROWS]
    rows = tuple(_verdict_row(verdict, explain=explain) for verdict in shown)
    table = Table(columns("rows", *_KEYS), rows, stack_below=_STACK_BELOW)
    absent = 0 if show_all else sum(verdict.outcome is Outcome.ABSENT for verdict in verdicts)
    past = len(verdicts) - len(shown) - absent
    return View((table, *_summary(comparison, notes, absent=absent, past=past)))


def _verdict_row(verdict: Verdict, *, explain: bool) -> Row:
    reason = verdict.reason
    if explain and verdict.comparator and verdict.comparator not in reason:
        reason = f"{reason} ({verdict.comparator})"
    return Row(
        (
            path_cell(verdict.path, verdict.predicted_path),
            Cell(value_text(verdict.expected)),
            Cell(value_text(verdict.predicted)),
            outcome_cell(verdict.outcome.word),
            Cell(verdict.score),
            Cell(reason, "quiet"),
        ),
        brief=verdict.outcome is Outcome.MATCH and not explain,
    )


def path_cell(path: str | None, predicted_path: str | None) -> Cell:
    """Return where a value is, with the positions that its rows have in the predicted document, if they differ."""
    own = path if path is not None else predicted_path
    is_elsewhere = predicted_path is not None and predicted_path != own
    return Cell(own, aside=f"← {positions_of(predicted_path)}" if is_elsewhere and predicted_path else "")


def outcome_cell(word: str) -> Cell:
    """Return an outcome with its symbol."""
    look = WORDS.outcomes[word]  # type: ignore[index]
    return Cell(look.text, look.tone)


def value_text(value: Json) -> str | None:
    """Return a value as text: itself, or JSON."""
    if value is None or isinstance(value, str):
        return value
    return dump_json(value, ascii_only=False, default=str)


def _summary(comparison: Comparison, notes: Sequence[Note], *, absent: int, past: int) -> Iterator[Part]:
    counts = comparison.counts()
    said = [f"{count(counts[look.count])} {look.text}" for look in WORDS.outcomes.values()]
    yield Sentence("  ".join(said))
    yield Headline(Sentence(f"score {rate(comparison.weighted_score)} over the values that either side has"))
    how = "fields absent on both sides count as matches there" if counts["tn"] else "the mean of the top-level fields"
    yield Sentence(f"overall_score {rate(comparison.score)}: {how}", "quiet")
    for note in notes:
        yield Sentence(note, "quiet")
    outside = {path: OutsideCount(**sides) for path, sides in comparison.outside.items()}
    if words := outside_words(outside, ignored=comparison.extras == "ignore"):
        yield Sentence(words, "quiet")
    hidden = [f"{counted(absent, 'value')} absent on both sides"] if absent else []
    hidden += [f"{counted(past, 'value')} after the first {_MAX_ROWS}"] if past else []
    if hidden:
        yield Sentence(f"not listed: {' and '.join(hidden)}", "quiet", more="verdicts")


# Rows of a run


def row_table(rows: Sequence[tuple[Mapping[str, Json], str]]) -> Table:
    """Return rows of a run, each with its reason in words, as a table."""
    return Table(
        columns("rows", "document", *_KEYS),
        tuple(_listed(columns, reason) for columns, reason in rows),
        stack_below=_STACK_BELOW,
    )


def _listed(row: Mapping[str, Json], reason: str) -> Row:
    return Row(
        (
            Cell(row["document"], aside=_part(row)),
            path_cell(row["path"], row["predicted_path"]),
            *(Cell(_side(row, side)) for side in ("expected", "predicted")),
            outcome_cell(row["outcome"]),
            Cell(row["score"]),
            Cell(because(row["kind"], row["accepted"], reason), "quiet"),
        )
    )


def _part(row: Mapping[str, Json]) -> str:
    """Say which trial, and which section of which class, a row is of, where there are any."""
    trial, section = row["trial"], row["section"]
    parts = [
        f"trial {trial}" if trial != 1 else "",
        "" if section is None else f"section {section}",
        row["class"] or "",
    ]
    words = ", ".join(filter(None, parts))
    return f"({words})" if words else ""


def because(kind: str | None, accepted: str | None, reason: str) -> str:
    """Say what kind of error it is, or how a match was accepted, and the reason."""
    what = "" if kind in (None, "row_rejected") else kind_word(kind)  # type: ignore[arg-type]
    return "; ".join(filter(None, [what, WORDS.accepted.get(accepted or "", ""), reason]))


def _side(row: Mapping[str, Json], side: str) -> str | None:
    """Return a value on one line; a text between quotes where that tells it from the other side's number."""
    text = row[side]
    if text is None:
        return None
    text = one_line(text)
    is_json = row["expected_is_json"], row["predicted_is_json"]
    return f'"{text}"' if not row[f"{side}_is_json"] and (text != text.strip() or any(is_json)) else text


def listed_words(total: int, end: int, place: str | None, *, of_all_outcomes: bool = False) -> Sentence:
    """Say how many rows there are, or how many follow the end of a list, from which place on."""
    if place is None:
        return Sentence(counted(total, "value"), "quiet")
    more = f"… {count(total - end)} more from {place} on"
    return Sentence(more, "quiet", more="errors" if of_all_outcomes else "rows")
