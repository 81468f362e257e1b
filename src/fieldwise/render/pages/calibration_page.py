"""What confidences are worth as one page that needs nothing else: all fields together, a table, each field's plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from fieldwise.render.pages.calibration_charts import calibration_charts
from fieldwise.render.pages.markup import (
    NAME_BREAKS,
    PATH_BREAKS,
    Cell,
    block,
    card,
    listed_columns,
    plain,
    shown,
    table,
)
from fieldwise.render.pages.page import render
from fieldwise.results.calibration import Calibration, FieldCalibration
from fieldwise.stats.review import CANDIDATES
from fieldwise.views.calibration import (
    FEW,
    REVIEW_SHARE,
    accept_words,
    auroc_words,
    bare_words,
    calibration_columns,
    caught,
    leaning,
    review_words,
)
from fieldwise.views.numbers import count, counted, fixed, number, percent, points, rate, whole_percent
from fieldwise.views.words import WORDS

MOST_FIELDS = 60
"""So many fields have plots of their own, the worst calibrated."""


def html_calibration(calibration: Calibration, title: str, facts: Mapping[str, str] | None = None) -> str:
    """Return the page of a run's confidences, complete in itself; the same run gives the same text."""
    plotted = [*calibration.fields.values()][:MOST_FIELDS]
    parts = {
        "header": _header(calibration, title),
        "summary": _summary(calibration),
        "charts": _charts(calibration.pooled, calibration.target_error),
        "field_count": _field_count(calibration),
        "fields": _field_table(calibration),
        "details": "\n".join(_detail(one, k, calibration.target_error) for k, one in enumerate(plotted)),
        "bins": str(calibration.bins),
        "candidates": str(len(CANDIDATES)),
        "target": f"{whole_percent(calibration.target_error)}",
        "review_share": f"{whole_percent(REVIEW_SHARE)}",
    }
    told = _facts(calibration, facts or {})
    return render("calibration", parts, title=f"Confidences of {title}", facts=told, style="charts.css")


def _header(calibration: Calibration, title: str) -> str:
    total = calibration.pooled
    share = f"{percent(total.coverage)} of {count(total.predicted)} predicted"
    parts = [
        counted(total.documents, "document"),
        f"{counted(total.n, 'value')} with a confidence, {share}",
        f"{counted(total.missed, 'missed value')} without one" if total.missed else "no missed value",
    ]
    line = "".join(f"<li>{part}</li>" for part in parts)
    return f'<h1>Confidences of {block(title, breaks=NAME_BREAKS)}</h1>\n<ul class="line">{line}</ul>'


def _summary(calibration: Calibration) -> str:
    total, share = calibration.pooled, caught(calibration.pooled)
    z = fixed(total.spiegelhalter_z, 2)
    cards = [
        card("Right", rate(total.accuracy), f"mean confidence {rate(total.mean_confidence)}"),
        card("AUROC", rate(total.auroc.value if total.auroc else None), auroc_words(total)),
        card("Errors caught", percent(share), _review_note(total)),
        card("ECE, equal mass", rate(total.ece_equal_mass), f"largest error of a bin {rate(total.mce)}"),
        card("Brier score", rate(total.brier.score if total.brier else None), _parts(total)),
        card("Log loss", rate(total.log_loss), _why(total, "log_loss") or f"Spiegelhalter's z {z}"),
    ]
    told = "".join(f"<p>{words}</p>" for words in (review_words(total), accept_words(total, calibration.target_error)))
    told += f'<p class="quiet">{bare}</p>' if (bare := bare_words(total)) else ""
    headline = (
        f'<div class="headline"><h2>Calibration error (ECE)</h2><p class="figure">{rate(total.ece)}</p>'
        f'<p class="lean">{leaning(total).capitalize()}</p></div>'
    )
    return (
        f'<div class="top">{headline}<dl class="cards">{"".join(cards)}</dl></div>\n'
        f'<div class="outcomes told">{told}</div>'
    )


def _review_note(field: FieldCalibration) -> str:
    if not field.review:
        return field.undefined.get("review", "")
    words = f"by reviewing {whole_percent(REVIEW_SHARE)} of the values"
    return f"{words}; average precision of errors {rate(field.error_average_precision)}"


def _parts(field: FieldCalibration) -> str:
    if field.brier is None:
        return ""
    parts = field.brier
    return f"reliability {fixed(parts.reliability, 4)}, resolution {fixed(parts.resolution, 4)}"


def _why(field: FieldCalibration, name: str) -> str:
    return field.undefined.get(name, "")


def _charts(field: FieldCalibration, target: float) -> str:
    drawn = calibration_charts(field, target)
    figures = "".join(f"<figure><figcaption>{title}</figcaption>{svg}</figure>" for title, svg in drawn)
    return f'<div class="charts">{figures}</div>'


def _field_count(calibration: Calibration) -> str:
    words = f"{counted(len(calibration.fields), 'field')}, the worst calibrated first"
    return (
        f"{words}; {counted(len(calibration.without_confidences), 'field')} without confidences"
        if calibration.without_confidences
        else words
    )


def _field_table(calibration: Calibration) -> str:
    numbers = {name: k for k, name in enumerate(calibration.fields)}

    def name(one: FieldCalibration) -> Cell:
        text, k = shown(one.name, breaks=PATH_BREAKS), numbers[one.name]
        few = ' <span class="tag">few values</span>' if one.n < FEW else ""
        link = f'<a href="#field-{k}"><bdi>{text}</bdi></a>' if k < MOST_FIELDS else f"<bdi>{text}</bdi>"
        return Cell(link + few, one.name)

    cells: dict[str, Callable[[FieldCalibration], Cell]] = {
        "field": name,
        "points": lambda one: Cell(points(one.signed_error, decimals=1), one.signed_error),
        "accuracy": lambda one: Cell(rate(one.accuracy), one.accuracy),
        "confidence": lambda one: Cell(rate(one.mean_confidence), one.mean_confidence),
        "ece": lambda one: Cell(rate(one.ece), one.ece),
        "n": lambda one: Cell(count(one.n), one.n),
        "coverage": lambda one: Cell(percent(one.coverage), one.coverage),
        "auroc": _auroc,
        "caught": lambda one: Cell(percent(caught(one)), caught(one)),
        "accept": _accept,
    }
    columns = listed_columns(calibration_columns(calibration), cells)
    return table("field-table", columns, [*calibration.fields.values()], caption="Fields, the worst calibrated first")


def _auroc(field: FieldCalibration) -> Cell:
    ranking = field.auroc
    if ranking is None:
        return Cell(f'<span class="quiet" title="{plain(_why(field, "auroc"))}">{WORDS.dash}</span>', None)
    bounds = ""
    if ranking.low is not None and ranking.high is not None:
        bounds = f' <span class="interval">{rate(ranking.low)}–{rate(ranking.high)}</span>'
    return Cell(rate(ranking.value) + bounds, ranking.value)


def _accept(field: FieldCalibration) -> Cell:
    if field.acceptance is None:
        return Cell(f'<span class="quiet" title="{plain(_why(field, "acceptance"))}">{WORDS.dash}</span>', None)
    chosen = field.acceptance.chosen
    share = f' <span class="interval">{percent(chosen.coverage)}</span>'
    return Cell(f"{number(chosen.threshold)}{share}", chosen.threshold)


def _detail(field: FieldCalibration, number: int, target: float) -> str:
    told = "".join(f"<p>{words}</p>" for words in (review_words(field), accept_words(field, target)))
    words = f"ECE {rate(field.ece)}, {leaning(field)}, n = {count(field.n)}"
    return (
        f'<details class="field"{" open" if not number else ""}><summary><b><bdi>{shown(field.name)}</bdi></b> '
        f'<span class="quiet">{words}</span></summary><div id="field-{number}">{_charts(field, target)}'
        f'<div class="told">{told}</div></div></details>'
    )


def _facts(calibration: Calibration, facts: Mapping[str, str]) -> dict[str, str]:
    without = (
        {"without confidences": ", ".join(calibration.without_confidences)} if calibration.without_confidences else {}
    )
    return {
        **facts,
        "bins": str(calibration.bins),
        "target error": f"{whole_percent(calibration.target_error)}",
        **without,
    }
