"""What a gate answers, and how it says it: names, what failed, what a pass leaves open, files and narrow terminals."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from scipy import stats

from fieldwise.errors import FieldwiseError
from fieldwise.pytest_plugin import Assertions
from tests.runs.results import reasons_of, summary_of

from .results import answer, command, document, policy_file, refused, write_run

Json = Any
Wrong = Callable[[int], Sequence[str]]


def run_of(folder: Path, wrong: Wrong = lambda _: [], *, documents: int = 60) -> Path:
    """Evaluate documents of which each has some fields wrong."""
    return write_run(folder, {f"d{number:03d}": document(number, wrong=wrong(number)) for number in range(documents)})


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which two documents of three have a wrong code."""
    return run_of(tmp_path_factory.mktemp("base"), lambda number: ["code"] if number % 3 else [])


@pytest.fixture(scope="module")
def better(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that is much better, but for rows that it misses in two documents."""
    return run_of(tmp_path_factory.mktemp("better"), lambda number: ["items"] if number in (3, 4) else [])


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with right codes, in which every second document has a wrong total and every third a wrong name."""
    wrong: Wrong = lambda n: [*(["total"] if n % 2 else []), *(["name"] if n % 3 == 0 else [])]  # noqa: E731  # a rule
    return run_of(tmp_path_factory.mktemp("mixed"), wrong)


# What names stand for


@pytest.mark.parametrize(
    ("margins", "expected"),
    [
        ('{code: 0.005, "*": 0.3}', {"code": 0.005, "total": 0.3, "items.sku": 0.3}),
        ('{"*": 0.3, code: 0.005}', {"code": 0.005, "total": 0.3, "items.sku": 0.3}),
        ("{items: 0.2, items.sku: 0.1}", {"items.sku": 0.1, "items.price": 0.2}),
        ('{items: 0.2, "*.sku": 0.2}', {"items.sku": 0.2, "items.price": 0.2}),
        ('{"c*": 0.1, "*e": 0.2, code: 0.4}', {"code": 0.4, "name": 0.2, "items.price": 0.2}),
    ],
)
def test_a_margin_by_its_own_name_wins(base: Path, tmp_path: Path, margins: str, expected: Json) -> None:
    """Whatever patterns and names above it say, before it or after it."""
    checks = answer("--baseline", base, base, "--policy", policy_file(tmp_path, f"fields: {margins}\n"))["checks"]
    found = {check["name"]: check["margin"] for check in checks}
    assert expected.items() <= found.items()


@pytest.mark.parametrize(
    ("margins", "message"),
    [
        ('{"c*": 0.1, "*e": 0.2}', "'c*' and '*e' give 'code' different margins"),
        ('{items: 0.1, "*.sku": 0.2}', "'items' and '*.sku' give 'items.sku' different margins"),
    ],
)
def test_two_margins_for_a_field_are_refused(base: Path, tmp_path: Path, margins: str, message: str) -> None:
    """Neither is taken silently; the error names both and the field."""
    path = policy_file(tmp_path, f"fields: {margins}\n")
    words = refused("gate", "--baseline", base, base, "--policy", path)
    assert words == f"{message}; give it one by its own name - at $.fields in {path}"


def confident(value: Json) -> Json:
    """Return a document whose values carry a confidence."""
    if isinstance(value, dict):
        return {key: confident(one) for key, one in value.items()}
    return [confident(one) for one in value] if isinstance(value, list) else {"_value": value, "_confidence": 0.9}


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("items", {"items.price", "items.sku"}),
        ("items.sku", {"items.sku"}),
        ("*.sku", {"items.sku"}),
        ("na*", {"name"}),
        ("item", None),
    ],
)
def test_a_name_means_the_same_everywhere(tmp_path: Path, name: str, fields: set[str] | None) -> None:
    """To a policy, to ``calibrate --field`` and to the fixture of pytest: a field, all below it, or a pattern."""
    truth = document(1)[0]
    run = write_run(tmp_path, {f"d{number}": (truth, confident(truth)) for number in range(4)})
    path = policy_file(tmp_path, f"critical: ['{name}']\n")
    if fields is None:
        assert "called 'item'; did you mean 'items." in refused("gate", "--baseline", run, run, "--policy", path)
        assert "called 'item'; did you mean 'items." in refused("calibrate", run, "--field", name)
        with pytest.raises(FieldwiseError, match="called 'item'; did you mean 'items"):
            Assertions().assert_extraction(truth, {}, fields=[name])
        return
    checks = answer("--baseline", run, run, "--policy", path)["checks"]
    assert {check["name"] for check in checks[1:]} == fields
    made = json.loads(command("calibrate", run, "--field", name, "--json").stdout)
    assert set(made["fields"]) == fields
    with pytest.raises(AssertionError) as failed:
        Assertions().assert_extraction(truth, {}, fields=[name])
    assert f" of {sum(3 if field.startswith('items') else 1 for field in fields)} value" in str(failed.value)


# The first line


def first_lines(*arguments: str | Path) -> list[str]:
    """Return what each view says first: terminal, JSON, Markdown, JUnit and the fixture of pytest."""
    baseline, candidate, policy = arguments
    given = ("--baseline", baseline, candidate, "--policy", policy)
    markdown = command("gate", *given, "--markdown", "-").output.splitlines()
    suite = Path(policy).with_name("gate.xml")
    terminal = command("gate", *given, "--junit", suite, columns=400).output.splitlines()[0]
    text = ElementTree.parse(suite).findtext(".//system-out") or ""
    with pytest.raises(AssertionError) as failed:
        Assertions().assert_not_worse(baseline, candidate, policy=policy)
    lines = [text.splitlines()[:2], str(failed.value).splitlines()[:2], [markdown[0], markdown[2]]]
    return [terminal, summary_of(answer(*given)), *(" | ".join(two) for two in lines)]


def test_a_budget_that_fails_is_named_first(base: Path, better: Path, tmp_path: Path) -> None:
    """A better candidate that misses too much is not announced by what got better."""
    path = policy_file(tmp_path, "budgets: {missed: 1, mismatch: 500}\n")
    lines = first_lines(base, better, path)
    for line in lines:
        assert "Budget missed exceeded: 4 of 540 missed values, at most 1 allowed" in line
        assert "F1" not in line
        assert "other" not in line
    assert lines[0].startswith(" ✗ FAIL   Budget missed")
    for line in lines[2:]:
        assert "fail: budget missed |" in line


def test_the_worst_of_what_fails_is_named_with_the_number_of_others(base: Path, mixed: Path, tmp_path: Path) -> None:
    """All values pass with so wide a margin; of two critical fields, the one that lost more beyond it comes first."""
    path = policy_file(tmp_path, "margin: 0.1\ncritical: [name, total]\nbudgets: {broken_values: 0}\n")
    assert answer("--baseline", base, mixed, "--policy", path)["checks"][0]["decision"] == "pass"
    lines = first_lines(base, mixed, path)
    for line in lines:
        assert "total" in line
        assert " (critical): F1 (strict) 1.000 → 0.500, −50.00 points (95%: " in line
        assert re.search(r"; (<code>)?name(</code>)? \(critical\) and 1 other fail too", line)
    assert "fail: total (critical) | total (critical): F1" in lines[2]
    assert "fail: <code>total</code> (critical) | <code>total</code> (critical): F1" in lines[4]


def test_what_is_open_is_named_first(base: Path, tmp_path: Path) -> None:
    """Where a field cannot be decided its numbers are told, not those of all values, which pass."""
    noisy = run_of(tmp_path, lambda number: ["code"] if number % 3 < 2 else [])
    path = policy_file(tmp_path, "margin: 0.2\nfields: {code: 0.02}\n")
    found = answer("--baseline", base, noisy, "--policy", path)
    assert found["checks"][0]["decision"] == "pass"
    lines = first_lines(base, noisy, path)
    for line in lines:
        assert "0.333 → 0.333, 0.00 points" in line
        assert "the margin is 2 points" in line
    assert lines[0].startswith(f" ? NOT ENOUGH DOCUMENTS: about {found['needed']:,} needed   code: F1 (strict)")
    assert f"not enough documents: about {found['needed']:,} needed (for code) | code: F1" in lines[3]


def test_names_in_the_first_line_stay_names(tmp_path: Path) -> None:
    """A group's name is text in Markdown, and stays on its line elsewhere."""
    runs = [run_of(tmp_path / "a"), run_of(tmp_path / "b", lambda _: ["name"])]
    path = policy_file(tmp_path, 'margin: 0.5\ngroups: {"<b>@me\\n": {fields: [name]}}\n')
    done = command("gate", "--baseline", *runs, "--policy", path, "--markdown", "-")
    assert "<b>" not in done.output
    assert "<code>&#60;b&#62;@me" in done.output.splitlines()[0]
    assert "<b>@me⏎ (1 field): F1" in command("gate", "--baseline", *runs, "--policy", path).output.splitlines()[0]


# What a pass means


def in_one_document(folder: Path, code: str) -> Path:
    """Evaluate documents of which only the first has a code."""
    pairs = {f"d{number:03d}": document(number) for number in range(30)}
    for number in range(1, 30):
        for side in pairs[f"d{number:03d}"]:
            del side["code"]
    pairs["d000"][1]["code"] = code
    return write_run(folder, pairs)


def test_a_field_of_one_document_passes_where_it_is_the_same(tmp_path: Path) -> None:
    """A run passes against itself, also in critical fields and groups that one document has; a change is left open."""
    base, other = in_one_document(tmp_path / "a", "code 0"), in_one_document(tmp_path / "b", "other")
    path = policy_file(tmp_path, "critical: [code]\ngroups: {codes: {fields: [code]}}\nmargin: 0.2\n")
    found = answer("--baseline", base, base, "--policy", path)
    assert (found["decision"], found["exit_code"]) == ("pass", 0)
    assert found["checks"][1]["difference"]["n"] == 1
    assert reasons_of(found)[1] == "F1 (strict) of codes (1 field) is the same in both runs."
    changed = answer("--baseline", base, other, "--policy", path)
    assert [check["decision"] for check in changed["checks"]] == ["pass", *["not_enough_documents"] * 2]
    assert "one document shows no spread" in reasons_of(changed)[2]


def test_a_field_of_no_document_is_not_judged(tmp_path: Path) -> None:
    """Nothing to divide by is no pass, and the first line says so."""
    pairs = {f"d{number}": document(number) for number in range(10)}
    for sides in pairs.values():
        for side in sides:
            del side["code"]
    run = write_run(tmp_path, pairs)
    done = command("gate", "--baseline", run, run, "--policy", policy_file(tmp_path, "critical: [code]\n"))
    assert done.exit_code == 4
    assert "code (critical): no document has a value" in done.output.splitlines()[0]


def test_one_document_alone_is_never_enough(tmp_path: Path) -> None:
    """All values of one document, and its fields, leave a gate open though nothing differs."""
    run = run_of(tmp_path, documents=1)
    found = answer("--baseline", run, run, "--policy", policy_file(tmp_path, "critical: [code]\n"))
    assert [check["decision"] for check in found["checks"]] == ["not_enough_documents", "not_enough_documents"]


@pytest.mark.parametrize(
    ("fixed", "broken", "confidence", "said"),
    [
        (0, 0, 0.95, "None of 50 documents differs"),
        (0, 0, 0.9, "None of 50 documents differs"),
        (1, 0, 0.95, "Only 1 of 50 documents differs"),
        (3, 2, 0.95, "Only 5 of 50 documents differ"),
        (4, 2, 0.95, None),
    ],
)
def test_a_pass_on_documents_that_hardly_differ_is_told(
    tmp_path: Path, fixed: int, broken: int, confidence: float, said: str | None
) -> None:
    """A note says so; and always, by Clopper and Pearson's bound, what share of lost documents is not excluded."""
    before = run_of(tmp_path / "a", lambda n: ["code"] if n < fixed else [], documents=50)
    after = run_of(tmp_path / "b", lambda n: ["code"] if 10 <= n < 10 + broken else [], documents=50)
    path = policy_file(tmp_path, f"margin: 0.1\nconfidence: {confidence}\n")
    found = answer("--baseline", before, after, "--policy", path)
    assert found["decision"] == "pass"
    shown = " ".join(command("gate", "--baseline", before, after, "--policy", path, columns=300).output.split())
    bound = 1 - ((1 - confidence) / 2) ** (1 / 50)
    assert "0 of 50 documents lost as a whole (own rate lower by 50 points or more); with these documents" in shown
    assert f"a share of up to {100 * bound:.1f}% cannot be excluded." in shown
    assert found["lost_documents"]["high"] == pytest.approx(bound)
    assert "ruled out" not in shown
    if said is None:
        assert found["notes"] == []
        return
    assert [note["code"] for note in found["notes"]] == ["runs.few_differ"]
    assert f"! {said}: losses that are rare" in shown
    assert found["lost_documents"]["few_differ"]


def test_a_pass_that_one_document_would_undo_is_noted(tmp_path: Path) -> None:
    """Fifty documents of which eight differ: within the margin, and not with one more that is wholly wrong."""
    before = run_of(tmp_path / "a", lambda n: ["code"] if n < 4 else [], documents=50)
    after = run_of(tmp_path / "b", lambda n: ["code"] if 10 <= n < 14 else [], documents=50)
    notes = {margin: answer("--baseline", before, after, "--margin", margin)["notes"] for margin in ("0.025", "0.1")}
    assert notes["0.1"] == []
    assert notes["0.025"] == [{"code": "runs.one_loss_undoes", "facts": {"unit": "documents"}}]


def test_four_equal_documents_are_not_enough(tmp_path: Path) -> None:
    """A gate takes six documents, as a comparison does; they say nothing of others."""
    for documents, code in ((4, 4), (5, 4), (6, 0)):
        run = run_of(tmp_path / str(documents), documents=documents)
        found = command("gate", "--baseline", run, run)
        assert found.exit_code == code
        assert ("NOT ENOUGH DOCUMENTS: about 6 needed" in found.output) == (code == 4)


@pytest.mark.parametrize(
    ("lost", "documents", "decision"), [(0, 182, "not_enough_documents"), (0, 183, "pass"), (12, 183, "fail")]
)
def test_lost_documents_may_be_so_many(tmp_path: Path, lost: int, documents: int, decision: str) -> None:
    """At most 2 % is shown from 183 documents without a loss on; twelve of them are too many, whatever the margin."""
    before = run_of(tmp_path / "a", documents=documents)
    everything = ["code", "total", "name", "items"]
    after = run_of(tmp_path / "b", lambda n: everything if n < lost else [], documents=documents)
    path = policy_file(tmp_path, "margin: 0.3\nany_field: off\nlost_documents: {drop: 0.5, at_most: 2%}\n")
    found = answer("--baseline", before, after, "--policy", path)
    check = found["lost_documents"]
    assert (found["decision"], check["decision"], check["count"], check["at_most"]) == (decision, decision, lost, 0.02)
    bounds = stats.binomtest(lost, documents).proportion_ci(0.95)
    assert (check["low"], check["high"]) == pytest.approx((bounds.low, bounds.high))
    assert check["needed"] == (183 if decision == "not_enough_documents" else None)
    assert (decision == "pass") or "lost_documents" in summary_of(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lost_documents: {drop: 0.5}", "Expected an object with at_most, such as {at_most: 2%}"),
        ("lost_documents: 2%", "Expected an object with at_most, such as {at_most: 2%}, got '2%'"),
        (
            "lost_documents: {at_most: 2}",
            "Expected a share of documents above 0 and below 1, such as 0.02 or 2%",
        ),
        ("lost_documents: {at_mots: 2%}", "did you mean 'at_most'?"),
    ],
)
def test_lost_documents_are_asked_for_as_a_whole(base: Path, tmp_path: Path, text: str, message: str) -> None:
    """A wrong setting is refused with its path and the nearest name."""
    words = refused("gate", "--baseline", base, base, "--policy", policy_file(tmp_path, text + "\n"))
    assert message in words
    assert "$.lost_documents" in words


def test_a_difference_at_the_margin_asks_for_no_number(tmp_path: Path) -> None:
    """Where more than 20 times as many documents were needed it is said, in the first line, JSON and the table."""
    before = run_of(tmp_path / "a", lambda n: ["name"] if n % 40 == 1 else [], documents=400)
    after = run_of(tmp_path / "b", lambda n: ["name"] if n % 8 == 0 else [], documents=400)
    first = answer("--baseline", before, after, "--margin", "0.5")["checks"][0]["difference"]
    margin = str(round(-first["delta"] + 0.0002, 5))
    path = policy_file(tmp_path, f"any_field: off\nmargin: {margin}\n")
    found = answer("--baseline", before, after, "--policy", path)
    assert (found["decision"], found["needed"]) == ("not_enough_documents", None)
    assert (found["checks"][0]["at_margin"], found["checks"][0]["needed"]) == (True, None)
    shown = command("gate", "--baseline", before, after, "--policy", path, columns=300).output
    assert "NOT ENOUGH DOCUMENTS: the difference lies at the margin" in shown.splitlines()[0]
    assert "needed" not in reasons_of(found)[0]


def test_a_level_close_to_one_is_not_rounded_onto_it(base: Path, tmp_path: Path) -> None:
    """An interval at 100 % would hold everything."""
    path = policy_file(tmp_path, "confidence: 0.9999999999999\n")
    shown = command("gate", "--baseline", base, base, "--policy", path, columns=300).output
    assert "99.99999999999% interval" in shown
    assert "100%" not in shown


# Files and terminals


def test_folders_of_files_are_made(base: Path, tmp_path: Path) -> None:
    """JUnit, Markdown and the page of a difference are written where nothing was before."""
    junit, markdown, page = (tmp_path / name / "deep" / f"{name}.txt" for name in ("junit", "markdown", "page"))
    assert command("gate", "--baseline", base, base, "--junit", junit, "--markdown", markdown).exit_code == 0
    assert command("diff", base, base, "--html", page).exit_code == 0
    assert ElementTree.parse(junit).getroot().tag == "testsuites"
    assert markdown.read_text(encoding="utf-8").startswith("### ✓ fieldwise gate: pass")
    assert "<html" in page.read_text(encoding="utf-8")


def test_the_answer_is_told_where_a_file_cannot_be_written(base: Path, tmp_path: Path) -> None:
    """The verdict is printed before the error."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = command("gate", "--baseline", base, base, "--markdown", tmp_path / "file" / "gate.md")
    assert isinstance(done.exception, OSError)
    assert "✓ PASS" in done.output


@pytest.mark.parametrize("columns", [40, 50])
def test_narrow_terminals_show_names_and_differences(base: Path, mixed: Path, tmp_path: Path, columns: int) -> None:
    """Nothing is cut at 40 columns: names, differences, intervals, budgets and values that broke stand in full."""
    path = policy_file(tmp_path, "critical: [total]\nfields: {items: 0.1}\nbudgets: {regressed_documents: 5%}\n")
    done = command("gate", "--baseline", base, mixed, "--policy", path, columns=columns)
    lines = done.output.splitlines()[1:]
    assert max(map(len, lines)) <= columns
    told = [" ".join(line.split()) for line in lines]
    at = told.index("✗ fail total (critical)")
    assert told[at + 1] == "points −50.00"
    assert told[at + 2].startswith("95% interval −63.2")
    assert told[at + 3] == "margin 2"
    assert "✓ pass items.price" in told
    assert "✗ fail documents worse than in the baseline" in " ".join(told)
    assert "limit at most 5%" in told
    assert told[told.index("d001 total") + 1 :][:3] == ["expected 101.0", "baseline 101.0", "candidate 1.0"]


def test_a_budget_of_broken_values_shows_some(base: Path, mixed: Path, tmp_path: Path) -> None:
    """Where only a budget fails, the values that it counts are there to look at."""
    path = policy_file(tmp_path, "margin: 0.9\nbudgets: {broken_values: 3}\n")
    done = command("gate", "--baseline", base, mixed, "--policy", path)
    assert done.exit_code == 1
    assert "Values right in the baseline and no longer" in done.output
