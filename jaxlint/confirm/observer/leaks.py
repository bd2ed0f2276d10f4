"""At the end of a process: which names of the user's modules still hold a tracer?"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from .stack import Stack
from .values import Values

_MOST = 100
_LEAVES = 1000
_DEPTH = 3


def names_that_hold_tracers(
    values: Values, stack: Stack, main_file: str
) -> Iterator[tuple[int, str, int]]:
    """(file, name, line on which the tracer was made) of each leak; line 0 when unknown.

    The trace of every tracer has ended by then. Only what can be reached from the
    globals of the user's modules counts: the tracers that a kept traceback holds
    are nobody's mistake. ``main_file``: Python takes the name of its file away from
    a script that has ended.
    """
    found = 0
    for module_name, module in list(sys.modules.items()):
        if not isinstance(module, ModuleType):
            continue
        file = main_file if module_name == "__main__" else vars(module).get("__file__")
        number = stack.kind(file or "<none>")
        if number < 0:
            continue
        for name, value in list(vars(module).items()):
            for path, tracer in _tracers(name, value, values):
                yield number, path, _made_at(tracer, number, stack)
                found += 1
                if found >= _MOST:
                    return


def _tracers(name: str, value: Any, values: Values) -> Iterator[tuple[str, Any]]:
    waiting = [(name, value, 0)]
    for _ in range(_LEAVES):
        if not waiting:
            return
        path, item, depth = waiting.pop()
        if values.is_tracer(item):
            yield path, item
        elif depth < _DEPTH:
            waiting += [(part, inner, depth + 1) for part, inner in _parts(path, item)]


def _parts(path: str, item: Any) -> list[tuple[str, Any]]:
    if isinstance(item, dict):
        return [(f"{path}[{key!r:.30}]", inner) for key, inner in list(item.items())[:_MOST]
                if isinstance(key, (str, int))]  # fmt: skip
    if isinstance(item, (list, tuple)):
        return [(f"{path}[{i}]", inner) for i, inner in enumerate(item[:_MOST])]
    if isinstance(item, type) or type(item).__module__ == "builtins":
        return []
    fields = getattr(item, "__dict__", None)
    if isinstance(fields, dict) and not hasattr(item, "__spec__"):
        return [(f"{path}.{key}", inner) for key, inner in list(fields.items())[:_MOST]]
    return []


def _made_at(tracer: Any, number: int, stack: Stack) -> int:
    """The user's line that made a tracer, as JAX remembers it."""
    traceback = getattr(getattr(tracer, "_line_info", None), "traceback", None)
    frames = getattr(traceback, "frames", None) or ()
    for frame in frames:
        if stack.kind(frame.file_name) == number:
            line: int = frame.line_num
            return line
    return 0
