"""Modules of neural network libraries that the program defines: ``model.apply(variables, x)``."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.events import RefusedArgument
from jaxlint.knowledge.layers import base_of
from jaxlint.knowledge.libraries import (
    ASKED_BY_METHODS,
    INITIALIZER_MODULES,
    MODES,
    MODULE_METHODS,
    PARAMETERS,
    SETS_UP,
    ModuleMethod,
)
from jaxlint.knowledge.probabilities import is_density
from jaxlint.knowledge.transforms import SHAPES_ALONE
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.models.keys import use_by_method
from jaxlint.tracer.models.layers import VARIABLES, parameters_in, scope_of
from jaxlint.tracer.operations.arithmetic import aval_of
from jaxlint.tracer.operations.forgetting import forget, set_mode
from jaxlint.tracer.operations.unbound import nothing_bound
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.apply import level_of
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.avals import Aval, elementwise
from jaxlint.tracer.values.containers import Sequence, tuple_of
from jaxlint.tracer.values.derivations import APPLIED
from jaxlint.tracer.values.externals import External, Scope
from jaxlint.tracer.values.objects import BoundMethod, Function, Instance, Qualified, Transformed
from jaxlint.tracer.values.pytrees import leaves, map_leaves, tracers
from jaxlint.tracer.values.value import FALSE, UNKNOWN, Const, Unknown, Value, is_number, replace

_KEY = "jax.random.key"
_INITIALIZERS = tuple(f"{module}." for module in INITIALIZER_MODULES)


def module_method(
    tracer: Tracer, receiver: Instance, name: str, arguments: Arguments, node: n.Node
) -> Value:
    """A method that a library gives a module class of the program."""
    if (receiver.cls.traits.module, name) in MODES:
        set_mode(tracer, receiver, MODES[receiver.cls.traits.module, name])
        return UNKNOWN
    lacks = ASKED_BY_METHODS.get((receiver.cls.traits.module, name))
    if lacks is not None:
        return _ask(tracer, lacks, name, arguments, node)
    if (receiver.cls.traits.module, name) in PARAMETERS:
        return _parameter(tracer, receiver.cls.traits.module, name, arguments, node)
    row = MODULE_METHODS.get((receiver.cls.traits.module, name))
    method = _method(receiver, arguments.kwargs.get("method", Const("__call__")))
    if row is None:
        return UNKNOWN
    if method is None:
        use_by_method(tracer, arguments, node, name)
        return UNKNOWN

    def called() -> Value:
        return BoundMethod(set_up(tracer, receiver, node), method, tracer.stack.moment())

    return _run(tracer, row, called, arguments, node, name)


def layer_method(
    tracer: Tracer, receiver: External, name: str, arguments: Arguments, node: n.Node
) -> Value:
    """A method that a library gives all its modules, of a layer of its own; or a distribution."""
    if receiver.given:
        return _density(tracer, receiver, name, arguments, node)
    row = MODULE_METHODS[base_of(receiver.type), name]
    if "method" not in arguments.kwargs:
        return _run(tracer, row, lambda: receiver, arguments, node, name)
    use_by_method(tracer, arguments, node, name)
    return UNKNOWN


def _density(
    tracer: Tracer, receiver: External, name: str, arguments: Arguments, node: n.Node
) -> Value:
    """How likely a value is, by the parameters of its distribution: of some number by number."""
    given, name = parameters_in(arguments.all()), f"{receiver.type}.{name}"
    operands = [each for each in (*receiver.given, *given) if not is_number(each)]
    if not is_density(name):
        return tracer.array(operands, node, name)
    found = Aval((), None)
    for operand in operands:
        found = elementwise(found, aval_of(tracer, operand)).aval
    return tracer.array(operands, node, name, Aval(found.shape, None))


def _run(
    tracer: Tracer,
    row: ModuleMethod,
    called: Callable[[], Value],
    arguments: Arguments,
    node: n.Node,
    name: str,
) -> Value:
    """Run what a module does when it is called, by a method that binds variables to it."""
    _note_several(tracer, row, arguments, node)
    use_by_method(tracer, arguments, node, name)
    variables = arguments.get(0, "variables") if row.returns else None
    if variables is not None and tracer.trail.gone:
        tracer.analyses.on_read_buffers([variables], node)
    kwargs = {k: v for k, v in arguments.kwargs.items() if k not in row.options}
    inner = replace(arguments, args=arguments.args[row.first :], kwargs=kwargs)
    tracer.analyses.on_scope()
    tracer.stack.bound += 1
    result = tracer.call(called(), inner, node)
    tracer.stack.bound -= 1
    tracer.analyses.on_scope_end(scope_of(arguments) if row.returns else Scope(), node)
    if not row.returns:
        tracer.analyses.on_dummy_run(node)
        return tracer.buffers.note(Unknown(present=True, symbol=(VARIABLES, id(node))))
    if row.options & arguments.kwargs.keys() - _KNOWN_OPTIONS:
        return UNKNOWN
    mutable = arguments.kwargs.get("mutable", FALSE)
    result = _with_variables(tracer, result, variables, node)
    if mutable is FALSE:
        return result
    changed = isinstance(mutable, Sequence) or (isinstance(mutable, Const) and mutable.value)
    return tuple_of([result, UNKNOWN]) if changed else UNKNOWN


def _note_several(tracer: Tracer, row: ModuleMethod, arguments: Arguments, node: n.Node) -> None:
    """Several PRNG keys where a stream has one."""
    given = arguments.kwargs.get(_RNGS) if row.returns else arguments.get(0, _RNGS)
    for leaf in leaves(given) if given is not None else ():
        if isinstance(leaf, Array) and leaf.prng is not None and leaf.rank:
            by_name = keyword_node(node, _RNGS) if _RNGS in arguments.kwargs else None
            where = by_name or next(iter(argument_nodes(node)), node)
            method = node.function if isinstance(node, n.Call) else None
            name = method.attr if isinstance(method, n.Attribute) else _RNGS
            context = tracer.context(node, where, leaf)
            tracer.emit(RefusedArgument(context, f".{name}", _RNGS, "single key"))
            return


_RNGS = "rngs"
_KNOWN_OPTIONS = frozenset({"rngs", "method", "mutable"})


def _with_variables(tracer: Tracer, result: Value, variables: Value | None, node: n.Node) -> Value:
    """What a module gives is computed from its variables, too."""
    if variables is None or not tracers(variables):
        return result

    def leaf(value: Value) -> Value:
        if not isinstance(value, Array) or value.prng is not None:
            return value
        found = tracer.array([variables, value], node, APPLIED, value.aval, value.varies)
        return replace(found, of_logits=value.of_logits)

    return map_leaves(result, leaf)


def _ask(tracer: Tracer, lacks: str, name: str, arguments: Arguments, node: n.Node) -> Value:
    """A method of a module of linen asks for a stream of keys, or for variables, by name."""
    asked = arguments.get(0)
    if isinstance(asked, Const) and isinstance(asked.value, str):
        tracer.analyses.on_ask_scope(lacks, asked.value, name, node)
    forget(tracer, arguments.all())
    return UNKNOWN


def _parameter(tracer: Tracer, module: str, name: str, arguments: Arguments, node: n.Node) -> Value:
    """A parameter has the structure that its initializer gives, which runs for its shapes.

    Who brings the parameter, and whether it is a tracer, is out of view.
    """
    initial = arguments.get(1, "init_fn")
    if isinstance(initial, Qualified) and initial.name.startswith(_INITIALIZERS):
        return Array(None)
    if initial is None or function_under(initial) is None or not arguments.closed:
        return UNKNOWN
    kwargs = {k: v for k, v in arguments.kwargs.items() if k not in ("name", "init_fn", "unbox")}
    level = level_of(tracer, SHAPES_ALONE, f"{module}.{name}", initial, node)
    with tracer.stack.entered(level):
        key = tracer.array([], node, _KEY, Aval(None, "key"))
        inner = Arguments((replace(key, prng=tracer.keys.new()), *arguments.args[2:]), kwargs)
        given = tracer.call(initial, inner, node)
    return map_leaves(given, _kept, tracer.stack.moment(), fresh=True)


def _kept(leaf: Value) -> Value:
    """What a module has for a leaf that its initializer gives."""
    return Array(None, leaf.aval) if isinstance(leaf, Array) else UNKNOWN


def set_up(tracer: Tracer, instance: Instance, node: n.Node) -> Instance:
    """The object that a library binds for a call, with what its ``setup`` sets.

    An object that nothing has bound stays as it is.
    """
    method = instance.cls.find(SETS_UP.get(instance.cls.traits.module, ""))
    if not isinstance(method, Function) or nothing_bound(tracer):
        return instance
    bound = replace(instance, attributes=dict(instance.attributes), made=tracer.stack.moment())
    tracer.call(method, Arguments((bound,)), node)
    return bound


def _method(receiver: Instance, chosen: Value) -> Value | None:
    """The method that is applied: its name, the function, or the bound method."""
    if isinstance(chosen, Const) and isinstance(chosen.value, str):
        chosen = receiver.cls.find(chosen.value) or chosen
    if isinstance(chosen, BoundMethod):
        chosen = chosen.function
    return chosen if isinstance(chosen, (Function, Transformed)) else None
