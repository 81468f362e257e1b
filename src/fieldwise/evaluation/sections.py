"""Which section of a prediction goes with which expected one, by id, then by class and pages, and how well it went."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from fieldwise.bulk.doc_split import DocSplitClassificationMetrics
from fieldwise.evaluation.outcome import ClassificationFault
from fieldwise.readers.about import same_class
from fieldwise.readers.pairs import Unreadable
from fieldwise.readers.source import Section, Sections
from fieldwise.values import Json

SectionStatus = Literal["paired", "wrong_class", "lost", "extra"]
"""``lost`` sections have no prediction, ``extra`` ones nobody expects."""


_MAX_CLAIMS = 100
"""So many predicted sections of one page are looked at."""


class SectionPair(NamedTuple):
    """An expected section and what was predicted for it; one of them may be missing."""

    status: SectionStatus
    expected: Section | None
    predicted: Section | None

    @property
    def id(self) -> str:
        """The id of the expected section, or of the predicted one where nothing was expected."""
        return self._one.id

    @property
    def document_class(self) -> str | None:
        """The class of the expected section, or of the predicted one where nothing was expected."""
        return self._one.document_class

    @property
    def _one(self) -> Section:
        section = self.predicted if self.expected is None else self.expected
        assert section is not None
        return section


def pair_sections(sections: Sections) -> list[SectionPair]:
    """Pair the sections of a document: first those of the same id and class, then those of the same class with the same
    pages, with the most pages in common, or with unknown pages, in their order.

    What is left of one id, or has pages in common, is of the wrong class. All else is lost or extra, and lost is what
    has a partner of which not even the class can be read. Expected sections come in their order, then extra ones.
    """
    left, right = sections
    open_left, open_right = dict(enumerate(left)), dict(enumerate(right))
    partner: dict[int, int] = {}
    ways = (_by_id(same_class), _same_pages, _by_pages(of_class=True), _by_id(None), _by_pages(of_class=False))
    for matched in ways:
        for at, to in matched(open_left, open_right):
            partner[at] = to
            del open_left[at], open_right[to]
    found = [_pair(section, right[partner[at]] if at in partner else None) for at, section in enumerate(left)]
    return found + [SectionPair("extra", None, section) for section in open_right.values()]


def _pair(expected: Section, predicted: Section | None) -> SectionPair:
    if predicted is None or (isinstance(predicted.content, Unreadable) and predicted.document_class is None):
        return SectionPair("lost", expected, None)
    is_same = same_class(expected.document_class, predicted.document_class)
    return SectionPair("paired" if is_same else "wrong_class", expected, predicted)


_Held = dict[int, Section]
_Matcher = Callable[[_Held, _Held], Sequence[tuple[int, int]]]


def _by_id(fits: Callable[[str | None, str | None], bool] | None) -> _Matcher:
    def matched(left: _Held, right: _Held) -> list[tuple[int, int]]:
        places = {section.id: at for at, section in right.items()}
        pairs = [(at, places[section.id]) for at, section in left.items() if section.id in places]
        return [(at, to) for at, to in pairs if fits is None or fits(left[at].document_class, right[to].document_class)]

    return matched


def _same_pages(left: _Held, right: _Held) -> list[tuple[int, int]]:
    """Pair sections of the same class and the same pages, in their order."""
    waiting: dict[tuple[str, frozenset[int]], list[int]] = {}
    for to, section in reversed(right.items()):
        if section.pages:
            waiting.setdefault(_class_and_pages(section), []).append(to)
    held = [(at, waiting.get(_class_and_pages(section))) for at, section in left.items() if section.pages]
    return [(at, same.pop()) for at, same in held if same]


def _class_and_pages(section: Section) -> tuple[str, frozenset[int]]:
    return (section.document_class or "").casefold(), frozenset(section.pages or ())


def _by_pages(*, of_class: bool) -> _Matcher:
    def matched(left: _Held, right: _Held) -> list[tuple[int, int]]:
        found = list(_first_of_each(sorted(_shared(left, right, of_class=of_class))))
        return found + _in_order(left, right, found) if of_class else found

    return matched


def _shared(left: _Held, right: _Held, *, of_class: bool) -> Iterator[tuple[int, int, int]]:
    """Yield how many pages two sections share, as a negative number, and which two.

    Of the predicted sections that claim one page, only the first are looked at: so the work grows with the sections.
    """
    holders: dict[int, list[int]] = {}
    for to, section in right.items():
        for page in section.pages or ():
            claiming = holders.setdefault(page, [])
            if len(claiming) < _MAX_CLAIMS:
                claiming.append(to)
    for at, section in left.items():
        counts: dict[int, int] = {}
        for page in section.pages or ():
            for to in holders.get(page, ()):
                counts[to] = counts.get(to, 0) + 1
        for to, count in counts.items():
            if not of_class or same_class(section.document_class, right[to].document_class):
                yield -count, at, to


def _first_of_each(candidates: Iterable[tuple[int, int, int]]) -> Iterator[tuple[int, int]]:
    taken: tuple[set[int], set[int]] = (set(), set())
    for _, at, to in candidates:
        if at not in taken[0] and to not in taken[1]:
            taken[0].add(at)
            taken[1].add(to)
            yield at, to


def _in_order(left: _Held, right: _Held, found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pair what is left of one class in its order, where the pages of one of the two are unknown."""
    waiting: dict[str, list[int]] = {}
    for to in reversed([to for to in right if to not in {to for _, to in found}]):
        waiting.setdefault((right[to].document_class or "").casefold(), []).append(to)
    pairs = []
    done = {at for at, _ in found}
    for at, section in left.items():
        held = waiting.get((section.document_class or "").casefold()) if at not in done else None
        if held and (section.pages is None or right[held[-1]].pages is None):
            pairs.append((at, held.pop()))
    return pairs


def fault_of(document: str, held: SectionPair) -> ClassificationFault:
    """Return what is wrong with a section that has no partner of its class."""
    expected, predicted = held.expected, held.predicted
    return ClassificationFault(
        document,
        held.id,
        held.status,
        None if expected is None else expected.document_class,
        None if predicted is None else predicted.document_class,
        None if expected is None or expected.pages is None else list(expected.pages),
        None if predicted is None or predicted.pages is None else list(predicted.pages),
    )


def split_details(sections: Sections) -> DocSplitClassificationMetrics | None:
    """Return how well the pages of a document were split and classified; None where no section has any.

    Letter case of classes does not matter.
    """
    if not any(section.pages for side in sections for section in side):
        return None
    made = DocSplitClassificationMetrics()
    known = [section.document_class for side in reversed(sections) for section in side if section.document_class]
    spelt = {name.casefold(): name for name in known}
    sides = [[_split_row(section, spelt) for section in side] for side in sections]
    made.load_sections(sides[0], sides[1])
    return made


def _split_row(section: Section, spelt: Mapping[str, str]) -> dict[str, Json]:
    return {
        "section_id": section.id,
        "document_class": spelt.get((section.document_class or "").casefold()),
        "page_indices": list(section.pages or ()),
    }


def split_counts(made: DocSplitClassificationMetrics) -> dict[str, int]:
    """Return the counts of pages and sections of a document, which add."""
    pages = made.calculate_page_level_accuracy()
    split, ordered = made.calculate_split_accuracy_without_order(), made.calculate_split_accuracy_with_order()
    return {
        "total_pages": pages["total_pages"],
        "correctly_classified_pages": pages["correct_pages"],
        "total_splits": split["total_sections"],
        "correctly_split_without_order": split["correct_sections"],
        "correctly_split_with_order": ordered["correct_sections"],
    }
