"""Parameters that layers of libraries keep in themselves: tracers where a function traces them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from jaxlint.knowledge.libraries import KEEP_PARAMETERS
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array
from jaxlint.tracer.values.externals import External
from jaxlint.tracer.values.holding import held_in
from jaxlint.tracer.values.value import Value


def note_kept(level: Level, value: Value, lift: Callable[[Value], Value]) -> None:
    """A traced function is given a value: the layers in it have tracers for parameters."""
    for layer in _layers_in(value):
        level.layers[id(layer)] = lift(Array(False))


def kept_in(tracer: Tracer, value: Value) -> Iterator[Array]:
    """What the parameters of the layers in a value are to the functions that run, if tracers."""
    level = tracer.stack.level
    for layer in _layers_in(value) if level is not None else ():
        around = level
        while around is not None and id(layer) not in around.layers:
            around = around.parent
        found = around.layers[id(layer)] if around is not None else None
        if isinstance(found, Array) and found.traced:
            yield found


def _layers_in(value: Value) -> Iterator[External]:
    for held in held_in(value):
        if isinstance(held, External) and held.type in KEEP_PARAMETERS:
            yield held
