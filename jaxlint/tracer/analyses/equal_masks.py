"""What draws the same for each element of a batch, since what it draws from is not mapped.

Dropout, and samplers of ``jax.random`` whose distribution or shape is that of the element: a random
function of it, which draws its weights, is meant to be one for all.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxlint.events import EqualDraw, Reason, Site
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.masking import KEYED, MAPS, STREAMED
from jaxlint.program import nodes as n
from jaxlint.tracer.analyses.key_pairs import is_measure
from jaxlint.tracer.analysis import Analysis
from jaxlint.tracer.state.arguments import Arguments, argument_nodes, keyword_node
from jaxlint.tracer.state.frames import Level
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.values.arrays import Array, Key
from jaxlint.tracer.values.containers import Sequence
from jaxlint.tracer.values.externals import Stateful
from jaxlint.tracer.values.objects import Instance, Transformed
from jaxlint.tracer.values.pytrees import keys_in
from jaxlint.tracer.values.value import NONE, Const, Value, immutable

_DEEPEST = 4

_BOUNDS = frozenset({"key", "minval", "maxval", "lower", "upper"})
"""Arguments that say least of what a sampler draws."""

_SCORES = frozenset(
    {
        *("acquisition", "cost", "criterion", "elbo", "energy", "estimate", "expectation"),
        *("fitness", "likelihood", "logp", "loss", "losses", "objective", "return", "returns"),
        *("reward", "risk", "rollout", "score", "utility"),
    }
)
"""Words by which the name of a function says that it measures what it is given."""


@immutable
class _Mapped:
    """A function that is mapped over arrays.

    Attributes:
        function: with the transform around it.
        alike: what all elements are given, by identity.
        elements: why the arrays are traced of which it gets the elements.
    """

    function: Transformed
    alike: frozenset[int]
    elements: tuple[Reason, ...] = ()


class EqualMasks(Analysis):
    """Notes layers that draw, for each element, from a key or a stream that all of them share."""

    def __init__(self, tracer: Tracer) -> None:
        super().__init__(tracer)
        self._shared: dict[int, _Mapped] = {}
        """By the ids of where functions are mapped over arrays."""

    @staticmethod
    def concerns(module: n.Module) -> bool:
        return any(name.rpartition(".")[2] in module.loaded for name in MAPS)

    def on_apply(self, function: Transformed, arguments: Arguments, node: n.Node) -> None:
        if function.name not in MAPS or not arguments.closed or arguments.kwargs:
            return
        axes = function.options.get("in_axes", Const(0))
        entries = axes.items if isinstance(axes, Sequence) else None
        if isinstance(axes, Const) and axes is not NONE:
            entries = (axes,) * len(arguments.args)
        if entries is None or len(entries) != len(arguments.args):
            return
        given = list(zip(entries, arguments.args, strict=True))
        mapped = [value for axis, value in given if axis is not NONE]
        # What is mapped besides arrays may be one network of several.
        if mapped and all(isinstance(value, Array) for value in mapped):
            whole = (value for axis, value in given if axis is NONE)
            alike = {each for value in whole for each in _drawn_from(value)}
            alike |= {key.serial for value in mapped for key in keys_in(value) if key.copies}
            reasons = (value.reason for value in mapped if isinstance(value, Array))
            elements = tuple(reason for reason in reasons if reason is not None)
            found = _Mapped(function, frozenset(alike), elements)
            self._shared[id(function.node.origin)] = found

    def on_consume(self, key: Key, node: n.Node, subject: n.Node, name: str, alone: bool) -> None:
        if name in KEYED:
            self._note(key, name, node)

    def on_change(self, owner: Instance | Stateful, node: n.Node) -> None:
        if isinstance(owner, Stateful) and owner.type in STREAMED:
            self._note(id(owner.cell), owner.type, node)

    def on_call(self, name: str, arguments: Arguments, node: n.Node) -> None:
        """A sampler of JAX draws, for each element."""
        if not self._shared or not _is_sampler(name):
            return
        for key in keys_in(arguments.get(0, "key") or NONE):
            level, found = self._mapping(key)
            if level is None or found is None or self._compares(level):
                continue
            its_own = _made_of(key, level).copies or _has_array(arguments)
            if its_own or self._has_its_shape(node, found, level):
                self._emit(found.function, name, node, level)

    def _compares(self, mapping: Level) -> bool:
        """Whether a function evaluates something, by its name, or what is mapped is a loss.

        What is compared is measured on the same random numbers.
        """
        for frame in self.tracer.stack.running:
            name = frame.function.code.name if frame.function is not None else ""
            inside = frame.level is not None and frame.level.within(mapping)
            if is_measure(name) or (inside and not _SCORES.isdisjoint(name.lower().split("_"))):
                return True
        inner = (each for each in self.tracer.stack.levels() if each.within(mapping))
        return any(each.transform.concreteness == "differentiated" for each in inner)

    def _has_its_shape(self, node: n.Node, found: _Mapped, level: Level) -> bool:
        """Whether a sampler draws as many numbers as the element has: ``x.shape``."""
        given = argument_nodes(node)
        shape = given[1] if len(given) > 1 else keyword_node(node, "shape")
        if not isinstance(shape, n.Attribute) or shape.attr != "shape":
            return False
        of = shape.value.id if isinstance(shape.value, n.Name) else ""
        value = self.tracer.stack.frame.names.get(of)
        if not isinstance(value, Array) or value.traced is not True or value.reason is None:
            return False
        begins = value.reason.root
        site = begins.transform_site
        is_mapped_here = site is not None and site.origin is level.site.origin
        return is_mapped_here or any(each.root == begins for each in found.elements)

    def _note(self, source: Key | int, layer: str, node: n.Node) -> None:
        """A layer draws from a key, or from a stream of this identity."""
        level, found = self._mapping(source)
        if level is not None and found is not None:
            self._emit(found.function, layer, node, level)

    def _mapping(self, source: Key | int) -> tuple[Level | None, _Mapped | None]:
        """What is mapped around this place, and gives each element the same to draw from."""
        for level in self.tracer.stack.levels():
            found = self._shared.get(id(level.site.origin))
            if found is None:
                continue
            key = _made_of(source, level) if isinstance(source, Key) else None
            if key is not None and (_is_from_outside(key, level) or _is_constant(key, level)):
                return level, found
            if (key.serial if key is not None else source) in found.alike:
                return level, found
        return None, None

    def _emit(self, function: Transformed, drawer: str, node: n.Node, level: Level) -> None:
        if not self.tracer.stack.muted:
            context = self.tracer.context(function.node, function.node)
            self.tracer.emit(EqualDraw(context, drawer, Site(node.origin), mapped=level.name))


def _has_array(arguments: Arguments) -> bool:
    """Whether a traced array says from which distribution a sampler draws."""
    options = (value for name, value in arguments.kwargs.items() if name not in _BOUNDS)
    says = (*arguments.args[1:2], *options)
    return any(isinstance(v, Array) and v.traced is True and v.prng is None for v in says)


def _is_sampler(name: str) -> bool:
    """Whether a function of JAX draws, and is not called to put several arrays into one order."""
    makes_keys = name in jax_api.KEY_RESULTS or name in jax_api.SHUFFLES
    return name.startswith(jax_api.RANDOM) and not makes_keys


def _made_of(key: Key, level: Level) -> Key:
    """The key of which a traced function has made another one: that itself, where it has not."""
    made_of: Key | None = key
    while made_of is not None and made_of.made_in is not None and made_of.made_in.within(level):
        key, made_of = made_of, made_of.part_of or made_of.made_of
    return made_of or key


def _is_constant(key: Key, level: Level) -> bool:
    """Whether a function that nothing compiles makes a key of constants, for each element."""
    made = key.constant[1] if key.constant is not None else None
    return made is not None and made.within(level) and not made.stages


def _is_from_outside(key: Key, level: Level) -> bool:
    """Whether a function closes over a key: no argument is, and it was made further out."""
    made_in: Level | None = key.made_in
    while made_in is not None:
        if made_in is level:
            return False
        made_in = made_in.parent
    return key.serial not in level.given and key.part_of is None and not key.one_of


def _drawn_from(value: Value, depth: int = _DEEPEST) -> Iterator[int]:
    """The identities of keys in a value, and of the layers of a module that draw."""
    yield from (key.serial for key in keys_in(value))
    if isinstance(value, Stateful) and value.type in STREAMED:
        yield id(value.cell)
    elif isinstance(value, Instance) and depth:
        for each in value.attributes.values():
            yield from _drawn_from(each, depth - 1)
