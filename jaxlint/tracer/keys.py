"""PRNG keys as linear values: each is consumed once.

A key is an :class:`Array` with a :class:`KeyState`, its identity. Samplers and
``split`` consume it; ``fold_in``, ``clone`` and ``key_data`` do not, as in JAX's own
checker (``jax.debug_key_reuse``). Two uses conflict when one path through the
program takes both; a key of which nobody in view knows the identity never does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from jaxlint.events import Again, ConstantKey, KeyReuse, Site
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.measured import signature_of
from jaxlint.program import nodes as n
from jaxlint.tracer.frames import Level
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.records import Arguments, Consumed
from jaxlint.tracer.refusals import argument_nodes, keyword_node
from jaxlint.tracer.values import (
    Array,
    Const,
    Function,
    KeyState,
    KeyUse,
    Tree,
    Unknown,
    Value,
    key_states,
    with_keys,
)

_MOST_COUNTED = 64
_REPEATING = frozenset(
    {"jax.lax.scan", "jax.lax.map", "jax.lax.fori_loop", "jax.lax.while_loop", "haiku.scan",
     "haiku.while_loop"}
)  # fmt: skip
"""Higher-order functions that run their body again and again."""


class Keys(Machine):
    """Makes keys, consumes them, and notes what is consumed twice."""

    # ------------------------------------------------------------------- making

    def key_result(self, name: str, result: Array, arguments: Arguments, node: n.Node) -> Array:
        """Give the result of ``split``, ``fold_in``, ``key`` and the like its identity."""
        source = arguments.get(0, "seed" if name in jax_api.KEY_MAKERS else "key")
        parents = key_states(source) if source is not None else []
        parent = parents[0] if parents else None
        constant = parent.constant if parent is not None else None
        if name in jax_api.KEY_MAKERS:
            constant = (node, self.level) if isinstance(source, Const) else None
        elif name == "jax.random.fold_in" and not isinstance(arguments.get(1, "data"), Const):
            constant = None
        state = KeyState(self.key_serial(), self.level, constant)
        if name == "jax.random.split":
            number = arguments.get(1, "num")
            if number is None:
                state.count = 2
            elif isinstance(number, Const) and isinstance(number.value, int):
                state.count = number.value if 0 < number.value <= _MOST_COUNTED else None
            result.rank = 1 if number is None or isinstance(number, Const) else None
        elif name in jax_api.KEY_MAKERS:
            result.rank = None
        result.prng = state
        return result

    def key_serial(self) -> int:
        """A number for each key, in the order in which they are made."""
        self.keys_made += 1
        return self.keys_made

    def fresh_key(self, of: KeyState) -> KeyState:
        """A key derived from another in a way that nobody can see."""
        return KeyState(self.key_serial(), self.level, of.constant)

    def fresh_keys(self, value: Value, since: int = -1) -> Value:
        """The same value with keys of its own, as another pass of a loop sees it.

        Keys with a serial up to ``since`` stay what they are.
        """
        if not key_states(value):
            return value
        return with_keys(value, lambda s: self.fresh_key(s) if s.serial > since else s)

    def key_at(self, state: KeyState, index: int) -> KeyState:
        """``keys[index]``: the same key each time it is asked for."""
        found = state.children.get(index)
        if found is None:
            found = self.fresh_key(state)
            found.part_of = state
            found.made_in = state.made_in
            state.children[index] = found
        return found

    def assumed_keys(self, function: Function, names: dict[str, Value]) -> dict[str, Value]:
        """Parameters that nobody in view passes, and that the body uses as PRNG keys."""
        if not self.keys_about:
            return names
        unknown = [name for name, value in names.items() if _may_be_key(value)]
        wanted = self.key_parameters(function).intersection(unknown) if unknown else ()
        for name in wanted:
            value = names[name]
            state = KeyState(self.key_serial(), self.level)
            reason = getattr(value, "reason", None)
            traced = True if reason is not None else None
            made = Array(traced, None, "key", reason, getattr(value, "concreteness", "abstract"))
            made.assumed, made.prng = True, state
            names = {**names, name: made}
        return names

    # ---------------------------------------------------------------- consuming

    def consume_by(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """A call of a function that may consume the key it is given."""
        if name.startswith("jax.random."):
            row = signature_of(name)
            consumes = row.consumes if row is not None else name in jax_api.KEY_CONSUMERS
            key = arguments.get(0, "key") if consumes else None
        else:
            key = arguments.kwargs.get("key") if name in jax_api.KEY_CONSUMERS else None
        if key is None:
            return
        where = next(iter(argument_nodes(node)), None) or keyword_node(node, "key")
        for state in key_states(key):
            self.consume(state, node, where, name)

    def consume(self, state: KeyState, node: n.Node, subject: n.Node, name: str) -> None:
        """Use a key up."""
        if self.muted or self.abstract_only:
            return
        chain = (*self.call_chain, self.link(node))
        self._note_use(state, KeyUse(chain, self.path, self.era, name, subject), name)

    def consume_again(self, consumed: Consumed) -> None:
        """Replay what a remembered call consumed of the keys it was given, at this call."""
        for state, use in consumed.uses:
            if state.serial <= consumed.first and not self.muted and not self.abstract_only:
                chain = (*self.call_chain, *use.chain[consumed.depth :])
                again = KeyUse(chain, self.path, self.era, use.name, use.subject)
                self._note_use(state, again, use.name)

    def _note_use(self, state: KeyState, use: KeyUse, name: str) -> None:
        self.key_uses.append((state, use))
        self._note_constant(state, name)
        if self._repeated_by_transform(state):
            self._reuse(use, use, "loop", use.chain[-1].node)
        for earlier in _related_uses(state):
            if (
                earlier.era == use.era
                and not _shuffles_alike(earlier, use)
                and (_on_one_path(earlier, use))
            ):
                where, repeated = _where_they_part(earlier, use)
                self._reuse(earlier, use, repeated, where)
                break
        state.uses.append(use)

    def _note_constant(self, state: KeyState, name: str) -> None:
        if state.constant is None or name == "jax.random.split" or self.level is None:
            return
        node, made = state.constant
        if made is not None and made.full and made.tracing and made.has_inputs:
            self.emit(ConstantKey(self.context(node, node), name))

    def _repeated_by_transform(self, state: KeyState) -> bool:
        """Whether a key from outside is consumed in a body that runs again and again."""
        level = self.level
        while level is not None and level is not state.made_in:
            if level.name in _REPEATING:
                return True
            level = level.parent
        return False

    def _reuse(self, earlier: KeyUse, use: KeyUse, repeated: Again, where: n.Node) -> None:
        first_at = Site(earlier.chain[-1].node.origin)
        context, body = self.context(where, use.subject), self._repeating_name()
        self.emit(KeyReuse(context, use.name, repeated, earlier.name, first_at, body))

    def _repeating_name(self) -> str:
        level = self.level
        while level is not None and level.name not in _REPEATING:
            level = level.parent
        return level.name if level is not None else ""

    def unconsume(self, key: Value, node: n.Node) -> None:
        """A call whose result is thrown away: another rule says so."""
        for state in key_states(key):
            state.uses = [use for use in state.uses if use.chain[-1].node is not node]

    # ---------------------------------------------------------------- branching

    @contextmanager
    def arm(self, token: object, taken: object) -> Iterator[None]:
        """Run code that is one of several alternatives."""
        before = self.path
        self.path = (*before, (token, taken, False))
        try:
            yield
        finally:
            self.path = before

    def after_exit(self, token: object, other: object) -> None:
        """One arm left the function or loop: what follows is the other one."""
        self.path = (*self.path, (token, other, True))

    def with_merged_keys(
        self, merged: dict[str, Value], ends: list[dict[str, Value]]
    ) -> dict[str, Value]:
        """After a branch a PRNG key may be another one in each arm: it is one key from here."""
        for name, value in merged.items():
            if isinstance(value, Array) and value.dtype == "key" and value.prng is None:
                parts = [key_states(end[name]) for end in ends if name in end]
                if len(parts) == len(ends) and all(parts):
                    value.prng = KeyState(self.key_serial(), self.level)
        return merged

    def forget_uses(self, since: int) -> None:
        """What was consumed on a path that does not lead here."""
        for state, use in self.key_uses[since:]:
            if use in state.uses:
                state.uses.remove(use)

    # -------------------------------------------------------------------- loops

    def carried(self, value: Value, pairs: list[tuple[KeyState, KeyState]], level: Level) -> Value:
        """A loop's carry with keys of its own; ``pairs`` gets (outer, inner)."""

        def inner(state: KeyState) -> KeyState:
            made = self.fresh_key(state)
            made.made_in, made.constant = level, None
            pairs.append((state, made))
            return made

        return with_keys(value, inner) if key_states(value) else value

    def note_carried(
        self, pairs: list[tuple[KeyState, KeyState]], result: Value, node: n.Node, name: str
    ) -> None:
        """A key that the carry brings in, is consumed, and goes out again unchanged."""
        leaving = key_states(result)
        for outer, inner in pairs:
            for use in list(inner.uses):
                if any(state is inner for state in leaving):
                    self._reuse(use, use, "loop", use.chain[-1].node)
                self.consume(outer, node, use.subject, name)
                break


def _may_be_key(value: Value) -> bool:
    if isinstance(value, Array):
        return value.assumed and value.prng is None
    return isinstance(value, Unknown) or (isinstance(value, Tree) and not value.container)


def _related_uses(state: KeyState) -> Iterator[KeyUse]:
    """Earlier uses of a key, of the keys it is part of, and of its parts."""
    yield from state.uses
    if state.part_of is not None:
        yield from state.part_of.uses
    for child in state.children.values():
        yield from child.uses


def _shuffles_alike(first: KeyUse, second: KeyUse) -> bool:
    """Whether both put several arrays into the same order, which wants the same key."""
    return first.name == second.name and first.name in jax_api.SHUFFLES


def _on_one_path(first: KeyUse, second: KeyUse) -> bool:
    """Whether one run of the program can take both uses, for certain of one of them."""
    arms = {id(token): (taken, exit_) for token, taken, exit_ in first.path}
    only_second = False
    for token, taken, exit_ in second.path:
        if id(token) in arms:
            if arms.pop(id(token))[0] != taken:
                return False
        elif not exit_:
            only_second = True
    only_first = any(not exit_ for _, exit_ in arms.values())
    return not (only_first and only_second)


def _where_they_part(first: KeyUse, second: KeyUse) -> tuple[n.Node, Again]:
    """The place at which the second use begins to differ, and how it is repeated."""
    for one, other in zip(first.chain, second.chain, strict=False):
        if one.node is not other.node:
            return other.node, "call"
    looping = next((link for link in second.chain if link.looping), second.chain[-1])
    return looping.node, "loop"
