"""Whether anybody reads what a call on some path gave: asked of the program's text.

Values do not say who reads them, and it matters for few: so it is asked afterwards, along the
calls that led there. What a caller asks of the result of a call is what the callee asks of the
expressions that it returns, down to the call itself.
"""

from __future__ import annotations

from jaxlint.knowledge import jax_api
from jaxlint.knowledge.libraries import METHODS_ARE_PYTREES, TEMPLATES
from jaxlint.program import nodes as n
from jaxlint.program.demand import Demand, Nature, any_of, demands
from jaxlint.program.walk import walk
from jaxlint.tracer.names import held, qualified_name
from jaxlint.tracer.state.arguments import called_as
from jaxlint.tracer.state.frames import Frame, Link
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Class, Function, Transformed

_WAITS = jax_api.WAITS_FOR.rpartition(".")[2]


class Unread:
    """Answers for one run, and remembers what each body asks of its calls.

    ``finished``: a variable that nothing reads is unread, whatever its name; ``whole``: also one of
    which only attributes are read; ``passes``: each ``for`` has something to go over.
    """

    def __init__(
        self, tracer: Tracer, finished: bool = False, whole: bool = False, passes: bool = False
    ) -> None:
        self._tracer = tracer
        self._finished = finished
        self._whole = whole
        self._passes = passes
        self._known: dict[tuple[n.Scope, Demand], dict[int, Demand]] = {}
        self._idle: set[int] = set()

    def note_idle(self, call: n.Node) -> None:
        """Nothing comes of a call besides its result, nor of all that it calls."""
        if id(call) not in self._idle:
            self._idle.add(id(call))
            self._known.clear()

    def is_unread(self, chain: tuple[Link, ...]) -> bool:
        """Whether nothing reads what the last of these calls gives."""
        return not any_of(self.asked(chain))

    def is_overwritten(self, chain: tuple[Link, ...], loop: n.Node) -> bool:
        """Whether nothing reads what the last of these calls gives in a pass that is not the last
        one of a loop around the first.
        """
        return not any_of(self.asked(chain, loop, between=True))

    def asked(
        self, chain: tuple[Link, ...], loop: n.Node | None = None, between: bool = False
    ) -> Demand:
        """What is asked of what the last of these calls gives.

        Args:
            loop: one around the first of them, whose passes alone are asked.
            between: whoever is asked what its last pass leaves is asked, too, but for that pass.
        """
        demand: Demand = True
        caller: Link | None = None
        for link in chain:
            frame = _body_around(link.frame)
            if frame is None:
                return True
            if caller is None and loop is not None:
                if between:
                    found = self._demands(self._body(frame), frame, True, between=loop)
                else:
                    found = self._demands([loop], frame, False, until_here=True)
                demand = found.get(id(link.node), True)
                caller = link
                continue
            if caller is not None:
                demand = self._returned(demand, caller, frame)
            demand = self._asked(frame, demand).get(id(link.node), True)
            if not any_of(demand) and self._is_idle(link):
                return False
            caller = link
        return demand

    def _is_idle(self, link: Link) -> bool:
        """Whether nothing comes of a call besides its result: it makes a frozen module, say."""
        if id(link.node) in self._idle or not isinstance(link.node, n.Call):
            return id(link.node) in self._idle
        function = link.node.function
        made = held(self._tracer, function.id, link.frame) if isinstance(function, n.Name) else None
        return isinstance(made, Class) and made.traits.module in METHODS_ARE_PYTREES

    def _returned(self, demand: Demand, caller: Link, frame: Frame) -> Demand:
        """What a caller asks of what a function returns, given what is asked of the call.

        Part by part where the call gives what the function returns.
        """
        code = frame.function.code if frame.function is not None else None
        if code is None or code.is_generator or code.is_async:
            return True
        return demand if gives_result_of(self._tracer, caller, frame) else any_of(demand)

    def _asked(self, frame: Frame, result: Demand) -> dict[int, Demand]:
        """What a body asks of each of its calls."""
        which = frame.scope, result
        if which not in self._known:
            self._known[which] = self._demands(self._body(frame), frame, result)
        return self._known[which]

    def _demands(
        self,
        body: list[n.Node],
        frame: Frame,
        result: Demand,
        until_here: bool = False,
        between: n.Node | None = None,
    ) -> dict[int, Demand]:
        return demands(
            body,
            frame.scope,
            result,
            lambda call: self._nature(call, frame),
            lambda call: self._template(call, frame),
            self._finished,
            self._whole,
            until_here,
            self._passes,
            between,
        )

    def _body(self, frame: Frame) -> list[n.Node]:
        """The statements of a function, or of the linted file; another module is not asked."""
        if frame.function is not None:
            return frame.function.code.body
        return self._tracer.module.body if frame is self._tracer.stack.globals else []

    def _nature(self, call: n.Call, frame: Frame) -> Nature:
        """What comes of a call besides its result."""
        if id(call) in self._idle:
            return "idle"
        name = qualified_name(self._tracer, call.function, frame)
        if name is not None:
            if name in jax_api.PURE_UPDATES or name == jax_api.WAITS_FOR:
                return "idle"
            if name in jax_api.TREE_MAPS and _waits_alone(call):
                return "idle"
            return "pure" if name.rpartition(".")[0] in jax_api.ARRAY_MODULES else "effect"
        named = called_as(call)
        if named == _WAITS:
            return "idle"  # So does what the program calls the same.
        is_method = isinstance(call.function, n.Attribute)
        return "pure" if is_method and named in jax_api.ARRAY_METHODS else "effect"

    def _template(self, call: n.Call, frame: Frame) -> n.Node | None:
        """The argument of a call that says how its result is built, and gives it no values."""
        name = qualified_name(self._tracer, call.function, frame)
        if name not in TEMPLATES:
            return None
        position, keyword = TEMPLATES[name]
        for place, argument in enumerate(call.arguments):
            if argument.star:
                return None
            if argument.keyword == keyword or (argument.keyword is None and place == position):
                return argument.value
        return None


def _waits_alone(call: n.Call) -> bool:
    """Whether all that a call does with each leaf is to wait for it, if it can be waited for."""
    function = call.arguments[0].value if call.arguments else None
    if not isinstance(function, n.Lambda):
        return False
    body = walk(function.function.body)
    asks = {called_as(each) for each in body if isinstance(each, n.Call)}
    return _WAITS in asks and asks <= {_WAITS, "hasattr"}


def _body_around(frame: Frame) -> Frame | None:
    """The frame of the function or module that an expression is part of; None: of a class."""
    while frame.scope.kind == "comprehension" and frame.parent is not None:
        frame = frame.parent
    return frame if frame.scope.kind in ("function", "module") else None


def gives_result_of(tracer: Tracer, caller: Link, frame: Frame) -> bool:
    """Whether a call gives what the function returns whose frame it has opened, as it is.

    What traces the function in between may put its results into another shape.
    """
    level = frame.level
    while level is not None and level is not caller.frame.level:
        if level.transform.callees or level.transform.result != "same":
            return False
        level = level.parent
    return level is caller.frame.level and called_directly(tracer, caller, frame)


def called_directly(tracer: Tracer, caller: Link, frame: Frame) -> bool:
    """Whether a call is of the function whose frame it has opened, wrapped or as it is."""
    called = caller.node.function if isinstance(caller.node, n.Call) else caller.node
    code = frame.function.code if frame.function is not None else None
    if code is None or not isinstance(called, n.Name):
        return code is not None and called_as(called) == code.name
    value = held(tracer, called.id, caller.frame)
    while isinstance(value, Transformed):
        value = value.function
    return isinstance(value, Function) and value.code is code
