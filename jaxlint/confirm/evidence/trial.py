"""One trigger of a fixture, run under real JAX: what is handed to the kinds of evidence."""

from __future__ import annotations

import ast
import re
import sys
import traceback
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from jaxlint.confirm.evidence.kind import EvidenceKind
from jaxlint.confirm.fixtures.find import Fixture
from jaxlint.confirm.fixtures.watcher import Run, Watcher
from jaxlint.rules.rule import Evidence

_MODULE = "jaxlint_fixture"
_LONGEST_MESSAGE = 160


class Trial:
    """Runs a trigger once, observed, in a module of its own; kinds of evidence ask for more.

    Args:
        fixture: the program.
        name: of its function that is run.
        kind: sets the conditions under which it runs.
        evidence: what the rule promises.
        watcher: aimed at the fixture.

    Attributes:
        marks: the lines on which the rule must speak.
        namespace: the module's.
        loading: what running the module's code showed.
        first: what the first run of the trigger showed.
        run: the one that goes on, for conditions that note something.
        result: what the trigger returned.
        error: what it raised; None when it came to its end.
    """

    def __init__(
        self, fixture: Fixture, name: str, kind: EvidenceKind, evidence: Evidence, watcher: Watcher
    ) -> None:
        self.fixture = fixture
        self.name = name
        self.evidence = evidence
        self.marks = fixture.marked_lines
        self.namespace: dict[str, Any] = {}
        self.result: Any = None
        self.error: Exception | None = None
        self.run = Run()
        self._kind = kind
        self._watcher = watcher
        self.loading = self._observed(self._load)
        self.first = self._observed(self._pull)

    def _load(self) -> None:
        self.namespace = load(self.fixture)

    def _pull(self) -> None:
        try:
            self.result = self.namespace[self.name]()
        except Exception as error:
            self.error = error

    def _observed(self, action: Callable[[], object]) -> Run:
        with self._kind.conditions(self), self._watcher.watching() as self.run:
            action()
        return self.run

    def again(self) -> Run:
        """Run the trigger once more, in the same module."""
        return self._observed(self.namespace[self.name])

    def otherwise(
        self, without: Sequence[int] = (), instead: Mapping[str, str] | None = None
    ) -> Any:
        """The trigger's result in another module, unobserved.

        ``without`` some lines; ``instead``: dotted names, and those that take their places.
        """
        return load(self.fixture, without, instead)[self.name]()

    def promises(self, names: Iterable[str]) -> bool:
        """Whether the rule promises an exception with this type or these bases."""
        return not set(names).isdisjoint(self.evidence.exceptions)

    @property
    def raised_as_promised(self) -> bool:
        """Whether the trigger raised an exception that the rule promises."""
        return self.promises(each.__name__ for each in type(self.error).__mro__)

    @property
    def problem(self) -> str:
        """What the trigger raised against all promises; empty when all is well."""
        if self.error is None or self._kind.is_promised_exception(self):
            return ""
        frames = traceback.extract_tb(self.error.__traceback__)
        lines = [frame.lineno for frame in frames if frame.filename == str(self.fixture.path)]
        message = (str(self.error).splitlines() or [""])[0][:_LONGEST_MESSAGE]
        where = f" on line {lines[-1]}" if lines else ""
        return f"{type(self.error).__name__}{where}: {message}"

    @property
    def gives_what_the_bad_one_gives(self) -> bool:
        """Whether a fixed fixture's trigger gives what the bad one's does, uncompiled."""
        return self.compares_with_the_bad_one(same)

    def compares_with_the_bad_one(self, alike: Callable[[Any, Any], bool]) -> bool:
        """Whether a fixed fixture's trigger gives something like what the bad one's does.

        Args:
            alike: says so of the two results, that of the bad one last.
        """
        return _as_meant(self, alike)

    @property
    def is_tracing(self) -> bool:
        """Whether JAX is tracing now."""
        return self._watcher.is_tracing

    def line_of(self, frame: types.FrameType | None) -> int:
        """The innermost line of the fixture on a stack; 0 when there is none."""
        while frame is not None and frame.f_code.co_filename != str(self.fixture.path):
            frame = frame.f_back
        return frame.f_lineno if frame is not None else 0

    def function_at(self, line: int) -> str:
        """The function whose ``def``, or a decorator of it, stands on a line; or nothing."""
        for node in ast.walk(ast.parse(self.fixture.text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if line in [head.lineno for head in (node, *node.decorator_list)]:
                    return node.name
        return ""


def load(
    fixture: Fixture, without: Sequence[int] = (), instead: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Run the code of a fixture's module, some lines left out, some names replaced."""
    text = fixture.text
    for name, other in (instead or {}).items():
        text = re.sub(rf"(?<![\w.]){re.escape(name)}\b", other, text)
    lines = text.split("\n")
    for number in without:
        text = lines[number - 1]
        lines[number - 1] = text[: len(text) - len(text.lstrip())] + "pass"
    module = types.ModuleType(_MODULE)
    module.__file__ = str(fixture.path)
    sys.modules[module.__name__] = module
    exec(compile("\n".join(lines), str(fixture.path), "exec", dont_inherit=True), module.__dict__)
    return module.__dict__


def _as_meant(trial: Trial, alike: Callable[[Any, Any], bool]) -> bool:
    """Whether a fixed fixture's trigger gives what the bad one's gives when nothing is compiled.

    True where that one raises all the same, caught or not, or returns nothing: then there is
    nothing to compare.
    """
    import jax

    bad = Fixture.read(trial.fixture.unfixed_path)
    if bad is None or trial.result is None:
        return True
    raised: list[str] = []

    def watch(frame: types.FrameType, event: str, _: object) -> Any:
        if event == "exception":
            raised.append(frame.f_code.co_name)
        return watch if frame.f_code.co_filename == str(bad.path) else None

    before = sys.gettrace()
    try:
        sys.settrace(watch)
        with jax.disable_jit():
            meant = load(bad)[trial.name]()
    except Exception:
        return True
    finally:
        sys.settrace(before)
    return bool(raised) or meant is None or alike(trial.result, meant)


def same(one: Any, other: Any) -> bool:
    """Whether two pytrees hold the same numbers."""
    import jax
    import numpy as np

    left, right = jax.tree_util.tree_leaves(one), jax.tree_util.tree_leaves(other)
    if len(left) != len(right):
        return False
    return all(
        np.allclose(_numbers(a), _numbers(b), equal_nan=True)
        for a, b in zip(left, right, strict=True)
    )


def _numbers(leaf: Any) -> Any:
    """An array as NumPy has it; the bits of a PRNG key."""
    import jax
    import numpy as np

    if isinstance(leaf, jax.Array) and jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    return np.asarray(leaf)
