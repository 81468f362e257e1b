"""How well a packet of pages was split into documents, and these classified."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fieldwise.bulk_aggregator import ratio
from fieldwise.text import fixed, markdown_safe
from fieldwise.values import Json

_MISSING, _NO_MATCH, _UNKNOWN = "Missing", "No Match", "Unknown"


@dataclass(frozen=True)
class _Section:
    """The pages of one document in their order, and its class."""

    id: str
    document_class: str
    pages: tuple[int, ...]

    @property
    def unordered(self) -> tuple[str, frozenset[int]]:
        return self.document_class, frozenset(self.pages)


class DocSplitClassificationMetrics:
    """Compares the sections of a packet: the class of each page, and whole sections with and without page order."""

    def __init__(self) -> None:
        self.load_sections([], [])

    def load_sections(
        self, ground_truth_sections: Sequence[Mapping[str, Json]], predicted_sections: Sequence[Mapping[str, Json]]
    ) -> None:
        """Take the sections of both sides: section_id, document_class and page_indices each.

        A class may be ``{"type": …}``, pages may stand in ``split_document``. What cannot be read is in ``errors``.
        """
        self.errors: list[str] = []
        self._expected = self._read(ground_truth_sections, "gt", "expected")
        self._predicted = self._read(predicted_sections, "pred", "predicted")
        self._partners: dict[tuple[str, frozenset[int]], list[_Section]] = {}
        for section in self._predicted:
            self._partners.setdefault(section.unordered, []).append(section)

    def _read(self, sections: Sequence[Mapping[str, Json]], prefix: str, side: str) -> list[_Section]:
        found: list[_Section] = []
        taken: set[int] = set()
        for number, section in enumerate(sections):
            name = str(section.get("section_id", f"{prefix}_{number}"))
            pages = _pages(section)
            if not pages:
                self.errors.append(f"Expected page indices in the {side} section {name}")
            for page in taken.intersection(pages):
                self.errors.append(f"Page {page} is in several {side} sections; the class of the last one counts")
            taken.update(pages)
            found.append(_Section(name, _class(section), pages))
        return found

    def calculate_all_metrics(self) -> dict[str, Json]:
        """Return all three accuracies with their details, and the predicted sections that fit no expected one."""
        return {
            "page_level_accuracy": self.calculate_page_level_accuracy(),
            "split_accuracy_without_order": self.calculate_split_accuracy_without_order(),
            "split_accuracy_with_order": self.calculate_split_accuracy_with_order(),
            "extra_sections": self._extra_sections(),
            "errors": list(self.errors),
        }

    def calculate_page_level_accuracy(self) -> dict[str, Json]:
        """Return the share of pages, of either side, that have the same class on both; None without pages."""
        expected, predicted = (_class_of_pages(side) for side in (self._expected, self._predicted))
        pages = sorted({*expected, *predicted})
        correct = [expected.get(page) == predicted.get(page) for page in pages]
        details = [
            {
                "page_index": page,
                "ground_truth_class": expected.get(page, _MISSING),
                "predicted_class": predicted.get(page, _MISSING),
                "correct": same,
            }
            for page, same in zip(pages, correct, strict=True)
        ]
        return _accuracy("pages", correct) | {"page_details": details}

    def calculate_split_accuracy_without_order(self) -> dict[str, Json]:
        """Return the share of expected sections that some predicted one equals in class and set of pages."""
        details = []
        for section in self._expected:
            found = self._partner(section)
            details.append(_detail(section, found, matched=found is not None, ordered=False))
        return _accuracy("sections", [detail["matched"] for detail in details]) | {"section_details": details}

    def calculate_split_accuracy_with_order(self) -> dict[str, Json]:
        """Return the share of expected sections that some predicted one equals in class and order of pages."""
        details = []
        for section in self._expected:
            found = self._partner(section)
            same = found is not None and found.pages == section.pages
            details.append({**_detail(section, found, matched=same, ordered=True), "order_matched": same})
        return _accuracy("sections", [detail["matched"] for detail in details]) | {"section_details": details}

    def _partner(self, section: _Section) -> _Section | None:
        """Return the predicted section with the same pages and class, one in the same order before others."""
        same = self._partners.get(section.unordered, [])
        return next((other for other in same if other.pages == section.pages), same[0] if same else None)

    def _extra_sections(self) -> list[dict[str, Json]]:
        wanted = {section.unordered for section in self._expected}
        return [
            {"section_id": s.id, "predicted_class": s.document_class, "predicted_pages": list(s.pages)}
            for s in self._predicted
            if s.unordered not in wanted
        ]

    def generate_markdown_report(self, metrics: Mapping[str, Json]) -> str:
        """Return the metrics of ``calculate_all_metrics`` as Markdown."""
        ordered = metrics["split_accuracy_with_order"]["section_details"]
        both = zip(metrics["split_accuracy_without_order"]["section_details"], ordered, strict=True)
        extra = [
            ("", "", "", "", s["section_id"], s["predicted_class"], s["predicted_pages"]) for s in _extras(metrics)
        ]
        parts = [
            "# Document Split Classification Evaluation\n",
            _table(("metric", "accuracy", "correct"), _summary(metrics)),
            "\n## Sections\n",
            _table(_COLUMNS, [*(_section_row(*pair) for pair in both), *extra]),
        ]
        return "\n".join([*parts, *(f"\n- {markdown_safe(error)}" for error in metrics["errors"])]) + "\n"


_COLUMNS = ("pages and class", "page order", "section", "expected", "predicted section", "predicted", "pages")
_TITLES = {
    "page_level_accuracy": ("Page class", "pages"),
    "split_accuracy_without_order": ("Split, any page order", "sections"),
    "split_accuracy_with_order": ("Split, same page order", "sections"),
}


def _pages(section: Mapping[str, Json]) -> tuple[int, ...]:
    """Return the page indices of a section; none where they cannot be read as whole numbers."""
    split = section.get("split_document")
    inside = split.get("page_indices") if isinstance(split, Mapping) else None
    given = section.get("page_indices", inside)
    try:
        return tuple(int(page) for page in given or ())
    except (TypeError, ValueError):
        return ()


def _class(section: Mapping[str, Json]) -> str:
    given = section.get("document_class")
    if isinstance(given, Mapping):
        given = given.get("type")
    return str(given) if given else _UNKNOWN


def _class_of_pages(sections: Sequence[_Section]) -> dict[int, str]:
    return {page: section.document_class for section in sections for page in section.pages}


def _accuracy(noun: str, correct: Sequence[bool]) -> dict[str, Json]:
    accuracy = ratio(sum(correct), len(correct)) if correct else None
    return {"accuracy": accuracy, f"total_{noun}": len(correct), f"correct_{noun}": sum(correct)}


def _detail(section: _Section, found: _Section | None, *, matched: bool, ordered: bool) -> dict[str, Json]:
    pages = list(section.pages), list(found.pages) if found else []
    return {
        "section_id": section.id,
        "ground_truth_class": section.document_class,
        "ground_truth_pages": pages[0] if ordered else sorted(pages[0]),
        "matched": matched,
        "matched_section_id": found.id if found else None,
        "predicted_class": found.document_class if found else _NO_MATCH,
        "predicted_pages": pages[1] if ordered else sorted(pages[1]),
    }


def _extras(metrics: Mapping[str, Json]) -> Sequence[Mapping[str, Json]]:
    found: Sequence[Mapping[str, Json]] = metrics.get("extra_sections", ())
    return found


def _summary(metrics: Mapping[str, Json]) -> list[tuple[str, str, str]]:
    rows = []
    for key, (title, noun) in _TITLES.items():
        found = metrics[key]
        accuracy = fixed(found["accuracy"], 4)
        rows.append((title, accuracy, f"{found[f'correct_{noun}']}/{found[f'total_{noun}']} {noun}"))
    return rows


def _section_row(split: Mapping[str, Json], order: Mapping[str, Json]) -> tuple[Json, ...]:
    marks = ("✓" if detail["matched"] else "✗" for detail in (split, order))
    expected = split["ground_truth_class"], order["ground_truth_pages"]
    found = split["matched_section_id"] or ""
    return (*marks, split["section_id"], expected, found, split["predicted_class"], order["predicted_pages"])


def _table(headings: Sequence[str], rows: Sequence[Sequence[Json]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(value: Json) -> str:
    parts = value if isinstance(value, tuple) else (value,)
    return " ".join(markdown_safe(part) if isinstance(part, str) else str(part) for part in parts)
