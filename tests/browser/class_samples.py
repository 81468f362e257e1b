"""Runs with sections, classes and slices, rows of labels, and results of others, made for the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import Result

from fieldwise import evaluate_pairs
from tests.runs.results import command
from tests.sections import section, write_sections

HOSTILE_CLASS = "<img src=x onerror=alert(1)> \u202e&amp; ${x}"
CLASSES = ("Invoice", "Payslip", "Tax return", HOSTILE_CLASS)
VENDORS = ("Acme", "Bolt & Sons", "'\"><script>alert(2)</script>", None)


def packets(documents: int = 40) -> tuple[dict[str, Any], dict[str, Any]]:
    """Make packets of three sections: some of the wrong class, lost, extra, or with a wrong total."""
    expected: dict[str, Any] = {}
    predicted: dict[str, Any] = {}
    for k in range(documents):
        names = [CLASSES[(k + at) % len(CLASSES)] for at in range(3)]
        vendor = VENDORS[k % len(VENDORS)]
        beside = {} if vendor is None else {"metadata": {"vendor": vendor}}
        sides: list[dict[str, Any]] = [{}, {}]
        for at, name in enumerate(names):
            values = {"number": f"N-{k}{at}", "total": 100 + k, "rows": [{"sku": "A"}, {"sku": "B"}]}
            guess = {**values, "total": 900 + k} if (k + at) % 5 == 0 else values
            other = CLASSES[(k + at + 1) % len(CLASSES)] if (k + at) % 7 == 0 else name
            sides[0][str(at + 1)] = section(name, values, [2 * at, 2 * at + 1], **beside)
            if (k + at) % 11 != 0:
                sides[1][str(at + 1)] = section(other, guess, [2 * at, 2 * at + 1], **beside)
        if k % 9 == 0:
            sides[1]["9"] = section("Payslip", {"number": "ghost"}, [6])
        expected[f"loan-{k:02}.pdf"], predicted[f"loan-{k:02}.pdf"] = sides
    return expected, predicted


def sectioned_run(folder: Path, **settings: Any) -> Path:
    """Evaluate packets into a folder."""
    expected, predicted = packets()
    write_sections(folder / "expected", expected)
    write_sections(folder / "predicted", predicted)
    evaluate_pairs(
        folder / "expected",
        predicted=folder / "predicted",
        out=folder / "run",
        slices=["vendor"],
        title="Loan packets",
        **settings,
    )
    return folder / "run"


def label_file(folder: Path) -> Path:
    """Write rows of seven labels, one of them hostile, one a number; some rows have none; one line is no row."""
    labels: list[Any] = ["click", "type", "scroll", "wait", HOSTILE_CLASS, 7, ""]
    shares = [100, 80, 60, 30, 12, 5, 50]
    lines = []
    for k, label in enumerate(labels):
        for n in range(100):
            answer = label if n < shares[k] else labels[(k + 1) % len(labels)]
            row: dict[str, Any] = {
                "correct": answer == label,
                "golden": {"event": label},
                "predicted": {"tool": answer},
            }
            row["metadata"] = {"document": f"page-{n % 20}", "note": HOSTILE_CLASS if n == 0 else "plain"}
            lines.append(json.dumps(row))
    lost = {
        "correct": False,
        "golden": {"event": "click"},
        "predicted": {"tool": None},
        "metadata": {"document": "page-3"},
    }
    lines.append(json.dumps(lost))
    path = folder / "labels.jsonl"
    path.write_text("\n".join([*lines, "{not json"]) + "\n", encoding="utf-8")
    return path


def _label_row(label: Any, answer: Any, document: str, note: str) -> str:
    row = {"correct": answer == label, "golden": {"event": label}, "predicted": {"tool": answer}}
    return json.dumps({**row, "metadata": {"document": document, "note": note}})


def result_files(folder: Path, documents: int = 12, *, name_values: bool) -> Path:
    """Write results of others: confusion matrices, with the values that are wrong where asked for."""
    folder.mkdir()
    for k in range(documents):
        wrong = k % 3 == 0
        cells = {"tp": 0 if wrong else 1, "fd": int(wrong), "fa": 0, "fn": 0, "tn": 0, "fp": int(wrong)}
        right = {"tp": 1, "fd": 0, "fa": 0, "fn": 0, "tn": 0, "fp": 0}
        never = {"tp": 0, "fd": 0, "fa": 0, "fn": 0, "tn": 1, "fp": 0}
        sums = {key: cells[key] + right[key] + never[key] for key in right}
        result: dict[str, Any] = {
            "confusion_matrix": {
                "overall": sums,
                "fields": {"total": cells, "name": right, "fax": never},
                "aggregate": sums,
            },
            "overall_score": 0.5 if wrong else 1.0,
        }
        if name_values and wrong:
            entry = {"field_path": "total", "non_match_type": "false_discovery", "similarity_score": 0.2}
            result["non_matches"] = [{**entry, "ground_truth_value": f"{k}.00", "prediction_value": f"{k}.80"}]
        (folder / f"doc-{k:02}.json").write_text(json.dumps(result), encoding="utf-8")
    return folder


def pages(folder: Path) -> dict[str, Path]:
    """Write a page of each kind, by what it shows."""
    run, labels = sectioned_run(folder), folder / "labels.html"
    _done(command("classify", label_file(folder), "--cluster-key", "document", "--html", labels), 3)
    found = {"sections": run / "report.html", "labels": labels}
    for name, name_values in (("values", True), ("counts", False)):
        results = result_files(folder / f"results-{name}", name_values=name_values)
        _done(command("aggregate", results, "--out", folder / name), 0)
        found[name] = folder / name / "report.html"
    return found


def _done(result: Result, code: int) -> None:
    assert result.exit_code == code, result.output
