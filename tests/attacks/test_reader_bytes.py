"""Files whose bytes were changed at will: an input is refused, or every document of it is accounted for."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldwise import FieldwiseError, evaluate_pairs, open_pairs
from tests.attacks.forms import FORMS, Write
from tests.strategies import examples

DOCUMENTS: dict[str, dict[str, Any]] = {
    "a": {"number": "INV-1", "total": 10.5, "lines": [{"what": "pen", "price": 2}, {"what": "ink", "price": 8.5}]},
    "b": {"number": 'é"\\', "total": 12345678901234567890123, "lines": []},
    "c": {"number": None, "total": 0, "lines": [{"what": "a\nb", "price": -1e-7}]},
}
OTHER = {"number": "INV-1", "total": "10,50", "lines": [{"what": "pen", "price": 2}]}
TEXTS = {name: (json.dumps(document), json.dumps(OTHER)) for name, document in DOCUMENTS.items()}
ENCODED = (b"\0", b"\xef\xbb\xbf", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\\ud800")
PIECES = (*ENCODED, *(bytes([sign]) for sign in b'"\\{],\n\r'))


def values_table(folder: Path, _: Any) -> list[Path]:
    rows = [f'{name},"{document["total"]}",{name * 3}\n' for name, document in DOCUMENTS.items()]
    for side in ("expected", "predicted"):
        (folder / f"{side}.csv").write_text("id,total,text\n" + "".join(rows), encoding="utf-8")
    return [folder / "expected.csv", folder / "predicted.csv"]


@st.composite
def changes(draw: st.DrawFn) -> list[tuple[str, float, float, bytes]]:
    """Draw what is done to a file, where in it (as shares of its length), and with which bytes."""
    kinds = st.sampled_from(["cut", "flip", "insert", "replace", "swap", "drop"])
    share = st.floats(0, 1, exclude_max=True)
    piece = st.one_of(st.sampled_from(PIECES), st.binary(min_size=1, max_size=4))
    return draw(st.lists(st.tuples(kinds, share, share, piece), min_size=1, max_size=4))


def changed(content: bytes, kind: str, first: float, second: float, piece: bytes) -> bytes:
    """Return content with one change."""
    at, to = sorted((int(first * len(content)), int(second * len(content))))
    match kind:
        case "cut":
            return content[:at]
        case "flip":
            return content[:at] + bytes([content[at] ^ piece[0]]) + content[at + 1 :] if content else content
        case "insert":
            return content[:at] + piece + content[at:]
        case "replace":
            return content[:at] + piece + content[at + len(piece) :]
        case "swap":
            middle = (at + to) // 2
            return content[:at] + content[middle:to] + content[at:middle] + content[to:]
        case _:
            return content[:at] + content[to:]


@pytest.mark.parametrize("write", [*FORMS, values_table])
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(changes(), st.integers(0, 5))
def test_every_document_of_a_changed_file_is_accounted_for(
    write: Write, changes: list[tuple[str, float, float, bytes]], which: int
) -> None:
    """Whatever was done to the bytes of one file, either the error is one of ours, or the counts add up."""
    with TemporaryDirectory() as folder:
        inputs = write(Path(folder), TEXTS)
        files = sorted(path for path in Path(folder).rglob("*") if path.is_file())
        victim = files[which % len(files)] if inputs[0].is_dir() else inputs[which % len(inputs)]
        for change in changes:
            victim.write_bytes(changed(victim.read_bytes(), *change))
        check(inputs)


def check(inputs: list[Path]) -> None:
    """Evaluate an input; what is scored, excluded and failed is all that there is."""
    try:
        source = open_pairs(*inputs, max_bytes=1_000_000, max_unpacked=10_000_000, max_depth=100)
        pairs = [pair for shard in source.shards(2) for pair in shard.read()]
        metrics = evaluate_pairs(source).metrics
    except FieldwiseError:
        return
    assert sum(metrics.documents.values()) == len(pairs)
    assert metrics.error_count == len(pairs) - metrics.documents.get("scored", 0)
    assert metrics.document_count <= len(pairs)
    assert sum(pair.trial == 1 for pair in pairs) == len({pair.id for pair in pairs})
