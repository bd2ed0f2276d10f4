"""What is in a list, set or dict once it has been changed in place."""

from __future__ import annotations

from typing import Any

from jaxlint.tracer.values.arrays import Array, Bounds, Tree
from jaxlint.tracer.values.containers import (
    Contents,
    Entries,
    Mapping,
    Sequence,
    contents_like,
    contents_of,
    entries_of,
)
from jaxlint.tracer.values.joins import any_element, any_entry, join, one_of
from jaxlint.tracer.values.value import UNKNOWN, Const, Value, type_name

_TAKES_ELEMENTS = ("extend", "extendleft", "+=", "update")
_LONGEST = 64
"""Elements of a longer list are not told apart once it is changed."""
_ADDS = frozenset(
    {"append", "appendleft", "add", "extend", "extendleft", "insert", "+=", "[...] =", "update"}
)
_KEY_AND_VALUE = 2
_TAKES_OUT = frozenset({"pop", "popleft", "remove"})
_PUTS_ENTRIES = frozenset({"update", "|="})
_LEAVES_NOTHING_KNOWN = frozenset({"clear", "popitem", "__setitem__", "__delitem__", "__ior__"})
"""Methods after which nobody knows what stands under any key of a dict."""


def entries_after(
    container: Mapping, how: str, values: list[Value], index: Value | None, weak: bool
) -> Entries:
    """The entries of a dict after a method or a store; ``weak``: which may not have happened."""
    old = container.entries
    if how == "[...] =" and index is not None:
        return _with_entry(old, index, values[0], weak)
    if how == "pop" and isinstance(index, Const) and _is_hashable(index.value):
        return _without_entry(old, index.value, weak)
    if how in _PUTS_ENTRIES:
        for value in values:
            old = _with_entries(old, _entries_in(value), weak)
        return old
    if how in _LEAVES_NOTHING_KNOWN:
        return entries_of({}, UNKNOWN)
    added = [_added(value, how) for value in values]
    rest = one_of([*([old.rest] if old.rest else []), *added]) if added else UNKNOWN
    return entries_of(old.known, rest)


def _with_entry(old: Entries, index: Value, value: Value, weak: bool) -> Entries:
    """After a store under a key: if nobody knows under which, each may be the one."""
    if isinstance(index, Const) and _is_hashable(index.value):
        before = old.known.get(index.value)
        new = join(before, value) if weak and before is not None else value
        return entries_of({**old.known, index.value: new}, old.rest)
    known = {
        name: join(before, value) if _may_be(index, name) else before
        for name, before in old.known.items()
    }
    return entries_of(known, value if old.rest is None else join(old.rest, value))


def _without_entry(old: Entries, key: object, weak: bool) -> Entries:
    """After the value under a key was taken out: in a loop another pass may have taken it."""
    left = {name: value for name, value in old.known.items() if name != key}
    unsure = weak and len(left) < len(old.known)
    return entries_of(left, UNKNOWN if unsure else old.rest)


def _may_be(index: Value, name: object) -> bool:
    """Whether an index of which only the type is known may be this key."""
    kind = type_name(index)
    return kind not in ("str", "int") or isinstance(name, str) == (kind == "str")


def _with_entries(old: Entries, other: Entries, weak: bool) -> Entries:
    """After an update with the entries of another dict, any of which may be there or not."""
    before = old.known
    if other.rest is not None:
        before = {name: join(value, other.rest) for name, value in before.items()}
    known = {**before, **other.known}
    if weak:
        both = old.known.keys() & other.known.keys()
        known.update({name: join(before[name], other.known[name]) for name in both})
    several = [rest for rest in (old.rest, other.rest) if rest is not None]
    return entries_of(known, one_of(several) if several else None)


def _entries_in(value: Value) -> Entries:
    """What an update puts into a dict: the entries of another one, or pairs."""
    if isinstance(value, Mapping):
        return value.entries
    if not isinstance(value, Sequence):
        return entries_of({}, value if isinstance(value, Tree) else UNKNOWN)
    known, rest = of_pairs(list(value.items) if value.items is not None else any_element(value))
    return entries_of(known, rest)


def of_pairs(pairs: list[Value] | Value) -> tuple[dict[Any, Value], Value | None]:
    """What stands under which key, of pairs; and what else there may be in the dict."""
    known: dict[Any, Value] = {}
    for pair in pairs if isinstance(pairs, list) else [pairs]:
        parts = pair.items if isinstance(pair, Sequence) else None
        if parts is None or len(parts) != _KEY_AND_VALUE:
            return {}, UNKNOWN
        key, value = parts
        if not isinstance(key, Const) or not isinstance(pairs, list):
            return {}, UNKNOWN
        known[key.value] = value
    return known, None


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def contents_after(
    container: Sequence, how: str, values: list[Value], index: Value | None, weak: bool
) -> Contents:
    """The elements of a list or set after a method or a store."""
    old = container.contents
    # A slice takes elements, as `extend` does.
    added = [_added(value, "extend" if isinstance(index, Bounds) else how) for value in values]
    items = old.items
    if items is not None and not weak and len(values) == 1 and len(items) < _LONGEST:
        if how == "append":
            return contents_of((*items, values[0]))
        if how in ("extend", "+=") and isinstance(values[0], Sequence):
            more = values[0].items
            if more is not None:
                return contents_of((*items, *more))
    if items is not None and not weak:
        place = index.value if isinstance(index, Const) else None
        if isinstance(place, int) and -len(items) <= place < len(items):
            put = values if how == "[...] =" else []
            if how in ("[...] =", *_TAKES_OUT):
                return contents_of([*items[:place], *put, *items[place:][1:]])
            if how == "insert":
                return contents_of([*items[:place], *values, *items[place:]])
        if how == "appendleft":
            return contents_of([*values, *items])
        if how == "clear":
            return contents_of([])
    if how in _ADDS:
        known = list(items) if items is not None else [old.element]
        return contents_like(one_of([*known, *added]) if added else UNKNOWN)
    return contents_like(any_element(container))


def element_at(container: Sequence, index: Value | None) -> Value | None:
    """The element at a place of a list; None where nobody knows which one is there."""
    items, place = container.items, index.value if isinstance(index, Const) else None
    if items is None or not isinstance(place, int) or not -len(items) <= place < len(items):
        return None
    return items[place]


def _added(value: Value, how: str) -> Value:
    """What a method adds to its container: the value, or its elements."""
    if how not in _TAKES_ELEMENTS:
        return value
    if isinstance(value, Sequence):
        return any_element(value)
    if isinstance(value, Mapping):
        return any_entry(value)
    return value if isinstance(value, (Array, Tree)) else UNKNOWN
