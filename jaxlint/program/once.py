"""What is found out about the text of a module or function, once as long as its program is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from jaxlint.program import nodes as n

_Program = TypeVar("_Program", bound="n.Module | n.Function")
_Found = TypeVar("_Found")


def once(find: Callable[[_Program], _Found], program: _Program) -> _Found:
    """What ``find`` tells of a program: it looks at nothing else.

    Several files import a module, and each run asks again.
    """
    if program.found is None:
        program.found = {}
    if find not in program.found:
        program.found[find] = find(program)
    found: _Found = program.found[find]
    return found
