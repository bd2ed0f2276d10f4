"""Python integers where JAX makes arrays of them, and indices where it has an axis: what fits."""

from __future__ import annotations

from jaxlint.events import IndexBeyond, IndexOutOfBounds, NumberOutOfRange, RefusedArgument
from jaxlint.events.arguments import INDEX
from jaxlint.knowledge.integers import LIMITS, NARROW
from jaxlint.program import nodes as n
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Bounds, NumpyArray, kind_of
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.extents import Extent
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.value import Const, Host, Value, type_name

DEFAULT = "int32"
"""What an integer becomes that meets an array, whatever the array's dtype, while x64 is off."""


def note_out_of_range(
    tracer: Tracer, value: Value, dtype: str, node: n.Node, where: n.Node
) -> None:
    """A Python integer that its dtype cannot hold: JAX raises OverflowError."""
    if tracer.settings.x64 is not False or not isinstance(value, Const):
        return
    found, (least, most) = value.value, limits(dtype)
    if type(found) is int and not least <= found <= most:
        tracer.emit(NumberOutOfRange(tracer.context(node, where), found, dtype))


def note_operand(
    tracer: Tracer, one: Value, other: Value, node: n.Node, where: n.Node, exponent: bool = False
) -> None:
    """The integer ``other`` as an operand beside an array; an ``exponent`` stays an integer."""
    if isinstance(one, Array) and not one.assumed and not exponent:
        note_out_of_range(tracer, other, DEFAULT, node, where)


def limits(dtype: str) -> tuple[int, int]:
    """The least and the largest number of an integer dtype, as it is while x64 is off."""
    bits = min(int(dtype.lstrip("uint")), 32)
    if dtype.startswith("uint"):
        return 0, 2**bits - 1
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def name_of_dtype(dtype: Value | None) -> str | None:
    """The name of a dtype; None where nobody can see it, ``int32`` where it is not given."""
    if dtype is None or (isinstance(dtype, Const) and dtype.value is None):
        return DEFAULT
    if isinstance(dtype, Const):
        return dtype.value if isinstance(dtype.value, str) else None
    if isinstance(dtype, Host):
        return dtype.name
    if not isinstance(dtype, Qualified):
        return None
    short = dtype.name.rpartition(".")[2]
    return DEFAULT if short == "int" else short


def limits_asked(dtype: Value) -> External | Host:
    """``iinfo(dtype)``: the limits of a dtype that is the same with x64 and without it."""
    name = dtype.name.rpartition(".")[2] if isinstance(dtype, Qualified) else None
    return External(LIMITS, aval=Aval((), name)) if name in NARROW else Host("object")


def limit(of: Aval, name: str) -> Value:
    """``iinfo(dtype).max``."""
    found = dict(zip(("min", "max"), limits(of.dtype or DEFAULT), strict=True)).get(name)
    return Host("object") if found is None else Const(found)


def note_no_integer(tracer: Tracer, index: Value, node: n.Subscript) -> None:
    """A float for an index, as a division gives it: JAX raises TypeError."""
    parts, places = [index], [node.index]
    if isinstance(index, Sequence) and index.kind == "tuple" and index.items is not None:
        parts = list(index.items)
        written = isinstance(node.index, n.Display) and len(node.index.elements) == len(parts)
        places = node.index.elements if written else places * len(parts)  # type: ignore[attr-defined]
    for part, where in zip(parts, places, strict=True):
        array = isinstance(part, (Array, NumpyArray)) and kind_of(part.aval.dtype) == "float"
        certain = not isinstance(part, Array) or not part.assumed
        if (array and certain) or type_name(part) == "float":
            tracer.emit(RefusedArgument(tracer.context(node, where), INDEX, "index", "index"))
            return


def note_out_of_bounds(tracer: Tracer, array: Array, index: Value, node: n.Node) -> None:
    """A literal index outside of its axis, which JAX moves to the nearest element."""
    shape = array.aval.shape
    if shape is None or array.assumed:
        return
    parts = [index]
    if isinstance(index, Sequence):
        parts = list(index.items or ()) if index.kind == "tuple" else []
    for axis, (part, size) in enumerate(zip(parts, shape, strict=False)):
        if isinstance(part, Bounds):
            continue
        number = part.value if isinstance(part, Const) else None
        if type(number) is not int:
            return
        if isinstance(size, int) and size > 0 and not -size <= number < size:
            context = tracer.context(node, node, array)
            tracer.emit(IndexOutOfBounds(context, number, axis, size))
            return


def note_beyond(
    tracer: Tracer, array: Array, index: Value, node: n.Node, writes: bool = False
) -> None:
    """Indices in an array, or one to write at, of which some lie outside of the axis."""
    shape = array.aval.shape
    if shape is None or array.assumed:
        return
    parts = [index]
    if isinstance(index, Sequence):
        parts = list(index.items or ()) if index.kind == "tuple" else []
    for part, size in zip(parts, shape, strict=False):
        if isinstance(part, Bounds):
            continue
        found = _ends(part, writes)
        if found is None or type(size) is not int:
            return
        outside = [each for each in found if not -size <= each < size]
        if outside and size:
            context = tracer.context(node, node, array)
            tracer.emit(IndexBeyond(context, outside[0], size, "drops" if writes else "reads"))
            return


def _ends(index: Value, writes: bool) -> tuple[int, ...] | None:
    """The largest and the least of some indices; none of a number that is only read."""
    if isinstance(index, Const) and type(index.value) is int:
        return (index.value,) if writes else ()
    extent = index.extent if isinstance(index, Array) and index.aval.dtype != "bool" else None
    if not isinstance(index, Array) or not isinstance(extent, Extent) or extent.in_turn:
        return None  # A mask may leave out those of several that do not fit.
    return (extent.most, extent.least) if extent.shape == index.aval.shape else None
