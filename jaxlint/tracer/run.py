"""Runs a whole file: the module, then what nobody in it calls, then what nobody traces."""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType

from jaxlint.events import Event, Site
from jaxlint.knowledge import harnesses
from jaxlint.program import nodes as n
from jaxlint.program.walk import walk
from jaxlint.tracer import harness
from jaxlint.tracer.analyses import ALL
from jaxlint.tracer.callables import function_under, takes_receiver
from jaxlint.tracer.calls import CALLS
from jaxlint.tracer.language.classes import some_instance
from jaxlint.tracer.language.comprehensions import comprehension
from jaxlint.tracer.language.expressions import EXPRESSIONS
from jaxlint.tracer.language.statements import STATEMENTS
from jaxlint.tracer.operations.attributes import ATTRIBUTES
from jaxlint.tracer.state.arguments import ANYTHING
from jaxlint.tracer.tracer import OutOfSteps, Settings, Tables, Tracer
from jaxlint.tracer.transforms.axes_checks import fits_no_call
from jaxlint.tracer.transforms.unseen import heirs_here, is_called, trace_unseen
from jaxlint.tracer.values.objects import (
    BoundMethod,
    Class,
    Descriptor,
    Function,
    Partial,
    Qualified,
    Transformed,
)
from jaxlint.tracer.values.value import NONE, Value

TABLES = Tables({**EXPRESSIONS, n.Comprehension: comprehension}, STATEMENTS, CALLS, ATTRIBUTES, ALL)

_METHODS = (Function, Descriptor, Transformed)

NOTHING_SAID = Settings(MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Traced:
    """What the abstract tracer found.

    ``gave_up_at`` is where the step budget ran out, or code is nested too deeply: the rest is
    unknown. None: there is no such place.
    """

    events: list[Event]
    gave_up_at: Site | None = None


def trace(module: n.Module, settings: Settings = NOTHING_SAID, tables: Tables = TABLES) -> Traced:
    """Run a lowered file on abstract values, with what the user says."""
    return follow(Tracer(module, tables, settings))


def follow(tracer: Tracer) -> Traced:
    """Run everything, and let go of it."""
    end: Site | None = None
    try:
        tracer.execute(tracer.module.body)
        _run_uncalled(tracer)
        _trace_uncalled(tracer)
    except OutOfSteps as error:
        end = error.context.reached or error.context.site
        if tracer.is_elsewhere(end.origin):
            end = Site(tracer.module.body[0].origin)
    if end is None and tracer.left_out is not None:
        end = Site(tracer.left_out.origin)
    tracer.stack.settle()
    tracer.analyses.on_end()
    events = tracer.record.events
    tracer.let_go()
    return Traced(events, end)


def _run_uncalled(tracer: Tracer) -> None:
    """Run functions that nothing has called yet, entry points first.

    Who calls them, and whether under a trace, is unknown: so are their
    parameters, and so is whether their arrays are tracers.
    """
    tracer.stack.globals.certain = False
    loaded = tracer.module.loaded
    entry_points = sorted(
        tracer.module.functions,
        key=lambda code: code.name == "__init__" or code.name not in loaded,
        reverse=True,
    )
    receivers: dict[int, Value] = {}
    awaiting = {id(_code(made)) for made in tracer.made}
    known = len(tracer.made)
    # Twice: running them defines the functions nested in them.
    lambdas = tracer.module.lambdas
    first = [code for code in entry_points if not harness.helps_tests(tracer, code)]
    for code in (*first, *lambdas, *entry_points, *lambdas):
        spoken_for = id(code) in tracer.runs.all or id(code) in awaiting
        if not spoken_for and id(code) not in _replaced(tracer):
            function = tracer.functions.get(id(code))
            if function is not None:
                _run_with_unknowns(tracer, function, function.owner, receivers)
            awaiting |= {id(_code(made)) for made in tracer.made[known:]}
            known = len(tracer.made)
    for cls in tracer.classes:
        if not tracer.is_elsewhere(cls.definition.origin):
            for function in _inherited(tracer, cls):
                arguments = ANYTHING.prepend(_receiver(tracer, cls, receivers))
                _settle(tracer)
                tracer.call(function, arguments, function.code)
            for function in _inherited_tests(cls):
                with harness.on_share(tracer) as some_left:
                    if some_left:
                        _run_with_unknowns(tracer, function, cls, receivers)


def _replaced(tracer: Tracer) -> set[int]:
    """Functions that were called and did not run: rules ran instead; and what they alone name."""
    found = set(tracer.runs.replaced)
    functions = tracer.module.functions if found else []
    named = Counter(_names(tracer.module.body).values()) if found else Counter()
    before = -1
    while before < len(found):
        before = len(found)
        bodies = [code.body for code in functions if id(code) in found]
        inside = Counter(ChainMap(*map(_names, bodies)).values())
        found.update(id(code) for code in functions if named[code.name] == inside[code.name] > 0)
    return found


def _names(body: Iterable[n.Node]) -> dict[int, str]:
    """The names that code uses, by place, but for those that it gives to functions."""
    nodes = list(walk(body))
    given = {id(node.target) for node in nodes if isinstance(node, n.FunctionDefinition)}
    return {id(x): x.id for x in nodes if isinstance(x, n.Name) and id(x) not in given}


def _inherited(tracer: Tracer, cls: Class) -> Iterator[Function]:
    """Methods from other modules that hand on what a class overrides: ``vmap(self.reward)``.

    Or what uses what it overrides. What they call of it on the host runs anyway.
    """
    own = {name for name, value in cls.attributes.items() if isinstance(value, _METHODS)}
    for name, function in _of_bases(cls).items():
        if isinstance(function, Function) and tracer.is_elsewhere(function.code.origin):
            if cls.find(name) is function and own & _reached(cls, _handed_on(cls, function.code)):
                yield function


def _inherited_tests(cls: Class) -> Iterator[Function]:
    """Tests that a class inherits, and that ask for what it has of its own."""
    own = set(cls.attributes) if harness.collects(cls) else set()
    prepares = not own.isdisjoint(harnesses.SETS_UP)
    for name, function in _of_bases(cls).items() if own else ():
        if name.startswith(harnesses.TEST) and isinstance(function, Function):
            asked = {parameter.name for parameter in function.code.parameters}
            asked |= _reached(cls, [node.attr for node in _of_receiver(function.code)])
            if cls.find(name) is function and (prepares or own & asked):
                yield function


def _of_bases(cls: Class) -> dict[str, Value]:
    """What a class may inherit."""
    found: dict[str, Value] = {}
    for base in cls.above:
        for name, value in base.attributes.items():
            found.setdefault(name, value)
    return found


def _reached(cls: Class, names: list[str]) -> set[str]:
    """Attributes of an object: these, what its methods of that name use, and so on."""
    found: set[str] = set()
    waiting = [*names]
    while waiting:
        name = waiting.pop()
        function = function_under(cls.find(name) or NONE) if name not in found else None
        found.add(name)
        if function is not None:
            waiting += {node.attr for node in _of_receiver(function.code)}
    return found


def _handed_on(cls: Class, code: n.Function) -> list[str]:
    """Methods of its own object that a method does something else with than call them."""
    called = {id(node.function) for node in walk(code.body) if isinstance(node, n.Call)}
    names = [node.attr for node in _of_receiver(code) if id(node) not in called]
    return [name for name in names if isinstance(cls.find(name), (Function, Transformed))]


def _of_receiver(code: n.Function) -> Iterator[n.Attribute]:
    """Where a method names an attribute of its own object."""
    receiver = code.parameters[0].name if code.parameters else None
    for node in walk(code.body):
        if isinstance(node, n.Attribute) and isinstance(node.value, n.Name):
            if node.value.id == receiver:
                yield node


def _run_with_unknowns(
    tracer: Tracer, function: Function, cls: Class | None, receivers: dict[int, Value]
) -> None:
    """Run a function; ``cls``: whose object calls it, if it is a method.

    Where the function is in another module, it is the class that makes it run.
    """
    if harness.is_skipped(tracer, function):
        return
    here = not tracer.is_elsewhere(function.code.origin)
    node = function.code if here or cls is None else cls.definition.target
    for row in harness.ways(tracer, function, cls):
        receiver: Value | None = None
        if cls is not None and takes_receiver(function):
            kept = {} if harness.needs_own_object(tracer, function, cls) else receivers
            receiver = harness.as_made(_receiver(tracer, cls, kept), function)
        _settle(tracer)
        tracer.call(function, harness.arguments(tracer, function, row, receiver), node)
        harness.put_back(tracer)


def _receiver(tracer: Tracer, cls: Class, receivers: dict[int, Value]) -> Value:
    if id(cls) not in receivers:
        _settle(tracer)
        receivers[id(cls)] = some_instance(tracer, cls)
    return receivers[id(cls)]


def _settle(tracer: Tracer) -> None:
    tracer.stack.settle()
    tracer.facts.clear()
    tracer.analyses.on_settle()


def _trace_uncalled(tracer: Tracer) -> None:
    """Trace the transformed functions that nobody in view calls.

    One that is part of another is traced with it. A method that is inherited comes first, whenever
    its class was made: it calls what is made here.
    """
    position = 0
    while position < len(tracer.made):
        under = {id(inner) for made in tracer.made for inner in _wrapped_by(made)}
        added = tracer.made[position:]
        position += len(added)
        for transformed in sorted(
            added, key=lambda made: not tracer.is_elsewhere(made.node.origin)
        ):
            if _is_elsewhere(tracer, transformed):
                continue
            traced = _code(transformed) is not None or _hands_on(transformed)
            traced = traced and not fits_no_call(transformed) and not _is_forgotten(transformed)
            if traced and id(transformed) not in under and not is_called(tracer, transformed):
                _settle(tracer)
                trace_unseen(tracer, transformed)


def _is_elsewhere(tracer: Tracer, transformed: Transformed) -> bool:
    """Whether it is made by another module, of functions that the file has no part in."""
    code = _code(transformed)
    made_here = not tracer.is_elsewhere(transformed.node.origin)
    if made_here or (code is not None and not tracer.is_elsewhere(code.origin)):
        return False
    return not heirs_here(tracer, transformed)


def _is_forgotten(transformed: Transformed) -> bool:
    """Whether it is a local function, decorated by nothing else, that its function never names."""
    function = function_under(transformed)
    around = function.frame.function if function is not None else None
    if function is None or around is None or function.owner is not None:
        return False
    if len(function.code.decorators) != 1:
        return False
    name, scope = function.code.name, around.code.scope
    return name not in {*scope.outer, *scope.reads, *scope.inner_reads}


def _wrapped_by(transformed: Transformed) -> Iterator[Value]:
    """What is under a wrapper, down to the function."""
    inner: Value = transformed.function
    while isinstance(inner, (Transformed, Partial, BoundMethod, Descriptor)):
        yield inner
        inner = inner.function


def _hands_on(transformed: Transformed) -> bool:
    """Whether what is traced gives a function of the program to one of JAX: a scan of a step."""
    inner = transformed.function
    if not isinstance(inner, Partial) or not isinstance(inner.function, Qualified):
        return False
    return any(function_under(given) is not None for given in inner.args)


def _code(transformed: Transformed) -> n.Function | None:
    function = function_under(transformed)
    return function.code if function is not None else None
