"""Runs a program under real JAX and under jaxlint, and says where the two differ."""

from __future__ import annotations

import sys
import types
from dataclasses import dataclass, field
from typing import Any

import jax

from jaxlint import Options, check_source

FILENAME = "<generated program>"
COVERED = ("JXL10", "JXL110", "JXL111", "JXL112", "JXL119")


_TRACER_ERRORS = (
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)
_COVERED_TEXTS = (
    "JAX arrays are immutable",
    "iteration over a 0-d array",
    "Shapes must be 1D sequences of concrete values",
    "requires ndarray or scalar arguments",
    "Array slice indices must have static",
    "Slice entries must be static integers",
    "unhashable type",
    "unsupported format string passed to",
)


@dataclass
class Difference:
    """What one program showed.

    Attributes:
        raised: lines on which JAX raised what the rules cover.
        others: what else was raised, which the rules do not cover yet.
        missed: lines on which JAX raised and jaxlint is silent.
        wrong: flagged lines that ran without raising, in a program in which nothing
            raised. (Where something did, a flagged line may have run in another
            context than the one that JAX never came to.)
    """

    raised: set[int] = field(default_factory=set)
    others: list[str] = field(default_factory=list)
    missed: set[int] = field(default_factory=set)
    wrong: set[int] = field(default_factory=set)


class _Watch:
    def __init__(self) -> None:
        self.ran: set[int] = set()
        self.raised: list[tuple[BaseException, int]] = []

    def call(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        return self.local if frame.f_code.co_filename == FILENAME else None

    def local(self, frame: types.FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            self.ran.add(frame.f_lineno)
        elif event == "exception" and not isinstance(argument[1], StopIteration):
            if all(argument[1] is not error for error, _ in self.raised):
                self.raised.append((argument[1], frame.f_lineno))
        return self.local


def is_covered(error: BaseException) -> bool:
    """Whether some rule promises to find what raised this."""
    if isinstance(error, _TRACER_ERRORS):
        return True
    text = str(error)
    if "Non-hashable static" in text:
        return False  # The generated calls stand in `try`, where the author knows.
    return isinstance(error, (TypeError, IndexError, ValueError)) and any(
        part in text for part in _COVERED_TEXTS
    )


def compare(text: str) -> Difference:
    """Run both and compare."""
    watch = _Watch()
    code = compile(text, FILENAME, "exec")
    before = sys.gettrace()
    sys.settrace(watch.call)
    try:
        exec(code, {"__name__": "__main__"})
    finally:
        sys.settrace(before)
    flagged = {f.line for f in check_source(text, "program.py", Options(select=COVERED))}
    found = Difference()
    failed = set()
    for error, line in watch.raised:
        failed.add(line)
        if is_covered(error):
            found.raised.add(line)
        else:
            found.others.append(f"{type(error).__name__}: {str(error).splitlines()[0][:80]}")
    found.missed = found.raised - flagged
    if not failed:
        found.wrong = flagged & watch.ran
    return found
