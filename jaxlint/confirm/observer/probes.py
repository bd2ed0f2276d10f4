"""The few places inside JAX that are watched, found by name and by text.

A probe is a function of JAX and what to do when it starts, or a line of JAX's
source and what to do when that line runs. A place that a release does not have
is simply not watched.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType, ModuleType
from typing import Any

from .gradients import RESULTS, Gradients
from .journal import Journal
from .keys import Keys
from .settings import Settings
from .stack import Stack
from .traces import Traces, inner_function
from .watchlist import Watchlist, counting_line

Handler = Callable[[FrameType], None]

ERRORS = {
    "TracerBoolConversionError": "bool-conversion",
    "TracerIntegerConversionError": "index-conversion",
    "TracerArrayConversionError": "array-conversion",
    "ConcretizationTypeError": "scalar-conversion",
    "NonConcreteBooleanIndexError": "data-dependent-shape",
    "UnexpectedTracerError": "leaked-use",
    "KeyReuseError": "key-reuse",
}
"""JAX's exception types -> kind of event."""

STACK_OF_OPERATION = "JaxStackTraceBeforeTransformation"
"""The cause of an exception that JAX raises when it transforms an operation: where the program
asked for that."""

_SAYS_WHERE, _ASKED_FIRST = "jax._src.source_info_util", "has_user_context"


@dataclass
class Probe:
    """What is watched in one code object of JAX."""

    code: CodeType
    at_start: Handler | None = None
    at_lines: dict[int, Handler] = field(default_factory=dict)


class Probes:
    """Finds the places in the JAX that has been imported."""

    def __init__(
        self,
        journal: Journal,
        stack: Stack,
        traces: Traces,
        keys: Keys,
        gradients: Gradients,
        watchlist: Watchlist,
        settings: Settings,
    ) -> None:
        self._journal = journal
        self._stack = stack
        self._traces = traces
        self._keys = keys
        self._gradients = gradients
        self._watchlist = watchlist
        self._settings = settings

    def all(self) -> list[Probe]:
        """Every probe for this release of JAX but those of :meth:`errors`."""
        import jax

        found = [
            *self._random(jax), *self._warnings(), *self._deleted(), *self._not_arrays(),
            *self._gradients_of_jax(), *self._forks(), *self._variables(),
        ]  # fmt: skip
        code = getattr(inner_function(jax.jit), "__code__", None)
        if code is not None:
            found.append(Probe(code, self._traces.wrapped))
        if self._watchlist.waits:
            found += self._waits(jax)
        return found

    def errors(self, made: Handler) -> Iterator[Probe]:
        """Where JAX's exceptions are made; some are caught again inside JAX."""
        module = sys.modules.get("jax._src.errors")
        codes = set()
        for name in ERRORS:
            kind = getattr(module, name, None)
            code = getattr(getattr(kind, "__init__", None), "__code__", None)
            if code is not None and code not in codes:
                codes.add(code)
                yield Probe(code, made)
        # What asks whether an exception tells already which operation it is about.
        told = getattr(sys.modules.get(_SAYS_WHERE), _ASKED_FIRST, None)
        if told is not None:
            yield Probe(told.__code__, made)

    def _note(self, kind: str, frame: FrameType | None, construct: str) -> None:
        line = self._stack.user_line(frame)
        if line is not None:
            self._journal.count("event", kind, line.file, line.line, construct, line.direct, None)

    def _random(self, jax: ModuleType) -> Iterator[Probe]:
        for name in self._watchlist.consumers:
            function = vars(jax.random).get(name)
            code = getattr(function, "__code__", None)
            if code is not None:
                yield Probe(code, self._keys.consumed)

    def _warnings(self) -> Iterator[Probe]:
        """The lines that warn of narrowed types, of deprecated names and of ``with mesh:``."""
        about = {"dtypes": "wide-dtype", "deprecations": "removed-api", "mesh": "removed-api"}
        for module, kind in about.items():
            for code, lines in _lines_with(f"jax._src.{module}", _calls_warn):
                yield Probe(code, at_lines={line: self._warned(kind) for line in lines})

    def _warned(self, kind: str) -> Handler:
        def handler(frame: FrameType) -> None:
            values = frame.f_locals
            named = (values.get(key) for key in ("name", "deprecation_id", "dtype"))
            given = (str(each) for each in named if each is not None)
            text = next(filter(None, given), frame.f_code.co_name)
            self._note(kind, frame.f_back, text[:80])

        return handler

    def _forks(self) -> Iterator[Probe]:
        """What JAX runs when this process is forked, once its backend has started."""

        def handler(frame: FrameType) -> None:
            self._note("fork-after-start", frame.f_back, "RuntimeWarning")

        function = getattr(sys.modules.get("jax._src.xla_bridge"), "_at_fork", None)
        code = getattr(function, "__code__", None)
        if code is not None:
            yield Probe(code, handler)

    def _variables(self) -> Iterator[Probe]:
        """Where a variable of the environment is set, and where a process begins that gets it."""
        handlers = (
            (type(os.environ), "__setitem__", self._settings.is_set),
            (subprocess.Popen, "__init__", self._settings.starts_a_process),
        )
        for kind, name, handler in handlers:
            code = getattr(getattr(kind, name, None), "__code__", None)
            if code is not None:
                yield Probe(code, handler)

    def _deleted(self) -> Iterator[Probe]:
        """The line that raises when a deleted, for example donated, buffer is used."""

        def handler(frame: FrameType) -> None:
            self._note("donated-use", frame.f_back, "RuntimeError")

        for code, lines in _lines_with("jax._src.array", _raises_deleted):
            yield Probe(code, at_lines=dict.fromkeys(lines, handler))

    def _not_arrays(self) -> Iterator[Probe]:
        """The line that refuses an argument of a compiled function: of which function?"""

        def handler(frame: FrameType) -> None:
            line = self._stack.user_line(frame.f_back)
            fun = frame.f_locals.get("fun")
            code = getattr(inner_function(fun), "__code__", None)
            number = self._stack.kind(code.co_filename) if code is not None else -1
            if line is not None:
                place = (number, code.co_firstlineno) if code is not None and number >= 0 else None
                facts = (line.file, line.line, "TypeError", line.direct, place)
                self._journal.count("event", "invalid-argument", *facts)

        for module in ("pjit", "api_util", "api"):
            for code, lines in _lines_with(f"jax._src.{module}", _raises_not_an_array):
                yield Probe(code, at_lines=dict.fromkeys(lines, handler))

    def _gradients_of_jax(self) -> Iterator[Probe]:
        """Where ``jax.grad`` and ``jacrev`` begin, and the line at which they have gradients."""
        for code, lines in _lines_with("jax._src.api", _takes_one_gradient):
            handlers: dict[int, Handler] = dict.fromkeys(lines, self._gradients.come_back)
            yield Probe(code, self._gradients.begins, handlers)

    def _waits(self, jax: ModuleType) -> Iterator[Probe]:
        """The host reads the values of an array: for that it waits."""

        def handler(frame: FrameType) -> None:
            line = self._stack.user_line(frame.f_back)
            if line is not None:
                self._journal.count("wait", line.file, line.line)

        getter = getattr(type(jax.numpy.zeros(())), "_value", None)
        # What is around it serves other functions of JAX as well.
        code = getattr(inner_function(getattr(getter, "fget", None)), "__code__", None)
        if code is not None:
            yield Probe(code, handler)


def _takes_one_gradient(node: ast.AST) -> bool:
    wanted = [f"{name} = {name}[0] if isinstance(argnums, int) else {name}" for _, name in RESULTS]
    return isinstance(node, ast.Assign) and ast.unparse(node) in wanted


def _calls_warn(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.warn"


def _raises_deleted(node: ast.AST) -> bool:
    return isinstance(node, ast.Raise) and "has been deleted" in ast.unparse(node)


def _raises_not_an_array(node: ast.AST) -> bool:
    return isinstance(node, ast.Raise) and "Error interpreting argument" in ast.unparse(node)


def _lines_with(
    module: str, wanted: Callable[[ast.AST], bool]
) -> Iterator[tuple[CodeType, list[int]]]:
    """Code objects of a module that hold wanted nodes, and the lines of those."""
    found = sys.modules.get(module)
    filename = getattr(found, "__file__", None)
    if found is None or not filename:
        return
    with open(filename, encoding="utf-8") as stream:
        tree = ast.parse(stream.read())
    places = [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, (ast.stmt, ast.expr)) and wanted(node)
    ]
    for code in _codes_of(found):
        known = {line for _, _, line in code.co_lines() if line is not None}
        own = [counting_line(code, *place) for place in places if place[0] in known]
        if own:
            yield code, own


def _codes_of(module: ModuleType) -> Iterator[CodeType]:
    """The code of a module's functions and methods, and of functions inside them."""
    waiting: list[Any] = []
    for value in vars(module).values():
        members = list(vars(value).values()) if isinstance(value, type) else [value]
        waiting += [getattr(inner_function(member), "__code__", None) for member in members]
    while waiting:
        code = waiting.pop()
        if isinstance(code, CodeType) and code.co_filename == module.__file__:
            yield code
            waiting += code.co_consts
