"""Room for big trees: what one file may take of Python's own limits."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import wraps
from types import FunctionType
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")

_DEEPEST = 6000

_STACK = 2**19
"""Words of stack that are asked for at once: Python then takes twice as much, in one piece.

CPython keeps the frames of Python's functions in pieces of 16 KiB and gives each back as soon as
it is empty (``push_chunk`` in Python/pystate.c). Code that calls up and down across such a border,
as whatever walks a tree does, asks the system for memory at every turn.
"""


def with_room_for_big_trees(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Have a function run with a higher recursion limit, and without the garbage collector.

    A syntax tree is all live objects: collecting while it is built only costs.
    """

    @wraps(function)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        limit = sys.getrecursionlimit()
        collecting = gc.isenabled()
        sys.setrecursionlimit(max(limit, _DEEPEST))
        gc.disable()
        try:
            result: _T = _on_one_stack(function, *args, **kwargs)
            return result
        finally:
            sys.setrecursionlimit(limit)
            if collecting:
                gc.enable()

    return run


def _call(function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    return function(*args, **kwargs)


_on_one_stack = FunctionType(_call.__code__.replace(co_stacksize=_STACK), {})
