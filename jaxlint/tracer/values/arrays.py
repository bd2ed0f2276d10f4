"""Arrays and tracers, PRNG keys, and what stands for parts of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from jaxlint.events import Reason
from jaxlint.knowledge import jax_api
from jaxlint.knowledge.probabilities import Made
from jaxlint.knowledge.promotion import KIND_NAMES
from jaxlint.tracer.values.avals import Aval, Dim, python_number
from jaxlint.tracer.values.derivations import Derivation
from jaxlint.tracer.values.extents import Extent, Wrapped
from jaxlint.tracer.values.sizes import unequal
from jaxlint.tracer.values.value import (
    KEY_DEPTH,
    Again,
    Clock,
    Differs,
    Host,
    Unknown,
    Value,
    comparable,
    immutable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Sequence as Several

    from jaxlint.program import nodes as n
    from jaxlint.tracer.state.frames import Level
    from jaxlint.tracer.values.containers import Cell

Concreteness = Literal["abstract", "mapped", "replicated", "differentiated"]
"""What a tracer refuses: everything (jit), everything (vmap), only float and numpy (shard_map of
what is the same on every device, grad)."""

Varying = frozenset[str] | None
"""The axes of a mesh along which each device has another array, in what runs on pieces of arrays;
None: nobody can see."""

Reach = Literal["", "all", "part"]
"""Over which devices something is, in a program that runs as several processes."""

GIVES_VALUE: frozenset[Concreteness] = frozenset({"replicated", "differentiated"})
"""Those that Python may still ask for their truth, and for an integer."""

_STRENGTH: dict[Concreteness, int] = {
    "abstract": 3, "mapped": 2, "replicated": 1, "differentiated": 0,
}  # fmt: skip


def stronger(one: Concreteness, other: Concreteness) -> Concreteness:
    """Which of two tracers around one value refuses more."""
    return one if _STRENGTH[one] >= _STRENGTH[other] else other


def weaker(one: Concreteness, other: Concreteness) -> Concreteness:
    """Which of two tracers refuses less."""
    return one if _STRENGTH[one] <= _STRENGTH[other] else other


ANY = Aval()
"""Nothing is known."""

_LIKE: dict[str, complex] = {"int": 1, "float": 1.0, "complex": 1j, "bool": True}


def aval_of_number(kind: str, x64: bool | None) -> Aval:
    """What JAX makes of a Python number of a type: a weak scalar."""
    return python_number(_LIKE[kind], x64)


def aval_of_rank(rank: int | None, dtype: str | None = None, weak: bool | None = None) -> Aval:
    """An abstract value of which only the number of axes is known."""
    return Aval((None,) * rank if rank is not None else None, dtype, weak)


Constant: TypeAlias = "tuple[n.Node, Level | None] | None"
"""Where a PRNG key was made of constants alone, and at which level."""


class Key:
    """The identity of a PRNG key, or of an array of keys.

    Attributes:
        serial: keys are numbered in the order in which they are made.
        constant: where it was made, and at which level, if from constants alone.
        made_in: the transform level it was made in.
        count: number of keys in the array, when that is known.
        part_of: the array of keys that it is an element of.
        one_of: the keys of which it is one, where branches meet.
        made_of: the key that was split, folded with a constant, or copied, to make it.
        copies: it is an array of copies of that.
    """

    __slots__ = (
        "constant", "copies", "count", "made_in", "made_of", "one_of", "part_of", "serial",
    )  # fmt: skip

    newest: ClassVar[int] = 0
    """Serial number of the key made last."""

    def __init__(
        self,
        made_in: Level | None,
        constant: Constant = None,
        count: int | None = None,
        part_of: Key | None = None,
        one_of: tuple[Key, ...] = (),
        made_of: Key | None = None,
        copies: bool = False,
    ) -> None:
        Key.newest += 1
        self.serial = Key.newest
        self.constant = constant
        self.made_in = made_in
        self.count = count
        self.part_of = part_of
        self.one_of = one_of
        self.made_of = made_of
        self.copies = copies

    def inside(self, level: Level) -> Key:
        """The same key as another function of the same loop gets it."""
        found = Key(level, self.constant, self.count, self.part_of, self.one_of, self.made_of)
        found.serial = self.serial
        return found

    def reshaped(self) -> Key:
        """The same keys in another shape: how many elements it has, nobody can say."""
        found = Key(self.made_in, self.constant, None, self.part_of, self.one_of, self.made_of)
        found.serial = self.serial
        return found


def merged_key(one: Key | None, other: Key | None) -> Key | None:
    """The key that is one or the other: from here on a key of its own."""
    if one is other or one is None or other is None:
        return one if one is other else None
    count = one.count if one.count == other.count else None
    made_in = _inner(one.made_in, other.made_in)
    return Key(made_in, _constant_of(one, other), count, one_of=(one, other))


def _constant_of(one: Key, other: Key) -> Constant:
    """Where both were made of constants, at the same level."""
    first, second = one.constant, other.constant
    return first if first is not None and second is not None and first[1] is second[1] else None


def _inner(one: Level | None, other: Level | None) -> Level | None:
    """Of two levels, one around the other, the inner one."""
    level = one
    while level is not None and level is not other:
        level = level.parent
    return one if level is other else other


@comparable
class Pairs:
    """Of a comparison of predictions with labels that compares each with every other.

    Attributes:
        node: the comparison.
        size: how many rows there are.
        column_first: the column is on the left.
    """

    node: n.Node
    size: Dim
    column_first: bool


@immutable
class Array(Value):
    """A JAX array or a tracer of one.

    Attributes:
        traced: True, False, or None when that depends on who runs the code.
        aval: shape, dtype and weak type, as far as known.
        reason: why it is traced.
        concreteness: which kind of tracer; meaningful when traced.
        assumed: a parameter that nobody in view passes: it may be None instead.
        no_list: an assumed one that is no list for certain.
        prng: which PRNG key it is, when that is known.
        varies: the loop at whose every iteration its shape is another one.
        symbol: as in :class:`~jaxlint.tracer.values.value.Unknown`.
        perturbed: it depends on what reverse mode differentiates: a cotangent comes back to it.
        derived: how it was computed, where cotangents go back; None: nobody can see.
        reach: it is on the devices of ``all`` processes; each of them holds a ``part``: what reads
            all of it is done by all processes together. Empty when that is not in view.
        differs: why it is another one in each process; None: not that anybody could see, or it is
            on the devices of all of them by now.
        extent: the numbers in it, of integers that literal values and sizes decide; or that they
            have wrapped around.
        unplaced: it is whole on one device, for nobody has laid it out on others.
        varying: the axes of a mesh along which it is another one on each device.
        of_logits: which function has made its numbers, of logits; None: who knows.
        zero: the call that made it of nothing but zeros; None: who knows.
        pairs: the comparison of predictions and labels that made all pairs of them.
        number: the one float that it holds, written in the program; of what a loop carries, in its
            first pass.
        kept_by: the function whose cache has it, though the trace that it is a tracer of is over.
    """

    traced: bool | None
    aval: Aval = ANY
    reason: Reason | None = None
    concreteness: Concreteness = "abstract"
    assumed: bool = False
    prng: Key | None = None
    varies: n.Node | None = None
    symbol: object = None
    no_list: bool = False
    perturbed: bool = False
    derived: Derivation | None = None
    reach: Reach = ""
    differs: Differs | None = None
    extent: Extent | Wrapped | None = None
    unplaced: bool = False
    varying: Varying = None
    of_logits: Made | None = None
    zero: n.Node | None = None
    pairs: Pairs | None = None
    number: float | None = None
    kept_by: str = ""

    @property
    def rank(self) -> int | None:
        """Number of axes; None when unknown."""
        shape = self.aval.shape
        return len(shape) if shape is not None else None

    @property
    def dtype(self) -> str | None:
        """The kind of dtype: ``bool``, ``int``, ``float``, ``complex``, ``key`` or None."""
        return kind_of(self.aval.dtype)

    def key(self, depth: int = KEY_DEPTH) -> object:
        which = self.prng.serial if self.prng is not None else 0
        return (
            "array", self.traced, self.concreteness, self.aval, self.assumed, self.no_list, which,
            id(self.varies) if self.varies else 0, self.symbol, self.perturbed,
            self.reach, self.differs, self.extent, self.unplaced, self.varying,
            self.of_logits, id(self.zero) if self.zero else 0,
            self.pairs, self.number, self.kept_by,
        )  # fmt: skip


@immutable
class Tree(Value):
    """A traced pytree of unknown structure: an array, a container of arrays, or None.

    ``container``: it is no array. ``optional``: a parameter whose default is None and that
    nobody in view passes, or one of a transform that leaves alone what is no array. ``static``:
    attributes that are no leaves, going by the class that its annotation names. ``perturbed`` and
    ``derived``: as in :class:`Array`. ``again``: as in
    :class:`~jaxlint.tracer.values.value.Unknown`.
    """

    reason: Reason | None
    concreteness: Concreteness
    container: bool = False
    optional: bool = False
    symbol: object = None
    static: frozenset[str] = frozenset()
    perturbed: bool = False
    derived: Derivation | None = None
    again: Again | None = None

    def key(self, depth: int = KEY_DEPTH) -> object:
        return (
            "tree", self.concreteness, self.container, self.optional, self.symbol, self.static,
            self.perturbed, self.again,
        )  # fmt: skip

    def as_array(self) -> Array:
        """What it must be when something only an array can do is done with it."""
        derived = Derivation.same(self) if self.perturbed or self.derived is not None else None
        return Array(
            True, ANY, self.reason, self.concreteness, perturbed=self.perturbed, derived=derived
        )


@immutable
class NumpyArray(Value):
    """A NumPy array or scalar: always concrete.

    Attributes:
        aval: shape and dtype.
        varies: the loop at whose every iteration it has another shape.
        cell: tells one array from another.
        has_axes: it is no scalar, for certain.
        differs: as in :class:`Array`.
        readonly: it is a view of a JAX array, which nobody can write.
    """

    aval: Aval = ANY
    varies: n.Node | None = None
    cell: Cell | None = None
    has_axes: bool = False
    differs: Differs | None = None
    readonly: bool = False

    def key(self, depth: int = KEY_DEPTH) -> object:
        varies = id(self.varies) if self.varies else 0
        return ("numpy", self.aval, varies, self.has_axes, self.differs, self.readonly)


@immutable
class Ref(Value):
    """A mutable array reference, as in Pallas kernels: item assignment is right.

    ``aval``: of the array that it refers to.
    """

    aval: Aval = ANY

    def key(self, depth: int = KEY_DEPTH) -> object:
        return ("ref", self.aval)


@immutable
class AtProperty(Value):
    """``x.at``, or ``x.at[i]`` once ``indexed``."""

    array: Value
    indexed: bool = False
    index: Value | None = None


@immutable
class Bounds(Value):
    """A slice as an index: lower and upper bound and step, None where left out."""

    parts: tuple[Value | None, ...]

    @property
    def given(self) -> list[Value]:
        """The bounds that are written out."""
        return [part for part in self.parts if part is not None]


@immutable
class Donated(Value):
    """A variable whose buffers were given away to a compiled function.

    Attributes:
        value: what it held.
        function: the name of the function.
        node: the call.
        made: what compiles the function.
        position: of the argument, None for one that was passed by keyword.
        parameter: that it was passed for; empty where that is not known.
        when: what tests had said, by symbol: where one says otherwise, it is still there.
    """

    value: Value
    function: str
    node: n.Node
    made: n.Node
    position: int | None
    parameter: str
    when: frozenset[tuple[object, object]] = frozenset()


def differing(values: Iterable[Value]) -> Differs | None:
    """Why what is made of these is another one in each process."""
    for value in values:
        if isinstance(value, Clock):
            return Differs("host", value.node)
        if isinstance(value, (Array, Host, NumpyArray)) and value.differs is not None:
            return value.differs
    return None


def kind_of(dtype: str | None) -> str | None:
    """The kind of an exact dtype: ``int`` of ``uint8``, ``float`` of ``bfloat16``."""
    if dtype is None:
        return None
    if dtype.startswith(("int", "uint")):
        return "int"
    if dtype.startswith(("float", "bfloat")):
        return "float"
    return "complex" if dtype.startswith("complex") else dtype


def given_back(
    name: str, operands: Several[Value], aval: Aval, reason: Reason | None
) -> Array | None:
    """What a function that may have nothing to change gives of arrays with data; None: a new one.

    Where it is not known whether it changes something, nobody knows whether a trace has it. The
    ``reason`` is that for which a new one is traced.
    """
    operand = operands[0] if operands and name in jax_api.GIVES_BACK else None
    if isinstance(operand, Unknown) and operand.source is None:
        return Array(None, aval, reason)
    if not isinstance(operand, Array):
        return None
    before = operand.aval
    types = {before.dtype, aval.dtype} - {None}
    kinds, exact = {kind_of(each) for each in types}, types - KIND_NAMES
    changes = len(kinds) > 1 or len(exact) > 1 or {before.weak, aval.weak} == {True, False}
    if changes or unequal(before.shape, aval.shape):
        return None
    known = None not in (before.shape, before.weak, *(before.shape or ())) and bool(exact)
    return operand if known and before == aval else Array(None, aval, reason)


def refuses_bool(value: Value) -> bool:
    """Whether ``bool(value)`` raises for certain."""
    return (
        isinstance(value, Array) and value.traced is True and value.concreteness not in GIVES_VALUE
    )
