"""Large arrays that compiled functions compute with and are not given: constants of the program."""

from __future__ import annotations

import math
from typing import TypeGuard

from jaxlint.events import CapturedConstant
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.numpy_api import ASKS_FOR_SHAPE
from jaxlint.program import nodes as n
from jaxlint.program.once import once
from jaxlint.program.walk import bindings_in, children, walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.state.arguments import called_as
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.value import Value

_LEAST = 16 * 2**20
"""Bytes from which on a constant makes each compilation take 0.3 s longer."""

_WIDEST = 4
"""Bytes of a number, as long as nobody turns 64 bits on."""

_SAME = frozenset({"array", "asarray", "device_put"})
_FILLS = frozenset({"full", "full_like", "ones", "ones_like", "zeros", "zeros_like"})

_COMPUTES = (n.BinaryOperation, n.Comparison, n.UnaryOperation, n.Subscript)


class Captured(Analysis):
    """Notes names of such arrays where they are operands."""

    def on_read(self, frame: Frame, name: str, node: n.Node, value: Value) -> None:
        level = self.tracer.stack.level
        if level is None or not level.caching or frame.level is not None:
            return
        if not isinstance(value, (Array, NumpyArray)) or self.tracer.stack.muted:
            return
        size = _bytes_of(value)
        if size >= _LEAST and self._is_operand(node) and not self._is_filled(frame, name):
            context = self.tracer.context(node, node)
            self.tracer.emit(CapturedConstant(context, name, size // 10**6))

    def _is_filled(self, frame: Frame, name: str) -> bool:
        """Whether a variable holds the same number everywhere: JAX writes that down once."""
        code = self.code_of(frame)
        bound = [node for node, each in bindings_in(code) if each == name]
        made = [node.value for node in bound if _assigns(node)]
        changed = any(_stores_in(each, name) for each in walk(code.body))
        return bool(made) and not changed and all(map(_fills, made))

    def _is_operand(self, node: n.Node) -> bool:
        """Whether an operation needs the numbers of a name, and not its shape alone."""
        frame = self.tracer.stack.frame
        parent = once(_parents, self.tracer.module).get(id(node))
        if isinstance(parent, n.Attribute):
            return parent.attr not in jax_api.ARRAY_HOST_ATTRIBUTES
        if isinstance(parent, n.Argument):
            call = once(_parents, self.tracer.module).get(id(parent))
            parent = call if call is not None else parent
        if isinstance(parent, n.Call):
            function = qualified_name(self.tracer, parent.function, frame) or ""
            return (
                function.rpartition(".")[0] in jax_api.ARRAY_MODULES
                and function not in ASKS_FOR_SHAPE
            )
        return isinstance(parent, _COMPUTES)


def _assigns(node: n.Node) -> TypeGuard[n.Assign]:
    return isinstance(node, n.Assign)


def _stores_in(statement: n.Node, name: str) -> bool:
    """Whether a statement sets elements of a variable."""
    targets = statement.targets if isinstance(statement, n.Assign) else []
    return any(
        isinstance(each, n.Subscript) and isinstance(each.value, n.Name) and each.value.id == name
        for each in targets
    )


def _fills(value: n.Node | None) -> bool:
    """Whether an expression makes an array of one number: ``jnp.asarray(np.ones(n))``."""
    while isinstance(value, n.Call) and called_as(value) in _SAME and value.arguments:
        value = value.arguments[0].value
    return isinstance(value, n.Call) and called_as(value) in _FILLS


def _parents(module: n.Module) -> dict[int, n.Node]:
    """What each name of a module is written in."""
    return {
        id(child): parent
        for parent in walk(module.body)
        for child in children(parent)
        if isinstance(child, (n.Name, n.Argument))
    }


def _bytes_of(value: Array | NumpyArray) -> int:
    """What an array of the host takes on the device at least; 0 where that is not in view."""
    shape, dtype = value.aval.shape, value.aval.dtype
    known = [size for size in shape or () if isinstance(size, int)]
    traced = isinstance(value, Array) and (value.traced is not False or value.assumed)
    if shape is None or len(known) != len(shape) or traced:
        return 0
    bits = (dtype or "").lstrip("bcfilntuoxe")
    width = int(bits) // 8 if bits.isdecimal() else 1
    return math.prod(known) * min(width, _WIDEST)
