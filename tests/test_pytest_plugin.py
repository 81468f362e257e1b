"""The fixture ``fieldwise``: test files that use it, run by pytest, and what their failures say."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .runs.results import document, write_run

pytest_plugins = ["pytester"]

PAGE = (Path(__file__).parents[1] / "docs" / "gate.md").read_text(encoding="utf-8")
TRUTH = {"invoice_number": "INV-001", "total": 12.5, "items": [{"sku": "PAP-0801", "price": 4.0}]}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A good run, one that is much worse, and one as good with its errors in other documents."""
    root = tmp_path_factory.mktemp("runs")
    spoilt = {
        "good": [["code"] if number % 10 == 0 else [] for number in range(60)],
        "worse": [["total", "name"] if number % 3 else [] for number in range(60)],
        "other": [["code"] if number % 10 == 5 else [] for number in range(60)],
    }
    return {
        name: write_run(root / name, {f"d{k}": document(k, wrong=wrong) for k, wrong in enumerate(fields)})
        for name, fields in spoilt.items()
    }


def outcome(pytester: pytest.Pytester, body: str, *, head: str = "") -> pytest.RunResult:
    """Run one test with the given body."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    pytester.makepyfile(f"{head}\nTRUTH = {TRUTH!r}\n\ndef test_it(fieldwise):\n{lines}\n")
    return pytester.runpytest("-p", "no:cacheprovider")


@pytest.mark.parametrize(
    "body",
    [
        "fieldwise.assert_extraction(TRUTH, {**TRUTH, 'total': '12.50'})",
        "import json; fieldwise.assert_extraction(json.dumps(TRUTH), json.dumps(TRUTH))",
        "fieldwise.assert_extraction(TRUTH, {**TRUTH, 'total': 1.0}, ignore=['total'])",
        "fieldwise.assert_extraction(TRUTH, {**TRUTH, 'total': 1.0}, fields=['items', 'invoice_*'])",
        "fieldwise.assert_extraction(TRUTH, {**TRUTH, 'total': 1.0}, min_score=0.7)",
        "fieldwise.assert_extraction({'a': {'_value': 1, '_confidence': 0.5}}, {'a': 1})",
        "fieldwise.assert_extraction({}, {})",
        "fieldwise.assert_extraction(None, {'notes': '  '})",
    ],
)
def test_what_is_good_enough_passes(pytester: pytest.Pytester, body: str) -> None:
    """Equal values in another form, left out fields and a score that is asked for are no failures."""
    outcome(pytester, body).assert_outcomes(passed=1)


def test_a_failure_lists_the_wrong_values_only(pytester: pytest.Pytester) -> None:
    """Path, outcome, score, kind and both values of what is wrong; nothing of what is right or of our own code."""
    body = "fieldwise.assert_extraction(TRUTH, {'invoice_number': 'INV-OO1', 'total': 12.5, 'items': [], 'x': 'new'})"
    result = outcome(pytester, body)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E*AssertionError: 4 of 5 values not as expected; score 0.250, every value has to match",
            "E*path*outcome*score*kind*expected*predicted",
            "E*invoice_number*✗ mismatch*0.000*OCR-like*INV-001*INV-OO1",
            "E*items?0?.sku*− missed*missing*PAP-0801*–",
            "E*x *+ spurious*invented*–*new",
        ]
    )
    shown = "\n".join(line for line in result.outlines if line.startswith("E"))
    assert "12.5" not in shown
    assert "extraction_check.py" not in result.stdout.str()
    assert "pytest_plugin.py" not in result.stdout.str()


def test_long_values_and_tables_are_shortened(pytester: pytest.Pytester) -> None:
    """A value is cut, a table has 40 rows at most, and a line break does not break a row."""
    body = "truth = {f'field_{k:02d}': 'x\\n' + 'y' * 500 for k in range(60)}\nfieldwise.assert_extraction(truth, {})"
    result = outcome(pytester, body)
    rows = [line for line in result.outlines if line.startswith("E       field_")]
    assert len(rows) == 40
    assert all("x⏎yyy" in row and "…" in row and len(row) < 140 for row in rows)
    result.stdout.fnmatch_lines(["E*and 20 more"])


def test_a_score_that_is_too_low_is_told(pytester: pytest.Pytester) -> None:
    """With ``min_score`` the message says what was asked for."""
    result = outcome(pytester, "fieldwise.assert_extraction(TRUTH, {**TRUTH, 'total': 1.0}, min_score=0.9)")
    result.stdout.fnmatch_lines(["E*1 of 4 values not as expected; score 0.750, at least 0.900 is asked for"])


WEIGHTED = {
    "type": "object",
    "properties": {
        "number": {"type": "string", "x-aws-stickler-comparator": "ExactComparator", "x-aws-stickler-weight": 3.0},
        "note": {"type": "string", "x-aws-stickler-comparator": "ExactComparator"},
    },
}


@pytest.mark.parametrize(("wrong", "score", "passed"), [("note", "0.750", True), ("number", "0.250", False)])
def test_the_score_is_weighted(pytester: pytest.Pytester, wrong: str, score: str, passed: bool) -> None:
    """A field of weight 3 counts three times beside one of weight 1, in what is asked for and in what is told."""
    given = {"number": "A-1", "note": "paid"}
    call = f"fieldwise.assert_extraction({given!r}, {given | {wrong: 'other'}!r}, {WEIGHTED!r}"
    result = outcome(pytester, f"{call}, min_score=0.7)")
    result.assert_outcomes(passed=int(passed), failed=int(not passed))
    outcome(pytester, f"{call}, min_score={score})").assert_outcomes(passed=1)
    result = outcome(pytester, f"{call}, min_score=0.9)")
    result.stdout.fnmatch_lines([f"E*1 of 2 values not as expected; score {score}, at least 0.900 is asked for"])


def test_values_of_another_row_are_told(pytester: pytest.Pytester) -> None:
    """Prices that stand in each other's row are of the kind wrong row; a price of no row is not."""
    prices = {"PAP-0801": 10.55, "PEN-1234": 12.37, "INK-5678": 14.74}
    rows = [{"sku": sku, "unit": sku[:3], "tax": 19, "price": price} for sku, price in prices.items()]
    truth = {"items": rows}
    read = json.loads(json.dumps(truth))
    read["items"][0]["price"], read["items"][1]["price"] = 12.37, 10.55
    read["items"][2]["price"] = 99.12
    result = outcome(pytester, f"fieldwise.assert_extraction({truth!r}, {read!r})")
    result.stdout.fnmatch_lines(
        [
            "E*items?0?.price*✗ mismatch*wrong row*10.55*12.37",
            "E*items?1?.price*✗ mismatch*wrong row*12.37*10.55",
            "E*items?2?.price*✗ mismatch*other*14.74*99.12",
        ]
    )


@pytest.mark.parametrize(
    ("spec", "passed"),
    [
        ("SCHEMA", 1),
        ("{'fields': {'code': {'type': 'str', 'comparator': 'LevenshteinComparator', 'threshold': 0.5}}}", 1),
        ("Spec.from_json_schema(SCHEMA)", 1),
        ("Spec.from_json_schema({'type': 'object', 'properties': {'code': {'type': 'string'}}})", 0),
        ("Loose", 1),
        ("'loose.json'", 1),
        ("None", 0),
    ],
)
def test_the_spec_decides_what_is_right(pytester: pytest.Pytester, spec: str, passed: int) -> None:
    """A JSON Schema, a config, a Spec, a class or a file: each lets a code pass that inference does not."""
    loose = {"x-aws-stickler-comparator": "LevenshteinComparator", "x-aws-stickler-threshold": 0.5}
    schema = {"type": "object", "properties": {"code": {"type": "string", **loose}}}
    (pytester.path / "loose.json").write_text(json.dumps(schema), encoding="utf-8")
    head = (
        "from fieldwise import ComparableField, LevenshteinComparator, Spec, StructuredModel\n"
        f"SCHEMA = {schema!r}\n"
        "class Loose(StructuredModel):\n"
        "    code: str = ComparableField(comparator=LevenshteinComparator(), threshold=0.5)\n"
    )
    body = f"fieldwise.assert_extraction({{'code': 'INV-001'}}, {{'code': 'INV-002'}}, {spec})"
    outcome(pytester, body, head=head).assert_outcomes(passed=passed, failed=1 - passed)


def test_instances_of_classes_and_files_are_documents(pytester: pytest.Pytester) -> None:
    """Pydantic instances and dataclasses are compared by their class; a path is read, as text or as Path."""
    (pytester.path / "truth.json").write_text(json.dumps(TRUTH), encoding="utf-8")
    head = (
        "from dataclasses import dataclass\nfrom pathlib import Path\nfrom pydantic import BaseModel\n"
        "class Invoice(BaseModel):\n    number: str\n    total: float\n"
        "@dataclass\nclass Item:\n    sku: str\n"
    )
    body = (
        "fieldwise.assert_extraction(Invoice(number='A-1', total=2), {'number': 'A-1', 'total': '2.00'})\n"
        "fieldwise.assert_extraction(Invoice(number='A-1', total=2), Invoice(number='A-1', total=2))\n"
        "fieldwise.assert_extraction(Item('A'), Item('A'))\n"
        "fieldwise.assert_extraction('truth.json', Path('truth.json'))\n"
    )
    outcome(pytester, body, head=head).assert_outcomes(passed=1)
    result = outcome(pytester, "fieldwise.assert_extraction(Item('A'), Item('B'))", head=head)
    result.stdout.fnmatch_lines(["E*sku*✗ mismatch*A*B"])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "fieldwise.assert_extraction(TRUTH, TRUTH, ignore=['totl'])",
            "No field is called 'totl'; did you mean 'total'?",
        ),
        ("fieldwise.assert_extraction(TRUTH, TRUTH, fields='total')", "Expected a list of names for fields"),
        ("fieldwise.assert_extraction(TRUTH, TRUTH, min_score=90)", "Expected min_score from 0 to 1, got 90"),
        ("fieldwise.assert_extraction(TRUTH, 'nowhere.json')", "Cannot read nowhere.json"),
        ("fieldwise.assert_extraction('{\"a\": ', TRUTH)", "The document is not JSON"),
        ("fieldwise.assert_extraction(TRUTH, 5)", "Expected a document as a dict"),
        ("fieldwise.assert_extraction(TRUTH, TRUTH, [1])", "Expected a JSON Schema or a config, got a list"),
        ("fieldwise.assert_not_worse('nowhere', 'nowhere')", "There is no file or folder nowhere"),
        ("fieldwise.assert_not_worse('a', 'b', policy={'margn': 1})", "got 'margn'; did you mean 'margin'?"),
    ],
)
def test_bad_input_is_told_without_internals(pytester: pytest.Pytester, body: str, message: str) -> None:
    """A mistake in the test itself is an error of fieldwise, shown at the line of the test."""
    result = outcome(pytester, body)
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert message in text
    assert "test_bad_input_is_told_without_internals.py:" in text
    assert "src/fieldwise" not in text.replace("\\", "/")


def test_a_candidate_that_is_as_good_passes(pytester: pytest.Pytester, runs: dict[str, Path]) -> None:
    """A run against itself passes, and a better one; a policy may be a dict or a file."""
    (pytester.path / "gate.yaml").write_text("critical: [total]\n", encoding="utf-8")
    body = (
        f"good, worse = {str(runs['good'])!r}, {str(runs['worse'])!r}\n"
        "fieldwise.assert_not_worse(good, good)\n"
        "fieldwise.assert_not_worse(worse, good, 0.01, policy={'critical': ['name']})\n"
        "fieldwise.assert_not_worse(worse, good, policy='gate.yaml')\n"
    )
    outcome(pytester, body).assert_outcomes(passed=1)


def test_a_worse_candidate_fails_with_the_table_of_the_gate(pytester: pytest.Pytester, runs: dict[str, Path]) -> None:
    """The failure has the headline, the checks, and values that broke."""
    result = outcome(pytester, f"fieldwise.assert_not_worse({str(runs['good'])!r}, {str(runs['worse'])!r})")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "E*AssertionError: ✗ fail",
            "E*F1 (strict) *points (95%: *on 60 documents; the margin is 2 points*",
            "E*all values *✗ fail",
            "E*d1*name*name 1*name 1*wrong name",
        ]
    )
    assert "pytest_plugin.py" not in result.stdout.str()


def test_too_few_documents_are_a_failure_of_their_own(pytester: pytest.Pytester, runs: dict[str, Path]) -> None:
    """NotEnoughDocuments has the number needed; ``allow_undecided`` lets the test pass."""
    call = f"fieldwise.assert_not_worse({str(runs['good'])!r}, {str(runs['other'])!r}, 0.01"
    result = outcome(pytester, f"{call})")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["E*NotEnoughDocuments: ? not enough documents: about * needed"])
    outcome(pytester, f"{call}, allow_undecided=True)").assert_outcomes(passed=1)


def test_metrics_alone_are_refused(pytester: pytest.Pytester, runs: dict[str, Path]) -> None:
    """Two metrics files have no documents to pair."""
    body = f"fieldwise.assert_not_worse({str(runs['good'] / 'metrics.json')!r}, {str(runs['good'])!r})"
    result = outcome(pytester, body)
    assert "evaluate into a folder" in result.stdout.str()


def test_the_example_of_the_page_fails_as_the_page_says(pytester: pytest.Pytester) -> None:
    """The test file on the page has the failure that the page shows."""
    code, shown = re.findall(r"^```(?:py|text)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    pytester.makepyfile(code)
    result = pytester.runpytest("-p", "no:cacheprovider")
    failure = [line.removeprefix("E").removeprefix("       ") for line in result.outlines if line.startswith("E")]
    assert failure == shown.splitlines()


def test_every_parameter_is_explained() -> None:
    """The page names the parameters of both assertions."""
    from fieldwise.pytest_plugin import Assertions

    for method in (Assertions.assert_extraction, Assertions.assert_not_worse):
        for name in method.__annotations__.keys() - {"return", "expected", "predicted", "baseline", "candidate"}:
            assert re.search(rf"`?\b{name}\b", PAGE), name


def test_the_plugin_is_light() -> None:
    """What pytest loads in every project imports neither numpy nor the engine; a test pays when it calls."""
    heavy = ("numpy", "pyarrow", "scipy", "pydantic", "fieldwise.compare", "fieldwise.spec", "fieldwise.runs")
    code = f"import fieldwise.pytest_plugin, sys; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_pytest_finds_the_plugin_by_itself(pytester: pytest.Pytester) -> None:
    """The fixture is there in a process of its own, without any setting, and has its help."""
    done = pytester.runpytest_subprocess("--fixtures", "-p", "no:cacheprovider")
    done.stdout.fnmatch_lines(["fieldwise [[]session scope]*", "*assert_extraction and assert_not_worse*"])
