"""The stack: the frame and level that run now, the calls that lead here, the branches taken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from jaxlint.program import nodes as n
from jaxlint.tracer.state.frames import Frame, Level, Link, Moment
from jaxlint.tracer.values.objects import Instance

_DEEPEST = 24

_MOST_OF_A_KIND = 8
"""Functions made of one code that run inside of each other, each around something else."""

_SURROUNDINGS = ("module", "frame", "level", "running", "chain", "path", "muted", "aside", "latent",
                 "demo", "expected", "catching", "bound", "jit_disabled",
                 "computes_now")  # fmt: skip
_AROUND = {"loops": (), "conditional": 0, "entered": 0, "guards": (), "api_guards": 0,
           "axis_guards": 0, "stopped": False}  # fmt: skip
"""What surrounds a statement in the body of its frame, and its values where nothing does."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """An arm that JAX traces whichever will run: a branch of ``cond``, by its number."""

    number: int


Branch = tuple[object, object, bool]
"""A branch taken: its token, the arm, and whether another arm had left."""

Branches = tuple[Branch, ...]
"""The branches taken so far."""


class Stack:
    """Where the run stands.

    Attributes:
        globals: the frame of the module that is linted.
        module: the frame of the module that is run: the linted one, or one that it imports.
        frame: the frame that runs.
        running: the frames of functions that run, the innermost last.
        level: the innermost transform in force; None on the host.
        chain: the calls that lead here.
        path: the branches that lead here.
        era: which of the runs that start from nothing this is.
        muted: how many constructs surround this point in which nothing counts.
        aside: another module runs for the functions that it is handed: what it does on the host
            is its own matter.
        latent: a parameter with a default that a call must pass for this to run; else empty.
        asking: the ``if`` whose branches run, and those of its ``elif``.
        demo: the body of ``if __name__ == "__main__"`` runs.
        expected: the exceptions that a caller catches by name, or a cell is meant to raise.
        catching: how many ``try`` bodies run, here and in callers, that catch every TypeError.
        bound: how many modules run to which a library has bound variables.
        jit_disabled: ``jax.disable_jit`` is on: what JAX compiles runs as it is.
        computes_now: ``jax.ensure_compile_time_eval`` is on: constants stay arrays in a trace.
    """

    def __init__(self, scope: n.Scope) -> None:
        self.globals = Frame(scope, None, None)
        self.globals.certain = True
        self.module = self.globals
        self.frames = [self.globals]
        self.frame = self.globals
        self.running: list[Frame] = []
        self.level: Level | None = None
        self.chain: tuple[Link, ...] = ()
        self.path: Branches = ()
        self.era = 0
        self.muted = 0
        self.aside = False
        self.latent = ""
        self.asking: n.If | None = None
        self.demo = False
        self.expected: frozenset[str] = frozenset()
        self.catching = 0
        self.bound = 0
        self.jit_disabled = self.computes_now = False

    def settle(self) -> None:
        """Start again from the module, as a caller out of view does."""
        self.frame, self.level, self.muted = self.globals, None, 0
        self.demo = self.aside = False
        self.asking = None
        self.jit_disabled = self.computes_now = False
        self.frame.stopped = False
        self.frame.loops = ()
        self.era += 1
        self.path = self.chain = ()

    def open(self, scope: n.Scope, parent: Frame) -> Frame:
        """A new frame, surrounded as the current one."""
        frame = Frame(scope, parent, self.level)
        frame.surrounded_like(self.frame)
        self.frames.append(frame)
        return frame

    @contextmanager
    def inside(self, frame: Frame) -> Iterator[None]:
        """Run in another frame."""
        outer, self.frame = self.frame, frame
        try:
            yield
        finally:
            self.frame = outer

    @contextmanager
    def starting(self, frame: Frame) -> Iterator[None]:
        """Run a module, which nothing surrounds."""
        self.frames.append(frame)
        with self._with_nothing_around(frame):
            yield

    @contextmanager
    def back_at_the_top(self, frame: Frame) -> Iterator[None]:
        """Run a statement of a module that was left out, wherever it stands now."""
        kept = {name: getattr(frame, name) for name in _AROUND}
        for name, nothing in _AROUND.items():
            setattr(frame, name, nothing)
        try:
            with self._with_nothing_around(frame):
                yield
        finally:
            for name, value in kept.items():
                setattr(frame, name, value)

    @contextmanager
    def _with_nothing_around(self, frame: Frame) -> Iterator[None]:
        kept = {name: getattr(self, name) for name in _SURROUNDINGS}
        self.module = self.frame = frame
        self.level, self.running = None, []
        self.chain, self.path = (), ()
        self.muted = self.catching = self.bound = 0
        self.latent = ""
        self.aside = self.demo = self.jit_disabled = self.computes_now = False
        self.expected = frozenset()
        try:
            yield
        finally:
            for name, value in kept.items():
                setattr(self, name, value)

    @contextmanager
    def calling(self, frame: Frame, node: n.Node) -> Iterator[None]:
        """Run the frame of a function that is called at ``node``."""
        outer, chain, path = self.frame, self.chain, self.path
        self.chain = (*chain, self.link(node))
        self.frame = frame
        frame.called_at, frame.chain = node, self.chain
        self.running.append(frame)
        try:
            yield
        finally:
            self.running.pop()
            self.frame, self.chain, self.path = outer, chain, path

    @contextmanager
    def back_in(self, caller: Frame, chain: tuple[Link, ...]) -> Iterator[None]:
        """Run in the frame that called the current one, which waits."""
        waiting, waiting_chain = self.frame, self.chain
        innermost = self.running.pop()
        self.frame, self.chain = caller, chain
        try:
            yield
        finally:
            self.running.append(innermost)
            self.frame, self.chain = waiting, waiting_chain

    @contextmanager
    def muting(self) -> Iterator[None]:
        """Run what does not count."""
        self.muted += 1
        try:
            yield
        finally:
            self.muted -= 1

    @contextmanager
    def expecting(self, exceptions: frozenset[str]) -> Iterator[None]:
        """Run what may raise some exceptions, as far as the program is concerned."""
        around, self.expected = self.expected, self.expected | exceptions
        try:
            yield
        finally:
            self.expected = around

    @contextmanager
    def reached(self, node: n.Node) -> Iterator[None]:
        """What a call at ``node`` does that is not run again."""
        chain, self.chain = self.chain, (*self.chain, self.link(node))
        try:
            yield
        finally:
            self.chain = chain

    @contextmanager
    def entered(self, level: Level | None) -> Iterator[None]:
        """Run under a transform; None for the host."""
        outer, self.level = self.level, level
        try:
            yield
        finally:
            self.level = outer

    @contextmanager
    def arm(self, token: object, taken: object) -> Iterator[None]:
        """Run one of several alternatives."""
        before = self.path
        self.path = (*before, (token, taken, False))
        try:
            yield
        finally:
            self.path = before

    def only(self, token: object, taken: object) -> None:
        """The other arms have left: what follows is this one."""
        self.path = (*self.path, (token, taken, True))

    def told_apart(self) -> frozenset[str]:
        """The axes of a mesh along which JAX knows here what differs from device to device."""
        return frozenset().union(*(level.told_apart for level in self.levels()))

    def unchecked(self) -> bool:
        """Whether JAX does not ask here what differs from device to device."""
        return any(level.unchecked for level in self.levels())

    def levels(self) -> list[Level]:
        """The transforms in force, outermost first."""
        found: list[Level] = []
        level = self.level
        while level is not None:
            found.append(level)
            level = level.parent
        return found[::-1]

    def moment(self) -> Moment:
        """Here and now, for values that are made."""
        frame = self.frame
        return Moment(self.level, frame, frame.loops, frame.conditional)

    def link(self, node: n.Node) -> Link:
        """A call at this place, as part of a chain of calls."""
        frame = self.frame
        around = [loop for loop in frame.loops if loop.frame is frame or loop.node is node]
        looping = bool(around) or frame.scope.kind == "comprehension"
        passes = tuple(loop.number for loop in around)
        return Link(node, looping, frame, passes, tuple(loop.node for loop in around))

    @property
    def library(self) -> str:
        """The function of a library that the program calls, while what stands in for it runs."""
        found = ""
        for frame in reversed(self.running):
            if not frame.globals.library:
                break
            found = _full_name(frame)
        return found

    def seen(self, node: n.Node) -> n.Node:
        """A node, as the program has it: of a library's, the call that leads there."""
        if self.frame.globals.library:
            for link in reversed(self.chain):
                if not link.frame.globals.library:
                    return link.node
        return node

    def too_deep(self, code: n.Function, around: Frame) -> bool:
        """Whether a call of the function made of this code there would recurse or go too deep.

        What a decorator makes of one function calls what it makes of another: that is no recursion.
        """
        if self.is_full:
            return True
        same = [frame.parent is around for frame in self.running if frame.scope is code.scope]
        return len(same) >= _MOST_OF_A_KIND or sum(same) >= 2

    @property
    def is_full(self) -> bool:
        """Whether as many calls run inside of one another as are followed."""
        return len(self.running) >= _DEEPEST

    def calls_of(self, code: n.Function, around: Frame) -> list[Frame]:
        """The calls that run of the function made of this code there, the innermost last."""
        return [
            frame for frame in self.running if frame.scope is code.scope and frame.parent is around
        ]

    def innermost(self, code: n.Function, around: Frame) -> Frame | None:
        """The innermost call that runs of the function made of this code there."""
        running = self.calls_of(code, around)
        return running[-1] if running else None

    def speculates(self) -> bool:
        """Whether a test that is open leads here in a call of a function inside of another one.

        Nobody knows whether it goes so deep; the test ends the calls in time.
        """
        return any(
            frame.conditional > frame.entered
            and any(
                outer.scope is frame.scope and outer.parent is frame.parent
                for outer in self.running[:position]
            )
            for position, frame in enumerate(self.running)
        )

    def in_branch(self, since: int = 0) -> bool:
        """Whether a test whose outcome nobody knows leads here.

        The body of a ``try`` is none; what follows it is, where its handlers leave. Nor is what JAX
        traces anyway. ``since``: how many of the branches that lead here are of no account.
        """
        return any(
            others_left or not (taken == "body" or isinstance(taken, Alternative))
            for _, taken, others_left in self.path[since:]
        )

    def undecided_in_trace(self) -> bool:
        """Whether a test whose outcome nobody knows stands before this place in its trace."""
        traced = [frame for frame in self.running if frame.level is not None]
        if not traced:
            return False
        return self.frame.conditional > traced[0].entered or any(each.exits for each in traced)

    def outside_traces(self) -> bool:
        """Whether no function around this place, or around a caller, was made in a trace."""
        for running in (self.frame, *self.running):
            frame: Frame | None = running
            while frame is not None:
                if frame.level is not None:
                    return False
                frame = frame.parent
        return True


def _full_name(frame: Frame) -> str:
    """The dotted name of the function of a library whose frame it is."""
    names: list[str] = []
    found: Frame | None = frame
    while found is not None and found.function is not None:
        names.append(found.function.code.name)
        if found.owner is not None:
            names.append(_class_of_receiver(found) or found.owner.name)
        found = found.parent
    # An object is called by its own name, and nobody writes that of the method.
    return ".".join([frame.globals.library, *reversed(names)]).removesuffix(".__call__")


def _class_of_receiver(frame: Frame) -> str:
    """The class of the object whose method runs, where a library makes it."""
    assert frame.function is not None
    parameters = frame.function.code.parameters
    receiver = frame.names.get(parameters[0].name) if parameters else None
    cls = receiver.cls if isinstance(receiver, Instance) else None
    return cls.name if cls is not None and cls.frame.globals.library else ""
