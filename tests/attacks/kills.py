"""Kill evaluations at random moments, resume them, and compare every file with that of an undisturbed run.

Run as ``python -m tests.attacks.kills --count 1000 --workers 1,2 --seed 7``, with ``--layout sections`` for folders of
documents in sections, with specs of classes. A cycle is known by the seed and its number, so one that fails can be
repeated: ``--seed 7 --first 123 --count 1``.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from examples.generate_invoices import generate

from fieldwise import evaluate_pairs, open_pairs
from fieldwise.errors import FieldwiseError
from fieldwise.spec.class_config import spec_of_classes
from fieldwise.tables.manifest import MANIFEST, Manifest
from tests.folders import files_of
from tests.sections import section, write_sections

DOCUMENTS = 160
SHARD_DOCUMENTS = 10
MAX_KILLS = 4
IN_PARALLEL = 2
NOTHING_TO_RESUME = 20


@dataclass(frozen=True)
class Plan:
    """What all cycles share: the input, the files of an undisturbed run, and how long one takes by its workers."""

    pairs: Path
    reference: dict[str, bytes]
    seconds: dict[int, float]
    seed: int


@dataclass(frozen=True)
class Cycle:
    """What became of one cycle: where its kills fell, and what was wrong with the result."""

    number: int
    stages: tuple[str, ...]
    wrong: str = ""


def write_pairs(path: Path) -> None:
    """Write some invoices: a few cannot be read, some name their class, and of these some the wrong one."""
    with path.open("w", encoding="utf-8") as file:
        for number, made in enumerate(generate(DOCUMENTS, 5)):
            broken = number % 60 == 7
            pair = {"id": f"i{number}", "expected": made.expected, "predicted": None if broken else made.predicted}
            if number % 5 == 3:
                classes = {"expected": f"class {number % 2}", "predicted": f"class {number % 3 % 2}"}
                for side, name in classes.items():
                    pair[side] = {"document_class": name, "inference_result": pair[side]}
            file.write(json.dumps(pair)[: -2 if number % 60 == 9 else None] + "\n")


CLASSES = {
    "classes": {
        "Invoice": {"properties": {"total": {"type": "number"}, "invoice_number": {"type": "string"}}},
        "Receipt": {"properties": {"total": {"type": "number"}}},
        "Cover": {"x-aws-idp-exclude-from-processing": True},
    }
}
"""What the sections are compared by; letters are in no config."""


def write_folders(path: Path) -> None:
    """Write the invoices as sections of documents, beside others: some lost, extra, excluded, broken, or of the wrong
    class."""
    for number, made in enumerate(generate(DOCUMENTS, 5)):
        pages = [[0, 1], [2], [3], [4]]
        sure = {"total": {"confidence": number % 100 / 100}}
        about = {"explainability_info": [sure], "metadata": {"pages": 2, "vendor": f"v{number % 3}"}}
        receipt = section("Receipt", {"total": number}, pages[1])
        expected = {
            "1": section("Invoice", made.expected, pages[0]),
            "2": receipt,
            "3": section("Letter", {"from": f"sender {number % 7}"}, pages[2]),
            "4": section("Cover", {"title": "x"}, pages[3]),
        }
        predicted = {
            **expected,
            "1": section("Receipt" if number % 9 == 4 else "invoice", made.predicted, pages[0], **about),
            "2": json.dumps(receipt)[:-9] if number % 20 == 7 else receipt,
            "5": section("Letter", {"from": "nobody"}, [9]),
        }
        for lost in {number % 11, number % 13} & {2, 3, 4, 5}:
            predicted.pop(str(lost))
        broken = {"1": "{"} if number % 60 == 9 else expected
        write_sections(path / "expected", {f"d{number}.pdf": broken})
        write_sections(path / "predicted", {f"d{number}.pdf": predicted})


def start(pairs: Path, out: Path, workers: int, *, resume: bool, overwrite: bool = False) -> int:
    """Begin an evaluation in a process of its own group; return its id."""
    process = os.fork()
    if process:
        with suppress(OSError):  # it has begun a group already
            os.setpgid(process, process)
        return process
    code = 1
    try:
        os.setpgid(0, 0)
        for stream in (1, 2):
            os.dup2(os.open(out.with_suffix(".log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
        evaluate_pairs(
            open_pairs(pairs),
            spec_of_classes(CLASSES) if pairs.is_dir() else None,
            slices=["vendor"] if pairs.is_dir() else [],
            out=out,
            workers=workers,
            resume=resume,
            overwrite=overwrite,
            shard_documents=SHARD_DOCUMENTS,
        )
        code = 0
    except FieldwiseError as error:
        code = NOTHING_TO_RESUME if "nothing to resume" in str(error) else 2
        os.write(2, f"{error}\n".encode())
    finally:
        os._exit(code)


def end_of(process: int) -> int:
    """Wait until a process ends and return its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def is_over(process: int) -> bool:
    """Tell whether a process has ended, and leave it to be waited for."""
    return os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def moments(rng: random.Random, out: Path, seconds: float) -> Callable[[], bool]:
    """Return what tells that the moment of a kill has come: a time, or something that the evaluation wrote."""
    work, begun = out / ".fieldwise-work", time.monotonic()
    if rng.random() < 0.5:
        after = rng.random() * seconds
        return lambda: time.monotonic() - begun > after
    shards, metrics = rng.randint(1, DOCUMENTS // SHARD_DOCUMENTS), out / "metrics.json"
    return rng.choice(
        [
            lambda: len(list(work.glob("*.state.json"))) >= shards,
            (work / "results" / rng.choice(["spec.json", "report.html", "metrics.json"])).exists,
            (out / "fields.csv").exists,
            metrics.exists,
            lambda: metrics.exists() and not (work / "run.json").exists(),
            lambda: metrics.exists() and not work.exists(),
        ]
    )


def stage(out: Path) -> str:
    """Return how far an evaluation had come when it was killed."""
    work = out / ".fieldwise-work"
    if not work.exists():
        return "finished" if (out / "metrics.json").exists() else "before the first shard"
    if not (work / "run.json").exists():
        return "cleaning up" if (out / "metrics.json").exists() else "before the first shard"
    if any((out / name).exists() for name in ("manifest.json", "fields.csv", "metrics.json")):
        return "publishing"
    results = work / "results"
    if (results / "spec.json").exists():
        return "writing results"
    return "shards" if any(work.glob("*.state.json")) else "before the first shard"


def run_cycle(plan: Plan, workers: int, number: int) -> Cycle:
    """Kill an evaluation once or several times, resume it, and compare."""
    rng = random.Random(f"{plan.seed}-{number}")
    folder = Path(tempfile.mkdtemp(prefix="kills-"))
    out, stages = folder / "out", list[str]()
    try:
        kills = 1 if rng.random() < 0.6 else rng.randint(2, MAX_KILLS)
        for at in range(kills):
            anew = bool(at) and rng.random() < 0.2
            process = start(plan.pairs, out, workers, resume=bool(at) and not anew, overwrite=anew)
            is_time = moments(rng, out, plan.seconds[workers])
            while not is_time() and not is_over(process):
                time.sleep(0.0005)
            time.sleep(rng.random() * 0.004)
            os.kill(process, signal.SIGKILL) if rng.random() < 0.5 else os.killpg(process, signal.SIGKILL)
            if end_of(process) == NOTHING_TO_RESUME:
                break
            stages.append(stage(out))
        code = end_of(start(plan.pairs, out, workers, resume=True))
        wrong = _difference(out, plan.reference, code)
        log = out.with_suffix(".log").read_text(encoding="utf-8", errors="replace") if wrong else ""
        return Cycle(number, tuple(stages), f"{wrong}\n{log}".strip())
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _difference(out: Path, reference: dict[str, bytes], code: int) -> str:
    if code not in (0, NOTHING_TO_RESUME):
        return f"resuming ended with {code}"
    files = files_of(out)
    if files.keys() != reference.keys():
        return f"files differ: {sorted(files.keys() ^ reference.keys())}"
    unnamed = {name for name in Manifest.read(out / MANIFEST).files if not (out / name).is_file()}
    if unnamed:
        return f"named by the manifest and not there: {sorted(unnamed)}"
    left_over = set(os.listdir(out)) - {Path(name).parts[0] for name in reference} - {MANIFEST}
    if left_over:
        return f"left over: {sorted(left_over)}"
    differing = [name for name, content in reference.items() if files[name] != content]
    return f"contents differ: {differing}" if differing else ""


def prepare(folder: Path, workers: list[int], seed: int, layout: str = "lines") -> Plan:
    """Write the input, evaluate it undisturbed and measure how long that takes."""
    pairs, seconds, reference = folder / LAYOUTS[layout][0], dict[int, float](), dict[str, bytes]()
    LAYOUTS[layout][1](pairs)
    for number in workers:
        taken = []
        for turn in range(2):
            out = folder / f"whole-{number}-{turn}"
            begun = time.monotonic()
            if code := end_of(start(pairs, out, number, resume=False)):
                raise SystemExit(f"the undisturbed run ended with {code}: {out.with_suffix('.log').read_text()}")
            taken.append(time.monotonic() - begun)
            files = files_of(out)
            if (reference or files) != files:
                raise SystemExit(f"two undisturbed runs differ, {number} workers")
            reference = files
        seconds[number] = min(taken)
    return Plan(pairs, reference, seconds, seed)


LAYOUTS = {"lines": ("pairs.jsonl", write_pairs), "sections": ("packets", write_folders)}
"""What the input is called, and what writes it."""


def run_cycles(plan: Plan, workers: list[int], numbers: range) -> Iterator[Cycle]:
    """Yield what becomes of cycles, some at a time."""
    with ProcessPoolExecutor(IN_PARALLEL, mp_context=multiprocessing.get_context("fork")) as pool:
        running = [pool.submit(run_cycle, plan, workers[number % len(workers)], number) for number in numbers]
        try:
            for future in as_completed(running):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def main() -> int:
    """Run cycles, print how far they are and what came of them; 1 where any is wrong."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--count", type=int, default=1000, help="how many cycles")
    arguments.add_argument("--workers", default="1,2", help="numbers of workers, in turn")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--first", type=int, default=0, help="the number of the first cycle")
    arguments.add_argument("--layout", choices=LAYOUTS, default="lines", help="what the input looks like")
    given = arguments.parse_args()
    workers, begun = [int(number) for number in given.workers.split(",")], time.monotonic()
    stages, wrong, done = Counter[str](), list[Cycle](), 0
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        plan = prepare(Path(folder), workers, given.seed, given.layout)
        say(f"a run takes {', '.join(f'{s:.2f} s with {n} workers' for n, s in plan.seconds.items())}")
        for cycle in run_cycles(plan, workers, range(given.first, given.first + given.count)):
            done += 1
            stages.update(cycle.stages)
            if cycle.wrong:
                wrong.append(cycle)
                say(f"cycle {cycle.number}, killed at {', '.join(cycle.stages)}: {cycle.wrong}")
            if done % max(given.count // 20, 1) == 0:
                left = (time.monotonic() - begun) / done * (given.count - done)
                say(f"{done} of {given.count} cycles, {len(wrong)} wrong, about {left:.0f} s left")
    for name, count in stages.most_common():
        say(f"{count:6} kills: {name}")
    say(f"{given.count} cycles, {sum(stages.values())} kills, {len(wrong)} wrong, {time.monotonic() - begun:.0f} s")
    return 1 if wrong else 0


def say(text: str) -> None:
    """Print a line now."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
