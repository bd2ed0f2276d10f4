"""What a measured function or method returns, as abstract values."""

from __future__ import annotations

from jaxlint.knowledge import dtypes, jax_api, overrides
from jaxlint.knowledge.measured import result_of, signature_of, usual_kind
from jaxlint.knowledge.mismatches import refuses_impossible
from jaxlint.knowledge.probabilities import MAKES
from jaxlint.program import nodes as n
from jaxlint.tracer.operations import predictions
from jaxlint.tracer.operations.fit import note_mismatch
from jaxlint.tracer.operations.integers import called
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values import shapes
from jaxlint.tracer.values.arrays import ANY, Array, NumpyArray, Tree, aval_of_number
from jaxlint.tracer.values.avals import Aval, Shape
from jaxlint.tracer.values.containers import (
    Sequence,
    SequenceKind,
    contents_like,
    contents_of,
    sequence,
)
from jaxlint.tracer.values.given import Abstract, Constant, Dimension, Items, OfDType
from jaxlint.tracer.values.objects import Qualified
from jaxlint.tracer.values.pytrees import map_leaves
from jaxlint.tracer.values.results import Outcome, evaluate
from jaxlint.tracer.values.value import (
    NONE,
    UNKNOWN,
    Const,
    Host,
    Value,
    is_number,
    replace,
    type_name,
)

_DEEPEST = 8
"""Sequences inside of sequences of which arrays are made: a list may hold itself."""

_HOST_TYPES = frozenset({"int", "float", "complex", "bool", "str", "shape", "dtype"})


def measured_result(
    tracer: Tracer,
    name: str,
    arguments: Arguments,
    node: n.Node,
    varies: n.Node | None = None,
) -> Value | None:
    """What a function of JAX returns by the measured table; None when the table does not say.

    Args:
        tracer: the run.
        name: its qualified name; ``jax.Array.sum`` of a method, whose first argument is the array.
        arguments: of the call.
        node: the call.
        varies: the loop at whose every iteration the result has another shape.
    """
    row = signature_of(name)
    if row is None or name in overrides.SHAPES_IN_AND_OUT:
        return None
    given = _given(tracer, name, arguments)
    outcome = evaluate(name, given, tracer.settings.x64) if arguments.closed else None
    if outcome is None or outcome.kind == "unknown":
        return _by_kind(tracer, name, arguments, node, varies)
    if outcome.contradiction and refuses_impossible(name):
        # What a key has drawn has nothing to do with the shape of the key.
        others = [value for value in arguments.all() if not _is_key(value)]
        note_mismatch(tracer, others, node, by_jax=True)
    return _value(tracer, outcome, name, arguments, node, varies)


def _is_key(value: Value) -> bool:
    return isinstance(value, Array) and value.prng is not None


def measured_aval(tracer: Tracer, name: str, arguments: Arguments) -> Aval:
    """What the table says of the array that a function of JAX returns."""
    if signature_of(name) is None or not arguments.closed:
        return ANY
    outcome = evaluate(name, _given(tracer, name, arguments), tracer.settings.x64)
    return outcome.aval if outcome is not None and outcome.kind == "array" else ANY


def measured_shape(tracer: Tracer, name: str, arguments: Arguments) -> Shape:
    """The shape of the array that a function of JAX returns, as far as the table says."""
    return measured_aval(tracer, name, arguments).shape


def described(tracer: Tracer, arguments: Arguments) -> Aval:
    """What a shape and a dtype say of an array, as ``jnp.empty`` takes them."""
    name = f"{jax_api.NUMPY}.empty"
    outcome = evaluate(name, _given(tracer, name, arguments), tracer.settings.x64)
    return outcome.aval if outcome is not None and outcome.kind == "array" else ANY


def _by_kind(
    tracer: Tracer, name: str, arguments: Arguments, node: n.Node, varies: n.Node | None
) -> Value | None:
    """Of some functions, and of some calls, only the kind of result is certain."""
    kind = usual_kind(name)
    if kind == "array":
        return tracer.array(arguments.all(), node, name, ANY, varies)
    if kind == "host":
        row = result_of(name)
        types = {case.type for case in row.cases} if row is not None else set()
        return _host(tracer, types.pop() if len(types) == 1 else "", name, arguments, node)
    if kind == "tuple":
        if jax_api.ONE_RESULT_OPTIONS & arguments.kwargs.keys():
            return UNKNOWN
        element = tracer.array(arguments.all(), node, name)
        return Sequence("tuple", contents_like(element), tracer.stack.moment())
    return None


def _value(
    tracer: Tracer,
    outcome: Outcome,
    name: str,
    arguments: Arguments,
    node: n.Node,
    varies: n.Node | None,
) -> Value | None:
    operands = arguments.all()
    if outcome.kind == "array":
        found = tracer.array(operands, node, name, outcome.aval, varies)
        if name in MAKES:
            found = replace(found, of_logits=MAKES[name])
        found = predictions.called(tracer, name, arguments, found)
        return called(tracer, name, arguments, found, node)
    if outcome.kind == "host":
        return _host(tracer, outcome.type, name, arguments, node)
    if outcome.kind == "none":
        return NONE
    if outcome.kind == "like":
        return _like(tracer, name, arguments, outcome.type, node)
    elements = [
        tracer.array(operands, node, name, aval) if aval is not None else Host("object")
        for aval in outcome.avals
    ]
    kind: SequenceKind = "list" if outcome.kind == "list" else "tuple"
    made = tracer.stack.moment()
    if outcome.count is not None and len(elements) == outcome.count:
        return sequence(kind, contents_of(elements), made)
    return sequence(kind, contents_like(elements[0] if elements else UNKNOWN), made)


def _host(tracer: Tracer, kind: str, name: str, arguments: Arguments, node: n.Node) -> Value:
    first = arguments.args[0] if arguments.args else None
    short = name.rpartition(".")[2]
    if isinstance(first, Array) and short in jax_api.ARRAY_HOST_ATTRIBUTES:
        if len(arguments.args) == 1 and not arguments.kwargs:
            return tracer.attribute(first, short, node)
    return Host(kind if kind in _HOST_TYPES else "object")


def _like(tracer: Tracer, name: str, arguments: Arguments, parameter: str, node: n.Node) -> Value:
    """A pytree of the structure of an argument."""
    row = signature_of(name)
    position = row.parameters.index(parameter) if row is not None else 0
    value = arguments.get(position, parameter)

    def leaf(item: Value) -> Value:
        if isinstance(item, (Array, NumpyArray)):
            return tracer.array([item], node, name, item.aval)
        if isinstance(item, Tree):
            return item
        return tracer.array([item], node, name) if is_number(item) else tracer.unseen(item)

    return map_leaves(value, leaf, tracer.stack.moment()) if value is not None else UNKNOWN


# ----------------------------------------------------------------------- arguments


def _given(tracer: Tracer, name: str, arguments: Arguments) -> dict[str, Abstract]:
    """The arguments by parameter, as the rules for results see them."""
    row = signature_of(name)
    assert row is not None
    given: dict[str, Abstract] = {}
    rest: list[Abstract] = []
    for position, value in enumerate(arguments.args):
        parameter = row.name_of(position)
        if parameter == row.starred:
            rest.append(_abstract(tracer, value))
        else:
            given[parameter] = _abstract(tracer, value)
    if rest:
        given[row.starred] = Items(tuple(rest))
    for parameter, value in arguments.kwargs.items():
        given[parameter] = _abstract(tracer, value)
    return given


def _abstract(tracer: Tracer, value: Value, depth: int = _DEEPEST) -> Abstract:
    if isinstance(value, Array):
        return value.aval if value.prng is None else shapes.UNKNOWN
    if isinstance(value, NumpyArray):
        return value.aval
    if isinstance(value, Const):
        return Constant(value.value)
    if isinstance(value, Host):
        return _abstract_host(tracer, value)
    if isinstance(value, Sequence) and value.kind in ("tuple", "list"):
        if value.items is None or not depth:
            return shapes.UNKNOWN
        return Items(tuple(_abstract(tracer, item, depth - 1) for item in value.items))
    if isinstance(value, Qualified):
        module, _, name = value.name.rpartition(".")
        if module in dtypes.MODULES_OF_DTYPES or value.name in jax_api.PYTHON_DTYPES:
            return OfDType(dtypes.DTYPE_ALIASES.get(name, name))
    return shapes.UNKNOWN


def _abstract_host(tracer: Tracer, value: Host) -> Abstract:
    if value.type == "int":
        return Dimension(value.size)
    if value.name is not None:
        return OfDType(value.name)
    if type_name(value) in ("float", "complex", "bool"):
        aval: Aval = aval_of_number(value.type, tracer.settings.x64)
        return aval
    return shapes.UNKNOWN
