"""What optimizers of optax are given: parameters, and the state that they gave before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from jaxlint.events import MissingParameters, StaleOptimizer
from jaxlint.knowledge.libraries import NEEDS_PARAMETERS, OPTIMIZER
from jaxlint.program import nodes as n
from jaxlint.program.demand import any_of, parts_of
from jaxlint.program.walk import assigned_names, bindings, is_dotted, statements, walk
from jaxlint.tracer.analyses.unread import Unread, called_directly
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.state.frames import Frame, Level, Link
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import External, Instance
from jaxlint.tracer.values.value import NONE

_UPDATE = "update"
_STATE, _PARAMETERS = 1, 2


@dataclass(frozen=True, slots=True)
class _Update:
    """One update: the calls that lead there, it included, its state, and what made the optimizer
    that counts on it."""

    chain: tuple[Link, ...]
    state: n.Name
    maker: str


class Optimizers(Analysis):
    """Notes updates without parameters, and those that begin from the same state each time."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._unread = Unread(tracer, finished=True)
        self._updates: list[_Update] = []

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return _UPDATE in module.loaded

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name != f"{OPTIMIZER}.{_UPDATE}" or not isinstance(node, n.Call):
            return
        method = node.function
        # Only names are looked at again: calls have had their effects.
        if not isinstance(method, n.Attribute) or not is_dotted(method.value):
            return
        optimizer = self.tracer.evaluate(method.value)
        if not isinstance(optimizer, External) or not arguments.closed:
            return
        parameters = arguments.get(_PARAMETERS, "params")
        needy = [part.maker for part in optimizer.parts if part.maker in NEEDS_PARAMETERS]
        if needy and (parameters is None or parameters is NONE):
            context = self.tracer.context(node, method)
            self.tracer.emit(MissingParameters(context, needy[0]))
        keepers = [part.maker for part in optimizer.parts if part.keeps_state]
        given = argument_nodes(node)
        state = given[_STATE] if len(given) > _STATE else keyword_node(node, "state")
        if keepers and isinstance(state, n.Name):
            stack = self.tracer.stack
            self._note(_Update((*stack.chain, stack.link(node)), state, keepers[0]))

    def _note(self, update: _Update) -> None:
        """Take up an update: report it where each pass of a loop drops the new state."""
        self._updates.append(update)
        chain, states = update.chain, self._states(update)
        again = next((place for place in states if self._is_the_same(place, chain, states)), None)
        dropped = next((place for place in states if self._is_dropped(chain[place:])), None)
        if again is None or dropped is None:
            return
        place = max(again, dropped)
        state = states[place]
        context = self.tracer.context(state, state, by=chain[:place])
        self.tracer.emit(StaleOptimizer(context, state.id, update.maker))

    def _states(self, update: _Update) -> dict[int, n.Name]:
        """The state as each caller has it, by its place among the calls, the innermost first."""
        chain, state = update.chain, update.state
        found = {len(chain) - 1: state}
        for place in range(len(chain) - 2, -1, -1):
            passed = self._passed(chain[place], chain[place + 1], state.id)
            if not isinstance(passed, n.Name):
                break
            found[place] = state = passed
        return found

    def _passed(self, caller: Link, link: Link, name: str) -> n.Node | None:
        """What a caller has passed for what a variable holds at a link; None when unclear."""
        frame = link.frame
        code = frame.function.code if frame.function is not None else None
        if code is None or not _binds_alone(link.node, name, code.body):
            return None
        if not called_directly(self.tracer, caller, frame):
            return None
        names = [parameter.name for parameter in code.parameters]
        if name not in names:
            return None
        given, place = argument_nodes(caller.node), names.index(name)
        if frame.owner is not None:
            if not isinstance(frame.names.get(names[0]), Instance):
                return None
            place -= 1
        return given[place] if place < len(given) else keyword_node(caller.node, name)

    def _is_the_same(self, place: int, chain: tuple[Link, ...], states: dict[int, n.Name]) -> bool:
        """Whether the next pass of what repeats the call at a place brings the same state."""
        link, state = chain[place], states[place]
        if _is_repeated(link.frame, chain[place - 1].level if place else None):
            return state.id not in link.frame.scope.bound
        if not link.looping:
            return False
        body = self._body(link.frame)
        loops = _loops_around(link.node, body)[-1:]
        if not loops or not _goes_around(link.node, loops[0]):
            return False
        if state.id not in assigned_names(loops):
            return True
        inner = chain[place + 1].frame.function if place + 1 in states else None
        if inner is None:
            return False
        given_back = _returned(states[place + 1].id, inner.code)
        return given_back is not None and _only_from(state.id, link.node, loops) == given_back

    def _body(self, frame: Frame) -> list[n.Node]:
        code = frame.function.code if frame.function is not None else None
        return code.body if code is not None else self.tracer.module.body

    def _is_dropped(self, chain: tuple[Link, ...]) -> bool:
        """Whether nobody among those who make these calls reads the new state of the last one."""
        return not any_of(parts_of(self._unread.asked(chain), 2)[_STATE])

    # ------------------------------------------------------------------------ memory

    def before_call(self) -> tuple[int, int]:
        return len(self._updates), len(self.tracer.stack.chain) + 1

    def after_call(self, before: tuple[int, int]) -> tuple[_Update, ...]:
        count, depth = before
        return tuple(replace(each, chain=each.chain[depth:]) for each in self._updates[count:])

    def replay(self, record: tuple[_Update, ...], level: Level | None = None) -> None:
        for each in record:
            self._note(replace(each, chain=(*self.tracer.stack.chain, *each.chain)))


def _is_repeated(frame: Frame, outside: Level | None) -> bool:
    """Whether a transform runs the function of a frame again and again."""
    level = frame.level
    return level is not None and level is not outside and level.transform.repeats


def _binds_alone(call: n.Node, name: str, body: Iterable[n.Node]) -> bool:
    """Whether nothing but what a call gives is bound to a name."""
    binders = [node for node, bound in bindings(body) if bound == name]
    return all(isinstance(each, n.Assign) and each.value is call for each in binders)


def _returned(name: str, code: n.Function) -> int | None:
    """Where in the tuple that a function returns it gives a variable back; None when unclear."""
    returns = [each for each in statements(code.body) if isinstance(each, n.Return)]
    result = returns[0].value if len(returns) == 1 else None
    return _place(name, result)


def _only_from(name: str, call: n.Node, loops: Iterable[n.Node]) -> int | None:
    """Where in the tuple that a call gives a variable comes from, if it does from there alone."""
    binders = [node for node, bound in bindings(loops) if bound == name]
    if len(binders) != 1 or not isinstance(binders[0], n.Assign) or binders[0].value is not call:
        return None
    return _place(name, binders[0].targets[0])


def _place(name: str, node: n.Node | None) -> int | None:
    elements = node.elements if isinstance(node, n.Display) else []
    found = [i for i, each in enumerate(elements) if isinstance(each, n.Name) and each.id == name]
    return found[0] if len(found) == 1 else None


def _goes_around(call: n.Node, loop: n.Node) -> bool:
    """Whether the next pass of a loop gives a call something of what it gives in this one."""
    flows = [
        (_names([node.value]), _names(_targets(node)), any(each is call for each in walk([node])))
        for node in statements([loop])
        if isinstance(node, (n.Assign, n.AnnotatedAssign, n.AugmentedAssign))
    ]
    needed: set[str] = _names([call])
    made: set[str] = set()
    for _ in flows:
        for read, bound, calls in flows:
            made |= bound if calls or read & made else set()
            needed |= read if bound & needed else set()
    return not made.isdisjoint(needed)


def _targets(node: n.Assign | n.AnnotatedAssign | n.AugmentedAssign) -> list[n.Node]:
    return node.targets if isinstance(node, n.Assign) else [node.target]


def _names(nodes: Iterable[n.Node | None]) -> set[str]:
    """The variables that stand in some expressions."""
    found = walk(node for node in nodes if node is not None)
    return {node.id for node in found if isinstance(node, n.Name)}


def _loops_around(inside: n.Node, body: Iterable[n.Node]) -> list[n.Node]:
    """The loops around a node, the innermost last."""
    return [
        statement
        for statement in statements(body)
        if isinstance(statement, (n.For, n.While))
        and any(each is inside for each in walk(statement.body))
    ]
