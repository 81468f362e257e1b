"""Configs of classes through the command line: the same numbers from every form, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.command_line import Ended, run
from tests.sections import section, write_sections

PRODUCT, PEER = "x-aws-idp-evaluation-", "x-aws-stickler-"
EXPECTED = {"who": "Ada Lovelace", "net": 100, "day": "03/02/2024", "rows": [{"sku": "A"}, {"sku": "B"}]}
PREDICTED = {"who": "Ada Lovelac", "net": 100.5, "day": "2024-02-03", "rows": [{"sku": "B"}, {"sku": "C"}]}
FORMS: dict[str, Any] = {
    "the product's keys": {
        "ocr": {"backend": "textract"},
        "classes": [
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "x-aws-idp-document-type": "Payslip",
                "type": "object",
                "properties": {
                    "who": {"type": "string", f"{PRODUCT}method": "LEVENSHTEIN", f"{PRODUCT}threshold": 0.9},
                    "net": {"type": "number", f"{PRODUCT}method": "NUMERIC_EXACT", f"{PRODUCT}threshold": 0.5},
                    "day": {
                        "type": "string",
                        f"{PRODUCT}method": "DATE",
                        f"{PRODUCT}method-config": {"dayfirst": True},
                        "x-aws-idp-confidence-threshold": 0.8,
                    },
                    "rows": {
                        "type": "array",
                        f"{PRODUCT}method": "HUNGARIAN",
                        f"{PRODUCT}match-threshold": 0.6,
                        "items": {"$ref": "#/$defs/row"},
                    },
                },
                "$defs": {
                    "row": {"type": "object", "properties": {"sku": {"type": "string", f"{PRODUCT}method": "EXACT"}}}
                },
            }
        ],
    },
    "stickler's keys": {
        "Payslip": {
            "type": "object",
            "properties": {
                "who": {"type": "string", f"{PEER}comparator": "LevenshteinComparator", f"{PEER}threshold": 0.9},
                "net": {
                    "type": "number",
                    f"{PEER}comparator": "NumericComparator",
                    f"{PEER}comparator-config": {"absolute_tolerance": 0.5},
                },
                "day": {
                    "type": "string",
                    f"{PEER}comparator": "DateComparator",
                    f"{PEER}comparator-config": {"dayfirst": True},
                },
                "rows": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        f"{PEER}match-threshold": 0.6,
                        "properties": {"sku": {"type": "string", f"{PEER}comparator": "ExactComparator"}},
                    },
                },
            },
        }
    },
    "older attributes": {
        "classes": [
            {
                "name": "payslip",
                "description": "what is paid",
                "attributes": [
                    {"name": "who", "evaluation_method": "LEVENSHTEIN", "evaluation_threshold": "0.9"},
                    {"name": "net", "evaluation_method": "NUMERIC_EXACT", "evaluation_threshold": 0.5},
                    {"name": "day", "evaluation_method": "DATE", "evaluation_method_config": {"dayfirst": True}},
                    {
                        "name": "rows",
                        "attributeType": "list",
                        "evaluation_method": "HUNGARIAN",
                        "evaluation_match_threshold": 0.6,
                        "listItemTemplate": {"itemAttributes": [{"name": "sku", "evaluation_method": "EXACT"}]},
                    },
                ],
            }
        ]
    },
}


def evaluated(folder: Path, config: Path, *options: str) -> Ended:
    write_sections(folder / "e", {"a": {"1": section("Payslip", EXPECTED, [0])}})
    write_sections(folder / "p", {"a": {"1": section("payslip", PREDICTED, [0])}})
    return run("evaluate", folder / "e", folder / "p", "--config", config, *options)


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_config_gives_the_same_numbers(tmp_path: Path, form: str, suffix: str) -> None:
    """Both families of keys and the older lists: who, net and day are alike, one of two rows is right.

    *Ada Lovelac* is above 0.9, 100.5 within 0.5, and the date is read day first.
    """
    config = tmp_path / f"config{suffix}"
    config.write_text(json.dumps(FORMS[form]) if suffix == ".json" else yaml.safe_dump(FORMS[form]))
    done = evaluated(tmp_path, config, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert {path: [row[key] for key in ("tp", "fd", "fa", "fn")] for path, row in found["fields"].items()} == {
        "who": [1, 0, 0, 0],
        "net": [1, 0, 0, 0],
        "day": [1, 0, 0, 0],
        "rows": [1, 1, 0, 0],
        "rows.sku": [1, 1, 0, 0],
    }
    facts = found["notes"][0]["facts"]
    assert facts["written_differently"] + facts["similar"] == 3


def of_field(**keys: Any) -> dict[str, Any]:
    return {"classes": [{"x-aws-idp-document-type": "Payslip", "type": "object", "properties": {"net": keys}}]}


def of_class(**keys: Any) -> dict[str, Any]:
    held = of_field(type="number")
    held["classes"][0] |= keys
    return held


def older(**keys: Any) -> dict[str, Any]:
    return {"classes": [{"name": "Payslip", "attributes": [{"name": "net", **keys}]}]}


NET = "$.classes[0].net"


@pytest.mark.parametrize(
    ("config", "place", "words"),
    [
        (of_field(type="number", **{f"{PRODUCT}metod": "EXACT"}), NET, f"did you mean '{PRODUCT}method'?"),
        (of_field(type="number", **{"x-aws-idp-evaluaton-method": "EXACT"}), NET, f"did you mean '{PRODUCT}method'?"),
        (of_field(type="number", **{f"{PEER}treshold": 1}), NET, f"did you mean '{PEER}threshold'?"),
        (of_field(type="number", **{"x-aws-sticker-weight": 1}), NET, f"did you mean '{PEER}weight'?"),
        (of_field(type="string", **{f"{PRODUCT}method": "LEVENSTEIN"}), NET, "did you mean 'LEVENSHTEIN'?"),
        (of_field(type="string", **{f"{PRODUCT}method": "exakt"}), NET, "did you mean 'EXACT'?"),
        (of_field(type="number", **{f"{PRODUCT}method": "DATE"}), NET, "DATE does not fit values of type number"),
        (of_field(type="string", **{f"{PRODUCT}threshold": "high"}), NET, "Expected a number from 0 to 1"),
        (of_field(type="string", **{f"{PRODUCT}weight": -1}), NET, "Expected a weight of 0 or more"),
        (
            of_field(type="string", **{f"{PRODUCT}method": "EXACT", f"{PEER}comparator": "FuzzyComparator"}),
            *(NET, "say 'ExactComparator'; give one of them"),
        ),
        (older(groupAttribute=[{"name": "x"}]), NET, "did you mean 'groupAttributes'?"),
        (older(listItemTemplate={"itemAtributes": [{"name": "x"}]}), NET, "did you mean 'itemAttributes'?"),
        (of_field(type="sting"), "$.classes[0].properties.net.type", "Not a valid JSON Schema"),
        (of_class(**{"x-aws-idp-exclude-from-procesing": True}), "$.classes[0]", "exclude-from-processing'?"),
        (of_class(**{"x-aws-idp-exclude-from-processing": "yes"}), "$.classes[0]", "Expected true or false"),
        (older(evaluation_metod="EXACT"), NET, "did you mean 'evaluation_method'?"),
        (older(evaluation_method="FUZZI"), NET, "did you mean 'FUZZY'?"),
        (older(evaluation_method="FUZZY", evaluation_threshold="high"), NET, "Expected a number from 0 to 1"),
        ({"clases": [{"name": "A"}]}, "$.clases", "did you mean 'classes'?"),
        ({"classes": "Payslip"}, "$", "Expected a list of classes"),
        ([], "", "Expected at least one class"),
        (7, "$", "Expected a list of classes"),
    ],
)
def test_a_wrong_config_is_refused_with_its_place(tmp_path: Path, config: Any, place: str, words: str) -> None:
    """Unknown methods, wrong types and misspelt keys: the file, where in it, and the nearest name."""
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config))
    done = evaluated(tmp_path, path)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert f"{place} in {path}" in done.stderr if place else str(path) in done.stderr


def test_keys_of_the_product_that_nobody_reads_pass(tmp_path: Path) -> None:
    """A config says more than how to compare."""
    more = {"x-aws-idp-document-name-regex": ".*", "x-aws-idp-examples": [], "description": "x", "$id": "Payslip"}
    path = tmp_path / "config.json"
    path.write_text(json.dumps(of_class(**more)))
    assert evaluated(tmp_path, path).returncode == 0


def test_a_file_of_a_folder_that_is_no_class_is_refused_by_name(tmp_path: Path) -> None:
    """A folder of schemas has nothing else in JSON or YAML."""
    folder = tmp_path / "schemas"
    folder.mkdir()
    (folder / "payslip.json").write_text(json.dumps(of_field(type="number")["classes"][0]))
    (folder / "package.json").write_text('{"version": 3}')
    done = evaluated(tmp_path, folder)
    assert done.returncode == 2
    assert str(folder / "package.json") in done.stderr
