"""PRNG keys as linear values: each is used up once.

A key is an array with an identity (:class:`~jaxlint.tracer.values.arrays.Key`). Samplers and
``split`` use it up; ``fold_in``, ``clone`` and ``key_data`` do not, as in JAX's own checker
(``jax.debug_key_reuse``). Two uses conflict when one path through the program takes both; a
key of which nobody in view knows the identity never does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from jaxlint.events import ConstantKey, KeyReuse, Site
from jaxlint.knowledge import jax_api
from jaxlint.program import nodes as n
from jaxlint.program.walk import walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.frames import Level, Link
from jaxlint.tracer.state.stack import Path
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Key
from jaxlint.tracer.values.pytrees import keys_in
from jaxlint.tracer.values.value import Value


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """One place at which a key is used up.

    Attributes:
        chain: the calls that lead there, the consuming call last.
        path: the branches taken so far.
        era: which of the runs that start from nothing this belongs to.
        name: the function that uses it up.
        subject: the expression of the key.
        demo: what runs only where the file itself is run leads there.
    """

    chain: tuple[Link, ...]
    path: Path
    era: int
    name: str
    subject: n.Node
    demo: bool = False


@dataclass(frozen=True, slots=True)
class _Before:
    """Where a call began: how many uses there were, how many calls led there, the newest key."""

    uses: int
    depth: int
    newest: int


@dataclass(frozen=True, slots=True)
class _Record:
    """What a call used up."""

    uses: tuple[tuple[Key, Use], ...]
    before: _Before


class Keys(Analysis):
    """Notes what is used up twice, and keys that every call of a trace shares."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._uses: dict[int, list[Use]] = {}
        self._log: list[tuple[Key, Use]] = []
        self._parts: dict[int, list[Key]] = {}
        self._constant: list[tuple[Level, ConstantKey]] = []

    # ---------------------------------------------------------------------- using

    def on_consume(self, key: Key, node: n.Node, subject: n.Node, name: str) -> None:
        stack = self.tracer.stack
        chain = (*stack.chain, stack.link(node))
        self._note(key, Use(chain, stack.path, stack.era, name, subject, stack.demo))

    def _note(self, key: Key, use: Use) -> None:
        if self.tracer.stack.muted:
            return
        if self._is_baked(key, use):
            return
        self._log.append((key, use))
        self._note_constant(key, use)
        if self._repeated_by_transform(key):
            self._reused(use, use, "loop", use.chain[-1].node)
        for earlier in self._related(key):
            if earlier.era == use.era and _on_one_path(earlier, use):
                if not _shuffles_alike(earlier, use) and not _shown_apart(earlier, use):
                    where, repeated = _where_they_part(earlier, use)
                    self._reused(earlier, use, repeated, where)
                    break
        self._uses.setdefault(key.serial, []).append(use)
        if key.part_of is not None:
            parts = self._parts.setdefault(key.part_of.serial, [])
            if key not in parts:
                parts.append(key)

    def _related(self, key: Key) -> Iterator[Use]:
        """Earlier uses of a key, of the keys it is part of, and of its parts."""
        yield from self._uses.get(key.serial, ())
        if key.part_of is not None:
            yield from self._uses.get(key.part_of.serial, ())
        for part in self._parts.get(key.serial, ()):
            yield from self._uses.get(part.serial, ())

    def _is_baked(self, key: Key, use: Use) -> bool:
        """Whether a compiled function uses a key of the host that it is not given.

        The trace draws from it once, whatever becomes of the variable afterwards.
        """
        compiled = self._compiled(key)
        if compiled is None or _is_given(key, compiled):
            return False
        context = self.tracer.context(use.chain[-1].node, use.subject)
        self._constant.append((compiled, ConstantKey(context, use.name)))
        return True

    def _note_constant(self, key: Key, use: Use) -> None:
        """A key made from a constant in a compiled function: the same at every call."""
        if key.constant is None or use.name in jax_api.SPLITS:
            return
        node, made = key.constant
        if made is not None and made.stages and made.tracing and made.has_inputs:
            event = ConstantKey(self.tracer.context(node, node), use.name)
            self._constant.append((made, event))

    def _compiled(self, key: Key) -> Level | None:
        """The compiled function around this place that a key of the host gets into."""
        level = self.tracer.stack.level
        found: Level | None = None
        while level is not None and level is not key.made_in:
            if level.transform.compiles:
                found = level
            level = level.parent
        return found if key.made_in is None else None

    def _repeating(self, key: Key | None = None) -> Level | None:
        """The transform around this place that runs its body again and again."""
        level = self.tracer.stack.level
        while level is not None and (key is None or level is not key.made_in):
            if level.transform.repeats:
                return level
            level = level.parent
        return None

    def _repeated_by_transform(self, key: Key) -> bool:
        """Whether a key from outside is used in a body that runs again and again."""
        return self._repeating(key) is not None

    def _reused(
        self, earlier: Use, use: Use, repeated: Literal["call", "loop"], where: n.Node
    ) -> None:
        repeating = self._repeating()
        self.tracer.emit(
            KeyReuse(
                self.tracer.context(where, use.subject),
                use.name,
                repeated,
                earlier.name,
                Site(earlier.chain[-1].node.origin),
                repeating.name if repeating is not None else "",
            )
        )

    def on_discard(self, call: n.Call) -> None:
        """A call whose result is thrown away: another rule says so, or it is only waited for."""
        for key, use in self._log[-4:]:
            if use.chain[-1].node is call and use.name in jax_api.PURE_UPDATES:
                self._forget(key, use)
        if _waits(call):
            depth = len(self.tracer.stack.chain)
            inside = {id(node) for node in walk([call])}
            for key, use in reversed(self._log):
                if len(use.chain) <= depth or id(use.chain[depth].node) not in inside:
                    break
                self._forget(key, use)

    def on_carried(
        self, pairs: list[tuple[Key, Key]], result: Value, node: n.Node, name: str
    ) -> None:
        leaving = keys_in(result)
        for outer, inner in pairs:
            for use in list(self._related(inner))[-1:]:
                if any(key.serial == inner.serial for key in leaving):
                    self._reused(use, use, "loop", use.chain[-1].node)
                self.tracer.consume(outer, node, use.subject, name)

    # -------------------------------------------------------------------- memory

    def before_call(self) -> _Before:
        return _Before(len(self._log), len(self.tracer.stack.chain) + 1, Key.newest)

    def after_call(self, before: _Before) -> _Record:
        return _Record(tuple(self._log[before.uses :]), before)

    def replay(self, record: _Record, level: Level | None = None) -> None:
        """Use up again, at this call, the keys that were there before the call.

        A cached trace uses those up that it is given: others are part of it.
        """
        stack, before = self.tracer.stack, record.before
        for key, use in record.uses:
            again = key.serial <= before.newest and (level is None or _is_given(key, level))
            if again:
                self.tracer.consumed += 1
                chain = (*stack.chain, *use.chain[before.depth :])
                self._note(
                    key, Use(chain, stack.path, stack.era, use.name, use.subject, stack.demo)
                )

    def on_no_way_past(self, before: _Before) -> None:
        for key, use in self._log[before.uses :]:
            self._forget(key, use)

    def _forget(self, key: Key, use: Use) -> None:
        uses = self._uses.get(key.serial, [])
        if use in uses:
            uses.remove(use)

    def on_end(self) -> None:
        """Constant keys of functions that are called again, or that nobody in view calls."""
        applied = self.tracer.runs.applied
        for level, event in self._constant:
            while not level.transform.compiles and level.parent is not None:
                level = level.parent
            if level.transform.repeats or applied[id(level.site.origin)] != 1:
                self.tracer.emit(event)
        self._uses.clear()
        self._log.clear()
        self._parts.clear()


def _waits(call: n.Call) -> bool:
    """Whether it is ``x.block_until_ready()`` or ``jax.block_until_ready(x)``."""
    function = call.function
    return isinstance(function, n.Attribute) and function.attr == "block_until_ready"


def _is_given(key: Key, level: Level) -> bool:
    """Whether a traced function was given the key, or what it is part of."""
    found: Key | None = key
    while found is not None:
        if found.serial in level.given:
            return True
        found = found.part_of
    return False


def _shuffles_alike(first: Use, second: Use) -> bool:
    """Whether both put several arrays into the same order, which wants the same key."""
    return first.name == second.name and first.name in jax_api.SHUFFLES


def _shown_apart(first: Use, second: Use) -> bool:
    """Whether a demonstration at the end of a module uses one key for each thing that it shows."""
    return first.demo and second.demo and first.chain[0].node is not second.chain[0].node


def _on_one_path(first: Use, second: Use) -> bool:
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


def _where_they_part(first: Use, second: Use) -> tuple[n.Node, Literal["call", "loop"]]:
    """The place at which the second use begins to differ, and how it is repeated."""
    for one, other in zip(first.chain, second.chain, strict=False):
        if one.node is not other.node:
            return other.node, "call"
    looping = next((link for link in second.chain if link.looping), second.chain[-1])
    return looping.node, "loop"
