"""Runs inside the program that is recorded: notes which local variables are tracers.

Python imports this file at startup, because ``tracers.py record`` puts its folder on
``PYTHONPATH``. It needs the standard library alone, and JAX once the program has imported it.
"""

from __future__ import annotations

import atexit
import json
import os
import sys
import threading
from collections.abc import Iterator
from functools import partial
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any

TRACER, ARRAY, PLAIN, OTHER, UNSTAGED, NUMPY = 1, 2, 4, 8, 16, 32
"""What a variable held: a tracer of an array; an array of JAX with values; a Python value; all
else; a tracer where no transform stages (``vmap`` or ``grad`` alone); an array of NumPy."""

_PLAIN_TYPES = (bool, int, float, complex, str, bytes, type(None))
_LIBRARY_FOLDERS = ("site-packages", "dist-packages", ".venv")


class Function:
    """What is known of one function.

    Attributes:
        code: the function; kept, so that no other gets its ``id``.
        handed_over_in: files that gave it to a library: they may transform it.
        ran: it was called, traced or not.
        in_file: its own file applies the transform that staged it, at least once.
        way: the lines of the program from which it was called when it was staged first, the
            nearest one first.
        lines: line -> variable -> what it held there, each time that JAX traced the line.
    """

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.handed_over_in: set[str] = set()
        self.ran = False
        self.in_file = False
        self.way: list[str] | None = None
        self.lines: dict[int, dict[str, int]] = {}


class Recorder:
    """Watches with ``sys.settrace``, which every Python has.

    Args:
        root: the program: functions in files under this folder are looked at.
        out: folder for what was seen.
    """

    def __init__(self, root: str, out: str) -> None:
        self._root = os.path.realpath(root) + os.sep
        self._out = out
        self._files: dict[str, str | None] = {}
        self._functions: dict[int, Function] = {}

    def start(self) -> None:
        """Watch from now on, and write when the process ends."""
        atexit.register(self._write)
        threading.settrace(self._call)
        sys.settrace(self._call)

    def _own(self, frame: FrameType) -> str | None:
        """The file of the program that a frame belongs to."""
        name = frame.f_code.co_filename
        if name not in self._files:
            path = os.path.realpath(name)
            inside = path.startswith(self._root) and not any(
                folder in path for folder in _LIBRARY_FOLDERS
            )
            self._files[name] = path if inside and os.path.isfile(path) else None
        return self._files[name]

    def _function(self, code: CodeType) -> Function:
        if id(code) not in self._functions:
            self._functions[id(code)] = Function(code)
        return self._functions[id(code)]

    def _call(self, frame: FrameType, event: str, _: object) -> Any:
        """A function starts."""
        file = self._own(frame)
        if file is None:
            caller = frame.f_back
            # What Python writes itself, as constructors of named tuples, transforms nothing.
            written = frame.f_code.co_filename.startswith("<")
            if caller is not None and not written and self._own(caller) is not None:
                self._note_arguments(frame, self._own(caller) or "")
            return None
        code = frame.f_code
        if not code.co_flags & CO_OPTIMIZED or code.co_name.startswith("<"):
            return None
        function = self._function(code)
        function.ran = True
        levels = _levels()
        if "DynamicJaxprTrace" in levels:
            function.in_file = function.in_file or self._staged_by(frame, file)
            if function.way is None:
                function.way = self._way(frame)
            return self._staged_line
        return self._unstaged_line if len(levels) > 1 else None

    def _note_arguments(self, frame: FrameType, file: str) -> None:
        """The program calls a library: which of its functions does it hand over?"""
        for value in list(frame.f_locals.values()):
            for each in value if isinstance(value, tuple) else (value,):
                code = _code_under(each)
                if code is not None:
                    self._function(code).handed_over_in.add(file)

    def _staged_by(self, frame: FrameType, file: str) -> bool:
        """Whether the way from the innermost staging transform to a frame lies in one file."""
        entry, library, staged = frame, False, False
        for outer in _callers(frame):
            owner = self._own(outer)
            if owner is None:
                library = True
                staged = staged or _stages(outer.f_code)
                continue
            if library and staged:
                return owner == file or self._handed_over(entry, file)
            if owner != file:
                return False
            entry, library = outer, False
        return staged and self._handed_over(entry, file)

    def _handed_over(self, frame: FrameType, file: str) -> bool:
        """Whether some code of a file gave this function to a library."""
        return file in self._function(frame.f_code).handed_over_in

    def _way(self, frame: FrameType) -> list[str]:
        """From where in the program a function is called, and who called that."""
        own = ((self._own(outer), outer.f_lineno) for outer in _callers(frame))
        return [f"{file}:{line}" for file, line in own if file is not None]

    def _staged_line(self, frame: FrameType, event: str, _: object) -> Any:
        """A line is about to run."""
        if event == "line":
            for name, value in _locals(frame):
                self._note(frame, name, _kind(value))
        return self._staged_line

    def _unstaged_line(self, frame: FrameType, event: str, _: object) -> Any:
        """A line is about to run, where only tracers matter: nothing else is concrete for good."""
        if event == "line":
            for name, value in _locals(frame):
                if _kind(value) == TRACER:
                    self._note(frame, name, UNSTAGED)
        return self._unstaged_line

    def _note(self, frame: FrameType, name: str, kind: int) -> None:
        seen = self._function(frame.f_code).lines.setdefault(frame.f_lineno, {})
        seen[name] = seen.get(name, 0) | kind

    def _write(self) -> None:
        sys.settrace(None)
        functions = [
            {
                "file": self._files[function.code.co_filename],
                "name": function.code.co_name,
                "line": function.code.co_firstlineno,
                "in_file": function.in_file,
                "way": function.way or [],
                "lines": function.lines,
            }
            for function in self._functions.values()
            if function.ran
        ]
        if functions:
            text = json.dumps(functions)
            Path(self._out, f"{os.getpid()}.json").write_text(text, "utf-8")


def _callers(frame: FrameType) -> Iterator[FrameType]:
    outer = frame.f_back
    while outer is not None:
        yield outer
        outer = outer.f_back


def _stages(code: CodeType) -> bool:
    """Whether this is the function of JAX that makes a jaxpr of another."""
    name = code.co_name
    return (
        "trace_to_jaxpr" in name
        and "nounits" not in name
        and code.co_filename.endswith("partial_eval.py")
    )


def _levels() -> list[str]:
    """The traces in force, the innermost first; the last one runs what it is given."""
    core = sys.modules.get("jax._src.core")
    if core is None or not hasattr(core, "trace_ctx"):
        return []
    levels = []
    trace = core.trace_ctx.trace
    while trace is not None:
        levels.append(type(trace).__name__)
        trace = getattr(trace, "parent_trace", None)
    return levels


def _locals(frame: FrameType) -> Iterator[tuple[str, object]]:
    """The variables of a function that are its own and bound."""
    own = {*frame.f_code.co_varnames, *frame.f_code.co_cellvars}
    for name, value in frame.f_locals.items():
        if name in own and name.isidentifier():
            yield name, value


def _code_under(value: object) -> CodeType | None:
    """The code of a function, under ``partial``, bound methods and wrappers."""
    for _ in range(10):
        if isinstance(value, partial):
            value = value.func
        elif isinstance(value, MethodType):
            value = value.__func__
        elif isinstance(value, FunctionType) and "__wrapped__" in value.__dict__:
            value = value.__dict__["__wrapped__"]
        else:
            break
    return value.__code__ if isinstance(value, FunctionType) else None


def _kind(value: object) -> int:
    if isinstance(value, _PLAIN_TYPES):
        return PLAIN
    if isinstance(value, (tuple, list)) and type(value) in (tuple, list):
        return PLAIN if all(isinstance(each, _PLAIN_TYPES) for each in value) else OTHER
    jax, numpy = sys.modules["jax"], sys.modules["numpy"]
    if isinstance(value, jax.core.Tracer):
        # Keys and references are traced too, and have no truth to ask for.
        aval = value.aval
        has_truth = type(aval).__name__ == "ShapedArray" and isinstance(aval.dtype, numpy.dtype)
        return TRACER if has_truth else OTHER
    if isinstance(value, (numpy.ndarray, numpy.generic)):
        return NUMPY
    if isinstance(value, jax.Array):
        return ARRAY if isinstance(value.dtype, numpy.dtype) else OTHER
    return OTHER


if "JAXLINT_RECORD_OUT" in os.environ:
    Recorder(os.environ["JAXLINT_RECORD_ROOT"], os.environ["JAXLINT_RECORD_OUT"]).start()
