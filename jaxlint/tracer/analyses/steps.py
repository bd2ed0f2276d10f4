"""Steps whose new state is lost: they return the old one, or the loop around them passes that."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxlint.events import LostStatistics, Site
from jaxlint.program import nodes as n
from jaxlint.program.loops import goes_around, loops_around
from jaxlint.program.walk import bindings, own_statements, statements, walk
from jaxlint.tracer.analyses.discards import changed_copy
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.value import Value

_STATE = re.compile(r"(?:^|_)(?:state|stats)(?:_|$)", re.IGNORECASE)
"""What the name of a parameter says that goes from one step to the next."""

_ANEW = ("new_{}", "next_{}", "updated_{}", "{}_new", "{}_next", "{}_updated")
_NEW = ("{}", *_ANEW)
"""How the next one is called."""


class Steps(Analysis):
    """Notes what a step binds anew and returns, where its caller keeps the rest alone."""

    def on_applied(
        self, function: Transformed, arguments: Arguments, result: Value, node: n.Node
    ) -> None:
        stack = self.tracer.stack
        if stack.level is not None or stack.muted or not isinstance(node, n.Call):
            return
        found = function_under(function)
        if found is None or not function.transform.compiles or not stack.link(node).looping:
            return
        states = _returned_parameters(found.code)
        loops = loops_around(node, self.body_of(self.tracer.stack.frame)) if states else []
        binder = _binder(node, loops[-1]) if loops else None
        if binder is None:
            return
        trains = goes_around(node, loops[-1])
        for name, place in states:
            passed = _passed(node, found.code, name)
            thrown = _target(binder, place, len(_elements(found.code)))
            if passed is None or thrown is None or not self._is_thrown(thrown, passed, trains):
                continue
            if all(bound != passed.id for _, bound in bindings([loops[-1]])):
                context = self.tracer.context(node, passed)
                site = Site(found.code.origin)
                step = found.code.name
                self.tracer.emit(LostStatistics(context, name, step, site, passed=passed.id))

    def _is_thrown(self, target: n.Name, passed: n.Name, trains: bool) -> bool:
        """Whether nobody reads what a loop binds, which is to be what it passes at the next pass.

        Its name says so, or something else goes from pass to pass: it measures nothing.
        """
        if target.id.startswith("_"):
            return trains
        scope = self.tracer.stack.frame.scope
        unread = target.id not in scope.reads | scope.inner_reads
        return unread and target.id in (how.format(passed.id) for how in _ANEW)

    def on_end(self) -> None:
        """Functions that return what they were given, and leave the new one unread."""
        for function in self.tracer.module.functions:
            if function.is_lambda or function.is_generator:
                continue
            for place, name, unread in _left_behind(function):
                context = self.tracer.context(place, place)
                site = Site(function.origin)
                self.tracer.emit(LostStatistics(context, name, function.name, site, unread=unread))


def _left_behind(code: n.Function) -> Iterator[tuple[n.Name, str, str]]:
    """Each parameter that a function returns as it was, where, and the new one that nobody reads.

    One statement binds that to what a call gives; a copy that is made there alone is an update
    that nobody reads, of which another analysis speaks.
    """
    returns = [each for each in own_statements(code.body) if isinstance(each, n.Return)]
    value = returns[0].value if len(returns) == 1 else None
    given = value.elements if isinstance(value, n.Display) else [value]
    parameters = {parameter.name for parameter in code.parameters}
    handed = [each for each in given if isinstance(each, n.Name) and each.id in parameters]
    bound: dict[str, list[n.Node | None]] = {}
    for node, name in bindings(code.body) if handed else ():
        bound.setdefault(name, []).append(_value(node))
    read = code.scope.reads | code.scope.inner_reads
    for each in handed:
        if each.id in bound:
            continue
        for how in _ANEW:
            new = how.format(each.id)
            made = bound.get(new, [])
            if new in read or len(made) != 1 or not isinstance(made[0], n.Call):
                continue
            if not changed_copy(made[0], each.id):
                yield each, each.id, new


def _value(binder: n.Node) -> n.Node | None:
    """What a statement binds; None where that is not in its text."""
    return binder.value if isinstance(binder, n.Assign) else None


def _elements(code: n.Function) -> list[n.Node]:
    """The elements of the tuple that a function returns, by one statement at its end."""
    returns = [each for each in own_statements(code.body) if isinstance(each, n.Return)]
    value = returns[0].value if len(returns) == 1 else None
    return value.elements if isinstance(value, n.Display) else []


def _returned_parameters(code: n.Function) -> list[tuple[str, int]]:
    """The states that a function is given, computes anew and returns, and where in its tuple.

    What else it returns under the name of a parameter may be a result.
    """
    anew = {name for _, name in bindings(code.body)}
    states = [
        each.name
        for each in code.parameters
        if _STATE.search(each.name) and not _is_of_optimizer(each.name, code)
    ]
    new = {how.format(state): state for state in states for how in _NEW}
    return [
        (new[each.id], place)
        for place, each in enumerate(_elements(code))
        if isinstance(each, n.Name) and each.id in anew and each.id in new
    ]


def _is_of_optimizer(name: str, code: n.Function) -> bool:
    """Whether a function gives a state to ``update``, of which another analysis speaks."""
    for each in walk(code.body):
        method = each.function if isinstance(each, n.Call) else None
        if isinstance(method, n.Attribute) and method.attr == "update":
            if any(isinstance(x, n.Name) and x.id == name for x in argument_nodes(each)):
                return True
    return False


def _passed(call: n.Call, code: n.Function, name: str) -> n.Name | None:
    """The variable that a call passes for a parameter by its position."""
    given = argument_nodes(call)
    place = [each.name for each in code.parameters].index(name)
    found = given[place] if place < len(given) else None
    return found if isinstance(found, n.Name) else None


def _binder(call: n.Call, loop: n.Node) -> n.Assign | None:
    """The statement that takes what a call gives apart."""
    for each in statements([loop]):
        if isinstance(each, n.Assign) and each.value is call and len(each.targets) == 1:
            return each
    return None


def _target(binder: n.Assign, place: int, count: int) -> n.Name | None:
    """What gets an element of the tuple."""
    target = binder.targets[0]
    elements = target.elements if isinstance(target, n.Display) else []
    found = elements[place] if len(elements) == count else None
    return found if isinstance(found, n.Name) else None
