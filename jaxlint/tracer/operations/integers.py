"""Arrays of integers whose numbers are known: what they become, and where they wrap around."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.events import IntegerWraps
from jaxlint.knowledge import integers
from jaxlint.program import nodes as n
from jaxlint.tracer.operations.ranges import DEFAULT, limits
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.extents import (
    OPERATORS,
    Extent,
    Wrapped,
    combined,
    counted,
    filled,
    of_numbers,
    reduced,
    reshaped,
)
from jaxlint.tracer.values.pytrees import leaves
from jaxlint.tracer.values.value import Const, Value, replace


def operated(
    tracer: Tracer, operator: str, left: Value, right: Value, found: Array, node: n.Node
) -> Array:
    """The result of an operator, with its numbers where both operands have theirs."""
    if operator in integers.MASKS:
        taken_as_it_is(tracer, (left, right))
        return found
    if operator == "@":
        return _product(tracer, left, right, found, node)
    taken = _taken_from_bytes(left, right, found) if operator == "-" else None
    if taken is not None:
        event = IntegerWraps(tracer.context(node, node), -taken, found.aval.dtype or "")
        tracer.analyses.on_wrap(event, id(node))
        return replace(found, extent=Wrapped(frozenset({id(node)})))
    if operator not in OPERATORS or not (_is_known(left) or _is_known(right)):
        return found
    wrapped = _wrapped(left, right)
    if wrapped is not None:
        return replace(found, extent=wrapped)
    one, other, shape = _extent(left), _extent(right), _shape(found)
    if one is None or other is None or shape is None:
        return found
    return _with(tracer, found, combined(operator, one, other, shape), node)


def _taken_from_bytes(left: Value, right: Value, found: Array) -> int | None:
    """A number taken from bytes, as pixels are, that many of them are less than."""
    if not isinstance(left, Array) or left.assumed or found.aval.dtype not in integers.BYTES:
        return None
    number = right.value if isinstance(right, Const) and left.extent is None else None
    if number in integers.FIRST_LETTERS:
        return None
    least, most = limits(found.aval.dtype or DEFAULT)
    return number if isinstance(number, int) and 4 * number > most - least else None


def negative(tracer: Tracer, value: Value, found: Array, node: n.Node) -> Array:
    """``-value`` with its numbers."""
    return operated(tracer, "-", Const(0), value, found, node)


def called(tracer: Tracer, name: str, arguments: Arguments, found: Array, node: n.Node) -> Array:
    """The result of a function with its numbers, where literal values and sizes decide them."""
    if name in integers.CHOOSES or _takes_bits(name, arguments, found):
        taken_as_it_is(tracer, arguments.all())
        return found
    make = _MAKERS.get(name)
    if make is not None:
        shape = _shape(found)
        made = make(arguments, shape) if arguments.closed and shape is not None else None
        return (
            found
            if made is None
            else _with(tracer, found, made, node, silent=name in integers.CHECKED)
        )
    operator = integers.OPERATORS.get(name)
    if operator is not None and len(arguments.all()) == len(arguments.args) == 2:
        return operated(tracer, operator, *arguments.args, found, node)
    if name in integers.PRODUCTS and len(arguments.all()) == len(arguments.args) == 2:
        return _product(tracer, *arguments.args, found, node)
    first = arguments.args[0] if arguments.args else None
    if not isinstance(first, Array) or first.extent is None:
        return found
    return _of_known(tracer, name, first, arguments, found, node)


def compared(tracer: Tracer, left: Value, right: Value) -> None:
    """A comparison with zero, or with what else is known, looks for what wrapped around."""
    zero = any(isinstance(value, Const) and value.value == 0 for value in (left, right))
    if zero or (_is_known(left) and _is_known(right)):
        taken_as_it_is(tracer, (left, right))


def taken_as_it_is(tracer: Tracer, values: tuple[Value, ...] | list[Value]) -> None:
    """A mask, a remainder or a test looks at numbers as they are after they wrapped around."""
    for value in values:
        for leaf in leaves(value):
            if isinstance(leaf, Array) and isinstance(leaf.extent, Wrapped):
                tracer.analyses.on_taken_as_it_is(leaf.extent.by)


def _takes_bits(name: str, arguments: Arguments, found: Array) -> bool:
    """Whether integers that wrapped around get another dtype of no more bits.

    ``(codes - 128).astype(int8)``: the bits that are left are those of the difference.
    """
    first, after = arguments.args[0] if arguments.args else None, found.aval.dtype
    if name not in integers.CONVERTS or not isinstance(first, Array) or after is None:
        return False
    if not isinstance(first.extent, Wrapped):
        return False
    before = first.aval.dtype
    both = integers.NARROW.issuperset({before, after})
    return both and before != after and _bits(after) <= _bits(before or after)


def _bits(dtype: str) -> int:
    return int(dtype.lstrip("uint"))


def _of_known(
    tracer: Tracer, name: str, first: Array, arguments: Arguments, found: Array, node: n.Node
) -> Array:
    """A function of an array whose numbers are known."""
    if name == integers.SQUARES:
        return operated(tracer, "**", first, Const(2), found, node)
    if name in integers.NEGATES:
        return negative(tracer, first, found, node)
    reduces = integers.REDUCES.get(name)
    shape, alone = _shape(found), len(arguments.all()) == 1
    if shape is None or not (alone or name in integers.KEEPS):
        return found
    if isinstance(first.extent, Wrapped):
        return replace(found, extent=first.extent)
    extent = _extent(first)
    if extent is None:
        return found
    if reduces is not None:
        return _with(tracer, found, reduced(reduces, extent, shape), node)
    kept = reshaped(extent, shape) if name in integers.KEEPS else None
    if name in integers.CASTS and kept is not None and _changes_sign(found, kept):
        number = IntegerWraps(tracer.context(node, node), kept.least, found.aval.dtype or "")
        tracer.analyses.on_wrap(number, id(node))
        return replace(found, extent=Wrapped(frozenset({id(node)})))
    return _with(tracer, found, kept, node, silent=True)


def _changes_sign(found: Array, extent: Extent) -> bool:
    """Whether an unsigned dtype gets numbers below zero beside others: no mask of ones is meant."""
    unsigned = found.aval.dtype in integers.NARROW - integers.SIGNED
    return unsigned and extent.least < 0 < extent.most


def _product(tracer: Tracer, left: Value, right: Value, found: Array, node: n.Node) -> Array:
    """The sum of the products of two rows of numbers."""
    one, other = _extent(left), _extent(right)
    if one is None or other is None or len(one.shape) != 1 or one.shape != other.shape:
        return found
    if one.numbers is not None and other.numbers is not None:
        total = sum(a * b for a, b in zip(one.numbers, other.numbers, strict=True))
        return _with(tracer, found, of_numbers((), (total,)), node)
    if one.uniform and other.total is not None:
        return _with(tracer, found, of_numbers((), (one.least * other.total,)), node)
    if other.uniform and one.total is not None:
        return _with(tracer, found, of_numbers((), (other.least * one.total,)), node)
    return found


def _with(
    tracer: Tracer, found: Array, extent: Extent | None, node: n.Node, silent: bool = False
) -> Array:
    """An array with these numbers, if its dtype can hold them; noted where it cannot."""
    dtype = found.aval.dtype
    if extent is None or dtype not in integers.SIGNED or tracer.settings.x64 is not False:
        return found
    least, most = limits(dtype)
    if least <= extent.least and extent.most <= most:
        return replace(found, extent=extent)
    if silent:
        return found
    number = extent.most if extent.most > most else extent.least
    tracer.analyses.on_wrap(IntegerWraps(tracer.context(node, node), number, dtype), id(node))
    return replace(found, extent=Wrapped(frozenset({id(node)})))


def _is_known(value: Value) -> bool:
    return isinstance(value, Array) and value.extent is not None


def _wrapped(left: Value, right: Value) -> Wrapped | None:
    found = [
        value.extent.by
        for value in (left, right)
        if isinstance(value, Array) and isinstance(value.extent, Wrapped)
    ]
    return Wrapped(frozenset().union(*found)) if found else None


def _extent(value: Value) -> Extent | None:
    """The numbers of an operand, if it still has the shape of which they are known."""
    if isinstance(value, Const) and type(value.value) is int:
        least, most = limits(DEFAULT)  # JAX refuses others beside an array.
        return filled((), value.value) if least <= value.value <= most else None
    if isinstance(value, Array) and isinstance(value.extent, Extent):
        return value.extent if value.extent.shape == value.aval.shape else None
    return None


def _shape(array: Array) -> tuple[int, ...] | None:
    shape = array.aval.shape
    sizes = tuple(size for size in shape if isinstance(size, int)) if shape is not None else ()
    return sizes if shape is not None and len(sizes) == len(shape) else None


def _integers(values: list[Value]) -> tuple[int, ...] | None:
    found = [v.value for v in values if isinstance(v, Const) and type(v.value) is int]
    return tuple(found) if len(found) == len(values) else None


def _range(arguments: Arguments, shape: tuple[int, ...]) -> Extent | None:
    given = _integers(list(arguments.args))
    names = [name for name in arguments.kwargs if name != "dtype"]
    if not given or names or len(given) > 3 or given[2:] == (0,):
        return None
    numbers = range(*given)
    return counted(numbers) if numbers else None


def _filled(arguments: Arguments, shape: tuple[int, ...]) -> Extent | None:
    number = _integers([arguments.get(1, "fill_value") or Const(None)])
    return filled(shape, number[0]) if number else None


def _numbers(arguments: Arguments, shape: tuple[int, ...]) -> Extent | None:
    """Of ``jnp.array``; what its dtype cannot hold it refuses."""
    value = arguments.args[0] if arguments.args else Const(None)
    if isinstance(value, Array):
        return None
    listed = isinstance(value, Sequence) and value.items is None
    numbers = None if listed else _integers(list(leaves(value)))
    return of_numbers(shape, numbers) if numbers else None


_MAKERS: dict[str, Callable[[Arguments, tuple[int, ...]], Extent | None]] = {
    integers.RANGE: _range,
    **dict.fromkeys(integers.FILLS, _filled),
    **dict.fromkeys(integers.ONES, lambda _, shape: filled(shape, 1)),
    **dict.fromkeys(integers.ZEROS, lambda _, shape: filled(shape, 0)),
    **dict.fromkeys(integers.CHECKED, _numbers),
}
