"""Abstract values: what the tracer knows of a value without running the program.

Each kind answers one question: if Python or JAX did this to the value, what
would happen? *Unknown* is a value like any other and nothing is ever concluded
from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from jaxlint.events import Reason
from jaxlint.knowledge.transforms import Transform
from jaxlint.program import nodes as n

if TYPE_CHECKING:
    from jaxlint.tracer.frames import Frame, Level, Moment

Concreteness = Literal["abstract", "mapped", "differentiated"]
"""What a tracer refuses: everything (jit), everything (vmap), only float and numpy (grad)."""


class Value:
    """Anything a name can stand for."""

    __slots__ = ()

    def key(self) -> object:
        """Equal for values that the tracer cannot tell apart."""
        return id(self)


class Unknown(Value):
    """Could be anything, traced or not."""

    __slots__ = ()


UNKNOWN = Unknown()
SOMETHING = Unknown()
"""Unknown, except that it is not None."""


class Const(Value):
    """A Python constant whose value is known."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def key(self) -> object:
        return ("const", type(self.value), self.value)


NONE = Const(None)
TRUE = Const(True)
FALSE = Const(False)


class Host(Value):
    """A Python value that is certainly no tracer, of a known type.

    ``type`` is ``int``, ``float``, ``bool``, ``str``, ``shape`` (a tuple of
    ints), ``dtype``, ``type`` or ``object`` (any concrete value). ``changes`` is the
    loop at whose every iteration it takes a new value; True for a counter that
    no loop has taken up yet.
    """

    __slots__ = ("changes", "type")

    def __init__(self, type: str, changes: n.Node | bool | None = None) -> None:
        self.type = type
        self.changes = changes

    def key(self) -> object:
        return ("host", self.type, id(self.changes) if self.changes else 0)


class Clock(Host):
    """A reading of a clock: a float, and what had been dispatched by then.

    ``pending`` is the last dispatch that nobody had waited for; ``node`` the
    reading, ``name`` the clock.
    """

    __slots__ = ("dispatches", "name", "node", "pending")

    def __init__(self, dispatches: int, pending: n.Node | None, node: n.Node, name: str) -> None:
        super().__init__("float")
        self.name = name
        self.dispatches = dispatches
        self.pending = pending
        self.node = node

    def key(self) -> object:
        return id(self)


@dataclass(slots=True, eq=False)
class Link:
    """One call on the way to a use: where, and whether a loop of that frame goes around it."""

    node: n.Node
    looping: bool


@dataclass(slots=True, eq=False)
class KeyUse:
    """One place at which a PRNG key is consumed.

    Attributes:
        chain: the calls that lead there, the consuming call last.
        path: the branches taken so far: token of the branch, arm, and whether the
            other arm had left the function.
        era: which of the runs that start from nothing this belongs to.
        name: the function that consumes it.
        subject: the expression of the key.
    """

    chain: tuple[Link, ...]
    path: tuple[tuple[object, object, bool], ...]
    era: int
    name: str
    subject: n.Node


class KeyState:
    """The identity of a PRNG key, or of an array of keys.

    Attributes:
        serial: keys are numbered in the order in which they are made.
        constant: made from constants alone: where, and at which level.
        made_in: the transform level it was made in.
        count: number of keys in the array, when that is known.
        children: ``keys[i]`` for each constant index asked for.
        part_of: the array of keys that it is an element of.
        uses: where it has been consumed.
    """

    __slots__ = ("children", "constant", "count", "made_in", "part_of", "serial", "uses")

    def __init__(
        self,
        serial: int,
        made_in: Level | None,
        constant: tuple[n.Node, Level | None] | None = None,
    ) -> None:
        self.serial = serial
        self.constant = constant
        self.made_in = made_in
        self.count: int | None = None
        self.children: dict[int, KeyState] = {}
        self.part_of: KeyState | None = None
        self.uses: list[KeyUse] = []


class Array(Value):
    """A JAX array or a tracer of one.

    Attributes:
        traced: True, False, or None when that depends on who runs the code.
        concreteness: which kind of tracer; meaningful when traced.
        rank: number of axes, None when unknown.
        dtype: ``bool``, ``int``, ``float``, ``complex``, ``key`` or None.
        reason: why it is traced.
        assumed: a parameter that nobody in view passes: it may be None instead.
        prng: which PRNG key it is, when that is known.
        sized_by: the loop at whose every iteration its shape is another one.
    """

    __slots__ = ("assumed", "concreteness", "dtype", "prng", "rank", "reason", "sized_by",
                 "traced")  # fmt: skip

    def __init__(
        self,
        traced: bool | None,
        rank: int | None = None,
        dtype: str | None = None,
        reason: Reason | None = None,
        concreteness: Concreteness = "abstract",
        assumed: bool = False,
    ) -> None:
        self.traced = traced
        self.rank = rank
        self.dtype = dtype
        self.reason = reason
        self.concreteness = concreteness
        self.assumed = assumed
        self.prng: KeyState | None = None
        self.sized_by: n.Node | None = None

    def key(self) -> object:
        which = id(self.prng) if self.prng is not None else 0
        return (
            "array", self.traced, self.concreteness, self.rank, self.dtype, self.assumed, which
        )  # fmt: skip

    def because(self, reason: Reason) -> Array:
        """The same value with another reason."""
        copy = Array(self.traced, self.rank, self.dtype, reason, self.concreteness, self.assumed)
        copy.prng, copy.sized_by = self.prng, self.sized_by
        return copy


class Tree(Value):
    """A traced pytree of unknown structure: an array, a container of arrays, or None.

    ``optional``: a parameter whose default is None and that nobody in view passes.
    """

    __slots__ = ("concreteness", "container", "optional", "reason")

    def __init__(
        self,
        reason: Reason | None,
        concreteness: Concreteness,
        container: bool = False,
        optional: bool = False,
    ) -> None:
        self.reason = reason
        self.concreteness = concreteness
        self.container = container
        self.optional = optional

    def key(self) -> object:
        return ("tree", self.concreteness, self.container, self.optional)

    def because(self, reason: Reason) -> Tree:
        """The same value with another reason."""
        return Tree(reason, self.concreteness, self.container, self.optional)

    def as_array(self) -> Array:
        """What it must be when something only an array can do is done with it."""
        return Array(True, None, None, self.reason, self.concreteness)


class NumpyArray(Value):
    """A NumPy array: always concrete. ``version`` counts changes in place."""

    __slots__ = ("sized_by", "version")

    def __init__(self) -> None:
        self.version = 0
        self.sized_by: n.Node | None = None

    def key(self) -> object:
        return ("numpy", id(self.sized_by) if self.sized_by else 0)


class Donated(Value):
    """A variable whose buffers were given away to a compiled function."""

    __slots__ = ("function", "node", "value")

    def __init__(self, value: Value, function: str, node: n.Node) -> None:
        self.value = value
        self.function = function
        self.node = node


class Ref(Value):
    """A mutable array reference, as in Pallas kernels: item assignment is right."""

    __slots__ = ()

    def key(self) -> object:
        return "ref"


class AtProperty(Value):
    """``x.at``, or ``x.at[i]`` once ``indexed``."""

    __slots__ = ("array", "indexed")

    def __init__(self, array: Value, indexed: bool = False) -> None:
        self.array = array
        self.indexed = indexed


class Bounds(Value):
    """A slice as an index: its lower and upper bound and step."""

    __slots__ = ("parts",)

    def __init__(self, parts: list[Value]) -> None:
        self.parts = parts


class Sequence(Value):
    """A tuple, list, set or iterator.

    ``items`` holds the elements when their number is known; otherwise
    ``element`` stands for all of them. ``moment`` says when it was made; ``length`` is
    the number of elements of a long ``range``; ``grows`` the loop that makes it longer.
    """

    __slots__ = ("element", "grows", "items", "kind", "length", "moment", "version")

    def __init__(
        self,
        kind: Literal["tuple", "list", "set", "iterator"],
        items: list[Value] | None,
        element: Value = UNKNOWN,
        moment: Moment | None = None,
    ) -> None:
        self.kind = kind
        self.items = items
        self.element = element
        self.moment = moment
        self.version = 0
        self.length: int | None = None
        self.grows: n.Node | None = None

    def key(self) -> object:
        if self.kind != "tuple":
            return id(self)
        if self.items is None:
            return ("tuple", self.element.key())
        return ("tuple", *[item.key() for item in self.items])

    def any_element(self) -> Value:
        """One value that stands for every element."""
        if self.items is None:
            return self.element
        if not self.items:
            return UNKNOWN
        return join_all(self.items)


class Mapping(Value):
    """A dict. ``entries`` holds the known keys; ``rest`` stands for all others, if any."""

    __slots__ = ("entries", "moment", "rest", "version")

    def __init__(
        self, entries: dict[Any, Value], rest: Value | None, moment: Moment | None = None
    ) -> None:
        self.entries = entries
        self.rest = rest
        self.moment = moment
        self.version = 0

    def any_value(self) -> Value:
        """One value that stands for every entry."""
        values = list(self.entries.values())
        if self.rest is not None:
            values.append(self.rest)
        return join_all(values) if values else UNKNOWN


class Class(Value):
    """A class of the program.

    ``library`` is True when a base is not in view: instances may then do anything.
    ``pytree`` names how instances are flattened: ``namedtuple``, ``dataclass``
    (a registered one), ``registered``, or None.
    """

    __slots__ = ("attributes", "bases", "definition", "fields", "frame", "library", "moment",
                 "plain_dataclass", "pytree", "set_by", "static_fields", "versions")  # fmt: skip

    def __init__(self, definition: n.ClassDefinition, frame: Frame, moment: Moment) -> None:
        self.definition = definition
        self.moment: Moment | None = moment
        self.versions: dict[str, int] = {}
        self.set_by: dict[str, n.Node] = {}
        self.frame = frame
        self.attributes: dict[str, Value] = {}
        self.bases: list[Class] = []
        self.library = False
        self.pytree: str | None = None
        self.plain_dataclass = False
        self.fields: dict[str, n.Node | None] = {}
        self.static_fields: set[str] = set()

    def find(self, name: str) -> Value | None:
        """Look an attribute up along the bases."""
        if name in self.attributes:
            return self.attributes[name]
        for base in self.bases:
            found = base.find(name)
            if found is not None:
                return found
        return None


class Instance(Value):
    """An object of a class of the program.

    ``open`` means that attributes not listed may exist: it was made up for a
    method that nobody in view calls.
    """

    __slots__ = ("attributes", "cls", "moment", "open", "set_by", "versions")

    def __init__(self, cls: Class, moment: Moment | None, open: bool = False) -> None:
        self.cls = cls
        self.moment = moment
        self.open = open
        self.attributes: dict[str, Value] = {}
        self.versions: dict[str, int] = {}
        self.set_by: dict[str, n.Node] = {}


class Function(Value):
    """A function of the program with the frame it closes over."""

    __slots__ = ("cached", "code", "defaults", "frame", "moment", "owner")

    def __init__(
        self, code: n.Function, frame: Frame, defaults: dict[str, Value], moment: Moment
    ) -> None:
        self.code = code
        self.frame = frame
        self.defaults = defaults
        self.moment = moment
        self.owner: Class | None = None
        self.cached = False


class BoundMethod(Value):
    """A function with its first argument already given."""

    __slots__ = ("function", "moment", "receiver")

    def __init__(self, receiver: Value, function: Value, moment: Moment) -> None:
        self.receiver = receiver
        self.function = function
        self.moment = moment

    def key(self) -> object:
        return ("bound", self.receiver.key(), self.function.key())


class Partial(Value):
    """``functools.partial(function, *args, **kwargs)``."""

    __slots__ = ("args", "function", "kwargs", "moment")

    def __init__(
        self, function: Value, args: list[Value], kwargs: dict[str, Value], moment: Moment
    ) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs
        self.moment = moment


class Transformed(Value):
    """The result of a transform: ``jax.jit(f)``, ``jax.grad(f, argnums=1)``, ..."""

    __slots__ = ("function", "moment", "name", "node", "options", "transform")

    def __init__(
        self,
        transform: Transform,
        name: str,
        function: Value,
        options: dict[str, Value],
        node: n.Node,
        moment: Moment,
    ) -> None:
        self.transform = transform
        self.name = name
        self.function = function
        self.options = options
        self.node = node
        self.moment = moment


class Qualified(Value):
    """Something outside the program, known by its full dotted name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def key(self) -> object:
        return ("qualified", self.name)


class External(Value):
    """An object of a class outside the program (``logging.Logger``); no tracer."""

    __slots__ = ("type",)

    def __init__(self, type: str) -> None:
        self.type = type

    def key(self) -> object:
        return ("external", self.type)


class Descriptor(Value):
    """``property``, ``staticmethod`` or ``classmethod`` around a function."""

    __slots__ = ("function", "kind")

    def __init__(self, kind: str, function: Value) -> None:
        self.kind = kind
        self.function = function


class Super(Value):
    """``super()`` in a method of ``cls``."""

    __slots__ = ("cls", "receiver")

    def __init__(self, cls: Class, receiver: Value) -> None:
        self.cls = cls
        self.receiver = receiver


class Builtin(Value):
    """A method of a known value: ``xs.append``, ``x.sum``, ``d.items``."""

    __slots__ = ("name", "receiver")

    def __init__(self, receiver: Value, name: str) -> None:
        self.receiver = receiver
        self.name = name


# ---------------------------------------------------------------------- joins


def same(left: Value, right: Value) -> bool:
    """Whether the tracer cannot tell the two apart."""
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    try:
        return bool(left.key() == right.key())
    except (RecursionError, ValueError):
        return False


def join(left: Value, right: Value) -> Value:
    """What is certain of a value that is one or the other."""
    if left is right:
        return right
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return UNKNOWN
    if same(left, right):
        return left
    if isinstance(left, Array) and isinstance(right, Array):
        return _join_arrays(left, right)
    if isinstance(left, (Const, Host)) and isinstance(right, (Const, Host)):
        kind = type_name(left)
        return Host(kind if kind == type_name(right) else "object")
    if isinstance(left, Sequence) and isinstance(right, Sequence) and left.kind == right.kind:
        return _join_sequences(left, right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return _join_mappings(left, right)
    if isinstance(left, Tree) and isinstance(right, Tree):
        return left if left.container else right
    if isinstance(left, Array) and isinstance(right, Tree):
        return join(right, left)
    if isinstance(left, Tree) and isinstance(right, Array) and right.traced:
        return left
    return UNKNOWN


def _join_arrays(left: Array, right: Array) -> Array:
    traced = left.traced if left.traced == right.traced else None
    rank = left.rank if left.rank == right.rank else None
    dtype = left.dtype if left.dtype == right.dtype else None
    concreteness = left.concreteness
    if left.concreteness != right.concreteness:
        # Only what both of them refuse may be reported.
        concreteness = "differentiated"
    assumed = left.assumed or right.assumed
    joined = Array(traced, rank, dtype, left.reason or right.reason, concreteness, assumed)
    joined.prng = left.prng if left.prng is right.prng else None
    return joined


def _join_sequences(left: Sequence, right: Sequence) -> Sequence:
    moment = left.moment or right.moment
    if left.items is not None and right.items is not None and len(left.items) == len(right.items):
        pairs = zip(left.items, right.items, strict=True)
        joined = Sequence(left.kind, [join(a, b) for a, b in pairs], UNKNOWN, moment)
    else:
        # An empty container says nothing about its elements.
        parts = [s.any_element() for s in (left, right) if s.items is None or s.items]
        joined = Sequence(left.kind, None, join_all(parts) if parts else UNKNOWN, moment)
    joined.version = max(left.version, right.version)
    return joined


def _join_mappings(left: Mapping, right: Mapping) -> Mapping:
    entries: dict[Any, Value] = {}
    rest: Value | None = None
    for key in {**left.entries, **right.entries}:
        if key in left.entries and key in right.entries:
            entries[key] = join(left.entries[key], right.entries[key])
        else:
            rest = UNKNOWN
    for other in (left.rest, right.rest):
        if other is not None:
            rest = other if rest is None else join(rest, other)
    joined = Mapping(entries, rest, left.moment or right.moment)
    joined.version = max(left.version, right.version)
    return joined


def join_all(values: list[Value]) -> Value:
    """Join of one or more values."""
    joined = values[0]
    for value in values[1:]:
        joined = join(joined, value)
    return joined


def type_name(value: Value) -> str:
    """The Python type of a constant or host value, as :class:`Host` names it."""
    if isinstance(value, Host):
        return value.type
    if isinstance(value, Const):
        name = type(value.value).__name__
        return name if name in ("int", "float", "complex", "bool", "str") else "object"
    return "object"


def is_number(value: Value) -> bool:
    """Whether it is a Python number for certain."""
    return type_name(value) in ("int", "float", "complex", "bool")


def tracers(value: Value, depth: int = 3) -> list[Array | Tree]:
    """The tracers in a value, containers included."""
    if isinstance(value, Array):
        return [value] if value.traced else []
    if isinstance(value, Tree):
        return [value]
    if depth == 0:
        return []
    inner: list[Value] = []
    if isinstance(value, Sequence):
        inner = [value.element] if value.items is None else value.items[:8]
    elif isinstance(value, Mapping):
        inner = [*list(value.entries.values())[:8], *([value.rest] if value.rest else [])]
    elif isinstance(value, Instance) and value.cls.pytree:
        inner = list(value.attributes.values())[:8]
    return [found for item in inner for found in tracers(item, depth - 1)]


def key_states(value: Value, depth: int = 3) -> list[KeyState]:
    """The PRNG keys of known identity in a value, containers included."""
    if isinstance(value, Array):
        return [value.prng] if value.prng is not None else []
    if depth and isinstance(value, Sequence):
        inner = value.items[:16] if value.items is not None else [value.element]
        return [state for item in inner for state in key_states(item, depth - 1)]
    if depth and isinstance(value, Mapping):
        return [state for item in value.entries.values() for state in key_states(item, depth - 1)]
    if depth and isinstance(value, Instance) and value.cls.pytree:
        return [state for v in value.attributes.values() for state in key_states(v, depth - 1)]
    return []


def with_keys(value: Value, change: Callable[[KeyState], KeyState]) -> Value:
    """The same value with other identities for the PRNG keys in it."""
    if isinstance(value, Array) and value.prng is not None:
        copy = Array(value.traced, value.rank, value.dtype, value.reason, value.concreteness,
                     value.assumed)  # fmt: skip
        copy.prng = change(value.prng)
        return copy
    if not key_states(value):
        return value
    if isinstance(value, Sequence):
        items = [with_keys(v, change) for v in value.items] if value.items is not None else None
        return Sequence(value.kind, items, with_keys(value.element, change), value.moment)
    if isinstance(value, Mapping):
        entries = {name: with_keys(item, change) for name, item in value.entries.items()}
        return Mapping(entries, value.rest, value.moment)
    if isinstance(value, Instance):
        changed = Instance(value.cls, value.moment, value.open)
        changed.attributes = {k: with_keys(v, change) for k, v in value.attributes.items()}
        return changed
    return value
