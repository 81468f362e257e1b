"""Whether two runs were made under the same rules, so that their numbers can be compared; if not, what differs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from fieldwise.errors import SettingError, quoted
from fieldwise.runs.run import Run
from fieldwise.spec import escape
from fieldwise.values import Json

_PREFIXES = ("x-aws-stickler-", "x-fieldwise-")
_NO_RULES = frozenset(
    {
        *("why", "model-name", "title", "description", "examples", "default", "required"),
        *("properties", "items", "$defs", "classes"),
    }
)
"""Keys of a spec that don't say how a field is compared, or are looked at on their own."""
_CLASS = ": "
"""Stands behind a class, before its fields."""
_MAX_FIELDS = 5
_MAX_SETTINGS = 3
_MAX_LETTERS = 40


def differing_rules(base: Run, candidate: Run) -> tuple[str, ...]:
    """Return in words what differs; nothing where the runs were compared under the same rules."""
    if base.metrics.unmatched != candidate.metrics.unmatched:  # which is part of the fingerprint
        ways = f"by {base.metrics.unmatched} and by {candidate.metrics.unmatched}"
        return (f"values of unpaired list items count {ways} (unmatched)",)
    specs = base.metrics.spec_fingerprint, candidate.metrics.spec_fingerprint
    if specs[0] == specs[1]:
        return ()
    named = _differing_fields(base, candidate)
    return (named or f"their specs differ ({_short(specs[0])} and {_short(specs[1])})",)


def check_rules(base: Run, candidate: Run, *, allow_different: bool) -> tuple[str, ...]:
    """Refuse runs under different rules, unless they are allowed; return what differs."""
    differing = differing_rules(base, candidate)
    if differing and not allow_different:
        raise SettingError(
            f"The two runs were made under different rules: {differing[0]}; a difference would say little about the "
            "predictions",
            code="run.different_rules",
            facts={"base": base.name, "candidate": candidate.name, "differing": differing, **_way_out(base, candidate)},
            advice="evaluate both with the same spec, or allow different rules",
        )
    return differing


def _way_out(base: Run, candidate: Run) -> dict[str, Json]:
    """Return how both count, where that differs, or the spec of the base, where it is at hand."""
    if base.metrics.unmatched != candidate.metrics.unmatched:
        return {"unmatched": [base.metrics.unmatched, candidate.metrics.unmatched]}
    return {} if base.spec_name is None else {"spec": base.spec_name}


def _short(fingerprint: str | None) -> str:
    return "unknown" if fingerprint is None else fingerprint[:12]


def _differing_fields(base: Run, candidate: Run) -> str:
    """Name the fields that are compared differently, and how; nothing where a spec is not at hand."""
    specs = base.spec(), candidate.spec()
    if specs[0] is None or specs[1] is None:
        return ""
    before, after = dict(_settings(specs[0], "")), dict(_settings(specs[1], ""))
    paths = [path for path in {**before, **after} if before.get(path) != after.get(path)]
    if not paths:
        return ""
    paths.sort(key=lambda path: _CLASS not in path)  # what has no class is compared by the fields of all
    told = [_told(path, before.get(path), after.get(path)) for path in paths[:_MAX_FIELDS]]
    more = f"; and {len(paths) - _MAX_FIELDS} more" if len(paths) > _MAX_FIELDS else ""
    fields = "1 field is" if len(paths) == 1 else f"{len(paths)} fields are"
    return f"{fields} compared differently: {'; '.join(told)}{more}"


def _settings(node: Json, path: str) -> Iterator[tuple[str, dict[str, Json]]]:
    """Yield the path of each field that a spec declares, with its settings by their names without prefix."""
    if not isinstance(node, dict):
        return
    plain = {_bare(key): value for key, value in node.items()}
    if isinstance(plain.get("type"), list):
        plain["type"] = plain["type"][0]  # whether null is allowed decides nothing
    yield path, {key: value for key, value in plain.items() if key not in _NO_RULES}
    below = f"{path}." if path and not path.endswith(_CLASS) else path
    for name, child in _members(node.get("properties")):
        yield from _settings(child, below + escape(name))
    for name, child in _members(node.get("$defs")):
        yield from _settings(child, f"{below}$defs.{name}")
    for name, child in _members(node.get("x-fieldwise-classes")):
        yield from _settings(child, f"{name}{_CLASS}")
    if isinstance(node.get("items"), dict):
        yield from _settings(node["items"], f"{path}[]")


def _members(value: Json) -> list[tuple[str, Json]]:
    return list(value.items()) if isinstance(value, dict) else []


def _bare(key: str) -> str:
    return next((key.removeprefix(prefix) for prefix in _PREFIXES if key.startswith(prefix)), key)


def _told(path: str, before: Mapping[str, Json] | None, after: Mapping[str, Json] | None) -> str:
    name = "the document" if not path else f"class {quoted(path[:-2])}" if path.endswith(_CLASS) else quoted(path)
    if before is None or after is None:
        return f"{name} is declared in the {'candidate' if before is None else 'base'} only"
    keys = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    settings = [f"{key} {_written(before.get(key))} → {_written(after.get(key))}" for key in keys[:_MAX_SETTINGS]]
    return f"{name} ({', '.join(settings)}{', …' if len(keys) > _MAX_SETTINGS else ''})"


def _written(value: Json) -> str:
    if value is None:
        return "none"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_LETTERS else f"{text[: _MAX_LETTERS - 1]}…"
