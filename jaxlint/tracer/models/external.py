"""Calls of names outside the program, by their full dotted name."""

from __future__ import annotations

from collections.abc import Callable

from jaxlint.events import RefusedArgument
from jaxlint.knowledge import class_api, jax_api, python_api
from jaxlint.knowledge.frozen import BOUND_ALONE
from jaxlint.knowledge.layers import CALLS_EACH, POOLS, base_of
from jaxlint.knowledge.libraries import (
    ARRAY_FILTERS,
    CHANGED_BY_CALLS,
    CHANGES_FIRST,
    CHANGES_PARTS,
    GIVES_BOTH_PARTS,
    INITIALIZER_FACTORIES,
    INITIALIZER_MODULES,
    KEY_FUNCTIONS,
    LAYERS,
    LISTS,
    MADE_IN_TRANSFORM,
    NAMES_AXES,
    OBJECTS,
    PUTS_TOGETHER,
    SAYS_DATA,
    SAYS_STATIC,
    SETS_UP,
    STREAMS,
    TAKES_OUT,
    VARIABLES,
    WANTS,
    Layer,
    gives_array,
    is_object,
)
from jaxlint.knowledge.optax_api import OPTIMIZER
from jaxlint.knowledge.processes import FROM_BYTES, OF_THE_HOST, PROCESS, RANKS, READS_VARIABLE
from jaxlint.knowledge.scipy_api import INTERPOLATORS
from jaxlint.knowledge.transform import Transform
from jaxlint.knowledge.transforms import TRANSFORMS
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_like
from jaxlint.tracer.language.placing import note_called, note_made, note_outside
from jaxlint.tracer.models.builtins import BUILTINS, container
from jaxlint.tracer.models.copies import copied
from jaxlint.tracer.models.dataclass_api import as_dataclass, as_dict, fields, replaced
from jaxlint.tracer.models.dispatching import dispatching
from jaxlint.tracer.models.filters import parted, passes, together
from jaxlint.tracer.models.functools import MODELS as FUNCTION_MODELS
from jaxlint.tracer.models.harnesses import MODELS as HARNESS_MODELS
from jaxlint.tracer.models.host_numbers import NUMBER_MODULES, host_number
from jaxlint.tracer.models.importing import MODELS as IMPORTING_MODELS
from jaxlint.tracer.models.jax import NEUTRAL, call_jax, initializer
from jaxlint.tracer.models.keys import use_by_method, use_key
from jaxlint.tracer.models.layers import (
    KEEPS,
    call_chain,
    call_layer,
    call_pool,
    given_by,
    make_chain,
    make_layer,
    taken_out,
)
from jaxlint.tracer.models.named_axes import by_pattern
from jaxlint.tracer.models.named_tuples import named_tuple
from jaxlint.tracer.models.numpy import call_numpy, drawn
from jaxlint.tracer.models.optimizers import MODELS as OPTIMIZER_MODELS
from jaxlint.tracer.models.optimizers import call_links
from jaxlint.tracer.models.patches import MODELS as PATCH_MODELS
from jaxlint.tracer.models.raising import MODELS as RAISING_MODELS
from jaxlint.tracer.models.refusals import refused_by_scipy, refuses_all
from jaxlint.tracer.models.setting import MODELS as SETTING_MODELS
from jaxlint.tracer.models.surgery import with_parts
from jaxlint.tracer.models.trees import note_unlike
from jaxlint.tracer.operations.conversions import index, number
from jaxlint.tracer.operations.forgetting import forget
from jaxlint.tracer.state.arguments import Arguments, argument_nodes
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.apply import wrap
from jaxlint.tracer.transforms.control_flow import call_now
from jaxlint.tracer.values.arrays import Array, Tree, differing
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Mapping, Sequence, contents_like, tuple_of
from jaxlint.tracer.values.externals import External, Stateful
from jaxlint.tracer.values.functions import is_function
from jaxlint.tracer.values.objects import (
    Descriptor,
    Function,
    Qualified,
)
from jaxlint.tracer.values.pytrees import map_leaves, tracers
from jaxlint.tracer.values.value import (
    FALSE,
    NAMED,
    NONE,
    SOMETHING,
    UNKNOWN,
    Clock,
    Const,
    Differs,
    Host,
    Unknown,
    Value,
    replace,
)


def call_external(tracer: Tracer, function: Qualified, arguments: Arguments, node: n.Node) -> Value:
    """Call something known by its full dotted name."""
    name = function.name
    if name.startswith("builtins.") and name[9:] in BUILTINS:
        return BUILTINS[name[9:]](tracer, name[9:], arguments, node)
    tracer.analyses.on_call(name, arguments, node)
    if function.links:
        call_links(tracer, function, arguments, node)
    transform = TRANSFORMS.get(name)
    if transform is None and tracer.settings.own:
        transform = _of_the_user(tracer, name)
    if transform is not None:
        return _transform(tracer, name, transform, arguments, node)
    if name.startswith("jax."):
        return call_jax(tracer, name, arguments, node)
    if name in python_api.OUTPUT:
        for value in arguments.all():
            tracer.analyses.on_wait(value, node, python_api.OUTPUT[name])
        return NONE
    if name in python_api.INSTANCES:
        inside = tracer.stack.level is not None and name != "logging.getLogger"
        return UNKNOWN if inside else External(python_api.INSTANCES[name])
    if name.startswith("numpy."):
        return call_numpy(tracer, name, arguments, node)
    return _library(tracer, name, arguments, node)


def _transform(
    tracer: Tracer, name: str, transform: Transform, arguments: Arguments, node: n.Node
) -> Value:
    if transform.all_given:
        for value in arguments.all():
            if function_like(value):
                wrap(tracer, name, transform, Arguments((value,)), node)
        return UNKNOWN
    if transform.callees:
        return call_now(tracer, name, transform, arguments, node)
    return wrap(tracer, name, transform, arguments, node)


def _of_the_user(tracer: Tracer, name: str) -> Transform | None:
    """What the user says of a function of theirs; relative imports know its end only."""
    own = tracer.settings.own
    if not name.startswith("."):
        return own.get(name)
    end = "." + name.lstrip(".")
    return next((row for key, row in own.items() if key.endswith(end)), None)


# ----------------------------------------------------------------------- libraries


def _library(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    first = arguments.args[0] if arguments.args else None
    if (
        first is not None
        and name in _NEUTRAL
        and (function_like(first) or isinstance(first, Unknown))
    ):
        return first
    if name in python_api.ASKS_FOR_CLASS and first is not None:
        return BUILTINS["isinstance"](tracer, name, Arguments((first, _TYPE)), node)
    if name in python_api.NEUTRAL_DECORATOR_FACTORIES:
        return NEUTRAL
    if name in python_api.CONTEXT_MANAGERS and isinstance(first, Function):
        return Descriptor("contextmanager", first)
    if name in python_api.CACHES:
        return replace(first, cached=True) if isinstance(first, Function) else Qualified(name)
    if name in python_api.MUTABLE_CONSTRUCTORS:
        return container(tracer, python_api.MUTABLE_CONSTRUCTORS[name], name, arguments, node)
    _note_layer(tracer, name, arguments, node)
    stateful = _stateful(tracer, name, arguments, node)
    if stateful is not None:
        return stateful
    if name in CALLS_EACH:
        return make_chain(name, arguments)
    if is_object(name):
        _use_keys(tracer, name, arguments, node)
        return make_layer(name, arguments)
    if name in jax_api.LIBRARY_ARRAY_FUNCTIONS or gives_array(name):
        use_by_method(tracer, arguments, node)
        return tracer.array(arguments.all(), node, name)
    if name.startswith("scipy.") and refused_by_scipy(tracer, name, arguments, node):
        return UNKNOWN
    model = _MODELS.get(name)
    if model is not None:
        return model(tracer, name, arguments, node)
    if name.startswith(NUMBER_MODULES):
        return host_number(tracer, name, arguments, node)
    _use_keys(tracer, name, arguments, node)
    if isinstance(node, n.Call) and is_object(name.rpartition(".")[0]):
        use_by_method(tracer, arguments, node)
    tracer.analyses.on_wait(None, node, name)
    given = arguments.all()
    forget(tracer, given, name)
    return External(OBJECTS[name]) if name in OBJECTS else tracer.unseen(*given)


def _note_layer(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> None:
    """A layer that is made without what it draws from, or where no module can hold it."""
    if name in WANTS and arguments.closed and WANTS[name] not in arguments.kwargs:
        tracer.emit(RefusedArgument(tracer.context(node), name, WANTS[name]))
    if base_of(name) in SETS_UP:
        note_made(tracer, name.rpartition(".")[2], node)
    elif base_of(name) == MADE_IN_TRANSFORM:
        note_outside(tracer, name.rpartition(".")[2], node)


def _stateful(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Stateful | None:
    """An object that its library changes in place."""
    changes: bool | None = name in STREAMS
    if name in CHANGED_BY_CALLS:
        changes = _trains(CHANGED_BY_CALLS[name], arguments)
    elif not changes and name not in VARIABLES:
        return None
    _use_keys(tracer, name, arguments, node)
    constant = None
    if name in STREAMS and arguments.closed and all(map(_is_number, arguments.all())):
        constant = node, tracer.stack.level
    return Stateful(name, tracer.stack.moment(), {"changes": changes}, constant)


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, int)


def _trains(layer: Layer, arguments: Arguments) -> bool | None:
    """Whether calls change a layer that is made of these arguments."""
    off = arguments.kwargs.get(layer.off, FALSE)
    if not arguments.closed or not isinstance(off, Const):
        return None
    if off.value is not False:
        return False
    if layer.needs and layer.needs not in arguments.kwargs:
        return False
    rate = arguments.get(0, layer.rate) if layer.rate else Const(0.5)
    if not isinstance(rate, Const) or not isinstance(rate.value, (int, float)):
        return None
    return 0.0 < rate.value < 1.0


def call_stateful(tracer: Tracer, function: Stateful, arguments: Arguments, node: n.Node) -> Value:
    """Call an object of a library that the call may change."""
    layer = CHANGED_BY_CALLS.get(function.type)
    off = arguments.kwargs.get(layer.off, FALSE) if layer is not None else FALSE
    if function.changes and off is FALSE and arguments.closed:
        tracer.analyses.on_change(function, node)
    if layer is not None:
        return tracer.array(arguments.all(), node, function.type, given_by(KEEPS, arguments))
    if function.type in STREAMS:
        drawn = tracer.array(arguments.all(), node, function.type, Aval((), "key"))
        constant = None if _in_constructor(tracer) else function.constant
        return replace(drawn, prng=tracer.keys.new(constant))
    forget(tracer, arguments.all())
    return UNKNOWN


def _in_constructor(tracer: Tracer) -> bool:
    """Whether an object is being made: its parameters may begin the same at every call."""
    running = (frame.function for frame in tracer.stack.running if frame.owner is not None)
    return any(function and function.code.name == "__init__" for function in running)


def _first_state(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """The state of an optimizer; the parameters stay as they are."""
    made = tracer.unseen(*arguments.all())
    return replace(made, symbol=(OPTIMIZER, id(node)))


def _list(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """A list that the library of a module looks into."""
    made = container(tracer, "list", name, arguments, node)
    return replace(made, followed=True) if isinstance(made, Sequence) else made


def _data(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    first = arguments.args[0] if arguments.args else None
    if isinstance(first, Sequence):
        return replace(first, followed=True)
    if first is not None and not isinstance(first, Mapping):
        return first
    given = arguments.all()
    forget(tracer, given, name)
    return tracer.unseen(*given)


def _updates(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """Updates are like the gradients; the state is the optimizer's own."""
    operands = arguments.all()

    def update(gradient: Value) -> Value:
        if not isinstance(gradient, Array):
            return gradient if isinstance(gradient, Tree) else UNKNOWN
        return tracer.array(operands, node, name, gradient.aval)

    gradients = arguments.get(0, "updates") or UNKNOWN
    made = tracer.stack.moment()
    return tuple_of([map_leaves(gradients, update, made, fresh=True), tracer.unseen(*operands)])


def _changes_first(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """New numbers for the variables of an object; nobody keeps a hold of it."""
    forget(tracer, arguments.all()[1:], name)
    return NONE


def _updated(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """The parameters with updates added, each of its own shape and dtype."""
    operands = arguments.all()

    def update(parameter: Value) -> Value:
        if not isinstance(parameter, Array):
            kept = isinstance(parameter, (External, Tree)) or is_function(parameter)
            return parameter if kept else UNKNOWN
        return tracer.array(operands, node, name, parameter.aval)

    parameters = arguments.get(jax_api.UPDATED[name]) or UNKNOWN
    if name in jax_api.LEAF_BY_LEAF and len(arguments.args) == 2:
        note_unlike(tracer, name, arguments.args, node)
    if isinstance(parameters, Unknown):
        return tracer.unseen(*operands)
    return map_leaves(parameters, update, tracer.stack.moment(), fresh=True)


def _use_keys(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> None:
    if name in KEY_FUNCTIONS:
        use_key(tracer, name, KEY_FUNCTIONS[name], arguments, node)


def call_object(tracer: Tracer, function: External, arguments: Arguments, node: n.Node) -> Value:
    """Call an object of a library: a layer is called with arrays."""
    if function.type in BOUND_ALONE and note_called(tracer, function.type.rpartition(".")[2], node):
        return UNKNOWN
    if function.each:
        return call_chain(tracer, function, arguments, node)
    if function.type in LAYERS:
        return call_layer(tracer, function, arguments, node)
    if function.type in INTERPOLATORS and refuses_all(tracer, function.type, arguments, node):
        return UNKNOWN
    tracer.analyses.on_wait(None, node, "")
    forget(tracer, arguments.all())
    return UNKNOWN


_NEUTRAL = python_api.NEUTRAL_DECORATORS | {NEUTRAL.name}
_TYPE = Qualified("builtins.type")


def _clock(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    clock = Clock(name, node)
    tracer.analyses.on_clock(clock)
    return clock


def _of_the_host(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return Host(OF_THE_HOST[name], differs=Differs("host", node))


def _variable(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """A variable of the environment; launchers say there who a process is."""
    key = arguments.get(0, "key")
    if isinstance(key, Const) and key.value in RANKS:
        return Host("str", symbol=(PROCESS,), differs=Differs("rank", node))
    return tracer.unseen(*arguments.all())


def _from_bytes(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return Host("int", differs=differing(arguments.args[:1]))


def _drawn(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return drawn(tracer)


def _process_context(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    method = arguments.get(0, "method")
    forks = isinstance(method, Const) and method.value == python_api.FORK
    return External(python_api.FORK_CONTEXT) if forks else UNKNOWN


def _iterator(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    return Sequence("iterator", contents_like(UNKNOWN), tracer.stack.moment())


def _given_back(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    position = python_api.GIVES_BACK[name]
    return arguments.get(position, "val") or UNKNOWN


def _found(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    """What is asked for is taken to be there, as what is imported is."""
    return SOMETHING


def _whole_number(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    for value, where in zip(arguments.args[:1], argument_nodes(node), strict=False):
        index(tracer, value, where, name.removeprefix("builtins."))
    if name != "operator.index":
        return Host("str")
    given = arguments.args[0] if arguments.args else None
    return given if isinstance(given, (Const, Host)) else Host("int")


def _written(tracer: Tracer, name: str, arguments: Arguments, node: n.Node) -> Value:
    if python_api.WRITES_ANYTHING.isdisjoint(arguments.kwargs):
        for value, where in zip(arguments.args[:1], argument_nodes(node), strict=False):
            for leaf in tracers(value)[:1]:
                number(tracer, leaf, where, name.removeprefix("builtins."))
    for value in arguments.all():
        tracer.analyses.on_wait(value, node, name)
    return UNKNOWN


_MODELS: dict[str, Callable[[Tracer, str, Arguments, n.Node], Value]] = {
    **dict.fromkeys(LISTS, _list),
    **dict.fromkeys(SAYS_DATA | SAYS_STATIC, _data),
    **FUNCTION_MODELS,
    **HARNESS_MODELS,
    **IMPORTING_MODELS,
    **{
        f"{module}.{name}": initializer
        for module in INITIALIZER_MODULES
        for name in INITIALIZER_FACTORIES
    },
    **dict.fromkeys(GIVES_BOTH_PARTS, parted),
    **dict.fromkeys(ARRAY_FILTERS, passes),
    **dict.fromkeys(PUTS_TOGETHER, together),
    **PATCH_MODELS,
    **RAISING_MODELS,
    **SETTING_MODELS,
    **dict.fromkeys(python_api.WANTS_INTEGERS, _whole_number),
    **dict.fromkeys(python_api.WANTS_VALUES, _written),
    **dict.fromkeys(python_api.DISPATCHES, dispatching),
    CHANGES_PARTS: with_parts,
    TAKES_OUT: taken_out,
    "dataclasses.dataclass": as_dataclass,
    "dataclasses.replace": replaced,
    "dataclasses.asdict": as_dict,
    "dataclasses.fields": fields,
    **dict.fromkeys(class_api.MAKES_NAMED_TUPLES, named_tuple),
    **dict.fromkeys(NAMES_AXES, by_pattern),
    python_api.GETS_CONTEXT: _process_context,
    python_api.PARSES_ARGUMENTS: lambda _, name, __, node: Unknown(True, (NAMED, name, id(node))),
    **dict.fromkeys(python_api.COPIES, copied),
    **dict.fromkeys(python_api.GIVES_BACK, _given_back),
    **dict.fromkeys(python_api.FINDS_MODULES, _found),
    **dict.fromkeys(POOLS, call_pool),
    f"{OPTIMIZER}.init": _first_state,
    **dict.fromkeys(jax_api.UPDATED.keys() - jax_api.COPIES, _updated),
    f"{OPTIMIZER}.update": _updates,
    **dict.fromkeys(CHANGES_FIRST, _changes_first),
    **OPTIMIZER_MODELS,
    **dict.fromkeys(python_api.CLOCKS, _clock),
    **dict.fromkeys(OF_THE_HOST, _of_the_host),
    **dict.fromkeys(READS_VARIABLE, _variable),
    FROM_BYTES: _from_bytes,
    **dict.fromkeys(python_api.RANDOM_INTEGERS, _drawn),
    **dict.fromkeys(python_api.ITERATORS, _iterator),
}
