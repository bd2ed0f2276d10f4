"""Classes, instances, functions and their wrappers, and names from outside the program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jaxlint.knowledge.transform import Transform
from jaxlint.program import nodes as n
from jaxlint.tracer.values.containers import MOST, Cell, weigh
from jaxlint.tracer.values.value import KEY_DEPTH, NONE, UNKNOWN, Unknown, Value, immutable

if TYPE_CHECKING:
    from jaxlint.tracer.state.frames import Frame, Moment

UNSEEN = "<unseen>"
"""Entry of an instance that may have attributes nobody has seen."""


Told = frozenset[tuple[object, object]]
"""What tests have said: symbols of unknown values, each with the answer."""


@dataclass(frozen=True, slots=True)
class ClassField:
    """A field of a named tuple or dataclass.

    Attributes:
        default: the expression of its default.
        factory: the expression of what makes its default.
        init: the constructor takes it.
        keyword_only: it does so by name alone.
        static: it is no leaf.
        compared: objects are equal, and hashed, by it.
        converted: something else than what the constructor gets may be kept.
        converter: what makes that of it; None when there is none, or nobody can see it.
        maker: what ``factory`` is where the class is defined.
    """

    default: n.Node | None = None
    factory: n.Node | None = None
    init: bool = True
    keyword_only: bool = False
    static: bool = False
    compared: bool = True
    converted: bool = False
    converter: Value | None = None
    maker: Value | None = None

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
        frozen_by: the decorator that has its fields set once; ``namedtuple`` for a named tuple.
        module: the library module class it derives from (``flax.linen.Module``), if any.
        fields: those of a named tuple or dataclass, in order.
        static_fields: those that are no leaves.
        leaves: attributes that ``tree_flatten`` lists as children; None when nobody can see.
        by_identity: a dataclass whose objects are equal to nothing but themselves.
    """

    library: bool = False
    pytree: str | None = None
    plain_dataclass: bool = False
    frozen: bool = False
    frozen_by: str = ""
    module: str = ""
    fields: dict[str, ClassField] | None = None
    static_fields: frozenset[str] = frozenset()
    leaves: frozenset[str] | None = None
    by_identity: bool = False


def is_abstract_method(code: n.Function) -> bool:
    """Whether a decorator says that classes below give a method its body."""
    return any(map(_says_abstract, code.decorators))


def _says_abstract(decorator: n.Node) -> bool:
    """``@abstractmethod`` and its like, whatever module it is of."""
    name = decorator.attr if isinstance(decorator, n.Attribute) else ""
    name = decorator.id if isinstance(decorator, n.Name) else name
    return name.startswith("abstract")


@immutable
class Class(Value):
    """A class of the program.

    ``cell`` holds its traits and what it derives from, ``attributes`` what its body binds.
    """

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
        for each in self.above:
            found = each.attributes.get(name)
            if found is not None:
                return found
        return None

    @property
    def above(self) -> list[Class]:
        """The classes of the program that it derives from, each once, as they are searched."""
        found: list[Class] | None = self.cell.get("above")
        if found is None:
            found = self.cell["above"] = _above(self)
        return found

    def after(self, cls: Class) -> list[Class]:
        """Where ``super()`` looks in a method of ``cls``, for an object of this class."""
        searched = [self, *self.above]
        places = [place for place, each in enumerate(searched) if each is cls]
        return searched[places[0] + 1 :] if places else cls.above

    @property
    def is_abstract(self) -> bool:
        """Whether Python makes no instance of it: what it is called with is of a class below."""
        for each in (self, *self.above):
            for statement in each.definition.body:
                if isinstance(statement, n.FunctionDefinition):
                    code = statement.function
                    if is_abstract_method(code) and self._keeps(code):
                        return True
        return False

    def _keeps(self, code: n.Function) -> bool:
        """Whether no class below the one with this method defines it anew."""
        found = next(
            statement.function
            for each in (self, *self.above)
            for statement in each.definition.body
            if isinstance(statement, n.FunctionDefinition) and statement.target.id == code.name
        )
        return found is code

    def is_subclass(self, other: Class) -> bool:
        """Whether it is ``other`` or derives from it, in view."""
        return any(each.definition is other.definition for each in (self, *self.above))


def _above(cls: Class) -> list[Class]:
    """What a class derives from, in the order in which Python searches it: none before its heirs.

    Source: https://docs.python.org/3/howto/mro.html
    """
    bases = [base for base in cls.bases if isinstance(base, Class)]
    lines = [[base, *base.above] for base in bases] + ([bases] if bases else [])
    found: list[Class] = []
    while lines:
        behind = {id(each) for line in lines for each in line[1:]}
        first = next((line[0] for line in lines if id(line[0]) not in behind), lines[0][0])
        found.append(first)
        left = ([each for each in line if each is not first] for line in lines)
        lines = [line for line in left if line]
    return found


@immutable
class Instance(Value):
    """An object of a class of the program; only the trail writes its ``attributes``.

    ``heir``: nobody in view makes it, and it may be of a class that derives from this one.
    """

    cls: Class
    attributes: dict[str, Value]
    made: Moment | None = None
    heir: bool = False

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
        wraps: what ``functools.wraps`` gave it the signature of.
        facts: what tests had said of unknown values when it was made.
    """

    code: n.Function
    frame: Frame
    defaults: dict[str, Value]
    made: Moment
    owner: Class | None = None
    cached: bool = False
    wraps: Value | None = None
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
        depth: how many wrappers are below it, one around the other.
    """

    function: Value
    args: tuple[Value, ...]
    kwargs: dict[str, Value]
    made: Moment
    pytree: bool = False
    size: int = 1
    depth: int = 0

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
    depth = wrappers_of(function)
    if depth > MOST_WRAPPERS:
        function, depth = UNKNOWN, 0
    return Partial(function, args, kwargs, made, pytree, size, depth)


@immutable
class Transformed(Value):
    """The result of a transform: ``jax.jit(f)``, ``jax.grad(f, argnums=1)``, ...

    Attributes:
        node: the call or decorator that made it.
        facts: as in :class:`Function`.
        depth: how many wrappers are below it, one around the other.
    """

    transform: Transform
    name: str
    function: Value
    options: dict[str, Value]
    node: n.Node
    made: Moment
    facts: dict[object, object] | None = None
    depth: int = 0


MOST_WRAPPERS = 50
"""Transforms and partials around each other: what comes of more is unknown."""


def wrappers_of(function: Value) -> int:
    """How many wrappers are around a function."""
    return function.depth + 1 if isinstance(function, (Partial, Transformed)) else 0


@immutable
class Qualified(Value):
    """Something outside the program, known by its full dotted name.

    ``made``: when the object was made whose method it is, where each object has one of its own.
    ``links``: of a chain of optimizers, what it calls when it is called: schedules, and links that
    the program has made.
    """

    name: str
    made: Moment | None = None
    links: tuple[Value, ...] = ()

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
    """``from module import name`` at the top of a module, until somebody reads the name.

    ``others``: what the name means if it was not that import that bound it.
    """

    module: Module
    name: str
    others: tuple[Value, ...] = ()


@immutable
class Descriptor(Value):
    """``property``, ``staticmethod``, ``classmethod`` or ``contextmanager`` around a function.

    Or ``functools.cached_property``.

    Or ``singledispatch``: ``cell`` has a slot for each type that is registered, which only the
    trail writes: the type, and what runs in the function's place.

    ``setter``: what a property calls when it is set.
    """

    kind: str
    function: Value
    cell: Cell | None = None
    setter: Value | None = None


MAKES = "builtins.object.__new__"
"""Makes an object of a class that no constructor has filled."""

PAST_ITS_CLASS = "builtins.object.__setattr__"
"""Sets an attribute whatever the class of the object has to say of it."""


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


@immutable
class Choice(Value):
    """One of a few things that are called or asked for attributes; nobody in view knows which.

    One of them may be None, which is neither. ``when``: for each option what tests had said, by
    symbol, where it was chosen.
    """

    options: tuple[Value, ...]
    when: tuple[Told, ...]

    def key(self, depth: int = KEY_DEPTH) -> object:
        options = zip(self.options, self.when, strict=True)
        return ("choice", frozenset((option.key(), when) for option, when in options))

    def possible(self, facts: dict[object, object]) -> list[tuple[Value, Told]]:
        """The options that agree with what is known now, and that something is done with."""
        return [(option, when) for option, when in self.agreeing(facts) if option is not NONE]

    def present(self) -> Value:
        """What it is where it is not None."""
        return self.where(lambda option: option is not NONE, None)

    def where(self, may_be: Callable[[Value], bool], facts: dict[object, object] | None) -> Value:
        """What it is where a test leaves only some of them; unknown where it leaves none.

        ``facts``: what else is known there; None where nothing is.
        """
        agreeing = self.agreeing(facts or {})
        left = [(option, when) for option, when in agreeing if may_be(option)]
        if len(left) < 2:
            return left[0][0] if left else UNKNOWN
        return Choice(*map(tuple, zip(*left, strict=True)))

    def agreeing(self, facts: dict[object, object]) -> list[tuple[Value, Told]]:
        """The options that agree with what is known now."""
        return [
            (option, when)
            for option, when in zip(self.options, self.when, strict=True)
            if all(facts.get(symbol, fact) == fact for symbol, fact in when)
        ]


def made_at(value: Value) -> tuple[int, ...]:
    """The places in the program that made a function, class or object, and what it wraps."""
    if isinstance(value, BoundMethod):
        # Objects of two classes have the methods of a class that both derive from.
        return *made_at(value.function), *made_at(value.receiver)
    if isinstance(value, Partial):
        return made_at(value.function)
    if isinstance(value, Transformed):
        return id(value.node), *made_at(value.function)
    if isinstance(value, Function):
        return (id(value.code),)
    cls = value.cls if isinstance(value, Instance) else value
    return (id(cls.definition if isinstance(cls, Class) else cls),)
