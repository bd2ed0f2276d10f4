"""State of the abstract run, and the few ways to change it.

The interpreter is this class with one mixin for each part of the language and of
JAX (``tracer.run`` puts them together). Here is what they share: names, levels,
events, the step budget. What they ask of each other stands in ``entry_points``.
"""

from __future__ import annotations

import builtins
import typing
from collections import Counter

from jaxlint.events import (
    Context,
    DonatedUse,
    Event,
    Holder,
    LeakedUse,
    OuterRebinding,
    Reason,
    Site,
    Tracing,
)
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.transforms import Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.entry_points import EntryPoints
from jaxlint.tracer.evidence import Evidence
from jaxlint.tracer.frames import Frame, Level, Moment, Read
from jaxlint.tracer.records import Dispatch, Remembered, Trace
from jaxlint.tracer.values import (
    UNKNOWN,
    Array,
    Class,
    Concreteness,
    Const,
    Donated,
    Function,
    Host,
    Instance,
    KeyState,
    KeyUse,
    Link,
    Mapping,
    NumpyArray,
    Qualified,
    Sequence,
    Transformed,
    Tree,
    Unknown,
    Value,
    join,
    key_states,
    same,
    tracers,
)

_STRENGTH: dict[Concreteness, int] = {"abstract": 2, "mapped": 1, "differentiated": 0}
_STEPS_PER_NODE = 60
_LEAST_STEPS = 20_000
_DEEPEST_STACK = 24


class OutOfSteps(Exception):
    """The file's step budget is spent, at a node; what has not run stays unknown."""

    def __init__(self, node: n.Node) -> None:
        super().__init__()
        self.node = node


class Machine(EntryPoints):
    """Shared state."""

    def __init__(self, module: n.Module) -> None:
        self.module = module
        self.own_transforms: typing.Mapping[str, Transform] = {}
        self.unroll = 100
        self.globals = Frame(module.scope, None, None)
        self.globals.certain = True
        self.frames = [self.globals]
        self.frame = self.globals
        self.level: Level | None = None
        self.muted = 0
        self.jumps: list[dict[str, Value]] = []
        self.events: list[Event] = []
        self.steps = _LEAST_STEPS + _STEPS_PER_NODE * module.size
        self.running: list[Frame] = []
        self.memo: dict[object, Remembered] = {}
        self.contexts: dict[int, int] = {}
        self.ran: set[int] = set()
        self.ran_traced: set[int] = set()
        self.ran_for_certain: set[int] = set()
        self.applications: Counter[int] = Counter()
        self.waiting: list[Transformed] = []
        self.traces: dict[object, Trace] = {}
        self.classes: list[Class] = []
        self.functions: dict[int, Function] = {}
        self.call_sites: dict[int, set[int]] = {}
        self.per_call: list[tuple[n.Function, Event]] = []
        self.kept_reads: list[Read] = []
        self.globals_version = 0
        self.keys_about = not jax_api.KEY_FUNCTIONS.isdisjoint(module.loaded)
        self.refs_about = not jax_api.REF_NAMES.isdisjoint(module.loaded)
        self.call_chain: tuple[Link, ...] = ()
        self.path: tuple[tuple[object, object, bool], ...] = ()
        self.era = 0
        self.keys_made = 0
        self.key_version = 0
        self.key_uses: list[tuple[KeyState, KeyUse]] = []
        self.abstract_only = False
        self.clock = Dispatch()
        self.operations = 0
        self._seen: set[object] = set()
        self._evidence: dict[int, dict[str, Evidence]] = {}
        self._key_parameters: dict[int, frozenset[str]] = {}

    # ------------------------------------------------------------------ names

    def load(self, name: n.Name) -> Value:
        """The value of a name here; reads of outer variables by a cached trace are noted."""
        value = self.look_up(name)
        if isinstance(value, Donated):
            donated_at = Site(value.node.origin)
            self.emit(DonatedUse(self.context(name, name), value.function, donated_at))
            return value.value
        return value

    def look_up(self, name: n.Name) -> Value:
        """The value of a name here, donated or not."""
        if name.hops is None:
            name.hops = name.scope.hops(name.id)
        frame: Frame = self.frame
        if name.hops == -1:
            frame = self.globals
        else:
            for _ in range(name.hops):
                if frame.parent is None:
                    return UNKNOWN
                frame = frame.parent
        value = frame.names.get(name.id)
        if value is None:
            if name.hops == -1:
                return self._builtin(name.id)
            return UNKNOWN
        if self.level is not None and frame is not self.frame and frame.level is not self.level:
            self._note_read(frame, name, value)
        return value

    def _builtin(self, name: str) -> Value:
        if name == "__name__":
            return Const("__main__")
        if name in _BUILTINS:
            return Qualified(f"builtins.{name}")
        return UNKNOWN

    def _note_read(self, frame: Frame, name: n.Name, value: Value) -> None:
        if isinstance(value, (Function, Class, Qualified)):
            return
        level = self.level
        if level is None or not level.caching or level.within(frame.level) is False:
            return
        if frame.level is not None:
            return  # A variable of an enclosing trace: it is traced along.
        kind: Holder = "global" if frame is self.globals else "closure"
        version = frame.versions.get(name.id, 0)
        self._keep_read(level, Read(name.id, kind, Site(name.origin), version, frame, level))
        changes = isinstance(value, NumpyArray) or mutable_kind(value) is not None
        if changes and isinstance(value, (Sequence, Mapping, NumpyArray)):
            site = Site(name.origin)
            self._keep_read(level, Read(name.id, kind, site, value.version, value, level))

    def note_attribute_read(self, instance: Instance | Class, attr: str, node: n.Node) -> None:
        """Remember that a cached trace read an attribute of an outer object."""
        level = self.level
        if level is None or not level.caching or instance.moment is None:
            return
        if instance.moment.level is not None:
            return
        version = instance.versions.get(attr, 0)
        self._keep_read(level, Read(attr, "attribute", Site(node.origin), version, instance, level))

    def _keep_read(self, level: Level, read: Read) -> None:
        self.kept_reads.append(read)
        current: Level | None = level
        while current is not None:
            current.reads.append(read)
            current = current.parent

    def store(self, name: n.Name, value: Value, node: n.Node) -> None:
        """Bind a name here."""
        kind = name.scope.outer.get(name.id)
        frame = self.frame
        if kind is not None:
            self._store_outer(name, kind, value, node)
            return
        if frame.scope is not name.scope:
            # A walrus in a comprehension binds in the function around it.
            while frame.parent is not None and frame.scope.kind == "comprehension":
                frame = frame.parent
        self._bind(frame, name.id, value, node)

    def _bind(self, frame: Frame, name: str, value: Value, node: n.Node) -> None:
        if name in frame.scope.captured or frame is self.globals:
            old = frame.names.get(name)
            if old is not None and not (isinstance(old, Const) and same(old, value)):
                frame.versions[name] = frame.versions.get(name, 0) + 1
                frame.rebound_at[name] = node
                if frame is self.globals:
                    self.globals_version += 1
                elif key_states(value) or key_states(old):
                    self.key_version += 1
        reason = getattr(value, "reason", None)
        if reason is not None and isinstance(value, (Array, Tree)):
            if not (reason.subject == name and reason.role in ("name", "parameter", "argument")):
                value = value.because(Reason("name", name, Site(node.origin), parent=reason))
        frame.names[name] = value

    def _store_outer(self, name: n.Name, kind: str, value: Value, node: n.Node) -> None:
        frame: Frame | None = self.frame
        if kind == "global":
            frame = self.globals
        else:
            frame = self.frame.parent
            while frame is not None and name.id not in frame.scope.bound:
                frame = frame.parent
        if frame is None:
            return
        if self.effect_matters([value], frame.level):
            context = self.context(node, name, value)
            self.emit(OuterRebinding(context, kind, name.id, bool(tracers(value))))
        old = frame.names.get(name.id)
        if self.frame.conditional and old is not None:
            value = join(old, value)
        self._bind(frame, name.id, value, node)

    def effect_matters(self, values: list[Value], made: Level | None) -> bool:
        """Whether storing these values in something made in ``made`` goes wrong here.

        A tracer that gets out always does. A Python value is lost at the next call
        if the trace is cached; facts of the trace itself (shapes, dtypes) are what
        authors take out on purpose, and unknown values may be such facts.
        """
        level = self.level
        if level is None or not level.effects_run_once(made):
            return False
        if any(tracers(value) for value in values):
            return True
        return level.caching and all(
            isinstance(value, Const) or (isinstance(value, Host) and value.type == "float")
            for value in values
        )

    # ----------------------------------------------------------------- events

    def emit(self, event: Event) -> None:
        """Record an event once for each place."""
        key = (event.kind, id(event.site.origin), event.guarded)
        if not self.muted and key not in self._seen:
            self._seen.add(key)
            self.events.append(event)

    def context(
        self,
        node: n.Node,
        subject: n.Node | None = None,
        value: Value | None = None,
        guarded: bool | None = None,
    ) -> Context:
        """Where something happens now: at ``node``, to ``value``, which ``subject`` gives."""
        found = tracers(value) if value is not None else []
        level = self.level
        return Context(
            Site(node.origin),
            Site(subject.origin) if subject is not None else None,
            found[0].reason if found else None,
            tuple(level.name for level in self.levels()),
            Tracing(level.name, level.function, level.site) if level is not None else None,
            self.frame.guards > 0 if guarded is None else guarded,
        )

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
        return Moment(self.level, self.frame, self.frame.loops, self.frame.conditional)

    def link(self, node: n.Node) -> Link:
        """A call at this place, as part of a chain of calls."""
        frame = self.frame
        looping = any(loop.frame is frame or loop.node is node for loop in frame.loops)
        if frame.scope.kind == "comprehension":
            looping = True
        return Link(node, looping)

    def step(self, node: n.Node) -> None:
        """Spend one step of the budget.

        Raises:
            OutOfSteps: nothing is left.
        """
        self.steps -= 1
        if self.steps < 0:
            raise OutOfSteps(node)

    def too_deep(self, code: n.Function) -> bool:
        """Whether a call of this function now would recurse or go too deep."""
        if len(self.running) >= _DEEPEST_STACK:
            return True
        same_code = [frame for frame in self.running if frame.scope is code.scope]
        return len(same_code) >= 2

    # ----------------------------------------------------------------- arrays

    def array(
        self,
        operands: list[Value],
        node: n.Node,
        name: str = "",
        rank: int | None = None,
        dtype: str | None = None,
    ) -> Array:
        """The array that a JAX operation on these operands gives here and now."""
        best: Array | Tree | None = None
        unsure = False
        for operand in operands:
            for found in tracers(operand):
                if best is None or _STRENGTH[found.concreteness] > _STRENGTH[best.concreteness]:
                    best = found
            unsure = unsure or isinstance(operand, Unknown)
            if isinstance(operand, Array) and operand.traced is None:
                unsure = True
        level = self.level
        if level is not None and level.full:
            self.operations += 1
            reason = best.reason if best is not None else self._made_here(name, node, level)
            return Array(True, rank, dtype, reason)
        if best is not None:
            if level is None and best.concreteness == "abstract" and self._outside_traces():
                self.emit(LeakedUse(self.context(node, node, best)))
                return Array(None, rank, dtype)
            return Array(True, rank, dtype, best.reason, best.concreteness)
        if unsure or not self.frame.certain:
            return Array(None, rank, dtype)
        return Array(False, rank, dtype)

    def _outside_traces(self) -> bool:
        """Whether no function around this place, or around a caller, was made in a trace."""
        for running in (self.frame, *self.running):
            frame: Frame | None = running
            while frame is not None:
                if frame.level is not None:
                    return False
                frame = frame.parent
        return True

    def _made_here(self, name: str, node: n.Node, level: Level) -> Reason:
        return Reason("result", name, Site(node.origin), level.function, level.name, level.site)


def mutable_kind(value: Value) -> str | None:
    """``list``, ``dict`` or ``set`` for a container that can be changed, else None."""
    if isinstance(value, Sequence):
        return value.kind if value.kind in ("list", "set") else None
    return "dict" if isinstance(value, Mapping) else None


_BUILTINS = frozenset(dir(builtins))
