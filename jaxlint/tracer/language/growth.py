"""Numbers to which a loop adds the same in each pass, and the pass that tells what comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from jaxlint.program import nodes as n
from jaxlint.program.walk import statements
from jaxlint.tracer.operations.ranges import limits
from jaxlint.tracer.state.trail import Writes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.extents import Extent, filled
from jaxlint.tracer.values.pytrees import keys_in, leaves, map_leaves
from jaxlint.tracer.values.value import Const, Host, Value

_MOST_LEAVES = 64
_KINDS = ({int}, {float})
_ENDS_EARLY = (n.Jump, n.Return, n.Raise)


def runs_through(body: list[n.Node]) -> bool:
    """Whether each pass of a loop goes to the end of its body, and none is the last too early."""
    return not any(isinstance(each, _ENDS_EARLY) for each in statements(body))


class Growth:
    """What two passes have left of the variables of a loop that runs so many times.

    Whoever asks for a Python number finds another one in each pass; integers of an array may leave
    their dtype in one of them.
    """

    def __init__(self, tracer: Tracer, loop: n.Node, count: int | None) -> None:
        self.tracer = tracer
        self.loop = loop
        self.count = count
        self._passes: list[Writes] = []
        self._before: dict[object, Value] = {}

    def note(self, end: Writes) -> None:
        """A pass has ended, whose writes are taken back."""
        if not self._passes:
            for where, (slots, name, *_) in end.items():
                old = slots.get(name)
                if isinstance(old, Value):
                    self._before[where] = old
        self._passes.append(end)

    def later(self) -> Iterator[tuple[Any, Any, Value]]:
        """The variables in which numbers grow, as a later pass finds them."""
        if len(self._passes) != 2 or any(map(_holds_keys, self._passes[1].values())):
            return
        first, second = self._passes
        for where, old in self._before.items():
            if where in second:
                slots, name, now, _ = second[where]
                values = (old, first[where][2], now)
                last = self._last(*values) if all(isinstance(v, Value) for v in values) else None
                if last is not None:
                    yield slots, name, last

    def _last(self, old: Value, first: Value, second: Value) -> Value | None:
        sides = [list(leaves(each)) for each in (old, first, second)]
        if len({len(side) for side in sides}) > 1 or len(sides[0]) > _MOST_LEAVES:
            return None
        found: dict[int, Value] = {}
        for values in zip(*sides, strict=True):
            last = self._number(values) or self._before_it_wraps(values)
            if last is not None:
                found[id(values[1])] = last
        if not found:
            return None
        return map_leaves(first, lambda leaf: found.get(id(leaf), leaf), self.tracer.stack.moment())

    def _number(self, values: tuple[Value, ...]) -> Host | None:
        """A Python number that is another one in each pass."""
        numbers = [value.value for value in values if isinstance(value, Const)]
        if len(numbers) != len(values) or {type(number) for number in numbers} not in _KINDS:
            return None
        kind = type(numbers[0]).__name__
        return Host(kind, varies=self.loop) if _step(numbers) else None

    def _before_it_wraps(self, values: tuple[Value, ...]) -> Array | None:
        """An array to which each pass adds the same, as the pass finds it that is too much."""
        extents = [value.extent for value in values if isinstance(value, Array)]
        known = [each for each in extents if isinstance(each, Extent) and each.uniform]
        now = values[1]
        if self.count is None or self.tracer.settings.x64 is not False:
            return None
        if len(known) != len(values) or not isinstance(now, Array) or now.aval.dtype is None:
            return None
        start, step = known[0].least, _step([each.least for each in known])
        if not step or len({each.shape for each in known}) > 1:
            return None
        least, most = limits(now.aval.dtype)
        passes = ((most if step > 0 else least) - start) // step
        if passes >= self.count:
            return None
        return replace(now, extent=filled(known[0].shape, start + passes * step))


def _holds_keys(write: tuple[Any, Any, Any, bool]) -> bool:
    """Whether a container gets PRNG keys: no later pass could say which of them are used up."""
    value = write[2]
    return isinstance(value, Value) and not isinstance(value, Array) and bool(keys_in(value))


def _step(numbers: list[Any]) -> Any:
    """What is added to a number each time; nothing where that is not the same."""
    start, first, second = numbers
    return first - start if first - start == second - first else 0
