"""Where the abstract run stands: frames, loops, transform levels, moments."""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxlint.events import Holder, Site
from jaxlint.knowledge.transforms import Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.values import Class, Function, Value


class Frame:
    """The variables of one scope while it runs.

    Attributes:
        names: name -> value.
        versions: how often a captured name was rebound with another value.
        parent: the frame it closes over; None for the module.
        level: the innermost transform level when the frame was opened.
        loops: the loops that are running, callers' included, outermost first.
        conditional: how many branches that may not run surround this point.
        entered: the same when the frame was opened.
        guards: how many ``try`` statements that catch TypeError surround it.
        api_guards: the same for those that catch that a name is not there.
    """

    __slots__ = (
        "api_guards",
        "certain",
        "conditional",
        "entered",
        "function",
        "guards",
        "level",
        "loops",
        "names",
        "owner",
        "parent",
        "rebound_at",
        "returns",
        "scope",
        "stopped",
        "versions",
        "yielded",
    )

    def __init__(self, scope: n.Scope, parent: Frame | None, level: Level | None) -> None:
        self.scope = scope
        self.parent = parent
        self.level = level
        self.names: dict[str, Value] = {}
        self.versions: dict[str, int] = {}
        self.rebound_at: dict[str, n.Node] = {}
        self.loops: tuple[Loop, ...] = ()
        self.conditional = 0
        self.entered = 0
        self.guards = 0
        self.api_guards = 0
        self.returns: list[Value] = []
        self.yielded: list[Value] = []
        self.stopped = False
        self.function: Function | None = None
        self.owner: Class | None = None
        self.certain = False


@dataclass(slots=True, eq=False)
class Loop:
    """One running loop.

    Attributes:
        frame: the frame it runs in.
        conditional: how many branches surround its body.
        count: how often it runs, when that is known and more than a few times.
    """

    node: n.Node
    frame: Frame
    conditional: int
    count: int | None = None


@dataclass(slots=True, eq=False)
class Read:
    """An outer variable or attribute that a cached trace has read.

    ``holder`` is the frame, instance or container whose ``version`` tells whether
    it has changed since.
    """

    name: str
    kind: Holder
    site: Site
    version: int
    holder: object
    level: Level


@dataclass(slots=True, eq=False)
class Level:
    """One transform in force, from entering the traced function to leaving it.

    Attributes:
        full: every JAX operation gives a tracer here.
        tracing: False inside a host callback.
        caching: what happens here happens once per signature.
        lasting: the compiled function outlives the code that made it.
        has_inputs: the traced function was given arguments.
    """

    transform: Transform
    name: str
    function: str
    site: Site
    parent: Level | None
    reads: list[Read] = field(default_factory=list)
    full: bool = False
    tracing: bool = True
    caching: bool = False
    lasting: bool = False
    has_inputs: bool = False

    def __post_init__(self) -> None:
        host = self.transform.concreteness == "host"
        outer = self.parent if not host else None
        self.full = self.transform.full or (outer is not None and outer.full)
        self.caching = self.transform.caches or (outer is not None and outer.caching)
        self.tracing = not host

    def effects_run_once(self, made: Level | None) -> bool:
        """Whether an effect here on something made in ``made`` happens only while tracing.

        A body under eager ``grad`` or ``vmap`` runs at every call, so only a level
        that traces fully counts, and only what was made outside of it.
        """
        if not self.tracing or not self.within(made):
            return False
        level: Level | None = self
        while level is not None and level is not made:
            if level.transform.full:
                return True
            level = level.parent
        return False

    def within(self, other: Level | None) -> bool:
        """Whether this is ``other`` or a level inside of it."""
        level: Level | None = self
        while level is not None:
            if level is other:
                return True
            level = level.parent
        return other is None


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """When and where something was made: the level, the frame, the loops around it."""

    level: Level | None
    frame: Frame
    loops: tuple[Loop, ...]
    conditional: int
