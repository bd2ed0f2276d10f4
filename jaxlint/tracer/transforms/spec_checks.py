"""Specs of a function that runs on pieces of arrays, against its arguments and its result."""

from __future__ import annotations

from jaxlint.events import SpecMismatch, UncheckedOutput, VaryingAxis
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import name_of, signature
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, nodes_of
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.axis_names import told_apart, unchecked
from jaxlint.tracer.values.arrays import Array, aval_of_number
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.pytrees import flattened, tracers
from jaxlint.tracer.values.sizes import Dim
from jaxlint.tracer.values.specs import Misfit, misfit, pieces, spec_of
from jaxlint.tracer.values.value import Value, is_number, type_name


def refused_specs(
    tracer: Tracer, function: Transformed, arguments: Arguments, node: n.Node
) -> bool:
    """Whether the call raises because its arguments do not fit ``in_specs``."""
    row, called = function.transform, name_of(function)
    specs = function.options.get(row.specs)
    if isinstance(specs, Sequence) and specs.items is not None:
        has, wants = len(specs.items), len(arguments.args)
        if has != wants and (_is_written(arguments, node) or not _may_get(function, has)):
            context = tracer.context(node)
            tracer.emit(SpecMismatch(context, row.specs, "count", has, wants, function=called))
            return True
    nodes = nodes_of(arguments, node)
    for position, value in enumerate(arguments.args):
        found = _misfit(function, spec_of(specs, position), value, exact=True)
        if found is not None:
            context = tracer.context(node, nodes[position], value)
            tracer.emit(SpecMismatch(context, row.specs, *found, called))
            return True
    return False


def _is_written(arguments: Arguments, node: n.Node) -> bool:
    """Whether these are the arguments of a call in view, each written out."""
    latent = any(
        each.reason is not None and each.reason.root.latent
        for value in arguments.args
        for each in tracers(value)
    )
    written = len(argument_nodes(node)) == len(arguments.args)
    return arguments.closed and not arguments.kwargs and written and not latent


def _may_get(function: Transformed, count: int) -> bool:
    """Whether a function can be called with so many positional arguments."""
    parameters = signature(function.function)
    if parameters is None or any(p.kind == "star" for p in parameters):
        return True
    positional = [p for p in parameters if p.kind in ("positional", "positional_only")]
    return sum(p.default is None for p in positional) <= count <= len(positional)


def note_out_specs(tracer: Tracer, function: Transformed, result: Value, node: n.Node) -> None:
    """A result that does not fit ``out_specs``."""
    row, called = function.transform, name_of(function)
    specs = function.options.get(row.out_specs)
    count = _parts(result)
    if isinstance(specs, Sequence) and specs.items is not None and specs.kind == "tuple":
        has = len(specs.items)
        if isinstance(result, Array) and not result.assumed:
            context = tracer.context(node)
            tracer.emit(SpecMismatch(context, row.out_specs, "count", has, None, function=called))
            return
        if count is not None and count != has:
            context = tracer.context(node)
            tracer.emit(SpecMismatch(context, row.out_specs, "count", has, count, function=called))
            return
        parts = list(result.items or ()) if isinstance(result, Sequence) else []
    else:
        parts = [result]
    told = [(spec_of(specs, position), value) for position, value in enumerate(parts)]
    if _note_varying(tracer, function, told, node):
        return
    for position, value in enumerate(parts):
        found = _misfit(function, spec_of(specs, position), value, exact=False)
        if found is not None:
            context = tracer.context(node)
            tracer.emit(SpecMismatch(context, row.out_specs, *found, called))
            return


def _note_varying(
    tracer: Tracer, function: Transformed, told: list[tuple[Value | None, Value]], node: n.Node
) -> bool:
    """Whether some part of the result differs along an axis that its spec does not name."""
    known = told_apart(function)
    for spec, value in told if known else ():
        if not isinstance(spec, External) or spec.entries is None or None in spec.entries:
            continue
        if not known.issuperset(spec.axes or ()):
            continue  # JAX refuses the spec.
        for leaf, _ in flattened(value):
            found = leaf.varying if isinstance(leaf, Array) else None
            for axis in sorted((found or frozenset()) - set(spec.axes or ())):
                called, context = name_of(function), tracer.context(node)
                if unchecked(function):
                    tracer.emit(UncheckedOutput(context, axis, called))
                else:
                    tracer.emit(VaryingAxis(context, axis, "output", called))
                return True
    return False


def _parts(result: Value) -> int | None:
    """How many elements a tuple has that a function returns."""
    if isinstance(result, Sequence) and result.kind == "tuple" and result.items is not None:
        return len(result.items)
    return None


def _misfit(function: Transformed, spec: Value | None, value: Value, exact: bool) -> Misfit | None:
    """Why some array of a value cannot be cut by a spec; ``exact``: into pieces of one size."""
    cut = pieces(function.options.get(function.transform.mesh), spec)
    if cut is None:
        return None
    if not exact:
        cut = (None,) * len(cut)
    for leaf, _ in flattened(value):
        shape = _shape(leaf)
        found = misfit(shape, cut) if shape is not None else None
        if found is not None:
            return found
    return None


def _shape(leaf: Value) -> tuple[Dim, ...] | None:
    if isinstance(leaf, Array) and not leaf.assumed:
        return leaf.aval.shape
    return aval_of_number(type_name(leaf), False).shape if is_number(leaf) else None
