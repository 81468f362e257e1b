"""``fieldwise gate``: pass, fail, or not enough documents, through the front door."""

from __future__ import annotations

import html
import json
import math
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from click import Option
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from scipy import stats

from fieldwise.cli.gate import gate as gate_command
from fieldwise.results.gate import MarginCheck
from fieldwise.runs.gate import Question, judge
from fieldwise.runs.policy import Policy, policy_of
from tests.command_line import run
from tests.folders import sealed
from tests.runs.results import summary_of

from .results import EXACT, answer, command, document, policy_file, refused, write_run

Json = Any
Wrong = Callable[[int], Sequence[str]]
SCHEMA_WITH_WEIGHTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "x-aws-stickler-comparator": "ExactComparator", "x-aws-stickler-weight": 3.0},
        "code": {"type": "string", "x-aws-stickler-comparator": "ExactComparator", "x-aws-stickler-weight": 2.0},
        "total": {"type": "number"},
    },
}


def run_of(folder: Path, wrong: Wrong, *, documents: int = 60, schema: Json = None) -> Path:
    """Evaluate documents of which each has some fields wrong."""
    pairs = {f"d{number:03d}": document(number, wrong=wrong(number)) for number in range(documents)}
    return write_run(folder, pairs, schema=schema)


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal on which no line has to be broken."""
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which every tenth document has a wrong code."""
    return run_of(tmp_path_factory.mktemp("base"), lambda number: ["code"] if number % 10 == 0 else [])


@pytest.fixture(scope="module")
def worse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which two documents of three have a wrong total as well."""
    spoilt: Wrong = lambda number: [  # noqa: E731  # a rule in one line
        *(["code"] if number % 10 == 0 else []),
        *(["total"] if number % 3 else []),
    ]
    return run_of(tmp_path_factory.mktemp("worse"), spoilt)


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that is as good as the base, with its errors in other documents."""
    return run_of(tmp_path_factory.mktemp("noisy"), lambda number: ["code"] if number % 10 == 5 else [])


def test_the_same_run_passes(base: Path) -> None:
    """Where all documents are equal the first line says pass, with the metric's name, and the exit code is 0."""
    done = command("gate", "--baseline", base, base)
    assert done.exit_code == 0
    first = done.output.splitlines()[0]
    assert "✓ PASS" in first
    assert "F1 (strict)" in first
    assert "60 documents" in first


def test_a_real_loss_fails(base: Path, worse: Path) -> None:
    """The first line says fail, the exit code is 1, and values that broke are shown with all three values."""
    done = command("gate", "--baseline", base, worse)
    assert done.exit_code == 1
    assert "✗ FAIL" in done.output.splitlines()[0]
    (line,) = (line for line in done.output.splitlines() if line.startswith(" d001"))
    assert line.split() == ["d001", "total", "101.0", "101.0", "1.0"]
    assert sum(line.startswith(" d0") for line in done.output.splitlines()) == 5


def test_the_answer_fits_a_narrow_terminal(base: Path, worse: Path) -> None:
    """Its sentence goes on in the next line, between words."""
    shown = command("gate", "--baseline", base, worse, columns=60).output.splitlines()
    assert max(map(len, shown)) <= 60
    assert shown[0].startswith(" ✗ FAIL ")


def test_too_few_documents_are_told_with_the_number_needed(base: Path, noisy: Path) -> None:
    """As many errors in other documents: neither loss nor none is shown; exit code 4."""
    done = command("gate", "--baseline", base, noisy, "--margin", "0.01")
    assert done.exit_code == 4
    needed = answer("--baseline", base, noisy, "--margin", "0.01")["needed"]
    assert done.output.splitlines()[0].startswith(f" ? NOT ENOUGH DOCUMENTS: about {needed:,} needed")
    assert needed > 60


def test_the_number_needed_is_that_of_a_t_test(base: Path, noisy: Path) -> None:
    """An equally good candidate's lower bound is above -margin in 80 % of draws, by the noncentral t of scipy."""
    (check,) = answer("--baseline", base, noisy, "--margin", "0.01")["checks"]
    spread = check["difference"]["se"] * 60**0.5
    assert power(check["needed"], 0.01, spread) >= 0.8 > power(check["needed"] - 1, 0.01, spread)


def power(n: int, margin: float, spread: float, confidence: float = 0.95) -> float:
    """Return how often the lower bound is above -margin: half of a lost document moves it and widens it, by F1."""
    error = math.hypot(spread / n**0.5, 0.25 / n)
    return float(1 - stats.nct.cdf(stats.t.ppf((1 + confidence) / 2, n - 1), n - 1, (margin - 0.25 / n) / error))


def test_one_document_is_not_enough(tmp_path: Path) -> None:
    """One document shows no spread: exit code 4, and it is said that no number can be told."""
    runs = [run_of(tmp_path / name, lambda _: [], documents=1) for name in "ab"]
    done = command("gate", "--baseline", *runs)
    assert done.exit_code == 4
    assert "NOT ENOUGH DOCUMENTS: how many are needed cannot be told" in done.output.splitlines()[0]
    assert "one document shows no spread" in done.output


def test_no_document_in_common_is_refused(base: Path, tmp_path: Path) -> None:
    """The error shows an id of each run."""
    other = write_run(tmp_path, {f"x{number}": document(number) for number in range(5)})
    message = refused("gate", "--baseline", base, other)
    assert "have no document in common that could be compared (d000 and x0)" in message


def test_a_candidate_without_most_documents_does_not_pass(base: Path, tmp_path: Path) -> None:
    """Under half of the baseline's documents: exit code 4 whatever they show, in the first line, JSON and JUnit XML."""
    pairs = {f"d{number:03d}": document(number, wrong=["code"] if number % 10 == 0 else []) for number in range(30)}
    half, fewer = write_run(tmp_path / "half", pairs), write_run(tmp_path / "fewer", dict(list(pairs.items())[:29]))
    assert answer("--baseline", base, half)["common_documents"] == {
        "found": 30, "of": 60, "least": 0.5, "decision": "pass",
    }  # fmt: skip
    found = answer("--baseline", base, fewer)
    assert (found["decision"], found["exit_code"]) == ("not_enough_documents", 4)
    assert [check["decision"] for check in found["checks"]] == ["pass"]
    said = "The candidate has 29 of the baseline's 60 documents; at least 50% are asked for (common_documents)"
    assert summary_of(found) == said
    done = command("gate", "--baseline", base, fewer, "--junit", tmp_path / "gate.xml")
    assert "NOT ENOUGH DOCUMENTS: 29 of the baseline's 60 documents" in done.output.splitlines()[0]
    (case,) = ElementTree.parse(tmp_path / "gate.xml").iterfind(".//testcase[@name='common documents']/error")
    assert case.get("message") == f"{said}."


def test_the_policy_says_how_many_documents_both_must_have(base: Path, worse: Path, tmp_path: Path) -> None:
    """A share or off; a loss that is real fails all the same."""
    few = write_run(tmp_path / "few", {f"d{number:03d}": document(number) for number in range(20)})
    for setting, code in (("off", 0), ("30%", 0), ("0.4", 4)):
        policy = policy_file(tmp_path, f"common_documents: {setting}\nmargin: 0.05\n")
        assert answer("--baseline", base, few, "--policy", policy)["exit_code"] == code, setting
    lost = {f"d{number:03d}": document(number, wrong=["total", "name"]) for number in range(20)}
    assert answer("--baseline", base, write_run(tmp_path / "lost", lost))["decision"] == "fail"
    message = refused("gate", "--baseline", base, worse, "--policy", policy_file(tmp_path, "common_documents: 2\n"))
    assert "Expected a share above 0 and below 1, such as 0.5 or 50%, or off, got 2 - at $.common_documents" in message


def test_documents_of_one_run_only_are_left_out_and_told(base: Path, tmp_path: Path) -> None:
    """Runs with different documents are compared on those that both have."""
    pairs = {f"d{number:03d}": document(number, wrong=["code"] if number % 10 == 0 else []) for number in range(48)}
    other = write_run(tmp_path, {**pairs, "new": document(7)})
    done = command("gate", "--baseline", base, other)
    assert done.exit_code == 0
    assert "48 documents" in done.output.splitlines()[0]
    assert "12 documents only in the base, left out (d048, d049, d050, …)" in done.output
    assert "1 document only in the candidate, left out (new)" in done.output
    pairing = answer("--baseline", base, other)["pairing"]
    assert pairing["compared"] == 48
    assert pairing["base_only"] == {"count": 12, "first": [f"d{n:03d}" for n in range(48, 60)]}


def test_a_missing_prediction_counts_as_missed(base: Path, tmp_path: Path) -> None:
    """A candidate without predictions for a third of the documents fails, and the number of them is told."""
    pairs = {f"d{number:03d}": document(number) for number in range(60)}
    less = {name: (one, None if k % 3 == 0 else other) for k, (name, (one, other)) in enumerate(pairs.items())}
    candidate = write_run(tmp_path, less)
    done = command("gate", "--baseline", base, candidate)
    assert done.exit_code == 1
    assert "20 documents without a usable prediction in the candidate, counted there as missed" in done.output
    for check in answer("--baseline", base, candidate)["checks"]:
        assert check["difference"]["candidate"]["value"] == pytest.approx(2 * 40 / (2 * 40 + 20))


def test_documents_with_other_expected_values_are_told(base: Path, tmp_path: Path) -> None:
    """A truth that was changed between the runs is no change of the predictions."""
    pairs = {f"d{number:03d}": document(number) for number in range(60)}
    pairs["d007"][0]["name"] = pairs["d007"][1]["name"] = "renamed"
    done = command("gate", "--baseline", base, write_run(tmp_path, pairs))
    assert "1 document with other expected values in the two runs" in done.output
    assert "(d007)" in done.output


def test_other_rules_are_refused_unless_allowed(base: Path, tmp_path: Path) -> None:
    """Runs under different specs are judged only where that is asked for, and then it is told."""
    schema = json.loads(json.dumps(EXACT))
    schema["properties"]["name"]["x-aws-stickler-weight"] = 5.0
    other = run_of(tmp_path, lambda _: [], schema=schema)
    told = "different rules: 1 field is compared differently: 'name' (weight 1.0 → 5.0)"
    message = refused("gate", "--baseline", base, other)
    assert told in message
    assert f"evaluate the candidate again with --like {base}, or give" in message
    done = command("gate", "--baseline", base, other, "--allow-different-rules")
    assert done.exit_code == 0
    assert f"Made under {told}" in done.output
    found = answer("--baseline", base, other, "--allow-different-rules")
    assert found["base"]["spec_fingerprint"] != found["candidate"]["spec_fingerprint"]


def test_runs_of_different_versions_are_told(base: Path, tmp_path: Path) -> None:
    """Another fieldwise may compare otherwise: the versions are named, also where one is unknown; the same are not."""
    shutil.copytree(base, tmp_path / "older")
    metrics = json.loads((base / "metrics.json").read_bytes())
    version = metrics.pop("scorer_version")
    for named, said in (({"scorer_version": "0.0.1"}, "0.0.1"), ({}, "unknown")):
        (tmp_path / "older" / "metrics.json").write_text(json.dumps({**metrics, **named}), encoding="utf-8")
        sealed(tmp_path / "older")
        told = f"Compared by different versions: {said} and {version} of fieldwise"
        done = command("gate", "--baseline", tmp_path / "older", base)
        assert done.exit_code == 0
        assert told in done.output
        markdown = command("gate", "--baseline", tmp_path / "older", base, "--markdown", "-").output
        assert told in html.unescape(markdown)
    assert "different versions" not in command("gate", "--baseline", base, base).output


def test_metrics_alone_are_refused(base: Path, tmp_path: Path) -> None:
    """A metrics file, or a folder without rows, has no documents to pair; the error says what to do."""
    message = refused("gate", "--baseline", base / "metrics.json", base)
    assert "fieldwise gate needs the documents" in message
    assert "run fieldwise evaluate with --out" in message
    shutil.copy(base / "metrics.json", tmp_path / "metrics.json")
    assert "run fieldwise evaluate with --out" in refused("gate", "--baseline", base, tmp_path)


def test_bad_input_exits_with_2(base: Path, tmp_path: Path) -> None:
    """On a command line an error is one line, and the exit code 2."""
    done = run("gate", "--baseline", base, tmp_path / "nowhere")
    assert done.returncode == 2
    assert done.stderr == f"Error: There is no file or folder {tmp_path / 'nowhere'}\n"
    near = base.with_name(f"{base.name}s")
    assert run("gate", "--baseline", base, near).stderr == (
        f"Error: There is no file or folder {near}; did you mean '{base.name}'?\n"
    )


def test_a_critical_field_that_got_worse_is_caught_among_others(base: Path, worse: Path, tmp_path: Path) -> None:
    """`total` fails with Holm's adjustment over four critical fields, though its check is one of many."""
    path = policy_file(tmp_path, "margin: 0.5\ncritical: [name, code, total, items.sku]\n")
    found = answer("--baseline", base, worse, "--policy", path)
    decisions = {check["name"]: check["decision"] for check in found["checks"]}
    assert decisions == {
        "all values": "pass",
        "name": "pass",
        "code": "pass",
        "total": "fail",
        "items.sku": "pass",
    }
    assert found["exit_code"] == 1
    assert found["checks"][3]["broken_values"][0] == {
        "direction": "broken", "document": "d001", "path": "total", "field": "total", "expected": "101.0",
        "base": "101.0", "candidate": "1.0", "base_outcome": "match", "candidate_outcome": "mismatch",
        "base_reason": None, "candidate_reason": None, "base_share": None, "candidate_share": None,
    }  # fmt: skip


def test_holm_adjusts_over_the_critical_fields() -> None:
    """A loss that fails alone is left open among nineteen other fields that show nothing."""
    rng = np.random.default_rng(5)
    right = np.tile(np.array([1, 0, 0, 0], np.int32), (60, 1))
    lost = right.copy()
    lost[:6] = [0, 1, 0, 0]
    other = right.copy()
    other[rng.permutation(60)[:3]] = [0, 1, 0, 0]
    policy = Policy()

    def decided(fields: int) -> MarginCheck:
        asked = [Question("critical", f"f{k}", 0.02, (f"f{k}",)) for k in range(fields)]
        return judge(asked, [(right, lost), *[(other, right)] * (fields - 1)], policy)[0]

    alone, among = decided(1), decided(20)
    assert alone.decision == "fail"
    assert among.decision == "not_enough_documents"
    assert among.p_worse == pytest.approx(20 * (alone.p_worse or 0))
    assert (among.needed or 0) > 60


@pytest.mark.parametrize(
    ("limits", "decisions"),
    [
        ("mismatch: 46, missed: 0, spurious: 0", ["pass", "pass", "pass"]),
        ("mismatch: 45", ["fail"]),
        ("regressed_documents: 39, broken_values: 40", ["fail", "pass"]),
        ("regressed_documents: 66.6%, broken_values: 0.2", ["fail", "pass"]),
        ("regressed_documents: 66.7%, failures: 0", ["pass", "pass"]),
    ],
)
def test_budgets_are_counts_or_shares(
    base: Path, worse: Path, tmp_path: Path, limits: str, decisions: list[str]
) -> None:
    """40 of 60 totals broke, and 6 codes are wrong: a budget allows so many, or such a share."""
    path = policy_file(tmp_path, f"margin: 0.9\nany_field: off\nbudgets: {{{limits}}}\n")
    found = answer("--baseline", base, worse, "--policy", path)
    assert [budget["decision"] for budget in found["budgets"]] == decisions
    assert found["decision"] == ("fail" if "fail" in decisions else "pass")


def test_missing_predictions_use_up_the_budget_of_failures(base: Path, tmp_path: Path) -> None:
    """A document without a prediction is a failure; a share of failures is of all documents."""
    pairs = {f"d{number:03d}": document(number) for number in range(60)}
    pairs["d001"] = pairs["d001"][0], None
    candidate = write_run(tmp_path, pairs)
    for limit, decision in (("0", "fail"), ("1", "pass"), ("1%", "fail"), ("2%", "pass")):
        path = policy_file(tmp_path, f"margin: 0.9\nbudgets: {{failures: {limit}}}\n")
        (budget,) = answer("--baseline", base, candidate, "--policy", path)["budgets"]
        assert (budget["used"], budget["of"], budget["decision"]) == (1, 60, decision)


def test_groups_hold_named_fields_or_heavy_ones(tmp_path: Path) -> None:
    """A group by weight holds the fields that weigh at least so much; one that holds none is refused."""
    runs = [run_of(tmp_path / name, lambda _: [], schema=SCHEMA_WITH_WEIGHTS) for name in "ab"]
    path = policy_file(tmp_path, "groups:\n  heavy: {weight: 2}\n  money: {fields: [tot*], margin: 0.1}\n")
    checks = answer("--baseline", *runs, "--policy", path)["checks"]
    assert [(check["name"], check["fields"], check["margin"]) for check in checks[1:]] == [
        ("heavy", ["code", "name"], 0.02),
        ("money", ["total"], 0.1),
    ]
    path = policy_file(tmp_path, "groups: {heavy: {weight: 9}}\n")
    message = refused("gate", "--baseline", *runs, "--policy", path)
    assert message == f"No field weighs 9 or more; the heaviest 3 - at $.groups.heavy in {path}"


def test_fields_have_margins_of_their_own(base: Path, worse: Path, tmp_path: Path) -> None:
    """A pattern stands for several fields; a critical field with a margin is asked for once, with that margin."""
    path = policy_file(tmp_path, 'margin: 0.5\nfields: {"items.*": 0.3, total: 0.9}\ncritical: [total]\n')
    checks = answer("--baseline", base, worse, "--policy", path)["checks"]
    assert [(check["kind"], check["name"], check["margin"], check["decision"]) for check in checks] == [
        ("overall", "all values", 0.5, "pass"),
        ("field", "items.price", 0.3, "pass"),
        ("field", "items.sku", 0.3, "pass"),
        ("critical", "total", 0.9, "pass"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("critical: [totl]", "No field of the two runs is called 'totl'; did you mean 'total'? - at $.critical in "),
        ("fields: {item.*: 0.1}", "No field of the two runs is called 'item.*'; did you mean 'items.sku'?"),
        ("groups: {money: {fields: [tax]}}", "is called 'tax'"),
    ],
)
def test_unknown_fields_are_refused(base: Path, tmp_path: Path, text: str, message: str) -> None:
    """A field that neither run has is an error that names the nearest."""
    path = policy_file(tmp_path, text)
    for options in ((), ("--margin", "1%")):
        said = refused("gate", "--baseline", base, base, "--policy", path, *options)
        assert message in said
        assert f" in {path}" in said


def test_the_option_overrides_the_margin_of_the_policy(base: Path, noisy: Path, tmp_path: Path) -> None:
    """``--margin`` is for all values and groups without one; margins of fields stay."""
    path = policy_file(tmp_path, "margin: 0.001\nfields: {name: 0.3}\ngroups: {ids: {fields: [name]}}\n")
    checks = answer("--baseline", base, noisy, "--policy", path, "--margin", "0.2")["checks"]
    assert [check["margin"] for check in checks] == [0.2, 0.3, 0.2]
    checks = answer("--baseline", base, noisy, "--policy", path, "--margin", "20%")["checks"]
    assert [check["margin"] for check in checks] == [0.2, 0.3, 0.2]
    done = command("gate", "--baseline", base, noisy, "--margin", "2")
    assert done.exit_code == 2
    assert "0.02 or 2% for 2 per cent, got '2'" in " ".join(done.output.split())


def test_a_field_in_few_documents_needs_more_of_all(tmp_path: Path) -> None:
    """The number needed counts documents of the set, also those without the field."""

    def half_of(which: int) -> dict[str, tuple[Json, Json]]:
        pairs = {f"d{number:03d}": document(number) for number in range(40)}
        for number in range(40):
            expected, predicted = pairs[f"d{number:03d}"]
            if number % 2:
                del expected["code"], predicted["code"]
            elif number % 20 == which:
                predicted["code"] = "other"
        return pairs

    runs = [write_run(tmp_path / str(which), half_of(which)) for which in (0, 2)]
    path = policy_file(tmp_path, "margin: 0.9\ncritical: [code]\nfields: {code: 0.02}\n")
    check = answer("--baseline", *runs, "--policy", path)["checks"][1]
    spread = check["difference"]["se"] * 20**0.5
    assert check["difference"]["n"] == 20
    normal = ((stats.norm.ppf(0.975) + stats.norm.ppf(0.8)) * spread / 0.02) ** 2
    assert check["needed"] == pytest.approx(2 * normal, rel=0.02)


def test_junit_has_a_case_for_each_check(base: Path, worse: Path, tmp_path: Path) -> None:
    """Failures are failures, open checks are errors, and the counts of the suite agree with its cases."""
    path = policy_file(tmp_path, "margin: 0.5\nfields: {code: 0.001}\ncritical: [total]\nbudgets: {broken_values: 3}\n")
    noisy_and_worse = run_of(
        tmp_path / "c", lambda n: [*(["code"] if n % 10 == 5 else []), *(["total"] if n % 3 else [])]
    )
    command("gate", "--baseline", base, noisy_and_worse, "--policy", path, "--junit", tmp_path / "gate.xml")
    root = ElementTree.parse(tmp_path / "gate.xml").getroot()
    (suite,) = root
    cases = suite.findall("testcase")
    assert root.tag == "testsuites"
    assert [case.get("name") for case in cases] == [
        "all values",
        "field code",
        "critical field total",
        "budget broken_values",
    ]
    assert [[answer.tag for answer in case] for case in cases] == [[], ["error"], ["failure"], ["failure"]]
    for part in (root, suite):
        assert (part.get("tests"), part.get("failures"), part.get("errors")) == ("4", "2", "1")
    message = cases[2][0].get("message") or ""
    assert "F1 (strict) of total (critical) changed by −66.67 points" in message
    assert "d001" in (cases[2][0].text or "")
    assert "needed" in (cases[1][0].get("message") or "")


def hostile_runs(folder: Path) -> tuple[Path, Path]:
    value = "a|b\n<img src=x onerror=alert(1)> **bold** @octocat #12 http://x.example `c` \x00\x1b[31m"
    pairs = {f"@me|{number}\x07": document(number) for number in range(12)}
    broken = {name: (one, {**other, "name": value, "code": value}) for name, (one, other) in pairs.items()}
    return write_run(folder / "a", pairs), write_run(folder / "b", broken)


def test_markdown_shows_values_as_text(tmp_path: Path) -> None:
    """Whatever values and ids hold, the tables keep their columns, and nothing in them comes alive."""
    done = command("gate", "--baseline", *hostile_runs(tmp_path), "--markdown", "-")
    assert done.exit_code == 1
    assert done.output.startswith("### ✗ fieldwise gate: fail\n")
    page = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable("table").render(done.output)
    assert page.count("<details>") == 2
    assert "<img" not in page
    assert "<strong>" not in page
    assert "<a " not in page
    bodies = [body.split("</tbody>")[0] for body in page.split("<tbody>")[1:]]
    widths = [{row.count("<td") for row in body.split("<tr>")[1:]} for body in bodies]
    assert widths == [{8}, {5}]
    assert "&lt;img src=x onerror=alert(1)&gt; **bold** @octocat #12" in page
    assert "\x1b" not in page


def test_junit_survives_values_that_xml_cannot_hold(tmp_path: Path) -> None:
    """Control characters are left out, so that the file can be parsed."""
    command("gate", "--baseline", *hostile_runs(tmp_path), "--junit", tmp_path / "gate.xml")
    text = ElementTree.parse(tmp_path / "gate.xml").findtext(".//failure") or ""
    assert "@me|0" in text
    assert "<img src=x" in text


def test_files_are_written_beside_the_table(base: Path, worse: Path, tmp_path: Path) -> None:
    """``--markdown FILE`` writes the file and the table is printed; with ``--json`` only JSON is printed."""
    options: list[str | Path] = ["--markdown", tmp_path / "gate.md", "--junit", tmp_path / "gate.xml"]
    done = command("gate", "--baseline", base, worse, *options)
    assert "✗ FAIL" in done.output
    assert "| all values | " in (tmp_path / "gate.md").read_text(encoding="utf-8")
    assert json.loads(command("gate", "--baseline", base, worse, *options, "--json").stdout)["decision"] == "fail"


def test_json_holds_everything(base: Path, worse: Path, tmp_path: Path) -> None:
    """Decision, policy, checks with numbers, budgets, pairing, and by what the runs can be traced."""
    path = policy_file(tmp_path, "critical: [total]\nbudgets: {failures: 5%}\n")
    found = answer("--baseline", base, worse, "--policy", path)
    metrics = json.loads((worse / "metrics.json").read_bytes())
    assert found["policy"]["critical"] == ["total"]
    assert found["policy"]["budgets"] == {"failures": "5%"}
    check = found["checks"][0]
    assert check["difference"]["candidate"]["value"] == pytest.approx(metrics["aggregate"]["strict_f1"])
    assert check["difference"]["low"] < check["difference"]["delta"] < check["difference"]["high"] < 0
    counts = {name: check["difference"][name] for name in ("n", "improved", "regressed", "tied")}
    assert counts == {"n": 60, "improved": 0, "regressed": 40, "tied": 20}
    assert found["candidate"]["spec_fingerprint"] == metrics["spec_fingerprint"]
    assert found["candidate"]["scorer_version"] == metrics["scorer_version"]
    assert found["values"] == {"fixed": 0, "broken": 40}


def test_only_one_thing_is_printed(base: Path) -> None:
    """JSON and Markdown cannot both go to standard output."""
    done = command("gate", "--baseline", base, base, "--json", "--markdown", "-")
    assert done.exit_code == 2


ROWS = st.lists(st.tuples(*[st.integers(0, 4)] * 4), min_size=1, max_size=12)
PAIRS = st.lists(st.tuples(*[st.tuples(*[st.integers(0, 4)] * 4)] * 2), min_size=1, max_size=12)
LOSING = st.lists(
    st.tuples(
        st.tuples(st.integers(2, 4), *[st.integers(0, 1)] * 3), st.tuples(st.integers(0, 2), *[st.integers(0, 3)] * 3)
    ),
    min_size=8,
    max_size=12,
)
"""Documents of which most got worse."""
ASKED = [Question("overall", "all values", 0.02, ("all",))]


def judged(base: Any, candidate: Any) -> MarginCheck:
    tables = np.array(base, np.int32).reshape(-1, 4), np.array(candidate, np.int32).reshape(-1, 4)
    return judge(ASKED, [tables], Policy())[0]


@given(ROWS)
def test_a_run_against_itself_never_fails(rows: list[tuple[int, ...]]) -> None:
    """It passes as soon as six documents have a value; fewer are not enough."""
    with_values = sum(any(row) for row in rows)
    assert judged(rows, rows).decision == ("pass" if with_values >= 6 else "not_enough_documents")


@given(PAIRS, st.randoms())
def test_the_order_of_documents_does_not_matter(pairs: list[tuple[Any, Any]], random: Any) -> None:
    """Decision and number needed depend on the documents alone."""
    shuffled = random.sample(pairs, len(pairs))
    one, other = judged(*zip(*pairs, strict=True)), judged(*zip(*shuffled, strict=True))
    assert (one.decision, one.needed) == (other.decision, other.needed)
    assert one.difference.delta == other.difference.delta


@given(LOSING)
def test_what_fails_one_way_passes_the_other(pairs: list[tuple[Any, Any]]) -> None:
    """If the candidate is shown to be worse, the baseline in its place is not."""
    base, candidate = zip(*pairs, strict=True)
    assume(judged(base, candidate).decision == "fail")
    assert judged(candidate, base).decision == "pass"


@given(PAIRS)
def test_the_number_needed_is_more_than_there_is(pairs: list[tuple[Any, Any]]) -> None:
    """Where these documents don't decide, more of them are asked for."""
    check = judged(*zip(*pairs, strict=True))
    assert (check.needed is not None) <= (check.decision == "not_enough_documents")
    if check.needed is not None:
        assert check.needed > check.difference.n


def test_a_loss_that_all_documents_share_is_shown_by_six() -> None:
    """Where documents have no spread the added document has one; six that all got worse are the fewest that fail."""
    right, wrong = [1, 0, 0, 0], [0, 1, 0, 0]
    decisions = [judged([right] * n, [wrong] * n) for n in range(1, 8)]
    assert [check.decision for check in decisions] == ["not_enough_documents"] * 5 + ["fail"] * 2
    assert [check.needed for check in decisions[5:]] == [None, None]


def test_margins_of_a_policy_reach_the_checks() -> None:
    """A metric other than strict F1 judges by that metric."""
    base, candidate = np.array([[4, 0, 0, 1]] * 30, np.int32), np.array([[4, 1, 0, 0]] * 30, np.int32)
    recall, precision = (
        judge(ASKED, [(base, candidate)], policy_of({"metric": m}))[0] for m in ("recall", "precision")
    )
    assert recall.decision == "pass"
    assert precision.decision == "fail"


PAGE = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", [o.opts[0] for o in gate_command.params if isinstance(o, Option)])
def test_every_option_is_explained(option: str) -> None:
    """Each option of the command is named on its page."""
    assert f"`{option}" in PAGE


def test_documents_that_differ_alike_decide_nothing_by_two(tmp_path: Path) -> None:
    """Two documents neither pass nor fail; sixteen that all lose as much do, by their margin."""
    for documents, decisions in ((2, (4, 4)), (16, (0, 1))):
        sides = []
        for side, wrong in enumerate(([], ["name"])):
            runs = {f"d{k}": document(1, wrong=wrong) for k in range(documents)}
            sides.append(write_run(tmp_path / f"{documents}-{side}", runs))
        found = [command("gate", "--baseline", *sides, "--margin", margin).exit_code for margin in ("0.25", "0.01")]
        assert tuple(found) == decisions
