"""What the judges of an evaluation asked and were answered, kept where all its workers share it.

In a folder that is the checkpoint, so that a stopped evaluation asks nothing again when it is resumed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Protocol

from fieldwise.comparators import LLMComparator
from fieldwise.comparators.judge import Ledger
from fieldwise.files import waiting_lock
from fieldwise.spec import Leaf, Node, OneOf, Spec
from fieldwise.spec.nodes import inner_nodes


class Ledgers(Protocol):
    """The ledgers of the judges of an evaluation; they are pickled for whoever evaluates its shards."""

    def of(self, judge: int) -> Ledger:
        """Return the ledger of a judge, given its number among those of the spec."""


@dataclass(frozen=True)
class FolderLedgers:
    """Ledgers in the files of a folder."""

    folder: Path

    def of(self, judge: int) -> Ledger:
        """Return the ledger of a judge."""
        return JudgeLedger(self.folder / f"judge-{judge}")


@dataclass(frozen=True)
class JudgeLedger:
    """The questions of one judge: a count that grows before a question is asked, and the answers, a line each."""

    path: Path

    def spend(self, budget: int | None) -> bool:
        """Count one more question; False where the budget allows none."""
        with self._locked("count") as file:
            asked = int(file.read() or 0)
            if budget is not None and asked >= budget:
                return False
            file.seek(0)
            file.write(str(asked + 1))
        return True

    def keep(self, pair: tuple[str, str], score: float) -> None:
        """Append an answer."""
        with self._locked("answers.jsonl") as file:
            held = file.read()
            cut_off = held and not held.endswith("\n")  # by a process that died
            file.write(("\n" if cut_off else "") + json.dumps([*pair, score]) + "\n")

    def answers(self) -> dict[tuple[str, str], float]:
        """Return the answers that were kept; a line that was cut off when a process died is left out."""
        with self._locked("answers.jsonl") as file:
            lines = file.read().splitlines(keepends=True)
        kept = [_answer(line) for line in lines if line.endswith("\n")]
        return {(answer[0], answer[1]): answer[2] for answer in kept if answer is not None}

    @contextmanager
    def _locked(self, name: str) -> Iterator[IO[str]]:
        place = self.path.with_name(f"{self.path.name}.{name}")
        with waiting_lock(place.with_name(f"{place.name}.lock")):
            place.touch()
            with place.open("r+", encoding="ascii") as file:
                yield file


def _answer(line: str) -> tuple[str, str, float] | None:
    try:
        expected, predicted, score = json.loads(line)
    except ValueError:
        return None
    return expected, predicted, score


def use_ledgers(spec: Spec, ledgers: Ledgers | None) -> None:
    """Let the judges of a spec use ledgers; without any each counts for itself again."""
    for number, judge in enumerate(judges_of(spec)):
        judge.use_ledger(None if ledgers is None else ledgers.of(number))


def judges_of(spec: Spec) -> list[LLMComparator]:
    """Return the judges that a spec names, in its order, each once."""
    found: dict[int, LLMComparator] = {}
    specs = [spec, *spec.classes.values()]
    waiting: list[Node] = [node for held in specs for node in (held.root, *held.definitions.values())]
    while waiting:
        node = waiting.pop(0)
        leaf = node.otherwise if isinstance(node, OneOf) else node
        if isinstance(leaf, Leaf) and isinstance(leaf.comparator, LLMComparator):
            found.setdefault(id(leaf.comparator), leaf.comparator)
        waiting.extend(inner_nodes(node))
    return list(found.values())
