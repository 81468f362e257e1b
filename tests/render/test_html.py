"""The page of an evaluation is complete in itself, shows every value as it is, and lets no value become markup."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.render.pages.html import html_report
from fieldwise.results import DocumentMean, FieldMean, Rate
from fieldwise.views.report import (
    DocumentRow,
    EvaluationReport,
    FailureRow,
    NonMatchRow,
    RowKind,
    worst_first,
)
from tests.render.page_text import PageText
from tests.render.sample import counts_row, empty_report, invoices

HOSTILE = [
    "</script><script>alert(1)</script>",
    "</style><style>*{display:none}</style>",
    "<img src=x onerror=alert(1)>",
    '"\' onmouseover="alert(1)" x=\'',
    "<!-- <![CDATA[ ]]> -->",
    "</td></table></bdi></option></select></title><h1>",
    "${script} $policy $$ {0} %s",
    "&lt;b&gt; &amp;amp; &#0; &nosuch;",
    "a\x00b\x07c\rd\x1be\x7ff\x85g",
    "\u202eright to left\u202c \u2066isolated\u2069 \u200b\ufeff\u2028\u2029",
    "شركة النور — חשבונית",
    "👩‍👩‍👧‍👦 e\u0301 🇩🇪 👍🏽",
    "lone \ud83d surrogate \udc00",
    "\ufffe\uffff\U0010ffff",
    " two  spaces \n\n lines \t tab ",
    "x" * 5000,
    "word " * 1000,
]
MARKUP_OF_VALUES = {"span", "mark", "wbr"}
TEXTS = 22
"""How many texts `full_report` holds."""


def full_report(text: str, other: str = "other") -> EvaluationReport:
    """Make a report with a text in every place that holds one."""
    kinds: list[RowKind] = ["leaf", "rows", "object", "undeclared"]
    return empty_report(
        title=text,
        document_count=2,
        total=counts_row("total", {"tp": 1, "fd": 1, "fa": 1, "fn": 1}),
        fields=[counts_row(text, {"tp": 1, "fd": 2}, kind=kind) for kind in kinds] + [counts_row(text, {"tn": 1})],
        histogram=[0, 2],
        worst_documents=[DocumentRow(text, 0.5, tp=1, fd=1, fa=0, fn=0, tn=0, note=text)],
        non_matches=[
            NonMatchRow(text, text, text, "mismatch", text, other, 0.5),
            NonMatchRow(text, text, other, "missed", text, None, 0.0),
            NonMatchRow(text, text, text, "spurious", None, text, 0.0),
        ],
        non_match_total=3,
        failures=[FailureRow(text, text, text)],
        failure_total=1,
        facts={text: text},
    )


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_no_text_becomes_markup(text: str) -> None:
    """A hostile text in every place adds no element but those that mark characters, and survives as it was."""
    page, harmless = PageText(html_report(full_report(text))), PageText(html_report(full_report("harmless")))
    assert [e for e in page.elements if e not in MARKUP_OF_VALUES] == [
        e for e in harmless.elements if e not in MARKUP_OF_VALUES
    ]
    assert page.values.count(text) == harmless.values.count("harmless") == TEXTS
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "style"]


@settings(deadline=None)
@given(st.text(st.characters()), st.text(st.characters()))
def test_any_text_survives(text: str, other: str) -> None:
    """Whatever the values are, the page parses, can be written to a file, and holds them unchanged."""
    html = html_report(full_report(text, other))
    html.encode("utf-8")
    page = PageText(html)
    assert page.elements.count("script") == page.elements.count("style") == 1
    if text:
        assert page.values.count(text) >= TEXTS
    if other:
        assert other in page.values
    else:
        assert "empty text" in page.text


@settings(deadline=None)
@given(st.lists(st.sampled_from("ae\u0301👩\u200d👧🏽 \x00"), max_size=12), st.text(max_size=12))
def test_marked_differences_change_no_value(letters: list[str], end: str) -> None:
    """Marking what differs leaves both values whole."""
    expected, predicted = "".join(letters) + "same ending", "".join(letters[1:]) + end + "same ending"
    page = PageText(html_report(full_report(expected, predicted)))
    assert expected in page.values
    assert predicted in page.values


def test_differences_between_similar_values_are_marked() -> None:
    """What differs between two similar values is marked; nothing is where they have little in common."""
    alike, unlike = html_report(full_report("INV-0017", "INV-0011")), html_report(full_report("yes", "INV-0011"))
    assert "INV-001<mark>7</mark>" in alike
    assert "INV-001<mark>1</mark>" in alike
    assert "<mark>" not in unlike


def test_the_policy_allows_the_script_and_the_style_of_the_page_and_nothing_else() -> None:
    """The hashes in the content security policy are those of the inline script and style; the rest is forbidden."""
    html = html_report(invoices(20))
    page = PageText(html)
    found = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', html)
    assert found
    policy = dict(part.strip().split(" ", 1) for part in found[1].split(";"))
    assert policy == {
        "default-src": "'none'",
        "script-src": f"'sha256-{_sha256(page.texts['script'])}'",
        "style-src": f"'sha256-{_sha256(page.texts['style'])}'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert html.index("Content-Security-Policy") < html.index("<style>")


def test_nothing_refers_to_anything_outside_the_page() -> None:
    """Links lead into the page, no element has a source, the style loads nothing and the script asks for nothing."""
    html = html_report(invoices(20))
    page = PageText(html)
    assert "://" not in html
    assert not [name for name, _ in page.attributes if name in ("src", "srcset", "action", "style", "poster")]
    targets = {target for name, target in page.attributes if name == "href"}
    ids = {f"#{value}" for name, value in page.attributes if name == "id"}
    assert targets <= ids | {"data:,"}
    assert not re.search(r"url\(|@import", "".join(page.texts["style"]))
    words = r"fetch\(|XMLHttpRequest|WebSocket|import\(|eval\(|innerHTML|insertAdjacentHTML|localStorage|</script"
    assert not re.search(words, "".join(page.texts["script"]))


def test_the_script_is_small() -> None:
    """The script stays small enough to be read at once."""
    script = (files("fieldwise.render.pages") / "assets" / "report.js").read_text(encoding="utf-8")
    assert len(script.splitlines()) < 300


def test_the_same_report_gives_the_same_page() -> None:
    """Nothing in the page depends on the moment or on the order of sets."""
    assert html_report(invoices(20)) == html_report(invoices(20))


def test_ids_are_unique() -> None:
    """No two elements share an id."""
    ids = [value for name, value in PageText(html_report(invoices(20))).attributes if name == "id"]
    assert len(ids) == len(set(ids))


def test_the_headline_is_named_strict() -> None:
    """The headline is the strict F1 and says so; the lenient one is named beside it."""
    total = counts_row("total", {"tp": 6, "fd": 2, "fa": 1, "fn": 1})
    rates = {"exact_rate": Rate(0.75, 0.301, 0.954, 4), "weighted_score": DocumentMean(0.75, n=1)}
    html = html_report(empty_report(total=total, document_count=4, exact_documents=3, **rates))
    assert '<h2>F1 (strict)</h2><p class="figure">0.667<i' in html
    text = PageText(html).text
    assert "F1 is 0.750 if a wrong value is not also counted as missed." in text
    for words in ("Precision0.667", "Strict recall0.667", "Detection recall0.857", "Weighted score0.750"):
        assert words in text
    assert "Exact documents75.0%30.1%–95.4% few n = 43 of 4 without an error" in text
    assert "Failures0every document was read" in text


def test_fields_come_worst_first_and_absent_ones_are_folded() -> None:
    """Rows are sorted by F1 (strict); fields that neither side has fold under *not in this set*."""
    fields = [
        counts_row("best", {"tp": 9}),
        counts_row("unseen", {"tn": 9}),
        counts_row("worst", {"tp": 1, "fd": 8}),
        counts_row("items", {"tp": 5, "fn": 4}, kind="rows"),
        counts_row("extra", {"fa": 1}, kind="undeclared"),
    ]
    html = html_report(empty_report(fields=sorted(fields, key=worst_first)))
    table, fold = html[html.index('id="field-table"') :].split("<details", 1)
    assert re.findall(r"(rows of )?<bdi[^>]*>(\w+)</bdi>", table) == [
        ("", "extra"),
        ("", "worst"),
        ("rows of ", "items"),
        ("", "best"),
    ]
    assert "not in this set: 1 field" in fold
    assert "unseen" in fold.split("</details>")[0]
    assert "no field declares it" in table
    assert "unseen" not in table


def test_an_undefined_rate_is_a_dash() -> None:
    """A field without expected values has no recall; it is a dash, sorted apart from zero."""
    html = html_report(empty_report(fields=[counts_row("only_predicted", {"fa": 3})]))
    row = html[html.index("<tbody>") : html.index("</tbody>")]
    assert row.count('<td class="number" data-by="">–</td>') == 2  # recall, strict recall
    assert '<td class="number" data-by="0.0">0.000<small class="bounds"' in row


def test_every_rate_stands_with_its_interval_and_its_documents() -> None:
    """Beneath a rate is its interval; few documents are marked in words; with one document there is no interval."""
    row = replace(
        counts_row("total", {"tp": 9, "fd": 1}),
        strict_f1=Rate(0.95, 0.9, 0.98, 206),
        precision=Rate(0.9, 0.871, 0.923, 205),
        recall=Rate(0.8, 0.5, 0.95, 19),
        strict_recall=Rate(0.7, n=1),
    )
    html = html_report(empty_report(fields=[row]))
    cells = PageText(html[html.index("<tbody>") : html.index("</tbody>")].removeprefix("<tbody>")).text
    assert "0.9000.871–0.923" in cells
    assert "0.8000.500–0.950 few" in cells
    assert "0.700no interval" in cells
    assert cells.count("few") == 1
    assert 'title="19 documents, fewer than 20: a rough interval"' in html
    assert 'title="95% interval, 205 documents"' in html
    assert cells.rstrip().endswith("206")


def test_rates_without_known_documents_stand_alone() -> None:
    """Results that came without moments show their rates, and claim no interval and no number of documents."""
    row = replace(counts_row("total", {"tp": 9, "fd": 1}), strict_f1=Rate(0.95), precision=Rate(0.9))
    html = html_report(empty_report(fields=[row]))
    cells = html[html.index("<tbody>") : html.index("</tbody>")]
    assert '<td class="number" data-by="0.9">0.900</td>' in cells
    assert cells.count("bounds") == 2  # recall, strict recall
    assert cells.rstrip().endswith('<td class="number" data-by="">–</td></tr>')


def test_means_say_what_they_leave_out() -> None:
    """Documents and fields without a value are in no mean; how many these are stands beside it."""
    html = html_report(
        empty_report(document_macro=DocumentMean(0.9, 0.8, 0.95, 40, skipped=3), field_macro=FieldMean(0.7, 12, 5))
    )
    text = PageText(html).text
    assert "Document macro F10.9000.800–0.950 n = 40strict, mean over documents, 3 without a value left out" in text
    assert "Field macro F10.700strict, mean over 12 fields, 5 without a value left out" in text


def test_a_cut_list_says_so() -> None:
    """Where only the first non-matches or failures are listed, the page gives both numbers."""
    report = full_report("a")
    html = html_report(replace(report, non_match_total=12345, failure_total=1234))
    assert "first 3 of 12,345 non-matches" in html
    assert "first 1 of 1,234 failures" in html


def test_a_report_of_nothing_says_so() -> None:
    """No documents, no fields: each section says that it is empty, and no number is a zero that was not measured."""
    text = PageText(html_report(empty_report())).text
    for words in ("No fields were compared.", "No document has a score.", "No documents were compared.", "0 failures"):
        assert words in text
    assert "Nothing wrong found" not in text
    assert "0.000" not in text


@pytest.mark.parametrize(
    ("failures", "words"), [(0, "✓ Nothing wrong found."), (2, "Nothing wrong found in what could be compared")]
)
def test_a_perfect_report_says_that_nothing_is_wrong(failures: int, words: str) -> None:
    """All perfect: nothing wrong found, in what could be compared."""
    html = html_report(
        empty_report(
            document_count=3,
            total=counts_row("total", {"tp": 9}),
            fields=[counts_row("a", {"tp": 9})],
            histogram=[0, 0, 3],
            exact_documents=3,
            failure_total=failures,
        )
    )
    text = PageText(html).text
    assert words in text
    assert "No document has an error." in text
    assert ("2 failures, none listed here." in text) == bool(failures)


def test_the_histogram_counts_every_document() -> None:
    """Each step has a title with its range and its count; documents without a score are named."""
    html = html_report(empty_report(document_count=12, histogram=[1, 0, 0, 10]))
    assert "<title>score 0 to below 0.25: 1 document</title>" in html
    assert "<title>score 0.75 to 1: 10 documents</title>" in html
    assert "1 document without a score." in html


def _sha256(texts: list[str]) -> str:
    return base64.b64encode(hashlib.sha256("".join(texts).encode()).digest()).decode()
