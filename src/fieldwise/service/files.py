"""results.json and report.md of every document of an evaluation, one folder for each document."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from fieldwise.errors import SettingError
from fieldwise.evaluation.document import DocumentOutcome
from fieldwise.evaluation.settings import Settings
from fieldwise.files import write_whole
from fieldwise.results.document_result import DocumentResult
from fieldwise.service.evaluation import document_result
from fieldwise.service.report import report_of

_RESULTS, _REPORT = ("results", ".json"), ("report", ".md")
_OURS = re.compile(r"(results(\.\d+)?\.json)|(report(\.\d+)?\.md)")
_FOLDER = "evaluation"
_KEPT = "._- ()[]{}!#$&'+,;=@~^"
_MAX_NAME = 200


@dataclass(frozen=True)
class ResultFiles:
    """results.json and report.md of every document of an evaluation, each under its id."""

    folder: Path
    settings: Settings

    def write(self, document: DocumentOutcome) -> None:
        """Write the files of a document, or of a trial of it."""
        result = document_result(document, self.settings)
        write_document(result, self.folder / path_of(result))

    def clear(self) -> None:
        """Remove what was written."""
        for path in _files_in(self.folder):
            path.unlink()


def check_new(folder: str | Path, *, overwrite: bool = False) -> Path:
    """Refuse a folder that holds anything but what an earlier call wrote, and that too unless it may be replaced."""
    root = Path(folder)
    others = [path for path in _files_in(root) if not _is_ours(path)]
    if others or (root.exists() and not root.is_dir()):
        held = f"it holds {others[0].relative_to(root)}" if others else "it is no folder"
        raise SettingError(
            f"Cannot write results to {root}: {held}; choose an empty folder or a new one",
            code="output.not_empty",
            facts={"file": root},
        )
    if not overwrite and any(_files_in(root)):
        raise SettingError(
            f"{root} holds the results of an earlier evaluation",
            code="output.exists",
            facts={"file": root},
            advice="overwrite=True replaces them",
        )
    return root


def _files_in(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if not path.is_dir() or path.is_symlink()] if root.is_dir() else []


def _is_ours(path: Path) -> bool:
    return path.parent.name == _FOLDER and _OURS.fullmatch(path.name) is not None and not path.is_symlink()


def write_document(document: DocumentResult, folder: Path) -> None:
    """Write what was found in one document, or in a further trial of it, which has files of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    results, report = (_file_name(name, document.trial) for name in (_RESULTS, _REPORT))
    write_whole(folder / results, (document.to_json(indent=1) + "\n").encode())
    write_whole(folder / report, report_of(document).encode("utf-8", "backslashreplace"))


def _file_name(name: tuple[str, str], trial: int) -> str:
    turn = f".{trial}" if trial > 1 else ""
    return f"{name[0]}{turn}{name[1]}"


def path_of(document: DocumentResult) -> Path:
    """Return where a document's files are: under its id, written so that it stays inside of the folder."""
    return Path(*(safe_name(part) for part in document.document_id.split("/")), _FOLDER)


def safe_name(part: str) -> str:
    """Return a part of an id as the name of a folder; different parts have different names, and none is hidden.

    >>> safe_name("Loan (2).pdf"), safe_name(".."), safe_name("a:b"), safe_name(".a")
    ('Loan (2).pdf', '%2E%2E', 'a%3Ab', '%2Ea')
    """
    name = "".join(c if c.isalnum() or c in _KEPT else quote(c, safe="", errors="backslashreplace") for c in part)
    if not name.strip(".") or name.endswith((" ", ".")):
        name = name.replace(".", "%2E").replace(" ", "%20") or "%"
    if name.startswith("."):  # a pattern such as **/results.json passes over hidden folders
        name = f"%2E{name[1:]}"
    return name if len(name.encode()) <= _MAX_NAME else f"{name[:60]}%{_digest(part)}"


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:32]
