"""Arrays that an operation cannot take together, whatever the sizes are that nobody knows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.events import ShapeMismatch
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.indices import index_of
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values import avals, shapes
from jaxlint.tracer.values.arrays import Array, NumpyArray, kind_of
from jaxlint.tracer.values.avals import describe
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.value import Const, Value, replace, type_name


def note_mismatch(
    tracer: Tracer, operands: Iterable[Value], node: n.Node, by_jax: bool = False
) -> None:
    """An operation fails for the shapes of its operands: JAX raises.

    Nothing is said of NumPy's own arrays among themselves, unless the operation is a function of
    JAX (``by_jax``); nor of PRNG keys, which have one axis more
    when they are raw, nor of a parameter that is taken for an array because of what its function
    does with it. Nor in a branch: what leads there may choose the arrays, or ask for their shapes.
    With these, the branch ends here.
    """
    arrays = list(_arrays(operands))
    of_jax = [each for each in arrays if isinstance(each, Array)]
    if not (of_jax or (by_jax and arrays)) or any(
        each.assumed or kind_of(each.dtype) == "key" for each in of_jax
    ):
        return
    if tracer.stack.in_branch():
        tracer.stack.frame.stop()
    else:
        shown = tuple(describe(each.aval) for each in arrays)
        tracer.emit(ShapeMismatch(tracer.context(node, node), shown))


def note_update(
    tracer: Tracer, base: Array, index: Value, arguments: Arguments, node: n.Node
) -> None:
    """``x.at[i].set(y)`` fails where ``x[i]`` does, or where ``y`` cannot be broadcast to it."""
    new, (found, contradiction) = arguments.get(0, "values"), part_at(base, index)
    if base.prng is not None:
        return
    if contradiction:
        note_mismatch(tracer, (base, index), node)
    elif isinstance(new, (Array, NumpyArray)) and shapes.too_large(new.aval.shape, found.shape):
        note_mismatch(tracer, (replace(base, aval=found), new), node)


def part_at(array: Array, index: Value) -> avals.Computed:
    """What is known of ``x[i]``."""
    return avals.index(array.aval, index_of(index))


def note_scalar(tracer: Tracer, value: Value, node: n.Node) -> None:
    """An operation takes arrays apart along an axis, and gets a number: JAX raises."""
    if isinstance(value, (Array, NumpyArray)):
        note_mismatch(tracer, (value,), node)
    elif not tracer.stack.in_branch():
        shown = repr(value.value) if isinstance(value, Const) else type_name(value)
        tracer.emit(ShapeMismatch(tracer.context(node, node), (shown,)))


def note_unpacked(tracer: Tracer, value: Value, names: int, starred: bool, node: n.Node) -> None:
    """An array, or its shape, is unpacked into more names than it has parts, or fewer."""
    if tracer.stack.in_branch():
        return
    if isinstance(value, Sequence) and _is_shape(node):
        parts = len(value.items) if value.items is not None else names
        if parts < names - 1 if starred else parts != names:
            tracer.emit(ShapeMismatch(tracer.context(node, node), (), wanted=names, parts=parts))
        return
    if not isinstance(value, Array) or value.assumed:
        return
    shape = value.aval.shape
    count = shape[0] if shape else None
    if value.prng is not None:
        count = value.prng.count
    if isinstance(count, int) and (count < names - 1 if starred else count != names):
        shown = (describe(value.aval),)
        tracer.emit(ShapeMismatch(tracer.context(node, node), shown, wanted=names))


def _is_shape(node: n.Node) -> bool:
    """Whether ``x.shape`` is unpacked here."""
    return isinstance(node, n.Assign) and (
        isinstance(node.value, n.Attribute) and node.value.attr == "shape"
    )


def _arrays(operands: Iterable[Value]) -> Iterator[Array | NumpyArray]:
    """The arrays among some values, and in the lists and tuples among them."""
    for value in operands:
        if isinstance(value, (Array, NumpyArray)):
            yield value
        elif isinstance(value, Sequence):
            yield from _arrays(value.items or ())
