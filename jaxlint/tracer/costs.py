"""What costs a trace at every iteration: changing static arguments, changing shapes, unrolling."""

from __future__ import annotations

from jaxlint.events import ChangingShape, ChangingStatic, Site, UnrolledLoop
from jaxlint.knowledge.measured import SIZES, signature_of
from jaxlint.program import nodes as n
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.records import Arguments
from jaxlint.tracer.values import (
    UNKNOWN,
    Array,
    Bounds,
    Const,
    Host,
    NumpyArray,
    Qualified,
    Sequence,
    Value,
    is_number,
)

_GROWS = frozenset(
    {f"jax.numpy.{name}" for name in ("append", "concatenate", "vstack", "hstack", "concat")}
    | {f"numpy.{name}" for name in ("append", "concatenate", "vstack", "hstack")}
)
_KEEPS_CHANGING = frozenset({"+", "-", "*", "**"})


class Costs(Machine):
    """Notes what a loop makes expensive."""

    # ------------------------------------------------------------ what changes

    def counted(self, value: Value, loop: n.Node) -> Value:
        """A loop's target: a counter takes a new value at every iteration."""
        if isinstance(value, Host) and value.changes is True:
            return Host(value.type, changes=loop)
        if isinstance(value, Sequence) and value.kind == "tuple" and value.items is not None:
            items = [self.counted(item, loop) for item in value.items]
            if any(new is not old for new, old in zip(items, value.items, strict=True)):
                return Sequence("tuple", items, UNKNOWN, value.moment)
        return value

    def stepped(self, operator: str, old: Value, operand: Value, result: Value) -> Value:
        """``n += 1`` in a loop of the host: a counter."""
        loops = self.frame.loops
        if self.level is not None or not loops or loops[-1].frame is not self.frame:
            return result
        changing = operator in _KEEPS_CHANGING and is_number(old) and is_number(operand)
        if not changing or not isinstance(operand, (Const, Host)):
            return result
        kind = result.type if isinstance(result, Host) else "int"
        return Host(kind if kind in ("int", "float") else "int", changes=loops[-1].node)

    def drawn(self) -> Host:
        """A random integer of the host: another one at each evaluation."""
        loops = self.frame.loops
        return Host("int", changes=loops[-1].node if loops else None)

    def sized(self, result: Value, name: str, arguments: Arguments) -> Value:
        """Note that a size which changes makes the shape of a result change."""
        if not isinstance(result, (Array, NumpyArray)):
            return result
        row = signature_of(name)
        if row is None:
            return result
        given = [(row.name_of(i), value) for i, value in enumerate(arguments.args)]
        for parameter, value in [*given, *arguments.kwargs.items()]:
            if parameter in SIZES:
                result.sized_by = result.sized_by or changing(value)
            elif isinstance(value, (Array, NumpyArray)) and name.endswith(_SAME_SHAPE):
                result.sized_by = result.sized_by or value.sized_by
            elif isinstance(value, Sequence) and value.grows is not None:
                result.sized_by = value.grows
        return result

    def sliced(self, result: Value, index: Value) -> Value:
        """``x[:i]``: one bound that changes and another that does not."""
        if isinstance(index, Bounds) and isinstance(result, (Array, NumpyArray)):
            found = [changing(part) for part in index.parts]
            if len(index.parts) == 1 or found.count(None) == len(found) - 1:
                result.sized_by = next((loop for loop in found if loop is not None), None)
        return result

    def grown(self, node: n.Assign, value: Value) -> Value:
        """``x = jnp.concatenate([x, y])`` in a loop: longer at every iteration."""
        loops = self.frame.loops
        call = node.value
        if not loops or loops[-1].frame is not self.frame or not isinstance(call, n.Call):
            return value
        if not isinstance(value, (Array, NumpyArray)) or len(node.targets) != 1:
            return value
        function = self.evaluate(call.function)
        target = node.targets[0]
        if isinstance(function, Qualified) and function.name in _GROWS:
            parts: list[n.Node] = [item.value for item in call.arguments]
            parts += [e for p in parts if isinstance(p, n.Display) for e in p.elements]
            if isinstance(target, n.Name):
                if any(isinstance(part, n.Name) and part.id == target.id for part in parts):
                    value.sized_by = loops[-1].node
        return value

    # ---------------------------------------------------------------- arguments

    def note_changing(
        self, value: Value, static: bool, where: n.Node, function: str, name: str
    ) -> None:
        """An argument of a compiled function that costs a trace at each iteration."""
        loops = self.frame.loops
        if self.level is not None or not loops:
            return
        loop = loops[-1]
        if static:
            if isinstance(value, Host) and value.changes is loop.node:
                self.emit(
                    ChangingStatic(
                        self.context(where, where), function, name, Site(loop.node.origin)
                    )
                )
            return
        sized_by = value.sized_by if isinstance(value, (Array, NumpyArray)) else None
        if isinstance(value, Sequence):
            sized_by = value.grows
        if sized_by is not None and sized_by is loop.node:
            self.emit(
                ChangingShape(self.context(where, where), function, name, Site(loop.node.origin))
            )

    # ---------------------------------------------------------------- unrolling

    def note_unrolled(self, node: n.Node, iterable: Value, operations: int, where: n.Node) -> None:
        """A Python loop of many iterations whose body JAX traces each time."""
        level = self.level
        if level is None or not level.full or not level.tracing or self.abstract_only:
            return
        count = iterable.length if isinstance(iterable, Sequence) else None
        if count is None or operations == self.operations:
            return
        total = count
        for loop in self.frame.loops:
            total *= loop.count or 1
        if total >= self.unroll:
            self.emit(UnrolledLoop(self.context(node, where), total))


_SAME_SHAPE = ("array", "asarray", "zeros_like", "ones_like", "exp", "sin", "cos", "sqrt", "square")


def changing(value: Value) -> n.Node | None:
    """The loop at whose every iteration a size takes a new value."""
    if isinstance(value, Host) and isinstance(value.changes, n.Node):
        return value.changes
    if isinstance(value, Sequence) and value.items is not None:
        return next((found for found in map(changing, value.items) if found is not None), None)
    return None
