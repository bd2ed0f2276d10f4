"""Names that a model gives to two of its sites."""

from __future__ import annotations

from jaxlint.events import RepeatedSite, Site
from jaxlint.knowledge.sites import DRAWS_ALONE, KEEPS_NAMES, SITES
from jaxlint.program import nodes as n
from jaxlint.program.walk import statements, walk
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.state.stack import Branches
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.value import Const


class Sites(Analysis):
    """Notes the second site of a name in one run of a function, on the way that led to the first.

    What other functions draw may be under a handler that renames it.
    """

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._named: dict[tuple[int, str], tuple[Frame, n.Node, Branches]] = {}

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return "numpyro" in module.loaded

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        stack = self.tracer.stack
        if name not in SITES or DRAWS_ALONE in arguments.kwargs or stack.frame.function is None:
            return
        given = arguments.get(0, "name")
        called = given.value if isinstance(given, Const) else None
        if not isinstance(called, str) or not self._keeps_names(node):
            return
        frame, now = stack.frame, (stack.frame, node, stack.path)
        of, first, path = self._named.setdefault((id(frame), called), now)
        if of is frame and first is not node and path == stack.path:
            function = stack.frame.function.code.name
            context = self.tracer.context(node, node)
            self.tracer.emit(RepeatedSite(context, called, function, Site(first.origin)))

    def _keeps_names(self, node: n.Node) -> bool:
        """Whether no context around a call may give it another name."""
        frame = self.tracer.stack.frame
        for each in statements(self.body_of(frame)):
            if isinstance(each, n.With) and any(part is node for part in walk(each.body)):
                contexts = [item.context for item in each.items]
                calls = [each.function for each in contexts if isinstance(each, n.Call)]
                names = {qualified_name(self.tracer, call, frame) for call in calls}
                if len(calls) != len(contexts) or not names <= KEEPS_NAMES:
                    return False
        return True
