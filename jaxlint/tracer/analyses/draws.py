"""Layers of one module that draw the same numbers: each from the same seed, made anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jaxlint.events import EqualDraw, Site
from jaxlint.knowledge.jax_api import KEY_MAKERS
from jaxlint.knowledge.libraries import DRAWS_FROM, STREAMS
from jaxlint.knowledge.stacks import MAPS_MODULES, STACKED, STACKS
from jaxlint.program import nodes as n
from jaxlint.program.walk import alike, assigned_names
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.language.expressions import look_up
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.state.frames import Frame
from jaxlint.tracer.state.stack import Branches
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Constant
from jaxlint.tracer.values.containers import Mapping, Sequence
from jaxlint.tracer.values.externals import Stateful
from jaxlint.tracer.values.objects import Transformed
from jaxlint.tracer.values.value import NONE, Const, Value

_CONSTRUCTOR = "__init__"


@dataclass(frozen=True, slots=True)
class _Made:
    """A layer, in the run of a constructor: what it draws from, by which branches."""

    layer: str
    source: n.Call
    constructor: Frame
    path: Branches
    node: n.Node


class Draws(Analysis):
    """Notes layers that draw from a key or a stream made of the same seed in place."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._made: list[_Made] = []

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        if name in STACKS:
            self._on_stacked(name, arguments, node)
        keyword = DRAWS_FROM.get(name)
        value = arguments.kwargs.get(keyword) if keyword is not None else None
        if value is None or keyword is None or self.tracer.stack.muted:
            return
        source, constructor = keyword_node(node, keyword), self._constructor()
        if constructor is None or not isinstance(source, n.Call):
            return
        if not _is_made(value, source) and not self._is_made_of_given(source, constructor):
            return
        made = _Made(name, source, constructor, self.tracer.stack.path, node)
        first = next(self._equal(made), None)
        if first is not None:
            context = self.tracer.context(node, source)
            self.tracer.emit(EqualDraw(context, name, Site(first.node.origin)))
        self._made.append(made)

    def _on_stacked(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """Layers with parameters of their own, of which the keys are not split."""
        axes, split, parameters = STACKED
        along = _item(arguments.kwargs.get(axes), parameters)
        own = _item(arguments.kwargs.get(split), parameters)
        if type(along) is int and own is False:
            where = keyword_node(node, split)
            context = self.tracer.context(node, where)
            self.tracer.emit(EqualDraw(context, name, Site(node.origin), stacked=True))

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        """Members of an ensemble made from one stream: nothing is mapped."""
        if function.name != MAPS_MODULES or "axis_size" not in function.options:
            return
        axes = function.options.get("in_axes")
        nothing = axes is NONE or (
            isinstance(axes, Sequence) and axes.items and all(each is NONE for each in axes.items)
        )
        given = zip(arguments.args, argument_nodes(node), strict=False)
        streams = [
            where for value, where in given if isinstance(value, Stateful) and value.type in STREAMS
        ]
        if nothing and streams and not self.tracer.stack.muted:
            context = self.tracer.context(node, streams[0])
            self.tracer.emit(EqualDraw(context, function.name, Site(node.origin), stacked=True))

    def _constructor(self) -> Frame | None:
        """The constructor that runs, of a module with layers of its own."""
        running = (*self.tracer.stack.running, self.tracer.stack.frame)
        frames = (frame for frame in reversed(running) if frame.function is not None)
        found = next(frames, None)
        while found is not None and found.parent and found.parent.function is found.function:
            found = found.parent  # A comprehension has a frame of its own.
        function = found.function if found is not None else None
        return found if function is not None and function.code.name == _CONSTRUCTOR else None

    def _is_made_of_given(self, source: n.Call, constructor: Frame) -> bool:
        """Whether an expression makes a key, or a stream, of what the constructor was given.

        Of a parameter that stays what it is, or an attribute of one.
        """
        function = qualified_name(self.tracer, source.function, self.tracer.stack.frame)
        return (
            (function in KEY_MAKERS or function in STREAMS)
            and all(not argument.star for argument in source.arguments)
            and all(self._is_given(argument.value, constructor) for argument in source.arguments)
        )

    def _is_given(self, seed: n.Node, constructor: Frame) -> bool:
        while isinstance(seed, n.Attribute):
            seed = seed.value
        if not isinstance(seed, n.Name) or constructor.function is None:
            return isinstance(seed, n.Constant)
        code = constructor.function.code
        own = any(each.name == seed.id for each in code.parameters[1:])
        held = constructor.names.get(seed.id)
        stays = seed.id not in assigned_names(code.body) and look_up(self.tracer, seed) is held
        return own and stays

    def _equal(self, made: _Made) -> Iterator[_Made]:
        """Layers of the same class, of the same constant, that every way here has made before."""
        for each in self._made:
            if each.layer == made.layer and each.constructor is made.constructor:
                before = each.path == made.path[: len(each.path)]
                if before and alike(each.source, made.source):
                    yield each

    def on_end(self) -> None:
        self._made.clear()


def _item(mapping: Value | None, key: str) -> object:
    """What a dict of literals has under a key."""
    found = mapping.entries.known.get(key) if isinstance(mapping, Mapping) else None
    return found.value if isinstance(found, Const) else None


def _is_made(value: Value, source: n.Call) -> bool:
    """Whether an expression makes a key, or a stream of keys, of the numbers in it."""
    constant: Constant = None
    if isinstance(value, Array) and value.prng is not None:
        constant = value.prng.constant
    elif isinstance(value, Stateful):
        constant = value.constant
    written = all(isinstance(argument.value, n.Constant) for argument in source.arguments)
    return constant is not None and constant[0] is source and written
