"""The one place that walks pytrees: what is in a value, and the same value with other leaves.

A part that several containers share is visited once, and stays shared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from typing import TYPE_CHECKING

from jaxlint.knowledge import class_api
from jaxlint.knowledge.libraries import FLATTENED_INTO_PARTS
from jaxlint.tracer.values.arrays import Array, Key, NumpyArray, Tree, stronger
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    contents_like,
    contents_of,
    mapping,
    sequence,
)
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.functions import is_leaf_function
from jaxlint.tracer.values.objects import UNSEEN, Class, Instance, Partial, Qualified, partial_of
from jaxlint.tracer.values.value import (
    NONE,
    UNKNOWN,
    Const,
    Host,
    Unknown,
    Value,
    replace,
)

if TYPE_CHECKING:
    from jaxlint.tracer.state.frames import Moment


DEEPEST = 8
"""Containers in containers of which the structure is compared."""


def children(value: Value) -> list[Value]:
    """The values directly in a container; none for a leaf."""
    if isinstance(value, Sequence):
        contents = value.contents
        return list(contents.items) if contents.items is not None else [contents.element]
    if isinstance(value, Mapping):
        return value.entries.all()
    if isinstance(value, Instance) and value.cls.traits.pytree:
        return list(value.listed().values())
    if isinstance(value, Partial):
        return [*value.args, *value.kwargs.values()]
    return []


def unpacked(
    value: Value, into: tuple[type[Sequence | Mapping], ...] = (Sequence,)
) -> Iterator[Value]:
    """What is in the containers of these kinds inside of each other, each of them looked at once.

    A list may hold itself. What is no such container is itself what there is.
    """
    waiting, seen = [value], set()
    while waiting:
        found = waiting.pop()
        if not isinstance(found, into):
            yield found
        elif id(found) not in seen:
            seen.add(id(found))
            waiting.extend(reversed(children(found)))


def leaves(value: Value) -> Iterator[Value]:
    """The leaves of a value, in order, each shared one once."""
    waiting, seen = [value], set()
    while waiting:
        found = waiting.pop()
        if not isinstance(found, (Sequence, Mapping, Instance, Partial)):
            yield found
            continue
        if id(found) in seen:
            continue
        seen.add(id(found))
        inside = children(found)
        if inside:
            waiting.extend(reversed(inside))
        elif isinstance(found, Instance):
            yield found


def flattened(value: Value, depth: int = DEEPEST) -> Iterator[tuple[Value, Value | None]]:
    """What JAX finds in a value, each leaf with the container that it lies in, or None.

    As :func:`leaves`, but of what JAX flattens alone: a set or an object of a class that it does
    not know is a leaf, fields that are static are none, and of a class whose leaves are not in
    view nothing is given.
    """
    waiting: list[tuple[Value, Value | None, int]] = [(value, None, depth)]
    while waiting:
        found, holder, left = waiting.pop()
        inside = _inside(found)
        if inside is None:
            yield found, holder
        elif left:
            waiting.extend((part, found, left - 1) for part in reversed(inside))


def _inside(value: Value) -> list[Value] | None:
    """The parts into which JAX takes a value; None for a leaf."""
    if isinstance(value, Sequence):
        return None if value.kind in ("set", "iterator") else list(value.items or ())
    if isinstance(value, Mapping):
        return list(value.entries.known.values())
    if isinstance(value, Partial):
        return [*value.args, *value.kwargs.values()] if value.pytree else None
    if isinstance(value, Instance) and value.cls.traits.pytree:
        return [value.attributes[name] for name in leaf_names(value)]
    if isinstance(value, External) and value.type in FLATTENED_INTO_PARTS:
        return list(value.each or ())
    if isinstance(value, External) and value.leaves:
        return [Host(kind) for kind in value.leaves]
    return None


def leaf_names(value: Instance) -> list[str]:
    """The attributes that are leaves for certain, of those that were seen; fields as declared."""
    traits, seen = value.cls.traits, value.attributes
    if traits.leaves is not None:
        return [name for name in seen if name in traits.leaves]
    if traits.pytree == "registered":
        return []
    static = traits.static_fields
    return [name for name in traits.fields or () if name in seen and name not in static]


def tracers(value: Value) -> list[Array | Tree]:
    """The tracers in a value, containers included."""
    if isinstance(value, Array):
        return [value] if value.traced else []
    if isinstance(value, Tree):
        return [value]
    if not isinstance(value, (Sequence, Mapping, Instance, Partial)):
        return []
    return [
        leaf
        for leaf in leaves(value)
        if isinstance(leaf, Tree) or (isinstance(leaf, Array) and leaf.traced)
    ]


def deciding(operands: Iterable[Value]) -> tuple[Array | Tree | None, Value | None]:
    """Which operands decide what an operation on all of them gives.

    Returns:
        The tracer that says most, or one of a trace that is over; and one that may be a tracer or
        not; None where there is none.
    """
    best: Array | Tree | None = None
    unsure = None
    for operand in operands:
        for found in tracers(operand):
            if isinstance(found, Array) and found.kept_by:
                return found, None
            if best is None or best.concreteness != stronger(best.concreteness, found.concreteness):
                best = found
        if isinstance(operand, Unknown) or (isinstance(operand, Array) and operand.traced is None):
            unsure = operand
    return best, unsure


def source_of(value: Value) -> Tree | None:
    """What makes a value a tracer if it is an array: that it is made of staged tracers."""
    if isinstance(value, (Const, Host)):
        return None
    for leaf in leaves(value):
        if isinstance(leaf, Unknown) and leaf.source is not None:
            return leaf.source
        if isinstance(leaf, (Array, Tree)) and leaf.concreteness == "abstract":
            if isinstance(leaf, Tree) or leaf.traced:
                return Tree(leaf.reason, "abstract")
    return None


def keys_in(value: Value) -> list[Key]:
    """The PRNG keys of known identity in a value, containers included."""
    if isinstance(value, Array):
        return [value.prng] if value.prng is not None else []
    if not isinstance(value, (Sequence, Mapping, Instance, Partial)):
        return []
    return [
        leaf.prng for leaf in leaves(value) if isinstance(leaf, Array) and leaf.prng is not None
    ]


def path_to(value: Value, wanted: Callable[[Value], bool], depth: int = DEEPEST) -> str | None:
    """Where in a value a wanted leaf lies, as Python writes it (``.key``, ``["a"][0]``).

    Empty: it is the value itself. None: it does not lie there.
    """
    if not isinstance(value, (Sequence, Mapping, Instance)):
        return "" if wanted(value) else None
    for name, part in _named_parts(value) if depth else ():
        found = path_to(part, wanted, depth - 1)
        if found is not None:
            return name + found
    return None


def _named_parts(value: Value) -> Iterator[tuple[str, Value]]:
    """What is directly in a container, and how Python gets at it."""
    if isinstance(value, Sequence):
        items = value.contents.items
        yield from ((f"[{at}]", part) for at, part in enumerate(items or ()))
        if items is None:
            yield "[...]", value.contents.element
    elif isinstance(value, Mapping):
        yield from ((f"[{key!r}]", part) for key, part in value.entries.known.items())
        if value.entries.rest is not None:
            yield "[...]", value.entries.rest
    elif isinstance(value, Instance):
        yield from ((f".{name}", part) for name, part in value.listed().items())


_MOST_COPIED = 200
"""Containers that are copied for each place they are in: what holds one twice doubles the ways."""


class _Rebuild:
    """Makes the same value with other leaves."""

    def __init__(
        self,
        change: Callable[[Value], Value],
        made: Moment | None,
        fresh: bool,
        done: dict[int, Value],
        copied: Iterator[int] | None = None,
    ) -> None:
        self.change = change
        self.made = made
        self.fresh = fresh
        self.done = done
        self.copied = copied or count()

    def value(self, value: Value) -> Value:
        """The changed value; a container in which nothing changes stays itself.

        What JAX puts together again shares nothing: a container that was in two places is two,
        as long as there are not too many ways to one.
        """
        if not isinstance(value, (Sequence, Mapping, Instance, Partial)):
            return self.change(value)
        found = self.done.get(id(value))
        if found is None:
            self.done[id(value)] = UNKNOWN  # Of a container that contains itself.
            found = self._container(value)
            if self.fresh and next(self.copied) < _MOST_COPIED:
                del self.done[id(value)]
            else:
                self.done[id(value)] = found
        return found

    def _container(self, value: Sequence | Mapping | Instance | Partial) -> Value:
        if isinstance(value, Sequence):
            return self._sequence(value)
        if isinstance(value, Mapping):
            return self._mapping(value)
        if isinstance(value, Instance):
            return self._instance(value) if value.cls.traits.pytree else self.change(value)
        args = tuple(self.value(item) for item in value.args)
        kwargs = {name: self.value(item) for name, item in value.kwargs.items()}
        return partial_of(value.function, args, kwargs, value.made, value.pytree)

    def _sequence(self, value: Sequence) -> Value:
        contents = value.contents
        if contents.items is None:
            element = self.value(contents.element)
            if element is contents.element and not self.fresh:
                return value
            new = contents_like(element, contents.length, contents.varies)
        else:
            items = [self.value(item) for item in contents.items]
            pairs = zip(items, contents.items, strict=True)
            if not self.fresh and all(one is other for one, other in pairs):
                return value
            new = contents_of(items)
        return sequence(value.kind, new, self.made or value.made)

    def _mapping(self, value: Mapping) -> Value:
        entries = value.entries
        known = {name: self.value(item) for name, item in entries.known.items()}
        rest = self.value(entries.rest) if entries.rest is not None else None
        if not self.fresh and rest is entries.rest:
            if all(known[name] is item for name, item in entries.known.items()):
                return value
        return mapping(known, rest, self.made or value.made)

    def _instance(self, value: Instance) -> Value:
        static = value.cls.traits.static_fields
        children = value.cls.traits.leaves
        open_ = children is None and value.cls.traits.pytree == "registered"
        rebuild = self._where_leaves_are_unknown() if open_ else self
        attributes: dict[str, Value] = {}
        for name, item in value.attributes.items():
            if name in static or name == UNSEEN:
                attributes[name] = item
            elif children is not None and name not in children:
                attributes[name] = self._made_anew(item)
            else:
                attributes[name] = rebuild.value(item)
        if not self.fresh and all(attributes[k] is v for k, v in value.attributes.items()):
            return value
        return Instance(value.cls, attributes, self.made or value.made, value.heir)

    def _where_leaves_are_unknown(self) -> _Rebuild:
        """For a class that nobody sees flattened: arrays are leaves, the rest may be or not.

        What is no leaf is compared: so can numbers be, also those of NumPy.
        """

        def changed(leaf: Value) -> Value:
            new = self.change(leaf)
            array = isinstance(leaf, (Array, NumpyArray, Tree))
            number = isinstance(leaf, NumpyArray) and leaf.aval.shape == ()
            return new if new is leaf or (array and not number) else UNKNOWN

        return _Rebuild(changed, self.made, self.fresh, self.done, self.copied)

    def _made_anew(self, item: Value) -> Value:
        """What ``tree_unflatten`` gives an object besides its children: containers of its own."""
        if not self.fresh or not isinstance(item, (Sequence, Mapping)):
            return item
        return map_leaves(item, lambda leaf: leaf, self.made, fresh=True)


def map_leaves(
    value: Value,
    change: Callable[[Value], Value],
    made: Moment | None = None,
    fresh: bool = False,
    instead: dict[int, Value] | None = None,
) -> Value:
    """The same value with each leaf changed.

    Args:
        value: any value.
        change: called with each leaf that is not static.
        made: when the new containers are made; as the old ones if None.
        fresh: make new containers even where nothing changes, as crossing a transform does.
        instead: what comes in the place of containers, by the identity of those.
    """
    return _Rebuild(change, made, fresh, dict(instead or ())).value(value)


def map_together(
    trees: tuple[Value, ...],
    change: Callable[[tuple[Value, ...]], Value],
    made: Moment | None,
    most: int,
) -> Value | None:
    """One pytree of what ``change`` makes of the leaves of several, side by side.

    None where their common structure is not in view, or has more leaves than ``most``.
    """
    together = _leaves_together(trees, DEEPEST)
    return _mapped(trees, change, made) if together is not None and together <= most else None


def _leaves_together(trees: tuple[Value, ...], depth: int) -> int | None:
    first, *others = trees
    if isinstance(first, (Array, NumpyArray, Const, Host)) or is_leaf_function(first):
        return int(first is not NONE)
    parts = parts_of(first)
    if parts is None or depth == 0:
        return None
    found = [parts_of(other) for other in others]
    if any(each is None or each.keys() != parts.keys() for each in found):
        return None
    counts = [_leaves_together(row, depth - 1) for row in _side_by_side(trees)]
    return None if None in counts else sum(count for count in counts if count is not None)


def _mapped(
    trees: tuple[Value, ...], change: Callable[[tuple[Value, ...]], Value], made: Moment | None
) -> Value:
    first = trees[0]
    parts = parts_of(first)
    if parts is None:
        return NONE if first is NONE else change(trees)
    results = [_mapped(row, change, made) for row in _side_by_side(trees)]
    if isinstance(first, Sequence):
        return sequence(first.kind, contents_of(results), made)
    if isinstance(first, Instance):
        attributes = {**first.attributes, **dict(zip(leaf_names(first), results, strict=True))}
        heir = any(isinstance(tree, Instance) and tree.heir for tree in trees)
        return Instance(first.cls, attributes, made, heir)
    return mapping(dict(zip(parts, results, strict=True)), None, made)


def _side_by_side(trees: tuple[Value, ...]) -> list[tuple[Value, ...]]:
    """The parts of the first tree, each with those of the others in its place."""
    parts = [parts_of(tree) or {} for tree in trees]
    return [tuple(each[name] for each in parts) for name in parts[0]]


def side_by_side(one: Value, other: Value, depth: int = DEEPEST) -> Iterator[tuple[Value, Value]]:
    """The leaves that stand in one place of two pytrees, as far as both are in view."""
    left, right = parts_of(one), parts_of(other)
    if left is None and right is None:
        yield one, other
    elif left is not None and right is not None and left.keys() == right.keys() and depth:
        for name, part in left.items():
            yield from side_by_side(part, right[name], depth - 1)


def parts_of(tree: Value) -> dict[object, Value] | None:
    """Name or position -> part, of a container all of which is known."""
    if isinstance(tree, Mapping) and tree.entries.rest is None:
        return dict(tree.entries.known)
    if isinstance(tree, Sequence) and tree.kind in ("tuple", "list") and tree.items is not None:
        return dict(enumerate(tree.items))
    if isinstance(tree, Instance) and _is_whole(tree):
        which = id(tree.cls.definition)
        return {(which, name): tree.attributes[name] for name in leaf_names(tree)}
    return None


def _is_whole(tree: Instance) -> bool:
    """Whether all leaves of an object are in view."""
    traits = tree.cls.traits
    if not traits.pytree or (traits.pytree == "registered" and traits.leaves is None):
        return False
    if tree.open and (tree.heir or not _declares_leaves(tree.cls)):
        return False
    declared = frozenset(traits.fields or ()) - traits.static_fields
    wanted = declared if traits.leaves is None else traits.leaves
    return wanted <= tree.attributes.keys()


def _declares_leaves(cls: Class) -> bool:
    """Whether the leaves of objects are fields of a class, and of those in view above it."""
    if cls.traits.pytree != "dataclass":
        return False
    known = class_api.PLAIN_BASES | class_api.PYTREE_BASES.keys()
    bases = [base for each in (cls, *cls.above) for base in each.bases]
    return all(
        isinstance(base, Class) or (isinstance(base, Qualified) and base.name in known)
        for base in bases
    )


def with_keys(value: Value, change: Callable[[Key], Key]) -> Value:
    """The same value with other identities for the PRNG keys in it."""
    if not keys_in(value):
        return value

    def leaf(item: Value) -> Value:
        if isinstance(item, Array) and item.prng is not None:
            return replace(item, prng=change(item.prng))
        return item

    return map_leaves(value, leaf)
