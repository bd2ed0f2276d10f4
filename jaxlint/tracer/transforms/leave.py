"""What the caller of a transformed function gets back."""

from __future__ import annotations

from itertools import chain

from jaxlint.knowledge import jax_api
from jaxlint.knowledge.processes import SET
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_under
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.kept_parameters import kept_in
from jaxlint.tracer.transforms.leaf_types import arrays_alone, no_jax_type
from jaxlint.tracer.transforms.mapped import (
    axes_of,
    axis_of_result,
    is_of_jax,
    size_of_mapped,
)
from jaxlint.tracer.values.arrays import (
    ANY,
    Array,
    Key,
    NumpyArray,
    Reach,
    Tree,
    Varying,
    aval_of_number,
    aval_of_rank,
    differing,
    kind_of,
)
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Mapping, Sequence, tuple_of
from jaxlint.tracer.values.derivations import LEFT, Derivation
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.objects import BoundMethod, Function, Instance, Qualified, Transformed
from jaxlint.tracer.values.placement import varying_in
from jaxlint.tracer.values.pytrees import deciding, keys_in, leaves, map_leaves, tracers
from jaxlint.tracer.values.sizes import Dim, Shape
from jaxlint.tracer.values.specs import in_force, names_nothing
from jaxlint.tracer.values.value import (
    NONE,
    NUMBERS,
    UNKNOWN,
    Const,
    Unknown,
    Value,
    is_number,
    replace,
    type_name,
)


def leave(
    tracer: Tracer, function: Transformed, result: Value, arguments: Arguments, node: n.Node
) -> Value:
    """The result of a transformed function as its caller sees it."""
    kind = function.transform.result
    operands = [*arguments.all(), *closed_over(tracer, [function.function])]
    if kind == "unknown":
        return tracer.unseen(*operands) if function.transform.computes else UNKNOWN
    if kind in ("gradient", "value_and_gradient"):
        return _gradient(tracer, function, result, arguments, operands, node)
    by_type = function.transform.traced == "arrays"
    whole, newest = function.transform.whole, Key.newest
    found = outside(tracer, result, operands, node, function.name, not by_type, whole)
    if function.transform.broadcasts:
        found = map_leaves(found, _of_any_shape)
    elif function.transform.concreteness == "mapped":
        batch = size_of_mapped(function, arguments) if is_of_jax(function) else None
        if "in_axes" not in function.options:
            batch = length_of(arguments.all())
        found = stacked(
            found, batch, axis_of_result(function), _passed_through(function, arguments), newest
        )
    if function.transform.each:
        found = map_leaves(found, _of_any_shape)
    if function.transform.mesh and not names_nothing(
        function.options.get(function.transform.out_specs)
    ):
        found = map_leaves(found, _of_any_size)
    sharding = in_force(tracer.mesh.get(SET), function.options.get("out_shardings"))
    if isinstance(sharding, External) and sharding.reach:
        reach = sharding.reach
        found = map_leaves(found, lambda leaf: _placed(leaf, reach))
    if kind == "error_and_value":
        return tuple_of([UNKNOWN, found])
    return _again(result, found)


def _again(result: Value, found: Value) -> Value:
    """Of what a function gives anyway a transform makes the same with other shapes."""
    again = result.again if isinstance(result, (Unknown, Tree)) else None
    if again is None or again.besides is not None or not isinstance(found, (Unknown, Tree)):
        return found
    return replace(found, again=replace(again, mapped=True))


def _placed(value: Value, reach: Reach) -> Value:
    return replace(value, reach=reach, differs=None) if isinstance(value, Array) else value


def _of_any_shape(value: Value) -> Value:
    if not isinstance(value, Array):
        return value
    return replace(value, aval=Aval(None, value.aval.dtype), prng=None)


def _of_any_size(value: Value) -> Value:
    """An array put together of pieces."""
    if not isinstance(value, Array) or value.aval.shape is None:
        return value
    return replace(value, aval=replace(value.aval, shape=(None,) * len(value.aval.shape)))


def outside(
    tracer: Tracer,
    result: Value,
    operands: list[Value],
    node: n.Node,
    name: str,
    arrays: bool = True,
    whole: bool = False,
    way: str = LEFT,
) -> Value:
    """A result of a traced function as the code around the transform sees it.

    ``arrays``: the transform makes arrays of all leaves, of numbers and of those that nobody can
    see; else numbers stay what they are.
    ``whole``: it runs the function once, on the arguments as they are. ``way``: what says how a
    result outside was computed, of which the operand is the one inside.
    """
    level, inside = tracer.stack.level, bool(tracer.stack.told_apart())
    staged = level is not None and level.stages
    # Once for all leaves: a result may have as many as there are operands.
    unseen = tracer.unseen(*operands)
    parts = [part for operand in operands for part in leaves(operand)]
    everywhere = any(isinstance(part, Array) and part.reach for part in parts)
    reach: Reach = "all" if everywhere else ""
    differs = differing(parts) if not everywhere else None
    operands = [operand for operand in deciding(operands) if operand is not None]

    def leaf(value: Value) -> Value:
        if isinstance(value, Array):
            found = _told_of(value, tracer.array(operands, node, name, value.aval))
            if whole:
                found = replace(found, extent=value.extent)
            if inside:
                found = replace(found, varying=value.varying)
            if everywhere or differs is not None:
                found = replace(found, reach=reach, differs=differs)
            if value.derived is not None:
                # A cotangent goes back into what the transform has run.
                derived = Derivation(way, (value,), node, tracer.stack.chain)
                found = replace(found, perturbed=value.perturbed, derived=derived)
            return found if value.prng is None else replace(found, prng=_left(tracer, value.prng))
        if isinstance(value, Tree):
            found_tree = Tree(value.reason, "abstract", value.container, perturbed=value.perturbed)
            return found_tree if staged else UNKNOWN
        if isinstance(value, Unknown):
            if staged and arrays:
                return _leaves_out_of_view(tracer, operands, node, name)
            own = tracer.unseen(value)
            return own if own.source is not None else unseen
        if isinstance(value, External) and not arrays:
            return replace(value)  # A layer comes out as one with other parameters.
        if (type_name(value) in NUMBERS or isinstance(value, Qualified)) and not arrays:
            return value
        if type_name(value) in NUMBERS:
            aval = aval_of_number(type_name(value), tracer.settings.x64)
            found = tracer.array(operands, node, name, aval)
            return replace(found, varying=frozenset()) if inside else found
        return NONE if value is NONE else UNKNOWN

    if isinstance(result, (Sequence, Mapping)) or (
        isinstance(result, Instance) and result.cls.traits.pytree
    ):
        return map_leaves(result, leaf, tracer.stack.moment(), fresh=True)
    return leaf(result)


def _left(tracer: Tracer, key: Key) -> Key:
    """A key of a result: made inside, it is another one at each call; passed through, the same."""
    if key.made_in is tracer.stack.level:
        return key
    new = tracer.keys.new(key.constant, key.count)
    tracer.analyses.on_key_left(key, new)
    return new


def _told_of(value: Array, found: Array) -> Array:
    """A result with what the one inside tells of it, besides shape and dtype."""
    if value.assumed:
        found = replace(found, assumed=True, no_list=value.no_list)
    return replace(found, of_logits=value.of_logits) if value.of_logits is not None else found


def _leaves_out_of_view(tracer: Tracer, operands: list[Value], node: n.Node, name: str) -> Value:
    """A pytree of arrays made here, whatever its structure."""
    return Tree(tracer.array(operands, node, name).reason, "abstract")


def length_of(values: list[Value]) -> Dim:
    """The size of the first axis of arrays that are taken apart along it; None: not known."""
    found = {
        leaf.aval.shape[0] if isinstance(leaf, (Array, NumpyArray)) and leaf.aval.shape else None
        for value in values
        for leaf in leaves(value)
    }
    known = [size for size in found if size is not None]
    return known[0] if len(known) == 1 else None


def _passed_through(function: Transformed, arguments: Arguments) -> frozenset[int]:
    """Serial numbers of the keys that come out as they went in, where a function returns them."""
    if axis_of_result(function) != 0:
        return frozenset()
    mapped = (arguments.args[at] for at, axis in axes_of(function, arguments) if axis == 0)
    return frozenset(key.serial for value in mapped for key in keys_in(value))


def stacked(
    value: Value,
    length: Dim = None,
    axis: int | None = 0,
    kept: frozenset[int] = frozenset(),
    newest: int | None = None,
) -> Value:
    """A result of which there is one for each element: its arrays have one more axis.

    Args:
        value: the result for one element, a pytree.
        length: how many elements there are; None when that is not known.
        axis: which axis of the whole the new one is; None when that is not known.
        kept: serial numbers of keys of which the elements are put together again.
        newest: of the last key before those that each element has made for itself.
    """

    def leaf(item: Value) -> Value:
        if not isinstance(item, Array):
            return item
        new = replace(item.aval, shape=_with_axis(item.aval.shape, length, axis))
        stays = _stays(item, kept, newest if axis == 0 else None)
        return replace(item, aval=new, prng=item.prng if stays else None)

    return map_leaves(value, leaf)


def _stays(item: Array, kept: frozenset[int], newest: int | None) -> bool:
    """Whether the keys of all elements are an array of which it is known who makes them."""
    key = item.prng
    if key is None or key.serial in kept:
        return key is not None
    return newest is not None and key.serial > newest and key.count is None


def _with_axis(shape: Shape, length: Dim, axis: int | None) -> Shape:
    if shape is None or axis is None or not -len(shape) - 1 <= axis <= len(shape):
        return None
    at = axis % (len(shape) + 1)
    return (*shape[:at], length, *shape[at:])


def closed_over(tracer: Tracer, functions: list[Value]) -> list[Value]:
    """Tracers that functions bring along from around them."""
    found: list[Value] = []
    if tracer.stack.level is None:
        return found
    for value in functions:
        receiver = value.receiver if isinstance(value, BoundMethod) else value
        found += [*tracers(receiver), *kept_in(tracer, receiver)]
        function = function_under(value)
        if function is None:
            continue
        scope = function.code.scope
        for name in (scope.reads | scope.inner_reads) - scope.bound:
            frame: Frame | None = function.frame
            while frame is not None and name not in frame.names:
                frame = frame.parent
            if frame is not None:
                held = frame.names[name]
                found += [*tracers(held), *kept_in(tracer, held)]
    return found


def is_closure(value: Value | None) -> bool:
    """Whether a function may read variables of a function around it."""
    if not isinstance(value, Function):
        return value is not None
    scope = value.code.scope
    return any(scope.hops(name) > 0 for name in (scope.reads | scope.inner_reads) - scope.bound)


def _gradient(
    tracer: Tracer,
    function: Transformed,
    result: Value,
    arguments: Arguments,
    operands: list[Value],
    node: n.Node,
) -> Value:
    aux = function.options.get("has_aux")
    has_aux = aux is not None and not (isinstance(aux, Const) and not aux.value)
    extra: Value = UNKNOWN
    if has_aux and isinstance(result, Sequence) and result.items and len(result.items) == 2:
        result, extra = result.items
        extra = outside(tracer, extra, operands, node, function.name, arrays=False)
    elif has_aux:
        result = UNKNOWN
    gradient = _gradient_alone(tracer, function, result, arguments, operands, node)
    if function.transform.result == "gradient":
        return tuple_of([gradient, extra]) if has_aux else gradient
    aval = replace(result.aval, shape=()) if isinstance(result, Array) else aval_of_rank(0)
    made = tracer.array(operands, node, function.name, aval)
    value: Value = replace(made, varying=result.varying if isinstance(result, Array) else None)
    return tuple_of([tuple_of([value, extra]) if has_aux else value, gradient])


def _gradient_alone(
    tracer: Tracer,
    function: Transformed,
    result: Value,
    arguments: Arguments,
    operands: list[Value],
    node: n.Node,
) -> Value:
    """One for each argument that ``argnums`` lists, or the one of the argument that it is.

    A Jacobian has the structure of the result, too.
    """
    chosen = function.options.get("argnums") or Const(0)

    def of(part: Value) -> Value:
        gradient = _Gradient(tracer, function, part, operands, node)
        if isinstance(chosen, Sequence) and chosen.items is not None:
            return gradient.of_each([_chosen(arguments, each) for each in chosen.items])
        return gradient.of(_chosen(arguments, chosen))

    if function.transform.derivative == "gradient" or isinstance(result, Array):
        return of(result)
    if isinstance(result, (Sequence, Mapping)):
        return map_leaves(result, of, tracer.stack.moment(), fresh=True)
    return of(result) if is_number(result) else of(UNKNOWN)


def _chosen(arguments: Arguments, argnum: Value) -> Value:
    """The argument that a number among ``argnums`` chooses; unknown if nobody sees which."""
    if not isinstance(argnum, Const) or not isinstance(argnum.value, int):
        return UNKNOWN
    position = argnum.value
    if position < 0 and arguments.open_args is None:
        position += len(arguments.args)
    return arguments.get(position) or UNKNOWN


class _Gradient:
    """The derivative of one part of a result by an argument."""

    def __init__(
        self,
        tracer: Tracer,
        function: Transformed,
        result: Value,
        operands: list[Value],
        node: n.Node,
    ) -> None:
        self.tracer = tracer
        self.function = function
        self.result = result
        self.operands = operands
        self.node = node

    def of(self, target: Value) -> Value:
        """By a pytree it is a pytree of the same structure."""
        pytree = isinstance(target, (Sequence, Mapping)) or (
            isinstance(target, Instance) and target.cls.traits.pytree
        )
        if self.function.transform.is_second:
            return self._leaf(target, target)
        if pytree:
            return map_leaves(target, self._leaf, self.tracer.stack.moment(), fresh=True)
        return self._leaf(target)

    def of_each(self, targets: list[Value]) -> Value:
        """By several arguments: a tuple; a Hessian has a tuple of tuples, by each pair of them."""
        if not self.function.transform.is_second:
            return tuple_of([self.of(target) for target in targets])
        pairs = ([self._leaf(first, second) for second in targets] for first in targets)
        return tuple_of([tuple_of(row) for row in pairs])

    def _leaf(self, *targets: Value) -> Value:
        """By one argument, or by one and then another."""
        tracer, name = self.tracer, self.function.name
        if self.function.transform.traced == "arrays" and len(targets) == 1:
            if _is_left_out(targets[0]):
                return NONE
            if isinstance(targets[0], External):
                return arrays_alone(targets[0])
        if all(map(_is_leaf, targets)):
            made = tracer.array(self.operands, self.node, name, self._aval(targets))
            return replace(made, varying=self._varying(targets)) if self._is_unchecked() else made
        target, level = targets[-1], tracer.stack.level
        if target is NONE or level is None or not level.stages:
            return target if target is NONE else UNKNOWN
        made = tracer.array(self.operands, self.node, name)
        return Tree(made.reason, "abstract")

    def _is_unchecked(self) -> bool:
        """Whether JAX sums no gradients by itself, nor does a rule of the program."""
        loaded = self.tracer.module.loaded
        return self.tracer.stack.unchecked() and jax_api.TAKES_RULES.isdisjoint(loaded)

    def _varying(self, targets: tuple[Value, ...]) -> Varying:
        """Where what is differentiated differs from device to device, so do its gradients."""
        axes, own = varying_in(self.result), [varying_in(target) for target in targets]
        known = [each for each in own if each is not None]
        return axes.union(*known) if axes and len(known) == len(own) else None

    def _aval(self, targets: tuple[Value, ...]) -> Aval:
        """Of the argument's shape and dtype; a Jacobian has the axes of the result before them."""
        found = [_aval_of(target, self.tracer.settings.x64) for target in targets]
        if self.function.transform.derivative == "gradient":
            return found[0]
        whole = self.result.aval if isinstance(self.result, Array) else ANY
        shapes = [aval.shape for aval in (whole, *found) if aval.shape is not None]
        if len(shapes) <= len(found):
            return ANY
        dtype = whole.dtype if all(aval.dtype == whole.dtype for aval in found) else None
        return Aval(tuple(chain.from_iterable(shapes)), dtype)


def _is_leaf(target: Value) -> bool:
    return isinstance(target, (Array, NumpyArray)) or type_name(target) in ("float", "int")


def _is_left_out(target: Value) -> bool:
    """Whether a transform that differentiates by arrays of floats alone gives None for a leaf."""
    if isinstance(target, Array):
        return kind_of(target.dtype) in ("int", "bool", "key")
    return is_number(target) or bool(no_jax_type(target))


def _aval_of(value: Value, x64: bool | None) -> Aval:
    if isinstance(value, (Array, NumpyArray)):
        return value.aval
    return aval_of_number("float", x64) if type_name(value) == "float" else aval_of_rank(0)
