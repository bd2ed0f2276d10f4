"""Frames, loops, transform levels, moments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from jaxlint.events import Site, Tracing
from jaxlint.knowledge.transform import Transform
from jaxlint.program import nodes as n
from jaxlint.program.walk import assigned_names
from jaxlint.tracer.state.trail import Writes
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.objects import Class, Function
from jaxlint.tracer.values.value import Value, immutable


class Frame:
    """The variables of one scope while it runs.

    Attributes:
        names: name -> value; only the trail writes it.
        parent: the frame it closes over; None for a module.
        globals: the frame of the module that the scope is in.
        level: the innermost transform level when the frame was opened.
        loops: the loops that are running, callers' included, outermost first.
        conditional: how many branches that may not run surround this point.
        entered: the same when the frame was opened.
        guards: the handlers around it that catch TypeError.
        api_guards: the same for those that catch that a name is not there.
        axis_guards: the same for those that catch that an axis has no such name.
        certain: what runs here runs in the program, and as it is written.
        around: of the generator behind a context manager: runs what it is put around.
        called_at: the call that runs the function.
        chain: the calls that lead there, that one included.
        stopped: what follows in this body does not run.
        raised: it does not because an exception is raised for certain, whoever runs it.
        doubtful: whether it runs hangs on what nobody in view shows to happen.
        file: of a module, where it lies; None where nobody can say.
        program: of a module that the linted file imports, what it runs.
        library: of a module that stands in for one of a library, that one's name; else empty.
        version: counts what is bound anew and inner functions can see.
        exits: the state at each ``return`` that some branch took.
        returned: a ``return`` around which there is no branch ended the body: its state stays.
        given: of a function, what its parameters got, in their order.
        told: the symbols of what tests had said when the body began.
        kept_for: how many blocks kept what is overwritten when the body began.
        jumps: each ``break`` and ``continue`` of the loop that runs, and the state there.
        mark, loop_mark: of the trail when the body, or this pass of the loop, began.
    """

    __slots__ = (
        "api_guards",
        "around",
        "axis_guards",
        "called_at",
        "certain",
        "chain",
        "conditional",
        "doubtful",
        "entered",
        "exits",
        "file",
        "function",
        "given",
        "globals",
        "guards",
        "jumps",
        "kept_for",
        "level",
        "library",
        "loop_mark",
        "loops",
        "mark",
        "names",
        "owner",
        "parent",
        "program",
        "raised",
        "returned",
        "returns",
        "scope",
        "stopped",
        "told",
        "version",
        "yielded",
    )

    def __init__(self, scope: n.Scope, parent: Frame | None, level: Level | None) -> None:
        self.scope = scope
        self.parent = parent
        self.globals: Frame = parent.globals if parent is not None else self
        self.level = level
        self.names: dict[str, Value] = {}
        self.loops: tuple[Loop, ...] = ()
        self.conditional = 0
        self.entered = 0
        self.guards: tuple[n.Handler, ...] = ()
        self.api_guards = self.axis_guards = 0
        self.certain = False
        self.stopped = self.raised = self.doubtful = False
        self.returned = False
        self.version = 0
        self.file: Path | None = None
        self.program: n.Module | None = None
        self.library = ""
        self.returns: list[Value] = []
        self.yielded: list[Value] = []
        self.exits: list[Writes] = []
        self.jumps: list[tuple[str, Writes]] = []
        self.mark = 0
        self.kept_for = 0
        self.loop_mark = 0
        self.function: Function | None = None
        self.called_at: n.Node | None = None
        self.chain: tuple[Link, ...] = ()
        self.around: Callable[[Value], None] | None = None
        self.owner: Class | None = None
        self.given: tuple[Value, ...] = ()
        self.told: frozenset[object] = frozenset()

    def surrounded_like(self, outer: Frame) -> None:
        """Take over what surrounds the code that opens this frame."""
        self.certain, self.doubtful = outer.certain, outer.doubtful
        self.loops, self.conditional = outer.loops, outer.conditional
        self.entered = outer.conditional

    def stop(self) -> bool:
        """What follows in this body does not run; whether that can be followed here."""
        if self.scope.kind == "comprehension":
            return False
        self.stopped = True
        return True

    def code(self, module: n.Module) -> n.Module | n.Function:
        """The function that it is of, or its module; ``module``: the linted file."""
        return self.function.code if self.function is not None else self.program or module

    def let_go(self) -> None:
        """Forget what leads back here: what it made, who called it, what that was given."""
        for kept in (self.names, self.returns, self.yielded, self.exits, self.jumps):
            kept.clear()
        self.chain, self.loops, self.given = (), (), ()
        self.function = self.around = self.owner = None
        if self.level is not None:
            self.level.received, self.level.leaked = (), None
            self.level.layers = {}
        del self.globals


_FEW = 16
_BRIEF = 4


@dataclass(slots=True, eq=False)
class Loop:
    """One running loop.

    Attributes:
        frame: the frame it runs in.
        conditional: how many branches surround its body.
        count: how often it runs, when that is known and more than a few times.
        precise: it is run once for each of a few known elements.
        number: of the pass that runs.
        elements: how many it goes over, where each of them is known.
        repeats: a pass of it may come after another; a ``break`` at the end of each says no.
    """

    node: n.Node
    frame: Frame
    conditional: int
    count: int | None = None
    precise: bool = False
    number: int = 0
    elements: int | None = None
    repeats: bool = True
    _binds: frozenset[str] | None = None

    @property
    def few(self) -> bool:
        """It goes over a few known elements: variants of one thing, not steps."""
        return self.elements is not None and self.elements <= _FEW

    @property
    def brief(self) -> bool:
        """It is over after so few iterations that what each of them costs does not count.

        So it is where each pass does something else: one that calls functions that differ.
        """
        return self.precise or (self.elements is not None and self.elements <= _BRIEF)

    @property
    def binds(self) -> frozenset[str]:
        """The names that it, or its body, binds; looked up once, when first asked for."""
        if self._binds is None:
            self._binds = assigned_names([self.node])
        return self._binds


@dataclass(slots=True, eq=False)
class Level:
    """One transform in force, from entering the traced function to leaving it.

    Attributes:
        function: that is traced.
        wrapped: a library wraps the function that is traced in one of its own; ``function`` is
            the one of the program that it has called last.
        stages: every JAX operation gives a tracer here.
        tracing: False inside a host callback.
        caching: what happens here happens once per signature.
        computes: False where JAX only asks for shapes: nothing is drawn, nothing runs.
        replicates: the same in a ``shard_map``, where Python still learns the values of constants.
        transposes: cotangents go back through what happens here.
        once: what Python does here happens once, however often it runs.
        lasting: the compiled function outlives the code that made it.
        has_inputs: the traced function was given arguments.
        given: serial numbers of the PRNG keys among them.
        latent: nobody in view calls the function: what happens here happens once somebody does.
        axes: the names that it gives to axes; None when they are not in view.
        told_apart: axes of a mesh along which JAX knows what differs from device to device.
        unchecked: it does not ask there.
        everywhere: those axes go over the devices of all processes.
        received: what the traced function was given.
        layers: of the layers of libraries among that, by identity, what their parameters are.
        leaked: the tracer of another trace, one that is over, that was computed with here.
        kernel: the level of the kernel in whose own program this is; None: it is in none.
    """

    transform: Transform
    name: str
    function: str
    site: Site
    parent: Level | None
    stages: bool = field(init=False)
    tracing: bool = field(init=False)
    replicates: bool = field(init=False)
    caching: bool = field(init=False)
    transposes: bool = field(init=False)
    once: bool = field(init=False)
    computes: bool = field(init=False)
    kernel: Level | None = field(init=False)
    lasting: bool = False
    has_inputs: bool = False
    given: frozenset[int] = frozenset()
    latent: bool = False
    axes: frozenset[str] | None = frozenset()
    told_apart: frozenset[str] = frozenset()
    unchecked: bool = False
    everywhere: bool = False
    wrapped: bool = False
    received: tuple[Value, ...] = ()
    layers: dict[int, Value] = field(default_factory=dict)
    leaked: Array | None = None

    def __post_init__(self) -> None:
        host = self.transform.concreteness == "host"
        outer = self.parent if not host else None
        self.stages = self.transform.stages or (outer is not None and outer.stages)
        self.caching = self.transform.compiles or (outer is not None and outer.caching)
        self.replicates = self.transform.replicates or (outer is not None and outer.replicates)
        self.transposes = bool(self.transform.transposes)
        self.transposes = self.transposes or (outer is not None and outer.transposes)
        self.once = self.caching or (self.transform.stages and self.transform.computes)
        self.once = self.once or (outer is not None and outer.once)
        self.computes = self.transform.computes and (self.parent is None or self.parent.computes)
        self.latent = self.parent is not None and self.parent.latent
        self.tracing = not host
        inside = outer is not None and not self.transform.compiles
        self.kernel = outer.kernel if inside and outer is not None else None
        if self.transform.traced == "refs":
            self.kernel = self

    @property
    def described(self) -> Tracing:
        """As events say it."""
        return Tracing(self.name, self.function, self.site)

    def effects_run_once(self, made: Level | None) -> bool:
        """Whether an effect here on something made in ``made`` happens only while tracing.

        A body under eager ``grad`` or ``vmap`` runs at every call, so only a level
        that stages counts, and only what was made outside of it.
        """
        if not self.tracing or not self.within(made):
            return False
        level: Level | None = self
        while level is not None and level is not made:
            if level.transform.stages:
                return True
            level = level.parent
        return False

    def once_in(self, made: Level | None) -> bool:
        """Whether each trace of ``made`` traces this, a branch in it, once more.

        What that trace has made for itself is not there at another one. None is the host.
        """
        level: Level | None = self
        while level is not None and level is not made:
            if level.transform.repeats or level.transform.compiles or not level.transform.callees:
                return False
            level = level.parent
        return level is made

    def within(self, other: Level | None) -> bool:
        """Whether this is ``other`` or a level inside of it."""
        level: Level | None = self
        while level is not None:
            if level is other:
                return True
            level = level.parent
        return other is None


@immutable
class Moment:
    """When and where something was made: the level, the frame, the loops around it."""

    level: Level | None
    frame: Frame
    loops: tuple[Loop, ...]
    conditional: int


@immutable
class Link:
    """One call on the way to a use.

    Attributes:
        node: where.
        looping: a loop of the frame that calls goes around it.
        frame: in which it stands.
        passes: of the loops around it in that frame, the numbers of those that run.
        loops: those loops.
    """

    node: n.Node
    looping: bool
    frame: Frame
    passes: tuple[int, ...] = ()
    loops: tuple[n.Node, ...] = ()

    @property
    def level(self) -> Level | None:
        """The innermost transform level where the call stands."""
        return self.frame.level
