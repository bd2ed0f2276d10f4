"""A tracer is asked for its value."""

from __future__ import annotations

from dataclasses import dataclass

from jaxlint.events.event import Event, Kind, Site


@dataclass(frozen=True, slots=True)
class BoolConversion(Event):
    """Python asks a tracer for its truth value. ``construct``: if, elif, while, not, max(), ...

    ``chain`` is the ``if`` at whose head the ``if`` or ``elif`` stands; ``dtype`` the type of the
    tracer, if known; ``of_array``: a builtin asks the elements of an array, one by one.
    """

    kind = Kind.BOOL_CONVERSION
    raises = True
    construct: str
    chain: Site | None = None
    dtype: str = ""
    of_array: bool = False


@dataclass(frozen=True, slots=True)
class IndexConversion(Event):
    """Python asks a tracer for an integer. ``construct``: range(), list, tuple, math.gcd, ..."""

    kind = Kind.INDEX_CONVERSION
    raises = True
    construct: str


@dataclass(frozen=True, slots=True)
class ScalarConversion(Event):
    """Python asks a tracer for a number. ``construct``: float(), .item(), a format spec, ..."""

    kind = Kind.SCALAR_CONVERSION
    raises = True
    construct: str


@dataclass(frozen=True, slots=True)
class ConcreteAttribute(Event):
    """A tracer is asked for what an array with data alone has, such as its device.

    ``called``: what it is asked for is a method.
    """

    kind = Kind.CONCRETE_ATTRIBUTE
    name: str
    called: bool = False


@dataclass(frozen=True, slots=True)
class ArrayConversion(Event):
    """A tracer is to become a NumPy array.

    Attributes:
        construct: the function, index, item assignment.
        returned: it is what the subject returns, a function that the other one calls.
    """

    kind = Kind.ARRAY_CONVERSION
    raises = True
    construct: str
    returned: bool = False


@dataclass(frozen=True, slots=True)
class HashConversion(Event):
    """A tracer is to be hashed. ``construct``: dict key, set element, in, hash(), lru_cache."""

    kind = Kind.HASH_CONVERSION
    raises = True
    construct: str


@dataclass(frozen=True, slots=True)
class ScalarIteration(Event):
    """A loop over an array without axes."""

    kind = Kind.SCALAR_ITERATION
