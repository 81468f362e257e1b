"""What confidences are worth as one page that needs nothing else: all fields together, a table, each field's plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fieldwise.numbers import DASH, count, counted, percent, rate
from fieldwise.report.calibration_charts import reliability_chart, review_chart, risk_chart
from fieldwise.report.calibration_words import (
    FEW,
    REVIEW_SHARE,
    accept_words,
    auroc_words,
    bare_words,
    caught,
    leaning,
    review_words,
    signed_error,
)
from fieldwise.report.markup import NAME_BREAKS, PATH_BREAKS, Cell, Column, block, card, plain, shown, table
from fieldwise.report.page import render
from fieldwise.runs.calibration import Calibration
from fieldwise.runs.confidence_rows import CANDIDATES
from fieldwise.runs.confidences import RunCalibration

MOST_FIELDS = 60
"""So many fields have plots of their own, the worst calibrated."""


def html_calibration(found: RunCalibration, title: str, facts: Mapping[str, str] | None = None) -> str:
    """Return the page of a run's confidences, complete in itself; the same run gives the same text."""
    parts = {
        "header": _header(found, title),
        "summary": _summary(found),
        "charts": _charts(found.pooled, found.target_error),
        "field_count": _field_count(found),
        "fields": _field_table(found),
        "details": "\n".join(_detail(one, k, found.target_error) for k, one in enumerate(found.fields[:MOST_FIELDS])),
        "bins": str(found.bins),
        "candidates": str(len(CANDIDATES)),
        "target": f"{found.target_error * 100:g}%",
        "review_share": f"{REVIEW_SHARE:.0%}",
    }
    told = _facts(found, facts or {})
    return render("calibration", parts, title=f"Confidences of {title}", facts=told, style="charts.css")


def _header(found: RunCalibration, title: str) -> str:
    total = found.pooled
    share = f"{percent(total.coverage)} of {count(total.predicted)} predicted"
    parts = [
        counted(total.documents, "document"),
        f"{counted(total.n, 'value')} with a confidence, {share}",
        f"{counted(total.missed, 'missed value')} without one" if total.missed else "no missed value",
    ]
    line = "".join(f"<li>{part}</li>" for part in parts)
    return f'<h1>Confidences of {block(title, breaks=NAME_BREAKS)}</h1>\n<ul class="line">{line}</ul>'


def _summary(found: RunCalibration) -> str:
    total, share = found.pooled, caught(found.pooled)
    z = DASH if total.spiegelhalter_z is None else f"{total.spiegelhalter_z:+.2f}"
    cards = [
        card("Right", rate(total.accuracy), f"mean confidence {rate(total.mean_confidence)}"),
        card("AUROC", rate(total.auroc.auroc if total.auroc else None), auroc_words(total)),
        card("Errors caught", percent(share), _review_note(total)),
        card("ECE, equal mass", rate(total.ece_equal_mass), f"largest error of a bin {rate(total.mce)}"),
        card("Brier score", rate(total.brier.score if total.brier else None), _parts(total)),
        card("Log loss", rate(total.log_loss), _why(total, "log_loss") or f"Spiegelhalter's z {z}"),
    ]
    told = "".join(f"<p>{words}</p>" for words in (review_words(total), accept_words(total, found.target_error)))
    told += f'<p class="quiet">{bare}</p>' if (bare := bare_words(total)) else ""
    headline = (
        f'<div class="headline"><h2>Calibration error (ECE)</h2><p class="figure">{rate(total.ece)}</p>'
        f'<p class="lean">{leaning(total).capitalize()}</p></div>'
    )
    return (
        f'<div class="top">{headline}<dl class="cards">{"".join(cards)}</dl></div>\n'
        f'<div class="outcomes told">{told}</div>'
    )


def _review_note(found: Calibration) -> str:
    if not found.review:
        return found.undefined.get("review", "")
    words = f"by reviewing {REVIEW_SHARE:.0%} of the values"
    return f"{words}; average precision of errors {rate(found.error_average_precision)}"


def _parts(found: Calibration) -> str:
    if found.brier is None:
        return ""
    parts = found.brier
    return f"reliability {parts.reliability:.4f}, resolution {parts.resolution:.4f}"


def _why(found: Calibration, name: str) -> str:
    return found.undefined.get(name, "")


def _charts(found: Calibration, target: float) -> str:
    drawn = [
        ("Are the confidences true?", reliability_chart(found)),
        ("What does review catch?", review_chart(found)),
        ("What does accepting risk?", risk_chart(found, target)),
    ]
    figures = "".join(f"<figure><figcaption>{title}</figcaption>{svg}</figure>" for title, svg in drawn)
    return f'<div class="charts">{figures}</div>'


def _field_count(found: RunCalibration) -> str:
    words = f"{counted(len(found.fields), 'field')}, the worst calibrated first"
    return f"{words}; {counted(len(found.without), 'field')} without confidences" if found.without else words


def _field_table(found: RunCalibration) -> str:
    numbers = {one.name: k for k, one in enumerate(found.fields)}

    def name(one: Calibration) -> Cell:
        text, k = shown(one.name, breaks=PATH_BREAKS), numbers[one.name]
        few = ' <span class="tag">few values</span>' if one.n < FEW else ""
        link = f'<a href="#field-{k}"><bdi>{text}</bdi></a>' if k < MOST_FIELDS else f"<bdi>{text}</bdi>"
        return Cell(link + few, one.name)

    columns: list[Column[Calibration]] = [
        Column("field", name),
        _number("ECE", lambda one: one.ece, rate, f"mean distance of confidence and accuracy in {found.bins} bins"),
        Column("points", _signed, "number", "mean confidence - share right: + is over-confident"),
        _number("right", lambda one: one.accuracy, rate, "share of values with a confidence that is right"),
        _number("confidence", lambda one: one.mean_confidence, rate, "mean confidence"),
        Column("n", lambda one: Cell(count(one.n), one.n), "number", "values with a confidence"),
        _number("coverage", lambda one: one.coverage, percent, "share of predicted values that carry a confidence"),
        Column("AUROC", _auroc, "rate", "chance that a right value has the higher confidence"),
        _number("caught", caught, percent, f"errors caught by reviewing {REVIEW_SHARE:.0%} of the values"),
        Column("accept from", _accept, "rate", f"at most {found.target_error * 100:g}% wrong, and the share accepted"),
    ]
    return table("field-table", columns, found.fields, caption="Fields, the worst calibrated first")


def _number(
    title: str, of: Callable[[Calibration], float | None], write: Callable[[float | None], str], hint: str
) -> Column[Calibration]:
    return Column(title, lambda one: Cell(write(of(one)), of(one)), "number", hint)


def _signed(found: Calibration) -> Cell:
    return Cell(signed_error(found), found.signed_error)


def _auroc(found: Calibration) -> Cell:
    ranking = found.auroc
    if ranking is None:
        return Cell(f'<span class="quiet" title="{plain(_why(found, "auroc"))}">{DASH}</span>', None)
    bounds = ""
    if ranking.low is not None and ranking.high is not None:
        bounds = f' <span class="interval">{rate(ranking.low)}–{rate(ranking.high)}</span>'
    return Cell(rate(ranking.auroc) + bounds, ranking.auroc)


def _accept(found: Calibration) -> Cell:
    if found.acceptance is None:
        return Cell(f'<span class="quiet" title="{plain(_why(found, "acceptance"))}">{DASH}</span>', None)
    chosen = found.acceptance.chosen
    share = f' <span class="interval">{percent(chosen.coverage)}</span>'
    return Cell(f"{chosen.threshold:g}{share}", chosen.threshold)


def _detail(found: Calibration, number: int, target: float) -> str:
    told = "".join(f"<p>{words}</p>" for words in (review_words(found), accept_words(found, target)))
    words = f"ECE {rate(found.ece)}, {leaning(found)}, n = {count(found.n)}"
    return (
        f'<details class="field"{" open" if not number else ""}><summary><b><bdi>{shown(found.name)}</bdi></b> '
        f'<span class="quiet">{words}</span></summary><div id="field-{number}">{_charts(found, target)}'
        f'<div class="told">{told}</div></div></details>'
    )


def _facts(found: RunCalibration, facts: Mapping[str, str]) -> dict[str, str]:
    without = {"without confidences": ", ".join(found.without)} if found.without else {}
    return {**facts, "bins": str(found.bins), "target error": f"{found.target_error * 100:g}%", **without}
