"""Wrappers made anew where one would do, and arguments that cost a trace each time."""

from __future__ import annotations

from jaxlint.events import Again, ChangingShape, ChangingStatic, FreshTransform, Site
from jaxlint.program import nodes as n
from jaxlint.program.walk import assigned_names, walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import wrapped
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame, Loop, Moment
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import Function, Instance, Partial, Transformed
from jaxlint.tracer.values.value import Host, Unknown, Value

_SITES_THAT_REPEAT = 3


class Retraces(Analysis):
    """Notes what makes JAX trace again."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._per_call: list[tuple[n.Function, FreshTransform]] = []

    # --------------------------------------------------------------------- wrappers

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        """A compiled wrapper that was made anew for this call."""
        stack = self.tracer.stack
        if stack.muted or not function.transform.compiles:
            return
        if stack.level is not None and stack.level.stages:
            return
        loop = _innermost_shared(function.made, stack.frame)
        if loop is None:
            self._note_made_per_call(function)
        elif _made_each_time(function.made, loop):
            self._note_made_in_loop(function, loop)

    def _note_made_in_loop(self, function: Transformed, loop: Loop) -> None:
        stack = self.tracer.stack
        amortised = stack.frame.loops[-1] is not loop
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
        repeated: Again = "loop" if _same_function(loop.frame, function.made.frame) else "call"
        if repeated == "call" and function.made.frame not in stack.running:
            # A factory made it and returned: it may make another one each time.
            if construct == "same function" or _is_told(function.made.frame, loop):
                return
        event = self._fresh(function, construct, repeated, Site(loop.node.origin))
        self.tracer.emit(event)

    def _fresh(
        self, function: Transformed, construct: str, repeated: Again, at: Site | None
    ) -> FreshTransform:
        return FreshTransform(
            self.tracer.context(function.node), construct, repeated, function.name,
            _owner_name(function.made.frame), at, _argument(function),
        )  # fmt: skip

    def _note_made_per_call(self, function: Transformed) -> None:
        frame = self.tracer.stack.frame
        owner = frame.function
        if owner is None or owner.cached or function.made.frame is not frame:
            return
        construct, moment = wrapped(function.function)
        made_here = function.made.conditional == frame.entered
        if made_here and moment is not None and moment.frame is frame:
            self._per_call.append((owner.code, self._fresh(function, construct, "call", None)))

    def on_callee(self, name: str, function: Value, node: n.Node) -> None:
        """An eager ``scan`` or ``while_loop`` whose body is made anew in a loop."""
        stack = self.tracer.stack
        if stack.level is not None or stack.muted or not stack.frame.certain:
            return
        construct, moment = wrapped(function)
        if moment is None or construct == "transformed function":
            return
        loop = _innermost_shared(moment, stack.frame)
        if loop is None or not _made_each_time(moment, loop):
            return
        here = _same_function(loop.frame, moment.frame)
        if here or moment.frame in stack.running:
            self.tracer.emit(
                FreshTransform(
                    self.tracer.context(node), construct, "loop" if here else "call", name,
                    _owner_name(moment.frame), Site(loop.node.origin),
                )
            )  # fmt: skip

    def on_end(self) -> None:
        """Wrappers made in functions that turned out to be called from many places."""
        for code, event in self._per_call:
            if len(self.tracer.runs.sites.get(id(code), ())) >= _SITES_THAT_REPEAT:
                self.tracer.emit(event)

    # -------------------------------------------------------------------- arguments

    def _made_anew(self, value: Value) -> n.Node | None:
        """The loop at whose every iteration a function or object is another one."""
        loop = self.tracer.stack.frame.loops[-1]
        made = getattr(value, "made", None)
        if made is None or not _same_by_identity(value) or loop not in made.loops:
            return None
        return loop.node if _made_each_time(made, loop) else None

    def on_argument(
        self, value: Value, static: bool, where: n.Node, function: str, name: str
    ) -> None:
        """An argument of a compiled function that costs a trace at each iteration."""
        stack = self.tracer.stack
        if stack.level is not None or not stack.frame.loops:
            return
        loop = stack.frame.loops[-1].node
        varies: object = None
        if static:
            varies = value.varies if isinstance(value, Host) else self._made_anew(value)
        elif isinstance(value, (Array, NumpyArray, Unknown)):
            varies = value.varies
        elif isinstance(value, Sequence):
            varies = value.contents.varies
        if varies is loop:
            context, at = self.tracer.context(where, where), Site(loop.origin)
            if static:
                fresh = not isinstance(value, Host)
                self.tracer.emit(ChangingStatic(context, function, name, at, fresh))
            else:
                self.tracer.emit(ChangingShape(context, function, name, at))


def _same_by_identity(value: Value) -> bool:
    """Whether a value equals no other: two of them are two entries of the cache."""
    if isinstance(value, Instance):
        cls = value.cls
        own = cls.traits.library or cls.traits.plain_dataclass or cls.traits.pytree
        return not own and cls.find("__eq__") is None and cls.find("__hash__") is None
    return isinstance(value, (Function, Partial))


def _is_told(maker: Frame, loop: Loop) -> bool:
    """Whether the call of a factory depends on what changes in a loop."""
    call = maker.called_at
    if not isinstance(call, n.Call):
        return True
    given = [argument.value for argument in call.arguments]
    names = {name.id for name in walk([call.function, *given]) if isinstance(name, n.Name)}
    return bool(names & assigned_names([loop.node]))


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


def _argument(function: Transformed) -> Site | None:
    """The expression that is wrapped."""
    if isinstance(function.node, n.Call) and function.node.arguments:
        return Site(function.node.arguments[0].value.origin)
    return None
