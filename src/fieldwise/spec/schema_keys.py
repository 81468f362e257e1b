"""The comparison keys of a JSON Schema: their names, where each may stand, their checks, what they say of a field.

Every key is spelt ``x-aws-stickler-<name>`` or ``x-fieldwise-<name>``; the second spelling also knows our own keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fieldwise.checks import checked_flag, checked_number, checked_weight
from fieldwise.comparators import BaseComparator, build
from fieldwise.errors import SettingError
from fieldwise.spec.inference_rules import settle
from fieldwise.spec.nodes import (
    Leaf,
    Node,
    Object,
    Order,
    OtherClasses,
    SpecExtras,
    absent_words,
    check_extras,
    check_fit,
    check_order,
    check_other_classes,
    not_allowed,
    unknown_key,
)
from fieldwise.spec.paths import steps_of
from fieldwise.values import AbsentWords, Json

PEER, OWN = PREFIXES = ("x-aws-stickler-", "x-fieldwise-")
_REFUSED_PREFIXES = ("x-aws-s", "x-fieldw", "x-stickler-")
"""How keys begin that are ours or a peer's; those of others, such as ``x-aws-idp-``, are read elsewhere, or never."""

FIELD_KEYS = frozenset({"comparator", "comparator-config", "threshold", "weight", "clip-under-threshold", "aggregate"})
OBJECT_KEYS = frozenset({"model-name", "match-threshold", "infer-unspecified"})
ROOT_KEYS = frozenset({"extras", "absent", "outside", "classes", "excluded-classes", "other-classes"})
OWN_KEYS = frozenset({"order", "key", "alternates", "absent", "locale", "why", "kind"}) | ROOT_KEYS


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

    def config(self) -> dict[str, Json]:
        config = self.given.get("comparator-config", {})
        if not isinstance(config, Mapping):
            raise self._refusal("an object", "comparator-config", config)
        if "locale" in self.given:
            config = {**config, "locale": self.given["locale"]}
        return dict(config)

    def text(self, name: str) -> str:
        value = self.given[name]
        if not isinstance(value, str):
            raise self._refusal("text", name, value)
        return value

    def model_name(self, default: str) -> str:
        name = self.text("model-name") if "model-name" in self.given else default
        if not name.isidentifier():
            raise self._refusal("an identifier", "model-name", name)
        return name

    def order(self) -> Order:
        return check_order(self.given.get("order", "any"), self.path)

    def list_key(self) -> tuple[str, ...]:
        key = self.given.get("key", [])
        names = [key] if isinstance(key, str) else key
        if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
            raise self._refusal("a list of field names", "key", key)
        return tuple(names)

    def extras(self) -> SpecExtras | None:
        return check_extras(self.given["extras"], self.path) if "extras" in self.given else None

    def absent(self) -> AbsentWords | None:
        """Return the texts that stand for no value; None where nobody said."""
        return absent_words(self.given["absent"], self.path) if "absent" in self.given else None

    def outside(self) -> frozenset[str] | None:
        """Return the paths outside the spec; None where nobody has looked for them."""
        paths = self.given.get("outside")
        if paths is None:
            return None
        if not isinstance(paths, list) or not all(isinstance(p, str) for p in paths):
            raise self._refusal("a list of paths", "outside", paths)
        for path in paths:
            if not all(isinstance(step, str) for step in steps_of(path)):
                raise self._refusal("a path without list positions", "outside", path)
        return frozenset(paths)

    def classes(self) -> Mapping[str, Json]:
        """Return the schemas of classes."""
        return self._object("classes")

    def excluded_classes(self) -> dict[str, str]:
        """Return the classes that are excluded, and why."""
        return {str(name): str(reason) for name, reason in self._object("excluded-classes").items()}

    def other_classes(self) -> OtherClasses | None:
        """Return what becomes of classes that are not declared; None where nobody said."""
        return check_other_classes(self.given["other-classes"], self.path) if "other-classes" in self.given else None

    def _object(self, name: str) -> Mapping[str, Json]:
        held = self.given.get(name, {})
        if not isinstance(held, Mapping):
            raise self._refusal("an object", name, held)
        return held

    def _refusal(self, wanted: str, name: str, value: Json) -> SettingError:
        message = f"Expected {wanted} for `{name}`, got {value!r}"
        return SettingError(message, path=self.path, facts={"setting": name, "got": value})

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
        known = FIELD_KEYS | OBJECT_KEYS | (OWN_KEYS if prefix == OWN else frozenset())
        if prefix is None or name not in known:
            valid = [p + n for p in PREFIXES for n in known]
            raise unknown_key("schema key", key, valid, path=path)
        here = own if own is not None and prefix == OWN else allowed
        if name not in here:
            listed = ", ".join(sorted(here)) or "none"
            raise not_allowed(f"The key {key!r} has no meaning on {place}; allowed there: {listed}", key, path)
        given[name] = value
        (spelt_own.add if prefix == OWN else spelt_own.discard)(name)
    return Keys(given, path, frozenset(spelt_own))


def settled(leaf: Leaf, keys: Keys, *, name: str, infer: bool) -> Leaf:
    """Return the leaf with what its keys declare, and with inferred settings where these are asked for."""
    comparator = keys.comparator()
    guess = keys.auto or (infer and comparator is None)
    if guess:
        leaf = settle(leaf, name, config=keys.config())
    if comparator is not None:
        check_fit(comparator, leaf.kind, keys.path)
    elif keys.config() and not guess and not (leaf.origin == "open" and "comparator-config" not in keys):
        raise SettingError(
            "`comparator-config` without `comparator`",
            path=keys.path,
            code="setting.missing",
            facts={"setting": "comparator"},
        )
    clip, threshold = keys.flag("clip-under-threshold"), keys.unit("threshold")
    return replace(
        leaf,
        comparator=comparator or leaf.comparator,
        threshold=leaf.threshold if threshold is None else threshold,
        weight=leaf.weight if keys.weight() is None else keys.weight(),
        clip=leaf.clip if clip is None else clip,
        alternates=leaf.alternates or bool(keys.flag("alternates")),
        absent=leaf.absent if keys.absent() is None else keys.absent(),
        locale=keys.text("locale") if "locale" in keys and comparator is None and not guess else leaf.locale,
        sources={**leaf.sources, **_said(keys)},
    )


def _said(keys: Keys) -> dict[str, str]:
    sources = {k: v for k, v in keys.sources().items() if not (k == "comparator" and keys.auto)}
    if "why" in keys:
        sources["comparator"] = keys.text("why")
    return sources


def refuse_two_answers(item: Leaf, keys: Keys) -> None:
    """Refuse a list of values whose own keys and those of its items say different things."""
    given = {
        "comparator": (item.comparator, keys.comparator()),
        "threshold": (item.threshold, keys.unit("threshold")),
        "weight": (item.weight, keys.weight()),
        "clip-under-threshold": (item.clip, keys.flag("clip-under-threshold")),
        "locale": (item.locale, keys.given.get("locale")),
        "absent": (item.absent, keys.absent()),
    }
    for name, (inner, outer) in given.items():
        if inner is not None and outer is not None and inner != outer:
            raise SettingError(
                f"The list and its items have different settings for `{name}`; give it once",
                path=keys.path,
                code="setting.conflict",
                facts={"setting": name},
            )


def with_match_threshold(item: Node, keys: Keys) -> Node:
    """Return the items of a list with the match threshold that stands on the list, as on the items themselves."""
    limit = keys.unit("match-threshold")
    if limit is None:
        return item
    if not isinstance(item, Object):
        message = "A match threshold decides on the rows of a list of objects; the items of this list are none"
        raise not_allowed(message, "match-threshold", keys.path)
    if item.match_threshold not in (None, limit):
        raise SettingError(
            "The list and its items have different settings for `match-threshold`; give it once",
            path=keys.path,
            code="setting.conflict",
            facts={"setting": "match-threshold"},
        )
    return replace(item, match_threshold=limit)


def refuse_value_keys(keys: Keys) -> None:
    """Refuse keys of single values on a list of objects."""
    for name in ("comparator", "comparator-config", "locale", "absent"):
        if name in keys:
            message = f"A list of objects is compared field by field; it takes no `{name}`"
            raise not_allowed(message, name, keys.path)
    if keys.unit("threshold") not in (None, 0.5):
        message = "A list of objects takes no `threshold`; set x-aws-stickler-match-threshold on its items"
        raise not_allowed(message, "threshold", keys.path)
