"""What a frame is calling just now, as far as that can be told without running anything."""

from __future__ import annotations

import ast
import linecache
from types import FrameType
from typing import Any

from .values import Values


def called_by(frame: FrameType, values: Values) -> list[Any]:
    """The function whose call has not come back to a frame; empty when it cannot be told.

    Native code has no frame of its own: a compiled function of JAX that waits for other processes
    looks like a line of its caller.
    """
    try:
        calls = _calls(frame)
    except (SyntaxError, ValueError, RecursionError):
        return []
    if len(calls) != 1 or not isinstance(calls[0].func, (ast.Name, ast.Attribute)):
        return []
    return values.find(frame, ast.unparse(calls[0].func))


def _calls(frame: FrameType) -> list[ast.Call]:
    """The call that a frame is in; where Python tells lines alone, all calls on that line.

    Raises:
        SyntaxError, ValueError, RecursionError: the source does not tell.
    """
    code = frame.f_code
    if not hasattr(code, "co_positions"):
        line = linecache.getline(code.co_filename, frame.f_lineno)
        return [each for each in ast.walk(ast.parse(line.strip())) if isinstance(each, ast.Call)]
    first, last, start, end = list(code.co_positions())[frame.f_lasti // 2]
    if first is None or last is None or start is None or end is None:
        return []
    numbers = range(first, last + 1)
    lines = [linecache.getline(code.co_filename, number).encode() for number in numbers]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    running = ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    return [running] if isinstance(running, ast.Call) else []
