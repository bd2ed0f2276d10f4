"""Arrays whose axes a pattern names, as ``b (h w) c -> b c h w``."""

from __future__ import annotations

import re

from jaxlint.knowledge.libraries import NAMES_AXES
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Tree
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.sizes import Dim, Shape, multiplied
from jaxlint.tracer.values.value import UNKNOWN, Const, Value

_AXES = re.compile(r"\(([^()]*)\)|(\S+)")
_ELLIPSIS = "..."


def by_pattern(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """The array of JAX that a function makes of others by such a pattern."""
    given = arguments.args[: NAMES_AXES[name]] if NAMES_AXES[name] else arguments.args[:-1]
    if not given or not all(isinstance(each, (Array, Tree)) for each in given):
        return tracer.unseen(*arguments.all())  # Of NumPy, of a list, or of another library.
    pattern = arguments.get(NAMES_AXES[name] or len(given), "pattern")
    text = pattern.value if isinstance(pattern, Const) else None
    first = given[0] if len(given) == 1 else UNKNOWN
    shape = _shape(text, first, arguments.kwargs) if isinstance(text, str) else None
    same = isinstance(first, Array) and not name.endswith(("reduce", "einsum"))
    dtype = first.aval.dtype if same and isinstance(first, Array) else None
    return tracer.array(arguments.all(), node, name, Aval(shape, dtype))


def _shape(pattern: str, array: Value, lengths: dict[str, Value]) -> Shape:
    """The sizes of the axes behind the arrow; None where there may be any number of them."""
    before, arrow, after = pattern.partition("->")
    if not arrow or _ELLIPSIS in after:
        return None
    sizes = {name: _number(value) for name, value in lengths.items()}
    axes, shape = _axes(before), array.aval.shape if isinstance(array, Array) else None
    if shape is not None and len(axes) == len(shape):
        alone = ((axis[0], size) for axis, size in zip(axes, shape, strict=True) if len(axis) == 1)
        sizes.update(alone)
    return tuple(multiplied([_size(name, sizes) for name in axis]) for axis in _axes(after))


def _axes(side: str) -> list[list[str]]:
    """The axes of one side, each with the names that it is put together of."""
    return [(inner if single == "" else single).split() for inner, single in _AXES.findall(side)]


def _size(name: str, sizes: dict[str, Dim]) -> Dim:
    return int(name) if name.isdecimal() else sizes.get(name)


def _number(value: Value) -> Dim:
    return value.value if isinstance(value, Const) and type(value.value) is int else None
