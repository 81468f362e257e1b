"""What two runs on the same documents show: ``diff --json`` is the dump of `RunDifference`."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from fieldwise.results.core import Number, Result, Share, Shown
from fieldwise.results.notes import Note
from fieldwise.results.rates import Metric, Rate, Ratio, Unit

Finding: TypeAlias = Literal["better", "worse", "mixed", "not_shown", "equal", "undefined", "too_few"]
"""What two runs show: a real rise or fall; a rate that goes one way while right values go the other; no difference
that these documents could show, none at all; or nothing, because the rate has nothing to divide by in one of them, or
because too few documents have the field."""

Test: TypeAlias = Literal["permutation", "paired_t", "mcnemar", "sign_flip"]
"""How p was found: documents swapped between the runs; Student's t of their paired residuals, where many differ;
McNemar's test; signs of the documents' differences flipped."""

Measure: TypeAlias = Literal["strict_f1", "precision", "strict_recall", "document_macro", "exact_documents"]
"""A figure beside the metric. ``document_macro`` is the mean of documents' own rates, ``exact_documents`` the share of
documents without any wrong, missed or invented value."""

Direction: TypeAlias = Literal["fixed", "broken"]
Reason: TypeAlias = Literal["type", "row", "alone", "undeclared", "comparator"]
"""Why a value counts as it does, where the values alone did not decide."""

FEWEST = 6
"""So few documents can show a difference: of 5 that all change alike, chance alone gives as much in 2 of 32 cases."""
MAX_IDS = 1000
"""So many ids of documents are listed; their number is never cut."""


class RunFacts(Result, frozen=True):
    """By what the numbers of a run can be traced."""

    name: str
    document_count: Number
    trial_count: Number
    spec_fingerprint: str | None
    scorer_version: str | None
    unmatched: Literal["leaves", "objects"]


class DocumentIds(Result, frozen=True):
    """How many documents, and the ids of the first of them."""

    count: Number = 0
    first: tuple[str, ...] = ()

    @classmethod
    def of(cls, ids: tuple[str, ...]) -> DocumentIds:
        """Count documents and keep the first ids."""
        return DocumentIds(len(ids), ids[:MAX_IDS])


class TrialNumbers(Result, frozen=True):
    """How many trials of the compared documents each run has."""

    base: Number
    candidate: Number


class Pairing(Result, frozen=True):
    """The documents of two runs: how many were compared, and which were not, or count as missed.

    A document that could be compared in one run only, because the other failed at it, is compared: it counts as missed
    in the run that failed. So does one without a usable prediction.
    """

    compared: Number
    trials: TrialNumbers | None
    """None where no document has several trials."""
    base_only: DocumentIds
    candidate_only: DocumentIds
    base_failed: DocumentIds
    candidate_failed: DocumentIds
    base_without_prediction: DocumentIds
    candidate_without_prediction: DocumentIds
    excluded: DocumentIds
    """Documents that neither run could compare, or without a readable expected document in one of them."""
    other_expected_values: DocumentIds
    """Compared documents that have other expected values in the two runs."""
    without_expected: DocumentIds = DocumentIds()
    """Predictions that no expected document asks for, of either run."""
    cluster_by: str | None = None
    """The key of documents that belong together: these clusters are the units of every difference."""
    cluster_count: Number | None = None

    @property
    def in_both(self) -> int:
        """How many documents both runs have."""
        return self.compared + self.excluded.count


class Difference(Result, frozen=True):
    """A rate of two runs, candidate less base, paired by document; what is undefined is None.

    ``n`` documents have something to divide by in one of the runs; ``improved`` of them have a higher rate of their
    own, ``regressed`` a lower one. ``detectable`` is the smallest difference that so many documents with this spread
    show four times out of five.
    """

    base: Rate
    candidate: Rate
    delta: float | None
    low: float | None
    high: float | None
    n: Number
    se: float | None
    test: Test | None
    p: Share | None
    improved: Number
    regressed: Number
    tied: Number
    detectable: float | None
    finding: Finding

    @property
    def unit(self) -> Unit:
        """What ``n`` counts."""
        return self.base.unit


class RightValues(Result, frozen=True):
    """How many more values a run has right, less those it invents; of documents where a field has one value at most.
    Of several trials of a document it is the mean, and the numbers are rounded.

    The test is McNemar's then, else that of the documents' signs. It looks at nothing else: that wrong values are
    left empty instead changes rates, and not this.
    """

    lost: Number
    gained: Number
    test: Test
    p: Share


class LostDocuments(Result, frozen=True):
    """Documents whose own rate fell by ``drop`` or more, strict F1 where the metric is no ratio of counts.

    The bounds are Clopper and Pearson's for their share of all documents like these. ``high`` is what these documents
    cannot exclude: 1 - 0.025^(1/n) where none is lost.
    """

    drop: Share
    count: Number
    n: Number
    low: Share | None
    high: Share | None
    unit: Unit = "documents"
    few_differ: bool = False
    """Fewer than six documents differ, which says little of how others do."""
    one_undoes: bool = False
    """The answer rests on a lower bound that one more document, right in the base, wholly wrong in the candidate and
    counted half, would undo."""


class TotalDifference(Difference, frozen=True):
    """All leaves together; the test swaps the runs document by document."""

    right_values: RightValues


class FieldDifference(Difference, frozen=True):
    """The difference of one field. Its finding is by ``q``, which counts how many fields were looked at, or *worse*
    where the field is clearly worse.

    ``p_holm`` and ``q`` (Benjamini and Hochberg) are None where so few documents differ that no test could show
    anything: that field is left out of both.
    """

    path: str
    scalar: bool
    """Whether it has one value in a document at most."""
    right_values: RightValues
    differing: Number
    """In how many documents the counts differ."""
    p_holm: Share | None = None
    q: Share | None = None
    p_worse: Share | None = None
    """The chance of so large a loss without a change, by swaps of documents, after Holm's adjustment over the fields
    that at least 20 documents have and 6 differ in; None for others, 1 where the rate did not fall."""
    clearly_worse: bool = False
    """Whether that is below 0.025, and the loss more than a point."""


class WorseField(Result, frozen=True):
    """A field that is clearly worse."""

    path: str
    delta: float | None
    p: Share | None


class Flip(Result, frozen=True):
    """A value that the candidate has right and the base has not (fixed), or the other way round (broken).

    Values are texts, or JSON where they are no texts; an outcome is None where that run has no such place, a reason
    where the values alone decided.
    """

    direction: Direction
    document: str
    path: str
    field: str
    expected: str | None
    base: str | None
    candidate: str | None
    base_outcome: str | None
    candidate_outcome: str | None
    base_reason: Reason | None
    candidate_reason: Reason | None
    base_share: Share | None = None
    candidate_share: Share | None = None
    """In what share of its trials each run has the value right; None where neither run has several of the document."""

    @property
    def in_unpaired_row(self) -> bool:
        """Whether it is in a row of a list that is not paired in one of the runs."""
        return not {"row", "alone"}.isdisjoint((self.base_reason, self.candidate_reason))


class FlipCounts(Result, frozen=True):
    """How many values are right in one run only."""

    fixed: Number
    broken: Number


class Flips(FlipCounts, frozen=True):
    """How many values flipped, in all and in each field, and some of them: of each field as there is room for."""

    shown: tuple[Flip, ...]
    fields: dict[str, FlipCounts] = msgspec.field(default_factory=dict)
    """Fields without a flip are not in it."""


class RunDifference(Shown, frozen=True, kw_only=True):
    """Everything that two runs on the same documents show."""

    paired: Literal[True] = True
    finding: Finding
    """That of all leaves together, or *mixed* where that is not worse and a field clearly is."""
    worse_fields: tuple[WorseField, ...]
    """The fields that are clearly worse, the largest loss first."""
    metric: Metric
    confidence: Share
    different_rules: tuple[str, ...]
    """How the rules differ under which the runs were made, in words."""
    notes: tuple[Note, ...]
    """What was left out, and what else to know before believing the numbers."""
    base: RunFacts
    candidate: RunFacts
    documents: Pairing
    total: TotalDifference
    lost_documents: LostDocuments
    headlines: dict[Measure, Difference]
    tested_fields: Number
    """In how many fields enough documents differ to show anything; p-values are adjusted for so many."""
    fields: dict[str, FieldDifference]
    """By path, the worst first."""
    flips: Flips


class UnpairedRow(Result, frozen=True):
    """A rate of two runs and their difference, with an interval that takes the documents for different ones."""

    path: str
    base: Rate
    candidate: Rate
    delta: float | None
    low: float | None
    high: float | None


class UnpairedDifference(Shown, frozen=True, kw_only=True):
    """What two metrics files show. Documents are not paired: a real difference is easily overlooked."""

    paired: Literal[False] = False
    finding: None = None
    metric: Ratio
    different_rules: tuple[str, ...]
    base: RunFacts
    candidate: RunFacts
    total: UnpairedRow
    fields: dict[str, UnpairedRow]
    """By path, the largest loss first."""
    without_rows: str
    """The run that has no rows to pair."""
