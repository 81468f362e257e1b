"""The comparison keys of a JSON Schema: their names, where each may stand, and their checks.

Every key is spelt ``x-aws-stickler-<name>`` or ``x-fieldwise-<name>``; the second spelling also knows our own keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fieldwise.checks import checked_flag, checked_number, checked_weight
from fieldwise.comparators import BaseComparator, build
from fieldwise.errors import SettingError, closest, nearest
from fieldwise.spec.nodes import SpecExtras, check_extras, check_order
from fieldwise.spec.paths import steps_of
from fieldwise.values import Json

PREFIXES = ("x-aws-stickler-", "x-fieldwise-")
_REFUSED_PREFIXES = (*PREFIXES, "x-stickler-")

FIELD_KEYS = frozenset({"comparator", "comparator-config", "threshold", "weight", "clip-under-threshold", "aggregate"})
OBJECT_KEYS = frozenset({"model-name", "match-threshold", "infer-unspecified"})
ROOT_KEYS = frozenset({"extras", "outside"})
OWN_KEYS = frozenset({"order", "key", "alternates", "locale", "why", "kind"}) | ROOT_KEYS


@dataclass(frozen=True)
class Keys:
    """The comparison keys that stand at one place of a schema, by their names without prefix."""

    given: Mapping[str, Json]
    path: str
    own: frozenset[str] = frozenset()
    """Those spelt with our own prefix; only there a weight may be 0."""

    def __contains__(self, name: str) -> bool:
        return name in self.given

    def unit(self, name: str) -> float | None:
        return checked_number(name, self.given[name], high=1.0, path=self.path) if name in self.given else None

    def flag(self, name: str) -> bool | None:
        return checked_flag(name, self.given[name], path=self.path) if name in self.given else None

    def weight(self) -> float | None:
        zero = "weight" in self.own
        return checked_weight(self.given["weight"], zero=zero, path=self.path) if "weight" in self.given else None

    def comparator(self) -> BaseComparator | None:
        name = self.given.get("comparator")
        if name is None or name == "auto":
            return None
        return build(self.text("comparator"), self.config(), self.path)

    @property
    def auto(self) -> bool:
        return self.given.get("comparator") == "auto"

    def config(self) -> dict[str, Any]:
        config = self.given.get("comparator-config", {})
        if not isinstance(config, Mapping):
            raise SettingError(
                f"Expected an object for `comparator-config`, got {config!r}",
                path=self.path,
                facts={"setting": "comparator-config", "got": config},
            )
        if "locale" in self.given:
            config = {**config, "locale": self.given["locale"]}
        return dict(config)

    def text(self, name: str) -> str:
        value = self.given[name]
        if not isinstance(value, str):
            raise SettingError(
                f"Expected text for `{name}`, got {value!r}", path=self.path, facts={"setting": name, "got": value}
            )
        return value

    def model_name(self, default: str) -> str:
        name = self.text("model-name") if "model-name" in self.given else default
        if not name.isidentifier():
            raise SettingError(
                f"Expected an identifier for `model-name`, got {name!r}",
                path=self.path,
                facts={"setting": "model-name", "got": name},
            )
        return name

    def order(self) -> Any:
        return check_order(self.given.get("order", "any"), self.path)

    def list_key(self) -> tuple[str, ...]:
        key = self.given.get("key", [])
        names = [key] if isinstance(key, str) else key
        if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
            raise SettingError(
                f"Expected a list of field names for `key`, got {key!r}",
                path=self.path,
                facts={"setting": "key", "got": key},
            )
        return tuple(names)

    def extras(self) -> SpecExtras | None:
        return check_extras(self.given["extras"], self.path) if "extras" in self.given else None

    def outside(self) -> frozenset[str] | None:
        """Return the paths outside the spec; None where nobody has looked for them."""
        paths = self.given.get("outside")
        if paths is None:
            return None
        if not isinstance(paths, list) or not all(isinstance(p, str) for p in paths):
            raise SettingError(
                f"Expected a list of paths for `outside`, got {paths!r}",
                path=self.path,
                facts={"setting": "outside", "got": paths},
            )
        for path in paths:
            if not all(isinstance(step, str) for step in steps_of(path)):
                raise SettingError(
                    f"Expected a path without list positions for `outside`, got {path!r}",
                    path=self.path,
                    facts={"setting": "outside", "got": path},
                )
        return frozenset(paths)

    def sources(self) -> dict[str, str]:
        """Return where each setting came from, in words."""
        spelt = {"clip-under-threshold": "clip", "match-threshold": "match_threshold"}
        return {spelt.get(name, name): f"schema key {name}" for name in self.given}


def read_keys(
    schema: Mapping[str, Json],
    path: str,
    allowed: frozenset[str],
    place: str,
    *,
    own: frozenset[str] | None = None,
) -> Keys:
    """Collect the comparison keys of a schema node; refuse unknown ones and those that belong elsewhere.

    ``own``: the keys allowed there under our own prefix, where these are others.
    """
    given: dict[str, Json] = {}
    spelt_own = set[str]()
    for key, value in schema.items():
        if not key.startswith(_REFUSED_PREFIXES):
            continue
        prefix = next((p for p in PREFIXES if key.startswith(p)), None)
        name = key[len(prefix) :] if prefix else ""
        known = FIELD_KEYS | OBJECT_KEYS | (OWN_KEYS if prefix == PREFIXES[1] else frozenset())
        if prefix is None or name not in known:
            valid = [p + n for p in PREFIXES for n in known]
            facts = {"key": key, "nearest": closest(key, valid)}
            message = f"Unknown schema key {key!r}{nearest(key, valid)}"
            raise SettingError(message, path=path, code="setting.unknown_key", facts=facts)
        here = own if own is not None and prefix == PREFIXES[1] else allowed
        if name not in here:
            listed = ", ".join(sorted(here)) or "none"
            raise SettingError(
                f"The key {key!r} has no meaning on {place}; allowed there: {listed}",
                path=path,
                code="spec.not_allowed",
                facts={"setting": key},
            )
        given[name] = value
        (spelt_own.add if prefix == PREFIXES[1] else spelt_own.discard)(name)
    return Keys(given, path, frozenset(spelt_own))
