"""A pytree in two, by a test of its leaves, and together again: ``partition`` and ``combine``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlint.knowledge.libraries import ARRAY_FILTERS, GIVES_BOTH_PARTS, OF_FUNCTIONS
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_like
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, kind_of
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    contents_of,
    mapping,
    sequence,
    tuple_of,
)
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import (
    BoundMethod,
    Function,
    Instance,
    Partial,
    Qualified,
    Transformed,
)
from jaxlint.tracer.values.pytrees import leaf_names, map_leaves
from jaxlint.tracer.values.value import NONE, UNKNOWN, Const, Host, Value, replace

_DEEPEST = 8
"""Containers in containers that are taken in two by a tree of answers."""


def parted(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """The leaves that pass a test, None in place of the others; and the other way round."""
    tree, spec = arguments.get(0, "pytree"), arguments.get(1, "filter_spec")
    given, sides = arguments.all(), None
    if tree is not None and spec is not None and len(given) == 2 and arguments.closed:
        sides = _sides(tracer, tree, spec, node, _DEEPEST)
    if sides is None:
        unseen = tracer.unseen(*given)
        sides = unseen, unseen
    return tuple_of(sides) if GIVES_BOTH_PARTS[name] else sides[0]


def _sides(
    tracer: Tracer, tree: Value, spec: Value, node: n.Node, depth: int
) -> tuple[Value, Value] | None:
    """A tree in two, by a test of each leaf or by a tree of answers; None: nobody can see it."""
    if isinstance(spec, Const) and isinstance(spec.value, bool):
        return _both(tracer, tree, lambda leaf: bool(spec.value))
    row = ARRAY_FILTERS.get(spec.name) if isinstance(spec, Qualified) else None
    if row is not None:
        return _both(tracer, tree, lambda leaf: _passes(leaf, row))
    if isinstance(spec, Function):
        return _both(
            tracer, tree, lambda leaf: _answer(tracer.call(spec, Arguments((leaf,)), node))
        )
    parts, answers = _parts_of(tree), _parts_of(spec)
    if parts is None or answers is None or parts.keys() != answers.keys() or not depth:
        return None
    found: tuple[dict[Any, Value], dict[Any, Value]] = {}, {}
    for name, part in parts.items():
        sides = _sides(tracer, part, answers[name], node, depth - 1)
        if sides is None:
            unseen = tracer.unseen(part)
            sides = unseen, unseen
        for side, value in zip(found, sides, strict=True):
            side[name] = value
    first, second = (_of_parts(tracer, tree, side) for side in found)
    return first, second


def _both(tracer: Tracer, tree: Value, test: Callable[[Value], bool | None]) -> tuple[Value, Value]:
    answers: dict[int, bool | None] = {}

    def passing(leaf: Value) -> Value:
        answers[id(leaf)] = test(leaf)
        if answers[id(leaf)] is False:
            return NONE
        if function_like(leaf):
            return UNKNOWN
        return leaf if not isinstance(leaf, External) else arrays_of(leaf)

    def arrays_of(layer: External) -> Value:
        """What is left of a layer, and of the layers and functions that it calls."""
        each = layer.each and tuple(map_leaves(part, passing) for part in layer.each)
        return replace(layer, leaves=(), each=each)

    def rest(leaf: Value) -> Value:
        passes = answers[id(leaf)]
        if passes is None:
            return leaf if isinstance(leaf, (Array, External)) else UNKNOWN
        return NONE if passes else leaf

    made = tracer.stack.moment()
    return (
        map_leaves(tree, passing, made, fresh=True),
        map_leaves(tree, rest, made, fresh=True),
    )


def _answer(value: Value) -> bool | None:
    return value.value if isinstance(value, Const) and isinstance(value.value, bool) else None


def _parts_of(tree: Value) -> dict[Any, Value] | None:
    """The parts of a container, by what kind of container it is and where they lie in it."""
    if isinstance(tree, Instance) and tree.cls.traits.pytree:
        which = id(tree.cls.definition)
        return {(which, name): tree.attributes[name] for name in leaf_names(tree)}
    if isinstance(tree, Sequence) and tree.kind in ("list", "tuple") and tree.items is not None:
        return {(tree.kind, place): item for place, item in enumerate(tree.items)}
    if isinstance(tree, Mapping) and tree.entries.rest is None:
        return {("dict", key): item for key, item in tree.entries.known.items()}
    return None


def _of_parts(tracer: Tracer, tree: Value, parts: dict[Any, Value]) -> Value:
    """A container like another, with other parts."""
    made, named = tracer.stack.moment(), {name: part for (_, name), part in parts.items()}
    if isinstance(tree, Instance):
        return replace(tree, attributes={**tree.attributes, **named}, made=made)
    if isinstance(tree, Sequence):
        return sequence(tree.kind, contents_of(list(named.values())), made)
    return mapping(named, None, made)


def passes(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``eqx.is_array(leaf)``, where that is certain."""
    leaf = arguments.args[0] if arguments.args else UNKNOWN
    said = _passes(leaf, ARRAY_FILTERS[name])
    assumed = isinstance(leaf, Array) and leaf.assumed
    return Host("bool") if said is None or assumed else Const(said)


def _passes(value: Value, row: str) -> bool | None:
    """Whether a leaf is an array of that kind; None when that is not in view."""
    if isinstance(value, Array):
        kind = kind_of(value.dtype)
        if row == "any" or kind in ("float", "complex"):
            return True
        return False if kind in ("bool", "int", "key") else None
    if isinstance(value, (BoundMethod, Partial, Transformed)):
        # What wraps a module may be a pytree that holds what is in it.
        return _passes(value.function, row)
    if isinstance(value, (Const, Host, Qualified, Instance)) or function_like(value):
        return False
    return False if isinstance(value, External) and value.type in OF_FUNCTIONS else None


def together(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Of leaves in one place the first that is not None."""
    if not arguments.args or not arguments.closed or arguments.kwargs:
        return tracer.unseen(*arguments.all())
    whole, *others = arguments.args
    for other in others:
        whole = _together(tracer, whole, other)
    return whole


def _together(tracer: Tracer, one: Value, other: Value) -> Value:
    if one is other or other is NONE:
        return one
    if one is NONE:
        return other
    if isinstance(one, Array):
        return Array(None, other.aval) if isinstance(other, Array) else one
    if isinstance(one, External) and isinstance(other, External):
        same = one.type == other.type and one.each is None and other.each is None
        return replace(one, leaves=one.leaves or other.leaves) if same else tracer.unseen(one)
    if isinstance(one, (Instance, Sequence, Mapping)):
        found = _containers_together(tracer, one, other)
        return tracer.unseen(one, other) if found is None else found

    def leaf(value: Value) -> Value:
        """What is no array for certain is among the rest alone."""
        return value if _is_rest(value) else tracer.unseen(one)

    return map_leaves(other, leaf, tracer.stack.moment(), fresh=True)


def _containers_together(
    tracer: Tracer, one: Instance | Sequence | Mapping, other: Value
) -> Value | None:
    """Two containers of one structure, part by part; None where they are not."""
    made = tracer.stack.moment()
    if isinstance(one, Instance) and isinstance(other, Instance):
        parts = _by_name(tracer, one.attributes, other.attributes)
        same = one.cls.definition is other.cls.definition
        heir = one.heir or other.heir
        return Instance(one.cls, parts, made, heir) if same and parts is not None else None
    if isinstance(one, Sequence) and isinstance(other, Sequence):
        parts = _by_name(tracer, _numbered(one), _numbered(other))
        same = one.kind == other.kind and parts is not None
        return sequence(one.kind, contents_of(list((parts or {}).values())), made) if same else None
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        parts = _by_name(tracer, one.entries.known, other.entries.known)
        whole = one.entries.rest is None and other.entries.rest is None
        return mapping(parts, None, made) if whole and parts is not None else None
    return None


def _is_rest(leaf: Value) -> bool:
    return leaf is not NONE and _passes(leaf, "any") is False


def _numbered(value: Sequence) -> dict[int, Value] | None:
    return dict(enumerate(value.items)) if value.items is not None else None


def _by_name(
    tracer: Tracer, one: dict[Any, Value] | None, other: dict[Any, Value] | None
) -> dict[Any, Value] | None:
    """Parts of the same names, together; None where one has others."""
    if one is None or other is None or one.keys() != other.keys():
        return None
    return {name: _together(tracer, part, other[name]) for name, part in one.items()}
