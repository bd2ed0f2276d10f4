"""Comprehensions and generator expressions: a frame of their own, run once or twice."""

from __future__ import annotations

from jaxlint.program import nodes as n
from jaxlint.tracer.language.expressions import ask
from jaxlint.tracer.language.narrowing import narrow
from jaxlint.tracer.language.sorting import leave_open, selected_by
from jaxlint.tracer.operations.conversions import hashed
from jaxlint.tracer.operations.items import fresh
from jaxlint.tracer.operations.iteration import Elements, any_of, counted, iterate, one
from jaxlint.tracer.operations.stores import assign
from jaxlint.tracer.state.frames import Loop
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.containers import (
    Sequence,
    SequenceKind,
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

_HASHED = {"set": "element", "dict": "key"}
_KINDS: dict[str, SequenceKind] = {"list": "list", "set": "set", "generator": "iterator"}


def comprehension(tracer: Tracer, node: n.Comprehension) -> Value:
    """``[element for target in iterable if test]``."""
    first = tracer.evaluate(node.clauses[0].iterable)
    outer = tracer.stack.frame
    frame = tracer.stack.open(node.scope, outer)
    frame.function, frame.owner = outer.function, outer.owner
    frame.guards, frame.api_guards = outer.guards, outer.api_guards
    frame.axis_guards = outer.axis_guards
    loop = Loop(node, frame, frame.conditional, length_of(first))
    frame.loops = (*outer.loops, loop)
    operations = tracer.operations
    with tracer.trail.keeping() as mark, tracer.stack.inside(frame):
        value = _run(tracer, node, first, loop)
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


def _run(tracer: Tracer, node: n.Comprehension, first: Value, loop: Loop) -> Value:
    elements: Elements = first
    for position, clause in enumerate(node.clauses):
        iterable = first if position == 0 else tracer.evaluate(clause.iterable)
        elements = iterate(tracer, iterable, clause.iterable)
        if elements == []:
            return _made(tracer, node, [])
        before = loop.elements if position else 1
        loop.elements = None
        if before is not None and isinstance(elements, list):
            loop.elements = before * len(elements)
        simple = len(node.clauses) == 1 and not clause.tests
        if simple and isinstance(elements, list) and len(elements) <= _most(elements):
            loop.precise = True
            return _each(tracer, node, elements)
        element = any_of(elements) if isinstance(elements, list) else elements
        assign(tracer, clause.target, counted(element, node), clause)
        for test in clause.tests:
            found = ask(tracer, test, "comprehension if")
            if found is False:
                return _made(tracer, node, [])
            apart = selected_by(tracer, clause.target, test) if found is None else {}
            narrow(tracer, test, True)
            leave_open(tracer, apart)
    return _repeated(tracer, node, elements, once=loop.elements == 1)


def _most(elements: list[Value]) -> int:
    """How many elements have a pass each: more of those that are there to be called."""
    return _MOST_CALLABLES if all(map(_is_called, elements)) else _LONGEST_UNROLL


def _is_called(element: Value) -> bool:
    """Whether an element is a function or class, or a tuple with one: what a registry keeps."""
    if isinstance(element, Sequence) and element.kind == "tuple":
        return any(map(_is_called, element.items or ()))
    return isinstance(element, (Class, Function))


def _each(tracer: Tracer, node: n.Comprehension, elements: list[Value]) -> Value:
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
        return _made(tracer, node, items)
    return mapping(entries, one_of(rest) if rest else None, tracer.stack.moment())


def _element(tracer: Tracer, node: n.Comprehension) -> Value:
    """The element, or the key of an entry, of this pass."""
    value = tracer.evaluate(node.element)
    if node.kind in ("set", "dict"):
        hashed(tracer, value, node.element, f"{node.kind} {_HASHED[node.kind]}")
    return value


def _repeated(tracer: Tracer, node: n.Comprehension, elements: Elements, once: bool) -> Value:
    """One pass that stands for all, or for the only one that there may be."""
    consumed = tracer.consumed
    item, value = _pass(tracer, node)
    if consumed != tracer.consumed and not once:
        # Another pass, in which the elements are other ones.
        assign(tracer, node.clauses[-1].target, fresh(tracer, one(elements)), node)
        _pass(tracer, node)
    made = tracer.stack.moment()
    if value is not None:
        return mapping({}, value, made)
    return sequence(_KINDS[node.kind], contents_like(item), made)


def _pass(tracer: Tracer, node: n.Comprehension) -> tuple[Value, Value | None]:
    """What a pass gives: an element, or the key of an entry and what stands under it."""
    item = _element(tracer, node)
    return item, tracer.evaluate(node.value) if node.value is not None else None


def _made(tracer: Tracer, node: n.Comprehension, items: list[Value]) -> Value:
    """A comprehension whose every element is known."""
    made = tracer.stack.moment()
    if node.kind == "dict":
        return mapping({}, None, made)
    contents = contents_of(items)
    if node.kind == "set" and items:
        contents = contents_like(one_of(items))
    return sequence(_KINDS[node.kind], contents, made)
