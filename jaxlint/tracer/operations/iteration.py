"""``iter(value)``: the elements when their number is known, else one that stands for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.events import ScalarIteration
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.items import part_of
from jaxlint.tracer.operations.overloads import overloaded
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values import arrays, containers, externals, objects
from jaxlint.tracer.values.arrays import Array, Key, NumpyArray, Tree
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Mapping, Sequence, contents_like, contents_of
from jaxlint.tracer.values.derivations import some
from jaxlint.tracer.values.joins import any_element, one_of
from jaxlint.tracer.values.objects import Instance
from jaxlint.tracer.values.sizes import SizeOfPass
from jaxlint.tracer.values.value import (
    ELEMENT,
    UNKNOWN,
    Clock,
    Const,
    Host,
    Unknown,
    Value,
    replace,
)

Elements = list[Value] | Value
_MOST_ELEMENTS = 64
_MOST_LETTERS = 16
"""Letters of a text of which each is known: it may say one thing of each of several others."""

_TOLD_APART = frozenset({"int", "str", "bool"})


def iterate(tracer: Tracer, value: Value, node: n.Node) -> Elements:
    """The elements of a value, or one that stands for all of them."""
    return ITERATE[type(value)](tracer, value, node)


def note_taken(tracer: Tracer, value: Value) -> None:
    """Something is taken from an iterator, if it is one: how much is left in it nobody knows.

    What is made for each loop anew, as that over a range is, can be gone over again.
    """
    if not isinstance(value, Sequence) or value.kind != "iterator" or value.made is None:
        return
    left = Sequence("iterator", contents_like(any_element(value)), value.made)
    frame: Frame | None = tracer.stack.frame if value.items else None
    while frame is not None:
        for name in [name for name, held in frame.names.items() if held is value]:
            tracer.trail.set(frame.names, name, left)
        frame = frame.parent


def one(elements: Elements) -> Value:
    """One value that stands for every element."""
    return one_of(elements) if isinstance(elements, list) else elements


def any_of(elements: list[Value]) -> Value:
    """One value for each pass of a loop over several known elements: which, nobody knows."""
    return _of_this_pass(one_of(elements))


def _of_this_pass(value: Value) -> Value:
    if isinstance(value, Host) and value.type in _TOLD_APART and value.symbol is None:
        return replace(value, symbol=(ELEMENT, object()))
    if isinstance(value, Sequence) and value.kind == "tuple" and value.items is not None:
        return Sequence("tuple", contents_of(map(_of_this_pass, value.items)), value.made)
    return value


def counted(value: Value, loop: n.Node) -> Value:
    """A loop's target: a counter takes a new value at every iteration, as a number of a list."""
    if isinstance(value, Host) and value.varies is True:
        return replace(value, varies=loop)
    if isinstance(value, Host) and isinstance(value.symbol, tuple) and value.symbol[0] == ELEMENT:
        if len(value.symbol) > 2:
            return value  # Of a loop around this one.
        size = SizeOfPass(loop) if value.type == "int" else None
        return replace(value, symbol=(*value.symbol, loop), size=size)
    if isinstance(value, Sequence) and value.kind == "tuple" and value.items is not None:
        items = [counted(item, loop) for item in value.items]
        if any(new is not old for new, old in zip(items, value.items, strict=True)):
            return Sequence("tuple", contents_of(items), value.made)
    return value


def _unknown(tracer: Tracer, value: Value, node: n.Node) -> Elements:
    return UNKNOWN


def _unseen(tracer: Tracer, value: Unknown, node: n.Node) -> Elements:
    return tracer.unseen(value)


def _sequence(tracer: Tracer, value: Sequence, node: n.Node) -> Elements:
    contents = value.contents
    if contents.items is None:
        return contents.element
    if not contents.items and value.kind == "list" and value.made is not None:
        made_in = value.made.frame
        if made_in.parent is None and tracer.stack.frame is not made_in:
            return UNKNOWN  # By the time this runs, other code may have filled it.
    return list(contents.items)


def _mapping(tracer: Tracer, value: Mapping, node: n.Node) -> Elements:
    entries = value.entries
    return [Const(name) for name in entries.known] if entries.rest is None else UNKNOWN


def _instance(tracer: Tracer, value: Instance, node: n.Node) -> Elements:
    if value.cls.traits.pytree == "namedtuple":
        return list(value.listed().values())
    found = overloaded(tracer, value, "__iter__", (), node)
    if isinstance(found, Instance):
        return overloaded(tracer, found, "__next__", (), node) or UNKNOWN
    return iterate(tracer, found, node) if found is not None else UNKNOWN


def element_of(value: Array | NumpyArray) -> Aval:
    """What JAX knows of a slice along the first axis."""
    shape = value.aval.shape
    inner = shape[1:] if shape else None
    return Aval(inner, value.aval.dtype, value.aval.weak)


def _array(tracer: Tracer, value: Array, node: n.Node) -> Elements:
    if value.rank == 0 and not value.assumed:
        tracer.emit(ScalarIteration(tracer.context(node, node, value)))
        return UNKNOWN
    if value.prng is not None:
        return _keys(tracer, value, value.prng)
    # Iterating slices, and a slice is an operation: traced where all of them are.
    element = some(tracer.array([value], node, "iteration", element_of(value)))
    count = value.aval.shape[0] if value.aval.shape else None
    if isinstance(count, int) and count <= _MOST_ELEMENTS:
        return [element] * count
    return element


def _keys(tracer: Tracer, value: Array, keys: Key) -> Elements:
    """The elements of an array of PRNG keys, each with its own identity."""
    aval = Aval(None, "key")
    if keys.count is None:
        return replace(value, aval=aval, prng=tracer.keys.derived(keys))
    return [
        replace(value, aval=aval, prng=tracer.keys.at(keys, position))
        for position in range(keys.count)
    ]


def _tree(tracer: Tracer, value: Tree, node: n.Node) -> Elements:
    """The rows of an array, what is in a list, or the keys of a dict."""
    found = part_of(tracer, value, UNKNOWN, node)
    return some(replace(found, symbol=(ELEMENT, object())) if isinstance(found, Tree) else found)


def _const(tracer: Tracer, value: Const, node: n.Node) -> Elements:
    if isinstance(value.value, (str, tuple)) and len(value.value) <= _MOST_LETTERS:
        return [Const(part) for part in value.value]
    if isinstance(value.value, (str, bytes, tuple)):
        return Host("str") if isinstance(value.value, str) else Host("object")
    return UNKNOWN


def _host(tracer: Tracer, value: Host, node: n.Node) -> Elements:
    return Host({"shape": "int", "str": "str"}.get(value.type, "object"))


def _numpy(tracer: Tracer, value: NumpyArray, node: n.Node) -> Elements:
    row = value.aval.shape
    return NumpyArray(Aval(row[1:])) if row else Host("object")


ITERATE: dict[type[Value], Callable[[Tracer, Any, n.Node], Elements]] = {
    Unknown: _unseen,
    Const: _const,
    Host: _host,
    Clock: _unknown,
    Array: _array,
    Tree: _tree,
    NumpyArray: _numpy,
    arrays.Ref: _unknown,
    arrays.AtProperty: _unknown,
    arrays.Bounds: _unknown,
    arrays.Donated: _unknown,
    containers.Contents: _unknown,
    containers.Entries: _unknown,
    Sequence: _sequence,
    Mapping: _mapping,
    objects.Traits: _unknown,
    objects.Class: _unknown,
    Instance: _instance,
    objects.Function: _unknown,
    objects.BoundMethod: _unknown,
    objects.Partial: _unknown,
    objects.Transformed: _unknown,
    objects.Qualified: _unknown,
    objects.Imported: _unknown,
    objects.Module: _unknown,
    externals.External: _unknown,
    externals.Stateful: _unknown,
    objects.Descriptor: _unknown,
    objects.Super: _unknown,
    objects.Choice: _unknown,
    objects.Method: _unknown,
}
