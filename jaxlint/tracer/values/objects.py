"""Classes, instances, functions and their wrappers, and names from outside the program."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.knowledge.transforms import Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.values.containers import MOST, weigh
from jaxlint.tracer.values.value import KEY_DEPTH, UNKNOWN, Unknown, Value, immutable

if TYPE_CHECKING:
    from jaxlint.tracer.state.frames import Frame, Moment

UNSEEN = "<unseen>"
"""Entry of an instance that may have attributes nobody has seen."""


@dataclass(frozen=True, slots=True)
class ClassField:
    """A field of a named tuple or dataclass.

    Attributes:
        default: the expression of its default.
        factory: the expression of what makes its default.
        init: the constructor takes it.
        keyword_only: it does so by name alone.
        static: it is no leaf.
    """

    default: n.Node | None = None
    factory: n.Node | None = None
    init: bool = True
    keyword_only: bool = False
    static: bool = False

    @property
    def optional(self) -> bool:
        """Whether a call may leave it out."""
        return self.default is not None or self.factory is not None


@immutable
class Traits(Value):
    """What the bases and decorators of a class make of it.

    Attributes:
        library: a base is not in view: instances may do anything.
        pytree: how instances are flattened: ``namedtuple``, ``dataclass`` (a registered
            one), ``registered``, or None.
        plain_dataclass: the fields make its constructor.
        frozen: a dataclass that defines ``__hash__`` by its fields.
        module: the library module class it derives from (``flax.linen.Module``), if any.
        fields: those of a named tuple or dataclass, in order.
        static_fields: those that are no leaves.
        leaves: attributes that ``tree_flatten`` lists as children; None when nobody can see.
    """

    library: bool = False
    pytree: str | None = None
    plain_dataclass: bool = False
    frozen: bool = False
    module: str = ""
    fields: dict[str, ClassField] | None = None
    static_fields: frozenset[str] = frozenset()
    leaves: frozenset[str] | None = None


@immutable
class Class(Value):
    """A class of the program. ``cell`` holds its traits, ``attributes`` what its body binds."""

    definition: n.ClassDefinition
    frame: Frame
    made: Moment
    bases: tuple[Value, ...]
    attributes: dict[str, Value]
    cell: dict[str, Any]

    @property
    def name(self) -> str:
        """As the program calls it."""
        return self.definition.name

    @property
    def traits(self) -> Traits:
        """What its bases and decorators make of it, now."""
        found: Traits = self.cell["traits"]
        return found

    def find(self, name: str) -> Value | None:
        """Look an attribute up along the bases."""
        found = self.attributes.get(name)
        if found is not None:
            return found
        for base in self.bases:
            if isinstance(base, Class):
                found = base.find(name)
                if found is not None:
                    return found
        return None

    def is_subclass(self, other: Class) -> bool:
        """Whether it is ``other`` or derives from it, in view."""
        return self.definition is other.definition or any(
            isinstance(base, Class) and base.is_subclass(other) for base in self.bases
        )


@immutable
class Instance(Value):
    """An object of a class of the program; only the trail writes its ``attributes``."""

    cls: Class
    attributes: dict[str, Value]
    made: Moment | None = None

    @property
    def open(self) -> bool:
        """Whether attributes not listed may exist."""
        return UNSEEN in self.attributes

    def listed(self) -> dict[str, Value]:
        """The attributes that were seen."""
        return {name: value for name, value in self.attributes.items() if name != UNSEEN}

    def named(self, name: str, value: Value = UNKNOWN) -> Value:
        """A value of an attribute: of an unknown one, tests say something that stays true."""
        if value is not UNKNOWN:
            return value
        return Unknown(symbol=("attribute", id(self.attributes), name))

    def key(self, depth: int = KEY_DEPTH) -> object:
        return ("instance", id(self.attributes))


@immutable
class Function(Value):
    """A function of the program with the frame it closes over.

    Attributes:
        cached: ``functools.cache`` keeps its results.
        facts: what tests had said of unknown values when it was made.
    """

    code: n.Function
    frame: Frame
    defaults: dict[str, Value]
    made: Moment
    owner: Class | None = None
    cached: bool = False
    facts: dict[object, object] | None = None


@immutable
class BoundMethod(Value):
    """A function with its first argument already given."""

    receiver: Value
    function: Value
    made: Moment

    def key(self, depth: int = KEY_DEPTH) -> object:
        return ("bound", self.receiver.key(), self.function.key())


@immutable
class Partial(Value):
    """``functools.partial(function, *args, **kwargs)``.

    Attributes:
        pytree: that of ``jax.tree_util``.
        size: how many values its arguments are made of.
    """

    function: Value
    args: tuple[Value, ...]
    kwargs: dict[str, Value]
    made: Moment
    pytree: bool = False
    size: int = 1

    @property
    def weight(self) -> int:
        return self.size


def partial_of(
    function: Value,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    made: Moment,
    pytree: bool = False,
) -> Partial:
    """A partial; of unknown arguments where they would be too many values."""
    size = weigh([*args, *kwargs.values()])
    if size > MOST:
        args, kwargs = (UNKNOWN,) * len(args), dict.fromkeys(kwargs, UNKNOWN)
        size = weigh([*args, *kwargs.values()])
    return Partial(function, args, kwargs, made, pytree, size)


@immutable
class Transformed(Value):
    """The result of a transform: ``jax.jit(f)``, ``jax.grad(f, argnums=1)``, ...

    Attributes:
        node: the call or decorator that made it.
        facts: as in :class:`Function`.
    """

    transform: Transform
    name: str
    function: Value
    options: dict[str, Value]
    node: n.Node
    made: Moment
    facts: dict[object, object] | None = None


@immutable
class Qualified(Value):
    """Something outside the program, known by its full dotted name."""

    name: str

    def key(self, depth: int = KEY_DEPTH) -> object:
        return ("qualified", self.name)


@immutable
class Module(Value):
    """A module of the project, by its file; a folder is a namespace package."""

    file: Path

    def key(self, depth: int = KEY_DEPTH) -> object:
        return ("module", self.file)


@immutable
class Imported(Value):
    """``from module import name`` at the top of a module, until somebody reads the name."""

    module: Module
    name: str


@immutable
class External(Value):
    """An object of a class outside the program (``logging.Logger``); no tracer.

    ``axes``: the names of a mesh, or those that a spec names; None when they are not in view.
    """

    type: str
    axes: tuple[str, ...] | None = None

    def key(self, depth: int = KEY_DEPTH) -> object:
        return ("external", self.type, self.axes)


@immutable
class Descriptor(Value):
    """``property``, ``staticmethod``, ``classmethod`` or ``contextmanager`` around a function."""

    kind: str
    function: Value


@immutable
class Super(Value):
    """``super()`` in a method of ``cls``."""

    cls: Class
    receiver: Value


@immutable
class Method(Value):
    """A method of a value that is not of the program: ``xs.append``, ``x.sum``, ``d.items``."""

    receiver: Value
    name: str
