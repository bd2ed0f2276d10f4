"""What a transform refuses: options, arguments, results."""

from __future__ import annotations

from jaxlint.events import (
    InvalidArgument,
    InvalidReceiver,
    RefusedArgument,
    Site,
    TracedSize,
    UnhashableStatic,
    UnknownParameter,
    Untraceable,
)
from jaxlint.knowledge import python_api
from jaxlint.knowledge.transform import Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import (
    chosen_by,
    function_under,
    has_parameters,
    name_of,
    parameter_names,
    signature,
    statics_of,
)
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.operations.conversions import refuses_value
from jaxlint.tracer.state.arguments import Arguments, keyword_node, nodes_of
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.axes_checks import (
    misses_axes,
    note_out_axes,
    refused_axes,
    refused_kind,
)
from jaxlint.tracer.transforms.gradient_checks import (
    lacks_positions,
    note_gradient_of,
    refused_by_gradient,
)
from jaxlint.tracer.transforms.hashing import unhashable
from jaxlint.tracer.transforms.leaf_types import (
    holder_of,
    may_be_pytree,
    module_of,
    without_type,
)
from jaxlint.tracer.transforms.spec_checks import note_out_specs, refused_specs
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import (
    Function,
    Instance,
    Transformed,
)
from jaxlint.tracer.values.value import Host, Value

_OPTIONS = (
    ("static_argnums", "static_argnames"),
    ("donate_argnums", "donate_argnames"),
    ("static_broadcasted_argnums", ""),
)

# ------------------------------------------------------------------------- options


def refused_options(tracer: Tracer, function: Transformed, node: n.Node) -> bool:
    """Whether the transform raises for its options, or for what it is to trace."""
    target = function.function
    if function.transform.counts_axes and refused_kind(tracer, function, node):
        return True
    if not isinstance(target, Function):
        return False
    makes_generator = target.code.is_generator and not target.code.is_async
    if makes_generator and function.transform.statics_by_option:
        tracer.emit(Untraceable(tracer.context(node), "generator function", function.name))
        return True
    parameters = target.code.parameters
    kinds = {parameter.kind for parameter in parameters}
    count = len([p for p in parameters if p.kind in ("positional", "positional_only")])
    names = {parameter.name for parameter in parameters}
    for positions, named in _OPTIONS:
        if positions in function.transform.unchecked:
            continue
        found = chosen_by(function, positions, named)
        unknown = sorted(found.names - names) if "double_star" not in kinds else []
        if "star" not in kinds:
            unknown += [str(p) for p in sorted(found.positions) if not 0 <= p < count]
        if unknown:
            option = named if unknown[0].isidentifier() else positions
            context = tracer.context(node)
            called, known = target.code.name, tuple(parameter.name for parameter in parameters)
            event = UnknownParameter(context, option, unknown[0], called, count, known)
            tracer.emit(event)
            return True
    return False


# ----------------------------------------------------------------------- arguments


def refused_arguments(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> bool:
    """Whether the call raises for its arguments; the event is recorded."""
    transform = function.transform
    if transform.no_keywords and _passes_by_name(tracer, function, arguments, node):
        return True
    if transform.floats:
        return refused_by_gradient(tracer, function, arguments, node)
    if transform.counts_axes or transform.maps_arrays:
        return refused_axes(tracer, function, arguments, node)
    if transform.mesh:
        return refused_specs(tracer, function, arguments, node)
    lacks = transform.unjitted and misses_axes(tracer, function, arguments, node)
    if lacks or (
        not transform.hashes and _passes_static_by_name(tracer, function, arguments, node)
    ):
        return True
    if transform.traced == "arrays" and transform.compiles and not transform.each:
        _note_what_is_no_array(tracer, function, arguments, node)
    if transform.traced != "all" or not transform.statics_by_option:
        return False
    statics = statics_of(function)
    if not statics.known:
        return False
    names = parameter_names(function.function)
    if not has_parameters(function.function, statics.names):
        return False  # `functools.wraps` gives a wrapper the signature of another.
    nodes = nodes_of(arguments, node)
    for position, value in enumerate(arguments.args):
        if position == 0 and transform.skips_self:
            continue
        static = statics.has(position, names)
        parameter = names[position] if names and position < len(names) else ""
        if _refused(tracer, function, value, static, nodes[position], parameter, position):
            return True
    for name, value in arguments.kwargs.items():
        static = statics.has_name(name, names)
        if _refused(tracer, function, value, static, keyword_node(node, name), name):
            return True
    return False


def _passes_by_name(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> bool:
    """Whether an argument is passed by keyword to what takes them by position alone."""
    for name in arguments.kwargs:
        context = tracer.context(node, keyword_node(node, name))
        tracer.emit(RefusedArgument(context, function.name, name, "position"))
        return True
    return False


def _passes_static_by_name(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> bool:
    """Whether a static position lies behind the positional arguments, all of which are in view."""
    statics = statics_of(function)
    option = function.transform.static_positions
    return statics.known and lacks_positions(
        tracer, function, option, statics.positions, arguments, node
    )


def _note_what_is_no_array(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> None:
    """Python numbers stay as they are where arrays alone are traced: they are static."""
    nodes = nodes_of(arguments, node)
    given = [*zip(arguments.args, nodes, strict=False)]
    given += [(value, keyword_node(node, key)) for key, value in arguments.kwargs.items()]
    for value, where in given:
        if isinstance(value, (Host, Sequence, Mapping, Instance)):
            tracer.analyses.on_argument(value, True, where, name_of(function), function.name)


def _refused(
    tracer: Tracer,
    function: Transformed,
    value: Value,
    static: bool,
    where: n.Node,
    parameter: str,
    position: int | None = None,
) -> bool:
    called = name_of(function)
    tracer.analyses.on_argument(value, static, where, called, function.name)
    context = tracer.context(where, where, value)
    if static:
        kind, held = unhashable(tracer, value) if function.transform.hashes else ("", False)
        if kind:
            tracer.emit(UnhashableStatic(context, kind, called, held))
        return bool(kind)
    if position == 0 and isinstance(value, Instance) and _is_method(function):
        return refused_receiver(tracer, function, value)
    if function.transform.lifts_classes and module_of(value):
        return False  # It takes modules of its own library apart.
    kind, holder = without_type(value)
    at = Site(function.node.origin)
    if kind and holder is None:
        tracer.emit(InvalidArgument(context, kind, called, at, parameter))
    elif holder is not None:
        module = module_of(holder)
        event = InvalidArgument(context, kind, called, at, "", holder_of(holder), module)
        tracer.emit(event)
    return bool(kind)


def refused_callables(tracer: Tracer, function: Transformed) -> None:
    """Parameters that are said to be functions, which JAX takes for no argument."""
    transform, statics = function.transform, statics_of(function)
    if transform.traced != "all" or not transform.statics_by_option or not statics.known:
        return
    frame = function.made.frame
    parameters = signature(function.function) or []
    names = [parameter.name for parameter in parameters]
    for position, parameter in enumerate(parameters):
        annotation = parameter.annotation
        head = annotation.value if isinstance(annotation, n.Subscript) else annotation
        if head is None or parameter.default is not None or statics.has(position, names):
            continue
        if parameter.name not in statics.names and is_callable_type(tracer, head, frame):
            context = tracer.context(parameter, parameter)
            at = Site(function.node.origin)
            called = name_of(function)
            event = InvalidArgument(context, "function", called, at, parameter.name, latent=True)
            tracer.emit(event)


def is_callable_type(tracer: Tracer, annotation: n.Node, frame: Frame) -> bool:
    """Whether an annotation says that a parameter is a function."""
    return qualified_name(tracer, annotation, frame) in python_api.CALLABLE_TYPES


def refused_receiver(tracer: Tracer, function: Transformed, receiver: Value) -> bool:
    """A compiled method whose ``self`` is neither static nor a pytree."""
    transform = function.transform
    if not isinstance(receiver, Instance) or transform.traced != "all":
        return False
    if not transform.statics_by_option or transform.skips_self:
        return False
    statics = statics_of(function)
    if not statics.known or statics.has(0, parameter_names(function.function)):
        return False
    if may_be_pytree(receiver.cls):
        return False
    context = tracer.context(function.node)
    owner = receiver.cls.name
    tracer.emit(InvalidReceiver(context, function.name, owner, name_of(function)))
    return True


# ------------------------------------------------------------------------- results


def note_result(tracer: Tracer, function: Transformed, result: Value, node: n.Node) -> None:
    """What a transformed function may not return."""
    if function.transform.scalar:
        note_gradient_of(tracer, function, result, node)
    elif function.transform.traced == "refs":
        if isinstance(result, Array):
            tracer.emit(Untraceable(tracer.context(node), "array", function.name))
    elif function.transform.mesh:
        note_out_specs(tracer, function, result, node)
    elif function.transform.counts_axes or function.transform.statics_by_option:
        kind, holder = without_type(result)
        if kind and not module_of(holder):
            tracer.emit(Untraceable(tracer.context(node), kind, function.name))
        elif function.transform.counts_axes:
            note_out_axes(tracer, function, result, node)


def refused_size(
    tracer: Tracer, name: str, transform: Transform, arguments: Arguments, node: n.Node
) -> bool:
    """Whether the number of iterations is a tracer, where it must be static."""
    size = arguments.get(*transform.size) if transform.size is not None else None
    if transform.size is None or size is None or not refuses_value(size):
        return False
    position, parameter = transform.size
    nodes = nodes_of(arguments, node)
    given = position < len(arguments.args)
    where = nodes[position] if given else keyword_node(node, parameter)
    tracer.emit(TracedSize(tracer.context(node, where, size), name, parameter))
    return True


# ----------------------------------------------------------------------- questions


def _is_method(function: Transformed) -> bool:
    found = function_under(function)
    return found is not None and found.owner is not None and bool(signature(function.function))
