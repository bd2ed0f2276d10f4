"""Watches a fixture run under real JAX and writes down what happens, line by line.

Runs in a child process. A trace function on the fixture's own file sees each
line, asks JAX whether a trace is live, and compares what the line left behind:
names rebound, containers and attributes changed, output written, exceptions.
"""

from __future__ import annotations

import ast
import sys
import types
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import jax
from jax import monitoring

try:
    from jax.core import trace_state_clean
except ImportError:
    from jax._src.core import trace_state_clean

_TRACE_EVENT = "/jax/core/compile/jaxpr_trace_duration"
_COMPILE_EVENT = "/jax/core/compile/backend_compile_duration"
_QUIET_EXCEPTIONS = (StopIteration, GeneratorExit)
_DEPTH = 3


class Counters:
    """Traces and compilations since the process began."""

    def __init__(self) -> None:
        self.traces = 0
        self.compiles = 0
        monitoring.register_event_duration_secs_listener(self._listen)

    def _listen(self, event: str, duration: float, **extra: Any) -> None:
        if event == _TRACE_EVENT:
            self.traces += 1
        elif event == _COMPILE_EVENT:
            self.compiles += 1


class Observer:
    """What one run did.

    Attributes:
        hits: (line, traced) -> how often the line ran.
        effects: (kind, line, traced, tracer) -> how often; kinds are ``output``,
            ``mutation``, ``rebinding`` and ``attribute``; ``tracer`` says that a
            tracer got out.
        exceptions: (type names, line, message) of each exception, also caught ones.
        reads: line -> how often the host waited there for the value of an array.
    """

    def __init__(self, path: str, namespace: dict[str, Any]) -> None:
        self.path = path
        self.namespace = namespace
        self.hits: Counter[tuple[int, bool]] = Counter()
        self.effects: Counter[tuple[str, int, bool, bool]] = Counter()
        self.exceptions: list[tuple[list[str], int, str]] = []
        self.reads: Counter[int] = Counter()
        self._open: dict[types.FrameType, tuple[int, bool, dict[str, Any]]] = {}
        self._raised: list[BaseException] = []
        self._made_outside: dict[int, object] = {}
        self._definitions = _decorated_lines(path)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Observe what runs inside."""
        out, err, tracer = sys.stdout, sys.stderr, sys.gettrace()
        sys.stdout, sys.stderr = _Recorder(self, out), _Recorder(self, err)
        array_type, read = type(jax.numpy.zeros(())), type(jax.numpy.zeros(()))._value
        array_type._value = property(self._read)
        self._original_read = read
        sys.settrace(self._call)
        try:
            yield
        finally:
            sys.settrace(tracer)
            array_type._value = read
            sys.stdout, sys.stderr = out, err

    def _read(self, array: Any) -> Any:
        """The host reads an array's value: by which line?"""
        line = self._line_of_caller()
        if line:
            self.reads[line] += 1
        return self._original_read.fget(array)

    def _line_of_caller(self) -> int:
        """The line of the fixture that runs now; 0 when none does."""
        frame: types.FrameType | None = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename != self.path:
            frame = frame.f_back
        return frame.f_lineno if frame is not None else 0

    def _call(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        return self._local if frame.f_code.co_filename == self.path else None

    def _local(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self._close(frame)
            traced = not trace_state_clean()
            self._count(frame, traced)
            self._open[frame] = (frame.f_lineno, traced, self._state(frame, traced))
        elif event == "exception":
            self._note_exception(frame, argument[1])
        elif event == "return":
            self._close(frame)
            self._open.pop(frame, None)
        return self._local

    def _count(self, frame: types.FrameType, traced: bool) -> None:
        """Count a line; Python's several visits to a decorated ``def`` are one."""
        definition = self._definitions.get(frame.f_lineno, 0)
        opened = self._open.get(frame)
        if definition and opened is not None:
            if self._definitions.get(opened[0]) == definition:
                return
        self.hits[frame.f_lineno, traced] += 1

    def _note_exception(self, frame: types.FrameType, error: BaseException) -> None:
        if isinstance(error, _QUIET_EXCEPTIONS) or any(error is seen for seen in self._raised):
            return
        self._raised.append(error)
        names = [kind.__name__ for kind in type(error).__mro__]
        message = (str(error).splitlines() or [""])[0][:160]
        self.exceptions.append((names, frame.f_lineno, message))

    def output(self, text: str) -> None:
        """Something was written: by which line?"""
        line = self._line_of_caller() if text.strip() else 0
        if line:
            shows_tracer = "Traced<" in text or "Tracer(" in text
            self.effects["output", line, not trace_state_clean(), shows_tracer] += 1

    def _close(self, frame: types.FrameType) -> None:
        """Compare the state with what it was before the line that has just ended."""
        opened = self._open.get(frame)
        if opened is None:
            return
        line, traced, before = opened
        after = self._state(frame, traced)
        changes = list(_changes(before, after))
        for kind, leaks in changes:
            self.effects[kind, line, traced, leaks] += 1
        if changes:
            # The lines that called this one have not made the change.
            for other, (number, was_traced, _) in list(self._open.items()):
                if other is not frame:
                    self._open[other] = (number, was_traced, self._state(other, was_traced))

    def _state(self, frame: types.FrameType, traced: bool) -> dict[str, Any]:
        state: dict[str, Any] = {}
        for name, value in self.namespace.items():
            if not name.startswith("__"):
                state["global " + name] = _picture(value, self.namespace, _DEPTH)
        code, names = frame.f_code, frame.f_locals
        for name in code.co_cellvars if not traced else ():
            if name in names:
                self._made_outside[id(names[name])] = names[name]
        for name in code.co_freevars:
            if name in names and (self._is_outer(names[name]) or self._owned_outside(name)):
                state["nonlocal " + name] = _picture(names[name], self.namespace, _DEPTH)
        if code.co_argcount and code.co_varnames[0] in names:
            receiver = names[code.co_varnames[0]]
            if type(receiver).__module__ == self.namespace.get("__name__"):
                if not traced:
                    self._made_outside[id(receiver)] = receiver
                if self._is_outer(receiver):
                    state["self"] = _picture(receiver, self.namespace, _DEPTH)
        return state

    def _is_outer(self, value: Any) -> bool:
        """Whether the object was there before the trace began."""
        return id(value) in self._made_outside

    def _owned_outside(self, name: str) -> bool:
        """Whether a nonlocal name belongs to a function that is not traced itself."""
        owners = [traced for frame, (_, traced, _) in self._open.items()
                  if name in frame.f_code.co_cellvars]  # fmt: skip
        return bool(owners) and not owners[-1]


def _decorated_lines(path: str) -> dict[int, int]:
    """Line of each decorator and ``def`` of a decorated function -> line of the ``def``."""
    lines: dict[int, int] = {}
    with open(path, encoding="utf-8") as stream:
        tree = ast.parse(stream.read())
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            for decorator in node.decorator_list:
                lines[decorator.lineno] = lines[node.lineno] = node.lineno
    return lines


class _Recorder:
    """A text stream that tells the observer of each write and passes it on."""

    def __init__(self, observer: Observer, stream: TextIO) -> None:
        self._observer = observer
        self._stream = stream

    def write(self, text: str) -> int:
        self._observer.output(text)
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


Picture = tuple[str, object, Any]
"""Kind (``list``, ``object``, ``leaf``), the value itself, and pictures of its parts."""


def _picture(value: Any, namespace: dict[str, Any], depth: int) -> Picture:
    if depth:
        if isinstance(value, (list, set, tuple)):
            parts = {str(i): _picture(v, namespace, depth - 1) for i, v in enumerate(value)}
            return "container", value, parts
        if isinstance(value, dict):
            parts = {repr(k): _picture(v, namespace, depth - 1) for k, v in value.items()}
            return "container", value, parts
        if type(value).__module__ == namespace.get("__name__") and hasattr(value, "__dict__"):
            fields = vars(value).items()
            return "object", value, {k: _picture(v, namespace, depth - 1) for k, v in fields}
    return "leaf", value, None


def _changes(before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """Kinds of change between two states, and whether a tracer got in."""
    for name, picture in after.items():
        old = before.get(name)
        if old is None or old[1] is not picture[1]:
            if name != "self" and (old is not None or not name.startswith("nonlocal")):
                yield "rebinding", isinstance(picture[1], jax.core.Tracer)
        else:
            yield from _inner_changes(old, picture)


def _inner_changes(old: Picture, new: Picture) -> Iterator[tuple[str, bool]]:
    kind, _, parts = new
    if parts is None or old[2] is None:
        return
    for name, picture in parts.items():
        was = old[2].get(name)
        if was is None or was[1] is not picture[1]:
            change = "attribute" if kind == "object" else "mutation"
            yield change, isinstance(picture[1], jax.core.Tracer)
        else:
            yield from _inner_changes(was, picture)
    if kind == "container" and len(parts) < len(old[2]):
        yield "mutation", False
