"""What is known of the arguments of a call, by parameter: a neutral view of the tracer's values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from jaxlint.knowledge.promotion import available, joined
from jaxlint.tracer.values import avals
from jaxlint.tracer.values.avals import UNKNOWN_AVAL, Aval
from jaxlint.tracer.values.dtypes import DType
from jaxlint.tracer.values.shapes import UNKNOWN, Axis, Unknown
from jaxlint.tracer.values.sizes import Dim
from jaxlint.tracer.values.value import comparable


@comparable
class Constant:
    """A Python value: None, a number, a bool or a string."""

    value: object


@comparable
class Dimension:
    """A Python integer that is the size of an axis, whose value may be unknown."""

    size: Dim


@comparable
class OfDType:
    """A dtype, or a type that stands for one: ``jnp.int32``, ``float``."""

    name: str


@comparable
class Items:
    """A Python tuple or list of which every element is described."""

    items: tuple[Abstract, ...]


Abstract: TypeAlias = "Aval | Constant | Dimension | OfDType | Items | Unknown"

ABSENT = Constant(None)


def described(value: object) -> Abstract:
    """A Python value, as JSON has them, in these terms."""
    if isinstance(value, (list, tuple)):
        return Items(tuple(described(item) for item in value))
    return Constant(value)


@comparable
class Call:
    """The arguments of one call, with the defaults of those that were not given.

    Attributes:
        given: what is known of each argument.
        defaults: those of the other parameters, unless they are None.
        x64: the setting; None when it is not known.
    """

    given: Mapping[str, Abstract]
    defaults: Mapping[str, Abstract]
    x64: bool | None

    def get(self, parameter: str) -> Abstract:
        """The argument; None in place of one that is not there."""
        found = self.given.get(parameter)
        return self.defaults.get(parameter, ABSENT) if found is None else found

    def aval(self, parameter: str) -> Aval:
        """The argument as an array."""
        return as_array(self.get(parameter), self.x64)

    def avals(self, parameters: tuple[str, ...]) -> list[Aval] | None:
        """Several as arrays, those of lists one by one; None when a list is not known."""
        found: list[Aval] = []
        for parameter in parameters:
            value = self.get(parameter)
            if isinstance(value, Items):
                found += [as_array(item, self.x64) for item in value.items]
            elif value is UNKNOWN:
                return None
            elif value != ABSENT:
                found.append(as_array(value, self.x64))
        return found

    def rows(self, parameter: str) -> list[Aval] | None:
        """The arrays of a list, or an array taken apart along its first axis."""
        value = self.get(parameter)
        if not isinstance(value, Aval):
            return self.avals((parameter,))
        if not value.shape or not isinstance(value.shape[0], int):
            return None
        return [Aval(value.shape[1:], value.dtype, value.weak)] * value.shape[0]

    def axis(self, parameter: str) -> Axis:
        """The argument as an axis or several."""
        value = self.get(parameter)
        if isinstance(value, Items):
            numbers = [_integer(item) for item in value.items]
            known = tuple(number for number in numbers if number is not None)
            return known if len(known) == len(numbers) else UNKNOWN
        if value == ABSENT:
            return None
        number = _integer(value)
        return UNKNOWN if number is None else number

    def dims(self, parameter: str) -> tuple[Dim, ...] | None:
        """The argument as a shape, where one integer makes one axis."""
        value = self.get(parameter)
        if isinstance(value, Items):
            return tuple(_dimension(item) for item in value.items)
        if isinstance(value, Constant) and type(value.value) is int:
            return (value.value,)
        return (value.size,) if isinstance(value, Dimension) else None

    def named_dtype(self, parameter: str) -> str | None:
        """The name of the dtype that the argument stands for."""
        value = self.get(parameter)
        if isinstance(value, OfDType):
            return value.name
        name = value.value if isinstance(value, Constant) else None
        return name if isinstance(name, str) and name in available(True) else None

    def dim(self, parameter: str) -> Dim:
        """The argument as one size."""
        return _dimension(self.get(parameter))

    def flag(self, parameter: str) -> bool | None:
        """The argument as a Python truth value."""
        value = self.get(parameter)
        if isinstance(value, Constant) and isinstance(value.value, (bool, int, type(None))):
            return bool(value.value)
        return None


def _integer(value: Abstract) -> int | None:
    if isinstance(value, Constant) and type(value.value) is int:
        return value.value
    return value.size if isinstance(value, Dimension) and isinstance(value.size, int) else None


def _dimension(value: Abstract) -> Dim:
    return value.size if isinstance(value, Dimension) else _integer(value)


def as_array(value: Abstract, x64: bool | None) -> Aval:
    """The array that JAX makes of an argument."""
    if isinstance(value, Aval):
        return value
    if isinstance(value, Constant) and isinstance(value.value, (bool, int, float, complex)):
        return avals.python_number(value.value, x64)
    if isinstance(value, Dimension):
        return avals.python_number(0, x64)
    if isinstance(value, Items) and value.items:
        stacked = avals.stack([as_array(item, x64) for item in value.items], x64=x64)
        return stacked.aval
    return UNKNOWN_AVAL


def canonical(name: str, x64: bool | None) -> DType:
    """The dtype of an array that was asked to have this one."""
    wide = {"float": "float64", "int": "int64", "complex": "complex128"}.get(name, name)
    if x64:
        return DType(wide, False)
    narrow = _narrowed(wide)
    if x64 is None and narrow != wide:
        return DType(wide.rstrip("0123456789").replace("uint", "int"), False)
    return DType(narrow, False)


def _narrowed(wide: str) -> str:
    if (wide, wide) in joined(False) or (wide, wide) not in joined(True):
        return wide
    return wide.replace("64", "32") if wide != "complex128" else "complex64"
