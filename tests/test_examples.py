"""The generator of example invoices: the same seed gives the same files, and labels say all that is wrong."""

from __future__ import annotations

import copy
import hashlib
import importlib.util
import json
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import pytest

SCRIPT = Path(__file__).parent.parent / "examples" / "generate_invoices.py"
_STEP = re.compile(r"(\w+)(?:\[(\d+)\])?")


def load() -> ModuleType:
    """Import the script as a module."""
    found = importlib.util.spec_from_file_location("generate_invoices", SCRIPT)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    # Its dataclasses look their module up by name.
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module


generator = load()


def contents(folder: Path) -> dict[str, str]:
    """Return the hash of every file below a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_the_same_seed_writes_the_same_bytes(tmp_path: Path) -> None:
    """Two processes with different hash seeds write the same files; another seed writes others."""
    for name, seed, hashing in (("one", "7", "1"), ("two", "7", "2"), ("three", "8", "1")):
        command = [sys.executable, str(SCRIPT), str(tmp_path / name), "--documents", "30", "--seed", seed]
        subprocess.run(command, check=True, env={"PYTHONHASHSEED": hashing})
    one, two, three = (contents(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two != three
    assert len(one) == 61


def test_the_stream_is_the_same_on_all_pythons() -> None:
    """The first documents of a seed are these, whatever Python made them."""
    made = [[d.expected, d.predicted, [vars(label) for label in d.labels]] for d in generator.generate(200, 7)]
    assert hashlib.sha256(json.dumps(made).encode()).hexdigest()[:16] == "b1b7ff11510ffc33"


def test_a_longer_series_begins_with_the_shorter_one() -> None:
    """More documents do not change the first ones."""
    assert list(generator.generate(30, 7))[:10] == list(generator.generate(10, 7))


def replayed(document: Any) -> dict[str, Any]:
    """Make the errors that the labels tell in a copy of the expected document."""
    made: dict[str, Any] = copy.deepcopy(document.expected)
    rows: list[Any] = made["line_items"]
    for label in document.labels:
        holder: Any = made
        *parents, (name, index) = _STEP.findall(label.path)
        for parent, at in parents:
            holder = holder[parent][int(at)] if at else holder[parent]
        if index and label.kind == "invented":
            rows.append(label.predicted)
        elif index:
            assert rows[int(index)] == label.expected
            rows[int(index)] = None
        else:
            assert holder.get(name) == label.expected
            holder[name] = label.predicted
    for holder in (made, made["vendor"], made["vendor"]["address"], *filter(None, rows)):
        for name in [name for name, value in holder.items() if value is None]:
            del holder[name]
    made["line_items"] = sorted(json.dumps(row, sort_keys=True) for row in rows if row is not None)
    return made


def test_labels_tell_everything_that_is_wrong() -> None:
    """Expected document plus labels is the predicted one, but for the order of rows."""
    for document in generator.generate(300, 7):
        predicted = {name: value for name, value in document.predicted.items() if value is not None}
        predicted["line_items"] = sorted(json.dumps(row, sort_keys=True) for row in predicted["line_items"])
        assert replayed(document) == predicted, document.id


def test_labels_are_written_with_their_documents(tmp_path: Path) -> None:
    """Each line of labels.jsonl names a document that is there, a path, a kind and both values."""
    generator.main([str(tmp_path), "--documents", "50", "--seed", "3"])
    lines = [json.loads(line) for line in (tmp_path / "labels.jsonl").read_text(encoding="utf-8").splitlines()]
    assert lines
    for line in lines:
        assert list(line) == ["document", "path", "kind", "expected", "predicted"]
        assert (tmp_path / "expected" / f"{line['document']}.json").exists()
        assert line["expected"] != line["predicted"]


def test_errors_are_as_in_practice() -> None:
    """Every kind occurs, a twelfth of the values are wrong at most, and a tenth of the documents has most errors."""
    documents = list(generator.generate(500, 7))
    kinds = Counter(label.kind for document in documents for label in document.labels)
    assert set(kinds) == set(get_args(generator.Kind))
    wrong = [sum(5 if isinstance(label.expected, dict) else 1 for label in d.labels) for d in documents]
    values = sum(14 + 5 * len(document.expected["line_items"]) for document in documents)
    assert 0.05 < sum(wrong) / values < 0.10
    assert sum(sorted(wrong)[-100:]) > 0.6 * sum(wrong)


@pytest.mark.parametrize("seed", [1, 2])
def test_amounts_add_up(seed: int) -> None:
    """Rows add up to the subtotal, and with tax to the total."""
    for document in generator.generate(50, seed):
        invoice = document.expected
        assert sum(row["amount"] for row in invoice["line_items"]) == pytest.approx(invoice["subtotal"])
        assert invoice["subtotal"] + invoice["tax"] == pytest.approx(invoice["total"])
        assert 1 <= len(invoice["line_items"]) <= 12


@pytest.mark.parametrize("value", [247.22, 4.0, 72, 1.5, 90])
def test_a_misread_number_is_another_number(value: float) -> None:
    """Also one without a digit that looks like another."""
    read = generator.misread_number(value, random.Random(1))
    assert type(read) is type(value)
    assert read != value


def test_the_candidate_is_better_but_for_one_field(tmp_path: Path) -> None:
    """The next version has more values right and due dates wrong; the same seed writes the same files."""
    subprocess.run([sys.executable, str(SCRIPT), str(tmp_path), "--documents", "80"], check=True)
    written = []
    for hashing in ("1", "2"):
        command = [sys.executable, str(SCRIPT.with_name("generate_candidate.py")), str(tmp_path)]
        subprocess.run(command, check=True, env={"PYTHONHASHSEED": hashing})
        written.append(contents(tmp_path / "candidate"))
    assert written[0] == written[1]
    sides = ("expected", "predicted", "candidate")
    rows = [[json.loads((tmp_path / side / name).read_bytes()) for side in sides] for name in sorted(written[0])]
    right = [sum(row[0].get(key) == row[side].get(key) for row in rows for key in row[0]) for side in (1, 2)]
    due = [sum(row[0]["due_date"] == row[side].get("due_date") for row in rows) for side in (1, 2)]
    assert right[1] > right[0]
    assert due[1] < due[0]
