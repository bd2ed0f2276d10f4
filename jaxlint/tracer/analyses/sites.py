"""Names that a model gives to two of its sites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from jaxlint.events import RepeatedSite, Site
from jaxlint.knowledge.sites import DRAWS_ALONE, KEEPS_NAMES, SITES
from jaxlint.program import nodes as n
from jaxlint.program.walk import is_dotted, statements, walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.names import held, qualified_name
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.state.stack import Branches
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import Function, Instance, Module
from jaxlint.tracer.values.value import Const


@dataclass(slots=True)
class _Run:
    """One run of a function, and the sites in it.

    Attributes:
        frame: of the run, kept for its id.
        named: where each name was given: by the site, or the call of a function with the site.
        draws: it has a site of its own: it is part of a model, not what runs models.
        repeated: those that have the name of another, told once that is known.
    """

    frame: Frame
    named: dict[str, tuple[n.Node, Branches]] = field(default_factory=dict)
    draws: bool = False
    repeated: list[RepeatedSite] = field(default_factory=list)


class Sites(Analysis):
    """Notes the second site of a name in one run of a function, on the way that led to the first.

    Also those of the functions that it calls, but for those under a handler that may rename them.
    """

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._runs: dict[int, _Run] = {}

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return "numpyro" in module.loaded

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name not in SITES or DRAWS_ALONE in arguments.kwargs or self.tracer.stack.muted:
            return
        given = arguments.get(0, "name")
        called = given.value if isinstance(given, Const) else None
        for depth, (frame, run, where) in enumerate(self._ways_in(node)):
            run.draws = run.draws or depth == 0
            if isinstance(called, str):
                self._name(run, called, where, node, frame)
            if run.draws:
                for event in run.repeated:
                    self.tracer.emit(event)
                run.repeated.clear()

    def on_returned(self, frame: Frame, arguments: Arguments, node: n.Node) -> bool:
        """What has sites has them again when it is called again."""
        return self._runs.pop(id(frame), None) is not None

    def _ways_in(self, site: n.Node) -> Iterator[tuple[Frame, _Run, n.Node]]:
        """The functions that run, the innermost first, and where each comes to the site.

        As far as each is called by its own name, where no handler may give sites another.
        """
        stack = self.tracer.stack
        links = [(link.frame, link.node) for link in reversed(stack.chain)]
        for frame, where in [(stack.frame, site), *links]:
            own = where is site or _is_own(self.tracer, where, frame)
            if frame.function is None or not own or not self._keeps_names(frame, where):
                return
            function = frame
            while function.parent and function.parent.function is function.function:
                function = function.parent  # A comprehension has a frame of its own.
            yield frame, self._runs.setdefault(id(function), _Run(function)), where

    def _name(self, run: _Run, name: str, where: n.Node, site: n.Node, frame: Frame) -> None:
        path = self.tracer.stack.path
        if name not in run.named:
            run.named[name] = where, path
            return
        first, before = run.named[name]
        if before != path or run.frame.function is None:
            return
        if first is not where or _is_in_loop(frame):
            context, function = self.tracer.context(site, site), run.frame.function.code.name
            again = Site(first.origin)
            run.repeated.append(RepeatedSite(context, name, function, again, first is where))

    def _keeps_names(self, frame: Frame, node: n.Node) -> bool:
        """Whether no context around a call may give a site another name."""
        for each in statements(self.body_of(frame)):
            if isinstance(each, n.With) and any(part is node for part in walk(each.body)):
                contexts = [item.context for item in each.items]
                calls = [each.function for each in contexts if isinstance(each, n.Call)]
                names = {qualified_name(self.tracer, call, frame) for call in calls}
                if len(calls) != len(contexts) or not names <= KEEPS_NAMES:
                    return False
        return True

    def on_end(self) -> None:
        self._runs.clear()


def _is_in_loop(frame: Frame) -> bool:
    """Whether what runs there is run again by a loop, which has more than one pass."""
    loop = frame.loops[-1] if frame.loops else None
    return loop is not None and loop.repeats and 1 not in (loop.count, loop.elements)


def _is_own(tracer: Tracer, call: n.Node, frame: Frame) -> bool:
    """Whether a call names a function of the program, or a method, that nothing is put around."""
    if not isinstance(call, n.Call) or not is_dotted(call.function):
        return False
    root = call.function
    while isinstance(root, n.Attribute):
        root = root.value
    assert isinstance(root, n.Name)
    value = held(tracer, root.id, frame)
    return isinstance(value, Function if root is call.function else (Instance, Module))
