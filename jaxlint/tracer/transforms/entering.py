"""Calling a function under a transform, with what the transform makes of its arguments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

from jaxlint.knowledge import class_api
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import takes
from jaxlint.tracer.language.flattening import children_in_order
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.containers import tuple_of
from jaxlint.tracer.values.holding import held_in, identity
from jaxlint.tracer.values.objects import BoundMethod, Function, Instance
from jaxlint.tracer.values.pytrees import keys_in
from jaxlint.tracer.values.value import UNKNOWN, Value

_UNFLATTENS = "tree_unflatten"
_AFTER = "__post_init__"


def enter(
    tracer: Tracer,
    level: Level,
    function: Value,
    arguments: Arguments,
    node: n.Node,
    given: Arguments | None = None,
) -> Value:
    """Call a function under a transform; ``given``: what its arguments have been made of."""
    level.received = tuple(arguments.all())
    level.has_inputs = bool(level.received)
    level.given = frozenset(key.serial for value in arguments.all() for key in keys_in(value))
    traced = tracer.away.payer in ("named", "handed", "own")
    with tracer.stack.entered(level), tracer.paying("traced") if traced else nullcontext():
        for each in _made_anew(arguments, given):
            _unflatten(tracer, each, node)
        result = tracer.call(function, arguments, node)
        tracer.analyses.on_left(level, result)
        if level.transform.transposes:
            tracer.analyses.on_differentiated(level, result)
    if level.leaked is not None and level.computes and not level.latent:
        tracer.use_kept(level.leaked, level.parent, node)
    return result


def _made_anew(arguments: Arguments, given: Arguments | None) -> Iterator[Instance]:
    """The objects in arguments that JAX has taken apart and made again of tracers."""
    if given is None:
        return
    for made, value in zip(arguments.all(), given.all(), strict=False):
        before = {identity(each) for each in held_in(value)}
        for each in held_in(made):
            if isinstance(each, Instance) and identity(each) not in before:
                yield each


def _unflatten(tracer: Tracer, made: Instance, node: n.Node) -> None:
    """Run what a class does to make an object of its children: it may ask what they are.

    What stands beside the children nobody asks here.
    """
    if made.cls.traits.pytree == "dataclass":
        _construct(tracer, made, node)
        return
    children = children_in_order(made.cls)
    if children is None or made.cls.find(_UNFLATTENS) is None:
        return
    parts = [made.attributes.get(name, UNKNOWN) for name in children]
    unflatten = tracer.attribute(made.cls, _UNFLATTENS, node)
    tracer.call(unflatten, Arguments((UNKNOWN, tuple_of(parts))), node)


def _construct(tracer: Tracer, made: Instance, node: n.Node) -> None:
    """A registered dataclass is made by its constructor, which may check what it is given."""
    after = made.cls.find(_AFTER)
    if made.heir or made.cls.traits.module in class_api.MADE_BARE:
        return
    if isinstance(after, Function) and not takes(after, 1):
        tracer.call(BoundMethod(made, after, tracer.stack.moment()), Arguments(), node)
