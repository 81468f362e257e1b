"""Words and symbols for the parts of a comparison of two runs, the same on the page and in the terminal."""

from __future__ import annotations

from fieldwise.numbers import METRIC_NAMES
from fieldwise.results.difference import FieldDifference, Finding, Measure, Reason, Test

FINDINGS: dict[Finding, tuple[str, str]] = {
    "better": ("▲", "better"),
    "worse": ("▼", "worse"),
    "mixed": ("⇅", "mixed"),
    "not_shown": ("·", "no clear change"),
    "equal": ("=", "the same"),
    "undefined": ("–", "undefined"),
    "too_few": ("–", "too few documents"),
}
"""A symbol and a word for each finding."""
MIXED = "mixed: the rate went one way, and the number of right values, as a test shows, the other"
CLEARLY_WORSE = (
    "clearly worse: a loss of more than 1 point, where chance alone names any field in fewer than 1 of 40 comparisons"
)
MEASURES: dict[Measure, str] = {
    "strict_f1": METRIC_NAMES["strict_f1"],
    "precision": "precision",
    "strict_recall": "strict recall",
    "document_macro": "mean of documents",
    "exact_documents": "documents without error",
}
TESTS: dict[Test, str] = {
    "permutation": "documents swapped at random",
    "paired_t": "Student's t of paired documents",
    "mcnemar": "McNemar's test of documents",
    "sign_flip": "signs of documents flipped",
}
REASON_WORDS: dict[Reason, str] = {
    "type": "not of the declared kind",
    "row": "row rejected",
    "alone": "row not paired",
    "undeclared": "field not declared",
    "comparator": "the comparator raised",
}
"""Why a value is wrong, missed or invented though it may look right: of another kind, in a row of a list that is too
unlike its partner or has none, under a key that no field declares, or of a field whose comparator raised."""
UNPAIRED_ROW = (
    "Row rejected: the row of the list is too unlike its partner, so none of its values is right. "
    "Row not paired: it has no partner."
)


def finding_words(field: FieldDifference) -> tuple[str, str]:
    """Return the symbol and the words for the finding of a field."""
    symbol, word = FINDINGS[field.finding]
    return symbol, f"clearly {word}" if field.clearly_worse and word == "worse" else word


def reason_text(reason: Reason | None, share: float | None) -> str:
    """Say behind a value why it counts as it does, and in what share of its trials it is right; often nothing.

    >>> reason_text("row", None), reason_text(None, 0.25), reason_text(None, None)
    ('(row rejected)', '(right in 25 % of trials)', '')
    """
    parts = [] if reason is None else [REASON_WORDS[reason]]
    if share is not None:
        parts.append(f"right in {100 * share:.0f} % of trials")
    return f"({', '.join(parts)})" if parts else ""
