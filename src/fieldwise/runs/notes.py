"""What to know before believing the difference of two runs: documents that were left out, rules, rare losses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fieldwise.results.difference import Difference, DocumentIds, LostDocuments, Pairing, RunFacts
from fieldwise.results.notes import Note, NoteCode

_MAX_IDS = 3


def pairing_notes(pairing: Pairing, runs: tuple[RunFacts, RunFacts], different_rules: Sequence[str]) -> Iterator[Note]:
    """Yield what was left out, and what else differs beside the predictions."""
    if pairing.trials is not None:
        trials = {"base": pairing.trials.base, "candidate": pairing.trials.candidate}
        yield Note.of("runs.trials", documents=pairing.compared, **trials)
    yield from _documents("runs.only_in_one", pairing.base_only, run="base")
    yield from _documents("runs.only_in_one", pairing.candidate_only, run="candidate")
    yield from _documents("runs.failed", pairing.base_failed, run="base")
    yield from _documents("runs.failed", pairing.candidate_failed, run="candidate")
    yield from _documents("runs.without_prediction", pairing.base_without_prediction, run="base")
    yield from _documents("runs.without_prediction", pairing.candidate_without_prediction, run="candidate")
    yield from _documents("runs.not_compared", pairing.excluded)
    yield from _documents("runs.other_expected_values", pairing.other_expected_values)
    yield from _documents("runs.without_expected", pairing.without_expected)
    if "objects" in (runs[0].unmatched, runs[1].unmatched):
        yield Note.of("runs.counted_one_by_one")
    if different_rules:
        yield Note.of("runs.different_rules", rules=list(different_rules))
    if runs[0].scorer_version != runs[1].scorer_version:
        base, candidate = (run.scorer_version for run in runs)
        yield Note.of("runs.different_versions", base=base, candidate=candidate)


def _documents(code: NoteCode, ids: DocumentIds, **facts: str) -> Iterator[Note]:
    if ids.count:
        yield Note.of(code, count=ids.count, first=list(ids.first[:_MAX_IDS]), **facts)


def rare_loss_notes(difference: Difference, lost: LostDocuments) -> Iterator[Note]:
    """Yield that an answer which is no loss may be due to rare losses of whole documents that are not among these."""
    if lost.few_differ and lost.n:
        differ = difference.improved + difference.regressed
        yield Note.of("runs.few_differ", count=differ, of=difference.n, unit=difference.unit)
    if lost.one_undoes:
        yield Note.of("runs.one_loss_undoes", unit=difference.unit)
