"""The structure of a pytree by itself: what takes leaves apart from it, and puts others in."""

from __future__ import annotations

from jaxlint.knowledge.jax_api import TREE_DEFINITION
from jaxlint.program import nodes as n
from jaxlint.tracer.models.trees import tree_leaves, tree_like
from jaxlint.tracer.operations.items import fresh
from jaxlint.tracer.operations.iteration import iterate, one
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Tree
from jaxlint.tracer.values.containers import tuple_of
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.pytrees import map_leaves
from jaxlint.tracer.values.value import NONE, UNKNOWN, Unknown, Value


def tree_flattened(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jax.tree.flatten(tree)``: the leaves, and what puts them together again."""
    listed = tree_leaves(tracer, name, arguments, node)
    return tuple_of([listed, tree_structure(tracer, name, arguments, node)])


def tree_structure(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jax.tree.structure(tree)``: what is there besides the leaves.

    With ``is_leaf`` there may be less in it than in the tree. What is put into the tree later is
    not in it.
    """
    tree = arguments.get(0, "tree")
    if tree is None or len(arguments.all()) > 1 or not arguments.closed:
        return UNKNOWN
    copied = map_leaves(tree, lambda leaf: leaf, tracer.stack.moment(), fresh=True)
    return External(TREE_DEFINITION, given=(copied,))


def tree_unflattened(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``jax.tree.unflatten(treedef, leaves)``: the tree again, with these leaves in it.

    Which of several leaves comes where is not in view: each place holds one of them, and of keys
    another one.
    """
    structure, given = arguments.get(0, "treedef"), arguments.get(1, "leaves")
    if not isinstance(structure, External) or structure.type != TREE_DEFINITION or given is None:
        return tracer.unseen(*arguments.all())
    leaf = one(iterate(tracer, given, node))
    tree = structure.given[0]
    if isinstance(tree, (Tree, Unknown)):
        return tree_like(tracer, leaf)

    def put(old: Value) -> Value:
        if old is NONE:
            return NONE
        unseen = isinstance(old, (Tree, Unknown))
        return tree_like(tracer, leaf) if unseen else fresh(tracer, leaf)

    return map_leaves(tree, put, tracer.stack.moment(), fresh=True)
