"""What metrics show in a shell or a notebook: the headline with its interval, and the worst fields."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from fieldwise.numbers import counted, documents_and_trials, interval, rate
from fieldwise.results import FieldMetrics, Metrics
from fieldwise.text import one_line

_MAX_FIELDS = 10
_MAX_NAME = 60
_COLUMNS = ("field", "strict F1", "95 % interval", "match", "mismatch", "missed", "spurious")


def overview_text(metrics: Metrics, name: str) -> str:
    """Return a summary as lines of text; whatever names hold stays on its line."""
    rows = [_COLUMNS, *_rows(metrics)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_COLUMNS))]
    table = [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join([f"{_shown(name)}: {_headline(metrics)}", *(table if len(table) > 1 else ()), *_rest(metrics)])


def overview_html(metrics: Metrics, name: str) -> str:
    """Return the same as a fragment of HTML, in which every name is text."""
    head = "".join(f"<th>{escape(title)}</th>" for title in _COLUMNS)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in _rows(metrics))
    rest = "".join(f"<p>{escape(line)}</p>" for line in _rest(metrics))
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if body else ""
    return f"<div><p><b>{escape(_shown(name))}</b>: {escape(_headline(metrics))}</p>{table}{rest}</div>"


def _headline(metrics: Metrics) -> str:
    total = metrics.aggregate
    found = total.rates.strict_f1
    bounds = "" if found.interval is None else f" ({interval(found.interval)})"
    documents = documents_and_trials(metrics.document_count, metrics.trial_count)
    return f"strict F1 {rate(found.value)}{bounds}, {documents}, {counted(total.seen, 'value')}"


def _rows(metrics: Metrics) -> list[tuple[str, ...]]:
    return [_row(path, field) for path, field in _seen(metrics)[:_MAX_FIELDS]]


def _seen(metrics: Metrics) -> list[tuple[str, FieldMetrics]]:
    return [(path, field) for path, field in metrics.worst_first() if field.seen]


def _row(path: str, field: FieldMetrics) -> tuple[str, ...]:
    found = field.rates.strict_f1
    counts = (field.tp, field.fd, field.fn, field.fa)
    return (_shown(path), rate(found.value), interval(found.interval), *(f"{count:,}" for count in counts))


def _rest(metrics: Metrics) -> Iterator[str]:
    more = len(_seen(metrics)) - _MAX_FIELDS
    if more > 0:
        yield f"{counted(more, 'better field')} not shown"
    if metrics.error_count:
        verb = "needs" if metrics.error_count == 1 else "need"
        first = f", the first: {_shown(metrics.errors[0].doc_id or '')}" if metrics.errors else ""
        yield f"{counted(metrics.error_count, 'document')} {verb} a look{first}"
    yield from map(one_line, metrics.notes)


def _shown(name: str) -> str:
    text = one_line(name)
    return text if len(text) <= _MAX_NAME else f"{text[: _MAX_NAME - 1]}…"
