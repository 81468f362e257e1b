"""A class report as one page that needs nothing else: rates of each class, and the confusion matrix as a heat map."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from fieldwise.render.pages.html_summary import badge, bar
from fieldwise.render.pages.markup import NAME_BREAKS, Cell, Column, block, card, plain, table
from fieldwise.render.pages.page import render
from fieldwise.results import ClassRow, ClassScores, Rate
from fieldwise.views.classes import Confused, confusions
from fieldwise.views.numbers import GRADE_SYMBOLS, count, counted, grade, percent, rate

MOST_IN_MATRIX = 40
"""The heat map shows so many classes, those with the most rows; more would be no picture."""
MOST_CONFUSIONS = 12
_SMALL, _DENSE = 12, 22
_LEVELS = (0.02, 0.1, 0.25, 0.5, 0.8)


def html_classes(
    scores: ClassScores,
    title: str = "Classes",
    facts: Mapping[str, str] | None = None,
    *,
    counts_as_zero: bool = True,
) -> str:
    """Return the page of class scores, complete in itself; the same scores give the same text.

    ``counts_as_zero``: averages take an undefined rate as 0.
    """
    found = confusions(scores)
    parts = {
        "header": _header(scores, title),
        "summary": _summary(scores),
        "class_count": counted(len(scores.classes), "class", "classes"),
        "classes": _class_table(scores),
        "beside": "beside" if len(scores.confusion.labels) <= _SMALL else "below",
        "matrix_note": _matrix_note(scores),
        "matrix": _heat_map(scores),
        "confusion_count": _confusion_count(found),
        "confusions": _confusion_table(found[:MOST_CONFUSIONS]),
        "interval_note": _interval_note(scores),
        "zero_note": "It counts as 0 in averages." if counts_as_zero else "",
    }
    return render("classes", parts, title=title, facts={**_settings(scores), **(facts or {})}, style="classes.css")


def _header(scores: ClassScores, title: str) -> str:
    rows = scores.rows
    parts = [counted(rows.used, "row"), counted(len(scores.classes), "class", "classes")]
    if scores.clusters:
        parts.append(counted(scores.clusters, "cluster"))
    if rows.skipped:
        parts.append(f"{counted(sum(rows.skipped.values()), 'row')} left out")
    line = "".join(f"<li>{part}</li>" for part in parts)
    return f'<h1>{block(title, breaks=NAME_BREAKS)}</h1>\n<ul class="line">{line}</ul>'


def _summary(scores: ClassScores) -> str:
    cards = [
        card(
            "Macro F1", rate(scores.macro.f1), _limits(scores.macro_f1, "cluster bootstrap") or "each class counts once"
        ),
        card("Weighted F1", rate(scores.weighted.f1), "by support"),
        card("Macro precision", rate(scores.macro.precision), _undefined(scores.macro.undefined.precision)),
        card("Macro recall", rate(scores.macro.recall), _undefined(scores.macro.undefined.recall)),
        card("Cohen's kappa", rate(scores.kappa), "agreement beyond chance"),
        card("MCC", rate(scores.mcc), "from −1 to 1"),
    ]
    notes = "".join(f"<p>{note}</p>" for note in _notes(scores))
    rest = f'<div class="outcomes">{notes}</div>' if notes else ""
    return f'<div class="top">{_headline(scores)}<dl class="cards">{"".join(cards)}</dl></div>{rest}'


def _headline(scores: ClassScores) -> str:
    value = scores.accuracy.value
    return (
        f'<div class="headline {grade(value)}"><h2>Accuracy</h2>'
        f'<p class="figure">{rate(value)}<i title="{grade(value)}">{GRADE_SYMBOLS[grade(value)]}</i></p>{bar(value)}'
        f'<p class="quiet">{_limits(scores.accuracy, scores.accuracy_method)}</p></div>'
    )


def _limits(share: Rate, method: str | None) -> str:
    return "" if share.interval is None else f"{rate(share.low)} to {rate(share.high)} ({method})"


def _undefined(classes: int) -> str:
    return f"undefined for {counted(classes, 'class', 'classes')}" if classes else "each class counts once"


def _notes(scores: ClassScores) -> list[str]:
    rows, notes = scores.rows, []
    missing = sum(rows.missing.values())
    if missing and not rows.skipped:
        notes.append(f"{counted(missing, 'row')} without a label on one side or both: counted as wrong.")
    notes += [f"{counted(number, 'row')} left out: {reason}." for reason, number in rows.skipped.items()]
    if rows.disagree:
        judge = "the labels decide here" if scores.judge == "labels" else "the flag decides here"
        notes.append(f"In {counted(rows.disagree, 'row')} the flag <i>correct</i> and the labels disagree; {judge}.")
    return notes


def _class_table(scores: ClassScores) -> str:
    columns: list[Column[ClassRow]] = [
        Column("class", _name_cell),
        Column("F1", _f1_cell, "rate", "2PR / (P + R)", sorted=True),
        _rate_column("precision", lambda row: row.precision),
        _rate_column("recall", lambda row: row.recall),
        _count_column("support", lambda row: row.support, "rows expected as the class"),
        _count_column("predicted", lambda row: row.predicted, "rows predicted as the class"),
        _count_column("TP", lambda row: row.tp, "predicted as the class, and right"),
        _count_column("FP", lambda row: row.fp, "predicted as the class, and wrong"),
        _count_column("FN", lambda row: row.fn, "expected as the class, and not right"),
    ]
    worst = sorted(scores.classes, key=lambda row: (row.f1 is None, row.f1 or 0.0, -row.support, row.name))
    return table("class-table", columns, worst, caption="Classes, worst first")


def _name_cell(row: ClassRow) -> Cell:
    tag = "" if row.type == "string" else f' <span class="tag">{row.type}</span>'
    return Cell(block(row.name, breaks=NAME_BREAKS) + tag, row.name)


def _f1_cell(row: ClassRow) -> Cell:
    return Cell(f'<span class="f1">{badge(row.f1)}{bar(row.f1)}</span>', row.f1)


def _rate_column(title: str, of: Callable[[ClassRow], Rate]) -> Column[ClassRow]:
    def cell(row: ClassRow) -> Cell:
        share = of(row)
        around = f'<span class="interval">{rate(share.low)}–{rate(share.high)}</span>' if share.interval else ""
        return Cell(rate(share.value) + around, share.value)

    return Column(title, cell, "rate", "with its interval")


def _count_column(title: str, of: Callable[[ClassRow], int], hint: str) -> Column[ClassRow]:
    def cell(row: ClassRow) -> Cell:
        return Cell(count(of(row)) if of(row) else '<span class="quiet">0</span>', of(row))

    return Column(title, cell, "number", hint)


def _matrix_note(scores: ClassScores) -> str:
    size = len(scores.confusion.labels)
    cut = f"; the {MOST_IN_MATRIX} of {count(size)} with the most rows" if size > MOST_IN_MATRIX else ""
    return f"Rows expected, columns predicted; stronger colour, larger share of the expected class{cut}."


def _heat_map(scores: ClassScores) -> str:
    matrix, shares = scores.confusion, scores.confusion.normalized("true")
    chosen = _largest(matrix.counts)
    down = [i for i in chosen if any(matrix.counts[i]) or matrix.is_class(i)]
    across = [k for k in chosen if any(row[k] for row in matrix.counts) or matrix.is_class(k)]
    heads = "".join(
        f'<th scope="col" title="{plain(matrix.labels[k])}"><span class="turned">{_short(matrix.labels[k])}</span></th>'
        for k in across
    )
    body = "\n".join(
        f'<tr><th scope="row" title="{plain(matrix.labels[i])}">{_short(matrix.labels[i])}</th>'
        f"{''.join(_heat_cell(scores, i, k, shares[i][k]) for k in across)}"
        f'<td class="total">{count(sum(matrix.counts[i]))}</td></tr>'
        for i in down
    )
    return (
        f'<div class="scroll wide"><table class="matrix{" dense" if len(across) > _DENSE else ""}">'
        '<caption class="heard-only">Expected against predicted</caption>\n'
        f'<thead><tr><td class="axis total">expected ↓ predicted →</td>{heads}<th scope="col">rows</th></tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>{_scale()}"
    )


def _largest(counts: Sequence[Sequence[int]]) -> list[int]:
    """Return the places of the classes with the most rows on either side, in their order."""
    columns = [sum(column) for column in zip(*counts, strict=True)]
    weight = [sum(row) + columns[i] for i, row in enumerate(counts)]
    return sorted(sorted(range(len(counts)), key=lambda i: -weight[i])[:MOST_IN_MATRIX])


def _heat_cell(scores: ClassScores, i: int, k: int, share: float) -> str:
    matrix = scores.confusion
    number = matrix.counts[i][k]
    right = " right" if i == k and matrix.is_class(i) else ""
    if not number:
        return f'<td class="none{right}">·</td>'
    told = f"expected {matrix.labels[i]}, predicted {matrix.labels[k]}: {count(number)}, {percent(share)}"
    return f'<td class="h{_level(share)}{right}" title="{plain(told)}">{count(number)}</td>'


def _level(share: float) -> int:
    return 1 + sum(share >= least for least in _LEVELS)


def _scale() -> str:
    steps = "".join(f'<i class="h{level}"></i>' for level in range(1, len(_LEVELS) + 2))
    return (
        f'<p class="scale"><span>0%</span>{steps}<span>100% of the expected class</span>'
        '<i class="right"></i><span>right</span></p>'
    )


def _short(name: str) -> str:
    return block(name if len(name) <= 28 else f"{name[:27]}…")


def _confusion_count(found: Sequence[Confused]) -> str:
    total = counted(sum(pair.number for pair in found), "row")
    pairs = counted(len(found), "pair")
    cut = f"; the {MOST_CONFUSIONS} most frequent" if len(found) > MOST_CONFUSIONS else ""
    return f"{total} in {pairs} of labels{cut}"


def _confusion_table(found: Sequence[Confused]) -> str:
    if not found:
        return '<p class="nothing"><b class="good">✓</b> No label was taken for another.</p>'
    columns: list[Column[Confused]] = [
        Column("expected", lambda pair: Cell(block(pair.expected, breaks=NAME_BREAKS), pair.expected)),
        Column("predicted", lambda pair: Cell(block(pair.predicted, breaks=NAME_BREAKS), pair.predicted)),
        Column("rows", lambda pair: Cell(count(pair.number), pair.number), "number"),
        Column("of expected", lambda pair: Cell(percent(pair.share), pair.share), "number"),
    ]
    return table("confusion-table", columns, found, caption="Labels taken for others, the most frequent first")


def _interval_note(scores: ClassScores) -> str:
    level = percent(scores.confidence)
    if scores.clusters:
        return (
            f"{level}. Accuracy and macro F1: clusters drawn again with replacement. Single classes: Wilson's, "
            "which takes rows as independent."
        )
    return f"{level}, Wilson's score interval, which takes rows as independent."


def _settings(scores: ClassScores) -> dict[str, str]:
    keys = {"golden key": scores.keys.golden, "predicted key": scores.keys.predicted}
    judged = "equal labels" if scores.judge == "labels" else "the flag correct"
    named = {name: key for name, key in keys.items() if key is not None}
    return named | {
        "right is": judged,
        "missing labels": {"class": "wrong answers", "skip": "left out"}.get(scores.missing, "refused"),
    }
