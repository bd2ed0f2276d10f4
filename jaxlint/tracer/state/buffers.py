"""The arrays whose buffers were donated: whatever holds one of them, it holds no array any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.program import nodes as n
from jaxlint.tracer.state.trail import Slots, Trail
from jaxlint.tracer.values.arrays import Array, Donated
from jaxlint.tracer.values.pytrees import leaves, map_leaves
from jaxlint.tracer.values.value import SOMETHING, UNKNOWN, Unknown, Value, replace


class Buffers:
    """Which arrays are gone, by identity: each array of the host has a buffer of its own.

    Attributes:
        followed: the program donates somewhere. What makes arrays is run again then where it is
            called again: what is remembered of it would be one array for two.
    """

    def __init__(self, trail: Trail) -> None:
        self.followed = False
        self._trail = trail
        self._same: dict[int, tuple[Value, Value]] = {}

    @property
    def gone(self) -> Slots:
        """Those that were donated, on the path that runs."""
        return self._trail.gone

    def give_away(self, arrays: Iterable[Value], donated: Donated) -> None:
        """A compiled function has been given these."""
        self._trail.donates = True
        for array in arrays:
            one = self._first(array)
            self._trail.set(self.gone, id(one), replace(donated, value=one))

    def same(self, value: Value, copy: Value) -> Value:
        """The copy, of which more is known or less than of the value that it is."""
        if self.followed:
            self._same[id(copy)] = (self._first(value), copy)
        return copy

    def _first(self, value: Value) -> Value:
        found = self._same.get(id(value))
        return found[0] if found is not None else value

    def deleted_in(self, values: Iterable[Value]) -> Iterator[Donated]:
        """Of what values hold, the arrays that are gone."""
        for value in values:
            for leaf in leaves(value):
                found = self.gone.get(id(self._first(leaf)))
                if found is not None:
                    yield replace(found, value=leaf)

    def take_part(self, whole: Value, part: Value) -> None:
        """A leaf was taken of a pytree that nobody sees into."""
        found = self.gone.get(id(self._first(whole)))
        if found is not None and is_one(part):
            self.give_away([part], found)

    def told(self, donated: Donated) -> None:
        """What was given away with it is no longer asked for."""
        for call in {donated.node, *(each.node for each in self.deleted_in([donated.value]))}:
            self.forget(call)

    def forget(self, call: n.Node) -> None:
        """What a call was given may be there."""
        for which, donated in list(self.gone.items()):
            if donated.node is call:
                self._trail.drop(self.gone, which)


def is_one(value: Value) -> bool:
    """Whether a value is an array, or what a call out of view has given, and no other one."""
    known = isinstance(value, Array) and not value.assumed
    return known or (isinstance(value, Unknown) and value not in (UNKNOWN, SOMETHING))


def renewed(value: Value) -> Value:
    """The same with other arrays in it, as a compiled function gives them."""

    def change(leaf: Value) -> Value:
        return replace(leaf) if isinstance(leaf, (Array, Unknown)) else leaf

    return map_leaves(value, change)


def holds_arrays(value: Value) -> bool:
    """Whether arrays are in a value."""
    return any(isinstance(leaf, Array) for leaf in leaves(value))
