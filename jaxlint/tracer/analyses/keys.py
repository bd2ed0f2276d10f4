"""PRNG keys as linear values: each is used up once.

A key is an array with an identity (:class:`~jaxlint.tracer.values.arrays.Key`). Samplers and
``split`` use it up; ``fold_in``, ``clone`` and ``key_data`` do not, as in JAX's own checker
(``jax.debug_key_reuse``). Two uses conflict when one path through the program takes both; a
key of which nobody in view knows the identity never does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import takewhile

from jaxlint.events import Again, ConstantKey, KeyReuse, Site
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.libraries import FOLDS_KEYS, SETS_PARAMETERS
from jaxlint.program import nodes as n
from jaxlint.program.walk import walk
from jaxlint.tracer.analyses.unread import Unread
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.frames import Frame, Level, Link
from jaxlint.tracer.state.stack import Branches
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Key
from jaxlint.tracer.values.objects import Instance
from jaxlint.tracer.values.pytrees import keys_in, leaves
from jaxlint.tracer.values.value import Unknown, Value, immutable

_MOST_KEYS = 4
"""One call uses up no more keys than these."""


@immutable
class Use:
    """One place at which a key is used up.

    Attributes:
        chain: the calls that lead there, the consuming call last.
        path: the branches taken so far.
        era: which of the runs that start from nothing this belongs to.
        name: the function that uses it up.
        subject: the expression of the key.
        key: which one it is.
        demo: what runs only where the file itself is run leads there.
        alone: the key is all that ``subject`` stands for.
        level: the transform level at which it is used up.
    """

    chain: tuple[Link, ...]
    path: Branches
    era: int
    name: str
    subject: n.Node
    key: Key
    demo: bool = False
    alone: bool = False
    level: Level | None = None


@immutable
class _Before:
    """Where a call began: how many uses there were, how many calls led there, the newest key."""

    uses: int
    depth: int
    newest: int


@immutable
class _Record:
    """What a call used up."""

    uses: tuple[tuple[Key, Use], ...]
    before: _Before


@immutable
class _Found:
    """A key that is used up again.

    Attributes:
        uses: the earlier one, and the one that repeats it.
        event: what is said of it.
        about: what it shares with others that are the same mistake: either key in the same
            run of a function; the place; the earlier place, by the same name.
    """

    uses: tuple[Use, Use]
    event: KeyReuse
    about: tuple[object, ...]


class Keys(Analysis):
    """Notes what is used up twice, and keys that every call of a trace shares."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._uses: dict[int, list[Use]] = {}
        self._log: list[tuple[Key, Use]] = []
        self._parts: dict[int, list[Key]] = {}
        self._constant: list[tuple[Level, ConstantKey, bool]] = []
        self._found: list[_Found] = []
        self._drawn: dict[int, tuple[Value, list[tuple[Key, Use]]]] = {}
        self._idle: set[Use] = set()
        self._unread = Unread(tracer)

    # ---------------------------------------------------------------------- using

    def on_consume(self, key: Key, node: n.Node, subject: n.Node, name: str, alone: bool) -> None:
        stack = self.tracer.stack
        chain, path, era = (*stack.chain, stack.link(node)), stack.path, stack.era
        use = Use(chain, path, era, name, subject, key, stack.demo, alone, stack.level)
        self._note(key, use)

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

    def _note(self, key: Key, use: Use) -> None:
        if self.tracer.stack.muted:
            return
        if self._is_baked(key, use):
            return
        self._log.append((key, use))
        self._note_constant(key, use)
        if self._repeated_by_transform(key):
            self._repeated(use, len(use.chain) - 1)
        for earlier in self._related(key):
            if earlier.era == use.era and _on_one_path(earlier, use):
                if not _together(earlier, use) and not self._unread.is_unread(earlier.chain):
                    self._reused(earlier, use)
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
        self._constant.append((compiled, ConstantKey(context, use.name), self._in_view()))
        return True

    def _note_constant(self, key: Key, use: Use) -> None:
        """A key made from a constant in a compiled function: the same at every call."""
        if key.constant is None or use.name in jax_api.SPLITS or _folds(use):
            return
        node, made = key.constant
        if made is not None and made.stages and made.tracing and made.has_inputs:
            event = ConstantKey(self.tracer.context(node, node, by=use.chain), use.name)
            self._constant.append((made, event, self._in_view()))

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

    def _repeated_by_transform(self, key: Key) -> bool:
        """Whether a key from outside is used in a body that runs again and again."""
        return self._repeating(key) is not None

    def _reused(self, earlier: Use, use: Use) -> None:
        """The same key twice: at two places, or in two iterations of a Python loop."""
        part = _where_they_part(earlier, use)
        if part is None:
            looping = (index for index, link in enumerate(use.chain) if link.looping)
            self._repeated(use, next(looping, len(use.chain) - 1))
            return
        self._find(earlier, use, "call", part, self._given_as(use, part), earlier.chain[part].node)

    def _repeated(self, use: Use, part: int, carried: bool = False) -> None:
        """The same key in every iteration of what runs at a link of the chain again and again."""
        self._find(use, use, "loop", part, use.subject, use.chain[-1].node, carried)

    def _find(
        self, earlier: Use, use: Use, repeated: Again, part: int, subject: n.Node, at: n.Node,
        carried: bool = False,
    ) -> None:  # fmt: skip
        if self.tracer.stack.muted or self._unread.is_unread(use.chain):
            return
        repeating = self._repeating()
        body_of = repeating.name if repeating is not None else ""
        where = use.chain[part].node
        context = self.tracer.context(where, subject)
        event = KeyReuse(
            context, use.name, repeated, earlier.name, Site(at.origin), body_of,
            given=self._alone(use, part), first_given=self._alone(earlier, part), carried=carried,
        )  # fmt: skip
        run = tuple(id(link.node) for link in takewhile(lambda x: x.node is not where, use.chain))
        name = subject.id if isinstance(subject, n.Name) else subject.origin
        about = ((earlier.key.serial, run), (use.key.serial, run), where.origin, (at.origin, name))
        self._found.append(_Found((earlier, use), event, about))

    def _given_as(self, use: Use, part: int) -> n.Node:
        """The expression of the key where the calls part, as that caller writes it."""
        keys = {id(use.key), id(use.key.part_of)}
        for name, value in self._variables_given(use, part):
            if any(id(key) in keys for key in keys_in(value)):
                return name
        return use.subject

    def _variables_given(self, use: Use, part: int) -> Iterator[tuple[n.Name, Value]]:
        """The arguments of a call on the way to a use that are variables of its caller."""
        running = self.tracer.stack.running
        call = use.chain[part].node
        if part == len(use.chain) - 1 or not isinstance(call, n.Call) or part > len(running):
            return
        frame = running[part - 1] if part else self.tracer.stack.globals
        for argument in call.arguments:
            for name in walk([argument.value]):
                value = _seen_from(frame, name.id) if isinstance(name, n.Name) else None
                if value is not None:
                    assert isinstance(name, n.Name)
                    yield name, value

    def _alone(self, use: Use, part: int) -> Site | None:
        """The expression by which a link of the chain hands on the one key, and nothing else.

        What is mapped over is many keys where it is handed on.
        """
        if _mapped(use.level) != _mapped(use.chain[part].level):
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
        self, pairs: list[tuple[Key, Key]], result: Value, node: n.Node, name: str
    ) -> None:
        leaving = {key.serial for key in keys_in(result)}
        for outer, inner in pairs:
            # The body comes after the test: what it draws is reported where both draw.
            for use in list(self._related(inner))[-1:]:
                if inner.serial in leaving:
                    self._repeated(use, len(use.chain) - 1, carried=True)
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
                use = replace(use, chain=chain, path=stack.path, era=stack.era, demo=stack.demo)
                self._note(key, replace(use, key=key))

    def no_way_past(self, before: _Before) -> None:
        for key, use in self._log[before.uses :]:
            self._forget(key, use)

    def _forget(self, key: Key, use: Use) -> None:
        uses = self._uses.get(key.serial, [])
        if use in uses:
            uses.remove(use)

    def on_end(self) -> None:
        """What was found, and constant keys of functions that are called again, or by nobody."""
        shown = [each for each in self._found if self._idle.isdisjoint(each.uses)]
        for found, cause in zip(shown, _causes(shown), strict=True):
            self.tracer.emit(replace(found.event, cause=cause))
        applied = self.tracer.runs.applied
        for level, constant, in_view in self._constant:
            while not level.transform.compiles and level.parent is not None:
                level = level.parent
            once = in_view and applied[id(level.site.origin)] == 1
            if level.transform.repeats or not once:
                self.tracer.emit(constant)
        self._uses.clear()
        self._log.clear()
        self._parts.clear()
        self._found.clear()
        self._drawn.clear()
        self._idle.clear()


def _causes(found: list[_Found]) -> Iterator[int]:
    """A number for each: the same for those that share something."""
    first: dict[object, int] = {}
    # Each number leads to a later one of its group; the last one to itself.
    leads: list[int] = []

    def group(number: int) -> int:
        while leads[number] != number:
            number = leads[number] = leads[leads[number]]
        return number

    for number, reuse in enumerate(found):
        leads.append(number)
        for each in reuse.about:
            leads[group(first.setdefault(each, number))] = number
    return (group(first[reuse.about[0]]) for reuse in found)


def _is_given(key: Key, level: Level) -> bool:
    """Whether a traced function was given the key, or what it is part of."""
    found: Key | None = key
    while found is not None:
        if found.serial in level.given:
            return True
        found = found.part_of
    return False


def _together(first: Use, second: Use) -> bool:
    """Whether two uses of one key belong to each other, or keep apart what they draw."""
    return (
        _shuffles_alike(first, second)
        or _folds_apart(first, second)
        or _shown_apart(first, second)
        or _compares(first, second)
        or _copies(first, second)
    )


def _shuffles_alike(first: Use, second: Use) -> bool:
    """Whether both put several arrays into the same order, which wants the same key."""
    return first.name == second.name and first.name in jax_api.SHUFFLES


def _compares(first: Use, second: Use) -> bool:
    """Whether a function of the program is called twice but for one constant.

    Two variants are compared, on the same random numbers.
    """
    part = _where_they_part(first, second)
    if part is None or part == len(second.chain) - 1:
        return False
    one, other = first.chain[part].node, second.chain[part].node
    if not (isinstance(one, n.Call) and isinstance(other, n.Call)):
        return False
    if len(one.arguments) != len(other.arguments) or not _alike(one.function, other.function):
        return False
    pairs = list(zip(one.arguments, other.arguments, strict=True))
    unlike = [(a.value, b.value) for a, b in pairs if not _alike(a.value, b.value)]
    named_alike = all(a.keyword == b.keyword for a, b in pairs)
    return (
        named_alike and len(unlike) == 1 and all(isinstance(each, n.Constant) for each in unlike[0])
    )


def _copies(first: Use, second: Use) -> bool:
    """Whether two calls set up one module alike: a target network begins as a copy."""
    if first.name != second.name or first.name not in SETS_PARAMETERS:
        return False
    module = _object(_receiver(first), first.chain[-1].frame)
    again = _object(_receiver(second), second.chain[-1].frame)
    return _where_they_part(first, second) is not None and module is again is not None


def _object(node: n.Node, frame: Frame) -> Value | None:
    """The value of a dotted name in a frame; None where nobody can tell it from others."""
    if isinstance(node, n.Attribute):
        owner = _object(node.value, frame)
        return owner.attributes.get(node.attr) if isinstance(owner, Instance) else None
    value = _seen_from(frame, node.id) if isinstance(node, n.Name) else None
    return None if isinstance(value, Unknown) else value


def _alike(one: n.Node, other: n.Node) -> bool:
    """Whether both are the same name, attribute or constant."""
    if isinstance(one, n.Name) and isinstance(other, n.Name):
        return one.id == other.id
    if isinstance(one, n.Attribute) and isinstance(other, n.Attribute):
        return one.attr == other.attr and _alike(one.value, other.value)
    if isinstance(one, n.Constant) and isinstance(other, n.Constant):
        return bool(one.value == other.value)
    return False


def _shown_apart(first: Use, second: Use) -> bool:
    """Whether a demonstration at the end of a module uses one key for each thing that it shows."""
    return first.demo and second.demo and first.chain[0].node is not second.chain[0].node


def _on_one_path(first: Use, second: Use) -> bool:
    """Whether one run of the program can take both uses, for certain of one of them."""
    pairs = zip(first.path, second.path, strict=False)
    shared = next((i for i, (one, other) in enumerate(pairs) if one is not other), None)
    if shared is None:
        return True  # One lies on the way to the other.
    arms = {id(token): (taken, exit_) for token, taken, exit_ in first.path[shared:]}
    only_second = False
    for token, taken, exit_ in second.path[shared:]:
        if id(token) in arms:
            if arms.pop(id(token))[0] != taken:
                return False
        elif not exit_:
            only_second = True
    only_first = any(not exit_ for _, exit_ in arms.values())
    return not (only_first and only_second)


def _folds_apart(first: Use, second: Use) -> bool:
    """Whether they draw apart because one folds a place into the key that the other does not.

    A module folds in the names of its parts: those of another module may be others.
    """
    if first.name != second.name:
        return _folds(first) or _folds(second)
    return _folds(first) and not _alike(_receiver(first), _receiver(second))


def _receiver(use: Use) -> n.Node:
    """The object whose method uses the key; its class, where it is made there."""
    call = use.chain[-1].node
    if not isinstance(call, n.Call) or not isinstance(call.function, n.Attribute):
        return call
    module = call.function.value
    return module.function if isinstance(module, n.Call) else module


def _folds(use: Use) -> bool:
    return use.name.partition("(")[0] in FOLDS_KEYS


def _where_they_part(first: Use, second: Use) -> int | None:
    """The first link at which two uses are different calls; None where all are the same."""
    links = enumerate(zip(first.chain, second.chain, strict=False))
    return next((i for i, (one, other) in links if one.node is not other.node), None)


def _mapped(level: Level | None) -> int:
    """How many transforms in force map a function over its arguments."""
    count = 0
    while level is not None:
        count += level.transform.concreteness == "mapped" or level.transform.each
        level = level.parent
    return count


def _seen_from(frame: Frame, name: str) -> Value | None:
    """What a name means in a frame."""
    found: Frame | None = frame
    while found is not None and name not in found.names:
        found = found.parent
    return found.names[name] if found is not None else None
