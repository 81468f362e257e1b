"""What two runs show of all values together and of whole documents: the figures above the table of fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from fieldwise.results.rates import Metric, Ratio
from fieldwise.runs.measures import Difference, difference_of, mean_difference
from fieldwise.runs.pairing import Counts

Measure: TypeAlias = Literal["strict_f1", "precision", "strict_recall", "document_macro", "exact_documents"]


@dataclass(frozen=True)
class Headline:
    """One figure of two runs. ``document_macro`` is the mean of documents' own rates, ``exact_documents`` the share of
    documents without any wrong, missed or invented value."""

    measure: Measure
    difference: Difference


def headlines_of(tables: tuple[Counts, Counts], metric: Metric) -> tuple[Headline, ...]:
    """Compare two runs by what stands beside the metric: other ratios, the mean of documents, documents without error.

    The mean of documents is that of the metric, where it is a ratio. A document that neither run has values in is
    without error.
    """
    of_documents = metric in ("document_macro_f1", "exact_documents")
    ratios: tuple[Literal["strict_f1", "precision", "strict_recall"], ...] = ("precision", "strict_recall")
    shown = [Headline(name, difference_of(tables, name)) for name in ratios if name != metric]
    if of_documents:
        shown.insert(0, Headline("strict_f1", difference_of(tables, "strict_f1")))
    if metric != "document_macro_f1":
        ratio: Ratio = "strict_f1" if metric == "exact_documents" else metric
        shown.append(Headline("document_macro", mean_difference(tables, ratio)))
    if metric != "exact_documents":
        shown.append(Headline("exact_documents", difference_of(tables, "exact_documents")))
    return tuple(shown)
