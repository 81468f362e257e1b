"""What two runs show: the verdict, the figures, the fields, the values that flipped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fieldwise.results.difference import (
    Difference,
    Direction,
    FieldDifference,
    Flip,
    Reason,
    RunDifference,
    UnpairedDifference,
    UnpairedRow,
)
from fieldwise.text import one_line
from fieldwise.views.numbers import METRIC_NAMES, count, counted, in_units, rough, rough_note, whole_percent
from fieldwise.views.parts import Cell, Headline, Part, Row, Sentence, Table, View, marked
from fieldwise.views.sentences import lost_words, verdict
from fieldwise.views.words import WORDS, Look, columns

_FIELD_KEYS = (
    *("field", "symbol", "finding", "base", "candidate", "points", "interval", "p", "q"),
    *("improved", "regressed", "tied"),
)
_STACK_BELOW = 84


def difference_view(difference: RunDifference, *, fields: int | None = None, flips: int = 20) -> View:
    """Return the verdict first, then what it rests on; ``fields`` and ``flips`` limit how many are listed."""
    look = WORDS.findings[difference.finding]
    parts: list[Part] = [Headline(Sentence(f"{look.symbol} {verdict(difference)}", look.tone))]
    parts += [Sentence(note, "warning", "!") for note in difference.notes]
    parts += [_figures(difference), *_clusters(difference)]
    if lost := lost_words(difference.lost_documents):
        parts.append(_quiet(lost))
    changed = [field for field in difference.fields.values() if field.finding != "equal"]
    shown = changed if fields is None else changed[:fields]
    if shown:
        parts.append(
            Table(columns("changed_fields", *_FIELD_KEYS, units=_units(difference)), tuple(map(_field, shown)))
        )
    if is_rough([difference.total, *difference.headlines.values(), *shown]):
        parts.append(_quiet(rough_note(difference.total.unit)))
    parts += _notes(difference, hidden=len(changed) - len(shown))
    return View((*parts, *_flips(difference, flips)))


def _quiet(words: str) -> Sentence:
    return Sentence(words, "quiet")


def _figures(difference: RunDifference) -> Table:
    rows: list[tuple[str, Difference]] = [(METRIC_NAMES[difference.metric], difference.total)]
    rows += [(WORDS.measures[measure], figure) for measure, figure in difference.headlines.items()]
    return Table(
        columns("figures", units=_units(difference)),
        tuple(Row((Cell(name), *_change(figure), Cell(figure.p), *_documents(figure))) for name, figure in rows),
    )


def _units(difference: RunDifference) -> str:
    return WORDS.units[difference.total.unit].many


def _clusters(difference: RunDifference) -> Iterator[Part]:
    documents = difference.documents
    if documents.cluster_by is not None:
        clusters = in_units(documents.cluster_count or 0, "clusters")
        yield _quiet(f"{counted(documents.compared, 'document')} in {clusters} by {marked(documents.cluster_by)}")


def _change(difference: Difference) -> tuple[Cell, ...]:
    bounds = None if difference.low is None or difference.high is None else (difference.low, difference.high)
    return (
        Cell(difference.base.value),
        Cell(difference.candidate.value),
        Cell(difference.delta, WORDS.findings[difference.finding].tone),
        Cell(bounds, "quiet", mark=rough(difference.low, difference.n)),
    )


def _documents(difference: Difference) -> tuple[Cell, ...]:
    return Cell(difference.improved), Cell(difference.regressed), Cell(difference.tied)


def is_rough(differences: Sequence[Difference]) -> bool:
    """Tell whether an interval rests on so few documents that it is marked."""
    return any(rough(difference.low, difference.n) for difference in differences)


def _field(field: FieldDifference) -> Row:
    look = finding_look(field)
    return Row(
        (
            Cell(field.path),
            Cell(look.symbol, look.tone),
            Cell(look.word, look.tone),
            *(*_change(field), Cell(field.p), Cell(field.q)),
            *_documents(field),
        )
    )


def finding_look(field: FieldDifference) -> Look:
    """Return the symbol and the words for the finding of a field."""
    look = WORDS.findings[field.finding].of(field.unit)
    is_clear = field.clearly_worse and field.finding == "worse"
    return Look(look.symbol, f"clearly {look.word}", look.tone) if is_clear else look


def _notes(difference: RunDifference, *, hidden: int) -> Iterator[Part]:
    if hidden:
        yield Sentence(f"{counted(hidden, 'more field')} not listed", "quiet", more="fields")
    if same := sum(field.finding == "equal" for field in difference.fields.values()):
        yield _quiet(f"{counted(same, 'field')} the same in every {WORDS.units[difference.total.unit].one}")
    if any(field.finding == "mixed" for field in difference.fields.values()):
        yield _quiet(WORDS.notes["mixed"])
    if difference.worse_fields:
        yield _quiet(WORDS.notes["clearly_worse"])
    if difference.tested_fields > 1:
        tested = counted(difference.tested_fields, "tested field")
        yield _quiet(f"q is adjusted for {tested} (Benjamini and Hochberg); a field is better or worse where q < 0.05")


# Values that flipped


def _flips(difference: RunDifference, most: int) -> Iterator[Part]:
    flips = difference.flips
    yield Headline(Sentence(f"{counted(flips.broken, 'value')} broken, {count(flips.fixed)} fixed"))
    shown = _some(difference, most)
    if not shown:
        return
    yield Table(columns("flips"), tuple(map(_flip, shown)), stack_below=_STACK_BELOW)
    if (hidden := flips.broken + flips.fixed - len(shown)) > 0:
        yield Sentence(f"{counted(hidden, 'more value')} not listed", "quiet", more="flips")
    if any(flip.in_unpaired_row for flip in shown):
        yield _quiet(WORDS.notes["unpaired_row"])


def _flip(flip: Flip) -> Row:
    look = WORDS.directions[flip.direction]
    return Row((Cell(look.word, look.tone), Cell(flip.document), Cell(flip.path), *flip_sides(flip)))


def flip_sides(flip: Flip) -> tuple[Cell, Cell, Cell]:
    """Return what was expected and what each run has, with the reason why it counts as it does."""
    return (
        Cell(flip.expected),
        Cell(flip.base, aside=reason_text(flip.base_reason, flip.base_share)),
        Cell(flip.candidate, aside=reason_text(flip.candidate_reason, flip.candidate_share)),
    )


def reason_text(reason: Reason | None, share: float | None) -> str:
    """Say behind a value why it counts as it does, and in what share of its trials it is right; often nothing.

    >>> reason_text("row", None), reason_text(None, 0.25), reason_text(None, None)
    ('(row rejected)', '(right in 25% of trials)', '')
    """
    parts = [] if reason is None else [WORDS.reasons[reason]]
    if share is not None:
        parts.append(f"right in {whole_percent(round(share, 2))} of trials")
    return f"({', '.join(parts)})" if parts else ""


def _some(difference: RunDifference, most: int) -> list[Flip]:
    """Take broken values first and leave room for fixed ones; of every field one, the worst field first, then more."""
    ranks = {path: rank for rank, path in enumerate(difference.fields)}
    turns: dict[tuple[Direction, str], int] = {}
    order: dict[Direction, list[tuple[int, int, Flip]]] = {"broken": [], "fixed": []}
    for flip in difference.flips.shown:
        turn = turns[flip.direction, flip.field] = turns.get((flip.direction, flip.field), 0) + 1
        order[flip.direction].append((turn, ranks[flip.field], flip))
    broken, fixed = ([flip for *_, flip in sorted(order[one], key=lambda row: row[:2])] for one in ("broken", "fixed"))
    chosen = broken[: max(most - len(fixed), (most + 1) // 2)]
    return chosen + fixed[: most - len(chosen)]


# Two metrics files


def unpaired_view(difference: UnpairedDifference) -> View:
    """Return what two metrics files say, and what they can't."""
    without = f"Not paired: {one_line(difference.without_rows)} has no verdicts"
    parts: list[Part] = [
        Headline(Sentence(f"{without}, which say which documents rose and fell.", "warning")),
        _quiet("Intervals take the documents of the two runs for different ones; no verdict is given."),
        _quiet("Compare the folders of two evaluations, with their rows, for a paired comparison."),
    ]
    if difference.different_rules:
        rules = " and ".join(difference.different_rules)
        parts.append(Sentence(f"Made under different rules: {rules}", "warning", "!"))
    rows = [_unpaired("all values", difference.total)]
    rows += [_unpaired(row.path, row) for row in difference.fields.values()]
    titled = columns("unpaired", metric=METRIC_NAMES[difference.metric])
    return View((*parts, Table(titled, tuple(rows))))


def _unpaired(name: str, row: UnpairedRow) -> Row:
    bounds = None if row.low is None or row.high is None else (row.low, row.high)
    values = (row.base.value, row.candidate.value, row.delta)
    return Row((Cell(name), *map(Cell, values), Cell(bounds, "quiet"), Cell(row.base.n), Cell(row.candidate.n)))
