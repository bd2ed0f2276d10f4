"""What Python does to any object: ``setattr(x, "a", 1)``, ``vars``, ``object.__new__``."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.knowledge import class_api
from jaxlint.program import nodes as n
from jaxlint.program.attributes import ANY
from jaxlint.tracer.modules import run
from jaxlint.tracer.operations.forgetting import forget, forget_attributes
from jaxlint.tracer.operations.making import bare
from jaxlint.tracer.operations.parts import forget_parts
from jaxlint.tracer.operations.stores import put_attribute, set_attribute
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import MAKES, PAST_ITS_CLASS, Class, Instance, Module
from jaxlint.tracer.values.value import NONE, UNKNOWN, Const, Unknown, Value


def _set(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    owner = arguments.get(0)
    if isinstance(owner, Module):
        return _set_in_module(tracer, owner, arguments)
    attr, value = arguments.get(1), arguments.get(2) or UNKNOWN
    written = argument_nodes(node)
    if isinstance(owner, (Instance, Unknown)) and written:
        forget_parts(tracer, owner, written[0])
    if not isinstance(owner, (Instance, Class)) or not written:
        tracer.analyses.on_wait(None, node, name)
        forget(tracer, arguments.all(), name)
        return UNKNOWN
    if not isinstance(attr, Const) or not isinstance(attr.value, str):
        if isinstance(owner, Instance):
            forget_attributes(tracer, owner, frozenset({ANY}))
        return NONE
    bound = len(written) < len(arguments.args) and isinstance(node, n.Call)
    named = node.function if bound and isinstance(node, n.Call) else written[0]
    target = n.Attribute(node.origin, named, attr.value)
    if name == PAST_ITS_CLASS:
        put_attribute(tracer, owner, value, target)
    else:
        set_attribute(tracer, owner, value, target)
    return NONE


def _set_in_module(tracer: Tracer, owner: Module, arguments: Arguments) -> Value:
    """What is put into a module from outside holds in some runs, and in others not."""
    module, attr = run(tracer, owner.file), arguments.get(1)
    if module is None or not isinstance(attr, Const):
        forget(tracer, arguments.all())
        return UNKNOWN
    module.version += 1
    tracer.trail.set(module.names, attr.value, UNKNOWN)
    return NONE


def _namespace(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``vars(cls)``; what is written into that of an object or module, nobody follows."""
    owner = arguments.get(0)
    if isinstance(owner, Class):
        return tracer.attribute(owner, class_api.NAMESPACE, node)
    forget(tracer, arguments.all(), name)
    return UNKNOWN


def _make(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    cls = arguments.get(0)
    return bare(tracer, cls) if isinstance(cls, Class) else UNKNOWN


MODELS: dict[str, Callable[[Tracer, str, Arguments, n.Node], Value]] = {
    "builtins.setattr": _set,
    "builtins.vars": _namespace,
    PAST_ITS_CLASS: _set,
    MAKES: _make,
}
"""Functions by their qualified names."""
