"""What happens again: wrappers made anew, and values that a cached trace has missed."""

from __future__ import annotations

from jaxlint.events import Again, Context, FreshTransform, Site, StaleRead, Tracing
from jaxlint.knowledge.transforms import Transform
from jaxlint.program import nodes as n
from jaxlint.program.walk import assigned_names, walk
from jaxlint.tracer.callables import wrapped
from jaxlint.tracer.frames import Frame, Loop, Moment, Read
from jaxlint.tracer.machine import Machine
from jaxlint.tracer.values import (
    Class,
    Function,
    Instance,
    Mapping,
    NumpyArray,
    Sequence,
    Transformed,
    Value,
)

_SITES_THAT_REPEAT = 3


class Repetition(Machine):
    """Notes what is made or kept at the wrong time."""

    def note_stale(self, reads: list[Read]) -> None:
        for read in reads:
            if version_of(read) != read.version:
                self.stale(read, _changed_at(read))

    def stale(self, read: Read, changed: n.Node | None) -> None:
        """Record that a cached trace keeps an old value."""
        level = read.level
        context = Context(
            read.site, read.site, tracing=Tracing(level.name, level.function, level.site)
        )
        changed_at = Site(changed.origin) if changed is not None else None
        self.emit(StaleRead(context, read.name, read.kind, changed_at))

    def note_repeated(self, function: Transformed, node: n.Node) -> None:
        """A compiled wrapper that was made anew for this call."""
        if self.level is not None or self.muted or not function.transform.caches:
            return
        loop = _innermost_shared(function.moment, self.frame)
        frame = self.frame
        if loop is None:
            self._note_made_per_call(function)
            return
        if not _made_each_time(function.moment, loop):
            return  # Made only now and then: somebody keeps it.
        amortised = frame.loops[-1] is not loop
        construct, moment = wrapped(function.function)
        fresh = moment is not None and loop in moment.loops and _made_each_time(moment, loop)
        if fresh:
            if amortised and _depends(function.function, assigned_names([loop.node])):
                return
        else:
            own = [name.id for name in walk([function.node]) if isinstance(name, n.Name)]
            if construct == "" or amortised or assigned_names([loop.node]).intersection(own):
                return
            construct = "same function"
        here = _same_function(loop.frame, function.moment.frame)
        repeated: Again = "loop" if here else "call"
        if repeated == "call" and function.moment.frame not in self.running:
            return  # A factory made it and returned.
        self.emit(
            FreshTransform(
                self.context(function.node), construct, repeated, function.name,
                _owner_name(function.moment.frame), Site(loop.node.origin), _written(function),
            )
        )  # fmt: skip

    def _note_made_per_call(self, function: Transformed) -> None:
        owner = self.frame.function
        if owner is None or owner.cached or function.moment.frame is not self.frame:
            return
        construct, moment = wrapped(function.function)
        made_here = function.moment.conditional == self.frame.entered
        if not made_here or moment is None or moment.frame is not self.frame:
            return
        event = FreshTransform(
            self.context(function.node, guarded=False), construct, "call", function.name,
            owner.code.name, argument=_written(function),
        )  # fmt: skip
        self.per_call.append((owner.code, event))

    def finish_per_call(self) -> None:
        """Report wrappers made in functions that turned out to be called from many places."""
        for code, event in self.per_call:
            if len(self.call_sites.get(id(code), ())) >= _SITES_THAT_REPEAT:
                self.emit(event)

    def note_repeated_callee(
        self, name: str, transform: Transform, function: Value, node: n.Node
    ) -> None:
        """An eager ``scan`` or ``while_loop`` whose body is made anew in a loop."""
        if self.level is not None or self.muted or not self.frame.certain or not transform.full:
            return
        construct, moment = wrapped(function)
        if moment is None or construct == "transformed function":
            return
        loop = _innermost_shared(moment, self.frame)
        if loop is None or not _made_each_time(moment, loop):
            return
        here = _same_function(loop.frame, moment.frame)
        if not here and moment.frame not in self.running:
            return
        repeated: Again = "loop" if here else "call"
        owner, at = _owner_name(moment.frame), Site(loop.node.origin)
        self.emit(FreshTransform(self.context(node), construct, repeated, name, owner, at))


def is_lasting(function: Transformed) -> bool:
    """Whether the same compiled function serves again after other code has run.

    One made by a decorator, at module level or in a constructor lasts; one of a
    module-level function is found in the cache again by that function.
    """
    maker = function.moment.frame.function
    if maker is None or maker.code.name == "__init__":
        return True
    wrapped_function = function.function
    if isinstance(wrapped_function, Function):
        return wrapped_function.moment.frame.function is None
    return False


def _depends(function: Value, names: frozenset[str]) -> bool:
    """Whether a callable is another one on each iteration, and not only a new object."""
    if isinstance(function, Function):
        free = function.code.scope.reads - function.code.scope.bound
        return bool(free & names)
    if isinstance(function, Transformed):
        return _depends(function.function, names)
    return True


def _innermost_shared(moment: Moment, frame: Frame) -> Loop | None:
    """The innermost running loop in which something was made."""
    for loop in reversed(moment.loops):
        if loop in frame.loops:
            return loop
    return None


def _made_each_time(moment: Moment, loop: Loop) -> bool:
    """Whether the making does not hang on a branch that some iterations may skip.

    A function called under a condition still makes it at each of its calls.
    """
    if _same_function(loop.frame, moment.frame):
        return moment.conditional == loop.conditional
    return moment.conditional == moment.frame.entered


def _same_function(one: Frame, other: Frame) -> bool:
    return _function_frame(one) is _function_frame(other)


def _function_frame(frame: Frame) -> Frame:
    while frame.scope.kind == "comprehension" and frame.parent is not None:
        frame = frame.parent
    return frame


def _owner_name(frame: Frame) -> str:
    return frame.function.code.name if frame.function is not None else ""


def _written(function: Transformed) -> Site | None:
    if isinstance(function.node, n.Call) and function.node.arguments:
        return Site(function.node.arguments[0].value.origin)
    return None


def version_of(read: Read) -> int:
    """How often what was read has changed by now."""
    holder = read.holder
    if isinstance(holder, (Frame, Instance, Class)):
        return holder.versions.get(read.name, 0)
    assert isinstance(holder, (Sequence, Mapping, NumpyArray))
    return holder.version


def _changed_at(read: Read) -> n.Node | None:
    if isinstance(read.holder, Frame):
        return read.holder.rebound_at.get(read.name)
    if isinstance(read.holder, (Instance, Class)):
        return read.holder.set_by.get(read.name)
    return None
