"""Results of documents that somebody compared before, from files of JSON and JSON Lines."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from fieldwise.errors import InputError, SettingError
from fieldwise.readers.json_text import parse_json, read_json
from fieldwise.readers.trees import Passed
from fieldwise.results import Failure
from fieldwise.values import Json


class FoundResult(NamedTuple):
    """The result of a document, as it was read, and what the document is called."""

    document: str
    content: Json


def read_results(paths: Sequence[str | Path], passed: Passed) -> Iterator[FoundResult | Failure]:
    """Yield every result in files, folders and patterns such as ``results/**/*.json``, or why a file has none.

    Files of folders that hold something else are noted as passed.
    """
    is_empty = True
    for path in _files(paths, passed):
        is_empty = False
        try:
            for document, content in _results_in(path):
                _refuse_whole_evaluation(path, content)
                yield FoundResult(document, content)
        except InputError as error:
            yield Failure(str(path), str(error), "unreadable")
    if is_empty:
        raise InputError(
            f"No evaluation results: looked for *.json and *.jsonl in {', '.join(map(str, paths))}",
            code="input.no_results",
            facts={"files": list(map(str, paths))},
        )


def _files(paths: Iterable[str | Path], passed: Passed) -> Iterator[Path]:
    for given in paths:
        path = Path(given)
        if path.is_dir():
            yield from _files_in(path, passed)
        elif path.exists():
            yield path
        elif any(mark in str(given) for mark in "*?["):
            yield from sorted(Path(name) for name in glob.glob(str(given), recursive=True))
        else:
            raise InputError(
                f"There is no {given}; expected files or folders of evaluation results",
                code="input.not_found",
                facts={"file": given},
            )


def _files_in(folder: Path, passed: Passed) -> Iterator[Path]:
    """Yield the files of a folder that hold results, in whatever case their suffixes are; note the others."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.suffix.lower() in (".json", ".jsonl"):
            yield path
        elif not _is_report(path):
            passed.add(path.relative_to(folder).as_posix())


def _is_report(path: Path) -> bool:
    """Tell whether a file is the report that is written beside each results.json."""
    of = path.name.removeprefix("report")
    return path.suffix == ".md" and of != path.name and path.with_name(f"results{of}").with_suffix(".json").exists()


def _results_in(path: Path) -> Iterator[tuple[str, Json]]:
    if path.suffix.lower() != ".jsonl":
        result = read_json(path)
        yield _document_of(result) or str(path), result
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                held = parse_json(line, f"{path}, line {number}")
                result = held.get("comparison_result", held) if isinstance(held, dict) else held
                yield _document_of(held) or f"{path}:{number}", result


def _refuse_whole_evaluation(path: Path, result: Json) -> None:
    """Refuse the metrics of many documents, which would count as one."""
    if isinstance(result, dict) and {"document_count", "scorer_version", "fields"} <= result.keys():
        page = path.parent / "report.html"
        raise SettingError(
            f"{path} holds the metrics of a whole evaluation, not the result of a document; {page} shows it,"
            " fieldwise diff compares two of them, and fieldwise evaluate over all documents gives one result",
            code="input.whole_evaluation",
            facts={"file": path},
        )


def _document_of(result: Json) -> str | None:
    if isinstance(result, dict):
        for key in ("doc_id", "document_id", "id"):
            if isinstance(result.get(key), str):
                return str(result[key])
    return None
