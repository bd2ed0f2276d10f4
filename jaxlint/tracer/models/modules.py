"""Modules of neural network libraries that the program defines: ``model.apply(variables, x)``."""

from __future__ import annotations

from dataclasses import replace

from jaxlint.knowledge.libraries import MODULE_METHODS
from jaxlint.program import nodes as n
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.objects import BoundMethod, Function, Instance, Transformed
from jaxlint.tracer.values.pytrees import keys_in
from jaxlint.tracer.values.value import UNKNOWN, Const, Value


def module_method(
    tracer: Tracer, receiver: Instance, name: str, arguments: Arguments, node: n.Node
) -> Value:
    """A method that a library gives a module class: it runs ``__call__`` of the program."""
    row = MODULE_METHODS.get((receiver.cls.traits.module, name))
    if row is None:
        return UNKNOWN
    if row.key is not None:
        key = arguments.get(*row.key)
        where = next(iter(argument_nodes(node)), None) or keyword_node(node, row.key[1])
        for each in keys_in(key) if key is not None else ():
            tracer.consume(each, node, where, f"{receiver.cls.traits.module}.{name}")
    method = _method(receiver, arguments.kwargs.get("method", Const("__call__")))
    if method is None:
        return UNKNOWN
    kwargs = {k: v for k, v in arguments.kwargs.items() if k not in row.options}
    inner = replace(arguments, args=arguments.args[row.first :], kwargs=kwargs)
    result = tracer.call(BoundMethod(receiver, method, tracer.stack.moment()), inner, node)
    same = row.returns and not row.options & arguments.kwargs.keys() - {"rngs", "method"}
    return result if same else UNKNOWN


def _method(receiver: Instance, chosen: Value) -> Value | None:
    """The method that is applied: its name, the function, or the bound method."""
    if isinstance(chosen, Const) and isinstance(chosen.value, str):
        chosen = receiver.cls.find(chosen.value) or chosen
    if isinstance(chosen, BoundMethod):
        chosen = chosen.function
    return chosen if isinstance(chosen, (Function, Transformed)) else None
