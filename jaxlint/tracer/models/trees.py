"""What JAX does with a pytree as a whole: maps it, takes it into its leaves."""

from __future__ import annotations

from itertools import islice
from typing import Any

from jaxlint.events import BoolConversion, StructureMismatch
from jaxlint.knowledge import jax_api
from jaxlint.program import nodes as n
from jaxlint.program.once import once
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.following import is_question
from jaxlint.tracer.models.builtins import reduce
from jaxlint.tracer.operations.frozen import is_frozen
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray, Tree, refuses_bool
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
from jaxlint.tracer.values.joins import one_of
from jaxlint.tracer.values.objects import Instance, partial_of
from jaxlint.tracer.values.pytrees import (
    children,
    flattened,
    leaf_names,
    leaves,
    map_together,
    parts_of,
    tracers,
)
from jaxlint.tracer.values.structures import unlike
from jaxlint.tracer.values.value import (
    NONE,
    SOMETHING,
    UNKNOWN,
    Const,
    Host,
    Unknown,
    Value,
    is_number,
    replace,
)

_MOST_LEAVES = 8
"""How many tracers of a pytree a mapped function is run with."""

_MOST_MAPPED = 64
"""Leaves of a pytree that are mapped one by one: those of a model that is written out."""

_MOST_LISTED = 16
"""Leaves of a pytree that are listed one by one."""

_DEEPEST = 3
"""Objects in objects that are mapped leaf by leaf."""

_FEW, _DEEPEST_OF_FEW = 64, 12
"""Leaves of a tree that is mapped further down: a model with wrappers of its parameters."""


def tree_map(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jax.tree.map(f, tree, ...)``: the same structure, with what ``f`` makes of the leaves."""
    function, trees = arguments.get(0, "f"), arguments.args[1:]
    if function is None or not trees or arguments.open_args is not None:
        return UNKNOWN
    note_unlike(tracer, name, trees, node)
    is_leaf = arguments.kwargs.get("is_leaf")
    if is_leaf is None:
        return _mapped(tracer, function, trees, node, _DEEPEST)
    if len(trees) > 1:
        return _mapped_at_once(tracer, function, trees, node, whole=True)
    few = len([*islice(flattened(trees[0]), _FEW + 1)]) <= _FEW
    depth = _DEEPEST_OF_FEW if few else _DEEPEST
    return _mapped_up_to(tracer, function, _Leaves(tracer, is_leaf, node), trees[0], node, depth)


def tree_map_with_path(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jax.tree.map_with_path(f, tree, ...)``: ``f`` is told first where the leaf is."""
    if not arguments.args:
        return UNKNOWN
    function, *trees = arguments.args
    told = partial_of(function, (SOMETHING,), {}, tracer.stack.moment())
    return tree_map(tracer, name, replace(arguments, args=(told, *trees)), node)


class _Leaves:
    """What a predicate takes for a leaf; one that asks for types alone hears of each type once."""

    def __init__(self, tracer: Tracer, is_leaf: Value, node: n.Node) -> None:
        self._tracer, self._is_leaf, self._node = tracer, is_leaf, node
        function = function_under(is_leaf)
        self._asks_types = function is not None and once(is_question, function.code)
        self._answers: dict[object, bool | None] = {}

    def answer(self, tree: Value) -> bool | None:
        """Whether a value is one; None when that is not in view."""
        kind = _type_of(tree) if self._asks_types else None
        if kind is None:
            return self._ask(tree)
        if kind not in self._answers:
            self._answers[kind] = self._ask(tree)
        return self._answers[kind]

    def _ask(self, tree: Value) -> bool | None:
        found = self._tracer.call(self._is_leaf, Arguments((tree,)), self._node)
        return bool(found.value) if isinstance(found, Const) else None


def _type_of(tree: Value) -> object:
    """What tells a value from those of other types; None where others of its kind may be of one."""
    if isinstance(tree, Instance):
        return None if tree.heir else id(tree.cls.definition)
    if isinstance(tree, Const):
        return type(tree.value)
    if isinstance(tree, Sequence):
        return tree.kind
    return Mapping if isinstance(tree, Mapping) else None


def _mapped_up_to(
    tracer: Tracer, function: Value, is_leaf: _Leaves, tree: Value, node: n.Node, depth: int
) -> Value:
    """What a function makes of each leaf, and of what a predicate takes for one."""
    stops = is_leaf.answer(tree)
    if stops is False and tree is NONE:
        return NONE
    if stops or (stops is False and isinstance(tree, (Array, Const))):
        return tracer.call(function, Arguments((tree,)), node)
    parts = _parts_in_view(tree)
    if stops is None or not depth or parts is None or len(parts) > _MOST_LEAVES:
        return _mapped_at_once(tracer, function, (tree,), node, whole=True)
    made = {
        name: _mapped_up_to(tracer, function, is_leaf, part, node, depth - 1)
        for name, part in parts.items()
    }
    if _is_fixed(tracer, tree) and all(made[name] is part for name, part in parts.items()):
        return tree  # Nobody can tell it from a copy.
    moment = tracer.stack.moment()
    if isinstance(tree, Instance):
        return replace(tree, attributes={**tree.attributes, **made}, made=moment)
    if isinstance(tree, Sequence):
        return sequence(tree.kind, contents_of(list(made.values())), moment)
    return mapping(made, None, moment)


def _is_fixed(tracer: Tracer, tree: Value) -> bool:
    """Whether a container stays as it is, whoever has it."""
    if isinstance(tree, Instance):
        return is_frozen(tracer, tree.cls)
    return isinstance(tree, Sequence) and tree.kind == "tuple"


def _parts_in_view(tree: Value) -> dict[Any, Value] | None:
    """What a container or object is flattened into; None where nobody sees all of that."""
    if isinstance(tree, Instance) and tree.cls.traits.pytree in ("dataclass", "namedtuple"):
        return {name: tree.attributes[name] for name in leaf_names(tree)}
    if isinstance(tree, Sequence) and tree.items is not None:
        return dict(enumerate(tree.items)) if tree.kind in ("list", "tuple") else None
    if isinstance(tree, Mapping) and tree.entries.rest is None:
        return dict(tree.entries.known)
    return None


def note_unlike(tracer: Tracer, name: str, trees: tuple[Value, ...], node: n.Node) -> None:
    """A tree of another structure than the first, where they are taken leaf by leaf."""
    of_jax = name.startswith(f"{jax_api.PACKAGE}.")  # Others leave out what is None.
    different = any(unlike(trees[0], other, of_jax) for other in trees[1:])
    if different and isinstance(node, n.Call) and not tracer.stack.in_branch():
        if all(argument.keyword != "is_leaf" for argument in node.arguments):
            tracer.emit(StructureMismatch(tracer.context(node), "trees", name))


def _mapped(
    tracer: Tracer, function: Value, trees: tuple[Value, ...], node: n.Node, depth: int
) -> Value:
    """What a function makes of each leaf, as far as the structure is in view."""

    def one(row: tuple[Value, ...]) -> Value:
        return tracer.call(function, Arguments(row), node)

    first = trees[0]
    found: Value | None = None
    if isinstance(first, Instance):
        found = _mapped_object(tracer, function, trees, node, depth) if depth else None
    elif isinstance(first, Mapping) and first.entries.rest is not None:
        found = _mapped_partly(tracer, function, first, node, depth) if len(trees) == 1 else None
    elif is_leaf_function(first) or (
        isinstance(first, Array) and not first.assumed and any(map(children, trees[1:]))
    ):
        found = one(trees)  # What stands in the place of a leaf is passed whole.
    elif not isinstance(first, Array):
        found = map_together(trees, one, tracer.stack.moment(), _MOST_MAPPED)
        found = found or _mapped_items(tracer, function, trees, node, depth)
    return found or _mapped_at_once(tracer, function, trees, node)


def _mapped_items(
    tracer: Tracer, function: Value, trees: tuple[Value, ...], node: n.Node, depth: int
) -> Sequence | None:
    """A tuple or list with something in it that nobody sees into: each item by itself."""
    alike = [each for each in trees if isinstance(each, Sequence) and each.items is not None]
    if not depth or len(alike) < len(trees) or alike[0].kind not in ("tuple", "list"):
        return None
    if len({(each.kind, len(each.items or ())) for each in alike}) > 1:
        return None
    rows = list(zip(*(each.items or () for each in alike), strict=True))
    if not 0 < len(rows) <= _MOST_MAPPED:
        return None
    made = [_mapped(tracer, function, row, node, depth - 1) for row in rows]
    return sequence(alike[0].kind, contents_of(made), tracer.stack.moment())


def _mapped_object(
    tracer: Tracer, function: Value, trees: tuple[Value, ...], node: n.Node, depth: int
) -> Instance | None:
    """An object of the same class, of what the function makes of its leaves; static fields stay."""
    objects = [tree for tree in trees if isinstance(tree, Instance)]
    first = objects[0]
    names = leaf_names(first) if first.cls.traits.pytree else []
    alike = all(each.cls is first.cls and leaf_names(each) == names for each in objects)
    if not names or not alike or len(objects) < len(trees):
        return None
    attributes = {**first.attributes}
    for name in names:
        row = tuple(each.attributes[name] for each in objects)
        attributes[name] = _mapped(tracer, function, row, node, depth - 1)
    return Instance(first.cls, attributes, tracer.stack.moment(), any(o.heir for o in objects))


def _mapped_partly(
    tracer: Tracer, function: Value, tree: Mapping, node: n.Node, depth: int
) -> Mapping | None:
    """A dict of which some keys are known, and others may be there."""
    known, rest = tree.entries.known, tree.entries.rest
    if rest is None or not depth or len(known) > _MOST_MAPPED:
        return None
    made = {
        key: _mapped(tracer, function, (value,), node, depth - 1) for key, value in known.items()
    }
    others = _mapped(tracer, function, (rest,), node, depth - 1)
    return mapping(made, others, tracer.stack.moment())


def _mapped_at_once(
    tracer: Tracer, function: Value, trees: tuple[Value, ...], node: n.Node, whole: bool = False
) -> Value:
    """One call for all leaves; ``whole``: they may be containers."""
    first = trees[0]
    for kind in first.leaves if isinstance(first, External) else ():
        tracer.call(function, Arguments(tuple(_own_leaf(tree, kind) for tree in trees)), node)
    leaf = tuple(
        # Of another structure than the first, which nobody sees: what is in it may be passed whole.
        UNKNOWN if children(tree) and type(tree) is not type(first) else _leaf(tracer, tree, whole)
        for tree in trees
    )
    result = tracer.call(function, Arguments(leaf), node)
    if isinstance(first, Array):
        return result
    if isinstance(first, (Tree, Unknown)):
        return tracer.buffers.like(first, tree_like(tracer, result))
    if isinstance(first, Sequence) and first.kind in ("tuple", "list"):
        flat = all(not children(item) for item in children(first))
        if flat and isinstance(result, Array):
            row = [_in_place_of(tracer, item, result) for item in first.items or ()]
            contents = contents_of(row) if row else contents_like(result)
            return sequence(first.kind, contents, tracer.stack.moment())
    return UNKNOWN


def _own_leaf(tree: Value, kind: str) -> Value:
    """What an object of a library holds besides its arrays, or None where that was taken out."""
    if not isinstance(tree, External):
        return UNKNOWN
    return Host(kind) if kind in tree.leaves else NONE


def _in_place_of(tracer: Tracer, item: Value, result: Value) -> Value:
    """What one call for all leaves says of an item of a tuple or list: None holds no leaf."""
    if item is NONE:
        return NONE
    return tree_like(tracer, result) if isinstance(item, (Tree, Unknown)) else result


def tree_leaves(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jax.tree.leaves(tree)``: a list."""
    tree = arguments.get(0, "tree") or UNKNOWN
    listed = _in_order(tracer, tree) if len(arguments.all()) == 1 else None
    if listed is not None and len(listed) <= _MOST_LISTED:
        return sequence("list", contents_of(listed), tracer.stack.moment())
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


def _in_order(tracer: Tracer, tree: Value, depth: int = _DEEPEST_OF_FEW) -> list[Value] | None:
    """The leaves of a pytree in JAX's order; None where not all of them are in view."""
    parts = parts_of(tree)
    if parts is None or not depth:
        leaf = isinstance(tree, (Array, NumpyArray, Const, Host)) or is_leaf_function(tree)
        whole = leaf and not (isinstance(tree, Array) and tree.assumed)
        return [tree][: tree is not NONE] if whole and parts is None else None
    if isinstance(tree, Instance) and tree.cls.traits.leaves is not None:
        return None  # Which of its children comes first who registers it says.
    names = _sorted(tracer, list(parts)) if isinstance(tree, Mapping) else list(parts)
    found: list[Value] = []
    for name in names or ():
        below = _in_order(tracer, parts[name], depth - 1)
        if below is None:
            return None
        found += below
    return found if names is not None else None


def _sorted(tracer: Tracer, keys: list[Any]) -> list[Any] | None:
    """The keys of a dict as JAX sorts them; None where it may not, or cannot."""
    try:
        found = sorted(keys)
    except TypeError:
        return None
    return None if found != keys and tracer.ordered_about else found


def tree_reduced(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jax.tree.reduce(f, tree, initializer)``: what is made of the leaves, one by one."""
    function, tree = arguments.get(0, "function"), arguments.get(1, "tree")
    if function is None or tree is None or not arguments.closed:
        return UNKNOWN
    initial = arguments.get(2, "initializer")
    listed = tree_leaves(tracer, name, Arguments((tree,)), node)
    given = (function, listed) if initial is None else (function, listed, initial)
    return reduce(tracer, name, Arguments(given), node)


def tree_all(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jax.tree.all(tree)``: Python asks each leaf for its truth value, up to one that is false.

    Which comes first is not in view here: a leaf that may be false may end it.
    """
    tree = arguments.get(0, "tree") or UNKNOWN
    given = [leaf for leaf in leaves(tree) if leaf is not NONE]
    asked = [leaf for leaf in given if not (isinstance(leaf, Const) and leaf.value)]
    if asked and all(map(refuses_bool, asked)):
        context = tracer.context(node, node, asked[0])
        tracer.emit(BoolConversion(context, f"{jax_api.TREE_ALL}()"))
    return Host("bool")


def tree_like(tracer: Tracer, leaf: Value) -> Value:
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
        return tracer.buffers.take_part(tree, tracer.unseen(tree))
    found: list[Value] = list(tracers(tree)[:_MOST_LEAVES])
    if not found:
        found = [leaf for leaf in leaves(tree) if isinstance(leaf, (Array, NumpyArray))]
    return one_of(found)
