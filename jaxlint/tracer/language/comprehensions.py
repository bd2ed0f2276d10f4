"""Comprehensions and generator expressions: a frame of their own, run once or twice."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.program.walk import walk
from jaxlint.tracer.language.expressions import ask
from jaxlint.tracer.language.narrowing import narrow
from jaxlint.tracer.language.sorting import leave_open, selected_by
from jaxlint.tracer.operations.conversions import hashed
from jaxlint.tracer.operations.items import fresh
from jaxlint.tracer.operations.iteration import Elements, any_of, counted, iterate, one
from jaxlint.tracer.operations.stores import assign
from jaxlint.tracer.state.frames import Loop, Moment
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.containers import (
    Sequence,
    SequenceKind,
    are_distinct,
    contents_like,
    contents_of,
    mapping,
    sequence,
)
from jaxlint.tracer.values.joins import one_of
from jaxlint.tracer.values.objects import Class, Function
from jaxlint.tracer.values.value import Const, Value

_LONGEST_UNROLL = 4
_MOST_CALLABLES = 32
"""Functions and classes, each of which is another one to whoever gets it."""

_MOST_READ = 64
"""Elements of which a comprehension takes and tests what is there, and calls nothing."""

_ASKS = frozenset({"isinstance", "issubclass", "hasattr", "callable", "len"})
_ASKS_OF_TEXT = frozenset({"startswith", "endswith"})

_HASHED = {"set": "element", "dict": "key"}
_KINDS: dict[str, SequenceKind] = {"list": "list", "set": "set", "generator": "iterator"}


def comprehension(tracer: Tracer, node: n.Comprehension) -> Value:
    """``[element for target in iterable if test]``."""
    first = tracer.evaluate(node.clauses[0].iterable)
    outer, made = tracer.stack.frame, tracer.stack.moment()
    frame = tracer.stack.open(node.scope, outer)
    frame.function, frame.owner = outer.function, outer.owner
    frame.guards, frame.api_guards = outer.guards, outer.api_guards
    frame.axis_guards = outer.axis_guards
    loop = Loop(node, frame, frame.conditional, length_of(first))
    frame.loops = (*outer.loops, loop)
    operations = tracer.operations
    with tracer.trail.keeping() as mark, tracer.stack.inside(frame):
        value = _run(tracer, node, first, loop, made)
        tracer.trail.forget(frame.names, mark)
    tracer.analyses.on_loop(node, first, operations, node.clauses[0].iterable)
    return value


def length_of(iterable: Value) -> int | None:
    """How many elements a long ``range`` has."""
    return iterable.contents.length if isinstance(iterable, Sequence) else None


def rows_of(iterable: Value) -> int | None:
    """How many elements an array has along its first axis."""
    shape = iterable.aval.shape if isinstance(iterable, Array) else None
    return shape[0] if shape and isinstance(shape[0], int) else None


def _run(tracer: Tracer, node: n.Comprehension, first: Value, loop: Loop, made: Moment) -> Value:
    elements: Elements = first
    for position, clause in enumerate(node.clauses):
        iterable = first if position == 0 else tracer.evaluate(clause.iterable)
        elements = iterate(tracer, iterable, clause.iterable)
        if elements == []:
            return _made(node, [], made)
        before = loop.elements if position else 1
        loop.elements = None
        if before is not None and isinstance(elements, list):
            loop.elements = before * len(elements)
        alone = isinstance(elements, list) and len(node.clauses) == 1
        if alone and isinstance(elements, list) and len(elements) <= _most(node, elements):
            chosen = _chosen(tracer, clause, elements)
            if chosen is not None:
                loop.precise = True
                return _each(tracer, node, chosen, made)
        element = any_of(elements) if isinstance(elements, list) else elements
        assign(tracer, clause.target, counted(element, node), clause)
        for test in clause.tests:
            found = ask(tracer, test, "comprehension if")
            if found is False:
                return _made(node, [], made)
            apart = selected_by(tracer, clause.target, test) if found is None else {}
            narrow(tracer, test, True)
            leave_open(tracer, apart)
    return _repeated(tracer, node, elements, made, once=loop.elements == 1)


def _most(node: n.Comprehension, elements: list[Value]) -> int:
    """How many elements have a pass each: more of those that are there to be called, or read."""
    if all(map(_is_called, elements)):
        return _MOST_CALLABLES
    made = [node.element, *([node.value] if node.value is not None else [])]
    return _MOST_READ if all(map(_reads_alone, made)) else _LONGEST_UNROLL


def _reads_alone(node: n.Node) -> bool:
    """Whether an expression calls and makes nothing, but for questions that Python answers."""
    return not any(isinstance(each, _DOES) and not _is_question(each) for each in walk([node]))


_DOES = (n.Call, n.Comprehension, n.Lambda, n.Walrus, n.Await, n.Yield)


def _is_question(node: n.Node) -> bool:
    function = node.function if isinstance(node, n.Call) else None
    if isinstance(function, n.Attribute):
        return function.attr in _ASKS_OF_TEXT
    return isinstance(function, n.Name) and function.id in _ASKS


def _chosen(tracer: Tracer, clause: n.Clause, elements: list[Value]) -> list[Value] | None:
    """The elements of which the tests are true; None where that is not certain of each."""
    if not clause.tests:
        return elements
    if not all(map(_reads_alone, clause.tests)):
        return None
    found: list[Value] = []
    for element in elements:
        assign(tracer, clause.target, element, clause)
        holds = _hold(tracer, clause.tests)
        if holds is None:
            return None
        if holds:
            found.append(element)
    return found


def _hold(tracer: Tracer, tests: list[n.Node]) -> bool | None:
    """Whether all tests are true, as Python asks them: none behind one that is false."""
    for test in tests:
        holds = ask(tracer, test, "comprehension if")
        if holds is not True:
            return holds
    return True


def _is_called(element: Value) -> bool:
    """Whether an element is a function or class, or a tuple with one: what a registry keeps."""
    if isinstance(element, Sequence) and element.kind == "tuple":
        return any(map(_is_called, element.items or ()))
    return isinstance(element, (Class, Function))


def _each(tracer: Tracer, node: n.Comprehension, elements: list[Value], made: Moment) -> Value:
    """One pass for each of a few known elements."""
    items: list[Value] = []
    entries: dict[object, Value] = {}
    rest: list[Value] = []
    for element in elements:
        assign(tracer, node.clauses[0].target, element, node)
        item, value = _pass(tracer, node)
        if value is None:
            items.append(item)
        elif isinstance(item, Const):
            entries[item.value] = value
        else:
            rest.append(value)
    if node.value is None:
        return _made(node, items, made)
    return mapping(entries, one_of(rest) if rest else None, made)


def _element(tracer: Tracer, node: n.Comprehension) -> Value:
    """The element, or the key of an entry, of this pass."""
    value = tracer.evaluate(node.element)
    if node.kind in ("set", "dict"):
        hashed(tracer, value, node.element, f"{node.kind} {_HASHED[node.kind]}")
    return value


def _repeated(
    tracer: Tracer, node: n.Comprehension, elements: Elements, made: Moment, once: bool
) -> Value:
    """One pass that stands for all, or for the only one that there may be."""
    consumed = tracer.consumed
    item, value = _pass(tracer, node)
    if consumed != tracer.consumed and not once:
        # Another pass, in which the elements are other ones.
        assign(tracer, node.clauses[-1].target, fresh(tracer, one(elements)), node)
        _pass(tracer, node)
    if value is not None:
        return mapping({}, value, made)
    return sequence(_KINDS[node.kind], contents_like(item), made)


def _pass(tracer: Tracer, node: n.Comprehension) -> tuple[Value, Value | None]:
    """What a pass gives: an element, or the key of an entry and what stands under it."""
    item = _element(tracer, node)
    return item, tracer.evaluate(node.value) if node.value is not None else None


def _made(node: n.Comprehension, items: list[Value], made: Moment) -> Value:
    """A comprehension whose every element is known."""
    if node.kind == "dict":
        return mapping({}, None, made)
    contents = contents_of(items)
    if node.kind == "set" and items and not are_distinct(items):
        contents = contents_like(one_of(items))
    return sequence(_KINDS[node.kind], contents, made)
