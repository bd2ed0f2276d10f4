"""PRNG keys as linear values: each is used up once.

A key is an array with an identity (:class:`~jaxlint.tracer.values.arrays.Key`). Samplers and
``split`` use it up; ``fold_in``, ``clone`` and ``key_data`` do not, as in JAX's own checker
(``jax.debug_key_reuse``). Two uses conflict when one path through the program takes both; a
key of which nobody in view knows the identity never does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice, takewhile

from jaxlint.events import Again, ConstantKey, KeyReuse, Site
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.gradients import SELECTS
from jaxlint.program import nodes as n
from jaxlint.program.walk import walk
from jaxlint.tracer.analyses.applied import Applied
from jaxlint.tracer.analyses.key_pairs import (
    belong_together,
    evaluates,
    evaluates_within,
    is_measure,
    made_alike,
)
from jaxlint.tracer.analyses.key_uses import (
    Found,
    Use,
    alternatives,
    called_at,
    causes,
    folds,
    gets_another,
    is_around,
    is_default_elsewhere,
    is_given,
    is_used_in,
    leads_through,
    loops_further_in,
    made_again,
    mapped,
    on_one_path,
    seen_from,
    sets_parameters,
    where_it_loops,
    where_they_part,
    which_loops,
)
from jaxlint.tracer.analyses.unread import Unread
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.state.stack import Branch
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Key
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.pytrees import keys_in, leaves, path_to
from jaxlint.tracer.values.value import Value, immutable, replace

_MOST_USES = 30
"""Of those that came first, and of those that came last: hundreds of branches may use one key."""

_MOST_KEYS = 4
"""One call uses up no more keys than these."""


@immutable
class _Before:
    """Where a call began: how many uses there were, how many calls led there, the newest key.

    ``branches``: how many were taken on the way.
    """

    uses: int
    depth: int
    newest: int
    branches: int


@immutable
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
        self._constant: list[tuple[Level, ConstantKey, bool, bool]] = []
        self._found: list[Found] = []
        self._certain: dict[int, frozenset[int]] = {}
        self._chosen: dict[int, object] = {}
        self._drawn: dict[int, tuple[Value, list[tuple[Key, Use]]]] = {}
        self._idle: set[Use] = set()
        self._unread = Unread(tracer)
        self._applied = Applied(tracer)
        self._shown = {
            id(statement.value)
            for statement in tracer.module.body
            if isinstance(statement, n.ExpressionStatement) and statement.shown
        }

    # ---------------------------------------------------------------------- using

    def on_consume(self, key: Key, node: n.Node, subject: n.Node, name: str, alone: bool) -> None:
        stack = self.tracer.stack
        chain, path, era = (*stack.chain, stack.link(node)), stack.path, stack.era
        use = Use(chain, path, era, name, subject, key, stack.demo, alone, stack.level)
        self._note(key, use)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """Of two alternatives of a selection one alone is used: they may share a key."""
        if self._found and name in SELECTS and isinstance(node, n.Call):
            given = [set(map(id, walk([argument.value]))) for argument in node.arguments]
            # What was found while the arguments were evaluated was found last.
            within = takewhile(lambda each: is_used_in(each.uses[1], given), reversed(self._found))
            count = sum(1 for _ in within)
            recent = self._found[len(self._found) - count :]
            del self._found[len(self._found) - count :]
            self._found += [each for each in recent if not alternatives(each.uses, given)]

    def on_key_left(self, inside: Key, outside: Key) -> None:
        """What a trace has drawn from a key that it gives back is drawn from that."""
        whole = () if inside.part_of is None else self._compared(inside.part_of)
        before = [*self._compared(inside), *whole]
        if before:
            self._uses[outside.serial] = [replace(use, key=outside) for use in before]

    def on_drawn(self, result: Value, node: n.Node) -> None:
        uses = [(key, use) for key, use in self._log[-_MOST_KEYS:] if use.chain[-1].node is node]
        if uses:
            self._drawn[id(result)] = result, uses

    def on_shapes_alone(self, values: Iterable[Value]) -> None:
        """Whatever numbers were drawn here for these, nobody looks at them."""
        here = self.tracer.stack.chain
        for value in values:
            for leaf in leaves(value):
                for key, use in self._drawn.get(id(leaf), (leaf, ()))[1]:
                    if use.chain[:-1] == here:
                        self._idle.add(use)
                        self._forget(key, use)

    def on_dummy_run(self, node: n.Node) -> None:
        """A module ran to be set up: what it drew for its result, nobody gets."""
        inside = takewhile(lambda each: leads_through(each[1], node), reversed(self._log))
        drawn = {use: key for key, use in inside}
        for use, key in drawn.items():
            self._forget(key, use)
        self._found = [
            each for each in self._found if each.uses[0] in drawn or each.uses[1] not in drawn
        ]

    def on_alternatives(self, token: object, count: int) -> None:
        """What each of them uses up is used up for certain, whichever runs."""
        self._chosen[id(token)] = token
        arms: dict[int, set[object]] = {}
        for key, use in reversed(self._log):
            taken = [taken for each, taken, _ in use.path if each is token]
            if not taken:
                break
            arms.setdefault(key.serial, set()).update(taken)
        for serial, taken_by in arms.items():
            if len(taken_by) == count:
                self._certain[serial] = self._certain.get(serial, frozenset()) | {id(token)}

    def _note(self, key: Key, use: Use) -> None:
        if self.tracer.stack.muted:
            return
        if self._is_baked(key, use):
            return
        if self._is_shown(use):
            return
        self._log.append((key, use))
        self._note_constant(key, use)
        again = len(use.chain) - 1 if self._repeated_by_transform(key, use) else made_again(use)
        if again is not None:
            self._repeated(use, again)
        conflicts = filter(partial(self._conflict, use), self._related(key))
        for first in islice(conflicts, 1):
            self._reused(first, use)
            if any(call.frame.loops for call in use.chain):
                for other in islice(filter(loops_further_in(first, use), conflicts), 1):
                    self._reused(other, use)
        self._uses.setdefault(key.serial, []).append(use)
        if key.part_of is not None:
            parts = self._parts.setdefault(key.part_of.serial, [])
            if key not in parts:
                parts.append(key)

    def _conflict(self, use: Use, earlier: Use) -> bool:
        """Whether a use draws what an earlier one has drawn, and should not."""
        certain = self._certain.get(earlier.key.serial, frozenset())
        if earlier.era != use.era or not on_one_path(earlier, use, certain):
            return False
        return not belong_together(earlier, use) and not self._is_unread(earlier, use)

    def _is_shown(self, use: Use) -> bool:
        """Whether a cell of a notebook shows what it draws, and does nothing else with it."""
        return len(use.chain) == 1 and id(use.chain[0].node) in self._shown

    def _is_unread(self, earlier: Use, use: Use) -> bool:
        """Whether nobody sees what the earlier of two uses drew.

        Nor in a call of a compiled function to make it compile, or to measure it; nor in a loop
        that measures it, where the next pass overwrites what the last one drew.
        """
        if self._unread.is_unread(earlier.chain):
            return True
        if where_they_part(earlier, use) is None:
            at, loop = where_it_loops(earlier, use), which_loops(earlier, use)
            if loop is not None and self._applied.is_overwritten(use.chain[at:], loop):
                return True
        warms_up = self._applied.is_warm_up
        return warms_up(earlier.chain) or warms_up(use.chain)

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        if function.transform.compiles:
            stack = self.tracer.stack
            self._applied.note(function, (*stack.chain, stack.link(node)))

    def _related(self, key: Key) -> Iterator[Use]:
        """Earlier uses of a key, of the keys it is part of, and of its parts."""
        yield from self._compared(key)
        if key.part_of is not None:
            yield from self._compared(key.part_of)
        for part in self._parts.get(key.serial, ()):
            yield from self._compared(part)

    def _compared(self, key: Key) -> Iterator[Use]:
        """Uses of a key that another one is compared with: of very many the first and the last."""
        uses = self._uses.get(key.serial, [])
        yield from uses[:_MOST_USES]
        yield from uses[_MOST_USES:][-_MOST_USES:]

    def _is_baked(self, key: Key, use: Use) -> bool:
        """Whether a compiled function uses a key of the host that it is not given.

        The trace draws from it once, whatever becomes of the variable afterwards.
        """
        compiled = self._compiled(key)
        if compiled is None or is_given(key, compiled):
            return False
        context = self.tracer.context(use.chain[-1].node, use.subject)
        measures = is_measure(compiled.function) and self._repeating(key) is None
        if not sets_parameters(use) and not measures:
            event = ConstantKey(context, use.name)
            self._constant.append((compiled, event, self._in_view(), key.constant is None))
        return True

    def _note_constant(self, key: Key, use: Use) -> None:
        """A key made from a constant in a compiled function: the same at every call."""
        if key.constant is None or use.name in jax_api.SPLITS or folds(use):
            return
        if sets_parameters(use) or evaluates(use):
            return  # What a model begins with, or is measured on, may be the same each time.
        node, made = key.constant
        if made is not None and made.stages and made.tracing and made.has_inputs:
            event = ConstantKey(self.tracer.context(node, node, by=use.chain), use.name)
            self._constant.append((made, event, self._in_view(), False))

    def _in_view(self) -> bool:
        """Whether the program in view leads here, and not whoever calls its functions."""
        return self.tracer.stack.globals.certain

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

    def _repeated_by_transform(self, key: Key, use: Use) -> bool:
        """Whether a key from outside is used in a body that runs again and again.

        A module that it sets up is meant to be the same one each time.
        """
        level = self._repeating(key)
        if level is None or sets_parameters(use):
            return False
        return not evaluates_within(use, level)

    def _reused(self, earlier: Use, use: Use) -> None:
        """The same key twice: at two places, or in two iterations of a Python loop."""
        part = where_they_part(earlier, use)
        if part is None:
            self._repeated(use, where_it_loops(earlier, use))
            return
        self._find(earlier, use, "call", part, earlier.chain[part].node)

    def _repeated(self, use: Use, part: int, carried: bool = False) -> None:
        """The same key in every iteration of what runs at a link of the chain again and again."""
        self._find(use, use, "loop", part, use.chain[-1].node, carried)

    def _find(
        self, earlier: Use, use: Use, repeated: Again, part: int, at: n.Node, carried: bool = False
    ) -> None:
        if self.tracer.stack.muted or self._unread.is_unread(use.chain):
            return
        if is_default_elsewhere(self.tracer, use, part):
            return
        subject, inside, owner = self._given_as(use, part)
        # What a body makes of its keys is new each time: there a loop inside repeats.
        repeating = self._repeating(None if carried else use.key)
        body_of = repeating.name if repeating is not None else ""
        where = use.chain[part].node
        context = self.tracer.context(where, subject)
        constant = use.key.constant if repeated == "loop" else None
        made = constant[0] if constant is not None and made_again(use) is not None else None
        event = KeyReuse(
            context, use.name, repeated, earlier.name, Site(at.origin), body_of,
            given=self._alone(use, part) if made is None else None,
            first_given=self._alone(earlier, part), carried=carried, inside=inside, owner=owner,
            first_called=called_at(earlier, part), made_at=Site(made.origin) if made else None,
        )  # fmt: skip
        run = tuple(id(link.node) for link in takewhile(lambda x: x.node is not where, use.chain))
        name = subject.id if isinstance(subject, n.Name) else subject.origin
        about = ((earlier.key.serial, run), (use.key.serial, run), where.origin, (at.origin, name))
        self._found.append(Found((earlier, use), event, about))

    def _given_as(self, use: Use, part: int) -> tuple[n.Node, str, str]:
        """The key where the calls part, as that caller writes it.

        Returns:
            the expression; where in its value the key lies, as Python writes it (".key"); the
            function whose variable it is, where it is none of the caller's.
        """
        keys = {id(use.key), id(use.key.part_of)}
        for name, value in self._variables_given(use, part):
            inside = path_to(value, lambda leaf: any(id(key) in keys for key in keys_in(leaf)))
            if inside is not None:
                return name, inside, ""
        last = use.chain[-1].frame.function
        elsewhere = part < len(use.chain) - 1 and last is not None
        return use.subject, "", last.code.name if elsewhere and last is not None else ""

    def _variables_given(self, use: Use, part: int) -> Iterator[tuple[n.Name, Value]]:
        """The arguments of a call on the way to a use that are variables of its caller."""
        running = self.tracer.stack.running
        call = use.chain[part].node
        if part == len(use.chain) - 1 or not isinstance(call, n.Call) or part > len(running):
            return
        frame = running[part - 1] if part else self.tracer.stack.globals
        for argument in call.arguments:
            for name in walk([argument.value]):
                value = seen_from(frame, name.id) if isinstance(name, n.Name) else None
                if value is not None:
                    assert isinstance(name, n.Name)
                    yield name, value

    def _alone(self, use: Use, part: int) -> Site | None:
        """The expression by which a link of the chain hands on the one key, and nothing else.

        What is mapped over is many keys where it is handed on.
        """
        if mapped(use.level) != mapped(use.chain[part].level):
            return None
        if part == len(use.chain) - 1:
            return Site(use.subject.origin) if use.alone else None
        call = use.chain[part].node
        whole = {argument.value for argument in call.arguments} if isinstance(call, n.Call) else ()
        for name, value in self._variables_given(use, part):
            if name in whole and isinstance(value, Array) and value.prng is use.key:
                return Site(name.origin)
        return None

    def on_carried(
        self,
        pairs: list[tuple[Key, Key]],
        following: list[tuple[Key, Key]],
        result: Value,
        node: n.Node,
        name: str,
    ) -> None:
        self._go_around(following)
        leaving = {key.serial for key in keys_in(result)}
        stays = leaving - {inner.serial for inner, then in following if then.serial != inner.serial}
        stays |= {inner.serial for inner, then in following if is_around(then, inner)}
        for outer, inner in pairs:
            # The body comes after the test: what it draws is reported where both draw.
            for use in list(self._related(inner))[-1:]:
                if inner.serial in stays:
                    self._repeated(use, len(use.chain) - 1, carried=True)
                self.tracer.consume(outer, node, use.subject, name)

    def _go_around(self, following: list[tuple[Key, Key]]) -> None:
        """What an iteration has drawn from the key that it hands on, the next one draws again."""
        for inner, handed_on in following:
            again = next(self._related(inner), None)
            if again is None or handed_on.serial == inner.serial:
                continue
            for earlier in self._related(handed_on):
                if on_one_path(earlier, again) and not belong_together(earlier, again):
                    self._reused(earlier, again)
                    break

    # -------------------------------------------------------------------- memory

    def before_call(self) -> _Before:
        stack = self.tracer.stack
        return _Before(len(self._log), len(stack.chain) + 1, Key.newest, len(stack.path))

    def after_call(self, before: _Before) -> _Record:
        return _Record(tuple(self._log[before.uses :]), before)

    def replay(self, record: _Record, level: Level | None = None) -> None:
        """Use up again, at this call, the keys that were there before the call.

        A cached trace uses those up that it is given: others are part of it. Where JAX chooses
        between alternatives, it may choose another one in the next iteration of a loop.
        """
        stack, before = self.tracer.stack, record.before
        anew: dict[int, object] = {}
        chosen = self._chosen if stack.chain and gets_another(stack.chain[-1]) else {}
        for key, use in record.uses:
            again = key.serial <= before.newest and (level is None or is_given(key, level))
            if not again and not sets_parameters(use):
                continue
            chain = (*stack.chain, *use.chain[before.depth :])
            taken = (
                self._anew(each, key, anew) if id(each[0]) in chosen else each
                for each in use.path[before.branches :]
            )
            path = (*stack.path, *taken)
            use = replace(use, chain=chain, path=path, era=stack.era, demo=stack.demo, key=key)
            if again:
                self.tracer.consumed += 1
                self._note(key, use)
            else:
                self._log.append((key, use))  # The call set up a module with a key of its own.

    def _anew(self, branch: Branch, key: Key, tokens: dict[int, object]) -> Branch:
        """A branch that JAX chose on the way to a use of a key, chosen anew."""
        token, taken, exit_ = branch
        another = tokens.setdefault(id(token), object())
        self._chosen[id(another)] = another
        certain = self._certain.get(key.serial, frozenset())
        if id(token) in certain:
            self._certain[key.serial] = certain | {id(another)}
        return another, taken, exit_

    def no_way_past(self, before: _Before) -> None:
        for key, use in self._log[before.uses :]:
            self._forget(key, use)

    def _forget(self, key: Key, use: Use) -> None:
        uses = self._uses.get(key.serial, [])
        if use in uses:
            uses.remove(use)

    def on_end(self) -> None:
        """What was found, and constant keys of functions that are called again, or by nobody."""
        setups = [use for _, use in self._log if sets_parameters(use)]
        shown = [
            each
            for each in self._found
            if self._idle.isdisjoint(each.uses) and not made_alike(*each.uses, setups)
        ]
        for found, cause in zip(shown, causes(shown), strict=True):
            self.tracer.emit(replace(found.event, cause=cause))
        for level, constant, in_view, told in self._constant:
            while not level.transform.compiles and level.parent is not None:
                level = level.parent
            once = (in_view or told) and self._applied.counts_once(level, told)
            if level.transform.repeats or not once:
                self.tracer.emit(constant)
        self._uses.clear()
        self._log.clear()
        self._parts.clear()
        self._found.clear()
        self._certain.clear()
        self._chosen.clear()
        self._drawn.clear()
        self._idle.clear()
        self._applied.clear()
