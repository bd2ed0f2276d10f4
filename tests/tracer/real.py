"""Runs the blocks under real JAX, and says where it disagrees with what they say.

A program runs statement by statement. Where JAX refuses one, a mark must stand on the line;
what follows runs on. ``reveal(x)`` compares ``x`` with the description on its line.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import importlib
import io
import linecache
import sys
import traceback
import types
from collections.abc import Iterator
from typing import Any

import jax

from jaxlint.project import parse_version
from jaxlint.rules.registry import find_rule
from tests.tracer.chapters import FOLDER, Block
from tests.tracer.grammar import agrees, alternatives, origins
from tests.tracer.notebooks import as_program, cells

_RAISING = ("raises", "raises_when_called")


def program(block: Block) -> str:
    """What real JAX runs."""
    return as_program(block) if block.notebook else block.with_hidden(block.text)


def absent(block: Block) -> str:
    """What a block needs and this machine lacks: a library, a newer JAX, or nothing."""
    if block.since and parse_version(jax.__version__) < parse_version(block.since):
        return f"jax {block.since}"
    for node in ast.walk(ast.parse(program(block))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module]
        for name in names:
            library = name.partition(".")[0]
            if not _is_there(library) and not _guarded(block, node):
                return library
    return ""


@functools.cache
def _is_there(library: str) -> bool:
    """Whether a library is installed, and works with the JAX that is."""
    try:
        importlib.import_module(library)
    except Exception:
        return False
    return True


def _guarded(block: Block, node: ast.AST) -> bool:
    """Whether an import stands in a ``try``: the program does without."""
    tries = [each for each in ast.walk(ast.parse(program(block))) if isinstance(each, ast.Try)]
    return any(node in ast.walk(each) for each in tries)


def disagreements(block: Block) -> list[str]:
    """What real JAX shows that a block does not say; nothing when they agree."""
    run = _Run(block)
    run.all_statements()
    return run.conclude()


class _Run:
    """One run of a block."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.path = str(FOLDER / block.chapter)
        self.problems: list[str] = []
        self.refused: set[int] = set()
        self.agreed: dict[int, set[str]] = {}
        shown = [cell for cell in cells(block) if cell.word] if block.notebook else []
        self.deliberate = {line for cell in shown for line in cell.lines}

    def all_statements(self) -> None:
        """Run every statement, whatever those before it did."""
        module = types.ModuleType("chapter")
        sys.modules["chapter"] = module
        text = program(self.block)
        linecache.cache[self.path] = (0, None, text.splitlines(True), self.path)
        tree = ast.parse(text)
        with _settings(), _reveal(self._reveal):
            for statement in tree.body:
                module_of_one = ast.Module([statement], [])
                code = compile(module_of_one, self.path, "exec", dont_inherit=True)
                try:
                    exec(code, module.__dict__)
                except Exception as error:
                    self._refusal(error)

    def _reveal(self, value: Any) -> Any:
        line = self._line(sys._getframe(1))
        expected = self.block.expected.get(line)
        if expected is None:
            return value
        matching = {each for each in alternatives(expected) if agrees(each, value)}
        self.agreed.setdefault(line, set()).update(matching)
        if not matching:
            shown = f"{type(value).__name__} {value}"
            self.problems.append(f"line {line}: said to be `{expected}`, JAX shows {shown}")
        return value

    def _line(self, frame: types.FrameType | None) -> int:
        while frame is not None and frame.f_code.co_filename != self.path:
            frame = frame.f_back
        return frame.f_lineno if frame is not None else 0

    def _refusal(self, error: Exception) -> None:
        """An exception must come through a marked line, and be what the rule promises.

        What the tracer does not know yet (``todo``) the rule may not promise yet.
        """
        stack = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno or 0 for frame in stack if frame.filename == self.path]
        if any(line in self.deliberate for line in lines):
            return
        marked = [line for line in lines if line in self.block.marks]
        if not marked and all(line > self.block.text.count("\n") for line in lines):
            # Nobody in view makes the call that JAX refuses.
            marked = list(self.block.marks)
        for line in marked or list(self.block.marks):
            if any(self._promises(code, error, bool(marked)) for code in self.block.marks[line]):
                self.refused.add(line)
                return
        self.problems.append(f"line {lines[-1:]}: {type(error).__name__}: {error}"[:400])

    def _promises(self, code: str, error: Exception, on_its_line: bool) -> bool:
        """Whether a rule says that JAX raises this, on the line or at calls of what it marks."""
        rule = find_rule(code)
        if rule is None or (self.block.todo and on_its_line):
            return on_its_line
        names = {each.__name__ for each in type(error).__mro__}
        fits = names.intersection(rule.evidence.exceptions)
        return bool(fits) and (on_its_line or rule.evidence.kind == "raises_when_called")

    def conclude(self) -> list[str]:
        """All disagreements of the run."""
        self._check_origins()
        text = program(self.block).split("\n")
        # A cell that this Python cannot read has not run.
        marks = {at: codes for at, codes in self.block.marks.items() if text[at - 1].strip()}
        for line, codes in marks.items():
            rules = [find_rule(code) for code in codes]
            raising = [rule for rule in rules if rule and rule.evidence.kind in _RAISING]
            if raising and line not in self.refused:
                self.problems.append(f"line {line}: {', '.join(codes)}, but JAX raises nothing")
        for line, expected in self.block.expected.items():
            missing = set(alternatives(expected)) - self.agreed.get(line, set())
            if missing and not self._after_refusal(line):
                self.problems.append(f"line {line}: never shown: {' | '.join(sorted(missing))}")
        return self.problems

    def _check_origins(self) -> None:
        """``from x of f`` names a parameter of a function of the program."""
        parameters = set()
        for node in ast.walk(ast.parse(program(self.block))):
            if isinstance(node, (ast.FunctionDef, ast.Lambda)):
                name = getattr(node, "name", "<lambda>")
                parameters |= {(each.arg, name) for each in ast.walk(node.args)
                               if isinstance(each, ast.arg)}  # fmt: skip
        for line, expected in self.block.expected.items():
            for origin in set(origins(expected)) - parameters:
                self.problems.append(f"line {line}: no parameter {' of '.join(origin)}")

    def _after_refusal(self, line: int) -> bool:
        """Whether a line cannot run because JAX refuses one above it."""
        return line not in self.agreed and any(refused < line for refused in self.refused)


@contextlib.contextmanager
def _reveal(function: Any) -> Iterator[None]:
    """Make ``reveal`` a builtin; what the program prints goes nowhere."""
    vars(builtins)["reveal"] = function
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            yield
    finally:
        del vars(builtins)["reveal"]


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """JAX's settings as they are, also when the program changes them for good.

    But for tracebacks: shortened ones name the line of a bare `raise` for that of the cause.
    """
    names = (
        "jax_disable_jit", "jax_enable_x64", "jax_debug_key_reuse", "jax_check_tracer_leaks",
        "jax_traceback_filtering",
    )  # fmt: skip
    before = {name: getattr(jax.config, name) for name in names}
    jax.config.update("jax_traceback_filtering", "off")
    try:
        yield
    finally:
        for name, value in before.items():
            jax.config.update(name, value)
