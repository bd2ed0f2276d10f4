"""The arrays whose buffers were donated: whatever holds one of them, it holds no array any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.program import nodes as n
from jaxlint.tracer.state.trail import Slots, Trail
from jaxlint.tracer.values.arrays import Array, Donated
from jaxlint.tracer.values.pytrees import leaves, map_leaves
from jaxlint.tracer.values.value import Value, replace


class Buffers:
    """Which arrays are gone, by identity: each array of the host has a buffer of its own.

    Attributes:
        followed: the program donates somewhere. What makes arrays is run again then where it is
            called again: what is remembered of it would be one array for two.
    """

    def __init__(self, trail: Trail) -> None:
        self.followed = False
        self._trail = trail

    @property
    def gone(self) -> Slots:
        """Those that were donated, on the path that runs."""
        return self._trail.gone

    def give_away(self, arrays: Iterable[Array], donated: Donated) -> None:
        """A compiled function has been given these."""
        self._trail.donates = True
        for array in arrays:
            self._trail.set(self.gone, id(array), replace(donated, value=array))

    def deleted_in(self, values: Iterable[Value]) -> Iterator[Donated]:
        """Of what values hold, the arrays that are gone."""
        for value in values:
            for leaf in leaves(value):
                found = self.gone.get(id(leaf))
                if found is not None:
                    yield found

    def told(self, donated: Donated) -> None:
        """What was given away with it is no longer asked for."""
        for call in {donated.node, *(each.node for each in self.deleted_in([donated.value]))}:
            self.forget(call)

    def forget(self, call: n.Node) -> None:
        """What a call was given may be there."""
        for which, donated in list(self.gone.items()):
            if donated.node is call:
                self._trail.drop(self.gone, which)


def renewed(value: Value) -> Value:
    """The same with other arrays in it, as a compiled function gives them."""
    return map_leaves(value, lambda leaf: replace(leaf) if isinstance(leaf, Array) else leaf)


def holds_arrays(value: Value) -> bool:
    """Whether arrays are in a value."""
    return any(isinstance(leaf, Array) for leaf in leaves(value))
