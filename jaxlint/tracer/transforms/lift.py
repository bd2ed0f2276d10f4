"""Values as they enter a transform: its arrays become tracers."""

from __future__ import annotations

import re

from jaxlint.events import Reason, Site
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.libraries import FOLLOWED
from jaxlint.program import nodes as n
from jaxlint.tracer.callables import (
    function_under,
    parameter_names,
    signature,
    statics_of,
)
from jaxlint.tracer.language.binding import hints
from jaxlint.tracer.names import qualified_name
from jaxlint.tracer.parameters import annotated_array, asserted
from jaxlint.tracer.state.arguments import Arguments
from jaxlint.tracer.state.frames import Level, Moment
from jaxlint.tracer.tracer import Tracer
from jaxlint.tracer.transforms.kept_parameters import note_kept
from jaxlint.tracer.transforms.kernels import for_argument, for_results, has_more, takes_more
from jaxlint.tracer.transforms.leaf_types import may_be_pytree
from jaxlint.tracer.transforms.selection import entry_of, selected
from jaxlint.tracer.values.arrays import (
    Array,
    Concreteness,
    Key,
    NumpyArray,
    Tree,
    Varying,
    aval_of_number,
    stronger,
)
from jaxlint.tracer.values.avals import Aval
from jaxlint.tracer.values.containers import Mapping, Sequence, contents_like
from jaxlint.tracer.values.derivations import MAPPED, Derivation
from jaxlint.tracer.values.extents import Extent, Wrapped, one_of
from jaxlint.tracer.values.externals import External, Stateful
from jaxlint.tracer.values.objects import Instance, Transformed
from jaxlint.tracer.values.pytrees import children, map_leaves, map_together, with_keys
from jaxlint.tracer.values.sizes import Dim, Shape
from jaxlint.tracer.values.specs import names_nothing, piece, pieces, spec_of
from jaxlint.tracer.values.value import (
    DEFAULT,
    GIVEN,
    NONE,
    NUMBERS,
    UNKNOWN,
    Const,
    Host,
    Unknown,
    Value,
    replace,
    type_name,
)

_FIRST = Const(0)

_MOST_PARTS = 16
"""Parts of an argument that are taken apart each along an axis of its own."""

_CORE = re.compile(r"\(([^()]*)\)")
"""The core dimensions of one argument in a signature of ``vectorize``: ``(m,n),(n)->(m)``."""


def lifted(
    tracer: Tracer,
    value: Value,
    level: Level,
    reason: Reason | None,
    replicated: bool = False,
    perturbs: bool = False,
    axis: int | None = 0,
    element: bool = False,
) -> Value:
    """A value with tracers for its arrays.

    ``replicated``: Python still learns their values. ``perturbs``: cotangents go back to them.
    ``axis``: along which they are taken apart, where they are; None when it is not in view.
    ``element``: it is one of several already.
    """
    made = Moment(level, tracer.stack.frame, tracer.stack.frame.loops, 0)
    leaf = _Leaf(level, reason, tracer.settings.x64, replicated, perturbs, made, axis)
    leaf.element = element or leaf.mapped
    note_kept(level, value, leaf)
    return map_leaves(value, leaf, made, fresh=True)


class _Leaf:
    """What one leaf becomes."""

    def __init__(
        self,
        level: Level,
        reason: Reason | None,
        x64: bool | None,
        replicated: bool,
        perturbs: bool,
        made: Moment,
        axis: int | None,
    ) -> None:
        self.axis = axis
        self.x64 = x64
        self.made = made
        self.copies = _copies(level)
        kind = level.transform.concreteness
        self.by_type = level.transform.traced == "arrays"
        self.mapped = kind == "mapped" and not level.transform.each
        self.each = level.transform.each
        self.kind: Concreteness = "abstract"
        # Also where everything is staged: what comes from outside of it has its value.
        if kind in ("mapped", "differentiated"):
            self.kind = kind
        elif replicated and not level.stages:
            self.kind = "replicated"
        self.reason = reason
        # The elements of an array, or what a loop carries, are not the array itself.
        self.other = self.mapped or self.each or level.transform.repeats
        self.whole = level.transform.whole
        self.element = False
        self.perturbs = perturbs

    def __call__(self, value: Value) -> Value:
        if isinstance(value, Array):
            return self._array(value)
        if isinstance(value, NumpyArray):
            aval = self._aval(value.aval)
            return Array(
                True, aval, self.reason, self.kind, varies=value.varies, perturbed=self.perturbs
            )
        if isinstance(value, Unknown):
            if self.by_type:
                # An array becomes a tracer; anything else stays what it is.
                return replace(value, source=Tree(self.reason, self.kind, optional=True))
            return Tree(self.reason, self.kind, symbol=value.symbol, perturbed=self.perturbs)
        if isinstance(value, (Const, Host)):
            return value if self.by_type else self._host(value)
        if isinstance(value, Tree):
            kind = stronger(self.kind, value.concreteness)
            return Tree(
                value.reason or self.reason, kind, value.container,
                symbol=None if self.other else value.symbol,
                perturbed=value.perturbed or self.perturbs, derived=self._derived(value),
            )  # fmt: skip
        if isinstance(value, Instance) and value.cls.traits.module not in FOLLOWED:
            return value if self.by_type and not may_be_pytree(value.cls) else UNKNOWN
        return _copied(value, self.made) if self.copies else value

    def _array(self, value: Array) -> Value:
        exact = value.dtype in ("int", "bool", "key")
        if exact and self.by_type and self.kind == "differentiated":
            return value
        kind = stronger(self.kind, value.concreteness) if value.traced else self.kind
        known = value.traced and value.reason is not None
        reason = value.reason if known else self.reason
        return replace(
            value, traced=True, aval=self._aval(value.aval), reason=reason, concreteness=kind,
            perturbed=value.perturbed or (self.perturbs and not exact),
            derived=self._derived(value), reach=value.reach if self.whole else "",
            extent=self._extent(value.extent),
            unplaced=value.unplaced and self.whole,
            zero=None if self.other else value.zero,
        )  # fmt: skip

    def _extent(self, extent: Extent | Wrapped | None) -> Extent | Wrapped | None:
        if self.element:
            taken_apart = isinstance(extent, Extent) and self.axis == 0
            return one_of(extent) if taken_apart and isinstance(extent, Extent) else None
        return extent if self.whole else None

    def _derived(self, value: Array | Tree) -> Derivation | None:
        if self.mapped and self.axis is not None and value.perturbed:
            return Derivation(MAPPED, (value, Const(self.axis)))
        return None if self.other else value.derived

    def _aval(self, aval: Aval) -> Aval:
        if self.each:
            return Aval(None, aval.dtype)
        if not self.mapped or aval.shape is None:
            return aval
        return Aval(_without(aval.shape, self.axis), aval.dtype, aval.weak)

    def _host(self, value: Const | Host) -> Value:
        number = type_name(value)
        if number in NUMBERS:
            if self.kind == "differentiated" and number in ("int", "bool"):
                return value
            aval, perturbed = aval_of_number(number, self.x64), self.perturbs and number == "float"
            return Array(
                True, aval, self.reason, self.kind, perturbed=perturbed, varying=frozenset()
            )
        if number == "shape":
            size = Array(True, aval_of_number("int", self.x64), self.reason, self.kind)
            return Sequence("tuple", contents_like(size))
        if isinstance(value, Host) and number == "object":
            return Tree(self.reason, self.kind, perturbed=self.perturbs)
        return value


def _without(shape: tuple[Dim, ...], axis: int | None) -> tuple[Dim, ...] | None:
    """The shape of the elements along an axis; of what has no such axis nothing is known."""
    if axis is None:
        return (None,) * (len(shape) - 1) if shape else None
    if not -len(shape) <= axis < len(shape):
        return None
    axis %= len(shape)
    return shape[:axis] + shape[axis + 1 :]


def _copied(value: Value, made: Moment, seen: dict[int, Instance] | None = None) -> Value:
    """What JAX makes of an object that only its library follows: another one like it."""
    seen = {} if seen is None else seen
    if isinstance(value, Stateful):
        return replace(value, made=made, cell=dict(value.cell))
    if isinstance(value, External) and value.each is not None:
        return replace(value, each=tuple(_copied(part, made, seen) for part in value.each))
    if isinstance(value, (Sequence, Mapping)):
        return map_leaves(value, lambda leaf: _copied(leaf, made, seen), made)
    if not isinstance(value, Instance) or value.cls.traits.module not in FOLLOWED:
        return value
    which = id(value.attributes)
    if which not in seen:
        attributes: dict[str, Value] = {}
        seen[which] = Instance(value.cls, attributes, made, value.heir)
        attributes.update(
            {name: _copied(part, made, seen) for name, part in value.attributes.items()}
        )
    return seen[which]


class Lifting:
    """The arguments of one call of a transformed function, as the function receives them."""

    def __init__(self, tracer: Tracer, function: Transformed, level: Level) -> None:
        self.tracer = tracer
        self.function = function
        self.level = level
        self.transform = function.transform
        self.parameters: list[n.Parameter] = signature(function.function) or []
        self.names = parameter_names(function.function) or []
        self.by_name = {each.name: each for each in self.parameters if "star" not in each.kind}
        stars = (each.name for each in self.parameters if each.kind == "star")
        self.rest = next(stars, "*args")
        code = function_under(function)
        self.asserted = asserted(code.code) if code is not None else frozenset()
        self.statics = statics_of(function)
        self.selected = selected(function)
        self.latent: frozenset[str] = frozenset()

    def arguments(self, given: Arguments, latent: frozenset[str] = frozenset()) -> Arguments:
        """All of them; ``latent`` are parameters with defaults that nobody in view passes."""
        self.latent = latent
        names, lift = self.names, self._one
        args = tuple(
            lift(value, position, self._name(position), _number(self._axes(position)))
            for position, value in enumerate(given.args)
        )
        kwargs = {
            name: lift(
                value, names.index(name) if name in names else len(names), name, by_name=True
            )
            for name, value in given.kwargs.items()
        }
        if self.transform.traced == "refs":
            args += for_results(self.function, given)
        rest, open_kwargs = given.open_args, given.open_kwargs
        if self.transform.traced == "refs" and takes_more(self.function):
            rest = UNKNOWN if rest is not None or has_more(self.function) else None
        elif rest is not None and all(place < len(args) for place in self.statics.positions):
            rest = lift(rest, len(args), self._name(len(args)), None)
        if open_kwargs is not None and not self.statics.names and not self.statics.positions:
            # With static parameters about, some of what nobody sees may be static.
            open_kwargs = lift(open_kwargs, len(names), "**kwargs", by_name=True)
        return Arguments(args, kwargs, rest, open_kwargs)

    def _name(self, position: int) -> str:
        """The parameter that gets an argument by position."""
        return self.names[position] if position < len(self.names) else self.rest

    def _axes(self, position: int) -> Value:
        """What ``in_axes`` says of an argument: an axis, or a pytree of them for its parts.

        Arguments by keyword always are taken apart along the first.
        """
        axes = self.function.options.get("in_axes", _FIRST)
        return entry_of(axes, position - self.transform.skips_self, self._name(position))

    def _one(
        self, value: Value, position: int, name: str, axis: int | None = 0, by_name: bool = False
    ) -> Value:
        stays = by_name and self.transform.keywords_stay
        if stays or self._is_static(value, position, name, by_name):
            return self._if_passed(value, name)
        kept = self._kept(value, position, name)
        if kept is UNKNOWN and self.transform.chooses_axes:
            return self._part_by_part(value, position, name)
        if kept is None:
            return self._lifted(value, position, name, axis)
        return self._if_passed(kept, name)

    def _if_passed(self, value: Value, name: str) -> Value:
        """An argument that stays as it is: of a default nobody in view passes another value."""
        default = name in self.latent and value is UNKNOWN
        return Unknown(symbol=(DEFAULT, name)) if default else value

    def _is_latent(self, value: Value, name: str) -> bool:
        """Whether nobody in view passes an argument, to this transform or to one around it."""
        symbol = value.symbol if isinstance(value, Unknown) else None
        around = isinstance(symbol, tuple) and symbol[0] == DEFAULT
        return around or name in self.latent

    def _is_static(self, value: Value, position: int, name: str, by_name: bool) -> bool:
        """Whether an option says so, of what is given in this way: of unknown calls, in any."""
        if self.transform.skips_self and position == 0:
            return False
        statics, names = self.statics, self.names
        if isinstance(value, Unknown) and (position in statics.positions or name in statics.names):
            return True
        return statics.has_name(name, names) if by_name else statics.has(position, names)

    def _part_by_part(self, value: Value, position: int, name: str) -> Value:
        """An argument of which ``in_axes`` has an axis for each part; None leaves a part whole."""

        def part(pair: tuple[Value, ...]) -> Value:
            leaf, axis = pair
            if axis is NONE:
                return self._unmapped(leaf)
            number = _number(axis)
            known = number is not None
            return self._lifted(leaf, position, name, number) if known else UNKNOWN

        axes = self._axes(position)
        made = self.tracer.stack.moment()
        parts = map_together((value, axes), part, made, _MOST_PARTS) if children(axes) else None
        return parts or UNKNOWN

    def _kept(self, value: Value, position: int, name: str) -> Value | None:
        """An argument that does not become a tracer as the others do; None for one that does."""
        transform = self.transform
        if position == 0 and transform.skips_self:
            return value
        if transform.traced == "none":
            unseen = isinstance(value, Unknown) and name in self.by_name
            return self._closed_over(name) if unseen else value
        if transform.traced == "refs":
            return for_argument(self.function, value)
        if self.selected is not None:
            chosen = self.selected(position - transform.skips_self, name)
            if chosen is None:
                return UNKNOWN
            if not chosen:
                return self._unmapped(value) if transform.chooses_axes else value
        if transform.broadcasts and not isinstance(value, Unknown):
            return self._not_broadcast(value, position)
        if not self.statics.known and not isinstance(value, (Array, Sequence, Mapping)):
            return UNKNOWN
        return None

    def _not_broadcast(self, value: Value, position: int) -> Value | None:
        """An argument without axes before its core dimensions; None for one that is mapped."""
        core = self._core(position)
        if not isinstance(value, (Array, NumpyArray)) or core is None:
            return UNKNOWN
        if isinstance(value, Array) and value.prng is not None:
            return UNKNOWN  # Raw keys have an axis more.
        shape = value.aval.shape
        if shape is None:
            return None
        mapped = shape[: len(shape) - core]
        if any(isinstance(size, int) and size > 1 for size in mapped):
            return None
        return value if isinstance(value, Array) and len(shape) == core else UNKNOWN

    def _core(self, position: int) -> int | None:
        """How many axes of an argument the function gets; None where nobody can see."""
        signature = self.function.options.get(self.transform.broadcasts, NONE)
        if signature is NONE:
            return 0
        if not isinstance(signature, Const) or not isinstance(signature.value, str):
            return None
        inputs = _CORE.findall(signature.value.partition("->")[0])
        # What is excluded has no place in the signature.
        if position >= len(inputs) or self.transform.excluded in self.function.options:
            return None
        return len([name for name in inputs[position].split(",") if name.strip()])

    def _unmapped(self, value: Value) -> Value:
        """An argument without an axis to map: taken apart as the others are."""
        frame = self.tracer.stack.frame
        return (
            _copied(value, Moment(self.level, frame, frame.loops, 0))
            if _copies(self.level)
            else value
        )

    def _lifted(self, value: Value, position: int, name: str, axis: int | None) -> Value:
        transform, parameter, level = self.transform, self.by_name.get(name), self.level
        origin = parameter.origin if parameter is not None else self.function.node.origin
        reason = Reason(
            "parameter", name, Site(origin), level.function, level.name, level.site,
            latent=self._is_latent(value, name),
        )  # fmt: skip
        unseen = parameter if isinstance(value, Unknown) else None
        if unseen is not None and transform.traced == "arrays":
            frame = self.function.made.frame
            resolve = lambda node: qualified_name(self.tracer, node, frame)  # noqa: E731
            if annotated_array(unseen, resolve):
                value = Array(None)
            elif self._must_be_array(position):
                value = Tree(None, "differentiated")
        replicated = self._is_replicated(position)
        perturbs = transform.transposes == "all" or (transform.transposes != "" and position == 0)
        found = lifted(self.tracer, value, level, reason, replicated, perturbs, axis)
        if isinstance(found, Tree) and found.symbol is None and name in self.asserted:
            # What the body asserts of it, functions further down may ask again.
            found = replace(found, symbol=(GIVEN, name, id(origin)))
        if transform.broadcasts and isinstance(found, Array):
            shape = value.aval.shape if isinstance(value, (Array, NumpyArray)) else None
            found = replace(
                found, aval=replace(found.aval, shape=_last(shape, self._core(position)))
            )
        if transform.mesh:
            found = self._piece(found, position)
        if transform.repeats:
            # Each iteration has keys of its own: those of the carry, or an element.
            found = with_keys(found, lambda key: Key(level, None, key.count))
        if unseen is not None and isinstance(found, Tree):
            default = unseen.default
            optional = isinstance(default, n.Constant) and default.value is None
            return replace(found, optional=optional)
        return found

    def _closed_over(self, name: str) -> Value:
        """An unknown argument that the function keeps as it is: an array, if the body says so."""
        function = function_under(self.function)
        says = hints(self.tracer, function) if function is not None else {}
        return Array(False) if says.get(name) in ("array", "arithmetic") else UNKNOWN

    def _must_be_array(self, position: int) -> bool:
        """Whether the transform would be for nothing if an argument were no array."""
        required = [parameter for parameter in self.parameters if parameter.default is None]
        return position == 0 and (len(required) == 1 or self.transform.result != "same")

    def _is_replicated(self, position: int) -> bool:
        """Whether a spec that names no axis says that an argument is the same everywhere."""
        return names_nothing(self._spec(position))

    def _spec(self, position: int) -> Value | None:
        return spec_of(self.function.options.get(self.transform.specs), position)

    def _piece(self, value: Value, position: int) -> Value:
        """The piece of an argument that one device has; a pytree of specs has one for each part."""
        spec = self._spec(position)
        if isinstance(spec, (Instance, Sequence, Mapping)):
            parts = map_together((value, spec), lambda pair: self._cut(*pair), None, _MOST_PARTS)
            return parts if parts is not None else map_leaves(value, self._cut)
        return map_leaves(value, lambda leaf: self._cut(leaf, spec))

    def _cut(self, leaf: Value, spec: Value | None = None) -> Value:
        """The piece of an array; of what a spec does not say nothing is known."""
        if not isinstance(leaf, Array):
            return leaf
        cut = pieces(self.function.options.get(self.transform.mesh), spec)
        axes: Varying = None
        if isinstance(spec, External) and spec.entries is not None and spec.axes is not None:
            named = frozenset(spec.axes)
            axes = named if self.level.told_apart and named <= self.level.told_apart else None
        aval = replace(leaf.aval, shape=piece(leaf.aval.shape, cut))
        return replace(leaf, aval=aval, varying=axes)


def _number(axis: Value) -> int | None:
    """An axis that is a number; None for any other, and for one that is not in view."""
    number = axis.value if isinstance(axis, Const) else None
    return number if type(number) is int else None


def _copies(level: Level) -> bool:
    """Whether a transform knows nothing of the objects that libraries follow."""
    return level.name.startswith(f"{jax_api.PACKAGE}.")


def _last(shape: Shape, count: int | None) -> Shape:
    """The last axes of a shape."""
    if count is None:
        return None
    return (None,) * count if shape is None else shape[len(shape) - count :]
