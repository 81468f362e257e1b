"""What is added up over documents, declared once: from the name and the kind of each sum follow its zero, how it is
merged, what it is in JSON, and what is refused where a state comes from outside.

>>> @dataclass(slots=True, eq=False)
... class Seen(State):
...     documents: int = declared(COUNT)
...     by_class: dict[str, int] = declared(by_key(COUNT))
>>> seen = Seen(2, {"invoice": 2})
>>> seen.merge(Seen(3, {"letter": 2, "invoice": 1}))
>>> seen.to_state()
{'documents': 5, 'by_class': {'invoice': 3, 'letter': 2}}
>>> Seen.from_state({"documents": 3, "by_class": {"letter": -1}})
Traceback (most recent call last):
    ...
fieldwise.errors.InputError: Expected a whole number from 0, got -1 - at by_class.letter of the state
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from operator import add, or_
from typing import Any, ClassVar, Final, Generic, Self, TypeAlias, TypeVar

from fieldwise.bulk_aggregator import Json
from fieldwise.errors import InputError

STATE_VERSION: Final = 7
"""The shape of all states but that of the one file that stands alone; a state of another shape is refused."""

MAX_COUNT: Final = 2**53
"""No count is larger."""
MAX_UNITS: Final = MAX_COUNT * 10**12
"""Nor a sum of scores, which are kept in units of 10⁻¹²."""
_MAX_LEVELS = 300
_SHOWN = 40

T = TypeVar("T")
K = TypeVar("K")
S = TypeVar("S", bound="State")
Reader: TypeAlias = Callable[[Json, str], T]
"""Takes a part of a state and the path to it, and returns the value; InputError for what is none."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """How values of one kind add up, and what they are in JSON; ``add`` may change and return its first value."""

    zero: Callable[[], T]
    add: Callable[[T, T], T]
    read: Reader[T]
    write: Callable[[T], Json]
    copied: Callable[[T], T] | None = None
    """A short cut for adding to zero."""

    def copy(self, value: T) -> T:
        """Return a value that may be changed by adding to it."""
        return self.add(self.zero(), value) if self.copied is None else self.copied(value)


def declared(kind: Kind[T]) -> T:
    """Declare a sum of a state: an attribute like any other, which is zero at first."""
    return field(default_factory=kind.zero, metadata={"kind": kind})


class State:
    """Sums over documents, which its dataclass declares. Merging is associative and commutative and has a zero."""

    __slots__ = ()
    versioned: ClassVar[bool] = False
    """Whether the state is kept by itself, and says of which version it is."""

    def settle(self) -> None:
        """Bring to the declared sums what short cuts have counted elsewhere."""

    def refuse_unfit(self, path: str) -> None:
        """Raise InputError for sums that no documents can have."""

    def merge(self, other: Self) -> None:
        """Add the sums of other documents; InputError for another kind of state."""
        if type(other) is not type(self):
            raise InputError(
                f"Expected another {type(self).__name__} to merge, got {shown(other)}",
                code="state.different_settings",
                facts={"expected": type(self).__name__, "got": type(other).__name__},
            )
        self.settle()
        self.add_sums(other, kinds_of(type(self)))

    def add_sums(self, other: State, names: Iterable[str]) -> None:
        """Add some of the sums of other documents."""
        other.settle()
        kinds = kinds_of(type(self))
        for name in names:
            setattr(self, name, kinds[name].add(getattr(self, name), getattr(other, name)))

    def to_state(self) -> dict[str, Json]:
        """Return everything as JSON, in one order whatever the order of the documents."""
        self.settle()
        sums = {name: kind.write(getattr(self, name)) for name, kind in kinds_of(type(self)).items()}
        return {"version": STATE_VERSION, **sums} if self.versioned else sums

    @classmethod
    def from_state(cls, state: Mapping[str, Json], path: str = "") -> Self:
        """Return the sums that a state was made of; InputError for anything else."""
        state = an_object(state, path)
        if cls.versioned:
            state = _of_this_version(state, path)
        kinds = kinds_of(cls)
        made = cls(**{name: read_key(state, name, kind.read, path) for name, kind in kinds.items()})
        no_other_keys(state, kinds, path)
        made.refuse_unfit(path)
        return made

    def __reduce__(self) -> tuple[Callable[[dict[str, Json]], Self], tuple[dict[str, Json]]]:
        return type(self).from_state, (self.to_state(),)


_KINDS: dict[object, dict[str, Kind[Any]]] = {}


def kinds_of(cls: type[State]) -> dict[str, Kind[Any]]:
    """Return the kind of every sum that a class declares, by name."""
    kinds = _KINDS.get(cls)
    if kinds is None:
        declarations: tuple[Field[Any], ...] = fields(cls)  # type: ignore[arg-type]  # every state is a dataclass
        kinds = _KINDS[cls] = {one.name: one.metadata["kind"] for one in declarations if "kind" in one.metadata}
    return kinds


def _of_this_version(state: Mapping[str, Json], path: str) -> dict[str, Json]:
    if state.get("version") != STATE_VERSION:
        raise InputError(
            f"Expected a state of version {STATE_VERSION}, got {shown(state.get('version', 'none'))}: another version "
            "of fieldwise has made it",
            code="state.version",
            facts={"path": path, "expected": STATE_VERSION, "got": state.get("version")},
            advice="start anew",
        )
    return {key: value for key, value in state.items() if key != "version"}


# Values


def refuse(expected: str, value: Json, path: str) -> InputError:
    """Return the error for a value that is not what a state has there."""
    return InputError(
        f"Expected {expected}, got {shown(value)} - at {path or 'the root'} of the state",
        code="state.damaged",
        facts={"path": path, "expected": expected},
    )


def unfit(expected: str, path: str) -> InputError:
    """Return the error for sums that contradict each other."""
    return InputError(
        f"Expected {expected} - at {path or 'the root'} of the state", code="state.damaged", facts={"path": path}
    )


def shown(value: Json) -> str:
    """Return a value in few words."""
    if value is None or type(value) in (bool, float, str):
        words = repr(value)
    elif type(value) is int and value.bit_length() < _SHOWN:
        words = str(value)
    elif type(value) is int:
        return "a very large number"
    else:
        return f"a list of {len(value)}" if type(value) is list else f"a {type(value).__name__}"
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"


def below(path: str, key: str) -> str:
    """Return the path of what is under a key."""
    key = key if len(key) <= _SHOWN else f"{key[:_SHOWN]}…"
    return f"{path}.{key}" if path else key


def an_object(value: Json, path: str) -> Mapping[str, Json]:
    """Read an object with names as keys."""
    if not isinstance(value, Mapping) or any(type(key) is not str for key in value):
        raise refuse("an object", value, path)
    return value


def read_key(value: Mapping[str, Json], name: str, read: Reader[T], path: str) -> T:
    """Read what is under a key of an object, which must have it."""
    if name not in value:
        raise InputError(
            f"Expected the key {name!r}, found none - at {path or 'the root'} of the state",
            code="state.damaged",
            facts={"path": path, "key": name},
        )
    return read(value[name], below(path, name))


def no_other_keys(value: Mapping[str, Json], wanted: Iterable[str], path: str) -> None:
    """Refuse an object that has other keys than these."""
    known = {*wanted}
    more = next((key for key in value if key not in known), None)
    if more is not None:
        raise InputError(
            f"Expected no key {more[:_SHOWN]!r} - at {path or 'the root'} of the state",
            code="state.damaged",
            facts={"path": path, "key": more},
        )


def whole(most: int = MAX_COUNT, least: int = 0) -> Reader[int]:
    """Read a whole number in a range."""
    words = "a whole number from 0" if least == 0 else "a whole number"

    def read(value: Json, path: str) -> int:
        if type(value) is not int or not least <= value <= most:
            raise refuse(words, value, path)
        return value

    return read


def share(value: Json, path: str) -> float:
    """Read a number from 0 to 1."""
    if type(value) not in (int, float) or not 0 <= value <= 1:
        raise refuse("a number from 0 to 1", value, path)
    return value  # type: ignore[no-any-return]  # a number


def text(value: Json, path: str) -> str:
    """Read a text."""
    if type(value) is not str:
        raise refuse("a text", value, path)
    return value


def truth(value: Json, path: str) -> bool:
    """Read true or false."""
    if type(value) is not bool:
        raise refuse("true or false", value, path)
    return value


def maybe(inner: Reader[T]) -> Reader[T | None]:
    """Read null, or something else."""
    return lambda value, path: None if value is None else inner(value, path)


def listed(item: Reader[T], length: int | None = None) -> Reader[tuple[T, ...]]:
    """Read a list, of this length where one is given."""
    words = "a list" if length is None else f"a list of {length}"

    def read(value: Json, path: str) -> tuple[T, ...]:
        if not isinstance(value, (list, tuple)) or (length is not None and len(value) != length):
            raise refuse(words, value, path)
        return tuple([item(part, f"{path}[{at}]") for at, part in enumerate(value)])

    return read


def record(make: Callable[..., T], *items: Reader[Any]) -> Reader[T]:
    """Read a list of values, each of its own kind, of which something is made."""
    whole_list = listed(lambda value, _path: value, len(items))

    def read(value: Json, path: str) -> T:
        parts = zip(whole_list(value, path), items, strict=True)
        return make(*[item(part, f"{path}[{at}]") for at, (part, item) in enumerate(parts)])

    return read


def json_value(value: Json, path: str) -> Json:
    """Read any JSON that is not nested too deep."""
    layer = [value]
    for _ in range(_MAX_LEVELS):
        layer = [inner for item in layer for inner in _inside(item, path)]
        if not layer:
            return value
    raise refuse(f"a value of at most {_MAX_LEVELS} levels", value, path)


def _inside(value: Json, path: str) -> list[Json]:
    if value is None or type(value) in (str, int, float, bool):
        return []
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, (list, tuple)):
        return list(value)
    raise refuse("JSON", value, path)


# Kinds of sums


def _as_is(value: T) -> T:
    return value


def _listed(value: Any) -> Json:
    return list(value) if isinstance(value, tuple) else value


def count(most: int = MAX_COUNT, least: int = 0) -> Kind[int]:
    """Whole numbers that add."""
    return Kind(int, add, whole(most, least), _as_is, _as_is)


COUNT: Final = count()
UNITS: Final = count(MAX_UNITS)
"""Scores in units."""


EITHER: Final[Kind[bool]] = Kind(bool, or_, truth, _as_is)
"""Something that is so where it is so in any part."""


def setting(read: Reader[T], nothing: T) -> Kind[T]:
    """Something that was set before, and is the same in all parts that know of it."""
    return Kind(lambda: nothing, lambda mine, theirs: mine or theirs, read, _listed)


def row(length: int, most: int = MAX_COUNT) -> Kind[list[int]]:
    """So many whole numbers, each of which adds."""
    items = listed(whole(most), length)
    return Kind(
        lambda: [0] * length,
        lambda mine, theirs: [a + b for a, b in zip(mine, theirs, strict=True)],
        lambda value, path: list(items(value, path)),
        list,
        list,
    )


def by_key(kind: Kind[T]) -> Kind[dict[str, T]]:
    """Sums of a kind by name."""

    def read(value: Json, path: str) -> dict[str, T]:
        return {key: kind.read(part, below(path, key)) for key, part in an_object(value, path).items()}

    def write(sums: dict[str, T]) -> Json:
        return {key: kind.write(sums[key]) for key in sorted(sums)}

    def copied(sums: dict[str, T]) -> dict[str, T]:
        return {key: kind.copy(value) for key, value in sums.items()}

    return Kind(dict, lambda mine, theirs: _added(kind, mine, theirs), read, write, copied)


def table(key: Reader[K], kind: Kind[T], *, order: Callable[[K], Any] = _as_is) -> Kind[dict[K, T]]:
    """Sums of a kind by something else than a name; a list of keys with their sums."""
    rows = listed(record(lambda one, value: (one, value), key, kind.read))

    def read(value: Json, path: str) -> dict[K, T]:
        pairs = rows(value, path)
        made = dict(pairs)
        if len(made) < len(pairs):
            raise refuse("each key once", value, path)
        return made

    def write(sums: dict[K, T]) -> Json:
        return [[_listed(one), kind.write(sums[one])] for one in sorted(sums, key=order)]

    return Kind(dict, lambda mine, theirs: _added(kind, mine, theirs), read, write)


def _added(kind: Kind[T], mine: dict[K, T], theirs: dict[K, T]) -> dict[K, T]:
    for key, value in theirs.items():
        mine[key] = kind.add(mine[key], value) if key in mine else kind.copy(value)
    return mine


def joined(make: Callable[..., T], *kinds: Kind[Any]) -> Kind[T]:
    """A named tuple of sums, each of its own kind."""

    def both(mine: Any, theirs: Any) -> T:
        return make(*[kind.add(a, b) for kind, a, b in zip(kinds, mine, theirs, strict=True)])

    def write(sums: Any) -> Json:
        return [kind.write(value) for kind, value in zip(kinds, sums, strict=True)]

    return Kind(
        lambda: make(*[kind.zero() for kind in kinds]), both, record(make, *[kind.read for kind in kinds]), write
    )


def names(most: int | None = None) -> Kind[set[str]]:
    """Different texts; of these the first, where there is a limit."""
    items = listed(text)

    def cut(texts: set[str]) -> set[str]:
        return texts if most is None or len(texts) <= most else set(sorted(texts)[:most])

    def both(mine: set[str], theirs: set[str]) -> set[str]:
        mine |= theirs
        return cut(mine)

    return Kind(set, both, lambda value, path: cut({*items(value, path)}), sorted)


def _smallest(mine: str, theirs: str) -> str:
    return min(mine, theirs) if mine and theirs else mine or theirs


SMALLEST: Final = Kind(str, _smallest, text, _as_is)
"""The first of texts; the empty one is none."""


def first(most: int | None, item: Reader[T], order: Callable[[T], Any]) -> Kind[list[T]]:
    """The first records in an order, as lists; all of them where there is no limit."""

    def cut(records: Iterable[T]) -> list[T]:
        return sorted(records, key=order)[:most]

    def read(value: Json, path: str) -> list[T]:
        return cut(items(value, path))

    items = listed(item)
    return Kind(list, lambda mine, theirs: cut([*mine, *theirs]), read, lambda records: [*map(_listed, cut(records))])


def nested(cls: type[S]) -> Kind[S]:
    """Another state."""

    def merged(mine: S, theirs: S) -> S:
        mine.merge(theirs)
        return mine

    def copied(theirs: S) -> S:
        theirs.settle()
        return cls(**{name: kind.copy(getattr(theirs, name)) for name, kind in kinds_of(cls).items()})

    return Kind(cls, merged, cls.from_state, cls.to_state, copied)


def if_wanted(kind: Kind[T]) -> Kind[T | None]:
    """Sums of a kind that are None where nobody wants them."""

    def both(mine: T | None, theirs: T | None) -> T | None:
        if theirs is None:
            return mine
        return kind.copy(theirs) if mine is None else kind.add(mine, theirs)

    return Kind(
        lambda: None,
        both,
        maybe(kind.read),
        lambda value: None if value is None else kind.write(value),
    )
