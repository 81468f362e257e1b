"""How well the pages of a document were grouped and ordered, over pages that both sides have."""

from __future__ import annotations

from fieldwise.bulk.packets import evaluate_packet
from fieldwise.readers.source import Section, Sections
from fieldwise.values import Json


def graded_split(sections: Sections) -> dict[str, Json]:
    """Return V-measure, Rand index and ordering of the pages that both sides have; None each where there are none."""
    expected, predicted = (_places(side) for side in sections)
    rows = [
        {
            "group_id": expected[page][0],
            "group_id_predicted": predicted[page][0],
            "page_number": expected[page][1],
            "page_number_predicted": predicted[page][1],
        }
        for page in sorted(expected.keys() & predicted.keys())
    ]
    return evaluate_packet(rows)


def _places(sections: tuple[Section, ...]) -> dict[int, tuple[str, int]]:
    """Return of each page its section and its place there; where several have it, the last."""
    return {page: (section.id, at) for section in sections for at, page in enumerate(section.pages or ())}
