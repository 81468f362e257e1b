"""Whether two runs were made under the same rules, so that their numbers can be compared."""

from __future__ import annotations

from fieldwise.errors import SettingError
from fieldwise.runs.folder import Run


def differing_rules(base: Run, candidate: Run) -> tuple[str, ...]:
    """Return in words what differs; nothing where the runs were compared under the same rules."""
    pairs = {
        "the spec": (_short(base.fingerprint), _short(candidate.fingerprint)),
        "how values of unpaired list items count": (base.unmatched, candidate.unmatched),
    }
    return tuple(f"{what} ({one} and {other})" for what, (one, other) in pairs.items() if one != other)


def check_rules(base: Run, candidate: Run, *, allow_different: bool) -> tuple[str, ...]:
    """Refuse runs under different rules, unless they are allowed; return what differs."""
    differing = differing_rules(base, candidate)
    if differing and not allow_different:
        raise SettingError(
            f"The two runs were compared under different rules: {' and '.join(differing)} differ, so a difference "
            f"says nothing about the predictions. Evaluate both with --schema {base.name}/spec.json, "
            "or give --allow-different-rules"
        )
    return differing


def _short(fingerprint: str | None) -> str:
    return "unknown" if fingerprint is None else fingerprint[:12]
