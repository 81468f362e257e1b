"""Values that hold themselves, and values that hold the same part so often that no memory could hold them unfolded.

Both are Python objects only: no JSON text can say them. The first are refused; of the second, what is shared stands as
a text that says how much it is, equal for equal parts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Final

from fieldwise.depth import MAX_LEVEL
from fieldwise.errors import CycleError
from fieldwise.values.objects import JSON_SCALARS, Json, Parts, keyed, opened, scalar

MAX_UNFOLDED: Final = 1 << 17
"""How many values may be unfolded whatever a document holds; beyond that, ``MAX_TIMES`` as many as it does."""
MAX_TIMES: Final = 16
MAX_MADE: Final = MAX_LEVEL
"""How deep containers that are no dict and no list may lie in each other: those of other classes may go on for ever."""
DICTS_AND_LISTS: Final = frozenset({dict, list})
_UNCOUNTED = 1 << 62
_FEW = 16
_STEPS_SHOWN = 12
_KEY_SHOWN = 80


def within_bounds(value: Json) -> Json:
    """Return a value as it is, or, where unfolding would make it too large, with what it shares as text.

    Looks as deep as documents are compared; CycleError for a value that contains itself.
    """
    layer: list[tuple[Json, int]] = [(value, 1)] if type(value) not in JSON_SCALARS else []
    unfolded = 0
    for _ in range(MAX_LEVEL + 2):
        if not layer:
            return value
        below: dict[int, tuple[Json, int]] = {}
        for item, times in layer:
            parts = opened(item)
            if parts is None:
                continue
            unfolded += len(parts) * times
            for child in _children(parts):
                if type(child) not in JSON_SCALARS:
                    known = below.get(id(child))
                    below[id(child)] = (child, times if known is None else times + known[1])
        if unfolded > MAX_UNFOLDED:
            return folded(value)
        layer = list(below.values())
    if cycle_path(value) is not None:
        raise refuse_cycle(value)
    return value


def held(value: Json) -> int:
    """Count what a value holds; what it shares counts once."""
    count, todo = 0, [(value, 0)]
    seen: dict[int, Json] = {}
    while todo:
        item, made = todo.pop()
        if id(item) in seen:
            continue
        made += type(item) not in DICTS_AND_LISTS
        parts = opened(item) if made <= MAX_MADE else None
        if parts is None:
            continue
        seen[id(item)] = item
        count += len(parts)
        todo += [(child, made) for child in _children(parts) if type(child) not in JSON_SCALARS]
    return count


def folded(value: Json) -> Json:
    """Do the same as `within_bounds`, for all levels."""
    sizes: dict[int, int] = {}
    count = size = 0
    alive = []
    for item, parts in _inside_out(value):
        size = 1
        for child in _children(parts):
            size += sizes.get(id(child), 1)
        count += 1 + len(parts)
        sizes[id(item)] = size = min(size, _UNCOUNTED)
        if parts is not item:
            alive.append(parts)
    return value if size <= max(MAX_UNFOLDED, MAX_TIMES * count) else _folded(value, sizes)


def cycle_path(value: Json) -> str | None:
    """Return the way to the first place where a value contains itself, such as ``$.rows[2].self``; None for a tree."""
    try:
        if not _is_chain(value):
            for _ in _inside_out(value):
                pass
    except _FoundCycle as error:
        return error.path
    return None


def _is_chain(value: Json) -> bool:
    """Return whether each container holds one other at most, to the end, which is quick to see, and not itself."""
    seen = set()
    parts = opened(value)
    while parts is not None:
        if id(value) in seen or len(parts) > _FEW:
            return False
        seen.add(id(value))
        inner = [child for child in _children(parts) if type(child) not in JSON_SCALARS]
        if len(inner) != 1:
            return not inner
        value = inner[0]
        parts = opened(value) if type(value) in DICTS_AND_LISTS else None
    return False


def refuse_cycle(value: Json) -> CycleError:
    """Return the error for a value that contains itself."""
    return CycleError(
        f"The value contains itself - at {cycle_path(value)}; pass a tree", facts={"path": cycle_path(value)}
    )


class _FoundCycle(CycleError):
    """A value contains itself."""

    def __init__(self, steps: list[str | int]) -> None:
        self.path = _path_text(steps)
        super().__init__(f"The value contains itself - at {self.path}; pass a tree", facts={"path": self.path})


def _path_text(steps: list[str | int]) -> str:
    """Return a way as text; in a very long one the middle is left out."""
    texts = [f"[{step}]" if isinstance(step, int) else f".{_short(step)}" for step in steps]
    if len(texts) > 2 * _STEPS_SHOWN:
        texts[_STEPS_SHOWN:-_STEPS_SHOWN] = [f" … {len(texts) - 2 * _STEPS_SHOWN:,} more steps … "]
    return "$" + "".join(texts)


def _short(key: str) -> str:
    return key if len(key) <= _KEY_SHOWN else f"{key[:_KEY_SHOWN]}…"


def _children(parts: Parts) -> Iterable[Json]:
    return parts.values() if type(parts) is dict else parts


def _inside_out(value: Json) -> Iterator[tuple[Json, Parts]]:
    """Yield every container once, after all that it holds, with its parts. What is yielded stays alive meanwhile."""
    is_done: dict[int, bool] = {}
    alive: list[Parts] = []
    frames: list[tuple[str | int, Json, Parts, Iterator[tuple[str | int, Json]]]] = []
    key: str | int = ""
    made = 0
    parts = opened(value)
    while parts is not None or frames:
        if parts is not None:
            is_done[id(value)] = False
            frames.append((key, value, parts, keyed(parts)))
            if parts is not value:
                alive.append(parts)
            made += type(value) not in DICTS_AND_LISTS
            parts = None
        _, holder, held, rest = frames[-1]
        for key, value in rest:
            if type(value) in JSON_SCALARS:
                continue
            done = is_done.get(id(value))
            if done is False:
                raise _FoundCycle([*(frame[0] for frame in frames[1:]), key])
            if done is None and (made < MAX_MADE or type(value) in DICTS_AND_LISTS):
                parts = opened(value)
                if parts is not None:
                    break
        else:
            frames.pop()
            made -= type(holder) not in DICTS_AND_LISTS
            is_done[id(holder)] = True
            yield holder, held


def _folded(value: Json, sizes: dict[int, int]) -> Json:
    """Return a copy in which parts that are held more than once are texts, unless they are small."""
    digests: dict[int, bytes] = {}
    times: dict[int, int] = {}
    opened_: dict[int, Parts] = {}
    for item, parts in _inside_out(value):
        digests[id(item)] = _digest(parts, digests)
        opened_[id(item)] = parts
        for child in _children(parts):
            if id(child) in digests:
                times[id(child)] = times.get(id(child), 0) + 1

    def shown(child: Json) -> Json:
        if times.get(id(child), 0) > 1 and sizes.get(id(child), 1) > MAX_TIMES:
            size = sizes[id(child)]
            many = "very many" if size == _UNCOUNTED else f"{size:,}"
            return f"a part held several times, of {many} values: {digests[id(child)].hex()}"
        return child

    root: list[Json] = [None]
    todo: list[tuple[Json, Json, str | int]] = [(value, root, 0)]
    while todo:
        item, into, at = todo.pop()
        inside = opened_.get(id(item))
        if inside is None:
            into[at] = item
        elif type(inside) is dict:
            into[at] = named = dict.fromkeys(inside)
            todo += [(shown(child), named, key) for key, child in inside.items()]
        else:
            into[at] = listed = [None] * len(inside)
            todo += [(shown(child), listed, place) for place, child in enumerate(inside)]
    return root[0]


def _digest(parts: Parts, digests: dict[int, bytes]) -> bytes:
    """Return a hash that is equal for equal containers, given those of the containers inside."""
    digest = hashlib.sha256(b"{" if type(parts) is dict else b"[")
    items = sorted(parts.items()) if type(parts) is dict else [("", child) for child in parts]
    for key, child in items:
        inside = digests.get(id(child)) or hashlib.sha256(_scalar_bytes(child)).digest()
        digest.update(hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest() + inside)
    return digest.digest()


def _scalar_bytes(value: Json) -> bytes:
    single = scalar(value)
    kind = "number" if type(single) in (int, float) else type(single).__name__
    return f"{kind} {single}".encode("utf-8", "surrogatepass")
