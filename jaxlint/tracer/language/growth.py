"""Numbers to which a loop adds the same in each pass, and the pass that tells what comes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jaxlint.program import nodes as n
from jaxlint.program.walk import statements
from jaxlint.tracer.operations.ranges import limits
from jaxlint.tracer.state.trail import Writes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.extents import Extent, filled
from jaxlint.tracer.values.pytrees import keys_in, leaves, map_leaves
from jaxlint.tracer.values.value import Const, Host, Value, replace

Changes = list[tuple[Any, Any, Value]]
"""Slots, the name of one, and what is found in it."""

_MOST_LEAVES = 64
_ENDS_EARLY = (n.Jump, n.Return, n.Raise)


def runs_through(body: list[n.Node]) -> bool:
    """Whether each pass of a loop goes to the end of its body, and none is the last too early."""
    return not any(isinstance(each, _ENDS_EARLY) for each in statements(body))


class Growth:
    """What two passes have left of the variables of a loop that runs so many times.

    Whoever asks for a Python number finds another one in each pass; integers of an array may leave
    their dtype in one of them. A pass in which such a number has a name instead of a value tells
    whether all of them add the same: then the last pass of the loop finds a number that is known.
    """

    def __init__(self, tracer: Tracer, loop: n.Node, count: int | None) -> None:
        self.tracer = tracer
        self.loop = loop
        self.count = count
        self._passes: list[Writes] = []
        self._before: dict[object, Value] = {}
        self._begin: dict[object, int] = {}

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
        self._begin.clear()
        for where, old in self._before.items():
            if where in second:
                slots, name, now, _ = second[where]
                values = (old, first[where][2], now)
                last = self._last(*values) if all(isinstance(v, Value) for v in values) else None
                if last is not None:
                    yield slots, name, last

    def at_last(self, later: list[tuple[Any, Any, Value]], end: Writes) -> Changes:
        """The variables whose numbers are known in the last pass, by what a later one has left."""
        found: Changes = []
        for slots, name, value in later:
            left = end[id(slots), name][2] if (id(slots), name) in end else None
            if isinstance(left, Value):
                last = self._in_last(value, left)
                found += [(slots, name, last)] if last is not value else []
        return found

    def _in_last(self, value: Value, left: Value) -> Value:
        """A value as the last pass finds it: itself where no number in it is known."""
        before, after = list(leaves(value)), list(leaves(left))
        if self.count is None or len(before) != len(after):
            return value
        known: dict[object, Value] = {}
        for one, other in zip(before, after, strict=True):
            if isinstance(one, Host) and isinstance(other, Host) and one.grown and other.grown:
                number, step = other.grown
                if step and number is one.grown[0]:
                    known[number] = Const(self._begin[number] + step * (self.count - 1))
        if not known:
            return value

        def last(leaf: Value) -> Value:
            number = leaf.grown[0] if isinstance(leaf, Host) and leaf.grown else None
            return known.get(number, leaf)

        return map_leaves(value, last, self.tracer.stack.moment())

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
        start, *rest = values
        if not isinstance(start, Const) or type(start.value) not in (int, float):
            return None
        counts = all(isinstance(each, Host) and each.varies is self.loop for each in rest)
        if not counts and not _grows(values):
            return None
        if type(start.value) is float or self.count is None:
            return None if counts else Host(type(start.value).__name__, varies=self.loop)
        number = object()
        self._begin[number] = start.value
        return Host("int", varies=self.loop, grown=(number, 0))

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


def _grows(values: tuple[Value, ...]) -> bool:
    """Whether constants are numbers of one kind of which each is larger by the same."""
    numbers = [value.value for value in values if isinstance(value, Const)]
    alike = len(numbers) == len(values) and len({type(number) for number in numbers}) == 1
    return alike and bool(_step(numbers))


def _step(numbers: list[Any]) -> Any:
    """What is added to a number each time; nothing where that is not the same."""
    start, first, second = numbers
    return first - start if first - start == second - first else 0
