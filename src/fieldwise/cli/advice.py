"""What to do about an error, in the words of the command line: its options in place of Python's arguments."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import PurePath

from fieldwise.bulk_aggregator import Json
from fieldwise.errors import FieldwiseError, quoted

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
    "run.no_rows": _always("run fieldwise evaluate with --out"),
    "run.no_values": _always("run fieldwise evaluate without --no-values"),
    "run.not_finished": _finish,
    "run.other_version": _always(_EVALUATE_AGAIN),
    "setting.empty_policy": _always("leave --policy out for the defaults"),
    "spec.fits_no_document": _look_below,
    "spec.no_classes": _always("give --config"),
    "sweep.other_threshold": _always(_EVALUATE_AGAIN),
    "worker.died": _if_kept(f"what was finished is kept: {_FEWER_WORKERS}", "run again with fewer --workers"),
}
"""For codes whose advice is an option: what to do, by the facts."""
