"""What a transformed function is told by its options, called with, and may return."""

from __future__ import annotations

from jaxlint.events import (
    AxesMismatch,
    BadGradient,
    InvalidArgument,
    InvalidReceiver,
    Site,
    StructureMismatch,
    UnhashableStatic,
    UnknownParameter,
    Untraceable,
)
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_under, parameter_names, signature
from jaxlint.tracer.records import Arguments
from jaxlint.tracer.refusals import argument_nodes, keyword_node
from jaxlint.tracer.repetition import Repetition
from jaxlint.tracer.statics import chosen_by, donated_by, statics_of
from jaxlint.tracer.values import (
    NONE,
    Array,
    BoundMethod,
    Class,
    Const,
    Donated,
    Function,
    Host,
    Instance,
    Mapping,
    NumpyArray,
    Partial,
    Qualified,
    Sequence,
    Transformed,
    Value,
    type_name,
)

_OPTIONS = (
    ("static_argnums", "static_argnames"),
    ("donate_argnums", "donate_argnames"),
    ("static_broadcasted_argnums", ""),
)
_FUNCTION_MODULES = ("jax.numpy.", "jax.lax.", "jax.nn.", "jax.scipy.", "math.")
_CARRIES = {"jax.lax.while_loop": (1, 2, "init_val"), "jax.lax.fori_loop": (0, 3, "init_val")}
"""Position of the body among the callees, then position and keyword of the first carry."""


class Applications(Repetition):
    """Notes options, arguments and results that a transform refuses."""

    # ------------------------------------------------------------------ options

    def check_options(self, function: Transformed, node: n.Node) -> bool:
        """Whether the transform raises for its options, or for what it is to trace."""
        target = function.function
        if not isinstance(target, Function):
            return False
        makes_generator = target.code.is_generator and not target.code.is_async
        if makes_generator and function.transform.static_positions:
            self.emit(Untraceable(self.context(node), "generator function", function.name))
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
                self.emit(
                    UnknownParameter(
                        self.context(node), option, unknown[0], target.code.name, count
                    )
                )
                return True
        return False

    # ---------------------------------------------------------------- arguments

    def check_arguments(self, function: Transformed, arguments: Arguments, node: n.Node) -> bool:
        """Whether the call raises for its arguments; the event is recorded."""
        transform = function.transform
        if transform.traced == "argnums":
            return self._not_differentiable(function, arguments, node)
        if transform.traced == "in_axes":
            return self._axes_mismatch(function, arguments, node)
        if transform.traced != "all" or not transform.static_positions.startswith("static_"):
            return False
        statics = statics_of(function)
        if not statics.known:
            return False
        names = parameter_names(function.function)
        if statics.names - set(names or ()):
            return False  # `functools.wraps` gives a wrapper the signature of another.
        nodes = _nodes_of(arguments, node)
        for position, value in enumerate(arguments.args):
            if position == 0 and transform.skips_self:
                continue
            static = statics.has(position, names)
            if self._refused_argument(function, value, static, nodes[position], position):
                return True
        for name, value in arguments.kwargs.items():
            static = statics.has_name(name, names)
            if self._refused_argument(function, value, static, keyword_node(node, name), None):
                return True
        return False

    def _refused_argument(
        self,
        function: Transformed,
        value: Value,
        static: bool,
        where: n.Node,
        position: int | None,
    ) -> bool:
        self.note_changing(value, static, where, _name(function), function.name)
        if static:
            kind = _unhashable(value)
            if kind:
                self.emit(UnhashableStatic(self.context(where, where), kind, _name(function)))
            return bool(kind)
        if position == 0 and isinstance(value, Instance) and _is_method(function, value):
            return self.check_receiver(function, value)
        kind = _no_jax_type(value)
        if kind:
            made = Site(function.node.origin)
            self.emit(InvalidArgument(self.context(where, where), kind, _name(function), made))
        return bool(kind)

    def check_receiver(self, function: Transformed, receiver: Value) -> bool:
        """A jitted method whose ``self`` is neither static nor a pytree."""
        if not isinstance(receiver, Instance) or function.transform.traced != "all":
            return False
        if not function.transform.static_positions.startswith("static_"):
            return False
        statics = statics_of(function)
        names = parameter_names(function.function)
        if function.transform.skips_self or not statics.known or statics.has(0, names):
            return False
        if _may_be_pytree(receiver.cls):
            return False
        owner = receiver.cls.definition.name
        context = self.context(function.node)
        self.emit(InvalidReceiver(context, function.name, owner, _name(function)))
        return True

    def _axes_mismatch(self, function: Transformed, arguments: Arguments, node: n.Node) -> bool:
        if function.name != "jax.vmap":
            return False
        axes = function.options.get("in_axes")
        known = isinstance(axes, Sequence) and axes.kind == "tuple" and axes.items is not None
        if not known or arguments.open_args is not None or isinstance(function.function, Partial):
            return False
        assert isinstance(axes, Sequence)
        assert axes.items is not None
        if len(axes.items) == len(arguments.args) or not arguments.args:
            return False
        count = len(arguments.args)
        self.emit(AxesMismatch(self.context(node), len(axes.items), _name(function), count))
        return True

    # ---------------------------------------------------------------- gradients

    def _not_differentiable(
        self, function: Transformed, arguments: Arguments, node: n.Node
    ) -> bool:
        if function.name not in ("jax.grad", "jax.value_and_grad"):
            return False
        if isinstance(function.options.get("allow_int"), (Const, Host)):
            return False
        chosen = chosen_by(function, "argnums", "")
        positions = chosen.positions or ({0} if "argnums" not in function.options else set())
        nodes = _nodes_of(arguments, node)
        for position in sorted(positions):
            if chosen.known and position < len(arguments.args):
                value = arguments.args[position]
                dtype = value.dtype if isinstance(value, Array) else type_name(value)
                if dtype in ("int", "bool", "str"):
                    context = self.context(node, nodes[position])
                    self.emit(BadGradient(context, "input", dtype, function.name, _name(function)))
                    return True
        return False

    def check_result(self, function: Transformed, result: Value, node: n.Node) -> None:
        """What a transformed function may not return."""
        if function.name in ("jax.grad", "jax.value_and_grad"):
            aux = function.options.get("has_aux")
            array = isinstance(result, Array) and bool(result.rank)
            pair = isinstance(result, Sequence) and aux is None
            if array or pair:
                assert isinstance(result, (Array, Sequence))
                what = f"an array of {result.rank} axes" if isinstance(result, Array) else "a tuple"
                context = self.context(node)
                self.emit(BadGradient(context, "output", what, function.name, _name(function)))
        elif function.transform.static_positions.startswith("static_"):
            if type_name(result) == "str":
                self.emit(Untraceable(self.context(node), "string", function.name))

    def check_carry(
        self, name: str, results: list[Value], arguments: Arguments, node: n.Node
    ) -> None:
        """What the functions of ``scan``, ``cond`` and loops return, against what they must."""
        if name == "jax.lax.scan" and results:
            result = results[0]
            pair = isinstance(result, Sequence) and len(result.items or (0, 0)) == 2
            single = isinstance(result, Array) or result is NONE or _is_plain_number(result)
            if single or (isinstance(result, Sequence) and not pair):
                self.emit(StructureMismatch(self.context(node), "scan", name))
        elif name in _CARRIES and results:
            position, first, keyword = _CARRIES[name]
            before = arguments.get(first, keyword)
            after = results[position] if position < len(results) else None
            if before is not None and after is not None and _other_structure(before, after):
                self.emit(StructureMismatch(self.context(node), "carry", name))
        elif name == "jax.lax.cond" and len(results) == 2 and _other_structure(*results):
            self.emit(StructureMismatch(self.context(node), "branches", name))

    # ----------------------------------------------------------------- donation

    def mark_donated(
        self, function: Transformed, arguments: Arguments, result: Value, node: n.Node
    ) -> None:
        """The variables whose buffers this call gave away."""
        if self.level is not None or not isinstance(node, n.Call):
            return
        donated = donated_by(function)
        if not donated.positions and not donated.names:
            return
        names = parameter_names(function.function)
        nodes = _nodes_of(arguments, node)
        for position, value in enumerate(arguments.args):
            if donated.has(position, names):
                self._give_away(nodes[position], value, result, function, node)
        for name, value in arguments.kwargs.items():
            if donated.has_name(name, names):
                self._give_away(keyword_node(node, name), value, result, function, node)

    def _give_away(
        self, where: n.Node, value: Value, result: Value, function: Transformed, node: n.Node
    ) -> None:
        if not isinstance(where, n.Name) or where.id not in self.frame.names:
            return
        if isinstance(value, (Const, Host, Function, Class)):
            return
        if isinstance(value, Array) and isinstance(result, Array):
            if value.rank is not None and result.rank is not None and value.rank != result.rank:
                return  # No output can take the buffer over: it is kept.
        self.frame.names[where.id] = Donated(value, _name(function), node)


def _nodes_of(arguments: Arguments, node: n.Node) -> list[n.Node]:
    """The expression of each positional argument; the call where none is written out."""
    nodes = argument_nodes(node)
    hidden = len(arguments.args) - len(nodes)
    if hidden > 0 and isinstance(node, n.Call):
        starred = any(item.star for item in node.arguments)
        return [*nodes, *[node] * hidden] if starred else [*[node] * hidden, *nodes]
    return nodes if hidden == 0 else [node] * len(arguments.args)


def _name(function: Transformed) -> str:
    found = function_under(function)
    if found is not None:
        return found.code.name
    inner = function.function
    return inner.name.rpartition(".")[2] if isinstance(inner, Qualified) else "the function"


def _is_method(function: Transformed, receiver: Instance) -> bool:
    found = function_under(function)
    return found is not None and found.owner is not None and bool(signature(function.function))


def _may_be_pytree(cls: Class) -> bool:
    if cls.pytree or cls.library or any(base.keyword for base in cls.definition.bases):
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
    return ""


def _no_jax_type(value: Value, depth: int = 3) -> str:
    """What a value is that JAX has no type for; empty when it may have one."""
    if type_name(value) == "str":
        return "string"
    if isinstance(value, (Function, BoundMethod, Transformed, Partial)):
        return "function"
    if isinstance(value, Class):
        return "class"
    if isinstance(value, Qualified) and value.name.startswith(_FUNCTION_MODULES):
        return "function"
    if isinstance(value, Instance):
        return "" if _may_be_pytree(value.cls) else f"{value.cls.definition.name} object"
    if isinstance(value, Sequence) and value.kind == "set":
        return "set"
    if depth and isinstance(value, Sequence) and value.items is not None:
        inner = (_no_jax_type(item, depth - 1) for item in value.items)
        return next((kind for kind in inner if kind), "") if value.kind != "iterator" else ""
    if depth and isinstance(value, Mapping):
        inner = (_no_jax_type(item, depth - 1) for item in value.entries.values())
        return next((kind for kind in inner if kind), "")
    return ""


def _is_plain_number(value: Value) -> bool:
    return type_name(value) in ("int", "float", "bool", "complex")


def _other_structure(one: Value, other: Value) -> bool:
    """Whether two values are pytrees of different structure for certain."""
    shapes = [_structure(value) for value in (one, other)]
    return None not in shapes and shapes[0] != shapes[1]


def _structure(value: Value) -> object:
    """The outermost structure of a pytree; None when it is unknown."""
    if value is NONE:
        return "None"
    if isinstance(value, (Array, NumpyArray)) or _is_plain_number(value):
        return None if isinstance(value, Array) and value.assumed else "array"
    if isinstance(value, Sequence) and value.kind in ("tuple", "list") and value.items is not None:
        return (value.kind, len(value.items))
    if isinstance(value, Mapping) and value.rest is None:
        return ("dict", tuple(sorted(map(str, value.entries))))
    return None
