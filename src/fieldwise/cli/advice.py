"""What to do about an error or a note, in the words of the command line: its options in place of Python's arguments."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING

from fieldwise.bulk_aggregator import Json
from fieldwise.errors import FieldwiseError, quoted
from fieldwise.text import one_line

if TYPE_CHECKING:  # help loads nothing of what results are made of
    from fieldwise.views.parts import More, Sentence

_Facts = Mapping[str, Json]
_EVALUATE_AGAIN = "evaluate again with --out"
_FEWER_WORKERS = "run again with --resume, with fewer --workers"
_SETTINGS = {
    "expected_at": "--expected-at",
    "predicted_at": "--predicted-at",
    "limited_fields": "--fail-under",
    "absent": "--absent",
}
"""Arguments of the library that a statement may name, and the options that give them."""


def advised(error: FieldwiseError) -> str:
    """Return what is wrong and what to do about it; where there is no advice for a code, that of the library."""
    statement = error.statement
    option = _SETTINGS.get(str(error.facts.get("setting")))
    if option is not None:
        statement = statement.replace(f" for {error.facts['setting']}", f" for {option}", 1)
    advice = _ADVICE[error.code](error.facts) if error.code in _ADVICE else error.advice
    return f"{statement}; {advice}" if advice else statement


def _always(advice: str) -> Callable[[_Facts], str]:
    return lambda facts: advice


def _same_rules(facts: _Facts) -> str:
    if "unmatched" in facts:
        way = "evaluate both with the same --unmatched and the same --schema"
    elif "spec" in facts:
        way = f"evaluate the candidate again with --like {shlex.quote(str(PurePath(facts['spec']).parent))}"
    else:
        way = "evaluate both with the same --schema, such as the spec.json of the first"
    return f"{way}, or give --allow-different-rules"


def _finish(facts: _Facts) -> str:
    if facts.get("stopped"):
        return "go on with fieldwise evaluate --resume, the same input and the same --out"
    return "give the --out folder of fieldwise evaluate"


def _look_below(facts: _Facts) -> str:
    under = facts.get("under")
    return f"if the documents are under {quoted(under)}, use --expected-at {shlex.quote(under)}" if under else ""


def _if_kept(words: str, otherwise: str = "") -> Callable[[_Facts], str]:
    return lambda facts: words if facts.get("kept") else otherwise


_DOCUMENTS = "a result is what fieldwise compare --json prints; fieldwise evaluate compares documents"


def _how_to_set(facts: _Facts) -> str:
    return (
        "" if "model_id" in facts.get("settings", ()) else "--judge-model and --judge-endpoint set them for this call"
    )


_NO_ANSWER = ("bad_answer", "budget_spent", "failed", "refused", "unreachable")
_ADVICE: Mapping[str, Callable[[_Facts], str]] = {
    "input.no_results": lambda facts: _DOCUMENTS if "results" in facts else "",
    "input.unpacked_limit": _always("if it is what you expect, allow more (--max-unpacked)"),
    **{f"judge.{what}": _if_kept("what was answered is kept for --resume") for what in _NO_ANSWER},
    "judge.not_set": _how_to_set,
    "memory.exhausted": _if_kept(f"what was finished is kept: {_FEWER_WORKERS}"),
    "output.exists": _always("--overwrite replaces it"),
    "output.inside_input": _always("choose another --out"),
    "output.locked": _always("wait for it or choose another --out"),
    "output.unfinished": _always("--resume continues it, --overwrite replaces it"),
    "run.cannot_resume": _always("start it anew with --overwrite, without --resume"),
    "run.damaged": _always(_EVALUATE_AGAIN),
    "run.different_rules": _same_rules,
    "run.no_confidences": _always("evaluate such predictions again with --out"),
    "run.no_rows": _always("run fieldwise evaluate with --out and without --no-verdicts"),
    "run.not_finished": _finish,
    "run.other_version": _always(_EVALUATE_AGAIN),
    "setting.empty_policy": _always("leave --policy out for the defaults"),
    "spec.fits_no_document": _look_below,
    "spec.no_classes": _always("give --config"),
    "sweep.other_threshold": _always(_EVALUATE_AGAIN),
    "worker.died": _if_kept(f"what was finished is kept: {_FEWER_WORKERS}", "run again with fewer --workers"),
}
"""For codes whose advice is an option: what to do, by the facts."""

_TEXT = re.compile(r"""\b(expected_at|predicted_at|absent)=('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
_WORDS = {
    "; match_threshold sets": "; --match-threshold sets",
    "; extras='ignore' leaves": "; --extras ignore leaves",
    "(max_cells=": "(--max-cells ",
    "(unmatched=objects)": "(--unmatched objects)",
    "(unmatched)": "(--unmatched)",
    "show, or errors(field, outcome='match') in Python, lists them": "show RESULTS --accepted lists them",
    "an evaluation with out, or with rows=True, lists them": "fieldwise show lists them after an evaluation with --out",
}

_MORE: Mapping[More, str] = {
    "fields": "--all lists them",
    "calibrated_fields": "--field or --json shows them",
    "flips": "--flips N lists more",
    "rows": "--limit 0 for all",
    "verdicts": "--all lists them",
    "schema": "--schema FILE declares it",
    "failures": "failures.jsonl of --out lists them all",
    "errors": "--limit 0 for all, --outcome wrong for errors only",
}
"""The option that shows what a view leaves out."""


def said_with_options(sentence: Sentence) -> str:
    """Return a sentence of a view in the words of the command line."""
    words = one_line(with_options(sentence.text))
    return words if sentence.more is None else f"{words}; {_MORE[sentence.more]}"


def with_options(note: str) -> str:
    """Return a note of the library with the options of the command line in place of the arguments that it names.

    >>> with_options("The predictions are under 'a b', …; predicted_at='a b' compares what is there.")
    "The predictions are under 'a b', …; --predicted-at 'a b' compares what is there."
    """
    for argument, option in _WORDS.items():
        note = note.replace(argument, option)
    return _TEXT.sub(lambda at: f"--{at[1].replace('_', '-')} {shlex.quote(ast.literal_eval(at[2]))}", note)
