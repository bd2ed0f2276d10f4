"""Runs a program with real JAX: which lines ran under which trace, and what was raised where."""

from __future__ import annotations

import ast
import contextlib
import io
import logging
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import core, dispatch

FILENAME = "<program of the matrix>"
LONGEST = 30
"""Seconds that one program may take."""
_RECORD = "__ran__"
_Placed = ast.stmt | ast.expr | ast.pattern


@dataclass
class Run:
    """What JAX did.

    Attributes:
        traces: of each line that ran, the traces it ran under, innermost first.
        error: what was raised, if anything; also in a callback, where JAX may only log it.
        line: the innermost line of the program that the error went through; 0 for none.
    """

    traces: dict[int, set[tuple[str, ...]]] = field(default_factory=dict)
    error: BaseException | None = None
    line: int = 0

    def record(self, line: int) -> None:
        """Called before each line of the program."""
        self.traces.setdefault(line, set()).add(_traces())

    def is_staged(self, line: int) -> bool:
        """Whether a line ran while JAX recorded what to run later."""
        return any("DynamicJaxprTrace" in traces for traces in self.traces.get(line, ()))

    def is_batched(self, line: int) -> bool:
        """Whether a line ran with ``vmap`` as the innermost trace."""
        return any(traces[0] == "BatchTrace" for traces in self.traces.get(line, ()))

    def is_traced(self, line: int) -> bool:
        """Whether a line ran under any trace at all."""
        return any(traces != ("EvalTrace",) for traces in self.traces.get(line, ()))


def _traces() -> tuple[str, ...]:
    """Kinds of the current traces, innermost first."""
    kinds = []
    trace = core.trace_ctx.trace
    while trace is not None:
        kinds.append(type(trace).__name__)
        trace = getattr(trace, "parent_trace", None)
    return tuple(kinds)


class _Recorded(ast.NodeTransformer):
    """Puts a call before each statement and each lambda's result: JAX runs no slower for it."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if isinstance(node, ast.ClassDef):
            return node
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if isinstance(statements, list):
                setattr(node, name, [each for one in statements for each in self._with(one)])
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        super().generic_visit(node)
        both = ast.Tuple([self._call(node.body), node.body], ast.Load())
        node.body = ast.Subscript(both, ast.Constant(1), ast.Load())
        return node

    def _with(self, statement: ast.stmt) -> list[ast.stmt]:
        asked: list[_Placed] = [statement]
        if isinstance(statement, ast.Match):
            asked += [case.pattern for case in statement.cases]
        return [*(ast.Expr(self._call(node)) for node in asked), statement]

    @staticmethod
    def _call(node: _Placed) -> ast.Call:
        return ast.Call(ast.Name(_RECORD, ast.Load()), [ast.Constant(node.lineno)], [])


def run(text: str, unseen: str) -> Run:
    """Run a program, then what others do with it."""
    found = Run()
    tree = ast.fix_missing_locations(_Recorded().visit(ast.parse(text)))
    namespace: dict[str, Any] = {"__name__": "__main__", _RECORD: found.record}
    with _logged() as errors:
        try:
            with _quiet(), _limited():
                exec(compile(tree, FILENAME, "exec"), namespace)
                exec(unseen, {**namespace, "jnp": jnp, "np": np})
                jax.effects_barrier()  # Callbacks run when JAX comes to them.
        except Exception as error:
            errors.append(error)
        finally:
            dispatch.runtime_tokens.clear()  # Those that failed would fail the next program too.
    # What a callback raised comes first: what it leads to names no line of the program.
    found.error = next(iter(errors), None)
    if found.error is not None:
        for frame, line in traceback.walk_tb(found.error.__traceback__):
            if frame.f_code.co_filename == FILENAME:
                found.line = line
    return found


@contextlib.contextmanager
def _logged() -> Iterator[list[BaseException]]:
    """The errors that JAX logs: those of a debug callback end no program."""
    errors: list[BaseException] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.exc_info and record.exc_info[1]:
                errors.append(record.exc_info[1])

    handler = Kept()
    logger = logging.getLogger("jax")
    logger.addHandler(handler)
    try:
        yield errors
    finally:
        logger.removeHandler(handler)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What programs print and warn of is nobody's business."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    """Raise TimeoutError in a program that takes too long."""

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        raise TimeoutError(f"more than {LONGEST} seconds")

    if sys.platform == "win32":
        yield
        return
    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
