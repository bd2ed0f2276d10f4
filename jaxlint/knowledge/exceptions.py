"""Which handlers catch which exceptions: those of Python and JAX, by the last part of their names.

A class that a rule names stands for what is raised. What catches every exception is not among the
handlers: it is there for what nobody expects.
"""

from __future__ import annotations

from collections.abc import Iterable

ANYTHING = frozenset({"BaseException"})
"""What is expected where any exception is."""

_BASES: dict[str, tuple[str, ...]] = {
    "ArithmeticError": (),
    "AssertionError": (),
    "AttributeError": (),
    "ConcretizationTypeError": ("TypeError", "JAXTypeError"),
    "FrozenInstanceError": ("AttributeError",),
    "ImportError": (),
    "IndexError": ("LookupError",),
    "JAXIndexError": ("IndexError",),
    "JAXTypeError": ("TypeError",),
    "KeyError": ("LookupError",),
    "LookupError": (),
    "NonConcreteBooleanIndexError": ("JAXIndexError",),
    "NotImplementedError": ("RuntimeError",),
    "OverflowError": ("ArithmeticError",),
    "RuntimeError": (),
    "TracerArrayConversionError": ("JAXTypeError",),
    "TracerBoolConversionError": ("ConcretizationTypeError",),
    "TracerIntegerConversionError": ("JAXTypeError",),
    "TypeError": (),
    "UnexpectedTracerError": ("JAXTypeError",),
    "ValueError": (),
}
"""The exceptions that rules speak of, and what they derive from."""

ALL = ANYTHING | frozenset(_BASES)

_MODULES = frozenset({"builtins", "dataclasses", "jax.errors", "jax.core"})


def expected(handled: Iterable[str]) -> frozenset[str]:
    """Those of some exceptions, by their qualified names, that a handler of them expects."""
    parts = (name.rpartition(".") for name in handled)
    return frozenset(last for module, _, last in parts if module in _MODULES and last in _BASES)


def caught(raised: Iterable[str], handled: frozenset[str]) -> bool:
    """Whether one of some exceptions is among those that are expected."""
    if handled >= ANYTHING:
        return True
    return any(name in handled or caught(_BASES.get(name, ()), handled) for name in raised)
