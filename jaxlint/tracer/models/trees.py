"""What JAX does with a pytree as a whole: maps it, takes it into its leaves."""

from __future__ import annotations

from dataclasses import replace

from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree
from jaxlint.tracer.values.containers import (
    Mapping,
    Sequence,
    contents_like,
    contents_of,
    sequence,
    tuple_of,
)
from jaxlint.tracer.values.joins import one_of
from jaxlint.tracer.values.objects import Instance
from jaxlint.tracer.values.pytrees import children, leaf_names, leaves, map_together, tracers
from jaxlint.tracer.values.value import (
    NONE,
    UNKNOWN,
    Const,
    Host,
    Unknown,
    Value,
    is_number,
)

_MOST_LEAVES = 8
"""How many tracers of a pytree a mapped function is run with."""

_LEAVES = (Array, Tree, NumpyArray, Const, Host, Unknown, Sequence, Mapping, Instance)
"""What a function that is mapped over a pytree may be meant for: no function is."""


def tree_map(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jax.tree.map(f, tree, ...)``: the same structure, with what ``f`` makes of the leaves."""
    function = arguments.get(0, "f")
    trees = arguments.args[1:]
    if function is None or not trees or arguments.open_args is not None:
        return UNKNOWN
    whole = "is_leaf" in arguments.kwargs
    if not whole and not isinstance(trees[0], Array):
        known = _mapped(tracer, function, trees, node)
        if known is not None:
            return known
        if isinstance(trees[0], Instance):
            return _mapped_object(tracer, name, arguments, node)
    leaf = tuple(_leaf(tracer, tree, whole) for tree in trees)
    result = tracer.call(function, Arguments(leaf), node)
    first = trees[0]
    if isinstance(first, Array):
        return result
    if isinstance(first, (Tree, Unknown)):
        return _tree_like(tracer, result)
    if isinstance(first, Sequence) and first.kind in ("tuple", "list"):
        flat = all(not children(item) for item in children(first))
        if flat and isinstance(result, Array):
            count = len(first.items) if first.items is not None else None
            contents = contents_of([result] * count) if count else contents_like(result)
            return sequence(first.kind, contents, tracer.stack.moment())
    return UNKNOWN


def tree_leaves(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jax.tree.leaves(tree)``: a list."""
    tree = arguments.get(0, "tree") or UNKNOWN
    element: Value = tracer.unseen(tree)
    if (isinstance(tree, Array) and not tree.assumed) or is_number(tree):
        return sequence("list", contents_of([tree]), tracer.stack.moment())
    if isinstance(tree, (Array, Tree)):
        element = tree if isinstance(tree, Array) else tree.as_array()
    elif isinstance(tree, (Sequence, Mapping)) and len(arguments.all()) == 1:
        found = [leaf for leaf in leaves(tree) if leaf is not NONE]
        if not found and isinstance(tree, Sequence) and tree.kind == "tuple":
            return sequence("list", contents_of(()), tracer.stack.moment())
        if not any(isinstance(leaf, Unknown) for leaf in found):
            element = one_of(found)
    return sequence("list", contents_like(element), tracer.stack.moment())


def tree_flattened(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jax.tree.flatten(tree)``: the leaves, and what puts them together again."""
    return tuple_of([tree_leaves(tracer, name, arguments, node), UNKNOWN])


def _mapped(
    tracer: Tracer, function: Value, trees: tuple[Value, ...], node: n.Node
) -> Value | None:
    """What a function makes of each leaf; None where the structure is not in view."""

    def one(row: tuple[Value, ...]) -> Value:
        return tracer.call(function, Arguments(row), node)

    return map_together(trees, one, tracer.stack.moment(), _MOST_LEAVES)


def _mapped_object(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """An object of the same class, of what the function makes of its leaves; static fields stay."""
    trees = [tree for tree in arguments.args[1:] if isinstance(tree, Instance)]
    first = trees[0]
    if len(trees) < len(arguments.args) - 1 or any(tree.cls is not first.cls for tree in trees):
        return UNKNOWN
    names = leaf_names(first)
    if not names or any(leaf_names(tree) != names for tree in trees):
        return UNKNOWN
    attributes = {**first.attributes}
    for leaf in names:
        row = tuple(tree.attributes[leaf] for tree in trees)
        each = replace(arguments, args=(arguments.args[0], *row))
        array_like = all(isinstance(part, _LEAVES) for part in row)
        attributes[leaf] = tree_map(tracer, name, each, node) if array_like else UNKNOWN
    return Instance(first.cls, attributes, tracer.stack.moment())


def _tree_like(tracer: Tracer, leaf: Value) -> Value:
    """A pytree of a structure that nobody can see, by what its leaves are."""
    found = tracers(leaf)
    if isinstance(leaf, (Array, Tree)) and found:
        return Tree(found[0].reason, found[0].concreteness, perturbed=found[0].perturbed)
    return tracer.unseen(leaf)


def _leaf(tracer: Tracer, tree: Value, whole: bool) -> Value:
    """One value that stands for the leaves of a pytree; ``whole``: they may be containers."""
    if isinstance(tree, Array):
        return tree
    if isinstance(tree, Tree):
        return tree if whole else tree.as_array()
    if isinstance(tree, Unknown):
        return tracer.unseen(tree)
    found: list[Value] = list(tracers(tree)[:_MOST_LEAVES])
    if not found:
        found = [leaf for leaf in leaves(tree) if isinstance(leaf, (Array, NumpyArray))]
    return one_of(found)
