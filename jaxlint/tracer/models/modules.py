"""Modules of neural network libraries that the program defines: ``model.apply(variables, x)``."""

from __future__ import annotations

from dataclasses import replace

from jaxlint.knowledge.libraries import ASKED_BY_METHODS, MODES, MODULE_METHODS, SETS_UP
from jaxlint.program import nodes as n
from jaxlint.tracer.models.keys import use_by_method
from jaxlint.tracer.models.layers import scope_of
from jaxlint.tracer.operations.stores import forget, set_mode
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import BoundMethod, Function, Instance, Scope, Transformed
from jaxlint.tracer.values.value import UNKNOWN, Const, Value


def module_method(
    tracer: Tracer, receiver: Instance, name: str, arguments: Arguments, node: n.Node
) -> Value:
    """A method that a library gives a module class: it runs ``__call__`` of the program."""
    if (receiver.cls.traits.module, name) in MODES:
        set_mode(tracer, receiver, MODES[receiver.cls.traits.module, name])
        return UNKNOWN
    lacks = ASKED_BY_METHODS.get((receiver.cls.traits.module, name))
    if lacks is not None:
        return _ask(tracer, lacks, name, arguments, node)
    row = MODULE_METHODS.get((receiver.cls.traits.module, name))
    if row is None:
        return UNKNOWN
    use_by_method(tracer, arguments, node)
    method = _method(receiver, arguments.kwargs.get("method", Const("__call__")))
    if method is None:
        return UNKNOWN
    kwargs = {k: v for k, v in arguments.kwargs.items() if k not in row.options}
    inner = replace(arguments, args=arguments.args[row.first :], kwargs=kwargs)
    tracer.analyses.on_scope()
    bound = BoundMethod(set_up(tracer, receiver, node), method, tracer.stack.moment())
    result = tracer.call(bound, inner, node)
    tracer.analyses.on_scope_end(scope_of(arguments) if row.returns else Scope(), node)
    same = row.returns and not row.options & arguments.kwargs.keys() - {"rngs", "method"}
    return result if same else UNKNOWN


def _ask(tracer: Tracer, lacks: str, name: str, arguments: Arguments, node: n.Node) -> Value:
    """A method of a module of linen asks for a stream of keys, or for variables, by name."""
    asked = arguments.get(0)
    if isinstance(asked, Const) and isinstance(asked.value, str):
        tracer.analyses.on_ask_scope(lacks, asked.value, name, node)
    forget(tracer, arguments.all())
    return UNKNOWN


def set_up(tracer: Tracer, instance: Instance, node: n.Node) -> Instance:
    """The object that a library binds for a call, with what its ``setup`` sets."""
    method = instance.cls.find(SETS_UP.get(instance.cls.traits.module, ""))
    if not isinstance(method, Function):
        return instance
    bound = Instance(instance.cls, dict(instance.attributes), tracer.stack.moment())
    tracer.call(method, Arguments((bound,)), node)
    return bound


def _method(receiver: Instance, chosen: Value) -> Value | None:
    """The method that is applied: its name, the function, or the bound method."""
    if isinstance(chosen, Const) and isinstance(chosen.value, str):
        chosen = receiver.cls.find(chosen.value) or chosen
    if isinstance(chosen, BoundMethod):
        chosen = chosen.function
    return chosen if isinstance(chosen, (Function, Transformed)) else None
