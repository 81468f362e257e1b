"""The manifest of a run: the names of its files, and how each of them was written.

The tables of a run are in parts, one of each shard. A part is written whole and never changed, and counts where the
manifest names it: what is not as it was written, or is of another run, is refused with its name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from fieldwise.errors import InputError

TABLES: Final = ("documents", "pairs", "errors", "counts", "scores", "confidences")
"""The folders of parts."""
MANIFEST: Final = "manifest.json"
FORMAT: Final = 1


class StoredFile(NamedTuple):
    """A file of a run: its name in the folder, its size and its digest."""

    name: str
    size: int
    sha256: str

    @classmethod
    def of(cls, name: str, content: bytes) -> StoredFile:
        """Return what the manifest says of a file."""
        return cls(name, len(content), digest_of(content))


class Part(NamedTuple):
    """What a shard left: how many documents it has, and its tables by name."""

    documents: int
    files: Mapping[str, StoredFile]


class Manifest(NamedTuple):
    """The files of a run: its parts in the order of documents, and the others by name."""

    run: str
    parts: tuple[Part, ...]
    files: Mapping[str, StoredFile]

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON, with a digest of its own."""
        parts = [
            {"documents": part.documents, "files": {k: list(v) for k, v in part.files.items()}} for part in self.parts
        ]
        said: dict[str, Any] = {
            "format": FORMAT,
            "run": self.run,
            "parts": parts,
            "files": {name: list(file) for name, file in self.files.items()},
        }
        return said | {"sha256": _own_digest(said)}

    @classmethod
    def read(cls, path: Path) -> Manifest:
        """Read a manifest; one that was changed is refused."""
        try:
            said = json.loads(path.read_bytes())
            own = said.pop("sha256")
            if own != _own_digest(said):
                raise damaged(path)
            parts = [Part(part["documents"], _files(part["files"])) for part in said["parts"]]
            return cls(said["run"], tuple(parts), _files(said["files"]))
        except FileNotFoundError as error:
            raise InputError(
                f"{path.parent} has no {path.name}: an earlier fieldwise wrote it, or it is not whole",
                code="run.other_version",
                facts={"file": path.parent, "missing": [path.name]},
                advice="evaluate again",
            ) from error
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise damaged(path) from error

    @property
    def names(self) -> frozenset[str]:
        """The names of all parts."""
        return frozenset(file.name for part in self.parts for file in part.files.values())


def _files(said: Mapping[str, Any]) -> dict[str, StoredFile]:
    return {name: StoredFile(*file) for name, file in said.items()}


def _own_digest(said: Mapping[str, Any]) -> str:
    return digest_of(json.dumps(said, sort_keys=True).encode())


def digest_of(content: bytes) -> str:
    """Return the digest of a file."""
    return hashlib.sha256(content).hexdigest()


def damaged(*files: Path) -> InputError:
    """Return the error for a file that is not as its evaluation wrote it."""
    return InputError(
        f"{files[0]} is damaged or of another run: it is not as the evaluation wrote it",
        code="run.damaged",
        facts={"files": list(files)},
        advice="evaluate again",
    )
