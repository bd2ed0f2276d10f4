"""The base of all values, and those of plain Python."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, TypeVar

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform

    from jaxlint.program import nodes as n
    from jaxlint.tracer.values.arrays import Tree
    from jaxlint.tracer.values.avals import Size

    _T = TypeVar("_T")

    @dataclass_transform(frozen_default=True, kw_only_default=False)
    def immutable(cls: type[_T]) -> type[_T]:
        """Make an immutable dataclass of a class."""

    @dataclass_transform(frozen_default=True, kw_only_default=False)
    def comparable(cls: type[_T]) -> type[_T]:
        """The same, of which those are equal whose fields are."""

    replace = dataclasses.replace

else:
    # The type checker holds values frozen; at run time a frozen dataclass costs three times
    # as much to make.
    immutable: Callable[[type], type] = dataclass(slots=True, eq=False)
    comparable: Callable[[type], type] = dataclass(slots=True, unsafe_hash=True)

    @cache
    def _reader(kind: type) -> tuple[Callable[[Any], tuple[Any, ...]], dict[str, int]]:
        """What reads the fields of a dataclass that ``__init__`` takes, and where each stands."""
        names = [each.name for each in dataclasses.fields(kind) if each.init]
        read = attrgetter(*names) if len(names) > 1 else lambda value: (getattr(value, *names),)
        return read, {name: position for position, name in enumerate(names)}

    def replace(value: Any, /, **changes: Any) -> Any:
        """As :func:`dataclasses.replace` does it, which looks at each field for what it allows.

        Values are replaced all the time, and that takes longer than making one.
        """
        read, positions = _reader(type(value))
        values = [*read(value)]
        for name, new in changes.items():
            values[positions[name]] = new
        return type(value)(*values)


KEY_DEPTH = 3
"""Containers inside containers are told apart to this depth, then by identity."""


class Value:
    """Anything a name can stand for."""

    __slots__ = ()

    def key(self, depth: int = KEY_DEPTH) -> object:
        """Equal for values that the tracer cannot tell apart."""
        return id(self)

    @property
    def weight(self) -> int:
        """How many values it is made of, counted along every path."""
        return 1


@immutable
class Unknown(Value):
    """Could be anything, traced or not.

    Attributes:
        present: it is not None.
        passed: it stands where None stood: somebody passes it for a parameter that may be left
            out, or sets the attribute.
        symbol: equal for the same unknown value met twice: what a test has said of it once
            holds from then on.
        source: the tracers it was made from, where everything that JAX computes is staged:
            it is a tracer if it is an array at all.
        varies: the loop at whose every iteration its length is another one.
        again: it is what a running function gives.
    """

    present: bool = False
    symbol: object = None
    source: Tree | None = None
    varies: n.Node | None = None
    passed: bool = False
    again: Again | None = None

    def key(self, depth: int = KEY_DEPTH) -> object:
        varies = id(self.varies) if self.varies else 0
        source = self.source is not None
        return ("unknown", self.present, self.passed, self.symbol, source, varies, self.again)


@comparable
class Again:
    """What a function gives that calls itself with the like of what it was given.

    What it returns of that alone is nothing that it would not return anyway.

    Attributes:
        code: of the function.
        mapped: a transform around the call has made other shapes of it.
        besides: what the value is where it is not that; None: it is nothing else.
    """

    code: n.Function
    mapped: bool = False
    besides: Value | None = None


UNKNOWN = Unknown()
ELEMENT = "element"
"""Begins the symbol of a Python value that is another one at each pass of a loop: its last."""

VARIABLE = "variable"
"""Begins the symbol of what a variable holds that nobody knows, once a test has asked for it."""

LIKELY = "likely"
"""What the symbol of an answer begins with that is yes, but for what nobody in view shows: that a
traced argument is no tracer, or that something is empty."""

LOOKED_UP = "looked up"
"""Begins the symbol of what a traced container may lack: a key of it, or whether it is there."""

GIVEN_FOR_NONE = "given for None"
"""Begins the symbol of what stands where None stood, which a test asks about."""

NAMED = "named"
"""In the symbol of what has a name that nobody in view gives a value: ``settings.backend``."""

DEFAULT = "default"
"""Begins the symbol of a static parameter with a default that nobody in view passes."""

GIVEN = "given"
"""Begins the symbol of what a traced function is given, which nobody in view knows."""

SOMETHING = Unknown(present=True)
"""Unknown, except that it is not None."""


@comparable
class Differs:
    """Why a value is another one in each process of a program that runs as several.

    Attributes:
        by: its ``rank``, which tells a process from the others; its ``host``, the clock of it or
            what its system gives; or a ``gate`` that only some of them pass.
        cause: the node that gave the rank or what comes of the host; what the test of a gate asks.
    """

    by: Literal["rank", "host", "gate"]
    cause: object


@immutable
class Const(Value):
    """A Python constant whose value is known."""

    value: Any

    def key(self, depth: int = KEY_DEPTH) -> object:
        return ("const", type(self.value), self.value)


NONE = Const(None)
TRUE = Const(True)
FALSE = Const(False)


@immutable
class Host(Value):
    """A Python value that is certainly no tracer, of a known type.

    Attributes:
        type: ``int``, ``float``, ``complex``, ``bool``, ``str``, ``shape`` (a tuple of ints),
            ``dtype``, ``type`` or ``object`` (any concrete value).
        varies: the loop at whose every iteration it takes a new value; True for a counter
            that no loop has taken up yet.
        capped: it does so only while it is less than a number that stays the same.
        size: the size of an axis that an ``int`` is.
        symbol: as in :class:`Unknown`.
        name: of the dtype that a ``dtype`` is; of the attribute of a type that a ``str`` is, if
            that is not its own name.
        of: the value whose type a ``type`` is, or whose type a ``str`` is the name of.
        shows: a tracer that a ``str`` is the text of, or of which it has the text in it.
        differs: why it is another one in each process; None: not that anybody could see.
        grown: which number it is that a pass of a loop finds, and what has been added to it.
        among: of a few texts, those of which it is one; empty where nobody can see.
    """

    type: str
    varies: n.Node | bool | None = None
    size: Size | None = None
    symbol: object = None
    name: str | None = None
    capped: bool = False
    of: Value | None = None
    shows: Value | None = None
    differs: Differs | None = None
    grown: tuple[object, int] | None = None
    among: frozenset[str] = frozenset()

    def key(self, depth: int = KEY_DEPTH) -> object:
        varies = id(self.varies) if self.varies else 0
        ids = (varies, id(self.size), id(self.of), id(self.shows), self.grown)
        known = (self.type, self.among, self.symbol, self.name, self.differs)
        return ("host", ids, self.capped, *known)


@immutable
class Clock(Value):
    """A reading of a clock, or a difference of two: a float. ``name`` is the clock."""

    name: str
    node: n.Node


NUMBERS = frozenset({"int", "float", "complex", "bool"})


def type_name(value: Value) -> str:
    """The Python type of a constant or host value, as :class:`Host` names it."""
    if isinstance(value, Host):
        return value.type
    if isinstance(value, Const):
        name = type(value.value).__name__
        text = isinstance(value.value, str)
        return "str" if text else name if name in NUMBERS else "object"
    if isinstance(value, Clock):
        return "int" if value.name.endswith("_ns") else "float"
    return "object"


def texts_of(value: Value) -> frozenset[str]:
    """The texts of which a value is one, where they are known."""
    if isinstance(value, Const):
        return frozenset({value.value} if isinstance(value.value, str) else ())
    return value.among if isinstance(value, Host) else frozenset()


def is_number(value: Value) -> bool:
    """Whether it is a Python number for certain."""
    return type_name(value) in NUMBERS


def is_string(value: Value) -> bool:
    """Whether it is a Python string for certain."""
    return type_name(value) == "str"


def likely(symbol: object) -> bool | None:
    """What an answer is but for what nobody in view shows; None where that is open."""
    negative = isinstance(symbol, tuple) and symbol[0] == "not"
    if isinstance(symbol, tuple) and negative:
        symbol = symbol[1]
    return not negative if isinstance(symbol, tuple) and symbol[0] == LIKELY else None
