"""Wrappers made anew where one would do, and arguments that cost a trace each time."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.events import ANY_FUNCTION, Again, ChangingShape, ChangingStatic, FreshTransform, Site
from jaxlint.knowledge.transform import Transform
from jaxlint.knowledge.transforms import TRANSFORMS
from jaxlint.program import nodes as n
from jaxlint.program.walk import alike, is_dotted, walk
from jaxlint.program.ways import most_on_one_way
from jaxlint.tracer.analyses.compiled_for import (
    CHANGES,
    closed_over,
    compared,
    could_be_given,
    known_of_pass,
    same_by_identity,
    shapes_of,
    texts_given,
    varying,
)
from jaxlint.tracer.analyses.keeping import is_made_once
from jaxlint.tracer.analyses.repeating import (
    function_frame,
    goes_on,
    goes_over_few,
    goes_over_things,
    innermost_shared,
    is_another_program,
    is_for_object,
    is_made_for,
    is_told,
    is_variant,
    lies_within,
    made_each_time,
    put_away,
    same_function,
)
from jaxlint.tracer.analyses.unread import Unread
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import captured, compiled, function_under, wrapped
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame, Level, Link, Loop, Moment
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.holding import identity
from jaxlint.tracer.values.objects import BoundMethod, Function, Qualified, Transformed
from jaxlint.tracer.values.pytrees import path_to
from jaxlint.tracer.values.value import Host, Value, replace

_SITES_THAT_REPEAT = 3


@dataclass(frozen=True, slots=True, eq=False)
class _InLoop:
    """A wrapper, or an eager loop of JAX, that one pass of a loop makes for itself.

    Attributes:
        origin: where it is wrapped.
        known: what the wrapped function knows of the pass.
        shapes: of what it is given, which no argument could stand for.
    """

    event: FreshTransform
    origin: object
    loop: Loop
    number: int
    known: frozenset[object]
    shapes: frozenset[object]


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """A wrapper that a call of a function made for itself, and used.

    Attributes:
        frame: the call; another object for each.
        compiled_for: what tells its compilation from others: what the wrapped function knows of
            the call, but for data, and the shapes of what it is given.
        loop: the loop of a caller around the call; None where only its places count.
        number: of the pass of that loop: a call that is the same again is not run again.
        origin: where it is wrapped.
    """

    owner: n.Function
    event: FreshTransform
    frame: object
    compiled_for: frozenset[object]
    loop: Loop | None
    number: int
    origin: object


class Retraces(Analysis):
    """Notes what makes JAX trace again."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._made: list[_Made] = []
        self._in_loops: list[_InLoop] = []
        self._shapes: list[tuple[str, n.Node, n.For]] = []
        self._amortised: set[int] = set()
        self._unread = Unread(tracer)
        self._called: dict[int, dict[int, tuple[Link, ...]]] = {}
        self._kept: dict[int, frozenset[int]] = {}

    # --------------------------------------------------------------------- wrappers

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        """A compiled wrapper that was made anew for this call."""
        stack = self.tracer.stack
        if stack.muted or not function.transform.compiles:
            return
        if stack.level.stages if stack.level is not None else not stack.outside_traces():
            return
        self._unread.note_idle(node)
        calls = self._called.setdefault(id(function.node.origin), {})
        calls.setdefault(id(node), (*stack.chain, stack.link(node)))
        loop = innermost_shared(function.made, stack.frame)
        if is_made_once(self.tracer, function.made.frame, function.node, loop):
            return
        if loop is None:
            self._note_made_per_call(function, arguments)
        elif made_each_time(function.made, loop, function.node) and not _new_each_time(
            function, arguments, loop
        ):
            self._note_made_in_loop(function, arguments, loop)

    def _note_made_in_loop(self, function: Transformed, arguments: Arguments, loop: Loop) -> None:
        stack = self.tracer.stack
        amortised = stack.frame.loops[-1] is not loop
        construct, moment = compiled(function)
        fresh = (
            moment is not None
            and loop in moment.loops
            and made_each_time(moment, loop, function.node)
        )
        if fresh:
            pays = amortised or self._is_kept(function, loop)
            if pays and _depends(function.function, loop):
                return
            if amortised and goes_over_few(loop):
                return  # Each is called many times, with arrays of other shapes as a rule.
            made = _made_below(function) or moment
            maker = made.frame if made is not None else stack.frame
            returned = maker is not stack.frame and maker not in stack.running
            if returned and is_made_for(maker, loop) and not _stands_alone(function, maker):
                return
        else:
            own = [name.id for name in walk([function.node]) if isinstance(name, n.Name)]
            slow = construct != "" and not function.transform.by_parts
            if not slow or amortised or loop.binds.intersection(own):
                return
            construct = "same function"
        apart = is_for_object(function.function, loop) if fresh else goes_over_few(loop)
        if apart or self._may_be_left_out(function, loop):
            return
        repeated: Again = "loop" if same_function(loop.frame, function.made.frame) else "call"
        if repeated == "call" and function.made.frame not in stack.running:
            # A factory made it and returned: it may make another one each time.
            maker = function.made.frame
            if construct == "same function" or (
                is_told(maker, loop) and not could_be_given(function, maker)
            ):
                return
        event = self._fresh(function, construct, repeated, Site(loop.node.origin))
        if repeated == "call":
            self._keep(function, arguments, event, loop)
        elif not stack.frame.doubtful:
            self._keep_of_pass(function, arguments, event, loop, function.node.origin)

    def _keep_of_pass(
        self,
        function: Value,
        arguments: Arguments,
        event: FreshTransform,
        loop: Loop,
        origin: object,
    ) -> None:
        """Note what a pass of a loop makes, with what it makes it for."""
        known = frozenset(known_of_pass(function, loop))
        shapes = frozenset(shapes_of(arguments.all(), loop))
        self._in_loops.append(_InLoop(event, origin, loop, loop.number, known, shapes))

    def _is_kept(self, function: Transformed, loop: Loop) -> bool:
        """Whether the body of a loop puts away the wrapper that it makes."""
        kept = self._kept.get(id(loop.node))
        if kept is None:
            kept = self._kept[id(loop.node)] = put_away(loop.node)
        return id(function.node) in kept

    def _may_be_left_out(self, function: Transformed, loop: Loop) -> bool:
        """Whether another module makes it, in a branch that the file's loop may not take."""
        maker = function_frame(function.made.frame)
        return self.tracer.is_elsewhere(function.node.origin) and maker.entered != loop.conditional

    def _keep(
        self,
        function: Transformed,
        arguments: Arguments,
        event: FreshTransform,
        loop: Loop | None,
    ) -> None:
        frame = function_frame(function.made.frame)
        if frame.function is not None:
            self._keep_of_call(function, arguments, event, frame, loop, function.node.origin)

    def _keep_of_call(
        self,
        function: Value,
        arguments: Arguments,
        event: FreshTransform,
        frame: Frame,
        loop: Loop | None,
        origin: object,
    ) -> None:
        """Note what a call of a function makes, with what it makes it for."""
        if frame.function is None:
            return
        known = frozenset((
            *closed_over(function, frame, loop),
            *shapes_of(arguments.all(), loop),
            *texts_given(frame, loop),
        ))  # fmt: skip
        number = loop.number if loop is not None else 0
        self._made.append(_Made(frame.function.code, event, frame, known, loop, number, origin))

    def _fresh(
        self, function: Transformed, construct: str, repeated: Again, at: Site | None
    ) -> FreshTransform:
        made_in = function_frame(function.made.frame)
        return FreshTransform(
            self.tracer.context(function.node, by=made_in.chain), construct, repeated,
            function.name, _owner_name(made_in), at, _argument(function),
        )  # fmt: skip

    def _note_made_per_call(self, function: Transformed, arguments: Arguments) -> None:
        frame = self.tracer.stack.frame
        owner = frame.function
        if owner is None or owner.cached or function.made.frame is not frame:
            return
        construct, moment = compiled(function)
        made_here = function.made.conditional == frame.entered
        if made_here and moment is not None and moment.frame is frame:
            if frame.loops and not frame.loops[-1].few:
                # What one call of the owner compiles serves all iterations.
                self._amortised.add(id(function.node.origin))
            event = self._fresh(function, construct, "call", None)
            self._keep(function, arguments, event, None)

    def on_callee(self, name: str, function: Value, arguments: Arguments, node: n.Node) -> None:
        """An eager ``scan`` or ``while_loop`` whose body is made anew in a loop."""
        stack = self.tracer.stack
        row = TRANSFORMS.get(name)
        if stack.level is not None or stack.muted or not stack.frame.certain:
            return
        if stack.frame.doubtful or (row is not None and (row.traces_anew or not row.computes)):
            return  # Or nothing is compiled: it is traced for its shapes.
        construct, moment = self._compiled_by(row, function)
        if moment is None or construct == "transformed function":
            return
        loop, body = innermost_shared(moment, stack.frame), function_under(function)
        if loop is None or not made_each_time(moment, loop):
            return
        if construct == ANY_FUNCTION:
            if goes_over_few(loop):
                return
        elif body is not None and is_made_once(self.tracer, moment.frame, body.code, loop):
            return
        here = same_function(loop.frame, moment.frame)
        event = FreshTransform(
            self.tracer.context(node), construct, "loop" if here else "call", name,
            _owner_name(moment.frame), Site(loop.node.origin),
        )  # fmt: skip
        if here:
            self._keep_of_pass(function, arguments, event, loop, node.origin)
        elif moment.frame in stack.running:
            self._keep_of_call(function, arguments, event, moment.frame, loop, node.origin)

    def _compiled_by(self, row: Transform | None, function: Value) -> tuple[str, Moment | None]:
        """What an eager transform compiles, and when that was made: as of the function, if its."""
        if row is not None and row.wraps_anew:
            return ANY_FUNCTION, self.tracer.stack.moment()
        if isinstance(function, Transformed) and function.transform.compiles:
            return compiled(function)
        return wrapped(function)

    def before_call(self) -> int:
        return len(self._made)

    def after_call(self, before: int) -> list[_Made]:
        return self._made[before:]

    def replay(self, record: list[_Made], level: Level | None = None) -> None:
        calls: dict[int, object] = {}
        for made in record:
            call = calls.setdefault(id(made.frame), object())
            self._made.append(replace(made, frame=call))

    def on_end(self) -> None:
        """Wrappers of loops, or functions that are called again, that could have been made once."""
        passes: dict[tuple[object, object], list[_InLoop]] = {}
        for each in self._in_loops:
            passes.setdefault((each.event.site.origin, each.loop.node), []).append(each)
        for same in passes.values():
            repeats = any(each.loop.repeats for each in same)
            if (
                repeats
                and not _is_another_at_each_pass(same)
                and not self._is_warmed_up(same[0].origin)
            ):
                self.tracer.emit(same[0].event)
        alike: dict[tuple[object, object], list[_Made]] = {}
        for made in self._made:
            loop = made.loop.node if made.loop is not None else None
            alike.setdefault((made.event.site.origin, loop), []).append(made)
        for group in alike.values():
            if self._repeats(group[0]) and not _compiles_anyway(group):
                if not self._is_warmed_up(group[0].origin):
                    self.tracer.emit(group[0].event)

    def _is_warmed_up(self, made_at: object) -> bool:
        """Whether a wrapper is called to make it compile, before the calls that count.

        Who does that knows what it costs, and keeps it out of what is measured.
        """
        called = self._called.get(id(made_at), {})
        return len(called) > 1 and any(map(self._unread.is_unread, called.values()))

    def _repeats(self, made: _Made) -> bool:
        if made.loop is not None:
            return made.loop.repeats
        if id(made.origin) in self._amortised:
            return False
        sites = self.tracer.runs.sites.get(id(made.owner), set())
        return len(sites) >= _SITES_THAT_REPEAT and self._on_one_way(sites) >= _SITES_THAT_REPEAT

    def _on_one_way(self, sites: set[int]) -> int:
        """How many of some calls one run of the program comes by, each of them once."""
        body = self.tracer.module.body
        here = sites.intersection(map(id, walk(body)))
        return len(sites - here) + most_on_one_way(body, here)

    # -------------------------------------------------------------------- arguments

    def _what_changes(self, value: Value, loop: Loop) -> Value:
        """What in a tuple, pytree or dataclass changes at each iteration: a number, a function.

        The whole, if nothing does.
        """
        parts = compared(value)
        if parts is None:
            return value
        for each in (self._what_changes(inner, loop) for inner in parts):
            if (isinstance(each, Host) and each.varies) or self._made_anew(each, loop):
                return each
        return value

    def _made_anew(self, value: Value, loop: Loop) -> n.Node | None:
        """The loop, if a function or object is another one at its every iteration."""
        made = getattr(value, "made", None)
        if made is None or not same_by_identity(value) or loop not in made.loops:
            return None
        return loop.node if made_each_time(made, loop) else None

    def on_argument(
        self, value: Value, static: bool, where: n.Node, function: str, name: str
    ) -> None:
        """An argument of a compiled function that costs a trace at each iteration."""
        stack = self.tracer.stack
        loop = goes_on(stack.frame)
        if stack.level is not None or loop is None:
            return
        varies: object = None
        whole = value
        if static:
            value = self._what_changes(value, loop)
            varies = value.varies if isinstance(value, Host) else self._made_anew(value, loop)
        else:
            varies = varying(value)
        if varies is loop.node:
            context, at = self.tracer.context(where, where), Site(loop.node.origin)
            if static:
                fresh = not isinstance(value, Host)
                variant = is_variant(where, loop) or is_another_program(value, loop)
                if not (fresh and variant):
                    inside = path_to(whole, lambda leaf: leaf is value) or ""
                    context = self.tracer.context(where, self._written(whole, where))
                    self.tracer.emit(ChangingStatic(context, function, name, at, fresh, inside))
            elif not self._has_seen(function, where, loop.node):
                self.tracer.emit(ChangingShape(context, function, name, at))

    def _written(self, value: Value, where: n.Node) -> n.Node:
        """The expression of a static argument: of the object whose method is called, that one."""
        function = where.function if isinstance(where, n.Call) else where
        owner = function.value if isinstance(function, n.Attribute) else function
        called = is_dotted(owner) and self.tracer.evaluate(owner) is value
        return owner if owner is not where and called else where

    def _has_seen(self, function: str, where: n.Node, loop: n.Node) -> bool:
        """Whether a loop that is written alike has made JAX compile for these shapes before."""
        if not isinstance(loop, n.For):
            return False
        for seen, argument, before in self._shapes:
            if seen == function and before is not loop and alike(argument, where):
                if alike(before.iterable, loop.iterable) and alike(before.target, loop.target):
                    return True
        self._shapes.append((function, where, loop))
        return False


def _made_below(function: Transformed) -> Moment | None:
    """When what all the wrappers are around was made."""
    inner: Value = function
    while isinstance(inner, Transformed):
        inner = inner.function
    return wrapped(inner)[1]


def _stands_alone(function: Value, maker: Frame) -> bool:
    """Whether a function knows nothing of the call that made it: all of them are alike."""
    while isinstance(function, Transformed):
        function = function.function
    return isinstance(function, Function) and all(
        not lies_within(holder, maker) for _, holder in captured(function)
    )


def _is_another_at_each_pass(passes: list[_InLoop]) -> bool:
    """Whether each pass of a loop compiles something of its own, as :func:`_compiles_anyway`.

    What a function knows of what a loop counts could be an argument, but no shape could.
    """
    loop = passes[0].loop
    if any(CHANGES in each.known | each.shapes for each in passes):
        return True
    if not loop.precise:
        return False
    things = goes_over_things(loop)
    told = {each.number: (each.known if things else None, each.shapes) for each in passes}
    return len(told) > 1 and len(set(told.values())) == len(told)


def _compiles_anyway(group: list[_Made]) -> bool:
    """Whether each call compiles something of its own: nothing of it would be kept."""
    calls = {(id(made.frame), made.number): made for made in group}
    if any(CHANGES in made.compiled_for for made in calls.values()):
        return True
    loop = group[0].loop
    if loop is not None and not loop.precise:
        return False
    return len({made.compiled_for for made in calls.values()}) == len(calls)


def _new_each_time(function: Transformed, arguments: Arguments, loop: Loop) -> bool:
    """Whether each iteration compiles anyway: for other options, or arrays of other shapes."""
    if any(varying(value) is loop.node for value in arguments.all()):
        return True
    changing, node = loop.binds, function.node
    options = node.arguments[1:] if isinstance(node, n.Call) else []
    given = walk([argument.value for argument in options])
    return any(isinstance(name, n.Name) and name.id in changing for name in given)


def _depends(function: Value, loop: Loop) -> bool:
    """Whether a callable is another one on each iteration, and not only a new object."""
    if isinstance(function, Function):
        code = function.code
        defaults = [each.default for each in code.parameters if each.default is not None]
        read = {part.id for part in walk(defaults) if isinstance(part, n.Name)}
        return bool((read | (code.scope.reads - code.scope.bound)) & loop.binds)
    if isinstance(function, Transformed):
        return _depends(function.function, loop)
    if isinstance(function, Qualified) and function.made is not None:
        return same_function(function.made.frame, loop.frame)
    if isinstance(function, BoundMethod):
        names = loop.frame.names.items()
        kept = (value for name, value in names if name not in loop.binds)
        return all(identity(value) != identity(function.receiver) for value in kept)
    return True


def _owner_name(frame: Frame) -> str:
    return frame.function.code.name if frame.function is not None else ""


def _argument(function: Transformed) -> Site | None:
    """The expression that is wrapped."""
    if isinstance(function.node, n.Call) and function.node.arguments:
        return Site(function.node.arguments[0].value.origin)
    return None
