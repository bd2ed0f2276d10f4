"""The arrays whose buffers were donated: whatever holds one of them, it holds no array any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from jaxlint.program import nodes as n
from jaxlint.tracer.state.trail import Slots, Trail
from jaxlint.tracer.values.arrays import Array, Donated
from jaxlint.tracer.values.joins import may_be
from jaxlint.tracer.values.pytrees import leaves, map_leaves
from jaxlint.tracer.values.value import Unknown, Value, replace


class Buffers:
    """Which arrays are gone, by identity: each array of the host has a buffer of its own.

    So has a pytree into which nobody sees, if it is known to be one of arrays: what a compiled
    function gives, or a model that is set up.

    Attributes:
        followed: the program donates somewhere. What makes arrays is run again then where it is
            called again: what is remembered of it would be one array for two.
    """

    def __init__(self, trail: Trail) -> None:
        self.followed = False
        self._trail = trail
        self._trees: dict[int, tuple[Value, Value]] = {}
        self._several: dict[int, Value] = {}

    def follow(self, given: Iterable[Value]) -> None:
        """From here on: of what was ``given`` before and remembered one may be several."""
        self.followed = self._trail.donates = True
        self._several = {id(leaf): leaf for value in given for leaf in leaves(value)}

    @property
    def gone(self) -> Slots:
        """Those that were donated, on the path that runs."""
        return self._trail.gone

    # ---------------------------------------------------------------- what is one

    def note(self, tree: Value) -> Value:
        """A pytree of arrays into which nobody sees."""
        if self.followed and isinstance(tree, Unknown):
            self._trees[id(tree)] = (tree, tree)
            self._trail.either[id(tree)] = tree, []
        return tree

    def same(self, tree: Value, copy: Value) -> Value:
        """The copy, of which more is known or less than of the value that it is."""
        if id(tree) in self._trees:
            self._trees[id(copy)] = (self.first(tree), copy)
        if id(tree) in self._trail.either:
            self._trail.either[id(copy)] = copy, self._trail.options(tree)
        return copy

    def like(self, tree: Value, other: Value) -> Value:
        """What was made of the leaves of a pytree."""
        known = id(tree) in self._trees and isinstance(other, Unknown)
        return self.note(replace(other)) if known and isinstance(other, Unknown) else other

    def is_one(self, value: Value) -> bool:
        """Whether a value is an array, or a pytree of arrays, and no other one."""
        known = isinstance(value, Array) and not value.assumed and self.followed
        return (known and id(value) not in self._several) or id(value) in self._trees

    def are_in(self, value: Value) -> bool:
        """Whether arrays are in a value."""
        return any(map(self.is_one, leaves(value)))

    def renewed(self, value: Value, compiled: bool = False) -> Value:
        """The same with other arrays in it; ``compiled``: a compiled function has given it."""

        def change(leaf: Value) -> Value:
            if isinstance(leaf, Unknown) and compiled:
                return self.note(replace(leaf))
            return replace(leaf) if isinstance(leaf, Array) else self.like(leaf, leaf)

        return map_leaves(value, change)

    def first(self, value: Value) -> Value:
        """The value of which this one is the same, as far as that is known."""
        found = self._trees.get(id(value))
        return found[0] if found is not None else value

    # --------------------------------------------------------------- what is gone

    def give_away(self, arrays: Iterable[Value], donated: Donated) -> None:
        """A compiled function has been given these."""
        for array in arrays:
            one = self.first(array)
            self._trail.set(self.gone, id(one), replace(donated, value=one))

    def take_part(self, whole: Value, part: Value) -> Value:
        """A leaf is taken of a pytree that nobody sees into."""
        part = self.like(whole, part)
        found = self.gone.get(id(self.first(whole)))
        if found is not None and self.is_one(part):
            self.give_away([part], found)
        return part

    def deleted_in(self, values: Iterable[Value]) -> Iterator[Donated]:
        """Of what values hold, the arrays that are gone."""
        for value in values:
            for leaf in leaves(value):
                found = self._gone_of(leaf)
                if found is not None:
                    yield replace(found, value=leaf)

    def _gone_of(self, leaf: Value) -> Donated | None:
        """How a leaf went, or one of those that it may be."""
        for part, told in self._trail.options(leaf):
            found: Donated | None = self.gone.get(id(self.first(part)))
            if found is not None and may_be(told | found.when):
                return replace(found, when=told | found.when)
        return None

    def told(self, donated: Donated) -> None:
        """What was given away with it is no longer asked for."""
        for call in {donated.node, *(each.node for each in self.deleted_in([donated.value]))}:
            self.forget(call)

    def forget(self, call: n.Node) -> None:
        """What a call was given may be there."""
        for which, donated in list(self.gone.items()):
            if donated.node is call:
                self._trail.drop(self.gone, which)
