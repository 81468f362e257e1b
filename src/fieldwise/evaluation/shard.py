"""Evaluating one shard: read its pairs, compare each, count, keep rows. The loop that everything runs.

A document that raises never stops the others. Where it is compared, that is noticed at once. Where it is counted or
written, sums and rows may hold a part of it: then every document of the shard is tried alone, and the shard is
evaluated again with those at fault recorded as such. So the usual way needs no guard around every step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from fieldwise.compare.own_comparators import described
from fieldwise.counting.cells import Cell, CellCounts, Cells, Group
from fieldwise.counting.tally import DocumentCounts, Tally
from fieldwise.errors import ENDS_ALL
from fieldwise.evaluation.document import (
    ComparedSection,
    DocumentOutcome,
    Faulty,
    evaluate_document,
    has_prediction,
    section_class,
    unusable,
)
from fieldwise.evaluation.flat import flat_pairs
from fieldwise.evaluation.outcome import ClassPair, Failure, SectionCounts, ShardOutcome
from fieldwise.evaluation.sections import SectionPair, fault_of, split_counts, split_details
from fieldwise.evaluation.settings import Settings
from fieldwise.readers.pairs import Pair, Shard, Unreadable
from fieldwise.results.statuses import SCORED
from fieldwise.tables.compared import ComparedRows
from fieldwise.tables.documents import truth_of

Each = Callable[[DocumentOutcome], object]
"""Called with every document that is evaluated, and every trial of it."""


def evaluate_shard(shard: Shard, settings: Settings, *, keep_rows: bool, each: Each | None = None) -> ShardOutcome:
    """Evaluate every pair of a shard; no pair stops the others, only a wrong setting, a spent budget or a machine
    without memory or room does.
    """
    is_first = shard.index == 0
    try:
        return _evaluated(shard.read(), settings, keep_rows=keep_rows, is_first=is_first, each=each)
    except ENDS_ALL:
        raise
    except Exception:
        faults = _faults(shard, settings, keep_rows=keep_rows)
        if not faults:
            raise
        pairs = (faults.get(at, pair) for at, pair in enumerate(shard.read()))
        return _evaluated(pairs, settings, keep_rows=keep_rows, is_first=is_first, each=each)


def _faults(shard: Shard, settings: Settings, *, keep_rows: bool) -> dict[int, Pair]:
    """Return, by their position, the pairs that cannot be evaluated, as pairs that can: without what is at fault."""
    return {
        at: pair._replace(predicted=fault) if whose == "predicted" else pair._replace(expected=fault)
        for at, pair in enumerate(shard.read())
        for whose, fault in _fault(pair, settings, keep_rows=keep_rows)
    }


def _fault(pair: Pair, settings: Settings, *, keep_rows: bool) -> Iterator[tuple[str, Unreadable]]:
    error = _raised_alone(pair, settings, keep_rows=keep_rows)
    if error is None:
        return
    missed = unusable(error)
    without = pair._replace(predicted=missed)
    if has_prediction(pair) and _raised_alone(without, settings, keep_rows=keep_rows) is None:
        yield "predicted", missed
    else:
        yield "expected", Faulty(described(error))


def _raised_alone(pair: Pair, settings: Settings, *, keep_rows: bool) -> Exception | None:
    try:
        _evaluated([pair._replace(trials=1)], settings, keep_rows=keep_rows, is_first=False)
    except ENDS_ALL:
        raise
    except Exception as error:  # noqa: BLE001  # a document never stops the others
        return error
    return None


def _evaluated(
    pairs: Iterable[Pair], settings: Settings, *, keep_rows: bool, is_first: bool, each: Each | None = None
) -> ShardOutcome:
    outcome = ShardOutcome(settings.new_cells())
    errors = settings.plan.errors
    errors.begin()
    settings.plan.work.now.noted()
    rows = outcome.rows if keep_rows else None
    trials: list[_Numbered] = []
    for number, pair in flat_pairs(pairs, settings, outcome, keep_rows=keep_rows, apart=each is not None):
        document = evaluate_document(pair, settings)
        if each is not None:
            each(document)
        trials.append((number, document))
        if len(trials) == pair.trials:
            _add(trials, settings, outcome, rows)
            trials = []
        if is_first and settings.plan.has_own_comparators:  # of a later one only those before it can tell
            errors.refuse()
    outcome.starts = errors.starts
    if keep_rows:
        _make_tables(outcome, rows, settings)
    return outcome


def _make_tables(outcome: ShardOutcome, rows: ComparedRows | None, settings: Settings) -> None:
    documents = outcome.documents
    outcome.document_table = documents.to_table(settings.slices)
    if rows is not None:
        outcome.rows_table = rows.to_tables(documents, with_values=settings.values)


# Adding a document


_Numbered = tuple[int, DocumentOutcome]
"""A document, or one trial of it, with its number in the shard."""


def _add(trials: Sequence[_Numbered], settings: Settings, outcome: ShardOutcome, rows: ComparedRows | None) -> None:
    """Count a document once, and once in each class of its sections, and keep the rows of its trials.

    A document of several trials counts with the sums of those that could be compared; its slices and its cluster are
    those of the first.
    """
    cells, documents = outcome.cells, outcome.documents
    classes = dict.fromkeys(section.unit.document_class for _, trial in trials for section in trial.compared)
    if any(trial.compared and trial.pair.sections is not None for _, trial in trials):
        for number, _ in trials:
            _regroup(outcome, number, next(iter(classes)) if len(classes) == 1 else None)
    number, first = trials[0]
    group = documents.group(number)
    cluster = group.cluster_of(first.pair.id)
    with _adding_to(cells, cells.of(group.cell), cluster) as into:
        counts = _count(into, [trial.compared for _, trial in trials], first.pair.id)
    for name in classes if len(classes) > 1 else ():
        part = None if name is None else cells.part(name)
        if part is not None:
            with _adding_to(cells, part, cluster) as into:
                _count(into, [_of_class(trial, name) for _, trial in trials], first.pair.id)
    for (number, trial), counted in zip(trials, counts, strict=True):
        _note(number, trial, settings, outcome)
        _keep(number, trial, counted, outcome, rows)
    blocks = {path for _, trial in trials for path in trial.blocks}
    if blocks:
        outcome.note_blocks(sorted(blocks), first.pair.id)


def _regroup(outcome: ShardOutcome, number: int, document_class: str | None) -> None:
    """Let the class of a document in sections be that of all of them, if they have one."""
    before = outcome.documents.group(number)
    group = Group(Cell(document_class, before.cell.slices), before.cluster)
    if group != before:
        outcome.documents.groups[number] = group


def _of_class(document: DocumentOutcome, name: str | None) -> list[ComparedSection]:
    return [section for section in document.compared if section.unit.document_class == name]


@contextmanager
def _adding_to(cells: Cells, counts: CellCounts, cluster: str) -> Iterator[CellCounts]:
    """Give the counts to which a document is added; where there are clusters, it is first counted alone."""
    if counts.clusters is None:
        yield counts
        return
    alone = cells.new()
    yield alone
    alone.tally.settle()
    if alone.tally.wholes.documents:
        counts.add_in_cluster(cluster, alone)


def _count(into: CellCounts, trials: Sequence[Sequence[ComparedSection]], name: str) -> Sequence[DocumentCounts | None]:
    """Count one document, given the sections of each of its trials; return what each trial has."""
    if len(trials) == 1:
        counts = [_tallied(into.tally, trials[0])]
    else:
        tally = Tally()
        counts = [_tallied(tally, sections) for sections in trials]
        counted = [trial for trial in counts if trial is not None]
        if counted:
            into.tally.add_trials(tally, counted)
    if into.aggregator is not None:
        for section in (section for sections in trials for section in sections):
            into.aggregator.update(section.matrix, doc_id=name)
    return counts


def _tallied(tally: Tally, sections: Sequence[ComparedSection]) -> DocumentCounts | None:
    """Add a document, or a trial of it, to a tally; return what its sections have together, None where it has none."""
    if len(sections) < 2:
        return next((tally.add(section.plan.root, section.comparison.result) for section in sections), None)
    tallies = [Tally() for _ in sections]
    added = [
        alone.add(section.plan.root, section.comparison.result)
        for alone, section in zip(tallies, sections, strict=True)
    ]
    counts = _summed(added, sections)
    tally.add_sections(tallies, counts)
    return counts


def _summed(counts: Sequence[DocumentCounts], sections: Sequence[ComparedSection]) -> DocumentCounts:
    """Return what the sections of a document have together; its score is that of all their values."""
    tp, fd, fa, fn, tn = (sum(column) for column in zip(*(held[:5] for held in counts), strict=True))
    if all(held.score is None for held in counts):
        return DocumentCounts(tp, fd, fa, fn, tn, None)
    sums = [section.comparison.weighted_sums for section in sections]
    total, weight = sum(one for one, _ in sums), sum(one for _, one in sums)
    return DocumentCounts(tp, fd, fa, fn, tn, min(max(total / weight, 0.0), 1.0) if weight else 0.0)


def _note(number: int, document: DocumentOutcome, settings: Settings, outcome: ShardOutcome) -> None:
    """Count what is to be said of a document beside its values."""
    outcome.note(document.status)
    if document.status != SCORED:
        pair = document.pair
        outcome.failed[number] = Failure(pair.id, document.status, document.reason, pair.trial)
    for limit in document.limits:
        outcome.note_limit(limit)
    for section in document.compared:
        if section.form is not None:
            outcome.texts[section.form] = outcome.texts.get(section.form, 0) + 1
        outcome.sections.remark("percentages", int(section.confidences.was_percent))
        outcome.sections.remark("unusable_confidences", section.confidences.unusable)
    if document.pair.sections is not None and (document.compared or document.excluded):
        cluster = outcome.documents.group(number).cluster_of(document.pair.id)
        _count_sections(outcome.sections, document, cluster, settings)


def _count_sections(counts: SectionCounts, document: DocumentOutcome, cluster: str, settings: Settings) -> None:
    sections = document.pair.sections
    assert sections is not None
    for held in document.sections:
        counts.note(held.status)
        if held.status != "paired":
            counts.faults.append(fault_of(document.pair.id, held))
    for _ in document.excluded:
        counts.note("excluded")
    counts.remark("wrong_pages", sum(section.wrong_pages > 0 for side in sections for section in side))
    split = split_details(sections)
    for name, count in split_counts(split).items() if split is not None else ():
        counts.splits[name] = counts.splits.get(name, 0) + count
    named = [pair for pair in (_classes(held, settings) for held in document.sections) if pair is not None]
    counts.add_classes(cluster, named, stays_open=settings.cluster_by is not None)
    counts.remark("without_class", len(document.sections) - len(named))


def _classes(held: SectionPair, settings: Settings) -> ClassPair | None:
    """Return both classes of a section; None where a side that is there has none, and may be of any."""
    if any(section is not None and section.document_class is None for section in held[1:]):
        return None
    expected, predicted = (section_class(section, settings) for section in held[1:])
    return (expected, expected) if held.status == "paired" else (expected, predicted)


def _keep(
    number: int,
    document: DocumentOutcome,
    counts: DocumentCounts | None,
    outcome: ShardOutcome,
    rows: ComparedRows | None,
) -> None:
    """Write the rows of a document, or of a trial of it."""
    truth = None
    if rows is not None and document.compared:
        is_whole = document.pair.sections is None
        for unit, plan, comparison, _, confidences, *_ in document.compared:
            section = None if is_whole else (unit.id, unit.document_class)
            has_both = rows.add(number, plan.root, comparison.result, confidences.values, section=section)
            if section is not None and has_both is not None:
                outcome.documents.sections.setdefault(number, []).append((*section, has_both))
        truths = [section.truth for section in document.compared if section.unit.is_expected]
        truth = truth_of(truths[0] if is_whole else truths)
    outcome.documents.add(number, counts, document.status, document.reason, truth=truth)
