"""``jax.lax.scan(f, init, xs)`` and its like: functions that are called at once."""

from __future__ import annotations

from contextlib import nullcontext

from jaxlint.events import Reason, Site
from jaxlint.knowledge.transform import GIVES_LIKE, Callee, Feed, Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import function_like, signature
from jaxlint.tracer.operations.conversions import refuses_value
from jaxlint.tracer.operations.iteration import element_of, iterate
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.state.stack import Alternative
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.apply import level_of
from jaxlint.tracer.transforms.callback_checks import note_returned, refused_description
from jaxlint.tracer.transforms.callee_checks import (
    is_data,
    note_elements,
    refused_bounds,
    refused_choice,
    refused_count,
    refused_operand,
    refused_value,
)
from jaxlint.tracer.transforms.checks import refused_size
from jaxlint.tracer.transforms.entering import enter
from jaxlint.tracer.transforms.hashing import refused_hash
from jaxlint.tracer.transforms.leave import (
    closed_over,
    is_closure,
    length_of,
    outside,
    stacked,
)
from jaxlint.tracer.transforms.lift import lifted
from jaxlint.tracer.transforms.result_checks import carried, note_structure
from jaxlint.tracer.transforms.tangent_checks import refused_tangents
from jaxlint.tracer.values.arrays import Array, Key, NumpyArray, Tree
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Sequence, tuple_of
from jaxlint.tracer.values.derivations import LEFT, ONE_WAY
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.joins import join_all
from jaxlint.tracer.values.objects import Qualified, partial_of
from jaxlint.tracer.values.pytrees import map_leaves, map_together, side_by_side, with_keys
from jaxlint.tracer.values.sizes import Dim
from jaxlint.tracer.values.value import FALSE, NONE, UNKNOWN, Const, Host, Unknown, Value, replace

_REFUSALS = (
    refused_size, refused_operand, refused_description, refused_choice, refused_bounds,
    refused_tangents,
)  # fmt: skip
"""What JAX refuses before it calls anything."""

_MOST_ELEMENTS = 16
"""Arrays side by side of which elements are combined."""

_OLDER_FORM = 5
"""Arguments of ``cond(pred, operand, f, operand, g)``."""


def call_now(
    tracer: Tracer, name: str, transform: Transform, arguments: Arguments, node: n.Node
) -> Value:
    """Call the functions of a higher-order function, and give its result."""
    if transform.only_closures and not is_closure(arguments.get(0)):
        return arguments.args[0]
    if not transform.computes:
        tracer.analyses.on_shapes_alone(arguments.all())
    if any(refused(tracer, name, transform, arguments, node) for refused in _REFUSALS):
        return UNKNOWN
    note_elements(tracer, name, transform, arguments, node)
    results: list[Value] = []
    taken: dict[int, tuple[Key, Key]] = {}
    for callee in _callees(transform, arguments):
        given = arguments.get(callee.position, callee.keyword)
        functions = [given] if given is not None else []
        if callee.listed:
            functions = list(given.items or ()) if isinstance(given, Sequence) else []
        if callee.matrix:
            functions = [each for each in functions if function_like(each)]
        for function in functions:
            number = len(results)
            one_alone = tracer.stack.jit_disabled and not transform.always
            arm = tracer.stack.arm(results, number if one_alone else Alternative(number))
            with arm if transform.exclusive else nullcontext():
                if refused_value(tracer, name, callee, function, arguments, node):
                    return UNKNOWN
                looked_up = transform.carry is not None or transform.exclusive
                if looked_up and refused_hash(tracer, name, function, node):
                    return UNKNOWN
                if refused_count(tracer, name, callee, function, transform, arguments, node):
                    return UNKNOWN
                call = _Call(tracer, name, transform, arguments, node, taken)
                results.append(call.run(callee, function))
    if transform.exclusive:
        tracer.analyses.on_alternatives(results, len(results))
    if taken and results:
        pairs, following = list(taken.values()), _handed_on(transform, arguments, results, taken)
        tracer.analyses.on_carried(pairs, following, results[-1], node, name)
    note_structure(tracer, name, transform, results, arguments, node)
    if transform.declared is not None and len(results) == 1:
        note_returned(tracer, name, transform, results[0], arguments, node)
    length = _length(transform, arguments)
    return _result(tracer, name, transform, results, arguments, length, node)


def _handed_on(
    transform: Transform,
    arguments: Arguments,
    results: list[Value],
    taken: dict[int, tuple[Key, Key]],
) -> list[tuple[Key, Key]]:
    """The keys that a body takes in, each with the one that the next iteration gets for it."""
    found: list[tuple[Key, Key]] = []
    pair = carried(transform, arguments, results)
    for one, other in side_by_side(*pair) if pair is not None else ():
        if isinstance(one, Array) and isinstance(other, Array) and one.prng and other.prng:
            if one.prng.serial in taken:
                found.append((taken[one.prng.serial][1], other.prng))
    return found


def _callees(transform: Transform, arguments: Arguments) -> tuple[Callee, ...]:
    if transform.older_callees and len(arguments.args) == _OLDER_FORM:
        _, operand, *others = arguments.args
        called = [
            _is_called(each) or (is_data(operand) and isinstance(each, Unknown))
            for each in others[::2]
        ]
        if not _is_called(operand) and all(called):
            return transform.older_callees
    return transform.callees


def _is_called(value: Value) -> bool:
    return function_like(value) or isinstance(value, Qualified)


def _result(
    tracer: Tracer,
    name: str,
    transform: Transform,
    results: list[Value],
    arguments: Arguments,
    length: Dim,
    node: n.Node,
) -> Value:
    operands = [*arguments.all(), *closed_over(tracer, arguments.all())]
    if transform.result in ("function", "function_and_more"):
        # What it computes it computes from the trace; its body has nothing new to say.
        return UNKNOWN if transform.result == "function" else tuple_of([UNKNOWN, UNKNOWN])
    if transform.declared is not None:
        return _as_declared(tracer, name, transform, arguments, node)
    if not results or transform.concreteness == "host" or transform.result == "unknown":
        return tracer.unseen(*operands) if transform.computes else UNKNOWN
    if transform.result == "scan":
        return _scanned(tracer, results[0], operands, length, node, name)
    if transform.result == "carry":
        last = join_all(results) if transform.exclusive else results[-1]
        way = f"{ONE_WAY}{name}" if _is_one_way(tracer, transform, arguments) else LEFT
        found = outside(tracer, last, operands, node, name, way=way)
        has_aux = arguments.kwargs.get("has_aux", FALSE)
        if not isinstance(has_aux, Const):
            return UNKNOWN
        return tuple_of([found, UNKNOWN]) if has_aux.value else found
    found = outside(tracer, results[0], operands, node, name)
    if transform.result == "array":
        return stacked(found, length, 0 if transform.repeats else None)
    if transform.result == "elements":
        return _like_elements(found, _elements(transform, arguments)[0])
    return _differentiated(tracer, name, transform, found, arguments)


def _is_one_way(tracer: Tracer, transform: Transform, arguments: Arguments) -> bool:
    """Whether no cotangent goes back through a loop: how often it runs is open while tracing."""
    if transform.one_way is None or tracer.stack.jit_disabled:
        return False
    bounds = [arguments.get(*each) for each in transform.one_way]
    return not bounds or any(bound is not None and refuses_value(bound) for bound in bounds)


def _as_declared(
    tracer: Tracer, name: str, transform: Transform, arguments: Arguments, node: n.Node
) -> Value:
    """What a callback gives back, as an argument describes it."""
    operands = arguments.all()
    described = arguments.get(*transform.declared) if transform.declared is not None else None

    def leaf(value: Value) -> Value:
        aval = value.aval if isinstance(value, (Array, NumpyArray, External)) else None
        if aval is None:
            return tracer.unseen(*operands)
        return tracer.array(operands, node, name, aval)

    return map_leaves(described or UNKNOWN, leaf, tracer.stack.moment(), fresh=True)


def _differentiated(
    tracer: Tracer, name: str, transform: Transform, found: Value, arguments: Arguments
) -> Value:
    """The value, then tangents or what gives more; auxiliary data comes last."""
    has_aux = arguments.kwargs.get("has_aux", FALSE)
    if not isinstance(has_aux, Const):
        return UNKNOWN
    extra: list[Value] = []
    if has_aux.value:
        parts = found.items if isinstance(found, Sequence) else None
        is_pair = parts is not None and len(parts) == 2
        found, *extra = parts if parts is not None and is_pair else (UNKNOWN, UNKNOWN)
    if transform.result == "value_and_tangent":
        return tuple_of([found, found, *extra])
    given = tuple_of(list(arguments.args[1:]))
    back = transform.gives_like == "arguments"
    like, wanted = (given, tuple_of([found])) if back else (found, given)
    more: Value = UNKNOWN
    if transform.gives_like and arguments.closed:
        known = (Const(name), like, wanted)
        more = partial_of(Qualified(GIVES_LIKE), known, {}, tracer.stack.moment(), pytree=True)
    return tuple_of([found, more, *extra])


def _like_elements(found: Value, elements: Value) -> Value:
    """What combines elements has as many of them in the end as it was given."""

    def leaf(pair: tuple[Value, ...]) -> Value:
        result, element = pair
        if not isinstance(result, Array) or not isinstance(element, _ARRAYS):
            return result
        return replace(result, aval=replace(result.aval, shape=element.aval.shape))

    return map_together((found, elements), leaf, None, _MOST_ELEMENTS) or stacked(found, axis=None)


def _length(transform: Transform, arguments: Arguments) -> Dim:
    """How many elements there are of what is taken apart."""
    return length_of(_elements(transform, arguments))


def _elements(transform: Transform, arguments: Arguments) -> list[Value]:
    """What is taken apart along the first axis."""
    taken = [
        arguments.get(feed.position, feed.keyword)
        for callee in transform.callees
        for feed in callee.feeds
        if feed.kind in ("element", "some")
    ]
    return [value for value in taken if value is not None]


def _scanned(
    tracer: Tracer,
    result: Value,
    operands: list[Value],
    length: Dim,
    node: n.Node,
    name: str,
) -> Value:
    carry: Value = UNKNOWN
    out: Value = UNKNOWN
    if isinstance(result, Sequence) and result.items is not None and len(result.items) == 2:
        carry, out = result.items
    made = outside(tracer, carry, operands, node, name)
    return tuple_of([made, stacked(outside(tracer, out, operands, node, name), length)])


class _Call:
    """One call of one of the functions.

    ``taken``: the keys that a loop takes in, (outer, inner) by the serial number of the outer
    one. All functions of the loop are given the same carry.
    """

    def __init__(
        self,
        tracer: Tracer,
        name: str,
        transform: Transform,
        arguments: Arguments,
        node: n.Node,
        taken: dict[int, tuple[Key, Key]],
    ) -> None:
        self.tracer = tracer
        self.name = name
        self.transform = transform
        self.arguments = arguments
        self.node = node
        self.taken = taken

    def run(self, callee: Callee, function: Value) -> Value:
        """Feed the function and call it."""
        tracer, transform = self.tracer, self.transform
        plain = transform.concreteness == "concrete" or (
            transform.stages and tracer.stack.jit_disabled and not transform.always
        )
        if plain:
            given = [value for feed in callee.feeds for value in self._fed(feed)]
            return tracer.call(function, Arguments(tuple(given)), self.node)
        level = level_of(tracer, transform, self.name, function, self.node)
        if transform.stages:
            tracer.analyses.on_callee(self.name, function, self.arguments, self.node)
        inner, fed = self._inputs(callee, function, level)
        return enter(tracer, level, function, inner, self.node, fed)

    def _inputs(self, callee: Callee, function: Value, level: Level) -> tuple[Arguments, Arguments]:
        """What the function gets, and what that is made of."""
        parameters = signature(function) or []
        args: list[Value] = []
        given: list[Value] = []
        open_args: Value | None = None
        for feed in callee.feeds:
            for value in self._fed(feed):
                known = len(args) < len(parameters)
                subject = parameters[len(args)].name if known else "*args"
                origin = parameters[len(args)].origin if known else self.node.origin
                site = Site(origin)
                reason = Reason("parameter", subject, site, level.function, self.name, level.site)
                args.append(self._entering(value, feed, level, reason))
                given.append(value)
            if self.arguments.open_args is not None and feed.kind in ("rest", "handed"):
                open_args = UNKNOWN
        handed = any(feed.kind == "handed" for feed in callee.feeds)
        named = handed and bool(self.arguments.kwargs or self.arguments.open_kwargs)
        inner = Arguments(tuple(args), {}, open_args, UNKNOWN if named else None)
        return inner, Arguments(tuple(given))

    def _entering(self, value: Value, feed: Feed, level: Level, reason: Reason) -> Value:
        if self.transform.concreteness == "host":
            return map_leaves(value, _concrete)
        alone = feed.kind == "line" and isinstance(value, Array) and value.rank == 1
        if alone or feed.kind in ("module", "handed", "given"):
            return value
        perturbs = bool(self.transform.transposes)
        element = feed.kind == "element"
        value = lifted(self.tracer, value, level, reason, perturbs=perturbs, element=element)
        if element:
            return with_keys(value, lambda key: Key(level, None, key.count))
        if feed.kind == "value" and self.transform.repeats:
            return with_keys(value, lambda key: self._taken_in(key, level))
        return value

    def _taken_in(self, key: Key, level: Level) -> Key:
        """The key that a loop's carry holds in place of one from outside."""
        if key.serial in self.taken:
            return self.taken[key.serial][1].inside(level)
        inner = Key(level, None, key.count)
        self.taken[key.serial] = key, inner
        return inner

    def _fed(self, feed: Feed) -> list[Value]:
        arguments = self.arguments
        if feed.kind == "index":
            return [Host("int")]
        if feed.kind in ("rest", "handed"):
            alone = arguments.kwargs.get(feed.keyword)
            return [alone] if alone is not None else list(arguments.args[feed.position :])
        value = arguments.get(feed.position, feed.keyword)
        if value is None:
            return [] if feed.kind == "given" else [NONE]
        if feed.kind in ("value", "module"):
            return [value]
        if feed.kind == "some":
            return [map_leaves(value, _some)]
        if feed.kind == "line":
            return [map_leaves(value, _lines)]
        if feed.kind == "scalar":
            return [map_leaves(value, _scalar)]
        if feed.kind in ("spread", "given"):
            items = iterate(self.tracer, value, self.node)
            return items if isinstance(items, list) else [items]
        return [map_leaves(value, _first_axis)]


_ARRAYS = (Array, NumpyArray)


def _first_axis(value: Value) -> Value:
    """One element of an array along its first axis."""
    return replace(value, aval=element_of(value)) if isinstance(value, _ARRAYS) else value


def _some(value: Value) -> Value:
    """Some elements of an array along its first axis."""
    if not isinstance(value, _ARRAYS) or not value.aval.shape:
        return value
    return replace(value, aval=Aval((None, *value.aval.shape[1:]), value.aval.dtype))


def _lines(value: Value) -> Value:
    """The lines of an array, which are mapped over."""
    if not isinstance(value, _ARRAYS) or value.aval.rank == 1:
        return value
    return replace(value, aval=Aval((None, None), value.aval.dtype))


def _scalar(value: Value) -> Value:
    """One number of an array."""
    if not isinstance(value, _ARRAYS):
        return value
    return replace(value, aval=Aval((), value.aval.dtype))


def _concrete(value: Value) -> Value:
    """What a callback on the host gets for a leaf."""
    if isinstance(value, Array):
        return Array(False, value.aval)
    if isinstance(value, Tree):
        return UNKNOWN if value.container else Array(False)
    return replace(value, source=None) if isinstance(value, Unknown) else value
