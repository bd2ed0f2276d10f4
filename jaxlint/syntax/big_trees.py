"""Room for big trees: what one file may take of Python's own limits."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_DEEPEST = 6000


@contextmanager
def room_for_big_trees() -> Iterator[None]:
    """Raise the recursion limit and pause the garbage collector for one file.

    A syntax tree is all live objects: collecting while it is built only costs.
    """
    limit = sys.getrecursionlimit()
    collecting = gc.isenabled()
    sys.setrecursionlimit(max(limit, _DEEPEST))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        if collecting:
            gc.enable()
