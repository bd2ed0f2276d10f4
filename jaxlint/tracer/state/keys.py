"""PRNG keys that the run has made: asked for the same one again, it gives the same one."""

from __future__ import annotations

from jaxlint.tracer.state.stack import Stack
from jaxlint.tracer.values.arrays import Constant, Key


class Keys:
    """Makes keys, each under the transform in force."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack
        self._elements: dict[tuple[int, int, int], Key] = {}
        self._folded: dict[tuple[int, int, object], Key] = {}
        self._folded_of: dict[int, Key] = {}
        self._stacks: dict[object, Key] = {}

    def new(
        self, constant: Constant = None, count: int | None = None, made_of: Key | None = None
    ) -> Key:
        """A PRNG key made here, or an array of ``count`` keys; ``made_of`` another one."""
        return Key(self._stack.level, constant, count, made_of=made_of)

    def copies(self, of: Key) -> Key:
        """An array of copies of one key."""
        return Key(self._stack.level, of.constant, made_of=of, copies=True)

    def derived(self, of: Key) -> Key:
        """A key derived from another in a way that nobody can see."""
        return self.new(of.constant)

    def at(self, keys: Key, index: int) -> Key:
        """``keys[index]``: the same key each time it is asked for."""
        which = (keys.serial, id(keys.made_in), index)
        found = self._elements.get(which)
        if found is None:
            found = self._elements[which] = Key(keys.made_in, keys.constant, None, keys)
        return found

    def stacked(self, keys: tuple[Key, ...], constant: Constant) -> Key:
        """An array of keys: the same one for the same keys."""
        which = tuple((key.serial, id(key.made_in)) for key in keys), id(self._stack.level)
        found = self._stacks.get(which)
        if found is None:
            of = {id(key.part_of): key.part_of for key in keys}
            part_of = of.popitem()[1] if len(of) == 1 else None
            found = Key(self._stack.level, constant, len(keys), part_of)
            self._stacks[which] = found
        return found

    def folded(self, key: Key, data: object, constant: Constant = None) -> Key:
        """``fold_in(key, data)``: the same key each time it is asked for here."""
        which = (key.serial, id(self._stack.level), data)
        found = self._folded.get(which)
        if found is None:
            found = self._folded[which] = self.new(constant, made_of=key)
            self._folded_of[found.serial] = key
        return found

    def again(self, key: Key, since: int) -> Key:
        """What another run of a call makes in place of a key of which the first one made it.

        Keys with a serial up to ``since`` were there before; what is folded of one of them with a
        constant is the same again.
        """
        of = key
        while of.serial > since and of.serial in self._folded_of:
            of = self._folded_of[of.serial]
        return key if of.serial <= since else self.derived(key)

    def let_go(self) -> None:
        """Forget them: they hold on to levels."""
        self._elements.clear()
        self._folded.clear()
        self._folded_of.clear()
        self._stacks.clear()
