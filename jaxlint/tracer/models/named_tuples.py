"""Classes that calls define: ``collections.namedtuple`` and its like."""

from __future__ import annotations

from jaxlint.knowledge import class_api
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.objects import Class, ClassField, Qualified, Traits
from jaxlint.tracer.values.value import UNKNOWN, Const, Value

_KNOWN_OPTIONS = frozenset({"typename", "field_names", "fields", "defaults", "module"})


def named_tuple(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``namedtuple("State", ["x", "step"])``, ``NamedTuple("State", [("x", int)])``: a class.

    Its fields have no annotations: those of the second form are not read.
    """
    title = arguments.get(0, "typename")
    fields = _fields(arguments.get(1, class_api.MAKES_NAMED_TUPLES[name]))
    defaults = _items(arguments.kwargs.get("defaults"))
    known = arguments.closed and arguments.kwargs.keys() <= _KNOWN_OPTIONS
    if not known or not isinstance(title, Const) or fields is None or len(defaults) > len(fields):
        return UNKNOWN
    definition = tracer.defined_by_calls.get((id(node), fields))
    if definition is None:
        scope = n.Scope("class", tracer.stack.frame.scope)
        target = n.Name(node.origin, str(title.value), tracer.stack.frame.scope)
        body = [_field(node, each, scope) for each in fields]
        definition = n.ClassDefinition(
            node.origin, target.id, target, [], [], [*body], scope
        )  # fmt: skip
        tracer.defined_by_calls[(id(node), fields)] = definition
    return _class(tracer, definition, fields, defaults, keyword_node(node, "defaults"))


def _class(
    tracer: Tracer,
    definition: n.ClassDefinition,
    fields: tuple[str, ...],
    defaults: tuple[Value, ...],
    written: n.Node,
) -> Class:
    frame = tracer.stack.open(definition.scope, tracer.stack.frame)
    nodes = written.elements if isinstance(written, n.Display) else []
    if len(nodes) != len(defaults):
        nodes = [written] * len(defaults)
    found = {each: ClassField() for each in fields}
    last = fields[len(fields) - len(defaults) :]
    for field, value, default in zip(last, defaults, nodes, strict=True):
        tracer.trail.set(frame.names, field, value)
        found[field] = ClassField(default)
    leaves = frozenset(fields)
    traits = Traits(pytree="namedtuple", fields=found, leaves=leaves, frozen_by="namedtuple")
    base = (Qualified(class_api.NAMED_TUPLE),)
    made = tracer.stack.moment()
    cls = Class(definition, frame, made, base, frame.names, {"traits": traits})
    tracer.classes.append(cls)
    return cls


def _field(node: n.Node, name: str, scope: n.Scope) -> n.AnnotatedAssign:
    """The field as the body of a class would say it: without a word on what it holds."""
    anything = n.Constant(node.origin, None)
    return n.AnnotatedAssign(node.origin, n.Name(node.origin, name, scope), anything, None)


def _fields(given: Value | None) -> tuple[str, ...] | None:
    """The names of fields: in one text, in a list, in pairs with types; None if not in view."""
    if isinstance(given, Const) and isinstance(given.value, str):
        return tuple(given.value.replace(",", " ").split())
    names = [_first(item) for item in _items(given)]
    found = [each.value for each in names if isinstance(each, Const)]
    texts = [each for each in found if isinstance(each, str)]
    return tuple(texts) if texts and len(texts) == len(names) else None


def _items(given: Value | None) -> tuple[Value, ...]:
    return tuple(given.items or ()) if isinstance(given, Sequence) else ()


def _first(item: Value) -> Value:
    """The name in ``("x", int)``."""
    pair = _items(item)
    return pair[0] if len(pair) == 2 else item
