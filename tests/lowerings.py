"""Compares what the two lowerings make of one text."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jaxlint.program import nodes as n
from jaxlint.program.lower import lower
from jaxlint.program.lower_ast import lower_ast
from jaxlint.source import Source

_SCOPE = ("kind", "bound", "outer", "captured", "reads", "inner_reads")


def differences(source: Source) -> list[str]:
    """Where the program from libcst's tree is not that from Python's."""
    one, other = lower(cst.parse_module(source.text)), lower_ast(source)
    loaded = ["loaded"] if one.loaded != other.loaded else []
    return [*loaded, *_unlike(one, other, "module")]


def _unlike(one: object, other: object, where: str) -> Iterator[str]:
    if type(one) is not type(other):
        yield f"{where}: {type(one).__name__}, {type(other).__name__}"
    elif isinstance(one, n.FormattedString):
        return  # Python's tree has joined what stands side by side.
    elif isinstance(one, n.Scope):
        for name in _SCOPE:
            if getattr(one, name) != getattr(other, name):
                yield f"{where}.{name}: {getattr(one, name)}, {getattr(other, name)}"
    elif isinstance(one, n.Node):
        where = f"{where}.{type(one).__name__}"
        for name in one.__dataclass_fields__:
            if name not in ("origin", "size", "loaded"):
                yield from _unlike(getattr(one, name), getattr(other, name), f"{where}.{name}")
    elif isinstance(one, (list, tuple)):
        assert isinstance(other, (list, tuple))
        if len(one) != len(other):
            yield f"{where}: {len(one)} and {len(other)} parts"
        for left, right in zip(one, other, strict=False):
            yield from _unlike(left, right, where)
    elif one != other and not (one != one and other != other):
        yield f"{where}: {one!r}, {other!r}"
