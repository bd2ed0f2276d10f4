"""Objects of nnx as plain JAX hands them to traced code: copies, whose changes nobody sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_LIBRARY = "flax.nnx"
_VALUE = "_raw_value"
"""Where a variable of nnx keeps its value: in a slot."""

_MOST_PARTS = 5000

Parts = dict[str, object]
"""Path -> what is there."""


def parts_of(value: object) -> Parts:
    """All that hangs on an object of nnx, without running anything; empty for other values."""
    found: Parts = {}
    waiting: list[tuple[str, object]] = [("", value)] if _is_of_the_library(value) else []
    known: set[int] = set()
    while waiting and len(found) < _MOST_PARTS:
        path, each = waiting.pop()
        found[path] = each
        if id(each) not in known:
            known.add(id(each))
            waiting += [(f"{path}.{name}", part) for name, part in _inside(each)]
    return found


def differ(before: Parts, after: Parts) -> bool:
    """Whether anything has been put in, or taken out."""
    return before.keys() != after.keys() or any(after[path] is not before[path] for path in before)


def is_of_library(module: object) -> bool:
    """Whether it is the name of a module of nnx."""
    return str(module).startswith(_LIBRARY)


def _is_of_the_library(value: object) -> bool:
    return any(is_of_library(kind.__module__) for kind in type(value).__mro__)


def _inside(value: object) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((str(id(key)), part) for key, part in value.items())
    elif isinstance(value, (list, tuple)):
        yield from ((str(number), part) for number, part in enumerate(value))
    elif _is_of_the_library(value) and not isinstance(value, type):
        yield from getattr(value, "__dict__", {}).items()
        for kind in type(value).__mro__:
            slot = vars(kind).get(_VALUE)
            if slot is not None and hasattr(slot, "__get__"):
                yield _VALUE, slot.__get__(value)
                break
