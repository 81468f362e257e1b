"""The same pairs of documents, given as JSON text, as an input of every form."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fieldwise import Evaluation, evaluate_pairs, open_pairs

Texts = Mapping[str, tuple[str, str]]
"""The expected and the predicted document of each id."""
Write = Callable[[Path, Texts], list[Path]]


def pair_lines(folder: Path, texts: Texts) -> list[Path]:
    return [_write(folder / "pairs.jsonl", "".join(f"{_pair(name, *sides)}\n" for name, sides in texts.items()))]


def pair_list(folder: Path, texts: Texts) -> list[Path]:
    items = ",\n".join(_pair(name, *sides) for name, sides in texts.items())
    return [_write(folder / "pairs.json", f"[{items}]")]


def lines(folder: Path, texts: Texts) -> list[Path]:
    return [
        _write(folder / f"{side}.jsonl", "".join(f"{_side(name, both[at])}\n" for name, both in texts.items()))
        for at, side in enumerate(("expected", "predicted"))
    ]


def compressed_lines(folder: Path, texts: Texts) -> list[Path]:
    packed = []
    for path in lines(folder, texts):
        packed.append(path.with_name(f"{path.name}.gz"))
        packed[-1].write_bytes(gzip.compress(path.read_bytes()))
    return packed


def lists(folder: Path, texts: Texts) -> list[Path]:
    return [
        _write(folder / f"{side}.json", f"[{', '.join(_side(name, both[at]) for name, both in texts.items())}]")
        for at, side in enumerate(("expected", "predicted"))
    ]


def folders(folder: Path, texts: Texts) -> list[Path]:
    for at, side in enumerate(("expected", "predicted")):
        (folder / side).mkdir()
        for name, both in texts.items():
            _write(folder / side / f"{name}.json", both[at])
    return [folder / "expected", folder / "predicted"]


def table_of_files(folder: Path, texts: Texts) -> list[Path]:
    folders(folder, texts)
    rows = (f"{name},expected/{name}.json,predicted/{name}.json\n" for name in texts)
    return [_write(folder / "table.csv", "id,expected,predicted\n" + "".join(rows))]


def one_zip(folder: Path, texts: Texts) -> list[Path]:
    with zipfile.ZipFile(folder / "both.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (expected, predicted) in texts.items():
            archive.writestr(f"expected/{name}.json", expected)
            archive.writestr(f"predicted/{name}.json", predicted)
    return [folder / "both.zip"]


def parquet(folder: Path, texts: Texts) -> list[Path]:
    columns = {"expected": [one for one, _ in texts.values()], "predicted": [one for _, one in texts.values()]}
    pq.write_table(pa.table({"id": list(texts), **columns}), folder / "pairs.parquet")
    return [folder / "pairs.parquet"]


FORMS: tuple[Write, ...] = (
    pair_lines,
    pair_list,
    lines,
    compressed_lines,
    lists,
    folders,
    table_of_files,
    one_zip,
    parquet,
)


def evaluated(write: Write, folder: Path, texts: Texts, **limits: Any) -> Evaluation:
    """Write the pairs in a form and evaluate them."""
    return evaluate_pairs(open_pairs(*write(folder, texts), **limits))


def _pair(name: str, expected: str, predicted: str) -> str:
    return f'{{"id": "{name}", "expected": {expected}, "predicted": {predicted}}}'


def _side(name: str, document: str) -> str:
    return f'{{"id": "{name}", "document": {document}}}'


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path
