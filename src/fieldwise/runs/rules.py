"""Whether two runs were made under the same rules, so that their numbers can be compared."""

from __future__ import annotations

from fieldwise.errors import SettingError
from fieldwise.runs.folder import Run


def differing_rules(base: Run, candidate: Run) -> tuple[str, ...]:
    """Return in words what differs; nothing where the runs were compared under the same rules."""
    if base.unmatched != candidate.unmatched:  # which is part of the fingerprint
        return (f"values of unpaired list items count by {base.unmatched} and by {candidate.unmatched} (--unmatched)",)
    if base.fingerprint != candidate.fingerprint:
        return (f"their specs differ ({_short(base.fingerprint)} and {_short(candidate.fingerprint)})",)
    return ()


def check_rules(base: Run, candidate: Run, *, allow_different: bool) -> tuple[str, ...]:
    """Refuse runs under different rules, unless they are allowed; return what differs."""
    differing = differing_rules(base, candidate)
    if differing and not allow_different:
        raise SettingError(
            f"The two runs were made under different rules: {differing[0]}; a difference would say little about the "
            "predictions. Evaluate both with the same --schema, such as the spec.json of the first, and the same "
            "--unmatched, or give --allow-different-rules"
        )
    return differing


def _short(fingerprint: str | None) -> str:
    return "unknown" if fingerprint is None else fingerprint[:12]
