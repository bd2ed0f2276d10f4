"""Python's loops.

A loop over a few known elements runs once for each; another one runs twice, which is a path
that the program can take, and joins what the two passes leave; what ``break`` has left with is
joined behind the loop alone. A loop is taken to run at least once: what it binds counts as bound.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from math import prod

from jaxlint.knowledge import python_api
from jaxlint.program import nodes as n
from jaxlint.program.branches import set_inside
from jaxlint.program.loops import leaves_at_once, tries_again
from jaxlint.program.once import once
from jaxlint.program.walk import alike, is_dotted, statements, walk
from jaxlint.tracer.language.comprehensions import length_of, rows_of
from jaxlint.tracer.language.expressions import ask
from jaxlint.tracer.language.growth import Changes, Growth, runs_through
from jaxlint.tracer.language.narrowing import narrow
from jaxlint.tracer.operations.items import fresh
from jaxlint.tracer.operations.iteration import Elements, any_of, counted, iterate, note_taken, one
from jaxlint.tracer.operations.stores import assign
from jaxlint.tracer.state.frames import Frame, Loop
from jaxlint.tracer.state.trail import Writes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.containers import Mapping, Sequence, tuple_of
from jaxlint.tracer.values.holding import held_in, identity
from jaxlint.tracer.values.joins import join, may_be_one_of, one_of, same
from jaxlint.tracer.values.pytrees import keys_in
from jaxlint.tracer.values.value import Unknown, Value, replace

_LONGEST_UNROLL = 4
_LONGEST_OF_DIFFERENT = 16
"""Elements to call that differ: no one of them stands for the others."""
_MOST_TIMES = 64
"""How often a body runs for them, with the loops around it."""
_PASSES = 2


def for_(tracer: Tracer, node: n.For) -> None:
    """``for target in iterable``."""
    iterable = tracer.evaluate(node.iterable)
    tracer.analyses.on_advance(iterable, node.iterable)
    elements = iterate(tracer, iterable, node.iterable)
    changes = id(node) in once(_that_change, tracer.stack.frame.code(tracer.module))
    if isinstance(elements, list) and elements and changes:
        elements = one(elements)
    note_taken(tracer, iterable)
    operations = tracer.operations
    if tracer.stack.frame.stopped:
        return
    if elements == []:
        tracer.execute(node.orelse)
        return
    precise = isinstance(elements, list) and _has_pass_each(tracer, elements)
    rounds = elements if precise and isinstance(elements, list) else _passes(elements)

    def enter(number: int) -> bool:
        element = rounds[number]
        if not precise:
            element = counted(fresh(tracer, element), node)
        assign(tracer, node.target, element, node)
        return True

    count, known = length_of(iterable), rows_of(iterable)
    if isinstance(elements, list):
        known = len(elements)
    elif changes:
        count = known = None
    run = _Run(tracer, node, enter, precise, count, known)
    with run.through(node.body, len(rounds), node.orelse):
        tracer.analyses.on_loop(node, iterable, operations, node.iterable)
        tracer.execute(node.orelse)


def _that_change(code: n.Module | n.Function) -> frozenset[int]:
    """The loops, by identity, that put something into the list they go over, or take it out.

    Such a loop goes over what is there by then.
    """
    loops = (each for each in walk(code.body) if isinstance(each, n.For))
    dotted = (loop for loop in loops if is_dotted(loop.iterable))
    return frozenset(
        id(loop)
        for loop in dotted
        if any(alike(each, loop.iterable) for part in walk(loop.body) for each in _changed_by(part))
    )


def _changed_by(node: n.Node) -> Iterator[n.Node]:
    if isinstance(node, n.Call) and isinstance(node.function, n.Attribute):
        if node.function.attr in python_api.MUTATING_METHODS["list"]:
            yield node.function.value
    elif isinstance(node, n.AugmentedAssign):
        yield node.target
    elif isinstance(node, n.Delete):
        yield from (each.value for each in node.targets if isinstance(each, n.Subscript))


def _has_pass_each(tracer: Tracer, elements: list[Value]) -> bool:
    """Whether the body runs once for each element."""
    if len(elements) <= _LONGEST_UNROLL:
        return True
    if len(elements) > _LONGEST_OF_DIFFERENT or not _differ(elements):
        return False
    around = [loop.elements or 1 for loop in tracer.stack.frame.loops if loop.precise]
    return prod(around) * len(elements) <= _MOST_TIMES


def _differ(elements: list[Value]) -> bool:
    """Whether elements are known objects or functions, alone or in tuples, none like all others."""
    rows = [_parts_of(element) or (element,) for element in elements]
    if len({len(row) for row in rows}) > 1:
        return False
    columns = [list(column) for column in zip(*rows, strict=True)]
    return any(_are_told_apart(column) for column in columns)


def _are_told_apart(values: list[Value]) -> bool:
    """Whether each of several objects or functions is known, and nothing of any of them."""
    return all(map(may_be_one_of, values)) and isinstance(one_of(values), Unknown)


def _passes(elements: Elements) -> list[Value]:
    """What the target is in each pass of a loop that is not run once for each element."""
    if not isinstance(elements, list):
        return [elements] * _PASSES
    return [_any_of(elements) for _ in range(_PASSES)]


def _any_of(elements: list[Value]) -> Value:
    """One value for any of several elements; the PRNG keys in it are those of the first."""
    first = elements[0]
    if not keys_in(first):
        return any_of(elements)
    rows = [_parts_of(element) for element in elements]
    if rows[0] and len({len(row) for row in rows}) == 1:
        parts = [_any_of(list(column)) for column in zip(*rows, strict=True)]
        return tuple_of(parts)
    return first


def _parts_of(element: Value) -> tuple[Value, ...]:
    """What is in a tuple, of which each part may be another one in each pass."""
    is_tuple = isinstance(element, Sequence) and element.kind == "tuple"
    return (element.items or ()) if is_tuple and isinstance(element, Sequence) else ()


def while_(tracer: Tracer, node: n.While) -> None:
    """``while test``."""

    def enter(number: int) -> bool:
        if ask(tracer, node.test, "while") is False:
            return False
        narrow(tracer, node.test, True)
        return True

    run = _Run(tracer, node, enter, precise=False, count=None)
    with run.through(node.body, _PASSES, node.orelse):
        # Whoever gets here has asked once more.
        endless = ask(tracer, node.test, "while") is True
        narrow(tracer, node.test, False)
        tracer.execute(node.orelse)
        run.ends = run.ends and not endless


class _Run:
    """One run of a loop: its body once for each round, or until nothing changes any more."""

    def __init__(
        self,
        tracer: Tracer,
        node: n.Node,
        enter: Callable[[int], bool],
        precise: bool,
        count: int | None,
        elements: int | None = None,
    ) -> None:
        self.tracer = tracer
        self.frame: Frame = tracer.stack.frame
        self.node = node
        self.enter = enter
        self.precise = precise
        self.count = count
        self.elements = elements
        self.growth = Growth(tracer, node, count) if not precise else None
        self.at_once = leaves_at_once(node)
        self.ends = False
        self._began: int | None = None
        self._broken: list[Writes] = []

    @contextmanager
    def through(self, body: list[n.Node], rounds: int, orelse: list[n.Node]) -> Iterator[None]:
        """Run the body; the block is what follows where no ``break`` has left the loop.

        Nor does the next pass begin with what a pass has left that way.
        """
        trail, frame = self.tracer.trail, self.frame
        breaks = any(isinstance(each, n.Jump) and each.kind == "break" for each in statements(body))
        with trail.keeping() if breaks else nullcontext() as self._began:
            self._run(body, rounds)
            self.ends = self.ends or orelse != []
            yield
            if self._began is not None and self._broken:
                ends = [trail.written(self._began)] if self.ends and not frame.stopped else []
                trail.undo(self._began)
                trail.join([*self._broken, *ends])
                self._keep_last_keys([*self._broken, *ends])
                frame.stopped = False

    def _run(self, body: list[n.Node], rounds: int) -> None:
        frame = self.frame
        loops, jumps, outer_mark = frame.loops, frame.jumps, frame.loop_mark
        doubtful = frame.doubtful
        loop = Loop(
            self.node, frame, frame.conditional, self.count, self.precise, elements=self.elements
        )
        frame.loops = (*loops, loop)
        never_past = False
        for number in range(1 if self.at_once else rounds):
            loop.number = number
            meant = number > 0 and tries_again(body)
            muting = self.tracer.stack.muting() if meant else nullcontext()
            with self.tracer.trail.keeping() as mark, muting:
                goes_on, past = self._pass(body, loop, mark)
            # What a pass has left by `continue` says nothing of the next one, nor of what follows.
            frame.doubtful = doubtful
            never_past = never_past or not past
            if not goes_on:
                break
        self._run_later(body, loop)
        frame.loops, frame.jumps, frame.loop_mark = loops, jumps, outer_mark
        frame.stopped = never_past

    def _pass(self, body: list[n.Node], loop: Loop, mark: int) -> tuple[bool, bool]:
        """One round: whether another one follows, and whether anything leads past the loop."""
        tracer, frame, number = self.tracer, self.frame, loop.number
        before, consumed = tracer.analyses.before_call(), tracer.consumed
        if not self.enter(number):
            tracer.trail.undo(mark)
            return False, True
        frame.jumps, frame.loop_mark = [], mark
        tracer.execute(body)
        ends = [writes for kind, writes in frame.jumps if kind == "continue"]
        ends += [] if frame.stopped else [tracer.trail.written(mark)]
        broken = [writes for kind, writes in frame.jumps if kind == "break"]
        again = not frame.stopped or any(kind == "continue" for kind, _ in frame.jumps)
        if number == 0 and (not again or tries_again(body) or self.at_once):
            loop.repeats = False
        frame.stopped = False
        tracer.trail.undo(mark)
        if self._began is not None:
            self._broken += [tracer.trail.written_with(self._began, writes) for writes in broken]
        if not ends:
            if not broken:
                # Whoever gets past the loop has not been in it.
                tracer.analyses.no_way_past(before)
            runs = self.precise or bool(self.count)
            return False, not (runs and (number == 0 or (self.precise and broken != [])))
        self.ends = True
        if self.growth is not None and len(ends) == 1 and not broken:
            self.growth.note(ends[0])
        if self.precise or number == 0:
            tracer.trail.join(ends)
            if not (self.precise or self.count or self.elements):
                self._keep_outer(mark)
        else:
            tracer.trail.join([{}, *ends])
            self._keep_last_keys(ends)
        changed = self.precise or consumed != tracer.consumed or self._changed(mark)
        return changed and again, True

    def _run_later(self, body: list[n.Node], loop: Loop) -> None:
        """Run later passes, if numbers grow from pass to pass, for what is seen in them.

        They leave nothing behind but the PRNG keys that they have used up.
        """
        growth = self.growth
        later = list(growth.later()) if growth is not None else []
        if not later or growth is None or not runs_through(body):
            return
        loop.number = _PASSES
        end = self._run_once(body, later)
        last = growth.at_last(later, end)
        if last:
            self._run_once(body, [*later, *last])

    def _run_once(self, body: list[n.Node], found: Changes) -> Writes:
        """Run a pass that finds these values: what it has written, which is taken back."""
        trail, end = self.tracer.trail, Writes()
        with trail.keeping() as mark:
            for slots, name, value in found:
                trail.set(slots, name, value)
            if self.enter(_PASSES - 1):
                self.frame.jumps, self.frame.loop_mark = [], mark
                self.tracer.execute(body)
                end = trail.written(mark)
            trail.undo(mark)
            self._keep_last_keys([end])
        return end

    def _changed(self, mark: int) -> bool:
        """Whether a pass has left anything else than it found."""
        for slots, name, old in self.tracer.trail.before(mark).values():
            now = slots.get(name)
            if not (isinstance(old, Value) and isinstance(now, Value) and same(old, now)):
                return True
        return False

    def _keep_outer(self, mark: int) -> None:
        """What goes down into a container with each pass is still at the top after none."""
        trail = self.tracer.trail
        for slots, name, old in trail.before(mark).values():
            now = slots.get(name)
            if isinstance(now, (Sequence, Mapping)) and _lies_in(now, old):
                trail.set(slots, name, join(old, now))

    def _keep_last_keys(self, ends: list[Writes]) -> None:
        """After a loop a PRNG key is the one of the last iteration."""
        for slots, name, last, _ in ends[-1].values():
            now = slots.get(name)
            if isinstance(last, Array) and last.prng is not None and isinstance(now, Array):
                if now.prng is not None:
                    self.tracer.trail.set(slots, name, replace(now, prng=last.prng))


def _lies_in(value: Sequence | Mapping, outer: object) -> bool:
    """Whether a list or dict is one of those in another one, at any depth."""
    if value.cell is None or not isinstance(outer, (Sequence, Mapping)):
        return False
    which = identity(value)
    return which != identity(outer) and any(identity(each) == which for each in held_in(outer))


def is_of_this_pass(tracer: Tracer, test: n.Node) -> bool:
    """Whether a test is decided in this pass of a loop, and perhaps otherwise in another one."""
    frame = tracer.stack.frame
    if not frame.loops or frame.loops[-1].frame is not frame:
        return False
    names = {name.id for name in walk([test]) if isinstance(name, n.Name)}
    changing = frame.loops[-1].binds | once(set_inside, frame.code(tracer.module))
    return not names.isdisjoint(changing)
