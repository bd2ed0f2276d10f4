"""What a transform refuses: options, arguments, results."""

from __future__ import annotations

from jaxlint.events import (
    AxesMismatch,
    BadGradient,
    InvalidArgument,
    InvalidReceiver,
    Site,
    StructureMismatch,
    TracedSize,
    UnhashableStatic,
    UnknownParameter,
    Untraceable,
)
from jaxlint.knowledge import jax_api, python_api
from jaxlint.knowledge.transforms import Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import (
    chosen_by,
    function_under,
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
from jaxlint.tracer.values.arrays import Array, NumpyArray
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.objects import (
    BoundMethod,
    Class,
    Function,
    Instance,
    Partial,
    Qualified,
    Transformed,
)
from jaxlint.tracer.values.pytrees import structure
from jaxlint.tracer.values.value import NONE, Const, Host, Value, is_number, is_string, type_name

_OPTIONS = (
    ("static_argnums", "static_argnames"),
    ("donate_argnums", "donate_argnames"),
    ("static_broadcasted_argnums", ""),
)
_DEEPEST = 3


# ------------------------------------------------------------------------- options


def refused_options(tracer: Tracer, function: Transformed, node: n.Node) -> bool:
    """Whether the transform raises for its options, or for what it is to trace."""
    target = function.function
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
        found = chosen_by(function, positions, named)
        unknown = sorted(found.names - names) if "double_star" not in kinds else []
        if "star" not in kinds:
            unknown += [str(p) for p in sorted(found.positions) if not 0 <= p < count]
        if unknown:
            option = named if unknown[0].isidentifier() else positions
            context = tracer.context(node)
            tracer.emit(UnknownParameter(context, option, unknown[0], target.code.name, count))
            return True
    return False


# ----------------------------------------------------------------------- arguments


def refused_arguments(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> bool:
    """Whether the call raises for its arguments; the event is recorded."""
    transform = function.transform
    if transform.scalar:
        return _not_differentiable(tracer, function, arguments, node)
    if transform.counts_axes:
        return _axes_mismatch(tracer, function, arguments, node)
    if transform.traced != "all" or not transform.statics_by_option:
        return False
    statics = statics_of(function)
    if not statics.known:
        return False
    names = parameter_names(function.function)
    if statics.names - set(names or ()):
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
    context = tracer.context(where, where)
    if static:
        kind = _unhashable(value)
        if kind:
            tracer.emit(UnhashableStatic(context, kind, called))
        return bool(kind)
    if position == 0 and isinstance(value, Instance) and _is_method(function):
        return refused_receiver(tracer, function, value)
    kind = _no_jax_type(value)
    if kind:
        whole = parameter if _no_jax_type(value, depth=0) else ""
        tracer.emit(InvalidArgument(context, kind, called, Site(function.node.origin), whole))
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
            tracer.emit(InvalidArgument(context, "function", called, at, parameter.name))


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
    if _may_be_pytree(receiver.cls):
        return False
    context = tracer.context(function.node)
    owner = receiver.cls.name
    tracer.emit(InvalidReceiver(context, function.name, owner, name_of(function)))
    return True


def _axes_mismatch(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> bool:
    axes = function.options.get("in_axes")
    if not (isinstance(axes, Sequence) and axes.kind == "tuple" and axes.items is not None):
        return False
    if arguments.open_args is not None or isinstance(function.function, Partial):
        return False
    entries, count = len(axes.items), len(arguments.args)
    if entries == count or not count:
        return False
    tracer.emit(AxesMismatch(tracer.context(node), entries, name_of(function), count))
    return True


# ----------------------------------------------------------------------- gradients


def _not_differentiable(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> bool:
    if isinstance(function.options.get("allow_int"), (Const, Host)):
        return False
    chosen = chosen_by(function, "argnums", "")
    positions = set(chosen.positions) or ({0} if "argnums" not in function.options else set())
    nodes = nodes_of(arguments, node)
    for position in sorted(positions):
        if chosen.known and position < len(arguments.args):
            value = arguments.args[position]
            dtype = value.dtype if isinstance(value, Array) else type_name(value)
            if dtype in ("int", "bool", "str"):
                context = tracer.context(node, nodes[position])
                called = name_of(function)
                tracer.emit(BadGradient(context, "input", dtype, function.name, called))
                return True
    return False


def note_result(tracer: Tracer, function: Transformed, result: Value, node: n.Node) -> None:
    """What a transformed function may not return."""
    if function.transform.scalar:
        aux = function.options.get("has_aux")
        what = ""
        if isinstance(result, Array) and result.rank:
            what = f"an array of {result.rank} axes"
        elif isinstance(result, Sequence) and aux is None:
            what = "a tuple"
        if what:
            context = tracer.context(node)
            called = name_of(function)
            tracer.emit(BadGradient(context, "output", what, function.name, called))
    elif function.transform.statics_by_option and is_string(result):
        tracer.emit(Untraceable(tracer.context(node), "string", function.name))


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


def note_structure(
    tracer: Tracer,
    name: str,
    transform: Transform,
    results: list[Value],
    arguments: Arguments,
    node: n.Node,
) -> None:
    """What the functions of ``scan``, ``cond`` and loops return, against what they must."""
    part = ""
    returned = results
    if transform.pair and results:
        part, returned = _parted(results[0])
    if transform.carry is not None and transform.carry.callee < len(returned):
        carry = transform.carry
        before = arguments.get(carry.position, carry.keyword)
        if before is not None and _differ(before, returned[carry.callee]):
            part = "carry"
    elif transform.same_structure and len(results) == 2 and _differ(*results):
        part = "branches"
    if part:
        tracer.emit(StructureMismatch(tracer.context(node), part, name))  # type: ignore[arg-type]


def _parted(result: Value) -> tuple[str, list[Value]]:
    """What is wrong with a pair that the body of a scan returns; the carry in it, if known."""
    if isinstance(result, Sequence):
        if result.items is None:
            return "", []
        return ("", list(result.items[:1])) if len(result.items) == 2 else ("scan", [])
    single = isinstance(result, Array) or result is NONE or is_number(result)
    return ("scan" if single else ""), []


def _differ(one: Value, other: Value) -> bool:
    """Whether two values are pytrees of different structure for certain."""
    found = structure(one), structure(other)
    return None not in found and found[0] != found[1]


# ----------------------------------------------------------------------- questions


def _is_method(function: Transformed) -> bool:
    found = function_under(function)
    return found is not None and found.owner is not None and bool(signature(function.function))


def _may_be_pytree(cls: Class) -> bool:
    traits = cls.traits
    if traits.pytree or traits.library or any(base.keyword for base in cls.definition.bases):
        return True
    return cls.find("__init_subclass__") is not None or cls.find("__jax_array__") is not None


def _unhashable(value: Value) -> str:
    """What an unhashable value is; empty when it can be hashed, or nobody knows."""
    if isinstance(value, Sequence) and value.kind in ("list", "set"):
        return value.kind
    if isinstance(value, Sequence) and value.kind == "tuple" and value.items is not None:
        return next((kind for kind in map(_unhashable, value.items) if kind), "")
    if isinstance(value, Mapping):
        return "dict"
    if isinstance(value, NumpyArray):
        return "NumPy array"
    if isinstance(value, Array):
        return "" if value.assumed else "JAX array"
    if isinstance(value, Instance):
        return _unhashable_instance(value.cls)
    return ""


def _unhashable_instance(cls: Class) -> str:
    """A dataclass that is not frozen compares by its fields, and has no hash."""
    traits = cls.traits
    if not traits.plain_dataclass or traits.frozen or traits.pytree or traits.library:
        return ""
    if cls.find("__hash__") is not None:
        return ""
    return f"{cls.name} object"


def _no_jax_type(value: Value, depth: int = _DEEPEST) -> str:
    """What a value is that JAX has no type for; empty when it may have one."""
    if is_string(value):
        return "string"
    if isinstance(value, (Function, BoundMethod, Transformed)):
        return "function"
    if isinstance(value, Partial):
        return "" if value.pytree else "function"
    if isinstance(value, Class):
        return "class"
    if isinstance(value, Qualified) and value.name.startswith(jax_api.FUNCTION_MODULES):
        return "function"
    if isinstance(value, Instance):
        return "" if _may_be_pytree(value.cls) else f"{value.cls.name} object"
    if isinstance(value, Sequence) and value.kind == "set":
        return "set"
    inside: tuple[Value, ...] = ()
    if depth and isinstance(value, Sequence) and value.kind != "iterator":
        inside = value.items or ()
    elif depth and isinstance(value, Mapping):
        inside = tuple(value.entries.known.values())
    return next((kind for kind in (_no_jax_type(item, depth - 1) for item in inside) if kind), "")
