"""What Python does to any object: ``setattr(x, "a", 1)``, ``vars``, ``object.__new__``."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.knowledge import class_api, harnesses
from jaxlint.program import nodes as n
from jaxlint.program.attributes import ANY
from jaxlint.tracer.modules import member, module_named, run
from jaxlint.tracer.operations.forgetting import forget, forget_attributes
from jaxlint.tracer.operations.making import bare
from jaxlint.tracer.operations.stores import put_attribute, set_attribute
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import MAKES, PAST_ITS_CLASS, Class, Instance, Module
from jaxlint.tracer.values.value import NONE, UNKNOWN, Const, Value


def _set(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    owner = arguments.get(0)
    if isinstance(owner, Module):
        return _set_in_module(tracer, owner, arguments)
    attr, value = arguments.get(1), arguments.get(2) or UNKNOWN
    written = argument_nodes(node)
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


def replaced_for_test(tracer: Tracer, arguments: Arguments) -> None:
    """``monkeypatch.setattr(owner, "name", value)``: there is something else now, for a test.

    ``setattr("package.module.name", value)`` names all of it.
    """
    owner, attr = arguments.get(0), arguments.get(1)
    if isinstance(owner, Const) and isinstance(owner.value, str):
        owner, attr = _named(tracer, owner.value)
    if not isinstance(attr, Const) or not isinstance(attr.value, str):
        return
    if isinstance(owner, Module):
        module = run(tracer, owner.file)
        slots = module.names if module is not None else {}
    elif isinstance(owner, (Instance, Class)):
        slots = owner.attributes
    else:
        return
    tracer.version += 1
    tracer.harness.replaced.append((slots, attr.value, slots.get(attr.value)))
    tracer.trail.set(slots, attr.value, UNKNOWN)


def _named(tracer: Tracer, dotted: str) -> tuple[Value, Value]:
    """The module or class that a dotted name is in, and the last part of the name."""
    path, _, last = dotted.rpartition(".")
    module = module_named(tracer, path)
    if module is not None:
        return module, Const(last)
    path, _, name = path.rpartition(".")
    module = module_named(tracer, path) if path else None
    return (member(tracer, module, name), Const(last)) if module is not None else (UNKNOWN, UNKNOWN)


def _patch(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """``with patch("package.module.name"):`` in a test: for what is left of it, as a rule."""
    if tracer.stack.frame.function is not None:
        replaced_for_test(tracer, arguments)
    return UNKNOWN


MODELS: dict[str, Callable[[Tracer, str, Arguments, n.Node], Value]] = {
    "builtins.setattr": _set,
    "builtins.vars": _namespace,
    PAST_ITS_CLASS: _set,
    MAKES: _make,
    **dict.fromkeys(harnesses.PATCHES, _patch),
}
"""Functions by their qualified names."""
